//! Running PTX: the driver, device memory and launches.
//!
//! The driver's library is looked up when a device is first wanted. What is not there (library, version, device) is an
//! error that says so.

mod device;
mod graph;
mod library;
mod machine_code;
mod memory;
mod product;
mod sweep;
mod tensor_map;
mod together;
mod transfer;

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use cudarc::driver::{CudaFunction, CudaSlice, CudaStream, LaunchConfig, PushKernelArg, sys};
use snekpy_llvm::ObjectCache;
use snekpy_stage::backend::{BackendError, slots};
use snekpy_stage::kernel::sum::{BLOCK, LANES};
use snekpy_stage::kernel::{Ended, Failure, Form, Kernel, KernelBackend, KernelCode, Launch, count};
use snekpy_stage::tensor::device::sweep::Sweep;
use snekpy_stage::tensor::device::{Device as TensorDevice, Epilogue, Product};
use snekpy_stage::types::{Elem, Type};

use crate::prepare::{self, Care};
use crate::ptx::{self, PtxOptions};
use crate::simt;
use device::{Device, NO_FAILURE, guarded};
use memory::Memory;
use product::Multiplier;

pub use device::{DeviceInfo, devices};

/// Runs kernels on one GPU.
#[derive(Clone, Debug)]
pub struct Cuda {
    name: String,
    ordinal: usize,
    fast: bool,
    multiplier: Multiplier,
    /// Where PTX that was made before is looked for.
    cache: Option<Arc<ObjectCache>>,
}

impl Cuda {
    /// The GPU of this number. Nothing is looked up yet.
    pub fn new(ordinal: usize) -> Self {
        let name = if ordinal == 0 { "cuda".to_owned() } else { format!("cuda:{ordinal}") };
        Self { name, ordinal, fast: false, multiplier: Multiplier::usual(), cache: None }
    }

    /// The same, with PTX that was made before looked for in a cache.
    #[must_use]
    pub fn with_cache(self, cache: Option<Arc<ObjectCache>>) -> Self {
        Self { cache, ..self }
    }

    /// The same, with floats computed in other ways than written where that is faster.
    #[must_use]
    pub fn fast(self) -> Self {
        Self { fast: true, ..self }
    }

    /// The same, with products made by kernels of our own.
    #[must_use]
    pub fn without_libraries(self) -> Self {
        Self { multiplier: Multiplier::Own, ..self }
    }

    /// The same, for tests: with products made by a library, if it is there, and what follows them by another kernel.
    #[must_use]
    pub fn apart(self) -> Self {
        Self { multiplier: Multiplier::Apart, ..self }
    }

    /// The same, for tests: products by kernels of our own, however small they are, with tiles of so many columns, where there are
    /// such: 256 or 128 of half precision by `wgmma`, where the GPU has it and rows begin at multiples of 16 bytes; 128, 64, 32
    /// or 16 otherwise.
    #[must_use]
    pub fn with_tiles(self, columns: u64) -> Self {
        Self { multiplier: Multiplier::Tiles(columns), ..self }
    }

    /// That of the GPU, or the first that there is code for.
    fn arch(&self) -> u32 {
        device::open(self.ordinal).and_then(|it| it.arch()).unwrap_or(PtxOptions::default().arch)
    }

    fn options(&self, arch: u32) -> PtxOptions {
        PtxOptions { arch, fast: self.fast, care: Care::Late }
    }
}

impl KernelBackend for Cuda {
    fn name(&self) -> &str {
        &self.name
    }

    fn device(&self) -> Result<Arc<dyn TensorDevice>, BackendError> {
        /// By the number of the GPU, and who makes products.
        type Open = Vec<((usize, Multiplier), Arc<Memory>)>;
        static OPEN: Mutex<Open> = Mutex::new(Vec::new());
        let device = device::open(self.ordinal)?;
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        let kind = (self.ordinal, self.multiplier);
        if let Some((_, memory)) = open.iter().find(|it| it.0 == kind) {
            return Ok(Arc::clone(memory) as Arc<dyn TensorDevice>);
        }
        let cuda = Self { multiplier: self.multiplier, ..Self::new(self.ordinal).with_cache(self.cache.clone()) };
        let memory = Arc::new(Memory::new(cuda, device));
        open.push((kind, Arc::clone(&memory)));
        Ok(memory)
    }

