"""What is compared: arrays by the stage that computes them, and the scale of each."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexor.fields import FIELDS
from flexor.model import Model

#: arrays that calls compute, not fields: name -> (stage, unit)
MATRICES = {"mass_matrix": ("inertia_and_bias", "kg m^2"), "bias_force": ("inertia_and_bias", "N m, N")}  # fmt: skip

#: names of the stages in the order of a step (`Simulation.profile`), before and after the solve
BEFORE_SOLVE = ("kinematics", "inertia_and_bias", "route", "activate")
STAGES = (*BEFORE_SOLVE, "solve", "report", "integrate", "store_geometry")

_GEOMETRY = {
    "body_position": "kinematics",
    "body_quaternion": "kinematics",
    "body_velocity": "kinematics",
    "site_position": "kinematics",
}
_STEP = {"tendon_solved_velocity": "solve", "tendon_length_end": "solve"}
_STATE = {"activation": "activate", "row_impulse": "report"}

#: geometry that follows a trajectory
_SHOWN = ("tendon_length", "tendon_velocity", "branch_length")
#: rows whose force is unique only where they are soft -> the parameter that says so
ROW_COMPLIANCE = {
    "tendon_friction_force": ("tendon", "friction_compliance"),
    "tendon_limit_force": ("tendon", "limit_compliance"),
    "tendon_lower_force": ("tendon", "limit_compliance"),
    "tendon_upper_force": ("tendon", "limit_compliance"),
    "joint_friction_torque": ("joint", "friction_compliance"),
    "joint_limit_torque": ("joint", "limit_compliance"),
}
#: totals over rows: unique where no hard rows share a load
TOTALS = ("tendon_force", "tendon_tension", "branch_tension")


def stage_of(name: str, mode: str) -> str:
    """The stage that wrote an array; read-outs of geometry come from the refresh pass unless
    the mode is "stages", which reads them at the start of the step."""
    if name in MATRICES:
        return MATRICES[name][0]
    group = FIELDS[name][2]
    if group == "geometry":
        return _GEOMETRY.get(name, "route") if mode == "stages" else "store_geometry"
    return _STEP.get(name, "report") if group == "step" else _STATE.get(name, "integrate")


def compared(mode: str) -> list[str]:
    """Names of the arrays that a mode compares, in the order of a step."""
    whole = [name for name, row in FIELDS.items() if row[2] == "geometry" and _is_real(name)]
    geometry = whole if mode == "stages" else list(_SHOWN)
    step = [n for n, row in FIELDS.items() if row[2] == "step" and _is_real(n)]
    step.remove("solver_residual")
    names = [*(MATRICES if mode == "stages" else ()), *geometry, "activation", *step, "qvel", "qpos"]  # fmt: skip
    return sorted(names, key=lambda name: STAGES.index(stage_of(name, mode)))


def every_bit(mode: str) -> list[str]:
    """All arrays, states and read-outs, for `strict`."""
    names = [*(MATRICES if mode == "stages" else ()), *(n for n, r in FIELDS.items() if r[2] != "command")]  # fmt: skip
    return sorted(names, key=lambda name: STAGES.index(stage_of(name, mode)))


def _is_real(name: str) -> bool:
    return name not in ("tendon_route_status", "solver_iterations", "solver_status")


def unit_of(name: str) -> str:
    return MATRICES[name][1] if name in MATRICES else FIELDS[name][5]


class Scales(NamedTuple):
    """Sizes below which a difference counts as absolute.   [CM-1]

    length: (tendons,) reference lengths, 1 for a tendon without one; force [N]: the largest bound
    of a drive or joint, 10 without bounds, at least 1; extent [m]: the longest tendon, or 1;
    branches: (tendons,) how many a tendon has; energy [J]: of a spring drawn to twice its
    length, at least 1.
    """

    length: np.ndarray
    force: float
    extent: float
    branches: np.ndarray
    energy: np.ndarray

    @classmethod
    def of(cls, model: Model) -> Scales:
        count = model.tendon_count
        length = np.abs([model.reference_length(t) for t in range(count)]).reshape(count)
        is_spatial = np.array([t.type.name == "spatial" for t in model.tendons], bool)
        length = np.where(is_spatial & (length > 0), length, 1.0)
        bounds = np.abs(
            [
                *((t.actuation_lower, t.actuation_upper) for t in model.tendons),
                *((j.effort_lower, j.effort_upper) for j in model.joints),
            ]
        ).reshape(-1)
        bounds = bounds[np.isfinite(bounds) & (bounds > 0)]
        stiffness = np.array([t.stiffness for t in model.tendons], np.float64)
        branches = [1 + sum(e.type.name == "pulley" for e in t.path) for t in model.tendons]
        return cls(
            length=length,
            force=max(1.0, float(bounds.max(initial=0)) or 10.0),
            extent=float(length[is_spatial].max(initial=0)) or 1.0,
            branches=np.array(branches, int),
            energy=np.maximum(1, 0.5 * stiffness * length**2),
        )

    def __call__(self, name: str, a: np.ndarray):
        """Scale that broadcasts to the array `a` of one field."""
        if name == "mass_matrix":
            return np.abs(np.diagonal(a, axis1=1, axis2=2)).max(1, initial=0)[:, None, None]
        if name == "body_velocity":
            return np.maximum(1, np.abs(a).max((1, 2), initial=0))[:, None, None]
        if name == "bias_force":
            worlds = np.nan_to_num(np.abs(a)).max(1, initial=np.finfo(float).tiny)
            return np.maximum(worlds, np.median(worlds))[:, None]
        if name == "tendon_potential_energy":
            return self.energy
        if name.endswith(("_force", "_tension", "_torque", "activation")):
            return self.force
        if name in ("tendon_length", "tendon_length_end"):
            return self.length
        if name == "branch_length":
            return np.repeat(self.length, self.branches)
        if name == "tendon_jacobian":
            return self.length[:, None]
        return self.extent if name in ("body_position", "site_position") else 1.0
