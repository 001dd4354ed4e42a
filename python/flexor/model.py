"""The compiled model and the ways to load one."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from flexor import _core, calls
from flexor.builder import ModelBuilder
from flexor.errors import ArgumentError, ConfigError, UnknownNameError
from flexor.names import unknown

KINDS = ("body", "joint", "site", "geom", "tendon", "keyframe")


class ParameterInfo(NamedTuple):
    """One row of `Model.parameters()`: a number (or vector) that may differ from world to world."""

    name: str
    owner: str
    count: int
    unit: str
    legal: str
    nominal: float | tuple[float, ...]

    @classmethod
    def _of(cls, row: tuple) -> ParameterInfo:
        *head, nominal = row
        return cls(*head, nominal[0] if len(nominal) == 1 else nominal)

    @property
    def shape(self) -> tuple[int, ...]:
        return () if self.count == 1 else (self.count,)


class Model:
    """An immutable compiled model. Make one with `flexor.load_model` or `ModelBuilder.finalize`.

    nq, nv: lengths of configuration and velocity. <kind>_count for body, joint, site, geom, tendon
    and keyframe. timestep [s]. options: dict. qpos0: reference configuration (nq,).
    report: machine report, a dict; what a loader did with each part of its files.
    inert: what the model has and this version cannot simulate, a list of dicts.
    """

    __slots__ = ("_core", "_names")

    def __init__(self, core):
        if not isinstance(core, _core.Model):
            raise ArgumentError(
                f"Model: core: {calls.shown(core)} given; legal: none, since a Model comes from "
                "flexor.load_model or ModelBuilder.finalize"
            )
        object.__setattr__(self, "_core", core)
        object.__setattr__(self, "_names", {})

    def __setattr__(self, name, value):
        raise AttributeError(
            f"a Model is immutable: {name} cannot be set; use to_builder(), or set_parameter of a Simulation"
        )

    @property
    def name(self) -> str:
        """Name of the model."""
        return self._core.name

    @property
    def nq(self) -> int:
        """Length of the configuration `qpos`."""
        return self._core.nq

    @property
    def nv(self) -> int:
        """Length of the velocity `qvel`."""
        return self._core.nv

    @property
    def timestep(self) -> float:
        """Length of a step [s]."""
        return self._core.timestep

    @property
    def options(self) -> dict:
        """Model options by name."""
        return self._core.options

    @property
    def qpos0(self) -> np.ndarray:
        """Reference configuration (nq,), a copy."""
        return np.array(self._core.qpos0, dtype=np.float64)

    @property
    def inert(self) -> list[dict]:
        """What the model has and this version cannot simulate: dicts with kind, name, reason, file, line, column."""
        return self._core.inert

    @property
    def bodies(self) -> list[_core.BodyDescription]:
        """Bodies in index order, parents before children: records with name, parent (index, -1 the world),
        pos, quat, mass, com, inertia. Copies: changing one changes no model."""
        return self._core.bodies

    @property
    def joints(self) -> list[_core.JointDescription]:
        """Joints in index order: records with name, body, type, axis, pos, lower, upper, damping, stiffness
        and what `ModelBuilder.add_joint` takes. Copies."""
        return self._core.joints

    @property
    def sites(self) -> list[_core.SiteDescription]:
        """Sites in index order: records with name, body, pos, quat. Copies."""
        return self._core.sites

    @property
    def geoms(self) -> list[_core.GeomDescription]:
        """Geoms in index order: records with name, body, type, size, pos, quat, color. Copies."""
        return self._core.geoms

    @property
    def tendons(self) -> list[_core.TendonDescription]:
        """Tendons in index order: records with name, type, path and what
        `ModelBuilder.add_spatial_tendon` takes; the commands of `drive` are members force,
        target_length ... Copies."""
        return self._core.tendons

    @property
    def keyframes(self) -> list[_core.KeyframeDescription]:
        """Keyframes in index order: records with name, time, qpos, qvel. Copies."""
        return self._core.keyframes

    @property
    def body_count(self) -> int:
        """Number of bodies."""
        return len(self.names("body"))

    @property
    def joint_count(self) -> int:
        """Number of joints."""
        return len(self.names("joint"))

    @property
    def site_count(self) -> int:
        """Number of sites."""
        return len(self.names("site"))

    @property
    def geom_count(self) -> int:
        """Number of geoms."""
        return len(self.names("geom"))

    @property
    def tendon_count(self) -> int:
        """Number of tendons."""
        return len(self.names("tendon"))

    @property
    def keyframe_count(self) -> int:
        """Number of keyframes."""
        return len(self.names("keyframe"))

    @property
    def counts(self) -> dict[str, int]:
        """Number of elements of each kind, nq and nv."""
        return {"nq": self.nq, "nv": self.nv, **{k: len(self.names(k)) for k in KINDS}}

    @property
    def report(self) -> dict:
        """What the loader did with the file: report["items"] is a list of dicts, one for everything
        that is not taken over as written, with severity ("warning", "note"), code, bin ("read",
        "approximated", "ignored", "rejected"), class, file, line, column, element, name, attribute,
        value, text, hint, count and places. report["bins"] counts the words in each bin,
        report["files"] has the files read."""
        return json.loads(self._core.report)

    @property
    def hash(self) -> str:
        """32 hex digits over every name and number of the model: equal models, equal hash."""
        return self._core.hash

    @calls.checked(tendon=calls.element)
    def reference_length(self, tendon: str | int) -> float:
        """Length of a tendon at the reference pose, or as given [m]."""
        index = self._index("tendon", tendon, "Model.reference_length: tendon")
        return self._core.reference_length(index)

    def __copy__(self) -> Model:
        return self  # immutable

    def __deepcopy__(self, memo) -> Model:
        return self

    def __reduce__(self):
        return _from_bytes, (self._core.to_bytes(),)

    def __eq__(self, other) -> bool:
        return self.hash == other.hash if isinstance(other, Model) else NotImplemented

    def __hash__(self) -> int:
        return int(self.hash, 16)

    @calls.checked(kind=calls.word(*KINDS))
    def names(self, kind: str) -> tuple[str, ...]:
        """Names of one kind in index order. ConfigError for an unknown kind."""
        if kind not in self._names:
            self._names[kind] = self._core.names(kind)
        return self._names[kind]

    @calls.checked(kind=calls.word(*KINDS), name=calls.name)
    def index(self, kind: str, name: str) -> int:
        """Index of a named element. UnknownNameError with the nearest names."""
        return self._index(kind, name, "Model.index: name")

    def _index(self, kind: str, element: str | int, what: str) -> int:
        """Index of an element given by name or index. what: call and argument, for errors."""
        names = self.names(kind)
        if isinstance(element, str):
            if element not in names:
                raise unknown(what, element, names)
            return self._core.index(kind, element)
        if not 0 <= element < len(names):
            legal = f"0 to {len(names) - 1}" if names else "none, since the model has none"
            raise ConfigError(f"{what}: {element} given; legal: {legal}")
        return element

    @calls.checked(joint=calls.element)
    def qpos_slice(self, joint: str | int) -> slice:
        """Coordinates of a joint in qpos."""
        index = self._index("joint", joint, "Model.qpos_slice: joint")
        first, count = self._core.qpos_slice(index)
        return slice(first, first + count)

    @calls.checked(joint=calls.element)
    def qvel_slice(self, joint: str | int) -> slice:
        """Coordinates of a joint in qvel."""
        index = self._index("joint", joint, "Model.qvel_slice: joint")
        first, count = self._core.qvel_slice(index)
        return slice(first, first + count)

    def parameters(self) -> list[ParameterInfo]:
        """Every number that may be set for each world: name, owner, count, unit, legal, nominal."""
        return [ParameterInfo._of(row) for row in self._core.parameters()]

    @calls.checked(name=calls.name)
    def parameter(self, name: str) -> ParameterInfo:
        """One row of that table. UnknownNameError with the nearest names."""
        return self._parameter(name, "Model.parameter")

    def _parameter(self, name: str, call: str) -> ParameterInfo:
        try:
            return ParameterInfo._of(self._core.parameter(name))
        except UnknownNameError:
            legal = [info.name for info in self.parameters()]
            raise unknown(f"{call}: name", name, legal) from None

    def to_builder(self) -> ModelBuilder:
        """An editable copy."""
        return ModelBuilder._wrap(self._core.to_builder())

    def summary(self) -> str:
        """A few lines: what the model has."""
        lines = [
            f"{self.name}: nq {self.nq}, nv {self.nv}, time step {self.timestep:g} s",
            ", ".join(f"{len(self.names(k))} {k}s" for k in KINDS[:5]).replace("bodys", "bodies"),
        ]
        if self.inert:
            kinds = sorted({e["kind"] for e in self.inert})
            lines.append(f"not simulated: {len(self.inert)} ({', '.join(kinds)})")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<flexor.Model {self.name!r} nq={self.nq} nv={self.nv} tendons={self.tendon_count}>"


def _from_bytes(data: bytes) -> Model:
    return Model(_core.model_from_bytes(data))


def _as_text(value: str | bool | list[float]) -> str:
    """Model option as the text a file would hold."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else " ".join(repr(x) for x in value)


