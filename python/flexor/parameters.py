"""Numbers of the model that may differ from world to world.   [IA-4]"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase

import numpy as np

from flexor import _core, calls
from flexor.array import Array
from flexor.errors import ShapeError
from flexor.model import Model, ParameterInfo
from flexor.names import unknown
from flexor.selection import world_indices


class Parameter:
    """One number (or vector) of the model in the worlds of a simulation.

    name, unit, legal, nominal, shape (of one world), is_per_world. `get()` -> copy, `set(...)`.

    `numpy()`, `torch()`, `jax()`, NumPy and whatever speaks DLPack see the numbers where they lie:
    (num_worlds, *shape), float32 or float64 as the simulation, world fastest. Asking for that makes
    the parameter per world, which changes no bit; the memory stays where it is from then on. What is
    written there counts once `Simulation.commit` has been called.
    """

    __slots__ = ("_table", "info")

    def __init__(self, table: Parameters, info: ParameterInfo):
        self._table = table
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

    @property
    def is_per_world(self) -> bool:
        """Whether each world has a number of its own by now; False: one serves all."""
        return self._table._core.is_per_world(self.name)

    def get(self) -> np.ndarray:
        """Values of all worlds, (num_worlds, *shape), float64, a copy."""
        values = np.asarray(self._table._core.parameter_values(self.name))
        return values.reshape(self._table._num_worlds, *self.shape)

    @calls.checked(values=calls.numbers)
    def set(self, values, worlds=None) -> None:
        """As `Simulation.set_parameter`."""
        self._table._set(self.name, values, worlds, "Parameter.set")

    @property
    def _array(self) -> Array:
        return self._table._array(self.info)

    @calls.checked(copy=calls.optional(calls.flag))
    def numpy(self, copy: bool | None = None) -> np.ndarray:
        """View of the numbers; copy=True: a row-major copy."""
        return self._array.numpy(copy)

    def torch(self):
        """torch.Tensor over the same memory, made once. MissingExtraError without torch."""
        return self._array.torch()

    @calls.checked(copy=calls.optional(calls.flag))
    def jax(self, copy: bool | None = None):
        """jax.Array of a copy; copy=False: over the same memory. As `Array.jax`."""
        return self._array.jax(copy)

    @property
    def __array_interface__(self) -> dict:
        return self._array.__array_interface__

    def __dlpack_device__(self) -> tuple[int, int]:
        """(1, 0): memory of the processor."""
        return self._array.__dlpack_device__()

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        """As `Array.__dlpack__`."""
        return self._array.__dlpack__(
            stream=stream, max_version=max_version, dl_device=dl_device, copy=copy
        )

    def __repr__(self) -> str:
        return f"<flexor.Parameter {self.name} [{self.unit}] nominal {self.nominal}>"


class ParameterStack(Array):
    """Several parameters side by side: (num_worlds, k) or, of vectors, (num_worlds, k, n); `names` has
    those of the parameters. As an `Array`, and

    is_copy: whether it is a copy, which is read-only, because the parameters lie apart in memory;
        otherwise it is their memory, and what is written counts after `Simulation.commit`.
    """

    __slots__ = ("is_copy",)

    def __init__(self, owner, address, *, is_copy: bool, **facts):
        object.__setattr__(self, "is_copy", is_copy)
        super().__init__(owner, address, is_state=False, is_writable=not is_copy, **facts)


class Parameters(Mapping):
    """Every parameter of a simulation by name, in the order of the model's table.

    sim.parameters["tendon/deep/stiffness"].set(100.0)
    for name in sim.parameters: ...
    sim.parameters.match("tendon/*/stiffness")      # names
    sim.parameters.stack("tendon/*/stiffness")      # one array (num_worlds, k)
    """

    # no Simulation in here: it has this, and a cycle would hold the storage
    __slots__ = ("_arrays", "_core", "_device", "_model", "_names", "_num_worlds")

    def __init__(self, core, model: Model, num_worlds: int, device: str):
        self._core = core
        self._model = model
        self._num_worlds = num_worlds
        self._device = device
        self._names: tuple[str, ...] = ()
        self._arrays: dict[str, Array] = {}

    def _all_names(self) -> tuple[str, ...]:
        self._names = self._names or tuple(info.name for info in self._model.parameters())
        return self._names

    @calls.checked(name=calls.name)
    def __getitem__(self, name: str) -> Parameter:
        return Parameter(self, self._model._parameter(name, "Simulation.parameters"))

    def __iter__(self) -> Iterator[str]:
        return iter(self._all_names())

    def __len__(self) -> int:
        return len(self._all_names())

    def __repr__(self) -> str:
        return f"<flexor.Parameters of {self._model.name!r}: {len(self)}>"

    @calls.checked(pattern=calls.name)
    def match(self, pattern: str) -> list[str]:
        """Names that a pattern with wildcards (* also across /) meets, in the order of the table.
        UnknownNameError with the nearest if it meets none."""
        return self._matches(pattern, "Simulation.parameters.match")

    @calls.checked(pattern=calls.name)
    def stack(self, pattern: str) -> ParameterStack:
        """The parameters that a pattern meets as one array, per world from now on: (num_worlds, k)
        or, of vectors, (num_worlds, k, n). Where they lie evenly spaced in memory, as one kind of
        neighbours does, it is that memory; otherwise a read-only copy (`is_copy`).
        UnknownNameError as `match`; ShapeError if shapes differ."""
        call = "Simulation.parameters.stack"
        infos = [self._model.parameter(name) for name in self._matches(pattern, call)]
        for info in infos:
            if info.shape != infos[0].shape:
                raise ShapeError(
                    f"{call}: pattern: {infos[0].name} of shape {infos[0].shape} and {info.name} of "
                    f"shape {info.shape} met by {pattern!r}; legal: one shape"
                )
        arrays = [self._array(info) for info in infos]
        units = {info.unit for info in infos}
        facts = dict(
            name=pattern,
            shape=(self._num_worlds, len(infos), *infos[0].shape),
            dtype=arrays[0].dtype,
            unit=units.pop() if len(units) == 1 else "",
            doc=f"parameters {pattern}",
            names=[info.name for info in infos],
            device=self._device,
        )
        first = arrays[0]
        addresses = [array._address for array in arrays]
        gaps = set(np.diff(addresses).tolist())
        if len(gaps) <= 1:
            strides = (first.strides[0], gaps.pop() if gaps else 0, *first.strides[1:])
            owner = self._core.storage()
            return ParameterStack(owner, first._address, is_copy=False, strides=strides, **facts)
        numbers = np.stack([array.numpy() for array in arrays], axis=1)
        owner, address = _core.copy_of(numbers.reshape(-1).view(np.uint8))
        return ParameterStack(owner, address, is_copy=True, strides=numbers.strides, **facts)

    def _matches(self, pattern: str, call: str) -> list[str]:
        names = self._all_names()
        found = [name for name in names if name == pattern or fnmatchcase(name, pattern)]
        if found:
            return found
        parts = pattern.split("/")
        # names with the pattern's own wildcards in place: those are what it may have meant
        alike = dict.fromkeys(
            "/".join("*" if part == "*" else word for part, word in zip(parts, words, strict=True))
            for words in (name.split("/") for name in names)
            if len(words) == len(parts)
        )
        raise unknown(f"{call}: pattern", pattern, [*alike, *names])

    def _array(self, info: ParameterInfo) -> Array:
        array = self._arrays.get(info.name)
        if array is None:
            address, dtype, shape, strides = self._core.parameter(info.name)
            array = self._arrays[info.name] = Array(
                self._core.storage(),
                address,
                name=info.name,
                shape=shape,
                dtype=dtype,
                strides=strides,
                unit=info.unit,
                doc=f"parameter {info.name}, legal: {info.legal}",
                names=[info.name],
                device=self._device,
                is_state=False,
                is_writable=True,
            )
        return array

    def _set(self, name: str, values: np.ndarray, worlds, call: str) -> None:
        count = self._model._parameter(name, call).count
        selected = world_indices(worlds, self._num_worlds, call)
        rows = self._num_worlds if selected is None else selected.size
        legal = [(), (count,), (rows, count)] + ([(rows,)] if count == 1 else [])
        if values.shape not in legal:
            shapes = ", ".join(str(shape) for shape in dict.fromkeys(legal))
            raise ShapeError(
                f"{call}: values: shape {values.shape} given for parameter {name}, "
                f"expected shape {shapes}"
            )
        if rows == 0:
            return
        if values.shape == () and count > 1:
            values = np.broadcast_to(values, (count,))
        flat = np.ascontiguousarray(values, np.float64).reshape(-1)
        with calls.naming(f"{call}: values"):
            self._core.set_parameter(name, flat, selected)
