//! Kernels on this machine's processor: a loop over the body, as IR.
//!
//! [`loop_module`] writes it for any [`Backend`]; one that can run positions beside each other writes it by itself.
//! [`HostKernels`] runs it on threads, which take chunks of the
//! positions in order; so all chunks before a failing one have been taken when it fails, and the lowest failing one
//! is found. In it, the failing position is found by running the chunk again, position by position.

mod looped;

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::sum::{self, BLOCK};
use super::{Ended, Failure, Form, Kernel, KernelBackend, KernelCode, Launch, count, verify};
use crate::backend::{Backend, BackendError, Code, Context, Outcome, Status, Trap, payload_slots};
use crate::ir::Module;
use crate::pass::{self, Observer};
use crate::types::Type;

pub use looped::{LoopParams, loop_module};

/// How often the thread that called asks whether to stop.
const ASK_EVERY: Duration = Duration::from_millis(5);
/// The largest chunk of a map.
const LARGEST_CHUNK: u64 = 1 << 16;
/// So many chunks for each thread, if there are enough positions.
const CHUNKS_PER_THREAD: u64 = 16;

/// The kernel back end of this machine's processor.
#[derive(Clone)]
pub struct HostKernels {
    backend: Arc<dyn Backend>,
    threads: usize,
}

impl HostKernels {
    /// Compiles with this back end and runs on so many threads.
    pub fn new(backend: Arc<dyn Backend>, threads: usize) -> Self {
        Self { backend, threads: threads.max(1) }
    }
}

impl KernelBackend for HostKernels {
    fn name(&self) -> &'static str {
        "cpu"
    }

    fn compile(&self, kernel: &Kernel) -> Result<Arc<dyn KernelCode>, BackendError> {
        verify(kernel).map_err(|faults| BackendError(faults.to_string()))?;
        let code = match self.backend.compile_lanes(&inlined(kernel)?)? {
            Some(code) => code,
            None => self.backend.compile(&optimised(loop_module(kernel))?)?,
        };
        let (payload_slots, kernel) = (payload_slots(&kernel.module), kernel.clone());
        Ok(Arc::new(HostCode { payload_slots, code, kernel, threads: self.threads }))
    }

    fn inspect(&self, kernel: &Kernel, form: &str) -> Result<String, BackendError> {
        if form == "ir" {
            return Ok(kernel.to_string());
        }
        verify(kernel).map_err(|faults| BackendError(faults.to_string()))?;
        match self.backend.inspect_lanes(&inlined(kernel)?, form)? {
            Some(text) => Ok(text),
            None => self.backend.inspect(&optimised(loop_module(kernel))?, form),
        }
    }
}

/// The kernel with what its body calls inlined, as far as it is worth it.
fn inlined(kernel: &Kernel) -> Result<Kernel, BackendError> {
    Ok(Kernel { module: optimised(kernel.module.clone())?, ..kernel.clone() })
}

fn optimised(mut module: Module) -> Result<Module, BackendError> {
    let mut observer = Observer::new();
    observer.verify = cfg!(debug_assertions);
    pass::optimise(&mut module, pass::standard(), &mut observer)
        .map_err(|violations| BackendError(violations.to_string()))?;
    Ok(module)
}

struct HostCode {
    code: Arc<dyn Code>,
    payload_slots: usize,
    kernel: Kernel,
    threads: usize,
}

impl KernelCode for HostCode {
    unsafe fn run(&self, launch: &Launch<'_>) -> Result<Ended, BackendError> {
        let count = count(launch.shape).ok_or_else(|| BackendError("the index space is too large".to_owned()))?;
        let run = Run::new(self, launch, count);
        let threads = self.threads.min(usize::try_from(run.chunks()).unwrap_or(usize::MAX));
        let working = AtomicU64::new(threads as u64);
        let caller = std::thread::current();
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    // SAFETY: the caller's promise, of which each chunk has its own part of the outputs.
                    unsafe { run.work() };
                    working.fetch_sub(1, Ordering::Release);
                    caller.unpark();
                });
            }
            while working.load(Ordering::Acquire) > 0 {
                std::thread::park_timeout(ASK_EVERY);
                if !run.stopped.load(Ordering::Relaxed) && (launch.stop)() {
                    run.stopped.store(true, Ordering::Relaxed);
                    run.flag.store(1, Ordering::Relaxed);
                }
            }
        });
        Ok(run.end())
    }
}

/// One run, as its threads share it.
struct Run<'a> {
    code: &'a HostCode,
    /// The slots of the loop: begin, end, extents, inputs, outputs.
    slots: Vec<u64>,
    outputs: Vec<usize>,
    count: u64,
    chunk: u64,
    next: AtomicU64,
    /// Raised to interrupt the code.
    flag: AtomicU32,
    stopped: AtomicBool,
    failed: Mutex<Option<Failure>>,
}

impl<'a> Run<'a> {
    fn new(code: &'a HostCode, launch: &Launch<'_>, count: u64) -> Self {
        let even = count.div_ceil(code.threads as u64 * CHUNKS_PER_THREAD).clamp(1, LARGEST_CHUNK);
        let chunk = match code.kernel.form {
            Form::Map(_) => even,
            Form::Sum => even.next_multiple_of(BLOCK as u64),
        };
        let mut slots = vec![0, 0];
        slots.extend(&launch.shape[1..]);
        slots.extend(launch.args);
        Self {
            code,
            slots,
            outputs: launch.outputs.iter().map(|&output| output.expose_provenance()).collect(),
            count,
            chunk,
            next: AtomicU64::new(0),
            flag: AtomicU32::new(0),
            stopped: AtomicBool::new(false),
            failed: Mutex::new(None),
        }
    }

