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
from flexor.arguments import ElementError, choice, number, reference, vector

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
            raise ElementError(self.kind, "side", site, "only spheres and cylinders have a side")
        _set_side(self, site)
        return self

    def __repr__(self) -> str:
        return f"<path element {self.kind}>"


def _set_side(element: PathElement, side) -> None:
    c = element._core
    c.has_side = True
    if isinstance(side, tuple | list):
        if len(side) != 2:
            raise ElementError(element.kind, "side", side, "a site, or (body, pos)")
        c.side_body = reference(element.kind, "side", side[0], "body")
        c.side_pos = vector(element.kind, "side", side[1], 3)
    else:
        c.side_site = reference(element.kind, "side", side, "site")


def _place(element: PathElement, named: dict, body, pos) -> bool:
    """Puts an element at a named site or geom, or at `pos` in the frame of `body`: one of them.

    named: kind of element that can give the place -> its name or handle, or None
    @return whether a named one gives it
    """
    kind, c = element.kind, element._core
    given = [k for k, value in named.items() if value is not None]
    words = ", ".join(f"a {k}" for k in named)
    if len(given) > 1 or (given and (body is not None or pos is not None)):
        raise ElementError(
            kind, given[0], named[given[0]], f"give {words}, or body and pos, not both"
        )
    if given:
        setattr(c, given[0], reference(kind, given[0], named[given[0]], given[0]))
        return True
    c.body = reference(kind, "body", "world" if body is None else body, "body")
    c.pos = vector(kind, "pos", (0, 0, 0) if pos is None else pos, 3)
    return False


def via(site=None, *, body=None, pos=None) -> PathElement:
    """Point that the path goes through: a site, or `pos` in the frame of `body` (default world)."""
    element = PathElement("site")
    if site is None and body is None and pos is None:
        raise ElementError("site", "site", None, "give a site, or body and pos")
    _place(element, {"site": site}, body, pos)
    return element


def _guide(kind, geom, site, body, pos, radius, side, side_mode) -> PathElement:
    element = PathElement(kind)
    c = element._core
    _place(element, {"geom": geom, "site": site}, body, pos)
    if geom is not None and radius is not None:
        raise ElementError(kind, "radius", radius, "the radius is the geom's")
    if geom is None:
        if radius is None:
            raise ElementError(kind, "radius", None, "a radius > 0 is required without a geom")
        c.radius = number(kind, "radius", radius)
    if side is not None:
        _set_side(element, side)
    c.side_mode = choice(kind, "side_mode", side_mode, _SIDE_MODES)
    return element


def sphere(
    *, geom=None, site=None, body=None, pos=None, radius=None, side=None, side_mode="auto"
) -> PathElement:
    """Sphere that the path wraps around.

    geom: a named sphere; or a named site as centre, or centre `pos` in the frame of `body` (default
    world), and `radius` [m].
    side: a site, or (body, pos): the route passes on that side, or through it (inside).
    side_mode: "auto": interior if the side lies nearer to the centre (a cylinder's: axis) than the
        radius, else exterior. Every world decides by its own radius: setting
        tendon/<t>/route/<i>/radius past the side point turns the guide interior there. "exterior"
        and "interior" hold whatever the radius.
    """
    return _guide("sphere", geom, site, body, pos, radius, side, side_mode)


def cylinder(
    *,
    geom=None,
    site=None,
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
    element = _guide("cylinder", geom, site, body, pos, radius, side, side_mode)
    if geom is not None and axis is not None:
        raise ElementError("cylinder", "axis", axis, "the axis is the geom's")
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
