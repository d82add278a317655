//! Whether lanes can run the body of a kernel, and whether that pays.

use snekpy_stage::analysis::{Cfg, Divergence, Dominators, Edge, LoopId, Loops};
use snekpy_stage::entity::{Block, Inst};
use snekpy_stage::ir::{Function, Terminator};
use snekpy_stage::kernel::Kernel;
use snekpy_stage::op::{Effect, Op};
use snekpy_stage::set::{EntityMap, EntitySet};
use snekpy_stage::types::Type;

use super::ops;
use crate::lower::flow::Flow;

/// A loop is taken to turn so many times as often as what is around it.
const TURNS: f64 = 8.0;
/// Of the lanes that enter a loop, so many are there in a usual turn, if they leave it one by one.
const STAYING: f64 = 0.6;
/// A block is passed over where no lane comes to it, if it takes more than that.
const MUCH: f64 = 16.0;
/// In bodies of at most so many instructions, two vectors of eight run beside each other: while one waits for a result,
/// the other computes. Larger ones need the registers.
const SMALL: usize = 64;
/// Lanes must take at most this part of the time of positions one by one.
const GAIN: f64 = 0.7;

/// What is known about a body that lanes can run.
pub(crate) struct Plan {
    /// How many positions run beside each other.
    pub(super) width: u32,
    pub(super) cfg: Cfg,
    pub(super) loops: Loops,
    pub(super) divergence: Divergence,
    /// The blocks that are passed over where no lane comes to them.
    passed_over: EntitySet<Block>,
    /// For each block, where the lanes were that come to it, if all lanes from there do.
    gathered: EntityMap<Block, Option<Gathered>>,
}

/// Where all lanes that come to a block have been together before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Gathered {
    /// In this block.
    In(Block),
    /// On entering this loop.
    Before(LoopId),
}

impl Plan {
    /// The plan for a body without calls on vectors of so many doubles, if lanes can run it; unless `always`, if that pays,
    /// too.
    pub(crate) fn of(kernel: &Kernel, width: u32, always: bool) -> Option<Self> {
        let func = kernel.body();
        let cfg = Cfg::of(func);
        let doms = Dominators::of(&cfg);
        let loops = Loops::of(func, &cfg, &doms);
        if !loops.irreducible().is_empty() || Flow::of(func).entry_is_target || !can_run(func, &cfg) {
            return None;
        }
        let divergence = Divergence::of(func, &cfg, &doms, &loops, kernel.rank);
        let mut plan =
            Self { width, cfg, loops, divergence, passed_over: EntitySet::new(), gathered: EntityMap::new(None) };
        (always || plan.pays(func)).then(|| {
            if width == 8 && func.size() <= SMALL {
                plan.width = 16;
            }
            for &block in plan.cfg.order() {
                plan.gathered[block] = plan.gather(func, &doms, block);
            }
            plan.passed_over = plan.cfg.order().iter().copied().filter(|&it| plan.is_much(func, it)).collect();
            plan
        })
    }

    /// Whether a block is passed over where no lane comes to it.
    pub(super) fn passes_over(&self, block: Block) -> bool {
        self.passed_over.contains(block)
    }

    /// Where the lanes were together that come to a block.
    pub(super) fn gathered(&self, block: Block) -> Option<Gathered> {
        self.gathered[block]
    }

    /// Every way from its dominator leads to the block. Of a loop between the two, lanes are together when they
    /// enter it.
    fn gather(&self, func: &Function, doms: &Dominators, block: Block) -> Option<Gathered> {
        let above = doms.parent(block)?;
        if self.loops.innermost(block).is_some_and(|id| self.loops.data(id).header == block) {
            return None;
        }
        let left = self.outermost(above, block);
        let start = left.map_or(above, |id| self.loops.data(id).header);
        let (mut seen, mut work) = (EntitySet::new(), vec![start]);
        while let Some(at) = work.pop() {
            if at == block || !seen.insert(at) {
                continue;
            }
            let term = &func.blocks[at].term;
            let turns = left.is_none() && term.jumps().any(|jump| jump.target == start);
            if turns || !doms.dominates(start, at) || term.jumps().next().is_none() {
                return None;
            }
            work.extend(term.jumps().map(|jump| jump.target));
        }
        // Nor do lanes turn for ever on the way, in a loop that only failing ends.
        let (mut leading, mut work) = (EntitySet::new(), vec![block]);
        while let Some(at) = work.pop() {
            if leading.insert(at) {
                work.extend(self.cfg.preds(at).iter().map(|edge| edge.from).filter(|&from| seen.contains(from)));
            }
        }
        if seen.iter().any(|it| !leading.contains(it)) {
            return None;
        }
        Some(left.map_or(Gathered::In(above), Gathered::Before))
    }

