//! Tensors as lines along an axis, for kernels that are written as bodies.

use crate::tensor::cast::as_dtype;
use crate::tensor::error::Result;
use crate::tensor::{Dtype, Tensor, layout};
use crate::types::Elem;

/// The dtype that bodies of kernels have for this one: nothing is lost.
pub(super) const fn of_kernels(dtype: Dtype) -> (Dtype, Elem) {
    match dtype {
        Dtype::Bool | Dtype::I32 | Dtype::I64 => (Dtype::I64, Elem::I64),
        Dtype::F16 | Dtype::Bf16 | Dtype::F32 => (Dtype::F32, Elem::F32),
        Dtype::F64 => (Dtype::F64, Elem::F64),
    }
}

/// A tensor with its axes in another order: dense, in a dtype of kernels.
pub(super) struct Lines {
    pub(super) dense: Tensor,
    /// The order of the axes, and their sizes in it.
    pub(super) order: Vec<usize>,
    dims: Vec<usize>,
    /// Of one axis and all others together, as they lie.
    pub(super) shape: [usize; 2],
}

impl Lines {
    /// Lines along an axis, one behind the other.
    pub(super) fn of(x: &Tensor, along: usize) -> Result<Self> {
        let order = (0..x.rank()).filter(|&axis| axis != along).chain([along]).collect();
        let len = x.dims()[along];
        Self::in_order(x, order, [x.count() / len.max(1), len])
    }

    /// Lines along an axis, side by side.
    pub(super) fn side_by_side(x: &Tensor, along: usize) -> Result<Self> {
        let order = [along].into_iter().chain((0..x.rank()).filter(|&axis| axis != along)).collect();
        let len = x.dims()[along];
        Self::in_order(x, order, [len, x.count() / len.max(1)])
    }

    fn in_order(x: &Tensor, order: Vec<usize>, shape: [usize; 2]) -> Result<Self> {
        let moved = layout::permute(x, &order)?;
        let dense = dense(&as_dtype(&moved, of_kernels(x.dtype()).0)?)?;
        Ok(Self { dense, order, dims: moved.dims().to_vec(), shape })
    }

    /// With the axes as they were.
    pub(super) fn back(&self, made: &Tensor) -> Result<Tensor> {
        layout::permute(&layout::reshape(made, &self.dims)?, &layout::inverse(&self.order))?.as_dense()
    }
}

/// Dense, from the beginning of its memory, and begun.
pub(super) fn dense(x: &Tensor) -> Result<Tensor> {
    let x = x.as_dense()?;
    let x = if x.start() == 0 { x } else { x.to_dense()? };
    x.begin()?;
    Ok(x)
}
