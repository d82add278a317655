//! Applying the rules to every instruction once, operands before their users.

use crate::analysis::Cfg;
use crate::entity::{Block, Inst, Loc, Value};
use crate::ir::{Function, Terminator};
use crate::op::{Const, Op};
use crate::pass::Changed;
use crate::pass::edit::Substitution;
use crate::pass::simplify::rules;

/// What a rule makes of an instruction.
pub(super) enum Fold {
    /// It stays.
    Keep,
    /// Its result is this value.
    Same(Value),
    /// Its result is this constant.
    Const(Const),
    /// It is this op on these operands. The rules are asked again.
    Become(Op, Vec<Value>),
    /// It does nothing.
    Nothing,
    /// It always leaves through its exit.
    Leave,
}

/// What the rules see: a function in which all that comes before the instruction is already folded.
pub(super) struct Cx<'a> {
    pub(super) func: &'a mut Function,
    kept: Vec<Inst>,
    loc: Option<Loc>,
}

impl Cx<'_> {
    /// The constant that a value is.
    pub(super) fn constant(&self, value: Value) -> Option<Const> {
        self.func.as_const(value)
    }

    /// A constant before the instruction.
    pub(super) fn make_const(&mut self, constant: Const) -> Value {
        let (inst, value) = self.func.make_const(constant, self.loc);
        self.kept.push(inst);
        value
    }

    /// An instruction before the instruction, with a result of the same type as `like`.
    pub(super) fn make_like(&mut self, op: Op, args: Vec<Value>, like: Value) -> Value {
        let (inst, value) = self.func.make_value(op, args, self.func.ty(like), self.loc);
        self.kept.push(inst);
        value
    }
}

pub(super) fn run(func: &mut Function) -> Changed {
    let mut subst = Substitution::new();
    let mut changed = Changed::No;
    for &block in Cfg::of(func).order() {
        changed |= fold_block(func, block, &mut subst);
    }
    subst.apply(func);
    changed
}

fn fold_block(func: &mut Function, block: Block, subst: &mut Substitution) -> Changed {
    let insts = std::mem::take(&mut func.blocks[block].insts);
    let mut changed = Changed::No;
    let mut cx = Cx { func, kept: Vec::with_capacity(insts.len()), loc: None };
    for inst in insts {
        subst.resolve_all(&mut cx.func.insts[inst].args);
        cx.loc = cx.func.insts[inst].loc;
        loop {
            let fold = rules::fold(&mut cx, inst);
            if !matches!(fold, Fold::Keep) {
                changed = Changed::Yes;
            }
            match fold {
                Fold::Keep => cx.kept.push(inst),
                Fold::Same(value) => subst.replace(cx.func.insts[inst].results[0], value),
                Fold::Const(constant) => {
                    let data = &mut cx.func.insts[inst];
                    data.op = Op::Const(constant);
                    data.args.clear();
                    cx.kept.push(inst);
                }
                Fold::Become(op, args) => {
                    let data = &mut cx.func.insts[inst];
                    data.op = op;
                    data.args = args;
                    continue;
                }
                Fold::Nothing => {}
                Fold::Leave => {
                    leave(cx, block, inst);
                    return Changed::Yes;
                }
            }
            break;
        }
    }
    func.blocks[block].insts = cx.kept;
    func.blocks[block].term.for_each_use_mut(|value| *value = subst.resolve(*value));
    changed
}

/// Ends the block where the guard is. What came after it cannot be reached.
fn leave(cx: Cx<'_>, block: Block, guard: Inst) {
    let Cx { func, kept, .. } = cx;
    let data = &func.insts[guard];
    let Op::Guard(exit) = data.op else { unreachable!("only a guard leaves through an exit") };
    let term = Terminator::Exit(exit, data.args[1..].to_vec());
    let loc = data.loc;
    let block = &mut func.blocks[block];
    block.insts = kept;
    block.term = term;
    block.term_loc = loc;
}
