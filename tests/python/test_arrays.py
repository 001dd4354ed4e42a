"""Arrays: shapes, strides, names, writing, life."""

import gc

import flexor
import numpy as np
import pytest

WORLDS = 5
STRIDE = 32  # the smallest odd multiple of 32 that holds 5 worlds


@pytest.fixture(scope="module")
def model():
    return flexor.models.load("three_joint_finger")


@pytest.fixture
def sim(model):
    return flexor.Simulation(model, WORLDS)


def test_every_field_is_an_attribute_with_its_facts(sim):
    for name, (_, _, group, _, _, unit, meaning) in flexor.FIELDS.items():
        array = getattr(sim, name)
        view = array.numpy()
        assert view.shape == array.shape and view.dtype == array.dtype, name
        assert array.shape[0] == WORLDS
        assert (array.unit, array.doc) == (unit, meaning)
        assert array.is_state == (group == "state")
        assert array.is_writable == (group in ("state", "command"))
        assert view.flags.writeable == array.is_writable or view.size == 0
        if len(array.shape) > 1:
            assert len(array.names) == array.shape[1]


def test_strides_are_world_first(sim, model):
    assert sim.time.strides == (8,)
    assert sim.tendon_tension.strides == (4, 4 * STRIDE)
    assert sim.site_position.strides == (4, 3 * 4 * STRIDE, 4 * STRIDE)
    assert sim.site_position.shape == (WORLDS, model.site_count, 3)
    assert sim.body_quaternion.shape == (WORLDS, len(sim.body_quaternion.names), 4)
    assert sim.tendon_jacobian.shape == (WORLDS, 4, 3)
    assert sim.tendon_jacobian.strides == (4, 3 * 4 * STRIDE, 4 * STRIDE)
    for name in ("qpos", "time", "tendon_enabled", "row_impulse"):
        assert getattr(sim, name).numpy().ctypes.data % 256 == 0, name


def test_double_precision_has_double_strides(model):
    sim = flexor.Simulation(model, 33, precision="float64")
    assert sim.qpos.dtype == np.float64
    assert sim.qpos.strides == (8, 8 * 96)  # 33 worlds need the odd multiple 3 x 32


def test_jacobian_layout_agrees_with_the_rate(model):
    """A layout test by another route: J v must be the length rate."""
    sim = flexor.Simulation(model, 3, device="reference")
    rng = np.random.default_rng(0)
    sim.qpos.set(rng.uniform(0.1, 0.9, (3, 3)))
    sim.qvel.set(rng.normal(size=(3, 3)))
    sim.forward()
    rate = np.einsum("wtd,wd->wt", sim.tendon_jacobian.numpy(), sim.qvel.numpy())
    assert np.allclose(rate, sim.tendon_velocity.numpy(), rtol=0, atol=1e-12)
    row = sim.tendon_jacobian.at("deep").numpy()
    assert np.shares_memory(row, sim.tendon_jacobian.numpy())
    assert np.array_equal(row, sim.tendon_jacobian.numpy()[:, 0])


def test_views_see_every_write_at_one_address(sim):
    first = sim.qvel.numpy()
    again = np.asarray(sim.qvel)
    sim.qvel.set([1.0, 2.0, 3.0])
    assert first.ctypes.data == again.ctypes.data
    assert np.all(first == [1, 2, 3]) and np.all(again == [1, 2, 3])
    sim.step(3)
    assert np.all(first == sim.qvel.numpy())
    assert first.ctypes.data == sim.qvel.numpy().ctypes.data


def test_column_by_name_or_number(sim):
    column = sim.drive_force.at("extensor")
    assert column.shape == (WORLDS,) and column.strides == (4,)
    assert column.numpy().flags.c_contiguous
    column.numpy()[:] = -2.0
    sim.drive_force.at(0).set(-1.0)
    assert np.all(sim.drive_force.numpy() == [-1, 0, -2, 0])
    assert sim.drive_force.index("extensor") == 2
    assert sim.body_wrench.at("distal").shape == (WORLDS, 6)
    assert sim.drive_force.names == sim.model.names("tendon")


def test_unknown_component_names_the_nearest(sim):
    with pytest.raises(flexor.UnknownNameError, match="'extensor'"):
        sim.drive_force.at("extenser")
    with pytest.raises(KeyError):
        sim.drive_force.index("extenser")
    with pytest.raises(ValueError, match="at: key: 4 given; legal: 0 to 3"):
        sim.drive_force.at(4)
    with pytest.raises(flexor.ShapeError):
        sim.time.at(0)


def test_set_broadcasts_into_chosen_worlds(sim):
    sim.qpos.set(0.5)
    sim.qpos.set([[1, 2, 3], [4, 5, 6]], worlds=[3, 0])
    mask = np.array([False, True, False, False, False])
    sim.qpos.set(0, worlds=mask)
    expected = [[4, 5, 6], [0, 0, 0], [0.5] * 3, [1, 2, 3], [0.5] * 3]
    assert sim.qpos.numpy().tolist() == expected
    sim.qpos.set(7, worlds=[])
    assert sim.qpos.numpy().tolist() == expected


