//! What LLVM makes of a product for a device, run on this processor, and the simulated GPU, against sums of doubles: a thread
//! of this machine for each thread of a block. Instructions of a warp wait for its threads here.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use inkwell::AddressSpace;
use inkwell::context::Context;
use inkwell::module::Module;
use inkwell::values::{BasicMetadataValueEnum, PointerValue};
use snekpy_llvm::device;
use snekpy_stage::backend::{Code, Context as HostContext};
use snekpy_stage::list;
use snekpy_stage::tensor::Dtype;
use snekpy_stage::tensor::device::sweep::{Access, Given, Input, Job, Level, Member, Run, Sweep, Value};
use snekpy_stage::tensor::device::{Epilogue, Product, Tail};
use snekpy_stage::tensor::elementwise::{Num2, Real1};

use super::simulated::simulate_by;
use super::warp::{LANES, load_matrices, multiply};
use super::{TILES, Variant, params, simulate, write};
use crate::in_turn::{self, Barrier};
use crate::ptx::tests::generate::Random;
use crate::ptx::tests::host_entry::host_entry;
use crate::ptx::{PtxOptions, machine};
use crate::simt::sweep::computed;
use crate::sweep::half::TO_BF16;
use crate::sweep::tests::two_upper;

/// What the builder refuses would be a mistake of this test.
pub(super) const BUILT: &str = "the builder stands in a block and the types fit";

/// What the threads of a warp tell each other.
struct Warp {
    all: Barrier,
    words: Cell<[[u32; 10]; LANES]>,
}

struct Block {
    all: Barrier,
    warps: Vec<Warp>,
    dtype: Dtype,
}

thread_local! {
    static THREAD: Cell<[u32; 2]> = const { Cell::new([0; 2]) };
    static BLOCK: RefCell<Option<Rc<Block>>> = const { RefCell::new(None) };
}

fn block() -> Rc<Block> {
    BLOCK.with_borrow(|it| it.clone()).expect("threads are of a block")
}

/// Tells the warp some words, and gives what all have told.
fn told(mine: [u32; 10]) -> [[u32; 10]; LANES] {
    let (thread, block) = (THREAD.get()[0] as usize, block());
    let warp = &block.warps[thread / LANES];
    let mut words = warp.words.get();
    words[thread % LANES] = mine;
    warp.words.set(words);
    warp.all.wait();
    let all = warp.words.get();
    warp.all.wait();
    all
}

extern "C" fn register(which: u32) -> u32 {
    THREAD.get()[which as usize]
}

extern "C" fn barrier() {
    block().all.wait();
}

/// # Safety
/// There are so many bytes at both, but for those that are zeros.
unsafe extern "C" fn copy(to: *mut u8, from: *const u8, bytes: u32, all: u32) {
    let begins = |it: usize| it.is_multiple_of(all as usize);
    assert!(begins(to.addr()) && begins(from.addr()), "it copies {all} bytes from and to multiples of that");
    // SAFETY: the caller's promise.
    unsafe {
        to.write_bytes(0, all as usize);
        to.copy_from_nonoverlapping(from, bytes as usize);
    }
}

/// # Safety
/// A row of eight elements begins there; there is room for four words.
unsafe extern "C" fn matrices(turned: u32, row: *const u16, words: *mut u32) {
    assert!(row.addr().is_multiple_of(16), "rows begin at multiples of 16 bytes");
    let mut mine = [0; 10];
    for (at, word) in mine.iter_mut().take(8).enumerate() {
        // SAFETY: the caller's promise.
        *word = unsafe { u32::from(row.add(at).read()) };
    }
    let rows = told(mine).map(|it| std::array::from_fn(|at| it[at] as u16));
    let all = load_matrices(&rows, turned == 1);
    // SAFETY: the caller's promise.
    unsafe { words.cast::<[u32; 4]>().write_unaligned(all[THREAD.get()[0] as usize % LANES]) };
}

