//! Which features a program has: a choice of [`Part`]s.

mod aliases;
mod characters;
mod complex;
mod containers;
mod crossings;
mod deques;
mod exceptions;
mod filling;
mod generators;
mod growing;
mod host;
mod mixed;
mod objects;
mod outside;
mod pooled;
mod programs;
mod sized;
mod tensors;
mod wide;

use super::idioms::Part;
use super::rng::Rng;

/// Definitions that belong together: one template, and the parts that say how it is used.
#[derive(Clone, Debug)]
pub(super) struct Unit {
    /// The text of all parts.
    pub(super) text: String,
    /// The parts.
    pub(super) parts: Vec<Part>,
}

impl Unit {
    fn of(parts: Vec<Part>) -> Unit {
        Unit { text: parts.iter().map(|it| it.text).collect(), parts }
    }
}

/// The features of one program, in the order in which they are defined; none for a program over scalars.
pub(super) fn choose(rng: &mut Rng) -> Vec<Unit> {
    let mut units = Vec::new();
    if rng.chance(15) {
        return units;
    }
    let one = |part: Part| Unit::of(vec![part]);
    // What most programs have a little of.
    if rng.chance(50) {
        units.push(one(host::TEXTS));
    }
    if rng.chance(20) {
        units.push(one(characters::CHARACTERS));
        if units.len() == 1 {
            units.push(one(host::TEXTS));
        }
    }
    if rng.chance(40) {
        units.push(one(host::GLOBALS));
    }
    if rng.chance(30) {
        units.push(one(host::BELIEVED));
    }
    if rng.chance(16) {
        units.push(one(containers::LARGE));
    }
    if rng.chance(18) {
        units.push(one(programs::PROGRAMS));
        if rng.chance(40) {
            units.push(one(containers::LISTS));
            return units;
        }
    }
    if rng.chance(15) {
        units.push(one(pooled::POOLED));
        if rng.chance(40) {
            return units;
        }
    }
    if rng.chance(15) {
        units.push(one(deques::DEQUES));
        if rng.chance(40) {
            units.push(one(containers::LISTS));
            return units;
        }
    }
    if rng.chance(10) {
        units.push(one(sized::SIZED));
        if rng.chance(40) {
            return units;
        }
    }
    if rng.chance(20) {
        units.push(one(exceptions::TRACED));
    }
    if rng.chance(30) {
        units.extend(some(rng, &outside::PARTS, 3).into_iter().map(one));
    }
    if rng.chance(60) {
        units.push(one(crossings::ANYTHING));
        units.extend(some(rng, &crossings::PARTS, 4).into_iter().map(one));
        // Beside much else, less of them is reached.
        if rng.chance(55) {
            return units;
        }
    }
    if rng.chance(12) {
        units.extend(arrays(rng));
        if rng.chance(60) {
            return units;
        }
    }
    let focus = rng.below(8);
    if focus == 0 || focus == 7 || rng.chance(35) {
        units.push(one(containers::LISTS));
        if rng.chance(60) {
            units.push(one(growing::GROWING));
            if rng.chance(40) {
                units.push(one(mixed::MIXED));
            }
        }
        if rng.chance(45) {
            units.push(one(filling::FILLING));
        }
        if rng.chance(45) {
            units.push(one(aliases::ALIASES));
        }
        for part in [containers::NESTED, containers::DICTS, containers::SETS] {
            if rng.chance(35) {
                units.push(one(part));
            }
        }
    }
    if focus == 1 || rng.chance(20) {
        units.extend(classes(rng));
    }
    if rng.chance(20) {
        units.push(one(objects::PATCHED));
    }
    if focus == 2 || rng.chance(15) {
        units.push(one(generators::ITERATORS));
        units.extend(some(rng, &generators::SOURCES, 3).into_iter().map(one));
    }
    if rng.chance(30) {
        units.push(one(generators::SHARED));
    }
    if focus == 3 || rng.chance(20) {
        units.push(one(exceptions::HANDLERS));
        units.extend(some(rng, &exceptions::MANAGERS, 2).into_iter().map(one));
    }
    if focus == 6 || rng.chance(8) {
        units.push(one(containers::ARRAYS));
    }
    if rng.chance(7) {
        units.push(one(host::RANDOM));
    }
    if rng.chance(15) {
        units.push(one(complex::COMPLEX));
    }
    if rng.chance(15) {
        units.push(one(wide::WIDE));
    }
    if focus == 4 || rng.chance(25) {
        units.extend(some(rng, &host::FUNCTIONS, 3).into_iter().map(one));
    }
    if focus == 5 || rng.chance(10) {
        units.push(one(objects::RECORDS[rng.below(objects::RECORDS.len())]));
        if rng.chance(50) {
            units.push(one(containers::DICTS));
        }
    }
    units
}

/// The features of a program with arrays, and some others now and then.
pub(super) fn choose_tensors(rng: &mut Rng) -> Vec<Unit> {
    let mut units = arrays(rng);
    let one = |part: Part| Unit::of(vec![part]);
    if rng.chance(25) {
        units.push(one(host::GLOBALS));
    }
    if rng.chance(25) {
        units.push(one(containers::LISTS));
    }
    if rng.chance(20) {
        units.push(one(exceptions::HANDLERS));
    }
    units
}

fn arrays(rng: &mut Rng) -> Vec<Unit> {
    let mut units = vec![Unit::of(vec![tensors::TENSORS])];
    if rng.chance(50) {
        units.push(Unit::of(vec![tensors::ROWS]));
    }
    units
}

/// A base class with some members, and perhaps a class below it.
fn classes(rng: &mut Rng) -> Vec<Unit> {
    // The last ones lead out of compiled code more often.
    let base = rng.below(objects::BASES.len()).min(rng.below(objects::BASES.len()));
    let mut parts = vec![objects::BASES[base]];
    let share = 15 + rng.below(40);
    parts.extend(objects::MEMBERS.iter().filter(|_| rng.chance(share)));
    let mut units = vec![Unit::of(parts)];
    if rng.chance(60) {
        units.push(Unit::of(vec![objects::BELOW[rng.below(objects::BELOW.len())]]));
    }
    units
}

/// From one to `most` of `parts`, in their order.
fn some(rng: &mut Rng, parts: &[Part], most: usize) -> Vec<Part> {
    let count = 1 + rng.below(most);
    let mut chosen: Vec<usize> = Vec::new();
    while chosen.len() < count {
        let next = rng.below(parts.len());
        if !chosen.contains(&next) {
            chosen.push(next);
        }
    }
    chosen.sort_unstable();
    chosen.into_iter().map(|it| parts[it]).collect()
}
