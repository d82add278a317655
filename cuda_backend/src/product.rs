//! Products of matrices, where no library is there for them: of half precision on tensor cores, of singles and doubles by fused
//! multiplications and additions.
//!
//! A block of threads makes a tile of the product. It goes along the inner dimension in steps: while the threads multiply one
//! step of the two factors, which lies in shared memory, the next ones are copied there. What a thread adds up stays in its
//! registers. What is past the edge of a factor counts as zero. Tiles are smaller where there would be few of them: a product
//! takes as long as a tile does then. What follows a product element by element is done with its sums
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

use snekpy_llvm::ObjectCache;
use snekpy_stage::backend::BackendError;
use snekpy_stage::tensor::Dtype;
use snekpy_stage::tensor::device::sweep::Run;
use snekpy_stage::tensor::device::{Epilogue, Product};

use crate::ptx::{PtxOptions, assembled, machine};

pub use simulated::simulate;

/// Tiles, the largest first, and how many of them are enough. Large ones read less; small ones are more blocks: about as many as a
/// large GPU has multiprocessors (an H100 132, an A100 108). One block with the largest tile, which singles have, fills a
/// multiprocessor; some come one after the other, so that few of those have nothing to do at the end.
const TILES: [(u64, u64); 4] = [(128, 1024), (64, 128), (32, 128), (16, 0)];
/// Rows and columns of the part of a warp that multiplies on tensor cores.
pub(crate) const PART: u64 = 32;
/// The bytes that a thread reads at once from shared memory, or copies there.
const CHUNK: u64 = 16;
/// Shared memory that a kernel has unasked.
const SHARED_BYTES: u64 = 48 << 10;

/// What code is made for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Variant {
    /// What the elements are: floats.
    pub dtype: Dtype,
    /// Rows and columns of the tile of a block: 64 or 32; of singles also 128 and 16, of doubles also 16.
    pub tile: u64,
    /// Bytes that are copied at once, past the registers: 16, 8 or 4, which rows begin at multiples of. Elements of half precision
    /// that begin anywhere else (2) go through registers.
    pub copied: u64,
    /// Whether the first factor is in two parts.
    pub split: bool,
}

impl Variant {
    /// The one for a product, if there is one.
    pub fn of(product: &Product) -> Option<Self> {
        if !product.dtype.is_float() || product.m * product.n * product.k == 0 {
            return None;
        }
        let (dtype, size) = (product.dtype, product.dtype.size() as u64);
        let mut begins = vec![product.n as u64 * size, product.k as u64 * size, product.a, product.b];
        begins.extend(product.tail.iter().flat_map(|it| [it.from as u64 * size, it.at]));
        let copied = [CHUNK, 8, 4].into_iter().find(|&it| begins.iter().all(|at| at.is_multiple_of(it))).unwrap_or(2);
        let of = |tile| Self { dtype, tile, copied, split: product.tail.is_some() };
        let enough = TILES.into_iter().find(|&(tile, count)| of(tile).is_there() && of(tile).blocks(product) >= count);
        Some(of(enough.map_or(if copied == 2 { 64 } else { 32 }, |it| it.0)))
    }

    /// The same with another tile, if there is code for it.
    pub(crate) fn with_tile(self, tile: u64) -> Option<Self> {
        Some(Self { tile, ..self }).filter(|it| it.is_there())
    }

    fn is_there(self) -> bool {
        match self.dtype {
            Dtype::F32 => [128, 64, 32, 16].contains(&self.tile),
            Dtype::F64 => [64, 32, 16].contains(&self.tile),
            // What goes through registers needs many of them, and the more the fewer threads there are.
            _ => self.tile == 64 || (self.tile == 32 && self.copied != 2),
        }
    }

    /// How many blocks make a product.
    pub(crate) fn blocks(self, product: &Product) -> u64 {
        (product.m as u64).div_ceil(self.tile) * (product.n as u64).div_ceil(self.tile)
    }

    /// Whether tensor cores multiply.
    pub(crate) const fn is_half(self) -> bool {
        self.dtype.size() == 2
    }

    /// Elements of 16 bytes.
    pub(crate) const fn chunk(self) -> u64 {
        CHUNK / self.dtype.size() as u64
    }

    /// Elements that a thread brings to shared memory at once.
    pub(crate) const fn brought(self) -> u64 {
        if self.copied == 2 { self.chunk() } else { self.copied / self.dtype.size() as u64 }
    }

