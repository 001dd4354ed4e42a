#!/usr/bin/env python3
"""Speed of flexor's cpu backend next to MuJoCo 4.x, measured side by side in one run.

The same model file, the same time step, the same number of threads (so a ratio is one per core), new
random commands handed over at every step, row-major and in a side's own precision, by both sides.
MuJoCo computes in float64, its only precision, and steps by the faster of its own `mujoco.batch` and
`mujoco.rollout`. The repeats of all sides alternate, and medians are compared.

  ratio      the headline: flexor without a refresh, outputs tendon_length and tendon_tension. MuJoCo,
             too, leaves what it derives at the start of the step; bound: ten_length, actuator_force
             commands_share: what part of flexor's time goes into taking the commands
  all_ratio  flexor with all outputs, refreshed to the final pose after every step, next to the same
             MuJoCo

States of a model: `fifth` pulls so hard that about a fifth of the joints stand at their limits, `full`
within the model's own bounds. What share it was is measured, and so is how well the solver did: the share
of world-steps that converged and the largest residual, from a run of the same commands that is not timed.

With several threads, flexor's gain over one thread stands next to the gain of a probe that needs nothing
but registers (register_probe.cpp): on shared cores that is what a thread is worth.

Usage: vs_mujoco.py [--worlds 256 1024 8192] [--threads N] [--models ...] [--repeats 5] [--csv FILE]
"""

from __future__ import annotations

import contextlib
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

import flexor
import numpy as np
from common import (
    FIFTH,
    MODELS,
    PRECISIONS,
    Stepper,
    alternate,
    cpu_name,
    cpus,
    draw_commands,
    make_parser,
    result_file,
    steps_for,
    write_rows,
)

STATES = ("fifth", "full")

HEADLINE = {"outputs": ("tendon_length", "tendon_tension")}
ALL = {"outputs": "all", "refresh": True}


class Probe:
    """register_probe.cpp, compiled."""

    STEPS = 50_000_000

    def __init__(self, folder: str):
        compiler = os.environ.get("CXX") or shutil.which("c++") or shutil.which("g++")
        if compiler is None:
            raise SystemExit("vs_mujoco: --threads: the probe needs a C++ compiler (c++, g++, CXX)")
        source = pathlib.Path(__file__).with_name("register_probe.cpp")
        self.program = str(pathlib.Path(folder) / "register_probe")
        command = [compiler, "-std=c++20", "-O2", "-pthread", str(source), "-o", self.program]
        subprocess.run(command, check=True)

    def run(self, threads: int) -> float:
        """Seconds in which each of the threads does the same work."""
        command = [self.program, str(threads), str(self.STEPS)]
        return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def judge(model, commands, threads: int, precision: str, steps: int) -> dict:
    """How well the solver did under the same commands; joints at limits in the second half, when the
    start is forgotten."""
    outputs = ("solver_status", "solver_residual", "joint_limit_torque")
    side = Stepper(model, commands, precision=precision, num_threads=threads, outputs=outputs)
    converged, residual, limits = [], 0.0, []
    for i in range(steps):
        side.run(1)
        converged.append(np.mean(side.sim.solver_status.numpy() == 0))
        residual = max(residual, float(side.sim.solver_residual.numpy().max()))
        if 2 * i >= steps:
            limits.append(np.mean(side.sim.joint_limit_torque.numpy() != 0))
    return {
        "joints_at_limits": round(float(np.mean(limits)), 4),
        "converged_share": round(float(np.mean(converged)), 8),
        "worst_residual": residual,
    }


