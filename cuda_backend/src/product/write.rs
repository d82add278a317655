//! What a thread of a product does. The parameters are rows and columns of the product, the inner dimension, and the addresses
//! of the factors and of the product; instead of the last one, those of the epilogue.

mod bring;

use inkwell::attributes::AttributeLoc;
use inkwell::basic_block::BasicBlock;
use inkwell::builder::{Builder, BuilderError};
use inkwell::context::Context;
use inkwell::intrinsics::Intrinsic;
use inkwell::module::Module;
use inkwell::types::{BasicMetadataTypeEnum, BasicTypeEnum, FloatType, IntType};
use inkwell::values::{BasicMetadataValueEnum, BasicValue, BasicValueEnum, FunctionValue, IntValue, PointerValue};
use inkwell::{AddressSpace, IntPredicate};
use snekpy_stage::tensor::Dtype;
use snekpy_stage::tensor::device::Epilogue;

use super::epilogue::{self, AT_ONCE, Finish, Place};
use super::{PART, Variant};
use crate::ptx::{ENTRY, GLOBAL, PTX_KERNEL, SHARED, barrier, register};
use crate::sweep::each::Each;

type Result<T> = std::result::Result<T, BuilderError>;

/// The tiles of an instruction: 16 rows, 8 columns, 16 products each.
const ROWS: u64 = 16;
const COLUMNS: u64 = 8;
const DEPTH: u64 = 16;
/// A matrix that is loaded into registers has so many rows, of 16 bytes.
const MATRIX: u64 = 8;

/// Writes the kernel into a module.
pub(super) fn write<'ctx>(
    llcx: &'ctx Context,
    module: &Module<'ctx>,
    variant: Variant,
    epilogue: Option<&Epilogue>,
) -> Result<()> {
    let b = llcx.create_builder();
    let finish = epilogue.map(|it| Finish::new(llcx, module, it, variant.sums())).transpose()?;
    let rest = epilogue.map(|it| epilogue::params(llcx, it));
    Writer::new(llcx, module, variant, &b, finish, rest).product()
}

/// A factor, as it is in memory and as its tiles are.
#[derive(Clone, Copy)]
struct Factor<'ctx> {
    first: PointerValue<'ctx>,
    /// Rows and columns.
    shape: [IntValue<'ctx>; 2],
    /// Where its tiles lie, one for each stage.
    shared: PointerValue<'ctx>,
    /// Rows and columns of a tile.
    tile: [u64; 2],
    pitch: u64,
    tail: Option<Tail<'ctx>>,
}

/// The second part of a factor that is in two.
#[derive(Clone, Copy)]
struct Tail<'ctx> {
    /// Columns of the first part.
    from: IntValue<'ctx>,
    first: PointerValue<'ctx>,
}

struct Writer<'a, 'ctx> {
    llcx: &'ctx Context,
    module: &'a Module<'ctx>,
    variant: Variant,
    b: &'a Builder<'ctx>,
    func: FunctionValue<'ctx>,
    finish: Option<Finish<'a, 'ctx>>,
}

/// The parameters that come first.
const OF_PRODUCT: usize = 5;

impl<'a, 'ctx> Writer<'a, 'ctx> {
    fn new(
        llcx: &'ctx Context,
        module: &'a Module<'ctx>,
        variant: Variant,
        b: &'a Builder<'ctx>,
        finish: Option<Finish<'a, 'ctx>>,
        rest: Option<Vec<BasicMetadataTypeEnum<'ctx>>>,
    ) -> Self {
        let int = llcx.i64_type();
        let global = llcx.ptr_type(AddressSpace::from(GLOBAL));
        let mut params: Vec<BasicMetadataTypeEnum<'ctx>> = vec![int.into(); 3];
        params.extend([BasicMetadataTypeEnum::from(global); OF_PRODUCT - 3]);
        if variant.split {
            params.extend([BasicMetadataTypeEnum::from(int), global.into()]);
        }
        params.extend(rest.unwrap_or_else(|| vec![global.into()]));
        let func = module.add_function(ENTRY, llcx.void_type().fn_type(&params, false), None);
        func.set_call_conventions(PTX_KERNEL);
        // So many blocks share a multiprocessor: what registers a thread may have is then known, and none are put into memory.
        for (name, value) in [("nvvm.maxntid", variant.threads()), ("nvvm.minctasm", variant.together())] {
            func.add_attribute(AttributeLoc::Function, llcx.create_string_attribute(name, &value.to_string()));
        }
        b.position_at_end(llcx.append_basic_block(func, "entry"));
        Self { llcx, module, variant, b, func, finish }
    }

