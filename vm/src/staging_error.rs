//! `StagingError`: a refusal as Python sees it.

use std::sync::OnceLock;

use rustpython_vm::builtins::{PyBaseExceptionRef, PyTypeRef};
use rustpython_vm::{AsObject, PyObjectRef, VirtualMachine};

use crate::refusal::Refusal;

/// The class `snekpy.StagingError`.
///
/// One for the process, like the builtin classes: interpreters share their types.
pub(crate) fn class(vm: &VirtualMachine) -> PyTypeRef {
    static CLASS: OnceLock<PyTypeRef> = OnceLock::new();
    let make = || {
        let class = vm.ctx.new_exception_type("snekpy", "StagingError", None);
        class.set_attr(vm.ctx.intern_str("__doc__"), vm.ctx.new_str(DOC).into());
        class
    };
    CLASS.get_or_init(make).clone()
}

const DOC: &str = "A call cannot be staged, and it was not left to plain Python.

Raised before the call has done anything. Its attributes are code (such as 'S302'), message, help, file and
line.";

/// The exception of a refusal. It has the attributes `code`, `message`, `help`, `file` and `line`.
pub(crate) fn raise(refusal: &Refusal, vm: &VirtualMachine) -> PyBaseExceptionRef {
    let exception = vm.new_exception_msg(class(vm), refusal.to_string().into());
    let text = |text: &str| -> PyObjectRef { vm.ctx.new_str(text).into() };
    let place = refusal.places.first();
    let attributes = [
        ("code", text(refusal.code)),
        ("message", text(&refusal.message)),
        ("help", refusal.help.as_deref().map_or_else(|| vm.ctx.none(), text)),
        ("file", place.map_or_else(|| vm.ctx.none(), |place| text(&place.file))),
        ("line", place.map_or_else(|| vm.ctx.none(), |place| vm.ctx.new_int(place.line).into())),
    ];
    for (name, value) in attributes {
        if let Err(error) = exception.as_object().set_attr(name, value, vm) {
            return error;
        }
    }
    exception
}