/// # Safety
/// There are ten words of operands, and the first four are replaced.
unsafe extern "C" fn products(_: u32, _: *const u16, words: *mut u32) {
    // SAFETY: the caller's promise.
    let mine = unsafe { words.cast::<[u32; 10]>().read_unaligned() };
    let all = told(mine);
    let (x, y) = (all.map(|it| [it[0], it[1], it[2], it[3]]), all.map(|it| [it[4], it[5]]));
    let sums = all.map(|it| std::array::from_fn(|at| f32::from_bits(it[6 + at])));
    let made = multiply(block().dtype, &x, &y, &sums)[THREAD.get()[0] as usize % LANES];
    // SAFETY: the caller's promise.
    unsafe { words.cast::<[f32; 4]>().write_unaligned(made) };
}

fn lowered(variant: Variant, epilogue: Option<&Epilogue>) -> Arc<dyn Code> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let llcx = Context::create();
    let machine = machine(PtxOptions::default()).expect("LLVM has the target");
    let module = llcx.create_module("product");
    module.set_triple(&machine.get_triple());
    module.set_data_layout(&machine.get_target_data().get_data_layout());
    write::write(&llcx, &module, variant, epilogue).expect(BUILT);
    crate::math::write::define_all(&llcx, &module);
    device::optimise(&module, &machine).expect("it is well formed");
    let start = format!("product.{}", COUNT.fetch_add(1, Ordering::Relaxed));
    on_this_processor(&llcx, &module, &start);
    device::link_here(&module, &start).expect("it links")
}

/// A function that takes the kernel's parameters from memory; what a device alone has calls functions of this test.
fn on_this_processor<'ctx>(llcx: &'ctx Context, module: &Module<'ctx>, start: &str) {
    let (int, word) = (llcx.i64_type(), llcx.i32_type());
    let ptr = llcx.ptr_type(AddressSpace::default());
    let b = llcx.create_builder();
    let intrinsics: Vec<_> = module.get_functions().filter(|it| it.count_basic_blocks() == 0).collect();
    for intrinsic in intrinsics {
        let name = intrinsic.get_name().to_string_lossy().into_owned();
        if name == TO_BF16 {
            intrinsic.replace_all_uses_with(two_upper(llcx, module, &format!("{start}.upper")));
            continue;
        }
        if !name.starts_with("llvm.nvvm") {
            continue;
        }
        let stub = module.add_function(&format!("{start}.{name}"), intrinsic.get_type(), None);
        b.position_at_end(llcx.append_basic_block(stub, "entry"));
        let given: Vec<_> = stub.get_param_iter().collect();
        let call = |to: usize, args: &[BasicMetadataValueEnum<'ctx>], gives: bool| {
            let types: Vec<_> = args
                .iter()
                .map(|it| match it {
                    BasicMetadataValueEnum::PointerValue(it) => it.get_type().into(),
                    other => other.into_int_value().get_type().into(),
                })
                .collect();
            let ty = if gives { word.fn_type(&types, false) } else { llcx.void_type().fn_type(&types, false) };
            let callee = b.build_int_to_ptr(int.const_int(to as u64, false), ptr, "").expect(BUILT);
            b.build_indirect_call(ty, callee, args, "").expect(BUILT).try_as_basic_value().basic()
        };
        let of_words = |to: usize, first: u32, row: PointerValue<'ctx>, words: PointerValue<'ctx>| {
            call(to, &[word.const_int(u64::from(first), false).into(), row.into(), words.into()], false);
            let gives = stub.get_type().get_return_type().expect("it gives something");
            let made = b.build_load(gives, words, "").expect(BUILT);
            b.build_return(Some(&made)).expect(BUILT);
        };
        if let Some(which) = ["tid", "ctaid"].iter().position(|it| name.ends_with(&format!("sreg.{it}.x"))) {
            let found = call(register as *const () as usize, &[word.const_int(which as u64, false).into()], true);
            b.build_return(Some(&found.expect("it gives a word"))).expect(BUILT);
        } else if name.contains("barrier") {
            call(barrier as *const () as usize, &[], false);
            b.build_return(None).expect(BUILT);
        } else if let Some((_, bytes)) = name.split_once(".shared.global.") {
            let bytes = bytes.trim_end_matches(".s").parse().expect("it says how much");
            let mut args: Vec<BasicMetadataValueEnum<'ctx>> = given.iter().map(|&it| it.into()).collect();
            args.push(word.const_int(bytes, false).into());
            call(copy as *const () as usize, &args, false);
            b.build_return(None).expect(BUILT);
        } else if name.contains("cp.async") {
            b.build_return(None).expect(BUILT);
        } else if name.contains("ldmatrix") {
            let words = b.build_alloca(word.array_type(4), "").expect(BUILT);
            let row = given[0].into_pointer_value();
            of_words(matrices as *const () as usize, u32::from(name.contains("trans")), row, words);
        } else if name.contains("mma") {
            let words = b.build_alloca(word.array_type(10), "").expect(BUILT);
            for (at, value) in given.iter().enumerate() {
                // SAFETY: this only writes an instruction; there are as many words.
                let to = unsafe { b.build_in_bounds_gep(word, words, &[int.const_int(at as u64, false)], "") };
                b.build_store(to.expect(BUILT), *value).expect(BUILT);
            }
            of_words(products as *const () as usize, 0, words, words);
        } else {
            unreachable!("a product has no {name}");
        }
        intrinsic.replace_all_uses_with(stub);
    }
    host_entry(llcx, module, start);
}

