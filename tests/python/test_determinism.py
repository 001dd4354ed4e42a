"""Equal bits of every array: run twice, other threads, other batches, other places in the batch,
a neighbour that is no number.   [E-9]"""

import flexor
import numpy as np
import pytest
from flexor.comparison.fields import every_bit
from flexor.comparison.run import first_difference
from flexor.comparison.side import Side
from parity import (
    BATCHES,
    OWN,
    PRECISIONS,
    RANDOM,
    public_files,
    public_model,
    random_model,
    random_states,
)

#: how side b computes the same worlds
WAYS = {
    "again": {"worlds": 33},
    "other threads": {"worlds": 100, "threads_a": 1, "threads_b": 2},
    "other places": {"worlds": 33, "shuffle_b": True},
    "8 batches of 64": {"worlds": 512, "batch_b": 64},
    "batches of one": {"worlds": 33, "batch_b": 1},
    "all at once": {"worlds": 100, "threads_a": 2, "threads_b": 1, "batch_b": 7, "shuffle_b": True},
}
ways = pytest.mark.parametrize("way", WAYS)
precisions = pytest.mark.parametrize("precision", PRECISIONS)
SHORT = {"worlds": 33, "steps": 3, "threads_a": 1, "threads_b": 2, "batch_b": 5, "shuffle_b": True}


def assert_equal_bits(model, precision, **options):
    """Both sides run on freely from random states under random commands."""
    report = flexor.compare(
        model, "cpu", "cpu", precision_a=precision, precision_b=precision, strict=True,
        mode="free", **options,
    )  # fmt: skip
    assert report.ok and report.first_difference is None, str(report)


@ways
@precisions
@pytest.mark.parametrize("name", OWN)
def test_case_48_own_models_give_equal_bits(name, precision, way):
    steps = 6 if WAYS[way]["worlds"] < 500 else 2
    assert_equal_bits(flexor.models.load(name), precision, steps=steps, **WAYS[way])


@precisions
@pytest.mark.parametrize("worlds", BATCHES)
@pytest.mark.parametrize("name", OWN)
def test_batches_of_every_size_give_equal_bits(name, worlds, precision):
    """On 1 and 2 threads, in other batches and other places."""
    steps = 5 if worlds < 100 else 2
    batch = max(1, worlds // 3)
    assert_equal_bits(
        flexor.models.load(name), precision, steps=steps, worlds=worlds, threads_a=1, threads_b=2,
        batch_b=batch, shuffle_b=True,
    )  # fmt: skip


@precisions
def test_random_models_give_equal_bits(precision):
    for seed in range(20):
        assert_equal_bits(random_model(seed), precision, seed=seed, **SHORT)


@pytest.mark.long
@ways
@precisions
def test_all_random_models_give_equal_bits(precision, way):
    for seed in range(RANDOM):
        assert_equal_bits(random_model(seed), precision, seed=seed, steps=3, **WAYS[way])


@precisions
@pytest.mark.parametrize("file", public_files())
def test_public_models_give_equal_bits(file, precision):
    model = public_model(file)
    sizes = {} if model.nv < 100 else {"worlds": 17, "steps": 1}
    assert_equal_bits(model, precision, inert="*", **(SHORT | sizes))


@pytest.mark.long
@ways
@precisions
@pytest.mark.parametrize("file", public_files())
def test_public_models_give_equal_bits_in_every_way(file, precision, way):
    model = public_model(file)
    steps = 6 if model.nv < 100 else 1
    assert_equal_bits(model, precision, inert="*", steps=steps, **WAYS[way])


# --- one world that is no number ---


def run_with(model, precision, guard, states, worlds, threads, field=None):
    """Five steps, the middle world with NaN in a field: the values of all arrays."""
    side = Side(
        model, worlds, device="cpu", precision=precision, guard=guard, inert="*",
        num_threads=threads,
    )  # fmt: skip
    for name, values in states.items():
        side.write(name, values.astype(precision))
    if field is not None:
        values = side.read(field)
        values[worlds // 2] = np.nan
        side.write(field, values)
    for _ in range(5):
        side.step()
    names = [n for n in every_bit("free") if precision == "float32" or n != "qpos_compensation"]
    return {name: side.read(name) for name in names}, side


def assert_isolated(model, states, precision, guard, worlds, threads):
    expected, side = run_with(model, precision, guard, states, worlds, threads)
    bad = worlds // 2
    others = np.arange(worlds) != bad
    for field in ("qpos", "qvel", "drive_force", "activation", "body_wrench"):
        if model.tendon_count == 0 and field in ("drive_force", "activation"):
            continue
        found, faulty = run_with(model, precision, guard, states, worlds, threads, field)
        a, b = ({n: v[others] for n, v in x.items()} for x in (expected, found))
        assert first_difference(0, a, b, side, "free") is None, field
        if field in ("qpos", "qvel"):
            bit = int(flexor.Status.NONFINITE_STATE)
            seen = faulty.guard_resets()[bad] if guard == "reset" else found["status"][bad] & bit
            assert seen, "the fault was not seen"


@pytest.mark.parametrize("guard", ["ignore", "freeze", "reset"])
@precisions
@pytest.mark.parametrize("seed", [*OWN, *range(6)])
def test_a_world_that_is_no_number_changes_no_other(seed, precision, guard):
    if isinstance(seed, str):
        model, states = flexor.models.load(seed), {}
    else:
        model, states = random_model(seed), random_states(seed, 33)
    assert_isolated(model, states, precision, guard, 33, 2)


@pytest.mark.parametrize("worlds", [31, 1000])
@pytest.mark.parametrize("threads", [1, 2])
@precisions
@pytest.mark.parametrize("name", OWN)
def test_a_world_that_is_no_number_changes_none_of_any_batch(name, precision, threads, worlds):
    assert_isolated(flexor.models.load(name), {}, precision, "freeze", worlds, threads)


@pytest.mark.long
@precisions
def test_no_random_model_passes_a_fault_on(precision):
    for seed in range(RANDOM):
        states = random_states(seed, 33)
        assert_isolated(random_model(seed), states, precision, "freeze", 33, 2)


@precisions
@pytest.mark.parametrize("file", public_files())
def test_no_public_model_passes_a_fault_on(file, precision):
    model = public_model(file)
    assert_isolated(model, {}, precision, "freeze", 33 if model.nv < 60 else 5, 2)


def test_both_numeric_modes_are_strict_on_the_processor(batch):
    """The modes differ on graphics cards alone; the choice is kept, and judged."""
    model = flexor.models.load("three_joint_finger")
    fast, strict = (batch.simulate(model, 3, numeric=mode) for mode in ("fast", "strict"))
    for sim in (fast, strict):
        sim.drive_force.set(-4.0)
        sim.step(100)
    assert (fast.options["numeric"], strict.options["numeric"]) == ("fast", "strict")
    assert np.array_equal(fast.state_hash(), strict.state_hash())
    with pytest.raises(flexor.ConfigError, match="Simulation: numeric: 'loose'.*'fast', 'strict'"):
        batch.simulate(model, 3, numeric="loose")
