"""Building models by calls: handles, helper objects, errors of one call."""

import flexor
import numpy as np
import pytest
from flexor import cylinder, joint_term, pulley, sphere, via


def arm(**tendon):
    """Two links in the x-z plane with one tendon over a drum."""
    b = flexor.ModelBuilder("arm", timestep=0.001)
    upper = b.add_body(
        "upper", pos=(0, 0, 1), mass=1.0, com=(0, 0, -0.2), inertia=(0.02, 0.02, 0.001)
    )
    b.add_joint(upper, "shoulder", axis=(0, 1, 0), lower=-1.5, upper=1.5, damping=0.1)
    lower = b.add_body(
        "lower", parent=upper, pos=(0, 0, -0.4), mass=0.5, inertia=(0.01, 0.01, 0.001)
    )
    b.add_joint(lower, "elbow", axis=(0, 1, 0), lower=-1, upper=1)
    b.add_site("world", "anchor", pos=(0.05, 0, 1.2))
    b.add_spatial_tendon(
        "flexor",
        [
            via(site="anchor"),
            cylinder(body=upper, radius=0.02, axis=(0, 1, 0), side=("upper", (0.1, 0, 0))),
            via(body=lower, pos=(0.02, 0, -0.2)),
        ],
        **tendon,
    )
    return b


def test_model_says_what_the_calls_said():
    model = arm(stiffness=500, upper_limit=0.9, drive={"force": -2.0}).finalize()
    assert (model.name, model.nq, model.nv, model.timestep) == ("arm", 2, 2, 0.001)
    assert model.names("joint") == ("shoulder", "elbow")
    assert model.counts == {
        "nq": 2, "nv": 2, "body": len(model.names("body")), "joint": 2, "site": 1, "geom": 0,
        "tendon": 1, "keyframe": 0,
    }  # fmt: skip
    tendon = model.tendons[0]
    assert (tendon.stiffness, tendon.upper_limit, tendon.force) == (500, 0.9, -2.0)
    assert [e.type.name for e in tendon.path] == ["site", "cylinder", "site"]
    assert model.qpos_slice("elbow") == slice(1, 2) and model.qvel_slice(0) == slice(0, 1)
    assert model.index("joint", "elbow") == 1
    assert "arm" in model.summary() and "tendon" in model.summary()
    sim = flexor.Simulation(model, 2)
    assert np.all(sim.drive_force.numpy() == -2.0)


def test_equal_calls_give_equal_models():
    assert arm(stiffness=500).finalize() == arm(stiffness=500).finalize()
    assert arm(stiffness=500).finalize() != arm(stiffness=501).finalize()
    assert len({arm().finalize(), arm().finalize()}) == 1


def test_model_is_immutable_and_editable_as_a_copy():
    model = arm().finalize()
    with pytest.raises(AttributeError, match="immutable"):
        model.name = "other"
    builder = model.to_builder()
    builder.add_point_mass("extra", (0, 0, 0), 1.0)
    assert builder.finalize().nv == 5 and model.nv == 2


def test_handles_know_kind_and_name():
    b = flexor.ModelBuilder()
    body = b.add_body(mass=1.0)
    joint = b.add_joint(body, type="slide")
    assert (body.kind, body.name, int(body)) == ("body", b.finalize().names("body")[-1], 0)
    assert joint.kind == "joint" and joint.name.startswith("joint_")
    with pytest.raises(flexor.ModelError, match="expected a body, this is a joint"):
        b.add_site(joint)


def test_point_mass_moves_along_the_axes_of_the_world():
    b = flexor.ModelBuilder(gravity=(0, 0, 0))
    b.add_point_mass("mass", (1, 2, 3), 0.5)
    model = b.finalize()
    assert model.names("joint") == ("mass_x", "mass_y", "mass_z")
    sim = flexor.Simulation(model, device="reference")
    assert np.allclose(sim.mass_matrix()[0], 0.5 * np.eye(3))
    sim.qpos.set([0.1, 0.2, 0.3])
    sim.forward()
    assert np.allclose(sim.body_position.at("mass").numpy(), [1.1, 2.2, 3.3])


