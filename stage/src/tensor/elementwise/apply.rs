//! The loops behind every elementwise operation.

use std::marker::PhantomData;

use super::short;
use crate::tensor::elem::Elem;
use crate::tensor::error::Result;
use crate::tensor::layout::broadcast_to;
use crate::tensor::shape::{Steps, broadcast};
use crate::tensor::simd::{self, Kernel};
use crate::tensor::trace;
use crate::tensor::walk::{Walk, sweep, worth};
use crate::tensor::{Dims, Dtype, Tensor};

/// Goes through a row: where it begins in each view, the result's first, how far apart its elements are, and how many
/// there are. All lies inside memory, aligned for the dtypes that it was made for.
pub(crate) type Loop<const N: usize> = unsafe fn([*mut u8; N], [isize; N], usize);

/// A loop and what it works on.
#[derive(Clone, Copy)]
pub(crate) struct Rows<const N: usize> {
    /// The loop.
    pub(crate) run: Loop<N>,
    /// The dtype of the operands.
    pub(crate) takes: Dtype,
    /// The dtype of the result.
    pub(crate) gives: Dtype,
    /// Whether it computes more than it reads.
    pub(crate) is_long: bool,
}

/// A function of one element. `call` is `#[inline(always)]`, so that its loop is compiled for every processor.
pub(super) trait Fn1<A, R>: Copy + Default {
    /// Whether its loop gains by the widest vectors: it computes more than it reads.
    const IS_LONG: bool = false;
    /// Whether there are elements for which `near` is not the function.
    const HAS_FAR: bool = false;
    fn call(self, x: A) -> R;
    /// The function of nearly every element, without the calls that would keep its loop from becoming vectors.
    #[inline(always)]
    fn near(self, x: A) -> R {
        self.call(x)
    }
    /// Whether it is one of the others.
    #[inline(always)]
    fn is_far(self, _x: A) -> bool {
        false
    }
}

/// A function of two elements.
pub(super) trait Fn2<A, R>: Copy + Default {
    /// Whether its loop gains by the widest vectors.
    const IS_LONG: bool = false;
    /// Whether there are elements for which `near` is not the function.
    const HAS_FAR: bool = false;
    fn call(self, x: A, y: A) -> R;
    /// The function of nearly every pair, without the calls that would keep its loop from becoming vectors.
    #[inline(always)]
    fn near(self, x: A, y: A) -> R {
        self.call(x, y)
    }
    /// Whether they are one of the others.
    #[inline(always)]
    fn is_far(self, _x: A, _y: A) -> bool {
        false
    }
}

struct Row1<A, R, F> {
    ptrs: [*mut u8; 2],
    steps: [isize; 2],
    n: usize,
    function: F,
    elems: PhantomData<(A, R)>,
}

/// A function, or what it is near. Not a closure: those are compiled for every processor alike.
struct Of<F, const NEAR: bool>(F);

impl<F: Copy, const NEAR: bool> Of<F, NEAR> {
    #[inline(always)]
    fn call<A, R>(&self, x: A) -> R
    where
        F: Fn1<A, R>,
    {
        if NEAR { self.0.near(x) } else { self.0.call(x) }
    }

    #[inline(always)]
    fn call2<A, R>(&self, x: A, y: A) -> R
    where
        F: Fn2<A, R>,
    {
        if NEAR { self.0.near(x, y) } else { self.0.call(x, y) }
    }
}

/// Elements of which it is asked at once whether one of them is far.
const FAR_CHUNK: usize = 256;

/// Where each so many elements of a row begin, and how many they are.
#[inline(always)]
fn chunks<const N: usize>(
    ptrs: [*mut u8; N],
    steps: [isize; N],
    n: usize,
) -> impl Iterator<Item = ([*mut u8; N], usize)> {
    (0..n).step_by(FAR_CHUNK).map(move |first| {
        let at = |it: usize| ptrs[it].wrapping_offset(first as isize * steps[it]);
        (std::array::from_fn(at), FAR_CHUNK.min(n - first))
    })
}

