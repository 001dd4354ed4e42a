"""Speed of a model: world-steps a second with new random commands at every step, memory, and how well
the solver converged. The headline is the median of the repeats."""

from __future__ import annotations

import statistics
import time

import numpy as np

import flexor
from flexor.cli.show import (
    Output,
    add_model_arguments,
    load,
    remark_warnings,
    simulate,
    table,
)
from flexor.errors import ConfigError
from flexor.random_commands import RandomCommands

HELP = "speed of a model"

#: different command sets that the timed loop goes through
COMMAND_SETS = 16


def add_arguments(parser) -> None:
    add_model_arguments(parser)
    parser.add_argument("--worlds", type=int, default=1024, metavar="N", help="number (1024)")
    parser.add_argument("--steps", type=int, default=0, metavar="N", help="of a repeat (by time)")
    parser.add_argument("--repeats", type=int, default=5, metavar="N", help="number (5)")
    parser.add_argument("--solver", default="auto", help="auto, active_set, jacobi, ...")
    parser.add_argument(
        "--refresh", action="store_true", help="with all read-outs at the end of every step"
    )


def measure(
    sim: flexor.Simulation, commands: list[np.ndarray], steps: int, refresh: bool, first: int = 0
) -> float:
    """Seconds for `steps` steps, each with another set of commands, from number `first` on."""
    view = sim.drive_force.numpy()
    begin = time.perf_counter()
    for i in range(first, first + steps):
        view[...] = commands[i % len(commands)]
        sim.step(1, refresh=refresh)
    return time.perf_counter() - begin


def main(arguments, out: Output):
    for name in ("repeats", "worlds"):
        if getattr(arguments, name) < 1:
            raise ConfigError(f"--{name}: {getattr(arguments, name)} is not >= 1")
    if arguments.steps < 0:
        raise ConfigError(f"--steps: {arguments.steps} is not >= 0")
    begin = time.perf_counter()
    model = load(arguments.file, strict=not arguments.lenient)
    load_seconds = time.perf_counter() - begin
    warnings = remark_warnings(model, arguments.file, out)
    begin = time.perf_counter()
    wanted = ("tendon_length", "tendon_tension", "solver_status", "solver_residual")
    outputs = "all" if arguments.refresh else wanted
    sim = simulate(model, arguments, arguments.worlds, outputs=outputs, solver=arguments.solver)
    make_seconds = time.perf_counter() - begin

    source = RandomCommands(model, arguments.seed)
    commands = [
        source.draw(sim.num_worlds).astype(sim.drive_force.dtype, order="K")
        for _ in range(COMMAND_SETS)
    ]
    measure(sim, commands, COMMAND_SETS, arguments.refresh)  # warm
    one = measure(sim, commands, COMMAND_SETS, arguments.refresh) / COMMAND_SETS
    steps = arguments.steps or int(np.clip(0.5 / max(one, 1e-9), COMMAND_SETS, 20000))

    rates, converged, residual = [], [], 0.0
    with out.progress(model.name, arguments.repeats) as advance:
        for _ in range(arguments.repeats):
            seconds = measure(sim, commands, steps, arguments.refresh)
            rates.append(steps * sim.num_worlds / seconds)
            converged.append(float(np.mean(sim.solver_status.numpy() == 0)))
            residual = max(residual, float(np.max(sim.solver_residual.numpy())))
            advance(1)
    rate, memory = statistics.median(rates), sim.memory()
    result = {
        "model": model.name,
        "worlds": sim.num_worlds,
        "steps": steps,
        "repeats": arguments.repeats,
        "options": sim.options,
        "refresh": arguments.refresh,
        "warnings": warnings,
        "world_steps_per_second": rate,
        "all_world_steps_per_second": rates,
        "microseconds_per_world_step": 1e6 / rate,
        "load_seconds": load_seconds,
        "init_seconds": make_seconds,
        "memory_per_world": memory,
        "converged_share": min(converged),
        "worst_residual": residual if np.isfinite(residual) else None,
        "failed_worlds": int(np.count_nonzero(sim.status.numpy() & int(flexor.Status.FROZEN))),
    }
    lines = table(f"{model.name} on {sim.options['backend']} {sim.precision}", "<what", "value")
    lines.add_row("worlds", f"{sim.num_worlds}")
    lines.add_row("threads", f"{sim.options['num_threads']}")
    lines.add_row("solver", f"{sim.options['solver']}")
    lines.add_row("refresh", "at every step" if arguments.refresh else "none")
    lines.add_row("outputs", outputs if isinstance(outputs, str) else ", ".join(outputs))
    lines.add_row("world-steps/s (median)", f"{rate:.4g}")
    lines.add_row("least ... most", f"{min(rates):.4g} ... {max(rates):.4g}")
    lines.add_row("microseconds a world-step", f"{1e6 / rate:.4g}")
    lines.add_row("load, make [s]", f"{load_seconds:.3f}, {make_seconds:.3f}")
    for part, size in memory.items():
        lines.add_row(f"{part} [bytes a world]", f"{size:.0f}")
    lines.add_row("converged share", f"{min(converged):.6f}")
    lines.add_row("worst residual [m/s]", f"{residual:.3g}")
    out.show(lines)
    return result, None
