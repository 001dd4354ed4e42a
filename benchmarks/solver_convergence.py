#!/usr/bin/env python3
"""How fast and how truly the batch's solvers solve: iterations, time and velocity error against the
reference path's "exact", on the package's models in hard and easy states.

States, reached by 100 steps of random commands (a new one every 10 steps):

  slack     no commands
  loaded    drives anywhere within their bounds
  held      as loaded, but the commands stand still from step to step
  stiff     tendon springs of 1e5 N/m, drives with a position gain of 1e4 N/m
  locked    the first tendon locked at its length, drives loaded
  crowded   every tendon locked near its length, drives loaded: more hard rows than motions

Error: largest |v - v_exact| over velocity coordinates, divided by max(1, |v_exact|), of one step from
the same state, worlds in which "exact" itself did not converge left out (counted).

Usage: solver_convergence.py [--models ...] [--worlds 256] [--precision float32] [--csv FILE]
"""

from __future__ import annotations

import argparse
import csv
import pathlib

import flexor
import numpy as np
from flexor.random_commands import RandomCommands

SOLVERS = (("active_set", True), ("active_set", False), ("jacobi", True))
#: kept by one precision or by request only
LEFT_OUT = ("qpos_compensation", "body_wrench", "valid_body_wrench")
STATES = ("slack", "loaded", "held", "stiff", "locked", "crowded")


def prepare(sim, state: str, lengths: np.ndarray) -> None:
    """Parameters of a state. lengths: (tendons,) [m] at the initial configuration."""
    for i, tendon in enumerate(sim.model.tendons):
        name = f"tendon/{tendon.name}"
        if state == "stiff":
            sim.set_parameter(f"{name}/stiffness", 1e5)
        if state == "crowded" or (state == "locked" and i == 0):
            sim.set_parameter(f"{name}/limit_margin", 0.0)
            sim.set_parameter(f"{name}/lower_limit", -np.inf)
            sim.set_parameter(f"{name}/upper_limit", lengths[i])
            sim.set_parameter(f"{name}/lower_limit", lengths[i])
    if state == "stiff":
        sim.drive_position_gain.set(1e4)
        sim.drive_target_length.set(lengths)


def measure(name: str, state: str, arguments) -> list[dict]:
    """One row for each solver."""
    model = flexor.models.load(name)
    worlds = arguments.worlds
    with flexor.Simulation(model, 1, precision="float64") as probe:
        probe.forward()
        lengths = probe.tendon_length.numpy()[0].copy()
    outputs = ("solver_iterations", "solver_status", "joint_limit_torque")
    sims = [
        flexor.Simulation(
            model, worlds, precision=arguments.precision, num_threads=1, solver=solver,
            warm_start=warm, outputs=outputs,
        )
        for solver, warm in SOLVERS
    ]  # fmt: skip
    exact = flexor.Simulation(model, worlds, device="reference", outputs=("solver_status",))
    for sim in (*sims, exact):
        prepare(sim, state, lengths)
    source = RandomCommands(model, seed=1)
    found = [{"iterations": [], "error": [], "solved": [], "us": []} for _ in SOLVERS]
    left_out, limits = 0, []
    for step in range(arguments.steps):
        if state != "slack" and step % 10 == 0:
            forces = source.draw(worlds)
        elif state not in ("slack", "held"):
            forces = source.draw(worlds)
        for sim in (*sims, exact):
            if state != "slack":
                sim.drive_force.set(forces)
        judged = step >= arguments.steps - arguments.judged
        if judged:  # all from the first one's state
            for sim in (*sims[1:], exact):
                copy_state(sims[0], sim)
            exact.step(1)
            good = exact.solver_status.numpy() == 0
            left_out += int(np.count_nonzero(~good))
        for sim, result in zip(sims, found, strict=True):
            if not judged:
                sim.step(1)
                continue
            result["us"].append(solve_time(sim))
            result["iterations"].append(sim.solver_iterations.numpy().copy())
            result["solved"].append(sim.solver_status.numpy() == 0)
            v, v_exact = sim.qvel.numpy().astype(float), exact.qvel.numpy()
            error = np.abs(v - v_exact).max(1) / np.maximum(1, np.abs(v_exact).max(1))
            result["error"].append(error[good])
        if judged:
            limits.append(np.mean(sims[0].joint_limit_torque.numpy() != 0))
    rows = []
    for (solver, warm), result in zip(SOLVERS, found, strict=True):
        iterations, error = np.concatenate(result["iterations"]), np.concatenate(result["error"])
        rows.append(
            {
                "model": name,
                "state": state,
                "solver": solver,
                "warm_start": warm,
                "precision": arguments.precision,
                "worlds": worlds,
                "mean_iterations": round(float(iterations.mean()), 3),
                "most_iterations": int(iterations.max()),
                "solve_us": round(float(np.median(result["us"])), 4),
                "converged_share": round(float(np.mean(result["solved"])), 6),
                "median_error": float(f"{np.median(error):.2e}") if error.size else "",
                "worst_error": float(f"{error.max():.2e}") if error.size else "",
                "joints_at_limits": round(float(np.mean(limits)), 3),
                "exact_unsolved": left_out,
                "backend": sims[0].options["backend"],
            }
        )
    return rows


def solve_time(sim, repeats: int = 3) -> float:
    """Least microseconds per world of the solve stage; the batch goes one step on."""
    start, least = sim.get_state(), np.inf
    for _ in range(repeats):
        sim.set_state(start)
        seconds = sum(t for stage, t in sim.profile(1) if stage == "solve")
        least = min(least, 1e6 * seconds / sim.num_worlds)
    return least


def copy_state(source, target) -> None:
    """State and commands of one batch into another of any device and precision."""
    for name, field in flexor.FIELDS.items():
        if ("state" in field or "command" in field) and name not in LEFT_OUT:
            getattr(target, name).numpy()[...] = getattr(source, name).numpy()


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--models", nargs="+", default=["spiral_chain", "three_joint_finger", "two_joint_arm"]
    )
    parser.add_argument("--states", nargs="+", default=STATES, choices=STATES)
    parser.add_argument("--worlds", type=int, default=256)
    parser.add_argument("--precision", default="float32", choices=("float32", "float64"))
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--judged", type=int, default=20, help="last steps, which are judged")
    parser.add_argument("--csv", type=pathlib.Path)
    arguments = parser.parse_args()
    rows = []
    for name in arguments.models:
        for state in arguments.states:
            for row in measure(name, state, arguments):
                rows.append(row)
                print(
                    f"{name:18} {state:8} {row['solver']:10} warm={row['warm_start']:d} "
                    f"iterations {row['mean_iterations']:6.2f} (most {row['most_iterations']:4d}) "
                    f"{row['solve_us']:8.3f} us  converged {row['converged_share']:.5f}  "
                    f"error {row['median_error']} (worst {row['worst_error']})  "
                    f"limits {100 * row['joints_at_limits']:.0f} %"
                )
    if arguments.csv:
        with arguments.csv.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, fieldnames=list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
