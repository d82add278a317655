//! The way there: shadows of lists, calls of the functions that are cut, and what is put at the beginning.

use crate::entity::{Block, Entity, FuncId, HostId, Inst, Value};
use crate::ir::HostData;
use crate::op::{Acts, Const, ListOp, Op};
use crate::tensor::{Item, TensorOp};
use crate::types::{Elem, ListType, Type};

use super::{Cx, SHADOW, shadow_type};
use crate::ad::Refused;
use crate::ad::activity::{is_value, resizes};
use crate::ad::tape::{self, Reel};

impl Cx<'_> {
    /// Gives each active list a shadow, and calls the functions that are cut.
    pub(super) fn make_shadows(&mut self) -> Result<(), Refused> {
        let entry = self.func.entry();
        let order: Vec<Block> =
            self.flow.cfg.order().iter().copied().filter(|&block| self.flow.on_path[block]).collect();
        for &block in &order {
            for param in self.func.blocks[block].params.clone() {
                if self.is_memory(param) && block != entry {
                    for lane in 0..self.lanes {
                        let shadow = self.func.append_param(block, shadow_type(self.func.ty(param)));
                        self.shadows.insert((param, lane), shadow);
                    }
                }
            }
        }
        if !self.split {
            let params = self.module.funcs[self.id].params();
            let by = self.request.wrt.iter().map(|&position| params[position]);
            let by = by.filter(|&param| !is_value(self.func.ty(param)) && !self.is_active(param));
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
    pub(super) fn zeros_like(&mut self, memory: Value) -> (Vec<Inst>, Value) {
        let func = &mut self.func;
        let (zero_inst, zero) = func.make_const(Const::F64(0.0), None);
        let len = match func.ty(memory) {
            Type::Array(_) => Op::Len,
            _ => Op::List(ListOp::Len),
        };
        let (len_inst, len) = func.make_value(len, vec![memory], Type::I64, None);
        let (new, list) = func.make_value(Op::ListNew(ListType::of(Elem::F64)), Vec::new(), SHADOW, None);
        let room = func.make_inst(Op::List(ListOp::Reserve), vec![list, len], &[], None);
        let fill = func.make_inst(Op::List(ListOp::Fill), vec![list, len, zero], &[], None);
        (vec![zero_inst, len_inst, new, room, fill], list)
    }

    /// An instruction of the way there, and what its lists' shadows need.
    pub(super) fn there(&mut self, block: Block, inst: Inst, insts: &mut Vec<Inst>) -> Result<(), Refused> {
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
                    return Err(Refused::new(what, data.loc));
                }
            }
            _ => {}
        }
        add(self, inst);
        match data.op {
            Op::ListNew(_) if self.is_memory(data.results[0]) => {
                let ty = shadow_type(self.func.ty(data.results[0]));
                let Type::List(list) = ty else { unreachable!("the shadow of a list is a list") };
                for lane in 0..self.lanes {
                    let (new, shadow) = self.func.make_value(Op::ListNew(list), Vec::new(), ty, data.loc);
                    add(self, new);
                    self.shadows.insert((data.results[0], lane), shadow);
                }
            }
            Op::List(op @ (ListOp::Push | ListOp::Pop))
                if self.is_memory(data.args[0]) && shadow_type(self.func.ty(data.args[0])) != SHADOW =>
            {
                let item = if op == ListOp::Push { data.args[1] } else { data.results[0] };
                let handle = self.handles.get(&item).copied();
                let zero = match handle {
                    Some(ty) => self.zero_there(ty),
                    None => {
                        let (inst, zero) = self.func.make_const(Const::I64(0), data.loc);
                        add(self, inst);
                        zero
                    }
                };
                for lane in 0..self.lanes {
                    let shadow = self.shadows[&(data.args[0], lane)];
                    let insts = match op {
                        ListOp::Push => tape::push(&mut self.func, shadow, zero, data.loc),
                        _ => tape::pop(&mut self.func, shadow, handle.unwrap_or(Type::I64), data.loc).0,
                    };
                    insts.into_iter().for_each(|inst| add(self, inst));
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

    pub(super) fn passed_shadows(&self, callee: FuncId, args: &[Value]) -> Vec<Value> {
        let params = self.module.funcs[callee].params();
        let active = args.iter().zip(params).filter(|&(_, &param)| {
            self.activity.is_active(callee, param) && !is_value(self.module.funcs[callee].ty(param))
        });
        active.flat_map(|(&arg, _)| (0..self.lanes).map(move |lane| self.shadows[&(arg, lane)])).collect()
    }

    /// Puts an instruction at the very beginning.
    pub(super) fn at_entry(&mut self, op: Op, ty: Type) -> Value {
        let (inst, value) = self.func.make_value(op, Vec::new(), ty, None);
        let entry = self.func.entry();
        self.homes[inst] = entry;
        self.heads[entry].push(inst);
        value
    }

    pub(super) fn default_of(&mut self, ty: Type) -> Value {
        match ty {
            Type::F64 => self.zero,
            Type::I64 => self.none,
            Type::Bool => self.at_entry(Op::Const(Const::Bool(false)), ty),
            Type::List(list) => self.at_entry(Op::ListNew(list), ty),
            Type::Map(map) => self.at_entry(Op::MapNew(map), ty),
            Type::Array(_) => unreachable!("an array is a parameter, which is there everywhere"),
            Type::Tensor(_) => self.zero_of(ty),
            Type::Object(_) => unreachable!("only plain Python works on objects, and it is not there"),
        }
    }

    /// The zero of a type, at the very beginning.
    pub(super) fn zero_of(&mut self, ty: Type) -> Value {
        let Type::Tensor(tensor) = ty else { return self.zero };
        if let Some(&zero) = self.zeros.get(&ty) {
            return zero;
        }
        let (inst, zero) = self.make_zero(Type::Tensor(tensor));
        // The way back of a function that is cut begins where it turns round.
        let first = self.turn.map_or(self.func.entry(), |(_, turn)| turn);
        self.homes[inst] = first;
        self.heads[first].push(inst);
        self.zeros.insert(ty, zero);
        zero
    }

    /// The zero of a type of tensors, for the way there.
    fn zero_there(&mut self, ty: Type) -> Value {
        if let Some(&zero) = self.zeros_there.get(&ty) {
            return zero;
        }
        let (inst, zero) = self.make_zero(ty);
        let entry = self.func.entry();
        self.homes[inst] = entry;
        self.heads[entry].push(inst);
        self.zeros_there.insert(ty, zero);
        zero
    }

    /// The instruction that makes the zero of a type.
    pub(super) fn make_zero(&mut self, ty: Type) -> (Inst, Value) {
        let Type::Tensor(tensor) = ty else { return self.func.make_const(Const::F64(0.0), None) };
        let op = TensorOp::Full { dtype: tensor.dtype, dims: tensor.shape.dims().to_vec(), item: Item::Float(0.0) };
        let host = self.tensor_host(op, &[], ty);
        self.func.make_value(Op::Tensor(host, Acts::Makes), Vec::new(), ty, None)
    }

    /// A function of the host for an operation on tensors.
    pub(super) fn tensor_host(&mut self, op: TensorOp, params: &[Type], result: Type) -> HostId {
        let text = op.to_string();
        let name = text.split(' ').next().unwrap_or_default().to_owned();
        let data = HostData { tensor: Some(op), ..HostData::new(name, params.to_vec(), vec![result]) };
        let host = HostId::new(self.module.hosts.len() + self.hosts.len());
        self.hosts.push(data);
        host
    }

    /// The tape, on the way there.
    pub(super) fn reel(&mut self, reel: Reel) -> Value {
        match self.reels[reel as usize] {
            Some(value) => value,
            None => {
                let value = self.at_entry(Op::ListNew(ListType::of(reel.elem())), reel.ty());
                self.reels[reel as usize] = Some(value);
                value
            }
        }
    }

    /// The tape, on the way back.
    pub(super) fn back_reel(&mut self, reel: Reel) -> Value {
        match self.back_reels[reel as usize] {
            Some(value) => value,
            None => self.reel(reel),
        }
    }
}
