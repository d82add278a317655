//! Lists that a captured loop changes the length of, and dicts and sets of which it changes the keys.
//!
//! A loop is explored with lists of known length first. When a path comes back to the header that differs from the
//! first one in nothing but numbers and the lengths of lists of numbers, those lists become lists of the compiled
//! code, on every path that arrives, and the loop is explored again. So it is with dicts and sets of numbers.
//!
//! What is compared is the `Form` (`capture/shape.rs`): a shape without the lengths of its lists of numbers. If it fits
//! one that arrived before, the lists that differ are noted with the type of their items, everything is rolled back,
//! and the loop is explored again with these lists made before it, by one instruction for each run of equal items (256
//! at most); lists in a list become lists of the compiled code with it. A loop that may be unrolled is left alone.

use std::collections::BTreeMap;

use crate::capture::checkpoint;
use crate::capture::explore::{Abort, Header, LoopMemory};
use crate::capture::list::KNOWN_ONE_BY_ONE;
use crate::capture::session::Session;
use crate::capture::shape::{self, Grown, NumberList};
use crate::capture::state::State;

/// In how many shapes paths arrive at the header of a loop before dicts and sets with other known keys become some of the
/// compiled code.
const KNOWN_SHAPES: usize = 4;

impl Session<'_> {
    /// A path at the header of a loop, with the lists that the loop changes the length of as lists of the
    /// compiled code.
    pub(crate) fn with_grown_lists(&mut self, state: &State, memory: &LoopMemory) -> Result<State, Abort> {
        let mut state = state.clone();
        if memory.grown.is_empty() {
            return Ok(state);
        }
        let (form, lists) = shape::form(self, &state, &memory.roots);
        let grown = memory.grown.iter().filter(|(it, _)| it.fits(&form)).flat_map(|(_, grown)| grown);
        let mut left: BTreeMap<usize, Grown> = grown.map(|(&position, ty)| (position, ty.clone())).collect();
        left.retain(|&position, ty| !lists[position].staged && lists[position].ty.as_ref().is_none_or(|own| own == ty));
        if !left.is_empty() {
            // Blocks from before the loop stay as they were: the loop may be explored again.
            state = self.enter_plain(&[state]).swap_remove(0);
            if !state.reach.is_reached() {
                self.activate(&state);
                if !self.checkpoint(&mut state) && !self.rules.detached {
                    return Err(self.abort(checkpoint::stuck(), &state));
                }
            }
        }
        for (position, ty) in left {
            let object = &lists[position].object;
            if let Grown::List(ty) = &ty
                && ty.has_rows()
            {
                self.activate(&state);
                let objects = self.made_in([object]);
                state = self.rows_at(&state, &objects)?;
            }
            let staged = match &ty {
                Grown::List(ty) if ty.has_lists() => {
                    self.activate(&state);
                    let staged = self.stage_here(&mut state, object, ty).map(drop);
                    state = self.suspend(state);
                    staged
                }
                Grown::Map(ty) => self.stage_map_of(&mut state, object, *ty),
                Grown::List(ty) => self.stage_list(&mut state, object, ty),
            };
            staged.map_err(|stop| self.abort(stop, &state))?;
        }
        Ok(state)
    }

    /// A path differs from one that arrived before. If that is only in the lengths of lists of numbers, the loop is
    /// explored again with lists of the compiled code in their place.
    pub(crate) fn grow_lists(&mut self, state: &State, headers: &[Header], memory: &mut LoopMemory) -> bool {
        if headers.is_empty() {
            return false;
        }
        // A loop that can be unrolled has lists of known length, but long ones that change at any place.
        let may_grow = |list: &NumberList, other: &NumberList| {
            self.calls.voluntary == 0
                || memory.may_grow
                || list.staged != other.staged && list.length.max(other.length) > KNOWN_ONE_BY_ONE
        };
        let (form, lists) = shape::form(self, state, &memory.roots);
        // A dict that gets a key or two stays one whose keys are known.
        let grows = headers.len() >= KNOWN_SHAPES;
        for header in headers {
            let (before, others) = shape::form(self, &header.state, &memory.roots);
            if !before.fits(&form) {
                continue;
            }
            let pairs = lists.iter().zip(&others).enumerate();
            let grown: BTreeMap<usize, Grown> = pairs
                .filter(|(_, (list, other))| {
                    list.differs(other) && may_grow(list, other) && (grows || !list.are_known_maps(other))
                })
                .filter_map(|(position, (list, other))| Some((position, list.ty.clone().or_else(|| other.ty.clone())?)))
                .collect();
            if grown.is_empty() {
                continue;
            }
            let form = form.with_types_of(&before);
            match memory.grown.iter_mut().find(|(it, _)| it.fits(&form)) {
                Some((_, known)) => {
                    // What did not help once does not help again.
                    let count = known.len();
                    for (position, ty) in grown {
                        known.entry(position).or_insert(ty);
                    }
                    if known.len() == count {
                        continue;
                    }
                }
                None => memory.grown.push((form, grown)),
            }
            memory.masks.clear();
            return true;
        }
        false
    }
}
