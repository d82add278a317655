//! Failures that can wait.
//!
//! A body that fails is run again by the host to see how, and nothing that it did is seen. So inside of a loop a failure need
//! not leave at once: it is noted in a truth value that the loop carries, which is looked at where the loop is left. Then
//! iterations have no branches for failures between them, and LLVM unrolls the loop.
//!
//! What is executed after a failure that waits must be harmless:
//!
//! - It must not touch memory that a check was to protect. In a loop that loads, or divides integers, only conditions on
//!   doubles wait: no index and no divisor was checked, and then left unchecked, because of one.
//! - It must end. A loop that counts is cut into pieces of [`PIECE`] iterations, and looks behind each; any other one
//!   looks in each iteration.
//!
//! What is noted may be too much: where the host finds no failure, it runs the kernel as it was written.

use snekpy_stage::analysis::{Cfg, Dominators, Edge, LoopId, Loops};
use snekpy_stage::entity::{Block, FuncId, Inst, Loc, Value};
use snekpy_stage::ir::{BlockData, Def, Function, Jump, Module, Terminator};
use snekpy_stage::op::{Bit2, Cmp, Const, Convert, Num1, Num2, Op, Overflow2, Real1, Wrap2};
use snekpy_stage::set::EntitySet;
use snekpy_stage::types::Type;

/// How many iterations a failure waits at most.
const PIECE: i64 = 1024;
/// No step of a loop that counts is larger.
const LARGEST_STEP: i64 = 1 << 20;
/// What is greater than this is the largest integer.
const LAST_BUT_ONE: i64 = i64::MAX - 1;
/// How many levels of a condition are looked at.
const DEPTH: u32 = 12;

/// Makes failures in innermost loops wait, in every function that calls no other.
pub(crate) fn let_failures_wait(module: &mut Module) {
    for id in module.funcs.keys().collect::<Vec<FuncId>>() {
        let func = &mut module.funcs[id];
        if func.insts.values().any(|inst| matches!(inst.op, Op::Call(..))) {
            continue;
        }
        simplify(func);
        // Each loop that is changed changes the graph.
        let mut done = EntitySet::new();
        while let Some(header) = next(func, &done) {
            done.insert(header);
        }
    }
}

/// Changes the first innermost loop that is not done, and gives its header.
fn next(func: &mut Function, done: &EntitySet<Block>) -> Option<Block> {
    let cfg = Cfg::of(func);
    let doms = Dominators::of(&cfg);
    let loops = Loops::of(func, &cfg, &doms);
    if !loops.irreducible().is_empty() {
        return None;
    }
    let is_innermost = |id: LoopId| loops.inner_first().all(|other| loops.data(other).parent != Some(id));
    let id = loops.inner_first().find(|&id| is_innermost(id) && !done.contains(loops.data(id).header))?;
    let header = loops.data(id).header;
    Waiting::new(func, &cfg, &loops, id).change(func);
    Some(header)
}

/// What has a shorter form where it need not fail at once, or where it may seem to fail.
fn simplify(func: &mut Function) {
    for block in func.blocks.keys().collect::<Vec<_>>() {
        let old = std::mem::take(&mut func.blocks[block].insts);
        // What becomes an integer is found to be finite by that.
        let whole: Vec<Value> = old.iter().filter_map(|&inst| whole(func, inst)).collect();
        let mut insts = Vec::new();
        for inst in old {
            let (op, loc) = (func.insts[inst].op, func.insts[inst].loc);
            let arg = func.insts[inst].args.first().copied();
            match (op, arg) {
                (Op::Guard(_), Some(cond)) if finite(func, cond).is_some_and(|it| whole.contains(&it)) => continue,
                (Op::Guard(_), Some(cond)) => {
                    if let Some(x) = root_of(func, cond) {
                        let zero = emit(func, &mut insts, Op::Const(Const::F64(0.0)), vec![], Type::F64, loc);
                        let negative = emit(func, &mut insts, Op::Cmp(Cmp::Lt), vec![x, zero], Type::Bool, loc);
                        func.insts[inst].args[0] = emit(func, &mut insts, Op::Not, vec![negative], Type::Bool, loc);
                    }
                }
                (Op::Convert(Convert::FloatToInt), Some(x)) => {
                    if let Some(floats) = made_floats(func, inst) {
                        stay_double(func, &mut insts, x, &floats, loc);
                        continue;
                    }
                }
                _ => {}
            }
            insts.push(inst);
        }
        func.blocks[block].insts = insts;
    }
}