def compare(name: str, state: str, worlds: int, arguments, probe) -> list[dict]:
    """Rows of one model, state and number of worlds, one for each precision."""
    import mujoco
    import mujoco_sides

    model, threads = flexor.models.load(name), arguments.threads
    pull = FIFTH[name] if state == "fifth" else np.inf
    commands = draw_commands(model, worlds, pull)
    theirs = mujoco_sides.load(flexor.models.path(name))
    sides = {
        side.name: side(theirs, commands, threads)
        for side in (mujoco_sides.BatchSide, mujoco_sides.RolloutSide)
    }
    for precision in PRECISIONS:
        for label, options in (("headline", HEADLINE), ("all", ALL)):
            sides[precision, label] = Stepper(
                model, commands, precision=precision, num_threads=threads, **options
            )
        if probe:
            sides[precision, "one thread"] = Stepper(
                model, commands, precision=precision, num_threads=1, **HEADLINE
            )
    runs = {}
    for key, side in sides.items():
        steps = steps_for(side.run, arguments.seconds)
        runs[key] = lambda side=side, steps=steps: 1e6 * side.run(steps) / (steps * worlds)
    for precision in PRECISIONS:
        side = sides[precision, "headline"]
        runs[precision, "commands"] = lambda side=side: 1e6 * side.hand_over() / worlds
    if probe:
        runs["probe", 1] = lambda: probe.run(1)
        runs["probe", threads] = lambda: probe.run(threads)
    costs = dict(zip(runs, alternate(list(runs.values()), arguments.repeats), strict=True))
    us = {key: statistics.median(cost) for key, cost in costs.items()}
    way = min((key for key in sides if isinstance(key, str)), key=lambda key: us[key])
    rows = []
    for precision in PRECISIONS:
        side = sides[precision, "headline"]
        headline, full = (precision, "headline"), (precision, "all")
        row = {
            "model": name,
            "state": state,
            "pull": float(-min(c.min() for c in commands)),
            "worlds": worlds,
            "threads": threads,
            "timestep": model.timestep,
            "precision": precision,
            "backend": side.sim.options["backend"],
            "solver": side.sim.options["solver"],
            "flexor_us": us[headline],
            "all_us": us[full],
            "mujoco_us": us[way],
            "mujoco_way": way,
            "mujoco_batch_us": us["mujoco.batch"],
            "mujoco_rollout_us": us["mujoco.rollout"],
            "ratio": us[way] / us[headline],
            "least_ratio": min(costs[way]) / max(costs[headline]),
            "all_ratio": us[way] / us[full],
            "commands_share": us[precision, "commands"] / us[headline],
            **dict.fromkeys(("thread_gain", "probe_gain", "gain_share"), ""),
        }
        if probe:
            row["thread_gain"] = us[precision, "one thread"] / us[headline]
            row["probe_gain"] = threads * us["probe", 1] / us["probe", threads]
            row["gain_share"] = row["thread_gain"] / row["probe_gain"]
        row = {k: round(x, 4) if isinstance(x, float) else x for k, x in row.items()}
        row |= judge(model, commands, threads, precision, arguments.checked_steps)
        row |= {
            "bad_worlds": side.bad_worlds(),
            "mujoco_bad_worlds": sides[way].bad_worlds(),
            "repeats": arguments.repeats,
            "flexor": flexor.__version__,
            "mujoco": mujoco.__version__,
            "cpu": cpu_name(),
        }
        rows.append(row)
    return rows


def show(row: dict) -> None:
    gain = ""
    if row["gain_share"] != "":
        gain = (
            f"; {row['threads']} threads gain {row['thread_gain']:.2f}, the probe "
            f"{row['probe_gain']:.2f}: {row['gain_share']:.2f} of it"
        )
    print(
        f"{row['model']:18} {row['state']:5} {row['worlds']:5} {row['precision']} "
        f"{row['mujoco_way']:14} {row['mujoco_us']:6.2f} us, flexor {row['flexor_us']:6.3f} us: "
        f"{row['ratio']:5.1f}x (least {row['least_ratio']:.1f}x), all outputs {row['all_us']:6.3f} us: "
        f"{row['all_ratio']:5.1f}x; {100 * row['joints_at_limits']:.0f} % of joints at limits, "
        f"converged {row['converged_share']:.6f}, residual {row['worst_residual']:.1e} m/s, "
        f"bad worlds {row['bad_worlds']} / {row['mujoco_bad_worlds']}{gain}",
        flush=True,
    )


def main(argv: list[str] | None = None) -> int:
    parser = make_parser(__doc__, worlds=None)
    parser.add_argument("--worlds", type=int, nargs="+", default=[256, 1024, 8192])
    parser.add_argument("--threads", type=int, default=cpus())
    parser.add_argument("--models", nargs="+", default=MODELS, choices=MODELS)
    parser.add_argument("--states", nargs="+", default=STATES, choices=STATES)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.3, help="of one repeat of one side")
    parser.add_argument(
        "--checked-steps", type=int, default=500, help="steps whose solves are judged"
    )
    arguments = parser.parse_args(argv)
    try:
        import mujoco  # noqa: F401
    except ImportError:
        print("vs_mujoco: needs MuJoCo: pip install 'flexor[bench]'", file=sys.stderr)
        return 1
    rows = []
    with contextlib.ExitStack() as stack:
        probe = None
        if arguments.threads > 1:
            probe = Probe(stack.enter_context(tempfile.TemporaryDirectory()))
        for name in arguments.models:
            for state in arguments.states:
                for worlds in arguments.worlds:
                    found = compare(name, state, worlds, arguments, probe)
                    for row in found:
                        show(row)
                    rows += found
    file = result_file("vs_mujoco", rows[0]["backend"], f"t{arguments.threads}")
    write_rows(arguments.csv or file, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
