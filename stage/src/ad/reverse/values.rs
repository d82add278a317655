//! The values of the way back: what it knows of the way there, and the cotangents.

use crate::build::Builder;
use crate::entity::{Block, Loc, Value};
use crate::ir::{Def, InstData, Terminator};
use crate::op::{Acts, Convert, ListOp, Num2, Op, Real1};
use crate::tensor::TensorOp;
use crate::tensor::elementwise::Real2;
use crate::tensor::fused::Role;
use crate::types::Type;

use super::Cx;
use crate::ad::activity::{is_value, tensor_op};
use crate::ad::tape::{self, Record, Reel, What};
use crate::ad::variables::Var;

/// So many operations are done again rather than that their result is recorded.
const MOST_AGAIN: usize = 4;
/// So few elements are reduced again.
const FEW: usize = 256;

/// Whether an operation on tensors makes what is known, or asks for what is the same throughout.
fn is_known(op: &TensorOp, args: &[Value]) -> bool {
    args.is_empty() && matches!(op.acts(), Acts::Makes | Acts::Asks)
}

/// Whether an operation on tensors, of which the first has this type, is a view, or so little arithmetic that it is part of the
/// loop that needs what it gives.
fn is_cheap(op: &TensorOp, first: Option<Type>) -> bool {
    let is_little = match op {
        TensorOp::Real1(_) => false,
        TensorOp::Real2(op) => *op == Real2::Div,
        TensorOp::Fold { .. } | TensorOp::Copy => matches!(first, Some(Type::Tensor(ty)) if ty.count() <= FEW),
        _ => matches!(Role::of(op), Some(Role::Each | Role::View)),
    };
    is_little && !op.may_fail()
}

