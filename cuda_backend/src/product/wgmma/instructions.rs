//! Instructions that LLVM has no names for, as functions. They are declared first, and get their bodies, which are assembly, when
//! all is written: tests give them other ones.

use inkwell::AddressSpace;
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::builder::BuilderError;
use inkwell::context::Context;
use inkwell::module::{Linkage, Module};
use inkwell::types::{BasicMetadataTypeEnum, BasicTypeEnum, FunctionType};
use inkwell::values::{BasicMetadataValueEnum, BasicValueEnum, FunctionValue};
use snekpy_stage::tensor::Dtype;

use super::Wgmma;
use crate::ptx::SHARED;

/// Instructions that multiply a stage: each takes 16 of its 64 columns and rows.
pub(super) const PARTS: u64 = 4;
/// Registers of a thread that copies, and of one that multiplies: all of a block's are 128 * (40 + 2 * 232), of 65,536.
const FEW: u32 = 40;
const MANY: u32 = 232;

/// The functions.
pub(super) struct Instructions<'ctx> {
    /// Makes a barrier for so many arrivals.
    pub(super) init: FunctionValue<'ctx>,
    /// Lets the copy engine see barriers that were made.
    pub(super) publish: FunctionValue<'ctx>,
    /// Gives registers back.
    pub(super) fewer_registers: FunctionValue<'ctx>,
    /// Takes registers that others gave back.
    pub(super) more_registers: FunctionValue<'ctx>,
    /// Arrives at a barrier, and has it wait for so many bytes as well.
    pub(super) expect: FunctionValue<'ctx>,
    /// Copies a box to shared memory: there, by a map, telling a barrier, from a column and a row.
    pub(super) load: FunctionValue<'ctx>,
    /// Waits at a barrier until the phase of a parity is over.
    pub(super) wait: FunctionValue<'ctx>,
    /// The lane 0 arrives at a barrier.
    pub(super) arrive: FunctionValue<'ctx>,
    /// Adds the product of a stage to sums, and waits for it: sums, then descriptors in pairs.
    pub(super) multiply: FunctionValue<'ctx>,
}

pub(super) fn declare<'ctx>(llcx: &'ctx Context, module: &Module<'ctx>, kernel: Wgmma) -> Instructions<'ctx> {
    let shared: BasicMetadataTypeEnum<'ctx> = llcx.ptr_type(AddressSpace::from(SHARED)).into();
    let map: BasicMetadataTypeEnum<'ctx> = llcx.ptr_type(AddressSpace::default()).into();
    let word: BasicMetadataTypeEnum<'ctx> = llcx.i32_type().into();
    let add = |name: &str, ty: FunctionType<'ctx>| {
        let func = module.add_function(&format!("snekpy.{name}"), ty, None);
        for kind in ["convergent", "nounwind"] {
            func.add_attribute(AttributeLoc::Function, attribute(llcx, kind));
        }
        func
    };
    let does = |name: &str, params: &[BasicMetadataTypeEnum<'ctx>]| add(name, llcx.void_type().fn_type(params, false));
    let sums = vec![BasicTypeEnum::from(llcx.f32_type()); kernel.sums() as usize];
    let mut of_multiply: Vec<BasicMetadataTypeEnum<'ctx>> = sums.iter().map(|&it| it.into()).collect();
    of_multiply.extend(vec![BasicMetadataTypeEnum::from(llcx.i64_type()); 2 * PARTS as usize]);
    Instructions {
        init: does("init", &[shared, word]),
        publish: does("publish", &[]),
        fewer_registers: does("fewer_registers", &[]),
        more_registers: does("more_registers", &[]),
        expect: does("expect", &[shared, word]),
        load: does("load", &[shared, map, shared, word, word]),
        wait: does("wait", &[shared, word]),
        arrive: does("arrive", &[shared, word]),
        multiply: add("multiply", llcx.struct_type(&sums, false).fn_type(&of_multiply, false)),
    }
}

fn attribute(llcx: &Context, kind: &str) -> Attribute {
    llcx.create_enum_attribute(Attribute::get_named_enum_kind_id(kind), 0)
}

