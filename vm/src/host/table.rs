//! The tables of dicts and sets.
//!
//! An iterator over one knows its table by its size and its holes, which nothing but its own history gives it. So an
//! object that is to be again what it was keeps its table, and what is done to it meanwhile is done to another.

use rustpython_vm::builtins::{PyDict, PyDictRef, PySet};
use rustpython_vm::{AsObject, PyObject, PyObjectRef, PyPayload, PyRef, VirtualMachine};

/// A table that a dict or a set has put aside, or the one that it is to have in exchange.
#[derive(Debug)]
pub(crate) enum Table {
    Dict { of: PyDictRef, aside: PyDictRef },
    Set { of: PyRef<PySet>, aside: PyRef<PySet> },
}

impl Table {
    /// Puts the table of an object aside: it goes on with a copy of it. `None` if it is no dict and no set.
    pub(crate) fn put_aside(object: &PyObject, vm: &VirtualMachine) -> Option<Self> {
        let object: PyObjectRef = object.to_owned();
        let mut table = match object.downcast::<PyDict>() {
            Ok(of) => {
                let aside = of.copy().into_ref(&vm.ctx);
                Self::Dict { of, aside }
            }
            Err(object) => {
                let of = object.downcast::<PySet>().ok()?;
                // The method is native, and runs nothing else.
                let copy = vm.ctx.types.set_type.as_object().get_attr("copy", vm).ok()?;
                let aside = copy.call((of.clone(),), vm).ok()?.downcast::<PySet>().ok()?;
                Self::Set { of, aside }
            }
        };
        table.exchange();
        Some(table)
    }

    /// Gives the object the table that is aside, and puts aside what it has.
    pub(crate) fn exchange(&mut self) {
        match self {
            // SAFETY: as below.
            Self::Dict { of, aside } => unsafe { swap(payload(of), payload(aside)) },
            // SAFETY: no other thread of Python runs while objects are changed for a capture (`threads::Still`),
            // nothing of this thread is at work on either object, and they are not the same one.
            Self::Set { of, aside } => unsafe { swap(payload(of), payload(aside)) },
        }
    }
}

/// Swaps what two objects hold: their tables, with the locks of these.
///
/// # Safety
/// Nobody reads or writes either of them meanwhile, and they are two.
unsafe fn swap<T>(one: *mut T, other: *mut T) {
    // SAFETY: both are valid, aligned and distinct, and nobody else looks, which is what is asked for above.
    unsafe { std::ptr::swap_nonoverlapping(one, other, 1) };
}

/// What an object holds, by the pointer that its memory was allocated with: what is behind a reference must not change, and
/// optimised code relies on it.
fn payload<T: PyPayload>(object: &PyRef<T>) -> *mut T {
    let whole = PyObjectRef::from(object.clone()).into_raw();
    // SAFETY: it was taken apart right here.
    drop(unsafe { PyObjectRef::from_raw(whole) });
    let offset = std::ptr::from_ref::<T>(object).addr() - whole.addr().get();
    // SAFETY: the payload is inside of the object.
    unsafe { whole.cast::<u8>().add(offset).cast::<T>() }.as_ptr()
}