def test_euler_and_inertia_frames():
    """Intrinsic xyz angles of a quarter turn about y, and moments turned with their frame."""
    b = flexor.ModelBuilder()
    half = np.sqrt(0.5)
    b.add_body(
        "a", euler=(0, np.pi / 2, 0), mass=1, inertia=(1, 2, 2.5), inertia_quat=(half, half, 0, 0)
    )
    b.add_joint("a", "j", axis=(1, 0, 0))
    body = b.finalize().bodies[-1]
    assert np.allclose(body.quat, (half, 0, half, 0))
    # a quarter turn about x swaps y and z
    assert np.allclose(body.inertia, (1, 2.5, 2, 0, 0, 0))


def test_fixed_tendon_and_joint_terms():
    b = arm()
    b.add_fixed_tendon("sum", [("shoulder", 0.03), ("elbow", -0.02)])
    b.add_spatial_tendon("mixed", [joint_term("elbow", 0.5), via(site="anchor"), via(body="upper")])
    sim = flexor.Simulation(b.finalize(), device="reference")
    sim.qpos.set([0.4, -0.3])
    sim.forward()
    assert np.allclose(sim.tendon_length.at("sum").numpy(), 0.03 * 0.4 + 0.02 * 0.3)
    assert np.allclose(sim.tendon_jacobian.at("sum").numpy(), [[0.03, -0.02]])


def test_pulley_halves_what_follows():
    b = flexor.ModelBuilder()
    b.add_point_mass("m", (0, 0, 0), 1.0)
    b.add_spatial_tendon(
        "t", [via(pos=(0, 0, 2)), via(body="m"), pulley(2), via(pos=(0, 0, 4)), via(body="m")]
    )
    sim = flexor.Simulation(b.finalize(), device="reference")
    sim.forward()
    assert np.allclose(sim.tendon_length.numpy(), 2 + 4 / 2)


def test_keyframes():
    b = arm()
    b.add_keyframe("bent", qpos=(0.5, -0.5), time=2.0)
    sim = flexor.Simulation(b.finalize(), 2, device="reference")
    sim.reset(keyframe="bent")
    assert sim.qpos.numpy().tolist() == [[0.5, -0.5]] * 2
    with pytest.raises(flexor.UnknownNameError, match="bent"):
        sim.reset(keyframe="bend")
    with pytest.raises(ValueError):
        sim.reset(keyframe=1)


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda b: b.add_body("x", pos=(0, 0)), ("body 'x'", "pos", "3 numbers")),
        (lambda b: b.add_body("x", mass="1"), ("body 'x'", "mass", "number")),
        (lambda b: b.add_body("x", quat=(0, 0, 0, 0)), ("quat", "norm")),
        (lambda b: b.add_body("x", quat=(1, 0, 0, 0), euler=(0, 0, 0)), ("quat", "not both")),
        (lambda b: b.add_body("x", inertia=(1, 1, 1, 1)), ("inertia", "3 or 6")),
        (lambda b: b.add_body(5), ("body", "name")),
        (lambda b: b.add_joint("upper", "x", type="hing"), ("joint 'x'", "type", "hinge")),
        (lambda b: b.add_joint(None, "x"), ("joint 'x'", "body", "handle")),
        (lambda b: b.add_geom("upper", "x", type="sphere", size="big"), ("geom 'x'", "size")),
        (lambda b: b.add_fixed_tendon("x", ["shoulder"]), ("fixed 'x'", "(joint, coefficient)")),
        (lambda b: b.add_spatial_tendon("x", ["anchor"]), ("tendon 'x'", "path[0]", "via")),
        (
            lambda b: b.add_spatial_tendon("x", [], drive={"gain": 1}),
            ("drive 'x'", "gain", "force"),
        ),
        (lambda b: b.add_spatial_tendon("x", [], reference_length="long"), ("reference_length",)),
        (lambda b: via(), ("site", "body and pos")),
        (lambda b: via(site="anchor", pos=(0, 0, 0)), ("not both",)),
        (lambda b: sphere(body="upper"), ("sphere", "radius")),
        (lambda b: sphere(geom="g", radius=1), ("sphere", "radius")),
        (lambda b: cylinder(body="upper", radius=1, side=(1, 2, 3)), ("cylinder", "side")),
        (lambda b: cylinder(body="upper", radius=1, side_mode="left"), ("side_mode", "interior")),
        (lambda b: via(site="anchor").with_side_site("anchor"), ("side", "spheres")),
    ],
)
def test_one_bad_argument_is_one_clear_error(call, words):
    b = arm()
    before = b.finalize()
    with pytest.raises(flexor.ModelError) as caught:
        call(b)
    for word in words:
        assert word in str(caught.value), str(caught.value)
    assert isinstance(caught.value, ValueError) and caught.value.problems
    assert b.finalize() == before, "the builder is unchanged"


