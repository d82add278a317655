//! Loop-invariant code motion.
//!
//! What a loop computes from values made outside of it is computed before it, in a block of its own that
//! only leads into the loop. Pure ops that rely on no guard may be executed although the program would not
//! have got to them, so they leave from anywhere in the loop. Guards, checked arithmetic and ops that rely
//! on guards leave from the head of the loop only, which is executed whenever the loop is entered, and only
//! while nothing before them stays behind that could be noticed: exits and traps keep their order among
//! themselves and with calls and stores. Inner loops come first, so that code moves out of several at once.

use crate::analysis::{Cfg, Dominators, Edge, Effects, LoopId, Loops};
use crate::entity::{Block, FuncId, Inst};
use crate::ir::{BlockData, Def, Function, Jump, Module, Terminator};
use crate::op::Effect;
use crate::pass::{Changed, PassDef, Run};
use crate::set::{EntityMap, EntitySet};

/// See the module.
pub const LICM: PassDef = PassDef { name: "licm", run: Run::Function(run), required: false };

fn run(module: &mut Module, func: FuncId) -> Changed {
    let func = &mut module.funcs[func];
    let cfg = Cfg::of(func);
    let loops = Loops::of(func, &cfg, &Dominators::of(&cfg));
    if !loops.irreducible().is_empty() {
        return Changed::No;
    }
    // Which block each instruction is in, as code moves.
    let mut home: EntityMap<Inst, Option<Block>> = EntityMap::with_len(None, func.insts.len());
    for &block in cfg.order() {
        for &inst in &func.blocks[block].insts {
            home[inst] = Some(block);
        }
    }
    // What leaves an inner loop is looked at again in the loop around it: where it waits until all is known.
    let mut before: EntityMap<Block, Vec<Inst>> = EntityMap::new(Vec::new());
    for id in loops.inner_first() {
        let hoisted = hoist(func, &loops, id, &mut home, &mut before);
        before[loops.data(id).header] = hoisted;
    }
    let mut changed = Changed::No;
    for id in loops.inner_first() {
        let header = loops.data(id).header;
        let insts = std::mem::take(&mut before[header]);
        if !insts.is_empty() {
            let entries = cfg.preds(header).iter().filter(|edge| !loops.contains(id, edge.from));
            let entries: Vec<Edge> = entries.copied().collect();
            fill_preheader(func, header, &entries, insts);
            changed = Changed::Yes;
        }
    }
    changed
}

/// Takes what can leave the loop out of its blocks, and out of what waits before the loops in it.
fn hoist(
    func: &mut Function,
    loops: &Loops,
    id: LoopId,
    home: &mut EntityMap<Inst, Option<Block>>,
    before: &mut EntityMap<Block, Vec<Inst>>,
) -> Vec<Inst> {
    let header = loops.data(id).header;
    let mut hoisted = Vec::new();
    let mut outside: EntitySet<Inst> = EntitySet::new();
    for &block in &loops.data(id).blocks {
        // Whether everything so far that could be noticed has left: true in the head until something stays.
        let mut certain = block == header;
        let waiting = std::mem::take(&mut before[block]);
        let own = std::mem::take(&mut func.blocks[block].insts);
        // What waits before an inner loop was executed on the way to that loop's head; it is not in the head.
        let mut pick = |insts: Vec<Inst>, certain: &mut bool| {
            let mut kept = Vec::with_capacity(insts.len());
            for inst in insts {
                let invariant = func.insts[inst].args.iter().all(|&arg| match func.values[arg].def {
                    Def::Result(by, _) => {
                        outside.contains(by) || home[by].is_none_or(|block| !loops.contains(id, block))
                    }
                    Def::Param(of, _) => !loops.contains(id, of),
                });
                let effects = Effects::of(func, inst);
                let may_leave = match effects.effect {
                    Effect::Pure if effects.anywhere => true,
                    Effect::Pure | Effect::MayExit => *certain,
                    Effect::Read | Effect::State | Effect::Write | Effect::Any => false,
                };
                if invariant && may_leave {
                    outside.insert(inst);
                    hoisted.push(inst);
                } else {
                    // A pure op that stays delays nothing, unless later ones rely on guards that come before it.
                    // Nor does a checkpoint: what fails before it leaves at the one before.
                    *certain &= matches!(effects.effect, Effect::Pure | Effect::Read | Effect::State);
                    kept.push(inst);
                }
            }
            kept
        };
        let waiting = pick(waiting, &mut false);
        let own = pick(own, &mut certain);
        before[block] = waiting;
        func.blocks[block].insts = own;
    }
    // Until it is placed, what left belongs to the block before the loop, which is in the loops around it.
    for &inst in &hoisted {
        home[inst] = loops.data(id).parent.map(|parent| loops.data(parent).header);
    }
    hoisted
}

/// Puts instructions where all ways into a loop come by: into the block that comes before it, if that leads
/// nowhere else, or else into a new one.
fn fill_preheader(func: &mut Function, header: Block, entries: &[Edge], insts: Vec<Inst>) {
    if let [Edge { from, .. }] = *entries
        && matches!(func.blocks[from].term, Terminator::Jump(_))
    {
        func.blocks[from].insts.extend(insts);
        return;
    }
    let types = func.types_of(&func.blocks[header].params.clone());
    let preheader = func.blocks.push(BlockData { insts, ..BlockData::default() });
    let args = types.into_iter().map(|ty| func.append_param(preheader, ty)).collect();
    func.blocks[preheader].term = Terminator::Jump(Jump { target: header, args });
    func.blocks[preheader].term_loc = func.blocks[header].term_loc;
    for edge in entries {
        edge.jump_mut(func).target = preheader;
    }
}
