#include "io/document.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <unordered_map>

#include "io/numbers.hpp"
#include "io/path_text.hpp"
#include "io/scan.hpp"

namespace flexor::io {

namespace fs = std::filesystem;

Source Document::place(const Element& element) const {
  return files[static_cast<std::size_t>(element.file)].source->place(element.offset);
}

Source Document::place(const Attribute& attribute) const {
  const Element& element = elements[static_cast<std::size_t>(attribute.element)];
  const SourceFile& source = *files[static_cast<std::size_t>(element.file)].source;
  return source.place(attribute_offset(source.text(), element.offset, attribute.ordinal));
}

const Attribute* Document::find(const Element& element, std::string_view name) const {
  const auto first = attributes.begin() + element.first_attribute;
  const auto last = first + element.attribute_count;
  const auto found = std::find_if(
      first, last, [&](const Attribute& a) { return a.name == name && !a.is_duplicate; });
  return found == last ? nullptr : &*found;
}

Attribute* Document::find(const Element& element, std::string_view name) {
  return const_cast<Attribute*>(std::as_const(*this).find(element, name));
}

std::vector<std::string> Document::paths() const {
  std::vector<std::string> names;
  for (const OpenedFile& file : files) names.push_back(file.source->path());
  return names;
}

Problem Document::problem(const Element& element, std::string code, std::string message) const {
  Problem problem;
  problem.code = std::move(code);
  problem.message = std::move(message);
  problem.source = place(element);
  problem.element = element.name;
  if (const Attribute* name = find(element, "name")) problem.name = name->value;
  return problem;
}

Problem Document::problem(const Attribute& attribute, std::string code, std::string message) const {
  Problem problem = this->problem(elements[static_cast<std::size_t>(attribute.element)],
                                  std::move(code), std::move(message));
  problem.source = place(attribute);
  problem.attribute = attribute.name;
  problem.value = attribute.value;
  return problem;
}

bool is_text_input(std::string_view path_or_text) {
  if (path_or_text.starts_with("\xEF\xBB\xBF")) path_or_text.remove_prefix(3);
  const std::string_view text = trimmed(path_or_text);
  return !text.empty() && text.front() == '<';
}

namespace {

constexpr std::size_t kMaxFileBytes = std::size_t{64} << 20;
constexpr std::size_t kMaxTotalBytes = std::size_t{256} << 20;
constexpr std::size_t kMaxFiles = 1000;
constexpr int kMaxIncludeDepth = 32;

class Reader {
 public:
  Reader(const LoadOptions& options, Findings& findings) : options_(options), findings_(findings) {}

  Document run(const std::string& path_or_text) {
    if (open_main(path_or_text) && parse(0)) expand();
    findings_.set_file_order(document_.paths());
    return std::move(document_);
  }

 private:
  /// One child still to be looked at, and where it goes in the expanded tree.
  struct Cursor {
    pugi::xml_node node;
    int parent;
    int file;
  };

  OpenedFile& file(int index) { return document_.files[static_cast<std::size_t>(index)]; }
  Element& element(int index) { return document_.elements[static_cast<std::size_t>(index)]; }

  // ---- opening ------------------------------------------------------------------------------

  bool open_main(const std::string& path_or_text) {
    if (is_text_input(path_or_text)) {
      is_text_ = true;
      add_file("<string>", path_or_text, "", "text", "main");
      return true;
    }
    const fs::path path(path_or_text);
    root_ = canonical(options_.root.empty() ? absolute_folder(path) : options_.root);
    Problem problem;
    problem.source.file = shown(path_or_text);
    problem.value = shown(path_or_text);
    if (const auto asset = options_.assets.find(path_or_text); asset != options_.assets.end()) {
      add_file(path_or_text, asset->second, path.parent_path(), "asset:" + path_or_text, "main");
      return check_size(0, problem);
    }
    if (options_.paths == "inside" && !is_inside(path)) {
      problem.code = "path-outside-root";
      problem.message =
          in_quotes(shown(path_or_text)) + " lies outside " + in_quotes(root_.string());
      findings_.error(problem);
      return false;
    }
    std::string text;
    if (!read_bytes(path, text, problem)) {
      findings_.error(problem);
      return false;
    }
    add_file(path_or_text, std::move(text), path.parent_path(), identity(path), "main");
    return true;
  }

