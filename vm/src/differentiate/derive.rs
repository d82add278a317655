//! What differentiating makes of a captured call.

use std::sync::atomic::{AtomicBool, Ordering};

use rustpython_vm::builtins::{PyBaseException, PyFloat};
use rustpython_vm::class::StaticType;
use rustpython_vm::{AsObject, PyObjectRef, VirtualMachine};
use snekpy_stage::ad::{self, End, Request, Tangents};
use snekpy_stage::entity::{Entity, ExitId, FuncId, HostId};
use snekpy_stage::ir::{ExitData, HostData, Module, Terminator};
use snekpy_stage::op::{Const, Op};
use snekpy_stage::pass::{self, Observer, PassDef};
use snekpy_stage::set::EntitySet;
use snekpy_stage::tensor::{device, show};
use snekpy_stage::types::Type;
use snekpy_stage::verify::verify;

use super::tree::{self, Places, Tree, Wrong};
use crate::callable::{Argnums, Chosen, Step, Way};
use crate::captured::{Captured, Computes, Failure};
use crate::code::HELPERS_FILE;
use crate::exit::{ExceptionTemplate, ExitKind, HostKind, RaisedAt, Template};
use crate::flatten::{Key, Root};
use crate::refusal::{Place, Refusal};
use crate::rep::Named;
use crate::staging_error::bug;

/// What is made simpler before a function is differentiated, and between: nothing that computes where the program did
/// not, because derivatives there may be infinite.
const BEFORE: &[PassDef] =
    &[pass::SIMPLIFY, pass::INLINE, pass::UNCALLED, pass::SIMPLIFY, pass::CSE, pass::CONSTANTS, pass::DCE];
const BETWEEN: &[PassDef] = &[pass::SIMPLIFY, pass::CSE, pass::SIMPLIFY, pass::DCE, pass::TIDY];

/// The same, where what is called must keep its name.
const INSIDE: &[PassDef] = &[pass::SIMPLIFY, pass::INLINE, pass::SIMPLIFY, pass::CSE, pass::CONSTANTS, pass::DCE];

/// Differentiates a captured call, once for each step.
pub(super) fn derive(
    captured: &mut Captured,
    key: &Key,
    steps: &[Step],
    locals: &dyn Fn(&Argnums) -> Result<Vec<Chosen>, String>,
    gives_arrays: &AtomicBool,
    vm: &VirtualMachine,
) -> Result<(), Failure> {
    optimise(captured, BEFORE, vm)?;
    note_ends(captured);
    for step in steps {
        let chosen = locals(&step.argnums).map_err(|message| Failure::Raised(vm.new_type_error(message)))?;
        let mut wrt = Vec::new();
        let (mut trees, mut again) = (Vec::new(), Vec::new());
        for chosen in chosen {
            trees.push(tree_of(key, &chosen, &mut wrt, &mut again, step, vm)?);
        }
        let is_tuple = !matches!(step.argnums, Argnums::One(_));
        let tree = if is_tuple { Tree::Tuple(trees) } else { trees.remove(0) };
        Apply { captured, step, wrt, tree, gives_arrays, vm }.apply()?;
        optimise(captured, BETWEEN, vm)?;
    }
    Ok(())
}

/// Says where the way there ends what the call has done: on the way back it may be interrupted.
fn note_ends(captured: &mut Captured) {
    let main = captured.module.main();
    for block in captured.module.funcs[main].blocks.keys() {
        let func = &captured.module.funcs[main];
        let (values, effects) = match &func.blocks[block].term {
            Terminator::Return(values) => (values.clone(), captured.effects.clone()),
            Terminator::Exit(exit, values) => match &captured.exits[exit.index()] {
                ExitKind::Return { effects, .. } => (values.clone(), effects.clone()),
                _ => continue,
            },
            Terminator::None | Terminator::Jump(_) | Terminator::Branch { .. } => continue,
        };
        if effects.is_empty() {
            continue;
        }
        let host = captured.module.hosts.push(HostData::new("note", func.types_of(&values), Vec::new()));
        captured.hosts.push(HostKind::Note { effects });
        let func = &mut captured.module.funcs[main];
        let inst = func.make_inst(Op::Host(host, None), values, &[], None);
        func.blocks[block].insts.push(inst);
    }
}

