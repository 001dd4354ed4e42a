#!/usr/bin/env python3
"""How a step's time grows, one thread, new random commands at every step, no refresh:

  worlds    32 ... 65,536 of the spiral chain: flat within 15 % from 1,024 on, 2 kB of state
  elements  2 ... 60 sites along each of 3 tendons over 6 joints: routing linear
  tendons   1 ... 300 tendons of 8 sites over 6 joints
  joints    2 ... 60 joints with 3 tendons of 8 sites: the whole step no worse than n^2

An exponent is the slope of log time over log size, by least squares over the sizes of a sweep from
the size named in it on: before that, what does not grow dominates. The sizes alternate, and least times
count. Time of a stage: `sim.profile`. Beside the time stand the bytes of a world.

Usage: growth.py [--sweeps ...] [--precision float32] [--repeats 15] [--csv FILE]
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass

import flexor
import numpy as np
from common import (
    PRECISIONS,
    Stepper,
    alternate,
    draw_commands,
    make_parser,
    result_file,
    steps_for,
    write_rows,
)

OUTPUTS = ("tendon_length", "tendon_tension")


def chain(joints: int = 6, tendons: int = 3, elements: int = 8) -> flexor.Model:
    """A hanging chain of equal links with hinges about x and y in turn, 0.3 m long; each tendon runs
    at its own angle from the base to the tip through `elements` sites evenly spread, and pulls."""
    builder = flexor.ModelBuilder(f"chain_{joints}_{tendons}_{elements}")
    length, mass, radius = 0.3 / joints, 0.04 / joints, 0.008
    across = mass * (3 * radius**2 + length**2) / 12
    links = []
    for j in range(joints):
        parent, z = (links[-1], -length) if links else ("world", 0.0)
        link = builder.add_body(
            f"link_{j}", parent=parent, pos=(0, 0, z), mass=mass, com=(0, 0, -length / 2),
            inertia=(across, across, mass * radius**2 / 2),
        )  # fmt: skip
        builder.add_joint(
            link, f"joint_{j}", axis=(1, 0, 0) if j % 2 == 0 else (0, 1, 0), lower=-0.6, upper=0.6,
            stiffness=0.004, damping=2e-4, armature=1e-6,
        )  # fmt: skip
        links.append(link)
    for t in range(tendons):
        angle = 2 * math.pi * t / tendons
        x, y = 0.85 * radius * math.cos(angle), 0.85 * radius * math.sin(angle)
        sites = [builder.add_site("world", pos=(x, y, radius))]
        for e in range(1, elements):
            place = joints * e / (elements - 1)  # in links from the base
            j = min(int(place), joints - 1)
            sites.append(builder.add_site(links[j], pos=(x, y, -length * (place - j))))
        builder.add_spatial_tendon(
            f"tendon_{t}", [flexor.via(site) for site in sites], damping=0.5,
            actuation_lower=-0.75 / tendons, actuation_upper=0.0,
        )  # fmt: skip
    return builder.finalize()


@dataclass(frozen=True)
class Sweep:
    sizes: tuple[int, ...]
    model: Callable[[int], flexor.Model]
    worlds: Callable[[int], int]
    stage: str = ""  #: whose time is judged; the whole step's if empty
    judged_from: int = 1
    exponent: float = math.inf  #: asked
    spread: float = math.inf  #: of the times, largest over least, asked
    state_bytes: float = math.inf  #: of a world's state and commands, asked


SWEEPS = {
    "worlds": Sweep(
        tuple(2**i for i in range(5, 17)), lambda n: flexor.models.load("spiral_chain"),
        lambda n: n, judged_from=1024, spread=1.15, state_bytes=2048,
    ),
    "elements": Sweep(
        (2, 4, 8, 15, 30, 45, 60), lambda n: chain(elements=n), lambda n: 1024,
        stage="route", judged_from=8, exponent=1.1,
    ),
    "tendons": Sweep(
        (1, 3, 10, 30, 100, 300), lambda n: chain(tendons=n), lambda n: 1024, judged_from=10
    ),
    "joints": Sweep(
        (2, 4, 8, 15, 30, 45, 60), lambda n: chain(joints=n), lambda n: 1024,
        judged_from=8, exponent=2.0,
    ),
}  # fmt: skip


def measure(name: str, sweep: Sweep, sizes, arguments) -> list[dict]:
    """One row for each size: least microseconds per world-step, bytes of a world."""
    sides, runs = [], []
    for size in sizes:
        model, worlds = sweep.model(size), sweep.worlds(size)
        commands = draw_commands(model, worlds, pull=0.55, count=8)
        side = Stepper(
            model, commands, precision=arguments.precision, num_threads=1, outputs=OUTPUTS
        )
        side.run(arguments.settle)
        steps = steps_for(side.run, arguments.seconds)
        sides.append(side)
        runs.append(lambda side=side, steps=steps, n=worlds: 1e6 * side.run(steps) / (steps * n))
    costs = alternate(runs, arguments.repeats)
    rows = []
    for size, side, cost in zip(sizes, sides, costs, strict=True):
        if side.bad_worlds():
            raise SystemExit(f"growth: {name} {size}: {side.bad_worlds()} worlds failed")
        row = {
            "sweep": name,
            "size": size,
            "worlds": side.sim.num_worlds,
            "precision": arguments.precision,
            "backend": side.sim.options["backend"],
            "step_us": round(min(cost), 4),
            "stage": sweep.stage,
            "stage_us": "",
            **{f"{part}_bytes": round(size) for part, size in side.sim.memory().items()},
        }
        if sweep.stage:
            found = [stage_time(side.sim, sweep.stage) for _ in range(arguments.repeats)]
            row["stage_us"] = round(min(found), 4)
        rows.append(row)
    return rows


def stage_time(sim, stage: str) -> float:
    """Microseconds per world of the first pass of a stage, of one step (the second is the refresh)."""
    return 1e6 * next(t for name, t in sim.profile(1) if name == stage) / sim.num_worlds


def verdict(sweep: Sweep, rows: list[dict]) -> str:
    """What was found of what is asked, in words."""
    what = "stage_us" if sweep.stage else "step_us"
    judged = [row for row in rows if row["size"] >= sweep.judged_from]
    if len(judged) < 2:
        return f"fewer than two sizes from {sweep.judged_from} on: nothing to judge"
    size, time = (np.array([row[key] for row in judged]) for key in ("size", what))
    exponent = float(np.polyfit(np.log(size), np.log(time), 1)[0])
    spread = float(time.max() / time.min())
    asked = []
    if sweep.exponent < math.inf:
        asked.append((f"exponent <= {sweep.exponent}", exponent <= sweep.exponent))
    if sweep.spread < math.inf:
        asked.append((f"largest / least <= {sweep.spread}", spread <= sweep.spread))
    if sweep.state_bytes < math.inf:
        most = max(row["state_bytes"] for row in rows)
        text = f"state and commands <= {sweep.state_bytes} bytes ({most})"
        asked.append((text, most <= sweep.state_bytes))
    judgement = "; ".join(f"{text}: {'holds' if holds else 'FAILS'}" for text, holds in asked)
    return (
        f"{sweep.stage or 'step'} time from {sweep.judged_from} on: exponent {exponent:.2f}, "
        f"largest / least {spread:.2f}; asked: {judgement or 'nothing'}"
    )


def main(argv: list[str] | None = None) -> int:
    parser = make_parser(__doc__, worlds=None)
    parser.add_argument("--sweeps", nargs="+", default=tuple(SWEEPS), choices=tuple(SWEEPS))
    parser.add_argument("--largest", type=int, default=2**20, help="leave out larger sizes")
    parser.add_argument("--precision", default="float32", choices=PRECISIONS)
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--seconds", type=float, default=0.1, help="of one repeat of one size")
    parser.add_argument("--settle", type=int, default=50, help="steps before anything is measured")
    arguments = parser.parse_args(argv)
    rows = []
    for name in arguments.sweeps:
        sweep = SWEEPS[name]
        sizes = [size for size in sweep.sizes if size <= arguments.largest]
        found = measure(name, sweep, sizes, arguments)
        for row in found:
            stage = f", {row['stage']} {row['stage_us']:.4f} us" if row["stage"] else ""
            print(
                f"{name:8} {row['size']:6} {row['step_us']:9.4f} us per world-step{stage}, bytes of a "
                f"world: state {row['state_bytes']}, outputs {row['outputs_bytes']}, workspace "
                f"{row['workspace_bytes']}"
            )
        print(f"{name}: {verdict(sweep, found)}", flush=True)
        rows += found
    file = result_file("growth", rows[0]["backend"], arguments.precision)
    write_rows(arguments.csv or file, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
