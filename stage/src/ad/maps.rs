//! Maps of floats, as maps of integers and a list of floats.
//!
//! A map has the index of each value in a list that goes with it wherever it goes: through parameters of blocks, calls
//! and results. A value that replaces another one comes behind all others. So all derivatives of what is in maps are those
//! of lists, in loops and in recursive functions, too.
//!
//! The first item of a list is what a map gives for a key that is not there, before the other value is chosen.
//!
//! Maps of a type that others see, the caller, exits or functions of the host, stay what they are.

use std::collections::{BTreeSet, HashMap};

use crate::entity::{Block, FuncId, Inst, Value};
use crate::ir::{Def, Function, Module, Terminator, ValueData};
use crate::op::{Cmp, Const, ListOp, MapOp, Op};
use crate::types::{Elem, ListType, MapType, Scalar, Type};

const FLOATS: Type = Type::List(ListType::of(Elem::F64));

/// Rewrites a module. If `is_shared`, others call its functions, which keep their parameters and results.
pub(super) fn split(module: &mut Module, is_shared: bool) {
    let types = inner_types(module, is_shared);
    if types.is_empty() {
        return;
    }
    let funcs: Vec<FuncId> = module.funcs.keys().collect();
    for id in funcs {
        let mut func = std::mem::replace(&mut module.funcs[id], Function::new(""));
        func.remove_unreachable();
        Cx { types: &types, func: &mut func, lists: HashMap::new() }.rewrite();
        module.funcs[id] = func;
    }
}

/// The type of a map of floats.
fn of_floats(ty: Type) -> Option<MapType> {
    match ty {
        Type::Map(map) if map.value == Some(Scalar::F64) => Some(map),
        _ => None,
    }
}

/// Those that nobody else sees.
fn inner_types(module: &Module, is_shared: bool) -> BTreeSet<MapType> {
    let (mut made, mut seen) = (BTreeSet::new(), BTreeSet::new());
    let main = module.main();
    for (id, func) in module.funcs.iter() {
        if id == main || is_shared {
            seen.extend(func.param_types().into_iter().chain(func.results.iter().copied()).filter_map(of_floats));
        }
        for &inst in func.blocks.values().flat_map(|block| &block.insts) {
            let data = &func.insts[inst];
            match data.op {
                Op::MapNew(ty) => made.extend(of_floats(Type::Map(ty))),
                Op::Map(_) | Op::Call(_, None) => {}
                _ => seen.extend(data.args.iter().chain(&data.results).filter_map(|&it| of_floats(func.ty(it)))),
            }
        }
        for block in func.blocks.values() {
            if let Terminator::Exit(_, values) = &block.term {
                seen.extend(values.iter().filter_map(|&it| of_floats(func.ty(it))));
            }
        }
    }
    made.difference(&seen).copied().collect()
}

struct Cx<'a> {
    types: &'a BTreeSet<MapType>,
    func: &'a mut Function,
    /// The list of each map.
    lists: HashMap<Value, Value>,
}

