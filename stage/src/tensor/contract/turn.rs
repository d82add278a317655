//! Rows become columns, a square of vectors at a time.

use std::arch::x86_64::*;

use super::tiles::Lanes;

/// What a matrix is turned by: squares whose sides are vectors.
pub(super) trait Turn: Lanes {
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
    for i in (0..rows).step_by(T::WIDTH) {
        for j in (0..columns).step_by(T::WIDTH) {
            let from = from.wrapping_offset(i as isize * from_down).wrapping_add(j);
            let to = to.wrapping_offset(j as isize * to_down).wrapping_add(i);
            // SAFETY: the caller says so.
            unsafe {
                T::square::<ADDED>(from, from_down, to, to_down, T::WIDTH.min(rows - i), T::WIDTH.min(columns - j))
            };
        }
    }
}

/// A square of rows in registers. No closures: whether those are inlined is a matter of luck, and vectors that are passed
/// on go through memory.
macro_rules! square {
    ($t:ty, $turned:ident) => {
        impl Turn for $t {
            #[target_feature(enable = "avx512f")]
            unsafe fn square<const ADDED: bool>(
                from: *const $t,
                from_down: isize,
                to: *mut $t,
                to_down: isize,
                down: usize,
                across: usize,
            ) {
                let (some, lanes) = (Self::first(across), Self::first(down));
                // SAFETY: the rows are there as far as the lanes go.
                unsafe {
                    let mut rows = [Self::zero(); Self::WIDTH];
                    for (i, row) in rows.iter_mut().enumerate() {
                        if i < down {
                            *row = Self::load_some(from.wrapping_offset(i as isize * from_down), some);
                        }
                    }
                    $turned(&mut rows);
                    for (j, row) in rows.into_iter().enumerate() {
                        if j < across {
                            let at = to.wrapping_offset(j as isize * to_down);
                            let row = if ADDED { Self::plus(Self::load_some(at, lanes), row) } else { row };
                            Self::store_some(at, lanes, row);
                        }
                    }
                }
            }
        }
    };
}

square!(f32, turn_singles);
square!(f64, turn_doubles);

#[inline]
#[target_feature(enable = "avx512f")]
fn turn_singles(rows: &mut [__m512; 16]) {
    // Four rows at a time: what lies in each quarter of them is turned.
    for q in [0, 4, 8, 12] {
        let [a, b, c, d] = [rows[q], rows[q + 1], rows[q + 2], rows[q + 3]];
        let (low, low2) = (_mm512_castps_pd(_mm512_unpacklo_ps(a, b)), _mm512_castps_pd(_mm512_unpacklo_ps(c, d)));
        let (high, high2) = (_mm512_castps_pd(_mm512_unpackhi_ps(a, b)), _mm512_castps_pd(_mm512_unpackhi_ps(c, d)));
        rows[q] = _mm512_castpd_ps(_mm512_unpacklo_pd(low, low2));
        rows[q + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(low, low2));
        rows[q + 2] = _mm512_castpd_ps(_mm512_unpacklo_pd(high, high2));
        rows[q + 3] = _mm512_castpd_ps(_mm512_unpackhi_pd(high, high2));
    }
    // Then the quarters themselves.
    for c in 0..4 {
        let [x, y, z, w] = [rows[c], rows[c + 4], rows[c + 8], rows[c + 12]];
        let (even, even2) = (_mm512_shuffle_f32x4::<0x88>(x, y), _mm512_shuffle_f32x4::<0x88>(z, w));
        let (odd, odd2) = (_mm512_shuffle_f32x4::<0xDD>(x, y), _mm512_shuffle_f32x4::<0xDD>(z, w));
        rows[c] = _mm512_shuffle_f32x4::<0x88>(even, even2);
        rows[c + 4] = _mm512_shuffle_f32x4::<0x88>(odd, odd2);
        rows[c + 8] = _mm512_shuffle_f32x4::<0xDD>(even, even2);
        rows[c + 12] = _mm512_shuffle_f32x4::<0xDD>(odd, odd2);
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn turn_doubles(rows: &mut [__m512d; 8]) {
    for q in [0, 2, 4, 6] {
        let [a, b] = [rows[q], rows[q + 1]];
        rows[q] = _mm512_unpacklo_pd(a, b);
        rows[q + 1] = _mm512_unpackhi_pd(a, b);
    }
    for c in 0..2 {
        let [x, y, z, w] = [rows[c], rows[c + 2], rows[c + 4], rows[c + 6]];
        let (even, even2) = (_mm512_shuffle_f64x2::<0x88>(x, y), _mm512_shuffle_f64x2::<0x88>(z, w));
        let (odd, odd2) = (_mm512_shuffle_f64x2::<0xDD>(x, y), _mm512_shuffle_f64x2::<0xDD>(z, w));
        rows[c] = _mm512_shuffle_f64x2::<0x88>(even, even2);
        rows[c + 2] = _mm512_shuffle_f64x2::<0x88>(odd, odd2);
        rows[c + 4] = _mm512_shuffle_f64x2::<0xDD>(even, even2);
        rows[c + 6] = _mm512_shuffle_f64x2::<0xDD>(odd, odd2);
    }
}