    fn compile(&self, kernel: &Kernel) -> Result<Arc<dyn KernelCode>, BackendError> {
        let device = device::open(self.ordinal)?;
        let options = self.options(device.arch()?);
        let (kernel, last, cache) = (kernel.clone(), Mutex::new(None), self.cache.clone());
        let can_be_covered = prepare::can_be_covered(&kernel)?;
        let variants = [Care::Covered, Care::Late, Care::Exact].map(|care| (care, OnceLock::new()));
        let code = CudaCode { kernel, device, options, cache, variants, can_be_covered, last };
        code.variant(if can_be_covered { Care::Covered } else { Care::Late })?;
        Ok(Arc::new(code))
    }

    fn inspect_product(
        &self,
        product: &Product,
        epilogue: Option<&Epilogue>,
        form: &str,
    ) -> Result<String, BackendError> {
        let device = device::open(self.ordinal).ok();
        let (options, cache) = (self.options(self.arch()), self.cache.as_deref());
        let found = match form {
            "ptx" => product::ptx(product, epilogue, device.as_deref(), self.multiplier, options, cache)?,
            _ => None,
        };
        found.ok_or_else(|| BackendError(format!("{} has no form `{form}` of this product", self.name)))
    }

    fn inspect_sweep(&self, sweep: &Sweep, form: &str) -> Result<String, BackendError> {
        match form {
            "ptx" => crate::sweep::ptx(sweep, self.options(self.arch()), self.cache.as_deref()),
            other => Err(BackendError(format!("{} has no form `{other}` of operations on arrays", self.name))),
        }
    }

    /// `ptx` and `llvm` need no GPU: they are for compute capability 8.0 where there is none.
    fn inspect(&self, kernel: &Kernel, form: &str) -> Result<String, BackendError> {
        match form {
            "ir" => Ok(kernel.to_string()),
            "ptx" => ptx::ptx(kernel, self.options(self.arch()), self.cache.as_deref()),
            "llvm" => ptx::llvm(kernel, self.options(self.arch())),
            other => Err(BackendError(format!("{} has no form `{other}`, only `ir`, `llvm` and `ptx`", self.name))),
        }
    }
}

/// Code for one way to prepare a kernel.
struct Variant {
    function: CudaFunction,
    never_fails: bool,
    /// How many positions a thread takes at once.
    at_once: u64,
}

/// A kernel on a device.
struct CudaCode {
    kernel: Kernel,
    device: Arc<Device>,
    options: PtxOptions,
    cache: Option<Arc<ObjectCache>>,
    /// What has been wanted so far.
    variants: [(Care, OnceLock<Variant>); 3],
    can_be_covered: bool,
    last: Mutex<Option<Duration>>,
}

/// What is asked again: how long to wait before asking whether to stop.
const ASK_EVERY: Duration = Duration::from_millis(5);
/// A kernel that takes no longer than this is waited for without sleeping.
const SPIN: Duration = Duration::from_micros(200);
/// The record of a kernel that does not fail.
const NOWHERE: u64 = 0;
/// The first position of a launch.
const FIRST: u64 = 0;
/// The most blocks of a launch, which is the driver's limit.
const MOST_BLOCKS: u64 = (1 << 31) - 1;
/// The threads that execute together.
const WARP: u64 = 32;
/// So many blocks of threads for each multiprocessor share the partial sums.
const SUM_BLOCKS: u64 = 16;

impl KernelCode for CudaCode {
    unsafe fn run(&self, launch: &Launch<'_>) -> Result<Ended, BackendError> {
        let count = count(launch.shape).ok_or_else(|| BackendError("the index space is too large".to_owned()))?;
        if count == 0 {
            return Ok(Ended::Done);
        }
        // SAFETY: passed on.
        guarded("running a kernel", || unsafe { self.run_on(launch, count) })
    }

