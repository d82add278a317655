//! Sweeps on a GPU.

use std::sync::Arc;

use cudarc::driver::{CudaFunction, LaunchConfig, PushKernelArg};
use snekpy_llvm::ObjectCache;
use snekpy_stage::backend::BackendError;
use snekpy_stage::tensor::device::sweep::{Run, Sweep, SweepCode, Teams};

use super::device::{Device, Fault, guarded};
use super::{MOST_BLOCKS, threads_of_block};
use crate::ptx::PtxOptions;
use crate::sweep;

/// The code of a sweep on a device.
pub(super) struct CudaSweep {
    device: Arc<Device>,
    function: CudaFunction,
    /// The teams of rows, if it is over rows of some length.
    teams: Option<Teams>,
    /// How many positions a thread takes at once, if it is not.
    at_once: u64,
}

impl CudaSweep {
    pub(super) fn new(
        sweep: &Sweep,
        device: &Arc<Device>,
        options: PtxOptions,
        cache: Option<&ObjectCache>,
    ) -> Result<Self, BackendError> {
        let ptx = sweep::ptx(sweep, options, cache)?;
        let function = guarded("loading a kernel", || device.load(ptx, cache))?;
        let (teams, at_once) = (sweep.len.map(Teams::of), sweep::at_once(sweep));
        Ok(Self { device: Arc::clone(device), function, teams, at_once })
    }

    fn begin(&self, run: &Run) -> Result<(), Fault> {
        let (count, words) = run.params(self.teams.is_some());
        let count = count as u64;
        let (blocks, threads) = match self.teams {
            Some(teams) => (count.div_ceil(teams.rows as u64), teams.threads as u64),
            None => {
                let threads = threads_of_block(count.div_ceil(self.at_once), self.device.multiprocessors());
                (count.div_ceil(threads * self.at_once).min(MOST_BLOCKS), threads)
            }
        };
        let blocks = u32::try_from(blocks).ok().filter(|&it| u64::from(it) <= MOST_BLOCKS);
        let blocks = blocks.ok_or_else(|| Fault("there are too many rows".to_owned()))?;
        let stream = self.device.stream();
        let config = LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (threads as u32, 1, 1), shared_mem_bytes: 0 };
        let mut builder = stream.launch_builder(&self.function);
        for word in &words {
            builder.arg(word);
        }
        // SAFETY: these are the parameters that the kernel was written with; the caller says what they are.
        unsafe { builder.launch(config)? };
        Ok(())
    }
}

impl SweepCode for CudaSweep {
    unsafe fn run(&self, run: &Run) -> Result<(), BackendError> {
        guarded("running a kernel", || self.begin(run))
    }
}
