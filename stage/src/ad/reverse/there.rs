//! The way there: shadows of lists, calls of the functions that are cut, and what is put at the beginning.

use crate::entity::{Block, Entity, FuncId, HostId, Inst, Value};
use crate::ir::{Def, HostData};
use crate::op::{Acts, Const, Op};
use crate::tensor::{Item, TensorOp};
use crate::types::Type;

use super::memory::shadow_type;
use super::{Cx, Pair, memory_results};
use crate::ad::activity::is_value;
use crate::ad::tape::Reel;

impl Cx<'_> {
    /// Gives each active list a shadow, and calls the functions that are cut.
    pub(super) fn make_shadows(&mut self) {
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
            self.keep_keys();
        }
        for &block in &order {
            let mut insts = Vec::new();
            for inst in self.func.blocks[block].insts.clone() {
                self.there(block, inst, &mut insts);
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
    }

    /// The derivative by a dict has the keys that it has at first.
    fn keep_keys(&mut self) {
        let (entry, params) = (self.func.entry(), self.module.funcs[self.id].params());
        for position in self.request.wrt.clone() {
            let Type::Map(ty) = self.func.ty(params[position]) else { continue };
            for lane in 0..self.lanes {
                let zeros = Op::Call(self.helpers.tools.entries(ty).zeros, None);
                let (call, made) = self.func.make_value(zeros, vec![params[position]], Type::Map(ty), None);
                self.homes[call] = entry;
                self.func.blocks[entry].insts.insert(0, call);
                self.entries.insert((params[position], lane), made);
            }
        }
    }

    /// An instruction of the way there, and what the shadows need.
    fn there(&mut self, block: Block, inst: Inst, insts: &mut Vec<Inst>) {
        self.before(block, inst, insts);
        let inst = match self.func.insts[inst].op {
            Op::Call(callee, _) if let Some(pair) = self.helpers.pairs[callee] => self.call_there(inst, callee, pair),
            _ => inst,
        };
        self.homes[inst] = block;
        insts.push(inst);
        self.behind_it(block, inst, insts);
    }

    /// A call of a function that is cut. It gives the shadows of the lists that it gives, too.
    fn call_there(&mut self, inst: Inst, callee: FuncId, pair: Pair) -> Inst {
        let data = self.func.insts[inst].clone();
        let mut args = data.args.clone();
        args.extend(self.passed_shadows(callee, &data.args));
        args.extend(self.helpers.reels.iter().map(|&reel| self.reel(reel)).collect::<Vec<_>>());
        let types = self.module.funcs[pair.there].results.clone();
        let call = self.func.make_inst(Op::Call(pair.there, None), args, &types, data.loc);
        let given = std::mem::take(&mut self.func.insts[call].results);
        let (own, shadows) = given.split_at(data.results.len());
        debug_assert_eq!(own.len(), data.results.len());
        let memory = memory_results(&self.module.funcs[callee], callee, self.activity);
        let of = memory.into_iter().flat_map(|position| (0..self.lanes).map(move |lane| (position, lane)));
        for ((position, lane), &shadow) in of.zip(shadows) {
            self.shadows.insert((data.results[position], lane), shadow);
        }
        // The results keep their names.
        for (&result, position) in data.results.iter().zip(0..) {
            self.func.values[result].def = Def::Result(call, position);
        }
        self.func.insts[call].results = data.results.iter().chain(shadows).copied().collect();
        call
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

    /// The cotangent of what has no share yet, by its type, at the very beginning.
    pub(super) fn zero_of(&mut self, ty: Type) -> Value {
        let Type::Tensor(tensor) = ty else { return self.nothing };
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
    pub(super) fn zero_there(&mut self, ty: Type) -> Value {
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
        let op = TensorOp::Full {
            dtype: tensor.dtype,
            dims: tensor.shape.dims().to_vec(),
            item: Item::Float(0.0),
            home: tensor.home,
        };
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
        match self.reels.get(&reel) {
            Some(&value) => value,
            None => {
                let value = self.at_entry(Op::ListNew(reel.list()), reel.ty());
                self.reels.insert(reel, value);
                value
            }
        }
    }

    /// The tape, on the way back.
    pub(super) fn back_reel(&mut self, reel: Reel) -> Value {
        match self.back_reels.get(&reel) {
            Some(&value) => value,
            None => self.reel(reel),
        }
    }
}
