//! Functions of doubles.
//!
//! Those that programs call on whole arrays are evaluated by short series, most of them in two doubles, without tables and
//! branches, so that a loop over elements becomes vectors: within 0.6 units in the last place of the true value for most
//! (`exp` and `exp2` 0.9), within one for all. The others are the C library's, which is also what Python's `math` calls.

mod angle;
mod circle;
mod exp;
mod log;
mod parts;
mod power;

use super::elementwise::{Real1, Real2};
use crate::op;
use crate::op::meaning as scalar;

/// The function.
#[inline(always)]
pub(crate) fn real1(function: Real1, x: f64) -> f64 {
    match function {
        Real1::Sin | Real1::Cos | Real1::Tan if is_far(function, x) => of_library(function, x),
        Real1::Log | Real1::Log2 | Real1::Log10 => {
            let (normal, more) = log::normal(x);
            log::edges(x, logarithm(function, normal, more))
        }
        Real1::Log1p => log::edges(1.0 + x, near(function, x)),
        _ => near(function, x),
    }
}

#[inline(always)]
fn logarithm(function: Real1, x: f64, more: f64) -> f64 {
    match function {
        Real1::Log2 => log::log2(x, more),
        Real1::Log10 => log::log10(x, more),
        _ => log::log(x, more),
    }
}

/// See [`Real1::is_as_of_floats`].
pub(crate) const fn is_as_of_floats(function: Real1) -> bool {
    match function {
        Real1::Asinh | Real1::Acosh | Real1::Atanh | Real1::Cbrt => true,
        Real1::Sqrt | Real1::Floor | Real1::Ceil | Real1::Trunc | Real1::Round | Real1::Reciprocal => true,
        Real1::Exp | Real1::Exp2 | Real1::Expm1 | Real1::Log | Real1::Log2 | Real1::Log10 | Real1::Log1p => false,
        Real1::Sin | Real1::Cos | Real1::Tan | Real1::Asin | Real1::Acos | Real1::Atan => false,
        Real1::Sinh | Real1::Cosh | Real1::Tanh => false,
    }
}

/// Whether it is one of the few arguments for which [`near`] is not the function.
#[inline(always)]
pub(crate) fn is_far(function: Real1, x: f64) -> bool {
    match function {
        Real1::Sin | Real1::Cos | Real1::Tan => x.abs() >= circle::FAR,
        Real1::Log | Real1::Log2 | Real1::Log10 => !(f64::MIN_POSITIVE..f64::INFINITY).contains(&x),
        Real1::Log1p => !(x > -1.0 && x < f64::INFINITY),
        _ => false,
    }
}

/// Whether there are such arguments.
pub(crate) const fn has_far(function: Real1) -> bool {
    use Real1::{Cos, Log, Log1p, Log2, Log10, Sin, Tan};
    matches!(function, Sin | Cos | Tan | Log | Log2 | Log10 | Log1p)
}

/// The function, of nearly every argument.
#[inline(always)]
pub(crate) fn near(function: Real1, x: f64) -> f64 {
    match function {
        Real1::Sqrt => x.sqrt(),
        Real1::Exp => exp::exp(x),
        Real1::Exp2 => exp::exp2(x),
        Real1::Expm1 => exp::expm1(x),
        Real1::Log | Real1::Log2 | Real1::Log10 => logarithm(function, x, 0.0),
        Real1::Log1p => log::log1p(x),
        Real1::Sin => circle::sin(x),
        Real1::Cos => circle::cos(x),
        Real1::Tan => circle::tan(x),
        Real1::Sinh => exp::sinh(x),
        Real1::Cosh => exp::cosh(x),
        Real1::Tanh => exp::tanh(x),
        Real1::Asin => angle::asin(x),
        Real1::Acos => angle::acos(x),
        Real1::Atan => angle::atan(x),
        Real1::Asinh | Real1::Acosh | Real1::Atanh | Real1::Cbrt => of_library(function, x),
        Real1::Floor => x.floor(),
        Real1::Ceil => x.ceil(),
        Real1::Trunc => x.trunc(),
        Real1::Round => x.round_ties_even(),
        Real1::Reciprocal => 1.0 / x,
    }
}

/// The function as the C library has it, or what follows from that.
#[inline(always)]
pub(crate) fn of_library(function: Real1, x: f64) -> f64 {
    use op::Real1 as S;
    let function = match function {
        Real1::Exp => S::Exp,
        Real1::Exp2 => S::Exp2,
        Real1::Expm1 => S::Expm1,
        Real1::Log => S::Log,
        Real1::Log2 => S::Log2,
        Real1::Log10 => S::Log10,
        Real1::Log1p => S::Log1p,
        Real1::Sin => S::Sin,
        Real1::Cos => S::Cos,
        Real1::Tan => S::Tan,
        Real1::Asin => S::Asin,
        Real1::Acos => S::Acos,
        Real1::Atan => S::Atan,
        Real1::Sinh => S::Sinh,
        Real1::Cosh => S::Cosh,
        Real1::Tanh => S::Tanh,
        Real1::Asinh => S::Asinh,
        Real1::Acosh => S::Acosh,
        Real1::Atanh => S::Atanh,
        Real1::Cbrt => S::Cbrt,
        Real1::Sqrt | Real1::Floor | Real1::Ceil | Real1::Trunc | Real1::Round | Real1::Reciprocal => {
            return near(function, x);
        }
    };
    scalar::real1(function, x)
}

