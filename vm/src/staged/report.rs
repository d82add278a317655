//! What `stats()` tells: a dict, of a class written in Python (`stats.py`) that prints it as a table.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use rustpython_vm::builtins::PyDictRef;
use rustpython_vm::compiler::Mode;
use rustpython_vm::{PyObjectRef, PyResult, VirtualMachine};
use snekpy_stage::entity::{Entity, Loc};
use snekpy_stage::op::Op;

use crate::code::HELPERS_FILE;
use crate::config;
use crate::exit::{HostKind, Resume};
use crate::governor::Verdict;
use crate::guard::Guard;
use crate::host::prepare;
use crate::specialisation::{Reentry, Specialisation};

/// `{'name': .., 'backend': .., 'calls': .., 'specialisations': [{..}, ..], 'reentries': [{..}, ..]}`, in the order of
/// compilation.
pub(super) fn stats(
    name: &str,
    backend: &str,
    specialisations: &[Arc<Specialisation>],
    names: &[&'static str],
    verdict: &Verdict,
    reentries: &[Arc<Reentry>],
    vm: &VirtualMachine,
) -> PyResult {
    let rows = specialisations.iter().map(|it| row(it, names, vm).map(Into::into)).collect::<PyResult<Vec<_>>>()?;
    let reentries = reentries.iter().map(|it| reentry(it, vm).map(Into::into)).collect::<PyResult<Vec<_>>>()?;
    let calls: u64 = specialisations.iter().map(|it| it.stats.calls.load(Ordering::Relaxed)).sum();
    let items = dict(
        [
            ("name", vm.ctx.new_str(name).into()),
            ("backend", vm.ctx.new_str(backend).into()),
            ("calls", vm.ctx.new_int(calls).into()),
            ("plain_calls", vm.ctx.new_int(verdict.plain_calls).into()),
            ("verdict", verdict_of(verdict, vm)?.into()),
            ("specialisations", vm.ctx.new_list(rows).into()),
            ("reentries", vm.ctx.new_list(reentries).into()),
        ],
        vm,
    )?;
    config::kept(vm, || class(vm).map(StatsClass))?.0.call((items,), vm)
}

/// The class of what `stats()` gives.
struct StatsClass(PyObjectRef);

/// Whether calls are staged, and what they take, as far as that was tried.
fn verdict_of(verdict: &Verdict, vm: &VirtualMachine) -> PyResult<PyDictRef> {
    let runs = match verdict.plain {
        None => "on trial",
        Some(true) => "plain",
        Some(false) => "staged",
    };
    let us = |took: Option<f64>| took.map_or_else(|| vm.ctx.none(), |took| vm.ctx.new_float(took * 1e6).into());
    dict(
        [("runs", vm.ctx.new_str(runs).into()), ("staged_us", us(verdict.staged)), ("plain_us", us(verdict.unstaged))],
        vm,
    )
}

fn class(vm: &VirtualMachine) -> PyResult {
    let scope = vm.new_scope_with_builtins();
    scope.globals.set_item("__name__", vm.new_pyobj("snekpy"), vm)?;
    let code = prepare::compile(include_str!("stats.py"), Mode::Exec, "<snekpy stats>", vm)?;
    prepare::run(code, scope.clone(), vm)?;
    scope.globals.get_item("Stats", vm)
}

fn row(specialisation: &Specialisation, names: &[&'static str], vm: &VirtualMachine) -> PyResult<PyDictRef> {
    let stats = &specialisation.stats;
    let text = |text: String| -> PyObjectRef { vm.ctx.new_str(text).into() };
    let ms = |took: Duration| -> PyObjectRef { vm.ctx.new_float(took.as_secs_f64() * 1e3).into() };
    let guards = specialisation.captured.guards.iter().map(Guard::describe).map(text).collect();
    let module = &specialisation.captured.module;
    let resumes = specialisation.resumes().map(|it| resume(it, vm).map(Into::into)).collect::<PyResult<Vec<_>>>()?;
    let size: usize = module.funcs.values().map(snekpy_stage::ir::Function::size).sum();
    dict(
        [
            ("arguments", text(specialisation.arguments(names, vm))),
            ("why", text(stats.why.as_ref().map_or_else(|| "first call".to_owned(), ToString::to_string))),
            ("guards", vm.ctx.new_list(guards).into()),
            ("calls", vm.ctx.new_int(stats.calls.load(Ordering::Relaxed)).into()),
            ("replayed", vm.ctx.new_int(specialisation.replays.calls()).into()),
            ("replayed_runs", vm.ctx.new_int(specialisation.replays.runs()).into()),
            ("runs_ahead", vm.ctx.new_int(specialisation.replays.ahead()).into()),
            ("one_block_kernels", vm.ctx.new_int(specialisation.replays.joined().0).into()),
            ("resumes", vm.ctx.new_list(resumes).into()),
            ("crossings", vm.ctx.new_list(crossings(specialisation, vm)?).into()),
            ("instructions", vm.ctx.new_int(size).into()),
            ("capture_ms", ms(stats.capture)),
            ("optimise_ms", ms(stats.optimise)),
            ("compile_ms", ms(stats.compile + specialisation.code.improved().unwrap_or_default())),
        ],
        vm,
    )
}

/// What compiled code lets the VM carry out: where, and how often it did.
fn crossings(specialisation: &Specialisation, vm: &VirtualMachine) -> PyResult<Vec<PyObjectRef>> {
    let captured = &specialisation.captured;
    let module = &captured.module;
    let mut all = Vec::new();
    for inst in module.funcs.values().flat_map(|func| func.insts.values()) {
        let Op::Host(host, _) = inst.op else { continue };
        let HostKind::Cross(crossing) = &captured.hosts[host.index()] else { continue };
        let around = |at: &Loc| module.locs[*at].caller;
        let mut places = std::iter::successors(inst.loc, around).map(|at| &module.locs[at]);
        let place = places.find(|it| &*it.file != HELPERS_FILE);
        let place = place.map_or_else(String::new, |it| format!("{}:{}", it.file, it.line));
        let row = dict(
            [
                ("what", vm.ctx.new_str(module.hosts[host].name.as_str()).into()),
                ("where", vm.ctx.new_str(place).into()),
                ("count", vm.ctx.new_int(crossing.count.load(Ordering::Relaxed)).into()),
            ],
            vm,
        )?;
        all.push(row.into());
    }
    Ok(all)
}

/// Where calls come back to: the code that was made for the rest of them.
fn reentry(reentry: &Reentry, vm: &VirtualMachine) -> PyResult<PyDictRef> {
    let (specialisations, names) = reentry.specialisations();
    let rows = specialisations.iter().map(|it| row(it, &names, vm).map(Into::into)).collect::<PyResult<Vec<_>>>()?;
    let name = vm.ctx.new_str(reentry.name()).into();
    dict([("name", name), ("specialisations", vm.ctx.new_list(rows).into())], vm)
}

/// Where calls go on as plain Python: why, and how many did.
fn resume(resume: &Resume, vm: &VirtualMachine) -> PyResult<PyDictRef> {
    let text = |text: String| -> PyObjectRef { vm.ctx.new_str(text).into() };
    let place = resume.reason.places.first().map_or_else(String::new, |it| format!("{}:{}", it.file, it.line));
    dict(
        [
            ("code", text(resume.reason.code.to_owned())),
            ("why", text(resume.reason.message.clone())),
            ("where", text(place)),
            ("count", vm.ctx.new_int(resume.count.load(Ordering::Relaxed)).into()),
            ("came_back", vm.ctx.new_int(resume.back.load(Ordering::Relaxed)).into()),
        ],
        vm,
    )
}

fn dict<const N: usize>(items: [(&'static str, PyObjectRef); N], vm: &VirtualMachine) -> PyResult<PyDictRef> {
    let dict = vm.ctx.new_dict();
    for (key, value) in items {
        dict.set_item(key, value, vm)?;
    }
    Ok(dict)
}
