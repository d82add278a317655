//! Arrays in staged code.
//!
//! While staged code is captured, `snekpy.numpy` works on arrays without memory: what its functions do is written down
//! ([`snekpy_stage::tensor::trace`]). Numbers that are known only later come to native code as the objects of this file.

use rustpython_vm::builtins::{PyBaseExceptionRef, PyTypeRef};
use rustpython_vm::class::{PyClassImpl, StaticType};
use rustpython_vm::{AsObject, PyObject, PyObjectRef, PyPayload, VirtualMachine, pyclass};
use snekpy_stage::tensor::trace::Staged;
use snekpy_stage::tensor::{Kind, Tensor, TensorError};
use snekpy_vm::tensor::TensorLibrary;

use super::array::{self, NdArray};
use super::{dtype, ufunc};

/// A number that is known later.
#[pyclass(module = "numpy", name = "StagedNumber")]
#[derive(Debug, PyPayload)]
pub(super) struct StagedNumber {
    pub(super) value: Staged,
    pub(super) kind: Kind,
}

#[pyclass]
impl StagedNumber {}

/// A slice of known length from a position that is known later.
#[pyclass(module = "numpy", name = "StagedWindow")]
#[derive(Debug, PyPayload)]
pub(super) struct StagedWindow {
    pub(super) first: Staged,
    pub(super) len: usize,
}

#[pyclass]
impl StagedWindow {}

/// What the capture knows of arrays.
pub(crate) struct Arrays;

/// The functions of the native module that do something to modules or classes, or look at memory.
const NOT_TRACED: [&str; 7] =
    ["_methods", "_ufunc_methods", "_names", "_frombuffer", "_rebuild", "_to_dlpack", "_from_dlpack"];

impl TensorLibrary for Arrays {
    fn tensor<'a>(&self, object: &'a PyObject) -> Option<&'a Tensor> {
        // There is no class before there is an array.
        object.downcast_ref::<NdArray>().filter(|_| object.class().is(NdArray::static_type())).map(|it| &it.tensor)
    }

    fn exception(&self, error: TensorError, vm: &VirtualMachine) -> PyBaseExceptionRef {
        super::error::exception(error, vm)
    }

    fn array(&self, tensor: Tensor, vm: &VirtualMachine) -> PyObjectRef {
        NdArray::new(tensor, vm)
    }

    fn number(&self, value: Staged, kind: Kind, vm: &VirtualMachine) -> PyObjectRef {
        let _class = StagedNumber::make_static_type();
        StagedNumber { value, kind }.into_ref(&vm.ctx).into()
    }

    fn window(&self, first: Staged, len: usize, vm: &VirtualMachine) -> PyObjectRef {
        let _class = StagedWindow::make_static_type();
        StagedWindow { first, len }.into_ref(&vm.ctx).into()
    }

    fn is_function(&self, module: &str, name: &str) -> bool {
        module == "_snekpy_numpy" && !NOT_TRACED.contains(&name)
    }

    fn class(&self) -> PyTypeRef {
        array::class()
    }

    fn is_class(&self, class: &PyTypeRef) -> bool {
        [array::class(), dtype::class()].iter().any(|it| it.is(class))
    }

    fn is_callable(&self, object: &PyObject) -> bool {
        object.class().is(&ufunc::class()) || object.class().is(&dtype::class())
    }

    fn is_fixed(&self, object: &PyObject) -> bool {
        self.is_callable(object)
    }
}
