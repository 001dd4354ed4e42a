"""flexor.compare: errors [CM-1], ulp distances [CM-2], the ladder [CM-3], the three ways to run, and
that each of them sees a planted fault."""

import json
import sys
from types import SimpleNamespace

import flexor
import numpy as np
import pytest
from flexor import sphere, via
from flexor.cli import main
from flexor.comparison import MODES, Report
from flexor.comparison.fields import MATRICES, Scales, compared
from flexor.comparison.ladder import LADDER, Ladder, rung_of
from flexor.comparison.legs import Legs
from flexor.comparison.measure import Spread, differs, relative_error, ulp_distance
from flexor.comparison.side import Side
from flexor.comparison.tally import Tally
from random_models import random_rows

OWN = flexor.models.names()
PRECISIONS = ("float64", "float32")
NAN, INF = float("nan"), float("inf")
SMALL = {"worlds": 12, "steps": 8}


@pytest.fixture(scope="module")
def finger():
    return flexor.models.load("three_joint_finger")


# --- measures ---


def test_case_46_ulp_distances_of_float32():
    """1 and the next; 1 and 2 (2^23 numbers apart); both zeros; the smallest
    subnormals on both sides of zero."""
    a = np.array([1, 1, -0.0, -1.4e-45], np.float32)
    b = np.array([np.nextafter(np.float32(1), np.float32(2)), 2, 0, 1.4e-45], np.float32)
    assert ulp_distance(a, b).tolist() == [1, 8388608, 0, 2]
    assert ulp_distance(b, a).tolist() == [1, 8388608, 0, 2]


def test_ulp_distances_of_float64_do_not_overflow():
    """From -max to max are two times the magnitude's bits, which no int64 holds."""
    big = np.finfo(np.float64).max
    magnitude = int(np.array(big).view(np.uint64))
    assert ulp_distance(np.array([-big]), np.array([big]))[0] == float(2 * magnitude)
    assert ulp_distance(np.array([NAN, NAN, 1.0]), np.array([NAN, 1.0, NAN])).tolist() == [
        0,
        INF,
        INF,
    ]


def test_case_47_relative_error_of_the_worked_example():
    """|1 - 1.001| / 1.001 outweighs 0.05 / 100.05."""
    error = relative_error(np.array([1.0, 100.0]), np.array([1.001, 100.05]), 1.0)
    assert error.max() == pytest.approx(9.9900e-4, rel=1e-4)
    assert relative_error(np.array([1e-3]), np.array([2e-3]), 1.0)[0] == pytest.approx(1e-3)


def test_missing_and_infinite_numbers():
    a = np.array([NAN, NAN, 1.0, INF, INF, INF, 0.0])
    b = np.array([NAN, 1.0, NAN, INF, -INF, 1.0, -0.0])
    assert relative_error(a, b, 1.0).tolist() == [0, INF, INF, 0, INF, INF, 0]


def test_bits_differ_for_zeros_of_two_signs_but_not_for_two_nans():
    a, b = np.array([0.0, NAN, 1.0, 2.0]), np.array([-0.0, -NAN, 1.0, np.nextafter(2.0, 3.0)])
    assert differs(a, b).tolist() == [True, False, False, True]
    assert ulp_distance(a, b).tolist() == [0, 0, 0, 1]
    assert differs(np.array([1, 2]), np.array([1, 3])).tolist() == [False, True]


def test_percentiles_to_one_per_cent():
    values = np.random.default_rng(0).lognormal(-20, 4, 20000)
    spread = Spread()
    for part in np.array_split(values, 7):
        spread.add(part)
    assert spread.count == values.size
    for share in (50, 99):
        assert spread.percentile(share) == pytest.approx(np.percentile(values, share), rel=0.02)
    assert spread.percentile(100) == values.max()
    spread = Spread()
    assert spread.percentile(50) == 0
    spread.add(np.array([0.0, 0.0, 0.0, INF]))
    assert spread.percentile(50) == 0 and spread.percentile(100) == INF


def test_percentiles_of_ulp_distances_are_exact():
    for n in (0, 1, 4, 5, 255, 256):
        spread = Spread()
        spread.add(np.array([n, n, 1e9], np.float64))
        assert spread.percentile(50) == n


# --- the ladder on made-up arrays ---


def side(device, precision="float32", solver="active_set"):
    return SimpleNamespace(device=device, precision=precision, options={"solver": solver})


