"""The files the rules look at."""

import re
import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INCLUDE = ROOT / "include"
SKIPPED = {
    ".git",
    "build",
    ".venv",
    "out",
    "__pycache__",
    ".pytest_cache",
    ".ruff_cache",
    "dist",
}


@cache
def files(folder: str = "", *endings: str) -> list[Path]:
    """Files of the project under `folder` with one of the endings; build outputs left out."""
    root = ROOT / folder
    found = [
        p for p in root.rglob("*") if p.is_file() and not set(p.relative_to(ROOT).parts) & SKIPPED
    ]
    return sorted(p for p in found if not endings or p.suffix in endings)


@cache
def text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


INCLUDE_LINE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]', re.MULTILINE)


@cache
def includes(path: Path) -> list[str]:
    """What a file includes, as written."""
    return [target for _, target in INCLUDE_LINE.findall(text(path))]


@cache
def closure(path: Path) -> frozenset[Path]:
    """All headers of the project that `path` pulls in, itself among them."""
    found, pending = set(), [path]
    while pending:
        file = pending.pop()
        if file in found:
            continue
        found.add(file)
        for target in includes(file):
            for candidate in (
                INCLUDE / target,
                ROOT / "src" / target,
                file.parent / target,
            ):
                if candidate.is_file():
                    pending.append(candidate.resolve())
                    break
    return frozenset(found)


def code(path: Path) -> str:
    """Text without comments and string literals."""
    source = re.sub(r"/\*.*?\*/", " ", text(path), flags=re.DOTALL)
    source = re.sub(r'"(?:\\.|[^"\\\n])*"', '""', source)
    return re.sub(r"//[^\n]*", "", source)


def tool(*candidates: str) -> str | None:
    """First of the programs that is there."""
    for candidate in candidates:
        try:
            subprocess.run([candidate, "--version"], capture_output=True, check=True)
            return candidate
        except (OSError, subprocess.CalledProcessError):
            continue
    return None
