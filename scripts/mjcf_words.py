"""The vocabulary of MJCF as src/io/mjcf_vocabulary.cpp has it, and the page docs/mjcf.md made of it."""

import re
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "src" / "io" / "mjcf_vocabulary.cpp"

DEFINE = re.compile(r"^#define (\w+)(?:\((\w+)\))?[ \t]+(.*)$", re.MULTILINE)
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|\w+|[(){},]')

#: letter of the table -> heading of the page and what it means
BINS = {
    "R": ("Read", "Understood, in its meaning. Those under *Read, but nothing acts* do not act."),
    "A": ("Approximated", 'Used in another form; a warning says so, `strict="exact"` refuses it.'),
    "P": (
        "Ignored: physics",
        "Without it the motion is another. An error; with `strict=False` a warning.",
    ),
    "O": (
        "Ignored: output",
        "A sensor without read-out. An error; with `strict=False` a warning.",
    ),
    "v": ("Ignored: visual", "Drawing and user data."),
    "s": ("Ignored: solver", "Settings of a solver that is not used."),
    "x": ("Ignored: inactive", "Without effect on what is simulated."),
    "E": ("Rejected", "An error."),
}
#: sections whose elements are read and listed in `model.inert`
INERT = ("actuator", "sensor", "equality", "contact")


def expanded(tokens, macros):
    """Tokens with the macros put in."""
    out, i = [], 0
    while i < len(tokens):
        if tokens[i] not in macros:
            out.append(tokens[i])
        else:
            parameter, body = macros[tokens[i]]
            if parameter:  # name ( argument )
                body = [tokens[i + 2] if token == parameter else token for token in body]
                i += 3
            out += expanded(body, macros)
        i += 1
    return out


def vocabulary():
    """Rows (contexts, element, letter of its bin, code, [(letter, code, attributes)])."""
    source = SOURCE.read_text().replace("\\\n", " ")
    source = re.sub(r"^ *//.*$", "", source, flags=re.MULTILINE)
    macros = {name: (of, TOKEN.findall(body)) for name, of, body in DEFINE.findall(source)}
    begin = source.index("kRows[] = {") + len("kRows[] = {")
    rows, cells = [], []
    for token in expanded(
        TOKEN.findall(DEFINE.sub("", source[begin : source.index("\n};", begin)])), macros
    ):
        if token == "{":
            cells = [""]
        elif token == ",":
            cells.append("")
        elif token == "}":
            rows.append(row(*cells))
            cells = []
        else:
            cells[-1] += token.strip('"')
    return rows


def row(contexts, element, opens, bin, attributes):
    groups = []
    for group in attributes.split(";"):
        head, _, words = group.strip().partition(": ")
        letter, _, code = head.partition(" ")
        names = [re.split("[!:=]", word)[0] for word in words.split()]
        if names:
            groups.append((letter, code, names))
    letter, _, code = bin.partition(" ")
    return contexts.split(), element, letter, code, groups


def page() -> str:
    rows = vocabulary()
    text = (
        "# MJCF\n\n"
        "What a loader does with every element and attribute. The bin of a word is where it lands with"
        " an ordinary value: a value without effect never costs anything, and a value or a use may move"
        " a word to a stricter bin. `model.report` says what happened to a file, with line and column;"
        " a code in brackets is what `allow=` takes to turn an error into a warning.\n\n"
        "## Read, but nothing acts\n\n"
        "These are read, checked, and listed in `model.inert`; a `Simulation` of a model that has one"
        ' is refused unless `inert=` names it (by name, by kind, or `"*"`).\n\n'
        "| section | elements | in their place |\n| --- | --- | --- |\n"
    )
    instead = {
        "actuator": "`sim.drive_force` and the other `drive_` arrays, `sim.joint_force`,"
        " `sim.joint_target_position`",
        "sensor": "the [read-outs](fields.md)",
        "equality": "nothing yet",
        "contact": "nothing yet: geoms pass through each other. Any two geoms that may collide count: give"
        ' guides and drawings `contype="0" conaffinity="0"`',
    }
    for section in INERT:
        names = [
            e
            for contexts, e, letter, *_ in rows
            if section in contexts and letter == "R" and e != "exclude"
        ]
        text += f"| `{section}` | {listed(names)} | {instead[section]} |\n"
    for letter, (title, meaning) in BINS.items():
        text += f"\n## {title}\n\n{meaning}\n\n| element | in | attributes |\n| --- | --- | --- |\n"
        for contexts, element, own, code, groups in rows:
            words = [
                listed(names) + (f" [{why}]" if why else "")
                for of, why, names in groups
                if of == letter
            ]
            if letter == own and not words:
                words = ["the element itself" + (f" [{code}]" if code else "")]
            if words:
                text += f"| `{element}` | {', '.join(contexts)} | {'; '.join(words)} |\n"
    return text


def listed(names) -> str:
    return ", ".join(f"`{name}`" for name in names)
