"""States and commands of worlds, apart from the simulation they were taken from."""

from __future__ import annotations

import numpy as np

from flexor import _core, calls
from flexor.errors import ArgumentError
from flexor.fields import FIELDS


class Snapshot:
    """What `Simulation.get_state` gives and `set_state` takes: states and commands, bit for bit, kept
    as the simulation keeps them. It may be pickled.

    num_worlds; precision ("float32", "float64"); model_hash (of the model it belongs to).
    """

    __slots__ = ("_core",)

    def __init__(self, core):
        if not isinstance(core, _core.Snapshot):
            raise ArgumentError(
                f"Snapshot: core: {calls.shown(core)} given; legal: none, since a Snapshot comes from "
                "Simulation.get_state"
            )
        object.__setattr__(self, "_core", core)

    def __setattr__(self, name, value):
        raise AttributeError(f"a Snapshot is immutable: {name} cannot be set")

    @property
    def num_worlds(self) -> int:
        """Number of worlds."""
        return self._core.num_worlds

    @property
    def precision(self) -> str:
        """ "float32" or "float64"."""
        return self._core.precision

    @property
    def model_hash(self) -> str:
        """`Model.hash` of the model."""
        return self._core.model_hash

    def to_host(self) -> dict[str, np.ndarray]:
        """Copies by the names of the arrays: row-major, (num_worlds, ...), of their types."""
        return {
            name: self._host_array(row)
            for name, row in FIELDS.items()
            if row.group in ("state", "command")
            and (name != "qpos_compensation" or self.precision == "float32")
        }

    def _host_array(self, row) -> np.ndarray:
        count, kind, item, data = self._core.field(row.number)
        dtype = np.dtype(f"{kind}{item}")
        shape = (self.num_worlds,)
        if row.index != "world":
            shape = (*shape, count) if row.width == 1 else (*shape, count, row.width)
        if not data:  # wrenches that were not in use, or no entries
            return np.zeros(shape, dtype)
        columns = np.frombuffer(data, dtype).reshape(-1, self.num_worlds)
        return np.array(columns.T, order="C").reshape(shape)

    def __reduce__(self):
        return Snapshot, (self._core,)

    def __repr__(self) -> str:
        return (
            f"<flexor.Snapshot of {self.num_worlds} worlds, {self.precision}, "
            f"model {self.model_hash}>"
        )
