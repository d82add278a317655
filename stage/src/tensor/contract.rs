//! Products that are added up.
//!
//! The order is part of the meaning. An element of a product of matrices is a chain of fused multiply-adds along the
//! common axis, from zero, in slices of [`SLICE`] that are added in order. A product of two vectors is a run (see
//! [`super::reduce`]) in which each accumulator is a chain of fused multiply-adds. Half precision is computed in
//! singles and rounded at the end; integers wrap.

#[cfg(target_arch = "x86_64")]
mod narrow;
#[cfg(target_arch = "x86_64")]
mod small;
#[cfg(target_arch = "x86_64")]
mod tiles;
#[cfg(target_arch = "x86_64")]
mod turn;

use super::cast::{as_dtype, cast};
use super::elem::Elem;
use super::elementwise::{Num2, num2_into};
use super::error::{Result, TensorError};
use super::layout::broadcast_to;
use super::op::TensorOp;
use super::reduce::{BLOCK, LANES, Pairwise};
use super::shape::{Dims, broadcast, show};
use super::simd::{self, Kernel};
use super::trace;
use super::walk::Walk;
use super::{Dtype, Tensor};
use crate::threads::{self, Shared};

/// How far a chain of multiply-adds goes before it is added to the others.
pub const SLICE: usize = 512;

/// A type that products are computed in.
trait Number: Elem<Wide = Self> {
    const ZERO: Self;
    const NEUTRAL: Self;
    fn multiply_add(self, x: Self, y: Self) -> Self;
    fn plus(self, x: Self) -> Self;
    /// `c = a b` for one slice, added to what is there if `more`. Whether it did.
    fn fast(_a: &Matrix<Self>, _b: &Matrix<Self>, _c: &Matrix<Self>, _more: bool) -> bool {
        false
    }
    /// Copies a matrix with dense columns row by row, in vectors. Whether it did.
    fn turn(_from: &Matrix<Self>, _to: *mut Self) -> bool {
        false
    }
}

/// A matrix in memory: address, sizes, steps in elements.
struct Matrix<T> {
    at: *mut T,
    rows: usize,
    columns: usize,
    down: isize,
    right: isize,
}

impl<T: Number> Matrix<T> {
    /// The same row by row, in memory that is held by `copy`.
    fn by_rows(&self, copy: &mut Vec<T>) -> Self {
        copy.reserve(self.rows * self.columns);
        if self.down == 1 && T::turn(self, copy.as_mut_ptr()) {
            // SAFETY: all of it has been written.
            unsafe { copy.set_len(self.rows * self.columns) };
        } else {
            for i in 0..self.rows as isize {
                let at = |j: isize| self.at.wrapping_offset(i * self.down + j * self.right);
                // SAFETY: these positions are inside the matrix.
                copy.extend((0..self.columns as isize).map(|j| unsafe { *at(j) }));
            }
        }
        Matrix { at: copy.as_mut_ptr(), down: self.columns as isize, right: 1, ..*self }
    }
}

macro_rules! int_number {
    ($t:ty) => {
        impl Number for $t {
            const ZERO: Self = 0;
            const NEUTRAL: Self = 0;

            #[inline(always)]
            fn multiply_add(self, x: Self, y: Self) -> Self {
                self.wrapping_add(x.wrapping_mul(y))
            }

            #[inline(always)]
            fn plus(self, x: Self) -> Self {
                self.wrapping_add(x)
            }
        }
    };
}

