//! Python's operators on arrays.

use rustpython_vm::protocol::{PyNumber, PyNumberMethods};
use rustpython_vm::types::AsNumber;
use rustpython_vm::{PyObject, PyObjectRef, PyResult, VirtualMachine};
use snekpy_stage::tensor::elementwise::{Bits1, Bits2, Cmp, Num1, Num2, Real2};
use snekpy_stage::tensor::{Item, Kind, Tensor, cast};

use super::array::{NdArray, check_writable};
use super::convert;
use super::error::OrRaise;
use super::operand::Operand;
use super::ufunc::{self, One, Two};

impl AsNumber for NdArray {
    fn as_number() -> &'static PyNumberMethods {
        static METHODS: PyNumberMethods = PyNumberMethods {
            add: Some(|a, b, vm| binary(Two::Num(Num2::Add), a, b, vm)),
            subtract: Some(|a, b, vm| binary(Two::Num(Num2::Sub), a, b, vm)),
            multiply: Some(|a, b, vm| binary(Two::Num(Num2::Mul), a, b, vm)),
            remainder: Some(|a, b, vm| binary(Two::Num(Num2::Mod), a, b, vm)),
            divmod: Some(|a, b, vm| {
                let quotient = binary(Two::Num(Num2::FloorDiv), a, b, vm)?;
                Ok(vm.ctx.new_tuple(vec![quotient, binary(Two::Num(Num2::Mod), a, b, vm)?]).into())
            }),
            power: Some(|a, b, modulus, vm| {
                if vm.is_none(modulus) { binary(Two::Num(Num2::Pow), a, b, vm) } else { Ok(vm.ctx.not_implemented()) }
            }),
            floor_divide: Some(|a, b, vm| binary(Two::Num(Num2::FloorDiv), a, b, vm)),
            true_divide: Some(|a, b, vm| binary(Two::Real(Real2::Div), a, b, vm)),
            matrix_multiply: Some(|a, b, vm| match (Operand::of(a, vm)?, Operand::of(b, vm)?) {
                (Some(a), Some(b)) => ufunc::matmul(&a, &b, vm).map(|it| NdArray::new(it, vm)),
                _ => Ok(vm.ctx.not_implemented()),
            }),
            lshift: Some(|a, b, vm| binary(Two::Bits(Bits2::Left), a, b, vm)),
            rshift: Some(|a, b, vm| binary(Two::Bits(Bits2::Right), a, b, vm)),
            and: Some(|a, b, vm| binary(Two::Bits(Bits2::And), a, b, vm)),
            xor: Some(|a, b, vm| binary(Two::Bits(Bits2::Xor), a, b, vm)),
            or: Some(|a, b, vm| binary(Two::Bits(Bits2::Or), a, b, vm)),
            inplace_add: Some(|a, b, vm| in_place(Two::Num(Num2::Add), a, b, vm)),
            inplace_subtract: Some(|a, b, vm| in_place(Two::Num(Num2::Sub), a, b, vm)),
            inplace_multiply: Some(|a, b, vm| in_place(Two::Num(Num2::Mul), a, b, vm)),
            inplace_remainder: Some(|a, b, vm| in_place(Two::Num(Num2::Mod), a, b, vm)),
            inplace_power: Some(|a, b, _, vm| in_place(Two::Num(Num2::Pow), a, b, vm)),
            inplace_floor_divide: Some(|a, b, vm| in_place(Two::Num(Num2::FloorDiv), a, b, vm)),
            inplace_true_divide: Some(|a, b, vm| in_place(Two::Real(Real2::Div), a, b, vm)),
            inplace_lshift: Some(|a, b, vm| in_place(Two::Bits(Bits2::Left), a, b, vm)),
            inplace_rshift: Some(|a, b, vm| in_place(Two::Bits(Bits2::Right), a, b, vm)),
            inplace_and: Some(|a, b, vm| in_place(Two::Bits(Bits2::And), a, b, vm)),
            inplace_xor: Some(|a, b, vm| in_place(Two::Bits(Bits2::Xor), a, b, vm)),
            inplace_or: Some(|a, b, vm| in_place(Two::Bits(Bits2::Or), a, b, vm)),
            inplace_matrix_multiply: Some(|a, b, vm| {
                let Some(b) = Operand::of(b, vm)? else { return Ok(vm.ctx.not_implemented()) };
                let array = this(a);
                check_writable(&array.tensor, vm)?;
                let product = ufunc::matmul(&Operand::Array(&array.tensor), &b, vm)?;
                cast::assign(&array.tensor, &product).or_raise(vm)?;
                Ok(a.to_owned())
            }),
            negative: Some(|a, vm| unary(One::Num(Num1::Neg), &a, vm)),
            positive: Some(|a, vm| unary(One::Positive, &a, vm)),
            absolute: Some(|a, vm| unary(One::Num(Num1::Abs), &a, vm)),
            invert: Some(|a, vm| unary(One::Bits(Bits1::Not), &a, vm)),
            boolean: Some(|a, vm| truth(&this(a.obj).tensor, vm)),
            int: Some(|a, vm| {
                let object = convert::item(scalar(&a, vm)?, vm);
                Ok(object.try_int(vm)?.into())
            }),
            float: Some(|a, vm| Ok(vm.ctx.new_float(scalar(&a, vm)?.float()).into())),
            index: Some(|a, vm| match (this(a.obj).tensor.dtype().kind(), single(&this(a.obj).tensor, vm)?) {
                (Kind::Int, Some(Item::Int(it))) => Ok(vm.ctx.new_int(it).into()),
                _ => Err(vm.new_type_error("only integer scalar arrays can be converted to a scalar index")),
            }),
        };
        &METHODS
    }
}