fn optimise(captured: &mut Captured, passes: &[PassDef], vm: &VirtualMachine) -> Result<(), Failure> {
    pass::optimise(&mut captured.module, passes, &mut Observer::new())
        .map_err(|violations| bug(vm, &violations.to_string()))?;
    captured.prune();
    Ok(())
}

fn tree_of(
    key: &Key,
    chosen: &Chosen,
    wrt: &mut Vec<usize>,
    again: &mut Vec<Root>,
    step: &Step,
    vm: &VirtualMachine,
) -> Result<Tree, Failure> {
    let mut next: usize = key.args[..chosen.local].iter().flatten().map(tree::params).sum();
    let mut arg = key.args.get(chosen.local).and_then(Option::as_ref);
    if let Some(item) = chosen.item
        && let Some(crate::flatten::Arg::Tuple(items)) = arg
    {
        next += items[..item.min(items.len())].iter().map(tree::params).sum::<usize>();
        arg = items.get(item);
    }
    let arg =
        arg.ok_or_else(|| Failure::Raised(vm.new_type_error("it differentiates by an argument that is not passed")))?;
    let floats = key.types.len().checked_sub(key.sources.len() + 1);
    let records = key.records.as_ref().zip(floats);
    let path = chosen.item.into_iter().collect();
    let root = Root { local: chosen.local, path };
    tree::again(arg, &root, again);
    let takes_maps = !matches!(step.way, Way::Forward | Way::Along);
    let tree =
        Tree::of(arg, &root, &mut Places { next, wrt, takes_maps, again: &*again, records }, vm).map_err(|wrong| {
            match wrong {
                Wrong::Type(message) => Failure::Raised(vm.new_type_error(format!("{}(): {message}", step.name))),
                Wrong::Refused(refusal) => Failure::Refused(refusal),
            }
        })?;
    if !tree.has_floats() && matches!(tree, Tree::Other) {
        let message = format!("{}(): it differentiates by floats, and found none in an argument", step.name);
        return Err(Failure::Raised(vm.new_type_error(message)));
    }
    Ok(tree)
}

/// The places of a location, innermost first.
pub(crate) fn places(module: &Module, loc: Option<snekpy_stage::entity::Loc>) -> Vec<Place> {
    let chain = std::iter::successors(loc.and_then(|loc| module.locs.lookup(loc)), |data| {
        data.caller.and_then(|caller| module.locs.lookup(caller))
    });
    let place = |data: &snekpy_stage::ir::LocData| Place {
        file: data.file.to_string(),
        line: data.line,
        column: data.column,
        end: (data.line, data.column),
        func: data.func.to_string(),
    };
    chain.filter(|data| &*data.file != HELPERS_FILE).map(place).collect()
}

fn hosts(hosts: &[HostKind], wanted: impl Fn(&HostKind) -> bool) -> EntitySet<HostId> {
    hosts.iter().enumerate().filter(|(_, kind)| wanted(kind)).map(|(index, _)| HostId::new(index)).collect()
}

/// The functions of the host that give their operand back as a constant.
fn stops(kinds: &[HostKind]) -> EntitySet<HostId> {
    hosts(kinds, |kind| matches!(kind, HostKind::Stop))
}

/// What differentiating has added to the functions of the host: operations on tensors.
fn name_new_hosts(captured: &mut Captured) {
    captured.hosts.resize(captured.module.hosts.len(), HostKind::Tensor);
}

/// A request that knows which functions of the host have a meaning of their own.
fn seen(kinds: &[HostKind]) -> Request {
    Request {
        stops: stops(kinds),
        changes: hosts(kinds, |kind| matches!(kind, HostKind::Sort { .. })),
        borders: hosts(kinds, |kind| matches!(kind, HostKind::Border)),
        ..Request::default()
    }
}

/// Says what a way back records.
fn note_records(captured: &mut Captured, records: &[ad::Record]) {
    for record in records {
        let place = places(&captured.module, record.loc).into_iter().next();
        let place = place.map_or_else(String::new, |it| format!("{it}, in {}: ", it.func));
        captured.tape.push(format!("{place}{}\n", record.what));
    }
}

fn without_derivative(captured: &Captured, refused: &ad::Refused) -> Failure {
    let code = match refused.why {
        ad::Why::None => "S360",
        ad::Why::Custom => "S365",
    };
    let mut refusal = Refusal::new(code, refused.to_string());
    refusal.places = places(&captured.module, refused.loc);
    Failure::Refused(Box::new(refusal))
}

