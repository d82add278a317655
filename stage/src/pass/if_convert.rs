//! Small branches become selects.
//!
//! Where both ways of a branch meet again after a few cheap ops, both are computed and the results are
//! selected: a condition that depends on data, which the processor would guess wrong half of the time, costs
//! nothing to guess. A checked op that is executed although the program did not get there may overflow
//! unnoticed: it becomes arithmetic modulo 2^64 and, where ranges do not exclude overflow, an `overflow_if`
//! on the way having been taken and the op overflowing. That branch goes one way always, and is not waited
//! for. Guards, loads and whatever relies on them keep their branch.

use crate::analysis::{Cfg, Dominators, Effects, Interval, Ranges};
use crate::entity::{Block, FuncId, Inst, Loc, Value};
use crate::ir::{Function, Jump, Module, Terminator};
use crate::op::{Bit2, Cmp, Const, Convert, Effect, Num1, Num2, ObjectOp, Op, Overflow2, Shift, Wrap2};
use crate::pass::{Changed, PassDef, Run};
use crate::set::EntityMap;
use crate::types::Type;

/// See the module.
pub const IF_CONVERT: PassDef = PassDef { name: "if_convert", run: Run::Function(run), required: false };

/// What both arms may cost together. A mispredicted branch costs about as much as twenty simple ops.
const BUDGET: u32 = 12;
/// How many values may have to be selected.
const SELECTS: usize = 3;

/// A branch whose ways meet again.
struct Diamond {
    block: Block,
    cond: Value,
    /// Two blocks at most, with the way on which each lies.
    arms: Vec<(Block, bool)>,
    then: Jump,
    other: Jump,
}

fn run(module: &mut Module, func: FuncId) -> Changed {
    let func = &mut module.funcs[func];
    let cfg = Cfg::of(func);
    let diamonds: Vec<Diamond> = cfg.order().iter().rev().filter_map(|&block| diamond(func, &cfg, block)).collect();
    if diamonds.is_empty() {
        return Changed::No;
    }
    let operands = operands_of_checked(func, &cfg, &diamonds);
    for diamond in diamonds {
        // An arm that was itself a branch, and a join that an earlier one changed, are left to the next time.
        if diamond.arms.iter().all(|&(arm, _)| matches!(func.blocks[arm].term, Terminator::Jump(_))) {
            convert(func, diamond, &operands);
        }
    }
    func.remove_unreachable();
    Changed::Yes
}

fn diamond(func: &Function, cfg: &Cfg, block: Block) -> Option<Diamond> {
    let Terminator::Branch { cond, then, other } = &func.blocks[block].term else { return None };
    // An arm has one way in and one way out; an empty arm is the edge itself.
    let through = |jump: &Jump| {
        let data = &func.blocks[jump.target];
        match &data.term {
            Terminator::Jump(on)
                if cfg.single_pred(jump.target).is_some() && data.params.is_empty() && jump.target != block =>
            {
                Some(on.clone())
            }
            _ => None,
        }
    };
    let mut found = None;
    for (via_then, via_other) in [(true, true), (true, false), (false, true), (false, false)] {
        let end = |via: bool, jump: &Jump| if via { through(jump) } else { Some(jump.clone()) };
        if let (Some(first), Some(second)) = (end(via_then, then), end(via_other, other))
            && first.target == second.target
        {
            let mut arms = Vec::new();
            arms.extend(via_then.then_some((then.target, true)));
            arms.extend(via_other.then_some((other.target, false)));
            found = Some(Diamond { block, cond: *cond, arms, then: first, other: second });
            break;
        }
    }
    let found = found?;
    let selects = found.then.args.iter().zip(&found.other.args).filter(|(a, b)| a != b);
    let all_scalar = selects.clone().all(|(&value, _)| func.ty(value).is_scalar());
    let insts = found.arms.iter().flat_map(|&(arm, _)| &func.blocks[arm].insts);
    let total = insts.map(|&inst| cost(func, inst)).try_fold(0, |sum: u32, cost| Some(sum + cost?))?;
    (all_scalar && selects.count() <= SELECTS && total <= BUDGET).then_some(found)
}