/// The receiver of a slot.
fn this(object: &PyObject) -> &NdArray {
    object.downcast_ref::<NdArray>().expect("a slot of the class is called with an instance")
}

/// The element of an array without axes. One on a device is copied, and what that has to say is raised here.
pub(super) fn single(tensor: &Tensor, vm: &VirtualMachine) -> PyResult<Option<Item>> {
    let item = if tensor.rank() == 0 { tensor.only_item() } else { None };
    super::error::settle(vm).map(|()| item)
}

/// The same, where there must be one.
fn scalar(number: &PyNumber<'_>, vm: &VirtualMachine) -> PyResult<Item> {
    let wrong = || vm.new_type_error("only 0-dimensional arrays can be converted to Python scalars");
    single(&this(number.obj).tensor, vm)?.ok_or_else(wrong)
}

/// Whether an array holds, which only one with a single element says.
fn truth(tensor: &Tensor, vm: &VirtualMachine) -> PyResult<bool> {
    match tensor.only_item() {
        Some(item) => super::error::settle(vm).map(|()| item.truth()),
        None if tensor.count() == 0 => Err(vm.new_value_error(
            "The truth value of an empty array is ambiguous. Use `array.size > 0` to check that an array is not empty.",
        )),
        None => Err(vm.new_value_error(
            "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()",
        )),
    }
}

fn binary(function: Two, a: &PyObject, b: &PyObject, vm: &VirtualMachine) -> PyResult {
    match (Operand::of(a, vm)?, Operand::of(b, vm)?) {
        (Some(a), Some(b)) => ufunc::two(function, &a, &b, vm).map(|it| NdArray::new(it, vm)),
        _ => Ok(vm.ctx.not_implemented()),
    }
}

fn unary(function: One, number: &PyNumber<'_>, vm: &VirtualMachine) -> PyResult {
    let operand = Operand::Array(&this(number.obj).tensor);
    ufunc::one(function, &operand, vm).map(|it| NdArray::new(it, vm))
}

/// Into the memory of the first, for all who share it. One without axes stands for a scalar of NumPy, which never changes:
/// of it, another one is made.
fn in_place(function: Two, a: &PyObject, b: &PyObject, vm: &VirtualMachine) -> PyResult {
    if this(a).tensor.rank() == 0 {
        return binary(function, a, b, vm);
    }
    let Some(b) = Operand::of(b, vm)? else { return Ok(vm.ctx.not_implemented()) };
    let array = this(a);
    check_writable(&array.tensor, vm)?;
    ufunc::two_into(function, &array.tensor, &Operand::Array(&array.tensor), &b, vm)?;
    Ok(a.to_owned())
}

/// A comparison, element by element.
pub(super) fn compare(op: Cmp, a: &PyObject, b: &PyObject, vm: &VirtualMachine) -> PyResult<PyObjectRef> {
    match (Operand::of(a, vm)?, Operand::of(b, vm)?) {
        (Some(a), Some(b)) => ufunc::two(Two::Cmp(op), &a, &b, vm).map(|it| NdArray::new(it, vm)),
        _ => Ok(vm.ctx.not_implemented()),
    }
}
