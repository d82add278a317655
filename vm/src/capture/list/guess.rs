//! What the items of an empty list are, where it has to be a list of the compiled code before anything is put into it: a
//! row of `[[] for _ in range(n)]`, the `[]` that ends a recursion.
//!
//! At first ints are guessed. Where something else is put into such a list, the capture starts again with that; and after
//! two wrong guesses without any, or with numbers of all the types that there were.
//!
//! The same is learnt of lists that hold numbers of several types, or None (`mixed.rs`).

use std::cell::Cell;

use rustpython_vm::PyObjectRef;
use snekpy_stage::types::Elem;

use super::columns::{ItemType, innermost};
use super::mixed::Mixing;
use crate::capture::assumptions::Assumption;
use crate::capture::explore::Abort;
use crate::capture::observe::inside;
use crate::capture::pool::Pools;
use crate::capture::session::Session;
use crate::capture::state::State;
use crate::capture::step::refuse;
use crate::capture::stop::Stop;
use crate::capture::value::{Iter, V};
use crate::capture::values;
use crate::host;
use crate::kind::{self, May};

/// What the items of empty lists are.
#[derive(Clone, Debug)]
pub(crate) struct Guess {
    ty: Option<ItemType>,
    /// Whether it is the first one.
    first: bool,
    used: Cell<bool>,
    /// Whether lists may hold values of kinds, and whether one does.
    takes_made: bool,
    has_made: Cell<bool>,
    pub(super) mixing: Mixing,
    /// The objects that are rows of pools.
    pub(in crate::capture) pools: Pools,
}

impl Guess {
    /// The first one; in code that cannot be left, lists do not mix types.
    pub(crate) fn new(detached: bool) -> Self {
        Self {
            ty: Some(ItemType::Number(Elem::I64)),
            first: true,
            used: Cell::new(false),
            takes_made: true,
            has_made: Cell::new(false),
            mixing: Mixing::new(!detached),
            pools: Pools::new(!detached),
        }
    }

    /// Guesses.
    pub(crate) fn make(&self) -> Option<ItemType> {
        self.used.set(true);
        self.ty.clone()
    }

    /// The next one, if an item of type `wanted` turns out to be of type `found`. Nothing if that was no guess.
    pub(super) fn after(&self, wanted: ItemType, found: Option<ItemType>) -> Option<Self> {
        let (wanted, found) = match found {
            Some(found) => {
                let (wanted, found) = innermost(wanted, found);
                (wanted, Some(found))
            }
            None => (wanted, None),
        };
        let was_guessed = self.used.get() && self.ty.as_ref() == Some(&wanted);
        let found = found.filter(|it| *it != wanted);
        let both = || {
            let may = wanted.may()?.or(found.as_ref()?.may()?);
            if self.mixing.may { ItemType::mixed(may) } else { None }
        };
        let ty = if self.first { found } else { both() };
        was_guessed.then(|| Self { ty, first: false, ..self.again() })
    }

    /// The same, before anything was done with it.
    pub(super) fn again(&self) -> Self {
        Self { used: Cell::new(false), has_made: Cell::new(false), mixing: self.mixing.again(), ..self.clone() }
    }

    /// The same with more learnt of lists that mix types.
    pub(super) fn with_mixing(&self, mixing: Mixing) -> Self {
        Self { mixing, ..self.again() }
    }

    /// The same with more learnt of pools.
    pub(in crate::capture) fn with_pools(&self, pools: Pools) -> Self {
        Self { pools, ..self.again() }
    }

    /// What is learnt of lists holds for those in attributes of rows, too: before anything is made of them.
    pub(crate) fn settle(&mut self) {
        let mixing = self.mixing.clone();
        self.pools.change_types(&|ty| lists_widened(&mixing, ty));
    }

    /// What may be in lists of nothing but None.
    pub(super) fn none(&self) -> May {
        self.mixing.none
    }

    /// Whether lists may hold numbers of several types, or None.
    pub(crate) fn mixes(&self) -> bool {
        self.mixing.may
    }

