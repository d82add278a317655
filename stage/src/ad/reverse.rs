//! Reverse mode: the function, then its way back.
//!
//! Each block gets a block for the way back, and the edges between these are those of the function turned round. There
//! the instructions are gone through from the last to the first: what has come together as the cotangent of a result is
//! spread over its operands, as [`pullback`](super::pullback) says. Cotangents are variables ([`variables`](super::variables)):
//! zero at first, and zero again once they are spread. A list has a *shadow*, a list of the cotangents of its items that
//! is made with it and grows and shrinks with it, in both directions.
//!
//! What the way back needs of the way there is, in this order: a constant; the value itself, where it dominates every
//! end and no loop round both has given it another value since; the same carried on by parameters of blocks, where it
//! does not dominate; or popped off the [`tape`](super::tape). Which predecessor a block was reached from is told by the
//! condition of the branch before it, by a count for the header of a loop, and else by a number for the edge.
//!
//! A function that is called (what is left of calls is recursive, mostly) is cut in two at the end: everything is on the
//! tape then, and the callers pass it on. Its way back takes the cotangents of its results and those that its parameters
//! have so far, and gives those of its parameters: shares are added in the order of the program, backwards, whether a call
//! is inlined or not.

use std::collections::HashMap;

use crate::analysis::{Cfg, Dominators, Edge, LoopId, Loops};
use crate::entity::{Block, Entity, FuncId, HostId, Inst, Loc, Value};
use crate::ir::{BlockData, Function, HostData, Jump, Module, Terminator};
use crate::op::{ObjectOp, Op};
use crate::set::{EntityMap, EntitySet};
use crate::types::Type;

use super::activity::{Activity, is_value};
use super::custom::replace;
use super::cut::cut;
use super::helpers::Helpers as Tools;
use super::tape::{self, Record, Reel};
use super::variables::{Flow, Var, Variables};
use super::{Refused, Request, prepare};

mod blocks;
mod leave;
mod memory;
mod preaccumulate;
mod room;
mod stops;
mod sums;
mod there;
mod undo;
mod values;

use memory::shadow_type;

/// Makes the main function give, behind its own results, the derivatives of each `of` by each `wrt`: for each `of` in
/// turn, a float for a float, a list for a list or an array. The same for each exit that is an end.
///
/// # Errors
/// What has no derivative. The module is in no good state then.
pub fn reverse(module: &mut Module, request: &Request) -> Result<Vec<Record>, Refused> {
    prepare(module, request);
    let activity = Activity::of(module, request, false)?;
    let lanes = if request.passed { 1 } else { request.ends.first().map_or(0, |end| end.of.len()) };
    let originals = module.funcs.len();
    let helpers = Helpers::declare(module, &activity, request, lanes);
    let mut records = Vec::new();
    let mut made = Vec::new();
    for id in module.funcs.keys().take(originals) {
        let pair = helpers.pairs[id];
        if id != module.main() && pair.is_none() {
            continue;
        }
        let mut cx = Cx::new(module, id, &activity, &helpers, request, lanes, pair.is_some());
        cx.build()?;
        records.append(&mut cx.records);
        let given = cx.returned();
        let Cx { mut func, turn, hosts, used, .. } = cx;
        replace(&mut func, |data| match data.op {
            Op::Host(host, _) if used.contains(host) => module.hosts[host].custom.as_ref().map(|it| it.by),
            _ => None,
        });
        for host in hosts {
            module.hosts.push(host);
        }
        match (pair, turn) {
            (Some(pair), Some((end, turn))) => {
                let mut back = cut(&func, turn, module.funcs[pair.back].name.clone());
                back.results.clone_from(&module.funcs[pair.back].results);
                func.blocks[end].term = Terminator::Return(given);
                func.results.clone_from(&module.funcs[pair.there].results);
                func.remove_unreachable();
                func.name.clone_from(&module.funcs[pair.there].name);
                made.push((pair.there, func));
                made.push((pair.back, back));
            }
            // It never returns.
            (Some(pair), None) => {
                func.name.clone_from(&module.funcs[pair.there].name);
                func.results.clone_from(&module.funcs[pair.there].results);
                made.push((pair.there, func.clone()));
                made.push((pair.back, endless(&module.funcs[pair.back])));
            }
            (None, _) => made.push((id, func)),
        }
    }
    for (id, func) in made {
        module.funcs[id] = func;
    }
    for end in &request.ends {
        if let Some(exit) = end.exit {
            let grads = grad_types(&module.funcs[module.main()], request, lanes);
            module.exits[exit].types.extend(grads);
        }
    }
    Ok(records)
}

