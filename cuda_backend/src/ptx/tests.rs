//! What LLVM makes of kernels for a device, run on this processor: the module from which PTX is written, thread by
//! thread, against the reference interpreter and, for the functions of devices, the SIMT executor.
//!
//! This covers what no other test without a GPU does: the entry of a map, the functions as `math::write` writes them,
//! and LLVM's passes for devices.

#[path = "../../tests/suite/generate.rs"]
pub(crate) mod generate;
pub(crate) mod host_entry;
#[path = "../../tests/suite/ops.rs"]
mod ops;
#[allow(dead_code, reason = "the suite uses the rest")]
#[path = "../../tests/suite/support.rs"]
mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use inkwell::AddressSpace;
use inkwell::context::Context;
use inkwell::module::Module;
use inkwell::types::BasicTypeEnum;
use inkwell::values::BasicMetadataValueEnum;
use snekpy_llvm::device;
use snekpy_stage::backend::{BackendError, Context as HostContext};
use snekpy_stage::kernel::sum::LANES;
use snekpy_stage::kernel::{Ended, Failure, Form, Kernel, KernelBackend, KernelCode, Launch, count};

use super::{ENTRY, PtxOptions, machine, written};
use crate::Simt;
use generate::{Functions, LEN, Random};
use support::{Inputs, interpreter, run};

/// The registers, in the order in which the words before the kernel's parameters say what is in them.
const REGISTERS: [&str; 4] = [
    "llvm.nvvm.read.ptx.sreg.tid.x",
    "llvm.nvvm.read.ptx.sreg.ctaid.x",
    "llvm.nvvm.read.ptx.sreg.nctaid.x",
    "llvm.nvvm.read.ptx.sreg.ntid.x",
];

/// Runs what LLVM makes of a map on this processor.
struct Lowered;

struct LoweredCode(Kernel);

impl KernelBackend for Lowered {
    fn name(&self) -> &'static str {
        "lowered"
    }

    fn compile(&self, kernel: &Kernel) -> Result<Arc<dyn KernelCode>, BackendError> {
        assert!(matches!(kernel.form, Form::Map(_)), "a sum has barriers");
        Ok(Arc::new(LoweredCode(kernel.clone())))
    }

    fn inspect(&self, _: &Kernel, _: &str) -> Result<String, BackendError> {
        unreachable!("nobody looks at it")
    }
}

impl KernelCode for LoweredCode {
    unsafe fn run(&self, launch: &Launch<'_>) -> Result<Ended, BackendError> {
        let count = count(launch.shape).expect("the shape is small");
        let llcx = Context::create();
        let options = PtxOptions::default();
        let machine = machine(options)?;
        let module = written(&llcx, &self.0, options, &machine)?;
        device::optimise(&module, &machine)?;
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let start = format!("lowered.{}", COUNT.fetch_add(1, Ordering::Relaxed));
        on_this_processor(&llcx, &module, &start);
        let code = device::link_here(&module, &start)?;
        let mut record = u64::MAX;
        // Fewer blocks than it takes, so that threads take several positions.
        let blocks = count.div_ceil(LANES as u64).min(2);
        let mut words = vec![0, 0, blocks, LANES as u64, 0, count, (&raw mut record).expose_provenance() as u64];
        words.extend(&launch.shape[1..]);
        words.extend(launch.args);
        words.extend(launch.outputs.iter().map(|it| it.expose_provenance() as u64));
        for block in 0..blocks {
            for thread in 0..LANES as u64 {
                (words[0], words[1]) = (thread, block);
                // SAFETY: these are the kernel's parameters, and the caller's promise is what it needs.
                unsafe { code.run(&mut HostContext::detached(&mut []), words.as_ptr(), std::ptr::null_mut()) };
            }
        }
        // SAFETY: the caller's promise.
        let cause = || unsafe { crate::simt::cause_at(&self.0, launch, record) };
        Ok(if record == u64::MAX { Ended::Done } else { Ended::Failed(Failure { position: record, cause: cause()? }) })
    }
}

