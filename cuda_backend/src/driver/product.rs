//! Products of matrices by our own kernels, where no library makes them or something follows.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use cudarc::driver::{CudaFunction, CudaStream, LaunchConfig, PushKernelArg, sys};
use snekpy_llvm::ObjectCache;
use snekpy_stage::backend::BackendError;
use snekpy_stage::tensor::Dtype;
use snekpy_stage::tensor::device::sweep::Run;
use snekpy_stage::tensor::device::{Epilogue, Product};

use super::device::{Device, Fault};
use super::tensor_map::TensorMap;
use crate::product::wgmma::{self, Wgmma};
use crate::product::{self, Variant};
use crate::ptx::PtxOptions;

/// Who makes products.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Multiplier {
    /// NVIDIA's libraries where they are installed, and kernels of our own.
    Libraries,
    /// The same, for tests: a library makes all products that it can, and another kernel does what follows.
    Apart,
    /// Kernels of our own.
    Own,
    /// The same, for tests: with tiles of so many columns, where there are such, however small a product is.
    Tiles(u64),
}

impl Multiplier {
    /// Libraries, unless the variable `SNEKPY_CUBLAS` is `off`.
    pub(super) fn usual() -> Self {
        if std::env::var_os("SNEKPY_CUBLAS").is_some_and(|it| it == "off") { Self::Own } else { Self::Libraries }
    }
}

/// A kernel of our own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Kernel {
    Mma(Variant),
    Wgmma(Wgmma),
}

/// The kernel for a product and a GPU, if there is one.
fn kernel(product: &Product, device: Option<&Device>, who: Multiplier) -> Result<Option<Kernel>, BackendError> {
    if let Some(device) = device
        && device.has_wgmma()?
    {
        let found = match who {
            Multiplier::Tiles(columns) => {
                (columns > 64 && Wgmma::takes(product)).then_some(Wgmma { dtype: product.dtype, columns })
            }
            Multiplier::Libraries | Multiplier::Apart | Multiplier::Own => Wgmma::of(product, device.multiprocessors()),
        };
        if let Some(kernel) = found {
            return Ok(Some(Kernel::Wgmma(kernel)));
        }
    }
    let variant = Variant::of(product).map(|it| match who {
        Multiplier::Tiles(columns) => it.with_tile(columns).unwrap_or(it),
        Multiplier::Libraries | Multiplier::Apart | Multiplier::Own => it,
    });
    Ok(variant.map(Kernel::Mma))
}

/// Products of singles of up to so many multiplications are ours: on an H100, one of 64 by 320 by 256 takes 3.4 us, and a library
/// 5.8; one of 512 by 512 by 512, 11.7 and 12.5; one of 1024 by 1024 by 1024, 62 and 55. What follows costs a library 2 us more.
const FEW: usize = 1 << 27;
/// As long as no sum has more of them: our kernels add up one after the other, four or five clocks each.
const IN_A_ROW: usize = 1 << 10;

/// Whether a kernel of ours makes a product where there is a library, and does what follows as well. That depends on the product
/// alone, so that it has the same bits whatever follows. By `wgmma` we are as fast as the library; it is faster at doubles, and
/// at few products of half precision.
pub(super) fn is_ours(product: &Product, device: &Device) -> Result<bool, BackendError> {
    Ok(match kernel(product, Some(device), Multiplier::Own)? {
        Some(Kernel::Wgmma(_)) => true,
        Some(Kernel::Mma(_)) => {
            let count = product.m.saturating_mul(product.n).saturating_mul(product.k);
            product.dtype == Dtype::F32 && count <= FEW && product.k <= IN_A_ROW
        }
        None => false,
    })
}

impl Kernel {
    fn ptx(
        self,
        epilogue: Option<&Epilogue>,
        options: PtxOptions,
        cache: Option<&ObjectCache>,
    ) -> Result<String, BackendError> {
        match self {
            Self::Mma(variant) => product::ptx(variant, epilogue, options, cache),
            Self::Wgmma(kernel) => wgmma::ptx(kernel, epilogue, cache),
        }
    }
}

/// The PTX of a product, if there is a kernel for it.
pub(super) fn ptx(
    product: &Product,
    epilogue: Option<&Epilogue>,
    device: Option<&Device>,
    who: Multiplier,
    options: PtxOptions,
    cache: Option<&ObjectCache>,
) -> Result<Option<String>, BackendError> {
    kernel(product, device, who)?.map(|it| it.ptx(epilogue, options, cache)).transpose()
}

