//! Functions of singles that are evaluated in doubles: those of `stage::tensor::single::wide`, step by step. For arguments
//! past 1e8, angles are the devices' own functions, which differ from the C library's where a double's last unit decides
//! how a single is rounded.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, LN_2, LOG2_E, PI};

use snekpy_stage::tensor::single::tables::wide::{ATAN, ATANH, COS, EXP, FAR, HALF_PI_LOW, ROOT_HALF, SIN, TAN_PI_8};

use super::super::machine::{Bool, Float, Int, Int2, Machine};
use super::super::{log as of_logs, trig};

/// Into a range; NaN stays.
fn clamp<'m, M: Machine>(x: Float<'m, M>, limit: f64) -> Float<'m, M> {
    let x = x.gt(limit).float(x.same(limit), x);
    x.lt(-limit).float(x.same(-limit), x)
}

fn exp2_near<'m, M: Machine>(x: Float<'m, M>) -> Float<'m, M> {
    let (n, whole) = x.nearest();
    ((x - n) * LN_2).poly(&EXP) * whole.pow2()
}

/// log((1+s)/(1-s)), for |s| <= 0.18.
fn log_ratio<'m, M: Machine>(s: Float<'m, M>) -> Float<'m, M> {
    s.same(2.0) * s * (s * s).poly(&ATANH)
}

/// x = 2^e m with m between sqrt(1/2) and sqrt(2), for positive normal x.
fn split<'m, M: Machine>(x: Float<'m, M>) -> (Float<'m, M>, Float<'m, M>) {
    let bits = x.bits();
    let e: Int<'m, M> = (bits - ROOT_HALF.cast_signed()).sar(52);
    (e.to_float(), (bits - e.shl(52)).of_bits())
}

/// What a logarithm is where the series does not hold.
fn log_edges<'m, M: Machine>(x: Float<'m, M>, y: Float<'m, M>) -> Float<'m, M> {
    let y = x.eq(f64::INFINITY).float(x, y);
    let y = x.eq(0.0).float(x.same(f64::NEG_INFINITY), y);
    x.lt(0.0).or(x.is_nan()).float(x.same(f64::NAN), y)
}

fn log<'m, M: Machine>(x: Float<'m, M>) -> Float<'m, M> {
    let (e, m) = split(x);
    log_edges(x, e.fma(x.same(LN_2), log_ratio((m - 1.0) / (m + 1.0))))
}

fn log2<'m, M: Machine>(x: Float<'m, M>) -> Float<'m, M> {
    let (e, m) = split(x);
    log_edges(x, log_ratio((m - 1.0) / (m + 1.0)).fma(x.same(LOG2_E), e))
}

/// Below 0.35 without the sum `1 + x`, which would round.
fn log1p<'m, M: Machine>(x: Float<'m, M>) -> Float<'m, M> {
    x.abs().lt(0.35).float(log_ratio(x / (x.same(2.0) + x)), log(x.same(1.0) + x))
}

/// Sine and cosine of r for |r| <= pi/4.
fn sin_cos_small<'m, M: Machine>(r: Float<'m, M>) -> (Float<'m, M>, Float<'m, M>) {
    let z = r * r;
    let sin = z.poly(&SIN);
    let cos = z.poly(&COS);
    (r * sin, cos)
}

/// What is left of x after n quarters of a turn, and n mod 4. For |x| below [`FAR`].
fn quarter<'m, M: Machine>(x: Float<'m, M>) -> (Float<'m, M>, Int<'m, M>) {
    let (n, whole) = (x * (2.0 / PI)).nearest();
    let r = n.fma(x.same(-HALF_PI_LOW), n.fma(x.same(-FRAC_PI_2), x));
    (r, whole & 3)
}

/// Where the argument is small, the second; else the first, which is long.
fn near_or<'m, M: Machine>(
    x: Float<'m, M>,
    far: impl FnOnce(Float<'m, M>) -> Float<'m, M>,
    near: impl FnOnce(Float<'m, M>) -> Float<'m, M>,
) -> Float<'m, M> {
    let is_near = x.abs().lt(FAR);
    let [v] = x.m.branch(is_near.v, || [near(x).v], || [far(x).v]);
    Float { m: x.m, v }
}

