//! Large products of half precision on GPUs of compute capability 9.0: tiles of 128 rows and 256 or 128 columns.
//!
//! A block of threads has three warpgroups. One thread of the first asks the copy engine for steps of both factors, a few steps
//! ahead (`cp.async.bulk.tensor`, by tensor maps); the other two multiply, each its 64 rows, by `wgmma`, straight from shared
//! memory. Two barriers for each stage of shared memory say when it is full and when it may be filled again. A block makes tile
//! after tile, so that steps of the next one are copied while the results of the last one are written. Those go through shared
//! memory, to be written by rows; there an epilogue finds them, already rounded.
//!
//! How accurate that is, and what an epilogue is, the parent says: an instruction adds sixteen products and the sum so far.

mod descriptor;
mod instructions;
mod write;

use snekpy_llvm::ObjectCache;
use snekpy_stage::backend::BackendError;
use snekpy_stage::tensor::Dtype;
use snekpy_stage::tensor::device::{Epilogue, Product};

use super::Variant;
use crate::ptx::{assembled, machine_for};

/// Rows of a tile: 64 for each warpgroup that multiplies.
pub(crate) const ROWS: u64 = 128;
/// Columns of the first factor, rows of the second, that a stage has.
pub(crate) const STEP: u64 = 64;
/// Columns that the copy engine moves at once: 128 bytes, over which it exchanges chunks of 16 bytes.
pub(crate) const BOX: u64 = 64;
/// Threads of a block: a warpgroup that copies, and two that multiply.
pub(crate) const THREADS: u64 = 3 * WARPGROUP;
const WARPGROUP: u64 = 128;
const WARP: u64 = 32;
/// Warps that multiply, each of which has so many rows.
const WARPS: u64 = 8;
const ROWS_OF_WARP: u64 = 16;
/// Stages begin at multiples of this, which is what the exchange of chunks repeats after.
const ALIGNMENT: u64 = 1024;
const ELEMENT: u64 = 2;

/// What code is made for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Wgmma {
    /// What the elements are: half precision of either kind.
    pub dtype: Dtype,
    /// The columns of a tile: 256, or 128 where there would be few tiles.
    pub columns: u64,
}

impl Wgmma {
    /// The one for a product on a GPU with so many multiprocessors. None where the copy engine cannot have the factors, and
    /// where most multiprocessors would have no tile.
    pub fn of(product: &Product, multiprocessors: u64) -> Option<Self> {
        let [wide, narrow] = [256, 128].map(|columns| Self { dtype: product.dtype, columns });
        match () {
            () if !Self::takes(product) => None,
            () if wide.tiles(product) >= multiprocessors => Some(wide),
            () if 2 * narrow.tiles(product) >= multiprocessors => Some(narrow),
            () => None,
        }
    }

    /// Whether the copy engine can have the factors: of half precision, with rows that begin at multiples of 16 bytes. The
    /// product is written in such pieces, too.
    pub(crate) fn takes(product: &Product) -> bool {
        let is_small = [product.m, product.n, product.k].iter().all(|&it| i32::try_from(it).is_ok());
        let fits = Variant::of(product).is_some_and(|it| it.is_half() && it.copied == 16);
        fits && is_small && product.to.is_multiple_of(16)
    }

    /// How many tiles a product has.
    pub(crate) fn tiles(self, product: &Product) -> u64 {
        (product.m as u64).div_ceil(ROWS) * (product.n as u64).div_ceil(self.columns)
    }

    /// Rows and columns of what the copy engine moves at once, of each factor.
    pub(crate) const fn boxes(self) -> [[u64; 2]; 2] {
        [[ROWS, STEP], [STEP, BOX]]
    }

    /// The sums of a thread.
    pub(crate) const fn sums(self) -> u64 {
        self.columns / 2
    }

    /// Steps that are in shared memory at once.
    const fn stages(self) -> u64 {
        if self.columns == 256 { 3 } else { 5 }
    }

    /// The bytes of a step of the first factor, behind which that of the second lies.
    const fn first_bytes(self) -> u64 {
        ROWS * STEP * ELEMENT
    }

    const fn stage_bytes(self) -> u64 {
        self.first_bytes() + self.columns * STEP * ELEMENT
    }

    /// Where results are put before they are written, behind the stages.
    const fn results_at(self) -> u64 {
        self.stages() * self.stage_bytes()
    }

    /// The bytes from a row of results to the next: threads that write below each other are in different banks.
    const fn results_pitch(self) -> u64 {
        self.columns * ELEMENT + 16
    }

    /// Where the barriers are, behind the results: those of full stages, then those of empty ones.
    const fn barriers_at(self) -> u64 {
        self.results_at() + WARPS * ROWS_OF_WARP * self.results_pitch()
    }

    /// The shared memory of a block.
    pub(crate) const fn shared_bytes(self) -> u64 {
        // The stages begin at the first multiple.
        self.barriers_at() + 2 * 8 * self.stages() + ALIGNMENT
    }
}

/// The PTX, which may have been made before. It is for compute capability 9.0 alone: no other GPU has these instructions.
///
/// # Errors
/// A [`BackendError`] when LLVM refuses what is written, which is our mistake.
pub fn ptx(kernel: Wgmma, epilogue: Option<&Epilogue>, cache: Option<&ObjectCache>) -> Result<String, BackendError> {
    assembled("product", &machine_for("sm_90a")?, cache, |llcx, module| {
        let instructions = instructions::declare(llcx, module, kernel);
        write::write(llcx, module, kernel, &instructions, epilogue)?;
        instructions::define(llcx, kernel, &instructions)
    })
}

#[cfg(test)]
mod tests;
