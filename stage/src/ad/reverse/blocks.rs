//! The blocks of the way back: one for each block that leads to an end, turning round at the ends, and how loops are
//! entered backwards.

use crate::analysis::{Edge, LoopId};
use crate::entity::{Block, Value};
use crate::ir::{BlockData, Jump, Terminator};
use crate::op::{Const, Op, Wrap2};
use crate::types::Type;

use super::memory::shadow_type;
use super::{Cx, Decision, Hub, active_results, value_params};
use crate::ad::variables::{Region, Var};

impl Cx<'_> {
    /// Makes a block for the way back through each block, and turns round at the ends.
    pub(super) fn mirror(&mut self) {
        let order = self.flow.cfg.order().to_vec();
        for &block in &order {
            let preds = self.flow.cfg.preds(block).to_vec();
            self.vars.expected[block] = preds.len();
            self.vars.preds[block] = preds;
        }
        for &block in &order {
            if self.flow.on_path[block] && self.skipped[block].is_none() {
                let back = self.func.blocks.push(BlockData::default());
                self.back[block] = Some(back);
                self.vars.regions[back] = Region::Backward(block);
                let jumps = self.func.blocks[block].term.jumps().map(|jump| jump.target);
                let arriving = jumps.filter(|&target| self.flow.on_path[target]).map(|target| self.ways_in(target));
                self.vars.expected[back] = arriving.sum();
            }
        }
        if self.split {
            self.turn_cut()
        } else {
            self.turn()
        }
        if self.loops.irreducible().is_empty() {
            self.count_loops();
            self.make_hubs();
        }
    }

    /// How many jumps the way back makes to the predecessor of this block: one, or as many as there are ways out of a
    /// loop that is skipped.
    pub(super) fn ways_in(&self, target: Block) -> usize {
        match self.skipped[target] {
            None => 1,
            Some(id) => {
                let exits = &self.loops.data(id).exits;
                exits.iter().filter(|edge| self.flow.on_path[edge.jump(&self.func).target]).count()
            }
        }
    }

    pub(super) fn turn(&mut self) {
        self.zero = self.at_entry(Op::Const(Const::F64(0.0)), Type::F64);
        self.nothing = self.at_entry(Op::Const(Const::F64(-0.0)), Type::F64);
        self.none = self.at_entry(Op::Const(Const::I64(0)), Type::I64);
        for (block, _) in self.ends.clone() {
            let back = self.back[block].expect("an end is no part of a loop");
            self.func.blocks[block].term = Terminator::Jump(Jump { target: back, args: Vec::new() });
            self.vars.expected[back] = 1;
            self.vars.link(&self.func, block);
        }
    }

    /// The block at which the function is cut: what the way back is given are its parameters.
    pub(super) fn turn_cut(&mut self) {
        let (end, _) = self.ends[0];
        let turn = self.func.blocks.push(BlockData::default());
        let original = &self.module.funcs[self.id];
        let results = active_results(original, self.id, self.activity);
        let types: Vec<Type> = results.into_iter().map(|it| original.results[it]).collect();
        let mut args = Vec::new();
        for ty in types.repeat(self.lanes) {
            let (inst, zero) = self.make_zero(ty);
            self.func.blocks[end].insts.push(inst);
            self.seeds.push(self.func.append_param(turn, ty));
            args.push(zero);
        }
        for param in self.memory_params() {
            for lane in 0..self.lanes {
                args.push(self.shadows[&(param, lane)]);
                let ty = shadow_type(self.func.ty(param));
                self.back_shadows.insert((param, lane), self.func.append_param(turn, ty));
            }
        }
        let params: Vec<Value> = value_params(original, self.id, self.activity).collect();
        for ty in self.func.types_of(&params).repeat(self.lanes) {
            let (inst, zero) = self.make_zero(ty);
            self.func.blocks[end].insts.push(inst);
            self.so_far.push(self.func.append_param(turn, ty));
            args.push(zero);
        }
        for &reel in &self.helpers.reels {
            args.push(self.reel(reel));
            self.back_reels.insert(reel, self.func.append_param(turn, reel.ty()));
        }
        let (zero_inst, zero) = self.func.make_const(Const::F64(0.0), None);
        let (nothing_inst, nothing) = self.func.make_const(Const::F64(-0.0), None);
        let (none_inst, none) = self.func.make_const(Const::I64(0), None);
        self.func.blocks[turn].insts.extend([zero_inst, nothing_inst, none_inst]);
        (self.zero, self.nothing, self.none) = (zero, nothing, none);
        let back = self.back[end].expect("an end is no part of a loop");
        self.func.blocks[turn].term = Terminator::Jump(Jump { target: back, args: Vec::new() });
        self.func.blocks[end].term = Terminator::Jump(Jump { target: turn, args });
        self.vars.expected[back] = 1;
        for block in [end, turn] {
            self.vars.link(&self.func, block);
        }
        self.turn = Some((end, turn));
    }

    /// Loops count how often they go round.
    pub(super) fn count_loops(&mut self) {
        for id in self.loops.inner_first() {
            let (header, latch) = (self.loops.data(id).header, self.loops.data(id).latches[0]);
            if self.back[header].is_none() {
                continue;
            }
            let entering = *self.flow.cfg.preds(header).iter().find(|&&edge| edge != latch).expect("a loop is entered");
            let count = self.func.append_param(header, Type::I64);
            let none = self.at_entry(Op::Const(Const::I64(0)), Type::I64);
            entering.jump_mut(&mut self.func).args.push(none);
            let (one_inst, one) = self.func.make_const(Const::I64(1), None);
            let (next_inst, next) = self.func.make_value(Op::Wrap2(Wrap2::Add), vec![count, one], Type::I64, None);
            self.func.blocks[latch.from].insts.extend([one_inst, next_inst]);
            for inst in [one_inst, next_inst] {
                self.homes[inst] = latch.from;
            }
            latch.jump_mut(&mut self.func).args.push(next);
            let first = self.flow.cfg.position(header).expect("a loop can be reached");
            let var = self.vars.carried(Type::I64, first, self.none);
            self.vars.write(var, header, count);
            self.counts.insert(id, var);
            self.count_values.insert(id, count);
        }
    }

    /// A loop that is left in several places has several ways in when it is walked backwards, and would be no loop.
    pub(super) fn make_hubs(&mut self) {
        for id in self.loops.inner_first().filter(|id| self.counts.contains_key(id)).collect::<Vec<_>>() {
            let leaves = |edge: &&Edge| self.flow.on_path[edge.jump(&self.module.funcs[self.id]).target];
            let exits: Vec<Edge> = self.loops.data(id).exits.iter().filter(leaves).copied().collect();
            let simple = exits.iter().all(|it| it.from == exits[0].from && self.loops.innermost(it.from) == Some(id));
            if simple {
                continue;
            }
            let block = self.func.blocks.push(BlockData::default());
            self.vars.regions[block] = Region::Hub;
            self.vars.expected[block] = exits.len() + 1;
            let first = self.flow.cfg.order().len();
            let which = self.vars.carried(Type::I64, first, self.none);
            self.hubs.insert(id, Hub { block, which, exits });
        }
        for id in self.loops.inner_first().filter(|id| self.hubs.contains_key(id)).collect::<Vec<_>>() {
            let Hub { block, which, ref exits } = self.hubs[&id];
            let exits = exits.clone();
            self.block = block;
            let which = self.vars.read(which, block, &mut self.func, &self.flow);
            for (index, edge) in exits.into_iter().enumerate() {
                let is = self.is_edge(which, index);
                let [then, other] = [(); 2].map(|()| self.func.blocks.push(BlockData::default()));
                for block in [then, other] {
                    self.vars.regions[block] = Region::Hub;
                    self.vars.expected[block] = 1;
                }
                let jump = |target| Jump { target, args: Vec::new() };
                self.end_with(Terminator::Branch { cond: is, then: jump(then), other: jump(other) });
                self.block = then;
                self.enter(edge, Some(id));
                self.block = other;
            }
            let latch = self.loops.data(id).latches[0];
            let target = self.back[latch.from].expect("a loop is gone through backwards");
            self.end_with(Terminator::Jump(Jump { target, args: Vec::new() }));
        }
    }

    /// Enters the loops that an edge leaves, inside the one that has been entered, up to where it comes from.
    pub(super) fn enter(&mut self, edge: Edge, inside: Option<LoopId>) {
        let target = edge.jump(&self.module.funcs[self.id]).target;
        let mut next = None;
        let mut at = self.loops.innermost(edge.from);
        while let Some(id) = at.filter(|&id| Some(id) != inside && !self.loops.contains(id, target)) {
            next = self.hubs.contains_key(&id).then_some(id).or(next);
            at = self.loops.data(id).parent;
        }
        let target = match next {
            Some(id) => {
                let Hub { block, which, ref exits } = self.hubs[&id];
                let index = exits.iter().position(|it| *it == edge).expect("it is a way out");
                self.choose_way(which, index);
                block
            }
            None => self.back[self.source(edge)].expect("the way back goes through all that led here"),
        };
        self.end_with(Terminator::Jump(Jump { target, args: Vec::new() }));
    }

    /// Where an edge comes from; for one out of a loop that is skipped, from before the loop.
    pub(super) fn source(&self, edge: Edge) -> Block {
        let Some(id) = self.skipped[edge.from] else { return edge.from };
        let data = self.loops.data(id);
        let mut preds = self.flow.cfg.preds(data.header).iter();
        preds.find(|edge| !data.latches.contains(edge)).expect("a loop is entered").from
    }

    pub(super) fn choose_way(&mut self, which: Var, index: usize) {
        let index = self.value(Op::Const(Const::I64(index as i64)), &[]);
        self.vars.write(which, self.block, index);
    }

    /// The loops that are left by an edge and counted, the innermost first.
    pub(super) fn left_by(&self, edge: Edge, target: Block) -> Vec<LoopId> {
        let mut left = Vec::new();
        let mut at = self.loops.innermost(edge.from);
        while let Some(id) = at {
            if self.loops.contains(id, target) {
                break;
            }
            if self.counts.contains_key(&id) {
                left.push(id);
            }
            at = self.loops.data(id).parent;
        }
        left
    }

    /// Whether a block may be reached more than once.
    pub(super) fn is_repeated(&self, block: Block) -> bool {
        self.split || self.loops.innermost(block).is_some() || !self.loops.irreducible().is_empty()
    }

    pub(super) fn decision(&self, block: Block) -> Decision {
        let preds = self.flow.cfg.preds(block);
        match *preds {
            [] => return Decision::Entry,
            [edge] => return Decision::Only(edge),
            _ => {}
        }
        if let Some(id) = self.loops.innermost(block).filter(|id| self.counts.contains_key(id))
            && self.loops.data(id).header == block
            && let [a, b] = *preds
        {
            let latch = self.loops.data(id).latches[0];
            return Decision::Count(id, if a == latch { [b, a] } else { [a, b] });
        }
        if let ([a, b], Some(above)) = (preds, self.flow.doms.parent(block))
            && let Terminator::Branch { cond, then, other } = &self.func.blocks[above].term
            && then.target != other.target
        {
            let leads = |to: Block, edge: &Edge| self.flow.doms.dominates(to, edge.from);
            if leads(then.target, a) && leads(other.target, b) {
                return Decision::Condition(*cond, [*a, *b]);
            }
            if leads(then.target, b) && leads(other.target, a) {
                return Decision::Condition(*cond, [*b, *a]);
            }
        }
        Decision::Edges(preds.to_vec())
    }
}
