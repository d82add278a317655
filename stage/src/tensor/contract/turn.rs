//! Rows become columns, a square of vectors at a time.

use std::arch::x86_64::*;

/// What a matrix is turned by.
pub(super) trait Turn: Copy {
    /// The side of a square.
    const SIDE: usize;

    /// Copies the `down` rows and `across` columns at `from` to `to`, as columns and rows, or adds them to what is there.
    ///
    /// # Safety
    /// Both are in memory, neither side is longer than a square's, and the processor has vectors of 512 bits.
    unsafe fn square<const ADDED: bool>(
        from: *const Self,
        from_down: isize,
        to: *mut Self,
        to_down: isize,
        down: usize,
        across: usize,
    );
}

/// Copies a matrix with dense rows, and turns it; if `ADDED`, adds it to what is there.
///
/// # Safety
/// Both are in memory and do not overlap, and the processor has vectors of 512 bits.
pub(super) unsafe fn turn<T: Turn, const ADDED: bool>(
    from: *const T,
    from_down: isize,
    to: *mut T,
    to_down: isize,
    rows: usize,
    columns: usize,
) {
    for i in (0..rows).step_by(T::SIDE) {
        for j in (0..columns).step_by(T::SIDE) {
            let from = from.wrapping_offset(i as isize * from_down).wrapping_add(j);
            let to = to.wrapping_offset(j as isize * to_down).wrapping_add(i);
            // SAFETY: the caller says so.
            unsafe {
                T::square::<ADDED>(from, from_down, to, to_down, T::SIDE.min(rows - i), T::SIDE.min(columns - j))
            };
        }
    }
}

/// The first `n` lanes.
const fn first(n: usize) -> u16 {
    (u32::MAX >> (32 - n)) as u16
}

impl Turn for f32 {
    const SIDE: usize = 16;

    #[target_feature(enable = "avx512f")]
    unsafe fn square<const ADDED: bool>(
        from: *const f32,
        from_down: isize,
        to: *mut f32,
        to_down: isize,
        down: usize,
        across: usize,
    ) {
        let some = first(across);
        let row = |i: usize| {
            let at = from.wrapping_offset(i as isize * from_down);
            // SAFETY: the row is there as far as the lanes go.
            if i < down { unsafe { _mm512_maskz_loadu_ps(some, at) } } else { _mm512_setzero_ps() }
        };
        // Four rows at a time: what lies in each quarter of them is turned.
        let quarters: [[__m512; 4]; 4] = std::array::from_fn(|q| {
            let [a, b, c, d] = std::array::from_fn(|i| row(4 * q + i));
            let low = [_mm512_unpacklo_ps(a, b), _mm512_unpacklo_ps(c, d)].map(|it| _mm512_castps_pd(it));
            let high = [_mm512_unpackhi_ps(a, b), _mm512_unpackhi_ps(c, d)].map(|it| _mm512_castps_pd(it));
            [
                _mm512_unpacklo_pd(low[0], low[1]),
                _mm512_unpackhi_pd(low[0], low[1]),
                _mm512_unpacklo_pd(high[0], high[1]),
                _mm512_unpackhi_pd(high[0], high[1]),
            ]
            .map(|it| _mm512_castpd_ps(it))
        });
        let put = |j: usize, x: __m512| {
            let (at, lanes) = (to.wrapping_offset(j as isize * to_down), first(down));
            if j < across {
                // SAFETY: the row is there as far as the lanes go.
                unsafe {
                    let x = if ADDED { _mm512_add_ps(_mm512_maskz_loadu_ps(lanes, at), x) } else { x };
                    _mm512_mask_storeu_ps(at, lanes, x);
                }
            }
        };
        // Then the quarters themselves.
        for c in 0..4 {
            let [a, b, d, e] = [quarters[0][c], quarters[1][c], quarters[2][c], quarters[3][c]];
            let (ab, de) = (_mm512_shuffle_f32x4::<0x88>(a, b), _mm512_shuffle_f32x4::<0x88>(d, e));
            put(c, _mm512_shuffle_f32x4::<0x88>(ab, de));
            put(c + 8, _mm512_shuffle_f32x4::<0xDD>(ab, de));
            let (ab, de) = (_mm512_shuffle_f32x4::<0xDD>(a, b), _mm512_shuffle_f32x4::<0xDD>(d, e));
            put(c + 4, _mm512_shuffle_f32x4::<0x88>(ab, de));
            put(c + 12, _mm512_shuffle_f32x4::<0xDD>(ab, de));
        }
    }
}

impl Turn for f64 {
    const SIDE: usize = 8;

    #[target_feature(enable = "avx512f")]
    unsafe fn square<const ADDED: bool>(
        from: *const f64,
        from_down: isize,
        to: *mut f64,
        to_down: isize,
        down: usize,
        across: usize,
    ) {
        let some = first(across) as u8;
        let row = |i: usize| {
            let at = from.wrapping_offset(i as isize * from_down);
            // SAFETY: the row is there as far as the lanes go.
            if i < down { unsafe { _mm512_maskz_loadu_pd(some, at) } } else { _mm512_setzero_pd() }
        };
        let pairs: [[__m512d; 2]; 4] = std::array::from_fn(|q| {
            let (a, b) = (row(2 * q), row(2 * q + 1));
            [_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b)]
        });
        let put = |j: usize, x: __m512d| {
            let (at, lanes) = (to.wrapping_offset(j as isize * to_down), first(down) as u8);
            if j < across {
                // SAFETY: the row is there as far as the lanes go.
                unsafe {
                    let x = if ADDED { _mm512_add_pd(_mm512_maskz_loadu_pd(lanes, at), x) } else { x };
                    _mm512_mask_storeu_pd(at, lanes, x);
                }
            }
        };
        for c in 0..2 {
            let [a, b, d, e] = [pairs[0][c], pairs[1][c], pairs[2][c], pairs[3][c]];
            let (ab, de) = (_mm512_shuffle_f64x2::<0x88>(a, b), _mm512_shuffle_f64x2::<0x88>(d, e));
            put(c, _mm512_shuffle_f64x2::<0x88>(ab, de));
            put(c + 4, _mm512_shuffle_f64x2::<0xDD>(ab, de));
            let (ab, de) = (_mm512_shuffle_f64x2::<0xDD>(a, b), _mm512_shuffle_f64x2::<0xDD>(d, e));
            put(c + 2, _mm512_shuffle_f64x2::<0x88>(ab, de));
            put(c + 6, _mm512_shuffle_f64x2::<0xDD>(ab, de));
        }
    }
}
