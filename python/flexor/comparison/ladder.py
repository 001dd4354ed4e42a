"""How far apart two runs may be: the ladder of tolerances [CM-3]."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import NamedTuple

import numpy as np

from flexor.comparison.fields import (
    BEFORE_SOLVE,
    MATRICES,
    ROW_COMPLIANCE,
    TOTALS,
    Scales,
    stage_of,
)
from flexor.comparison.rounding import Conditions, Estimator
from flexor.comparison.side import Side
from flexor.errors import ConfigError
from flexor.names import unknown

#: above this cond(M^) the step has the tolerance of an ill-conditioned chain
ILL_CONDITIONED = 1e5
#: arrays that hold derivatives of lengths, and their tolerance in float32
GRADIENTS = (
    "tendon_jacobian",
    "tendon_velocity",
    "tendon_curvature",
)
_GRADIENT = 2e-5
#: where the reference's own solver stops   [P-50]
_EXACT = 1e-12
#: no condition excuses more than this
_MOST = 1e-2


class Rung(NamedTuple):
    """Tolerances: outputs before the solve, one step, one step of an ill-conditioned chain; ulp: of
    the median ulp distance of outputs before the solve, None where none is asked."""

    stages: float
    step: float
    chain: float
    ulp: float | None = None


_FLOAT32 = Rung(2e-6, 1e-5, 3e-4)
LADDER = {
    "identical": Rung(0.0, 0.0, 0.0),
    "float64": Rung(1e-12, 1e-9, 1e-7),
    "float32": _FLOAT32,
    "host and device": _FLOAT32._replace(ulp=4.0),
}

#: balances of a free run, relative to what they are summed of
BALANCE = {"float64": 1e-6, "float32": 1e-3}
#: share of world-steps that b's solver alone may give up on
UNSOLVED = {"identical": 0.0, "float64": 0.0, "float32": 0.05, "host and device": 0.05}
#: share of world-steps that must be compared
COMPARED = 0.1


def rung_of(a: Side, b: Side, numeric: str) -> str:
    """Which row of the ladder a pair stands on."""
    kinds = [side.device.partition(":")[0] for side in (a, b)]
    is_same_solver = a.options["solver"] == b.options["solver"]
    if a.precision == b.precision and is_same_solver:
        if kinds[0] == kinds[1] or (numeric == "strict" and "reference" not in kinds):
            return "identical"
        if "reference" not in kinds:
            return "host and device"
    return "float64" if a.precision == b.precision == "float64" else "float32"


class Ladder:
    """Tolerance of each array, and which of its numbers are unique.

    given: "ladder", or {array or wildcard: number}; other arrays keep the ladder's.
    """

    def __init__(self, given, a: Side, b: Side, numeric: str, mode: str, names: list[str]):
        self.mode, self.rung = mode, rung_of(a, b, numeric)
        self.row = LADDER[self.rung]
        self.given = {} if given == "ladder" else _checked(given, names)
        self.scales = Scales.of(a.model)
        self.eps = max(float(np.finfo(side.real).eps) for side in (a, b))
        self.estimator = None if self.rung == "identical" else Estimator(a, self.eps)
        self._soft = {}
        if self.estimator is not None and a.model.options["hard_row_softness"] == 0:
            for name, (kind, key) in ROW_COMPLIANCE.items():
                self._soft[name] = getattr(self.estimator, kind)[key] > 0

    def counts(self, name: str, conditions: Conditions | None):
        """Which numbers of an array are unique, True or (worlds, n): single rows where they are
        soft, totals where the loads of hard rows are determined."""
        if conditions is not None and name in TOTALS:
            return conditions.determined(self.eps)
        return self._soft.get(name, True)

    def tolerance(self, name: str, conditions: Conditions | None):
        """Largest error [CM-1]: a number or (worlds,)."""
        if name in self.given:
            return self.given[name]
        if conditions is None or stage_of(name, self.mode) in BEFORE_SOLVE:
            if name in MATRICES and conditions is not None:
                return self.row.stages * (1 + conditions.reach)
            is_loose = name in GRADIENTS and self.rung in ("float32", "host and device")
            return _GRADIENT if is_loose and self.eps > 1e-8 else self.row.stages
        magnified = conditions.loads * (20 * self.eps * conditions.mass + _EXACT)
        step = np.maximum(self.row.step, np.minimum(magnified, _MOST))
        return np.where(conditions.mass > ILL_CONDITIONED, np.maximum(step, self.row.chain), step)

    def median_ulp(self, name: str) -> float | None:
        """Largest median ulp distance of an array, None where none is asked."""
        is_early = stage_of(name, self.mode) in BEFORE_SOLVE
        return self.row.ulp if is_early and name not in self.given else None

    def slack(self, name: str, conditions: Conditions | None):
        """Absolute difference that rates off by rounding make on top: 0 or (worlds, n)."""
        if conditions is None or name in self.given:
            return 0.0
        c, h = conditions, self.estimator.h
        if stage_of(name, self.mode) in BEFORE_SOLVE:
            size = c.size[:, None]
            if name == "bias_force":
                return self.row.stages * ((1 + c.reach) * c.inertia)[:, None] * size**2
            if name in ("tendon_length", "branch_length"):
                return (self.row.stages * c.reach)[:, None]
            if name == "tendon_kinetic_energy":
                reach = 1 + c.jacobian.sum(2)
                return self.tolerance("tendon_jacobian", c) * c.armature * reach * size**2
            if name == "tendon_jacobian":
                return c.arms[:, :, None]
            is_rate = name in ("tendon_velocity", "tendon_curvature")
            if not is_rate:
                return 0.0
            return self.tolerance("tendon_jacobian", c) * size**2 + c.slide * size
        rate, torque, solved, soft, load = c.errors(self.tolerance("qvel", c), self.row.stages)
        if name == "qvel":
            return rate
        if name == "qpos":
            return h * rate.max(1, initial=0)
        if name in ("tendon_solved_velocity", "tendon_length_end"):
            return solved if name == "tendon_solved_velocity" else h * solved
        # J has moved with the pose, which is off as well
        ended = solved + (h * c.size * c.reach * rate.max(1, initial=0))[:, None]
        if name == "tendon_velocity":
            return ended
        if name == "tendon_length":
            return h * ended
        if name == "branch_length":
            return h * ended.max(1, initial=0)
        if name in ("tendon_force", "tendon_tension"):
            return load
        if name == "branch_tension":
            return np.repeat(load, self.scales.branches, axis=1)
        if name.startswith("tendon_") and name.endswith("_force"):
            return soft
        return torque if name.startswith("joint_") else 0.0


def _checked(given, names: list[str]) -> dict[str, float]:
    if not isinstance(given, Mapping):
        raise ConfigError(
            f"compare: tolerance: {given!r} is not 'ladder' or {{array: number >= 0}}"
        )
    for name, value in given.items():
        if not isinstance(value, int | float) or not value >= 0:
            raise ConfigError(f"compare: tolerance: {name}: {value!r} is not a number >= 0")
        if not any(fnmatchcase(known, name) for known in names):
            raise unknown("compare: tolerance", name, names)
    return {n: float(v) for n in names for pattern, v in given.items() if fnmatchcase(n, pattern)}
