//! Lists whose items are numbers of several types, or None: `[None] * n` that ints are stored into, distances that are an
//! int or `math.inf`.
//!
//! An item is a value of the kind `Mixed` (`kind/mixed.rs`): a column for its tag, and one for each way in which its number
//! may be stored. Lists do not begin as such: one of ints holds ints. Where something else is put into it, the capture starts
//! again, and lists of ints hold this, too, wherever compiled code makes them ([`Mixing::widened`]); of a list that is
//! passed the key says so. A list of nothing but None is one of None or ints until something else is put into it.
//!
//! Such lists cannot do all that others can (they are not sorted, say), and each item that is looked at makes paths. So
//! where an instruction that works on one is refused, where paths are too many, and where it takes too many widenings, the
//! capture starts again without any: what happens is what happened if there were none.

use std::cell::Cell;

use rustpython_vm::{AsObject, PyObjectRef};
use snekpy_stage::op::Op;

use super::columns::{ItemType, Made, innermost};
use super::{StagedList, in_items};
use crate::capture::assumptions::Assumption;
use crate::capture::heap;
use crate::capture::session::Session;
use crate::capture::state::State;
use crate::capture::stop::{Step, Stop};
use crate::captured::OfArguments;
use crate::flatten::Copied;
use crate::kind::{self, Is, May, Mixed};
use crate::limits::budget;
use crate::limits::budget::PATIENCE;

/// So often it may turn out that a list holds more than was thought.
const MAX_WIDER: usize = 8;
/// So often paths of a capture may fork on what an item is, and so much work may be done.
const MAX_FORKS: u32 = 3000;
const MAX_WORK: u64 = PATIENCE / 6;

/// What is learnt of lists of numbers of several types, or None.
#[derive(Clone, Debug)]
pub(super) struct Mixing {
    /// Whether lists may be such lists, and whether one is.
    pub(super) may: bool,
    pub(super) has: Cell<bool>,
    /// What is in lists of nothing but None, and whether that is a guess.
    pub(super) none: May,
    is_guess: bool,
    /// Lists of the one hold the other.
    wider: Vec<(ItemType, ItemType)>,
    /// How often paths have forked, and how much work had been done when it began.
    forks: Cell<u32>,
    begun: u64,
}

impl Mixing {
    pub(super) fn new(may: bool) -> Self {
        let none = May::from(Is::None).or(Is::Int.into());
        let (has, forks, begun) = (Cell::new(false), Cell::new(0), budget::spent());
        Self { may, has, none, is_guess: true, wider: Vec::new(), forks, begun }
    }

    /// The same for the next attempt.
    pub(super) fn again(&self) -> Self {
        Self { has: Cell::new(false), forks: Cell::new(0), begun: budget::spent(), ..self.clone() }
    }

    /// What lists hold that would hold items of a type.
    pub(super) fn widened(&self, mut ty: ItemType) -> ItemType {
        // Each step is to a wider one.
        while let Some((_, wide)) = self.wider.iter().find(|(it, _)| *it == ty) {
            ty = wide.clone();
        }
        match ty {
            ItemType::List(items) => ItemType::List(self.widened((*items).clone()).into()),
            other => other,
        }
    }

    /// With another type for lists of items of type `wanted`, and of another type, if an item is a list of these. Nothing
    /// if all that is known.
    fn with(&self, wanted: ItemType, list: Option<ItemType>, item: Option<May>, wide: &ItemType) -> Option<Self> {
        let mut next = self.again();
        if self.is_guess
            && wanted.may() == Some(self.none)
            && let Some(more) = item.filter(|it| it.only().is_some_and(|it| it != Is::None))
        {
            // No int was seen.
            next.none = more.or(Is::None.into());
            next.is_guess = false;
            return Some(next);
        }
        for ty in std::iter::once(wanted).chain(list) {
            if ty != *wide && !self.wider.iter().any(|(it, _)| *it == ty) {
                next.wider.push((ty, wide.clone()));
            }
        }
        (next.wider.len() > self.wider.len()).then_some(next)
    }
}

