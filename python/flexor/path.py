"""Elements of tendon paths: via, sphere, cylinder, pulley, joint_term.

flexor.via(site="anchor")                           a named site
flexor.via(body="upper", pos=(0.02, 0, -0.2))       or a point of a body
flexor.cylinder(body="upper", radius=0.02, axis=(0, 1, 0), side=("upper", (0, 0, 0.1)))
flexor.sphere(geom="knuckle", side="above")         or a named geom
flexor.pulley(2)                                    next branch, with half of the tension
flexor.joint_term("elbow", 0.03)                    0.03 m/rad of the joint's coordinate
"""

from __future__ import annotations

from flexor import _core
from flexor.arguments import ArgumentError, number, reference, vector

_TYPES = {
    "site": _core.ElementType.site,
    "sphere": _core.ElementType.sphere,
    "cylinder": _core.ElementType.cylinder,
    "pulley": _core.ElementType.pulley,
    "joint": _core.ElementType.joint,
}
_SIDE_MODES = {
    "auto": _core.SideMode.auto,
    "exterior": _core.SideMode.exterior,
    "interior": _core.SideMode.interior,
}


class PathElement:
    """One element of a tendon path; made by the functions of this module."""

    __slots__ = ("_core", "kind")

    def __init__(self, kind: str):
        self.kind = kind
        self._core = _core.PathElement()
        self._core.type = _TYPES[kind]

    def with_side_site(self, site) -> PathElement:
        """This guide with the named site as its side."""
        if self.kind not in ("sphere", "cylinder"):
            raise ArgumentError(self.kind, "side", site, "only spheres and cylinders have a side")
        _set_side(self, site)
        return self

    def __repr__(self) -> str:
        return f"<path element {self.kind}>"


def _set_side(element: PathElement, side) -> None:
    c = element._core
    c.has_side = True
    if isinstance(side, tuple | list):
        if len(side) != 2:
            raise ArgumentError(element.kind, "side", side, "a site, or (body, pos)")
        c.side_body = reference(element.kind, "side", side[0], "body")
        c.side_pos = vector(element.kind, "side", side[1], 3)
    else:
        c.side_site = reference(element.kind, "side", side, "site")


def via(site=None, *, body=None, pos=None) -> PathElement:
    """Point that the path goes through: a site, or `pos` in the frame of `body` (default world)."""
    element = PathElement("site")
    if site is not None:
        if body is not None or pos is not None:
            raise ArgumentError("site", "site", site, "give a site, or body and pos, not both")
        element._core.site = reference("site", "site", site, "site")
    else:
        if body is None and pos is None:
            raise ArgumentError("site", "site", None, "give a site, or body and pos")
        element._core.body = reference("site", "body", "world" if body is None else body, "body")
        element._core.pos = vector("site", "pos", (0, 0, 0) if pos is None else pos, 3)
    return element


def _guide(kind, geom, body, pos, radius, side, side_mode) -> PathElement:
    element = PathElement(kind)
    c = element._core
    if geom is not None:
        if body is not None or pos is not None:
            raise ArgumentError(kind, "geom", geom, "give a geom, or body and pos, not both")
        c.geom = reference(kind, "geom", geom, "geom")
        if radius is not None:
            raise ArgumentError(kind, "radius", radius, "the radius is the geom's")
    else:
        if radius is None:
            raise ArgumentError(kind, "radius", None, "a radius > 0 is required without a geom")
        c.body = reference(kind, "body", "world" if body is None else body, "body")
        c.pos = vector(kind, "pos", (0, 0, 0) if pos is None else pos, 3)
        c.radius = number(kind, "radius", radius)
    if side is not None:
        _set_side(element, side)
    if side_mode not in _SIDE_MODES:
        raise ArgumentError(kind, "side_mode", side_mode, "one of auto, exterior, interior")
    c.side_mode = _SIDE_MODES[side_mode]
    return element


def sphere(
    *, geom=None, body=None, pos=None, radius=None, side=None, side_mode="auto"
) -> PathElement:
    """Sphere that the path wraps around.

    geom: a named sphere; or centre `pos` in the frame of `body` (default world) and `radius` [m].
    side: a site, or (body, pos): the route passes on that side, or through it (inside).
    side_mode: "auto" decides by the side's distance from the centre; "exterior"; "interior".
    """
    return _guide("sphere", geom, body, pos, radius, side, side_mode)


def cylinder(
    *,
    geom=None,
    body=None,
    pos=None,
    radius=None,
    axis=None,
    half_length=None,
    side=None,
    side_mode="auto",
) -> PathElement:
    """Cylinder that the path wraps around: as `sphere`, with `axis` in the frame of the body
    (default z) and `half_length` [m] (default inf; beyond it a flag is raised, nothing else)."""
    element = _guide("cylinder", geom, body, pos, radius, side, side_mode)
    if geom is not None and axis is not None:
        raise ArgumentError("cylinder", "axis", axis, "the axis is the geom's")
    if axis is not None:
        element._core.axis = vector("cylinder", "axis", axis, 3)
    if half_length is not None:
        element._core.half_length = number("cylinder", "half_length", half_length)
    return element


def pulley(divisor) -> PathElement:
    """Begins the next branch: it counts 1/divisor in the length and carries 1/divisor of the tension."""
    element = PathElement("pulley")
    element._core.divisor = number("pulley", "divisor", divisor)
    return element


def joint_term(joint, coefficient=1.0) -> PathElement:
    """Adds coefficient times the joint's coordinate to the length [m/rad, or 1 for a slide]."""
    element = PathElement("joint")
    element._core.joint = reference("joint", "joint", joint, "joint")
    element._core.coefficient = number("joint", "coefficient", coefficient)
    return element
