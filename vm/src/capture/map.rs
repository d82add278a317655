//! Dicts and sets of numbers whose keys are known only when the code runs.
//!
//! Such a dict is an ordinary dict object with one key: a Rep of the type of maps. It stands for the map of the
//! compiled code, which is changed in place at run time. A set holds the Rep as its one item. A dict of numbers
//! becomes one where something is stored under a staged key, and where a captured loop changes its keys.
//!
//! The Rep of the type of maps alone among Reps has a hash. Whoever reads a dict natively asks `classify` or
//! `refuse_grown` first. An entry has a position, so that `d[k] += 1` looks `k` up once, and an iterator is a position
//! with the length and the number of changes when it began. A recursive function that fills a dict is built again with
//! a map in that variable (`Outlined::filled`). Dicts and sets that are passed are inputs from the second one on, and
//! so are those of the world that a guard found changed (`Source::Members`). What the ops on maps mean is in
//! `stage/src/map.rs`.

use std::rc::Rc;

use rustpython_vm::builtins::{PyDict, PySet};
use rustpython_vm::{AsObject, PyObjectRef, VirtualMachine};
use snekpy_stage::entity::Value;
use snekpy_stage::op::{Bit2, Cmp, Const, MapOp, Op};
use snekpy_stage::types::{KeyKind, MapType, Scalar, Type};

use crate::capture::heap::{self, Contents, Entry};
use crate::capture::raise::Failure;
use crate::capture::session::Session;
use crate::capture::state::State;
use crate::capture::step::refuse;
use crate::capture::stop::{Step, Stop};
use crate::capture::value::{self, Iter, Num, V};
use crate::capture::values::{Abstract, View, behind, classify, unknown_members};
use crate::contents;
use crate::map_key;
use crate::rep::Named;
use crate::scalar;

/// How many entries a dict or set may have to become one of the compiled code.
const MAX_ENTRIES: usize = 256;

/// A dict or set of the compiled code.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StagedMap {
    /// The map.
    pub(crate) value: Value,
    /// What its keys and values are.
    pub(crate) ty: MapType,
}

/// What iterating over a dict, a view or a set gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Face {
    /// Keys, or the items of a set.
    Keys,
    /// Values.
    Values,
    /// Pairs of key and value.
    Items,
}

/// The Rep of a map, and its type.
fn map_rep(object: &PyObjectRef) -> Option<MapType> {
    match value::rep(object)? {
        (_, Type::Map(ty)) => Some(ty),
        _ => None,
    }
}

/// The Rep of the map of the compiled code that these contents of a dict or set stand for.
pub(crate) fn in_contents(contents: &Contents) -> Option<&PyObjectRef> {
    let only = match contents {
        Contents::Dict(items) => items.first().filter(|_| items.len() == 1).map(|(key, _)| key),
        Contents::Set(items) => items.first().filter(|_| items.len() == 1),
        Contents::List(_) | Contents::Cell(_) | Contents::Exception(_) | Contents::Iter(_) => None,
    }?;
    map_rep(only).map(|_| only)
}

/// The contents of a dict or set that stands for a map of the compiled code.
pub(crate) fn contents_of(map: PyObjectRef, vm: &VirtualMachine) -> Contents {
    match map_rep(&map) {
        Some(MapType { value: None, .. }) => Contents::Set(vec![map]),
        Some(_) | None => Contents::Dict(vec![(map, vm.ctx.none())]),
    }
}

/// The type of a dict or set of numbers: `None` if it is none, `Some(None)` if it is empty.
pub(crate) fn numbers(contents: &Contents, vm: &VirtualMachine) -> Option<Option<MapType>> {
    if let Some(map) = in_contents(contents) {
        return Some(map_rep(map));
    }
    contents::map_type(contents, |value| value::number(value, vm).map(Num::ty), vm)
}

/// How many members a dict or set has.
fn members_in(contents: &Contents) -> usize {
    match contents {
        Contents::Dict(items) => items.len(),
        Contents::Set(items) => items.len(),
        Contents::List(_) | Contents::Cell(_) | Contents::Exception(_) | Contents::Iter(_) => 0,
    }
}

