"""What the core says goes to the logger "flexor", and nowhere unless the program asks."""

import logging
import subprocess
import sys

import flexor
import numpy as np
import pytest


@pytest.fixture
def quiet():
    """The counts of messages start anew."""
    flexor.log.install()
    yield
    flexor.log.install()


def broken(worlds=6, **options):
    sim = flexor.Simulation(flexor.models.load("two_joint_arm"), worlds, **options)
    sim.step(3)
    sim.qvel.numpy()[4, 0] = np.nan
    return sim


def test_the_guard_is_heard(quiet, caplog):
    with caplog.at_level(logging.WARNING, "flexor"):
        sim = broken()
        sim.step(5)
        broken(guard="reset").step()
    first, second = caplog.records
    assert first.name == "flexor" and first.levelno == logging.WARNING
    assert (first.code, first.world, first.step) == ("guard-freeze", 4, 3)
    assert "world 4: NONFINITE_STATE" in first.getMessage()
    assert (second.code, second.world) == ("guard-reset", 4)


def test_at_most_ten_of_a_kind(quiet, caplog):
    with caplog.at_level(logging.WARNING, "flexor"):
        sim = broken(100)
        sim.qvel.numpy()[:] = np.nan
        sim.step()
    assert [record.world for record in caplog.records] == list(range(10))


def test_a_listener_that_fails_stops_no_step(quiet, monkeypatch):
    seen = []
    monkeypatch.setattr(sys, "unraisablehook", lambda error: seen.append(str(error.exc_value)))

    def refuse(record):
        raise RuntimeError("no")

    flexor.log.LOGGER.addFilter(refuse)
    try:
        sim = broken()
        sim.step(2)
    finally:
        flexor.log.LOGGER.removeFilter(refuse)
    assert seen == ["no"]
    assert sim.step_count.numpy().tolist() == [5, 5, 5, 5, 3, 5]


def test_nothing_is_printed_unless_logging_is_configured():
    code = (
        "import {0}flexor, numpy as np\n{1}"
        "sim = flexor.Simulation(flexor.models.load('two_joint_arm'))\n"
        "sim.qvel.numpy()[:] = np.nan\nsim.step()\n"
    )
    runs = [
        subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
        for text in (
            code.format("", ""),
            code.format("logging, ", "logging.basicConfig()\n"),
        )
    ]
    assert runs[0].stdout + runs[0].stderr == ""
    assert runs[1].stdout == "" and "WARNING:flexor:world 0: NONFINITE_STATE" in runs[1].stderr