fn is_set<'m, M: Machine>(n: Int<'m, M>, bit: i64) -> Bool<'m, M> {
    n.op(Int2::And, n.same(bit)).eq(bit)
}

pub(super) fn sin<'m, M: Machine>(x: Float<'m, M>) -> Float<'m, M> {
    near_or(x, trig::sin, |x| {
        let (r, n) = quarter(x);
        let (s, c) = sin_cos_small(r);
        let y = is_set(n, 1).float(c, s);
        is_set(n, 2).float(-y, y)
    })
}

pub(super) fn cos<'m, M: Machine>(x: Float<'m, M>) -> Float<'m, M> {
    near_or(x, trig::cos, |x| {
        let (r, n) = quarter(x);
        let (s, c) = sin_cos_small(r);
        let y = is_set(n, 1).float(s, c);
        is_set(n + 1, 2).float(-y, y)
    })
}

pub(super) fn tan<'m, M: Machine>(x: Float<'m, M>) -> Float<'m, M> {
    near_or(x, trig::tan, |x| {
        let (r, n) = quarter(x);
        let (s, c) = sin_cos_small(r);
        let is_odd = is_set(n, 1);
        is_odd.float(-c, s) / is_odd.float(s, c)
    })
}

/// For |x| <= tan(pi/8) a series; the rest of the line is folded into that.
fn atan<'m, M: Machine>(x: Float<'m, M>) -> Float<'m, M> {
    let a = x.abs();
    let inverted = a.gt(1.0);
    let t = inverted.float(a.same(1.0) / a, a);
    let folded = t.gt(TAN_PI_8);
    let u = folded.float((t - 1.0) / (t + 1.0), t);
    let y = u * (u * u).poly(&ATAN);
    let y = folded.float(y.same(FRAC_PI_4) + y, y);
    let y = inverted.float(y.same(FRAC_PI_2) - y, y);
    y.copysign(x)
}

pub(super) fn asin<'m, M: Machine>(x: Float<'m, M>) -> Float<'m, M> {
    let one = x.same(1.0);
    atan(x / ((one - x) * (one + x)).sqrt())
}

pub(super) fn acos<'m, M: Machine>(x: Float<'m, M>) -> Float<'m, M> {
    let one = x.same(1.0);
    let y = atan(((one - x) * (one + x)).sqrt() / x);
    x.lt(0.0).float(y + PI, y.abs())
}

pub(super) fn asinh<'m, M: Machine>(x: Float<'m, M>) -> Float<'m, M> {
    let (a, one) = (x.abs(), x.same(1.0));
    let y = log1p(a + a * a / (one + (a * a + 1.0).sqrt()));
    let y = a.eq(f64::INFINITY).float(a, y);
    a.lt(1e-4).float(x, y.copysign(x))
}

pub(super) fn acosh<'m, M: Machine>(x: Float<'m, M>) -> Float<'m, M> {
    let t = x - 1.0;
    let y = log1p(t + (t * (x + 1.0)).sqrt());
    // The product of two negative numbers has a root, too.
    x.lt(1.0).float(x.same(f64::NAN), y)
}

pub(super) fn atanh<'m, M: Machine>(x: Float<'m, M>) -> Float<'m, M> {
    let y = x.same(0.5) * log1p(x.same(2.0) * x / (x.same(1.0) - x));
    x.abs().lt(1e-4).float(x, y)
}

/// `x ** y`, but for squares and roots.
pub(crate) fn pow<'m, M: Machine>(x: Float<'m, M>, y: Float<'m, M>) -> Float<'m, M> {
    let a = x.abs();
    let size = exp2_near(clamp(y * log2(a), 400.0));
    let size = a.eq(1.0).and(y.is_nan().not()).float(a, size);
    let (is_whole, is_odd) = of_logs::parity(y);
    let signed = x.bits().lt(0).and(is_odd).float(-size, size);
    let is_undefined = x.lt(0.0).and(x.gt(f64::NEG_INFINITY)).and(is_whole.not());
    let it = is_undefined.float(x.same(f64::NAN), signed);
    x.eq(1.0).or(y.eq(0.0)).float(x.same(1.0), it)
}
