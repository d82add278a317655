//! Forward mode: each active value gets a tangent beside it.
//!
//! The control flow stays what it is. A float or tensor has one tangent for each lane, a list or array a list of the
//! tangents of its items, which changes with it. The tables are those of reverse mode.

use std::collections::HashMap;

use crate::analysis::Cfg;
use crate::build::Builder;
use crate::entity::{Block, Entity, FuncId, HostId, Inst, Loc, Value};
use crate::ir::{Def, Function, HostData, InstData, Module, RuleArg, Terminator};
use crate::op::{Cmp, Const, ListOp, MapOp, Num2, ObjectOp, Op};
use crate::set::{EntityMap, EntitySet};
use crate::tensor::{Item, TensorOp};
use crate::types::{Elem, ListType, Type};

use super::activity::{Activity, tensor_op};
use super::custom::{custom, given, replace};
use super::helpers::{Helpers, key_found};
use super::power::is_rounded;
use super::pullback::{self, Path, Site, passes, path};
use super::tensor::{self, TensorSite};
use super::{Refused, Request, prepare};

/// Where the tangents of the parameters come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tangents {
    /// Each parameter in turn has the tangent 1 and the others 0: the derivatives by each of them, which are floats.
    Units,
    /// They are passed behind the parameters: a float for a float, a tensor for a tensor, a list for a list or an array.
    Passed,
}

/// Makes the main function give, behind its own results, the tangents of each `of`, for each lane in turn: one for each
/// `wrt`, or just one if the tangents are passed. The same for each exit that is an end.
///
/// # Errors
/// What has no derivative. The module is in no good state then.
pub fn forward(module: &mut Module, request: &Request, tangents: Tangents) -> Result<(), Refused> {
    prepare(module, request);
    let activity = Activity::of(module, request, true)?;
    let lanes = match tangents {
        Tangents::Units => request.wrt.len(),
        Tangents::Passed => 1,
    };
    let originals: Vec<FuncId> = module.funcs.keys().collect();
    let helpers = Helpers::declare(module, &activity, request);
    let mut twins = EntityMap::new(None);
    let main = module.main();
    for &id in originals.iter().filter(|&&id| id != main && activity.any(id)) {
        let func = &module.funcs[id];
        let mut stub = Function::new(format!("{}.tangent", func.name));
        let entry = stub.entry();
        let more = |values: Vec<Value>| -> Vec<Type> {
            let types = values.into_iter().map(|it| tangent_type(func.ty(it)));
            let types: Vec<Type> = types.collect();
            (0..lanes).flat_map(|_| types.clone()).collect()
        };
        let params = [func.param_types(), more(active_params(func, id, &activity))].concat();
        params.into_iter().for_each(|ty| _ = stub.append_param(entry, ty));
        stub.results = [func.results.clone(), more(active_results(func, id, &activity))].concat();
        twins[id] = Some(module.funcs.push(stub));
    }
    let mut made = Vec::new();
    for &id in originals.iter().filter(|&&id| id == main || twins[id].is_some()) {
        let mut cx = Cx::new(module, id, &activity, &twins, &helpers, request, lanes);
        cx.build(tangents)?;
        let Cx { mut func, hosts, used, .. } = cx;
        replace(&mut func, |data| match data.op {
            Op::Host(host, _) if used.contains(host) => module.hosts[host].custom.as_ref().map(|it| it.by),
            _ => None,
        });
        for host in hosts {
            module.hosts.push(host);
        }
        let target = twins[id].unwrap_or(id);
        func.name.clone_from(&module.funcs[target].name);
        if id != target {
            func.results.clone_from(&module.funcs[target].results);
        }
        made.push((target, func));
    }
    for (id, func) in made {
        module.funcs[id] = func;
    }
    for end in &request.ends {
        if let Some(exit) = end.exit {
            let types: Vec<Type> = end.of.iter().map(|&of| module.exits[exit].types[of]).collect();
            module.exits[exit].types.extend(types.repeat(lanes));
        }
    }
    Ok(())
}

