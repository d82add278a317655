//! What a thread does. The parameters are those of the other kernel, but for maps in the place of the factors' addresses.

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::basic_block::BasicBlock;
use inkwell::builder::{Builder, BuilderError};
use inkwell::context::Context;
use inkwell::intrinsics::Intrinsic;
use inkwell::module::Module;
use inkwell::types::BasicMetadataTypeEnum;
use inkwell::values::{BasicMetadataValueEnum, BasicValueEnum, FunctionValue, IntValue, PhiValue, PointerValue};
use inkwell::{AddressSpace, IntPredicate};
use snekpy_stage::tensor::device::Epilogue;

use super::instructions::{Instructions, PARTS};
use super::{ALIGNMENT, BOX, ELEMENT, ROWS, ROWS_OF_WARP, STEP, THREADS, WARP, WARPGROUP, WARPS, Wgmma, descriptor};
use crate::product::epilogue::{self, AT_ONCE, Finish, Place};
use crate::ptx::{ENTRY, GLOBAL, PTX_KERNEL, SHARED, barrier, register};
use crate::sweep::each::Each;

type Result<T> = std::result::Result<T, BuilderError>;

/// The shared memory, whose size the launch says.
pub(super) const ROOM: &str = "room";
/// What the copy engine is told of a factor.
const MAP_BYTES: u32 = 128;
const MAP_ALIGNMENT: u64 = 64;
/// The parameters that come first: three sizes and two maps.
const OF_PRODUCT: u32 = 5;
/// Tiles are made by groups of so many rows of them, column after column: tiles that are made at once have factors in common.
const GROUP: u64 = 16;
/// A column of eight results: what an instruction gives a thread in a row.
const COLUMNS: u64 = 8;
/// Bytes that a thread writes at once.
const CHUNK: u64 = 16;

/// Writes the kernel into a module.
pub(super) fn write<'ctx>(
    llcx: &'ctx Context,
    module: &Module<'ctx>,
    kernel: Wgmma,
    instructions: &Instructions<'ctx>,
    epilogue: Option<&Epilogue>,
) -> Result<()> {
    let b = llcx.create_builder();
    let finish = epilogue.map(|it| Finish::new(llcx, module, it, kernel.sums())).transpose()?;
    let func = declared(llcx, module, epilogue);
    b.position_at_end(llcx.append_basic_block(func, "entry"));
    let room = module.add_global(llcx.i8_type().array_type(0), Some(AddressSpace::from(SHARED)), ROOM);
    room.set_alignment(CHUNK as u32);
    let room = aligned(llcx, &b, room.as_pointer_value())?;
    Writer { llcx, module, kernel, instructions, b: &b, func, finish, room }.product()
}

fn declared<'ctx>(llcx: &'ctx Context, module: &Module<'ctx>, epilogue: Option<&Epilogue>) -> FunctionValue<'ctx> {
    let global = llcx.ptr_type(AddressSpace::from(GLOBAL));
    let map = llcx.ptr_type(AddressSpace::default());
    let mut params: Vec<BasicMetadataTypeEnum<'ctx>> = vec![llcx.i64_type().into(); 3];
    params.extend([BasicMetadataTypeEnum::from(map); 2]);
    params.extend(epilogue.map_or_else(|| vec![global.into()], |it| epilogue::params(llcx, it)));
    let func = module.add_function(ENTRY, llcx.void_type().fn_type(&params, false), None);
    func.set_call_conventions(PTX_KERNEL);
    // One block of a multiprocessor: what registers a thread may have is then known, so that they can be moved.
    for (name, value) in [("nvvm.maxntid", THREADS), ("nvvm.minctasm", 1)] {
        func.add_attribute(AttributeLoc::Function, llcx.create_string_attribute(name, &value.to_string()));
    }
    for at in OF_PRODUCT - 2..OF_PRODUCT {
        // A map stays where the launch has put it: the copy engine does not read a thread's own memory.
        let at = AttributeLoc::Param(at);
        let kind = |name| Attribute::get_named_enum_kind_id(name);
        let bytes = llcx.i8_type().array_type(MAP_BYTES);
        func.add_attribute(at, llcx.create_type_attribute(kind("byval"), bytes.into()));
        func.add_attribute(at, llcx.create_enum_attribute(kind("align"), MAP_ALIGNMENT));
        func.add_attribute(at, llcx.create_string_attribute("nvvm.grid_constant", ""));
    }
    func
}

