//! What is done with each element of a product before it is written.
//!
//! The element is rounded to its dtype first, so that the result has the bits of a product that was written and read again.
//!
//! A thread goes on with several elements at once: it reads all that they need, and then computes. One after the other, each would
//! wait for memory.

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::builder::{Builder, BuilderError};
use inkwell::context::Context;
use inkwell::module::{Linkage, Module};
use inkwell::types::BasicMetadataTypeEnum;
use inkwell::values::{BasicMetadataValueEnum, BasicValueEnum, FunctionValue, IntValue, PointerValue};
use inkwell::{AddressSpace, types::BasicTypeEnum};
use snekpy_stage::tensor::Dtype;
use snekpy_stage::tensor::device::Epilogue;
use snekpy_stage::tensor::device::sweep::{Access, Value};

use crate::ptx::GLOBAL;
use crate::sweep::each::Each;

type Result<T> = std::result::Result<T, BuilderError>;

/// The parameters of an epilogue, as those of its sweep.
pub(super) fn params<'ctx>(llcx: &'ctx Context, epilogue: &Epilogue) -> Vec<BasicMetadataTypeEnum<'ctx>> {
    let (int, pointer) = (llcx.i64_type(), llcx.ptr_type(AddressSpace::from(GLOBAL)));
    let sweep = &epilogue.sweep;
    let mut params: Vec<BasicMetadataTypeEnum<'ctx>> = vec![int.into(); sweep.rank];
    for input in &sweep.inputs {
        params.push(if input.access == Access::Number { int.into() } else { pointer.into() });
        params.extend(vec![BasicMetadataTypeEnum::from(int); sweep.steps(input)]);
    }
    params.extend(vec![BasicMetadataTypeEnum::from(pointer); sweep.outputs.len()]);
    params
}

/// How many elements a thread goes on with at once. More would need more registers.
pub(super) const AT_ONCE: usize = 8;

/// Long code may be there as often as this.
const FEW: u64 = 4;

/// An element of a product.
pub(super) struct Place<'ctx> {
    pub(super) row: IntValue<'ctx>,
    pub(super) column: IntValue<'ctx>,
    /// How far it is from the first.
    pub(super) far: IntValue<'ctx>,
    /// Whether there is such an element.
    pub(super) is_there: IntValue<'ctx>,
    pub(super) element: BasicValueEnum<'ctx>,
}

/// An epilogue in a kernel.
pub(super) struct Finish<'a, 'ctx> {
    epilogue: &'a Epilogue,
    llcx: &'ctx Context,
    module: &'a Module<'ctx>,
    /// Takes an element and what belongs to it, and gives the bits that are written.
    compute: FunctionValue<'ctx>,
}

impl<'a, 'ctx> Finish<'a, 'ctx> {
    /// Writes what computes into a module,
    /// that is called for so many elements of a thread.
    pub(super) fn new(
        llcx: &'ctx Context,
        module: &'a Module<'ctx>,
        epilogue: &'a Epilogue,
        count: u64,
    ) -> Result<Self> {
        Ok(Self { epilogue, llcx, module, compute: computing(llcx, module, epilogue, count)? })
    }

