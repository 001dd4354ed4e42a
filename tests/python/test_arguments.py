"""Every public call with arguments of every wrong kind: one error of ours that names the argument."""

import inspect

import flexor
import numpy as np
import pytest

WRONG = {
    "none": None,
    "empty": "",
    "object": object(),
    "text": "a",
    "nul": "a\0b",
    "long": "x" * 9000,
    "bytes": b"a",
    "bool": True,
    "number": 1.5,
    "huge": 1e300,
    "nan": float("nan"),
    "negative": -7,
    "complex": 1j,
    "list": ["a", 1],
    "ragged": [[1], [1, 2]],
    "dict": {1: object()},
    "names": {"a": "b"},
    "set": {1, 2},
    "function": len,
    "texts": np.array(["a", "b"]),
    "complexes": np.zeros(2, complex),
    "objects": np.array([None, object()], dtype=object),
    "numbers": np.zeros((3, 3, 3)),
    "times": np.zeros(2, "datetime64[s]"),
}


#: errors that say which argument of which call is wrong (others are about files and models)
CALLS = (flexor.ConfigError, flexor.ShapeError, flexor.ParameterError, flexor.UnknownNameError)


class Hostile:
    def __repr__(self):
        raise RuntimeError("no text")


WRONG["hostile"] = Hostile()


@pytest.fixture(scope="module")
def model():
    return flexor.models.load("three_joint_finger")


def every_call(model, folder):
    """(label, callable, arguments that are right, by name)."""
    sim = flexor.Simulation(model, 3, history=2)
    file = folder / "run.npz"
    sim.save(file)
    b = flexor.ModelBuilder("b")
    b.add_body("body", mass=1.0)
    b.add_joint("body", "joint")
    stiffness = "tendon/deep/stiffness"
    yield "Simulation", flexor.Simulation, {"model": model}
    yield "load", flexor.Simulation.load, {"path": file, "model": model}
    yield "step", sim.step, {}
    yield "reset", sim.reset, {}
    yield "clear_status", sim.clear_status, {}
    yield "profile", sim.profile, {}
    yield "parameter", sim.parameter, {"name": stiffness}
    yield "set_parameter", sim.set_parameter, {"name": stiffness, "values": 1.0}
    yield "Parameter.set", sim.parameter(stiffness).set, {"values": 1.0}
    yield "Parameter.numpy", sim.parameter(stiffness).numpy, {}
    yield "parameters.match", sim.parameters.match, {"pattern": "*"}
    yield "parameters.stack", sim.parameters.stack, {"pattern": "tendon/*/stiffness"}
    yield "commit", sim.commit, {}
    yield "capture", sim.capture, {}
    yield "jacobian", sim.jacobian, {"body_or_site": "distal"}
    yield "rollout", sim.rollout, {"n": 1}
    yield "failed", sim.failed, {}
    yield "dump", sim.dump, {"worlds": None, "path": file}
    yield "set_tension", sim.set_tension, {"name": "deep", "tension": 1.0}
    yield "set_actuation_force", sim.set_actuation_force, {"name": "deep", "force": 1.0}
    yield "save", sim.save, {"path": file}
    yield "Snapshot", flexor.Snapshot, {}
    yield "load_state", sim.load_state, {"path": file}
    yield "get_state", sim.get_state, {}
    yield "set_state", sim.set_state, {"snapshot": sim.get_state()}
    yield "clone_worlds", sim.clone_worlds, {"source": 0, "destination": 1}
    yield "array.set", sim.qpos.set, {"values": 0.0}
    yield "array.at", sim.qpos.at, {"key": 0}
    yield "array.index", sim.qpos.index, {"name": "mcp"}
    yield "array.numpy", sim.qpos.numpy, {}
    yield "names", model.names, {"kind": "joint"}
    yield "index", model.index, {"kind": "joint", "name": "mcp"}
    yield "qpos_slice", model.qpos_slice, {"joint": 0}
    yield "qvel_slice", model.qvel_slice, {"joint": 0}
    yield "reference_length", model.reference_length, {"tendon": 0}
    yield "model.parameter", model.parameter, {"name": stiffness}
    path = flexor.models.path("two_joint_arm")
    yield "load_model", flexor.load_model, {"path_or_text": path}
    yield "load_builder", flexor.load_builder, {"path_or_text": path}
    yield "validate", flexor.validate, {"path_or_text": path}
    yield "Model", flexor.Model, {}
    yield "models.load", flexor.models.load, {"name": "two_joint_arm"}
    yield "models.path", flexor.models.path, {"name": "two_joint_arm"}
    yield "ModelBuilder", flexor.ModelBuilder, {}
    yield "set_option", b.set_option, {"name": "timestep", "value": 0.001}
    yield "add_body", b.add_body, {}
    yield "add_joint", b.add_joint, {"body": "body"}
    yield "add_site", b.add_site, {}
    yield "add_geom", b.add_geom, {"body": "body"}
    yield "add_spatial_tendon", b.add_spatial_tendon, {"name": None, "path": []}
    yield "add_fixed_tendon", b.add_fixed_tendon, {"name": None, "terms": [("joint", 1)]}
    yield "add_keyframe", b.add_keyframe, {}
    yield "add_point_mass", b.add_point_mass, {"name": None, "pos": (0, 0, 0), "mass": 1}
    yield "finalize", flexor.ModelBuilder("empty").finalize, {}
    yield "via", flexor.via, {"site": "s"}
    yield "sphere", flexor.sphere, {"radius": 0.1}
    yield "cylinder", flexor.cylinder, {"radius": 0.1}
    yield "pulley", flexor.pulley, {"divisor": 2}
    yield "joint_term", flexor.joint_term, {"joint": "j"}


