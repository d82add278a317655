//! What is known of an item before everything in it was seen: what it is together with others is the type of their list.

use std::sync::Arc;

use rustpython_vm::builtins::{PyList, PyTuple};
use rustpython_vm::{PyObjectRef, VirtualMachine};
use snekpy_stage::types::{Elem, Type};

use super::columns::{ItemType, Made, elem_of, in_items};
use crate::kind::{Is, May};

/// How items are looked at.
pub(super) struct Look<'a, N, L, M> {
    /// Which objects are numbers, and of which type.
    pub(super) number: &'a N,
    /// The items of a list that may be one.
    pub(super) lists: &'a L,
    /// What is made of numbers; of None, what is nothing else.
    pub(super) made: &'a M,
    /// Whether items of one list may be numbers of several types, or None.
    pub(super) mixes: bool,
    pub(super) vm: &'a VirtualMachine,
}

/// What is known of an item before everything in it was seen.
pub(super) enum Found {
    Number(Elem),
    /// A list of such items; of an empty one nothing is known.
    List(Option<Box<Found>>),
    Tuple(Vec<Found>),
    Made(Made),
    /// Items of a list of the compiled code: they are of this type.
    Fixed(ItemType),
}

impl Found {
    /// Of an item in so many lists and tuples less than there may be. A list may be in itself.
    pub(super) fn of<N, L, M>(item: &PyObjectRef, look: &Look<'_, N, L, M>, left: u32) -> Option<Self>
    where
        N: Fn(&PyObjectRef) -> Option<Type>,
        L: Fn(&PyObjectRef) -> Option<Vec<PyObjectRef>>,
        M: Fn(&PyObjectRef) -> Option<Made>,
    {
        if let Some(ty) = (look.number)(item) {
            return elem_of(ty).map(Self::Number);
        }
        if look.mixes && look.vm.is_none(item) {
            return Some(Self::Made(Made::mixed(Is::None.into())));
        }
        if let Some(made) = (look.made)(item) {
            return Some(Self::Made(made));
        }
        let left = left.checked_sub(1)?;
        let of = |it: &PyObjectRef| Self::of(it, look, left);
        if item.downcast_ref_if_exact::<PyList>(look.vm).is_some() {
            let items = (look.lists)(item)?;
            let found = match in_items(&items) {
                Some(staged) => Some(Self::Fixed(staged.items)),
                None => Self::of_all(&items, look.mixes, of)?,
            };
            return Some(Self::List(found.map(Box::new)));
        }
        let tuple = item.downcast_ref_if_exact::<PyTuple>(look.vm).filter(|it| !it.is_empty())?;
        tuple.as_slice().iter().map(of).collect::<Option<_>>().map(Self::Tuple)
    }

    /// Of all of these items, if they agree: nothing if there are none.
    pub(super) fn of_all(
        items: &[PyObjectRef],
        mixes: bool,
        of: impl Fn(&PyObjectRef) -> Option<Self>,
    ) -> Option<Option<Self>> {
        let mut all: Option<Self> = None;
        for item in items {
            let found = of(item)?;
            all = Some(match all {
                Some(all) => all.and(found, mixes)?,
                None => found,
            });
        }
        Some(all)
    }

    /// What is known of both, if they can be of one type; numbers of two types can if they may be mixed.
    pub(super) fn and(self, other: Self, mixes: bool) -> Option<Self> {
        if mixes && let (Some(a), Some(b)) = (self.may(), other.may()) {
            return Some(if a == b { self } else { Self::Made(Made::mixed(a.or(b))) });
        }
        Some(match (self, other) {
            (Self::Fixed(a), other) | (other, Self::Fixed(a)) => {
                let both = other.and(Self::from(&a), mixes)?.or_else(&|| None, Is::None.into());
                both.filter(|it| *it == a).map(Self::Fixed)?
            }
            (Self::Number(a), Self::Number(b)) if a == b => Self::Number(a),
            (Self::List(None), Self::List(it)) | (Self::List(it), Self::List(None)) => Self::List(it),
            (Self::List(Some(a)), Self::List(Some(b))) => Self::List(Some(Box::new(a.and(*b, mixes)?))),
            (Self::Tuple(a), Self::Tuple(b)) if a.len() == b.len() => {
                Self::Tuple(a.into_iter().zip(b).map(|(a, b)| a.and(b, mixes)).collect::<Option<_>>()?)
            }
            (Self::Made(a), Self::Made(b)) if a == b => Self::Made(a),
            _ => return None,
        })
    }

    /// The same, where lists of the compiled code could be of other types.
    pub(super) fn unfixed(self) -> Self {
        match self {
            Self::Fixed(ty) => Self::from(&ty),
            Self::List(found) => Self::List(found.map(|it| Box::new(it.unfixed()))),
            Self::Tuple(parts) => Self::Tuple(parts.into_iter().map(Self::unfixed).collect()),
            Self::Number(_) | Self::Made(_) => self,
        }
    }

    /// What it may be, if it is a number or None and not fixed.
    fn may(&self) -> Option<May> {
        match self {
            Self::Number(elem) => Is::of_type(elem.value_type()).map(May::from),
            Self::Made(made) => made.all_may(),
            Self::List(_) | Self::Tuple(_) | Self::Fixed(_) => None,
        }
    }

    /// The type, where that of the items of empty lists is guessed, and what may be there where only None is known to be.
    pub(super) fn or_else(self, guess: &impl Fn() -> Option<ItemType>, none: May) -> Option<ItemType> {
        match self {
            Self::Number(elem) => Some(ItemType::Number(elem)),
            Self::List(None) => guess().map(|it| ItemType::List(Arc::new(it))),
            Self::List(Some(found)) => found.or_else(guess, none).map(|it| ItemType::List(Arc::new(it))),
            Self::Tuple(parts) => {
                parts.into_iter().map(|it| it.or_else(guess, none)).collect::<Option<_>>().map(ItemType::Tuple)
            }
            Self::Made(made) => match made.may() {
                Some(may) if may.only().is_some() => ItemType::mixed(may.or(none)),
                _ => Some(ItemType::Made(made)),
            },
            Self::Fixed(ty) => Some(ty),
        }
    }
}

impl From<&ItemType> for Found {
    fn from(ty: &ItemType) -> Self {
        match ty {
            ItemType::Number(elem) => Self::Number(*elem),
            ItemType::List(items) => Self::List(Some(Box::new(Self::from(&**items)))),
            ItemType::Tuple(parts) => Self::Tuple(parts.iter().map(Self::from).collect()),
            ItemType::Made(made) => Self::Made(made.clone()),
        }
    }
}
