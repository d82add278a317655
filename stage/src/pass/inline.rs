//! Inlining, and forgetting what nobody calls any more.
//!
//! A call is replaced by the body of what it calls if that is small, or if this is the only call of it.
//! What can call itself, also by way of others, is left alone. Callees come first, so that what is inlined
//! has had its own calls inlined. Each place in the inlined code remembers the call it came in by, at the
//! end of its chain: the traceback is the same.
//!
//! A function without checkpoints that is called by one with them fails as a whole, and is called again: it stays a function
//! if its loops would have to be left, or what it does cannot be done twice from one checkpoint.
//!
//! An inlined call does not count towards the depth of calls. Recursion is never inlined, so a program that
//! recurses without end still runs into the limit.

use std::collections::HashMap;

use crate::analysis::Cfg;
use crate::analysis::reach::{fails_only_as_a_whole, has_checkpoint};
use crate::entity::{Block, Entity, ExitId, FuncId, Inst, Loc, Table, Value};
use crate::ir::{BlockData, Custom, ExitData, Function, Jump, LocData, Module, Terminator};
use crate::op::Op;
use crate::pass::edit::Substitution;
use crate::pass::runs::is_there;
use crate::pass::{Changed, PassDef, Run};
use crate::set::{EntityMap, EntitySet};

/// See the module.
pub const INLINE: PassDef = PassDef { name: "inline", run: Run::Module(inline), required: false };
/// Takes out functions that the main function does not lead to. Names of functions change.
pub const UNCALLED: PassDef = PassDef { name: "uncalled", run: Run::Module(forget_uncalled), required: false };

/// A body of up to this many instructions is inlined wherever it is called.
const SMALL: usize = 40;
/// A body of up to this many is inlined if it is called from one place.
const SINGLE: usize = 2_000;
/// One of up to this many that works on a device is if it is called from few: so that what goes before and follows is one run
/// with it ([`super::runs`]).
const OF_DEVICES: usize = 500;
const FEW: usize = 4;
/// Nothing is inlined into a function of more than this many.
const LARGEST: usize = 20_000;

fn inline(module: &mut Module) -> Changed {
    let calls = call_graph(module);
    let recursive = recursive(&calls);
    let mut sites: EntityMap<FuncId, usize> = EntityMap::new(0);
    for &callee in calls.values().flatten() {
        sites[callee] += 1;
    }
    let mut changed = Changed::No;
    for caller in callees_first(module, &calls) {
        let has_plain = has_checkpoint(&module.funcs[caller]);
        let wanted = |module: &Module, callee: FuncId| {
            let body = &module.funcs[callee];
            let size = body.size();
            !recursive.contains(callee)
                && (size <= SMALL
                    || sites[callee] == 1 && size <= SINGLE
                    || sites[callee] <= FEW && size <= OF_DEVICES && works_on_device(body))
                && !(has_plain && fails_only_as_a_whole(body))
        };
        if calls[caller].iter().any(|&callee| wanted(module, callee)) {
            changed |= inline_into(module, caller, wanted);
        }
    }
    changed
}

fn works_on_device(func: &Function) -> bool {
    let mut results = func.insts.values().flat_map(|it| &it.results);
    results.any(|it| is_there(&func.ty(*it)))
}

/// Which functions each function calls, once for each call; derivatives that are still to be called among them.
fn call_graph(module: &Module) -> Table<FuncId, Vec<FuncId>> {
    let mut graph = Table::new();
    for func in module.funcs.values() {
        let insts = func.blocks.values().flat_map(|block| &block.insts);
        let rules = insts.clone().filter_map(|&inst| custom(module, func, inst)).flat_map(Custom::funcs);
        graph.push(insts.filter_map(|&inst| called(func, inst)).chain(rules).collect());
    }
    graph
}

fn custom<'a>(module: &'a Module, func: &Function, inst: Inst) -> Option<&'a Custom> {
    if let Op::Host(host, _) = func.insts[inst].op { module.hosts[host].custom.as_deref() } else { None }
}

fn called(func: &Function, inst: Inst) -> Option<FuncId> {
    if let Op::Call(callee, _) = func.insts[inst].op { Some(callee) } else { None }
}

/// The functions that can call themselves.
fn recursive(calls: &Table<FuncId, Vec<FuncId>>) -> EntitySet<FuncId> {
    calls.keys().filter(|&func| reachable(calls, &calls[func]).contains(func)).collect()
}

