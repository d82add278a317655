//! Kernels of one block, as LLVM has them and by the SIMT executor, against a kernel for each of their parts.

#[allow(dead_code, reason = "the suite uses the rest")]
#[path = "../../tests/suite/together.rs"]
mod loops;

use std::sync::Arc;

use snekpy_stage::backend::{BackendError, Code, Context as HostContext};
use snekpy_stage::kernel::KernelBackend;
use snekpy_stage::tensor::Dtype;
use snekpy_stage::tensor::device::together::{Part, PartRun, TogetherCode, threads};

use super::{most_rounds, words, write};
use crate::Simt;
use crate::sweep::tests::{here, in_block, sweeps};
use loops::{Alone, LOOPS};

/// Such a kernel as LLVM has it, on this processor.
struct Lowered {
    code: Arc<dyn Code>,
    parts: Vec<Part>,
}

fn lowered(parts: &[Part]) -> Result<Lowered, BackendError> {
    Ok(Lowered { code: here(|llcx, module| write(llcx, module, parts))?, parts: parts.to_vec() })
}

impl TogetherCode for Lowered {
    unsafe fn run(&self, rounds: &[Vec<PartRun>]) -> Result<(), BackendError> {
        for piece in rounds.chunks(most_rounds(&self.parts)) {
            let table: Vec<u64> = piece.iter().flat_map(|it| words(&self.parts, it)).collect();
            let params = [piece.len() as u64, table.as_ptr().expose_provenance() as u64];
            in_block(0, threads(&self.parts), &|| {
                // SAFETY: these are the kernel's parameters, and the caller's promise is what it needs.
                unsafe { self.code.run(&mut HostContext::detached(&mut []), params.as_ptr(), std::ptr::null_mut()) };
            });
        }
        Ok(())
    }
}

#[test]
fn one_kernel_makes_what_several_make() {
    let device = Simt::default().device().expect("it has memory");
    for it in LOOPS {
        let expected = it.one_by_one(&device).unwrap_or_else(|error| panic!("{it:?}: {error}"));
        let code = device.together(&it.parts()).expect("it has such kernels");
        // SAFETY: the memory was allocated for it.
        let found = it.run(&device, |rounds| unsafe { code.run(rounds) });
        assert!(found.unwrap_or_else(|error| panic!("{it:?}: {error}")) == expected, "{it:?}");
        let code = lowered(&it.parts()).unwrap_or_else(|error| panic!("{it:?}: {error}"));
        // SAFETY: as above.
        let found = it.run(&device, |rounds| unsafe { code.run(rounds) });
        assert!(found.unwrap_or_else(|error| panic!("{it:?}: {error}")) == expected, "{it:?}, by LLVM");
    }
}

#[test]
fn a_missing_barrier_is_found() {
    let device = Simt::default().device().expect("it has memory");
    for it in LOOPS {
        let code = Simt::default().without_barriers().together(&it.parts());
        // SAFETY: the memory was allocated for it.
        let found = it.run(&device, |rounds| unsafe { code.run(rounds) });
        assert!(found.is_err_and(|error| error.contains("a race")), "{it:?}");
    }
}

/// Each sweep as a kernel of one block has the bits of its own kernel.
#[test]
fn every_sweep_can_be_a_part() {
    let simt = Simt::default();
    let device = simt.device().expect("it has memory");
    let softmax = [10, 700, 3000]
        .into_iter()
        .flat_map(|len| [Dtype::F16, Dtype::Bf16, Dtype::F32, Dtype::F64].map(|dtype| sweeps::softmax(dtype, 40, len)));
    let cases = sweeps::jobs().into_iter().chain((0..60).map(sweeps::random)).chain(softmax);
    for (number, case) in cases.enumerate() {
        let parts = [Part { sweep: case.sweep.clone(), product: None }];
        let expected = sweeps::run(&case, &device, &*simt.sweep(&case.sweep));
        let expected = expected.unwrap_or_else(|it| panic!("{}: {it}", case.name));
        let check = |code: Arc<dyn TogetherCode>| {
            let found = sweeps::run(&case, &device, &Alone(code)).unwrap_or_else(|it| panic!("{}: {it}", case.name));
            sweeps::same(&case, &found, &expected).unwrap_or_else(|it| panic!("{it}"));
        };
        check(simt.together(&parts));
        // A thread of this machine for each thread of the block takes a while.
        if number % 4 == 0 {
            check(Arc::new(lowered(&parts).unwrap_or_else(|it| panic!("{}: {it}", case.name))));
        }
    }
}
