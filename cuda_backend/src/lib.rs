//! Kernels of staged code on NVIDIA GPUs, and on a simulated one.
//!
//! [`ptx`] writes kernels as PTX, which needs no GPU; [`driver`] runs them on one; [`simt`] runs them on this processor
//! as blocks of threads, checking what a GPU does not check. None of the three defines what a kernel means: that is
//! [`snekpy_stage::kernel`].

pub mod driver;
mod late;
mod math;
pub mod ptx;
pub mod simt;

pub use driver::Cuda;
pub use simt::Simt;

use snekpy_stage::backend::BackendError;
use snekpy_stage::ir::Module;
use snekpy_stage::kernel::{Kernel, verify};
use snekpy_stage::pass::{self, Observer};

/// How a kernel is changed before threads run it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Care {
    /// Failures wait, and there may be some that are none.
    Late,
    /// It fails where it is written that it does.
    Exact,
}

/// The module of a kernel as threads run it.
fn prepared(kernel: &Kernel, care: Care) -> Result<Module, BackendError> {
    verify(kernel).map_err(|faults| BackendError(faults.to_string()))?;
    let mut module = kernel.module.clone();
    let mut observer = Observer::new();
    observer.verify = cfg!(debug_assertions);
    let mut optimise = |module: &mut Module| {
        pass::optimise(module, pass::standard(), &mut observer)
            .map_err(|violations| BackendError(violations.to_string()))
    };
    optimise(&mut module)?;
    if care == Care::Late {
        late::let_failures_wait(&mut module);
        // What fails elsewhere than before needs a checkpoint there.
        module = Kernel::new(module, kernel.rank, kernel.form.clone()).module;
        optimise(&mut module)?;
    }
    Ok(module)
}
