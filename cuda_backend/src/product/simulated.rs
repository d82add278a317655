//! The same on the simulated GPU: thread by thread and warp by warp, with checks of every access.

use half::{bf16, f16};
use snekpy_stage::backend::BackendError;
use snekpy_stage::list;
use snekpy_stage::tensor::Dtype;
use snekpy_stage::tensor::device::sweep::{Given, Run, Value};
use snekpy_stage::tensor::device::{Epilogue, Product};
use snekpy_stage::types::Elem;

use super::warp::{self, LANES, Registers};
use super::{PART, Variant};
use crate::simt::shared::Shared;
use crate::simt::sweep::computed;

/// The sums of a warp: for each tile of an instruction, or of each thread.
enum Sums {
    Tiles(Vec<Registers<f32, 4>>),
    Chains(Vec<Vec<f64>>),
}

/// A matrix in memory.
#[derive(Clone, Copy)]
struct Matrix {
    first: *const u8,
    shape: [u64; 2],
    elem: Elem,
    /// Where its columns are from one on, if it is in two parts.
    tail: Option<(u64, *const u8)>,
}

impl Matrix {
    fn new(address: u64, shape: [usize; 2], dtype: Dtype) -> Self {
        let first = std::ptr::with_exposed_provenance(address as usize);
        Self { first, shape: shape.map(|it| it as u64), elem: dtype.elem(), tail: None }
    }

    /// An element; zero past the edge.
    fn at(&self, row: u64, column: u64) -> f64 {
        if row >= self.shape[0] || column >= self.shape[1] {
            return 0.0;
        }
        let (first, far) = match self.tail {
            Some((from, tail)) if column >= from => (tail, row * (self.shape[1] - from) + column - from),
            Some((from, _)) => (self.first, row * from + column),
            None => (self.first, row * self.shape[1] + column),
        };
        // SAFETY: it is inside, and whoever simulates says that the matrix is there.
        f64::from_bits(unsafe { list::load(self.elem, first.add(far as usize * self.elem.size())) })
    }
}

/// Makes a product, block by block. Warps come in an order that the seed says.
///
/// # Errors
/// A race, or shared memory that was read before it was written: mistakes of the kernel.
///
/// # Safety
/// The product's addresses are those of memory that is there and has so many elements; nobody else looks at the result.
pub unsafe fn simulate(
    product: &Product,
    epilogue: Option<(&Epilogue, &Run)>,
    seed: u64,
    barriers: bool,
) -> Result<(), BackendError> {
    let Some(variant) = Variant::of(product) else {
        return Err(BackendError("simt: nobody makes such a product".to_owned()));
    };
    // SAFETY: the caller's promise.
    unsafe { simulate_by(variant, product, epilogue, seed, barriers) }
}

/// The same with any code for such elements.
///
/// # Errors
/// The same.
///
/// # Safety
/// The same.
pub(super) unsafe fn simulate_by(
    variant: Variant,
    product: &Product,
    epilogue: Option<(&Epilogue, &Run)>,
    seed: u64,
    barriers: bool,
) -> Result<(), BackendError> {
    let tail = product.tail.map(|it| (it.from as u64, std::ptr::with_exposed_provenance(it.at as usize)));
    let a = Matrix { tail, ..Matrix::new(product.a, [product.m, product.k], product.dtype) };
    let b = Matrix::new(product.b, [product.k, product.n], product.dtype);
    let (elem, to) = (a.elem, std::ptr::with_exposed_provenance_mut::<u8>(product.to as usize));
    let across = (product.n as u64).div_ceil(variant.tile);
    for number in 0..variant.blocks(product) {
        let corner = [number / across, number % across].map(|it| it * variant.tile);
        let mut block = Block::new(variant, product.k, [a, b], corner, seed ^ number, barriers);
        let sums = block.run()?;
        for (warp, sums) in sums.iter().enumerate() {
            for (row, column, sum) in placed(variant, warp as u64, sums) {
                let (row, column) = (corner[0] + row, corner[1] + column);
                if row < product.m as u64 && column < product.n as u64 {
                    let far = row * product.n as u64 + column;
                    match epilogue {
                        // SAFETY: the caller's promise.
                        Some((epilogue, run)) => unsafe { finish(epilogue, run, [row, column, far], elem, sum)? },
                        // SAFETY: it is inside the product.
                        None => unsafe { list::store(elem, to.add(far as usize * elem.size()), sum.to_bits()) },
                    }
                }
            }
        }
    }
    Ok(())
}

