//! Which modules begin the same work on a device whenever they are given the same.

use crate::ir::{Function, Module};
use crate::op::{Acts, ObjectOp, Op};
use crate::tensor::TensorOp;

/// Whether what a call does depends on nothing but the numbers that it is given and how the tensors lie, all of which are on
/// devices: it neither reads elements nor meets anything else of the program. The host gives it tensors and nothing else.
pub fn repeats(module: &Module) -> bool {
    let params = module.funcs[module.main()].param_types();
    params.iter().any(|ty| ty.is_there())
        && params.iter().all(|ty| ty.is_there() || ty.is_scalar())
        && module.funcs.values().all(|func| ops(func).all(|op| stays_inside(op, module)))
}

fn ops(func: &Function) -> impl Iterator<Item = &Op> {
    func.blocks.values().flat_map(|block| &block.insts).map(|&inst| &func.insts[inst].op)
}

fn stays_inside(op: &Op, module: &Module) -> bool {
    match op {
        Op::Const(_)
        | Op::Num1(_)
        | Op::Num2(_)
        | Op::IntPow
        | Op::IntDiv
        | Op::Wrap2(_)
        | Op::Overflow2(_)
        | Op::Bit2(_)
        | Op::Shift(_)
        | Op::Real1(_)
        | Op::Element1(..)
        | Op::Element2(..)
        | Op::Real2(_)
        | Op::Cmp(_)
        | Op::CmpIntFloat(_)
        | Op::Not
        | Op::Convert(_)
        | Op::Select
        | Op::ListNew(_)
        | Op::List(_)
        | Op::MapNew(_)
        | Op::Map(_)
        | Op::Kept(_)
        | Op::Guard(_)
        | Op::OverflowIf
        | Op::Checkpoint(_)
        | Op::Call(..) => true,
        Op::Object(op) => matches!(op, ObjectOp::Keep | ObjectOp::Retain | ObjectOp::Release),
        // Where memory is, and which object is which, is asked of the world. Tensors that it knows by name are as if passed.
        Op::Tensor(host, acts) => *acts != Acts::Asks || module.hosts[*host].tensor == Some(TensorOp::World),
        Op::Host(..) | Op::Len | Op::Load | Op::Store | Op::OfClass(_) => false,
    }
}
