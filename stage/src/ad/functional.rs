//! Writes into tensors, as tensors that are made anew: what is differentiated changes nothing.
//!
//! What a tensor holds is a variable: each write gives it another value, and each read takes the one that it has, by the
//! views that lead there. Blocks with several predecessors get parameters for it. That is done for tensors which a
//! function makes, and which nobody but the function knows while it writes. Other writes stay what they are, and are
//! refused where tensors are differentiated.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::analysis::{Cfg, Dominators};
use crate::entity::{Block, FuncId, HostId, Inst, Loc, Table, Value};
use crate::ir::{Def, Function, HostData, Module, Terminator};
use crate::op::{Acts, Op};
use crate::tensor::{Tensor, TensorOp};
use crate::types::{TensorType, Type};

use super::activity::tensor_op;
use super::tensor::tensor_type;

/// Makes functions of a module write into no tensor of their own. Whether any did.
pub(super) fn make(module: &mut Module, funcs: impl IntoIterator<Item = FuncId>) -> bool {
    let mut changed = false;
    for id in funcs {
        let mut func = std::mem::replace(&mut module.funcs[id], Function::new(""));
        func.remove_unreachable();
        let bases = bases(module, &func);
        if !bases.is_empty() {
            Cx { module, func: &mut func, bases, ends: HashMap::new(), now: BTreeMap::new() }.rewrite();
            changed = true;
        }
        module.funcs[id] = func;
    }
    changed
}

/// The instruction that a value is a view by.
fn view<'a>(module: &'a Module, func: &Function, value: Value) -> Option<(Inst, &'a TensorOp)> {
    let Def::Result(inst, _) = func.values[value].def else { return None };
    let op = tensor_op(module, func.insts[inst].op)?;
    op.is_view().then_some((inst, op))
}

/// What a value is a view of, itself if of nothing, and whether all of that is certainly the same memory.
fn base(module: &Module, func: &Function, value: Value) -> (Value, bool) {
    let (mut at, mut views) = (value, Vec::new());
    while let Some((inst, op)) = view(module, func, at) {
        views.push((at, op));
        at = func.insts[inst].args[0];
    }
    let dense = |of: Value| match func.ty(of) {
        Type::Tensor(ty) => Tensor::shell(ty.dtype, ty.shape.dims()).ok(),
        _ => None,
    };
    // What was just made lies dense, and by the steps the library says whether another shape of a view is a copy.
    let mut now = dense(at);
    for (value, op) in views.into_iter().rev() {
        let Some(of) = &now else { return (at, false) };
        now = match somewhere(op).seen(of) {
            Some((_, false)) => {
                at = value;
                dense(at)
            }
            seen => seen.map(|(made, _)| made),
        };
    }
    (at, now.is_some())
}

/// A view that has the same steps, wherever it begins.
fn somewhere(op: &TensorOp) -> TensorOp {
    match *op {
        TensorOp::PickAt { along, .. } => TensorOp::Pick { along, at: 0 },
        TensorOp::SliceAt { along, len } => TensorOp::Slice { along, first: 0, len, step: 1 },
        ref op => op.clone(),
    }
}