def test_finalize_reports_all_problems_at_once_and_stays_usable():
    b = flexor.ModelBuilder("bad")
    b.add_body("a", parent="nowhere", mass=1.0, inertia=(1, 1, 1))
    b.add_joint("a", "j")
    b.add_spatial_tendon("t", [via(site="lost"), via(body="a")])
    with pytest.raises(flexor.ModelError) as caught:
        b.finalize()
    text = str(caught.value)
    assert "nowhere" in text and "lost" in text
    assert len(caught.value.problems) >= 2
    first = caught.value.problems[0]
    assert caught.value.code == first["code"] == "unknown-name"
    assert {"severity", "code", "file", "line", "column", "text", "hint"} <= set(first)


def test_options():
    b = flexor.ModelBuilder("o", timestep=0.004, gravity=(0, 0, -1.62))
    b.set_option("joint_implicit", "backward")
    b.set_option("hard_row_softness", 1e-6)
    b.add_point_mass("m", (0, 0, 0), 1)
    assert b.finalize().options == {
        "timestep": 0.004, "gravity": (0, 0, -1.62), "joint_implicit": "backward",
        "hard_row_softness": 1e-6,
    }  # fmt: skip
    for name, value in (
        ("timestep", 0.0),
        ("timestep", 1.0),
        ("joint_implicit", "forward"),
        ("foo", 1.0),
    ):
        with pytest.raises(ValueError) as caught:
            b.set_option(name, value)
        assert name in str(caught.value)
    with pytest.raises(ValueError):
        flexor.ModelBuilder("o", timestep=-1)


def test_parameters_list_every_number_with_unit_and_range():
    model = arm(stiffness=500).finalize()
    rows = {row.name: row for row in model.parameters()}
    stiffness = rows["tendon/flexor/stiffness"]
    assert (stiffness.nominal, stiffness.unit, stiffness.shape) == (500, "N/m", ())
    assert ">= 0" in stiffness.legal
    assert rows["tendon/flexor/route/1/radius"].nominal == 0.02
    assert rows["option/gravity"].shape == (3,)
    assert model.parameter("joint/elbow/upper").nominal == 1
    with pytest.raises(flexor.UnknownNameError, match="tendon/flexor/stiffness"):
        model.parameter("tendon/flexor/stifness")


def test_load_arguments_are_checked():
    for arguments in (
        {"strict": "maybe"},
        {"format": "urdf"},
        {"softness": "soft"},
        {"paths": "some"},
    ):
        with pytest.raises(ValueError, match=next(iter(arguments))):
            flexor.load_model("<mujoco/>", **arguments)
    with pytest.raises(TypeError):
        flexor.load_model(b"<mujoco/>")
    with pytest.raises(flexor.ModelError, match=r"no_such\.xml"):
        flexor.load_model("no_such.xml")


def test_overrides_and_options_apply_before_compilation():
    text = """<mujoco><worldbody><body><joint name="j"/><geom size=".1" mass="1" contype="0" conaffinity="0"/></body></worldbody></mujoco>"""
    model = flexor.load_model(text, overrides={"joint/j/damping": 0.5}, options={"timestep": 0.001})
    assert model.parameter("joint/j/damping").nominal == 0.5 and model.timestep == 0.001
    gravity = flexor.load_model(text, options={"gravity": (0, 0, 1)}).options["gravity"]
    assert gravity == (0, 0, 1)
    builder = flexor.load_builder(text)
    builder.add_fixed_tendon("t", [("j", 0.1)])
    assert builder.finalize().tendon_count == 1
    report = flexor.validate("<mujoco><worldbody><bdy/></worldbody></mujoco>")
    assert report["ok"] is False and report["items"]
    assert flexor.validate(text)["ok"] is True


