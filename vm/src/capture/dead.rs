//! Dead variables.
//!
//! Where paths meet, variables that the program does not look at again are left out. A frame of plain Python holds what
//! they were bound to all the same, until they are bound to something else: who makes a weak reference can tell. So a
//! path remembers where what they hold came from, by the places that give objects, and a frame that plain Python goes on
//! with gets it back. Compiled code does nothing for that: the table of the call keeps what each place gave last.
//!
//! What comes round a loop is known only when the loop has been explored. So where paths meet a variable has a number, of
//! which more and more is told, and which is looked up when the capture has ended.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rustpython_vm::{AsObject, PyObjectRef};
use snekpy_stage::entity::Value;
use snekpy_stage::ir::Def;
use snekpy_stage::op::Op;

use crate::capture::session::Session;
use crate::capture::state::{Frame, State};
use crate::capture::value::{self, V};
use crate::exit::{DeadVariable, Origin, Origins, Root};

/// The dead variables of a frame, as far as they may hold objects: what is told of each, by its number.
#[derive(Clone, Default, Debug)]
pub(crate) struct Dead {
    variables: BTreeMap<usize, usize>,
    /// Those that a comprehension keeps on the stack while its own variable has the name.
    saved: BTreeMap<usize, usize>,
}

impl Dead {
    /// A variable is unbound.
    pub(crate) fn forget(&mut self, local: usize) {
        self.variables.remove(&local);
    }

    /// A comprehension puts what a variable holds on the stack.
    pub(crate) fn save(&mut self, local: usize, is_dead: bool) {
        let number = self.variables.remove(&local);
        self.saved.remove(&local);
        self.saved.extend(number.filter(|_| is_dead).map(|it| (local, it)));
    }

    /// What a comprehension has put on the stack is what the variable holds again.
    pub(crate) fn restore(&mut self, local: usize) {
        self.variables.remove(&local);
        self.variables.extend(self.saved.remove(&local).map(|it| (local, it)));
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
pub(crate) struct Tales(Vec<(BTreeSet<Told>, Arc<Origins>)>);

impl Tales {
    fn begin(&mut self, told: BTreeSet<Told>) -> usize {
        self.0.push((told, Arc::default()));
        self.0.len() - 1
    }

    /// The capture has ended: what was told of each is all.
    pub(crate) fn end(&mut self) {
        for number in 0..self.0.len() {
            let (mut left, mut seen, mut origins) = (vec![number], BTreeSet::new(), BTreeSet::new());
            while let Some(number) = left.pop().filter(|it| seen.insert(*it)) {
                for told in &self.0[number].0 {
                    match told {
                        Told::Origin(origin) => drop(origins.insert(origin.clone())),
                        Told::As(other) => left.push(*other),
                    }
                }
            }
            let _ = self.0[number].1.set(origins.into_iter().collect());
        }
    }
}

impl Session<'_> {
    /// Paths have met: what dead variables of the path that goes on hold. More may be told later if `is_header`.
    pub(crate) fn meet_dead(&mut self, merged: &mut State, members: &[&State], is_header: bool) {
        for (depth, frame) in merged.frames.iter_mut().enumerate() {
            let mut dead = Dead::default();
            for local in dead_in(frame) {
                let told: BTreeSet<Told> =
                    members.iter().flat_map(|state| self.held_by(&state.frames[depth], local)).collect();
                let number = match told.first() {
                    None if !is_header => continue,
                    Some(&Told::As(other)) if told.len() == 1 && !is_header => other,
                    _ => self.dead.begin(told),
                };
                dead.variables.insert(local, number);
            }
            let saved = members.iter().flat_map(|state| state.frames[depth].dead.saved.clone());
            dead.saved.extend(saved);
            frame.dead = dead;
        }
    }

    /// Another path comes to the header of a loop.
    pub(crate) fn tell_dead(&mut self, header: &State, arriving: &State) {
        for (own, other) in header.frames.iter().zip(&arriving.frames) {
            for (&local, &number) in &own.dead.variables {
                let told = self.held_by(other, local);
                self.dead.0[number].0.extend(told.into_iter().filter(|it| *it != Told::As(number)));
            }
        }
    }

    /// The dead variables of a frame that plain Python goes on with.
    pub(crate) fn dead_variables(&self, frame: &Frame) -> Vec<DeadVariable> {
        let unbound = frame.dead.variables.iter().filter(|(local, _)| frame.locals[**local].is_none());
        unbound.map(|(&local, &number)| DeadVariable { local, origins: self.dead.0[number].1.clone() }).collect()
    }

    /// A frame in the middle of a call begins with this in its dead variables.
    pub(crate) fn dead_at_entry(&mut self, dead: &[DeadVariable]) -> Dead {
        let mut begin = |variable: &DeadVariable| {
            let origins = variable.origins.get().into_iter().flatten();
            (variable.local, self.dead.begin(origins.cloned().map(Told::Origin).collect()))
        };
        Dead { variables: dead.iter().map(&mut begin).collect(), saved: BTreeMap::new() }
    }

    /// Where what a variable of a path holds came from.
    fn held_by(&self, frame: &Frame, local: usize) -> Vec<Told> {
        match &frame.locals[local] {
            Some(V::Obj(object)) => self.origins_of(object).into_iter().map(Told::Origin).collect(),
            Some(V::Null | V::Iter(_)) => Vec::new(),
            None => frame.dead.variables.get(&local).map(|&it| Told::As(it)).into_iter().collect(),
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

/// The variables of a frame that are dead where it is.
fn dead_in(frame: &Frame) -> Vec<usize> {
    (0..frame.locals.len()).filter(|&local| !frame.code.live_in(frame.pc, local)).collect()
}

/// What the dead variables of a re-entry hold comes behind what it is given.
pub(crate) fn behind(local: usize, position: usize) -> DeadVariable {
    let origins = Origins::from(vec![Origin::Argument(Root { local: position, path: Vec::new() })]);
    DeadVariable { local, origins: Arc::new(origins) }
}