/// The tensors that are written to and can be made anew, with the blocks that make them.
fn bases(module: &Module, func: &Function) -> BTreeMap<Value, Block> {
    let cfg = Cfg::of(func);
    let mut homes = HashMap::new();
    let mut writes: BTreeMap<Value, Vec<Block>> = BTreeMap::new();
    for &block in cfg.order() {
        for &inst in &func.blocks[block].insts {
            homes.insert(inst, block);
            if matches!(func.insts[inst].op, Op::Tensor(_, Acts::Writes)) {
                writes.entry(base(module, func, func.insts[inst].args[0]).0).or_default().push(block);
            }
        }
    }
    let mut found = BTreeMap::new();
    if writes.is_empty() {
        return found;
    }
    for &value in writes.keys() {
        if let Def::Result(inst, _) = func.values[value].def
            && let Some(op) = tensor_op(module, func.insts[inst].op)
            && op.acts() == Acts::Makes
        {
            found.insert(value, homes[&inst]);
        }
    }
    let mut known = HashSet::new();
    for &block in cfg.order() {
        for &inst in &func.blocks[block].insts {
            let data = &func.insts[inst];
            let reads = matches!(data.op, Op::Tensor(..) | Op::Guard(_));
            for &arg in data.args.iter().filter(|&&arg| matches!(func.ty(arg), Type::Tensor(_))) {
                let (of, same) = base(module, func, arg);
                if !reads || !same {
                    known.insert(of);
                }
            }
        }
        let term = &func.blocks[block].term;
        for jump in term.jumps() {
            for &arg in jump.args.iter().filter(|&&arg| matches!(func.ty(arg), Type::Tensor(_))) {
                let (of, same) = base(module, func, arg);
                let Some(&home) = found.get(&of) else { continue };
                // From there on it has another name: it must not change any more.
                let later = reached(func, jump.target, home);
                if !same || writes[&of].iter().any(|it| later.contains(it)) {
                    known.insert(of);
                }
            }
        }
        if let Terminator::Return(values) | Terminator::Exit(_, values) = term {
            let tensors = values.iter().filter(|&&it| matches!(func.ty(it), Type::Tensor(_)));
            let all: Vec<(Value, bool)> = tensors.map(|&it| base(module, func, it)).collect();
            for &(of, same) in &all {
                // Two that share memory would share none.
                if !same || all.iter().filter(|(it, _)| *it == of).count() > 1 {
                    known.insert(of);
                }
            }
        }
    }
    found.retain(|value, _| !known.contains(value));
    found
}

/// The blocks that a block leads to, itself among them, up to one.
fn reached(func: &Function, from: Block, end: Block) -> HashSet<Block> {
    let mut found = HashSet::new();
    let mut work = vec![from];
    while let Some(block) = work.pop() {
        if block != end && found.insert(block) {
            work.extend(func.blocks[block].term.jumps().map(|jump| jump.target));
        }
    }
    found
}

struct Cx<'a> {
    module: &'a mut Module,
    func: &'a mut Function,
    bases: BTreeMap<Value, Block>,
    /// What each holds at the end of a block.
    ends: HashMap<Block, BTreeMap<Value, Value>>,
    /// What each holds where code is appended.
    now: BTreeMap<Value, Value>,
}

