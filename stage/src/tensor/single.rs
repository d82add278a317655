//! Functions of single precision.
//!
//! Each is evaluated in doubles by a short series and rounded once: the series are good to about 2^-36, so the result
//! is within 0.51 units in the last place of the true one, and there are no branches that would keep a loop from
//! becoming vectors. NaN and infinities come out right by themselves or by a select at the end.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, LN_2, LOG2_E, LOG10_E, PI};

use super::double;
use super::elementwise::{Real1, Real2};
use super::series::{inverse_factorials, power_of_two, series};
use crate::op;
use crate::op::meaning as scalar;

/// The function, in single precision.
#[inline(always)]
pub fn real1(function: Real1, x: f32) -> f32 {
    let d = f64::from(x);
    match function {
        Real1::Sin | Real1::Cos | Real1::Tan if is_far(function, x) => double::of_library(function, d) as f32,
        Real1::Log => log(d) as f32,
        Real1::Log2 => log_edges(d, log2(d)) as f32,
        Real1::Log10 => (log(d) * LOG10_E) as f32,
        Real1::Log1p => signed_zero(log1p(d) as f32, x),
        _ => near(function, x),
    }
}

/// Whether it is one of the few arguments for which [`near`] is not the function.
#[inline(always)]
pub(crate) fn is_far(function: Real1, x: f32) -> bool {
    match function {
        Real1::Sin | Real1::Cos | Real1::Tan => f64::from(x.abs()) >= FAR,
        Real1::Log | Real1::Log2 | Real1::Log10 => !(x > 0.0 && x < f32::INFINITY),
        Real1::Log1p => !(x > -1.0 && x < f32::INFINITY),
        _ => false,
    }
}

/// The function of nearly every argument, in single precision.
#[inline(always)]
pub(crate) fn near(function: Real1, x: f32) -> f32 {
    let d = f64::from(x);
    match function {
        Real1::Sqrt => x.sqrt(),
        Real1::Exp => exp(d) as f32,
        Real1::Exp2 => exp2(d) as f32,
        Real1::Expm1 => expm1(d) as f32,
        Real1::Log => log_inside(d) as f32,
        Real1::Log2 => log2(d) as f32,
        Real1::Log10 => (log_inside(d) * LOG10_E) as f32,
        Real1::Log1p => signed_zero(log1p_by(log_inside, d) as f32, x),
        Real1::Sin => signed_zero(sin(d) as f32, x),
        Real1::Cos => cos(d) as f32,
        Real1::Tan => signed_zero(tan(d) as f32, x),
        Real1::Asin => signed_zero(asin(d) as f32, x),
        Real1::Acos => acos(d) as f32,
        Real1::Atan => atan(d) as f32,
        Real1::Sinh => sinh(d) as f32,
        Real1::Cosh => cosh(d) as f32,
        Real1::Tanh => tanh(d) as f32,
        Real1::Asinh => asinh(d) as f32,
        Real1::Acosh => acosh(d) as f32,
        Real1::Atanh => signed_zero(atanh(d) as f32, x),
        Real1::Cbrt => scalar::real1(op::Real1::Cbrt, d) as f32,
        Real1::Floor => x.floor(),
        Real1::Ceil => x.ceil(),
        Real1::Trunc => x.trunc(),
        Real1::Round => x.round_ties_even(),
        Real1::Reciprocal => 1.0 / x,
    }
}

/// The function, in single precision.
#[inline(always)]
pub fn real2(function: Real2, x: f32, y: f32) -> f32 {
    if double::is_far2(function, f64::from(x), f64::from(y)) {
        return double::real2(function, f64::from(x), f64::from(y)) as f32;
    }
    near2(function, x, y)
}

/// The function of nearly all arguments, in single precision.
#[inline(always)]
pub(crate) fn near2(function: Real2, x: f32, y: f32) -> f32 {
    match function {
        Real2::Div => x / y,
        Real2::Copysign => x.copysign(y),
        Real2::NextAfter => next_after(x, y),
        Real2::Fmod => x % y,
        Real2::Hypot | Real2::Atan2 | Real2::LogAddExp => double::near2(function, f64::from(x), f64::from(y)) as f32,
    }
}

/// `x ** y`: squares and roots are correctly rounded.
#[inline(always)]
pub fn power(x: f32, y: f32) -> f32 {
    let it = power_of_doubles(f64::from(x), f64::from(y)) as f32;
    let it = if double::is_root(f64::from(x), f64::from(y)) { x.sqrt() + 0.0 } else { it };
    if y == 2.0 { x * x } else { it }
}

