//! Machines that can be woken while they run plain Python.
//!
//! RustPython runs what comes through a channel between two instructions, if the machine has a channel and handlers
//! of signals. Only the machine of the main thread is given both by public means: others are made by
//! `new_thread`, which gives them neither and hides them in a [`ThreadedVirtualMachine`].

use rustpython_vm::VirtualMachine;
use rustpython_vm::signal::{UserSignalSender, user_signal_channel};
use rustpython_vm::vm::thread::ThreadedVirtualMachine;

/// Lets a machine that nobody uses be woken by what is sent. `None` if this version of RustPython hides
/// the machine in another way.
pub fn alarm(machine: &mut ThreadedVirtualMachine) -> Option<UserSignalSender> {
    let (sender, receiver) = user_signal_channel();
    // `getsignal` makes the table of handlers, which stays empty.
    let (address, has_table) = machine.run(|vm| {
        let table = vm.import("_signal", 0).and_then(|module| vm.call_method(&module, "getsignal", (2,)));
        (std::ptr::from_ref::<VirtualMachine>(vm).addr(), table.is_ok())
    });
    let whole: *mut ThreadedVirtualMachine = machine;
    let offset = address.checked_sub(whole.addr())?;
    let end = offset.checked_add(size_of::<VirtualMachine>())?;
    if !has_table || end > size_of::<ThreadedVirtualMachine>() {
        return None;
    }
    // SAFETY: `run` gave a reference to a machine at this address, which is inside the one that is borrowed
    // mutably here; the reference has ended, and the pointer is derived from the borrow.
    let vm = unsafe { &mut *whole.byte_add(offset).cast::<VirtualMachine>() };
    vm.set_user_signal_channel(receiver);
    Some(sender)
}
