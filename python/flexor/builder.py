"""Building a model by calls.

b = flexor.ModelBuilder("pendulum", timestep=0.001)
b.add_body("rod", pos=(0, 0, 1), mass=0.2, com=(0, 0, -0.1), inertia=(1e-3, 1e-3, 1e-5))
b.add_joint("rod", "pivot", axis=(0, 1, 0), lower=-1, upper=1, damping=0.01)
b.add_spatial_tendon("cord", [flexor.via(pos=(0.1, 0, 1)), flexor.via(body="rod", pos=(0, 0, -0.2))],
                     stiffness=100, damping=1)
model = b.finalize()
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from flexor import _core, calls
from flexor.arguments import (
    ElementError,
    Handle,
    choice,
    flag,
    number,
    quaternion_from_euler,
    reference,
    rotated_inertia,
    text,
    vector,
)
from flexor.names import suggestion
from flexor.path import PathElement, joint_term

_INF = float("inf")
_NAN = float("nan")

_JOINT_TYPES = {
    "hinge": _core.JointType.hinge,
    "revolute": _core.JointType.hinge,
    "continuous": _core.JointType.hinge,
    "slide": _core.JointType.slide,
    "prismatic": _core.JointType.slide,
    "ball": _core.JointType.ball,
    "spherical": _core.JointType.ball,
    "free": _core.JointType.free,
    "floating": _core.JointType.free,
}
_GEOM_TYPES = {
    name: getattr(_core.GeomType, name)
    for name in ("plane", "sphere", "capsule", "cylinder", "box", "ellipsoid", "mesh", "none")
}
_TENDON_NUMBERS = (
    "stiffness",
    "damping",
    "spring_lower",
    "spring_upper",
    "lower_limit",
    "upper_limit",
    "limit_margin",
    "limit_compliance",
    "friction_loss",
    "friction_compliance",
    "armature",
    "position_correction",
    "actuation_lower",
    "actuation_upper",
    "activation",
    "width",
)
_JOINT_NUMBERS = (
    "ref",
    "lower",
    "upper",
    "damping",
    "friction",
    "friction_compliance",
    "stiffness",
    "armature",
    "position_gain",
    "velocity_gain",
    "effort_lower",
    "effort_upper",
    "velocity_limit",
    "limit_margin",
    "limit_compliance",
    "limit_correction",
)
_DRIVE_NUMBERS = (
    "force",
    "target_length",
    "target_velocity",
    "position_gain",
    "velocity_gain",
    "activation_time",
)


class ModelBuilder:
    """Collects bodies, joints, sites, geoms and tendons; `finalize` checks and compiles them.

    SI units, angles in radians, inertia about the centre of mass, quaternions (w, x, y, z).
    A missing name becomes <kind>_<index>. Every add_* checks its own arguments at once (ModelError;
    the builder is unchanged) and returns a handle; arguments that name an element take the name or
    the handle.
    """

    def __init__(self, name: str = "model", timestep: float = 0.002, gravity=None):
        with calls.naming("ModelBuilder"):
            self._core = _core.ModelBuilder(
                text("model", "name", name), number("model", "timestep", timestep)
            )
        self.set_option("timestep", timestep)
        if gravity is not None:
            self.set_option("gravity", gravity)

    __slots__ = ("_core",)

    def __getattr__(self, name: str):
        # only names that there are not reach this
        legal = [n for n in dir(type(self)) if n[0] != "_"]
        hint = "" if name.startswith("_") else suggestion(name, legal)
        hint = hint or f"legal: {', '.join(legal)}"
        raise AttributeError(f"ModelBuilder has no attribute {name!r}; {hint}")

    def __copy__(self) -> ModelBuilder:
        return _from_bytes(self._core.to_bytes())

    def __deepcopy__(self, memo) -> ModelBuilder:
        return self.__copy__()

    def __reduce__(self):
        return _from_bytes, (self._core.to_bytes(),)

    @classmethod
    def _wrap(cls, core) -> ModelBuilder:
        builder = cls.__new__(cls)
        builder._core = core
        return builder

    @property
    def name(self) -> str:
        """Name of the model."""
        return self._core.name

    @property
    def options(self) -> dict:
        """Model options by name."""
        return self._core.options

    def set_option(self, name: str, value) -> None:
        """Set a model option: timestep [s], gravity (3) [m/s^2], joint_implicit ("trapezoid" or
        "backward"), hard_row_softness. ConfigError naming option, value and legal set."""
        name = text("option", "name", name)
        with calls.naming("ModelBuilder.set_option: name, value"):
            if isinstance(value, str):
                self._core.set_option(name, text("option", name, value))
            elif not _is_vector(value):
                self._core.set_option(name, number("option", name, value))
            else:
                self._core.set_option(name, vector("option", name, value, 3))

    @calls.checked()
    def add_body(
        self,
        name: str | None = None,
        *,
        parent="world",
        pos=(0, 0, 0),
        quat=None,
        euler=None,
        mass=0.0,
        com=(0, 0, 0),
        inertia=(0, 0, 0),
        inertia_quat=None,
        gravity_compensation=0.0,
    ) -> Handle:
        """Add a body; without a joint it is fixed to its parent.

        pos [m], quat or euler (intrinsic x y z) [rad]: in the parent's frame. mass [kg], com [m].
        inertia: 3 principal moments, turned by inertia_quat, or 6: xx yy zz xy xz yz [kg m^2].
        """
        b = _core.BodyDescription()
        b.name = text("body", "name", name)
        b.parent = reference("body", "parent", parent, "body", b.name)
        b.pos = vector("body", "pos", pos, 3, b.name)
        b.quat = _orientation("body", b.name, quat, euler)
        b.mass = number("body", "mass", mass, b.name)
        b.com = vector("body", "com", com, 3, b.name)
        moments = vector("body", "inertia", inertia, (3, 6), b.name)
        if inertia_quat is not None:
            if len(moments) == 6:
                raise ElementError(
                    "body", "inertia_quat", inertia_quat, "only with 3 principal moments", b.name
                )
            moments = rotated_inertia(moments, _quaternion("body", b.name, inertia_quat))
        elif len(moments) == 3:
            moments = (*moments, 0.0, 0.0, 0.0)
        b.inertia = moments
        b.gravity_compensation = number(
            "body", "gravity_compensation", gravity_compensation, b.name
        )
        return self._handle("body", self._core.add_body(b), b.name)

    @calls.checked()
    def add_joint(
        self,
        body,
        name: str | None = None,
        *,
        type: str = "hinge",
        axis=(0, 0, 1),
        pos=(0, 0, 0),
        ref=0.0,
        lower=-_INF,
        upper=_INF,
        damping=0.0,
        friction=0.0,
        friction_compliance=0.0,
        stiffness=0.0,
        rest=None,
        armature=0.0,
        position_gain=0.0,
        velocity_gain=0.0,
        effort_lower=-_INF,
        effort_upper=_INF,
        velocity_limit=_INF,
        limit_margin=0.0,
        limit_compliance=0.0,
        limit_correction=0.2,
    ) -> Handle:
        """Let a body move against its parent.

        type: hinge (revolute, continuous), slide (prismatic), ball (spherical), free (floating).
        axis, pos: in the body's frame. lower, upper: range of the coordinate (a ball's upper: cone
        angle). rest: where the spring is relaxed (0; a ball's: a quaternion).
        """
        given = locals()
        j = _core.JointDescription()
        j.name = text("joint", "name", name)
        j.body = reference("joint", "body", body, "body", j.name)
        j.type = choice("joint", "type", type, _JOINT_TYPES, j.name)
        j.axis = vector("joint", "axis", axis, 3, j.name)
        j.pos = vector("joint", "pos", pos, 3, j.name)
        if rest is not None:
            if j.type == _core.JointType.ball:
                j.rest_quat = _quaternion("joint", j.name, rest, "rest")
            else:
                j.rest = number("joint", "rest", rest, j.name)
        for key in _JOINT_NUMBERS:
            setattr(j, key, number("joint", key, given[key], j.name))
        return self._handle("joint", self._core.add_joint(j), j.name)

    @calls.checked()
    def add_site(
        self, body="world", name: str | None = None, *, pos=(0, 0, 0), quat=None
    ) -> Handle:
        """Add a named frame to a body; tendons go through sites."""
        s = _core.SiteDescription()
        s.name = text("site", "name", name)
        s.body = reference("site", "body", body, "body", s.name)
        s.pos = vector("site", "pos", pos, 3, s.name)
        s.quat = _orientation("site", s.name, quat, None)
        return self._handle("site", self._core.add_site(s), s.name)

    @calls.checked()
    def add_geom(
        self,
        body,
        name: str | None = None,
        *,
        type: str = "sphere",
        size=(),
        pos=(0, 0, 0),
        quat=None,
        color=(0.5, 0.5, 0.5, 1),
    ) -> Handle:
        """Add a shape, to be drawn and to guide tendons; it has no mass and no contacts here.

        type: plane, sphere, capsule, cylinder, box, ellipsoid, none. size: radius; radius and
        half-length (axis z); or three half-sizes [m].
        """
        g = _core.GeomDescription()
        g.name = text("geom", "name", name)
        g.body = reference("geom", "body", body, "body", g.name)
        g.type = choice("geom", "type", type, _GEOM_TYPES, g.name)
        lengths = size if _is_vector(size) else (size,)
        lengths = vector("geom", "size", lengths, (0, 1, 2, 3), g.name)
        g.size = (*lengths, *(0.0,) * (3 - len(lengths)))
        g.pos = vector("geom", "pos", pos, 3, g.name)
        g.quat = _orientation("geom", g.name, quat, None)
        g.color = vector("geom", "color", color, 4, g.name)
        return self._handle("geom", self._core.add_geom(g), g.name)

    @calls.checked()
    def add_spatial_tendon(
        self,
        name: str | None,
        path,
        *,
        stiffness=0.0,
        damping=0.0,
        spring_lower=_NAN,
        spring_upper=_NAN,
        lower_limit=-_INF,
        upper_limit=_INF,
        limit_margin=0.0,
        limit_compliance=0.0,
        friction_loss=0.0,
        friction_compliance=0.0,
        armature=0.0,
        position_correction=0.2,
        actuation_lower=-_INF,
        actuation_upper=_INF,
        drive: dict | None = None,
        enabled: bool = True,
        reference_length="auto",
        activation=0.0,
        width=0.004,
        color=(0.9, 0.35, 0.08, 1),
    ) -> Handle:
        """Add a tendon along a path of `via`, `sphere`, `cylinder`, `pulley` and `joint_term`.

        stiffness [N/m] acts outside spring_lower ... spring_upper [m] (both NaN: the reference
        length), damping [N s/m] always, limits [m] are hard unless limit_compliance [m/N],
        actuation bounds [N] act on the drive alone; forces are positive when they lengthen.
        drive: initial commands and filter: any of force, target_length, target_velocity,
        position_gain, velocity_gain, activation_time. activation: initial filtered force [N].
        reference_length: "auto" (the length at the reference pose) or a number [m].
        """
        return self._add_tendon(_core.TendonType.spatial, path, locals())

    @calls.checked()
    def add_fixed_tendon(
        self,
        name: str | None,
        terms,
        *,
        stiffness=0.0,
        damping=0.0,
        spring_lower=_NAN,
        spring_upper=_NAN,
        lower_limit=-_INF,
        upper_limit=_INF,
        limit_margin=0.0,
        limit_compliance=0.0,
        friction_loss=0.0,
        friction_compliance=0.0,
        armature=0.0,
        position_correction=0.2,
        actuation_lower=-_INF,
        actuation_upper=_INF,
        drive: dict | None = None,
        enabled: bool = True,
        reference_length="auto",
        activation=0.0,
        width=0.004,
        color=(0.9, 0.35, 0.08, 1),
    ) -> Handle:
        """Add a tendon whose length is a sum of coefficient times joint coordinate.

        terms: [(joint, coefficient), ...]; the rest as in `add_spatial_tendon`.
        """
        given = locals()
        label = text("tendon", "name", name)
        try:
            pairs = [(joint, coefficient) for joint, coefficient in terms]
        except (TypeError, ValueError):
            raise ElementError(
                "fixed", "terms", terms, "expected [(joint, coefficient), ...]", label
            ) from None
        path = [joint_term(joint, coefficient) for joint, coefficient in pairs]
        return self._add_tendon(_core.TendonType.fixed, path, given)

    def _add_tendon(self, type, path, given: dict) -> Handle:
        """given: the arguments of the call, by name."""
        t = _core.TendonDescription()
        t.name = text("tendon", "name", given["name"])
        t.type = type
        legal = "expected via, sphere, cylinder, pulley or joint_term"
        if isinstance(path, str) or not isinstance(path, Iterable):
            raise ElementError("tendon", "path", path, f"expected a list; {legal}", t.name)
        path = list(path)
        for i, element in enumerate(path):
            if not isinstance(element, PathElement):
                raise ElementError("tendon", f"path[{i}]", element, legal, t.name)
        t.path = [element._core for element in path]
        for key in _TENDON_NUMBERS:
            setattr(t, key, number("tendon", key, given[key], t.name))
        drive = {} if given["drive"] is None else given["drive"]
        legal = "expected a dict with any of " + ", ".join(_DRIVE_NUMBERS)
        if not isinstance(drive, Mapping):
            raise ElementError("tendon", "drive", drive, legal, t.name)
        for key, value in drive.items():
            if key not in _DRIVE_NUMBERS:
                raise ElementError("drive", str(key), value, legal, t.name)
            setattr(t, key, number("drive", key, value, t.name))
        t.enabled = flag("tendon", "enabled", given["enabled"], t.name)
        reference_length = given["reference_length"]
        if isinstance(reference_length, str):
            choice("tendon", "reference_length", reference_length, {"auto": None}, t.name)
        else:
            t.reference_length = number("tendon", "reference_length", reference_length, t.name)
        t.color = vector("tendon", "color", given["color"], 4, t.name)
        return self._handle("tendon", self._core.add_tendon(t), t.name)

    @calls.checked()
    def add_keyframe(self, name: str | None = None, *, time=0.0, qpos=None, qvel=None) -> Handle:
        """Store a state that `Simulation.reset(keyframe=name)` goes to; omitted parts are those of
        the reference pose."""
        k = _core.KeyframeDescription()
        k.name = text("keyframe", "name", name)
        k.time = number("keyframe", "time", time, k.name)
        for key, value in (("qpos", qpos), ("qvel", qvel)):
            if value is not None:
                setattr(k, key, list(vector("keyframe", key, value, None, k.name)))
        return self._handle("keyframe", self._core.add_keyframe(k), k.name)

    @calls.checked()
    def add_point_mass(self, name: str, pos, mass) -> Handle:
        """Add a point of `mass` [kg] at `pos` [m] that moves freely without turning: a body with
        three slides <name>_x, <name>_y, <name>_z along the world's axes."""
        body = self.add_body(name, pos=pos, mass=mass)
        for axis, letter in (((1, 0, 0), "x"), ((0, 1, 0), "y"), ((0, 0, 1), "z")):
            self.add_joint(body, f"{body.name}_{letter}", type="slide", axis=axis)
        return body

    @calls.checked(max_problems=calls.whole(0, 2**31 - 1))
    def finalize(self, *, max_problems: int = 20):
        """Check everything and compile: a `Model`. ModelError with all problems; the builder stays
        usable. max_problems: how many the error's text shows (0 = all)."""
        from flexor.model import Model

        return Model(self._core.finalize(max_problems))

    def _handle(self, kind: str, index: int, name: str) -> Handle:
        if not name:
            lists = {"body": "bodies"}
            name = getattr(self._core, lists.get(kind, kind + "s"))[index].name
        return Handle(index, kind, name)

    def __repr__(self) -> str:
        return f"<flexor.ModelBuilder {self.name!r}>"


def _is_vector(value) -> bool:
    return isinstance(value, Sequence | np.ndarray) and getattr(value, "ndim", 1) > 0


def _from_bytes(data: bytes) -> ModelBuilder:
    return ModelBuilder._wrap(_core.builder_from_bytes(data))


def _quaternion(element: str, name: str, value, attribute: str = "quat") -> tuple[float, ...]:
    quat = vector(element, attribute, value, 4, name)
    if not np.linalg.norm(quat) >= 1e-9 or not np.all(np.isfinite(quat)):
        raise ElementError(element, attribute, value, "expected a quaternion of norm >= 1e-9", name)
    return quat


def _orientation(element: str, name: str, quat, euler) -> tuple[float, ...]:
    if quat is not None and euler is not None:
        raise ElementError(element, "quat", quat, "give quat or euler, not both", name)
    if euler is not None:
        return quaternion_from_euler(vector(element, "euler", euler, 3, name))
    return (1.0, 0.0, 0.0, 0.0) if quat is None else _quaternion(element, name, quat)
