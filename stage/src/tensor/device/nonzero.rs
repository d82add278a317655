//! The positions of elements that are not zero, on a device.
//!
//! How many elements hold up to each is a running sum, in which the position of each one that holds is found by bisection. Of
//! all that, one number is copied back: how many there are.

use std::sync::Arc;

use super::gather::number;
use super::order::below;
use super::scan::holding;
use super::{Device, blank};
use crate::tensor::cast::as_dtype;
use crate::tensor::elementwise::{Num2, num2};
use crate::tensor::error::Result;
use crate::tensor::{Dtype, Tensor, layout};

/// See [`crate::tensor::index::nonzero`].
pub(in crate::tensor) fn nonzero(device: &Arc<dyn Device>, x: &Tensor) -> Result<Vec<Tensor>> {
    if x.count() == 0 {
        return (0..x.rank()).map(|_| blank(device, Dtype::I64, &[0])).collect();
    }
    let truth = layout::reshape(&as_dtype(x, Dtype::Bool)?, &[x.count()])?;
    let held = layout::reshape(&holding(device, &truth)?, &[x.count()])?;
    let count = layout::pick(&held, 0, x.count() as i64 - 1)?.to_host()?.item_at(&[]).int() as usize;
    let found = below(device, &held, 1, count)?;
    let mut behind = x.count();
    let along = |(axis, &size): (usize, &usize)| {
        behind /= size;
        let mut at = found.clone();
        if behind > 1 {
            at = num2(Num2::FloorDiv, &at, &number(behind as i64)?)?;
        }
        if axis > 0 {
            at = num2(Num2::Mod, &at, &number(size as i64)?)?;
        }
        at.lies_between(0, size as i64 - 1);
        Ok(at)
    };
    x.dims().iter().enumerate().map(along).collect()
}