    /// How many of them there are.
    const fn of_product(&self) -> usize {
        if self.variant.split { OF_PRODUCT + 2 } else { OF_PRODUCT }
    }

    fn product(&self) -> Result<()> {
        let b = self.b;
        let [m, n, k] = [0, 1, 2].map(|it| self.param(it).into_int_value());
        let [a, c] = [3, 4].map(|it| self.param(it).into_pointer_value());
        let tile = self.int(self.variant.tile);
        let across = b.build_int_unsigned_div(b.build_int_add(n, self.int(self.variant.tile - 1), "")?, tile, "")?;
        let block = self.special("llvm.nvvm.read.ptx.sreg.ctaid.x")?;
        let row = b.build_int_mul(b.build_int_unsigned_div(block, across, "")?, tile, "")?;
        let column = b.build_int_mul(b.build_int_unsigned_rem(block, across, "")?, tile, "")?;
        let thread = self.special("llvm.nvvm.read.ptx.sreg.tid.x")?;
        let tail = self.variant.split.then(|| {
            let [from, first] = [0, 1].map(|it| self.param(OF_PRODUCT as u32 + it));
            Tail { from: from.into_int_value(), first: first.into_pointer_value() }
        });
        let first = Factor { tail, ..self.factor(0, "first", a, [m, k]) };
        let factors = [first, self.factor(1, "second", c, [k, n])];

        let sums: Vec<PointerValue<'ctx>> =
            (0..self.variant.sums()).map(|_| b.build_alloca(self.sum(), "")).collect::<Result<_>>()?;
        for &sum in &sums {
            b.build_store(sum, self.sum().const_zero())?;
        }
        let at = b.build_alloca(self.llcx.i64_type(), "at")?;
        b.build_store(at, self.int(0))?;
        let ahead = (self.variant.stages() - 1) * self.variant.step();
        let pieces = self.pieces(&factors, [row, column], thread)?;
        for step in (0..ahead).step_by(self.variant.step() as usize) {
            self.put(&self.bring(&factors, &pieces, self.int(step))?)?;
        }

        let [head, turn, done] = ["head", "turn", "done"].map(|name| self.block(name));
        b.build_unconditional_branch(head)?;
        b.position_at_end(head);
        let here = b.build_load(self.llcx.i64_type(), at, "")?.into_int_value();
        let goes_on = b.build_int_compare(IntPredicate::ULT, here, k, "")?;
        b.build_conditional_branch(goes_on, turn, done)?;

        b.position_at_end(turn);
        self.arrived(self.variant.stages() - 2)?;
        // Everybody has multiplied what lay where the next step goes.
        barrier(self.llcx, self.module, b)?;
        let read = self.bring(&factors, &pieces, b.build_int_add(here, self.int(ahead), "")?)?;
        match self.variant.is_half() {
            true => self.multiply_tiles(&factors, thread, here, &sums)?,
            false => self.multiply(&factors, thread, here, &sums)?,
        }
        self.put(&read)?;
        b.build_store(at, b.build_int_add(here, self.int(self.variant.step()), "")?)?;
        b.build_unconditional_branch(head)?;

        b.position_at_end(done);
        self.arrived(0)?;
        let to = if self.finish.is_some() { a } else { self.param(self.of_product() as u32).into_pointer_value() };
        let product = Factor { first: to, shape: [m, n], shared: to, tile: [0; 2], pitch: 0, tail: None };
        match self.variant.is_half() {
            true => self.give_tiles(&product, [row, column], thread, &sums)?,
            false => self.give(&product, [row, column], thread, &sums)?,
        }
        b.build_return(None)?;
        Ok(())
    }

