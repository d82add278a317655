//! Multiplies up what a step of a loop does to a cotangent, before that cotangent is there.
//!
//! Backwards through a loop, each step waits for the cotangents of the step before: a chain of products and sums, each of
//! which takes its latency. But a step is linear in them, mostly. So what it gives is a sum of cotangents that come in,
//! each times a factor, and the factors wait for nothing: what remains of the chain is a product and a sum. That is the
//! preaccumulation of a local Jacobian (Griewank and Walther, *Evaluating Derivatives*, chapter 10).
//!
//! It changes in which order things are multiplied, and so the last bits: it belongs to what a gradient is, and is done
//! wherever it shortens the chain, by a count that knows nothing of the machine. What is not linear stays as it is, and
//! what it gives is a cotangent that comes in for what follows. A share that is 0 where nothing depends on it stays so.

use std::collections::HashMap;

use crate::entity::{Block, Inst, Loc, Value};
use crate::ir::{Def, Function};
use crate::op::{Bit2, Cmp, Const, Num1, Num2, Op, Real2};
use crate::set::{EntityMap, EntitySet};
use crate::types::Type;

use super::Cx;
use crate::ad::variables::Region;

/// A step is rewritten if the chain gets shorter by so many cycles,
const WORTH: u32 = 4;
/// and if it has at most so many times the instructions.
const MORE: usize = 2;

impl Cx<'_> {
    /// Shortens the chains through the loops of the way back.
    pub(super) fn preaccumulate(&mut self) {
        let in_loop = |block: &Block| matches!(self.vars.regions[*block], Region::Backward(at) if self.loops.innermost(at).is_some());
        let blocks: Vec<Block> = self.func.blocks.keys().filter(in_loop).collect();
        if blocks.is_empty() {
            return;
        }
        let (nothing, shared) = (nothing(&self.func, self.nothing), shared(&self.func));
        let cotangents: EntitySet<Value> = self.vars.cotangents().filter(|&it| !nothing.contains(it)).collect();
        let mut becomes = HashMap::new();
        for block in blocks {
            becomes.extend(Step::new(&mut self.func, &cotangents, &nothing).rewrite(block, &shared));
        }
        replace(&mut self.func, &becomes);
    }
}

/// The values that are always -0.0, which adds nothing.
fn nothing(func: &Function, constant: Value) -> EntitySet<Value> {
    let mut passed: EntityMap<Value, Vec<Value>> = EntityMap::default();
    for jump in func.blocks.values().flat_map(|block| block.term.jumps()) {
        for (&param, &arg) in func.blocks[jump.target].params.iter().zip(&jump.args) {
            passed[param].push(arg);
        }
    }
    let mut found: EntitySet<Value> = [constant].into_iter().collect();
    let mut is_done = false;
    while !is_done {
        is_done = true;
        for &param in func.blocks.values().flat_map(|block| &block.params) {
            let args = &passed[param];
            if !args.is_empty() && args.iter().all(|&arg| found.contains(arg)) {
                is_done &= !found.insert(param);
            }
        }
    }
    found
}

/// The results that are used behind their block, or where it ends.
fn shared(func: &Function) -> EntitySet<Value> {
    let mut homes: HashMap<Value, Block> = HashMap::new();
    for (block, data) in func.blocks.iter() {
        homes.extend(data.insts.iter().flat_map(|&inst| &func.insts[inst].results).map(|&it| (it, block)));
    }
    let mut shared = EntitySet::new();
    for (block, data) in func.blocks.iter() {
        let args = data.insts.iter().flat_map(|&inst| func.insts[inst].args.iter().copied());
        let behind = args.filter(|arg| homes.get(arg).is_some_and(|&home| home != block));
        behind.chain(data.term.uses()).for_each(|it| _ = shared.insert(it));
    }
    shared
}

/// Puts values in the place of others.
fn replace(func: &mut Function, becomes: &HashMap<Value, Value>) {
    let change = |value: &mut Value| {
        while let Some(&other) = becomes.get(value) {
            *value = other;
        }
    };
    for block in func.blocks.values_mut() {
        block.insts.iter().for_each(|&inst| func.insts[inst].args.iter_mut().for_each(change));
        block.term.for_each_use_mut(change);
    }
}

/// How many cycles a result takes, about.
const fn latency(op: Op) -> u32 {
    match op {
        Op::Num1(_) | Op::Select | Op::Bit2(_) | Op::Not => 1,
        Op::Real2(Real2::Div) => 13,
        _ => 4,
    }
}

/// A sum of cotangents, each times a factor, or just itself.
type Sum = Vec<(Value, Option<Value>)>;

/// The parts of a sum that is kept apart at most.
const MOST_PARTS: usize = 4;

/// A block of the way back in a loop.
struct Step<'a> {
    func: &'a mut Function,
    cotangents: &'a EntitySet<Value>,
    nothing: &'a EntitySet<Value>,
    /// What it becomes.
    insts: Vec<Inst>,
    sums: HashMap<Value, Sum>,
    /// What stands for a value that is no longer computed.
    becomes: HashMap<Value, Value>,
}

