//! A GPU that is not there: kernels run as blocks of threads on this processor, one instruction at a time, in an order
//! that is random.
//!
//! It executes the IR that becomes PTX, with the functions of devices (`math`), so that doubles have the
//! same bits as on a GPU. Whatever depends on the order in which threads run shows up as another result for another
//! seed. Checked as it goes: reads past the end of an input, writes past the end of an output, two threads that write
//! one element, accesses of shared memory with no barrier between, barriers that not all threads of a block come to.
//! Each of these is an error that names the thread and the line.
//!
//! It does not test LLVM's code generator, weak memory, or the driver.

mod memory;
pub(crate) mod shared;
pub(crate) mod sweep;
mod thread;
mod together;

use std::collections::HashMap;
use std::sync::Arc;

use snekpy_stage::backend::BackendError;
use snekpy_stage::kernel::sum::{BLOCK, LANES, halves};
use snekpy_stage::kernel::{Cause, Ended, Failure, Form, Kernel, KernelBackend, KernelCode, Launch, count};
use snekpy_stage::list;
use snekpy_stage::tensor::device::Device;
use snekpy_stage::types::{Elem, Type};

use crate::prepare::{Care, can_be_covered, prepared};
use shared::{Lane, Shared};
use thread::{Inputs, Progress, Thread};

/// How many blocks run at a time.
const RESIDENT: usize = 4;
/// The most instructions that a thread runs before another one does.
const BURST: u64 = 48;
/// How many bursts before the caller is asked whether to stop.
const ASK_EVERY: u64 = 4096;

/// The kernel back end.
#[derive(Clone, Copy, Debug)]
pub struct Simt {
    /// Which of several GPUs it is.
    number: usize,
    seed: u64,
    barriers: bool,
    has_library: bool,
}

/// What they are called, by number.
const NAMES: [&str; 4] = ["simt", "simt:1", "simt:2", "simt:3"];

impl Simt {
    /// With an order of threads of this number.
    pub const fn new(seed: u64) -> Self {
        Self { number: 0, seed, barriers: true, has_library: false }
    }

    /// The simulated GPU of this number, which has memory of its own; `None` if there are not so many.
    pub fn numbered(number: usize) -> Option<Self> {
        (number < NAMES.len()).then(|| Self { number, ..Self::default() })
    }

    /// The same with a library that makes products of matrices, as cuBLAS does.
    #[must_use]
    pub const fn with_library(self) -> Self {
        Self { has_library: true, ..self }
    }

    /// The same with barriers left out, to see that the checks find what that does.
    #[must_use]
    pub const fn without_barriers(self) -> Self {
        Self { barriers: false, ..self }
    }
}

/// Some order.
impl Default for Simt {
    fn default() -> Self {
        Self::new(0x5eed)
    }
}

impl KernelBackend for Simt {
    fn name(&self) -> &'static str {
        NAMES[self.number]
    }

    fn device(&self) -> Result<Arc<dyn Device>, BackendError> {
        Ok(memory::of(*self))
    }

    fn compile(&self, kernel: &Kernel) -> Result<Arc<dyn KernelCode>, BackendError> {
        let prepared = |care| prepared(kernel, care).map(|module| Kernel { module, ..kernel.clone() });
        let covered = can_be_covered(kernel)?.then(|| prepared(Care::Covered)).transpose()?;
        let (late, exact) = (prepared(Care::Late)?, prepared(Care::Exact)?);
        Ok(Arc::new(SimtCode { kernel: kernel.clone(), covered, late, exact, options: *self }))
    }

    fn inspect(&self, kernel: &Kernel, form: &str) -> Result<String, BackendError> {
        match form {
            "ir" => Ok(kernel.to_string()),
            other => Err(BackendError(format!("simt has no form `{other}`, only `ir`"))),
        }
    }
}

/// How a body fails at a position; `None` if it does not, as may be where a device has computed floats in other ways.
///
/// # Safety
/// As for [`KernelCode::run`].
pub(crate) unsafe fn cause_at(
    kernel: &Kernel,
    launch: &Launch<'_>,
    position: u64,
) -> Result<Option<Cause>, BackendError> {
    // SAFETY: passed on.
    let inputs = unsafe { Inputs::new(&kernel.inputs(), launch.args) };
    let mut thread = Thread::new(kernel, launch.shape, position, &inputs);
    loop {
        match thread.step(&kernel.module, &inputs, position)? {
            Progress::Goes => {}
            Progress::Returned(_) => return Ok(None),
            Progress::Failed(status) => return Ok(Failure::new(position, status).cause),
        }
    }
}

struct SimtCode {
    /// The kernel as it was given: how a position fails is found in this one.
    kernel: Kernel,
    /// The kernel as threads run it where arrays are long enough.
    covered: Option<Kernel>,
    /// The kernel as threads run it.
    late: Kernel,
    /// The same, where they have found a failure that is none.
    exact: Kernel,
    options: Simt,
}

