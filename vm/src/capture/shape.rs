//! Which paths can be one path.
//!
//! The *shape* of a path is everything about it that one block of typed IR cannot abstract from: which
//! objects there are and how they hang together, of which types its numbers are, but not the numbers. Paths
//! at one place with equal shapes are merged: numbers that differ become parameters of a block. Paths with
//! different shapes stay apart, and what follows is specialised for each.
//!
//! The walk below visits a path's values in an order that depends on the shape alone, so that the numbers
//! (the *leaves*) of two paths of one shape correspond by position.

mod dead;
mod exception;
mod iter;
mod key;
mod slice;
mod swap;

use std::collections::BTreeSet;
use std::mem::Discriminant;
use std::rc::Rc;

use rustc_hash::FxHashMap as HashMap;
use rustpython_vm::builtins::{PyBaseException, PyFunction, PyStr, PyTuple};
use rustpython_vm::{AsObject, PyObject, PyObjectRef, VirtualMachine};
use snekpy_stage::entity::{Entity, Value};
use snekpy_stage::op::Const;
use snekpy_stage::tensor::Dtype;
use snekpy_stage::types::{KeyKind, MapType, Type};

use crate::callable::Derivative;
use crate::capture::element;
use crate::capture::heap::{self, Base, Contents, Entry};
use crate::capture::list::{self, ItemType};
use crate::capture::map;
use crate::capture::session::Session;
use crate::capture::state::{Frame, State, Taker, Then};
use crate::capture::trail::{Trail, Trails};
use crate::capture::value::{self, Num, V};
use crate::capture::values::{self, Abstract, Array, View, classify};
use crate::flatten::Root;
use crate::host;
use crate::host::named_tuple::named_tuple;
use crate::kind::{self, Kind, Known};
use crate::limits::budget;
use crate::tensor;

pub(crate) use swap::replace_objects;

/// The shape of a path.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Shape(Vec<Token>);

/// One step of the walk.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Token {
    Unbound,
    /// A variable that is dead, in a call with pools: the number of a row follows.
    Dead,
    Null,
    Number(Type),
    /// This very object.
    Same(usize),
    /// The cell that stands for an item of a dict of the world: the dict and the key. Each capture makes its own.
    Variable(usize, String),
    /// The cell with the arrays of the table of records.
    Table,
    /// What stands for an argument, or for a part of one.
    Argument(Root),
    /// A string of this text.
    Text(String),
    Tuple(usize),
    /// A slice, and whether there is a start and a step.
    Slice(bool, bool),
    List(usize),
    Dict(usize),
    Set(usize),
    Cell(bool),
    Iterator,
    /// A function made by the program: its code. Its cells follow.
    Function(usize),
    /// A derivative of one: which. The function follows.
    Derivative(String),
    /// An object made by the program: its class. Its attributes follow.
    Instance(usize),
    /// An exception that the program made: its class, and whether it hides its context. Its relatives, arguments and
    /// attributes follow.
    Exception(usize, bool),
    Method,
    /// A view of a dict, which follows: the method that gives it.
    View(&'static str),
    /// A value that is made of others: its kind, and what is known of it. Its parts follow.
    Kind(Discriminant<Kind>, Known),
    /// A mutable object that was visited before, by its position among them.
    Again(usize),
    /// An element of a tensor.
    Element(Dtype),
    /// A tuple, an element or a value of a kind that was visited before.
    AgainValue(usize),
    IterRange(Option<i64>, bool),
    IterSeq(usize),
    IterBack(usize),
    IterArray,
    IterItems(bool),
    IterMembers(usize, usize),
    IterEntries,
    IterOver,
    IterEnumerate,
    IterZip(usize, bool),
    IterShared,
    IterEmpty(Option<usize>),
    Generator(usize, u32, bool),
    Frame(usize),
    Root(u32),
    Opaque,
    /// That an exception was raised, and through which frames it went behind the way that follows: code and unit of each.
    Raised(Vec<(usize, u32)>),
    /// A dict or set of the compiled code.
    StagedMap,
    /// A list of numbers of one type or of tuples of them, or an empty one, whatever its length: see [`Form`].
    Numbers(Option<ItemType>),
    /// A dict of numbers, or a set if this says so, whatever its keys.
    NumberMap(bool, Option<MapType>),
}

