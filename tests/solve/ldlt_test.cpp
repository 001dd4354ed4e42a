// A = L D L^T in a block envelope: against Eigen, and with the same bits for every team, stride and
// lane count.

#include "flexor/solve/ldlt.hpp"

#include <Eigen/Dense>

#include "core/lanes.hpp"
#include "gtest/gtest.h"

namespace flexor::tests {
namespace {

/// |A x - b| relative to |A| |x|, in epsilon times the size of the matrix.
constexpr double kResidual = 8;

/// A positive definite matrix that vanishes outside a random block envelope, and where its elements
/// lie. Everything outside the envelope is NaN in the cells: a factor that reads it shows.
struct Envelope {
  int nv, n, size = 0;
  std::vector<int> first, address;
  Eigen::MatrixXd matrix;
  Eigen::VectorXd right;

  Envelope(int nv_, std::mt19937& random) : nv(nv_), n(padded(nv_)) {
    for (int i = 0; i < n; i += 2) {
      const int f = 2 * std::uniform_int_distribution<int>(0, i / 2)(random);
      for (int k = 0; k < 2; ++k) {
        first.push_back(f);
        address.push_back(size - f);
        size += i + 2 - f;
      }
    }
    std::uniform_real_distribution<double> uniform(-1, 1);
    matrix = Eigen::MatrixXd::Zero(n, n);
    right = Eigen::VectorXd::Zero(n);
    for (int i = 0; i < nv; ++i) {
      for (int j = first[std::size_t(i)]; j < i; ++j) matrix(i, j) = matrix(j, i) = uniform(random);
      right[i] = uniform(random);
    }
    for (int i = 0; i < nv; ++i) {  // dominant by a little, over two decades of scale
      matrix(i, i) = 1.05 * matrix.row(i).cwiseAbs().sum() + 0.1;
    }
    Eigen::VectorXd scale = Eigen::VectorXd::Ones(n);
    for (int i = 0; i < nv; ++i) scale[i] = std::pow(10, uniform(random));
    matrix = scale.asDiagonal() * matrix * scale.asDiagonal();
    if (n > nv) matrix(nv, nv) = 1;  // the unit row that pads an odd size
  }