/// The number that is rounded, where an instruction makes an integer of one.
fn whole(func: &Function, inst: Inst) -> Option<Value> {
    let data = &func.insts[inst];
    if data.op != Op::Convert(Convert::FloatToInt) {
        return None;
    }
    func.definition(data.args[0]).filter(|it| rounds(it.0)).map(|it| it.1[0])
}

/// Whether a double is small enough for an integer. The least one, which is as large as what is not and fits, is not.
fn fits(func: &mut Function, insts: &mut Vec<Inst>, x: Value, loc: Option<Loc>) -> Value {
    let limit = emit(func, insts, Op::Const(Const::F64(9_223_372_036_854_775_808.0)), vec![], Type::F64, loc);
    let size = emit(func, insts, Op::Num1(Num1::Abs), vec![x], Type::F64, loc);
    emit(func, insts, Op::Cmp(Cmp::Lt), vec![size, limit], Type::Bool, loc)
}

/// A double that was to become an integer and a double again, by these instructions, does not.
fn stay_double(func: &mut Function, insts: &mut Vec<Inst>, x: Value, floats: &[Inst], loc: Option<Loc>) {
    let fits = fits(func, insts, x, loc);
    let bad = emit(func, insts, Op::Not, vec![fits], Type::Bool, loc);
    insts.push(func.make_inst(Op::OverflowIf, vec![bad], &[], loc));
    let zero = emit(func, insts, Op::Const(Const::F64(0.0)), vec![], Type::F64, loc);
    let is_whole = func.definition(x).is_some_and(|it| rounds(it.0));
    let whole = if is_whole { x } else { emit(func, insts, Op::Real1(Real1::Trunc), vec![x], Type::F64, loc) };
    for &float in floats {
        // An integer has no negative zero.
        func.insts[float].op = Op::Num2(Num2::Add);
        func.insts[float].args = vec![whole, zero];
    }
}

/// The instructions that make an integer a double again, if nothing else uses it.
fn made_floats(func: &Function, int: Inst) -> Option<Vec<Inst>> {
    let int = func.insts[int].results[0];
    let mut found = Vec::new();
    if func.blocks.values().any(|data| data.term.uses().any(|it| it == int)) {
        return None;
    }
    for (inst, data) in func.insts.iter().filter(|it| it.1.args.contains(&int)) {
        match data.op {
            Op::Convert(Convert::IntToFloat) => found.push(inst),
            _ => return None,
        }
    }
    Some(found)
}

/// The number of which a condition says that its square root exists, as it is written for every function that has no value
/// somewhere: the result is finite, or the number is no number, or it is infinite and the result is a number.
fn root_of(func: &Function, cond: Value) -> Option<Value> {
    let or = |value| binary(func, value, Op::Bit2(Bit2::Or));
    let (first, infinite) = or(cond)?;
    let (finite, unknown) = or(first)?;
    let (size, limit) = binary(func, finite, Op::Cmp(Cmp::Lt))?;
    let root = unary(func, size, Op::Num1(Num1::Abs))?;
    let x = unary(func, root, Op::Real1(Real1::Sqrt))?;
    let (huge, known) = binary(func, infinite, Op::Bit2(Bit2::And))?;
    let (size_of_x, other_limit) = binary(func, huge, Op::Cmp(Cmp::Eq))?;
    let is_infinity = |value| func.as_const(value) == Some(Const::F64(f64::INFINITY));
    let is_it = is_infinity(limit)
        && is_infinity(other_limit)
        && binary(func, unknown, Op::Cmp(Cmp::Ne)) == Some((x, x))
        && unary(func, size_of_x, Op::Num1(Num1::Abs)) == Some(x)
        && binary(func, known, Op::Cmp(Cmp::Eq)) == Some((root, root));
    is_it.then_some(x)
}

