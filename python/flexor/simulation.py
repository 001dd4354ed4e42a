"""A batch of worlds of one model."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable

import numpy as np

from flexor import _core, calls, checkpoint
from flexor.batch_arrays import BatchArrays
from flexor.errors import ArgumentError, ConfigError, ShapeError, SimulationError
from flexor.model import Model
from flexor.names import suggestion, unknown
from flexor.parameters import Parameter, Parameters
from flexor.rollout import roll_out
from flexor.selection import order_of_rows, world_indices, world_mask
from flexor.snapshot import Snapshot
from flexor.status import Status

MOST_WORLDS = 2**24
_MOST_STEPS = 2**31 - 1

_MODEL = calls.instance(Model, "a flexor.Model")
_SNAPSHOT = calls.instance(Snapshot, "a flexor.Snapshot, which get_state gives")
_STEPS = calls.whole(0, _MOST_STEPS)


class Simulation(BatchArrays):
    """`num_worlds` worlds of one model, stepped together.

    model: a Model.
    num_worlds: 1 ... 2^24.
    device: "cpu" (SIMD over worlds, threads) or "reference" (plain float64, one world at a time).
    precision: "float32" (default on cpu) or "float64" (default and only choice on reference).
    numeric: "fast" or "strict"; changes nothing on these devices, which are strict.
    num_threads: default: CPUs in the affinity mask, or FLEXOR_NUM_THREADS. Changes no result.
    outputs: "all", or names and wildcards of the read-outs to compute; fewer are faster.
    inert: "error", or names of elements, kinds or "*": what the model has and this version cannot
        simulate may stand idle; otherwise that is a ModelError that lists it.
    seed: 0 ... 2^64 - 1, kept as `sim.seed` for whoever draws random numbers for this batch.
    guard: what happens to a world with a non-finite state, an invalid parameter or a singular mass
        matrix: "ignore" (bits only), "freeze" (held until reset), "reset", "raise".
    history: states and commands of every world to keep for `dump`. The first 8 worlds that the guard
        acts on are dumped by themselves, those of one step to `flexor_dump_<number>.npz` in the
        present folder or in FLEXOR_DUMP_FOLDER (environment); never over another file. The logger
        "flexor" is told which (a warning of code "guard-dump").
    solver: "auto", "active_set", "jacobi", "gauss_seidel_blocks", "gauss_seidel", "exact".
    iterations, tolerance: default: the solver's own. warm_start: begin with the last impulses.

    Every array of `flexor.FIELDS` is an attribute (see `Array`): sim.qpos, sim.tendon_length ...
    A bad value raises ConfigError (a ValueError) that names argument, value and legal set.
    """

    @calls.checked(
        model=_MODEL,
        num_worlds=calls.whole(1, MOST_WORLDS),
        device=calls.text,
        precision=calls.optional(calls.text),
        numeric=calls.text,
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
        numeric: str = "fast",
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
        with calls.naming("Simulation"):
            self._core = _core.Simulation(
                model._core,
                num_worlds=num_worlds,
                device=device,
                precision=precision,
                numeric=numeric,
                num_threads=num_threads or 0,
                outputs=outputs if isinstance(outputs, list) else [outputs],
                inert=[] if inert in ("error", ["error"]) else inert,
                guard=guard,
                history=history,
                seed=seed,
                solver=solver,
                iterations=iterations or 0,
                tolerance=tolerance or 0.0,
                warm_start=warm_start,
            )
        self._options = self._core.options
        self._parameters = Parameters(self._core, model, num_worlds, self._options["device"])
        super().__init__()

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
        return self._options["seed"]

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

    # --- attributes ---

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
        return world_mask(mask, self.num_worlds, f"Simulation.{call}")

    def _selected(
        self, call: str, worlds, argument: str = "worlds", may_repeat: bool = False
    ) -> np.ndarray | None:
        return world_indices(worlds, self.num_worlds, f"Simulation.{call}", argument, may_repeat)

    def _some(self, call: str, worlds) -> np.ndarray | None:
        """As `_selected`, at least one."""
        selected = self._selected(call, worlds)
        if selected is not None and selected.size == 0:
            raise ConfigError(f"Simulation.{call}: worlds: none given; legal: at least one")
        return selected

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

    @calls.checked(n=_STEPS)
    def capture(self, n: int = 1) -> Callable[[], None]:
        """`step(n)` as a callable without arguments, for loops that do nothing else."""
        return functools.partial(self.step, n)

    def synchronize(self) -> None:
        """Wait until all that was asked for is done; backends of this version have done it when a
        call returns."""
        self._core.synchronize()

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
        return roll_out(self, n, commands or {}, record, every, restore, out or {})

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
        order = order_of_rows(mask)
        key = -1
        if keyframe is not None:
            key = self._model._index("keyframe", keyframe, "Simulation.reset: keyframe")
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
        with self._storage:
            return (self._array("status").numpy() & int(bits)) != 0

    def clear_status(self, mask=None) -> None:
        """Zero the status bits of worlds."""
        self._core.clear_status(self._mask(mask, "clear_status"))

    # --- parameters ---

    @calls.checked(name=calls.name)
    def parameter(self, name: str) -> Parameter:
        """The parameter of that path name: `.get()`, `.set()`, `.numpy()`, `.unit`, `.nominal`,
        `.legal` (see `Parameter`). UnknownNameError with the nearest names."""
        return Parameter(self._parameters, self._model._parameter(name, "Simulation.parameter"))

    @property
    def parameters(self) -> Parameters:
        """All parameters by name; `.match(pattern)`, `.stack(pattern)`."""
        return self._parameters

    @calls.checked(name=calls.name, values=calls.numbers)
    def set_parameter(self, name: str, values, *, worlds=None) -> None:
        """Overwrite a model parameter for some worlds.

        values: scalar, (n,) or (len(worlds), n), in the unit listed for `name`; for one number a
            world also (len(worlds),).
        worlds: integer indices or boolean mask of shape (num_worlds,); all if omitted.
        Raises ShapeError when shapes disagree, ParameterError (nothing changed) outside the legal
        range, UnknownNameError (with the nearest name) for an unknown parameter.
        """
        self._parameters._set(name, values, worlds, "Simulation.set_parameter")

    def commit(self, worlds=None) -> None:
        """Take in what has been written into parameters of some worlds (all if omitted) through
        `.numpy()`, `.torch()` or any other view, and derive what follows. Parameters that were `set`
        need no commit: step, forward, reset and save see to them.

        Numbers outside their range raise PARAMETER_INVALID in their world, and the guard acts there
        at the next step; with guard="ignore" such a world has the model's value instead, and rows
        and forces that the parameter belongs to are left out. Quaternions are normalised in place.
        [IA-4]

        worlds: integer indices or boolean mask of shape (num_worlds,).
        """
        selected = self._selected("commit", worlds)
        if selected is None or selected.size:
            self._core.commit(selected)

    def capture_reference(self) -> None:
        """Take the present tendon lengths as reference lengths."""
        self._core.capture_reference()

    @calls.checked(name=calls.name, tension=calls.numbers)
    def set_tension(self, name: str, tension, worlds=None) -> None:
        """Ask the drive of a tendon for a tension [N]: writes drive_force = -tension."""
        self._set_drive("set_tension", name, "tension", -tension.astype(np.float64), worlds)

    @calls.checked(name=calls.name, force=calls.numbers)
    def set_actuation_force(self, name: str, force, worlds=None) -> None:
        """Ask the drive of a tendon for a force [N], positive when it lengthens."""
        self._set_drive("set_actuation_force", name, "force", force, worlds)

    def _set_drive(self, call: str, name: str, argument: str, force: np.ndarray, worlds) -> None:
        tendon = self._model._index("tendon", name, f"Simulation.{call}: name")
        array = self._array("drive_force").at(tendon)
        selected = self._selected(call, worlds)
        array._write(array._judged(force, selected, f"Simulation.{call}: {argument}"), selected)

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

    @calls.checked(path=calls.path, guard_history=calls.flag)
    def save(self, path: str | os.PathLike, worlds=None, *, guard_history: bool = False) -> None:
        """Write model, options, states, commands and per-world parameters of some worlds (different
        ones; all if omitted) to an .npz file that `numpy.load` reads. [IA-6]

        Loading it and going on gives the bits of never having stopped, with any number of threads.
        guard_history: also `guard_resets` and what `dump` would write.
        Raises ConfigError for a world whose time is no number.
        """
        self._core.save(path, self._some("save", worlds), guard_history)

    @calls.checked(path=calls.path)
    def dump(self, worlds, path: str | os.PathLike) -> None:
        """Write the last `history` states and commands of some worlds (None: all), each as a step
        began, to an .npz file: `header` (JSON as bytes), `world`, `count` (rows that are a world's
        own), one array (row, world, ...) per field, oldest row first, a world with fewer rows has
        them at the end. ConfigError if the simulation was made with history=0.
        """
        self._core.dump(self._some("dump", worlds), path)

    @calls.checked(path=calls.path, convert=calls.flag)
    def load_state(self, path: str | os.PathLike, *, convert: bool = False) -> None:
        """Take over a file of `save`, of as many worlds or of one, which goes to all.

        convert: take over numbers of the other precision, too.
        Raises CheckpointError naming the member if the file is damaged, or if it is of another
        model, number of worlds or precision; nothing is changed then.
        """
        self._core.load_state(path, convert)

    @classmethod
    @calls.checked(
        path=calls.path,
        model=calls.optional(_MODEL),
        num_worlds=calls.optional(calls.whole(1, MOST_WORLDS)),
        convert=calls.flag,
    )
    def load(
        cls,
        path: str | os.PathLike,
        model: Model | None = None,
        num_worlds: int | None = None,
        *,
        convert: bool = False,
        **options,
    ) -> Simulation:
        """A new simulation that goes on where a file of `save` stopped.

        model: of that hash; the file's own if omitted.
        num_worlds: the file's, which is the default; a file of one world goes to any number. Others
            are refused: `save(path, worlds=...)` chooses worlds.
        convert: allows the other precision.
        options: as for `Simulation`; those not given are the ones of the simulation that was saved,
            but for `num_threads`, and for solver, iterations and tolerance on another device or in
            another precision, which choose their own.
        Raises CheckpointError naming file and member if it is damaged, or if it is of another model,
        number of worlds or precision.
        """
        model, options = checkpoint.resume(path, model, num_worlds, options)
        sim = cls(model, **options)
        sim.load_state(path, convert=convert)
        return sim

    def get_state(self, worlds=None) -> Snapshot:
        """Snapshot of states and commands of some worlds (different ones), or of all."""
        return Snapshot(self._core.state(self._some("get_state", worlds)))

    @calls.checked(snapshot=_SNAPSHOT)
    def set_state(self, snapshot: Snapshot, worlds=None) -> None:
        """Put back a snapshot, of this simulation or another of the same model and precision, into as
        many worlds. Geometry read-outs follow at the next forward or step; parameters are no part of
        it. Raises ConfigError, ShapeError; nothing is changed then."""
        self._core.set_state(snapshot._core, self._some("set_state", worlds))

    def clone_worlds(self, source, destination) -> None:
        """Copy states and commands of worlds onto others, pair by pair, or of one onto all.
        source, destination: indices or masks; as many of both, or one source. A source may stand
        there more than once, a destination not."""
        pair = [
            self._selected("clone_worlds", given, argument, may_repeat=argument == "source")
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
