"""Single MCMC: one random-walk Metropolis chain per instance."""

from __future__ import annotations

from dataclasses import dataclass

from . import parallel
from .base.chains import ChainParams
from .base.settings import SettingsError

init, step = parallel.init, parallel.step


@dataclass(frozen=True)
class Params(ChainParams):
    particles: int = 1
    """One chain; more of them is the method `parallel`."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.particles != 1:
            raise SettingsError("single runs one chain per instance; use the method parallel for more")