fn run_here(variant: Variant, code: &Arc<dyn Code>, product: &Product, epilogue: Option<&Run>) {
    let words = &params(product, epilogue);
    let threads = variant.threads();
    for number in 0..variant.blocks(product) {
        let warp = || Warp { all: Barrier::new(LANES), words: Cell::new([[0; 10]; LANES]) };
        let warps = (0..threads as usize / LANES).map(|_| warp()).collect();
        let block = Block { all: Barrier::new(threads as usize), warps, dtype: product.dtype };
        BLOCK.set(Some(Rc::new(block)));
        in_turn::run(threads as u32, |thread| THREAD.set([thread, number as u32]), &|| {
            // SAFETY: these are the kernel's parameters, and the matrices are there.
            unsafe { code.run(&mut HostContext::detached(&mut []), words.as_ptr(), std::ptr::null_mut()) };
        });
    }
}

/// Matrices whose memory begins at a multiple of 16 bytes, or an element behind one.
pub(super) struct Matrices {
    memory: [Vec<u128>; 3],
    behind: usize,
    pub(super) product: Product,
}

impl Matrices {
    pub(super) fn new(dtype: Dtype, [m, n, k]: [usize; 3], behind: usize, whole: bool) -> Self {
        let mut random = Random((m * 1000 + n * 10 + k) as u64);
        let size = dtype.size();
        let mut memory = [m * k, k * n, m * n].map(|it| vec![0_u128; ((it + behind) * size).div_ceil(16) + 1]);
        for (which, count) in [m * k, k * n].into_iter().enumerate() {
            let elements = memory[which].as_mut_ptr().cast::<u8>();
            for at in 0..count {
                let number = random.below(33) as f64 - 16.0;
                let number = if whole { number } else { number * 0.37 + 0.1 };
                // SAFETY: there is room for so many.
                unsafe { list::store(dtype.elem(), elements.add((at + behind) * size), number.to_bits()) };
            }
        }
        let [a, b, to] =
            [0, 1, 2].map(|it| memory[it].as_mut_ptr().expose_provenance() as u64 + (size * behind) as u64);
        Self { behind, product: Product { dtype, m, n, k, a, tail: None, b, to }, memory }
    }

