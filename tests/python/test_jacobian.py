"""Jacobians of bodies and sites."""

import flexor
import numpy as np
import pytest
from scenes import tendon_forest
from support import kept_fields


def free_and_hinged():
    """A free body (quaternion coordinates) that carries a hinged one; a site that shares a name."""
    b = flexor.ModelBuilder("pair")
    b.add_body("base", mass=1.0, inertia=(0.01, 0.02, 0.03))
    b.add_joint("base", "float", type="free")
    b.add_body("arm", parent="base", pos=(0.1, 0.2, 0.3), mass=0.5, inertia=(0.01, 0.01, 0.01))
    b.add_joint("arm", "elbow", type="hinge", axis=(0.6, 0, 0.8), pos=(0.05, 0, 0))
    b.add_site("arm", "tip", pos=(0.2, -0.1, 0.05))
    b.add_site("arm", "arm", pos=(0.0, 0.1, 0.0))
    b.add_site("world", "post", pos=(1.0, 0, 0))
    return b.finalize()


@pytest.fixture
def sim(backend):
    sim = backend.simulate(free_and_hinged(), 3)
    rng = np.random.default_rng(1)
    quaternions = rng.normal(size=(3, 4))
    quaternions /= np.linalg.norm(quaternions, axis=1, keepdims=True)
    sim.qpos.set(np.hstack([rng.normal(size=(3, 3)), quaternions, rng.normal(size=(3, 1))]))
    sim.qvel.set(rng.normal(size=(3, 7)))
    sim.forward()
    return sim


def test_jacobian_times_velocity_is_the_bodys_velocity(sim, backend):
    """Superposition, in float32 to rounding."""
    tolerance = 2e-6 if backend.is_float32 else 1e-14
    for name in ("base", "body/arm"):
        jacobian = sim.jacobian(name)
        assert jacobian.shape == (3, 6, 7) and jacobian.dtype == np.float64
        v = np.einsum("wij,wj->wi", jacobian, sim.qvel.numpy())
        body = sim.body_velocity.at(name.rpartition("/")[2]).numpy()
        np.testing.assert_allclose(v, body, rtol=0, atol=tolerance)


def test_site_jacobian_is_the_rate_of_its_position(backend):
    """Differences of positions over steps without forces: (x(t + h) - x(t - h)) / 2h with h = 1e-6
    by moving the hinge alone, whose coordinate may be added to."""
    sim = backend.simulate(free_and_hinged(), 1)
    sim.qpos.set([0.3, -0.2, 0.1, 0.5, 0.5, -0.5, 0.5, 0.7])
    sim.forward()
    h, tolerance = (1e-3, 1e-4) if backend.is_float32 else (1e-6, 1e-9)
    jacobian = sim.jacobian("tip")
    at = []
    for shift in (h, -h):
        sim.qpos.numpy()[0, 7] = 0.7 + shift
        sim.forward()
        at.append(sim.site_position.at("tip").numpy()[0].astype(float))
    difference = (at[0] - at[1]) / (2 * h)
    np.testing.assert_allclose(jacobian[0, :3, 6], difference, rtol=0, atol=tolerance)
    # the base's linear velocity moves every point alike, about no axis
    np.testing.assert_allclose(jacobian[0, :, :3], np.eye(6, 3), rtol=0, atol=tolerance)
    assert np.all(sim.jacobian("post") == 0)


def test_no_state_is_touched(sim):
    sim.step(2)
    sim.status.numpy()[1] |= int(flexor.Status.FROZEN)
    before = {name: getattr(sim, name).copy() for name in kept_fields(sim)}
    frozen = sim.jacobian("tip")[1]
    for name, values in before.items():
        assert getattr(sim, name).copy().tobytes() == values.tobytes(), name
    sim.clear_status()
    assert np.array_equal(sim.jacobian("tip")[1], frozen) and np.any(frozen != 0)


def test_parameters_count_at_once(batch):
    """A site moved in one world moves its Jacobian there; read-outs need not be kept."""
    sim = batch.simulate(free_and_hinged(), 2, outputs=[])
    before = sim.jacobian("tip")
    sim.set_parameter("site/tip/pos", [0.5, 0, 0], worlds=[1])
    after = sim.jacobian("tip")
    assert np.array_equal(before[0], after[0]) and not np.allclose(before[1], after[1])


def test_names(sim):
    with pytest.raises(ValueError, match="'body/arm', 'site/arm'"):
        sim.jacobian("arm")
    assert not np.array_equal(sim.jacobian("body/arm"), sim.jacobian("site/arm"))
    with pytest.raises(flexor.UnknownNameError, match="tip"):
        sim.jacobian("tipp")
    with pytest.raises(TypeError):
        sim.jacobian(3)


def test_commit_is_what_step_does(batch):
    model = tendon_forest()
    first, second = batch.simulate(model, 2), batch.simulate(model, 2)
    for sim in (first, second):
        sim.set_parameter("tendon/tendon_0/route/0/pos", [0.02, 0, 1.15], worlds=[1])
    first.commit()
    assert first.reference_length.numpy()[1, 0] != first.reference_length.numpy()[0, 0]
    first.step(5)
    second.step(5)
    assert np.array_equal(first.state_hash(), second.state_hash())
