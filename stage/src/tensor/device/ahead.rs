//! Which work of a loop can be begun before the program comes to it.
//!
//! A loop that reads a number in each iteration (a loss, what a tolerance is compared with) waits for the device each time, and
//! the device for the program. [`Ahead`] sees the [recorded](Recording) work that a call begins again. Where its inputs have been the
//! same for two periods, parts of an array that move on as before, or what such work has given, the next iterations are begun at
//! once ([`Chain`]), as many as the device says. That work changes nothing that the program knows, so nothing has to be undone where the program does
//! not come to it; and what it comes to is compared with what was begun. How the loop goes on, and all else that an iteration
//! does, is as it was.

use std::collections::VecDeque;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use super::chain::{Chain, From, Stage};
use super::early::reads;
use super::moving::{Guess, Number};
use super::replay::Recording;
use super::work::{View, Work};
use crate::tensor::{Tensor, TensorBuf};

/// No period has more work.
const LONGEST: usize = 8;
/// So often something else came than what was begun, and nothing is begun ahead any more, unless it was for less than one in so
/// many that came.
const MOST_MISSES: usize = 3;
const HITS: usize = 32;

/// How a loop has gone by now.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// How many iterations have been alike.
    pub iterations: usize,
    /// How long one took.
    pub took: Duration,
    /// How many kernels and the like one begins.
    pub steps: usize,
    /// Bytes of what one gives.
    pub bytes: usize,
}

/// What a call has begun again, and what of that is begun ahead.
pub struct Ahead {
    /// How often this thread had asked for elements when the call began.
    reads: u64,
    /// The latest last.
    ran: VecDeque<Ran>,
    /// How much of it, up to the last, was as the period before.
    alike: usize,
    chain: Option<Chain>,
    hits: usize,
    misses: usize,
}

/// Some work that was begun.
struct Ran {
    work: Arc<Work>,
    numbers: Vec<Number>,
    inputs: Vec<Mark>,
    outputs: Vec<Mark>,
    /// How long the period is, and where the inputs come from.
    period: Option<(usize, Vec<Link>)>,
    /// How often elements had been asked for before.
    reads: u64,
    began: Instant,
}

/// Where an input comes from, as [`From`].
#[derive(Clone, Copy, PartialEq)]
enum Link {
    Moved { by: isize },
    Made { back: usize, output: usize },
}

/// A tensor as it was, which may be gone.
struct Mark {
    buf: Weak<TensorBuf>,
    view: View,
    changes: u32,
}

impl Mark {
    fn of(x: &Tensor) -> Self {
        Self { buf: Arc::downgrade(x.buf()), view: View::of(x), changes: changes(x) }
    }

    /// Whether a tensor is this one, and has the elements that it had.
    fn is(&self, x: &Tensor) -> bool {
        self.far(x) == Some(0)
    }

    /// How many elements a tensor is behind this one, if it lies in the same memory in the same way, and that was not changed.
    fn far(&self, x: &Tensor) -> Option<isize> {
        let View { dtype, start, dims, steps } = &self.view;
        let is_like = std::ptr::eq(self.buf.as_ptr(), Arc::as_ptr(x.buf()))
            && self.changes == changes(x)
            && (*dtype, dims, steps) == (x.dtype(), x.dims(), x.steps());
        is_like.then(|| x.start() - start)
    }

    fn get(&self) -> Option<Tensor> {
        let View { dtype, start, dims, steps } = self.view.clone();
        // SAFETY: it was a view of this memory.
        let x = unsafe { Tensor::view(self.buf.upgrade()?, dtype, start, dims, steps) };
        (changes(&x) == self.changes).then_some(x)
    }
}

fn changes(x: &Tensor) -> u32 {
    x.buf().block().map_or(0, super::Block::changes)
}

impl Default for Ahead {
    fn default() -> Self {
        Self { reads: reads(), ran: VecDeque::new(), alike: 0, chain: None, hits: 0, misses: 0 }
    }
}