  PlanView plan() const {
    PlanView p{};
    p.nv = nv;
    p.row_first = first.data();
    p.row_address = address.data();
    return p;
  }
};

/// Cells of the test: matrix, factor, inverse pivots, scratch, solution, sums.
struct Layout {
  int a = 0, u, pivot, scratch, x, sum, total;
  explicit Layout(const Envelope& e, bool in_place) {
    u = in_place ? 0 : e.size;
    pivot = u + e.size;
    scratch = pivot + e.n;
    x = scratch + 2 * (e.nv + 2);
    sum = x + e.n;
    total = sum + e.n;
  }
};

/// Solution by one team in given cells, the same in all lanes.
template <class Real, class Team, class CellsType>
Eigen::VectorXd solved(const Envelope& e, const Layout& at, const Team& team,
                       const CellsType& cells) {
  using S = Scalar<Real>;
  const PlanView plan = e.plan();
  const auto w = writable(cells);
  for (int i = 0; i < at.total; ++i) w[i] = Real(std::numeric_limits<S>::quiet_NaN());
  for (int i = 0; i < e.n; ++i) {
    for (int j = e.first[std::size_t(i)]; j <= i; ++j) {
      w[at.a + e.address[std::size_t(i)] + j] = Real(S(e.matrix(i, j)));
    }
    w[at.x + i] = Real(S(e.right[i]));
  }
  const Context<Real, Team, CellsType> c{plan, {}, {}, {}, team, cells, 0, Mask<Real>{}, false};
  factor_ldlt(c, FreeEntries{}, at.a, at.u, at.pivot, at.scratch);
  c.single([&](const auto& v) { solve_ldlt(c, v, FreeEntries{}, at.u, at.pivot, at.x, at.sum); });
  Eigen::VectorXd x(e.n);
  for (int i = 0; i < e.n; ++i) {
    S lanes[Lanes<Real>::count];
    store(lanes, cells[at.x + i]);
    for (const S y : lanes) EXPECT_TRUE(same_bits(y, lanes[0]));
    x[i] = lanes[0];
  }
  return x;
}

template <class Real>
Eigen::VectorXd solved_serially(const Envelope& e, bool in_place = false) {
  const Layout at(e, in_place);
  std::vector<Real> memory(std::size_t(at.total));
  return solved<Real>(e, at, SerialTeam{}, DenseCells<Real>{memory.data()});
}

template <class F>
void for_random_envelopes(F f) {
  std::mt19937 random(23);
  for (int nv = 1; nv <= 24; ++nv) {
    for (int i = 0; i < 4; ++i) f(Envelope(nv, random));
  }
}

void expect_solution(const Envelope& e, const Eigen::VectorXd& x, double epsilon) {
  const double scale = e.matrix.norm() * x.norm() * e.n * epsilon;
  EXPECT_LE((e.matrix * x - e.right).norm(), kResidual * scale) << "n = " << e.nv;
}

TEST(Ldlt, solves_what_Eigen_solves_for_every_size_and_envelope) {
  for_random_envelopes([](const Envelope& e) {
    const Eigen::VectorXd x = solved_serially<double>(e);
    expect_solution(e, x, kEpsilon<double>);
    const Eigen::VectorXd expected = e.matrix.ldlt().solve(e.right);
    EXPECT_LE((x - expected).norm(), 1e-10 * expected.norm()) << "n = " << e.nv;
    if (e.n > e.nv) {
      EXPECT_EQ(x[e.nv], 0);  // of the padding
    }
    expect_solution(e, solved_serially<float>(e), kEpsilon<float>);
  });
}

TEST(Ldlt, matrix_and_factor_may_be_the_same_cells) {
  for_random_envelopes([](const Envelope& e) {
    EXPECT_TRUE((solved_serially<double>(e, true)) == (solved_serially<double>(e, false))) << e.nv;
  });
}

TEST(Ldlt, bits_do_not_depend_on_the_team_nor_on_the_stride) {
  constexpr int stride = 32, world = 7;
  for_random_envelopes([](const Envelope& e) {
    const Layout at(e, false);
    const Eigen::VectorXd serial = solved_serially<double>(e);
    for (const LaneOrder order :
         {LaneOrder::kForward, LaneOrder::kBackward, LaneOrder::kShuffled}) {
      std::vector<double> memory(std::size_t(at.total * stride));
      const Cells<double> cells{memory.data() + world, stride};
      EXPECT_TRUE((solved<double>(e, at, HostTeam<8>{order}, cells)) == serial) << e.nv;
      EXPECT_TRUE((solved<double>(e, at, HostTeam<32>{order}, cells)) == serial) << e.nv;
    }
  });
}

TEST(Ldlt, bits_of_packs_are_those_of_scalars) {
  for_random_envelopes([](const Envelope& e) {
    EXPECT_TRUE((solved_serially<Pack<double, 2>>(e)) == (solved_serially<double>(e))) << e.nv;
    EXPECT_TRUE((solved_serially<Pack<float, 4>>(e)) == (solved_serially<float>(e))) << e.nv;
  });
}

/// Solution with some entries held at known values, and what they are held with.
struct Held {
  std::vector<bool> held;
  Eigen::VectorXd known, x, reaction;
};

template <class Real, class Team>
Held solved_held(const Envelope& e, const Team& team, std::mt19937& random, bool at_zero) {
  using S = Scalar<Real>;
  Held result{std::vector<bool>(std::size_t(e.n)), Eigen::VectorXd::Zero(e.n), Eigen::VectorXd(e.n),
              Eigen::VectorXd(e.n)};
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int i = 0; i < e.nv; ++i) {
    result.held[std::size_t(i)] = uniform(random) > 0;
    if (result.held[std::size_t(i)] && !at_zero) result.known[i] = S(uniform(random));
  }
  const Layout at(e, false);
  const int held = at.total, known = held + e.n, reaction = known + e.n;
  std::vector<Real> memory(std::size_t(reaction + e.n), Real(std::numeric_limits<S>::quiet_NaN()));
  const DenseCells<Real> cells{memory.data()};
  const auto w = writable(cells);
  for (int i = 0; i < e.n; ++i) {
    for (int j = e.first[std::size_t(i)]; j <= i; ++j) {
      w[at.a + e.address[std::size_t(i)] + j] = Real(S(e.matrix(i, j)));
    }
    w[at.x + i] = Real(S(e.right[i]));
    w[held + i] = Real(S(result.held[std::size_t(i)]));
    // what is known of a free entry is nobody's business
    if (result.held[std::size_t(i)]) w[known + i] = Real(S(result.known[i]));
  }
  const PlanView plan = e.plan();
  const Context<Real, Team, DenseCells<Real>> c{plan,  {}, {},           {},   team,
                                                cells, 0,  Mask<Real>{}, false};
  const HeldEntries entries{held, at_zero ? -1 : known, reaction};
  factor_ldlt(c, entries, at.a, at.u, at.pivot, at.scratch);
  c.single([&](const auto& v) { solve_ldlt(c, v, entries, at.u, at.pivot, at.x, at.sum); });
  for (int i = 0; i < e.n; ++i) {
    S lanes[Lanes<Real>::count];
    store(lanes, cells[at.x + i]);
    result.x[i] = lanes[0];
    store(lanes, cells[reaction + i]);
    result.reaction[i] = lanes[0];
  }
  return result;
}

TEST(Ldlt, held_entries_keep_their_value_and_say_what_holds_them) {
  std::mt19937 random(5);
  for (const bool at_zero : {false, true}) {
    for_random_envelopes([&](const Envelope& e) {
      const Held r = solved_held<double>(e, SerialTeam{}, random, at_zero);
      const Eigen::VectorXd left = e.matrix * r.x - e.right;
      const double scale = e.matrix.norm() * (r.x.norm() + 1) * e.n * kEpsilon<double>;
      for (int i = 0; i < e.n; ++i) {
        if (r.held[std::size_t(i)]) {
          EXPECT_EQ(r.x[i], r.known[i]) << "n = " << e.nv;
          EXPECT_NEAR(r.reaction[i], left[i], kResidual * scale) << "n = " << e.nv;
        } else {
          EXPECT_NEAR(left[i], 0, kResidual * scale) << "n = " << e.nv;
        }
      }
    });
  }
}

TEST(Ldlt, held_entries_give_the_same_bits_for_every_team_and_pack) {
  for_random_envelopes([](const Envelope& e) {
    std::mt19937 a(e.nv), b(e.nv), c(e.nv);
    const Held serial = solved_held<double>(e, SerialTeam{}, a, false);
    const Held team = solved_held<double>(e, HostTeam<8>{LaneOrder::kShuffled}, b, false);
    const Held pack = solved_held<Pack<double, 2>>(e, SerialTeam{}, c, false);
    EXPECT_TRUE(serial.x == team.x && serial.reaction == team.reaction) << e.nv;
    EXPECT_TRUE(serial.x == pack.x && serial.reaction == pack.reaction) << e.nv;
  });
}

// U = L D with unit L: D of the factor is what the inverse pivots invert.
TEST(Ldlt, factor_and_pivots_multiply_to_the_matrix) {
  for_random_envelopes([](const Envelope& e) {
    const Layout at(e, false);
    std::vector<double> memory(std::size_t(at.total));
    solved<double>(e, at, SerialTeam{}, DenseCells<double>{memory.data()});
    Eigen::MatrixXd L = Eigen::MatrixXd::Identity(e.n, e.n);
    Eigen::VectorXd d(e.n);
    for (int i = 0; i < e.n; ++i) {
      d[i] = 1 / memory[std::size_t(at.pivot + i)];
      EXPECT_GT(d[i], 0);
      for (int j = e.first[std::size_t(i)]; j < i; ++j) {
        L(i, j) = memory[std::size_t(at.u + e.address[std::size_t(i)] + j)] *
                  memory[std::size_t(at.pivot + j)];
      }
    }
    const Eigen::MatrixXd back = L * d.asDiagonal() * L.transpose();
    EXPECT_LE((back - e.matrix).norm(), 1e-14 * e.n * e.matrix.norm()) << "n = " << e.nv;
  });
}

}  // namespace
}  // namespace flexor::tests
