//! Whether something watches Python run: a debugger, a profiler, a coverage tool.

use rustpython_vm::VirtualMachine;

/// Whether this thread is traced or profiled, or a tool of `sys.monitoring` has asked for events. `except` names a
/// tool that does not count, and what it calls itself.
#[inline]
pub(crate) fn is_watched(except: (usize, &str), vm: &VirtualMachine) -> bool {
    vm.use_tracing.get() || vm.state.monitoring_events.load() != 0 && has_tool(except, vm)
}

#[cold]
fn has_tool((tool, name): (usize, &str), vm: &VirtualMachine) -> bool {
    let state = vm.state.monitoring.lock();
    let known = state.tool_names[tool].as_deref() == Some(name);
    let counts = |it: usize| !known || it != tool;
    let global = state.global_events.iter().enumerate().any(|(it, &events)| events != 0 && counts(it));
    global || state.local_events.iter().any(|(&(it, _), &events)| events != 0 && counts(it))
}
