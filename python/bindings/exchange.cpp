// Capsules of DLPack over the memory of a batch.   [IA-9]

#include <cstring>
#include <memory>
#include <vector>

#include "casters.hpp"
#include "dlpack.hpp"

namespace flexor::python {
namespace {

/// What a capsule keeps alive. Its deleter runs on any thread, without the interpreter lock: no
/// Python object is in here.
template <class Managed>
struct Holder {
  Managed managed{};
  std::shared_ptr<void> owner;
  std::vector<std::int64_t> shape, strides;

  static void remove(Managed* managed) { delete static_cast<Holder*>(managed->context); }
};

constexpr const char* name_of(const dlpack::ManagedTensor*) { return "dltensor"; }
constexpr const char* name_of(const dlpack::ManagedTensorVersioned*) {
  return "dltensor_versioned";
}

/// Frees what nobody has taken: a consumer renames the capsule.
template <class Managed>
void close_capsule(PyObject* capsule) {
  const char* name = name_of(static_cast<Managed*>(nullptr));
  if (PyCapsule_IsValid(capsule, name)) {
    auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, name));
    managed->deleter(managed);
  }
}

struct View {
  std::uintptr_t address;
  std::vector<std::int64_t> shape, strides;  ///< strides in elements
  dlpack::DataType type;
  bool is_read_only;

  std::int64_t size() const {
    std::int64_t size = 1;
    for (const std::int64_t n : shape) size *= n;
    return size;
  }
};

/// Row-major copy; the view follows it.
std::shared_ptr<void> copy_row_major(View& view) {
  const std::size_t item = view.type.bits / 8u;
  const auto bytes =
      std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(view.size()) * item);
  std::vector<std::int64_t> index(view.shape.size(), 0);
  std::byte* to = bytes->data();
  for (std::int64_t i = 0; i < view.size(); ++i, to += item) {
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < index.size(); ++d) offset += index[d] * view.strides[d];
    std::memcpy(to, reinterpret_cast<const std::byte*>(view.address) + offset * std::int64_t(item),
                item);
    for (std::size_t d = index.size(); d-- > 0;) {
      if (++index[d] < view.shape[d]) break;
      index[d] = 0;
    }
  }
  std::int64_t stride = 1;
  for (std::size_t d = view.shape.size(); d-- > 0; stride *= view.shape[d])
    view.strides[d] = stride;
  view.address = reinterpret_cast<std::uintptr_t>(bytes->data());
  view.is_read_only = false;
  return std::shared_ptr<void>(bytes, bytes->data());
}

template <class Managed>
py::object make_capsule(View view, std::shared_ptr<void> owner, bool is_copied) {
  if (is_copied) owner = copy_row_major(view);
  auto holder = std::make_unique<Holder<Managed>>();
  holder->owner = std::move(owner);
  holder->shape = std::move(view.shape);
  holder->strides = std::move(view.strides);
  std::int64_t size = 1;
  for (const std::int64_t n : holder->shape) size *= n;

  Managed& managed = holder->managed;
  managed.tensor.data = size == 0 ? nullptr : reinterpret_cast<void*>(view.address);
  managed.tensor.device = {dlpack::kCpu, 0};
  managed.tensor.ndim = static_cast<std::int32_t>(holder->shape.size());
  managed.tensor.dtype = view.type;
  managed.tensor.shape = holder->shape.data();
  managed.tensor.strides = holder->strides.data();
  managed.context = holder.get();
  managed.deleter = &Holder<Managed>::remove;
  if constexpr (std::is_same_v<Managed, dlpack::ManagedTensorVersioned>) {
    managed.version = {1, 0};
    managed.flags = (view.is_read_only ? dlpack::kIsReadOnly : 0) |
                    (is_copied ? dlpack::kIsCopied : std::uint64_t{0});
  }
  PyObject* capsule = PyCapsule_New(&managed, name_of(&managed), &close_capsule<Managed>);
  if (capsule == nullptr) throw py::error_already_set();
  holder.release();
  return py::reinterpret_steal<py::object>(capsule);
}

dlpack::DataType type_of(char kind, int item) {
  const std::uint8_t code = kind == 'f'   ? dlpack::kFloat
                            : kind == 'i' ? dlpack::kInt
                                          : dlpack::kUnsigned;
  return {code, static_cast<std::uint8_t>(8 * item), 1};
}

}  // namespace

void bind_exchange(py::module_& m) {
  m.def("copy_of", [](const py::buffer& buffer) {
    const py::buffer_info info = buffer.request();
    const std::span<const std::byte> from = span_of<std::byte>(info);
    const auto bytes = std::make_shared<std::vector<std::byte>>(from.begin(), from.end());
    void* first = bytes->data();
    return py::make_tuple(
        Storage{std::shared_ptr<void>(bytes, first), std::make_shared<Occupancy>()},
        reinterpret_cast<std::uintptr_t>(first));
  });
  py::class_<Storage>(m, "Storage")
      .def("__enter__", [](const Storage& storage) { storage.occupancy->enter(); })
      .def("__exit__", [](const Storage& storage, const py::args&) { storage.occupancy->leave(); })
      .def(
          "to_dlpack",
          [](const Storage& storage, std::uintptr_t address, std::vector<std::int64_t> shape,
             std::vector<std::int64_t> strides, char kind, int item, bool is_read_only,
             bool is_versioned, bool is_copied) {
            View view{address, std::move(shape), std::move(strides), type_of(kind, item),
                      is_read_only};
            return is_versioned ? make_capsule<dlpack::ManagedTensorVersioned>(
                                      std::move(view), storage.owner, is_copied)
                                : make_capsule<dlpack::ManagedTensor>(std::move(view),
                                                                      storage.owner, is_copied);
          },
          py::arg("address"), py::kw_only(), py::arg("shape"), py::arg("strides"), py::arg("kind"),
          py::arg("item"), py::arg("is_read_only"), py::arg("is_versioned"), py::arg("is_copied"));
}

}  // namespace flexor::python
