"""Simulations that stop in a file and go on from it, bit for bit; files that are none. [IA-6]"""

import json
import subprocess
import sys

import flexor
import numpy as np
import pytest
import scenes

WORLDS = 6
ASSETS = {"link.xml": b"""<mujoco><worldbody><site name="a" pos="0 0 1"/><body name="b">
<joint name="j" type="slide" axis="0 0 1" range="-1 1" solreflimit="0.05 0.9" damping="2"/>
<geom name="g" size=".1" mass="1"/><site name="s"/></body></worldbody><tendon>
<spatial name="t" stiffness="50" springlength="0.5"><site site="a"/><site site="s"/></spatial>
</tendon></mujoco>"""}  # fmt: skip


def stirred(place, num_worlds=WORLDS, model=None, **options):
    """Worlds in different states, under different commands, with numbers of their own."""
    sim = place.simulate(model or scenes.tendon_forest(), num_worlds, **options)
    random = np.random.default_rng(7)
    nv, tendons = sim.model.nv, sim.model.tendon_count
    sim.qvel.set(random.normal(size=(num_worlds, nv)))
    sim.drive_force.set(random.uniform(-20, 5, (num_worlds, tendons)))
    sim.set_parameter("body/upper/mass", random.uniform(1, 2, num_worlds))
    sim.set_parameter("tendon/tendon_1/stiffness", 170.0, worlds=[num_worlds - 1])
    return sim


def same_state(a, b, rows=None):
    theirs = b.state_hash() if rows is None else b.state_hash()[rows]
    assert a.state_hash().tolist() == theirs.tolist()


# --- going on ---


def test_case_10_going_on_is_the_unbroken_run(backend, tmp_path):
    sim = stirred(backend, num_threads=1)
    sim.step(137)
    sim.save(tmp_path / "all.npz")
    sim.save(tmp_path / "rows.npz", worlds=[3, 5])
    rows = flexor.Simulation.load(tmp_path / "rows.npz")
    again = flexor.Simulation.load(tmp_path / "all.npz", sim.model, num_threads=2)
    into = stirred(backend, num_threads=2)
    into.load_state(tmp_path / "all.npz")
    assert rows.num_worlds == 2 and again.num_worlds == WORLDS
    for name in sim.tendon_length.names:  # read-outs are those of the state taken over
        assert np.array_equal(
            again.tendon_length.at(name).numpy(), sim.tendon_length.at(name).numpy()
        )
    for s in (sim, again, into, rows):
        s.step(200)
    same_state(again, sim)
    same_state(into, sim)
    same_state(rows, sim, [3, 5])
    assert np.array_equal(rows.parameter("body/upper/mass").get(),
                          sim.parameter("body/upper/mass").get()[[3, 5]])  # fmt: skip


def test_a_world_goes_on_in_a_batch_of_any_size(batch, tmp_path):
    sim = stirred(batch)
    sim.step(20)
    sim.save(tmp_path / "one.npz", worlds=[4])
    many = flexor.Simulation.load(tmp_path / "one.npz", num_worlds=33)
    sim.step(20)
    many.step(20)
    same_state(many, sim, [4] * 33)
    assert np.all(
        many.parameter("body/upper/mass").get() == sim.parameter("body/upper/mass").get()[4]
    )


def test_the_file_has_model_and_options(backend, tmp_path):
    """Nothing but the path is needed, in another process, to go on with the same bits."""
    model = flexor.load_model(
        '<mujoco model="parts"><include file="link.xml"/></mujoco>', assets=ASSETS,
        overrides={"tendon/t/stiffness": 70.0}, strict=False,
    )  # fmt: skip
    solver = backend.solver if backend.device == "reference" else "jacobi"
    options = {"solver": solver, "iterations": 3, "tolerance": 1e-3, "warm_start": False,
               "guard": "reset", "history": 2, "seed": 2**64 - 1, "numeric": "strict",
               "outputs": ["tendon_*"]}  # fmt: skip
    sim = backend.simulate(model, 3, **options)
    sim.qvel.set([[1.0], [2.0], [3.0]])
    sim.step(30)
    sim.save(tmp_path / "run.npz")
    sim.step(30)
    code = (
        "import sys, flexor; sim = flexor.Simulation.load(sys.argv[1]); sim.step(30);"
        "print(sim.model.hash, sim.state_hash().tolist())"
    )
    printed = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "run.npz"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert printed.strip() == f"{model.hash} {sim.state_hash().tolist()}"
    again = flexor.Simulation.load(tmp_path / "run.npz")
    assert again.model == model and again.model.report == model.report
    assert again.options == {**sim.options, "num_threads": again.options["num_threads"]}
    assert again.seed == 2**64 - 1