/// A number of a path.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Leaf {
    /// Known now.
    Static(Const),
    /// Known later.
    Staged(Value),
}

/// Shape and numbers of a path.
#[derive(Clone, Debug)]
pub(crate) struct Outline {
    pub(crate) shape: Shape,
    pub(crate) leaves: Vec<(Leaf, Type)>,
    /// Which leaves are values of local variables, of no generator.
    pub(crate) locals: Vec<(Local, usize)>,
}

/// A local variable: the frame, and which of that.
pub(crate) type Local = (usize, usize);

/// Takes a path apart. `roots` are the objects of the world to look at besides those that the path reaches.
pub(crate) fn outline(session: &Session<'_>, state: &State, roots: &BTreeSet<u32>) -> Outline {
    let walk = walk(session, state, roots, None);
    budget::spend(1 + walk.tokens.len() as u64 / 16);
    Outline { shape: Shape(walk.tokens), leaves: walk.leaves, locals: walk.locals }
}

fn walk<'a>(
    session: &'a Session<'_>,
    state: &'a State,
    roots: &BTreeSet<u32>,
    found: Option<Vec<NumberList>>,
) -> Walk<'a> {
    let mut walk = Walk::new(session, state, found);
    let mut sink = |_: &mut Walk<'_>, obj: &PyObjectRef, _: Num| obj.clone();
    walk.state(&mut state.clone(), roots, &mut sink);
    walk
}

/// What a container of the compiled code holds.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Grown {
    /// A list.
    List(ItemType),
    /// A dict or set.
    Map(MapType),
}

/// A list of numbers of one type or of tuples of them, or a dict or set of numbers.
#[derive(Clone, Debug)]
pub(crate) struct NumberList {
    pub(crate) object: PyObjectRef,
    /// What it holds; `None` if it is empty.
    pub(crate) ty: Option<Grown>,
    /// Whether it is one of the compiled code.
    pub(crate) staged: bool,
    pub(crate) length: usize,
    /// The keys, if it is a dict or set.
    keys: Option<Vec<Const>>,
}

/// The shape of a path without the lengths of its lists of numbers.
#[derive(Clone, Debug)]
pub(crate) struct Form(Vec<Token>);

/// The form of a path, with its lists of numbers in the order of the walk.
pub(crate) fn form(session: &Session<'_>, state: &State, roots: &BTreeSet<u32>) -> (Form, Vec<NumberList>) {
    let walk = walk(session, state, roots, Some(Vec::new()));
    (Form(walk.tokens), walk.found.unwrap_or_default())
}

impl Form {
    /// Whether two paths differ in nothing but numbers and the lengths of lists of them.
    pub(crate) fn fits(&self, other: &Self) -> bool {
        let same = |(a, b): (&Token, &Token)| match (a, b) {
            (Token::Numbers(None), Token::Numbers(_)) | (Token::Numbers(_), Token::Numbers(None)) => true,
            (Token::NumberMap(a, x), Token::NumberMap(b, y)) => a == b && (x.is_none() || y.is_none() || x == y),
            _ => a == b,
        };
        self.0.len() == other.0.len() && self.0.iter().zip(&other.0).all(same)
    }
}

impl Form {
    /// This form, with the types that another one that it fits knows of its empty lists.
    pub(crate) fn with_types_of(&self, other: &Self) -> Self {
        let known = |(own, other): (&Token, &Token)| {
            if matches!(own, Token::Numbers(None) | Token::NumberMap(_, None)) { other } else { own }.clone()
        };
        Self(self.0.iter().zip(&other.0).map(known).collect())
    }
}

