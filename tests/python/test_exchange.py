"""Arrays in other libraries' hands: DLPack and the array interface. [IA-9]

PyTorch and JAX themselves: test_tensors.py.
"""

import ctypes
import gc
import sys
import threading

import flexor
import numpy as np
import pytest
from support import kept_fields

WORLDS = 5


class Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64),
    ]  # fmt: skip


class Managed(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class Versioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p), ("flags", ctypes.c_uint64), ("tensor", Tensor),
    ]  # fmt: skip


api = ctypes.pythonapi
api.PyCapsule_GetName.restype = ctypes.c_char_p
api.PyCapsule_GetName.argtypes = [ctypes.py_object]
api.PyCapsule_GetPointer.restype = ctypes.c_void_p
api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
api.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]


def look(capsule):
    """The structure in a capsule as the standard lays it out, and the capsule's name."""
    name = api.PyCapsule_GetName(capsule)
    kind = Versioned if name == b"dltensor_versioned" else Managed
    return kind.from_address(api.PyCapsule_GetPointer(capsule, name)), name.decode()


def facts(tensor):
    return (
        tuple(tensor.shape[: tensor.ndim]),
        tuple(tensor.strides[: tensor.ndim]),
        (tensor.code, tensor.bits, tensor.lanes),
        (tensor.device_type, tensor.device_id),
    )


@pytest.fixture(scope="module")
def model():
    return flexor.models.load("three_joint_finger")


@pytest.fixture
def sim(model):
    return flexor.Simulation(model, WORLDS)


def address(view) -> int:
    return view.ctypes.data


@pytest.mark.parametrize(("precision", "item"), [("float32", 4), ("float64", 8)])
def test_case_1_layout_and_addresses_that_stay(model, precision, item):
    """Shapes, strides and alignment of case 1 of the interfaces, on the model at hand."""
    sim = flexor.Simulation(model, 5, precision=precision)
    tension, sites = sim.tendon_tension.numpy(), sim.site_position.numpy()
    assert tension.shape == (5, model.tendon_count) and tension.strides == (item, 32 * item)
    assert sites.shape == (5, model.site_count, 3) and sites.strides == (item, 96 * item, 32 * item)
    column = sim.tendon_tension.at(1).numpy()
    assert column.shape == (5,) and column.flags.c_contiguous
    names = [n for n in flexor.FIELDS if item == 4 or n != "qpos_compensation"]
    before = {name: address(getattr(sim, name).numpy()) for name in names}
    assert all(at % 256 == 0 for name, at in before.items() if getattr(sim, name).shape[-1])
    sim.step(1000)
    sim.parameter("body/distal/mass").numpy()[:] = 0.01
    sim.commit()
    sim.forward()
    assert before == {name: address(np.from_dlpack(getattr(sim, name))) for name in names}


def test_case_2_every_view_sees_each_write(model):
    sim = flexor.Simulation(model, WORLDS)
    views = [np.from_dlpack(sim.qvel), sim.qvel.numpy(), np.asarray(sim.qvel)]
    for i, writer in enumerate(views):
        writer[:] = i + 1
        assert all(np.all(view == i + 1) for view in views)
    assert len({address(view) for view in views}) == 1
    assert all(view.strides == sim.qvel.strides for view in views)
    del sim, writer, views[1:]
    gc.collect()
    view = views[0]
    other = [flexor.Simulation(model, WORLDS) for _ in range(3)]  # would take freed memory
    assert np.all(view == 3)
    view[:] = 7
    assert np.all(view == 7) and other


@pytest.mark.parametrize("extra", ["torch", "jax"])
def test_a_library_that_is_missing_is_an_import_error(sim, monkeypatch, extra):
    monkeypatch.setitem(sys.modules, extra, None)
    with pytest.raises(
        flexor.MissingExtraError, match=rf"pip install 'flexor\[{extra}\]'"
    ) as error:
        getattr(sim.qvel, extra)()
    assert isinstance(error.value, ImportError)


def test_case_3_capsules(sim):
    at = address(sim.qvel.numpy())
    capsule = sim.qvel.__dlpack__()
    legacy, name = look(capsule)
    assert name == "dltensor" and legacy.tensor.data == at

    capsule = sim.qvel.__dlpack__(max_version=(1, 0))
    managed, name = look(capsule)
    assert name == "dltensor_versioned"
    assert (managed.major, managed.minor, managed.flags) == (1, 0, 0)
    assert managed.tensor.data == at
    assert facts(managed.tensor) == ((5, 3), (1, 32), (2, 32, 1), (1, 0))

    capsule = sim.qvel.__dlpack__(max_version=(1, 0), copy=True)
    managed, _ = look(capsule)
    assert managed.flags == 2 and managed.tensor.data != at
    assert facts(managed.tensor)[1] == (3, 1)  # row-major

    with pytest.raises(ValueError, match="stream"):
        sim.qvel.__dlpack__(stream=0)
    assert sim.qvel.__dlpack_device__() == (1, 0)


@pytest.mark.parametrize("version, name", [(None, "dltensor"), ((0, 8), "dltensor"),
                                           ((1, 0), "dltensor_versioned"),
                                           ((1, 2), "dltensor_versioned"),
                                           ((2, 0), "dltensor_versioned")])  # fmt: skip