    fn at(&self, which: usize, place: usize) -> f64 {
        let (elem, size) = (self.product.dtype.elem(), self.product.dtype.size());
        let first = self.memory[which].as_ptr().cast::<u8>();
        // SAFETY: there are so many elements.
        f64::from_bits(unsafe { list::load(elem, first.add((place + self.behind) * size)) })
    }

    /// The product, bit for bit.
    pub(super) fn found(&self) -> Vec<u64> {
        (0..self.product.m * self.product.n).map(|it| self.at(2, it).to_bits()).collect()
    }

    /// The product, its elements and the sizes of what is added.
    fn exact(&self) -> Vec<[f64; 2]> {
        let Product { m, n, k, .. } = self.product;
        let element = |row: usize, column: usize| {
            let mut sums = [0.0, 0.0];
            for at in 0..k {
                let it = self.at(0, row * k + at) * self.at(1, at * n + column);
                sums = [sums[0] + it, sums[1] + it.abs()];
            }
            sums
        };
        (0..m * n).map(|it| element(it / n, it % n)).collect()
    }

    pub(super) fn clear(&mut self) {
        self.memory[2].fill(u128::MAX);
    }
}

/// All code that there is, but for some of half precision.
fn variants() -> Vec<Variant> {
    let mut all = Vec::new();
    for dtype in [Dtype::F16, Dtype::Bf16, Dtype::F32, Dtype::F64] {
        for (tile, _) in TILES {
            let copied: &[u64] = match dtype {
                Dtype::F16 => &[16, 4, 2],
                Dtype::Bf16 => &[8],
                Dtype::F32 => &[16, 8, 4],
                _ => &[16, 8],
            };
            let of = |&copied: &u64| Variant { dtype, tile: 64, copied, split: false }.with_tile(tile);
            all.extend(copied.iter().filter_map(of));
        }
    }
    all
}

const SHAPES: [[usize; 3]; 9] = [
    [1, 1, 1],
    [64, 64, 32],
    [16, 8, 16],
    [65, 72, 40],
    [3, 130, 7],
    [130, 3, 100],
    [64, 64, 96],
    [17, 33, 65],
    [100, 200, 64],
];

/// Whole numbers are exact, others within the bound, before they are rounded; nothing is written past the end.
pub(super) fn is_right(matrices: &Matrices, who: &str) {
    let Product { dtype, m, n, k, .. } = matrices.product;
    for (place, [exact, sizes]) in matrices.exact().into_iter().enumerate() {
        let found = matrices.at(2, place);
        let (steps, unit, last) = match dtype {
            Dtype::F16 => (k.div_ceil(16) * 17, -23, Some(-11)),
            Dtype::Bf16 => (k.div_ceil(16) * 17, -23, Some(-8)),
            Dtype::F32 => (k, -23, None),
            // What is compared with is a sum of doubles, too.
            _ => (2 * k, -52, None),
        };
        let bound = sizes * steps as f64 * 2.0_f64.powi(unit);
        let rounded = last.map_or(0.0, |it| (exact.abs() + bound) * 2.0_f64.powi(it));
        assert!((found - exact).abs() <= bound + rounded, "{who} {m}x{n}x{k} {place}: {found} and not {exact}");
    }
    assert!(matrices.at(2, m * n).is_nan(), "{who} writes past the end");
}

#[test]
fn products_are_sums_of_products() {
    for variant in variants() {
        let code = lowered(variant, None);
        for (shape, behind) in SHAPES.into_iter().flat_map(|shape| [(shape, 0), (shape, 1)]) {
            let mut matrices = Matrices::new(variant.dtype, shape, behind, false);
            if Variant::of(&matrices.product).expect("there is one").copied < variant.copied {
                continue;
            }
            matrices.clear();
            run_here(variant, &code, &matrices.product, None);
            is_right(&matrices, "LLVM");
            let found = matrices.found();
            matrices.clear();
            // SAFETY: the matrices are there.
            unsafe { simulate_by(variant, &matrices.product, None, 7, true) }.expect("it has no race");
            is_right(&matrices, "the simulation");
            assert_eq!(found, matrices.found(), "{variant:?} {shape:?}");
        }
    }
}

