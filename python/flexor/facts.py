"""What this installation is and can do."""

from __future__ import annotations

import functools
import os
import platform
import sys

import numpy as np

from flexor import _core
from flexor.builder import ModelBuilder
from flexor.simulation import Simulation


@functools.cache
def _cpu_backend() -> str:
    """ "cpu/<instruction set>": what a smallest batch runs on."""
    builder = ModelBuilder("probe")
    builder.add_point_mass("point", (0, 0, 0), 1.0)
    with Simulation(builder.finalize()) as sim:
        return sim.options["backend"]


def _memory() -> int:
    """Bytes of main memory; 0 where the system does not say."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        return 0


def devices() -> list[dict]:
    """Backends: name, memory [bytes], capability, usable, reason (why not)."""
    no_cuda = "not available yet: this version has no CUDA backend, though its kernels compile"
    return [
        {
            "name": "reference",
            "memory": _memory(),
            "capability": "float64, one world at a time",
            "usable": True,
            "reason": "",
        },
        {
            "name": "cpu",
            "memory": _memory(),
            "capability": _cpu_backend(),
            "usable": True,
            "reason": "",
        },
        {"name": "cuda", "memory": 0, "capability": "", "usable": False, "reason": no_cuda},
    ]


def info() -> dict:
    """Facts for a bug report: versions, compiler, instruction set, threads, environment."""
    names = sorted(name for name in os.environ if name.startswith("FLEXOR_"))
    return {
        "version": _core.version,
        "compiler": _core.compiler,
        "isa": _cpu_backend(),
        "cpus": len(os.sched_getaffinity(0))
        if hasattr(os, "sched_getaffinity")
        else os.cpu_count(),
        "python": sys.version.split()[0],
        "numpy": np.__version__,
        "platform": platform.platform(),
        "machine": platform.machine(),
        "environment": {name: os.environ[name] for name in names},
    }
