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
    let mut ways: EntityMap<Block, Option<Way>> = EntityMap::new(None);
    for id in loops.inner_first() {
        let header = loops.data(id).header;
        let entries = cfg.preds(header).iter().filter(|edge| !loops.contains(id, edge.from));
        let entries: Vec<Edge> = entries.copied().collect();
        let state = state_before(func, &loops, id, &home, &entries, reach.as_ref());
        let (hoisted, fails) = hoist(func, &loops, id, state != State::None, &mut home, &mut before);
        before[header] = hoisted;
        ways[header] = Some(Way { entries, checkpoint: state.checkpoint().filter(|_| fails) });
    }
    let mut changed = Changed::No;
    for id in loops.inner_first() {
        let header = loops.data(id).header;
        let insts = std::mem::take(&mut before[header]);
        if !insts.is_empty() {
            fill_preheader(func, header, ways[header].as_ref().expect("it was looked at"), insts);
            changed = Changed::Yes;
        }
    }
    changed
}

/// How control comes to a loop from outside.
#[derive(Clone)]
struct Way {
    entries: Vec<Edge>,
    /// The checkpoint of the head that what may fail before the loop takes along.
    checkpoint: Option<Inst>,
}

/// At which checkpoint it leaves what fails before a loop.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    None,
    /// At one that reaches all ways in, or the function has none and fails as a whole.
    Reached,
    /// At the one of the head.
    OfHead(Inst),
}

impl State {
    fn checkpoint(self) -> Option<Inst> {
        match self {
            Self::OfHead(inst) => Some(inst),
            Self::None | Self::Reached => None,
        }
    }
}

fn state_before(
    func: &Function,
    loops: &Loops,
    id: LoopId,
    home: &EntityMap<Inst, Option<Block>>,
    entries: &[Edge],
    reach: Option<&Reach>,
) -> State {
    let Some(reach) = reach else { return State::Reached };
    let mut ends = entries.iter().map(|edge| reach.at_end(edge.from));
    let first = ends.next().flatten();
    if first.is_some() && ends.all(|it| it == first) {
        return State::Reached;
    }
    let header = loops.data(id).header;
    let mut insts = func.blocks[header].insts.iter().copied();
    let Some(inst) = insts.find(|&it| Effects::of(func, it).effect != Effect::Pure) else { return State::None };
    let can_go = matches!(func.insts[inst].op, Op::Checkpoint(_))
        && func.insts[inst].args.iter().all(|&arg| match func.values[arg].def {
            Def::Param(of, _) => of == header || !loops.contains(id, of),
            Def::Result(by, _) => home[by].is_none_or(|it| !loops.contains(id, it)),
        });
    if can_go { State::OfHead(inst) } else { State::None }
}

/// Takes what can leave the loop out of its blocks, and out of what waits before the loops in it. What may fail does so only
/// if it `may_fail` before the loop; also whether some of it may.
fn hoist(
    func: &mut Function,
    loops: &Loops,
    id: LoopId,
    may_fail: bool,
    home: &mut EntityMap<Inst, Option<Block>>,
    before: &mut EntityMap<Block, Vec<Inst>>,
) -> (Vec<Inst>, bool) {
    let header = loops.data(id).header;
    let mut hoisted = Vec::new();
    let mut fails = false;
    let mut outside: EntitySet<Inst> = EntitySet::new();
    for &block in &loops.data(id).blocks {
        // Whether everything so far that could be noticed has left: true in the head until something stays.
        let mut certain = block == header && may_fail;
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
    (hoisted, fails)
}

/// Puts instructions where all ways into a loop come by: into the block that comes before it, if that leads
/// nowhere else, or else into a new one.
fn fill_preheader(func: &mut Function, header: Block, way: &Way, insts: Vec<Inst>) {
    let preheader = match *way.entries {
        [Edge { from, .. }] if matches!(func.blocks[from].term, Terminator::Jump(_)) => from,
        _ => {
            let types = func.types_of(&func.blocks[header].params.clone());
            let preheader = func.blocks.push(BlockData::default());
            let args = types.into_iter().map(|ty| func.append_param(preheader, ty)).collect();
            func.blocks[preheader].term = Terminator::Jump(Jump { target: header, args });
            func.blocks[preheader].term_loc = func.blocks[header].term_loc;
            for edge in &way.entries {
                edge.jump_mut(func).target = preheader;
            }
            preheader
        }
    };
    let checkpoint = way.checkpoint.map(|it| checkpoint_before(func, header, preheader, it));
    func.blocks[preheader].insts.extend(checkpoint.into_iter().chain(insts));
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
