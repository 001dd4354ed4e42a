"""Tables and progress of the command line, and the model it works on."""

from __future__ import annotations

import argparse
import contextlib
import errno
import os
import pathlib
import sys
import time
from collections.abc import Callable, Iterator

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

import flexor
from flexor.errors import FlexorError

#: seconds between two lines of progress where there is no terminal
LINE_EVERY = 10.0


class UsageError(Exception):
    """Arguments that argparse refuses, or that do not go together."""

    def __init__(self, message: str, usage: str = ""):
        super().__init__(message)
        self.usage = usage


class FileError(FlexorError):
    """A file named on the command line cannot be read or written."""


class _Console(Console):
    def on_broken_pipe(self) -> None:  # rich would exit with 1
        raise BrokenPipeError


class Output:
    """Where a command writes: results to stdout, progress and remarks to stderr."""

    def __init__(self, is_json: bool = False, is_quiet: bool = False, no_color: bool = False):
        self.is_json = is_json
        self.is_quiet = is_quiet or is_json
        plain = no_color or bool(os.environ.get("NO_COLOR"))
        width = None if sys.stdout.isatty() else 140
        self.console = _Console(no_color=plain, highlight=False, markup=False, width=width)
        self.remarks = Console(no_color=plain, highlight=False, markup=False, stderr=True)

    def show(self, item) -> None:
        """A table, tree or line of the result; nothing with --json."""
        if not self.is_json:
            self.console.print(item)

    def remark(self, text: str) -> None:
        if not self.is_quiet:
            self.remarks.print(text)

    @contextlib.contextmanager
    def progress(self, label: str, total: int) -> Iterator[Callable[[int], None]]:
        """Progress of a long run: gives a function to call with what has been done since the last
        call. A bar on a terminal, else a line every 10 s, nothing when quiet."""
        if self.is_quiet:
            yield lambda done: None
        elif self.remarks.is_terminal:
            columns = (
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TimeRemainingColumn(),
            )
            with Progress(*columns, console=self.remarks, transient=True) as bar:
                task = bar.add_task(label, total=total)
                yield lambda done: bar.advance(task, done)
        else:
            yield _Lines(self.remarks, label, total)


class _Lines:
    def __init__(self, console: Console, label: str, total: int):
        self.console, self.label, self.total = console, label, total
        self.done, self.last = 0, time.monotonic()

    def __call__(self, done: int) -> None:
        self.done += done
        now = time.monotonic()
        if now - self.last >= LINE_EVERY:
            self.last = now
            share = 100 * self.done / max(1, self.total)
            self.console.print(f"{self.label}: {self.done} of {self.total} ({share:.0f} %)")


def table(title: str, *columns: str) -> Table:
    """Empty table; a column that begins with '<' is text, the others are numbers."""
    out = Table(title=title, title_justify="left", title_style="bold", header_style="bold")
    for column in columns:
        is_text = column.startswith("<")
        out.add_column(column.lstrip("<"), justify="left" if is_text else "right", overflow="fold")
    return out


def number(x: float, digits: int = 5, noise: float = 0.0) -> str:
    """Short text of a number; a dash for "no bound", 0 for what is within the noise."""
    x = float(x)
    if abs(x) <= noise:
        return "0"
    if np.isnan(x):
        return "auto"
    if np.isinf(x):
        return "-"
    return f"{x:.{digits}g}"


def noise_of(values: np.ndarray) -> float:
    """Size below which numbers of an array are rounding, beside the largest of them or 1."""
    largest = np.max(np.abs(values[np.isfinite(values)]), initial=1.0)
    return 8 * float(np.finfo(values.dtype).eps) * float(largest)


def finite(x: float) -> float | None:
    """A number that JSON can hold: None for infinities and NaN."""
    x = float(x)
    return x if np.isfinite(x) else None


def shown(text: str, longest: int = 160) -> str:
    """A path for a message: of a long one its two ends, of a control character its number."""
    if len(text) > longest:
        text = f"{text[: longest // 2]}...{text[-longest // 2 :]}"
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def checked_path(argument: str, path: str) -> str:
    """FileError for a path that no file can have."""
    if not path or "\0" in path:
        raise FileError(
            f"{argument}: '{shown(path)}' given; legal: the path of a file, without NUL characters"
        )
    return path


class OutputFile(argparse.Action):
    """Argument for a file to write, which is refused while the arguments are read: a run of minutes
    should not end with it. FileError. has_stdout: "-" is stdout."""

    def __init__(self, *args, has_stdout: bool = False, **options):
        super().__init__(*args, **options)
        self.has_stdout = has_stdout

    def __call__(self, parser, namespace, values, option_string=None):
        if not (self.has_stdout and values == "-"):
            _check_writable(option_string, values)
        setattr(namespace, self.dest, values)


def _check_writable(argument: str, file: str) -> None:
    path = pathlib.Path(checked_path(argument, file))
    try:
        if path.is_dir():
            code = errno.EISDIR
        elif not path.parent.is_dir():
            code = errno.ENOTDIR if path.parent.exists() else errno.ENOENT
        elif not os.access(path if path.exists() else path.parent, os.W_OK):
            code = errno.EACCES
        else:
            return
    except OSError as error:  # a name that is too long
        code = error.errno
    raise FileError(f"{argument}: {shown(file)}: {os.strerror(code)}")


def load(file: str, strict: bool = True) -> flexor.Model:
    """Model of a file, or of this package by its name."""
    path = pathlib.Path(checked_path("FILE", file))
    try:
        is_file, exists = path.is_file(), path.exists()
    except OSError as error:  # a name that is too long
        raise FileError(f"FILE: {shown(file)}: {error.strerror}") from None
    if not is_file and file in flexor.models.names():
        return flexor.models.load(file)
    if not exists:
        raise FileError(
            f"{shown(file)}: no such file, and no model of this package "
            f"({', '.join(flexor.models.names())})"
        )
    return flexor.load_model(file, strict=strict)


def remark_warnings(model: flexor.Model, file: str, out: Output) -> int:
    """Says how many warnings a file gave, and where to read them."""
    warnings = [item for item in model.report["items"] if item["severity"] == "warning"]
    if warnings:
        codes = ", ".join(dict.fromkeys(item["code"] for item in warnings))
        count = "1 warning" if len(warnings) == 1 else f"{len(warnings)} warnings"
        out.remark(f"{count} ({codes}); to see them: flexor inspect {shown(file)}")
    return len(warnings)


def add_model_arguments(parser) -> None:
    """FILE, --strict and --inert."""
    parser.add_argument("file", metavar="FILE", help="model file, or the name of a model we ship")
    parser.add_argument(
        "--lenient", action="store_true", help="load with strict=False: what is ignored only warns"
    )
    parser.add_argument(
        "--inert",
        action="append",
        default=[],
        metavar="NAME",
        help="element, kind or '*' that may stand idle when it cannot be simulated (repeatable)",
    )


def simulate(model: flexor.Model, arguments, num_worlds: int, **options) -> flexor.Simulation:
    """Simulation with the global flags."""
    return flexor.Simulation(
        model,
        num_worlds=num_worlds,
        device=arguments.device,
        precision=arguments.precision,
        num_threads=arguments.threads,
        seed=arguments.seed,
        inert=arguments.inert or "error",
        **options,
    )