    fn device_time(&self) -> Option<Duration> {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

type Result<T, E = device::Fault> = std::result::Result<T, E>;

impl CudaCode {
    unsafe fn run_on(&self, launch: &Launch<'_>, count: u64) -> Result<Ended> {
        let stream = self.device.stream();
        // SAFETY: passed on.
        let mut memory = unsafe { Room::new(self, &stream, launch, count)? };
        let usual = if self.can_be_covered && launch.covers(&self.kernel, count) { Care::Covered } else { Care::Late };
        for care in [usual, Care::Exact] {
            let variant = self.variant(care)?;
            let never_fails = launch.never_fails || variant.never_fails;
            if !never_fails && memory.record.is_none() {
                memory.record = Some(self.device.record()?);
            }
            if never_fails && launch.stays {
                // Nobody waits: who looks at the outputs does.
                self.begin(&stream, variant, &memory, count)?;
                break;
            }
            let mut stopped = false;
            let took = self.launch(&stream, variant, &memory, count, &mut || {
                stopped |= (launch.stop)();
            })?;
            *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(took);
            if stopped {
                return Ok(Ended::Stopped);
            }
            let Some(noted) = &mut memory.record else { break };
            let mut record = [0];
            stream.memcpy_dtoh(noted, &mut record)?;
            if record == NO_FAILURE {
                self.device.keep(memory.record.take().expect("it was looked at"));
                break;
            }
            let (args, _here) = self.here(launch)?;
            // SAFETY: passed on; arrays on the device have been copied.
            let cause = unsafe { simt::cause_at(&self.kernel, &Launch { args: &args, ..*launch }, record[0])? };
            if care == Care::Exact || cause.is_some() {
                return Ok(Ended::Failed(Failure { position: record[0], cause }));
            }
            stream.memcpy_htod(&NO_FAILURE, noted)?;
        }
        for (output, &to) in memory.outputs.iter().zip(launch.outputs) {
            if let Output::Copied(on_device, len) = output {
                // SAFETY: the caller has room for the elements of the output, which nobody else looks at.
                let to = unsafe { std::slice::from_raw_parts_mut(to, *len) };
                stream.memcpy_dtoh(&on_device.slice(..*len), to)?;
            }
        }
        if !launch.stays {
            stream.synchronize()?;
        }
        Ok(Ended::Done)
    }

    /// The slots with arrays on the device copied, and the copies.
    fn here(&self, launch: &Launch<'_>) -> Result<(Vec<u64>, Vec<Vec<u64>>)> {
        let (mut args, mut copies) = (launch.args.to_vec(), Vec::new());
        let (mut next, mut resident) = (0, launch.resident.iter());
        for ty in self.kernel.inputs() {
            if let Type::Array(array) = ty
                && resident.next() == Some(&true)
            {
                let bytes = args[next + 1] as usize * array.elem.size();
                let mut copy = vec![0_u64; bytes.div_ceil(8).max(1)];
                // SAFETY: words are bytes, and there are as many.
                let to = unsafe { std::slice::from_raw_parts_mut(copy.as_mut_ptr().cast::<u8>(), bytes) };
                self.device.read(args[next], to)?;
                args[next] = copy.as_ptr().expose_provenance() as u64;
                copies.push(copy);
            }
            next += slots(ty);
        }
        Ok((args, copies))
    }

    fn variant(&self, care: Care) -> std::result::Result<&Variant, BackendError> {
        let known = &self.variants.iter().find(|it| it.0 == care).expect("there is one for each").1;
        if let Some(variant) = known.get() {
            return Ok(variant);
        }
        let module = prepare::prepared(&self.kernel, care)?;
        let (never_fails, at_once) = (prepare::never_fails(&module), ptx::at_once(&self.kernel, &module));
        let ptx = ptx::ptx(&self.kernel, PtxOptions { care, ..self.options }, self.cache.as_deref())?;
        let function = guarded("loading a kernel", || self.device.load(ptx, self.cache.as_deref()))?;
        Ok(known.get_or_init(|| Variant { function, never_fails, at_once }))
    }

    /// Runs the kernel, when what was begun before it is done.
    fn begin(&self, stream: &Arc<CudaStream>, variant: &Variant, memory: &Room, count: u64) -> Result<()> {
        let multiprocessors = self.device.multiprocessors();
        let (blocks, threads) = match self.kernel.form {
            Form::Map(_) => {
                let threads = threads_of_block(count.div_ceil(variant.at_once), multiprocessors);
                (count.div_ceil(threads * variant.at_once), threads)
            }
            Form::Sum => (count.div_ceil(BLOCK as u64).min(multiprocessors * SUM_BLOCKS), LANES as u64),
        };
        let blocks = u32::try_from(blocks.min(MOST_BLOCKS)).expect("it was limited");
        let config = LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (threads as u32, 1, 1), shared_mem_bytes: 0 };
        let mut builder = stream.launch_builder(&variant.function);
        builder.arg(&FIRST).arg(&count);
        match &memory.record {
            Some(record) => builder.arg(record),
            None => builder.arg(&NOWHERE),
        };
        for word in &memory.words {
            builder.arg(word);
        }
        for output in &memory.outputs {
            match output {
                Output::Copied(on_device, _) => builder.arg(on_device),
                Output::Stays(address) => builder.arg(address),
            };
        }
        // SAFETY: these are the parameters that the kernel was written with; its memory is as large as it asks.
        unsafe { builder.launch(config)? };
        Ok(())
    }

    /// Runs the kernel and waits for it.
    fn launch(
        &self,
        stream: &Arc<CudaStream>,
        variant: &Variant,
        memory: &Room,
        count: u64,
        ask: &mut dyn FnMut(),
    ) -> Result<Duration> {
        let timed = Some(sys::CUevent_flags::CU_EVENT_DEFAULT);
        let before = stream.record_event(timed)?;
        self.begin(stream, variant, memory, count)?;
        let after = stream.record_event(timed)?;
        let (began, mut asked) = (Instant::now(), Instant::now());
        while !after.is_complete() {
            if began.elapsed() > SPIN {
                std::thread::sleep(Duration::from_micros(50));
            }
            if asked.elapsed() > ASK_EVERY {
                asked = Instant::now();
                ask();
            }
            // What has gone wrong is never complete.
            if began.elapsed() > Duration::from_secs(1) && !after.try_is_complete()? {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        after.synchronize()?;
        Ok(Duration::from_secs_f32(before.elapsed_ms(&after)?.max(0.0) / 1000.0))
    }
}

/// How many threads a block of a map has: fewer where full blocks would leave multiprocessors without one.
fn threads_of_block(count: u64, multiprocessors: u64) -> u64 {
    count.div_ceil(multiprocessors).next_multiple_of(WARP).clamp(WARP, LANES as u64)
}

/// What is on the device for one run.
struct Room {
    /// Where a failure is noted, if there may be one.
    record: Option<CudaSlice<u64>>,
    /// Extents and inputs, as the kernel's parameters have them.
    words: Vec<u64>,
    outputs: Vec<Output>,
    /// What the inputs' addresses point to.
    _inputs: Vec<CudaSlice<u8>>,
}

enum Output {
    /// Memory for this run, of which so many bytes are copied to the caller's.
    Copied(CudaSlice<u8>, usize),
    /// The caller's own, on the device.
    Stays(u64),
}

impl Room {
    /// Copies the inputs to the device and makes room for the outputs.
    unsafe fn new(code: &CudaCode, stream: &Arc<CudaStream>, launch: &Launch<'_>, count: u64) -> Result<Self> {
        use cudarc::driver::DevicePtr;
        let mut words = launch.shape[1..].to_vec();
        let mut inputs = Vec::new();
        let (mut next, mut resident) = (0, launch.resident.iter());
        for ty in code.kernel.inputs() {
            let first = launch.args[next];
            match ty {
                Type::Array(_) if resident.next() == Some(&true) => words.extend([first, launch.args[next + 1]]),
                Type::Array(array) => {
                    let len = launch.args[next + 1];
                    let bytes = usize::try_from(len).unwrap_or(usize::MAX).saturating_mul(array.elem.size());
                    // SAFETY: the kernel is not launched before the copy into it, and there is one byte at least.
                    let mut copy = unsafe { stream.alloc::<u8>(bytes.max(1))? };
                    if bytes > 0 {
                        let from = std::ptr::with_exposed_provenance::<u8>(first as usize);
                        // SAFETY: the caller keeps the array there, and nobody writes it.
                        let from = unsafe { std::slice::from_raw_parts(from, bytes) };
                        stream.memcpy_htod(from, &mut copy.slice_mut(..bytes))?;
                    }
                    words.extend([copy.device_ptr(stream).0, len]);
                    inputs.push(copy);
                }
                Type::Bool
                | Type::I64
                | Type::F64
                | Type::List(_)
                | Type::Map(_)
                | Type::Object(_)
                | Type::Tensor(_) => words.push(first),
            }
            next += slots(ty);
        }
        let mut outputs = Vec::new();
        for (elem, &to) in code.kernel.outputs().into_iter().zip(launch.outputs) {
            if launch.stays {
                outputs.push(Output::Stays(to.addr() as u64));
                continue;
            }
            let len = code.kernel.output_len(count) as usize * elem.size();
            // SAFETY: whether all of it is written is what the kernel is for; every bit pattern is a byte.
            outputs.push(Output::Copied(unsafe { stream.alloc::<u8>(len.max(1))? }, len));
        }
        debug_assert!(Elem::ALL.iter().all(|elem| elem.size() <= 8), "a parameter is a word");
        Ok(Self { record: None, words, outputs, _inputs: inputs })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_multiprocessor_has_a_block_where_there_are_enough_threads() {
        assert_eq!(threads_of_block(1 << 14, 132), 128);
        assert_eq!(threads_of_block(1, 132), 32);
        assert_eq!(threads_of_block(1 << 22, 132), 256);
        assert_eq!(threads_of_block(u64::MAX >> 2, 1), 256);
    }
}
