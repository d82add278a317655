//! What is done with each element of a product before it is written.
//!
//! The element is rounded to its dtype first, so that the result has the bits of a product that was written and read again.

use inkwell::AddressSpace;
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::builder::{Builder, BuilderError};
use inkwell::context::Context;
use inkwell::module::{Linkage, Module};
use inkwell::types::BasicMetadataTypeEnum;
use inkwell::values::{BasicMetadataValueEnum, BasicValueEnum, FunctionValue, IntValue};
use snekpy_stage::tensor::Dtype;
use snekpy_stage::tensor::device::Epilogue;
use snekpy_stage::tensor::device::sweep::{Access, Input, Value};

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

/// A function that goes on with an element at a row and a column, so far from the first, and writes what comes of it. Behind
/// these it takes the element and the parameters.
pub(super) fn write<'ctx>(
    llcx: &'ctx Context,
    module: &Module<'ctx>,
    epilogue: &Epilogue,
) -> Result<FunctionValue<'ctx>> {
    let (int, sweep) = (llcx.i64_type(), &epilogue.sweep);
    let product = &sweep.inputs[usize::from(epilogue.input)];
    let element = if product.dtype == Dtype::F64 { llcx.f64_type() } else { llcx.f32_type() };
    let mut types: Vec<BasicMetadataTypeEnum<'ctx>> = vec![int.into(), int.into(), int.into(), element.into()];
    let before = types.len() + sweep.rank;
    types.extend(params(llcx, epilogue));
    let func = module.add_function("finish", llcx.void_type().fn_type(&types, false), None);
    func.set_linkage(Linkage::Internal);
    // It is called for each sum of a thread: what is short is better there, and what is long is better here.
    let kind = if crate::sweep::is_long(sweep) { "noinline" } else { "alwaysinline" };
    let kind = llcx.create_enum_attribute(Attribute::get_named_enum_kind_id(kind), 0);
    func.add_attribute(AttributeLoc::Function, kind);
    let b = llcx.create_builder();
    b.position_at_end(llcx.append_basic_block(func, "entry"));
    let mut it = Finish { each: Each { llcx, module, b: &b }, func, next: before as u32 };
    let mut inputs = Vec::new();
    for (at, input) in sweep.inputs.iter().enumerate() {
        inputs.push(match at == usize::from(epilogue.input) {
            true => {
                it.next += 1 + sweep.steps(input) as u32;
                it.param(3)
            }
            false => it.input(input, sweep.rank, sweep.steps(input))?,
        });
    }
    let mut members: Vec<BasicValueEnum<'ctx>> = Vec::new();
    for member in &sweep.members {
        let takes: Vec<Dtype> = member.args.iter().map(|&it| sweep.dtype(it)).collect();
        let args: Vec<BasicValueEnum<'ctx>> = member
            .args
            .iter()
            .map(|it| match *it {
                Value::Input(at) => inputs[usize::from(at)],
                Value::Member(at) => members[usize::from(at)],
            })
            .collect();
        members.push(it.each.job(member.job, &takes, member.dtype, &args));
    }
    for &output in &sweep.outputs {
        let dtype = sweep.members[usize::from(output)].dtype;
        let first = it.taken().into_pointer_value();
        // SAFETY: this only writes an instruction; the place is one of the product's.
        let to = unsafe { b.build_in_bounds_gep(it.each.stored(dtype), first, &[it.param(2).into_int_value()], "")? };
        it.each.store(dtype, to, members[usize::from(output)]);
    }
    b.build_return(None)?;
    Ok(func)
}

/// Calls it.
pub(super) fn call<'ctx>(
    b: &Builder<'ctx>,
    finish: FunctionValue<'ctx>,
    [row, column, far]: [IntValue<'ctx>; 3],
    element: BasicValueEnum<'ctx>,
    params: impl Iterator<Item = BasicValueEnum<'ctx>>,
) -> Result<()> {
    let mut args: Vec<BasicMetadataValueEnum<'ctx>> = vec![row.into(), column.into(), far.into(), element.into()];
    args.extend(params.map(BasicMetadataValueEnum::from));
    b.build_direct_call(finish, &args, "")?;
    Ok(())
}

struct Finish<'a, 'ctx> {
    each: Each<'a, 'ctx>,
    func: FunctionValue<'ctx>,
    /// The next parameter.
    next: u32,
}

impl<'ctx> Finish<'_, 'ctx> {
    fn param(&self, at: u32) -> BasicValueEnum<'ctx> {
        self.func.get_nth_param(at).expect("it was declared with it")
    }

    fn taken(&mut self) -> BasicValueEnum<'ctx> {
        self.next += 1;
        self.param(self.next - 1)
    }

    /// The element of an input.
    fn input(&mut self, input: &Input, rank: usize, steps: usize) -> Result<BasicValueEnum<'ctx>> {
        let first = self.taken();
        if input.access == Access::Number {
            return Ok(self.each.of_word(input.dtype, first.into_int_value()));
        }
        let place = if rank == 1 { vec![self.param(2)] } else { vec![self.param(0), self.param(1)] };
        let mut far = self.each.llcx.i64_type().const_zero();
        for (axis, index) in place.into_iter().enumerate() {
            let index = index.into_int_value();
            let moved = match axis < steps {
                true => self.each.b.build_int_mul(index, self.taken().into_int_value(), "")?,
                false => index,
            };
            far = self.each.b.build_int_add(far, moved, "")?;
        }
        let (ty, first) = (self.each.stored(input.dtype), first.into_pointer_value());
        // SAFETY: this only writes an instruction; the place is one of the input's.
        let at = unsafe { self.each.b.build_gep(ty, first, &[far], "")? };
        Ok(self.each.load(input.dtype, at))
    }
}
