"""The three ways to run two sides against each other."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from flexor.comparison.fields import BEFORE_SOLVE, every_bit, stage_of
from flexor.comparison.ladder import Ladder
from flexor.comparison.measure import differs, ulp_distance
from flexor.comparison.side import Side, round_state
from flexor.comparison.tally import Tally, component_name, lift

#: why world-steps are not compared
LEFT_OUT = (
    "run away",
    "ambiguous route",
    "unsolved by both",
    "unsolved by a alone",
    "unsolved by b alone",
)


def shared_real(a: Side, b: Side) -> np.dtype:
    """The type whose numbers both sides can hold."""
    return min(a.real, b.real, key=lambda real: real.itemsize)


def hand_over(a: Side, b: Side) -> None:
    """b takes a's state; a is rounded too where b holds fewer digits, so that both start equal."""
    state = a.state()
    real = shared_real(a, b)
    if real != a.real:
        state = round_state(state, real)
        a.take(state)
    b.take(state)


def read(side: Side, names: list[str], mode: str) -> dict[str, np.ndarray]:
    """Advances a side by one step and reads arrays; in mode "stages" what stands before the solve is
    read at the start of the step."""
    if mode != "stages":
        side.step()
        return {name: side.read(name) for name in names}
    side.forward()
    early = [
        name for name in names if stage_of(name, mode) in BEFORE_SOLVE and name != "activation"
    ]
    values = {name: side.read(name) for name in early}
    side.step(refresh=False)
    return {name: values[name] if name in values else side.read(name) for name in names}


def first_difference(step: int, a: dict, b: dict, side: Side, mode: str) -> dict | None:
    """The first unequal bits in the order of stages, arrays, worlds, components."""
    for name, left in a.items():
        apart = differs(left, b[name])
        if not apart.any():
            continue
        at = np.unravel_index(np.argmax(apart), apart.shape)
        one = left[at].reshape(1), b[name][at].reshape(1)
        is_real = left.dtype.kind == "f"
        return {
            "step": step,
            "stage": stage_of(name, mode),
            "field": name,
            "world": int(at[0]),
            "component": component_name(side.names(name), at[1:]),
            "a": one[0].item(),
            "b": one[1].item(),
            "ulp": float(ulp_distance(*one)[0]) if is_real else abs(one[0].item() - one[1].item()),
        }
    return None


class Run:
    """Two sides on their way through the steps of a comparison."""

    def __init__(self, a: Side, b: Side, mode: str, names: list[str], ladder: Ladder):
        self.a, self.b, self.mode, self.names, self.ladder = a, b, mode, names, ladder
        self.tallies = {
            n: Tally(n, stage_of(n, mode), a.names(n), ladder.median_ulp(n)) for n in names
        }
        self.estimator = ladder.estimator
        self.left_out = dict.fromkeys(LEFT_OUT, 0)
        self.judged, self.tension_slack = 0, 0.0
        self.condition = 1.0

    def strict(self, commands: Iterator[dict]) -> dict | None:
        """Runs until bits differ; the first difference, or None."""
        names = [n for n in every_bit(self.mode) if self.a.precision == "float32" or n != "qpos_compensation"]  # fmt: skip
        for step, values in enumerate(commands):
            self._command(values)
            if self.mode != "free":
                hand_over(self.a, self.b)
            found = [read(side, names, self.mode) for side in (self.a, self.b)]
            difference = first_difference(step, *found, self.a, self.mode)
            if difference is not None:
                return difference
        return None

    def advance(self, commands: Iterator[dict], observe=None) -> None:
        """All steps; observe(step) is called before a step and gives a function to call after it.
        A free run is judged at its first step, and further on only where bits must be equal."""
        for step, values in enumerate(commands):
            self._command(values)
            is_equal = self.mode != "free" or step == 0
            is_judged = is_equal or self.ladder.rung == "identical"
            if is_equal:
                hand_over(self.a, self.b)
            if self.estimator is not None and is_judged:
                self.a.forward()
                self.estimator.start()
            after = observe(step) if observe is not None else None
            found = [read(side, self.names, self.mode) for side in (self.a, self.b)]
            if after is not None:
                after()
            self._judge(step, *found, is_judged)
            self.judged += self.a.num_worlds if is_judged else 0

    def _command(self, values: dict) -> None:
        real = shared_real(self.a, self.b)
        for name, command in values.items():
            command = command.astype(real) if command.dtype.kind == "f" else command
            for side in (self.a, self.b):
                side.write(name, command)

    def _solved(self, kept: np.ndarray) -> np.ndarray:
        """Worlds whose rows were met on both sides; counts the others among those kept."""
        a, b = (side.read("solver_status") == 0 for side in (self.a, self.b))
        self.left_out["unsolved by both"] += int(np.count_nonzero(kept & ~a & ~b))
        self.left_out["unsolved by a alone"] += int(np.count_nonzero(kept & ~a & b))
        self.left_out["unsolved by b alone"] += int(np.count_nonzero(kept & a & ~b))
        return a & b

    def _judge(self, step: int, a: dict, b: dict, is_judged: bool) -> None:
        conditions, kept, solved = None, True, True
        if self.estimator is not None and is_judged:
            conditions = self.estimator.conditions(self.b)
            kept = ~(conditions.runs_away | conditions.ambiguous)
            self.condition = max(self.condition, float(conditions.mass[kept].max(initial=1)))
            self.left_out["run away"] += int(np.count_nonzero(conditions.runs_away))
            self.left_out["ambiguous route"] += int(np.count_nonzero(~kept & ~conditions.runs_away))
            solved = self._solved(kept)
        for name, tally in self.tallies.items():
            counts = lift(self.ladder.counts(name, conditions), a[name]) & lift(kept, a[name])
            if tally.stage not in BEFORE_SOLVE:
                counts = counts & lift(solved, a[name])
            tolerance = self.ladder.tolerance(name, conditions) if is_judged else None
            slack = self.ladder.slack(name, conditions)
            if name == "tendon_tension" and np.ndim(slack) > 0:
                self.tension_slack = np.median(slack, axis=0)
            scale = self.ladder.scales(name, a[name])
            tally.add(step, a[name], b[name], scale, tolerance, slack, counts)
