//! Constants as text: short where that is exact, and always exact.

use std::fmt;

use crate::op::Const;

const QUIET: u64 = 0x7ff8_0000_0000_0000;

/// A constant as the textual IR writes it.
#[derive(Clone, Copy, Debug)]
pub struct Literal(pub Const);

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Const::Bool(it) => write!(f, "{it}"),
            Const::I64(it) => write!(f, "{it}"),
            Const::F64(it) if it.to_bits() == QUIET => f.write_str("nan"),
            Const::F64(it) if it.is_nan() => write!(f, "nan:{:#018x}", it.to_bits()),
            Const::F64(it) => write!(f, "{it:?}"), // the shortest digits that are read back as `it`
        }
    }
}

/// The number of a literal: an integer if it has only digits and a sign.
pub(super) fn number(text: &str) -> Option<Const> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.parse().ok().map(Const::I64);
    }
    let begins_with_digit = digits.bytes().next().is_some_and(|byte| byte.is_ascii_digit());
    if begins_with_digit || digits == "inf" { text.parse().ok().map(Const::F64) } else { None }
}

/// The NaN with these bits, written `0x` and hexadecimal digits.
pub(super) fn nan(bits: &str) -> Option<Const> {
    let bits = u64::from_str_radix(bits.strip_prefix("0x")?, 16).ok()?;
    let it = f64::from_bits(bits);
    if it.is_nan() { Some(Const::F64(it)) } else { None }
}

/// The NaN that is written without its bits.
pub(super) fn quiet_nan() -> Const {
    Const::F64(f64::from_bits(QUIET))
}
