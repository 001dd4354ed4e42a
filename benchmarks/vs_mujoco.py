#!/usr/bin/env python3
"""Speed of flexor's cpu backend next to MuJoCo 4.x, measured side by side in one run.

The same model file, the same time step, the same number of threads, new random commands at every
step, float64 in MuJoCo (its only precision), float32 and float64 in flexor. MuJoCo steps through the
faster of its own `mujoco.batch.Batch` and `mujoco.rollout`; it drives the same tendons by motors that
are added in memory, since the files have none. The repeats of the two sides alternate, and medians
are compared. Neither side refreshes what is derived from the end pose; both hand out tendon lengths
and forces (flexor: outputs tendon_length and tendon_tension; MuJoCo: bound ten_length and
actuator_force).

Beside the speed stands how well flexor's solver did, from a run of the same commands that is not
timed: the share of world-steps that converged and the largest residual.

Usage: vs_mujoco.py [--worlds 1024] [--threads N] [--models ...] [--repeats 7] [--csv FILE]
"""

from __future__ import annotations

import argparse
import csv
import os
import pathlib
import platform
import statistics
import sys
import time

import flexor
import numpy as np
from flexor.cli.show import Output, table
from flexor.random_commands import RandomCommands

#: different command sets that the loops go through
COMMAND_SETS = 32

#: largest pull of any drive [N], where less than the model's own bounds. The chain weighs 37 g: half
#: a newton holds about a fifth of its joints at their limits, its bound of 2 N two thirds (--pull 2).
PULL = {"spiral_chain": 0.5}


def cpu_name() -> str:
    try:
        for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def cpus() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


class Flexor:
    """A batch of flexor with the commands that drive it."""

    def __init__(self, model, commands, worlds: int, threads: int, precision: str):
        self.name = f"flexor {precision}"
        self.sim = flexor.Simulation(
            model,
            worlds,
            precision=precision,
            num_threads=threads,
            outputs=("tendon_length", "tendon_tension"),
        )
        self.commands = [c.astype(precision, order="K") for c in commands]
        self.view = self.sim.drive_force.numpy()

    def run(self, steps: int) -> float:
        """Seconds for `steps` steps of all worlds."""
        begin = time.perf_counter()
        for i in range(steps):
            self.view[...] = self.commands[i % len(self.commands)]
            self.sim.step(1, refresh=False)
        return time.perf_counter() - begin

    def bad_worlds(self) -> int:
        flags = int(flexor.Status.NONFINITE_STATE | flexor.Status.FROZEN)
        return int(np.count_nonzero(self.sim.status.numpy() & flags))


def convergence(model, commands, worlds: int, threads: int, precision: str, steps: int):
    """(share of world-steps that converged, largest residual [m/s]) under the same commands."""
    sim = flexor.Simulation(
        model,
        worlds,
        precision=precision,
        num_threads=threads,
        outputs=("solver_status", "solver_residual"),
    )
    converged, residual = 0, 0.0
    for i in range(steps):
        sim.drive_force.set(commands[i % len(commands)])
        sim.step(1, refresh=False)
        converged += int(np.count_nonzero(sim.solver_status.numpy() == 0))
        residual = max(residual, float(sim.solver_residual.numpy().max()))
    return converged / (steps * worlds), residual


def mujoco_model(mujoco, file: pathlib.Path):
    """The file's model with one motor on each tendon: control = force [N], positive lengthens."""
    spec = mujoco.MjSpec.from_file(str(file))
    for tendon in spec.tendons:
        motor = spec.add_actuator(name=f"drive_{tendon.name}")
        motor.trntype = mujoco.mjtTrn.mjTRN_TENDON
        motor.target = tendon.name
        motor.set_to_motor()
    return spec.compile()


