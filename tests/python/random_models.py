"""Random trees with random tendons, and difference quotients on them."""

from __future__ import annotations

import numpy as np
import scenes
from flexor import cylinder, joint_term, pulley, sphere, via
from routes import multiply

JOINTS = ("hinge", "slide", "ball", "free")


def random_tree(seed, guides=True, armature=0.0, bodies=None, tendons=3, **tendon):
    """Tree of 2 to 6 bodies with joints of all types; `tendons` paths over random bodies with
    points, guides with and without side sites, pulleys, joint terms."""
    rng = np.random.default_rng(seed)
    b = scenes.builder(f"random_{seed}")
    count = bodies or int(rng.integers(2, 7))
    names, scalar = ["world"], []
    for i in range(count):
        parent = names[int(rng.integers(len(names)))]
        kind = JOINTS[int(rng.integers(4))]
        if kind == "free":
            parent = "world"
        q = rng.normal(size=4)
        moments = rng.uniform(0.05, 0.09, size=3)
        b.add_body(f"body_{i}", parent=parent, pos=tuple(rng.uniform(-0.4, 0.4, 3)),
                   quat=tuple(q / np.linalg.norm(q)), mass=float(rng.uniform(0.5, 2)),
                   com=tuple(rng.uniform(-0.1, 0.1, 3)), inertia=tuple(moments))  # fmt: skip
        joint = {} if kind in ("free", "ball") else {"axis": tuple(rng.normal(size=3))}
        if kind in ("hinge", "ball"):
            joint["pos"] = tuple(rng.uniform(-0.1, 0.1, 3))
        b.add_joint(f"body_{i}", f"joint_{i}", type=kind, **joint)
        names.append(f"body_{i}")
        if kind in ("hinge", "slide"):
            scalar.append(f"joint_{i}")

    def point():
        return {
            "body": names[int(rng.integers(len(names)))],
            "pos": tuple(rng.uniform(-0.5, 0.5, 3)),
        }

    def guide():
        g = point() | {"radius": float(rng.uniform(0.02, 0.08))}
        if rng.random() < 0.6:
            side = point()
            g["side"] = (side["body"], side["pos"])
            if rng.random() < 0.4:  # an inside point of the guide's own body
                g["side"] = (
                    g["body"],
                    tuple(np.array(g["pos"]) + rng.uniform(-0.01, 0.01, 3)),
                )
        if rng.random() < 0.5:
            return sphere(**g)
        return cylinder(**g, axis=tuple(rng.normal(size=3)))

    for t in range(tendons):
        path = []
        for branch in range(int(rng.integers(1, 3))):
            if branch > 0:
                path.append(pulley(float(rng.uniform(0.5, 3))))
            path.append(via(**point()))
            for _ in range(int(rng.integers(1, 4))):
                if guides and rng.random() < 0.6:
                    path.append(guide())
                path.append(via(**point()))
            if scalar and rng.random() < 0.3:
                path.append(
                    joint_term(
                        scalar[int(rng.integers(len(scalar)))], float(rng.normal())
                    )
                )
        b.add_spatial_tendon(f"tendon_{t}", path, armature=armature, **tendon)
    return b.finalize()


def layout(model):
    """(type, first q, first v) of every joint, told from its coordinate counts."""
    kinds = {(1, 1): "scalar", (4, 3): "ball", (7, 6): "free"}
    rows = []
    for name in model.names("joint"):
        q, v = model.qpos_slice(name), model.qvel_slice(name)
        rows.append((kinds[(q.stop - q.start, v.stop - v.start)], q.start, v.start))
    return rows


def random_pose(model, rng):
    """Configuration and velocity, quaternions drawn uniformly."""
    q, v = np.zeros(model.nq), rng.normal(size=model.nv)
    for kind, at, _ in layout(model):
        if kind == "scalar":
            q[at] = rng.uniform(-1, 1)
            continue
        if kind == "free":
            q[at : at + 3] = rng.uniform(-0.5, 0.5, 3)
            at += 3
        turn = rng.normal(size=4)
        q[at : at + 4] = turn / np.linalg.norm(turn)
    return q, v


def displace(model, q, dv):
    """q (+) dv: scalars add, quaternions turn by Exp of the body-frame rotation vector [P-4]."""
    q = np.array(q)
    for kind, at, first in layout(model):
        if kind == "scalar":
            q[at] += dv[first]
            continue
        if kind == "free":
            q[at : at + 3] += dv[first : first + 3]
            at, first = at + 3, first + 3
        f = dv[first : first + 3]
        angle = np.linalg.norm(f)
        half = np.sinc(angle / 2 / np.pi) / 2  # sin(angle/2)/angle, 1/2 at 0
        q[at : at + 4] = multiply(
            q[at : at + 4], np.concatenate([[np.cos(angle / 2)], half * f])
        )
    return q


def difference_quotients(backend, model, seed, poses, step=1e-6):
    """(J, central difference of l, v, rate) at random poses; shapes (poses, tendons, nv) and so on.

    Every displaced pose is a world of one batch.
    """
    rng = np.random.default_rng(seed + 500)
    nv = model.nv
    rows, velocities = [], []
    for _ in range(poses):
        q, v = random_pose(model, rng)
        unit = np.eye(nv) * step
        rows += (
            [q]
            + [displace(model, q, d) for d in unit]
            + [displace(model, q, -d) for d in unit]
        )
        velocities += [v] * (2 * nv + 1)
    sim = backend.simulate(model, num_worlds=len(rows))
    sim.qpos.set(np.array(rows))
    sim.qvel.set(np.array(velocities))
    sim.forward()
    length = np.array(sim.tendon_length.numpy()).reshape(poses, 2 * nv + 1, -1)
    tendons = length.shape[-1]
    jacobian = np.array(sim.tendon_jacobian.numpy()).reshape(
        poses, 2 * nv + 1, tendons, nv
    )[:, 0]
    rate = np.array(sim.tendon_velocity.numpy()).reshape(poses, 2 * nv + 1, tendons)[
        :, 0
    ]
    difference = (length[:, 1 : nv + 1] - length[:, nv + 1 :]) / (2 * step)
    qvel = np.array(velocities).reshape(poses, 2 * nv + 1, nv)[:, 0]
    return jacobian, np.moveaxis(difference, 1, 2), qvel, rate


__all__ = [
    name for name in dir() if not name.startswith("_") and name not in ("flexor", "np")
]