macro_rules! float_number {
    ($t:ty) => {
        impl Number for $t {
            const ZERO: Self = 0.0;
            const NEUTRAL: Self = -0.0;

            #[inline(always)]
            fn multiply_add(self, x: Self, y: Self) -> Self {
                x.mul_add(y, self)
            }

            #[inline(always)]
            fn plus(self, x: Self) -> Self {
                self + x
            }

            #[cfg(target_arch = "x86_64")]
            fn turn(from: &Matrix<Self>, to: *mut Self) -> bool {
                let can = simd::has_v3();
                if can {
                    // SAFETY: the matrix is inside its tensor, and who asks has made room.
                    unsafe { narrow::Narrow::by_rows(from, to) };
                }
                can
            }

            fn fast(a: &Matrix<Self>, b: &Matrix<Self>, c: &Matrix<Self>, more: bool) -> bool {
                if !simd::has_v3() {
                    return false;
                }
                #[cfg(target_arch = "x86_64")]
                if c.rows == 1 && b.down == 1 || c.columns == 1 && a.right == 1 {
                    let turned = Matrix { rows: b.columns, columns: b.rows, down: b.right, right: b.down, ..*b };
                    let (x, along, rows, step) =
                        if c.rows == 1 { (a.at, a.right, &turned, c.right) } else { (b.at, b.down, a, c.down) };
                    // SAFETY: the matrices are inside their tensors, and the result overlaps neither factor.
                    unsafe { narrow::Narrow::line(x, along, rows, c.at, step, more) };
                    return true;
                }
                // The crate's kernels for vectors and for one or two products have orders of their own, and where chains are
                // short, what is in registers is stored before it has paid.
                if c.rows < 2 || c.columns < 2 || a.columns < SHALLOW {
                    return false;
                }
                #[cfg(target_arch = "x86_64")]
                if simd::has_v4() && small::suits(a, b, c) {
                    // SAFETY: the matrices are inside their tensors, and the result overlaps neither factor.
                    unsafe { small::product(a, b, c, more) };
                    return true;
                }
                let [mut a_copy, mut b_copy] = [Vec::new(), Vec::new()];
                let (mut a, mut b) = (Matrix { ..*a }, Matrix { ..*b });
                // What is turned it would take element by element, in vectors along a row and a column that are both dense;
                // what runs backwards it would turn round.
                if b.right != 1 || b.down <= 0 {
                    b = b.by_rows(&mut b_copy);
                }
                if a.down <= 0 || a.right <= 0 {
                    a = a.by_rows(&mut a_copy);
                }
                // SAFETY: the matrices are inside their tensors, and the result overlaps neither factor.
                unsafe {
                    gemm::gemm(
                        c.rows,
                        c.columns,
                        a.columns,
                        c.at,
                        c.right,
                        c.down,
                        more,
                        a.at,
                        a.right,
                        a.down,
                        b.at,
                        b.right,
                        b.down,
                        1.0,
                        1.0,
                        false,
                        false,
                        false,
                        gemm::Parallelism::None,
                    );
                }
                true
            }
        }
    };
}

int_number!(i32);
int_number!(i64);
float_number!(f32);
float_number!(f64);

/// Chains that are shorter are cheaper than what a kernel for long ones does before and after.
const SHALLOW: usize = 5;
/// So many elements fill a vector.
const SIDE_BY_SIDE: usize = 8;
/// How many steps of a chain are done before its sum is put back, where the sums are too many for the registers.
const TOGETHER: usize = 8;
/// So many sums stay in the first cache beside what they are made of.
const STRETCH: usize = 512;

/// The definition of one slice, with as many columns at once as fit into registers.
struct Plain<'a, T> {
    a: &'a Matrix<T>,
    b: &'a Matrix<T>,
    c: &'a Matrix<T>,
    more: bool,
}

/// Rows of a factor, along each of which a chain runs: where the first one begins, how far it is to the next row and to the
/// next element of one.
#[derive(Clone, Copy)]
struct Rows<T> {
    at: *const T,
    step: isize,
    along: isize,
}

impl<T: Number> Rows<T> {
    /// The chains of `W` rows with one row of the other factor: in registers, if there are not too many.
    ///
    /// # Safety
    /// All positions are inside the factors.
    #[inline(always)]
    unsafe fn chains<const W: usize>(self, fixed: *const T, fixed_along: isize, depth: isize) -> [T; W] {
        let mut chains = [T::ZERO; W];
        // SAFETY: the caller says so.
        unsafe {
            if self.step == 1 {
                for k in 0..depth {
                    let (x, row) = (*fixed.offset(k * fixed_along), self.at.offset(k * self.along));
                    for (j, chain) in chains.iter_mut().enumerate() {
                        *chain = chain.multiply_add(x, *row.add(j));
                    }
                }
            } else {
                let rows: [*const T; W] = std::array::from_fn(|j| self.at.wrapping_offset(j as isize * self.step));
                for k in 0..depth {
                    let x = *fixed.offset(k * fixed_along);
                    for (row, chain) in rows.iter().zip(&mut chains) {
                        *chain = chain.multiply_add(x, *row.offset(k * self.along));
                    }
                }
            }
        }
        chains
    }

