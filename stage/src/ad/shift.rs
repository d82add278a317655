//! Shifts that do not matter: the greatest element, which a softmax takes off so that no exponential is infinite.
//!
//! `exp(z - m) / sum(exp(z - m))` is the same for every `m` that is the same along the axes of the sum, and so are
//! `z - m - log(sum(exp(z - m)))` and `m + log(sum(exp(z - m)))`. What nothing depends on has no derivative: neither are its
//! shares computed, which add up to zero, nor is looked for where the greatest is. Whatever else `z - m` is used for, the
//! shift matters.

use std::collections::{HashMap, HashSet};

use crate::entity::{Inst, Value};
use crate::ir::{Def, Function, Module};
use crate::op::Op;
use crate::set::EntitySet;
use crate::tensor::TensorOp;
use crate::tensor::elementwise::{Num2, Real1, Real2};
use crate::tensor::reduce::Fold;
use crate::types::Type;

use super::activity::tensor_op;

/// The values of a function that are such shifts.
pub(super) fn shifts(module: &Module, func: &Function) -> EntitySet<Value> {
    let mut found = EntitySet::new();
    let insts = || func.blocks.values().flat_map(|block| &block.insts);
    let greatest = |inst: &&Inst| {
        let op = tensor_op(module, func.insts[**inst].op);
        matches!(op, Some(TensorOp::Fold { fold: Fold::Max | Fold::Min, .. }))
    };
    let mut candidates = insts().filter(greatest).peekable();
    if candidates.peek().is_none() {
        return found;
    }
    let mut users: HashMap<Value, Vec<(Inst, usize)>> = HashMap::new();
    // What a checkpoint has is for plain Python.
    for &inst in insts().filter(|it| !matches!(func.insts[**it].op, Op::Checkpoint(_))) {
        for (position, &arg) in func.insts[inst].args.iter().enumerate() {
            users.entry(arg).or_default().push((inst, position));
        }
    }
    let leaves = func.blocks.values().flat_map(|block| block.term.uses()).collect();
    let scene = Scene { module, func, users, leaves };
    for &inst in candidates {
        let shift = func.insts[inst].results[0];
        if scene.is_shift(shift).is_some() {
            found.insert(shift);
        }
    }
    found
}

struct Scene<'a> {
    module: &'a Module,
    func: &'a Function,
    users: HashMap<Value, Vec<(Inst, usize)>>,
    /// What blocks hand on, where it is not followed.
    leaves: HashSet<Value>,
}

/// What is computed of a sum of exponentials, and the sizes of what was summed, 1 along the axes of the sum.
#[derive(Default)]
struct Sums {
    sums: Vec<(Value, Vec<usize>)>,
    logarithms: Vec<(Value, Vec<usize>)>,
}

/// What is known of one of these values.
fn known(values: &[(Value, Vec<usize>)], wanted: Value) -> Option<&[usize]> {
    values.iter().find(|it| it.0 == wanted).map(|it| it.1.as_slice())
}

