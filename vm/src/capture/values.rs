//! What the objects of a path are.
//!
//! Nearly everything that a path computes with is an object of Python's. Whoever has to know what one *is* (a number, a
//! tuple, a list of the compiled code, a tensor) asks [`classify`] and matches: nothing else downcasts in an order of its
//! own. What compiled code does with a value that is known only later, the value's [`Representation`] says
//! ([`Abstract::staged`]); for the rest, Python itself is asked.

mod array;
mod list;
mod map;

use rustpython_vm::builtins::{PyBytes, PyDict, PyFrozenSet, PyList, PyRange, PySet, PySlice, PyStr, PyTuple};
use rustpython_vm::{Py, PyObject, PyObjectRef, PyPayload, VirtualMachine};
use snekpy_stage::entity::Value;
use snekpy_stage::tensor::Tensor;
use snekpy_stage::types::Type;

use crate::capture::list::{StagedList, in_items};
use crate::capture::map::StagedMap;
use crate::capture::session::Session;
use crate::capture::step::refuse;
use crate::capture::stop::Step;
use crate::capture::value::{self, Num};
use crate::kind::{Kind, Representation};
use crate::rep::{Rep, StagedIterator, StagedObject, StagedValue};
use crate::tensor;

pub(crate) use array::Array;
pub(crate) use list::{staged_in, unknown_length};
pub(crate) use map::{View, behind, unknown_members};