_LOAD_ARGUMENTS = dict(
    format=calls.optional(calls.word("mjcf")),
    strict=calls.word(True, False, "exact"),
    assets=calls.optional(calls.by_name(calls.blob)),
    overrides=calls.optional(calls.by_name(calls.vector)),
    options=calls.optional(calls.by_name(calls.option)),
    softness=calls.word("written", "hard", "all"),
    allow=calls.names,
    max_problems=calls.whole(0, 2**31 - 1),
    paths=calls.word("any", "inside"),
    root=calls.optional(calls.path),
)


def _load_options(
    format, strict, assets, overrides, options, softness, allow, max_problems, paths, root
):
    return _core.LoadOptions(
        format=format or "",
        strict="exact" if strict == "exact" else str(bool(strict)).lower(),
        assets=assets or {},
        overrides=overrides or {},
        options={name: _as_text(value) for name, value in (options or {}).items()},
        softness=softness,
        allow=set(allow),
        max_problems=max_problems,
        paths=paths,
        root=root or "",
    )


@calls.checked(path_or_text=calls.source, **_LOAD_ARGUMENTS)
def load_model(
    path_or_text: str | os.PathLike,
    *,
    format: str | None = None,
    strict: bool | str = True,
    assets: Mapping[str, bytes] | None = None,
    overrides: Mapping[str, object] | None = None,
    options: Mapping[str, object] | None = None,
    softness: str = "written",
    allow: Iterable[str] = (),
    max_problems: int = 20,
    paths: str = "any",
    root: str | os.PathLike | None = None,
) -> Model:
    """Load a model file, or text that begins with '<'.

    format: None (by the root element) or "mjcf".
    strict: True, False or "exact": which parts that are approximated or ignored are errors.
    assets: file name -> bytes, for files that the text includes.
    overrides: parameter name -> value(s); options: model option -> value; both before compilation.
    softness: which solref/solimp become compliances: "written" ones, none ("hard"), or "all".
    allow: codes of problems that shall only warn.
    paths, root: with "inside" every opened file must lie under `root` (the main file's folder).
    Raises ModelError with all problems, each with file, line and column. What is approximated or
    ignored raises and prints nothing: read `model.report` after loading a file of others.
    """
    settings = _load_options(
        format, strict, assets, overrides, options, softness, allow, max_problems, paths, root
    )
    with calls.naming("load_model"):
        return Model(_core.load_model(path_or_text, settings))


