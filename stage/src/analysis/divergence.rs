//! Which values may differ between lanes, where one function runs for several indices beside each other.
//!
//! All lanes go through the blocks of a function together; where a branch sends them different ways, some wait. What does
//! not *vary* has one value for all lanes that are there. A value varies because of what it is computed from, or because
//! lanes have come to it by different ways: a parameter of a block behind a varying branch. And what is computed in a
//! loop that lanes leave in different turns, as its counter, varies outside of it.

use crate::analysis::{Cfg, Dominators, Edge, LoopId, Loops};
use crate::entity::{Block, Inst, Value};
use crate::ir::{Def, Function, Terminator};
use crate::op::Op;
use crate::set::{EntityMap, EntitySet};

/// Which values of a function vary, and which loops lanes leave in different turns.
pub struct Divergence {
    varying: EntitySet<Value>,
    /// For each loop, as [`Loops::inner_first`] counts them.
    divergent: Vec<bool>,
    /// The block that defines each value.
    home: EntityMap<Value, Option<Block>>,
    /// The largest divergent loop that a value is computed in and used outside of.
    kept: EntityMap<Value, Option<LoopId>>,
    /// The values that are used elsewhere than in the instructions of the block that defines them.
    shared: EntitySet<Value>,
}

impl Divergence {
    /// The divergence of a function, of whose parameters the first `varying` ones differ between lanes.
    pub fn of(func: &Function, cfg: &Cfg, doms: &Dominators, loops: &Loops, varying: usize) -> Self {
        let mut it = Self {
            varying: EntitySet::new(),
            divergent: loops.inner_first().map(|_| false).collect(),
            home: homes(func, cfg),
            kept: EntityMap::new(None),
            shared: EntitySet::new(),
        };
        for &param in &func.params()[..varying] {
            it.varying.insert(param);
        }
        while it.spread(func, cfg, doms, loops) {}
        it
    }

    /// Whether a value may differ between lanes where it is computed, and all others are there, too.
    pub fn varies(&self, value: Value) -> bool {
        self.varying.contains(value)
    }

    /// Whether a value may differ between lanes in a block that uses it.
    pub fn varies_in(&self, loops: &Loops, value: Value, user: Block) -> bool {
        if self.varies(value) || self.kept[value].is_none() {
            return self.varies(value);
        }
        let mut at = self.home[value].and_then(|home| loops.innermost(home));
        while let Some(id) = at.filter(|&id| !loops.contains(id, user)) {
            if self.is_divergent(id) {
                return true;
            }
            at = loops.data(id).parent;
        }
        false
    }

    /// Whether lanes may leave a loop in different turns.
    pub fn is_divergent(&self, id: LoopId) -> bool {
        self.divergent[id.index()]
    }

    /// The largest divergent loop that a value is computed in and used outside of: what a lane has left it with must be
    /// kept while others go on.
    pub fn kept(&self, value: Value) -> Option<LoopId> {
        self.kept[value]
    }

    /// Whether a value is used elsewhere than in the instructions of the block that defines it.
    pub fn is_shared(&self, value: Value) -> bool {
        self.shared.contains(value)
    }

    /// The block that defines a value.
    pub fn home(&self, value: Value) -> Option<Block> {
        self.home[value]
    }

