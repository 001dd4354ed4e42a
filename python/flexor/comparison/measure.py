"""How far two arrays are apart: relative error [CM-1], ulp distance [CM-2], and their spread."""

from __future__ import annotations

import numpy as np

#: bins of a float32 by its upper 16 bits: 128 a power of two, so a percentile is good to 1 %
_BINS = 1 << 15


def relative_error(a: np.ndarray, b: np.ndarray, scale) -> np.ndarray:
    """|a - b| / max(|a|, |b|, scale), float64.   [CM-1]

    Equal numbers (equal infinities too) and NaN against NaN are 0 apart; NaN or infinity against
    another number is infinite.
    """
    a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        size = np.maximum(np.maximum(np.abs(a), np.abs(b)), scale)
        error = np.abs(a - b) / size
    error = np.where(np.isfinite(a) & np.isfinite(b), error, np.inf)
    return np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0.0, error)


def ulp_distance(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Floating-point numbers between a and b of one type, as float64.   [CM-2]

    Bits are read as sign and magnitude, so -0 and +0 are 0 apart. NaN against NaN: 0; NaN against a
    number: infinite.
    """
    word = np.dtype(f"u{a.dtype.itemsize}")
    sign = word.type(1 << (8 * word.itemsize - 1))
    i, j = (np.ascontiguousarray(x).view(word) for x in (a, b))
    m, n = i & ~sign, j & ~sign
    apart = np.where((i ^ j) & sign != 0, m + n, np.maximum(m, n) - np.minimum(m, n))
    missing = np.isnan(a), np.isnan(b)
    distance = np.where(missing[0] | missing[1], np.inf, apart.astype(np.float64))
    return np.where(missing[0] & missing[1], 0.0, distance)


def differs(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Where the bits differ: -0 is not +0, and any NaN equals any NaN."""
    if a.dtype.kind != "f":
        return a != b
    word = np.dtype(f"u{a.dtype.itemsize}")
    i, j = (np.ascontiguousarray(x).view(word) for x in (a, b))
    return (i != j) & ~(np.isnan(a) & np.isnan(b))


class Spread:
    """Percentiles of many numbers >= 0, without keeping them: up to 1 % low; whole numbers to 256 and
    the largest are exact."""

    def __init__(self):
        self._counts = np.zeros(_BINS, np.int64)
        self.count, self.largest = 0, 0.0

    def add(self, values: np.ndarray) -> None:
        if values.size == 0:
            return
        with np.errstate(over="ignore"):
            words = np.ascontiguousarray(values, np.float32).reshape(-1).view(np.uint32)
        self._counts += np.bincount(words >> 16, minlength=_BINS)
        self.count += values.size
        self.largest = max(self.largest, float(values.max()))

    def percentile(self, share: float) -> float:
        """The number that `share` per cent do not exceed; 0 without numbers."""
        if self.count == 0 or share >= 100:
            return self.largest
        rank = np.searchsorted(np.cumsum(self._counts), share / 100 * self.count)
        return float((np.array([rank], np.uint32) << 16).view(np.float32)[0])
