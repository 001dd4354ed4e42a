"""Versions, instruction set, environment, and which devices can be used and why not."""

from __future__ import annotations

import flexor
from flexor.cli.show import Output, table
from flexor.errors import DeviceError
from flexor.names import unknown

HELP = "versions, devices, environment"


def add_arguments(parser) -> None:
    pass


def main(arguments, out: Output):
    facts, devices = flexor.info(), flexor.devices()
    lines = table("flexor", "<what", "<value")
    for key, value in facts.items():
        if key == "environment":
            value = ", ".join(f"{k}={v}" for k, v in value.items()) or "-"
        lines.add_row(key, str(value))
    out.show(lines)
    lines = table("devices", "<name", "<capability", "memory", "<usable", "<why not")
    for d in devices:
        memory = f"{d['memory'] / 2**30:.1f} GiB" if d["memory"] else "-"
        lines.add_row(
            d["name"], d["capability"], memory, "yes" if d["usable"] else "no", d["reason"]
        )
    out.show(lines)
    chosen = {d["name"]: d for d in devices}.get(arguments.device)
    if chosen is None:
        raise unknown("--device", arguments.device, [d["name"] for d in devices])
    if not chosen["usable"]:
        raise DeviceError(f"device {arguments.device}: {chosen['reason']}")
    return {"info": facts, "devices": devices}, None