impl KernelCode for SimtCode {
    unsafe fn run(&self, launch: &Launch<'_>) -> Result<Ended, BackendError> {
        let count = count(launch.shape).ok_or_else(|| BackendError("the index space is too large".to_owned()))?;
        let covered = self.covered.as_ref().filter(|_| launch.covers(&self.kernel, count));
        for kernel in [covered.unwrap_or(&self.late), &self.exact] {
            // SAFETY: passed on.
            let ended = unsafe { self.run_as(kernel, launch, count)? };
            let Ended::Failed(Failure { position, .. }) = ended else { return Ok(ended) };
            // SAFETY: passed on.
            let cause = unsafe { cause_at(&self.kernel, launch, position)? };
            if cause.is_some() {
                return Ok(Ended::Failed(Failure { position, cause }));
            }
        }
        Err(BackendError("simt: a thread fails at a position that does not fail".to_owned()))
    }
}

impl SimtCode {
    unsafe fn run_as(&self, kernel: &Kernel, launch: &Launch<'_>, count: u64) -> Result<Ended, BackendError> {
        // SAFETY: passed on.
        let inputs = unsafe { Inputs::new(&kernel.inputs(), launch.args) };
        let outputs = Outputs::new(kernel, launch.outputs, count);
        // Eager operations work in place: each thread reads what it writes before it does.
        if !launch.never_fails {
            outputs.check_apart(&inputs)?;
        }
        let mut grid = Grid {
            kernel,
            shape: launch.shape,
            count,
            inputs,
            outputs,
            barriers: self.options.barriers,
            failed: None,
            random: Random(self.options.seed),
        };
        grid.run(launch.stop)
    }
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }
}

/// The outputs, and who has written what.
struct Outputs {
    arrays: Vec<(Elem, *mut u8)>,
    /// How many elements each has.
    len: u64,
    writers: HashMap<(usize, u64), u64>,
}

impl Outputs {
    fn new(kernel: &Kernel, addresses: &[*mut u8], count: u64) -> Self {
        let arrays = kernel.outputs().into_iter().zip(addresses.iter().copied()).collect();
        Self { arrays, len: kernel.output_len(count), writers: HashMap::new() }
    }

    /// Outputs are other memory than inputs.
    fn check_apart(&self, inputs: &Inputs) -> Result<(), BackendError> {
        for &(elem, to) in &self.arrays {
            let ours = to.addr()..to.addr() + self.len as usize * elem.size();
            if inputs.ranges().any(|theirs| ours.start < theirs.end && theirs.start < ours.end) {
                return Err(BackendError("simt: an output is the memory of an input".to_owned()));
            }
        }
        Ok(())
    }

    fn write(&mut self, output: usize, element: u64, bits: u64, thread: u64) -> Result<(), BackendError> {
        if element >= self.len {
            let len = self.len;
            return Err(BackendError(format!("simt: thread {thread} writes element {element} of {len}")));
        }
        if let Some(other) = self.writers.insert((output, element), thread)
            && other != thread
        {
            return Err(BackendError(format!("simt: threads {other} and {thread} both write element {element}")));
        }
        let (elem, to) = self.arrays[output];
        // SAFETY: the caller has room for as many elements, and the element is one of them.
        unsafe { list::store(elem, to.add(element as usize * elem.size()), bits) };
        Ok(())
    }
}

/// A launch.
struct Grid<'a> {
    kernel: &'a Kernel,
    shape: &'a [u64],
    count: u64,
    inputs: Inputs,
    outputs: Outputs,
    barriers: bool,
    /// The lowest failing position.
    failed: Option<u64>,
    random: Random,
}

/// A block of threads.
struct Block {
    number: u64,
    threads: Vec<Worker>,
    /// The threads that can go on.
    ready: Vec<usize>,
    shared: Shared<Lane>,
}

/// A thread and what it is for.
struct Worker {
    state: Work,
    /// What its lane has added up.
    sum: Lane,
}

enum Work {
    /// It runs the body at a position.
    Body(u64, Thread),
    /// It adds the upper half of the lanes to the lower.
    Tree(usize),
    /// It waits at a barrier, after which this half is added.
    Waits(usize),
    Done,
}

