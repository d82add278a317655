//! Owners of objects: who counts them, and where.
//!
//! A handle of an object is good as long as the object has an owner. Each value of an object is one, from its definition
//! to its last use; a block parameter takes over from the argument, or, where that is used further on, is an owner more.
//! The parameters of a function belong to its caller. What leaves compiled code needs no counting: the host lets go of
//! what is left when the call has ended. An operation on tensors is told which operands it is the last owner of: it lets
//! go of them itself, and its result may lie where they lay.
//!
//! What fails leaves with the values of the checkpoint that reaches it: those are used there, too. The last pass of all:
//! nothing after it may move what uses an object.

use std::collections::BTreeSet;

use crate::analysis::Cfg;
use crate::analysis::reach::{Reach, leaves_at_checkpoint, may_fail};
use crate::entity::{Block, FuncId, HostId, Inst, Table, Value};
use crate::ir::{Function, HostData, InstData, Jump, Module, Terminator};
use crate::op::{Acts, ObjectOp, Op};
use crate::pass::{Changed, PassDef, Run};
use crate::set::EntityMap;

/// See the module.
pub const OWN: PassDef = PassDef { name: "own", run: Run::Function(run), required: true };

type Objects = BTreeSet<Value>;

fn is_object(func: &Function, value: Value) -> bool {
    func.ty(value).is_handle()
}

/// The objects that an instruction uses. Who reads or writes an element of a tensor uses the tensor, which has the memory.
fn used_by<'a>(func: &'a Function, inst: Inst) -> impl Iterator<Item = Value> + use<'a> {
    let memory_of = |value: Value| match func.definition(value) {
        Some((Op::Tensor(_, Acts::Asks), [tensor])) if func.ty(value).as_array().is_some() => Some(*tensor),
        _ => None,
    };
    let object = move |value: Value| if is_object(func, value) { Some(value) } else { memory_of(value) };
    func.insts[inst].args.iter().filter_map(move |&value| object(value))
}

/// The objects among these values.
fn objects<'a>(func: &'a Function, values: &'a [Value]) -> impl Iterator<Item = Value> + use<'a> {
    values.iter().copied().filter(|&it| is_object(func, it))
}

fn run(module: &mut Module, func: FuncId) -> Changed {
    let data = &module.funcs[func];
    if !data.values.keys().any(|value| is_object(data, value)) {
        return Changed::No;
    }
    let cfg = Cfg::of(data);
    let uses = Uses::of(module, func, &cfg);
    let live = uses.live(&module.funcs[func], &cfg);
    let Module { funcs, hosts, .. } = module;
    let func = &mut funcs[func];
    let borrowed: Objects = objects(func, func.params()).collect();
    let edges: Vec<(Block, usize, Vec<Count>)> = cfg
        .order()
        .iter()
        .flat_map(|&block| {
            let term = &func.blocks[block].term;
            let owned = uses.before_end(func, block, &live);
            let along = |(slot, jump): (usize, &Jump)| (block, slot, along(func, jump, &owned, &live, &borrowed));
            term.jumps().enumerate().map(along).collect::<Vec<_>>()
        })
        .collect();
    for &block in cfg.order() {
        count_inside(func, hosts, block, &uses, &live, &borrowed);
    }
    for (from, slot, counts) in edges.into_iter().filter(|(_, _, counts)| !counts.is_empty()) {
        let target = func.blocks[from].term.jumps().nth(slot).expect("the terminator has not changed").target;
        let alone = func.blocks[from].term.jumps().count() == 1;
        let block = if alone {
            from
        } else if cfg.single_pred(target).is_some() {
            target
        } else {
            split(func, from, slot)
        };
        let counts: Vec<Inst> = counts.into_iter().map(|count| count.make(func)).collect();
        let insts = &mut func.blocks[block].insts;
        let at = if alone { insts.len() } else { 0 };
        insts.splice(at..at, counts);
    }
    Changed::Yes
}

/// One owner more or less.
#[derive(Clone, Copy)]
struct Count(ObjectOp, Value);

impl Count {
    fn make(self, func: &mut Function) -> Inst {
        func.insts.push(InstData { op: Op::Object(self.0), args: vec![self.1], results: Vec::new(), loc: None })
    }
}

/// The objects that each place uses.
struct Uses {
    insts: EntityMap<Inst, Vec<Value>>,
    ends: EntityMap<Block, Vec<Value>>,
}

impl Uses {
    fn of(module: &Module, id: FuncId, cfg: &Cfg) -> Self {
        let func = &module.funcs[id];
        let reach = Reach::of(func, cfg);
        let kept = |checkpoint: Option<Inst>| {
            checkpoint.map_or(Vec::new(), |it| objects(func, &func.insts[it].args).collect())
        };
        let mut uses = Self {
            insts: EntityMap::with_len(Vec::new(), func.insts.len()),
            ends: EntityMap::with_len(Vec::new(), func.blocks.len()),
        };
        for &block in cfg.order() {
            let data = &func.blocks[block];
            for &inst in &data.insts {
                uses.insts[inst] = used_by(func, inst).collect();
                if may_fail(func, inst, &module.exits) {
                    uses.insts[inst].extend(kept(reach.before(inst)));
                }
            }
            uses.ends[block] = objects(func, data.term.operands()).collect();
            if leaves_at_checkpoint(&data.term, &module.exits) {
                uses.ends[block].extend(kept(reach.at_end(block)));
            }
        }
        uses
    }

