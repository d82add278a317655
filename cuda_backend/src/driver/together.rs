//! Kernels of one block on a GPU.

use std::sync::Arc;

use cudarc::driver::{CudaFunction, LaunchConfig, PushKernelArg};
use snekpy_llvm::ObjectCache;
use snekpy_stage::backend::BackendError;
use snekpy_stage::tensor::device::together::{MOST_WORDS, Part, PartRun, TogetherCode, threads};

use super::device::{Device, Fault, guarded};
use crate::ptx::PtxOptions;
use crate::together;

/// The code of several kernels as one on a device.
pub(super) struct CudaTogether {
    device: Arc<Device>,
    function: CudaFunction,
    parts: Vec<Part>,
}

impl CudaTogether {
    pub(super) fn new(
        parts: &[Part],
        device: &Arc<Device>,
        options: PtxOptions,
        cache: Option<&ObjectCache>,
    ) -> Result<Self, BackendError> {
        let ptx = together::ptx(parts, options, cache)?;
        let function = guarded("loading a kernel", || device.load(ptx, cache))?;
        Ok(Self { device: Arc::clone(device), function, parts: parts.to_vec() })
    }

    /// Begins it for no more rounds than it has room for.
    fn begin(&self, rounds: &[Vec<PartRun>]) -> Result<(), Fault> {
        // The driver copies as many words as the kernel was written for.
        let mut table = [0_u64; MOST_WORDS];
        let words = rounds.iter().flat_map(|it| together::words(&self.parts, it));
        table.iter_mut().zip(words).for_each(|(to, word)| *to = word);
        let count = rounds.len() as u64;
        let threads = threads(&self.parts) as u32;
        let config = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (threads, 1, 1), shared_mem_bytes: 0 };
        let stream = self.device.stream();
        let mut builder = stream.launch_builder(&self.function);
        builder.arg(&count).arg(&table);
        // SAFETY: these are the parameters that the kernel was written with; the caller says what they are.
        unsafe { builder.launch(config)? };
        Ok(())
    }
}

impl TogetherCode for CudaTogether {
    unsafe fn run(&self, rounds: &[Vec<PartRun>]) -> Result<(), BackendError> {
        let mut pieces = rounds.chunks(together::most_rounds(&self.parts));
        pieces.try_for_each(|it| guarded("running a kernel", || self.begin(it)))
    }
}
