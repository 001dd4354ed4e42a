"""Calls of a simulation: arguments, checkpoints, threads, life."""

import re
import subprocess
import sys
import threading

import flexor
import numpy as np
import pytest


@pytest.fixture(scope="module")
def model():
    return flexor.models.load("three_joint_finger")


@pytest.fixture
def sim(model):
    return flexor.Simulation(model, 6)


@pytest.mark.parametrize(
    "arguments, error, word",
    [
        ({"num_worlds": 0}, ValueError, "num_worlds"),
        ({"num_worlds": 2**24 + 1}, ValueError, "16777216"),
        ({"num_worlds": 1.5}, TypeError, "num_worlds"),
        ({"num_worlds": True}, TypeError, "num_worlds"),
        ({"num_threads": 0}, ValueError, "num_threads"),
        ({"iterations": 0}, ValueError, "iterations"),
        ({"tolerance": 0.0}, ValueError, "tolerance"),
        ({"seed": -1}, ValueError, "seed"),
        ({"device": 3}, TypeError, "device"),
        ({"precision": 32}, TypeError, "precision"),
        ({"precision": "half"}, ValueError, "'float64'"),
        ({"guard": "pray"}, ValueError, "'freeze'"),
        ({"solver": "newton"}, ValueError, "'active_set'"),
        ({"outputs": [3]}, TypeError, "outputs"),
        ({"outputs": 3}, TypeError, "outputs"),
        ({"inert": 3}, TypeError, "inert"),
    ],
)
def test_bad_arguments_name_argument_and_legal_set(model, arguments, error, word):
    with pytest.raises(error, match=word.replace("'", ".")):
        flexor.Simulation(model, **arguments)


def test_simulation_needs_a_model():
    with pytest.raises(TypeError, match="flexor.Model"):
        flexor.Simulation("finger.xml")
    with pytest.raises(TypeError):
        flexor.Model("finger.xml")


def test_options_are_resolved(sim, model):
    options = sim.options
    assert options["precision"] == "float32" and options["num_worlds"] == 6
    assert options["num_threads"] >= 1 and options["backend"].startswith("cpu")
    reference = flexor.Simulation(model, device="reference", seed=7)
    assert reference.precision == "float64" and reference.seed == 7
    assert reference.options["solver"] == "exact"
    assert "6 worlds" in repr(sim)


def test_numpy_integers_are_whole_numbers(model):
    sim = flexor.Simulation(model, np.int32(3))
    sim.step(np.int64(2))
    assert sim.step_count.numpy().tolist() == [2] * 3


@pytest.mark.parametrize("mask", [np.ones(6, np.int32), np.ones(6), [1, 0, 0, 0, 0, 0]])
def test_mask_of_a_wrong_type(sim, mask):
    sim.step(3)
    sim.status.numpy()[:] = flexor.Status.TENSION_SATURATED
    before = sim.state_hash()
    for call in (
        lambda: sim.step(mask=mask),
        lambda: sim.reset(mask),
        lambda: sim.clear_status(mask),
    ):
        with pytest.raises(TypeError, match="bool"):
            call()
    assert np.array_equal(sim.state_hash(), before)


@pytest.mark.parametrize("mask", [np.ones(5, bool), np.ones((6, 1), bool), np.array(True)])
def test_mask_of_a_wrong_shape(sim, mask):
    sim.step(3)
    sim.status.numpy()[:] = flexor.Status.TENSION_SATURATED
    before = sim.state_hash()
    for call in (
        lambda: sim.step(mask=mask),
        lambda: sim.reset(mask),
        lambda: sim.clear_status(mask),
    ):
        with pytest.raises(flexor.ShapeError, match=r"\(6,\)"):
            call()
    assert np.array_equal(sim.state_hash(), before)


@pytest.mark.parametrize("count", [-1, 2**40, -(2**70), 1.0, "2", True, None])
def test_step_counts_that_there_are_not(sim, count):
    before = sim.state_hash()
    with pytest.raises(flexor.ConfigError, match="Simulation.step: n: .*0 to 2147483647"):
        sim.step(count)
    assert np.array_equal(sim.state_hash(), before)