/// Goes on with an element at a row and a column, so far from the first, and writes what comes of it.
///
/// # Safety
/// The memory of the inputs is there, and outputs have an element for each of the product's.
unsafe fn finish(
    epilogue: &Epilogue,
    run: &Run,
    [row, column, far]: [u64; 3],
    elem: Elem,
    sum: f64,
) -> Result<(), BackendError> {
    let sweep = &epilogue.sweep;
    let mut element = 0_u64;
    // SAFETY: a word has room for any element.
    unsafe { list::store(elem, (&raw mut element).cast(), sum.to_bits()) };
    let place = if sweep.rank == 1 { vec![far] } else { vec![row, column] };
    let mut inputs = Vec::new();
    for (at, (input, given)) in sweep.inputs.iter().zip(&run.inputs).enumerate() {
        inputs.push(match given {
            _ if at == usize::from(epilogue.input) => element,
            Given::Number(bits) => *bits,
            Given::Memory { first, steps, inside } => {
                let steps = steps.iter().copied().chain([1]);
                let distance: i64 = place.iter().zip(steps).map(|(&at, step)| at as i64 * step).sum();
                let size = input.dtype.size();
                let address = first.wrapping_add_signed(distance * size as i64);
                if address < inside.0 || address + size as u64 > inside.1 {
                    return Err(BackendError(format!("simt: a product reads outside of input {at} of its epilogue")));
                }
                let mut word = 0_u64;
                let from = std::ptr::with_exposed_provenance::<u8>(address as usize);
                // SAFETY: it is inside; a word has room for it.
                unsafe { std::ptr::copy_nonoverlapping(from, (&raw mut word).cast(), size) };
                word
            }
        });
    }
    let mut members: Vec<u64> = Vec::new();
    for member in &sweep.members {
        let takes: Vec<Dtype> = member.args.iter().map(|&it| sweep.dtype(it)).collect();
        let word = |it: &Value| match *it {
            Value::Input(at) => inputs[usize::from(at)],
            Value::Member(at) => members[usize::from(at)],
        };
        let args: Vec<u64> = member.args.iter().map(word).collect();
        let made = computed(member.job, &takes, member.dtype, &args);
        members.push(made.ok_or_else(|| BackendError(format!("simt: no epilogue has {:?}", member.job)))?);
    }
    for (&output, &first) in sweep.outputs.iter().zip(&run.outputs) {
        let (word, size) = (members[usize::from(output)], sweep.members[usize::from(output)].dtype.size());
        let to = std::ptr::with_exposed_provenance_mut::<u8>(first as usize + far as usize * size);
        // SAFETY: the caller's promise.
        unsafe { std::ptr::copy_nonoverlapping((&raw const word).cast(), to, size) };
    }
    Ok(())
}

/// Where the part of a warp begins in the tile.
fn part(variant: Variant, warp: u64) -> [u64; 2] {
    let across = variant.tile / PART;
    [warp / across * PART, warp % across * PART]
}

