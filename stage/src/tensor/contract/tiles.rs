//! Tiles of a product, in vectors of 512 bits.
//!
//! A tile is at most 24 vectors of the result, those of its last column with some lanes off, and lives in registers along
//! the whole common axis. Each lane is a chain of fused multiply-adds, which is what a product is by definition.

use std::arch::x86_64::*;

/// A type with vectors of 512 bits.
pub(super) trait Lanes: Copy {
    type Vector: Copy;
    const WIDTH: usize;

    /// The first `n` lanes.
    fn first(n: usize) -> u16;
    unsafe fn zero() -> Self::Vector;
    unsafe fn splat(x: Self) -> Self::Vector;
    unsafe fn load(at: *const Self) -> Self::Vector;
    unsafe fn load_some(at: *const Self, lanes: u16) -> Self::Vector;
    unsafe fn store_some(at: *mut Self, lanes: u16, x: Self::Vector);
    unsafe fn plus(x: Self::Vector, y: Self::Vector) -> Self::Vector;
    unsafe fn multiply_add(x: Self::Vector, y: Self::Vector, z: Self::Vector) -> Self::Vector;
}

macro_rules! lanes {
    ($t:ty, $vector:ty, $mask:ty, $zero:ident $splat:ident $load:ident $load_some:ident $store_some:ident $plus:ident
     $multiply_add:ident) => {
        impl Lanes for $t {
            type Vector = $vector;
            const WIDTH: usize = size_of::<$vector>() / size_of::<$t>();

            fn first(n: usize) -> u16 {
                (u32::MAX >> (32 - n.min(Self::WIDTH))) as u16
            }

            #[inline(always)]
            unsafe fn zero() -> $vector {
                // SAFETY: as the caller says.
                unsafe { $zero() }
            }

            #[inline(always)]
            unsafe fn splat(x: $t) -> $vector {
                // SAFETY: as the caller says.
                unsafe { $splat(x) }
            }

            #[inline(always)]
            unsafe fn load(at: *const $t) -> $vector {
                // SAFETY: as the caller says.
                unsafe { $load(at) }
            }

            #[inline(always)]
            unsafe fn load_some(at: *const $t, lanes: u16) -> $vector {
                // SAFETY: as the caller says.
                unsafe { $load_some(lanes as $mask, at) }
            }

            #[inline(always)]
            unsafe fn store_some(at: *mut $t, lanes: u16, x: $vector) {
                // SAFETY: as the caller says.
                unsafe { $store_some(at, lanes as $mask, x) }
            }

            #[inline(always)]
            unsafe fn plus(x: $vector, y: $vector) -> $vector {
                // SAFETY: as the caller says.
                unsafe { $plus(x, y) }
            }

            #[inline(always)]
            unsafe fn multiply_add(x: $vector, y: $vector, z: $vector) -> $vector {
                // SAFETY: as the caller says.
                unsafe { $multiply_add(x, y, z) }
            }
        }
    };
}

lanes!(f32, __m512, __mmask16, _mm512_setzero_ps _mm512_set1_ps _mm512_loadu_ps _mm512_maskz_loadu_ps
    _mm512_mask_storeu_ps _mm512_add_ps _mm512_fmadd_ps);
lanes!(f64, __m512d, __mmask8, _mm512_setzero_pd _mm512_set1_pd _mm512_loadu_pd _mm512_maskz_loadu_pd
    _mm512_mask_storeu_pd _mm512_add_pd _mm512_fmadd_pd);

/// What a tile begins with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Start {
    /// Chains begin at zero.
    Zero,
    /// Chains go on from what is there.
    Chain,
    /// Chains begin at zero, and are added to what is there.
    Sum,
}

/// Some rows and vectors of the result.
pub(super) struct Tile<T> {
    /// The first factor, from whose rows single elements are taken.
    pub(super) a: *const T,
    pub(super) a_down: isize,
    pub(super) a_right: isize,
    /// The second factor, whose rows are dense.
    pub(super) b: *const T,
    pub(super) b_down: isize,
    pub(super) depth: usize,
    pub(super) c: *mut T,
    pub(super) c_down: isize,
    /// How many columns the result has here.
    pub(super) columns: usize,
    pub(super) start: Start,
}

