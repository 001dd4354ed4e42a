#pragma once
// Small documents and public files for the loader's tests.

#include <gtest/gtest.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "io/mjcf_loader.hpp"
#include "support/shared.hpp"

namespace flexor::test {

/// A complete document around worldbody content.
inline std::string world(const std::string& content, const std::string& before = "",
                         const std::string& after = "") {
  return "<mujoco>" + before + "<worldbody>" + content + "</worldbody>" + after + "</mujoco>";
}

/// Time this process has computed [s]: what hostile input costs, whoever else runs on the machine.
inline double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// The loader alone: nothing is compiled.
inline io::Loaded load(const std::string& text, const LoadOptions& options = {}) {
  return io::load_mjcf(text, options);
}

/// "line:column code" of every error, in order.
inline std::vector<std::string> errors(const io::Loaded& loaded) {
  std::vector<std::string> list;
  for (const Problem& p : loaded.errors)
    list.push_back(std::to_string(p.source.line) + ":" + std::to_string(p.source.column) + " " +
                   p.code);
  return list;
}

inline std::vector<std::string> error_codes(const io::Loaded& loaded) {
  std::vector<std::string> list;
  for (const Problem& p : loaded.errors) list.push_back(p.code);
  return list;
}

inline std::vector<std::string> warning_codes(const io::Loaded& loaded) {
  std::vector<std::string> list;
  for (const ReportItem& item : loaded.report.items)
    if (item.problem.severity == Severity::kWarning) list.push_back(item.problem.code);
  return list;
}

using Codes = std::vector<std::string>;

inline long binned(const Report& report) {
  long sum = report.read + report.approximated + report.rejected;
  for (const long count : report.ignored) sum += count;
  return sum;
}

/// Folder of the public models; empty if they are not there.
inline std::filesystem::path shared_folder() {
  const std::filesystem::path folder = shared("");
  return std::filesystem::exists(folder / "models") ? folder : std::filesystem::path();
}

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// A folder of its own for each test, removed at its end.
class Folder {
 public:
  Folder() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    path_ = std::filesystem::temp_directory_path() /
            ("flexor_" + std::string(test->test_suite_name()) + "_" + test->name());
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string write(const std::string& name, const std::string& text) const {
    const auto path = path_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return path.string();
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace flexor::test