fn unary(func: &Function, value: Value, op: Op) -> Option<Value> {
    func.definition(value).filter(|it| it.0 == op).map(|it| it.1[0])
}

fn binary(func: &Function, value: Value, op: Op) -> Option<(Value, Value)> {
    func.definition(value).filter(|it| it.0 == op).map(|it| (it.1[0], it.1[1]))
}

/// Makes an instruction with one result, and appends it to a list.
fn emit(func: &mut Function, to: &mut Vec<Inst>, op: Op, args: Vec<Value>, ty: Type, loc: Option<Loc>) -> Value {
    let inst = func.make_inst(op, args, &[ty], loc);
    to.push(inst);
    func.insts[inst].results[0]
}

/// A loop in which failures are to wait.
struct Waiting {
    header: Block,
    blocks: Vec<Block>,
    inside: EntitySet<Block>,
    entries: Vec<Edge>,
    latches: Vec<Edge>,
    exits: Vec<Edge>,
    count: Count,
    /// Whether checks protect memory or divisions.
    protects: bool,
}

/// How a loop ends at last.
#[derive(Clone, Copy)]
enum Count {
    /// After few iterations.
    Few,
    /// It counts up to a limit, by a step: parameter of the header, limit, step, and the edge that leaves at the limit.
    To(usize, Value, i64, Edge),
    /// It is not known.
    Unknown,
}

impl Waiting {
    fn new(func: &Function, cfg: &Cfg, loops: &Loops, id: LoopId) -> Self {
        let data = loops.data(id);
        let inside: EntitySet<Block> = data.blocks.iter().copied().collect();
        let entries = cfg.preds(data.header).iter().filter(|edge| !inside.contains(edge.from)).copied().collect();
        let ops = data.blocks.iter().flat_map(|&block| &func.blocks[block].insts).map(|&inst| &func.insts[inst]);
        let protects = ops.clone().any(|inst| match inst.op {
            Op::Load | Op::IntDiv | Op::IntPow | Op::Shift(_) => true,
            Op::Num2(Num2::FloorDiv | Num2::Mod) => func.ty(inst.args[0]) == Type::I64,
            _ => false,
        });
        let mut it = Self {
            header: data.header,
            blocks: data.blocks.clone(),
            inside,
            entries,
            latches: data.latches.clone(),
            exits: data.exits.clone(),
            count: Count::Unknown,
            protects,
        };
        it.count = it.counts(func).unwrap_or(Count::Unknown);
        it
    }

    fn counts(&self, func: &Function) -> Option<Count> {
        let Terminator::Branch { cond, then, other } = &func.blocks[self.header].term else { return None };
        if !self.inside.contains(then.target) || self.inside.contains(other.target) {
            return None;
        }
        let (counter, limit) = binary(func, *cond, Op::Cmp(Cmp::Lt))?;
        let position = func.blocks[self.header].params.iter().position(|&param| param == counter)?;
        if func.ty(counter) != Type::I64 || self.defines(func, limit) {
            return None;
        }
        let [latch] = self.latches[..] else { return None };
        let (base, step) = binary(func, latch.jump(func).args[position], Op::Wrap2(Wrap2::Add))?;
        let Some(Const::I64(step @ 1..=LARGEST_STEP)) = func.as_const(step) else { return None };
        if base != counter {
            return None;
        }
        let first = self.entries.iter().map(|entry| func.as_const(entry.jump(func).args[position]));
        let few = |first| match (first, func.as_const(limit)) {
            (Some(Const::I64(first)), Some(Const::I64(limit))) => {
                limit.checked_sub(first).is_some_and(|many| many / step <= PIECE)
            }
            _ => false,
        };
        if first.clone().count() > 0 && first.into_iter().all(few) {
            return Some(Count::Few);
        }
        Some(Count::To(position, limit, step, Edge { from: self.header, slot: 1 }))
    }

