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

    for t in range(tendons):
        path = random_path(rng, names, scalar, guides)
        b.add_spatial_tendon(f"tendon_{t}", path, armature=armature, **tendon)
    return b.finalize()


def _point(rng, names):
    return {"body": names[int(rng.integers(len(names)))], "pos": tuple(rng.uniform(-0.5, 0.5, 3))}


def _guide(rng, names):
    g = _point(rng, names) | {"radius": float(rng.uniform(0.02, 0.08))}
    if rng.random() < 0.6:
        side = _point(rng, names)
        g["side"] = (side["body"], side["pos"])
        if rng.random() < 0.4:  # an inside point of the guide's own body
            g["side"] = (g["body"], tuple(np.array(g["pos"]) + rng.uniform(-0.01, 0.01, 3)))
    if rng.random() < 0.5:
        return sphere(**g)
    return cylinder(**g, axis=tuple(rng.normal(size=3)))


def random_path(rng, names, scalar, guides=True):
    """One or two branches of points, guides with and without side sites, joint terms."""
    path = []
    for branch in range(int(rng.integers(1, 3))):
        if branch > 0:
            path.append(pulley(float(rng.uniform(0.5, 3))))
        path.append(via(**_point(rng, names)))
        for _ in range(int(rng.integers(1, 4))):
            if guides and rng.random() < 0.6:
                path.append(_guide(rng, names))
            path.append(via(**_point(rng, names)))
        if scalar and rng.random() < 0.3:
            path.append(joint_term(scalar[int(rng.integers(len(scalar)))], float(rng.normal())))
    return path


def random_rows(seed, joints=None, tendons=None, winding=False):
    """Tree of 1 to 12 joints under 0 to 6 tendons whose properties are drawn too: springs, drives,
    friction, limits, hard and compliant. Armature stays on paths without guides. winding: paths of
    everything that a path may hold, where else only spheres without side sites wrap."""
    rng = np.random.default_rng(seed)
    b = scenes.builder(f"rows_{seed}", timestep=0.002, gravity=scenes.GRAVITY)
    joints = joints or int(rng.integers(1, 13))
    names, scalar = ["world"], []
    for i in range(joints):
        kind = JOINTS[int(rng.choice(4, p=(0.6, 0.2, 0.12, 0.08)))]
        parent = "world" if kind == "free" else names[int(rng.integers(len(names)))]
        b.add_body(f"body_{i}", parent=parent, pos=tuple(rng.uniform(-0.3, 0.3, 3)),
                   mass=float(rng.uniform(0.5, 2)), com=tuple(rng.uniform(-0.1, 0.1, 3)),
                   inertia=tuple(rng.uniform(0.05, 0.09, 3)))  # fmt: skip
        b.add_joint(f"body_{i}", f"joint_{i}", type=kind, **_joint_properties(kind, rng))
        names.append(f"body_{i}")
        if kind in ("hinge", "slide"):
            scalar.append(f"joint_{i}")

    for t in range(int(rng.integers(0, 7)) if tendons is None else tendons):
        if scalar and rng.random() < 0.25:
            terms = [(name, float(rng.normal())) for name in rng.permutation(scalar)[:3]]
            b.add_fixed_tendon(f"tendon_{t}", terms, **_tendon_properties(rng, True, -0.5, 0.5))
            continue
        path = random_path(rng, names, scalar) if winding else _sphere_path(rng, names)
        is_straight = not any(e.kind in ("sphere", "cylinder") for e in path)
        b.add_spatial_tendon(f"tendon_{t}", path, **_tendon_properties(rng, is_straight, 0.5, 2.0))
    return b.finalize()


def _sphere_path(rng, names):
    path = [via(**_point(rng, names))]
    for _ in range(int(rng.integers(1, 4))):
        if rng.random() < 0.3:
            path.append(sphere(**_point(rng, names), radius=float(rng.uniform(0.02, 0.06))))
        path.append(via(**_point(rng, names)))
    return path


