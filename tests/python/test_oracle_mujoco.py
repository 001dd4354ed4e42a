"""Values of MuJoCo 4.0.0 for public models: poses, mass matrix, bias force, tendon routes.

Models and values lie in ../shared (README there says how they were made); without that folder the
tests are skipped. Tendons are compared with flexor's own routing. Its side rule differs from MuJoCo
4.0's in some poses ([R-17]: 0.72 % of arm26's, none of the fingers'); none of the sampled
poses of these models is one of them, so no tendon is left out for that.
"""

import json

import flexor
import numpy as np
import pytest
from support import EXACT, FLOAT32, FLOAT64

MODELS = {
    "arm26": "mujoco/arm26.xml",
    "finger_extensor": "mujoco/finger_extensor.xml",
    "ten_J0": "mujoco/ten_J0.xml",
    "ten_J1": "mujoco/ten_J1.xml",
    "ten_J2": "mujoco/ten_J2.xml",
    "ten_J3": "mujoco/ten_J3.xml",
    "tendon_wrap_sphere": "mujoco/tendon_wrap_sphere.xml",
    "tendon_wrap_cylinder": "mujoco/tendon_wrap_cylinder.xml",
    "tendon_springlength": "mujoco/tendon_springlength.xml",
    "myofinger_v0": "myo_sim/finger/myofinger_v0.xml",
    "motorfinger_v0": "myo_sim/finger/motorfinger_v0.xml",
}

# Poses and lengths agree to 1e-9 m, all else to 1e-8 (1 + |value|) (README of the values).
LENGTH = {"float64": 1e-9, "float32": 4e-6}
VALUE = {"float64": 1e-8, "float32": 2e-4}


class Comparison:
    """One model in as many worlds as there are samples, at the samples' configurations."""

    def __init__(self, shared, name, backend):
        self.name = name
        self.oracle = json.loads((shared / "oracle" / "mujoco" / f"{name}.json").read_text())
        self.samples = self.oracle["samples"]
        self.length_tolerance = LENGTH[backend.precision]
        self.value_tolerance = VALUE[backend.precision]
        self.model = flexor.load_model(str(shared / "models" / MODELS[name]))
        self.sim = backend.simulate(self.model, num_worlds=len(self.samples), inert="*")
        constants = self.oracle["constants"]
        self.qpos_of, self.qvel_of = [], []  # flexor's place of every MuJoCo coordinate
        for j in range(len(constants["joint_type"])):
            name = self.oracle["names"]["joint"][j] or self.model.names("joint")[j]
            self.qpos_of += list(range(*self.model.qpos_slice(name).indices(self.model.nq)))
            self.qvel_of += list(range(*self.model.qvel_slice(name).indices(self.model.nv)))
        qpos = np.zeros((len(self.samples), self.model.nq))
        qvel = np.zeros((len(self.samples), self.model.nv))
        qpos[:, self.qpos_of] = self.column("qpos")
        qvel[:, self.qvel_of] = self.column("qvel")
        self.sim.qpos.set(qpos)
        self.sim.qvel.set(qvel)
        self.sim.forward()

    def column(self, field):
        return np.array([s[field] for s in self.samples], dtype=float)

    def read(self, field):
        return np.array(getattr(self.sim, field).numpy(), dtype=float)

    def named(self, kind, names):
        """(index here, index there) of the elements that both sides have under one name."""
        here = {name: i for i, name in enumerate(names)}
        pairs = [(here[n], i) for i, n in enumerate(self.oracle["names"][kind]) if n and n in here]
        return np.array(pairs, dtype=int).reshape(-1, 2).T

    def close(self, actual, expected, tolerance):
        error = np.abs(np.asarray(actual) - expected)
        bound = tolerance * (1 + np.abs(expected))
        assert np.all(error <= bound), (
            f"{self.name}: largest error {error.max()} at {np.unravel_index(error.argmax(), error.shape)}"
        )

    def tendons(self):
        """Boolean mask (samples, tendons) of the routes that must agree."""
        mask = np.ones((len(self.samples), len(self.oracle["names"]["tendon"])), dtype=bool)
        for s, sample in enumerate(self.samples):
            for tendon in sample.get("tendon_rows_not_gradient", ()):
                mask[s, tendon] = False
        return mask


