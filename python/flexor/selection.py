"""Which worlds a call acts on: indices and masks, judged in one place."""

from __future__ import annotations

import numpy as np

from flexor import calls
from flexor.errors import ArgumentError, ConfigError, ShapeError

_INDICES = calls.Kind("integer indices or a mask of bools", calls.numbers.convert)


def world_indices(
    worlds, num_worlds: int, call: str, argument: str = "worlds", may_repeat: bool = False
):
    """Indices of the selected worlds as int64; None stays None (all worlds).

    worlds: different integer indices (any with may_repeat), one index, or a boolean mask of shape
        (num_worlds,).
    call, argument: named in errors.
    """
    if worlds is None:
        return None
    given = calls.judge(call, argument, _INDICES, worlds)
    if given.size == 0 and given.dtype != np.bool_:
        return np.zeros(0, np.int64)
    if given.dtype == np.bool_:
        if given.shape != (num_worlds,):
            raise ShapeError(
                f"{call}: {argument}: a mask of shape {given.shape} given, "
                f"shape ({num_worlds},) expected"
            )
        return np.flatnonzero(given).astype(np.int64)
    if given.dtype.kind not in "iu":
        raise ArgumentError(
            f"{call}: {argument}: {calls.shown(given)} given; legal: {_INDICES.legal}"
        )
    indices = np.atleast_1d(given)
    if indices.ndim != 1:
        raise ShapeError(
            f"{call}: {argument}: shape {given.shape} given, a vector of indices expected"
        )
    bad = indices[(indices < 0) | (indices >= num_worlds)]
    if bad.size:
        raise ConfigError(f"{call}: {argument}: world {bad[0]} given; legal: 0 to {num_worlds - 1}")
    if not may_repeat and indices.size > 1:
        ordered = np.sort(indices)
        twice = ordered[1:][ordered[1:] == ordered[:-1]]
        if twice.size:
            raise ConfigError(
                f"{call}: {argument}: world {twice[0]} given twice; legal: different worlds"
            )
    return np.ascontiguousarray(indices, np.int64)


_MASK = calls.Kind(
    "bool or uint8, one a world, or the different indices of worlds", calls.numbers.convert
)


def _are_indices(mask: np.ndarray) -> bool:
    """Whether what was given as a mask names worlds by their numbers."""
    is_whole = mask.dtype.kind in "iu" and mask.dtype != np.uint8
    return mask.ndim == 1 and (is_whole or (mask.size == 0 and mask.dtype != np.bool_))


def world_mask(mask, num_worlds: int, call: str) -> np.ndarray | None:
    """One byte a world, 1 = selected; None stays None (all worlds).

    mask: bool or uint8 of shape (num_worlds,), or different indices of worlds.
    call: named in errors.
    """
    if mask is None:
        return None
    given = calls.judge(call, "mask", _MASK, mask)
    if _are_indices(given):
        indices = world_indices(given, num_worlds, call, "mask", may_repeat=True)
        chosen = np.zeros(num_worlds, np.uint8)
        chosen[indices] = 1
        # zeros and ones for all worlds: a mask of ints, most likely
        is_unclear = indices.size == num_worlds and bool(np.all(indices <= 1))
        if is_unclear or np.count_nonzero(chosen) < indices.size:
            why = "that may be a mask" if is_unclear else "with a world twice"
            raise ArgumentError(
                f"{call}: mask: {calls.shown(given)} {why} given; legal: {_MASK.legal}"
            )
        return chosen
    if given.dtype not in (np.bool_, np.uint8):
        raise ArgumentError(f"{call}: mask: {calls.shown(given)} given; legal: {_MASK.legal}")
    if given.shape != (num_worlds,):
        raise ShapeError(f"{call}: mask: shape {given.shape} given, shape ({num_worlds},) expected")
    return np.ascontiguousarray(given).view(np.uint8)


def order_of_rows(mask) -> slice | np.ndarray:
    """What sorts rows given for the worlds of a mask by world: rows come in the order of indices."""
    if mask is None or not _are_indices(given := np.asarray(mask)):
        return slice(None)
    return np.argsort(given)
