//! Functions of singles that are evaluated in doubles, and rounded by who calls: those that are rare, and
//! powers, of which few bits would be left in singles.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, LN_2, LOG2_E, PI};

use super::super::double;
use super::super::series::{WHOLE, power_of_two, series};
use super::tables::wide::{ATAN, ATANH, COS, EXP, HALF_PI_LOW, ROOT_HALF, SIN, TAN_PI_8};

#[inline(always)]
pub(super) fn power(x: f64, y: f64) -> f64 {
    let a = x.abs();
    let size = exp2(y * log_edges(a, log2(a)));
    let size = if (a == 1.0) & !y.is_nan() { 1.0 } else { size };
    let it = double::with_sign(x, y, size);
    if (x == 1.0) | (y == 0.0) { 1.0 } else { it }
}

/// Into a range; NaN stays.
#[inline(always)]
fn clamp(x: f64, limit: f64) -> f64 {
    let x = if x > limit { limit } else { x };
    if x < -limit { -limit } else { x }
}

#[inline(always)]
fn exp2(x: f64) -> f64 {
    let x = clamp(x, 400.0);
    let n = x.round_ties_even();
    series((x - n) * LN_2, EXP) * power_of_two(n)
}

/// 2 atanh(s), for |s| <= 0.18: log((1+s)/(1-s)).
#[inline(always)]
fn log_ratio(s: f64) -> f64 {
    2.0 * s * series(s * s, ATANH)
}

/// x = 2^e m with m between sqrt(1/2) and sqrt(2), for positive normal x.
#[inline(always)]
fn split(x: f64) -> (f64, f64) {
    let shifted = x.to_bits().wrapping_sub(ROOT_HALF);
    let e = (shifted as i64) >> 52;
    let m = f64::from_bits(x.to_bits().wrapping_sub((e as u64) << 52));
    (e as i32 as f64, m)
}

/// What a logarithm is where the series does not hold.
#[inline(always)]
fn log_edges(x: f64, y: f64) -> f64 {
    let y = if x == f64::INFINITY { x } else { y };
    let y = if x == 0.0 { f64::NEG_INFINITY } else { y };
    if x < 0.0 || x.is_nan() { f64::NAN } else { y }
}

#[inline(always)]
fn log(x: f64) -> f64 {
    log_edges(x, log_inside(x))
}

/// For positive normal `x`.
#[inline(always)]
fn log_inside(x: f64) -> f64 {
    let (e, m) = split(x);
    e.mul_add(LN_2, log_ratio((m - 1.0) / (m + 1.0)))
}

/// For positive normal `x`.
#[inline(always)]
fn log2(x: f64) -> f64 {
    let (e, m) = split(x);
    log_ratio((m - 1.0) / (m + 1.0)).mul_add(LOG2_E, e)
}

/// Below 0.35 without the sum `1 + x`, which would round.
#[inline(always)]
fn log1p(x: f64) -> f64 {
    if x.abs() < 0.35 { log_ratio(x / (2.0 + x)) } else { log(1.0 + x) }
}

/// Sine and cosine of r for |r| <= pi/4.
#[inline(always)]
fn sin_cos_small(r: f64) -> (f64, f64) {
    let z = r * r;
    let sin = series(z, SIN);
    let cos = series(z, COS);
    (r * sin, cos)
}

/// What is left of x after n quarters of a turn, and n mod 4. For |x| below [`FAR`](super::tables::wide::FAR).
#[inline(always)]
fn quarter(x: f64) -> (f64, u64) {
    let n = (x * (2.0 / PI)).round_ties_even();
    let r = n.mul_add(-HALF_PI_LOW, n.mul_add(-FRAC_PI_2, x));
    (r, (n + WHOLE).to_bits() & 3)
}

#[inline(always)]
pub(super) fn sin(x: f64) -> f64 {
    let (r, n) = quarter(x);
    let (s, c) = sin_cos_small(r);
    let y = if n & 1 == 1 { c } else { s };
    if n & 2 == 2 { -y } else { y }
}

#[inline(always)]
pub(super) fn cos(x: f64) -> f64 {
    let (r, n) = quarter(x);
    let (s, c) = sin_cos_small(r);
    let y = if n & 1 == 1 { s } else { c };
    if (n + 1) & 2 == 2 { -y } else { y }
}

#[inline(always)]
pub(super) fn tan(x: f64) -> f64 {
    let (r, n) = quarter(x);
    let (s, c) = sin_cos_small(r);
    if n & 1 == 1 { -c / s } else { s / c }
}

/// For |x| <= tan(pi/8) a series; the rest of the line is folded into that.
#[inline(always)]
fn atan(x: f64) -> f64 {
    let a = x.abs();
    let inverted = a > 1.0;
    let t = if inverted { 1.0 / a } else { a };
    let folded = t > TAN_PI_8;
    let u = if folded { (t - 1.0) / (t + 1.0) } else { t };
    let y = u * series(u * u, ATAN);
    let y = if folded { FRAC_PI_4 + y } else { y };
    let y = if inverted { FRAC_PI_2 - y } else { y };
    y.copysign(x)
}

#[inline(always)]
pub(super) fn asin(x: f64) -> f64 {
    atan(x / ((1.0 - x) * (1.0 + x)).sqrt())
}

#[inline(always)]
pub(super) fn acos(x: f64) -> f64 {
    let y = atan(((1.0 - x) * (1.0 + x)).sqrt() / x);
    if x < 0.0 { y + PI } else { y.abs() }
}

#[inline(always)]
pub(super) fn asinh(x: f64) -> f64 {
    let a = x.abs();
    let y = log1p(a + a * a / (1.0 + (a * a + 1.0).sqrt()));
    let y = if a == f64::INFINITY { a } else { y };
    if a < 1e-4 { x } else { y.copysign(x) }
}

#[inline(always)]
pub(super) fn acosh(x: f64) -> f64 {
    let t = x - 1.0;
    let y = log1p(t + (t * (x + 1.0)).sqrt());
    // The product of two negative numbers has a root, too.
    if x < 1.0 { f64::NAN } else { y }
}

#[inline(always)]
pub(super) fn atanh(x: f64) -> f64 {
    if x.abs() < 1e-4 { x } else { 0.5 * log1p(2.0 * x / (1.0 - x)) }
}
