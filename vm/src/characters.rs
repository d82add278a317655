//! What texts and bytes that are known now consist of.

use rustpython_vm::builtins::{PyBytes, PyStr};
use rustpython_vm::common::wtf8::CodePoint;
use rustpython_vm::convert::ToPyObject;
use rustpython_vm::{PyObjectRef, VirtualMachine};

/// What is at an index of a `str` or `bytes`.
#[derive(Clone, Copy)]
pub(crate) enum Unit {
    Character,
    Number,
}

/// The code point of a text of one character.
pub(crate) fn only_point(text: &PyStr) -> Option<CodePoint> {
    let mut points = text.as_wtf8().code_points();
    points.next().filter(|_| points.next().is_none())
}

/// What a `str` or `bytes` consists of that is known now: code points, or numbers.
pub(crate) fn units(object: &PyObjectRef, vm: &VirtualMachine) -> Option<(Vec<i64>, Unit)> {
    match object.downcast_ref_if_exact::<PyBytes>(vm) {
        Some(bytes) => Some((bytes.as_bytes().iter().map(|&it| it.into()).collect(), Unit::Number)),
        None => points(object, vm).map(|it| (it, Unit::Character)),
    }
}

/// The code points of a `str` that is known now.
pub(crate) fn points(object: &PyObjectRef, vm: &VirtualMachine) -> Option<Vec<i64>> {
    let text = object.downcast_ref_if_exact::<PyStr>(vm)?;
    Some(text.as_wtf8().code_points().map(|it| it.to_u32().into()).collect())
}

/// The character of a code point.
pub(crate) fn character(code: u64, vm: &VirtualMachine) -> Option<PyObjectRef> {
    Some(CodePoint::from_u32(u32::try_from(code).ok()?)?.to_pyobject(vm))
}
