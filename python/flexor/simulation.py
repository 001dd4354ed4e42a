"""A batch of worlds of one model."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from flexor import _core, calls
from flexor.array import Array, world_indices
from flexor.errors import ArgumentError, ConfigError, FlexorError, ShapeError, SimulationError
from flexor.fields import FIELDS
from flexor.model import Model, ParameterInfo
from flexor.names import suggestion, unknown
from flexor.status import Status

MOST_WORLDS = 2**24
_MOST_STEPS = 2**31 - 1

_MODEL = calls.instance(Model, "a flexor.Model")
_MASK = calls.Kind(
    "bool or uint8, one a world, or the different indices of worlds", calls.numbers.convert
)
_STEPS = calls.whole(0, _MOST_STEPS)


def _are_indices(mask: np.ndarray) -> bool:
    """Whether what was given as a mask names worlds by their numbers."""
    is_whole = mask.dtype.kind in "iu" and mask.dtype != np.uint8
    return mask.ndim == 1 and (is_whole or (mask.size == 0 and mask.dtype != np.bool_))


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
    history: states and commands of every world to keep for `dump`.
    solver: "auto", "active_set", "jacobi", "gauss_seidel_blocks", "gauss_seidel", "exact".
    iterations, tolerance: default: the solver's own. warm_start: begin with the last impulses.

    Every array of `flexor.FIELDS` is an attribute (see `Array`): sim.qpos, sim.tendon_length ...
    A bad value raises ConfigError (a ValueError) that names argument, value and legal set.
    """

    if TYPE_CHECKING:  # made from FIELDS below; a test holds the two together
        time: Array
        step_count: Array
        status: Array
        qpos: Array
        qpos_compensation: Array
        qvel: Array
        activation: Array
        reference_length: Array
        row_impulse: Array
        drive_force: Array
        drive_target_length: Array
        drive_target_velocity: Array
        drive_position_gain: Array
        drive_velocity_gain: Array
        joint_force: Array
        joint_target_position: Array
        joint_target_velocity: Array
        body_wrench: Array
        tendon_enabled: Array
        tendon_length: Array
        tendon_velocity: Array
        tendon_jacobian: Array
        tendon_curvature: Array
        tendon_route_status: Array
        tendon_potential_energy: Array
        tendon_kinetic_energy: Array
        branch_length: Array
        body_position: Array
        body_quaternion: Array
        body_velocity: Array
        site_position: Array
        tendon_force: Array
        tendon_tension: Array
        tendon_passive_force: Array
        tendon_spring_force: Array
        tendon_damper_force: Array
        tendon_drive_force: Array
        tendon_armature_force: Array
        tendon_friction_force: Array
        tendon_limit_force: Array
        tendon_lower_force: Array
        tendon_upper_force: Array
        tendon_solved_velocity: Array
        tendon_length_end: Array
        branch_tension: Array
        joint_command_torque: Array
        joint_damping_torque: Array
        joint_spring_torque: Array
        joint_friction_torque: Array
        joint_limit_torque: Array
        solver_iterations: Array
        solver_status: Array
        solver_residual: Array
        valid_drive_force: Array
        valid_drive_target_length: Array
        valid_drive_target_velocity: Array
        valid_drive_position_gain: Array
        valid_drive_velocity_gain: Array
        valid_joint_force: Array
        valid_joint_target_position: Array
        valid_joint_target_velocity: Array
        valid_body_wrench: Array

    @calls.checked(
        model=_MODEL,
        num_worlds=calls.whole(1, MOST_WORLDS),
        device=calls.text,
        precision=calls.optional(calls.text),
        num_threads=calls.optional(calls.whole(1, 2**16)),
        outputs=calls.names,
        inert=calls.names,
        seed=calls.whole(0, 2**64 - 1),
        guard=calls.text,
        history=calls.whole(0, 2**20),
        solver=calls.text,
        iterations=calls.optional(calls.whole(1, _MOST_STEPS)),
        tolerance=calls.optional(calls.positive),
        warm_start=calls.flag,
    )
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
        history: int = 0,
        solver: str = "auto",
        iterations: int | None = None,
        tolerance: float | None = None,
        warm_start: bool = True,
    ):
        self._model = model
        self._seed = seed
        self._core = _core.Simulation(
            model._core,
            num_worlds=num_worlds,
            device=device,
            precision=precision,
            num_threads=num_threads or 0,
            outputs=outputs if isinstance(outputs, list) else [outputs],
            inert=[] if inert in ("error", ["error"]) else inert,
            guard=guard,
            history=history,
            solver=solver,
            iterations=iterations or 0,
            tolerance=tolerance or 0.0,
            warm_start=warm_start,
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

    @property
    def guard_resets(self) -> np.ndarray:
        """How often the guard "reset" has reset each world: (num_worlds,) int64."""
        return np.asarray(self._core.guard_resets())

    def memory(self) -> dict[str, float]:
        """Bytes for each world: state (with commands), outputs, workspace."""
        return self._core.memory()

    @calls.checked(count=calls.whole(1, _MOST_STEPS))
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
        field, _, group, index, _, unit, meaning = FIELDS[name]
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

    def _no_attribute(self, name: str) -> AttributeError:
        legal = [n for n in dir(type(self)) if n[0] != "_"]  # calls and arrays
        hint = suggestion(name, legal)
        return AttributeError(
            f"{type(self).__name__} has no attribute {name!r}; "
            + (hint or "arrays: flexor.FIELDS, calls: dir(flexor.Simulation)")
        )

    def __getattr__(self, name: str):
        # only names without a property reach this
        raise AttributeError(name) if name.startswith("_") else self._no_attribute(name)

    def __setattr__(self, name: str, value) -> None:
        # a mistyped array must not become a member; classes derived from this one may have members
        is_own = name.startswith("_") or hasattr(type(self), name)
        if not is_own and type(self) is Simulation:
            raise self._no_attribute(name)
        object.__setattr__(self, name, value)

    def __reduce__(self):
        raise TypeError(
            "a Simulation cannot be copied or pickled; use save and Simulation.load, or get_state "
            "and set_state of another one"
        )

    # --- stepping ---

    def _mask(self, mask, call: str) -> np.ndarray | None:
        if mask is None:
            return None
        given = calls.judge(f"Simulation.{call}", "mask", _MASK, mask)
        if _are_indices(given):
            indices = world_indices(given, self.num_worlds, f"Simulation.{call}", "mask")
            chosen = np.zeros(self.num_worlds, np.uint8)
            chosen[indices] = 1
            # zeros and ones for all worlds: a mask of ints, most likely
            is_unclear = indices.size == self.num_worlds and bool(np.all(indices <= 1))
            if is_unclear or np.count_nonzero(chosen) < indices.size:
                why = "that may be a mask" if is_unclear else "with a world twice"
                raise ArgumentError(
                    f"Simulation.{call}: mask: {calls.shown(given)} {why} given; "
                    f"legal: {_MASK.legal}"
                )
            return chosen
        if given.dtype not in (np.bool_, np.uint8):
            raise ArgumentError(
                f"Simulation.{call}: mask: {calls.shown(given)} given; legal: {_MASK.legal}"
            )
        if given.shape != (self.num_worlds,):
            raise ShapeError(
                f"Simulation.{call}: mask: shape {given.shape} given, "
                f"shape ({self.num_worlds},) expected"
            )
        return np.ascontiguousarray(given).view(np.uint8)

    def step(self, n: int = 1, *, mask=None, refresh: bool = True) -> None:
        """Advance by n steps from whatever the arrays hold, then bring the geometry read-outs to the
        final pose (refresh=False leaves them at the start of the last step).

        mask: bool or uint8, (num_worlds,), or indices of worlds: the others keep every bit. n = 0
            equals `forward()`.
        Raises ConcurrencyError if another thread is in this simulation; TypeError or ShapeError for
        a wrong mask; SimulationError with guard="raise". Ctrl-C stops between steps.
        """
        if type(n) is not int or not 0 <= n <= _MOST_STEPS:
            n = calls.judge("Simulation.step", "n", _STEPS, n)
        if type(refresh) is not bool:
            refresh = calls.judge("Simulation.step", "refresh", calls.flag, refresh)
        self._core.step(n, None if mask is None else self._mask(mask, "step"), refresh)

    def forward(self) -> None:
        """Write the geometry read-outs for the present state; nothing else changes."""
        self._core.forward()

    @calls.checked(
        n=_STEPS,
        commands=calls.optional(calls.by_name(calls.numbers)),
        record=calls.names,
        every=calls.whole(1, _MOST_STEPS),
        restore=calls.flag,
        out=calls.optional(calls.by_name(calls.instance(np.ndarray, "a NumPy array"))),
    )
    def rollout(
        self, n: int, commands=None, *, record=(), every: int = 1, restore: bool = False, out=None
    ) -> dict[str, np.ndarray]:
        """n steps with commands given ahead; the bits of a loop of `set`, `step` and `copy`. [IA-11]

        commands: {command array: (num_worlds or 1, n, ...)}: row i is set before step i.
        record: names of arrays, read after every `every`-th step.
        restore: puts state and commands back afterwards, and the geometry read-outs with them; step
            read-outs belong to the last step all the same.
        out: {name: array} to record into, of the shape and type that this call returns otherwise.
        Returns {name: (num_worlds, n // every, ...)}.
        Raises ShapeError, UnknownNameError, ConfigError or ArgumentError before the first step;
        SimulationError with guard="raise".
        """
        given = [
            self._rollout_command(name, values, n) for name, values in (commands or {}).items()
        ]
        recorded = {}
        for name in record:
            if name not in FIELDS:
                raise unknown("Simulation.rollout: record", name, list(FIELDS))
            array = self._array(name)
            shape = (self.num_worlds, n // every, *array.shape[1:])
            recorded[name] = self._rollout_target(name, (out or {}).get(name), shape, array.dtype)
        for name in out or {}:
            if name not in recorded:
                raise unknown("Simulation.rollout: out", name, list(recorded))
        targets = [(FIELDS[name][0], values.reshape(-1)) for name, values in recorded.items()]
        self._core.rollout(n, given, targets, every, restore)
        return recorded

    def _rollout_command(self, name: str, values: np.ndarray, n: int):
        """(field, numbers of a command in its own type, whether they serve all worlds)."""
        legal = [name for name, row in FIELDS.items() if row[2] == "command"]
        if name not in legal:
            raise unknown("Simulation.rollout: commands", name, legal)
        array = self._array(name)
        shapes = [(worlds, n, *array.shape[1:]) for worlds in (self.num_worlds, 1)]
        if values.shape not in shapes:
            raise ShapeError(
                f"Simulation.rollout: commands: {name}: shape {values.shape} given, "
                f"{' or '.join(str(shape) for shape in dict.fromkeys(shapes))} expected"
            )
        array._check_values(values)
        flat = np.ascontiguousarray(values, array.dtype).reshape(-1)
        return FIELDS[name][0], flat, values.shape[0] == 1

    def _rollout_target(self, name: str, given, shape: tuple, dtype: np.dtype) -> np.ndarray:
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

    @calls.checked(
        keyframe=calls.optional(calls.element),
        qpos=calls.optional(calls.numbers),
        qvel=calls.optional(calls.numbers),
    )
    def reset(self, mask=None, *, keyframe: str | int | None = None, qpos=None, qvel=None) -> None:
        """Put worlds back to the reference pose at rest, or to a keyframe, or to the rows given.

        Commands, flags, activation, impulses, time and status go back to their initial values;
        parameters and reference lengths stay. mask: as in `step`; `reset(sim.failed())` takes the
        worlds that need it. qpos, qvel: (nq,) or (selected worlds, nq), and nv; rows in the order of
        the indices given, or of the mask. Worlds outside keep every bit.
        """
        worlds = self._mask(mask, "reset")
        selected = self.num_worlds if worlds is None else int(np.count_nonzero(worlds))
        is_sorted = worlds is None or not _are_indices(given := np.asarray(mask))
        order = slice(None) if is_sorted else np.argsort(given)
        key = -1
        if keyframe is not None:
            if isinstance(keyframe, str):
                key = self._model.index("keyframe", keyframe)
            else:
                count = self._model.keyframe_count
                if not 0 <= keyframe < count:
                    legal = f"0 to {count - 1}" if count else "none, since the model has none"
                    raise ConfigError(
                        f"Simulation.reset: keyframe: {keyframe} given; legal: {legal}"
                    )
                key = keyframe
        self._core.reset(
            worlds,
            key,
            self._rows("qpos", qpos, order, selected, self._model.nq),
            self._rows("qvel", qvel, order, selected, self._model.nv),
        )

    def _rows(self, argument: str, values, order, worlds: int, width: int) -> np.ndarray | None:
        """Rows of numbers for the selected worlds, by world, flat. order: what sorts them so."""
        if values is None:
            return None
        if values.shape not in ((width,), (worlds, width)):
            raise ShapeError(
                f"Simulation.reset: {argument}: shape {values.shape} given, "
                f"({width},) or ({worlds}, {width}) expected"
            )
        rows = np.broadcast_to(values.astype(np.float64), (worlds, width))
        return np.ascontiguousarray(rows[order]).reshape(-1)

    @calls.checked(bits=calls.whole(0, 2**31 - 1))
    def failed(self, bits: int = Status.ERRORS) -> np.ndarray:
        """Worlds in which something went wrong since their reset: (num_worlds,) bool, a mask for
        `reset`, `step` and `set`. Informational bits do not count (`Status.INFORMATIONAL`).

        bits: the status bits to look for.
        """
        return (self._array("status").numpy() & int(bits)) != 0

    def clear_status(self, mask=None) -> None:
        """Zero the status bits of worlds."""
        self._core.clear_status(self._mask(mask, "clear_status"))

    # --- parameters ---

    @calls.checked(name=calls.name)
    def parameter(self, name: str) -> Parameter:
        """The parameter of that path name: `.get()`, `.set()`, `.unit`, `.nominal`, `.legal`.
        UnknownNameError with the nearest names."""
        return Parameter(self, self._model.parameter(name))

    @calls.checked(name=calls.name, values=calls.numbers)
    def set_parameter(self, name: str, values, *, worlds=None) -> None:
        """Overwrite a model parameter for some worlds.

        values: scalar, (n,) or (len(worlds), n), in the unit listed for `name`; for one number a
            world also (len(worlds),).
        worlds: integer indices or boolean mask of shape (num_worlds,); all if omitted.
        Raises ShapeError when shapes disagree, ParameterError (nothing changed) outside the legal
        range, UnknownNameError (with the nearest name) for an unknown parameter.
        """
        count = self._model.parameter(name).count
        selected = world_indices(worlds, self.num_worlds, "Simulation.set_parameter")
        rows = self.num_worlds if selected is None else selected.size
        given = values
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

    def commit(self) -> None:
        """Derive now what follows from parameters set since the last step, forward, reset or save,
        which do so themselves."""
        self._core.commit()

    def capture_reference(self) -> None:
        """Take the present tendon lengths as reference lengths."""
        self._core.capture_reference()

    @calls.checked(name=calls.name, tension=calls.numbers)
    def set_tension(self, name: str, tension, worlds=None) -> None:
        """Ask the drive of a tendon for a tension [N]: writes drive_force = -tension."""
        self._array("drive_force").at(name).set(-tension.astype(np.float64), worlds)

    @calls.checked(name=calls.name, force=calls.numbers)
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

    @calls.checked(body_or_site=calls.name)
    def jacobian(self, body_or_site: str) -> np.ndarray:
        """Velocity of a body's origin or of a site, and angular velocity, per unit of each velocity
        coordinate at the present q: (num_worlds, 6, nv), linear then angular, world axes, float64.

        body_or_site: a name; "body/<name>" or "site/<name>" where both have it.
        """
        kinds = ("body", "site")
        kind, _, name = body_or_site.partition("/")
        if kind not in kinds or name not in self._model.names(kind):
            name = body_or_site
            found = [kind for kind in kinds if name in self._model.names(kind)]
            if not found:
                legal = [n for kind in kinds for n in self._model.names(kind)]
                raise unknown("Simulation.jacobian: body_or_site", name, legal)
            if len(found) > 1:
                raise ConfigError(
                    f"Simulation.jacobian: body_or_site: {name!r} is a body and a site; legal: "
                    f"'body/{name}', 'site/{name}'"
                )
            kind = found[0]
        compute = self._core.body_jacobian if kind == "body" else self._core.site_jacobian
        flat = np.asarray(compute(self._model.index(kind, name)))
        return flat.reshape(self.num_worlds, 6, self._model.nv)

    # --- checkpoints ---

    def _selected(self, call: str, worlds, argument: str = "worlds") -> np.ndarray | None:
        return world_indices(worlds, self.num_worlds, f"Simulation.{call}", argument)

    @calls.checked(path=calls.path)
    def save(self, path: str | os.PathLike, worlds=None) -> None:
        """Write states, commands and per-world parameters of some worlds (all if omitted) to a file.
        Loading it and going on gives the bits of never having stopped, with any number of threads.
        """
        selected = self._selected("save", worlds)
        if selected is not None and selected.size == 0:
            raise ConfigError("Simulation.save: worlds: none given; legal: at least one")
        self._core.save(path, selected)

    @calls.checked(path=calls.path)
    def dump(self, worlds, path: str | os.PathLike) -> None:
        """Write the last `history` states and commands of some worlds (None: all), each as a step
        began, to an .npz file: `header` (JSON as bytes), `world`, `count` (rows that are a world's
        own), one array (row, world, ...) per field, oldest row first, a world with fewer rows has
        them at the end. ConfigError if the simulation was made with history=0.
        """
        selected = self._selected("dump", worlds)
        if selected is not None and selected.size == 0:
            raise ConfigError("Simulation.dump: worlds: none given; legal: at least one")
        self._core.dump(selected, path)

    @calls.checked(path=calls.path)
    def load_state(self, path: str | os.PathLike) -> None:
        """Take over a file of `save`. CheckpointError if it is damaged, of another model or batch
        size; nothing is changed then."""
        self._core.load_state(path)

    @classmethod
    @calls.checked(path=calls.path, model=_MODEL)
    def load(cls, path: str | os.PathLike, model: Model, **options) -> Simulation:
        """A new simulation of `model` that goes on where a file of `save` stopped; number of worlds,
        device and precision are the file's. options: as for `Simulation`. CheckpointError naming
        file and what is wrong with it."""
        sim = cls(model, **{**_core.checkpoint_info(path), **options})
        sim.load_state(path)
        return sim

    def get_state(self, worlds=None) -> dict[str, np.ndarray]:
        """Copies of all state and command arrays by name, of some worlds or of all."""
        selected = self._selected("get_state", worlds)
        rows = slice(None) if selected is None else selected
        return {
            name: np.array(self._array(name).numpy()[rows], order="C", copy=True)
            for name, row in FIELDS.items()
            if row.group in ("state", "command") and self._keeps(name)
        }

    def _keeps(self, name: str) -> bool:
        return name != "qpos_compensation" or self.precision == "float32"

    @calls.checked(state=calls.by_name(calls.numbers))
    def set_state(self, state: dict[str, np.ndarray], worlds=None) -> None:
        """Put back what `get_state` gave, or some of its arrays, into as many worlds. All is judged
        before anything is written: ShapeError, UnknownNameError, ArgumentError, ConfigError for a
        number that the precision cannot hold."""
        selected = self._selected("set_state", worlds)
        legal = [
            n for n, row in FIELDS.items() if row.group in ("state", "command") and self._keeps(n)
        ]
        count = self.num_worlds if selected is None else selected.size
        judged = []
        for name, values in state.items():
            if name not in legal:
                raise unknown("Simulation.set_state: state", name, legal)
            array = self._array(name)
            expected = (count, *array.shape[1:])
            if values.shape != expected:
                raise ShapeError(
                    f"Simulation.set_state: state {name}: shape {values.shape} given, "
                    f"{expected} expected"
                )
            judged.append((array, array._judged(values, selected)))
        rows = slice(None) if selected is None else selected
        for array, values in judged:
            array.numpy()[rows] = values

    def clone_worlds(self, source, destination) -> None:
        """Copy states and commands of worlds onto others, pair by pair, or of one onto all.
        source, destination: indices or masks; as many of both, or one source."""
        pair = [
            self._selected("clone_worlds", given, argument)
            for argument, given in (("source", source), ("destination", destination))
        ]
        if pair[0] is None or pair[1] is None:
            raise ArgumentError(
                "Simulation.clone_worlds: source, destination: None given; legal: integer indices "
                "or a mask of bools"
            )
        if pair[1].size:
            self._core.clone_worlds(*pair)

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
    group, unit, meaning = FIELDS[name].group, FIELDS[name].unit, FIELDS[name].meaning

    def get(self) -> Array:
        return self._array(name)

    def refuse(self, value):
        if group in ("state", "command"):
            raise AttributeError(f"{name} is an array: write sim.{name}.set(values)")
        raise AttributeError(f"{name} is a read-out: no .set; the simulation writes it")

    return property(get, refuse, doc=f"{meaning} [{unit}] ({group})")


for _name in FIELDS:
    setattr(Simulation, _name, _field_property(_name))