/// A function that goes round for ever: nobody calls it.
fn endless(stub: &Function) -> Function {
    let mut func = stub.clone();
    let round = func.blocks.push(BlockData::default());
    for block in [func.entry(), round] {
        func.blocks[block].term = Terminator::Jump(Jump { target: round, args: Vec::new() });
    }
    func
}

/// The types of the derivatives by the parameters of the main function.
fn grad_types(main: &Function, request: &Request, lanes: usize) -> Vec<Type> {
    let by = request.wrt.iter().map(|&position| match main.ty(main.params()[position]) {
        ty if is_value(ty) => ty,
        ty => shadow_type(ty),
    });
    let by: Vec<Type> = by.collect();
    (0..lanes).flat_map(|_| by.clone()).collect()
}

/// The two functions that a function becomes.
#[derive(Clone, Copy)]
struct Pair {
    there: FuncId,
    back: FuncId,
}

/// What the ways back call.
struct Helpers {
    pairs: EntityMap<FuncId, Option<Pair>>,
    /// The tape that they pass on.
    reels: Vec<Reel>,
    tools: Tools,
}

impl Helpers {
    fn declare(module: &mut Module, activity: &Activity, request: &Request, lanes: usize) -> Self {
        let originals: Vec<FuncId> = module.funcs.keys().collect();
        let tools = Tools::declare(module, activity, request);
        let mut it = Self { pairs: EntityMap::new(None), reels: reels(module, activity), tools };
        let types: Vec<Type> = it.reels.iter().map(|reel| reel.ty()).collect();
        let main = module.main();
        for id in originals.into_iter().filter(|&id| id != main && activity.any(id)) {
            let func = &module.funcs[id];
            let memory = memory_params(func, id, activity).map(|it| shadow_type(func.ty(it)));
            let shadows: Vec<Type> = memory.flat_map(|ty| vec![ty; lanes]).collect();
            let of = |types: Vec<Type>| types.repeat(lanes);
            let there = [func.param_types(), shadows.clone(), types.clone()].concat();
            let results = active_results(func, id, activity).into_iter().map(|it| func.results[it]);
            let grads = of(value_params(func, id, activity).map(|it| func.ty(it)).collect());
            let back = [of(results.collect()), shadows, grads.clone(), types.clone()].concat();
            let names = [format!("{}.there", func.name), format!("{}.back", func.name)];
            let given = memory_results(func, id, activity).into_iter().map(|it| shadow_type(func.results[it]));
            let given = [func.results.clone(), given.flat_map(|ty| vec![ty; lanes]).collect()].concat();
            let [there, back] = [(there, given), (back, grads)].map(|(params, results)| {
                let mut stub = Function::new("");
                let entry = stub.entry();
                params.into_iter().for_each(|ty| _ = stub.append_param(entry, ty));
                stub.results = results;
                stub
            });
            let [there_name, back_name] = names;
            let there = module.funcs.push(Function { name: there_name, ..there });
            let back = module.funcs.push(Function { name: back_name, ..back });
            it.pairs[id] = Some(Pair { there, back });
        }
        it
    }
}

fn memory_params<'a>(func: &'a Function, id: FuncId, activity: &'a Activity) -> impl Iterator<Item = Value> + 'a {
    func.params().iter().copied().filter(move |&it| activity.is_active(id, it) && !is_value(func.ty(it)))
}

fn value_params<'a>(func: &'a Function, id: FuncId, activity: &'a Activity) -> impl Iterator<Item = Value> + 'a {
    func.params().iter().copied().filter(move |&it| activity.is_active(id, it) && is_value(func.ty(it)))
}

/// The positions of the results of a function that are active floats or tensors.
fn active_results(func: &Function, id: FuncId, activity: &Activity) -> Vec<usize> {
    results_with(func, |it| activity.is_active(id, it) && is_value(func.ty(it)))
}

/// And those that are active lists or maps.
fn memory_results(func: &Function, id: FuncId, activity: &Activity) -> Vec<usize> {
    results_with(func, |it| activity.is_active(id, it) && !is_value(func.ty(it)))
}

fn results_with(func: &Function, wanted: impl Fn(Value) -> bool) -> Vec<usize> {
    let mut positions = Vec::new();
    for block in func.blocks.values() {
        if let Terminator::Return(values) = &block.term {
            positions.extend((0..values.len()).filter(|&it| wanted(values[it])));
        }
    }
    positions
}

