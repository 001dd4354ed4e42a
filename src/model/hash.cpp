// The model's identity: a digest over everything its description says.   [IA-1]

#include <bit>
#include <cmath>
#include <concepts>
#include <cstring>

#include "flexor/model/model.hpp"
#include "io/sha256.hpp"
#include "model/description_members.hpp"

namespace flexor {
namespace {

/// Renders values one after the other, lengths before lists, numbers with all their bits.
class Writer {
 public:
  template <class... Values>
  void put(const Values&... values) {
    (write(values), ...);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void write_bits(std::uint64_t bits) {
    char bytes[8];
    for (int i = 0; i < 8; ++i) bytes[i] = static_cast<char>(bits >> (8 * i));
    bytes_.append(bytes, 8);
  }
  template <std::integral Integer>
  void write(Integer value) {
    write_bits(static_cast<std::uint64_t>(static_cast<std::int64_t>(value)));
  }
  template <class Enum>
  requires std::is_enum_v<Enum>
  void write(Enum value) { write(static_cast<int>(value)); }
  void write(double value) {
    write_bits(std::isnan(value) ? ~std::uint64_t(0) : std::bit_cast<std::uint64_t>(value));
  }
  void write(const std::string& text) {
    write(text.size());
    bytes_ += text;
  }
  void write(const Vec3d& v) { put(v.x, v.y, v.z); }
  void write(const Quatd& q) { put(q.w, q.x, q.y, q.z); }
  void write(const Reference& reference) { write(reference.index); }
  template <std::size_t N>
  void write(const std::array<double, N>& values) {
    for (const double value : values) write(value);
  }
  template <std::size_t N>
  void write(const double (&values)[N]) {
    for (const double value : values) write(value);
  }
  template <class Element>
  void write(const std::vector<Element>& elements) {
    write(elements.size());
    for (const Element& element : elements) write(element);
  }

  void write(const Source&) {}  // where it is written does not enter
  template <class Struct>
  requires requires(const Struct& s) {
    visit_members(s, [](const auto&...) {});
  }
  void write(const Struct& s) {
    visit_members(s, [&](const auto&... members) { put(members...); });
  }

  std::string bytes_;
};

}  // namespace

std::string model_hash(const Model& model) {
  Writer writer;
  writer.put(std::string("flexor model 1"), model.description());
  return io::sha256(writer.bytes()).substr(0, 32);
}

}  // namespace flexor