impl NumberList {
    /// Whether two lists at one place cannot both be lists of known length.
    pub(crate) fn differs(&self, other: &Self) -> bool {
        self.staged != other.staged || !self.staged && (self.length != other.length || self.keys != other.keys)
    }

    /// Whether both are dicts or sets whose keys are known.
    pub(crate) fn are_known_maps(&self, other: &Self) -> bool {
        self.keys.is_some() && !self.staged && !other.staged
    }
}

/// The type of the items of such a list: `None` if it is none, `Some(None)` if it is empty.
fn numbers(
    items: &[PyObjectRef],
    lists: &impl Fn(&PyObjectRef) -> Option<Vec<PyObjectRef>>,
    session: &Session<'_>,
) -> Option<Option<ItemType>> {
    match list::in_items(items) {
        Some(staged) => Some(Some(staged.items)),
        None => session.type_of_items(items, lists),
    }
}

/// A path like this one, with its leaves replaced: `leaf` is given the position of each and its object.
pub(crate) fn replace_leaves(
    session: &Session<'_>,
    state: &State,
    roots: &BTreeSet<u32>,
    mut leaf: impl FnMut(usize, &PyObjectRef) -> PyObjectRef,
) -> State {
    let mut result = state.clone();
    let mut walk = Walk::new(session, state, None);
    let mut position = 0;
    let mut sink = |_: &mut Walk<'_>, obj: &PyObjectRef, _: Num| {
        position += 1;
        leaf(position - 1, obj)
    };
    walk.state(&mut result, roots, &mut sink);
    let Walk { copies, trails, .. } = walk;
    copies.into_iter().for_each(|copy| session.note_fresh(copy));
    result.raised.extend(trails);
    result
}

/// The objects that a path changed and that exist outside the function that is being built.
pub(crate) fn changed_roots(session: &Session<'_>, state: &State) -> BTreeSet<u32> {
    let is_outside = |number: u32, entry: &Entry| number < session.objects.outside || !session.is_fresh(&entry.object);
    state.heap.iter().filter(|(number, entry)| is_outside(**number, entry)).map(|(number, _)| *number).collect()
}

struct Context<'a> {
    vm: &'a VirtualMachine,
    base: &'a Base,
    heap: &'a heap::Heap,
    raised: &'a Trails,
    session: &'a Session<'a>,
}

impl<'a> Context<'a> {
    fn of(session: &'a Session<'_>, state: &'a State) -> Self {
        Self { vm: session.vm, base: &session.base, heap: &state.heap, raised: &state.raised, session }
    }

    /// What an object of the world is called in every capture of the function.
    fn name(&self, object: &PyObjectRef) -> Token {
        if self.session.is_table(object) {
            return Token::Table;
        }
        if let Some(root) = self.session.given.arguments.get(&object.get_id()) {
            return Token::Argument(root.clone());
        }
        match self.session.objects.items.get(&object.get_id()) {
            Some((dict, key)) => {
                let key = key.downcast_ref::<PyStr>().map(|key| key.to_string_lossy().into_owned());
                Token::Variable(dict.as_object().get_id(), key.unwrap_or_default())
            }
            None => Token::Same(object.get_id()),
        }
    }

    /// The items of a list that may be an item of one of the compiled code.
    fn items_of_row(&self, list: &PyObjectRef) -> Option<Vec<PyObjectRef>> {
        let is_known = self.session.is_fresh(list) || self.session.is_list_param(list);
        match self.contents(list).filter(|_| is_known).as_deref() {
            Some(Contents::List(items)) => Some(items.clone()),
            _ => None,
        }
    }

    fn contents(&self, object: &PyObject) -> Option<Rc<Contents>> {
        match self.base.number(object) {
            Some(number) => Some(self.heap.get(&number).unwrap_or_else(|| self.base.entry(number)).contents.clone()),
            None => heap::read(object, self.vm).map(Rc::new),
        }
    }
}