def _joint_properties(kind, rng):
    if kind == "free":
        return {}
    properties = {
        "damping": float(rng.choice([0, 0.1, 2])),
        "armature": float(rng.choice([0, 0.1])),
    }
    if rng.random() < 0.3:
        properties["stiffness"] = float(rng.uniform(0, 20))
    if kind == "ball":
        return properties
    properties["axis"] = tuple(rng.normal(size=3))
    if rng.random() < 0.4:
        properties |= {"lower": float(rng.uniform(-1, 0)), "upper": float(rng.uniform(0, 1))}
        properties["limit_compliance"] = float(rng.choice([0, 1e-4]))
    if rng.random() < 0.3:
        properties["friction"] = float(rng.uniform(0, 2))
    if rng.random() < 0.2:
        properties["velocity_limit"] = float(rng.uniform(0.5, 2))
    return properties


def _tendon_properties(rng, is_straight, shortest, longest):
    """Each row is there with a chance of about one half."""
    p = {}
    if rng.random() < 0.6:
        p |= {"stiffness": float(10 ** rng.uniform(0, 4)), "damping": float(rng.uniform(0, 10))}
    if rng.random() < 0.6:
        p["drive"] = {"force": float(rng.uniform(-20, 5))}
        if rng.random() < 0.6:
            p["drive"] |= {"position_gain": float(rng.uniform(0, 300)),
                           "velocity_gain": float(rng.uniform(0, 20)),
                           "target_length": float(rng.uniform(shortest, longest))}  # fmt: skip
        if rng.random() < 0.5:
            p |= {"actuation_lower": float(rng.uniform(-30, -5)), "actuation_upper": 0.0}
    if rng.random() < 0.4:
        p |= {"friction_loss": float(rng.uniform(0, 3)),
              "friction_compliance": float(rng.choice([0, 1e-4]))}  # fmt: skip
    if is_straight and rng.random() < 0.4:
        p["armature"] = float(rng.uniform(0, 1))
    if rng.random() < 0.5:
        p |= {"upper_limit": float(rng.uniform(shortest, longest)),
              "limit_compliance": float(rng.choice([0, 1e-5]))}  # fmt: skip
    return p


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
        q[at : at + 4] = multiply(q[at : at + 4], np.concatenate([[np.cos(angle / 2)], half * f]))
    return q


def rounded_poses(model, seed, poses, real=np.float64):
    """Random (q, v) of `poses` worlds in numbers that `real` can hold."""
    rng = np.random.default_rng(seed + 500)
    pairs = [random_pose(model, rng) for _ in range(poses)]
    return [np.array(x).astype(real).astype(float) for x in zip(*pairs, strict=True)]


def routed(backend, model, q, v):
    """(lengths, Jacobians, rates) of all tendons: shapes (poses, tendons[, nv])."""
    sim = backend.simulate(model, num_worlds=len(q))
    sim.qpos.set(q)
    sim.qvel.set(v)
    sim.forward()
    length = np.array(sim.tendon_length.numpy(), float)
    jacobian = np.array(sim.tendon_jacobian.numpy(), float).reshape(*length.shape, model.nv)
    return length, jacobian, np.array(sim.tendon_velocity.numpy(), float)


def central_difference(backend, model, q, directions, step=1e-6):
    """(l(q (+) step d) - l(q (+) -step d))/(2 step) for every pose and direction: (poses,
    directions, tendons). directions: (poses, n, nv). All displaced poses are worlds of one batch."""
    displaced = [
        displace(model, pose, sign * step * d)
        for pose, set_of in zip(q, directions, strict=True)
        for d in set_of
        for sign in (1, -1)
    ]
    length, _, _ = routed(backend, model, displaced, np.zeros((len(displaced), model.nv)))
    length = length.reshape(len(q), -1, 2, length.shape[-1])
    return (length[:, :, 0] - length[:, :, 1]) / (2 * step)


__all__ = [name for name in dir() if not name.startswith("_") and name not in ("flexor", "np")]
