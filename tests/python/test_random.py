"""flexor.rng: known values, equality with the C++ generator, arguments. [RN-1]-[RN-4]"""

import flexor
import numpy as np
import pytest
from flexor import _core, rng


def test_case_15_philox_known_answers():
    zero = rng.philox(0, [0, 0, 0, 0])
    ones = rng.philox(2**64 - 1, [2**32 - 1] * 4)
    assert zero.dtype == np.uint32
    assert [f"{w:08x}" for w in zero] == "6627e8d5 e169c58d bc57ac4c 9b00dbd8".split()
    assert [f"{w:08x}" for w in ones] == "408f276d 41c83b0e a20bc7c6 6d5451fd".split()


def test_case_16_words_uniforms_normals():
    words = rng.words(42, 4, stream=0)
    assert [f"{w:08x}" for w in words] == "9ceaf053 77f5493b 12bf50ad 5742b3d7".split()
    np.testing.assert_allclose(rng.uniform(42, 2, stream=0), [0.612959862, 0.468586504], atol=1e-9)
    expected = [-0.9701897, 0.1940190, -1.2356201, 1.9239270]
    np.testing.assert_allclose(rng.normal(42, 4, stream=0), expected, rtol=0, atol=1e-6)


def test_case_17_ranges_and_integers():
    drawn = rng.uniform(42, 3, 0.7, 1.3, stream=rng.PARAMETERS)
    np.testing.assert_allclose(drawn, [0.775618947, 1.056322098, 0.897112823], rtol=0, atol=1e-9)
    assert rng.integers(42, 8, 10, stream=rng.TASK).tolist() == [3, 1, 4, 0, 3, 8, 5, 0]


def test_case_18_seeds_of_many_worlds():
    expected = [8807911525803609844, 5914229793403087100, 548188569751183986]
    assert rng.seeds_for(0, 0, 3).tolist() == expected
    assert rng.seeds_for(0, 1, 2).tolist() == expected[1:]
    assert rng.seeds_for(0, 0, 0).shape == (0,)
    assert np.all(rng.seeds_for(2**64 - 1, 2**32 - 5, 10) >= 0)


@pytest.mark.parametrize("seed", [0, 42, 2**63 + 12345])
@pytest.mark.parametrize("stream, episode, step", [(0, 0, 0), (3, 7, 2**32 - 1), (16, 2**31, 5)])
def test_numbers_are_those_of_cpp(seed, stream, episode, step):
    count = 4097
    core = _core.RandomStream(seed, stream, episode, step)
    at = {"stream": stream, "episode": episode, "step": step}
    assert np.array_equal(np.asarray(core.words(count)), rng.words(seed, count, **at))
    for ours, theirs in (
        (rng.uniform(seed, count, -0.3, 1.7, **at), core.uniform(count, -0.3, 1.7)),
        (rng.normal(seed, count, **at), core.normal(count)),
        (rng.integers(seed, count, 1000, **at), core.integers(count, 1000)),
        (rng.log_uniform(seed, count, 1e-3, 2e5, **at), core.log_uniform(count, 1e-3, 2e5)),
    ):
        assert ours.tobytes() == np.asarray(theirs).tobytes()
    seeds = rng.seeds_for(seed, 2**32 - 2, 5)
    assert seeds.tolist() == [_core.seed_for(seed, 2**32 - 2 + i) for i in range(5)]


def test_worlds_draw_apart():
    """A world's draws are those it would have alone; counters broadcast."""
    seeds = rng.seeds_for(9, 0, 6)
    episode = np.arange(6)
    together = rng.normal(seeds, 7, stream=2, episode=episode, step=3)
    assert together.shape == (6, 7)
    for w in range(6):
        alone = rng.normal(seeds[w], 7, stream=2, episode=int(episode[w]), step=3)
        assert alone.tobytes() == together[w].tobytes()
    grid = rng.uniform(seeds[:, None], 2, stream=0, step=np.arange(4))
    assert grid.shape == (6, 4, 2)
    assert np.array_equal(grid[:, 2], rng.uniform(seeds, 2, stream=0, step=2))
    assert np.array_equal(rng.words(5, 9, stream=1)[:3], rng.words(5, 3, stream=1))
    assert rng.normal(seeds, 0, stream=0).shape == (6, 0)


def test_bounds_may_differ_by_draw():
    low, high = np.array([0.0, 1.0, -2.0]), np.array([1.0, 1.0, 4.0])
    drawn = rng.uniform(rng.seeds_for(1, 0, 100), 3, low, high, stream=0)
    assert np.all((low <= drawn) & (drawn <= high)) and np.all(drawn[:, 1] == 1)
    with pytest.raises(flexor.ShapeError, match="broadcast"):
        rng.uniform(1, 2, low, high, stream=0)


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda: rng.words(-1, 2, stream=0), ValueError, "seed"),
        (lambda: rng.words(2**64, 2, stream=0), ValueError, "seed"),
        (lambda: rng.words(0.5, 2, stream=0), TypeError, "seed"),
        (lambda: rng.words([1, 2.5], 2, stream=0), TypeError, "seed"),
        (lambda: rng.words("a", 2, stream=0), TypeError, "seed"),
        (lambda: rng.words(1, -1, stream=0), ValueError, "count"),
        (lambda: rng.words(1, 1, stream=-1), ValueError, "stream"),
        (lambda: rng.words(1, 1, stream=0, step=2**32), ValueError, "step"),
        (lambda: rng.words([1, 2], 1, stream=0, episode=[1, 2, 3]), ValueError, "broadcast"),
        (lambda: rng.integers(1, 1, 0, stream=0), ValueError, "n"),
        (lambda: rng.log_uniform(1, 1, 0, 1, stream=0), ValueError, "low"),
        (lambda: rng.log_uniform(1, 1, 1, np.nan, stream=0), ValueError, "high"),
        (lambda: rng.uniform(1, 1, "a", stream=0), TypeError, "low"),
        (lambda: rng.seeds_for([1], 0, 1), ValueError, "seed"),
        (lambda: rng.seeds_for(1, -1, 1), ValueError, "start"),
        (lambda: rng.philox(1, [1, 2, 3]), ValueError, "counter"),
    ],
)
def test_wrong_arguments_say_what_is_legal(call, error, words):
    with pytest.raises(error, match=words) as caught:
        call()
    assert isinstance(caught.value, flexor.FlexorError)