impl Ahead {
    /// Whether the call has waited for elements.
    pub fn waits(&self) -> bool {
        self.reads != reads()
    }

    /// How many iterations are begun at once.
    pub fn iterations(&self) -> usize {
        self.chain.as_ref().map_or(0, Chain::iterations)
    }

    /// How many kernels they are begun by.
    pub fn launches(&self) -> usize {
        self.chain.as_ref().map_or(0, Chain::launches)
    }

    /// What a recording gives of inputs that fit, if it was begun by now.
    pub fn next(&mut self, recording: &Recording, inputs: &[&Tensor], numbers: &[Number]) -> Option<Vec<Tensor>> {
        let chain = self.chain.as_ref()?;
        if chain.is_over() {
            self.chain = None;
            return None;
        }
        let made = if self.is_expected(recording, inputs) { chain.next(inputs, numbers) } else { None };
        match made {
            Some(Ok(made)) => {
                self.hits += 1;
                self.note(recording, (inputs, numbers), &made);
                Some(made)
            }
            Some(Err(_)) | None => {
                self.misses += usize::from(made.is_none());
                (self.chain, self.alike) = (None, 0);
                None
            }
        }
    }

    /// Notes that a recording was begun, and what it gave.
    pub fn ran(&mut self, recording: &Recording, inputs: &[&Tensor], numbers: &[Number], outputs: &[Tensor]) {
        if self.misses < MOST_MISSES.max(self.hits / HITS) {
            self.note(recording, (inputs, numbers), outputs);
        }
    }

    fn note(&mut self, recording: &Recording, (inputs, numbers): (&[&Tensor], &[Number]), outputs: &[Tensor]) {
        let Some(work) = recording.work() else { return self.ran.clear() };
        let period = self.period(&work, inputs);
        let is_alike =
            period.as_ref().is_some_and(|it| self.before(it.0).is_some_and(|ran| ran.period.as_ref() == Some(it)));
        self.alike = if is_alike { self.alike + 1 } else { 0 };
        let inputs = inputs.iter().map(|it| Mark::of(it)).collect();
        let outputs = outputs.iter().map(Mark::of).collect();
        if self.ran.len() == 2 * LONGEST {
            self.ran.pop_front();
        }
        let numbers = numbers.to_vec();
        self.ran.push_back(Ran { work, numbers, inputs, outputs, period, reads: reads(), began: Instant::now() });
        self.begin();
    }

    /// What was begun so many times before the next.
    fn before(&self, back: usize) -> Option<&Ran> {
        self.ran.get(self.ran.len().checked_sub(back)?)
    }

    /// How long the period is, if work is part of one, and where its inputs come from.
    fn period(&self, work: &Arc<Work>, inputs: &[&Tensor]) -> Option<(usize, Vec<Link>)> {
        let length = (1..=LONGEST).find(|&back| self.before(back).is_some_and(|it| Arc::ptr_eq(&it.work, work)))?;
        let link = |(at, x): (usize, &&Tensor)| {
            let moved = self.before(length)?.inputs.get(at)?.far(x);
            let made = |back: usize| {
                let output = self.before(back)?.outputs.iter().position(|it| it.is(x))?;
                Some(Link::Made { back, output })
            };
            let same = moved.filter(|by| *by == 0).map(|by| Link::Moved { by });
            same.or_else(|| (1..=LONGEST).find_map(made)).or(moved.map(|by| Link::Moved { by }))
        };
        Some((length, inputs.iter().enumerate().map(link).collect::<Option<_>>()?))
    }

