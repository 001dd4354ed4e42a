"""Every public header compiles alone, without a warning."""

import hashlib
import json
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest
from tree import INCLUDE, ROOT, closure, files, name, text, tool

FLAGS = [
    "-std=c++20",
    "-fsyntax-only",
    "-Wall",
    "-Wextra",
    "-Werror",
    f"-I{INCLUDE}",
    "-x",
    "c++",
    "-",
]
CACHE = ROOT / "build" / "rules" / "headers.json"


def fingerprint(header, compiler) -> str:
    """Of everything the answer depends on: compiler, flags, all headers pulled in."""
    version = subprocess.run([compiler, "--version"], capture_output=True, text=True).stdout
    parts = [version, " ".join(FLAGS)] + [text(h) for h in sorted(closure(header))]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def compile_alone(header, compiler) -> str:
    source = f'#include "{header.relative_to(INCLUDE)}"\n'
    done = subprocess.run([compiler, *FLAGS], input=source, capture_output=True, text=True)
    return done.stderr if done.returncode else ""


def test_headers_compile_alone():
    compiler = tool(os.environ.get("CXX", "g++"), "g++", "c++")
    if compiler is None:
        pytest.skip("no C++ compiler")
    known = json.loads(CACHE.read_text()) if CACHE.is_file() else {}
    headers = files("include", ".hpp")
    keys = {h: fingerprint(h, compiler) for h in headers}
    missing = [h for h in headers if keys[h] not in known]
    with ThreadPoolExecutor(max_workers=2) as pool:
        errors = dict(
            zip(missing, pool.map(lambda h: compile_alone(h, compiler), missing), strict=True)
        )
    good = [keys[h] for h in headers if not errors.get(h)]
    CACHE.parent.mkdir(parents=True, exist_ok=True)
    CACHE.write_text(json.dumps({key: name(h) for h, key in keys.items() if key in good}))
    failed = {name(h): error for h, error in errors.items() if error}
    assert not failed, "\n".join(f"{h}:\n{e}" for h, e in failed.items())


def test_headers_are_guarded():
    bare = [name(h) for h in files("include", ".hpp") if "#pragma once" not in text(h)]
    assert not bare