  static fs::path absolute_folder(const fs::path& path) {
    const fs::path folder = path.parent_path();
    std::error_code error;
    return folder.empty() ? fs::current_path(error) : folder;
  }
  static fs::path canonical(const fs::path& path) {
    std::error_code error;
    const fs::path result = fs::weakly_canonical(path, error);
    return error ? path : result;
  }
  static std::string identity(const fs::path& path) { return canonical(path).string(); }
  bool is_inside(const fs::path& path) const {
    std::error_code error;
    const fs::path target = fs::weakly_canonical(path, error);
    if (error) return false;
    const auto [end, ignored] =
        std::mismatch(root_.begin(), root_.end(), target.begin(), target.end());
    return end == root_.end();
  }

  /// Reads a regular file; else fills code and message of `problem`.
  bool read_bytes(const fs::path& path, std::string& text, Problem& problem) {
    std::error_code error;
    if (const std::string reason = bad_path_reason(path); !reason.empty()) {
      problem.code = "file-not-found";
      problem.message = in_quotes(shown(path)) + ": " + reason;
      return false;
    }
    const fs::file_status status = fs::status(path, error);
    if (!fs::exists(status)) {
      problem.code = "file-not-found";
      problem.message = "no file " + in_quotes(shown(path));
      return false;
    }
    const std::uintmax_t size = fs::is_regular_file(status) ? fs::file_size(path, error) : 0;
    if (fs::is_regular_file(status) && !error && size > kMaxFileBytes) {
      problem.code = "file-too-large";
      problem.message = in_quotes(shown(path)) + " has " + std::to_string(size) +
                        " bytes; at most " + std::to_string(kMaxFileBytes) + " are read";
      return false;
    }
    std::ifstream stream;
    if (fs::is_regular_file(status) && !error) stream.open(path, std::ios::binary);
    if (!stream.is_open()) {
      problem.code = "file-unreadable";
      problem.message =
          in_quotes(shown(path)) +
          (fs::is_regular_file(status) ? " cannot be read" : " is not a regular file");
      return false;
    }
    std::ostringstream bytes;
    bytes << stream.rdbuf();
    text = std::move(bytes).str();
    return true;
  }

  bool check_size(int index, Problem problem) {
    total_bytes_ += file(index).source->byte_count();
    if (file(index).source->byte_count() > kMaxFileBytes) {
      problem.code = "file-too-large";
      problem.message = "more than " + std::to_string(kMaxFileBytes) + " bytes";
    } else if (total_bytes_ > kMaxTotalBytes) {
      problem.code = "limit-exceeded";
      problem.message =
          "all files together have more than " + std::to_string(kMaxTotalBytes) + " bytes";
    } else {
      return true;
    }
    findings_.error(problem);
    return false;
  }

  void add_file(std::string path, std::string text, fs::path folder, std::string identity,
                std::string role) {
    OpenedFile opened;
    opened.source = std::make_unique<SourceFile>(std::move(path), std::move(text));
    opened.parsed = std::make_unique<pugi::xml_document>();
    opened.folder = std::move(folder);
    opened.identity = std::move(identity);
    opened.role = std::move(role);
    document_.files.push_back(std::move(opened));
  }

  // ---- one file -----------------------------------------------------------------------------

  bool parse(int index) {
    OpenedFile& opened = file(index);
    const SourceFile& source = *opened.source;
    if (!check_size(index, at(source, 0, "", ""))) return false;
    ScanLimits limits;
    limits.max_elements -= std::min(limits.max_elements, element_count_);
    ScanResult scan = scan_xml(source.text(), limits);
    element_count_ += scan.element_count;
    for (ScanFinding& found : scan.findings) {
      opened.has_duplicates |= found.code == "duplicate-attribute";
      Problem problem = at(source, found.offset, found.code, std::move(found.message));
      if (found.severity == Severity::kError) {
        findings_.error(std::move(problem));
      } else {
        findings_.warning(std::move(problem));
      }
    }
    if (!scan.is_well_formed) return false;
    opened.inserted = std::move(scan.inserted);
    constexpr unsigned kOptions =
        pugi::parse_escapes | pugi::parse_wconv_attribute | pugi::parse_eol;
    const pugi::xml_parse_result result = opened.parsed->load_buffer(
        scan.text.data(), scan.text.size(), kOptions, pugi::encoding_utf8);
    if (!result) {
      const auto offset = static_cast<std::size_t>(std::max<std::ptrdiff_t>(result.offset, 0));
      findings_.error(
          at(source, original_offset(opened.inserted, offset), "xml-syntax", result.description()));
      return false;
    }
    return true;
  }

