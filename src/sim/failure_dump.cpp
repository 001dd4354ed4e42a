// What the first worlds that failed were doing, written by itself.

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "io/path_text.hpp"
#include "sim/checkpoint_header.hpp"
#include "sim/implementation.hpp"
#include "sim/logging.hpp"

namespace flexor {
namespace {

/// A file that was not there before, empty: the first free number is taken, so that no dump is
/// ever written over, whoever else writes there.
std::filesystem::path reserve_dump_file() {
  const char* variable = std::getenv("FLEXOR_DUMP_FOLDER");
  const std::filesystem::path folder = variable == nullptr ? "" : variable;
  for (int number = 0;; ++number) {
    const std::filesystem::path path = folder / ("flexor_dump_" + std::to_string(number) + ".npz");
    const int file = open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    if (file >= 0) {
      close(file);
      return path;
    }
    if (errno != EEXIST) throw FlexorError(io::shown(path) + ": " + std::strerror(errno));
  }
}

void write_dump(const std::filesystem::path& path, const auto& write) try {
  write(path);
} catch (...) {
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
  throw;
}

}  // namespace

/// A folder that cannot be written to stops no simulation: the log says so.
void Simulation::Implementation::dump_failures() {
  if (dumps_left == 0) return;
  std::vector<long> worlds = history.find_failed(*batch);
  if (worlds.empty()) return;
  worlds.resize(std::min(worlds.size(), dumps_left));
  dumps_left -= worlds.size();
  const auto say = [&](const char* code, const std::string& what) {
    const std::int64_t step =
        reinterpret_cast<std::int64_t*>(batch->column(Field::step_count, 0))[worlds[0]];
    log(LogLevel::kWarning, code, worlds[0], step, [&] {
      std::string list;
      for (const long w : worlds) list += (list.empty() ? " " : ", ") + std::to_string(w);
      return "last states and commands of failed worlds" + list + ": " + what;
    });
  };
  try {
    const std::filesystem::path path = reserve_dump_file();
    write_dump(path, [&](const auto& file) {
      history.write(file, make_history_header(model, options), *batch, worlds);
    });
    say("guard-dump", io::shown(path));
  } catch (const FlexorError& error) {
    say("guard-dump-failed", std::string("could not be written: ") + error.what());
  }
}

}  // namespace flexor
