#!/usr/bin/env python3
"""Where a step's time goes: microseconds per world-step and share of each stage, one thread.

Drives pull at random within their bounds. Of `--repeats` profiles each stage's least time counts.

Beside the float32 times stand what one world needs, counted by stage_counts.cpp under the same kind of
commands: floating-point operations (sums, products, quotients, roots), choices (comparisons, select, min,
max ...), bytes of cells and arrays, and the rate of operations that follows. A pack also works for worlds
that have finished, and the cpu backend leaves out what it knows to be zero or one: neither is counted.
"""

from __future__ import annotations

import csv
import pathlib
import sys

import flexor
import numpy as np
from common import (
    MODELS,
    PRECISIONS,
    RESULTS,
    Stepper,
    draw_commands,
    make_parser,
    result_file,
    write_rows,
)

COUNTS = ("flops", "choices", "cell_bytes", "array_bytes")


def read_counts(file: pathlib.Path, model: str) -> list[tuple[str, dict]]:
    """[(stage, {one of COUNTS: of one world})] in the order of a step, then of the refresh pass."""
    with file.open(newline="", encoding="utf-8") as stream:
        rows = [row for row in csv.DictReader(stream) if row["model"] == model]
    found = []
    for row in rows:
        flops = sum(float(row[kind]) for kind in ("add", "multiply", "divide"))
        values = (flops, *(float(row[key]) for key in ("choose", "cell_bytes", "array_bytes")))
        counts = zip(COUNTS, (round(x, 1) for x in values), strict=True)
        found.append((row["stage"], dict(counts)))
    return found


def add_counts(rows: list[dict], file: pathlib.Path) -> None:
    """Columns of the counts, and Gflop/s."""
    counts = read_counts(file, rows[0]["model"])
    if [stage for stage, _ in counts] != [row["stage"] for row in rows]:
        raise SystemExit(f"{file} knows other stages: write it again by the program stage_counts")
    for row, (_, found) in zip(rows, counts, strict=True):
        row |= found
        row["gflops"] = round(1e-3 * found["flops"] / row["us"], 2)


def profile(name: str, precision: str, arguments) -> list[dict]:
    """One row for each stage, in the order of a step, then of the refresh pass."""
    model = flexor.models.load(name)
    commands = draw_commands(model, arguments.worlds)
    side = Stepper(model, commands, precision=precision, num_threads=1)
    side.run(arguments.settle)
    found = []
    for i in range(arguments.repeats):
        side.sim.drive_force.set(commands[i % len(commands)])
        found.append(side.sim.profile(1))
    stages = [stage for stage, _ in found[0]]
    seconds = np.min([[seconds for _, seconds in stages] for stages in found], axis=0)
    return [
        {
            "model": name,
            "backend": side.sim.options["backend"],
            "precision": precision,
            "worlds": arguments.worlds,
            "stage": stage,
            "us": round(1e6 * cost / arguments.worlds, 4),
            "share": round(cost / seconds.sum(), 4),
            **dict.fromkeys((*COUNTS, "gflops"), ""),
        }
        for stage, cost in zip(stages, seconds.tolist(), strict=True)
    ]


def main(argv: list[str] | None = None) -> int:
    parser = make_parser(__doc__)
    parser.add_argument("--models", nargs="+", default=MODELS, choices=MODELS)
    parser.add_argument("--precisions", nargs="+", default=PRECISIONS, choices=PRECISIONS)
    parser.add_argument("--settle", type=int, default=200, help="steps before the first profile")
    parser.add_argument("--repeats", type=int, default=30)
    parser.add_argument("--counts", type=pathlib.Path, default=RESULTS / "stage_counts.csv")
    arguments = parser.parse_args(argv)
    rows = []
    for name in arguments.models:
        for precision in arguments.precisions:
            found = profile(name, precision, arguments)
            if precision == "float32":
                add_counts(found, arguments.counts)
            for row in found:
                counts = f"{row['flops']:9} flops, {row['gflops']:6} Gflop/s" * (row["flops"] != "")
                print(
                    f"{name:20} {precision} {row['stage']:18} {row['us']:8.4f} us "
                    f"{100 * row['share']:5.1f} % {counts}"
                )
            rows += found
    write_rows(arguments.csv or result_file("stage_profile", rows[0]["backend"]), rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
