"""The models that come with the package."""

import pathlib
import runpy

import flexor
import numpy as np
import pytest
from flexor.random_commands import RandomCommands

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAMES = ("spiral_chain", "three_joint_finger", "two_joint_arm")


def test_names_and_paths():
    assert flexor.models.names() == NAMES
    assert all(flexor.models.path(name).is_file() for name in NAMES)
    with pytest.raises(flexor.UnknownNameError, match="spiral_chain"):
        flexor.models.load("spiral_chian")


@pytest.mark.parametrize("name", NAMES)
def test_every_part_is_read_and_simulated(name):
    report = flexor.models.load(name).report
    assert report["ok"] and report["bins"]["approximated"] == 0 and report["bins"]["rejected"] == 0
    assert report["bins"]["ignored"]["physics"] == 0 and report["bins"]["ignored"]["output"] == 0
    assert flexor.models.load(name, strict="exact").inert == []


def test_arm_has_six_wrapped_tendons_with_opposite_arms():
    model = flexor.models.load("two_joint_arm")
    assert (model.nv, model.tendon_count) == (2, 6)
    guides = [[e.type.name for e in t.path].count("cylinder") for t in model.tendons]
    assert guides == [1, 1, 1, 1, 2, 2]
    sim = flexor.Simulation(model, 50, device="reference")
    ranges = np.array([(j.lower, j.upper) for j in model.joints])
    share = np.random.default_rng(0).random((50, 2))
    sim.qpos.set(ranges[:, 0] + share * (ranges[:, 1] - ranges[:, 0]))
    sim.forward()
    arms = {name: sim.tendon_jacobian.at(name).numpy() for name in model.names("tendon")}
    for lift, drop, joint in (
        ("shoulder_lift", "shoulder_drop", 0),
        ("elbow_bend", "elbow_stretch", 1),
    ):
        assert np.all(arms[lift][:, joint] < -0.005) and np.all(arms[drop][:, joint] > 0.005)
        assert np.all(arms[lift][:, 1 - joint] == 0)
    assert np.all(arms["both_lift"] < 0) and np.all(arms["both_drop"] > 0)


def test_finger_has_pulleys_wraps_drives_and_limits():
    model = flexor.models.load("three_joint_finger", activation_time=0.02)
    assert (model.nv, model.tendon_count) == (3, 4)
    elements = [e for t in model.tendons for e in t.path]
    kinds = {(e.type.name, e.has_side) for e in elements}
    assert {("sphere", True), ("cylinder", True), ("pulley", False)} <= kinds
    assert sum(np.isfinite(t.upper_limit) for t in model.tendons) == 2
    assert all(np.isfinite(t.actuation_lower) for t in model.tendons)
    assert all(np.isfinite(j.lower) and np.isfinite(j.upper) for j in model.joints)
    assert [t.activation_time for t in model.tendons] == [0.02] * 4
    assert [t.activation_time for t in flexor.models.load("three_joint_finger").tendons] == [0] * 4


def test_finger_bends_and_stretches_within_its_limits():
    """The deep flexor closes the finger, the extensor opens it, both within joint and tendon limits."""
    model = flexor.models.load("three_joint_finger")
    sim = flexor.Simulation(model, 2, device="reference")
    sim.drive_force.numpy()[0, model.index("tendon", "deep")] = -8
    sim.drive_force.numpy()[1, model.index("tendon", "extensor")] = -15
    sim.step(500)
    lower = np.array([j.lower for j in model.joints])
    upper = np.array([j.upper for j in model.joints])
    closed, opened = sim.qpos.numpy()
    assert np.all(closed > opened + 0.3), (closed, opened)
    assert np.all(sim.qpos.numpy() >= lower - 1e-4) and np.all(sim.qpos.numpy() <= upper + 1e-4)
    limits = np.array([t.upper_limit for t in model.tendons])
    assert np.all(sim.tendon_length.numpy() <= limits + 1e-5)


def test_chain_is_what_its_generator_writes():
    generator = runpy.run_path(str(ROOT / "scripts" / "make_spiral_chain.py"))
    assert generator["chain"]() == flexor.models.path("spiral_chain").read_text(encoding="utf-8")


def test_chain_has_the_numbers_asked_for():
    model = flexor.models.load("spiral_chain")
    assert (model.nv, model.tendon_count) == (18, 3)
    assert [len(t.path) for t in model.tendons] == [20] * 3
    assert all(e.type.name == "site" for t in model.tendons for e in t.path)
    assert all(t.damping == 0.5 and t.stiffness == 0 for t in model.tendons)
    by_name = {b.name: b for b in model.bodies}
    for i, joint in enumerate(model.joints):
        s = 0.97**i
        assert np.allclose(joint.axis, (1, 0, 0) if i % 2 == 0 else (0, 1, 0))
        assert (joint.lower, joint.upper, joint.armature) == (-0.6, 0.6, 1e-6)
        assert joint.stiffness == pytest.approx(4e-3 * s**3, rel=1e-8)
        assert joint.damping == pytest.approx(2e-4 * s**3, rel=1e-8)
        body = by_name[f"link_{i}"]
        assert body.mass == pytest.approx(4e-3 * s**3, rel=1e-8)
        if i > 0:
            assert abs(body.pos[2]) == pytest.approx(16e-3 * 0.97 ** (i - 1), rel=1e-8)
    for site in model.sites:
        if site.name.startswith("site_"):
            i = int(site.name.split("_")[1])
            assert np.hypot(*site.pos[:2]) == pytest.approx(0.85 * 8e-3 * 0.97**i, rel=1e-7)


@pytest.mark.parametrize("name", NAMES)
def test_random_commands_leave_every_world_sound(name):
    model = flexor.models.load(name)
    sim = flexor.Simulation(model, 40)
    commands = RandomCommands(model, seed=3)
    assert np.all(commands.low < commands.high) and np.all(commands.high <= 0)
    for _ in range(20):
        drawn = commands.draw(40)
        assert np.all(drawn >= commands.low) and np.all(drawn <= commands.high)
        sim.drive_force.set(drawn)
        sim.step(10)
    bad = flexor.Status.NONFINITE_STATE | flexor.Status.NOT_CONVERGED | flexor.Status.FROZEN
    assert not np.any(sim.status.numpy() & int(bad))
    assert np.all(np.isfinite(sim.qpos.numpy()))
