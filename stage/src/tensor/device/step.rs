//! What a device is told to begin, as data: so that it can be noted and begun again.

use std::fmt;
use std::sync::Arc;

use super::run::{Coded, Job};
use super::sweep::{Given, Run};
use super::together::{self, PartRun};
use super::{Device, Epilogue, Product, Products};
use crate::backend::BackendError;
use crate::kernel::{Ended, KernelCode, Launch};
use crate::tensor::Dtype;
use crate::tensor::error::{Result, TensorError};

/// One piece of work.
#[derive(Clone)]
pub(super) enum Step {
    /// Several operations at once.
    Sweep(Arc<Coded>, Run),
    /// A kernel that is written as a body, which cannot fail.
    Kernel(Arc<dyn KernelCode>, Body),
    /// A product of matrices.
    Product(Product),
    /// Products of matrices as they lie.
    Products(Products),
    /// A product, and what is done with its elements before they are written.
    ProductInto(Product, Epilogue, Run),
    /// Several of those above as one kernel of one block, for some rounds.
    Together(Arc<together::Coded>, Vec<Vec<PartRun>>),
}

/// What such a kernel is run on.
#[derive(Clone)]
pub(super) struct Body {
    pub(super) job: Job,
    pub(super) shape: Vec<u64>,
    /// Addresses and lengths of arrays, and numbers.
    pub(super) slots: Vec<u64>,
    /// Which of the slots are addresses.
    pub(super) arrays: Vec<usize>,
    pub(super) to: u64,
}

impl Step {
    /// Begins it. `None` if the device would rather have something else.
    pub(super) fn begin(&self, device: &Arc<dyn Device>) -> Option<Result<()>> {
        let _span = tracing::debug_span!("launch", of = %self).entered();
        match self {
            Self::Product(product) => device.multiply(product),
            Self::Products(products) => device.multiply_all(products),
            Self::ProductInto(product, epilogue, run) => device.multiply_into(product, epilogue, run),
            // SAFETY: whoever has made the step says that the memory is that of the sweep.
            Self::Sweep(code, run) => Some(unsafe { code.code.run(run) }.map_err(failed)),
            Self::Kernel(code, body) => Some(body.run(&**code)),
            // SAFETY: as for sweeps.
            Self::Together(code, rounds) => Some(unsafe { code.code.run(rounds) }.map_err(failed)),
        }
    }

    /// The same on other memory.
    pub(super) fn moved(&self, to: impl Fn(u64) -> u64) -> Self {
        let mut it = self.clone();
        it.each_address(|address| *address = to(*address));
        it
    }

    /// Goes through all addresses.
    pub(super) fn each_address(&mut self, mut see: impl FnMut(&mut u64)) {
        let of_product = |it: &mut Product, see: &mut dyn FnMut(&mut u64)| {
            see(&mut it.a);
            see(&mut it.b);
            if let Some(tail) = &mut it.tail {
                see(&mut tail.at);
            }
        };
        match self {
            Self::Product(product) | Self::Products(Products { first: product, .. }) => {
                of_product(product, &mut see);
                see(&mut product.to);
            }
            Self::ProductInto(product, _, run) => {
                of_product(product, &mut see);
                each_of_run(run, see);
            }
            Self::Sweep(_, run) => each_of_run(run, see),
            Self::Together(_, rounds) => {
                for part in rounds.iter_mut().flatten() {
                    if let Some(product) = &mut part.product {
                        of_product(product, &mut see);
                    }
                    each_of_run(&mut part.run, &mut see);
                }
            }
            Self::Kernel(_, body) => {
                body.arrays.iter().for_each(|&at| see(&mut body.slots[at]));
                see(&mut body.to);
            }
        }
    }

    /// The numbers that it is passed, and what they are.
    pub(super) fn numbers(&self) -> Vec<(Dtype, u64)> {
        let mut numbers = Vec::new();
        self.clone().each_number(|dtype, bits| numbers.push((dtype, *bits)));
        numbers
    }

    /// Goes through them.
    pub(super) fn each_number(&mut self, mut see: impl FnMut(Dtype, &mut u64)) {
        let (sweep, run) = match self {
            Self::Sweep(code, run) => (&code.sweep, run),
            Self::ProductInto(_, epilogue, run) => (&epilogue.sweep, run),
            Self::Product(_) | Self::Products(_) | Self::Kernel(..) | Self::Together(..) => return,
        };
        for (input, given) in sweep.inputs.iter().zip(&mut run.inputs) {
            if let Given::Number(bits) = given {
                see(input.dtype, bits);
            }
        }
    }