    /// The chains of as many rows as there are sums with one row of the other factor, some steps at a time.
    ///
    /// # Safety
    /// All positions are inside the factors, and the rows lie side by side.
    #[inline(always)]
    unsafe fn stretch(self, sums: &mut [T], fixed: *const T, fixed_along: isize, depth: isize) {
        let mut k = 0;
        macro_rules! steps {
            ($count:expr) => {
                while k + $count as isize <= depth {
                    let at = |i: usize| k + i as isize;
                    // SAFETY: the caller says so.
                    let xs: [T; $count] = std::array::from_fn(|i| unsafe { *fixed.offset(at(i) * fixed_along) });
                    let rows: [*const T; $count] = std::array::from_fn(|i| self.at.wrapping_offset(at(i) * self.along));
                    for (j, sum) in sums.iter_mut().enumerate() {
                        for (x, row) in xs.iter().zip(rows) {
                            // SAFETY: the caller says so.
                            *sum = sum.multiply_add(*x, unsafe { *row.add(j) });
                        }
                    }
                    k += $count as isize;
                }
            };
        }
        steps!(TOGETHER);
        steps!(1);
    }
}

impl<T: Number> Kernel for Plain<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { a, b, c, more } = self;
        // What lies side by side is computed so, or else the longer side of the result.
        let fits = |step: isize, len: usize| step == 1 && len >= SIDE_BY_SIDE;
        let across = match (fits(b.right, c.columns), fits(a.down, c.rows)) {
            (true, true) if c.right == 1 => true,
            (true, false) => true,
            (false, true) => false,
            _ => c.columns >= c.rows,
        };
        let (outer, inner) = if across { (c.rows, c.columns) } else { (c.columns, c.rows) };
        let (fixed, moving) = if across { (a, b) } else { (b, a) };
        let (fixed_step, fixed_along) = if across { (a.down, a.right) } else { (b.right, b.down) };
        let (moving_step, moving_along) = if across { (b.right, b.down) } else { (a.down, a.right) };
        let (out_outer, out_inner) = if across { (c.down, c.right) } else { (c.right, c.down) };
        let depth = a.columns as isize;
        for i in 0..outer as isize {
            let fixed = fixed.at.wrapping_offset(i * fixed_step).cast_const();
            let to = c.at.wrapping_offset(i * out_outer);
            let mut first = 0;
            // Few rows of a long matrix are read as they lie.
            if outer < 4 && moving_step == 1 && inner >= SIDE_BY_SIDE && a.columns >= TOGETHER {
                while first < inner {
                    let len = STRETCH.min(inner - first);
                    let at = moving.at.wrapping_add(first).cast_const();
                    let mut sums = [T::ZERO; STRETCH];
                    let rows = Rows { at, step: 1, along: moving_along };
                    // SAFETY: all positions are inside the matrices.
                    unsafe { rows.stretch(&mut sums[..len], fixed, fixed_along, depth) };
                    for (j, &chain) in sums[..len].iter().enumerate() {
                        let to = to.wrapping_offset((first + j) as isize * out_inner);
                        // SAFETY: as above.
                        unsafe { *to = if more { (*to).plus(chain) } else { chain } };
                    }
                    first += len;
                }
            }
            // So many at once as keep their chains in registers and the units busy.
            macro_rules! blocks {
                ($width:literal) => {
                    while inner - first >= $width {
                        let at = moving.at.wrapping_offset(first as isize * moving_step).cast_const();
                        let rows = Rows { at, step: moving_step, along: moving_along };
                        // SAFETY: all positions are inside the matrices.
                        let chains = unsafe { rows.chains::<$width>(fixed, fixed_along, depth) };
                        for (j, chain) in chains.into_iter().enumerate() {
                            let to = to.wrapping_offset((first + j) as isize * out_inner);
                            // SAFETY: as above.
                            unsafe { *to = if more { (*to).plus(chain) } else { chain } };
                        }
                        first += $width;
                    }
                };
            }
            if moving_step == 1 {
                if size_of::<T>() <= 4 {
                    blocks!(64);
                }
                blocks!(32);
            }
            blocks!(8);
            blocks!(1);
        }
    }
}

/// Multiply-adds that are worth a thread.
const WORTH: usize = 1 << 22;

