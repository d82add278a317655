//! What operations accept, and which dtype they compute in.
//!
//! Promotion is the array API standard's: by dtypes alone, never by values. Python's numbers are weak: they take the
//! dtype of the array beside them, unless they are of a higher kind than that.

use rustpython_vm::builtins::{PyFloat, PyInt, PyList, PyTuple};
use rustpython_vm::{AsObject, PyObject, PyResult, VirtualMachine};
use snekpy_stage::home::Home;
use snekpy_stage::tensor::cast::as_dtype;
use snekpy_stage::tensor::trace::{self, Staged};
use snekpy_stage::tensor::{Dtype, Item, Kind, Tensor, make};

use super::array::NdArray;
use super::convert;
use super::error::OrRaise;
use super::staged::StagedNumber;

/// An operand.
pub(super) enum Operand<'a> {
    /// An array.
    Array(&'a Tensor),
    /// What was made into one.
    Made(Box<Tensor>),
    /// A number of Python.
    Weak(Item),
    /// A number of Python that is known later.
    Later(Staged, Kind),
    /// An integer of Python past 64 bits.
    Big(f64),
}

impl<'a> Operand<'a> {
    /// What an object is as an operand; `None` if it is none.
    #[inline]
    pub(super) fn of(object: &'a PyObject, vm: &VirtualMachine) -> PyResult<Option<Self>> {
        if let Some(array) = object.downcast_ref::<NdArray>() {
            return Ok(Some(Self::Array(&array.tensor)));
        }
        Self::of_other(object, vm)
    }

    fn of_other(object: &PyObject, vm: &VirtualMachine) -> PyResult<Option<Self>> {
        if let Some(number) = object.downcast_ref::<StagedNumber>() {
            return Ok(Some(Self::Later(number.value, number.kind)));
        }
        if let Some(float) = object.downcast_ref::<PyFloat>() {
            return Ok(Some(Self::Weak(Item::Float(float.to_f64()))));
        }
        if let Some(int) = object.downcast_ref::<PyInt>() {
            if object.class().is(vm.ctx.types.bool_type) {
                return Ok(Some(Self::Weak(Item::Bool(int.as_bigint() != &0.into()))));
            }
            return Ok(Some(match i64::try_from(int.as_bigint()) {
                Ok(it) => Self::Weak(Item::Int(it)),
                Err(_) => Self::Big(object.try_float(vm)?.to_f64()),
            }));
        }
        let sequence = object.downcast_ref::<PyList>().is_some() || object.downcast_ref::<PyTuple>().is_some();
        if sequence || object.check_buffer() && object.class().name().to_string() == "array.array" {
            return convert::array(object, None, vm).map(|it| Some(Self::made(it)));
        }
        Ok(None)
    }

    /// The same, for an argument that must be one.
    pub(super) fn required(object: &'a PyObject, vm: &VirtualMachine) -> PyResult<Self> {
        match Self::of(object, vm)? {
            Some(it) => Ok(it),
            None => convert::array(object, None, vm).map(Self::made),
        }
    }

    /// An array that nobody else has.
    pub(super) fn made(tensor: Tensor) -> Self {
        Self::Made(Box::new(tensor))
    }

    /// The same, whatever becomes of the object.
    pub(super) fn kept(self) -> Operand<'static> {
        match self {
            Self::Array(tensor) => Operand::made(tensor.clone()),
            Self::Made(tensor) => Operand::Made(tensor),
            Self::Weak(item) => Operand::Weak(item),
            Self::Later(value, kind) => Operand::Later(value, kind),
            Self::Big(float) => Operand::Big(float),
        }
    }

    /// The array that it is.
    #[inline]
    pub(super) fn array(&self) -> Option<&Tensor> {
        match self {
            Self::Array(tensor) => Some(tensor),
            Self::Made(tensor) => Some(tensor),
            Self::Weak(_) | Self::Later(..) | Self::Big(_) => None,
        }
    }

    fn kind(&self) -> Kind {
        match self {
            Self::Array(tensor) => tensor.dtype().kind(),
            Self::Made(tensor) => tensor.dtype().kind(),
            Self::Weak(Item::Bool(_)) => Kind::Bool,
            Self::Weak(Item::Int(_)) | Self::Big(_) => Kind::Int,
            Self::Weak(Item::Float(_)) => Kind::Float,
            Self::Later(_, kind) => *kind,
        }
    }

    fn strong(&self) -> Option<Dtype> {
        self.array().map(Tensor::dtype)
    }

    /// As a tensor of a dtype.
    pub(super) fn tensor(&self, dtype: Dtype, vm: &VirtualMachine) -> PyResult<Tensor> {
        match self {
            Self::Array(tensor) => as_dtype(tensor, dtype).or_raise(vm),
            Self::Made(tensor) => as_dtype(tensor, dtype).or_raise(vm),
            Self::Weak(item) => {
                check_range(*item, dtype, vm)?;
                make::full(dtype, &[], *item).or_raise(vm)
            }
            Self::Later(value, _) => trace::number(*value, dtype).or_raise(vm),
            Self::Big(float) if dtype.is_float() => make::full(dtype, &[], Item::Float(*float)).or_raise(vm),
            Self::Big(_) => Err(vm.new_overflow_error("Python int too large to convert to C long")),
        }
    }

    /// As a tensor of its own dtype.
    pub(super) fn own_tensor(&self, vm: &VirtualMachine) -> PyResult<Tensor> {
        self.tensor(common([self]), vm)
    }
}

/// An integer of Python does not wrap silently.
pub(super) fn check_range(item: Item, dtype: Dtype, vm: &VirtualMachine) -> PyResult<()> {
    match item {
        Item::Int(it) if dtype == Dtype::I32 && i32::try_from(it).is_err() => {
            Err(vm.new_overflow_error(format!("Python integer {it} out of bounds for int32")))
        }
        Item::Int(_) | Item::Bool(_) | Item::Float(_) => Ok(()),
    }
}

/// The dtype that operands are computed in.
pub(super) fn common<const N: usize>(operands: [&Operand<'_>; N]) -> Dtype {
    common_of(&operands)
}

/// The same for any number of them.
pub(super) fn common_of(operands: &[&Operand<'_>]) -> Dtype {
    let kind = operands.iter().map(|it| it.kind()).max().unwrap_or(Kind::Float);
    let strong = operands.iter().filter_map(|it| it.strong()).reduce(Dtype::promote);
    match strong {
        Some(dtype) if dtype.kind() >= kind => dtype,
        Some(_) | None => match kind {
            Kind::Bool => Dtype::Bool,
            Kind::Int => Dtype::I64,
            Kind::Float => Dtype::F64,
        },
    }
}

/// The dtype of a function of real numbers: integers become doubles.
pub(super) fn real(dtype: Dtype) -> Dtype {
    match dtype {
        Dtype::Bool | Dtype::I32 | Dtype::I64 => Dtype::F64,
        Dtype::F16 | Dtype::Bf16 | Dtype::F32 | Dtype::F64 => dtype,
    }
}

/// Where an array lies: "cpu", or the name of a device.
pub(super) fn place(tensor: &Tensor) -> String {
    match tensor.device() {
        Some(device) => device.name().to_owned(),
        None => tensor.home().unwrap_or(Home::HERE).to_string(),
    }
}
