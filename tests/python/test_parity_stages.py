"""The batch against the reference path, and one precision against the other, by `flexor.compare`: the
outputs of all stages of one step from equal states on random models, as far as they are unique."""

import flexor
import pytest
from test_parity import MODELS, WORLDS, model_of, states


def compare(seed, a="reference", **options):
    """Report of one step, from what the model's drives ask for."""
    q, v = states(model_of(seed), seed)
    return flexor.compare(
        model_of(seed), a, "cpu", mode="stages", worlds=WORLDS, steps=1, commands="hold",
        states={"qpos": q, "qvel": v}, **options,
    )  # fmt: skip


def assert_agree(seed, report):
    """Everything compared is in tolerance. Returns the share of worlds compared; a model may run
    away in all of its own."""
    assert all(row["ok"] for row in report.fields), f"model {seed}: {report}"
    return report.checks[1]["value"]


@pytest.mark.parametrize("first", range(0, MODELS, 20))
def test_every_stage_equals_exact(first):
    """[P-40]: all stages in float64; 1e-9 after the solve."""
    compared = 0
    for seed in range(first, first + 20):
        report = compare(seed, precision_b="float64")
        compared += assert_agree(seed, report)
        assert report.left_out["unsolved by b alone"] == 0, f"model {seed}: {report}"
    assert compared > 0.8 * 20


@pytest.mark.parametrize("first", range(0, MODELS, 20))
def test_every_stage_in_float32(first):
    """max(1e-5, 20 eps cond) after the solve, both started from states that float32 can hold."""
    compared = 0
    for seed in range(first, first + 20):
        report = compare(seed, "cpu", precision_a="float64", precision_b="float32")
        compared += assert_agree(seed, report)
    assert compared > 0.8 * 20


@pytest.mark.parametrize("solver", ["active_set", "jacobi"])
def test_every_solver_passes_the_ladder(solver):
    """[P-55]-[P-59], [P-80]-[P-83]: one fixed point; methods differ by their stopping rule."""
    for seed in range(0, 40):
        report = compare(seed, precision_b="float64", solver_b=solver)
        assert_agree(seed, report)
        assert report.left_out["unsolved by b alone"] <= 1
