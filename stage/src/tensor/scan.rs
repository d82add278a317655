//! Running sums and products: each element is the one before it and one more, in order.

use half::{bf16, f16};

use super::elem::Elem;
use super::error::Result;
use super::op::TensorOp;
use super::table::table;
use super::trace;
use super::walk::Walk;
use super::{Dtype, Tensor, TensorError};

table! {
    /// What is carried along the axis.
    pub enum Scan {
        /// The sum so far.
        Sum = "cumulative_sum",
        /// The product so far.
        Prod = "cumulative_prod",
    }
}

fn scan_with<E: Elem>(x: &Tensor, along: usize, next: impl Fn(E::Wide, E::Wide) -> E::Wide) -> Result<Tensor> {
    let out = Tensor::blank(E::DTYPE, x.dims())?;
    let (mut dims, mut from_steps, mut to_steps) = (x.dims().clone(), x.byte_steps(), out.byte_steps());
    let (len, from_step, to_step) = (dims.remove(along), from_steps.remove(along), to_steps.remove(along));
    if len == 0 {
        return Ok(out);
    }
    Walk::new(&dims, [&to_steps, &from_steps]).each([out.ptr(), x.ptr()], |[to, from], [to_across, across], n| {
        for i in 0..n as isize {
            let (to, from) = (to.wrapping_offset(i * to_across), from.wrapping_offset(i * across));
            // SAFETY: the walk and the axis stay inside both tensors; elements are aligned.
            unsafe {
                let mut sum = (*from.cast::<E>()).wide();
                *to.cast::<E>() = E::narrow(sum);
                for k in 1..len as isize {
                    sum = next(sum, (*from.offset(k * from_step).cast::<E>()).wide());
                    *to.offset(k * to_step).cast::<E>() = E::narrow(sum);
                }
            }
        }
    });
    Ok(out)
}

/// The running sum or product along an axis. Half precision is carried in singles.
pub fn scan(scan: Scan, x: &Tensor, along: usize) -> Result<Tensor> {
    if let Some(noted) = trace::note(|| TensorOp::Scan { scan, along }, &[x]) {
        return noted;
    }
    macro_rules! go {
        ($elem:ty, $add:expr, $mul:expr) => {
            match scan {
                Scan::Sum => scan_with::<$elem>(x, along, $add),
                Scan::Prod => scan_with::<$elem>(x, along, $mul),
            }
        };
    }
    match x.dtype() {
        dtype @ Dtype::Bool => Err(TensorError::undefined(scan.text(), dtype)),
        Dtype::I32 => go!(i32, i32::wrapping_add, i32::wrapping_mul),
        Dtype::I64 => go!(i64, i64::wrapping_add, i64::wrapping_mul),
        Dtype::F16 => go!(f16, |x, y| x + y, |x, y| x * y),
        Dtype::Bf16 => go!(bf16, |x, y| x + y, |x, y| x * y),
        Dtype::F32 => go!(f32, |x, y| x + y, |x, y| x * y),
        Dtype::F64 => go!(f64, |x, y| x + y, |x, y| x * y),
    }
}