@pytest.mark.parametrize(
    "a, b, numeric, rung",
    [
        (side("cpu"), side("cpu"), "fast", "identical"),
        (side("cpu"), side("cpu", solver="jacobi"), "fast", "float32"),
        (side("cpu"), side("cuda:0"), "fast", "host and device"),
        (side("cuda:0"), side("cpu"), "strict", "identical"),
        (side("cpu", "float64"), side("cuda:1", "float64"), "fast", "host and device"),
        (side("cpu", "float64"), side("cuda:0"), "strict", "float32"),
        (side("reference", "float64"), side("cpu", "float64"), "strict", "float64"),
        (side("reference", "float64"), side("cpu"), "fast", "float32"),
    ],
)
def test_which_rung_a_pair_stands_on(a, b, numeric, rung):
    assert rung_of(a, b, numeric) == rung


def test_only_host_against_device_is_asked_for_ulps():
    assert {name: rung.ulp for name, rung in LADDER.items()} == {
        "identical": None, "float64": None, "float32": None, "host and device": 4
    }  # fmt: skip


def moved(values, ulps):
    """Values moved away from 0 by whole ulps."""
    return (values.view(np.int32) + np.asarray(ulps, np.int32)).view(np.float32)


@pytest.mark.parametrize(
    "ulps, is_ok",
    [([4] * 9, True), ([5] * 9, False), ([4] * 5 + [16] * 4, True), ([0] * 4 + [5] * 5, False)],
)
def test_the_median_of_ulp_distances_is_judged(ulps, is_ok):
    """2e-6 of the largest number lets 16 ulp pass; the median over all numbers must be 4."""
    a = np.linspace(1, 1.9, 9, dtype=np.float32).reshape(3, 3)
    tally = Tally("tendon_length", "route", ("a", "b", "c"), median_ulp=4.0)
    tally.add(0, a, moved(a, np.reshape(ulps, (3, 3))), 1.0, 2e-6)
    row = tally.row()
    assert row["ok"] == is_ok and row["used"] <= 1 and row["ulp_tolerance"] == 4
    report = Report({"model": "m", "mode": "stages", "a": {"backend": "cpu", "precision": "float32"},
                     "b": {"backend": "cuda", "precision": "float32"}}, [row])  # fmt: skip
    assert report.ok == is_ok
    assert is_ok or report.failures == ["tendon_length: median 5 ulp > 4"]


def test_a_short_leg_excuses_its_moment_arm_alone():
    """A leg of 1e-4 m between coordinates of 1 m has a direction to eps/1e-4 = 1.2e-3 in float32; the
    tendon beside it keeps the ladder's 2e-5."""
    b = flexor.ModelBuilder("legs")
    b.add_body("ball", pos=(1, 0, 0), mass=1, inertia=(0.1, 0.1, 0.1))
    b.add_joint("ball", "float", type="free")
    for name, gap in (("short", 1e-4), ("long", 0.3)):
        path = [via(body="world", pos=(1, 0, gap)), via(body="ball", pos=(0, 0, 0))]
        b.add_spatial_tendon(name, path)
    tangent = [via(body="world", pos=(1, 0.10005, 0)), via(body="world", pos=(2, 0, 0.02))]
    for name, side_of in (("round", None), ("inside", ("ball", (0, 0, 0)))):
        guide = sphere(body="ball", pos=(0, 0, 0), radius=0.1, side=side_of)
        b.add_spatial_tendon(name, [tangent[0], guide, tangent[1]])
    model = b.finalize()
    one, other = (Side(model, 2, device="cpu", precision=p) for p in ("float64", "float32"))
    for s in (one, other):
        s.forward()
    assert Legs(one).shortest()[0] == pytest.approx(
        [1e-4, 0.3, np.sqrt(0.00005 * 0.20005), 0.00005], rel=1e-6
    )
    ladder = Ladder("ladder", one, other, "fast", "stages", compared("stages"))
    ladder.estimator.start()
    for s in (one, other):
        s.step()
    slack = ladder.slack("tendon_jacobian", ladder.estimator.conditions(other))[0, :, 0]
    eps = np.finfo(np.float32).eps
    assert slack[0] == pytest.approx(eps / 1e-4, rel=0.02) and slack[1] < 2e-5


