"""What a batch promises whatever it simulates: equal bits for equal worlds, masks, guards, parameters
per world, checkpoints, read-outs, and one clear error for every wrong argument."""

import flexor
import numpy as np
import pytest
import scenes

WORLDS = 37  # no multiple of any tile


def start(batch, num_worlds=WORLDS, seed=1, model=None, **options):
    """Worlds in different states under different commands."""
    sim = batch.simulate(model or scenes.tendon_forest(), num_worlds=num_worlds, **options)
    scatter(sim, np.random.default_rng(seed))
    return sim


def scatter(sim, rng, rows=None):
    """Random state and commands; `rows` picks worlds of a larger draw, so that subsets can be equal."""
    drawn = WORLDS if rows is not None else sim.num_worlds
    rows = slice(None) if rows is None else rows
    model = sim.model
    sim.qpos.set(rng.uniform(-1.2, 0.6, (drawn, model.nq))[rows])
    sim.qvel.set(rng.normal(size=(drawn, model.nv))[rows])
    sim.drive_force.set(rng.uniform(-20, 5, (drawn, len(model.names("tendon"))))[rows])
    sim.joint_force.set(rng.normal(size=(drawn, model.nv))[rows])


READ = (
    "qpos",
    "qvel",
    "activation",
    "row_impulse",
    "tendon_length",
    "tendon_force",
    "status",
)


def bits(sim, worlds=slice(None)):
    """Bytes of every array that a step writes, of the worlds chosen."""
    out = {
        name: np.ascontiguousarray(getattr(sim, name).numpy()[worlds]).tobytes() for name in READ
    }
    out["hash"] = np.asarray(sim.state_hash())[worlds].tobytes()
    return out


# --- determinism [E-3], [E-5], [E-9] ---------------------------------------------------------------------------


def test_row_of_a_batch_equals_a_batch_of_one(batch):
    sim = start(batch)
    sim.step(20)
    for world in (0, 5, 36):
        one = batch.simulate(scenes.tendon_forest(), num_worlds=1)
        scatter(one, np.random.default_rng(1), rows=[world])
        one.step(20)
        assert bits(one) == bits(sim, slice(world, world + 1))


def test_threads_change_no_bit(batch):
    results = []
    for threads in (1, 2):
        sim = start(batch, num_threads=threads)
        sim.step(20)
        results.append(bits(sim))
    assert results[0] == results[1]


def test_permuted_worlds_give_permuted_bits(batch):
    sim = start(batch)
    order = np.random.default_rng(2).permutation(WORLDS)
    permuted = batch.simulate(scenes.tendon_forest(), num_worlds=WORLDS)
    scatter(permuted, np.random.default_rng(1), rows=order)
    for s in (sim, permuted):
        s.step(20)
    assert bits(permuted) == bits(sim, order)


def test_split_batches_equal_the_whole(batch):
    sim = start(batch)
    sim.step(10)
    for part in (slice(0, 8), slice(8, 37)):
        half = batch.simulate(scenes.tendon_forest(), num_worlds=part.stop - part.start)
        scatter(half, np.random.default_rng(1), rows=part)
        half.step(10)
        assert bits(half) == bits(sim, part)


def test_two_runs_give_equal_bits(batch):
    first, second = start(batch), start(batch)
    for sim in (first, second):
        sim.step(30)
    assert bits(first) == bits(second)


def test_step_of_two_equals_two_steps(batch):
    once, twice = start(batch), start(batch)
    once.step(2)
    twice.step(1)
    twice.step(1)
    assert bits(once) == bits(twice)


