"""Equation tags, both ways: tags in code and tests stand in the book; entries of the book are tagged
in the files of the functions they name, and tested."""

import re
from functools import cache

from tree import INCLUDE, ROOT, code, files, name, text

BOOK = INCLUDE / "flexor" / "EQUATIONS.md"
TAG = re.compile(r"\[((?:P|R|E|MF|IA|CM|T|CB|RN|RL|TK|S)-\d+)\]")
RANGE = re.compile(r"\[([A-Z]+)-(\d+)\]\s*(?:-|to|\.\.)\s*\[\1-(\d+)\]")
CODE = ("include", "src", "kernels", "python", "scripts", "benchmarks")


def tags(content: str) -> set[str]:
    found = set(TAG.findall(content))
    for kind, first, last in RANGE.findall(content):
        found |= {f"{kind}-{n}" for n in range(int(first), int(last) + 1)}
    return found


def entries():
    """Rows of the book's tables: tag -> (formula, source, batch function, reference function)."""
    rows = {}
    for line in text(BOOK).splitlines():
        cells = [c.strip() for c in line.strip().strip("|").split(" | ")]
        if len(cells) == 5 and TAG.fullmatch(cells[0]):
            tag = cells[0].strip("[]")
            assert tag not in rows, f"{tag} stands twice in the book"
            rows[tag] = tuple(cells[1:])
    return rows


def sources():
    return [f for folder in CODE for f in files(folder, ".hpp", ".cpp", ".cu", ".cuh", ".py")]


def test_tags_in_code_and_tests_stand_in_the_book():
    known = set(entries())
    missing = {}
    for file in sources() + files("tests", ".py", ".cpp", ".hpp"):
        if file.name == "test_equations.py":
            continue
        for tag in tags(text(file)) - known:
            missing.setdefault(tag, []).append(name(file))
    assert not missing, "\n".join(f"[{t}] in {', '.join(f)}" for t, f in sorted(missing.items()))


PAGES = (BOOK, ROOT / "README.md", ROOT / "CHANGELOG.md", *files("docs", ".md"))
# Documents that only those who wrote the project have: what is said must stand here.
ELSEWHERE = re.compile(
    r"\b(interfaces|model_files|physics|routing|engine|house|toolchain|cables|transmissions|learning"
    r"|mjcf_4|public_models)(\.md\b| \d+\.\d)"
)


def test_pages_cite_what_is_here():
    """Tags of the book."""
    known = set(entries())
    for page in PAGES:
        cited = set(re.findall(r"\[([A-Z]{1,2}-\d+)\]", text(page)))
        assert cited <= known, (name(page), cited - known)


def test_nothing_cites_a_document_that_is_not_here():
    texts = files("", ".hpp", ".cpp", ".cu", ".cuh", ".inl", ".py", ".pyi", ".md", ".txt", ".toml")
    found = [
        f"{name(file)}: {match[0]}"
        for file in texts
        if file.name != "test_equations.py" and (match := ELSEWHERE.search(text(file)))
    ]
    assert not found, "\n".join(found)


def test_entries_have_formula_and_source():
    assert len(entries()) > 40
    for tag, (formula, source, batch, reference) in entries().items():
        assert formula and source, tag
        assert batch != "-" or reference != "-", f"[{tag}] is computed nowhere"


@cache
def names_of(file):
    """What a file declares or defines: functions, and types with a body.

    A function's name stands behind its type or behind `def`; one that is only called stands behind
    an operator, an opening bracket, `return` or at the start of a statement.
    """
    source = code(file)
    functions = set()
    for match in re.finditer(r"(?:\w+::)*\b(\w+)\s*\(", source):
        before = re.split(r"[;{}]|\b(?:public|private|protected):", source[: match.start()])[-1]
        before = " ".join(re.sub(r"^\s*#.*$", "", before, flags=re.MULTILINE).split())
        before = re.sub(r"^template <[^<>()]*(?:<[^<>]*>[^<>()]*)*> ?", "", before)
        is_type = re.fullmatch(r"[\w:<>,&*\[\] ]*[\w>&*]", before)
        if is_type and not re.search(r"\b(return|else|throw|case|new|import)\b", before):
            functions.add(match[1])
    functions |= set(re.findall(r"^\s*def (\w+)", source, re.MULTILINE))
    types = re.findall(r"\b(?:struct|class)\s+(\w+)[^;(){}=]*\{", source)
    types += re.findall(r"^class (\w+)", source, re.MULTILINE)
    return functions, set(types)


def homes(function: str, is_reference: bool):
    """Files that declare or define `function` or `Type::function` on one of the two paths."""
    *owners, last = function.split("::")
    found = []
    for file in sources():
        if is_reference != name(file).startswith("src/reference/"):
            continue
        functions, types = names_of(file)
        has_owner = set(owners) <= types or re.search(rf"\b{function}\s*\(", code(file))
        if has_owner and (last in functions or (not owners and last in types)):
            found.append(file)
    # a header and its source file are one home
    return [f for f in sources() if any(f.with_suffix("") == h.with_suffix("") for h in found)]


def named():
    """(tag, function, on the reference path?) of every function in the book."""
    for tag, (_, _, batch, reference) in entries().items():
        for cell, is_reference in ((batch, False), (reference, True)):
            for function in re.findall(r"`([^`]+)`", cell):
                yield tag, function, is_reference


def test_entries_name_functions_of_the_tree():
    wrong = [
        f"[{tag}]: no {function}" for tag, function, side in named() if not homes(function, side)
    ]
    for tag, (_, _, *cells) in entries().items():
        wrong += [f"[{tag}]: {c!r} names no function" for c in cells if c != "-" and "`" not in c]
    assert not wrong, "\n".join(wrong)


def test_entries_are_tagged_where_they_are_computed():
    """Some file that declares or defines the function carries the tag."""
    wrong = []
    for tag, function, side in named():
        files_ = homes(function, side)
        if files_ and not any(tag in tags(text(file)) for file in files_):
            wrong.append(f"[{tag}] is not in {' or '.join(map(name, files_))} of {function}")
    assert not wrong, "\n".join(wrong)


def test_entries_are_tested():
    in_tests = set().union(*(tags(text(f)) for f in files("tests", ".py", ".cpp", ".hpp")))
    untested = sorted(set(entries()) - in_tests)
    assert not untested, f"no test mentions the tags {untested}"


def test_the_rule_itself_sees():
    """Ranges of tags; declarations, and not calls; the two paths apart."""
    assert tags("[P-3] and [P-31]-[P-33]") == {"P-3", "P-31", "P-32", "P-33"}
    functions, types = names_of(INCLUDE / "flexor" / "solve" / "solve.hpp")
    assert {"keeps_an_error", "run"} <= functions and "jacobi" not in functions
    assert "Solve" in types and "StageInfo" not in types
    assert [name(f) for f in homes("Solve::run", False)] == ["include/flexor/solve/solve.hpp"]
    assert not homes("Solve::run", True) and not homes("Report::run", False)
    assert all("src/reference" in name(f) for f in homes("wrap_sphere", True))
    assert not homes("no_such_function", False)
    assert ROOT.joinpath("include").is_dir()
