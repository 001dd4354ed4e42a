#pragma once
// The sum of all rows that share one J: a non-increasing, piecewise linear law P = Phi(u).
// [P-52], [P-53], [P-54]

#include <vector>

#include "reference/problem.hpp"

namespace flexor::reference {

/// One row as a function of the rate: clamp((b - u)/g, lo, hi); hard (g = 0): hi below b, lo above
/// b, anything between at b; constant (lo = hi).
struct LawRow {
  double target = 0, softness = 0, lower = 0, upper = 0;
};

struct Law {
  std::vector<LawRow> rows;
};

enum class Piece { kFlat, kSloped, kVertical };

/// Where the line P = (u - u0)/D meets the law, and the piece it meets:
/// flat P = constant, sloped P = constant - slope u, vertical u = rate.
struct LawPoint {
  double rate = 0, impulse = 0;
  Piece piece = Piece::kFlat;
  double constant = 0, slope = 0;
};

/// The unique (u, P) with u = u0 + D P and P in Phi(u), for D > 0.   [P-53]
LawPoint solve_law(const Law& law, double u0, double D);

/// Impulses of the law's rows at a point of it: soft and constant rows by formula, the rest over
/// the hard rows that stand at u, in their order, each up to its bound.   [P-54]
std::vector<double> split_impulse(const Law& law, const LawPoint& point);

}  // namespace flexor::reference