impl Step<'_> {
    fn new<'a>(func: &'a mut Function, cotangents: &'a EntitySet<Value>, nothing: &'a EntitySet<Value>) -> Step<'a> {
        Step { func, cotangents, nothing, insts: Vec::new(), sums: HashMap::new(), becomes: HashMap::new() }
    }

    /// Rewrites a block if that pays. Gives what stands for values that are used elsewhere.
    fn rewrite(mut self, block: Block, shared: &EntitySet<Value>) -> HashMap<Value, Value> {
        let before = self.func.blocks[block].insts.clone();
        let results = before.iter().flat_map(|&inst| &self.func.insts[inst].results).copied();
        let outputs: Vec<Value> = results.filter(|&it| shared.contains(it)).collect();
        for &inst in &before {
            if !self.is_put_off(inst) {
                self.keep(inst);
            }
        }
        outputs.iter().for_each(|&output| self.materialise(output));
        let ends: Vec<Value> = outputs.iter().map(|&it| self.now(it)).collect();
        self.drop_unused(&before, &ends);
        let is_short = self.wait(&self.insts, &ends) + WORTH <= self.wait(&before, &outputs);
        if !is_short || self.work(&self.insts) > self.work(&before) * MORE {
            return HashMap::new();
        }
        self.func.blocks[block].insts = self.insts;
        self.becomes
    }

    /// What stands for a value.
    fn now(&self, value: Value) -> Value {
        self.becomes.get(&value).copied().unwrap_or(value)
    }

    /// The sum that a value is, if it depends on cotangents.
    fn sum(&self, value: Value) -> Option<Sum> {
        let is_one = self.cotangents.contains(value) && self.func.as_const(value).is_none();
        let alone = || is_one.then(|| vec![(value, None)]);
        self.sums.get(&value).cloned().or_else(alone)
    }

    /// Whether an instruction is linear, and so need not be carried out before somebody asks for its result.
    fn is_put_off(&mut self, inst: Inst) -> bool {
        let data = self.func.insts[inst].clone();
        let [result] = data.results[..] else { return false };
        let sums: Vec<Option<Sum>> = data.args.iter().map(|&arg| self.sum(arg)).collect();
        let sum = match (data.op, &sums[..], &data.args[..]) {
            (Op::Cmp(Cmp::Eq), [Some(sum), None], &[_, zero]) => return self.compare(sum, result, zero, data.loc),
            _ if self.func.ty(result) != Type::F64 => return false,
            (Op::Num1(Num1::Neg), [Some(sum)], _) => self.negated(sum, data.loc),
            (Op::Num2(Num2::Add), [Some(one), Some(other)], _) => self.added(one, other, Num2::Add, data.loc),
            (Op::Num2(Num2::Add), [Some(sum), None], &[_, other])
            | (Op::Num2(Num2::Add), [None, Some(sum)], &[other, _])
                if self.nothing.contains(other) =>
            {
                sum.clone()
            }
            (Op::Num2(Num2::Sub), [Some(one), Some(other)], _) => self.added(one, other, Num2::Sub, data.loc),
            (Op::Num2(Num2::Mul), [Some(sum), None], &[_, by]) | (Op::Num2(Num2::Mul), [None, Some(sum)], &[by, _]) => {
                self.times(sum, by, data.loc)
            }
            (Op::Real2(Real2::Div), [Some(sum), None], &[_, by]) => self.over(sum, by, data.loc),
            _ => return false,
        };
        let is_small = sum.len() <= MOST_PARTS;
        if is_small {
            self.sums.insert(result, sum);
        }
        is_small
    }

    /// Carries an instruction out with what stands for its operands. What it gives of cotangents is one that comes in.
    fn keep(&mut self, inst: Inst) {
        let args = self.func.insts[inst].args.clone();
        let depends = args.iter().any(|&arg| self.sum(arg).is_some());
        args.into_iter().for_each(|arg| self.materialise(arg));
        if depends {
            let results = self.func.insts[inst].results.clone();
            let floats = results.into_iter().filter(|&it| self.func.ty(it) == Type::F64);
            floats.for_each(|it| _ = self.sums.insert(it, vec![(it, None)]));
        }
        self.insts.push(inst);
    }

    /// `sum == 0`, of one product: one of its factors is.
    fn compare(&mut self, sum: &Sum, result: Value, zero: Value, loc: Option<Loc>) -> bool {
        let (&[(cotangent, Some(factor))], Some(Const::F64(0.0))) = (&sum[..], self.func.as_const(zero)) else {
            return false;
        };
        let [one, other] = [cotangent, factor].map(|it| self.make(Op::Cmp(Cmp::Eq), vec![it, zero], Type::Bool, loc));
        let either = self.make(Op::Bit2(Bit2::Or), vec![one, other], Type::Bool, loc);
        self.becomes.insert(result, either);
        true
    }

    fn negated(&mut self, sum: &Sum, loc: Option<Loc>) -> Sum {
        let mut negate = |factor| match factor {
            Some(factor) => self.float(Op::Num1(Num1::Neg), vec![factor], loc),
            None => self.lit(-1.0, loc),
        };
        sum.iter().map(|&(cotangent, factor)| (cotangent, Some(negate(factor)))).collect()
    }

    fn times(&mut self, sum: &Sum, by: Value, loc: Option<Loc>) -> Sum {
        let mut scale = |factor| match factor {
            Some(factor) => self.float(Op::Num2(Num2::Mul), vec![factor, by], loc),
            None => by,
        };
        sum.iter().map(|&(cotangent, factor)| (cotangent, Some(scale(factor)))).collect()
    }

    fn over(&mut self, sum: &Sum, by: Value, loc: Option<Loc>) -> Sum {
        let mut scale = |factor: Option<Value>| {
            let factor = factor.unwrap_or_else(|| self.lit(1.0, loc));
            self.float(Op::Real2(Real2::Div), vec![factor, by], loc)
        };
        sum.iter().map(|&(cotangent, factor)| (cotangent, Some(scale(factor)))).collect()
    }

    /// The sum of two sums, or their difference.
    fn added(&mut self, one: &Sum, other: &Sum, op: Num2, loc: Option<Loc>) -> Sum {
        let mut sum = one.clone();
        for &(cotangent, factor) in other {
            let Some(place) = sum.iter().position(|it| it.0 == cotangent) else {
                let new = vec![(cotangent, factor)];
                sum.extend(if op == Num2::Sub { self.negated(&new, loc) } else { new });
                continue;
            };
            let factors = [sum[place].1, factor].map(|it| it.unwrap_or_else(|| self.lit(1.0, loc)));
            sum[place].1 = Some(self.float(Op::Num2(op), factors.into(), loc));
        }
        sum
    }

    /// Computes what was put off. What waits for a product comes before what is only added.
    fn materialise(&mut self, value: Value) {
        let Some(sum) = self.sums.get(&value).filter(|_| !self.becomes.contains_key(&value)).cloned() else { return };
        let Def::Result(inst, _) = self.func.values[value].def else { return };
        let loc = self.func.insts[inst].loc;
        let (products, plain): (Sum, Sum) = sum.into_iter().partition(|it| it.1.is_some());
        let mut total = None;
        for (cotangent, factor) in products.into_iter().chain(plain) {
            let part = match factor {
                Some(factor) => self.float(Op::Num2(Num2::Mul), vec![cotangent, factor], loc),
                None => cotangent,
            };
            total = Some(total.map_or(part, |it| self.float(Op::Num2(Num2::Add), vec![it, part], loc)));
        }
        let total = total.expect("a sum has parts");
        if total != value {
            self.becomes.insert(value, total);
        }
    }

    fn lit(&mut self, value: f64, loc: Option<Loc>) -> Value {
        self.float(Op::Const(Const::F64(value)), Vec::new(), loc)
    }

    fn float(&mut self, op: Op, args: Vec<Value>, loc: Option<Loc>) -> Value {
        self.make(op, args, Type::F64, loc)
    }

    fn make(&mut self, op: Op, args: Vec<Value>, ty: Type, loc: Option<Loc>) -> Value {
        let (inst, value) = self.func.make_value(op, args, ty, loc);
        self.insts.push(inst);
        value
    }

    /// Takes out the factors that nobody has asked for.
    fn drop_unused(&mut self, before: &[Inst], ends: &[Value]) {
        let mut used: EntitySet<Value> = ends.iter().copied().collect();
        let before: EntitySet<Inst> = before.iter().copied().collect();
        let mut kept = Vec::with_capacity(self.insts.len());
        for &inst in self.insts.iter().rev() {
            let data = &self.func.insts[inst];
            if before.contains(inst) || data.results.iter().any(|&it| used.contains(it)) {
                data.args.iter().for_each(|&arg| _ = used.insert(self.now(arg)));
                kept.push(inst);
            }
        }
        kept.reverse();
        self.insts = kept;
    }

    /// How many cycles it takes at least from the cotangents that come in to the last of what is given.
    fn wait(&self, insts: &[Inst], ends: &[Value]) -> u32 {
        let mut ready: HashMap<Value, u32> = HashMap::new();
        for &inst in insts {
            let data = &self.func.insts[inst];
            let at = |arg: &Value| match ready.get(arg) {
                None => self.cotangents.contains(*arg).then_some(0),
                known => known.copied(),
            };
            if let Some(start) = data.args.iter().filter_map(|&arg| at(&self.now(arg)).or_else(|| at(&arg))).max() {
                data.results.iter().for_each(|&it| _ = ready.insert(it, start + latency(data.op)));
            }
        }
        ends.iter().filter_map(|it| ready.get(it)).copied().max().unwrap_or(0)
    }

    /// How much there is to compute.
    fn work(&self, insts: &[Inst]) -> usize {
        insts.iter().filter(|&&inst| !matches!(self.func.insts[inst].op, Op::Const(_))).count()
    }
}
