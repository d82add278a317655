//! When nobody reads standard output any more: `snekpy program.py | head`.

use rustpython_vm::builtins::{PyBaseExceptionRef, PyStr};
use rustpython_vm::{AsObject, VirtualMachine};
use std::os::fd::AsRawFd;

/// Whether the program ended, or is about to end, because the reader of standard output has gone.
///
/// What is still in the buffer is written here, so that it is known now and not during the end.
pub(crate) fn reader_gone(vm: &VirtualMachine, exception: Option<&PyBaseExceptionRef>) -> bool {
    match exception {
        Some(exception) if is_broken_pipe(exception, vm) => names_stdout(exception, vm) || flush_breaks(vm),
        // The traceback of another exception matters more than where the output went.
        Some(_) => false,
        None => flush_breaks(vm),
    }
}

/// Points standard output at the null device, for what is still in its buffer.
pub(crate) fn silence_stdout() {
    if let Ok(null) = std::fs::OpenOptions::new().write(true).open("/dev/null") {
        // SAFETY: both descriptors are open, and the program that could close one has ended.
        unsafe { libc::dup2(null.as_raw_fd(), libc::STDOUT_FILENO) };
    }
}

fn is_broken_pipe(exception: &PyBaseExceptionRef, vm: &VirtualMachine) -> bool {
    exception.fast_isinstance(vm.ctx.exceptions.broken_pipe_error)
}

/// A broken pipe may also be a socket: RustPython names the stream.
fn names_stdout(exception: &PyBaseExceptionRef, vm: &VirtualMachine) -> bool {
    let filename = exception.as_object().get_attr("filename", vm);
    filename.is_ok_and(|it| it.downcast_ref::<PyStr>().is_some_and(|it| it.to_string_lossy() == "<stdout>"))
}

fn flush_breaks(vm: &VirtualMachine) -> bool {
    let Ok(stdout) = vm.sys_module.get_attr("stdout", vm) else { return false };
    if vm.is_none(&stdout) {
        return false;
    }
    vm.call_method(&stdout, "flush", ()).is_err_and(|exception| is_broken_pipe(&exception, vm))
}
