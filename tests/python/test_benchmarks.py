"""Every benchmark runs, in its smallest form, and writes a whole CSV. What they time is not looked at."""

import csv
import importlib
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.append(str(Path(__file__).resolve().parents[2] / "benchmarks"))

import common

ROOT = common.RESULTS.parents[1]
ARM = ("--models", "two_joint_arm")
#: per benchmark: arguments of its smallest run, number of rows, columns that hold a number > 0
SMALLEST = {
    "stage_profile": (
        (*ARM, "--worlds", "5", "--precisions", "float32", "--settle", "1", "--repeats", "1"),
        14,
        ("us",),
    ),
    "growth": (
        ("--largest", "32", "--repeats", "1", "--seconds", "0", "--settle", "1"),
        1 + 5 + 4 + 5,
        ("step_us", "state_bytes", "workspace_bytes"),
    ),
    "call_overhead": (
        (*ARM, "--worlds", "1", "5", "--repeats", "1", "--seconds", "0", "--settle", "1"),
        2,
        ("python_us", "cpp_us", "asked_us"),
    ),
    "solver_convergence": (
        (*ARM, "--worlds", "3", "--settle", "2", "--judged", "1"),
        11 * (3 + 4),
        ("worlds",),
    ),
}


def run(benchmark: str, arguments, file: Path) -> list[dict]:
    """Rows of the CSV that a benchmark writes."""
    module = importlib.import_module(benchmark)
    assert module.main([*arguments, "--csv", str(file)]) == 0
    with file.open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert all(None not in row and None not in row.values() for row in rows)
    return rows


@pytest.mark.parametrize("benchmark", SMALLEST)
def test_writes_its_rows(benchmark, tmp_path, capsys):
    arguments, count, positive = SMALLEST[benchmark]
    rows = run(benchmark, arguments, tmp_path / "result.csv")
    assert len(rows) == count
    for row in rows:
        for column in positive:
            assert float(row[column]) > 0, f"{column}: {row[column]}"
    assert capsys.readouterr().out.count("\n") > count  # a line for each, and where they are


def test_vs_mujoco_compares_with_both_of_its_ways(tmp_path):
    pytest.importorskip("mujoco.batch", reason="needs MuJoCo 4: pip install 'flexor[bench]'")
    arguments = (
        *ARM, "--worlds", "3", "--repeats", "1", "--seconds", "0", "--checked-steps", "4",
        "--threads", "1", "--states", "full",
    )  # fmt: skip
    rows = run("vs_mujoco", arguments, tmp_path / "result.csv")
    assert [row["precision"] for row in rows] == ["float32", "float64"]
    for row in rows:
        ways = float(row["mujoco_batch_us"]), float(row["mujoco_rollout_us"])
        assert float(row["mujoco_us"]) == min(ways)
        ratio = float(row["mujoco_us"]) / float(row["flexor_us"])
        assert float(row["ratio"]) == pytest.approx(ratio, rel=1e-2)
        assert float(row["commands_share"]) > 0
        assert row["bad_worlds"] == row["mujoco_bad_worlds"] == "0"


def test_mujoco_is_driven_as_flexor_is():
    """Both ways of MuJoCo see the same commands and go the same way as one MjData, and tendon lengths
    are flexor's: the comparison is of the same motion."""
    mujoco = pytest.importorskip("mujoco", reason="needs MuJoCo 4: pip install 'flexor[bench]'")
    pytest.importorskip("mujoco.batch", reason="needs MuJoCo 4: pip install 'flexor[bench]'")
    import flexor
    import mujoco_sides

    model = flexor.models.load("two_joint_arm")
    theirs = mujoco_sides.load(flexor.models.path("two_joint_arm"))
    commands, steps = common.draw_commands(model, worlds=3, pull=20.0, count=4), 7
    batch = mujoco_sides.BatchSide(theirs, commands, threads=1)
    rollout = mujoco_sides.RolloutSide(theirs, commands, threads=1)
    ours = common.Stepper(
        model, commands, precision="float64", num_threads=1, outputs=("tendon_length",)
    )
    for side in (batch, rollout, ours):
        side.run(steps)
    data = mujoco.MjData(theirs)
    for i in range(steps):
        data.ctrl[:] = commands[i % len(commands)][2]
        mujoco.mj_step(theirs, data)
    assert np.array_equal(batch.batch.bind("qpos")[2], data.qpos)
    assert np.array_equal(rollout.state[2, 1 : 1 + theirs.nq], data.qpos)
    # integrators differ in O(h): a wrong sign or order of the drives differs in the motion itself
    moved = np.abs(data.qpos - theirs.qpos0).max()
    assert np.abs(ours.sim.qpos.numpy()[2] - data.qpos).max() < 0.05 * moved
    assert np.allclose(ours.sim.tendon_length.numpy()[2], batch.outputs[0][2], atol=0.05 * moved)


