"""Routing cases 1-5, 18, 19, 26, 39, 40 and 43: whole paths.

Left out: the kinematic guide of 18, the second time derivatives over guides of 39 (straight paths
are checked), compat in 26.
"""

import flexor
import numpy as np
import pytest
import scenes
from flexor import cylinder, joint_term, pulley, sphere, via
from random_models import central_difference, random_tree, rounded_poses, routed
from routes import evaluate, matrix, multiply, random_rotation
from support import EXACT, FLOAT32_GRADIENT, FLOAT32_LENGTH, FLOAT64, GEOMETRY, assert_near

PI = np.pi


@pytest.fixture(params=GEOMETRY, ids=str)
def backend(request):
    return request.param


def test_case_01_straight_piece(backend):
    """[R-5]"""
    b = scenes.builder()
    for name in ("a", "b"):
        scenes.add_point_mass(b, name)
    b.add_spatial_tendon("line", [via(body="a"), via(body="b")])
    r = evaluate(backend, b.finalize(), (0, 0, 0), (3, 4, 12))
    r.check_length(13.0)
    r.check_gradient_b([3 / 13, 4 / 13, 12 / 13])
    assert_near(r.gradient_a[0], [-3 / 13, -4 / 13, -12 / 13], r.gradient_tolerance())


def test_case_02_via_points(backend):
    """Unit tension pulls every via point along both of its pieces: f_i = -g_i [R-3]."""
    points = [(0, 0, 0), (0, 1, 0), (0, 1, 2), (-4, 1, 2), (-4, 0, 0)]
    b = scenes.builder()
    for i, pos in enumerate(points):
        scenes.add_point_mass(b, f"p{i}", pos=pos)
    b.add_spatial_tendon("line", [via(body=f"p{i}") for i in range(5)], drive={"force": -1.0})
    run = backend.run(b.finalize())
    run.step(1, refresh=False)
    run.check("tendon_length", [7 + np.sqrt(5)], 1e-9, is_length=True)
    run.check("tendon_length", ["9.236067977"], 1e-9, is_length=True)
    k = 1 / np.sqrt(5)
    forces = [(0, 1, 0), (0, -1, 1), (-1, 0, -1), (1, -k, -2 * k), (0, k, 2 * k)]
    run.near(-run.get("tendon_jacobian").reshape(-1), np.ravel(forces), 1e-9)
    run.near(run.get("qvel") / 0.001, np.ravel(forces), 1e-9)


def test_case_03_collapsed_piece_pushes_nothing(backend):
    """[R-6], [R-42]: a length without a direction: no gradient, no NaN, bit 0, in every world."""
    b = scenes.builder()
    scenes.add_point_mass(b, "mass", pos=(1, 2, 3), axes="x")
    path = [via(body="world", pos=(1, 2, 3)), via(body="mass"), via(body="world", pos=(2, 2, 3))]
    b.add_spatial_tendon("line", path)
    sim = backend.simulate(b.finalize(), num_worlds=1 if backend.device == "reference" else 4096)
    sim.step(1)
    assert np.all(sim.tendon_length.numpy() == 1)
    assert np.all(sim.tendon_jacobian.numpy() == -1)  # of the second piece alone
    assert np.all(sim.tendon_route_status.numpy() == 1)
    assert np.all(sim.status.numpy() == flexor.Status.ROUTE_DEGENERATE)


def two_branches(opening=None, **tendon):
    """Branches of 2 m and 3 m; the second has divisor 2. `opening`: divisor of a pulley in front."""
    b = scenes.builder()
    scenes.add_point_mass(b, "A", pos=(2, 0, 0), axes="x")
    scenes.add_point_mass(b, "B", pos=(3, 1, 0), axes="x")
    path = [
        via(body="world"),
        via(body="A"),
        pulley(2),
        via(body="world", pos=(0, 1, 0)),
        via(body="B"),
    ]
    b.add_spatial_tendon("line", ([pulley(opening)] if opening else []) + path, **tendon)
    return b.finalize()