@pytest.fixture(params=[EXACT, FLOAT64, FLOAT32], ids=str)
def any_backend(request):
    return request.param


@pytest.fixture(params=MODELS, ids=str)
def comparison(request, shared, any_backend):
    return Comparison(shared, request.param, any_backend)


def test_counts_and_reference_pose(comparison):
    assert (comparison.model.nq, comparison.model.nv) == (
        comparison.oracle["nq"],
        comparison.oracle["nv"],
    )
    qpos0 = np.array(comparison.oracle["constants"]["qpos0"], float)
    comparison.close(np.array(comparison.model.qpos0)[comparison.qpos_of], qpos0, 1e-15)


def test_body_poses(comparison):
    """[MF-3]; static bodies, merged into others, keep their names and poses [MF-5]."""
    here, there = comparison.named("body", comparison.sim.body_position.names)
    assert len(here) >= len(set(comparison.oracle["names"]["body"]) - {"", "world"})
    position = comparison.read("body_position")[:, here]
    comparison.close(position, comparison.column("xpos")[:, there], comparison.length_tolerance)
    turn = comparison.read("body_quaternion")[:, here]
    expected = comparison.column("xquat")[:, there]
    sign = np.sign(np.sum(turn * expected, axis=-1, keepdims=True))
    comparison.close(sign * turn, expected, comparison.length_tolerance)


def test_site_positions(comparison):
    here, there = comparison.named("site", comparison.sim.site_position.names)
    if len(here) == 0:
        pytest.skip("no named sites")
    comparison.close(
        comparison.read("site_position")[:, here],
        comparison.column("site_xpos")[:, there],
        comparison.length_tolerance,
    )


def test_mass_matrix(comparison):
    """[P-1], [P-2], with the inertia of merged bodies [MF-21]."""
    nv = comparison.model.nv
    M = np.asarray(comparison.sim.mass_matrix(), float).reshape(-1, nv, nv)
    order = np.ix_(range(len(M)), comparison.qvel_of, comparison.qvel_of)
    expected = np.zeros((len(M), nv, nv))
    for s, sample in enumerate(comparison.samples):
        for i, row in enumerate(sample["M_lower"]):
            expected[s, i, : i + 1] = expected[s, : i + 1, i] = row
    comparison.close(M[order], expected, comparison.value_tolerance)


def test_bias_force(comparison):
    bias = np.asarray(comparison.sim.bias_force(), float)[:, comparison.qvel_of]
    comparison.close(bias, comparison.column("qfrc_bias"), comparison.value_tolerance)


def test_tendon_lengths_rates_and_jacobians(comparison):
    count = len(comparison.oracle["names"]["tendon"])
    mask = comparison.tendons()
    length = comparison.read("tendon_length")
    assert length.shape[1] == count
    comparison.close(
        length[mask], comparison.column("ten_length")[mask], comparison.length_tolerance
    )
    rate = comparison.read("tendon_velocity")
    comparison.close(
        rate[mask], comparison.column("ten_velocity")[mask], comparison.value_tolerance
    )
    jacobian = comparison.read("tendon_jacobian").reshape(len(length), count, -1)
    expected = comparison.column("ten_J")
    comparison.close(
        jacobian[:, :, comparison.qvel_of][mask],
        expected[mask],
        comparison.value_tolerance,
    )


def test_reference_lengths(shared):
    """Length at the reference pose, computed at build in float64 [R-38]."""
    for name in MODELS:
        c = Comparison(shared, name, EXACT)
        mask = c.tendons()[0]
        expected = np.array(c.oracle["constants"]["tendon_length0"], float)
        c.close(c.read("reference_length")[0][mask], expected[mask], 1e-9)


def test_total_mass(shared):
    for name in MODELS:
        c = Comparison(shared, name, EXACT)
        mass = {p.name: p.nominal for p in c.model.parameters() if p.name.startswith("body/")}
        total = sum(float(np.ravel(v)[0]) for n, v in mass.items() if n.endswith("/mass"))
        assert total == pytest.approx(c.oracle["constants"]["total_mass"], rel=1e-9), name