impl Scene<'_> {
    fn op(&self, inst: Inst) -> Option<&TensorOp> {
        tensor_op(self.module, self.func.insts[inst].op)
    }

    /// What a value is a view of.
    fn root(&self, value: Value) -> Value {
        self.before(value, TensorOp::is_view)
    }

    /// Who uses a value itself; `None` if not all is seen.
    fn readers(&self, value: Value) -> Option<&[(Inst, usize)]> {
        let users = self.users.get(&value).map_or(&[][..], Vec::as_slice);
        (!self.leaves.contains(&value)).then_some(users)
    }

    /// The same, through views.
    fn all_readers(&self, value: Value) -> Option<Vec<(Inst, usize)>> {
        let mut found = Vec::new();
        for &(inst, position) in self.readers(value)? {
            match self.op(inst) {
                Some(op) if op.is_view() && position == 0 => {
                    found.extend(self.all_readers(self.func.insts[inst].results[0])?);
                }
                _ => found.push((inst, position)),
            }
        }
        Some(found)
    }

    /// Whether nothing depends on a value.
    fn is_shift(&self, shift: Value) -> Option<()> {
        let mut added = Vec::new();
        let mut sums = Sums::default();
        let readers = self.all_readers(shift)?;
        for &(inst, position) in &readers {
            match (self.op(inst)?, position) {
                (TensorOp::Num2(Num2::Sub), 1) => {
                    let data = &self.func.insts[inst];
                    self.follow(data.results[0], data.args[1], &mut sums)?;
                }
                (TensorOp::Num2(Num2::Add), _) => added.push((inst, position)),
                _ => return None,
            }
        }
        // What is added to a logarithm of such a sum makes up for what was taken off.
        let makes_up = |&(inst, position): &(Inst, usize)| {
            known(&sums.logarithms, self.root(self.func.insts[inst].args[1 - position])).is_some()
        };
        (readers.len() > added.len() && added.iter().all(makes_up)).then_some(())
    }

    /// Follows what is computed of a shifted value, which must not depend on the shift.
    fn follow(&self, shifted: Value, by: Value, all: &mut Sums) -> Option<()> {
        let mut own = Sums::default();
        let (mut exponentials, mut later) = (Vec::new(), Vec::new());
        for &(inst, position) in self.readers(shifted)? {
            let result = self.func.insts[inst].results.first();
            match (self.op(inst)?, position) {
                (TensorOp::Real1(Real1::Exp), _) => exponentials.push(*result?),
                (TensorOp::Num2(Num2::Sub), 0) => later.push(inst),
                _ => return None,
            }
        }
        let mut divided = Vec::new();
        for &exponential in &exponentials {
            for &(inst, position) in self.readers(exponential)? {
                match (self.op(inst)?, position) {
                    (TensorOp::Fold { fold: Fold::Sum, axes }, _) if self.is_same_along(by, shifted, axes) => {
                        let mut kept = self.dims(shifted)?.to_vec();
                        axes.iter().for_each(|&at| kept[at] = 1);
                        own.sums.push((self.func.insts[inst].results[0], kept));
                    }
                    (TensorOp::Real2(Real2::Div), 0) => divided.push(inst),
                    _ => return None,
                }
            }
        }
        for &(sum, ref kept) in &own.sums {
            for (inst, position) in self.all_readers(sum)? {
                let data = &self.func.insts[inst];
                match (self.op(inst)?, position) {
                    (TensorOp::Real2(Real2::Div), 1) if exponentials.contains(&data.args[0]) => {}
                    (TensorOp::Real1(Real1::Log), _) if is_one(kept) || self.reshaped(data.args[0]) == sum => {
                        own.logarithms.push((data.results[0], kept.clone()));
                    }
                    _ => return None,
                }
            }
        }
        for &(logarithm, ref kept) in &own.logarithms {
            for (inst, position) in self.all_readers(logarithm)? {
                let data = &self.func.insts[inst];
                let fits = match (self.op(inst)?, position) {
                    (TensorOp::Num2(Num2::Sub), 1) => data.args[0] == shifted,
                    (TensorOp::Num2(Num2::Add), _) => {
                        self.makes_up(data.args[1 - position], by, data.args[position], kept)
                    }
                    _ => false,
                };
                fits.then_some(())?;
            }
        }
        // Each by the sum that is its own, and in its place.
        let by_own = |inst: Inst, all: &[(Value, Vec<usize>)]| {
            let divisor = self.func.insts[inst].args[1];
            let root = self.root(divisor);
            known(all, root).is_some_and(|kept| {
                let value = self.unstretched(divisor);
                is_one(kept) || self.has_dims(value, kept) && self.reshaped(value) == root
            })
        };
        let fits = divided.into_iter().all(|it| by_own(it, &own.sums))
            && later.into_iter().all(|it| by_own(it, &own.logarithms))
            && !own.sums.is_empty();
        all.logarithms.extend(own.logarithms);
        fits.then_some(())
    }

    /// Whether the shift, which was taken off in the form of `by`, is added to the logarithm of the sum in its place.
    fn makes_up(&self, shift: Value, by: Value, logarithm: Value, kept: &[usize]) -> bool {
        let [shift, by, logarithm] = [shift, by, logarithm].map(|it| self.unstretched(it));
        let Some(dims) = self.dims(logarithm) else { return false };
        self.root(shift) == self.root(by)
            && (self.dims(by).is_some_and(is_one)
                || self.has_dims(by, kept)
                    && self.has_dims(shift, dims)
                    && self.reshaped(shift) == self.reshaped(by)
                    && self.root(logarithm) == self.reshaped(logarithm))
    }

    fn dims(&self, value: Value) -> Option<&'static [usize]> {
        match self.func.ty(value) {
            Type::Tensor(it) => Some(it.shape.dims()),
            _ => None,
        }
    }

    /// Whether these are its sizes, but for leading ones.
    fn has_dims(&self, value: Value, wanted: &[usize]) -> bool {
        self.dims(value).is_some_and(|it| without_ones(it) == without_ones(wanted))
    }

    /// What a value is before it was stretched.
    fn unstretched(&self, value: Value) -> Value {
        self.before(value, |op| matches!(op, TensorOp::Broadcast(_)))
    }

    /// What has the same elements in the same order.
    fn reshaped(&self, value: Value) -> Value {
        self.before(value, |op| matches!(op, TensorOp::Reshape(_) | TensorOp::InsertAxis(_)))
    }

    fn before(&self, mut value: Value, is_undone: impl Fn(&TensorOp) -> bool) -> Value {
        while let Def::Result(inst, _) = self.func.values[value].def
            && self.op(inst).is_some_and(&is_undone)
        {
            value = self.func.insts[inst].args[0];
        }
        value
    }

    /// Whether a value, stretched to another, is the same along these axes of that.
    fn is_same_along(&self, value: Value, other: Value, axes: &[usize]) -> bool {
        let (Some(own), Some(whole)) = (self.dims(self.unstretched(value)), self.dims(other)) else { return false };
        let Some(new) = whole.len().checked_sub(own.len()) else { return false };
        axes.iter().all(|&at| at < new || own[at - new] == 1)
    }
}

fn is_one(dims: &[usize]) -> bool {
    dims.iter().all(|&it| it == 1)
}

fn without_ones(dims: &[usize]) -> &[usize] {
    let first = dims.iter().position(|&it| it != 1).unwrap_or(dims.len());
    &dims[first..]
}
