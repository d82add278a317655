//! `main-function`, `unknown-entity`, `loc-chain`: nothing is named that is not there.
//!
//! These come first and alone: every other check looks things up in the tables.

use std::fmt;

use super::{Cx, Place, Rule, Violation, show};
use crate::entity::{Block, Entity, Inst, Loc, Table};
use crate::ir::{Module, Terminator};
use crate::op::Op;

/// What is wrong with the module apart from its functions.
pub(super) fn check_module(module: &Module, list: &mut Vec<Violation>) {
    let mut report = |rule, message| {
        let context = show::context(module, Place::Module, &[]);
        list.push(Violation { rule, place: Place::Module, message, context });
    };
    if module.funcs.is_empty() {
        report(Rule::MainFunction, "the module has no function".to_owned());
    }
    for (loc, data) in module.locs.iter() {
        let Some(caller) = data.caller else { continue };
        if module.locs.lookup(caller).is_none() {
            report(Rule::UnknownEntity, format!("{loc} was inlined at {caller}, which is not in the table"));
        } else if goes_in_a_circle(module, loc) {
            report(Rule::LocChain, format!("{loc} was inlined, by way of {caller}, at {loc}"));
        }
    }
}

fn goes_in_a_circle(module: &Module, loc: Loc) -> bool {
    let caller = |loc: Loc| module.locs.lookup(loc).and_then(|data| data.caller);
    let mut next = caller(loc);
    for _ in 0..module.locs.len() {
        match next {
            None => return false,
            Some(it) if it == loc => return true,
            Some(it) => next = caller(it),
        }
    }
    false // a circle, but one that only others are on
}

/// What a function names and does not exist.
pub(super) fn check(cx: &mut Cx<'_>) {
    let func = cx.func;
    if func.blocks.is_empty() {
        cx.report(Rule::UnknownEntity, Place::Func(cx.id), &[], "the function has no entry block".to_owned());
    }
    for (block, data) in func.blocks.iter() {
        for param in unknown(&func.values, &data.params) {
            cx.at_head(Rule::UnknownEntity, block, not_in_table(param));
        }
        for &inst in &data.insts {
            if func.insts.lookup(inst).is_some() {
                check_inst(cx, block, inst);
            } else {
                cx.at_head(Rule::UnknownEntity, block, not_in_table(inst));
            }
        }
        check_end(cx, block);
    }
}

fn check_inst(cx: &mut Cx<'_>, block: Block, inst: Inst) {
    let (module, func) = (cx.module, cx.func);
    let data = &func.insts[inst];
    for value in unknown(&func.values, &data.args).chain(unknown(&func.values, &data.results)) {
        cx.at_inst(Rule::UnknownEntity, block, inst, not_in_table(value));
    }
    let named = match data.op {
        Op::Call(callee, _) => missing(&module.funcs, callee),
        Op::Host(host, _) | Op::Tensor(host, _) => missing(&module.hosts, host),
        Op::Const(_)
        | Op::Num1(_)
        | Op::Num2(_)
        | Op::IntPow
        | Op::IntDiv
        | Op::Wrap2(_)
        | Op::Overflow2(_)
        | Op::Bit2(_)
        | Op::Shift(_)
        | Op::Real1(_)
        | Op::Element1(..)
        | Op::Element2(..)
        | Op::Real2(_)
        | Op::Cmp(_)
        | Op::CmpIntFloat(_)
        | Op::Not
        | Op::Convert(_)
        | Op::Select
        | Op::Len
        | Op::Load
        | Op::Store
        | Op::ListNew(_)
        | Op::MapNew(_)
        | Op::Map(_)
        | Op::List(_)
        | Op::Object(_)
        | Op::OfClass(_)
        | Op::Kept(_)
        | Op::Guard(_)
        | Op::Checkpoint(_)
        | Op::OverflowIf => None,
    };
    let exit = data.op.exit().and_then(|exit| missing(&module.exits, exit));
    let loc = data.loc.and_then(|loc| missing(&module.locs, loc));
    for message in named.into_iter().chain(exit).chain(loc) {
        cx.at_inst(Rule::UnknownEntity, block, inst, message);
    }
}

fn check_end(cx: &mut Cx<'_>, block: Block) {
    let (module, func) = (cx.module, cx.func);
    let data = &func.blocks[block];
    let mut messages: Vec<String> = Vec::new();
    messages.extend(data.term.jumps().filter_map(|jump| missing(&func.blocks, jump.target)));
    if let Terminator::Exit(exit, _) = data.term {
        messages.extend(missing(&module.exits, exit));
    }
    messages.extend(data.term.uses().filter_map(|value| missing(&func.values, value)));
    messages.extend(data.term_loc.and_then(|loc| missing(&module.locs, loc)));
    for message in messages {
        cx.at_end(Rule::UnknownEntity, block, &[], message);
    }
}

fn unknown<'a, K: Entity, V>(table: &'a Table<K, V>, names: &'a [K]) -> impl Iterator<Item = K> + use<'a, K, V> {
    names.iter().copied().filter(|&name| table.lookup(name).is_none())
}

fn missing<K: Entity + fmt::Display, V>(table: &Table<K, V>, name: K) -> Option<String> {
    if table.lookup(name).is_some() { None } else { Some(not_in_table(name)) }
}

fn not_in_table(name: impl fmt::Display) -> String {
    format!("{name} is not in its table")
}
