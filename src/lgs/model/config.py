"""Everything that defines a network, in one validated dataclass that travels inside every weights file."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Literal

from .. import problems


@dataclass(frozen=True)
class Config:
    """The paper's architecture by default; what follows `Extensions` is ours and off."""

    problem: str
    dim: int = 128
    """Embedding width d_h."""
    heads: int = 8
    layers: int = 6
    hidden: int = 512
    """Width of the encoder's feed-forward layers."""
    clip: float = 10.0
    """Omega, the tanh clipping of the logits."""
    latent: int = 100
    """Dimension d_z of the latent space; 0 is a model without one (POMO)."""
    prior: Literal["conditioned", "independent"] = "conditioned"
    """p(z | x) from the encoder, or N(0, I) whatever the instance (the paper's ablation)."""
    radius: float = 40.0
    """R: latents live in the ball of this radius."""
    mean_bound: float = 3.0
    """Soft-clipping keeps each mean in (-mean_bound, mean_bound)."""
    log_var_low: float = -4.0
    log_var_high: float = 2.0
    forced_start: bool | None = None
    """Whether each particle is given its first node; None: as the problem says. POMO's CVRP forces it."""

    # Extensions
    graph_query: bool = False
    """The mean embedding enters the decoder's query."""
    pairwise: bool = False
    """A learned bias on the logits from static features of (current, candidate), such as the log distance."""
    relations: bool = False
    """A learned bias on the encoder's attention from the problem's node relations."""
    latent_residual: bool = False
    """A non-linear function of z is added to the glimpse, after the decoder's attention."""

    def __post_init__(self) -> None:
        if self.problem not in problems.names():
            raise ValueError(f"unknown problem {self.problem!r}; known: {', '.join(problems.names())}")
        for name in ("dim", "heads", "layers", "hidden", "latent"):
            if type(getattr(self, name)) is not int:
                raise ValueError(f"{name} must be a whole number, is {getattr(self, name)!r}")
        for name in ("layers", "latent"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} must not be negative, is {getattr(self, name)}")
        if self.dim <= 0 or self.heads <= 0 or self.dim % self.heads:
            raise ValueError(f"dim ({self.dim}) must be a positive multiple of heads ({self.heads})")
        for name in ("hidden", "clip", "radius", "mean_bound"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} must be positive, is {getattr(self, name)}")
        if not self.log_var_low < self.log_var_high:
            raise ValueError(f"log_var_low ({self.log_var_low}) must be below log_var_high ({self.log_var_high})")
        if self.prior not in ("conditioned", "independent"):
            raise ValueError(f"prior must be 'conditioned' or 'independent', is {self.prior!r}")

    @classmethod
    def from_dict(cls, values: Any) -> Config:
        """The configuration that `to_dict` gave, read from a file: anything may be in there."""
        if not isinstance(values, dict):
            raise ValueError("it has no model settings")
        unknown = sorted(values.keys() - {field.name for field in dataclasses.fields(cls)})
        if unknown:
            raise ValueError(f"unknown model setting {unknown[0]!r}")
        return cls(**values)

    def to_dict(self) -> dict[str, Any]:
        return dataclasses.asdict(self)
