"""Routing cases 9-17, 20-25, 44-46, 48-50, 59, 60 and 62: one guide between two points.

The end points slide freely, so the six entries of the Jacobian row are the gradients g_a, g_b; the
tangent points follow from them. Left out here: values under compat (15), parameter derivatives as
read-outs (10, 14, 48: checked as differences over per-world radii), wrap read-outs (arc and arc
length: they follow from the length).
"""

import flexor
import numpy as np
import pytest
import scenes
from routes import evaluate, random_rotation, rotation
from support import GEOMETRY, assert_near

PI = np.pi


@pytest.fixture(params=GEOMETRY, ids=str)
def backend(request):
    return request.param


def route(backend, a, b, kind="cylinder", **guide):
    return evaluate(backend, scenes.guide_scene(kind, **guide), a, b)


def check_radius_derivative(backend, expected, a, b, radius, kind="cylinder", **guide):
    """Central difference of the length over the radius, a per-world parameter, against dl/dr [R-55].

    float64: steps of 1e-6 m, 1e-6. float32: steps of r/50 leave 1e-4 of truncation (the third derivative is about
    1/r^2) and 2e-5 of rounding.
    """
    model = scenes.guide_scene(kind, radius=radius, **guide)
    both = evaluate(backend, model, [a, a], [b, b])
    step = radius / 50 if backend.is_float32 else 1e-6
    both.sim.set_parameter("tendon/line/route/1/radius", [[radius - step], [radius + step]])
    both.sim.forward()
    low, high = np.array(both.sim.tendon_length.numpy(), float)[:, 0]
    real = np.float32 if backend.is_float32 else np.float64
    width = float(real(radius + step)) - float(real(radius - step))
    assert_near((high - low) / width, expected, 5e-4 if backend.is_float32 else 1e-6)


def test_case_09_cylinder_planar(backend):
    """[R-7], [R-8], [R-10], [R-11]"""
    r = route(backend, (-0.3, 0.02, 0), (0.3, 0.02, 0), radius=0.1)
    r.check_length(".621595033")
    r.check_gradient_b([".9631049", "-.2691263", 0])
    points = r.tangent_points(0.1, "cylinder")
    assert_near(points, [["-.0269126", ".0963105", 0], [".0269126", ".0963105", 0]],
                1e-7 if not backend.is_float32 else 1e-5)  # fmt: skip


def test_case_10_cylinder_helix(backend):
    """[R-13], [R-14]: z_A = z_a + dz t_a/s_perp; the turn angle [R-40] is dl/dr [R-55]."""
    r = route(backend, (-0.3, 0.02, -0.2), (0.3, 0.02, 0.25), radius=0.1)
    r.check_length(".767385421")
    r.check_gradient_b([".7801311", "-.2179968", ".5864068"])
    a, b = r.tangent_points(0.1, "cylinder")
    assert_near([a[2], b[2]], [".0052736", ".0447264"], r.gradient_tolerance())
    r.check_helix(0.1, arc_length=".067279052")
    check_radius_derivative(backend, ".441436098", r.a[0], r.b[0], 0.1)


def test_case_11_side_site_takes_the_long_way(backend):
    r = route(backend, (-0.3, 0.02, -0.2), (0.3, 0.02, 0.25), radius=0.1, side=(0, -0.3, 0))
    r.check_length(".789108451")
    r.check_gradient_b([".7548058", ".3241409", ".5702638"])


def test_case_12_side_on_the_segments_side_releases(backend):
    """[R-64]"""
    r = route(backend, (-0.3, 0.15, 0), (0.3, 0.15, 0), radius=0.1, side=(0, 0.3, 0))
    r.check_length(0.6)
    r.check_gradient_b([1.0, 0, 0])


@pytest.mark.parametrize("side", [None, (0, 0.2, 0.1)])
def test_case_13_sphere(backend, side):
    """[R-15]: the plane is that of centre and end points; the side chooses the arc."""
    r = route(backend, (-0.3, 0.02, 0.05), (0.3, 0.01, -0.02), "sphere", radius=0.1, side=side)
    r.check_length(".625001636")
    r.check_gradient_b([".9327317", "-.2040241", "-.2972973"])
    assert_near(r.tangent_points(0.1, "sphere")[0], ["-.0169903", ".0688279", ".0705269"],
                1e-9 if not backend.is_float32 else 1e-5)  # fmt: skip