def test_refresh_changes_no_state(batch):
    """G arrays stay at the start of the step, the state goes on alike."""
    sim, plain = start(batch), start(batch)
    sim.step(3, refresh=True)
    before = np.array(plain.tendon_length.numpy())
    plain.step(1, refresh=False)
    assert not np.array_equal(before, plain.tendon_length.numpy())  # start() did not refresh
    start_of_next = np.array(sim.tendon_length.numpy())
    plain.step(2, refresh=False)
    assert np.array_equal(sim.state_hash(), plain.state_hash())
    plain.step(1, refresh=False)
    sim.step(1, refresh=False)
    assert np.array_equal(plain.tendon_length.numpy(), sim.tendon_length.numpy())
    assert np.array_equal(sim.tendon_length.numpy(), start_of_next)


def test_forward_is_idempotent_and_touches_no_state(batch):
    sim = start(batch)
    sim.step(3)
    before = bits(sim)
    sim.forward()
    assert bits(sim) == before
    sim.step(0)
    assert bits(sim) == before


def test_rate_is_jacobian_times_velocity(batch):
    sim = start(batch)
    sim.step(3)
    J = np.asarray(sim.tendon_jacobian.numpy(), float).reshape(WORLDS, -1, sim.model.nv)
    rate = np.einsum("wti,wi->wt", J, np.asarray(sim.qvel.numpy(), float))
    tolerance = 1e-4 if batch.is_float32 else 1e-12
    assert np.allclose(sim.tendon_velocity.numpy(), rate, rtol=0, atol=tolerance)


# --- masks and reset [IA-3], [IA-5] ---------------------------------------------------------------


def test_masked_worlds_keep_every_bit(batch):
    sim, all_worlds = start(batch), start(batch)
    mask = np.arange(WORLDS) % 3 == 0
    before = bits(sim, ~mask)
    sim.step(5, mask=mask)
    all_worlds.step(5)
    assert bits(sim, ~mask) == before
    assert bits(sim, mask) == bits(all_worlds, mask)
    sim.step(5, mask=np.zeros(WORLDS, dtype=np.uint8))
    assert bits(sim, mask) == bits(all_worlds, mask)


def test_reset_of_masked_worlds(batch):
    sim = start(batch)
    fresh = batch.simulate(scenes.tendon_forest(), num_worlds=WORLDS)
    fresh.reset()
    sim.step(5)
    mask = np.arange(WORLDS) % 2 == 0
    before = bits(sim, ~mask)
    sim.reset(mask)
    assert bits(sim, ~mask) == before
    assert (
        np.asarray(sim.state_hash())[mask].tolist() == np.asarray(fresh.state_hash())[mask].tolist()
    )
    assert np.all(sim.time.numpy()[mask] == 0) and np.all(sim.step_count.numpy()[mask] == 0)
    assert np.all(sim.drive_force.numpy()[mask] == 0)
    assert np.all(sim.qvel.numpy()[mask] == 0) and np.all(sim.row_impulse.numpy()[mask] == 0)


def test_reset_to_given_rows_and_keyframe(batch):
    b = scenes.builder()
    scenes.add_point_mass(b, "mass")
    b.add_keyframe("up", qpos=[1.0, 2.0, 3.0], qvel=[0.5, 0.0, 0.0])
    sim = batch.simulate(b.finalize(), num_worlds=4)
    sim.reset(keyframe="up")
    assert sim.qpos.numpy().tolist() == [[1, 2, 3]] * 4
    assert sim.qvel.numpy().tolist() == [[0.5, 0, 0]] * 4
    mask = np.array([False, True, False, True])
    sim.reset(mask, qpos=np.array([[4.0, 5, 6], [7, 8, 9]]))
    assert sim.qpos.numpy().tolist() == [[1, 2, 3], [4, 5, 6], [1, 2, 3], [7, 8, 9]]
    assert sim.qvel.numpy()[1].tolist() == [0, 0, 0]


# --- bad numbers while stepping [IA-8] --------------------------------------------------------------


