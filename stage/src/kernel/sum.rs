//! The order in which a sum adds.
//!
//! Every executor adds in this order, so that a sum of doubles has the same bits on all of them, whatever its
//! number of threads. The indices are cut into blocks of [`BLOCK`]. In a block, lane `l` of [`LANES`] adds what is at
//! `l`, `l + LANES`, `l + 2 * LANES`, ..., one after the other; then the upper half of the lanes is added to the lower
//! half until one is left. That is the partial sum of the block. Partial sums are added up in the same way, until
//! there is one; it is added to zero, as `sum` does. What is missing in the last block is `-0.0`, which changes nothing.
//!
//! Integers are added exactly, in 128 bits, which no order changes.

use crate::types::{Elem, Type};

/// How many indices make one partial sum.
pub const BLOCK: usize = 4096;
/// How many of them are added independently.
pub const LANES: usize = 256;

/// What is added.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Total {
    /// Integers, or truth values as 0 and 1.
    Int(i128),
    /// Doubles.
    Float(f64),
}

/// How partial sums of values of this type are stored: integers as two elements, the low half first.
pub(super) const fn partial(ty: Type) -> Elem {
    match ty {
        Type::F64 => Elem::F64,
        Type::Bool | Type::I64 | Type::Array(_) | Type::List(_) | Type::Map(_) | Type::Object(_) | Type::Tensor(_) => {
            Elem::I64
        }
    }
}

/// How many elements the partial sums of so many values of this type take.
pub(super) const fn partials(ty: Type, count: u64) -> u64 {
    let blocks = count.div_ceil(BLOCK as u64);
    if matches!(partial(ty), Elem::F64) { blocks } else { 2 * blocks }
}

/// The partial sum of a block of doubles.
pub fn block(values: &[f64]) -> f64 {
    assert!(values.len() <= BLOCK, "a block has at most {BLOCK} values");
    let mut lanes = [-0.0; LANES];
    for row in values.chunks(LANES) {
        for (lane, value) in lanes.iter_mut().zip(row) {
            *lane += value;
        }
    }
    let mut half = LANES / 2;
    while half > 0 {
        let (lower, upper) = lanes.split_at_mut(half);
        for (lane, value) in lower.iter_mut().zip(upper) {
            *lane += *value;
        }
        half /= 2;
    }
    lanes[0]
}

/// The total of partial sums of doubles.
pub fn total(partials: &[f64]) -> f64 {
    let mut partials = partials.to_vec();
    while partials.len() > 1 {
        partials = partials.chunks(BLOCK).map(block).collect();
    }
    0.0 + partials.first().copied().unwrap_or(-0.0)
}

/// An integer's two halves, as partial sums store them.
pub const fn halves(sum: i128) -> [u64; 2] {
    [sum as u64, (sum >> 64) as u64]
}

/// The total of partial sums as they are stored for results of this type.
pub fn finish(ty: Type, partials: &[u64]) -> Total {
    if partial(ty) == Elem::F64 {
        let partials: Vec<f64> = partials.iter().map(|&bits| f64::from_bits(bits)).collect();
        return Total::Float(total(&partials));
    }
    let whole = |[low, high]: &[u64; 2]| (i128::from(high.cast_signed()) << 64) | i128::from(*low);
    Total::Int(partials.as_chunks().0.iter().map(whole).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_of_nothing_and_of_negative_zeros_is_zero() {
        assert_eq!(total(&[]).to_bits(), 0.0_f64.to_bits());
        assert_eq!(block(&[-0.0, -0.0]).to_bits(), (-0.0_f64).to_bits());
        assert_eq!(total(&[-0.0]).to_bits(), 0.0_f64.to_bits());
    }

    #[test]
    fn the_order_is_by_lanes_and_halves() {
        let values: Vec<f64> = (0..700).map(|it| 1.0 / f64::from(it + 1)).collect();
        let mut lanes = vec![-0.0; LANES];
        for (position, value) in values.iter().enumerate() {
            lanes[position % LANES] += value;
        }
        while lanes.len() > 1 {
            let half = lanes.len() / 2;
            lanes = (0..half).map(|lane| lanes[lane] + lanes[lane + half]).collect();
        }
        assert_eq!(block(&values).to_bits(), lanes[0].to_bits());
    }

    #[test]
    fn integers_are_added_exactly() {
        let sums = [i128::from(i64::MAX) * 4096, -5, 7];
        let stored: Vec<u64> = sums.iter().flat_map(|&sum| halves(sum)).collect();
        assert_eq!(finish(Type::I64, &stored), Total::Int(sums.iter().sum()));
    }
}
