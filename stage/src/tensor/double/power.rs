//! Powers: a logarithm to base two in two doubles, which holds for exponents up to a thousand, and an exponential of it.

use super::exp::exp2_of;
use super::log::{edges, normal, split};
use super::parts::{Pair, product, sum_large_small};
use crate::tensor::series::series;

/// The coefficients of `atanh(s) / s` as a series in `s^2`, from the fourth on: 1/7, 1/9, ..
const REST: [f64; 11] = odd_inverses(7);
const THIRD: Pair = Pair { hi: 1.0 / 3.0, lo: 1.850_371_707_708_594e-17 };
const FIFTH: Pair = Pair { hi: 0.2, lo: -1.110_223_024_625_156_6e-17 };
/// 2/ln(2).
const BOTH_SIDES: Pair = Pair { hi: 2.0 * std::f64::consts::LOG2_E, lo: 4.071_054_748_186_206_6e-17 };

/// 1/first, 1/(first + 2), ..
const fn odd_inverses<const N: usize>(first: usize) -> [f64; N] {
    let mut all = [1.0; N];
    let mut k = 0;
    while k < N {
        all[k] = 1.0 / (first + 2 * k) as f64;
        k += 1;
    }
    all
}

/// `first + x y`, where that is nearly `first`.
#[inline(always)]
fn near(first: Pair, x: Pair, y: Pair) -> Pair {
    let it = product(x.hi, y.hi);
    let sum = sum_large_small(first.hi, it.hi);
    Pair { hi: sum.hi, lo: sum.lo + (it.lo + (x.hi.mul_add(y.lo, x.lo.mul_add(y.hi, first.lo)))) }
}

/// `x y`, to nearly twice a double's precision.
#[inline(always)]
fn times(x: Pair, y: Pair) -> Pair {
    let it = product(x.hi, y.hi);
    Pair { hi: it.hi, lo: it.lo + x.hi.mul_add(y.lo, x.lo * y.hi) }
}

/// The logarithm to base two of `2^more x`, for positive normal `x`: to 2^-66 of it.
#[inline(always)]
fn log2(x: f64, more: f64) -> Pair {
    let (e, m) = split(x);
    let e = e + more;
    // log(m) = 2 atanh(s) for s = (m - 1) / (m + 1).
    let f = m - 1.0;
    let below = sum_large_small(2.0, f);
    let inverse = 1.0 / below.hi;
    let hi = f * inverse;
    let left = (-hi).mul_add(below.lo, (-hi).mul_add(below.hi, f));
    let s = Pair { hi, lo: left * inverse };
    let square = product(s.hi, s.hi);
    let z = Pair { hi: square.hi, lo: (2.0 * s.hi).mul_add(s.lo, square.lo) };
    let it = near(FIFTH, z, Pair { hi: series(z.hi, REST), lo: 0.0 });
    let it = near(THIRD, z, it);
    let it = near(Pair { hi: 1.0, lo: 0.0 }, z, it);
    let it = times(times(s, it), BOTH_SIDES);
    // The exponent is zero or larger than the rest.
    let all = sum_large_small(e, it.hi);
    sum_large_small(all.hi, all.lo + it.lo)
}

/// `a ** y`, for `a` not negative.
#[inline(always)]
pub(super) fn of_size(a: f64, y: f64) -> f64 {
    let (normal, more) = normal(a);
    let log = log2(normal, more);
    let hi = y * edges(a, log.hi);
    let lo = y.mul_add(log.lo, y.mul_add(log.hi, -hi));
    let size = exp2_of(Pair { hi, lo });
    if (a == 1.0) & !y.is_nan() { 1.0 } else { size }
}
