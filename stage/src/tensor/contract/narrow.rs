//! Rows beside each other, in vectors of 256 bits.
//!
//! A product of a matrix by a vector has a chain for each row. Where the rows are dense, what a vector needs, an element of
//! each of several rows, does not lie side by side: the elements are turned in registers, four columns at a time. The same
//! turns whole matrices, so that kernels that want dense rows find some.

use std::arch::x86_64::*;

use super::Matrix;

/// How many vectors of chains hide how long a multiply-add takes.
const GROUPS: usize = 4;
/// How many columns are turned at once.
const COLUMNS: usize = 4;
/// Bytes of a line of the cache.
const LINE: usize = 64;
/// How far ahead rows are asked for, in bytes.
const AHEAD: usize = 256;
/// How many rows are written beside each other: their lines stay in the cache until they are full.
const BAND: usize = 64;

/// A type that is turned in registers.
pub(super) trait Narrow: Copy {
    /// Computes `out[i * out_step] = x · rows[i]`, with chains along `x`, or adds it to what is there if `more`.
    ///
    /// # Safety
    /// All of it is in memory, the result overlaps nothing, and the processor has vectors of 256 bits and fused multiply-add.
    unsafe fn line(x: *const Self, along: isize, rows: &Matrix<Self>, out: *mut Self, out_step: isize, more: bool);

    /// Copies a matrix whose columns are dense, row by row.
    ///
    /// # Safety
    /// It is in memory, there is room at `to`, and the processor has vectors of 256 bits.
    unsafe fn by_rows(from: &Matrix<Self>, to: *mut Self);
}

macro_rules! narrow {
    ($t:ty, $width:literal, $vector:ty, $turned:ident, $zero:ident $splat:ident $multiply_add:ident $store:ident) => {
        impl Narrow for $t {
            #[target_feature(enable = "avx2,fma")]
            unsafe fn line(x: *const $t, along: isize, rows: &Matrix<$t>, out: *mut $t, out_step: isize, more: bool) {
                #[target_feature(enable = "avx2,fma")]
                unsafe fn chains<const G: usize>(
                    x: *const $t,
                    along: isize,
                    rows: *const $t,
                    down: isize,
                    depth: usize,
                ) -> [[$t; $width]; G] {
                    let mut sums = [$zero(); G];
                    let whole = depth / COLUMNS * COLUMNS;
                    let mut lanes = [[0.0; $width]; G];
                    // SAFETY: the caller says so.
                    unsafe {
                        // A line of the cache of each row of a group, then those of the next: no more are read at a time than
                        // rows that are far apart may have in the first cache.
                        for from in (0..whole).step_by(LINE / size_of::<$t>()) {
                            let to = whole.min(from + LINE / size_of::<$t>());
                            for (g, sum) in sums.iter_mut().enumerate() {
                                let rows = rows.offset((g * $width) as isize * down);
                                for r in 0..$width {
                                    let ahead =
                                        rows.wrapping_offset(r * down).wrapping_add(from + AHEAD / size_of::<$t>());
                                    _mm_prefetch::<_MM_HINT_T0>(ahead.cast());
                                }
                                for k in (from..to).step_by(COLUMNS) {
                                    let columns = $turned(rows.add(k), down);
                                    for (i, y) in columns.into_iter().enumerate() {
                                        let x = $splat(*x.offset((k + i) as isize * along));
                                        *sum = $multiply_add(x, y, *sum);
                                    }
                                }
                            }
                        }
                        for (g, sum) in sums.into_iter().enumerate() {
                            $store(lanes[g].as_mut_ptr(), sum);
                        }
                        for k in whole..depth {
                            let x = *x.offset(k as isize * along);
                            for (i, lane) in lanes.as_flattened_mut().iter_mut().enumerate() {
                                *lane = x.mul_add(*rows.offset(i as isize * down).add(k), *lane);
                            }
                        }
                    }
                    lanes
                }
                let mut first = 0;
                while first < rows.rows {
                    let groups = (rows.rows - first).div_ceil($width).min(GROUPS).min((rows.rows / $width).max(1));
                    // The last vectors begin early, and compute again what is there.
                    let from = first.min(rows.rows.saturating_sub(groups * $width));
                    let at = rows.at.wrapping_offset(from as isize * rows.down).cast_const();
                    let all: [[$t; $width]; GROUPS];
                    macro_rules! run {
                        ($groups:literal) => {{
                            let mut padded = [[0.0; $width]; GROUPS];
                            // SAFETY: the caller says so, and there are as many rows.
                            let sums = unsafe { chains::<$groups>(x, along, at, rows.down, rows.columns) };
                            padded[..$groups].copy_from_slice(&sums);
                            padded
                        }};
                    }
                    let mut count = groups * $width;
                    all = match groups {
                        _ if rows.rows < $width => {
                            count = rows.rows;
                            let mut few = [[0.0; $width]; GROUPS];
                            for (i, sum) in few[0][..count].iter_mut().enumerate() {
                                for k in 0..rows.columns {
                                    // SAFETY: the caller says so.
                                    let y = unsafe { *at.offset(i as isize * rows.down).add(k) };
                                    // SAFETY: as above.
                                    *sum = unsafe { *x.offset(k as isize * along) }.mul_add(y, *sum);
                                }
                            }
                            few
                        }
                        1 => run!(1),
                        2 => run!(2),
                        3 => run!(3),
                        _ => run!(4),
                    };
                    for (i, &sum) in all.as_flattened()[..count].iter().enumerate().skip(first - from) {
                        // SAFETY: the caller says so.
                        unsafe {
                            let to = out.offset((from + i) as isize * out_step);
                            *to = if more { *to + sum } else { sum };
                        }
                    }
                    first = from + count;
                }
            }

            #[target_feature(enable = "avx2")]
            unsafe fn by_rows(from: &Matrix<$t>, to: *mut $t) {
                // The columns, which are dense, are the rows here.
                let (down, wide) = (from.right, from.columns);
                let (whole, tall) = (wide / $width * $width, from.rows / COLUMNS * COLUMNS);
                // SAFETY: the caller says so.
                unsafe {
                    for top in (0..tall).step_by(BAND) {
                        for j in (0..whole).step_by($width) {
                            let column = from.at.offset(j as isize * down).cast_const();
                            for i in (top..tall.min(top + BAND)).step_by(COLUMNS) {
                                for (k, row) in $turned(column.add(i), down).into_iter().enumerate() {
                                    $store(to.add((i + k) * wide + j), row);
                                }
                            }
                        }
                    }
                    for i in 0..from.rows {
                        for j in if i < tall { whole } else { 0 }..wide {
                            *to.add(i * wide + j) = *from.at.offset(j as isize * down).add(i);
                        }
                    }
                }
            }
        }
    };
}