impl<A: Elem, R: Elem, F: Fn1<A::Wide, R::Wide>> Row1<A, R, F> {
    #[inline(always)]
    fn each<const NEAR: bool>(&self) {
        let [to, from] = self.ptrs;
        let f = Of::<F, NEAR>(self.function);
        let dense = [size_of::<R>() as isize, size_of::<A>() as isize];
        // SAFETY: the walk that made this row stays inside both views; elements are aligned.
        unsafe {
            if self.steps == dense && std::ptr::eq(to, from) && dense[0] == dense[1] {
                // In place: one pointer, so that the loop need not ask whether two overlap.
                for i in 0..self.n {
                    let at = to.cast::<R>().add(i);
                    *at = R::narrow(f.call((*at.cast::<A>()).wide()));
                }
            } else if self.steps == dense {
                let (to, from) = (to.cast::<R>(), from.cast::<A>());
                for i in 0..self.n {
                    *to.add(i) = R::narrow(f.call((*from.add(i)).wide()));
                }
            } else {
                for i in 0..self.n as isize {
                    let x = *from.offset(i * self.steps[1]).cast::<A>();
                    *to.offset(i * self.steps[0]).cast::<R>() = R::narrow(f.call(x.wide()));
                }
            }
        }
    }

    #[inline(always)]
    fn has_far(&self) -> bool {
        let (from, step, mut any) = (self.ptrs[1], self.steps[1], false);
        // SAFETY: as above.
        unsafe {
            if step == size_of::<A>() as isize {
                for i in 0..self.n {
                    any |= self.function.is_far((*from.cast::<A>().add(i)).wide());
                }
            } else {
                for i in 0..self.n as isize {
                    any |= self.function.is_far((*from.offset(i * step).cast::<A>()).wide());
                }
            }
        }
        any
    }
}

impl<A: Elem, R: Elem, F: Fn1<A::Wide, R::Wide>> Kernel for Row1<A, R, F> {
    const IS_LONG: bool = F::IS_LONG;
    type Output = ();

    #[inline(always)]
    fn run(self) {
        if !F::HAS_FAR {
            return self.each::<false>();
        }
        for (ptrs, n) in chunks(self.ptrs, self.steps, self.n) {
            let chunk = Self { ptrs, n, ..self };
            if chunk.has_far() { chunk.each::<false>() } else { chunk.each::<true>() }
        }
    }
}

struct Row2<A, R, F> {
    ptrs: [*mut u8; 3],
    steps: [isize; 3],
    n: usize,
    function: F,
    elems: PhantomData<(A, R)>,
}

impl<A: Elem, R: Elem, F: Fn2<A::Wide, R::Wide>> Row2<A, R, F> {
    #[inline(always)]
    fn each<const NEAR: bool>(&self) {
        let ([to, a, b], [to_step, a_step, b_step]) = (self.ptrs, self.steps);
        let f = Of::<F, NEAR>(self.function);
        let (one, out) = (size_of::<A>() as isize, size_of::<R>() as isize);
        // SAFETY: the walk that made this row stays inside all three views; elements are aligned.
        unsafe {
            if to_step == out && a_step == one && b_step == one {
                let (to, a, b) = (to.cast::<R>(), a.cast::<A>(), b.cast::<A>());
                if std::ptr::eq(to.cast::<A>(), a) && one == out {
                    for i in 0..self.n {
                        let at = to.add(i);
                        *at = R::narrow(f.call2((*at.cast::<A>()).wide(), (*b.add(i)).wide()));
                    }
                } else if std::ptr::eq(to.cast::<A>(), b) && one == out {
                    for i in 0..self.n {
                        let at = to.add(i);
                        *at = R::narrow(f.call2((*a.add(i)).wide(), (*at.cast::<A>()).wide()));
                    }
                } else {
                    for i in 0..self.n {
                        *to.add(i) = R::narrow(f.call2((*a.add(i)).wide(), (*b.add(i)).wide()));
                    }
                }
            } else if to_step == out && a_step == one && b_step == 0 {
                let (to, a, y) = (to.cast::<R>(), a.cast::<A>(), (*b.cast::<A>()).wide());
                for i in 0..self.n {
                    *to.add(i) = R::narrow(f.call2((*a.add(i)).wide(), y));
                }
            } else if to_step == out && a_step == 0 && b_step == one {
                let (to, x, b) = (to.cast::<R>(), (*a.cast::<A>()).wide(), b.cast::<A>());
                for i in 0..self.n {
                    *to.add(i) = R::narrow(f.call2(x, (*b.add(i)).wide()));
                }
            } else {
                for i in 0..self.n as isize {
                    let x = *a.offset(i * a_step).cast::<A>();
                    let y = *b.offset(i * b_step).cast::<A>();
                    *to.offset(i * to_step).cast::<R>() = R::narrow(f.call2(x.wide(), y.wide()));
                }
            }
        }
    }

