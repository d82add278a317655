//! What a thread does.
//!
//! The parameters of a kernel are: the first position and the one behind the last, the record of the failure, the
//! extents of all dimensions but the first, the parts of the inputs, and the outputs. In a map, a thread takes one
//! position after the other at the distance of all threads. In a sum, a block of threads makes one partial sum at a
//! time, in the order that [`snekpy_stage::kernel::sum`] gives. Where the body is short and cannot fail, a block of a map
//! takes a piece of several positions for each thread, so that more than one load is under way.
//!
//! The record is the lowest failing position, begun as the largest number. How it has failed, the host finds out.

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::basic_block::BasicBlock;
use inkwell::builder::{Builder, BuilderError};
use inkwell::context::Context;
use inkwell::module::{Linkage, Module};
use inkwell::types::{BasicMetadataTypeEnum, BasicType};
use inkwell::values::{BasicMetadataValueEnum, BasicValueEnum, FunctionValue, IntValue, PhiValue, PointerValue};
use inkwell::{AddressSpace, AtomicOrdering, AtomicRMWBinOp, IntPredicate};
use snekpy_llvm::device;
use snekpy_stage::kernel::sum::{BLOCK, LANES};
use snekpy_stage::kernel::{Form, Kernel};
use snekpy_stage::types::{Elem, Type};

use super::{BODY, ENTRY, GLOBAL, PTX_KERNEL, SHARED};

/// No array is longer.
const LARGEST_LEN: u64 = (1 << 62) - 1;
/// How many parameters come before the extents.
const FIXED: u32 = 3;

type Result<T> = std::result::Result<T, BuilderError>;

/// Writes the kernel into a module that has its body.
pub(super) fn write<'ctx>(llcx: &'ctx Context, module: &Module<'ctx>, kernel: &Kernel, at_once: u64) -> Result<()> {
    let entry = Entry::new(llcx, module, kernel);
    match &kernel.form {
        Form::Map(elems) if at_once > 1 => entry.map_at_once(elems, at_once),
        Form::Map(elems) => entry.map(elems),
        Form::Sum => entry.sum(),
    }
}

struct Entry<'a, 'ctx> {
    llcx: &'ctx Context,
    module: &'a Module<'ctx>,
    kernel: &'a Kernel,
    body: FunctionValue<'ctx>,
    func: FunctionValue<'ctx>,
    b: Builder<'ctx>,
}

/// What the body gave: whether it has failed, and results.
struct Called<'ctx> {
    failed: IntValue<'ctx>,
    results: Vec<BasicValueEnum<'ctx>>,
}

impl<'a, 'ctx> Entry<'a, 'ctx> {
    fn new(llcx: &'ctx Context, module: &'a Module<'ctx>, kernel: &'a Kernel) -> Self {
        let body = module.get_function(BODY).expect("llvm_backend has written it");
        let attribute = |name: &str| llcx.create_enum_attribute(Attribute::get_named_enum_kind_id(name), 0);
        body.add_attribute(AttributeLoc::Function, attribute("alwaysinline"));
        let int = llcx.i64_type();
        let ptr = llcx.ptr_type(AddressSpace::default());
        let global = llcx.ptr_type(AddressSpace::from(GLOBAL));
        let mut params: Vec<BasicMetadataTypeEnum> = vec![int.into(), int.into(), global.into()];
        params.extend(vec![BasicMetadataTypeEnum::from(int); kernel.rank - 1]);
        let mut inputs = Vec::new();
        for ty in kernel.inputs() {
            match ty {
                Type::Bool | Type::I64 => params.push(int.into()),
                Type::F64 => params.push(llcx.f64_type().into()),
                Type::Array(_) | Type::List(_) | Type::Map(_) | Type::Object(_) | Type::Tensor(_) => {
                    inputs.push(params.len() as u32);
                    params.extend([BasicMetadataTypeEnum::from(ptr), int.into()]);
                }
            }
        }
        let first_output = params.len() as u32;
        params.extend(kernel.outputs().iter().map(|_| BasicMetadataTypeEnum::from(ptr)));
        let last = params.len() as u32;
        let func = module.add_function(ENTRY, llcx.void_type().fn_type(&params, false), None);
        func.set_call_conventions(PTX_KERNEL);
        func.add_attribute(AttributeLoc::Function, llcx.create_string_attribute("nvvm.maxntid", &LANES.to_string()));
        func.add_attribute(AttributeLoc::Function, attribute("nounwind"));
        for input in inputs {
            for name in ["noalias", "readonly"] {
                func.add_attribute(AttributeLoc::Param(input), attribute(name));
            }
        }
        for output in first_output..last {
            func.add_attribute(AttributeLoc::Param(output), attribute("noalias"));
        }
        let b = llcx.create_builder();
        b.position_at_end(llcx.append_basic_block(func, "entry"));
        Self { llcx, module, kernel, body, func, b }
    }