/// The first place of shared memory at which a stage may begin.
fn aligned<'ctx>(llcx: &'ctx Context, b: &Builder<'ctx>, room: PointerValue<'ctx>) -> Result<PointerValue<'ctx>> {
    let int = llcx.i64_type();
    let left = b.build_int_neg(b.build_ptr_to_int(room, int, "")?, "")?;
    let left = b.build_and(left, int.const_int(ALIGNMENT - 1, false), "")?;
    // SAFETY: this only writes an instruction; so much more than is needed has been asked for.
    unsafe { b.build_in_bounds_gep(llcx.i8_type(), room, &[left], "room") }
}

/// The two barriers of a stage.
#[derive(Clone, Copy)]
enum Barrier {
    Full,
    Empty,
}

/// A stage, and the parity of how often all stages have been used.
#[derive(Clone, Copy)]
struct Turn<'ctx> {
    stage: IntValue<'ctx>,
    parity: IntValue<'ctx>,
}

struct Writer<'a, 'ctx> {
    llcx: &'ctx Context,
    module: &'a Module<'ctx>,
    kernel: Wgmma,
    instructions: &'a Instructions<'ctx>,
    b: &'a Builder<'ctx>,
    func: FunctionValue<'ctx>,
    finish: Option<Finish<'a, 'ctx>>,
    /// Where stages, results and barriers are.
    room: PointerValue<'ctx>,
}

