"""Run a model for a while and show where it got to. Commands: --command deep=-5 writes drive_force
of the tendon "deep"; --command drive_target_length:deep=0.1 any command array."""

from __future__ import annotations

import csv
import math
import sys
import time

import numpy as np

import flexor
from flexor.cli.show import (
    FileError,
    Output,
    OutputFile,
    UsageError,
    add_model_arguments,
    load,
    noise_of,
    number,
    remark_warnings,
    shown,
    simulate,
    table,
)
from flexor.errors import ConfigError
from flexor.names import unknown

HELP = "run a model"

#: in one run
MOST_STEPS = 2**31 - 1


def add_arguments(parser) -> None:
    add_model_arguments(parser)
    parser.add_argument(
        "--duration", type=float, default=1.0, metavar="SECONDS", help="simulated time (1)"
    )
    parser.add_argument("--worlds", type=int, default=1, metavar="N", help="number of worlds (1)")
    parser.add_argument(
        "--command",
        dest="commands",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="[array:]element=value, in every world (repeatable)",
    )
    parser.add_argument("--solver", default="auto", help="auto, active_set, jacobi, ...")
    parser.add_argument(
        "--csv",
        action=OutputFile,
        has_stdout=True,
        metavar="FILE",
        help="write world 0 at every step ('-': stdout)",
    )
    parser.add_argument(
        "--allow-failed",
        type=int,
        default=0,
        metavar="N",
        help="diverged worlds that are all right",
    )


def apply_commands(sim: flexor.Simulation, commands: list[str]) -> dict[str, float]:
    """Write each [array:]element=value. UnknownNameError, ConfigError."""
    applied = {}
    for text in commands:
        name, equals, value = text.rpartition("=")
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if not equals or not name or not math.isfinite(number):
            raise ConfigError(f"--command: {text!r} is not [array:]element=value with a number")
        array, colon, element = name.partition(":")
        if not colon:
            array, element = "drive_force", name
        legal = [n for n, row in flexor.FIELDS.items() if row.group == "command"]
        if array not in legal:
            raise unknown("--command", array, legal)
        getattr(sim, array).at(element).set(
            int(number) if getattr(sim, array).dtype.kind == "u" else number
        )
        applied[f"{array}:{element}"] = number
    return applied


#: target array -> the gain without which it does nothing: a command array or a joint's parameter
GAINS = {
    "drive_target_length": "drive_position_gain",
    "drive_target_velocity": "drive_velocity_gain",
    "joint_target_position": "position_gain",
    "joint_target_velocity": "velocity_gain",
}


def idle_targets(sim: flexor.Simulation, commands: dict[str, float]) -> list[str]:
    """Remarks on targets that were given while their gain is 0."""
    remarks = []
    for command in commands:
        array, _, element = command.partition(":")
        if array not in GAINS:
            continue
        gain, what = GAINS[array], f"{GAINS[array]}:{element}"
        if array.startswith("drive"):
            values = getattr(sim, gain).at(element).numpy()
        else:
            what = f"joint/{element.partition('/')[0]}/{gain}"
            values = sim.parameter(what).get()
        if not np.any(values):
            remarks.append(f"--command {command} does nothing: {what} is 0")
    return remarks


class CsvWriter:
    """Rows of world 0: time, qpos, qvel, tendon lengths and tensions."""

    ARRAYS = ("qpos", "qvel", "tendon_length", "tendon_tension")

    def __init__(self, file: str, sim: flexor.Simulation):
        self.sim = sim
        try:
            self.file = sys.stdout if file == "-" else open(file, "w", newline="", encoding="utf-8")
        except OSError as error:
            raise FileError(f"--csv: {shown(file)}: {error.strerror}") from None
        self.rows = csv.writer(self.file)
        header = ["time"]
        for name in self.ARRAYS:
            header += [f"{name}:{label}" for label in getattr(sim, name).names]
        self.rows.writerow(header)

    def write(self) -> None:
        row = [float(self.sim.time.numpy()[0])]
        for name in self.ARRAYS:
            row += getattr(self.sim, name).numpy()[0].tolist()
        self.rows.writerow([repr(x) for x in row])

    def close(self) -> None:
        if self.file is not sys.stdout:
            self.file.close()


def status_counts(sim: flexor.Simulation) -> dict[str, int]:
    """How many worlds have each status bit."""
    status = sim.status.numpy()
    return {
        bit.name: count
        for bit in flexor.Status
        if (count := int(np.count_nonzero(status & int(bit)))) > 0
    }


def diverged(sim: flexor.Simulation) -> np.ndarray:
    """Worlds with a non-finite state now or in the past."""
    flags = int(flexor.Status.NONFINITE_STATE | flexor.Status.FROZEN | flexor.Status.SINGULAR_MASS)
    bad = (sim.status.numpy() & flags) != 0
    return bad | ~np.all(np.isfinite(sim.qpos.numpy()), axis=1)