/// What the ways back record: numbers, and the shadows of lists that are made on the way or come out of others.
fn reels(module: &Module, activity: &Activity) -> Vec<Reel> {
    let mut reels = Reel::NUMBERS.to_vec();
    for rule in module.hosts.values().filter_map(|host| host.custom.as_ref()?.back.as_ref()) {
        let new: Vec<Reel> = tape::of_rule(module, rule).filter(|reel| !reels.contains(reel)).collect();
        reels.extend(new);
    }
    for (id, func) in module.funcs.iter() {
        let inner = func.blocks.keys().filter(|&block| block != func.entry());
        let params = inner.flat_map(|block| &func.blocks[block].params);
        let made = func.blocks.values().flat_map(|block| &block.insts).flat_map(|&inst| &func.insts[inst].results);
        for &value in params.chain(made).filter(|&&it| activity.is_active(id, it) && !is_value(func.ty(it))) {
            if let Some(reel) = Reel::of(shadow_type(func.ty(value))).filter(|reel| !reels.contains(reel)) {
                reels.push(reel);
            }
        }
    }
    reels
}

/// How the way back finds the predecessor that a block was reached from.
enum Decision {
    /// There is none.
    Entry,
    /// There is only one.
    Only(Edge),
    /// The header of a loop: none is left of its count for the first edge, else the second.
    Count(LoopId, [Edge; 2]),
    /// A condition: the first edge if it holds, else the second.
    Condition(Value, [Edge; 2]),
    /// A number for each edge.
    Edges(Vec<Edge>),
}

/// Where the way back enters a loop that is left in several places: what is left in one place is entered in one.
struct Hub {
    block: Block,
    /// Which of the ways out it was: the next iteration is the one behind the last.
    which: Var,
    exits: Vec<Edge>,
}

struct Cx<'a> {
    module: &'a Module,
    id: FuncId,
    activity: &'a Activity,
    helpers: &'a Helpers,
    request: &'a Request,
    lanes: usize,
    /// Whether the function is cut in two.
    split: bool,
    func: Function,
    flow: Flow,
    loops: Loops,
    /// The block of each instruction.
    homes: EntityMap<Inst, Block>,
    /// Blocks with a result to differentiate, and which end each is.
    ends: Vec<(Block, usize)>,
    /// The outermost loop round a block in which nothing is active.
    skipped: EntityMap<Block, Option<LoopId>>,
    vars: Variables,
    cotangents: HashMap<(Value, usize), Var>,
    carried: HashMap<Value, Var>,
    counts: HashMap<LoopId, Var>,
    hubs: HashMap<LoopId, Hub>,
    count_values: HashMap<LoopId, Value>,
    shadows: HashMap<(Value, usize), Value>,
    /// Of dicts that are differentiated by: zeros by the keys that they have at first.
    entries: HashMap<(Value, usize), Value>,
    /// Of integers that are handles of tensors, the types of those.
    handles: HashMap<Value, Type>,
    /// How long a list was before an instruction truncated it.
    lengths: HashMap<Inst, Value>,
    /// The shadow of the list that an instruction replaced by another one.
    replaced: HashMap<(Inst, usize), Value>,
    /// The key of the value that an instruction took out of a map.
    keys: HashMap<Inst, Value>,
    /// In a function that is cut: the shadows of parameters, on the way back.
    back_shadows: HashMap<(Value, usize), Value>,
    reels: HashMap<Reel, Value>,
    back_reels: HashMap<Reel, Value>,
    zero: Value,
    /// The cotangent of a float that has no share yet: -0.0, which changes nothing that is added to it. So the sum of
    /// shares has the same bits wherever they come together.
    nothing: Value,
    /// The same for tensors, by type, but that they are 0.0.
    zeros: HashMap<Type, Value>,
    /// The same on the way there.
    zeros_there: HashMap<Type, Value>,
    /// Functions of the host that the way back calls, behind those of the module.
    hosts: Vec<HostData>,
    /// What has a derivative of its own, and has been differentiated.
    used: EntitySet<HostId>,
    /// The integer, where it belongs to the way back.
    none: Value,
    /// What is pushed at the beginning of a block, at its end, and behind that.
    heads: EntityMap<Block, Vec<Inst>>,
    tails: EntityMap<Block, Vec<Inst>>,
    edge_tails: EntityMap<Block, Vec<Inst>>,
    back: EntityMap<Block, Option<Block>>,
    /// The block whose way back is built.
    at: Block,
    /// Where that goes.
    block: Block,
    loc: Option<Loc>,
    /// What is undone, for people.
    by: String,
    /// What is there of the way there, in this block.
    known: HashMap<Value, Value>,
    needed: Vec<(Value, Vec<Inst>)>,
    /// Where a function that is cut turns round: its last block, and the first on the way back.
    turn: Option<(Block, Block)>,
    /// The cotangents that the way back of such a function is given.
    seeds: Vec<Value>,
    /// Those that its parameters have so far.
    so_far: Vec<Value>,
    /// Shares of tensors that were added to what there may be.
    sums: Vec<sums::Sum>,
    /// Copies of tensors for the program.
    copies: Vec<Value>,
    records: Vec<Record>,
}

