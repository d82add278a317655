//! Numbers in two parts: a double and what rounding has left of it.

/// The sum of two doubles, `hi` rounded and `lo` what that leaves out.
#[derive(Clone, Copy)]
pub(super) struct Pair {
    pub(super) hi: f64,
    pub(super) lo: f64,
}

/// `x + y`, exactly, where `x` is the larger in magnitude.
#[inline(always)]
pub(super) fn sum_large_small(x: f64, y: f64) -> Pair {
    let hi = x + y;
    Pair { hi, lo: y - (hi - x) }
}

/// `x + y`, exactly.
#[inline(always)]
pub(super) fn sum(x: f64, y: f64) -> Pair {
    let hi = x + y;
    let from_y = hi - x;
    Pair { hi, lo: (x - (hi - from_y)) + (y - from_y) }
}

/// `x y`, exactly.
#[inline(always)]
pub(super) fn product(x: f64, y: f64) -> Pair {
    let hi = x * y;
    Pair { hi, lo: x.mul_add(y, -hi) }
}

impl Pair {
    /// Rounded once.
    #[inline(always)]
    pub(super) fn round(self) -> f64 {
        self.hi + self.lo
    }

    /// Both parts times a power of two.
    #[inline(always)]
    pub(super) fn scaled(self, by: f64) -> Self {
        Self { hi: self.hi * by, lo: self.lo * by }
    }

    /// Their sum, to about twice a double's precision.
    #[inline(always)]
    pub(super) fn plus(self, other: Self) -> Self {
        let it = sum(self.hi, other.hi);
        sum_large_small(it.hi, it.lo + (self.lo + other.lo))
    }

    /// Their quotient, to nearly that.
    #[inline(always)]
    pub(super) fn over(self, other: Self) -> Self {
        let inverse = 1.0 / other.hi;
        let hi = self.hi * inverse;
        let left = (-hi).mul_add(other.hi, self.hi) + (-hi).mul_add(other.lo, self.lo);
        Self { hi, lo: left * inverse }
    }
}

/// Into a range; NaN stays.
#[inline(always)]
pub(super) fn clamp(x: f64, low: f64, high: f64) -> f64 {
    let x = if x > high { high } else { x };
    if x < low { low } else { x }
}
