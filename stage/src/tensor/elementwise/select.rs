//! Choosing between elements.

use std::marker::PhantomData;

use super::apply::Loop;
use crate::tensor::elem::{Elem, Truth};
use crate::tensor::elementwise::{Num2, num2};
use crate::tensor::error::Result;
use crate::tensor::layout::broadcast_to;
use crate::tensor::op::TensorOp;
use crate::tensor::shape::broadcast;
use crate::tensor::simd::{self, Kernel};
use crate::tensor::trace;
use crate::tensor::walk::{Walk, worth};
use crate::tensor::{Dtype, Tensor, TensorError};

/// A row of choices between things of a size.
struct Row<T> {
    ptrs: [*mut u8; 4],
    steps: [isize; 4],
    n: usize,
    things: PhantomData<T>,
}

impl<T: Copy> Kernel for Row<T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { ptrs: [to, c, x, y], steps, n, .. } = self;
        let size = size_of::<T>() as isize;
        let (x_at, y_at) = (x.cast::<T>(), y.cast::<T>());
        // SAFETY: whoever made the row knows that it is inside all four views, and aligned.
        unsafe {
            match steps {
                [a, 1, b, d] if [a, b, d] == [size; 3] => dense(n, to, c, |i| *x_at.add(i), |i| *y_at.add(i)),
                [a, 1, b, 0] if [a, b] == [size; 2] => {
                    let y = *y_at;
                    dense(n, to, c, |i| *x_at.add(i), |_| y);
                }
                [a, 1, 0, b] if [a, b] == [size; 2] => {
                    let x = *x_at;
                    dense(n, to, c, |_| x, |i| *y_at.add(i));
                }
                [to_step, c_step, x_step, y_step] => {
                    for i in 0..n as isize {
                        let holds = (*c.offset(i * c_step).cast::<Truth>()).wide();
                        let (x, y) = (*x.offset(i * x_step).cast::<T>(), *y.offset(i * y_step).cast::<T>());
                        *to.offset(i * to_step).cast::<T>() = if holds { x } else { y };
                    }
                }
            }
        }
    }
}

/// # Safety
/// `n` truth values can be read and `n` things written.
#[inline(always)]
unsafe fn dense<T>(n: usize, to: *mut u8, c: *mut u8, x: impl Fn(usize) -> T, y: impl Fn(usize) -> T) {
    for i in 0..n {
        let (x, y) = (x(i), y(i));
        // SAFETY: the caller says so.
        unsafe { *to.cast::<T>().add(i) = if (*c.cast::<Truth>().add(i)).wide() { x } else { y } };
    }
}

/// The loop for elements of a dtype: they are moved as they are.
pub(crate) fn select_rows(dtype: Dtype) -> Loop<4> {
    /// # Safety
    /// As for [`Loop`].
    unsafe fn run<T: Copy>(ptrs: [*mut u8; 4], steps: [isize; 4], n: usize) {
        simd::run(Row::<T> { ptrs, steps, n, things: PhantomData });
    }
    match dtype {
        Dtype::Bool => run::<u8>,
        Dtype::F16 | Dtype::Bf16 => run::<u16>,
        Dtype::I32 | Dtype::F32 => run::<u32>,
        Dtype::I64 | Dtype::F64 => run::<u64>,
    }
}

/// From `x` where the condition holds, else from `y`. The condition is of truth values, the others of one dtype.
pub fn select(condition: &Tensor, x: &Tensor, y: &Tensor) -> Result<Tensor> {
    if let Some(noted) = trace::note(|| TensorOp::Select, &[condition, x, y]) {
        return noted;
    }
    if condition.dtype() != Dtype::Bool {
        return Err(TensorError::undefined("where", condition.dtype()));
    }
    let dims = broadcast(&[condition.dims(), x.dims(), y.dims()])?;
    let out = Tensor::blank(x.dtype(), &dims)?;
    let [condition, x, y] = [broadcast_to(condition, &dims)?, broadcast_to(x, &dims)?, broadcast_to(y, &dims)?];
    let steps = [&out.byte_steps(), &condition.byte_steps(), &x.byte_steps(), &y.byte_steps()];
    let (walk, run) = (Walk::new(&dims, steps.map(|it| &**it)), select_rows(out.dtype()));
    walk.each_shared([out.ptr(), condition.ptr(), x.ptr(), y.ptr()], worth(false), |ptrs, steps, n| {
        // SAFETY: the walk stays inside all views, and they are of these dtypes.
        unsafe { run(ptrs, steps, n) };
    });
    Ok(out)
}

/// Not below `low` and not above `high`, where they are given: `min(max(x, low), high)`.
pub fn clip(x: &Tensor, low: Option<&Tensor>, high: Option<&Tensor>) -> Result<Tensor> {
    let raised = match low {
        Some(low) => num2(Num2::Max, x, low)?,
        None => x.to_dense()?,
    };
    match high {
        Some(high) => num2(Num2::Min, &raised, high),
        None => Ok(raised),
    }
}