class MujocoBatch:
    """MuJoCo's own batch of simulations."""

    def __init__(self, mujoco, model, commands, worlds: int, threads: int):
        from mujoco.batch import Batch

        self.name = "mujoco.batch"
        self.commands = [np.ascontiguousarray(c, np.float64) for c in commands]
        self.batch = Batch(model, worlds, threads)
        self.ctrl = self.batch.bind("ctrl")
        self.outputs = [self.batch.bind(name) for name in ("ten_length", "actuator_force")]

    def run(self, steps: int) -> float:
        begin = time.perf_counter()
        for i in range(steps):
            self.ctrl[...] = self.commands[i % len(self.commands)]
            self.batch.step()
        return time.perf_counter() - begin

    def bad_worlds(self) -> int:
        return int(np.count_nonzero(~np.all(np.isfinite(self.batch.state), axis=1)))


class MujocoRollout:
    """MuJoCo's roll-outs of commands given ahead. Its results (states of all steps) are written
    into buffers that are made once."""

    def __init__(self, mujoco, model, commands, worlds: int, threads: int):
        from mujoco.rollout import Rollout

        self.name = "mujoco.rollout"
        self.mujoco, self.model, self.worlds = mujoco, model, worlds
        self.data = [mujoco.MjData(model) for _ in range(threads)]
        self.rollout = Rollout(nthread=threads if threads > 1 else 0)
        kind = mujoco.mjtState.mjSTATE_FULLPHYSICS
        self.width = mujoco.mj_stateSize(model, kind)
        first = np.empty(self.width)
        mujoco.mj_getState(model, self.data[0], first, kind)
        self.state = np.tile(first, (worlds, 1))
        self.commands = np.stack(commands, axis=1).astype(np.float64)  # (worlds, sets, motors)
        self.buffer = np.empty((worlds, len(commands), self.width))

    def run(self, steps: int) -> float:
        begin = time.perf_counter()
        for done in range(0, steps, len(self.commands[0])):
            count = min(len(self.commands[0]), steps - done)
            out = self.buffer[:, :count]
            states, _ = self.rollout.rollout(
                self.model, self.data, self.state,
                np.ascontiguousarray(self.commands[:, :count]), nstep=count,
                state=np.ascontiguousarray(out) if count < self.buffer.shape[1] else self.buffer,
            )  # fmt: skip
            self.state = np.ascontiguousarray(states[:, -1])
        return time.perf_counter() - begin

    def bad_worlds(self) -> int:
        return int(np.count_nonzero(~np.all(np.isfinite(self.state), axis=1)))


def steps_for(side, seconds: float) -> int:
    """Whole passes over the commands that take about `seconds`."""
    side.run(COMMAND_SETS)  # warm
    one = min(side.run(COMMAND_SETS) for _ in range(2))
    return COMMAND_SETS * max(1, round(seconds / one))


def faster_mujoco(mujoco, model, commands, worlds: int, threads: int, out: Output):
    """The faster of MuJoCo's two ways, and microseconds a world-step of both."""
    sides = [
        make(mujoco, model, commands, worlds, threads) for make in (MujocoBatch, MujocoRollout)
    ]
    cost = {}
    for side in sides:
        side.run(COMMAND_SETS)
        seconds = statistics.median(side.run(COMMAND_SETS) for _ in range(3))
        cost[side.name] = 1e6 * seconds / (COMMAND_SETS * worlds)
    out.remark("  " + ", ".join(f"{name} {us:.2f} us" for name, us in cost.items()))
    return min(sides, key=lambda side: cost[side.name]), cost