@pytest.mark.parametrize(
    "device, error, words",
    [
        ("tpu", flexor.ConfigError, ["device", "'tpu'", "'cpu'", "'reference'"]),
        ("", flexor.ConfigError, ["device", "''", "'cpu'"]),
        ("CPU", flexor.ConfigError, ["device", "'CPU'", "'cpu'"]),
        ("cuda", flexor.DeviceError, ["device", "'cuda'", "CUDA"]),
        ("cuda:7", flexor.DeviceError, ["device", "'cuda:7'", "CUDA"]),
    ],
)
def test_devices_that_there_are_not(model, device, error, words):
    if error is flexor.DeviceError and flexor.devices()[-1]["usable"]:
        pytest.skip("there is a CUDA device")
    with pytest.raises(error) as caught:
        flexor.Simulation(model, device=device)
    for word in words:
        assert word in str(caught.value)


def test_masks_may_be_indices(sim):
    """As `worlds` of `set`; rows go to the worlds in the order given."""
    sim.step(mask=[4, 1])
    assert sim.step_count.numpy().tolist() == [0, 1, 0, 0, 1, 0]
    sim.reset(np.array([5, 0]), qpos=[[1, 2, 3], [4, 5, 6]])
    assert sim.qpos.numpy()[[5, 0]].tolist() == [[1, 2, 3], [4, 5, 6]]
    sim.step(mask=[])
    assert sim.step_count.numpy().tolist() == [0, 1, 0, 0, 1, 0]
    with pytest.raises(ValueError, match="world 6 given; legal: 0 to 5"):
        sim.reset([0, 6])


def test_failed_worlds_are_those_with_more_than_information(sim):
    """The reset of `failed` leaves a world with an informational bit alone."""
    Status = flexor.Status
    assert Status.ERRORS & Status.INFORMATIONAL == 0
    assert sum(Status) == Status.ERRORS | Status.INFORMATIONAL
    sim.step(2)
    sim.status.numpy()[:4] = [0, Status.TENSION_SATURATED, Status.FROZEN, Status.NOT_CONVERGED | 1]
    assert sim.failed().tolist() == [False, False, True, True, False, False]
    assert sim.failed(Status.FROZEN).tolist() == [False, False, True, False, False, False]
    sim.reset(sim.failed())
    assert sim.step_count.numpy().tolist() == [2, 2, 0, 0, 2, 2]
    assert sim.status.numpy().tolist() == [0, Status.TENSION_SATURATED, 0, 0, 0, 0]


def test_strided_masks_are_read_right(sim):
    wide = np.zeros((6, 2), bool)
    wide[[1, 4], 0] = True
    sim.step(mask=wide[:, 0])
    assert sim.step_count.numpy().tolist() == [0, 1, 0, 0, 1, 0]
    sim.step(mask=[True, False, False, False, False, False])
    assert sim.step_count.numpy().tolist() == [1, 1, 0, 0, 1, 0]


def test_reset_rows(sim):
    sim.reset(qpos=[0.1, 0.2, 0.3])
    assert np.allclose(sim.qpos.numpy(), [0.1, 0.2, 0.3])
    mask = np.array([True, False, False, True, False, False])
    sim.reset(mask, qpos=[[1, 2, 3], [4, 5, 6]], qvel=[1, 1, 1])
    assert sim.qpos.numpy()[[0, 3]].tolist() == [[1, 2, 3], [4, 5, 6]]
    assert np.all(sim.qvel.numpy()[3] == 1) and np.all(sim.qvel.numpy()[1] == 0)
    with pytest.raises(flexor.ShapeError, match=r"\(2, 3\)"):
        sim.reset(mask, qpos=np.zeros((6, 3)))
    with pytest.raises(ValueError, match="finite"):
        sim.reset(qpos=[np.nan, 0, 0])
    with pytest.raises(ValueError, match="none"):
        sim.reset(keyframe=0)