def test_case_14_interior_cylinder(backend):
    """[R-20]-[R-22], [R-63]: the bend lies on both lines, along -g_a from a and along -g_b from b."""
    a, b = np.array([-0.2, -0.12, -0.1]), np.array([0.25, -0.15, 0.2])
    r = route(backend, a, b, radius=0.1, side=(0, 0, 0))
    r.check_length(".545764396")
    r.check_gradient_b([".8196470", "-.1613140", ".5496877"])
    bend = np.array([-0.0045884, -0.0998947, 0.0292630])
    for x, g in ((a, r.gradient_a[0]), (b, r.gradient_b[0])):
        distance = np.linalg.norm(x - bend)
        assert_near(x - distance * g, bend, 1e-7 if not backend.is_float32 else 1e-5)
    check_radius_derivative(backend, "-.2470717", a, b, 0.1, side=(0, 0, 0))


def test_case_15_interior_is_judged_by_the_distance_from_the_axis(backend):
    """[R-19]: bend at (0, .1, 0). (The values of MuJoCo's rule need compat.)"""
    r = route(backend, (-0.3, 0.2, 0), (0.3, 0.2, 0), radius=0.1, side=(0, 0, 0.11))
    r.check_length(2 * np.hypot(0.3, 0.1))
    r.check_length(".632455532")


def test_case_16_near_touch_and_reversed_path(backend):
    """[R-8]-[R-10]: phi is what the tangents leave of the length."""
    a, b = (2, 0.9, 0), (-2, 1, 0)
    for ends, order in (((a, b), 1), ((b, a), -1)):
        r = route(backend, *ends, radius=1.0)
        points = r.tangent_points(1.0, "cylinder")[::order]
        tolerance = 1e-9 if not backend.is_float32 else 1e-4
        assert_near(points[0], [".0505759009075", ".9987202202055", 0], tolerance)
        assert_near(points[1], [0, 1, 0], tolerance)
        assert_near(r.arc_angle(1.0), [".0505974872969"], tolerance)


def test_case_17_sphere_and_cylinder_of_radius_1(backend):
    sphere = route(backend, (-2, 0.3, 0.4), (2.5, -0.2, 0.6), "sphere", radius=1.0)
    sphere.check_length("4.6489071630")
    assert_near(sphere.arc_angle(1.0), [".4691586605"], 1e-9 if not backend.is_float32 else 1e-4)
    a, b = (-2, 0.3, -0.8), (2.5, -0.2, 0.9)
    cylinder = route(backend, a, b, radius=1.0, side=(0, 2, 0))
    cylinder.check_length("5.2017624420")
    cylinder.check_helix(1.0, arc_length=".9081578648")


def test_case_46_long_way_of_case_17(backend):
    r = route(backend, (-2, 0.3, -0.8), (2.5, -0.2, 0.9), radius=1.0, side=(0, -3, 0))
    r.check_length("5.3324891534")
    r.check_helix(1.0, phi=".996410170")


@pytest.mark.parametrize("kind", ["cylinder", "sphere"])
@pytest.mark.parametrize("turned", [False, True])
def test_case_20_wrapping_onto_a_guide(backend, kind, turned):
    """a and b have tangents of .4 and .5 along y = .5 at q = 0; each turn by q adds r q = .5 q."""
    rng = np.random.default_rng(20)
    R, q = random_rotation(rng) if turned else (np.eye(3), np.array([1.0, 0, 0, 0]))
    b = scenes.builder()
    b.add_body("arm", quat=tuple(q), mass=1.0, inertia=(1, 1, 1))
    b.add_joint("arm", "turn", type="hinge", axis=(0, 0, 1))
    guide = {"cylinder": {"axis": tuple(R @ [0, 0, 1])}, "sphere": {}}[kind]
    b.add_spatial_tendon("line", [
        flexor.via(body="world", pos=tuple(R @ [0.4, 0.5, 0])),
        scenes.GUIDES[kind](body="world", pos=(0, 0, 0), radius=0.5,
                            side=("world", tuple(R @ [0, 1, 0])), **guide),
        flexor.via(body="arm", pos=(-0.5, 0.5, 0)),
    ])  # fmt: skip
    angles = np.linspace(0, PI / 2, 91)
    sim = backend.simulate(b.finalize(), num_worlds=len(angles))
    sim.qpos.at("turn").numpy()[:] = angles
    sim.forward()
    lengths = np.array(sim.tendon_length.numpy(), float)[:, 0]
    slopes = np.array(sim.tendon_jacobian.numpy(), float).reshape(-1)
    assert_near(lengths, 0.9 + 0.5 * angles, 4e-6 if backend.is_float32 else 1e-12)
    assert_near(slopes[1:], np.full(90, 0.5), 2e-5 if backend.is_float32 else 1e-12)


