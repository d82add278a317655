//! The memory of a GPU, for tensors.
//!
//! Blocks that are given back are kept, by size, for those who ask next: the driver's own allocation waits for the device.
//! All work is done in one order, that of the default stream; so a block may be given to somebody else while work that was
//! begun before still uses it. Only large copies from this machine's memory, and copies back to it, go beside that order
//! ([`super::transfer`]).

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use cudarc::driver::result;
use snekpy_stage::backend::BackendError;
use snekpy_stage::kernel::{Kernel, KernelBackend, KernelCode};
use snekpy_stage::tensor::device::sweep::{Run, Sweep, SweepCode};
use snekpy_stage::tensor::device::together::{OneBlock, Part, TogetherCode};
use snekpy_stage::tensor::device::{
    Device as TensorDevice, Epilogue, Graph, Pace, Product, Products as TensorProducts, Use,
};
use snekpy_stage::tensor::{Dtype, Result, TensorError};

use super::Cuda;
use super::device::{Device, Fault, guarded};
use super::graph::CudaGraph;
use super::library::Library;
use super::product::{Multiplier, Products, is_ours};
use super::sweep::CudaSweep;
use super::together::CudaTogether;
use super::transfer::{Event, LARGE, Mark, Marks, Transfer};
use crate::product::is_chain;
use crate::ptx::PtxOptions;
use crate::together;

/// Sizes up to this are multiples of [`SMALL_STEP`], others of [`LARGE_STEP`].
const SMALL: usize = 1 << 20;
const SMALL_STEP: usize = 512;
const LARGE_STEP: usize = 2 << 20;
/// Iterations that take longer are not begun ahead, nor are more of them at once, or of more kernels or more memory.
const LONG: Duration = Duration::from_millis(1);
const MOST_AHEAD: usize = 64;
const MOST_STEPS: usize = 4096;
const MOST_BYTES: usize = 64 << 20;
/// How many of the largest blocks are told of when there is no memory.
const SHOWN: usize = 5;
/// So many blocks of a size are filled before the GPU has done what the first one was for.
const AHEAD: usize = 4;

/// A GPU as a place for tensors.
pub(super) struct Memory {
    cuda: Cuda,
    device: Arc<Device>,
    state: Mutex<State>,
    library: Library,
    products: Products,
    transfer: Transfer,
}

#[derive(Default)]
struct State {
    /// What was given back, by size, and when.
    kept: HashMap<usize, Vec<(u64, Mark)>>,
    marks: Marks,
    /// What is in use.
    live: BTreeMap<u64, Live>,
}

struct Live {
    size: usize,
    what: String,
    /// Whether it is large, was asked for to be filled, and no work that has been begun uses it.
    is_idle: bool,
}

impl std::fmt::Debug for Memory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Memory").field("cuda", &self.cuda).finish_non_exhaustive()
    }
}

const fn rounded(bytes: usize) -> usize {
    let step = if bytes <= SMALL { SMALL_STEP } else { LARGE_STEP };
    if bytes == 0 { step } else { bytes.div_ceil(step) * step }
}