/// Makes the gradients that staged code calls, the innermost first.
pub(crate) fn fill(captured: &mut Captured, is_detached: bool, vm: &VirtualMachine) -> Result<(), Failure> {
    for nested in std::mem::take(&mut captured.nested) {
        let mut module = captured.module.clone();
        let main = module.main();
        // The transform differentiates the main function.
        let caller = std::mem::replace(&mut module.funcs[main], captured.module.funcs[nested.of].clone());
        pass::optimise(&mut module, INSIDE, &mut Observer::new())
            .map_err(|violations| bug(vm, &violations.to_string()))?;
        let brings_tape = matches!(nested.way, Computes::Gradient | Computes::Back);
        let request = Request {
            brings_tape,
            is_shared: true,
            wrt: nested.wrt.clone(),
            ends: vec![End { exit: None, of: nested.results.clone() }],
            passed: nested.way == Computes::Back,
            ..seen(&captured.hosts)
        };
        let done = match nested.way {
            Computes::Gradient | Computes::Back => ad::reverse(&mut module, &request),
            Computes::Along => ad::forward(&mut module, &request, Tangents::Passed).map(|()| Vec::new()),
            Computes::Columns => ad::forward(&mut module, &request, Tangents::Units).map(|()| Vec::new()),
        };
        let records = done.map_err(|refused| without_derivative(captured, &refused))?;
        note_records(captured, &records);
        let new = captured.module.funcs.len();
        let name = module.funcs[nested.gradient].name.clone();
        let gradient = std::mem::replace(&mut module.funcs[main], caller);
        module.funcs[nested.gradient] = snekpy_stage::ir::Function { name, ..gradient };
        if brings_tape {
            ad::bring_tape(&mut module, nested.gradient);
        }
        captured.module = module;
        refuse_copies(captured)?;
        name_new_hosts(captured);
        if !is_detached {
            let parts = (new..captured.module.funcs.len()).map(FuncId::new).chain([nested.gradient]);
            fail_as_a_whole(captured, parts);
        }
    }
    Ok(())
}

/// What has no plain Python of its own warns nowhere: elements are not copied from devices by it.
fn refuse_copies(captured: &Captured) -> Result<(), Failure> {
    match device::first_copied(&captured.module) {
        None => Ok(()),
        Some(op) => {
            let word = op.to_string();
            let what = word.split(' ').next().unwrap_or_default();
            let message = format!("the derivative needs `{what}` of an array on a device, which is done on the CPU");
            Err(Failure::Refused(Box::new(Refusal::new("S351", message))))
        }
    }
}

/// Takes out what tells values apart.
pub(crate) fn forget_marks(captured: &mut Captured) {
    let marks = hosts(&captured.hosts, |kind| matches!(kind, HostKind::Mark));
    ad::forget_stops(&mut captured.module, &marks);
}

/// What these functions would raise is raised by plain Python, which makes the call again: they change nothing.
fn fail_as_a_whole(captured: &mut Captured, funcs: impl Iterator<Item = FuncId>) {
    let exit = captured.module.exits.push(ExitData::at_checkpoint("what a gradient raises"));
    captured.exits.push(ExitKind::Failure);
    for id in funcs {
        let func = &mut captured.module.funcs[id];
        for inst in func.insts.keys() {
            let data = &mut func.insts[inst];
            if matches!(data.op, Op::Guard(_)) {
                data.op = Op::Guard(exit);
                data.args.truncate(1);
            }
        }
        for block in func.blocks.keys() {
            if let Terminator::Exit(..) = func.blocks[block].term {
                func.blocks[block].term = Terminator::Exit(exit, Vec::new());
            }
        }
    }
}

/// Takes out what only differentiating needs.
pub(crate) fn finish(captured: &mut Captured) {
    let kinds = &captured.hosts;
    let given_back = hosts(kinds, |kind| matches!(kind, HostKind::Stop | HostKind::Border));
    if kinds.iter().any(|kind| matches!(kind, HostKind::Custom)) {
        ad::forget_customs(&mut captured.module);
    }
    if !given_back.is_empty() {
        ad::forget_stops(&mut captured.module, &given_back);
    }
}

/// One step.
struct Apply<'a> {
    captured: &'a mut Captured,
    step: &'a Step,
    wrt: Vec<usize>,
    tree: Tree,
    /// Set if a result holds an array.
    gives_arrays: &'a AtomicBool,
    vm: &'a VirtualMachine,
}