def test_scales_come_from_the_model(finger):
    scales = Scales.of(finger)
    assert scales.force == 30, "the extensor's drive pulls most"
    expected = [finger.reference_length(name) for name in finger.names("tendon")]
    assert scales.length.tolist() == expected and scales.extent == max(expected)
    b = flexor.ModelBuilder("mass")
    b.add_point_mass("mass", (0, 0, 0), 1.0)
    assert Scales.of(b.finalize()).force == 10


# --- agreement ---


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("name", OWN)
def test_own_models_are_in_tolerance(name, precision, mode):
    model = flexor.models.load(name)
    report = flexor.compare(model, mode=mode, precision_b=precision, worlds=32, steps=40)
    assert report and report.ok, str(report)
    assert sum(report.left_out.values()) == 0
    q = report.field("qpos")
    assert q["compared"] == 32 * 40 * model.nq and 0 <= q["p50"] <= q["p99"] <= q["max"]
    assert q["max"] > 0, "two paths that never differ are not two"
    assert (q["ulp"] is None) == (precision == "float32")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("precision", PRECISIONS)
def test_random_models_are_in_tolerance(precision, mode):
    for seed in range(12):
        report = flexor.compare(
            random_rows(seed), mode=mode, precision_b=precision, seed=seed, **SMALL
        )
        assert report.ok, f"model {seed}: {report}"


@pytest.mark.parametrize("precision", PRECISIONS)
def test_varied_parameters_reach_both_sides(precision):
    model = flexor.models.load("two_joint_arm")
    varied = flexor.compare(model, precision_b=precision, vary=True, **SMALL)
    assert varied.ok, str(varied)
    assert varied.about["varied_parameters"] > 50
    some = flexor.compare(model, precision_b=precision, vary="tendon/*/stiffness", **SMALL)
    assert some.ok and some.about["varied_parameters"] == model.tendon_count


def test_the_tolerance_follows_the_precision(finger):
    used = {}
    for precision in PRECISIONS:
        row = flexor.compare(finger, precision_b=precision, mode="stages", **SMALL).field(
            "tendon_length"
        )
        used[precision] = row["tolerance"]
    assert used["float64"] == pytest.approx(1e-12, rel=3) and used["float32"] == pytest.approx(
        2e-6, rel=3
    )


def test_a_world_that_is_not_a_number_on_both_sides_is_equal(finger):
    """Guard freeze puts both sides back to a sound state; neither is blamed."""
    qvel = np.zeros((4, finger.nv))
    qvel[2, 1] = NAN
    report = flexor.compare(finger, precision_b="float64", states={"qvel": qvel}, worlds=4, steps=3)
    assert report.ok, str(report)


# --- faults ---


@pytest.mark.parametrize("factor", (1.001, 0.999))
@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("fault", ("tendon_length", "qvel", "tendon_tension", "branch_tension"))
def test_every_mode_sees_a_fault_in_an_array(finger, mode, precision, fault, factor):
    report = flexor.compare(
        finger, mode=mode, precision_b=precision, inject={fault: factor}, **SMALL
    )
    assert not report.ok
    row = report.field(fault)
    assert not row["ok"] and row["worst"]["b"] == pytest.approx(
        factor * row["worst"]["a"], rel=3e-5
    )
    assert [r["name"] for r in report.fields if not r["ok"]] == [fault]


@pytest.mark.parametrize("fault", (*MATRICES, "tendon_jacobian", "body_position", "qpos"))
def test_stages_see_a_fault_in_every_stage(finger, fault):
    report = flexor.compare(
        finger, mode="stages", precision_b="float32", inject=f"{fault}:1.001", **SMALL
    )
    assert [r["name"] for r in report.fields if not r["ok"]] == [fault]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("factor", (1.01, 0.99))
@pytest.mark.parametrize(
    "fault",
    ("body/proximal/mass", "tendon/deep/damping", "site/proximal_tip/pos", "option/gravity"),
)
def test_every_mode_sees_a_fault_in_a_parameter(finger, mode, factor, fault):
    if fault.startswith("site"):
        fault = next(
            p.name for p in finger.parameters() if p.name.startswith("site/") and np.any(p.nominal)
        )
    report = flexor.compare(
        finger, mode=mode, precision_b="float64", inject=[f"{fault}:{factor}"], **SMALL
    )
    assert not report.ok and report.about["inject"] == {fault: factor}