def test_case_04_branches(backend):
    """[R-1]"""
    run = backend.run(two_branches(drive={"force": -10.0}))
    run.sim.forward()
    run.check("tendon_length", [3.5], 1e-9, is_length=True)
    run.check("branch_length", [2.0, 3.0], 1e-9, is_length=True)
    run.step()
    run.check("branch_tension", [10.0, 5.0], 1e-9)


def test_case_04_locked_branches_move_against_each_other(backend):
    run = backend.run(two_branches(lower_limit=3.5, upper_limit=3.5))
    run.set("qvel", 1.0, at="A_x")
    run.step()
    a, b = run.get("qvel", "A_x"), run.get("qvel", "B_x")
    assert abs(a) > 0.1
    run.near(b, -2 * a, 1e-9, scale=1.0)


def test_case_04_path_that_opens_with_a_pulley(backend):
    run = backend.run(two_branches(opening=3))
    run.sim.forward()
    run.check("tendon_length", [2 / 3 + 3 / 2], 1e-9, is_length=True)


def test_case_05_repeated_terms_of_a_fixed_tendon_add(backend):
    """[R-36]: exactly, in every precision."""
    b = scenes.builder()
    for i in range(3):
        scenes.add_point_mass(b, f"m{i}", axes="x")
    b.add_fixed_tendon("sum", [("m2_x", 0.4), ("m0_x", -0.3), ("m2_x", 0.6)])
    run = backend.run(b.finalize())
    run.sim.forward()
    real = np.float32 if backend.is_float32 else np.float64
    assert np.array_equal(run.get("tendon_jacobian").reshape(-1), [real(-0.3), 0.0, 1.0])


def gantry(on="world"):
    """Case 18: three vertical sliders under a cylinder, the third on a branch of divisor 2."""
    b = scenes.builder()
    for name, x in (("first", -0.5), ("second", 0.5), ("third", 3.0)):
        scenes.add_point_mass(b, name, pos=(x, 0, 1), axes="z")
    body, pos, side = "world", (0, 0, 2), (0, 0, 3)
    if on != "world":
        scenes.add_point_mass(b, "guide", pos=(0, 0, 2), axes="z")
        body, pos, side = "guide", (0, 0, 0), (0, 0, 1)
    b.add_spatial_tendon(
        "line",
        [
            via(body="first"),
            cylinder(body=body, pos=pos, radius=0.5, axis=(0, 1, 0), side=(body, side)),
            via(body="second"),
            pulley(2),
            via(body="world", pos=(3, 0, 3)),
            via(body="third"),
        ],
    )
    return b.finalize()


def test_case_18_half_turn_over_a_cylinder(backend):
    run = backend.run(gantry())
    run.sim.forward()
    run.check("tendon_length", [3 + PI / 2], 1e-9, is_length=True)
    run.near(run.get("tendon_jacobian").reshape(-1), [-1.0, -1.0, -0.5], 1e-9)
    run.near(run.get("branch_length")[0] - 2, PI / 2, 1e-9, is_length=True)


def test_case_18_guide_on_a_slider_feels_both_lines(backend):
    run = backend.run(gantry(on="slider"))
    run.sim.forward()
    run.near(run.get("tendon_jacobian").reshape(-1), [-1.0, -1.0, -0.5, 2.0], 1e-9)
    run.set("qvel", 0.3, at="guide_z")
    run.sim.forward()
    run.check("tendon_velocity", [0.6], 1e-9)


def test_case_19_a_little_more_than_half_a_turn(backend):
    r = evaluate(
        backend,
        scenes.guide_scene(
            "cylinder", radius=0.49, pos=(0, 0, 2.65), axis=(0, 1, 0), side=(0, 0, 3.4)
        ),
        (-0.48, 0, 1.47),
        (0.48, 0, 1.77),
    )
    r.check_length("3.599479759")
    t = [np.sqrt(0.48**2 + (z - 2.65) ** 2 - 0.49**2) for z in (1.47, 1.77)]
    assert_near(np.degrees((r.length[0] - sum(t)) / 0.49), "181.1395",
                1e-9 if not backend.is_float32 else 1e-3)  # fmt: skip


