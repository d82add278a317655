//! Which objects are scalars to compiled code: bools, ints of 64 bits and floats, exactly of these classes; and what
//! cannot be told apart.

use rustpython_vm::builtins::{PyFloat, PyInt, PyRange};
use rustpython_vm::{AsObject, PyObject, PyObjectRef, VirtualMachine};
use snekpy_stage::op::Const;
use snekpy_stage::types::{MapType, Type};

/// The type of a bool, int of 64 bits or float, exactly of these classes.
pub(crate) fn scalar_type(object: &PyObject, vm: &VirtualMachine) -> Option<Type> {
    [Type::F64, Type::I64, Type::Bool].into_iter().find(|&ty| scalar_bits(object, ty, vm).is_some())
}

/// The slot of a number, if it is exactly of this type.
#[inline]
pub(crate) fn scalar_bits(value: &PyObject, ty: Type, vm: &VirtualMachine) -> Option<u64> {
    let class = value.class();
    let types = &vm.ctx.types;
    match ty {
        Type::F64 if class.is(types.float_type) => Some(value.downcast_ref::<PyFloat>()?.to_f64().to_bits()),
        Type::I64 if class.is(types.int_type) => {
            i64::try_from(value.downcast_ref::<PyInt>()?.as_bigint()).ok().map(i64::cast_unsigned)
        }
        Type::Bool if class.is(types.bool_type) => Some(u64::from(value.is(&vm.ctx.true_value))),
        Type::Bool
        | Type::I64
        | Type::F64
        | Type::Array(_)
        | Type::List(_)
        | Type::Map(_)
        | Type::Object(_)
        | Type::Tensor(_) => None,
    }
}

/// The constant behind a static bool, int of 64 bits or float, exactly of these classes.
pub(crate) fn constant(obj: &PyObject, vm: &VirtualMachine) -> Option<Const> {
    let class = obj.class();
    let types = &vm.ctx.types;
    if class.is(types.int_type) {
        let int = obj.downcast_ref::<PyInt>()?;
        i64::try_from(int.as_bigint()).ok().map(Const::I64)
    } else if class.is(types.float_type) {
        Some(Const::F64(obj.downcast_ref::<PyFloat>()?.to_f64()))
    } else if class.is(types.bool_type) {
        Some(Const::Bool(obj.is(&vm.ctx.true_value)))
    } else {
        None
    }
}

/// The number that a slot holds.
pub(crate) fn number_of(bits: u64, ty: Type, vm: &VirtualMachine) -> PyObjectRef {
    match ty {
        Type::Bool => vm.ctx.new_bool(bits != 0).into(),
        Type::F64 => vm.ctx.new_float(f64::from_bits(bits)).into(),
        Type::I64 | Type::Array(_) | Type::List(_) | Type::Map(_) | Type::Object(_) | Type::Tensor(_) => {
            vm.ctx.new_int(bits.cast_signed()).into()
        }
    }
}

/// What Python calls a type.
pub(crate) fn type_name(ty: Type) -> &'static str {
    match ty {
        Type::Bool => "bool",
        Type::I64 => "int",
        Type::F64 => "float",
        Type::Array(_) => "array",
        Type::List(_) => "list",
        Type::Map(MapType { value: Some(_), .. }) => "dict",
        Type::Map(MapType { value: None, .. }) => "set",
        Type::Object(_) => "object",
        Type::Tensor(_) => "ndarray",
    }
}

/// Whether two objects cannot be told apart: the same object, or the same number or text of the same class.
pub(crate) fn same(a: &PyObject, b: &PyObject, vm: &VirtualMachine) -> bool {
    if a.is(b) {
        return true;
    }
    let class = a.class();
    if !class.is(b.class()) {
        return false;
    }
    let types = &vm.ctx.types;
    if class.is(types.float_type) {
        // A NaN is the object that it is: containers find it by nothing else.
        let bits = |obj: &PyObject| {
            let float = obj.downcast_ref::<PyFloat>().map(|it| it.to_f64());
            float.filter(|it| !it.is_nan()).map(f64::to_bits)
        };
        bits(a).is_some() && bits(a) == bits(b)
    } else if class.is(types.int_type) || class.is(types.str_type) || class.is(types.bytes_type) {
        vm.bool_eq(a, b).unwrap_or(false)
    } else if let (Some(a), Some(b)) = (a.downcast_ref::<PyRange>(), b.downcast_ref::<PyRange>()) {
        let parts = |it: &PyRange| [it.start.clone(), it.stop.clone(), it.step.clone()];
        parts(a).iter().zip(&parts(b)).all(|(a, b)| a.as_bigint() == b.as_bigint())
    } else {
        false
    }
}

/// An int that is known now, if it is not too large to have to do with 64 bits.
pub(crate) fn known_int(object: &PyObject, vm: &VirtualMachine) -> Option<i128> {
    i128::try_from(object.downcast_ref_if_exact::<PyInt>(vm)?.as_bigint()).ok()
}
