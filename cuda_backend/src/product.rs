//! Products of matrices, where no library is there for them: of half precision on tensor cores, of singles and doubles by fused
//! multiplications and additions.
//!
//! A block of threads makes a tile of the product. It goes along the inner dimension in steps: while the threads multiply one
//! step of the two factors, which lies in shared memory, the next one is copied there. What a thread adds up stays in its
//! registers. What is past the edge of a factor counts as zero. What follows a product element by element is done with its sums
//! before they are written ([`Epilogue`]), once they have been rounded.
//!
//! How accurate that is. Of singles and doubles, a sum is one chain from the first product to the last, each step of which
//! rounds once. Of half precision, warps multiply by `mma.sync` with sums in single precision: products of two halves are
//! exact; an instruction adds sixteen of them and the sum so far, and how it rounds while it does is NVIDIA's affair. What is
//! known of it is that nothing is lost but what is below the last place of the largest of them. So the sum of `k` products is
//! off by at most `(k + 15) / 16 * 17` units in the last place (2^-23) of the sum of all sizes, before it is rounded to half
//! precision.

mod epilogue;
mod simulated;
mod warp;
pub mod wgmma;
mod write;

use inkwell::context::Context;
use snekpy_llvm::{ObjectCache, device};
use snekpy_stage::backend::BackendError;
use snekpy_stage::tensor::Dtype;
use snekpy_stage::tensor::device::sweep::Run;
use snekpy_stage::tensor::device::{Epilogue, Product};

use crate::math;
use crate::ptx::{PtxOptions, machine};

pub use simulated::simulate;

/// Rows and columns of the tile of a block.
pub(crate) const TILE: u64 = 64;
/// Threads of a block: two by two warps.
pub(crate) const THREADS: u64 = 128;
/// Rows and columns of the part of a warp that multiplies on tensor cores.
pub(crate) const PART: u64 = 32;
/// Otherwise threads stand in a grid of so many rows and columns, and each has every element of the tile that is a multiple of
/// that away.
pub(crate) const GRID: [u64; 2] = [8, 16];
/// Sums of a thread, either way.
pub(crate) const SUMS: usize = (TILE * TILE / THREADS) as usize;

/// What code is made for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Variant {
    /// What the elements are: floats.
    pub dtype: Dtype,
    /// Whether rows begin at multiples of 16 bytes, so that 16 bytes are copied at once, past the registers.
    pub aligned: bool,
}

impl Variant {
    /// The one for a product, if there is one.
    pub fn of(product: &Product) -> Option<Self> {
        if !product.dtype.is_float() || product.m * product.n * product.k == 0 {
            return None;
        }
        let it = Self { dtype: product.dtype, aligned: false };
        let rows = [product.n as u64, product.k as u64].iter().all(|size| size.is_multiple_of(it.chunk()));
        let first = [product.a, product.b].iter().all(|it| it.is_multiple_of(16));
        Some(Self { aligned: rows && first, ..it })
    }

    /// Whether tensor cores multiply.
    pub(crate) const fn is_half(self) -> bool {
        self.dtype.size() == 2
    }

    /// Elements of 16 bytes, which are copied at once.
    pub(crate) const fn chunk(self) -> u64 {
        16 / self.dtype.size() as u64
    }

    /// Columns of the first factor, rows of the second, that are multiplied at a time.
    pub(crate) const fn step(self) -> u64 {
        if self.is_half() { 32 } else { 16 }
    }

    /// Rows and columns of the tiles of the factors.
    pub(crate) const fn tiles(self) -> [[u64; 2]; 2] {
        [[TILE, self.step()], [self.step(), TILE]]
    }

    /// Elements from one row to the next of a factor's tile: eight rows of 16 bytes are then in different banks.
    pub(crate) const fn pitch(self, which: usize) -> u64 {
        self.tiles()[which][1] + self.chunk()
    }
}

/// How many blocks make a product.
pub(crate) fn blocks(product: &Product) -> u64 {
    (product.m as u64).div_ceil(TILE) * (product.n as u64).div_ceil(TILE)
}

/// Which of the parameters are the factors.
pub(crate) const FACTORS: std::ops::Range<usize> = 3..5;

/// The parameters of the kernel: those of the product, and where it goes, or those of the epilogue.
pub(crate) fn params(product: &Product, epilogue: Option<&Run>) -> Vec<u64> {
    let mut words = vec![product.m as u64, product.n as u64, product.k as u64, product.a, product.b];
    match epilogue {
        Some(run) => words.extend(run.params(false).1),
        None => words.push(product.to),
    }
    words
}

/// The PTX, which may have been made before.
///
/// # Errors
/// A [`BackendError`] when LLVM refuses what is written, which is our mistake.
pub fn ptx(
    variant: Variant,
    epilogue: Option<&Epilogue>,
    options: PtxOptions,
    cache: Option<&ObjectCache>,
) -> Result<String, BackendError> {
    let llcx = Context::create();
    let machine = machine(options)?;
    let module = llcx.create_module("product");
    module.set_triple(&machine.get_triple());
    module.set_data_layout(&machine.get_target_data().get_data_layout());
    write::write(&llcx, &module, variant, epilogue)
        .map_err(|error| BackendError(format!("this is a bug in snekpy: LLVM's builder refused a product: {error}")))?;
    math::write::define_all(&llcx, &module);
    device::assembled(&module, &machine, cache)
}

#[cfg(test)]
pub(crate) mod tests;