ARM_LENGTHS = {
    (0.0, 0.0): (
        ".34035620",
        ".34035620",
        ".21640823",
        ".21640823",
        ".79987965",
        ".79987965",
    ),
    (0.5, 0.8): (
        ".29035620",
        ".39035620",
        ".15068061",
        ".28040823",
        ".67587076",
        ".91387965",
    ),
    (1.0, 1.5): (
        ".24035620",
        ".44035620",
        ".07867599",
        ".33640823",
        ".54041098",
        "1.01987965",
    ),
}


@pytest.mark.parametrize("q", ARM_LENGTHS, ids=str)
def test_case_26_arm_of_six_tendons(backend, q):
    run = backend.run(scenes.arm_of_six())
    run.set("qpos", list(q))
    run.sim.forward()
    run.check("tendon_length", list(ARM_LENGTHS[q]), 1e-8, is_length=True)
    if q == (1.0, 1.5):
        jacobian = run.get("tendon_jacobian").reshape(6, 2)
        run.near(jacobian[4], ["-.119427", "-.115711"], 1e-9, scale=0.2)


@pytest.mark.parametrize("seed", range(20))
def test_case_39_jacobian_against_differences_on_random_trees(seed):
    """All joint types, guides and side sites on random bodies, ten poses each: 200 in all. [E-7],
    [R-27], [R-28], [R-61]. J against central differences of the backend's own lengths, 1e-8; the J of
    float32 against differences in float64 at poses that float32 can hold."""
    model = random_tree(seed, guides=True)
    units = np.tile(np.eye(model.nv), (10, 1, 1))
    for backend in GEOMETRY:
        real = np.float32 if backend.is_float32 else np.float64
        q, v = rounded_poses(model, seed, 10, real)
        lengths_of = FLOAT64 if backend.is_float32 else backend
        difference = np.moveaxis(central_difference(lengths_of, model, q, units), 1, 2)
        _, jacobian, _ = routed(backend, model, q, v)
        assert_near(jacobian, difference, FLOAT32_GRADIENT if backend.is_float32 else 1e-8)


@pytest.mark.parametrize("seed", range(20))
def test_case_39_rate_is_what_the_length_does_along_the_motion(seed):
    """[R-2]: tendon_velocity against (l(q (+) eps v) - l(q (+) -eps v))/(2 eps), 1e-8 of the largest
    rate; and the two paths against each other, 1e-13."""
    model = random_tree(seed, guides=True)
    for backend in GEOMETRY:
        real = np.float32 if backend.is_float32 else np.float64
        q, v = rounded_poses(model, seed, 10, real)
        lengths_of = FLOAT64 if backend.is_float32 else backend
        difference = central_difference(lengths_of, model, q, v[:, None])[:, 0]
        _, _, rate = routed(backend, model, q, v)
        scale = 1 + np.abs(difference).max()
        assert_near(rate, difference, scale * (FLOAT32_GRADIENT if backend.is_float32 else 1e-8))
    q, v = rounded_poses(model, seed, 10)
    expected, rate = (routed(backend, model, q, v)[2] for backend in (EXACT, FLOAT64))
    assert_near(rate, expected, 1e-13 * (1 + np.abs(expected).max()))


@pytest.mark.parametrize("seed", range(10))
def test_case_39_curvature_of_straight_paths_against_second_differences(seed):
    """b_l = (l(+d) - 2 l(0) + l(-d))/d^2 along q (+) d v, for tendons with armature and no guides."""
    model = random_tree(seed, guides=False, armature=1.0)
    for backend in GEOMETRY[:2]:
        curvature, difference = second_differences(backend, model, seed, poses=10)
        assert_near(curvature, difference, 1e-5 * (1 + np.abs(difference).max()))


