"""A batch of worlds of one model."""

from __future__ import annotations

import json
import operator
import os
import zipfile
from collections.abc import Iterable

import numpy as np

from flexor import _core
from flexor.array import Array, world_indices
from flexor.errors import CheckpointError, ConfigError, FlexorError, ShapeError, SimulationError
from flexor.model import Model, ParameterInfo
from flexor.names import unknown

MOST_WORLDS = 2**24
_MOST_STEPS = 2**31 - 1

#: name -> (number, name, group, index, width, unit, meaning)
FIELDS = {row[1]: row for row in _core.fields()}


def _integer(argument: str, value, low: int, high: int) -> int:
    """Whole number in [low, high]; TypeError for anything else than an integer."""
    if isinstance(value, bool | np.bool_):
        raise TypeError(f"{argument}: expected a whole number, got {value!r}")
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{argument}: expected a whole number, got {value!r}") from None
    if not low <= number <= high:
        raise ConfigError(f"{argument}: {number} is outside {low} ... {high}")
    return number


def _names(argument: str, value, word: str, as_word: list[str]) -> list[str]:
    """A keyword, one name or several names."""
    if isinstance(value, str):
        return as_word if value == word else [value]
    if not isinstance(value, Iterable):
        raise TypeError(f"{argument}: expected {word!r}, a name or names, got {value!r}")
    names = list(value)
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"{argument}: expected names, got {name!r}")
    return names


def _read_header(path: str | os.PathLike) -> dict:
    """Header of a checkpoint. CheckpointError if it is none."""
    try:
        with np.load(path, allow_pickle=False) as members:
            header = json.loads(members["header"].tobytes())
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise CheckpointError(f"{os.fspath(path)}: no checkpoint: {error}") from None
    if not isinstance(header, dict) or not isinstance(header.get("num_worlds"), int):
        raise CheckpointError(f"{os.fspath(path)}: no checkpoint: its header names no num_worlds")
    return header


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
        return self.info.name

    @property
    def unit(self) -> str:
        return self.info.unit

    @property
    def legal(self) -> str:
        return self.info.legal

    @property
    def nominal(self):
        return self.info.nominal

    @property
    def shape(self) -> tuple[int, ...]:
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


