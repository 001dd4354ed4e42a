"""MuJoCo 4.x as the other side of `vs_mujoco.py`: its own two ways to step many worlds."""

from __future__ import annotations

import pathlib
import time

import mujoco
import numpy as np
from mujoco.batch import Batch
from mujoco.rollout import Rollout


def load(file: pathlib.Path) -> mujoco.MjModel:
    """The file's model with one motor on each tendon: control = force [N], positive lengthens. The
    files have none, since flexor's tendons have drives of their own."""
    spec = mujoco.MjSpec.from_file(str(file))
    for tendon in spec.tendons:
        motor = spec.add_actuator(name=f"drive_{tendon.name}")
        motor.trntype = mujoco.mjtTrn.mjTRN_TENDON
        motor.target = tendon.name
        motor.set_to_motor()
    return spec.compile()


class BatchSide:
    """`mujoco.batch`: stepped one by one; tendon lengths and drive forces are copied out, one step
    behind the state, as always in MuJoCo."""

    name = "mujoco.batch"

    def __init__(self, model, commands, threads: int):
        self.commands, self.next = commands, 0
        self.batch = Batch(model, len(commands[0]), threads)
        self.ctrl = self.batch.bind("ctrl")
        self.outputs = [self.batch.bind(name) for name in ("ten_length", "actuator_force")]

    def run(self, steps: int) -> float:
        """Seconds for `steps` steps of all worlds."""
        begin = time.perf_counter()
        for i in range(self.next, self.next + steps):
            self.ctrl[...] = self.commands[i % len(self.commands)]
            self.batch.step()
        self.next += steps
        return time.perf_counter() - begin

    def bad_worlds(self) -> int:
        return int(np.count_nonzero(~np.all(np.isfinite(self.batch.state), axis=1)))


class RolloutSide:
    """`mujoco.rollout`: takes the commands of many steps in one call, which no policy can give. It is
    handed them step by step all the same, into the array that the call reads. The states of all
    steps come back in an array that is made once."""

    name = "mujoco.rollout"

    def __init__(self, model, commands, threads: int):
        self.commands, self.next, self.model = commands, 0, model
        worlds, motors = commands[0].shape
        self.data = [mujoco.MjData(model) for _ in range(threads)]
        self.rollout = Rollout(nthread=threads if threads > 1 else 0)
        kind = mujoco.mjtState.mjSTATE_FULLPHYSICS
        first = np.empty(mujoco.mj_stateSize(model, kind))
        mujoco.mj_getState(model, self.data[0], first, kind)
        self.state = np.tile(first, (worlds, 1))
        # arrays of full length, and of the lengths that have been asked for
        self.buffers = {}
        self.shapes = (worlds, motors, len(first))

    def run(self, steps: int) -> float:
        """Seconds for `steps` steps of all worlds."""
        sizes = [len(self.commands)] * (steps // len(self.commands))
        sizes += [rest] if (rest := steps % len(self.commands)) else []
        worlds, motors, width = self.shapes
        for size in sizes:
            if size not in self.buffers:
                self.buffers[size] = (
                    np.empty((worlds, size, motors)),
                    np.empty((worlds, size, width)),
                )
        begin = time.perf_counter()
        for size in sizes:
            control, states = self.buffers[size]
            for i in range(size):
                control[:, i] = self.commands[(self.next + i) % len(self.commands)]
            self.rollout.rollout(
                self.model, self.data, self.state, control, nstep=size, state=states
            )
            self.state[...] = states[:, -1]
            self.next += size
        return time.perf_counter() - begin

    def bad_worlds(self) -> int:
        return int(np.count_nonzero(~np.all(np.isfinite(self.state), axis=1)))
