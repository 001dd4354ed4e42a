#!/usr/bin/env python3
"""Where a step's time goes: microseconds per world-step and share of each stage, one thread.

Drives pull at random within their bounds. Of `--repeats` profiles each stage's least time counts.
"""

from __future__ import annotations

import argparse
import csv
import pathlib

import flexor
import numpy as np
from flexor.random_commands import RandomCommands


def profile(name: str, worlds: int, precision: str, warm: int, repeats: int):
    """[(stage, microseconds per world-step)] in the order of a step, then of the refresh pass."""
    model = flexor.models.load(name)
    sim = flexor.Simulation(model, worlds, precision=precision, num_threads=1, inert="*")
    source = RandomCommands(model, seed=0)
    best, stages = None, ()
    for i in range(warm + repeats):
        sim.drive_force.set(source.draw(worlds))
        if i < warm:
            sim.step(1)
            continue
        found = sim.profile(1)
        stages = [stage for stage, _ in found]
        cost = np.array([seconds for _, seconds in found]) * 1e6 / worlds
        best = cost if best is None else np.minimum(best, cost)
    return list(zip(stages, best, strict=True)), sim.options["backend"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--models", nargs="+", default=["spiral_chain", "three_joint_finger", "two_joint_arm"]
    )
    parser.add_argument("--worlds", type=int, default=1024)
    parser.add_argument("--precision", default="float32", choices=("float32", "float64"))
    parser.add_argument("--warm", type=int, default=200, help="steps before the first profile")
    parser.add_argument("--repeats", type=int, default=30)
    parser.add_argument("--csv", type=pathlib.Path)
    arguments = parser.parse_args()
    rows = []
    for name in arguments.models:
        stages, backend = profile(
            name, arguments.worlds, arguments.precision, arguments.warm, arguments.repeats
        )
        total = sum(cost for _, cost in stages)
        rows += [
            {
                "model": name,
                "backend": backend,
                "precision": arguments.precision,
                "worlds": arguments.worlds,
                "stage": stage,
                "us": round(float(cost), 4),
                "share": round(float(cost / total), 4),
            }
            for stage, cost in stages
        ]
    for row in rows:
        print(
            f"{row['model']:20} {row['stage']:18} {row['us']:8.4f} us {100 * row['share']:5.1f} %"
        )
    if arguments.csv:
        with arguments.csv.open("w", newline="") as file:
            writer = csv.DictWriter(file, fieldnames=list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
