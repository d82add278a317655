//! Exponentials, and what follows from them.

use super::tables::{EXP, EXP2, EXPM1, LN_2, SINH, TANH, WHOLE};
use super::{power_of_two, series, sum};

/// Into a range; NaN stays.
#[inline(always)]
fn clamp(x: f32, low: f32, high: f32) -> f32 {
    let x = if x > high { high } else { x };
    if x < low { low } else { x }
}

/// The whole number that was added to [`WHOLE`].
#[inline(always)]
fn whole(shifted: f32) -> i32 {
    shifted.to_bits().wrapping_sub(WHOLE.to_bits()).cast_signed()
}

/// r and `expm1(r) - r = r^2 q(r)` for |r| <= ln(2)/2, and the whole number e for which x = e ln(2) + r.
#[inline(always)]
fn reduced<const N: usize>(x: f32, q: [f32; N]) -> ([f32; 2], i32) {
    let shifted = x.mul_add(std::f32::consts::LOG2_E, WHOLE);
    let n = shifted - WHOLE;
    // Exact, but for what is added, of which the sum loses a part.
    let (rest, more) = (n.mul_add(-LN_2[0], x), n * -LN_2[1]);
    let r = rest + more;
    let lost = more - (r - rest);
    ([r, (r * r).mul_add(series(r, q), lost)], whole(shifted))
}

/// `p 2^e`, in two steps: the power alone may be no single.
#[inline(always)]
fn scaled(p: f32, e: i32) -> f32 {
    let half = e >> 1;
    p * power_of_two(half) * power_of_two(e.wrapping_sub(half))
}

#[inline(always)]
pub(super) fn exp(x: f32) -> f32 {
    let ([r, rest], e) = reduced(clamp(x, -104.0, 89.0), EXP);
    scaled(1.0 + (r + rest), e)
}

/// `exp(x) / 2`, for positive `x`.
#[inline(always)]
fn half_exp(x: f32) -> f32 {
    let ([r, rest], e) = reduced(clamp(x, 0.0, 90.0), EXP);
    scaled(1.0 + (r + rest), e.wrapping_sub(1))
}

#[inline(always)]
pub(super) fn exp2(x: f32) -> f32 {
    let x = clamp(x, -151.0, 129.0);
    let shifted = x + WHOLE;
    let r = x - (shifted - WHOLE);
    scaled(r.mul_add(series(r, EXP2), 1.0), whole(shifted))
}

#[inline(always)]
pub(super) fn expm1(x: f32) -> f32 {
    let ([r, rest], e) = reduced(clamp(x, -20.0, 89.0), EXPM1);
    // Of half the power: the whole one may be none.
    let power = power_of_two(e.wrapping_sub(1));
    // The difference is exact as long as the power is small.
    let less = if e > 20 { 0.0 } else { 0.5 };
    let y = sum(power - less, r * power, rest.mul_add(power, less - 0.5)) * 2.0;
    (if e == 0 { r + rest } else { y }).copysign(x)
}

#[inline(always)]
pub(super) fn sinh(x: f32) -> f32 {
    let a = x.abs();
    let half = half_exp(a);
    let z = a * a;
    let near = (a * z).mul_add(series(z, SINH), a);
    (if a < 1.0 { near } else { half - 0.25 / half }).copysign(x)
}

#[inline(always)]
pub(super) fn cosh(x: f32) -> f32 {
    let half = half_exp(x.abs());
    half + 0.25 / half
}

#[inline(always)]
pub(super) fn tanh(x: f32) -> f32 {
    let a = x.abs();
    let ([r, rest], e) = reduced(clamp(2.0 * a, 0.0, 20.0), EXP);
    let power = (1.0 + (r + rest)) * power_of_two(e);
    let z = a * a;
    let near = (a * z).mul_add(series(z, TANH), a);
    (if a < 0.63 { near } else { 1.0 - 2.0 / (power + 1.0) }).copysign(x)
}
