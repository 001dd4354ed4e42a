"""Two devices, precisions or thread counts side by side on one model: how far they are apart, and
whether that is within the ladder of tolerances. Exit code 7 when it is not. With --with mujoco:
lengths and moment arms of an MJCF model against an installed MuJoCo."""

from __future__ import annotations

import flexor
from flexor.cli.show import Output, OutputFile, add_model_arguments, load, number, table
from flexor.comparison import MODES, report
from flexor.comparison.peer import compare_with_mujoco
from flexor.errors import ConfigError

HELP = "compare devices, precisions, threads"


def add_arguments(parser) -> None:
    add_model_arguments(parser)
    add = parser.add_argument
    for side, default in (("a", "reference"), ("b", "--device, else cpu")):
        add(f"--{side}", metavar="DEVICE", help=f"device of side {side} ({default})")
        add(f"--precision-{side}", metavar="TYPE", help="float32 or float64 (the device's own)")
        add(f"--threads-{side}", type=int, metavar="N", help="CPU threads (--threads)")
    add("--batch-b", type=int, metavar="N", help="worlds of one batch of side b (all)")
    add("--shuffle-b", action="store_true", help="worlds of side b in another order")
    add("--mode", choices=MODES, default="shadow", help="shadow (default), free or stages")
    add("--numeric", choices=("fast", "strict"), default="fast", help="of a GPU (fast)")
    add("--worlds", type=int, default=64, metavar="N", help="number (64)")
    add("--steps", type=int, default=200, metavar="N", help="number (200)")
    add("--commands", choices=("random", "hold"), default="random", help="drive forces (random)")
    add("--states", choices=("random", "reset"), default="random", help="initial states (random)")
    add("--strict", action="store_true", help="equal bits; stop at the first difference")
    add("--tolerance", action="append", default=[], metavar="ARRAY=X",
        help="largest error of an array (or wildcard) instead of the ladder's (repeatable)")  # fmt: skip
    add("--vary", nargs="?", const=True, default=False, metavar="PATTERN",
        help="scale parameters (all, or those that match) by U(0.8, 1.2) in every world")  # fmt: skip
    add("--inject", action="append", default=[], metavar="FIELD:SCALE",
        help="plant a fault on side b: an array or parameter times SCALE (repeatable)")  # fmt: skip
    add("--png", action=OutputFile, metavar="FILE", help="picture of the errors over the steps")
    add("--with", dest="peer", choices=("mujoco",), help="lengths and moment arms against a peer")


def _tolerances(texts: list[str]):
    if not texts:
        return "ladder"
    found = {}
    for text in texts:
        name, equals, value = text.rpartition("=")
        try:
            found[name] = float(value)
        except ValueError:
            equals = ""
        if not equals or not name:
            raise ConfigError(f"--tolerance: {text!r} is not array=number")
    return found


def main(arguments, out: Output):
    if arguments.peer:
        return _peer(arguments, out)
    if arguments.png:
        report.pyplot()  # says what is missing before the run, not after it
    model = load(arguments.file, strict=not arguments.lenient)
    a = arguments.a or "reference"  # which has one precision only
    result = flexor.compare(
        model,
        a,
        arguments.b or arguments.device,
        worlds=arguments.worlds,
        steps=arguments.steps,
        precision_a=arguments.precision_a or (arguments.precision if a != "reference" else None),
        precision_b=arguments.precision_b or arguments.precision,
        mode=arguments.mode,
        numeric=arguments.numeric,
        commands=arguments.commands,
        states=arguments.states,
        seed=arguments.seed,
        tolerance=_tolerances(arguments.tolerance),
        strict=arguments.strict,
        vary=arguments.vary,
        inject=arguments.inject or None,
        threads_a=arguments.threads_a or arguments.threads,
        threads_b=arguments.threads_b or arguments.threads,
        batch_b=arguments.batch_b,
        shuffle_b=arguments.shuffle_b,
        inert=arguments.inert or "error",
    )
    _show(out, result)
    if arguments.png:
        result.save_png(arguments.png)
        out.remark(f"wrote {arguments.png}")
    return result.to_dict(), None if result.ok else _failed(result.failures)


def _failed(failures: list[str]) -> str:
    more = f" (and {len(failures) - 1} more)" if len(failures) > 1 else ""
    return f"out of tolerance: {failures[0]}{more}"


def _show(out: Output, result: flexor.Report) -> None:
    if result.fields:
        lines = table(result.title, "<array", "<stage", "median", "99 %", "largest", "of tolerance",
                      "ulp 99 %", "<worst at", "<ok")  # fmt: skip
        for row in result.fields:
            if row["compared"]:
                worst, ulp = row["worst"], row["ulp"]
                place = f"step {worst['step']} world {worst['world']} {worst['component']}" if worst else "-"  # fmt: skip
                lines.add_row(
                    row["name"], row["stage"], *(f"{row[k]:.1e}" for k in ("p50", "p99", "max")),
                    f"{100 * row['used']:.2g} %" if worst else "-", number(ulp["p99"], 3) if ulp else "-",
                    place, "yes" if row["ok"] else "NO",
                )  # fmt: skip
        out.show(lines)
    if result.invariants or result.checks:
        lines = table("whole run", "<what", "<side", "value", "tolerance", "<ok")
        for row in (*result.invariants, *result.checks):
            ok = "yes" if row["ok"] else "NO"
            lines.add_row(
                row["name"], row["side"], f"{row['value']:.2e}", f"{row['tolerance']:.1e}", ok
            )
        out.show(lines)
    for reason, count in result.left_out.items():
        if count:
            out.show(f"left out: {count} world-steps, {reason}")
    out.show(str(result))


def _peer(arguments, out: Output):
    found = compare_with_mujoco(
        arguments.file,
        worlds=arguments.worlds,
        device=arguments.b or arguments.device,
        precision=arguments.precision_b or arguments.precision,
        seed=arguments.seed,
        strict=not arguments.lenient,
    )
    lines = table(f"{found['model']} against MuJoCo {found['version']}, {found['poses']} poses",
                  "<tendon", "length [m]", "moment arm", "tolerance", "<other route", "<ok")  # fmt: skip
    for row in found["tendons"]:
        lines.add_row(row["name"], f"{row['length_error']:.1e}", f"{row['arm_error']:.1e}",
                      f"{row['length_tolerance']:.1e}, {row['arm_tolerance']:.1e}",
                      f"{row['other_route']}", "yes" if row["ok"] else "NO")  # fmt: skip
    out.show(lines)
    for text in found["differences"]:
        out.show(f"documented difference: {text}")
    wrong = [row["name"] for row in found["tendons"] if not row["ok"]]
    return found, f"out of tolerance: {', '.join(wrong)}" if wrong else None
