//! Why an instruction did not simply finish.

use rustpython_vm::builtins::PyBaseExceptionRef;
use rustpython_vm::{AsObject, PyObjectRef, VirtualMachine};
use snekpy_stage::entity::Value;

use crate::capture::assumptions::Assumption;
use crate::refusal::Refusal;

/// Why an instruction did not simply finish.
#[derive(Debug)]
pub(crate) enum Stop {
    /// It raised a Python exception, on this path.
    Raise(PyBaseExceptionRef),
    /// It needs to know whether this staged truth value holds: the path forks before the instruction.
    Fork(Value),
    /// It cannot be captured: the whole capture ends.
    Refuse(Box<Refusal>),
    /// The call is plain Python from its beginning: the whole capture ends.
    Plain(Box<Refusal>),
    /// The whole capture starts again, assuming this.
    Learn(Assumption),
    /// A signal handler raised: the whole capture ends.
    Interrupt(PyBaseExceptionRef),
    /// These objects that the path has made must be rows of their pools first; then the instruction runs again.
    Rows(Vec<PyObjectRef>),
    /// This path waits until the results of a recursive function are known.
    Park,
}

impl Stop {
    /// Whether an attribute is missing.
    pub(crate) fn is_attribute_error(&self, vm: &VirtualMachine) -> bool {
        matches!(self, Self::Raise(error) if error.fast_isinstance(vm.ctx.exceptions.attribute_error))
    }
}

impl From<PyBaseExceptionRef> for Stop {
    fn from(exception: PyBaseExceptionRef) -> Self {
        Self::Raise(exception)
    }
}

/// What an instruction gives.
pub(crate) type Step<T> = Result<T, Stop>;