    /// Goes on with elements. The parameters are those of the epilogue.
    pub(super) fn finish(
        &self,
        b: &Builder<'ctx>,
        params: &[BasicValueEnum<'ctx>],
        places: &[Place<'ctx>],
    ) -> Result<()> {
        let mut all = Vec::new();
        for place in places {
            let mut args: Vec<BasicMetadataValueEnum<'ctx>> = vec![place.element.into()];
            args.extend(self.read(b, params, place)?.into_iter().map(BasicMetadataValueEnum::from));
            all.push(args);
        }
        let mut made = Vec::new();
        for args in &all {
            let given = b.build_direct_call(self.compute, args, "")?.try_as_basic_value().basic();
            let given = given.expect("it gives bits").into_struct_value();
            let bits = (0..given.get_type().count_fields()).map(|at| b.build_extract_value(given, at, ""));
            made.push(bits.collect::<Result<Vec<_>>>()?);
        }
        for bits in made.iter_mut().flatten() {
            *bits = self.here(b, bits.into_int_value())?.into();
        }
        let sweep = &self.epilogue.sweep;
        let first = params.len() - sweep.outputs.len();
        for (place, made) in places.iter().zip(made) {
            let here = b.get_insert_block().expect("it stands in one");
            let next = self.llcx.insert_basic_block_after(here, "next");
            let store = self.llcx.insert_basic_block_after(here, "store");
            b.build_conditional_branch(place.is_there, store, next)?;
            b.position_at_end(store);
            for ((&output, to), bits) in sweep.outputs.iter().zip(&params[first..]).zip(made) {
                let dtype = sweep.members[usize::from(output)].dtype;
                b.build_store(self.at(b, dtype, to.into_pointer_value(), place.far)?, bits)?;
            }
            b.build_unconditional_branch(next)?;
            b.position_at_end(next);
        }
        Ok(())
    }

    /// The bits of the inputs that belong to an element; those of the first one where there is none.
    fn read(
        &self,
        b: &Builder<'ctx>,
        params: &[BasicValueEnum<'ctx>],
        place: &Place<'ctx>,
    ) -> Result<Vec<IntValue<'ctx>>> {
        let sweep = &self.epilogue.sweep;
        let zero = self.llcx.i64_type().const_zero();
        let clamped = |it| b.build_select(place.is_there, it, zero, "").map(BasicValueEnum::into_int_value);
        let index = match sweep.rank {
            1 => vec![clamped(place.far)?],
            _ => vec![clamped(place.row)?, clamped(place.column)?],
        };
        let mut params = params[sweep.rank..].iter().copied();
        let mut taken = || params.next().expect("the kernel was declared with it");
        let mut read = Vec::new();
        for (at, input) in sweep.inputs.iter().enumerate() {
            let (first, steps) = (taken(), sweep.steps(input));
            let steps: Vec<IntValue<'ctx>> = (0..steps).map(|_| taken().into_int_value()).collect();
            if at == usize::from(self.epilogue.input) {
                continue;
            }
            let each = Each { llcx: self.llcx, module: self.module, b };
            if input.access == Access::Number {
                let word = first.into_int_value();
                let bits = if input.dtype.size() == 8 {
                    word
                } else {
                    b.build_int_truncate(word, each.stored(input.dtype), "")?
                };
                read.push(bits);
                continue;
            }
            let mut far = zero;
            for (axis, &index) in index.iter().enumerate() {
                let moved = match steps.get(axis) {
                    Some(&step) => b.build_int_mul(index, step, "")?,
                    None => index,
                };
                far = b.build_int_add(far, moved, "")?;
            }
            let from = self.at(b, input.dtype, first.into_pointer_value(), far)?;
            read.push(self.here(b, b.build_load(each.stored(input.dtype), from, "")?.into_int_value())?);
        }
        Ok(read)
    }

    /// The same bits, made no later than here: what is only stored if an element is there, LLVM would move behind that branch.
    /// (Words of 64 bits have another constraint on each processor, and stay as they are.)
    fn here(&self, b: &Builder<'ctx>, bits: IntValue<'ctx>) -> Result<IntValue<'ctx>> {
        let (ty, word) = (bits.get_type(), self.llcx.i32_type());
        if ty.get_bit_width() > word.get_bit_width() {
            return Ok(bits);
        }
        let of_asm = word.fn_type(&[word.into()], false);
        let asm = self.llcx.create_inline_asm(of_asm, String::new(), "=r,0".to_owned(), true, false, None, false);
        let wide = b.build_int_z_extend_or_bit_cast(bits, word, "")?;
        let kept = b.build_indirect_call(of_asm, asm, &[wide.into()], "")?.try_as_basic_value().basic();
        b.build_int_truncate_or_bit_cast(kept.expect("it gives a word").into_int_value(), ty, "")
    }

    fn at(
        &self,
        b: &Builder<'ctx>,
        dtype: Dtype,
        first: PointerValue<'ctx>,
        far: IntValue<'ctx>,
    ) -> Result<PointerValue<'ctx>> {
        let ty = Each { llcx: self.llcx, module: self.module, b }.stored(dtype);
        // SAFETY: this only writes an instruction; the place is one of an input's or of the product's.
        unsafe { b.build_gep(ty, first, &[far], "") }
    }
}

/// A function that takes an element and the bits of what belongs to it, and gives those that are written.
fn computing<'ctx>(
    llcx: &'ctx Context,
    module: &Module<'ctx>,
    epilogue: &Epilogue,
    count: u64,
) -> Result<FunctionValue<'ctx>> {
    let sweep = &epilogue.sweep;
    let b = llcx.create_builder();
    let each = Each { llcx, module, b: &b };
    let product = usize::from(epilogue.input);
    let element = if sweep.inputs[product].dtype == Dtype::F64 { llcx.f64_type() } else { llcx.f32_type() };
    let mut takes: Vec<BasicMetadataTypeEnum<'ctx>> = vec![element.into()];
    let others = || sweep.inputs.iter().enumerate().filter(|it| it.0 != product).map(|it| it.1);
    takes.extend(others().map(|it| BasicMetadataTypeEnum::from(each.stored(it.dtype))));
    let written = || sweep.outputs.iter().map(|&it| sweep.members[usize::from(it)].dtype);
    let gives: Vec<BasicTypeEnum<'ctx>> = written().map(|it| each.stored(it).into()).collect();
    let func = module.add_function("finish", llcx.struct_type(&gives, false).fn_type(&takes, false), None);
    func.set_linkage(Linkage::Internal);
    // What is short is better there, and so is what is called a few times, where calls are computed side by side; else there would
    // be more code than a multiprocessor keeps.
    let kind = if crate::sweep::is_long(sweep) && count > FEW { "noinline" } else { "alwaysinline" };
    let kind = llcx.create_enum_attribute(Attribute::get_named_enum_kind_id(kind), 0);
    func.add_attribute(AttributeLoc::Function, kind);
    b.position_at_end(llcx.append_basic_block(func, "entry"));
    let mut taken = func.get_param_iter();
    let element = taken.next().expect("it was declared with it");
    let mut inputs: Vec<BasicValueEnum<'ctx>> =
        others().zip(taken).map(|(input, bits)| each.of_bits(input.dtype, bits.into_int_value())).collect();
    inputs.insert(product, element);
    let mut members: Vec<BasicValueEnum<'ctx>> = Vec::new();
    for member in &sweep.members {
        let takes: Vec<Dtype> = member.args.iter().map(|&it| sweep.dtype(it)).collect();
        let value = |it: &Value| match *it {
            Value::Input(at) => inputs[usize::from(at)],
            Value::Member(at) => members[usize::from(at)],
        };
        let args: Vec<BasicValueEnum<'ctx>> = member.args.iter().map(value).collect();
        members.push(each.job(member.job, &takes, member.dtype, &args));
    }
    let bits: Vec<BasicValueEnum<'ctx>> = sweep
        .outputs
        .iter()
        .zip(written())
        .map(|(&it, ty)| each.to_bits(ty, members[usize::from(it)]).into())
        .collect();
    b.build_aggregate_return(&bits)?;
    Ok(func)
}
