//! Logarithms, and what is made of them and exponentials.

use super::double::{Double, product, sum, sum_ordered};
use super::exp::{LN2_HI, LN2_LO, exp_double};
use super::machine::{Bool, Float, Int, Machine, Test};

/// `ln(2)`.
pub(super) const LN2: [f64; 2] = [std::f64::consts::LN_2, 2.319_046_813_846_299_6e-17];
const INV_LN2: [f64; 2] = [std::f64::consts::LOG2_E, 2.035_527_374_093_103_3e-17];
const INV_LN10: [f64; 2] = [std::f64::consts::LOG10_E, 1.098_319_650_216_765e-17];
const THIRD: [f64; 2] = [1.0 / 3.0, 1.850_371_707_708_594e-17];
const TWO_THIRDS: [f64; 2] = [2.0 / 3.0, 3.700_743_415_417_188e-17];
const TWO_FIFTHS: [f64; 2] = [0.4, -2.220_446_049_250_313_2e-17];
/// `2/7`, `2/9`, ..., `2/27`: the coefficients of the logarithm's series from the third one on.
const SERIES: [f64; 11] = {
    let mut coefficients = [0.0; 11];
    let mut position = 0;
    while position < 11 {
        coefficients[position] = 2.0 / (2.0 * position as f64 + 7.0);
        position += 1;
    }
    coefficients
};
/// `sqrt(1/2)`: mantissas are taken from there to `sqrt(2)`.
const SQRT_HALF: i64 = 0x3fe6_a09e_667f_3bcd;
const INFINITY: f64 = f64::INFINITY;

/// `x = m * 2^k` with `m` near 1, for a positive, finite double: `log(m)` and `k`.
fn parts<'m, M: Machine>(x: Float<'m, M>) -> (Double<'m, M>, Int<'m, M>) {
    let is_tiny = x.lt(f64::MIN_POSITIVE);
    let x = is_tiny.float(x * 18_014_398_509_481_984.0, x); // 2^54
    let bits = x.bits();
    let k = (bits - SQRT_HALF).sar(52);
    let m = (bits - k.shl(52)).of_bits();
    let k = is_tiny.int(k - 54, k);
    (log_near_one(m), k)
}

/// The logarithm of a double between `sqrt(1/2)` and `sqrt(2)`, to about 68 bits: `2 * atanh((m - 1) / (m + 1))`.
fn log_near_one<'m, M: Machine>(m: Float<'m, M>) -> Double<'m, M> {
    let top = m - 1.0;
    let bottom = sum(m, m.same(1.0));
    let s = top / bottom.hi;
    let left = (-s).fma(bottom.hi, top) - s * bottom.lo;
    let s = Double { hi: s, lo: left / bottom.hi };
    let z = s.times(s);
    let rest = z.hi * z.hi.poly(&SERIES);
    let inner = sum_ordered(m.same(TWO_FIFTHS[0]), rest);
    let inner = Double { hi: inner.hi, lo: inner.lo + TWO_FIFTHS[1] };
    let inner = z.times(inner);
    let outer = sum_ordered(m.same(TWO_THIRDS[0]), inner.hi);
    let outer = Double { hi: outer.hi, lo: outer.lo + (inner.lo + TWO_THIRDS[1]) };
    let bent = s.times(z).times(outer);
    let it = sum_ordered(s.hi + s.hi, bent.hi);
    sum_ordered(it.hi, it.lo + ((s.lo + s.lo) + bent.lo))
}

/// The logarithm of a positive, finite double.
fn log_double<'m, M: Machine>(x: Float<'m, M>) -> Double<'m, M> {
    let (log, k) = parts(x);
    let k = k.to_float();
    let it = sum(k * LN2_HI, log.hi);
    sum_ordered(it.hi, it.lo + (log.lo + k * LN2_LO))
}

/// What logarithms give where there is nothing to compute.
fn at_the_ends<'m, M: Machine>(x: Float<'m, M>, it: Float<'m, M>) -> Float<'m, M> {
    let it = x.eq(0.0).float(x.same(-INFINITY), it);
    let it = x.lt(0.0).float(x.same(f64::NAN), it);
    let it = x.eq(INFINITY).float(x, it);
    x.is_nan().float(x, it)
}