/// Makes a module for a device one for this processor, with a function that takes registers and the kernel's parameters
/// from memory.
fn on_this_processor<'ctx>(llcx: &'ctx Context, module: &Module<'ctx>, start: &str) {
    let (int, narrow) = (llcx.i64_type(), llcx.i32_type());
    let ptr = llcx.ptr_type(AddressSpace::default());
    let b = llcx.create_builder();
    let kernel = module.get_function(ENTRY).expect("the module has its kernel");
    kernel.set_call_conventions(0);
    let start = module.add_function(start, int.fn_type(&[ptr.into(); 3], false), None);
    b.position_at_end(llcx.append_basic_block(start, "entry"));
    let here = b.get_insert_block().expect("it stands there");
    let words = start.get_nth_param(1).expect("it has three").into_pointer_value();
    let word = |position: usize, ty: BasicTypeEnum<'ctx>| {
        let index = int.const_int(position as u64, false);
        // SAFETY: this only writes an instruction; there are as many words.
        let at = unsafe { b.build_in_bounds_gep(int, words, &[index], "") }.expect(BUILT);
        b.build_load(ty, at, "").expect(BUILT)
    };
    for (position, name) in REGISTERS.into_iter().enumerate() {
        let Some(register) = module.get_function(name) else { continue };
        let cell = module.add_global(narrow, None, &format!("cell.{position}"));
        cell.set_initializer(&narrow.const_zero());
        b.build_store(cell.as_pointer_value(), word(position, narrow.into())).expect(BUILT);
        let reader = module.add_function(&format!("read.{position}"), register.get_type(), None);
        b.position_at_end(llcx.append_basic_block(reader, "entry"));
        let value = b.build_load(narrow, cell.as_pointer_value(), "").expect(BUILT);
        b.build_return(Some(&value)).expect(BUILT);
        b.position_at_end(here);
        register.replace_all_uses_with(reader);
    }
    let mut args: Vec<BasicMetadataValueEnum<'ctx>> = Vec::new();
    for (position, param) in kernel.get_param_iter().enumerate() {
        args.push(word(REGISTERS.len() + position, param.get_type()).into());
    }
    b.build_direct_call(kernel, &args, "").expect(BUILT);
    b.build_return(Some(&int.const_zero())).expect(BUILT);
}

/// What the builder refuses would be a mistake of this test.
const BUILT: &str = "the builder stands in a block and the types fit";

#[test]
fn what_becomes_ptx_is_the_interpreter() {
    let mut ends = [0; 2];
    for seed in 0..300 {
        let kernel = generate::kernel(seed, Functions::Exact);
        let inputs = Inputs::new(&kernel, seed);
        let mut random = Random(seed);
        let limits: &[usize] = [&[900][..], &[40, 20], &[9, 8, 12]][kernel.rank - 1];
        let shape: Vec<u64> = limits.iter().map(|&limit| 1 + random.below(limit) as u64).collect();
        let expected = run(&interpreter(), &kernel, &shape, &inputs).expect("it runs");
        let found = run(&Lowered, &kernel, &shape, &inputs).expect("it runs");
        assert_eq!(found, expected, "seed {seed}\n{kernel}");
        ends[usize::from(expected.ended == Ended::Done)] += 1;
    }
    for case in ops::cases() {
        let kernel = case.kernel();
        for seed in 0..3 {
            let inputs = Inputs::new(&kernel, seed);
            let shape = vec![LEN as u64; kernel.rank];
            let expected = run(&Simt::default(), &kernel, &shape, &inputs).expect("it runs");
            let found = run(&Lowered, &kernel, &shape, &inputs).expect("it runs");
            assert_eq!(found, expected, "{}, seed {seed}", case.name);
        }
    }
    assert!(ends[0] > 20 && ends[1] > 20, "too few kernels fail or succeed: {ends:?}");
}