const fn tangent_type(ty: Type) -> Type {
    match ty {
        // A list of handles of tensors, beside one of handles of their tangents.
        Type::List(ListType { elem: Elem::I64, .. }) => ty,
        Type::List(ListType { nesting, .. }) => Type::List(ListType { elem: Elem::F64, nesting }),
        Type::Array(_) => Type::List(ListType::of(Elem::F64)),
        Type::Bool | Type::I64 | Type::F64 | Type::Map(_) | Type::Object(_) | Type::Tensor(_) => ty,
    }
}

fn active_params(func: &Function, id: FuncId, activity: &Activity) -> Vec<Value> {
    func.params().iter().copied().filter(|&it| activity.is_active(id, it)).collect()
}

fn active_results(func: &Function, id: FuncId, activity: &Activity) -> Vec<Value> {
    let returned = func.blocks.values().find_map(|block| match &block.term {
        Terminator::Return(values) => Some(values),
        Terminator::None | Terminator::Jump(_) | Terminator::Branch { .. } | Terminator::Exit(..) => None,
    });
    returned.into_iter().flatten().copied().filter(|&it| activity.is_active(id, it)).collect()
}

struct Cx<'a> {
    module: &'a Module,
    id: FuncId,
    activity: &'a Activity,
    twins: &'a EntityMap<FuncId, Option<FuncId>>,
    helpers: &'a Helpers,
    request: &'a Request,
    lanes: usize,
    func: Function,
    tangents: HashMap<(Value, usize), Value>,
    zero: Value,
    /// The same for tensors, by type; they are made at the beginning.
    zeros: HashMap<Type, Value>,
    heads: Vec<Inst>,
    /// Operations on tensors, behind the functions of the host that the module has.
    hosts: Vec<HostData>,
    /// What has a derivative of its own, and has been differentiated.
    used: EntitySet<HostId>,
    block: Block,
    loc: Option<Loc>,
}

impl<'a> Cx<'a> {
    fn new(
        module: &'a Module,
        id: FuncId,
        activity: &'a Activity,
        twins: &'a EntityMap<FuncId, Option<FuncId>>,
        helpers: &'a Helpers,
        request: &'a Request,
        lanes: usize,
    ) -> Self {
        let mut func = module.funcs[id].clone();
        let (inst, zero) = func.make_const(Const::F64(0.0), None);
        let block = func.entry();
        func.blocks[block].insts.insert(0, inst);
        let tangents = HashMap::new();
        let (zeros, heads, hosts, used) = (HashMap::new(), Vec::new(), Vec::new(), EntitySet::new());
        Self {
            module,
            id,
            activity,
            twins,
            helpers,
            request,
            lanes,
            func,
            tangents,
            zero,
            zeros,
            heads,
            hosts,
            used,
            block,
            loc: None,
        }
    }

    fn is_active(&self, value: Value) -> bool {
        self.activity.is_active(self.id, value)
    }

    fn build(&mut self, tangents: Tangents) -> Result<(), Refused> {
        let cfg = Cfg::of(&self.func);
        let entry = self.func.entry();
        for &block in &cfg.order()[1..] {
            for param in self.func.blocks[block].params.clone() {
                if self.is_active(param) {
                    let ty = tangent_type(self.func.ty(param));
                    for lane in 0..self.lanes {
                        let tangent = self.func.append_param(block, ty);
                        self.tangents.insert((param, lane), tangent);
                    }
                }
            }
        }
        let mut insts = std::mem::take(&mut self.func.blocks[entry].insts);
        self.func.blocks[entry].insts.push(insts.remove(0));
        if self.id == self.module.main() {
            self.begin(tangents)?;
            if let Some(end) = self.request.ends.iter().find(|end| end.exit.is_none()) {
                let types: Vec<Type> = end.of.iter().map(|&of| self.func.results[of]).collect();
                self.func.results.extend(types.repeat(self.lanes));
            }
        } else {
            for lane in 0..self.lanes {
                for param in active_params(&self.module.funcs[self.id], self.id, self.activity) {
                    let ty = tangent_type(self.func.ty(param));
                    let tangent = self.func.append_param(entry, ty);
                    self.tangents.insert((param, lane), tangent);
                }
            }
        }
        for &block in cfg.order() {
            self.block = block;
            if block != entry {
                insts = std::mem::take(&mut self.func.blocks[block].insts);
            }
            for inst in std::mem::take(&mut insts) {
                self.inst(inst)?;
            }
            self.terminator(block);
        }
        let heads = std::mem::take(&mut self.heads);
        self.func.blocks[entry].insts.splice(0..0, heads);
        Ok(())
    }

