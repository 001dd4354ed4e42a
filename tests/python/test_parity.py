"""The batch against the reference path, and one precision against the other: one step from equal
states on random models. Compared are quantities that are unique (physics.md 13): the end velocity
and what follows from it.

The reference's own solver `exact` is checked against the optimality conditions in C++.
"""

import functools

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


def step(backend, seed, state=None, **options):
    """One step of every world; (qvel, qpos, solver_status) and the simulation."""
    model = model_of(seed)
    sim = backend.simulate(model, num_worlds=WORLDS, **options)
    q, v = states(model, seed) if state is None else state
    sim.qpos.set(q)
    sim.qvel.set(v)
    sim.step(1)
    return np.array(sim.qvel.numpy(), float), np.array(sim.qpos.numpy(), float), sim


def solved(sim):
    """Worlds whose rows could be met."""
    return np.array(sim.solver_status.numpy()) == 0


def relative(a, b):
    """Largest difference of each world over the size of its velocities."""
    return np.abs(a - b).max(1) / np.maximum(1, np.abs(b).max(1))


@pytest.mark.parametrize("first", range(0, MODELS, 20))
def test_batch_equals_exact(first):
    """[P-40]: float64, 1e-9 relative."""
    compared = 0
    for seed in range(first, first + 20):
        expected_v, expected_q, reference = step(EXACT, seed)
        v, q, sim = step(FLOAT64, seed)
        ok = solved(reference)
        assert np.all(solved(sim)[ok]), (
            f"model {seed}: not converged in worlds {np.flatnonzero(~solved(sim))}"
        )
        worst = relative(v, expected_v)[ok]
        assert np.all(worst < 1e-9), f"model {seed}: {worst}"
        assert np.all(np.abs(q - expected_q).max(1)[ok] < 1e-11 * (1 + np.abs(expected_v).max()))
        compared += ok.sum()
    assert compared > 0.8 * 20 * WORLDS


def condition(sim):
    """Of M with everything that is folded into it [P-51] (estimated, joint terms left out), times
    that of the responses among the tendons whose limits hold: hard rows that nearly oppose one
    another magnify what is rounded in their targets, which M^ alone does not know."""
    model, h = sim.model, sim.model.timestep
    M = np.asarray(sim.mass_matrix(), float)
    nominal = {p.name: p.nominal for p in model.parameters()}
    J = np.asarray(sim.tendon_jacobian.numpy(), float).reshape(WORLDS, -1, model.nv)
    for t, name in enumerate(model.names("tendon")):
        stiffness, damping, armature = (
            float(nominal[f"tendon/{name}/{key}"]) for key in ("stiffness", "damping", "armature")
        )
        gain = np.asarray(sim.drive_velocity_gain.numpy(), float)[:, t]
        gain = gain + h * np.asarray(sim.drive_position_gain.numpy(), float)[:, t]
        weight = h * (damping + h * stiffness + gain) + armature
        M = M + weight[:, None, None] * J[:, t, :, None] * J[:, t, None, :]
    numbers = np.linalg.cond(M)
    holds = np.array(sim.tendon_limit_force.numpy()) != 0
    for w in range(WORLDS):
        rows = J[w][holds[w]]
        if len(rows) > 1:
            A = rows @ np.linalg.solve(M[w], rows.T)
            scale = 1 / np.sqrt(np.diag(A))
            numbers[w] *= np.linalg.cond(scale[:, None] * A * scale)
    return numbers


@pytest.mark.parametrize("first", range(0, MODELS, 20))
def test_float32_against_float64(first):
    """max(1e-5, 20 eps cond), both started from states that float32 can hold."""
    eps = np.finfo(np.float32).eps
    for seed in range(first, first + 20):
        model = model_of(seed)
        q, v = (x.astype(np.float32).astype(float) for x in states(model, seed))
        expected, _, exact = step(FLOAT64, seed, (q, v))
        actual, _, sim = step(FLOAT32, seed, (q, v))
        ok = solved(exact) & solved(sim)
        bound = np.minimum(1e-2, np.maximum(1e-5, 20 * eps * condition(exact)))
        # a limit's target is gap/h [P-31]: the rounding of lengths and coordinates comes back over h
        lengths = np.abs(exact.tendon_length.numpy()).max(1, initial=0) + np.abs(q).max(1)
        bound = bound + eps * lengths / model.timestep / np.maximum(1, np.abs(expected).max(1))
        worst = relative(actual, expected)
        assert np.all(worst[ok] < bound[ok]), f"model {seed}: {worst}, allowed {bound}"


@pytest.mark.parametrize("solver", ["active_set", "jacobi"])
def test_every_solver_of_the_batch_finds_the_same_velocity(solver):
    """[P-55]-[P-59], [P-80]-[P-83]: one fixed point; methods differ by their stopping rule."""
    tolerance = 1e-9 if solver == "active_set" else 1e-6
    for seed in range(0, 40):
        expected, _, reference = step(EXACT, seed)
        v, _, sim = step(FLOAT64, seed, solver=solver)
        ok = solved(reference) & solved(sim)
        assert np.all(relative(v, expected)[ok] < tolerance), (seed, relative(v, expected))
        assert ok.sum() >= solved(reference).sum() - 1


def test_mass_matrix_and_bias_agree():
    for seed in range(40):
        _, _, reference = step(EXACT, seed)
        for backend, tolerance in ((FLOAT64, 1e-12), (FLOAT32, 2e-5)):
            _, _, sim = step(backend, seed)
            q, v = states(model_of(seed), seed)
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


@pytest.mark.parametrize("backend", [FLOAT64, FLOAT32], ids=str)
def test_body_quaternions_have_one_sign(backend):
    """w >= 0 on every device, whatever the sign of the quaternions in q; signs apart only where
    w = 0 to rounding."""
    for seed in range(60):
        model = model_of(seed)
        rows = []
        for kind in (backend, EXACT):
            sim = kind.simulate(model, num_worlds=WORLDS)
            sim.qpos.set(states(model, seed)[0])
            sim.forward()
            rows.append(np.array(sim.body_quaternion.numpy(), float))
        assert all(np.all(row[..., 0] >= 0) for row in rows), f"model {seed}"
        clear = np.minimum(rows[0][..., 0], rows[1][..., 0]) > 1e-4
        assert np.abs(rows[0] - rows[1])[clear].max() < (1e-5 if backend is FLOAT32 else 1e-11)