/// What an instruction costs when it is executed for nothing. `None` if it must not be.
fn cost(func: &Function, inst: Inst) -> Option<u32> {
    let data = &func.insts[inst];
    let on_integers = data.args.first().is_some_and(|&arg| func.ty(arg) == Type::I64);
    let effects = Effects::of(func, inst);
    if effects.effect == Effect::MayExit {
        return match data.op {
            Op::Num2(Num2::Add | Num2::Sub) if on_integers => Some(3),
            Op::Num2(Num2::Mul) if on_integers => Some(4),
            Op::Num1(Num1::Neg) if on_integers => Some(3),
            _ => None,
        };
    }
    if !effects.speculatable() {
        return None;
    }
    match data.op {
        Op::Const(_) => Some(0),
        Op::Wrap2(Wrap2::Add | Wrap2::Sub)
        | Op::Overflow2(Overflow2::Add | Overflow2::Sub)
        | Op::Bit2(_)
        | Op::Shift(Shift::Right)
        | Op::Cmp(_)
        | Op::Not
        | Op::Convert(Convert::BoolToInt | Convert::Int32)
        | Op::Select
        | Op::Len
        | Op::Object(ObjectOp::IsNone)
        | Op::Num1(_) => Some(1),
        Op::Wrap2(Wrap2::Mul | Wrap2::Shl) | Op::Overflow2(Overflow2::Mul) => Some(3),
        Op::Num2(Num2::Min | Num2::Max) | Op::Convert(Convert::Single) => Some(2),
        Op::Num2(Num2::Add | Num2::Sub | Num2::Mul) | Op::Convert(Convert::IntToFloat) => Some(4),
        Op::Convert(Convert::Half | Convert::Bfloat) => Some(8),
        Op::Num2(Num2::FloorDiv | Num2::Mod)
        | Op::Overflow2(Overflow2::Pow)
        | Op::Wrap2(Wrap2::Pow)
        | Op::IntPow
        | Op::IntDiv
        | Op::Shift(Shift::Left)
        | Op::Real1(_)
        | Op::Element1(..)
        | Op::Element2(..)
        | Op::Real2(_)
        | Op::CmpIntFloat(_)
        | Op::Convert(Convert::FloatToInt)
        | Op::Load
        | Op::Store
        | Op::ListNew(_)
        | Op::MapNew(_)
        | Op::Map(_)
        | Op::OfClass(_)
        | Op::Kept(_)
        | Op::Object(ObjectOp::Keep | ObjectOp::Retain | ObjectOp::Release | ObjectOp::TextLen | ObjectOp::TextAt)
        | Op::List(_)
        | Op::Guard(_)
        | Op::OverflowIf
        | Op::Checkpoint(_)
        | Op::Call(..)
        | Op::Tensor(..)
        | Op::Host(..) => None,
    }
}

/// Checked arithmetic as an op modulo 2^64 and the test that goes with it, with its operands; `None` stands
/// for zero.
fn checked(func: &Function, inst: Inst) -> Option<(Wrap2, Overflow2, Option<Value>, Value)> {
    let data = &func.insts[inst];
    if Effects::of(func, inst).effect != Effect::MayExit {
        return None;
    }
    match (data.op, &data.args[..]) {
        (Op::Num2(Num2::Add), &[x, y]) => Some((Wrap2::Add, Overflow2::Add, Some(x), y)),
        (Op::Num2(Num2::Sub), &[x, y]) => Some((Wrap2::Sub, Overflow2::Sub, Some(x), y)),
        (Op::Num2(Num2::Mul), &[x, y]) => Some((Wrap2::Mul, Overflow2::Mul, Some(x), y)),
        (Op::Num1(Num1::Neg), &[x]) => Some((Wrap2::Sub, Overflow2::Sub, None, x)),
        _ => None,
    }
}

/// What ranges say about checked arithmetic where it stands, on its way.
type Known = EntityMap<Inst, Option<(bool, Interval)>>;

/// Whether overflow of each checked op in an arm is excluded, and the interval of its first operand.
fn operands_of_checked(func: &Function, cfg: &Cfg, diamonds: &[Diamond]) -> Known {
    let mut known = EntityMap::new(None);
    let arms = || diamonds.iter().flat_map(|it| &it.arms).flat_map(|&(arm, _)| &func.blocks[arm].insts);
    if arms().all(|&inst| checked(func, inst).is_none()) {
        return known;
    }
    let doms = Dominators::of(cfg);
    Ranges::of(func, cfg, &doms).visit(func, cfg, &doms, |here, _, inst| {
        if let Some(inst) = inst
            && let Some((_, overflow, x, y)) = checked(func, inst)
        {
            known[inst] = Some(match x {
                Some(x) => (here.cannot_overflow(overflow, x, y), here.of(x)),
                None => (here.of(y).lo > i64::MIN, Interval::only(0)),
            });
        }
    });
    known
}

