//! Products of matrices by our own kernel, where no library makes them.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use cudarc::driver::{CudaFunction, LaunchConfig, PushKernelArg};
use snekpy_llvm::ObjectCache;
use snekpy_stage::backend::BackendError;
use snekpy_stage::tensor::device::sweep::Run;
use snekpy_stage::tensor::device::{Epilogue, Product};

use super::device::{Device, Fault};
use crate::product::{self, THREADS, Variant};
use crate::ptx::PtxOptions;

/// The code that has been wanted so far.
#[derive(Default)]
pub(super) struct Products {
    known: Mutex<HashMap<(Variant, Option<Epilogue>), CudaFunction>>,
}

impl Products {
    /// Begins a product. False if there is no kernel for it.
    pub(super) fn multiply(
        &self,
        device: &Device,
        product: &Product,
        epilogue: Option<(&Epilogue, &Run)>,
        options: impl FnOnce() -> Result<PtxOptions, BackendError>,
        cache: Option<&ObjectCache>,
    ) -> Result<bool, Fault> {
        let Some(variant) = Variant::of(product) else { return Ok(false) };
        let Ok(blocks) = i32::try_from(product::blocks(product)) else { return Ok(false) };
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let (epilogue, run) = epilogue.unzip();
        let key = (variant, epilogue.cloned());
        let function = match known.get(&key) {
            Some(function) => function.clone(),
            None => {
                let ptx = options().and_then(|options| product::ptx(variant, epilogue, options, cache));
                let function = device.load(ptx.map_err(|error| Fault(error.0))?)?;
                known.insert(key, function.clone());
                function
            }
        };
        drop(known);
        let stream = device.stream();
        let config = LaunchConfig {
            grid_dim: (blocks.cast_unsigned(), 1, 1),
            block_dim: (THREADS as u32, 1, 1),
            shared_mem_bytes: 0,
        };
        let words = product::params(product, run);
        let mut builder = stream.launch_builder(&function);
        for word in &words {
            builder.arg(word);
        }
        // SAFETY: these are the parameters that the kernel was written with; the caller says what they are.
        unsafe { builder.launch(config)? };
        Ok(true)
    }
}