#[inline(always)]
fn power_of_doubles(x: f64, y: f64) -> f64 {
    let a = x.abs();
    let size = exp2(y * log_edges(a, log2(a)));
    let size = if (a == 1.0) & !y.is_nan() { 1.0 } else { size };
    let it = double::with_sign(x, y, size);
    if (x == 1.0) | (y == 0.0) { 1.0 } else { it }
}

/// Odd functions keep the sign of zero.
#[inline(always)]
fn signed_zero(y: f32, x: f32) -> f32 {
    if x == 0.0 { x } else { y }
}

/// Into a range; NaN stays.
#[inline(always)]
fn clamp(x: f64, limit: f64) -> f64 {
    let x = if x > limit { limit } else { x };
    if x < -limit { -limit } else { x }
}

/// 1/k! for k = 0 to 9.
const EXP: [f64; 10] = inverse_factorials(0);

/// exp(x) = 2^n exp(r) with |r| <= ln(2)/2. Singles past the clamp are 0 or infinite anyway.
#[inline(always)]
fn exp(x: f64) -> f64 {
    let x = clamp(x, 300.0);
    let n = (x * LOG2_E).round_ties_even();
    let r = n.mul_add(-LN_2, x);
    series(r, EXP) * power_of_two(n)
}

#[inline(always)]
fn exp2(x: f64) -> f64 {
    let x = clamp(x, 400.0);
    let n = x.round_ties_even();
    series((x - n) * LN_2, EXP) * power_of_two(n)
}

#[inline(always)]
fn expm1(x: f64) -> f64 {
    if x.abs() < 1e-5 { x * (0.5 * x + 1.0) } else { exp(x) - 1.0 }
}

/// 1/(2k+1) for k = 0 to 7.
const ATANH: [f64; 8] = [1.0, 1.0 / 3.0, 1.0 / 5.0, 1.0 / 7.0, 1.0 / 9.0, 1.0 / 11.0, 1.0 / 13.0, 1.0 / 15.0];

/// 2 atanh(s), for |s| <= 0.18: log((1+s)/(1-s)).
#[inline(always)]
fn log_ratio(s: f64) -> f64 {
    2.0 * s * series(s * s, ATANH)
}

/// x = 2^e m with m between sqrt(1/2) and sqrt(2), for positive normal x.
#[inline(always)]
fn split(x: f64) -> (f64, f64) {
    const ROOT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
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
    log1p_by(log, x)
}

#[inline(always)]
fn log1p_by(log: impl Fn(f64) -> f64, x: f64) -> f64 {
    if x.abs() < 0.35 { log_ratio(x / (2.0 + x)) } else { log(1.0 + x) }
}

/// Sine and cosine of r for |r| <= pi/4.
#[inline(always)]
fn sin_cos_small(r: f64) -> (f64, f64) {
    let z = r * r;
    let sin = series(z, [1.0, -1.0 / 6.0, 1.0 / 120.0, -1.0 / 5040.0, 1.0 / 362_880.0, -1.0 / 39_916_800.0]);
    let cos = series(z, [1.0, -0.5, 1.0 / 24.0, -1.0 / 720.0, 1.0 / 40320.0, -1.0 / 3_628_800.0]);
    (r * sin, cos)
}

/// What is left of x after n quarters of a turn, and n mod 4. For |x| below [`FAR`].
#[inline(always)]
fn quarter(x: f64) -> (f64, u64) {
    // The rest of pi/2 behind its double.
    const LOW: f64 = 6.123_233_995_736_766e-17;
    let n = (x * (2.0 / PI)).round_ties_even();
    let r = n.mul_add(-LOW, n.mul_add(-FRAC_PI_2, x));
    (r, (n + 6_755_399_441_055_744.0).to_bits() & 3)
}

/// From here on the C library reduces the argument: rarely needed, and longer than all the rest.
const FAR: f64 = 1e8;

#[inline(always)]
fn sin(x: f64) -> f64 {
    let (r, n) = quarter(x);
    let (s, c) = sin_cos_small(r);
    let y = if n & 1 == 1 { c } else { s };
    if n & 2 == 2 { -y } else { y }
}

#[inline(always)]
fn cos(x: f64) -> f64 {
    let (r, n) = quarter(x);
    let (s, c) = sin_cos_small(r);
    let y = if n & 1 == 1 { s } else { c };
    if (n + 1) & 2 == 2 { -y } else { y }
}

#[inline(always)]
fn tan(x: f64) -> f64 {
    let (r, n) = quarter(x);
    let (s, c) = sin_cos_small(r);
    if n & 1 == 1 { -c / s } else { s / c }
}

