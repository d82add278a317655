//! The memory of a GPU, for tensors.
//!
//! Blocks that are given back are kept, by size, for those who ask next: the driver's own allocation waits for the device.
//! All work is done in one order, that of the default stream; so a block may be given to somebody else while work that was
//! begun before still uses it.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cudarc::driver::result;
use snekpy_stage::backend::BackendError;
use snekpy_stage::kernel::{Kernel, KernelBackend, KernelCode};
use snekpy_stage::tensor::device::sweep::{Run, Sweep, SweepCode};
use snekpy_stage::tensor::device::{Device as TensorDevice, Epilogue, Product, Products as TensorProducts};
use snekpy_stage::tensor::{Dtype, Result, TensorError};

use super::Cuda;
use super::device::{Device, Fault, guarded};
use super::library::Library;
use super::product::Products;
use super::sweep::CudaSweep;
use crate::ptx::PtxOptions;

/// Sizes up to this are multiples of [`SMALL_STEP`], others of [`LARGE_STEP`].
const SMALL: usize = 1 << 20;
const SMALL_STEP: usize = 512;
const LARGE_STEP: usize = 2 << 20;
/// How many of the largest blocks are told of when there is no memory.
const SHOWN: usize = 5;

/// A GPU as a place for tensors.
pub(super) struct Memory {
    cuda: Cuda,
    device: Arc<Device>,
    state: Mutex<State>,
    library: Library,
    products: Products,
}

#[derive(Default)]
struct State {
    /// What was given back, by size.
    kept: HashMap<usize, Vec<u64>>,
    /// What is in use: the size, and what for.
    live: BTreeMap<u64, (usize, String)>,
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
        let (state, library, products) = (Mutex::default(), Library::default(), Products::default());
        Self { cuda, device, state, library, products }
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

    /// Gives what is kept back to the driver.
    fn trim(&self) {
        let kept = std::mem::take(&mut self.state().kept);
        let _ = guarded("freeing", || {
            self.device.stream().synchronize()?;
            for address in kept.into_values().flatten() {
                // SAFETY: it came from `new_block`, and nothing is running that uses it.
                unsafe { result::free_sync(address)? };
            }
            Ok(())
        });
    }

    /// Begins a product: by a library, if there is one and it does all that is wanted, or by a kernel.
    fn multiplied(&self, product: &Product, epilogue: Option<(&Epilogue, &Run)>) -> Option<Result<()>> {
        let options = || Ok(PtxOptions { arch: self.device.arch()?, ..PtxOptions::default() });
        let stream = self.device.stream();
        let done = guarded("multiplying matrices", || {
            if self.cuda.libraries && epilogue.is_some() && self.library.is_here(&stream)? {
                return Ok(false);
            }
            Ok(self.cuda.libraries && epilogue.is_none() && self.library.multiply(&stream, product)?
                || self.products.multiply(&self.device, product, epilogue, options, self.cuda.cache.as_deref())?)
        });
        match done {
            Ok(true) => Some(Ok(())),
            Ok(false) => None,
            Err(error) => Some(Err(raised(error))),
        }
    }

    fn exhausted(&self, bytes: usize, what: &str) -> TensorError {
        let state = self.state();
        let mut blocks: Vec<&(usize, String)> = state.live.values().collect();
        blocks.sort_by_key(|block| std::cmp::Reverse(block.0));
        let all: usize = blocks.iter().map(|block| block.0).sum();
        let largest: Vec<String> =
            blocks.iter().take(SHOWN).map(|(bytes, what)| format!("{} for {what}", amount(*bytes))).collect();
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

fn raised(error: BackendError) -> TensorError {
    TensorError::Memory(error.to_string())
}

impl TensorDevice for Memory {
    fn name(&self) -> &str {
        &self.cuda.name
    }

    fn allocate(&self, bytes: usize, what: &str) -> Result<u64> {
        let size = rounded(bytes);
        let kept = self.state().kept.get_mut(&size).and_then(Vec::pop);
        let address = kept.or_else(|| self.new_block(size)).or_else(|| {
            self.trim();
            self.new_block(size)
        });
        let address = address.ok_or_else(|| self.exhausted(bytes, what))?;
        self.state().live.insert(address, (size, what.to_owned()));
        Ok(address)
    }

    fn free(&self, address: u64, _bytes: usize) {
        let mut state = self.state();
        if let Some((size, _)) = state.live.remove(&address) {
            state.kept.entry(size).or_default().push(address);
        }
    }

    fn upload(&self, to: u64, from: &[u8]) -> Result<()> {
        if from.is_empty() {
            return Ok(());
        }
        let copied = guarded("copying to a GPU", || {
            self.device.bind()?;
            let stream = self.device.stream();
            // SAFETY: the caller has so many bytes there. The source is pageable: it has been read when this returns.
            unsafe { result::memcpy_htod_async(to, from, stream.cu_stream())? };
            Ok(stream.synchronize()?)
        });
        copied.map_err(raised)
    }

    fn download(&self, from: u64, to: &mut [u8]) -> Result<()> {
        guarded("copying from a GPU", || self.device.read(from, to)).map_err(raised)
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
        match guarded("multiplying matrices", || self.library.multiply_all(&stream, products)) {
            Ok(true) => Some(Ok(())),
            Ok(false) => None,
            Err(error) => Some(Err(raised(error))),
        }
    }

    fn multiplies_all(&self, dtype: Dtype) -> bool {
        let is_here = || self.library.is_here(&self.device.stream());
        dtype.is_float() && self.cuda.libraries && guarded("multiplying matrices", is_here).unwrap_or(false)
    }

    fn multiplies(&self, dtype: Dtype) -> bool {
        dtype.is_float()
    }

    /// Where there is a library, its product and a kernel for what follows are faster than one kernel of ours.
    fn multiply_into(&self, product: &Product, epilogue: &Epilogue, run: &Run) -> Option<Result<()>> {
        self.multiplied(product, Some((epilogue, run)))
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
