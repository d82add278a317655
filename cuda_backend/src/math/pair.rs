//! Functions of two elements, in doubles or in singles that are given as doubles.

use snekpy_stage::op::Element2;
use snekpy_stage::tensor::Dtype;

use super::double::{Double, product, sum_ordered};
use super::machine::{Float, Int, Machine, Test};
use super::{exp, log, single, trig};

/// The function, rounded to the dtype.
pub(super) fn elements<'m, M: Machine>(
    function: Element2,
    dtype: Dtype,
    x: Float<'m, M>,
    y: Float<'m, M>,
) -> Float<'m, M> {
    let is_single = dtype == Dtype::F32;
    let it = match function {
        Element2::Pow if is_single => power(x, y, single::pow(x, y)),
        Element2::Pow => power(x, y, log::pow(x, y)),
        Element2::Atan2 => trig::atan2(x, y),
        Element2::Hypot => hypot(x, y),
        Element2::NextAfter if is_single => {
            return next_after(x, y, x.narrow().bits(), |bits| bits.of_single_bits().widen());
        }
        Element2::NextAfter => return next_after(x, y, x.bits(), Int::of_bits),
        Element2::LogAddExp => log_add_exp(x, y),
    };
    if is_single { it.narrow().widen() } else { it }
}

/// A power, of which squares and roots are correctly rounded: also those of singles, which doubles have room for.
fn power<'m, M: Machine>(x: Float<'m, M>, y: Float<'m, M>, it: Float<'m, M>) -> Float<'m, M> {
    let is_root = y.eq(0.5).and(x.lt(0.0).or(x.is_nan()).not());
    let it = is_root.float(x.sqrt() + 0.0, it);
    y.eq(2.0).float(x * x, it)
}

/// The distance of a point from the origin: the root of a sum of two squares in twice the precision, of numbers that are
/// scaled so that neither overflows.
pub(super) fn hypot<'m, M: Machine>(x: Float<'m, M>, y: Float<'m, M>) -> Float<'m, M> {
    let (x, y) = (x.abs(), y.abs());
    let is_less = x.is(Test::Less, y);
    let (high, low) = (is_less.float(y, x), is_less.float(x, y));
    let power = |exponent| x.same(power_of_two(exponent));
    // The square of the higher one and its error stay normal; what is lost of the lower one counts for nothing.
    let (is_large, is_small) = (high.gt(power_of_two(500)), high.lt(power_of_two(-450)));
    let scale = is_large.float(power(-600), is_small.float(power(600), power(0)));
    let back = is_large.float(power(600), is_small.float(power(-600), power(0)));
    let (a, b) = (high * scale, low * scale);
    let (square, other) = (product(a, a), product(b, b));
    let sum = sum_ordered(square.hi, other.hi);
    let sum = Double { hi: sum.hi, lo: sum.lo + (square.lo + other.lo) };
    let root = sum.hi.sqrt();
    let rest = root.fma(-root, sum.hi) + sum.lo;
    let root = root + rest / (root + root);
    let it = low.eq(0.0).float(high, root * back);
    let it = x.is_nan().or(y.is_nan()).float(x + y, it);
    x.eq(f64::INFINITY).or(y.eq(f64::INFINITY)).float(x.same(f64::INFINITY), it)
}

const fn power_of_two(exponent: i64) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

/// The next number after the first towards the second. The bits are those of the first one's format.
fn next_after<'m, M: Machine>(
    x: Float<'m, M>,
    y: Float<'m, M>,
    bits: Int<'m, M>,
    of_bits: impl Fn(Int<'m, M>) -> Float<'m, M>,
) -> Float<'m, M> {
    let one = bits.same(1);
    let grows = x.is(Test::Less, y);
    let is_away = x.gt(0.0).and(grows).or(x.lt(0.0).and(grows.not()));
    let moved = of_bits(is_away.int(bits + one, bits - one));
    let least = of_bits(one);
    let it = x.eq(0.0).float(least.copysign(y), moved);
    let it = x.is(Test::Equal, y).float(y, it);
    x.is_nan().or(y.is_nan()).float(x + y, it)
}

/// `log(exp(x) + exp(y))`.
fn log_add_exp<'m, M: Machine>(x: Float<'m, M>, y: Float<'m, M>) -> Float<'m, M> {
    let is_less = x.is(Test::Less, y);
    let (high, low) = (is_less.float(y, x), is_less.float(x, y));
    let it = high + log::log1p(exp::exp(low - high));
    x.is(Test::Equal, y).float(x + std::f64::consts::LN_2, it)
}
