"""Parameters per world: views, commit, and equality of bits with models compiled anew. [E-2], [IA-4]"""

import flexor
import numpy as np
import pytest
import scenes
from support import EXACT, FLOAT32, FLOAT64

STEPS = 200
OWN_MODELS = flexor.models.names()
INVALID = int(flexor.Status.PARAMETER_INVALID)
FROZEN = int(flexor.Status.FROZEN)


@pytest.fixture(params=[EXACT, FLOAT64, FLOAT32], ids=str)
def run(request):
    return request.param


@pytest.fixture(scope="module", params=OWN_MODELS)
def own(request):
    """(name, model)"""
    return request.param, flexor.models.load(request.param)


def other_value(info, scale=1.0):
    """Another legal value of a parameter, a number that float32 holds. scale: which one."""
    x = np.atleast_1d(np.asarray(info.nominal, float))
    is_lower = info.name.endswith(("lower", "lower_limit"))
    match info.legal:
        case "finite":
            x = x + 0.03 * scale
        case "finite, norm >= 1e-9" | "finite, not the zero vector":
            x = x + 0.2 * scale
        case "in [0, 1]":
            x = np.full_like(x, 0.5 * scale)
        case "> 0, inf allowed":
            x = np.where(np.isinf(x), 3 * scale, 1.3 * scale * x)
        case "a number or +-inf, lower <= upper":
            x = np.where(np.isinf(x), 3 * scale, np.abs(x) + 0.1 * scale)
            x = -x if is_lower else x
        case "both NaN (automatic), or numbers or +-inf with lower <= upper":
            x = np.full_like(x, 0.3 + 0.1 * scale)
        case "finite, >= 0":
            x = 1.2 * scale * x + 0.01
        case "finite, > 0":
            x = 1.3 * scale * x
        case "positive semidefinite, moments with A + B >= C":
            x = 1.3 * scale * x + 1e-4 * np.array([1, 1, 1, 0, 0, 0])
        case _:
            raise AssertionError(f"no other value known for {info.legal}")
    return np.float32(x).astype(float)


def move(sim, worlds=None):
    """200 steps under random commands, the same in every world."""
    rng = np.random.default_rng(7)
    commands = {
        "drive_force": rng.uniform(-8, 2, (1, STEPS, sim.model.tendon_count)),
        "joint_force": rng.uniform(-0.05, 0.05, (1, STEPS, sim.model.nv)),
    }
    sim.rollout(STEPS, commands)
    return sim.state_hash(), sim.tendon_force.copy()


def differences(model, other):
    """{name: value in the other} of all parameters in which two models differ: with one changed by an
    override, what its loader has derived from it, too (spring references from the rest of joints)."""
    pairs = zip(model.parameters(), other.parameters(), strict=True)
    return {
        info.name: np.atleast_1d(changed.nominal)
        for info, changed in pairs
        if not np.array_equal(info.nominal, changed.nominal, equal_nan=True)
    }


def set_all(sim, change, world):
    """Bounds open first, so that none crosses its partner on the way."""
    for name in change:
        if name.endswith("spring_upper"):
            sim.set_parameter(name, np.inf, worlds=[world])
    for name, value in change.items():
        sim.set_parameter(name, [value], worlds=[world])


def compiled_with(run, path, model):
    """Models loaded with one parameter overridden each, which this version can simulate. On the
    reference, which is slow, one parameter of each kind."""
    seen = set()
    for info in model.parameters():
        kind = (info.owner, info.name.rpartition("/")[2])
        if run.device == "reference" and kind in seen:
            continue
        seen.add(kind)
        names = [info.name]
        if "spring_" in info.name:  # both numbers, or none
            names = [
                info.name.rpartition("/")[0] + end for end in ("/spring_lower", "/spring_upper")
            ]
        value = other_value(info, 0.9 + 0.01 * (len(seen) % 20))
        compiled = flexor.load_model(path, overrides=dict.fromkeys(names, value))
        try:
            run.simulate(compiled, 1)
        except flexor.ModelError:
            assert info.name.endswith("/armature")  # of tendons over guides: not in this version
            continue
        yield compiled


def test_case_7_every_parameter_equals_a_model_compiled_with_it(run, own):
    """A batch with another parameter changed in every world, through `set` and through views, against
    one-world batches of models loaded with overrides."""
    name, model = own
    models = [*compiled_with(run, flexor.models.path(name), model), model]
    assert len(models) > (20 if run.device == "reference" else 0.9 * len(model.parameters()))
    by_set, by_view = (run.simulate(model, len(models)) for _ in range(2))
    for world, compiled in enumerate(models):
        change = differences(model, compiled)
        assert change or compiled is model
        set_all(by_set, change, world)
        for key, value in change.items():
            by_view.parameter(key).numpy()[world] = value if len(value) > 1 else value[0]
    by_view.commit()
    hashes, forces = move(by_set)
    seen, seen_forces = move(by_view)
    assert not np.any(by_set.status.numpy() & INVALID)
    assert np.array_equal(hashes, seen) and np.array_equal(forces, seen_forces, equal_nan=True)
    for world, compiled in enumerate(models):
        expected, force = move(run.simulate(compiled, 1))
        assert hashes[world] == expected[0], differences(model, compiled)
        assert np.array_equal(forces[world], force[0]), differences(model, compiled)
    assert np.count_nonzero(hashes[:-1] != hashes[-1]) > 0.5 * len(hashes)  # most of them matter


