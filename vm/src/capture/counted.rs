//! How often a loop goes round, as far as that is known while capturing.

use rustpython_vm::bytecode::Opcode;

use crate::capture::explore::MAX_UNROLL;
use crate::capture::heap::Contents;
use crate::capture::list::KNOWN_ONE_BY_ONE;
use crate::capture::session::Session;
use crate::capture::state::State;
use crate::capture::value::{Iter, Step, V};

/// Whether the number of times a loop runs is known now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Counted {
    /// A `for` over a range with so many numbers left.
    Range(usize),
    /// A `for` over items that are known one by one, with so many left.
    Items(usize),
    /// Not a `for`, or one over something staged.
    No,
}

impl Session<'_> {
    pub(crate) fn counted(&self, states: &[State]) -> Counted {
        self.counted_of(states, false)
    }

    /// The same; `shared`: also where the program has the iterator, and may take items from it.
    fn counted_of(&self, states: &[State], shared: bool) -> Counted {
        let mut counted = Counted::No;
        for state in states {
            let frame = state.frame();
            if frame.code.instrs[frame.pc as usize].op != Opcode::ForIter {
                return Counted::No;
            }
            let Some(V::Iter(iter)) = frame.stack.last() else { return Counted::No };
            match (self.count(state, iter, shared), counted) {
                (Counted::No, _) => return Counted::No,
                (Counted::Items(left), Counted::Items(other)) => counted = Counted::Items(left.max(other)),
                (Counted::Items(left), _) | (_, Counted::Items(left)) => counted = Counted::Items(left),
                (Counted::Range(length), Counted::Range(other)) => counted = Counted::Range(length.max(other)),
                (Counted::Range(length), Counted::No) => counted = Counted::Range(length),
            }
        }
        counted
    }

    /// Whether a loop over the items of a list makes that list longer as it goes.
    pub(crate) fn grows(&self, left: usize, back: &[State]) -> bool {
        left != usize::MAX && matches!(self.counted(back), Counted::Items(now) if now >= left)
    }

    /// Whether a loop in which nothing is staged is over soon.
    pub(crate) fn ends_soon(&self, states: &[State]) -> bool {
        match self.counted_of(states, true) {
            Counted::Range(length) => length <= KNOWN_ONE_BY_ONE,
            Counted::Items(length) => length <= MAX_UNROLL,
            Counted::No => false,
        }
    }

    fn count(&self, state: &State, iter: &Iter, shared: bool) -> Counted {
        match iter {
            Iter::Range { next, stop, step: Step::Static(step) } => {
                let int = |obj: &rustpython_vm::PyObjectRef| {
                    let int = obj.downcast_ref::<rustpython_vm::builtins::PyInt>()?;
                    i64::try_from(int.as_bigint()).ok()
                };
                match (int(next), int(stop)) {
                    (Some(next), Some(stop)) => {
                        let span = if *step > 0 {
                            i128::from(stop) - i128::from(next)
                        } else {
                            i128::from(next) - i128::from(stop)
                        };
                        let step = i128::from(step.unsigned_abs());
                        Counted::Range(usize::try_from((span.max(0) + step - 1) / step).unwrap_or(usize::MAX))
                    }
                    _ => Counted::No,
                }
            }
            Iter::Range { .. }
            | Iter::Array { .. }
            | Iter::Items { .. }
            | Iter::Entries { .. }
            | Iter::Over { .. }
            | Iter::Generator { .. }
            | Iter::Running => Counted::No,
            Iter::Shared(object) => match self.contents_of(state, object).as_deref() {
                Some(Contents::Iter(iter)) if shared => self.count(state, iter, shared),
                Some(_) | None => Counted::No,
            },
            Iter::Seq { items, index } => {
                let list = self.list_length(state, items);
                Counted::Items(list.map_or(usize::MAX, |length| length.saturating_sub(*index)))
            }
            Iter::Members { .. } | Iter::Back { .. } | Iter::Empty(_) => Counted::Items(usize::MAX),
            Iter::Enumerate { inner, count: number } => {
                match (self.count(state, inner, shared), crate::capture::value::rep(number)) {
                    (counted, None) => counted,
                    (_, Some(_)) => Counted::No,
                }
            }
            Iter::Zip { inners, .. } => {
                let mut counted = Counted::No;
                for inner in inners {
                    match (self.count(state, inner, shared), counted) {
                        (Counted::Items(left), _) => return Counted::Items(left),
                        (Counted::Range(length), Counted::Range(other)) => counted = Counted::Range(length.min(other)),
                        (Counted::Range(length), _) => counted = Counted::Range(length),
                        (Counted::No, _) => {}
                    }
                }
                counted
            }
        }
    }
}
