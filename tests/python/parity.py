"""Models and pairs of devices that parity and determinism are shown on."""

from __future__ import annotations

import functools

import flexor
import numpy as np
import pytest
from random_models import random_pose, random_rows
from support import SHARED

OWN = flexor.models.names()
RANDOM = 200
#: below, at, beside and far above the width of a tile
BATCHES = (1, 31, 33, 1000)
PAIRS = {
    "reference-float64": {"a": "reference", "b": "cpu", "precision_b": "float64"},
    "reference-float32": {"a": "reference", "b": "cpu", "precision_b": "float32"},
    "float64-float32": {"a": "cpu", "b": "cpu", "precision_a": "float64", "precision_b": "float32"},
}
PRECISIONS = ("float64", "float32")


@functools.cache
def random_model(seed: int) -> flexor.Model:
    """Every other model winds its tendons round everything that a path may hold."""
    return random_rows(seed, winding=seed % 2 == 1)


def random_states(seed: int, worlds: int) -> dict[str, np.ndarray]:
    """States of a random model, for `flexor.compare`."""
    rng = np.random.default_rng(seed + 9000)
    poses = [random_pose(random_model(seed), rng) for _ in range(worlds)]
    return {"qpos": np.array([q for q, _ in poses]), "qvel": np.array([v for _, v in poses])}


def public_files() -> list:
    """Parameters (file,) of a test over the public models: one for each, whether it loads or not."""
    folder = SHARED / "models"
    files = [
        f for f in sorted(folder.rglob("*.xml")) if "assets" not in f.relative_to(folder).parts
    ]
    if not files:
        why = pytest.mark.skip(f"no public models in {folder} (set FLEXOR_SHARED)")
        return [pytest.param(None, marks=why, id="none")]
    return [pytest.param(f, id=f.relative_to(folder).with_suffix("").as_posix()) for f in files]


def public_model(file) -> flexor.Model:
    """The model, or a skip that says why it does not load or has nothing that moves."""
    try:
        model = _load(file)
    except flexor.ModelError as error:
        pytest.skip(f"{file.name} does not load: {str(error).splitlines()[0]}")
    if model.nv == 0:
        pytest.skip(f"{file.name} has no coordinates")
    return model


@functools.cache
def _load(file):
    return flexor.load_model(file, strict=False)
