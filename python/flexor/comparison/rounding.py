"""How a step magnifies what is rounded in it, estimated from one side's arrays and parameters.

M^ is M with everything that is folded into it [P-51]. Rows that hold hard (limits, locks and stuck
friction without compliance) have the target gap/h: rounding of a length comes back over h, and a
solver stops at the residual it reports; both come back as rates M^^-1 R^T A^-1 d and as loads
A^-1 d / h with A = R M^^-1 R^T. The direction of a short leg is off by the rounding of its ends over
its length, and so are moment arms, rates, and what a load T makes of them: h M^^-1 dJ^T T. Loads that cancel one another leave what is rounded
in each: h eps |M^^-1| |J|^T |T|.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexor.comparison.legs import Legs
from flexor.comparison.side import Side

#: responses of hard rows below this share of the largest are no responses
_RANK = 1e-9
#: bit of tendon_route_status
_SIDE_AMBIGUOUS = 1 << 3
#: way of a coordinate that runs away, in one step [rad, m]; thirty times that in all
_FAR = 10.0
#: rate of a stuck row [m/s, rad/s]
_STILL = 1e-4
#: moment arms that are off by more than so many roundings move what is solved with them
_SHARP = 100
#: residuals that count, relative to the largest rate: float32, float64
_RESIDUAL = (1e-5, 1e-8)


class Conditions(NamedTuple):
    """Of one step, for each world.

    mass: cond(M^). loads: cond(A) with unit diagonal, 1 without hard rows. rate (worlds, nv): rate
    that the rounding of hard targets makes. size: largest rate, at least 1. jacobian, tendon_gain,
    stiffness, joint_gain: |J|, force of a tendon for a unit of rate and of length, torque of a
    joint for a unit of rate. stops: torque that rounding makes of soft joint limits. held: which rows
    of tendons and coordinates a hard row holds in some world; hard (worlds, held tendons, held),
    target (worlds, held): force of a tendon for a unit of each row's rate error, and that error as
    rounding makes it. arms, slide, slide_end (worlds, tendons): what the rounding of short legs makes
    of moment arms, of rates at the start and at the end. inertia: largest entry of M. reach: largest coordinate of a
    body plus the longest tendon [m]. runs_away: a coordinate goes farther in one step than any
    robot, or has come there. ambiguous: a route is at a tie in its choice of side, where rounding
    decides.
    """

    mass: np.ndarray
    loads: np.ndarray
    rate: np.ndarray
    size: np.ndarray
    jacobian: np.ndarray
    tendon_gain: np.ndarray
    stiffness: np.ndarray
    joint_gain: np.ndarray
    stops: np.ndarray
    armature: np.ndarray
    held: np.ndarray
    hard: np.ndarray
    target: np.ndarray
    arms: np.ndarray
    slide: np.ndarray
    slide_end: np.ndarray
    inertia: np.ndarray
    reach: np.ndarray
    runs_away: np.ndarray
    ambiguous: np.ndarray

    def determined(self, eps: float) -> np.ndarray:
        """Worlds in which rounding leaves the loads of hard rows determined."""
        return self.loads < min(1 / _RANK, 0.01 / eps)

    def errors(self, solve, geometry: float):
        """What may be off when the solve is good to `solve` (worlds,) and geometry to `geometry`:
        rates and torques of coordinates, rates, soft forces and loads of tendons."""
        rate = self.rate + (solve * self.size)[:, None]
        length = geometry * (1 + self.reach)[:, None]
        solved = np.einsum("wti,wi->wt", self.jacobian, rate) + length * self.size[:, None]
        solved += self.slide_end
        soft = self.tendon_gain * solved + self.stiffness * length
        rows = self.target + np.concatenate([solved, rate], axis=1)[:, self.held]
        load = soft.copy()
        load[:, self.held[: self.hard.shape[1]]] += np.einsum("wtr,wr->wt", self.hard, rows)
        return rate, self.joint_gain * rate + self.stops, solved, soft, load


class Estimator:
    """Conditions of the steps of one side.

    eps: spacing of the coarser side's numbers at 1.
    """

    def __init__(self, side: Side, eps: float):
        self.side, self.model, self.h, self.eps = side, side.model, side.model.timestep, eps
        self._known = {info.name for info in self.model.parameters()}
        self.tendon = {k: self._parameters("tendon", k) for k in
                       ("stiffness", "damping", "armature", "limit_compliance",
                        "friction_compliance", "friction_loss")}  # fmt: skip
        self._legs = Legs(side)
        dof_joint = np.zeros(self.model.nv, int)
        for j in range(self.model.joint_count):
            dof_joint[self.model.qvel_slice(j)] = j
        self.joint = {k: self._parameters("joint", k)[:, dof_joint] for k in
                      ("stiffness", "damping", "position_gain", "velocity_gain",
                       "limit_compliance", "friction_compliance", "friction")}  # fmt: skip

    def _parameters(self, kind: str, key: str) -> np.ndarray:
        """(worlds, elements); 0 where an element has no such parameter."""
        values = np.zeros((self.side.num_worlds, len(self.model.names(kind))))
        for i, name in enumerate(self.model.names(kind)):
            if f"{kind}/{name}/{key}" in self._known:
                values[:, i] = self.side.parameter(f"{kind}/{name}/{key}").reshape(-1)
        return values

    def start(self) -> None:
        """Reads what belongs to the start of a step."""
        read, t, j, h = self.side.read, self.tendon, self.joint, self.h
        J = self._jacobian = np.nan_to_num(read("tendon_jacobian").astype(np.float64))
        self._stiffness = t["stiffness"] + read("drive_position_gain")
        rate_gain = t["damping"] + h * self._stiffness + read("drive_velocity_gain")
        self._weight = h * rate_gain + t["armature"]
        self._own = h * (j["damping"] + j["velocity_gain"] + h * (j["stiffness"] + j["position_gain"]))  # fmt: skip
        folded = np.einsum("wti,wt,wtj->wij", J, self._weight, J)
        mass = read("mass_matrix")
        self._inertia = np.abs(mass).max((1, 2), initial=0)
        mass = mass + folded + self._own[:, :, None] * np.eye(self.model.nv)
        sound = np.isfinite(mass).all((1, 2))
        self._mass = np.where(sound[:, None, None], mass, np.eye(self.model.nv))
        tendons = np.abs(read("tendon_length"))
        self._turned = np.abs(read("qpos")).max(1, initial=0)
        angles = self._turned[:, None] + np.zeros(self.model.nv)
        self._target = self.eps / h * np.concatenate([tendons + angles[:, :1], angles], axis=1)
        self._ambiguous = _is_ambiguous(self.side)
        rates = np.abs(read("qvel"))
        self._velocity = rates.max(1, initial=0)
        bodies = np.abs(read("body_position")).max((1, 2), initial=0)
        self._reach = bodies + tendons.max(1, initial=0)
        sites = np.abs(read("site_position")).max((1, 2), initial=0)
        far = np.maximum(bodies, sites)
        off = self.eps * far * np.maximum(1, far)
        self._arms = np.minimum(off[:, None] / self._legs.shortest(), 1)
        self._slide = self._arms * self._moving(rates)

    def _moving(self, rates: np.ndarray) -> np.ndarray:
        """Sum of the rates |qvel| that move each tendon: (worlds, tendons)."""
        return np.einsum("wti,wi->wt", self._jacobian != 0, rates)

    def conditions(self, other: Side) -> Conditions:
        """Of the step since `start`, which the other side has taken too."""
        h, read = self.h, self.side.read
        rates = np.abs(read("qvel"))
        size = np.maximum(1, np.maximum(self._velocity, rates.max(1, initial=0)))
        left = np.nan_to_num(read("solver_residual") + other.read("solver_residual"))
        target = self._target + np.minimum(left, _RESIDUAL[self.eps < 1e-8] * size)[:, None]
        limits = _stiff(read("tendon_limit_force"), self.tendon["limit_compliance"])
        stops = _stiff(read("joint_limit_torque"), self.joint["limit_compliance"])
        held, tendons, answer, loads, inverse = self._hard_rows(other)
        target = target[:, held]
        return Conditions(
            mass=_condition(self._mass),
            loads=loads,
            rate=np.einsum("wir,wr->wi", np.abs(answer @ inverse), target)
            + self._swung()
            + self._loaded(),
            size=size,
            jacobian=np.abs(self._jacobian),
            tendon_gain=self._weight / h + h * limits,
            stiffness=self._stiffness + limits,
            joint_gain=self._own / h + h * stops,
            stops=stops * h * self._target[:, self.model.tendon_count :],
            armature=self.tendon["armature"],
            held=held,
            hard=np.abs(inverse[:, :tendons]) / h,
            target=target,
            arms=self._arms,
            slide=self._slide,
            slide_end=self._arms * self._moving(rates),
            inertia=self._inertia,
            reach=self._reach,
            ambiguous=self._ambiguous | _is_ambiguous(self.side) | _is_ambiguous(other),
            runs_away=~((h * size < _FAR) & (self._turned < 30 * _FAR)),
        )

    def _swung(self) -> np.ndarray:
        """Rates (worlds, nv) that tendon forces make of moment arms off by `_arms`."""
        forces = np.nan_to_num(np.abs(self.side.read("tendon_force").astype(np.float64)))
        torque = np.einsum("wt,wti->wi", self._arms * forces, self._jacobian != 0)
        rate = np.zeros_like(torque)
        short = (self._arms > _SHARP * self.eps).any(1)  # elsewhere the ladder covers it
        inverse = np.abs(np.linalg.inv(self._mass[short]))
        rate[short] = self.h * np.einsum("wij,wj->wi", inverse, torque[short])
        return rate

    def _loaded(self) -> np.ndarray:
        """Rates (worlds, nv) that the rounding of loads makes, which may cancel one another."""
        forces = np.nan_to_num(np.abs(self.side.read("tendon_force").astype(np.float64)))
        stops = np.nan_to_num(np.abs(self.side.read("joint_limit_torque").astype(np.float64)))
        torque = np.einsum("wt,wti->wi", forces, np.abs(self._jacobian)) + stops
        inverse = np.abs(np.linalg.inv(self._mass))
        return self.h * self.eps * np.einsum("wij,wj->wi", inverse, torque)

    def _hard_rows(self, other: Side):
        """Indices of the rows that hold hard in some world, how many of them are tendons, M^^-1 R^T,
        cond(A) with unit diagonal and A^-1; rows that hold on neither side of a world are 0."""
        sides = zip(self._held(self.side), self._held(other), strict=True)
        holds = np.concatenate([x | y for x, y in sides], axis=1)
        held = np.flatnonzero(holds.any(0))
        tendons = int(np.count_nonzero(held < self.model.tendon_count))
        own = np.eye(self.model.nv)[held[tendons:] - self.model.tendon_count]
        own = np.broadcast_to(own, (len(holds), *own.shape))
        rows = np.concatenate([self._jacobian[:, held[:tendons]], own], axis=1)
        rows = rows * holds[:, held, None]
        answer = np.linalg.solve(self._mass, np.swapaxes(rows, 1, 2))
        response = rows @ answer
        diagonal = np.einsum("wii->wi", response)
        scale = np.where(diagonal > 0, 1 / np.sqrt(np.where(diagonal > 0, diagonal, 1)), 0)
        unit = scale[:, :, None] * response * scale[:, None, :]
        np.einsum("wii->wi", unit)[...] = 1
        inverse = np.linalg.pinv(unit, rcond=_RANK, hermitian=True)
        inverse = scale[:, :, None] * inverse * scale[:, None, :]
        return held, tendons, answer, _condition(unit), inverse

    def _held(self, side: Side) -> tuple[np.ndarray, np.ndarray]:
        """Tendons and coordinates that a hard row holds on a side."""
        read, t, j = side.read, self.tendon, self.joint
        held = (read("tendon_limit_force") != 0) & (t["limit_compliance"] == 0)
        stopped = (read("joint_limit_torque") != 0) & (j["limit_compliance"] == 0)
        held |= _sticks(
            read("tendon_friction_force"), t["friction_loss"], t["friction_compliance"],
            read("tendon_solved_velocity"),
        )  # fmt: skip
        stopped |= _sticks(
            read("joint_friction_torque"), j["friction"], j["friction_compliance"], read("qvel")
        )
        return held, stopped


def _condition(matrices: np.ndarray) -> np.ndarray:
    """Condition numbers of symmetric positive matrices (worlds, n, n); 1 without rows."""
    if matrices.shape[1] == 0:
        return np.ones(len(matrices))
    values = np.abs(np.linalg.eigvalsh(matrices))
    least = values.min(1)
    return np.where(least > 0, values.max(1) / np.where(least > 0, least, 1), np.inf)


def _sticks(force, bound, compliance, rate) -> np.ndarray:
    """Hard friction below its bound, or at it without motion."""
    is_still = (np.abs(force) < bound * (1 - 1e-6)) | (np.abs(rate) < _STILL)
    return (compliance == 0) & (bound > 0) & is_still


def _stiff(force: np.ndarray, compliance: np.ndarray) -> np.ndarray:
    """1 / compliance of the soft limits that act."""
    acts = (force != 0) & (compliance > 0)
    return np.where(acts, 1 / np.where(acts, compliance, 1), 0)


def _is_ambiguous(side: Side) -> np.ndarray:
    """Worlds with a tie in the choice of a side.   [R-42]"""
    return (side.read("tendon_route_status") & _SIDE_AMBIGUOUS != 0).any(1)