    /// The largest loop that a jump leaves.
    pub(super) fn outermost_left(&self, func: &Function, edge: Edge) -> Option<LoopId> {
        self.outermost(edge.from, edge.jump(func).target)
    }

    /// The largest loop that one block is in and another is not.
    fn outermost(&self, inside: Block, outside: Block) -> Option<LoopId> {
        let mut found = None;
        let mut at = self.loops.innermost(inside);
        while let Some(id) = at.filter(|&id| !self.loops.contains(id, outside)) {
            found = Some(id);
            at = self.loops.data(id).parent;
        }
        found
    }

    /// Whether it takes long, or must not be done for nobody: as a scalar, what fails fails for all lanes.
    fn is_much(&self, func: &Function, block: Block) -> bool {
        let insts = &func.blocks[block].insts;
        let for_all = |&inst: &Inst| {
            let effect = func.insts[inst].op.effect(on_integers(func, inst));
            !self.varies(func, block, inst) && !matches!(effect, Effect::Pure | Effect::State)
        };
        insts.iter().any(for_all) || insts.iter().map(|&inst| self.cost(func, block, inst)[1]).sum::<f64>() > MUCH
    }

    /// Whether the operands of an instruction vary.
    fn varies(&self, func: &Function, block: Block, inst: Inst) -> bool {
        func.insts[inst].args.iter().any(|&arg| self.divergence.varies_in(&self.loops, arg, block))
    }

    /// What an instruction takes for one position and for all lanes.
    fn cost(&self, func: &Function, block: Block, inst: Inst) -> [f64; 2] {
        let cost = ops::cost(func.insts[inst].op, on_integers(func, inst), f64::from(self.width));
        if self.varies(func, block, inst) { cost } else { [cost[0]; 2] }
    }

    /// Whether lanes are worth it. Where nothing branches and nothing fails, LLVM makes vectors of the loop over the
    /// positions by itself, and better ones.
    fn pays(&self, func: &Function) -> bool {
        let (mut apart, mut beside, mut is_straight) = (2.0, 4.0, true);
        for &block in self.cfg.order() {
            let depth = self.loops.depth(block);
            let times = TURNS.powi(i32::try_from(depth.min(4)).expect("it is small"));
            let mut there = 1.0;
            let mut at = self.loops.innermost(block);
            while let Some(id) = at {
                if self.divergence.is_divergent(id) {
                    there *= STAYING;
                }
                at = self.loops.data(id).parent;
            }
            for &inst in &func.blocks[block].insts {
                let [one, all] = self.cost(func, block, inst);
                apart += one * times * there;
                beside += all * times;
                is_straight &= !matches!(func.insts[inst].op.effect(on_integers(func, inst)), Effect::MayExit);
            }
            let branches = matches!(func.blocks[block].term, Terminator::Branch { .. });
            is_straight &= !branches;
            apart += f64::from(u8::from(branches)) * times * there;
            beside += f64::from(u8::from(branches)) * 3.0 * times;
        }
        !is_straight && beside < GAIN * apart * f64::from(self.width)
    }
}

fn on_integers(func: &Function, inst: Inst) -> bool {
    func.insts[inst].args.first().is_some_and(|&arg| func.ty(arg) == Type::I64)
}

/// Whether lanes share all that is no scalar, and nothing is called: what else a verified kernel does has a form for lanes.
fn can_run(func: &Function, cfg: &Cfg) -> bool {
    cfg.order().iter().all(|&block| {
        let data = &func.blocks[block];
        let scalars = block == func.entry() || data.params.iter().all(|&param| func.ty(param).is_scalar());
        scalars && !data.insts.iter().any(|&inst| matches!(func.insts[inst].op, Op::Call(..)))
    })
}
