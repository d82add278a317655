//! Running eager kernels: which steps the operands have, and the code that was made before.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::{Device, body};
use crate::kernel::{Ended, KernelCode, Launch};
use crate::tensor::elementwise::{Bits1, Bits2, Cmp, Num1, Num2, Real1, Real2, Test1};
use crate::tensor::error::{Result, TensorError};
use crate::tensor::reduce::Fold;
use crate::tensor::{Item, Tensor};
use crate::types::Elem;

/// What is computed for each element.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Job {
    Copy,
    Cast,
    Num1(Num1),
    Real1(Real1),
    Bits1(Bits1),
    Test1(Test1),
    Num2(Num2),
    Real2(Real2),
    Bits2(Bits2),
    Compare(Cmp),
    Select,
    /// Along the second axis of two, in lanes; then which axis is the faster one.
    Fold(Fold),
    /// Rows by columns.
    Product,
}

/// How elements of an operand are found.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Access {
    /// It is a number.
    Number,
    /// The one at the position.
    Dense,
    /// By a step for each axis.
    Steps,
}

/// What code is made for.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Key {
    pub(super) job: Job,
    pub(super) rank: usize,
    pub(super) operands: Vec<(Elem, Access)>,
    pub(super) out: Elem,
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

/// An argument of a kernel.
pub(super) enum Arg<'a> {
    /// The memory of a tensor, from its beginning.
    Memory(&'a Tensor),
    /// A number.
    Item(Item),
    Int(i64),
}

/// Runs the code for a key, made now or before.
pub(super) fn run(device: &Arc<dyn Device>, key: Key, shape: &[usize], args: &[Arg<'_>], to: u64) -> Result<()> {
    if shape.contains(&0) {
        return Ok(());
    }
    let code = code(device, key)?;
    let shape: Vec<u64> = shape.iter().map(|&it| it as u64).collect();
    let mut slots = Vec::new();
    let mut resident = Vec::new();
    for arg in args {
        match arg {
            Arg::Memory(tensor) => {
                let block = tensor.buf().block().expect("operands have been moved to the device");
                slots.extend([block.address(), (tensor.buf().bytes() / tensor.dtype().size()) as u64]);
                resident.push(true);
            }
            Arg::Item(Item::Bool(it)) => slots.push(u64::from(*it)),
            Arg::Item(Item::Int(it)) | Arg::Int(it) => slots.push(it.cast_unsigned()),
            Arg::Item(Item::Float(it)) => slots.push(it.to_bits()),
        }
    }
    let outputs = [std::ptr::with_exposed_provenance_mut::<u8>(to as usize)];
    let launch = Launch {
        shape: &shape,
        args: &slots,
        outputs: &outputs,
        stop: &|| false,
        resident: &resident,
        stays: true,
        never_fails: true,
    };
    // SAFETY: the slots are those of the kernel that was made for this key; the memory is the device's own.
    match unsafe { code.run(&launch) } {
        Ok(Ended::Done) => Ok(()),
        Ok(Ended::Failed(_) | Ended::Stopped) => Err(TensorError::Value("a kernel that cannot fail failed".to_owned())),
        Err(error) => Err(TensorError::Memory(error.to_string())),
    }
}

type Known = HashMap<(usize, Key), Arc<dyn KernelCode>>;

fn code(device: &Arc<dyn Device>, key: Key) -> Result<Arc<dyn KernelCode>> {
    static KNOWN: Mutex<Option<Known>> = Mutex::new(None);
    let at = (Arc::as_ptr(device).cast::<()>().addr(), key);
    let found = {
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        known.get_or_insert_default().get(&at).cloned()
    };
    if let Some(code) = found {
        return Ok(code);
    }
    let kernel = body::kernel(&at.1);
    let code = device.compile(&kernel).map_err(|error| TensorError::Type(error.to_string()))?;
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    known.get_or_insert_default().insert(at, Arc::clone(&code));
    Ok(code)
}
