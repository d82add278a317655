//! Integers: Python's results where they fit in 64 bits, and nothing where they do not.

use crate::op::{Num1, Num2, Overflow2, Shift, Wrap2};

/// The op on an integer. `None` on overflow.
pub const fn num1_int(op: Num1, x: i64) -> Option<i64> {
    match op {
        Num1::Neg => x.checked_neg(),
        Num1::Abs => x.checked_abs(),
    }
}

/// The op on two integers. `None` on overflow, and for a quotient or remainder by zero.
pub const fn num2_int(op: Num2, x: i64, y: i64) -> Option<i64> {
    match op {
        Num2::Add => x.checked_add(y),
        Num2::Sub => x.checked_sub(y),
        Num2::Mul => x.checked_mul(y),
        Num2::FloorDiv => floor_div(x, y),
        Num2::Mod => floor_mod(x, y),
        Num2::Min => Some(if y < x { y } else { x }),
        Num2::Max => Some(if y > x { y } else { x }),
    }
}

const fn floor_div(x: i64, y: i64) -> Option<i64> {
    if y == 0 {
        return None;
    }
    let Some(quotient) = x.checked_div(y) else { return None };
    // The quotient above was rounded toward zero, which is up exactly if the true one is negative.
    if x % y != 0 && (x < 0) != (y < 0) { Some(quotient - 1) } else { Some(quotient) }
}

const fn floor_mod(x: i64, y: i64) -> Option<i64> {
    if y == 0 {
        return None;
    }
    let rest = x.wrapping_rem(y); // the smallest integer by -1 has remainder 0
    if rest != 0 && (rest < 0) != (y < 0) { Some(rest + y) } else { Some(rest) }
}

/// `x ** y`. `None` on overflow, and for a negative exponent.
pub fn int_pow(x: i64, y: i64) -> Option<i64> {
    match (x, y) {
        (_, i64::MIN..=-1) => None,
        (_, 0) => Some(1),
        (0 | 1, _) => Some(x),
        (-1, _) => Some(if y % 2 == 0 { 1 } else { -1 }),
        (_, _) => x.checked_pow(u32::try_from(y).ok()?),
    }
}

/// `x / y`: the double nearest to the quotient, ties to even. `None` if `y` is zero.
///
/// Exact operands divide as doubles do. Others are divided as integers to at least 64 bits, of which the
/// last also stands for everything after it, so that rounding to 53 bits is rounding the quotient.
pub fn int_div(x: i64, y: i64) -> Option<f64> {
    const EXACT: u64 = 1 << 53;
    if y == 0 {
        return None;
    }
    if x.unsigned_abs() <= EXACT && y.unsigned_abs() <= EXACT {
        return Some(x as f64 / y as f64);
    }
    if x == 0 {
        return Some(if y < 0 { -0.0 } else { 0.0 });
    }
    let (top, bottom) = (u128::from(x.unsigned_abs()), u128::from(y.unsigned_abs()));
    let up = top.leading_zeros();
    let quotient = (top << up) / bottom;
    let sticky = u128::from((top << up) % bottom != 0);
    // Both factors are far from the ends of the exponent range: the product is exact.
    let scale = f64::from_bits(u64::from(1023 - up) << 52);
    let magnitude = (quotient | sticky) as f64 * scale;
    Some(if (x < 0) != (y < 0) { -magnitude } else { magnitude })
}

/// `x ** y` modulo 2^64; 1 for a negative exponent.
pub const fn wrap_pow(x: i64, y: i64) -> i64 {
    let (mut base, mut left, mut power) = (x, y, 1_i64);
    while left > 0 {
        if left & 1 == 1 {
            power = power.wrapping_mul(base);
        }
        base = base.wrapping_mul(base);
        left >>= 1;
    }
    power
}

/// The op modulo 2^64.
pub const fn wrap2(op: Wrap2, x: i64, y: i64) -> i64 {
    match op {
        Wrap2::Add => x.wrapping_add(y),
        Wrap2::Sub => x.wrapping_sub(y),
        Wrap2::Mul => x.wrapping_mul(y),
        Wrap2::Pow => wrap_pow(x, y),
        Wrap2::Shl => {
            if y >= 0 && y < 64 {
                x.wrapping_shl(y as u32)
            } else {
                0
            }
        }
    }
}