  static Problem at(const SourceFile& source, std::size_t offset, std::string code,
                    std::string message) {
    Problem problem;
    problem.code = std::move(code);
    problem.message = std::move(message);
    problem.source = source.place(offset);
    return problem;
  }

  // ---- the expanded tree --------------------------------------------------------------------

  void expand() {
    const int root = add_element(file(0).parsed->document_element(), -1, 0);
    stack_ = {{file(0).parsed->document_element().first_child(), root, 0}};
    while (!stack_.empty()) {
      const Cursor cursor = stack_.back();
      if (!cursor.node) {
        stack_.pop_back();
        continue;
      }
      stack_.back().node = cursor.node.next_sibling();
      if (cursor.node.type() != pugi::node_element) continue;
      if (std::string_view(cursor.node.name()) == "include") {
        include(cursor);
        continue;
      }
      const int added = add_element(cursor.node, cursor.parent, cursor.file);
      if (added >= 0) stack_.push_back({cursor.node.first_child(), added, cursor.file});
    }
  }

  int add_element(const pugi::xml_node& node, int parent, int file_index) {
    constexpr int kMaxDepth = 10'000;
    const int index = add_loose_element(node, file_index);
    Element& added = element(index);
    if (parent < 0) return index;
    added.depth = element(parent).depth + 1;
    if (added.depth >= kMaxDepth) {
      findings_.error(document_.problem(
          added, "element-depth", "elements are nested deeper than " + std::to_string(kMaxDepth)));
      return -1;
    }
    added.parent = parent;
    Element& above = element(parent);
    (above.first_child < 0 ? above.first_child : element(above.last_child).next_sibling) = index;
    above.last_child = index;
    return index;
  }

  /// An element that hangs nowhere (an include, an included root); it is counted all the same.
  int add_loose_element(const pugi::xml_node& node, int file_index) {
    const OpenedFile& opened = file(file_index);
    const int index = static_cast<int>(document_.elements.size());
    Element added;
    added.name = node.name();
    added.file = file_index;
    added.offset =
        original_offset(opened.inserted, static_cast<std::size_t>(node.offset_debug()) - 1);
    added.first_attribute = static_cast<int>(document_.attributes.size());
    for (const pugi::xml_attribute attribute : node.attributes()) {
      Attribute copy;
      copy.name = attribute.name();
      copy.value = attribute.value();
      copy.element = index;
      copy.ordinal = added.attribute_count++;
      if (opened.has_duplicates) {
        const auto first = document_.attributes.begin() + added.first_attribute;
        copy.is_duplicate = std::any_of(first, document_.attributes.end(),
                                        [&](const Attribute& a) { return a.name == copy.name; });
      }
      document_.attributes.push_back(copy);
    }
    document_.elements.push_back(added);
    return index;
  }

  // ---- include ------------------------------------------------------------------------------

  void include(const Cursor& cursor) {
    const int index = add_loose_element(cursor.node, cursor.file);
    const Attribute* name = document_.find(element(index), "file");
    const bool has_children =
        std::any_of(cursor.node.begin(), cursor.node.end(),
                    [](const pugi::xml_node& child) { return child.type() == pugi::node_element; });
    if (name == nullptr || trimmed(name->value).empty() || has_children) {
      findings_.error(document_.problem(
          element(index), "include-bad",
          has_children ? "include may have no children" : "include needs the attribute 'file'"));
      return;
    }
    const int opened = open_included(*name, cursor.file);
    if (opened < 0 || !parse(opened)) return;
    const pugi::xml_node root = file(opened).parsed->document_element();
    const int root_index = add_loose_element(root, opened);
    const std::string_view root_name = root.name();
    if (root_name != "mujoco" && root_name != "mujocoinclude")
      findings_.warning(
          document_.problem(element(root_index), "include-bad",
                            "root " + in_quotes(root_name) +
                                " of an included file; usual are mujoco, mujocoinclude"));
    stack_.push_back({root.first_child(), cursor.parent, opened});
  }