/// The sums of a warp with their places in the tile.
fn placed(variant: Variant, warp: u64, sums: &Sums) -> Vec<(u64, u64, f64)> {
    match sums {
        Sums::Tiles(tiles) => placed_tiles(variant, warp, tiles).collect(),
        Sums::Chains(all) => {
            let of_thread = |(thread, sums): (u64, &Vec<f64>)| {
                let places = places(variant, thread).into_iter().zip(sums);
                places.map(|([row, column], &sum)| (row, column, sum)).collect::<Vec<_>>()
            };
            (LANES as u64 * warp..).zip(all).flat_map(of_thread).collect()
        }
    }
}

/// The places of a thread's sums, where threads stand in a grid.
fn places(variant: Variant, thread: u64) -> Vec<[u64; 2]> {
    let gathered = |bits: &[u32]| (0..).zip(bits).map(|(to, from)| (thread >> from & 1) << to).sum::<u64>();
    let [row, column] = variant.bits().map(|it| gathered(&it));
    let column = column * variant.beside();
    variant.places().into_iter().map(|[down, right]| [row + down, column + right]).collect()
}

fn placed_tiles(variant: Variant, warp: u64, sums: &[Registers<f32, 4>]) -> impl Iterator<Item = (u64, u64, f64)> {
    let [first, left] = part(variant, warp);
    let tiles = (0..PART).step_by(16).flat_map(|row| (0..PART).step_by(8).map(move |column| (row, column)));
    tiles.zip(sums).flat_map(move |((row, column), registers)| {
        registers.iter().enumerate().flat_map(move |(lane, four)| {
            four.iter().enumerate().map(move |(register, &sum)| {
                let down = lane as u64 / 4 + register as u64 / 2 * 8;
                let right = lane as u64 % 4 * 2 + register as u64 % 2;
                (first + row + down, left + column + right, f64::from(sum))
            })
        })
    })
}

struct Block {
    depth: u64,
    factors: [Matrix; 2],
    corner: [u64; 2],
    shared: [Shared<f64>; 2],
    random: u64,
    barriers: bool,
    variant: Variant,
}

impl Block {
    fn new(variant: Variant, depth: usize, factors: [Matrix; 2], corner: [u64; 2], seed: u64, barriers: bool) -> Self {
        let cells = |it: usize| variant.stages() * variant.tiles()[it][0] * variant.pitch(it);
        let shared = [0, 1].map(|it| Shared::new(cells(it) as usize, 0.0));
        Self { depth: depth as u64, factors, corner, shared, random: seed, barriers, variant }
    }

    fn run(&mut self) -> Result<Vec<Sums>, BackendError> {
        let count = self.variant.sums() as usize;
        let none = || match self.variant.is_half() {
            true => Sums::Tiles(vec![[[0.0; 4]; LANES]; count / 4]),
            false => Sums::Chains(vec![vec![0.0; count]; LANES]),
        };
        let mut sums: Vec<Sums> = (0..self.variant.threads() as usize / LANES).map(|_| none()).collect();
        let width = self.variant.step();
        let ahead = (self.variant.stages() - 1) * width;
        for step in (0..ahead).step_by(width as usize) {
            for warp in self.order() {
                self.fetch(warp, step)?;
            }
        }
        for step in (0..self.depth).step_by(width as usize) {
            if self.barriers {
                self.shared.iter_mut().for_each(Shared::barrier);
            }
            for warp in self.order() {
                self.fetch(warp, step + ahead)?;
                match &mut sums[warp as usize] {
                    Sums::Tiles(sums) => self.multiply_tiles(warp, step, sums)?,
                    Sums::Chains(sums) => self.multiply(warp, step, sums)?,
                }
            }
        }
        Ok(sums)
    }

    /// The warps in some order.
    fn order(&mut self) -> Vec<u64> {
        let mut warps: Vec<u64> = (0..self.variant.threads() / LANES as u64).collect();
        for at in (1..warps.len()).rev() {
            self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            warps.swap(at, (self.random >> 33) as usize % (at + 1));
        }
        warps
    }

    fn stage(&self, which: usize, step: u64) -> u64 {
        step / self.variant.step() % self.variant.stages() * self.variant.tiles()[which][0] * self.variant.pitch(which)
    }