    #[inline(always)]
    fn has_far(&self) -> bool {
        let ([_, a, b], [_, a_step, b_step], mut any) = (self.ptrs, self.steps, false);
        let one = size_of::<A>() as isize;
        // SAFETY: as above.
        unsafe {
            if a_step == one && b_step == 0 {
                let y = (*b.cast::<A>()).wide();
                for i in 0..self.n {
                    any |= self.function.is_far((*a.cast::<A>().add(i)).wide(), y);
                }
            } else if a_step == one && b_step == one {
                for i in 0..self.n {
                    any |= self.function.is_far((*a.cast::<A>().add(i)).wide(), (*b.cast::<A>().add(i)).wide());
                }
            } else {
                for i in 0..self.n as isize {
                    let x = (*a.offset(i * a_step).cast::<A>()).wide();
                    any |= self.function.is_far(x, (*b.offset(i * b_step).cast::<A>()).wide());
                }
            }
        }
        any
    }
}

impl<A: Elem, R: Elem, F: Fn2<A::Wide, R::Wide>> Kernel for Row2<A, R, F> {
    const IS_LONG: bool = F::IS_LONG;
    type Output = ();

    #[inline(always)]
    fn run(self) {
        if !F::HAS_FAR {
            return self.each::<false>();
        }
        for (ptrs, n) in chunks(self.ptrs, self.steps, self.n) {
            let chunk = Self { ptrs, n, ..self };
            if chunk.has_far() { chunk.each::<false>() } else { chunk.each::<true>() }
        }
    }
}

/// The loop of a function of one element.
pub(super) fn rows1<A: Elem, R: Elem, F: Fn1<A::Wide, R::Wide>>() -> Result<Rows<2>> {
    /// # Safety
    /// As for [`Loop`].
    unsafe fn run<A: Elem, R: Elem, F: Fn1<A::Wide, R::Wide>>(ptrs: [*mut u8; 2], steps: [isize; 2], n: usize) {
        simd::run(Row1::<A, R, F> { ptrs, steps, n, function: F::default(), elems: PhantomData });
    }
    Ok(Rows { run: run::<A, R, F>, takes: A::DTYPE, gives: R::DTYPE, is_long: F::IS_LONG })
}

/// The loop of a function of two elements.
pub(super) fn rows2<A: Elem, R: Elem, F: Fn2<A::Wide, R::Wide>>() -> Result<Rows<3>> {
    /// # Safety
    /// As for [`Loop`].
    unsafe fn run<A: Elem, R: Elem, F: Fn2<A::Wide, R::Wide>>(ptrs: [*mut u8; 3], steps: [isize; 3], n: usize) {
        simd::run(Row2::<A, R, F> { ptrs, steps, n, function: F::default(), elems: PhantomData });
    }
    Ok(Rows { run: run::<A, R, F>, takes: A::DTYPE, gives: R::DTYPE, is_long: F::IS_LONG })
}

/// A new tensor: the function of each element.
pub(super) fn map1(rows: Rows<2>, x: &Tensor) -> Result<Tensor> {
    debug_assert_eq!(x.dtype(), rows.takes, "dispatched by dtype");
    let out = Tensor::blank_as(rows.gives, x.dims())?;
    // SAFETY: the rows are inside both views, and they are of these dtypes.
    let row = |ptrs, steps, n| unsafe { (rows.run)(ptrs, steps, n) };
    if x.is_dense() {
        let steps = [rows.gives.size() as isize, rows.takes.size() as isize];
        if !trace::is_for_shapes() {
            sweep([out.ptr(), x.ptr()], steps, x.count(), worth(rows.is_long), row);
        }
        return Ok(out);
    }
    let walk = Walk::new(x.dims(), [&out.byte_steps(), &x.byte_steps()]);
    walk.each_shared([out.ptr(), x.ptr()], worth(rows.is_long), row);
    Ok(out)
}

