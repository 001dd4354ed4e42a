"""Comparison of two backends, precisions or thread counts on one model: `flexor.compare`."""

from __future__ import annotations

import numpy as np

from flexor import calls
from flexor.comparison import inputs
from flexor.comparison.fields import compared, every_bit
from flexor.comparison.invariants import Observer
from flexor.comparison.ladder import BALANCE, COMPARED, UNSOLVED, Ladder
from flexor.comparison.report import Report
from flexor.comparison.run import Run, shared_real
from flexor.comparison.side import Side
from flexor.errors import ConfigError
from flexor.model import Model
from flexor.simulation import MOST_WORLDS

__all__ = ["Report", "compare"]

MODES = ("shadow", "free", "stages")


def compare(
    model: Model,
    a: str = "reference",
    b: str = "cpu",
    *,
    worlds: int = 64,
    steps: int = 200,
    precision_a: str | None = None,
    precision_b: str | None = None,
    mode: str = "shadow",
    numeric: str = "fast",
    commands="random",
    states="random",
    seed: int = 0,
    tolerance="ladder",
    strict: bool = False,
    vary=False,
    inject=None,
    threads_a: int | None = None,
    threads_b: int | None = None,
    batch_b: int | None = None,
    shuffle_b: bool = False,
    inert="error",
    solver_a: str = "auto",
    solver_b: str = "auto",
) -> Report:
    """Run a model on two devices and measure how far they are apart.

    a, b: devices. precision_a, precision_b, threads_a, threads_b, solver_a, solver_b, inert: as for
        `Simulation`. batch_b: worlds of a batch of b; shuffle_b: its worlds in another order.
    mode: "shadow": before each step b takes a's state (rounded to what both can hold), so that every
        step is one comparison. "free": both run on; the first step is judged, then balances and
        means, and the growth of errors is kept. "stages": every output of each step from equal
        inputs, those before the solve at the pose where the step starts.
    numeric: "fast" or "strict"; changes nothing on reference and cpu.
    commands: "random" (drive forces inside their bounds, new at every step), "hold" (the model's),
        or {command array: values that broadcast to (worlds, steps, n)}.
    states: "random" (inside joint limits, rates N(0, 1)), "reset", or {state array: values}.
    tolerance: "ladder" [CM-3], or {array or wildcard: largest error}; the rest keeps the ladder.
    strict: equal bits of all arrays; stops at the first difference.
    vary: True, or names and wildcards of parameters, which every world scales by U(0.8, 1.2).
    inject: planted fault on side b, to see the check fail: {array: factor} on what is read of it,
        {parameter: factor} on the model, or "name:factor".
    """
    _check(model, mode, numeric, commands, states)
    worlds = calls.judge("compare", "worlds", calls.whole(1, MOST_WORLDS), worlds)
    steps = calls.judge("compare", "steps", calls.whole(1, 2**31 - 1), steps)
    seed = calls.judge("compare", "seed", calls.whole(0, 2**64 - 1), seed)
    if batch_b is not None:
        batch_b = calls.judge("compare", "batch_b", calls.whole(1, worlds), batch_b)
    names = every_bit(mode) if strict else compared(mode)
    array_faults, parameter_faults = inputs.faults(inject, model, names)
    order = np.random.default_rng(seed).permutation(worlds) if shuffle_b else None
    one = Side(model, worlds, device=a, precision=precision_a, num_threads=threads_a,
               solver=solver_a, inert=inert)  # fmt: skip
    other = Side(model, worlds, device=b, precision=precision_b, num_threads=threads_b,
                 solver=solver_b, inert=inert, batch=batch_b, order=order,
                 faults=array_faults)  # fmt: skip
    if strict and one.precision != other.precision:
        raise ConfigError(
            f"compare: strict: {one.precision} against {other.precision}; legal: equal precisions"
        )
    rng = np.random.default_rng([seed, 1])
    varied = inputs.vary(vary, [one, other], rng) if vary else 0
    for name, factor in parameter_faults.items():
        other.set_parameter(name, factor * other.parameter(name).reshape(worlds, -1))
    inputs.start(states, [one, other], rng, shared_real(one, other))

    ladder = Ladder(tolerance, one, other, numeric, mode, names)
    run = Run(one, other, mode, [] if strict else names, ladder)
    sequence = inputs.command_steps(commands, [one, other], steps, seed)
    report = Report(
        about={
            "model": model.name,
            "model_hash": model.hash,
            "mode": mode,
            "strict": bool(strict),
            "numeric": numeric,
            "worlds": worlds,
            "steps": steps,
            "seed": seed,
            "rung": "bits" if strict else ladder.rung,
            "varied_parameters": varied,
            "inject": {**array_faults, **parameter_faults},
            "a": one.options,
            "b": other.options | {"shuffled": bool(shuffle_b)},
        }
    )
    if strict:
        report.first_difference = run.strict(sequence)
        return report
    observer = Observer(one, other) if mode == "free" and "body_wrench" not in commands else None
    run.advance(sequence, observer)
    report.fields = [tally.row() for tally in run.tallies.values()]
    report.curves = {name: tally.curve for name, tally in run.tallies.items()}
    report.left_out = run.left_out
    report.about["condition"] = run.condition
    if observer is not None:
        tolerances = {"a": BALANCE[one.precision], "b": BALANCE[other.precision]}
        report.invariants = observer.rows(
            ladder.scales, tolerances, ladder.row.step, run.tension_slack
        )
    report.checks = _checks(run, ladder)
    return report


def _check(model, mode, numeric, commands, states) -> None:
    if not isinstance(model, Model):
        raise TypeError(f"compare: model: expected a flexor.Model, got {type(model).__name__}")
    for argument, value, legal, is_open in (
        ("mode", mode, MODES, False),
        ("numeric", numeric, ("fast", "strict"), False),
        ("commands", commands, ("random", "hold"), True),
        ("states", states, ("random", "reset"), True),
    ):
        if is_open and isinstance(value, dict):
            continue
        if not isinstance(value, str) or value not in legal:
            words = ", ".join(repr(word) for word in legal) + (
                ", {array: values}" if is_open else ""
            )
            raise ConfigError(f"compare: {argument}: {value!r} is not one of {words}")


def _checks(run: Run, ladder: Ladder) -> list[dict]:
    """Conditions on the run as a whole: enough of it was compared, and b solves what a solves."""
    total = max(1, run.judged)
    alone = run.left_out["unsolved by b alone"] / total
    compared_share = 1 - sum(run.left_out.values()) / total
    limit = UNSOLVED[ladder.rung]
    return [
        {"name": "unsolved by b alone", "side": "b", "value": alone, "tolerance": limit,
         "ok": alone <= limit},
        {"name": "share of world-steps compared", "side": "a, b", "value": compared_share,
         "tolerance": COMPARED, "ok": compared_share >= COMPARED},
    ]  # fmt: skip