/// The function.
#[inline(always)]
pub(crate) fn real2(function: Real2, x: f64, y: f64) -> f64 {
    match function {
        Real2::Atan2 if is_far2(function, x, y) => scalar::real2(op::Real2::Atan2, x, y),
        _ => near2(function, x, y),
    }
}

/// Whether there are arguments for which [`near2`] is not the function.
pub(crate) const fn has_far2(function: Real2) -> bool {
    matches!(function, Real2::Atan2)
}

/// Whether these are such.
#[inline(always)]
pub(crate) fn is_far2(function: Real2, x: f64, y: f64) -> bool {
    function == Real2::Atan2 && angle::is_far(x, y)
}

/// The function of nearly all arguments.
#[inline(always)]
pub(crate) fn near2(function: Real2, x: f64, y: f64) -> f64 {
    match function {
        Real2::Div => x / y,
        Real2::Atan2 => angle::atan2(x, y),
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

/// `x ** y`: squares and roots are correctly rounded, all others within a unit in the last place.
#[inline(always)]
pub(crate) fn power(x: f64, y: f64) -> f64 {
    let it = with_sign(x, y, power::of_size(x.abs(), y));
    let it = if (x == 1.0) | (y == 0.0) { 1.0 } else { it };
    let it = if is_root(x, y) { x.sqrt() + 0.0 } else { it };
    if y == 2.0 { x * x } else { it }
}

/// Whether a power is a root, which has the sign of plus also of minus zero.
#[inline(always)]
pub(super) fn is_root(x: f64, y: f64) -> bool {
    (y == 0.5) & (x >= 0.0)
}

/// The power of a number from that of its magnitude.
#[inline(always)]
pub(super) fn with_sign(x: f64, y: f64, size: f64) -> f64 {
    let (half, is_whole) = (y * 0.5, y.trunc() == y);
    let is_odd = is_whole & (half.trunc() != half);
    let signed = if x.is_sign_negative() & is_odd { -size } else { size };
    if (x < 0.0) & (x > f64::NEG_INFINITY) & !is_whole { f64::NAN } else { signed }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor::single;

    /// How many doubles lie between two, of one sign.
    fn apart(x: f64, y: f64) -> u64 {
        let place = |it: f64| if it < 0.0 { -it.abs().to_bits().cast_signed() } else { it.to_bits().cast_signed() };
        if x.is_nan() && y.is_nan() { 0 } else { place(x).abs_diff(place(y)) }
    }

    const VECTORS: [Real1; 16] = [
        Real1::Exp,
        Real1::Exp2,
        Real1::Expm1,
        Real1::Log,
        Real1::Log2,
        Real1::Log10,
        Real1::Log1p,
        Real1::Sin,
        Real1::Cos,
        Real1::Tan,
        Real1::Sinh,
        Real1::Cosh,
        Real1::Tanh,
        Real1::Asin,
        Real1::Acos,
        Real1::Atan,
    ];

    #[test]
    fn what_is_as_of_floats_has_their_bits() {
        for &function in Real1::ALL {
            let same = (1..4000).all(|i| {
                let x = f64::from(i) * 0.000_71;
                real1(function, x).to_bits() == of_library(function, x).to_bits() || real1(function, x).is_nan()
            });
            assert_eq!(same, is_as_of_floats(function), "{function:?}");
        }
    }

    #[test]
    fn functions_are_near_the_c_library_s() {
        // The C library's hyperbolic functions are off by two units themselves, the others by little more than a half.
        for function in VECTORS {
            let most = if matches!(function, Real1::Sinh | Real1::Cosh | Real1::Tanh | Real1::Log10) { 2 } else { 1 };
            for i in 0..400_000_u64 {
                let bits = i.wrapping_mul(0x9e37_79b9_7f4a_7c15);
                let small = (bits >> 11) as f64 * (1.0 / (1_u64 << 53) as f64);
                for x in [f64::from_bits(bits), small * 8.0 - 4.0, small * 1500.0 - 750.0, 1.0 + small * 1e-3] {
                    let (found, exact) = (real1(function, x), of_library(function, x));
                    let off = apart(found, exact);
                    assert!(off <= most, "{function:?}({x:e}) is {found:e}, not {exact:e}");
                }
            }
        }
    }

    /// Magnitudes of all sizes, most of them near one, and both signs.
    fn pairs() -> impl Iterator<Item = (f64, f64)> {
        let mut state = 0_u64;
        let mut one = move || {
            let mut next = || {
                state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
                let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
                mixed ^ (mixed >> 31)
            };
            let bits = next();
            let unit = (bits >> 11) as f64 * (1.0 / (1_u64 << 53) as f64);
            match bits % 7 {
                0 => f64::from_bits(next()),
                1 => unit * 200.0 - 100.0,
                2 => (unit * 40.0 - 20.0).round(),
                3 => 1.0 + (unit - 0.5) * 1e-3,
                4 => (unit * 40.0).round() * 0.5,
                _ => unit * 4.0,
            }
        };
        std::iter::repeat_with(move || (one(), one()))
    }

    #[test]
    fn angles_and_powers_are_near_the_c_library_s() {
        let edges = [0.0, 1.0, 2.0, 3.0, 0.5, 1.5, 5e-324, f64::MIN_POSITIVE, f64::MAX, 1e300, f64::INFINITY, f64::NAN];
        let signed = || edges.into_iter().flat_map(|it| [it, -it]);
        let special = signed().flat_map(|x| signed().map(move |y| (x, y)));
        let sign = |it: f64| it.is_sign_negative() && !it.is_nan();
        for (x, y) in special.chain(pairs().take(2_000_000)) {
            let (found, exact) = (real2(Real2::Atan2, x, y), scalar::real2(op::Real2::Atan2, x, y));
            assert!(apart(found, exact) <= 1, "atan2({x:e}, {y:e}) is {found:e}, not {exact:e}");
            let (found, exact) = (power(x, y), scalar::real2(op::Real2::Pow, x, y));
            let exact = if is_root(x, y) { x.sqrt() } else { exact };
            let near = apart(found, exact) <= 1 && sign(found) == sign(exact);
            assert!(near || found == 0.0 && is_root(x, y), "{x:e} ** {y:e} is {found:e}, not {exact:e}");
            let (x, y) = (x as f32, y as f32);
            let (found, exact) = (single::power(x, y), scalar::real2(op::Real2::Pow, x.into(), y.into()));
            let unit = f64::from((exact as f32).abs().next_up()) - f64::from((exact as f32).abs());
            let same = found == exact as f32 || found.is_nan() && exact.is_nan();
            let near = same || (f64::from(found) - exact).abs() <= 0.51 * unit;
            assert!(near && sign(found.into()) == sign(exact), "singles: {x:e} ** {y:e} is {found:e}, not {exact:e}");
        }
        for (x, y) in (1..400).flat_map(|x| (0..6).map(move |y| (x, y))) {
            let exact = i64::pow(x, y) as f64;
            assert_eq!(power(x as f64, f64::from(y)), exact, "{x} ** {y}");
        }
        for (x, y) in (1..40).flat_map(|x| (0..5).map(move |y| (x, y))) {
            let (exact, x, y) = (i64::pow(x, y) as f32, x as f32, y as f32);
            assert_eq!(single::power(x, y), exact, "{x} ** {y}");
        }
    }

    #[test]
    fn edges_are_those_of_the_c_library() {
        let edges = [
            0.0,
            1.0,
            2.0,
            0.5,
            1e-8,
            1e-300,
            5e-324,
            f64::MIN_POSITIVE,
            f64::MAX,
            f64::INFINITY,
            f64::NAN,
            709.782_712_893_383_9,
            709.782_712_893_384_1,
            710.475_860_073_943_9,
            710.475_860_073_944,
            745.133_219_101_941,
            745.133_219_101_942,
            1023.5,
            1024.0,
            1074.5,
            1075.0,
            std::f64::consts::PI,
            std::f64::consts::FRAC_PI_2,
            6_381_956_970_095_103.0 * 2.0_f64.powi(797),
            99_999_999.5,
        ];
        for function in VECTORS {
            for x in edges.into_iter().flat_map(|it| [it, -it]) {
                let (found, exact) = (real1(function, x), of_library(function, x));
                assert!(apart(found, exact) <= 1, "{function:?}({x:e}) is {found:e}, not {exact:e}");
                let signs = found.is_sign_negative() == exact.is_sign_negative();
                assert!(found.is_nan() || signs, "{function:?}({x:e}) is {found:e}, not {exact:e}");
            }
        }
        for n in -1074..1024 {
            let power = of_library(Real1::Exp2, f64::from(n));
            assert_eq!(real1(Real1::Exp2, f64::from(n)), power, "{n}");
            assert_eq!(real1(Real1::Log2, power), f64::from(n), "{n}");
        }
        for n in 0..23 {
            assert_eq!(real1(Real1::Log10, 10.0_f64.powi(n)), f64::from(n), "{n}");
        }
    }
}
