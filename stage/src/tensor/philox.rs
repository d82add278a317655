//! Random bits from a counter: Philox4x32-10 (Salmon and others, 2011).
//!
//! The bits at a position depend on the key and the position alone, so that it does not matter in which order, or on
//! how many threads, they are made.

use super::error::Result;
use super::op::TensorOp;
use super::trace;
use super::{Tensor, device};
use crate::home::Home;

/// What the counter is multiplied by, and what the key grows by, in each round.
pub const MULTIPLY: [u32; 2] = [0xD251_1F53, 0xCD9E_8D57];
/// See [`MULTIPLY`].
pub const WEYL: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];

/// How many rounds there are.
pub const ROUNDS: usize = 10;

/// Four words from a key and a counter.
pub fn block(key: [u32; 2], counter: [u32; 4]) -> [u32; 4] {
    let (mut key, mut c) = (key, counter);
    for _ in 0..ROUNDS {
        let wide = |i: usize, x: u32| {
            let product = u64::from(MULTIPLY[i]) * u64::from(x);
            ((product >> 32) as u32, product as u32)
        };
        let (high0, low0) = wide(0, c[0]);
        let (high1, low1) = wide(1, c[2]);
        c = [high1 ^ c[1] ^ key[0], low1, high0 ^ c[3] ^ key[1], low0];
        key = [key[0].wrapping_add(WEYL[0]), key[1].wrapping_add(WEYL[1])];
    }
    c
}

/// A key, as two words.
pub fn key_words(key: u64) -> [u32; 2] {
    [key as u32, (key >> 32) as u32]
}

/// The word of 64 bits at a position. `stream` tells apart what one key is used for.
pub fn word(key: u64, stream: u32, at: u64) -> u64 {
    let out = block(key_words(key), [(at >> 1) as u32, (at >> 33) as u32, stream, 0]);
    let pair = if at & 1 == 0 { [out[0], out[1]] } else { [out[2], out[3]] };
    u64::from(pair[0]) | u64::from(pair[1]) << 32
}

/// `len` words for a key, from position `first` on.
pub fn words(key: u64, stream: u32, first: u64, len: usize) -> Vec<u64> {
    (0..len as u64).map(|i| word(key, stream, first.wrapping_add(i))).collect()
}

/// A tensor of random bits, one i64 for each element.
pub fn bits(key: u64, stream: u32, dims: &[usize], home: Home) -> Result<Tensor> {
    if let Some(noted) = trace::note(|| TensorOp::Bits { key, stream, dims: dims.to_vec(), home }, &[]) {
        return noted;
    }
    if trace::is_for_shapes() {
        return Tensor::zeros(super::Dtype::I64, dims);
    }
    if home.is_there() {
        return device::bits(home, key, stream, dims);
    }
    let words: Vec<i64> = words(key, stream, 0, super::count(dims)?).into_iter().map(u64::cast_signed).collect();
    Tensor::from_slice(&words, dims)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The known answers of the authors' own tests.
    #[test]
    fn words_are_those_of_the_paper() {
        assert_eq!(block([0; 2], [0; 4]), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
        assert_eq!(block([u32::MAX; 2], [u32::MAX; 4]), [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]);
        assert_eq!(
            block([0xa409_3822, 0x299f_31d0], [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344]),
            [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1]
        );
    }

    #[test]
    fn bits_depend_on_their_position_alone() {
        let all = words(42, 1, 0, 100);
        assert_eq!(all[37..63], words(42, 1, 37, 26));
        assert_ne!(all, words(42, 2, 0, 100));
        assert_ne!(all, words(43, 1, 0, 100));
    }
}