impl Memory {
    pub(super) fn new(cuda: Cuda, device: Arc<Device>) -> Self {
        let (state, transfer) = (Mutex::default(), Transfer::default());
        Self { cuda, device, state, library: Library::default(), products: Products::default(), transfer }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn new_block(&self, bytes: usize) -> Option<u64> {
        let made = guarded("allocating", || {
            self.device.bind()?;
            // SAFETY: the context is the thread's.
            unsafe { Ok(result::malloc_sync(bytes)?) }
        });
        made.ok()
    }

    /// A kept block that is idle. Where many are not, the GPU is waited for.
    fn idle(&self, size: usize) -> Option<u64> {
        let state = &mut *self.state();
        guarded("looking how far a GPU is", || state.marks.set(&self.device)).ok()?;
        let blocks = state.kept.get_mut(&size)?;
        let oldest = (0..blocks.len()).min_by_key(|&at| blocks[at].1)?;
        if !state.marks.is_idle(blocks[oldest].1) && blocks.len() >= AHEAD {
            guarded("waiting for a GPU", || state.marks.wait_for(blocks[oldest].1)).ok()?;
        }
        state.marks.is_idle(blocks[oldest].1).then(|| blocks.swap_remove(oldest).0)
    }

    /// Gives what is kept back to the driver.
    fn trim(&self) {
        let kept = std::mem::take(&mut self.state().kept);
        let _ = guarded("freeing", || {
            self.device.stream().synchronize()?;
            for (address, _) in kept.into_values().flatten() {
                // SAFETY: it came from `new_block`, and nothing is running that uses it.
                unsafe { result::free_sync(address)? };
            }
            Ok(())
        });
    }

    /// Whether a kernel of ours makes a product.
    fn is_ours(&self, product: &Product) -> std::result::Result<bool, Fault> {
        let has_library = || self.library.is_here(&self.device.stream());
        Ok(match self.cuda.multiplier {
            Multiplier::Libraries => is_ours(product, &self.device)? || !has_library()?,
            Multiplier::Apart => !has_library()?,
            Multiplier::Own | Multiplier::Tiles(_) => true,
        })
    }

    /// Begins a product: by a library, if there is one and it is not [ours](is_ours), or by a kernel of ours, which does what
    /// follows as well. A library does not: then nothing is begun.
    fn multiplied(&self, product: &Product, epilogue: Option<(&Epilogue, &Run)>) -> Option<Result<()>> {
        let stream = self.device.stream();
        let done = guarded("multiplying matrices", || {
            let who = self.cuda.multiplier;
            match (self.is_ours(product)?, epilogue) {
                (false, Some(_)) => Ok(false),
                (false, None) if self.library.multiply(&stream, product)? => Ok(true),
                _ => self.products.multiply(&self.device, product, epilogue, who, self.cuda.cache.as_deref()),
            }
        });
        told(done)
    }

    fn exhausted(&self, bytes: usize, what: &str) -> TensorError {
        let state = self.state();
        let mut blocks: Vec<&Live> = state.live.values().collect();
        blocks.sort_by_key(|block| std::cmp::Reverse(block.size));
        let all: usize = blocks.iter().map(|block| block.size).sum();
        let largest: Vec<String> =
            blocks.iter().take(SHOWN).map(|it| format!("{} for {}", amount(it.size), it.what)).collect();
        TensorError::Memory(format!(
            "{}: no {} for {what}; {} are in use, the largest: {}",
            self.cuda.name,
            amount(bytes),
            amount(all),
            largest.join(", ")
        ))
    }
}

fn amount(bytes: usize) -> String {
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..1_048_576 => format!("{:.1} KiB", bytes as f64 / 1024.0),
        1_048_576..1_073_741_824 => format!("{:.1} MiB", bytes as f64 / 1_048_576.0),
        _ => format!("{:.2} GiB", bytes as f64 / 1_073_741_824.0),
    }
}

/// What is told of work that was begun, or not.
fn told(begun: std::result::Result<bool, BackendError>) -> Option<Result<()>> {
    match begun {
        Ok(true) => Some(Ok(())),
        Ok(false) => None,
        Err(error) => Some(Err(raised(error))),
    }
}

pub(super) fn raised(error: BackendError) -> TensorError {
    TensorError::Memory(error.to_string())
}

impl TensorDevice for Memory {
    fn name(&self) -> &str {
        &self.cuda.name
    }

    fn allocate(&self, bytes: usize, what: &str, for_use: Use) -> Result<u64> {
        let size = rounded(bytes);
        let is_large = for_use == Use::Filled && bytes >= LARGE;
        let idle = is_large.then(|| self.idle(size).or_else(|| self.new_block(size))).flatten();
        let latest = || self.state().kept.get_mut(&size).and_then(Vec::pop).map(|it| it.0);
        let address = idle.or_else(latest).or_else(|| self.new_block(size)).or_else(|| {
            self.trim();
            self.new_block(size)
        });
        let address = address.ok_or_else(|| self.exhausted(bytes, what))?;
        self.state().live.insert(address, Live { size, what: what.to_owned(), is_idle: idle.is_some() });
        Ok(address)
    }

    fn free(&self, address: u64, _bytes: usize) {
        let mut state = self.state();
        if let Some(Live { size, .. }) = state.live.remove(&address) {
            let mark = state.marks.now();
            state.kept.entry(size).or_default().push((address, mark));
        }
    }

    fn upload(&self, to: u64, from: &[u8]) -> Result<()> {
        if from.is_empty() {
            return Ok(());
        }
        let is_idle = self.state().live.get_mut(&to).is_some_and(|it| std::mem::take(&mut it.is_idle));
        let copied = guarded("copying to a GPU", || {
            if is_idle {
                return self.transfer.copy(&self.device, to, from);
            }
            self.device.bind()?;
            // SAFETY: the caller has so many bytes there. The source is pageable: it has been read when this returns.
            unsafe { result::memcpy_htod_async(to, from, self.device.stream().cu_stream())? };
            Ok(())
        });
        copied.map_err(raised)
    }