    /// Whether another one does the same on other memory and with other numbers.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        let of_product = |x: &Product, y: &Product| {
            let from = |it: &Product| it.tail.map(|it| it.from);
            (x.dtype, x.m, x.n, x.k, from(x)) == (y.dtype, y.m, y.n, y.k, from(y))
        };
        let of_run = |x: &Run, y: &Run| {
            let is_like = |(x, y): (&Given, &Given)| match (x, y) {
                (Given::Number(_), Given::Number(_)) => true,
                (Given::Memory { steps: x, .. }, Given::Memory { steps: y, .. }) => x == y,
                (Given::Number(_), Given::Memory { .. }) | (Given::Memory { .. }, Given::Number(_)) => false,
            };
            let all_like = x.inputs.len() == y.inputs.len() && x.inputs.iter().zip(&y.inputs).all(is_like);
            (&x.dims, &x.to_steps, x.outputs.len()) == (&y.dims, &y.to_steps, y.outputs.len()) && all_like
        };
        match (self, other) {
            (Self::Sweep(x, x_run), Self::Sweep(y, y_run)) => x.sweep == y.sweep && of_run(x_run, y_run),
            (Self::Product(x), Self::Product(y)) => of_product(x, y),
            (Self::Products(x), Self::Products(y)) => {
                of_product(&x.first, &y.first) && (x.factors, x.count) == (y.factors, y.count)
            }
            (Self::ProductInto(x, x_then, x_run), Self::ProductInto(y, y_then, y_run)) => {
                of_product(x, y) && x_then == y_then && of_run(x_run, y_run)
            }
            (Self::Kernel(x, x_body), Self::Kernel(y, y_body)) => {
                let words = |it: &Body| {
                    let mut slots = it.slots.clone();
                    it.arrays.iter().for_each(|&at| slots[at] = 0);
                    slots
                };
                let is_same = Arc::as_ptr(x).addr() == Arc::as_ptr(y).addr() && words(x_body) == words(y_body);
                is_same && (&x_body.shape, &x_body.arrays) == (&y_body.shape, &y_body.arrays)
            }
            _ => false,
        }
    }

    /// Where it writes.
    pub(super) fn written(&self) -> Vec<u64> {
        match self {
            Self::Product(product) | Self::Products(Products { first: product, .. }) => vec![product.to],
            Self::ProductInto(_, _, run) | Self::Sweep(_, run) => run.outputs.clone(),
            Self::Kernel(_, body) => vec![body.to],
            Self::Together(_, rounds) => rounds.iter().flatten().flat_map(|it| it.run.outputs.clone()).collect(),
        }
    }
}

/// What it does, and to how much.
impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sweep(code, run) => write!(f, "{} of {:?}", code.words, run.dims),
            Self::Kernel(_, body) => write!(f, "{} of {:?}", body.job.word(), body.shape),
            Self::Product(it) => it.fmt(f),
            Self::Products(it) => write!(f, "{} times {}", it.count, it.first),
            Self::ProductInto(it, epilogue, _) => write!(f, "{it}, {}", epilogue.sweep.words()),
            Self::Together(code, rounds) => {
                write!(f, "{} times one block: {}", rounds.len(), code.words)
            }
        }
    }
}

/// Inputs move with their memory: the first element of one that is read from some position on may lie before it.
fn each_of_run(run: &mut Run, mut see: impl FnMut(&mut u64)) {
    for input in &mut run.inputs {
        if let Given::Memory { first, inside, .. } = input {
            let before = inside.0;
            see(&mut inside.0);
            let far = inside.0.wrapping_sub(before);
            (*first, inside.1) = (first.wrapping_add(far), inside.1.wrapping_add(far));
        }
    }
    run.outputs.iter_mut().for_each(see);
}

impl Body {
    fn run(&self, code: &dyn KernelCode) -> Result<()> {
        let outputs = [std::ptr::with_exposed_provenance_mut::<u8>(self.to as usize)];
        let launch = Launch {
            shape: &self.shape,
            args: &self.slots,
            outputs: &outputs,
            stop: &|| false,
            resident: &vec![true; self.arrays.len()],
            stays: true,
            never_fails: true,
        };
        // SAFETY: whoever has made the step says that the slots are those of the kernel; the memory is the device's own.
        match unsafe { code.run(&launch) } {
            Ok(Ended::Done) => Ok(()),
            Ok(Ended::Failed(_) | Ended::Stopped) => {
                Err(TensorError::Value("a kernel that cannot fail failed".to_owned()))
            }
            Err(error) => Err(failed(error)),
        }
    }
}

fn failed(error: BackendError) -> TensorError {
    TensorError::Memory(error.to_string())
}
