"""Pictures, one per file. Each takes the axes to draw on, or makes a figure of its own, and returns the figure.

Colours are those of Okabe and Ito and the `viridis` map, which people with colour-blindness tell apart.
"""