    fn defines(&self, func: &Function, value: Value) -> bool {
        self.blocks.iter().any(|&block| {
            let data = &func.blocks[block];
            data.params.contains(&value) || data.insts.iter().any(|&inst| func.insts[inst].results.contains(&value))
        })
    }

    /// Whether a failure of this instruction can wait.
    fn can_wait(&self, func: &Function, inst: Inst) -> bool {
        let data = &func.insts[inst];
        match data.op {
            Op::Guard(_) | Op::OverflowIf => !self.protects || is_of_doubles(func, data.args[0], DEPTH),
            Op::Convert(Convert::FloatToInt) => true,
            Op::Num2(Num2::Add | Num2::Sub | Num2::Mul) => !self.protects && func.ty(data.args[0]) == Type::I64,
            _ => false,
        }
    }

    /// Takes out checks of what counts no faster than the loop does, and begins no later: it is less than the limit.
    fn count_along(&self, func: &mut Function) {
        let Count::To(position, _, 1, _) = self.count else { return };
        for &slow in &func.blocks[self.header].params.clone() {
            let Def::Param(_, at) = func.values[slow].def else { continue };
            let begins = self.entries.iter().all(|entry| {
                let args = &entry.jump(func).args;
                match (func.as_const(args[at as usize]), func.as_const(args[position])) {
                    (Some(Const::I64(slow)), Some(Const::I64(first))) => slow <= first,
                    _ => false,
                }
            });
            let grows = |func: &Function, value| self.growth(func, slow, value, DEPTH);
            let along = self.latches.iter().all(|it| grows(func, it.jump(func).args[at as usize]).is_some());
            if !begins || !along {
                continue;
            }
            let insts: Vec<Inst> = self.blocks.iter().flat_map(|&block| func.blocks[block].insts.clone()).collect();
            for inst in insts {
                let data = &func.insts[inst];
                let step = |value| func.as_const(value) == Some(Const::I64(1));
                let largest = |value| matches!(func.as_const(value), Some(Const::I64(i64::MAX | LAST_BUT_ONE)));
                match (data.op, &data.args[..]) {
                    (Op::Overflow2(Overflow2::Add), &[x, y]) if step(y) && grows(func, x) == Some(0) => {
                        func.insts[inst].op = Op::Const(Const::Bool(false));
                        func.insts[inst].args.clear();
                    }
                    (Op::Cmp(Cmp::Gt), &[x, y])
                        if func.ty(x) == Type::I64 && largest(y) && grows(func, x) == Some(0) =>
                    {
                        func.insts[inst].op = Op::Const(Const::Bool(false));
                        func.insts[inst].args.clear();
                    }
                    (Op::Num2(Num2::Add), &[x, y])
                        if func.ty(x) == Type::I64 && step(y) && grows(func, x) == Some(0) =>
                    {
                        func.insts[inst].op = Op::Wrap2(Wrap2::Add);
                    }
                    _ => {}
                }
            }
        }
    }

    /// By how much a value is at most larger than a parameter of the header is in the same iteration, if that is by one or
    /// not at all.
    fn growth(&self, func: &Function, from: Value, value: Value, depth: u32) -> Option<u32> {
        if value == from {
            return Some(0);
        }
        let depth = depth.checked_sub(1)?;
        let of = |value| self.growth(func, from, value, depth);
        match func.values[value].def {
            Def::Param(block, _) if block == self.header || !self.inside.contains(block) => None,
            Def::Param(block, at) => {
                let mut most = None;
                for &pred in &self.blocks {
                    for jump in func.blocks[pred].term.jumps().filter(|jump| jump.target == block) {
                        most = most.max(Some(of(jump.args[at as usize])?));
                    }
                }
                most
            }
            Def::Result(inst, _) => {
                let data = &func.insts[inst];
                match (data.op, &data.args[..]) {
                    (Op::Select, &[_, x, y]) => Some(of(x)?.max(of(y)?)),
                    (Op::Wrap2(Wrap2::Add) | Op::Num2(Num2::Add), &[x, y])
                        if func.as_const(y) == Some(Const::I64(1)) && of(x) == Some(0) =>
                    {
                        Some(1)
                    }
                    _ => None,
                }
            }
        }
    }

