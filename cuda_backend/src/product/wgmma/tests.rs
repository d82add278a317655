//! What LLVM makes of the kernel for a device, run on this processor: threads that run in turn, and
//! the copy engine, the barriers and the tensor cores as PTX describes them. Copies are done at once.

use std::alloc::Layout;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use half::{bf16, f16};
use inkwell::AddressSpace;
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::context::Context;
use inkwell::module::Module;
use inkwell::values::{BasicMetadataValueEnum, FunctionValue};
use snekpy_llvm::device;
use snekpy_stage::backend::{Code, Context as HostContext};
use snekpy_stage::tensor::Dtype;
use snekpy_stage::tensor::device::sweep::Run;
use snekpy_stage::tensor::device::{Epilogue, Product};

use super::instructions::{self, PARTS};
use super::{THREADS, WARP, WARPGROUP, Wgmma, write};
use crate::in_turn::{self, Barrier, wait_until};
use crate::product::tests::{BUILT, Matrices, has_the_bits_of_two_kernels, is_right};
use crate::product::{params, simulate};
use crate::ptx::tests::host_entry::host_entry;
use crate::ptx::{ENTRY, SHARED, machine_for};
use crate::sweep::half::TO_BF16;
use crate::sweep::tests::two_upper;

/// Descriptors tell addresses by so many bits, which are those of a place in shared memory if that begins at a multiple.
const REACH: usize = 1 << 18;
/// Shared memory does not begin where a stage may.
const BEFORE: usize = 16;

/// A barrier in shared memory.
struct Phase {
    arrivals: u32,
    /// How many have not arrived.
    left: u32,
    /// Bytes that have not come.
    bytes: i64,
    parity: u32,
}

/// A block that runs.
struct Block {
    all: Barrier,
    warps: Vec<Barrier>,
    phases: RefCell<HashMap<usize, Phase>>,
    dtype: Dtype,
    /// Where its shared memory is, and how much of it there is.
    room: usize,
    bytes: usize,
}

/// The thread, its block and how many blocks there are.
type Place = [u32; 3];

thread_local! {
    static PLACE: Cell<Place> = const { Cell::new([0; 3]) };
    static BLOCK: RefCell<Option<Rc<Block>>> = const { RefCell::new(None) };
}

fn block() -> Rc<Block> {
    BLOCK.with_borrow(|it| it.clone()).expect("threads are of a block")
}

impl Block {
    /// Does something to a barrier, which may be over then.
    fn at(&self, barrier: *mut u8, act: impl FnOnce(&mut Phase)) {
        let mut phases = self.phases.borrow_mut();
        let phase = phases.get_mut(&barrier.addr()).expect("the barrier was made");
        act(phase);
        if phase.left == 0 && phase.bytes == 0 {
            (phase.left, phase.parity) = (phase.arrivals, 1 - phase.parity);
        }
    }

    /// A place that descriptors tell.
    fn shared(&self, address: usize) -> *const u16 {
        let first = self.room - self.room % REACH;
        let inside = (self.room..self.room + self.bytes).contains(&(first + address));
        assert!(inside, "a descriptor leaves shared memory");
        std::ptr::with_exposed_provenance(first + address)
    }
}

extern "C" fn thread() -> u32 {
    PLACE.get()[0]
}

extern "C" fn number() -> u32 {
    PLACE.get()[1]
}

extern "C" fn count() -> u32 {
    PLACE.get()[2]
}

extern "C" fn meet_all(_: u32) {
    block().all.wait();
}

extern "C" fn meet_warp(_: u32) {
    block().warps[PLACE.get()[0] as usize / WARP as usize].wait();
}

extern "C" fn nothing() {}

extern "C" fn init(barrier: *mut u8, arrivals: u32) {
    assert!(barrier.addr().is_multiple_of(8), "a barrier is a word");
    let phase = Phase { arrivals, left: arrivals, bytes: 0, parity: 0 };
    assert!(block().phases.borrow_mut().insert(barrier.addr(), phase).is_none());
}

extern "C" fn expect(barrier: *mut u8, bytes: u32) {
    block().at(barrier, |it| {
        it.left -= 1;
        it.bytes += i64::from(bytes);
    });
}

extern "C" fn arrive(barrier: *mut u8, lane: u32) {
    if lane == 0 {
        block().at(barrier, |it| it.left -= 1);
    }
}

extern "C" fn wait(barrier: *mut u8, parity: u32) {
    let block = block();
    wait_until(|| block.phases.borrow()[&barrier.addr()].parity != parity);
}

/// What the copy engine is told of a matrix: where it is, how long a row is and how many there are, and the same of a box.
#[derive(Clone, Copy)]
struct Map {
    first: u64,
    shape: [u64; 2],
    of_box: [u64; 2],
}

