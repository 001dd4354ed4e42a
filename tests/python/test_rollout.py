"""Rollouts: commands given ahead, equal to the loop they stand for. [IA-11]"""

import threading

import flexor
import numpy as np
import pytest
from scenes import tendon_forest

WORLDS, STEPS = 33, 50


@pytest.fixture(scope="module")
def model():
    return tendon_forest()


@pytest.fixture
def sim(model, batch):
    return batch.simulate(model, WORLDS)


def random_forces(model, worlds=WORLDS, steps=STEPS):
    seeds = flexor.rng.seeds_for(5, 0, worlds)
    drawn = flexor.rng.uniform(
        seeds[:, None], model.tendon_count, -30, 0, stream=flexor.rng.USER, step=np.arange(steps)
    )
    assert drawn.shape == (worlds, steps, model.tendon_count)
    return drawn


def loop(sim, commands, record, every, steps=STEPS):
    rows = {name: [] for name in record}
    for i in range(steps):
        for name, values in commands.items():
            getattr(sim, name).set(values[:, i])
        sim.step()
        if (i + 1) % every == 0:
            for name in record:
                rows[name].append(getattr(sim, name).copy())
    return {name: np.stack(values, axis=1) for name, values in rows.items()}


def same(a, b):
    """Arrays by name, or snapshots, of equal bits."""
    if isinstance(a, flexor.Snapshot):
        a, b = a.to_host(), b.to_host()
    assert a.keys() == b.keys()
    for name in a:
        assert a[name].dtype == b[name].dtype and a[name].shape == b[name].shape, name
        assert a[name].tobytes() == b[name].tobytes(), name


def test_case_55_rollout_equals_the_loop(model, batch, sim):
    commands = {"drive_force": random_forces(model)}
    record = ["qpos", "tendon_tension"]
    recorded = sim.rollout(STEPS, commands, record=record, every=5)
    assert recorded["qpos"].shape == (WORLDS, 10, model.nq)
    assert recorded["tendon_tension"].shape == (WORLDS, 10, model.tendon_count)
    other = batch.simulate(model, WORLDS)
    same(recorded, loop(other, commands, record, 5))
    same(sim.get_state(), other.get_state())


def test_case_55_restore_puts_everything_back(model, batch, sim):
    sim.drive_force.set(-3.0)
    sim.step(4)
    before = sim.get_state()
    lengths = sim.tendon_length.copy()
    commands = {"drive_force": random_forces(model)}
    first = sim.rollout(STEPS, commands, record=["qpos", "tendon_tension"], every=5, restore=True)
    same(sim.get_state(), before)
    assert sim.tendon_length.copy().tobytes() == lengths.tobytes()
    again = sim.rollout(STEPS, commands, record=["qpos", "tendon_tension"], every=5, restore=True)
    same(first, again)


@pytest.mark.parametrize("threads", [1, 2])
def test_every_kind_of_array_and_command(model, batch, threads):
    """Vectors, flags, targets and wrenches; geometry read between steps that skip it."""
    sim = batch.simulate(model, WORLDS, num_threads=threads)
    rng = np.random.default_rng(0)
    nv, tendons, bodies = model.nv, model.tendon_count, sim.body_wrench.shape[1]
    commands = {
        "joint_force": rng.normal(size=(WORLDS, STEPS, nv)),
        "drive_target_length": rng.uniform(0.5, 0.7, (WORLDS, STEPS, tendons)),
        "tendon_enabled": rng.integers(0, 2, (WORLDS, STEPS, tendons)),
        "body_wrench": rng.normal(size=(WORLDS, STEPS, bodies, 6)),
    }
    record = ["time", "status", "site_position", "tendon_jacobian", "body_quaternion", "row_impulse",
              "tendon_length", "solver_iterations", "drive_force"]  # fmt: skip
    recorded = sim.rollout(STEPS, commands, record=record, every=7)
    assert recorded["site_position"].shape == (WORLDS, 7, model.site_count, 3)
    assert recorded["time"].shape == (WORLDS, 7)
    other = batch.simulate(model, WORLDS)
    same(recorded, loop(other, commands, record, 7))
    assert np.array_equal(sim.tendon_length.numpy(), other.tendon_length.numpy())
    assert np.array_equal(sim.state_hash(), other.state_hash())


def test_one_row_of_commands_serves_all_worlds(model, batch, sim):
    forces = random_forces(model, worlds=1)
    recorded = sim.rollout(STEPS, {"drive_force": forces}, record="qpos")
    assert recorded["qpos"].shape == (WORLDS, STEPS, model.nq)
    assert np.all(recorded["qpos"] == recorded["qpos"][:1])
    other = batch.simulate(model, 1)
    same({"qpos": recorded["qpos"][:1]}, loop(other, {"drive_force": forces}, ["qpos"], 1))