fn reachable(calls: &Table<FuncId, Vec<FuncId>>, from: &[FuncId]) -> EntitySet<FuncId> {
    let mut reached = EntitySet::new();
    let mut work = from.to_vec();
    while let Some(func) = work.pop() {
        if reached.insert(func) {
            work.extend(&calls[func]);
        }
    }
    reached
}

/// The functions that main leads to, each after those that it calls as far as that is possible.
fn callees_first(module: &Module, calls: &Table<FuncId, Vec<FuncId>>) -> Vec<FuncId> {
    let mut order = Vec::new();
    let mut seen = EntitySet::new();
    let mut stack = vec![(module.main(), false)];
    while let Some((func, done)) = stack.pop() {
        if done {
            order.push(func);
        } else if seen.insert(func) {
            stack.push((func, true));
            stack.extend(calls[func].iter().map(|&callee| (callee, false)));
        }
    }
    order
}

fn inline_into(module: &mut Module, caller: FuncId, wanted: impl Fn(&Module, FuncId) -> bool) -> Changed {
    // While it changes, an empty function stands in for it; it calls itself nowhere that is inlined.
    let mut func = std::mem::replace(&mut module.funcs[caller], Function::new(""));
    let mut subst = Substitution::new();
    let mut changed = Changed::No;
    let mut work: Vec<Block> = func.blocks.keys().collect();
    while let Some(block) = work.pop() {
        if func.size() > LARGEST {
            break;
        }
        let site = func.blocks[block]
            .insts
            .iter()
            .position(|&inst| called(&func, inst).is_some_and(|callee| callee != caller && wanted(module, callee)));
        if let Some(position) = site {
            work.push(inline_at(module, &mut func, block, position, &mut subst));
            changed = Changed::Yes;
        }
    }
    subst.apply(&mut func);
    module.funcs[caller] = func;
    changed
}

/// Inlines the call at a position of a block. Returns the block with what came after the call.
fn inline_at(
    module: &mut Module,
    func: &mut Function,
    block: Block,
    position: usize,
    subst: &mut Substitution,
) -> Block {
    let after = func.blocks[block].insts.split_off(position + 1);
    let call = func.blocks[block].insts.pop().expect("the call is at the position");
    let data = func.insts[call].clone();
    let Op::Call(callee, waits) = data.op else { unreachable!("the caller looked for a call") };
    let term = std::mem::take(&mut func.blocks[block].term);
    let term_loc = func.blocks[block].term_loc;
    let tail = func.blocks.push(BlockData { insts: after, term, term_loc, ..BlockData::default() });
    for &result in &data.results {
        let param = func.append_param(tail, func.ty(result));
        subst.replace(result, param);
    }
    let mut places = Places { call: data.loc, moved: HashMap::new() };
    let Module { funcs, locs, exits, .. } = module;
    let (args, values) = data.args.split_at(funcs[callee].params().len());
    let mut caller = Caller { exits, waits: waits.map(|exit| (exit, values)), within: HashMap::new() };
    let entry = copy_body(func, &funcs[callee], tail, &mut caller, |loc| places.moved(locs, loc));
    func.blocks[block].term = Terminator::Jump(Jump { target: entry, args: args.to_vec() });
    func.blocks[block].term_loc = data.loc;
    tail
}