impl<'a> Cx<'a> {
    fn new(
        module: &'a Module,
        id: FuncId,
        activity: &'a Activity,
        helpers: &'a Helpers,
        request: &'a Request,
        lanes: usize,
        split: bool,
    ) -> Self {
        let func = module.funcs[id].clone();
        let cfg = Cfg::of(&func);
        let doms = Dominators::of(&cfg);
        let loops = Loops::of(&func, &cfg, &doms);
        let mut homes = EntityMap::new(func.entry());
        for (block, data) in func.blocks.iter() {
            data.insts.iter().for_each(|&inst| homes[inst] = block);
        }
        let mut ends = Vec::new();
        for &block in cfg.order() {
            let exit = match &func.blocks[block].term {
                Terminator::Return(_) => None,
                Terminator::Exit(exit, _) => Some(*exit),
                Terminator::None | Terminator::Jump(_) | Terminator::Branch { .. } => continue,
            };
            match split {
                true if exit.is_none() => ends.push((block, 0)),
                true => {}
                false => ends.extend(request.ends.iter().position(|end| end.exit == exit).map(|end| (block, end))),
            }
        }
        let mut on_path = EntityMap::new(false);
        let mut work: Vec<Block> = ends.iter().map(|&(block, _)| block).collect();
        while let Some(block) = work.pop() {
            if !std::mem::replace(&mut on_path[block], true) {
                work.extend(cfg.preds(block).iter().map(|edge| edge.from));
            }
        }
        let mut it = Self {
            zero: Value::new(0),
            nothing: Value::new(0),
            zeros: HashMap::new(),
            zeros_there: HashMap::new(),
            hosts: Vec::new(),
            used: EntitySet::new(),
            none: Value::new(0),
            at: func.entry(),
            block: func.entry(),
            flow: Flow { cfg, doms, on_path },
            module,
            id,
            activity,
            helpers,
            request,
            lanes,
            split,
            func,
            loops,
            homes,
            ends,
            skipped: EntityMap::new(None),
            vars: Variables::new(),
            cotangents: HashMap::new(),
            carried: HashMap::new(),
            counts: HashMap::new(),
            hubs: HashMap::new(),
            count_values: HashMap::new(),
            shadows: HashMap::new(),
            entries: HashMap::new(),
            handles: HashMap::new(),
            lengths: HashMap::new(),
            replaced: HashMap::new(),
            keys: HashMap::new(),
            back_shadows: HashMap::new(),
            reels: HashMap::new(),
            back_reels: HashMap::new(),
            heads: EntityMap::new(Vec::new()),
            tails: EntityMap::new(Vec::new()),
            edge_tails: EntityMap::new(Vec::new()),
            back: EntityMap::new(None),
            loc: None,
            by: String::new(),
            known: HashMap::new(),
            needed: Vec::new(),
            turn: None,
            seeds: Vec::new(),
            so_far: Vec::new(),
            sums: Vec::new(),
            copies: Vec::new(),
            records: Vec::new(),
        };
        it.skip_loops();
        it.find_handles();
        it
    }

    fn build(&mut self) -> Result<(), Refused> {
        if !self.split {
            let grads = grad_types(&self.func, self.request, self.lanes);
            if self.request.passed {
                self.pass_cotangents();
            }
            self.func.results.extend(grads);
            if self.request.brings_tape {
                let entry = self.func.entry();
                for &reel in &self.helpers.reels {
                    self.reels.insert(reel, self.func.append_param(entry, reel.ty()));
                }
            }
        }
        if self.split {
            self.begin_split();
        }
        stops::note(self);
        self.make_shadows();
        if !self.ends.is_empty() {
            self.make_back()?;
            self.make_room();
        }
        self.place_records();
        Ok(())
    }