    /// Whether this is what comes next in the period.
    fn is_expected(&self, recording: &Recording, inputs: &[&Tensor]) -> bool {
        let expected = || {
            let (length, _) = self.ran.back()?.period.as_ref()?;
            let ran = self.before(*length)?;
            let work = recording.work()?;
            let (_, links) = ran.period.as_ref()?;
            let is_it = |(at, x): (usize, &&Tensor)| {
                Some(match *links.get(at)? {
                    Link::Moved { by } => ran.inputs.get(at)?.far(x) == Some(by),
                    Link::Made { back, output } => self.before(back)?.outputs.get(output)?.is(x),
                })
            };
            let fits = inputs.iter().enumerate().all(|it| is_it(it) == Some(true));
            Some(Arc::ptr_eq(&ran.work, &work) && links.len() == inputs.len() && fits)
        };
        expected() == Some(true)
    }

    /// Begins what comes next, if that pays.
    fn begin(&mut self) {
        let Some((length, _)) = self.ran.back().and_then(|it| it.period.as_ref()) else { return };
        let length = *length;
        if self.alike < length || !self.alike.is_multiple_of(length) {
            return;
        }
        let Some(pace) = self.pace(length) else { return };
        let iterations = self.ran[0].work.device.iterations_ahead(&pace);
        if let Some(chain) = &self.chain {
            if iterations < 2 * chain.iterations() {
                return;
            }
            // Longer ones follow when the program has come to all of these.
            chain.end();
            if !chain.is_over() {
                return;
            }
        }
        self.chain = if iterations == 0 { None } else { self.chain(length, iterations) };
    }

    /// How the last period went, if something was waited for of late.
    fn pace(&self, length: usize) -> Option<Pace> {
        let last = self.ran.iter().rev().take(length);
        let (now, before) = (self.ran.back()?, self.before(1 + length)?);
        if now.reads == self.ran.front()?.reads {
            return None;
        }
        Some(Pace {
            iterations: self.alike / length,
            took: now.began - before.began,
            steps: last.clone().map(|it| it.work.len()).sum(),
            bytes: last.map(|it| it.work.gives_bytes()).sum(),
        })
    }

    /// What a number of the work that was begun so many times before is guessed to be, in the next period.
    fn guess(&self, length: usize, back: usize, at: usize) -> Option<Guess> {
        let work = &self.before(back)?.work;
        let all = (0..).map_while(|turn| self.before(back + turn * length));
        let all = all.take_while(|it| Arc::ptr_eq(&it.work, work)).filter_map(|it| it.numbers.get(at).copied());
        let mut before: Vec<Number> = all.collect();
        before.reverse();
        Guess::of(&before)
    }

    /// The period as it goes on.
    fn chain(&self, length: usize, iterations: usize) -> Option<Chain> {
        let period: Vec<&Ran> = (1..=length).rev().map(|back| self.before(back)).collect::<Option<_>>()?;
        if !period.iter().any(|it| it.work.gives_one()) {
            return None;
        }
        let stage = |(back, ran): (usize, &&Ran)| {
            let (_, links) = ran.period.as_ref().filter(|it| it.0 == length)?;
            let from = |(at, link): (usize, &Link)| match *link {
                Link::Moved { by } => ran.inputs[at].get().map(|last| From::Moved { last, by }),
                Link::Made { back, output } => Some(From::Made { back, output }),
            };
            let stays = |at: usize| links.get(at) == Some(&Link::Moved { by: 0 });
            let can_be = ran.work.gives_whole() && ran.work.ranged().all(stays);
            let inputs = links.iter().enumerate().map(from).collect::<Option<_>>().filter(|_| can_be)?;
            let numbers = (0..ran.numbers.len()).map(|at| self.guess(length, back, at)).collect::<Option<_>>()?;
            Some(Stage { work: Arc::clone(&ran.work), inputs, numbers })
        };
        let stages: Vec<Stage> = (1..=length).rev().zip(&period).map(stage).collect::<Option<_>>()?;
        // What is gone was read by nothing that comes next.
        let last = self.ran.iter().rev().take(LONGEST).rev();
        let last = last.map(|it| it.outputs.iter().map(Mark::get).collect()).collect();
        Chain::begin(stages, last, iterations)
    }
}
