"""Tensors of PyTorch and JAX: the same memory, and as masks, values and commands. [IA-9]

Needs the packages (`scripts/test --extras` installs them); without them these tests are skipped.
"""

import flexor
import numpy as np
import pytest
from support import kept_fields

WORLDS = 5


@pytest.fixture(scope="module")
def torch():
    return pytest.importorskip("torch", reason="torch is not installed (scripts/test --extras)")


@pytest.fixture(scope="module")
def jax():
    return pytest.importorskip("jax", reason="jax is not installed (scripts/test --extras)")


@pytest.fixture(scope="module")
def model():
    return flexor.models.load("three_joint_finger")


@pytest.fixture
def sim(model):
    return flexor.Simulation(model, WORLDS)


def as_torch(torch, values):
    return torch.from_numpy(np.array(values))


def as_jax(jax, values):
    return jax.numpy.asarray(np.array(values))


@pytest.fixture(params=["torch", "jax"])
def tensor(request):
    """Makes a tensor of that library from NumPy numbers."""
    library = request.getfixturevalue(request.param)
    make = {"torch": as_torch, "jax": as_jax}[request.param]
    return lambda values: make(library, values)


# --- the same memory, torch ---


def test_case_2_a_torch_tensor_sees_each_write_and_outlives_the_simulation(model, torch):
    sim = flexor.Simulation(model, WORLDS)
    views = [sim.qvel.numpy(), np.from_dlpack(sim.qvel)]
    tensors = [torch.from_dlpack(sim.qvel), sim.qvel.torch(), torch.as_tensor(np.asarray(sim.qvel))]
    for i, writer in enumerate(views + tensors):
        writer[:] = i + 1
        assert all(np.all(view == i + 1) for view in views)
        assert all(bool((t == i + 1).all()) for t in tensors)
    assert len({t.data_ptr() for t in tensors} | {v.ctypes.data for v in views}) == 1
    assert tensors[0].stride() == (1, 32) and tensors[0].shape == (5, 3)
    kept = tensors[0]
    del sim, writer, views, tensors
    others = [flexor.Simulation(model, WORLDS) for _ in range(3)]  # would take freed memory
    assert bool((kept == 5).all()) and others
    kept[:] = 7
    assert bool((kept == 7).all())


def test_case_3_torch_takes_both_kinds_of_capsules(sim, torch):
    at = sim.qvel.numpy().ctypes.data
    for request in ({}, {"max_version": (1, 0)}, {"dl_device": (1, 0)}, {"copy": False}):
        assert torch.from_dlpack(sim.qvel.__dlpack__(**request)).data_ptr() == at, request
    copied = torch.from_dlpack(sim.qvel.__dlpack__(max_version=(1, 0), copy=True))
    assert copied.data_ptr() != at and copied.is_contiguous()
    copied[:] = 9
    assert np.all(sim.qvel.numpy() == 0)
    assert torch.from_dlpack(sim.qvel, copy=True).data_ptr() != at
    assert torch.from_dlpack(sim.qvel, device="cpu", copy=False).data_ptr() == at
    assert torch.utils.dlpack.from_dlpack(sim.qvel).data_ptr() == at


def test_what_torch_writes_the_next_step_reads(model, torch):
    by_torch, by_numpy = flexor.Simulation(model, WORLDS), flexor.Simulation(model, WORLDS)
    force = by_torch.drive_force.torch()
    for step in range(20):
        force.copy_(torch.linspace(-0.5, -3 - step / 50, force.numel()).reshape(force.shape))
        by_numpy.drive_force.set(force.numpy())
        for sim in (by_torch, by_numpy):
            sim.step()
    assert np.array_equal(by_torch.state_hash(), by_numpy.state_hash())
    assert torch.allclose(by_torch.tendon_drive_force.torch(), force)


def test_torch_tensors_of_every_array(model, torch):
    for precision, real in (("float32", torch.float32), ("float64", torch.float64)):
        sim = flexor.Simulation(model, 3, precision=precision)
        sim.step(2)
        for name in kept_fields(sim):
            array = getattr(sim, name)
            tensor = array.torch()
            assert tensor is array.torch() and not tensor.requires_grad, name
            assert tuple(tensor.shape) == array.shape, name
            assert np.array_equal(tensor.numpy(), array.numpy()), name
        assert sim.qpos.torch().dtype == real and sim.time.torch().dtype == torch.float64
        assert sim.step_count.torch().dtype == torch.int64
        assert sim.status.torch().dtype == torch.int32
        assert sim.tendon_enabled.torch().dtype == torch.uint8


def test_torch_tensor_of_one_component(sim, torch):
    column = sim.drive_force.at("deep").torch()
    assert column.shape == (WORLDS,) and column.is_contiguous()
    column -= 3
    assert np.all(sim.drive_force.at("deep").numpy() == -3)
    assert np.count_nonzero(sim.drive_force.numpy()) == WORLDS
    points = sim.site_position.at(1).torch()
    assert points.shape == (WORLDS, 3)


def test_read_outs_may_be_written_and_are_overwritten(sim, torch):
    sim.step()
    before = sim.tendon_length.copy()
    sim.tendon_length.torch()[:] = -1
    sim.forward()
    assert np.array_equal(sim.tendon_length.numpy(), before)


# --- the same memory, jax ---


