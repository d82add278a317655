//! What an object is to compiled code: a number, or a handle; and what is learnt of what a place gives.

use rustpython_vm::{PyObject, PyObjectRef, VirtualMachine};
use snekpy_stage::types::{Class, Type};

use super::class::class_number;
use super::class::number::{DEFAULTDICT, DEQUE, DICT, LIST, NDARRAY, OWN_ITERATOR, SET, STR};
use super::end::ends_noticed;
use super::python;
use super::rows::Rows;
use crate::code::Seen;
use crate::scalar::{scalar_bits, scalar_type};

/// What an object is to compiled code.
pub(crate) enum Slot {
    /// A number of the type.
    Bits(u64),
    /// Code may have a handle of it.
    Handle,
    /// It is of another type.
    Other,
    /// The program notices its end.
    Noticed,
}

/// The type of an object, if better code can be made for that.
pub(crate) fn type_to_know(object: &PyObject, vm: &VirtualMachine) -> Option<Type> {
    let known = || {
        let native = Some(class_number(object.class(), vm)).filter(|it| is_worth_knowing(*it));
        native.or_else(|| Some(python::number_of(object.class(), vm))).filter(|it| *it != Class::ANY)
    };
    scalar_type(object, vm).or_else(|| known().map(Type::Object))
}

/// What an object is where one of this type is given.
#[inline]
pub(crate) fn slot(object: &PyObjectRef, ty: Type, seen: &Seen, rows: &Rows, vm: &VirtualMachine) -> Slot {
    let Type::Object(class) = ty else { return scalar_bits(object, ty, vm).map_or(Slot::Other, Slot::Bits) };
    if class == Class::ANY {
        if !seen.is_settled() {
            seen.note(type_to_know(object, vm));
        }
    } else if class == OWN_ITERATOR {
        // It was made of operands that code has handles of: nothing else holds what it alone holds.
        return Slot::Handle;
    } else if !is_of(object, class, vm) {
        return Slot::Other;
    }
    match ends_noticed(object, 1, rows, vm) {
        true => Slot::Noticed,
        false => Slot::Handle,
    }
}

/// Whether an object is of the class of a number.
#[inline]
pub(crate) fn is_of(object: &PyObject, class: Class, vm: &VirtualMachine) -> bool {
    python::is_of(object, class).unwrap_or_else(|| class_number(object.class(), vm) == class)
}

/// Whether better code can be made for objects of a class.
const fn is_worth_knowing(class: Class) -> bool {
    matches!(class, STR | NDARRAY | LIST | DICT | SET | DEQUE | DEFAULTDICT)
}
