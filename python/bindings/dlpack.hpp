#pragma once
// The structures of DLPack 1.0 (dmlc.github.io/dlpack), frozen by that standard: memory that
// another library may look at without a copy.   [IA-9]

#include <cstdint>

namespace flexor::python::dlpack {

struct Version {
  std::uint32_t major, minor;
};
struct Device {
  std::int32_t type, id;
};
struct DataType {
  std::uint8_t code, bits;
  std::uint16_t lanes;
};
struct Tensor {
  void* data;
  Device device;
  std::int32_t ndim;
  DataType dtype;
  std::int64_t* shape;
  std::int64_t* strides;  ///< in elements
  std::uint64_t byte_offset;
};
/// Before version 1.0: capsule "dltensor".
struct ManagedTensor {
  Tensor tensor;
  void* context;
  void (*deleter)(ManagedTensor*);
};
/// Since version 1.0: capsule "dltensor_versioned".
struct ManagedTensorVersioned {
  Version version;
  void* context;
  void (*deleter)(ManagedTensorVersioned*);
  std::uint64_t flags;
  Tensor tensor;
};

inline constexpr std::int32_t kCpu = 1;
inline constexpr std::uint8_t kInt = 0, kUnsigned = 1, kFloat = 2;
inline constexpr std::uint64_t kIsReadOnly = 1, kIsCopied = 2;

}  // namespace flexor::python::dlpack
