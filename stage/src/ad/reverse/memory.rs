//! The shadows of what holds numbers: the cotangents of what is in it, in memory of their own.
//!
//! The shadow of a list is a list, made with it, that grows and shrinks with it in both directions. That of a list of
//! lists has the shadows of those. The shadow of a map has the cotangents by key: an entry that is replaced or taken out
//! leaves none behind, so what the map does is not mirrored.

use crate::entity::{Block, Inst, Value};
use crate::ir::InstData;
use crate::op::{Cmp, Const, ListOp, MapOp, Num2, ObjectOp, Op, Wrap2};
use crate::tensor::{TensorOp, elementwise};
use crate::types::{Elem, ListType, Type};

use super::Cx;
use crate::ad::Refused;
use crate::ad::activity::resizes;
use crate::ad::helpers::key_found;
use crate::ad::tape;

/// The type of the shadow of a list, map or array. That of a list of handles holds handles of cotangents.
pub(super) const fn shadow_type(memory: Type) -> Type {
    match memory {
        Type::List(ListType { elem: Elem::I64, .. }) | Type::Map(_) => memory,
        Type::List(ListType { nesting, .. }) => Type::List(ListType { elem: Elem::F64, nesting }),
        _ => SHADOW,
    }
}

/// What memory is called, for people.
fn named(memory: Type) -> String {
    match memory {
        Type::Map(_) => "a dict of floats".to_owned(),
        other => format!("a {other}"),
    }
}

const SHADOW: Type = Type::List(ListType::of(Elem::F64));

/// What the items of a list are, as far as their cotangents are concerned.
enum Items {
    Numbers,
    Lists,
    /// Handles of tensors, and other integers.
    Handles,
}

impl Items {
    fn of(list: Type) -> Self {
        match list {
            Type::List(ListType { nesting: 1.., .. }) => Self::Lists,
            Type::List(ListType { elem: Elem::I64, .. }) => Self::Handles,
            _ => Self::Numbers,
        }
    }
}

