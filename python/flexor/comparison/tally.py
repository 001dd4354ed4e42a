"""Errors of one array over a run."""

from __future__ import annotations

import numpy as np

from flexor.comparison.fields import unit_of
from flexor.comparison.measure import Spread, relative_error, ulp_distance


class Tally:
    """Spread of the errors of an array, the worst of them, and their growth.

    median_ulp: what the median ulp distance may be, None where that is not judged. worst: the place
    where error / tolerance is largest. curve: (step, median, largest error).
    """

    def __init__(self, name: str, stage: str, components: tuple[str, ...], median_ulp=None):
        self.name, self.stage, self.components = name, stage, components
        self.median_ulp = median_ulp
        self.errors, self.ulps = Spread(), Spread()
        self.tolerance, self.ratio, self.worst = 0.0, -1.0, None
        self.left_out = 0
        self.has_ulps = True
        self.curve: list[tuple[int, float, float]] = []

    @property
    def ok(self) -> bool:
        return self.ratio <= 1 and self.is_median_ok

    @property
    def is_median_ok(self) -> bool:
        return self.median_ulp is None or self.ulps.percentile(50) <= self.median_ulp

    def add(self, step: int, a, b, scale, tolerance=None, slack=0.0, counts=True) -> None:
        """One step: a, b (worlds, ...); tolerance of the error (None judges
        nothing); slack: absolute difference on top; counts: what is compared. These three may have
        fewer axes than a."""
        if self.name == "body_quaternion":  # one rotation, two signs
            b = np.where(np.sum(a * b, axis=-1, keepdims=True) < 0, -b, b)
        error = relative_error(a, b, scale)
        counts = np.broadcast_to(lift(counts, error), error.shape)
        kept = error[counts]
        self.left_out += error.size - kept.size
        if kept.size == 0:
            return
        self.errors.add(kept)
        self.curve.append((step, float(np.median(kept)), float(kept.max())))
        self.has_ulps &= a.dtype == b.dtype
        if self.has_ulps:
            self.ulps.add(ulp_distance(a, b)[counts])
        if tolerance is None:
            return
        size = np.maximum(np.maximum(np.abs(a), np.abs(b)), scale)
        limit = np.broadcast_to(lift(tolerance, error) + lift(slack, error) / size, error.shape)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(error == 0, 0.0, np.where(limit == 0, np.inf, error / limit))
        ratio = np.where(counts, ratio, -1.0)
        at = np.unravel_index(np.argmax(ratio), ratio.shape)
        if ratio[at] > self.ratio:
            self.ratio = float(ratio[at])
            self.tolerance = float(limit[at])
            self.worst = {
                "step": step,
                "world": int(at[0]),
                "component": component_name(self.components, at[1:]),
                "a": float(a[at]),
                "b": float(b[at]),
                "error": float(error[at]),
            }

    def row(self) -> dict:
        """For the report."""
        spread = {"p50": 50, "p99": 99, "max": 100}
        return {
            "name": self.name,
            "stage": self.stage,
            "unit": unit_of(self.name),
            **{key: self.errors.percentile(share) for key, share in spread.items()},
            "tolerance": self.tolerance,
            "used": max(self.ratio, 0.0),
            "ok": self.ok,
            "worst": self.worst,
            "ulp": {k: self.ulps.percentile(s) for k, s in spread.items()}
            if self.has_ulps
            else None,  # fmt: skip
            "ulp_tolerance": self.median_ulp,
            "compared": self.errors.count,
            "left_out": self.left_out,
        }


def lift(values, like: np.ndarray) -> np.ndarray:
    """Values with axes of length 1 behind their own, so that they broadcast to `like`."""
    values = np.asarray(values)
    return values.reshape(values.shape + (1,) * (like.ndim - values.ndim))


def component_name(names: tuple[str, ...], at: tuple[int, ...]) -> str:
    """Name of a component from its indices: "deep", "deep[2]"; empty for one number a world."""
    if not at:
        return ""
    first = names[at[0]] if at[0] < len(names) else str(at[0])
    return first + "".join(f"[{i}]" for i in at[1:])