impl Grid<'_> {
    fn run(&mut self, stop: &dyn Fn() -> bool) -> Result<Ended, BackendError> {
        let per_block = match self.kernel.form {
            Form::Map(_) => LANES,
            Form::Sum => BLOCK,
        };
        let mut waiting: Vec<u64> = (0..self.count.div_ceil(per_block as u64)).collect();
        let mut resident: Vec<Block> = Vec::new();
        let mut bursts = 0;
        loop {
            while resident.len() < RESIDENT && !waiting.is_empty() {
                let chosen = self.random.below(waiting.len() as u64) as usize;
                let number = waiting.swap_remove(chosen);
                resident.push(self.block(number));
            }
            if resident.is_empty() {
                let failed = |position| Ended::Failed(Failure { position, cause: None });
                return Ok(self.failed.map_or(Ended::Done, failed));
            }
            let chosen = self.random.below(resident.len() as u64) as usize;
            let block = &mut resident[chosen];
            self.turn(block)?;
            if block.ready.is_empty() && !self.release(block)? {
                resident.swap_remove(chosen);
            }
            bursts += 1;
            if bursts % ASK_EVERY == 0 && stop() {
                return Ok(Ended::Stopped);
            }
        }
    }

    fn block(&self, number: u64) -> Block {
        let nothing = Lane::nothing(self.kernel.body().results.first().copied().unwrap_or(Type::I64));
        let threads = (0..LANES as u64).map(|thread| {
            let first = match self.kernel.form {
                Form::Map(_) => number * LANES as u64 + thread,
                Form::Sum => number * BLOCK as u64 + thread,
            };
            Worker { state: self.start(first, number), sum: nothing }
        });
        Block { number, threads: threads.collect(), ready: (0..LANES).collect(), shared: Shared::new(LANES, nothing) }
    }

    /// What a thread does that has come to a position.
    fn start(&self, position: u64, block: u64) -> Work {
        let end = match self.kernel.form {
            Form::Map(_) => self.count,
            Form::Sum => self.count.min((block + 1) * BLOCK as u64),
        };
        match self.kernel.form {
            _ if position < end => Work::Body(position, Thread::new(self.kernel, self.shape, position, &self.inputs)),
            Form::Map(_) => Work::Done,
            Form::Sum => Work::Tree(LANES),
        }
    }

    /// Lets some thread of a block run for a while.
    fn turn(&mut self, block: &mut Block) -> Result<(), BackendError> {
        let chosen = self.random.below(block.ready.len() as u64) as usize;
        let lane = block.ready[chosen];
        let mut left = 1 + self.random.below(BURST);
        let number = block.number * LANES as u64 + lane as u64;
        while left > 0 {
            left -= 1;
            let worker = &mut block.threads[lane];
            match &mut worker.state {
                Work::Body(position, thread) => match thread.step(&self.kernel.module, &self.inputs, number)? {
                    Progress::Goes => continue,
                    Progress::Failed(_) => {
                        let position = *position;
                        self.failed = Some(self.failed.map_or(position, |other| other.min(position)));
                        worker.state = self.after(position, block.number);
                    }
                    Progress::Returned(results) => {
                        let position = *position;
                        match self.kernel.form {
                            Form::Map(_) => {
                                for (output, bits) in results.into_iter().enumerate() {
                                    self.outputs.write(output, position, bits, number)?;
                                }
                            }
                            Form::Sum => worker.sum = worker.sum.plus(worker.sum.like(results[0])),
                        }
                        worker.state = self.after(position, block.number);
                    }
                },
                // The first step of the tree is to put what was added up where others see it.
                Work::Tree(LANES) => {
                    let sum = worker.sum;
                    block.shared.write(lane, sum, number)?;
                    worker.state = Work::Waits(LANES / 2);
                }
                Work::Tree(0) => {
                    if lane == 0 {
                        let sum = block.shared.read(0, number)?;
                        self.write_partial(block.number, sum, number)?;
                    }
                    worker.state = Work::Done;
                }
                Work::Tree(half) => {
                    let half = *half;
                    if lane < half {
                        let upper = block.shared.read(lane + half, number)?;
                        let lower = block.shared.read(lane, number)?;
                        block.shared.write(lane, lower.plus(upper), number)?;
                    }
                    worker.state = Work::Waits(half / 2);
                }
                Work::Waits(half) if !self.barriers => worker.state = Work::Tree(*half),
                Work::Waits(_) | Work::Done => break,
            }
        }
        if matches!(block.threads[lane].state, Work::Done | Work::Waits(_)) && self.barriers
            || matches!(block.threads[lane].state, Work::Done)
        {
            block.ready.swap_remove(chosen);
        }
        Ok(())
    }

    /// What a thread does behind a position.
    fn after(&self, position: u64, block: u64) -> Work {
        match self.kernel.form {
            Form::Map(_) => Work::Done,
            Form::Sum => self.start(position + LANES as u64, block),
        }
    }

    fn write_partial(&mut self, block: u64, sum: Lane, thread: u64) -> Result<(), BackendError> {
        match sum {
            Lane::Float(sum) => self.outputs.write(0, block, sum.to_bits(), thread),
            Lane::Int(sum) => {
                let [low, high] = halves(sum);
                self.outputs.write(0, 2 * block, low, thread)?;
                self.outputs.write(0, 2 * block + 1, high, thread)
            }
        }
    }

    /// Lets the threads of a block go that wait at a barrier. Whether there are any.
    fn release(&self, block: &mut Block) -> Result<bool, BackendError> {
        let waits = |worker: &Worker| match worker.state {
            Work::Waits(half) => Some(half),
            Work::Body(..) | Work::Tree(_) | Work::Done => None,
        };
        let Some(half) = block.threads.iter().find_map(waits) else { return Ok(false) };
        let late = block.threads.iter().position(|worker| waits(worker) != Some(half));
        if let Some(late) = late {
            let (block, others) = (block.number, "not all threads of the block come to one barrier");
            return Err(BackendError(format!("simt: {others}: thread {late} of block {block} does not")));
        }
        block.shared.barrier();
        for worker in &mut block.threads {
            worker.state = Work::Tree(half);
        }
        block.ready = (0..LANES).collect();
        Ok(true)
    }
}