/// `c = a b`, or `c += a b`, by several threads if it is large: each computes rows or columns of the result.
fn product<T: Number>(a: Matrix<T>, b: Matrix<T>, c: &Matrix<T>, more: bool) {
    let by_rows = c.rows >= c.columns;
    let side = if by_rows { c.rows } else { c.columns };
    let work = c.rows * c.columns * a.columns / side.max(1);
    let least = WORTH.div_ceil(work.max(1));
    if side < 2 * least {
        return slices(a, b, c, more);
    }
    let all = Shared((&a, &b, c));
    // Whole tiles of the kernels, whatever they are.
    threads::share(side, 96, least, |part| {
        let all = &all;
        let (a, b, c) = all.0;
        let first = part.start as isize;
        if by_rows {
            let a = Matrix { at: a.at.wrapping_offset(first * a.down), rows: part.len(), ..*a };
            let c = Matrix { at: c.at.wrapping_offset(first * c.down), rows: part.len(), ..*c };
            slices(a, Matrix { ..*b }, &c, more);
        } else {
            let b = Matrix { at: b.at.wrapping_offset(first * b.right), columns: part.len(), ..*b };
            let c = Matrix { at: c.at.wrapping_offset(first * c.right), columns: part.len(), ..*c };
            slices(Matrix { ..*a }, b, &c, more);
        }
    });
}

/// `c = a b`, slice by slice, or each added to what is there if `more`.
fn slices<T: Number>(a: Matrix<T>, b: Matrix<T>, c: &Matrix<T>, more: bool) {
    let depth = a.columns;
    let mut first = 0;
    loop {
        let len = SLICE.min(depth - first);
        let a = Matrix { at: a.at.wrapping_offset(first as isize * a.right), columns: len, ..a };
        let b = Matrix { at: b.at.wrapping_offset(first as isize * b.down), rows: len, ..b };
        let more = more || first > 0;
        if len == 0 || !T::fast(&a, &b, c, more) {
            let mut copy = Vec::new();
            let is_turned = b.right != 1 && a.down != 1;
            let b = if is_turned && c.rows >= 4 && c.columns >= SIDE_BY_SIDE { b.by_rows(&mut copy) } else { b };
            simd::run(Plain { a: &a, b: &b, c, more });
        }
        first += len;
        if first >= depth {
            return;
        }
    }
}

/// The last two axes of a tensor as a matrix, at an address.
fn matrix<T>(x: &Tensor, at: *mut u8) -> Matrix<T> {
    let n = x.rank();
    Matrix {
        at: at.cast(),
        rows: x.dims()[n - 2],
        columns: x.dims()[n - 1],
        down: x.steps()[n - 2],
        right: x.steps()[n - 1],
    }
}

fn products<T: Number>(a: &Tensor, b: &Tensor, out: &Tensor, more: bool) {
    if out.count() == 0 {
        return;
    }
    let batch = out.rank() - 2;
    let steps = [out, a, b].map(Tensor::byte_steps);
    let walk = Walk::new(&out.dims()[..batch], [&steps[0][..batch], &steps[1][..batch], &steps[2][..batch]]);
    walk.each([out.ptr(), a.ptr(), b.ptr()], |[c_at, a_at, b_at], [c_step, a_step, b_step], n| {
        for i in 0..n as isize {
            let c = matrix(out, c_at.wrapping_offset(i * c_step));
            let a = matrix(a, a_at.wrapping_offset(i * a_step));
            product::<T>(a, matrix(b, b_at.wrapping_offset(i * b_step)), &c, more);
        }
    });
}

/// Products of the matrices in the last two axes; the axes before are broadcast.
pub fn matmul(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    if let Some(noted) = trace::note(|| TensorOp::Matmul, &[a, b]) {
        return noted;
    }
    let wide = match a.dtype() {
        dtype @ Dtype::Bool => return Err(TensorError::undefined("matmul", dtype)),
        Dtype::F16 | Dtype::Bf16 => {
            let product = matmul(&cast(a, Dtype::F32)?, &cast(b, Dtype::F32)?)?;
            return cast(&product, a.dtype());
        }
        dtype @ (Dtype::I32 | Dtype::I64 | Dtype::F32 | Dtype::F64) => dtype,
    };
    let (a, b, dims) = stretched(a, b)?;
    let out = Tensor::blank(wide, &dims)?;
    products_of(&a, &b, &out, false);
    Ok(out)
}

