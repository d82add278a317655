//! Strip-mining: counted innermost loops ask whether to go on once in many iterations.
//!
//! A poll in every iteration is cheap, but it keeps LLVM from vectorising the loop. So the loop
//!
//! ```text
//! header(i): branch i < n, body, exit          body: ... jump header(i + step)    (polling)
//! ```
//!
//! becomes two, of which the inner one has no poll:
//!
//! ```text
//! outer(i):  limit = min(n, i + step * STRIP); jump header(i)
//! header(i): branch i < limit, body, pause     body: ... jump header(i + step)
//! pause:     branch i < n, ask, exit           ask: poll; jump outer(i)
//! ```
//!
//! A loop that evidently turns only a few times needs no poll, and LLVM may unroll it.
//!
//! The header runs once more at each pause, with the same values: so it must not write.

use inkwell::IntPredicate;
use inkwell::values::IntValue;
use snekpy_stage::analysis::{Cfg, Dominators, LoopId, Loops};
use snekpy_stage::entity::{Block, Entity, Inst, Loc, Value};
use snekpy_stage::ir::{Def, Function, Terminator};
use snekpy_stage::op::{Cmp, Const, Effect, Num2, Op, Wrap2};
use snekpy_stage::types::Type;

use super::body::Body;
use super::compare;
use crate::fault::Result;

/// Iterations between two polls. At a microsecond each, an interrupt waits for four milliseconds.
const STRIP: i64 = 4096;

/// How a header decides to go on: `counter op bound`, where the counter moves by `step`.
#[derive(Clone, Copy)]
pub(crate) struct Strip {
    op: Cmp,
    counter: Value,
    bound: Value,
    step: i64,
    /// What the counter is on entering, if that is always this constant, and it never wraps back past it.
    start: Option<i64>,
    /// Which of the header's jumps stays in the loop.
    pub(crate) stays: usize,
    /// Where the loop goes back.
    pub(crate) loc: Option<Loc>,
}

/// How a loop that needs no poll in every iteration gets by.
#[derive(Clone, Copy)]
pub(crate) enum Plan {
    /// It is strip-mined.
    Strip(Strip),
    /// It turns no more often than a strip, always, and so needs no poll at all: code around it polls.
    Short,
}

/// For each block, what to do about the loop that it heads, if it heads one that need not poll every time.
pub(crate) fn plan(func: &Function) -> Vec<Option<Plan>> {
    let mut plans = vec![None; func.blocks.len()];
    let cfg = Cfg::of(func);
    let loops = Loops::of(func, &cfg, &Dominators::of(&cfg));
    if !loops.irreducible().is_empty() {
        return plans;
    }
    let mut home = vec![None; func.insts.len()];
    for &block in cfg.order() {
        for &inst in &func.blocks[block].insts {
            home[inst.index()] = Some(block);
        }
    }
    let is_innermost = |id| loops.inner_first().all(|other| loops.data(other).parent != Some(id));
    for id in loops.inner_first().filter(|&id| is_innermost(id)) {
        plans[loops.data(id).header.index()] = plan_loop(func, &cfg, &loops, id, &home);
    }
    plans
}

fn plan_loop(func: &Function, cfg: &Cfg, loops: &Loops, id: LoopId, home: &[Option<Block>]) -> Option<Plan> {
    let data = loops.data(id);
    if data.header == func.entry() {
        return None;
    }
    let effect = |inst: Inst| {
        let inst = &func.insts[inst];
        inst.op.effect(inst.args.first().is_some_and(|&arg| func.ty(arg) == Type::I64))
    };
    let calls = data.blocks.iter().flat_map(|&block| &func.blocks[block].insts).any(|&it| effect(it) == Effect::Any);
    let writes = func.blocks[data.header].insts.iter().any(|&it| effect(it) == Effect::Write);
    if calls || writes {
        return None;
    }
    let Terminator::Branch { cond, then, other } = &func.blocks[data.header].term else { return None };
    let stays = match (loops.contains(id, then.target), loops.contains(id, other.target)) {
        (true, false) => 0,
        (false, true) => 1,
        (true, true) | (false, false) => return None,
    };
    let Def::Result(compared, _) = func.values[*cond].def else { return None };
    let compared = &func.insts[compared];
    let Op::Cmp(op) = compared.op else { return None };
    let op = if stays == 0 { op } else { op.negated() };
    let (x, y) = (compared.args[0], compared.args[1]);
    if func.ty(x) != Type::I64 {
        return None;
    }
    let position = |value: Value| func.blocks[data.header].params.iter().position(|&param| param == value);
    let invariant = |value: Value| {
        let block = match func.values[value].def {
            Def::Param(block, _) => Some(block),
            Def::Result(inst, _) => home[inst.index()],
        };
        func.as_const(value).is_some() || block.is_some_and(|block| !loops.contains(id, block))
    };
    let (op, counter, bound) = match (position(x), position(y)) {
        (Some(at), _) if invariant(y) => (op, (x, at), y),
        (_, Some(at)) if invariant(x) => (op.swapped(), (y, at), x),
        _ => return None,
    };
    let mut steps = data.latches.iter().map(|latch| step(func, latch.jump(func).args[counter.1], counter.0));
    let (first, wraps) = steps.next()??;
    let towards = match op {
        Cmp::Lt => first > 0,
        Cmp::Gt => first < 0,
        // Nothing is above the largest integer: a counter that wraps would never pause.
        Cmp::Le => first > 0 && !wraps,
        Cmp::Ge => first < 0 && !wraps,
        Cmp::Eq | Cmp::Ne => false,
    };
    if !towards || steps.any(|step| step != Some((first, wraps))) || first.checked_mul(STRIP).is_none() {
        return None;
    }
    let mut starts = cfg.preds(data.header).iter().filter(|edge| !data.latches.contains(edge)).map(|edge| {
        match func.as_const(edge.jump(func).args[counter.1]) {
            Some(Const::I64(it)) => Some(it),
            Some(Const::Bool(_) | Const::F64(_)) | None => None,
        }
    });
    let start = starts.next().flatten().filter(|&start| starts.all(|it| it == Some(start)));
    // A step of one stops at the bound, before it could wrap.
    let start = start.filter(|_| !wraps || first.abs() == 1);
    let loc = func.blocks[data.latches[0].from].term_loc;
    let strip = Strip { op, counter: counter.0, bound, step: first, start, stays, loc };
    Some(if strip.is_short(func) { Plan::Short } else { Plan::Strip(strip) })
}

