"""Status bits of a world."""

from __future__ import annotations

import enum

from flexor import _core

_BITS = _core.status_bits()

_INFORMATIONAL = sum(value for _, value, is_informational, *_ in _BITS if is_informational)
_ERRORS = sum(value for _, value, is_informational, *_ in _BITS if not is_informational)

Status = enum.IntFlag(
    "Status",
    [(name, value) for name, value, *_ in _BITS]
    + [("INFORMATIONAL", _INFORMATIONAL), ("ERRORS", _ERRORS)],
)
Status.__doc__ = (
    "Status bits of a world (`sim.status`), sticky until reset or clear_status.\n\n"
    + ("\n".join(f"{name}: {cause}; {remedy}." for name, _, _, cause, remedy in _BITS))
    + "\n\nINFORMATIONAL: the bits that only inform, the step being as good as without them."
    + "\nERRORS: all the others; `Simulation.failed` looks for these."
)


def describe(bits: int) -> list[str]:
    """One line a bit: its name, cause and remedy."""
    return [f"{name}: {cause}; {remedy}" for name, value, _, cause, remedy in _BITS if bits & value]
