//! The tensors of Python programs, as the capture sees them.
//!
//! Which class of objects tensors are is decided by whoever has made it: a [`TensorLibrary`], registered once in the
//! process. The capture calls the library's own functions on stand-ins, which write down what they would do
//! (`snekpy_stage::tensor::trace`); compiled code then does that.

use std::sync::{Arc, OnceLock};

use rustpython_vm::builtins::{PyBaseExceptionRef, PyTypeRef};
use rustpython_vm::{PyObject, PyObjectRef, PyResult, VirtualMachine};
use snekpy_stage::home::Home;
use snekpy_stage::tensor::device::Device;
use snekpy_stage::tensor::trace::Staged;
use snekpy_stage::tensor::{Dtype, Item, Kind, Tensor, TensorError, limit_memory, make};
use snekpy_stage::types::{TensorType, Type};

/// A library of tensors written over `snekpy_stage::tensor`.
pub trait TensorLibrary: Send + Sync {
    /// The tensor of an object, if it is one of exactly the library's class.
    fn tensor<'a>(&self, object: &'a PyObject) -> Option<&'a Tensor>;

    /// The exception that an error is.
    fn exception(&self, error: TensorError, vm: &VirtualMachine) -> PyBaseExceptionRef;

    /// The object of a tensor.
    fn array(&self, tensor: Tensor, vm: &VirtualMachine) -> PyObjectRef;

    /// An object that the library's functions take for a number that is known later.
    fn number(&self, value: Staged, kind: Kind, vm: &VirtualMachine) -> PyObjectRef;

    /// An object that the library's functions take for a slice of `len` positions from one that is known later.
    fn window(&self, first: Staged, len: usize, vm: &VirtualMachine) -> PyObjectRef;

    /// Whether a native function does nothing but work on tensors.
    fn is_function(&self, module: &str, name: &str) -> bool;

    /// The class of tensors.
    fn class(&self) -> PyTypeRef;

    /// Whether the methods of a class do nothing else.
    fn is_class(&self, class: &PyTypeRef) -> bool;

    /// Whether an object is called like a function that does nothing else.
    fn is_callable(&self, object: &PyObject) -> bool;

    /// Whether an object of the library is the same for ever: a dtype, a function.
    fn is_fixed(&self, object: &PyObject) -> bool;
}

mod copies;
mod quiet;

pub(crate) use copies::warning_class;
pub use copies::{has_copied, raise_pending};
pub(crate) use quiet::quietly;

/// The device of a name.
///
/// # Errors
/// A `ValueError` for a name that is none, and what the machine cannot.
pub fn device(name: &str, vm: &VirtualMachine) -> PyResult<Arc<dyn Device>> {
    copies::listen();
    let kernels = (crate::config::config(vm).kernels)(name, false).filter(|_| name != "cpu").ok_or_else(|| {
        vm.new_value_error(format!("no device '{name}': it is 'cpu', 'cuda', 'cuda:1' and so on, or 'simt'"))
    })?;
    kernels.device().map_err(|error| vm.new_runtime_error(error.to_string()))
}

static LIBRARY: OnceLock<&'static dyn TensorLibrary> = OnceLock::new();

/// Says which objects are tensors. The first one stays.
pub fn register(library: &'static dyn TensorLibrary) {
    LIBRARY.get_or_init(|| {
        limit_memory(memory());
        library
    });
}

/// How much memory this machine has; more is promised by some systems, and never given.
fn memory() -> usize {
    // SAFETY: these only ask.
    let (pages, size) = unsafe { (libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)) };
    match (usize::try_from(pages), usize::try_from(size)) {
        (Ok(pages), Ok(size)) => pages.saturating_mul(size),
        _ => usize::MAX,
    }
}

/// The library, if there is one.
pub(crate) fn library() -> Option<&'static dyn TensorLibrary> {
    LIBRARY.get().copied()
}

/// The tensor of an object, which shares its memory.
pub fn shared(object: &PyObject) -> Option<Tensor> {
    of(object).filter(|it| it.staged().is_none()).cloned()
}

/// The object of a tensor: an array of `snekpy.numpy`, with all that it has there.
///
/// # Errors
/// If `snekpy.numpy` cannot be imported.
pub fn object(tensor: Tensor, vm: &VirtualMachine) -> PyResult {
    vm.import("snekpy.numpy", 0)?;
    let library = library().ok_or_else(|| vm.new_runtime_error("there are no arrays"))?;
    Ok(library.array(tensor, vm))
}

/// The tensor of an object.
pub(crate) fn of(object: &PyObject) -> Option<&Tensor> {
    library()?.tensor(object)
}

/// The value that a tensor stands for, and its type, while it is known only later.
pub(crate) fn staged(object: &PyObject) -> Option<(Staged, TensorType)> {
    let tensor = of(object)?;
    Some((tensor.staged()?, type_of(tensor)))
}

/// The type of a tensor.
pub(crate) fn type_of(tensor: &Tensor) -> TensorType {
    TensorType::new(tensor.dtype(), tensor.dims()).at(tensor.home().unwrap_or(Home::HERE))
}

/// A new tensor without axes, of a number in a slot.
pub(crate) fn without_axes(dtype: Dtype, bits: u64, ty: Type, vm: &VirtualMachine) -> PyResult {
    let library = library().ok_or_else(|| vm.new_runtime_error("there are no arrays"))?;
    let item = match ty {
        Type::Bool => Item::Bool(bits != 0),
        Type::F64 => Item::Float(f64::from_bits(bits)),
        _ => Item::Int(bits.cast_signed()),
    };
    let tensor = make::full(dtype, &[], item).map_err(|error| library.exception(error, vm))?;
    Ok(library.array(tensor, vm))
}

/// Compiled code is not made for larger ones.
const MOST_BYTES: usize = 1 << 36;

/// The type of a tensor that can be passed to compiled code.
pub(crate) fn passed(object: &PyObject) -> Option<TensorType> {
    found(object).map(type_of)
}

/// A tensor that can be passed to compiled code.
pub(crate) fn found(object: &PyObject) -> Option<&Tensor> {
    let tensor = of(object)?;
    let fits =
        tensor.home().is_some() && tensor.buf().is_writable() && tensor.count() * tensor.dtype().size() <= MOST_BYTES;
    (fits && tensor.staged().is_none() && object.weak_count().unwrap_or(0) == 0).then_some(tensor)
}