impl Session<'_> {
    /// Where something is put into a list of the compiled code that it cannot hold, but could if its items were mixed: the
    /// capture starts again with that.
    pub(super) fn wider_for(&self, wanted: &ItemType, item: &PyObjectRef) -> Option<Stop> {
        let guess = &self.learnt.guess;
        let wide = self.wide_type(wanted, item)?;
        let is_guess = guess.after(wanted.clone(), self.item_type(item)).is_some_and(|it| it.make().is_some());
        if is_guess {
            // Another guess is better.
            return None;
        }
        let is_list = matches!(wanted, ItemType::List(_));
        let list = if is_list { self.item_type(item).map(|it| innermost(wanted.clone(), it).1) } else { None };
        let (wanted, wide) = innermost(wanted.clone(), wide);
        let next = match guess.mixing.wider.len() < MAX_WIDER {
            true => guess.with_mixing(guess.mixing.with(wanted, list, self.may_of(item), &wide)?),
            false => guess.without_mixed(),
        };
        Some(Stop::Learn(Assumption::Guess(Box::new(next))))
    }

    /// The numbers of an item that is put into a list. One that is passed cannot be made otherwise: its key says what it
    /// holds.
    pub(super) fn numbers_for(
        &mut self,
        state: &mut State,
        list: &StagedList,
        item: &PyObjectRef,
    ) -> Step<Vec<snekpy_stage::entity::Value>> {
        if self.given.may_copy
            && self.given.copies.contains(&list.first())
            && let Some(wide) = self.wide_type(&list.items, item)
            && let Some(place) = self.place_of(list)
        {
            return Err(Stop::Learn(Assumption::Argument(OfArguments::Copy(Box::new(Copied::Passed {
                place,
                items: wide,
            })))));
        }
        self.numbers_of_item(state, &list.items, item)
    }

    /// Which argument a list is the copy of.
    fn place_of(&self, list: &StagedList) -> Option<crate::flatten::Root> {
        let is_it = |object: &&PyObjectRef| {
            let number = self.base.number(object);
            let contents = number.map(|it| self.base.entry(it).contents.clone());
            matches!(contents.as_deref(), Some(heap::Contents::List(items))
                if in_items(items).is_some_and(|it| it.first() == list.first()))
        };
        let object = self.given.list_params.iter().find(is_it)?;
        self.given.arguments.get(&object.get_id()).cloned()
    }

    /// What an item may be, if it is a number or None.
    fn may_of(&self, item: &PyObjectRef) -> Option<May> {
        match kind::as_kind::<Mixed>(item) {
            Some(mixed) => Some(mixed.may),
            None if self.vm.is_none(item) => Some(Is::None.into()),
            None if let Some(pool) = self.pool_of(item) => Some(Is::Row(pool).into()),
            None => crate::capture::value::number(item, self.vm).and_then(|num| Is::of_type(num.ty())).map(May::from),
        }
    }

    /// A path is about to fork on what an item is.
    pub(in crate::capture) fn count_fork(&self) -> Step<()> {
        let mixing = &self.learnt.guess.mixing;
        mixing.forks.set(mixing.forks.get() + 1);
        match mixing.forks.get() > MAX_FORKS || budget::spent().wrapping_sub(mixing.begun) > MAX_WORK {
            true => Err(Stop::Learn(Assumption::Guess(Box::new(self.learnt.guess.without_mixed())))),
            false => Ok(()),
        }
    }

    /// The parts of an item, as lists of such items store them; `None` if it is none.
    pub(in crate::capture) fn parts_of_item(
        &mut self,
        state: &State,
        made: &Made,
        item: &PyObjectRef,
    ) -> Step<Option<Vec<PyObjectRef>>> {
        self.row_first(item)?;
        if let Some(wanted) = made.array() {
            return Ok(self.number_of_array(state, item, wanted)?.map(|it| vec![it]));
        }
        let Some(may) = made.may() else {
            return Ok(Made::of(item, self.vm).filter(|it| it == made).map(|it| it.like_parts()));
        };
        let item = match kind::as_kind::<Mixed>(item) {
            Some(mixed) if mixed.may == may => return Ok(Some(mixed.parts.clone())),
            Some(mixed) => match self.known_may(state, mixed).only() {
                Some(is) => self.what_is(state, mixed, is)?,
                None => return self.parts_of_mixed(state, may, mixed),
            },
            None => item.clone(),
        };
        let num = self.number(&item)?;
        let is = match num {
            Some(num) => Is::of_type(num.ty()),
            None if self.vm.is_none(&item) => Some(Is::None),
            None => self.pool_of(&item).map(Is::Row).or_else(|| self.known_object(&item).map(Is::Known)),
        };
        let Some(is) = is.filter(|&is| may.be(is)) else { return Ok(None) };
        let mut parts = vec![may.tag_object(is, self.vm)];
        if may.has_int() {
            parts.push(match (is, num) {
                (Is::Int, _) => item.clone(),
                (Is::Row(_), _) => self.row_in_pool(&item).expect("it is a row").1,
                (Is::Bool, Some(num)) => {
                    let int = self.as_int(state, num);
                    self.rep(int)
                }
                _ => self.vm.ctx.new_int(0).into(),
            });
        }
        if may.has_float() {
            parts.push(if is == Is::Float { item } else { self.vm.ctx.new_float(0.0).into() });
        }
        Ok(Some(parts))
    }

    /// The parts of a value that may be less than those of the list.
    fn parts_of_mixed(&mut self, state: &State, may: May, mixed: &Mixed) -> Step<Option<Vec<PyObjectRef>>> {
        let known = self.known_may(state, mixed);
        if !may.covers(known) {
            return Ok(None);
        }
        let mut tag = None;
        for is in known.each() {
            let own = self.value(state, Op::Const(may.tag(is)), &[]);
            tag = Some(match tag {
                None => own,
                Some(other) => {
                    let holds = self.is_tagged(state, mixed, is)?;
                    self.value(state, Op::Select, &[holds, own, other])
                }
            });
        }
        let mut parts = vec![self.rep(tag.expect("it is something"))];
        if may.has_int() {
            let int = mixed.may.has_int().then(|| mixed.parts[1].clone());
            parts.push(int.unwrap_or_else(|| self.vm.ctx.new_int(0).into()));
        }
        if may.has_float() {
            let float = mixed.may.has_float().then(|| mixed.float().clone());
            parts.push(float.unwrap_or_else(|| self.vm.ctx.new_float(0.0).into()));
        }
        Ok(Some(parts))
    }
}