def test_without_commands_it_is_step(model, batch, sim):
    assert sim.rollout(20) == {}
    other = batch.simulate(model, WORLDS)
    other.step(20)
    same(sim.get_state(), other.get_state())
    assert np.array_equal(sim.tendon_length.numpy(), other.tendon_length.numpy())
    assert sim.rollout(0, record=["qpos"])["qpos"].shape == (WORLDS, 0, model.nq)
    assert sim.rollout(3, record=["qpos"], every=5)["qpos"].shape == (WORLDS, 0, model.nq)


def test_out_is_filled_and_returned(model, sim):
    forces = random_forces(model)
    dtype = sim.qpos.dtype
    out = {"qpos": np.full((WORLDS, 10, model.nq), np.nan, dtype)}
    recorded = sim.rollout(
        STEPS, {"drive_force": forces}, record=["qpos", "qvel"], every=5, out=out
    )
    assert recorded["qpos"] is out["qpos"] and np.all(np.isfinite(out["qpos"]))
    assert np.array_equal(out["qpos"][:, -1], sim.qpos.numpy())


@pytest.mark.parametrize("guard", ["ignore", "freeze", "reset", "raise"])
def test_faults_on_the_way(model, batch, guard):
    """A world that is broken half-way; a command that is no number."""

    def broken():
        sim = batch.simulate(model, 6, guard=guard)
        sim.qvel.numpy()[2] = np.nan
        return sim

    forces = random_forces(model, worlds=6)
    forces[4, 20] = np.nan
    record = ["qpos", "status", "tendon_length"]
    sim, other = broken(), broken()
    if guard == "raise":
        before = sim.get_state()
        with pytest.raises(flexor.SimulationError, match="2"):
            sim.rollout(STEPS, {"drive_force": forces}, record=record, restore=True)
        same(sim.get_state(), before)
        with pytest.raises(flexor.SimulationError, match="2"):
            sim.rollout(STEPS, {"drive_force": forces}, record=record)
        with pytest.raises(flexor.SimulationError, match="2"):
            loop(other, {"drive_force": forces}, record, 1)
    else:
        recorded = sim.rollout(STEPS, {"drive_force": forces}, record=record)
        same(recorded, loop(other, {"drive_force": forces}, record, 1))
        assert recorded["status"][4, 20] & flexor.Status.NONFINITE_COMMAND
    same(sim.get_state(), other.get_state())


@pytest.mark.parametrize(
    "wrong, error, words",
    [
        ({"n": -1}, ValueError, "n"),
        ({"n": 1.5}, TypeError, "n"),
        ({"every": 0}, ValueError, "every"),
        ({"restore": 1}, TypeError, "restore"),
        ({"commands": {"qpos": np.zeros((33, 4, 2))}}, KeyError, "commands"),
        ({"commands": {"drive_forse": np.zeros((33, 4, 4))}}, KeyError, "drive_force"),
        ({"commands": {"drive_force": np.zeros((2, 4, 4))}}, ValueError, r"\(33, 4, 4\)"),
        ({"commands": {"drive_force": np.zeros((33, 3, 4))}}, ValueError, r"\(1, 4, 4\)"),
        ({"commands": {"drive_force": "a"}}, TypeError, "drive_force"),
        ({"commands": {"tendon_enabled": np.full((1, 4, 4), 0.5)}}, TypeError, "tendon_enabled"),
        ({"commands": {"tendon_enabled": np.full((1, 4, 4), 256)}}, ValueError, "tendon_enabled"),
        ({"commands": {"drive_velocity_gain": np.full((1, 4, 4), -1)}}, ValueError, ">= 0"),
        ({"commands": [1]}, TypeError, "commands"),
        ({"record": ["tendon_lenght"]}, KeyError, "tendon_length"),
        ({"record": 3}, TypeError, "record"),
        ({"record": ["qpos"], "out": {"qvel": np.zeros(1)}}, KeyError, "out"),
        ({"record": ["qpos"], "out": {"qpos": np.zeros((33, 4))}}, ValueError, r"\(33, 4, 2\)"),
        ({"record": ["qpos"], "out": {"qpos": np.zeros((33, 4, 2), np.int8)}}, TypeError, "int8"),
        ({"record": ["qpos"], "out": {"qpos": 1}}, TypeError, "NumPy"),
    ],
)  # fmt: skip
def test_wrong_arguments_change_nothing(sim, wrong, error, words):
    before = sim.get_state()
    with pytest.raises(error, match=words) as caught:
        sim.rollout(**{"n": 4, **wrong})
    assert isinstance(caught.value, flexor.FlexorError)
    same(sim.get_state(), before)


def test_read_outs_not_asked_for(model):
    sim = flexor.Simulation(model, 2, outputs=[])
    with pytest.raises(flexor.FlexorError, match="outputs"):
        sim.rollout(2, record=["tendon_length"])
    assert np.all(sim.step_count.numpy() == 0)


def test_one_thread_at_a_time(model):
    sim = flexor.Simulation(model, 256)
    errors = []

    def work():
        for _ in range(20):
            try:
                sim.rollout(50)
            except flexor.ConcurrencyError as error:
                errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert int(sim.step_count.numpy()[0]) == 50 * (40 - len(errors))
