//! The Python function behind a callable: what it puts before the arguments, and whether it can be staged.

use rustpython_vm::builtins::PyType;
use rustpython_vm::bytecode::CodeFlags;
use rustpython_vm::{AsObject, PyObjectRef, PyResult, VirtualMachine};

use super::StageOptions;
use crate::callable::name_of;
use crate::callable::{refuse, unwrap};
use crate::host;
use crate::refusal::Refusal;
use crate::staging_error;

/// Whether a native object calls a Python function by itself, when it likes: a cache, say.
pub(super) fn calls_inside(callable: &PyObjectRef, vm: &VirtualMachine) -> bool {
    let is_class = callable.downcast_ref::<PyType>().is_some();
    !is_class
        && callable.is_callable()
        && callable
            .get_attr("__wrapped__", vm)
            .is_ok_and(|inside| unwrap(&inside, vm).is_ok() || !inside.is(callable) && calls_inside(&inside, vm))
}

/// What can be known to be impossible before the first call.
pub(super) fn check(func: &PyObjectRef, vm: &VirtualMachine) -> PyResult<()> {
    let Some(code) = host::function::code(func, vm) else { return Err(refuse(func, vm)) };
    let flags = code.code.flags;
    let name = name_of(func, vm);
    let (what, help) = if flags.intersects(CodeFlags::COROUTINE | CodeFlags::ASYNC_GENERATOR) {
        ("a coroutine", "stage the function that it calls to compute")
    } else if flags.contains(CodeFlags::GENERATOR) {
        ("a generator", "return a tuple or a list")
    } else {
        return Ok(());
    };
    let mut refusal = Refusal::new("S200", format!("`{name}` is {what}, which cannot be staged yet")).help(help);
    let line = code.code.first_line_number.map_or(1, |line| line.get() as u32);
    let file = code.code.source_path.as_str().to_owned();
    refusal.places.push(crate::refusal::Place { file, line, column: 1, end: (line, 1), func: name });
    Err(staging_error::raise(&refusal, vm))
}

/// Whether `static=` names parameters that there are.
pub(super) fn check_statics(func: &PyObjectRef, options: &StageOptions, vm: &VirtualMachine) -> PyResult<()> {
    let Some(code) = host::function::code(func, vm) else { return Err(refuse(func, vm)) };
    let count = code.code.arg_count as usize + code.code.kwonlyarg_count as usize;
    let names = &code.code.varnames[..count];
    match options.statics.iter().find(|it| !names.iter().any(|name| name.as_str() == it.as_str())) {
        Some(unknown) => {
            let name = name_of(func, vm);
            Err(vm.new_type_error(format!("static= names `{unknown}`, and `{name}` has no such parameter")))
        }
        None => Ok(()),
    }
}