def built(program: str) -> Path:
    """Executable of a C++ benchmark, the newest; the test is skipped where none was built."""
    found = [p for p in (ROOT / "build").rglob(program) if p.is_file()]
    if not found:
        pytest.skip(f"no {program} under build/ (CMake option FLEXOR_BENCHMARKS)")
    return max(found, key=lambda p: p.stat().st_mtime)


def test_step_throughput_runs():
    command = [
        built("step_throughput"), "--benchmark_filter=arm/cpu/float32/1/", "--benchmark_min_time=0.001",
        "--benchmark_format=csv",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    header, *rows = csv.reader(done.stdout[done.stdout.index("name,") :].splitlines())
    row = dict(zip(header, rows[0], strict=True))
    assert float(row["converged"]) == 1 and float(row["items_per_second"]) > 0


def test_stage_counts_counts_every_stage(tmp_path):
    """What it writes is what stage_profile.py reads; that counts are right is tested in C++."""
    file = tmp_path / "counts.csv"
    subprocess.run([built("stage_counts"), str(file)], check=True, stdout=subprocess.DEVNULL)
    import stage_profile

    for model in common.MODELS:
        counts = stage_profile.read_counts(file, model)
        committed = stage_profile.read_counts(common.RESULTS / "stage_counts.csv", model)
        assert [stage for stage, _ in counts] == [stage for stage, _ in committed]
        by_stage = dict(counts)
        for stage in ("kinematics", "inertia_and_bias", "route", "solve"):
            assert by_stage[stage]["flops"] > 0 and by_stage[stage]["cell_bytes"] > 0


def test_probe_does_the_same_work_on_every_thread(tmp_path):
    import vs_mujoco

    try:
        probe = vs_mujoco.Probe(str(tmp_path))
    except SystemExit as missing:
        pytest.skip(str(missing))
    assert math.isfinite(probe.run(2)) and probe.run(1) > 0
    wrong = subprocess.run([probe.program, "0", "1"], capture_output=True, text=True)
    assert wrong.returncode == 2 and "usage" in wrong.stderr


def test_repeats_alternate():
    seen = []
    runs = [lambda name=name: seen.append(name) or len(seen) for name in "ab"]
    assert common.alternate(runs, 2) == [[1, 3], [2, 4]] and seen == list("abab")


def test_growth_judges_what_it_found():
    import growth

    sweep = growth.Sweep((1, 2, 4), None, None, exponent=1.1)
    linear = [{"size": n, "step_us": 3.0 * n, "state_bytes": 1} for n in (1, 2, 4)]
    square = [{"size": n, "step_us": 3.0 * n**2, "state_bytes": 1} for n in (1, 2, 4)]
    assert "exponent 1.00" in growth.verdict(sweep, linear)
    assert "holds" in growth.verdict(sweep, linear)
    assert "exponent 2.00" in growth.verdict(sweep, square)
    assert "FAILS" in growth.verdict(sweep, square)
    flat = growth.Sweep((1, 2), None, None, spread=1.15, state_bytes=2)
    assert growth.verdict(flat, linear).count("FAILS") == 1
