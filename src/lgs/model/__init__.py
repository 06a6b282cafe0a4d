"""The network: LGS-Net, its configuration, its weights files."""

from .config import Config
from .latent import Gaussian
from .lgsnet import Encoded, LGSNet
from .tables import Tables
from .weights import WeightsError, load, save

__all__ = ["Config", "Encoded", "Gaussian", "LGSNet", "Tables", "WeightsError", "load", "save"]
