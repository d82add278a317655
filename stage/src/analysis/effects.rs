//! What each instruction does besides giving its results, as far as its operands tell.
//!
//! [`Op::effect`] knows the op alone. Here constant operands are looked at: a division by 3 cannot
//! overflow, and it can be done anywhere, while a division by a variable relies on the guard before it.

use std::ops::Index;

use crate::entity::{Inst, Value};
use crate::ir::Function;
use crate::op::{Acts, Const, Effect, Num2, Op, Shift};
use crate::set::EntityMap;
use crate::types::Type;

/// What an instruction does besides giving its results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effects {
    /// Its effect.
    pub effect: Effect,
    /// Whether it may be executed where the program did not: it relies on no guard before it.
    pub anywhere: bool,
}

impl Effects {
    /// Whether nobody notices when the instruction is missing and its results are not used.
    pub const fn removable(self) -> bool {
        matches!(self.effect, Effect::Pure | Effect::Read)
    }

    /// Whether nobody notices when the instruction is executed although the program did not get there.
    pub const fn speculatable(self) -> bool {
        matches!(self.effect, Effect::Pure) && self.anywhere
    }

    /// Whether the instruction changes memory, or may.
    pub const fn writes(self) -> bool {
        matches!(self.effect, Effect::Write | Effect::Any)
    }

    /// The effects of an instruction.
    pub fn of(func: &Function, inst: Inst) -> Self {
        let data = &func.insts[inst];
        let on_integers = data.args.first().is_some_and(|&arg| func.ty(arg) == Type::I64);
        let effect = data.op.effect(on_integers);
        let by = |position: usize| int_const(func, data.args[position]);
        match data.op {
            Op::Num2(Num2::FloorDiv) if on_integers => match by(1) {
                None | Some(0) => Self { effect, anywhere: false },
                Some(-1) => Self { effect, anywhere: true },
                Some(_) => Self { effect: Effect::Pure, anywhere: true },
            },
            Op::Num2(Num2::Mod) if on_integers => Self { effect, anywhere: by(1).is_some_and(|it| it != 0) },
            Op::IntDiv => Self { effect, anywhere: by(1).is_some_and(|it| it != 0) },
            Op::IntPow | Op::Shift(Shift::Left | Shift::Right) => {
                Self { effect, anywhere: by(1).is_some_and(|it| it >= 0) }
            }
            Op::Tensor(_, Acts::Asks) => Self { effect, anywhere: true },
            Op::Load | Op::Store | Op::ListNew(_) | Op::List(_) | Op::MapNew(_) | Op::Map(_) | Op::Tensor(..) => {
                Self { effect, anywhere: false }
            }
            Op::Const(_)
            | Op::Num1(_)
            | Op::Num2(_)
            | Op::Wrap2(_)
            | Op::Overflow2(_)
            | Op::Bit2(_)
            | Op::Real1(_)
            | Op::Element1(..)
            | Op::Element2(..)
            | Op::Real2(_)
            | Op::Cmp(_)
            | Op::CmpIntFloat(_)
            | Op::Not
            | Op::Convert(_)
            | Op::Select
            | Op::Len
            | Op::Guard(_)
            | Op::OverflowIf
            | Op::Checkpoint(_)
            | Op::Object(_)
            | Op::OfClass(_)
            | Op::Kept(_)
            | Op::Call(..)
            | Op::Host(..) => Self { effect, anywhere: true },
        }
    }
}

fn int_const(func: &Function, value: Value) -> Option<i64> {
    match func.as_const(value) {
        Some(Const::I64(it)) => Some(it),
        Some(Const::Bool(_) | Const::F64(_)) | None => None,
    }
}

/// The effects of every instruction of a function.
pub struct EffectTable {
    effects: EntityMap<Inst, Effects>,
}

impl EffectTable {
    /// Looks at every instruction that is in a block.
    pub fn of(func: &Function) -> Self {
        let mut effects = EntityMap::with_len(Effects { effect: Effect::Any, anywhere: false }, func.insts.len());
        for &inst in func.blocks.values().flat_map(|block| &block.insts) {
            effects[inst] = Effects::of(func, inst);
        }
        Self { effects }
    }
}

impl Index<Inst> for EffectTable {
    type Output = Effects;
    fn index(&self, inst: Inst) -> &Effects {
        &self.effects[inst]
    }
}