impl Cx<'_> {
    /// The shadow of what a parameter of the main function holds, with the instructions that make it.
    pub(super) fn zeros_like(&mut self, memory: Value) -> (Vec<Inst>, Value) {
        let func = &mut self.func;
        let ty = func.ty(memory);
        let shadow = shadow_type(ty);
        match ty {
            Type::Map(map) => {
                let (new, shadow) = func.make_value(Op::MapNew(map), Vec::new(), shadow, None);
                return (vec![new], shadow);
            }
            Type::List(list) if list.nesting > 0 => {
                let zeros = Op::Call(self.helpers.tools.zeros(list), None);
                let (call, shadow) = func.make_value(zeros, vec![memory], shadow, None);
                return (vec![call], shadow);
            }
            _ => {}
        }
        let (zero_inst, zero) = func.make_const(Const::F64(0.0), None);
        let len = if matches!(ty, Type::Array(_)) { Op::Len } else { Op::List(ListOp::Len) };
        let (len_inst, len) = func.make_value(len, vec![memory], Type::I64, None);
        let (new, list) = func.make_value(Op::ListNew(ListType::of(Elem::F64)), Vec::new(), shadow, None);
        let room = func.make_inst(Op::List(ListOp::Reserve), vec![list, len], &[], None);
        let fill = func.make_inst(Op::List(ListOp::Fill), vec![list, len, zero], &[], None);
        (vec![zero_inst, len_inst, new, room, fill], list)
    }

    /// What the way there does for the shadows before an instruction.
    pub(super) fn before(&mut self, block: Block, inst: Inst, insts: &mut Vec<Inst>) {
        let data = self.func.insts[inst].clone();
        let Op::List(op) = data.op else { return };
        if !self.is_memory(data.args[0]) {
            return;
        }
        match (op, Items::of(self.func.ty(data.args[0]))) {
            // The way back asks how long it was.
            (ListOp::Truncate, _) => {
                let (len, value) = self.func.make_value(Op::List(ListOp::Len), vec![data.args[0]], Type::I64, data.loc);
                self.add(block, len, insts);
                self.lengths.insert(inst, value);
            }
            // And which list was there.
            (ListOp::Set, Items::Lists) => {
                for lane in 0..self.lanes {
                    let args = vec![self.shadows[&(data.args[0], lane)], data.args[1]];
                    let ty = self.func.ty(self.shadows[&(data.args[2], lane)]);
                    let (get, row) = self.func.make_value(Op::List(ListOp::Get), args, ty, data.loc);
                    self.add(block, get, insts);
                    self.replaced.insert((inst, lane), row);
                }
            }
            _ => {}
        }
    }

    /// And behind it.
    pub(super) fn behind_it(&mut self, block: Block, inst: Inst, insts: &mut Vec<Inst>) {
        let data = self.func.insts[inst].clone();
        let memory = data.args.first().or(data.results.first());
        if !memory.is_some_and(|&it| self.is_memory(it)) {
            return;
        }
        match data.op {
            Op::ListNew(_) | Op::MapNew(_) => {
                let ty = shadow_type(self.func.ty(data.results[0]));
                let new = match ty {
                    Type::List(list) => Op::ListNew(list),
                    Type::Map(map) => Op::MapNew(map),
                    other => unreachable!("nothing makes a {other}"),
                };
                for lane in 0..self.lanes {
                    let (new, shadow) = self.func.make_value(new, Vec::new(), ty, data.loc);
                    self.add(block, new, insts);
                    self.shadows.insert((data.results[0], lane), shadow);
                }
            }
            Op::List(op) => match Items::of(self.func.ty(data.args[0])) {
                Items::Numbers if resizes(op) => self.mirror_numbers(block, &data, op, insts),
                Items::Lists if !matches!(op, ListOp::Len) => self.mirror_lists(block, &data, op, insts),
                Items::Handles if op.gives_item() && op != ListOp::Get || op.takes_item() && op != ListOp::Set => {
                    self.mirror_handles(block, &data, op, insts);
                }
                Items::Numbers | Items::Lists | Items::Handles => {}
            },
            Op::Map(MapOp::Get) if key_found(&self.func, &data.args).is_none() => {
                let Type::Map(ty) = self.func.ty(data.args[0]) else { return };
                let key_at = Op::Call(self.helpers.tools.key_at(ty), None);
                let (call, key) = self.func.make_value(key_at, data.args[..2].to_vec(), ty.key.ty(), data.loc);
                self.add(block, call, insts);
                self.keys.insert(inst, key);
            }
            _ => {}
        }
    }

    fn add(&mut self, block: Block, inst: Inst, insts: &mut Vec<Inst>) {
        self.homes[inst] = block;
        insts.push(inst);
    }

    /// What changes the length of a list changes that of its shadow: there are zeros in it.
    fn mirror_numbers(&mut self, block: Block, data: &InstData, op: ListOp, insts: &mut Vec<Inst>) {
        let (zero_inst, zero) = self.func.make_const(Const::F64(0.0), data.loc);
        if op.takes_item() {
            self.add(block, zero_inst, insts);
        }
        for lane in 0..self.lanes {
            let mut args = data.args.clone();
            args[0] = self.shadows[&(args[0], lane)];
            if op.takes_item() {
                *args.last_mut().expect("the op takes an item") = zero;
            }
            let types: &[Type] = if op.gives_item() { &[Type::F64] } else { &[] };
            let mirrored = self.func.make_inst(Op::List(op), args, types, data.loc);
            self.add(block, mirrored, insts);
        }
    }

    /// The shadow of a list of lists has the shadows of those.
    fn mirror_lists(&mut self, block: Block, data: &InstData, op: ListOp, insts: &mut Vec<Inst>) {
        for lane in 0..self.lanes {
            let mut args = data.args.clone();
            args[0] = self.shadows[&(args[0], lane)];
            if op.takes_item() {
                let item = args.last_mut().expect("the op takes an item");
                *item = self.shadows[&(*item, lane)];
            }
            let types: Vec<Type> = data.results.iter().map(|&it| shadow_type(self.func.ty(it))).collect();
            let mirrored = self.func.make_inst(Op::List(op), args, &types, data.loc);
            self.add(block, mirrored, insts);
            if let Some(&result) = data.results.first() {
                self.shadows.insert((result, lane), self.func.insts[mirrored].results[0]);
            }
        }
    }

    /// What is put into a list of handles is a zero in its shadow, and what is taken out is of no use there.
    fn mirror_handles(&mut self, block: Block, data: &InstData, op: ListOp, insts: &mut Vec<Inst>) {
        let item = if op.takes_item() { data.args.last() } else { data.results.first() };
        let handle = item.and_then(|it| self.handles.get(it)).copied();
        let zero = match handle {
            Some(ty) => self.zero_there(ty),
            None => {
                let (inst, zero) = self.func.make_const(Const::I64(0), data.loc);
                self.add(block, inst, insts);
                zero
            }
        };
        for lane in 0..self.lanes {
            let shadow = self.shadows[&(data.args[0], lane)];
            let made = match op {
                ListOp::Push | ListOp::Append => tape::push(&mut self.func, shadow, zero, data.loc),
                ListOp::Pop => tape::pop(&mut self.func, shadow, handle.unwrap_or(Type::I64), data.loc).0,
                _ => {
                    let mut made = Vec::new();
                    let mut args = data.args.clone();
                    args[0] = shadow;
                    if op.takes_item() {
                        let (inst, item) = tape::kept(&mut self.func, zero, data.loc);
                        made.extend(inst);
                        *args.last_mut().expect("the op takes an item") = item;
                    }
                    let types: &[Type] = if op.gives_item() { &[Type::I64] } else { &[] };
                    let inst = self.func.make_inst(Op::List(op), args, types, data.loc);
                    made.push(inst);
                    if let (Some(ty), Some(item)) = (handle, self.func.insts[inst].results.first().copied()) {
                        made.extend(tape::taken(&mut self.func, item, ty, data.loc).0);
                    }
                    made
                }
            };
            made.into_iter().for_each(|inst| self.add(block, inst, insts));
        }
    }

    /// The shadow of a list, map or array, on the way back.
    pub(super) fn shadow(&mut self, memory: Value, lane: usize) -> Result<Value, Refused> {
        if let Some(&shadow) = self.back_shadows.get(&(memory, lane)) {
            return Ok(shadow);
        }
        let shadow = self.shadows[&(memory, lane)];
        let (loc, ty) = (self.loc, self.func.ty(memory));
        self.primal(shadow).ok_or_else(|| {
            Refused::new(format!("{} that is made in a loop or in a recursive function", named(ty)), loc)
        })
    }

    /// What was read from a list or array: its cotangent belongs to the item.
    pub(super) fn add_to_item(&mut self, args: &[Value], result: Value, lane: usize) -> Result<(), Refused> {
        let Some(t) = self.take(result, lane) else { return Ok(()) };
        let (shadow, index) = (self.shadow(args[0], lane)?, self.number(args[1]));
        let so_far = self.value(Op::List(ListOp::Get), &[shadow, index]);
        let sum = self.value(Op::Num2(Num2::Add), &[so_far, t]);
        self.emit(Op::List(ListOp::Set), &[shadow, index, sum]);
        Ok(())
    }

    pub(super) fn undo_list(&mut self, inst: Inst, op: ListOp, lane: usize) -> Result<(), Refused> {
        let data = self.module.funcs[self.id].insts[inst].clone();
        if matches!(op, ListOp::Len | ListOp::Reserve) {
            return Ok(());
        }
        match Items::of(self.func.ty(data.args[0])) {
            Items::Numbers => self.undo_numbers(inst, &data, op, lane),
            Items::Lists => self.undo_lists(inst, &data, op, lane),
            Items::Handles => {
                let shadow = self.shadow(data.args[0], lane)?;
                self.undo_handles(&data, op, shadow, lane)
            }
        }
    }

    fn undo_numbers(&mut self, inst: Inst, data: &InstData, op: ListOp, lane: usize) -> Result<(), Refused> {
        let (args, results) = (&data.args, &data.results);
        if op == ListOp::Get {
            return self.add_to_item(args, results[0], lane);
        }
        let shadow = self.shadow(args[0], lane)?;
        match op {
            ListOp::Len | ListOp::Get | ListOp::Reserve => {}
            ListOp::Set => {
                let index = self.number(args[1]);
                let t = self.value(Op::List(ListOp::Get), &[shadow, index]);
                self.emit(Op::List(ListOp::Set), &[shadow, index, self.zero]);
                self.add_to(args[2], lane, t);
            }
            ListOp::Push | ListOp::Append => {
                let t = self.value(Op::List(ListOp::Pop), &[shadow]);
                self.add_to(args[1], lane, t);
            }
            ListOp::Pop => {
                let t = self.take(results[0], lane).unwrap_or(self.zero);
                self.emit(Op::List(ListOp::Push), &[shadow, t]);
            }
            ListOp::Fill => {
                let count = self.number(args[1]);
                let t = self.value(Op::Call(self.helpers.tools.drain(), None), &[shadow, count]);
                self.add_to(args[2], lane, t);
            }
            ListOp::Insert => {
                let index = self.number(args[1]);
                let t = self.value(Op::List(ListOp::Remove), &[shadow, index]);
                self.add_to(args[2], lane, t);
            }
            ListOp::Remove => {
                let index = self.number(args[1]);
                let t = self.take(results[0], lane).unwrap_or(self.zero);
                self.insert(shadow, index, t);
            }
            ListOp::Shift => return Err(self.refuse_shift()),
            ListOp::Truncate => {
                let before = self.lengths[&inst];
                let (before, after) = (self.number(before), self.number(args[1]));
                let gone = self.value(Op::Wrap2(Wrap2::Sub), &[before, after]);
                self.emit(Op::List(ListOp::Reserve), &[shadow, gone]);
                self.emit(Op::List(ListOp::Fill), &[shadow, gone, self.zero]);
            }
        }
        Ok(())
    }

    /// Only code that is not differentiated has these.
    fn refuse_shift(&self) -> Refused {
        Refused::new("a list that gets items at its front", self.loc)
    }

    fn insert(&mut self, list: Value, index: Value, item: Value) {
        let one = self.value(Op::Const(Const::I64(1)), &[]);
        self.emit(Op::List(ListOp::Reserve), &[list, one]);
        self.emit(Op::List(ListOp::Insert), &[list, index, item]);
    }

    /// The shadow of a list of lists has in it what it had before.
    fn undo_lists(&mut self, inst: Inst, data: &InstData, op: ListOp, lane: usize) -> Result<(), Refused> {
        if op == ListOp::Get {
            return Ok(());
        }
        let shadow = self.shadow(data.args[0], lane)?;
        match op {
            ListOp::Len | ListOp::Get | ListOp::Reserve => {}
            ListOp::Set => {
                let (loc, index) = (self.loc, self.number(data.args[1]));
                let row = self.primal(self.replaced[&(inst, lane)]);
                let row = row.ok_or_else(|| Refused::new("a list that is nested too deeply", loc))?;
                self.emit(Op::List(ListOp::Set), &[shadow, index, row]);
            }
            ListOp::Push | ListOp::Append => _ = self.emit(Op::List(ListOp::Pop), &[shadow]),
            ListOp::Pop => {
                let row = self.shadow(data.results[0], lane)?;
                self.emit(Op::List(ListOp::Push), &[shadow, row]);
            }
            ListOp::Fill => {
                let Type::List(ty) = self.func.ty(shadow) else { unreachable!("the shadow of a list is a list") };
                let count = self.number(data.args[1]);
                self.emit(Op::Call(self.helpers.tools.drop_last(ty), None), &[shadow, count]);
            }
            ListOp::Insert => {
                let index = self.number(data.args[1]);
                self.emit(Op::List(ListOp::Remove), &[shadow, index]);
            }
            ListOp::Remove => {
                let (index, row) = (self.number(data.args[1]), self.shadow(data.results[0], lane)?);
                self.insert(shadow, index, row);
            }
            ListOp::Shift => return Err(self.refuse_shift()),
            ListOp::Truncate => unreachable!("they are taken out one after the other"),
        }
        Ok(())
    }

    /// A list of handles of tensors, one of the program or a tape: what was put in is taken out of its shadow, and put in if
    /// it was taken out. Other integers on a tape have no cotangent.
    fn undo_handles(&mut self, data: &InstData, op: ListOp, shadow: Value, lane: usize) -> Result<(), Refused> {
        let item = if op.takes_item() { data.args.last() } else { data.results.first() };
        let Some(&item) = item else {
            return Err(Refused::new("a list of arrays out of which many are taken at once", self.loc));
        };
        let handle = self.handles.get(&item).copied();
        match op {
            ListOp::Push | ListOp::Append => {
                let (insts, t) = tape::pop(&mut self.func, shadow, handle.unwrap_or(Type::I64), self.loc);
                self.func.blocks[self.block].insts.extend(insts);
                if handle.is_some() {
                    self.add_to(item, lane, t);
                }
            }
            ListOp::Pop => {
                let t = match handle {
                    Some(ty) => self.take(item, lane).unwrap_or_else(|| self.zero_of(ty)),
                    None => self.value(Op::Const(Const::I64(0)), &[]),
                };
                let insts = tape::push(&mut self.func, shadow, t, self.loc);
                self.func.blocks[self.block].insts.extend(insts);
            }
            ListOp::Get => {
                let Some(Type::Tensor(ty)) = handle else { return Ok(()) };
                let Some(t) = self.take(item, lane) else { return Ok(()) };
                let index = self.number(data.args[1]);
                let so_far = self.value(Op::List(ListOp::Get), &[shadow, index]);
                let so_far = self.value(Op::Kept(ty), &[so_far]);
                let sum = self.tensor(TensorOp::Num2(elementwise::Num2::Add), &[so_far, t]);
                let sum = self.value(Op::Object(ObjectOp::Keep), &[sum]);
                self.emit(Op::List(ListOp::Set), &[shadow, index, sum]);
            }
            ListOp::Set | ListOp::Insert => {
                let Some(Type::Tensor(ty)) = handle else { return Ok(()) };
                let index = self.number(data.args[1]);
                let taken = if op == ListOp::Set { ListOp::Get } else { ListOp::Remove };
                let t = self.value(Op::List(taken), &[shadow, index]);
                let t = self.value(Op::Kept(ty), &[t]);
                if op == ListOp::Set {
                    let zero = self.zero_of(Type::Tensor(ty));
                    let zero = self.value(Op::Object(ObjectOp::Keep), &[zero]);
                    self.emit(Op::List(ListOp::Set), &[shadow, index, zero]);
                }
                self.add_to(item, lane, t);
            }
            ListOp::Remove => {
                let Some(ty) = handle else { return Ok(()) };
                let index = self.number(data.args[1]);
                let t = self.take(item, lane).unwrap_or_else(|| self.zero_of(ty));
                let t = self.value(Op::Object(ObjectOp::Keep), &[t]);
                self.insert(shadow, index, t);
            }
            ListOp::Fill | ListOp::Shift => {
                return Err(Refused::new("a list with one array at several places", self.loc));
            }
            ListOp::Len | ListOp::Reserve | ListOp::Truncate => unreachable!("they have no item"),
        }
        Ok(())
    }

    pub(super) fn undo_map(&mut self, inst: Inst, op: MapOp, lane: usize) -> Result<(), Refused> {
        let data = self.module.funcs[self.id].insts[inst].clone();
        match op {
            MapOp::Put if self.is_active(data.args[0]) => {
                let (shadow, key) = (self.shadow(data.args[0], lane)?, self.number(data.args[2]));
                let at = self.value(Op::Map(MapOp::Find), &[shadow, key]);
                let t = self.value(Op::Map(MapOp::Get), &[shadow, at, self.zero]);
                self.emit(Op::Map(MapOp::Put), &[shadow, at, key, self.zero]);
                self.add_to(data.args[3], lane, t);
            }
            MapOp::Get => {
                let Some(t) = self.take(data.results[0], lane) else { return Ok(()) };
                let (zero, position) = (self.zero, self.number(data.args[1]));
                let none = self.value(Op::Const(Const::I64(0)), &[]);
                let missing = self.value(Op::Cmp(Cmp::Lt), &[position, none]);
                if self.is_active(data.args[2]) {
                    let other = self.value(Op::Select, &[missing, t, zero]);
                    self.add_to(data.args[2], lane, other);
                }
                if !self.is_active(data.args[0]) {
                    return Ok(());
                }
                let own = self.value(Op::Select, &[missing, zero, t]);
                let key = key_found(&self.module.funcs[self.id], &data.args).unwrap_or_else(|| self.keys[&inst]);
                let (shadow, key) = (self.shadow(data.args[0], lane)?, self.number(key));
                let at = self.value(Op::Map(MapOp::Find), &[shadow, key]);
                let so_far = self.value(Op::Map(MapOp::Get), &[shadow, at, zero]);
                let sum = self.value(Op::Num2(Num2::Add), &[so_far, own]);
                self.emit(Op::Map(MapOp::Put), &[shadow, at, key, sum]);
            }
            MapOp::Len
            | MapOp::Changes
            | MapOp::Find
            | MapOp::Next
            | MapOp::Last
            | MapOp::Put
            | MapOp::Key
            | MapOp::Remove
            | MapOp::Clear => {}
        }
        Ok(())
    }
}
