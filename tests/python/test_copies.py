"""Models, builders and errors go through pickle and copy."""

import copy
import pickle

import flexor
import numpy as np
import pytest
from flexor.arguments import ElementError
from random_models import random_tree

INCLUDED = """<mujoco model="parts"><include file="link.xml"/></mujoco>"""
LINK = b"""<mujoco><option timestep="0.001"/><worldbody><site name="a" pos="0 0 1"/><body name="b">
<joint name="j" type="slide" axis="0 0 1" range="-1 1" solreflimit="0.05 0.9" damping="2"/>
<geom name="g" size=".1" mass="1"/><site name="s"/></body></worldbody>
<tendon><spatial name="t" stiffness="5" springlength="-1" frictionloss="0.1"><site site="a"/>
<site site="s"/></spatial></tendon></mujoco>"""


def loaded():
    return flexor.load_model(
        INCLUDED,
        strict=False,
        assets={"link.xml": LINK},
        overrides={"tendon/t/stiffness": 7.0},
        options={"gravity": [0, 0, -1]},
    )


def models():
    yield from (flexor.models.load(name) for name in flexor.models.names())
    yield loaded()
    for seed in range(12):
        built = random_tree(seed, tendons=3, stiffness=100.0)
        yield built.finalize() if isinstance(built, flexor.ModelBuilder) else built


def test_a_pickled_model_is_the_model():
    for model in models():
        again = pickle.loads(pickle.dumps(model))
        assert again.hash == model.hash and again == model
        assert again.report == model.report
        assert again.inert == model.inert
        assert repr(again.parameters()) == repr(model.parameters())  # nan as nan
        sims = [flexor.Simulation(m, 2, inert="*") for m in (model, again)]
        for sim in sims:
            sim.qvel.set(0.1)
            sim.step(5)
        assert np.array_equal(sims[0].state_hash(), sims[1].state_hash())


def test_public_models_survive_pickle(shared):
    tried = 0
    for file in sorted((shared / "models").rglob("*.xml")):
        try:
            model = flexor.load_model(file, strict=False)
        except flexor.ModelError:
            continue
        again = pickle.loads(pickle.dumps(model))
        assert again.hash == model.hash and again.report == model.report, file
        tried += 1
    assert tried > 5


def test_copies_of_a_model_are_the_model():
    model = loaded()
    assert copy.copy(model) is model and copy.deepcopy([model])[0] is model


def test_damaged_bytes_are_refused():
    function, (data,) = loaded().__reduce__()
    assert function(data) == loaded()
    for bad in (b"", b"noise", data[:-1], data + b"x", data[: len(data) // 2]):
        with pytest.raises(flexor.FlexorError):
            function(bad)
    for i in range(0, len(data), 97):  # anything but a crash
        changed = bytearray(data)
        changed[i] ^= 0x41
        try:
            function(bytes(changed))
        except flexor.FlexorError:
            pass


def test_copies_of_a_builder_go_their_own_way():
    builder = loaded().to_builder()
    for again in (copy.copy(builder), copy.deepcopy(builder), pickle.loads(pickle.dumps(builder))):
        assert again.finalize() == builder.finalize()
        handle = again.add_site("world", "extra")
        assert pickle.loads(pickle.dumps(handle)).name == "extra"
        assert copy.copy(handle).kind == "site"
        assert again.finalize() != builder.finalize()


def test_a_simulation_says_how_it_is_copied():
    sim = flexor.Simulation(loaded())
    for call in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="save"):
            call(sim)


def errors():
    for name in dir(flexor):
        cls = getattr(flexor, name)
        if isinstance(cls, type) and issubclass(cls, flexor.FlexorError):
            yield cls("what happened")
    yield ElementError("body", "mass", object(), "expected a number", "rod")
    for call in (
        lambda: flexor.load_model("<mujoco><body/></mujoco>"),
        lambda: flexor.via(),
        lambda: loaded().index("joint", "k"),
        lambda: flexor.Simulation(loaded(), 0),
        lambda: flexor.Simulation(loaded(), device="cuda"),
    ):
        with pytest.raises(flexor.FlexorError) as caught:
            call()
        yield caught.value


def test_errors_survive_pickle_and_copy():
    for error in errors():
        for again in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
            assert type(again) is type(error) and str(again) == str(error)
            assert again.__dict__ == error.__dict__
