//! Intervals of integers. A truth value is 0 or 1.

use crate::types::Type;

/// The integers from `lo` to `hi`, both included; none when `lo > hi`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interval {
    /// The least.
    pub lo: i64,
    /// The greatest.
    pub hi: i64,
}

impl Interval {
    /// Nothing: what a place that is not reached has.
    pub const EMPTY: Self = Self { lo: i64::MAX, hi: i64::MIN };
    /// Any integer.
    pub const FULL: Self = Self { lo: i64::MIN, hi: i64::MAX };
    /// A truth value.
    pub const TRUTH: Self = Self { lo: 0, hi: 1 };

    /// From `lo` to `hi`.
    pub const fn new(lo: i64, hi: i64) -> Self {
        Self { lo, hi }
    }

    /// One integer.
    pub const fn only(it: i64) -> Self {
        Self { lo: it, hi: it }
    }

    /// What a value of a type can be. Of doubles and arrays nothing is said.
    pub const fn of_type(ty: Type) -> Self {
        match ty {
            Type::Bool => Self::TRUTH,
            Type::I64
            | Type::F64
            | Type::Array(_)
            | Type::List(_)
            | Type::Map(_)
            | Type::Object(_)
            | Type::Tensor(_) => Self::FULL,
        }
    }

    /// The integers of 64 bits between two bounds.
    pub(super) fn clamped(lo: i128, hi: i128) -> Self {
        let (min, max) = (i128::from(i64::MIN), i128::from(i64::MAX));
        if lo > max || hi < min {
            return Self::EMPTY;
        }
        Self::new(lo.max(min) as i64, hi.min(max) as i64)
    }

    /// Whether there is nothing in it.
    pub const fn is_empty(self) -> bool {
        self.lo > self.hi
    }

    /// The one integer in it.
    pub fn single(self) -> Option<i64> {
        (self.lo == self.hi).then_some(self.lo)
    }

    /// Whether everything in it is at least `lo` and at most `hi`.
    pub const fn within(self, lo: i64, hi: i64) -> bool {
        lo <= self.lo && self.hi <= hi
    }

    /// What is in both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let both = Self::new(self.lo.max(other.lo), self.hi.min(other.hi));
        if both.is_empty() { Self::EMPTY } else { both }
    }

    /// From the least to the greatest of both.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        if self.is_empty() {
            return other;
        }
        if other.is_empty() {
            return self;
        }
        Self::new(self.lo.min(other.lo), self.hi.max(other.hi))
    }

    /// Both, with an end that moved taken to the next of a few limits, so that it moves only a few times.
    #[must_use]
    pub(super) fn widened(self, other: Self) -> Self {
        const LIMITS: [i64; 5] = [i64::MIN, -1, 0, 1, i64::MAX];
        let both = self.or(other);
        let lo = if both.lo < self.lo { LIMITS.iter().rev().find(|&&it| it <= both.lo) } else { None };
        let hi = if both.hi > self.hi { LIMITS.iter().find(|&&it| it >= both.hi) } else { None };
        if self.is_empty() { both } else { Self::new(*lo.unwrap_or(&both.lo), *hi.unwrap_or(&both.hi)) }
    }

    /// The ends, with room to calculate.
    pub(super) fn ends(self) -> [i128; 2] {
        [self.lo.into(), self.hi.into()]
    }
}
