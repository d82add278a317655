//! What a crossing does, and what it gives.

use rustpython_vm::PyObjectRef;
use rustpython_vm::builtins::PyStrInterned;
use rustpython_vm::bytecode::oparg::BinaryOperator;
use rustpython_vm::types::PyComparisonOp;
use snekpy_stage::row::Does;
use snekpy_stage::types::{Class, Type};

use crate::host::operator::{COMPARISONS, names_of};

/// What is done.
#[derive(Clone, Debug)]
pub(crate) enum Operation {
    /// A native function or class that is known is called with the operands; the last of them have these names.
    Native {
        /// What is called.
        callable: PyObjectRef,
        /// The names of the last arguments.
        names: Vec<String>,
    },
    /// A tuple of a class that `namedtuple` has made.
    Named { class: PyObjectRef },
    /// `len(x)`.
    Length,
    /// `ord(x)`.
    Ord,
    /// `chr(x)`.
    Chr,
    /// `isinstance(x, y)`.
    IsInstance,
    /// `enumerate(x, y)` and its like: an iterator over so many of the operands, or over all.
    Over {
        /// What is called.
        callable: PyObjectRef,
        /// How many of the operands it goes over.
        count: usize,
    },
    /// A method of the first operand is called with the others.
    Method {
        /// The method.
        name: &'static PyStrInterned,
        /// The names of the last arguments.
        names: Vec<String>,
    },
    /// `x operator y`, `x[y]`.
    Binary(BinaryOperator),
    /// `x < y` and its like.
    Compare(PyComparisonOp),
    /// Whether they hold.
    Test(PyComparisonOp),
    /// `x in y`.
    Contains {
        /// `x not in y`.
        inverted: bool,
    },
    /// `x is y`.
    Is {
        /// `x is not y`.
        inverted: bool,
    },
    /// `bool(x)`.
    Truth,
    /// `-x`.
    Negative,
    /// `~x`.
    Invert,
    /// `iter(x)`.
    Iterate,
    /// `next(x)` of a loop.
    Next,
    /// `x[y:z]`.
    Slice,
    /// `a, b, c = x`.
    Unpack(usize),
    /// `y[z] = x`.
    SetItem,
    /// `del x[y]`.
    DeleteItem,
    /// Whether the first operand has a method of this name that can be called from compiled code: else it does not fit.
    HasMethod(&'static PyStrInterned),
    /// Which of these classes the first operand is of: its index.
    Which(Vec<Class>),
    /// Whether the object itself has no attribute of this name: else it does not fit.
    Unshadowed(&'static PyStrInterned),
    /// `x.name`.
    Attribute(&'static PyStrInterned),
    /// `y.name = x`.
    SetAttribute(&'static PyStrInterned),
    /// `format(x, "")`.
    Format,
    /// `format(x, y)`.
    FormatTo,
    /// `str(x)`.
    Text,
    /// `repr(x)`.
    Shown,
    /// The operand itself.
    Known,
    /// The texts one after the other.
    Join,
    /// A list of the operands.
    List,
    /// A set of them.
    Set,
    /// A dict of them, key and value in turn.
    Dict,
    /// The second operand becomes the last item of the first, a list.
    Append,
    /// The second operand becomes a member of the first, a set.
    Add,
}

/// Of so many objects that are unpacked it is learnt whether they are numbers.
pub(crate) const FEW: usize = 4;

impl Operation {
    /// The methods that the classes of its operands may have for it; `None` where any attribute may matter.
    pub(crate) fn methods(&self) -> Option<Vec<&'static str>> {
        Some(match self {
            Self::Attribute(_) | Self::HasMethod(_) | Self::Which(_) | Self::SetAttribute(_) => return None,
            Self::Compare(_) | Self::Test(_) => COMPARISONS.iter().map(|(name, ..)| *name).collect(),
            Self::Binary(operator) => match names_of(*operator) {
                Some(names) => [names.left, names.right].into_iter().chain(names.in_place).collect(),
                None => vec!["__getitem__"],
            },
            Self::Slice => vec!["__getitem__"],
            Self::SetItem => vec!["__setitem__"],
            Self::DeleteItem => vec!["__delitem__"],
            Self::Contains { .. } => vec!["__contains__"],
            Self::Iterate => vec!["__iter__"],
            Self::Next => vec!["__next__"],
            Self::Truth => vec!["__bool__", "__len__"],
            Self::Length => vec!["__len__"],
            Self::Format | Self::Text | Self::Shown => vec!["__str__", "__repr__"],
            _ => Vec::new(),
        })
    }

    /// What it does with the column of an attribute.
    pub(crate) const fn does(&self) -> Option<Does> {
        match self {
            Self::Attribute(_) => Some(Does::Reads),
            Self::SetAttribute(_) => Some(Does::Writes),
            Self::Unshadowed(_) => Some(Does::Asks),
            _ => None,
        }
    }

    /// The attribute that it reads, assigns or asks for.
    pub(crate) const fn attribute(&self) -> Option<&'static PyStrInterned> {
        match self {
            Self::Attribute(name) | Self::SetAttribute(name) | Self::Unshadowed(name) => Some(name),
            _ => None,
        }
    }

    /// The callable that it holds.
    pub(crate) fn callable(&self) -> Option<&PyObjectRef> {
        match self {
            Self::Native { callable, .. } | Self::Over { callable, .. } => Some(callable),
            Self::Named { class } => Some(class),
            _ => None,
        }
    }
}

/// What a crossing gives besides whether it was carried out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Gives {
    /// Nothing.
    Nothing,
    /// None, which is known.
    None,
    /// A value of this type.
    Value(Type),
    /// Whether there is a next item, and the item.
    Next(Type),
    /// So many objects: the types of the first ones, as far as those are numbers.
    Many(usize, [Type; FEW]),
}

impl Gives {
    /// So many objects.
    pub(crate) const fn many(count: usize) -> Self {
        Self::Many(count, [Type::Object(Class::ANY); FEW])
    }

    /// The types of the results.
    pub(crate) fn types(self) -> Vec<Type> {
        match self {
            Self::Nothing | Self::None => Vec::new(),
            Self::Value(ty) => vec![ty],
            Self::Next(ty) => vec![Type::Bool, ty],
            Self::Many(count, types) => {
                let any = std::iter::repeat(Type::Object(Class::ANY));
                types.into_iter().chain(any).take(count).collect()
            }
        }
    }

    pub(crate) const fn slots(self) -> usize {
        match self {
            Self::Nothing | Self::None => 0,
            Self::Value(_) => 1,
            Self::Next(_) => 2,
            Self::Many(count, _) => count,
        }
    }
}