/// Gives them their bodies.
pub(super) fn define<'ctx>(llcx: &'ctx Context, kernel: Wgmma, all: &Instructions<'ctx>) -> Result<(), BuilderError> {
    let body = |func, text: &str| body(llcx, func, text, "");
    body(all.init, "mbarrier.init.shared::cta.b64 [$0], $1;")?;
    body(all.publish, "fence.mbarrier_init.release.cluster;")?;
    body(all.fewer_registers, &format!("setmaxnreg.dec.sync.aligned.u32 {FEW};"))?;
    body(all.more_registers, &format!("setmaxnreg.inc.sync.aligned.u32 {MANY};"))?;
    body(all.expect, "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;")?;
    body(
        all.load,
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [$0], [$1, {$3, $4}], [$2];",
    )?;
    body(
        all.wait,
        "{\n.reg .pred is_over;\nagain_${:uid}:\n\
         mbarrier.try_wait.parity.shared::cta.b64 is_over, [$0], $1;\n@!is_over bra again_${:uid};\n}",
    )?;
    body(
        all.arrive,
        "{\n.reg .pred is_first;\nsetp.eq.u32 is_first, $1, 0;\n\
         @is_first mbarrier.arrive.shared::cta.b64 _, [$0];\n}",
    )?;
    let (text, sums) = (multiply(kernel), kernel.sums());
    let outputs: String = (0..sums).map(|_| "=f,").collect();
    self::body(llcx, all.multiply, &text, &outputs)
}

/// The instructions that multiply a stage, in one piece of assembly: nothing may come between them that touches the sums.
fn multiply(kernel: Wgmma) -> String {
    let (sums, columns) = (kernel.sums(), kernel.columns);
    let ty = if kernel.dtype == Dtype::F16 { "f16" } else { "bf16" };
    let registers: Vec<String> = (0..sums).map(|it| format!("${it}")).collect();
    let registers = registers.join(", ");
    let mut text = "wgmma.fence.sync.aligned;\n".to_owned();
    for part in 0..PARTS {
        // The operands of the assembly are sums that it gives, sums that it takes, and descriptors.
        let [first, second] = [0, 1].map(|it| 2 * sums + 2 * part + it);
        // The sums are added to; no factor is negated; the second lies the other way round.
        text += &format!(
            "wgmma.mma_async.sync.aligned.m64n{columns}k16.f32.{ty}.{ty} \
             {{{registers}}}, ${first}, ${second}, 1, 1, 1, 0, 1;\n"
        );
    }
    text + "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;"
}

/// A body of assembly, which has the function's parameters as operands, behind its outputs. As many parameters as there are
/// outputs are the registers of those.
fn body<'ctx>(llcx: &'ctx Context, func: FunctionValue<'ctx>, text: &str, outputs: &str) -> Result<(), BuilderError> {
    let b = llcx.create_builder();
    b.position_at_end(llcx.append_basic_block(func, "entry"));
    func.set_linkage(Linkage::Internal);
    func.add_attribute(AttributeLoc::Function, attribute(llcx, "alwaysinline"));
    let tied = outputs.matches('=').count();
    let (mut constraints, mut args, mut types) = (outputs.to_owned(), Vec::new(), Vec::new());
    for (at, param) in func.get_param_iter().enumerate() {
        let (constraint, arg): (String, BasicValueEnum<'ctx>) = match param {
            BasicValueEnum::PointerValue(it) if it.get_type().get_address_space() == AddressSpace::from(SHARED) => {
                ("r".to_owned(), b.build_ptr_to_int(it, llcx.i32_type(), "")?.into())
            }
            BasicValueEnum::PointerValue(it) => ("l".to_owned(), b.build_ptr_to_int(it, llcx.i64_type(), "")?.into()),
            BasicValueEnum::IntValue(it) if it.get_type() == llcx.i64_type() => ("l".to_owned(), param),
            BasicValueEnum::IntValue(_) => ("r".to_owned(), param),
            other => (at.to_string(), other),
        };
        constraints += &format!("{constraint},");
        types.push(BasicMetadataTypeEnum::from(arg.get_type()));
        args.push(BasicMetadataValueEnum::from(arg));
    }
    debug_assert!(tied <= args.len(), "sums that are given are sums that were taken");
    constraints += "~{memory}";
    let ty = match func.get_type().get_return_type() {
        Some(gives) => gives.into_struct_type().fn_type(&types, false),
        None => llcx.void_type().fn_type(&types, false),
    };
    let assembly = llcx.create_inline_asm(ty, text.to_owned(), constraints, true, false, None, false);
    let called = b.build_indirect_call(ty, assembly, &args, "")?;
    called.add_attribute(AttributeLoc::Function, attribute(llcx, "convergent"));
    match called.try_as_basic_value().basic() {
        Some(made) => b.build_return(Some(&made))?,
        None => b.build_return(None)?,
    };
    Ok(())
}