/// The first factor in two parts has the bits of the whole one, wherever a step begins the second.
#[test]
fn factors_may_be_in_two_parts() {
    let mut tried = 0;
    for variant in variants().into_iter().filter(|it| !it.is_half()) {
        let (whole, split) = (lowered(variant, None), Variant { split: true, ..variant });
        let code = lowered(split, None);
        for ([m, n, k], from) in [([64, 64, 96], 32), ([17, 33, 66], 64), ([130, 3, 100], 32), ([3, 130, 160], 96)] {
            let mut matrices = Matrices::new(variant.dtype, [m, n, k], 0, false);
            if Variant::of(&matrices.product).expect("there is one").copied < variant.copied {
                continue;
            }
            let size = variant.dtype.size();
            let mut parts = [from, k - from].map(|columns| vec![0_u128; (m * columns * size).div_ceil(16) + 1]);
            for (row, column) in (0..m).flat_map(|row| (0..k).map(move |column| (row, column))) {
                let (part, far) =
                    if column < from { (0, row * from + column) } else { (1, row * (k - from) + column - from) };
                let bits = matrices.at(0, row * k + column).to_bits();
                let first = parts[part].as_mut_ptr().cast::<u8>();
                // SAFETY: there is room for so many.
                unsafe { list::store(variant.dtype.elem(), first.add(far * size), bits) };
            }
            let [a, at] = parts.each_mut().map(|it| it.as_mut_ptr().expose_provenance() as u64);
            let product = Product { a, tail: Some(Tail { from, at }), ..matrices.product };
            assert!(product.may_be_in_parts() && (Product::STEPS as u64).is_multiple_of(split.step()));
            let unsplit = matrices.product;
            let mut made = |run: &dyn Fn()| {
                matrices.clear();
                run();
                matrices.found()
            };
            let expected = made(&|| run_here(variant, &whole, &unsplit, None));
            assert_eq!(made(&|| run_here(split, &code, &product, None)), expected, "LLVM, {split:?} {m}x{n}x{k}");
            // SAFETY: the matrices are there.
            let simulated = || unsafe { simulate_by(split, &product, None, 7, true) }.expect("it has no race");
            assert_eq!(made(&simulated), expected, "the simulation, {split:?} {m}x{n}x{k}");
            tried += 1;
        }
    }
    assert!(tried > 20, "{tried}");
}

#[test]
fn sums_are_the_same_whatever_the_tile_is() {
    for dtype in [Dtype::F32, Dtype::F64] {
        let mut matrices = Matrices::new(dtype, [70, 40, 90], 0, false);
        let mut made = |tile| {
            matrices.clear();
            let variant = Variant { dtype, tile, copied: dtype.size() as u64, split: false };
            // SAFETY: the matrices are there.
            unsafe { simulate_by(variant, &matrices.product, None, 3, true) }.expect("it has no race");
            matrices.found()
        };
        assert_eq!([made(16), made(32)], [made(64), made(64)]);
    }
}

#[test]
fn products_with_few_tiles_have_small_ones() {
    let of = |dtype, m, n, k| {
        let product = Product { dtype, m, n, k, a: 0, tail: None, b: 0, to: 0 };
        Variant::of(&product).map(|it| (it.tile, it.blocks(&product), it.copied))
    };
    assert_eq!(of(Dtype::F32, 64, 256, 320), Some((16, 64, 16)));
    assert_eq!(of(Dtype::F32, 64, 50, 784), Some((16, 16, 8)));
    assert_eq!(of(Dtype::F32, 512, 511, 512), Some((32, 256, 4)));
    assert_eq!(of(Dtype::F64, 4096, 4096, 64), Some((64, 4096, 16)));
    assert_eq!(of(Dtype::F32, 1024, 1024, 64), Some((64, 256, 16)));
    assert_eq!(of(Dtype::F32, 4096, 4096, 64), Some((128, 1024, 16)));
    assert_eq!(of(Dtype::F16, 64, 256, 320), Some((32, 16, 16)));
    assert_eq!(of(Dtype::F16, 64, 255, 320), Some((64, 4, 2)));
}