    fn change(&self, func: &mut Function) {
        self.count_along(func);
        let insts = self.blocks.iter().flat_map(|&block| &func.blocks[block].insts);
        if !insts.clone().any(|&inst| self.can_wait(func, inst)) {
            return;
        }
        let mut failed: Vec<(Block, Value)> = Vec::new();
        let params: Vec<Value> = self.blocks.iter().map(|&block| func.append_param(block, Type::Bool)).collect();
        for (&block, &param) in self.blocks.iter().zip(&params) {
            failed.push((block, self.note(func, block, param)));
        }
        for &(block, failed) in &failed {
            for jump in func.blocks[block].term.jumps_mut() {
                if self.inside.contains(jump.target) {
                    jump.args.push(failed);
                }
            }
        }
        let failed_in = |block: Block| failed.iter().find(|it| it.0 == block).expect("the block is in the loop").1;
        for &entry in &self.entries {
            let inst = func.make_inst(Op::Const(Const::Bool(false)), Vec::new(), &[Type::Bool], None);
            func.blocks[entry.from].insts.push(inst);
            let none = func.insts[inst].results[0];
            entry.jump_mut(func).args.push(none);
        }
        for &exit in &self.exits {
            self.look(func, exit, failed_in(exit.from));
        }
        match self.count {
            Count::Few => {}
            Count::To(position, limit, step, end) => self.cut(func, position, limit, step, end),
            Count::Unknown => self.latches.iter().for_each(|&latch| self.look(func, latch, failed_in(latch.from))),
        }
    }

    /// Replaces what can wait in a block by notes. Gives the note at its end.
    fn note(&self, func: &mut Function, block: Block, param: Value) -> Value {
        let mut failed = param;
        let mut insts = Vec::new();
        for inst in std::mem::take(&mut func.blocks[block].insts) {
            if !self.can_wait(func, inst) {
                insts.push(inst);
                continue;
            }
            let (op, args, loc) = (func.insts[inst].op, func.insts[inst].args.clone(), func.insts[inst].loc);
            let stays = !matches!(op, Op::Guard(_) | Op::OverflowIf);
            let bad = match op {
                Op::Guard(_) => emit(func, &mut insts, Op::Not, vec![args[0]], Type::Bool, loc),
                Op::OverflowIf => args[0],
                Op::Convert(_) => {
                    let fits = fits(func, &mut insts, args[0], loc);
                    let zero = emit(func, &mut insts, Op::Const(Const::F64(0.0)), vec![], Type::F64, loc);
                    func.insts[inst].args[0] =
                        emit(func, &mut insts, Op::Select, vec![fits, args[0], zero], Type::F64, loc);
                    emit(func, &mut insts, Op::Not, vec![fits], Type::Bool, loc)
                }
                Op::Num2(op) => {
                    let (check, wrap) = match op {
                        Num2::Add => (Overflow2::Add, Wrap2::Add),
                        Num2::Sub => (Overflow2::Sub, Wrap2::Sub),
                        _ => (Overflow2::Mul, Wrap2::Mul),
                    };
                    func.insts[inst].op = Op::Wrap2(wrap);
                    emit(func, &mut insts, Op::Overflow2(check), args, Type::Bool, loc)
                }
                _ => unreachable!("it cannot wait"),
            };
            failed = emit(func, &mut insts, Op::Bit2(Bit2::Or), vec![failed, bad], Type::Bool, loc);
            if stays {
                insts.push(inst);
            }
        }
        func.blocks[block].insts = insts;
        failed
    }