/// The bits of an address that chunks are exchanged by.
fn exchanged(address: usize) -> usize {
    address ^ address >> 3 & 0x70
}

/// # Safety
/// The matrix is there, and so is the box.
unsafe extern "C" fn load(to: *mut u8, map: *const Map, barrier: *mut u8, column: u32, row: u32) {
    // SAFETY: the caller's promise.
    let map = unsafe { map.read() };
    let [across, down] = map.of_box;
    assert!(across * 2 == 128 && to.addr().is_multiple_of(1024), "a box has rows of 128 bytes, and the pattern begins");
    let from: *const u16 = std::ptr::with_exposed_provenance(map.first as usize);
    for y in 0..down {
        for x in 0..across {
            let (column, row) = (u64::from(column) + x, u64::from(row) + y);
            let is_there = column < map.shape[0] && row < map.shape[1];
            // SAFETY: it is inside.
            let found = if is_there { unsafe { from.add((row * map.shape[0] + column) as usize).read() } } else { 0 };
            let place = exchanged(to.addr() + (y * 128 + x * 2) as usize);
            // SAFETY: the caller's promise.
            unsafe { to.with_addr(place).cast::<u16>().write(found) };
        }
    }
    block().at(barrier, |it| it.bytes -= (across * down * 2) as i64);
}

/// What a descriptor says.
struct Described {
    first: usize,
    leading: usize,
    stride: usize,
}

impl Described {
    fn new(bits: u64) -> Self {
        let field = |at: u32| (bits >> at & 0x3fff) as usize * 16;
        let it = Self { first: field(0), leading: field(16), stride: field(32) };
        assert_eq!(bits >> 62, 1, "chunks are exchanged over 128 bytes");
        assert_eq!(bits & 0x3fff_c000_c000_c000, 0, "nothing else is said");
        it
    }

    /// Where an element of the first is.
    fn across(&self, row: usize, depth: usize) -> usize {
        exchanged(self.first + row / 8 * self.stride + row % 8 * 128 + depth * 2)
    }

    /// Where one of the second is, which lies the other way round.
    fn above(&self, depth: usize, column: usize) -> usize {
        let before = column / 64 * self.leading + depth / 8 * self.stride;
        exchanged(self.first + before + depth % 8 * 128 + column % 64 * 2)
    }
}

/// The sums of a thread, and the descriptors of each part.
///
/// # Safety
/// There are as many sums as the columns say, and as many descriptors.
unsafe extern "C" fn multiply(columns: u32, sums: *mut f32, descriptors: *const u64) {
    let block = block();
    let thread = PLACE.get()[0] as usize % WARPGROUP as usize;
    let (warp, lane) = (thread / WARP as usize, thread % WARP as usize);
    let value = |address: usize| {
        // SAFETY: it is inside of shared memory.
        let bits = unsafe { block.shared(address).read() };
        if block.dtype == Dtype::F16 { f16::from_bits(bits).to_f64() } else { bf16::from_bits(bits).to_f64() }
    };
    for part in 0..PARTS as usize {
        // SAFETY: the caller's promise.
        let [first, second] = [0, 1].map(|it| Described::new(unsafe { descriptors.add(2 * part + it).read() }));
        let rows = [0, 8].map(|it| {
            let row = 16 * warp + lane / 4 + it;
            (0..16).map(|depth| value(first.across(row, depth))).collect::<Vec<_>>()
        });
        for column in (0..columns as usize).step_by(8).flat_map(|it| [0, 1].map(|odd| it + lane % 4 * 2 + odd)) {
            let above: Vec<f64> = (0..16).map(|depth| value(second.above(depth, column))).collect();
            for (half, row) in rows.iter().enumerate() {
                let products: f64 = row.iter().zip(&above).map(|(x, y)| x * y).sum();
                // SAFETY: the caller's promise.
                unsafe {
                    let sum = sums.add(column / 8 * 4 + half * 2 + column % 2);
                    sum.write((f64::from(sum.read()) + products) as f32);
                }
            }
        }
    }
    // No thread goes on before its warp has multiplied.
    meet_warp(0);
}

/// Code of this processor, and its shared memory.
struct Lowered {
    code: Arc<dyn Code>,
    kernel: Wgmma,
    room: usize,
}

