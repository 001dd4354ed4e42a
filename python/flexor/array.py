"""One array of a batch of worlds, seen where it lies in memory."""

from __future__ import annotations

import importlib
import operator

import numpy as np

from flexor import calls
from flexor.errors import ArgumentError, ConfigError, MissingExtraError, ShapeError
from flexor.names import unknown
from flexor.selection import world_indices

_CPU = (1, 0)
_COPY = calls.optional(calls.flag)


def _stream(value):
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError
    if value < -1 or value == 0:
        raise ValueError
    return value


def _pair(value) -> tuple[int, int]:
    first, second = value
    return (operator.index(first), operator.index(second))


_STREAM = calls.optional(
    calls.Kind("-1, or a stream > 0 (0 could be any of two default streams)", _stream)
)
_PAIR = calls.optional(calls.Kind("two whole numbers", _pair))


def _imported(extra: str):
    try:
        return importlib.import_module(extra)
    except ImportError:
        raise MissingExtraError(
            f"{extra} is not installed: pip install 'flexor[{extra}]'"
        ) from None


class _Memory:
    """Block of memory as NumPy wants to see it, with the object that keeps it alive."""

    __slots__ = ("__array_interface__", "owner")

    def __init__(self, interface: dict, owner):
        self.__array_interface__ = interface
        self.owner = owner


#: arrays whose numbers may not be negative
NONNEGATIVE = frozenset({"drive_position_gain", "drive_velocity_gain", "step_count"})
#: arrays whose numbers must be finite
FINITE = frozenset({"time"})