@pytest.mark.parametrize("mode", MODES)
def test_a_side_that_explodes_alone_is_not_left_out(finger, mode):
    """Which worlds run away is told by side a only."""
    report = flexor.compare(
        finger, mode=mode, precision_b="float64", inject={"option/gravity": 1e12}, **SMALL
    )
    assert not report.field("qvel")["ok"] and report.left_out["run away"] == 0


def test_a_free_run_sees_forces_that_do_not_explain_the_motion(finger):
    """With forces 1 % too large neither balance closes on side b; side a is not blamed."""
    report = flexor.compare(
        finger, mode="free", precision_b="float32", inject={"tendon_force": 1.01}, **SMALL
    )
    rows = {(r["name"], r["side"]): r for r in report.invariants}
    assert not rows["momentum balance", "b"]["ok"] and rows["momentum balance", "a"]["ok"]
    assert not rows["energy balance", "b"]["ok"] and rows["energy balance", "a"]["ok"]


def test_a_free_run_sees_means_that_differ(finger):
    report = flexor.compare(
        finger, mode="free", precision_b="float64", inject={"tendon_tension": 1.01}, **SMALL
    )
    rows = {r["name"]: r for r in report.invariants}
    assert not rows["mean tension"]["ok"] and rows["beyond length limits"]["ok"]


def test_a_given_tolerance_replaces_the_ladders(finger):
    loose = flexor.compare(finger, precision_b="float32", inject={"qvel": 1.001},
                           tolerance={"qvel": 0.01}, **SMALL)  # fmt: skip
    assert loose.ok and loose.field("qvel")["tolerance"] == 0.01
    tight = flexor.compare(finger, precision_b="float32", tolerance={"tendon_*": 0}, **SMALL)
    failed = [r["name"] for r in tight.fields if not r["ok"]]
    assert "tendon_length" in failed and "qvel" not in failed


# --- equal bits ---


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("strict", (True, False))
def test_case_48_threads_batch_size_and_order_change_no_bit(finger, precision, mode, strict):
    """[E-9]"""
    report = flexor.compare(
        finger, "cpu", "cpu", precision_a=precision, precision_b=precision, mode=mode,
        strict=strict, threads_a=1, threads_b=2, batch_b=7, shuffle_b=True, worlds=40, steps=10,
    )  # fmt: skip
    assert report.ok and report.first_difference is None, str(report)
    assert report.about["rung"] == ("bits" if strict else "identical")
    assert strict or all(row["max"] == 0 and row["ulp"]["max"] == 0 for row in report.fields)


def test_other_solvers_are_not_expected_to_give_equal_bits(finger):
    report = flexor.compare(
        finger,
        "cpu",
        "cpu",
        precision_a="float64",
        precision_b="float64",
        solver_b="jacobi",
        **SMALL,
    )
    assert report.ok and report.about["rung"] == "float64", str(report)


def test_strict_names_the_exact_first_difference(finger):
    """b reads length * 1.001 in float32 from the first step on; which is so many ulp away."""
    report = flexor.compare(
        finger, "cpu", "cpu", strict=True, inject={"tendon_length": 1.001}, **SMALL
    )
    found = report.first_difference
    assert (found["step"], found["field"], found["world"]) == (0, "tendon_length", 0)
    assert (found["stage"], found["component"]) == ("store_geometry", "deep")
    a, b = np.float32(found["a"]), np.float32(found["b"])
    assert b == a * np.float32(1.001)
    assert found["ulp"] == ulp_distance(np.array([a]), np.array([b]))[0]
    assert not report.ok and "tendon_length" in str(report)


def test_strict_tells_the_two_zeros_apart_and_the_ladder_does_not(finger):
    """Zero times -1 is -0: equal as a number and 0 ulp away, but not the same bits."""
    rest = {"qvel": np.zeros((5, finger.nv)), "qpos": np.tile(finger.qpos0, (5, 1))}
    report = flexor.compare(
        finger, "cpu", "cpu", strict=True, mode="free", states=rest, commands="hold", worlds=5,
        steps=2, inject={"tendon_armature_force": -1},
    )  # fmt: skip
    found = report.first_difference
    assert found["field"] == "tendon_armature_force" and found["ulp"] == 0
    assert (found["a"], found["b"]) == (0, 0) and found["world"] == 0
    ladder = flexor.compare(
        finger, "cpu", "cpu", mode="free", states=rest, commands="hold", worlds=5, steps=2,
        inject={"tendon_armature_force": -1},
    )  # fmt: skip
    assert ladder.ok, "as numbers the two zeros are equal"


