//! Numbers and elements that are known, before groups are made: what is computed from them alone is known, too, and each
//! operation on elements gets its own, which goes into its group. Else what is used twice is made in memory, and read there.
//!
//! Only those that are read and nothing else: what is written to, or leaves, is an object that others may see.

use std::collections::{BTreeMap, BTreeSet};

use crate::analysis::Cfg;
use crate::analysis::uses::Uses;
use crate::entity::{Block, FuncId, HostId, Inst, Table, Value};
use crate::ir::{Function, HostData, Module};
use crate::op::{Acts, Op};
use crate::pass::{Changed, PassDef, Run};
use crate::set::EntityMap;
use crate::sizes;
use crate::tensor::elementwise::{Num1, Num2};
use crate::tensor::fused::Role;
use crate::tensor::{Constant, Dtype, Given, Item, Operand, Tensor, TensorOp, make, trace};
use crate::types::{TensorType, Type};

/// Elements of a result that are computed here at most.
const MOST: usize = 4096;

/// What is known of a tensor.
#[derive(Clone)]
enum Known {
    /// All of it is this number.
    Same(Dtype, Item),
    /// Its elements.
    Elements(Constant),
}

impl Known {
    /// As a tensor of a shape.
    fn tensor(&self, dims: &[usize]) -> Option<Tensor> {
        match self {
            Self::Same(dtype, item) => make::full(*dtype, dims, *item).ok(),
            Self::Elements(it) => Some(it.tensor().clone()),
        }
    }

    /// The function of the host that makes it, of a type.
    fn host(&self, hosts: &mut Table<HostId, HostData>, ty: TensorType) -> HostId {
        let (name, op) = match self {
            Self::Same(dtype, item) => {
                let dims = ty.shape.dims().to_vec();
                ("full", TensorOp::Full { dtype: *dtype, dims, item: *item, home: ty.home })
            }
            Self::Elements(it) => ("constant", TensorOp::Constant(it.clone())),
        };
        hosts.push(HostData { tensor: Some(op), ..HostData::new(name, Vec::new(), vec![Type::Tensor(ty)]) })
    }
}

/// Computes what is known, for whoever comes before groups are made.
pub const CONSTANTS: PassDef = PassDef { name: "constants", run: Run::Function(run), required: false };

fn run(module: &mut Module, func: FuncId) -> Changed {
    let Module { funcs, hosts, .. } = module;
    let func = &mut funcs[func];
    let cfg = Cfg::of(func);
    let only_read = only_read(func, hosts, &cfg);
    fold(func, hosts, &cfg, &only_read).1
}

/// `again` says of a block that it runs more than once.
pub(super) fn spread(
    func: &mut Function,
    hosts: &mut Table<HostId, HostData>,
    cfg: &Cfg,
    again: impl Fn(Block) -> bool,
) -> Changed {
    let only_read = only_read(func, hosts, cfg);
    let (known, mut changed) = fold(func, hosts, cfg, &only_read);
    if known.is_empty() {
        return Changed::No;
    }
    changed |= square(func, hosts, cfg, &known);
    changed | give_each(func, hosts, cfg, &known, again)
}

/// Whether an operation reads its operands and no more, and makes a tensor of its own.
fn only_reads(op: &TensorOp) -> bool {
    let is_whole = matches!(op, TensorOp::Gather(_) | TensorOp::Concat { .. } | TensorOp::Matmul);
    is_whole || matches!(Role::of(op), Some(Role::Each | Role::Fold))
}

/// The values that are read and nothing else, and so are their views.
fn only_read(func: &Function, hosts: &Table<HostId, HostData>, cfg: &Cfg) -> EntityMap<Value, bool> {
    let mut only_read = EntityMap::with_len(true, func.values.len());
    for &block in cfg.order().iter().rev() {
        func.blocks[block].term.uses().for_each(|value| only_read[value] = false);
        for &inst in func.blocks[block].insts.iter().rev() {
            let (data, tensor) = (&func.insts[inst], op_of(func, hosts, inst));
            let reads = tensor.is_some_and(|op| only_reads(op) || op.is_view() && only_read[data.results[0]]);
            if !reads {
                func.insts[inst].args.iter().for_each(|&arg| only_read[arg] = false);
            }
        }
    }
    only_read
}