def test_case_21_sphere_around_the_back(backend):
    x = np.tan(np.radians(22.5))
    a, b = (x, 1, 0), (x, -1, 0)
    short = route(backend, a, b, "sphere", radius=1.0)
    short.check_length("2.399223452")
    c = np.sqrt(0.5)
    assert_near(short.tangent_points(1.0, "sphere"), [[c, c, 0], [c, -c, 0]],
                1e-9 if not backend.is_float32 else 1e-5)  # fmt: skip
    long = route(backend, a, b, "sphere", radius=1.0, side=(-3, 0, 0))
    long.check_length("3.970019778")


def test_case_21_says_that_the_long_way_is_no_minimum(backend):
    """[R-53]"""
    x = np.tan(np.radians(22.5))
    short = route(backend, (x, 1, 0), (x, -1, 0), "sphere", radius=1.0)
    long = route(backend, (x, 1, 0), (x, -1, 0), "sphere", radius=1.0, side=(-3, 0, 0))
    assert short.status[0] & 1 << 4 == 0
    assert long.status[0] == 1 << 4


@pytest.mark.parametrize(
    "side, contact",
    [((0, 0, 0.2), (-1 / 30, 0, 0.0942809)), (None, (-1 / 30, 0.0942809, 0))],
)
def test_case_22_sphere_centre_in_line_with_the_ends(backend, side, contact):
    """[R-15]: the side site chooses the plane, else the axis of smallest component."""
    r = route(backend, (-0.3, 0, 0), (0.3, 0, 0), "sphere", radius=0.1, side=side)
    r.check_length(".633652807")
    assert_near(
        r.tangent_points(0.1, "sphere")[0],
        contact,
        1e-7 if not backend.is_float32 else 1e-5,
    )


def test_case_22_says_that_the_plane_is_degenerate(backend):
    ends = ((-0.3, 0, 0), (0.3, 0, 0))
    assert route(backend, *ends, "sphere", radius=0.1, side=(0, 0, 0.2)).status[0] == 1 << 2
    assert route(backend, *ends, "sphere", radius=0.1).status[0] == 1 << 2 | 1 << 3


def test_case_23_force_on_a_sphere(backend):
    """[R-26]-[R-28]: unit tension: force (0, sqrt 2, 0) on the sphere, no moment about its centre, moment sqrt 2
    about a frame 1 m along -x."""
    root2 = np.sqrt(2)
    a, b = (-0.3 * root2, 0.2 * root2, 0), (0.3 * root2, 0.2 * root2, 0)
    guide = {"radius": 0.1, "side": (0, -0.2, 0)}
    tolerance = 2e-5 if backend.is_float32 else 1e-9

    model = scenes.guide_scene("sphere", on="free", **guide)
    r = evaluate(backend, model, a, b)
    r.check_length(1 + 0.05 * PI)
    first = list(r.sim.qvel.names).index("guide") if "guide" in r.sim.qvel.names else 6
    assert_near(-r.jacobian[0, first : first + 6], [0, root2, 0, 0, 0, 0], tolerance)

    slides = scenes.guide_scene("sphere", on="slides", **guide)
    sim = evaluate(backend, slides, a, b).sim
    sim.qvel.at("guide_y").numpy()[:] = 4.0
    sim.forward()
    assert_near(np.array(sim.tendon_velocity.numpy())[0], [-4 * root2], 4 * tolerance)

    turned = scenes.guide_scene("sphere", on="hinge", offset=(-1, 0, 0), pos=(1, 0, 0),
                                radius=0.1, side=(1, -0.2, 0))  # fmt: skip
    r = evaluate(backend, turned, a, b)
    r.check_length(1 + 0.05 * PI)
    assert_near(-r.jacobian[0, 6], root2, tolerance)