/// For |x| <= tan(pi/8) a series; the rest of the line is folded into that.
#[inline(always)]
fn atan(x: f64) -> f64 {
    const TAN_PI_8: f64 = 0.414_213_562_373_095_03;
    let a = x.abs();
    let inverted = a > 1.0;
    let t = if inverted { 1.0 / a } else { a };
    let folded = t > TAN_PI_8;
    let u = if folded { (t - 1.0) / (t + 1.0) } else { t };
    const C: [f64; 13] = {
        let mut c = [0.0; 13];
        let mut k = 0;
        while k < 13 {
            let sign = if k % 2 == 0 { 1.0 } else { -1.0 };
            c[k] = sign / (2 * k + 1) as f64;
            k += 1;
        }
        c
    };
    let y = u * series(u * u, C);
    let y = if folded { FRAC_PI_4 + y } else { y };
    let y = if inverted { FRAC_PI_2 - y } else { y };
    y.copysign(x)
}

#[inline(always)]
fn asin(x: f64) -> f64 {
    atan(x / ((1.0 - x) * (1.0 + x)).sqrt())
}

#[inline(always)]
fn acos(x: f64) -> f64 {
    let y = atan(((1.0 - x) * (1.0 + x)).sqrt() / x);
    if x < 0.0 { y + PI } else { y.abs() }
}

#[inline(always)]
fn sinh(x: f64) -> f64 {
    if x.abs() < 1e-4 {
        return x;
    }
    let e = exp(x);
    0.5 * (e - 1.0 / e)
}

#[inline(always)]
fn cosh(x: f64) -> f64 {
    let e = exp(x);
    0.5 * (e + 1.0 / e)
}

#[inline(always)]
fn tanh(x: f64) -> f64 {
    if x.abs() < 1e-4 {
        return x;
    }
    let e = exp(clamp(x, 20.0) * 2.0);
    (e - 1.0) / (e + 1.0)
}

#[inline(always)]
fn asinh(x: f64) -> f64 {
    let a = x.abs();
    let y = log1p(a + a * a / (1.0 + (a * a + 1.0).sqrt()));
    let y = if a == f64::INFINITY { a } else { y };
    if a < 1e-4 { x } else { y.copysign(x) }
}

#[inline(always)]
fn acosh(x: f64) -> f64 {
    let t = x - 1.0;
    let y = log1p(t + (t * (x + 1.0)).sqrt());
    // The product of two negative numbers has a root, too.
    if x < 1.0 { f64::NAN } else { y }
}

#[inline(always)]
fn atanh(x: f64) -> f64 {
    if x.abs() < 1e-4 { x } else { 0.5 * log1p(2.0 * x / (1.0 - x)) }
}

/// The next number from x towards y.
#[inline(always)]
fn next_after(x: f32, y: f32) -> f32 {
    if x.is_nan() || y.is_nan() {
        f32::NAN
    } else if x == y {
        y
    } else if x < y {
        x.next_up()
    } else {
        x.next_down()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Distance to the true value in units in the last place of the single nearest to it.
    fn ulps(found: f32, exact: f64) -> f64 {
        let near = exact as f32;
        if found.is_nan() && exact.is_nan() || found == near && near.is_infinite() {
            return 0.0;
        }
        let unit = f64::from(near.abs().next_up()) - f64::from(near.abs());
        (f64::from(found) - exact).abs() / unit
    }

    #[test]
    fn functions_are_rounded_nearly_correctly() {
        for &function in Real1::ALL {
            let mut worst = (0.0, 0.0);
            // Every 4,001st single: all signs, all exponents.
            for bits in (0..=u32::MAX).step_by(4001) {
                let x = f32::from_bits(bits);
                let (found, exact) = (real1(function, x), double::real1(function, f64::from(x)));
                let off = ulps(found, exact);
                if off.is_nan() || off > worst.0 {
                    worst = (off, x);
                }
            }
            assert!(worst.0 <= 0.51, "{function:?} is off by {} at {:e}", worst.0, worst.1);
        }
    }

    #[test]
    fn edges_are_those_of_the_c_library() {
        let edges = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            0.5,
            -0.5,
            f32::INFINITY,
            f32::NEG_INFINITY,
            f32::NAN,
            f32::MAX,
            f32::MIN_POSITIVE,
            1e-45,
        ];
        for &function in Real1::ALL {
            for x in edges {
                let (found, exact) = (real1(function, x), double::real1(function, f64::from(x)) as f32);
                let same = found == exact && found.is_sign_negative() == exact.is_sign_negative();
                assert!(same || found.is_nan() && exact.is_nan(), "{function:?}({x}) is {found}, not {exact}");
            }
        }
    }
}
