"""Steps with commands given ahead.   [IA-11]"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from flexor.errors import ArgumentError, ShapeError
from flexor.fields import FIELDS
from flexor.names import unknown

if TYPE_CHECKING:
    from flexor.simulation import Simulation


def roll_out(
    sim: Simulation, n: int, commands: dict, record: list, every: int, restore: bool, out: dict
) -> dict[str, np.ndarray]:
    """What `Simulation.rollout` does: everything is judged before the first step."""
    given = [_command(sim, name, values, n) for name, values in commands.items()]
    recorded = {}
    for name in record:
        if name not in FIELDS:
            raise unknown("Simulation.rollout: record", name, list(FIELDS))
        array = sim._array(name)
        shape = (sim.num_worlds, n // every, *array.shape[1:])
        recorded[name] = _target(name, out.get(name), shape, array.dtype)
    for name in out:
        if name not in recorded:
            raise unknown("Simulation.rollout: out", name, list(recorded))
    targets = [(FIELDS[name].number, values.reshape(-1)) for name, values in recorded.items()]
    sim._core.rollout(n, given, targets, every, restore)
    return recorded


def _command(sim: Simulation, name: str, values: np.ndarray, n: int):
    """(field, numbers of a command in its own type, whether they serve all worlds)."""
    legal = [name for name, row in FIELDS.items() if row.group == "command"]
    if name not in legal:
        raise unknown("Simulation.rollout: commands", name, legal)
    array = sim._array(name)
    shapes = [(worlds, n, *array.shape[1:]) for worlds in (sim.num_worlds, 1)]
    if values.shape not in shapes:
        raise ShapeError(
            f"Simulation.rollout: commands: {name}: shape {values.shape} given, "
            f"{' or '.join(str(shape) for shape in dict.fromkeys(shapes))} expected"
        )
    array._check_values(values, f"Simulation.rollout: commands: {name}")
    flat = np.ascontiguousarray(values, array.dtype).reshape(-1)
    return FIELDS[name].number, flat, values.shape[0] == 1


def _target(name: str, given, shape: tuple, dtype: np.dtype) -> np.ndarray:
    if given is None:
        return np.empty(shape, dtype)
    flags = given.flags
    if given.shape != shape:
        raise ShapeError(
            f"Simulation.rollout: out: {name}: shape {given.shape} given, {shape} expected"
        )
    if given.dtype != dtype or not flags.c_contiguous or not flags.writeable:
        order = "row-major" if flags.c_contiguous else "strided"
        access = "writable" if flags.writeable else "read-only"
        raise ArgumentError(
            f"Simulation.rollout: out: {name}: a {order} {access} array of {given.dtype} given; "
            f"legal: a row-major writable array of {dtype}"
        )
    return given