    fn chunks(&self) -> u64 {
        self.count.div_ceil(self.chunk)
    }

    fn end(self) -> Ended {
        if self.stopped.load(Ordering::Relaxed) {
            return Ended::Stopped;
        }
        self.failed.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ended::Done, Ended::Failed)
    }

    /// Takes chunks until there are none, or one before them has failed.
    ///
    /// # Safety
    /// As for [`KernelCode::run`].
    unsafe fn work(&self) {
        let mut payload = vec![0; self.code.payload_slots];
        let mut room = match self.code.kernel.form {
            Form::Map(_) => Vec::new(),
            Form::Sum => vec![0_u64; BLOCK],
        };
        loop {
            let begin = self.next.fetch_add(self.chunk, Ordering::Relaxed);
            let has_failed = || self.failed.lock().unwrap_or_else(PoisonError::into_inner).is_some();
            if begin >= self.count || has_failed() || self.stopped.load(Ordering::Relaxed) {
                return;
            }
            let end = self.count.min(begin + self.chunk);
            // SAFETY: passed on.
            let ended = unsafe {
                match self.code.kernel.form {
                    Form::Map(_) => self.run_map(begin, end, &mut payload),
                    Form::Sum => self.run_sum(begin, end, &mut payload, &mut room),
                }
            };
            if let Err(failure) = ended {
                let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
                if failed.is_none_or(|other| failure.position < other.position) {
                    *failed = Some(failure);
                }
                return;
            }
        }
    }

    unsafe fn run_map(&self, begin: u64, end: u64, payload: &mut [u64]) -> Result<(), Failure> {
        let elems = self.code.kernel.outputs();
        let outputs = elems.iter().zip(&self.outputs).map(|(elem, &to)| to + begin as usize * elem.size());
        // SAFETY: passed on; from `begin` on there is room for the rest.
        unsafe { self.run_range(begin, end, &outputs.collect::<Vec<_>>(), payload) }
    }

    unsafe fn run_sum(&self, begin: u64, end: u64, payload: &mut [u64], room: &mut [u64]) -> Result<(), Failure> {
        let ty = self.code.kernel.body().results[0];
        let partials = std::ptr::with_exposed_provenance_mut::<u64>(self.outputs[0]);
        for first in (begin..end).step_by(BLOCK) {
            let last = end.min(first + BLOCK as u64);
            let values = &mut room[..(last - first) as usize];
            // SAFETY: passed on; the room is for as many results.
            unsafe { self.run_range(first, last, &[values.as_mut_ptr().expose_provenance()], payload)? };
            let block = first as usize / BLOCK;
            match ty {
                Type::F64 => {
                    let values: Vec<f64> = values.iter().map(|&bits| f64::from_bits(bits)).collect();
                    // SAFETY: the caller has room for a partial sum of each block.
                    unsafe { partials.add(block).write(sum::block(&values).to_bits()) };
                }
                Type::Bool
                | Type::I64
                | Type::Array(_)
                | Type::List(_)
                | Type::Map(_)
                | Type::Object(_)
                | Type::Tensor(_) => {
                    let sum = values.iter().map(|&bits| i128::from(bits.cast_signed())).sum();
                    // SAFETY: the caller has room for two halves of each block.
                    unsafe { partials.add(2 * block).cast::<[u64; 2]>().write(sum::halves(sum)) };
                }
            }
        }
        Ok(())
    }

    /// Runs the loop, and if it fails finds out where.
    unsafe fn run_range(&self, begin: u64, end: u64, outputs: &[usize], payload: &mut [u64]) -> Result<(), Failure> {
        // SAFETY: passed on.
        let status = unsafe { self.run_loop(begin, end, outputs, payload) };
        if matches!(status.outcome(), Outcome::Returned | Outcome::Trap(Trap::Interrupted, ..)) {
            return Ok(());
        }
        for position in begin..end {
            // SAFETY: passed on. What it stores where the first output begins means nothing any more.
            let status = unsafe { self.run_loop(position, position + 1, outputs, payload) };
            match status.outcome() {
                Outcome::Returned => {}
                Outcome::Trap(Trap::Interrupted, ..) => return Ok(()),
                Outcome::Exit(..) | Outcome::Trap(..) => return Err(Failure::new(position, status)),
            }
        }
        unreachable!("a body without effects fails again where it has failed")
    }

    unsafe fn run_loop(&self, begin: u64, end: u64, outputs: &[usize], payload: &mut [u64]) -> Status {
        unsafe extern "C" fn stop(_: *mut Context) -> u32 {
            1
        }
        let mut slots = self.slots.clone();
        (slots[0], slots[1]) = (begin, end);
        slots.extend(outputs.iter().flat_map(|&output| [output as u64, end - begin]));
        let mut cx = Context { poll: &raw const self.flag, on_poll: stop, ..Context::detached(payload) };
        // SAFETY: these are the slots of the loop's parameters; its outputs are the caller's promise.
        unsafe { self.code.code.run(&mut cx, slots.as_ptr(), std::ptr::null_mut()) }
    }
}
