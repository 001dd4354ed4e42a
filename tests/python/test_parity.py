"""The batch against the reference path, and one precision against the other: one step from equal
states on random models, by `flexor.compare`. Compared are the outputs of all stages, as far as they
are unique (physics.md 13).

The reference's own solver `exact` is checked against the optimality conditions in C++.
"""

import functools

import flexor
import numpy as np
import pytest
from random_models import random_pose, random_rows
from support import EXACT, FLOAT32, FLOAT64

MODELS, WORLDS = 200, 4


@functools.cache
def model_of(seed):
    return random_rows(seed)


def states(model, seed):
    rng = np.random.default_rng(seed + 9000)
    poses = [random_pose(model, rng) for _ in range(WORLDS)]
    return np.array([q for q, _ in poses]), np.array([v for _, v in poses])


def solved(sim):
    """Worlds whose rows could be met."""
    return np.array(sim.solver_status.numpy()) == 0


def compare(seed, a="reference", **options):
    """Report of one step, from what the model's drives ask for."""
    q, v = states(model_of(seed), seed)
    return flexor.compare(
        model_of(seed), a, "cpu", mode="stages", worlds=WORLDS, steps=1, commands="hold",
        states={"qpos": q, "qvel": v}, **options,
    )  # fmt: skip


def assert_agree(seed, report):
    """Everything compared is in tolerance. Returns the share of worlds compared; a model may run
    away in all of its own."""
    assert all(row["ok"] for row in report.fields), f"model {seed}: {report}"
    return report.checks[1]["value"]


@pytest.mark.parametrize("first", range(0, MODELS, 20))
def test_batch_equals_exact(first):
    """[P-40]: all stages in float64; 1e-9 after the solve."""
    compared = 0
    for seed in range(first, first + 20):
        report = compare(seed, precision_b="float64")
        compared += assert_agree(seed, report)
        assert report.left_out["unsolved by b alone"] == 0, f"model {seed}: {report}"
    assert compared > 0.8 * 20


@pytest.mark.parametrize("first", range(0, MODELS, 20))
def test_float32_against_float64(first):
    """max(1e-5, 20 eps cond) after the solve, both started from states that float32 can hold."""
    compared = 0
    for seed in range(first, first + 20):
        report = compare(seed, "cpu", precision_a="float64", precision_b="float32")
        compared += assert_agree(seed, report)
    assert compared > 0.8 * 20


@pytest.mark.parametrize("solver", ["active_set", "jacobi"])
def test_every_solver_of_the_batch_finds_the_same_velocity(solver):
    """[P-55]-[P-59], [P-80]-[P-83]: one fixed point; methods differ by their stopping rule."""
    for seed in range(0, 40):
        report = compare(seed, precision_b="float64", solver_b=solver)
        assert_agree(seed, report)
        assert report.left_out["unsolved by b alone"] <= 1


def test_mass_matrix_and_bias_agree():
    for seed in range(40):
        model = model_of(seed)
        q, v = states(model, seed)
        reference = EXACT.simulate(model, num_worlds=WORLDS)
        for backend, tolerance in ((FLOAT64, 1e-12), (FLOAT32, 2e-5)):
            sim = backend.simulate(model, num_worlds=WORLDS)
            for s in (sim, reference):
                s.qpos.set(q)
                s.qvel.set(v)
            M, expected = sim.mass_matrix(), reference.mass_matrix()
            assert np.allclose(M, expected, rtol=tolerance, atol=tolerance * np.abs(expected).max())
            c, expected = sim.bias_force(), reference.bias_force()
            assert np.allclose(
                c, expected, rtol=tolerance, atol=tolerance * (1 + np.abs(expected).max())
            )


def test_forces_explain_the_motion():
    """M (v_+ - v_n)/h + c = joint torques [P-9] + J^T (tendon forces): nothing acts besides rows and
    reported torques. [P-46]: the row slots of a tendon sum to its force."""
    for seed in range(40):
        model = model_of(seed)
        q, v = states(model, seed)
        for backend, tolerance in ((EXACT, 1e-7), (FLOAT64, 1e-7)):
            sim = backend.simulate(model, num_worlds=WORLDS)
            sim.qpos.set(q)
            sim.qvel.set(v)
            M, c = sim.mass_matrix(), sim.bias_force()
            sim.step(1, refresh=False)
            ok = solved(sim)
            J = np.array(sim.tendon_jacobian.numpy()).reshape(WORLDS, -1, model.nv)
            force = np.array(sim.tendon_force.numpy())
            torque = sum(
                np.array(getattr(sim, f"joint_{kind}_torque").numpy())
                for kind in ("command", "damping", "spring", "friction", "limit")
            )
            left = np.einsum("wij,wj->wi", M, np.array(sim.qvel.numpy()) - v) / model.timestep + c
            right = torque + np.einsum("wti,wt->wi", J, force)
            scale = 1 + np.abs(left).max(1) + np.abs(right).max(1)
            assert np.all((np.abs(left - right).max(1) / scale)[ok] < tolerance), (
                seed,
                str(backend),
            )
            slots = np.array(sim.row_impulse.numpy())[:, : 6 * force.shape[1]]
            total = slots.reshape(WORLDS, -1, 6).sum(2) / model.timestep
            assert np.allclose(total[ok], force[ok], rtol=1e-9, atol=1e-6)
            parts = sum(
                np.array(getattr(sim, f"tendon_{kind}_force").numpy())
                for kind in ("passive", "drive", "armature", "friction", "limit")
            )
            assert np.allclose(parts[ok], force[ok], rtol=1e-9, atol=1e-6)
            passive = np.array(sim.tendon_spring_force.numpy()) + np.array(
                sim.tendon_damper_force.numpy()
            )
            assert np.allclose(
                passive[ok], np.array(sim.tendon_passive_force.numpy())[ok], atol=1e-7, rtol=1e-9
            )
