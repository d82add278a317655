//! Doubles: the C library's functions, and Python's own `//`, `%` and comparison with integers.

use std::cmp::Ordering;

use super::cmp_int;
use crate::op::{Cmp, Num1, Num2, Real1, Real2};

/// The C library, which is also what Python's `math` calls. Not Rust's methods throughout, because its
/// inverse hyperbolic functions are others.
mod c {
    #[cfg_attr(unix, link(name = "m"))]
    // SAFETY: C99 declares all of these as functions from doubles to double, without conditions.
    unsafe extern "C" {
        pub(super) safe fn exp(x: f64) -> f64;
        pub(super) safe fn exp2(x: f64) -> f64;
        pub(super) safe fn expm1(x: f64) -> f64;
        pub(super) safe fn log(x: f64) -> f64;
        pub(super) safe fn log2(x: f64) -> f64;
        pub(super) safe fn log10(x: f64) -> f64;
        pub(super) safe fn log1p(x: f64) -> f64;
        pub(super) safe fn sin(x: f64) -> f64;
        pub(super) safe fn cos(x: f64) -> f64;
        pub(super) safe fn tan(x: f64) -> f64;
        pub(super) safe fn asin(x: f64) -> f64;
        pub(super) safe fn acos(x: f64) -> f64;
        pub(super) safe fn atan(x: f64) -> f64;
        pub(super) safe fn sinh(x: f64) -> f64;
        pub(super) safe fn cosh(x: f64) -> f64;
        pub(super) safe fn tanh(x: f64) -> f64;
        pub(super) safe fn asinh(x: f64) -> f64;
        pub(super) safe fn acosh(x: f64) -> f64;
        pub(super) safe fn atanh(x: f64) -> f64;
        pub(super) safe fn cbrt(x: f64) -> f64;
        pub(super) safe fn pow(x: f64, y: f64) -> f64;
        pub(super) safe fn atan2(y: f64, x: f64) -> f64;
        pub(super) safe fn fmod(x: f64, y: f64) -> f64;
    }
}

/// The op on a double.
pub const fn num1_float(op: Num1, x: f64) -> f64 {
    match op {
        Num1::Neg => -x,
        Num1::Abs => x.abs(),
    }
}

/// The op on two doubles. A quotient or remainder by zero is a NaN.
pub fn num2_float(op: Num2, x: f64, y: f64) -> f64 {
    match op {
        Num2::Add => x + y,
        Num2::Sub => x - y,
        Num2::Mul => x * y,
        Num2::FloorDiv => float_floor_div(x, y),
        Num2::Mod => float_mod(x, y),
        Num2::Min => {
            if y < x {
                y
            } else {
                x
            }
        }
        Num2::Max => {
            if y > x {
                y
            } else {
                x
            }
        }
    }
}

/// `x % y`: `fmod` brought to the sign of `y`. A zero has the sign of `y`, too.
pub fn float_mod(x: f64, y: f64) -> f64 {
    let rest = c::fmod(x, y);
    if rest == 0.0 {
        0.0_f64.copysign(y)
    } else if (y < 0.0) != (rest < 0.0) {
        rest + y
    } else {
        rest
    }
}

/// `x // y`, as CPython's `_float_div_mod` computes it.
///
/// Not `floor(x / y)`: that rounds twice. `x - fmod(x, y)` is nearly a multiple of `y`, so its quotient
/// is nearly whole, and is then put on the nearest whole number.
fn float_floor_div(x: f64, y: f64) -> f64 {
    let rest = c::fmod(x, y);
    let mut quotient = (x - rest) / y;
    if rest != 0.0 && (y < 0.0) != (rest < 0.0) {
        quotient -= 1.0;
    }
    if quotient == 0.0 {
        return 0.0_f64.copysign(x / y);
    }
    let floor = quotient.floor();
    if quotient - floor > 0.5 { floor + 1.0 } else { floor }
}

/// The function of the C library.
pub fn real1(op: Real1, x: f64) -> f64 {
    match op {
        Real1::Sqrt => x.sqrt(),
        Real1::Exp => c::exp(x),
        Real1::Exp2 => c::exp2(x),
        Real1::Expm1 => c::expm1(x),
        Real1::Log => c::log(x),
        Real1::Log2 => c::log2(x),
        Real1::Log10 => c::log10(x),
        Real1::Log1p => c::log1p(x),
        Real1::Sin => c::sin(x),
        Real1::Cos => c::cos(x),
        Real1::Tan => c::tan(x),
        Real1::Asin => c::asin(x),
        Real1::Acos => c::acos(x),
        Real1::Atan => c::atan(x),
        Real1::Sinh => c::sinh(x),
        Real1::Cosh => c::cosh(x),
        Real1::Tanh => c::tanh(x),
        Real1::Asinh => c::asinh(x),
        Real1::Acosh => c::acosh(x),
        Real1::Atanh => c::atanh(x),
        Real1::Cbrt => c::cbrt(x),
        Real1::Floor => x.floor(),
        Real1::Ceil => x.ceil(),
        Real1::Trunc => x.trunc(),
        Real1::RoundEven => x.round_ties_even(),
    }
}

