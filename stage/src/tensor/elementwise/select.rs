//! Choosing between elements.

use crate::tensor::elem::{Elem, Truth, by_dtype};
use crate::tensor::elementwise::{Num2, num2};
use crate::tensor::error::Result;
use crate::tensor::layout::broadcast_to;
use crate::tensor::op::TensorOp;
use crate::tensor::shape::broadcast;
use crate::tensor::trace;
use crate::tensor::walk::Walk;
use crate::tensor::{Dtype, Tensor, TensorError};

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
    let walk = Walk::new(&dims, steps.map(|it| &**it));
    by_dtype!(x.dtype(), E => {
        walk.each([out.ptr(), condition.ptr(), x.ptr(), y.ptr()], |[to, c, x, y], [to_step, c_step, x_step, y_step], n| {
            for i in 0..n as isize {
                // SAFETY: the walk stays inside all views; elements are aligned.
                unsafe {
                    let holds = (*c.offset(i * c_step).cast::<Truth>()).wide();
                    let (x, y) = (*x.offset(i * x_step).cast::<E>(), *y.offset(i * y_step).cast::<E>());
                    *to.offset(i * to_step).cast::<E>() = if holds { x } else { y };
                }
            }
        });
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
