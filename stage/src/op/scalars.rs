//! Every op that computes a scalar from scalars alone: what each back end has to have.

use super::table::{Bit2, Cmp, Convert, Element2, Num1, Num2, Overflow2, Real1, Real2, Shift, Wrap2};
use super::{COMPUTED, Op, typing};
use crate::ir::Module;
use crate::tensor::elementwise as each;
use crate::types::Type;

/// Every such op, with each choice of types that its operands may have.
pub fn scalars() -> Vec<(Op, Vec<Type>)> {
    let module = Module::default();
    let takes = |op: Op, operands: &[Type]| typing::results(op, operands, &module, |_| None).is_ok();
    let mut choices = vec![vec![]];
    for arity in 0..3 {
        let longest: Vec<Vec<Type>> = choices.iter().filter(|it: &&Vec<Type>| it.len() == arity).cloned().collect();
        for ty in [Type::Bool, Type::I64, Type::F64] {
            choices.extend(longest.iter().map(|it| [&it[..], &[ty]].concat()));
        }
    }
    let with_types = |op: Op| choices.iter().filter(move |it| takes(op, it)).map(move |it| (op, it.clone()));
    ops().into_iter().flat_map(with_types).collect()
}

fn ops() -> Vec<Op> {
    let mut all = vec![Op::IntPow, Op::IntDiv, Op::Not, Op::Select];
    all.extend(Num1::ALL.iter().copied().map(Op::Num1));
    all.extend(Num2::ALL.iter().copied().map(Op::Num2));
    all.extend(Wrap2::ALL.iter().copied().map(Op::Wrap2));
    all.extend(Overflow2::ALL.iter().copied().map(Op::Overflow2));
    all.extend(Bit2::ALL.iter().copied().map(Op::Bit2));
    all.extend(Shift::ALL.iter().copied().map(Op::Shift));
    all.extend(Real1::ALL.iter().copied().map(Op::Real1));
    all.extend(Real2::ALL.iter().copied().map(Op::Real2));
    for dtype in COMPUTED {
        all.extend(each::Real1::ALL.iter().map(|&it| Op::Element1(it, dtype)));
        all.extend(Element2::ALL.iter().map(|&it| Op::Element2(it, dtype)));
    }
    all.extend(Cmp::ALL.iter().flat_map(|&it| [Op::Cmp(it), Op::CmpIntFloat(it)]));
    all.extend(Convert::ALL.iter().copied().map(Op::Convert));
    debug_assert!(all.iter().all(|&it| is_scalar(it)), "the others are no ops on scalars");
    all
}

/// Whether an op is one of these. A new one is answered here, and listed above.
const fn is_scalar(op: Op) -> bool {
    match op {
        Op::Num1(_)
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
        | Op::Select => true,
        Op::Const(_)
        | Op::Len
        | Op::Load
        | Op::Store
        | Op::ListNew(_)
        | Op::List(_)
        | Op::MapNew(_)
        | Op::Map(_)
        | Op::Object(_)
        | Op::OfClass(_)
        | Op::Kept(_)
        | Op::Guard(_)
        | Op::OverflowIf
        | Op::Checkpoint(_)
        | Op::Call(..)
        | Op::Tensor(..)
        | Op::Host(..) => false,
    }
}
