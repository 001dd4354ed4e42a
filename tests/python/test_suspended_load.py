"""Cases 4, 5, 6 and 8 of the interfaces: model L, a load that hangs on a tendon."""

import flexor
import numpy as np
import pytest
import scenes
from support import EXACT, FLOAT32, FLOAT64

TO_REST = 4000  # steps of 2 ms; the slowest load of case 6 decays by exp(-10 t)

# float32: a length near 1 m has a grid of 1.2e-7 m, which the spring of 500 N/m turns into 6e-5 N
LENGTH = {"float64": 1e-6, "float32": 1e-6}
FORCE = {"float64": 1e-5, "float32": 1e-4}


@pytest.fixture(params=[EXACT, FLOAT64, FLOAT32], ids=str)
def run(request):
    return request.param


@pytest.fixture(scope="module")
def model():
    return scenes.suspended_load()


def everything(sim, groups):
    return {
        name: getattr(sim, name).copy().tobytes()
        for name, field in flexor.FIELDS.items()
        if field.group in groups
        and not (name == "qpos_compensation" and sim.precision == "float64")  # float32 only
    }


def test_case_4_steps_add_up_and_forward_writes_geometry_only(run):
    """On a model with routes, limits and friction, from a state in motion."""
    model = flexor.models.load("three_joint_finger")
    rng = np.random.default_rng(4)
    qpos, qvel = rng.uniform(0, 1, (3, 3)), rng.normal(size=(3, 3))
    two, ones = run.simulate(model, 3), run.simulate(model, 3)
    for sim in (two, ones):
        sim.qpos.set(qpos)
        sim.qvel.set(qvel)
        sim.drive_force.set(-3.0)
    two.step(2)
    ones.step(1)
    ones.step(1)
    groups = ("state", "command", "step", "geometry")
    assert everything(two, groups) == everything(ones, groups)

    before = everything(two, groups)
    two.forward()
    two.forward()
    assert everything(two, groups) == before
    two.qpos.numpy()[:, 0] += 0.25  # a new pose: geometry alone follows
    kept = everything(two, ("state", "command", "step"))
    two.forward()
    assert everything(two, ("state", "command", "step")) == kept
    assert everything(two, ("geometry",)) != {k: before[k] for k in everything(two, ("geometry",))}
    once = everything(two, groups)
    two.forward()
    assert everything(two, groups) == once


def test_case_5_drive_and_spring_share_the_load(run, model):
    """-2 N of drive leave 9.81 - 2 = 7.81 N to the spring: 1 + 7.81/500 = 1.01562 m."""
    sim = run.simulate(model, 1)
    sim.drive_force.set(-2.0)
    sim.step(TO_REST)
    length, force = LENGTH[run.precision], FORCE[run.precision]
    assert sim.tendon_length.numpy()[0, 0] == pytest.approx(1.01562, rel=0, abs=length)
    assert sim.tendon_tension.numpy()[0, 0] == pytest.approx(9.81, rel=0, abs=force)
    assert sim.tendon_drive_force.numpy()[0, 0] == pytest.approx(-2.0, rel=0, abs=force)
    assert sim.tendon_passive_force.numpy()[0, 0] == pytest.approx(-7.81, rel=0, abs=force)


@pytest.mark.parametrize("way", ["set", "view"])
def test_case_6_stiffness_of_each_world(run, model, way):
    """1 + 9.81/k for k = 250, 500, 1000 N/m."""
    sim = run.simulate(model, 3)
    stiffness = sim.parameter("tendon/t/stiffness")
    if way == "set":
        stiffness.set([250, 500, 1000])
    else:
        stiffness.numpy()[:] = [250, 500, 1000]
        sim.commit()
    sim.step(TO_REST)
    length = sim.tendon_length.numpy()[:, 0]
    assert length == pytest.approx([1.03924, 1.01962, 1.00981], rel=0, abs=LENGTH[run.precision])


def test_case_8_illegal_and_unknown_parameters(run, model):
    sim = run.simulate(model, 3)
    with pytest.raises(flexor.ParameterError) as caught:
        sim.set_parameter("tendon/t/stiffness", [1, -1, 2])
    for word in ("tendon/t/stiffness", "world 1", "-1", ">= 0"):
        assert word in str(caught.value)
    assert sim.parameter("tendon/t/stiffness").get().tolist() == [500, 500, 500]
    for call in (
        lambda: sim.set_parameter("tendon/t/stifness", 1),
        lambda: sim.parameter("tendon/t/stifness"),
        lambda: sim.parameters["tendon/t/stifness"],
        lambda: sim.parameters.match("tendon/t/stifness"),
    ):
        with pytest.raises(flexor.UnknownNameError, match="did you mean 'tendon/t/stiffness'"):
            call()