def test_options_given_go_before_those_of_the_file(tmp_path):
    sim = flexor.Simulation(scenes.tendon_forest(), 2, precision="float64", solver="jacobi", seed=3)
    sim.save(tmp_path / "run.npz")
    path = tmp_path / "run.npz"
    load = flexor.Simulation.load
    assert load(path, seed=9, guard="raise").options["guard"] == "raise"
    assert load(path).options["solver"] == "jacobi"
    assert load(path, iterations=5).options["iterations"] == 5
    reference = load(path, device="reference")
    assert reference.options["solver"] == "exact" and reference.precision == "float64"
    same_state(reference, sim)
    with pytest.raises(flexor.ConfigError, match="solver"):
        load(path, device="reference", solver="jacobi")
    with pytest.raises(flexor.ArgumentError, match="magic"):
        load(path, magic=1)


def test_a_class_of_ones_own_is_loaded(tmp_path):
    class Own(flexor.Simulation):
        pass

    Own(scenes.tendon_forest(), 2).save(tmp_path / "run.npz")
    assert type(Own.load(tmp_path / "run.npz")) is Own


def test_numpy_reads_the_file(batch, tmp_path):
    sim = stirred(batch)
    sim.step(3)
    sim.save(tmp_path / "run.npz", worlds=[5, 0])
    with np.load(tmp_path / "run.npz", allow_pickle=False) as file:
        header = json.loads(file["header"].tobytes())
        assert np.array_equal(file["qpos"], sim.qpos.numpy()[[5, 0]])
        assert file["qpos"].dtype == batch.precision and file["time"].dtype == np.float64
        assert file["parameter/body/upper/mass"].shape == (2, 1)
        assert set(file.files) == {"header", *header["members"]}
        kept = [name for name, row in flexor.FIELDS.items() if row.group in ("state", "command")
                and (batch.is_float32 or name != "qpos_compensation")]  # fmt: skip
        assert header["fields"] == [
            {"name": name, "unit": flexor.FIELDS[name].unit} for name in kept
        ]
    model = sim.model
    assert header["format"] == "3" and header["library"] == flexor.__version__
    assert header["model_hash"] == model.hash and header["timestep"] == model.timestep
    assert header["precision"] == batch.precision and header["num_worlds"] == 2
    assert header["numeric"] == "fast" and header["seed"] == 0
    assert header["counts"] == {
        "nq": model.nq, "nv": model.nv,
        **{kind: len(model.names(kind)) for kind in ("body", "joint", "site", "geom", "tendon")},
    }  # fmt: skip


def test_the_history_of_the_guard_goes_with_the_file_if_asked(backend, tmp_path, monkeypatch):
    monkeypatch.setenv("FLEXOR_DUMP_FOLDER", str(tmp_path))
    sim = backend.simulate(scenes.tendon_forest(), 3, guard="reset", history=4)
    sim.step(2)
    sim.qvel.numpy()[1] = np.nan
    sim.step(5)
    sim.save(tmp_path / "plain.npz")
    sim.save(tmp_path / "whole.npz", guard_history=True)
    load = flexor.Simulation.load
    assert load(tmp_path / "plain.npz").guard_resets.tolist() == [0, 0, 0]
    again, shorter = load(tmp_path / "whole.npz"), load(tmp_path / "whole.npz", history=2)
    assert again.guard_resets.tolist() == [0, 1, 0]
    files = []
    for s, name in ((sim, "a.npz"), (again, "b.npz"), (shorter, "c.npz")):
        s.step(1)
        s.dump(None, tmp_path / name)
        with np.load(tmp_path / name) as file:
            files.append({key: file[key] for key in file.files if key != "header"})
    assert all(files[0][key].tobytes() == files[1][key].tobytes() for key in files[0])
    assert files[2]["count"].tolist() == [2, 2, 2]
    assert all(np.array_equal(files[0][key][-2:], files[2][key], equal_nan=True)
               for key in files[0] if files[0][key].ndim > 1)  # fmt: skip
    load(tmp_path / "whole.npz", history=0).step()


# --- the other precision ---


