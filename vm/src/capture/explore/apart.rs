//! Numbers that choose among things which are known: a loop has a header for each value of such a number.
//!
//! An interpreter that is written in Python has `op, arg = program[pc]` in its loop. Where `program` is known, each of its
//! instructions becomes code of its own in which `pc` is known, and so is where it goes on: the first Futamura projection
//! (Futamura 1971). What is known only later, `pc = stack.pop()`, comes to one more header, which finds out by comparing
//! and goes on at those of the others (Jones, Gomard and Sestoft 1993 call that *the trick*). A stack of the program has
//! a known length at each of its instructions, so that its numbers are kept in no list.

use std::collections::BTreeSet;

use rustpython_vm::PyObjectRef;
use snekpy_stage::entity::Value;
use snekpy_stage::op::Const;

use super::loops::{Header, LoopMemory};
use crate::capture::session::Session;
use crate::capture::shape::{self, Leaf, Local, Outline};
use crate::capture::state::State;
use crate::capture::value;

/// A loop has at most so many headers for values that are kept apart.
const MAX_HEADERS: usize = 128;
/// There may be so many lengths of its lists, and other shapes of its paths.
const MAX_SHAPES: usize = 8;

/// The values of the variables that are kept apart, in order; nothing for one that is known later.
pub(super) type Key = Vec<Option<Const>>;

/// Which variables of a loop are kept apart.
#[derive(Clone, Debug, Default)]
pub(crate) struct Apart {
    locals: BTreeSet<Local>,
    /// They had too many values.
    are_many: bool,
    /// Its lists had too many lengths.
    grows: bool,
}

impl Apart {
    /// The leaves of the variables that are kept apart.
    fn leaves<'a>(&'a self, outline: &'a Outline) -> impl Iterator<Item = usize> + use<'a> {
        leaves(outline, |local| self.locals.contains(local))
    }

    pub(super) fn key(&self, outline: &Outline) -> Key {
        key(outline, self.leaves(outline))
    }

    /// What is kept apart is a parameter where it is known later, and nowhere else.
    pub(super) fn settle(&self, outline: &Outline, mask: &mut [bool]) {
        for leaf in self.leaves(outline) {
            mask[leaf] = matches!(outline.leaves[leaf].0, Leaf::Staged(_));
        }
    }

    /// The parameters for what is kept apart and known later.
    pub(super) fn params<'a>(
        &'a self,
        outline: &'a Outline,
        params: &'a [Option<Value>],
    ) -> impl Iterator<Item = Value> + use<'a> {
        self.leaves(outline).filter_map(|leaf| params[leaf])
    }

    /// There is to be a further header. Whether these are too many, and it is all to be tried again otherwise.
    pub(super) fn is_too_many(&mut self, headers: usize) -> bool {
        let is = !self.locals.is_empty() && headers == MAX_HEADERS;
        if is {
            *self = Self { are_many: true, ..Self::default() };
        }
        is
    }

    /// Whether lists become lists of the compiled code where their lengths differ between paths of so many shapes.
    pub(super) fn lets_grow(&mut self, shapes: usize) -> bool {
        self.grows |= !self.locals.is_empty() && shapes > MAX_SHAPES;
        self.locals.is_empty() || self.grows
    }
}

/// Which numbers choose among things that are known.
#[derive(Clone, Debug, Default)]
pub(crate) struct Choosing {
    /// Those that have been asked.
    asked: Vec<Value>,
    /// Those that are kept apart: what they are found to be is remembered.
    told: Vec<Value>,
    /// The variables that the loops which are being explored keep apart.
    kept: Vec<Local>,
}

/// How much of it there was.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    asked: usize,
    told: usize,
    kept: usize,
}

impl Choosing {
    pub(super) const fn mark(&self) -> Mark {
        Mark { asked: self.asked.len(), told: self.told.len(), kept: self.kept.len() }
    }

    /// A loop is explored, for the first time or again.
    pub(super) fn begin(&mut self, before: Mark, apart: &Apart) {
        self.asked.truncate(before.asked);
        self.told.truncate(before.told);
        self.end(before);
        self.kept.extend(&apart.locals);
    }

    /// It has been.
    pub(super) fn end(&mut self, before: Mark) {
        self.kept.truncate(before.kept);
    }

    pub(super) fn tell(&mut self, params: impl Iterator<Item = Value>) {
        self.told.extend(params);
    }

    /// A number chooses. Whether what it is found to be is remembered.
    pub(crate) fn ask(&mut self, number: Value) -> bool {
        if !self.asked.contains(&number) {
            self.asked.push(number);
        }
        self.told.contains(&number)
    }

    /// What the variables are that are kept apart: paths that differ in it are not merged.
    pub(super) fn key(&self, outline: &Outline) -> Key {
        key(outline, leaves(outline, |local| self.kept.contains(local)))
    }
}

/// The leaves of some of the variables.
fn leaves<'a, F: Fn(&Local) -> bool>(outline: &'a Outline, is_one: F) -> impl Iterator<Item = usize> + use<'a, F> {
    outline.locals.iter().filter(move |(local, _)| is_one(local)).map(|(_, leaf)| *leaf)
}

fn key(outline: &Outline, leaves: impl Iterator<Item = usize>) -> Key {
    let value = |leaf: usize| match outline.leaves[leaf].0 {
        Leaf::Static(constant) => Some(constant),
        Leaf::Staged(_) => None,
    };
    leaves.map(value).collect()
}

impl Session<'_> {
    /// Keeps variables apart that have chosen among known things and were known when the loop began. Whether there are
    /// further ones.
    pub(super) fn keep_apart(&self, headers: &[Header], memory: &mut LoopMemory) -> bool {
        if memory.apart.are_many {
            return false;
        }
        let mut found = false;
        for header in headers {
            for (local, leaf) in &header.outline.locals {
                let chooses = header.params[*leaf].is_some_and(|it| self.choosing.asked.contains(&it));
                let was_known = || matches!(header.arrivals[0].1[*leaf].0, Leaf::Static(Const::I64(_)));
                found |= chooses && was_known() && memory.apart.locals.insert(*local);
            }
        }
        if found {
            memory.grown.clear();
            memory.masks.clear();
        }
        found
    }

    /// A path on which a number that is known later was found to be this one.
    pub(super) fn knowing(&self, state: &State, number: Value, is: i64) -> State {
        let known = PyObjectRef::from(self.vm.ctx.new_int(is));
        let roots = shape::changed_roots(self, state);
        shape::replace_leaves(self, state, &roots, |_, object| match value::rep(object) {
            Some((it, _)) if it == number => known.clone(),
            _ => object.clone(),
        })
    }
}
