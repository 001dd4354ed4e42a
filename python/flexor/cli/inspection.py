"""What a model file holds: tree, joints, tendons with lengths and moment arms at the reference
pose, what is not simulated, and the solver that would be chosen."""

from __future__ import annotations

import numpy as np
from rich.text import Text
from rich.tree import Tree

import flexor
from flexor.cli.show import Output, add_model_arguments, finite, load, number, table

HELP = "tree, joints, tendons, solver of a model file"


def add_arguments(parser) -> None:
    add_model_arguments(parser)


def _joints_of(model: flexor.Model) -> dict[int, list]:
    found: dict[int, list] = {}
    for joint in model.joints:
        found.setdefault(joint.body, []).append(joint)
    return found


def body_tree(model: flexor.Model) -> Tree:
    """Bodies below their parents, each with its mass and joints."""
    joints = _joints_of(model)
    nodes = {-1: Tree(Text(f"{model.name} (world)", style="bold"))}
    for i, body in enumerate(model.bodies):
        moves = ", ".join(f"{j.name} ({j.type.name})" for j in joints.get(i, [])) or "fixed"
        label = f"{body.name}  {number(body.mass)} kg  {moves}"
        nodes[i] = nodes[body.parent].add(label)
    return nodes[-1]


def path_text(model: flexor.Model, tendon) -> str:
    """A path in short: sites by name, guides as (name), a bar before each further branch."""
    parts = []
    for element in tendon.path:
        kind = element.type.name
        if kind == "site":
            named = isinstance(element.site, int) and element.site >= 0
            parts.append(model.names("site")[element.site] if named else "point")
        elif kind in ("sphere", "cylinder"):
            named = isinstance(element.geom, int) and element.geom >= 0
            label = model.names("geom")[element.geom] if named else kind
            parts.append(f"({label}{'+side' if element.has_side else ''})")
        elif kind == "pulley":
            parts.append(f"| 1/{number(element.divisor)}:")
        else:
            parts.append(f"{number(element.coefficient)} {model.names('joint')[element.joint]}")
    return " ".join(parts)


def _joint_table(model: flexor.Model):
    lines = table(
        "joints", "<name", "<type", "lower", "upper", "damping", "stiffness", "armature", "friction"
    )
    for j in model.joints:
        row = (j.lower, j.upper, j.damping, j.stiffness, j.armature, j.friction)
        lines.add_row(j.name, j.type.name, *(number(x) for x in row))
    return lines


def _tendon_table(model: flexor.Model, length: np.ndarray):
    lines = table(
        "tendons at the reference pose",
        "<name", "length [m]", "limits [m]", "stiffness", "damping", "drive [N]", "<path",
    )  # fmt: skip
    for t, tendon in enumerate(model.tendons):
        lines.add_row(
            tendon.name,
            number(length[t], 6),
            f"{number(tendon.lower_limit)} ... {number(tendon.upper_limit)}",
            number(tendon.stiffness),
            number(tendon.damping),
            f"{number(tendon.actuation_lower)} ... {number(tendon.actuation_upper)}",
            path_text(model, tendon),
        )
    return lines


def _moment_table(model: flexor.Model, dof_names: list[str], jacobian: np.ndarray):
    """Only the columns that some tendon moves."""
    used = [i for i in range(len(dof_names)) if np.any(jacobian[:, i] != 0)]
    lines = table("moment arms at the reference pose [m/rad, 1]", "<tendon", *(
        dof_names[i] for i in used
    ))  # fmt: skip
    for t, name in enumerate(model.names("tendon")):
        lines.add_row(name, *(number(jacobian[t, i], 4) for i in used))
    return lines


def main(arguments, out: Output):
    model = load(arguments.file, strict=not arguments.lenient)
    with flexor.Simulation(model, device="reference", inert="*") as sim:
        sim.forward()
        length = sim.tendon_length.numpy()[0].copy()
        jacobian = sim.tendon_jacobian.numpy()[0].copy()
        dofs = list(sim.qvel.names)
    with flexor.Simulation(model, device=arguments.device, inert="*") as sim:
        solver = {"device": arguments.device, "name": sim.options["solver"]}

    out.show(model.summary())
    out.show(body_tree(model))
    if model.joints:
        out.show(_joint_table(model))
    if model.tendons:
        out.show(_tendon_table(model, length))
        out.show(_moment_table(model, dofs, jacobian))
    if model.inert:
        lines = table("not simulated", "<kind", "<name", "<why", "<where")
        for e in model.inert:
            where = f"{e['file']}:{e['line']}:{e['column']}" if e["line"] else e["file"]
            lines.add_row(*(str(x) for x in (e["kind"], e["name"], e["reason"], where)))
        out.show(lines)
    items = [i for i in model.report["items"] if i["severity"] == "warning"]
    if items:
        lines = table("warnings", "<code", "<element", "<attribute", "<text", "count")
        for i in items:
            fields = (i["code"], i["element"], i["attribute"], i["text"], i["count"])
            lines.add_row(*(str(x) for x in fields))
        out.show(lines)
    out.show(f"solver on {solver['device']}: {solver['name']}")

    result = {
        "model": model.name,
        "counts": model.counts,
        "timestep": model.timestep,
        "bodies": [{"name": b.name, "parent": b.parent, "mass": b.mass} for b in model.bodies],
        "joints": [
            {
                "name": j.name,
                "type": j.type.name,
                "body": j.body,
                "lower": finite(j.lower),
                "upper": finite(j.upper),
            }
            for j in model.joints
        ],
        "tendons": [
            {
                "name": tendon.name,
                "length": float(length[t]),
                "moment_arms": dict(zip(dofs, jacobian[t].tolist(), strict=True)),
                "path": path_text(model, tendon),
            }
            for t, tendon in enumerate(model.tendons)
        ],
        "inert": model.inert,
        "solver": solver,
        "report": model.report,
    }
    return result, None
