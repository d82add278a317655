//! Dead variables.
//!
//! Where paths meet, variables that the program does not look at again are left out. A frame of plain Python holds what
//! they were bound to all the same, until they are bound to something else: who makes a weak reference can tell. So a
//! path remembers where what they hold came from, by the places that give objects, and a frame that plain Python goes on
//! with gets it back. Compiled code does nothing for that: the table of the call keeps what each place gave last.
//!
//! An object that is a row of a pool (`capture/pool.rs`) comes from no such place. The number of the row is a leaf of the
//! path, for as long as the variable holds it.
//!
//! What comes round a loop is known only when the loop has been explored. So where paths meet a variable has a number, of
//! which more and more is told, and which is looked up when the capture has ended.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::mem::take;
use std::sync::Arc;

use rustc_hash::FxHashMap as HashMap;
use rustpython_vm::{AsObject, PyObjectRef};
use snekpy_stage::entity::Value;
use snekpy_stage::ir::Def;
use snekpy_stage::op::Op;

use crate::capture::session::Session;
use crate::capture::state::{Frame, State};
use crate::capture::stop::Step;
use crate::capture::template::Leaves;
use crate::capture::value::{self, V};
use crate::exit::{DeadVariable, Origin, Origins};
use crate::kind::Is;

/// The dead variables of a frame, as far as they may hold objects.
#[derive(Clone, Default, Debug)]
pub(crate) struct Dead {
    variables: BTreeMap<usize, Holds>,
    /// Those that a comprehension keeps on the stack while its own variable has the name.
    saved: BTreeMap<usize, Holds>,
}

/// What a dead variable holds.
#[derive(Clone, Default, Debug)]
struct Holds {
    /// What is told of it, by number.
    tale: Option<usize>,
    /// The number of the row of a pool, if it is one.
    row: Row,
}

/// The number of a row, if there is one.
pub(crate) type Row = Option<PyObjectRef>;

impl Dead {
    /// A variable is unbound.
    pub(crate) fn forget(&mut self, local: usize) {
        self.variables.remove(&local);
    }

    /// A comprehension puts what a variable holds on the stack.
    pub(crate) fn save(&mut self, local: usize, is_dead: bool) {
        let held = self.variables.remove(&local).filter(|_| is_dead);
        self.saved.insert(local, held.unwrap_or_default());
    }

    /// What a comprehension has put on the stack is what the variable holds again.
    pub(crate) fn restore(&mut self, local: usize) {
        self.variables.insert(local, self.saved.remove(&local).unwrap_or_default());
    }

    /// A variable is dead from here on that is bound to this row of a pool, or to no row.
    pub(crate) fn hold(&mut self, local: usize, row: Row) {
        *self.row_mut(local) = row;
    }

    /// The number of the row that a variable holds.
    pub(crate) fn row_mut(&mut self, local: usize) -> &mut Row {
        &mut self.variables.entry(local).or_default().row
    }

    /// Those that comprehensions keep on the stack.
    pub(crate) fn saved_rows_mut(&mut self) -> impl Iterator<Item = &mut Row> {
        self.saved.values_mut().map(|it| &mut it.row)
    }

    /// The rows alone: what is told of the variables is of before paths have met.
    fn without_tales(mut self) -> Self {
        self.variables.values_mut().chain(self.saved.values_mut()).for_each(|it| it.tale = None);
        self
    }
}

/// What is told of a variable.
#[derive(PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Told {
    Origin(Origin),
    /// The same as of another one.
    As(usize),
}

/// What is told of all dead variables of a capture, by number.
#[derive(Default, Debug)]
pub(crate) struct Tales {
    told: Vec<(BTreeSet<Told>, Arc<Origins>)>,
    /// Of which pool the rows are that a local variable of some code has held; `None` if of several.
    pools: RefCell<HashMap<(usize, usize), Option<u8>>>,
}

impl Tales {
    fn begin(&mut self, told: BTreeSet<Told>) -> usize {
        self.told.push((told, Arc::default()));
        self.told.len() - 1
    }

    /// A local variable of this code has held a row of a pool.
    pub(crate) fn note_pool(&self, code: usize, local: usize, pool: u8) {
        let mut pools = self.pools.borrow_mut();
        let known = pools.entry((code, local)).or_insert(Some(pool));
        *known = known.filter(|it| *it == pool);
    }

    /// The capture has ended: what was told of each is all.
    pub(crate) fn end(&mut self) {
        for number in 0..self.told.len() {
            let (mut left, mut seen, mut origins) = (vec![number], BTreeSet::new(), BTreeSet::new());
            while let Some(number) = left.pop().filter(|it| seen.insert(*it)) {
                for told in &self.told[number].0 {
                    match told {
                        Told::Origin(origin) => drop(origins.insert(origin.clone())),
                        Told::As(other) => left.push(*other),
                    }
                }
            }
            let _ = self.told[number].1.set(origins.into_iter().collect());
        }
    }
}

