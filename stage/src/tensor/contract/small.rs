//! Products of matrices that fit into the caches, in vectors of 512 bits.
//!
//! The `gemm` crate copies its factors into an order that suits its tiles, of which a product of 64 rows and 50 columns
//! pays a third and fills half. Here nothing is copied where the rows of the second factor are dense, and the columns that
//! would leave most lanes of a vector empty are computed the other way round, with rows side by side.

use super::tiles::{Start, Tile, VECTORS};
use super::turn::{Turn, turn};
use super::{Matrix, Number};

/// How far along the common axis rows are turned at once: what that takes stays in the first cache.
const AHEAD: usize = 64;
/// Bytes of the second factor.
const MOST: usize = 1 << 17;

/// Whether a product is worth doing here.
pub(super) fn suits<T: Turn + Number>(a: &Matrix<T>, b: &Matrix<T>, c: &Matrix<T>) -> bool {
    c.right == 1 && 2 * c.columns >= T::WIDTH && a.columns * b.columns * size_of::<T>() <= MOST
}

/// `c = a b`, added to what is there if `more`.
///
/// # Safety
/// The matrices are in memory, the result overlaps neither factor, its rows are dense, and the processor has vectors of 512
/// bits.
pub(super) unsafe fn product<T: Turn + Number>(a: &Matrix<T>, b: &Matrix<T>, c: &Matrix<T>, more: bool) {
    let straight = straight(a, b, c);
    let (left, right) = (halves(b, straight), halves(c, straight));
    // SAFETY: the caller says so; the columns are divided.
    unsafe {
        if straight > 0 {
            let mut copy = Vec::new();
            let mut b = left.0;
            if b.right != 1 {
                b = b.by_rows(&mut copy);
            }
            across(a, &b, &right.0, more);
        }
        if straight < c.columns {
            along(a, &left.1, &right.1, more);
        }
    }
}

/// The first columns, and the others.
fn halves<T>(x: &Matrix<T>, columns: usize) -> (Matrix<T>, Matrix<T>) {
    let rest = x.at.wrapping_offset(columns as isize * x.right);
    (Matrix { columns, ..*x }, Matrix { at: rest, columns: x.columns - columns, ..*x })
}

/// How many of the columns are best computed with columns side by side.
fn straight<T: Turn + Number>(a: &Matrix<T>, b: &Matrix<T>, c: &Matrix<T>) -> usize {
    let (rows, columns, depth) = (c.rows as f64, c.columns, a.columns as f64);
    let vectors = |n: usize| n.div_ceil(T::WIDTH) as f64;
    // In multiply-adds of vectors, as measured.
    let straight = |n: usize| {
        let copied = if b.right == 1 { 0.0 } else { 2.0 * depth * n as f64 };
        // Narrow tiles wait for the elements of the first factor, and parts of lines are read twice.
        let narrow = if n <= T::WIDTH { 1.5 } else { 1.0 };
        let split = match (b.right == 1 && is_aligned(b), n.is_multiple_of(T::WIDTH)) {
            (true, _) => 1.0,
            (false, true) => 1.03,
            (false, false) => 1.13,
        };
        narrow * split * rows * vectors(n) * depth + copied
    };
    let turned = |n: usize| {
        // Who comes first waits for the first factor.
        let first = if n == columns { 0.9 } else { 0.7 };
        let ahead = if a.down == 1 { 0.0 } else { first * rows * depth };
        let back = 0.6 * rows * n as f64;
        400.0 + n as f64 * vectors(c.rows) * depth + ahead + back
    };
    let whole = columns / T::WIDTH * T::WIDTH;
    let cost = |n: usize| {
        let first = if n > 0 { straight(n) } else { 0.0 };
        first + if n < columns { turned(columns - n) } else { 0.0 }
    };
    [columns, whole, 0].into_iter().min_by(|x, y| cost(*x).total_cmp(&cost(*y))).unwrap_or(columns)
}

/// Whether no vector of its rows lies in two lines of the cache.
fn is_aligned<T: Turn + Number>(x: &Matrix<T>) -> bool {
    x.at.addr().is_multiple_of(64) && x.down.unsigned_abs().is_multiple_of(T::WIDTH)
}

/// With columns side by side.
///
/// # Safety
/// As for [`product`]; the rows of `b` are dense.
unsafe fn across<T: Turn + Number>(a: &Matrix<T>, b: &Matrix<T>, c: &Matrix<T>, more: bool) {
    let vectors = c.columns.div_ceil(T::WIDTH);
    let panels = vectors.div_ceil(VECTORS);
    for panel in 0..panels {
        let (from, to) = (panel * vectors / panels * T::WIDTH, (panel + 1) * vectors / panels * T::WIDTH);
        let tile = Tile {
            a: a.at,
            a_down: a.down,
            a_right: a.right,
            b: b.at.wrapping_add(from),
            b_down: b.down,
            depth: a.columns,
            c: c.at.wrapping_add(from),
            c_down: c.down,
            columns: to.min(c.columns) - from,
            start: if more { Start::Sum } else { Start::Zero },
        };
        // SAFETY: the caller says so, and the panels divide the result.
        unsafe { tile.down(c.rows) }
    }
}

/// A block of memory on the boundary of a vector.
#[repr(align(64))]
struct Aligned<T>(T);

/// With rows side by side.
///
/// # Safety
/// As for [`product`].
unsafe fn along<T: Turn + Number>(a: &Matrix<T>, b: &Matrix<T>, c: &Matrix<T>, more: bool) {
    let side = VECTORS * T::WIDTH;
    let mut turned = Aligned([const { std::mem::MaybeUninit::<[u64; 8]>::uninit() }; AHEAD * VECTORS]);
    let ahead = turned.0.as_mut_ptr().cast::<T>();
    let mut sums: Vec<[u64; 8]> = Vec::with_capacity(c.columns * VECTORS);
    let sums = sums.as_mut_ptr().cast::<T>();
    for first in (0..c.rows).step_by(side) {
        let lanes = side.min(c.rows - first);
        let rows = a.at.wrapping_offset(first as isize * a.down).cast_const();
        let out = c.at.wrapping_offset(first as isize * c.down);
        // SAFETY: the caller says so; what is turned fits into the blocks.
        unsafe {
            for from in (0..a.columns).step_by(AHEAD) {
                let depth = AHEAD.min(a.columns - from);
                let rows = rows.wrapping_offset(from as isize * a.right);
                let (at, down) = match (a.down, a.right) {
                    (1, right) => (rows, right),
                    (down, 1) => {
                        turn::<T, false>(rows, down, ahead, side as isize, lanes, depth);
                        (ahead.cast_const(), side as isize)
                    }
                    (down, right) => {
                        for k in 0..depth {
                            for i in 0..lanes {
                                *ahead.add(k * side + i) = *rows.offset(i as isize * down + k as isize * right);
                            }
                        }
                        (ahead.cast_const(), side as isize)
                    }
                };
                let tile = Tile {
                    a: b.at.wrapping_offset(from as isize * b.down),
                    a_down: b.right,
                    a_right: b.down,
                    b: at,
                    b_down: down,
                    depth,
                    c: sums,
                    c_down: side as isize,
                    columns: lanes,
                    start: if from == 0 { Start::Zero } else { Start::Chain },
                };
                tile.down(c.columns);
            }
            match more {
                false => turn::<T, false>(sums, side as isize, out, c.down, c.columns, lanes),
                true => turn::<T, true>(sums, side as isize, out, c.down, c.columns, lanes),
            }
        }
    }
}