struct Walk<'a> {
    /// The lists of numbers that were met, if their lengths are no part of the shape.
    found: Option<Vec<NumberList>>,
    cx: Context<'a>,
    tokens: Vec<Token>,
    leaves: Vec<(Leaf, Type)>,
    locals: Vec<(Local, usize)>,
    /// The mutable objects that were visited, by identity: which one it was.
    seen: HashMap<usize, usize>,
    /// The tuples, elements and values of kinds that were visited, by identity: which one it was, and what replaces it.
    values: HashMap<usize, (usize, PyObjectRef)>,
    /// Exceptions and named tuples that take the place of others.
    copies: Vec<PyObjectRef>,
    /// The ways of exceptions that are not what they were, by identity.
    trails: Vec<(usize, Trail)>,
    /// Objects that others take the place of, by identity, and whether one of them is where none can.
    swaps: Option<&'a HashMap<usize, PyObjectRef>>,
    is_stuck: bool,
}

type Sink<'s, 'a> = &'s mut dyn FnMut(&mut Walk<'a>, &PyObjectRef, Num) -> PyObjectRef;

impl<'a> Walk<'a> {
    fn new(session: &'a Session<'_>, state: &'a State, found: Option<Vec<NumberList>>) -> Self {
        let cx = Context::of(session, state);
        Self {
            found,
            cx,
            tokens: Vec::new(),
            leaves: Vec::new(),
            locals: Vec::new(),
            seen: HashMap::default(),
            values: HashMap::default(),
            copies: Vec::new(),
            trails: Vec::new(),
            swaps: None,
            is_stuck: false,
        }
    }

    fn state(&mut self, state: &mut State, roots: &BTreeSet<u32>, sink: Sink<'_, 'a>) {
        let mut changes = Vec::new();
        for (depth, frame) in state.frames.iter_mut().enumerate() {
            self.frame(Some(depth), frame, &mut changes, sink);
        }
        for slot in [&mut state.handled, &mut state.result] {
            match slot {
                Some(object) => *object = self.object(object, &mut changes, sink),
                None => self.tokens.push(Token::Unbound),
            }
        }
        for &number in roots {
            let object = self.cx.base.entry(number).object.clone();
            let before = self.tokens.len();
            self.tokens.push(Token::Root(number));
            self.mutable(&object, &mut changes, sink);
            if self.cx.session.is_pool(&object) {
                // All paths have the same pools. What is learnt of functions holds when more is learnt of those.
                self.tokens.truncate(before);
            }
        }
        for (object, contents) in changes {
            // Only objects whose leaves were replaced are here, and those have a number: see `mutable`.
            if let Some(number) = self.cx.base.number(&object) {
                state.heap.insert(number, Entry { object, contents: Rc::new(contents) });
            }
        }
    }