pub(super) fn log<'m, M: Machine>(x: Float<'m, M>) -> Float<'m, M> {
    at_the_ends(x, log_double(x).round())
}

pub(super) fn log2<'m, M: Machine>(x: Float<'m, M>) -> Float<'m, M> {
    let (log, k) = parts(x);
    let log = log.times(Double::constant(x, INV_LN2));
    let it = sum(k.to_float(), log.hi);
    at_the_ends(x, it.hi + (it.lo + log.lo))
}

pub(super) fn log10<'m, M: Machine>(x: Float<'m, M>) -> Float<'m, M> {
    at_the_ends(x, log_double(x).times(Double::constant(x, INV_LN10)).round())
}

pub(super) fn log1p<'m, M: Machine>(x: Float<'m, M>) -> Float<'m, M> {
    let moved = sum(x, x.same(1.0));
    let log = log_double(moved.hi);
    let it = at_the_ends(moved.hi, (log.lo + moved.lo / moved.hi) + log.hi);
    x.eq(0.0).float(x, it)
}

pub(super) fn asinh<'m, M: Machine>(x: Float<'m, M>) -> Float<'m, M> {
    let a = x.abs();
    let square = a * a;
    let middle = log1p(a + square / ((square + 1.0).sqrt() + 1.0));
    a.gt(1e8).float(log(a) + LN2[0], middle).copysign(x)
}

pub(super) fn acosh<'m, M: Machine>(x: Float<'m, M>) -> Float<'m, M> {
    let t = x - 1.0;
    let middle = log1p(t + (t + t + t * t).sqrt());
    let it = x.gt(1e8).float(log(x) + LN2[0], middle);
    x.lt(1.0).float(x.same(f64::NAN), it)
}

pub(super) fn atanh<'m, M: Machine>(x: Float<'m, M>) -> Float<'m, M> {
    let a = x.abs();
    let twice = a + a;
    (log1p(twice / (x.same(1.0) - a)) * 0.5).copysign(x)
}

pub(super) fn cbrt<'m, M: Machine>(x: Float<'m, M>) -> Float<'m, M> {
    let a = x.abs();
    let it = exp_double(log_double(a).times(Double::constant(x, THIRD))).copysign(x);
    let is_number = a.gt(0.0).and(a.lt(INFINITY));
    is_number.float(it, x)
}

/// Whether a double is whole, and whether it is odd.
pub(super) fn parity<'m, M: Machine>(y: Float<'m, M>) -> (Bool<'m, M>, Bool<'m, M>) {
    let is_whole = y.floor().is(Test::Equal, y);
    let half = y * 0.5;
    let is_even = half.floor().is(Test::Equal, half);
    (is_whole, is_whole.and(is_even.not()))
}

pub(super) fn pow<'m, M: Machine>(x: Float<'m, M>, y: Float<'m, M>) -> Float<'m, M> {
    let a = x.abs();
    let log = log_double(a);
    let it = product(y, log.hi);
    let is_near = it.hi.abs().lt(2000.0);
    let lo = is_near.float(y.fma(log.lo, it.lo), y.same(0.0));
    let size = exp_double(Double { hi: it.hi, lo });

    let (zero, one, infinity) = (x.same(0.0), x.same(1.0), x.same(INFINITY));
    let is_negative = y.lt(0.0);
    let size = a.eq(0.0).float(is_negative.float(infinity, zero), size);
    let size = a.eq(INFINITY).float(is_negative.float(zero, infinity), size);
    let grows = a.gt(1.0).and(y.gt(0.0)).or(a.lt(1.0).and(is_negative));
    let size = y.abs().eq(INFINITY).float(grows.float(infinity, zero), size);
    let size = a.eq(1.0).float(one, size);
    let (is_whole, is_odd) = parity(y);
    let has_sign = x.bits().lt(0);
    let signed = has_sign.and(is_odd).float(-size, size);
    let is_undefined = x.lt(0.0).and(x.eq(-INFINITY).not()).and(is_whole.not());
    let it = is_undefined.float(x.same(f64::NAN), signed);
    let it = x.is_nan().or(y.is_nan()).float(x + y, it);
    x.eq(1.0).or(y.eq(0.0)).float(one, it)
}
