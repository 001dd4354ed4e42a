"""flexor: batches of tendon-driven robots, stepped together.

import flexor
model = flexor.load_model("finger.xml")
sim = flexor.Simulation(model, num_worlds=4096)
sim.drive_force.at("deep").numpy()[:] = -5.0     # 5 N of tension in every world
sim.step(10)
sim.tendon_tension.numpy()                       # (4096, tendons), no copy
"""

from flexor import _core, descriptions, log, models, rng
from flexor.array import Array
from flexor.builder import ModelBuilder
from flexor.comparison import Report, compare
from flexor.errors import (
    ArgumentError,
    CheckpointError,
    ConcurrencyError,
    ConfigError,
    DeviceError,
    FlexorError,
    MissingExtraError,
    ModelError,
    ParameterError,
    ShapeError,
    SimulationError,
    UnknownNameError,
)
from flexor.facts import devices, info
from flexor.fields import FIELDS, FieldInfo
from flexor.model import Model, load_builder, load_model, validate
from flexor.parameters import Parameter
from flexor.path import cylinder, joint_term, pulley, sphere, via
from flexor.simulation import Simulation
from flexor.snapshot import Snapshot
from flexor.status import Status

__version__: str = _core.version

descriptions.install()
log.install()

__all__ = [
    "FIELDS",
    "ArgumentError",
    "Array",
    "CheckpointError",
    "ConcurrencyError",
    "ConfigError",
    "DeviceError",
    "FieldInfo",
    "FlexorError",
    "MissingExtraError",
    "Model",
    "ModelBuilder",
    "ModelError",
    "Parameter",
    "ParameterError",
    "Report",
    "ShapeError",
    "Simulation",
    "SimulationError",
    "Snapshot",
    "Status",
    "UnknownNameError",
    "compare",
    "cylinder",
    "devices",
    "info",
    "joint_term",
    "load_builder",
    "load_model",
    "models",
    "pulley",
    "rng",
    "sphere",
    "validate",
    "via",
]
