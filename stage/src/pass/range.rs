//! What intervals decide: checks that always succeed, overflow that cannot happen, known conditions.
//!
//! See [`Ranges`] for how intervals are found. Checked arithmetic that cannot overflow becomes arithmetic
//! modulo 2^64, which is pure; guards on what is known to hold go; a condition or number that can be only
//! one thing becomes a constant. What is left to simplify then is left to `simplify`.

use crate::analysis::ranges::Here;
use crate::analysis::{Cfg, Dominators, Effects, Interval, Ranges};
use crate::entity::{Block, FuncId, Inst, Loc, Value};
use crate::ir::{Function, Module, Terminator};
use crate::op::{Cmp, Const, Convert, Effect, Num1, Num2, Op, Overflow2, Real2, Shift, Wrap2};
use crate::pass::edit::Substitution;
use crate::pass::{Changed, PassDef, Run};
use crate::set::EntityMap;
use crate::types::Type;

/// See the module.
pub const RANGE: PassDef = PassDef { name: "range", run: Run::Function(run), required: false };

/// The integers that are doubles, as are all between them.
const EXACT: i64 = 1 << 53;

/// What becomes of an instruction.
#[derive(Clone, Copy)]
enum Edit {
    Keep,
    Remove,
    Constant(Const),
    /// Its result is its operand at this position.
    Operand(usize),
    Wrap(Wrap2),
    /// `neg`, which cannot overflow.
    Negate,
    /// `abs`, which cannot overflow.
    Magnitude,
    /// `shl` by so many bits, which cannot overflow.
    Scale(u32),
    /// `x // y` of integers that are doubles, as doubles.
    Quotient,
    /// The product of the operand and a constant overflows when the operand is above, or below, this.
    Beyond(Cmp, i64),
}

fn run(module: &mut Module, func: FuncId) -> Changed {
    let func = &mut module.funcs[func];
    let cfg = Cfg::of(func);
    let doms = Dominators::of(&cfg);
    let mut ranges = Ranges::of(func, &cfg, &doms);
    let mut edits = EntityMap::with_len(Edit::Keep, func.insts.len());
    let mut decided: Vec<(Block, bool)> = Vec::new();
    let mut changed = Changed::No;
    let seen: &Function = func;
    ranges.visit(seen, &cfg, &doms, |here, block, inst| match inst {
        Some(inst) => {
            edits[inst] = edit(seen, here, inst);
            if !matches!(edits[inst], Edit::Keep) {
                changed = Changed::Yes;
            }
        }
        None => {
            if let Terminator::Branch { cond, .. } = seen.blocks[block].term
                && let Some(truth) = here.of(cond).single()
            {
                decided.push((block, truth != 0));
            }
        }
    });
    let mut subst = Substitution::new();
    for &block in cfg.order() {
        apply(func, block, &edits, &mut subst);
    }
    subst.apply(func);
    for (block, truth) in decided {
        let Terminator::Branch { then, other, .. } = &func.blocks[block].term else {
            unreachable!("it was a branch above")
        };
        func.blocks[block].term = Terminator::Jump(if truth { then.clone() } else { other.clone() });
        changed = Changed::Yes;
    }
    changed
}

fn edit(func: &Function, here: &mut Here<'_>, inst: Inst) -> Edit {
    let data = &func.insts[inst];
    let args = &data.args;
    if matches!(data.op, Op::Const(_)) {
        return Edit::Keep;
    }
    let on_integers = args.first().is_some_and(|&arg| func.ty(arg) == Type::I64);
    let checked = |it| here.cannot_overflow(it, args[0], args[1]);
    let total = match data.op {
        Op::Num2(Num2::Add) if on_integers => checked(Overflow2::Add),
        Op::Num2(Num2::Sub) if on_integers => checked(Overflow2::Sub),
        Op::Num2(Num2::Mul) if on_integers => checked(Overflow2::Mul),
        _ => Effects::of(func, inst).effect == Effect::Pure,
    };
    if let &[result] = &data.results[..]
        && total
        && let Some(constant) = constant(func.ty(result), here.result(inst))
    {
        return Edit::Constant(constant);
    }
    match data.op {
        Op::Num2(Num2::Add) if on_integers && total => Edit::Wrap(Wrap2::Add),
        Op::Num2(Num2::Sub) if on_integers && total => Edit::Wrap(Wrap2::Sub),
        Op::Num2(Num2::Mul) if on_integers && total => Edit::Wrap(Wrap2::Mul),
        Op::Num2(op) if on_integers => num2(op, here.of(args[0]), here.of(args[1])),
        Op::Num1(Num1::Abs) if on_integers && here.of(args[0]).lo >= 0 => Edit::Operand(0),
        Op::Num1(op) if on_integers && here.of(args[0]).lo > i64::MIN => match op {
            Num1::Neg => Edit::Negate,
            Num1::Abs => Edit::Magnitude,
        },
        Op::Shift(Shift::Left) => match here.of(args[1]).single() {
            Some(by @ 0..=62) if scales(here.of(args[0]), by) => Edit::Scale(by as u32),
            Some(_) | None => Edit::Keep,
        },
        Op::IntDiv if [0, 1].iter().all(|&it| here.of(args[it]).within(-EXACT, EXACT)) => Edit::Quotient,
        Op::Overflow2(Overflow2::Mul) => beyond(here.of(args[0]), here.of(args[1])),
        Op::Select => match here.of(args[0]).single() {
            Some(truth) => Edit::Operand(if truth != 0 { 1 } else { 2 }),
            None => Edit::Keep,
        },
        Op::Guard(_) if here.of(args[0]) == Interval::only(1) => Edit::Remove,
        Op::OverflowIf if here.of(args[0]) == Interval::only(0) => Edit::Remove,
        _ => Edit::Keep,
    }
}