/// What is one object in several places has numbers from here on, in each row of derivatives others.
const SHARED_IN_ROW: usize = 1 << 32;

/// By which exit, if by one, and what.
type Ending = (Option<ExitId>, Given);

/// What a call gives, as far as derivatives are concerned.
struct Given {
    /// The slots of the floats that are differentiated.
    of: Vec<usize>,
    value: Template,
    aux: Option<Template>,
}

impl Apply<'_> {
    fn apply(mut self) -> Result<(), Failure> {
        let (mut ends, mut givens) = self.ends()?;
        let lanes = givens.iter().map(|(_, given)| given.of.len()).max().unwrap_or(0);
        let main = self.captured.module.main();
        if lanes == 1 && matches!(self.step.way, Way::Gradient | Way::Value) {
            // What a loop without rounds gives is a number that is known.
            for (end, (_, given)) in ends.iter_mut().zip(&mut givens).filter(|(_, (_, given))| given.of.is_empty()) {
                self.add_constant(end);
                given.of.clone_from(&end.of);
            }
        }
        // The floats of ends of several shapes may be several: then there is no one number of derivatives. Tangents go along
        // with each.
        let has_one = matches!(self.step.way, Way::Along | Way::Plain);
        if !has_one && givens.iter().any(|(_, given)| given.of.len() != lanes) {
            let refusal =
                Refusal::new("S362", "a function that returns results of several shapes cannot be differentiated");
            return Err(Failure::Refused(Box::new(
                refusal.help("return one shape: the same numbers in the same places"),
            )));
        }
        if self.needs_zeros(&givens) {
            ends.iter_mut().for_each(|end| self.add_constant(end));
        }
        let request = Request { wrt: self.wrt.clone(), ends, ..seen(&self.captured.hosts) };
        let counts: Vec<usize> = givens.iter().map(|(exit, _)| self.count(*exit)).collect();
        let module = &mut self.captured.module;
        let done = match self.step.way {
            Way::Value | Way::Gradient | Way::Reverse | Way::Rows => ad::reverse(module, &request),
            Way::Forward => ad::forward(module, &request, Tangents::Units).map(|()| Vec::new()),
            Way::Along => ad::forward(module, &request, Tangents::Passed).map(|()| Vec::new()),
            Way::Back => {
                let request = Request { passed: true, ..request };
                ad::reverse(module, &request)
            }
            Way::Plain => Ok(Vec::new()),
        };
        let records = done.map_err(|refused| without_derivative(self.captured, &refused))?;
        note_records(self.captured, &records);
        refuse_copies(self.captured)?;
        name_new_hosts(self.captured);
        if cfg!(debug_assertions) {
            verify(&self.captured.module).map_err(|violations| bug(self.vm, &violations.to_string()))?;
        }
        for ((exit, given), count) in givens.into_iter().zip(counts) {
            let types = match exit {
                None => self.captured.module.funcs[main].results.clone(),
                Some(exit) => self.captured.module.exits[exit].types.clone(),
            };
            let made = self.result(given, count, &types);
            match exit {
                None => self.captured.result = made,
                Some(exit) => {
                    if let ExitKind::Return { result, .. } = &mut self.captured.exits[exit.index()] {
                        *result = made;
                    }
                }
            }
        }
        Ok(())
    }

    /// Whether the result has a row of zeros that are as many as an argument has floats when it is called.
    fn needs_zeros(&self, givens: &[Ending]) -> bool {
        let is_asked = match self.step.way {
            Way::Gradient | Way::Value => givens.iter().any(|(_, given)| given.of.is_empty()),
            Way::Reverse | Way::Rows => true,
            Way::Forward | Way::Along | Way::Back | Way::Plain => false,
        };
        is_asked && self.tree.has_lengths()
    }

    /// Gives a constant at an end, the last that is differentiated.
    fn add_constant(&mut self, end: &mut End) {
        let module = &mut self.captured.module;
        let main = module.main();
        let func = &mut module.funcs[main];
        let inst = func.make_inst(Op::Const(Const::F64(0.0)), Vec::new(), &[Type::F64], None);
        let (zero, entry) = (func.insts[inst].results[0], func.entry());
        func.blocks[entry].insts.insert(0, inst);
        for block in func.blocks.values_mut() {
            match &mut block.term {
                Terminator::Return(values) if end.exit.is_none() => values.push(zero),
                Terminator::Exit(exit, values) if end.exit == Some(*exit) => values.push(zero),
                Terminator::Return(_)
                | Terminator::Exit(..)
                | Terminator::None
                | Terminator::Jump(_)
                | Terminator::Branch { .. } => {}
            }
        }
        let types = match end.exit {
            None => &mut module.funcs[main].results,
            Some(exit) => &mut module.exits[exit].types,
        };
        end.of.push(types.len());
        types.push(Type::F64);
    }

    /// How many results there are before.
    fn count(&self, exit: Option<ExitId>) -> usize {
        match exit {
            None => self.captured.module.funcs[self.captured.module.main()].results.len(),
            Some(exit) => self.captured.module.exits[exit].types.len(),
        }
    }

    /// The ways in which the call gives what can be differentiated. Others raise.
    fn ends(&mut self) -> Result<(Vec<End>, Vec<Ending>), Failure> {
        let main = &self.captured.module.funcs[self.captured.module.main()];
        let returns = main.blocks.values().any(|block| matches!(block.term, Terminator::Return(_)));
        let mut ways = Vec::new();
        if returns {
            ways.push((None, self.given(&self.captured.result)));
        }
        for (index, kind) in self.captured.exits.iter().enumerate() {
            if let ExitKind::Return { result, .. } = kind {
                ways.push((Some(ExitId::new(index)), self.given(result)));
            }
        }
        let mut givens = Vec::new();
        let mut wrong = Vec::new();
        for (exit, given) in ways {
            match given {
                Ok(given) => givens.push((exit, given)),
                Err(found) => wrong.push((exit, found)),
            }
        }
        if givens.is_empty()
            && let Some((_, found)) = wrong.first()
        {
            return Err(Failure::Raised(self.vm.new_type_error(self.no_float(found))));
        }
        for (exit, found) in wrong {
            let Some(exit) = exit else { continue };
            let message = self.vm.ctx.new_str(self.no_float(&found)).into();
            let kind = &mut self.captured.exits[exit.index()];
            if let ExitKind::Return { effects, .. } = kind {
                let exception = ExceptionTemplate {
                    class: self.vm.ctx.exceptions.type_error.to_owned(),
                    args: vec![Template::Static(message)],
                    members: Vec::new(),
                    attributes: Vec::new(),
                    cause: None,
                    context: None,
                    suppress_context: false,
                    raised_at: RaisedAt::default(),
                };
                let effects = std::mem::take(effects);
                *kind = ExitKind::Raise { exception: Template::Exception(Box::new(exception)), effects };
            }
        }
        let ends = givens.iter().map(|(exit, given)| End { exit: *exit, of: self.positions(*exit, &given.of) });
        Ok((ends.collect(), givens))
    }

    fn no_float(&self, found: &str) -> String {
        let what = match self.step.way {
            Way::Value | Way::Gradient if self.step.has_aux => "a float and something more",
            Way::Value | Way::Gradient => "a float",
            Way::Reverse | Way::Rows | Way::Forward => "floats",
            Way::Along | Way::Back | Way::Plain => "floats and arrays of them",
        };
        format!("{}(): the function must return {what}, and returns {found}", self.step.name)
    }

    /// From slots to positions among the values.
    fn positions(&self, exit: Option<ExitId>, slots: &[usize]) -> Vec<usize> {
        let types = match exit {
            None => &self.captured.module.funcs[self.captured.module.main()].results,
            Some(exit) => &self.captured.module.exits[exit].types,
        };
        let mut starts = Vec::new();
        let mut slot = 0;
        for &ty in types {
            starts.push(slot);
            slot += snekpy_stage::backend::slots(ty);
        }
        slots.iter().map(|slot| starts.iter().position(|it| it == slot).expect("a leaf has a value")).collect()
    }

    /// What is differentiated in a result; else what it is.
    fn given(&self, result: &Template) -> Result<Given, String> {
        let (value, aux) = match (self.step.has_aux, opened(result)) {
            (false, _) => (result.clone(), None),
            (true, Template::Tuple(items)) if items.len() == 2 => (items[0].clone(), Some(items[1].clone())),
            (true, _) => return Err("no pair".to_owned()),
        };
        let mut of = Vec::new();
        match self.step.way {
            Way::Value | Way::Gradient => match opened(&value) {
                Template::Leaf { slot, ty: Type::F64 } => of.push(*slot),
                Template::Leaf { slot, ty: Type::Tensor(it) } if it.dtype.is_float() && it.shape.dims().is_empty() => {
                    of.push(*slot);
                }
                Template::Static(object) if is_float(object, self.vm) => {}
                other => return Err(describe(other)),
            },
            Way::Reverse | Way::Rows | Way::Forward | Way::Along | Way::Back | Way::Plain => {
                self.floats(&value, &mut of)?;
            }
        }
        Ok(Given { of, value, aux })
    }

    /// Whether a result may be an array of this shape.
    const fn takes_arrays(&self, dims: &[usize]) -> bool {
        match self.step.way {
            Way::Forward | Way::Along | Way::Back | Way::Plain => true,
            Way::Gradient | Way::Value | Way::Reverse => dims.is_empty(),
            Way::Rows => false,
        }
    }

    /// The floats in a result.
    fn floats(&self, template: &Template, of: &mut Vec<usize>) -> Result<(), String> {
        match opened(template) {
            Template::Leaf { slot, ty: Type::F64 } => of.push(*slot),
            Template::Leaf { slot, ty: Type::Tensor(it) }
                if it.dtype.is_float() && self.takes_arrays(it.shape.dims()) =>
            {
                of.push(*slot);
            }
            Template::Static(object) if is_float(object, self.vm) || self.vm.is_none(object) => {}
            Template::Tuple(items) => items.iter().try_for_each(|item| self.floats(item, of))?,
            Template::List(items) if !is_any_length(items) => {
                items.iter().try_for_each(|item| self.floats(item, of))?
            }
            Template::Dict(items) if items.iter().all(|(key, _)| matches!(key, Template::Static(_))) => {
                items.iter().try_for_each(|(_, item)| self.floats(item, of))?;
            }
            Template::Instance { attributes, .. } => {
                attributes.iter().try_for_each(|(_, item)| self.floats(item, of))?;
            }
            other => {
                if matches!(other, Template::Leaf { ty: Type::Tensor(it), .. } if it.dtype.is_float()) {
                    self.gives_arrays.store(true, Ordering::Relaxed);
                }
                return Err(describe(other));
            }
        }
        Ok(())
    }

    /// What the call gives with derivatives.
    fn result(&self, given: Given, count: usize, types: &[Type]) -> Template {
        let mut slots = Vec::with_capacity(types.len());
        let mut slot = 0;
        for &ty in types {
            slots.push(slot);
            slot += snekpy_stage::backend::slots(ty);
        }
        let leaf = |index: usize| Template::Leaf { slot: slots[count + index], ty: types[count + index] };
        let zero = || Template::Static(self.vm.ctx.new_float(0.0).into());
        let (width, outputs) = (self.wrt.len(), given.of.len());
        // Behind the derivatives of all floats.
        let has_zeros = types.len() > count + outputs * width;
        // The derivatives of the lane-th float.
        let row = |lane: Option<usize>| {
            let leaf = |index| match (lane, self.step.way) {
                (None, Way::Gradient | Way::Value | Way::Reverse | Way::Rows) if has_zeros => {
                    leaf(outputs * width + index)
                }
                (None, _) => zero(),
                (Some(lane), Way::Forward) => leaf(index * outputs + lane),
                (Some(lane), _) => leaf(lane * width + index),
            };
            self.tree.template(&leaf, SHARED_IN_ROW * (2 + lane.unwrap_or(outputs)), self.vm)
        };
        let pair = |a: Template, b: Template| Template::Tuple(vec![a, b]);
        match self.step.way {
            Way::Gradient | Way::Value => {
                let grad = row((outputs == 1).then_some(0));
                match (self.step.way, given.aux) {
                    (Way::Gradient, None) => grad,
                    (Way::Gradient, Some(aux)) => pair(grad, aux),
                    (_, None) => pair(given.value, grad),
                    (_, Some(aux)) => pair(pair(given.value, aux), grad),
                }
            }
            Way::Reverse | Way::Forward => {
                let mut lane = 0;
                let jacobian = map(&given.value, &mut |is_static| {
                    lane += usize::from(!is_static);
                    row((!is_static).then(|| lane - 1))
                });
                match given.aux {
                    None => jacobian,
                    Some(aux) => pair(jacobian, aux),
                }
            }
            Way::Rows => {
                let none = Template::Static(self.vm.ctx.none());
                // None for what is known.
                let (mut rows, mut lane) = (Vec::new(), 0);
                map(&given.value, &mut |is_static| {
                    rows.push(if is_static { none.clone() } else { row(Some(lane)) });
                    lane += usize::from(!is_static);
                    none.clone()
                });
                // The shape of the arguments is there even if there is no row.
                Template::Tuple(vec![given.value, given.aux.unwrap_or(none), Template::Tuple(rows), row(None)])
            }
            Way::Back => {
                let grad = self.tree.template(&leaf, SHARED_IN_ROW, self.vm);
                match given.aux {
                    None => pair(given.value, grad),
                    Some(aux) => Template::Tuple(vec![given.value, grad, aux]),
                }
            }
            Way::Plain => {
                let constants =
                    map(&given.value, &mut |is_static| Template::Static(self.vm.ctx.new_bool(is_static).into()));
                match given.aux {
                    None => pair(given.value, constants),
                    Some(aux) => Template::Tuple(vec![given.value, constants, aux]),
                }
            }
            Way::Along => {
                let mut lane = 0;
                let tangents = map(&given.value, &mut |is_static| {
                    lane += usize::from(!is_static);
                    if is_static { zero() } else { leaf(lane - 1) }
                });
                match given.aux {
                    None => pair(given.value, tangents),
                    Some(aux) => Template::Tuple(vec![given.value, tangents, aux]),
                }
            }
        }
    }
}

