"""The command line: results, JSON, exit codes."""

import csv
import json
import subprocess
import sys

import flexor
import numpy as np
import pytest
from flexor.cli import main, make_parser
from flexor.cli import show as cli_show

FINGER = "three_joint_finger"
CONTACTS = """<mujoco model="ball"><worldbody><geom type="plane" size="1 1 1"/>
<body pos="0 0 1"><freejoint/><geom name="ball" size=".1"/></body></worldbody></mujoco>"""
NAN = """<mujoco model="spin"><option timestep="0.1"/><worldbody><body><joint name="j" type="slide"/>
<geom size=".1" mass="1" contype="0" conaffinity="0"/></body></worldbody></mujoco>"""


def call(capsys, *argv):
    """(exit code, stdout, stderr) of one command."""
    code = main([str(a) for a in argv])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def document(text):
    """The one JSON object on stdout."""
    found = json.loads(text)
    assert found["schema"] == 1
    assert ("result" in found) or ("error" in found)
    return found


@pytest.mark.parametrize(
    "argv",
    [
        ["info"],
        ["inspect", FINGER],
        ["sim", FINGER, "--duration", "0.02"],
        ["bench", FINGER, "--worlds", "8", "--steps", "4", "--repeats", "1"],
    ],
)
def test_every_command_speaks_json_and_text(capsys, argv):
    code, out, err = call(capsys, *argv, "--json")
    assert code == 0 and err == ""
    found = document(out)
    assert found["ok"] is True and found["command"] == argv[0]
    code, out, _ = call(capsys, *argv)
    assert code == 0 and len(out.splitlines()) > 3
    assert call(capsys, "--json", *argv)[0] == 0, "global flags stand before or behind"


def test_info_says_why_a_device_cannot_be_used(capsys):
    found = document(call(capsys, "info", "--json")[1])["result"]
    assert found["info"]["version"] == flexor.__version__
    devices = {d["name"]: d for d in found["devices"]}
    assert devices["cpu"]["usable"] and devices["reference"]["usable"]
    assert not devices["cuda"]["usable"] and devices["cuda"]["reason"]


def test_inspect_shows_lengths_and_moment_arms(capsys):
    found = document(call(capsys, "inspect", FINGER, "--json")[1])["result"]
    model = flexor.models.load(FINGER)
    sim = flexor.Simulation(model, device="reference")
    sim.forward()
    assert found["counts"]["nv"] == 3
    for t, tendon in enumerate(found["tendons"]):
        assert tendon["length"] == sim.tendon_length.numpy()[0, t]
        assert list(tendon["moment_arms"].values()) == sim.tendon_jacobian.numpy()[0, t].tolist()
    assert found["solver"]["name"]
    _, out, _ = call(capsys, "inspect", FINGER)
    for word in ("proximal", "mcp", "hinge", "deep", "(mcp_drum+side)", "solver on cpu"):
        assert word in out


def test_inspect_lists_what_is_not_simulated(capsys, tmp_path):
    file = tmp_path / "ball.xml"
    file.write_text(CONTACTS)
    code, out, _ = call(capsys, "inspect", file, "--json")
    assert code == 0
    kinds = {e["kind"] for e in document(out)["result"]["inert"]}
    assert "contact" in kinds
    code, out, err = call(capsys, "sim", file, "--json")
    assert code == 3 and "contact" in document(out)["error"]["message"]
    assert call(capsys, "sim", file, "--inert", "*", "--duration", "0.01", "--quiet")[0] == 0


def test_sim_writes_commands_and_csv(capsys, tmp_path):
    file = tmp_path / "run.csv"
    code, out, _ = call(
        capsys, "sim", FINGER, "--duration", "0.1", "--worlds", 3, "--json", "--csv", file,
        "--command", "deep=-5", "--command", "drive_target_length:middle=0.09",
    )  # fmt: skip
    assert code == 0
    result = document(out)["result"]
    assert result["steps"] == 50 and result["worlds"] == 3
    assert result["time"] == pytest.approx(0.1)
    rows = list(csv.reader(file.open()))
    assert rows[0][0] == "time" and "tendon_tension:deep" in rows[0] and len(rows) == 52
    model = flexor.models.load(FINGER)
    sim = flexor.Simulation(model, 3)
    sim.drive_force.at("deep").set(-5)
    sim.drive_target_length.at("middle").set(0.09)
    sim.step(50)
    last = dict(zip(rows[0], map(float, rows[-1]), strict=True))
    assert last["qpos:mcp"] == float(sim.qpos.numpy()[0, 0])
    assert last["tendon_length:deep"] == float(sim.tendon_length.numpy()[0, 0])
    assert result["qpos"] == sim.qpos.numpy()[0].astype(float).tolist()


def test_csv_to_stdout_is_nothing_but_csv(capsys):
    code, out, _ = call(capsys, "sim", FINGER, "--duration", "0.01", "--csv", "-", "--quiet")
    rows = list(csv.reader(out.splitlines()))
    assert code == 0 and len(rows) == 1 + 6
    assert len({len(r) for r in rows}) == 1


