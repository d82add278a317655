//! Kernels: one scalar function over an index space.
//!
//! A [`Kernel`] is a module whose main function, the *body*, takes an index for each dimension and then the
//! inputs, which all indices share, and gives what belongs to that index. It has no effects ([`verify`] says which
//! ops it may use), so its indices may run in any order and at once; what it means is that they run one after the
//! other, the last dimension fastest. An exit or trap of the body is a *failure* of its index. A failed kernel has
//! failed at its lowest failing index, whatever ran before, and its outputs mean nothing.
//!
//! There are two forms. A *map* stores the results of each index in flat arrays, one for each result. A *sum* adds the
//! one result of all indices, in an order that is part of its meaning: see [`sum`].
//!
//! A [`KernelBackend`] turns kernels into [`KernelCode`]. [`host::HostKernels`] is the one for this machine's
//! processor: it writes the loop over the indices as IR and leaves the rest to an ordinary
//! [`Backend`](crate::backend::Backend); on the reference interpreter it is the definition.

mod flat;
pub mod host;
mod states;
pub mod sum;
mod text;
mod verify;

use std::sync::Arc;
use std::time::Duration;

use crate::backend::{BackendError, Outcome, Status, Trap, slots};
use crate::ir::{Function, Module};
use crate::tensor::device::sweep::Sweep;
use crate::tensor::device::{Device, Epilogue, Product};
use crate::types::{Elem, Type};

pub use flat::{Inputs, flatten};
pub use text::{KernelParseError, parse};
pub use verify::{Fault, Faults, verify};

/// The most dimensions that an index space has.
pub const MAX_RANK: usize = 3;

/// One scalar function over an index space.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// The main function is the body; the others are called by it.
    pub module: Module,
    /// The number of dimensions, 1 to [`MAX_RANK`]. So many first parameters of the body are the index.
    pub rank: usize,
    /// What becomes of the results.
    pub form: Form,
}

/// What becomes of the results of a kernel's body.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Form {
    /// Each is stored in an array of its own, as these elements.
    Map(Vec<Elem>),
    /// The only one, a number or truth value, is added up.
    Sum,
}

impl Kernel {
    /// A kernel of a module, whose frame states are forgotten: where a body has failed, nothing goes on.
    pub fn new(mut module: Module, rank: usize, form: Form) -> Self {
        states::forget_states(&mut module);
        Self { module, rank, form }
    }

    /// The body.
    pub fn body(&self) -> &Function {
        &self.module.funcs[self.module.main()]
    }

    /// The types of the inputs.
    pub fn inputs(&self) -> Vec<Type> {
        self.body().param_types().split_off(self.rank)
    }

    /// How many slots the inputs take.
    pub fn input_slots(&self) -> usize {
        self.inputs().into_iter().map(slots).sum()
    }

    /// How the outputs are stored: the arrays of a map, or the partial sums of a sum.
    pub fn outputs(&self) -> Vec<Elem> {
        match &self.form {
            Form::Map(elems) => elems.clone(),
            Form::Sum => vec![sum::partial(self.body().results[0])],
        }
    }

    /// How many elements each output has, for so many indices.
    pub fn output_len(&self, count: u64) -> u64 {
        match &self.form {
            Form::Map(_) => count,
            Form::Sum => sum::partials(self.body().results[0], count),
        }
    }
}

/// How many indices a shape has, if that is a number that memory could hold.
pub fn count(shape: &[u64]) -> Option<u64> {
    shape.iter().try_fold(1_u64, |product, &extent| product.checked_mul(extent)).filter(|&it| it < 1 << 62)
}

/// The index at a position of a shape, the last dimension fastest.
pub fn index_at(shape: &[u64], position: u64) -> Vec<u64> {
    let mut rest = position;
    let mut index: Vec<u64> = shape
        .iter()
        .rev()
        .map(|&extent| {
            let it = rest % extent;
            rest /= extent;
            it
        })
        .collect();
    index.reverse();
    index
}

/// Turns kernels into code.
pub trait KernelBackend: Send + Sync {
    /// What it is called where users choose one: `cpu`, `cuda`, `simt`.
    fn name(&self) -> &str;

    /// The device whose memory its arrays may lie in, if it has one of its own.
    ///
    /// # Errors
    /// A [`BackendError`] when there is none.
    fn device(&self) -> Result<Arc<dyn Device>, BackendError> {
        Err(BackendError(format!("{} has no memory of its own", self.name())))
    }