/// The code that has been wanted so far.
#[derive(Default)]
pub(super) struct Products {
    known: Mutex<HashMap<(Kernel, Option<Epilogue>), CudaFunction>>,
}

impl Products {
    /// Begins a product. False if there is no kernel for it.
    pub(super) fn multiply(
        &self,
        device: &Device,
        product: &Product,
        epilogue: Option<(&Epilogue, &Run)>,
        who: Multiplier,
        cache: Option<&ObjectCache>,
    ) -> Result<bool, Fault> {
        let stream = device.stream();
        let (epilogue, run) = epilogue.unzip();
        let words = product::params(product, run);
        let code = |kernel| self.code(kernel, epilogue, device, cache);
        let kernel = kernel(product, Some(device), who)?;
        if let Some(Kernel::Wgmma(kernel)) = kernel
            && let Some(maps) = maps(kernel, product)
        {
            let blocks = kernel.tiles(product).min(device.multiprocessors());
            let launch = Launch { stream: &stream, threads: wgmma::THREADS, shared: kernel.shared_bytes(), blocks };
            launch.begin(&code(Kernel::Wgmma(kernel))?, &words, Some(&maps))?;
            return Ok(true);
        }
        let variant = match kernel {
            Some(Kernel::Mma(variant)) => variant,
            // The driver has no maps, or makes none of these factors.
            Some(Kernel::Wgmma(_)) | None => match Variant::of(product) {
                Some(variant) => variant,
                None => return Ok(false),
            },
        };
        let blocks = variant.blocks(product);
        if i32::try_from(blocks).is_err() {
            return Ok(false);
        }
        let launch = Launch { stream: &stream, threads: variant.threads(), shared: 0, blocks };
        launch.begin(&code(Kernel::Mma(variant))?, &words, None)?;
        Ok(true)
    }

    fn code(
        &self,
        kernel: Kernel,
        epilogue: Option<&Epilogue>,
        device: &Device,
        cache: Option<&ObjectCache>,
    ) -> Result<CudaFunction, Fault> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (kernel, epilogue.cloned());
        if let Some(function) = known.get(&key) {
            return Ok(function.clone());
        }
        let options = PtxOptions { arch: device.arch()?, ..PtxOptions::default() };
        let function = device.load(kernel.ptx(epilogue, options, cache)?, cache)?;
        if let Kernel::Wgmma(kernel) = kernel {
            // More than a kernel has unasked.
            let most = sys::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            function.set_attribute(most, kernel.shared_bytes() as i32)?;
        }
        known.insert(key, function.clone());
        Ok(function)
    }
}

/// The maps of both factors.
fn maps(kernel: Wgmma, product: &Product) -> Option<[TensorMap; 2]> {
    let [m, n, k] = [product.m, product.n, product.k].map(|it| it as u64);
    let [first, second] = kernel.boxes();
    let map = |address, shape, of_box| TensorMap::new(product.dtype, address, shape, of_box);
    Some([map(product.a, [m, k], first)?, map(product.b, [k, n], second)?])
}

struct Launch<'a> {
    stream: &'a Arc<CudaStream>,
    blocks: u64,
    threads: u64,
    shared: u64,
}

impl Launch<'_> {
    /// Begins a kernel with the parameters of a product, of which maps replace the addresses of the factors.
    fn begin(&self, function: &CudaFunction, words: &[u64], maps: Option<&[TensorMap; 2]>) -> Result<(), Fault> {
        let mut builder = self.stream.launch_builder(function);
        for (at, word) in words.iter().enumerate() {
            match maps {
                Some(maps) if product::FACTORS.contains(&at) => builder.arg(&maps[at - product::FACTORS.start]),
                _ => builder.arg(word),
            };
        }
        let config = LaunchConfig {
            grid_dim: (self.blocks as u32, 1, 1),
            block_dim: (self.threads as u32, 1, 1),
            shared_mem_bytes: self.shared as u32,
        };
        // SAFETY: these are the parameters that the kernel was written with; the caller says what they are.
        unsafe { builder.launch(config)? };
        Ok(())
    }
}