def test_empty_masks_and_worlds_do_nothing(sim):
    sim.step(3)
    before = sim.state_hash()
    nobody = np.zeros(6, bool)
    sim.step(5, mask=nobody)
    sim.reset(nobody)
    sim.set_parameter("body/distal/mass", 3.0, worlds=[])
    sim.set_parameter("body/distal/mass", np.zeros((0,)), worlds=nobody)
    assert np.array_equal(sim.state_hash(), before)
    assert np.all(sim.parameter("body/distal/mass").get() == np.float32(0.006))


def test_parameter_shapes(sim):
    name = "tendon/deep/stiffness"
    sim.set_parameter(name, 100)
    sim.set_parameter(name, [1, 2], worlds=[4, 2])
    sim.set_parameter(name, [[3]], worlds=[0])
    assert sim.parameter(name).get().tolist() == [3, 100, 2, 100, 1, 100]
    sim.parameter("option/gravity").set([0, 0, -1])
    sim.set_parameter("option/gravity", np.arange(6).reshape(2, 3), worlds=[1, 2])
    gravity = np.asarray(sim.parameter("option/gravity"))
    assert gravity.shape == (6, 3)
    assert gravity[:3].tolist() == [[0, 0, -1], [0, 1, 2], [3, 4, 5]]
    p = sim.parameter(name)
    assert (p.unit, p.nominal, p.shape, p.name) == ("N/m", 120.0, (), name)
    for bad in (np.zeros(5), np.zeros((6, 2)), np.zeros((2, 3))):
        with pytest.raises(flexor.ShapeError, match=r"\(6,"):
            sim.set_parameter(name, bad)
    with pytest.raises(TypeError):
        sim.set_parameter(name, "100")


def test_parameter_out_of_range_changes_nothing(sim):
    with pytest.raises(flexor.ParameterError) as caught:
        sim.set_parameter("tendon/deep/stiffness", [1, 2, -3, 4, 5, 6])
    for word in ("tendon/deep/stiffness", "2", "-3", ">= 0"):
        assert word in str(caught.value)
    assert np.all(sim.parameter("tendon/deep/stiffness").get() == 120)


def test_tension_is_minus_the_drive_force(sim):
    sim.set_tension("deep", 4.0)
    sim.set_tension("extensor", [1.0, 2.0], worlds=[0, 5])
    sim.set_actuation_force("inner", -0.5)
    assert np.all(sim.drive_force.at("deep").numpy() == -4)
    assert sim.drive_force.at("extensor").numpy().tolist() == [-1, 0, 0, 0, 0, -2]
    assert np.all(sim.drive_force.at("inner").numpy() == -0.5)
    sim.step(1)
    assert np.allclose(sim.tendon_drive_force.at("deep").numpy(), -4)
    with pytest.raises(flexor.UnknownNameError):
        sim.set_tension("deap", 1.0)


def test_matrices_have_a_row_for_each_world(sim):
    sim.qpos.set(np.linspace(0, 1, 18).reshape(6, 3))
    m, c = sim.mass_matrix(), sim.bias_force()
    assert m.shape == (6, 3, 3) and c.shape == (6, 3) and m.dtype == np.float64
    assert np.allclose(m, np.swapaxes(m, 1, 2))
    assert np.all(np.linalg.eigvalsh(m) > 0)
    before = m.copy()
    sim.qpos.set(0)
    sim.mass_matrix()
    assert np.array_equal(m, before), "each call gives arrays of its own"


def test_bias_force_is_gravity_at_rest(sim, model):
    """A point of potential energy: c = dV/dq at v = 0, by differences of the potential."""
    sim = flexor.Simulation(model, 7, device="reference")
    q0, step = np.array([0.3, 0.4, 0.2]), 1e-6
    q = np.vstack([q0, q0 + step * np.eye(3), q0 - step * np.eye(3)])
    sim.qpos.set(q)
    sim.forward()
    g, energy = 9.81, np.zeros(7)
    names = sim.body_position.names
    for body in model.bodies:
        if body.mass:
            i = names.index(body.name)
            w, x, y, z = np.moveaxis(sim.body_quaternion.numpy()[:, i], -1, 0)
            up = np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], -1)
            energy += body.mass * g * (sim.body_position.numpy()[:, i, 2] + up @ np.array(body.com))
    difference = (energy[1:4] - energy[4:7]) / (2 * step)
    assert np.allclose(sim.bias_force()[0], difference, rtol=0, atol=1e-8)