/// Adds the products to a tensor that has their shape, slice by slice.
pub(super) fn add_matmul(sum: &Tensor, a: &Tensor, b: &Tensor) -> Result<()> {
    let is_wide = !matches!(sum.dtype(), Dtype::F16 | Dtype::Bf16 | Dtype::Bool);
    if is_wide && [a, b].iter().all(|it| it.dtype() == sum.dtype()) {
        let (a, b, dims) = stretched(a, b)?;
        if dims == *sum.dims() {
            if !trace::is_for_shapes() {
                products_of(&a, &b, sum, true);
            }
            return Ok(());
        }
    }
    num2_into(Num2::Add, sum, sum, &matmul(a, b)?)
}

/// The factors with all axes that they have together, and the shape of their product.
fn stretched(a: &Tensor, b: &Tensor) -> Result<(Tensor, Tensor, Dims)> {
    let (m, k) = (a.dims()[a.rank() - 2], a.dims()[a.rank() - 1]);
    let (k2, n) = (b.dims()[b.rank() - 2], b.dims()[b.rank() - 1]);
    if k != k2 {
        return Err(mismatch(k, k2));
    }
    let mut dims = broadcast(&[&a.dims()[..a.rank() - 2], &b.dims()[..b.rank() - 2]])?;
    let stretch = |x: &Tensor, dims: &Dims| {
        let mut dims = dims.clone();
        dims.push(x.dims()[x.rank() - 2])?;
        dims.push(x.dims()[x.rank() - 1])?;
        broadcast_to(x, &dims)
    };
    let (a, b) = (stretch(a, &dims)?, stretch(b, &dims)?);
    dims.push(m)?;
    dims.push(n)?;
    Ok((a, b, dims))
}

fn products_of(a: &Tensor, b: &Tensor, out: &Tensor, more: bool) {
    match out.dtype() {
        Dtype::I32 => products::<i32>(a, b, out, more),
        Dtype::I64 => products::<i64>(a, b, out, more),
        Dtype::F32 => products::<f32>(a, b, out, more),
        Dtype::F64 => products::<f64>(a, b, out, more),
        Dtype::Bool | Dtype::F16 | Dtype::Bf16 => unreachable!("no product is computed in these"),
    }
}

fn mismatch(k: usize, k2: usize) -> TensorError {
    TensorError::Value(format!(
        "matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature (n?,k),(k,m?)->(n?,m?) \
         (size {k2} is different from {k})"
    ))
}

/// A block of a run of products.
struct DotBlock<T> {
    a: *const T,
    b: *const T,
    steps: [isize; 2],
    n: usize,
}

impl<T: Number> Kernel for DotBlock<T> {
    type Output = T;

    #[inline(always)]
    fn run(self) -> T {
        let mut lanes = [T::NEUTRAL; LANES];
        let whole = self.n / LANES * LANES;
        // SAFETY: whoever made the block knows that it is inside both tensors.
        unsafe {
            if self.steps == [1, 1] {
                let mut i = 0;
                while i < whole {
                    for (lane, it) in lanes.iter_mut().enumerate() {
                        *it = it.multiply_add(*self.a.add(i + lane), *self.b.add(i + lane));
                    }
                    i += LANES;
                }
            } else {
                for i in 0..whole as isize {
                    let lane = &mut lanes[i as usize % LANES];
                    *lane = lane.multiply_add(*self.a.offset(i * self.steps[0]), *self.b.offset(i * self.steps[1]));
                }
            }
            for i in whole..self.n {
                let (lane, i) = (&mut lanes[i - whole], i as isize);
                *lane = lane.multiply_add(*self.a.offset(i * self.steps[0]), *self.b.offset(i * self.steps[1]));
            }
        }
        let mut half = LANES / 2;
        while half > 0 {
            for lane in 0..half {
                lanes[lane] = lanes[lane].plus(lanes[lane + half]);
            }
            half /= 2;
        }
        lanes[0]
    }
}