def test_conversion_is_asked_for(tmp_path):
    for own, other in (("float32", "float64"), ("float64", "float32")):
        sim = flexor.Simulation(scenes.tendon_forest(), 2, precision=own)
        sim.save(tmp_path / "run.npz")
        into = flexor.Simulation(scenes.tendon_forest(), 2, precision=other)
        before = into.state_hash()
        with pytest.raises(flexor.CheckpointError, match=f"'{own}'.*'{other}'.*convert"):
            into.load_state(tmp_path / "run.npz")
        with pytest.raises(flexor.CheckpointError, match=f"'{own}'.*'{other}'.*convert"):
            flexor.Simulation.load(tmp_path / "run.npz", precision=other)
        assert np.array_equal(into.state_hash(), before)


def test_converted_states_are_the_nearest(tmp_path):
    """qpos and its remainder are one number: what float64 had of it is kept, and comes back."""
    sim = flexor.Simulation(scenes.tendon_forest(), 3, precision="float64", history=2)
    random = np.random.default_rng(5)
    sim.qpos.set(random.normal(size=sim.qpos.shape))
    sim.drive_force.set(-random.uniform(0, 1, sim.drive_force.shape))
    sim.set_parameter("body/upper/mass", [1.1, 1.2, 1.3])
    sim.step(7)
    sim.save(tmp_path / "wide.npz", guard_history=True)
    narrow = flexor.Simulation.load(tmp_path / "wide.npz", precision="float32", convert=True)
    for name, array in sim.get_state().to_host().items():
        assert np.array_equal(
            getattr(narrow, name).numpy(), array.astype(getattr(narrow, name).dtype)
        ), name
    q = narrow.qpos.numpy().astype(float) - narrow.qpos_compensation.numpy()
    assert np.abs(q - sim.qpos.numpy()).max() < 1e-14
    narrow.save(tmp_path / "narrow.npz", guard_history=True)
    wide = flexor.Simulation.load(tmp_path / "narrow.npz", precision="float64", convert=True)
    assert np.array_equal(wide.qpos.numpy(), q)
    assert np.array_equal(wide.qvel.numpy(), narrow.qvel.numpy())
    mass = np.float32([1.1, 1.2, 1.3])
    assert np.array_equal(wide.parameter("body/upper/mass").get(), mass)
    for p in sim.model.parameters():  # the model's own numbers are the model's again
        if p.name != "body/upper/mass":
            assert np.array_equal(wide.parameter(p.name).get()[0], p.nominal, equal_nan=True), (
                p.name
            )
    for s in (narrow, wide):
        s.step(3)
        s.dump(None, tmp_path / "dump.npz")


def test_numbers_that_float32_cannot_hold_are_not_converted(tmp_path):
    sim = flexor.Simulation(scenes.tendon_forest(), 2, precision="float64")
    sim.joint_force.numpy()[1] = 1e300
    sim.save(tmp_path / "large.npz")
    with pytest.raises(flexor.CheckpointError, match="joint_force.*float32"):
        flexor.Simulation.load(tmp_path / "large.npz", precision="float32", convert=True)
    sim = flexor.Simulation(scenes.tendon_forest(), 2, precision="float64")
    sim.set_parameter("body/upper/mass", [1e-50, 1.0])
    sim.save(tmp_path / "small.npz")
    with pytest.raises(flexor.CheckpointError, match="body/upper/mass"):
        flexor.Simulation.load(tmp_path / "small.npz", precision="float32", convert=True)


# --- refusals ---


