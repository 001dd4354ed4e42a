"""What the acceptance cases share: backends, tolerances, one-world read-outs of a batch.

Every case runs in a small batch of equal worlds. Each read-out checks first that all worlds hold the
same bits, so that every case is also a test of the batch.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import flexor
import numpy as np

#: public models and other engines' values, where they stand beside the project
SHARED = Path(os.environ.get("FLEXOR_SHARED", Path(__file__).resolve().parents[3] / "shared"))

WORLDS = {"reference": 1, "cpu": 3}

# Float32 tolerances: one for the cases of mechanics, [R-60] for routes.
FLOAT32_RELATIVE = 1e-4
FLOAT32_LENGTH = 2e-6
FLOAT32_GRADIENT = 2e-5


def kept_fields(sim) -> list[str]:
    """Names of the arrays a batch has: all, but for the compensation of rounding in float64."""
    return [n for n in flexor.FIELDS if n != "qpos_compensation" or sim.precision == "float32"]


@dataclass(frozen=True)
class Backend:
    device: str
    precision: str
    solver: str = "auto"

    def __str__(self):
        return f"{self.device}-{self.precision}" + (
            "" if self.solver == "auto" else f"-{self.solver}"
        )

    @property
    def is_float32(self):
        return self.precision == "float32"

    def simulate(self, model, num_worlds=None, **options):
        """Simulation of `model`; a solver's own iterations and tolerance unless given."""
        options.setdefault("solver", self.solver)
        return flexor.Simulation(
            model,
            num_worlds=WORLDS[self.device] if num_worlds is None else num_worlds,
            device=self.device,
            precision=self.precision,
            **options,
        )

    def run(self, model, **options):
        return Run(self, self.simulate(model, **options))


SWEEPS = Backend("reference", "float64", "gauss_seidel")
BLOCKS = Backend("reference", "float64", "gauss_seidel_blocks")
EXACT = Backend("reference", "float64", "exact")
FLOAT64 = Backend("cpu", "float64")
FLOAT32 = Backend("cpu", "float32")
CPU = [FLOAT64, FLOAT32]
BACKENDS = [SWEEPS, BLOCKS, EXACT, FLOAT64, FLOAT32]
# Routing does not depend on the impulse solver: one reference run is enough.
GEOMETRY = [EXACT, FLOAT64, FLOAT32]


def printed(text: str) -> tuple[float, float]:
    """Value and half a unit of its last printed digit: "-4.9099" -> (-4.9099, 5e-5)."""
    digits = text.lower().split("e")[0]
    decimals = len(digits.partition(".")[2])
    exponent = int(text.lower().partition("e")[2] or 0)
    return float(text), 0.5 * 10.0 ** (exponent - decimals) if decimals or exponent else 0.0


def values_of(expected):
    """Array of values and array of half units (0 where the expectation is a number, not text)."""
    if isinstance(expected, str):
        value, unit = printed(expected)
        return np.array(value), np.array(unit)
    if isinstance(expected, (list, tuple)):
        pairs = [values_of(e) for e in expected]
        return np.array([p[0] for p in pairs]), np.array([p[1] for p in pairs])
    value = np.asarray(expected, dtype=float)
    return value, np.zeros_like(value)


def assert_near(actual, expected, tolerance):
    """|actual - expected| <= tolerance, and not tighter than half a unit of a printed number."""
    value, unit = values_of(expected)
    actual = np.asarray(actual, dtype=float)
    assert actual.shape == value.shape, f"shape {actual.shape}, expected {value.shape}"
    error = np.abs(actual - value)
    bound = np.maximum(tolerance, unit * (1 + 1e-9))
    assert np.all(error <= bound), f"got {actual}\nexpected {value}\nerror {error}, allowed {bound}"


class Run:
    """One simulation of equal worlds, read as if it were one world."""

    def __init__(self, backend: Backend, sim):
        self.backend = backend
        self.sim = sim

    def step(self, count=1, **options):
        self.sim.step(count, **options)

    def set(self, field: str, values, at=None):
        """Writes the same values into every world: the whole field, or one named component."""
        array = getattr(self.sim, field)
        if at is None:
            array.set(values)
        else:
            array.at(at).numpy()[:] = values

    def get(self, field: str, at=None) -> np.ndarray:
        """Values of one world, float64, after a check that all worlds hold equal bits."""
        array = getattr(self.sim, field)
        data = np.array((array if at is None else array.at(at)).numpy())
        for world in range(1, len(data)):
            assert data[world].tobytes() == data[0].tobytes(), f"{field}: world {world} differs"
        return np.asarray(data[0], dtype=float)

    def check(self, field: str, expected, tolerance, at=None, scale=None, is_length=False):
        """Compares one read-out; float32 to the larger of tolerance and float32's."""
        self.near(self.get(field, at), expected, tolerance, scale, is_length)

    def near(self, actual, expected, tolerance, scale=None, is_length=False):
        if self.backend.is_float32:
            if scale is None:
                scale = np.max(np.abs(values_of(expected)[0]))
            loose = FLOAT32_LENGTH if is_length else FLOAT32_RELATIVE * scale
            tolerance = max(tolerance, loose)
        assert_near(actual, expected, tolerance)

    def no_status(self, allow=0):
        """No status bit is set that is not informational or allowed."""
        status = int(self.get("status"))
        quiet = int(flexor.Status.TENSION_SATURATED | flexor.Status.ROUTE_SIDE_AMBIGUOUS)
        assert status & ~(quiet | allow) == 0, flexor.Status(status)
