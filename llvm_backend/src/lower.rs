//! From a module of the IR to one of LLVM.
//!
//! A value of the IR becomes a value of LLVM ([`value`]), a block a block with phi nodes for its
//! parameters, and each family of ops is lowered in a file of its own. What can go wrong at run time
//! leaves the function through one cold block, which is given the status ([`leave`]).
//!
//! Functions of the module take typed parameters, after the context and the number of calls that may
//! still be nested, and return the status with their results in registers. Only the entry speaks the
//! binary interface of [`snekpy_stage::backend`]. If nobody in the module calls the main function, its
//! body is the entry's body, and there is no wrapper to go through.

mod arith;
mod bits;
mod body;
mod call;
mod checked;
mod choose;
mod compare;
mod control;
mod count;
mod divide;
mod element;
mod flow;
mod inst;
pub(crate) mod lanes;
mod leave;
mod list;
mod map;
mod memory;
mod meta;
mod nest;
mod real;
mod row;
pub(crate) mod stored;
mod strip;
mod unit;
mod value;

use inkwell::context::Context;
use inkwell::module::Module as LlvmModule;
use snekpy_stage::entity::Entity;
use snekpy_stage::ir::Module;
use snekpy_stage::op::Op;

use crate::fault::Result;

use body::Kind;
use unit::Unit;

pub(crate) use unit::{Style, helpers};

/// Whether a function has a loop.
pub(crate) fn has_loops(func: &snekpy_stage::ir::Function) -> bool {
    flow::Flow::of(func).has_loops()
}

/// Writes a verified module as a module of LLVM.
pub(crate) fn module<'ctx>(llcx: &'ctx Context, ir: &Module, style: &Style<'_>) -> Result<LlvmModule<'ctx>> {
    let unit = Unit::new(llcx, ir, style);
    if style.device {
        for (id, func) in ir.funcs.iter() {
            inst::lower(&unit, func, unit.function(id), Kind::Device)?;
        }
        return Ok(unit.finish());
    }
    let main = ir.main();
    for (id, func) in ir.funcs.iter() {
        if id != main {
            inst::lower(&unit, func, unit.function(id), Kind::Inner)?;
        } else if main_is_called(ir) {
            inst::lower(&unit, func, unit.function(id), Kind::Inner)?;
            call::wrapper(&unit, func)?;
        } else {
            inst::lower(&unit, func, unit.entry(), Kind::Entry)?;
        }
    }
    Ok(unit.finish())
}

/// Whether a function of the module calls the main function.
fn main_is_called(ir: &Module) -> bool {
    ir.funcs.values().any(|func| {
        let insts = func.blocks.values().flat_map(|block| &block.insts);
        insts.map(|&inst| func.insts[inst].op).any(|op| matches!(op, Op::Call(callee, _) if callee.index() == 0))
    })
}