    /// Where the threads of a block stand otherwise: in so many rows and columns. Each has the rows that are a multiple of that many
    /// below its own, and as many chunks of columns.
    pub(crate) const fn grid(self) -> [u64; 2] {
        match self.tile {
            16 => [8, 8],
            32 => [16, 8],
            64 => [8, 16],
            _ => [16, 16],
        }
    }

    /// Threads of a block.
    pub(crate) const fn threads(self) -> u64 {
        if self.is_half() {
            return (self.tile / PART) * (self.tile / PART) * warp::LANES as u64;
        }
        self.grid()[0] * self.grid()[1]
    }

    /// How many blocks a multiprocessor has, at least: as many as leave each thread about 128 registers, or about 256.
    pub(crate) const fn together(self) -> u64 {
        let threads = if self.dtype.size() == 8 || self.tile == 128 || self.copied == 2 { 256 } else { 512 };
        threads / self.threads()
    }

    /// Which bits of a thread's number say its row in the grid, and which its column, the lowest first. They take turns, so that
    /// lanes beside each other share what they read of one factor or of the other.
    pub(crate) fn bits(self) -> [Vec<u32>; 2] {
        let mut bits = [Vec::new(), Vec::new()];
        let full = |axis: usize, bits: &[Vec<u32>; 2]| 1 << bits[axis].len() == self.grid()[axis];
        for bit in 0..self.threads().ilog2() {
            let axis = if bit % 2 == 0 { 1 } else { 0 };
            let axis = if full(axis, &bits) { 1 - axis } else { axis };
            bits[axis].push(bit);
        }
        bits
    }

    /// Columns beside each other that a thread has.
    pub(crate) fn beside(self) -> u64 {
        (self.tile / self.grid()[1]).min(self.chunk())
    }

    /// How far the elements of a thread are from its first: row by row.
    pub(crate) fn places(self) -> Vec<[u64; 2]> {
        let ([down, across], beside) = (self.grid(), self.beside());
        let columns = || (0..self.tile).step_by((across * beside) as usize).flat_map(|it| it..it + beside);
        (0..self.tile).step_by(down as usize).flat_map(|row| columns().map(move |column| [row, column])).collect()
    }

    /// Sums of a thread.
    pub(crate) const fn sums(self) -> u64 {
        self.tile * self.tile / self.threads()
    }

    /// Columns of the first factor, rows of the second, that are multiplied at a time. Small tiles have large steps, since there is
    /// little to do in each.
    pub(crate) const fn step(self) -> u64 {
        if self.is_half() || (self.tile < 64 && self.dtype.size() == 4) { 32 } else { 16 }
    }

    /// How many steps have room in shared memory: one is multiplied while the others come.
    pub(crate) const fn stages(self) -> u64 {
        let bytes = (self.tile * self.pitch(0) + self.step() * self.pitch(1)) * self.dtype.size() as u64;
        if self.copied != 2 && 4 * bytes <= SHARED_BYTES { 4 } else { 2 }
    }

    /// Rows and columns of the tiles of the factors.
    pub(crate) const fn tiles(self) -> [[u64; 2]; 2] {
        [[self.tile, self.step()], [self.step(), self.tile]]
    }

    /// Elements from one row to the next of a factor's tile: eight rows of 16 bytes are then in different banks.
    pub(crate) const fn pitch(self, which: usize) -> u64 {
        self.tiles()[which][1] + self.chunk()
    }
}

/// Whether zero is added to the sums of a product at the end: what is past the edge of the factors is multiplied, too.
pub(crate) fn is_padded(product: &Product) -> bool {
    Variant::of(product).is_some_and(|it| !(product.k as u64).is_multiple_of(it.step()))
}

/// Whether each sum is one chain of fused multiplications and additions, whoever makes it.
pub(crate) fn is_chain(product: &Product) -> bool {
    Variant::of(product).is_some_and(|it| !it.is_half())
}

/// Which of the parameters are the factors.
pub(crate) const FACTORS: std::ops::Range<usize> = 3..5;

/// The parameters of the kernel: those of the product, with how many columns the first part of the first factor has and where the
/// second is, if it is in two; and where it goes, or those of the epilogue.
pub(crate) fn params(product: &Product, epilogue: Option<&Run>) -> Vec<u64> {
    let mut words = vec![product.m as u64, product.n as u64, product.k as u64, product.a, product.b];
    words.extend(product.tail.iter().flat_map(|it| [it.from as u64, it.at]));
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
    assembled("product", &machine(options)?, cache, |llcx, module| write::write(llcx, module, variant, epilogue))
}

#[cfg(test)]
pub(crate) mod tests;