@calls.checked(path_or_text=calls.source, **_LOAD_ARGUMENTS)
def load_builder(
    path_or_text: str | os.PathLike,
    *,
    format: str | None = None,
    strict: bool | str = True,
    assets: Mapping[str, bytes] | None = None,
    overrides: Mapping[str, object] | None = None,
    options: Mapping[str, object] | None = None,
    softness: str = "written",
    allow: Iterable[str] = (),
    max_problems: int = 20,
    paths: str = "any",
    root: str | os.PathLike | None = None,
) -> ModelBuilder:
    """The same as `load_model` without compiling: an editable builder."""
    settings = _load_options(
        format, strict, assets, overrides, options, softness, allow, max_problems, paths, root
    )
    with calls.naming("load_builder"):
        return ModelBuilder._wrap(_core.load_builder(path_or_text, settings))


@calls.checked(path_or_text=calls.source, **_LOAD_ARGUMENTS)
def validate(path_or_text: str | os.PathLike, **options) -> dict:
    """Report of what `load_model` (same options) would do with a file; never raises for problems of
    the model: report["ok"] says whether it can be built, report["items"] says all."""
    settings = dict(
        format=None, strict=True, assets=None, overrides=None, options=None, softness="written",
        allow=(), max_problems=0, paths="any", root=None,
    )  # fmt: skip
    for name in options:
        if name not in settings:
            raise ArgumentError(f"validate: {name} given; legal: {', '.join(settings)}")
    with calls.naming("validate"):
        return json.loads(_core.validate(path_or_text, _load_options(**settings | options)))
