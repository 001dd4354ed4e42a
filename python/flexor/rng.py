"""Random numbers by counting: every draw is a pure function of (seed, stream, episode, step, draw).

A world is known by its seed alone; batch size, threads, device and order enter nowhere. The same
numbers, bit for bit, as `flexor/math/random.hpp` in C++.

seeds = flexor.rng.seeds_for(7, 0, sim.num_worlds)
start = flexor.rng.uniform(seeds, sim.model.nq, -0.1, 0.1, stream=flexor.rng.INITIAL_STATE)

seed, episode and step are numbers or arrays that broadcast together, shape S (worlds, mostly);
`count` draws of each come back as (*S, count). [RN-1]-[RN-4]
"""

from __future__ import annotations

import numpy as np

from flexor import calls
from flexor.errors import ArgumentError, ConfigError, ShapeError

INITIAL_STATE, PARAMETERS, TASK, SENSOR_NOISE, SENSOR_DELAY, ACTION_NOISE, DISTURBANCE = range(7)
#: streams from here on belong to users
USER = 16

_SMALL, _LARGE = 2**32, 2**64
_COUNT = calls.whole(0, 2**31 - 1)
_STREAM = calls.whole(0, _SMALL - 1)
_MASK = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


def _words_of(call: str, argument: str, values, limit: int) -> np.ndarray:
    """Whole numbers in [0, limit) as uint64."""
    kind = calls.Kind(f"whole numbers from 0 to {limit - 1}", np.asarray)
    given = calls.judge(call, argument, kind, values)
    if given.dtype == object:  # Python integers on both sides of 2^63
        is_whole = all(type(x) is int for x in given.flat)
    else:
        is_whole = given.dtype.kind in "iu" or given.size == 0
    if not is_whole:
        raise ArgumentError(f"{call}: {argument}: {calls.shown(values)} given; legal: {kind.legal}")
    bad = [x for x in (given.min(), given.max()) if not 0 <= int(x) < limit] if given.size else []
    if bad:
        raise ConfigError(f"{call}: {argument}: {bad[0]} given; legal: {kind.legal}")
    return given.astype(np.uint64)


def philox(key, counter) -> np.ndarray:
    """Philox-4x32-10: four words of each counter, uint32 (..., 4). [RN-1]

    key: 64-bit seeds (...); counter: words (..., 4).
    """
    seed = _words_of("rng.philox", "key", key, _LARGE)
    words = _words_of("rng.philox", "counter", counter, _SMALL)
    if words.ndim == 0 or words.shape[-1] != 4:
        raise ShapeError(f"rng.philox: counter: shape {words.shape} given, (..., 4) expected")
    try:
        return _philox(seed, *(words[..., i] for i in range(4)))
    except ValueError:
        raise ShapeError(
            f"rng.philox: key {seed.shape} and counter {words.shape} do not broadcast"
        ) from None


def _philox(seed, *counter) -> np.ndarray:
    low, high = seed & _MASK, seed >> _HALF
    x = list(counter)
    for _ in range(10):
        p = np.uint64(0xD2511F53) * x[0]
        q = np.uint64(0xCD9E8D57) * x[2]
        x = [(q >> _HALF) ^ x[1] ^ low, q & _MASK, (p >> _HALF) ^ x[3] ^ high, p & _MASK]
        low = (low + np.uint64(0x9E3779B9)) & _MASK
        high = (high + np.uint64(0xBB67AE85)) & _MASK
    return np.stack(np.broadcast_arrays(*x), axis=-1).astype(np.uint32)