def test_strict_between_other_devices_finds_rounding(finger):
    report = flexor.compare(finger, precision_b="float64", strict=True, mode="stages", **SMALL)
    assert not report.ok and report.first_difference["ulp"] >= 1
    with pytest.raises(
        ValueError, match="strict: float64 against float32; legal: equal precisions"
    ):
        flexor.compare(finger, precision_b="float32", strict=True, **SMALL)


# --- arguments and report ---


@pytest.mark.parametrize(
    "arguments, text",
    [
        ({"mode": "fast"}, r"compare: mode: 'fast' is not one of 'shadow', 'free', 'stages'"),
        ({"numeric": "loose"}, r"compare: numeric: 'loose' is not one of"),
        (
            {"commands": "none"},
            r"compare: commands: 'none' is not one of 'random', 'hold', \{array",
        ),
        ({"states": 3}, r"compare: states: 3 is not one of"),
        ({"worlds": 0}, r"compare: worlds: 0 given; legal: a whole number from 1 to"),
        ({"inject": [1]}, r"compare: inject: \[1\] \(list\) given; legal: \{name: factor\}"),
        ({"inject": 3}, r"compare: inject: 3 given"),
        ({"steps": 0}, r"compare: steps: 0 given; legal: a whole number from 1 to"),
        (
            {"batch_b": 9, "worlds": 8},
            r"compare: batch_b: 9 given; legal: a whole number from 1 to 8",
        ),
        ({"tolerance": 1e-3}, r"compare: tolerance: 0.001 is not 'ladder' or"),
        ({"tolerance": {"qpos": -1}}, r"compare: tolerance: qpos: -1 is not a number >= 0"),
        ({"inject": "qpos"}, r"compare: inject: ''?.*is not name:factor"),
        ({"a": "tpu"}, r"device"),
    ],
)
def test_bad_arguments_are_named(finger, arguments, text):
    with pytest.raises(ValueError, match=text):
        flexor.compare(finger, **({"worlds": 2, "steps": 1} | arguments))


def test_unknown_names_get_suggestions(finger):
    for arguments in (
        {"inject": "tendon_lenght:2"}, {"tolerance": {"tendon_lenght": 1}},
        {"commands": {"drive_forse": 1}}, {"states": {"qpoz": 1}}, {"vary": "tendon/*/stifness"},
        {"inject": "tendon/deep/stifness:2"},
    ):  # fmt: skip
        with pytest.raises(flexor.UnknownNameError, match=r"no|did you mean"):
            flexor.compare(finger, worlds=2, steps=1, **arguments)
    with pytest.raises(flexor.ShapeError, match=r"states: qvel: expected .*\(2, 3\)"):
        flexor.compare(finger, worlds=2, steps=1, states={"qvel": np.zeros((5, 3))})
    with pytest.raises(TypeError, match=r"model: expected a flexor.Model"):
        flexor.compare("finger.xml")


def test_given_commands_reach_both_sides(finger):
    pull = np.linspace(-5, 0, 6).reshape(1, 6, 1)
    report = flexor.compare(
        finger,
        precision_b="float64",
        commands={"drive_force": pull},
        states="reset",
        worlds=3,
        steps=6,
    )
    assert report.ok, str(report)


def test_the_report_is_json_of_one_schema(finger, tmp_path):
    report = flexor.compare(finger, mode="free", precision_b="float32", inject={"qvel": 2}, **SMALL)
    file = tmp_path / "report.json"
    report.save_json(file)
    found = json.loads(file.read_text())
    assert found == json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert {"ok", "model", "mode", "a", "b", "fields", "invariants", "checks", "left_out", "curves",
            "first_difference", "failures", "worlds", "steps", "seed", "rung"} <= set(found)  # fmt: skip
    assert {r["name"] for r in found["fields"]} == set(compared("free"))
    for row in found["fields"]:
        assert {"name", "stage", "unit", "p50", "p99", "max", "tolerance", "used", "ok", "worst",
                "ulp", "ulp_tolerance", "compared", "left_out"} == set(row)  # fmt: skip
    assert len(found["curves"]["qvel"]) == SMALL["steps"]
    assert found["failures"] and found["ok"] is False


