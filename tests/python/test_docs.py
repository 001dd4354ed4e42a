"""Every code block of README.md and the pages for users runs, and prints what stands behind its
arrows."""

import contextlib
import io
import os
import pathlib
import re
import shlex
import shutil
import subprocess

import pytest
from flexor.cli import main

ROOT = pathlib.Path(__file__).resolve().parents[2]
NEEDS = {"docs/tensors.md": ("torch", "jax")}  # page -> packages that it imports
PAGES = [p for p in ("README.md", "docs/guide.md", "docs/tensors.md") if (ROOT / p).is_file()]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
#: print(x)   # -> what it prints    and a remark, two blanks or more away
ARROW = re.compile(r"# -> (\S+(?: \S+)*)")


def blocks(page, *languages):
    text = (ROOT / page).read_text()
    return [code for language, code in BLOCK.findall(text) if language in languages]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder from which the project's files have the names that the pages use."""
    (tmp_path / "python").symlink_to(ROOT / "python")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("page", PAGES)
def test_every_block_has_a_language_that_is_tested(page):
    languages = {language for language, _ in BLOCK.findall((ROOT / page).read_text())}
    assert languages <= {"python", "sh", "cpp"}
    assert (
        not re.search(r"^    \S.*\n\n?    ", (ROOT / page).read_text(), re.MULTILINE) or languages
    )


@pytest.mark.parametrize("page", PAGES)
def test_python_blocks(page, folder):
    """In one namespace, from top to bottom; the numbers printed are those in the text."""
    for package in NEEDS.get(page, ()):
        pytest.importorskip(package, reason=f"{package} is not installed (scripts/test --extras)")
    names = {}
    for code in blocks(page, "python"):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, page, "exec"), names)
        expected = ARROW.findall(code)
        lines = printed.getvalue().splitlines()
        assert [" ".join(rounded(line).split()) for line in lines] == expected, code


def rounded(line):
    """Numbers with a point, to three digits behind it at most, as NumPy prints them."""
    return re.sub(r"-?\d+\.\d*", lambda m: f"{float(m[0]):.2f}".rstrip("0"), line)


@pytest.mark.parametrize("page", PAGES)
def test_shell_blocks(page, folder, capsys):
    for line in "".join(blocks(page, "sh")).splitlines():
        words = shlex.split(line, comments=True)
        if not words or words[0] == ".":
            continue
        if words[0].startswith("scripts/"):
            assert os.access(ROOT / words[0], os.X_OK), line
        elif words[0] == "flexor":
            assert main(words[1:]) == 0, line
        else:
            assert words[0] in ("cmake",), line


@pytest.mark.parametrize("page", PAGES)
def test_cpp_blocks_compile(page, tmp_path):
    compiler = shutil.which(os.environ.get("CXX", "c++"))
    for i, code in enumerate(blocks(page, "cpp")):
        if compiler is None:
            pytest.skip("no C++ compiler")
        file = tmp_path / f"block_{i}.cpp"
        file.write_text(code)
        command = [compiler, "-std=c++20", "-fsyntax-only", f"-I{ROOT / 'include'}", str(file)]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)\)", (ROOT / page).read_text()):
        assert ((ROOT / page).parent / target).exists(), target
