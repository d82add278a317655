//! Numbers that are others each time that work is begun again, and what they are guessed to be next.
//!
//! A number goes into work as an element of some dtype, and nothing else depends on it: the pass `runs` sees to that. Which words
//! of the steps it is, is found by comparing two recordings of the same work with other numbers ([`found`]). What it will be in the
//! iterations to come is guessed from what it was ([`Guess`]). A guess is compared with the number by bits, before anything that was
//! begun with it counts.

use super::step::Step;
use crate::tensor::elem::by_dtype;
use crate::tensor::{Dtype, Elem, Item};
use crate::types::Type;

/// A number that work is given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Number {
    /// Its bits, as an int or a float of Python.
    pub bits: u64,
    /// Whether it is a float.
    pub is_float: bool,
    /// What it is in the work: floats.
    pub dtype: Dtype,
}

impl Number {
    /// What slots of ints and floats are.
    pub fn all(types: &[Type], dtypes: &[Dtype], slots: &[u64]) -> Vec<Self> {
        let number = |((ty, &dtype), &bits): ((&Type, &Dtype), &u64)| Self { bits, is_float: *ty == Type::F64, dtype };
        types.iter().zip(dtypes).zip(slots).map(number).collect()
    }

    /// The bits of the element that it is.
    pub(super) fn element(self) -> u64 {
        let item =
            if self.is_float { Item::Float(f64::from_bits(self.bits)) } else { Item::Int(self.bits.cast_signed()) };
        let mut bits = 0_u64;
        by_dtype!(self.dtype, E => {
            // SAFETY: a word has room for any element.
            unsafe { (&raw mut bits).cast::<E>().write(E::from_item(item)) };
        });
        bits
    }
}

/// Where a number goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// Which step, and which of the numbers that it is passed.
    pub(super) step: usize,
    pub(super) word: usize,
    /// Which of those that the work is given.
    pub(super) number: usize,
}

/// Where numbers go in work that was recorded twice, with others each time. `None` if that is not sure.
pub(super) fn found(steps: [&[Step]; 2], numbers: [&[Number]; 2]) -> Option<Vec<Place>> {
    if steps[0].len() != steps[1].len() || numbers[0].len() != numbers[1].len() {
        return None;
    }
    let elements: Vec<(Dtype, [u64; 2])> =
        numbers[0].iter().zip(numbers[1]).map(|(x, y)| (x.dtype, [x.element(), y.element()])).collect();
    let mut places = Vec::new();
    for (step, (x, y)) in steps[0].iter().zip(steps[1]).enumerate() {
        if !x.is_like(y) {
            return None;
        }
        for (word, (&(dtype, x), (_, y))) in x.numbers().iter().zip(y.numbers()).enumerate() {
            let mut all = elements.iter().enumerate().filter(|(_, it)| **it == (dtype, [x, y]));
            match (all.next(), all.next()) {
                // It is this one, and no other.
                (Some((number, _)), None) if x != y => places.push(Place { step, word, number }),
                (None, _) if x == y => {}
                _ => return None,
            }
        }
    }
    Some(places)
}

/// How a number changes.
#[derive(Clone, Copy, Debug)]
enum How {
    Stays,
    AddsInt(i64),
    Adds(f64),
    Times(f64),
    Divides(f64),
    /// It is a whole number, one more each time, times this.
    Counts(f64),
}

/// What a number is guessed to be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Guess {
    how: How,
    last: Number,
    /// The whole number that it is a multiple by.
    count: f64,
}

/// A guess is made of so many numbers, at least.
const FEWEST: usize = 3;

impl Guess {
    /// By what it was, the latest last.
    pub(super) fn of(before: &[Number]) -> Option<Self> {
        let (first, last) = (*before.first()?, *before.last()?);
        let is_one_kind = before.iter().all(|it| (it.is_float, it.dtype) == (last.is_float, last.dtype));
        let fits = |how: How, count: f64| {
            let mut it = Self { how, last: first, count };
            before[1..].iter().all(|next| it.next() == Some(*next)).then_some(it)
        };
        if before.len() < FEWEST || !is_one_kind {
            return None;
        }
        if let Some(stays) = fits(How::Stays, 0.0) {
            return Some(stays);
        }
        if !last.is_float {
            let by = before[1].bits.cast_signed().checked_sub(first.bits.cast_signed())?;
            return fits(How::AddsInt(by), 0.0);
        }
        let [x, y] = [first.bits, before[1].bits].map(f64::from_bits);
        let far = f64::from_bits(last.bits) - x;
        let mean = far / (before.len() - 1) as f64;
        let rules = |near: &dyn Fn(f64) -> Vec<f64>| {
            let first = |of: f64, how: &dyn Fn(f64) -> (How, f64)| {
                near(of).into_iter().filter(|it| it.is_finite() && *it != 0.0).map(how).find_map(|it| fits(it.0, it.1))
            };
            first(y - x, &|by| (How::Adds(by), 0.0))
                .or_else(|| first(y / x, &|by| (How::Times(by), 0.0)))
                .or_else(|| first(x / y, &|by| (How::Divides(by), 0.0)))
                .or_else(|| first(mean, &|by| (How::Counts(by), (x / by).round())))
        };
        rules(&written).or_else(|| rules(&beside))
    }

