//! Other threads of Python: whether there are any, and letting them stand still.
//!
//! RustPython has no global lock. A call that is *alone*, because no other thread of Python lives, works on copies of
//! the containers it is given and of those it reads, and writes them back. A call that is not alone is *shared*: it
//! changes nothing that others may see but by RustPython's own instructions, one at a time, and each of them locks what
//! it works on. What it reads, it reads at one moment: see `run.rs`. While a shared call is captured, the others
//! stand still (`Still`), in slices, so that what capture reads belongs together.
//!
//! Whether a call is alone is asked at its beginning, and behind everything by which that may have changed: polls and
//! calls of the host. A thread counts from before it is started until it has ended.

use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rustpython_vm::class::PyClassImpl;
use rustpython_vm::common::lock::set_world_stopped;
use rustpython_vm::function::{Callee, FuncArgs, ItemDoc, PyMethodDef, PyMethodFlags, PyNativeFn};
use rustpython_vm::types::{Callable, Representable};
use rustpython_vm::{Py, PyObjectRef, PyPayload, PyResult, VirtualMachine, pyclass};

use crate::config::StagingConfig;
use crate::host::native::as_native;
use crate::interrupt::poll;
use crate::refusal::Refusal;

/// The refusal of a change that other threads may see.
pub(crate) const SHARED: &str = "S370";

/// The refusal of a capture that others have overtaken.
pub(crate) const CHANGING: &str = "S371";

/// Threads that are about to begin.
static STARTING: AtomicUsize = AtomicUsize::new(0);

/// Whether no other thread of this Python lives.
#[inline]
pub(crate) fn is_alone(config: &StagingConfig, vm: &VirtualMachine) -> bool {
    vm.state.thread_count.load() == 0
        && STARTING.load(Ordering::Relaxed) == 0
        && config.entered.load(Ordering::SeqCst) <= 1
}

/// A thread of the host that is in an interpreter, until this is dropped.
#[derive(Debug)]
pub struct Entered<'a>(&'a AtomicUsize);

impl<'a> Entered<'a> {
    /// A thread is about to enter. It waits for calls that are alone to take notice.
    pub fn new(entered: &'a AtomicUsize, interpreter: i64) -> Self {
        if entered.fetch_add(1, Ordering::SeqCst) > 0 {
            poll::wait_for_alone(interpreter);
        }
        Self(entered)
    }
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

thread_local! {
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// The other threads stand still as long as this lives. What runs under it must run no Python and wait for nothing.
pub(crate) struct Still<'vm> {
    vm: &'vm VirtualMachine,
    /// Garbage is not collected meanwhile, for that stops the others, and would wait for this to end.
    collects: bool,
}

impl<'vm> Still<'vm> {
    /// Waits until the others stand still. Inside another one, that goes on.
    pub(crate) fn new(vm: &'vm VirtualMachine) -> Self {
        let mut collects = false;
        if DEPTH.get() == 0 {
            poll::look_up_all();
            vm.state.stop_the_world.stop_the_world(&vm.state);
            // What capture makes natively, a bytearray say, has locks that nobody else knows.
            set_world_stopped(false);
            collects = vm.state.gc.is_enabled();
            vm.state.gc.disable();
        }
        DEPTH.set(DEPTH.get() + 1);
        Self { vm, collects }
    }
}

impl Drop for Still<'_> {
    fn drop(&mut self) {
        DEPTH.set(DEPTH.get() - 1);
        if self.collects {
            self.vm.state.gc.enable();
        }
        if DEPTH.get() == 0 {
            self.vm.state.stop_the_world.start_the_world(&self.vm.state);
        }
    }
}

/// Counts threads from before they begin: RustPython counts them when they have begun.
///
/// # Errors
/// If there is no `_thread`.
pub(crate) fn watch_starts(vm: &VirtualMachine) -> PyResult<()> {
    let _class = Begin::make_static_type();
    let module = vm.import("_thread", 0)?;
    for (starter, define) in [(&NEW, &START_NEW), (&JOINABLE, &START_JOINABLE)] {
        for name in starter.names {
            let original = module.get_attr(*name, vm)?;
            if let Some(original) = as_native(&original, define, vm) {
                starter.original.get_or_init(|| original);
                let function = define.to_function().with_module(vm.ctx.intern_str("_thread")).into_ref(&vm.ctx);
                module.set_attr(*name, function, vm)?;
            }
        }
    }
    Ok(())
}

/// A function of `_thread` that starts threads.
struct Starter {
    names: &'static [&'static str],
    /// It is the same in every interpreter of the process.
    original: OnceLock<&'static dyn PyNativeFn>,
}

static NEW: Starter = Starter { names: &["start_new_thread", "start_new"], original: OnceLock::new() };
static JOINABLE: Starter = Starter { names: &["start_joinable_thread"], original: OnceLock::new() };
static START_NEW: PyMethodDef =
    PyMethodDef::new_const("start_new_thread", start_new, PyMethodFlags::empty(), ItemDoc::NONE);
static START_JOINABLE: PyMethodDef =
    PyMethodDef::new_const("start_joinable_thread", start_joinable, PyMethodFlags::empty(), ItemDoc::NONE);

fn start_new(args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    NEW.start(args, vm)
}

fn start_joinable(args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    JOINABLE.start(args, vm)
}

impl Starter {
    fn start(&self, mut args: FuncArgs, vm: &VirtualMachine) -> PyResult {
        let function = match args.args.first_mut() {
            Some(first) => Some(first),
            None => args.kwargs.iter_mut().find(|(name, _)| name.as_bytes() == b"function").map(|(_, value)| value),
        };
        if let Some(function) = function.filter(|it| it.is_callable()) {
            *function = Begin::new(function.clone()).into_ref(&vm.ctx).into();
        }
        let original = self.original.get().expect("it is stored before this can be called");
        original(vm, args, Callee::named(self.names[0]))
    }
}

/// What a thread calls first: the function that it was started with.
#[pyclass(module = "snekpy", name = "_Begin")]
#[derive(Debug, PyPayload)]
struct Begin {
    function: PyObjectRef,
    has_begun: AtomicBool,
}

#[pyclass(with(Callable, Representable))]
impl Begin {
    fn new(function: PyObjectRef) -> Self {
        STARTING.fetch_add(1, Ordering::SeqCst);
        Self { function, has_begun: AtomicBool::new(false) }
    }

    fn begin(&self) {
        if !self.has_begun.swap(true, Ordering::SeqCst) {
            STARTING.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

impl Drop for Begin {
    fn drop(&mut self) {
        self.begin();
    }
}

impl Callable for Begin {
    type Args = FuncArgs;

    fn call(zelf: &Py<Self>, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
        zelf.begin();
        zelf.function.call(args, vm)
    }
}

impl Representable for Begin {
    fn repr_str(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult<String> {
        Ok(zelf.function.repr(vm)?.to_string_lossy().into_owned())
    }
}

/// What the code would rely on changes while it is made.
pub(crate) fn changing() -> Refusal {
    Refusal::new(CHANGING, "what the function reads is changed by others while code is made for it")
}
