//! Tracebacks for code that RustPython's evaluator did not run.
//!
//! A traceback entry needs a frame, and frames can be made by RustPython alone. The one public way
//! to a frame that has not run is a generator: calling a generator function makes the frame and
//! stops. So the code object is copied with the generator flag set, a function of the copy is
//! called, its frame is taken, and the generator is closed before it ever ran, which detaches the
//! frame and runs nothing. Locals are emptied: an entry keeps no object of the user's alive except
//! the module's namespace.
//!
//! What is visible of the trick: `tb_frame.f_code` is a copy that differs in `co_flags`, `f_locals`
//! is empty, and `f_back` is `None`. Printed tracebacks and the `traceback` module show none of it.

use super::{cell::new_cell, function::make_function};
use rustpython_vm::{
    AsObject, Py, PyObjectRef, PyPayload, PyRef, PyResult, VirtualMachine,
    builtins::{PyBaseException, PyBaseExceptionRef, PyCode, PyDictRef, PyGenerator, PyTraceback},
    bytecode::{CodeFlags, oparg::MakeFunctionFlag},
    common::lock::PyMutex,
    frame::FrameObjectRef,
    function::{Callee, FuncArgs},
};
use std::{collections::HashMap, sync::LazyLock};

/// A place in Python code.
#[derive(Clone, Debug)]
pub struct TraceEntry {
    /// The code.
    pub code: PyRef<PyCode>,
    /// The namespace of its module.
    pub globals: PyDictRef,
    /// Index of the instruction's code unit (of the opcode itself, not of an EXTENDED_ARG before it).
    pub unit: u32,
}

/// Adds entries to the traceback of an exception, as if it had just left these frames.
///
/// `innermost_first` is the order of unwinding: the frame that raised comes first, the outermost one
/// last. What the traceback already has is further inside than all of them.
pub fn add_traceback(exc: &PyBaseExceptionRef, innermost_first: &[TraceEntry], vm: &VirtualMachine) -> PyResult<()> {
    for entry in innermost_first {
        let unit = entry.unit as usize;
        let Some((start, _)) = entry.code.locations.get(unit) else {
            return Err(vm.new_system_error(format!("{} has no instruction {unit}", entry.code.qualname)));
        };
        let frame = detached_frame(&entry.code, entry.globals.clone(), vm)?;
        frame.set_lasti(entry.unit + 1);
        let next = exc.__traceback__();
        let traceback = PyTraceback::new(next, frame, entry.unit as i32 * 2, start.line);
        exc.set_traceback(Some(traceback.into_ref(&vm.ctx)));
    }
    Ok(())
}

/// Takes the entries out of the traceback of an exception whose code is not to be kept.
pub fn retain(exc: &PyBaseExceptionRef, keep: impl Fn(&PyCode) -> bool) {
    let all = std::iter::successors(exc.__traceback__(), |entry| entry.next.lock().clone());
    let (kept, hidden): (Vec<_>, Vec<_>) = all.partition(|entry| keep(entry.frame.iframe().code()));
    if hidden.is_empty() {
        return;
    }
    for (index, entry) in kept.iter().enumerate() {
        *entry.next.lock() = kept.get(index + 1).cloned();
    }
    exc.set_traceback(kept.first().cloned());
}

/// Sets `__context__` of an exception that is being raised to the one that is being handled.
///
/// The port of `VirtualMachine::contextualize_exception` (`rustpython-vm` 0.6.0, `vm/mod.rs`): an
/// exception is never its own context, and a chain that would become a circle is cut.
pub fn raise_context(exc: &Py<PyBaseException>, vm: &VirtualMachine) {
    let Some(handled) = handled_exception(vm) else { return };
    if handled.is(exc) {
        return;
    }
    // Floyd's algorithm: `slow` takes one step for two of `fast`, and they meet on an existing circle.
    let mut fast = handled.clone();
    let mut slow = handled.clone();
    let mut slow_steps = false;
    while let Some(context) = fast.__context__() {
        if context.is(exc) {
            fast.set_context(None);
            break;
        }
        fast = context;
        if fast.is(&slow) {
            break;
        }
        if slow_steps && let Some(context) = slow.__context__() {
            slow = context;
        }
        slow_steps = !slow_steps;
    }
    exc.set_context(Some(handled));
}

