"""States and commands of worlds, taken out and put back as arrays of the host."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from flexor.errors import ShapeError
from flexor.fields import FIELDS
from flexor.names import unknown

if TYPE_CHECKING:
    from flexor.simulation import Simulation


def _names(sim: Simulation) -> list[str]:
    """State and command arrays that this batch keeps."""
    return [
        name
        for name, row in FIELDS.items()
        if row.group in ("state", "command")
        and (name != "qpos_compensation" or sim.precision == "float32")
    ]


def get_state(sim: Simulation, selected: np.ndarray | None) -> dict[str, np.ndarray]:
    """What `Simulation.get_state` returns for worlds given by their indices."""
    rows = slice(None) if selected is None else selected
    return {
        name: np.array(sim._array(name).numpy()[rows], order="C", copy=True) for name in _names(sim)
    }


def set_state(sim: Simulation, state: dict[str, np.ndarray], selected: np.ndarray | None) -> None:
    """What `Simulation.set_state` does: all is judged before anything is written."""
    legal = _names(sim)
    count = sim.num_worlds if selected is None else selected.size
    judged = []
    for name, values in state.items():
        if name not in legal:
            raise unknown("Simulation.set_state: state", name, legal)
        array = sim._array(name)
        expected = (count, *array.shape[1:])
        if values.shape != expected:
            raise ShapeError(
                f"Simulation.set_state: state {name}: shape {values.shape} given, "
                f"{expected} expected"
            )
        judged.append(
            (array, array._judged(values, selected, f"Simulation.set_state: state {name}"))
        )
    rows = slice(None) if selected is None else selected
    for array, values in judged:
        array.numpy()[rows] = values