    fn param(&self, position: u32) -> BasicValueEnum<'ctx> {
        self.func.get_nth_param(position).expect("the kernel was declared with it")
    }

    fn begin(&self) -> IntValue<'ctx> {
        self.param(0).into_int_value()
    }

    fn end(&self) -> IntValue<'ctx> {
        self.param(1).into_int_value()
    }

    fn output(&self, position: usize) -> PointerValue<'ctx> {
        let all = self.func.count_params();
        self.param(all - (self.kernel.outputs().len() - position) as u32).into_pointer_value()
    }

    fn int(&self, value: u64) -> IntValue<'ctx> {
        self.llcx.i64_type().const_int(value, false)
    }

    fn block(&self, name: &str) -> BasicBlock<'ctx> {
        self.llcx.append_basic_block(self.func, name)
    }

    fn here(&self) -> BasicBlock<'ctx> {
        self.b.get_insert_block().expect("the builder stands in a block")
    }

    /// A special register, as an integer of 64 bits.
    fn register(&self, name: &str) -> Result<IntValue<'ctx>> {
        let narrow = super::register(self.module, &self.b, name)?;
        self.b.build_int_z_extend(narrow, self.llcx.i64_type(), "")
    }

    fn thread(&self) -> Result<IntValue<'ctx>> {
        self.register("llvm.nvvm.read.ptx.sreg.tid.x")
    }

    fn block_number(&self) -> Result<IntValue<'ctx>> {
        self.register("llvm.nvvm.read.ptx.sreg.ctaid.x")
    }

    fn blocks(&self) -> Result<IntValue<'ctx>> {
        self.register("llvm.nvvm.read.ptx.sreg.nctaid.x")
    }

    fn barrier(&self) -> Result<()> {
        super::barrier(self.llcx, self.module, &self.b)
    }

    fn phi(&self, ty: impl BasicType<'ctx>) -> Result<PhiValue<'ctx>> {
        self.b.build_phi(ty, "")
    }

    fn at(
        &self,
        ty: impl BasicType<'ctx>,
        base: PointerValue<'ctx>,
        index: IntValue<'ctx>,
    ) -> Result<PointerValue<'ctx>> {
        // SAFETY: this only writes an instruction; the index is in range.
        unsafe { self.b.build_in_bounds_gep(ty, base, &[index], "") }
    }

    /// The index at a position.
    fn index(&self, position: IntValue<'ctx>) -> Result<Vec<IntValue<'ctx>>> {
        let mut rest = position;
        let mut index = Vec::new();
        for dimension in (0..self.kernel.rank as u32 - 1).rev() {
            let extent = self.param(FIXED + dimension).into_int_value();
            let quotient = self.b.build_int_unsigned_div(rest, extent, "")?;
            let whole = self.b.build_int_mul(quotient, extent, "")?;
            index.push(self.b.build_int_sub(rest, whole, "")?);
            rest = quotient;
        }
        index.push(rest);
        index.reverse();
        Ok(index)
    }

    /// Calls the body.
    fn call(&self, position: IntValue<'ctx>) -> Result<Called<'ctx>> {
        let mut args: Vec<BasicMetadataValueEnum> = self.index(position)?.into_iter().map(Into::into).collect();
        let mut next = FIXED + self.kernel.rank as u32 - 1;
        for ty in self.kernel.inputs() {
            let first = self.param(next);
            match ty {
                Type::Bool => {
                    let wide = first.into_int_value();
                    args.push(self.b.build_int_compare(IntPredicate::NE, wide, self.int(0), "")?.into());
                }
                Type::I64 | Type::F64 => args.push(first.into()),
                Type::Array(_) | Type::List(_) | Type::Map(_) | Type::Object(_) | Type::Tensor(_) => {
                    args.push(first.into());
                    next += 1;
                    // Tells LLVM that a length is not negative: an index is then checked by one comparison.
                    let len = self.param(next).into_int_value();
                    args.push(self.b.build_and(len, self.int(LARGEST_LEN), "")?.into());
                }
            }
            next += 1;
        }
        let called = self.b.build_direct_call(self.body, &args, "")?;
        let returned = called.try_as_basic_value().expect_basic("the body returns its status").into_struct_value();
        let status = self.b.build_extract_value(returned, 0, "")?.into_int_value();
        let failed = self.b.build_int_compare(IntPredicate::NE, status, self.int(0), "")?;
        let results = (0..self.kernel.body().results.len() as u32)
            .map(|position| self.b.build_extract_value(returned, position + 1, ""))
            .collect::<Result<_>>()?;
        Ok(Called { failed, results })
    }

    /// Notes that a position has failed.
    fn note(&self, position: IntValue<'ctx>) -> Result<()> {
        let record = self.param(2).into_pointer_value();
        self.b.build_atomicrmw(AtomicRMWBinOp::UMin, record, position, AtomicOrdering::Monotonic)?;
        Ok(())
    }

    /// Stores a result of a map.
    fn store(
        &self,
        elem: Elem,
        to: PointerValue<'ctx>,
        position: IntValue<'ctx>,
        value: BasicValueEnum<'ctx>,
    ) -> Result<()> {
        let value: BasicValueEnum<'ctx> = match elem {
            Elem::Bool => self.b.build_int_z_extend(value.into_int_value(), self.llcx.i8_type(), "")?.into(),
            Elem::F32 => self.b.build_float_trunc(value.into_float_value(), self.llcx.f32_type(), "")?.into(),
            Elem::I32 => self.b.build_int_truncate(value.into_int_value(), self.llcx.i32_type(), "")?.into(),
            Elem::F16 | Elem::Bf16 => device::narrow(&self.b, self.llcx, elem, value)?,
            Elem::I64 | Elem::F64 => value,
        };
        let at = self.at(value.get_type(), to, position)?;
        self.b.build_store(at, value)?;
        Ok(())
    }

    fn map(&self, elems: &[Elem]) -> Result<()> {
        let threads = self.register("llvm.nvvm.read.ptx.sreg.ntid.x")?;
        let (block, thread) = (self.block_number()?, self.thread()?);
        let before = self.b.build_int_mul(block, threads, "")?;
        let first = self.b.build_int_add(before, thread, "")?;
        let first = self.b.build_int_add(first, self.begin(), "")?;
        let all = self.b.build_int_mul(self.blocks()?, threads, "")?;
        let [head, run, failed, stored, next, done] =
            ["head", "run", "failed", "stored", "next", "done"].map(|name| self.block(name));
        let entry = self.here();
        self.b.build_unconditional_branch(head)?;

        self.b.position_at_end(head);
        let phi = self.phi(self.llcx.i64_type())?;
        let position = phi.as_basic_value().into_int_value();
        let goes_on = self.b.build_int_compare(IntPredicate::ULT, position, self.end(), "")?;
        self.b.build_conditional_branch(goes_on, run, done)?;

        self.b.position_at_end(run);
        let called = self.call(position)?;
        self.b.build_conditional_branch(called.failed, failed, stored)?;

        self.b.position_at_end(failed);
        self.note(position)?;
        self.b.build_unconditional_branch(next)?;

        self.b.position_at_end(stored);
        for (number, (&elem, value)) in elems.iter().zip(called.results).enumerate() {
            self.store(elem, self.output(number), position, value)?;
        }
        self.b.build_unconditional_branch(next)?;

        self.b.position_at_end(next);
        let following = self.b.build_int_nuw_add(position, all, "")?;
        self.b.build_unconditional_branch(head)?;
        phi.add_incoming(&[(&first, entry), (&following, next)]);

        self.b.position_at_end(done);
        self.b.build_return(None)?;
        Ok(())
    }

    /// A map whose body cannot fail: the bodies of several positions, then the stores.
    fn map_at_once(&self, elems: &[Elem], at_once: u64) -> Result<()> {
        let threads = self.register("llvm.nvvm.read.ptx.sreg.ntid.x")?;
        let (block, thread) = (self.block_number()?, self.thread()?);
        let piece = self.b.build_int_mul(threads, self.int(at_once), "")?;
        let before = self.b.build_int_mul(block, piece, "")?;
        let first = self.b.build_int_add(before, self.begin(), "")?;
        let all = self.b.build_int_mul(self.blocks()?, piece, "")?;
        let [head, split, full, part, one, next, done] =
            ["head", "split", "full", "part", "one", "next", "done"].map(|name| self.block(name));
        let entry = self.here();
        self.b.build_unconditional_branch(head)?;

        self.b.position_at_end(head);
        let phi = self.phi(self.llcx.i64_type())?;
        let start = phi.as_basic_value().into_int_value();
        let goes_on = self.b.build_int_compare(IntPredicate::ULT, start, self.end(), "")?;
        self.b.build_conditional_branch(goes_on, split, done)?;

        self.b.position_at_end(split);
        let mine = self.b.build_int_add(start, thread, "")?;
        let behind = self.b.build_int_add(start, piece, "")?;
        let is_full = self.b.build_int_compare(IntPredicate::ULE, behind, self.end(), "")?;
        self.b.build_conditional_branch(is_full, full, part)?;

        self.b.position_at_end(full);
        let mut made = Vec::new();
        let mut position = mine;
        for _ in 0..at_once {
            made.push((position, self.call(position)?.results));
            position = self.b.build_int_add(position, threads, "")?;
        }
        for (position, results) in made {
            for (number, (&elem, value)) in elems.iter().zip(results).enumerate() {
                self.store(elem, self.output(number), position, value)?;
            }
        }
        self.b.build_unconditional_branch(next)?;

        // The last piece, one position after the other.
        self.b.position_at_end(part);
        let position_phi = self.phi(self.llcx.i64_type())?;
        let position = position_phi.as_basic_value().into_int_value();
        let is_there = self.b.build_int_compare(IntPredicate::ULT, position, self.end(), "")?;
        self.b.build_conditional_branch(is_there, one, done)?;

        self.b.position_at_end(one);
        let called = self.call(position)?;
        for (number, (&elem, value)) in elems.iter().zip(called.results).enumerate() {
            self.store(elem, self.output(number), position, value)?;
        }
        let following = self.b.build_int_nuw_add(position, threads, "")?;
        self.b.build_unconditional_branch(part)?;
        position_phi.add_incoming(&[(&mine, split), (&following, one)]);

        self.b.position_at_end(next);
        let following = self.b.build_int_nuw_add(start, all, "")?;
        self.b.build_unconditional_branch(head)?;
        phi.add_incoming(&[(&first, entry), (&following, next)]);

        self.b.position_at_end(done);
        self.b.build_return(None)?;
        Ok(())
    }

    fn sum(&self) -> Result<()> {
        let ty = self.kernel.body().results[0];
        let is_float = ty == Type::F64;
        let wide = self.llcx.i128_type();
        let nothing: BasicValueEnum<'ctx> =
            if is_float { self.llcx.f64_type().const_float(-0.0).into() } else { wide.const_zero().into() };
        let lanes = self.shared(nothing);
        let (block, thread) = (self.block_number()?, self.thread()?);
        let blocks = self.blocks()?;
        let [head, lane, run, failed, added, next, tree, write, turn, done] =
            ["head", "lane", "run", "failed", "added", "next", "tree", "write", "turn", "done"]
                .map(|name| self.block(name));
        let entry = self.here();
        self.b.build_unconditional_branch(head)?;

        // For each block of positions that is this block's of threads.
        self.b.position_at_end(head);
        let number_phi = self.phi(self.llcx.i64_type())?;
        let number = number_phi.as_basic_value().into_int_value();
        let start = self.b.build_int_mul(number, self.int(BLOCK as u64), "")?;
        let start = self.b.build_int_add(start, self.begin(), "")?;
        let goes_on = self.b.build_int_compare(IntPredicate::ULT, start, self.end(), "")?;
        let first = self.b.build_int_add(start, thread, "")?;
        let stop = self.b.build_int_add(start, self.int(BLOCK as u64), "")?;
        let is_last = self.b.build_int_compare(IntPredicate::ULT, self.end(), stop, "")?;
        let stop = self.b.build_select(is_last, self.end(), stop, "")?.into_int_value();
        self.b.build_conditional_branch(goes_on, lane, done)?;

        // What belongs to this lane.
        self.b.position_at_end(lane);
        let position_phi = self.phi(self.llcx.i64_type())?;
        let sum_phi = self.phi(nothing.get_type())?;
        let position = position_phi.as_basic_value().into_int_value();
        let sum = sum_phi.as_basic_value();
        let is_there = self.b.build_int_compare(IntPredicate::ULT, position, stop, "")?;
        self.b.build_conditional_branch(is_there, run, tree)?;

        self.b.position_at_end(run);
        let called = self.call(position)?;
        self.b.build_conditional_branch(called.failed, failed, added)?;

        self.b.position_at_end(failed);
        self.note(position)?;
        self.b.build_unconditional_branch(next)?;

        self.b.position_at_end(added);
        let value = match ty {
            Type::F64 => called.results[0],
            Type::Bool => self.b.build_int_z_extend(called.results[0].into_int_value(), wide, "")?.into(),
            Type::I64 | Type::Array(_) | Type::List(_) | Type::Map(_) | Type::Object(_) | Type::Tensor(_) => {
                self.b.build_int_s_extend(called.results[0].into_int_value(), wide, "")?.into()
            }
        };
        let more = self.add(sum, value)?;
        self.b.build_unconditional_branch(next)?;

        self.b.position_at_end(next);
        let joined = self.phi(nothing.get_type())?;
        joined.add_incoming(&[(&sum, failed), (&more, added)]);
        let following = self.b.build_int_nuw_add(position, self.int(LANES as u64), "")?;
        self.b.build_unconditional_branch(lane)?;
        position_phi.add_incoming(&[(&first, head), (&following, next)]);
        sum_phi.add_incoming(&[(&nothing, head), (&joined.as_basic_value(), next)]);

        // The lanes by halves.
        self.b.position_at_end(tree);
        let ty = nothing.get_type();
        let mine = self.at(ty, lanes, thread)?;
        self.b.build_store(mine, sum)?;
        self.barrier()?;
        let mut half = LANES as u64 / 2;
        while half > 0 {
            let [adds, waits] = ["adds", "waits"].map(|name| self.block(name));
            let is_lower = self.b.build_int_compare(IntPredicate::ULT, thread, self.int(half), "")?;
            self.b.build_conditional_branch(is_lower, adds, waits)?;
            self.b.position_at_end(adds);
            let upper = self.b.build_int_add(thread, self.int(half), "")?;
            let upper = self.b.build_load(ty, self.at(ty, lanes, upper)?, "")?;
            let lower = self.b.build_load(ty, mine, "")?;
            self.b.build_store(mine, self.add(lower, upper)?)?;
            self.b.build_unconditional_branch(waits)?;
            self.b.position_at_end(waits);
            self.barrier()?;
            half /= 2;
        }
        let is_first = self.b.build_int_compare(IntPredicate::EQ, thread, self.int(0), "")?;
        self.b.build_conditional_branch(is_first, write, turn)?;

        self.b.position_at_end(write);
        let whole = self.b.build_load(ty, mine, "")?;
        let to = self.at(ty, self.output(0), number)?;
        let store = self.b.build_store(to, whole)?;
        // An integer is two words, and no more aligned than one.
        store.set_alignment(8).expect("8 is a power of two");
        self.b.build_unconditional_branch(turn)?;

        self.b.position_at_end(turn);
        // Nobody writes the lanes again before all have read them: the last barrier was behind the last addition, and
        // the first thread alone reads its own.
        let other = self.b.build_int_nuw_add(number, blocks, "")?;
        self.b.build_unconditional_branch(head)?;
        number_phi.add_incoming(&[(&block, entry), (&other, turn)]);

        self.b.position_at_end(done);
        self.b.build_return(None)?;
        Ok(())
    }

    fn add(&self, x: BasicValueEnum<'ctx>, y: BasicValueEnum<'ctx>) -> Result<BasicValueEnum<'ctx>> {
        Ok(match (x, y) {
            (BasicValueEnum::FloatValue(x), BasicValueEnum::FloatValue(y)) => self.b.build_float_add(x, y, "")?.into(),
            _ => self.b.build_int_add(x.into_int_value(), y.into_int_value(), "")?.into(),
        })
    }

    /// Room for a value of each lane.
    fn shared(&self, like: BasicValueEnum<'ctx>) -> PointerValue<'ctx> {
        let ty = like.get_type().array_type(LANES as u32);
        let global = self.module.add_global(ty, Some(AddressSpace::from(SHARED)), "lanes");
        global.set_initializer(&ty.get_undef());
        global.set_linkage(Linkage::Internal);
        global.set_alignment(16);
        global.as_pointer_value()
    }
}