def test_case_24_engages_exactly_while_the_segment_cuts_the_sphere(backend):
    """The bodies' gradient has a y component exactly where the line is bent."""
    phase = np.arange(0.01, 4 * PI, 0.02)
    y = 0.1 * np.sin(phase)
    a = np.stack([np.full_like(y, -2), y, np.zeros_like(y)], axis=1)
    r = route(backend, a, a * [-1, 1, 1], "sphere", radius=1.5, pos=(0, -1.5, 0))
    is_engaged = np.abs(r.gradient_a[:, 1]) > 1e-6
    assert np.array_equal(is_engaged, y < 0)
    assert_near(r.length[y > 0], np.full(np.sum(y > 0), 4.0), r.length_tolerance()[y > 0]
                if backend.is_float32 else 1e-12)  # fmt: skip
    two = route(backend, [(-2, -0.1, 0), (-2, -0.02, 0)], [(2, -0.1, 0), (2, -0.02, 0)],
                "sphere", radius=1.5, pos=(0, -1.5, 0))  # fmt: skip
    two.check_length(["4.005061033", "4.000200498"])


def test_case_25_zero_arcs_never_become_full_turns(backend):
    """[R-12]: straight pieces of 1 m on both sides of an arc of nearly nothing, nudged by units in the last
    place: the length moves as little."""
    rng = np.random.default_rng(25)
    count = 1000 if backend.device == "reference" else 10000
    real = np.float32 if backend.is_float32 else np.float64
    radius = 1.0
    for side in (None, (0, 2, 0)):
        model = scenes.guide_scene("cylinder", radius=radius, side=side)
        for arc in (0.0, 1e-17, 1e-12, 1e-9, 1e-6):
            # tangent point at angle pi/2 + arc/2, free piece of 1 m leaving it to the left
            turn = np.pi / 2 + arc / 2
            a = radius * np.array([np.cos(turn), np.sin(turn)])
            a += [-np.sin(turn), np.cos(turn)]
            ends = np.array([[a[0], a[1], 0], [-a[0], a[1], 0]], dtype=real)
            nudge = rng.integers(-1, 2, size=(count, 2, 2))
            nudged = np.tile(ends, (count, 1, 1))
            nudged[:, :, :2] += nudge * np.spacing(np.abs(nudged[:, :, :2]))
            nudged = nudged.astype(float)
            for order in (slice(None), slice(None, None, -1)):
                pair = nudged[:, order]
                r = evaluate(backend, model, pair[:, 0], pair[:, 1])
                error = np.abs(r.length - (2 + radius * arc))
                assert error.max() < (1e-6 * radius if backend.is_float32 else 1e-12), (
                    side,
                    arc,
                )


def test_case_44_segment_misses_on_the_wrong_side(backend):
    r = route(backend, (-0.3, 0.15, 0), (0.3, 0.15, 0), radius=0.1, side=(0, -0.3, 0))
    r.check_length(".793591136")
    r.check_gradient_b([".7204166", ".6935416", 0])
    assert_near(
        r.tangent_points(0.1, "cylinder"),
        [["-.0693542", "-.0720417", 0], [".0693542", "-.0720417", 0]],
        1e-7 if not backend.is_float32 else 1e-5,
    )


def test_case_45_short_way_without_side(backend):
    """[R-16]"""
    r = route(backend, (2, -2, 0), (-2, 2.1, 0), radius=1.0)
    r.check_length("6.056919643")
    tolerance = 1e-9 if not backend.is_float32 else 1e-4
    a, b = r.tangent_points(1.0, "cylinder")
    assert_near(a, [".9114378277661", ".4114378277661", 0], tolerance)
    assert_near(b, [".4419115561597", ".8970586249140", 0], tolerance)
    assert_near(r.arc_angle(1.0), [".6890368140430"], tolerance)


def oblique():
    q = np.array([1, 0.3, -0.2, 0.1])
    q /= np.linalg.norm(q)
    w, x, y, z = q
    axis = np.array([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)])
    return {
        "radius": 0.04,
        "pos": (0.1, 0.05, -0.02),
        "axis": tuple(axis),
        "side": (0.1, 0.2, 0.1),
    }