def test_capsule_is_what_the_consumer_understands(sim, version, name):
    capsule = sim.time.__dlpack__(max_version=version)
    assert look(capsule)[1] == name


def test_read_outs_are_marked(sim):
    for field, flag in (("tendon_length", 1), ("status", 0), ("drive_force", 0), ("time", 0)):
        capsule = getattr(sim, field).__dlpack__(max_version=(1, 0))
        assert look(capsule)[0].flags == flag, field
        assert np.from_dlpack(getattr(sim, field)).flags.writeable == (flag == 0), field


@pytest.mark.parametrize("device, precision", [("reference", None), ("cpu", "float32"), ("cpu", "float64")])  # fmt: skip
def test_every_array_arrives_whole(model, device, precision):
    """Type, shape, strides and values of all fields; copies too."""
    sim = flexor.Simulation(model, 3, device=device, precision=precision)
    sim.step(5)
    for name in kept_fields(sim):
        array = getattr(sim, name)
        seen, copied = np.from_dlpack(array), np.from_dlpack(array, copy=True)
        assert seen.dtype == array.dtype and seen.shape == array.shape, name
        assert seen.size == 0 or seen.strides == array.strides, name
        assert np.array_equal(seen, array.numpy()) and np.array_equal(copied, seen), name
        assert copied.flags.c_contiguous and not np.shares_memory(copied, seen)
        assert copied.flags.writeable
    column = np.from_dlpack(sim.site_position.at(1))
    assert np.array_equal(column, sim.site_position.numpy()[:, 1])


def test_empty_arrays_have_no_address():
    b = flexor.ModelBuilder()
    b.add_point_mass("mass", (0, 0, 1), 2.0)
    sim = flexor.Simulation(b.finalize(), 3)
    capsule = sim.tendon_length.__dlpack__(max_version=(1, 0))
    managed, _ = look(capsule)
    assert managed.tensor.data is None and facts(managed.tensor)[0] == (3, 0)
    assert np.from_dlpack(sim.tendon_length).shape == (3, 0)
    assert np.from_dlpack(sim.tendon_length, copy=True).shape == (3, 0)


@pytest.mark.parametrize(
    "wrong, error, words",
    [
        ({"stream": "a"}, TypeError, "stream"),
        ({"stream": -2}, ValueError, "stream"),
        ({"max_version": 1}, TypeError, "max_version"),
        ({"max_version": (1, 0, 0)}, ValueError, "max_version"),
        ({"dl_device": (2, 0)}, BufferError, "dl_device"),
        ({"dl_device": (1, 1)}, BufferError, "dl_device"),
        ({"copy": 1}, TypeError, "copy"),
    ],
)
def test_requests_that_cannot_be_met(sim, wrong, error, words):
    with pytest.raises(error, match=words):
        sim.qvel.__dlpack__(**wrong)


def test_requests_that_can_be_met(sim):
    at = address(sim.qvel.numpy())
    for request in ({"stream": -1}, {"stream": 2}, {"dl_device": (1, 0)}, {"copy": False}):
        capsule = sim.qvel.__dlpack__(**request)
        assert look(capsule)[0].tensor.data == at, request


def test_the_consumer_frees_on_any_thread(model):
    """A renamed capsule is the consumer's: its deleter is called once, from a thread that does not
    hold the interpreter."""
    sim = flexor.Simulation(model, WORLDS)
    view = sim.qvel.numpy()
    capsule = sim.qvel.__dlpack__(max_version=(1, 0))
    managed, _ = look(capsule)
    used = ctypes.c_char_p(b"used_dltensor_versioned")
    api.PyCapsule_SetName(capsule, used)
    at = ctypes.addressof(managed)
    deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(managed.deleter)  # releases the interpreter
    del sim, capsule
    gc.collect()
    thread = threading.Thread(target=deleter, args=(at,))
    thread.start()
    thread.join()
    view[:] = 1  # the view has an owner of its own
    assert np.all(view == 1)


def test_capsules_nobody_takes_free_themselves(model):
    sim = flexor.Simulation(model, 4096)
    for version in (None, (1, 0)):
        for _ in range(2000):  # a leak of copies would be 2000 x 48 kB
            sim.qvel.__dlpack__(max_version=version, copy=True)
    resident = int(open("/proc/self/statm").read().split()[1]) * 4096
    for _ in range(2000):
        sim.qvel.__dlpack__(copy=True)
        np.from_dlpack(sim.qvel, copy=True)
    grown = int(open("/proc/self/statm").read().split()[1]) * 4096 - resident
    assert grown < 50e6


def test_array_interface_aliases(sim):
    interface = sim.qvel.__array_interface__
    assert interface["version"] == 3 and interface["strides"] == (4, 128)
    assert interface["data"] == (address(sim.qvel.numpy()), False)
    assert sim.tendon_length.__array_interface__["data"][1] is True
    assert np.shares_memory(np.asarray(sim.qvel), sim.qvel.numpy())
    assert not hasattr(sim.qvel, "__cuda_array_interface__")


def test_views_outlive_close(sim):
    view = np.from_dlpack(sim.qvel)
    sim.close()
    view[:] = 3
    assert np.all(sim.qvel.numpy() == 3)