def on_site(centre, kind, **site):
    """A cord from above round a guide of a hanging link to a weight's side."""
    b = flexor.ModelBuilder("guided")
    b.add_body("link", pos=(0, 0, 1), mass=1.0, com=(0, 0, -0.1), inertia=(1e-2, 1e-2, 1e-3))
    b.add_joint("link", "hinge", axis=(0, 1, 0))
    b.add_site("link", "hub", pos=(0.01, 0.005, 0.02))
    for name, key in site.items():
        b.add_site("link", name, pos=key)
    guide = {"sphere": sphere, "cylinder": lambda **k: cylinder(axis=(0, 1, 0), **k)}[kind]
    path = [via(pos=(-0.2, 0, 1)), guide(radius=0.04, **centre), via(pos=(0.2, 0.01, 1.02))]
    b.add_spatial_tendon("cord", path, stiffness=200, damping=1)
    return b.finalize()


@pytest.mark.parametrize("kind", ["sphere", "cylinder"])
@pytest.mark.parametrize("device", ["cpu", "reference"])
def test_a_guide_may_sit_on_a_named_site(kind, device):
    here = {"body": "link", "pos": (0.01, 0.005, 0.02)}
    named, placed = on_site({"site": "hub"}, kind), on_site(here, kind)
    sims = [flexor.Simulation(m, 2, device=device, precision="float64") for m in (named, placed)]
    for sim in sims:
        sim.qpos.set(0.3)
        sim.step(20)
    assert np.array_equal(sims[0].state_hash(), sims[1].state_hash())
    assert "tendon/cord/route/1/pos" not in [p.name for p in named.parameters()]
    # the site's place, by its own name or by the guide's, moves the guide in that world
    for name in ("site/hub/pos", "tendon/cord/route/1/pos"):
        sims[0].set_parameter(name, (0.02, 0, 0.03), worlds=[1])
        sims[1].set_parameter("tendon/cord/route/1/pos", (0.02, 0, 0.03), worlds=[1])
        for sim in sims:
            sim.reset()
            sim.step(20)
        assert np.array_equal(sims[0].state_hash(), sims[1].state_hash())
        assert sims[0].state_hash()[0] != sims[0].state_hash()[1]


def test_a_guide_has_one_place():
    for wrong in (
        {"site": "s", "geom": "g"},
        {"site": "s", "body": "b"},
        {"site": "s", "pos": (0, 0, 0)},
        {"geom": "g", "pos": (0, 0, 0)},
    ):
        with pytest.raises(flexor.ModelError, match="not both"):
            sphere(**wrong, radius=0.1)
    b = flexor.ModelBuilder("b")
    b.add_spatial_tendon(
        "t", [via(pos=(0, 0, 0)), sphere(site="hib", radius=0.1), via(pos=(1, 0, 0))]
    )
    b.add_site("world", "hub", pos=(0.5, 0, 0))
    with pytest.raises(flexor.ModelError, match="hub"):
        b.finalize()


def test_radius_past_the_side_point_turns_an_automatic_guide_interior():
    """[R-19] by the radius of each world: exterior goes around, interior passes through."""

    def length(side_mode):
        b = flexor.ModelBuilder()
        b.add_point_mass("end", (1, 0, 0), 1.0)
        drum = flexor.sphere(
            pos=(0, 0, 0), radius=0.05, side=("world", (0, 0, 0.1)), side_mode=side_mode
        )
        ends = flexor.via(pos=(-1, 0, 0)), flexor.via(body="end", pos=(0, 0, 0))
        b.add_spatial_tendon("cord", [ends[0], drum, ends[1]])
        sim = flexor.Simulation(b.finalize(), 2, precision="float64")
        sim.set_parameter("tendon/cord/route/1/radius", 0.15, worlds=[1])
        sim.forward()
        return sim.tendon_length.numpy()[:, 0].tolist()

    automatic, exterior = length("auto"), length("exterior")
    assert automatic[0] == exterior[0] > 2
    assert exterior[1] > exterior[0] and automatic[1] != exterior[1]