def test_wrong_arguments_are_one_error_that_names_them(model, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # "a" is the legal path of a file
    wrong, tried = [], 0
    for label, function, right in every_call(model, tmp_path):
        for argument in inspect.signature(function).parameters:
            if argument in ("options", "kwargs") and label != "load_model":
                continue  # **options
            for kind, value in WRONG.items():
                try:
                    function(**{**right, argument: value})
                    continue  # legal here
                except flexor.FlexorError as caught:
                    error, text = caught, str(caught)
                except Exception as error:
                    text = f"{type(error).__name__}: {error}"
                    wrong.append(f"{label}({argument}={kind}): {text[:200]}")
                    continue
                tried += 1
                names_call = text.startswith(
                    (
                        function.__qualname__,
                        function.__name__,
                        "array ",
                        "models.",
                        f"Simulation.{label}",
                    )
                )
                is_about_call = isinstance(error, CALLS) and not isinstance(
                    error, flexor.ModelError
                )
                if is_about_call and not (names_call and argument.rstrip("s") in text):
                    wrong.append(f"{label}({argument}={kind}): {text[:200]}")
                if len(text) > 2500 or "\0" in text:
                    wrong.append(f"{label}({argument}={kind}): {len(text)} characters")
    assert not wrong, "\n".join(wrong)
    assert tried > 1000


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda m, s: flexor.Simulation(m, tolerance="a"), ["Simulation", "tolerance", "'a'", "> 0"]),
        (lambda m, s: flexor.Simulation(m, warm_start=np.ones(2)), ["warm_start", "True, False"]),
        (lambda m, s: s.reset(qpos="a"), ["Simulation.reset", "qpos", "'a'", "numbers"]),
        (lambda m, s: s.set_parameter(None, 1), ["set_parameter", "name", "None", "a name"]),
        (lambda m, s: s.set_parameter("tendon/deep/stiffness", "1"), ["values", "'1' (str)"]),
        (lambda m, s: s.set_tension(None, 1), ["Simulation.set_tension", "name", "None"]),
        (lambda m, s: s.step(refresh=1), ["Simulation.step", "refresh", "1", "True, False"]),
        (lambda m, s: s.step(1.5), ["Simulation.step", "n", "1.5", "whole number"]),
        (lambda m, s: s.step(mask="a"), ["Simulation.step", "mask", "'a'", "bool"]),
        (lambda m, s: m.names(None), ["Model.names", "kind", "None"]),
        (lambda m, s: flexor.load_model(3), ["load_model", "path_or_text", "3", "path"]),
        (lambda m, s: flexor.load_model("<a/>", overrides=3), ["overrides", "3", "dict"]),
        (lambda m, s: flexor.load_model("<a/>", overrides={"x": "y"}), ["overrides['x']", "numbers"]),
        (lambda m, s: flexor.load_model("<a/>", allow=3), ["allow", "3", "names"]),
        (lambda m, s: flexor.load_model("<a/>", max_problems="a"), ["max_problems", "whole"]),
        (lambda m, s: flexor.load_model("<a/>", root=3), ["root", "3", "path"]),
        (lambda m, s: flexor.load_model("<a/>", assets={"x": 3}), ["assets['x']", "3", "bytes"]),
        (lambda m, s: s.qpos.set([1j, 0, 0]), ["array qpos", "values", "numbers"]),
        (lambda m, s: s.qpos.set(0, worlds=[[0]]), ["array qpos", "worlds", "vector"]),
    ],
)  # fmt: skip
def test_errors_name_call_argument_value_and_what_is_legal(model, call, words):
    sim = flexor.Simulation(model, 3)
    with pytest.raises(flexor.FlexorError) as caught:
        call(model, sim)
    for word in words:
        assert word in str(caught.value), str(caught.value)


def test_an_argument_of_the_wrong_type_is_a_type_error_and_a_value_error(model):
    with pytest.raises(flexor.ArgumentError) as caught:
        flexor.Simulation(model, tolerance="a")
    assert isinstance(caught.value, TypeError) and isinstance(caught.value, ValueError)
    with pytest.raises(flexor.ArgumentError) as caught:
        flexor.pulley("a")
    assert isinstance(caught.value, flexor.ModelError) and caught.value.code == "bad-argument"


def test_mistyped_names_are_suggested(model):
    sim = flexor.Simulation(model)
    with pytest.raises(AttributeError, match="'qposs'; did you mean 'qpos'[?]"):
        sim.qposs = 1
    with pytest.raises(AttributeError, match="'qposs'; did you mean 'qpos'[?]"):
        sim.qposs  # noqa: B018
    with pytest.raises(AttributeError, match="'colour'; arrays: flexor.FIELDS"):
        sim.colour = 1
    with pytest.raises(AttributeError, match="write sim.qpos.set"):
        sim.qpos = 1
    with pytest.raises(AttributeError):
        flexor.ModelBuilder("b").grvity = 3

    class Own(flexor.Simulation):
        pass

    own = Own(model)
    own.note = 1
    assert own.note == 1