@pytest.mark.parametrize("where", ["qpos", "qvel"])
def test_nan_in_one_world_leaves_the_bits_of_all_others(batch, where):
    clean, dirty = start(batch, 4096), start(batch, 4096)
    getattr(dirty, where).numpy()[1234, 0] = np.nan
    others = np.arange(4096) != 1234
    for sim in (clean, dirty):
        sim.step(5)
    assert bits(clean, others) == bits(dirty, others)
    assert clean.status.numpy()[1234] & flexor.Status.NONFINITE_STATE == 0
    status = dirty.status.numpy()[1234]
    assert status & flexor.Status.NONFINITE_STATE and status & flexor.Status.FROZEN


def test_guard_ignore_keeps_nan_to_its_world(batch):
    clean, dirty = start(batch, guard="ignore"), start(batch, guard="ignore")
    dirty.qvel.numpy()[3, 1] = np.nan
    others = np.arange(WORLDS) != 3
    for sim in (clean, dirty):
        sim.step(5)
    assert bits(clean, others) == bits(dirty, others)
    assert dirty.status.numpy()[3] & flexor.Status.NONFINITE_STATE
    assert not dirty.status.numpy()[3] & flexor.Status.FROZEN


def test_guard_freeze_holds_the_world_until_reset(batch):
    sim = start(batch)
    sim.step(3)
    sim.qvel.numpy()[3, 1] = np.inf
    sim.step(3)
    frozen = bits(sim, slice(3, 4))
    assert np.all(np.isfinite(sim.qpos.numpy()[3]))
    sim.step(3)
    assert bits(sim, slice(3, 4)) == frozen
    mask = np.arange(WORLDS) == 3
    sim.reset(mask)
    assert sim.status.numpy()[3] == 0
    sim.step(1)
    assert sim.step_count.numpy()[3] == 1


def test_guard_reset_starts_the_world_anew(batch):
    sim = start(batch, guard="reset")
    sim.qvel.numpy()[3, 1] = np.nan
    sim.step(1)
    assert np.all(np.isfinite(sim.qpos.numpy()))
    assert np.all(np.isfinite(sim.qvel.numpy()))


def test_guard_raise_finishes_the_step_and_names_the_worlds(batch):
    sim = start(batch, guard="raise")
    sim.qvel.numpy()[3, 1] = np.nan
    with pytest.raises(flexor.SimulationError, match="3"):
        sim.step(1)
    assert sim.step_count.numpy()[0] == 1


def test_bad_command_falls_back_on_the_last_good_one(batch):
    sim, good = start(batch), start(batch)
    for s in (sim, good):
        s.step(1)
    sim.drive_force.numpy()[7, 0] = np.nan
    sim.joint_force.numpy()[8, 1] = np.inf
    for s in (sim, good):
        s.step(2)
    assert np.array_equal(sim.qpos.numpy(), good.qpos.numpy())
    assert np.array_equal(sim.qvel.numpy(), good.qvel.numpy())
    bad = [w for w in range(WORLDS) if sim.status.numpy()[w] & flexor.Status.NONFINITE_COMMAND]
    assert bad == [7, 8]
    sim.clear_status()
    assert np.all(sim.status.numpy() == 0)


@pytest.mark.parametrize("guard", ["freeze", "ignore"])
def test_negative_gain_in_a_raw_array_leaves_the_drive_out(batch, guard):
    """PARAMETER_INVALID in that world alone: the guard holds it, or it steps without the drive."""
    sim = start(batch, guard=guard)
    with pytest.raises(ValueError, match=r"drive_position_gain.*-5.*legal: >= 0"):
        sim.drive_position_gain.set(-5.0)
    sim.step(3)
    before = [sim.qpos.copy()[3], sim.qvel.copy()[3]]
    sim.drive_position_gain.numpy()[3] = -5.0
    sim.step(1)
    flagged = sim.status.numpy() & flexor.Status.PARAMETER_INVALID
    assert np.flatnonzero(flagged).tolist() == [3]
    frozen = sim.status.numpy()[3] & flexor.Status.FROZEN
    if guard == "freeze":
        assert frozen
        assert np.array_equal(before, [sim.qpos.numpy()[3], sim.qvel.numpy()[3]])
    else:
        assert not frozen
        assert np.all(sim.tendon_drive_force.numpy()[3] == 0)


