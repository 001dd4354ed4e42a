"""Scenes shared by tests, documentation and benchmarks: small mechanisms with known answers."""

from __future__ import annotations

from flexor import ModelBuilder, cylinder, pulley, sphere, via

GRAVITY = (0, 0, -9.81)
NO_GRAVITY = (0, 0, 0)


def builder(name="scene", timestep=0.001, gravity=NO_GRAVITY, **options) -> ModelBuilder:
    """Empty model with the step of the acceptance cases (1 ms) and, if not said, no gravity."""
    b = ModelBuilder(name, timestep=timestep)
    b.set_option("gravity", gravity)
    for option, value in options.items():
        b.set_option(option, value)
    return b


def add_point_mass(b, name="mass", pos=(0, 0, 0), mass=1.0, axes="xyz", **joint):
    """Body of `mass` [kg] at world point `pos`, free to slide along the world axes named: joints
    `<name>_x` and so on."""
    b.add_body(name, pos=pos, mass=mass)
    for axis in axes:
        direction = tuple(float(axis == a) for a in "xyz")
        b.add_joint(name, f"{name}_{axis}", type="slide", axis=direction, **joint)


def hinge(inertia=1.0, **joint):
    """One hinge about z, mass centre on the axis: moment of inertia `inertia` [kg m^2]."""
    timestep = joint.pop("timestep", 0.01)
    b = builder(timestep=timestep)
    b.add_body("rotor", mass=1.0, inertia=(inertia, inertia, inertia))
    b.add_joint("rotor", "hinge", type="hinge", axis=(0, 0, 1), **joint)
    return b.finalize()


def slider(mass=1.0, timestep=0.001, **joint):
    """One mass on a slide along x."""
    b = builder(timestep=timestep)
    b.add_body("mass", mass=mass)
    b.add_joint("mass", "slide", type="slide", axis=(1, 0, 0), **joint)
    return b.finalize()


def anchored_mass(
    anchor=(0, 0, 0),
    pos=(1, 0, 0),
    mass=1.0,
    timestep=0.001,
    gravity=NO_GRAVITY,
    **tendon,
):
    """Point mass on a straight tendon "line" from the world point `anchor`; keywords are tendon
    properties."""
    b = builder(timestep=timestep, gravity=gravity)
    add_point_mass(b, pos=pos, mass=mass)
    b.add_spatial_tendon("line", [via(body="world", pos=anchor), via(body="mass")], **tendon)
    return b.finalize()


def elastic_scene():
    """Spring, damper, friction, armature and upper limit on one swinging mass (case 51)."""
    return anchored_mass(
        anchor=(0, 0, 2.94),
        pos=(0.2, 0, 1.05),
        gravity=GRAVITY,
        stiffness=70,
        damping=7,
        spring_lower=0.0,
        spring_upper=1.1,
        friction_loss=0.05,
        armature=0.04,
        upper_limit=2.15,
    )


def pulley_masses(force=-4.0):
    """Two masses joined over a fixed cylinder, a third on a second branch of divisor 2 (case 26)."""
    b = builder()
    for name, x in (("first", -0.5), ("second", 0.5), ("third", 3.0)):
        add_point_mass(b, name, pos=(x, 0, 1))
    b.add_spatial_tendon(
        "line",
        [
            via(body="first"),
            cylinder(
                body="world",
                pos=(0, 0, 2),
                radius=0.5,
                axis=(0, 1, 0),
                side=("world", (0, 0, 3)),
            ),
            via(body="second"),
            pulley(2),
            via(body="world", pos=(3, 0, 3)),
            via(body="third"),
        ],
        drive={"force": force},
    )
    return b.finalize()


def two_sliders(coefficients=(1.0, 0.5), **tendon):
    """Two sliding masses under one fixed tendon "sum" of x and y."""
    b = builder()
    for name, axis in (("x", (1, 0, 0)), ("y", (0, 1, 0))):
        b.add_body(name, mass=1.0)
        b.add_joint(name, name, type="slide", axis=axis)
    b.add_fixed_tendon("sum", list(zip(("x", "y"), coefficients, strict=True)), **tendon)
    return b.finalize()


GUIDES = {"cylinder": cylinder, "sphere": sphere}


def guide_scene(kind="cylinder", side=None, on="world", reverse=False, offset=(0, 0, 0), **guide):
    """Two free points "a" and "b" joined by tendon "line" over one guide.

    The points are sliding masses whose coordinates are their world positions, so the six Jacobian
    entries of their joints are the point gradients g_a and g_b of the path. `on` puts the guide
    on the world, on a "free" body, or on a body with three slides ("slides") whose coordinates are
    its displacement. `side` is a world point (a point of the guide's body if that moves).
    """
    b = builder()
    for name in ("a", "b"):
        add_point_mass(b, name)
    body = "world"
    if on != "world":
        body = "guide"
        if on == "free":
            b.add_body(body, pos=offset, mass=1.0, inertia=(1, 1, 1))
            b.add_joint(body, body, type="free")
        elif on == "slides":
            add_point_mass(b, body)
        elif on == "hinge":
            b.add_body(body, pos=offset, mass=1.0, inertia=(1, 1, 1))
            b.add_joint(body, body, type="hinge", axis=(0, 0, 1))
    if side is not None:
        guide["side"] = (body, side)
    path = [via(body="a"), GUIDES[kind](body=body, **guide), via(body="b")]
    b.add_spatial_tendon("line", path[::-1] if reverse else path)
    return b.finalize()


