//! What integers and truth values can be, by interval, wherever control flow tells.
//!
//! Each value has an interval that holds wherever it is defined, found by interpreting the function on
//! intervals until nothing changes. On top of that, a walk down the dominator tree keeps what branches and
//! guards on the way have established: behind `i < n`, `i` is at most one less than the largest `n`, which
//! is why `i + 1` cannot overflow there, whatever `n` is. It also keeps in which orders two values can
//! still be, so that a condition that follows from one before it is decided although neither is known.
//!
//! Around loops intervals widen to a few round limits instead of growing one step at a time, and are then
//! narrowed twice, so that the work is linear in the size of the function for each level of nesting.

mod eval;
mod facts;
mod interval;

use crate::analysis::{Cfg, Dominators, Edge};
use crate::entity::{Block, Inst, Value};
use crate::ir::{Function, Terminator};
use crate::op::{Bit2, Cmp, Op, Overflow2};
use crate::set::{EntityMap, EntitySet};
use crate::types::Type;
use eval::{Arith, arith, fits};
use facts::Facts;

pub use interval::Interval;

/// The intervals of a function.
pub struct Ranges {
    base: EntityMap<Value, Interval>,
    reached: EntitySet<Block>,
}

/// What is known at one place of a function.
pub struct Here<'a> {
    func: &'a Function,
    base: &'a EntityMap<Value, Interval>,
    facts: &'a mut Facts,
}

/// A bound on the rounds until nothing changes; deeper nesting than this is not followed.
const ROUNDS: usize = 24;
/// How often what widened is made as narrow as what comes in.
const NARROWINGS: usize = 2;

/// What a round does with what an edge brings for a parameter.
enum Mode {
    /// The parameter grows; by more than that if its block was visited before.
    Grow,
    /// It is collected.
    Collect(EntityMap<Value, Interval>),
    /// Nothing: the parameters are final.
    Look,
}

impl Ranges {
    /// The intervals of a function.
    pub fn of(func: &Function, cfg: &Cfg, doms: &Dominators) -> Self {
        let mut it = Self { base: EntityMap::with_len(Interval::EMPTY, func.values.len()), reached: EntitySet::new() };
        for &param in func.params() {
            it.base[param] = Interval::of_type(func.ty(param));
        }
        it.reached.insert(func.entry());
        let stable = (0..ROUNDS).any(|_| !it.round(func, cfg, doms, &mut Mode::Grow, &mut |_, _, _| {}));
        if !stable {
            it.give_up(func, cfg);
            return it;
        }
        for _ in 0..NARROWINGS {
            let mut mode = Mode::Collect(EntityMap::with_len(Interval::EMPTY, func.values.len()));
            it.round(func, cfg, doms, &mut mode, &mut |_, _, _| {});
            let Mode::Collect(incoming) = mode else { unreachable!("a round keeps its mode") };
            for &block in &cfg.order()[1..] {
                for &param in &func.blocks[block].params {
                    it.base[param] = it.base[param].and(incoming[param]);
                }
            }
        }
        it
    }

