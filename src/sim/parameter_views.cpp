#include "sim/parameter_views.hpp"

#include <sys/mman.h>

#include "flexor/state/batch_view.hpp"
#include "sim/memory.hpp"

namespace flexor {
namespace {

constexpr std::size_t kPage = 4096;

[[noreturn]] void fail(std::size_t bytes) { refuse_memory("a view of parameters", bytes); }

}  // namespace

Reservation::Reservation(std::size_t bytes) : bytes_(bytes + kPage) {
  void* first =
      mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (first == MAP_FAILED) fail(bytes_);
  data_ = static_cast<std::byte*>(first);
}

Reservation::~Reservation() { munmap(data_, bytes_); }

void Reservation::back(std::size_t first, std::size_t bytes) {
  const std::size_t begin = first / kPage * kPage;
  const std::size_t end = (first + bytes + kPage - 1) / kPage * kPage;
  if (mprotect(data_ + begin, end - begin, PROT_READ | PROT_WRITE) != 0) fail(end - begin);
}

ParameterViews::ParameterViews(std::size_t scalars, long num_worlds, bool is_float)
    : scalars_(scalars),
      num_worlds_(num_worlds),
      world_stride_(flexor::world_stride(num_worlds)),
      is_float_(is_float) {}

std::byte* ParameterViews::column(int address) const {
  return memory_->data() +
         static_cast<std::size_t>(address) * static_cast<std::size_t>(world_stride_) * item_size();
}

ArrayRef ParameterViews::open(const Parameter& parameter) {
  const ParameterInfo& kind = info(parameter.kind);
  const std::size_t bytes = static_cast<std::size_t>(world_stride_) * item_size();
  if (memory_ == nullptr) memory_ = std::make_shared<Reservation>(scalars_ * bytes);
  if (is_open_.empty()) is_open_.assign(scalars_, false);
  if (!is_open_[parameter.address]) {
    memory_->back(static_cast<std::size_t>(parameter.address) * bytes,
                  static_cast<std::size_t>(kind.count) * bytes);
    for (int c = 0; c < kind.count; ++c) is_open_[parameter.address + c] = true;
  }
  ArrayRef ref;
  ref.type = is_float_ ? FieldType::kReal : FieldType::kDouble;
  ref.is_float = is_float_;
  ref.data = column(parameter.address);
  ref.num_worlds = num_worlds_;
  ref.world_stride = world_stride_;
  ref.count = kind.count;
  ref.rank = kind.count == 1 ? 1 : 2;
  ref.unit = kind.unit;
  return ref;
}

double ParameterViews::read(int address, long world) const {
  const std::byte* first = column(address);
  return is_float_ ? static_cast<double>(reinterpret_cast<const float*>(first)[world])
                   : reinterpret_cast<const double*>(first)[world];
}

void ParameterViews::write(int address, long world, double value) {
  std::byte* first = column(address);
  if (is_float_)
    reinterpret_cast<float*>(first)[world] = static_cast<float>(value);
  else
    reinterpret_cast<double*>(first)[world] = value;
}

}  // namespace flexor
