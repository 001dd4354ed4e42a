#!/usr/bin/env python3
"""How fast and how truly the solvers solve: iterations, time and velocity error against the reference
path's "exact", on the package's models in easy and hard states.

States, reached by steps of random commands (new ones at every step):

  slack       no commands
  loaded      drives anywhere within their bounds
  held        as loaded, but the commands stand still for 10 steps
  stiff       tendon springs of 1e5 N/m, drives with a position gain of 1e4 N/m
  locked      the first tendon locked at its length, drives loaded
  crowded     every tendon locked at its length, drives loaded: more hard rows than motions
  infeasible  every tendon locked 2 % shorter than it is, opponents too: hard rows that contradict each
              other where no motion shortens all of them
  unlimited   as loaded, without joint limits
  fifth       pulls that hold about a fifth of the joints at their limits
  narrow      as loaded, joint ranges of a tenth
  tight       joint ranges of a hundredth under commands that never change: nearly all joints are pressed
              against their limits

All solvers judge the same steps: each is put into the state of the first one's batch. "gauss_seidel_blocks"
is the reference path's, in float64, and has no time of its own. Error: largest |v - v_exact| over velocity
coordinates, divided by max(1, |v_exact|), in the worlds in which "exact" itself converged (the others are
counted in exact_unsolved).

Usage: solver_convergence.py [--models ...] [--states ...] [--worlds 128] [--csv FILE]
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field

import flexor
import numpy as np
from common import FIFTH, MODELS, PRECISIONS, draw_commands, make_parser, result_file, write_rows

STATES = (
    "slack", "loaded", "held", "stiff", "locked", "crowded", "infeasible", "unlimited", "fifth",
    "narrow", "tight",
)  # fmt: skip
#: joint ranges next to the model's, about the initial configuration
RANGE = {"unlimited": np.inf, "narrow": 0.1, "tight": 0.01}
#: steps that the commands stand still
HOLD = {"held": 10, "tight": 10**9}
#: kept by one precision or by request only
LEFT_OUT = ("qpos_compensation", "body_wrench", "valid_body_wrench")
OUTPUTS = ("solver_iterations", "solver_status", "solver_residual", "joint_limit_torque")
INCONSISTENT = 2  # of solver_status


@dataclass
class Side:
    """One solver, with what was found."""

    sim: flexor.Simulation
    iterations: list = field(default_factory=list)
    status: list = field(default_factory=list)
    error: list = field(default_factory=list)
    us: list = field(default_factory=list)

    def step(self) -> None:
        """One step, its solve timed where the backend can, as the least of three goes."""
        if self.sim.device == "reference":
            self.sim.step(1)
        else:
            start, times = self.sim.get_state(), []
            for _ in range(3):
                self.sim.set_state(start)
                times.append(sum(t for stage, t in self.sim.profile(1) if stage == "solve"))
            self.us.append(1e6 * min(times) / self.sim.num_worlds)
        self.iterations.append(self.sim.solver_iterations.numpy().copy())
        self.status.append(self.sim.solver_status.numpy().copy())

    def compare(self, exact: flexor.Simulation) -> None:
        """Errors of the step that both have made."""
        solved = exact.solver_status.numpy() == 0
        v, true = self.sim.qvel.numpy()[solved].astype(float), exact.qvel.numpy()[solved]
        self.error.append(np.abs(v - true).max(1) / np.maximum(1, np.abs(true).max(1)))

    def row(self) -> dict:
        iterations, status = np.concatenate(self.iterations), np.concatenate(self.status)
        error = np.concatenate(self.error)
        return {
            "solver": self.sim.options["solver"],
            "warm_start": self.sim.options["warm_start"],
            "precision": self.sim.precision,
            "backend": self.sim.options["backend"],
            "worlds": self.sim.num_worlds,
            "mean_iterations": round(float(iterations.mean()), 3),
            "most_iterations": int(iterations.max()),
            "solve_us": round(float(np.median(self.us)), 4) if self.us else "",
            "converged_share": round(float(np.mean(status == 0)), 6),
            "inconsistent_share": round(float(np.mean(status == INCONSISTENT)), 6),
            "median_error": float(f"{np.median(error):.2e}") if error.size else "",
            "worst_error": float(f"{error.max():.2e}") if error.size else "",
        }


def prepare(sim: flexor.Simulation, state: str, qpos: np.ndarray, lengths: np.ndarray) -> None:
    """Parameters and standing commands of a state. qpos (nq,), lengths (tendons,) [m]: at the start."""
    for i, tendon in enumerate(sim.model.tendons):
        name = f"tendon/{tendon.name}"
        if state == "stiff":
            sim.set_parameter(f"{name}/stiffness", 1e5)
        if state in ("crowded", "infeasible") or (state == "locked" and i == 0):
            length = lengths[i] * (0.98 if state == "infeasible" else 1.0)
            sim.set_parameter(f"{name}/limit_margin", 0.0)
            sim.set_parameter(f"{name}/lower_limit", -np.inf)
            sim.set_parameter(f"{name}/upper_limit", length)
            sim.set_parameter(f"{name}/lower_limit", length)
    if state == "stiff":
        sim.drive_position_gain.set(1e4)
        sim.drive_target_length.set(lengths)
    if state in RANGE:
        for joint, q in zip(sim.model.joints, qpos, strict=True):  # one coordinate each
            half = RANGE[state] * (joint.upper - joint.lower) / 2
            sim.set_parameter(f"joint/{joint.name}/upper", np.inf)
            sim.set_parameter(f"joint/{joint.name}/lower", q - half)
            sim.set_parameter(f"joint/{joint.name}/upper", q + half)


def copy_state(source: flexor.Simulation, target: flexor.Simulation) -> None:
    """State and commands of one batch into another of any device and precision."""
    for name, info in flexor.FIELDS.items():
        if info.group in ("state", "command") and name not in LEFT_OUT:
            getattr(target, name).numpy()[...] = getattr(source, name).numpy()


def make_sides(model, precision: str, worlds: int) -> list[Side]:
    """The first one leads."""
    batch = {"precision": precision, "num_threads": 1, "outputs": OUTPUTS}
    reference = {"device": "reference", "outputs": OUTPUTS}
    options = [
        {"solver": "active_set", "warm_start": True, **batch},
        {"solver": "active_set", "warm_start": False, **batch},
        {"solver": "jacobi", "warm_start": True, **batch},
    ]
    if precision == "float64":
        options.append({"solver": "gauss_seidel_blocks", **reference})
    return [Side(flexor.Simulation(model, worlds, **chosen)) for chosen in options]


def measure(name: str, state: str, precision: str, arguments) -> list[dict]:
    """One row for each solver."""
    model, worlds = flexor.models.load(name), arguments.worlds
    with flexor.Simulation(model, 1, precision="float64") as start:
        start.forward()
        qpos, lengths = (a.numpy()[0].copy() for a in (start.qpos, start.tendon_length))
    sides = make_sides(model, precision, worlds)
    exact = flexor.Simulation(
        model, worlds, device="reference", solver="exact", outputs=("solver_status",)
    )
    leader = sides[0].sim
    for sim in (*(side.sim for side in sides), exact):
        prepare(sim, state, qpos, lengths)
    pull = 0.0 if state == "slack" else FIFTH[name] if state == "fifth" else np.inf
    commands = draw_commands(model, worlds, pull, count=arguments.settle + arguments.judged)
    unsolved, limits = 0, []
    for step, forces in enumerate(commands):
        if step % HOLD.get(state, 1) == 0:
            leader.drive_force.set(forces)
        if step < arguments.settle:
            leader.step(1)
            continue
        for sim in (*(side.sim for side in sides[1:]), exact):
            copy_state(leader, sim)
        exact.step(1)
        unsolved += int(np.count_nonzero(exact.solver_status.numpy()))
        for side in sides:
            side.step()
            side.compare(exact)
        limits.append(np.mean(leader.joint_limit_torque.numpy() != 0))
    common = {"model": name, "state": state}
    counts = {"joints_at_limits": round(float(np.mean(limits)), 3), "exact_unsolved": unsolved}
    return [common | side.row() | counts for side in sides]


def main(argv: list[str] | None = None) -> int:
    parser = make_parser(__doc__, worlds=128)
    parser.add_argument("--models", nargs="+", default=MODELS, choices=MODELS)
    parser.add_argument("--states", nargs="+", default=STATES, choices=STATES)
    parser.add_argument("--precisions", nargs="+", default=PRECISIONS, choices=PRECISIONS)
    parser.add_argument("--settle", type=int, default=300, help="steps before any is judged")
    parser.add_argument("--judged", type=int, default=20)
    arguments = parser.parse_args(argv)
    rows = []
    for name in arguments.models:
        for state in arguments.states:
            for precision in arguments.precisions:
                found = measure(name, state, precision, arguments)
                for row in found:
                    print(
                        f"{name:18} {state:10} {precision} {row['solver']:19} "
                        f"warm={row['warm_start']:d} iterations {row['mean_iterations']:6.2f} "
                        f"(most {row['most_iterations']:4d}) {row['solve_us'] or '-':>8} us  converged "
                        f"{row['converged_share']:.5f}  error {row['median_error']} (worst "
                        f"{row['worst_error']})  limits {100 * row['joints_at_limits']:.0f} %",
                        flush=True,
                    )
                rows += found
    write_rows(arguments.csv or result_file("solver_convergence", rows[0]["backend"]), rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