impl Cx<'_> {
    fn rewrite(&mut self) {
        let blocks: Vec<Block> = self.func.blocks.keys().collect();
        for &block in &blocks {
            for param in self.func.blocks[block].params.clone() {
                if self.is_split(param) {
                    let list = self.func.append_param(block, FLOATS);
                    self.pair(param, list);
                }
            }
        }
        let results = std::mem::take(&mut self.func.results);
        let lists = results.iter().filter(|&&ty| self.splits(ty)).map(|_| FLOATS).collect::<Vec<_>>();
        self.func.results = results.into_iter().map(|ty| if self.splits(ty) { of_indices(ty) } else { ty }).collect();
        self.func.results.extend(lists);
        // What makes maps, wherever they are used.
        for &block in &blocks {
            for inst in self.func.blocks[block].insts.clone() {
                for result in self.func.insts[inst].results.clone() {
                    if self.is_split(result) {
                        let list = self.list_of(inst);
                        self.pair(result, list);
                    }
                }
            }
        }
        for &block in &blocks {
            let mut insts = Vec::new();
            for inst in std::mem::take(&mut self.func.blocks[block].insts) {
                self.inst(inst, &mut insts);
            }
            self.func.blocks[block].insts = insts;
            let mut term = std::mem::replace(&mut self.func.blocks[block].term, Terminator::None);
            for jump in term.jumps_mut() {
                jump.args.extend(self.lists_of(&jump.args));
            }
            if let Terminator::Return(values) = &mut term {
                values.extend(self.lists_of(values));
            }
            self.func.blocks[block].term = term;
        }
    }

    fn splits(&self, ty: Type) -> bool {
        of_floats(ty).is_some_and(|map| self.types.contains(&map))
    }

    fn is_split(&self, value: Value) -> bool {
        self.splits(self.func.ty(value))
    }

    fn pair(&mut self, map: Value, list: Value) {
        self.func.values[map].ty = of_indices(self.func.ty(map));
        self.lists.insert(map, list);
    }

    /// A value for the list of a map that an instruction gives: behind its other results, if it is a call.
    fn list_of(&mut self, inst: Inst) -> Value {
        match self.func.insts[inst].op {
            Op::MapNew(_) => self.func.make_value(Op::ListNew(ListType::of(Elem::F64)), Vec::new(), FLOATS, None).1,
            _ => {
                let position = self.func.insts[inst].results.len() as u32;
                let list = self.func.values.push(ValueData { ty: FLOATS, def: Def::Result(inst, position) });
                self.func.insts[inst].results.push(list);
                list
            }
        }
    }

    fn lists_of(&self, values: &[Value]) -> Vec<Value> {
        values.iter().filter_map(|it| self.lists.get(it).copied()).collect()
    }

    /// An instruction, and what it is about the list.
    fn inst(&mut self, inst: Inst, insts: &mut Vec<Inst>) {
        let data = self.func.insts[inst].clone();
        let loc = data.loc;
        let list = data.args.first().and_then(|map| self.lists.get(map).copied());
        match (data.op, list) {
            (Op::MapNew(ty), _) if let Some(&list) = self.lists.get(&data.results[0]) => {
                let Type::Map(ty) = of_indices(Type::Map(ty)) else { unreachable!("a map of indices is a map") };
                self.func.insts[inst].op = Op::MapNew(ty);
                let Def::Result(new, _) = self.func.values[list].def else { unreachable!("it was made") };
                let (zero_inst, zero) = self.func.make_const(Const::F64(0.0), loc);
                let push = self.func.make_inst(Op::List(ListOp::Push), vec![list, zero], &[], loc);
                insts.extend([inst, new, zero_inst, push]);
            }
            (Op::Call(..), _) => {
                let lists = self.lists_of(&data.args);
                self.func.insts[inst].args.extend(lists);
                insts.push(inst);
            }
            (Op::Map(MapOp::Get), Some(list)) => {
                let (map, position, other) = (data.args[0], data.args[1], data.args[2]);
                let (zero_inst, zero) = self.func.make_const(Const::I64(0), loc);
                let get = Op::Map(MapOp::Get);
                let (index_inst, index) = self.func.make_value(get, vec![map, position, zero], Type::I64, loc);
                let (item_inst, item) = self.func.make_value(Op::List(ListOp::Get), vec![list, index], Type::F64, loc);
                let (missing_inst, missing) =
                    self.func.make_value(Op::Cmp(Cmp::Lt), vec![position, zero], Type::Bool, loc);
                let select = &mut self.func.insts[inst];
                (select.op, select.args) = (Op::Select, vec![missing, other, item]);
                insts.extend([zero_inst, index_inst, item_inst, missing_inst, inst]);
            }
            (Op::Map(MapOp::Put), Some(list)) => {
                let value = data.args[3];
                let (len_inst, index) = self.func.make_value(Op::List(ListOp::Len), vec![list], Type::I64, loc);
                self.func.insts[inst].args[3] = index;
                let push = self.func.make_inst(Op::List(ListOp::Push), vec![list, value], &[], loc);
                insts.extend([len_inst, inst, push]);
            }
            _ => insts.push(inst),
        }
    }
}

/// The type of a map with the same keys, to indices.
fn of_indices(ty: Type) -> Type {
    match ty {
        Type::Map(map) => Type::Map(MapType { value: Some(Scalar::I64), ..map }),
        other => other,
    }
}
