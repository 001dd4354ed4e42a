"""Fixtures of the Python tests: the backends that every case must pass on, the folder of public models."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from support import BACKENDS, CPU, SHARED


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
    if not (SHARED / "oracle").is_dir():
        pytest.skip(f"no folder {SHARED} with public models (set FLEXOR_SHARED)")
    return SHARED
