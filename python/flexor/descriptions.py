"""Readable texts of the plain records that a model is made of."""

from __future__ import annotations

import functools

from flexor import _core

_RECORDS = (
    _core.BodyDescription,
    _core.JointDescription,
    _core.SiteDescription,
    _core.GeomDescription,
    _core.PathElement,
    _core.TendonDescription,
    _core.KeyframeDescription,
)


@functools.cache
def _defaults(record: type) -> dict:
    plain = record()
    names = (n for n in dir(record) if not n.startswith("_") and not callable(getattr(plain, n)))
    return {name: getattr(plain, name) for name in names}


def _text(value) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, tuple | list):
        shown = ", ".join(_text(v) for v in value)
        return f"({shown})" if isinstance(value, tuple) else f"[{shown}]"
    is_keyword = type(value).__module__ == _core.__name__ and hasattr(value, "name")
    return value.name if is_keyword else repr(value)


def _represent(record) -> str:
    """Type, name and what differs from the defaults."""
    parts = []
    for name, default in _defaults(type(record)).items():
        value = getattr(record, name)
        if name == "path":
            parts.append(f"path=<{len(value)} elements>")
        elif repr(value) != repr(default) and name != "name":
            parts.append(f"{name}={_text(value)}")
    label = [repr(record.name)] if getattr(record, "name", "") else []
    return f"{type(record).__name__}({', '.join(label + parts)})"


def install() -> None:
    """Gives the records of the core their texts."""
    for record in _RECORDS:
        record.__repr__ = _represent
