//! The memory of simulated GPUs: some of this machine's, that tensors take for another one's.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use snekpy_stage::backend::BackendError;
use snekpy_stage::kernel::{Kernel, KernelBackend, KernelCode};
use snekpy_stage::tensor::device::sweep::{Given, Run, Sweep, SweepCode};
use snekpy_stage::tensor::device::together::{OneBlock, Part, PartRun, TogetherCode};
use snekpy_stage::tensor::device::{Device, Epilogue, Factor, Pace, Product, Products, Use};
use snekpy_stage::tensor::{Dtype, Result, TensorError};

use super::Simt;
use crate::{product, together};

/// A simulated GPU as a device. Every access is checked: to memory that it gave out, and to no more of it.
#[derive(Debug)]
pub(super) struct Memory {
    simt: Simt,
    blocks: Mutex<HashMap<u64, Vec<u64>>>,
}

/// The memory of a simulated GPU: one for the process, by its number and whether it has a library.
pub(super) fn of(simt: Simt) -> Arc<Memory> {
    static ALL: Mutex<Vec<Arc<Memory>>> = Mutex::new(Vec::new());
    let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
    let is_it = |it: &&Arc<Memory>| (it.simt.number, it.simt.has_library) == (simt.number, simt.has_library);
    if let Some(found) = all.iter().find(is_it) {
        return Arc::clone(found);
    }
    let simt = Simt { number: simt.number, has_library: simt.has_library, ..Simt::default() };
    all.push(Arc::new(Memory { simt, blocks: Mutex::default() }));
    Arc::clone(&all[all.len() - 1])
}

/// A sweep on what lies in the memory of one of them.
struct Placed {
    code: Arc<dyn SweepCode>,
    simt: Simt,
}

/// The same of several as one kernel.
struct PlacedTogether {
    code: Arc<dyn TogetherCode>,
    parts: Vec<Part>,
    simt: Simt,
}

impl TogetherCode for PlacedTogether {
    unsafe fn run(&self, rounds: &[Vec<PartRun>]) -> std::result::Result<(), BackendError> {
        let memory = of(self.simt);
        for (part, given) in rounds.iter().flat_map(|it| self.parts.iter().zip(it)) {
            memory.has(&given.run, part.product)?;
            if let Some(Product { dtype, m, n, k, a, b, .. }) = given.product {
                for (address, count) in [(a, m * k), (b, k * n)] {
                    memory.bytes(address, count * dtype.size()).map_err(said)?;
                }
            }
        }
        // SAFETY: passed on.
        unsafe { self.code.run(rounds) }
    }
}

fn said(error: TensorError) -> BackendError {
    BackendError(error.to_string())
}

impl SweepCode for Placed {
    unsafe fn run(&self, run: &Run) -> std::result::Result<(), BackendError> {
        of(self.simt).has(run, None)?;
        // SAFETY: passed on.
        unsafe { self.code.run(run) }
    }
}

impl Memory {
    /// Looks whether what a sweep is run on is memory of the device, but for an input that is a product.
    fn has(&self, run: &Run, product: Option<u16>) -> std::result::Result<(), BackendError> {
        // Only where it begins: of a part that moves, in work that is begun again, the end moves with it.
        let inputs = run.inputs.iter().enumerate().filter_map(|(at, it)| match it {
            Given::Memory { inside, .. } if product != Some(at as u16) => Some(inside.0),
            Given::Memory { .. } | Given::Number(_) => None,
        });
        inputs.chain(run.outputs.iter().copied()).try_for_each(|it| self.bytes(it, 0).map(drop)).map_err(said)
    }

    fn blocks(&self) -> MutexGuard<'_, HashMap<u64, Vec<u64>>> {
        self.blocks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The bytes from an address on, if there are so many.
    fn bytes(&self, address: u64, len: usize) -> Result<*mut u8> {
        let blocks = self.blocks();
        let inside = blocks.iter().find(|(first, words)| {
            let bytes = 8 * words.len() as u64;
            (**first..=**first + bytes).contains(&address) && address + len as u64 <= **first + bytes
        });
        match inside {
            Some(_) => Ok(std::ptr::with_exposed_provenance_mut(address as usize)),
            None => {
                let name = self.name();
                Err(TensorError::Value(format!("{name}: {len} bytes at {address:#x} are not memory of the device")))
            }
        }
    }
}

impl Memory {
    /// A dense copy of a matrix of a factor.
    fn copied(&self, dtype: Dtype, first: u64, factor: Factor, [rows, columns]: [usize; 2]) -> Result<Vec<u64>> {
        let size = dtype.size();
        let mut words = vec![0_u64; (rows * columns * size).div_ceil(8)];
        let to = words.as_mut_ptr().cast::<u8>();
        for at in 0..rows * columns {
            let (row, column) = (at / columns, at % columns);
            let far = if factor.turned { column * factor.row + row } else { row * factor.row + column };
            let from = self.bytes(first + (far * size) as u64, size)?;
            // SAFETY: it was looked whether the element is there, and there is room for all of them.
            unsafe { std::ptr::copy_nonoverlapping(from, to.add(at * size), size) };
        }
        Ok(words)
    }

