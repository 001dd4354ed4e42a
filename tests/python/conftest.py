"""Fixtures of the Python tests: the backends that every case must pass on, the folder of public models."""

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from support import BACKENDS, CPU

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(params=BACKENDS, ids=str)
def backend(request):
    """Every solver of the reference path, then the batch in both precisions."""
    return request.param


@pytest.fixture(params=CPU, ids=str)
def batch(request):
    """The batch alone, in both precisions."""
    return request.param


@pytest.fixture(scope="session")
def shared():
    """Folder of public models and of other engines' values; a test that needs it is skipped without."""
    path = Path(os.environ.get("FLEXOR_SHARED", ROOT.parent / "shared"))
    if not (path / "oracle").is_dir():
        pytest.skip(f"no folder {path} with public models (set FLEXOR_SHARED)")
    return path
