// load_model, load_builder, validate: the loader's findings and those of finalize in one list.
#include <algorithm>
#include <map>
#include <set>

#include "io/mjcf_loader.hpp"
#include "io/numbers.hpp"

namespace flexor {

namespace io {

namespace {

/// Attribute of MJCF behind a code or a flexor name in a problem of finalize.
std::string_view mjcf_attribute(const Problem& problem) {
  static const std::map<std::string_view, std::string_view> by_code = {
      {"duplicate-name", "name"}, {"bad-name", "name"}, {"bad-divisor", "divisor"}};
  static const std::map<std::string_view, std::string_view> by_name = {
      {"lower", "range"},
      {"upper", "range"},
      {"lower_limit", "range"},
      {"upper_limit", "range"},
      {"limit_margin", "margin"},
      {"friction", "frictionloss"},
      {"friction_loss", "frictionloss"},
      {"rest", "springref"},
      {"spring_lower", "springlength"},
      {"spring_upper", "springlength"},
      {"actuation_lower", "actuatorfrcrange"},
      {"actuation_upper", "actuatorfrcrange"},
      {"coefficient", "coef"},
      {"side", "sidesite"},
      {"radius", "size"},
      {"gravity_compensation", "gravcomp"},
      {"spring_time", "springdamper"},
      {"spring_damping_ratio", "springdamper"}};
  if (const auto found = by_code.find(problem.code); found != by_code.end()) return found->second;
  if (const auto found = by_name.find(problem.attribute); found != by_name.end())
    return found->second;
  return problem.attribute;
}

/// Elements by the place of their '<'.
class Places {
 public:
  explicit Places(const Document& document) : document_(document) {}

  /// Index of the element whose start tag begins at `source`, -1 if none does.
  int element_at(const Source& source) const {
    index_elements();
    const auto file = files_.find(source.file);
    if (file == files_.end()) return -1;
    const SourceFile& text = *document_.files[static_cast<std::size_t>(file->second)].source;
    const std::size_t offset = text.offset_of(source.line, source.column);
    const auto found = elements_.find({file->second, offset});
    return found == elements_.end() ? -1 : found->second;
  }

  /// Points a problem of finalize, which knows the element, at the attribute it is about if the
  /// file has that attribute.   [MF-24]
  void locate(Problem& problem) const {
    const int index = element_at(problem.source);
    if (index < 0) return;
    const Element& element = document_.elements[static_cast<std::size_t>(index)];
    const Attribute* attribute = document_.find(element, mjcf_attribute(problem));
    if (attribute == nullptr) return;
    problem.source = document_.place(*attribute);
    problem.attribute = attribute->name;
    problem.value = attribute->value;
  }

  /// The innermost element whose start tag begins at or before `source`.
  int element_before(const Source& source) const {
    index_elements();
    const auto file = files_.find(source.file);
    if (file == files_.end()) return -1;
    const SourceFile& text = *document_.files[static_cast<std::size_t>(file->second)].source;
    const std::size_t offset = text.offset_of(source.line, source.column);
    auto next = elements_.upper_bound({file->second, offset});
    if (next == elements_.begin() || offset == std::string::npos) return -1;
    --next;
    return next->first.first == file->second ? next->second : -1;
  }

 private:
  /// At the first question: a model without problems asks none.
  void index_elements() const {
    if (!files_.empty()) return;
    for (std::size_t f = 0; f < document_.files.size(); ++f)
      files_.emplace(document_.files[f].source->path(), static_cast<int>(f));
    for (std::size_t i = 0; i < document_.elements.size(); ++i)
      elements_.emplace(std::pair(document_.elements[i].file, document_.elements[i].offset),
                        static_cast<int>(i));
  }

