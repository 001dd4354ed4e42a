"""Mechanics cases 51 and 58: all rows at work on one mass, and a checkpoint in its middle."""

import numpy as np
import scenes


def start(backend, **options):
    run = backend.run(scenes.elastic_scene(), **options)
    run.set("qvel", [0.0, 0.25, 0.0])
    return run


def test_case_51_elastic_scene(backend):
    options = {"tolerance": 1e-12} if backend.device == "reference" else {}
    run = start(backend, **options)
    run.sim.forward()
    run.check("tendon_length", ["1.900553"], 5e-5, is_length=True)
    run.step(1000)
    position = run.get("qpos") + [0.2, 0, 1.05]
    run.near(position, ["-.14940", ".08212", "1.69365"], 5e-5, scale=1.0)
    run.no_status()


def test_case_58_restore_is_bit_identical(backend, tmp_path):
    run = start(backend)
    run.step(500)
    run.sim.save(tmp_path / "half.npz")
    run.step(500)
    first = run.sim.state_hash().copy()
    end = np.array(run.sim.qpos.numpy())
    run.sim.load_state(tmp_path / "half.npz")
    assert run.get("step_count") == 500
    run.step(500)
    assert np.array_equal(run.sim.state_hash(), first)
    assert np.array(run.sim.qpos.numpy()).tobytes() == end.tobytes()