def _draw(call: str, seed, count, stream, episode, step) -> np.ndarray:
    call = f"rng.{call}"
    count = calls.judge(call, "count", _COUNT, count)
    stream = calls.judge(call, "stream", _STREAM, stream)
    keys = _words_of(call, "seed", seed, _LARGE)
    episodes = _words_of(call, "episode", episode, _SMALL)
    steps = _words_of(call, "step", step, _SMALL)
    try:
        shape = np.broadcast_shapes(keys.shape, episodes.shape, steps.shape)
    except ValueError:
        raise ShapeError(
            f"{call}: seed {keys.shape}, episode {episodes.shape}, step {steps.shape} do not "
            "broadcast"
        ) from None
    blocks = np.arange((count + 3) // 4, dtype=np.uint64)
    keys, episodes, steps = (np.broadcast_to(x, shape)[..., None] for x in (keys, episodes, steps))
    four = _philox(keys, blocks, steps, episodes, np.uint64(stream))
    return four.reshape(*shape, -1)[..., :count] if count else np.zeros((*shape, 0), np.uint32)


def words(seed, count: int, *, stream: int, episode=0, step=0) -> np.ndarray:
    """Draws as words: uint32. [RN-1]"""
    return _draw("words", seed, count, stream, episode, step)


def _unit(drawn: np.ndarray) -> np.ndarray:
    return (drawn >> np.uint32(8)) * 2.0**-24


def uniform(seed, count: int, low=0.0, high=1.0, *, stream: int, episode=0, step=0) -> np.ndarray:
    """In [low, high): float64. low, high: numbers, or arrays that broadcast to the draws. [RN-2]"""
    unit = _unit(_draw("uniform", seed, count, stream, episode, step))
    low = calls.judge("rng.uniform", "low", calls.numbers, low).astype(np.float64)
    high = calls.judge("rng.uniform", "high", calls.numbers, high).astype(np.float64)
    return _like(unit, "uniform", lambda: low + (high - low) * unit)


def _like(unit: np.ndarray, call: str, make) -> np.ndarray:
    try:
        made = make()
    except ValueError:
        made = None
    if made is None or made.shape != unit.shape:
        raise ShapeError(f"rng.{call}: low and high do not broadcast to the draws {unit.shape}")
    return made


def normal(seed, count: int, *, stream: int, episode=0, step=0) -> np.ndarray:
    """Mean 0, variance 1, |z| <= 5.77: float64. [RN-3]"""
    call = "normal"
    count = calls.judge(f"rng.{call}", "count", _COUNT, count)
    drawn = _draw(call, seed, count + count % 2, stream, episode, step)
    pair = drawn.reshape(*drawn.shape[:-1], -1, 2) >> np.uint32(8)
    radius = np.sqrt(-2.0 * _log((pair[..., 0] + 1.0) * 2.0**-24))
    s, c = _sincos(6.28318530717958647693 * (pair[..., 1] * 2.0**-24))
    return np.stack((radius * c, radius * s), axis=-1).reshape(drawn.shape)[..., :count]


def integers(seed, count: int, n, *, stream: int, episode=0, step=0) -> np.ndarray:
    """Whole numbers in [0, n): int64. [RN-3]"""
    n = calls.judge("rng.integers", "n", calls.whole(1, _SMALL), n)
    drawn = _draw("integers", seed, count, stream, episode, step)
    return ((drawn.astype(np.uint64) * np.uint64(n)) >> _HALF).astype(np.int64)


def log_uniform(seed, count: int, low, high, *, stream: int, episode=0, step=0) -> np.ndarray:
    """Uniform in the logarithm between low and high > 0: float64. [RN-3]"""
    unit = _unit(_draw("log_uniform", seed, count, stream, episode, step))
    ends = []
    for argument, value in (("low", low), ("high", high)):
        end = calls.judge("rng.log_uniform", argument, calls.numbers, value).astype(np.float64)
        if not np.all((end >= np.finfo(np.float64).tiny) & np.isfinite(end)):
            raise ConfigError(
                f"rng.log_uniform: {argument}: {calls.shown(value)} given; legal: finite numbers > 0"
            )
        ends.append(_log(end))
    return _like(unit, "log_uniform", lambda: _exp(ends[0] + (ends[1] - ends[0]) * unit))


def seeds_for(seed: int, start: int, count: int) -> np.ndarray:
    """Seeds below 2^63 of worlds start ... start + count - 1 of all that one seed stands for: int64.
    They do not depend on how worlds are shared out over processes. [RN-4]"""
    key = _words_of("rng.seeds_for", "seed", seed, _LARGE)
    if key.ndim:
        raise ShapeError(f"rng.seeds_for: seed: shape {key.shape} given, one number expected")
    count = calls.judge("rng.seeds_for", "count", _COUNT, count)
    start = calls.judge("rng.seeds_for", "start", calls.whole(0, 2**63 - 1), start)
    g = np.uint64(start) + np.arange(count, dtype=np.uint64)
    made = _philox(key, g & _MASK, g >> _HALF, np.uint64(0), np.uint64(0xFFFFFFFF))
    made = made.astype(np.uint64).reshape(count, 4)
    return ((made[:, 0] | (made[:, 1] << _HALF)) & np.uint64(2**63 - 1)).astype(np.int64)


# --- elementary functions: operation by operation those of flexor/math, so that bits agree ---


def _polynomial(x, *coefficients):
    total = np.full_like(x, coefficients[-1])
    for a in coefficients[-2::-1]:
        total = total * x + a
    return total


def _log(x: np.ndarray) -> np.ndarray:
    """`log` of flexor/math/random.hpp."""
    m, e = np.frexp(x)
    e = e.astype(np.float64)
    is_low = m < 0.70710678118654752440
    m = np.where(is_low, m + m, m)
    e = np.where(is_low, e - 1.0, e)
    z = m - 1.0
    z2 = z * z
    p = _polynomial(z, 7.70838733755885391666e0, 1.79368678507819816313e1,
                    1.44989225341610930846e1, 4.70579119878881725854e0,
                    4.97494994976747001425e-1, 1.01875663804580931796e-4)  # fmt: skip
    q = _polynomial(z, 2.31251620126765340583e1, 7.11544750618563894466e1,
                    8.29875266912776603211e1, 4.52279145837532221105e1,
                    1.12873587189167450590e1, 1.0)  # fmt: skip
    y = (z * (z2 * p / q) - e * 2.121944400546905827679e-4) - 0.5 * z2
    return (z + y) + e * 0.693359375


def _sincos(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """`sincos` of flexor/math/functions.hpp in double precision."""
    k = np.floor(x * 0.63661977236758134308 + 0.5)
    r = ((x - k * 1.57079632673412561417e00) - k * 6.07710050630396597660e-11) - (
        k * 2.02226624879595063154e-21
    )
    r2 = r * r
    s = r + r * r2 * _polynomial(
        r2, -1.66666666666666307295e-1, 8.33333333332211858878e-3, -1.98412698295895385996e-4,
        2.75573136213857245213e-6, -2.50507477628578072866e-8, 1.58962301576546568060e-10,
    )  # fmt: skip
    c = (
        1.0
        - r2 * 0.5
        + r2 * r2 * _polynomial(
            r2, 4.16666666666665929218e-2, -1.38888888888730564116e-3, 2.48015872888517045348e-5,
            -2.75573141792967388112e-7, 2.08757008419747316778e-9, -1.13585365213876817300e-11,
        )
    )  # fmt: skip
    quadrant = k.astype(np.int64) & 3
    odd, upper = quadrant & 1 == 1, quadrant >= 2
    s, c = np.where(odd, c, s), np.where(odd, -s, c)
    return np.where(upper, -s, s), np.where(upper, -c, c)


def _exp(x: np.ndarray) -> np.ndarray:
    """`exp` of flexor/math/functions.hpp in double precision."""
    y = np.minimum(np.maximum(x, -708.0), 709.0)
    k = np.floor(y * 1.44269504088896340736 + 0.5)
    r = (y - k * 6.93145751953125e-1) - k * 1.42860682030941723212e-6
    r2 = r * r
    p = r * _polynomial(
        r2, 9.99999999999999999910e-1, 3.02994407707441961300e-2, 1.26177193074810590878e-4
    )
    q = _polynomial(r2, 2.00000000000000000005e0, 2.27265548208155028766e-1,
                    2.52448340349684104192e-3, 3.00198505138664455042e-6)  # fmt: skip
    r = 1.0 + 2.0 * p / (q - p)
    return np.where(x < -708.0, 0.0, np.ldexp(r, k.astype(np.int64)))