    fn frame(&mut self, depth: Option<usize>, frame: &mut Frame, changes: &mut Changes, sink: Sink<'_, 'a>) {
        self.tokens.push(Token::Frame(frame.stack.len()));
        let holds_rows = self.cx.session.has_pools();
        for (index, local) in frame.locals.iter_mut().enumerate() {
            let is_dead = (local.is_some() || holds_rows) && !frame.code.live_in(frame.pc, index);
            let entry = if is_dead { local.take() } else { None };
            if is_dead && holds_rows {
                let code = frame.code.object.get_id();
                self.dead_variable(entry, (code, index), &mut frame.dead, &mut *sink);
                continue;
            }
            match local {
                Some(entry) => {
                    let leaf = self.leaves.len();
                    self.entry(entry, changes, &mut *sink);
                    if let (Some(depth), Some(Token::Number(_))) = (depth, self.tokens.last())
                        && self.leaves.len() == leaf + 1
                    {
                        self.locals.push(((depth, index), leaf));
                    }
                }
                None => self.tokens.push(Token::Unbound),
            }
        }
        if holds_rows {
            frame.dead.saved_rows_mut().for_each(|row| self.dead_row(row, &mut *sink));
        }
        for (position, entry) in frame.stack.iter_mut().enumerate() {
            match frame.handlers.lasti.contains(&position) {
                true => self.raising_instruction(entry),
                false => self.entry(entry, changes, &mut *sink),
            }
        }
        for cell in &mut frame.closure {
            *cell = self.object(cell, changes, &mut *sink);
        }
        match &mut frame.then {
            Then::Push | Then::Reset | Then::Drop | Then::Item => {}
            Then::Push1(object) | Then::Next(object) => *object = self.object(object, changes, &mut *sink),
            Then::Drain(drain) => {
                self.tokens.push(Token::IterZip(drain.items.len(), false));
                drain.generator = self.object(&drain.generator, changes, &mut *sink);
                drain.items = self.objects(&drain.items, changes, &mut *sink);
                if let Taker::Call(callable, rest) = &mut drain.taker {
                    *rest = self.objects(rest, changes, &mut *sink);
                    *callable = self.object(callable, changes, &mut *sink);
                }
            }
        }
        if let Some(handled) = &mut frame.handled_before {
            *handled = self.object(handled, changes, sink);
        }
    }

    fn entry(&mut self, entry: &mut V, changes: &mut Changes, sink: Sink<'_, 'a>) {
        match entry {
            V::Null => self.tokens.push(Token::Null),
            V::Obj(object) => *object = self.object(object, changes, sink),
            V::Iter(iter) => self.iter(iter, changes, sink),
        }
    }

    fn object(&mut self, object: &PyObjectRef, changes: &mut Changes, sink: Sink<'_, 'a>) -> PyObjectRef {
        let vm = self.cx.vm;
        if let Some(now) = self.swaps.and_then(|it| it.get(&object.get_id())) {
            // What is in it may hold others.
            if let Some(dict) = object.dict() {
                self.mutable(&dict.into(), changes, sink);
            }
            return now.clone();
        }
        match classify(object, vm) {
            // Which object a NaN is that is known can be asked.
            Abstract::Number(Num::Static(Const::F64(it))) if it.is_nan() => {
                self.tokens.push(Token::Same(object.get_id()));
                return object.clone();
            }
            Abstract::Number(num) => return self.leaf(object, num, sink),
            Abstract::Array(Array { value, ty }) => {
                return self.leaf(object, Num::Staged(value, Type::Array(ty)), sink);
            }
            Abstract::Inner(value, ty) => return self.leaf(object, Num::Staged(value, ty), sink),
            Abstract::Handle(it) => return self.leaf(object, Num::Staged(it.value, Type::Object(it.class)), sink),
            Abstract::Tensor(tensor) if let Some(staged) = tensor.staged() => {
                let value = Value::new(staged.value as usize);
                return match staged.element {
                    Some(dtype) => self.element(object, value, dtype, sink),
                    None => self.leaf(object, Num::Staged(value, Type::Tensor(tensor::type_of(tensor))), sink),
                };
            }
            Abstract::Made(_) | Abstract::Other
                if let Some(kind) = kind::like(object, vm).filter(|it| !it.staged().is_argument()) =>
            {
                return self.made_of(object, &kind, changes, sink);
            }
            Abstract::Text(text) => {
                self.tokens.push(match self.cx.session.given.arguments.get(&object.get_id()) {
                    Some(root) => Token::Argument(root.clone()),
                    None => Token::Text(text.to_string_lossy().into_owned()),
                });
                return object.clone();
            }
            Abstract::Tuple(tuple) => {
                if let Some(now) = self.visited(object) {
                    return now;
                }
                self.tokens.push(Token::Tuple(tuple.len()));
                let items = self.objects(tuple.as_slice(), changes, sink);
                let now = match unchanged(&items, tuple.as_slice()) {
                    true => object.clone(),
                    false => vm.ctx.new_tuple(items).into(),
                };
                return self.replaced(object, now);
            }
            Abstract::Slice(slice) if self.cx.session.is_fresh(object) || values::has_staged_parts(slice) => {
                return self.slice(object, slice, changes, sink);
            }
            Abstract::List(_)
            | Abstract::Items(_)
            | Abstract::Dict(_)
            | Abstract::Set(_)
            | Abstract::Map(_)
            | Abstract::Iterator => {
                self.mutable(object, changes, sink);
                return object.clone();
            }
            Abstract::View(View { dict, face, .. }) => {
                self.tokens.push(Token::View(face.method()));
                self.mutable(&dict, changes, sink);
                return object.clone();
            }
            Abstract::Made(_)
            | Abstract::Tensor(_)
            | Abstract::FrozenSet(_)
            | Abstract::Bytes(_)
            | Abstract::Range(_)
            | Abstract::Slice(_)
            | Abstract::Other => {}
        }
        if host::cell::is_cell(object, vm) {
            self.mutable(object, changes, sink);
            return object.clone();
        }
        if let Some((func, this)) = host::function::unpack_bound_method(object, vm) {
            self.tokens.push(Token::Method);
            let new = self.objects(&[func.clone(), this.clone()], changes, sink);
            if unchanged(&new, &[func, this]) {
                return object.clone();
            }
            return host::function::bound_method(new[0].clone(), new[1].clone(), vm);
        }
        if !self.cx.session.is_fresh(object) {
            self.tokens.push(self.cx.name(object));
            self.look_for_swapped(object);
            return object.clone();
        }
        self.made(object, changes, sink)
    }

