//! The interpreter behind an engine, and how threads get into it.

use crate::error::{Error, Result};
use rustpython_vm::builtins::{PyBaseExceptionRef, PyDict, PyFunction, PyType};
use rustpython_vm::function::PySetterValue;
use rustpython_vm::signal::UserSignalSender;
use rustpython_vm::vm::thread::try_with_current_vm;
use rustpython_vm::{AsObject, Interpreter, PyObjectRef, PyResult, VirtualMachine};
use snekpy_vm::host::machine::Machine;
use snekpy_vm::limits::{self, Canceller, Limits, Meter, Watched};
use snekpy_vm::threads::Entered;
use std::collections::HashMap;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// An interpreter that any thread can enter.
///
/// The machine that RustPython builds with an interpreter belongs to the thread that built it: its stack
/// bounds are those of that thread. Whoever enters therefore borrows a machine of the pool, which knows
/// the stack of the thread that had it last: the same thread gets it again.
pub(crate) struct Shared {
    /// Locked only to make another machine.
    interpreter: Mutex<Option<Interpreter>>,
    idle: Mutex<Vec<Machine>>,
    id: i64,
    /// How many threads are inside.
    entered: Arc<AtomicUsize>,
    /// What each call from outside may use.
    limits: Limits,
    canceller: Canceller,
    /// The exceptions behind the errors that are still there.
    exceptions: Mutex<Exceptions>,
    /// The texts that were run, by their hashes, in their order.
    texts: Mutex<HashMap<u64, usize>>,
}

#[derive(Default)]
struct Exceptions {
    kept: HashMap<u64, PyBaseExceptionRef>,
    next: u64,
}

impl Shared {
    pub(crate) fn new(interpreter: Interpreter, limits: &Limits) -> Arc<Self> {
        let id = interpreter.id();
        let entered = interpreter.enter(|vm| snekpy_vm::config::config(vm).entered.clone());
        let canceller = Canceller::new();
        let limits = limits.or(&Limits::new().canceller(&canceller));
        Arc::new(Self {
            interpreter: Mutex::new(Some(interpreter)),
            idle: Mutex::default(),
            id,
            entered,
            limits,
            canceller,
            exceptions: Mutex::default(),
            texts: Mutex::default(),
        })
    }

    /// What stops all that runs in it.
    pub(crate) fn canceller(&self) -> &Canceller {
        &self.canceller
    }

    /// Runs `body` with these limits on what it does in Python on this thread.
    pub(crate) fn within<T>(&self, limits: &Limits, body: impl FnOnce() -> T) -> T {
        if limits.has_ticks() {
            // Without it, nothing is counted in plain Python. An engine whose `sys` has lost what is needed cannot.
            let installed =
                self.attach(|vm| limits::install(vm).map_err(|exception| Error::from_exception(&exception, vm)));
            installed.expect("the interpreter has `sys.monitoring`");
        }
        let _metered = limits::enter(Arc::new(Meter::new(self.id, limits.or(&self.limits))));
        body()
    }

    /// Runs `body` in Python's world, under the limits; an exception becomes an [`Error`] while it can still be
    /// read.
    pub(crate) fn enter<T>(self: &Arc<Self>, body: impl FnOnce(&VirtualMachine) -> PyResult<T>) -> Result<T> {
        let say = |exception: PyBaseExceptionRef, vm: &VirtualMachine| {
            let _unlimited = limits::lift(vm);
            let error = Error::from_exception(&exception, vm);
            error.raised_as(self.keep(exception))
        };
        self.attach_with(|vm, alarm| {
            let given = limits::current(self.id);
            let meter = given.clone().unwrap_or_else(|| Arc::new(Meter::new(self.id, self.limits.clone())));
            let _metered = given.is_none().then(|| limits::enter(Arc::clone(&meter)));
            let (_watched, _shallow) = match alarm {
                Some(alarm) => (Some(Watched::new(Arc::clone(&meter), alarm)), Some(limits::shallow(&meter, vm))),
                // A host function calls back: that is watched already, unless it has brought limits.
                None => (Watched::inside(&meter), None),
            };
            body(vm).map_err(|exception| say(exception, vm))
        })
    }

    /// Runs `body` in Python's world.
    pub(crate) fn attach<T>(&self, body: impl FnOnce(&VirtualMachine) -> T) -> T {
        self.attach_with(|vm, _| body(vm))
    }