narrow!(f32, 8, __m256, turned_singles, _mm256_setzero_ps _mm256_set1_ps _mm256_fmadd_ps _mm256_storeu_ps);
narrow!(f64, 4, __m256d, turned_doubles, _mm256_setzero_pd _mm256_set1_pd _mm256_fmadd_pd _mm256_storeu_pd);

/// Four columns of eight rows.
///
/// # Safety
/// They are in memory.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn turned_singles(at: *const f32, down: isize) -> [__m256; COLUMNS] {
    let mut rows = [_mm256_setzero_ps(); COLUMNS];
    for (i, row) in rows.iter_mut().enumerate() {
        let at = at.wrapping_offset(i as isize * down);
        // SAFETY: the caller says so.
        let (low, high) = unsafe { (_mm_loadu_ps(at), _mm_loadu_ps(at.wrapping_offset(4 * down))) };
        *row = _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(low), high);
    }
    let [a, b, c, d] = rows;
    let (low, low2) = (_mm256_castps_pd(_mm256_unpacklo_ps(a, b)), _mm256_castps_pd(_mm256_unpacklo_ps(c, d)));
    let (high, high2) = (_mm256_castps_pd(_mm256_unpackhi_ps(a, b)), _mm256_castps_pd(_mm256_unpackhi_ps(c, d)));
    [
        _mm256_castpd_ps(_mm256_unpacklo_pd(low, low2)),
        _mm256_castpd_ps(_mm256_unpackhi_pd(low, low2)),
        _mm256_castpd_ps(_mm256_unpacklo_pd(high, high2)),
        _mm256_castpd_ps(_mm256_unpackhi_pd(high, high2)),
    ]
}

/// Four columns of four rows.
///
/// # Safety
/// They are in memory.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn turned_doubles(at: *const f64, down: isize) -> [__m256d; COLUMNS] {
    let mut columns = [_mm256_setzero_pd(); COLUMNS];
    for half in [0, 2] {
        let mut rows = [_mm256_setzero_pd(); 2];
        for (i, row) in rows.iter_mut().enumerate() {
            let at = at.wrapping_offset(i as isize * down).wrapping_add(half);
            // SAFETY: the caller says so.
            let (low, high) = unsafe { (_mm_loadu_pd(at), _mm_loadu_pd(at.wrapping_offset(2 * down))) };
            *row = _mm256_insertf128_pd::<1>(_mm256_castpd128_pd256(low), high);
        }
        columns[half] = _mm256_unpacklo_pd(rows[0], rows[1]);
        columns[half + 1] = _mm256_unpackhi_pd(rows[0], rows[1]);
    }
    columns
}