/// Copies the blocks of `body` into `func`, with jumps to `tail` for its returns. Returns the copy of its entry.
fn copy_body(
    func: &mut Function,
    body: &Function,
    tail: Block,
    caller: &mut Caller<'_>,
    mut place: impl FnMut(Option<Loc>) -> Option<Loc>,
) -> Block {
    let cfg = Cfg::of(body);
    let mut values = EntityMap::with_len(Value::new(0), body.values.len());
    let mut blocks = EntityMap::with_len(Block::new(0), body.blocks.len());
    let mut copied = Vec::new();
    for &block in cfg.order() {
        let copy = func.blocks.push(BlockData { quiet: body.blocks[block].quiet, ..BlockData::default() });
        blocks[block] = copy;
        for &param in &body.blocks[block].params {
            values[param] = func.append_param(copy, body.ty(param));
        }
        for &inst in &body.blocks[block].insts {
            let data = &body.insts[inst];
            let new = func.make_inst(data.op, data.args.clone(), &body.types_of(&data.results), place(data.loc));
            for (&old, &result) in data.results.iter().zip(&func.insts[new].results) {
                values[old] = result;
            }
            func.blocks[copy].insts.push(new);
            copied.push(new);
        }
    }
    for inst in copied {
        let data = &mut func.insts[inst];
        data.args.iter_mut().for_each(|arg| *arg = values[*arg]);
        if !matches!(data.op, Op::Guard(_))
            && let Some(exit) = data.op.exit_mut()
        {
            data.args.extend(caller.append(exit));
        }
    }
    for &block in cfg.order() {
        let mut term = body.blocks[block].term.clone();
        term.for_each_use_mut(|value| *value = values[*value]);
        term.jumps_mut().for_each(|jump| jump.target = blocks[jump.target]);
        if let Terminator::Return(results) = term {
            term = Terminator::Jump(Jump { target: tail, args: results });
        }
        let loc = place(body.blocks[block].term_loc);
        let copy = &mut func.blocks[blocks[block]];
        copy.term = term;
        copy.term_loc = loc;
    }
    blocks[body.entry()]
}

/// The frame state of the caller, which those of the callee are in.
struct Caller<'a> {
    exits: &'a mut Table<ExitId, ExitData>,
    /// That in which it waits for the call, and its values.
    waits: Option<(ExitId, &'a [Value])>,
    /// The exits of the callee, with that of the caller.
    within: HashMap<ExitId, ExitId>,
}

impl Caller<'_> {
    /// Makes an exit of the callee one of both. Gives the values that come with it.
    fn append(&mut self, exit: &mut ExitId) -> Vec<Value> {
        let Some((outer, values)) = self.waits else { return Vec::new() };
        let Self { exits, within, .. } = self;
        *exit = *within.entry(*exit).or_insert_with(|| {
            let parts = |exit: ExitId| match &exits[exit].parts[..] {
                [] => vec![exit],
                parts => parts.to_vec(),
            };
            let data = ExitData {
                parts: [parts(*exit), parts(outer)].concat(),
                ..ExitData::new(exits[*exit].name.clone(), [&exits[*exit].types[..], &exits[outer].types].concat())
            };
            exits.push(data)
        });
        values.to_vec()
    }
}

/// Places of the callee, as seen by way of one call.
struct Places {
    call: Option<Loc>,
    moved: HashMap<Loc, Loc>,
}

impl Places {
    fn moved(&mut self, locs: &mut Table<Loc, LocData>, loc: Option<Loc>) -> Option<Loc> {
        let (Some(loc), Some(call)) = (loc, self.call) else { return loc.or(self.call) };
        // The chain, innermost first, up to a place that has been moved already.
        let mut chain = Vec::new();
        let mut at = Some(loc);
        let mut caller = call;
        while let Some(inner) = at {
            if let Some(&moved) = self.moved.get(&inner) {
                caller = moved;
                break;
            }
            chain.push(inner);
            at = locs[inner].caller;
        }
        for inner in chain.into_iter().rev() {
            let data = LocData { caller: Some(caller), ..locs[inner].clone() };
            caller = locs.push(data);
            self.moved.insert(inner, caller);
        }
        Some(caller)
    }
}

fn forget_uncalled(module: &mut Module) -> Changed {
    let calls = call_graph(module);
    let kept = reachable(&calls, &[module.main()]);
    if kept.len() == module.funcs.len() {
        return Changed::No;
    }
    let mut renamed = EntityMap::with_len(module.main(), module.funcs.len());
    let mut funcs = Table::new();
    for func in kept.iter() {
        renamed[func] = funcs.push(std::mem::replace(&mut module.funcs[func], Function::new("")));
    }
    module.funcs = funcs;
    for func in module.funcs.keys() {
        let func = &mut module.funcs[func];
        for inst in func.insts.keys() {
            if let Op::Call(callee, _) = &mut func.insts[inst].op {
                *callee = renamed[*callee];
            }
        }
    }
    for host in module.hosts.keys() {
        let data = &mut module.hosts[host];
        data.custom = data.custom.take().filter(|custom| custom.funcs().all(|it| kept.contains(it)));
        data.custom.iter_mut().flat_map(|it| it.funcs_mut()).for_each(|func| *func = renamed[*func]);
    }
    Changed::Yes
}
