"""Models that come with the package.

two_joint_arm        two hinges, six wrapped tendons
three_joint_finger   three hinges; pulleys, drums and spheres, drives and limits
spiral_chain         18 links, three tendons of 20 sites
"""

from __future__ import annotations

import pathlib

from flexor import calls


def names() -> tuple[str, ...]:
    """Names for `load` and `path`."""
    return tuple(sorted(file.stem for file in _folder().glob("*.xml")))


def _folder() -> pathlib.Path:
    return pathlib.Path(__file__).resolve().parent


@calls.checked(name=calls.name)
def path(name: str) -> pathlib.Path:
    """File of a model of this package. UnknownNameError with the nearest names."""
    from flexor.names import unknown

    if name not in names():
        raise unknown("models.path: name", name, names())
    return _folder() / f"{name}.xml"


@calls.checked(name=calls.name, activation_time=calls.optional(calls.real))
def load(name: str, *, activation_time: float | None = None, **kwargs):
    """Load a model of this package; further arguments as `flexor.load_model`.

    activation_time: time constant of every drive's filter [s], for which MJCF has no word.
    """
    from flexor.model import load_builder, load_model

    file = path(name)
    if activation_time is not None:
        builder = load_builder(file, **kwargs)
        overrides = dict(kwargs.pop("overrides", None) or {})
        for tendon in builder._core.tendons:
            overrides[f"tendon/{tendon.name}/drive/activation_time"] = activation_time
        kwargs["overrides"] = overrides
    return load_model(file, **kwargs)
