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
//! tape then, and the callers pass it on. Its way back takes the cotangents of its results and gives those of its
//! parameters.

use std::collections::HashMap;

use crate::analysis::{Cfg, Dominators, Edge, LoopId, Loops};
use crate::build::Builder;
use crate::entity::{Block, Entity, FuncId, Inst, Loc, Value};
use crate::ir::{BlockData, Def, Function, Jump, Module, Terminator};
use crate::op::{Cmp, Const, ListOp, Num2, Op, Wrap2};
use crate::set::EntityMap;
use crate::types::{Elem, Type};

use super::activity::{Activity, resizes};
use super::cut::cut;
use super::pullback::{self, Path, Site, passes, path};
use super::tape::{self, Record, Reel, What};
use super::variables::{Flow, Region, Var, Variables};
use super::{Refused, Request, shape};

const SHADOW: Type = Type::List(Elem::F64);

/// Makes the main function give, behind its own results, the derivatives of each `of` by each `wrt`: for each `of` in
/// turn, a float for a float, a list for a list or an array. The same for each exit that is an end.
///
/// # Errors
/// What has no derivative. The module is in no good state then.
pub fn reverse(module: &mut Module, request: &Request) -> Result<Vec<Record>, Refused> {
    shape::prepare(module);
    let activity = Activity::of(module, request)?;
    let lanes = request.ends.first().map_or(0, |end| end.of.len());
    let originals = module.funcs.len();
    let helpers = Helpers::declare(module, &activity, lanes);
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
        let Cx { mut func, turn, .. } = cx;
        match (pair, turn) {
            (Some(pair), Some((end, turn))) => {
                let mut back = cut(&func, turn, module.funcs[pair.back].name.clone());
                back.results.clone_from(&module.funcs[pair.back].results);
                func.blocks[end].term = Terminator::Return(returned(&module.funcs[id], end));
                func.remove_unreachable();
                func.name.clone_from(&module.funcs[pair.there].name);
                made.push((pair.there, func));
                made.push((pair.back, back));
            }
            // It never returns.
            (Some(pair), None) => {
                func.name.clone_from(&module.funcs[pair.there].name);
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

fn returned(func: &Function, block: Block) -> Vec<Value> {
    match &func.blocks[block].term {
        Terminator::Return(values) => values.clone(),
        _ => unreachable!("a function that is called ends with a return"),
    }
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
        Type::F64 => Type::F64,
        _ => SHADOW,
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
    /// `list, n -> t`: takes the last `n` items out, and gives their sum.
    drain: Option<FuncId>,
}

impl Helpers {
    fn declare(module: &mut Module, activity: &Activity, lanes: usize) -> Self {
        let originals: Vec<FuncId> = module.funcs.keys().collect();
        let fills = module.funcs.iter().any(|(id, func)| {
            let filled =
                |inst: &crate::ir::InstData| inst.op == Op::List(ListOp::Fill) && activity.is_active(id, inst.args[0]);
            func.insts.values().any(filled)
        });
        let mut it = Self { pairs: EntityMap::new(None), drain: None };
        let main = module.main();
        for id in originals.into_iter().filter(|&id| id != main && activity.any(id)) {
            let func = &module.funcs[id];
            let reels = Reel::ALL.map(Reel::ty);
            let shadows = vec![SHADOW; lanes * memory_params(func, id, activity).count()];
            let of = |count: usize| vec![Type::F64; lanes * count];
            let there = [func.param_types(), shadows.clone(), reels.to_vec()].concat();
            let results = active_results(func, id, activity).len();
            let back = [of(results), shadows, reels.to_vec()].concat();
            let grads = of(float_params(func, id, activity).count());
            let names = [format!("{}.there", func.name), format!("{}.back", func.name)];
            let [there, back] = [(there, func.results.clone()), (back, grads)].map(|(params, results)| {
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
        if fills {
            let drain = drain(module);
            it.drain = Some(module.funcs.push(drain));
        }
        it
    }
}

/// `list, n -> t`: takes the last `n` items out, none if `n` is negative, and gives their sum.
fn drain(module: &Module) -> Function {
    const TYPED: &str = "the types are those of the op";
    let mut func = Function::new("drain");
    func.results = vec![Type::F64];
    let entry = func.entry();
    let mut b = Builder::new(module, &mut func, entry);
    let [list, n] = [SHADOW, Type::I64].map(|ty| b.append_param(entry, ty));
    let [header, body, done] = [(); 3].map(|()| b.create_block());
    let [left, sum] = [Type::I64, Type::F64].map(|ty| b.append_param(header, ty));
    let zero = b.constant(Const::F64(0.0));
    b.jump(header, vec![n, zero]);
    b.switch_to(header);
    let none = b.constant(Const::I64(0));
    let more = b.value(Op::Cmp(Cmp::Gt), &[left, none]).expect(TYPED);
    b.branch(more, body, done);
    b.switch_to(body);
    let item = b.value(Op::List(ListOp::Pop), &[list]).expect(TYPED);
    let next = b.value(Op::Num2(Num2::Add), &[sum, item]).expect(TYPED);
    let one = b.constant(Const::I64(1));
    let less = b.value(Op::Wrap2(Wrap2::Sub), &[left, one]).expect(TYPED);
    b.jump(header, vec![less, next]);
    b.switch_to(done);
    b.ret(vec![sum]);
    func
}

fn memory_params<'a>(func: &'a Function, id: FuncId, activity: &'a Activity) -> impl Iterator<Item = Value> + 'a {
    func.params().iter().copied().filter(move |&it| activity.is_active(id, it) && !func.ty(it).is_scalar())
}

fn float_params<'a>(func: &'a Function, id: FuncId, activity: &'a Activity) -> impl Iterator<Item = Value> + 'a {
    func.params().iter().copied().filter(move |&it| activity.is_active(id, it) && func.ty(it) == Type::F64)
}

/// The positions of the results of a function that are active floats.
fn active_results(func: &Function, id: FuncId, activity: &Activity) -> Vec<usize> {
    let mut positions = Vec::new();
    for block in func.blocks.values() {
        if let Terminator::Return(values) = &block.term {
            let active = (0..values.len()).filter(|&it| activity.is_active(id, values[it]));
            positions.extend(active.filter(|&it| func.ty(values[it]) == Type::F64));
        }
    }
    positions
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
    /// How long a list was before an instruction truncated it.
    lengths: HashMap<Inst, Value>,
    /// In a function that is cut: the shadows of parameters, on the way back.
    back_shadows: HashMap<(Value, usize), Value>,
    reels: [Option<Value>; 2],
    back_reels: [Option<Value>; 2],
    zero: Value,
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
    /// What is there of the way there, in this block.
    known: HashMap<Value, Value>,
    needed: Vec<(Value, Vec<Inst>)>,
    /// Where a function that is cut turns round: its last block, and the first on the way back.
    turn: Option<(Block, Block)>,
    /// The cotangents that the way back of such a function is given.
    seeds: Vec<Value>,
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
            lengths: HashMap::new(),
            back_shadows: HashMap::new(),
            reels: [None; 2],
            back_reels: [None; 2],
            heads: EntityMap::new(Vec::new()),
            tails: EntityMap::new(Vec::new()),
            edge_tails: EntityMap::new(Vec::new()),
            back: EntityMap::new(None),
            loc: None,
            known: HashMap::new(),
            needed: Vec::new(),
            turn: None,
            seeds: Vec::new(),
            records: Vec::new(),
        };
        it.skip_loops();
        it
    }

    fn build(&mut self) -> Result<(), Refused> {
        if !self.split {
            let grads = grad_types(&self.func, self.request, self.lanes);
            self.func.results.extend(grads);
        }
        if self.split {
            self.begin_split();
        }
        self.make_shadows()?;
        if !self.ends.is_empty() {
            self.make_back()?;
        }
        self.place_records();
        Ok(())
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

    /// Parameters for what a function that is cut is given besides its own.
    fn begin_split(&mut self) {
        let entry = self.func.entry();
        for param in self.memory_params() {
            for lane in 0..self.lanes {
                let shadow = self.func.append_param(entry, SHADOW);
                self.shadows.insert((param, lane), shadow);
            }
        }
        for reel in Reel::ALL {
            self.reels[reel as usize] = Some(self.func.append_param(entry, reel.ty()));
        }
    }

    fn memory_params(&self) -> Vec<Value> {
        memory_params(&self.module.funcs[self.id], self.id, self.activity).collect()
    }

    fn is_active(&self, value: Value) -> bool {
        self.activity.is_active(self.id, value)
    }

    fn is_memory(&self, value: Value) -> bool {
        self.is_active(value) && !self.func.ty(value).is_scalar()
    }

    // The way there.

    /// Gives each active list a shadow, and calls the functions that are cut.
    fn make_shadows(&mut self) -> Result<(), Refused> {
        let entry = self.func.entry();
        let order: Vec<Block> =
            self.flow.cfg.order().iter().copied().filter(|&block| self.flow.on_path[block]).collect();
        for &block in &order {
            for param in self.func.blocks[block].params.clone() {
                if self.is_memory(param) && block != entry {
                    for lane in 0..self.lanes {
                        let shadow = self.func.append_param(block, SHADOW);
                        self.shadows.insert((param, lane), shadow);
                    }
                }
            }
        }
        if !self.split {
            let params = self.module.funcs[self.id].params();
            let by = self.request.wrt.iter().map(|&position| params[position]);
            let by = by.filter(|&param| !self.func.ty(param).is_scalar() && !self.is_active(param));
            for param in by.chain(self.memory_params()).collect::<Vec<_>>() {
                let shadows = (0..self.lanes).map(|_| self.zeros_like(param)).collect::<Vec<_>>();
                for (lane, (insts, shadow)) in shadows.into_iter().enumerate() {
                    insts.iter().for_each(|&inst| self.homes[inst] = entry);
                    self.func.blocks[entry].insts.splice(0..0, insts);
                    self.shadows.insert((param, lane), shadow);
                }
            }
        }
        for &block in &order {
            let mut insts = Vec::new();
            for inst in self.func.blocks[block].insts.clone() {
                self.there(block, inst, &mut insts)?;
            }
            self.func.blocks[block].insts = insts;
        }
        // What jumps bring for the shadows.
        for &block in &order {
            let mut term = self.func.blocks[block].term.clone();
            for jump in term.jumps_mut().filter(|jump| self.flow.on_path[jump.target]) {
                let params = &self.module.funcs[self.id].blocks[jump.target].params;
                for (position, _) in params.iter().enumerate().filter(|&(_, &param)| self.is_memory(param)) {
                    for lane in 0..self.lanes {
                        jump.args.push(self.shadows[&(jump.args[position], lane)]);
                    }
                }
            }
            self.func.blocks[block].term = term;
        }
        Ok(())
    }

    /// A list of as many zeros as a list or array has items.
    fn zeros_like(&mut self, memory: Value) -> (Vec<Inst>, Value) {
        let func = &mut self.func;
        let (zero_inst, zero) = func.make_const(Const::F64(0.0), None);
        let len = match func.ty(memory) {
            Type::Array(_) => Op::Len,
            _ => Op::List(ListOp::Len),
        };
        let (len_inst, len) = func.make_value(len, vec![memory], Type::I64, None);
        let (new, list) = func.make_value(Op::ListNew(Elem::F64), Vec::new(), SHADOW, None);
        let room = func.make_inst(Op::List(ListOp::Reserve), vec![list, len], &[], None);
        let fill = func.make_inst(Op::List(ListOp::Fill), vec![list, len, zero], &[], None);
        (vec![zero_inst, len_inst, new, room, fill], list)
    }

    /// An instruction of the way there, and what its lists' shadows need.
    fn there(&mut self, block: Block, inst: Inst, insts: &mut Vec<Inst>) -> Result<(), Refused> {
        let data = self.func.insts[inst].clone();
        let mut add = |cx: &mut Self, inst: Inst| {
            cx.homes[inst] = block;
            insts.push(inst);
        };
        match data.op {
            Op::List(ListOp::Truncate) if self.is_memory(data.args[0]) => {
                // The way back asks how long it was.
                let list = vec![data.args[0]];
                let (len, value) = self.func.make_value(Op::List(ListOp::Len), list, Type::I64, data.loc);
                add(self, len);
                self.lengths.insert(inst, value);
            }
            Op::Call(callee, _) if let Some(pair) = self.helpers.pairs[callee] => {
                let mut args = data.args.clone();
                args.extend(self.passed_shadows(callee, &data.args));
                args.extend(Reel::ALL.map(|reel| self.reel(reel)));
                self.func.insts[inst].op = Op::Call(pair.there, None);
                self.func.insts[inst].args = args;
                if let Some(&list) = data.results.iter().find(|&&it| self.is_memory(it)) {
                    let what = format!("a {} that a function gives back", self.func.ty(list));
                    return Err(Refused { what, loc: data.loc });
                }
            }
            _ => {}
        }
        add(self, inst);
        match data.op {
            Op::ListNew(_) if self.is_memory(data.results[0]) => {
                for lane in 0..self.lanes {
                    let (new, shadow) = self.func.make_value(Op::ListNew(Elem::F64), Vec::new(), SHADOW, data.loc);
                    add(self, new);
                    self.shadows.insert((data.results[0], lane), shadow);
                }
            }
            Op::List(op) if resizes(op) && self.is_memory(data.args[0]) => {
                let (zero_inst, zero) = self.func.make_const(Const::F64(0.0), data.loc);
                if op.takes_item() {
                    add(self, zero_inst);
                }
                for lane in 0..self.lanes {
                    let mut args = data.args.clone();
                    args[0] = self.shadows[&(args[0], lane)];
                    if op.takes_item() {
                        *args.last_mut().expect("the op takes an item") = zero;
                    }
                    let types: &[Type] = if op.gives_item() { &[Type::F64] } else { &[] };
                    let mirrored = self.func.make_inst(Op::List(op), args, types, data.loc);
                    add(self, mirrored);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn passed_shadows(&self, callee: FuncId, args: &[Value]) -> Vec<Value> {
        let params = self.module.funcs[callee].params();
        let active = args.iter().zip(params).filter(|&(_, &param)| {
            self.activity.is_active(callee, param) && !self.module.funcs[callee].ty(param).is_scalar()
        });
        active.flat_map(|(&arg, _)| (0..self.lanes).map(move |lane| self.shadows[&(arg, lane)])).collect()
    }

    // Constants and lists that everything may use.

    /// Puts an instruction at the very beginning.
    fn at_entry(&mut self, op: Op, ty: Type) -> Value {
        let (inst, value) = self.func.make_value(op, Vec::new(), ty, None);
        let entry = self.func.entry();
        self.homes[inst] = entry;
        self.heads[entry].push(inst);
        value
    }

    fn default_of(&mut self, ty: Type) -> Value {
        match ty {
            Type::F64 => self.zero,
            Type::I64 => self.none,
            Type::Bool => self.at_entry(Op::Const(Const::Bool(false)), ty),
            Type::List(elem) => self.at_entry(Op::ListNew(elem), ty),
            Type::Map(map) => self.at_entry(Op::MapNew(map), ty),
            Type::Array(_) => unreachable!("an array is a parameter, which is there everywhere"),
        }
    }

    /// The tape, on the way there.
    fn reel(&mut self, reel: Reel) -> Value {
        match self.reels[reel as usize] {
            Some(value) => value,
            None => {
                let value = self.at_entry(Op::ListNew(reel.elem()), reel.ty());
                self.reels[reel as usize] = Some(value);
                value
            }
        }
    }

    /// The tape, on the way back.
    fn back_reel(&mut self, reel: Reel) -> Value {
        match self.back_reels[reel as usize] {
            Some(value) => value,
            None => self.reel(reel),
        }
    }

    // The way back: its blocks.

    /// Makes a block for the way back through each block, and turns round at the ends.
    fn mirror(&mut self) {
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
    fn ways_in(&self, target: Block) -> usize {
        match self.skipped[target] {
            None => 1,
            Some(id) => {
                let exits = &self.loops.data(id).exits;
                exits.iter().filter(|edge| self.flow.on_path[edge.jump(&self.func).target]).count()
            }
        }
    }

    fn turn(&mut self) {
        self.zero = self.at_entry(Op::Const(Const::F64(0.0)), Type::F64);
        self.none = self.at_entry(Op::Const(Const::I64(0)), Type::I64);
        for (block, _) in self.ends.clone() {
            let back = self.back[block].expect("an end is no part of a loop");
            self.func.blocks[block].term = Terminator::Jump(Jump { target: back, args: Vec::new() });
            self.vars.expected[back] = 1;
            self.vars.link(&self.func, block);
        }
    }

    /// The block at which the function is cut: what the way back is given are its parameters.
    fn turn_cut(&mut self) {
        let (end, _) = self.ends[0];
        let turn = self.func.blocks.push(BlockData::default());
        let results = active_results(&self.module.funcs[self.id], self.id, self.activity).len();
        let mut args = Vec::new();
        let zero = self.func.make_const(Const::F64(0.0), None);
        self.func.blocks[end].insts.push(zero.0);
        for _ in 0..results * self.lanes {
            self.seeds.push(self.func.append_param(turn, Type::F64));
            args.push(zero.1);
        }
        for param in self.memory_params() {
            for lane in 0..self.lanes {
                args.push(self.shadows[&(param, lane)]);
                self.back_shadows.insert((param, lane), self.func.append_param(turn, SHADOW));
            }
        }
        for reel in Reel::ALL {
            args.push(self.reel(reel));
            self.back_reels[reel as usize] = Some(self.func.append_param(turn, reel.ty()));
        }
        let (zero_inst, zero) = self.func.make_const(Const::F64(0.0), None);
        let (none_inst, none) = self.func.make_const(Const::I64(0), None);
        self.func.blocks[turn].insts.extend([zero_inst, none_inst]);
        (self.zero, self.none) = (zero, none);
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
    fn count_loops(&mut self) {
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
    fn make_hubs(&mut self) {
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
    fn enter(&mut self, edge: Edge, inside: Option<LoopId>) {
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
    fn source(&self, edge: Edge) -> Block {
        let Some(id) = self.skipped[edge.from] else { return edge.from };
        let data = self.loops.data(id);
        let mut preds = self.flow.cfg.preds(data.header).iter();
        preds.find(|edge| !data.latches.contains(edge)).expect("a loop is entered").from
    }

    fn choose_way(&mut self, which: Var, index: usize) {
        let index = self.value(Op::Const(Const::I64(index as i64)), &[]);
        self.vars.write(which, self.block, index);
    }

    /// The loops that are left by an edge and counted, the innermost first.
    fn left_by(&self, edge: Edge, target: Block) -> Vec<LoopId> {
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
    fn is_repeated(&self, block: Block) -> bool {
        self.split || self.loops.innermost(block).is_some() || !self.loops.irreducible().is_empty()
    }

    fn decision(&self, block: Block) -> Decision {
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

    // The way back: its instructions.

    fn emit(&mut self, op: Op, args: &[Value]) -> Vec<Value> {
        let mut builder = Builder::new(self.module, &mut self.func, self.block);
        builder.at(self.loc).inst(op, args).expect("derivatives have the types of what they belong to")
    }

    fn value(&mut self, op: Op, args: &[Value]) -> Value {
        self.emit(op, args)[0]
    }

    fn end_with(&mut self, term: Terminator) {
        self.func.blocks[self.block].term = term;
        self.func.blocks[self.block].term_loc = self.loc;
        self.vars.link(&self.func, self.block);
    }

    fn def_of(&self, value: Value) -> Block {
        match self.func.values[value].def {
            Def::Result(inst, _) => self.homes[inst],
            Def::Param(block, _) => block,
        }
    }

    /// Whether a loop goes round both blocks.
    fn share_loop(&self, a: Block, b: Block) -> bool {
        if !self.loops.irreducible().is_empty() {
            return true;
        }
        let mut at = self.loops.innermost(a);
        while let Some(id) = at {
            if self.loops.contains(id, b) {
                return true;
            }
            at = self.loops.data(id).parent;
        }
        false
    }

    /// What a value of the way there was, on the way back through the block that uses it; `None` if there is no way to
    /// record it.
    fn primal(&mut self, value: Value) -> Option<Value> {
        if let Some(&known) = self.known.get(&value) {
            return Some(known);
        }
        let found = if let Some(constant) = self.func.as_const(value) {
            self.value(Op::Const(constant), &[])
        } else if !self.split && !self.share_loop(self.def_of(value), self.at) {
            let def = self.def_of(value);
            if self.ends.iter().all(|&(end, _)| self.flow.doms.dominates(def, end)) {
                return Some(value);
            }
            return Some(self.carry(value, def));
        } else {
            let ty = self.func.ty(value);
            let reel = self.back_reel(Reel::of(ty)?);
            let (insts, popped) = tape::pop(&mut self.func, reel, ty, self.loc);
            self.needed.push((value, insts));
            self.note(What::Value(ty), self.loc);
            popped
        };
        self.known.insert(value, found);
        Some(found)
    }

    /// A number of the way there.
    fn number(&mut self, value: Value) -> Value {
        self.primal(value).expect("every number can be recorded")
    }

    fn carry(&mut self, value: Value, def: Block) -> Value {
        let var = match self.carried.get(&value) {
            Some(&var) => var,
            None => {
                let ty = self.func.ty(value);
                let default = self.default_of(ty);
                let first = self.flow.cfg.position(def).expect("what is used can be reached");
                let var = self.vars.carried(ty, first, default);
                self.vars.write(var, def, value);
                self.carried.insert(value, var);
                var
            }
        };
        self.vars.read(var, self.block, &mut self.func, &self.flow)
    }

    fn note(&mut self, what: What, loc: Option<Loc>) {
        self.records.push(Record { func: self.func.name.clone(), what, loc });
    }

    /// The shadow of a list or array.
    fn shadow(&mut self, memory: Value, lane: usize) -> Result<Value, Refused> {
        if let Some(&shadow) = self.back_shadows.get(&(memory, lane)) {
            return Ok(shadow);
        }
        let shadow = self.shadows[&(memory, lane)];
        let loc = self.loc;
        let message = || "a list of floats that is made in a loop or in a recursive function".to_owned();
        self.primal(shadow).ok_or_else(|| Refused { what: message(), loc })
    }

    fn cotangent(&mut self, value: Value, lane: usize) -> Var {
        if let Some(&var) = self.cotangents.get(&(value, lane)) {
            return var;
        }
        let def = self.def_of(value);
        let var = self.vars.cotangent(value, def, self.zero);
        self.cotangents.insert((value, lane), var);
        var
    }

    /// The cotangent that a value has got, which is zero from here on; `None` if it is zero.
    fn take(&mut self, value: Value, lane: usize) -> Option<Value> {
        if !self.is_active(value) {
            return None;
        }
        let var = self.cotangent(value, lane);
        let got = self.vars.read(var, self.block, &mut self.func, &self.flow);
        self.vars.write(var, self.block, self.zero);
        (got != self.zero).then_some(got)
    }

    fn add_to(&mut self, value: Value, lane: usize, share: Value) {
        if !self.is_active(value) {
            return;
        }
        let var = self.cotangent(value, lane);
        let so_far = self.vars.read(var, self.block, &mut self.func, &self.flow);
        let sum = if so_far == self.zero { share } else { self.value(Op::Num2(Num2::Add), &[so_far, share]) };
        self.vars.write(var, self.block, sum);
    }

    /// Builds the way back through a block.
    fn go_back(&mut self, block: Block) -> Result<(), Refused> {
        self.at = block;
        self.block = self.back[block].expect("it was made");
        self.loc = self.func.blocks[block].term_loc;
        self.known.clear();
        self.begin_at_end(block);
        let insts = self.module.funcs[self.id].blocks[block].insts.clone();
        for inst in insts.into_iter().rev() {
            self.loc = self.module.funcs[self.id].insts[inst].loc;
            self.undo(inst)?;
        }
        let mut brought = Vec::new();
        let params = self.module.funcs[self.id].blocks[block].params.clone();
        if block != self.func.entry() {
            for (position, param) in params.into_iter().enumerate() {
                if self.func.ty(param) != Type::F64 {
                    continue;
                }
                for lane in 0..self.lanes {
                    brought.extend(self.take(param, lane).map(|t| (position, lane, t)));
                }
            }
        }
        let first = self.block;
        self.leave(block, &brought);
        // What the way there pushes in this order, the way back pops in the other one, before all else.
        let needed = std::mem::take(&mut self.needed);
        for (value, _) in &needed {
            let reel = Reel::of(self.func.ty(*value)).expect("it was popped");
            let reel = self.reel(reel);
            let pushed = tape::push(&mut self.func, reel, *value, None);
            self.tails[block].extend(pushed);
        }
        let popped: Vec<Inst> = needed.into_iter().rev().flat_map(|(_, insts)| insts).collect();
        self.func.blocks[first].insts.splice(0..0, popped);
        Ok(())
    }

    /// The cotangents of what is differentiated.
    fn begin_at_end(&mut self, block: Block) {
        let Some(&(_, end)) = self.ends.iter().find(|&&(end, _)| end == block) else { return };
        let values = match &self.module.funcs[self.id].blocks[block].term {
            Terminator::Return(values) | Terminator::Exit(_, values) => values.clone(),
            Terminator::None | Terminator::Jump(_) | Terminator::Branch { .. } => unreachable!("it is an end"),
        };
        if self.split {
            let positions = active_results(&self.module.funcs[self.id], self.id, self.activity);
            let seeds = std::mem::take(&mut self.seeds);
            for (index, seed) in seeds.into_iter().enumerate() {
                self.add_to(values[positions[index % positions.len()]], index / positions.len(), seed);
            }
            return;
        }
        for (lane, &of) in self.request.ends[end].of.iter().enumerate() {
            if self.is_active(values[of]) {
                let one = self.value(Op::Const(Const::F64(1.0)), &[]);
                self.add_to(values[of], lane, one);
            }
        }
    }

    fn undo(&mut self, inst: Inst) -> Result<(), Refused> {
        let data = self.module.funcs[self.id].insts[inst].clone();
        match path(data.op) {
            Path::Scalar => {
                for lane in 0..self.lanes {
                    let Some(t) = self.take(data.results[0], lane) else { continue };
                    for (position, &arg) in data.args.iter().enumerate() {
                        if passes(data.op, position) && self.is_active(arg) {
                            let mut site = Backward { cx: self, inst };
                            if let Some(share) = pullback::scaled(&mut site, data.op, position, t) {
                                self.add_to(arg, lane, share);
                            }
                        }
                    }
                }
            }
            Path::List(op) if self.is_active(data.args[0]) => {
                for lane in 0..self.lanes {
                    self.undo_list(inst, op, lane)?;
                }
            }
            Path::Load if self.is_active(data.args[0]) => {
                for lane in 0..self.lanes {
                    self.add_to_item(&data.args, data.results[0], lane)?;
                }
            }
            Path::Call => {
                if let Op::Call(callee, _) = data.op
                    && let Some(pair) = self.helpers.pairs[callee]
                {
                    self.undo_call(callee, pair, &data.args, &data.results)?;
                }
            }
            Path::List(_) | Path::Load | Path::Store | Path::Map | Path::Host | Path::Nowhere => {}
        }
        Ok(())
    }

    fn undo_call(&mut self, callee: FuncId, pair: Pair, args: &[Value], results: &[Value]) -> Result<(), Refused> {
        let func = &self.module.funcs[callee];
        let positions = active_results(func, callee, self.activity);
        let mut passed = Vec::new();
        for lane in 0..self.lanes {
            for &position in &positions {
                passed.push(self.take(results[position], lane).unwrap_or(self.zero));
            }
        }
        for (&arg, &param) in args.iter().zip(func.params()) {
            if self.activity.is_active(callee, param) && !func.ty(param).is_scalar() {
                for lane in 0..self.lanes {
                    passed.push(self.shadow(arg, lane)?);
                }
            }
        }
        passed.extend(Reel::ALL.map(|reel| self.back_reel(reel)));
        let shares = self.emit(Op::Call(pair.back, None), &passed);
        let floats: Vec<Value> = float_params(func, callee, self.activity).collect();
        let by: Vec<Value> =
            args.iter().zip(func.params()).filter(|&(_, param)| floats.contains(param)).map(|(&arg, _)| arg).collect();
        for (index, share) in shares.into_iter().enumerate() {
            self.add_to(by[index % by.len()], index / by.len(), share);
        }
        Ok(())
    }

    /// What was read from a list or array: its cotangent belongs to the item.
    fn add_to_item(&mut self, args: &[Value], result: Value, lane: usize) -> Result<(), Refused> {
        let Some(t) = self.take(result, lane) else { return Ok(()) };
        let (shadow, index) = (self.shadow(args[0], lane)?, self.number(args[1]));
        let so_far = self.value(Op::List(ListOp::Get), &[shadow, index]);
        let sum = self.value(Op::Num2(Num2::Add), &[so_far, t]);
        self.emit(Op::List(ListOp::Set), &[shadow, index, sum]);
        Ok(())
    }

    fn undo_list(&mut self, inst: Inst, op: ListOp, lane: usize) -> Result<(), Refused> {
        let data = self.module.funcs[self.id].insts[inst].clone();
        let (args, results) = (&data.args, &data.results);
        if matches!(op, ListOp::Len | ListOp::Reserve) {
            return Ok(());
        }
        if op == ListOp::Get {
            return self.add_to_item(args, results[0], lane);
        }
        let shadow = self.shadow(args[0], lane)?;
        match op {
            ListOp::Len | ListOp::Get | ListOp::Reserve => {}
            ListOp::Set => {
                let index = self.number(args[1]);
                let t = self.value(Op::List(ListOp::Get), &[shadow, index]);
                self.emit(Op::List(ListOp::Set), &[shadow, index, self.zero]);
                self.add_to(args[2], lane, t);
            }
            ListOp::Push | ListOp::Append => {
                let t = self.value(Op::List(ListOp::Pop), &[shadow]);
                self.add_to(args[1], lane, t);
            }
            ListOp::Pop => {
                let t = self.take(results[0], lane).unwrap_or(self.zero);
                self.emit(Op::List(ListOp::Push), &[shadow, t]);
            }
            ListOp::Fill => {
                let drain = self.helpers.drain.expect("it was declared for this");
                let count = self.number(args[1]);
                let t = self.value(Op::Call(drain, None), &[shadow, count]);
                self.add_to(args[2], lane, t);
            }
            ListOp::Insert => {
                let index = self.number(args[1]);
                let t = self.value(Op::List(ListOp::Remove), &[shadow, index]);
                self.add_to(args[2], lane, t);
            }
            ListOp::Remove => {
                let index = self.number(args[1]);
                let t = self.take(results[0], lane).unwrap_or(self.zero);
                let one = self.value(Op::Const(Const::I64(1)), &[]);
                self.emit(Op::List(ListOp::Reserve), &[shadow, one]);
                self.emit(Op::List(ListOp::Insert), &[shadow, index, t]);
            }
            ListOp::Truncate => {
                let before = self.lengths[&inst];
                let (before, after) = (self.number(before), self.number(args[1]));
                let gone = self.value(Op::Wrap2(Wrap2::Sub), &[before, after]);
                self.emit(Op::List(ListOp::Reserve), &[shadow, gone]);
                self.emit(Op::List(ListOp::Fill), &[shadow, gone, self.zero]);
            }
        }
        Ok(())
    }

    /// Goes on to the predecessors of a block, with the cotangents of its parameters.
    fn leave(&mut self, block: Block, brought: &[(usize, usize, Value)]) {
        self.loc = self.func.blocks[block].term_loc;
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
                for index in 0..edges.len() - 2 {
                    let it = self.is_edge(number, index);
                    let [then, other] = [(); 2].map(|()| self.behind(block));
                    let jump = |target| Jump { target, args: Vec::new() };
                    self.end_with(Terminator::Branch { cond: it, then: jump(then), other: jump(other) });
                    self.block = then;
                    self.follow(edges[index], block, brought);
                    self.block = other;
                }
                let last = [edges[edges.len() - 2], edges[edges.len() - 1]];
                let it = self.is_edge(number, edges.len() - 2);
                self.choose(it, last, block, brought);
            }
        }
    }

    fn is_edge(&mut self, number: Value, index: usize) -> Value {
        let index = self.value(Op::Const(Const::I64(index as i64)), &[]);
        self.value(Op::Cmp(Cmp::Eq), &[number, index])
    }

    /// A new block on the way back behind this one.
    fn behind(&mut self, block: Block) -> Block {
        let new = self.func.blocks.push(BlockData::default());
        self.vars.regions[new] = Region::Behind(block);
        self.vars.expected[new] = 1;
        new
    }

    fn choose(&mut self, cond: Value, edges: [Edge; 2], block: Block, brought: &[(usize, usize, Value)]) {
        let [then, other] = [(); 2].map(|()| self.behind(block));
        let jump = |target| Jump { target, args: Vec::new() };
        self.end_with(Terminator::Branch { cond, then: jump(then), other: jump(other) });
        for (edge, at) in edges.into_iter().zip([then, other]) {
            self.block = at;
            self.follow(edge, block, brought);
        }
    }

    /// Goes on to a predecessor.
    fn follow(&mut self, edge: Edge, block: Block, brought: &[(usize, usize, Value)]) {
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
    fn edge_number(&mut self, block: Block, edges: &[Edge]) -> Value {
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

    fn pop_here(&mut self, ty: Type) -> Value {
        let reel = self.back_reel(Reel::of(ty).expect("a number"));
        let (insts, value) = tape::pop(&mut self.func, reel, ty, self.loc);
        self.func.blocks[self.block].insts.extend(insts);
        value
    }

    /// A loop has been left for this block: its count is there again.
    fn pop_count(&mut self, id: LoopId, block: Block) {
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
    fn finish(&mut self) {
        let params = self.module.funcs[self.id].params().to_vec();
        if self.split {
            let floats: Vec<Value> = float_params(&self.module.funcs[self.id], self.id, self.activity).collect();
            let mut shares = Vec::new();
            for lane in 0..self.lanes {
                for &param in &floats {
                    shares.push(self.take(param, lane).unwrap_or(self.zero));
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
                    Type::F64 => self.take(param, lane).unwrap_or(self.zero),
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
    fn at_end(&mut self, value: Value) -> Value {
        let def = self.def_of(value);
        if self.ends.iter().all(|&(end, _)| self.flow.doms.dominates(def, end)) {
            value
        } else {
            self.carry(value, def)
        }
    }

    /// Which end it was.
    fn end_number(&mut self, ends: &[Block]) -> Value {
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

/// An instruction on the way back.
struct Backward<'c, 'a> {
    cx: &'c mut Cx<'a>,
    inst: Inst,
}

impl Site for Backward<'_, '_> {
    fn operand(&mut self, position: usize) -> Value {
        let arg = self.cx.module.funcs[self.cx.id].insts[self.inst].args[position];
        self.cx.number(arg)
    }

    fn result(&mut self) -> Value {
        let result = self.cx.module.funcs[self.cx.id].insts[self.inst].results[0];
        self.cx.number(result)
    }

    fn emit(&mut self, op: Op, args: &[Value]) -> Value {
        self.cx.value(op, args)
    }
}