fn lowered(kernel: Wgmma, epilogue: Option<&Epilogue>) -> Lowered {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let llcx = Context::create();
    let machine = machine_for("sm_90a").expect("LLVM has the target");
    let module = llcx.create_module("product");
    module.set_triple(&machine.get_triple());
    module.set_data_layout(&machine.get_target_data().get_data_layout());
    let instructions = instructions::declare(&llcx, &module, kernel);
    write::write(&llcx, &module, kernel, &instructions, epilogue).expect(BUILT);
    crate::math::write::define_all(&llcx, &module);
    device::optimise(&module, &machine).expect("it is well formed");
    let start = format!("wgmma.{}", COUNT.fetch_add(1, Ordering::Relaxed));
    let layout = Layout::from_size_align(2 * REACH, REACH).expect("it is a layout");
    // SAFETY: it is not empty. It stays as long as the code does.
    let room = unsafe { std::alloc::alloc(layout) }.expose_provenance() + BEFORE;
    on_this_processor(&llcx, &module, &start, room, kernel);
    Lowered { code: device::link_here(&module, &start).expect("it links"), kernel, room }
}

fn on_this_processor<'ctx>(llcx: &'ctx Context, module: &Module<'ctx>, start: &str, room: usize, kernel: Wgmma) {
    let (int, ptr) = (llcx.i64_type(), llcx.ptr_type(AddressSpace::default()));
    let functions: [(&str, usize); 12] = [
        ("sreg.tid.x", thread as *const () as usize),
        ("sreg.ctaid.x", number as *const () as usize),
        ("sreg.nctaid.x", count as *const () as usize),
        ("barrier.cta.sync.aligned.all", meet_all as *const () as usize),
        ("bar.warp.sync", meet_warp as *const () as usize),
        ("snekpy.init", init as *const () as usize),
        ("snekpy.publish", nothing as *const () as usize),
        ("registers", nothing as *const () as usize),
        ("snekpy.expect", expect as *const () as usize),
        ("snekpy.load", load as *const () as usize),
        ("snekpy.wait", wait as *const () as usize),
        ("snekpy.arrive", arrive as *const () as usize),
    ];
    for func in module.get_functions().filter(|it| it.count_basic_blocks() == 0).collect::<Vec<_>>() {
        let name = func.get_name().to_string_lossy().into_owned();
        if name == TO_BF16 {
            func.replace_all_uses_with(two_upper(llcx, module, &format!("{start}.upper")));
        } else if name == "snekpy.multiply" {
            func.replace_all_uses_with(stub(llcx, module, func, &format!("{start}.multiply"), kernel));
        } else if let Some((_, to)) = functions.iter().find(|it| name.ends_with(it.0)) {
            let to = int.const_int(*to as u64, false).const_to_pointer(ptr);
            func.as_global_value().as_pointer_value().replace_all_uses_with(to);
        } else {
            assert!(!name.starts_with("llvm.nvvm") && !name.starts_with("snekpy."), "a product has no {name}");
        }
    }
    let global = module.get_global(write::ROOM).expect("it has shared memory").as_pointer_value();
    let shared = llcx.ptr_type(AddressSpace::from(SHARED));
    global.replace_all_uses_with(int.const_int(room as u64, false).const_to_pointer(shared));
    // Maps are told by address here.
    let entry = module.get_function(ENTRY).expect("it has a kernel");
    for at in [3, 4] {
        entry.remove_enum_attribute(AttributeLoc::Param(at), Attribute::get_named_enum_kind_id("byval"));
    }
    host_entry(llcx, module, start);
}

/// Puts sums and descriptors into memory, for a function that takes them there.
fn stub<'ctx>(
    llcx: &'ctx Context,
    module: &Module<'ctx>,
    func: FunctionValue<'ctx>,
    name: &str,
    kernel: Wgmma,
) -> FunctionValue<'ctx> {
    let (b, int) = (llcx.create_builder(), llcx.i64_type());
    let ptr = llcx.ptr_type(AddressSpace::default());
    let stub = module.add_function(name, func.get_type(), None);
    b.position_at_end(llcx.append_basic_block(stub, "entry"));
    let gives = stub.get_type().get_return_type().expect("it gives sums");
    let sums = b.build_alloca(gives, "").expect(BUILT);
    let descriptors = b.build_alloca(int.array_type(2 * PARTS as u32), "").expect(BUILT);
    for (at, param) in stub.get_param_iter().enumerate() {
        let (first, at) = match at.checked_sub(kernel.sums() as usize) {
            None => (sums, at),
            Some(at) => (descriptors, at),
        };
        let at = int.const_int(at as u64, false);
        // SAFETY: this only writes an instruction; there are as many.
        let to = unsafe { b.build_in_bounds_gep(param.get_type(), first, &[at], "") }.expect(BUILT);
        b.build_store(to, param).expect(BUILT);
    }
    let word = llcx.i32_type();
    let ty = llcx.void_type().fn_type(&[word.into(), ptr.into(), ptr.into()], false);
    let callee = int.const_int(multiply as *const () as u64, false).const_to_pointer(ptr);
    let args: [BasicMetadataValueEnum<'ctx>; 3] =
        [word.const_int(kernel.columns, false).into(), sums.into(), descriptors.into()];
    b.build_indirect_call(ty, callee, &args, "").expect(BUILT);
    let made = b.build_load(gives, sums, "").expect(BUILT);
    b.build_return(Some(&made)).expect(BUILT);
    stub
}

