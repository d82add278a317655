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
        let (module, hosts) = (&captured.module, &captured.hosts);
        let main = module.main();
        let ends = |func: &Function, inst: Inst| match func.insts[inst].op {
            Op::Guard(exit) => captured.exits[exit.index()].may_give_a_result(vm),
            Op::Host(host) => module.hosts[host].results == [Type::I64],
            _ => Effects::of(func, inst).effect == Effect::MayExit,
        };
        let ending = leading_to(module, ends);
        let acting = leading_to(module, |func, inst| acts(func, inst, hosts));
        let calling = leading_to(module, |func, inst| calls(func, inst, hosts));
        let changing = leading_to(module, |func, inst| changes(func, inst, hosts));
        let inside = (0..module.funcs.len()).any(|func| func != main.index() && ending[func] && calling[func]);
        let mut outside = false;
        let func = &module.funcs[main];
        for inst in after(func, |inst| match func.insts[inst].op {
            Op::Call(callee) => acting[callee.index()],
            _ => acts(func, inst, hosts),
        }) {
            match func.insts[inst].op {
                Op::Call(callee) => outside |= ending[callee.index()] && !changing[callee.index()],
                _ => outside |= ends(func, inst),
            }
        }
        Self { outside, inside }
    }
}

/// Whether a call of the function can be made again, with the same results, if it does not return.
pub(crate) fn can_be_repeated(id: FuncId, module: &Module, hosts: &[HostKind]) -> bool {
    !leading_to(module, |func, inst| changes(func, inst, hosts))[id.index()]
}

/// Whether the function calls the host in a way that cannot be undone.
pub(crate) fn calls_host(id: FuncId, module: &Module, hosts: &[HostKind]) -> bool {
    leading_to(module, |func, inst| calls(func, inst, hosts))[id.index()]
}

fn calls(func: &Function, inst: Inst, hosts: &[HostKind]) -> bool {
    matches!(func.insts[inst].op, Op::Host(host) if hosts[host.index()].has_effects())
}

/// Whether the instruction has an effect that cannot be undone.
fn acts(func: &Function, inst: Inst, hosts: &[HostKind]) -> bool {
    func.insts[inst].op == Op::Store || calls(func, inst, hosts)
}

/// Whether the instruction changes anything at all.
fn changes(func: &Function, inst: Inst, hosts: &[HostKind]) -> bool {
    match func.insts[inst].op {
        Op::Call(_) => false,
        Op::Host(host) => !matches!(
            hosts[host.index()],
            HostKind::Compute { has_effects: false, .. } | HostKind::Mark | HostKind::Stop | HostKind::Tick | HostKind::Note(_)
        ),
        _ => Effects::of(func, inst).writes(),
    }
}

fn insts(func: &Function) -> impl Iterator<Item = Inst> {
    func.blocks.values().flat_map(|block| block.insts.iter().copied())
}

/// The functions with such an instruction, and those that call one of them, by index.
fn leading_to(module: &Module, is_such: impl Fn(&Function, Inst) -> bool) -> Vec<bool> {
    let mut found = vec![false; module.funcs.len()];
    loop {
        let mut more = false;
        for (id, func) in module.funcs.iter() {
            let leads = |inst: Inst| match func.insts[inst].op {
                Op::Call(callee) => found[callee.index()],
                _ => is_such(func, inst),
            };
            if !found[id.index()] && insts(func).any(leads) {
                found[id.index()] = true;
                more = true;
            }
        }
        if !more {
            return found;
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
