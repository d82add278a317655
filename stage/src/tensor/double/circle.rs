//! Sine, cosine and tangent.

use std::f64::consts::{FRAC_2_PI, FRAC_PI_2};

use super::parts::{Pair, product, sum, sum_large_small};
use crate::tensor::series::{WHOLE, series};

/// From here on the C library reduces the argument: rarely needed, and longer than all the rest.
pub(super) const FAR: f64 = 1e8;

/// What the double of pi/2 leaves out, and what that leaves out.
const PI_2_LO: f64 = 6.123_233_995_736_766e-17;
const PI_2_REST: f64 = -1.497_384_904_859_169_8e-33;

/// What is left of x after n quarters of a turn, and the low bits of n. For |x| below [`FAR`].
#[inline(always)]
fn quarter(x: f64) -> (Pair, u64) {
    let n = (x * FRAC_2_PI).round_ties_even();
    // A whole number of units of x's and of pi/2's last places, small: exact.
    let hi = n.mul_add(-FRAC_PI_2, x);
    let below = product(n, PI_2_LO);
    let it = sum(hi, -below.hi);
    let lo = it.lo - n.mul_add(PI_2_REST, below.lo);
    (sum_large_small(it.hi, lo), (n + WHOLE).to_bits())
}

/// The coefficients of r^3, r^5 .. and of r^4, r^6 .., as in FreeBSD's library.
const SIN: [f64; 6] = [
    -1.666_666_666_666_663_2e-1,
    8.333_333_333_322_49e-3,
    -1.984_126_982_985_795e-4,
    2.755_731_370_707_006_8e-6,
    -2.505_076_025_340_686_3e-8,
    1.589_690_995_211_55e-10,
];
const COS: [f64; 6] = [
    4.166_666_666_666_66e-2,
    -1.388_888_888_887_411e-3,
    2.480_158_728_947_673e-5,
    -2.755_731_435_139_066_3e-7,
    2.087_572_321_298_175e-9,
    -1.135_964_755_778_819_5e-11,
];

/// Sine and cosine of r for |r| <= pi/4.
#[inline(always)]
fn sin_cos(r: Pair) -> (Pair, Pair) {
    let z = product(r.hi, r.hi);
    let tail = (r.hi * z.hi).mul_add(series(z.hi, SIN), (-0.5 * z.hi).mul_add(r.lo, r.lo));
    let sin = sum_large_small(r.hi, tail);
    let one = sum_large_small(1.0, -0.5 * z.hi);
    let tail = (z.hi * z.hi).mul_add(series(z.hi, COS), (-0.5_f64).mul_add(z.lo, -r.hi * r.lo));
    let cos = sum_large_small(one.hi, one.lo + tail);
    (sin, cos)
}

#[inline(always)]
pub(super) fn sin(x: f64) -> f64 {
    let (r, n) = quarter(x);
    let (s, c) = sin_cos(r);
    let y = if n & 1 == 1 { c.hi } else { s.hi };
    let y = if n & 2 == 2 { -y } else { y };
    // The sign of zero, and what would vanish on the way.
    if x.abs() < 1e-150 { x } else { y }
}

#[inline(always)]
pub(super) fn cos(x: f64) -> f64 {
    let (r, n) = quarter(x);
    let (s, c) = sin_cos(r);
    let y = if n & 1 == 1 { s.hi } else { c.hi };
    if n.wrapping_add(1) & 2 == 2 { -y } else { y }
}

#[inline(always)]
pub(super) fn tan(x: f64) -> f64 {
    let (r, n) = quarter(x);
    let (s, c) = sin_cos(r);
    let is_odd = n & 1 == 1;
    let over = if is_odd { c.scaled(-1.0) } else { s };
    let under = if is_odd { s } else { c };
    let y = over.over(under).round();
    if x.abs() < 1e-150 { x } else { y }
}