    /// The tangents of the main function's parameters.
    fn begin(&mut self, tangents: Tangents) -> Result<(), Refused> {
        let entry = self.func.entry();
        let params = self.func.params().to_vec();
        let mut passed = HashMap::new();
        if tangents == Tangents::Passed {
            for &position in &self.request.wrt {
                let ty = tangent_type(self.func.ty(params[position]));
                passed.insert(position, self.func.append_param(entry, ty));
            }
        }
        for (position, &param) in params.iter().enumerate() {
            if !self.is_active(param) {
                continue;
            }
            for lane in 0..self.lanes {
                let tangent = match (self.func.ty(param), passed.get(&position)) {
                    (_, Some(&tangent)) => tangent,
                    (Type::F64, None) if self.request.wrt.get(lane) == Some(&position) => {
                        self.value(Op::Const(Const::F64(1.0)), &[])
                    }
                    (Type::F64, None) => self.zero,
                    (ty @ Type::Tensor(_), None) if !self.request.wrt.contains(&position) => self.zero_of(ty),
                    (ty, None) => {
                        if tangents == Tangents::Units && self.request.wrt.contains(&position) {
                            let what = format!("in forward mode, a {ty} of unknown length");
                            return Err(Refused::new(what, None));
                        }
                        self.zeros_like(param)
                    }
                };
                self.tangents.insert((param, lane), tangent);
            }
        }
        Ok(())
    }

    /// A list of as many zeros as a list or array has items.
    fn zeros_like(&mut self, memory: Value) -> Value {
        match self.func.ty(memory) {
            Type::Map(map) => return self.value(Op::MapNew(map), &[]),
            Type::List(list) if list.nesting > 0 => {
                return self.value(Op::Call(self.helpers.zeros(list), None), &[memory]);
            }
            _ => {}
        }
        let len = match self.func.ty(memory) {
            Type::Array(_) => Op::Len,
            _ => Op::List(ListOp::Len),
        };
        let len = self.value(len, &[memory]);
        let list = self.value(Op::ListNew(ListType::of(Elem::F64)), &[]);
        self.emit(Op::List(ListOp::Reserve), &[list, len]);
        self.emit(Op::List(ListOp::Fill), &[list, len, self.zero]);
        list
    }

    fn emit(&mut self, op: Op, args: &[Value]) -> Vec<Value> {
        let mut builder = Builder::new(self.module, &mut self.func, self.block);
        builder.at(self.loc).inst(op, args).expect("derivatives have the types of what they belong to")
    }

    fn value(&mut self, op: Op, args: &[Value]) -> Value {
        self.emit(op, args)[0]
    }

    fn keep(&mut self, inst: Inst) {
        self.func.blocks[self.block].insts.push(inst);
    }

    /// The tangent of a value.
    fn tangent(&mut self, value: Value, lane: usize) -> Value {
        match self.tangents.get(&(value, lane)) {
            Some(&tangent) => tangent,
            None if self.func.ty(value) == Type::I64 => match self.func.definition(value) {
                // The handle of a constant.
                Some((Op::Object(ObjectOp::Keep), args)) => {
                    let ty = self.func.ty(args[0]);
                    let zero = self.zero_of(ty);
                    self.value(Op::Object(ObjectOp::Keep), &[zero])
                }
                _ => self.value(Op::Const(Const::I64(0)), &[]),
            },
            None => self.zero_of(self.func.ty(value)),
        }
    }

    /// The zero of a type.
    fn zero_of(&mut self, ty: Type) -> Value {
        let Type::Tensor(tensor) = ty else { return self.zero };
        if let Some(&zero) = self.zeros.get(&ty) {
            return zero;
        }
        let op = TensorOp::Full {
            dtype: tensor.dtype,
            dims: tensor.shape.dims().to_vec(),
            item: Item::Float(0.0),
            home: tensor.home,
        };
        let inst = self.tensor_inst(op, &[]);
        self.heads.push(inst);
        let zero = self.func.insts[inst].results[0];
        self.zeros.insert(ty, zero);
        zero
    }