def test_case_48_oblique_cylinder(backend):
    a, b = (-0.12, 0.02, 0.05), (0.21, 0.06, -0.08)
    r = route(backend, a, b, **oblique())
    r.check_length(".374975659")
    assert_near(r.gradient_a[0], ["-.9407199", "-.2713845", ".2034615"], r.gradient_tolerance())
    # A = a - g_a t_a/|g_plane|, t_a from the distance to the axis
    axis = np.array(oblique()["axis"])
    from_centre = np.array(a) - oblique()["pos"]
    t = np.sqrt(from_centre @ from_centre - (from_centre @ axis) ** 2 - 0.04**2)
    g = r.gradient_a[0]
    contact = np.array(a) - g * t / np.linalg.norm(g - (g @ axis) * axis)
    assert_near(
        contact,
        [".0947388", ".0819491", ".0035557"],
        1e-9 if not backend.is_float32 else 1e-5,
    )
    check_radius_derivative(backend, ".6998038", a, b, **oblique())


def test_case_49_small_sphere(backend):
    centre = np.array([0.02, 0.01, 0.3])
    a, b = np.array([-0.03, 0.015, 0.31]), np.array([0.05, 0.012, 0.296])
    r = route(backend, a, b, "sphere", radius=0.024, pos=tuple(centre))
    r.check_length(".093196361")
    t = [np.sqrt((x - centre) @ (x - centre) - 0.024**2) for x in (a, b)]
    phi = (r.length[0] - sum(t)) / 0.024
    assert_near(phi, "1.224301773", 1e-9 if not backend.is_float32 else 1e-4)


def test_case_49_orientation_of_a_sphere_does_not_matter(backend):
    """The centre given in the frame of a turned body."""
    rng = np.random.default_rng(49)
    for _ in range(5):
        R, q = random_rotation(rng)
        b = scenes.builder()
        for name in ("a", "b"):
            scenes.add_point_mass(b, name)
        b.add_body("guide", pos=(0.02, 0.01, 0.3), quat=tuple(q))
        path = [
            flexor.via(body="a"),
            flexor.sphere(body="guide", radius=0.024),
            flexor.via(body="b"),
        ]
        b.add_spatial_tendon("line", path)
        r = evaluate(backend, b.finalize(), (-0.03, 0.015, 0.31), (0.05, 0.012, 0.296))
        r.check_length(".093196361")


def test_case_50_millimetres(backend):
    r = route(
        backend,
        (-0.01, 0.0012, 0.002),
        (0.02, 0.0009, -0.004),
        radius=0.001,
        side=(0, -0.004, 0),
    )
    r.check_length(".030918802226", 1e-12)
    r.check_helix(0.001, phi=".313820375")


def test_case_59_grazing_sphere(backend):
    r = route(backend, (-0.25, 0.099, 0), (0.25, 0.099, 0), "sphere", radius=0.1)
    r.check_length(".500004002")
    assert_near(r.arc_angle(0.1), [".008006367"], 1e-8 if not backend.is_float32 else 2e-4)


def test_case_60_side_far_along_the_axis(backend):
    a, b = (-0.25, 0.05, 0), (0.13, -0.11, 0.2)
    for side in ((0.2, 0.2, 5), (0.2, 0.2, 0)):
        r = route(backend, a, b, radius=0.1, side=side)
        r.check_length(".562660416")
        r.check_helix(0.1, phi="1.535538735")
    auto = route(backend, a, b, radius=0.1, side=(0.1, 0, 7))
    forced = route(backend, a, b, radius=0.1, side=(0.1, 0, 7), side_mode="exterior")
    inside = route(backend, a, b, radius=0.1, side=(0.1, 0, 7), side_mode="interior")
    assert auto.length[0] == forced.length[0] != inside.length[0]


def polar(radius, degrees):
    return radius * np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees)), 0])


@pytest.mark.parametrize(
    "end, side, expected",
    [
        (150, 164, ".443485550"),
        (150, 166, ".548205305"),
        (40, -75, ".160920961"),
        (40, -86, ".160920961"),
        (40, 100, ".160920961"),
        (40, -88, ".740191523"),
        (40, 112, ".740191523"),
    ],
)
def test_case_62_two_steps_of_the_side_rule(backend, end, side, expected):
    """[R-64], then [R-17]"""
    r = route(backend, (0.2, 0, 0), polar(0.25, end), radius=0.1, side=tuple(polar(0.3, side)))
    r.check_length(expected)


def test_rodrigues_is_a_rotation():
    R = rotation((1, 2, 3), 0.7)
    assert_near(R @ R.T, np.eye(3), 1e-15)