fn run_here(lowered: &Lowered, product: &Product, run: Option<&Run>, blocks: u32) {
    let Lowered { code, kernel, room } = lowered;
    let shapes = [[product.k, product.m], [product.n, product.k]].map(|it| it.map(|it| it as u64));
    let firsts = [product.a, product.b];
    let maps = [0, 1].map(|it| {
        let [rows, columns] = kernel.boxes()[it];
        Map { first: firsts[it], shape: shapes[it], of_box: [columns, rows] }
    });
    let mut words = params(product, run);
    for (word, map) in words[3..5].iter_mut().zip(&maps) {
        *word = std::ptr::from_ref(map).expose_provenance() as u64;
    }
    let words = &words;
    for number in 0..blocks {
        let bytes = kernel.shared_bytes() as usize;
        // SAFETY: it is there, and no block is running.
        unsafe { std::ptr::with_exposed_provenance_mut::<u8>(*room).write_bytes(0xff, bytes) };
        BLOCK.set(Some(Rc::new(Block {
            all: Barrier::new(THREADS as usize),
            warps: (0..THREADS / WARP).map(|_| Barrier::new(WARP as usize)).collect(),
            phases: RefCell::default(),
            dtype: product.dtype,
            room: *room,
            bytes,
        })));
        in_turn::run(THREADS as u32, |thread| PLACE.set([thread, number, blocks]), &|| {
            // SAFETY: these are the kernel's parameters, and the matrices are there.
            unsafe { code.run(&mut HostContext::detached(&mut []), words.as_ptr(), std::ptr::null_mut()) };
        });
    }
}

/// Shapes, and by how many blocks they are made.
const SHAPES: [([usize; 3], u32); 7] = [
    ([1, 8, 8], 1),
    ([128, 256, 64], 1),
    ([64, 128, 16], 2),
    ([200, 264, 136], 3),
    ([130, 520, 72], 2),
    ([127, 120, 64 * 7], 1),
    // More rows of tiles than a group has.
    ([128 * 17 + 1, 8, 8], 4),
];

#[test]
fn products_have_the_bits_of_the_other_kernel() {
    for dtype in [Dtype::F16, Dtype::Bf16] {
        for columns in [256, 128] {
            let lowered = lowered(Wgmma { dtype, columns }, None);
            for (shape, blocks) in SHAPES {
                let mut matrices = Matrices::new(dtype, shape, 0, false);
                matrices.clear();
                run_here(&lowered, &matrices.product, None, blocks);
                is_right(&matrices, "wgmma");
                let found = matrices.found();
                // SAFETY: the matrices are there.
                unsafe { simulate(&matrices.product, None, 7, true) }.expect("it has no race");
                assert_eq!(found, matrices.found(), "{shape:?}");
            }
        }
    }
}

#[test]
fn epilogues_have_the_bits_of_two_kernels() {
    for dtype in [Dtype::F16, Dtype::Bf16] {
        for (rank, columns, shape) in [(2, 256, [130, 264, 40]), (1, 128, [17, 136, 72])] {
            let here = |product: &Product, epilogue: &Epilogue, run: &Run| {
                run_here(&lowered(Wgmma { dtype, columns }, Some(epilogue)), product, Some(run), 2);
            };
            has_the_bits_of_two_kernels(dtype, rank, shape, &[("wgmma", &here)]);
        }
    }
}

#[test]
fn only_what_the_copy_engine_takes_and_is_large_is_made_so() {
    let product = |[m, n, k]: [usize; 3], dtype| Product { dtype, m, n, k, a: 0, tail: None, b: 512, to: 1024 };
    let columns = |shape, dtype| Wgmma::of(&product(shape, dtype), 132).map(|it| it.columns);
    assert_eq!(columns([8192, 8192, 8192], Dtype::Bf16), Some(256));
    assert_eq!(columns([1024, 2048, 64], Dtype::F16), Some(128));
    assert_eq!(columns([512, 512, 512], Dtype::F16), None);
    assert_eq!(columns([8192, 8192, 8192], Dtype::F32), None);
    assert_eq!(columns([8192, 8191, 8192], Dtype::F16), None);
    assert_eq!(Wgmma::of(&Product { to: 1026, ..product([8192; 3], Dtype::F16) }, 132), None);
}

#[test]
fn a_block_has_the_shared_memory_that_it_asks_for() {
    for columns in [256, 128] {
        assert!(Wgmma { dtype: Dtype::F16, columns }.shared_bytes() <= 227 << 10);
    }
}
