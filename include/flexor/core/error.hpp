#pragma once
// Errors at the two host doors: building a model, calling the API. Host code only.

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace flexor {

/// Place in a file; line 0 = no place (builder calls: file "<builder>").
struct Source {
  std::string file;
  int line = 0;
  int column = 0;
};

enum class Severity { kError, kWarning, kNote };

/// One finding about a model.   [MF-24]
struct Problem {
  Severity severity = Severity::kError;
  std::string code;     ///< e.g. "unknown-name"
  std::string message;  ///< names element, attribute and value, and says what is legal
  Source source;
  std::string element;    ///< e.g. "joint"
  std::string name;       ///< e.g. "shoulder"
  std::string attribute;  ///< e.g. "range"
  std::string value;      ///< as written
  std::string hint;       ///< e.g. "did you mean 'hinge'?"
  int count = 1;          ///< how many equal findings this one stands for
};

class FlexorError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// All problems of a model in one error.
class ModelError : public FlexorError {
 public:
  ModelError(const std::string& text, std::vector<Problem> problems)
      : FlexorError(text), problems_(std::move(problems)) {}
  const std::vector<Problem>& problems() const { return problems_; }

 private:
  std::vector<Problem> problems_;
};

class ParameterError : public FlexorError {
 public:
  using FlexorError::FlexorError;
};
class ShapeError : public FlexorError {
 public:
  using FlexorError::FlexorError;
};
class UnknownNameError : public FlexorError {
 public:
  using FlexorError::FlexorError;
};
class CheckpointError : public FlexorError {
 public:
  using FlexorError::FlexorError;
};
/// An option or argument outside its legal set (Python: ValueError).
class ConfigError : public FlexorError {
 public:
  using FlexorError::FlexorError;
};
class DeviceError : public FlexorError {
 public:
  using FlexorError::FlexorError;
};
/// A simulation cannot go on: closed, or stopped by Guard::kRaise, which names the worlds.
class SimulationError : public FlexorError {
 public:
  explicit SimulationError(const std::string& text, std::vector<long> worlds = {},
                           std::vector<int> status = {})
      : FlexorError(text), worlds_(std::move(worlds)), status_(std::move(status)) {}
  const std::vector<long>& worlds() const { return worlds_; }
  const std::vector<int>& status() const { return status_; }  ///< bits of each of them

 private:
  std::vector<long> worlds_;
  std::vector<int> status_;
};
class ConcurrencyError : public FlexorError {
 public:
  using FlexorError::FlexorError;
};

}  // namespace flexor
