//! What the arguments of a call look like, and what is known of a function that decides it.

use std::sync::Arc;

use rustpython_vm::builtins::{PyStrRef, PyTypeRef};
use rustpython_vm::object::{Traverse, TraverseFn};
use rustpython_vm::{AsObject, PyObjectRef};
use snekpy_stage::sizes::Sizes;
use snekpy_stage::types::Type;

use super::MAX_SOURCES;
use crate::capture::list::ItemType;
use crate::flatten::Root;
use crate::flatten::Source;
use crate::record::Layout;
use crate::refusal::Refusal;

/// What an argument looks like.
#[derive(Clone, Debug)]
pub(crate) enum Arg {
    /// A value of compiled code.
    Leaf { ty: Type },
    /// An int from 2**63 to 2**64 - 1: its bits are a value of compiled code.
    Wide,
    /// This object, or one that cannot be told from it.
    Static(PyObjectRef),
    /// A function that does what this one does.
    Function(PyObjectRef),
    /// A tuple.
    Tuple(Vec<Arg>),
    /// A named tuple: an object of a class that is derived from `tuple`, and holds nothing but its items.
    Named(PyTypeRef, Vec<Arg>),
    /// A list.
    List(Vec<Arg>),
    /// A list of any length whose items are all like this: a value of compiled code for each number of an item.
    Items(ItemType),
    /// A dict with nothing in it, or a set if this says so.
    Empty {
        /// Whether it is a set.
        set: bool,
    },
    /// A new dict with these names in this order: `**kwargs`.
    Keywords(Vec<(PyObjectRef, Arg)>),
    /// A dict with these names and numbers as keys in this order.
    Names(Vec<(PyObjectRef, Arg)>),
    /// An object of a class written in Python: its attributes, in order.
    Instance {
        class: PyTypeRef,
        /// Names and values.
        attributes: Vec<(PyStrRef, Arg)>,
    },
    /// A closure variable of a function that is made anew: a cell with this in it.
    Cell(Box<Arg>),
    /// The very tuple, list or object that is also found here.
    Same(Root),
    /// An object of a record class: its row.
    Record {
        class: PyTypeRef,
        /// The class, as an index into the layout.
        index: usize,
    },
}

/// What a call's arguments look like.
#[derive(Clone, Debug)]
pub(crate) struct Key {
    /// By local variable, as far as there are parameters; `None` if it is not bound.
    pub(crate) args: Vec<Option<Arg>>,
    /// The types of the leaves, in the order of their slots: those of the arguments, then the arrays of the table of
    /// records, then those of the sources.
    pub(crate) types: Vec<Type>,
    /// What the table of records looks like, if there are any.
    pub(crate) records: Option<Arc<Layout>>,
    /// Numbers that are read elsewhere at each call.
    pub(crate) sources: Vec<Source>,
    /// How many of the last of the arguments are closure variables.
    pub(crate) cells: usize,
    /// Whether lists that are taken one by one could be copied.
    pub(crate) may_copy: bool,
    /// Whether numbers that decide what arrays look like could be known.
    pub(crate) may_know: bool,
    /// The sizes of tensors that are known only later, as they are in the call that the key is of.
    pub(crate) sizes: Sizes,
}

impl Key {
    /// Whether there are lists of characters, or complex numbers, of any length.
    pub(crate) fn holds_made(&self) -> bool {
        self.holds_items(ItemType::has_made)
    }

    /// Whether there are lists of numbers of several types, or None.
    pub(crate) fn holds_mixed(&self) -> bool {
        self.holds_items(ItemType::has_mixed)
    }

    fn holds_items(&self, of: fn(&ItemType) -> bool) -> bool {
        self.args.iter().flatten().any(|it| it.holds_items(of))
    }
}

impl Arg {
    fn holds_items(&self, of: fn(&ItemType) -> bool) -> bool {
        match self {
            Self::Items(ty) => of(ty),
            Self::Tuple(args) | Self::Named(_, args) | Self::List(args) => args.iter().any(|it| it.holds_items(of)),
            Self::Keywords(args) | Self::Names(args) => args.iter().any(|(_, it)| it.holds_items(of)),
            Self::Instance { attributes, .. } => attributes.iter().any(|(_, it)| it.holds_items(of)),
            Self::Cell(arg) => arg.holds_items(of),
            Self::Leaf { .. }
            | Self::Wide
            | Self::Static(_)
            | Self::Function(_)
            | Self::Empty { .. }
            | Self::Same(_)
            | Self::Record { .. } => false,
        }
    }
}

/// What has been seen to change between calls, and is an input since.
#[derive(Clone, Debug, Default)]
pub(crate) struct Varying {
    /// Numbers that are no arguments.
    pub(crate) sources: Vec<Source>,
    /// Classes of which other objects are passed each time.
    pub(crate) classes: Vec<PyTypeRef>,
    /// Whether objects of record classes are keyed like any other objects, because the function changes them.
    pub(crate) without_records: bool,
    /// The parameters that compiled code only hands on, by local variable: another object is passed each time.
    pub(crate) objects: Vec<usize>,
    /// The numbers among the arguments that are known, since they decide what arrays look like, if there may be any.
    pub(crate) known: Vec<Root>,
    pub(crate) may_know: bool,
    /// Whether compiled code may hand on what is long.
    pub(crate) may_hand_on: bool,
    /// Whether the sizes of tensors are known, also those that differ from call to call.
    pub(crate) has_sizes: bool,
}

impl Varying {
    /// Shows the objects in it.
    pub(crate) fn traverse(&self, show: &mut TraverseFn<'_>) {
        self.sources.traverse(show);
        self.classes.traverse(show);
    }

    /// From here on these numbers are known.
    pub(crate) fn know(&mut self, roots: &[Root]) {
        self.known.extend_from_slice(roots);
        self.known.sort_unstable();
        self.known.dedup();
    }

    /// From here on it is an input. Whether it has not been one, and can be.
    pub(crate) fn add(&mut self, source: Source) -> bool {
        let is_new = self.sources.len() < MAX_SOURCES && !self.sources.iter().any(|known| known.is(&source));
        if is_new {
            self.sources.push(source);
        }
        is_new
    }

    /// Whether compiled code hands on an argument that cannot be taken apart.
    pub(super) fn hands_on_instead(&self, local: usize, refusal: &Refusal) -> bool {
        self.may_hand_on && matches!(refusal.code, "S403" | "S407") && !self.objects.contains(&local)
    }

    /// From here on objects of a class are taken apart. Whether they were not.
    pub(crate) fn take_apart(&mut self, class: PyTypeRef) -> bool {
        let is_new = !self.classes.iter().any(|known| known.is(&class));
        if is_new {
            self.classes.push(class);
        }
        is_new
    }
}

/// The parameters of a function, by local variable.
#[derive(Clone, Debug, Default)]
pub(crate) struct Params {
    /// Their names.
    pub(crate) names: Vec<&'static str>,
    /// Whether the function declares them static.
    pub(crate) is_static: Vec<bool>,
    /// The one that further keyword arguments are collected in.
    pub(crate) kwargs: Option<usize>,
    /// Whether objects and dicts with names are taken apart at once: what is in them may be differentiated by.
    pub(crate) apart: bool,
    /// The closure variables, which are arguments behind the others where the function is made anew.
    pub(crate) closure: Vec<String>,
    /// Whether they are what the frames of a call hold, in which texts come and go.
    pub(crate) is_middle: bool,
}
