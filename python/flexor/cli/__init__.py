"""Command line: flexor info | inspect FILE | sim FILE | bench FILE | compare FILE.

Results go to stdout, everything else to stderr. Exit codes: 0 ok; 1 internal error; 2 usage;
3 bad model or argument; 4 device unavailable; 5 worlds diverged beyond --allow-failed; 7 out of
tolerance; 130 interrupted.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import traceback

import flexor
from flexor.cli import bench, compare, facts, inspection, run
from flexor.cli.show import Output, UsageError
from flexor.errors import DeviceError, FlexorError, ModelError

OK, INTERNAL, USAGE, BAD_MODEL, NO_DEVICE, DIVERGED, INTERRUPTED = 0, 1, 2, 3, 4, 5, 130
OUT_OF_TOLERANCE = 7

COMMANDS = {"info": facts, "inspect": inspection, "sim": run, "bench": bench, "compare": compare}
#: what it means that a command failed: type of the error object, exit code
FAILURES = {"compare": ("OutOfTolerance", OUT_OF_TOLERANCE)}


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise UsageError(message, self.format_usage())


def _global_flags(default) -> argparse.ArgumentParser:
    """Flags that stand before or behind the command's name."""
    flags = Parser(add_help=False, argument_default=default)
    group = flags.add_argument_group("global options")
    group.add_argument("--json", action="store_true", help="one JSON object on stdout")
    group.add_argument("--quiet", action="store_true", help="no progress, no remarks")
    group.add_argument("-v", "--verbose", action="store_true", help="tracebacks of errors")
    group.add_argument(
        "--seed", type=int, metavar="N", help="of random numbers: the commands of bench (0)"
    )
    group.add_argument("--device", metavar="NAME", help="cpu (default) or reference")
    group.add_argument("--precision", metavar="TYPE", help="float32 or float64")
    group.add_argument("--threads", type=int, metavar="N", help="CPU threads (all)")
    group.add_argument("--no-color", action="store_true", help="plain tables (also: NO_COLOR)")
    return flags


def make_parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="flexor",
        description="Batched simulation of tendon-driven robots.",
        parents=[_global_flags(None)],
    )
    parser.set_defaults(
        json=False, quiet=False, verbose=False, seed=0, device="cpu", precision=None,
        threads=None, no_color=False,
    )  # fmt: skip
    parser.add_argument("--version", action="version", version=f"flexor {flexor.__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, module in COMMANDS.items():
        sub = commands.add_parser(
            name,
            help=module.HELP,
            description=module.__doc__,
            parents=[_global_flags(argparse.SUPPRESS)],
        )
        module.add_arguments(sub)
    return parser


def _describe(error: BaseException) -> dict:
    """Error object of --json."""
    found = {"file": None, "line": None, "column": None, "code": None, "hint": None}
    if isinstance(error, ModelError):
        found = {key: getattr(error, key) for key in found}
        found["problems"] = error.problems
    return {"type": type(error).__name__, "message": str(error), **found}


def _code_of(error: BaseException) -> int:
    if isinstance(error, UsageError):
        return USAGE
    if isinstance(error, KeyboardInterrupt):
        return INTERRUPTED
    if isinstance(error, DeviceError):
        return NO_DEVICE
    if isinstance(error, FlexorError | OSError):
        return BAD_MODEL
    return INTERNAL


def main(argv: list[str] | None = None) -> int:
    """Run one command; returns the exit code. Whoever closes the pipe has read enough: 0."""
    try:
        code = _main(argv)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for the flush at exit
        return OK


def _main(argv: list[str] | None) -> int:
    argv = sys.argv[1:] if argv is None else argv
    as_json, command, verbose = "--json" in argv, None, "-v" in argv or "--verbose" in argv
    try:
        arguments = make_parser().parse_args(argv)
        command = arguments.command
        out = Output(arguments.json, arguments.quiet, arguments.no_color)
        result, failed = COMMANDS[command].main(arguments, out)
    except SystemExit as stop:  # --help
        return int(stop.code or 0)
    except BrokenPipeError:
        raise
    except BaseException as error:
        if verbose and not isinstance(error, UsageError):
            traceback.print_exc()
        if as_json:
            document = {"schema": 1, "command": command, "ok": False, "error": _describe(error)}
            print(json.dumps(document))
        elif isinstance(error, UsageError):
            print(f"{error.usage}flexor: error: {error}", file=sys.stderr)
        elif isinstance(error, KeyboardInterrupt):
            print("flexor: interrupted", file=sys.stderr)
        elif isinstance(error, ModelError):
            print(error, file=sys.stderr)  # file:line:col: error: ...
        else:
            print(f"flexor: error: {error or type(error).__name__}", file=sys.stderr)
        return _code_of(error)
    kind, code = FAILURES.get(command, ("Diverged", DIVERGED))
    if arguments.json:
        document = {"schema": 1, "command": command, "ok": not failed, "result": result}
        if failed:
            document["error"] = {"type": kind, "message": failed}
        print(json.dumps(document, allow_nan=False))
    elif failed:
        print(f"flexor: error: {failed}", file=sys.stderr)
    return code if failed else OK
