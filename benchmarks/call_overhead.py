#!/usr/bin/env python3
"""What a call of `sim.step(1)` from Python costs next to the same steps in a loop in C++ (`sim.rollout`
without commands and records), one thread, no refresh. Asked: less than 2 us + 1 % of a step.

The two alternate in short runs; least times count, since whatever disturbs a run only adds.

Usage: call_overhead.py [--models ...] [--worlds 1 1024] [--repeats 60] [--csv FILE]
"""

from __future__ import annotations

import sys
import time

import flexor
from common import (
    MODELS,
    PRECISIONS,
    alternate,
    draw_commands,
    make_parser,
    result_file,
    steps_for,
    write_rows,
)

ASKED_US, ASKED_SHARE = 2.0, 0.01


def time_python(sim, steps: int) -> float:
    """Seconds of a loop of single steps."""
    begin = time.perf_counter()
    for _ in range(steps):
        sim.step(1, refresh=False)
    return time.perf_counter() - begin


def time_cpp(sim, steps: int) -> float:
    """Seconds of one call that loops over single steps."""
    begin = time.perf_counter()
    sim.rollout(steps)
    return time.perf_counter() - begin


def measure(name: str, worlds: int, precision: str, arguments) -> dict:
    """The row of one model and number of worlds. Both sides step the same batch under commands that
    stand still: after `settle` steps every step is much like the last."""
    model = flexor.models.load(name)
    outputs = ("tendon_length", "tendon_tension")
    sim = flexor.Simulation(model, worlds, precision=precision, num_threads=1, outputs=outputs)
    sim.drive_force.set(draw_commands(model, worlds, count=1)[0])
    sim.step(arguments.settle)
    steps = steps_for(lambda n: time_cpp(sim, n), arguments.seconds)
    runs = [lambda loop=loop: 1e6 * loop(sim, steps) / steps for loop in (time_python, time_cpp)]
    python_us, cpp_us = (min(cost) for cost in alternate(runs, arguments.repeats))
    asked = ASKED_US + ASKED_SHARE * cpp_us
    return {
        "model": name,
        "worlds": worlds,
        "precision": precision,
        "backend": sim.options["backend"],
        "python_us": round(python_us, 3),
        "cpp_us": round(cpp_us, 3),
        "overhead_us": round(python_us - cpp_us, 3),
        "asked_us": round(asked, 3),
        "holds": python_us - cpp_us < asked,
    }


def main(argv: list[str] | None = None) -> int:
    parser = make_parser(__doc__, worlds=None)
    parser.add_argument("--models", nargs="+", default=MODELS, choices=MODELS)
    parser.add_argument("--worlds", type=int, nargs="+", default=[1, 1024])
    parser.add_argument("--precision", default="float32", choices=PRECISIONS)
    parser.add_argument("--repeats", type=int, default=60)
    parser.add_argument("--seconds", type=float, default=0.02, help="of one repeat of one side")
    parser.add_argument("--settle", type=int, default=500, help="steps before anything is measured")
    arguments = parser.parse_args(argv)
    rows = []
    for name in arguments.models:
        for worlds in arguments.worlds:
            row = measure(name, worlds, arguments.precision, arguments)
            print(
                f"{name:18} {worlds:5} worlds: step(1) from Python {row['python_us']:9.3f} us, in C++ "
                f"{row['cpp_us']:9.3f} us: {row['overhead_us']:+.3f} us; asked < "
                f"{row['asked_us']:.3f} us: {'holds' if row['holds'] else 'FAILS'}",
                flush=True,
            )
            rows.append(row)
    file = result_file("call_overhead", rows[0]["backend"], arguments.precision)
    write_rows(arguments.csv or file, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