def test_promotion_changes_no_bit(run, own):
    """Of all parameters, of a few, of none."""
    _, model = own
    plain, few, all_of_them = (run.simulate(model, 3) for _ in range(3))
    for name in list(few.parameters)[::7]:
        few.parameter(name).numpy()
    for name in all_of_them.parameters:
        all_of_them.parameter(name).numpy()
        assert all_of_them.parameter(name).is_per_world
    some = list(plain.parameters)[0]
    assert not plain.parameter(some).is_per_world and few.parameter(some).is_per_world
    for sim in (few, all_of_them):
        sim.commit()
        name = list(sim.parameters)[-1]
        sim.parameter(name).set([sim.parameter(name).nominal], worlds=[1])  # commits the new layout
    assert np.array_equal(move(plain)[0], move(few)[0])
    assert np.array_equal(plain.state_hash(), move(all_of_them)[0])


def test_untouched_worlds_change_no_bit(run, own):
    _, model = own
    plain, sim = run.simulate(model, 3), run.simulate(model, 3)
    for info in model.parameters():
        if info.legal.startswith((">= 0", "finite, >= 0", "finite, > 0")):
            view = sim.parameter(info.name).numpy()
            view[1] *= np.asarray(1.25, view.dtype)
    sim.commit()
    hashes, expected = move(sim)[0], move(plain)[0]
    assert np.array_equal(hashes[[0, 2]], expected[[0, 2]])
    assert hashes[1] != expected[1]


# --- views ---


@pytest.fixture
def load(run):
    return run.simulate(scenes.suspended_load(), 3)


def test_views_are_the_memory_itself(run):
    sim = run.simulate(flexor.models.load("three_joint_finger"), 5)
    item = sim.parameter("body/distal/mass").numpy().itemsize
    assert item == (4 if run.precision == "float32" else 8)
    for name, shape in [("tendon/deep/stiffness", (5,)), ("body/distal/inertia", (5, 6))]:
        p = sim.parameter(name)
        views = [p.numpy(), np.asarray(p), np.from_dlpack(p), sim.parameters[name].numpy()]
        assert len({view.ctypes.data for view in views}) == 1
        for view in views:
            assert view.shape == shape and view.flags.writeable
            assert view.strides == (item, 32 * item)[: len(shape)]
        assert np.array_equal(views[0], p.get())
        p.set(p.nominal if p.shape else 33.0, worlds=[2])
        assert np.array_equal(views[0], p.get())
    view = sim.parameter("tendon/deep/stiffness").numpy()
    assert view.tolist() == [120, 120, 33, 120, 120]
    before = view.ctypes.data
    for name in sim.parameters:  # promotions move nothing
        sim.parameter(name).numpy()
    sim.commit()
    sim.step(3)
    assert sim.parameter("tendon/deep/stiffness").numpy().ctypes.data == before
    copy = sim.parameter("tendon/deep/stiffness").numpy(copy=True)
    assert copy.ctypes.data != before and np.array_equal(copy, view)
    sim.close()
    del sim
    assert view[2] == 33  # the memory lives as long as the view


def test_torch_tensors_of_parameters(load):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    tensor = load.parameter("tendon/t/stiffness").torch()
    assert tensor is load.parameter("tendon/t/stiffness").torch()
    tensor[1] = 250
    load.commit()
    assert load.parameter("tendon/t/stiffness").get().tolist() == [500, 250, 500]
    assert tensor.dtype == (torch.float32 if load.precision == "float32" else torch.float64)


def test_what_is_written_counts_after_commit_in_the_worlds_named(run, load):
    plain = run.simulate(scenes.suspended_load(), 3)
    load.parameter("tendon/t/stiffness").numpy()[:] = 250
    load.commit([0])
    load.step(5)
    plain.step(5)
    compiled = run.simulate(scenes.suspended_load(stiffness=250.0), 1)
    compiled.step(5)
    assert load.state_hash()[0] == compiled.state_hash()[0]
    assert np.array_equal(load.state_hash()[1:], plain.state_hash()[1:])
    load.set_parameter("body/load/mass", 1.0, worlds=[2])  # commits world 2, but not its view
    load.step(1)
    plain.step(1)
    assert np.array_equal(load.state_hash()[1:], plain.state_hash()[1:])
    load.commit(np.array([False, True, False]))
    load.step(1)
    plain.step(1)
    assert load.state_hash()[1] != plain.state_hash()[1]
    assert load.state_hash()[2] == plain.state_hash()[2]
    for worlds in ([3], [-1], np.zeros(2, bool)):
        with pytest.raises(flexor.FlexorError, match="Simulation.commit: worlds"):
            load.commit(worlds)
    load.commit([])


