//! Machines that threads borrow, and that can be woken while they run plain Python.
//!
//! RustPython runs what comes through a channel between two instructions, if the machine has a channel and handlers
//! of signals. Only the machine of the main thread is given both by public means: others are made by
//! `new_thread`, which gives them neither and hides them in a [`ThreadedVirtualMachine`]. That also asks for the
//! bounds of the thread's stack whenever it is entered, for which the C library reads `/proc/self/maps` on the
//! main thread: 200 microseconds. A [`Machine`] finds the hidden one, and asks once for each thread.

use rustpython_vm::VirtualMachine;
use rustpython_vm::signal::{UserSignalSender, user_signal_channel};
use rustpython_vm::vm::thread::{ThreadedVirtualMachine, enter_vm};
use std::thread::ThreadId;

/// A machine that any thread can enter, one at a time.
pub struct Machine {
    // Boxed: what is hidden in it stays where it was found.
    threaded: Box<ThreadedVirtualMachine>,
    /// Where the machine is inside; `None` if this version of RustPython hides it in another way.
    offset: Option<usize>,
    /// The thread whose stack the machine knows the bounds of.
    knows: Option<ThreadId>,
    alarm: Option<UserSignalSender>,
}

impl Machine {
    /// Makes a machine that nobody uses one that can be entered and woken.
    #[must_use]
    pub fn new(threaded: ThreadedVirtualMachine) -> Self {
        let mut machine = Self { threaded: Box::new(threaded), offset: None, knows: None, alarm: None };
        // `getsignal` makes the table of handlers, which stays empty.
        let (address, has_table) = machine.threaded.run(|vm| {
            let table = vm.import("_signal", 0).and_then(|module| vm.call_method(&module, "getsignal", (2,)));
            (std::ptr::from_ref(vm).addr(), table.is_ok())
        });
        let whole = std::ptr::from_ref(&*machine.threaded).addr();
        let end = |offset: usize| offset.checked_add(size_of::<VirtualMachine>());
        let inside = |offset: &usize| end(*offset).is_some_and(|end| end <= size_of::<ThreadedVirtualMachine>());
        machine.offset = address.checked_sub(whole).filter(inside);
        if let (true, Some(offset)) = (has_table, machine.offset) {
            let (sender, receiver) = user_signal_channel();
            let whole: *mut ThreadedVirtualMachine = &mut *machine.threaded;
            // SAFETY: `run` gave a reference to a machine at this offset of the one that is borrowed mutably here;
            // that reference has ended, and the pointer is derived from the borrow.
            let vm = unsafe { &mut *whole.byte_add(offset).cast::<VirtualMachine>() };
            vm.set_user_signal_channel(receiver);
            machine.alarm = Some(sender);
        }
        machine
    }

    /// What wakes it, by running what is sent.
    #[must_use]
    pub fn alarm(&self) -> Option<&UserSignalSender> {
        self.alarm.as_ref()
    }

    /// Whether the calling thread was the last to enter it, and can again at once.
    #[must_use]
    pub fn is_mine(&self) -> bool {
        self.knows == Some(std::thread::current().id())
    }

    /// Runs `body` with the machine on this thread.
    pub fn run<T>(&mut self, body: impl FnOnce(&VirtualMachine) -> T) -> T {
        if let (true, Some(offset)) = (self.is_mine(), self.offset) {
            let whole: *const ThreadedVirtualMachine = &raw const *self.threaded;
            // SAFETY: as in `new`: there is a machine at this offset of the one that is borrowed here.
            let vm = unsafe { &*whole.byte_add(offset).cast::<VirtualMachine>() };
            return enter_vm(vm, || body(vm));
        }
        self.knows = Some(std::thread::current().id());
        self.threaded.run(body)
    }
}

impl std::fmt::Debug for Machine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Machine").field("knows", &self.knows).finish_non_exhaustive()
    }
}