/// Appends to the block that takes the arms in.
struct Cx<'a> {
    func: &'a mut Function,
    insts: Vec<Inst>,
    loc: Option<Loc>,
}

impl Cx<'_> {
    fn value(&mut self, op: Op, args: Vec<Value>, ty: Type) -> Value {
        let (inst, value) = self.func.make_value(op, args, ty, self.loc);
        self.insts.push(inst);
        value
    }

    fn constant(&mut self, constant: Const) -> Value {
        let (inst, value) = self.func.make_const(constant, self.loc);
        self.insts.push(inst);
        value
    }
}

fn convert(func: &mut Function, diamond: Diamond, known: &Known) {
    let Diamond { block, cond, arms, then, other } = diamond;
    let loc = func.blocks[block].term_loc;
    let insts = std::mem::take(&mut func.blocks[block].insts);
    let mut cx = Cx { func, insts, loc };
    // Left for last, because the processor prefers what is older: the program waits for the selected values,
    // and nobody waits for the checks.
    let mut traps = Vec::new();
    for (arm, truth) in arms {
        let insts = std::mem::take(&mut cx.func.blocks[arm].insts);
        // Nothing in an arm can be noticed but overflow, so the tests may come after all of it.
        let mut tests: Vec<(Option<Loc>, Value)> = Vec::new();
        for inst in insts {
            cx.loc = cx.func.insts[inst].loc;
            match checked(cx.func, inst) {
                None => cx.insts.push(inst),
                Some(op) => {
                    if let Some(overflows) = unchecked(&mut cx, inst, op, known) {
                        match tests.last_mut() {
                            // Which of two ops at one place overflows makes no difference.
                            Some((loc, first)) if *loc == cx.loc => {
                                *first = cx.value(Op::Bit2(Bit2::Or), vec![*first, overflows], Type::Bool);
                            }
                            Some(_) | None => tests.push((cx.loc, overflows)),
                        }
                    }
                }
            }
        }
        if !tests.is_empty() {
            cx.loc = loc;
            let taken = if truth { cond } else { cx.value(Op::Not, vec![cond], Type::Bool) };
            for (place, overflows) in tests {
                cx.loc = place;
                let fails = cx.value(Op::Bit2(Bit2::And), vec![taken, overflows], Type::Bool);
                traps.push(cx.func.make_inst(Op::OverflowIf, vec![fails], &[], place));
            }
        }
    }
    cx.loc = loc;
    let merged = then.args.iter().zip(&other.args).map(|(&x, &y)| {
        let ty = cx.func.ty(x);
        if x == y { x } else { cx.value(Op::Select, vec![cond, x, y], ty) }
    });
    let args = merged.collect();
    let mut insts = cx.insts;
    insts.append(&mut traps);
    let data = &mut func.blocks[block];
    data.insts = insts;
    data.term = Terminator::Jump(Jump { target: then.target, args });
}

/// Makes a checked op one modulo 2^64. Returns whether it overflows, unless that is excluded.
fn unchecked(
    cx: &mut Cx<'_>,
    inst: Inst,
    (wrap, overflow, x, y): (Wrap2, Overflow2, Option<Value>, Value),
    known: &Known,
) -> Option<Value> {
    let (excluded, interval) = known[inst].unwrap_or((false, Interval::FULL));
    let x = x.unwrap_or_else(|| cx.constant(Const::I64(0)));
    let factor = match (overflow, cx.func.as_const(y)) {
        (Overflow2::Mul, Some(Const::I64(by))) if by > 0 && interval.lo >= 0 => Some(by),
        _ => None,
    };
    let overflows = match factor {
        _ if excluded => None,
        Some(by) => {
            let limit = cx.constant(Const::I64(i64::MAX / by));
            Some(cx.value(Op::Cmp(Cmp::Gt), vec![x, limit], Type::Bool))
        }
        None => Some(cx.value(Op::Overflow2(overflow), vec![x, y], Type::Bool)),
    };
    let data = &mut cx.func.insts[inst];
    data.op = Op::Wrap2(wrap);
    data.args = vec![x, y];
    cx.insts.push(inst);
    overflows
}
