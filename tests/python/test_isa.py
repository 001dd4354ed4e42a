"""Instruction sets: every one that this processor has gives the bits of one world at a time. [E-9]"""

import subprocess
from pathlib import Path

import flexor
import numpy as np
import pytest
from support import kept_fields

ROOT = Path(__file__).resolve().parents[2]
PACKS = ["baseline", "avx2", "avx512"]
WORLDS, STEPS = 37, 60


def simulation(monkeypatch, isa, model, **options):
    """A simulation that runs on that instruction set; skipped where the processor lacks it."""
    monkeypatch.setenv("FLEXOR_ISA", isa)
    try:
        sim = flexor.Simulation(model, WORLDS, **options)
    except flexor.ConfigError as error:
        pytest.skip(str(error))
    assert sim.options["backend"] == f"cpu/{isa}"
    return sim


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("name", flexor.models.names())
@pytest.mark.parametrize("isa", PACKS)
def test_packs_give_the_bits_of_single_worlds(monkeypatch, isa, name, precision):
    model = flexor.models.load(name)
    packs = simulation(monkeypatch, isa, model, precision=precision, guard="freeze")
    single = simulation(monkeypatch, "scalar", model, precision=precision, guard="freeze")
    random = np.random.default_rng(5)
    pulls = -random.uniform(0, 20, (STEPS, *packs.drive_force.shape))
    for step in range(STEPS):
        for sim in (packs, single):
            sim.drive_force.set(pulls[step])
            if step == 20:
                sim.qvel.numpy()[3] = np.nan
            sim.step()
    assert single.status.numpy()[3] & flexor.Status.FROZEN
    for field in kept_fields(single):
        a, b = getattr(packs, field).copy(), getattr(single, field).copy()
        assert a.tobytes() == b.tobytes(), field
    assert len(np.unique(packs.state_hash())) == WORLDS


@pytest.mark.parametrize("isa", ["sse9", "AVX2", " ", "x" * 100])
def test_unknown_instruction_set_names_those_there_are(monkeypatch, isa):
    monkeypatch.setenv("FLEXOR_ISA", isa)
    with pytest.raises(flexor.ConfigError) as caught:
        flexor.Simulation(flexor.models.load("two_joint_arm"))
    text = str(caught.value)
    assert "FLEXOR_ISA" in text and repr(isa) in text and "'scalar'" in text


def test_no_choice_is_the_best_there_is(monkeypatch):
    model = flexor.models.load("two_joint_arm")
    monkeypatch.setenv("FLEXOR_ISA", "")
    first = flexor.Simulation(model).options["backend"]
    monkeypatch.delenv("FLEXOR_ISA")
    assert flexor.Simulation(model).options["backend"] == first


@pytest.mark.parametrize("isa", ["avx2", "avx512"])
def test_operations_of_lanes_in_wide_registers(monkeypatch, isa):
    """The C++ tests of packs and of functions on them, compiled for that instruction set."""
    simulation(monkeypatch, isa, flexor.models.load("two_joint_arm"))
    built = [p for p in (ROOT / "build").rglob(f"flexor_lane_tests_{isa}") if p.is_file()]
    if not built:
        pytest.skip(f"the target flexor_lane_tests_{isa} has not been built")
    newest = max(built, key=lambda p: p.stat().st_mtime)
    done = subprocess.run([newest, "--gtest_brief=1"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-4000:]
    assert "[  PASSED  ]" in done.stdout