/// The exception that is being handled, in this frame or one further out: `sys.exception()`.
pub fn handled_exception(vm: &VirtualMachine) -> Option<PyBaseExceptionRef> {
    // `current_exception` looks at the innermost level only; the rest of the stack is private, but
    // `sys.exception` answers from it. It is taken from the module's definition, where no program
    // can have replaced it.
    vm.current_exception().or_else(|| {
        let def = vm.sys_module.def.expect("sys is a native module");
        let method = def.methods.iter().find(|method| method.name == "exception").expect("sys defines `exception`");
        let exc = (method.func)(vm, FuncArgs::default(), Callee::named(method.name)).ok()?;
        exc.downcast().ok()
    })
}

/// A frame of this code that no evaluator runs or has run, with no locals bound.
pub fn detached_frame(code: &PyRef<PyCode>, globals: PyDictRef, vm: &VirtualMachine) -> PyResult<FrameObjectRef> {
    let template = template(code, vm);
    let mut attributes = Vec::new();
    if !template.freevars.is_empty() {
        let cells = template.freevars.iter().map(|_| new_cell(None, vm)).collect();
        attributes.push((MakeFunctionFlag::Closure, vm.ctx.new_tuple(cells).into()));
    }
    let generator = make_function(template, globals, &attributes, vm)?.call((), vm)?;
    let frame: FrameObjectRef =
        generator.get_attr("gi_frame", vm)?.downcast().expect("a generator that has not run has its frame");
    // Without this, dropping the generator would throw GeneratorExit into the frame, at the place
    // that `set_lasti` names: the user's `finally` blocks would run.
    let coroutine = generator.downcast_ref::<PyGenerator>().expect("code with the generator flag makes generators");
    coroutine.as_coro().close(&generator, vm)?;
    // SAFETY: the frame was made above, its generator is closed, and nobody else has it.
    let locals = unsafe { frame.fastlocals_mut() };
    let cells: Vec<Option<PyObjectRef>> = locals.iter_mut().map(Option::take).collect();
    drop(cells);
    Ok(frame)
}

/// Copies of code objects that make detached frames, by the address of the original, which is kept
/// alive beside its copy so that the address stays taken.
type Templates = HashMap<usize, (PyRef<PyCode>, PyRef<PyCode>)>;

/// Programs raise from a few places over and over; past this many the table starts afresh.
const MAX_TEMPLATES: usize = 256;

/// A copy of the code that is a generator without parameters.
fn template(code: &PyRef<PyCode>, vm: &VirtualMachine) -> PyRef<PyCode> {
    static TEMPLATES: LazyLock<PyMutex<Templates>> = LazyLock::new(PyMutex::default);
    let key = code.get_id();
    if let Some((_, template)) = TEMPLATES.lock().get(&key) {
        return template.clone();
    }
    let mut copy = code.code.clone();
    copy.flags.remove(CodeFlags::VARARGS | CodeFlags::VARKEYWORDS);
    copy.flags.remove(CodeFlags::COROUTINE | CodeFlags::ITERABLE_COROUTINE | CodeFlags::ASYNC_GENERATOR);
    // Module and class bodies share their namespace with the frame; a frame with its own shows none
    // of it, and needs none.
    copy.flags.insert(CodeFlags::GENERATOR | CodeFlags::OPTIMIZED | CodeFlags::NEWLOCALS);
    (copy.posonlyarg_count, copy.arg_count, copy.kwonlyarg_count) = (0, 0, 0);
    let template = PyCode::new_ref_with_bag(vm, copy);
    let mut templates = TEMPLATES.lock();
    let old = if templates.len() >= MAX_TEMPLATES { std::mem::take(&mut *templates) } else { Templates::new() };
    templates.insert(key, (code.clone(), template.clone()));
    drop(templates);
    // Released after the lock: dropping code can drop anything that its constants hold.
    drop(old);
    template
}

#[cfg(test)]
mod tests;
