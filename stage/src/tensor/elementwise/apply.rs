//! The loops behind every elementwise operation.

use std::marker::PhantomData;

use crate::tensor::elem::Elem;
use crate::tensor::error::Result;
use crate::tensor::layout::broadcast_to;
use crate::tensor::shape::broadcast;
use crate::tensor::simd::{self, Kernel};
use crate::tensor::walk::Walk;
use crate::tensor::{Dims, Dtype, Tensor};

/// A function of one element. `call` is `#[inline(always)]`, so that its loop is compiled for every processor.
pub(super) trait Fn1<A, R>: Copy {
    fn call(self, x: A) -> R;
}

/// A function of two elements.
pub(super) trait Fn2<A, R>: Copy {
    fn call(self, x: A, y: A) -> R;
}

struct Row1<A, R, F> {
    ptrs: [*mut u8; 2],
    steps: [isize; 2],
    n: usize,
    function: F,
    elems: PhantomData<(A, R)>,
}

impl<A: Elem, R: Elem, F: Fn1<A::Wide, R::Wide>> Kernel for Row1<A, R, F> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let ([to, from], f) = (self.ptrs, self.function);
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
}

struct Row2<A, R, F> {
    ptrs: [*mut u8; 3],
    steps: [isize; 3],
    n: usize,
    function: F,
    elems: PhantomData<(A, R)>,
}

impl<A: Elem, R: Elem, F: Fn2<A::Wide, R::Wide>> Kernel for Row2<A, R, F> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let ([to, a, b], [to_step, a_step, b_step], f) = (self.ptrs, self.steps, self.function);
        let (one, out) = (size_of::<A>() as isize, size_of::<R>() as isize);
        // SAFETY: the walk that made this row stays inside all three views; elements are aligned.
        unsafe {
            if to_step == out && a_step == one && b_step == one {
                let (to, a, b) = (to.cast::<R>(), a.cast::<A>(), b.cast::<A>());
                if std::ptr::eq(to.cast::<A>(), a) && one == out {
                    for i in 0..self.n {
                        let at = to.add(i);
                        *at = R::narrow(f.call((*at.cast::<A>()).wide(), (*b.add(i)).wide()));
                    }
                } else {
                    for i in 0..self.n {
                        *to.add(i) = R::narrow(f.call((*a.add(i)).wide(), (*b.add(i)).wide()));
                    }
                }
            } else if to_step == out && a_step == one && b_step == 0 {
                let (to, a, y) = (to.cast::<R>(), a.cast::<A>(), (*b.cast::<A>()).wide());
                for i in 0..self.n {
                    *to.add(i) = R::narrow(f.call((*a.add(i)).wide(), y));
                }
            } else if to_step == out && a_step == 0 && b_step == one {
                let (to, x, b) = (to.cast::<R>(), (*a.cast::<A>()).wide(), b.cast::<A>());
                for i in 0..self.n {
                    *to.add(i) = R::narrow(f.call(x, (*b.add(i)).wide()));
                }
            } else {
                for i in 0..self.n as isize {
                    let x = *a.offset(i * a_step).cast::<A>();
                    let y = *b.offset(i * b_step).cast::<A>();
                    *to.offset(i * to_step).cast::<R>() = R::narrow(f.call(x.wide(), y.wide()));
                }
            }
        }
    }
}

/// A new tensor: the function of each element.
pub(super) fn map1<A: Elem, R: Elem>(x: &Tensor, function: impl Fn1<A::Wide, R::Wide>) -> Result<Tensor> {
    debug_assert_eq!(x.dtype(), A::DTYPE, "dispatched by dtype");
    let out = Tensor::blank(R::DTYPE, x.dims())?;
    let walk = Walk::new(x.dims(), [&out.byte_steps(), &x.byte_steps()]);
    walk.each([out.ptr(), x.ptr()], |ptrs, steps, n| {
        simd::run(Row1::<A, R, _> { ptrs, steps, n, function, elems: PhantomData });
    });
    Ok(out)
}

/// A new tensor: the function of each pair of elements, shapes broadcast.
pub(super) fn map2<A: Elem, R: Elem>(x: &Tensor, y: &Tensor, function: impl Fn2<A::Wide, R::Wide>) -> Result<Tensor> {
    let dims = common_dims(x, y)?;
    let out = Tensor::blank(R::DTYPE, &dims)?;
    fill2::<A, R>(&out, x, y, function)?;
    Ok(out)
}

/// The shape of the result of an operation on two tensors.
fn common_dims(x: &Tensor, y: &Tensor) -> Result<Dims> {
    if x.dims() == y.dims() { Ok(*x.dims()) } else { broadcast(&[x.dims(), y.dims()]) }
}

/// Writes the function of each pair into a tensor that may be one of the operands.
///
/// What would read elements that have been written already works on a copy.
pub(super) fn map2_into<A: Elem, R: Elem>(
    out: &Tensor,
    x: &Tensor,
    y: &Tensor,
    function: impl Fn2<A::Wide, R::Wide>,
) -> Result<()> {
    let apart = |it: &Tensor| {
        let safe = !out.may_overlap(it) || out.is_same_view(it);
        if safe { Ok(it.clone()) } else { it.to_dense() }
    };
    fill2::<A, R>(out, &apart(x)?, &apart(y)?, function)
}

fn fill2<A: Elem, R: Elem>(out: &Tensor, x: &Tensor, y: &Tensor, function: impl Fn2<A::Wide, R::Wide>) -> Result<()> {
    debug_assert_eq!((x.dtype(), y.dtype(), out.dtype()), (A::DTYPE, A::DTYPE, R::DTYPE), "dispatched by dtype");
    let stretched;
    let x_steps = if x.dims() == out.dims() {
        x.byte_steps()
    } else {
        stretched = broadcast_to(x, out.dims())?;
        stretched.byte_steps()
    };
    let stretched;
    let y_steps = if y.dims() == out.dims() {
        y.byte_steps()
    } else {
        stretched = broadcast_to(y, out.dims())?;
        stretched.byte_steps()
    };
    let walk = Walk::new(out.dims(), [&out.byte_steps(), &x_steps, &y_steps]);
    walk.each([out.ptr(), x.ptr(), y.ptr()], |ptrs, steps, n| {
        simd::run(Row2::<A, R, _> { ptrs, steps, n, function, elems: PhantomData });
    });
    Ok(())
}

/// The dtype is not one that the operation is defined for.
pub(super) fn undefined<T>(what: &str, dtype: Dtype) -> Result<T> {
    Err(crate::tensor::TensorError::undefined(what, dtype))
}
