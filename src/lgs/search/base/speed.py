"""How long a block of particles takes, learnt from the blocks before it."""

from __future__ import annotations

BLOCK_SECONDS = 0.1
"""Near the deadline work is done in blocks of about this long, so the deadline holds to about this."""
FAR_SHARE, FAR_SECONDS = 0.1, 1.0
"""Far from it a block may take this share of the time left, but no longer than this."""
FIRST_BLOCK = 32
"""Particles and rows in the first block, before anything is known."""
GROWTH = 4
"""A block is at most this much larger than the one before: the estimate is only good near what was seen."""
MEMORY = 0.7
"""Weight of each block relative to the next one."""


class Speed:
    """Seconds of a block as `fixed + each * count`: a decode step costs something however few particles it has."""

    def __init__(self) -> None:
        self.fixed, self.each = 0.0, 0.0
        self._last = 0
        self._weight = self._count = self._time = self._squares = self._products = 0.0

    def measured(self, count: int, seconds: float) -> None:
        """Refit to one more block by weighted least squares, neither part negative."""
        self._last = count
        self._weight = MEMORY * self._weight + 1
        self._count = MEMORY * self._count + count
        self._time = MEMORY * self._time + seconds
        self._squares = MEMORY * self._squares + count * count
        self._products = MEMORY * self._products + count * seconds
        proportional = self._time / self._count
        spread = self._weight * self._squares - self._count**2
        if spread <= 0.01 * self._weight * self._squares:  # All blocks alike: nothing is known of the fixed part.
            self.fixed, self.each = 0.0, proportional
            return
        slope = (self._weight * self._products - self._count * self._time) / spread
        self.each = min(max(slope, 0.0), proportional)
        self.fixed = (self._time - self.each * self._count) / self._weight

    def fits(self, seconds: float, count: int = 1) -> bool:
        """Whether a block of `count` would end at most one block's length late."""
        return self.fixed + self.each * count <= seconds + BLOCK_SECONDS

    def size(self, seconds: float) -> int:
        """How many to take next with this much time left."""
        if not self._last:
            return FIRST_BLOCK
        most = GROWTH * self._last
        block = max(BLOCK_SECONDS, min(FAR_SHARE * seconds, FAR_SECONDS), self.fixed)
        time = min(block, seconds - self.fixed)
        if time <= 0:
            return 1
        return max(1, most if time >= self.each * most else int(time / self.each))
