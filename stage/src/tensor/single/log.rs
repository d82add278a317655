//! Logarithms.

use super::tables::{LN_2, LOG, LOG2, LOG2_E, LOG10, LOG10_E, ROOT_HALF};
use super::{power_of_two, series, sum};

/// x = 2^e (1 + f) with 1 + f between sqrt(1/2) and sqrt(2), for positive normal x.
#[inline(always)]
fn split(x: f32) -> (i32, f32) {
    let e = x.to_bits().wrapping_sub(ROOT_HALF).cast_signed() >> 23;
    (e, f32::from_bits(x.to_bits().wrapping_sub((e << 23).cast_unsigned())) - 1.0)
}

/// log(1 + f) - f.
#[inline(always)]
fn rest(f: f32) -> f32 {
    let z = f * f;
    (z * f).mul_add(series(f, LOG), -0.5 * z)
}

/// log(x 2^more) for positive normal `x`.
#[inline(always)]
pub(super) fn log(x: f32, more: f32) -> f32 {
    let (e, f) = split(x);
    let e = e as f32 + more;
    sum(e * LN_2[0], f, e.mul_add(LN_2[1], rest(f)))
}

/// A logarithm of `x 2^more` for positive normal `x`, by those of e and of two to its base, in two parts each. The first of
/// two's is exact times any exponent.
#[inline(always)]
fn to_base(x: f32, more: f32, of_e: [f32; 2], of_two: [f32; 2]) -> f32 {
    let (e, f) = split(x);
    let e = e as f32 + more;
    let product = f * of_e[0];
    let low = e.mul_add(of_two[1], f.mul_add(of_e[1], f.mul_add(of_e[0], -product)));
    sum(e * of_two[0], product, rest(f).mul_add(of_e[0], low))
}

#[inline(always)]
pub(super) fn log2(x: f32, more: f32) -> f32 {
    to_base(x, more, LOG2_E, LOG2)
}

#[inline(always)]
pub(super) fn log10(x: f32, more: f32) -> f32 {
    to_base(x, more, LOG10_E, LOG10)
}

/// log(1 + x) for x above -1.
#[inline(always)]
pub(super) fn log1p(x: f32) -> f32 {
    let one_more = 1.0 + x;
    // What the sum has lost.
    let lost = if x.abs() > 1.0 { 1.0 - (one_more - x) } else { x - (one_more - 1.0) };
    let (e, f) = split(one_more);
    let lost = lost * power_of_two(e.min(100).wrapping_neg());
    let lost = lost * f.mul_add(f - 1.0, 1.0);
    let power = e as f32;
    sum(power * LN_2[0], f, power.mul_add(LN_2[1], rest(f) + lost)).copysign(x)
}

/// What a logarithm is where the series does not hold.
#[inline(always)]
pub(super) fn edges(x: f32, y: f32) -> f32 {
    let y = if x == f32::INFINITY { x } else { y };
    let y = if x == 0.0 { f32::NEG_INFINITY } else { y };
    if x < 0.0 || x.is_nan() { f32::NAN } else { y }
}

/// A logarithm of any number.
#[inline(always)]
pub(super) fn anywhere(x: f32, log: impl Fn(f32, f32) -> f32) -> f32 {
    let is_small = x < f32::MIN_POSITIVE;
    let y = log(if is_small { x * 16_777_216.0 } else { x }, if is_small { -24.0 } else { 0.0 });
    edges(x, y)
}