fn constant(ty: Type, interval: Interval) -> Option<Const> {
    let it = interval.single()?;
    match ty {
        Type::Bool => Some(Const::Bool(it != 0)),
        Type::I64 => Some(Const::I64(it)),
        Type::F64 | Type::Array(_) | Type::List(_) | Type::Map(_) | Type::Object(_) | Type::Tensor(_) => None,
    }
}

fn num2(op: Num2, x: Interval, y: Interval) -> Edit {
    match op {
        Num2::Min if x.hi <= y.lo => Edit::Operand(0),
        Num2::Min if y.hi <= x.lo => Edit::Operand(1),
        Num2::Max if x.lo >= y.hi => Edit::Operand(0),
        Num2::Max if y.lo >= x.hi => Edit::Operand(1),
        Num2::Mod if x.lo >= 0 && x.hi < y.lo => Edit::Operand(0),
        Num2::Add | Num2::Sub | Num2::Mul | Num2::FloorDiv | Num2::Mod | Num2::Min | Num2::Max => Edit::Keep,
    }
}

fn scales(x: Interval, by: i64) -> bool {
    let fits = |it: i64| (it << by) >> by == it;
    fits(x.lo) && fits(x.hi)
}

/// With a constant factor and an operand of known sign, overflow of a product is one comparison.
fn beyond(x: Interval, by: Interval) -> Edit {
    match by.single() {
        Some(by) if by > 0 && x.lo >= 0 => Edit::Beyond(Cmp::Gt, i64::MAX / by),
        Some(by) if by > 0 && x.hi <= 0 => Edit::Beyond(Cmp::Lt, i64::MIN / by),
        Some(_) | None => Edit::Keep,
    }
}

/// Rewrites a block, with the instructions that the rewritten ones need before them.
struct Rewrite<'a> {
    func: &'a mut Function,
    kept: Vec<Inst>,
    loc: Option<Loc>,
}

impl Rewrite<'_> {
    fn constant(&mut self, constant: Const) -> Value {
        let (inst, value) = self.func.make_const(constant, self.loc);
        self.kept.push(inst);
        value
    }

    fn value(&mut self, op: Op, args: Vec<Value>, ty: Type) -> Value {
        let (inst, value) = self.func.make_value(op, args, ty, self.loc);
        self.kept.push(inst);
        value
    }

    fn become_op(&mut self, inst: Inst, op: Op, args: Vec<Value>) {
        let data = &mut self.func.insts[inst];
        data.op = op;
        data.args = args;
        self.kept.push(inst);
    }
}

fn apply(func: &mut Function, block: Block, edits: &EntityMap<Inst, Edit>, subst: &mut Substitution) {
    let insts = std::mem::take(&mut func.blocks[block].insts);
    let mut cx = Rewrite { func, kept: Vec::with_capacity(insts.len()), loc: None };
    for inst in insts {
        let args = cx.func.insts[inst].args.clone();
        cx.loc = cx.func.insts[inst].loc;
        match edits[inst] {
            Edit::Keep => cx.kept.push(inst),
            Edit::Remove => {}
            Edit::Constant(constant) => cx.become_op(inst, Op::Const(constant), Vec::new()),
            Edit::Operand(position) => subst.replace(cx.func.insts[inst].results[0], args[position]),
            Edit::Wrap(op) => cx.become_op(inst, Op::Wrap2(op), args),
            Edit::Negate => {
                let zero = cx.constant(Const::I64(0));
                cx.become_op(inst, Op::Wrap2(Wrap2::Sub), vec![zero, args[0]]);
            }
            Edit::Magnitude => {
                let zero = cx.constant(Const::I64(0));
                let negative = cx.value(Op::Cmp(Cmp::Lt), vec![args[0], zero], Type::Bool);
                let negated = cx.value(Op::Wrap2(Wrap2::Sub), vec![zero, args[0]], Type::I64);
                cx.become_op(inst, Op::Select, vec![negative, negated, args[0]]);
            }
            Edit::Scale(by) => {
                let factor = cx.constant(Const::I64(1 << by));
                cx.become_op(inst, Op::Wrap2(Wrap2::Mul), vec![args[0], factor]);
            }
            Edit::Quotient => {
                let double = |cx: &mut Rewrite<'_>, it| cx.value(Op::Convert(Convert::IntToFloat), vec![it], Type::F64);
                let operands = vec![double(&mut cx, args[0]), double(&mut cx, args[1])];
                cx.become_op(inst, Op::Real2(Real2::Div), operands);
            }
            Edit::Beyond(cmp, limit) => {
                let limit = cx.constant(Const::I64(limit));
                cx.become_op(inst, Op::Cmp(cmp), vec![args[0], limit]);
            }
        }
    }
    func.blocks[block].insts = cx.kept;
}