    /// Runs `body` in Python's world, and tells it how to wake the machine if it is not inside already.
    fn attach_with<T>(&self, body: impl FnOnce(&VirtualMachine, Option<UserSignalSender>) -> T) -> T {
        // A host function that calls back goes on with the machine that called it.
        let mut body = Some(body);
        let inside = try_with_current_vm(|vm| {
            if vm.state.interpreter_id == self.id { body.take().map(|body| body(vm, None)) } else { None }
        });
        if let Some(Some(result)) = inside {
            return result;
        }
        let body = body.take().expect("it was not taken: this thread is not inside this interpreter");
        let mut machine = self.machine();
        let alarm = machine.alarm().cloned();
        let entered = Entered::new(&self.entered, self.id);
        let result = machine.run(|vm| body(vm, alarm));
        drop(entered);
        lock(&self.idle).push(machine);
        result
    }

    /// Which interpreter this is, among those of the process.
    pub(crate) fn id(&self) -> i64 {
        self.id
    }

    fn machine(&self) -> Machine {
        let mut idle = lock(&self.idle);
        let mine = idle.iter().rposition(Machine::is_mine);
        if let Some(machine) = mine.map(|at| idle.swap_remove(at)).or_else(|| idle.pop()) {
            return machine;
        }
        drop(idle);
        let interpreter = lock(&self.interpreter);
        let interpreter = interpreter.as_ref().expect("it is taken only when nobody can enter any more");
        Machine::new(interpreter.new_thread())
    }

    /// The file name of a text: each has its own, so that a traceback never quotes another one.
    pub(crate) fn name_of(&self, text: &str) -> String {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        let mut texts = lock(&self.texts);
        let next = texts.len();
        match texts.entry(hasher.finish()).or_insert(next) {
            0 => "<string>".to_owned(),
            number => format!("<string-{}>", *number + 1),
        }
    }

    fn keep(self: &Arc<Self>, exception: PyBaseExceptionRef) -> Raised {
        let mut exceptions = lock(&self.exceptions);
        let number = exceptions.next;
        exceptions.next += 1;
        exceptions.kept.insert(number, exception);
        Raised { shared: Arc::downgrade(self), number }
    }
}

/// The exception that an error tells of. It stays in the interpreter, and lives as long as this or the interpreter.
pub(crate) struct Raised {
    shared: Weak<Shared>,
    number: u64,
}

impl Raised {
    /// The exception, if it is one of this interpreter.
    pub(crate) fn exception(&self, vm: &VirtualMachine) -> Option<PyBaseExceptionRef> {
        let shared = self.shared.upgrade().filter(|it| it.id == vm.state.interpreter_id)?;
        lock(&shared.exceptions).kept.get(&self.number).cloned()
    }
}

impl Drop for Raised {
    fn drop(&mut self) {
        let Some(shared) = self.shared.upgrade() else { return };
        let exception = lock(&shared.exceptions).kept.remove(&self.number);
        shared.attach(|_| drop(exception));
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
        let exceptions = std::mem::take(&mut *lock(&self.exceptions));
        if let Some(interpreter) = lock(&self.interpreter).take() {
            // Destructors of Python objects want a machine.
            interpreter.enter(|vm| {
                drop((exceptions, machines));
                snekpy_stdlib::end(vm);
                give_back(vm);
            });
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

/// Frees what the modules of an ending interpreter hold: they hang together in cycles, and the start set them apart
/// from what the collector looks at. Threads that a script has left running go on with what there is.
fn give_back(vm: &VirtualMachine) {
    if vm.state.thread_count.load() > 0 {
        return;
    }
    vm.state.gc.unfreeze();
    for callbacks in [&vm.state.before_forkers, &vm.state.after_forkers_child, &vm.state.after_forkers_parent] {
        let callbacks = std::mem::take(&mut *callbacks.lock());
        drop(callbacks);
    }
    vm.finalize_modules();
    vm.state.gc.collect_force(2);
    // What is left hangs together by what RustPython's collector does not see: the descriptor of a slot holds its
    // class, and a bound native method its object. Without slots and globals nothing does.
    let Some(set) = vm.ctx.types.type_type.slots.setattro.load() else { return };
    for object in vm.state.gc.get_objects(None) {
        if let Some(class) = object.downcast_ref::<PyType>() {
            let is_slot = |value: &PyObjectRef| value.class().is(vm.ctx.types.member_descriptor_type);
            let attributes = class.get_attributes(&vm.ctx);
            for (name, _) in attributes.iter().filter(|(_, it)| is_slot(it)) {
                // A class that cannot be changed is none of the program's.
                let _ = set(&object, name, PySetterValue::Delete, vm);
            }
        } else if object.downcast_ref::<PyFunction>().is_some()
            && let Ok(globals) = object.get_attr("__globals__", vm)
            && let Some(globals) = globals.downcast_ref::<PyDict>()
        {
            globals.clear();
        }
    }
    vm.state.gc.collect_force(2);
}