/// The operation that an instruction is, if it makes one tensor.
fn op_of<'a>(func: &Function, hosts: &'a Table<HostId, HostData>, inst: Inst) -> Option<&'a TensorOp> {
    let data = &func.insts[inst];
    let (Op::Tensor(host, Acts::Makes), &[result]) = (data.op, &data.results[..]) else { return None };
    hosts[host].tensor.as_ref().filter(|_| matches!(func.ty(result), Type::Tensor(_)))
}

/// Finds what is known, and computes what follows from it.
fn fold(
    func: &mut Function,
    hosts: &mut Table<HostId, HostData>,
    cfg: &Cfg,
    only_read: &EntityMap<Value, bool>,
) -> (BTreeMap<Value, Known>, Changed) {
    let (mut known, mut changed) = (BTreeMap::new(), Changed::No);
    for &block in cfg.order() {
        for inst in func.blocks[block].insts.clone() {
            let Some(op) = op_of(func, hosts, inst) else { continue };
            let data = &func.insts[inst];
            let (result, role) = (data.results[0], Role::of(op));
            let Type::Tensor(ty) = func.ty(result) else { continue };
            let is_one = role == Some(Role::Each) && ty.count() == 1;
            let found = match op {
                TensorOp::Full { dtype, item, .. } => Some(Known::Same(*dtype, *item)),
                TensorOp::Constant(it) if ty.count() <= MOST && !ty.home.is_there() => {
                    Some(Known::Elements(it.clone()))
                }
                op if ty.home.is_there() && !op.is_view() || !(is_one || only_read[result] && follows(op)) => None,
                op => computed(func, op, &data.args, ty, &known),
            };
            let Some(found) = found else { continue };
            if !data.args.is_empty() {
                let host = found.host(hosts, ty);
                (func.insts[inst].op, func.insts[inst].args) = (Op::Tensor(host, Acts::Makes), Vec::new());
                changed = Changed::Yes;
            }
            if only_read[result] {
                known.insert(result, found);
            }
        }
    }
    (known, changed)
}

/// Writes powers of two as squares, and of one as what they are of.
fn square(
    func: &mut Function,
    hosts: &mut Table<HostId, HostData>,
    cfg: &Cfg,
    known: &BTreeMap<Value, Known>,
) -> Changed {
    let mut changed = Changed::No;
    for &block in cfg.order() {
        for &inst in &func.blocks[block].insts.clone() {
            let Some(op) = op_of(func, hosts, inst) else { continue };
            let Type::Tensor(ty) = func.ty(func.insts[inst].results[0]) else { continue };
            let Some((name, op, base)) = power(func, op, inst, ty, known) else { continue };
            let data = HostData::new(name, vec![Type::Tensor(ty)], vec![Type::Tensor(ty)]);
            let host = hosts.push(HostData { tensor: Some(op), ..data });
            (func.insts[inst].op, func.insts[inst].args) = (Op::Tensor(host, Acts::Makes), vec![base]);
            changed = Changed::Yes;
        }
    }
    changed
}

/// Whether what an operation gives is computed here where its operands are known.
fn follows(op: &TensorOp) -> bool {
    only_reads(op) || op.is_view()
}

/// What a power is that needs none, and its base: the library rounds it so.
fn power(
    func: &Function,
    op: &TensorOp,
    inst: Inst,
    ty: TensorType,
    known: &BTreeMap<Value, Known>,
) -> Option<(&'static str, TensorOp, Value)> {
    let (TensorOp::Num2(Num2::Pow), &[base, exponent]) = (op, &func.insts[inst].args[..]) else { return None };
    let exponent = match known.get(&exponent)? {
        Known::Same(_, Item::Float(it)) => *it,
        Known::Same(_, Item::Int(it)) => *it as f64,
        Known::Same(_, Item::Bool(_)) | Known::Elements(_) => return None,
    };
    let (name, op) = match exponent {
        2.0 => ("square", TensorOp::Num1(Num1::Square)),
        1.0 => ("copy", TensorOp::Copy),
        _ => return None,
    };
    (!ty.home.is_there() && func.ty(base) == Type::Tensor(ty)).then_some((name, op, base))
}