fn dots<T: Number>(a: &Tensor, b: &Tensor, out: &Tensor) {
    let last = out.rank();
    let steps = [out, a, b].map(Tensor::byte_steps);
    let (n, a_step, b_step) = (a.dims()[last], a.steps()[last], b.steps()[last]);
    let walk = Walk::new(out.dims(), [&steps[0], &steps[1][..last], &steps[2][..last]]);
    walk.each([out.ptr(), a.ptr(), b.ptr()], |[to, a, b], [to_across, a_across, b_across], count| {
        for i in 0..count as isize {
            let (a, b) = (a.wrapping_offset(i * a_across).cast::<T>(), b.wrapping_offset(i * b_across).cast::<T>());
            let mut all = Pairwise::new();
            for first in (0..n).step_by(BLOCK) {
                let at = first as isize;
                let block = DotBlock {
                    a: a.wrapping_offset(at * a_step).cast_const(),
                    b: b.wrapping_offset(at * b_step).cast_const(),
                    steps: [a_step, b_step],
                    n: BLOCK.min(n - first),
                };
                all.push(simd::run(block), T::plus);
            }
            let dot = all.finish(T::plus).unwrap_or(T::ZERO);
            // SAFETY: the walk stays inside the result, which is aligned.
            unsafe { *to.offset(i * to_across).cast::<T>() = dot };
        }
    });
}

