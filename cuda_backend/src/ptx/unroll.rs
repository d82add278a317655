//! Which loops LLVM unrolls, and how often.
//!
//! Left to itself it unrolls none whose number of iterations is not known. Innermost loops of few instructions are marked:
//! the addresses of several iterations are then one address and constants, and their loads are issued together.

use std::collections::HashMap;

use inkwell::basic_block::BasicBlock;
use inkwell::context::Context;
use inkwell::llvm_sys::core::{LLVMMDNodeInContext2, LLVMMetadataAsValue};
use inkwell::llvm_sys::debuginfo::{LLVMMetadataReplaceAllUsesWith, LLVMTemporaryMDNode};
use inkwell::llvm_sys::prelude::LLVMMetadataRef;
use inkwell::module::Module as LlvmModule;
use inkwell::values::{AsValueRef, FunctionValue, InstructionValue, MetadataValue};
use snekpy_stage::analysis::{Cfg, Dominators, Loops};
use snekpy_stage::entity::Block;
use snekpy_stage::ir::{Function, Module, Terminator};
use snekpy_stage::op::{Cmp, Op};

/// How many instructions an iteration has at most, and how many are made one.
const FACTORS: [(usize, u64); 2] = [(60, 4), (120, 2)];

/// Marks the innermost loops of all functions, whose blocks have the names of those of the IR.
pub(super) fn mark_loops(llcx: &Context, module: &LlvmModule<'_>, ir: &Module) {
    let written = module.get_functions().filter(|func| func.count_basic_blocks() > 0);
    for (func, llfn) in ir.funcs.values().zip(written) {
        mark_in(llcx, func, llfn);
    }
}

fn mark_in(llcx: &Context, func: &Function, llfn: FunctionValue<'_>) {
    let blocks: Vec<BasicBlock<'_>> = llfn.get_basic_blocks();
    let named: HashMap<String, usize> = blocks
        .iter()
        .enumerate()
        .map(|(position, block)| (block.get_name().to_string_lossy().into_owned(), position))
        .collect();
    for (header, factor) in small_loops(func) {
        let Some(&head) = named.get(&header.to_string()) else { continue };
        for block in &blocks[head..] {
            if let Some(end) = block.get_terminator()
                && successors(end).any(|it| it == blocks[head])
            {
                let kind = llcx.get_kind_id("llvm.loop");
                end.set_metadata(mark(llcx, factor), kind).expect("the value is metadata");
            }
        }
    }
}

fn successors(end: InstructionValue<'_>) -> impl Iterator<Item = BasicBlock<'_>> {
    end.get_operands().flatten().filter_map(|operand| operand.block())
}

/// The headers of innermost loops that are small, and how many of their iterations are to be made one.
fn small_loops(func: &Function) -> Vec<(Block, u64)> {
    let cfg = Cfg::of(func);
    let loops = Loops::of(func, &cfg, &Dominators::of(&cfg));
    let innermost =
        loops.inner_first().filter(|&id| loops.inner_first().all(|other| loops.data(other).parent != Some(id)));
    innermost
        .filter_map(|id| {
            let data = loops.data(id);
            // Where iterations leave in the middle, and it is not known how many there are, nothing is gained.
            if data.exits.len() > 1 && !is_limited(func, data.header) {
                return None;
            }
            let size: usize = data.blocks.iter().map(|&block| func.blocks[block].insts.len()).sum();
            let factor = FACTORS.iter().find(|&&(most, _)| size <= most)?.1;
            Some((data.header, factor))
        })
        .collect()
}

/// Whether a loop goes on while something is below a constant.
fn is_limited(func: &Function, header: Block) -> bool {
    let Terminator::Branch { cond, .. } = &func.blocks[header].term else { return false };
    func.definition(*cond).is_some_and(|(op, args)| op == Op::Cmp(Cmp::Lt) && func.as_const(args[1]).is_some())
}

/// The metadata of a loop: a node that begins with itself, so that no two loops share one.
fn mark<'ctx>(llcx: &'ctx Context, factor: u64) -> MetadataValue<'ctx> {
    let name = llcx.metadata_string("llvm.loop.unroll.count");
    let count = llcx.i32_type().const_int(factor, false);
    let count = llcx.metadata_node(&[name.into(), count.into()]);
    let raw = llcx.raw();
    // SAFETY: the nodes belong to the context; the temporary one is replaced, which frees it.
    unsafe {
        let itself = LLVMTemporaryMDNode(raw, std::ptr::null_mut(), 0);
        let count: LLVMMetadataRef = inkwell::llvm_sys::core::LLVMValueAsMetadata(count.as_value_ref());
        let mut items = [itself, count];
        let node = LLVMMDNodeInContext2(raw, items.as_mut_ptr(), items.len());
        LLVMMetadataReplaceAllUsesWith(itself, node);
        MetadataValue::new(LLVMMetadataAsValue(raw, node))
    }
}