    fn fetch(&mut self, warp: u64, step: u64) -> Result<(), BackendError> {
        let corners = [[self.corner[0], step], [step, self.corner[1]]];
        for which in [0, 1] {
            let (tile, each) = (self.variant.tiles()[which], self.variant.brought());
            let (across, first) = (tile[1] / each, self.stage(which, step));
            for turn in 0..tile[0] * across / self.variant.threads() {
                for thread in LANES as u64 * warp..LANES as u64 * (warp + 1) {
                    let chunk = thread + turn * self.variant.threads();
                    let (row, column) = (chunk / across, chunk % across * each);
                    for at in 0..each {
                        let found = self.factors[which].at(corners[which][0] + row, corners[which][1] + column + at);
                        let place = first + row * self.variant.pitch(which) + column + at;
                        self.shared[which].write(place as usize, found, thread)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// The rows of four matrices, which the lanes find in turn.
    fn matrices(
        &mut self,
        which: usize,
        [row, column]: [u64; 2],
        step: u64,
        warp: u64,
    ) -> Result<Registers<u32, 4>, BackendError> {
        let mut rows = [[0; 8]; LANES];
        for (lane, found) in (0..).zip(&mut rows) {
            let first = (row + lane % 16) * self.variant.pitch(which) + column + lane / 16 * 8;
            let first = first + self.stage(which, step);
            for (at, element) in (first as usize..).zip(found) {
                let value = self.shared[which].read(at, LANES as u64 * warp + lane)?;
                *element = match self.variant.dtype {
                    Dtype::F16 => f16::from_f64(value).to_bits(),
                    _ => bf16::from_f64(value).to_bits(),
                };
            }
        }
        Ok(warp::load_matrices(&rows, which == 1))
    }

    /// Thread by thread: chains of products in the dtype.
    fn multiply(&mut self, warp: u64, step: u64, sums: &mut [Vec<f64>]) -> Result<(), BackendError> {
        let stages = [self.stage(0, step), self.stage(1, step)];
        for (thread, sums) in (LANES as u64 * warp..).zip(sums) {
            let places = places(self.variant, thread);
            for depth in 0..self.variant.step() {
                for ([row, column], sum) in places.iter().copied().zip(&mut *sums) {
                    let left = stages[0] + row * self.variant.pitch(0) + depth;
                    let above = stages[1] + depth * self.variant.pitch(1) + column;
                    let x = self.shared[0].read(left as usize, thread)?;
                    let y = self.shared[1].read(above as usize, thread)?;
                    *sum = match self.variant.dtype {
                        Dtype::F64 => x.mul_add(y, *sum),
                        _ => f64::from((x as f32).mul_add(y as f32, *sum as f32)),
                    };
                }
            }
        }
        Ok(())
    }

    /// By tensor cores: warp by warp.
    fn multiply_tiles(&mut self, warp: u64, step: u64, sums: &mut [Registers<f32, 4>]) -> Result<(), BackendError> {
        let [first, left] = part(self.variant, warp);
        for depth in (0..self.variant.step()).step_by(16) {
            let mut xs = Vec::new();
            for row in (0..PART).step_by(16) {
                xs.push(self.matrices(0, [first + row, depth], step, warp)?);
            }
            let mut ys: Vec<Registers<u32, 2>> = Vec::new();
            for column in (0..PART).step_by(16) {
                let both = self.matrices(1, [depth, left + column], step, warp)?;
                ys.extend([both.map(|it| [it[0], it[1]]), both.map(|it| [it[2], it[3]])]);
            }
            let mut sums = sums.iter_mut();
            for x in &xs {
                for (y, sum) in ys.iter().zip(&mut sums) {
                    *sum = warp::multiply(self.variant.dtype, x, y, sum);
                }
            }
        }
        Ok(())
    }
}
