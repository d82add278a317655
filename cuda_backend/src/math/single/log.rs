//! Logarithms.

use snekpy_stage::tensor::single::tables::{LN_2, LOG, LOG2, LOG2_E, LOG10, LOG10_E, ROOT_HALF};

use super::super::machine::{Int, Int2, Machine, Single};
use super::{power_of_two, sum};

/// x = 2^e (1 + f) with 1 + f between sqrt(1/2) and sqrt(2), for positive normal x.
fn split<'m, M: Machine>(x: Single<'m, M>) -> (Int<'m, M>, Single<'m, M>) {
    let e = (x.bits() - i64::from(ROOT_HALF)).sar(23);
    (e, x.bits().op(Int2::Sub, e.shl(23)).of_single_bits() - 1.0)
}

/// log(1 + f) - f.
fn rest<'m, M: Machine>(f: Single<'m, M>) -> Single<'m, M> {
    let z = f * f;
    (z * f).fma(f.poly(&LOG), z * -0.5)
}

/// log(x 2^more) for positive normal `x`.
pub(super) fn log<'m, M: Machine>(x: Single<'m, M>, more: Single<'m, M>) -> Single<'m, M> {
    let (e, f) = split(x);
    let e = e.to_single() + more;
    sum(e * LN_2[0], f, e.fma(x.same(LN_2[1]), rest(f)))
}

/// A logarithm of `x 2^more` for positive normal `x`, by those of e and of two to its base, in two parts each.
fn to_base<'m, M: Machine>(x: Single<'m, M>, more: Single<'m, M>, of_e: [f32; 2], of_two: [f32; 2]) -> Single<'m, M> {
    let (e, f) = split(x);
    let e = e.to_single() + more;
    let product = f * of_e[0];
    let lost = f.fma(x.same(of_e[0]), -product);
    let low = e.fma(x.same(of_two[1]), f.fma(x.same(of_e[1]), lost));
    sum(e * of_two[0], product, rest(f).fma(x.same(of_e[0]), low))
}

pub(super) fn log2<'m, M: Machine>(x: Single<'m, M>, more: Single<'m, M>) -> Single<'m, M> {
    to_base(x, more, LOG2_E, LOG2)
}

pub(super) fn log10<'m, M: Machine>(x: Single<'m, M>, more: Single<'m, M>) -> Single<'m, M> {
    to_base(x, more, LOG10_E, LOG10)
}

/// log(1 + x) for x above -1.
pub(super) fn log1p<'m, M: Machine>(x: Single<'m, M>) -> Single<'m, M> {
    let one = x.same(1.0);
    let one_more = one + x;
    let lost = x.abs().gt(1.0).single(one - (one_more - x), x - (one_more - 1.0));
    let (e, f) = split(one_more);
    let bounded = e.gt(100).int(e.same(100), e);
    let lost = lost * power_of_two(e.same(0).op(Int2::Sub, bounded));
    let lost = lost * f.fma(f - 1.0, one);
    let power = e.to_single();
    sum(power * LN_2[0], f, power.fma(x.same(LN_2[1]), rest(f) + lost)).copysign(x)
}

/// What a logarithm is where the series does not hold.
pub(super) fn edges<'m, M: Machine>(x: Single<'m, M>, y: Single<'m, M>) -> Single<'m, M> {
    let y = x.eq(f32::INFINITY).single(x, y);
    let y = x.eq(0.0).single(x.same(f32::NEG_INFINITY), y);
    x.lt(0.0).or(x.is_nan()).single(x.same(f32::NAN), y)
}

/// A logarithm of any number.
pub(super) fn anywhere<'m, M: Machine>(
    x: Single<'m, M>,
    log: impl Fn(Single<'m, M>, Single<'m, M>) -> Single<'m, M>,
) -> Single<'m, M> {
    let is_small = x.lt(f32::MIN_POSITIVE);
    let y = log(is_small.single(x * 16_777_216.0, x), is_small.single(x.same(-24.0), x.same(0.0)));
    edges(x, y)
}
