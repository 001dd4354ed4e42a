"""What the benchmarks share: the models, commands as a policy hands them over, repeats that alternate,
and result files named by machine and instruction set."""

from __future__ import annotations

import argparse
import csv
import os
import pathlib
import platform
import re
import time
from collections.abc import Callable, Sequence

import flexor
import numpy as np
from flexor.cli.bench import measure
from flexor.random_commands import RandomCommands

MODELS = ("spiral_chain", "three_joint_finger", "two_joint_arm")
PRECISIONS = ("float32", "float64")
RESULTS = pathlib.Path(__file__).resolve().parent / "results"

#: largest pull of any drive [N] that holds about a fifth of the joints at their limits
FIFTH = {"spiral_chain": 0.55, "three_joint_finger": 3.5, "two_joint_arm": 16.0}
#: different command sets that the loops go through
COMMAND_SETS = 32


def make_parser(doc: str, worlds: int | None = 1024) -> argparse.ArgumentParser:
    """Parser with --csv and, unless None, --worlds."""
    parser = argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--csv", type=pathlib.Path, help="default: benchmarks/results/...")
    if worlds is not None:
        parser.add_argument("--worlds", type=int, default=worlds)
    return parser


def draw_commands(model, worlds: int, pull: float = np.inf, count: int = COMMAND_SETS):
    """`count` sets of random drive forces (worlds, drives) [N], float64, row-major as a policy gives
    them. pull: the most that any drive pulls [N], where less than its own bound."""
    source = RandomCommands(model, seed=0)
    source.low = np.maximum(source.low, -pull)
    return [np.ascontiguousarray(source.draw(worlds), np.float64) for _ in range(count)]


class Stepper:
    """A batch that is handed new commands before every step."""

    def __init__(self, model, commands, *, refresh: bool = False, **options):
        self.sim = flexor.Simulation(model, len(commands[0]), **options)
        self.refresh = refresh
        self.commands = [c.astype(self.sim.precision) for c in commands]
        self.next = 0

    def run(self, steps: int) -> float:
        """Seconds for `steps` steps of all worlds."""
        seconds = measure(self.sim, self.commands, steps, self.refresh, self.next)
        self.next += steps
        return seconds

    def hand_over(self) -> float:
        """Seconds per step for the commands alone: a pass over all sets."""
        view, begin = self.sim.drive_force.numpy(), time.perf_counter()
        for commands in self.commands:
            view[...] = commands
        return (time.perf_counter() - begin) / len(self.commands)

    def bad_worlds(self) -> int:
        return int(np.count_nonzero(self.sim.failed(flexor.Status.FROZEN)))


def steps_for(run: Callable[[int], float], seconds: float, least: int = 4) -> int:
    """How many steps take about `seconds`."""
    run(least)  # warm
    return max(least, round(seconds * least / min(run(least) for _ in range(2))))


def alternate(runs: Sequence[Callable[[], float]], repeats: int) -> list[list[float]]:
    """Results of the runs [run][repeat]; every repeat goes once through all of them, so that what
    disturbs the machine disturbs all alike."""
    found: list[list[float]] = [[] for _ in runs]
    for _ in range(repeats):
        for run, results in zip(runs, found, strict=True):
            results.append(run())
    return found


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


def result_file(benchmark: str, backend: str, *parts: str) -> pathlib.Path:
    """benchmarks/results/<benchmark>.<machine>.<isa>[.<part>...].csv"""
    plain = re.sub(r"\((r|tm)\)|\b(processor|cpu)\b|@.*", " ", cpu_name().lower())
    machine = "-".join(re.findall("[a-z0-9]+", plain))
    isa = backend.partition("/")[2] or "generic"
    return RESULTS / ".".join((benchmark, machine, isa, *parts, "csv"))


def write_rows(file: pathlib.Path, rows: list[dict]) -> None:
    """CSV with one line for each row; the first one's keys are the columns."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    print(f"wrote {file}")
