//! Sums of shares: how a cotangent comes together.
//!
//! The first share is the cotangent. Whether there is one already is known only when the way back is there: a parameter of
//! a block that nobody gives a share is nothing. Further shares are added: those that are zero but for some places, and
//! products, without being made by themselves, to memory that is written over where nobody else has it.

use std::collections::{HashMap, HashSet};

use crate::analysis::uses::Uses;
use crate::entity::{Entity, Inst, Value};
use crate::ir::Def;
use crate::op::{Num2, Op};
use crate::pass::edit::Substitution;
use crate::tensor::{TensorOp, elementwise};
use crate::types::Type;

use super::Cx;

/// A share that is added to what there may be.
pub(super) struct Sum {
    so_far: Value,
    share: Value,
    sum: Value,
    /// Whether the sum makes the share itself.
    has_own: bool,
}

impl Cx<'_> {
    pub(super) fn add_to(&mut self, value: Value, lane: usize, share: Value) {
        self.add_made(value, lane, share, usize::MAX);
    }

    /// The same, where nobody else uses the share if it was made by an instruction from this number on.
    pub(super) fn add_made(&mut self, value: Value, lane: usize, share: Value, first: usize) {
        if !self.is_active(value) {
            return;
        }
        let share = match (self.func.ty(value), self.func.ty(share)) {
            // A cotangent lies where its value lies.
            (Type::Tensor(of), Type::Tensor(is)) if of.home != is.home => self.tensor(TensorOp::To(of.home), &[share]),
            _ => share,
        };
        let var = self.cotangent(value, lane);
        let so_far = self.vars.read(var, self.block, &mut self.func, &self.flow);
        let ty = self.func.ty(so_far);
        let sum = match ty {
            _ if so_far == self.zero_of(ty) => share,
            Type::Tensor(of) => {
                let own = if of.home.is_there() { None } else { self.made_by(share, first) };
                let has_own = own.is_some();
                let sum = match own {
                    Some((op, args)) => self.tensor(TensorOp::Plus(Box::new(op)), &[&[so_far], &args[..]].concat()),
                    None => self.tensor(TensorOp::Num2(elementwise::Num2::Add), &[so_far, share]),
                };
                self.sums.push(Sum { so_far, share, sum, has_own });
                sum
            }
            _ => self.value(Op::Num2(Num2::Add), &[so_far, share]),
        };
        self.vars.write(var, self.block, sum);
    }

    /// What makes a share, from an instruction on, if it can be added without being made.
    fn made_by(&self, share: Value, first: usize) -> Option<(TensorOp, Vec<Value>)> {
        let Def::Result(inst, _) = self.func.values[share].def else { return None };
        let data = self.func.insts.lookup(inst).filter(|_| inst.index() >= first)?;
        let op = self.tensor_of(data.op)?;
        let can = matches!(op, TensorOp::Place { .. } | TensorOp::AddAt { .. } | TensorOp::Matmul);
        can.then(|| (op.clone(), data.args.clone()))
    }

    /// The operation on tensors that an op is.
    fn tensor_of(&self, op: Op) -> Option<&TensorOp> {
        let Op::Tensor(host, _) = op else { return None };
        match host.index().checked_sub(self.module.hosts.len()) {
            Some(made_here) => self.hosts.get(made_here)?.tensor.as_ref(),
            None => self.module.hosts[host].tensor.as_ref(),
        }
    }

    /// What is made for the program alone needs no copy: an operation has made it, and only the copy uses it.
    pub(super) fn settle_copies(&mut self) {
        let copies = std::mem::take(&mut self.copies);
        if copies.is_empty() {
            return;
        }
        let uses = Uses::of(&self.func);
        let mut subst = Substitution::new();
        let mut gone = HashSet::new();
        for copy in copies {
            let Def::Result(inst, _) = self.func.values[copy].def else { continue };
            let of = self.func.insts[inst].args[0];
            if self.is_own(of) && uses.count(of) == 1 {
                subst.replace(copy, of);
                gone.insert(inst);
            }
        }
        self.without(&gone, &mut subst);
    }

    /// Whether the memory of a tensor is made for it.
    fn is_own(&self, value: Value) -> bool {
        let Def::Result(inst, _) = self.func.values[value].def else { return false };
        let op = self.func.insts.lookup(inst).and_then(|it| self.tensor_of(it.op));
        op.is_some_and(|op| {
            matches!(
                op,
                TensorOp::Num1(_)
                    | TensorOp::Num2(_)
                    | TensorOp::Real1(_)
                    | TensorOp::Real2(_)
                    | TensorOp::Matmul
                    | TensorOp::Plus(_)
            )
        })
    }

    fn without(&mut self, gone: &HashSet<Inst>, subst: &mut Substitution) {
        if gone.is_empty() {
            return;
        }
        for block in self.func.blocks.keys() {
            self.func.blocks[block].insts.retain(|inst: &Inst| !gone.contains(inst));
        }
        subst.apply(&mut self.func);
    }

    /// What turns out to be a first share is one; what sums make themselves goes.
    pub(super) fn settle_sums(&mut self) {
        let nothing = self.nothing_at_all();
        let mut subst = Substitution::new();
        let mut gone = HashSet::new();
        for sum in std::mem::take(&mut self.sums) {
            let dead = if nothing.contains(&sum.so_far) {
                subst.replace(sum.sum, sum.share);
                sum.sum
            } else if sum.has_own {
                sum.share
            } else {
                continue;
            };
            if let Def::Result(inst, _) = self.func.values[dead].def {
                gone.insert(inst);
            }
        }
        self.without(&gone, &mut subst);
    }

    /// The tensors that are zero because nobody has a share: those that were made for this, and parameters that are only
    /// given such.
    fn nothing_at_all(&self) -> HashSet<Value> {
        let zeros: HashSet<Value> = self.zeros.values().copied().collect();
        let params = self.vars.params().filter(|&it| matches!(self.func.ty(it), Type::Tensor(_)));
        let params: Vec<Value> = params.collect();
        let mut nothing: HashSet<Value> = params.iter().copied().collect();
        let mut given_to: HashMap<Value, Vec<Value>> = HashMap::new();
        let mut work = Vec::new();
        for &param in &params {
            let Def::Param(block, position) = self.func.values[param].def else { continue };
            for edge in &self.vars.preds[block] {
                let arg = edge.jump(&self.func).args[position as usize];
                if nothing.contains(&arg) {
                    given_to.entry(arg).or_default().push(param);
                } else if !zeros.contains(&arg) {
                    work.push(param);
                }
            }
        }
        while let Some(param) = work.pop() {
            if nothing.remove(&param) {
                work.extend(given_to.get(&param).into_iter().flatten());
            }
        }
        nothing.extend(zeros);
        nothing
    }
}
