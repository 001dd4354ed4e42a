"""The C++ program of the documentation is the one the tests build, and does what the page says."""

import re
import subprocess

import pytest
from tree import ROOT, text

PAGE = ROOT / "docs" / "cpp.md"
PROGRAM = ROOT / "tests" / "cpp_example" / "main.cpp"


def block(language: str) -> str:
    found = re.findall(rf"```{language}\n(.*?)```", text(PAGE), re.DOTALL)
    assert len(found) == 1
    return found[0]


def test_the_page_shows_the_program():
    assert block("cpp") == text(PROGRAM)


def test_the_program_prints_what_the_page_says():
    built = [p for p in (ROOT / "build").rglob("flexor_example") if p.is_file()]
    if not built:
        pytest.skip("the target flexor_example has not been built")
    newest = max(built, key=lambda p: p.stat().st_mtime)
    done = subprocess.run([newest], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout == block("text")


def test_the_loads_hang_where_statics_puts_them():
    """length = 1 m + m g/stiffness, tension = m g, for every line of the page."""
    lines = re.findall(r"([\d.]+) N/m: ([\d.]+) m, ([\d.]+) N", block("text"))
    assert len(lines) == 8
    for stiffness, length, tension in lines:
        assert abs(float(length) - (1 + 9.81 / float(stiffness))) < 1e-5
        assert tension == "9.810"