/// A template in which each float is replaced. `leaf` is told whether it is a constant.
fn map(template: &Template, leaf: &mut impl FnMut(bool) -> Template) -> Template {
    match opened(template) {
        Template::Leaf { .. } => leaf(false),
        Template::Static(object) if object.class().is(PyFloat::static_type()) => leaf(true),
        Template::Tuple(items) => Template::Tuple(items.iter().map(|item| map(item, leaf)).collect()),
        Template::List(items) => Template::List(items.iter().map(|item| map(item, leaf)).collect()),
        Template::Dict(items) => {
            Template::Dict(items.iter().map(|(key, item)| (key.clone(), map(item, leaf))).collect())
        }
        Template::Instance { class, attributes } => Template::Instance {
            class: class.clone(),
            attributes: attributes.iter().map(|(name, item)| (name.clone(), map(item, leaf))).collect(),
        },
        other => other.clone(),
    }
}

/// A template without the note that its object may occur again.
fn opened(template: &Template) -> &Template {
    match template {
        Template::Shared { make: Some(make), .. } => opened(make),
        other => other,
    }
}

fn is_float(object: &PyObjectRef, vm: &VirtualMachine) -> bool {
    object.class().is(vm.ctx.types.float_type)
}

/// Whether a list is one of the compiled code.
fn is_any_length(items: &[Template]) -> bool {
    fn is_column(template: &Template) -> bool {
        match template {
            Template::Leaf { ty, .. } => matches!(ty, Type::List(_)),
            Template::Tuple(parts) | Template::Made { parts, .. } => parts.first().is_some_and(is_column),
            _ => false,
        }
    }
    items.first().is_some_and(is_column)
}

/// What a result is, for people.
fn describe(template: &Template) -> String {
    match template {
        Template::Static(object) if object.downcast_ref::<PyBaseException>().is_none() => {
            let class = object.class_name();
            if class == "NoneType" { "None".to_owned() } else { format!("a `{class}`") }
        }
        Template::Leaf { ty: Type::I64, .. } => "an int".to_owned(),
        Template::Leaf { ty: Type::Bool, .. } => "a bool".to_owned(),
        Template::Leaf { ty: Type::Tensor(it), .. } => {
            format!("an array of {} of shape {}", it.dtype.name(), show(it.shape.dims()))
        }
        Template::Tuple(_) => "a tuple".to_owned(),
        Template::List(items) if is_any_length(items) => "a list of unknown length".to_owned(),
        Template::List(_) => "a list".to_owned(),
        Template::Dict(_) => "a dict".to_owned(),
        Template::Set(_) => "a set".to_owned(),
        Template::Made { make, .. } => make.class(),
        Template::Instance { class, .. } => format!("a `{}`", class.name()),
        _ => "something else".to_owned(),
    }
}
