//! Functions of single precision: those of `stage::tensor::single`, step by step, so that their bits are the same. They take
//! and give a double. Cube roots are the devices' own; they differ from the C library's where a double's last unit decides
//! how a single is rounded.

mod circle;
mod exp;
mod log;
mod wide;

use snekpy_stage::tensor::elementwise::Real1;
use snekpy_stage::tensor::single::tables::WHOLE;

use super::log as of_logs;
use super::machine::{Float, Int, Machine, Single};

pub(super) use wide::pow;

/// The function of a single that is given as a double, before it is rounded; `None` for those that every machine has.
pub(crate) fn real1<'m, M: Machine>(function: Real1, d: Float<'m, M>) -> Option<Float<'m, M>> {
    let x = d.narrow();
    // Odd functions keep the sign of zero.
    let odd = |y: Float<'m, M>| d.eq(0.0).float(d, y);
    Some(match function {
        Real1::Exp => exp::exp(x).widen(),
        Real1::Exp2 => exp::exp2(x).widen(),
        Real1::Expm1 => exp::expm1(x).widen(),
        Real1::Log => log::anywhere(x, log::log).widen(),
        Real1::Log2 => log::anywhere(x, log::log2).widen(),
        Real1::Log10 => log::anywhere(x, log::log10).widen(),
        Real1::Log1p => log::edges(x.same(1.0) + x, log::log1p(x)).widen(),
        Real1::Sin => odd(circle::near_or(x, circle::sin, || wide::sin(d))),
        Real1::Cos => circle::near_or(x, circle::cos, || wide::cos(d)),
        Real1::Tan => odd(circle::near_or(x, circle::tan, || wide::tan(d))),
        Real1::Asin => odd(wide::asin(d)),
        Real1::Acos => wide::acos(d),
        Real1::Atan => circle::atan(x).widen(),
        Real1::Sinh => exp::sinh(x).widen(),
        Real1::Cosh => exp::cosh(x).widen(),
        Real1::Tanh => exp::tanh(x).widen(),
        Real1::Asinh => wide::asinh(d),
        Real1::Acosh => wide::acosh(d),
        Real1::Atanh => odd(wide::atanh(d)),
        Real1::Cbrt => of_logs::cbrt(d),
        Real1::Sqrt | Real1::Floor | Real1::Ceil | Real1::Trunc | Real1::Round | Real1::Reciprocal => return None,
    })
}

/// Into a range; NaN stays.
pub(super) fn clamp<'m, M: Machine>(x: Single<'m, M>, low: f32, high: f32) -> Single<'m, M> {
    let x = x.gt(high).single(x.same(high), x);
    x.lt(low).single(x.same(low), x)
}

/// The sum of a number, a smaller one (or the number is zero), and one much smaller.
fn sum<'m, M: Machine>(large: Single<'m, M>, small: Single<'m, M>, rest: Single<'m, M>) -> Single<'m, M> {
    let both = large + small;
    both + (small - (both - large) + rest)
}

/// The whole number that was added to [`WHOLE`].
pub(super) fn whole<'m, M: Machine>(shifted: Single<'m, M>) -> Int<'m, M> {
    shifted.bits() - i64::from(WHOLE.to_bits())
}

/// `2 ** e`, of a normal single.
pub(super) fn power_of_two<M: Machine>(e: Int<'_, M>) -> Single<'_, M> {
    (e + 127).shl(23).of_single_bits()
}
