//! From block to block on the way back: which predecessor it was, and what the function gives at its beginning.

use crate::analysis::{Edge, LoopId};
use crate::entity::{Block, Value};
use crate::ir::{BlockData, Jump, Terminator};
use crate::op::{Cmp, Const, Op, Wrap2};
use crate::types::Type;

use super::{Cx, Decision, Hub, value_params};
use crate::ad::activity::is_value;
use crate::ad::tape::{self, Reel, What};
use crate::ad::variables::Region;

impl Cx<'_> {
    /// Goes on to the predecessors of a block, with the cotangents of its parameters.
    pub(super) fn leave(&mut self, block: Block, brought: &[(usize, usize, Value)]) {
        self.loc = self.func.blocks[block].term_loc;
        "branch".clone_into(&mut self.by);
        match self.decision(block) {
            Decision::Entry => self.finish(),
            Decision::Only(edge) => {
                for id in self.left_by(edge, block).into_iter().rev() {
                    self.pop_count(id, block);
                }
                self.follow(edge, block, brought);
            }
            Decision::Count(id, edges) => {
                let var = self.counts[&id];
                let left = self.vars.read(var, self.block, &mut self.func, &self.flow);
                let [none, one] = [0, 1].map(|it| self.value(Op::Const(Const::I64(it)), &[]));
                let first = self.value(Op::Cmp(Cmp::Eq), &[left, none]);
                let less = self.value(Op::Wrap2(Wrap2::Sub), &[left, one]);
                self.vars.write(var, self.block, less);
                self.choose(first, edges, block, brought);
            }
            Decision::Condition(cond, edges) => {
                let cond = self.number(cond);
                self.choose(cond, edges, block, brought);
            }
            Decision::Edges(edges) => {
                let number = self.edge_number(block, &edges);
                let (first, last) = edges.split_at(edges.len() - 2);
                for (index, &edge) in first.iter().enumerate() {
                    let it = self.is_edge(number, index);
                    let [then, other] = [(); 2].map(|()| self.behind(block));
                    let jump = |target| Jump { target, args: Vec::new() };
                    self.end_with(Terminator::Branch { cond: it, then: jump(then), other: jump(other) });
                    self.block = then;
                    self.follow(edge, block, brought);
                    self.block = other;
                }
                let it = self.is_edge(number, first.len());
                self.choose(it, [last[0], last[1]], block, brought);
            }
        }
    }

    pub(super) fn is_edge(&mut self, number: Value, index: usize) -> Value {
        let index = self.value(Op::Const(Const::I64(index as i64)), &[]);
        self.value(Op::Cmp(Cmp::Eq), &[number, index])
    }

    /// A new block on the way back behind this one.
    pub(super) fn behind(&mut self, block: Block) -> Block {
        let new = self.func.blocks.push(BlockData::default());
        self.vars.regions[new] = Region::Behind(block);
        self.vars.expected[new] = 1;
        new
    }

    pub(super) fn choose(&mut self, cond: Value, edges: [Edge; 2], block: Block, brought: &[(usize, usize, Value)]) {
        let [then, other] = [(); 2].map(|()| self.behind(block));
        let jump = |target| Jump { target, args: Vec::new() };
        self.end_with(Terminator::Branch { cond, then: jump(then), other: jump(other) });
        for (edge, at) in edges.into_iter().zip([then, other]) {
            self.block = at;
            self.follow(edge, block, brought);
        }
    }

    /// Goes on to a predecessor.
    pub(super) fn follow(&mut self, edge: Edge, block: Block, brought: &[(usize, usize, Value)]) {
        let args = self.module.funcs[self.id].blocks[edge.from].term.jumps().nth(edge.slot as usize);
        let args = args.expect("the edge is one of the function").args.clone();
        for &(position, lane, t) in brought {
            self.add_to(args[position], lane, t);
        }
        if let Some(id) = self.loops.innermost(block)
            && let Some(&Hub { block: hub, which, ref exits }) = self.hubs.get(&id)
            && self.loops.data(id).latches[0] == edge
        {
            let next = exits.len();
            self.choose_way(which, next);
            return self.end_with(Terminator::Jump(Jump { target: hub, args: Vec::new() }));
        }
        self.enter(edge, None);
    }

    /// The number of the edge that a block was reached by.
    pub(super) fn edge_number(&mut self, block: Block, edges: &[Edge]) -> Value {
        let repeated = self.is_repeated(block);
        let mut numbers = Vec::new();
        for (index, edge) in edges.iter().enumerate() {
            let (inst, number) = self.func.make_const(Const::I64(index as i64), None);
            self.homes[inst] = edge.from;
            self.edge_tails[edge.from].push(inst);
            numbers.push(number);
        }
        if repeated {
            for (edge, &number) in edges.iter().zip(&numbers) {
                let reel = self.reel(Reel::Ints);
                let pushed = tape::push(&mut self.func, reel, number, None);
                self.edge_tails[edge.from].extend(pushed);
            }
            self.note(What::Edge, self.loc);
            return self.pop_here(Type::I64);
        }
        let position = |edge: &Edge| self.flow.cfg.position(edge.from).expect("a predecessor can be reached");
        let first = edges.iter().map(position).min().expect("there are edges");
        let default = self.default_of(Type::I64);
        let var = self.vars.carried(Type::I64, first, default);
        for (edge, number) in edges.iter().zip(numbers) {
            self.vars.write(var, edge.from, number);
        }
        self.vars.read(var, self.block, &mut self.func, &self.flow)
    }

    pub(super) fn pop_here(&mut self, ty: Type) -> Value {
        let reel = self.back_reel(Reel::of(ty).expect("a number"));
        let (insts, value) = tape::pop(&mut self.func, reel, ty, self.loc);
        self.func.blocks[self.block].insts.extend(insts);
        value
    }

    /// A loop has been left for this block: its count is there again.
    pub(super) fn pop_count(&mut self, id: LoopId, block: Block) {
        if !self.is_repeated(block) {
            return;
        }
        let reel = self.reel(Reel::Ints);
        let pushed = tape::push(&mut self.func, reel, self.count_values[&id], None);
        // Pushed the innermost first, and this is called for the outermost first.
        self.heads[block].splice(0..0, pushed);
        self.note(What::Count, self.loc);
        let count = self.pop_here(Type::I64);
        self.vars.write(self.counts[&id], self.block, count);
    }

    /// At the beginning of the function: gives what it gave, and the derivatives.
    pub(super) fn finish(&mut self) {
        let params = self.module.funcs[self.id].params().to_vec();
        if self.split {
            let params: Vec<Value> = value_params(&self.module.funcs[self.id], self.id, self.activity).collect();
            let mut shares = Vec::new();
            for lane in 0..self.lanes {
                for &param in &params {
                    let ty = self.func.ty(param);
                    shares.push(self.take(param, lane).unwrap_or_else(|| self.zero_of(ty)));
                }
            }
            self.end_with(Terminator::Return(shares));
            return;
        }
        let mut grads = Vec::new();
        for lane in 0..self.lanes {
            for &position in &self.request.wrt {
                let param = params[position];
                let grad = match self.func.ty(param) {
                    ty if is_value(ty) => {
                        let got = self.take(param, lane).unwrap_or_else(|| self.zero_of(ty));
                        self.given(got)
                    }
                    Type::Map(ty) => {
                        let (made, shadow) = (self.entries[&(param, lane)], self.shadows[&(param, lane)]);
                        self.emit(Op::Call(self.helpers.tools.entries(ty).fill, None), &[made, shadow]);
                        made
                    }
                    _ => self.shadows[&(param, lane)],
                };
                grads.push(grad);
            }
        }
        let with_grads = |values: Vec<Value>| [values, grads.clone()].concat();
        let original = &self.module.funcs[self.id];
        let ended = |block: Block| match &original.blocks[block].term {
            Terminator::Return(values) => (None, values.clone()),
            Terminator::Exit(exit, values) => (Some(*exit), values.clone()),
            Terminator::None | Terminator::Jump(_) | Terminator::Branch { .. } => unreachable!("it is an end"),
        };
        let last = |(exit, values)| match exit {
            None => Terminator::Return(values),
            Some(exit) => Terminator::Exit(exit, values),
        };
        if let [(block, _)] = *self.ends {
            let (exit, values) = ended(block);
            self.end_with(last((exit, with_grads(values))));
            return;
        }
        let edges: Vec<Block> = self.ends.iter().map(|&(block, _)| block).collect();
        let ends: Vec<_> = edges.iter().map(|&block| ended(block)).collect();
        let which = self.end_number(&edges);
        for (index, (exit, values)) in ends.into_iter().enumerate() {
            if index + 1 < edges.len() {
                let it = self.is_edge(which, index);
                let [then, other] = [(); 2].map(|()| self.behind(self.at));
                let jump = |target| Jump { target, args: Vec::new() };
                self.end_with(Terminator::Branch { cond: it, then: jump(then), other: jump(other) });
                self.block = then;
                let values = values.into_iter().map(|value| self.at_end(value)).collect();
                self.end_with(last((exit, with_grads(values))));
                self.block = other;
            } else {
                let values = values.into_iter().map(|value| self.at_end(value)).collect();
                self.end_with(last((exit, with_grads(values))));
            }
        }
    }

    /// A value as it was at an end.
    pub(super) fn at_end(&mut self, value: Value) -> Value {
        let def = self.def_of(value);
        if self.ends.iter().all(|&(end, _)| self.flow.doms.dominates(def, end)) {
            value
        } else {
            self.carry(value, def)
        }
    }

    /// Which end it was.
    pub(super) fn end_number(&mut self, ends: &[Block]) -> Value {
        let position = |&block: &Block| self.flow.cfg.position(block).expect("an end can be reached");
        let first = ends.iter().map(position).min().expect("there are ends");
        let default = self.default_of(Type::I64);
        let var = self.vars.carried(Type::I64, first, default);
        for (index, &block) in ends.iter().enumerate() {
            let (inst, number) = self.func.make_const(Const::I64(index as i64), None);
            self.homes[inst] = block;
            self.func.blocks[block].insts.push(inst);
            self.vars.write(var, block, number);
        }
        self.vars.read(var, self.block, &mut self.func, &self.flow)
    }
}
