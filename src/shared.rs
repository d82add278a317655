//! The interpreter behind an engine, and how threads get into it.

use crate::error::{Error, Result};
use rustpython_vm::vm::thread::{ThreadedVirtualMachine, try_with_current_vm};
use rustpython_vm::{Interpreter, PyObjectRef, PyResult, VirtualMachine};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// An interpreter that any thread can enter.
///
/// The machine that RustPython builds with an interpreter belongs to the thread that built it: its stack
/// bounds are those of that thread. Whoever enters therefore borrows a machine of the pool, which looks
/// at the stack anew each time.
pub(crate) struct Shared {
    /// Locked only to make another machine.
    interpreter: Mutex<Option<Interpreter>>,
    idle: Mutex<Vec<ThreadedVirtualMachine>>,
    id: i64,
}

impl Shared {
    pub(crate) fn new(interpreter: Interpreter) -> Arc<Self> {
        let id = interpreter.id();
        Arc::new(Self { interpreter: Mutex::new(Some(interpreter)), idle: Mutex::default(), id })
    }

    /// Runs `body` in Python's world; an exception becomes an [`Error`] while it can still be read.
    pub(crate) fn enter<T>(&self, body: impl FnOnce(&VirtualMachine) -> PyResult<T>) -> Result<T> {
        self.attach(|vm| body(vm).map_err(|exception| Error::from_exception(&exception, vm)))
    }

    /// Runs `body` in Python's world.
    pub(crate) fn attach<T>(&self, body: impl FnOnce(&VirtualMachine) -> T) -> T {
        // A host function that calls back goes on with the machine that called it.
        let mut body = Some(body);
        let inside = try_with_current_vm(|vm| {
            if vm.state.interpreter_id == self.id { body.take().map(|body| body(vm)) } else { None }
        });
        if let Some(Some(result)) = inside {
            return result;
        }
        let body = body.take().expect("it was not taken: this thread is not inside this interpreter");
        let machine = self.machine();
        let result = machine.run(body);
        lock(&self.idle).push(machine);
        result
    }

    /// Which interpreter this is, among those of the process.
    pub(crate) fn id(&self) -> i64 {
        self.id
    }

    fn machine(&self) -> ThreadedVirtualMachine {
        let idle = lock(&self.idle).pop();
        idle.unwrap_or_else(|| {
            let interpreter = lock(&self.interpreter);
            interpreter.as_ref().expect("it is taken only when nobody can enter any more").new_thread()
        })
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // Not `finalize`: it marks the whole process as ending, and other engines live on.
        self.attach(|vm| {
            if let Ok(atexit) = vm.import("atexit", 0) {
                let _ = vm.call_method(&atexit, "_run_exitfuncs", ());
            }
            for name in ["stdout", "stderr"] {
                if let Ok(stream) = vm.sys_module.get_attr(name, vm) {
                    let _ = vm.call_method(&stream, "flush", ());
                }
            }
        });
        let machines = std::mem::take(&mut *lock(&self.idle));
        if let Some(interpreter) = lock(&self.interpreter).take() {
            // Destructors of Python objects want a machine.
            interpreter.enter(|_| drop(machines));
        }
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").field("id", &self.id).finish_non_exhaustive()
    }
}

/// A Python object held outside the interpreter. It goes back in to be dropped.
pub(crate) struct Held {
    shared: Arc<Shared>,
    object: Option<PyObjectRef>,
}

impl Held {
    pub(crate) fn new(shared: &Arc<Shared>, object: PyObjectRef) -> Self {
        Self { shared: Arc::clone(shared), object: Some(object) }
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    pub(crate) fn object(&self) -> &PyObjectRef {
        self.object.as_ref().expect("it is taken only by drop")
    }
}

impl Clone for Held {
    fn clone(&self) -> Self {
        Self::new(&self.shared, self.object().clone())
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let object = self.object.take();
        self.shared.attach(|_| drop(object));
    }
}

/// A panic while a list of machines was locked leaves the list as good as it was.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
