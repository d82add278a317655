//! Functions of doubles: the C library's, which is also what Python's `math` calls.

use super::elementwise::{Real1, Real2};
use crate::op;
use crate::op::meaning as scalar;

/// The function of the C library, or what follows from it.
#[inline(always)]
pub(crate) fn real1(function: Real1, x: f64) -> f64 {
    use op::Real1 as S;
    match function {
        Real1::Sqrt => x.sqrt(),
        Real1::Exp => scalar::real1(S::Exp, x),
        Real1::Exp2 => scalar::real1(S::Exp2, x),
        Real1::Expm1 => scalar::real1(S::Expm1, x),
        Real1::Log => scalar::real1(S::Log, x),
        Real1::Log2 => scalar::real1(S::Log2, x),
        Real1::Log10 => scalar::real1(S::Log10, x),
        Real1::Log1p => scalar::real1(S::Log1p, x),
        Real1::Sin => scalar::real1(S::Sin, x),
        Real1::Cos => scalar::real1(S::Cos, x),
        Real1::Tan => scalar::real1(S::Tan, x),
        Real1::Asin => scalar::real1(S::Asin, x),
        Real1::Acos => scalar::real1(S::Acos, x),
        Real1::Atan => scalar::real1(S::Atan, x),
        Real1::Sinh => scalar::real1(S::Sinh, x),
        Real1::Cosh => scalar::real1(S::Cosh, x),
        Real1::Tanh => scalar::real1(S::Tanh, x),
        Real1::Asinh => scalar::real1(S::Asinh, x),
        Real1::Acosh => scalar::real1(S::Acosh, x),
        Real1::Atanh => scalar::real1(S::Atanh, x),
        Real1::Cbrt => scalar::real1(S::Cbrt, x),
        Real1::Floor => x.floor(),
        Real1::Ceil => x.ceil(),
        Real1::Trunc => x.trunc(),
        Real1::Round => x.round_ties_even(),
        Real1::Reciprocal => 1.0 / x,
    }
}

/// The function of the C library, or what follows from it.
#[inline(always)]
pub(crate) fn real2(function: Real2, x: f64, y: f64) -> f64 {
    match function {
        Real2::Div => x / y,
        Real2::Atan2 => scalar::real2(op::Real2::Atan2, x, y),
        Real2::Copysign => x.copysign(y),
        Real2::Fmod => scalar::real2(op::Real2::Fmod, x, y),
        Real2::Hypot => hypot(x, y),
        Real2::NextAfter => next_after(x, y),
        Real2::LogAddExp => log_add_exp(x, y),
    }
}

mod c {
    #[cfg_attr(unix, link(name = "m"))]
    // SAFETY: C99 declares these as functions from doubles to double, without conditions.
    unsafe extern "C" {
        pub(super) safe fn hypot(x: f64, y: f64) -> f64;
        pub(super) safe fn nextafter(x: f64, y: f64) -> f64;
    }
}

fn hypot(x: f64, y: f64) -> f64 {
    c::hypot(x, y)
}

fn next_after(x: f64, y: f64) -> f64 {
    c::nextafter(x, y)
}

/// `log(exp(x) + exp(y))` without overflow.
fn log_add_exp(x: f64, y: f64) -> f64 {
    if x == y {
        return x + std::f64::consts::LN_2;
    }
    let (high, low) = if x > y { (x, y) } else { (y, x) };
    if high > low {
        high + scalar::real1(op::Real1::Log1p, scalar::real1(op::Real1::Exp, low - high))
    } else {
        f64::NAN
    }
}

/// `x ** y` as Python's floats have it: squares and roots are correctly rounded, the rest is the C library's.
#[inline(always)]
pub(crate) fn power(x: f64, y: f64) -> f64 {
    if y == 2.0 {
        x * x
    } else if y == 0.5 && x >= 0.0 {
        x.sqrt() + 0.0
    } else {
        scalar::real2(op::Real2::Pow, x, y)
    }
}
