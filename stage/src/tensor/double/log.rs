//! Logarithms.

use super::parts::{Pair, product, sum, sum_large_small};
use crate::tensor::series::{self, series};

const LN_2_HI: f64 = 6.931_471_803_691_238e-1;
const LN_2_LO: f64 = 1.908_214_929_270_587_7e-10;
const LOG2_E_HI: f64 = std::f64::consts::LOG2_E;
const LOG2_E_LO: f64 = 2.035_527_374_093_103_3e-17;
const LOG10_E_HI: f64 = std::f64::consts::LOG10_E;
const LOG10_E_LO: f64 = 1.098_319_650_216_765e-17;
/// log10(2) in parts: times a whole number of twelve bits the first one is exact.
const LOG10_2_HI: f64 = 3.010_299_956_636_117_7e-1;
const LOG10_2_LO: f64 = 3.694_239_077_158_931e-13;

/// `log(1+f) = f - f^2/2 + s (f^2/2 + R(s^2))` for `s = f/(2+f)`: the coefficients of R, as in FreeBSD's library.
const RATIO: [f64; 7] = [
    6.666_666_666_666_735e-1,
    3.999_999_999_940_942e-1,
    2.857_142_874_366_239e-1,
    2.222_219_843_214_978_4e-1,
    1.818_357_216_161_805e-1,
    1.531_383_769_920_937_3e-1,
    1.479_819_860_511_658_6e-1,
];

/// What is subnormal times a power of two, and the exponent of its inverse. With a branch, of which [`edges`] asks the same
/// again, compilers write everything between them twice.
#[inline(always)]
pub(super) fn normal(x: f64) -> (f64, f64) {
    const DIGITS: i32 = 54;
    let mask = u64::from(x < f64::MIN_POSITIVE).wrapping_neg();
    let scale = f64::from_bits(1.0_f64.to_bits() + (mask & (DIGITS as u64) << 52));
    (x * scale, f64::from_bits(mask & f64::from(-DIGITS).to_bits()))
}

/// x = 2^e m with m between sqrt(1/2) and sqrt(2), for positive normal x.
#[inline(always)]
pub(super) fn split(x: f64) -> (f64, f64) {
    const ROOT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
    // What is added to a small whole number to have it as a double with its bits below.
    const WHOLE: u64 = 0x4338_0000_0000_0000;
    // A whole number of twelve bits and a sign, by a logical shift: old vector units have no other.
    let above = x.to_bits().wrapping_sub(ROOT_HALF).wrapping_add(2048 << 52) >> 52;
    let e = f64::from_bits(above.wrapping_add(WHOLE)) - (series::WHOLE + 2048.0);
    (e, f64::from_bits(x.to_bits().wrapping_sub(above.wrapping_sub(2048) << 52)))
}

/// `log(1 + f)` for `f` between -0.3 and 0.42, as a first part that is nearly all and the rest.
#[inline(always)]
fn log_near_one(f: f64) -> Pair {
    let s = f / (2.0 + f);
    let z = s * s;
    let square = product(0.5 * f, f);
    let rest = s * (square.hi + z * series(z, RATIO));
    let it = sum_large_small(f, -square.hi);
    Pair { hi: it.hi, lo: it.lo + (rest - square.lo) }
}

/// What a logarithm is where the series does not hold.
#[inline(always)]
pub(super) fn edges(x: f64, y: f64) -> f64 {
    let y = if x == f64::INFINITY { x } else { y };
    let y = if x == 0.0 { f64::NEG_INFINITY } else { y };
    if x < 0.0 || x.is_nan() { f64::NAN } else { y }
}

/// The logarithm of `2^more x`, for positive normal `x`. Here and below, what belongs to the exponent is zero or larger than
/// the rest.
#[inline(always)]
pub(super) fn log(x: f64, more: f64) -> f64 {
    let (e, m) = split(x);
    let e = e + more;
    let it = log_near_one(m - 1.0);
    let all = sum_large_small(e * LN_2_HI, it.hi);
    all.hi + (all.lo + e.mul_add(LN_2_LO, it.lo))
}

#[inline(always)]
pub(super) fn log2(x: f64, more: f64) -> f64 {
    let (e, m) = split(x);
    let e = e + more;
    let it = log_near_one(m - 1.0);
    let y = product(it.hi, LOG2_E_HI);
    let all = sum_large_small(e, y.hi);
    all.hi + (all.lo + (y.lo + it.hi.mul_add(LOG2_E_LO, it.lo * LOG2_E_HI)))
}

#[inline(always)]
pub(super) fn log10(x: f64, more: f64) -> f64 {
    let (e, m) = split(x);
    let e = e + more;
    let it = log_near_one(m - 1.0);
    let y = product(it.hi, LOG10_E_HI);
    let all = sum_large_small(e * LOG10_2_HI, y.hi);
    let rest = e.mul_add(LOG10_2_LO, it.hi.mul_add(LOG10_E_LO, it.lo * LOG10_E_HI));
    all.hi + (all.lo + (y.lo + rest))
}

/// For finite `x` above -1.
#[inline(always)]
pub(super) fn log1p(x: f64) -> f64 {
    let near = x.abs() < 0.29;
    // What rounding has left of 1 + x is far below that: its part of the logarithm is the derivative's.
    let u = sum(1.0, x);
    let (e, m) = split(u.hi);
    let (e, f) = if near { (0.0, x) } else { (e, m - 1.0) };
    let left = if near { 0.0 } else { u.lo / u.hi };
    let it = log_near_one(f);
    let all = sum_large_small(e * LN_2_HI, it.hi);
    let y = all.hi + (all.lo + (e.mul_add(LN_2_LO, it.lo) + left));
    // The square of these is nothing; of what is subnormal, half would be, too.
    if x.abs() < 1e-290 { x } else { y }
}
