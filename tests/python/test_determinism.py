"""Equal bits of every array: run twice, other threads, other batches, other places in the batch,
a neighbour that is no number.   [E-9]"""

import flexor
import numpy as np
import pytest
from flexor.comparison.fields import every_bit
from flexor.comparison.run import first_difference
from flexor.comparison.side import Side
from parity import (
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

BAD, COUNT = 7, 33


def run_with(model, precision, guard, states, field=None):
    """Five steps of COUNT worlds, world BAD with NaN in a field: the values of all arrays."""
    side = Side(model, COUNT, device="cpu", precision=precision, guard=guard, inert="*")
    for name, values in states.items():
        side.write(name, values.astype(precision))
    if field is not None:
        values = side.read(field)
        values[BAD] = np.nan
        side.write(field, values)
    for _ in range(5):
        side.step()
    names = [n for n in every_bit("free") if precision == "float32" or n != "qpos_compensation"]
    return {name: side.read(name) for name in names}, side


@pytest.mark.parametrize("guard", ["ignore", "freeze", "reset"])
@precisions
@pytest.mark.parametrize("seed", [*OWN, *range(6)])
def test_a_world_that_is_no_number_changes_no_other(seed, precision, guard):
    if isinstance(seed, str):
        model, states = flexor.models.load(seed), {}
    else:
        model, states = random_model(seed), random_states(seed, COUNT)
    expected, side = run_with(model, precision, guard, states)
    others = np.arange(COUNT) != BAD
    for field in ("qpos", "qvel", "drive_force", "activation", "body_wrench"):
        if model.tendon_count == 0 and field in ("drive_force", "activation"):
            continue
        found, _ = run_with(model, precision, guard, states, field)
        a, b = ({n: v[others] for n, v in x.items()} for x in (expected, found))
        assert first_difference(0, a, b, side, "free") is None, field
        if field in ("qpos", "qvel"):
            bit = int(flexor.Status.NONFINITE_STATE)
            assert found["status"][BAD] & bit or guard == "reset", "the fault was not seen"


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
