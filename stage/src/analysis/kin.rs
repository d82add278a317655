//! Lists and maps of which one is known to whoever knows the other.
//!
//! Such are what a jump brings and what it is called then, and a list of lists and its items. Calls make kin of what they
//! are passed and what they give, as far as the function that is called does.

use crate::entity::{FuncId, Value};
use crate::ir::{Function, Module, Terminator};
use crate::op::Op;
use crate::set::EntityMap;
use crate::types::{ListType, Type};

/// What a function is passed, or gives: by its position.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Slot {
    Param(usize),
    Result(usize),
}

/// What the functions of a module make kin of.
pub struct Kinships {
    of: EntityMap<FuncId, Vec<(Slot, Slot)>>,
}

/// Whether values of this type are lists or maps.
pub(super) const fn is_memory(ty: Type) -> bool {
    matches!(ty, Type::List(_) | Type::Map(_))
}

impl Kinships {
    /// Of all functions of a module.
    pub fn of(module: &Module) -> Self {
        let mut it = Self { of: EntityMap::new(Vec::new()) };
        let is_nested = |ty: Type| matches!(ty, Type::List(ListType { nesting: 1.., .. }));
        let may_be = |func: &Function| {
            func.results.iter().any(|&ty| is_memory(ty)) || func.param_types().into_iter().any(is_nested)
        };
        if !module.funcs.values().any(may_be) {
            return it;
        }
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for (id, func) in module.funcs.iter() {
                let found = it.between_slots(func);
                changed |= it.of[id] != found;
                it.of[id] = found;
            }
        }
        it
    }

    /// Pairs of kin in a function.
    pub fn pairs(&self, func: &Function) -> Vec<(Value, Value)> {
        let is_memory = |value: &Value| is_memory(func.ty(*value));
        let mut kin = Vec::new();
        for block in func.blocks.values() {
            for data in block.insts.iter().map(|&inst| &func.insts[inst]) {
                match data.op {
                    Op::Call(callee, _) => {
                        let value = |slot| match slot {
                            Slot::Param(at) => data.args[at],
                            Slot::Result(at) => data.results[at],
                        };
                        kin.extend(self.of[callee].iter().map(|&(a, b)| (value(a), value(b))));
                    }
                    Op::List(op) => {
                        let item = if op.takes_item() { data.args.last() } else { data.results.first() };
                        kin.extend(item.filter(|it| is_memory(it)).map(|&item| (data.args[0], item)));
                    }
                    _ => {}
                }
            }
            for jump in block.term.jumps() {
                let pairs = jump.args.iter().zip(&func.blocks[jump.target].params);
                kin.extend(pairs.filter(|(arg, _)| is_memory(arg)).map(|(&arg, &param)| (arg, param)));
            }
        }
        kin
    }

    /// What a function makes kin of, each with the first one that it is kin of.
    fn between_slots(&self, func: &Function) -> Vec<(Slot, Slot)> {
        let mut family = EntityMap::new(None);
        let pairs = self.pairs(func);
        for (name, &(a, b)) in pairs.iter().enumerate() {
            for value in [a, b] {
                if family[value].is_none() {
                    family[value] = Some(2 * name + usize::from(value == b));
                }
            }
        }
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for &(a, b) in &pairs {
                let least = family[a].min(family[b]);
                changed |= family[a] != family[b];
                (family[a], family[b]) = (least, least);
            }
        }
        let mut slots: Vec<(Slot, Value)> = Vec::new();
        slots.extend(func.params().iter().enumerate().map(|(at, &value)| (Slot::Param(at), value)));
        for block in func.blocks.values() {
            if let Terminator::Return(values) = &block.term {
                slots.extend(values.iter().enumerate().map(|(at, &value)| (Slot::Result(at), value)));
            }
        }
        slots.retain(|&(_, value)| is_memory(func.ty(value)));
        let same = |a: Value, b: Value| a == b || family[a].is_some() && family[a] == family[b];
        let mut found = Vec::new();
        for (index, &(slot, value)) in slots.iter().enumerate() {
            let first = slots[..index].iter().find(|&&(_, other)| same(other, value));
            found.extend(first.map(|&(first, _)| (first, slot)).filter(|(a, b)| a != b));
        }
        // Two returns may give what is kin of different parameters.
        found.sort_unstable();
        found.dedup();
        found
    }
}
