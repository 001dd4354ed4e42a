"""The kernels run the stages of a step, each once, and compile wherever a CUDA compiler is."""

import re
import shutil

import pytest
from tree import INCLUDE, ROOT, code, files, name, text

STAGE = re.compile(r"operator\(\)<(\w+)>\(\)")
GROUP = re.compile(r"FLEXOR_STAGE_GROUP\(([^)]*)\)")


def stages() -> list[str]:
    return STAGE.findall(code(INCLUDE / "flexor" / "step" / "step.hpp"))


def groups() -> dict[str, list[str]]:
    """Kernel file -> its stages in order."""
    found = {}
    for file in files("kernels", ".cu"):
        for group in GROUP.findall(code(file)):
            found.setdefault(name(file), []).extend(re.findall(r"\w+", group))
    return found


def test_every_stage_has_a_kernel():
    compiled = [stage for group in groups().values() for stage in group]
    assert len(stages()) >= 14
    assert set(stages()) == set(compiled)
    refreshed = stages()[-3:]
    twice = {stage for stage in compiled if compiled.count(stage) > 1}
    assert twice <= set(refreshed), f"{twice} are compiled more than once"


def test_groups_keep_the_order_of_a_step():
    order = {stage: n for n, stage in reversed(list(enumerate(stages())))}
    for file, group in groups().items():
        places = [order[stage] for stage in group]
        assert places == sorted(places), file


def cuda_trees():
    """Build trees of this checkout that were configured with a CUDA compiler."""
    found = []
    for cache in [*ROOT.glob("build*/CMakeCache.txt"), *ROOT.glob("build/*/CMakeCache.txt")]:
        settings = cache.read_text(encoding="utf-8")
        compiler = re.search(r"^CMAKE_CUDA_COMPILER:\w+=(.*)$", settings, re.MULTILINE)
        is_off = re.search(r"^FLEXOR_CUDA:\w+=OFF$", settings, re.MULTILINE)
        if compiler and "NOTFOUND" not in compiler[1] and not is_off:
            found.append(cache.parent)
    return found


def test_kernels_are_compiled_where_there_is_a_compiler():
    """Whoever builds with nvcc has an object of every kernel file in the build tree."""
    if shutil.which("nvcc") is None:
        pytest.skip("no nvcc")
    if not cuda_trees():
        pytest.skip("no build tree with CUDA")
    for tree in cuda_trees():
        for file in files("kernels", ".cu"):
            objects = list(tree.glob(f"**/flexor_kernels.dir/{file.name}.o"))
            assert objects, f"{tree.name} has no object of {name(file)}"


def test_kernel_files_hold_no_formulas():
    """Only includes, the namespace and groups of stages."""
    allowed = re.compile(
        r"#include .*|namespace flexor \{|\}|FLEXOR_STAGE_GROUP\([^)]*\)|", re.DOTALL
    )
    for file in files("kernels", ".cu"):
        rest = [line for line in code(file).splitlines() if not allowed.fullmatch(line.strip())]
        assert not rest, f"{name(file)}: {rest}"
    assert "thread_place(" in text(ROOT / "kernels" / "stage_kernel.cuh")