def test_jax_copies_unless_told_not_to(sim, jax):
    sim.qpos.set(0.25)
    copied = sim.qpos.jax()
    assert isinstance(copied, jax.Array) and copied.shape == (WORLDS, 3)
    assert copied.dtype == np.float32
    column = sim.qpos.at(0).jax(copy=False)
    sim.qpos.set(0.5)
    assert np.all(np.asarray(copied) == 0.25)
    assert np.all(np.asarray(column) == 0.5), "the memory itself"
    assert column.unsafe_buffer_pointer() == sim.qpos.at(0).numpy().ctypes.data
    assert np.all(np.asarray(sim.qpos.jax(copy=True)) == 0.5)


def test_jax_keeps_memory_alive(model, jax):
    sim = flexor.Simulation(model, WORLDS)
    sim.time.set(1.5)
    sim.qvel.set(0.75)
    kept = sim.qvel.at(2).jax(copy=False)
    del sim
    others = [flexor.Simulation(model, WORLDS) for _ in range(3)]
    assert np.all(np.asarray(kept) == 0.75) and others


def test_jax_without_a_copy_where_it_cannot_is_a_buffer_error(sim, jax):
    """JAX takes no memory with gaps: a column of 5 worlds is whole, a table of them is not."""
    with pytest.raises(BufferError, match=r"array qpos\.jax: copy=False.*copy=None"):
        sim.qpos.jax(copy=False)
    whole = flexor.Simulation(sim.model, 32)  # the smallest batch without padding
    for array in (whole.qpos, whole.site_position):
        assert array.jax(copy=False).unsafe_buffer_pointer() == array.numpy().ctypes.data


# --- tensors as arguments ---


def test_tensors_as_masks(sim, tensor):
    for mask in (tensor([True, False, True, False, False]),
                 tensor(np.array([1, 0, 1, 0, 0], np.uint8)), tensor([2, 0])):  # fmt: skip
        sim.step(mask=mask)
    assert sim.step_count.numpy().tolist() == [3, 0, 3, 0, 0]
    sim.reset(tensor([True, False, False, False, False]), qpos=tensor(np.float32([0.1, 0.2, 0.3])))
    assert sim.step_count.numpy().tolist() == [0, 0, 3, 0, 0]
    assert np.allclose(sim.qpos.numpy()[0], [0.1, 0.2, 0.3])
    sim.status.numpy()[:] = 4
    sim.clear_status(tensor([False, True, True, True, True]))
    assert sim.status.numpy().tolist() == [4, 0, 0, 0, 0]


def test_tensors_as_values(sim, tensor):
    values = np.arange(15, dtype=np.float32).reshape(5, 3)
    sim.qpos.set(tensor(values))
    assert np.array_equal(sim.qpos.numpy(), values)
    sim.qvel.set(tensor(values[:2]), worlds=tensor([4, 1]))
    assert np.array_equal(sim.qvel.numpy()[[4, 1]], values[:2])
    sim.qvel.at(0).set(tensor(np.float32(8)), worlds=tensor([False, False, True, False, False]))
    assert sim.qvel.numpy()[2].tolist() == [8, 0, 0]
    sim.set_parameter("tendon/deep/stiffness", tensor(np.float32([1, 2, 3, 4, 5])))
    assert sim.parameter("tendon/deep/stiffness").get().tolist() == [1, 2, 3, 4, 5]
    sim.set_tension("deep", tensor(np.float32([1, 2])), worlds=[0, 1])
    assert sim.drive_force.at("deep").numpy().tolist() == [-1, -2, 0, 0, 0]


def test_tensors_as_commands_of_a_rollout(model, tensor):
    given = -np.random.default_rng(3).uniform(0, 5, (WORLDS, 7, 4)).astype(np.float32)
    runs = []
    for commands in (given, tensor(given)):
        sim = flexor.Simulation(model, WORLDS)
        runs.append(sim.rollout(7, {"drive_force": commands}, record=["qpos"])["qpos"])
    assert np.array_equal(*runs) and np.ptp(runs[0]) > 0


@pytest.mark.parametrize("call", ["set", "mask", "reset", "rollout", "parameter"])
@pytest.mark.parametrize("kind", ["gradient", "bfloat16", "meta", "sparse", "complex"])
def test_tensors_without_plain_numbers_change_nothing(sim, torch, kind, call):
    """What NumPy cannot read is an ArgumentError, and gradients are not lost without a word."""
    make = {
        "gradient": lambda x: x.requires_grad_(),
        "bfloat16": lambda x: x.to(torch.bfloat16),
        "meta": lambda x: x.to("meta"),
        "sparse": lambda x: x.to_sparse(),
        "complex": lambda x: x.to(torch.complex64),
    }[kind]
    calls = {
        "set": lambda: sim.qpos.set(make(torch.ones(WORLDS, 3))),
        "mask": lambda: sim.step(mask=make(torch.ones(WORLDS))),
        "reset": lambda: sim.reset(qpos=make(torch.ones(3))),
        "rollout": lambda: sim.rollout(2, {"drive_force": make(torch.ones(WORLDS, 2, 4))}),
        "parameter": lambda: sim.set_parameter("tendon/deep/stiffness", make(torch.ones(WORLDS))),
    }
    before = sim.state_hash()
    with pytest.raises(flexor.ArgumentError) as caught:
        calls[call]()
    text = str(caught.value)
    assert "torch." in text or "Tensor" in text
    assert "legal: " in text and len(text) < 400
    if kind == "gradient":
        assert "detach" in text
    assert np.array_equal(sim.state_hash(), before)
    assert np.all(sim.parameter("tendon/deep/stiffness").get() == 120)