def main(arguments, out: Output):
    if not (0 <= arguments.duration < math.inf):
        raise ConfigError(f"--duration: {arguments.duration} is not a finite time >= 0")
    if arguments.csv == "-" and arguments.json:
        raise UsageError("--csv - and --json both write to stdout; legal: --csv FILE with --json")
    model = load(arguments.file, strict=not arguments.lenient)
    warnings = remark_warnings(model, arguments.file, out)
    h = model.timestep
    if arguments.duration > MOST_STEPS * h:
        raise ConfigError(
            f"--duration: {arguments.duration:g} s given; legal: 0 to {MOST_STEPS * h:.6g} s "
            f"({MOST_STEPS} steps of {h:g} s)"
        )
    sim = simulate(model, arguments, arguments.worlds, solver=arguments.solver)
    commands = apply_commands(sim, arguments.commands)
    for text in idle_targets(sim, commands):
        out.remark(text)
    steps = round(arguments.duration / h)
    writer = CsvWriter(arguments.csv, sim) if arguments.csv else None
    block = 1 if writer else max(1, steps // 200)
    begin = time.perf_counter()
    sim.forward()
    try:
        with out.progress(model.name, steps) as advance:
            if writer:
                writer.write()
            for done in range(0, steps, block):
                count = min(block, steps - done)
                sim.step(count)
                advance(count)
                if writer:
                    writer.write()
    finally:
        if writer:
            writer.close()
    seconds = time.perf_counter() - begin

    if arguments.csv != "-":
        _show(out, sim)
    bad = int(np.count_nonzero(diverged(sim)))
    status = status_counts(sim)
    rate = steps * sim.num_worlds / max(seconds, 1e-9)
    if arguments.csv != "-":
        out.show(
            f"{steps} steps of {sim.num_worlds} {'world' if sim.num_worlds == 1 else 'worlds'} in {seconds:.2f} s on "
            f"{sim.options['backend']} {sim.precision}: {rate:.3g} world-steps/s"
        )
        for name, count in status.items():
            out.show(f"status {name}: {count} worlds")
    result = {
        "model": model.name,
        "worlds": sim.num_worlds,
        "steps": steps,
        "time": float(sim.time.numpy()[0]),
        "seconds": seconds,
        "world_steps_per_second": rate,
        "commands": commands,
        "warnings": warnings,
        "qpos": _finite_list(sim.qpos.numpy()[0]),
        "qvel": _finite_list(sim.qvel.numpy()[0]),
        "tendon_length": dict(
            zip(model.names("tendon"), _finite_list(sim.tendon_length.numpy()[0]), strict=True)
        ),
        "tendon_tension": dict(
            zip(model.names("tendon"), _finite_list(sim.tendon_tension.numpy()[0]), strict=True)
        ),
        "status": status,
        "failed": bad,
        "options": sim.options,
    }
    failed = None
    if bad > arguments.allow_failed:
        failed = f"{bad} of {sim.num_worlds} worlds diverged (allowed: {arguments.allow_failed})"
    return result, failed


def _finite_list(values: np.ndarray) -> list[float | None]:
    return [float(x) if np.isfinite(x) else None for x in values]


def _show(out: Output, sim: flexor.Simulation) -> None:
    """Numbers of the one world, or their mean and range over all worlds."""
    is_one = sim.num_worlds == 1
    worlds = "" if is_one else f", over {sim.num_worlds} worlds"
    if sim.model.nq:
        lines = table(f"t = {sim.time.numpy()[0]:.6g} s{worlds}",
                      "<coordinate", *(["value"] if is_one else ["mean", "least", "most"]))  # fmt: skip
        noise = noise_of(sim.qpos.numpy())
        for name, column in zip(sim.qpos.names, sim.qpos.numpy().T, strict=True):
            lines.add_row(name, *_spread(column, noise))
        out.show(lines)
    if sim.model.tendon_count:
        columns = ["<tendon", "length [m]", "rate [m/s]", "tension [N]"]
        lines = table(f"tendons{worlds}", *columns, *([] if is_one else ["least", "most"]))
        arrays = [
            sim.tendon_length.numpy(),
            sim.tendon_velocity.numpy(),
            sim.tendon_tension.numpy(),
        ]
        noise = [noise_of(a) for a in arrays]
        for t, name in enumerate(sim.model.names("tendon")):
            lines.add_row(
                name,
                number(arrays[0][:, t].mean()),
                number(arrays[1][:, t].mean(), 3, noise[1]),
                *_spread(arrays[2][:, t], noise[2]),
            )
        out.show(lines)


def _spread(column: np.ndarray, noise: float) -> list[str]:
    """Mean, least and most; of one world the number alone."""
    wide = column.astype(np.float64)
    values = (wide.mean(), wide.min(), wide.max()) if wide.size > 1 else (wide[0],)
    return [number(x, noise=noise) for x in values]
