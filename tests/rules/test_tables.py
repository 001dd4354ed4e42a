"""Documentation tables are what the lists say, and the lists are well formed."""

import sys

from tree import ROOT, text

sys.path.insert(0, str(ROOT / "scripts"))
import make_tables
import mjcf_words


def test_tables_are_current():
    assert make_tables.stale() == [], "run scripts/make_tables.py"


def test_the_tables_hold_the_whole_lists():
    """The generator's patterns miss no line of a list."""
    for header, rows in (
        ("state/fields.hpp", make_tables.fields()),
        ("model/parameters.hpp", make_tables.parameters()),
        ("core/status.hpp", make_tables.status_bits()),
    ):
        lines = [
            line
            for line in text(ROOT / "include" / "flexor" / header).splitlines()
            if line.lstrip().startswith("X(") and '"' in line
        ]
        assert len(lines) == len(rows), header


def test_the_page_of_mjcf_holds_every_row():
    """A row begins a line with '{"', or uses a macro that holds one."""
    lines = text(mjcf_words.SOURCE).partition("kRows[] = {")[2].partition("\n};")[0].splitlines()
    rows = [
        line
        for line in lines
        if line.startswith('    {"') or line.startswith("    ") and "_SENSOR(" in line
    ]
    words = mjcf_words.vocabulary()
    assert len(words) == len(rows)
    assert all(letter in mjcf_words.BINS for _, _, letter, _, _ in words)
    groups = [group for *_, groups in words for group in groups]
    assert all(letter in mjcf_words.BINS for letter, _, _ in groups)
    assert all(name.isidentifier() for *_, names in groups for name in names)


def test_names_are_unique():
    names = [row[0] for row in make_tables.fields()]
    assert len(set(names)) == len(names)
    paths = [(row[1], row[2]) for row in make_tables.parameters()]
    assert len(set(paths)) == len(paths)
    bits = [row[1] for row in make_tables.status_bits()]
    assert len(set(bits)) == len(bits)


def test_python_sees_the_lists():
    """Arrays, parameters and status bits of the package are those of the lists, no more, no less."""
    import pytest

    flexor = pytest.importorskip("flexor")
    bits = {name: 1 << int(bit) for name, bit, *_ in make_tables.status_bits()}
    assert {s.name: int(s) for s in flexor.Status} == bits
    sim = flexor.Simulation(one_of_everything(flexor), num_worlds=2, device="cpu")
    for name, group, kind, _, width, unit, meaning in make_tables.fields():
        array = getattr(sim, name)
        assert (array.unit, array.doc) == (unit, meaning), name
        assert array.shape[0] == 2 and (width == "1" or array.shape[-1] == int(width)), name
        assert array.is_state == (group == "kState"), name
        assert kind in make_tables.TYPES
    listed = {(owner, name) for _, owner, name, *_ in make_tables.parameters()}
    seen = {split(p.name) for p in sim.model.parameters()}
    assert seen == listed


def one_of_everything(flexor):
    """Model in which every kind of element stands once."""
    b = flexor.ModelBuilder("list", timestep=0.001)
    b.add_body("slider", mass=1.0)
    b.add_joint("slider", "slide", type="slide", axis=(1, 0, 0))
    b.add_body("ball", mass=1.0, inertia=(1, 1, 1))
    b.add_joint("ball", "ball", type="ball")
    b.add_site("slider", "site")
    b.add_spatial_tendon(
        "tendon",
        [
            flexor.via(body="world", pos=(0, 0, 1)),
            flexor.cylinder(body="ball", radius=0.1, side=("ball", (0, 1, 0))),
            flexor.via(body="slider", pos=(0, 0, -1)),
            flexor.pulley(2),
            flexor.joint_term("slide", 0.5),
        ],
    )
    return b.finalize()


def split(path):
    """("kJoint", "damping") of "joint/elbow/damping"."""
    kind, _, rest = path.partition("/")
    if kind == "option":
        return "kOption", rest
    _, _, rest = rest.partition("/")
    if rest.startswith("route/"):
        return "kElement", rest.split("/", 2)[2]
    return f"k{kind.capitalize()}", rest