def test_bench_reports_speed_memory_and_convergence(capsys):
    argv = ["bench", "spiral_chain", "--worlds", 16, "--steps", 8, "--repeats", 3, "--json"]
    result = document(call(capsys, *argv)[1])["result"]
    assert len(result["all_world_steps_per_second"]) == 3
    assert result["world_steps_per_second"] == sorted(result["all_world_steps_per_second"])[1]
    assert result["memory_per_world"]["state"] > 0
    assert 0 <= result["converged_share"] <= 1 and result["worst_residual"] >= 0


@pytest.mark.parametrize(
    "argv, code",
    [
        ([], 2),
        (["nonsense"], 2),
        (["sim"], 2),
        (["sim", FINGER, "--no-such-flag"], 2),
        (["sim", FINGER, "--worlds", "many"], 2),
        (["sim", "no_such_file.xml"], 3),
        (["sim", FINGER, "--worlds", "0"], 3),
        (["sim", FINGER, "--duration", "-1"], 3),
        (["sim", FINGER, "--duration", "nan"], 3),
        (["sim", FINGER, "--command", "deep"], 3),
        (["sim", FINGER, "--command", "deep=x"], 3),
        (["sim", FINGER, "--command", "deap=-1"], 3),
        (["sim", FINGER, "--command", "qpos:mcp=1"], 3),
        (["sim", FINGER, "--solver", "magic"], 3),
        (["sim", FINGER, "--csv", "/no/such/folder/x.csv"], 3),
        (["bench", FINGER, "--repeats", "0"], 3),
    ],
)
def test_exit_codes_and_one_clear_line(capsys, argv, code):
    got, out, err = call(capsys, *argv)
    assert got == code, err
    assert "Traceback" not in err and err.strip()
    got, out, err = call(capsys, *argv, "--json")
    assert got == code and err == ""
    found = document(out)
    assert found["ok"] is False and found["error"]["message"]


def test_bad_model_names_file_line_and_column(capsys, tmp_path):
    file = tmp_path / "bad.xml"
    file.write_text('<mujoco>\n  <worldbody>\n    <body>\n      <joint type="hing"/>\n    </body>\n'
                    "  </worldbody>\n</mujoco>\n")  # fmt: skip
    code, _, err = call(capsys, "inspect", file)
    assert code == 3
    assert f"{file}:4:14: error:" in err and "[bad-keyword]" in err and "hinge" in err
    _, out, _ = call(capsys, "inspect", file, "--json")
    error = document(out)["error"]
    assert (error["line"], error["column"], error["code"]) == (4, 14, "bad-keyword")


def test_diverged_worlds_are_exit_code_five(capsys, monkeypatch, tmp_path):
    """A world whose velocity is not a number counts as diverged unless it is allowed."""
    file = tmp_path / "spin.xml"
    file.write_text(NAN)
    made = cli_show.simulate

    def poisoned(*args, **kwargs):
        sim = made(*args, **kwargs)
        sim.qvel.numpy()[1, 0] = np.nan
        return sim

    monkeypatch.setattr("flexor.cli.run.simulate", poisoned)
    argv = ["sim", file, "--worlds", 4, "--duration", "0.5"]
    code, _, err = call(capsys, *argv)
    assert code == 5 and "1 of 4 worlds" in err
    found = document(call(capsys, *argv, "--json")[1])
    assert found["ok"] is False and found["result"]["failed"] == 1
    assert call(capsys, *argv, "--allow-failed", 1)[0] == 0


def test_verbose_shows_the_traceback(capsys):
    assert "Traceback" in call(capsys, "sim", "no_such_file.xml", "-v")[2]


def test_progress_lines_without_a_terminal(capsys, monkeypatch):
    monkeypatch.setattr(cli_show, "LINE_EVERY", 0.0)
    out = cli_show.Output()
    with out.progress("work", 4) as advance:
        advance(1)
        advance(3)
    assert capsys.readouterr().err.splitlines() == ["work: 1 of 4 (25 %)", "work: 4 of 4 (100 %)"]
    with cli_show.Output(is_json=True).progress("work", 4) as advance:
        advance(4)
    assert capsys.readouterr().err == ""


def test_module_and_script_run(tmp_path):
    run = subprocess.run(
        [sys.executable, "-m", "flexor", "inspect", "two_joint_arm", "--json"],
        capture_output=True, text=True, cwd=tmp_path, check=True,
    )  # fmt: skip
    assert document(run.stdout)["result"]["counts"]["tendon"] == 6


def test_stdout_holds_one_thing(capsys):
    code, out, _ = call(capsys, "sim", FINGER, "--csv", "-", "--json", "--duration", "0.01")
    assert code == 2
    assert "--csv - and --json" in document(out)["error"]["message"]


@pytest.mark.parametrize("seconds", ["1e300", "1e18", "1e7"])
def test_a_run_too_long_is_refused(capsys, seconds):
    code, _, err = call(capsys, "sim", FINGER, "--duration", seconds)
    assert code == 3
    assert "--duration" in err and "legal: 0 to" in err and "2147483647 steps" in err


