//! Changing mutable objects, and reading those of the world.

use rustpython_vm::builtins::{PyDict, PyList, PySet, PyStr, PyTuple};
use rustpython_vm::function::FuncArgs;
use rustpython_vm::{AsObject, Py, PyObjectRef, VirtualMachine};
use snekpy_stage::entity::Value;
use snekpy_stage::op::Op;
use snekpy_stage::types::Type;

use crate::capture::assumptions::Assumption;
use crate::capture::handed::{Handed, is_lasting};
use crate::capture::heap::{self, Contents, Entry};
use crate::capture::session::Session;
use crate::capture::state::State;
use crate::capture::step::{Refused, refuse};
use crate::capture::stop::{Step, Stop};
use crate::capture::values::{Abstract, classify};
use crate::capture::{ends, observe, value};
use crate::captured::OfArguments;
use crate::flatten::source::Table;
use crate::flatten::{Copied, Source};
use crate::guard::Guard;
use crate::host;
use crate::rep::{Named, StagedIterator};
use crate::threads::SHARED;

/// A dict or set of the world with more keys is looked up as one of the compiled code.
const FEW_KEYS: usize = 32;
/// How many items of containers of the world are guarded at most.
const MAX_GUARDED: usize = 4096;
impl Session<'_> {
    /// The running path is about to change an object.
    pub(crate) fn touch(&mut self, state: &mut State, object: &PyObjectRef) -> Step<()> {
        if !self.is_fresh(object) && self.objects.let_go.insert(object.get_id()) && ends::in_container(object, self.vm)
        {
            return Err(ends::refuse(object));
        }
        if self.rules.shared && !self.is_fresh(object) && !self.is_own(object) {
            return Err(shared(&self.changed_thing(object)).into());
        }
        self.note_touched(object);
        self.note_changes(state, object, 1)?;
        if self.base.number(object).is_none() {
            // What it will hold depends on what it holds.
            self.guard_contents(object)?;
        }
        let Some(number) = self.base.keep(object, self.vm) else {
            return Err(refuse("S290", format!("changing a `{}` in staged code", object.class_name())).into());
        };
        self.objects.changed.insert(number);
        if !state.heap.contains_key(&number) {
            let contents = heap::read(object, self.vm).unwrap_or(Contents::Cell(None));
            let entry = Entry { object: object.clone(), contents: std::rc::Rc::new(contents) };
            self.objects.active.insert(number, entry.clone());
            state.heap.insert(number, entry);
        }
        Ok(())
    }

    /// Whether it is an iterator that stands for one of the path.
    fn is_own(&self, object: &PyObjectRef) -> bool {
        object.downcast_ref::<StagedIterator>().is_some()
    }

    /// Compiled code is about to change one of its lists or maps.
    pub(crate) fn change(&self, value: Value, object: &str) -> Step<()> {
        let is_made = || matches!(self.func.definition(value), Some((Op::ListNew(_) | Op::MapNew(_), _)));
        let is_copy = |it: &Value| *it == value || matches!(self.func.ty(*it), Type::List(it) if it.nesting > 0);
        match self.rules.shared && !is_made() && self.given.copies.iter().any(is_copy) {
            true => Err(shared(object).into()),
            false => Ok(()),
        }
    }

    /// What a refusal calls an object: a variable by its name.
    fn changed_thing(&self, object: &PyObjectRef) -> String {
        match self.objects.items.get(&object.get_id()).and_then(|(_, key)| key.downcast_ref::<PyStr>()) {
            Some(name) => format!("`{}`", name.to_string_lossy()),
            None => format!("a `{}`", object.class_name()),
        }
    }

    /// A mutable object of the world is read: what is in it is guarded, all of it.
    pub(crate) fn guard_contents(&mut self, object: &PyObjectRef) -> Step<()> {
        let vm = self.vm;
        if !self.objects.variables.is_empty() && self.objects.variables.keys().any(|(dict, _)| *dict == object.get_id())
        {
            return Err(refuse("S298", "staged code reads a dict whose items it knows as variables").into());
        }
        let is_input = self.base.number(object).is_some_and(|number| self.objects.inputs.contains(&number));
        if self.learnt.handed.contains(&Handed::World(object.get_id())) {
            let message = "this reads an object that compiled code only hands on";
            return if self.running.loads { Ok(()) } else { Err(refuse("S301", message).into()) };
        }
        let known = is_input || self.is_fresh(object) || self.given.arguments.contains_key(&object.get_id());
        if known || self.guards.covers(object) {
            return Ok(());
        }
        if self.running.to_append && self.may_append_blindly(object) {
            return Ok(());
        }
        if crate::flatten::holds_many_numbers(object, vm) {
            self.read_anew(object)?;
        }
        let inner = if let Some(list) = object.downcast_ref_if_exact::<PyList>(vm) {
            // What it was before the call has appended to it.
            let expected = match self.base.number(object).map(|number| &*self.base.entry(number).contents) {
                Some(Contents::List(items)) => items.clone(),
                Some(_) | None => list.borrow_vec().to_vec(),
            };
            self.limit(expected.len())?;
            self.guards.add(Guard::List { list: object.clone(), expected: expected.clone() });
            expected
        } else if let Some(dict) = object.downcast_ref_if_exact::<PyDict>(vm) {
            let expected = dict.items_vec();
            self.limit(expected.len())?;
            self.guards.add(Guard::Dict { dict: object.clone(), expected: expected.clone() });
            expected.into_iter().map(|(_, value)| value).collect()
        } else if let Some(set) = object.downcast_ref_if_exact::<PySet>(vm) {
            let expected = set.elements();
            self.limit(expected.len())?;
            self.guards.add(Guard::Set { set: object.clone(), expected });
            return Ok(());
        } else if let Some(tuple) = object.downcast_ref_if_exact::<PyTuple>(vm) {
            tuple.as_slice().to_vec()
        } else if let Some((dict, _)) = host::belongs::dict_view(object, vm) {
            vec![dict]
        } else {
            return Ok(());
        };
        inner.iter().try_for_each(|item| self.guard_contents(item))
    }

    /// A container of the world is better an input than known by what is in it: the capture starts again with it as one, if
    /// it can be one.
    pub(crate) fn read_anew(&self, object: &PyObjectRef) -> Step<()> {
        let may = self.given.may_copy && !self.rules.shared && self.calls.building == 0 && self.is_of_world(object);
        let is_map = || matches!(classify(object, self.vm), Abstract::Map(_));
        match may && (crate::flatten::members_type(object, self.vm).is_some() || is_map()) {
            true => Err(begin_with(Source::Members(object.clone()))),
            false => Ok(()),
        }
    }

    /// The list or map of a constant table: the capture starts again with it, if this can be one and is none yet.
    pub(crate) fn table(&self, state: &State, object: &PyObjectRef, length: usize) -> Step<Option<(Value, Type)>> {
        let table = self.given.tables.get(&object.get_id());
        let may = table.is_none() && length > FEW_KEYS && self.given.may_copy && self.calls.building == 0;
        if may
            && Table::fits(object, self.vm)
            && is_lasting(object, state)
            && let Some(table) = Table::of(object, self.vm)
        {
            return Err(begin_with(Source::Table(table)));
        }
        Ok(table.and_then(|it| value::rep(it)))
    }

    /// The same for one that is asked for a staged key.
    pub(crate) fn read_keys_anew(&self, object: &PyObjectRef, count: usize) -> Step<()> {
        if count > FEW_KEYS { self.read_anew(object) } else { Ok(()) }
    }

    fn limit(&self, length: usize) -> Step<()> {
        if length > MAX_GUARDED {
            return Err(refuse(
                "S292",
                format!("staged code reads a list or dict of {length} items, which may change between calls"),
            )
            .help("use a tuple")
            .into());
        }
        Ok(())
    }

    /// A cell of the world is read.
    pub(crate) fn guard_cell(&mut self, state: &State, cell: &PyObjectRef) {
        let number = self.base.number(cell);
        let known = number.is_some_and(|it| state.heap.contains_key(&it) || self.objects.inputs.contains(&it));
        if !self.is_fresh(cell) && !known && !self.given.arguments.contains_key(&cell.get_id()) {
            let expected = host::cell::cell_get(cell, self.vm);
            self.guards.add(Guard::Cell { cell: cell.clone(), expected });
        }
    }

    /// A method of a list, dict or set that changes it, or one that only reads it with Reps inside.
    pub(crate) fn call_container_method(
        &mut self,
        state: &mut State,
        callable: &PyObjectRef,
        object: &PyObjectRef,
        name: &str,
        args: &FuncArgs,
    ) -> Step<Option<PyObjectRef>> {
        let vm = self.vm;
        let blind = self.appends_blindly(object, name, args);
        if !blind {
            self.guard_contents(object)?;
        }
        if object.downcast_ref_if_exact::<PyList>(vm).is_none()
            && args.kwargs.is_empty()
            && let Some(result) = self.call_map_method(state, object, name, &args.args)?
        {
            return Ok(Some(result));
        }
        let it = classify(object, vm);
        if let Abstract::Items(list) = &it
            && let Some(result) = self.call_list_method(state, list, name, args)?
        {
            return Ok(Some(result));
        }
        if let Some(staged) = it.staged() {
            staged.refuse_whole(object, &format!("`{name}`"))?;
        }
        if name == "sort"
            && self.holds_rep(object)?
            && let Some(sorted) = self.sorted_items(state, object, args)?
        {
            self.touch(state, object)?;
            if let Some(list) = object.downcast_ref_if_exact::<PyList>(vm) {
                *list.borrow_vec_mut() = sorted;
            }
            return Ok(Some(vm.ctx.none()));
        }
        if matches!(name, "count" | "index" | "remove" | "sort") {
            for object in args.args.iter().chain([object]) {
                self.observe(object, observe::COMPARES)?;
            }
        }
        if matches!(name, "insert" | "pop" | "index") {
            for index in &args.args {
                self.observe_itself(index, &["__index__"])?;
            }
        }
        if let (Some(dict), "update", false) =
            (object.downcast_ref_if_exact::<PyDict>(vm), name, args.kwargs.is_empty())
            && let Some(more) = self.dict_with_names(&args.args, args)?
        {
            let more = more.downcast_ref::<PyDict>().expect("it is one").items_vec();
            self.touch(state, object)?;
            for (key, value) in more {
                dict.set_item(&*key, value, vm)?;
            }
            return Ok(Some(vm.ctx.none()));
        }
        if name == "sort" && sorts_as_known(args, vm) && !self.holds_rep(object)? {
            self.touch(state, object)?;
            return Ok(Some(vm.call_method(object, "sort", args.clone())?));
        }
        if !args.kwargs.is_empty() {
            return Ok(None);
        }
        match it {
            Abstract::List(list) => self.call_known_list(state, list, object, name, args, blind),
            Abstract::Dict(dict) => self.call_known_dict(state, dict, object, name, args),
            Abstract::Set(_) => self.call_known_set(state, callable, object, name, args),
            _ => Ok(None),
        }
    }

    /// A method of a list whose items are known.
    fn call_known_list(
        &mut self,
        state: &mut State,
        list: &Py<PyList>,
        object: &PyObjectRef,
        name: &str,
        args: &FuncArgs,
        blind: bool,
    ) -> Step<Option<PyObjectRef>> {
        let vm = self.vm;
        let none = || Some(vm.ctx.none());
        Ok(match (name, args.args.as_slice()) {
            ("append", [item]) => {
                self.touch_end(state, object, blind)?;
                list.borrow_vec_mut().push(item.clone());
                none()
            }
            ("extend", [items]) => {
                let items = self.items_of(state, items)?;
                self.touch_end(state, object, blind)?;
                list.borrow_vec_mut().extend(items);
                none()
            }
            ("insert" | "pop", [index, ..]) if self.holds_rep(index)? => {
                return Err(refuse("S293", format!("`list.{name}` at a staged index")).into());
            }
            ("insert" | "pop" | "clear" | "reverse", _) => {
                self.touch(state, object)?;
                Some(vm.call_method(object, static_name(name), FuncArgs::from(args.args.clone()))?)
            }
            ("copy", []) => {
                let copy = vm.ctx.new_list(list.borrow_vec().to_vec());
                Some(self.made(copy.into()))
            }
            ("count" | "index" | "remove" | "sort", _) if self.holds_rep(object)? || self.holds_rep_in(args)? => {
                return Err(refuse("S294", format!("`list.{name}` with staged values")).help("write the loop").into());
            }
            ("remove", [_]) => {
                self.touch(state, object)?;
                Some(vm.call_method(object, "remove", FuncArgs::from(args.args.clone()))?)
            }
            _ => None,
        })
    }

    /// A method of a dict whose keys are known.
    fn call_known_dict(
        &mut self,
        state: &mut State,
        dict: &Py<PyDict>,
        object: &PyObjectRef,
        name: &str,
        args: &FuncArgs,
    ) -> Step<Option<PyObjectRef>> {
        let vm = self.vm;
        if let Some(key) = args.args.first()
            && matches!(name, "get" | "pop" | "setdefault")
        {
            self.static_key(key)?;
        }
        Ok(match (name, args.args.as_slice()) {
            ("get", [key]) => Some(dict.get_item_opt(&**key, vm)?.unwrap_or_else(|| vm.ctx.none())),
            ("get", [key, default]) => Some(dict.get_item_opt(&**key, vm)?.unwrap_or_else(|| default.clone())),
            ("keys" | "values" | "items", []) => Some(vm.call_method(object, static_name(name), ())?),
            ("pop" | "setdefault" | "clear" | "popitem", _) => {
                self.touch(state, object)?;
                let result = vm.call_method(object, static_name(name), FuncArgs::from(args.args.clone()))?;
                if matches!(name, "clear" | "popitem") {
                    self.note_changes(state, object, 2)?;
                }
                Some(result)
            }
            ("update", [more]) if more.downcast_ref_if_exact::<PyDict>(vm).is_some() => {
                self.refuse_grown(more, "`update` with the items")?;
                let more = more.downcast_ref::<PyDict>().expect("it is one").items_vec();
                self.touch(state, object)?;
                for (key, value) in more {
                    dict.set_item(&*key, value, vm)?;
                }
                Some(vm.ctx.none())
            }
            ("copy", []) => {
                let copy = vm.ctx.new_dict();
                for (key, value) in dict.items_vec() {
                    copy.set_item(&*key, value, vm)?;
                }
                Some(self.made(copy.into()))
            }
            _ => None,
        })
    }

    /// A method that changes a set whose items are known.
    fn call_known_set(
        &mut self,
        state: &mut State,
        callable: &PyObjectRef,
        object: &PyObjectRef,
        name: &str,
        args: &FuncArgs,
    ) -> Step<Option<PyObjectRef>> {
        let vm = self.vm;
        let Some(mutation) = host::pure::mutator_kind(callable, vm) else { return Ok(None) };
        let mut given = Vec::with_capacity(args.args.len());
        for arg in &args.args {
            if matches!(name, "add" | "discard" | "remove" | "pop" | "clear") {
                self.static_key(arg)?;
                given.push(arg.clone());
                continue;
            }
            let items = self.items_of(state, arg)?;
            for item in &items {
                self.static_key(item)?;
            }
            given.push(vm.ctx.new_tuple(items).into());
        }
        self.touch(state, object)?;
        let result = vm.call_method(object, mutation.kind.method().1, FuncArgs::from(given))?;
        if !matches!(name, "add" | "discard" | "remove") {
            self.note_changes(state, object, 2)?;
        }
        Ok(Some(result))
    }

    /// Whether the method makes a list of the world longer, whatever is in it.
    fn appends_blindly(&self, object: &PyObjectRef, name: &str, args: &FuncArgs) -> bool {
        matches!(name, "append" | "extend")
            && args.args.len() == 1
            && args.kwargs.is_empty()
            && self.may_append_blindly(object)
    }

    /// The running path is about to append to a list, without knowing what is in it if `blind`.
    fn touch_end(&mut self, state: &mut State, list: &PyObjectRef, blind: bool) -> Step<()> {
        self.running.to_append = blind;
        let touched = self.touch(state, list);
        self.running.to_append = false;
        touched
    }

    /// A longer list would have to be copied for each path.
    fn may_append_blindly(&self, object: &PyObjectRef) -> bool {
        object.downcast_ref_if_exact::<PyList>(self.vm).is_some_and(|it| it.borrow_vec().len() <= MAX_GUARDED)
            && !self.given.arguments.contains_key(&object.get_id())
    }

    fn holds_rep_in(&self, args: &FuncArgs) -> Step<bool> {
        for arg in &args.args {
            if self.holds_rep(arg)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Whether `sort` is told by what is known alone in which order, and calls nothing.
fn sorts_as_known(args: &FuncArgs, vm: &VirtualMachine) -> bool {
    let is_order = |(name, value): (&rustpython_vm::common::wtf8::Wtf8Buf, &PyObjectRef)| {
        name.as_str().is_ok_and(|it| it == "reverse") && value.class().is(vm.ctx.types.bool_type)
    };
    args.args.is_empty() && args.kwargs.iter().all(is_order)
}

/// Why something is changed in place.
fn shared(what: &str) -> Refused {
    refuse(SHARED, format!("staged code changes {what}, which other threads may see"))
}

pub(crate) fn static_name(name: &str) -> &'static str {
    ["insert", "pop", "clear", "reverse", "setdefault", "popitem", "keys", "values", "items"]
        .into_iter()
        .find(|it| *it == name)
        .unwrap_or("pop")
}

/// The capture starts again with this as an input.
fn begin_with(source: Source) -> Stop {
    Stop::Learn(Assumption::Argument(OfArguments::Copy(Box::new(Copied::World(source)))))
}
