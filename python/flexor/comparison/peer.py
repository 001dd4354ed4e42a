"""Lengths and moment arms of an MJCF model against an installed MuJoCo."""

from __future__ import annotations

import os
import pathlib

import numpy as np

from flexor import calls, models
from flexor.comparison.inputs import random_states
from flexor.errors import ConfigError, MissingExtraError
from flexor.model import Model, load_model
from flexor.simulation import MOST_WORLDS, Simulation

#: length [m], and moment arm relative to 1 + its size
_TOLERANCES = {"float64": (1e-9, 1e-8), "float32": (4e-6, 2e-4)}
#: share of a model's tendon-poses in which another route may be chosen at guides with side sites
_OTHER_ROUTE = 0.05
#: what is known to differ
DIFFERENCES = (
    "exterior side sites: flexor's own rule and MuJoCo 4's choose another arc in a few per cent of "
    "random poses at most",
    "cylinders with a side site displaced along the axis: MuJoCo measures the interior test in 3-D "
    "from the centre, flexor from the axis",
    "collapsed pieces: MuJoCo takes the +x direction, flexor gives no gradient and sets a status bit",
)


def compare_with_mujoco(
    file: str | os.PathLike,
    *,
    worlds: int = 64,
    device: str = "cpu",
    precision: str | None = None,
    seed: int = 0,
    strict: bool | str = True,
) -> dict:
    """Tendon lengths and moment arms at random poses inside the joint limits, by both engines.

    file: MJCF file, or the name of a model of this package. Returns a dict: model, version, poses,
    ok, differences (documented ones), tendons: for each name, length_error, arm_error and their
    tolerances over the poses that agree, other_route (poses that do not), ok: no such pose, or a
    guide with a side site and no more such poses in the model than documented.
    Raises MissingExtraError without MuJoCo, ConfigError if MuJoCo cannot load the file.
    """
    worlds = calls.judge("compare", "worlds", calls.whole(1, MOST_WORLDS), worlds)
    path = pathlib.Path(file)
    if not path.exists() and str(file) in models.names():
        path = models.path(str(file))
    model = load_model(path, strict=strict)
    peer = _Peer(path, model)
    q, v = random_states(model, worlds, np.random.default_rng(seed))
    with Simulation(model, worlds, device=device, precision=precision, inert="*") as sim:
        sim.qpos.set(q)
        sim.forward()
        length = sim.tendon_length.numpy().astype(np.float64)
        arm = sim.tendon_jacobian.numpy().astype(np.float64)
        q, precision = sim.qpos.numpy().astype(np.float64), sim.precision
    expected = peer.tendons(q)
    tolerance = _TOLERANCES[precision]
    length_error = np.abs(length - expected[0])
    arm_error = (np.abs(arm - expected[1]) / (1 + np.abs(expected[1]))).max(2, initial=0)
    agree = (length_error <= tolerance[0]) & (arm_error <= tolerance[1])
    has_side = [any(element.has_side for element in t.path) for t in model.tendons]
    is_share_documented = np.mean(~agree) <= _OTHER_ROUTE if agree.size else True
    rows = []
    for t, name in enumerate(model.names("tendon")):
        same = agree[:, t]
        rows.append(
            {
                "name": name,
                "length_error": float(length_error[same, t].max(initial=0)),
                "arm_error": float(arm_error[same, t].max(initial=0)),
                "length_tolerance": tolerance[0],
                "arm_tolerance": tolerance[1],
                "other_route": int(np.count_nonzero(~same)),
                "ok": bool(same.all() or (has_side[t] and is_share_documented)),
            }
        )
    return {
        "model": model.name,
        "version": peer.version,
        "poses": worlds,
        "ok": all(row["ok"] for row in rows),
        "tendons": rows,
        "differences": list(DIFFERENCES),
    }


class _Peer:
    """The same file in MuJoCo, with the places of its coordinates and tendons here."""

    def __init__(self, path: pathlib.Path, model: Model):
        try:
            import mujoco
        except ImportError:
            raise MissingExtraError(
                "compare --with mujoco: MuJoCo is not installed: pip install 'flexor[bench]'"
            ) from None
        self._mujoco, self.version = mujoco, mujoco.__version__
        try:
            spec = mujoco.MjSpec.from_file(str(path))
            spec.compiler.LRopt.mode = mujoco.mjtLRMode.mjLRMODE_NONE  # of actuators, not needed
            self._model = spec.compile()
        except ValueError as error:
            raise ConfigError(
                f"compare --with mujoco: {path}: MuJoCo cannot load it: {error}"
            ) from None
        self._data = mujoco.MjData(self._model)
        self._q, self._v = [], []
        for j in range(self._model.njnt):
            joint = self._model.joint(j).name or j
            self._q += range(*model.qpos_slice(joint).indices(model.nq))
            self._v += range(*model.qvel_slice(joint).indices(model.nv))
        names = [self._model.tendon(t).name for t in range(self._model.ntendon)]
        here = model.names("tendon")
        self._tendon = [here.index(name) if name in here else t for t, name in enumerate(names)]

    def tendons(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Lengths (poses, tendons) and moment arms (poses, tendons, nv) in flexor's order."""
        m, d, mujoco = self._model, self._data, self._mujoco
        length, arm = np.zeros((len(q), m.ntendon)), np.zeros((len(q), m.ntendon, m.nv))
        for i, pose in enumerate(q):
            d.qpos[:] = pose[self._q]
            mujoco.mj_kinematics(m, d)
            mujoco.mj_comPos(m, d)
            mujoco.mj_tendon(m, d)
            length[i, self._tendon] = d.ten_length
            arm[np.ix_([i], self._tendon, self._v)] = _dense(m, d)
        return length, arm


def _dense(m, d) -> np.ndarray:
    """Tendon Jacobian (tendons, nv), whether MuJoCo keeps it dense or in compressed rows."""
    flat = np.asarray(d.ten_J, np.float64)
    if flat.size == m.ntendon * m.nv:
        return flat.reshape(m.ntendon, m.nv)
    rows = m if hasattr(m, "ten_J_rownnz") else d
    dense = np.zeros((m.ntendon, m.nv))
    for t, (first, count) in enumerate(zip(rows.ten_J_rowadr, rows.ten_J_rownnz, strict=True)):
        dense[t, rows.ten_J_colind[first : first + count]] = flat[first : first + count]
    return dense
