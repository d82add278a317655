//! The instructions of the way back: each is undone, the last first.

use crate::entity::{Block, FuncId, Inst, Value};
use crate::ir::{InstData, Module, RuleArg, Terminator};
use crate::op::{Const, Op, Real1};
use crate::types::Type;

use super::{Cx, Pair, active_results, value_params};
use crate::ad::Refused;
use crate::ad::activity::{is_value, tensor_op};
use crate::ad::custom::custom;
use crate::ad::power::is_rounded;
use crate::ad::pullback::{self, Path, Site, passes, path};
use crate::ad::tape::{self, Reel};
use crate::ad::tensor::{self, TensorSite};
use crate::tensor::{Item, TensorOp};

impl Cx<'_> {
    /// Builds the way back through a block.
    pub(super) fn go_back(&mut self, block: Block) -> Result<(), Refused> {
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
                if !matches!(self.func.ty(param), Type::F64 | Type::Tensor(_)) {
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
    pub(super) fn begin_at_end(&mut self, block: Block) {
        let Some(&(_, end)) = self.ends.iter().find(|&&(end, _)| end == block) else { return };
        let values = match &self.module.funcs[self.id].blocks[block].term {
            Terminator::Return(values) | Terminator::Exit(_, values) => values.clone(),
            Terminator::None | Terminator::Jump(_) | Terminator::Branch { .. } => unreachable!("it is an end"),
        };
        if self.split {
            let positions = active_results(&self.module.funcs[self.id], self.id, self.activity);
            let original = &self.module.funcs[self.id];
            let params: Vec<Value> = value_params(original, self.id, self.activity).collect();
            for (index, so_far) in std::mem::take(&mut self.so_far).into_iter().enumerate() {
                let var = self.cotangent(params[index % params.len()], index / params.len());
                self.vars.write(var, self.block, so_far);
            }
            let seeds = std::mem::take(&mut self.seeds);
            for (index, seed) in seeds.into_iter().enumerate() {
                self.add_to(values[positions[index % positions.len()]], index / positions.len(), seed);
            }
            return;
        }
        if self.request.passed {
            for (&of, seed) in self.request.ends[end].of.iter().zip(self.seeds.clone()) {
                self.add_to(values[of], 0, seed);
            }
            return;
        }
        for (lane, &of) in self.request.ends[end].of.iter().enumerate() {
            if self.is_active(values[of]) {
                let one = match self.func.ty(values[of]) {
                    Type::Tensor(it) => {
                        let dims = it.shape.dims().to_vec();
                        self.tensor(
                            TensorOp::Full { dtype: it.dtype, dims, item: Item::Float(1.0), home: it.home },
                            &[],
                        )
                    }
                    _ => self.value(Op::Const(Const::F64(1.0)), &[]),
                };
                self.add_to(values[of], lane, one);
            }
        }
    }

    pub(super) fn undo(&mut self, inst: Inst) -> Result<(), Refused> {
        let data = self.module.funcs[self.id].insts[inst].clone();
        self.by = name_of(self.module, data.op);
        match path(data.op) {
            Path::Scalar(op) => {
                for lane in 0..self.lanes {
                    let Some(t) = self.take(data.results[0], lane) else { continue };
                    if is_rounded(&self.module.funcs[self.id], &data.args) {
                        self.add_to(data.args[2], lane, t);
                        continue;
                    }
                    for (position, &arg) in data.args.iter().enumerate() {
                        if passes(op, position) && self.is_active(arg) {
                            let mut site = Backward { cx: self, inst };
                            if let Some(share) = pullback::scaled(&mut site, op, position, t) {
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
            Path::Tensor => {
                let Some(op) = tensor_op(self.module, data.op).cloned() else { return Ok(()) };
                let Some(&result) = data.results.first() else { return Ok(()) };
                for lane in 0..self.lanes {
                    let Some(t) = self.take(result, lane) else { continue };
                    let types = self.func.types_of(&data.args);
                    let wanted: Vec<bool> = data.args.iter().map(|&it| self.is_active(it)).collect();
                    let first = self.func.insts.len();
                    let mut site = Backward { cx: self, inst };
                    for (position, share) in tensor::shares(&mut site, &op, &types, t, &|it| wanted[it]) {
                        self.add_made(data.args[position], lane, share, first);
                    }
                }
            }
            Path::Call => {
                if let Op::Call(callee, _) = data.op
                    && let Some(pair) = self.helpers.pairs[callee]
                {
                    self.undo_call(callee, pair, &data.args, &data.results)?;
                }
            }
            Path::Host => self.undo_host(&data)?,
            Path::Handle => {
                for lane in 0..self.lanes {
                    if let Some(&result) = data.results.first()
                        && let Some(t) = self.take(result, lane)
                    {
                        self.add_to(data.args[0], lane, t);
                    }
                }
            }
            Path::Map => {
                if let Op::Map(op) = data.op {
                    for lane in 0..self.lanes {
                        self.undo_map(inst, op, lane)?;
                    }
                }
            }
            Path::List(_) | Path::Load | Path::Store | Path::Nowhere => {}
        }
        Ok(())
    }

    /// A border, or what has a derivative of its own.
    fn undo_host(&mut self, data: &InstData) -> Result<(), Refused> {
        if let Op::Host(host, _) = data.op
            && self.request.borders.contains(host)
        {
            for lane in 0..self.lanes {
                if let Some(t) = self.take(data.results[0], lane) {
                    self.add_to(data.args[0], lane, t);
                }
            }
        }
        let module = self.module;
        let Some((host, custom)) = custom(module, data.op) else { return Ok(()) };
        if !data.results.iter().any(|&it| self.is_active(it)) {
            return Ok(());
        }
        self.used.insert(host);
        let rule = custom.back.as_ref().expect("what has no rule was refused");
        for lane in 0..self.lanes {
            let cotangents: Vec<Option<Value>> = data.results.iter().map(|&it| self.take(it, lane)).collect();
            if cotangents.iter().all(Option::is_none) {
                continue;
            }
            let mut args = Vec::with_capacity(rule.args.len());
            for arg in &rule.args {
                args.push(match *arg {
                    RuleArg::Operand(position) => {
                        let value = data.args[position];
                        let (ty, loc) = (self.func.ty(value), self.loc);
                        let given = if self.may_change(value) { None } else { self.primal(value) };
                        given.ok_or_else(|| Refused::new(format!("a {ty} that a rule is given"), loc))?
                    }
                    RuleArg::Derivative(position) => {
                        let ty = self.func.ty(data.results[position]);
                        let cotangent = cotangents[position].unwrap_or_else(|| self.zero_of(ty));
                        self.given(cotangent)
                    }
                    RuleArg::Zero(ty) => {
                        let zero = self.zero_of(ty);
                        self.given(zero)
                    }
                });
            }
            // It records on the tape that is there, and takes all of that off again.
            for reel in tape::of_rule(module, rule) {
                args.push(self.back_reel(reel));
            }
            let given = self.emit(Op::Call(rule.func, None), &args);
            for &(result, operand) in &rule.gives {
                self.add_to(data.args[operand], lane, given[result]);
            }
        }
        Ok(())
    }

    pub(super) fn undo_call(
        &mut self,
        callee: FuncId,
        pair: Pair,
        args: &[Value],
        results: &[Value],
    ) -> Result<(), Refused> {
        let func = &self.module.funcs[callee];
        let positions = active_results(func, callee, self.activity);
        let mut passed = Vec::new();
        for lane in 0..self.lanes {
            for &position in &positions {
                let ty = self.func.ty(results[position]);
                passed.push(self.take(results[position], lane).unwrap_or_else(|| self.zero_of(ty)));
            }
        }
        for (&arg, &param) in args.iter().zip(func.params()) {
            if self.activity.is_active(callee, param) && !is_value(func.ty(param)) {
                for lane in 0..self.lanes {
                    passed.push(self.shadow(arg, lane)?);
                }
            }
        }
        let floats: Vec<Value> = value_params(func, callee, self.activity).collect();
        let by: Vec<Value> =
            args.iter().zip(func.params()).filter(|&(_, param)| floats.contains(param)).map(|(&arg, _)| arg).collect();
        for lane in 0..self.lanes {
            for &arg in &by {
                // What is passed twice has a cotangent once.
                let so_far = self.take(arg, lane);
                let ty = self.func.ty(arg);
                passed.push(so_far.unwrap_or_else(|| self.zero_of(ty)));
            }
        }
        passed.extend(self.helpers.reels.iter().map(|&reel| self.back_reel(reel)).collect::<Vec<_>>());
        let shares = self.emit(Op::Call(pair.back, None), &passed);
        for (index, share) in shares.into_iter().enumerate() {
            self.add_to(by[index % by.len()], index / by.len(), share);
        }
        Ok(())
    }
}

/// What an op is called, for people.
pub(super) fn name_of(module: &Module, op: Op) -> String {
    let text = match op {
        Op::Num1(op) => op.text(),
        Op::Num2(op) => op.text(),
        Op::Real1(op) => op.text(),
        Op::Real2(op) => op.text(),
        Op::Select => "select",
        Op::List(op) => op.text(),
        Op::Map(op) => op.text(),
        Op::Load => "load",
        Op::Call(..) => "call",
        Op::Host(host, _) => &module.hosts[host].name,
        _ => match tensor_op(module, op) {
            Some(op) => return op.to_string().split(' ').next().unwrap_or_default().to_owned(),
            None => "an operation",
        },
    };
    text.to_owned()
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

    fn function(&mut self, function: Real1) -> Value {
        let arg = self.cx.module.funcs[self.cx.id].insts[self.inst].args[0];
        self.cx.function(function, arg)
    }
}

impl TensorSite for Backward<'_, '_> {
    fn operand(&mut self, position: usize) -> Value {
        Site::operand(self, position)
    }

    fn result(&mut self) -> Value {
        Site::result(self)
    }

    fn tensor(&mut self, op: TensorOp, args: &[Value]) -> Value {
        self.cx.tensor(op, args)
    }

    fn ty(&self, value: Value) -> Type {
        self.cx.func.ty(value)
    }
}