    /// Looks on an edge whether something has failed.
    fn look(&self, func: &mut Function, edge: Edge, failed: Value) {
        let check = func.make_inst(Op::OverflowIf, vec![failed], &[], None);
        let onward = edge.jump(func).clone();
        let block = BlockData { insts: vec![check], term: Terminator::Jump(onward), ..BlockData::default() };
        let block = func.blocks.push(block);
        *edge.jump_mut(func) = Jump { target: block, args: Vec::new() };
    }

    /// Makes a loop around the one that counts, which begins it for one piece after the other.
    fn cut(&self, func: &mut Function, position: usize, limit: Value, step: i64, end: Edge) {
        let state = func.blocks[self.header].params.clone();
        let types = func.types_of(&state);
        let outer = func.blocks.push(BlockData::default());
        let outside: Vec<Value> = types.iter().map(|&ty| func.append_param(outer, ty)).collect();
        for &entry in &self.entries {
            entry.jump_mut(func).target = outer;
        }
        let mut insts = Vec::new();
        let counter = outside[position];
        let mut make = |func: &mut Function, op, args, ty| emit(func, &mut insts, op, args, ty, None);
        let many = make(func, Op::Const(Const::I64(PIECE * step)), vec![], Type::I64);
        let before = make(func, Op::Wrap2(Wrap2::Sub), vec![limit, many], Type::I64);
        let wraps = make(func, Op::Overflow2(Overflow2::Sub), vec![limit, many], Type::Bool);
        let holds = make(func, Op::Not, vec![wraps], Type::Bool);
        let is_far = make(func, Op::Cmp(Cmp::Lt), vec![counter, before], Type::Bool);
        let is_far = make(func, Op::Bit2(Bit2::And), vec![is_far, holds], Type::Bool);
        let next = make(func, Op::Wrap2(Wrap2::Add), vec![counter, many], Type::I64);
        let stop = make(func, Op::Select, vec![is_far, next, limit], Type::I64);
        func.blocks[outer].insts = insts;
        func.blocks[outer].term = Terminator::Jump(Jump { target: self.header, args: outside });

        // The inner loop goes on to the end of the piece.
        let goes_on = func.make_inst(Op::Cmp(Cmp::Lt), vec![state[position], stop], &[Type::Bool], None);
        func.blocks[self.header].insts.push(goes_on);
        let goes_on = func.insts[goes_on].results[0];
        if let Terminator::Branch { cond, .. } = &mut func.blocks[self.header].term {
            *cond = goes_on;
        }
        // Behind the end of a piece stands the check, and behind that the question whether there is another one.
        let behind = end.jump(func).target;
        let more = func.make_inst(Op::Cmp(Cmp::Lt), vec![state[position], limit], &[Type::Bool], None);
        func.blocks[behind].insts.push(more);
        let more = func.insts[more].results[0];
        let Terminator::Jump(onward) = func.blocks[behind].term.clone() else { unreachable!("it was made so") };
        let again = Jump { target: outer, args: state };
        func.blocks[behind].term = Terminator::Branch { cond: more, then: again, other: onward };
    }
}

/// Whether a condition depends on comparisons of doubles alone.
fn is_of_doubles(func: &Function, cond: Value, depth: u32) -> bool {
    let Some((op, args)) = func.definition(cond) else { return false };
    match op {
        Op::Const(_) => true,
        Op::Cmp(_) => func.ty(args[0]) == Type::F64,
        Op::Not | Op::Bit2(_) | Op::Select => depth > 0 && args.iter().all(|&arg| is_of_doubles(func, arg, depth - 1)),
        _ => false,
    }
}

/// The number of which a condition says that it is finite.
fn finite(func: &Function, cond: Value) -> Option<Value> {
    let (size, limit) = binary(func, cond, Op::Cmp(Cmp::Lt))?;
    let is_infinity = func.as_const(limit) == Some(Const::F64(f64::INFINITY));
    unary(func, size, Op::Num1(Num1::Abs)).filter(|_| is_infinity)
}

/// Whether the result of an op is whole.
const fn rounds(op: Op) -> bool {
    matches!(op, Op::Real1(Real1::Floor | Real1::Ceil | Real1::Trunc | Real1::RoundEven))
}
