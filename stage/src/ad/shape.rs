//! The shape of functions that can be walked backwards.
//!
//! One return at most. Loops have one way in and one way back. An edge whose source has several targets leads to a block
//! that has no other predecessor, and so does one that leaves a loop: there is a place for what belongs to the edge.
//! Nobody calls the main function.

use crate::analysis::{Cfg, Dominators, Edge, Loops};
use crate::entity::{Block, FuncId, Value};
use crate::ir::{BlockData, Function, Jump, Module, Terminator};
use crate::op::Op;

/// Brings every function into shape.
pub(super) fn prepare(module: &mut Module) {
    let main = module.main();
    let is_called = |func: &Function| func.insts.values().any(|inst| inst.op == Op::Call(main, None));
    if module.funcs.values().any(is_called) {
        let body = module.funcs[main].clone();
        let copy = module.funcs.push(body);
        for func in module.funcs.keys() {
            retarget(&mut module.funcs[func], main, copy);
        }
    }
    for func in module.funcs.keys() {
        let func = &mut module.funcs[func];
        func.remove_unreachable();
        one_return(func);
        loops(func);
        edges(func);
    }
}

fn retarget(func: &mut Function, from: FuncId, to: FuncId) {
    for inst in func.insts.keys() {
        if let Op::Call(callee, _) = &mut func.insts[inst].op
            && *callee == from
        {
            *callee = to;
        }
    }
}

fn one_return(func: &mut Function) {
    let returns: Vec<Block> =
        func.blocks.keys().filter(|&block| matches!(func.blocks[block].term, Terminator::Return(_))).collect();
    if returns.len() < 2 {
        return;
    }
    let join = func.blocks.push(BlockData::default());
    let params: Vec<Value> = func.results.clone().into_iter().map(|ty| func.append_param(join, ty)).collect();
    func.blocks[join].term = Terminator::Return(params);
    func.blocks[join].term_loc = func.blocks[returns[0]].term_loc;
    for block in returns {
        let Terminator::Return(args) = std::mem::take(&mut func.blocks[block].term) else { continue };
        func.blocks[block].term = Terminator::Jump(Jump { target: join, args });
    }
}

/// One way into each loop, and one way back.
fn loops(func: &mut Function) {
    let cfg = Cfg::of(func);
    let loops = Loops::of(func, &cfg, &Dominators::of(&cfg));
    for id in loops.inner_first() {
        let data = loops.data(id);
        let entering: Vec<Edge> =
            cfg.preds(data.header).iter().filter(|edge| !data.latches.contains(edge)).copied().collect();
        for edges in [entering, data.latches.clone()] {
            if edges.len() > 1 {
                lead_through(func, data.header, &edges);
            }
        }
    }
}

/// Leads edges to one block through a new one. Edges keep their names.
fn lead_through(func: &mut Function, target: Block, edges: &[Edge]) {
    let between = func.blocks.push(BlockData::default());
    let types = func.types_of(&func.blocks[target].params.clone());
    let args = types.into_iter().map(|ty| func.append_param(between, ty)).collect();
    func.blocks[between].term = Terminator::Jump(Jump { target, args });
    func.blocks[between].term_loc = func.blocks[edges[0].from].term_loc;
    for edge in edges {
        edge.jump_mut(func).target = between;
    }
}

/// Splits edges to blocks with several predecessors from blocks with several targets, and edges that leave loops.
fn edges(func: &mut Function) {
    let cfg = Cfg::of(func);
    let loops = Loops::of(func, &cfg, &Dominators::of(&cfg));
    for &block in cfg.order() {
        let count = func.blocks[block].term.jumps().count();
        for slot in 0..count {
            let edge = Edge { from: block, slot: u32::try_from(slot).expect("a block has few jumps") };
            let target = edge.jump(func).target;
            let leaves = loops.innermost(block).is_some_and(|id| !loops.contains(id, target));
            if leaves || count > 1 && cfg.preds(target).len() > 1 {
                lead_through(func, target, &[edge]);
            }
        }
    }
}
