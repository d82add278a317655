//! Cutting a function in two at a block: what is reached from there becomes a function of its own.

use crate::analysis::Cfg;
use crate::entity::{Block, Entity, Value};
use crate::ir::{BlockData, Function};
use crate::set::EntityMap;

/// Takes out what a block leads to. Its parameters are those of the new function, which uses no other value from outside.
pub(super) fn cut(func: &Function, at: Block, name: String) -> Function {
    let mut rest = Function::new(name);
    let mut values = EntityMap::with_len(Value::new(0), func.values.len());
    let mut blocks: EntityMap<Block, Option<Block>> = EntityMap::new(None);
    let mut order = Vec::new();
    let mut work = vec![at];
    while let Some(old) = work.pop() {
        if blocks[old].is_none() {
            let new = if old == at { rest.entry() } else { rest.blocks.push(BlockData::default()) };
            blocks[old] = Some(new);
            order.push((old, new));
            work.extend(func.blocks[old].term.jumps().map(|jump| jump.target));
        }
    }
    let mut copied = Vec::new();
    for &(old, new) in &order {
        for &param in &func.blocks[old].params {
            values[param] = rest.append_param(new, func.ty(param));
        }
        for &inst in &func.blocks[old].insts {
            let data = &func.insts[inst];
            let copy = rest.make_inst(data.op, data.args.clone(), &func.types_of(&data.results), data.loc);
            for (&old, &result) in data.results.iter().zip(&rest.insts[copy].results) {
                values[old] = result;
            }
            rest.blocks[new].insts.push(copy);
            copied.push(copy);
        }
    }
    for inst in copied {
        rest.insts[inst].args.iter_mut().for_each(|arg| *arg = values[*arg]);
    }
    for (old, new) in order {
        let mut term = func.blocks[old].term.clone();
        term.for_each_use_mut(|value| *value = values[*value]);
        term.jumps_mut().for_each(|jump| jump.target = blocks[jump.target].expect("all that is reached was copied"));
        rest.blocks[new].term = term;
        rest.blocks[new].term_loc = func.blocks[old].term_loc;
    }
    debug_assert!(Cfg::of(&rest).order().len() == rest.blocks.len());
    rest
}