def test_state_goes_round(sim):
    sim.drive_force.set([-1, -2, -3, 0])
    sim.step(5)
    state = sim.get_state()
    hashes = sim.state_hash()
    sim.step(5)
    ahead = sim.state_hash()
    sim.set_state(state)
    assert np.array_equal(sim.state_hash(), hashes)
    sim.step(5)
    assert np.array_equal(sim.state_hash(), ahead)


def test_state_hash_is_one_word_a_world(sim):
    assert sim.state_hash().dtype == np.uint64 and sim.state_hash().shape == (6,)
    before = sim.state_hash()
    assert len(set(before.tolist())) == 1, "equal worlds, equal hash"
    sim.qvel.numpy()[3, 0] = 1e-30
    assert (sim.state_hash() != before).tolist() == [False, False, False, True, False, False]


def test_second_thread_is_refused(model):
    """One thread steps for long; calls of another fail at once, and the steps go on unharmed."""
    sim = flexor.Simulation(model, 256, num_threads=1)
    alone = flexor.Simulation(model, 256, num_threads=1)
    count, refused, stop = 400, 0, threading.Event()

    def work():
        sim.step(count)
        stop.set()

    worker = threading.Thread(target=work)
    worker.start()
    while not stop.is_set():
        try:
            sim.state_hash()
        except flexor.ConcurrencyError:
            refused += 1
    worker.join()
    assert refused > 0
    alone.step(count)
    assert np.array_equal(sim.state_hash(), alone.state_hash())


def test_two_simulations_run_side_by_side(model):
    sims = [flexor.Simulation(model, 64, num_threads=1) for _ in range(3)]
    threads = [threading.Thread(target=s.step, args=(100,)) for s in sims[:2]]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    sims[2].step(100)
    for s in sims[:2]:
        assert np.array_equal(s.state_hash(), sims[2].state_hash())


def test_closed_simulation_computes_nothing(model, tmp_path):
    """Every call of a simulation but those that tell what it is and what its arrays hold."""
    sim = flexor.Simulation(model, 2, history=3)
    sim.step(1)
    file = tmp_path / "run.npz"
    sim.save(file)
    before = sim.get_state()
    kept = {name: sim._array(name).copy() for name in before.to_host()}
    arguments = {
        "step": {}, "forward": {}, "reset": {}, "clear_status": {}, "profile": {}, "commit": {},
        "rollout": {"n": 3}, "capture_reference": {}, "mass_matrix": {}, "bias_force": {},
        "jacobian": {"body_or_site": "distal"}, "state_hash": {}, "save": {"path": file},
        "load_state": {"path": file}, "get_state": {}, "set_state": {"snapshot": before},
        "memory": {}, "clone_worlds": {"source": 0, "destination": 1},
        "set_parameter": {"name": "body/distal/mass", "values": 1.0},
        "dump": {"worlds": None, "path": file}, "synchronize": {},
    }  # fmt: skip
    tells = {
        "close", "failed", "capture", "parameter", "load", "set_tension", "set_actuation_force",
    }  # fmt: skip
    calls = {name for name, member in vars(flexor.Simulation).items()
             if name[0] != "_" and not isinstance(member, property)}  # fmt: skip
    assert calls == set(arguments) | tells
    sim.close()
    for name, given in arguments.items():
        with pytest.raises(flexor.SimulationError, match="closed"):
            getattr(sim, name)(**given)
    with pytest.raises(flexor.SimulationError, match="closed"):
        sim.parameter("body/distal/mass").get()
    with pytest.raises(flexor.SimulationError), sim:
        pass
    assert all(np.array_equal(sim._array(name).numpy(), rows) for name, rows in kept.items())


def test_a_simulation_ends_with_its_block(model):
    with flexor.Simulation(model, 2) as sim:
        sim.step(1)
    with pytest.raises(flexor.SimulationError, match="closed"):
        sim.step(1)
    assert sim.step_count.numpy().tolist() == [1, 1]