impl Session<'_> {
    /// Paths have met: what dead variables of the path that goes on hold. More may be told later if `is_header`.
    pub(crate) fn meet_dead(&mut self, merged: &mut State, members: &[&State], is_header: bool) {
        for (depth, frame) in merged.frames.iter_mut().enumerate() {
            let mut dead = take(&mut frame.dead).without_tales();
            for local in dead_in(frame) {
                let told: BTreeSet<Told> =
                    members.iter().flat_map(|state| self.held_by(&state.frames[depth], local)).collect();
                let number = match told.first() {
                    None if !is_header => continue,
                    Some(&Told::As(other)) if told.len() == 1 && !is_header => other,
                    _ => self.dead.begin(told),
                };
                dead.variables.entry(local).or_default().tale = Some(number);
            }
            for (&local, held) in members.iter().flat_map(|state| &state.frames[depth].dead.saved) {
                let saved = dead.saved.entry(local).or_default();
                saved.tale = held.tale.or(saved.tale);
            }
            frame.dead = dead;
        }
    }

    /// Another path comes to the header of a loop.
    pub(crate) fn tell_dead(&mut self, header: &State, arriving: &State) {
        for (own, other) in header.frames.iter().zip(&arriving.frames) {
            for (&local, held) in &own.dead.variables {
                let Some(number) = held.tale else { continue };
                let told = self.held_by(other, local);
                self.dead.told[number].0.extend(told.into_iter().filter(|it| *it != Told::As(number)));
            }
        }
    }

    /// The dead variables of a frame that plain Python goes on with.
    pub(crate) fn dead_variables(&mut self, frame: &Frame, leaves: &mut Leaves) -> Step<Vec<DeadVariable>> {
        // What is looked at again is unbound.
        let is_dead = |local: usize| frame.locals[local].is_none() && !frame.code.live_in(frame.pc, local);
        let mut dead = Vec::new();
        for (&local, held) in frame.dead.variables.iter().filter(|it| is_dead(*it.0)) {
            let pool = self.dead.pools.borrow().get(&(frame.code.object.get_id(), local)).copied().flatten();
            let row = match held.row.as_ref().zip(pool) {
                Some((row, pool)) => {
                    Some(self.template_of_rows(Is::Row(pool).into(), std::slice::from_ref(row), leaves)?)
                }
                None => None,
            };
            if row.is_some() || held.tale.is_some() {
                let origins = held.tale.map(|it| self.dead.told[it].1.clone()).unwrap_or_default();
                dead.push(DeadVariable { local, origins, row });
            }
        }
        Ok(dead)
    }

    /// A frame in the middle of a call begins with this in its dead variables.
    pub(crate) fn dead_at_entry(&mut self, dead: &[DeadVariable]) -> Dead {
        let mut begin = |variable: &DeadVariable| {
            let origins = variable.origins.get().into_iter().flatten();
            let tale = self.dead.begin(origins.cloned().map(Told::Origin).collect());
            (variable.local, Holds { tale: Some(tale), row: None })
        };
        Dead { variables: dead.iter().map(&mut begin).collect(), ..Dead::default() }
    }

    /// Where what a variable of a path holds came from.
    fn held_by(&self, frame: &Frame, local: usize) -> Vec<Told> {
        match &frame.locals[local] {
            Some(V::Obj(object)) => self.origins_of(object).into_iter().map(Told::Origin).collect(),
            Some(V::Null | V::Iter(_)) => Vec::new(),
            None => frame.dead.variables.get(&local).and_then(|it| it.tale).map(Told::As).into_iter().collect(),
        }
    }

    /// Where an object came from that the call has not made.
    fn origins_of(&self, object: &PyObjectRef) -> Vec<Origin> {
        if let Some((value, _)) = value::handle(object) {
            return self.givers_of(value);
        }
        let passed = [&self.given.arguments, &self.given.passed].into_iter().find_map(|it| it.get(&object.get_id()));
        passed.map(|root| Origin::Argument(root.clone())).into_iter().collect()
    }

    /// The places that may have given the object of a handle.
    fn givers_of(&self, value: Value) -> Vec<Origin> {
        let mut givers = Vec::new();
        let (mut left, mut seen) = (vec![value], BTreeSet::new());
        while let Some(value) = left.pop() {
            if !seen.insert(value) {
                continue;
            }
            match self.func.values[value].def {
                Def::Result(inst, _) => {
                    if let Op::Host(host, _) = self.func.insts[inst].op {
                        givers.push(Origin::Place(host));
                    }
                }
                Def::Param(block, _) if block == self.func.entry() => {
                    let passed = self.given.objects_passed.get(&value).filter(|_| self.calls.building == 0);
                    givers.extend(passed.map(|root| Origin::Argument(root.clone())));
                }
                Def::Param(block, index) => {
                    let jumps = self.func.blocks.values().flat_map(|it| it.term.jumps());
                    left.extend(jumps.filter(|it| it.target == block).map(|it| it.args[index as usize]));
                }
            }
        }
        givers
    }
}

/// The variables of a frame of a path that paths have become, that are dead where it is: they are left out.
fn dead_in(frame: &Frame) -> Vec<usize> {
    let left_out = (0..frame.locals.len()).filter(|&local| frame.locals[local].is_none());
    left_out.filter(|&local| !frame.code.live_in(frame.pc, local)).collect()
}