    fn tensor_inst(&mut self, op: TensorOp, args: &[Value]) -> Inst {
        let (acts, types) = (op.acts(), self.func.types_of(args));
        let results = op.results(&types).expect("derivatives have the shapes of what they belong to");
        let text = op.to_string();
        let name = text.split(' ').next().unwrap_or_default();
        let host = HostId::new(self.module.hosts.len() + self.hosts.len());
        self.hosts.push(HostData { tensor: Some(op), ..HostData::new(name, types, results.clone()) });
        self.func.make_inst(Op::Tensor(host, acts), args.to_vec(), &results, self.loc)
    }

    fn inst(&mut self, inst: Inst) -> Result<(), Refused> {
        let data = self.func.insts[inst].clone();
        self.loc = data.loc;
        if let Op::Call(callee, _) = data.op
            && let Some(twin) = self.twins[callee]
        {
            self.call(inst, callee, twin);
            return Ok(());
        }
        self.keep(inst);
        match path(data.op) {
            Path::Scalar(op) if self.is_active(data.results[0]) => {
                for lane in 0..self.lanes {
                    let mut sum = None;
                    let is_rounded = is_rounded(&self.func, &data.args);
                    for (position, &arg) in data.args.iter().enumerate() {
                        let t = self.tangent(arg, lane);
                        if is_rounded {
                            sum = Some(t);
                            continue;
                        }
                        if !passes(op, position) || !self.is_active(arg) || t == self.zero {
                            continue;
                        }
                        let mut site = Along { cx: self, inst };
                        let Some(part) = pullback::scaled(&mut site, op, position, t) else { continue };
                        sum = Some(match sum {
                            None => part,
                            Some(sum) => self.value(Op::Num2(Num2::Add), &[sum, part]),
                        });
                    }
                    self.tangents.insert((data.results[0], lane), sum.unwrap_or(self.zero));
                }
            }
            Path::List(op) if self.is_active(data.args[0]) => {
                for lane in 0..self.lanes {
                    let mut args = data.args.clone();
                    args[0] = self.tangent(args[0], lane);
                    if op.takes_item() {
                        let item = args.last_mut().expect("the op takes an item");
                        *item = self.tangent(*item, lane);
                    }
                    if op != ListOp::Len {
                        let given = self.emit(Op::List(op), &args);
                        for (&result, tangent) in data.results.iter().zip(given) {
                            self.tangents.insert((result, lane), tangent);
                        }
                    }
                }
            }
            Path::Load if self.is_active(data.args[0]) => {
                for lane in 0..self.lanes {
                    let list = self.tangent(data.args[0], lane);
                    let tangent = self.value(Op::List(ListOp::Get), &[list, data.args[1]]);
                    self.tangents.insert((data.results[0], lane), tangent);
                }
            }
            Path::Nowhere if matches!(data.op, Op::ListNew(_)) && self.is_active(data.results[0]) => {
                let Type::List(ty) = tangent_type(self.func.ty(data.results[0])) else {
                    unreachable!("the tangent of a list is a list")
                };
                for lane in 0..self.lanes {
                    let tangent = self.value(Op::ListNew(ty), &[]);
                    self.tangents.insert((data.results[0], lane), tangent);
                }
            }
            Path::Nowhere if matches!(data.op, Op::MapNew(_)) && self.is_active(data.results[0]) => {
                for lane in 0..self.lanes {
                    let tangent = self.value(data.op, &[]);
                    self.tangents.insert((data.results[0], lane), tangent);
                }
            }
            Path::Map => self.map(inst),
            Path::Tensor => self.tensor_op(inst),
            Path::Host => self.host(inst),
            Path::Handle if self.is_active(data.results[0]) || self.stays_in_list(&data) => {
                for lane in 0..self.lanes {
                    let tangent = self.tangent(data.args[0], lane);
                    let tangent = self.value(data.op, &[tangent]);
                    self.tangents.insert((data.results[0], lane), tangent);
                }
            }
            Path::Scalar(_) | Path::List(_) | Path::Load | Path::Store | Path::Call | Path::Handle | Path::Nowhere => {}
        }
        Ok(())
    }