def test_saturated_drive_is_informational(batch):
    sim = batch.simulate(
        scenes.anchored_mass(actuation_lower=-4.0, actuation_upper=1.0), num_worlds=2
    )
    sim.drive_force.numpy()[1] = -5.0
    sim.step(1)
    assert sim.status.numpy().tolist() == [0, flexor.Status.TENSION_SATURATED]


# --- parameters per world [E-2], [IA-4] ------------------------------------------------------------------


def with_stiffness(stiffness):
    return scenes.anchored_mass(pos=(1.1, 0.2, 0), stiffness=stiffness, damping=1.0,
                                spring_lower=0.0, spring_upper=1.0)  # fmt: skip


def test_world_parameter_equals_a_model_built_with_it(batch):
    values = np.array([50.0, 100.0, 123.4])
    sim = batch.simulate(with_stiffness(10.0), num_worlds=3)
    sim.set_parameter("tendon/line/stiffness", values[:, None])
    sim.step(50)
    for world, value in enumerate(values):
        built = batch.simulate(with_stiffness(value), num_worlds=1)
        built.step(50)
        assert bits(built) == bits(sim, slice(world, world + 1))


def drawn(scale=1.0):
    """Every kind of geometric and inertial number, times a factor where that makes sense."""
    b = scenes.builder(gravity=scenes.GRAVITY)
    b.add_body("link", pos=(0.1 * scale, 0, 1), mass=1.3 * scale, com=(0.1, 0.02 * scale, -0.2),
               inertia=(0.02 * scale, 0.03 * scale, 0.02 * scale))  # fmt: skip
    b.add_joint("link", "hinge", axis=(0, 1, 0.1 * scale), pos=(0.01 * scale, 0, 0.05),
                damping=0.1 * scale, armature=0.01 * scale, stiffness=0.3 * scale, rest=0.1 * scale,
                upper=0.5 * scale)  # fmt: skip
    b.add_site("link", "tip", pos=(0.03 * scale, 0, -0.4))
    b.add_spatial_tendon("line", [
        flexor.via(body="world", pos=(0.3 * scale, 0, 1.2)),
        flexor.cylinder(body="link", pos=(0, 0, -0.1 * scale), radius=0.04 * scale,
                        axis=(0, 1, 0.05 * scale), side=("link", (0.2 * scale, 0, -0.1))),
        flexor.via(site="tip"),
        flexor.pulley(2 * scale),
        flexor.via(body="world", pos=(-0.1, 0, 1)),
        flexor.via(body="link", pos=(-0.03 * scale, 0, -0.3)),
    ], stiffness=40 * scale, damping=scale, friction_loss=0.1 * scale, upper_limit=0.9 * scale)  # fmt: skip
    return b.finalize()


def test_every_parameter_of_a_model_built_anew(batch):
    """All parameters of another model, written into one world, give that model's bits."""
    target = drawn(1.07)
    sim = batch.simulate(drawn(), num_worlds=3)
    for parameter in target.parameters():
        sim.set_parameter(parameter.name, [parameter.nominal], worlds=[1])
    sim.reset()
    sim.step(100)
    built = batch.simulate(target, num_worlds=1)
    built.step(100)
    plain = batch.simulate(drawn(), num_worlds=1)
    plain.step(100)
    assert bits(sim, slice(1, 2))["qpos"] == bits(built)["qpos"]
    assert bits(sim, slice(1, 2))["tendon_force"] == bits(built)["tendon_force"]
    for world in (0, 2):
        assert bits(sim, slice(world, world + 1)) == bits(plain)


