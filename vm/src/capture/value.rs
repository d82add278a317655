//! The values that a path computes with.
//!
//! Nearly all are ordinary objects, static ones and Reps alike, so that a Rep can be inside any tuple, list
//! or argument. What cannot be an object is the NULL of the calling convention, and the iterator of a `for`
//! that nobody else can see: that one is a plain value, so that it clones with the path.

use rustpython_vm::builtins::PyStr;
use rustpython_vm::{PyObject, PyObjectRef, VirtualMachine};
use snekpy_stage::entity::Value;
use snekpy_stage::op::Const;
use snekpy_stage::types::{Class, Type};

use crate::rep::{Rep, StagedObject};
use crate::scalar::constant;

/// An entry of the value stack or a local variable.
#[derive(Clone, Debug)]
pub(crate) enum V {
    /// The NULL of CPython's calling convention.
    Null,
    /// An object.
    Obj(PyObjectRef),
    /// An iterator that only this entry knows.
    Iter(Iter),
}

impl V {
    /// The object; `None` for NULL and for an iterator.
    pub(crate) fn object(&self) -> Option<&PyObjectRef> {
        match self {
            Self::Obj(obj) => Some(obj),
            Self::Null | Self::Iter(_) => None,
        }
    }

    /// The iterator that it is.
    pub(crate) fn iterator(&self) -> Option<&Iter> {
        match self {
            Self::Iter(iter) => Some(iter),
            Self::Null | Self::Obj(_) => None,
        }
    }
}

impl From<PyObjectRef> for V {
    fn from(obj: PyObjectRef) -> Self {
        Self::Obj(obj)
    }
}

/// The state of an iterator.
#[derive(Clone, Debug)]
pub(crate) enum Iter {
    /// `range`: the next number, the bound, and the step. Numbers are static or Reps.
    Range {
        /// What comes next, if it is within the bound.
        next: PyObjectRef,
        /// The first number that does not come.
        stop: PyObjectRef,
        /// Not zero.
        step: Step,
    },
    /// The items of a tuple, list, string or other static sequence, forwards.
    Seq {
        /// The sequence. A list may change while it is iterated.
        items: PyObjectRef,
        /// The index of the next item.
        index: usize,
    },
    /// The items of a tuple, list or string, backwards.
    Back {
        /// The sequence.
        items: PyObjectRef,
        /// One more than the index of the next item.
        left: usize,
    },
    /// The items of a dict, one of its views, or a set.
    Members {
        /// What is iterated over.
        of: PyObjectRef,
        /// Its keys, or its items, when the iterator was made.
        members: Vec<PyObjectRef>,
        /// How many of them it has given.
        given: usize,
        /// How often they were seen to differ since then, though they may be the same again.
        changes: usize,
    },
    /// The elements of a staged array: index of the next one.
    Array {
        /// A Rep.
        array: PyObjectRef,
        /// A number.
        index: PyObjectRef,
    },
    /// The items of a list whose length is known only later.
    Items {
        /// The list object.
        list: PyObjectRef,
        /// The index of the next item, a number.
        index: PyObjectRef,
        /// Whether it goes from the last item to the first.
        reversed: bool,
    },
    /// The items of a dict, one of its views, or a set whose keys are known only later.
    Entries {
        /// What is iterated over.
        of: PyObjectRef,
        /// The first position at which the next item may be, a number.
        position: PyObjectRef,
        /// How many entries there were when the iterator was made, a number.
        length: PyObjectRef,
        /// Tells whether entries have come since then, a number.
        changes: PyObjectRef,
    },
    /// The items of a value that is known later, which itself knows what comes next.
    Over {
        /// The value.
        of: PyObjectRef,
        /// Where it is, as the value tells it: numbers.
        place: Vec<PyObjectRef>,
    },
    /// `enumerate`.
    Enumerate {
        /// What is enumerated.
        inner: Box<Iter>,
        /// The next number.
        count: PyObjectRef,
    },
    /// `zip`.
    Zip {
        /// What is zipped.
        inners: Vec<Iter>,
        /// Whether unequal lengths are an error.
        strict: bool,
    },
    /// A generator between two items: its frame, and whether it has begun.
    Generator {
        /// The frame.
        frame: Box<crate::capture::state::Frame>,
        /// Whether it has given an item or been asked for one.
        begun: bool,
    },
    /// A generator whose frame is on the path's stack.
    Running,
    /// An iterator object of the program: its state is in the heap.
    Shared(PyObjectRef),
    /// Nothing more comes. An iterator of its class that has ended, too; `None` for a generator.
    Empty(Option<PyObjectRef>),
}

impl Iter {
    /// The known texts whose characters it gives, alone or among others.
    pub(crate) fn texts(&self) -> Vec<PyObjectRef> {
        match self {
            Self::Seq { items, .. } if items.downcast_ref::<PyStr>().is_some() => vec![items.clone()],
            Self::Enumerate { inner, .. } => inner.texts(),
            Self::Zip { inners, .. } => inners.iter().flat_map(Self::texts).collect(),
            _ => Vec::new(),
        }
    }
}

/// The step of a range.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// A number known now.
    Static(i64),
    /// A Rep, with its sign.
    Staged {
        /// The Rep.
        step: PyObjectRef,
        /// Whether it is positive; else it is negative.
        positive: bool,
    },
}

/// A number as capture sees it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Num {
    /// Known now.
    Static(Const),
    /// Known later.
    Staged(Value, Type),
}

impl Num {
    /// Its type in the IR.
    pub(crate) fn ty(self) -> Type {
        match self {
            Self::Static(Const::Bool(_)) => Type::Bool,
            Self::Static(Const::I64(_)) => Type::I64,
            Self::Static(Const::F64(_)) => Type::F64,
            Self::Staged(_, ty) => ty,
        }
    }
}

/// The Rep behind an object.
pub(crate) fn rep(obj: &PyObject) -> Option<(Value, Type)> {
    obj.downcast_ref::<Rep>().map(|rep| (rep.value, rep.ty))
}

/// The handle behind an object that compiled code hands on.
pub(crate) fn handle(obj: &PyObject) -> Option<(Value, Class)> {
    obj.downcast_ref::<StagedObject>().map(|it| (it.value, it.class))
}

/// The scalar behind an object: a scalar Rep, or a bool, int of 64 bits or float, exactly of these classes.
pub(crate) fn number(obj: &PyObject, vm: &VirtualMachine) -> Option<Num> {
    if let Some((value, ty)) = rep(obj) {
        return ty.is_scalar().then_some(Num::Staged(value, ty));
    }
    constant(obj, vm).map(Num::Static)
}

/// Any object of this type: for asking Python what it thinks of an operation on such operands.
pub(crate) fn sample(ty: Type, vm: &VirtualMachine) -> Option<PyObjectRef> {
    match ty {
        Type::Bool => Some(vm.ctx.new_bool(true).into()),
        Type::I64 => Some(vm.ctx.new_int(1).into()),
        Type::F64 => Some(vm.ctx.new_float(1.0).into()),
        Type::Array(_) | Type::List(_) | Type::Map(_) | Type::Object(_) | Type::Tensor(_) => None,
    }
}
