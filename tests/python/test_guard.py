"""Worlds that fail: what each guard does with them, and that no other world notices. [IA-8]"""

import logging

import flexor
import numpy as np
import pytest
from flexor import Status

GUARDS = ("ignore", "freeze", "reset", "raise")


def slider():
    """A massless slide with an armature, on a tendon with a drive."""
    b = flexor.ModelBuilder("slider", timestep=0.001)
    b.add_body("load", pos=(0, 0, 1))
    b.add_joint("load", "lift", type="slide", axis=(0, 0, 1), armature=1.0)
    path = [flexor.via(pos=(0, 0, 2)), flexor.via(body="load", pos=(0, 0, 0))]
    b.add_spatial_tendon("rope", path, stiffness=50.0, spring_lower=0.0, spring_upper=0.5)
    return b.finalize()


def make(place, worlds, **options):
    sim = place.simulate(slider(), worlds, **options)
    sim.qvel.set(np.linspace(0.1, 1, worlds)[:, None])
    sim.drive_force.set(-np.linspace(0, 2, worlds)[:, None])
    # one number for all and one for each world, so that parameters of both kinds are in use
    sim.set_parameter("joint/lift/armature", np.linspace(1, 2, worlds))
    sim.set_parameter("tendon/rope/spring_upper", np.linspace(0.4, 0.5, worlds))
    sim.step(2)
    return sim


def number(name, value):
    def put(sim, world):
        getattr(sim, name).numpy()[world] = value

    return put


def singular(sim, world):
    sim.set_parameter("joint/lift/armature", 0.0, worlds=[world])


def half_bounded(sim, world):
    sim.set_parameter("tendon/rope/spring_upper", np.nan, worlds=[world])


FAULTS = {
    "velocity": (number("qvel", np.nan), Status.NONFINITE_STATE),
    "position": (number("qpos", np.inf), Status.NONFINITE_STATE),
    "impulse": (number("row_impulse", np.nan), Status.NONFINITE_STATE),
    "time": (number("time", np.nan), Status.NONFINITE_STATE),
    "gain": (number("drive_position_gain", -1.0), Status.PARAMETER_INVALID),
    "bounds": (half_bounded, Status.PARAMETER_INVALID),
    "mass": (singular, Status.SINGULAR_MASS),
}


@pytest.mark.parametrize("worlds", [1, 31, 33])
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("guard", GUARDS)
def test_every_guard_in_every_fault_touches_no_other_world(backend, guard, fault, worlds):
    put, bit = FAULTS[fault]
    world = worlds // 2
    sim, sound = make(backend, worlds, guard=guard), make(backend, worlds, guard=guard)
    put(sim, world)
    before = sim.get_state([world]).to_host()
    if guard == "raise":
        with pytest.raises(flexor.SimulationError) as caught:
            sim.step(3)
        assert caught.value.worlds == [world] and caught.value.status[0] & bit
        sound.step(1)
    else:
        sim.step(3)
        sound.step(3)
    others = np.arange(worlds) != world
    for name in sound.get_state().to_host():
        mine, theirs = getattr(sim, name).numpy(), getattr(sound, name).numpy()
        assert mine[others].tobytes() == theirs[others].tobytes(), name
    status = int(sim.status.numpy()[world])
    failing_again = fault in ("bounds", "mass")  # a reset leaves parameters
    assert bool(status & bit) == (guard != "reset")
    assert bool(status & Status.FROZEN) == (guard == "freeze")
    assert sim.guard_resets.tolist() == [
        0 if guard != "reset" or w != world else 3 if failing_again else 1 for w in range(worlds)
    ]
    if guard == "freeze":
        state = sim.get_state([world]).to_host()
        assert all(
            np.all(np.isfinite(state[name])) for name in ("time", "qpos", "qvel", "row_impulse")
        )
        if bit != Status.NONFINITE_STATE:  # it stands where the step began
            assert np.array_equal(state["qpos"], before["qpos"])
            assert np.array_equal(state["qvel"], before["qvel"])
    if guard == "ignore" and fault == "mass":  # it stays where it is for that step
        assert (
            sim.qpos.numpy()[world] == before["qpos"] and sim.time.numpy()[world] == before["time"]
        )


def test_case_12_a_nan_freezes_its_world_alone(backend):
    sim, sound = make(backend, 64), make(backend, 64)
    sim.qvel.numpy()[7] = np.nan
    for s in (sim, sound):
        s.step(5)
    others = np.arange(64) != 7
    assert (sim.status.numpy() & 8193).tolist() == [8193 * (w == 7) for w in range(64)]
    assert np.array_equal(sim.state_hash()[others], sound.state_hash()[others])
    for name, array in sim.get_state([7]).to_host().items():
        if flexor.FIELDS[name].group == "state":
            assert np.all(np.isfinite(array)), name


def test_case_9_reset_and_step_of_37_of_100_worlds(backend):
    sim = make(backend, 100)
    mask = np.zeros(100, bool)
    mask[np.random.default_rng(4).permutation(100)[:37]] = True
    before = sim.state_hash()
    sim.step(3, mask=mask)
    assert np.array_equal(sim.state_hash() != before, mask)
    middle = sim.state_hash()
    sim.reset(mask)
    assert np.array_equal(sim.state_hash()[~mask], before[~mask])
    assert np.all(sim.step_count.numpy()[mask] == 0) and np.all(
        sim.state_hash()[mask] != middle[mask]
    )
    after = sim.state_hash()
    nobody = np.zeros(100, bool)
    sim.step(3, mask=nobody)
    sim.reset(nobody)
    assert np.array_equal(sim.state_hash(), after)


