"""Formatters have nothing to change; no text knows a machine, a host or an unfinished thought."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tree import ROOT, files, name, text, tool

SOURCES = (".hpp", ".cpp", ".cu", ".cuh")
TEXTS = (
    *SOURCES,
    ".py",
    ".md",
    ".txt",
    ".toml",
    ".cmake",
    ".json",
    ".xml",
    ".yml",
    ".yaml",
    "",
)


def test_clang_format():
    program = tool("clang-format", "clang-format-14", "clang-format-15")
    if program is None:
        pytest.skip("no clang-format")
    sources = [str(f) for f in files("", *SOURCES)]
    done = subprocess.run(
        [program, "--dry-run", "--Werror", *sources], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-4000:]


def test_ruff():
    beside = Path(sys.executable).parent / "ruff"
    program = tool(str(beside), "ruff")
    if program is None:
        pytest.skip("no ruff")
    for command in (["format", "--check"], ["check"]):
        done = subprocess.run([program, *command, "."], cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout[-4000:]


MARKS = re.compile(
    r"\b(TO"
    r"DO|FIX"
    r"ME|XX"
    r"X|HA"
    r"CK|W"
    r"IP|TB"
    r"D)\b|not implemented yet|coming soon"
)
# Absolute places of a machine, and hosts of package registries.
PLACES = re.compile(
    r"(?<![\w.])/(work|home|root|opt|Users|mnt|data)/\w|(pypi\.org|files\.pythonhosted|deb\.debian\.org"
    r"|registry\.npmjs|crates\.io|index-url)"
)


def texts():
    return [f for f in files() if f.suffix in TEXTS and f != Path(__file__) and f.name != ".git"]


@pytest.mark.parametrize("what", ["marks", "places"])
def test_no_unfinished_marks_and_no_places(what):
    pattern = {"marks": MARKS, "places": PLACES}[what]
    found = []
    for file in texts():
        try:
            content = text(file)
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(content.splitlines(), 1):
            if pattern.search(line):
                found.append(f"{name(file)}:{number}: {line.strip()[:100]}")
    assert not found, "\n".join(found)


def test_lines_end_cleanly():
    wrong = []
    for file in texts():
        try:
            content = text(file)
        except UnicodeDecodeError:
            continue
        if content and (
            not content.endswith("\n")
            or "\r" in content
            or re.search(r"[ \t]+$", content, re.MULTILINE)
        ):
            wrong.append(name(file))
    assert not wrong


def test_scripts_are_executable():
    for file in files("scripts"):
        if text(file).startswith("#!"):
            assert os.access(file, os.X_OK), name(file)


def test_step_list_is_short():
    """step.hpp is the order of a step and nothing else."""
    assert text(ROOT / "include/flexor/step/step.hpp").count("\n") < 80