OUT_OF_MEMORY = """
import resource, flexor, numpy as np
model = flexor.models.load("spiral_chain")
sim = flexor.Simulation(model, {worlds}, num_threads=1)
sim.step(2)
before = sim.state_hash()
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + {spare}, resource.RLIM_INFINITY))
try:
    {call}
except flexor.DeviceError as error:
    print(error)
resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
assert np.array_equal(sim.state_hash(), before)
"""


@pytest.mark.parametrize(
    "call, worlds, spare, words",
    [
        ("flexor.Simulation(model, 2**24)", 2, 10**9, r"num_worlds 16777216 .*needs \d{11} bytes"),
        ("flexor.Simulation(model, 2**24, outputs=[])", 2, 10**9, r"num_worlds.* \d{11} bytes"),
        ("flexor.Simulation(model, 256, device='reference')", 2, 10**5, "num_worlds 256"),
        ("flexor.Simulation(model, 4096, history=2**20)", 2, 10**9, r"history 1048576 of 4096"),
        ("sim.mass_matrix()", 20000, 10**7, "mass_matrix needs 51840000 bytes"),
        ("sim.bias_force()", 20000, 10**6, "bias_force needs 2880000 bytes"),
        ("sim.jacobian(model.names('body')[-1])", 20000, 10**7, r"jacobian needs \d{7,} bytes"),
        ("sim.rollout(3, restore=True)", 20000, 10**6, "refused"),
    ],
)
def test_memory_that_there_is_not_is_an_error_of_ours(call, worlds, spare, words):
    """The calls that ask for memory by the size of the batch; in a process of its own, whose address
    space is limited. Nothing else changes, and the simulation goes on."""
    code = OUT_OF_MEMORY.format(call=call, worlds=worlds, spare=spare)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "out of memory" in done.stdout
    assert re.search(words, done.stdout), done.stdout


def test_errors_form_one_family():
    pairs = {
        "ModelError": ValueError, "ParameterError": ValueError, "ShapeError": ValueError,
        "UnknownNameError": KeyError, "CheckpointError": ValueError, "ConfigError": ValueError,
        "DeviceError": RuntimeError, "SimulationError": RuntimeError, "ConcurrencyError": RuntimeError,
    }  # fmt: skip
    for name, base in pairs.items():
        assert issubclass(getattr(flexor, name), (flexor.FlexorError,)), name
        assert issubclass(getattr(flexor, name), base), name
    assert str(flexor.UnknownNameError("no 'x'")) == "no 'x'"


def test_status_bits_are_the_documented_ones():
    assert flexor.Status.NONFINITE_STATE == 1 and flexor.Status.FROZEN == 8192
    assert flexor.Status.CONFLICTING_BOUNDS == 2**22
    assert flexor.Status(8193) == flexor.Status.NONFINITE_STATE | flexor.Status.FROZEN


@pytest.mark.parametrize("value", [1e300, -1e39, np.inf, np.nan])
def test_reset_refuses_what_the_precision_cannot_hold(sim, value):
    before = sim.state_hash()
    for rows in ({"qpos": [0, value, 0]}, {"qvel": [0, value, 0]}):
        with pytest.raises(flexor.ConfigError, match=f"{next(iter(rows))}.*coordinate 1"):
            sim.reset(**rows)
    assert np.array_equal(sim.state_hash(), before)


def foreign_files(folder):
    """Files that are no checkpoints."""
    np.save(folder / "array.npy", np.zeros(3))
    np.savez(folder / "arrays.npz", a=np.zeros(3))
    np.savez_compressed(folder / "packed.npz", header=np.zeros(300, np.uint8))
    (folder / "text.txt").write_text("neither zip nor array")
    (folder / "empty").write_bytes(b"")
    (folder / "folder").mkdir()
    for i, header in enumerate(
        (b"", b"[]", b"{", b"\xff\xfe", b'{"format": "2"}', b'{"format": "9", "num_worlds": 2}',
         b'{"format": "2", "num_worlds": 0, "device": "cpu", "precision": "float32"}',
         b'{"format": "2", "num_worlds": 1e9, "device": "cpu", "precision": "float32"}',
         b'{"format": "2", "num_worlds": 2, "device": "gpu", "precision": "float32"}',
         b'{"format": "2", "num_worlds": 2, "device": "cpu", "precision": "half"}',
         b'{"format": "2", "num_worlds": 2, "device": "cpu", "precision": "float32"}')
    ):  # fmt: skip
        np.savez(folder / f"header_{i}.npz", header=np.frombuffer(header, np.uint8))
    yield from sorted(folder.iterdir())
    yield folder / "absent"