@pytest.mark.parametrize(
    "values", [np.zeros((5, 2)), np.zeros((4, 3)), np.zeros((1, 5, 3)), [1, 2]]
)
def test_set_of_a_wrong_shape_says_expected_and_given(sim, values):
    with pytest.raises(flexor.ShapeError, match=r"\(5, 3\)") as caught:
        sim.qpos.set(values)
    assert str(np.shape(values)) in str(caught.value)
    assert np.all(sim.qpos.numpy() == 0)


@pytest.mark.parametrize(
    "worlds, error",
    [
        ([5], ValueError),
        ([-1], ValueError),
        ([0.5], TypeError),
        (np.ones(4, bool), flexor.ShapeError),
        ([[0, 1]], flexor.ShapeError),
    ],
)
def test_bad_worlds(sim, worlds, error):
    with pytest.raises(error):
        sim.qpos.set(0.0, worlds=worlds)


def test_set_refuses_what_it_would_garble(sim):
    with pytest.raises(TypeError):
        sim.tendon_enabled.set(0.5)
    with pytest.raises(TypeError):
        sim.qpos.set("1")
    with pytest.raises(TypeError):
        sim.qpos.set([1j, 2, 3])
    with pytest.raises(AttributeError, match="read-out"):
        sim.tendon_length.set(1.0)
    with pytest.raises(ValueError):
        sim.tendon_length.numpy()[:] = 1.0


def test_assignment_points_to_set(sim):
    with pytest.raises(AttributeError, match=r"sim\.qpos\.set"):
        sim.qpos = 0.0
    with pytest.raises(AttributeError, match="read-out"):
        sim.tendon_length = 0.0
    with pytest.raises(AttributeError):
        sim.qpos.unit = "m"
    with pytest.raises(AttributeError, match="tendon_length"):
        _ = sim.tendon_lenght


def test_arrays_are_no_sequences(sim):
    """A library that meets one must not copy it number by number."""
    with pytest.raises(TypeError):
        len(sim.qpos)
    with pytest.raises(TypeError):
        sim.qpos[0]
    with pytest.raises(TypeError):
        bool(sim.qpos)


def test_copies_are_row_major_and_apart(sim):
    sim.qpos.set([1, 2, 3])
    copy, other = sim.qpos.copy(), sim.qpos.numpy(copy=True)
    assert copy.flags.c_contiguous and other.flags.c_contiguous
    sim.qpos.set(0)
    assert np.all(copy == [1, 2, 3]) and np.all(other == [1, 2, 3])


def test_setting_qpos_forgets_the_rounding_remainder(sim):
    sim.drive_force.set(-3.0)
    sim.step(20)
    assert np.any(sim.qpos_compensation.numpy() != 0)
    sim.qpos.set(0.25, worlds=[1])
    assert np.all(sim.qpos_compensation.numpy()[1] == 0)
    assert np.any(sim.qpos_compensation.numpy()[0] != 0)
    sim.qpos.at("mcp").set(0.25)
    assert np.all(sim.qpos_compensation.numpy()[:, 0] == 0)


def test_views_outlive_the_simulation(model):
    sim = flexor.Simulation(model, WORLDS)
    sim.qpos.set([1, 2, 3])
    view, column = sim.qpos.numpy(), sim.drive_force.at("deep")
    sim.close()
    del sim
    gc.collect()
    assert np.all(view == [1, 2, 3])
    view[:] = 4
    column.set(-1)
    assert np.all(column.numpy() == -1)


def test_arrays_keep_their_addresses(sim):
    before = {name: getattr(sim, name).numpy().ctypes.data for name in flexor.FIELDS}
    sim.set_parameter("body/distal/mass", 0.01, worlds=[1])
    sim.step(100)
    sim.reset()
    assert before == {name: getattr(sim, name).numpy().ctypes.data for name in flexor.FIELDS}


def test_read_outs_not_asked_for_name_the_argument(model):
    sim = flexor.Simulation(model, 2, outputs=["tendon_*"])
    assert sim.tendon_length.shape == (2, 4)
    with pytest.raises(flexor.FlexorError, match="outputs"):
        _ = sim.body_position
    none = flexor.Simulation(model, 2, outputs=())
    none.step(2)
    assert none.step_count.numpy().tolist() == [2, 2]
    with pytest.raises(flexor.FlexorError, match="outputs"):
        _ = none.tendon_length


def test_model_without_tendons_has_empty_arrays():
    b = flexor.ModelBuilder()
    b.add_point_mass("mass", (0, 0, 1), 2.0)
    sim = flexor.Simulation(b.finalize(), 3)
    assert sim.tendon_length.numpy().shape == (3, 0)
    assert sim.drive_force.numpy().shape == (3, 0)
    sim.step(10)
    assert np.allclose(sim.qvel.numpy()[:, 2], -9.81 * 0.02, rtol=1e-6)


@pytest.mark.parametrize(
    ("name", "value"), [("tendon_enabled", -1), ("tendon_enabled", 300), ("drive_force", 1e300)]
)
def test_numbers_that_do_not_fit_are_refused(name, value):
    sim = flexor.Simulation(flexor.models.load("three_joint_finger"), 3)
    before = getattr(sim, name).copy()
    with pytest.raises(ValueError, match=name):
        getattr(sim, name).set(value)
    assert np.array_equal(getattr(sim, name).copy(), before)
