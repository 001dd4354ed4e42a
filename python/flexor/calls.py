"""Arguments of public calls, judged in one place.

@checked(qpos=optional(numbers), keyframe=optional(element))
def reset(self, mask=None, *, keyframe=None, qpos=None): ...

Each kind of argument says what is legal and turns what was given into what the call works with. What
it cannot turn is an ArgumentError (wrong type) or a ConfigError (wrong value) that names call,
argument, what was given and what is legal.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import operator
import os
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

import numpy as np

from flexor.errors import ArgumentError, ConfigError, FlexorError, ParameterError
from flexor.names import suggestion

_LONGEST_SHOWN = 80
_LONGEST_NAME = 4096


class Kind(NamedTuple):
    """What is legal, in words, and convert(value), which raises TypeError or ValueError."""

    legal: str
    convert: Callable


class _Unreadable(Exception):
    """NumPy cannot make an array of it; the text says why."""


class _WrongItem(Exception):
    """What is wrong with a dict is one of its values."""

    def __init__(self, key: str, kind: Kind, value):
        super().__init__(key)
        self.key, self.kind, self.value = key, kind, value


def shown(value) -> str:
    """A value for a message: short, whatever it is, with its type where that may be the trouble."""
    try:
        if getattr(value, "shape", None) and hasattr(value, "dtype"):  # of any library
            return f"{_kind_of(value)} {tuple(value.shape)} of {value.dtype}"
        text = repr(value)
    except Exception:
        text = "something"
    if len(text) > _LONGEST_SHOWN:
        half = _LONGEST_SHOWN // 2
        text = f"{text[:half]}...{text[-half:]}"
    plain = value is None or isinstance(value, bool | int | float)
    return text if plain else f"{text} ({type(value).__name__})"


def _kind_of(value) -> str:
    return "array" if isinstance(value, np.ndarray) else type(value).__name__


def judge(call: str, argument: str, kind: Kind, value):
    """The value as the call works with it."""
    why = ""
    try:
        return kind.convert(value)
    except FlexorError:
        raise
    except _WrongItem as item:
        return judge(call, f"{argument}[{item.key!r}]", item.kind, item.value)
    except _Unreadable as error:
        wrong, why = ArgumentError, f" ({error})"
    except ValueError:
        wrong = ConfigError
    except (TypeError, OverflowError, AttributeError, RecursionError):
        wrong = ArgumentError
    raise wrong(f"{call}: {argument}: {shown(value)} given{why}; legal: {kind.legal}") from None


@contextlib.contextmanager
def naming(call: str):
    """Puts the call, and argument, in front of what the core says is wrong with it."""
    try:
        yield
    except (ConfigError, ParameterError) as error:
        error.args = (f"{call}: {error}", *error.args[1:])
        raise


#: words of other tools -> the arguments that say the same
_OTHER_WORDS = {
    "range": "lower and upper (joints), lower_limit and upper_limit (tendons)",
    "limits": "lower and upper (joints), lower_limit and upper_limit (tendons)",
    "springlength": "spring_lower and spring_upper",
    "springref": "rest",
    "frictionloss": "friction_loss (tendons), friction (joints)",
    "diaginertia": "inertia",
    "fullinertia": "inertia",
    "actuatorfrcrange": "actuation_lower and actuation_upper",
    "rgba": "color",
}


def _no_argument(label: str, name: str, legal: Iterable[str]) -> ArgumentError:
    legal = [word for word in legal if word != "self"]
    other = [w for w in _OTHER_WORDS.get(name, "").split() if w in legal]
    if other:
        hint = f"use {_OTHER_WORDS[name]}"
    else:
        hint = suggestion(name, legal) or f"legal: {', '.join(legal)}"
    return ArgumentError(f"{label}: no argument {name!r}; {hint}")


def checked(**kinds: Kind):
    """Decorator: judges the named arguments, where they are given, before the call runs; arguments
    that there are not are an ArgumentError with the nearest."""

    def decorate(function):
        parameters = inspect.signature(function).parameters
        places = {name: i for i, name in enumerate(parameters)}
        takes_any = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
        label = function.__qualname__.removesuffix(".__init__")

        @functools.wraps(function)
        def call(*args, **kwargs):
            args = list(args)
            if not takes_any:
                for name in kwargs:
                    if name not in places:
                        raise _no_argument(label, name, places)
            for name, kind in kinds.items():
                if name in kwargs:
                    kwargs[name] = judge(label, name, kind, kwargs[name])
                elif (i := places.get(name, len(args))) < len(args):
                    args[i] = judge(label, name, kind, args[i])
            return function(*args, **kwargs)

        return call

    return decorate


# --- kinds ---


def _whole(value) -> int:
    if isinstance(value, bool | np.bool_):
        raise TypeError
    return operator.index(value)


def whole(low: int, high: int) -> Kind:
    """A whole number in [low, high]."""

    def convert(value):
        number = _whole(value)
        if not low <= number <= high:
            raise ValueError
        return number

    return Kind(f"a whole number from {low} to {high}", convert)


def _real(value) -> float:
    if isinstance(value, bool | np.bool_ | str | bytes | bytearray):
        raise TypeError
    try:
        return float(value)
    except ValueError:
        raise TypeError from None


def _positive(value) -> float:
    number = _real(value)
    if not 0 < number < float("inf"):
        raise ValueError
    return number


def _flag(value) -> bool:
    if not isinstance(value, bool | np.bool_):
        raise TypeError
    return bool(value)


def _text(value) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _name(value) -> str:
    if len(_text(value)) > _LONGEST_NAME:
        raise ValueError
    return value


def word(*choices) -> Kind:
    """One of a few words (or True, False)."""

    def convert(value):
        if not isinstance(value, str | bool):
            raise TypeError
        if value not in choices:
            raise ValueError
        return value

    return Kind(", ".join(repr(choice) for choice in choices), convert)


def _path(value) -> str:
    path = _text(os.fspath(value))
    if not path or "\0" in path:
        raise ValueError
    return path


def _source(value) -> str:
    path = _text(os.fspath(value))
    return path if path.lstrip("\ufeff \t\r\n").startswith("<") else _path(path)


def _numbers(value) -> np.ndarray:
    try:
        array = np.asarray(value)
    except ValueError:  # rows of different lengths
        raise TypeError from None
    except RuntimeError as error:  # a tensor says what to do: "use tensor.detach().numpy() instead"
        raise _Unreadable(error) from None
    if array.dtype.kind not in "biuf":
        raise TypeError
    return array


def _element(value) -> str | int:
    return _name(value) if isinstance(value, str) else _whole(value)


def _names(value) -> list[str]:
    if isinstance(value, str):
        return [_name(value)]
    if not isinstance(value, Iterable) or isinstance(value, bytes | Mapping):
        raise TypeError
    return [_name(name) for name in value]


def optional(kind: Kind) -> Kind:
    """None, or that kind."""
    return Kind(
        f"None, or {kind.legal}", lambda value: None if value is None else kind.convert(value)
    )


def by_name(kind: Kind) -> Kind:
    """A mapping of names to that kind."""

    def convert(value):
        if not isinstance(value, Mapping):
            raise TypeError
        converted = {}
        for key, item in value.items():
            try:
                converted[_name(key)] = kind.convert(item)
            except (TypeError, ValueError):
                _name(key)
                raise _WrongItem(key, kind, item) from None
        return converted

    return Kind(f"a dict of name: {kind.legal}", convert)


def instance(cls: type, legal: str) -> Kind:
    """An object of that class."""

    def convert(value):
        if not isinstance(value, cls):
            raise TypeError
        return value

    return Kind(legal, convert)


def _vector(value) -> list[float]:
    numbers = _numbers(value)
    if numbers.ndim > 1:
        raise ValueError
    return np.atleast_1d(numbers.astype(np.float64)).tolist()


def _option(value) -> str | bool | list[float]:
    if isinstance(value, bool):
        return value
    return _name(value) if isinstance(value, str) else _vector(value)


def _blob(value) -> bytes:
    if isinstance(value, str):
        return value.encode()
    if not isinstance(value, bytes | bytearray | memoryview):
        raise TypeError
    return bytes(value)


real = Kind("a number", _real)
positive = Kind("a finite number > 0", _positive)
flag = Kind("True, False", _flag)
text = Kind(f"a text of at most {_LONGEST_NAME} characters", _name)
name = Kind(f"a name (str of at most {_LONGEST_NAME} characters)", _name)
names = Kind("a name, or names", _names)
path = Kind("the path of a file, without NUL characters", _path)
source = Kind("the path of a file, without NUL characters, or a text that begins with '<'", _source)
numbers = Kind("numbers (bool, int or float)", _numbers)
vector = Kind("a number or a vector of numbers", _vector)
option = Kind("a number, a vector of numbers or a text", _option)
blob = Kind("bytes", _blob)
element = Kind("a name or a whole number", _element)
