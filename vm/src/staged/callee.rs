//! The Python function behind a callable: what it puts before the arguments, and whether it can be staged.

use rustpython_vm::builtins::{PyBaseExceptionRef, PyDictRef, PyStrRef, PyTupleRef, PyType};
use rustpython_vm::bytecode::CodeFlags;
use rustpython_vm::function::FuncArgs;
use rustpython_vm::{AsObject, PyObject, PyObjectRef, PyResult, VirtualMachine};

use super::{StageOptions, name_of, wrapped};
use crate::gradient::Custom;
use crate::host;
use crate::refusal::Refusal;
use crate::staging_error;

/// The arguments that a bound method, an object with `__call__` or a `functools.partial` puts before those
/// of a call.
#[derive(Debug, Default)]
pub(crate) struct Brought {
    pub(crate) args: Vec<PyObjectRef>,
    pub(crate) keywords: Vec<(PyStrRef, PyObjectRef)>,
}

impl Brought {
    /// How many of them are positional.
    pub(crate) fn positional(&self) -> usize {
        self.args.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.args.is_empty() && self.keywords.is_empty()
    }

    /// Puts them before the arguments of a call, whose keywords win.
    pub(crate) fn add_to(&self, args: &mut FuncArgs) {
        args.args.splice(..0, self.args.iter().cloned());
        let given = std::mem::take(&mut args.kwargs);
        let brought = self.keywords.iter().map(|(name, value)| (name.as_wtf8().to_owned(), value.clone()));
        args.kwargs.extend(brought.chain(given));
    }
}

/// The Python function behind a callable, and the arguments that the callable puts before all others.
pub(crate) fn unwrap(callable: &PyObjectRef, vm: &VirtualMachine) -> PyResult<(PyObjectRef, Brought)> {
    if host::function::is_function(callable, vm) {
        return Ok((callable.clone(), Brought::default()));
    }
    if let Some((inner, _)) = wrapped(callable) {
        return unwrap(&inner, vm);
    }
    if callable.downcast_ref::<Custom>().is_some() {
        let calling = crate::capture::helpers::named("calling", vm)?;
        return Ok((calling.call((callable.clone(),), vm)?, Brought::default()));
    }
    if let Some((func, receiver)) = host::function::unpack_bound_method(callable, vm) {
        let (func, mut before) = unwrap(&func, vm)?;
        before.args.push(receiver);
        return Ok((func, before));
    }
    if let Some(found) = unwrap_partial(callable, vm)? {
        return Ok(found);
    }
    if callable.downcast_ref::<PyType>().is_none()
        && let Some(call) = callable.class().get_attr(vm.ctx.intern_str("__call__"))
        && (host::function::is_function(&call, vm) || wrapped(&call).is_some())
    {
        let (func, mut before) = unwrap(&call, vm)?;
        before.args.push(callable.clone());
        return Ok((func, before));
    }
    Err(refuse(callable, vm))
}

/// Whether a native object calls a Python function by itself, when it likes: a cache, say.
pub(super) fn calls_inside(callable: &PyObjectRef, vm: &VirtualMachine) -> bool {
    let is_class = callable.downcast_ref::<PyType>().is_some();
    !is_class
        && callable.is_callable()
        && callable
            .get_attr("__wrapped__", vm)
            .is_ok_and(|inside| unwrap(&inside, vm).is_ok() || !inside.is(callable) && calls_inside(&inside, vm))
}

/// What a `functools.partial` calls, and with what.
fn unwrap_partial(callable: &PyObjectRef, vm: &VirtualMachine) -> PyResult<Option<(PyObjectRef, Brought)>> {
    // A partial has been made by the module, which is there then.
    let Ok(functools) = vm.sys_module.get_attr("modules", vm)?.get_item("functools", vm) else { return Ok(None) };
    if !functools.get_attr("partial", vm).is_ok_and(|class| class.is(callable.class())) {
        return Ok(None);
    }
    let (func, mut before) = unwrap(&callable.get_attr("func", vm)?, vm)?;
    let args: PyTupleRef = callable.get_attr("args", vm)?.try_into_value(vm)?;
    let placeholder = functools.get_attr("Placeholder", vm).ok();
    if args.iter().any(|arg| placeholder.as_ref().is_some_and(|it| it.is(arg))) {
        let refusal = Refusal::new("S400", "stage() cannot take a `partial` with a placeholder among its arguments");
        return Err(staging_error::raise(&refusal.help("stage a function that calls it"), vm));
    }
    before.args.extend(args.iter().cloned());
    let keywords: PyDictRef = callable.get_attr("keywords", vm)?.try_into_value(vm)?;
    for (name, value) in &keywords {
        let name: PyStrRef = name.try_into_value(vm)?;
        before.keywords.retain(|(it, _)| it.as_wtf8() != name.as_wtf8());
        before.keywords.push((name, value));
    }
    Ok(Some((func, before)))
}

pub(super) fn refuse(callable: &PyObject, vm: &VirtualMachine) -> PyBaseExceptionRef {
    let what = if callable.downcast_ref::<PyType>().is_some() { "a class" } else { "no Python function" };
    let class = callable.class().name().to_string();
    let message = format!("stage() takes a Python function, and this `{class}` is {what}");
    staging_error::raise(&Refusal::new("S400", message).help("stage a function that calls it"), vm)
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
