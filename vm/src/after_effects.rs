//! Where compiled code may come to a result that it has no type for when the call has had an effect already.
//!
//! It cannot start over as plain Python there. The function is captured once more then, so that it can be left at each
//! such operation: see [`crate::capture::past`].

use rustpython_vm::VirtualMachine;
use snekpy_stage::analysis::Effects;
use snekpy_stage::entity::{Entity, FuncId, Inst};
use snekpy_stage::ir::{Function, Module};
use snekpy_stage::op::{Effect, Op};
use snekpy_stage::set::EntitySet;
use snekpy_stage::types::Type;

use crate::captured::Captured;
use crate::exit::HostKind;

/// Where that may be.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct AfterEffects {
    /// In the main function, or in one that it calls and that can be called again.
    pub(crate) outside: bool,
    /// In a function that calls the host. (One that writes into arrays is taken for one that computes with indices.)
    pub(crate) inside: bool,
}

impl AfterEffects {
    /// Looks at all code.
    pub(crate) fn of(captured: &Captured, vm: &VirtualMachine) -> Self {
        let module = &captured.module;
        let (main, count) = (module.main(), module.funcs.len());
        let marked = |mark: &dyn Fn(&Function, Inst) -> bool| {
            let marks = module.funcs.values().map(|func| insts(func).any(|inst| mark(func, inst))).collect();
            spread(module, marks)
        };
        let ends = |func: &Function, inst: Inst| match func.insts[inst].op {
            Op::Guard(exit) => captured.exits[exit.index()].may_give_a_result(vm),
            Op::Host(host) => module.hosts[host].results == [Type::I64],
            _ => Effects::of(func, inst).effect == Effect::MayExit,
        };
        let acting = marked(&|func, inst| acts(func, inst, &captured.hosts));
        let changing = marked(&|func, inst| changes(func, inst, &captured.hosts));
        let ending = marked(&ends);
        let mut found = Self::default();
        let calling =
            marked(&|func, inst| !matches!(func.insts[inst].op, Op::Store) && acts(func, inst, &captured.hosts));
        found.inside = (0..count).any(|func| func != main.index() && ending[func] && calling[func]);
        let func = &module.funcs[main];
        for inst in after(func, |inst| match func.insts[inst].op {
            Op::Call(callee) => acting[callee.index()],
            _ => acts(func, inst, &captured.hosts),
        }) {
            match func.insts[inst].op {
                Op::Call(callee) => found.outside |= ending[callee.index()] && !changing[callee.index()],
                _ => found.outside |= ends(func, inst),
            }
        }
        found
    }
}

/// Whether a call of the function can be made again, with the same results, if it does not return.
pub(crate) fn can_be_repeated(id: FuncId, module: &Module, hosts: &[HostKind]) -> bool {
    let marks = module.funcs.values().map(|func| insts(func).any(|inst| changes(func, inst, hosts))).collect();
    !spread(module, marks)[id.index()]
}

/// Whether the function calls the host in a way that cannot be undone.
pub(crate) fn calls_host(id: FuncId, module: &Module, hosts: &[HostKind]) -> bool {
    let calls = |func: &Function, inst: Inst| match func.insts[inst].op {
        Op::Host(host) => hosts[host.index()].has_effects(),
        _ => false,
    };
    let marks = module.funcs.values().map(|func| insts(func).any(|inst| calls(func, inst))).collect();
    spread(module, marks)[id.index()]
}

/// Whether the instruction has an effect that cannot be undone.
fn acts(func: &Function, inst: Inst, hosts: &[HostKind]) -> bool {
    match func.insts[inst].op {
        Op::Store => true,
        Op::Host(host) => hosts[host.index()].has_effects(),
        _ => false,
    }
}

/// Whether the instruction changes anything at all.
fn changes(func: &Function, inst: Inst, hosts: &[HostKind]) -> bool {
    match func.insts[inst].op {
        Op::Call(_) => false,
        Op::Host(host) => !matches!(
            hosts[host.index()],
            HostKind::Compute { has_effects: false, .. } | HostKind::Tick | HostKind::Note(_)
        ),
        _ => Effects::of(func, inst).writes(),
    }
}

fn insts(func: &Function) -> impl Iterator<Item = Inst> {
    func.blocks.values().flat_map(|block| block.insts.iter().copied())
}

/// The functions that are marked, or lead to one that is.
fn spread(module: &Module, mut marks: Vec<bool>) -> Vec<bool> {
    loop {
        let mut more = false;
        for (id, func) in module.funcs.iter().filter(|(id, _)| !marks[id.index()]).collect::<Vec<_>>() {
            let leads = insts(func).any(|inst| matches!(func.insts[inst].op, Op::Call(it) if marks[it.index()]));
            marks[id.index()] = leads;
            more |= leads;
        }
        if !more {
            return marks;
        }
    }
}

/// The instructions that may be executed after one of these.
fn after(func: &Function, acts: impl Fn(Inst) -> bool) -> Vec<Inst> {
    let mut found = Vec::new();
    let mut work = Vec::new();
    for data in func.blocks.values() {
        let mut later = data.insts.iter().skip_while(|&&inst| !acts(inst));
        if later.next().is_some() {
            found.extend(later);
            work.extend(data.term.jumps().map(|jump| jump.target));
        }
    }
    let mut blocks = EntitySet::new();
    while let Some(block) = work.pop() {
        if blocks.insert(block) {
            found.extend(&func.blocks[block].insts);
            work.extend(func.blocks[block].term.jumps().map(|jump| jump.target));
        }
    }
    found
}
