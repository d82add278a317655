//! Exponentials, and what follows from them.

use std::f32::consts::LOG2_E;

use snekpy_stage::tensor::single::tables::{EXP, EXP2, EXPM1, LN_2, SINH, TANH, WHOLE};

use super::super::machine::{Int, Int2, Machine, Single};
use super::{clamp, power_of_two, sum, whole};

/// r and `expm1(r) - r`, and the whole number e for which x = e ln(2) + r.
fn reduced<'m, M: Machine>(x: Single<'m, M>, q: &[f32]) -> ([Single<'m, M>; 2], Int<'m, M>) {
    let shifted = x.fma(x.same(LOG2_E), x.same(WHOLE));
    let n = shifted - WHOLE;
    let (rest, more) = (n.fma(x.same(-LN_2[0]), x), n * -LN_2[1]);
    let r = rest + more;
    let lost = more - (r - rest);
    ([r, (r * r).fma(r.poly(q), lost)], whole(shifted))
}

/// `p 2^e`, in two steps: the power alone may be no single.
fn scaled<'m, M: Machine>(p: Single<'m, M>, e: Int<'m, M>) -> Single<'m, M> {
    let half = e.sar(1);
    p * power_of_two(half) * power_of_two(e.op(Int2::Sub, half))
}

pub(super) fn exp<'m, M: Machine>(x: Single<'m, M>) -> Single<'m, M> {
    let ([r, rest], e) = reduced(clamp(x, -104.0, 89.0), &EXP);
    scaled(x.same(1.0) + (r + rest), e)
}

/// `exp(x) / 2`, for positive `x`.
fn half_exp<'m, M: Machine>(x: Single<'m, M>) -> Single<'m, M> {
    let ([r, rest], e) = reduced(clamp(x, 0.0, 90.0), &EXP);
    scaled(x.same(1.0) + (r + rest), e - 1)
}

pub(super) fn exp2<'m, M: Machine>(x: Single<'m, M>) -> Single<'m, M> {
    let x = clamp(x, -151.0, 129.0);
    let shifted = x + WHOLE;
    let r = x - (shifted - WHOLE);
    scaled(r.fma(r.poly(&EXP2), r.same(1.0)), whole(shifted))
}

pub(super) fn expm1<'m, M: Machine>(x: Single<'m, M>) -> Single<'m, M> {
    let ([r, rest], e) = reduced(clamp(x, -20.0, 89.0), &EXPM1);
    let power = power_of_two(e - 1);
    let less = e.gt(20).single(x.same(0.0), x.same(0.5));
    let y = sum(power - less, r * power, rest.fma(power, less - 0.5)) * 2.0;
    e.eq(0).single(r + rest, y).copysign(x)
}

pub(super) fn sinh<'m, M: Machine>(x: Single<'m, M>) -> Single<'m, M> {
    let a = x.abs();
    let half = half_exp(a);
    let z = a * a;
    let near = (a * z).fma(z.poly(&SINH), a);
    a.lt(1.0).single(near, half - x.same(0.25) / half).copysign(x)
}

pub(super) fn cosh<'m, M: Machine>(x: Single<'m, M>) -> Single<'m, M> {
    let half = half_exp(x.abs());
    half + x.same(0.25) / half
}

pub(super) fn tanh<'m, M: Machine>(x: Single<'m, M>) -> Single<'m, M> {
    let (a, one) = (x.abs(), x.same(1.0));
    let ([r, rest], e) = reduced(clamp(a * 2.0, 0.0, 20.0), &EXP);
    let power = (one + (r + rest)) * power_of_two(e);
    let z = a * a;
    let near = (a * z).fma(z.poly(&TANH), a);
    a.lt(0.63).single(near, one - x.same(2.0) / (power + 1.0)).copysign(x)
}