/// Whether the checked op overflows.
pub fn overflow2(op: Overflow2, x: i64, y: i64) -> bool {
    match op {
        Overflow2::Add => x.overflowing_add(y).1,
        Overflow2::Sub => x.overflowing_sub(y).1,
        Overflow2::Mul => x.overflowing_mul(y).1,
        Overflow2::Pow => int_pow(x, y).is_none(),
    }
}

/// The shift. `None` on overflow, and for a negative distance.
pub const fn shift(op: Shift, x: i64, n: i64) -> Option<i64> {
    if n < 0 {
        return None;
    }
    match op {
        Shift::Left if x == 0 => Some(0),
        Shift::Left if n > 63 => None,
        Shift::Left => {
            let shifted = x << n;
            if shifted >> n == x { Some(shifted) } else { None }
        }
        Shift::Right => Some(if n > 63 { x >> 63 } else { x >> n }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotient_and_remainder_round_down() {
        for (x, y, quotient, rest) in [(7, 2, 3, 1), (-7, 2, -4, 1), (7, -2, -4, -1), (-7, -2, 3, -1), (6, -3, -2, 0)] {
            assert_eq!(num2_int(Num2::FloorDiv, x, y), Some(quotient), "{x} // {y}");
            assert_eq!(num2_int(Num2::Mod, x, y), Some(rest), "{x} % {y}");
        }
        assert_eq!(num2_int(Num2::FloorDiv, i64::MIN, -1), None);
        assert_eq!(num2_int(Num2::Mod, i64::MIN, -1), Some(0));
        assert_eq!(num2_int(Num2::FloorDiv, 1, 0), None);
        assert_eq!(num2_int(Num2::Mod, 1, 0), None);
    }

    #[test]
    fn power_knows_the_bases_that_never_overflow() {
        assert_eq!(int_pow(0, 0), Some(1));
        assert_eq!(int_pow(1, i64::MAX), Some(1));
        assert_eq!(int_pow(-1, i64::MAX), Some(-1));
        assert_eq!(int_pow(0, i64::MAX), Some(0));
        assert_eq!(int_pow(2, 62), Some(1 << 62));
        assert_eq!(int_pow(-2, 63), Some(i64::MIN));
        assert_eq!(int_pow(2, 63), None);
        assert_eq!(int_pow(3, i64::MAX), None);
        assert_eq!(int_pow(2, -1), None);
    }

    #[test]
    fn true_division_rounds_the_exact_quotient() {
        // From CPython 3.11.
        for (x, y, bits) in [
            (1, 3, 0x3fd5_5555_5555_5555_u64),
            (0, -5, 0x8000_0000_0000_0000),
            (i64::MAX, 1, 0x43e0_0000_0000_0000),
            (i64::MIN, -1, 0x43e0_0000_0000_0000),
            (9_007_199_254_740_993, 3, 0x4325_5555_5555_5556),
            (9_007_199_254_740_993, 1, 0x4340_0000_0000_0000),
            (9_007_199_254_740_995, 1, 0x4340_0000_0000_0002),
            (i64::MAX, i64::MAX - 1, 0x3ff0_0000_0000_0000),
            (1, i64::MIN, 0xbc00_0000_0000_0000),
        ] {
            assert_eq!(int_div(x, y).map(f64::to_bits), Some(bits), "{x} / {y}");
        }
        assert_eq!(int_div(1, 0), None);
    }

    #[test]
    fn shifts_of_any_distance() {
        assert_eq!(shift(Shift::Left, 0, i64::MAX), Some(0));
        assert_eq!(shift(Shift::Left, -1, 63), Some(i64::MIN));
        assert_eq!(shift(Shift::Left, 1, 63), None);
        assert_eq!(shift(Shift::Left, 1, 64), None);
        assert_eq!(shift(Shift::Left, 3, 2), Some(12));
        assert_eq!(shift(Shift::Right, -5, 1), Some(-3));
        assert_eq!(shift(Shift::Right, -5, 1000), Some(-1));
        assert_eq!(shift(Shift::Right, 5, 64), Some(0));
        assert_eq!(shift(Shift::Right, 5, -1), None);
    }
}
