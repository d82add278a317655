//! `dtype` objects.

use rustpython_vm::builtins::{PyStr, PyType, PyTypeRef};
use rustpython_vm::class::PyClassImpl;
use rustpython_vm::common::hash::PyHash;
use rustpython_vm::function::{FuncArgs, OptionalArg, PyComparisonValue};
use rustpython_vm::types::{Callable, Comparable, Constructor, Hashable, PyComparisonOp, Representable};
use rustpython_vm::{AsObject, Py, PyObject, PyObjectRef, PyPayload, PyResult, VirtualMachine, pyclass};
use snekpy_stage::tensor::{Dtype, Kind};

use super::array::NdArray;

/// The type of the elements of an array. Calling one makes an array of that type.
#[pyclass(module = "numpy", name = "dtype")]
#[derive(Clone, Debug, PyPayload)]
pub(crate) struct PyDtype {
    pub(super) dtype: Dtype,
}

/// The class.
pub(super) fn class() -> PyTypeRef {
    PyDtype::make_static_type()
}

/// The object for a dtype.
pub(super) fn object(dtype: Dtype, vm: &VirtualMachine) -> PyObjectRef {
    PyDtype { dtype }.into_ref(&vm.ctx).into()
}

/// The dtype that an object means: one of ours, a name, or `bool`, `int`, `float`.
pub(super) fn coerce(object: &PyObject, vm: &VirtualMachine) -> PyResult<Dtype> {
    if let Some(it) = object.downcast_ref::<PyDtype>() {
        return Ok(it.dtype);
    }
    let types = &vm.ctx.types;
    for (class, dtype) in [(types.bool_type, Dtype::Bool), (types.int_type, Dtype::I64), (types.float_type, Dtype::F64)]
    {
        if object.is(class) {
            return Ok(dtype);
        }
    }
    if let Some(name) = object.downcast_ref::<PyStr>() {
        let name = name.to_string_lossy();
        return named(&name).ok_or_else(|| unsupported(&name, vm));
    }
    if vm.is_none(object) {
        return Ok(Dtype::F64);
    }
    let shown = match object.downcast_ref::<PyType>() {
        Some(class) => class.name().to_string(),
        None => object.repr(vm)?.to_string_lossy().into_owned(),
    };
    Err(unsupported(&shown, vm))
}

/// The dtype of an optional argument.
pub(super) fn optional(object: OptionalArg<PyObjectRef>, vm: &VirtualMachine) -> PyResult<Option<Dtype>> {
    match object {
        OptionalArg::Present(it) if !vm.is_none(&it) => coerce(&it, vm).map(Some),
        OptionalArg::Present(_) | OptionalArg::Missing => Ok(None),
    }
}

fn named(name: &str) -> Option<Dtype> {
    let bare = name.trim_start_matches(['<', '=', '|']);
    Dtype::from_name(bare).or(match bare {
        "?" | "b1" | "bool_" => Some(Dtype::Bool),
        "i" | "i4" => Some(Dtype::I32),
        "int" | "int_" | "l" | "q" | "i8" => Some(Dtype::I64),
        "e" | "f2" | "half" => Some(Dtype::F16),
        "bf16" => Some(Dtype::Bf16),
        "f" | "f4" | "single" => Some(Dtype::F32),
        "float" | "float_" | "d" | "f8" | "double" => Some(Dtype::F64),
        _ => None,
    })
}

fn unsupported(name: &str, vm: &VirtualMachine) -> rustpython_vm::builtins::PyBaseExceptionRef {
    vm.new_type_error(format!(
        "data type '{name}' is not supported: there are bool, int32, int64, float16, bfloat16, float32 and float64"
    ))
}

#[pyclass(with(Constructor, Comparable, Hashable, Representable, Callable))]
impl PyDtype {
    #[pygetset]
    fn name(zelf: &Py<Self>) -> &'static str {
        zelf.dtype.name()
    }

    #[pygetset]
    fn itemsize(zelf: &Py<Self>) -> usize {
        zelf.dtype.size()
    }

    #[pygetset]
    fn kind(zelf: &Py<Self>) -> &'static str {
        match zelf.dtype.kind() {
            Kind::Bool => "b",
            Kind::Int => "i",
            Kind::Float => "f",
        }
    }

    #[pygetset(name = "char")]
    fn character(zelf: &Py<Self>) -> &'static str {
        match zelf.dtype {
            Dtype::Bool => "?",
            Dtype::I32 => "i",
            Dtype::I64 => "l",
            Dtype::F16 => "e",
            Dtype::Bf16 => "E",
            Dtype::F32 => "f",
            Dtype::F64 => "d",
        }
    }

    #[pygetset(name = "str")]
    fn text(zelf: &Py<Self>) -> &'static str {
        match zelf.dtype {
            Dtype::Bool => "|b1",
            Dtype::I32 => "<i4",
            Dtype::I64 => "<i8",
            Dtype::F16 => "<f2",
            Dtype::Bf16 => "<V2",
            Dtype::F32 => "<f4",
            Dtype::F64 => "<f8",
        }
    }

    /// What one calls to make an element: itself.
    #[pygetset(name = "type")]
    fn element(zelf: rustpython_vm::PyRef<Self>) -> PyObjectRef {
        zelf.into()
    }

    #[pygetset(name = "__name__")]
    fn dunder_name(zelf: &Py<Self>) -> &'static str {
        zelf.dtype.name()
    }

    #[pymethod]
    fn __reduce__(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult {
        let name = vm.ctx.new_str(zelf.dtype.name());
        Ok(vm.ctx.new_tuple(vec![class().into(), vm.ctx.new_tuple(vec![name.into()]).into()]).into())
    }
}

impl Constructor for PyDtype {
    type Args = (PyObjectRef,);

    fn py_new(_class: &Py<PyType>, (object,): Self::Args, vm: &VirtualMachine) -> PyResult<Self> {
        Ok(Self { dtype: coerce(&object, vm)? })
    }
}

impl Comparable for PyDtype {
    fn cmp(zelf: &Py<Self>, other: &PyObject, op: PyComparisonOp, vm: &VirtualMachine) -> PyResult<PyComparisonValue> {
        op.eq_only(|| {
            let same = !vm.is_none(other) && coerce(other, vm).is_ok_and(|it| it == zelf.dtype);
            Ok(PyComparisonValue::Implemented(same))
        })
    }
}

impl Hashable for PyDtype {
    fn hash(zelf: &Py<Self>, _vm: &VirtualMachine) -> PyResult<PyHash> {
        Ok(zelf.dtype as PyHash + 1)
    }
}

impl Representable for PyDtype {
    fn repr_str(zelf: &Py<Self>, _vm: &VirtualMachine) -> PyResult<String> {
        Ok(format!("dtype('{}')", zelf.dtype.name()))
    }
}

impl Callable for PyDtype {
    type Args = FuncArgs;

    fn call(zelf: &Py<Self>, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
        let (value,): (OptionalArg<PyObjectRef>,) = args.bind(vm)?;
        let value = value.unwrap_or_else(|| vm.ctx.new_int(0).into());
        let value = match value.downcast_ref::<PyStr>() {
            Some(_) => vm.ctx.types.float_type.to_owned().as_object().call((value,), vm)?,
            None => value,
        };
        Ok(NdArray::new(super::convert::array(&value, Some(zelf.dtype), vm)?, vm))
    }
}