def test_foreign_files_are_checkpoint_errors_that_name_them(sim, model, tmp_path):
    for file in foreign_files(tmp_path):
        for call in (sim.load_state, lambda path: flexor.Simulation.load(path, model)):
            with pytest.raises(flexor.CheckpointError) as caught:
                call(file)
            assert file.name in str(caught.value)


def test_paths_that_no_file_can_have(sim, model, tmp_path):
    for path, word in (("a\0b", "NUL"), ("", "path"), ("x" * 9000, "9000 characters")):
        for call in (
            sim.save,
            sim.load_state,
            lambda p: flexor.Simulation.load(p, model),
            flexor.load_model,
        ):
            with pytest.raises(flexor.FlexorError) as caught:
                call(path)
            text = str(caught.value)
            assert len(text) < 1000 and "\0" not in text
            assert word in text or "too long" in text, text


def test_profile_counts_from_one_and_not_when_closed(sim):
    assert sim.profile(1)
    for count in (0, -1, 1.5, None):
        with pytest.raises(flexor.ConfigError, match="profile: count"):
            sim.profile(count)
    sim.close()
    sim.close()  # once more does nothing
    with pytest.raises(flexor.SimulationError, match="closed"):
        sim.profile(1)


@pytest.mark.parametrize("call", ["close", "body_wrench"])
def test_what_a_step_looks_at_waits_for_its_end(model, call):
    """close and the first look at body_wrench are calls like any other: refused while one runs."""
    sim = flexor.Simulation(model, 1024, num_threads=1)
    worker = threading.Thread(target=sim.step, args=(300,))
    worker.start()
    refused = 0
    while worker.is_alive() and not refused:
        try:
            sim.state_hash()
        except flexor.ConcurrencyError:  # now it runs
            with pytest.raises(flexor.ConcurrencyError):
                getattr(sim, call)() if call == "close" else sim.body_wrench
            refused += 1
    worker.join()
    assert refused
    assert np.all(sim.step_count.numpy() == 300)
    sim.step(1)
    assert sim.body_wrench.shape[0] == 1024


def test_guard_resets_are_counted(model):
    sim = flexor.Simulation(model, 3, guard="reset")
    assert sim.guard_resets.tolist() == [0, 0, 0]
    for _ in range(2):
        sim.qvel.numpy()[1] = np.nan
        sim.step(1)
    assert sim.guard_resets.tolist() == [0, 2, 0]


def test_a_number_lost_in_float32_names_its_element():
    b = flexor.ModelBuilder("light")
    b.add_body("rod", mass=1e-300)
    b.add_joint("rod", "slide", type="slide", armature=1.0)
    model = b.finalize()
    with pytest.raises(flexor.ConfigError, match="float32.*body/rod/mass = 1e-300.*float64"):
        flexor.Simulation(model)
    flexor.Simulation(model, precision="float64").step()


def test_half_a_pair_of_spring_bounds_stops_one_world(model):
    sim = flexor.Simulation(model, 3)
    sim.set_parameter("tendon/deep/spring_lower", 0.1)
    sim.set_parameter("tendon/deep/spring_upper", 0.2)
    sim.set_parameter("tendon/deep/spring_upper", np.nan, worlds=[1])
    sim.step(2)
    status = sim.status.numpy()
    assert status[1] == flexor.Status.PARAMETER_INVALID | flexor.Status.FROZEN
    assert sim.step_count.numpy().tolist() == [2, 0, 2] and status[0] == status[2]
