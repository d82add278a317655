//! Exponentials, and what is made of them.

use std::f64::consts::{LN_2, LOG2_E};

use super::parts::{Pair, clamp, sum, sum_large_small};
use crate::tensor::series::{inverse_factorials, power_of_two, series};

/// ln(2) in parts: times a whole number of twelve bits the first one is exact.
const LN_2_HI: f64 = 6.931_471_803_691_238e-1;
const LN_2_LO: f64 = 1.908_214_929_270_587_7e-10;
/// What the double of ln(2) leaves out.
const LN_2_REST: f64 = 2.319_046_813_846_299_6e-17;

/// 1/k! for k = 2 to 13.
const TAIL: [f64; 12] = inverse_factorials(2);

/// `x = n ln(2) + r`, with `|r| <= ln(2)/2`.
#[inline(always)]
fn reduced(x: f64) -> (f64, Pair) {
    let n = (x * LOG2_E).round_ties_even();
    let hi = n.mul_add(-LN_2_HI, x);
    let r = n.mul_add(-LN_2_LO, hi);
    (n, Pair { hi: r, lo: n.mul_add(-LN_2_LO, hi - r) })
}

/// `exp(r) - 1 - r.hi`.
#[inline(always)]
fn tail(r: Pair) -> f64 {
    (r.hi * r.hi).mul_add(series(r.hi, TAIL), r.lo.mul_add(r.hi, r.lo))
}

/// `exp(r)`.
#[inline(always)]
fn near_one(r: Pair) -> Pair {
    let it = sum_large_small(1.0, r.hi);
    Pair { hi: it.hi, lo: it.lo + tail(r) }
}

/// `y 2^n`, rounded once also where that is subnormal, for `n` up to twice the range of exponents.
#[inline(always)]
fn scaled(y: f64, n: f64) -> f64 {
    let half = (n * 0.5).floor();
    y * power_of_two(half) * power_of_two(n - half)
}

#[inline(always)]
pub(super) fn exp(x: f64) -> f64 {
    let (n, r) = reduced(clamp(x, -1000.0, 1000.0));
    scaled(near_one(r).round(), n)
}

#[inline(always)]
pub(super) fn exp2(x: f64) -> f64 {
    let x = clamp(x, -1400.0, 1400.0);
    let n = x.round_ties_even();
    let f = x - n;
    let hi = f * LN_2;
    let r = Pair { hi, lo: f.mul_add(LN_2, -hi) + f * LN_2_REST };
    scaled(near_one(r).round(), n)
}

/// A quarter of `exp(x) - 1`, which is finite a little longer than all of it.
#[inline(always)]
fn quarter_expm1(x: f64) -> Pair {
    let (n, r) = reduced(x);
    let scale = power_of_two(n - 2.0);
    let below = sum(scale, -0.25);
    let it = sum(below.hi, scale * r.hi);
    sum_large_small(it.hi, scale.mul_add(tail(r), below.lo + it.lo))
}

#[inline(always)]
pub(super) fn expm1(x: f64) -> f64 {
    let y = quarter_expm1(clamp(x, -60.0, 710.0)).hi * 4.0;
    // Of these the square is nothing, and a quarter of the least would be.
    if x.abs() < 1e-290 { x } else { y }
}

#[inline(always)]
pub(super) fn tanh(x: f64) -> f64 {
    let a = x.abs();
    let quarter = quarter_expm1(clamp(a, 0.0, 25.0) * 2.0);
    let y = quarter.over(quarter.plus(Pair { hi: 0.5, lo: 0.0 })).round();
    if a < 1e-8 { x } else { y.copysign(x) }
}

#[inline(always)]
pub(super) fn sinh(x: f64) -> f64 {
    let a = x.abs();
    let quarter = quarter_expm1(clamp(a, 0.0, 710.6));
    // exp(x) - 1 + (exp(x) - 1) / exp(x), by four.
    let rest = quarter.over(quarter.plus(Pair { hi: 0.25, lo: 0.0 })).scaled(0.25);
    let y = quarter.plus(rest).hi * 2.0;
    if a < 1e-8 { x } else { y.copysign(x) }
}

#[inline(always)]
pub(super) fn cosh(x: f64) -> f64 {
    let (n, r) = reduced(clamp(x.abs(), 0.0, 710.6));
    let it = near_one(r);
    let quarter = sum_large_small(it.hi, it.lo).scaled(power_of_two(n - 2.0));
    let all = sum(quarter.hi, 0.0625 / quarter.hi);
    (all.hi + (all.lo + quarter.lo)) * 2.0
}