def second_differences(backend, model, seed, poses):
    from random_models import displace, random_pose

    rng = np.random.default_rng(seed + 1000)
    delta = 1e-4
    rows, velocities = [], []
    for _ in range(poses):
        q, v = random_pose(model, rng)
        rows += [q, displace(model, q, delta * v), displace(model, q, -delta * v)]
        velocities += [v] * 3
    sim = backend.simulate(model, num_worlds=len(rows))
    sim.qpos.set(np.array(rows))
    sim.qvel.set(np.array(velocities))
    sim.forward()
    length = np.array(sim.tendon_length.numpy()).reshape(poses, 3, -1)
    curvature = np.array(sim.tendon_curvature.numpy()).reshape(poses, 3, -1)[:, 0]
    return curvature, (length[:, 1] - 2 * length[:, 0] + length[:, 2]) / delta**2


@pytest.mark.parametrize(
    "kind, guide",
    [
        ("cylinder", {"radius": 0.1}),
        ("cylinder", {"radius": 0.1, "side": (0.05, -0.3, 0.1)}),
        ("cylinder", {"radius": 0.1, "side": (0.02, 0.01, 0.4)}),
        ("sphere", {"radius": 0.1}),
        ("sphere", {"radius": 0.1, "side": (0.05, -0.3, 0.1)}),
        ("sphere", {"radius": 0.1, "side": (0.01, 0.02, 0.0)}),
    ],
    ids=lambda x: x if isinstance(x, str) else str(x.get("side")),
)
def test_case_40_rigid_motion_scale_and_reversal(kind, guide):
    """[R-4]: length unchanged, gradients turned; they balance, in force and in moment."""
    rng = np.random.default_rng(40)
    n = 40
    a = rng.normal(size=(n, 3)) * [0.1, 0.1, 0.2] + [-0.35, 0, 0]
    b = rng.normal(size=(n, 3)) * [0.1, 0.1, 0.2] + [0.35, 0, 0]
    for backend in GEOMETRY:
        model = scenes.guide_scene(kind, on="free", **guide)
        home = evaluate(backend, model, a, b)
        gradient = home.gradient_tolerance(1e-11)

        turns = [random_rotation(rng) for _ in range(n)]
        shift = rng.normal(size=(n, 3))
        R = np.array([t[0] for t in turns])
        moved = evaluate_with_free_guide(
            backend, model, np.einsum("nij,nj->ni", R, a) + shift,
            np.einsum("nij,nj->ni", R, b) + shift, shift, np.array([t[1] for t in turns]))  # fmt: skip
        assert_near(moved.length, home.length, moved.length_tolerance(1e-12 * 4))
        assert_near(moved.gradient_b, np.einsum("nij,nj->ni", R, home.gradient_b), gradient)

        force = moved.gradient_a + moved.gradient_b + moved.jacobian[:, 6:9]
        moment = (
            np.cross(moved.a, moved.gradient_a)
            + np.cross(moved.b, moved.gradient_b)
            + np.cross(shift, moved.jacobian[:, 6:9])
            + np.einsum("nij,nj->ni", R, moved.jacobian[:, 9:12])
        )
        rounding = np.finfo(np.float32).eps / np.finfo(float).eps if backend.is_float32 else 1
        assert np.abs(force).max() < 1e-14 * 4 * rounding
        assert np.abs(moment).max() < 1e-14 * 40 * rounding, "moments, with arms of up to 4 m"

        small = {
            key: tuple(1e-3 * np.array(v)) if key == "side" else 1e-3 * v
            for key, v in guide.items()
        }
        scaled = evaluate(backend, scenes.guide_scene(kind, on="free", **small), 1e-3 * a, 1e-3 * b)
        assert_near(scaled.length, 1e-3 * home.length, scaled.length_tolerance(1e-15))
        assert_near(scaled.gradient_b, home.gradient_b, gradient)

        back = evaluate(backend, scenes.guide_scene(kind, on="free", reverse=True, **guide), a, b)
        assert_near(back.length, home.length, back.length_tolerance(1e-12))
        assert_near(back.gradient_b, home.gradient_b, gradient)


