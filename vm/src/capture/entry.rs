//! Capturing one call.

use std::mem::take;

use rustpython_vm::builtins::{PyBytes, PyRange, PySet, PyStr};
use rustpython_vm::{AsObject, PyObjectRef, PyPayload, VirtualMachine};
use snekpy_stage::entity::{Entity, HostId};
use snekpy_stage::ir::Function;
use snekpy_stage::op::Const;
use snekpy_stage::types::Type;

use crate::callable::Orders;
use crate::capture::assumptions::Assumptions;
use crate::capture::checkpoint::failed;
use crate::capture::dead::Dead;
use crate::capture::element::Elements;
use crate::capture::explore::Abort;
use crate::capture::heap::Contents;
use crate::capture::list::in_items;
use crate::capture::map;
use crate::capture::recursion::returned_nothing;
use crate::capture::session::{Mode, Session};
use crate::capture::state::{Frame, Handlers, State, Then};
use crate::capture::step::refuse;
use crate::capture::stop::Stop;
use crate::capture::template::Leaves;
use crate::capture::value::{self, Iter, Num, V};
use crate::capture::values::{Abstract, classify};
use crate::captured::{Captured, Failure, OfArguments, Start};
use crate::code::Code;
use crate::config::config;
use crate::exit::{Effect, ExitKind, IteratorTemplate, Resume, Template};
use crate::flatten::{Arg, Key, Root, Source, static_objects};
use crate::helper;
use crate::host;
use crate::host::function::FunctionParts;
use crate::host::named_tuple::named_tuple;
use crate::host::resume::Entry;
use crate::interrupt::poll;
use crate::interrupt::signals::{self, Holding};
use crate::kind::{self, Home, Kind, Record};
use crate::limits::Allowance;
use crate::refusal::Refusal;
use crate::threads;
use crate::threads::changing;

/// How many functions one capture may find out to be recursive.
const MAX_RESTARTS: usize = 64;

/// What is around a captured call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Around<'a> {
    /// What is passed in the call that the code is made for, by local variable.
    pub(crate) passed: &'a [Option<PyObjectRef>],
    /// Whether there is no plain Python that it could go on as.
    pub(crate) detached: bool,
    /// Which elements of tensors are numbers.
    pub(crate) elements: Elements,
    /// Whether other threads may see what it does.
    pub(crate) shared: bool,
    /// How often it is differentiated.
    pub(crate) orders: Orders,
}

/// Captures a call, or the rest of one, with arguments that look like `key`.
///
/// # Errors
/// A [`Refusal`] when something in it cannot be staged, or what a signal handler raised meanwhile.
pub(crate) fn call_capture(
    start: Start<'_>,
    key: &Key,
    mode: Mode,
    around: Around<'_>,
    allowance: Allowance,
    vm: &VirtualMachine,
) -> Result<Captured, Failure> {
    let Around { passed, detached, elements, shared, orders } = around;
    if shared {
        // It runs Python when it is asked for first.
        helper::prepare(vm)?;
    }
    // Others that come wait until the world shows again what it holds.
    let alone = if shared { None } else { poll::open(true, vm.state.interpreter_id) };
    if alone.is_some() && !threads::is_alone(&config(vm), vm) {
        return Err(Failure::Refused(Box::new(changing())));
    }
    let _holding = Holding::begin();
    if matches!(start, Start::Call { .. }) {
        // What has come before is not held back.
        signals::without_holding(|| vm.check_signals()).map_err(Failure::Raised)?;
    }
    let mut assumptions = Assumptions::new(detached);
    let mut entry = None;
    let mut restarts = 0;
    while restarts <= MAX_RESTARTS {
        if restarts == MAX_RESTARTS && assumptions.retreat() {
            restarts = 0;
        }
        restarts += 1;
        if restarts > MAX_RESTARTS {
            // There would be no end to it: the call is left where it begins.
            let Some(entry) = entry.clone().filter(|_| mode == Mode::Lenient) else { break };
            assumptions.leave_only(entry, too_many_restarts());
        }
        let mut session = Session::new(vm, assumptions.outlined.knowledge(), mode, detached, shared, allowance);
        (session.rules.orders, session.rules.fails) = (orders, orders.count > 0);
        session.rules.elements = elements;
        assumptions.begin(&mut session.learnt);
        session.given.may_copy = key.may_copy;
        session.given.may_know = key.may_know;
        session.samples.passed = passed.to_vec();
        session.tensors.later_sizes = !key.sizes.is_empty();
        session.rules.polls = matches!(start, Start::Call { .. });
        let result = session.capture(start, key);
        session.base.end(vm);
        entry.clone_from(&session.learnt.entry);
        match result {
            Ok(_) if session.tensors.needs_sizes => return Err(OfArguments::Sizes.into()),
            Ok((result, effects)) => return Ok(session.finish(result, effects)),
            Err(Abort::Learn(assumption)) => assumptions.learn(assumption, &session, key)?,
            Err(Abort::Refuse(refusal) | Abort::Plain(refusal)) => assumptions.refused(refusal, &session, key)?,
            Err(Abort::Raise(exception)) => return Err(Failure::Raised(exception)),
        }
    }
    Err(Failure::Refused(Box::new(too_many_restarts())))
}

