"""What both sides start from: random states, commands and parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase

import numpy as np

from flexor import calls
from flexor.comparison.side import Side
from flexor.errors import ConfigError, ShapeError
from flexor.fields import FIELDS
from flexor.model import Model
from flexor.names import unknown
from flexor.random_commands import RandomCommands

#: range of a joint without limits about its reference [rad, m]
_UNLIMITED = 1.0
#: a free joint's origin about its reference [m]
_FREE = 0.5
#: factors of varied parameters
_VARIED = (0.8, 1.2)


def random_states(model: Model, num_worlds: int, rng) -> tuple[np.ndarray, np.ndarray]:
    """qpos (worlds, nq) inside joint limits with uniform orientations; qvel (worlds, nv) from
    N(0, 1)."""
    q = np.tile(model.qpos0, (num_worlds, 1))
    for i, joint in enumerate(model.joints):
        at = model.qpos_slice(i)
        width = at.stop - at.start
        if width == 1:
            low, high = joint.lower, joint.upper
            low = low if np.isfinite(low) else min(model.qpos0[at.start], high) - _UNLIMITED
            high = high if np.isfinite(high) else max(model.qpos0[at.start], low) + _UNLIMITED
            q[:, at.start] = rng.uniform(low, high, num_worlds)
        elif width >= 4:
            if width == 7:
                q[:, at.start : at.start + 3] += rng.uniform(-_FREE, _FREE, (num_worlds, 3))
            turn = rng.normal(size=(num_worlds, 4))
            q[:, at.stop - 4 : at.stop] = turn / np.linalg.norm(turn, axis=1, keepdims=True)
    return q, rng.normal(size=(num_worlds, model.nv))


def start(states, sides: list[Side], rng, real: np.dtype) -> None:
    """Puts both sides into the same worlds, with numbers that both can hold."""
    model, num_worlds = sides[0].model, sides[0].num_worlds
    if isinstance(states, str):
        q, v = random_states(model, num_worlds, rng)
        states = {"qpos": q, "qvel": v} if states == "random" else {}
    rows = {}
    for name, values in states.items():
        if name not in FIELDS or FIELDS[name][2] != "state":
            raise unknown(
                "compare: states", name, [n for n, r in FIELDS.items() if r[2] == "state"]
            )
        rows[name] = _spread(f"states: {name}", values, sides[0].read(name).shape)
    for side in sides:
        side.reset()
        for name, values in rows.items():
            side.write(name, values.astype(real) if values.dtype.kind == "f" else values)
        side.forward()


def _spread(what: str, values, shape: tuple[int, ...]) -> np.ndarray:
    try:
        return np.broadcast_to(np.asarray(values), shape)
    except ValueError:
        raise ShapeError(
            f"compare: {what}: expected values that broadcast to {shape}, got {np.shape(values)}"
        ) from None


def command_steps(commands, sides: list[Side], steps: int, seed: int) -> Iterator[dict]:
    """For each step the command arrays to write: {name: (worlds, n)}."""
    model, num_worlds = sides[0].model, sides[0].num_worlds
    if isinstance(commands, str):
        source = RandomCommands(model, seed)
        for _ in range(steps):
            yield {"drive_force": source.draw(num_worlds)} if commands == "random" else {}
        return
    for name in commands:
        if name not in FIELDS or FIELDS[name][2] != "command":
            raise unknown("compare: commands", name, [n for n, r in FIELDS.items() if r[2] == "command"])  # fmt: skip
    given = {}
    for name, values in commands.items():
        width = sides[0].read(name).shape[1:]
        given[name] = _spread(f"commands: {name}", values, (num_worlds, steps, *width))
    for step in range(steps):
        yield {name: values[:, step] for name, values in given.items()}


def vary(patterns, sides: list[Side], rng) -> int:
    """Scales parameters of every world by U(0.8, 1.2), the same on both sides; bounds of an element
    share one factor, so that their order stays. Returns how many parameters vary.

    patterns: True for all, or names and wildcards.
    """
    names = ("*",) if patterns is True else (patterns,) if isinstance(patterns, str) else patterns
    table = sides[0].model.parameters()
    for pattern in names:
        if not any(fnmatchcase(info.name, pattern) for info in table):
            raise unknown("compare: vary", pattern, [info.name for info in table])
    factors: dict[str, np.ndarray] = {}
    varied = []
    for info in table:
        factor = rng.uniform(*_VARIED, sides[0].num_worlds)
        element, _, kind = info.name.rpartition("/")
        if kind.endswith(("lower", "upper")):
            factor = factors.setdefault(element, factor)
        nominal = np.atleast_1d(np.asarray(info.nominal, np.float64))
        is_number = np.any(np.isfinite(nominal) & (nominal != 0))
        if is_number and any(fnmatchcase(info.name, pattern) for pattern in names):
            values = factor[:, None] * nominal
            varied.append((info, np.minimum(values, 1) if info.legal == "in [0, 1]" else values))
    for side in sides:
        for info, values in varied:  # bounds first move apart: they never cross on the way
            if info.name.endswith("lower"):
                side.set_parameter(info.name, np.minimum(values, info.nominal))
            elif info.name.endswith("upper"):
                side.set_parameter(info.name, np.maximum(values, info.nominal))
        for info, values in varied:
            side.set_parameter(info.name, values)
    return len(varied)


def _texts(value) -> list[str]:
    texts = list(value)
    if not all(isinstance(text, str) for text in texts):
        raise TypeError
    return texts


_FAULTS = calls.Kind("{name: factor}, 'name:factor' or a list of such texts", _texts)


def faults(inject, model: Model, legal: list[str]) -> tuple[dict[str, float], dict[str, float]]:
    """Planted faults as (array -> factor, parameter -> factor), of {name: factor}, "name:factor" or
    a list of such texts."""
    if inject is None:
        return {}, {}
    if not isinstance(inject, Mapping):
        texts = (
            [inject]
            if isinstance(inject, str)
            else calls.judge("compare", "inject", _FAULTS, inject)
        )
        inject = dict(text.rpartition(":")[::2] for text in texts)
    arrays, parameters = {}, {}
    for name, factor in inject.items():
        try:
            number = float(factor)
        except (TypeError, ValueError):
            number = np.nan
        if not np.isfinite(number):
            raise ConfigError(
                f"compare: inject: {name!r}:{factor!r} is not name:factor with a number"
            )
        if "/" in name:
            model.parameter(name)
            parameters[name] = number
        elif name in legal:
            arrays[name] = number
        else:
            raise unknown("compare: inject", name, legal)
    return arrays, parameters