    /// Whether a list of which an active array was read is made an owner of it again: nobody looks at the number then.
    fn stays_in_list(&self, data: &InstData) -> bool {
        data.op == Op::Object(ObjectOp::Keep)
            && self.is_active(data.args[0])
            && matches!(self.func.definition(data.args[0]), Some((Op::Kept(_), _)))
    }

    /// The tangents of the values of a map are another map, by the same keys: what is taken out of the one may stay in the
    /// other.
    fn map(&mut self, inst: Inst) {
        let data = self.func.insts[inst].clone();
        match data.op {
            Op::Map(MapOp::Put) if self.is_active(data.args[0]) => {
                for lane in 0..self.lanes {
                    let (map, t) = (self.tangent(data.args[0], lane), self.tangent(data.args[3], lane));
                    let at = self.value(Op::Map(MapOp::Find), &[map, data.args[2]]);
                    self.emit(Op::Map(MapOp::Put), &[map, at, data.args[2], t]);
                }
            }
            Op::Map(MapOp::Get) if self.is_active(data.results[0]) => {
                let Type::Map(ty) = self.func.ty(data.args[0]) else { return };
                let key = self.is_active(data.args[0]).then(|| {
                    key_found(&self.func, &data.args)
                        .unwrap_or_else(|| self.value(Op::Call(self.helpers.key_at(ty), None), &data.args[..2]))
                });
                let none = self.value(Op::Const(Const::I64(0)), &[]);
                let missing = self.value(Op::Cmp(Cmp::Lt), &[data.args[1], none]);
                for lane in 0..self.lanes {
                    let other = self.tangent(data.args[2], lane);
                    let own = match key {
                        Some(key) => {
                            let map = self.tangent(data.args[0], lane);
                            let at = self.value(Op::Map(MapOp::Find), &[map, key]);
                            self.value(Op::Map(MapOp::Get), &[map, at, self.zero])
                        }
                        None => self.zero,
                    };
                    let tangent = self.value(Op::Select, &[missing, other, own]);
                    self.tangents.insert((data.results[0], lane), tangent);
                }
            }
            _ => {}
        }
    }

    /// An operation on tensors.
    fn tensor_op(&mut self, inst: Inst) {
        let data = self.func.insts[inst].clone();
        let Some(op) = tensor_op(self.module, data.op).cloned() else { return };
        let Some(&result) = data.results.first().filter(|&&it| self.is_active(it)) else { return };
        for lane in 0..self.lanes {
            let tangents: Vec<Option<Value>> =
                data.args.iter().map(|&arg| self.is_active(arg).then(|| self.tangent(arg, lane))).collect();
            let types = self.func.types_of(&data.args);
            let ty = self.func.ty(result);
            let tangent = tensor::along(&mut Along { cx: self, inst }, &op, &types, &tangents);
            let tangent = tangent.unwrap_or_else(|| self.zero_of(ty));
            self.tangents.insert((result, lane), tangent);
        }
    }

    /// A border, or what has a derivative of its own.
    fn host(&mut self, inst: Inst) {
        let data = self.func.insts[inst].clone();
        if let Op::Host(host, _) = data.op
            && self.request.borders.contains(host)
            && self.is_active(data.results[0])
        {
            for lane in 0..self.lanes {
                let tangent = self.tangent(data.args[0], lane);
                self.tangents.insert((data.results[0], lane), tangent);
            }
        }
        let module = self.module;
        let Some((host, custom)) = custom(module, data.op) else { return };
        if !data.results.iter().any(|&it| self.is_active(it)) {
            return;
        }
        if custom.transparent {
            for (from, &result) in given(custom, &data).into_iter().zip(&data.results) {
                for lane in 0..self.lanes {
                    let tangent = self.tangent(from, lane);
                    self.tangents.insert((result, lane), tangent);
                }
            }
            return;
        }
        self.used.insert(host);
        let rule = custom.forth.as_ref().expect("what has no rule was refused");
        for lane in 0..self.lanes {
            let mut args = Vec::with_capacity(rule.args.len());
            for arg in &rule.args {
                args.push(match *arg {
                    RuleArg::Operand(position) => data.args[position],
                    RuleArg::Derivative(position) => self.tangent(data.args[position], lane),
                    RuleArg::Zero(ty) => self.zero_of(ty),
                });
            }
            let given = self.emit(Op::Call(rule.func, None), &args);
            for &(from, to) in &rule.gives {
                self.tangents.insert((data.results[to], lane), given[from]);
            }
        }
    }