#[test]
fn whole_numbers_are_exact() {
    for shape in SHAPES.into_iter().filter(|it| it[2] < 8) {
        for dtype in [Dtype::F16, Dtype::F32, Dtype::F64] {
            let mut matrices = Matrices::new(dtype, shape, 0, true);
            matrices.clear();
            // SAFETY: the matrices are there.
            unsafe { simulate(&matrices.product, None, 3, true) }.expect("it has no race");
            let exact: Vec<u64> = matrices.exact().into_iter().map(|it| (it[0] + 0.0).to_bits()).collect();
            assert_eq!(matrices.found(), exact);
        }
    }
}

#[test]
fn a_missing_barrier_is_found() {
    for dtype in [Dtype::F16, Dtype::F32] {
        let matrices = Matrices::new(dtype, [64, 64, 128], 0, true);
        // SAFETY: the matrices are there.
        let error = unsafe { simulate(&matrices.product, None, 1, false) }.expect_err("there is a race");
        assert!(error.0.contains("race"), "{error}");
    }
}

/// `tanh(product + row) * 0.5 + all`, and the product itself: of a matrix by rows and columns, and of one axis.
pub(super) fn epilogue(dtype: Dtype, rank: usize) -> Epilogue {
    let input = |access| Input { dtype, level: Level::Each, access };
    let number = Input { dtype, level: Level::Row, access: Access::Number };
    let member = |job, args: &[Value]| Member { job, dtype, level: Level::Each, args: args.to_vec() };
    let (product, row, half, all) = (Value::Input(1), Value::Input(0), Value::Input(2), Value::Input(3));
    let members = vec![
        member(Job::Num2(Num2::Add), &[product, row]),
        member(Job::Real1(Real1::Tanh), &[Value::Member(0)]),
        member(Job::Num2(Num2::Mul), &[Value::Member(1), half]),
        member(Job::Num2(Num2::Add), &[Value::Member(2), all]),
        member(Job::Copy, &[product]),
    ];
    let of_row = if rank == 1 { Access::Unit } else { Access::Steps };
    let inputs = vec![input(of_row), input(Access::Unit), number, input(Access::Unit)];
    let sweep = Sweep { rank, len: None, inputs, members, outputs: vec![3, 4], in_place: false, strided: false };
    Epilogue { sweep, input: 1 }
}

/// A matrix of words, each of which has an element in its low bits, as elements one behind the other.
fn packed(dtype: Dtype, words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|it| it.to_le_bytes()[..dtype.size()].to_vec()).collect()
}

fn words_of(dtype: Dtype, bytes: &[u8]) -> Vec<u64> {
    let word = |it: &[u8]| it.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
    bytes.chunks(dtype.size()).map(word).collect()
}

/// The word of an element.
fn word(dtype: Dtype, value: f64) -> u64 {
    let mut word = 0_u64;
    // SAFETY: a word has room for any element.
    unsafe { list::store(dtype.elem(), (&raw mut word).cast(), value.to_bits()) };
    word
}

/// Makes a product and goes on with it.
pub(super) type Finishes<'a> = &'a dyn Fn(&Product, &Epilogue, &Run);

