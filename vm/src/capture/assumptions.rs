//! What a capture assumes, and learns by starting again.
//!
//! A capture does not know at its beginning which functions are recursive, what empty lists will hold, where it cannot go
//! on, and of what nothing is known. It begins with the strongest assumptions, which give the best code. Where one turns
//! out wrong, an attempt ends with an [`Assumption`], and the next one begins with what all attempts have learnt:
//!
//! | what is assumed | at first | then |
//! |---|---|---|
//! | a call of a function | is inlined | stays a call ([`Assumption::Outline`]) |
//! | an int that is passed to a derivative | may be any | is known where it is a size ([`Assumption::Ints`]) |
//! | items of empty lists | ints | of another type, of several, of any but made ones ([`Assumption::Guess`]) |
//! | objects that a loop makes | are rows of pools | are not ([`Assumption::Guess`]) |
//! | an instruction | is captured | leaves for plain Python ([`Assumption::Leave`]) |
//! | an object | is known | is only handed on ([`Assumption::Opaque`]) |
//! | an argument | as its key says | otherwise ([`Assumption::Argument`]): the key is made anew |
//!
//! Each row is a chain, and an attempt only goes down. Two steps forget the other rows: what was learnt with rows of pools,
//! or with lists of several types, is not what happens without. Each of them is taken once, so there is an end to it.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use crate::capture::handed::Handed;
use crate::capture::list::Guess;
use crate::capture::recursion::{Outline, Outlined};
use crate::capture::session::{Learnt, Session};
use crate::capture::state::Place;
use crate::captured::{Failure, OfArguments};
use crate::flatten::Key;
use crate::refusal::Refusal;

/// What the next attempt assumes.
#[derive(Debug)]
pub(crate) enum Assumption {
    /// A function stays a function.
    Outline(Box<Outline>),
    /// These leaves of a function that is differentiated are known in it.
    Ints(Box<Outline>, BTreeSet<usize>),
    /// Empty lists hold this.
    Guess(Box<Guess>),
    /// Calls go on as plain Python at this place already.
    Leave(Place, Box<Refusal>),
    /// Compiled code only hands these on.
    Opaque(Vec<Handed>),
    /// Arguments are taken in another way.
    Argument(OfArguments),
}

/// What all attempts have learnt.
pub(crate) struct Assumptions {
    /// Functions that stay functions.
    pub(crate) outlined: Outlined,
    /// Places where calls go on as plain Python, and why.
    leaves: HashMap<Place, Refusal>,
    /// What compiled code only hands on.
    opaque: HashSet<Handed>,
    /// What lists hold, and which objects are rows of pools.
    guess: Guess,
}

impl Assumptions {
    /// The first ones.
    pub(crate) fn new(detached: bool) -> Self {
        Self {
            outlined: Outlined::default(),
            leaves: HashMap::default(),
            opaque: HashSet::default(),
            guess: Guess::new(detached),
        }
    }

    /// Tells an attempt.
    pub(crate) fn begin(&self, learnt: &mut Learnt) {
        learnt.leaves.clone_from(&self.leaves);
        learnt.handed.clone_from(&self.opaque);
        learnt.guess.clone_from(&self.guess);
        learnt.guess.settle();
    }

    /// There were too many attempts: whether there can be others without pools.
    pub(crate) fn retreat(&mut self) -> bool {
        let may = !self.guess.pools.is_empty();
        if may {
            self.begin_anew(self.guess.without_pools());
        }
        may
    }

    /// Calls go on as plain Python here, and nowhere else.
    pub(crate) fn leave_only(&mut self, place: Place, refusal: Refusal) {
        self.leaves = HashMap::from_iter([(place, refusal)]);
    }

    /// An attempt has ended with this.
    pub(crate) fn learn(&mut self, assumption: Assumption, attempt: &Session<'_>, key: &Key) -> Result<(), Failure> {
        match assumption {
            Assumption::Argument(learnt) => return Err(learnt.into()),
            Assumption::Guess(next) => {
                if !next.mixes() && key.holds_mixed() {
                    return Err(OfArguments::Mixed.into());
                }
                if !next.takes_made() && key.holds_made() {
                    return Err(OfArguments::Items.into());
                }
                let retreats = self.guess.pools.may_be() && !next.pools.may_be() || self.guess.mixes() && !next.mixes();
                if retreats {
                    self.begin_anew(*next);
                    return Ok(());
                }
                self.guess = *next;
            }
            Assumption::Outline(outline) => {
                self.outlined = attempt.calls.outlined.knowledge();
                self.outlined.learn(*outline);
                return Ok(());
            }
            Assumption::Ints(of, leaves) => {
                self.outlined = attempt.calls.outlined.knowledge();
                self.outlined.know(&of, leaves);
                return Ok(());
            }
            Assumption::Leave(place, refusal) => {
                self.leaves.insert(place, *refusal);
            }
            Assumption::Opaque(objects) => {
                if let Some(local) = objects.iter().find_map(Handed::argument) {
                    return Err(OfArguments::HandOn(local).into());
                }
                self.opaque.extend(objects);
            }
        }
        self.outlined = attempt.calls.outlined.knowledge();
        Ok(())
    }

    /// An attempt was refused: what it assumed too much of is given up, the most doubtful first.
    pub(crate) fn refused(&mut self, refusal: Box<Refusal>, attempt: &Session<'_>, key: &Key) -> Result<(), Failure> {
        if !attempt.learnt.guess.pools.is_empty() {
            self.begin_anew(self.guess.without_pools());
        } else if attempt.tensors.later_sizes {
            return Err(OfArguments::Sizes.into());
        } else if key.holds_mixed() {
            return Err(OfArguments::Mixed.into());
        } else if key.holds_made() {
            return Err(OfArguments::Items.into());
        } else if attempt.learnt.guess.has_mixed() {
            self.begin_anew(self.guess.without_mixed());
        } else {
            return Err(Failure::Refused(refusal));
        }
        Ok(())
    }

    /// What was learnt holds no more.
    fn begin_anew(&mut self, guess: Guess) {
        (self.outlined, self.leaves, self.opaque) = Default::default();
        self.guess = guess;
    }
}
