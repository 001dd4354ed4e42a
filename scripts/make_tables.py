#!/usr/bin/env python3
"""Writes docs/fields.md, docs/parameters.md, docs/status.md and docs/mjcf.md from the lists in the sources,
and docs/measured.md from the results of the benchmarks.

The lists are the only home of these facts: run this after changing one. `--check` writes nothing and
says which table is stale (exit code 1).
"""

import re
import sys
from pathlib import Path

import measured
import mjcf_words
from measured import table

ROOT = Path(__file__).resolve().parents[1]
INCLUDE = ROOT / "include" / "flexor"

FIELD = re.compile(r'X\((\w+),\s*(k\w+),\s*(k\w+),\s*(k\w+),\s*(\d+),\s*"([^"]*)",\s*"([^"]*)"\)')
PARAMETER = re.compile(
    r'X\((\w+),\s*(k\w+),\s*"([^"]*)",\s*(\d+),\s*"([^"]*)",\s*(k\w+),\s*([^)]*)\)'
)
STATUS = re.compile(r'X\((\w+),\s*1 << (\d+),\s*(true|false),\s*"([^"]*)"(?:,\s*"([^"]*)")?\)')
LEGAL = re.compile(r"^\s*(k\w+),?\s*///<\s*(.*)$", re.MULTILINE)

GROUPS = {
    "kState": (
        "State",
        "What a step starts from. In checkpoints and in the state hash.",
    ),
    "kCommand": (
        "Commands",
        "Held until changed. In checkpoints. A non-finite entry is not used.",
    ),
    "kGeometry": (
        "Read-outs, geometry",
        "Written by the refresh pass: they belong to the pose at the end of the last step, or at its"
        " start with `refresh=False`.",
    ),
    "kStep": ("Read-outs, step", "Belong to the last step."),
}
TYPES = {
    "kReal": "real", "kDouble": "float64", "kInt32": "int32", "kInt64": "int64", "kUint8": "uint8",
}  # fmt: skip
INDICES = {
    "kWorldIndex": "", "kQpos": "nq", "kQvel": "nv", "kTendon": "tendon", "kRow": "row slot",
    "kBody": "body", "kSite": "site", "kTendonQvel": "tendon, nv", "kBranch": "branch",
}  # fmt: skip
OWNERS = {
    "kOption": ("Model", "option/"),
    "kBody": ("Bodies", "body/<b>/"),
    "kSite": ("Sites", "site/<s>/"),
    "kJoint": ("Joints", "joint/<j>/"),
    "kTendon": ("Tendons", "tendon/<t>/"),
    "kElement": ("Path elements", "tendon/<t>/route/<i>/"),
}


#: what stands above a table of parameters
NOTES = {
    "kElement": 'A guide with a side and `side_mode="auto"` (every guide of MJCF) is interior where its'
    " side point lies nearer than `radius`: a world whose radius is set past the side point changes from"
    ' wrapping around to passing inside. `side_mode="exterior"` keeps it out.\n\n',
}


def read(path: str) -> str:
    return (INCLUDE / path).read_text()


def fields():
    """Rows (name, group, type, index, width, unit, meaning) in list order."""
    return FIELD.findall(read("state/fields.hpp"))


def parameters():
    """Rows (kind, owner, name, count, unit, legal, member) in list order."""
    return PARAMETER.findall(read("model/parameters.hpp"))


def status_bits():
    """Rows (name, bit, is_informational, cause, remedy) in list order."""
    return STATUS.findall(read("core/status.hpp"))


def shape(index: str, width: str) -> str:
    parts = [INDICES[index]] if INDICES[index] else []
    parts += [width] if width != "1" else []
    return ", ".join(["num_worlds", *parts])


def fields_page() -> str:
    text = (
        "# Arrays of a simulation\n\n"
        "Every array has the world as first axis; worlds lie side by side in memory. `real` is float32"
        " or float64 by the precision of the batch.\n"
    )
    for group, (title, note) in GROUPS.items():
        rows = [
            (f"`{name}`", shape(index, width), TYPES[kind], unit, meaning)
            for name, of, kind, index, width, unit, meaning in fields()
            if of == group
        ]
        text += f"\n## {title}\n\n{note}\n\n" + table(
            ("name", "shape", "type", "unit", "meaning"), rows
        )
    text += (
        "\nFor every command there is a state array `valid_<command>`: the last finite value of each"
        " entry, which stays in force while the entry is not finite.\n"
    )
    return text


def parameters_page() -> str:
    legal = dict(LEGAL.findall(read("model/parameters.hpp")))
    text = (
        "# Parameters\n\n"
        "Every number below may differ from world to world: `sim.set_parameter(name, values,"
        " worlds=...)`. `<i>` is the number of a path element, counted from 0.\n"
    )
    for owner, (title, prefix) in OWNERS.items():
        rows = [
            (f"`{prefix}{name}`", count, unit, legal.get(rule, rule))
            for _, of, name, count, unit, rule, _ in parameters()
            if of == owner
        ]
        note = NOTES.get(owner, "")
        text += f"\n## {title}\n\n{note}" + table(("name", "numbers", "unit", "legal"), rows)
    return text


def status_page() -> str:
    rows = [
        (
            str(1 << int(bit)),
            f"`{name}`",
            "yes" if informational == "true" else "",
            cause,
            remedy,
        )
        for name, bit, informational, cause, remedy in status_bits()
    ]
    return (
        "# Status bits\n\n"
        "`sim.status` holds one set of bits a world, sticky until `reset` or `clear_status`. An"
        " informational bit says something about the state and asks for nothing.\n\n"
        "`sim.failed()` is the mask of the worlds with any other bit, so `sim.reset(sim.failed())`"
        " resets these alone; `sim.status.numpy() != 0` would take healthy worlds too."
        " `flexor.Status.ERRORS` and `flexor.Status.INFORMATIONAL` are the two sets of bits,"
        " `flexor.Status(int(sim.status.numpy()[0]))` names those of world 0.\n\n"
        + table(("value", "name", "informational", "set when", "remedy"), rows)
    )


PAGES = {
    "fields.md": fields_page,
    "parameters.md": parameters_page,
    "status.md": status_page,
    "mjcf.md": mjcf_words.page,
    "measured.md": measured.page,
}


def stale():
    """Names of pages whose file is not what the lists say."""
    files = {name: ROOT / "docs" / name for name in PAGES}
    return [n for n, f in files.items() if not f.is_file() or f.read_text() != PAGES[n]()]


def main() -> int:
    names = stale()
    if "--check" in sys.argv[1:]:
        for name in names:
            print(f"docs/{name} is stale: run scripts/make_tables.py")
        return 1 if names else 0
    (ROOT / "docs").mkdir(exist_ok=True)
    for name in names:
        (ROOT / "docs" / name).write_text(PAGES[name]())
        print(f"wrote docs/{name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
