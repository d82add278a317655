//! Functions of single precision.
//!
//! Those that programs call on whole arrays are evaluated in singles by short series with fused multiply-adds, without
//! branches and look-ups, so that a loop over elements becomes vectors: within one unit in the last place of the true value,
//! `sinh`, `cosh`, `tanh` and `tan` within two. The others are evaluated in doubles (`wide`) and rounded once: within 0.51.
//! NaN and infinities come out right by themselves or by a select at the end.

mod circle;
mod exp;
mod log;
pub mod tables;
mod wide;

use super::double;
use super::elementwise::{Real1, Real2};
use super::series::series_of_singles as series;
use crate::op;
use crate::op::meaning as scalar;

/// The function, in single precision.
#[inline(always)]
pub fn real1(function: Real1, x: f32) -> f32 {
    match function {
        Real1::Sin | Real1::Cos | Real1::Tan if is_far(function, x) => far(function, x),
        Real1::Log => log::anywhere(x, log::log),
        Real1::Log2 => log::anywhere(x, log::log2),
        Real1::Log10 => log::anywhere(x, log::log10),
        Real1::Log1p => log::edges(1.0 + x, log::log1p(x)),
        _ => near(function, x),
    }
}

/// Whether it is one of the few arguments for which [`near`] is not the function.
#[inline(always)]
pub(crate) fn is_far(function: Real1, x: f32) -> bool {
    match function {
        Real1::Sin | Real1::Cos | Real1::Tan => x.abs() >= tables::FAR,
        Real1::Log | Real1::Log2 | Real1::Log10 => !(f32::MIN_POSITIVE..f32::INFINITY).contains(&x),
        Real1::Log1p => !(x > -1.0 && x < f32::INFINITY),
        _ => false,
    }
}

/// An angle of many turns.
fn far(function: Real1, x: f32) -> f32 {
    let d = f64::from(x);
    let it = match function {
        _ if d.abs() >= tables::wide::FAR => double::of_library(function, d),
        Real1::Sin => wide::sin(d),
        Real1::Cos => wide::cos(d),
        _ => wide::tan(d),
    };
    it as f32
}

/// The function of nearly every argument, in single precision.
#[inline(always)]
pub(crate) fn near(function: Real1, x: f32) -> f32 {
    let d = f64::from(x);
    match function {
        Real1::Sqrt => x.sqrt(),
        Real1::Exp => exp::exp(x),
        Real1::Exp2 => exp::exp2(x),
        Real1::Expm1 => exp::expm1(x),
        Real1::Log => log::log(x, 0.0),
        Real1::Log2 => log::log2(x, 0.0),
        Real1::Log10 => log::log10(x, 0.0),
        Real1::Log1p => log::log1p(x),
        Real1::Sin => circle::sin(x),
        Real1::Cos => circle::cos(x),
        Real1::Tan => circle::tan(x),
        Real1::Asin => signed_zero(wide::asin(d) as f32, x),
        Real1::Acos => wide::acos(d) as f32,
        Real1::Atan => circle::atan(x),
        Real1::Sinh => exp::sinh(x),
        Real1::Cosh => exp::cosh(x),
        Real1::Tanh => exp::tanh(x),
        Real1::Asinh => wide::asinh(d) as f32,
        Real1::Acosh => wide::acosh(d) as f32,
        Real1::Atanh => signed_zero(wide::atanh(d) as f32, x),
        Real1::Cbrt => scalar::real1(op::Real1::Cbrt, d) as f32,
        Real1::Floor => x.floor(),
        Real1::Ceil => x.ceil(),
        Real1::Trunc => x.trunc(),
        Real1::Round => x.round_ties_even(),
        Real1::Reciprocal => 1.0 / x,
    }
}

/// The function, in single precision.
#[inline(always)]
pub fn real2(function: Real2, x: f32, y: f32) -> f32 {
    if double::is_far2(function, f64::from(x), f64::from(y)) {
        return double::real2(function, f64::from(x), f64::from(y)) as f32;
    }
    near2(function, x, y)
}

/// The function of nearly all arguments, in single precision.
#[inline(always)]
pub(crate) fn near2(function: Real2, x: f32, y: f32) -> f32 {
    match function {
        Real2::Div => x / y,
        Real2::Copysign => x.copysign(y),
        Real2::NextAfter => next_after(x, y),
        Real2::Fmod => x % y,
        Real2::Hypot | Real2::Atan2 | Real2::LogAddExp => double::near2(function, f64::from(x), f64::from(y)) as f32,
    }
}