    /// A value that is made of others.
    fn made_of(&mut self, object: &PyObjectRef, kind: &Kind, changes: &mut Changes, sink: Sink<'_, 'a>) -> PyObjectRef {
        let has_identity = kind.staged().has_identity();
        if has_identity && let Some(now) = self.visited(object) {
            return now;
        }
        let (which, known) = kind.known();
        self.tokens.push(Token::Kind(which, known));
        let parts = kind.staged().parts();
        let now = self.objects(&parts, changes, sink);
        let now = match unchanged(&now, &parts) {
            true => object.clone(),
            false => kind.staged().with(now).object(self.cx.vm),
        };
        if has_identity { self.replaced(object, now) } else { now }
    }

    /// An object that the program made, of no builtin container class.
    fn made(&mut self, object: &PyObjectRef, changes: &mut Changes, sink: Sink<'_, 'a>) -> PyObjectRef {
        let vm = self.cx.vm;
        if object.downcast_ref::<PyFunction>().is_some()
            && let Ok(Some(parts)) = host::function::parts(object, vm)
        {
            self.tokens.push(Token::Function(parts.code.as_object().get_id()));
            self.look_for_swapped(object);
            if let Some(defaults) = &parts.defaults {
                let defaults: PyObjectRef = defaults.clone().into();
                self.tokens.push(Token::Same(defaults.get_id()));
            }
            for cell in &parts.closure {
                self.mutable(cell, changes, sink);
            }
            return object.clone();
        }
        if let Some(derivative) = object.downcast_ref::<Derivative>() {
            self.tokens.push(Token::Derivative(format!("{:?}", derivative.steps())));
            self.is_stuck |= self.swaps.is_some();
            // Its function may know numbers; what is put before the arguments stays.
            self.object(derivative.function().0, changes, &mut *sink);
            for arg in &derivative.function().1.args {
                self.tokens.push(Token::Same(arg.get_id()));
            }
            return object.clone();
        }
        if let Some(tuple) = object.downcast_ref::<PyTuple>() {
            return self.named_tuple(object, tuple.as_slice(), changes, sink);
        }
        if let Some(exception) = object.downcast_ref::<PyBaseException>() {
            return self.exception(object, &exception.to_owned(), changes, sink);
        }
        if let Some(dict) = object.dict() {
            self.tokens.push(Token::Instance(object.class().as_object().get_id()));
            self.mutable(&dict.into(), changes, sink);
            return object.clone();
        }
        if host::slots::has_slots_only(object.class(), vm) {
            self.tokens.push(Token::Instance(object.class().as_object().get_id()));
            self.mutable(object, changes, sink);
            return object.clone();
        }
        self.look_for_swapped(object);
        self.tokens.push(Token::Same(object.get_id()));
        object.clone()
    }