    fn download(&self, from: u64, to: &mut [u8], meanwhile: &mut dyn FnMut()) -> Result<()> {
        let ready = guarded("copying from a GPU", || Event::behind(&self.device)).map_err(raised)?;
        meanwhile();
        guarded("copying from a GPU", || self.transfer.read(&self.device, &ready, from, to)).map_err(raised)
    }

    fn compile(&self, kernel: &Kernel) -> std::result::Result<Arc<dyn KernelCode>, BackendError> {
        self.cuda.compile(kernel)
    }

    fn sweep(&self, sweep: &Sweep) -> std::result::Result<Arc<dyn SweepCode>, BackendError> {
        let options = PtxOptions { arch: self.device.arch()?, ..PtxOptions::default() };
        let code = CudaSweep::new(sweep, &self.device, options, self.cuda.cache.as_deref())?;
        Ok(Arc::new(code))
    }

    fn multiply(&self, product: &Product) -> Option<Result<()>> {
        self.multiplied(product, None)
    }

    fn multiply_all(&self, products: &TensorProducts) -> Option<Result<()>> {
        let stream = self.device.stream();
        told(guarded("multiplying matrices", || self.library.multiply_all(&stream, products)))
    }

    fn multiplies_all(&self, dtype: Dtype) -> bool {
        let is_here = || self.library.is_here(&self.device.stream());
        let may_be = dtype.is_float() && matches!(self.cuda.multiplier, Multiplier::Libraries | Multiplier::Apart);
        may_be && guarded("multiplying matrices", is_here).unwrap_or(false)
    }

    fn multiplies(&self, dtype: Dtype) -> bool {
        dtype.is_float()
    }

    fn multiply_into(&self, product: &Product, epilogue: &Epilogue, run: &Run) -> Option<Result<()>> {
        self.multiplied(product, Some((epilogue, run)))
    }

    fn one_block(&self) -> Option<OneBlock> {
        Some(together::USUAL)
    }

    fn takes_parts(&self, product: &Product) -> bool {
        product.may_be_in_parts() && guarded("multiplying matrices", || self.is_ours(product)).unwrap_or(false)
    }

    fn chains(&self, product: &Product) -> bool {
        is_chain(product) && guarded("multiplying matrices", || self.is_ours(product)).unwrap_or(false)
    }

    fn has_made(&self, parts: &[Part]) -> bool {
        let options = self.device.arch().map(|arch| PtxOptions { arch, ..PtxOptions::default() });
        self.cuda.cache.as_deref().zip(options.ok()).is_some_and(|(cache, it)| together::is_made(parts, it, cache))
    }

    fn together(&self, parts: &[Part]) -> std::result::Result<Arc<dyn TogetherCode>, BackendError> {
        let options = PtxOptions { arch: self.device.arch()?, ..PtxOptions::default() };
        Ok(Arc::new(CudaTogether::new(parts, &self.device, options, self.cuda.cache.as_deref())?))
    }

    /// Waiting for the device and copying a number takes some 20 us, against which that of longer iterations is nothing. Twice as
    /// many as are begun at once may be on their way when a loop ends: at most half of those that it had.
    fn iterations_ahead(&self, pace: &Pace) -> usize {
        if pace.took > LONG {
            return 0;
        }
        let room = (MOST_STEPS / pace.steps.max(1)).min(MOST_BYTES / 2 / pace.bytes.max(1));
        match (pace.iterations / 4).min(MOST_AHEAD).min(room) {
            0 | 1 => 0,
            some => 1 << some.ilog2(),
        }
    }

    fn captures(&self) -> bool {
        true
    }

    fn capture(&self, work: &mut dyn FnMut() -> Result<()>) -> Option<Result<Box<dyn Graph>>> {
        Some(CudaGraph::of(&self.device, work).map(|it| Box::new(it) as Box<dyn Graph>))
    }
}

impl From<Fault> for BackendError {
    fn from(fault: Fault) -> Self {
        Self(fault.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_rounded_up_in_steps() {
        assert_eq!([0, 1, 512, 513].map(rounded), [512, 512, 512, 1024]);
        assert_eq!(rounded(SMALL), SMALL);
        assert_eq!(rounded(SMALL + 1), LARGE_STEP);
        assert_eq!(rounded(5 << 20), 6 << 20);
    }
}
