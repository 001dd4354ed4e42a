"""One of the two simulations of a comparison, whatever its batch size and the order of its worlds."""

from __future__ import annotations

import numpy as np

from flexor.comparison.fields import MATRICES
from flexor.model import Model
from flexor.simulation import Simulation


class Side:
    """`num_worlds` worlds of a model in batches of `batch` worlds, in any order; read and written in
    the order that both sides share.

    options: as for `Simulation`. order: permutation, place i of this side holds world order[i].
    faults: array name -> factor put on what is read of it.
    """

    def __init__(
        self, model: Model, num_worlds: int, *, batch=None, order=None, faults=(), **options
    ):
        self.model, self.num_worlds = model, num_worlds
        order = np.arange(num_worlds) if order is None else order
        size = batch or num_worlds
        self._worlds = [order[i : i + size] for i in range(0, num_worlds, size)]
        self._sims = [Simulation(model, len(w), **options) for w in self._worlds]
        self._faults = dict(faults)
        self.options = {**self._sims[0].options, "num_worlds": num_worlds, "batch": size}
        self.precision = self._sims[0].precision
        self.device = self._sims[0].device

    @property
    def real(self) -> np.dtype:
        return np.dtype(self.precision)

    def __str__(self) -> str:
        return f"{self.options['backend']} {self.precision}"

    def _gather(self, parts: list[np.ndarray]) -> np.ndarray:
        out = np.empty((self.num_worlds, *parts[0].shape[1:]), parts[0].dtype)
        for worlds, part in zip(self._worlds, parts, strict=True):
            out[worlds] = part
        return out

    def read(self, name: str) -> np.ndarray:
        """Copy of an array (or matrix) of all worlds, with the planted fault if it has one."""
        if name in MATRICES:
            values = self._gather([getattr(s, name)() for s in self._sims])
        else:
            values = self._gather([getattr(s, name).numpy() for s in self._sims])
        if name in self._faults and values.dtype.kind == "f":
            with np.errstate(over="ignore"):
                values = (values * self._faults[name]).astype(values.dtype)
        return values

    def names(self, name: str) -> tuple[str, ...]:
        """Component names of an array; rows and columns of matrices are coordinates."""
        return self._sims[0].qvel.names if name in MATRICES else getattr(self._sims[0], name).names

    def write(self, name: str, values: np.ndarray) -> None:
        for worlds, sim in zip(self._worlds, self._sims, strict=True):
            getattr(sim, name).numpy()[...] = values[worlds]

    def state(self) -> dict[str, np.ndarray]:
        """All states and commands, without planted faults."""
        parts = [sim.get_state().to_host() for sim in self._sims]
        return {name: self._gather([part[name] for part in parts]) for name in parts[0]}

    def take(self, state: dict[str, np.ndarray]) -> None:
        """Takes over what `state` gave, of either precision."""
        for name, values in state.items():
            if name != "qpos_compensation":
                self.write(name, values)
        if self.precision == "float32":
            zero = np.zeros((self.num_worlds, self.model.nq), np.float32)
            self.write("qpos_compensation", state.get("qpos_compensation", zero))

    def set_parameter(self, name: str, values: np.ndarray) -> None:
        """values: (num_worlds,) or (num_worlds, count)."""
        for worlds, sim in zip(self._worlds, self._sims, strict=True):
            sim.set_parameter(name, values[worlds])

    def parameter(self, name: str) -> np.ndarray:
        return self._gather([sim.parameter(name).get() for sim in self._sims])

    def guard_resets(self) -> np.ndarray:
        """How often the guard has reset each world."""
        return self._gather([np.asarray(sim.guard_resets) for sim in self._sims])

    def reset(self) -> None:
        for sim in self._sims:
            sim.reset()

    def step(self, refresh: bool = True) -> None:
        for sim in self._sims:
            sim.step(1, refresh=refresh)

    def forward(self) -> None:
        for sim in self._sims:
            sim.forward()


def round_state(state: dict[str, np.ndarray], real: np.dtype) -> dict[str, np.ndarray]:
    """The nearest state that arrays of another precision can hold."""
    with np.errstate(over="ignore"):
        return {
            name: values.astype(real) if name != "time" and values.dtype.kind == "f" else values
            for name, values in state.items()
        }
