#!/usr/bin/env python3
"""Where a step's time goes: microseconds per world-step and share of each stage, one thread.

Drives pull at random within their bounds. Of `--repeats` profiles each stage's least time counts.
"""

from __future__ import annotations

import sys

import flexor
import numpy as np
from common import (
    MODELS,
    PRECISIONS,
    Stepper,
    draw_commands,
    make_parser,
    result_file,
    write_rows,
)


def profile(name: str, precision: str, arguments) -> list[dict]:
    """One row for each stage, in the order of a step, then of the refresh pass."""
    model = flexor.models.load(name)
    commands = draw_commands(model, arguments.worlds)
    side = Stepper(model, commands, precision=precision, num_threads=1)
    side.run(arguments.settle)
    found = []
    for i in range(arguments.repeats):
        side.view[...] = side.commands[i % len(commands)]
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
        }
        for stage, cost in zip(stages, seconds.tolist(), strict=True)
    ]


def main(argv: list[str] | None = None) -> int:
    parser = make_parser(__doc__)
    parser.add_argument("--models", nargs="+", default=MODELS, choices=MODELS)
    parser.add_argument("--precisions", nargs="+", default=PRECISIONS, choices=PRECISIONS)
    parser.add_argument("--settle", type=int, default=200, help="steps before the first profile")
    parser.add_argument("--repeats", type=int, default=30)
    arguments = parser.parse_args(argv)
    rows = []
    for name in arguments.models:
        for precision in arguments.precisions:
            found = profile(name, precision, arguments)
            for row in found:
                print(
                    f"{name:20} {precision} {row['stage']:18} {row['us']:8.4f} us "
                    f"{100 * row['share']:5.1f} %"
                )
            rows += found
    write_rows(arguments.csv or result_file("stage_profile", rows[0]["backend"]), rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