    fn factor(&self, which: usize, name: &str, first: PointerValue<'ctx>, shape: [IntValue<'ctx>; 2]) -> Factor<'ctx> {
        let (tile, pitch) = (self.variant.tiles()[which], self.variant.pitch(which));
        let room = self.bits().array_type((self.variant.stages() * tile[0] * pitch) as u32);
        let shared = self.module.add_global(room, Some(AddressSpace::from(SHARED)), name);
        shared.set_linkage(inkwell::module::Linkage::Internal);
        shared.set_initializer(&room.get_undef());
        shared.set_alignment(16);
        Factor { first, shape, shared: shared.as_pointer_value(), tile, pitch, tail: None }
    }

    /// Where the tile of a factor is that a step uses, as elements from the first.
    fn stage(&self, factor: &Factor<'ctx>, step: IntValue<'ctx>) -> Result<IntValue<'ctx>> {
        let number = self.b.build_int_unsigned_div(step, self.int(self.variant.step()), "")?;
        let stage = self.b.build_and(number, self.int(self.variant.stages() - 1), "")?;
        self.b.build_int_mul(stage, self.int(factor.tile[0] * factor.pitch), "")
    }

    /// Whether an element is there, and how far it is from the first; the first one if it is not.
    fn found(
        &self,
        factor: &Factor<'ctx>,
        row: IntValue<'ctx>,
        column: IntValue<'ctx>,
    ) -> Result<(IntValue<'ctx>, IntValue<'ctx>)> {
        let b = self.b;
        let below = b.build_int_compare(IntPredicate::ULT, row, factor.shape[0], "")?;
        let left = b.build_int_compare(IntPredicate::ULT, column, factor.shape[1], "")?;
        let is_there = b.build_and(below, left, "")?;
        let far = b.build_int_add(b.build_int_mul(row, factor.shape[1], "")?, column, "")?;
        Ok((is_there, b.build_select(is_there, far, self.int(0), "")?.into_int_value()))
    }

    /// The first element of a thread in the tile.
    fn place(&self, thread: IntValue<'ctx>) -> Result<[IntValue<'ctx>; 2]> {
        let b = self.b;
        let gathered = |bits: &[u32]| -> Result<IntValue<'ctx>> {
            let mut all = self.int(0);
            for (to, &from) in (0..).zip(bits) {
                let bit = b.build_right_shift(thread, self.int(u64::from(from)), false, "")?;
                let bit = b.build_left_shift(b.build_and(bit, self.int(1), "")?, self.int(to), "")?;
                all = b.build_or(all, bit, "")?;
            }
            Ok(all)
        };
        let [row, column] = self.variant.bits();
        Ok([gathered(&row)?, b.build_int_mul(gathered(&column)?, self.int(self.variant.beside()), "")?])
    }

    /// Multiplies what a thread has of the tile in a step, one product after the other.
    fn multiply(
        &self,
        factors: &[Factor<'ctx>; 2],
        thread: IntValue<'ctx>,
        step: IntValue<'ctx>,
        sums: &[PointerValue<'ctx>],
    ) -> Result<()> {
        let b = self.b;
        let place = self.place(thread)?;
        let stages = [self.stage(&factors[0], step)?, self.stage(&factors[1], step)?];
        let first = b.build_int_mul(place[0], self.int(factors[0].pitch), "")?;
        let firsts = [b.build_int_add(first, stages[0], "")?, b.build_int_add(place[1], stages[1], "")?];
        // Elements that lie beside each other are read at once.
        let load = |which: usize, far: u64, count: u64| {
            let at = b.build_int_add(firsts[which], self.int(far), "")?;
            let made = b.build_load(self.sum().vec_type(count as u32), self.element(factors[which].shared, at)?, "")?;
            let load = made.as_instruction_value().expect("a load is an instruction");
            let size = self.variant.dtype.size() as u64;
            load.set_alignment((count * size) as u32).expect("it is a power of two");
            let element = |at| b.build_extract_element(made.into_vector_value(), self.int(at), "");
            (0..count).map(element).collect::<Result<Vec<_>>>()
        };
        let (chunk, beside) = (self.variant.chunk(), self.variant.beside());
        let places = self.variant.places();
        let across = (self.variant.tile / self.variant.grid()[1]) as usize;
        // A chunk of each row of the first, and as many rows of the second.
        let both = |depth: u64| -> Result<[Vec<Vec<BasicValueEnum<'ctx>>>; 2]> {
            let rows = places.iter().step_by(across);
            let left = rows.map(|it| load(0, it[0] * factors[0].pitch + depth, chunk)).collect::<Result<_>>()?;
            let columns = || places[..across].iter().step_by(beside as usize);
            let row = |depth| -> Result<Vec<_>> {
                let parts: Vec<Vec<_>> =
                    columns().map(|it| load(1, depth * factors[1].pitch + it[1], beside)).collect::<Result<_>>()?;
                Ok(parts.concat())
            };
            Ok([left, (depth..depth + chunk).map(row).collect::<Result<_>>()?])
        };
        let mut next = both(0)?;
        for depth in (0..self.variant.step()).step_by(chunk as usize) {
            let [left, above] = next;
            // What is multiplied then is read now.
            let after = depth + chunk;
            next = if after < self.variant.step() { both(after)? } else { [Vec::new(), Vec::new()] };
            for (at, above) in above.iter().enumerate() {
                let pairs = left.iter().flat_map(|x| above.iter().map(move |y| (x[at], *y)));
                for ((x, y), &sum) in pairs.zip(sums) {
                    let before = b.build_load(self.sum(), sum, "")?;
                    let made = self.call("llvm.fma", &[self.sum().into()], &[x.into(), y.into(), before.into()])?;
                    b.build_store(sum, made.expect("it gives a number"))?;
                }
            }
        }
        Ok(())
    }

    /// Multiplies the part of a warp in a step, on tensor cores.
    fn multiply_tiles(
        &self,
        factors: &[Factor<'ctx>; 2],
        thread: IntValue<'ctx>,
        step: IntValue<'ctx>,
        sums: &[PointerValue<'ctx>],
    ) -> Result<()> {
        let b = self.b;
        let lane = b.build_int_unsigned_rem(thread, self.int(32), "")?;
        // Lanes tell in turn where the rows of four matrices are: two below each other, and two to their right.
        let down = b.build_int_unsigned_rem(lane, self.int(2 * MATRIX), "")?;
        let right = b.build_int_mul(b.build_int_unsigned_div(lane, self.int(2 * MATRIX), "")?, self.int(MATRIX), "")?;
        let corner = self.part(thread)?;
        let stages = [self.stage(&factors[0], step)?, self.stage(&factors[1], step)?];
        let four = |which: usize, row: IntValue<'ctx>, column: IntValue<'ctx>, turned: &str| {
            let factor = &factors[which];
            let row = b.build_int_add(row, down, "")?;
            let place = b.build_int_mul(row, self.int(factor.pitch), "")?;
            let place = b.build_int_add(b.build_int_add(place, column, "")?, right, "")?;
            let place = b.build_int_add(place, stages[which], "")?;
            let name = format!("llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4{turned}.b16");
            let at = self.element(factor.shared, place)?;
            let loaded = self.call(&name, &[at.get_type().into()], &[at.into()])?;
            self.parts(loaded.expect("it gives words"), 4)
        };
        for depth in (0..self.variant.step()).step_by(DEPTH as usize) {
            let mut left = Vec::new();
            for row in (0..PART).step_by(ROWS as usize) {
                let row = b.build_int_add(corner[0], self.int(row), "")?;
                left.push(four(0, row, self.int(depth), "")?);
            }
            let mut above = Vec::new();
            for column in (0..PART).step_by(2 * COLUMNS as usize) {
                let column = b.build_int_add(corner[1], self.int(column), "")?;
                let both = four(1, self.int(depth), column, ".trans")?;
                above.extend([[both[0], both[1]], [both[2], both[3]]]);
            }
            let mut sums = sums.chunks(4);
            for x in &left {
                for y in &above {
                    self.add_product(x, y, sums.next().expect("there are four for each"))?;
                }
            }
        }
        Ok(())
    }

    /// One instruction: adds the product of two tiles to sums.
    fn add_product(
        &self,
        x: &[BasicValueEnum<'ctx>],
        y: &[BasicValueEnum<'ctx>],
        sums: &[PointerValue<'ctx>],
    ) -> Result<()> {
        let (b, single) = (self.b, self.llcx.f32_type());
        let pair: BasicTypeEnum<'ctx> = match self.variant.dtype {
            Dtype::F16 => self.llcx.f16_type().vec_type(2).into(),
            _ => self.llcx.i32_type().into(),
        };
        let mut args: Vec<BasicMetadataValueEnum<'ctx>> = Vec::new();
        for &word in x.iter().chain(y) {
            args.push(b.build_bit_cast(word, pair, "")?.into());
        }
        for &sum in sums {
            args.push(b.build_load(single, sum, "")?.into());
        }
        let name = match self.variant.dtype {
            Dtype::F16 => "llvm.nvvm.mma.m16n8k16.row.col.f32.f32",
            _ => "llvm.nvvm.mma.m16n8k16.row.col.bf16",
        };
        let made = self.call(name, &[], &args)?.expect("it gives sums");
        for (&sum, value) in sums.iter().zip(self.parts(made, 4)?) {
            b.build_store(sum, value)?;
        }
        Ok(())
    }

    /// Stores the sums of a thread.
    fn give(
        &self,
        product: &Factor<'ctx>,
        corner: [IntValue<'ctx>; 2],
        thread: IntValue<'ctx>,
        sums: &[PointerValue<'ctx>],
    ) -> Result<()> {
        let place = self.place(thread)?;
        let mut first = corner;
        for (it, place) in first.iter_mut().zip(place) {
            *it = self.b.build_int_add(*it, place, "")?;
        }
        let sums: Vec<BasicValueEnum<'ctx>> =
            sums.iter().map(|&it| self.b.build_load(self.sum(), it, "")).collect::<Result<_>>()?;
        self.store(product, first, &self.variant.places().into_iter().zip(sums).collect::<Vec<_>>())
    }

    /// Stores elements that are so far from a place, those that there are.
    fn store(
        &self,
        product: &Factor<'ctx>,
        first: [IntValue<'ctx>; 2],
        made: &[([u64; 2], BasicValueEnum<'ctx>)],
    ) -> Result<()> {
        let b = self.b;
        let mut places = Vec::new();
        for &([down, right], element) in made {
            let row = b.build_int_add(first[0], self.int(down), "")?;
            let column = b.build_int_add(first[1], self.int(right), "")?;
            let (is_there, far) = self.found(product, row, column)?;
            places.push(Place { row, column, far, is_there, element });
        }
        if let Some(finish) = &self.finish {
            let params: Vec<BasicValueEnum<'ctx>> = self.func.get_param_iter().skip(self.of_product()).collect();
            return places.chunks(AT_ONCE).try_for_each(|it| finish.finish(b, &params, it));
        }
        for place in &places {
            let [store, next] = ["store", "next"].map(|name| self.block(name));
            b.build_conditional_branch(place.is_there, store, next)?;
            b.position_at_end(store);
            let each = Each { llcx: self.llcx, module: self.module, b };
            let bits = each.to_bits(self.variant.dtype, place.element);
            b.build_store(self.element(product.first, place.far)?, bits)?;
            b.build_unconditional_branch(next)?;
            b.position_at_end(next);
        }
        Ok(())
    }

    /// Stores the sums of a thread, rounded to half precision.
    fn give_tiles(
        &self,
        product: &Factor<'ctx>,
        corner: [IntValue<'ctx>; 2],
        thread: IntValue<'ctx>,
        sums: &[PointerValue<'ctx>],
    ) -> Result<()> {
        let b = self.b;
        let lane = b.build_int_unsigned_rem(thread, self.int(32), "")?;
        let inside = [
            b.build_int_unsigned_div(lane, self.int(4), "")?,
            b.build_int_mul(b.build_int_unsigned_rem(lane, self.int(4), "")?, self.int(2), "")?,
        ];
        let part = self.part(thread)?;
        let mut first = [corner[0], corner[1]];
        for (axis, it) in first.iter_mut().enumerate() {
            *it = b.build_int_add(b.build_int_add(*it, part[axis], "")?, inside[axis], "")?;
        }
        let mut far = Vec::new();
        for row in (0..PART).step_by(ROWS as usize) {
            for column in (0..PART).step_by(COLUMNS as usize) {
                far.extend(
                    [(0, 0), (0, 1), (MATRIX, 0), (MATRIX, 1)].map(|(down, right)| [row + down, column + right]),
                );
            }
        }
        let each = Each { llcx: self.llcx, module: self.module, b };
        let mut made = Vec::new();
        for (far, &sum) in far.into_iter().zip(sums) {
            let sum = b.build_load(self.sum(), sum, "")?;
            made.push((far, each.of_bits(self.variant.dtype, each.to_bits(self.variant.dtype, sum))));
        }
        self.store(product, first, &made)
    }

    /// Where the part of a thread's warp begins in the tile.
    fn part(&self, thread: IntValue<'ctx>) -> Result<[IntValue<'ctx>; 2]> {
        let b = self.b;
        let warp = b.build_int_unsigned_div(thread, self.int(32), "")?;
        let across = self.int(self.variant.tile / PART);
        Ok([
            b.build_int_mul(b.build_int_unsigned_div(warp, across, "")?, self.int(PART), "")?,
            b.build_int_mul(b.build_int_unsigned_rem(warp, across, "")?, self.int(PART), "")?,
        ])
    }

    fn parts(&self, made: BasicValueEnum<'ctx>, count: u32) -> Result<Vec<BasicValueEnum<'ctx>>> {
        (0..count).map(|at| self.b.build_extract_value(made.into_struct_value(), at, "")).collect()
    }

    fn call(
        &self,
        name: &str,
        types: &[BasicTypeEnum<'ctx>],
        args: &[BasicMetadataValueEnum<'ctx>],
    ) -> Result<Option<BasicValueEnum<'ctx>>> {
        let found = Intrinsic::find(name).and_then(|it| it.get_declaration(self.module, types));
        let called = self.b.build_direct_call(found.unwrap_or_else(|| panic!("LLVM 22 has {name}")), args, "")?;
        Ok(called.try_as_basic_value().basic())
    }

    fn special(&self, name: &str) -> Result<IntValue<'ctx>> {
        let word = register(self.module, self.b, name)?;
        self.b.build_int_z_extend(word, self.llcx.i64_type(), "")
    }

    fn element(&self, first: PointerValue<'ctx>, far: IntValue<'ctx>) -> Result<PointerValue<'ctx>> {
        // SAFETY: this only writes an instruction. The element is one of the factor's, of its tile's, or of the product's.
        unsafe { self.b.build_in_bounds_gep(self.bits(), first, &[far], "") }
    }

    /// What elements are moved as.
    fn bits(&self) -> IntType<'ctx> {
        match self.variant.dtype.size() {
            2 => self.llcx.i16_type(),
            4 => self.llcx.i32_type(),
            _ => self.llcx.i64_type(),
        }
    }

    /// What is added up in.
    fn sum(&self) -> FloatType<'ctx> {
        if self.variant.dtype == Dtype::F64 { self.llcx.f64_type() } else { self.llcx.f32_type() }
    }

    fn block(&self, name: &str) -> BasicBlock<'ctx> {
        self.llcx.append_basic_block(self.func, name)
    }

    fn param(&self, position: u32) -> BasicValueEnum<'ctx> {
        self.func.get_nth_param(position).expect("the kernel was declared with it")
    }

    fn int(&self, value: u64) -> IntValue<'ctx> {
        self.llcx.i64_type().const_int(value, false)
    }
}
