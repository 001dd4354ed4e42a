"""Commands that are no numbers: the last finite one of that entry stays in force. [IA-8]"""

import flexor
import numpy as np
import pytest
from flexor import Status

WRONG = (np.nan, np.inf, -np.inf)
COMMANDS = [
    name for name, row in flexor.FIELDS.items() if row.group == "command" and "enabled" not in name
]


@pytest.fixture(scope="module")
def puppet():
    """Every entry of every command array moves it: servos on a ball and a hinge, drives with gains."""
    b = flexor.ModelBuilder("puppet", timestep=0.002)
    b.add_body("arm", pos=(0, 0, 1), mass=1.0, com=(0, 0, -0.2), inertia=(0.02, 0.02, 0.01))
    b.add_joint("arm", "shoulder", type="ball", damping=0.1, position_gain=8, velocity_gain=0.5)
    b.add_body(
        "hand",
        parent="arm",
        pos=(0, 0, -0.4),
        mass=0.5,
        com=(0.02, 0, -0.1),
        inertia=(2e-3, 2e-3, 1e-3),
    )
    b.add_joint("hand", "elbow", axis=(0, 1, 0), position_gain=5, velocity_gain=0.2)
    for name, side in (("left", -0.2), ("right", 0.2)):
        b.add_spatial_tendon(
            name, [flexor.via(pos=(side, 0.1, 1)), flexor.via(body="hand", pos=(side / 4, 0, 0))]
        )
    return b.finalize()


def commanded(backend, model, num_worlds):
    """Worlds under finite commands that are different and not zero, two steps on."""
    sim = backend.simulate(model, num_worlds)
    random = np.random.default_rng(4)
    for name in COMMANDS:
        array = getattr(sim, name)
        array.set(random.uniform(0.2, 1.0, array.shape))
    sim.step(2)
    assert np.all(sim.status.numpy() == 0)
    return sim


def expect_equal(sim, other, but):
    """All states and commands but one command array and the status."""
    a, b = sim.get_state().to_host(), other.get_state().to_host()
    for name in a.keys() - {but, "status"}:
        assert a[name].tobytes() == b[name].tobytes(), name


@pytest.mark.parametrize("name", COMMANDS)
def test_one_entry_that_is_no_number_keeps_its_last_value(backend, puppet, name):
    """World w + 1 gets a wrong entry w, and new numbers in all the others of that array."""
    entries = int(np.prod(getattr(backend.simulate(puppet, 1), name).shape[1:]))
    faulty, held, moved = (commanded(backend, puppet, entries + 1) for _ in range(3))
    old = getattr(held, name).copy().reshape(entries + 1, entries)
    new = old * 1.5 + 0.1
    new[0] = old[0]
    worlds, entry = np.arange(1, entries + 1), np.arange(entries)
    for sim, values in (
        (faulty, np.resize(WRONG, entries)),
        (held, old[worlds, entry]),
        (moved, new[worlds, entry]),
    ):
        given = new.copy()
        given[worlds, entry] = values
        array = getattr(sim, name)
        array.numpy()[:] = given.reshape(array.shape)
        sim.step(3)
    expect_equal(faulty, held, but=name)
    assert faulty.status.numpy().tolist() == [0] + [Status.NONFINITE_COMMAND] * entries
    assert np.all(held.status.numpy() == 0)
    differs = np.any(moved.qvel.numpy() != held.qvel.numpy(), axis=1)
    assert differs.tolist() == [False] + [True] * entries, "each entry matters"

    for sim in (faulty, held):  # a finite number is taken again
        array = getattr(sim, name)
        array.numpy()[:] = new.reshape(array.shape)
        sim.step(2)
    expect_equal(faulty, held, but=None)
    assert faulty.status.numpy()[-1] == Status.NONFINITE_COMMAND, "sticky"


@pytest.mark.parametrize("name", COMMANDS)
def test_an_entry_that_never_was_a_number_stays_at_its_initial_value(backend, puppet, name):
    faulty, untouched = backend.simulate(puppet, 3), backend.simulate(puppet, 3)
    getattr(faulty, name).numpy()[:] = np.nan
    for sim in (faulty, untouched):
        sim.step(5)
    expect_equal(faulty, untouched, but=name)
    assert np.all(faulty.status.numpy() == Status.NONFINITE_COMMAND)
    faulty.reset()
    untouched.reset()
    for sim in (faulty, untouched):
        sim.step(5)
    expect_equal(faulty, untouched, but=None)
    assert np.all(faulty.status.numpy() == 0), "a reset puts commands back"