  const Document& document_;
  mutable std::map<std::string, int> files_;
  mutable std::map<std::pair<int, std::size_t>, int> elements_;
};

/// The path element or tendon that a place lies in, as the element of the tendon; -1 elsewhere.
int tendon_of(const Document& document, const Places& places, const Source& source) {
  for (int i = places.element_before(source); i >= 0;
       i = document.elements[static_cast<std::size_t>(i)].parent) {
    const Element& element = document.elements[static_cast<std::size_t>(i)];
    if (element.name == "spatial" || element.name == "fixed") return i;
  }
  return -1;
}

bool is_path_structure(const std::string& code) {
  static const std::set<std::string_view> codes = {"empty-path", "path-too-short",
                                                   "wrap-not-bracketed", "path-ends-with-pulley",
                                                   "pulley-after-pulley"};
  return codes.contains(code);
}

/// Errors of the loader and of finalize, sorted. What the loader has already said about a place or
/// a path is not said again   [MF-7].
std::vector<Problem> merge(const Loaded& loaded, const Places& places,
                           const std::vector<Problem>& all) {
  const auto key = [](const Problem& p) {
    return std::tuple(p.source.file, p.source.line, p.source.column);
  };
  std::set<std::tuple<std::string, int, int>> own;
  std::set<std::tuple<std::string, int, int, std::string, std::string>> exact;
  std::set<int> broken_tendons;
  for (const Problem& p : loaded.errors) {
    own.insert(key(p));
    exact.insert(std::tuple_cat(key(p), std::tuple(p.code, p.message)));
    if (const int tendon = tendon_of(loaded.document, places, p.source); tendon >= 0)
      broken_tendons.insert(tendon);
  }
  std::vector<Problem> result = loaded.errors;
  for (Problem p : all) {
    if (p.severity != Severity::kError) continue;
    if (exact.contains(std::tuple_cat(key(p), std::tuple(p.code, p.message)))) continue;
    places.locate(p);
    if (own.contains(key(p))) continue;
    if (is_path_structure(p.code) &&
        broken_tendons.contains(tendon_of(loaded.document, places, p.source)))
      continue;
    result.push_back(std::move(p));
  }
  sort_problems(result, loaded.document.paths());
  return result;
}

}  // namespace

std::string problems_text(const Document& document, const std::vector<Problem>& problems,
                          int max_shown) {
  std::string text;
  const std::size_t shown =
      max_shown == 0 ? problems.size()
                     : std::min<std::size_t>(problems.size(), static_cast<std::size_t>(max_shown));
  for (std::size_t i = 0; i < shown; ++i) {
    const Problem& problem = problems[i];
    std::string line, from;
    for (const OpenedFile& file : document.files) {
      if (file.source->path() != problem.source.file) continue;
      line = file.source->line_text(problem.source.line);
      if (file.from.line > 0)
        from = "\n      = note: included from " + file.from.file + ":" +
               std::to_string(file.from.line) + ":" + std::to_string(file.from.column);
    }
    text += to_text(problem, line) + from + "\n";
  }
  const std::size_t hidden = problems.size() - shown;
  text += std::to_string(problems.size()) + (problems.size() == 1 ? " error" : " errors");
  if (hidden > 0) text += ", " + std::to_string(hidden) + " of them not shown";
  return text;
}

namespace {

[[noreturn]] void raise(const Loaded& loaded, std::vector<Problem> problems, int max_problems) {
  const std::string text = problems_text(loaded.document, problems, max_problems);
  if (max_problems > 0 && problems.size() > static_cast<std::size_t>(max_problems))
    problems.resize(static_cast<std::size_t>(max_problems));
  throw ModelError(text, std::move(problems));
}

/// Model options given as text: one number, three numbers, or a word.
void set_options(ModelBuilder& builder, const std::map<std::string, std::string>& options) {
  for (const auto& [name, value] : options) {
    const auto words = split(value);
    std::vector<double> numbers;
    for (const std::string_view word : words) {
      const Number number = parse_number(word);
      if (number.state != NumberState::kMalformed) numbers.push_back(number.value);
    }
    const bool is_numeric = numbers.size() == words.size();
    if (is_numeric && numbers.size() == 1) {
      builder.set_option(name, numbers[0]);
    } else if (is_numeric && numbers.size() == 3) {
      builder.set_option(name, Vec3d{numbers[0], numbers[1], numbers[2]});
    } else {
      builder.set_option(name, std::string_view(value));
    }
  }
}

/// Everything that load_model does; errors as problems.
struct Outcome {
  std::vector<Problem> problems;
  std::vector<Model> model;  ///< one if there are no problems
};

Outcome compile(const Loaded& loaded, const LoadOptions& options) {
  if (!loaded.is_read) return {loaded.errors, {}};
  ModelBuilder builder(loaded.description);
  if (loaded.errors.empty()) apply_overrides(builder.description(), options.overrides);
  set_options(builder, options.options);
  FinalizeOptions finalize;
  finalize.max_problems = 0;
  finalize.report = loaded.report;
  finalize.problems = loaded.errors;
  const Places places(loaded.document);
  try {
    return {{}, {builder.finalize(finalize)}};
  } catch (const ModelError& error) {
    return {merge(loaded, places, error.problems()), {}};
  }
}

}  // namespace

}  // namespace io

Model load_model(const std::string& path_or_text, const LoadOptions& options) {
  const io::Loaded loaded = io::load_mjcf(path_or_text, options);
  io::Outcome outcome = io::compile(loaded, options);
  if (!outcome.problems.empty())
    io::raise(loaded, std::move(outcome.problems), options.max_problems);
  return outcome.model.front();
}

ModelBuilder load_builder(const std::string& path_or_text, const LoadOptions& options) {
  const io::Loaded loaded = io::load_mjcf(path_or_text, options);
  if (!loaded.errors.empty()) io::raise(loaded, loaded.errors, options.max_problems);
  ModelBuilder builder(loaded.description);
  io::apply_overrides(builder.description(), options.overrides);
  io::set_options(builder, options.options);
  return builder;
}

Report validate(const std::string& path_or_text, const LoadOptions& options) {
  const io::Loaded loaded = io::load_mjcf(path_or_text, options);
  const io::Outcome outcome = io::compile(loaded, options);
  if (!outcome.model.empty()) return outcome.model.front().report();
  Report report = loaded.report;
  report.ok = false;
  std::erase_if(report.items,
                [](const ReportItem& item) { return item.problem.severity == Severity::kError; });
  for (const Problem& problem : outcome.problems)
    report.items.push_back({Bin::kRejected, IgnoredClass::kNone, problem, {problem.source}});
  return report;
}

}  // namespace flexor
