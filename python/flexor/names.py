"""Suggestions for names that do not exist."""

from __future__ import annotations

from collections.abc import Iterable

from flexor.errors import UnknownNameError

_MOST_CANDIDATES = 5000


def edit_distance(a: str, b: str) -> int:
    """Insertions, deletions, replacements and transpositions of neighbours between a and b."""
    before, previous = [], list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        row = [i]
        for j, y in enumerate(b, 1):
            cost = min(previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and y == a[i - 2]:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        before, previous = previous, row
    return previous[-1]


def nearest(name: str, legal: Iterable[str], count: int = 3) -> list[str]:
    """The legal names within max(1, length/3) edits of `name`, nearest first.   [MF-24]"""
    limit = max(1, len(name) // 3)
    found = []
    for index, candidate in enumerate(legal):
        if index == _MOST_CANDIDATES:
            break
        if abs(len(candidate) - len(name)) <= limit:
            distance = edit_distance(name, candidate)
            if distance <= limit:
                found.append((distance, index, candidate))
    return [candidate for _, _, candidate in sorted(found)[:count]]


def suggestion(name: str, legal: Iterable[str]) -> str:
    """ "did you mean 'x' or 'y'?"; empty if nothing is near."""
    close = nearest(name, legal)
    return "did you mean " + " or ".join(repr(c) for c in close) + "?" if close else ""


def unknown(what: str, name: str, legal: Iterable[str]) -> UnknownNameError:
    """Error for a name that is not among the legal ones, with the nearest."""
    legal = list(legal)
    hint = suggestion(name, legal)
    if not legal:
        hint = "there is none"
    elif not hint:
        hint = "legal: " + ", ".join(legal[:8]) + (" ..." if len(legal) > 8 else "")
    return UnknownNameError(f"{what}: no {name!r}; {hint}")
