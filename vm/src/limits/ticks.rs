//! Counting ticks in plain Python: a hook on the events of `sys.monitoring`.
//!
//! RustPython rewrites the instructions that an event is about when a function begins, and calls what is registered
//! there. `PY_START` is `RESUME`, a `JUMP` is also one forward, which is not counted. Interpreters in which
//! ticks were never limited have no hook.

use rustpython_vm::builtins::PyInt;
use rustpython_vm::function::FuncArgs;
use rustpython_vm::{PyObjectRef, PyResult, VirtualMachine};

use super::{counts_ticks, out_of_ticks, tick};

/// Which tool of `sys.monitoring` this is: one that has no use of its own in Python's documents.
const TOOL: i32 = 4;
/// What it calls itself.
const NAME: &str = "snekpy";
/// The events: a function begins, and an unconditional jump.
const PY_START: i32 = 1;
const JUMP: i32 = 1 << 7;

/// Whether a `RESUME` with this argument begins a function, and does not go on after a `yield` or `await`.
#[must_use]
pub fn begins(arg: u32) -> bool {
    arg == 0
}

/// Whether something other than the counting of ticks watches Python run.
#[inline]
pub(crate) fn is_watched(vm: &VirtualMachine) -> bool {
    crate::host::watched::is_watched((TOOL as usize, NAME), vm)
}

/// Sets the hook in this interpreter, once.
///
/// # Errors
/// If `sys.monitoring` is not as it should be.
pub fn install(vm: &VirtualMachine) -> PyResult<()> {
    let monitoring = vm.sys_module.get_attr("monitoring", vm)?;
    let held = vm.call_method(&monitoring, "get_tool", (TOOL,))?;
    if !vm.is_none(&held) {
        return Ok(());
    }
    vm.call_method(&monitoring, "use_tool_id", (TOOL, NAME))?;
    let hook: PyObjectRef = vm.new_function("tick", on_event).into();
    for event in [PY_START, JUMP] {
        vm.call_method(&monitoring, "register_callback", (TOOL, event, hook.clone()))?;
    }
    vm.call_method(&monitoring, "set_events", (TOOL, PY_START | JUMP))?;
    // A program cannot take the tool away.
    for name in ["use_tool_id", "clear_tool_id", "free_tool_id", "register_callback", "set_events", "set_local_events"]
    {
        let name = vm.ctx.intern_str(name);
        let original = monitoring.get_attr(name, vm)?;
        let guarded = move |args: FuncArgs, vm: &VirtualMachine| {
            if args.args.first().and_then(number) == Some(i64::from(TOOL)) {
                return Err(vm.new_value_error(format!("tool {TOOL} counts the ticks of snekpy")));
            }
            original.call(args, vm)
        };
        monitoring.set_attr(name, vm.new_function(name.as_str(), guarded), vm)?;
    }
    Ok(())
}

/// The callback: of a code object and an offset, for a jump also where it leads.
fn on_event(args: FuncArgs, vm: &VirtualMachine) -> PyResult<()> {
    if !counts_ticks() {
        return Ok(());
    }
    if let [_, from, to] = args.args.as_slice()
        && number(from) < number(to)
    {
        return Ok(());
    }
    if tick() { Ok(()) } else { Err(out_of_ticks(vm)) }
}

fn number(object: &PyObjectRef) -> Option<i64> {
    i64::try_from(object.downcast_ref::<PyInt>()?.as_bigint()).ok()
}