class Array:
    """A field of the batch, or one component of it (`at`). World first: shape (num_worlds, n), or
    (num_worlds, n, width) for vectors, or (num_worlds,) for one number a world.

    Storage is [component][world], the world moving fastest, so strides are (item, world_stride).
    `numpy()`, `torch()` and whatever another library makes of the array by DLPack
    (`numpy.from_dlpack`, `torch.from_dlpack`, ...) are views of that storage [IA-9]: writing through
    them is always safe, reading is free, and they stay valid after the simulation is closed or
    forgotten. Index, iterate and calculate with them: `sim.qpos.numpy()[0]`. (Writing qpos by a view
    leaves `qpos_compensation`, less than one unit in the last place of a float32; `set` zeroes it.)

    shape, dtype, strides (bytes), unit, doc, names (one per component), device, is_state (part of a
    checkpoint's state), is_writable (state or command).
    """

    __slots__ = (
        "name", "shape", "dtype", "strides", "unit", "doc", "names", "device", "is_state",
        "is_writable", "_address", "_owner", "_after_set", "_view", "_tensor",
    )  # fmt: skip

    def __init__(self, owner, address, *, name, shape, dtype, strides, unit, doc, names, device,
                 is_state, is_writable, after_set=None):  # fmt: skip
        put = object.__setattr__
        put(self, "_owner", owner)  # keeps the storage alive
        put(self, "_address", address)
        put(self, "_after_set", after_set)
        put(self, "name", name)
        put(self, "shape", tuple(shape))
        put(self, "dtype", np.dtype(dtype))
        put(self, "strides", tuple(strides))
        put(self, "unit", unit)
        put(self, "doc", doc)
        put(self, "names", tuple(names))
        put(self, "device", device)
        put(self, "is_state", is_state)
        put(self, "is_writable", is_writable)
        # made once, of an object apart: no reference cycle holds the storage
        put(self, "_view", self._make_view())
        put(self, "_tensor", None)

    def _make_view(self) -> np.ndarray:
        if 0 in self.shape:
            return np.zeros(self.shape, self.dtype)
        return np.asarray(_Memory(self.__array_interface__, self._owner))

    def __setattr__(self, name, value):
        raise AttributeError(f"{name} of array {self.name!r} is fixed; values go in by .set()")

    @property
    def __array_interface__(self) -> dict:
        return {
            "version": 3,
            "shape": self.shape,
            "typestr": self.dtype.str,
            "strides": self.strides,
            "data": (self._address, not self.is_writable),
        }

    @calls.checked(copy=calls.optional(calls.flag))
    def numpy(self, copy: bool | None = None) -> np.ndarray:
        """View of the storage; copy=True: a row-major copy."""
        return self.copy() if copy else self._view.view()

    def __dlpack_device__(self) -> tuple[int, int]:
        """(1, 0): memory of the processor."""
        return _CPU

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        """DLPack capsule of this memory, or of a row-major copy (copy=True).

        stream: None, -1, or a stream; there is nothing to wait for. max_version: (major, minor) that
        the consumer understands: from (1, 0) the capsule says whether the memory may be written to;
        None: it cannot say. dl_device: None or (1, 0).
        Raises BufferError for another device, ConfigError for stream 0.
        """
        call = f"array {self.name}.__dlpack__"
        stream = calls.judge(call, "stream", _STREAM, stream)
        version = calls.judge(call, "max_version", _PAIR, max_version)
        device = calls.judge(call, "dl_device", _PAIR, dl_device)
        copy = calls.judge(call, "copy", _COPY, copy)
        if device not in (None, _CPU):
            raise BufferError(f"{call}: dl_device: {device} given; legal: None, {_CPU}")
        return self._owner.to_dlpack(
            self._address,
            shape=self.shape,
            strides=tuple(s // self.dtype.itemsize for s in self.strides),
            kind=self.dtype.kind,
            item=self.dtype.itemsize,
            is_read_only=not self.is_writable,
            is_versioned=version is not None and version >= (1, 0),
            is_copied=bool(copy),
        )

    def torch(self):
        """torch.Tensor over the same memory, made once. Torch knows no read-only tensors: what is
        written into a read-out is lost with the next step. MissingExtraError without torch."""
        if self._tensor is None:
            torch = _imported("torch")
            object.__setattr__(self, "_tensor", torch.from_dlpack(self.__dlpack__()))
        return self._tensor

    @calls.checked(copy=calls.optional(calls.flag))
    def jax(self, copy: bool | None = None):
        """jax.Array of a copy; copy=False: over the same memory, which JAX takes for constant.

        JAX makes 32-bit numbers of a copied float64 or int64 unless `jax_enable_x64` is set. Raises
        BufferError for copy=False where JAX wants no gaps and there are (num_worlds is no odd
        multiple of 32, and the array has more than one component); MissingExtraError without jax.
        """
        jax = _imported("jax")
        if copy is False:
            try:
                return jax.dlpack.from_dlpack(self, copy=False)
            except (RuntimeError, ValueError) as error:
                raise BufferError(
                    f"array {self.name}.jax: copy=False given; JAX refuses memory of shape "
                    f"{self.shape} and strides {self.strides} bytes ({error}); legal: copy=None"
                ) from None
        return jax.numpy.asarray(self.copy())

    def copy(self) -> np.ndarray:
        """Row-major copy."""
        return np.array(self.numpy(), order="C", copy=True)

    @calls.checked(name=calls.name)
    def index(self, name: str) -> int:
        """Component number of a name. UnknownNameError with the nearest names."""
        try:
            return self.names.index(name)
        except ValueError:
            raise unknown(f"array {self.name}.index: name", name, self.names) from None

    @calls.checked(key=calls.element)
    def at(self, key: str | int) -> Array:
        """One component in all worlds: shape (num_worlds,), contiguous; (num_worlds, width) for a
        vector. key: the component's name or number."""
        if len(self.shape) < 2:
            raise ShapeError(
                f"array {self.name}.at: key: {key!r} given for an array of one number a world, of "
                f"shape {self.shape}; legal: none"
            )
        i = key
        if isinstance(key, str):
            if key not in self.names:
                raise unknown(f"array {self.name}.at: key", key, self.names)
            i = self.names.index(key)
        elif not 0 <= key < self.shape[1]:
            raise ConfigError(
                f"array {self.name}.at: key: {key} given; legal: 0 to {self.shape[1] - 1}"
            )
        label = self.names[i] if self.names else str(i)
        return Array(
            self._owner,
            self._address + i * self.strides[1],
            name=f"{self.name}[{label}]",
            shape=(self.shape[0], *self.shape[2:]),
            dtype=self.dtype,
            strides=(self.strides[0], *self.strides[2:]),
            unit=self.unit,
            doc=self.doc,
            names=(label,),
            device=self.device,
            is_state=self.is_state,
            is_writable=self.is_writable,
            after_set=self._after_set,
        )

    def set(self, values, worlds=None) -> None:
        """Write values into some worlds (all if omitted).

        values: anything that broadcasts to (selected worlds, *shape[1:]).
        worlds: integer indices or boolean mask of shape (num_worlds,).
        Raises ShapeError when shapes disagree, TypeError for a type that cannot be stored without
        loss, ValueError for a number outside that type, AttributeError for a read-out.
        """
        if not self.is_writable:
            raise AttributeError(f"array {self.name} is a read-out: the simulation writes it")
        selected = world_indices(worlds, self.shape[0], f"array {self.name}")
        what = f"array {self.name}: values"
        given = calls.judge(f"array {self.name}", "values", calls.numbers, values)
        self._write(self._judged(given, selected, what), selected)

    def _judged(self, given: np.ndarray, selected: np.ndarray | None, what: str) -> np.ndarray:
        """What `set` would store in the selected worlds. what: call and argument, for errors."""
        self._check_type(given, what)
        count = self.shape[0] if selected is None else selected.size
        expected = (count, *self.shape[1:])
        try:
            given = np.broadcast_to(given, expected)
        except ValueError:
            raise ShapeError(
                f"{what}: shape {given.shape} given, one that broadcasts to {expected} expected"
            ) from None
        self._check_range(given, what)
        return given

    def _check_type(self, given: np.ndarray, what: str) -> None:
        if self.dtype.kind in "iu" and given.dtype.kind == "f":
            raise ArgumentError(f"{what}: {given.dtype} given; legal: whole numbers ({self.dtype})")

    def _check_values(self, given: np.ndarray, what: str) -> None:
        """What `set` asks of numbers, whatever their shape."""
        self._check_type(given, what)
        self._check_range(given, what)

    def _write(self, judged: np.ndarray, selected: np.ndarray | None) -> None:
        with self._owner:  # ConcurrencyError while a call is inside the simulation
            self.numpy()[slice(None) if selected is None else selected] = judged
        if self._after_set is not None:
            self._after_set(selected)

    def _check_range(self, given: np.ndarray, what: str) -> None:
        """ConfigError for finite numbers that the array's type cannot hold: nothing wraps round. And
        for gains below 0, which a step would leave out (PARAMETER_INVALID), and for times and step
        counts that no world can have."""
        limits = np.iinfo(self.dtype) if self.dtype.kind in "iu" else np.finfo(self.dtype)
        bad = np.isfinite(given) & ((given < limits.min) | (given > limits.max))
        if bad.any():
            raise ConfigError(
                f"{what}: {given[bad].flat[0]} given; legal for {self.dtype}: "
                f"{limits.min} ... {limits.max}"
            )
        if self.name in FINITE and not np.isfinite(given).all():
            first = given[~np.isfinite(given)].flat[0]
            raise ConfigError(f"{what}: {first} given; legal: finite numbers")
        if self.name.partition("[")[0] in NONNEGATIVE and (given < 0).any():
            raise ConfigError(f"{what}: {given[given < 0].flat[0]} given; legal: >= 0")

    def __repr__(self) -> str:
        return f"<flexor.Array {self.name} {self.shape} {self.dtype} [{self.unit}]>"

    def __bool__(self):
        raise TypeError(f"array {self.name} has no truth value; use .numpy()")
