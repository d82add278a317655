//! Changes that several passes make to a function.

use crate::analysis::Cfg;
use crate::entity::{Block, Entity, Inst, Loc, Table, Value};
use crate::ir::{Def, Function};
use crate::op::{Bit2, Cmp, Const, Num2, Op, Overflow2, Wrap2};
use crate::set::EntityMap;
use crate::types::Type;

/// Values that others take the place of. Nothing changes in the function until it is applied.
pub(crate) struct Substitution {
    by: EntityMap<Value, Option<Value>>,
    is_empty: bool,
}

impl Substitution {
    pub(crate) const fn new() -> Self {
        Self { by: EntityMap::new(None), is_empty: true }
    }

    /// From here on, `by` (or what takes its place) stands for `old`.
    pub(crate) fn replace(&mut self, old: Value, by: Value) {
        let by = self.resolve(by);
        debug_assert!(self.by[old].is_none() && by != old, "{old} is replaced twice or by itself");
        self.by[old] = Some(by);
        self.is_empty = false;
    }

    /// What stands for a value. Shortens the chain that it followed.
    pub(super) fn resolve(&mut self, value: Value) -> Value {
        let mut last = value;
        while let Some(next) = self.by[last] {
            last = next;
        }
        let mut at = value;
        while let Some(next) = self.by[at] {
            if next != last {
                self.by[at] = Some(last);
            }
            at = next;
        }
        last
    }

    pub(super) fn resolve_all(&mut self, values: &mut [Value]) {
        if !self.is_empty {
            for value in values {
                *value = self.resolve(*value);
            }
        }
    }

    /// Rewrites every use in the function.
    pub(crate) fn apply(&mut self, func: &mut Function) {
        if self.is_empty {
            return;
        }
        for block in func.blocks.keys() {
            for index in 0..func.blocks[block].insts.len() {
                let inst = func.blocks[block].insts[index];
                self.resolve_all(&mut func.insts[inst].args);
            }
            func.blocks[block].term.for_each_use_mut(|value| *value = self.resolve(*value));
        }
    }
}

impl Function {
    /// Makes an instruction with one result, in no block yet.
    pub(crate) fn make_value(&mut self, op: Op, args: Vec<Value>, ty: Type, loc: Option<Loc>) -> (Inst, Value) {
        let inst = self.make_inst(op, args, &[ty], loc);
        (inst, self.insts[inst].results[0])
    }

    /// Makes a constant, in no block yet.
    pub(crate) fn make_const(&mut self, constant: Const, loc: Option<Loc>) -> (Inst, Value) {
        let ty = match constant {
            Const::Bool(_) => Type::Bool,
            Const::I64(_) => Type::I64,
            Const::F64(_) => Type::F64,
        };
        self.make_value(Op::Const(constant), Vec::new(), ty, loc)
    }

    /// Takes out the parameters for which `remove` holds, and the arguments of jumps that feed them. Those of
    /// the entry stay. Returns how many there were.
    pub(super) fn remove_params(&mut self, mut remove: impl FnMut(Value) -> bool) -> usize {
        let mut removed = 0;
        // The positions that stay, for each block of which some go.
        let mut kept: EntityMap<Block, Option<Vec<bool>>> = EntityMap::new(None);
        for block in self.blocks.keys().skip(1) {
            let keep: Vec<bool> = self.blocks[block].params.iter().map(|&param| !remove(param)).collect();
            let gone = keep.iter().filter(|&&keep| !keep).count();
            if gone > 0 {
                removed += gone;
                retain(&mut self.blocks[block].params, &keep);
                self.renumber_params(block);
                kept[block] = Some(keep);
            }
        }
        if removed > 0 {
            for block in self.blocks.keys() {
                for jump in self.blocks[block].term.jumps_mut() {
                    if let Some(keep) = &kept[jump.target] {
                        retain(&mut jump.args, keep);
                    }
                }
            }
        }
        removed
    }

