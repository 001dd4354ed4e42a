"""The main job: thousands of tendon-driven fingers and arms under random commands, on all CPUs, next
to the plain float64 reference path. Prints a table; writes out/<model>.csv and out/<model>.png, which
sample six worlds every 0.01 s from t = 0 on (no step was made then: no tension yet).

Usage: python -m flexor.demo [--worlds 4096] [--seconds 2] [--out out]
"""

from __future__ import annotations

import argparse
import csv
import os
import pathlib
import sys
import time
from dataclasses import dataclass, field

import numpy as np

import flexor
from flexor.cli.show import Output, noise_of, number, table
from flexor.random_commands import RandomCommands

#: simulated seconds for which a random command holds
HOLD = 0.05
#: worlds that are compared with the reference path
COMPARED_WORLDS = 16
#: equally spaced steps that are compared
COMPARED_STEPS = 20
#: a tendon is slack within this much of no tension, and pushes beyond it [N]
SLACK = 1e-3
#: worlds drawn in the plot, and how often the trace is sampled [s]
DRAWN_WORLDS = 6
SAMPLE_EVERY = 0.01

#: compared quantities; scale of the error where values are small
SCALES = {"qpos": 1.0, "qvel": 1.0, "tendon_length": None, "tendon_tension": 10.0}

OUTPUTS = ("tendon_length", "tendon_tension", "solver_status", "solver_residual")


def shared_folder() -> pathlib.Path:
    """Folder of public models beside the project (FLEXOR_SHARED overrides); may be absent."""
    given = os.environ.get("FLEXOR_SHARED")
    return pathlib.Path(given) if given else pathlib.Path(__file__).resolve().parents[3] / "shared"


@dataclass
class Trace:
    """Samples of the first worlds over time, for CSV and plot."""

    time: list = field(default_factory=list)
    length: list = field(default_factory=list)  # (drawn worlds, tendons) each
    tension: list = field(default_factory=list)

    def sample(self, sim: flexor.Simulation) -> None:
        self.time.append(float(sim.time.numpy()[0]))
        self.length.append(sim.tendon_length.numpy()[:DRAWN_WORLDS].copy())
        self.tension.append(sim.tendon_tension.numpy()[:DRAWN_WORLDS].copy())


@dataclass
class Result:
    """What one run gave."""

    model: flexor.Model
    sim: flexor.Simulation
    trace: Trace
    seconds: float = 0.0  # in step() alone
    steps: int = 0
    unconverged: int = 0  # world-steps among those looked at
    looked_at: int = 0
    worst_residual: float = 0.0
    slack: np.ndarray | None = None  # share of samples, per tendon
    pushing: np.ndarray | None = None
    errors: dict = field(default_factory=dict)

    @property
    def rate(self) -> float:
        return self.steps * self.sim.num_worlds / self.seconds


class Reference:
    """The reference path, taking single steps from the states of the batch's first worlds."""

    def __init__(self, model: flexor.Model, batch: flexor.Simulation, inert):
        self.batch = batch
        self.count = min(COMPARED_WORLDS, batch.num_worlds)
        self.sim = flexor.Simulation(
            model, self.count, device="reference", outputs=OUTPUTS, inert=inert
        )
        self.errors: dict[str, float] = {}

    def take_state(self) -> None:
        """States and commands of the batch before its step."""
        for name, row in flexor.FIELDS.items():
            if row.group in ("state", "command") and name != "qpos_compensation":
                ours, theirs = getattr(self.sim, name), getattr(self.batch, name)
                ours.numpy()[...] = theirs.numpy()[: self.count]
        if self.batch.precision == "float32":  # the reference has no remainder: q is the sum
            q = self.batch.qpos.numpy()[: self.count].astype(np.float64)
            self.sim.qpos.numpy()[...] = q + self.batch.qpos_compensation.numpy()[: self.count]

    def compare(self) -> None:
        """One step of the reference against the batch's: largest relative differences."""
        self.sim.step(1, refresh=False)
        for name, scale in SCALES.items():
            a = getattr(self.sim, name).numpy()
            b = getattr(self.batch, name).numpy()[: self.count].astype(np.float64)
            if a.size == 0:
                continue
            floor = np.abs(a).max() if scale is None else scale
            difference = np.abs(a - b) / np.maximum(np.maximum(np.abs(a), np.abs(b)), floor)
            self.errors[name] = max(self.errors.get(name, 0.0), float(difference.max()))