impl Cx<'_> {
    pub(super) fn emit(&mut self, op: Op, args: &[Value]) -> Vec<Value> {
        let mut builder = Builder::new(self.module, &mut self.func, self.block);
        builder.at(self.loc).inst(op, args).expect("derivatives have the types of what they belong to")
    }

    pub(super) fn value(&mut self, op: Op, args: &[Value]) -> Value {
        self.emit(op, args)[0]
    }

    /// Appends an operation on tensors.
    pub(super) fn tensor(&mut self, op: TensorOp, args: &[Value]) -> Value {
        let (acts, types) = (op.acts(), self.func.types_of(args));
        let results = op.results(&types).expect("derivatives have the shapes of what they belong to");
        let host = self.tensor_host(op, &types, results[0]);
        let inst = self.func.make_inst(Op::Tensor(host, acts), args.to_vec(), &results, self.loc);
        self.func.blocks[self.block].insts.push(inst);
        self.func.insts[inst].results[0]
    }

    pub(super) fn end_with(&mut self, term: Terminator) {
        self.func.blocks[self.block].term = term;
        self.func.blocks[self.block].term_loc = self.loc;
        self.vars.link(&self.func, self.block);
    }

    pub(super) fn def_of(&self, value: Value) -> Block {
        match self.func.values[value].def {
            Def::Result(inst, _) => self.homes[inst],
            Def::Param(block, _) => block,
        }
    }

    /// Whether a loop goes round both blocks.
    pub(super) fn share_loop(&self, a: Block, b: Block) -> bool {
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
    pub(super) fn primal(&mut self, value: Value) -> Option<Value> {
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
        } else if let Some(again) = self.again(value) {
            again
        } else {
            self.recorded(value)?
        };
        self.known.insert(value, found);
        Some(found)
    }

    /// Records a value of the way there; `None` if there is no way to.
    fn recorded(&mut self, value: Value) -> Option<Value> {
        let ty = self.func.ty(value);
        let reel = self.back_reel(Reel::of(ty)?);
        let (insts, popped) = tape::pop(&mut self.func, reel, ty, self.loc);
        self.needed.push((value, insts));
        self.note(What::Value(ty, self.by.clone()), self.loc);
        Some(popped)
    }

    /// A function of a float of the way there. Where that would have to be recorded, what the function gives is instead:
    /// the way there computes it, beside what it waits for.
    pub(super) fn function(&mut self, function: Real1, of: Value) -> Value {
        if self.is_at_hand(of) {
            let x = self.number(of);
            return self.value(Op::Real1(function), &[x]);
        }
        let (inst, value) = self.func.make_value(Op::Real1(function), vec![of], Type::F64, self.loc);
        self.homes[inst] = self.at;
        self.tails[self.at].push(inst);
        self.recorded(value).expect("every number can be recorded")
    }

    /// What is cheaper to compute again than to record: constants, and a little arithmetic on what is there, and on one
    /// value that is recorded instead. That one is, mostly, what several are computed from.
    fn again(&mut self, value: Value) -> Option<Value> {
        let Def::Result(inst, _) = self.func.values[value].def else { return None };
        let data = self.module.funcs[self.id].insts.lookup(inst)?.clone();
        let op = tensor_op(self.module, data.op).cloned();
        if op.as_ref().is_some_and(|it| is_known(it, &data.args)) {
            return Some(self.value(data.op, &[]));
        }
        let (mut from, mut ops) = (None, 0);
        if !self.is_cheap(value) || !self.follows(value, &mut from, &mut ops) {
            return None;
        }
        let mut args = Vec::with_capacity(data.args.len());
        for &arg in &data.args {
            args.push(self.primal(arg)?);
        }
        Some(match op {
            Some(op) => self.tensor(op, &args),
            None => self.value(data.op, &args),
        })
    }

    /// Whether a value is the result of an operation that takes no longer than to read what was recorded.
    fn is_cheap(&self, value: Value) -> bool {
        let Def::Result(inst, _) = self.func.values[value].def else { return false };
        let Some(data) = self.module.funcs[self.id].insts.lookup(inst) else { return false };
        if let Some(op) = tensor_op(self.module, data.op) {
            let is_here = matches!(self.func.ty(value), Type::Tensor(ty) if !ty.home.is_there());
            let first = data.args.first().map(|it| self.func.ty(*it));
            return is_here && (is_known(op, &data.args) || is_cheap(op, first));
        }
        let is_cheap = matches!(
            data.op,
            Op::Num1(_)
                | Op::Num2(Num2::Add | Num2::Sub | Num2::Mul | Num2::Min | Num2::Max)
                | Op::Select
                | Op::Cmp(_)
                | Op::Not
                | Op::Bit2(_)
                | Op::Convert(Convert::BoolToInt | Convert::IntToFloat)
        );
        is_cheap && self.func.ty(value) != Type::I64
    }

    /// Whether a value follows by few operations from what is there and one float, which is not.
    fn follows(&self, value: Value, from: &mut Option<Value>, ops: &mut usize) -> bool {
        if self.is_at_hand(value) || *from == Some(value) {
            return true;
        }
        if self.is_cheap(value)
            && let Def::Result(inst, _) = self.func.values[value].def
        {
            *ops += 1;
            let args = &self.module.funcs[self.id].insts[inst].args;
            return *ops <= MOST_AGAIN && args.iter().all(|&arg| self.follows(arg, from, ops));
        }
        let is_float = match self.func.ty(value) {
            Type::Tensor(ty) => ty.dtype.is_float(),
            ty => ty == Type::F64,
        };
        from.replace(value).is_none() && is_float
    }

    /// Whether a value of the way there is there without being recorded, or has been.
    fn is_at_hand(&self, value: Value) -> bool {
        self.known.contains_key(&value)
            || self.func.as_const(value).is_some()
            || !self.split && !self.share_loop(self.def_of(value), self.at)
    }

    /// A number of the way there.
    pub(super) fn number(&mut self, value: Value) -> Value {
        self.primal(value).expect("every number can be recorded")
    }

    pub(super) fn carry(&mut self, value: Value, def: Block) -> Value {
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

    pub(super) fn note(&mut self, what: What, loc: Option<Loc>) {
        self.records.push(Record { func: self.func.name.clone(), what, loc });
    }

    /// Whether what a value holds may be changed by this function: then it may be another on the way back.
    pub(super) fn may_change(&self, memory: Value) -> bool {
        let (func, ty) = (&self.module.funcs[self.id], self.func.ty(memory));
        let changes = |data: &InstData| match data.op {
            Op::List(op) => !matches!(op, ListOp::Len | ListOp::Get | ListOp::Reserve) && func.ty(data.args[0]) == ty,
            Op::Map(op) => op.changes() && func.ty(data.args[0]) == ty,
            Op::Call(..) => data.args.iter().any(|&it| func.ty(it) == ty),
            _ => false,
        };
        !is_value(ty) && func.blocks.values().flat_map(|it| &it.insts).any(|&inst| changes(&func.insts[inst]))
    }

    pub(super) fn cotangent(&mut self, value: Value, lane: usize) -> Var {
        if let Some(&var) = self.cotangents.get(&(value, lane)) {
            return var;
        }
        let def = self.def_of(value);
        let ty = match self.func.ty(value) {
            ty @ Type::Tensor(_) => ty,
            Type::I64 => self.handles[&value],
            _ => Type::F64,
        };
        let zero = self.zero_of(ty);
        let var = self.vars.cotangent(value, ty, def, zero);
        self.cotangents.insert((value, lane), var);
        var
    }

    /// The cotangent that a value has got, which is zero from here on; `None` if it is zero.
    pub(super) fn take(&mut self, value: Value, lane: usize) -> Option<Value> {
        if !self.is_active(value) {
            return None;
        }
        let var = self.cotangent(value, lane);
        let got = self.vars.read(var, self.block, &mut self.func, &self.flow);
        let zero = self.zero_of(self.func.ty(got));
        self.vars.write(var, self.block, zero);
        (got != zero).then_some(got)
    }

    /// A cotangent as a program sees it: 0.0 where it has no share; an array that nobody else has.
    pub(super) fn given(&mut self, cotangent: Value) -> Value {
        match self.func.ty(cotangent) {
            Type::F64 => self.value(Op::Num2(Num2::Add), &[cotangent, self.zero]),
            Type::Tensor(ty) if !ty.home.is_there() => {
                let copy = self.tensor(TensorOp::Copy, &[cotangent]);
                self.copies.push(copy);
                copy
            }
            _ => cotangent,
        }
    }
}