/// What an operation gives, of a type, if all its operands are known.
fn computed(
    func: &Function,
    op: &TensorOp,
    args: &[Value],
    ty: TensorType,
    known: &BTreeMap<Value, Known>,
) -> Option<Known> {
    let all: Vec<(&Known, TensorType)> = args
        .iter()
        .map(|it| if let Type::Tensor(ty) = func.ty(*it) { Some((known.get(it)?, ty)) } else { None })
        .collect::<Option<_>>()?;
    let is_same = all.iter().all(|(it, _)| matches!(it, Known::Same(..)));
    if let (true, true, &[(same, _)]) = (is_same, op.is_view(), &all[..]) {
        return Some(same.clone());
    }
    // What is computed of each element by itself is the same everywhere, too.
    let is_item = is_same && Role::of(op) == Some(Role::Each);
    let is_small = |ty: &TensorType| (1..=MOST).contains(&ty.count()) && !sizes::is_later(ty.count());
    if !is_item && !all.iter().map(|(_, ty)| ty).chain([&ty]).all(is_small) {
        return None;
    }
    trace::eagerly(|| {
        let dims = |ty: &TensorType| if is_item { Vec::new() } else { ty.shape.dims().to_vec() };
        let tensors: Vec<Tensor> = all.iter().map(|(it, ty)| it.tensor(&dims(ty))).collect::<Option<_>>()?;
        let operands: Vec<Operand<'_>> = tensors.iter().map(Operand::Tensor).collect();
        let Ok(Given::Tensor(made)) = op.apply(&operands) else { return None };
        match made.only_item() {
            Some(item) => Some(Known::Same(made.dtype(), item)),
            None => Some(Known::Elements(Constant::new(made.to_dense().ok()?))),
        }
    })
}

/// Gives each operation on elements what is known of its own, and takes away what nobody uses any more.
fn give_each(
    func: &mut Function,
    hosts: &mut Table<HostId, HostData>,
    cfg: &Cfg,
    known: &BTreeMap<Value, Known>,
    again: impl Fn(Block) -> bool,
) -> Changed {
    let mut changed = Changed::No;
    let uses = Uses::of(func);
    for &block in cfg.order() {
        let (mut insts, mut own) = (Vec::new(), BTreeSet::<Value>::new());
        for inst in func.blocks[block].insts.clone() {
            if op_of(func, hosts, inst).is_some_and(only_reads) {
                let another = |arg: Value| {
                    known.get(&arg).filter(|it| match it {
                        Known::Same(..) => uses.count(arg) > 1 || !own.contains(&arg),
                        // Code has its own copy of it, where there will be code.
                        Known::Elements(_) => uses.count(arg) > 1 && own.contains(&arg) && again(block),
                    })
                };
                changed |= give(func, hosts, inst, another, &mut insts);
            }
            own.extend(&func.insts[inst].results);
            insts.push(inst);
        }
        func.blocks[block].insts = insts;
    }
    let uses = Uses::of(func);
    for &block in cfg.order() {
        let mut insts = std::mem::take(&mut func.blocks[block].insts);
        insts.retain(|&inst| {
            let results = &func.insts[inst].results;
            !results.iter().any(|it| known.contains_key(it) && uses.count(*it) == 0)
        });
        func.blocks[block].insts = insts;
    }
    changed
}

/// Gives an operation what is known of its own for those of its operands that are to be exchanged.
fn give<'a>(
    func: &mut Function,
    hosts: &mut Table<HostId, HostData>,
    inst: Inst,
    another: impl Fn(Value) -> Option<&'a Known>,
    insts: &mut Vec<Inst>,
) -> Changed {
    let mut changed = Changed::No;
    for position in 0..func.insts[inst].args.len() {
        let arg = func.insts[inst].args[position];
        let (Some(known), Type::Tensor(ty)) = (another(arg), func.ty(arg)) else { continue };
        let op = Op::Tensor(known.host(hosts, ty), Acts::Makes);
        let (made, own) = func.make_value(op, Vec::new(), Type::Tensor(ty), func.insts[inst].loc);
        insts.push(made);
        func.insts[inst].args[position] = own;
        changed = Changed::Yes;
    }
    changed
}