def test_case_11_cut_or_foreign_files_change_nothing(backend, tmp_path):
    sim = stirred(backend)
    sim.step(5)
    path = tmp_path / "run.npz"
    sim.save(path)
    sim.step(1)
    before = sim.state_hash()
    data = path.read_bytes()
    (tmp_path / "cut.npz").write_bytes(data[: len(data) * 9 // 10])
    other = backend.simulate(scenes.anchored_mass(), WORLDS)
    for call in (
        lambda: sim.load_state(tmp_path / "cut.npz"),
        lambda: flexor.Simulation.load(tmp_path / "cut.npz"),
        lambda: other.load_state(path),
        lambda: flexor.Simulation.load(path, other.model),
        lambda: sim.load_state(tmp_path / "absent"),
    ):
        with pytest.raises(flexor.CheckpointError, match="cut.npz|run.npz|absent"):
            call()
    with pytest.raises(
        flexor.CheckpointError, match=f"another model.*{sim.model.hash}.*{other.model.hash}"
    ):
        other.load_state(path)
    assert np.array_equal(sim.state_hash(), before)


def test_a_cut_file_names_the_member_it_ends_in(tmp_path):
    sim = flexor.Simulation(scenes.tendon_forest(), 50)
    sim.save(tmp_path / "run.npz")
    data = (tmp_path / "run.npz").read_bytes()
    place = data.index(b"qvel.npy")
    (tmp_path / "cut.npz").write_bytes(data[: place + 200])
    with pytest.raises(flexor.CheckpointError, match="member 'qvel.npy': truncated"):
        sim.load_state(tmp_path / "cut.npz")


def test_numbers_of_worlds_agree_or_one_goes_to_all(tmp_path):
    sim = flexor.Simulation(scenes.tendon_forest(), 3)
    sim.save(tmp_path / "run.npz")
    assert flexor.Simulation.load(tmp_path / "run.npz", num_worlds=3).num_worlds == 3
    for worlds in (1, 2, 4):
        with pytest.raises(flexor.CheckpointError, match=f"num_worlds 3, {worlds} asked for"):
            flexor.Simulation.load(tmp_path / "run.npz", num_worlds=worlds)
        with pytest.raises(flexor.CheckpointError, match="num_worlds 3"):
            flexor.Simulation(scenes.tendon_forest(), worlds).load_state(tmp_path / "run.npz")


def foreign_files(folder):
    """Files that are no checkpoints."""
    np.save(folder / "array.npy", np.zeros(3))
    np.savez(folder / "arrays.npz", a=np.zeros(3))
    np.savez_compressed(folder / "packed.npz", header=np.zeros(300, np.uint8))
    (folder / "text.txt").write_text("neither zip nor array")
    (folder / "empty").write_bytes(b"")
    (folder / "folder").mkdir()
    yield from sorted(folder.iterdir())
    yield folder / "absent"


def test_foreign_files_are_checkpoint_errors_that_name_them(tmp_path):
    sim = flexor.Simulation(scenes.tendon_forest(), 2)
    for file in foreign_files(tmp_path):
        for call in (
            sim.load_state,
            flexor.Simulation.load,
            lambda path: flexor.Simulation.load(path, sim.model),
        ):
            with pytest.raises(flexor.CheckpointError) as caught:
                call(file)
            assert file.name in str(caught.value)


def test_a_clock_that_no_world_can_have_comes_in_by_no_road(batch, tmp_path):
    sim = batch.simulate(scenes.tendon_forest(), 3)
    for call, words in (
        (lambda: sim.time.set(np.nan), "array time: values: nan"),
        (lambda: sim.time.set([0, np.inf, 0]), "array time: values: inf"),
        (lambda: sim.step_count.set(-1), "array step_count: values: -1 given; legal: >= 0"),
    ):
        with pytest.raises(flexor.ConfigError, match=words):
            call()
    assert np.all(sim.time.numpy() == 0) and np.all(sim.step_count.numpy() == 0)
    for name, value in (("time", np.nan), ("time", -np.inf), ("step_count", -3)):
        getattr(sim, name).numpy()[1] = value
        with pytest.raises(flexor.ConfigError, match=f"save: world 1: {name}"):
            sim.save(tmp_path / "run.npz")
        sim.save(tmp_path / "rest.npz", worlds=[0, 2])
        with pytest.raises(flexor.ConfigError, match=f"row 1 of the snapshot: {name}"):
            sim.set_state(sim.get_state())
        sim.reset()
    assert not (tmp_path / "run.npz").exists()


# --- snapshots ---


def test_a_snapshot_is_what_the_arrays_held(backend):
    sim = stirred(backend)
    sim.step(3)
    snapshot = sim.get_state(worlds=[4, 1])
    assert snapshot.num_worlds == 2 and snapshot.precision == sim.precision
    assert snapshot.model_hash == sim.model.hash
    host = snapshot.to_host()
    for name, array in host.items():
        held = getattr(sim, name).numpy()[[4, 1]]
        assert array.dtype == held.dtype and array.flags.c_contiguous, name
        assert np.array_equal(array, held), name
    assert {n for n, f in flexor.FIELDS.items() if f.group in ("state", "command")} - set(host) == (
        set() if backend.is_float32 else {"qpos_compensation"}
    )
    sim.step(3)
    sim.set_state(snapshot, worlds=[0, 5])
    assert np.array_equal(sim.qvel.numpy()[[0, 5]], host["qvel"])
    with pytest.raises(AttributeError, match="immutable"):
        snapshot.num_worlds = 3


def test_a_snapshot_leaves_wrenches_idle(batch):
    sim = batch.simulate(scenes.tendon_forest(), 3)
    before = sim.memory()["state"]
    host = sim.get_state().to_host()
    bodies = len(sim.model.names("body"))
    assert host["body_wrench"].shape == (3, bodies, 6) and not host["body_wrench"].any()
    assert sim.memory()["state"] == before
    sim.body_wrench.set(0.5)
    other = batch.simulate(scenes.tendon_forest(), 3)
    other.set_state(sim.get_state())
    assert np.all(other.body_wrench.numpy() == 0.5)


def test_a_pickled_snapshot_goes_on(batch):
    import copy
    import pickle

    sim = stirred(batch)
    sim.step(5)
    snapshot = sim.get_state()
    hashes = sim.state_hash()
    for again in (
        pickle.loads(pickle.dumps(snapshot)),
        copy.copy(snapshot),
        copy.deepcopy(snapshot),
    ):
        sim.step(2)
        sim.set_state(again)
        assert np.array_equal(sim.state_hash(), hashes)
    _, (core,) = snapshot.__reduce__()
    parts = core.__getstate__()
    for damage in (
        (*parts[:2], 3, *parts[3:]),
        (*parts[:4], [b"" for _ in parts[4]]),
        (*parts[:4], [part + b"x" for part in parts[4]]),
    ):
        bad = type(core).__new__(type(core))
        bad.__setstate__(damage)
        with pytest.raises((flexor.ConfigError, flexor.ShapeError), match="set_state"):
            sim.set_state(flexor.Snapshot(bad))
    with pytest.raises(flexor.ConfigError, match="no snapshot"):
        type(core).__new__(type(core)).__setstate__((*parts[:4], [b""]))
    assert np.array_equal(sim.state_hash(), hashes)


def test_a_snapshot_of_another_model_or_precision_is_one_clear_error():
    sim = flexor.Simulation(scenes.tendon_forest(), 2)
    other = flexor.Simulation(scenes.anchored_mass(), 2)
    wide = flexor.Simulation(scenes.tendon_forest(), 2, precision="float64")
    with pytest.raises(flexor.ConfigError, match=f"{other.model.hash}.*{sim.model.hash}"):
        sim.set_state(other.get_state())
    with pytest.raises(flexor.ConfigError, match="'float64'; legal: 'float32'"):
        sim.set_state(wide.get_state())
    with pytest.raises(flexor.ShapeError, match="1 worlds given, 2 expected"):
        sim.set_state(sim.get_state([1]))
    with pytest.raises(flexor.ArgumentError, match="Snapshot"):
        sim.set_state({"qpos": sim.qpos.copy()})


def test_a_world_stands_once_in_what_is_written_and_once_in_what_is_read(tmp_path):
    """Twice the same world would leave open which of two rows it gets."""
    sim = flexor.Simulation(scenes.tendon_forest(), 4, history=1)
    snapshot = sim.get_state([0, 1])
    twice = [2, 1, 2]
    for call in (
        lambda: sim.qvel.set(1.0, worlds=twice),
        lambda: sim.qvel.at(0).set([1, 2, 3], worlds=twice),
        lambda: sim.set_parameter("body/upper/mass", [1, 2, 3], worlds=twice),
        lambda: sim.parameter("body/upper/mass").set([1, 2, 3], worlds=twice),
        lambda: sim.set_tension("tendon_1", 1.0, worlds=twice),
        lambda: sim.save(tmp_path / "run.npz", worlds=twice),
        lambda: sim.dump(twice, tmp_path / "run.npz"),
        lambda: sim.get_state(twice),
        lambda: sim.set_state(snapshot, worlds=[2, 2]),
        lambda: sim.clone_worlds([0], twice),
        lambda: sim.clone_worlds([0, 1, 3], twice),
    ):
        with pytest.raises(
            flexor.ConfigError, match="world 2 given twice; legal: different worlds"
        ):
            call()
    assert not list(tmp_path.iterdir())
    sim.qvel.at(0).set([1, 2, 3, 4])
    sim.clone_worlds([3, 3], [0, 1])  # a source may give twice
    assert sim.qvel.at(0).numpy().tolist() == [4, 4, 3, 4]


def test_case_14_state_hash_is_fnv_of_the_state_fields_in_order(backend):
    """64-bit FNV-1a, little endian, component by component. [IA-7]"""
    sim = stirred(backend, 2)
    sim.step(2)
    for world, expected in enumerate(sim.state_hash().tolist()):
        value = 0xCBF29CE484222325
        for name, row in flexor.FIELDS.items():
            if row.group != "state" or (name == "qpos_compensation" and not backend.is_float32):
                continue
            for byte in np.ascontiguousarray(getattr(sim, name).numpy()[world]).tobytes():
                value = (value ^ byte) * 0x100000001B3 % 2**64
        assert value == expected
