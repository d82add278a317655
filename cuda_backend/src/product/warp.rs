//! What the instructions of a warp do on whose registers.

use half::{bf16, f16};
use snekpy_stage::tensor::Dtype;

/// Threads of a warp.
pub(crate) const LANES: usize = 32;

/// A register of each thread, or some of them.
pub(crate) type Registers<T, const COUNT: usize> = [[T; COUNT]; LANES];

/// `ldmatrix.x4`: matrices of eight rows of eight elements, whose rows the lanes have found in turn. Each lane gets two
/// elements of each: beside each other, or below each other if they are turned.
pub(crate) fn load_matrices(rows: &[[u16; 8]; LANES], turned: bool) -> Registers<u32, 4> {
    let mut words = [[0; 4]; LANES];
    for (lane, words) in words.iter_mut().enumerate() {
        for (matrix, word) in words.iter_mut().enumerate() {
            let of = |row: usize, column: usize| u32::from(rows[8 * matrix + row][column]);
            let (far, near) = (lane / 4, lane % 4 * 2);
            *word = match turned {
                false => of(far, near) | of(far, near + 1) << 16,
                true => of(near, far) | of(near + 1, far) << 16,
            };
        }
    }
    words
}

/// `mma.m16n8k16.row.col` with sums in single precision. Sixteen exact products and the sum are added exactly here, or nearly,
/// and rounded once.
pub(crate) fn multiply(
    dtype: Dtype,
    x: &Registers<u32, 4>,
    y: &Registers<u32, 2>,
    sums: &Registers<f32, 4>,
) -> Registers<f32, 4> {
    let value = |word: u32, second: usize| {
        let bits = if second == 0 { word as u16 } else { (word >> 16) as u16 };
        match dtype {
            Dtype::F16 => f16::from_bits(bits).to_f64(),
            _ => bf16::from_bits(bits).to_f64(),
        }
    };
    let left = |row: usize, depth: usize| {
        let register = row / 8 + depth / 8 * 2;
        value(x[row % 8 * 4 + depth % 8 / 2][register], depth % 2)
    };
    let above = |depth: usize, column: usize| value(y[column * 4 + depth % 8 / 2][depth / 8], depth % 2);
    let mut made = *sums;
    for (lane, made) in made.iter_mut().enumerate() {
        for (register, sum) in made.iter_mut().enumerate() {
            let (row, column) = (lane / 4 + register / 2 * 8, lane % 4 * 2 + register % 2);
            let products: f64 = (0..16).map(|depth| left(row, depth) * above(depth, column)).sum();
            *sum = (f64::from(*sum) + products) as f32;
        }
    }
    made
}