    /// Visits each instruction, and with `None` the end of each block, with what is known just before it.
    /// Places that are never reached are left out.
    pub fn visit(
        &mut self,
        func: &Function,
        cfg: &Cfg,
        doms: &Dominators,
        mut visit: impl FnMut(&mut Here<'_>, Block, Option<Inst>),
    ) {
        self.round(func, cfg, doms, &mut Mode::Look, &mut visit);
    }

    /// Nothing is known of any parameter but its type.
    fn give_up(&mut self, func: &Function, cfg: &Cfg) {
        for &block in cfg.order() {
            self.reached.insert(block);
            for &param in &func.blocks[block].params {
                self.base[param] = Interval::of_type(func.ty(param));
            }
        }
    }

    /// Interprets the function once. Whether another round could find more.
    fn round(
        &mut self,
        func: &Function,
        cfg: &Cfg,
        doms: &Dominators,
        mode: &mut Mode,
        visit: &mut dyn FnMut(&mut Here<'_>, Block, Option<Inst>),
    ) -> bool {
        let mut facts = Facts::new();
        let mut marks = Vec::new();
        let mut visited = EntitySet::new();
        let mut again = false;
        doms.walk(func.entry(), |block, enter| {
            if !enter {
                facts.back_to(marks.pop().expect("pushed on entering"));
                return;
            }
            marks.push(facts.mark());
            visited.insert(block);
            if self.reached.contains(block) {
                self.enter(func, cfg, doms, block, &mut facts);
                if self.block(func, block, &mut facts, visit) {
                    again |= self.leave(func, block, &mut facts, &visited, mode);
                }
            }
        });
        again
    }

    /// What the only way into a block, or into the loop that it heads, has established.
    fn enter(&self, func: &Function, cfg: &Cfg, doms: &Dominators, block: Block, facts: &mut Facts) {
        let mut entries = cfg.preds(block).iter().filter(|edge| !doms.dominates(block, edge.from));
        if let (Some(&Edge { from, slot }), None) = (entries.next(), entries.next())
            && let Terminator::Branch { cond, .. } = &func.blocks[from].term
        {
            Here { func, base: &self.base, facts }.assume(*cond, slot == 0);
        }
    }

    /// Interprets the instructions of a block. Whether its end is reached.
    fn block(
        &mut self,
        func: &Function,
        block: Block,
        facts: &mut Facts,
        visit: &mut dyn FnMut(&mut Here<'_>, Block, Option<Inst>),
    ) -> bool {
        for &inst in &func.blocks[block].insts {
            let mut here = Here { func, base: &self.base, facts };
            visit(&mut here, block, Some(inst));
            let data = &func.insts[inst];
            let goes_on = match data.op {
                Op::Guard(_) => here.assume(data.args[0], true),
                Op::OverflowIf => here.assume(data.args[0], false),
                _ => true,
            };
            if !goes_on {
                return false;
            }
            let interval = here.evaluate(inst);
            for &result in &data.results {
                // Of several results of a call nothing is known but their types.
                let interval = if data.results.len() > 1 { Interval::FULL } else { interval };
                let interval = interval.and(Interval::of_type(func.ty(result)));
                if interval.is_empty() {
                    return false;
                }
                self.base[result] = interval;
            }
        }
        visit(&mut Here { func, base: &self.base, facts }, block, None);
        true
    }

    /// Follows the edges out of a block. Whether a block that was visited before could find more.
    fn leave(
        &mut self,
        func: &Function,
        block: Block,
        facts: &mut Facts,
        visited: &EntitySet<Block>,
        mode: &mut Mode,
    ) -> bool {
        let mut again = false;
        let term = &func.blocks[block].term;
        for (slot, jump) in term.jumps().enumerate() {
            let mark = facts.mark();
            let taken = match term {
                Terminator::Branch { cond, .. } => Here { func, base: &self.base, facts }.assume(*cond, slot == 0),
                Terminator::None | Terminator::Jump(_) | Terminator::Return(_) | Terminator::Exit(..) => true,
            };
            if taken {
                let is_back = visited.contains(jump.target);
                again |= self.reached.insert(jump.target) && is_back;
                for (&param, &arg) in func.blocks[jump.target].params.iter().zip(&jump.args) {
                    let brought = Here { func, base: &self.base, facts }.of(arg);
                    let before = self.base[param];
                    match mode {
                        Mode::Grow if is_back => self.base[param] = before.widened(brought),
                        Mode::Grow => self.base[param] = before.or(brought),
                        Mode::Collect(incoming) => incoming[param] = incoming[param].or(brought),
                        Mode::Look => {}
                    }
                    again |= is_back && self.base[param] != before;
                }
            }
            facts.back_to(mark);
        }
        again
    }
}

impl Here<'_> {
    /// What a value can be here.
    pub fn of(&self, value: Value) -> Interval {
        self.base[value].and(self.facts.interval(value))
    }

    /// Whether checked arithmetic on these operands cannot overflow here.
    pub fn cannot_overflow(&self, op: Overflow2, x: Value, y: Value) -> bool {
        let op = match op {
            Overflow2::Add => Arith::Add,
            Overflow2::Sub => Arith::Sub,
            Overflow2::Mul => Arith::Mul,
            Overflow2::Pow => return false,
        };
        let (lo, hi) = arith(op, self.of(x), self.of(y));
        fits(lo, hi)
    }

    /// What an instruction gives here, if it gives anything.
    pub fn result(&mut self, inst: Inst) -> Interval {
        self.evaluate(inst)
    }

    /// From here on, a truth value is known. Whether that is possible.
    fn assume(&mut self, cond: Value, truth: bool) -> bool {
        let known = Interval::only(truth.into());
        if self.of(cond).and(known).is_empty() {
            return false;
        }
        self.facts.narrow(cond, known);
        let Some((op, args)) = self.func.definition(cond) else { return true };
        match op {
            Op::Not => self.assume(args[0], !truth),
            Op::Bit2(Bit2::And) if truth => self.assume(args[0], true) && self.assume(args[1], true),
            Op::Bit2(Bit2::Or) if !truth => self.assume(args[0], false) && self.assume(args[1], false),
            Op::Cmp(cmp) if self.func.ty(args[0]) == Type::I64 => {
                let cmp = if truth { cmp } else { cmp.negated() };
                self.compared(cmp, args[0], args[1])
            }
            _ => true,
        }
    }

    fn compared(&mut self, cmp: Cmp, x: Value, y: Value) -> bool {
        let (a, b) = (self.of(x), self.of(y));
        let below = |it: Interval| Interval::new(i64::MIN, it.hi.saturating_sub(1));
        let above = |it: Interval| Interval::new(it.lo.saturating_add(1), i64::MAX);
        let (for_x, for_y) = match cmp {
            Cmp::Eq => (b, a),
            Cmp::Ne => (other_than(a, b), other_than(b, a)),
            Cmp::Lt => (below(b), above(a)),
            Cmp::Le => (Interval::new(i64::MIN, b.hi), Interval::new(a.lo, i64::MAX)),
            Cmp::Gt => (above(b), below(a)),
            Cmp::Ge => (Interval::new(b.lo, i64::MAX), Interval::new(i64::MIN, a.hi)),
        };
        self.facts.narrow(x, for_x);
        self.facts.narrow(y, for_y);
        self.facts.relate(x, y, facts::orders(cmp));
        !self.of(x).is_empty() && !self.of(y).is_empty() && self.facts.orders(x, y) != 0
    }
}

/// An interval without the one integer of another, where that is at one of its ends.
fn other_than(it: Interval, other: Interval) -> Interval {
    match other.single() {
        Some(out) if out == it.lo && out == it.hi => Interval::EMPTY,
        Some(out) if out == it.lo => Interval::new(it.lo + 1, it.hi),
        Some(out) if out == it.hi => Interval::new(it.lo, it.hi - 1),
        Some(_) | None => it,
    }
}