def run(name: str, model: flexor.Model, arguments, out: Output, inert="error") -> Result:
    """Simulate `model` in all worlds under random commands."""
    sim = flexor.Simulation(model, arguments.worlds, outputs=OUTPUTS, inert=inert)
    out.remark(f"{name}: {sim.num_worlds} worlds on {sim.options['backend']} {sim.precision}")
    result = Result(model, sim, Trace())
    reference = Reference(model, sim, inert)
    commands = RandomCommands(model, seed=1)
    h = model.timestep
    steps = max(1, round(arguments.seconds / h))
    hold, sample = max(1, round(HOLD / h)), max(1, round(SAMPLE_EVERY / h))
    compared = set(np.linspace(0, steps - 1, COMPARED_STEPS).round().astype(int).tolist())
    slack, pushing, samples = np.zeros(model.tendon_count), np.zeros(model.tendon_count), 0
    sim.forward()
    result.trace.sample(sim)
    with out.progress(name, steps) as advance:
        for step in range(steps):
            if step % hold == 0:
                sim.drive_force.numpy()[...] = commands.draw(sim.num_worlds)
            if step in compared:
                reference.take_state()
            begin = time.perf_counter()
            sim.step(1, refresh=False)
            result.seconds += time.perf_counter() - begin
            if step in compared:
                reference.compare()
            if (step + 1) % sample == 0:
                sim.forward()  # lengths at the end of the step
                result.trace.sample(sim)
                tension = sim.tendon_tension.numpy()
                slack += np.mean(np.abs(tension) <= SLACK, axis=0)
                pushing += np.mean(tension < -SLACK, axis=0)
                samples += 1
                result.looked_at += sim.num_worlds
                result.unconverged += int(np.count_nonzero(sim.solver_status.numpy()))
                residual = float(np.max(sim.solver_residual.numpy()))
                result.worst_residual = max(result.worst_residual, residual)
            advance(1)
    sim.forward()
    result.steps = steps
    result.slack, result.pushing = slack / max(1, samples), pushing / max(1, samples)
    result.errors = reference.errors
    return result


def show(name: str, result: Result, out: Output) -> None:
    sim, model = result.sim, result.model
    lines = table(
        f"{name}: {sim.num_worlds} worlds after {float(sim.time.numpy()[0]):.3g} s",
        "<tendon", "length least", "mean", "most [m]", "tension least", "mean", "most [N]", "slack",
        "pushes",
    )  # fmt: skip
    length = sim.tendon_length.numpy().astype(np.float64)
    tension = sim.tendon_tension.numpy().astype(np.float64)
    for t, tendon in enumerate(model.names("tendon")):
        columns = [f(x[:, t]) for x in (length, tension) for f in (np.min, np.mean, np.max)]
        noise = noise_of(sim.tendon_tension.numpy())
        shares = (f"{100 * share[t]:.1f} %" for share in (result.slack, result.pushing))
        lines.add_row(tendon, *(number(x, 4, noise) for x in columns), *shares)
    out.show(lines)
    lines = table("", "<what", "value")
    lines.add_row("world-steps/s", f"{result.rate:,.0f}")
    lines.add_row("backend, threads", f"{sim.options['backend']}, {sim.options['num_threads']}")
    lines.add_row("converged share", f"{1 - result.unconverged / max(1, result.looked_at):.6f}")
    lines.add_row("worst residual [m/s]", f"{result.worst_residual:.2e}")
    bad = int(np.count_nonzero(sim.status.numpy() & int(flexor.Status.NONFINITE_STATE)))
    lines.add_row("diverged worlds", f"{bad}")
    for quantity, error in result.errors.items():
        lines.add_row(f"{quantity} against reference, relative", f"{error:.2e}")
    out.show(lines)