    /// The next one.
    pub(super) fn next(&mut self) -> Option<Number> {
        let x = f64::from_bits(self.last.bits);
        self.count += 1.0;
        self.last.bits = match self.how {
            How::Stays => self.last.bits,
            How::AddsInt(by) => self.last.bits.cast_signed().checked_add(by)?.cast_unsigned(),
            How::Adds(by) => (x + by).to_bits(),
            How::Times(by) => (x * by).to_bits(),
            How::Divides(by) => (x / by).to_bits(),
            How::Counts(by) => (self.count * by).to_bits(),
        };
        Some(self.last)
    }

    pub(super) const fn stays(&self) -> bool {
        matches!(self.how, How::Stays)
    }
}

/// Numbers about this one that a program may have written, those of few digits first.
fn written(x: f64) -> Vec<f64> {
    (0..12).filter_map(|digits| format!("{x:.digits$e}").parse().ok()).collect()
}

/// Numbers about this one.
fn beside(x: f64) -> Vec<f64> {
    let (up, down) = (x.next_up(), x.next_down());
    vec![x, up, down, up.next_up(), down.next_down()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floats(count: usize, first: f64, next: impl Fn(usize, f64) -> f64) -> Vec<Number> {
        let numbers = (0..count).scan(first, |x, at| {
            let now = *x;
            *x = next(at, now);
            Some(Number { bits: now.to_bits(), is_float: true, dtype: Dtype::F32 })
        });
        numbers.collect()
    }

    /// Whether all that follow the first ones are guessed.
    fn is_guessed(numbers: &[Number], known: usize) -> bool {
        let Some(mut guess) = Guess::of(&numbers[..known]) else { return false };
        numbers[known..].iter().all(|it| guess.next() == Some(*it))
    }

    #[test]
    fn rates_and_counters_are_guessed() {
        for known in [3, 8, 16] {
            for rate in [0.99, 0.9, 0.5, 1.01, 0.999, 0.95, 1.5e-1] {
                assert!(is_guessed(&floats(60, 0.1, |_, x| x * rate), known), "times {rate}");
                assert!(is_guessed(&floats(60, 0.3, |_, x| x / rate), known), "by {rate}");
                assert!(is_guessed(&floats(60, 0.7, |_, x| x - rate), known), "minus {rate}");
            }
            for step in [0.001, 0.1, 1.0 / 64.0, 3.0, 0.7] {
                // A few of them may be sums as well.
                let is_sure = known > 8 || step == 3.0;
                let numbers = floats(60, 0.0, |at, _| (at + 1) as f64 * step);
                assert!(!is_sure || is_guessed(&numbers, known), "count times {step}");
            }
            assert!(is_guessed(&floats(60, 0.25, |_, x| x), known));
            let ints: Vec<Number> = (0..60)
                .map(|it: i64| Number { bits: (7 - 3 * it).cast_unsigned(), is_float: false, dtype: Dtype::F64 })
                .collect();
            assert!(is_guessed(&ints, known));
        }
    }

    #[test]
    fn what_is_no_rule_is_not_guessed() {
        for wild in [f64::NAN, f64::INFINITY, 0.0] {
            let numbers = floats(8, 1.0, |at, x| if at == 4 { wild } else { (x * 7.3).sin() });
            assert!(Guess::of(&numbers).is_none());
        }
        assert!(Guess::of(&floats(2, 1.0, |_, x| x)).is_none());
        let mut most = Guess::of(&[0, 1, 2].map(|it| Number {
            bits: i64::MAX as u64 - 2 + it,
            is_float: false,
            dtype: Dtype::F64,
        }));
        assert!(most.as_mut().is_some_and(|it| it.next().is_none()));
    }
}
