"""The last states and commands of every world, kept for dumps."""

import json

import flexor
import numpy as np
import pytest

WORLDS, KEPT = 6, 4


@pytest.fixture
def make(backend, tmp_path, monkeypatch):
    monkeypatch.setenv("FLEXOR_DUMP_FOLDER", str(tmp_path / "absent"))  # test_guard.py has those
    model = flexor.models.load("three_joint_finger")

    def make(**options):
        return backend.simulate(model, WORLDS, **options)

    return make


def drive(sim, steps, each=lambda i: None):
    """Random forces before each step; what the arrays held as the steps began."""
    begun = []
    for i in range(steps):
        seeds = flexor.rng.seeds_for(3, 0, WORLDS)
        sim.drive_force.set(
            flexor.rng.uniform(seeds, sim.model.tendon_count, -5, 0, stream=16, step=i)
        )
        each(i)
        begun.append(sim.get_state().to_host())
        sim.step()
    return begun


def test_dump_holds_what_steps_began_with(make, tmp_path):
    sim, plain = make(history=KEPT), make()
    begun = drive(sim, 7)
    drive(plain, 7)
    assert np.array_equal(sim.state_hash(), plain.state_hash())  # keeping changes no bit
    path = tmp_path / "last.npz"
    sim.dump([4, 1], path)
    with np.load(path, allow_pickle=False) as file:
        assert file["world"].tolist() == [4, 1] and file["count"].tolist() == [KEPT, KEPT]
        for name, array in begun[-1].items():
            assert file[name].shape == (KEPT, 2, *array.shape[1:]), name
            for row in range(KEPT):
                expected = begun[7 - KEPT + row][name][[4, 1]]
                assert file[name][row].tobytes() == expected.tobytes(), (name, row)
        header = json.loads(file["header"].tobytes())
    assert header["model_hash"] == sim.model.hash[: len(header["model_hash"])]
    assert header["precision"] == sim.precision and header["timestep"] == sim.timestep
    assert {field["name"] for field in header["fields"]} >= set(begun[0])


def test_a_world_keeps_its_own_steps(make, tmp_path):
    """Worlds outside a mask, and frozen ones, keep the rows they have."""
    sim = make(history=KEPT)
    mask = np.zeros(WORLDS, bool)
    mask[2] = True
    sim.step(2)
    start = sim.qpos.copy()
    sim.step(1, mask=mask)
    sim.dump(None, tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz") as file:
        assert file["count"].tolist() == [2, 2, 3, 2, 2, 2]
        assert file["step_count"][:, 2].tolist() == [0, 1, 2]
        assert file["step_count"][1:, 3].tolist() == [0, 1]
        assert np.array_equal(file["qpos"][2, 2], start[2])

    sim.qvel.numpy()[5] = np.nan
    sim.step(10)
    assert sim.status.numpy()[5] & flexor.Status.FROZEN
    sim.dump([5], tmp_path / "b.npz")
    with np.load(tmp_path / "b.npz") as file:
        assert file["count"].tolist() == [3]
        assert file["step_count"][:, 0].tolist() == [0, 1, 2]
        assert np.all(np.isnan(file["qvel"][2, 0]))  # what froze it


def test_rollouts_and_blocks_of_steps_are_kept_step_by_step(make, tmp_path):
    one, other = make(history=3), make(history=3)
    one.step(8)
    other.rollout(8)
    for sim, name in ((one, "one.npz"), (other, "other.npz")):
        sim.body_wrench.set(0.125)
        sim.step(2)
        sim.dump(None, tmp_path / name)
    with np.load(tmp_path / "one.npz") as a, np.load(tmp_path / "other.npz") as b:
        assert a["step_count"][:, 0].tolist() == [7, 8, 9]
        assert np.all(a["body_wrench"][0] == 0) and np.all(a["body_wrench"][1:] == 0.125)
        assert all(a[name].tobytes() == b[name].tobytes() for name in a.files)


def test_wrong_calls(make, tmp_path):
    with pytest.raises(ValueError, match="history"):
        make().dump([0], tmp_path / "none.npz")
    sim = make(history=1)
    for worlds in ([WORLDS], []):
        with pytest.raises(ValueError, match="world"):
            sim.dump(worlds, tmp_path / "none.npz")
    with pytest.raises(ValueError, match="history"):
        make(history=-1)
    assert not list(tmp_path.iterdir())
    sim.dump(None, tmp_path / "empty.npz")  # before the first step
    with np.load(tmp_path / "empty.npz") as file:
        assert file["count"].tolist() == [0] * WORLDS and file["qpos"].shape == (0, 6, 3)
