//! Exponentials, and what is made of them.

use std::f64::consts::{LN_2, LOG2_E};

use super::parts::{Pair, clamp, sum, sum_large_small};
use crate::tensor::series::{WHOLE, inverse_factorials, power_of_two, series};

/// ln(2) in parts: times a whole number of twelve bits the first one is exact.
const LN_2_HI: f64 = 6.931_471_803_691_238e-1;
const LN_2_LO: f64 = 1.908_214_929_270_587_7e-10;

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

/// (expm1(r) - r) / r^2 for |r| <= ln(2)/2: to 2^-57 of exp(r), nearly the least of that length.
const EXP: [f64; 10] = [
    0.500_000_000_000_001_3,
    0.166_666_666_666_666_69,
    0.041_666_666_666_510_47,
    0.008_333_333_333_329_04,
    0.001_388_888_894_835_495_4,
    0.000_198_412_698_654_977_13,
    2.480_148_851_025_687e-5,
    2.755_726_640_812_649e-6,
    2.763_180_556_604_022e-7,
    2.510_091_091_651_865e-8,
];
/// (2^r - 1) / r for |r| <= 1/2: to 2^-56 of 2^r.
const EXP2: [f64; 11] = [
    LN_2,
    0.240_226_506_959_101_33,
    0.055_504_108_664_821_74,
    0.009_618_129_107_593_333,
    0.001_333_355_814_637_898_6,
    0.000_154_035_304_580_779_72,
    1.525_273_386_758_037_5e-5,
    1.321_543_481_760_775e-6,
    1.017_804_644_852_093_2e-7,
    7.073_860_076_973_114e-9,
    4.457_388_665_796_025e-10,
];

/// `y 2^n`, rounded once also where that is subnormal, for a whole number that was added to [`WHOLE`] and lies between -1100
/// and 1100.
#[inline(always)]
fn times_power(y: f64, shifted: f64) -> f64 {
    // More than twice the number is positive, so that it is halved by a shift.
    let n = shifted.to_bits().wrapping_sub(WHOLE.to_bits() - 2048);
    let half = n >> 1;
    let power = |n: u64| f64::from_bits(n.wrapping_sub(1) << 52);
    y * power(half) * power(n.wrapping_sub(half))
}

#[inline(always)]
pub(super) fn exp(x: f64) -> f64 {
    let x = clamp(x, -750.0, 715.0);
    let shifted = x.mul_add(LOG2_E, WHOLE);
    let n = shifted - WHOLE;
    let (rest, more) = (n.mul_add(-LN_2_HI, x), n * -LN_2_LO);
    let r = rest + more;
    let lost = more - (r - rest);
    times_power(1.0 + (r + (r * r).mul_add(series(r, EXP), lost)), shifted)
}

#[inline(always)]
pub(super) fn exp2(x: f64) -> f64 {
    let x = clamp(x, -1100.0, 1100.0);
    let shifted = x + WHOLE;
    let r = x - (shifted - WHOLE);
    times_power(r.mul_add(series(r, EXP2), 1.0), shifted)
}

/// `2 ** x` of a number in two parts, of which the second counts where the first is near zero enough for a result.
#[inline(always)]
pub(super) fn exp2_of(x: Pair) -> f64 {
    let hi = clamp(x.hi, -1100.0, 1100.0);
    let lo = if hi == x.hi { x.lo } else { 0.0 };
    let shifted = hi + WHOLE;
    let r = hi - (shifted - WHOLE);
    let beyond = r * series(r, EXP2);
    times_power(1.0 + (lo * LN_2).mul_add(1.0 + beyond, beyond), shifted)
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