    /// A tuple of a class that is derived from `tuple`.
    fn named_tuple(
        &mut self,
        object: &PyObjectRef,
        items: &[PyObjectRef],
        changes: &mut Changes,
        sink: Sink<'_, 'a>,
    ) -> PyObjectRef {
        if let Some(now) = self.visited(object) {
            return now;
        }
        let class: PyObjectRef = object.class().to_owned().into();
        self.tokens.extend([Token::Tuple(items.len()), Token::Instance(class.get_id())]);
        let new = self.objects(items, changes, sink);
        let now = match unchanged(&new, items) {
            true => object.clone(),
            false => {
                let copy = named_tuple(&class, new, self.cx.vm).expect("an object of its class was made before");
                self.copies.push(copy.clone());
                copy
            }
        };
        self.replaced(object, now)
    }

    fn mutable(&mut self, object: &PyObjectRef, changes: &mut Changes, sink: Sink<'_, 'a>) {
        let next = self.seen.len();
        match self.seen.entry(object.get_id()) {
            std::collections::hash_map::Entry::Occupied(position) => {
                self.tokens.push(Token::Again(*position.get()));
                return;
            }
            std::collections::hash_map::Entry::Vacant(place) => {
                place.insert(next);
            }
        }
        // A list of the world that nothing changed is itself: its contents are guarded.
        let known = self.cx.base.number(object).is_some();
        let fresh = self.cx.session.is_fresh(object);
        if !fresh {
            self.tokens.push(self.cx.name(object));
        }
        if !known && !fresh {
            return;
        }
        let Some(contents) = self.cx.contents(object) else {
            self.tokens.push(Token::Opaque);
            return;
        };
        if let Some(rep) = map::in_contents(&contents)
            && self.found.is_none()
        {
            self.tokens.push(Token::StagedMap);
            let new = self.object(rep, changes, sink);
            if !new.is(rep) {
                changes.push((object.clone(), map::contents_of(new, self.cx.vm)));
            }
            return;
        }
        if let Some(found) = &mut self.found
            && let Some(ty) = map::numbers(&contents, self.cx.vm)
            && ty.is_none_or(|ty| ty.keys == KeyKind::Number || fresh)
        {
            let (is_set, keys) = map::keys(&contents, self.cx.vm);
            self.tokens.push(Token::NumberMap(is_set, ty));
            let staged = map::in_contents(&contents).is_some();
            let length = keys.len();
            let ty = ty.map(Grown::Map);
            found.push(NumberList { object: object.clone(), ty, length, staged, keys: Some(keys) });
            return;
        }
        match &*contents {
            Contents::List(items) => {
                // Items that were there before stay the objects that they are.
                let may_be = |ty: &ItemType| !ty.has_made() || self.cx.session.is_fresh(object);
                if let Some(found) = &mut self.found
                    && let Some(ty) = numbers(items, &|it| self.cx.items_of_row(it), self.cx.session)
                    && ty.as_ref().is_none_or(may_be)
                {
                    self.tokens.push(Token::Numbers(ty.clone()));
                    let staged = list::in_items(items).is_some();
                    let ty = ty.map(Grown::List);
                    found.push(NumberList { object: object.clone(), ty, length: items.len(), staged, keys: None });
                    return;
                }
                self.tokens.push(Token::List(items.len()));
                let new = self.objects(items, changes, sink);
                if !unchanged(&new, items) {
                    changes.push((object.clone(), Contents::List(new)));
                }
            }
            Contents::Dict(items) => {
                self.tokens.push(Token::Dict(items.len()));
                let mut new = Vec::with_capacity(items.len());
                for (key, value) in items {
                    self.key(key);
                    new.push((key.clone(), self.object(value, changes, sink)));
                }
                if new.iter().zip(items).any(|(a, b)| !a.1.is(&b.1)) {
                    changes.push((object.clone(), Contents::Dict(new)));
                }
            }
            Contents::Set(items) => {
                self.tokens.push(Token::Set(items.len()));
                items.iter().for_each(|item| self.key(item));
            }
            Contents::Cell(value) => {
                self.tokens.push(Token::Cell(value.is_some()));
                if let Some(value) = value {
                    let new = self.object(value, changes, sink);
                    if !new.is(value) {
                        changes.push((object.clone(), Contents::Cell(Some(new))));
                    }
                }
            }
            Contents::Exception(_) => {} // `exception` has walked over it.
            Contents::Iter(iter) => {
                self.tokens.push(Token::Iterator);
                let mut new = iter.clone();
                let leaves = self.leaves.len();
                self.iter(&mut new, changes, sink);
                if self.leaves.len() > leaves {
                    changes.push((object.clone(), Contents::Iter(new)));
                }
            }
        }
    }

