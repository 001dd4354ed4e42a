"""Numbers of the model that may differ from world to world.   [IA-4]"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from flexor.errors import ShapeError
from flexor.model import ParameterInfo
from flexor.selection import world_indices

if TYPE_CHECKING:
    from flexor.simulation import Simulation


class Parameter:
    """One number (or vector) of the model in the worlds of a simulation.

    name, unit, legal, nominal, shape (of one world). `get()` -> (num_worlds, *shape), `set(...)`.
    """

    __slots__ = ("_simulation", "info")

    def __init__(self, simulation: Simulation, info: ParameterInfo):
        self._simulation = simulation
        self.info = info

    @property
    def name(self) -> str:
        """Path name."""
        return self.info.name

    @property
    def unit(self) -> str:
        """Unit of its numbers."""
        return self.info.unit

    @property
    def legal(self) -> str:
        """What numbers it may have."""
        return self.info.legal

    @property
    def nominal(self):
        """Its value in the model."""
        return self.info.nominal

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of its value in one world."""
        return self.info.shape

    def get(self) -> np.ndarray:
        """Values of all worlds, (num_worlds, *shape), float64, a copy."""
        values = np.asarray(self._simulation._core.parameter(self.name))
        return values.reshape(self._simulation.num_worlds, *self.shape)

    def set(self, values, worlds=None) -> None:
        """As `Simulation.set_parameter`."""
        self._simulation.set_parameter(self.name, values, worlds=worlds)

    def __array__(self, dtype=None, copy=None) -> np.ndarray:
        return np.asarray(self.get(), dtype=dtype)

    def __repr__(self) -> str:
        return f"<flexor.Parameter {self.name} [{self.unit}] nominal {self.nominal}>"


def set_parameter(sim: Simulation, name: str, values: np.ndarray, worlds) -> None:
    """What `Simulation.set_parameter` does with the numbers given."""
    count = sim.model.parameter(name).count
    selected = world_indices(worlds, sim.num_worlds, "Simulation.set_parameter")
    rows = sim.num_worlds if selected is None else selected.size
    legal = [(), (count,), (rows, count)] + ([(rows,)] if count == 1 else [])
    if values.shape not in legal:
        shapes = ", ".join(str(shape) for shape in dict.fromkeys(legal))
        raise ShapeError(f"parameter {name}: expected shape {shapes}, got {values.shape}")
    if rows == 0:
        return
    if values.shape == () and count > 1:
        values = np.broadcast_to(values, (count,))
    flat = np.ascontiguousarray(values, np.float64).reshape(-1)
    sim._core.set_parameter(name, flat, selected)
