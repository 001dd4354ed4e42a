"""Evaluates one guide between two points for many pairs of points at once, one pair a world.

With three slides under each end point the Jacobian row is the two point gradients; from them follow
the tangent points, so that the inside of the wrap is checked without reading it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from support import FLOAT32_GRADIENT, FLOAT32_LENGTH, Backend, assert_near


@dataclass
class Route:
    """Length [m], gradients at the two ends and status bits; one row per pair of points."""

    backend: Backend
    a: np.ndarray
    b: np.ndarray
    length: np.ndarray
    gradient_a: np.ndarray
    gradient_b: np.ndarray
    jacobian: np.ndarray
    status: np.ndarray
    sim: object

    def length_tolerance(self, tolerance=1e-9):
        """What compensated sums of differences leave in float32 [R-59]: 2e-6 (l + max coordinate)."""
        if not self.backend.is_float32:
            return tolerance
        size = self.length + np.maximum(np.abs(self.a).max(1), np.abs(self.b).max(1))
        return np.maximum(tolerance, FLOAT32_LENGTH * np.maximum(size, 0))

    def gradient_tolerance(self, tolerance=1e-9):
        return max(tolerance, FLOAT32_GRADIENT) if self.backend.is_float32 else tolerance

    def check_length(self, expected, tolerance=1e-9):
        """All rows equal `expected`, or row i equals expected[i]."""
        expected = (
            expected if isinstance(expected, (list, np.ndarray)) else [expected] * len(self.a)
        )
        assert_near(self.length, expected, self.length_tolerance(tolerance))

    def check_gradient_b(self, expected, row=0, tolerance=1e-9):
        assert_near(self.gradient_b[row], expected, self.gradient_tolerance(tolerance))

    def tangent_points(self, radius, kind, row=0):
        """The contact points nearest a and b of an engaged guide at the origin with axis z.

        The free piece from the end x runs against the gradient g (|g| = 1). In the plane of the
        circle it has the tangent length t = sqrt(rho^2 - r^2), so it is t/|g_plane| long.
        """
        points = []
        for x, g in (
            (self.a[row], self.gradient_a[row]),
            (self.b[row], self.gradient_b[row]),
        ):
            flat = slice(0, 2) if kind == "cylinder" else slice(0, 3)
            t = np.sqrt(x[flat] @ x[flat] - radius**2)
            points.append(x - g * t / np.linalg.norm(g[flat]))
        return points

    def arc_angle(self, radius):
        """phi of a planar route: what the two tangent pieces leave of the length, over r."""
        t = [np.sqrt(np.sum(x**2, axis=1) - radius**2) for x in (self.a, self.b)]
        return (self.length - t[0] - t[1]) / radius

    def helix(self, radius):
        """(phi, arc length) over a cylinder at the origin with axis z, from the length alone.

        In the plane the route is s = sqrt(l^2 - dz^2) = t_a + r phi + t_b [R-10], [R-13]; along the
        surface it climbs dz/s per unit of s, so the arc is r phi l/s long.
        """
        dz = self.b[:, 2] - self.a[:, 2]
        s = np.sqrt(self.length**2 - dz**2)
        t = [np.sqrt(np.sum(x[:, :2] ** 2, axis=1) - radius**2) for x in (self.a, self.b)]
        phi = (s - t[0] - t[1]) / radius
        return phi, radius * phi * self.length / s

    def check_helix(self, radius, phi=None, arc_length=None, tolerance=1e-9):
        """float32: what the length may be off, times l/s for its planar part; over r for the angle."""
        dz = self.b[:, 2] - self.a[:, 2]
        tilt = self.length / np.sqrt(self.length**2 - dz**2)
        loose = self.length_tolerance() * tilt if self.backend.is_float32 else 0.0
        found = self.helix(radius)
        if phi is not None:
            assert_near(found[0], [phi], np.maximum(tolerance, loose / radius))
        if arc_length is not None:
            assert_near(found[1], [arc_length], np.maximum(tolerance, loose * tilt))


def evaluate(backend: Backend, model, a, b, others=None, **options) -> Route:
    """Routes `model` of scenes.guide_scene for pairs of world points a, b: (3,) or (n, 3)."""
    a, b = np.broadcast_arrays(
        np.atleast_2d(np.asarray(a, float)), np.atleast_2d(np.asarray(b, float))
    )
    sim = backend.simulate(model, num_worlds=len(a), **options)
    for k, axis in enumerate("xyz"):
        sim.qpos.at(f"a_{axis}").numpy()[:] = a[:, k]
        sim.qpos.at(f"b_{axis}").numpy()[:] = b[:, k]
    for name, value in (others or {}).items():
        sim.qpos.at(name).numpy()[:] = value
    sim.forward()
    return read(backend, sim, a, b)


def read(backend: Backend, sim, a, b) -> Route:
    jacobian = np.array(sim.tendon_jacobian.numpy(), dtype=float).reshape(len(a), -1)
    names = list(sim.qvel.names)

    def columns(body):
        return jacobian[:, [names.index(f"{body}_{axis}") for axis in "xyz"]]

    return Route(
        backend,
        a,
        b,
        np.array(sim.tendon_length.numpy(), dtype=float)[:, 0],
        columns("a"),
        columns("b"),
        jacobian,
        np.array(sim.tendon_route_status.numpy())[:, 0],
        sim,
    )


def rotation(axis, angle):
    """Rotation matrix by Rodrigues' formula."""
    axis = np.asarray(axis, float) / np.linalg.norm(axis)
    cross = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


def quaternion(axis, angle):
    """(w, x, y, z) of the same turn."""
    axis = np.asarray(axis, float) / np.linalg.norm(axis)
    return np.concatenate([[np.cos(angle / 2)], np.sin(angle / 2) * axis])


def random_rotation(rng):
    """Uniformly drawn (matrix, quaternion)."""
    q = rng.normal(size=4)
    q /= np.linalg.norm(q)
    return matrix(q), q


def matrix(q):
    """Rotation matrix of a unit quaternion (w, x, y, z)."""
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def multiply(p, q):
    """Hamilton product of quaternions, on the last axis."""
    p, q = np.asarray(p), np.asarray(q)
    pw, pv, qw, qv = p[..., :1], p[..., 1:], q[..., :1], q[..., 1:]
    return np.concatenate(
        [
            pw * qw - np.sum(pv * qv, -1, keepdims=True),
            pw * qv + qw * pv + np.cross(pv, qv),
        ],
        -1,
    )
