"""Errors of flexor. Each derives from FlexorError and from the built-in error it resembles."""

from __future__ import annotations


def _remake(cls: type, args: tuple, state: dict) -> FlexorError:
    error = cls.__new__(cls, *args)
    error.args = args
    error.__dict__.update(state)
    return error


class FlexorError(Exception):
    """Base of all errors of this package."""

    def __reduce__(self):  # whatever the class wants to be made of, a copy has its text and members
        return _remake, (type(self), self.args, self.__dict__.copy())


class ModelError(FlexorError, ValueError):
    """A model cannot be built.

    problems: list of dicts, one for each finding, with the keys severity, code, file, line, column,
        element, name, attribute, value, text, hint, count. All findings of one run are here.
    file, line, column, code, hint: those of the first problem (None without one).
    """

    def __init__(self, text: str, problems=()):
        super().__init__(text)
        self.problems = list(problems)
        first = self.problems[0] if self.problems else {}
        self.file = first.get("file")
        self.line = first.get("line")
        self.column = first.get("column")
        self.code = first.get("code")
        self.hint = first.get("hint")


class ParameterError(FlexorError, ValueError):
    """A parameter outside its legal range; names parameter, world, value and range."""


class ShapeError(FlexorError, ValueError):
    """Shapes disagree; names the shape expected and the shape given."""


class UnknownNameError(FlexorError, KeyError):
    """No element of that name; names the nearest ones."""

    def __str__(self) -> str:  # KeyError would show the quoted text
        return str(self.args[0]) if self.args else ""


class CheckpointError(FlexorError, ValueError):
    """A checkpoint is damaged or belongs to another model; nothing was changed."""


class ConfigError(FlexorError, ValueError):
    """An argument outside its legal set; names argument, value and set."""


class ArgumentError(ConfigError, TypeError):
    """An argument of the wrong type; names call, argument, what was given and what is legal."""


class DeviceError(FlexorError, RuntimeError):
    """The device asked for cannot be used; says why."""


class SimulationError(FlexorError, RuntimeError):
    """A simulation cannot go on: closed, or stopped by guard="raise".

    worlds, status: indices and status bits of the worlds that failed (empty where none did).
    """

    def __init__(self, text: str, worlds=(), status=()):
        super().__init__(text)
        self.worlds = list(worlds)
        self.status = list(status)


class ConcurrencyError(FlexorError, RuntimeError):
    """A second thread called while a call was running."""


class MissingExtraError(FlexorError, ImportError):
    """An optional package is not installed; says what to install."""
