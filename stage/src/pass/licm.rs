//! Loop-invariant code motion.
//!
//! What a loop computes from values made outside of it is computed before it, in a block of its own that
//! only leads into the loop. Pure ops that rely on no guard may be executed although the program would not
//! have got to them, so they leave from anywhere in the loop. Guards, checked arithmetic and ops that rely
//! on guards leave from the head of the loop only, which is executed whenever the loop is entered, and only
//! while nothing before them stays behind that could be noticed: exits and traps keep their order among
//! themselves and with calls and stores. What may fail needs a checkpoint before the loop, too: where the ways into it
//! come from different ones, it takes that of the head along, or stays. Inner loops come first, so that code moves out of
//! several at once.

use crate::analysis::reach::{Reach, has_checkpoint};
use crate::analysis::{Cfg, Dominators, Edge, Effects, LoopId, Loops};
use crate::entity::{Block, FuncId, Inst, Value};
use crate::ir::{BlockData, Def, Function, InstData, Jump, Module, Terminator};
use crate::op::{Effect, Op};
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
    let reach = has_checkpoint(func).then(|| Reach::of(func, &cfg));
    // What leaves an inner loop is looked at again in the loop around it: where it waits until all is known.
    let mut before: EntityMap<Block, Vec<Inst>> = EntityMap::new(Vec::new());
    for id in loops.inner_first() {
        let failing = failing_before(func, &cfg, &loops, id, &home, reach.as_ref());
        let hoisted = hoist(func, &loops, id, failing, &mut home, &mut before);
        before[loops.data(id).header] = hoisted;
    }
    let mut changed = Changed::No;
    for id in loops.inner_first() {
        let header = loops.data(id).header;
        let insts = std::mem::take(&mut before[header]);
        if !insts.is_empty() {
            fill_preheader(func, header, &entries(&cfg, &loops, id), insts);
            changed = Changed::Yes;
        }
    }
    changed
}

/// The ways into a loop from outside.
fn entries(cfg: &Cfg, loops: &Loops, id: LoopId) -> Vec<Edge> {
    let preds = cfg.preds(loops.data(id).header).iter();
    preds.filter(|edge| !loops.contains(id, edge.from)).copied().collect()
}

/// What becomes of what may fail in the head of a loop.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Failing {
    Stays,
    /// One checkpoint reaches all ways in, or the function has none and fails as a whole.
    Leaves,
    /// It leaves with this checkpoint of the head.
    LeavesWith(Inst),
}

fn failing_before(
    func: &Function,
    cfg: &Cfg,
    loops: &Loops,
    id: LoopId,
    home: &EntityMap<Inst, Option<Block>>,
    reach: Option<&Reach>,
) -> Failing {
    let Some(reach) = reach else { return Failing::Leaves };
    let entries = entries(cfg, loops, id);
    let mut ends = entries.iter().map(|edge| reach.at_end(edge.from));
    let first = ends.next().flatten();
    if first.is_some() && ends.all(|it| it == first) {
        return Failing::Leaves;
    }
    // None reaches the head: the one that it is polled at is its own.
    let header = loops.data(id).header;
    let can_go = |checkpoint: &Inst| {
        func.insts[*checkpoint].args.iter().all(|&arg| match func.values[arg].def {
            Def::Param(of, _) => of == header || !loops.contains(id, of),
            Def::Result(by, _) => home[by].is_none_or(|it| !loops.contains(id, it)),
        })
    };
    reach.polled(func, header).filter(can_go).map_or(Failing::Stays, Failing::LeavesWith)
}

/// Takes what can leave the loop out of its blocks, and out of what waits before the loops in it. A checkpoint that what may
/// fail leaves with is the first, and stays in the head all the same.
fn hoist(
    func: &mut Function,
    loops: &Loops,
    id: LoopId,
    failing: Failing,
    home: &mut EntityMap<Inst, Option<Block>>,
    before: &mut EntityMap<Block, Vec<Inst>>,
) -> Vec<Inst> {
    let header = loops.data(id).header;
    let mut hoisted = Vec::new();
    let mut fails = false;
    let mut outside: EntitySet<Inst> = EntitySet::new();
    for &block in &loops.data(id).blocks {
        // Whether everything so far that could be noticed has left: true in the head until something stays.
        let mut certain = block == header && failing != Failing::Stays;
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
                    fails |= effects.effect == Effect::MayExit;
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
    if let Failing::LeavesWith(checkpoint) = failing
        && fails
    {
        hoisted.insert(0, checkpoint);
    }
    hoisted
}

/// Puts instructions where all ways into a loop come by: into the block that comes before it, if that leads
/// nowhere else, or else into a new one.
fn fill_preheader(func: &mut Function, header: Block, entries: &[Edge], mut insts: Vec<Inst>) {
    let preheader = match *entries {
        [Edge { from, .. }] if matches!(func.blocks[from].term, Terminator::Jump(_)) => from,
        _ => {
            let types = func.types_of(&func.blocks[header].params.clone());
            let preheader = func.blocks.push(BlockData::default());
            let args = types.into_iter().map(|ty| func.append_param(preheader, ty)).collect();
            func.blocks[preheader].term = Terminator::Jump(Jump { target: header, args });
            func.blocks[preheader].term_loc = func.blocks[header].term_loc;
            for edge in entries {
                edge.jump_mut(func).target = preheader;
            }
            preheader
        }
    };
    if matches!(func.insts[insts[0]].op, Op::Checkpoint(_)) {
        insts[0] = checkpoint_before(func, header, preheader, insts[0]);
    }
    func.blocks[preheader].insts.extend(insts);
}

/// The checkpoint of a loop's head as it is at the end of the block that jumps there.
fn checkpoint_before(func: &mut Function, header: Block, from: Block, checkpoint: Inst) -> Inst {
    let InstData { op, args, loc, .. } = func.insts[checkpoint].clone();
    let Terminator::Jump(jump) = &func.blocks[from].term else { unreachable!("it jumps to the head") };
    let there = |arg: Value| match func.values[arg].def {
        Def::Param(of, position) if of == header => jump.args[position as usize],
        Def::Param(..) | Def::Result(..) => arg,
    };
    let args = args.into_iter().map(there).collect();
    func.make_inst(op, args, &[], loc)
}