impl<'ctx> Writer<'_, 'ctx> {
    fn product(&self) -> Result<()> {
        let b = self.b;
        let thread = self.special("tid")?;
        let [lone, begun] = ["lone", "begun"].map(|name| self.block(name));
        self.branch_if_zero(thread, lone, begun)?;

        b.position_at_end(lone);
        for stage in 0..self.kernel.stages() {
            for (which, arrivals) in [(Barrier::Full, 1), (Barrier::Empty, WARPS)] {
                let it = self.barrier(which, self.word(stage))?;
                self.run(self.instructions.init, &[it.into(), self.word(arrivals).into()])?;
            }
        }
        self.run(self.instructions.publish, &[])?;
        b.build_unconditional_branch(begun)?;

        b.position_at_end(begun);
        barrier(self.llcx, self.module, b)?;
        let [copies, multiplies] = ["copies", "multiplies"].map(|name| self.block(name));
        let group = b.build_int_unsigned_div(thread, self.word(WARPGROUP), "")?;
        self.branch_if_zero(group, copies, multiplies)?;

        b.position_at_end(copies);
        self.run(self.instructions.fewer_registers, &[])?;
        let [copier, gone] = ["copier", "gone"].map(|name| self.block(name));
        self.branch_if_zero(thread, copier, gone)?;
        b.position_at_end(copier);
        self.tiles(|it, corner, turn| it.copy(corner, turn))?;
        b.build_unconditional_branch(gone)?;
        b.position_at_end(gone);
        b.build_return(None)?;

        b.position_at_end(multiplies);
        self.run(self.instructions.more_registers, &[])?;
        let group = b.build_int_sub(group, self.word(1), "")?;
        let lane = b.build_int_unsigned_rem(thread, self.word(WARP), "")?;
        let warp = b.build_int_unsigned_div(thread, self.word(WARP), "")?;
        let warp = b.build_int_sub(warp, self.word(WARPGROUP / WARP), "")?;
        self.tiles(|it, corner, turn| {
            let (sums, turn) = it.multiply(group, lane, turn)?;
            it.give(corner, [warp, lane], &sums)?;
            Ok(turn)
        })?;
        b.build_return(None)?;
        Ok(())
    }

    /// Goes through the tiles of this block: the first column or row of each, with the turn that comes next.
    fn tiles(&self, each: impl FnOnce(&Self, [IntValue<'ctx>; 2], Turn<'ctx>) -> Result<Turn<'ctx>>) -> Result<()> {
        let b = self.b;
        let [down, across] = [(0, ROWS), (1, self.kernel.columns)].map(|(size, tile)| -> Result<IntValue<'ctx>> {
            let more = b.build_int_add(self.size(size)?, self.word(tile - 1), "")?;
            b.build_int_unsigned_div(more, self.word(tile), "")
        });
        let (down, across) = (down?, across?);
        let count = b.build_int_mul(down, across, "")?;
        let (first, blocks) = (self.special("ctaid")?, self.special("nctaid")?);
        let before = self.here();
        let [head, tile, done] = ["tiles", "tile", "no_tile"].map(|name| self.block(name));
        b.build_unconditional_branch(head)?;

        b.position_at_end(head);
        let (number, turn) = (self.phi()?, self.turn_phis()?);
        let at = number.as_basic_value().into_int_value();
        let goes_on = b.build_int_compare(IntPredicate::ULT, at, count, "")?;
        b.build_conditional_branch(goes_on, tile, done)?;

        b.position_at_end(tile);
        let corner = self.corner(at, down, across)?;
        let next_turn = each(self, corner, Self::turn(turn))?;
        let next = b.build_int_add(at, blocks, "")?;
        let here = self.here();
        b.build_unconditional_branch(head)?;
        number.add_incoming(&[(&first, before), (&next, here)]);
        let first_turn = Turn { stage: self.word(0), parity: self.word(0) };
        Self::come(turn, &[(first_turn, before), (next_turn, here)]);

        b.position_at_end(done);
        Ok(())
    }

    /// The first row and column of a tile, of so many below each other and beside each other.
    fn corner(
        &self,
        number: IntValue<'ctx>,
        down: IntValue<'ctx>,
        across: IntValue<'ctx>,
    ) -> Result<[IntValue<'ctx>; 2]> {
        let b = self.b;
        let of_group = b.build_int_mul(across, self.word(GROUP), "")?;
        let first = b.build_int_mul(b.build_int_unsigned_div(number, of_group, "")?, self.word(GROUP), "")?;
        let inside = b.build_int_unsigned_rem(number, of_group, "")?;
        let left = b.build_int_sub(down, first, "")?;
        let is_full = b.build_int_compare(IntPredicate::ULT, self.word(GROUP), left, "")?;
        let rows = b.build_select(is_full, self.word(GROUP), left, "")?.into_int_value();
        let row = b.build_int_add(first, b.build_int_unsigned_rem(inside, rows, "")?, "")?;
        let column = b.build_int_unsigned_div(inside, rows, "")?;
        Ok([b.build_int_mul(row, self.word(ROWS), "")?, b.build_int_mul(column, self.word(self.kernel.columns), "")?])
    }

    /// Goes through the steps of a tile, carrying values round: the first column of each, with the turn and what is carried.
    fn steps(
        &self,
        turn: Turn<'ctx>,
        carried: &[BasicValueEnum<'ctx>],
        each: impl FnOnce(&Self, IntValue<'ctx>, Turn<'ctx>, &[BasicValueEnum<'ctx>]) -> Result<Vec<BasicValueEnum<'ctx>>>,
    ) -> Result<(Vec<BasicValueEnum<'ctx>>, Turn<'ctx>)> {
        let b = self.b;
        let before = self.here();
        let [step, done] = ["step", "no_step"].map(|name| self.block(name));
        b.build_unconditional_branch(step)?;

        // There is at least one.
        b.position_at_end(step);
        let (at, turns) = (self.phi()?, self.turn_phis()?);
        let phis: Vec<PhiValue<'ctx>> =
            carried.iter().map(|it| b.build_phi(it.get_type(), "")).collect::<Result<_>>()?;
        let values: Vec<BasicValueEnum<'ctx>> = phis.iter().map(|it| it.as_basic_value()).collect();
        let (here, now) = (at.as_basic_value().into_int_value(), Self::turn(turns));
        let made = each(self, here, now, &values)?;
        let next = b.build_int_add(here, self.word(STEP), "")?;
        let next_turn = self.next(now)?;
        let goes_on = b.build_int_compare(IntPredicate::ULT, next, self.size(2)?, "")?;
        let end = self.here();
        b.build_conditional_branch(goes_on, step, done)?;
        at.add_incoming(&[(&self.word(0), before), (&next, end)]);
        Self::come(turns, &[(turn, before), (next_turn, end)]);
        for ((phi, first), next) in phis.iter().zip(carried).zip(&made) {
            phi.add_incoming(&[(first, before), (next, end)]);
        }

        b.position_at_end(done);
        Ok((made, next_turn))
    }

    /// Asks for the steps of a tile, one after the other, when their stages are empty.
    fn copy(&self, [row, column]: [IntValue<'ctx>; 2], turn: Turn<'ctx>) -> Result<Turn<'ctx>> {
        let b = self.b;
        let maps = [3, 4].map(|it| self.param(it));
        let (_, turn) = self.steps(turn, &[], |it, step, turn, _| {
            // The first time stages are empty: that is the parity of a phase before the first.
            let before = b.build_xor(turn.parity, it.word(1), "")?;
            it.run(it.instructions.wait, &[it.barrier(Barrier::Empty, turn.stage)?.into(), before.into()])?;
            let full = it.barrier(Barrier::Full, turn.stage)?;
            it.run(it.instructions.expect, &[full.into(), it.word(it.kernel.stage_bytes()).into()])?;
            let stage = it.stage(turn.stage)?;
            let load = |far: u64, map: BasicValueEnum<'ctx>, [row, column]: [IntValue<'ctx>; 2]| {
                let to = it.at(stage, it.word(far))?;
                it.run(it.instructions.load, &[to.into(), map.into(), full.into(), column.into(), row.into()]).map(drop)
            };
            load(0, maps[0], [row, step])?;
            for right in (0..it.kernel.columns).step_by(BOX as usize) {
                let far = it.kernel.first_bytes() + right * STEP * ELEMENT;
                load(far, maps[1], [step, b.build_int_add(column, it.word(right), "")?])?;
            }
            Ok(Vec::new())
        })?;
        Ok(turn)
    }

    /// Adds up the steps of a tile: the rows of a warpgroup.
    fn multiply(
        &self,
        group: IntValue<'ctx>,
        lane: IntValue<'ctx>,
        turn: Turn<'ctx>,
    ) -> Result<(Vec<BasicValueEnum<'ctx>>, Turn<'ctx>)> {
        let b = self.b;
        let zero: BasicValueEnum<'ctx> = self.llcx.f32_type().const_zero().into();
        let zeros = vec![zero; self.kernel.sums() as usize];
        let rows = b.build_int_mul(group, self.word(ROWS / 2 * STEP * ELEMENT), "")?;
        self.steps(turn, &zeros, |it, _, turn, sums| {
            let full = it.barrier(Barrier::Full, turn.stage)?;
            it.run(it.instructions.wait, &[full.into(), turn.parity.into()])?;
            let stage = it.stage(turn.stage)?;
            let firsts = [rows, it.word(it.kernel.first_bytes())];
            let layouts = [descriptor::first(), descriptor::second(BOX * STEP * ELEMENT)];
            // The next 16 columns of the first are beside these, the next 16 rows of the second below.
            let parts = [STEP / PARTS * ELEMENT, STEP / PARTS * BOX * ELEMENT];
            let mut args: Vec<BasicMetadataValueEnum<'ctx>> = sums.iter().map(|&it| it.into()).collect();
            let mut first = Vec::new();
            for (far, layout) in firsts.into_iter().zip(layouts) {
                first.push(it.described(it.at(stage, far)?, layout)?);
            }
            for part in 0..PARTS {
                for (&first, bytes) in first.iter().zip(parts) {
                    let far = it.int(part * bytes / descriptor::UNIT);
                    args.push(b.build_int_add(first, far, "")?.into());
                }
            }
            let made = it.run(it.instructions.multiply, &args)?.expect("it gives sums").into_struct_value();
            it.run(it.instructions.arrive, &[it.barrier(Barrier::Empty, turn.stage)?.into(), lane.into()])?;
            (0..sums.len() as u32).map(|at| b.build_extract_value(made, at, "")).collect()
        })
    }

    /// The descriptor of what begins at a place.
    fn described(&self, first: PointerValue<'ctx>, layout: u64) -> Result<IntValue<'ctx>> {
        let b = self.b;
        let address = b.build_ptr_to_int(first, self.llcx.i64_type(), "")?;
        let units = b.build_right_shift(address, self.int(u64::from(descriptor::UNIT.ilog2())), false, "")?;
        let units = b.build_and(units, self.int(descriptor::ADDRESS), "")?;
        b.build_or(units, self.int(layout), "")
    }

    /// Writes the rows of a warp, rounded: its threads put them into shared memory, and take them from there row by row.
    fn give(
        &self,
        corner: [IntValue<'ctx>; 2],
        [warp, lane]: [IntValue<'ctx>; 2],
        sums: &[BasicValueEnum<'ctx>],
    ) -> Result<()> {
        let b = self.b;
        let pitch = self.kernel.results_pitch();
        let mine = b.build_int_mul(warp, self.word(ROWS_OF_WARP * pitch), "")?;
        let mine = self.at(self.at(self.room, self.word(self.kernel.results_at()))?, mine)?;
        // What others read of the tile before has been read.
        self.meet()?;
        self.put(mine, lane, sums)?;
        self.meet()?;

        let first = b.build_int_add(corner[0], b.build_int_mul(warp, self.word(ROWS_OF_WARP), "")?, "")?;
        let before = self.here();
        let [head, row, done] = ["rows", "row", "no_row"].map(|name| self.block(name));
        b.build_unconditional_branch(head)?;
        b.position_at_end(head);
        let down = self.phi()?;
        let at = down.as_basic_value().into_int_value();
        let below = b.build_int_add(first, at, "")?;
        let is_mine = b.build_int_compare(IntPredicate::ULT, at, self.word(ROWS_OF_WARP), "")?;
        let is_there = b.build_int_compare(IntPredicate::ULT, below, self.size(0)?, "")?;
        b.build_conditional_branch(b.build_and(is_mine, is_there, "")?, row, done)?;

        b.position_at_end(row);
        let from = self.at(mine, b.build_int_mul(at, self.word(pitch), "")?)?;
        match &self.finish {
            None => self.write_row(from, [below, corner[1]], lane)?,
            Some(finish) => self.finish_row(finish, from, [below, corner[1]], lane)?,
        }
        let next = b.build_int_add(at, self.word(1), "")?;
        let here = self.here();
        b.build_unconditional_branch(head)?;
        down.add_incoming(&[(&self.word(0), before), (&next, here)]);
        b.position_at_end(done);
        Ok(())
    }

    /// Puts a thread's sums, rounded, where its warp's results are.
    fn put(&self, mine: PointerValue<'ctx>, lane: IntValue<'ctx>, sums: &[BasicValueEnum<'ctx>]) -> Result<()> {
        let b = self.b;
        let pitch = self.kernel.results_pitch();
        let row = b.build_int_mul(b.build_int_unsigned_div(lane, self.word(4), "")?, self.word(pitch), "")?;
        let column = b.build_int_unsigned_rem(lane, self.word(4), "")?;
        let column = b.build_int_mul(column, self.word(2 * ELEMENT), "")?;
        let first = self.at(mine, b.build_int_add(row, column, "")?)?;
        for (number, pair) in (0..).zip(sums.chunks(2)) {
            // Pairs of two rows take turns, those of eight rows and the next eight.
            let far = number % 2 * (ROWS_OF_WARP / 2) * pitch + number / 2 * COLUMNS * ELEMENT;
            let to = self.at(first, self.word(far))?;
            b.build_store(to, self.rounded([pair[0], pair[1]])?)?;
        }
        Ok(())
    }

    /// Two sums as elements, the first one in the lower half.
    fn rounded(&self, pair: [BasicValueEnum<'ctx>; 2]) -> Result<IntValue<'ctx>> {
        Ok(self.each().two_to_bits(self.kernel.dtype, pair.map(BasicValueEnum::into_float_value)))
    }

    /// Writes a row of results, chunk by chunk. Rows of the product are whole chunks.
    fn write_row(
        &self,
        from: PointerValue<'ctx>,
        [row, column]: [IntValue<'ctx>; 2],
        lane: IntValue<'ctx>,
    ) -> Result<()> {
        let b = self.b;
        let elements = CHUNK / ELEMENT;
        let columns = self.kernel.columns;
        let mine = b.build_int_mul(lane, self.word(elements), "")?;
        let right = b.build_int_add(column, mine, "")?;
        let mut is_there = b.build_int_compare(IntPredicate::ULT, right, self.size(1)?, "")?;
        if columns < WARP * elements {
            let is_mine = b.build_int_compare(IntPredicate::ULT, mine, self.word(columns), "")?;
            is_there = b.build_and(is_there, is_mine, "")?;
        }
        let [store, next] = ["store", "stored"].map(|name| self.block(name));
        b.build_conditional_branch(is_there, store, next)?;
        b.position_at_end(store);
        let chunk = self.llcx.i32_type().vec_type(4);
        let at = self.at(from, b.build_int_mul(lane, self.word(CHUNK), "")?)?;
        let made = b.build_load(chunk, at, "")?;
        let far = b.build_int_mul(self.far(row, right)?, self.int(ELEMENT), "")?;
        let first = self.param(OF_PRODUCT).into_pointer_value();
        // SAFETY: this only writes an instruction; the place is one of the product's.
        let to = unsafe { b.build_in_bounds_gep(self.llcx.i8_type(), first, &[far], "")? };
        b.build_store(to, made)?;
        b.build_unconditional_branch(next)?;
        b.position_at_end(next);
        Ok(())
    }

    /// Goes on with a row of results: a warp's threads with elements beside each other.
    fn finish_row(
        &self,
        finish: &Finish<'_, 'ctx>,
        from: PointerValue<'ctx>,
        [row, column]: [IntValue<'ctx>; 2],
        lane: IntValue<'ctx>,
    ) -> Result<()> {
        let (b, int) = (self.b, self.llcx.i64_type());
        let mut places = Vec::new();
        for first in (0..self.kernel.columns).step_by(WARP as usize) {
            let mine = b.build_int_add(lane, self.word(first), "")?;
            let right = b.build_int_add(column, mine, "")?;
            let is_there = b.build_int_compare(IntPredicate::ULT, right, self.size(1)?, "")?;
            let at = self.at(from, b.build_int_mul(mine, self.word(ELEMENT), "")?)?;
            let bits = b.build_load(self.llcx.i16_type(), at, "")?.into_int_value();
            let element = self.each().of_bits(self.kernel.dtype, bits);
            let far = self.far(row, right)?;
            let [row, column] = [row, right].map(|it| b.build_int_z_extend(it, int, ""));
            places.push(Place { row: row?, column: column?, far, is_there, element });
        }
        let params: Vec<BasicValueEnum<'ctx>> = self.func.get_param_iter().skip(OF_PRODUCT as usize).collect();
        places.chunks(AT_ONCE).try_for_each(|it| finish.finish(b, &params, it))
    }

    /// How far an element is from the first.
    fn far(&self, row: IntValue<'ctx>, column: IntValue<'ctx>) -> Result<IntValue<'ctx>> {
        let (b, int) = (self.b, self.llcx.i64_type());
        let before = b.build_int_mul(b.build_int_z_extend(row, int, "")?, self.param(1).into_int_value(), "")?;
        b.build_int_add(before, b.build_int_z_extend(column, int, "")?, "")
    }

    /// Waits for the threads of the warp.
    fn meet(&self) -> Result<()> {
        let all = self.llcx.i32_type().const_all_ones();
        let found = Intrinsic::find("llvm.nvvm.bar.warp.sync").and_then(|it| it.get_declaration(self.module, &[]));
        self.run(found.expect("LLVM 22 has it"), &[all.into()]).map(drop)
    }

    fn each(&self) -> Each<'_, 'ctx> {
        Each { llcx: self.llcx, module: self.module, b: self.b }
    }

    /// Where a stage begins.
    fn stage(&self, number: IntValue<'ctx>) -> Result<PointerValue<'ctx>> {
        self.at(self.room, self.b.build_int_mul(number, self.word(self.kernel.stage_bytes()), "")?)
    }

    fn barrier(&self, which: Barrier, stage: IntValue<'ctx>) -> Result<PointerValue<'ctx>> {
        let first = self.kernel.barriers_at() + 8 * self.kernel.stages() * which as u64;
        let far = self.b.build_int_mul(stage, self.word(8), "")?;
        self.at(self.at(self.room, self.word(first))?, far)
    }

    /// So many bytes behind a place in shared memory.
    fn at(&self, first: PointerValue<'ctx>, far: IntValue<'ctx>) -> Result<PointerValue<'ctx>> {
        // SAFETY: this only writes an instruction; the block has asked for all of it.
        unsafe { self.b.build_in_bounds_gep(self.llcx.i8_type(), first, &[far], "") }
    }

    /// The turn behind another one.
    fn next(&self, turn: Turn<'ctx>) -> Result<Turn<'ctx>> {
        let b = self.b;
        let stage = b.build_int_add(turn.stage, self.word(1), "")?;
        let is_last = b.build_int_compare(IntPredicate::EQ, stage, self.word(self.kernel.stages()), "")?;
        let change = b.build_int_z_extend(is_last, self.llcx.i32_type(), "")?;
        Ok(Turn {
            stage: b.build_select(is_last, self.word(0), stage, "")?.into_int_value(),
            parity: b.build_xor(turn.parity, change, "")?,
        })
    }

    fn phi(&self) -> Result<PhiValue<'ctx>> {
        self.b.build_phi(self.llcx.i32_type(), "")
    }

    fn turn_phis(&self) -> Result<[PhiValue<'ctx>; 2]> {
        Ok([self.phi()?, self.phi()?])
    }

    fn turn([stage, parity]: [PhiValue<'ctx>; 2]) -> Turn<'ctx> {
        let [stage, parity] = [stage, parity].map(|it| it.as_basic_value().into_int_value());
        Turn { stage, parity }
    }

    fn come([stage, parity]: [PhiValue<'ctx>; 2], from: &[(Turn<'ctx>, BasicBlock<'ctx>)]) {
        for (turn, block) in from {
            stage.add_incoming(&[(&turn.stage, *block)]);
            parity.add_incoming(&[(&turn.parity, *block)]);
        }
    }

    fn branch_if_zero(&self, it: IntValue<'ctx>, then: BasicBlock<'ctx>, otherwise: BasicBlock<'ctx>) -> Result<()> {
        let is_zero = self.b.build_int_compare(IntPredicate::EQ, it, self.word(0), "")?;
        self.b.build_conditional_branch(is_zero, then, otherwise)?;
        Ok(())
    }

    fn run(
        &self,
        func: FunctionValue<'ctx>,
        args: &[BasicMetadataValueEnum<'ctx>],
    ) -> Result<Option<BasicValueEnum<'ctx>>> {
        Ok(self.b.build_direct_call(func, args, "")?.try_as_basic_value().basic())
    }

    fn special(&self, name: &str) -> Result<IntValue<'ctx>> {
        register(self.module, self.b, &format!("llvm.nvvm.read.ptx.sreg.{name}.x"))
    }

    /// One of the three sizes, which are small.
    fn size(&self, which: u32) -> Result<IntValue<'ctx>> {
        self.b.build_int_truncate(self.param(which).into_int_value(), self.llcx.i32_type(), "")
    }

    fn here(&self) -> BasicBlock<'ctx> {
        self.b.get_insert_block().expect("it stands in one")
    }

    fn block(&self, name: &str) -> BasicBlock<'ctx> {
        self.llcx.append_basic_block(self.func, name)
    }

    fn param(&self, position: u32) -> BasicValueEnum<'ctx> {
        self.func.get_nth_param(position).expect("the kernel was declared with it")
    }

    fn word(&self, value: u64) -> IntValue<'ctx> {
        self.llcx.i32_type().const_int(value, false)
    }

    fn int(&self, value: u64) -> IntValue<'ctx> {
        self.llcx.i64_type().const_int(value, false)
    }
}