/// What somebody makes of a product and an epilogue has the bits of the product and then its jobs.
pub(super) fn has_the_bits_of_two_kernels(
    dtype: Dtype,
    rank: usize,
    [m, n, k]: [usize; 3],
    who: &[(&str, Finishes<'_>)],
) {
    let epilogue = epilogue(dtype, rank);
    let mut matrices = Matrices::new(dtype, [m, n, k], 0, false);
    matrices.clear();
    // SAFETY: the matrices are there.
    unsafe { simulate(&matrices.product, None, 5, true) }.expect("it has no race");
    let plain = &matrices.memory[2];
    // SAFETY: the memory is as long.
    let plain = unsafe { std::slice::from_raw_parts(plain.as_ptr().cast::<u8>(), m * n * dtype.size()) };
    let product = words_of(dtype, plain);

    let element = |at: usize| word(dtype, (at % 23) as f64 * 0.21 - 2.0);
    let row: Vec<u64> = (0..if rank == 1 { m * n } else { n }).map(element).collect();
    let all: Vec<u64> = (0..m * n).map(|it| element(it * 7)).collect();
    let half = word(dtype, 0.5);
    let job = |at: usize, args: &[u64]| {
        computed(epilogue.sweep.members[at].job, &vec![dtype; args.len()], dtype, args).expect("there is a rule")
    };
    let expected: Vec<u64> = (0..m * n)
        .map(|at| {
            let sum = job(0, &[product[at], row[at % row.len()]]);
            let scaled = job(2, &[job(1, &[sum]), half]);
            job(3, &[scaled, all[at]])
        })
        .collect();

    let (row, all) = (packed(dtype, &row), packed(dtype, &all));
    let mut outputs = [(); 2].map(|()| vec![0xff_u8; m * n * dtype.size()]);
    let memory = |bytes: &[u8], steps: &[i64]| {
        let first = bytes.as_ptr().expose_provenance() as u64;
        Given::Memory { first, steps: steps.to_vec(), inside: (first, first + bytes.len() as u64) }
    };
    let (of_row, of_all): (&[i64], &[i64]) = if rank == 1 { (&[], &[]) } else { (&[0, 1], &[n as i64]) };
    let product_memory = Given::Memory { first: 0, steps: of_all.to_vec(), inside: (0, 0) };
    let inputs = vec![memory(&row, of_row), product_memory, Given::Number(half), memory(&all, of_all)];
    let addresses = outputs.each_mut().map(|it| it.as_mut_ptr().expose_provenance() as u64).to_vec();
    let dims = if rank == 1 { vec![m * n] } else { vec![m, n] };
    let run = Run { dims, inputs, outputs: addresses, to_steps: Vec::new() };

    for (who, finish) in who {
        outputs.iter_mut().for_each(|it| it.fill(0xff));
        finish(&matrices.product, &epilogue, &run);
        assert_eq!(words_of(dtype, &outputs[1]), product, "{who} {dtype} {m}x{n}x{k}: the product");
        assert_eq!(words_of(dtype, &outputs[0]), expected, "{who} {dtype} {m}x{n}x{k}");
    }
}

#[test]
fn epilogues_have_the_bits_of_two_kernels() {
    for dtype in [Dtype::F16, Dtype::Bf16, Dtype::F32, Dtype::F64] {
        for (rank, shape, tile) in
            [(2, [65, 72, 40], 64), (2, [5, 129, 40], 128), (2, [3, 130, 7], 32), (1, [17, 33, 65], 16)]
        {
            let here = |product: &Product, epilogue: &Epilogue, run: &Run| {
                let smallest = Variant::of(product).expect("there is one");
                let variant = smallest.with_tile(tile).unwrap_or(smallest);
                run_here(variant, &lowered(variant, Some(epilogue)), product, Some(run));
            };
            let simulated = |product: &Product, epilogue: &Epilogue, run: &Run| {
                // SAFETY: the matrices, the inputs and the outputs are there.
                unsafe { simulate(product, Some((epilogue, run)), 7, true) }.expect("no race");
            };
            has_the_bits_of_two_kernels(dtype, rank, shape, &[("LLVM", &here), ("the simulation", &simulated)]);
        }
    }
}