def test_infinite_errors_become_null(finger):
    """NaN against a number is an infinite error, which JSON cannot hold."""
    report = flexor.compare(finger, "cpu", "cpu", inject={"tendon_velocity": 1e300}, **SMALL)
    row = next(r for r in report.to_dict()["fields"] if r["name"] == "tendon_velocity")
    assert row["ok"] is False and row["max"] is None and row["ulp"]["max"] is not None


def test_a_picture_of_the_growth(finger, tmp_path):
    pytest.importorskip("matplotlib")
    report = flexor.compare(finger, mode="free", precision_b="float32", **SMALL)
    report.save_png(tmp_path / "growth.png")
    assert (tmp_path / "growth.png").read_bytes()[:4] == b"\x89PNG"


def test_a_missing_extra_is_named(finger, tmp_path, monkeypatch):
    report = flexor.compare(finger, worlds=2, steps=1)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"pip install 'flexor\[view\]'"):
        report.save_png(tmp_path / "growth.png")
    assert main(["compare", "three_joint_finger", "--png", str(tmp_path / "x.png")]) == 3
    monkeypatch.setitem(sys.modules, "mujoco", None)
    assert main(["compare", "three_joint_finger", "--with", "mujoco"]) == 3


# --- command line ---

FEW = ("--worlds", "8", "--steps", "5")


def call(capsys, *argv):
    code = main(["compare", *map(str, argv)])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_exit_codes(capsys):
    finger = "three_joint_finger"
    assert call(capsys, finger, *FEW)[0] == 0
    assert call(capsys, finger, *FEW, "--unknown")[0] == 2
    assert call(capsys, finger, *FEW, "--mode", "fast")[0] == 2
    assert call(capsys, "no_such_model", *FEW)[0] == 3
    assert call(capsys, finger, *FEW, "--inject", "tendon_lenght:2")[0] == 3
    assert call(capsys, finger, *FEW, "--tolerance", "qpos")[0] == 3
    assert call(capsys, finger, *FEW, "--b", "cuda")[0] == 4
    code, out, err = call(capsys, finger, *FEW, "--inject", "tendon_length:1.001")
    assert code == 7 and "OUT OF TOLERANCE" in out and "tendon_length" in err


def test_case_48_threads_are_equal_to_the_bit_and_a_planted_fault_is_not(capsys):
    same = (
        "three_joint_finger",
        *FEW,
        "--a",
        "cpu",
        "--threads-a",
        1,
        "--threads-b",
        2,
        "--strict",
    )
    assert call(capsys, *same)[0] == 0
    code, _, err = call(capsys, *same, "--inject", "tendon_length:1.001")
    assert code == 7 and "tendon_length" in err


@pytest.mark.parametrize("mode", MODES)
def test_json_and_text_of_every_mode(capsys, mode):
    argv = (
        "two_joint_arm",
        *FEW,
        "--mode",
        mode,
        "--precision",
        "float32",
        "--vary",
        "tendon/*/damping",
    )
    code, out, err = call(capsys, *argv, "--json")
    found = json.loads(out)
    assert (code, err, found["schema"], found["command"], found["ok"]) == (
        0,
        "",
        1,
        "compare",
        True,
    )
    assert found["result"]["mode"] == mode and found["result"]["b"]["precision"] == "float32"
    code, out, _ = call(capsys, *argv)
    assert code == 0 and "qvel" in out and "in tolerance" in out
    code, out, _ = call(capsys, *argv, "--json", "--inject", "qvel:1.01")
    found = json.loads(out)
    assert code == 7 and found["ok"] is False and found["error"]["type"] == "OutOfTolerance"
    assert not found["result"]["ok"] and found["result"]["inject"] == {"qvel": 1.01}


@pytest.mark.parametrize("name", OWN)
def test_lengths_and_moment_arms_against_mujoco(capsys, name):
    pytest.importorskip("mujoco")
    argv = (name, "--with", "mujoco", "--worlds", 200, "--precision", "float64")
    code, out, _ = call(capsys, *argv, "--json")
    found = json.loads(out)["result"]
    assert code == 0 and found["ok"] and found["differences"]
    assert [t["name"] for t in found["tendons"]] == list(flexor.models.load(name).names("tendon"))
    assert all(t["length_error"] < 1e-12 for t in found["tendons"])
    assert "moment arm" in call(capsys, *argv)[1]