/// Products of the vectors in the last axis; the axes before are broadcast.
pub fn vecdot(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    if let Some(noted) = trace::note(|| TensorOp::Vecdot, &[a, b]) {
        return noted;
    }
    let (k, k2) = (a.dims()[a.rank() - 1], b.dims()[b.rank() - 1]);
    if k != k2 {
        let shapes = format!("{} and {}", show(a.dims()), show(b.dims()));
        return Err(TensorError::Value(format!("shapes {shapes} not aligned: {k} (dim 0) != {k2} (dim 0)")));
    }
    let mut dims = broadcast(&[a.dims(), b.dims()])?;
    let (a, b) = (broadcast_to(a, &dims)?, broadcast_to(b, &dims)?);
    dims.remove(dims.len() - 1);
    match a.dtype() {
        dtype @ Dtype::Bool => Err(TensorError::undefined("vecdot", dtype)),
        Dtype::I32 => Tensor::blank(Dtype::I32, &dims).inspect(|out| dots::<i32>(&a, &b, out)),
        Dtype::I64 => Tensor::blank(Dtype::I64, &dims).inspect(|out| dots::<i64>(&a, &b, out)),
        Dtype::F32 => Tensor::blank(Dtype::F32, &dims).inspect(|out| dots::<f32>(&a, &b, out)),
        Dtype::F64 => Tensor::blank(Dtype::F64, &dims).inspect(|out| dots::<f64>(&a, &b, out)),
        half @ (Dtype::F16 | Dtype::Bf16) => {
            let (a, b) = (as_dtype(&a, Dtype::F32)?, as_dtype(&b, Dtype::F32)?);
            cast(&vecdot(&a, &b)?, half)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::layout;
    use super::*;

    fn numbers<T>(n: usize, seed: usize, from: impl Fn(f64) -> T) -> Vec<T> {
        (0..n).map(|i| from(((i * 7919 + seed * 104_729) % 10_007) as f64 * 1.37e-3 - 6.5)).collect()
    }

    /// The definition, word by word.
    fn defined<T: Number>(a: &[T], b: &[T], m: usize, k: usize, n: usize) -> Vec<T> {
        let mut out = Vec::new();
        for i in 0..m {
            for j in 0..n {
                let slice = |from: usize| {
                    let positions = from..k.min(from + SLICE);
                    positions.fold(T::ZERO, |sum, p| sum.multiply_add(a[i * k + p], b[p * n + j]))
                };
                let first = slice(0);
                out.push((SLICE..k).step_by(SLICE).fold(first, |sum, from| sum.plus(slice(from))));
            }
        }
        out
    }

    fn layouts(x: &Tensor) -> Vec<Tensor> {
        let turned = layout::permute(&layout::permute(x, &[1, 0]).unwrap().to_dense().unwrap(), &[1, 0]).unwrap();
        let wide = layout::concat(&[x.clone(), x.clone()], 1).unwrap();
        let part = layout::slice(&wide, 1, x.dims()[1], x.dims()[1], 1);
        let backwards = layout::flip(&layout::flip(x, 0).to_dense().unwrap(), 0);
        vec![x.clone(), turned, part, backwards]
    }

    fn compare<T: Number + PartialEq>(shapes: &[(usize, usize, usize)], from: impl Fn(f64) -> T) {
        for &(m, k, n) in shapes {
            let (x, y) = (numbers(m * k, 1, &from), numbers(k * n, 2, &from));
            let expected = defined(&x, &y, m, k, n);
            let (a, b) = (Tensor::from_slice(&x, &[m, k]).unwrap(), Tensor::from_slice(&y, &[k, n]).unwrap());
            for (i, a) in layouts(&a).iter().enumerate() {
                for (j, b) in layouts(&b).iter().enumerate() {
                    let found = matmul(a, b).unwrap().to_vec::<T>();
                    assert!(found == expected, "{m}x{k}x{n}, layouts {i} and {j}");
                }
            }
        }
    }

    #[test]
    fn products_are_chains_in_slices_for_every_shape_and_layout() {
        let shapes = [
            (1, 1, 1),
            (2, 3, 2),
            (1, 700, 5),
            (5, 700, 1),
            (7, 513, 9),
            (33, 512, 17),
            (64, 784, 50),
            (50, 64, 784),
            (3, 1600, 3),
            (16, 16, 16),
            (129, 40, 65),
            (2, 2000, 300),
            (300, 2000, 2),
            (200, 784, 10),
            (784, 64, 50),
            (70, 600, 25),
            (65, 130, 34),
            (20, 65, 120),
            // In vectors along one row or column, with turned factors and with short chains.
            (1, 37, 45),
            (45, 37, 1),
            (1, 1100, 40),
            (40, 1100, 1),
            (1, 64, 7),
            (7, 3, 1),
            (1, 9, 600),
            (40, 2, 70),
            (70, 4, 40),
            (9, 1, 300),
            (2, 64, 70),
            (3, 2, 9),
        ];
        compare(&shapes, |it| it as f32);
        compare(&shapes, |it| it);
    }

    #[test]
    fn small_products_are_chains_for_every_width() {
        let shapes: Vec<_> = (2..70).map(|n| (n * 5 % 67 + 2, n * 3 % 41 + 3, n)).collect();
        compare(&shapes, |it| it as f32);
        compare(&shapes, |it| it);
    }

    #[test]
    fn products_are_added_as_they_are_slice_by_slice() {
        for (m, k, n) in [(1, 300, 40), (40, 300, 1), (30, 2, 50), (30, 512, 50), (17, 40, 33), (64, 64, 64)] {
            let (x, y) = (numbers(m * k, 1, |it| it as f32), numbers(k * n, 2, |it| it as f32));
            let (a, b) = (Tensor::from_slice(&x, &[m, k]).unwrap(), Tensor::from_slice(&y, &[k, n]).unwrap());
            let sum = Tensor::from_slice(&numbers(m * n, 3, |it| it as f32), &[m, n]).unwrap();
            let expected: Vec<f32> =
                sum.to_vec::<f32>().iter().zip(defined(&x, &y, m, k, n)).map(|(sum, it)| sum + it).collect();
            add_matmul(&sum, &a, &b).unwrap();
            assert!(sum.to_vec::<f32>() == expected, "{m}x{k}x{n}");
        }
    }

    #[test]
    fn batches_are_broadcast() {
        let a = Tensor::from_slice(&numbers(2 * 3 * 4, 1, |it| it), &[2, 1, 3, 4]).unwrap();
        let b = Tensor::from_slice(&numbers(5 * 4 * 2, 2, |it| it), &[5, 4, 2]).unwrap();
        let all = matmul(&a, &b).unwrap();
        assert_eq!(**all.dims(), [2, 5, 3, 2]);
        let one =
            matmul(&layout::pick(&layout::pick(&a, 0, 1).unwrap(), 0, 0).unwrap(), &layout::pick(&b, 0, 3).unwrap());
        let same = layout::pick(&layout::pick(&all, 0, 1).unwrap(), 0, 3).unwrap();
        assert_eq!(one.unwrap().to_vec::<f64>(), same.to_vec::<f64>());
    }

    #[test]
    fn a_product_of_vectors_is_the_same_for_every_layout() {
        let n = 3000;
        let (a, b) = (numbers(n, 1, |it| it as f32), numbers(n, 2, |it| it as f32));
        let (x, y) = (Tensor::from_slice(&a, &[n]).unwrap(), Tensor::from_slice(&b, &[n]).unwrap());
        let backwards = layout::flip(&layout::flip(&y, 0).to_dense().unwrap(), 0);
        assert_eq!(vecdot(&x, &y).unwrap().to_vec::<f32>(), vecdot(&x, &backwards).unwrap().to_vec::<f32>());
        let exact: f64 = a.iter().zip(&b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
        assert!((f64::from(vecdot(&x, &y).unwrap().to_vec::<f32>()[0]) - exact).abs() < 1e-4 * exact.abs());
    }
}
