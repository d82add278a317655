//! Functions of the circle.

use std::f32::consts::FRAC_2_PI;

use super::tables::{ATAN, COS, HALF_PI, SIN, TAN, WHOLE};
use super::{series, signed_zero, sum};

/// What is left of x after n quarters of a turn, in two parts, and n. For |x| below [`FAR`](super::tables::FAR).
#[inline(always)]
fn quarter(x: f32) -> ([f32; 2], u32) {
    let shifted = x.mul_add(FRAC_2_PI, WHOLE);
    let n = shifted - WHOLE;
    // Exact: both are multiples of 2^-24, and nearly the same.
    let rest = n.mul_add(-HALF_PI[0], x);
    let more = n * -HALF_PI[1];
    let r = rest + more;
    // What the sum and the product have lost.
    let added = r - rest;
    let low = (rest - (r - added)) + (more - added);
    let low = low + n.mul_add(-HALF_PI[1], -more);
    ([r, n.mul_add(-HALF_PI[2], low)], shifted.to_bits())
}

#[inline(always)]
fn sin_small([r, low]: [f32; 2]) -> f32 {
    let z = r * r;
    let low = (low * z).mul_add(-0.5, low);
    r + (r * z).mul_add(series(z, SIN), low)
}

#[inline(always)]
fn cos_small([r, low]: [f32; 2]) -> f32 {
    let z = r * r;
    let rest = (z * z).mul_add(series(z, COS), -r * low);
    sum(1.0, -0.5 * z, rest)
}

/// The sine or cosine that n quarters more are.
#[inline(always)]
fn turned(r: [f32; 2], n: u32) -> f32 {
    let y = if n & 1 == 1 { cos_small(r) } else { sin_small(r) };
    f32::from_bits(y.to_bits() ^ (n & 2) << 30)
}

#[inline(always)]
pub(super) fn sin(x: f32) -> f32 {
    let (r, n) = quarter(x);
    signed_zero(turned(r, n), x)
}

#[inline(always)]
pub(super) fn cos(x: f32) -> f32 {
    let (r, n) = quarter(x);
    turned(r, n.wrapping_add(1))
}

#[inline(always)]
pub(super) fn tan(x: f32) -> f32 {
    let ([r, low], n) = quarter(x);
    let z = r * r;
    let y = r + (r * z).mul_add(series(z, TAN), low.mul_add(z, low));
    signed_zero(if n & 1 == 1 { -1.0 / y } else { y }, x)
}

/// For |x| <= 1 a series; the rest of the line is folded into that.
#[inline(always)]
pub(super) fn atan(x: f32) -> f32 {
    let a = x.abs();
    let a = if a > 1e9 { 1e9 } else { a };
    let is_far = a > 1.0;
    let t = if is_far { 1.0 / a } else { a };
    let z = t * t;
    let rest = t * z * series(z, ATAN);
    // What the quotient has lost.
    let lost = (-t).mul_add(a, 1.0) * t * z.mul_add(-0.5, 1.0);
    let y = if is_far { sum(HALF_PI[0], -t, HALF_PI[1] - (rest + lost)) } else { t + rest };
    y.copysign(x)
}