def compare(name: str, arguments, mujoco, out: Output) -> list[dict]:
    """Rows of one model, one for each precision."""
    file = flexor.models.path(name)
    model = flexor.load_model(file)
    source = RandomCommands(model, seed=0)
    pull = arguments.pull if arguments.pull is not None else PULL.get(name, np.inf)
    source.low = np.maximum(source.low, -pull)
    pull = float(-source.low.min())
    commands = [source.draw(arguments.worlds) for _ in range(COMMAND_SETS)]
    out.remark(f"{name}: {arguments.worlds} worlds, {arguments.threads} threads")
    theirs, both = faster_mujoco(
        mujoco, mujoco_model(mujoco, file), commands, arguments.worlds, arguments.threads, out
    )
    ours = [
        Flexor(model, commands, arguments.worlds, arguments.threads, precision)
        for precision in ("float32", "float64")
    ]
    sides = [theirs, *ours]
    steps = [steps_for(side, arguments.seconds) for side in sides]
    cost: list[list[float]] = [[] for _ in sides]
    with out.progress(name, arguments.repeats) as advance:
        for _ in range(arguments.repeats):
            for k, side in enumerate(sides):
                cost[k].append(1e6 * side.run(steps[k]) / (steps[k] * arguments.worlds))
            advance(1)
    rows = []
    for k, side in enumerate(ours, 1):
        precision = side.sim.precision
        share, residual = convergence(
            model, commands, arguments.worlds, arguments.threads, precision, arguments.checked_steps
        )
        us, mujoco_us = statistics.median(cost[k]), statistics.median(cost[0])
        rows.append(
            {
                "model": name,
                "pull": pull,
                "worlds": arguments.worlds,
                "threads": arguments.threads,
                "timestep": model.timestep,
                "precision": precision,
                "backend": side.sim.options["backend"],
                "solver": side.sim.options["solver"],
                "flexor_us": round(us, 4),
                "mujoco_us": round(mujoco_us, 4),
                "mujoco_way": theirs.name,
                "mujoco_batch_us": round(both["mujoco.batch"], 4),
                "mujoco_rollout_us": round(both["mujoco.rollout"], 4),
                "ratio": round(mujoco_us / us, 3),
                "least_ratio": round(min(cost[0]) / max(cost[k]), 3),
                "converged_share": round(share, 8),
                "worst_residual": residual,
                "bad_worlds": side.bad_worlds(),
                "mujoco_bad_worlds": theirs.bad_worlds(),
                "repeats": arguments.repeats,
                "flexor": flexor.__version__,
                "mujoco": mujoco.__version__,
                "cpu": cpu_name(),
            }
        )
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n\n")[0], formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--worlds", type=int, default=1024)
    parser.add_argument("--threads", type=int, default=cpus())
    parser.add_argument(
        "--models", nargs="+", default=["spiral_chain", "three_joint_finger", "two_joint_arm"]
    )
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=0.5, help="of one repeat of one side")
    parser.add_argument(
        "--checked-steps", type=int, default=500, help="steps whose solves are judged"
    )
    parser.add_argument("--pull", type=float, help="largest pull of any drive [N]")
    parser.add_argument("--csv", type=pathlib.Path, help="default: benchmarks/results/...")
    arguments = parser.parse_args()
    try:
        import mujoco
    except ImportError:
        print("vs_mujoco: needs MuJoCo: pip install 'flexor[bench]'", file=sys.stderr)
        return 1
    out = Output()
    rows = [row for name in arguments.models for row in compare(name, arguments, mujoco, out)]

    lines = table(
        f"{arguments.worlds} worlds, {arguments.threads} threads, {cpu_name()}",
        "<model", "<type", "<way", "mujoco [us]", "flexor [us]", "ratio", "least",
        "converged", "residual", "bad worlds",
    )  # fmt: skip
    for row in rows:
        lines.add_row(
            row["model"], row["precision"], row["mujoco_way"].removeprefix("mujoco."), f"{row['mujoco_us']:.2f}",
            f"{row['flexor_us']:.3f}", f"{row['ratio']:.1f}x", f"{row['least_ratio']:.1f}x",
            f"{row['converged_share']:.6f}", f"{row['worst_residual']:.1e}",
            f"{row['bad_worlds']} / {row['mujoco_bad_worlds']}",
        )  # fmt: skip
    out.show(lines)
    isa = rows[0]["backend"].partition("/")[2] or "generic"
    folder = pathlib.Path(__file__).resolve().parent / "results"
    name = "".join(c if c.isalnum() else "-" for c in cpu_name().lower()).strip("-")
    file = arguments.csv or folder / f"vs_mujoco.{name}.{isa}.t{arguments.threads}.csv"
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    out.show(f"wrote {file}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