    /// One round. Whether something new was found.
    fn spread(&mut self, func: &Function, cfg: &Cfg, doms: &Dominators, loops: &Loops) -> bool {
        let mut changed = false;
        for &block in cfg.order() {
            changed |= self.spread_to_params(func, cfg, doms, loops, block);
            for &inst in &func.blocks[block].insts {
                changed |= self.spread_through(func, loops, block, inst);
            }
        }
        for id in loops.inner_first() {
            let data = loops.data(id);
            let is_even = |edge: &Edge| {
                let everywhere = data.latches.iter().all(|latch| doms.dominates(edge.from, latch.from));
                everywhere && !self.branches_apart(func, loops, edge.from)
            };
            if !self.divergent[id.index()] && !data.exits.iter().all(is_even) {
                self.divergent[id.index()] = true;
                changed = true;
            }
        }
        for &block in cfg.order() {
            for &inst in &func.blocks[block].insts {
                for &arg in &func.insts[inst].args {
                    changed |= self.note_use(loops, arg, block);
                }
            }
            let term = &func.blocks[block].term;
            for &value in term.operands() {
                changed |= self.note_use(loops, value, block);
            }
            for jump in term.jumps() {
                for &value in &jump.args {
                    changed |= self.note_use(loops, value, jump.target);
                    changed |= self.home[value].is_some() && self.shared.insert(value);
                }
            }
        }
        changed
    }

    /// Whether lanes may leave a block by different jumps.
    fn branches_apart(&self, func: &Function, loops: &Loops, block: Block) -> bool {
        match func.blocks[block].term {
            Terminator::Branch { cond, .. } => self.varies_in(loops, cond, block),
            Terminator::None | Terminator::Jump(_) | Terminator::Return(_) | Terminator::Exit(..) => false,
        }
    }

    fn spread_through(&mut self, func: &Function, loops: &Loops, block: Block, inst: Inst) -> bool {
        let data = &func.insts[inst];
        let varies = match data.op {
            // How long an array is depends on which array it is, and lanes share arrays.
            Op::Len | Op::Const(_) => false,
            _ => data.args.iter().any(|&arg| self.varies_in(loops, arg, block)),
        };
        varies && data.results.iter().fold(false, |changed, &result| self.varying.insert(result) | changed)
    }

    /// The parameters of a block. A loop's header is come to by two ways that no branch decides between: on entering
    /// and on going round.
    fn spread_to_params(&mut self, func: &Function, cfg: &Cfg, doms: &Dominators, loops: &Loops, block: Block) -> bool {
        let heads = loops.innermost(block).filter(|&id| loops.data(id).header == block);
        let latches: &[Edge] = heads.map_or(&[], |id| &loops.data(id).latches);
        let (round, entering): (Vec<Edge>, Vec<Edge>) =
            cfg.preds(block).iter().partition(|&edge| latches.contains(edge));
        let mut changed = false;
        for edges in [entering, round] {
            let apart = edges.len() > 1 && self.come_apart(func, cfg, doms, loops, block, &edges);
            for (position, &param) in func.blocks[block].params.iter().enumerate() {
                if self.varies(param) {
                    continue;
                }
                let mut args = edges.iter().map(|edge| edge.jump(func).args[position]);
                let first = args.next();
                let differ = first.is_some_and(|first| args.any(|arg| arg != first));
                let varies = edges.iter().any(|edge| self.varies_in(loops, edge.jump(func).args[position], block));
                if varies || (differ && apart) {
                    changed |= self.varying.insert(param);
                }
            }
        }
        changed
    }

    /// Whether a varying branch decides by which of these edges lanes come to a block.
    fn come_apart(
        &self,
        func: &Function,
        cfg: &Cfg,
        doms: &Dominators,
        loops: &Loops,
        block: Block,
        edges: &[Edge],
    ) -> bool {
        let top = doms.parent(block);
        let mut seen = EntitySet::new();
        let mut work: Vec<Block> = edges.iter().map(|edge| edge.from).collect();
        while let Some(at) = work.pop() {
            if !seen.insert(at) {
                continue;
            }
            if self.branches_apart(func, loops, at) {
                return true;
            }
            if Some(at) != top {
                work.extend(cfg.preds(at).iter().map(|edge| edge.from));
            }
        }
        false
    }

