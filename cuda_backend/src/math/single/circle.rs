//! Functions of the circle.

use std::f32::consts::FRAC_2_PI;

use snekpy_stage::tensor::single::tables::{ATAN, COS, FAR, HALF_PI, SIN, TAN, WHOLE};

use super::super::machine::{Bool, Float, Int, Int2, Machine, Single};
use super::sum;

/// What is left of x after n quarters of a turn, in two parts, and n. For |x| below [`FAR`].
fn quarter<'m, M: Machine>(x: Single<'m, M>) -> ([Single<'m, M>; 2], Int<'m, M>) {
    let shifted = x.fma(x.same(FRAC_2_PI), x.same(WHOLE));
    let n = shifted - WHOLE;
    let rest = n.fma(x.same(-HALF_PI[0]), x);
    let more = n * -HALF_PI[1];
    let r = rest + more;
    let added = r - rest;
    let low = (rest - (r - added)) + (more - added);
    let low = low + n.fma(x.same(-HALF_PI[1]), -more);
    ([r, n.fma(x.same(-HALF_PI[2]), low)], shifted.bits())
}

fn sin_small<'m, M: Machine>([r, low]: [Single<'m, M>; 2]) -> Single<'m, M> {
    let z = r * r;
    let low = (low * z).fma(r.same(-0.5), low);
    r + (r * z).fma(z.poly(&SIN), low)
}

fn cos_small<'m, M: Machine>([r, low]: [Single<'m, M>; 2]) -> Single<'m, M> {
    let z = r * r;
    let rest = (z * z).fma(z.poly(&COS), -r * low);
    sum(r.same(1.0), z * -0.5, rest)
}

fn is_set<'m, M: Machine>(n: Int<'m, M>, bit: i64) -> Bool<'m, M> {
    n.op(Int2::And, n.same(bit)).eq(bit)
}

/// The sine or cosine that n quarters more are.
fn turned<'m, M: Machine>(r: [Single<'m, M>; 2], n: Int<'m, M>) -> Single<'m, M> {
    let y = is_set(n, 1).single(cos_small(r), sin_small(r));
    is_set(n, 2).single(-y, y)
}

pub(super) fn sin<'m, M: Machine>(x: Single<'m, M>) -> Single<'m, M> {
    let (r, n) = quarter(x);
    turned(r, n)
}

pub(super) fn cos<'m, M: Machine>(x: Single<'m, M>) -> Single<'m, M> {
    let (r, n) = quarter(x);
    turned(r, n + 1)
}

pub(super) fn tan<'m, M: Machine>(x: Single<'m, M>) -> Single<'m, M> {
    let ([r, low], n) = quarter(x);
    let z = r * r;
    let y = r + (r * z).fma(z.poly(&TAN), low.fma(z, low));
    is_set(n, 1).single(x.same(-1.0) / y, y)
}

/// Where the argument is small, the function of singles; else the other one, which is long.
pub(super) fn near_or<'m, M: Machine>(
    x: Single<'m, M>,
    near: impl FnOnce(Single<'m, M>) -> Single<'m, M>,
    far: impl FnOnce() -> Float<'m, M>,
) -> Float<'m, M> {
    let is_near = x.abs().lt(FAR);
    let [v] = x.m.branch(is_near.v, || [near(x).widen().v], || [far().v]);
    Float { m: x.m, v }
}

/// For |x| <= 1 a series; the rest of the line is folded into that.
pub(super) fn atan<'m, M: Machine>(x: Single<'m, M>) -> Single<'m, M> {
    let (a, one) = (x.abs(), x.same(1.0));
    let a = a.gt(1e9).single(x.same(1e9), a);
    let is_far = a.gt(1.0);
    let t = is_far.single(one / a, a);
    let z = t * t;
    let rest = t * z * z.poly(&ATAN);
    let lost = (-t).fma(a, one) * t * z.fma(x.same(-0.5), one);
    let folded = sum(x.same(HALF_PI[0]), -t, x.same(HALF_PI[1]) - (rest + lost));
    is_far.single(folded, t + rest).copysign(x)
}