    /// One of several products, as our own kernel makes it.
    fn multiplied_one(&self, products: &Products, at: usize) -> Result<()> {
        let Products { first, factors: [a, b], .. } = products;
        let Product { dtype, m, n, k, .. } = *first;
        let far = |it: usize| (at * it * dtype.size()) as u64;
        let a = self.copied(dtype, first.a + far(a.matrix), *a, [m, k])?;
        let b = self.copied(dtype, first.b + far(b.matrix), *b, [k, n])?;
        let to = first.to + far(m * n);
        self.bytes(to, m * n * dtype.size())?;
        let [a, b] = [a, b].map(|it| (it.as_ptr().expose_provenance() as u64, it));
        let product = Product { a: a.0, b: b.0, to, ..*first };
        // SAFETY: the factors are the copies, and it was looked whether there is room for the product.
        unsafe { product::simulate(&product, None, 7, true) }.map_err(|error| TensorError::Value(error.to_string()))
    }

    fn multiplied(&self, product: &Product, epilogue: Option<(&Epilogue, &Run)>) -> Option<Result<()>> {
        product::Variant::of(product)?;
        let Product { dtype, m, n, k, a, tail, b, to } = *product;
        let mut all = vec![(a, dtype, m * tail.map_or(k, |it| it.from)), (b, dtype, k * n)];
        all.extend(tail.map(|it| (it.at, dtype, m * (k - it.from))));
        match epilogue {
            None => all.push((to, dtype, m * n)),
            Some((Epilogue { sweep, .. }, run)) => {
                let outputs = sweep.outputs.iter().zip(&run.outputs);
                all.extend(outputs.map(|(&it, &to)| (to, sweep.members[usize::from(it)].dtype, m * n)));
            }
        }
        let is_there =
            all.into_iter().try_for_each(|(address, dtype, count)| self.bytes(address, dtype.size() * count).map(drop));
        Some(is_there.and_then(|()| {
            // SAFETY: it was looked whether there are so many elements; who asks for a product looks at nothing meanwhile.
            unsafe { product::simulate(product, epilogue, a ^ b, true) }
                .map_err(|error| TensorError::Value(error.to_string()))
        }))
    }
}

impl Device for Memory {
    fn name(&self) -> &str {
        if self.simt.has_library { "simt with a library" } else { self.simt.name() }
    }

    fn allocate(&self, bytes: usize, what: &str, _for_use: Use) -> Result<u64> {
        let len = bytes.div_ceil(8).max(1);
        let mut words = Vec::new();
        words.try_reserve_exact(len).map_err(|_| TensorError::Memory(format!("simt: no memory for {what}")))?;
        // What is read before it was written stands out.
        words.resize(len, 0x7ff4_dead_7fa0_dead_u64);
        let address = words.as_mut_ptr().expose_provenance() as u64;
        self.blocks().insert(address, words);
        Ok(address)
    }

    fn free(&self, address: u64, _bytes: usize) {
        let was = self.blocks().remove(&address);
        debug_assert!(was.is_some(), "it was given out and not given back");
    }

    fn upload(&self, to: u64, from: &[u8]) -> Result<()> {
        let to = self.bytes(to, from.len())?;
        // SAFETY: it was looked whether there are so many bytes, which are apart from others.
        unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), to, from.len()) };
        Ok(())
    }

    fn download(&self, from: u64, to: &mut [u8], meanwhile: &mut dyn FnMut()) -> Result<()> {
        meanwhile();
        let _span = tracing::debug_span!("copy from the device", bytes = to.len()).entered();
        let from = self.bytes(from, to.len())?;
        // SAFETY: as above.
        unsafe { std::ptr::copy_nonoverlapping(from, to.as_mut_ptr(), to.len()) };
        Ok(())
    }

    /// Nothing is gained here, but seen: what is begun ahead is what would have been carried out.
    fn iterations_ahead(&self, pace: &Pace) -> usize {
        pace.iterations.min(3)
    }

    /// What a GPU is expected to do, as soon as it has been begun a few times.
    fn one_block(&self) -> Option<OneBlock> {
        Some(OneBlock { pays_after: 2, ..together::USUAL })
    }

    fn takes_parts(&self, product: &Product) -> bool {
        !self.simt.has_library && product.may_be_in_parts()
    }

    fn chains(&self, product: &Product) -> bool {
        product::is_chain(product)
    }

    fn together(&self, parts: &[Part]) -> std::result::Result<Arc<dyn TogetherCode>, BackendError> {
        let (code, parts, simt) = (self.simt.together(parts), parts.to_vec(), self.simt);
        Ok(Arc::new(PlacedTogether { code, parts, simt }))
    }

    fn compile(&self, kernel: &Kernel) -> std::result::Result<Arc<dyn KernelCode>, BackendError> {
        self.simt.compile(kernel)
    }

    fn multiply(&self, product: &Product) -> Option<Result<()>> {
        self.multiplied(product, None)
    }

    fn multiply_all(&self, products: &Products) -> Option<Result<()>> {
        self.simt.has_library.then(|| (0..products.count).try_for_each(|at| self.multiplied_one(products, at)))
    }

    fn multiplies_all(&self, dtype: Dtype) -> bool {
        self.simt.has_library && dtype.is_float()
    }

    fn multiplies(&self, dtype: Dtype) -> bool {
        dtype.is_float()
    }

    fn multiply_into(&self, product: &Product, epilogue: &Epilogue, run: &Run) -> Option<Result<()>> {
        (!self.simt.has_library).then(|| self.multiplied(product, Some((epilogue, run)))).flatten()
    }

    fn sweep(&self, sweep: &Sweep) -> std::result::Result<Arc<dyn SweepCode>, BackendError> {
        Ok(Arc::new(Placed { code: self.simt.sweep(sweep), simt: self.simt }))
    }
}
