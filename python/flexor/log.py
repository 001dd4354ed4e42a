"""Messages of the C++ core as records of `logging.getLogger("flexor")`.

Nothing is shown unless the program configures logging (`logging.basicConfig()` shows warnings). Records
have the members code, world and step; of one code at most 10 pass in a minute.
"""

import logging

from flexor import _core

LOGGER = logging.getLogger("flexor")
_LEVELS = {"info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}


def _emit(level: str, code: str, text: str, world: int, step: int) -> None:
    LOGGER.log(_LEVELS[level], "%s", text, extra={"code": code, "world": world, "step": step})


def install() -> None:
    """Send what the core has to say to the logger from now on."""
    LOGGER.addHandler(logging.NullHandler())
    _core.set_log(_emit)
