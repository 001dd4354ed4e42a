"""Equation tags, both ways: tags in code stand in the book; entries of the book are computed and
tested."""

import re

from tree import INCLUDE, ROOT, files, name, text

BOOK = INCLUDE / "flexor" / "EQUATIONS.md"
TAG = re.compile(r"\[((?:P|R|E|MF|IA|T|CB|RN|RL|TK|S)-\d+)\]")
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


def everything() -> str:
    return "\n".join(text(f) for f in sources())


def test_tags_in_code_stand_in_the_book():
    known = set(entries())
    missing = {}
    for file in sources():
        for tag in tags(text(file)) - known:
            missing.setdefault(tag, []).append(name(file))
    assert not missing, "\n".join(f"[{t}] in {', '.join(f)}" for t, f in sorted(missing.items()))


PAGES = (BOOK, ROOT / "README.md", ROOT / "CHANGELOG.md", *files("docs", ".md"))
ELSEWHERE = re.compile(r"\b(interfaces|model_files|physics|routing|engine|house)(\.md)? \d")


def test_pages_cite_what_is_here():
    """Tags of the book, and no document that the project does not have."""
    known = set(entries())
    for page in PAGES:
        cited = set(re.findall(r"\[([A-Z]{1,2}-\d+)\]", text(page)))
        assert cited <= known, (name(page), cited - known)
        assert not ELSEWHERE.search(text(page)), name(page)


def test_entries_have_formula_and_source():
    assert len(entries()) > 40
    for tag, (formula, source, batch, reference) in entries().items():
        assert formula and source, tag
        assert batch != "-" or reference != "-", f"[{tag}] is computed nowhere"


def definitions():
    """Names that are called or defined as functions, and names of types."""
    whole = everything()
    functions = set(re.findall(r"\b(\w+)(?:<[^<>\n]*>)?\s*\(", whole))
    return functions, set(re.findall(r"\b(?:struct|class)\s+(\w+)", whole))


def test_entries_name_functions_of_the_tree():
    functions, types = definitions()

    def is_defined(name):  # a function, or a type that holds it; `Solve::run` asks for both
        *owners, last = name.split("::")
        return last in functions | types and set(owners) <= types

    wrong = []
    for tag, (_, _, batch, reference) in entries().items():
        for cell in (batch, reference):
            wrong += [
                f"[{tag}]: no {function}"
                for function in re.findall(r"`([^`]+)`", cell)
                if not is_defined(function)
            ]
            if cell != "-" and "`" not in cell:
                wrong.append(f"[{tag}]: {cell!r} names no function")
    assert not wrong, "\n".join(wrong)


def test_entries_are_tagged_where_they_are_computed():
    in_code = set().union(*(tags(text(f)) for f in sources()))
    unused = sorted(set(entries()) - in_code)
    assert not unused, f"no code carries the tags {unused}"


def test_entries_are_tested():
    in_tests = set().union(*(tags(text(f)) for f in files("tests", ".py", ".cpp", ".hpp")))
    untested = sorted(set(entries()) - in_tests)
    assert not untested, f"no test mentions the tags {untested}"


def test_the_rule_itself_sees_ranges():
    assert tags("[P-3] and [P-31]-[P-33]") == {"P-3", "P-31", "P-32", "P-33"}
    assert ROOT.joinpath("include").is_dir()