def test_quaternions_are_normalised_in_place(run):
    sim = run.simulate(flexor.models.load("three_joint_finger"), 2)
    view = sim.parameter("body/distal/quat").numpy()
    view[1] = [2, 0, 0, 0]
    sim.commit()
    assert view[1].tolist() == [1, 0, 0, 0]


def test_reference_length_follows_geometry_that_was_written(load):
    load.parameter("site/ring/pos").numpy()[1] = [0, 0, -0.5]
    load.commit()
    assert load.reference_length.numpy().ravel().tolist() == [1, 1.5, 1]
    load.reference_length.numpy()[1] = 1.25
    load.commit()  # nothing has been written since
    assert load.reference_length.numpy()[1] == 1.25


# --- numbers out of their range ---

ILLEGAL = [
    {"tendon/t/stiffness": -1},
    {"tendon/t/damping": np.nan},
    {"tendon/t/lower_limit": 0.9, "tendon/t/upper_limit": 0.5},  # order
    {"tendon/t/lower_limit": 3, "tendon/t/upper_limit": 2},
    {"tendon/t/friction_loss": np.inf},
    {"body/load/mass": -1},
    {"body/load/quat": [0, 0, 0, 0]},
    {"body/load/inertia": [1, 1, 5, 0, 0, 0]},
    {"joint/lift/axis": [0, 0, 0]},
    {"joint/lift/armature": -0.5},
    {"site/ring/pos": [0, np.nan, 0]},
    {"option/gravity": [0, 0, np.inf]},
]


def write(sim, change, world):
    for name, value in change.items():
        sim.parameter(name).numpy()[world] = value


@pytest.mark.parametrize("change", ILLEGAL, ids=lambda change: "+".join(change))
@pytest.mark.parametrize("guard", ["ignore", "freeze", "reset", "raise"])
def test_illegal_numbers_raise_a_status_and_the_guard_acts(run, change, guard):
    model = scenes.suspended_load()
    sim, plain = (run.simulate(model, 3, guard=guard) for _ in range(2))
    write(sim, change, 1)
    sim.commit()
    assert sim.status.numpy().tolist() == [0, INVALID, 0]
    start = sim.qpos.copy()[1]
    if guard == "raise":
        with pytest.raises(flexor.SimulationError, match=r"1 \(PARAMETER_INVALID\)"):
            sim.step(3)
        plain.step(1)
    else:
        sim.step(3)
        plain.step(3)
    assert np.array_equal(sim.state_hash()[[0, 2]], plain.state_hash()[[0, 2]])
    status = int(sim.status.numpy()[1])
    assert bool(status & FROZEN) == (guard == "freeze")
    if guard == "ignore":
        assert status & INVALID and sim.step_count.numpy()[1] == 3
        assert np.isfinite(sim.qpos.numpy()).all()
    elif guard == "reset":
        assert sim.guard_resets.tolist() == [0, 3, 0]
    else:
        assert sim.step_count.numpy()[1] == 0 and status & INVALID
        assert np.array_equal(sim.qpos.numpy()[1], start)
    nominal = {name: sim.parameter(name).nominal for name in change}
    write(sim, nominal, 1)
    sim.commit()
    sim.reset()
    plain.reset()
    assert sim.status.numpy().tolist() == [0, 0, 0]
    sim.step(3)
    plain.step(3)
    assert np.array_equal(sim.state_hash(), plain.state_hash())


def test_rows_of_an_illegal_number_are_left_out_where_the_guard_ignores_it(run):
    """Without its spring the load falls: v = -3 g h."""
    sim = run.simulate(scenes.suspended_load(), 2, guard="ignore")
    sim.parameter("tendon/t/stiffness").numpy()[1] = -1
    sim.commit()
    sim.step(3)
    assert sim.qvel.numpy()[1, 0] == pytest.approx(-3 * 9.81 * 0.002, rel=1e-6)
    assert sim.parameter("tendon/t/stiffness").get().tolist() == [500, -1]  # as written
    sim.parameter("tendon/t/stiffness").set(500, worlds=[1])  # mended by `set` just as well
    sim.reset()
    sim.step(3)
    assert sim.qvel.numpy()[1, 0] == sim.qvel.numpy()[0, 0]
    assert sim.status.numpy().tolist() == [0, 0]