    /// Compiles a kernel.
    ///
    /// # Errors
    /// A [`BackendError`] when the kernel is not one (see [`verify`]), uses what the back end has not, or this machine
    /// cannot.
    fn compile(&self, kernel: &Kernel) -> Result<Arc<dyn KernelCode>, BackendError>;

    /// The kernel after the back end's own lowering, as text.
    ///
    /// # Errors
    /// A [`BackendError`] when the back end has no such form, or cannot compile the kernel.
    fn inspect(&self, kernel: &Kernel, form: &str) -> Result<String, BackendError>;

    /// The same of a product of matrices, with what is done with its elements.
    ///
    /// # Errors
    /// As above.
    fn inspect_product(
        &self,
        product: &Product,
        epilogue: Option<&Epilogue>,
        form: &str,
    ) -> Result<String, BackendError> {
        let _ = (product, epilogue);
        Err(BackendError(format!("{} has no form `{form}` of products", self.name())))
    }

    /// The same of operations on arrays that are one kernel.
    ///
    /// # Errors
    /// As above.
    fn inspect_sweep(&self, sweep: &Sweep, form: &str) -> Result<String, BackendError> {
        let _ = sweep;
        Err(BackendError(format!("{} has no form `{form}` of operations on arrays", self.name())))
    }
}

/// A compiled kernel. Any number of threads may run it at once.
pub trait KernelCode: Send + Sync {
    /// Runs it over a shape.
    ///
    /// # Errors
    /// A [`BackendError`] when the machine cannot: no memory on the device, say.
    ///
    /// # Safety
    /// `launch.args` has the slots of the inputs; arrays among them stay where they are and nobody writes them.
    /// `launch.outputs` has an address for each output, with room for its elements, which nobody else looks at.
    unsafe fn run(&self, launch: &Launch<'_>) -> Result<Ended, BackendError>;

    /// How long a device took for the last run, copies not counted. `None` where nothing else than the run takes time.
    fn device_time(&self) -> Option<Duration> {
        None
    }
}

/// What a kernel is run on.
#[derive(Clone, Copy)]
pub struct Launch<'a> {
    /// The extent of each dimension. [`count`] of it is some number.
    pub shape: &'a [u64],
    /// The slots of the inputs, as [`crate::backend`] has them.
    pub args: &'a [u64],
    /// Where the outputs go.
    pub outputs: &'a [*mut u8],
    /// For each array among the inputs, whether it lies in the memory of the device that the code is for; where nothing is
    /// said, it lies in this machine's.
    pub resident: &'a [bool],
    /// Whether the outputs lie in the memory of the device.
    pub stays: bool,
    /// Whether the caller knows that no index fails: then nobody waits for the device to know it.
    pub never_fails: bool,
    /// Asked now and then, by the thread that called; true means that it should stop.
    pub stop: &'a dyn Fn() -> bool,
}

impl<'a> Launch<'a> {
    /// On arrays in this machine's memory.
    pub const fn new(shape: &'a [u64], args: &'a [u64], outputs: &'a [*mut u8], stop: &'a dyn Fn() -> bool) -> Self {
        Self { shape, args, outputs, resident: &[], stays: false, never_fails: false, stop }
    }

    /// Whether every array among the inputs of the kernel has an element for each of so many positions.
    pub fn covers(&self, kernel: &Kernel, count: u64) -> bool {
        let mut next = 0;
        kernel.inputs().into_iter().all(|ty| {
            let is_long = ty.as_array().is_none() || self.args[next + 1] >= count;
            next += slots(ty);
            is_long
        })
    }
}

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// The outputs are there.
    Done,
    /// The body failed.
    Failed(Failure),
    /// `stop` said so.
    Stopped,
}

/// Where and how a body failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Failure {
    /// The lowest failing position of the shape.
    pub position: u64,
    /// How; `None` if that is not known.
    pub cause: Option<Cause>,
}

/// How a body failed. Which exit it left through is not told: a call forgets that of its callee.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// An integer does not fit in 64 bits.
    Overflow,
    /// It left through an exit, or what an operation requires does not hold: Python raises there.
    Raised,
}

impl Failure {
    /// A failure with the status in which code has ended.
    pub fn new(position: u64, status: Status) -> Self {
        let cause = match status.outcome() {
            Outcome::Trap(Trap::Overflow, ..) => Cause::Overflow,
            Outcome::Returned | Outcome::Exit(..) | Outcome::Trap(..) => Cause::Raised,
        };
        Self { position, cause: Some(cause) }
    }
}