    fn note_use(&mut self, loops: &Loops, value: Value, user: Block) -> bool {
        let Some(home) = self.home[value] else { return false };
        let mut changed = home != user && self.shared.insert(value);
        let mut at = loops.innermost(home);
        while let Some(id) = at.filter(|&id| !loops.contains(id, user)) {
            if self.is_divergent(id) {
                let larger = self.kept[value].is_none_or(|known| loops.data(id).depth < loops.data(known).depth);
                if larger {
                    self.kept[value] = Some(id);
                    changed = true;
                }
            }
            at = loops.data(id).parent;
        }
        changed
    }
}

fn homes(func: &Function, cfg: &Cfg) -> EntityMap<Value, Option<Block>> {
    let mut homes = EntityMap::with_len(None, func.values.len());
    for &block in cfg.order() {
        for &param in &func.blocks[block].params {
            homes[param] = Some(block);
        }
        for &inst in &func.blocks[block].insts {
            // A constant is the same everywhere.
            if matches!(func.insts[inst].op, Op::Const(_)) {
                continue;
            }
            for &result in &func.insts[inst].results {
                debug_assert!(matches!(func.values[result].def, Def::Result(..)), "it is an instruction's");
                homes[result] = Some(block);
            }
        }
    }
    homes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entity::Entity;
    use crate::text;

    /// Of a function whose first parameter is an index: which values vary, and which loops are divergent.
    fn divergence(source: &str) -> (Vec<usize>, Vec<bool>) {
        let module = text::parse(source).unwrap_or_else(|error| panic!("{error}"));
        let func = &module.funcs[module.main()];
        let cfg = Cfg::of(func);
        let doms = Dominators::of(&cfg);
        let loops = Loops::of(func, &cfg, &doms);
        let it = Divergence::of(func, &cfg, &doms, &loops, 1);
        let varying = func.values.keys().filter(|&value| it.varies(value)).map(Entity::index).collect();
        (varying, loops.inner_first().map(|id| it.is_divergent(id)).collect())
    }

    /// Counts `v4` up to a bound, and gives the count and what was summed.
    fn counting(bound: &str) -> String {
        format!(
            "func @f(v0: i64, v1: i64) -> (i64, i64) {{
            block0:
                v2: i64 = const 0
                v3: i64 = const 1
                jump block1(v2, v2)
            block1(v4: i64, v5: i64):
                v6: bool = lt v4, {bound}
                branch v6, block2, block3
            block2:
                v7: i64 = wrap_add v5, v0
                v8: i64 = wrap_add v4, v3
                jump block1(v8, v7)
            block3:
                return v4, v5
            }}"
        )
    }

    #[test]
    fn a_count_to_a_bound_of_all_lanes_is_one_for_all() {
        assert_eq!(divergence(&counting("v1")), (vec![0, 5, 7], vec![false]));
    }

    #[test]
    fn what_a_loop_leaves_behind_varies_where_lanes_leave_it_in_different_turns() {
        let (varying, divergent) = divergence(&counting("v0"));
        assert_eq!(divergent, [true]);
        // The condition, beside the index and the sum: the counter is one for all that are still there.
        assert_eq!(varying, [0, 5, 6, 7]);
        // Behind the loop it varies, and so does what is computed of it.
        let source = counting("v0").replace("return v4, v5", "v9: i64 = wrap_add v4, v3\n return v9, v5");
        assert_eq!(divergence(&source).0, [0, 5, 6, 7, 9]);
    }

    #[test]
    fn a_parameter_behind_a_varying_branch_varies() {
        let join = |cond: &str| {
            format!(
                "func @f(v0: i64, v1: i64) -> i64 {{
                block0:
                    v2: i64 = const 3
                    v3: i64 = const 4
                    v4: bool = lt {cond}, v2
                    branch v4, block1, block2
                block1:
                    jump block3(v2)
                block2:
                    jump block3(v3)
                block3(v5: i64):
                    return v5
                }}"
            )
        };
        assert_eq!(divergence(&join("v0")).0, [0, 4, 5]);
        assert_eq!(divergence(&join("v1")).0, [0]);
    }
}
