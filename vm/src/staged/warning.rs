//! `StagedPlainlyWarning`: a staged function runs as plain Python for the most part.

use std::sync::OnceLock;
use std::sync::atomic::Ordering;

use rustpython_vm::PyResult;
use rustpython_vm::builtins::PyTypeRef;
use rustpython_vm::{AsObject, PyObjectRef, VirtualMachine};

use super::Staged;
use crate::callable::name_of;
use crate::exit::Resume;
use crate::refusal::Refusal;

/// The class `snekpy.StagedPlainlyWarning`: one for the process, like the builtin classes.
pub(crate) fn class(vm: &VirtualMachine) -> PyTypeRef {
    static CLASS: OnceLock<PyTypeRef> = OnceLock::new();
    let make = || {
        let base = vm.ctx.exceptions.runtime_warning.to_owned();
        let class = vm.ctx.new_exception_type("snekpy", "StagedPlainlyWarning", Some(vec![base]));
        class.set_attr(vm.ctx.intern_str("__doc__"), vm.ctx.new_str(DOC).into());
        class
    };
    CLASS.get_or_init(make).clone()
}

const DOC: &str =
    "A staged function runs as plain Python for the most part; the message says why, and what can be done.";

/// Says so.
pub(super) fn warn(staged: &Staged, vm: &VirtualMachine) -> PyResult<()> {
    let name = name_of(&staged.func, vm);
    let refusal = reason(staged).unwrap_or_else(|| {
        Refusal::new("S416", "calling compiled code costs more than it saves")
            .help("stage the function with the loop that calls it, or do not stage it")
    });
    let place = refusal.places.first().map_or_else(String::new, |it| format!(" at {}:{}", it.file, it.line));
    let help = refusal.help.as_ref().map_or_else(String::new, |help| format!("; help: {help}"));
    let what = format!("{}{place}: {}{help}", refusal.code, refusal.message);
    let text = format!("`{name}` is staged and runs mostly as plain Python: {what}");
    rustpython_vm::warn::warn(vm.ctx.new_str(text).into(), Some(class(vm)), 1, None, vm)
}

/// Says that what is staged calls a function by itself, so that nothing of it is compiled.
pub(super) fn warn_of_inside(callable: &PyObjectRef, vm: &VirtualMachine) -> PyResult<()> {
    let class = callable.class().name().to_string();
    let text = format!(
        "`{}` is staged and runs as plain Python: S400: this `{class}` calls its function by itself; \
         help: stage the function that it is made of, with @stage below the other decorator",
        name_of(callable, vm)
    );
    rustpython_vm::warn::warn(vm.ctx.new_str(text).into(), Some(self::class(vm)), 1, None, vm)
}

/// What most calls left compiled code for, or why there is none.
fn reason(staged: &Staged) -> Option<Refusal> {
    let (specialisations, _) = staged.cache.all();
    let count = |it: &&Resume| it.count.load(Ordering::Relaxed);
    let left = specialisations.iter().flat_map(|it| it.resumes()).max_by_key(count).filter(|it| count(it) > 0);
    let denied = || staged.last_refusal.lock().clone();
    left.map(|it| it.reason.clone()).or_else(denied)
}