    /// Whether this is a list of numbers of one type, as the path sees it.
    fn is_numbers(&self, object: &PyObject) -> bool {
        match self.cx.contents(object).as_deref() {
            Some(Contents::List(items)) => numbers(items, &|it| self.cx.items_of_row(it), self.cx.session).is_some(),
            _ => false,
        }
    }

    /// Whether this is a dict or set of numbers, or a view of one, as the path sees it.
    fn is_number_map(&self, object: &PyObjectRef) -> bool {
        let (object, _) = values::behind(object, self.cx.vm);
        self.cx.contents(&object).is_some_and(|contents| map::numbers(&contents, self.cx.vm).is_some())
    }

    fn objects(&mut self, items: &[PyObjectRef], changes: &mut Changes, sink: Sink<'_, 'a>) -> Vec<PyObjectRef> {
        items.iter().map(|item| self.object(item, changes, &mut *sink)).collect()
    }

    fn leaf(&mut self, object: &PyObjectRef, num: Num, sink: Sink<'_, 'a>) -> PyObjectRef {
        self.tokens.push(Token::Number(num.ty()));
        let leaf = match num {
            Num::Static(constant) => Leaf::Static(constant),
            Num::Staged(value, _) => Leaf::Staged(value),
        };
        self.leaves.push((leaf, num.ty()));
        sink(self, object, num)
    }

    /// An element of a tensor: a number, and an object of the program.
    fn element(&mut self, object: &PyObjectRef, value: Value, dtype: Dtype, sink: Sink<'_, 'a>) -> PyObjectRef {
        if let Some(now) = self.visited(object) {
            return now;
        }
        self.tokens.push(Token::Element(dtype));
        let ty = element::number_type(dtype);
        let given = self.leaf(object, Num::Staged(value, ty), sink);
        let now = match value::rep(&given) {
            Some((value, _)) => self.cx.session.element_object(value, dtype),
            None => given,
        };
        self.replaced(object, now)
    }

    /// What replaces a value that was visited before.
    fn visited(&mut self, object: &PyObjectRef) -> Option<PyObjectRef> {
        let (position, now) = self.values.get(&object.get_id())?;
        self.tokens.push(Token::AgainValue(*position));
        Some(now.clone())
    }

    /// A value has been visited, and this replaces it wherever it occurs.
    fn replaced(&mut self, object: &PyObjectRef, now: PyObjectRef) -> PyObjectRef {
        self.values.insert(object.get_id(), (self.values.len(), now.clone()));
        now
    }
}

type Changes = Vec<(PyObjectRef, Contents)>;

fn unchanged(new: &[PyObjectRef], old: &[PyObjectRef]) -> bool {
    new.iter().zip(old).all(|(a, b)| a.is(b))
}
