//! Who makes a weak reference is heard of.

use std::sync::OnceLock;

use rustpython_vm::function::FuncArgs;
use rustpython_vm::{Context, PyObject, PyResult, VirtualMachine, builtins::PyTypeRef};

type New = fn(PyTypeRef, FuncArgs, &VirtualMachine) -> PyResult;

static NEW: OnceLock<Option<New>> = OnceLock::new();
static LISTENER: OnceLock<fn(&PyObject)> = OnceLock::new();

/// Tells `listener` of each object that `weakref.ref`, or a class derived from it, has made a reference to.
pub fn listen(ctx: &Context, listener: fn(&PyObject)) {
    let slots = &ctx.types.weakref_type.slots;
    NEW.get_or_init(|| slots.new.load());
    LISTENER.get_or_init(|| listener);
    slots.new.store(Some(made));
}

fn made(class: PyTypeRef, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    let referent = args.args.first().cloned();
    let Some(Some(new)) = NEW.get() else { return Err(vm.new_type_error("weak references cannot be made")) };
    let reference = new(class, args, vm)?;
    if let (Some(referent), Some(listener)) = (referent, LISTENER.get()) {
        listener(&referent);
    }
    Ok(reference)
}