/// How many vectors a row of a tile has at most.
pub(super) const VECTORS: usize = 4;
/// How many rows a tile has whose rows are so many vectors: as the 32 registers allow.
const ROWS: [usize; VECTORS + 1] = [0, 12, 12, 8, 6];

impl<T: Lanes> Tile<T> {
    /// Computes so many rows of the result from here down, a tile at a time.
    ///
    /// # Safety
    /// All of it is inside the matrices, it has at least one column and at most [`VECTORS`] vectors, and the processor has
    /// vectors of 512 bits.
    pub(super) unsafe fn down(mut self, rows: usize) {
        let vectors = self.columns.div_ceil(T::WIDTH);
        let tiles = rows.div_ceil(ROWS[vectors]);
        for tile in 0..tiles {
            let now = (tile + 1) * rows / tiles - tile * rows / tiles;
            macro_rules! run {
                ($vectors:literal: $($rows:literal)*) => {
                    match now {
                        $($rows => self.run::<$rows, $vectors>(),)*
                        _ => unreachable!("no tile has more rows"),
                    }
                };
            }
            // SAFETY: the caller says so, and the tiles divide the result.
            unsafe {
                match vectors {
                    1 => run!(1: 1 2 3 4 5 6 7 8 9 10 11 12),
                    2 => run!(2: 1 2 3 4 5 6 7 8 9 10 11 12),
                    3 => run!(3: 1 2 3 4 5 6 7 8),
                    _ => run!(4: 1 2 3 4 5 6),
                }
            }
            self.a = self.a.wrapping_offset(now as isize * self.a_down);
            self.c = self.c.wrapping_offset(now as isize * self.c_down);
        }
    }

    /// # Safety
    /// All of it is inside the matrices, and the processor has vectors of 512 bits.
    #[target_feature(enable = "avx512f")]
    unsafe fn run<const R: usize, const N: usize>(&self) {
        let last = T::first(self.columns - (N - 1) * T::WIDTH);
        let lanes = |j: usize| if j + 1 == N { last } else { T::first(T::WIDTH) };
        let at = |r: usize, j: usize| self.c.wrapping_offset(r as isize * self.c_down).wrapping_add(j * T::WIDTH);
        // SAFETY: the caller says so.
        unsafe {
            let mut sums = [[T::zero(); N]; R];
            if self.start == Start::Chain {
                for (r, sums) in sums.iter_mut().enumerate() {
                    for (j, sum) in sums.iter_mut().enumerate() {
                        *sum = T::load_some(at(r, j), lanes(j));
                    }
                }
            }
            let (mut a, mut b) = (self.a, self.b);
            for k in 0..self.depth {
                // What the tile below reads, as far as a line of the cache goes.
                if k % T::WIDTH == 0 && self.a_right == 1 {
                    for r in R..2 * R {
                        _mm_prefetch::<_MM_HINT_T0>(a.wrapping_offset(r as isize * self.a_down).cast());
                    }
                }
                let mut row = [T::zero(); N];
                for (j, y) in row.iter_mut().enumerate() {
                    let at = b.add(j * T::WIDTH);
                    *y = if j + 1 == N { T::load_some(at, last) } else { T::load(at) };
                }
                for (r, sums) in sums.iter_mut().enumerate() {
                    let x = T::splat(*a.offset(r as isize * self.a_down));
                    for (sum, y) in sums.iter_mut().zip(row) {
                        *sum = T::multiply_add(x, y, *sum);
                    }
                }
                a = a.wrapping_offset(self.a_right);
                b = b.wrapping_offset(self.b_down);
            }
            for (r, sums) in sums.into_iter().enumerate() {
                for (j, mut sum) in sums.into_iter().enumerate() {
                    if self.start == Start::Sum {
                        sum = T::plus(T::load_some(at(r, j), lanes(j)), sum);
                    }
                    T::store_some(at(r, j), lanes(j), sum);
                }
            }
        }
    }
}
