//! The record of the way there: lists, one of floats and one of integers, the last in is the first out. What is read or
//! changed on the way back of lists that a loop or a recursive function makes is found again by lists of those.
//!
//! A block whose way back needs what is no longer there by then pushes it at its end; the way back begins by popping it.
//! So does a join whose predecessor is not known, and a loop inside another one for its count. Truth values are
//! recorded as integers, and so are handles of tensors, of which the tape is an owner.

use std::fmt;

use crate::entity::{FuncId, Inst, Loc, Value};
use crate::ir::{Function, Module, Rule};
use crate::op::{Cmp, Const, Convert, ListOp, ObjectOp, Op};
use crate::types::{Elem, ListType, Type};

/// One of the lists.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Reel {
    Floats,
    Ints,
    /// Of lists of this type.
    Lists(ListType),
}

impl Reel {
    /// Those that every tape has.
    pub(super) const NUMBERS: [Self; 2] = [Self::Floats, Self::Ints];

    /// The one for values of a type, if there is one.
    pub(super) const fn of(ty: Type) -> Option<Self> {
        match ty {
            Type::F64 => Some(Self::Floats),
            Type::Bool | Type::I64 | Type::Tensor(_) => Some(Self::Ints),
            Type::List(list) if list.nested().is_some() => Some(Self::Lists(list)),
            Type::Array(_) | Type::List(_) | Type::Map(_) | Type::Object(_) => None,
        }
    }

    /// The one that a list is.
    pub(super) fn of_list(list: Type) -> Option<Self> {
        let Type::List(list) = list else { return None };
        Self::NUMBERS.into_iter().find(|reel| reel.list() == list).or_else(|| match list.item() {
            Type::List(of) => Some(Self::Lists(of)),
            _ => None,
        })
    }

    pub(super) const fn list(self) -> ListType {
        match self {
            Self::Floats => ListType::of(Elem::F64),
            Self::Ints => ListType::of(Elem::I64),
            Self::Lists(of) => of.nested().expect("`of` has asked"),
        }
    }

    pub(super) const fn ty(self) -> Type {
        Type::List(self.list())
    }
}

/// The tape that the function of a rule is given, behind what else it is.
pub(super) fn of_rule<'a>(module: &'a Module, rule: &Rule) -> impl Iterator<Item = Reel> + 'a {
    let func = &module.funcs[rule.func];
    func.params().iter().skip(rule.args.len()).filter_map(|&param| Reel::of_list(func.ty(param)))
}

/// Whoever calls a function that is [given its tape](super::Request::brings_tape) makes one: once, however often it calls.
pub(super) fn bring(module: &mut Module, called: FuncId) {
    let params = module.funcs[called].param_types();
    for id in module.funcs.keys() {
        let func = &mut module.funcs[id];
        let calls = |&&inst: &&Inst| matches!(func.insts[inst].op, Op::Call(callee, _) if callee == called);
        let sites: Vec<Inst> = func.blocks.values().flat_map(|block| &block.insts).filter(calls).copied().collect();
        let Some(&first) = sites.first() else { continue };
        let (mut made, mut tape) = (Vec::new(), Vec::new());
        for &ty in &params[func.insts[first].args.len()..] {
            let Type::List(of) = ty else { unreachable!("a tape is made of lists") };
            let (inst, list) = func.make_value(Op::ListNew(of), Vec::new(), ty, None);
            made.push(inst);
            tape.push(list);
        }
        let entry = func.entry();
        func.blocks[entry].insts.splice(0..0, made);
        for inst in sites {
            func.insts[inst].args.extend(&tape);
        }
    }
}

/// The instructions that push a value.
pub(super) fn push(func: &mut Function, reel: Value, value: Value, loc: Option<Loc>) -> Vec<Inst> {
    let mut insts = Vec::new();
    let mut item = value;
    if func.ty(value) == Type::Bool {
        let (inst, number) = func.make_value(Op::Convert(Convert::BoolToInt), vec![value], Type::I64, loc);
        insts.push(inst);
        item = number;
    }
    if func.ty(value).is_handle() {
        let (inst, number) = kept(func, value, loc);
        insts.extend(inst);
        item = number;
    }
    insts.push(func.make_inst(Op::List(ListOp::Push), vec![reel, item], &[], loc));
    insts
}

/// The number of a handle that a list becomes an owner of, with the instruction that makes it one.
pub(super) fn kept(func: &mut Function, value: Value, loc: Option<Loc>) -> (Option<Inst>, Value) {
    if !func.ty(value).is_handle() {
        return (None, value);
    }
    let (inst, number) = func.make_value(Op::Object(ObjectOp::Keep), vec![value], Type::I64, loc);
    (Some(inst), number)
}

/// The value of which a list has had the number, with the instruction that takes it over from the list.
pub(super) fn taken(func: &mut Function, number: Value, ty: Type, loc: Option<Loc>) -> (Option<Inst>, Value) {
    let Type::Tensor(tensor) = ty else { return (None, number) };
    let (inst, value) = func.make_value(Op::Kept(tensor), vec![number], ty, loc);
    (Some(inst), value)
}

/// The instructions that pop a value of a type, and the value.
pub(super) fn pop(func: &mut Function, reel: Value, ty: Type, loc: Option<Loc>) -> (Vec<Inst>, Value) {
    let stored = if ty == Type::Bool || ty.is_handle() { Type::I64 } else { ty };
    let (pop, item) = func.make_value(Op::List(ListOp::Pop), vec![reel], stored, loc);
    if let (Some(inst), value) = taken(func, item, ty, loc) {
        return (vec![pop, inst], value);
    }
    if ty != Type::Bool {
        return (vec![pop], item);
    }
    let (zero_inst, zero) = func.make_const(Const::I64(0), loc);
    let (inst, truth) = func.make_value(Op::Cmp(Cmp::Ne), vec![item, zero], Type::Bool, loc);
    (vec![pop, zero_inst, inst], truth)
}

/// Something that is recorded, for people.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// The function.
    pub func: String,
    /// What is recorded.
    pub what: What,
    /// Where.
    pub loc: Option<Loc>,
}

/// What is recorded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum What {
    /// A value of this type, which the way back of an op needs.
    Value(Type, String),
    /// Which way a join was reached.
    Edge,
    /// How often a loop went round.
    Count,
    /// Nothing: the derivative stops here, and is 0.
    Stop(String),
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(ty @ Type::Tensor(it), by) => {
                let size = it.count().wrapping_mul(it.dtype.size());
                write!(f, "a value ({ty}), {size} bytes and 8 for its place: the derivative of `{by}` needs it")
            }
            Self::Value(ty @ Type::List(_), by) => {
                write!(f, "a value ({ty}), 8 bytes: the cotangents that `{by}` reads or changes are in it")
            }
            Self::Value(ty, by) => write!(f, "a value ({ty}), 8 bytes: the derivative of `{by}` needs it"),
            Self::Edge => f.write_str("which way was taken, 8 bytes: the way back goes the same"),
            Self::Count => f.write_str("how often the loop went round, 8 bytes: the way back goes round as often"),
            Self::Stop(what) => write!(f, "the derivative stops, and is 0: {what}"),
        }
    }
}
