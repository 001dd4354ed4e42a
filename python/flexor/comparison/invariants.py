"""What a free run is judged by once trajectories part: balances that each side keeps by itself, and
means that both must agree on."""

from __future__ import annotations

import numpy as np

from flexor.comparison.side import Side
from flexor.status import Status

_JOINT_TORQUES = ("command", "damping", "spring", "friction", "limit")
#: standard errors that the means of two sides may differ by
_SIGMAS = 4.0


class Balance:
    """Balances of momentum and energy of one side: in each step the reported forces
    must explain the change of velocity at the M, c and J of its start,

        r = M (v_+ - v_n) + h (c - joint torques - J^T f) = 0,

    and their works at the mean velocity the change of v^T M v / 2.
    """

    def __init__(self, side: Side):
        self.side, self.h = side, side.model.timestep
        worlds = side.num_worlds
        self.momentum = np.zeros(worlds)
        self.energy, self.work, self.initial = np.zeros(worlds), np.zeros(worlds), None

    def start(self) -> None:
        read = self.side.read
        self.side.forward()
        self._mass, self._bias = read("mass_matrix"), read("bias_force")
        self._velocity = read("qvel").astype(np.float64)
        self._jacobian = read("tendon_jacobian").astype(np.float64)
        if self.initial is None:
            self.initial = self._kinetic(self._velocity)

    def _kinetic(self, v: np.ndarray) -> np.ndarray:
        return 0.5 * np.einsum("wi,wij,wj->w", v, self._mass, v)

    def end(self) -> None:
        read = self.side.read
        v = read("qvel").astype(np.float64)
        mean = 0.5 * (v + self._velocity)
        torque = sum(read(f"joint_{kind}_torque").astype(np.float64) for kind in _JOINT_TORQUES)
        pull = self._jacobian * read("tendon_force").astype(np.float64)[:, :, None]
        change = np.einsum("wij,wj->wi", self._mass, v - self._velocity)
        parts = [change, self.h * self._bias, self.h * torque, self.h * pull.sum(1)]
        residual = parts[0] + parts[1] - parts[2] - parts[3]
        carried = np.einsum("wij,wj->wi", self._mass, np.abs(v) + np.abs(self._velocity))
        size = [np.abs(x).max(1, initial=0) for x in (carried, *parts)]
        ok = read("solver_status") == 0
        ok &= np.isfinite(residual).all(1)
        with np.errstate(invalid="ignore"):
            share = np.abs(residual).max(1, initial=0) / np.maximum(sum(size), np.finfo(float).tiny)
            works = [np.abs(np.einsum("wi,wi->w", mean, x)) for x in parts]
            gained = np.einsum("wi,wi->w", mean, residual)
        self.momentum = np.maximum(self.momentum, np.where(ok, share, 0))
        self.energy += np.where(ok, gained, 0)
        self.work += np.where(ok, sum(works), 0)

    def errors(self) -> dict[str, float]:
        """Largest over worlds: momentum relative to what it is summed of, energy relative to work
        and initial energy."""
        scale = np.maximum(self.work + self.initial, np.finfo(float).tiny)
        return {
            "momentum balance": float(self.momentum.max()),
            "energy balance": float((np.abs(self.energy) / scale).max()),
        }


class Means:
    """Means over the steps of one side, per world: tension, length of tendons beyond their bounds,
    share of steps with a status bit of failure."""

    def __init__(self, side: Side):
        self.side, self.steps = side, 0
        worlds, tendons = side.num_worlds, side.model.tendon_count
        self.tension = np.zeros((worlds, tendons))
        self.beyond = np.zeros((worlds, tendons))
        self.failed = np.zeros(worlds)
        names = side.model.names("tendon")
        self.lower, self.upper = (
            np.reshape([side.parameter(f"tendon/{name}/{bound}_limit") for name in names],
                       (tendons, worlds)).T
            for bound in ("lower", "upper")
        )  # fmt: skip

    def end(self) -> None:
        length = self.side.read("tendon_length").astype(np.float64)
        self.tension += self.side.read("tendon_tension")
        self.beyond += np.maximum(0, np.maximum(self.lower - length, length - self.upper))
        flags = int(Status.NONFINITE_STATE | Status.SINGULAR_MASS | Status.NOT_CONVERGED)
        self.failed += (self.side.read("status") & flags) != 0
        self.steps += 1

    def values(self) -> tuple[dict[str, np.ndarray], np.ndarray]:
        """name -> (worlds, tendons), and the share of failed steps (worlds,)."""
        n = max(1, self.steps)
        return {
            "mean tension": self.tension / n,
            "beyond length limits": self.beyond / n,
        }, self.failed / n


def _agree(a: np.ndarray, b: np.ndarray, scale, floor: float) -> tuple[float, float]:
    """(largest difference of means over worlds, its bound), both relative to the scale. Worlds are
    paired, so the bound is the scatter of their differences."""
    difference = (a - b) / scale
    mean = np.abs(difference.mean(0))
    scatter = difference.std(0) / np.sqrt(len(difference))
    bound = np.maximum(np.maximum(floor, np.finfo(float).tiny), _SIGMAS * scatter)
    at = int(np.argmax(mean / bound))
    return float(mean[at]), float(bound[at])


class Observer:
    """Follows both sides of a free run."""

    def __init__(self, a: Side, b: Side):
        self.balances = {"a": Balance(a), "b": Balance(b)}
        self.means = {"a": Means(a), "b": Means(b)}

    def __call__(self, step: int):
        for balance in self.balances.values():
            balance.start()
        return self._end

    def _end(self) -> None:
        for follower in (*self.balances.values(), *self.means.values()):
            follower.end()

    def rows(self, scales, tolerances: dict[str, float], floor: float, slack) -> list[dict]:
        """For the report: name, side, value, tolerance, ok. floor: difference of means that one step
        may make; slack [N]: what it may make of tensions on top."""
        rows = []
        for side, balance in self.balances.items():
            for name, value in balance.errors().items():
                rows.append(
                    {"name": name, "side": side, "value": value, "tolerance": tolerances[side]}
                )
        (a, failed_a), (b, failed_b) = (follower.values() for follower in self.means.values())
        sound = (failed_a == 0) & (failed_b == 0)
        given = {
            "mean tension": (scales.force, floor + slack / scales.force),
            "beyond length limits": (scales.length, floor),
        }
        if sound.any() and scales.length.size:
            for name, (scale, least) in given.items():
                value, bound = _agree(a[name][sound], b[name][sound], scale, least)
                rows.append({"name": name, "side": "a, b", "value": value, "tolerance": bound})
        more = np.maximum(0, failed_b - failed_a)[:, None]  # a may fail more often than b
        value, bound = _agree(np.zeros_like(more), more, 1.0, floor)
        rows.append({"name": "failed steps", "side": "b", "value": value, "tolerance": bound})
        for row in rows:
            row["ok"] = bool(row["value"] <= row["tolerance"])
        return rows