  /// Index of the opened file, -1 after an error.
  int open_included(const Attribute& name, int includer) {
    const auto refuse = [&](std::string code, std::string message) {
      findings_.error(document_.problem(name, std::move(code), std::move(message)));
      return -1;
    };
    const std::string written(trimmed(name.value));
    int depth = 1;
    for (int k = includer; file(k).includer >= 0; k = file(k).includer) ++depth;
    if (document_.files.size() >= kMaxFiles)
      return refuse("limit-exceeded", "more than " + std::to_string(kMaxFiles) + " files");

    std::string text, shown, id;
    fs::path folder;
    if (const auto asset = options_.assets.find(written); asset != options_.assets.end()) {
      text = asset->second;
      shown = written;
      id = "asset:" + written;
      folder = fs::path(written).parent_path();
    } else if (is_text_) {
      return refuse("file-not-found", in_quotes(written) +
                                          " is not among the assets; text input opens "
                                          "no files");
    } else {
      std::vector<fs::path> tries = {file(0).folder / written};
      if (file(includer).folder != file(0).folder) tries.push_back(file(includer).folder / written);
      std::string tried;
      std::error_code error;
      const auto found = std::find_if(tries.begin(), tries.end(), [&](const fs::path& path) {
        if (options_.paths == "inside" && !is_inside(path)) return false;
        return fs::exists(path, error);
      });
      if (found == tries.end()) {
        if (options_.paths == "inside" &&
            std::none_of(tries.begin(), tries.end(),
                         [&](const fs::path& path) { return is_inside(path); }))
          return refuse("path-outside-root",
                        in_quotes(written) + " lies outside " + in_quotes(root_.string()));
        for (const fs::path& path : tries)
          tried += (tried.empty() ? "" : ", ") + in_quotes(path.lexically_normal().string());
        return refuse("file-not-found", "no file " + in_quotes(written) + "; tried " + tried);
      }
      shown = found->lexically_normal().string();
      id = identity(*found);
      folder = found->parent_path();
    }
    if (const int code = refuse_repeated(name, id, includer); code < 0) return code;
    if (depth > kMaxIncludeDepth)
      return refuse("include-depth",
                    "includes are nested deeper than " + std::to_string(kMaxIncludeDepth));
    if (!id.starts_with("asset:")) {
      Problem problem = document_.problem(name, "", "");
      if (!read_bytes(id, text, problem)) {
        findings_.error(problem);
        return -1;
      }
    }
    add_file(shown, std::move(text), folder, id, "include");
    OpenedFile& opened = document_.files.back();
    opened.includer = includer;
    opened.from = document_.place(document_.elements[static_cast<std::size_t>(name.element)]);
    return static_cast<int>(document_.files.size()) - 1;
  }

  /// 0, or -1 after the error that the file is being read (cycle) or was read before.
  int refuse_repeated(const Attribute& name, const std::string& id, int includer) {
    std::string chain;
    for (int k = includer; k >= 0; k = file(k).includer) {
      chain = file(k).source->path() + " -> " + chain;
      if (file(k).identity != id) continue;
      findings_.error(document_.problem(
          name, "include-cycle", "files include each other: " + chain + file(k).source->path()));
      return -1;
    }
    for (const OpenedFile& other : document_.files) {
      if (other.identity != id) continue;
      findings_.error(document_.problem(
          name, "include-repeated",
          in_quotes(name.value) + " was included before, at " + other.from.file + ":" +
              std::to_string(other.from.line) + ":" + std::to_string(other.from.column)));
      return -1;
    }
    return 0;
  }

  const LoadOptions& options_;
  Findings& findings_;
  Document document_;
  std::vector<Cursor> stack_;
  fs::path root_;
  bool is_text_ = false;
  std::size_t total_bytes_ = 0, element_count_ = 0;
};

}  // namespace

Document read_document(const std::string& path_or_text, const LoadOptions& options,
                       Findings& findings) {
  return Reader(options, findings).run(path_or_text);
}

}  // namespace flexor::io