impl Cx<'_> {
    fn rewrite(&mut self) {
        let cfg = Cfg::of(self.func);
        let doms = Dominators::of(&cfg);
        let mut joins: Vec<(Block, Vec<Value>)> = Vec::new();
        for &block in cfg.order() {
            let inside: Vec<Value> = self
                .bases
                .iter()
                .filter(|(_, home)| **home != block && doms.dominates(**home, block))
                .map(|it| *it.0)
                .collect();
            self.now = match cfg.preds(block) {
                [edge] => {
                    self.ends[&edge.from].iter().filter(|(it, _)| inside.contains(it)).map(|(a, b)| (*a, *b)).collect()
                }
                _ => {
                    let params =
                        inside.iter().map(|&it| (it, self.func.append_param(block, self.func.ty(it)))).collect();
                    joins.push((block, inside));
                    params
                }
            };
            let mut insts = Vec::new();
            for inst in std::mem::take(&mut self.func.blocks[block].insts) {
                self.inst(inst, &mut insts);
            }
            let mut term = self.func.blocks[block].term.clone();
            let loc = self.func.blocks[block].term_loc;
            term.for_each_use_mut(|value| *value = self.current(*value, loc, &mut insts));
            self.func.blocks[block].term = term;
            self.func.blocks[block].insts = insts;
            self.ends.insert(block, std::mem::take(&mut self.now));
        }
        for (block, inside) in joins {
            for edge in cfg.preds(block) {
                let args: Vec<Value> = inside.iter().map(|it| self.ends[&edge.from][it]).collect();
                edge.jump_mut(self.func).args.extend(args);
            }
        }
    }

    fn inst(&mut self, inst: Inst, insts: &mut Vec<Inst>) {
        let data = self.func.insts[inst].clone();
        if let Some(&result) = data.results.first()
            && view(self.module, self.func, result).is_some()
            && self.now.contains_key(&base(self.module, self.func, result).0)
        {
            // Who uses the view takes what it shows by then.
            insts.push(inst);
            return;
        }
        let args: Vec<Value> = data.args.iter().map(|&arg| self.current(arg, data.loc, insts)).collect();
        if let Op::Tensor(_, Acts::Writes) = data.op
            && let Some(op) = tensor_op(self.module, data.op).cloned()
        {
            let (of, _) = base(self.module, self.func, data.args[0]);
            if self.now.contains_key(&of) {
                let ty = tensor_type(self.func.ty(data.args[0]));
                let (new, is_own) = self.written(&op, &args, ty, data.loc, insts);
                self.put(data.args[0], new, is_own, data.loc, insts);
                return;
            }
        }
        self.func.insts[inst].args = args;
        insts.push(inst);
        for &result in &data.results {
            if self.bases.contains_key(&result) {
                self.now.insert(result, result);
            }
        }
    }

    /// What a place holds after a write, and whether nothing else has the memory of that.
    fn written(
        &mut self,
        op: &TensorOp,
        args: &[Value],
        ty: TensorType,
        loc: Option<Loc>,
        insts: &mut Vec<Inst>,
    ) -> (Value, bool) {
        let (value, mut is_own) = match op {
            TensorOp::Num2Into(op) => (self.add(TensorOp::Num2(*op), &args[1..], loc, insts), true),
            TensorOp::Real2Into(op) => (self.add(TensorOp::Real2(*op), &args[1..], loc, insts), true),
            TensorOp::Scatter(at) => return (self.add(TensorOp::PutAt(at.clone()), args, loc, insts), true),
            _ => (args[1], false),
        };
        let is = tensor_type(self.func.ty(value));
        let value = match is.dtype == ty.dtype {
            true => value,
            false => {
                is_own = true;
                self.add(TensorOp::Cast(ty.dtype), &[value], loc, insts)
            }
        };
        if is.shape == ty.shape {
            return (value, is_own);
        }
        (self.add(TensorOp::Broadcast(ty.shape.dims().to_vec()), &[value], loc, insts), false)
    }

    /// Puts something in the place of a view, or of all.
    fn put(&mut self, place: Value, new: Value, is_own: bool, loc: Option<Loc>, insts: &mut Vec<Inst>) {
        let Some((inst, op)) = view(self.module, self.func, place).map(|(inst, op)| (inst, op.clone())) else {
            let new = if is_own { new } else { self.add(TensorOp::Copy, &[new], loc, insts) };
            self.now.insert(place, new);
            return;
        };
        let args = self.func.insts[inst].args.clone();
        let whole = self.current(args[0], loc, insts);
        let whole = self.add(TensorOp::Put(Box::new(op)), &[&[whole, new], &args[1..]].concat(), loc, insts);
        self.put(args[0], whole, true, loc, insts);
    }

    /// What stands for a value here.
    fn current(&mut self, value: Value, loc: Option<Loc>, insts: &mut Vec<Inst>) -> Value {
        if let Some(&now) = self.now.get(&value) {
            return now;
        }
        if !matches!(self.func.ty(value), Type::Tensor(_)) {
            return value;
        }
        let (of, _) = base(self.module, self.func, value);
        if of == value || self.now.get(&of).is_none_or(|now| *now == of) {
            return value;
        }
        let Some((inst, op)) = view(self.module, self.func, value).map(|(inst, op)| (inst, op.clone())) else {
            return value;
        };
        let args = self.func.insts[inst].args.clone();
        let whole = self.current(args[0], loc, insts);
        self.add(op, &[&[whole], &args[1..]].concat(), loc, insts)
    }

    fn add(&mut self, op: TensorOp, args: &[Value], loc: Option<Loc>, insts: &mut Vec<Inst>) -> Value {
        let types = self.func.types_of(args);
        let inst = tensor_inst(&mut self.module.hosts, self.func, op, args, &types, loc);
        insts.push(inst);
        self.func.insts[inst].results[0]
    }
}

fn tensor_inst(
    hosts: &mut Table<HostId, HostData>,
    func: &mut Function,
    op: TensorOp,
    args: &[Value],
    types: &[Type],
    loc: Option<Loc>,
) -> Inst {
    let results = op.results(types).expect("what is written fits, as it did");
    let text = op.to_string();
    let (acts, name) = (op.acts(), text.split(' ').next().unwrap_or_default());
    let data = HostData { tensor: Some(op), ..HostData::new(name, types.to_vec(), results.clone()) };
    func.make_inst(Op::Tensor(hosts.push(data), acts), args.to_vec(), &results, loc)
}
