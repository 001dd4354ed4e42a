"""Who may include whom.

    core <- math <- model <- state <- { dynamics, routing, contact } <- { cable, actuation } <- rows
         <- solve <- step <- { src/cpu, src/reference, kernels } <- sim <- python

Folders between braces do not know each other. `io/report.hpp` is plain data that a model carries;
the rest of io stands beside sim. `sim/backend.hpp` is the seam that backends implement.
"""

import re

import pytest
from tree import INCLUDE, ROOT, closure, code, files, includes, name

LEVELS = {
    "core": 0, "math": 1, "model": 2, "state": 3, "dynamics": 4, "routing": 4, "contact": 4,
    "cable": 5, "actuation": 5, "rows": 6, "solve": 7, "step": 8, "sim": 10, "io": 10,
}  # fmt: skip
EXCEPTIONS = {"io/report.hpp": "model", "flexor.hpp": "top"}
STAGE_ROOT = INCLUDE / "flexor" / "step" / "step.hpp"


def place(target: str) -> str:
    """Folder a header counts to: "flexor/rows/row.hpp" -> "rows"."""
    inside = target.removeprefix("flexor/")
    return EXCEPTIONS.get(inside, inside.split("/")[0])


def level(folder: str) -> int:
    return LEVELS.get(folder, 99)


def own_headers(path):
    return [t for t in includes(path) if t.startswith("flexor/")]


def test_every_folder_has_a_place():
    folders = {place(str(h.relative_to(INCLUDE))) for h in files("include", ".hpp")} - {"top"}
    assert folders <= set(LEVELS), folders - set(LEVELS)


def test_arrows_point_one_way():
    wrong = []
    for header in files("include", ".hpp"):
        folder = place(str(header.relative_to(INCLUDE)))
        if folder == "top":
            continue
        for target in own_headers(header):
            other = place(target)
            if other == folder:
                continue
            if level(other) >= level(folder):
                wrong.append(f"{name(header)} includes {target}")
    assert not wrong, "\n".join(wrong)


def test_rows_read_the_world_and_never_call_routing():
    for header in files("include/flexor/rows", ".hpp"):
        for target in own_headers(header):
            assert place(target) not in ("routing", "dynamics", "contact", "cable"), (
                f"{name(header)} includes {target}"
            )


def test_the_solver_cannot_tell_a_tendon_from_a_contact():
    for header in files("include/flexor/solve", ".hpp") + files("src/solve", ".hpp", ".cpp"):
        rows = [t for t in own_headers(header) if place(t) == "rows"]
        neutral = {"flexor/rows/row.hpp", "flexor/rows/law_bounds.hpp"}
        assert set(rows) <= neutral, f"{name(header)} includes {rows}"


def test_the_reference_path_has_its_own_physics():
    """It must not compute with the batch's formulas: it checks them."""
    for file in files("src/reference", ".hpp", ".cpp"):
        for header in closure(file):
            folder = (
                place(str(header.relative_to(INCLUDE))) if header.is_relative_to(INCLUDE) else ""
            )
            assert not 4 <= level(folder) <= 8, f"{name(file)} reaches {name(header)}"


FORBIDDEN = {
    "Eigen": r"#\s*include\s*<Eigen|\bEigen::",
    "containers": r"#\s*include\s*<(vector|string|map|set|unordered_map|deque|list|array|span|memory|functional|optional)>"
    r"|\bstd::(vector|string|map|set|deque|list|array|span|function|optional|unique_ptr|shared_ptr)\b",
    "streams": r"#\s*include\s*<(iostream|sstream|fstream|cstdio|ostream|istream)>|\bprintf\s*\(|\bstd::c(out|err)\b",
    "pugixml": r"pugixml|\bpugi::",
    "exceptions": r"\bthrow\b|\btry\b|\bcatch\b|#\s*include\s*<(stdexcept|exception)>",
    "dynamic memory": r"\bnew\b(?!\s*\()|\bmalloc\s*\(|\bdelete\b(?!\s*[;,)])",
    "virtual functions": r"\bvirtual\b",
    "libm": r"#\s*include\s*<(cmath|math\.h)>|\bstd::(sin|cos|tan|atan2|exp|log|pow|acos|asin|hypot)\b",
    "atomics": r"\batomic",
}


@pytest.mark.parametrize("kind", FORBIDDEN)
def test_stage_headers_are_bare(kind):
    """What host and device both compile: the closure of step/step.hpp."""
    if not STAGE_ROOT.is_file():
        pytest.fail("include/flexor/step/step.hpp is missing")
    found = []
    for header in sorted(closure(STAGE_ROOT)):
        for match in re.finditer(FORBIDDEN[kind], code(header)):
            found.append(f"{name(header)}: {match.group(0)}")
    assert not found, "\n".join(found)


LIBRARIES = {
    "pugixml": ({"src/io"}, r"#\s*include\s*<pugixml"),
    "Eigen": ({"src/reference", "src/model"}, r"#\s*include\s*<Eigen"),
    "pybind11": ({"python/bindings"}, r"#\s*include\s*<pybind11"),
}


@pytest.mark.parametrize("library", LIBRARIES)
def test_libraries_stay_in_their_folders(library):
    folders, pattern = LIBRARIES[library]
    wrong = []
    for root in ("include", "src", "kernels", "python"):
        for file in files(root, ".hpp", ".cpp", ".cu", ".cuh"):
            if re.search(pattern, code(file)) and not any(
                name(file).startswith(f) for f in folders
            ):
                wrong.append(name(file))
    assert not wrong


def test_packs_are_hidden_from_the_device_compiler():
    pack = INCLUDE / "flexor" / "core" / "pack.hpp"
    assert re.search(r"#\s*ifdef\s+__CUDACC__\s*\n\s*#\s*error", pack.read_text())
    for file in files("kernels", ".cu", ".cuh"):
        assert pack.resolve() not in {h.resolve() for h in closure(file)}, name(file)


CALL = re.compile(
    r"\b(sqrt|rsqrt|sin|cos|sincos|tan|atan2|exp|log|pow|fma|hypot|dot|cross|fabs)\s*\("
)
NUMBER = re.compile(r"(?<![\w.])\d+\.\d*(?![\w.])|(?<![\w.])\.\d+")


def test_kernels_hold_no_formulas():
    """Launch and index arithmetic only: no elementary function, no real number, few lines."""
    wrong = []
    for file in files("kernels", ".cu", ".cuh"):
        body = code(file)
        wrong += [f"{name(file)}: {m.group(0)}" for p in (CALL, NUMBER) for m in p.finditer(body)]
        if body.count("\n") > 200:
            wrong.append(f"{name(file)}: more than 200 lines")
    assert not wrong, "\n".join(wrong)


def test_nothing_is_vendored():
    third_party = re.compile(r"(third_?party|vendor|extern(al)?)$", re.IGNORECASE)
    assert not [p for p in {f.parent for f in files()} if third_party.search(p.name)]
    assert not (ROOT / "pugixml.hpp").exists()