/// What is added to `from` to get `to`, if that is a constant, and whether the addition wraps.
pub(crate) fn step(func: &Function, to: Value, from: Value) -> Option<(i64, bool)> {
    let Def::Result(inst, _) = func.values[to].def else { return None };
    let inst = &func.insts[inst];
    let (adds, wraps) = match inst.op {
        Op::Num2(Num2::Add) => (true, false),
        Op::Wrap2(Wrap2::Add) => (true, true),
        Op::Num2(Num2::Sub) => (false, false),
        Op::Wrap2(Wrap2::Sub) => (false, true),
        _ => return None,
    };
    let constant = |value| match func.as_const(value) {
        Some(Const::I64(it)) => Some(it),
        Some(Const::Bool(_) | Const::F64(_)) | None => None,
    };
    let step = match (inst.args[0] == from, inst.args[1] == from, adds) {
        (true, _, true) => constant(inst.args[1])?,
        (_, true, true) => constant(inst.args[0])?,
        (true, _, false) => constant(inst.args[1])?.checked_neg()?,
        (false, ..) => return None,
    };
    Some((step, wraps))
}

impl Strip {
    /// Whether the loop turns no more often than a strip.
    fn is_short(&self, func: &Function) -> bool {
        match (self.start, func.as_const(self.bound)) {
            (Some(start), Some(Const::I64(bound))) => {
                let distance = i128::from(bound) - i128::from(start);
                distance / i128::from(self.step) < i128::from(STRIP)
            }
            (Some(_) | None, _) => false,
        }
    }

    /// Tells LLVM in the header what it could find out of the loop as it was, and cannot of two nested ones:
    /// that the counter has not moved to the other side of where it started.
    pub(crate) fn tell_start(&self, body: &Body<'_, '_>) -> Result<()> {
        let Some(start) = self.start else { return Ok(()) };
        let predicate = if self.step > 0 { IntPredicate::SGE } else { IntPredicate::SLE };
        let counter = body.value(self.counter).as_int();
        let holds = body.b.build_int_compare(predicate, counter, body.int(start), "")?;
        body.b.build_direct_call(body.unit.assume(), &[holds.into()], "")?;
        Ok(())
    }

    /// Where the inner loop pauses, computed in the outer one, where the counter is `now`.
    pub(crate) fn limit<'ctx>(&self, body: &Body<'_, 'ctx>, now: IntValue<'ctx>) -> Result<IntValue<'ctx>> {
        let (add, nearer) = if self.step > 0 { ("llvm.sadd.sat", "llvm.smin") } else { ("llvm.ssub.sat", "llvm.smax") };
        let int = body.unit.types.i64;
        let distance = body.int(self.step.abs() * STRIP);
        let far = body.intrinsic(add, int, &[now.into(), distance.into()])?.into_int_value();
        Ok(body.intrinsic(nearer, int, &[far.into(), self.bound(body).into()])?.into_int_value())
    }

    /// Whether the inner loop goes on.
    pub(crate) fn goes_on<'ctx>(&self, body: &Body<'_, 'ctx>, limit: IntValue<'ctx>) -> Result<IntValue<'ctx>> {
        let counter = body.value(self.counter).as_int();
        Ok(body.b.build_int_compare(compare::int_predicate(self.op), counter, limit, "")?)
    }

    /// Whether the loop goes on, asked when the inner loop does not.
    pub(crate) fn resumes<'ctx>(&self, body: &Body<'_, 'ctx>) -> Result<IntValue<'ctx>> {
        self.goes_on(body, self.bound(body))
    }

    /// The counter's position among the header's parameters.
    pub(crate) fn counter_position(&self, params: &[Value]) -> usize {
        params.iter().position(|&param| param == self.counter).expect("the counter is a parameter of the header")
    }

    /// The bound. A constant may be defined in the loop, so it is not looked up.
    fn bound<'ctx>(&self, body: &Body<'_, 'ctx>) -> IntValue<'ctx> {
        match body.func.as_const(self.bound) {
            Some(Const::I64(it)) => body.int(it),
            Some(Const::Bool(_) | Const::F64(_)) | None => body.value(self.bound).as_int(),
        }
    }
}
