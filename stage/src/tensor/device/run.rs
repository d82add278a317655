//! Running eager kernels: which steps the operands have, and the code that was made before.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::replay::begin;
use super::step::{Body, Step};
use super::sweep::{Sweep, SweepCode};
use super::together::{self, Part};
use super::{Device, body};
use crate::backend::BackendError;
use crate::kernel::KernelCode;
use crate::tensor::Tensor;
use crate::tensor::error::{Result, TensorError};
use crate::tensor::reduce::Fold;
use crate::tensor::scan::Scan;
use crate::types::Elem;

/// A kernel that is written as a body of the IR.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Job {
    /// Along the second axis of two, in lanes; whether that axis is the faster one.
    Fold(Fold, bool),
    /// Rows by columns.
    Product,
    /// All of a line up to the position, from one on where that is known.
    Scan(Scan),
    /// Some elements of a line up to the position, equally far from each other.
    Window(Scan),
    /// Where in its run the element at the position goes; whether the greatest comes first.
    Rank(bool),
    /// Which position of the run goes to the position.
    Ranked,
    /// The same, of two runs that are in order.
    Merge(bool),
    /// Where an element belongs in a line that is in order; whether behind its equals.
    Search(bool),
    /// How many keys in order are below the position along the first axis.
    Below,
    /// The sum of what has the key that the position along the first axis is, in order.
    SumOfKey,
    /// The last of what has that key, or what was there.
    LastOfKey,
}

/// What code is made for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Key {
    pub(super) job: Job,
    /// What the operands are.
    pub(super) takes: Elem,
    pub(super) gives: Elem,
}

impl Job {
    /// What it is called.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Fold(fold, _) => fold.text(),
            Self::Product => "product",
            Self::Scan(scan) | Self::Window(scan) => scan.text(),
            Self::Rank(_) => "rank",
            Self::Ranked => "ranked",
            Self::Merge(_) => "merge",
            Self::Search(_) => "search",
            Self::Below => "below",
            Self::SumOfKey => "sum of key",
            Self::LastOfKey => "last of key",
        }
    }
}

/// Axes of several tensors of one shape, of which those are one that can be.
pub(super) struct Axes {
    pub(super) dims: Vec<usize>,
    /// The steps of each tensor.
    pub(super) steps: Vec<Vec<isize>>,
}

impl Axes {
    /// The axes of a shape, with the steps of tensors that have been stretched to it.
    pub(super) fn of(dims: &[usize], steps: &[&[isize]]) -> Self {
        let mut it = Self { dims: Vec::new(), steps: vec![Vec::new(); steps.len()] };
        for (axis, &dim) in dims.iter().enumerate() {
            if dim == 1 {
                continue;
            }
            let last = it.dims.len().checked_sub(1);
            let joins = |(mine, theirs): (&Vec<isize>, &&[isize])| {
                last.is_some_and(|last| mine[last] == theirs[axis] * dim as isize)
            };
            match last {
                Some(last) if it.steps.iter().zip(steps).all(joins) => {
                    it.dims[last] *= dim;
                    it.steps.iter_mut().zip(steps).for_each(|(mine, theirs)| mine[last] = theirs[axis]);
                }
                _ => {
                    it.dims.push(dim);
                    it.steps.iter_mut().zip(steps).for_each(|(mine, theirs)| mine.push(theirs[axis]));
                }
            }
        }
        if it.dims.is_empty() {
            it.dims.push(1);
            it.steps.iter_mut().for_each(|steps| steps.push(1));
        }
        it
    }
}

/// Runs the code for a key, made now or before, on the memory of tensors, from its beginning, and on numbers.
pub(super) fn run(
    device: &Arc<dyn Device>,
    key: Key,
    shape: &[usize],
    (memory, numbers): (&[&Tensor], &[i64]),
    to: u64,
) -> Result<()> {
    if shape.contains(&0) {
        return Ok(());
    }
    let code = code(device, key)?;
    let (mut slots, mut arrays) = (Vec::new(), Vec::new());
    for tensor in memory {
        tensor.begin()?;
        let block = tensor.buf().block().expect("operands have been moved to the device");
        arrays.push(slots.len());
        slots.extend([block.place(), (tensor.buf().bytes() / tensor.dtype().size()) as u64]);
    }
    slots.extend(numbers.iter().map(|it| it.cast_unsigned()));
    let shape = shape.iter().map(|&it| it as u64).collect();
    begin(device, Step::Kernel(code, Body { job: key.job, shape, slots, arrays, to }))
        .expect("kernels are begun as they are")
}

/// What was made before, by device and what it is for.
struct Known<K, C: ?Sized>(Mutex<Option<OfDevices<K, C>>>);

type OfDevices<K, C> = HashMap<usize, HashMap<K, Arc<C>>>;

impl<K: Clone + Eq + std::hash::Hash, C: ?Sized> Known<K, C> {
    const fn new() -> Self {
        Self(Mutex::new(None))
    }

    fn get(
        &self,
        device: &Arc<dyn Device>,
        key: &K,
        make: impl FnOnce() -> std::result::Result<Arc<C>, BackendError>,
    ) -> Result<Arc<C>> {
        let device = Arc::as_ptr(device).cast::<()>().addr();
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known().get_or_insert_default().get(&device).and_then(|it| it.get(key)) {
            return Ok(Arc::clone(found));
        }
        let code = super::compiled(make).map_err(|error| TensorError::Type(error.to_string()))?;
        known().get_or_insert_default().entry(device).or_default().insert(key.clone(), Arc::clone(&code));
        Ok(code)
    }
}

fn code(device: &Arc<dyn Device>, key: Key) -> Result<Arc<dyn KernelCode>> {
    static KNOWN: Known<Key, dyn KernelCode> = Known::new();
    KNOWN.get(device, &key, || device.compile(&body::kernel(&key)))
}

/// A sweep, its code, and what it is called.
pub(super) struct Coded {
    pub(super) sweep: Sweep,
    pub(super) code: Arc<dyn SweepCode>,
    pub(super) words: String,
}

/// That of a sweep, made now or before.
pub(super) fn sweep_code(device: &Arc<dyn Device>, sweep: &Sweep) -> Result<Arc<Coded>> {
    static KNOWN: Known<Sweep, Coded> = Known::new();
    KNOWN.get(device, sweep, || {
        Ok(Arc::new(Coded { sweep: sweep.clone(), code: device.sweep(sweep)?, words: sweep.words() }))
    })
}

/// The code of several kernels as one, made now or before.
pub(super) fn together_code(device: &Arc<dyn Device>, parts: &Vec<Part>) -> Result<Arc<together::Coded>> {
    static KNOWN: Known<Vec<Part>, together::Coded> = Known::new();
    KNOWN.get(device, parts, || Ok(Arc::new(together::Coded::of(&**device, parts)?)))
}
