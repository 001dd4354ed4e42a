"""The arrays of a simulation: what there is, and what each means."""

from __future__ import annotations

from typing import NamedTuple

from flexor import _core


class FieldInfo(NamedTuple):
    """What `flexor.FIELDS` says of one array of a simulation.

    number: its place in the list. group: "state", "command", "geometry" (current after a refresh) or
    "step" (of the last step). index: what its second axis counts ("world": there is none). width:
    numbers of each entry. unit, meaning: texts.
    """

    number: int
    name: str
    group: str
    index: str
    width: int
    unit: str
    meaning: str


class Fields(dict[str, FieldInfo]):
    """Every array of a simulation by name, in the order of the list: {name: FieldInfo}.

    flexor.FIELDS["qpos"].unit
    [name for name, field in flexor.FIELDS.items() if field.group == "command"]

    `getattr(sim, name)` is the array itself.
    """


FIELDS = Fields({row[1]: FieldInfo(*row) for row in _core.fields()})