    fn call(&mut self, inst: Inst, callee: FuncId, twin: FuncId) {
        let data = self.func.insts[inst].clone();
        let func = &self.module.funcs[callee];
        let mut args = data.args.clone();
        for lane in 0..self.lanes {
            for (&arg, &param) in data.args.iter().zip(func.params()) {
                if self.activity.is_active(callee, param) {
                    args.push(self.tangent(arg, lane));
                }
            }
        }
        let given = self.emit(Op::Call(twin, None), &args);
        let returned = func.blocks.values().find_map(|block| match &block.term {
            Terminator::Return(values) => Some(values.clone()),
            Terminator::None | Terminator::Jump(_) | Terminator::Branch { .. } | Terminator::Exit(..) => None,
        });
        let returned = returned.unwrap_or_default();
        let positions: Vec<usize> =
            (0..returned.len()).filter(|&it| self.activity.is_active(callee, returned[it])).collect();
        let count = data.results.len();
        for (index, &tangent) in given[count..].iter().enumerate() {
            let result = data.results[positions[index % positions.len()]];
            self.tangents.insert((result, index / positions.len()), tangent);
        }
        // The results keep their names.
        let made = *self.func.blocks[self.block].insts.last().expect("the call was appended");
        self.func.insts[made].results[..count].copy_from_slice(&data.results);
        for (&result, position) in data.results.iter().zip(0..) {
            self.func.values[result].def = Def::Result(made, position);
        }
    }

    fn terminator(&mut self, block: Block) {
        let mut term = self.func.blocks[block].term.clone();
        let original = &self.module.funcs[self.id];
        for jump in term.jumps_mut() {
            let params = &original.blocks[jump.target].params;
            for (position, &param) in params.iter().enumerate() {
                if self.is_active(param) {
                    for lane in 0..self.lanes {
                        jump.args.push(self.tangent(jump.args[position], lane));
                    }
                }
            }
        }
        let is_main = self.id == self.module.main();
        let exit = match &term {
            Terminator::Return(_) => Some(None),
            Terminator::Exit(exit, _) if is_main => Some(Some(*exit)),
            Terminator::None | Terminator::Jump(_) | Terminator::Branch { .. } | Terminator::Exit(..) => None,
        };
        if let Some(exit) = exit
            && let Terminator::Return(values) | Terminator::Exit(_, values) = &mut term
        {
            let of = match self.request.ends.iter().find(|end| end.exit == exit) {
                Some(end) if is_main => end.of.clone(),
                None if is_main => Vec::new(),
                _ => (0..values.len()).filter(|&it| self.is_active(values[it])).collect(),
            };
            for lane in 0..self.lanes {
                for &position in &of {
                    values.push(self.tangent(values[position], lane));
                }
            }
        }
        self.func.blocks[block].term = term;
    }
}

/// An instruction on its way.
struct Along<'c, 'a> {
    cx: &'c mut Cx<'a>,
    inst: Inst,
}

impl Site for Along<'_, '_> {
    fn operand(&mut self, position: usize) -> Value {
        self.cx.func.insts[self.inst].args[position]
    }

    fn result(&mut self) -> Value {
        self.cx.func.insts[self.inst].results[0]
    }

    fn emit(&mut self, op: Op, args: &[Value]) -> Value {
        self.cx.value(op, args)
    }
}

impl TensorSite for Along<'_, '_> {
    fn operand(&mut self, position: usize) -> Value {
        Site::operand(self, position)
    }

    fn result(&mut self) -> Value {
        Site::result(self)
    }

    fn tensor(&mut self, op: TensorOp, args: &[Value]) -> Value {
        let inst = self.cx.tensor_inst(op, args);
        self.cx.keep(inst);
        self.cx.func.insts[inst].results[0]
    }

    fn ty(&self, value: Value) -> Type {
        self.cx.func.ty(value)
    }
}
