//! Numbers that are known, before groups are made: what is computed from them alone is one of them, and each operation
//! on elements gets its own, which goes into its group. Else one that is used twice is made in memory, and read there.
//!
//! Only those that are read and nothing else: what is written to, or leaves, is an object that others may see.

use std::collections::{BTreeMap, BTreeSet};

use crate::analysis::Cfg;
use crate::analysis::uses::Uses;
use crate::entity::{HostId, Inst, Table, Value};
use crate::ir::{Function, HostData};
use crate::op::{Acts, Op};
use crate::pass::Changed;
use crate::set::EntityMap;
use crate::tensor::elementwise::{Num1, Num2};
use crate::tensor::fused::Role;
use crate::tensor::{Dtype, Given, Item, Operand, TensorOp, make, trace};
use crate::types::{TensorType, Type};

use super::{Candidate, candidate};

/// A number, and of which dtype.
type Known = (Dtype, Item);

pub(super) fn spread(func: &mut Function, hosts: &mut Table<HostId, HostData>, cfg: &Cfg) -> Changed {
    let only_read = only_read(func, hosts, cfg);
    let known = fold(func, hosts, cfg, &only_read);
    if known.is_empty() {
        return Changed::No;
    }
    give_each(func, hosts, cfg, &known)
}

/// The values that are read and nothing else, and so are their views.
fn only_read(func: &Function, hosts: &Table<HostId, HostData>, cfg: &Cfg) -> EntityMap<Value, bool> {
    let mut only_read = EntityMap::with_len(true, func.values.len());
    for &block in cfg.order().iter().rev() {
        func.blocks[block].term.uses().for_each(|value| only_read[value] = false);
        for &inst in func.blocks[block].insts.iter().rev() {
            let reads = match candidate(func, hosts, inst) {
                Some(Candidate { role: Role::View, result, .. }) => only_read[result],
                Some(Candidate { role: Role::Each | Role::Fold, .. }) => true,
                Some(Candidate { role: Role::Item, .. }) | None => false,
            };
            if !reads {
                func.insts[inst].args.iter().for_each(|&arg| only_read[arg] = false);
            }
        }
    }
    only_read
}

/// Finds the numbers, and computes what follows from them.
fn fold(
    func: &mut Function,
    hosts: &mut Table<HostId, HostData>,
    cfg: &Cfg,
    only_read: &EntityMap<Value, bool>,
) -> BTreeMap<Value, Known> {
    let mut known = BTreeMap::new();
    for &block in cfg.order() {
        for inst in func.blocks[block].insts.clone() {
            let Some(Candidate { host, role, result, ty }) = candidate(func, hosts, inst) else { continue };
            let Some(op) = &hosts[host].tensor else { continue };
            if let Some(base) = squared(func, op, inst, ty, &known) {
                let data = HostData::new("square", vec![Type::Tensor(ty)], vec![Type::Tensor(ty)]);
                let square = hosts.push(HostData { tensor: Some(TensorOp::Num1(Num1::Square)), ..data });
                (func.insts[inst].op, func.insts[inst].args) = (Op::Tensor(square, Acts::Makes), vec![base]);
                continue;
            }
            let found = match op {
                TensorOp::Full { dtype, item, .. } => Some((*dtype, *item)),
                TensorOp::Reshape(_) | TensorOp::Broadcast(_) | TensorOp::InsertAxis(_) if only_read[result] => {
                    known.get(&func.insts[inst].args[0]).copied()
                }
                op if role == Role::Each && ty.count() == 1 && !ty.home.is_there() => {
                    let args: Option<Vec<Known>> =
                        func.insts[inst].args.iter().map(|it| known.get(it).copied()).collect();
                    args.and_then(|args| computed(op, &args))
                }
                _ => None,
            };
            let Some(number) = found else { continue };
            if role != Role::Item {
                let full = full(hosts, number, ty);
                (func.insts[inst].op, func.insts[inst].args) = (Op::Tensor(full, Acts::Makes), Vec::new());
            }
            if only_read[result] {
                known.insert(result, number);
            }
        }
    }
    known
}

/// The base of a power that is a square: the library rounds it as one.
fn squared(
    func: &Function,
    op: &TensorOp,
    inst: Inst,
    ty: TensorType,
    known: &BTreeMap<Value, Known>,
) -> Option<Value> {
    let (TensorOp::Num2(Num2::Pow), &[base, exponent]) = (op, &func.insts[inst].args[..]) else { return None };
    let is_two = match known.get(&exponent)?.1 {
        Item::Float(it) => it == 2.0,
        Item::Int(it) => it == 2,
        Item::Bool(_) => false,
    };
    (is_two && !ty.home.is_there() && func.ty(base) == Type::Tensor(ty)).then_some(base)
}

/// What an operation gives of numbers.
fn computed(op: &TensorOp, args: &[Known]) -> Option<Known> {
    trace::eagerly(|| {
        let tensors =
            args.iter().map(|&(dtype, item)| make::full(dtype, &[], item).ok()).collect::<Option<Vec<_>>>()?;
        let operands: Vec<Operand<'_>> = tensors.iter().map(Operand::Tensor).collect();
        let Ok(Given::Tensor(made)) = op.apply(&operands) else { return None };
        Some((made.dtype(), made.only_item()?))
    })
}

/// Gives each operation on elements numbers of its own, and takes away those that nobody uses any more.
fn give_each(
    func: &mut Function,
    hosts: &mut Table<HostId, HostData>,
    cfg: &Cfg,
    known: &BTreeMap<Value, Known>,
) -> Changed {
    let mut changed = Changed::No;
    let uses = Uses::of(func);
    for &block in cfg.order() {
        let (mut insts, mut own) = (Vec::new(), BTreeSet::<Value>::new());
        for inst in func.blocks[block].insts.clone() {
            if matches!(candidate(func, hosts, inst), Some(Candidate { role: Role::Each, .. })) {
                let another =
                    |arg: Value| known.get(&arg).filter(|_| uses.count(arg) > 1 || !own.contains(&arg)).copied();
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

/// Gives an operation other numbers for those of its operands that are to be exchanged.
fn give(
    func: &mut Function,
    hosts: &mut Table<HostId, HostData>,
    inst: Inst,
    another: impl Fn(Value) -> Option<Known>,
    insts: &mut Vec<Inst>,
) -> Changed {
    let mut changed = Changed::No;
    for position in 0..func.insts[inst].args.len() {
        let arg = func.insts[inst].args[position];
        let (Some(number), Type::Tensor(ty)) = (another(arg), func.ty(arg)) else { continue };
        let op = Op::Tensor(full(hosts, number, ty), Acts::Makes);
        let (made, own) = func.make_value(op, Vec::new(), Type::Tensor(ty), func.insts[inst].loc);
        insts.push(made);
        func.insts[inst].args[position] = own;
        changed = Changed::Yes;
    }
    changed
}

/// The function of the host that makes a number, of a type.
fn full(hosts: &mut Table<HostId, HostData>, (dtype, item): Known, ty: TensorType) -> HostId {
    let op = TensorOp::Full { dtype, dims: ty.shape.dims().to_vec(), item, home: ty.home };
    hosts.push(HostData { tensor: Some(op), ..HostData::new("full", Vec::new(), vec![Type::Tensor(ty)]) })
}
