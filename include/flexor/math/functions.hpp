#pragma once
// Elementary functions of stage code: the same polynomials on every processor and for every lane
// count, so that their bits agree. Arguments and errors (tests/math measures them against libm):
//   sincos  |x| <= 1e4 (float), 1e6 (double): absolute error <= 1 epsilon (1.2e-7, 2.2e-16)
//   atan2   any finite pair, (0, 0) -> 0: error <= 4 ulp, largest just above
//           |y/x| = tan(pi/8); result in [-pi, pi]; a zero has no sign
//   exp     x <= 88 (float), 709 (double): relative error <= 1.2 epsilon; held at the value of
//           that end above it; exactly 0 below -87, -708

#include "flexor/core/scalar.hpp"

namespace flexor {

template <class Real>
FLEXOR_INLINE Real clamp(const Real& x, const Real& low, const Real& high) {
  return min(max(x, low), high);
}

/// Sum a[0] + a[1] x + ... by Horner.
template <class Real, class... Rest>
FLEXOR_INLINE Real polynomial(const Real&, double a0) {
  return Real(static_cast<Scalar<Real>>(a0));
}
template <class Real, class... Rest>
FLEXOR_INLINE Real polynomial(const Real& x, double a0, double a1, Rest... rest) {
  return polynomial(x, a1, rest...) * x + Real(static_cast<Scalar<Real>>(a0));
}

/// sin x and cos x together: reduction to |r| <= pi/4 in three parts, then Taylor polynomials.
template <class Real>
FLEXOR_INLINE void sincos(const Real& x, Real& s, Real& c) {
  using S = Scalar<Real>;
  const Real k = floor(x * Real(S(0.63661977236758134308)) + Real(S(0.5)));
  Real r;
  if constexpr (sizeof(S) == 4) {
    // pi/2 in parts of 11 bits, so that k times a part is exact for |k| < 2^13
    r = ((x - k * Real(S(1.5703125))) - k * Real(S(4.8351287841796875e-4))) -
        k * Real(S(3.1385570764541626e-7)) - k * Real(S(6.0771005065061922e-11));
  } else {
    r = ((x - k * Real(S(1.57079632673412561417e+00))) - k * Real(S(6.07710050630396597660e-11))) -
        k * Real(S(2.02226624879595063154e-21));
  }
  const Real r2 = r * r;
  Real sr, cr;
  if constexpr (sizeof(S) == 4) {
    sr = r + r * r2 * polynomial(r2, -1.6666654611e-1, 8.3321608736e-3, -1.9515295891e-4);
    cr =
        Real(S(1)) - r2 * Real(S(0.5)) +
        r2 * r2 * polynomial(r2, 4.166664568298827e-2, -1.388731625493765e-3, 2.443315711809948e-5);
  } else {
    sr = r + r * r2 *
                 polynomial(r2, -1.66666666666666307295e-1, 8.33333333332211858878e-3,
                            -1.98412698295895385996e-4, 2.75573136213857245213e-6,
                            -2.50507477628578072866e-8, 1.58962301576546568060e-10);
    cr = Real(S(1)) - r2 * Real(S(0.5)) +
         r2 * r2 *
             polynomial(r2, 4.16666666666665929218e-2, -1.38888888888730564116e-3,
                        2.48015872888517045348e-5, -2.75573141792967388112e-7,
                        2.08757008419747316778e-9, -1.13585365213876817300e-11);
  }
  // quadrant k mod 4, by exact arithmetic on whole numbers
  const Real half = floor(k * Real(S(0.5)));
  const auto odd = (k - Real(S(2)) * half) > Real(S(0.5));
  const Real quarter = floor(half * Real(S(0.5)));
  const auto upper = (half - Real(S(2)) * quarter) > Real(S(0.5));  // k mod 4 in {2, 3}
  const Real s0 = select(odd, cr, sr), c0 = select(odd, -sr, cr);
  s = select(upper, -s0, s0);
  c = select(upper, -c0, c0);
}

/// atan(y/x) for 0 <= y <= x; 0 for x = 0.
template <class Real>
FLEXOR_INLINE Real atan_unit(const Real& y, const Real& x) {
  using S = Scalar<Real>;
  // above t = y/x = tan(pi/8): atan t = pi/4 + atan((t - 1)/(t + 1))
  const auto big = y > x * Real(S(0.41421356237309503));
  const Real below = select(big, x + y, x);
  const Real u = select(big, y - x, y) / select(below > Real(S(0)), below, Real(S(1)));
  const Real z = u * u;
  Real r;
  if constexpr (sizeof(S) == 4) {
    r = u +
        u * z *
            polynomial(z, -3.33329491539e-1, 1.99777106478e-1, -1.38776856032e-1, 8.05374449538e-2);
  } else {
    const Real p = polynomial(z, -6.485021904942025371773e1, -1.228866684490136173410e2,
                              -7.500855792314704667340e1, -1.615753718733365076637e1,
                              -8.750608600031904122785e-1);
    const Real q = polynomial(z, 1.945506571482613964425e2, 4.853903996359136964868e2,
                              4.328810604912902668951e2, 1.650270098316988542046e2,
                              2.485846490142306297962e1, 1.0);
    r = u + u * z * (p / q);
  }
  return select(big, r + Real(S(0.78539816339744830962)), r);
}

template <class Real>
FLEXOR_INLINE Real atan2(const Real& y, const Real& x) {
  using S = Scalar<Real>;
  const Real zero(S(0));
  const Real ax = abs(x), ay = abs(y);
  const auto steep = ay > ax;
  const Real low = select(steep, ax, ay), high = select(steep, ay, ax);
  Real r = atan_unit(low, high);
  r = select(steep, Real(S(1.57079632679489661923)) - r, r);
  r = select(x < zero, Real(S(3.14159265358979323846)) - r, r);
  return select(y < zero, -r, r);
}

/// e^x.
template <class Real>
FLEXOR_INLINE Real exp(const Real& x) {
  using S = Scalar<Real>;
  constexpr double low = sizeof(S) == 4 ? -87.0 : -708.0, high = sizeof(S) == 4 ? 88.0 : 709.0;
  const Real y = clamp(x, Real(static_cast<S>(low)), Real(static_cast<S>(high)));
  const Real k = floor(y * Real(S(1.44269504088896340736)) + Real(S(0.5)));
  Real r;
  if constexpr (sizeof(S) == 4) {
    r = (y - k * Real(S(0.693359375))) - k * Real(S(-2.12194440e-4));
    r = Real(S(1)) + r +
        r * r *
            polynomial(r, 5.0000001201e-1, 1.6666665459e-1, 4.1665795894e-2, 8.3334519073e-3,
                       1.3981999507e-3, 1.9875691500e-4);
  } else {
    r = (y - k * Real(S(6.93145751953125e-1))) - k * Real(S(1.42860682030941723212e-6));
    const Real r2 = r * r;
    const Real p = r * polynomial(r2, 9.99999999999999999910e-1, 3.02994407707441961300e-2,
                                  1.26177193074810590878e-4);
    const Real q = polynomial(r2, 2.00000000000000000005e0, 2.27265548208155028766e-1,
                              2.52448340349684104192e-3, 3.00198505138664455042e-6);
    r = Real(S(1)) + Real(S(2)) * p / (q - p);
  }
  return select(x < Real(static_cast<S>(low)), Real(S(0)), r * power_of_two(k));
}

}  // namespace flexor