PARTS = 6


def path_of_parts(scale=1.0, is_reversed=False):
    """One tendon over six free bodies with everything a path can hold: points, guides without a side
    site, with one on another body and with one inside, a pulley, a joint term. Reversed: each branch
    from its end."""
    b = scenes.builder()
    for i in range(PARTS):
        b.add_body(f"part_{i}", mass=1.0, inertia=(1, 1, 1))
        b.add_joint(f"part_{i}", f"part_{i}", type="free")
    b.add_body("wheel", mass=1.0, inertia=(1, 1, 1))
    b.add_joint("wheel", "turn", type="hinge", axis=(0, 0, 1))

    def on(part, x=0.0, y=0.0, z=0.0):
        return {"body": f"part_{part}", "pos": tuple(scale * np.array([x, y, z]))}

    def at(part, x=0.0, y=0.0, z=0.0):
        return tuple(on(part, x, y, z).values())

    first = [
        via(**on(0, 0.02)),
        cylinder(**on(1, 0.01, 0.02, 0), radius=0.08 * scale, axis=(0.2, 0.1, 1)),
        via(**on(2)),
        cylinder(**on(3), radius=0.06 * scale, side=at(1, 0, 0.3, 0)),
        via(**on(4, 0, 0, 0.03)),
    ]
    second = [
        via(**on(0, 0, 0.05)),
        sphere(**on(2, 0, 0, 0.01), radius=0.05 * scale, side=at(2, 0, 0, 0.02)),
        via(**on(5)),
        sphere(**on(4, 0.01), radius=0.07 * scale, side=at(5, 0.3, 0.1, 0)),
        via(**on(1, 0.1)),
        joint_term("turn", 0.3 * scale),
    ]
    if is_reversed:
        first, second = first[::-1], second[::-1]
    b.add_spatial_tendon("line", [*first, pulley(2.5), *second])
    return b.finalize()


def poses_of_parts(rng, n):
    """Positions (n, parts, 3) along a zigzag, unit quaternions (n, parts, 4), wheel angles (n,)."""
    places = [
        [0, 0, 0],
        [0.3, 0.05, 0],
        [0.6, 0, 0.1],
        [0.8, 0.3, 0],
        [0.6, 0.6, 0],
        [0.2, 0.5, 0.2],
    ]
    x = np.array(places) + rng.normal(scale=0.03, size=(n, PARTS, 3))
    turns = [[random_rotation(rng)[1] for _ in range(PARTS)] for _ in range(n)]
    return x, np.array(turns), rng.uniform(-1, 1, n)


def route_parts(backend, model, x, turns, wheel):
    """(length, Jacobian (n, parts, 6): force in world axes and moment in the body's, that of "turn")."""
    sim = backend.simulate(model, num_worlds=len(x))
    q = np.concatenate([x, turns], axis=2).reshape(len(x), -1)
    sim.qpos.set(np.concatenate([q, wheel[:, None]], axis=1))
    sim.forward()
    jacobian = np.array(sim.tendon_jacobian.numpy(), float).reshape(len(x), -1)
    parts = jacobian[:, :-1].reshape(len(x), PARTS, 6)
    return np.array(sim.tendon_length.numpy(), float)[:, 0], parts, jacobian[:, -1]