/// What an object of a path is. The classes are exactly these: what is derived from one is [`Other`](Self::Other).
pub(crate) enum Abstract<'a> {
    /// A bool, an int of 64 bits or a float, known now or later.
    Number(Num),
    /// An array of numbers that is known later.
    Array(Array),
    /// A list or map of the compiled code, without the list, dict or set that stands for it: nobody in the program meets it.
    Inner(Value, Type),
    /// A value that is made of others.
    Made(&'a Kind),
    /// An object that compiled code hands on.
    Handle(&'a StagedObject),
    /// A tensor, known now or later.
    Tensor(&'a Tensor),
    /// An iterator of the path.
    Iterator,
    /// A list of the compiled code.
    Items(StagedList),
    /// A dict or set of the compiled code.
    Map(StagedMap),
    /// A view of a dict.
    View(View),
    /// A tuple.
    Tuple(&'a Py<PyTuple>),
    /// A list whose items are known one by one.
    List(&'a Py<PyList>),
    /// A dict whose keys are known.
    Dict(&'a Py<PyDict>),
    /// A set whose items are known.
    Set(&'a Py<PySet>),
    /// A `frozenset`.
    FrozenSet(&'a Py<PyFrozenSet>),
    /// A text that is known now.
    Text(&'a Py<PyStr>),
    /// Bytes that are known now.
    Bytes(&'a Py<PyBytes>),
    /// A range of known numbers.
    Range(&'a Py<PyRange>),
    /// A slice.
    Slice(&'a Py<PySlice>),
    /// Any other object that is known now.
    Other,
}

/// What an object of a path is. It is told by the class, and of a list, dict or set by what is in it.
pub(crate) fn classify<'a>(object: &'a PyObject, vm: &VirtualMachine) -> Abstract<'a> {
    if let Some(num) = value::number(object, vm) {
        return Abstract::Number(num);
    }
    if let Some(&Rep { value, ty, .. }) = object.downcast_ref::<Rep>().map(|it| &**it) {
        return ty.as_array().map_or(Abstract::Inner(value, ty), |ty| Abstract::Array(Array { value, ty }));
    }
    if let Some(tuple) = object.downcast_ref_if_exact::<PyTuple>(vm) {
        return Abstract::Tuple(tuple);
    }
    if let Some(list) = object.downcast_ref_if_exact::<PyList>(vm) {
        let staged = in_items(&list.borrow_vec());
        return staged.map_or(Abstract::List(list), Abstract::Items);
    }
    if let Some(dict) = object.downcast_ref_if_exact::<PyDict>(vm) {
        return map::in_dict(dict).map_or(Abstract::Dict(dict), Abstract::Map);
    }
    if let Some(text) = object.downcast_ref_if_exact::<PyStr>(vm) {
        return Abstract::Text(text);
    }
    if let Some(it) = object.downcast_ref::<StagedValue>() {
        return Abstract::Made(&it.payload().kind);
    }
    if let Some(it) = object.downcast_ref::<StagedObject>() {
        return Abstract::Handle(it.payload());
    }
    if object.downcast_ref::<StagedIterator>().is_some() {
        return Abstract::Iterator;
    }
    if let Some(set) = object.downcast_ref_if_exact::<PySet>(vm) {
        return map::in_set(set, vm).map_or(Abstract::Set(set), Abstract::Map);
    }
    if let Some(set) = object.downcast_ref_if_exact::<PyFrozenSet>(vm) {
        return Abstract::FrozenSet(set);
    }
    if let Some(bytes) = object.downcast_ref_if_exact::<PyBytes>(vm) {
        return Abstract::Bytes(bytes);
    }
    if let Some(range) = object.downcast_ref_if_exact::<PyRange>(vm) {
        return Abstract::Range(range);
    }
    if let Some(slice) = object.downcast_ref_if_exact::<PySlice>(vm) {
        return Abstract::Slice(slice);
    }
    if let Some(view) = View::of(object, vm) {
        return Abstract::View(view);
    }
    tensor::of(object).map_or(Abstract::Other, Abstract::Tensor)
}

/// The start of a slice if there is one, its stop, and its step if there is one.
pub(crate) fn slice_parts(slice: &PySlice) -> impl Iterator<Item = &PyObjectRef> {
    slice.start.iter().chain([&slice.stop]).chain(slice.step.iter())
}

/// A slice like this one, of such parts.
pub(crate) fn slice_of(like: &PySlice, parts: Vec<PyObjectRef>, vm: &VirtualMachine) -> PyObjectRef {
    let mut parts = parts.into_iter();
    let start = like.start.as_ref().and_then(|_| parts.next());
    let stop = parts.next().expect("a slice has a stop");
    PySlice { start, stop, step: parts.next() }.into_ref(&vm.ctx).into()
}

/// Whether a part of a slice is known only later.
pub(crate) fn has_staged_parts(slice: &PySlice) -> bool {
    slice_parts(slice).any(|it| crate::rep::is_staged(it))
}

impl Abstract<'_> {
    /// What it says of itself, if it is known only later. A number is not asked: see `capture/operand.rs`.
    pub(crate) fn staged(&self) -> Option<&dyn Representation> {
        match self {
            Self::Made(kind) => Some(kind.staged()),
            Self::Array(array) => Some(array),
            Self::Items(list) => Some(list),
            Self::Map(map) => Some(map),
            Self::View(view) if view.map.is_some() => Some(view),
            Self::Number(_)
            | Self::Inner(..)
            | Self::Handle(_)
            | Self::Tensor(_)
            | Self::Iterator
            | Self::View(_)
            | Self::Tuple(_)
            | Self::List(_)
            | Self::Dict(_)
            | Self::Set(_)
            | Self::FrozenSet(_)
            | Self::Text(_)
            | Self::Bytes(_)
            | Self::Range(_)
            | Self::Slice(_)
            | Self::Other => None,
        }
    }
}

impl Session<'_> {
    /// A slice that the program makes.
    pub(crate) fn slice(
        &mut self,
        start: Option<&PyObjectRef>,
        stop: &PyObjectRef,
        step: Option<&PyObjectRef>,
    ) -> PyObjectRef {
        let slice = PySlice { start: start.cloned(), stop: stop.clone(), step: step.cloned() };
        self.made(slice.into_ref(&self.vm.ctx).into())
    }

    /// What an object is, in an instruction that computes with it: a Rep of another capture is refused.
    pub(crate) fn classify<'a>(&self, object: &'a PyObjectRef) -> Step<Abstract<'a>> {
        self.is_own_rep(object)?;
        Ok(classify(object, self.vm))
    }

    /// A Rep of another function is refused.
    pub(crate) fn is_own_rep(&self, object: &PyObjectRef) -> Step<()> {
        match object.downcast_ref::<Rep>() {
            Some(rep) if rep.owner != self.owner => {
                Err(refuse("S220", "a Rep is used outside the function it belongs to").into())
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Native code and what needs the items one by one cannot go on with a list, dict or set of the compiled code.
    pub(crate) fn refuse_grown(&self, object: &PyObjectRef, what: &str) -> Step<()> {
        match classify(object, self.vm).staged() {
            Some(staged) => staged.refuse_whole(object, what),
            None => Ok(()),
        }
    }
}
