"""The demo, small: what it writes, and that the comparison with the reference path can fail."""

import csv

import flexor
import pytest
from flexor import demo


def test_demo_writes_table_csv_and_plot(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("FLEXOR_SHARED", str(tmp_path / "nothing"))
    out = tmp_path / "out"
    assert demo.main(["--worlds", "20", "--seconds", "0.1", "--out", str(out)]) == 0
    text = capsys.readouterr().out
    for word in ("deep", "slack", "world-steps/s", "converged share", "qvel against reference"):
        assert word in text
    rows = list(csv.reader((out / "three_joint_finger.csv").open()))
    tendons = flexor.models.load("three_joint_finger").tendon_count
    assert len(rows) == 1 + 10 and len(rows[0]) == 1 + demo.DRAWN_WORLDS * tendons * 2
    assert float(rows[-1][0]) == pytest.approx(0.092)
    pytest.importorskip("matplotlib")
    assert (out / "three_joint_finger.png").read_bytes().startswith(b"\x89PNG")


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
