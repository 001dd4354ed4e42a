"""Random drive forces, for benchmarks and demonstrations."""

from __future__ import annotations

import numpy as np

from flexor.model import Model

#: pull of a drive without a bound [N]
_UNBOUNDED = 10.0


class RandomCommands:
    """Uniform drive forces within each tendon's actuation bounds (-10 ... 0 N where unbounded).

    low, high: (tendons,) [N].
    """

    def __init__(self, model: Model, seed: int = 0):
        tendons = model.tendons
        low = np.array([t.actuation_lower for t in tendons], dtype=np.float64)
        high = np.array([t.actuation_upper for t in tendons], dtype=np.float64)
        high[np.isposinf(high)] = np.maximum(0.0, low[np.isposinf(high)])
        low[np.isneginf(low)] = np.minimum(-_UNBOUNDED, high[np.isneginf(low)])
        self.low, self.high = low, high
        self._rng = np.random.default_rng(seed)

    def draw(self, num_worlds: int) -> np.ndarray:
        """Forces (num_worlds, tendons) [N], float32, in the memory order of a batch's arrays."""
        unit = self._rng.random((self.low.size, num_worlds), dtype=np.float32)
        return (self.low[:, None] + (self.high - self.low)[:, None] * unit).astype(np.float32).T