/// Whether these are the contents of a set, and the numbers among its keys.
pub(crate) fn keys(contents: &Contents, vm: &VirtualMachine) -> (bool, Vec<Const>) {
    match contents {
        Contents::Dict(items) => {
            (false, items.iter().filter_map(|(key, _)| Some(map_key::number(key, vm)?.1)).collect())
        }
        Contents::Set(items) => (true, items.iter().filter_map(|key| Some(map_key::number(key, vm)?.1)).collect()),
        Contents::List(_) | Contents::Cell(_) | Contents::Exception(_) | Contents::Iter(_) => (false, Vec::new()),
    }
}

/// The type of an object, which may be a number, for people.
fn kind_of(object: &PyObjectRef, num: Option<Num>) -> String {
    num.map_or_else(|| object.class_name(), |it| scalar::type_name(it.ty()).to_owned())
}

fn several_types(what: String) -> Stop {
    refuse("S289", what).help("give all keys one type, and all values one").into()
}

impl Session<'_> {
    /// Whether this is a dict, a view of one, or a set of the compiled code.
    pub(crate) fn is_map(&self, object: &PyObjectRef) -> bool {
        matches!(classify(object, self.vm), Abstract::Map(_) | Abstract::View(View { map: Some(_), .. }))
    }

    /// The map of the compiled code behind a dict or set, in an instruction that reads or changes it.
    fn own_map(&self, object: &PyObjectRef) -> Step<Option<StagedMap>> {
        let Abstract::Map(map) = classify(object, self.vm) else { return Ok(None) };
        let contents = heap::read(object, self.vm);
        if let Some(rep) = contents.as_ref().and_then(in_contents) {
            self.number(rep)?;
        }
        Ok(Some(map))
    }

    /// A dict or set of the running path becomes one of the compiled code, with what is in it.
    pub(crate) fn stage_map(&mut self, state: &mut State, object: &PyObjectRef, ty: MapType) -> Step<StagedMap> {
        self.guard_contents(object)?;
        let contents = heap::read(object, self.vm).expect("a dict or set has contents");
        self.read_keys_anew(object, members_in(&contents))?;
        let value = self.new_map(state, &contents, ty)?;
        self.touch(state, object)?;
        heap::write(object, &contents_of(self.rep(value), self.vm), self.vm);
        self.stage_member_iterators(state, object, &contents);
        Ok(StagedMap { value, ty })
    }

    /// The same for a path that does not run.
    pub(crate) fn stage_map_of(&mut self, state: &mut State, object: &PyObjectRef, ty: MapType) -> Step<()> {
        let known = self.is_fresh(object) || self.given.arguments.contains_key(&object.get_id());
        let is_input = self.base.number(object).is_some_and(|number| self.objects.inputs.contains(&number));
        if !known && !is_input && !self.guards.covers(object) {
            return Err(refuse("S292", "a dict of the world changes in a loop before it was read").into());
        }
        let number = self.base.keep(object, self.vm).expect("a dict or set has contents");
        let entry = state.heap.get(&number).unwrap_or_else(|| self.base.entry(number));
        let old = entry.contents.clone();
        self.read_keys_anew(object, members_in(&old))?;
        let value = self.new_map(state, &old, ty)?;
        let contents = Rc::new(contents_of(self.rep(value), self.vm));
        state.heap.insert(number, Entry { object: object.clone(), contents });
        self.stage_member_iterators(state, object, &old);
        Ok(())
    }

    /// Iterators over a dict or set that has become one of the compiled code go on where they were.
    fn stage_member_iterators(&self, state: &mut State, object: &PyObjectRef, old: &Contents) {
        let length = members_in(old);
        for frame in &mut state.frames {
            for entry in &mut frame.stack {
                if let V::Iter(iter) = entry {
                    self.stage_member_iterator(iter, object, length);
                }
            }
        }
    }

    fn stage_member_iterator(&self, iter: &mut Iter, object: &PyObjectRef, length: usize) {
        let vm = self.vm;
        match iter {
            // One that was made before the dict last changed stays as it was, and is refused when it goes on.
            Iter::Members { of, members, given, changes: 0 }
                if behind(of, vm).0.is(object) && members.len() == length =>
            {
                let int = |number: usize| -> PyObjectRef { vm.ctx.new_int(number).into() };
                let (position, length) = (int(*given), int(length));
                *iter = Iter::Entries { of: of.clone(), position, length: length.clone(), changes: length };
            }
            Iter::Enumerate { inner, .. } => self.stage_member_iterator(inner, object, length),
            Iter::Zip { inners, .. } => {
                inners.iter_mut().for_each(|inner| self.stage_member_iterator(inner, object, length));
            }
            _ => {}
        }
    }

    /// A new map of the compiled code with these contents.
    fn new_map(&mut self, state: &State, contents: &Contents, ty: MapType) -> Step<Value> {
        let vm = self.vm;
        let found = numbers(contents, vm);
        if found.is_none_or(|found| found.is_some_and(|found| found != ty)) {
            return Err(several_types("a dict or set with keys or values of several types gets a staged key".into()));
        }
        let pairs: Vec<(PyObjectRef, Option<PyObjectRef>)> = match contents {
            Contents::Dict(items) => items.iter().map(|(key, value)| (key.clone(), Some(value.clone()))).collect(),
            Contents::Set(items) => items.iter().map(|item| (item.clone(), None)).collect(),
            Contents::List(_) | Contents::Cell(_) | Contents::Exception(_) | Contents::Iter(_) => Vec::new(),
        };
        if pairs.len() > MAX_ENTRIES {
            return Err(refuse("S296", "a dict or set of many items gets a staged key").into());
        }
        let map = self.value(state, Op::MapNew(ty), &[]);
        let nowhere = self.int(state, -1);
        for (key, value) in pairs {
            let (_, key) = map_key::number(&key, vm).expect("it was looked at");
            let mut args = vec![map, nowhere, self.constant(state.block, key)];
            if let Some(value) = value {
                let num = self.number(&value)?.expect("it was looked at");
                args.push(self.lift(state, num));
            }
            self.emit(state, Op::Map(MapOp::Put), &args);
        }
        Ok(map)
    }

    /// The map of the compiled code behind a dict or set, which becomes one if it is none yet: a staged key is stored.
    pub(crate) fn map_for_key(
        &mut self,
        state: &mut State,
        object: &PyObjectRef,
        key: &PyObjectRef,
        value: Option<&PyObjectRef>,
    ) -> Step<StagedMap> {
        if let Some(map) = self.own_map(object)? {
            return Ok(map);
        }
        let Some((keys, key, _)) = self.key_type(key)? else {
            self.static_key(key)?;
            return Err(several_types("a key that is no number, in a dict with a staged key".to_owned()));
        };
        let value = match value {
            None => None,
            Some(value) => match self.number(value)?.and_then(|num| Scalar::of(num.ty())) {
                Some(value) => Some(value),
                None => {
                    let message = format!("a `{}` under a staged key of a dict", value.class_name());
                    return Err(refuse("S287", message).help("dicts with staged keys hold numbers").into());
                }
            },
        };
        self.stage_map(state, object, MapType { key, keys, value })
    }

    /// A key as the map holds it. One that only is looked for may be of a type with equal numbers.
    fn map_key(&mut self, state: &mut State, map: StagedMap, key: &PyObjectRef, stored: bool) -> Step<Value> {
        if map.ty.keys != KeyKind::Number {
            let found = self.number_of_key(state, key, map.ty.keys)?;
            return found.ok_or_else(|| {
                let found = kind_of(key, None);
                several_types(format!("a key of type `{found}` in a dict or set of other keys"))
            });
        }
        let wanted = map.ty.key.ty();
        let value = match self.number(key)? {
            Some(num) if num.ty() == wanted => self.lift(state, num),
            Some(num) if !stored && wanted == Type::I64 && num.ty() == Type::Bool => self.as_int(state, num),
            num => {
                let found = kind_of(key, num);
                let wanted = scalar::type_name(wanted);
                return Err(several_types(format!(
                    "a key of type `{found}` in a dict or set of keys of type `{wanted}`"
                )));
            }
        };
        if wanted == Type::F64 {
            // A NaN is found by what object it is.
            let nan = || refuse("S289", "a NaN as key of a dict or item of a set").into();
            match self.func.as_const(value) {
                Some(Const::F64(it)) if it.is_nan() => {
                    self.restart(state)?;
                    return Err(nan());
                }
                Some(_) => {}
                None => {
                    let is_nan = self.cmp(state, Cmp::Ne, value, value);
                    if self.rules.strict || self.calls.building > 0 || self.may_restart(state) {
                        self.restart_if(state, is_nan)?;
                    } else if self.ask(state, is_nan)? {
                        return Err(nan());
                    }
                }
            }
        }
        Ok(value)
    }

    /// A value as the map holds it.
    fn map_value(&mut self, state: &State, map: StagedMap, item: &PyObjectRef) -> Step<Value> {
        let wanted = map.ty.value.expect("only dicts have values").ty();
        match self.number(item)? {
            Some(num) if num.ty() == wanted => Ok(self.lift(state, num)),
            num => {
                let found = kind_of(item, num);
                let wanted = scalar::type_name(wanted);
                Err(several_types(format!("a value of type `{found}` in a dict of values of type `{wanted}`")))
            }
        }
    }

    fn find(&mut self, state: &State, map: StagedMap, key: Value) -> Value {
        self.value(state, Op::Map(MapOp::Find), &[map.value, key])
    }

    /// The position of a key that is looked for, or -1.
    fn find_key(&mut self, state: &mut State, map: StagedMap, key: &PyObjectRef) -> Step<Value> {
        let key = self.map_key(state, map, key, false)?;
        Ok(self.find(state, map, key))
    }

    fn is_there(&mut self, state: &State, position: Value) -> Value {
        let zero = self.int(state, 0);
        self.cmp(state, Cmp::Ge, position, zero)
    }

    /// The value at a position, which may be -1 if a value for that is given.
    fn value_at(&mut self, state: &State, map: StagedMap, position: Value, otherwise: Option<Value>) -> PyObjectRef {
        let otherwise = otherwise.unwrap_or_else(|| match map.ty.value.expect("only dicts have values") {
            Scalar::Bool => self.constant(state.block, Const::Bool(false)),
            Scalar::I64 => self.int(state, 0),
            Scalar::F64 => self.float(state, 0.0),
        });
        let value = self.value(state, Op::Map(MapOp::Get), &[map.value, position, otherwise]);
        self.rep(value)
    }

    /// The key of an entry.
    fn key_at(&mut self, state: &State, map: StagedMap, position: Value) -> PyObjectRef {
        let key = self.value(state, Op::Map(MapOp::Key), &[map.value, position]);
        self.key_of_number(state, key, map.ty)
    }

    /// `KeyError` of this object, unless the position is that of an entry.
    fn check_there(&mut self, state: &mut State, position: Value, key: PyObjectRef) -> Step<()> {
        let there = self.is_there(state, position);
        let error = self.vm.new_key_error(key);
        self.check(state, there, Failure::Raise(error))
    }

    /// The position of a key; where it is not, a `KeyError`.
    fn position_of(&mut self, state: &mut State, map: StagedMap, key: &PyObjectRef) -> Step<Value> {
        let position = self.find_key(state, map, key)?;
        self.check_there(state, position, key.clone())?;
        Ok(position)
    }

    /// The position of the last entry; where there is none, a `KeyError`.
    fn last_entry(&mut self, state: &mut State, map: StagedMap, message: &'static str) -> Step<Value> {
        let at = self.value(state, Op::Map(MapOp::Last), &[map.value]);
        self.check_there(state, at, self.vm.ctx.new_str(message).into())?;
        Ok(at)
    }

    /// How many entries there are.
    pub(crate) fn length_of_map(&mut self, state: &State, map: StagedMap) -> Value {
        self.value(state, Op::Map(MapOp::Len), &[map.value])
    }

    /// `dict[key]`.
    pub(crate) fn map_item(&mut self, state: &mut State, map: StagedMap, key: &PyObjectRef) -> Step<PyObjectRef> {
        let position = self.position_of(state, map, key)?;
        Ok(self.value_at(state, map, position, None))
    }

    /// `key in dict`.
    pub(crate) fn map_contains(&mut self, state: &mut State, map: StagedMap, key: &PyObjectRef) -> Step<PyObjectRef> {
        let position = self.find_key(state, map, key)?;
        let there = self.is_there(state, position);
        Ok(self.rep(there))
    }

    /// `dict[key] = value`, or `set.add(key)`.
    pub(crate) fn store_in_map(
        &mut self,
        state: &mut State,
        object: &PyObjectRef,
        key: &PyObjectRef,
        value: Option<&PyObjectRef>,
    ) -> Step<()> {
        let map = self.map_for_key(state, object, key, value)?;
        self.change(map.value, "a dict or set")?;
        let mut rest = Vec::new();
        if let Some(value) = value {
            rest.push(self.map_value(state, map, value)?);
        }
        let key = self.map_key(state, map, key, true)?;
        let position = self.find(state, map, key);
        let args: Vec<Value> = [map.value, position, key].into_iter().chain(rest).collect();
        self.emit(state, Op::Map(MapOp::Put), &args);
        Ok(())
    }

    /// An item of a display or a comprehension of a dict or set comes.
    pub(crate) fn add_member(
        &mut self,
        state: &mut State,
        object: &PyObjectRef,
        key: &PyObjectRef,
        value: Option<&PyObjectRef>,
    ) -> Step<()> {
        if self.is_map(object) || self.is_staged_key(object, key)? {
            return self.store_in_map(state, object, key, value);
        }
        self.static_key(key)?;
        self.touch(state, object)?;
        if let Some(value) = value {
            object.set_item(&**key, value.clone(), self.vm)?;
        } else if let Some(set) = object.downcast_ref::<PySet>() {
            set.add(key.clone(), self.vm)?;
        }
        Ok(())
    }

    /// `del dict[key]`, or `set.remove(key)`.
    pub(crate) fn delete_from_map(&mut self, state: &mut State, map: StagedMap, key: &PyObjectRef) -> Step<()> {
        self.change(map.value, "a dict or set")?;
        let position = self.position_of(state, map, key)?;
        self.emit(state, Op::Map(MapOp::Remove), &[map.value, position]);
        Ok(())
    }

    /// The map behind a known dict that is asked for a staged key. There is none in an empty one.
    pub(crate) fn map_asked(
        &mut self,
        state: &mut State,
        dict: &PyObjectRef,
        key: &PyObjectRef,
    ) -> Step<Option<StagedMap>> {
        match dict.length(self.vm)? {
            0 => Err(Stop::Raise(self.vm.new_key_error(key.clone()))),
            _ => self.map_of_known(state, dict),
        }
    }

    /// The map behind a known dict or set of numbers that is not empty, when one of its keys is removed by a staged
    /// number.
    pub(crate) fn map_of_known(&mut self, state: &mut State, object: &PyObjectRef) -> Step<Option<StagedMap>> {
        match heap::read(object, self.vm).and_then(|contents| numbers(&contents, self.vm)).flatten() {
            Some(ty) => self.stage_map(state, object, ty).map(Some),
            None => Ok(None),
        }
    }

    /// A method of a dict or set. `None` if this is none of those that compiled code has.
    pub(crate) fn call_map_method(
        &mut self,
        state: &mut State,
        object: &PyObjectRef,
        name: &str,
        args: &[PyObjectRef],
    ) -> Step<Option<PyObjectRef>> {
        let vm = self.vm;
        let is_set = object.downcast_ref_if_exact::<PySet>(vm).is_some();
        let is_dict = object.downcast_ref_if_exact::<PyDict>(vm).is_some();
        let Some(map) = self.own_map(object)? else {
            return self.call_known_method(state, object, is_set, name, args);
        };
        if ["pop", "setdefault", "clear", "popitem", "add", "remove", "discard"].contains(&name) {
            self.change(map.value, "a dict or set")?;
        }
        let none = || Ok(Some(vm.ctx.none()));
        match (name, args) {
            ("get", [key]) if is_dict => self.get_or(state, map, key, &vm.ctx.none()).map(Some),
            ("get", [key, default]) if is_dict => self.get_or(state, map, key, default).map(Some),
            ("pop", [key]) if is_dict => {
                let position = self.position_of(state, map, key)?;
                let item = self.value_at(state, map, position, None);
                self.emit(state, Op::Map(MapOp::Remove), &[map.value, position]);
                Ok(Some(item))
            }
            ("pop", [key, default]) if is_dict => {
                let position = self.find_key(state, map, key)?;
                let there = self.is_there(state, position);
                if !self.ask(state, there)? {
                    return Ok(Some(default.clone()));
                }
                let item = self.value_at(state, map, position, None);
                self.emit(state, Op::Map(MapOp::Remove), &[map.value, position]);
                Ok(Some(item))
            }
            ("setdefault", [key, default]) if is_dict => {
                let default = self.map_value(state, map, default)?;
                let key = self.map_key(state, map, key, true)?;
                let position = self.find(state, map, key);
                let item = self.value(state, Op::Map(MapOp::Get), &[map.value, position, default]);
                self.emit(state, Op::Map(MapOp::Put), &[map.value, position, key, item]);
                Ok(Some(self.rep(item)))
            }
            ("keys" | "values" | "items", []) if is_dict => {
                Ok(Some(vm.call_method(object, super::container::static_name(name), ())?))
            }
            ("clear", []) => {
                self.emit(state, Op::Map(MapOp::Clear), &[map.value]);
                none()
            }
            ("pop", []) if is_set => {
                let at = self.last_entry(state, map, "pop from an empty set")?;
                let key = self.key_at(state, map, at);
                self.emit(state, Op::Map(MapOp::Remove), &[map.value, at]);
                Ok(Some(key))
            }
            ("popitem", []) if is_dict => {
                let at = self.last_entry(state, map, "popitem(): dictionary is empty")?;
                let pair = vec![self.key_at(state, map, at), self.value_at(state, map, at, None)];
                self.emit(state, Op::Map(MapOp::Remove), &[map.value, at]);
                Ok(Some(vm.ctx.new_tuple(pair).into()))
            }
            ("add", [item]) if is_set => {
                self.store_in_map(state, object, item, None)?;
                none()
            }
            ("remove", [item]) if is_set => {
                self.delete_from_map(state, map, item)?;
                none()
            }
            ("discard", [item]) if is_set => {
                let position = self.find_key(state, map, item)?;
                let there = self.is_there(state, position);
                if self.ask(state, there)? {
                    self.emit(state, Op::Map(MapOp::Remove), &[map.value, position]);
                }
                none()
            }
            _ => Err(unknown_members(object, &format!("`{name}`"))),
        }
    }

    /// A method with a staged number as key of a dict or set whose keys are known.
    fn call_known_method(
        &mut self,
        state: &mut State,
        object: &PyObjectRef,
        is_set: bool,
        name: &str,
        args: &[PyObjectRef],
    ) -> Step<Option<PyObjectRef>> {
        let vm = self.vm;
        let [key, rest @ ..] = args else { return Ok(None) };
        if !self.is_staged_key(object, key)? {
            return Ok(None);
        }
        let is_made = self.number(key)?.is_none();
        if is_made && matches!(name, "get" | "pop") && self.map_of_known(state, object)?.is_some() {
            return self.call_map_method(state, object, name, args);
        }
        match (name, rest) {
            ("add", []) if is_set => {
                self.store_in_map(state, object, key, None)?;
                Ok(Some(vm.ctx.none()))
            }
            ("setdefault", [default]) if !is_set => {
                self.map_for_key(state, object, key, Some(default))?;
                self.call_map_method(state, object, name, args)
            }
            ("get", []) if !is_set => self.pick_key(state, object, key, Some(&vm.ctx.none())).map(Some),
            ("get", [default]) if !is_set => self.pick_key(state, object, key, Some(default)).map(Some),
            ("pop", [] | [_]) if !is_set => self.change_known(state, object, name, args, rest.first()),
            ("remove", []) if is_set => self.change_known(state, object, name, args, None),
            ("discard", []) if is_set => self.change_known(state, object, name, args, Some(&vm.ctx.none())),
            _ => Ok(None),
        }
    }

    /// A method that takes an entry out of a dict or set whose keys are known. `otherwise` is what it gives where there
    /// is none.
    fn change_known(
        &mut self,
        state: &mut State,
        object: &PyObjectRef,
        name: &str,
        args: &[PyObjectRef],
        otherwise: Option<&PyObjectRef>,
    ) -> Step<Option<PyObjectRef>> {
        if let Some(otherwise) = otherwise
            && object.length(self.vm)? == 0
        {
            return Ok(Some(otherwise.clone()));
        }
        match self.map_asked(state, object, &args[0])? {
            Some(_) => self.call_map_method(state, object, name, args),
            None => Ok(None),
        }
    }

    /// `dict.get(key, default)`.
    fn get_or(
        &mut self,
        state: &mut State,
        map: StagedMap,
        key: &PyObjectRef,
        default: &PyObjectRef,
    ) -> Step<PyObjectRef> {
        let position = self.find_key(state, map, key)?;
        match self.number(default)? {
            Some(num) if Some(num.ty()) == map.ty.value.map(Scalar::ty) => {
                let default = self.lift(state, num);
                Ok(self.value_at(state, map, position, Some(default)))
            }
            Some(_) | None => {
                let there = self.is_there(state, position);
                Ok(if self.ask(state, there)? { self.value_at(state, map, position, None) } else { default.clone() })
            }
        }
    }

    /// An iterator over a dict, a view or a set of the compiled code.
    pub(crate) fn member_iterator(&mut self, state: &State, of: &PyObjectRef, map: StagedMap) -> Iter {
        let length = self.length_of_map(state, map);
        let changes = self.value(state, Op::Map(MapOp::Changes), &[map.value]);
        let position = self.vm.ctx.new_int(0).into();
        Iter::Entries { of: of.clone(), position, length: self.rep(length), changes: self.rep(changes) }
    }

    /// The next item of an iterator over a dict, a view or a set of the compiled code, and the position behind it.
    pub(crate) fn next_entry(
        &mut self,
        state: &mut State,
        of: &PyObjectRef,
        [position, length, changes]: [&PyObjectRef; 3],
    ) -> Step<Option<(PyObjectRef, PyObjectRef)>> {
        let (object, face) = behind(of, self.vm);
        let Some(map) = self.own_map(&object)? else {
            return Err(refuse("S295", "a dict or set changes its kind while it is iterated over").into());
        };
        let int = |session: &mut Self, object: &PyObjectRef| -> Step<Value> {
            let num = session.number(object)?.expect("an iterator counts");
            Ok(session.as_int(state, num))
        };
        let (position, length, changes) = (int(self, position)?, int(self, length)?, int(self, changes)?);
        let (length_now, changes_now) =
            (self.length_of_map(state, map), self.value(state, Op::Map(MapOp::Changes), &[map.value]));
        let as_long = self.cmp(state, Cmp::Eq, length, length_now);
        let unchanged = self.cmp(state, Cmp::Eq, changes, changes_now);
        let steady = self.value(state, Op::Bit2(Bit2::And), &[as_long, unchanged]);
        if !self.ask(state, steady)? {
            // After many changes a dict may look to RustPython as it did before: plain Python finds out.
            let one = self.int(state, 1);
            let difference = self.value(state, Op::Wrap2(snekpy_stage::op::Wrap2::Sub), &[changes_now, changes]);
            let many = self.cmp(state, Cmp::Gt, difference, one);
            let unsure = self.value(state, Op::Bit2(Bit2::And), &[as_long, many]);
            match self.may_restart(state) {
                true => self.restart_if(state, unsure)?,
                false => self.leave_if(state, unsure),
            }
            let what = if map.ty.value.is_some() { "dictionary" } else { "Set" };
            return Err(Stop::Raise(self.vm.new_runtime_error(format!("{what} changed size during iteration"))));
        }
        let at = self.value(state, Op::Map(MapOp::Next), &[map.value, position]);
        let more = self.is_there(state, at);
        if !self.ask(state, more)? {
            return Ok(None);
        }
        let item = match face {
            Face::Keys => self.key_at(state, map, at),
            Face::Values => self.value_at(state, map, at, None),
            Face::Items => {
                let pair = vec![self.key_at(state, map, at), self.value_at(state, map, at, None)];
                self.vm.ctx.new_tuple(pair).into()
            }
        };
        let one = self.int(state, 1);
        let after = self.value(state, Op::Wrap2(snekpy_stage::op::Wrap2::Add), &[at, one]);
        Ok(Some((item, self.rep(after))))
    }
}