class Simulation:
    """`num_worlds` worlds of one model, stepped together.

    model: a Model.
    num_worlds: 1 ... 2^24.
    device: "cpu" (SIMD over worlds, threads) or "reference" (plain float64, one world at a time).
    precision: "float32" (default on cpu) or "float64" (default and only choice on reference).
    num_threads: default: CPUs in the affinity mask, or FLEXOR_NUM_THREADS. Changes no result.
    outputs: "all", or names and wildcards of the read-outs to compute; fewer are faster.
    inert: "error", or names of elements, kinds or "*": what the model has and this version cannot
        simulate may stand idle; otherwise that is a ModelError that lists it.
    seed: 0 ... 2^64 - 1, kept as `sim.seed` for whoever draws random numbers for this batch.
    guard: what happens to a world with a non-finite state, an invalid parameter or a singular mass
        matrix: "ignore" (bits only), "freeze" (held until reset), "reset", "raise".
    solver: "auto", "active_set", "jacobi", "gauss_seidel_blocks", "gauss_seidel", "exact".
    iterations, tolerance: default: the solver's own. warm_start: begin with the last impulses.

    Every array of `flexor.FIELDS` is an attribute (see `Array`): sim.qpos, sim.tendon_length ...
    A bad value raises ConfigError (a ValueError) that names argument, value and legal set.
    """

    def __init__(
        self,
        model: Model,
        num_worlds: int = 1,
        *,
        device: str = "cpu",
        precision: str | None = None,
        num_threads: int | None = None,
        outputs="all",
        inert="error",
        seed: int = 0,
        guard: str = "freeze",
        solver: str = "auto",
        iterations: int | None = None,
        tolerance: float | None = None,
        warm_start: bool = True,
    ):
        if not isinstance(model, Model):
            raise TypeError(f"model: expected a flexor.Model, got {type(model).__name__}")
        for argument, value in (("device", device), ("guard", guard), ("solver", solver)):
            if not isinstance(value, str):
                raise TypeError(f"{argument}: expected a text, got {value!r}")
        if precision is not None and not isinstance(precision, str):
            raise TypeError(f"precision: expected 'float32', 'float64' or None, got {precision!r}")
        if tolerance is not None:
            tolerance = float(tolerance)
            if not 0 < tolerance < float("inf"):
                raise ConfigError(f"tolerance: {tolerance} is not a finite number > 0")
        self._model = model
        self._seed = _integer("seed", seed, 0, 2**64 - 1)
        self._core = _core.Simulation(
            model._core,
            num_worlds=_integer("num_worlds", num_worlds, 1, MOST_WORLDS),
            device=device,
            precision=precision,
            num_threads=0
            if num_threads is None
            else _integer("num_threads", num_threads, 1, 2**16),
            outputs=_names("outputs", outputs, "all", ["all"]),
            inert=_names("inert", inert, "error", []),
            guard=guard,
            solver=solver,
            iterations=0
            if iterations is None
            else _integer("iterations", iterations, 1, _MOST_STEPS),
            tolerance=0.0 if tolerance is None else tolerance,
            warm_start=bool(warm_start),
        )
        self._options = self._core.options
        self._storage = self._core.storage()
        self._arrays: dict[str, Array] = {}

    # --- what it is ---

    @property
    def model(self) -> Model:
        """The model of every world."""
        return self._model

    @property
    def num_worlds(self) -> int:
        """Number of worlds."""
        return self._options["num_worlds"]

    @property
    def timestep(self) -> float:
        """Length of a step [s]."""
        return self._model.timestep

    @property
    def device(self) -> str:
        """ "cpu" or "reference"."""
        return self._options["device"]

    @property
    def precision(self) -> str:
        """ "float32" or "float64": the type of every array but times, counters and flags."""
        return self._options["precision"]

    @property
    def seed(self) -> int:
        """Base of random numbers drawn for this batch; the engine draws none."""
        return self._seed

    @property
    def options(self) -> dict:
        """All options with their defaults resolved, and `backend`: what runs ("cpu/avx2" ...)."""
        return dict(self._options)

    @property
    def inert(self) -> list[dict]:
        """What the model has and this simulation does not simulate."""
        return self._model.inert

    def memory(self) -> dict[str, float]:
        """Bytes for each world: state (with commands), outputs, workspace."""
        return self._core.memory()

    def profile(self, count: int = 10) -> list[tuple[str, float]]:
        """Steps all worlds `count` times on one thread: (stage, seconds) in the order of a step,
        then of the refresh pass; empty on backends without stages."""
        return self._core.profile(count)

    # --- arrays ---

    def _array(self, name: str) -> Array:
        array = self._arrays.get(name)
        if array is None:
            array = self._arrays[name] = self._make_array(name)
        return array

    def _make_array(self, name: str) -> Array:
        field, _, group, index, width, unit, meaning = FIELDS[name]
        address, kind, item, worlds, stride, count, width = self._core.array(field)
        if address == 0 and count > 0:
            raise FlexorError(
                f"array {name} was not asked for: name it in the argument `outputs` of Simulation"
            )
        if index == "world":
            shape, strides = (worlds,), (item,)
            names = (name,)
        elif index == "tendon_qvel":
            nv = self._model.nv
            shape = (worlds, self._model.tendon_count, nv)
            strides = (item, nv * stride * item, stride * item)
            names = self._model.names("tendon")
        else:
            shape, strides = (worlds, count), (item, width * stride * item)
            if width > 1:
                shape, strides = (*shape, width), (*strides, stride * item)
            names = self._core.component_names(field)
        return Array(
            self._storage,
            address,
            name=name,
            shape=shape,
            dtype=f"{kind}{item}",
            strides=strides,
            unit=unit,
            doc=meaning,
            names=names,
            device=self.device,
            is_state=group == "state",
            is_writable=group in ("state", "command"),
            after_set=self._forget_rounding() if name == "qpos" else None,
        )

    def _forget_rounding(self):
        """What `set` does after writing qpos: the rounding remainder belonged to the old values."""
        if self.precision != "float32":
            return None  # kept in float32 only
        remainder = self._array("qpos_compensation")
        return None if 0 in remainder.shape else lambda worlds: remainder.set(0, worlds)

    def __getattr__(self, name: str):
        # only names without a property reach this
        if name.startswith("_"):
            raise AttributeError(name)
        error = unknown("Simulation", name, [*FIELDS, *(n for n in dir(type(self)) if n[0] != "_")])
        raise AttributeError(str(error))

    # --- stepping ---

    def _mask(self, mask) -> np.ndarray | None:
        if mask is None:
            return None
        given = np.asarray(mask)
        if given.dtype not in (np.bool_, np.uint8):
            raise TypeError(f"mask: expected bool or uint8, got {given.dtype}")
        if given.shape != (self.num_worlds,):
            raise ShapeError(f"mask: expected shape ({self.num_worlds},), got {given.shape}")
        return np.ascontiguousarray(given).view(np.uint8)

    def step(self, n: int = 1, *, mask=None, refresh: bool = True) -> None:
        """Advance by n steps from whatever the arrays hold, then bring the geometry read-outs to the
        final pose (refresh=False leaves them at the start of the last step).

        mask: bool or uint8, (num_worlds,): worlds outside keep every bit. n = 0 equals `forward()`.
        Raises ConcurrencyError if another thread is in this simulation; TypeError or ShapeError for
        a wrong mask; SimulationError with guard="raise". Ctrl-C stops between steps.
        """
        if type(n) is not int or not 0 <= n <= _MOST_STEPS:
            n = _integer("n", n, 0, _MOST_STEPS)
        self._core.step(n, None if mask is None else self._mask(mask), refresh)

    def forward(self) -> None:
        """Write the geometry read-outs for the present state; nothing else changes."""
        self._core.forward()

    def reset(self, mask=None, *, keyframe: str | int | None = None, qpos=None, qvel=None) -> None:
        """Put worlds back to the reference pose at rest, or to a keyframe, or to the rows given.

        Commands, flags, activation, impulses, time and status go back to their initial values;
        parameters and reference lengths stay. qpos, qvel: (nq,) or (selected worlds, nq), and nv.
        Worlds outside the mask keep every bit.
        """
        worlds = self._mask(mask)
        selected = self.num_worlds if worlds is None else int(np.count_nonzero(worlds))
        key = -1
        if keyframe is not None:
            if isinstance(keyframe, str):
                key = self._model.index("keyframe", keyframe)
            else:
                count = self._model.keyframe_count
                if count == 0:
                    raise ConfigError(f"keyframe: {keyframe}, but the model has none")
                key = _integer("keyframe", keyframe, 0, count - 1)
        self._core.reset(
            worlds,
            key,
            self._rows("qpos", qpos, selected, self._model.nq),
            self._rows("qvel", qvel, selected, self._model.nv),
        )

    def _rows(self, argument: str, values, worlds: int, width: int) -> np.ndarray | None:
        """Rows of finite numbers for the selected worlds, flat."""
        if values is None:
            return None
        given = np.asarray(values, dtype=np.float64)
        if given.shape not in ((width,), (worlds, width)):
            raise ShapeError(
                f"{argument}: expected shape ({width},) or ({worlds}, {width}), got {given.shape}"
            )
        if not np.all(np.isfinite(given)):
            raise ConfigError(f"{argument}: NaN or infinity; every number must be finite")
        return np.ascontiguousarray(np.broadcast_to(given, (worlds, width))).reshape(-1)

    def clear_status(self, mask=None) -> None:
        """Zero the status bits of worlds."""
        self._core.clear_status(self._mask(mask))

    # --- parameters ---

    def parameter(self, name: str) -> Parameter:
        """The parameter of that path name: `.get()`, `.set()`, `.unit`, `.nominal`, `.legal`.
        UnknownNameError with the nearest names."""
        return Parameter(self, self._model.parameter(name))

    def set_parameter(self, name: str, values, *, worlds=None) -> None:
        """Overwrite a model parameter for some worlds.

        values: scalar, (n,) or (len(worlds), n), in the unit listed for `name`; for one number a
            world also (len(worlds),).
        worlds: integer indices or boolean mask of shape (num_worlds,); all if omitted.
        Raises ShapeError when shapes disagree, ParameterError (nothing changed) outside the legal
        range, UnknownNameError (with the nearest name) for an unknown parameter.
        """
        count = self._model.parameter(name).count
        selected = world_indices(worlds, self.num_worlds)
        rows = self.num_worlds if selected is None else selected.size
        given = np.asarray(values)
        if given.dtype.kind not in "biuf":
            raise TypeError(f"parameter {name}: expected numbers, got {given.dtype}")
        legal = [(), (count,), (rows, count)] + ([(rows,)] if count == 1 else [])
        if given.shape not in legal:
            shapes = ", ".join(str(shape) for shape in dict.fromkeys(legal))
            raise ShapeError(f"parameter {name}: expected shape {shapes}, got {given.shape}")
        if rows == 0:
            return
        if given.shape == () and count > 1:
            given = np.broadcast_to(given, (count,))
        flat = np.ascontiguousarray(given, np.float64).reshape(-1)
        self._core.set_parameter(name, flat, selected)

    def capture_reference(self) -> None:
        """Take the present tendon lengths as reference lengths."""
        self._core.capture_reference()

    def set_tension(self, name: str, tension, worlds=None) -> None:
        """Ask the drive of a tendon for a tension [N]: writes drive_force = -tension."""
        self._array("drive_force").at(name).set(-np.asarray(tension, np.float64), worlds)

    def set_actuation_force(self, name: str, force, worlds=None) -> None:
        """Ask the drive of a tendon for a force [N], positive when it lengthens."""
        self._array("drive_force").at(name).set(force, worlds)

    # --- matrices ---

    def mass_matrix(self) -> np.ndarray:
        """Joint-space mass matrix with armature at the present q: (num_worlds, nv, nv), float64."""
        nv = self._model.nv
        return np.asarray(self._core.mass_matrix()).reshape(self.num_worlds, nv, nv)

    def bias_force(self) -> np.ndarray:
        """Gravity, Coriolis and centrifugal force c in M qacc + c = tau at the present q, v:
        (num_worlds, nv), float64."""
        return np.asarray(self._core.bias_force()).reshape(self.num_worlds, self._model.nv)

    # --- checkpoints ---

    def save(self, path: str | os.PathLike) -> None:
        """Write states, commands and per-world parameters to a file. Loading it and going on gives
        the bits of never having stopped, with any number of threads."""
        self._core.save(os.fspath(path))

    def load_state(self, path: str | os.PathLike) -> None:
        """Take over a file of `save`. CheckpointError if it is damaged, of another model or batch
        size; nothing is changed then."""
        self._core.load_state(os.fspath(path))

    @classmethod
    def load(cls, path: str | os.PathLike, model: Model, **options) -> Simulation:
        """A new simulation of `model` that goes on where a file of `save` stopped; number of worlds,
        device and precision are the file's. options: as for `Simulation`."""
        header = _read_header(path)
        for key in ("num_worlds", "device", "precision"):
            options.setdefault(key, header.get(key))
        sim = cls(model, **options)
        sim.load_state(path)
        return sim

    def get_state(self) -> dict[str, np.ndarray]:
        """Copies of all state and command arrays by name."""
        return {
            name: self._array(name).copy()
            for name, row in FIELDS.items()
            if row[2] in ("state", "command") and self._keeps(name)
        }

    def _keeps(self, name: str) -> bool:
        return name != "qpos_compensation" or self.precision == "float32"

    def set_state(self, state: dict[str, np.ndarray]) -> None:
        """Put back what `get_state` gave. CheckpointError-free: names and shapes are checked before
        anything is written (ShapeError, UnknownNameError)."""
        for name, values in state.items():
            if name not in FIELDS or FIELDS[name][2] not in ("state", "command"):
                raise unknown("state", name, FIELDS)
            if np.shape(values) != self._array(name).shape:
                raise ShapeError(
                    f"state {name}: expected {self._array(name).shape}, got {np.shape(values)}"
                )
        for name, values in state.items():
            self._array(name).numpy()[...] = values

    def state_hash(self) -> np.ndarray:
        """64-bit FNV-1a of each world's state: (num_worlds,) uint64. Equal bits, equal hash."""
        return np.asarray(self._core.state_hash())

    # --- life ---

    def close(self) -> None:
        """Forbid further calls that compute. Arrays stay valid as long as somebody holds them."""
        self._core.close()

    def __enter__(self) -> Simulation:
        if self._core.is_closed:
            raise SimulationError("this simulation is closed")
        return self

    def __exit__(self, *exc) -> None:
        self.close()

    def __repr__(self) -> str:
        return (
            f"<flexor.Simulation of {self._model.name!r}: {self.num_worlds} worlds, "
            f"{self._options['backend']}, {self.precision}>"
        )


def _field_property(name: str) -> property:
    _, _, group, _, _, unit, meaning = FIELDS[name]

    def get(self) -> Array:
        return self._array(name)

    def refuse(self, value):
        if group in ("state", "command"):
            raise AttributeError(f"{name} is an array: write sim.{name}.set(values)")
        raise AttributeError(f"{name} is a read-out: no .set; the simulation writes it")

    return property(get, refuse, doc=f"{meaning} [{unit}] ({group})")


for _name in FIELDS:
    setattr(Simulation, _name, _field_property(_name))
