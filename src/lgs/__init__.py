"""Latent Guided Sampling for combinatorial optimization."""

__version__ = "0.1.0"
