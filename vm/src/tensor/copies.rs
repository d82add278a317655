//! `ImplicitCopyWarning`: elements are copied from a device, and the program did not ask for it.

use std::cell::RefCell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use rustpython_vm::builtins::{PyBaseExceptionRef, PyTypeRef};
use rustpython_vm::vm::thread::try_with_current_vm;
use rustpython_vm::{PyResult, VirtualMachine};
use snekpy_stage::tensor::device::{on_implicit_copy, while_compiling};

use super::quiet;
use crate::clock;

/// The class `snekpy.ImplicitCopyWarning`: one for the process, like the builtin classes.
pub(crate) fn warning_class(vm: &VirtualMachine) -> PyTypeRef {
    static CLASS: OnceLock<PyTypeRef> = OnceLock::new();
    let make = || {
        let base = vm.ctx.exceptions.runtime_warning.to_owned();
        let class = vm.ctx.new_exception_type("snekpy", "ImplicitCopyWarning", Some(vec![base]));
        class.set_attr(vm.ctx.intern_str("__doc__"), vm.ctx.new_str(DOC).into());
        class
    };
    CLASS.get_or_init(make).clone()
}

const DOC: &str = "Elements of an array on a device are copied to the CPU, because what the line does is done there. \
    x.to(\"cpu\") copies without a warning.";

/// What the names of the library's modules begin with.
pub(super) const LIBRARY: &str = "snekpy.numpy";

/// Whether there ever was a copy.
static COPIED: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// The warning, where it is an error, until somebody can raise it.
    static PENDING: RefCell<Option<PyBaseExceptionRef>> = const { RefCell::new(None) };
}

/// Warns of copies from here on, and tells the governor what is no part of a call.
pub(super) fn listen() {
    on_implicit_copy(told);
    while_compiling(|make| clock::uncounted(make));
}

/// Whether the program has been told, or need not be.
fn told(device: &str, bytes: usize) -> bool {
    COPIED.store(true, Ordering::Relaxed);
    let warned = try_with_current_vm(|vm| {
        let text =
            format!("{bytes} bytes are copied from {device} to the CPU; x.to(\"cpu\") does so without a warning");
        quiet::tell(&text, vm).map_or_else(|| warn(&text, vm).map(|()| true), Ok)
    });
    warned.unwrap_or(Ok(true)).unwrap_or_else(|error| {
        PENDING.with_borrow_mut(|pending| {
            pending.get_or_insert(error);
        });
        true
    })
}

/// At the line of the program that calls the library.
fn warn(text: &str, vm: &VirtualMachine) -> PyResult<()> {
    let mut level = 1;
    let mut frame = vm.current_frame();
    while let Some(it) = frame {
        let module = it.f_globals().get_item_opt("__name__", vm)?;
        let is_library =
            module.is_some_and(|name| name.str(vm).is_ok_and(|it| it.to_string_lossy().starts_with(LIBRARY)));
        if !is_library {
            break;
        }
        level += 1;
        frame = it.f_back(vm);
    }
    rustpython_vm::warn::warn(vm.ctx.new_str(text).into(), Some(warning_class(vm)), level, None, vm)
}

/// Whether there ever was such a copy in this process: then [`raise_pending`] may have something.
#[inline]
pub fn has_copied() -> bool {
    COPIED.load(Ordering::Relaxed)
}

/// Raises a warning that is an error.
///
/// # Errors
/// The warning.
pub fn raise_pending() -> PyResult<()> {
    PENDING.with_borrow_mut(Option::take).map_or(Ok(()), Err)
}
