"""Mechanics cases 1-3 and 5-14: free motion and joint laws.

Case 4 needs loops; they do not exist yet.
"""

import numpy as np
import pytest
import scenes

H = 0.001


def falling_body(mass, com=(0, 0, 0), inertia=(0.02, 0.03, 0.04)):
    b = scenes.builder(gravity=scenes.GRAVITY)
    b.add_body("body", mass=mass, com=com, inertia=inertia)
    b.add_joint("body", "body", type="free")
    return b.finalize()


def test_case_01_free_fall(backend):
    """[P-4], [P-8]: z = -g h^2 n (n + 1)/2, v = -g h n."""
    run = backend.run(falling_body(1.0))
    run.step(1000)
    run.near(run.get("qpos")[2], -9.81 * H * H * 1000 * 1001 / 2, 1e-9)
    run.near(run.get("qpos")[2], "-4.909905", 1e-9)
    run.near(run.get("qvel"), [0, 0, -9.81, 0, 0, 0], 1e-9)
    run.no_status()


def test_case_02_free_fall_of_an_eccentric_body_does_not_turn_it(backend):
    """[P-1]: gravity acts at the mass centre, so the origin falls alike and nothing turns."""
    run = backend.run(falling_body(2.0, com=(0.1, 0, 0)))
    run.step(1000)
    run.near(run.get("qpos")[2], -4.909905, 1e-9)
    run.near(run.get("qvel"), [0, 0, -9.81, 0, 0, 0], 1e-9)


def test_gravity_compensation_carries_its_share_of_the_weight(backend):
    """[MF-8]: force -c m g at the mass centre; a free body falls with (1 - c) g and does not turn."""
    b = scenes.builder(gravity=scenes.GRAVITY)
    b.add_body(
        "body", mass=2.0, com=(0.1, 0, 0), inertia=(0.02, 0.03, 0.04), gravity_compensation=0.75
    )
    b.add_joint("body", "body", type="free")
    run = backend.run(b.finalize())
    run.step(100)
    run.near(run.get("qvel"), [0, 0, -0.25 * 9.81 * 0.1, 0, 0, 0], 1e-9)


def test_case_03_ball_joint_turns_on_the_group(backend):
    """[P-4]: constant body rate w for t turns by Exp(w t)."""
    b = scenes.builder()
    b.add_body("ball", mass=1.0, inertia=(0.5, 0.5, 0.5))
    b.add_joint("ball", "ball", type="ball")
    run = backend.run(b.finalize())
    run.set("qvel", [1.0, 2.0, 3.0])
    run.step(500)
    turn = np.array([0.5, 1.0, 1.5])
    angle = np.linalg.norm(turn)
    expected = np.concatenate([[np.cos(angle / 2)], turn * np.sin(angle / 2) / angle])
    q = run.get("qpos")
    run.near(q * np.sign(q @ expected), expected, 1e-10)


def test_case_05_hinge_with_armature(backend):
    """[P-2]: m g c/(I + m c^2 + armature) = 5.886/0.33."""
    b = scenes.builder(gravity=scenes.GRAVITY)
    b.add_body("body", mass=2.0, com=(0.3, 0, 0), inertia=(0.1, 0.1, 0.1))
    b.add_joint("body", "hinge", type="hinge", axis=(0, 1, 0), armature=0.05)
    run = backend.run(b.finalize())
    run.step()
    run.near(run.get("qvel") / H, ["17.836364"], 1e-5)


def test_case_06_damping_and_friction(backend):
    """[P-7], [P-10]: first v = h (5 - 1)/(1 + h b/2), at rest (5 - 1)/b."""
    run = backend.run(scenes.hinge(inertia=1.0, damping=2.0, friction=1.0))
    run.set("joint_force", 5.0)
    run.step()
    run.check("qvel", [0.04 / 1.01], 1e-10)
    run.check("qvel", ["0.0396039604"], 1e-10)
    run.step(4999)
    run.check("qvel", [2.0], 1e-9)


def test_case_07_trapezoidal_damping(backend):
    run = backend.run(scenes.hinge(inertia=2.0, damping=3.0, timestep=0.05))
    run.set("joint_force", 6.0)
    run.step(40)
    run.check("qvel", [2 * (1 - (1.925 / 2.075) ** 40)], 1e-10)
    run.check("qvel", ["1.900565909084"], 1e-10)


