"""The items taken and left."""

from ..items import draw as draw