/// A new tensor: the function of each pair of elements, shapes broadcast.
pub(super) fn map2(rows: Rows<3>, x: &Tensor, y: &Tensor) -> Result<Tensor> {
    // The commonest: both lie as the result will, or one is a single element.
    let size = rows.takes.size() as isize;
    let side_by_side = if x.dims() == y.dims() {
        Some((x, size, size))
    } else if y.count() == 1 && y.rank() <= x.rank() {
        Some((x, size, 0))
    } else if x.count() == 1 && x.rank() <= y.rank() {
        Some((y, 0, size))
    } else {
        None
    };
    if let Some((larger, x_step, y_step)) = side_by_side
        && (x_step == 0 || x.is_dense())
        && (y_step == 0 || y.is_dense())
    {
        debug_assert_eq!((x.dtype(), y.dtype()), (rows.takes, rows.takes), "dispatched by dtype");
        let out = Tensor::blank_as(rows.gives, larger.dims())?;
        if !trace::is_for_shapes() {
            let steps = [rows.gives.size() as isize, x_step, y_step];
            // SAFETY: the rows are inside all three views, and they are of these dtypes.
            let row = |ptrs, steps, n| unsafe { (rows.run)(ptrs, steps, n) };
            sweep([out.ptr(), x.ptr(), y.ptr()], steps, larger.count(), worth(rows.is_long), row);
        }
        return Ok(out);
    }
    let dims = common_dims(x, y)?;
    let out = Tensor::blank_as(rows.gives, &dims)?;
    fill2(rows, &out, x, y)?;
    Ok(out)
}

/// The shape of the result of an operation on two tensors.
fn common_dims(x: &Tensor, y: &Tensor) -> Result<Dims> {
    if x.dims() == y.dims() { Ok(x.dims().clone()) } else { broadcast(&[x.dims(), y.dims()]) }
}

/// Writes the function of each pair into a tensor that may be one of the operands.
///
/// What would read elements that have been written already works on a copy.
pub(super) fn map2_into(rows: Rows<3>, out: &Tensor, x: &Tensor, y: &Tensor) -> Result<()> {
    let apart = |it: &Tensor| {
        let safe = !out.may_overlap(it) || out.is_same_view(it);
        if safe { Ok(it.clone()) } else { it.to_dense() }
    };
    fill2(rows, out, &apart(x)?, &apart(y)?)
}

fn fill2(rows: Rows<3>, out: &Tensor, x: &Tensor, y: &Tensor) -> Result<()> {
    debug_assert_eq!((x.dtype(), y.dtype(), out.dtype()), (rows.takes, rows.takes, rows.gives), "dispatched by dtype");
    let x_steps = stretched(x, out.dims())?;
    let y_steps = stretched(y, out.dims())?;
    let walk = Walk::new(out.dims(), [&out.byte_steps(), &x_steps, &y_steps]);
    if short::fill(rows, &walk, [out.ptr(), x.ptr(), y.ptr()]) {
        return Ok(());
    }
    walk.each_shared([out.ptr(), x.ptr(), y.ptr()], worth(rows.is_long), |ptrs, steps, n| {
        // SAFETY: the walk stays inside all three views, and they are of these dtypes.
        unsafe { (rows.run)(ptrs, steps, n) };
    });
    Ok(())
}

/// The steps of a view stretched to this shape, in bytes.
fn stretched(x: &Tensor, dims: &Dims) -> Result<Steps> {
    if x.dims() == dims { Ok(x.byte_steps()) } else { Ok(broadcast_to(x, dims)?.byte_steps()) }
}

/// The dtype is not one that the operation is defined for.
pub(super) fn undefined<T>(what: &str, dtype: Dtype) -> Result<T> {
    Err(crate::tensor::TensorError::undefined(what, dtype))
}