    /// Parameters for the cotangents of the results.
    fn pass_cotangents(&mut self) {
        let Some(end) = self.request.ends.first() else { return };
        let types = match end.exit {
            None => &self.module.funcs[self.id].results,
            Some(exit) => &self.module.exits[exit].types,
        };
        let entry = self.func.entry();
        self.seeds = end.of.iter().map(|&of| self.func.append_param(entry, types[of])).collect();
    }

    /// Builds the way back.
    fn make_back(&mut self) -> Result<(), Refused> {
        self.mirror();
        let order: Vec<Block> = self.flow.cfg.order().iter().rev().copied().collect();
        for block in order {
            if self.back[block].is_some() {
                self.go_back(block)?;
            }
        }
        self.vars.finish(&mut self.func, &self.flow);
        self.settle_sums();
        self.settle_copies();
        self.preaccumulate();
        Ok(())
    }

    /// Puts what was collected for the beginnings and ends of blocks there.
    fn place_records(&mut self) {
        for block in self.func.blocks.keys() {
            let head = std::mem::take(&mut self.heads[block]);
            let tails = [&mut self.tails, &mut self.edge_tails].map(|it| std::mem::take(&mut it[block]));
            let insts = &mut self.func.blocks[block].insts;
            insts.splice(0..0, head);
            insts.extend(tails.concat());
        }
    }

    /// Loops in which nothing is active need no way back.
    fn skip_loops(&mut self) {
        if !self.loops.irreducible().is_empty() {
            return;
        }
        for id in self.loops.inner_first() {
            let data = self.loops.data(id);
            let idle = data.blocks.iter().all(|&block| {
                let data = &self.func.blocks[block];
                let active = |value: &Value| self.activity.is_active(self.id, *value);
                let idle = |inst: &Inst| {
                    let data = &self.func.insts[*inst];
                    let calls = matches!(data.op, Op::Call(callee, _) if self.helpers.pairs[callee].is_some());
                    !calls && !data.results.iter().chain(&data.args).any(active)
                };
                !data.params.iter().any(active) && data.insts.iter().all(idle)
            });
            let jumps = data.blocks.iter().flat_map(|&block| self.func.blocks[block].term.jumps());
            let inner = jumps.filter(|jump| self.loops.contains(id, jump.target)).flat_map(|jump| &jump.args);
            if idle && !inner.copied().any(|arg| self.activity.is_active(self.id, arg)) {
                data.blocks.iter().for_each(|&block| self.skipped[block] = Some(id));
            }
        }
    }

    /// Which integers are handles, and of what.
    fn find_handles(&mut self) {
        for data in self.func.insts.values() {
            match data.op {
                Op::Object(ObjectOp::Keep) => _ = self.handles.insert(data.results[0], self.func.ty(data.args[0])),
                Op::Kept(_) => _ = self.handles.insert(data.args[0], self.func.ty(data.results[0])),
                _ => {}
            }
        }
    }

    /// Parameters for what a function that is cut is given besides its own.
    fn begin_split(&mut self) {
        let entry = self.func.entry();
        for param in self.memory_params() {
            for lane in 0..self.lanes {
                let shadow = self.func.append_param(entry, shadow_type(self.func.ty(param)));
                self.shadows.insert((param, lane), shadow);
            }
        }
        for &reel in &self.helpers.reels {
            self.reels.insert(reel, self.func.append_param(entry, reel.ty()));
        }
    }

    /// What a function that is cut gives on the way there: its results, and the shadows of those that hold numbers.
    fn returned(&self) -> Vec<Value> {
        let Some(&(end, _)) = self.ends.first().filter(|_| self.split) else { return Vec::new() };
        let func = &self.module.funcs[self.id];
        let Terminator::Return(values) = &func.blocks[end].term else {
            unreachable!("a function that is called ends with a return")
        };
        let memory = memory_results(func, self.id, self.activity).into_iter();
        let shadows = memory.flat_map(|it| (0..self.lanes).map(move |lane| (values[it], lane)));
        values.iter().copied().chain(shadows.map(|it| self.shadows[&it])).collect()
    }

    fn memory_params(&self) -> Vec<Value> {
        memory_params(&self.module.funcs[self.id], self.id, self.activity).collect()
    }

    fn is_active(&self, value: Value) -> bool {
        self.activity.is_active(self.id, value)
    }

    fn is_memory(&self, value: Value) -> bool {
        self.is_active(value) && !is_value(self.func.ty(value))
    }
}
