"""The demo, small: what it writes, and that the comparison with the reference path can fail."""

import csv

import flexor
import numpy as np
import pytest
from flexor import demo
from flexor.cli.show import Output


def test_demo_writes_table_csv_and_plot(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("FLEXOR_SHARED", str(tmp_path / "nothing"))
    out = tmp_path / "out"
    assert demo.main(["--worlds", "20", "--seconds", "0.1", "--out", str(out)]) == 0
    text = capsys.readouterr().out
    for word in ("deep", "slack", "pushes", "world-steps/s", "converged share", "qvel against"):
        assert word in text
    rows = list(csv.reader((out / "three_joint_finger.csv").open()))
    tendons = flexor.models.load("three_joint_finger").tendon_count
    assert len(rows) == 1 + 11 and len(rows[0]) == 1 + demo.DRAWN_WORLDS * tendons * 2
    assert [float(row[0]) for row in rows[1:]] == pytest.approx([0.01 * k for k in range(11)])
    assert (out / "two_joint_arm.csv").is_file()  # where there are no public models
    pytest.importorskip("matplotlib")
    assert (out / "three_joint_finger.png").read_bytes().startswith(b"\x89PNG")


def test_slack_and_pushing_tendons_are_told_apart(monkeypatch):
    """An idle tendon without spring is slack; one whose spring is compressed pushes."""
    arguments = type("Arguments", (), {"worlds": 4, "seconds": 1.0})
    model = flexor.models.load("three_joint_finger")
    constant = np.array([0.0, -3.0, 0.0, 0.0])
    monkeypatch.setattr(demo.RandomCommands, "draw", lambda self, n: np.tile(constant, (n, 1)))
    result = demo.run("finger", model, arguments, Output(is_quiet=True))
    deep, middle = (model.index("tendon", name) for name in ("deep", "middle"))
    assert result.pushing[deep] > 0.8 and result.slack[deep] < 0.1
    assert result.pushing[middle] == 0 and result.slack[middle] == 0


@pytest.mark.parametrize("precision, bound", [("float64", 1e-9), ("float32", 1e-2)])
def test_reference_and_batch_agree_step_by_step(precision, bound):
    model = flexor.models.load("three_joint_finger")
    batch = flexor.Simulation(model, 20, precision=precision)
    reference = demo.Reference(model, batch, "error")
    batch.drive_force.set([-3.0, -2.0, -8.0, 0.0])
    for _ in range(10):
        reference.take_state()
        batch.step(1, refresh=False)
        reference.compare()
    assert set(reference.errors) == set(demo.SCALES)
    assert max(reference.errors.values()) < bound


def test_comparison_sees_a_difference():
    model = flexor.models.load("three_joint_finger")
    batch = flexor.Simulation(model, 4)
    reference = demo.Reference(model, batch, "error")
    reference.take_state()
    batch.qvel.numpy()[2, 1] = 0.5  # after the reference took the state
    batch.step(1, refresh=False)
    reference.compare()
    assert reference.errors["qvel"] > 0.1


def test_shared_folder_follows_the_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("FLEXOR_SHARED", str(tmp_path))
    assert demo.shared_folder() == tmp_path
    monkeypatch.delenv("FLEXOR_SHARED")
    assert demo.shared_folder().name == "shared"
