//! What LLVM makes of sweeps for a device, run on this processor, against the SIMT executor: the module from which PTX is
//! written, by threads that run in turn. Shuffles and barriers wait for each other here.

#[allow(dead_code, reason = "the suite uses the rest")]
#[path = "../../tests/suite/sweeps.rs"]
pub(crate) mod sweeps;

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use half::{bf16, f16};
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::builder::{Builder, BuilderError};
use inkwell::context::Context;
use inkwell::module::Module;
use inkwell::values::{BasicMetadataValueEnum, FloatValue, FunctionValue, IntValue};
use inkwell::{AddressSpace, FloatPredicate};
use snekpy_llvm::device;
use snekpy_stage::backend::{BackendError, Code, Context as HostContext};
use snekpy_stage::kernel::KernelBackend;
use snekpy_stage::tensor::Dtype;
use snekpy_stage::tensor::device::sweep::{
    Access, Given, Input, Job, Level, Member, Run, Sweep, SweepCode, Teams, Value, element,
};
use snekpy_stage::tensor::elementwise::{Real1, Real2};

use super::half::TO_BF16;
use super::threads::{self, THREADS};
use crate::Simt;
use crate::in_turn::{self, Barrier};
use crate::ptx::tests::generate;
use crate::ptx::tests::host_entry::host_entry;
use crate::ptx::{ENTRY, PtxOptions, machine};

/// What the builder refuses would be a mistake of this test.
const BUILT: &str = "the builder stands in a block and the types fit";
const WARP: usize = 32;

/// The threads of a block.
struct Block {
    all: Barrier,
    warps: Vec<(Barrier, [Cell<u32>; WARP])>,
}

thread_local! {
    /// The thread, the block, how many blocks there are, and how many threads a block has.
    static REGISTERS: Cell<[u32; 4]> = const { Cell::new([0; 4]) };
    static BLOCK: RefCell<Option<Rc<Block>>> = const { RefCell::new(None) };
}

fn block() -> Rc<Block> {
    BLOCK.with_borrow(|it| it.clone()).expect("threads are of a block")
}

extern "C" fn register(which: u32) -> u32 {
    REGISTERS.get()[which as usize]
}

extern "C" fn barrier() {
    block().all.wait();
}

/// As PTX has it: segments, and the lanes that are in range.
extern "C" fn shuffle(is_index: u32, value: u32, by: u32, clamp: u32) -> u32 {
    let thread = REGISTERS.get()[0] as usize;
    let (lane, block) = ((thread % WARP) as u32, block());
    let warp = &block.warps[thread / WARP];
    warp.1[lane as usize].set(value);
    warp.0.wait();
    let (last, segment) = (clamp & 0x1f, clamp >> 8);
    let most = (lane & segment) | (last & !segment);
    let from = if is_index == 1 { (lane & segment) | (by & !segment) } else { lane + by };
    let from = if from <= most { from } else { lane };
    let found = warp.1[from as usize].get();
    warp.0.wait();
    found
}

/// Sweeps as LLVM has them, on this processor.
struct Lowered {
    code: Arc<dyn Code>,
    sweep: Sweep,
}

fn lowered(sweep: &Sweep) -> Result<Lowered, BackendError> {
    Ok(Lowered { code: here(|llcx, module| threads::write(llcx, module, sweep))?, sweep: sweep.clone() })
}

/// What is written for a device as code of this processor.
pub(crate) fn here(
    write: impl for<'ctx> FnOnce(&'ctx Context, &Module<'ctx>) -> Result<(), BuilderError>,
) -> Result<Arc<dyn Code>, BackendError> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let llcx = Context::create();
    let machine = machine(PtxOptions::default())?;
    let module = llcx.create_module("sweep");
    module.set_triple(&machine.get_triple());
    module.set_data_layout(&machine.get_target_data().get_data_layout());
    write(&llcx, &module).map_err(|error| BackendError(error.to_string()))?;
    crate::math::write::define_all(&llcx, &module);
    device::optimise(&module, &machine)?;
    let start = format!("sweep.{}", COUNT.fetch_add(1, Ordering::Relaxed));
    on_this_processor(&llcx, &module, &start);
    device::link_here(&module, &start)
}