def arm_of_six():
    """Planar arm, two hinges, six tendons over a cylinder at each joint (routing case 26)."""
    b = builder()
    b.add_body("upper", mass=1.0, com=(0.25, 0, 0), inertia=(0.02, 0.02, 0.02))
    b.add_joint("upper", "shoulder", type="hinge", axis=(0, 0, 1))
    b.add_body(
        "fore",
        parent="upper",
        pos=(0.5, 0, 0),
        mass=1.0,
        com=(0.2, 0, 0),
        inertia=(0.02, 0.02, 0.02),
    )
    b.add_joint("fore", "elbow", type="hinge", axis=(0, 0, 1))
    sites = {
        "world": {"s0": (-0.15, 0), "x0": (0, -0.15)},
        "upper": {"s1": (0.15, 0.06), "s2": (0.15, -0.06), "s3": (0.4, 0.06), "s4": (0.4, -0.06),
                  "s5": (0.25, 0.1), "s6": (0.25, -0.1), "x1": (0.5, -0.15)},
        "fore": {"s7": (0.11, 0.05), "s8": (0.11, -0.05)},
    }  # fmt: skip
    for body, points in sites.items():
        for name, (x, y) in points.items():
            b.add_site(body, name, pos=(x, y, 0))

    def shoulder(**side):
        return cylinder(body="upper", pos=(0, 0, 0), radius=0.1, **side)

    def elbow(**side):
        return cylinder(body="fore", pos=(0, 0, 0), radius=0.08, **side)

    def at(name):
        return via(site=name)

    x0, x1 = {"side": "x0"}, {"side": "x1"}
    b.add_spatial_tendon("SF", [at("s0"), shoulder(), at("s1")])
    b.add_spatial_tendon("SE", [at("s0"), shoulder(**x0), at("s2")])
    b.add_spatial_tendon("EF", [at("s3"), elbow(), at("s7")])
    b.add_spatial_tendon("EE", [at("s4"), elbow(**x1), at("s8")])
    b.add_spatial_tendon("BF", [at("s0"), shoulder(), at("s5"), elbow(), at("s7")])
    b.add_spatial_tendon("BE", [at("s0"), shoulder(**x0), at("s6"), elbow(**x1), at("s8")])
    return b.finalize()


def tendon_forest(count=3):
    """Arm of two hinges under `count` tendons with every row: spring, drive, armature, friction,
    limits; for tests of storage, not of physics."""
    b = builder("forest", gravity=GRAVITY, timestep=0.002)
    b.add_body("upper", mass=1.0, com=(0, 0, -0.2), inertia=(0.02, 0.02, 0.002), pos=(0, 0, 1))
    b.add_joint("upper", "shoulder", type="hinge", axis=(0, 1, 0), lower=-1.0, upper=1.0,
                damping=0.1, friction=0.01, armature=0.01)  # fmt: skip
    b.add_body("lower", parent="upper", pos=(0, 0, -0.4), mass=0.5, com=(0, 0, -0.15),
               inertia=(0.01, 0.01, 0.001))  # fmt: skip
    b.add_joint("lower", "elbow", type="hinge", axis=(0, 1, 0), lower=-1.5, upper=0.5, damping=0.05,
                stiffness=0.5)  # fmt: skip
    for t in range(count):
        x = 0.05 + 0.02 * t
        b.add_spatial_tendon(
            f"tendon_{t}",
            [
                via(body="world", pos=(x, 0, 1.1)),
                via(body="upper", pos=(x, 0, -0.2)),
                cylinder(body="upper", pos=(0, 0, -0.4), radius=0.03, axis=(0, 1, 0),
                         side=("upper", (0.1, 0, -0.4))),
                via(body="lower", pos=(0.02, 0, -0.15)),
            ],
            stiffness=100.0, damping=2.0, friction_loss=0.1, upper_limit=0.9, lower_limit=0.4,
            drive={"position_gain": 50.0, "velocity_gain": 5.0, "target_length": 0.6,
                   "activation_time": 0.02},
            actuation_lower=-40.0, actuation_upper=0.0,
        )  # fmt: skip
    b.add_fixed_tendon("both", [("shoulder", 0.03), ("elbow", -0.02)], armature=0.5)
    return b.finalize()


__all__ = [name for name in dir() if not name.startswith("_") and name not in ("flexor", "np")]


def suspended_load(**tendon):
    """Model L of the interfaces' cases: 1 kg free along z at rest under a world site 1 m above, on a
    tendon "t" of 500 N/m and 20 N s/m without a reference length; keywords are tendon properties."""
    b = builder(timestep=0.002, gravity=GRAVITY)
    b.add_body("load", pos=(0, 0, 1), mass=1.0)
    b.add_joint("load", "lift", type="slide", axis=(0, 0, 1))
    b.add_site("world", "hook", pos=(0, 0, 2))
    b.add_site("load", "ring")
    law = {"stiffness": 500.0, "damping": 20.0} | tendon
    b.add_spatial_tendon("t", [via(site="hook"), via(site="ring")], **law)
    return b.finalize()