def write_csv(name: str, result: Result, file: pathlib.Path) -> None:
    """One row a sample: time, then length and tension of every tendon in the drawn worlds."""
    trace, tendons = result.trace, result.model.names("tendon")
    worlds = range(trace.length[0].shape[0])
    with file.open("w", newline="", encoding="utf-8") as stream:
        rows = csv.writer(stream)
        rows.writerow(
            ["time"]
            + [f"{q}:{t}:world{w}" for w in worlds for t in tendons for q in ("length", "tension")]
        )
        for k, t in enumerate(trace.time):
            pairs = np.stack([trace.length[k], trace.tension[k]], axis=-1)
            rows.writerow([f"{t:.6g}"] + [f"{x:.7g}" for x in pairs.ravel()])


def plot(name: str, result: Result, file: pathlib.Path) -> bool:
    """Tensions and lengths of world 0 over a band of the drawn worlds. False without matplotlib."""
    try:
        import matplotlib
    except ImportError:
        return False
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    trace = result.trace
    figure, axes = plt.subplots(2, 1, sharex=True, figsize=(9, 7), layout="constrained")
    for axis, data, label in (
        (axes[0], np.array(trace.tension), "tension [N]"),
        (axes[1], 1e3 * np.array(trace.length), "length [mm]"),
    ):
        for t, tendon in enumerate(result.model.names("tendon")):
            (line,) = axis.plot(trace.time, data[:, 0, t], label=tendon, linewidth=1.3)
            axis.fill_between(
                trace.time, data[:, :, t].min(axis=1), data[:, :, t].max(axis=1),
                color=line.get_color(), alpha=0.12, linewidth=0,
            )  # fmt: skip
        axis.set_ylabel(label)
        axis.grid(alpha=0.3)
    axes[0].set_title(
        f"{name}: world 0, and the range of {len(trace.length[0])} worlds, every {SAMPLE_EVERY:g} s"
    )
    axes[0].legend(loc="upper right", fontsize="small", ncols=2)
    axes[1].set_xlabel("time [s]")
    figure.savefig(file, dpi=130)
    plt.close(figure)
    return True


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="flexor.demo", description=__doc__.split("\n\n")[0])
    parser.add_argument("--worlds", type=int, default=4096, help="number of worlds (4096)")
    parser.add_argument("--seconds", type=float, default=2.0, help="simulated time (2)")
    parser.add_argument(
        "--out", type=pathlib.Path, default=pathlib.Path("out"), help="folder (out)"
    )
    arguments = parser.parse_args(argv)
    out = Output()
    begin = time.perf_counter()
    arguments.out.mkdir(parents=True, exist_ok=True)

    jobs = [("three_joint_finger", flexor.models.load("three_joint_finger"), "error")]
    arm = shared_folder() / "models" / "mujoco" / "arm26.xml"
    if arm.is_file():
        jobs.append(("arm26", flexor.load_model(arm), "*"))
    else:
        jobs.append(("two_joint_arm", flexor.models.load("two_joint_arm"), "error"))

    worst = 0
    for name, model, inert in jobs:
        result = run(name, model, arguments, out, inert)
        show(name, result, out)
        files = [arguments.out / f"{name}.csv"]
        write_csv(name, result, files[0])
        picture = arguments.out / f"{name}.png"
        if plot(name, result, picture):
            files.append(picture)
        else:
            out.remark("no plot: pip install 'flexor[view]'")
        out.show("wrote " + " and ".join(str(f) for f in files) + "\n")
        if not np.all(np.isfinite(result.sim.qpos.numpy())):
            worst = 5
    out.show(f"done in {time.perf_counter() - begin:.1f} s")
    return worst


if __name__ == "__main__":
    sys.exit(main())
