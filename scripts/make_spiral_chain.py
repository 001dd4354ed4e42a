#!/usr/bin/env python3
"""Writes python/flexor/models/spiral_chain.xml: a tapering chain of links pulled by three tendons.

Link i (i = 0 ... 17) with taper s = 0.97^i:
    length 16 s mm, radius 8 s mm, mass 4 s^3 g (a solid cylinder), hanging down from link i - 1
    hinge about x (even i) or y (odd i), stiffness 4e-3 s^3 N m/rad, damping 2e-4 s^3 N m s/rad,
    armature 1e-6 kg m^2, range +-0.6 rad
Tendon k (k = 0, 1, 2) runs at the angle 120 k degrees, 0.85 radii off the axis, through a site on the
base, one in the middle of each link and one at the tip: 20 sites. Damping 0.5 N s/m, no spring; its
drive only pulls, with 2 N at most.

Usage: make_spiral_chain.py [FILE]; "-" prints.
"""

import math
import pathlib
import sys

LINK_COUNT = 18
TAPER = 0.97
LENGTH = 16e-3  # m
RADIUS = 8e-3  # m
MASS = 4e-3  # kg
STIFFNESS = 4e-3  # N m/rad
DAMPING = 2e-4  # N m s/rad
SITE_OFFSET = 0.85  # radii
TENDON_COUNT = 3

HEADER = """\
<!-- An 18-link spiral chain with three tendons. Written by scripts/make_spiral_chain.py: edit that. -->
<mujoco model="spiral_chain">
  <compiler angle="radian"/>
  <option timestep="0.002"/>
  <default>
    <joint type="hinge" armature="1e-6" range="-0.6 0.6"/>
    <geom contype="0" conaffinity="0" mass="0" rgba="0.75 0.78 0.8 1"/>
    <site size="0.0006"/>
  </default>
"""


def number(x: float) -> str:
    """Shortest text that reads well: nine digits, no negative zero."""
    return f"{x + 0.0:.9g}" if abs(x) > 1e-15 else "0"


def numbers(*values: float) -> str:
    return " ".join(number(x) for x in values)


def sites(label: str, radius: float, z: float) -> list[str]:
    """One site for each tendon on a circle of 0.85 radii at height z."""
    lines = []
    for k in range(TENDON_COUNT):
        angle = 2 * math.pi * k / TENDON_COUNT
        x, y = (SITE_OFFSET * radius * f(angle) for f in (math.cos, math.sin))
        lines.append(f'<site name="{label}_{k}" pos="{numbers(x, y, z)}"/>')
    return lines


def link(i: int) -> list[str]:
    """Lines of body i without its closing tag."""
    s = TAPER**i
    length, radius, mass = LENGTH * s, RADIUS * s, MASS * s**3
    across = mass * (3 * radius**2 + length**2) / 12
    along = mass * radius**2 / 2
    above = 0.0 if i == 0 else -LENGTH * TAPER ** (i - 1)
    axis = "1 0 0" if i % 2 == 0 else "0 1 0"
    return [
        f'<body name="link_{i}" pos="{numbers(0, 0, above)}">',
        f'  <inertial pos="{numbers(0, 0, -length / 2)}" mass="{number(mass)}" '
        f'diaginertia="{numbers(across, across, along)}"/>',
        f'  <joint name="joint_{i}" axis="{axis}" stiffness="{number(STIFFNESS * s**3)}" '
        f'damping="{number(DAMPING * s**3)}"/>',
        f'  <geom type="cylinder" fromto="{numbers(0, 0, 0, 0, 0, -length)}" size="{number(radius)}"/>',
        *("  " + line for line in sites(f"site_{i}", radius, -length / 2)),
    ]


def chain() -> str:
    """The whole document."""
    out = [HEADER.rstrip("\n"), "  <worldbody>"]
    out += ["    " + line for line in sites("base", RADIUS, LENGTH / 2)]
    for i in range(LINK_COUNT):
        out += ["  " * (i + 2) + line for line in link(i)]
    s = TAPER ** (LINK_COUNT - 1)
    out += ["  " * (LINK_COUNT + 2) + line for line in sites("tip", RADIUS * s, -LENGTH * s)]
    out += ["  " * (i + 2) + "</body>" for i in reversed(range(LINK_COUNT))]
    out += ["  </worldbody>", "  <tendon>"]
    for k in range(TENDON_COUNT):
        out.append(
            f'    <spatial name="tendon_{k}" damping="0.5" actuatorfrcrange="-2 0" width="0.0005">'
        )
        labels = ["base", *(f"site_{i}" for i in range(LINK_COUNT)), "tip"]
        out += [f'      <site site="{label}_{k}"/>' for label in labels]
        out.append("    </spatial>")
    out += ["  </tendon>", "</mujoco>", ""]
    return "\n".join(out)


def main() -> None:
    folder = pathlib.Path(__file__).resolve().parent.parent / "python" / "flexor" / "models"
    target = sys.argv[1] if len(sys.argv) > 1 else str(folder / "spiral_chain.xml")
    if target == "-":
        sys.stdout.write(chain())
    else:
        pathlib.Path(target).write_text(chain(), encoding="utf-8")


if __name__ == "__main__":
    main()
