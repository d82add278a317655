//! Exponentials, and what is made of them.

use super::double::{Double, product};
use super::log::LN2;
use super::machine::{Float, Int, Machine};

/// `1/2!`, `1/3!`, ...: enough of them that the rest is below a tenth of a unit for `|x| <= ln(2)/2`.
const TAYLOR: [f64; 12] = {
    let mut coefficients = [0.5; 12];
    let mut position = 1;
    while position < 12 {
        coefficients[position] = coefficients[position - 1] / (position as f64 + 2.0);
        position += 1;
    }
    coefficients
};
/// The upper bits of `ln(2)`: a product with an exponent is exact.
pub(super) const LN2_HI: f64 = 0.693_147_180_369_123_8;
/// The rest of `ln(2)`.
pub(super) const LN2_LO: f64 = 1.908_214_929_270_587_7e-10;
/// Beyond it every exponential is zero or infinite.
const FAR: f64 = 1100.0;

/// `x` cut to what an exponent can be; a NaN stays.
fn near<'m, M: Machine>(x: Float<'m, M>) -> Float<'m, M> {
    let x = x.gt(FAR).float(x.same(FAR), x);
    x.lt(-FAR).float(x.same(-FAR), x)
}

/// `x * 2^k`, rounded once.
pub(super) fn scale<'m, M: Machine>(x: Float<'m, M>, k: Int<'m, M>) -> Float<'m, M> {
    let half = k.sar(1);
    let (first, second) = (half.pow2(), (k - half).pow2());
    (x * first) * second
}

/// `x = k * ln(2) + r + rest`.
struct Reduced<'m, M: Machine> {
    k: Int<'m, M>,
    r: Float<'m, M>,
    rest: Float<'m, M>,
}

fn reduce<'m, M: Machine>(x: Float<'m, M>) -> Reduced<'m, M> {
    let (whole, k) = (x * std::f64::consts::LOG2_E).nearest();
    let hi = (-whole).fma(x.same(LN2_HI), x);
    let lo = whole * LN2_LO;
    let r = hi - lo;
    Reduced { k, r, rest: (hi - r) - lo }
}

/// `e^r - 1 - r`.
fn curve<'m, M: Machine>(r: Float<'m, M>) -> Float<'m, M> {
    (r * r) * r.poly(&TAYLOR)
}

pub(super) fn exp<'m, M: Machine>(x: Float<'m, M>) -> Float<'m, M> {
    let Reduced { k, r, rest } = reduce(near(x));
    scale((r + (curve(r) + rest)) + 1.0, k)
}

/// The exponential of a sum, of which the second part is small.
pub(super) fn exp_double<'m, M: Machine>(x: Double<'m, M>) -> Float<'m, M> {
    let Reduced { k, r, rest } = reduce(near(x.hi));
    let is_near = x.hi.abs().lt(FAR);
    let rest = is_near.float(rest + x.lo, x.lo.same(0.0));
    let bent = curve(r);
    // e^(r + rest) = e^r + rest * e^r, but for the square of the rest.
    scale((r + (bent + (rest + rest * (r + bent)))) + 1.0, k)
}

pub(super) fn exp2<'m, M: Machine>(x: Float<'m, M>) -> Float<'m, M> {
    let x = near(x);
    let (whole, k) = x.nearest();
    let fraction = x - whole;
    let r = product(fraction, x.same(LN2[0]));
    let rest = fraction.fma(x.same(LN2[1]), r.lo);
    let r = r.hi;
    let bent = curve(r);
    scale((r + (bent + (rest + rest * r))) + 1.0, k)
}

pub(super) fn expm1<'m, M: Machine>(x: Float<'m, M>) -> Float<'m, M> {
    let x0 = x;
    let x = near(x);
    let Reduced { k, r, rest } = reduce(x);
    let small = r + (curve(r) + rest);
    // Far from zero the 1 is lost in rounding, or all that is left.
    let far = k.gt(60).or(k.lt(-60));
    let middle = far.int(k.same(0), k).pow2();
    let near_zero = middle.fma(small, middle - 1.0);
    let large = scale(small + 1.0, k) - 1.0;
    let it = far.float(large, near_zero);
    x0.eq(0.0).float(x0, it)
}

pub(super) fn sinh<'m, M: Machine>(x: Float<'m, M>) -> Float<'m, M> {
    let a = x.abs();
    let e = expm1(a);
    let middle = (e + e / (e + 1.0)) * 0.5;
    // Where e^x overflows, sinh(x) may not yet.
    let half = exp(a * 0.5);
    let large = (half * 0.5) * half;
    a.gt(40.0).float(large, middle).copysign(x)
}

pub(super) fn cosh<'m, M: Machine>(x: Float<'m, M>) -> Float<'m, M> {
    let a = x.abs();
    let e = exp(a);
    let middle = (e + x.same(1.0) / e) * 0.5;
    let half = exp(a * 0.5);
    a.gt(40.0).float((half * 0.5) * half, middle)
}

pub(super) fn tanh<'m, M: Machine>(x: Float<'m, M>) -> Float<'m, M> {
    let a = x.abs();
    let e = expm1(a + a);
    let middle = e / (e + 2.0);
    a.gt(22.0).float(x.same(1.0), middle).copysign(x)
}