/// The function of the C library.
pub fn real2(op: Real2, x: f64, y: f64) -> f64 {
    match op {
        Real2::Div => x / y,
        Real2::Pow => c::pow(x, y),
        Real2::Atan2 => c::atan2(x, y),
        Real2::Copysign => x.copysign(y),
        Real2::Fmod => c::fmod(x, y),
        Real2::Hypot => x.hypot(y),
    }
}

/// The comparison of the exact values. The integer is not rounded to a double first.
pub fn cmp_int_float(op: Cmp, x: i64, y: f64) -> bool {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0; // 2^63
    let ordering = if y.is_nan() {
        return op == Cmp::Ne;
    } else if y >= LIMIT {
        Ordering::Less
    } else if y < -LIMIT {
        Ordering::Greater
    } else {
        // The whole part fits. Where it is equal to `x`, the fraction decides.
        let whole = y.trunc();
        x.cmp(&(whole as i64)).then(if whole < y {
            Ordering::Less
        } else if whole > y {
            Ordering::Greater
        } else {
            Ordering::Equal
        })
    };
    cmp_int(op, ordering as i64, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From CPython 3.11: `x, y, x // y, x % y`, by `repr`.
    #[test]
    fn quotient_and_remainder_are_those_of_cpython() {
        for (x, y, quotient, rest) in [
            (7.5, 2.0, "3.0", "1.5"),
            (-7.5, 2.0, "-4.0", "0.5"),
            (7.5, -2.0, "-4.0", "-0.5"),
            (1.0, 0.1, "9.0", "0.09999999999999995"),
            (-0.0, 3.0, "-0.0", "0.0"),
            (0.0, -3.0, "-0.0", "-0.0"),
            (-6.0, 3.0, "-2.0", "0.0"),
            (6.0, -3.0, "-2.0", "-0.0"),
            (-1e-20, 3.0, "-1.0", "3.0"),
            (1e-20, 3.0, "0.0", "1e-20"),
            (5.0, f64::INFINITY, "0.0", "5.0"),
            (-5.0, f64::INFINITY, "-1.0", "inf"),
            (f64::INFINITY, 2.0, "nan", "nan"),
        ] {
            let shown = |it: f64| format!("{it:?}").to_lowercase();
            assert_eq!(shown(num2_float(Num2::FloorDiv, x, y)), quotient, "{x} // {y}");
            assert_eq!(shown(num2_float(Num2::Mod, x, y)), rest, "{x} % {y}");
        }
        assert!(num2_float(Num2::FloorDiv, 1.0, 0.0).is_nan());
        assert!(num2_float(Num2::Mod, 1.0, 0.0).is_nan());
    }

    #[test]
    fn the_first_of_equals_wins_and_nan_stays_where_it_is_first() {
        assert!(num2_float(Num2::Min, -0.0, 0.0).is_sign_negative());
        assert!(num2_float(Num2::Min, 0.0, -0.0).is_sign_positive());
        assert!(num2_float(Num2::Max, f64::NAN, 1.0).is_nan());
        assert_eq!(num2_float(Num2::Max, 1.0, f64::NAN), 1.0);
    }

    #[test]
    fn integers_are_compared_exactly() {
        let big = (1 << 53) + 1;
        assert!(cmp_int_float(Cmp::Gt, big, 9_007_199_254_740_992.0));
        assert!(!cmp_int_float(Cmp::Eq, big, 9_007_199_254_740_992.0));
        assert!(cmp_int_float(Cmp::Lt, i64::MAX, 9_223_372_036_854_775_808.0));
        assert!(cmp_int_float(Cmp::Eq, i64::MIN, -9_223_372_036_854_775_808.0));
        assert!(cmp_int_float(Cmp::Lt, 3, 3.5));
        assert!(cmp_int_float(Cmp::Gt, -3, -3.5));
        assert!(cmp_int_float(Cmp::Ge, 0, -0.0));
        assert!(cmp_int_float(Cmp::Gt, i64::MIN, f64::NEG_INFINITY));
        for &op in Cmp::ALL {
            assert_eq!(cmp_int_float(op, 0, f64::NAN), op == Cmp::Ne);
        }
    }

    #[test]
    fn rounding_goes_to_even() {
        assert_eq!(real1(Real1::RoundEven, 2.5), 2.0);
        assert_eq!(real1(Real1::RoundEven, -3.5), -4.0);
        assert!(real1(Real1::RoundEven, -0.5).is_sign_negative());
    }

    #[test]
    fn functions_do_not_raise() {
        assert_eq!(real1(Real1::Log, 0.0), f64::NEG_INFINITY);
        assert!(real1(Real1::Log, -1.0).is_nan());
        assert!(real1(Real1::Sqrt, -1.0).is_nan());
        assert_eq!(real2(Real2::Pow, 0.0, -1.0), f64::INFINITY);
        assert_eq!(real2(Real2::Atan2, 1.0, 1.0), std::f64::consts::FRAC_PI_4);
        assert_eq!(real2(Real2::Fmod, -7.0, 3.0), -1.0);
    }
}