@pytest.mark.parametrize("path", ["a\0b.xml", "x" * 5000, "d/" * 3000 + "f.xml", ""])
def test_paths_that_no_file_can_have(capsys, path):
    for argv in (
        ["inspect", path],
        ["sim", path],
        ["bench", path],
        ["sim", FINGER, "--duration", "0.01", "--csv", path],
    ):
        code, out, err = call(capsys, *argv)
        assert code == 3 and out == "", argv[0]
        assert len(err) < 500 and "\0" not in err and err.count("\n") == 1, err


def output_arguments():
    """(command, flag) of every file that a command writes."""
    commands = next(a for a in make_parser()._actions if isinstance(a.choices, dict)).choices
    return [
        (name, action.option_strings[0])
        for name, parser in commands.items()
        for action in parser._actions
        if action.option_strings and action.metavar == "FILE"
    ]


@pytest.mark.parametrize("command, flag", output_arguments())
def test_files_to_write_are_refused_before_the_run(capsys, tmp_path, monkeypatch, command, flag):
    """Every flag that takes a FILE writes one; no model is loaded for a run that could not end."""
    monkeypatch.setattr(flexor, "load_model", None)
    monkeypatch.setattr(flexor.models, "load", None)
    (tmp_path / "file").touch()
    for path, why in (
        (tmp_path / "no" / "x.out", "No such file or directory"),
        (tmp_path / "file" / "x.out", "Not a directory"),
        (tmp_path, "Is a directory"),
        ("x" * 5000, "File name too long"),
        ("a\0b", "without NUL"),
        ("", "legal"),
    ):
        for argv in ((command, FINGER, flag, path), (command, FINGER, f"{flag}={path}", "--json")):
            code, out, err = call(capsys, *argv)
            assert code == 3 and flag in out + err and why in out + err, (out, err)
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


def test_there_are_files_to_write():
    assert {("sim", "--csv"), ("compare", "--png")} <= set(output_arguments())


@pytest.mark.parametrize("path", ["/dev/null", "/dev/zero", "."])
def test_what_is_no_model_file_is_called_so(capsys, path):
    code, out, err = call(capsys, "inspect", path)
    assert (code, out) == (3, "")
    assert "not a regular file" in err and "no such file" not in err


def test_version(capsys):
    code, out, _ = call(capsys, "--version")
    assert (code, out) == (0, f"flexor {flexor.__version__}\n")


def test_info_of_an_unusable_device(capsys):
    """Facts first, then why not."""
    code, out, err = call(capsys, "info", "--device", "cuda")
    assert code == 4 and "reference" in out and "not available yet" in err
    assert call(capsys, "info", "--device", "cdua")[0] == 3


def test_warnings_of_a_file_are_counted(capsys, tmp_path):
    file = tmp_path / "soft.xml"
    file.write_text(NAN.replace("timestep", 'integrator="RK4" timestep'))
    for argv in (
        ["sim", file, "--duration", "0.1"],
        ["bench", file, "--steps", "2", "--repeats", "1"],
    ):
        _, _, err = call(capsys, *argv)
        assert "1 warning (integrator); to see them: flexor inspect" in err.replace("\n", " ")
        assert "warning" not in call(capsys, *argv, "--quiet")[2]
        assert document(call(capsys, *argv, "--json")[1])["result"]["warnings"] == 1
    assert "integrator" in call(capsys, "inspect", file)[1]


def test_targets_without_gains_are_remarked(capsys):
    argv = ["sim", FINGER, "--duration", "0.01", "--command"]
    _, _, err = call(capsys, *argv, "drive_target_length:deep=0.1")
    assert "does nothing: drive_position_gain:deep is 0" in err.replace("\n", " ")
    _, _, err = call(capsys, *argv, "joint_target_position:mcp=1")
    assert "does nothing: joint/mcp/position_gain is 0" in err.replace("\n", " ")
    gain = ["--command", "drive_position_gain:deep=50"]
    assert "nothing" not in call(capsys, *argv, "drive_target_length:deep=0.1", *gain)[2]


def test_table_of_one_world_has_one_number(capsys):
    _, out, _ = call(capsys, "sim", FINGER, "--duration", "1", "--command", "middle=-3")
    assert "value" in out and "least" not in out
    assert "e-07" not in out  # rounding is shown as 0
    _, out, _ = call(capsys, "sim", FINGER, "--duration", "0.1", "--worlds", "2")
    assert "least" in out and "over 2 worlds" in out


def test_rounding_is_shown_as_nothing():
    tension = np.array([3.0, -2e-7, -1e-4], np.float32)
    shown = [cli_show.number(x, noise=cli_show.noise_of(tension)) for x in tension]
    assert shown == ["3", "0", "-0.0001"]


def test_a_closed_pipe_is_no_error():
    command = [sys.executable, "-m", "flexor", "inspect", "spiral_chain"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        running.stdout.close()
        assert running.stderr.read() == b""
        assert running.wait() == 0


def test_bench_says_what_was_computed(capsys):
    argv = ["bench", FINGER, "--worlds", "8", "--steps", "4", "--repeats", "1"]
    assert "tendon_tension" in call(capsys, *argv)[1]
    assert "at every step" in call(capsys, *argv, "--refresh")[1]
