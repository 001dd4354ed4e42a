#pragma once
// The words that options of a Simulation go by in files and in Python.

#include <cstddef>
#include <string>

#include "flexor/core/error.hpp"
#include "flexor/sim/simulation.hpp"

namespace flexor {

template <class T>
struct OptionName {
  const char* name;
  T value;
};

inline constexpr OptionName<Precision> kPrecisionNames[] = {{"float32", Precision::kFloat32},
                                                            {"float64", Precision::kFloat64}};
inline constexpr OptionName<Numeric> kNumericNames[] = {{"fast", Numeric::kFast},
                                                        {"strict", Numeric::kStrict}};
inline constexpr OptionName<Guard> kGuardNames[] = {{"ignore", Guard::kIgnore},
                                                    {"freeze", Guard::kFreeze},
                                                    {"reset", Guard::kReset},
                                                    {"raise", Guard::kRaise}};
inline constexpr OptionName<Solver> kSolverNames[] = {
    {"auto", Solver::kAuto},
    {"active_set", Solver::kActiveSet},
    {"jacobi", Solver::kJacobi},
    {"gauss_seidel_blocks", Solver::kGaussSeidelBlocks},
    {"gauss_seidel", Solver::kGaussSeidel},
    {"exact", Solver::kExact}};

/// "" for a value without a name (Precision::kDefault).
template <class T, std::size_t kCount>
constexpr const char* name_of(T value, const OptionName<T> (&names)[kCount]) {
  for (const OptionName<T>& option : names)
    if (option.value == value) return option.name;
  return "";
}

/// ConfigError naming argument, value and legal set.
template <class T, std::size_t kCount>
T value_of(const char* argument, const std::string& name, const OptionName<T> (&names)[kCount]) {
  std::string legal;
  for (const OptionName<T>& option : names) {
    if (name == option.name) return option.value;
    legal += (legal.empty() ? "'" : ", '") + std::string(option.name) + "'";
  }
  throw ConfigError(std::string(argument) + ": '" + name + "' is not one of " + legal);
}

}  // namespace flexor