def test_promoting_a_parameter_at_its_nominal_value_changes_no_bit(batch):
    sim, plain = start(batch), start(batch)
    for parameter in sim.model.parameters():
        sim.set_parameter(parameter.name, [parameter.nominal], worlds=[2])
    for s in (sim, plain):
        s.step(20)
    assert bits(sim) == bits(plain)


def test_untouched_worlds_change_no_bit(batch):
    sim, plain = start(batch), start(batch)
    sim.set_parameter("body/upper/mass", [2.0], worlds=[4])
    sim.set_parameter("tendon/tendon_1/stiffness", [300.0], worlds=np.arange(WORLDS) == 4)
    for s in (sim, plain):
        s.step(20)
    others = np.arange(WORLDS) != 4
    assert bits(sim, others) == bits(plain, others)
    assert bits(sim, ~others) != bits(plain, ~others)


def test_gravity_is_a_parameter(batch):
    sim = batch.simulate(scenes.anchored_mass(), num_worlds=2)
    sim.set_parameter("option/gravity", [[0, 0, -1.0]], worlds=[1])
    sim.step(1)
    assert sim.qvel.numpy()[0].tolist() == [0, 0, 0]
    assert sim.qvel.numpy()[1, 2] == pytest.approx(-0.001)


def test_rows_appear_with_the_parameter_that_needs_them(batch):
    """A tendon without friction gets the row when the parameter asks for it."""
    sim = batch.simulate(scenes.anchored_mass(), num_worlds=2)
    sim.set_parameter("tendon/line/friction_loss", [1.0], worlds=[1])
    sim.body_wrench.at("mass").numpy()[:, 0] = 0.5
    sim.step(10)
    assert sim.qvel.numpy()[0, 0] > 0
    assert abs(sim.qvel.numpy()[1, 0]) < 1e-12


def test_automatic_reference_follows_its_geometry(batch):
    """[R-38]: the reference length of a world whose path was moved is measured anew."""
    sim = batch.simulate(scenes.anchored_mass(), num_worlds=2)
    sim.set_parameter("tendon/line/route/0/pos", [[-1.0, 0, 0]], worlds=[1])
    sim.forward()
    assert sim.reference_length.numpy().ravel() == pytest.approx([1.0, 2.0])


@pytest.mark.parametrize(
    "name, value",
    [
        ("tendon/line/stiffness", -1.0),
        ("tendon/line/stiffness", np.nan),
        ("tendon/line/stiffness", np.inf),
        ("tendon/line/upper_limit", np.nan),
        ("tendon/line/position_correction", 1.5),
        ("body/mass/mass", -1.0),
        ("joint/mass_x/axis", [0.0, 0.0, 0.0]),
        ("body/mass/quat", [0.0, 0.0, 0.0, 0.0]),
        ("body/mass/inertia", [1.0, 1.0, 5.0, 0.0, 0.0, 0.0]),
        ("option/gravity", [0.0, np.inf, 0.0]),
    ],
)
def test_illegal_parameter_changes_nothing(batch, name, value):
    sim = batch.simulate(scenes.anchored_mass(upper_limit=2.0), num_worlds=3)
    before = np.array(sim.parameter(name).get())
    good = np.broadcast_to(before[0], (3,) + np.shape(before[0])).copy()
    bad = good.copy()
    bad[2] = value
    with pytest.raises(flexor.ParameterError) as caught:
        sim.set_parameter(name, bad)
    assert name in str(caught.value)
    assert "2" in str(caught.value), "the world is named"
    assert np.array_equal(sim.parameter(name).get(), before, equal_nan=True)


def test_crossed_limits_are_refused(batch):
    sim = batch.simulate(scenes.anchored_mass(lower_limit=0.5, upper_limit=2.0), num_worlds=2)
    with pytest.raises(flexor.ParameterError, match="lower_limit|upper_limit"):
        sim.set_parameter("tendon/line/lower_limit", 3.0)
    assert np.all(sim.parameter("tendon/line/lower_limit").get() == 0.5)


