"""One call at a time, Ctrl-C between blocks of steps, and processes that fork."""

import logging
import os
import signal
import threading

import flexor
import numpy as np
import pytest


@pytest.fixture(scope="module")
def model():
    return flexor.models.load("three_joint_finger")


def every_call(sim, file):
    """{label: call} of all that reads or writes the state of a simulation."""
    snapshot = sim.get_state()
    parameter = sim.parameter("tendon/deep/stiffness")
    return {
        "step": sim.step,
        "forward": sim.forward,
        "rollout": lambda: sim.rollout(1),
        "reset": sim.reset,
        "clear_status": sim.clear_status,
        "failed": sim.failed,
        "profile": lambda: sim.profile(1),
        "memory": sim.memory,
        "guard_resets": lambda: sim.guard_resets,
        "parameter.get": parameter.get,
        "parameter.set": lambda: parameter.set(1.0),
        "set_parameter": lambda: sim.set_parameter("tendon/deep/stiffness", 1.0),
        "commit": sim.commit,
        "parameter.numpy": parameter.numpy,
        "parameter.is_per_world": lambda: parameter.is_per_world,
        "capture": lambda: sim.capture()(),
        "synchronize": sim.synchronize,
        "capture_reference": sim.capture_reference,
        "set_tension": lambda: sim.set_tension("deep", 1.0),
        "set_actuation_force": lambda: sim.set_actuation_force("deep", -1.0),
        "mass_matrix": sim.mass_matrix,
        "bias_force": sim.bias_force,
        "jacobian": lambda: sim.jacobian("distal"),
        "save": lambda: sim.save(file),
        "load_state": lambda: sim.load_state(file),
        "dump": lambda: sim.dump(None, file),
        "get_state": sim.get_state,
        "set_state": lambda: sim.set_state(snapshot),
        "clone_worlds": lambda: sim.clone_worlds(0, 1),
        "state_hash": sim.state_hash,
        "array.set": lambda: sim.qpos.set(0.0),
        "array.at.set": lambda: sim.drive_force.at(0).set(0.0),
        "body_wrench": lambda: sim.body_wrench,
        "close": sim.close,
    }


class Inside(logging.Handler):
    """Runs something in the middle of a step: the guard's message comes from there."""

    def __init__(self, act):
        super().__init__()
        self.act = act

    def emit(self, record):
        self.act()


def step_and_meanwhile(sim, act):
    """A step in which a world fails, and act() while it runs."""
    flexor.log.install()
    handler = Inside(act)
    flexor.log.LOGGER.addHandler(handler)
    try:
        sim.qvel.numpy()[1] = np.nan
        sim.step(3)
    finally:
        flexor.log.LOGGER.removeHandler(handler)


def test_case_13_every_call_is_refused_while_one_runs(model, tmp_path):
    sim, alone = (flexor.Simulation(model, 4, history=1) for _ in range(2))
    os.environ["FLEXOR_DUMP_FOLDER"] = str(tmp_path)
    calls = every_call(sim, tmp_path / "run.npz")
    refused = set()

    def try_all():
        for label, call in calls.items():
            try:
                call()
            except flexor.ConcurrencyError:
                refused.add(label)

    def from_another_thread():
        worker = threading.Thread(target=try_all)
        worker.start()
        worker.join()

    try:
        step_and_meanwhile(sim, from_another_thread)
        step_and_meanwhile(alone, lambda: None)
    finally:
        del os.environ["FLEXOR_DUMP_FOLDER"]
    assert refused == set(calls)
    assert np.array_equal(sim.state_hash(), alone.state_hash())
    assert not (tmp_path / "run.npz").exists()


def test_the_list_of_calls_is_whole(model, tmp_path):
    sim = flexor.Simulation(model, 2)
    public = {
        name for name, member in vars(flexor.Simulation).items()
        if name[0] != "_" and callable(member)
    }  # fmt: skip
    assert public - set(every_call(sim, tmp_path / "run.npz")) == {"parameter"}, "names a parameter"


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_case_13_simulations_in_two_threads_do_not_mind_each_other(model, precision):
    def run(seed, results):
        sim = flexor.Simulation(model, 65, precision=precision, num_threads=2)
        sim.drive_force.set(-np.random.default_rng(seed).random((65, model.tendon_count)))
        for _ in range(20):
            sim.step(5)
        results[seed] = sim.state_hash()

    alone, together = {}, {}
    for seed in range(4):
        run(seed, alone)
    threads = [threading.Thread(target=run, args=(seed, together)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for seed in range(4):
        np.testing.assert_array_equal(alone[seed], together[seed])


@pytest.mark.parametrize("call", ["step", "rollout", "profile"])
def test_a_signal_is_heard_between_blocks_of_steps(model, call):
    """What the handler raises ends the call long before its last step; the simulation goes on."""
    sim = flexor.Simulation(model, 8, num_threads=1)

    def stop(number, frame):
        raise KeyboardInterrupt

    old = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        with pytest.raises(KeyboardInterrupt):
            getattr(sim, call)(2**31 - 1)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    before = sim.step_count.numpy().copy()
    assert len(set(before.tolist())) == 1 and before[0] > 0
    sim.step(2)
    assert np.array_equal(sim.step_count.numpy(), before + 2)


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_a_forked_process_goes_on_with_threads_of_its_own(model, precision):
    sim = flexor.Simulation(model, 300, num_threads=2, precision=precision)
    sim.step(5)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            sim.step(5)
            os.write(write, sim.state_hash().tobytes())
        finally:
            os._exit(0)
    os.close(write)
    sim.step(5)
    with os.fdopen(read, "rb") as pipe:
        theirs = pipe.read()
    os.waitpid(child, 0)
    assert theirs == sim.state_hash().tobytes()