/// `x ** y`: squares and roots are correctly rounded.
#[inline(always)]
pub fn power(x: f32, y: f32) -> f32 {
    let it = wide::power(f64::from(x), f64::from(y)) as f32;
    let it = if double::is_root(f64::from(x), f64::from(y)) { x.sqrt() + 0.0 } else { it };
    if y == 2.0 { x * x } else { it }
}

/// Odd functions keep the sign of zero.
#[inline(always)]
fn signed_zero(y: f32, x: f32) -> f32 {
    if x == 0.0 { x } else { y }
}

/// The sum of a number, a smaller one (or the number is zero), and one much smaller.
#[inline(always)]
fn sum(large: f32, small: f32, rest: f32) -> f32 {
    let both = large + small;
    both + (small - (both - large) + rest)
}

/// `2 ** e`, of a normal single.
#[inline(always)]
fn power_of_two(e: i32) -> f32 {
    f32::from_bits((e.wrapping_add(127) << 23).cast_unsigned())
}

/// The next number from x towards y.
#[inline(always)]
fn next_after(x: f32, y: f32) -> f32 {
    if x.is_nan() || y.is_nan() {
        f32::NAN
    } else if x == y {
        y
    } else if x < y {
        x.next_up()
    } else {
        x.next_down()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Distance to the true value in units in the last place of the single nearest to it.
    fn ulps(found: f32, exact: f64) -> f64 {
        let near = exact as f32;
        if found.is_nan() && exact.is_nan() || found == near && near.is_infinite() {
            return 0.0;
        }
        let unit = f64::from(near.abs().next_up()) - f64::from(near.abs());
        (f64::from(found) - exact).abs() / unit
    }

    /// How far off it may be.
    fn most(function: Real1) -> f64 {
        use Real1::{Atan, Cos, Cosh, Exp, Exp2, Expm1, Log, Log1p, Log2, Log10, Sin, Sinh, Tan, Tanh};
        match function {
            Sinh | Cosh | Tanh | Tan => 2.0,
            Exp | Exp2 | Expm1 | Log | Log2 | Log10 | Log1p | Sin | Cos | Atan => 1.0,
            _ => 0.51,
        }
    }

    #[test]
    fn functions_are_near_the_true_value() {
        for &function in Real1::ALL {
            let mut worst = (0.0, 0.0);
            // Every 1,009th single: all signs, all exponents.
            for bits in (0..=u32::MAX).step_by(1009) {
                let x = f32::from_bits(bits);
                let (found, exact) = (real1(function, x), double::real1(function, f64::from(x)));
                let off = ulps(found, exact);
                if off.is_nan() || off > worst.0 {
                    worst = (off, x);
                }
            }
            assert!(worst.0 <= most(function), "{function:?} is off by {} at {:e}", worst.0, worst.1);
        }
    }

    #[test]
    fn logarithms_and_powers_are_exact_where_they_can_be() {
        for e in -126..128 {
            let power = 2.0_f32.powi(e);
            assert_eq!(real1(Real1::Log2, power), e as f32);
            assert_eq!(real1(Real1::Exp2, e as f32), power);
        }
        for e in 0..11 {
            assert_eq!(real1(Real1::Log10, 10.0_f32.powi(e)), e as f32);
        }
    }

    #[test]
    fn edges_are_those_of_the_c_library() {
        let edges = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            0.5,
            -0.5,
            f32::INFINITY,
            f32::NEG_INFINITY,
            f32::NAN,
            f32::MAX,
            f32::MIN_POSITIVE,
            1e-45,
        ];
        for &function in Real1::ALL {
            for x in edges {
                let (found, exact) = (real1(function, x), double::real1(function, f64::from(x)) as f32);
                let same = found == exact && found.is_sign_negative() == exact.is_sign_negative();
                let is_inside = exact.is_normal() && ulps(found, double::real1(function, x.into())) <= most(function);
                assert!(
                    same || is_inside || found.is_nan() && exact.is_nan(),
                    "{function:?}({x}) is {found}, not {exact}"
                );
            }
        }
    }
}