def test_parameter_arguments(batch):
    sim = batch.simulate(scenes.anchored_mass(), num_worlds=3)
    with pytest.raises(flexor.UnknownNameError, match="stiffness"):
        sim.set_parameter("tendon/line/stifness", 1.0)
    with pytest.raises(KeyError):
        sim.set_parameter("tendon/line/stifness", 1.0)
    with pytest.raises(flexor.ShapeError):
        sim.set_parameter("tendon/line/stiffness", [1.0, 2.0])
    with pytest.raises(flexor.ShapeError):
        sim.set_parameter("option/gravity", [1.0, 2.0])
    for worlds in ([3], [-1], [0.5], np.ones(2, dtype=bool)):
        with pytest.raises((ValueError, IndexError, TypeError)):
            sim.set_parameter("tendon/line/stiffness", 1.0, worlds=worlds)
    assert np.all(sim.parameter("tendon/line/stiffness").get() == 0)


# --- enable flags and references ------------------------------------------------------------------


def test_disabled_tendon_exerts_nothing_and_keeps_its_activation(batch):
    model = scenes.anchored_mass(stiffness=100, spring_lower=0.0, spring_upper=0.5,
                                 drive={"force": -1.0, "activation_time": 0.1})  # fmt: skip
    sim = batch.simulate(model, num_worlds=2)
    sim.step(5)
    activation = np.array(sim.activation.numpy())
    speed = np.array(sim.qvel.numpy())
    sim.tendon_enabled.numpy()[1] = 0
    sim.step(5)
    assert sim.activation.numpy()[1] == activation[1] and sim.activation.numpy()[0] != activation[0]
    assert sim.tendon_force.numpy()[1] == 0
    assert np.array_equal(sim.qvel.numpy()[1], speed[1])
    sim.tendon_enabled.numpy()[1] = 1
    sim.step(1)
    assert sim.tendon_force.numpy()[1] < 0


def test_captured_reference_moves_the_spring(batch):
    sim = batch.simulate(scenes.anchored_mass(stiffness=100), num_worlds=2)
    sim.qpos.numpy()[:, 0] = 0.5
    sim.capture_reference()
    assert sim.reference_length.numpy().ravel() == pytest.approx([1.5, 1.5])
    sim.step(1)
    assert np.abs(sim.qvel.numpy()).max() < 1e-6


# --- arrays [E-1], [IA-2] ----------------------------------------------------------------------------------


def test_arrays_are_views_with_the_worlds_fastest(batch):
    sim = start(batch)
    real = np.dtype(batch.precision)
    stride = 96  # the smallest odd multiple of 32 that holds 37 worlds
    for name in (
        "qpos",
        "qvel",
        "drive_force",
        "tendon_length",
        "body_position",
        "status",
        "time",
    ):
        array = getattr(sim, name)
        view = array.numpy()
        assert view.shape == array.shape and view.shape[0] == WORLDS
        assert view.strides == array.strides and view.strides[0] == view.itemsize
        if view.ndim > 1:
            assert view.strides[-1] == stride * view.itemsize
        assert np.shares_memory(view, np.asarray(array))
        assert array.unit and array.doc
        assert view.ctypes.data % 256 == 0
    assert sim.qpos.numpy().dtype == real and sim.time.numpy().dtype == np.float64
    assert sim.status.numpy().dtype == np.int32 and sim.step_count.numpy().dtype == np.int64
    sim.drive_force.at("tendon_1").numpy()[:] = -3.0
    assert np.all(sim.drive_force.numpy()[:, 1] == -3.0)
    assert sim.drive_force.index("tendon_1") == 1
    assert tuple(sim.drive_force.names) == sim.model.names("tendon")


