"""What a simulation has to be made with to go on where a file stopped."""

from __future__ import annotations

from flexor import _core
from flexor.errors import CheckpointError
from flexor.model import Model

#: options whose defaults depend on device and precision
_CHOSEN_BY_DEVICE = ("solver", "iterations", "tolerance")


def resume(
    path: str, model: Model | None, num_worlds: int | None, options: dict
) -> tuple[Model, dict]:
    """Model and options for `Simulation`; arguments as of `Simulation.load`."""
    saved_hash, saved = _core.checkpoint_info(path)
    if model is None:
        model = Model(_core.checkpoint_model(path))
    elif model.hash != saved_hash:
        raise CheckpointError(
            f"{path}: checkpoint of another model, with hash {saved_hash!r}; legal: the model "
            f"with that hash (given: {model.name!r}, {model.hash!r}), or none for the file's own"
        )
    if num_worlds not in (None, saved["num_worlds"]) and saved["num_worlds"] != 1:
        raise CheckpointError(
            f"{path}: checkpoint of num_worlds {saved['num_worlds']}, {num_worlds} asked for; "
            "legal: as many, or a checkpoint of one world, which goes to all"
        )
    resumed = {**saved, **options}
    if num_worlds is not None:
        resumed["num_worlds"] = num_worlds
    if options.get("device") == "reference":
        resumed["precision"] = options.get("precision", "float64")  # its only one
    if any(resumed[key] != saved[key] for key in ("device", "precision")):
        for key in _CHOSEN_BY_DEVICE:
            if key not in options:
                del resumed[key]
    return model, resumed
