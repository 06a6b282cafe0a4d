"""Random numbers, one stream per instance, so that instances of a batch never influence one another."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from torch import Generator, Tensor


class Noise:
    """One generator per row of the target.

    Instance b of a batch seeded with s sees what it would see alone with seed s + b; each of its images has a
    stream of its own. Rows come as the target has them: every instance's first image, then the second, ...
    """

    def __init__(self, seed: int, instances: int, images: int = 1, device: torch.device | str = "cpu") -> None:
        if seed < 0:
            raise ValueError(f"a seed must not be negative, is {seed}")
        self.device = torch.device(device)
        self._streams = [_stream(seed + b, image) for image in range(images) for b in range(instances)]

    def normal(self, *shape: int) -> Tensor:
        """[R, *shape] standard normal."""
        return self._draw(lambda stream: torch.randn(shape, generator=stream))

    def uniform(self, *shape: int) -> Tensor:
        """[R, *shape] uniform in [0, 1)."""
        return self._draw(lambda stream: torch.rand(shape, generator=stream))

    def integers(self, high: int, *shape: int) -> Tensor:
        """[R, *shape] uniform in {0, ..., high - 1}."""
        return self._draw(lambda stream: torch.randint(high, shape, generator=stream))

    def numpy(self) -> list[np.random.Generator]:
        """A NumPy generator per row, for libraries that want one; each call goes on in the streams."""
        return [np.random.default_rng(int(torch.randint(1 << 62, (), generator=stream))) for stream in self._streams]

    def _draw(self, one: Callable[[Generator], Tensor]) -> Tensor:
        return torch.stack([one(stream) for stream in self._streams]).to(self.device)


def _stream(seed: int, image: int) -> Generator:
    state = np.random.SeedSequence((seed, image)).generate_state(1, np.uint64)
    return Generator().manual_seed(int(state[0]) >> 1)