    /// Makes the definitions of a block's parameters say which block and position they are at.
    pub(super) fn renumber_params(&mut self, block: Block) {
        for (position, &param) in self.blocks[block].params.iter().enumerate() {
            let position = u32::try_from(position).expect("a block has few parameters");
            self.values[param].def = Def::Param(block, position);
        }
    }

    /// Takes out the blocks that cannot be reached. The others keep their order; names of blocks change.
    /// Returns how many there were.
    pub(crate) fn remove_unreachable(&mut self) -> usize {
        let cfg = Cfg::of(self);
        let removed = self.blocks.len() - cfg.order().len();
        if removed > 0 {
            let order: Vec<Block> = self.blocks.keys().filter(|&block| cfg.is_reachable(block)).collect();
            self.reorder_blocks(&order);
        }
        removed
    }

    /// Makes these blocks the blocks of the function, in this order. They contain the entry, which comes
    /// first, and every block that they jump to.
    pub(super) fn reorder_blocks(&mut self, order: &[Block]) {
        let mut renamed = EntityMap::with_len(self.entry(), self.blocks.len());
        let mut blocks = Table::new();
        for &old in order {
            renamed[old] = blocks.push(std::mem::take(&mut self.blocks[old]));
        }
        self.blocks = blocks;
        // A value that nothing defines any more must not name a block that is gone.
        for value in self.values.keys() {
            if let Def::Param(block, position) = &mut self.values[value].def {
                (*block, *position) = (Block::new(0), u32::MAX);
            }
        }
        for block in self.blocks.keys() {
            self.renumber_params(block);
            for jump in self.blocks[block].term.jumps_mut() {
                jump.target = renamed[jump.target];
            }
        }
    }
}

fn retain<T>(items: &mut Vec<T>, keep: &[bool]) {
    let mut keep = keep.iter();
    items.retain(|_| *keep.next().expect("one for each item"));
}

/// Gives blocks, instructions and values new names in the order in which they are printed, and forgets
/// those that are not used.
pub(super) fn renumber(func: &mut Function) {
    let order = Cfg::of(func).order().to_vec();
    func.reorder_blocks(&order);
    let mut values: Table<Value, _> = Table::new();
    let mut insts: Table<Inst, _> = Table::new();
    let mut renamed = EntityMap::with_len(Value::new(0), func.values.len());
    for block in func.blocks.keys() {
        for position in 0..func.blocks[block].params.len() {
            let param = func.blocks[block].params[position];
            renamed[param] = values.push(func.values[param]);
        }
        for position in 0..func.blocks[block].insts.len() {
            let old = func.blocks[block].insts[position];
            let mut data = func.insts[old].clone();
            let new = Inst::new(insts.len());
            for (result, index) in data.results.iter_mut().zip(0..) {
                let mut value = func.values[*result];
                value.def = Def::Result(new, index);
                let name = values.push(value);
                renamed[*result] = name;
                *result = name;
            }
            insts.push(data);
            func.blocks[block].insts[position] = new;
        }
    }
    for inst in insts.keys() {
        for arg in &mut insts[inst].args {
            *arg = renamed[*arg];
        }
    }
    for block in func.blocks.keys() {
        func.blocks[block].params.iter_mut().for_each(|param| *param = renamed[*param]);
        func.blocks[block].term.for_each_use_mut(|value| *value = renamed[*value]);
    }
    func.insts = insts;
    func.values = values;
}

/// Whether the op gives the same for its two operands exchanged.
pub(super) const fn is_commutative(op: Op) -> bool {
    matches!(
        op,
        Op::Num2(Num2::Add | Num2::Mul)
            | Op::Wrap2(Wrap2::Add | Wrap2::Mul)
            | Op::Overflow2(Overflow2::Add | Overflow2::Mul)
            | Op::Bit2(Bit2::And | Bit2::Or | Bit2::Xor)
            | Op::Cmp(Cmp::Eq | Cmp::Ne)
    )
}
