//! Running kernels.

use std::sync::Arc;

use snekpy_llvm::{Llvm, LlvmOptions};
use snekpy_stage::backend::Backend;
use snekpy_stage::interp::Interpreter;
use snekpy_stage::kernel::host::HostKernels;
use snekpy_stage::kernel::{Ended, Kernel, KernelBackend, Launch, count, parse, verify};
use snekpy_stage::list;
use snekpy_stage::types::{Elem, Type};

use super::generate::{FLOATS, INTS, LEN, Random};

/// What a run gave: how it ended, and if it did well the bytes of the outputs.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Ran {
    pub(crate) ended: Ended,
    pub(crate) outputs: Vec<Vec<u64>>,
}

/// The definition.
pub(crate) fn interpreter() -> HostKernels {
    HostKernels::new(Arc::new(Interpreter), 1)
}

/// A kernel from its text.
pub(crate) fn kernel(source: &str) -> Kernel {
    let kernel = parse(source).unwrap_or_else(|error| panic!("{error}\n{source}"));
    verify(&kernel).unwrap_or_else(|faults| panic!("{faults}\n{source}"));
    kernel
}

/// Inputs for a kernel's parameters, from a seed.
#[derive(Debug)]
pub(crate) struct Inputs {
    slots: Vec<u64>,
    /// What the slots point to.
    _arrays: Vec<Vec<u64>>,
}

impl Inputs {
    pub(crate) fn new(kernel: &Kernel, seed: u64) -> Self {
        let mut random = Random(seed);
        let (mut slots, mut arrays) = (Vec::new(), Vec::new());
        for ty in kernel.inputs() {
            let mut bits = |ty: Type| match ty {
                Type::Bool => random.next() & 1,
                Type::F64 if random.below(2) == 0 => (random.below(2000) as f64 / 100.0 - 10.0).to_bits(),
                Type::F64 => random.pick(&FLOATS).to_bits(),
                _ if random.below(2) == 0 => random.below(20) as u64,
                _ => random.pick(&INTS).cast_unsigned(),
            };
            let Type::Array(array) = ty else {
                slots.push(bits(ty));
                continue;
            };
            let mut words = vec![0_u64; LEN];
            for position in 0..LEN {
                let bits = bits(array.elem.value_type());
                // SAFETY: there are eight bytes for each element, of which none has more.
                unsafe {
                    list::store(array.elem, words.as_mut_ptr().cast::<u8>().add(position * array.elem.size()), bits);
                }
            }
            slots.extend([words.as_ptr().expose_provenance() as u64, LEN as u64]);
            arrays.push(words);
        }
        Self { slots, _arrays: arrays }
    }

    /// These slots, which point to nothing.
    pub(crate) fn of_slots(slots: Vec<u64>) -> Self {
        Self { slots, _arrays: Vec::new() }
    }
}

/// Runs a kernel.
pub(crate) fn run(backend: &dyn KernelBackend, kernel: &Kernel, shape: &[u64], inputs: &Inputs) -> Result<Ran, String> {
    let code = backend.compile(kernel).map_err(|error| error.to_string())?;
    let count = count(shape).expect("the shape is small");
    let len = kernel.output_len(count) as usize;
    let mut outputs: Vec<Vec<u64>> = kernel.outputs().iter().map(|_| vec![0xdead_beef; len.max(1)]).collect();
    let addresses: Vec<*mut u8> = outputs.iter_mut().map(|it| it.as_mut_ptr().cast()).collect();
    let launch = Launch::new(shape, &inputs.slots, &addresses, &|| false);
    // SAFETY: the inputs are those of the kernel, and live; each output has eight bytes for an element.
    let ended = unsafe { code.run(&launch) }.map_err(|error| error.to_string())?;
    if ended != Ended::Done {
        outputs.clear();
    }
    for (output, elem) in outputs.iter_mut().zip(kernel.outputs()) {
        canonical(output, elem, len);
    }
    Ok(Ran { ended, outputs })
}

/// A NaN is a NaN: which one it is, is left open.
fn canonical(output: &mut Vec<u64>, elem: Elem, len: usize) {
    output.truncate((len * elem.size()).div_ceil(8));
    if elem.value_type() == Type::F64 {
        for position in 0..len {
            // SAFETY: the output has so many elements.
            unsafe {
                let at = output.as_mut_ptr().cast::<u8>().add(position * elem.size());
                if f64::from_bits(list::load(elem, at)).is_nan() {
                    list::store(elem, at, f64::NAN.to_bits());
                }
            }
        }
    }
}

/// LLVM for the host, on some threads.
pub(crate) fn llvm(threads: usize) -> HostKernels {
    llvm_with(LlvmOptions::default(), threads)
}

/// LLVM for the host, as the options say.
pub(crate) fn llvm_with(options: LlvmOptions, threads: usize) -> HostKernels {
    let backend: Arc<dyn Backend> = Arc::new(Llvm::new(options));
    HostKernels::new(backend, threads)
}