    /// The objects that are used in a block or behind it, and not defined in it but as its parameters.
    fn live(&self, func: &Function, cfg: &Cfg) -> EntityMap<Block, Objects> {
        let mut live: EntityMap<Block, Objects> = EntityMap::with_len(Objects::new(), func.blocks.len());
        loop {
            let mut changed = false;
            for &block in cfg.order().iter().rev() {
                let mut now = self.before_end(func, block, &live);
                for &inst in func.blocks[block].insts.iter().rev() {
                    now.retain(|it| !func.insts[inst].results.contains(it));
                    now.extend(&self.insts[inst]);
                }
                if now.len() > live[block].len() {
                    live[block] = now;
                    changed = true;
                }
            }
            if !changed {
                return live;
            }
        }
    }

    /// The objects that are used by the end of a block, or behind it.
    fn before_end(&self, func: &Function, block: Block, live: &EntityMap<Block, Objects>) -> Objects {
        let mut used: Objects = self.ends[block].iter().copied().collect();
        for jump in func.blocks[block].term.jumps() {
            used.extend(through(func, jump.target, live));
            used.extend(objects(func, &jump.args));
        }
        used
    }
}

/// The objects that are used in a block or behind it, and defined before it.
fn through(func: &Function, block: Block, live: &EntityMap<Block, Objects>) -> Objects {
    let params = &func.blocks[block].params;
    live[block].iter().copied().filter(|it| !params.contains(it)).collect()
}

/// The objects among these that change hands, and what is counted for those that their owner keeps or gives twice.
fn given_away(values: impl Iterator<Item = Value>, keeps: impl Fn(Value) -> bool) -> (Objects, Vec<Count>) {
    let (mut given, mut counts) = (Objects::new(), Vec::new());
    for value in values {
        if keeps(value) || !given.insert(value) {
            counts.push(Count(ObjectOp::Retain, value));
        }
    }
    (given, counts)
}

/// What is counted on the way along a jump.
fn along(
    func: &Function,
    jump: &Jump,
    owned: &Objects,
    live: &EntityMap<Block, Objects>,
    borrowed: &Objects,
) -> Vec<Count> {
    let used = through(func, jump.target, live);
    let keeps = |it: Value| used.contains(&it) || borrowed.contains(&it);
    let (given, mut counts) = given_away(objects(func, &jump.args), keeps);
    let gone = owned.iter().filter(|it| !used.contains(it) && !given.contains(it) && !borrowed.contains(it));
    counts.extend(gone.map(|&it| Count(ObjectOp::Release, it)));
    counts
}

/// Lets go of what a block uses for the last time, and of what nobody uses.
fn count_inside(
    func: &mut Function,
    hosts: &mut Table<HostId, HostData>,
    block: Block,
    uses: &Uses,
    live: &EntityMap<Block, Objects>,
    borrowed: &Objects,
) {
    let mut used = uses.before_end(func, block, live);
    let mut insts = Vec::new();
    // What a function returns is its caller's.
    if let Terminator::Return(values) = &func.blocks[block].term {
        let (_, counts) = given_away(objects(func, values), |it| borrowed.contains(&it));
        insts.extend(counts.into_iter().map(|count| count.make(func)));
    }
    for inst in std::mem::take(&mut func.blocks[block].insts).into_iter().rev() {
        let results: Vec<Value> = objects(func, &func.insts[inst].results).collect();
        let mut gone: Objects = uses.insts[inst].iter().chain(&results).copied().collect();
        gone.retain(|it| !used.contains(it) && !borrowed.contains(it));
        take(func, hosts, inst, &mut gone);
        // The same object under another name: that takes over from the one that goes.
        let renamed = match func.insts[inst].op {
            Op::OfClass(_) => func.insts[inst].args.first().copied().filter(|it| !gone.remove(it)),
            _ => None,
        };
        for gone in gone {
            insts.push(Count(ObjectOp::Release, gone).make(func));
        }
        insts.extend(renamed.map(|it| Count(ObjectOp::Retain, it).make(func)));
        insts.push(inst);
        used.retain(|it| !results.contains(it));
        used.extend(&uses.insts[inst]);
    }
    for param in func.blocks[block].params.clone() {
        if is_object(func, param) && !used.contains(&param) && !borrowed.contains(&param) {
            insts.push(Count(ObjectOp::Release, param).make(func));
        }
    }
    insts.reverse();
    func.blocks[block].insts = insts;
}

/// Lets an operation on tensors have the operands that go with it.
fn take(func: &mut Function, hosts: &mut Table<HostId, HostData>, inst: Inst, gone: &mut Objects) {
    let data = &mut func.insts[inst];
    let Op::Tensor(host, acts) = data.op else { return };
    let mut takes = 0;
    for (at, arg) in data.args.iter().enumerate().take(u32::BITS as usize).rev() {
        if gone.remove(arg) {
            takes |= 1 << at;
        }
    }
    if takes != 0 {
        let taking = HostData { takes, ..hosts[host].clone() };
        data.op = Op::Tensor(hosts.push(taking), acts);
    }
}

/// Puts a block of its own on the way along a jump.
fn split(func: &mut Function, from: Block, slot: usize) -> Block {
    let term_loc = func.blocks[from].term_loc;
    let block = func.blocks.push(crate::ir::BlockData { term_loc, ..Default::default() });
    let jump = func.blocks[from].term.jumps_mut().nth(slot).expect("the terminator has not changed");
    let onward = std::mem::replace(jump, Jump { target: block, args: Vec::new() });
    func.blocks[block].term = Terminator::Jump(onward);
    block
}
