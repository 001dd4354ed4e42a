"""Arguments of builder calls: handles, references, numbers and vectors, each with a clear error."""

from __future__ import annotations

import numpy as np

from flexor.calls import shown
from flexor.errors import ArgumentError, ModelError


class ElementError(ModelError, ArgumentError):
    """ModelError for one argument of a builder call."""

    def __init__(self, element: str, attribute: str, value, legal: str, name: str = ""):
        label = f"{element} {name!r}" if name else element
        text = f"<builder>: error: {label}: {attribute} = {shown(value)}: {legal} [bad-argument]"
        problem = {
            "severity": "error",
            "code": "bad-argument",
            "file": "<builder>",
            "line": 0,
            "column": 0,
            "element": element,
            "name": name,
            "attribute": attribute,
            "value": shown(value),
            "text": legal,
            "hint": "",
            "count": 1,
        }
        super().__init__(text, [problem])


_LONGEST_TEXT = 4096
#: what float() would take for a number
_NO_NUMBERS = bool | np.bool_ | str | bytes | bytearray | complex | np.complexfloating


class Handle(int):
    """What an add_* call returns: the element's index, with its kind and name. Any argument that
    names an element takes the handle or the name."""

    kind: str
    name: str

    def __new__(cls, index: int, kind: str, name: str):
        handle = super().__new__(cls, index)
        handle.kind = kind
        handle.name = name
        return handle

    def __getnewargs__(self):
        return int(self), self.kind, self.name

    def __repr__(self) -> str:
        return f"<{self.kind} {self.name!r} ({int(self)})>"


def reference(element: str, attribute: str, value, kind: str, name: str = "") -> str | int:
    """Name or index of an element of `kind`, given its name or handle."""
    if isinstance(value, Handle):
        if value.kind != kind:
            raise ElementError(
                element, attribute, value, f"expected a {kind}, this is a {value.kind}", name
            )
        return int(value)
    if isinstance(value, str):
        return value
    raise ElementError(element, attribute, value, f"expected the name or handle of a {kind}", name)


def number(element: str, attribute: str, value, name: str = "") -> float:
    """Value as float; ranges are the builder's business."""
    return vector(element, attribute, (value,), 1, name, given=value, legal="expected a number")[0]


def vector(
    element: str, attribute: str, value, count, name: str = "", *, given=None, legal: str = ""
) -> tuple[float, ...]:
    """Value as a tuple of `count` floats (one of several counts; any number of them if None).
    given, legal: what an error says in place of `value` and of the count."""
    counts = (count,) if isinstance(count, int) else count
    wanted = "" if counts is None else " or ".join(str(c) for c in counts) + " "
    try:
        if isinstance(value, str | bytes) or any(isinstance(x, _NO_NUMBERS) for x in value):
            raise TypeError
        items = tuple(float(x) for x in value)
        if counts is not None and len(items) not in counts:
            raise TypeError
    except (TypeError, ValueError, OverflowError):
        raise ElementError(
            element,
            attribute,
            value if given is None else given,
            legal or f"expected {wanted}numbers",
            name,
        ) from None
    return items


def flag(element: str, attribute: str, value, name: str = "") -> bool:
    """Value as bool."""
    if not isinstance(value, bool | np.bool_):
        raise ElementError(element, attribute, value, "expected True or False", name)
    return bool(value)


def text(element: str, attribute: str, value) -> str:
    """A name; None becomes empty, which the builder replaces by <kind>_<index>."""
    if value is None:
        return ""
    if not isinstance(value, str) or len(value) > _LONGEST_TEXT:
        legal = f"expected a text of at most {_LONGEST_TEXT} characters"
        raise ElementError(element, attribute, value, legal)
    return value


def choice(element: str, attribute: str, value, choices: dict, name: str = ""):
    """Value of a keyword."""
    if not isinstance(value, str) or value not in choices:
        raise ElementError(element, attribute, value, "expected one of " + ", ".join(choices), name)
    return choices[value]


def quaternion_from_euler(angles: tuple[float, ...]) -> tuple[float, ...]:
    """Quaternion (w, x, y, z) of intrinsic rotations about x, y, z [rad]: q = q_x q_y q_z."""
    w, x, y, z = 1.0, 0.0, 0.0, 0.0
    for axis, angle in enumerate(angles):
        c, s = np.cos(angle / 2), np.sin(angle / 2)
        v = [0.0, 0.0, 0.0]
        v[axis] = s
        w, x, y, z = (
            w * c - x * v[0] - y * v[1] - z * v[2],
            w * v[0] + x * c + y * v[2] - z * v[1],
            w * v[1] - x * v[2] + y * c + z * v[0],
            w * v[2] + x * v[1] - y * v[0] + z * c,
        )
    return (float(w), float(x), float(y), float(z))


def rotated_inertia(principal: tuple[float, ...], quat: tuple[float, ...]) -> tuple[float, ...]:
    """xx yy zz xy xz yz of principal moments in a frame turned by `quat` (any norm > 0)."""
    w, x, y, z = np.asarray(quat) / np.linalg.norm(quat)
    r = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    i = r @ np.diag(principal) @ r.T
    return (i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2])
