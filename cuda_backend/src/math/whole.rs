//! Exact things: remainders of doubles, quotients and powers of integers.

use super::exp::scale;
use super::machine::{Float, Int, Int2, Machine, Test};

/// The mantissa as an integer, and the exponent of its lowest bit plus 1075.
fn split<'m, M: Machine>(x: Float<'m, M>) -> (Int<'m, M>, Int<'m, M>) {
    let bits = x.bits();
    let exponent = bits.shr(52) & 0x7ff;
    let is_subnormal = exponent.eq(0);
    let mantissa = bits & ((1 << 52) - 1);
    (is_subnormal.int(mantissa, mantissa | (1 << 52)), is_subnormal.int(exponent.same(1), exponent))
}

/// The C library's `fmod`, exactly: a division in steps of eleven bits.
pub(super) fn fmod<'m, M: Machine>(x: Float<'m, M>, y: Float<'m, M>) -> Float<'m, M> {
    let m = x.m;
    let (a, b) = (x.abs(), y.abs());
    let is_defined = a.lt(f64::INFINITY).and(b.gt(0.0));
    let is_less = a.is(Test::Less, b);
    // Whatever has another result divides 1 by 1.
    let easy = is_less.or(is_defined.not()).or(b.eq(f64::INFINITY));
    let (top, top_exponent) = split(easy.float(x.same(1.0), a));
    let (bottom, bottom_exponent) = split(easy.float(x.same(1.0), b));
    let rest = top.op(Int2::Remainder, bottom);
    let [rest, _] = m.repeat(
        [rest.v, (top_exponent - bottom_exponent).v],
        |[_, left]| Int { m, v: left }.gt(0).v,
        |[rest, left]| {
            let (rest, left) = (Int { m, v: rest }, Int { m, v: left });
            let step = left.gt(11).int(left.same(11), left);
            [rest.op(Int2::Shl, step).op(Int2::Remainder, bottom).v, (left - step).v]
        },
    );
    let it = scale(Int { m, v: rest }.to_float(), bottom_exponent - 1075).copysign(x);
    let it = is_less.or(b.eq(f64::INFINITY)).float(x, it);
    let it = is_defined.float(it, x.same(f64::NAN));
    x.is_nan().or(y.is_nan()).float(x + y, it)
}

/// As the reference interpreter's `float_mod`.
pub(super) fn float_mod<'m, M: Machine>(x: Float<'m, M>, y: Float<'m, M>) -> Float<'m, M> {
    let rest = fmod(x, y);
    let other_sides = differ(y, rest);
    let it = other_sides.float(rest + y, rest);
    rest.eq(0.0).float(rest.same(0.0).copysign(y), it)
}

/// As the reference interpreter's `float_floor_div`.
pub(super) fn float_floor_div<'m, M: Machine>(x: Float<'m, M>, y: Float<'m, M>) -> Float<'m, M> {
    let rest = fmod(x, y);
    let quotient = (x - rest) / y;
    let down = rest.eq(0.0).not().and(differ(y, rest));
    let quotient = down.float(quotient - 1.0, quotient);
    let floor = quotient.floor();
    let it = (quotient - floor).gt(0.5).float(floor + 1.0, floor);
    quotient.eq(0.0).float(x.same(0.0).copysign(x / y), it)
}

/// Whether one of two doubles is negative and the other is not.
fn differ<'m, M: Machine>(x: Float<'m, M>, y: Float<'m, M>) -> super::machine::Bool<'m, M> {
    let (x, y) = (x.lt(0.0), y.lt(0.0));
    x.and(y.not()).or(y.and(x.not()))
}

/// The double nearest to the quotient of two integers, of which the second is not zero.
///
/// The quotient is taken to 55 bits at least, of which the last also stands for everything after it, so that rounding
/// it is rounding the quotient.
pub(super) fn int_div<'m, M: Machine>(x: Int<'m, M>, y: Int<'m, M>) -> Float<'m, M> {
    let m = x.m;
    let size = |it: Int<'m, M>| it.lt(0).int(it.same(0) - it, it);
    let (top, bottom) = (size(x), size(y));
    let is_zero = top.eq(0);
    let top = is_zero.int(top.same(1), top);
    let quotient = top.op(Int2::Quotient, bottom);
    let rest = top.op(Int2::Remainder, bottom);
    let [quotient, rest, shift] = m.repeat(
        [quotient.v, rest.v, m.int(0)],
        |[quotient, ..]| Int { m, v: quotient }.is(Test::Below, x.same(1 << 54)).v,
        |[quotient, rest, shift]| {
            let (quotient, rest, shift) = (Int { m, v: quotient }, Int { m, v: rest }, Int { m, v: shift });
            let doubled = rest.shl(1);
            let fits = doubled.is(Test::Below, bottom).not();
            let bit = fits.int(x.same(1), x.same(0));
            let rest = fits.int(doubled - bottom, doubled);
            [(quotient.shl(1) | bit).v, rest.v, (shift - 1).v]
        },
    );
    let (quotient, rest, shift) = (Int { m, v: quotient }, Int { m, v: rest }, Int { m, v: shift });
    let sticky = rest.eq(0).int(x.same(0), x.same(1));
    let quotient = quotient | sticky;
    // What has no room for a sign is halved.
    let is_wide = quotient.lt(0);
    let quotient = is_wide.int(quotient.shr(1) | (quotient & 1), quotient);
    let shift = is_wide.int(shift + 1, shift);
    let it = is_zero.float(Int::float(x, 0.0), quotient.to_float() * shift.pow2());
    let is_negative = x.op(Int2::Xor, y).lt(0);
    // Of zero, the sign of the divisor: Python's `0 / -5` is `-0.0`.
    is_negative.float(-it, it)
}

/// `x ** y`, and whether it does not fit; that is so for a negative `y`, too.
pub(super) fn int_pow<'m, M: Machine>(x: Int<'m, M>, y: Int<'m, M>) -> [Int<'m, M>; 2] {
    let m = x.m;
    let int = |v| Int { m, v };
    let is_negative = y.lt(0);
    let one = x.same(1);
    let zero = x.same(0);
    let flag = |is: super::machine::Bool<'m, M>| is.int(one, zero);
    let product = |x: Int<'m, M>, y: Int<'m, M>| {
        let (low, high) = (x * y, x.op(Int2::MulHighSigned, y));
        (low, flag(high.is(Test::Equal, low.sar(63)).not()))
    };
    // The power so far, whether it has overflowed, the base, whether that has, and the exponent that is left.
    let start = [one.v, flag(is_negative).v, x.v, zero.v, is_negative.int(zero, y).v];
    let [power, overflows, ..] = m.repeat(
        start,
        |[.., left]| int(left).gt(0).v,
        |[power, overflows, base, is_over, left]| {
            let (power, overflows, base, is_over, left) =
                (int(power), int(overflows), int(base), int(is_over), int(left));
            let is_odd = (left & 1).eq(1);
            let (next, over) = product(power, base);
            let power = is_odd.int(next, power);
            let overflows = is_odd.int(overflows | over | is_over, overflows);
            let (square, over) = product(base, base);
            [power.v, overflows.v, square.v, (is_over | over).v, left.shr(1).v]
        },
    );
    [int(power), int(overflows)]
}