/// Calls a kernel by the threads of the block of a number.
pub(crate) fn in_block(number: usize, threads: usize, call: &dyn Fn()) {
    let warps = (0..threads / WARP).map(|_| (Barrier::new(WARP), std::array::from_fn(|_| Cell::new(0))));
    let block = Block { all: Barrier::new(threads), warps: warps.collect() };
    BLOCK.set(Some(Rc::new(block)));
    in_turn::run(threads as u32, |thread| REGISTERS.set([thread, number as u32, 0, threads as u32]), call);
}

/// A function that takes the kernel's parameters from memory; what a device alone has calls functions of this test.
fn on_this_processor<'ctx>(llcx: &'ctx Context, module: &Module<'ctx>, start: &str) {
    let (int, narrow) = (llcx.i64_type(), llcx.i32_type());
    let ptr = llcx.ptr_type(AddressSpace::default());
    let b = llcx.create_builder();
    let number = |it: u64| narrow.const_int(it, false);
    let replace =
        |name: &str,
         to: usize,
         results: bool,
         args: &dyn Fn(&[BasicMetadataValueEnum<'ctx>]) -> Vec<BasicMetadataValueEnum<'ctx>>| {
            let Some(intrinsic) = module.get_function(name) else { return };
            let stub = module.add_function(&format!("{start}.{name}"), intrinsic.get_type(), None);
            b.position_at_end(llcx.append_basic_block(stub, "entry"));
            let params: Vec<BasicMetadataValueEnum<'ctx>> = stub.get_param_iter().map(Into::into).collect();
            let args = args(&params);
            let types = vec![narrow.into(); args.len()];
            let ty = if results { narrow.fn_type(&types, false) } else { llcx.void_type().fn_type(&types, false) };
            let address = int.const_int(to as u64, false);
            let callee = b.build_int_to_ptr(address, ptr, "").expect(BUILT);
            let called = b.build_indirect_call(ty, callee, &args, "").expect(BUILT);
            if results {
                let value = called.try_as_basic_value().expect_basic("it gives a word");
                b.build_return(Some(&value)).expect(BUILT);
            } else {
                b.build_return(None).expect(BUILT);
            }
            intrinsic.replace_all_uses_with(stub);
        };
    for (which, name) in ["tid", "ctaid", "nctaid", "ntid"].into_iter().enumerate() {
        let read = |_: &[BasicMetadataValueEnum<'ctx>]| vec![number(which as u64).into()];
        replace(&format!("llvm.nvvm.read.ptx.sreg.{name}.x"), register as *const () as usize, true, &read);
    }
    for (is_index, how) in [(0, "down"), (1, "idx")] {
        let call = |it: &[BasicMetadataValueEnum<'ctx>]| vec![number(is_index).into(), it[1], it[2], it[3]];
        replace(&format!("llvm.nvvm.shfl.sync.{how}.i32"), shuffle as *const () as usize, true, &call);
    }
    replace("llvm.nvvm.barrier.cta.sync.aligned.all", barrier as *const () as usize, false, &|_| Vec::new());
    if let Some(round) = module.get_function(TO_BF16) {
        round.replace_all_uses_with(two_upper(llcx, module, &format!("{start}.upper")));
    }
    let kernel = module.get_function(ENTRY).expect("the module has its kernel");
    let by_value = Attribute::get_named_enum_kind_id("byval");
    // What a device gets a copy of, this processor gets the address of.
    (0..kernel.count_params()).for_each(|at| kernel.remove_enum_attribute(AttributeLoc::Param(at), by_value));
    host_entry(llcx, module, start);
}

/// The upper half of a single, rounded to the nearest.
fn upper<'ctx>(llcx: &'ctx Context, b: &Builder<'ctx>, x: FloatValue<'ctx>) -> IntValue<'ctx> {
    let int = llcx.i32_type();
    let number = |it| int.const_int(it, false);
    let bits = b.build_bit_cast(x, int, "").expect(BUILT).into_int_value();
    let upper = b.build_right_shift(bits, number(16), false, "").expect(BUILT);
    let odd = b.build_and(upper, number(1), "").expect(BUILT);
    let more = b.build_int_add(odd, number(0x7fff), "").expect(BUILT);
    let rounded =
        b.build_right_shift(b.build_int_add(bits, more, "").expect(BUILT), number(16), false, "").expect(BUILT);
    let is_nan = b.build_float_compare(FloatPredicate::UNO, x, x, "").expect(BUILT);
    b.build_select(is_nan, number(0x7fff), rounded, "").expect(BUILT).into_int_value()
}

/// What rounds two singles to their upper halves, of which the first one's is the upper one of a word.
pub(crate) fn two_upper<'ctx>(llcx: &'ctx Context, module: &Module<'ctx>, name: &str) -> FunctionValue<'ctx> {
    let (int, b, pair) = (llcx.i32_type(), llcx.create_builder(), llcx.bf16_type().vec_type(2));
    let func = module.add_function(name, pair.fn_type(&[llcx.f32_type().into(); 2], false), None);
    b.position_at_end(llcx.append_basic_block(func, "entry"));
    let both = func.get_param_iter().fold(int.const_zero(), |before, it| {
        let before = b.build_left_shift(before, int.const_int(16, false), "").expect(BUILT);
        b.build_or(before, upper(llcx, &b, it.into_float_value()), "").expect(BUILT)
    });
    b.build_return(Some(&b.build_bit_cast(both, pair, "").expect(BUILT))).expect(BUILT);
    func
}

impl SweepCode for Lowered {
    unsafe fn run(&self, run: &Run) -> Result<(), BackendError> {
        let (count, words) = run.params(self.sweep.len.is_some());
        let call = |words: &[u64]| {
            // SAFETY: these are the kernel's parameters, and the caller's promise is what it needs.
            unsafe { self.code.run(&mut HostContext::detached(&mut []), words.as_ptr(), std::ptr::null_mut()) };
        };
        let Some(len) = self.sweep.len else {
            // Fewer blocks than it takes, so that threads go on.
            for block in 0..2 {
                for thread in 0..THREADS {
                    REGISTERS.set([thread, block, 2, THREADS]);
                    call(&words);
                }
            }
            return Ok(());
        };
        let teams = Teams::of(len);
        for number in 0..count.div_ceil(teams.rows) {
            in_block(number, teams.threads, &|| call(&words));
        }
        Ok(())
    }
}

fn compare(case: &sweeps::Case) {
    let simt = Simt::default();
    let memory = simt.device().expect("it has memory");
    let expected =
        sweeps::run(case, &memory, &*simt.sweep(&case.sweep)).unwrap_or_else(|it| panic!("{}: {it}", case.name));
    let code = lowered(&case.sweep).unwrap_or_else(|it| panic!("{}: {it}", case.name));
    let found = sweeps::run(case, &memory, &code).unwrap_or_else(|it| panic!("{}: {it}", case.name));
    sweeps::same(case, &found, &expected).unwrap_or_else(|it| panic!("{it}"));
}

#[test]
fn jobs_are_the_executors() {
    sweeps::jobs().iter().for_each(compare);
}

#[test]
fn random_bits_are_the_executors() {
    compare(&sweeps::uniform(5000));
    [10, 1000, 3000].into_iter().for_each(|len| compare(&sweeps::bits_in_rows(3, len)));
}

#[test]
fn placed_elements_are_the_executors() {
    for dtype in [Dtype::F32, Dtype::F64, Dtype::F16] {
        for (len, in_rows) in [(7, false), (400, false), (10, true), (3000, true)] {
            compare(&sweeps::placed(dtype, 4, len, in_rows));
        }
    }
}

#[test]
fn random_sweeps_are_the_executors() {
    (0..120).map(sweeps::random).for_each(|it| compare(&it));
}

#[test]
fn softmax_and_layer_norm_are_the_executors() {
    for dtype in [Dtype::F16, Dtype::Bf16, Dtype::F32, Dtype::F64] {
        for len in [10, 1000, 3000] {
            compare(&sweeps::zeros(dtype, 3, len));
            compare(&sweeps::softmax(dtype, 3, len));
            compare(&sweeps::layer_norm(dtype, 3, len));
            compare(&sweeps::log_softmax(dtype, 3, len));
        }
    }
    for len in [10, 1000, 3000] {
        compare(&sweeps::steep_softmax(20, len));
    }
}

/// What a flat sweep makes of every number of a dtype of sixteen bits.
fn of_all(code: &Lowered, divisor: Option<u16>) -> Vec<u16> {
    let all: Vec<u16> = (0..=u16::MAX).collect();
    let mut made = vec![0_u16; all.len()];
    let first = all.as_ptr().expose_provenance() as u64;
    let mut inputs = vec![Given::Memory { first, steps: Vec::new(), inside: (first, first + 2 * all.len() as u64) }];
    inputs.extend(divisor.map(|it| Given::Number(it.into())));
    let outputs = vec![made.as_mut_ptr().expose_provenance() as u64];
    // SAFETY: these are the sweep's operands, in the memory of this machine.
    unsafe { code.run(&Run { dims: vec![all.len()], inputs, outputs, to_steps: Vec::new() }) }.expect("it is run");
    made
}

/// A function of sixteen bits, and perhaps a number, as LLVM has it for a device.
fn of_halves(job: Job, dtype: Dtype) -> Lowered {
    let input = |level, access| Input { dtype, level, access };
    let mut inputs = vec![input(Level::Each, Access::Unit)];
    let mut args = vec![Value::Input(0)];
    if matches!(job, Job::Real2(_)) {
        inputs.push(input(Level::Row, Access::Number));
        args.push(Value::Input(1));
    }
    let members = vec![Member { job, dtype, level: Level::Each, args }];
    let it = Sweep { rank: 1, len: None, inputs, members, outputs: vec![0], in_place: false, strided: false };
    lowered(&it).unwrap_or_else(|it| panic!("{it}"))
}

/// The same number, or both are none.
fn is_same(dtype: Dtype, x: u16, y: u16) -> bool {
    let infinity = if dtype == Dtype::F16 { 0x7c00 } else { 0x7f80 };
    x == y || x & 0x7fff > infinity && y & 0x7fff > infinity
}

#[test]
fn exponentials_of_half_precision_are_the_hosts() {
    for dtype in [Dtype::F16, Dtype::Bf16] {
        let job = Job::Real1(Real1::Exp);
        for (x, found) in of_all(&of_halves(job, dtype), None).into_iter().enumerate() {
            let expected = element(job, &[dtype], dtype, &[x as u64]).expect("there is a rule") as u16;
            assert!(is_same(dtype, found, expected), "exp({x:#06x}) is {found:#06x}, not {expected:#06x}, as {dtype}");
        }
    }
}

/// Every fraction of a divisor, of ordinary size and of all others, and every dividend.
#[test]
fn quotients_of_half_precision_are_the_hosts() {
    let quotient = |dtype, x: u16, y: u16| match dtype {
        Dtype::F16 => f16::from_f32(f16::from_bits(x).to_f32() / f16::from_bits(y).to_f32()).to_bits(),
        _ => bf16::from_f32(bf16::from_bits(x).to_f32() / bf16::from_bits(y).to_f32()).to_bits(),
    };
    for (dtype, ordinary, step) in [(Dtype::F16, 0x3c00..0x4000, 97), (Dtype::Bf16, 0x3f80..0x4000, 31)] {
        let code = of_halves(Job::Real2(Real2::Div), dtype);
        for y in ordinary.chain((0..=u16::MAX).step_by(step)) {
            for (x, found) in of_all(&code, Some(y)).into_iter().enumerate() {
                let expected = quotient(dtype, x as u16, y);
                assert!(
                    is_same(dtype, found, expected),
                    "{x:#06x} / {y:#06x} is {found:#06x}, not {expected:#06x}, as {dtype}"
                );
            }
        }
    }
}