    /// Whether one does.
    pub(in crate::capture) fn has_mixed(&self) -> bool {
        self.mixing.has.get()
    }

    /// What lists hold that would hold items of a type, by what was learnt.
    pub(super) fn widened(&self, ty: ItemType) -> ItemType {
        self.mixing.widened(ty)
    }

    /// Whether lists may hold complex numbers and characters by the numbers that they are made of.
    pub(in crate::capture) fn takes_made(&self) -> bool {
        self.takes_made
    }

    /// One holds such items.
    pub(in crate::capture) fn note_made(&self, ty: &ItemType) {
        match ty.has_mixed() {
            true => self.mixing.has.set(true),
            false => self.has_made.set(true),
        }
    }

    /// Lists of such values cannot do all that other lists can: where something is refused and there are any, the capture
    /// starts again without.
    fn without_made(&self) -> Option<Self> {
        match self.has_mixed() {
            _ if !self.pools.is_empty() => Some(self.without_pools()),
            true => Some(self.without_mixed()),
            false => self.has_made.get().then(|| Self { takes_made: false, ..self.again() }),
        }
    }

    /// No object is a row: all that was learnt with them is forgotten.
    pub(crate) fn without_pools(&self) -> Self {
        Self { pools: Pools::new(false), mixing: Mixing::new(self.mixes()), ..Self::new(true) }
    }

    /// Lists hold numbers of one type each.
    pub(crate) fn without_mixed(&self) -> Self {
        Self { mixing: Mixing::new(false), ..Self::new(true) }
    }
}

/// A type with the lists in it as they are made.
fn lists_widened(mixing: &Mixing, ty: ItemType) -> ItemType {
    match ty {
        ItemType::List(items) => ItemType::List(mixing.widened((*items).clone()).into()),
        ItemType::Tuple(parts) => ItemType::Tuple(parts.into_iter().map(|it| lists_widened(mixing, it)).collect()),
        ItemType::Number(_) | ItemType::Made(_) => ty,
    }
}

impl Session<'_> {
    /// Where the instruction is refused that the path is at: the same, if it works on such a list.
    pub(crate) fn begin_without_made_at(&self, state: &State) -> Option<Abort> {
        fn over(iter: &Iter) -> Vec<&PyObjectRef> {
            match iter {
                Iter::Items { list, .. } => vec![list],
                Iter::Over { of, .. } => kind::container(of).into_iter().collect(),
                Iter::Enumerate { inner, .. } => over(inner),
                Iter::Zip { inners, .. } => inners.iter().flat_map(over).collect(),
                _ => Vec::new(),
            }
        }
        let is_made = |it: &PyObjectRef| values::staged_in(it).is_some_and(|list| list.items.has_made());
        let is_near = |it: &PyObjectRef| {
            let receiver = host::belongs::native_method(it, self.vm).map(|(receiver, _)| receiver);
            is_made(it) || receiver.is_some_and(|it| is_made(&it)) || inside(it, self.vm).iter().any(is_made)
        };
        let works = state.frame().stack.iter().any(|entry| match entry {
            V::Obj(object) => is_near(object),
            V::Iter(iter) => over(iter).into_iter().any(is_made),
            V::Null => false,
        });
        if works { self.begin_without_made() } else { None }
    }

    /// Where something is refused: the capture starts again without values of kinds in lists, if there are any.
    pub(crate) fn begin_without_made(&self) -> Option<Abort> {
        self.learnt.guess.without_made().map(|it| Abort::Learn(Assumption::Guess(Box::new(it))))
    }

    /// An item that a list cannot hold.
    pub(super) fn other_item(&self, wanted: &ItemType, item: &PyObjectRef, found: &str, what: &str) -> Stop {
        if let Some(guess) = self.learnt.guess.after(wanted.clone(), self.item_type(item)) {
            return Stop::Learn(Assumption::Guess(Box::new(guess)));
        }
        refuse("S288", format!("a `{found}` among items of type `{what}` of one list"))
            .help("give all items of the list one type")
            .into()
    }
}