def test_a_pair_of_bounds_is_mended_by_either(load):
    lower, upper = (
        load.parameter(f"tendon/t/{bound}_limit").numpy() for bound in ("lower", "upper")
    )
    for mended in (lower, upper):
        lower[1], upper[1] = 0.9, 0.5
        load.commit()
        assert load.status.numpy()[1] == INVALID
        mended[1] = 0.4 if mended is lower else 2
        load.commit()
        load.reset()
        load.step(1)
        assert load.status.numpy()[1] == 0


def test_illegal_numbers_go_through_a_checkpoint(run, load, tmp_path):
    load.parameter("tendon/t/stiffness").numpy()[1] = -1
    load.commit()
    load.step(2)
    load.save(tmp_path / "run.npz")
    other = run.simulate(scenes.suspended_load(), 3)
    view = other.parameter("tendon/t/stiffness").numpy()
    other.load_state(tmp_path / "run.npz")
    assert view.tolist() == [500, -1, 500]
    for sim in (load, other):
        sim.step(2)
    assert np.array_equal(load.state_hash(), other.state_hash())
    assert int(other.status.numpy()[1]) & INVALID


def test_a_refused_set_leaves_all_old_values(load):
    load.set_parameter("tendon/t/upper_limit", [2.0, 2.5, 3.0])
    view = load.parameter("tendon/t/lower_limit").numpy()
    for values, worlds in [([1.0, 2.75, 1.0], None), ([1.0, 3.5], [0, 2]), (2.75, None)]:
        with pytest.raises(flexor.ParameterError) as caught:
            load.set_parameter("tendon/t/lower_limit", values, worlds=worlds)
        for word in ("tendon/t/lower_limit", "world", "legal", "upper_limit"):
            assert word in str(caught.value)
        assert np.all(view == -np.inf)
        assert np.all(load.parameter("tendon/t/lower_limit").get() == -np.inf)
    before = load.state_hash()
    load.forward()
    assert np.array_equal(load.state_hash(), before)


# --- all of them by name ---


def test_parameters_are_a_mapping():
    model = flexor.models.load("three_joint_finger")
    sim = flexor.Simulation(model, 2)
    names = [info.name for info in model.parameters()]
    assert list(sim.parameters) == names and len(sim.parameters) == len(names)
    assert "tendon/deep/stiffness" in sim.parameters and "tendon/deep" not in sim.parameters
    assert sim.parameters["tendon/deep/stiffness"].nominal == 120.0
    assert sim.parameters.match("tendon/*/stiffness") == [
        f"tendon/{tendon}/stiffness" for tendon in model.names("tendon")
    ]
    assert sim.parameters.match("option/gravity") == ["option/gravity"]
    with pytest.raises(flexor.UnknownNameError, match=r"did you mean 'tendon/\*/stiffness'"):
        sim.parameters.match("tendon/*/stifness")


def test_stacks_of_neighbours_are_one_view(run):
    model = flexor.models.load("three_joint_finger")
    sim = run.simulate(model, 4)
    item = sim.parameter("tendon/deep/stiffness").numpy().itemsize
    stack = sim.parameters.stack("tendon/*/stiffness")
    tendons = model.tendon_count
    assert not stack.is_copy and stack.shape == (4, tendons) and stack.unit == "N/m"
    assert stack.strides == (item, 32 * item)
    assert stack.names == tuple(sim.parameters.match("tendon/*/stiffness"))
    stack.numpy()[:] = np.arange(4 * tendons).reshape(4, tendons) + 100
    sim.commit()
    for t, name in enumerate(stack.names):
        assert sim.parameter(name).get().tolist() == [100 + t + w * tendons for w in range(4)]
    masses = sim.parameters.stack("body/*/com")
    assert not masses.is_copy and masses.shape == (4, model.body_count, 3)
    assert masses.strides == (item, 3 * 32 * item, 32 * item)
    assert np.array_equal(masses.numpy()[:, 1], sim.parameter(masses.names[1]).numpy())
    assert sim.parameters.stack("body/distal/mass").shape == (4, 1)


def test_stacks_of_what_lies_apart_are_read_only_copies():
    b = scenes.builder()
    for i, name in enumerate(["a", "b", "other", "c"]):
        b.add_point_mass(name, (i, 0, 0), 1.0 + i)
    sim = flexor.Simulation(b.finalize(), 3)
    names = sim.parameters.match("body/?/mass")
    assert len(names) == 3
    stack = sim.parameters.stack("body/?/mass")
    assert stack.is_copy and not stack.is_writable
    assert stack.numpy().tolist() == [[1, 2, 4]] * 3
    assert np.from_dlpack(stack).tolist() == [[1, 2, 4]] * 3
    assert not stack.numpy().flags.writeable
    with pytest.raises(flexor.ShapeError, match="stack: pattern: body/a/pos of shape"):
        sim.parameters.stack("body/a/*")