def test_case_08_heavy_damping_is_stable(backend):
    """Amplification (I - h b/2)/(I + h b/2) = -2/3 a step."""
    run = backend.run(scenes.hinge(inertia=0.1, damping=100.0))
    run.set("qvel", 1.0)
    for expected in ("-0.666667", "0.444444", "-0.296296"):
        run.step()
        run.check("qvel", [expected], 1e-6)


def test_case_09_friction_stops_without_reversal(backend):
    run = backend.run(scenes.hinge(friction=1.0))
    run.set("qvel", 0.055)
    for expected in (0.045, 0.035, 0.025, 0.015, 0.005, 0, 0, 0):
        run.step()
        run.check("qvel", [expected], 1e-12, scale=0.055)
    run.check("qpos", [0.00125], 1e-12)


def test_case_10_stiction_does_not_creep(backend):
    run = backend.run(scenes.hinge(friction=1.0))
    run.set("joint_force", 0.999)
    run.step(1000)
    run.check("qvel", [0.0], 1e-15, scale=0.01)
    run.check("qpos", [0.0], 1e-15, scale=1e-4)
    run.check("joint_friction_torque", [-0.999], 1e-12)


def test_case_11_undamped_spring(backend):
    """Trapezoid: w = h^2 k/4, so cos th = 1 - (h^2 k/2)/(1 + h^2 k/4), q_n = cos((n + 1/2) th)/cos(th/2)."""
    run = backend.run(scenes.hinge(stiffness=100.0))
    run.set("qpos", 1.0)
    run.step(1000)
    th = np.arccos(1 - 0.005 / 1.0025)
    run.check("qpos", [np.cos(1000.5 * th) / np.cos(th / 2)], 1e-8, scale=1.0)
    run.check("qpos", ["0.846064203"], 1e-8, scale=1.0)


def test_case_12_servo_and_effort_clamp(backend):
    """[P-5], [P-6]: v = h tau/(1 + h k_d/2 + h^2 k_p/4), tau = 100, then clamped to 5."""
    gains = {"position_gain": 100.0, "velocity_gain": 10.0}
    for effort, expected in ((np.inf, "0.9501187648"), (5.0, "0.0475059382")):
        run = backend.run(scenes.hinge(**gains, effort_lower=-effort, effort_upper=effort))
        run.set("joint_target_position", 1.0)
        run.step()
        run.check("qvel", [min(effort, 100.0) * 0.01 / 1.0525], 1e-9)
        run.check("qvel", [expected], 1e-9)


def test_case_13_position_limit_is_predictive(backend):
    """[P-11]: gap 0.0005 left after 25 steps, so the limit lets 0.5 m/s pass, then nothing."""
    run = backend.run(scenes.slider(upper=0.0505))
    run.set("qvel", 2.0)
    run.step(25)
    run.check("joint_limit_torque", [0.0], 1e-9)
    run.step()
    run.check("joint_limit_torque", [-1500.0], 1e-9)
    run.step()
    run.check("joint_limit_torque", [-500.0], 1e-9, scale=1500.0)
    run.step(100)
    run.check("qpos", [0.0505], 1e-9)
    run.check("qvel", [0.0], 1e-9, scale=2.0)


def test_case_14_velocity_limit(backend):
    """[P-12]: h 1000 = 1 m/s a step; 0.5 of it is taken away in the first, all of it later."""
    run = backend.run(scenes.slider(velocity_limit=0.5))
    run.set("joint_force", 1000.0)
    run.step()
    run.check("joint_limit_torque", [-500.0], 1e-9, scale=1000.0)
    for _ in range(9):
        run.step()
        run.check("joint_limit_torque", [-1000.0], 1e-9)
    run.check("qvel", [0.5], 1e-9)


@pytest.mark.parametrize("bound", [{"effort_lower": -0.5}, {"effort_upper": 0.5}])
def test_effort_bounds_of_a_ball_joint(backend, bound):
    """[P-5]: each component of the command within the bounds, where one of them alone is given."""
    b = scenes.builder()
    b.add_body("top", mass=1, inertia=(0.05, 0.06, 0.07))
    b.add_joint("top", "ball", type="ball", **bound)
    run = backend.run(b.finalize())
    sign = -1 if "effort_lower" in bound else 1
    run.set("joint_force", [3 * sign, 0.2 * sign, -3 * sign])
    run.step(1)
    run.check("joint_command_torque", [0.5 * sign, 0.2 * sign, -3 * sign], 1e-12)
