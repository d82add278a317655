//! From a sweep to PTX.
//!
//! `each` writes what a job makes of elements, in their own dtype, `half` what is particular to half precision; `threads` what a thread does with which elements; `fold`
//! how threads make one element of a row. What the order of all that is, `stage::tensor::device::sweep` says.

pub(crate) mod each;
mod fold;
pub(crate) mod half;
mod matrix;
pub(crate) mod threads;

use snekpy_llvm::ObjectCache;
use snekpy_stage::backend::BackendError;
use snekpy_stage::tensor::Dtype;
use snekpy_stage::tensor::device::sweep::{Job, Sweep};
use snekpy_stage::tensor::elementwise::{Num2, Real1, Real2};

use crate::ptx::{PtxOptions, assembled, machine};

/// The PTX of a sweep, which may have been made before.
///
/// # Errors
/// A [`BackendError`] when LLVM refuses what is written, which is our mistake.
pub fn ptx(sweep: &Sweep, options: PtxOptions, cache: Option<&ObjectCache>) -> Result<String, BackendError> {
    assembled("sweep", &machine(options)?, cache, |llcx, module| threads::write(llcx, module, sweep))
}

/// Whether the functions of a sweep are what takes time.
pub(crate) fn is_long(sweep: &Sweep) -> bool {
    sweep.members.iter().any(|it| match it.job {
        Job::Bits { .. } => true,
        Job::Real1(Real1::Exp | Real1::Exp2) if it.dtype != Dtype::F64 => false,
        Job::Real1(op) if op.is_exact() => false,
        Job::Real1(_)
        | Job::Real2(Real2::Atan2 | Real2::Fmod | Real2::Hypot | Real2::LogAddExp)
        | Job::Num2(Num2::FloorDiv | Num2::Mod | Num2::Pow) => true,
        _ => false,
    })
}

/// How many positions a thread of a flat sweep takes at once: the loads are what takes time, unless functions are long.
pub(crate) fn at_once(sweep: &Sweep) -> u64 {
    let sizes = sweep.inputs.iter().map(|it| it.dtype.size()).chain(sweep.members.iter().map(|it| it.dtype.size()));
    match sizes.max() {
        _ if is_long(sweep) => 2,
        Some(1 | 2) => 8,
        _ => 4,
    }
}

#[cfg(test)]
pub(crate) mod tests;
