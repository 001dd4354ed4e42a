"""docs/measured.md: the result files of the benchmarks as tables."""

import csv
from pathlib import Path

RESULTS = Path(__file__).resolve().parents[1] / "benchmarks" / "results"

HEAD = """\
# What was measured

The files of `benchmarks/results/`, each written by one command; how to read them:
[Performance](performance.md). A file is named by benchmark, machine and registers. Times are
microseconds per world-step, on one thread, unless a column or a file (`t2`: two threads) says otherwise.
"""


def table(head, rows) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return (
        "\n".join("| " + " | ".join(str(cell) for cell in cells) + " |" for cells in lines) + "\n"
    )


def number(text: str, digits: int = 3) -> str:
    """`digits` significant digits of a number, nothing of nothing."""
    return f"{float(text):.{digits}g}" if text else ""


def percent(text: str) -> str:
    return f"{100 * float(text):.0f} %" if text else ""


def columns(rows, *names: str) -> str:
    """Table of some columns: a name as it stands, or (heading, column, function of its text)."""
    chosen = [name if isinstance(name, tuple) else (name, name, str) for name in names]
    return table(
        [heading for heading, _, _ in chosen],
        [[show(row[column]) for _, column, show in chosen] for row in rows],
    )


def numbers(*names: str):
    return [(name.removesuffix("_us"), name, number) for name in names]


def vs_mujoco(rows) -> str:
    threads = [("threads / probe", "gain_share", number)] if rows[0]["gain_share"] else []
    return columns(
        rows, "model", "state", "worlds", "precision", *numbers("mujoco_us", "flexor_us", "ratio"),
        *numbers("least_ratio", "all_us", "all_ratio"), ("at limits", "joints_at_limits", percent),
        ("converged", "converged_share", lambda x: number(x, 6)),
        ("residual [m/s]", "worst_residual", number), *threads,
    )  # fmt: skip


def growth(rows) -> str:
    return columns(
        rows, "sweep", "size", *numbers("step_us"), "stage", ("stage time", "stage_us", number),
        "state_bytes", "outputs_bytes", "workspace_bytes",
    )  # fmt: skip


def call_overhead(rows) -> str:
    times = [
        (f"{heading} [us a call]", column, lambda x: number(x, 4))
        for heading, column in (
            ("from Python", "python_us"), ("in C++", "cpp_us"), ("overhead", "overhead_us"),
            ("asked <", "asked_us"),
        )
    ]  # fmt: skip
    return columns(rows, "model", "worlds", *times)


def stage_profile(rows) -> str:
    return columns(
        rows, "model", "precision", "stage", *numbers("us"), ("share", "share", percent),
        *[(name.replace("_", " "), name, lambda x: number(x, 5))
          for name in ("flops", "choices", "cell_bytes", "array_bytes")],
        ("Gflop/s", "gflops", number),
    )  # fmt: skip


def solver_convergence(rows) -> str:
    """One line for a model, state and precision; of each solver iterations, time, error, and what share
    did not converge."""
    lines = {}
    for row in rows:
        name = row["solver"] if row["warm_start"] == "True" else f"{row['solver']}, cold"
        lines.setdefault((row["model"], row["state"], row["precision"]), {})[name] = row
    solvers = list(dict.fromkeys(name for found in lines.values() for name in found))
    body = []
    for key, found in lines.items():
        first = next(iter(found.values()))
        cells = [solver_cell(found[name]) if name in found else "" for name in solvers]
        unsolved = int(first["exact_unsolved"])
        body.append([*key, percent(first["joints_at_limits"]), unsolved or "", *cells])
    return (
        "Iterations, microseconds of the solve stage, median (worst) velocity error against `exact`,"
        " share that did not converge or found its hard rows inconsistent.\n\n"
        + table(["model", "state", "precision", "at limits", "exact unsolved", *solvers], body)
    )


def solver_cell(row: dict) -> str:
    parts = [number(row["mean_iterations"])]
    if row["solve_us"]:
        parts.append(f"{number(row['solve_us'])} us")
    if row["median_error"]:
        parts.append(f"{float(row['median_error']):.0e} ({float(row['worst_error']):.0e})")
    failed = 1 - float(row["converged_share"])
    if failed > 0:
        parts.append(f"**{100 * failed:.3g} %**")
    return ", ".join(parts)


#: benchmark -> (heading, table of a file's rows), in the order of the page
TABLES = {
    "vs_mujoco": ("Against MuJoCo", vs_mujoco),
    "growth": ("How time and memory grow", growth),
    "call_overhead": ("A call from Python", call_overhead),
    "stage_profile": ("Stages", stage_profile),
    "solver_convergence": ("Solvers", solver_convergence),
}


def page() -> str:
    text = HEAD
    for benchmark, (heading, make) in TABLES.items():
        text += f"\n## {heading}\n"
        for file in sorted(RESULTS.glob(f"{benchmark}.*.csv")):
            with file.open(newline="", encoding="utf-8") as stream:
                text += f"\n`{file.name}`:\n\n{make(list(csv.DictReader(stream)))}"
    return text
