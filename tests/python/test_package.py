"""The package as installed: imports, version, types, documentation of names."""

import ast
import importlib.resources
import pathlib
import re
import subprocess
import sys

import flexor
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run(code):
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout


def test_import_brings_nothing_but_numpy():
    """The third-party packages that `import flexor` loads."""
    known = run(
        "import sys; import numpy; before = set(sys.modules); import flexor;"
        "print(sorted({m.partition('.')[0] for m in set(sys.modules) - before"
        " if not m.startswith('_')} - set(sys.stdlib_module_names)))"
    )
    assert ast.literal_eval(known) == ["flexor"]


def test_version_is_that_of_the_build():
    text = (ROOT / "CMakeLists.txt").read_text()
    assert flexor.__version__ == re.search(r"project\(flexor VERSION ([0-9.]+)", text)[1]
    assert flexor.__version__ in (ROOT / "CHANGELOG.md").read_text()


def test_models_and_types_are_part_of_the_package():
    files = importlib.resources.files("flexor")
    assert (files / "py.typed").is_file()
    assert (files / "_core.pyi").is_file()
    assert all(flexor.models.path(name).is_file() for name in flexor.models.names())


def test_stub_names_what_the_core_has():
    """Every public name of the extension and every member of its classes stands in _core.pyi."""
    from flexor import _core

    stub = {}
    tree = ast.parse((importlib.resources.files("flexor") / "_core.pyi").read_text())
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            members = {n.name for n in node.body if isinstance(n, ast.FunctionDef)}
            for n in node.body:
                if isinstance(n, ast.AnnAssign):
                    members.add(n.target.id)
                elif isinstance(n, ast.Assign):
                    members.add(n.targets[0].id)
            for base in node.bases:
                members |= stub.get(getattr(base, "id", ""), set())
            stub[node.name] = members
        elif isinstance(node, ast.FunctionDef):
            stub[node.name] = set()
        elif isinstance(node, ast.AnnAssign):
            stub[node.target.id] = set()
    public = {name for name in dir(_core) if not name.startswith("_")}
    assert public <= set(stub), public - set(stub)
    for name in public:
        value = getattr(_core, name)
        if isinstance(value, type):
            members = {m for m in vars(value) if not m.startswith("_")} - {"name", "value"}
            assert members <= stub[name], (name, members - stub[name])


def test_every_public_name_is_documented():
    for name in flexor.__all__:
        value = getattr(flexor, name)
        if callable(value) or isinstance(value, type):
            assert value.__doc__, name
    for name in dir(flexor.Simulation):
        if not name.startswith("_"):
            assert getattr(flexor.Simulation, name).__doc__, name


def test_bindings_do_not_depend_on_a_numpy_version():
    for file in (ROOT / "python" / "bindings").iterdir():
        assert "pybind11/numpy.h" not in file.read_text(), file


@pytest.mark.parametrize("name", ["setup", "test", "demo"])
def test_scripts_are_runnable(name):
    file = ROOT / "scripts" / name
    assert file.stat().st_mode & 0o111
    subprocess.run(["bash", "-n", file], check=True)


def test_setup_builds_what_its_caller_needs():
    """The demo has no tests built; a part that there is not ends before anything is done."""
    assert "\nscripts/setup package\n" in (ROOT / "scripts" / "demo").read_text()
    assert "\nscripts/setup all " in (ROOT / "scripts" / "test").read_text()
    done = subprocess.run([ROOT / "scripts" / "setup", "tests"], capture_output=True, text=True)
    assert done.returncode == 1 and "legal: package, all" in done.stderr and done.stdout == ""


def test_info_and_devices():
    info = flexor.info()
    assert {"version", "compiler", "isa", "cpus", "python", "numpy"} <= set(info)
    for device in flexor.devices():
        assert set(device) == {"name", "memory", "capability", "usable", "reason"}
        assert device["usable"] or device["reason"]
    assert [d["name"] for d in flexor.devices()] == ["reference", "cpu", "cuda"]


def test_fields_have_named_rows_and_a_description():
    field = flexor.FIELDS["tendon_tension"]
    assert isinstance(field, flexor.FieldInfo)
    assert (field.group, field.unit, field.index) == ("step", "N", "tendon")
    assert "sim" in type(flexor.FIELDS).__doc__


def test_type_checkers_see_every_array():
    """The names under TYPE_CHECKING in class BatchArrays are those of FIELDS, in order."""
    tree = ast.parse((importlib.resources.files("flexor") / "batch_arrays.py").read_text())
    (cls,) = (n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == "BatchArrays")
    (block,) = (n for n in cls.body if isinstance(n, ast.If))
    assert [n.target.id for n in block.body] == list(flexor.FIELDS)
    assert {n.annotation.id for n in block.body} == {"Array"}


def test_every_member_of_a_model_is_documented():
    for cls in (flexor.Model, flexor.ModelBuilder, flexor.Array, flexor.Parameter):
        for name, member in vars(cls).items():
            if not name.startswith("_") and isinstance(member, property):
                assert member.__doc__, f"{cls.__name__}.{name}"


def test_records_of_a_model_are_readable():
    model = flexor.models.load("two_joint_arm")
    for kind in ("bodies", "joints", "sites", "geoms", "tendons"):
        assert all("object at" not in repr(record) for record in getattr(model, kind))
    assert "mass=1.9" in repr(model.bodies[0]) and "'upper'" in repr(model.bodies[0])
    assert "damping=0.15" in repr(model.joints[1])
    assert "path=<3 elements>" in repr(model.tendons[0])
    assert "type=cylinder" in repr(model.tendons[0].path[1])


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda b: b.add_joint("rod", range=(0, 1)), ["add_joint", "'range'", "lower and upper"]),
        (lambda b: b.add_body("x", masss=3), ["add_body", "did you mean 'mass'"]),
        (
            lambda b: b.add_spatial_tendon("t", [], rang=1),
            ["add_spatial_tendon", "'rang'", "legal"],
        ),
        (lambda b: flexor.Simulation(b, num_world=3), ["Simulation", "'num_worlds'"]),
        (lambda b: flexor.load_model("x", stric=False), ["load_model", "'strict'"]),
    ],
)
def test_arguments_that_there_are_not(call, words):
    with pytest.raises(TypeError) as caught:
        call(flexor.ModelBuilder())
    assert all(word in str(caught.value) for word in words), str(caught.value)


def test_calls_that_there_are_not():
    with pytest.raises(AttributeError, match="'add_boddy'; did you mean 'add_body'"):
        flexor.ModelBuilder().add_boddy("x")