def test_a_step_that_raises_names_worlds_and_bits(backend):
    sim = make(backend, 20, guard="raise")
    sim.qvel.numpy()[3:15] = np.nan
    with pytest.raises(
        flexor.SimulationError, match="12 of 20 worlds.*3 .NONFINITE_STATE.*\\.\\.\\."
    ) as caught:
        sim.step(1)
    assert caught.value.worlds == list(range(3, 15))
    assert all(bits & Status.NONFINITE_STATE for bits in caught.value.status)


def test_an_unknown_keyframe_names_call_and_legal_names():
    b = flexor.ModelBuilder("b")
    b.add_body("body", mass=1.0, inertia=(1, 1, 1))
    b.add_joint("body", "joint")
    b.add_keyframe("up", qpos=[0.5])
    b.add_keyframe("down", qpos=[-0.5])
    sim = flexor.Simulation(b.finalize())
    with pytest.raises(
        flexor.UnknownNameError, match="Simulation.reset: keyframe: no 'no'; legal: up, down"
    ):
        sim.reset(keyframe="no")
    with pytest.raises(flexor.UnknownNameError, match="did you mean 'down'"):
        sim.reset(keyframe="dwn")
    with pytest.raises(
        flexor.ConfigError, match="Simulation.reset: keyframe: 2 given; legal: 0 to 1"
    ):
        sim.reset(keyframe=2)
    sim.reset(keyframe="down")
    assert sim.qpos.numpy()[0, 0] == -0.5


# --- dumps that the guard makes ---


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FLEXOR_DUMP_FOLDER", raising=False)
    flexor.log.install()  # counts of messages start anew
    return tmp_path


def dumps(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("guard", ["freeze", "reset", "raise"])
def test_a_world_that_fails_is_dumped(backend, folder, guard, caplog):
    sim = make(backend, 5, guard=guard, history=3)
    sim.step(2)
    sim.qvel.numpy()[[1, 4]] = np.nan
    with caplog.at_level(logging.WARNING, "flexor"):
        try:
            sim.step(4)
        except flexor.SimulationError:
            assert guard == "raise"
    assert dumps(folder) == ["flexor_dump_0.npz"]
    (record,) = [r for r in caplog.records if r.code == "guard-dump"]
    assert "worlds 1, 4: flexor_dump_0.npz" in record.getMessage()
    assert record.world == 1 and record.step == 4
    with np.load("flexor_dump_0.npz") as file:
        assert file["world"].tolist() == [1, 4] and file["count"].tolist() == [3, 3]
        assert file["step_count"].tolist() == [[2, 2], [3, 3], [4, 4]]
        assert np.isnan(file["qvel"][2]).all() and not np.isnan(file["qvel"][:2]).any()


def test_the_first_eight_that_fail_are_dumped(batch, folder):
    sim = make(batch, 40, guard="reset", history=1)
    for worlds in ([3], [3, 5], [7, 8, 9, 10, 11, 12, 13, 14], [20]):
        sim.qvel.numpy()[worlds] = np.nan
        sim.step(2)
    dumped = [np.load(folder / name)["world"].tolist() for name in dumps(folder)]
    assert dumped == [[3], [3, 5], [7, 8, 9, 10, 11]]


def test_a_world_is_dumped_once_for_each_failure(batch, folder):
    """Bits stay until a reset; they are no new failure."""
    sim = make(batch, 4, guard="raise", history=2)
    sim.qvel.numpy()[2] = np.nan
    for _ in range(3):
        with pytest.raises(flexor.SimulationError):
            sim.step(1)
    assert dumps(folder) == ["flexor_dump_0.npz"]
    sim.reset([2])
    sim.step(1)
    sim.qvel.numpy()[2] = np.nan
    with pytest.raises(flexor.SimulationError):
        sim.step(1)
    assert dumps(folder) == ["flexor_dump_0.npz", "flexor_dump_1.npz"]


def test_no_dump_where_none_is_asked_for(batch, folder):
    for options in ({"guard": "ignore", "history": 2}, {"guard": "freeze"}):
        sim = make(batch, 4, **options)
        sim.qvel.numpy()[2] = np.nan
        sim.step(2)
    assert dumps(folder) == []


def test_a_dump_is_written_over_no_file_and_into_the_folder_named(batch, folder, monkeypatch):
    place = folder / "dumps"
    place.mkdir()
    (place / "flexor_dump_0.npz").write_text("mine")
    (place / "flexor_dump_1.npz").symlink_to(place / "nowhere")
    monkeypatch.setenv("FLEXOR_DUMP_FOLDER", str(place))
    sim = make(batch, 4, history=2)
    sim.qvel.numpy()[2] = np.nan
    sim.step(2)
    assert (place / "flexor_dump_0.npz").read_text() == "mine"
    assert np.load(place / "flexor_dump_2.npz")["world"].tolist() == [2]
    assert dumps(folder) == ["dumps"]


def test_a_folder_that_cannot_be_written_to_stops_no_simulation(batch, folder, monkeypatch, caplog):
    monkeypatch.setenv("FLEXOR_DUMP_FOLDER", str(folder / "absent"))
    sim = make(batch, 4, history=2)
    sim.qvel.numpy()[2] = np.nan
    with caplog.at_level(logging.WARNING, "flexor"):
        sim.step(2)
    assert sim.step_count.numpy().tolist() == [4, 4, 2, 4]
    assert "guard-dump-failed" in [record.code for record in caplog.records]
    assert dumps(folder) == []
