#include "reference/law.hpp"

#include <algorithm>

namespace flexor::reference {

namespace {

bool is_constant(const LawRow& row) { return row.lower == row.upper; }
bool is_hard(const LawRow& row) { return row.softness == 0 && !is_constant(row); }

/// Rates at which a row leaves its upper bound, and at which it arrives at its lower one.
double leaves_upper(const LawRow& row) {
  return is_hard(row) ? row.target : row.target - row.softness * row.upper;
}
double reaches_lower(const LawRow& row) {
  return is_hard(row) ? row.target : row.target - row.softness * row.lower;
}

/// One linear piece of Phi: P = constant - slope u. The constant may be infinite.
struct Line {
  double constant = 0, slope = 0;
};

/// Adds up the pieces of all rows just left (or right) of the rate x.
Line line_beside(const Law& law, double x, bool is_left) {
  Line line;
  for (const LawRow& row : law.rows) {
    if (is_constant(row)) {
      line.constant += row.lower;
      continue;
    }
    const double upper_end = leaves_upper(row), lower_end = reaches_lower(row);
    const bool is_at_upper = is_left ? x <= upper_end : x < upper_end;
    const bool is_at_lower = is_left ? x > lower_end : x >= lower_end;
    if (is_at_upper) {
      line.constant += row.upper;
    } else if (is_at_lower) {
      line.constant += row.lower;
    } else {
      line.constant += row.target / row.softness;
      line.slope += 1 / row.softness;
    }
  }
  return line;
}

LawPoint meet(const Line& line, double u0, double D) {
  LawPoint point;
  point.rate = (u0 + D * line.constant) / (1 + D * line.slope);
  point.impulse = (line.constant - line.slope * u0) / (1 + D * line.slope);
  point.piece = line.slope > 0 ? Piece::kSloped : Piece::kFlat;
  point.constant = line.constant;
  point.slope = line.slope;
  return point;
}

}  // namespace

LawPoint solve_law(const Law& law, double u0, double D) {
  std::vector<double> breaks;
  for (const LawRow& row : law.rows) {
    if (is_constant(row)) continue;
    for (const double x : {leaves_upper(row), reaches_lower(row)})
      if (std::isfinite(x)) breaks.push_back(x);
  }
  std::sort(breaks.begin(), breaks.end());
  // R(u) = u - u0 - D Phi(u) increases; its root is the answer.
  const auto R = [&](const Line& line, double x) {
    return x - u0 - D * (line.constant - line.slope * x);
  };
  for (const double x : breaks) {
    const Line left = line_beside(law, x, true);
    if (R(left, x) > 0) return meet(left, u0, D);
    const Line right = line_beside(law, x, false);
    const bool is_step = std::any_of(law.rows.begin(), law.rows.end(), [x](const LawRow& row) {
      return is_hard(row) && row.target == x;
    });
    if (is_step && R(right, x) >= 0) {
      LawPoint point;
      point.rate = x;
      point.impulse = (x - u0) / D;
      point.piece = Piece::kVertical;
      return point;
    }
  }
  const double beyond = breaks.empty() ? 0 : breaks.back();
  return meet(line_beside(law, beyond, false), u0, D);
}

std::vector<double> split_impulse(const Law& law, const LawPoint& point) {
  std::vector<double> impulse(law.rows.size(), 0);
  double rest = point.impulse;
  for (std::size_t i = 0; i < law.rows.size(); ++i) {
    const LawRow& row = law.rows[i];
    if (is_constant(row)) {
      impulse[i] = row.lower;
    } else if (!is_hard(row)) {
      impulse[i] = std::clamp((row.target - point.rate) / row.softness, row.lower, row.upper);
    } else if (point.rate != row.target) {
      impulse[i] = point.rate < row.target ? row.upper : row.lower;
    }
    rest -= impulse[i];
  }
  if (point.piece != Piece::kVertical) return impulse;
  for (std::size_t i = 0; i < law.rows.size(); ++i) {
    const LawRow& row = law.rows[i];
    if (!is_hard(row) || row.target != point.rate) continue;
    impulse[i] = std::clamp(rest, row.lower, row.upper);
    rest -= impulse[i];
  }
  return impulse;
}

}  // namespace flexor::reference