@pytest.mark.parametrize("backend", GEOMETRY, ids=str)
def test_case_40_whole_paths(backend):
    """[R-4] for `path_of_parts`. Lengths and gradients to 1e-12 relative, float32 by [R-60]; the
    wrenches of unit tension sum to 0 within rounding of their magnitudes."""
    rng = np.random.default_rng(41)
    n = 30
    x, turns, wheel = poses_of_parts(rng, n)
    length, parts, turn = route_parts(backend, path_of_parts(), x, turns, wheel)
    eps = np.finfo(np.float32 if backend.is_float32 else np.float64).eps
    of_length = FLOAT32_LENGTH if backend.is_float32 else 1e-12
    of_gradient = FLOAT32_GRADIENT if backend.is_float32 else 1e-12
    real = np.float32 if backend.is_float32 else np.float64
    assert_near(turn, np.full(n, real(0.3) * real(1 / 2.5)), 4 * eps)
    assert np.all(np.abs(parts[:, [1, 3, 4]]).max(axis=(0, 2)) > 0.1), "guides bend the line"

    R = np.array([[matrix(t) for t in row] for row in turns])
    force = parts[:, :, :3]
    moment = np.cross(x, force) + np.einsum("npij,npj->npi", R, parts[:, :, 3:])
    assert np.abs(force.sum(1)).max() < 45 * eps
    assert np.abs(moment.sum(1)).max() < 45 * eps * 2, "with arms of up to 1 m"

    rotations = [random_rotation(rng) for _ in range(n)]
    Q, quaternions = np.array([r for r, _ in rotations]), np.array([q for _, q in rotations])
    shift = rng.normal(size=(n, 1, 3))
    moved_x = np.einsum("nij,npj->npi", Q, x) + shift
    moved, moved_parts, _ = route_parts(
        backend, path_of_parts(), moved_x, multiply(quaternions[:, None], turns), wheel
    )
    size = length + np.abs(moved_x).max((1, 2))
    assert_near(moved, length, of_length * size)
    expected = np.einsum("nij,npj->npi", Q, force)
    assert_near(moved_parts[:, :, :3], expected, 4 * of_gradient)
    assert_near(moved_parts[:, :, 3:], parts[:, :, 3:], 4 * of_gradient)

    small, small_parts, _ = route_parts(backend, path_of_parts(1e-3), 1e-3 * x, turns, wheel)
    assert_near(1e3 * small, length, of_length * (length + np.abs(x).max((1, 2))))
    assert_near(small_parts[:, :, :3], force, 4 * of_gradient)
    assert_near(1e3 * small_parts[:, :, 3:], parts[:, :, 3:], 4 * of_gradient)

    back, back_parts, _ = route_parts(backend, path_of_parts(is_reversed=True), x, turns, wheel)
    assert_near(back, length, of_length * (length + np.abs(x).max((1, 2))))
    assert_near(back_parts, parts, 4 * of_gradient)


def evaluate_with_free_guide(backend, model, a, b, position, quaternion):
    from routes import read

    sim = backend.simulate(model, num_worlds=len(a))
    q = np.concatenate([a, b, position, quaternion], axis=1)
    sim.qpos.set(q)
    sim.forward()
    return read(backend, sim, a, b)


def test_case_43_one_bad_world_leaves_all_others_alone():
    """4,096 worlds: the bits of 4,095 do not depend on the NaN in world 1,234."""
    model = scenes.arm_of_six()
    rng = np.random.default_rng(43)
    q = rng.uniform(-0.5, 1.0, size=(4096, 2))
    for backend in GEOMETRY:
        lengths = []
        for is_bad in (False, True):
            sim = backend.simulate(model, num_worlds=4096)
            poses = q.copy()
            if is_bad:
                poses[1234, 1] = np.nan
            sim.qpos.set(poses)
            sim.forward()
            lengths.append(np.array(sim.tendon_length.numpy()))
        others = np.arange(4096) != 1234
        assert lengths[0][others].tobytes() == lengths[1][others].tobytes()
        assert np.all(np.isfinite(lengths[0]))
        assert np.any(np.isnan(lengths[1][1234])), "lengths of a broken pose stay NaN"


def test_quaternion_helpers_agree():
    rng = np.random.default_rng(0)
    (p, q), (r, s) = random_rotation(rng), random_rotation(rng)
    assert_near(matrix(multiply(q, s)), p @ r, 1e-14)
    assert flexor.__version__