def test_array_arguments(batch):
    sim = start(batch)
    with pytest.raises(AttributeError, match="set"):
        sim.qpos = np.zeros((WORLDS, 2))
    for bad in (np.zeros((WORLDS, 3)), np.zeros((WORLDS - 1, 2)), np.zeros(3)):
        with pytest.raises(flexor.ShapeError) as caught:
            sim.qpos.set(bad)
        assert str(WORLDS) in str(caught.value) or "2" in str(caught.value)
    with pytest.raises(flexor.UnknownNameError):
        sim.qpos.at("no such joint")
    with pytest.raises(AttributeError):
        _ = sim.no_such_array
    with pytest.raises(TypeError):
        len(sim.qpos)


def test_views_outlive_the_simulation(batch):
    sim = start(batch)
    view = sim.qpos.numpy()
    before = view.copy()
    del sim
    assert np.array_equal(view, before)


def test_outputs_chosen(batch):
    sim = batch.simulate(
        scenes.tendon_forest(), num_worlds=3, outputs=("tendon_length", "tendon_t*")
    )
    full = batch.simulate(scenes.tendon_forest(), num_worlds=3)
    for s in (sim, full):
        s.step(3)
    assert np.array_equal(sim.tendon_length.numpy(), full.tendon_length.numpy())
    assert np.array_equal(sim.tendon_tension.numpy(), full.tendon_tension.numpy())
    assert np.array_equal(sim.state_hash(), full.state_hash())
    with pytest.raises(flexor.FlexorError, match="outputs"):
        sim.body_position.numpy()
    with pytest.raises(ValueError, match="no_such"):
        batch.simulate(scenes.tendon_forest(), outputs=("no_such",))


# --- construction ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "argument, value",
    [
        ("num_worlds", 0),
        ("num_worlds", -3),
        ("num_worlds", 2**40),
        ("device", "gpu"),
        ("precision", "float16"),
        ("num_threads", -1),
        ("guard", "hope"),
        ("solver", "magic"),
        ("solver", "gauss_seidel"),
        ("iterations", -1),
        ("tolerance", -1.0),
        ("tolerance", np.nan),
        ("outputs", ("nothing_like_this",)),
    ],
)
def test_bad_options_name_argument_value_and_legal_set(argument, value):
    options = {"num_worlds": 1, "device": "cpu", argument: value}
    with pytest.raises(ValueError) as caught:
        flexor.Simulation(scenes.anchored_mass(), **options)
    text = str(caught.value)
    assert argument in text, text
    shown = value[0] if isinstance(value, tuple) else value
    assert str(shown) in text or repr(shown) in text, text


def test_reference_is_float64_only():
    with pytest.raises(ValueError, match="float64"):
        flexor.Simulation(scenes.anchored_mass(), device="reference", precision="float32")


def test_bad_masks(batch):
    sim = start(batch)
    for call in (sim.reset, lambda mask: sim.step(1, mask=mask)):
        with pytest.raises(flexor.ShapeError):
            call(np.ones(WORLDS - 1, dtype=bool))
        with pytest.raises(TypeError):
            call(np.ones(WORLDS, dtype=float))


def test_bad_resets(batch):
    sim = start(batch)
    with pytest.raises(flexor.ShapeError):
        sim.reset(qpos=np.zeros((WORLDS, 5)))
    with pytest.raises((flexor.UnknownNameError, ValueError)):
        sim.reset(keyframe="nowhere")


def test_memory_of_the_shipped_chain_is_small():
    """At most 2 kB of state and commands a world while nobody asks for body wrenches: 1,247 bytes.
    These add six numbers a body, twice, commands and their last finite values: 2,111 bytes, more than
    2 kB, so that what they cost is bounded by itself."""
    model = flexor.models.load("spiral_chain")
    sim = flexor.Simulation(model, num_worlds=64, device="cpu", precision="float32")
    idle = sim.memory()["state"]
    assert 0 < idle <= 2000
    sim.body_wrench.set(0.1)
    sim.step(1)
    assert sim.memory()["state"] == idle + 2 * 6 * 4 * len(model.names("body"))
    assert sim.memory()["state"] <= 2200
