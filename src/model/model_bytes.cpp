// A model as bytes, and back: every member of its description and its report, with all bits.
// Numbers are 8 bytes, little endian; texts and lists begin with their length.

#include <bit>
#include <concepts>
#include <cstring>
#include <type_traits>

#include "flexor/model/builder.hpp"
#include "io/sha256.hpp"
#include "model/description_members.hpp"

namespace flexor {

static_assert(std::endian::native == std::endian::little);

template <Is<Source> T, class Visit>
void visit_members(T& s, Visit&& visit) {
  visit(s.file, s.line, s.column);
}
template <Is<Reference> T, class Visit>
void visit_members(T& r, Visit&& visit) {
  visit(r.name, r.index, r.source);
}
template <Is<Vec3d> T, class Visit>
void visit_members(T& v, Visit&& visit) {
  visit(v.x, v.y, v.z);
}
template <Is<Quatd> T, class Visit>
void visit_members(T& q, Visit&& visit) {
  visit(q.w, q.x, q.y, q.z);
}
template <Is<Problem> T, class Visit>
void visit_members(T& p, Visit&& visit) {
  visit(p.severity, p.code, p.message, p.source, p.element, p.name, p.attribute, p.value, p.hint,
        p.count);
}
template <Is<ReportItem> T, class Visit>
void visit_members(T& i, Visit&& visit) {
  visit(i.bin, i.ignored_class, i.problem, i.places);
}
template <Is<ReportFile> T, class Visit>
void visit_members(T& f, Visit&& visit) {
  visit(f.path, f.role, f.bytes, f.sha256, f.from);
}
template <Is<Report> T, class Visit>
void visit_members(T& r, Visit&& visit) {
  visit(r.file, r.format, r.model, r.strict, r.ok, r.files, r.read, r.approximated, r.rejected,
        r.total, r.ignored, r.counts, r.items);
}
template <Is<std::pair<std::string, double>> T, class Visit>
void visit_members(T& p, Visit&& visit) {
  visit(p.first, p.second);
}

namespace {

const std::string kModelMark = "flexor model bytes 1", kBuilderMark = "flexor builder bytes 1";

template <class T>
concept Number = std::is_arithmetic_v<T> || std::is_enum_v<T>;

class Writer {
 public:
  template <class T>
  void put(const T& value) {
    if constexpr (std::same_as<T, double>) {
      put_bits(std::bit_cast<std::uint64_t>(value));
    } else if constexpr (Number<T>) {
      put_bits(static_cast<std::uint64_t>(static_cast<std::int64_t>(value)));
    } else if constexpr (std::same_as<T, std::string>) {
      put(value.size());
      bytes_ += value;
    } else if constexpr (requires { value.capacity(); }) {
      put(value.size());
      for (const auto& element : value) put(element);
    } else if constexpr (requires { std::begin(value); }) {
      for (const auto& element : value) put(element);
    } else {
      visit_members(value, [&](const auto&... members) { (put(members), ...); });
    }
  }
  std::string take() { return std::move(bytes_); }

 private:
  void put_bits(std::uint64_t bits) {
    bytes_.append(reinterpret_cast<const char*>(&bits), sizeof bits);
  }
  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  void get(T& value) {
    if constexpr (std::same_as<T, double>) {
      value = std::bit_cast<double>(get_bits());
    } else if constexpr (Number<T>) {
      value = static_cast<T>(static_cast<std::int64_t>(get_bits()));
    } else if constexpr (std::same_as<T, std::string>) {
      value = get_text(get_count());
    } else if constexpr (requires { value.capacity(); }) {
      value.resize(get_count());
      for (auto& element : value) get(element);
    } else if constexpr (requires { std::begin(value); }) {
      for (auto& element : value) get(element);
    } else {
      visit_members(value, [&](auto&... members) { (get(members), ...); });
    }
  }
  void expect(const std::string& mark) {
    std::string found;
    get(found);
    if (found != mark) damaged();
  }
  std::string_view rest() const { return bytes_; }
  [[noreturn]] static void damaged() {
    throw ConfigError("these bytes are no model of this version; legal: what to_bytes gave");
  }

 private:
  std::string_view get_text(std::size_t count) {
    if (count > bytes_.size()) damaged();
    const std::string_view text = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return text;
  }
  std::uint64_t get_bits() {
    std::uint64_t bits;
    std::memcpy(&bits, get_text(sizeof bits).data(), sizeof bits);
    return bits;
  }
  /// Every element of a list takes a byte at least.
  std::size_t get_count() {
    const std::uint64_t count = get_bits();
    if (count > bytes_.size()) damaged();
    return static_cast<std::size_t>(count);
  }
  std::string_view bytes_;
};

}  // namespace

namespace {

/// Behind a mark and a digest, so that damaged bytes are no model.
std::string sealed(const std::string& mark, const std::string& content) {
  Writer writer;
  writer.put(mark);
  writer.put(io::sha256(content));
  return writer.take() + content;
}

std::string_view opened(const std::string& mark, std::string_view bytes) {
  Reader reader(bytes);
  reader.expect(mark);
  std::string digest;
  reader.get(digest);
  if (io::sha256(std::string(reader.rest())) != digest) reader.damaged();
  return reader.rest();
}

}  // namespace

std::string to_bytes(const Model& model) {
  Writer writer;
  writer.put(model_hash(model));
  writer.put(model.description());
  writer.put(model.report());
  return sealed(kModelMark, writer.take());
}

Model model_from_bytes(std::string_view bytes) {
  Reader reader(opened(kModelMark, bytes));
  std::string hash;
  Description description;
  Report report;
  reader.get(hash);
  reader.get(description);
  reader.get(report);
  Model model = ModelBuilder(std::move(description)).finalize().with_report(std::move(report));
  if (model_hash(model) != hash)
    throw ConfigError("these bytes are a model with hash '" + hash + "' and give one with '" +
                      model_hash(model) + "'");
  return model;
}

std::string to_bytes(const ModelBuilder& builder) {
  Writer writer;
  writer.put(builder.description());
  return sealed(kBuilderMark, writer.take());
}

ModelBuilder builder_from_bytes(std::string_view bytes) {
  Reader reader(opened(kBuilderMark, bytes));
  Description description;
  reader.get(description);
  return ModelBuilder(std::move(description));
}

}  // namespace flexor
