//! Doubles of twice the precision: a sum of two, of which the second is at most half a unit of the first.

use super::machine::{Float, Machine};

/// `hi + lo`.
pub(crate) struct Double<'m, M: Machine> {
    pub(crate) hi: Float<'m, M>,
    pub(crate) lo: Float<'m, M>,
}

impl<M: Machine> Clone for Double<'_, M> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<M: Machine> Copy for Double<'_, M> {}

/// The exact sum, where `x` is the larger in magnitude.
pub(crate) fn sum_ordered<'m, M: Machine>(x: Float<'m, M>, y: Float<'m, M>) -> Double<'m, M> {
    let hi = x + y;
    Double { hi, lo: y - (hi - x) }
}

/// The exact sum.
pub(crate) fn sum<'m, M: Machine>(x: Float<'m, M>, y: Float<'m, M>) -> Double<'m, M> {
    let hi = x + y;
    let of_y = hi - x;
    Double { hi, lo: (x - (hi - of_y)) + (y - of_y) }
}

/// The exact product.
pub(crate) fn product<'m, M: Machine>(x: Float<'m, M>, y: Float<'m, M>) -> Double<'m, M> {
    let hi = x * y;
    Double { hi, lo: x.fma(y, -hi) }
}

impl<'m, M: Machine> Double<'m, M> {
    /// A constant.
    pub(crate) fn constant(like: Float<'m, M>, [hi, lo]: [f64; 2]) -> Self {
        Self { hi: like.same(hi), lo: like.same(lo) }
    }

    /// The product, to about 100 bits.
    pub(crate) fn times(self, other: Self) -> Self {
        let it = product(self.hi, other.hi);
        let lo = self.hi.fma(other.lo, self.lo.fma(other.hi, it.lo));
        sum_ordered(it.hi, lo)
    }

    /// The sum with a double that is not larger.
    pub(crate) fn plus(self, small: Float<'m, M>) -> Self {
        let it = sum(self.hi, small);
        sum_ordered(it.hi, it.lo + self.lo)
    }

    /// Rounded to a double.
    pub(crate) fn round(self) -> Float<'m, M> {
        self.hi + self.lo
    }
}
