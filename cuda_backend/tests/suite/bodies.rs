//! Kernels that the library writes as bodies: those of order, running sums, and what is written and added at positions.

use snekpy_stage::kernel::Kernel;
use snekpy_stage::tensor::device::{Dry, Made, told};
use snekpy_stage::tensor::index::{Part, nonzero, scatter};
use snekpy_stage::tensor::scan::Scan;
use snekpy_stage::tensor::{Dtype, Operand, Tensor, TensorError, TensorOp, scan, sort};

/// All of them, with what they are called here.
pub(crate) fn all() -> Vec<(String, Kernel)> {
    let mut all = Vec::new();
    for dtype in [Dtype::I64, Dtype::F32, Dtype::F64] {
        let made = told(|| of(dtype)).expect("the operations are defined");
        let kernels = made.into_iter().filter_map(|it| if let Made::Kernel(kernel) = it { Some(kernel) } else { None });
        all.extend(kernels.enumerate().map(|(number, kernel)| (format!("body {number} on {dtype}"), kernel)));
    }
    all
}

/// Has a device that notes what it is told do each of them. Lines are of several runs.
fn of(dtype: Dtype) -> Result<(), TensorError> {
    let (x, _) = Tensor::unwritten(&Dry::of("cuda"), dtype, &[2, 40])?;
    let (line, _) = Tensor::unwritten(&Dry::of("cuda"), dtype, &[40])?;
    for way in [false, true] {
        sort::argsort(&x, 1, way)?.begin()?;
        sort::search(&line, &x, way)?.begin()?;
    }
    for how in Scan::ALL {
        scan::scan(*how, &x, 1)?.begin()?;
    }
    let at = Tensor::from_slice(&[1_i64, 0, 1], &[3])?;
    let value = Tensor::zeros(dtype, &[3, 40])?;
    scatter(&x, &[Part::At(at.clone()), Part::All], &value)?;
    if dtype.is_float() {
        let there = value.to_device(&Dry::of("cuda"))?;
        let add_at = TensorOp::AddAt { at: vec![true, false], dims: vec![2, 40] };
        add_at.apply(&[Operand::Tensor(&there), Operand::Tensor(&at)])?;
    }
    nonzero(&x).map(drop)
}