fn too_many_restarts() -> Refusal {
    let message =
        format!("more than {MAX_RESTARTS} kinds of recursive calls and of places where plain Python must go on");
    Refusal::new("S129", message)
}

impl Session<'_> {
    /// What was captured.
    fn finish(&mut self, result: Template, effects: Vec<Effect>) -> Captured {
        let effects = self.without_idle_effects(effects);
        self.dead.end();
        let places = (0..self.hosts.len()).map(|it| Some(HostId::new(it))).collect();
        Captured {
            places,
            module: take(&mut self.module),
            exits: take(&mut self.exits),
            hosts: take(&mut self.hosts),
            guards: take(&mut self.guards).into_vec(),
            tape: Vec::new(),
            touched: take(&mut self.table.touched),
            sites: take(&mut self.sites),
            ways: take(&mut self.ways),
            nested: take(&mut self.calls.nested),
            result,
            effects,
        }
    }

    /// Explores from the entry on, or makes code that does nothing but leave there.
    fn explore_or_leave(&mut self, entry: State) -> Result<Vec<State>, Abort> {
        let mark = self.builder(entry.block).mark();
        let inside = self.enter_plain(std::slice::from_ref(&entry)).swap_remove(0);
        let explored = match self.explore(inside) {
            Ok(_) if self.restarts_too_late(&entry) => {
                self.calls.all_plain = true;
                Err(Abort::Refuse(Box::new(failed())))
            }
            explored => explored,
        };
        match explored {
            Err(Abort::Refuse(refusal)) if std::mem::take(&mut self.calls.all_plain) => {
                self.leave_at(&[entry], mark, refusal)?;
                Ok(Vec::new())
            }
            explored => explored,
        }
    }

    fn capture(&mut self, start: Start<'_>, key: &Key) -> Result<(Template, Vec<Effect>), Abort> {
        let name = start.name();
        let main = self.reserve_func(name.clone());
        self.func = Function::new(name);
        self.uncounted.clear();
        let mut entry = match start {
            Start::Call { parts, .. } => self.entry(parts, key)?,
            Start::Middle(entry) => self.middle(entry, key)?,
        };
        self.learnt.entry = Some(entry.place());
        self.calls.start = self.places(&entry);
        self.activate(&entry);
        self.checkpoint(&mut entry);
        self.begin_pools(&entry);
        let called = match start {
            Start::Call { func, .. } => self.call_main(&entry, func),
            Start::Middle(_) => Ok(None),
        };
        let returned = match called {
            Ok(Some(states)) => {
                self.func.name = "main".to_owned();
                states
            }
            Ok(None) => self.explore_or_leave(entry)?,
            Err(Stop::Refuse(refusal)) if self.resume_plainly(&entry, &refusal) => Vec::new(),
            Err(stop) => return Err(self.abort(stop, &entry)),
        };
        let single = returned.len() == 1;
        let mut normal = (Template::Static(self.vm.ctx.none()), Vec::new());
        for state in returned {
            self.show(&state);
            let result = state.result.clone().expect("the path returned");
            let mut leaves = Leaves::default();
            let made =
                self.template(&result, &mut leaves).and_then(|result| Ok((result, self.effects(&state, &mut leaves)?)));
            let (result, effects) = made.map_err(|stop| self.abort(stop, &state))?;
            let result = leaves.once(result);
            if single {
                self.func.results.clone_from(&leaves.types);
                self.builder(state.block).ret(leaves.values);
                normal = (result, effects);
            } else {
                let exit = self.exit("return", leaves.types.clone(), ExitKind::Return { result, effects });
                self.builder(state.block).exit(exit, leaves.values);
            }
        }
        self.module.funcs[main] = std::mem::replace(&mut self.func, Function::new(""));
        Ok(normal)
    }

    /// The path at the entry of the function.
    fn entry(&mut self, parts: &FunctionParts, key: &Key) -> Result<State, Abort> {
        let block = self.func.entry();
        let code = Code::of(&parts.code).map_err(|fault| {
            Abort::Refuse(Box::new(Refusal::new(
                "S201",
                format!("the code of `{}` cannot be read: {fault}", parts.qualname),
            )))
        })?;
        let (locals, cells) = self.arguments_of(key, code.local_count());
        let bound = locals.iter().flatten().filter_map(|it| it.object().cloned()).collect();
        let frame = Frame {
            code,
            pc: 0,
            locals,
            dead: Dead::default(),
            stack: Vec::new(),
            globals: parts.globals.clone(),
            builtins: parts.builtins.clone(),
            closure: if cells.is_empty() { parts.closure.clone() } else { cells },
            caller: None,
            then: Then::Push,
            handled_before: None,
            forks_before: 0,
            bound: self.vm.ctx.new_tuple(bound),
            handlers: Handlers::default(),
            native: false,
            lasti: None,
        };
        let mut state = State { frames: vec![frame], ..returned_nothing(block) };
        self.guard_statics(key, &state)?;
        if let Err(stop) = self.stage_filled_at_entry(&mut state) {
            return Err(self.abort(stop, &state));
        }
        let flags = parts.code.code.flags;
        let generator = rustpython_vm::bytecode::CodeFlags::GENERATOR
            | rustpython_vm::bytecode::CodeFlags::COROUTINE
            | rustpython_vm::bytecode::CodeFlags::ASYNC_GENERATOR;
        if flags.intersects(generator) {
            let refusal = refuse(
                "S200",
                format!("`{}` is a generator or a coroutine, which cannot be staged yet", parts.qualname),
            );
            return Err(self.abort(refusal.into(), &state));
        }
        Ok(state)
    }

    /// What stands for the arguments, with room for `count` of them, and for the closure variables, if those are arguments.
    fn arguments_of(&mut self, key: &Key, count: usize) -> (Vec<Option<V>>, Vec<PyObjectRef>) {
        let block = self.func.entry();
        let mut params = Vec::new();
        for &ty in &key.types {
            let param = self.func.append_param(block, ty);
            params.push((ty, self.rep(param)));
        }
        if let Some(layout) = &key.records {
            let end = params.len() - key.sources.len();
            let arrays = params[end - layout.types().len()..end].iter().map(|(_, array)| array.clone()).collect();
            self.begin_records(layout.clone(), arrays);
        }
        let mut locals: Vec<Option<V>> = vec![None; count];
        let (mut next, mut cells) = (0, Vec::new());
        for (local, arg) in key.args.iter().enumerate() {
            if let Some(arg) = arg {
                let root = Root { local, path: Vec::new() };
                let object = self.argument(arg, root, &params, &mut next, &locals);
                match local < key.args.len() - key.cells {
                    true => locals[local] = Some(V::Obj(object)),
                    false => cells.push(object),
                }
            }
        }
        for (source, (_, input)) in key.sources.iter().zip(&params[params.len() - key.sources.len()..]) {
            self.input(source, input);
        }
        (locals, cells)
    }

    /// What the arguments that are known hold is guarded.
    fn guard_statics(&mut self, key: &Key, state: &State) -> Result<(), Abort> {
        let statics: Vec<PyObjectRef> = key.args.iter().flatten().flat_map(static_objects).collect();
        for object in statics {
            self.guard_contents(&object).map_err(|stop| self.abort(stop, state))?;
        }
        Ok(())
    }

    /// The path in the middle of a call.
    fn middle(&mut self, entry: &Resume, key: &Key) -> Result<State, Abort> {
        let (held, _) = self.arguments_of(key, key.args.len());
        let message = "a loop over items known one by one goes on in the middle";
        let refused = || Abort::Refuse(Box::new(Refusal::new("S295", message)));
        let mut frames: Vec<Frame> = Vec::with_capacity(entry.frames.len());
        for template in &entry.frames {
            let caller = frames.last().map(|frame| self.loc_of(frame, frame.pc));
            let mut locals: Vec<Option<V>> = vec![None; template.code.local_count()];
            let mut values = template.values.iter().flatten();
            for &local in &template.way.locals {
                let value = values.next().and_then(|it| held_value(it, &held));
                locals[local] = Some(value.ok_or_else(refused)?);
            }
            let mut stack = Vec::with_capacity(template.way.stack.len());
            for slot in &template.way.stack {
                stack.push(match slot {
                    Entry::Null => V::Null,
                    _ => match values.next() {
                        Some(Template::Iterator(iterator)) => {
                            V::Iter(self.held_iterator(iterator, &held).ok_or_else(refused)?)
                        }
                        Some(other) => held_value(other, &held).ok_or_else(refused)?,
                        None => return Err(refused()),
                    },
                });
            }
            let closure = template.closure.iter().filter_map(|it| match it {
                Template::Static(cell) => Some(cell.clone()),
                _ => None,
            });
            frames.push(Frame {
                code: template.code.clone(),
                pc: template.way.pc,
                locals,
                dead: self.dead_at_entry(&template.dead),
                stack,
                globals: template.globals.clone(),
                builtins: template.builtins.clone(),
                closure: closure.collect(),
                caller,
                then: Then::Push,
                handled_before: None,
                forks_before: 0,
                bound: self.vm.ctx.empty_tuple.clone(),
                handlers: Handlers::default(),
                native: false,
                lasti: None,
            });
        }
        let state = State { frames, ..returned_nothing(self.func.entry()) };
        self.guard_statics(key, &state)?;
        Ok(state)
    }

    /// An iterator made of what is held; `None` for one that cannot be followed.
    fn held_iterator(&self, iterator: &IteratorTemplate, held: &[Option<V>]) -> Option<Iter> {
        let object = |template: &Template| held_value(template, held)?.object().cloned();
        let inside = |template: &Template| match template {
            Template::Iterator(inner) => self.held_iterator(inner, held),
            _ => None,
        };
        Some(match iterator {
            IteratorTemplate::Range([next, stop, step]) => {
                let step = object(step)?;
                let Some(Num::Static(Const::I64(step))) = value::number(&step, self.vm) else { return None };
                Iter::Range { next: object(next)?, stop: object(stop)?, step: value::Step::Static(step) }
            }
            IteratorTemplate::Sequence { items, index, reversed: false } => {
                let (items, index) = (object(items)?, object(index)?);
                match classify(&items, self.vm) {
                    Abstract::Array(_) => Iter::Array { array: items, index },
                    Abstract::Items(_) => Iter::Items { list: items, index, reversed: false },
                    _ => return None,
                }
            }
            IteratorTemplate::Enumerate { inner, count } => {
                Iter::Enumerate { inner: Box::new(inside(inner)?), count: object(count)? }
            }
            IteratorTemplate::Zip { inners, strict } => {
                Iter::Zip { inners: inners.iter().map(inside).collect::<Option<_>>()?, strict: *strict }
            }
            IteratorTemplate::Sequence { .. }
            | IteratorTemplate::Entries { .. }
            | IteratorTemplate::Members { .. }
            | IteratorTemplate::Generator { .. }
            | IteratorTemplate::Begun(_) => return None,
        })
    }

    /// A place of the world holds this input.
    fn input(&mut self, source: &Source, input: &PyObjectRef) {
        let number = match source {
            Source::Item { dict, key } => {
                let cell = self.variable(dict, key, Some(input.clone()));
                self.base.number(&cell)
            }
            Source::Members(object) => {
                self.given.list_params.push(object.clone());
                let contents = match value::rep(input) {
                    Some((value, Type::List(ty))) => {
                        self.given.copies.insert(value);
                        self.objects.has_nested |= ty.nesting > 0;
                        Contents::List(vec![input.clone()])
                    }
                    _ => map::contents_of(input.clone(), self.vm),
                };
                self.base.replace(object, contents, self.vm)
            }
            Source::Table(table) => {
                self.given.tables.insert(table.object.get_id(), input.clone());
                None
            }
            Source::Cell(cell) => self.base.replace(cell, Contents::Cell(Some(input.clone())), self.vm),
        };
        self.objects.inputs.extend(number);
    }

    /// The object that stands for an argument.
    fn argument(
        &mut self,
        arg: &Arg,
        root: Root,
        params: &[(Type, PyObjectRef)],
        next: &mut usize,
        locals: &[Option<V>],
    ) -> PyObjectRef {
        let vm = self.vm;
        match arg {
            Arg::Items(ty) => {
                let columns = self.columns_of(ty, &mut params[*next..].iter().map(|(_, rep)| rep.clone()));
                self.given
                    .copies
                    .extend(in_items(std::slice::from_ref(&columns)).into_iter().flat_map(|it| it.columns));
                *next += ty.columns().len();
                self.objects.has_nested |= ty.has_lists();
                if ty.has_made() {
                    self.learnt.guess.note_made(ty);
                }
                let list: PyObjectRef = vm.ctx.new_list(vec![columns]).into();
                self.base.keep(&list, vm);
                self.keep_alive(&list, root);
                self.given.list_params.push(list.clone());
                list
            }
            Arg::Leaf { ty: Type::Map(_) } => {
                *next += 1;
                self.given.copies.extend(value::rep(&params[*next - 1].1).map(|(value, _)| value));
                self.empty_members(map::contents_of(params[*next - 1].1.clone(), vm), root)
            }
            Arg::Empty { set } => {
                let contents = if *set { Contents::Set(Vec::new()) } else { Contents::Dict(Vec::new()) };
                let object = self.empty_members(contents, root);
                self.given.list_params.pop();
                object
            }
            Arg::Leaf { .. } => {
                *next += 1;
                if let Some((value, _)) = value::rep(&params[*next - 1].1) {
                    self.given.numbers_passed.insert(value, root.clone());
                }
                if let Some((value, _)) = value::handle(&params[*next - 1].1) {
                    self.given.objects_passed.insert(value, root.clone());
                }
                let param = params[*next - 1].1.clone();
                if root.path.is_empty() {
                    self.has_sample(&param, self.samples.passed.get(root.local).cloned().flatten());
                }
                param
            }
            Arg::Wide => {
                *next += 1;
                kind::wide(params[*next - 1].1.clone(), vm)
            }
            Arg::Static(object) => match like(object, vm) {
                Some(stand_in) => {
                    self.keep_alive(&stand_in, root);
                    stand_in
                }
                None => {
                    self.given.passed.insert(object.get_id(), root);
                    object.clone()
                }
            },
            Arg::Function(like) => {
                let stand_in: PyObjectRef = Kind::from(kind::Function { like: like.clone() }).object(vm);
                self.keep_alive(&stand_in, root);
                stand_in
            }
            Arg::Record { class, index } => {
                *next += 1;
                let row = params[*next - 1].1.clone();
                Kind::from(Record { class: class.clone(), home: Home::Table(*index), row }).object(vm)
            }
            Arg::Keywords(items) | Arg::Names(items) => {
                let dict = vm.ctx.new_dict();
                for (index, (key, item)) in items.iter().enumerate() {
                    let mut root = root.clone();
                    root.path.push(index);
                    let object = self.argument(item, root, params, next, locals);
                    dict.set_item(&**key, object, vm).expect("a dict takes any text or number as key");
                }
                if matches!(arg, Arg::Keywords(_)) {
                    return self.made(dict.into());
                }
                let dict: PyObjectRef = dict.into();
                self.base.keep(&dict, vm);
                self.keep_alive(&dict, root);
                dict
            }
            Arg::Instance { class, attributes } => {
                let object = host::new_object(class, vm).expect("an object of this class was passed");
                // Before its attributes are made, which may lead back to it.
                self.keep_alive(&object, root.clone());
                let Some(dict) = object.dict() else {
                    let mut made = Vec::new();
                    for (index, (name, item)) in attributes.iter().enumerate() {
                        let mut root = root.clone();
                        root.path.push(index);
                        made.push((name.clone().into(), self.argument(item, root, params, next, locals)));
                    }
                    host::slots::set_attributes(&object, &made, vm);
                    self.base.keep(&object, vm);
                    return object;
                };
                for (index, (name, item)) in attributes.iter().enumerate() {
                    let mut root = root.clone();
                    root.path.push(index);
                    let value = self.argument(item, root, params, next, locals);
                    dict.set_item(name.as_wtf8(), value, vm).expect("a dict takes any str as key");
                }
                let dict: PyObjectRef = dict.into();
                self.base.keep(&dict, vm);
                let mut attributes = root;
                attributes.path.push(crate::flatten::ATTRIBUTES);
                self.keep_alive(&dict, attributes);
                object
            }
            Arg::Tuple(items) | Arg::Named(_, items) | Arg::List(items) => {
                let mut objects = Vec::with_capacity(items.len());
                for (index, item) in items.iter().enumerate() {
                    let mut root = root.clone();
                    root.path.push(index);
                    objects.push(self.argument(item, root, params, next, locals));
                }
                if let Arg::Named(class, _) = arg {
                    let made = named_tuple(&class.clone().into(), objects, vm).expect("one of this class was passed");
                    self.keep_alive(&made, root);
                    return made;
                }
                if matches!(arg, Arg::Tuple(_)) {
                    let tuple: PyObjectRef = vm.ctx.new_tuple(objects).into();
                    self.keep_alive(&tuple, root);
                    return tuple;
                }
                let list: PyObjectRef = vm.ctx.new_list(objects).into();
                self.base.keep(&list, vm);
                self.keep_alive(&list, root);
                list
            }
            Arg::Cell(content) => {
                let mut inside = root.clone();
                inside.path.push(0);
                let content = self.argument(content, inside, params, next, locals);
                let cell = host::cell::new_cell(Some(content), vm);
                self.base.keep(&cell, vm);
                self.keep_alive(&cell, root);
                cell
            }
            Arg::Same(other) => {
                // Inside the argument that is being made, where it is no local yet.
                if let Some(object) =
                    self.given.kept.iter().find(|it| self.given.arguments.get(&it.get_id()) == Some(other))
                {
                    return object.clone();
                }
                let mut object = locals.get(other.local).and_then(Option::as_ref).and_then(V::object).cloned();
                for &index in &other.path {
                    object = object.and_then(|it| crate::flatten::item(&it, index));
                }
                object.unwrap_or_else(|| vm.ctx.none())
            }
        }
    }

    /// A dict or set that stands for an argument, with these contents.
    fn empty_members(&mut self, contents: Contents, root: Root) -> PyObjectRef {
        let vm = self.vm;
        let object: PyObjectRef = match contents {
            Contents::Set(_) => PySet::default().into_ref(&vm.ctx).into(),
            _ => vm.ctx.new_dict().into(),
        };
        crate::capture::heap::write(&object, &contents, vm);
        self.base.keep(&object, vm);
        self.keep_alive(&object, root);
        self.given.list_params.push(object.clone());
        object
    }

    /// This object stands for an argument as long as the capture lasts.
    fn keep_alive(&mut self, object: &PyObjectRef, root: Root) {
        self.given.arguments.insert(object.get_id(), root);
        self.given.kept.push(object.clone());
    }

    /// Lets the program's objects show what a path sees.
    fn show(&mut self, state: &State) {
        self.activate(state);
    }

    /// If the function itself stays a function: a call of it, with a path for each kind of result.
    fn call_main(&mut self, entry: &State, func: &PyObjectRef) -> crate::capture::stop::Step<Option<Vec<State>>> {
        let Some((values, results)) = self.call_as_function(entry, func)? else { return Ok(None) };
        let mut states = Vec::new();
        let mut block = entry.block;
        let count = results.len();
        for (index, (like, first, length)) in results.into_iter().enumerate() {
            let here = if index + 1 == count {
                block
            } else {
                let tag = self.constant(block, snekpy_stage::op::Const::I64(i64::try_from(index).expect("few shapes")));
                let mut builder = self.builder(block);
                let is = builder
                    .value(snekpy_stage::op::Op::Cmp(snekpy_stage::op::Cmp::Eq), &[values[0], tag])
                    .expect("a tag is an integer");
                let (then, other) = (builder.create_block(), builder.create_block());
                builder.branch(is, then, other);
                block = other;
                then
            };
            let reps: Vec<PyObjectRef> = values[first..first + length].iter().map(|&value| self.rep(value)).collect();
            let result = self.result_like(&like, &reps)?;
            let heap = entry.heap.clone();
            states.push(State { result: Some(result), heap, ..returned_nothing(here) });
        }
        debug_assert_eq!(entry.block.index(), 0);
        Ok(Some(states))
    }
}

/// What an argument of a re-entry is.
fn held_value(template: &Template, held: &[Option<V>]) -> Option<V> {
    match template {
        Template::Argument(root) => held.get(root.local).cloned().flatten(),
        _ => None,
    }
}

/// Another object like this one, if keys compare objects of its class by value: what goes back is the one that was
/// passed.
fn like(object: &PyObjectRef, vm: &VirtualMachine) -> Option<PyObjectRef> {
    if let Some(range) = object.downcast_ref_if_exact::<PyRange>(vm) {
        let copy = PyRange { start: range.start.clone(), stop: range.stop.clone(), step: range.step.clone() };
        return Some(copy.into_ref(&vm.ctx).into());
    }
    let copy: PyObjectRef = match object.downcast_ref_if_exact::<PyStr>(vm) {
        Some(text) => vm.ctx.new_str(text.as_wtf8().to_owned()).into(),
        None => vm.ctx.new_bytes(object.downcast_ref_if_exact::<PyBytes>(vm)?.as_bytes().to_vec()).into(),
    };
    (!copy.is(object)).then_some(copy)
}
