//! Iterations of a loop that are begun before the program comes to them.
//!
//! A [`Chain`] is a period of work ([`Work`]) whose inputs are what some of it gave before, or stay what they are. Two rooms of a
//! [ring](Room) have what some iterations give each. While the program goes through those of one, the next ones are begun in the
//! other, as a graph if the device has them. What they give the program are copies that wait, as all operations do: most are
//! never made, as the next iteration, which has been begun already, is all that would read them. Numbers are copied at once for
//! all iterations of a room ([`super::early`]).

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::early::{Batch, Early};
use super::moving::{Guess, Number};
use super::step::Step;
use super::sweep::Job;
use super::together::{Joins, in_rounds};
use super::work::{ONE, Work, begin_all};
use super::{Block, Device, Graph, blank, later};
use crate::tensor::error::Result;
use crate::tensor::{Dtype, Tensor, TensorBuf};

/// Where the memory of something begins in a room, in bytes; that of single elements, which are copied at once.
const ALIGN: usize = 256;
const ALIGN_OF_ONE: usize = 16;

/// A room is begun as a graph from so many rooms on: there are no more where loops begin, and to prepare a graph takes as long as
/// to begin its kernels two or three times.
const PREPARED: usize = 4;

/// Where an input comes from.
#[derive(Clone)]
pub(super) enum From {
    /// It was this one, and is so many elements further on each time.
    Moved { last: Tensor, by: isize },
    /// Work that was begun so many times before has given it, as the result of this number.
    Made { back: usize, output: usize },
}

/// A part of a period.
pub(super) struct Stage {
    pub(super) work: Arc<Work>,
    pub(super) inputs: Vec<From>,
    /// What the numbers will be that it is given.
    pub(super) numbers: Vec<Guess>,
}

/// Work that was begun: with which numbers, and what it gives.
type Begun = (Vec<Number>, Vec<Tensor>);

/// Iterations that are begun ahead.
pub(super) struct Chain(Arc<Mutex<State>>);

/// All that there are.
static ALL: Mutex<Vec<Weak<Mutex<State>>>> = Mutex::new(Vec::new());

/// Gives their memory back, and begins no more of them; false if none had any.
pub(super) fn forget_all() -> bool {
    let all = std::mem::take(&mut *ALL.lock().unwrap_or_else(PoisonError::into_inner));
    let forget = |it: Arc<Mutex<State>>| Some(it.try_lock().ok()?.forget());
    all.iter().filter_map(Weak::upgrade).filter_map(forget).filter(|it| *it).count() > 0
}

struct State {
    device: Arc<dyn Device>,
    period: Vec<Stage>,
    /// Which steps of a period become one.
    joins: Joins,
    /// Where each part of the period has what it only uses on the way.
    ways: Vec<Vec<u64>>,
    rooms: [Room; 2],
    /// How many rooms were begun, and iterations.
    begun: usize,
    turns: usize,
    /// How many kernels the last room was begun by.
    launches: usize,
    /// What was given last, as much as inputs come from. What is gone is not asked for.
    last: VecDeque<Vec<Option<Tensor>>>,
    /// What was begun that the program has not come to.
    ahead: VecDeque<Begun>,
    /// Which part of the period that is.
    at: usize,
    /// Whether no more is begun.
    is_over: bool,
}

/// What some iterations give.
struct Room {
    /// The memory of the results of each part of each period.
    results: Vec<Vec<Tensor>>,
    /// Where single elements are, and how many bytes of them there are.
    ones: (u64, usize),
    batch: Option<Arc<Batch>>,
    /// What it was begun as when what came before was in the other room, and what that gives.
    again: Option<Again>,
}

/// Iterations as a graph, and what each part of them gives.
struct Again {
    graph: Box<dyn Graph>,
    made: Vec<Begun>,
    /// How many kernels had become one.
    joined: usize,
}

impl Chain {
    /// Begins so many iterations, of which those before have given the last results. `None` if that cannot be.
    pub(super) fn begin(period: Vec<Stage>, last: Vec<Vec<Option<Tensor>>>, iterations: usize) -> Option<Self> {
        let far = |from: &From| if let From::Made { back, .. } = from { *back } else { 0 };
        if period.iter().flat_map(|it| &it.inputs).any(|it| far(it) > iterations * period.len()) {
            // The other room would not have it.
            return None;
        }
        let device = Arc::clone(&period.first()?.work.device);
        if period.iter().any(|it| !Arc::ptr_eq(&it.work.device, &device)) {
            // A room is memory of one device.
            return None;
        }
        let sizes: Vec<_> = period.iter().map(|it| it.work.sizes()).collect();
        let results = || sizes.iter().flat_map(|it| &it.0);
        let per_room = |is_one: bool| {
            let align = if is_one { ALIGN_OF_ONE } else { ALIGN };
            results().filter(|it| (**it <= ONE) == is_one).map(|it| it.next_multiple_of(align)).sum::<usize>()
        };
        let ones = (iterations * per_room(true)).next_multiple_of(ALIGN);
        let room = ones + iterations * per_room(false);
        let ways: usize = sizes.iter().flat_map(|it| &it.1).map(|it| it.next_multiple_of(ALIGN)).sum();
        let whole = blank(&device, Dtype::Bool, &[2 * room + ways]).ok()?;
        let first = whole.buf().block()?.place();
        let mut at = 2 * room;
        let mut way = |bytes: &usize| {
            let begins = first + at as u64;
            at += bytes.next_multiple_of(ALIGN);
            begins
        };
        let ways = sizes.iter().map(|it| it.1.iter().map(&mut way).collect()).collect();
        let rooms = [0, room].map(|from| {
            let (mut one, mut more) = (from, from + ones);
            let mut part = |&bytes: &usize| {
                let (at, align) = if bytes <= ONE { (&mut one, ALIGN_OF_ONE) } else { (&mut more, ALIGN) };
                let block = Block::part(whole.buf(), *at, bytes);
                *at += bytes.next_multiple_of(align);
                Tensor::dense(TensorBuf::there(block, bytes), Dtype::Bool, &[bytes])
            };
            let all = std::iter::repeat_n(&sizes, iterations).flatten();
            let results = all.map(|it| it.0.iter().map(&mut part).collect::<Result<_>>()).collect::<Result<_>>();
            let ones = (first + from as u64, iterations * per_room(true));
            results.map(|results| Room { results, ones, batch: None, again: None })
        });
        let [Ok(a), Ok(b)] = rooms else { return None };
        let joins = Joins::of_all(&*device, period.iter().map(|it| &*it.work));
        let (last, ahead) = (last.into(), VecDeque::new());
        let (rooms, begun, turns, at) = ([a, b], 0, 0, 0);
        let chain = Self(Arc::new(Mutex::new(State {
            device,
            period,
            joins,
            ways,
            rooms,
            begun,
            turns,
            launches: 0,
            last,
            ahead,
            at,
            is_over: false,
        })));
        chain.state().begin_room(Arc::downgrade(&chain.0)).ok()??;
        let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|it| it.strong_count() > 0);
        all.push(Arc::downgrade(&chain.0));
        Some(chain)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the next work gives of inputs that are those it was begun with; nothing if it was not begun.
    pub(super) fn next(&self, inputs: &[&Tensor], numbers: &[Number]) -> Option<Result<Vec<Tensor>>> {
        let mut state = self.state();
        if state.ahead.is_empty() {
            // No number of those before was asked for.
            state.go_on(&self.0);
        }
        let (guessed, made) = state.ahead.pop_front()?;
        if guessed != numbers {
            return None;
        }
        let stage = &state.period[state.at];
        let device = &state.device;
        let copy = |it: &Tensor| later::wait(device, Job::Copy, &[it], (it.dtype(), it.dims()));
        let given = stage.work.passed_on(inputs).into_iter().zip(&made);
        let given = given.map(|(passed, made)| passed.map_or_else(|| copy(made), Ok)).collect();
        state.at = (state.at + 1) % state.period.len();
        Some(given)
    }

    /// How many iterations are begun at once.
    pub(super) fn iterations(&self) -> usize {
        let state = self.state();
        state.rooms[0].results.len() / state.period.len()
    }

    /// How many kernels they were begun by.
    pub(super) fn launches(&self) -> usize {
        self.state().launches
    }

    /// Begins no more.
    pub(super) fn end(&self) {
        self.state().is_over = true;
    }

    /// Whether the program has come to all that will be begun.
    pub(super) fn is_over(&self) -> bool {
        let state = self.state();
        state.is_over && state.ahead.is_empty()
    }
}

impl State {
    /// Gives the memory back, if there is any, but for what the program still has.
    fn forget(&mut self) -> bool {
        self.is_over = true;
        (self.last, self.ahead) = (VecDeque::new(), VecDeque::new());
        let forget = |room: &mut Room| {
            room.batch.take().inspect(|it| it.close());
            room.again = None;
            !std::mem::take(&mut room.results).is_empty()
        };
        self.rooms.iter_mut().map(forget).fold(false, |any, it| any | it)
    }

    /// Begins the iterations of the next room. `None` if they cannot be.
    fn begin_room(&mut self, chain: Weak<Mutex<Self>>) -> Result<Option<()>> {
        let number = self.begun % 2;
        let stays = |from: &From| !matches!(from, From::Moved { by, .. } if *by != 0);
        let all_stay = |it: &Stage| it.inputs.iter().all(stays) && it.numbers.iter().all(Guess::stays);
        let is_regular = self.begun >= PREPARED && self.period.iter().all(all_stay);
        self.begun += 1;
        let iterations = self.rooms[number].results.len() / self.period.len();
        self.period.iter().for_each(|it| it.work.begin(iterations));
        self.joins.begin(&self.device, iterations);
        let joined = self.joins.counts().0;
        let room = &mut self.rooms[number];
        room.again.take_if(|it| it.joined != joined);
        if let Some(batch) = room.batch.take() {
            batch.close();
        }
        later::begin_readers(&room.results.iter().flatten().map(|it| Arc::as_ptr(it.buf())).collect::<HashSet<_>>())?;
        match &room.again {
            Some(Again { graph, made, .. }) => {
                let _span = tracing::debug_span!("launch", of = "iterations of a loop at once").entered();
                graph.launch()?;
                made.iter().for_each(|it| gave(&mut self.last, &it.1));
                self.ahead.extend(made.iter().cloned());
            }
            None => {
                let Some((steps, made)) = self.steps(number) else { return Ok(None) };
                let all = || begin_all(&self.device, &steps);
                let graph = is_regular.then(|| self.device.capture(&mut || all())).flatten();
                match graph {
                    Some(Ok(graph)) => {
                        graph.launch()?;
                        self.rooms[number].again = Some(Again { graph, made: made.clone(), joined });
                    }
                    Some(Err(_)) | None => all()?,
                }
                self.ahead.extend(made);
            }
        }
        self.tell(number, chain);
        Ok(Some(()))
    }

    /// What is to be begun in a room, and what it gives.
    fn steps(&mut self, room: usize) -> Option<(Vec<Step>, Vec<Begun>)> {
        let (mut steps, mut turn_steps, mut all) = (Vec::new(), Vec::new(), Vec::new());
        for (at, results) in self.rooms[room].results.iter().enumerate() {
            let (turn, stage) = (at / self.period.len(), at % self.period.len());
            let turn = 1 + (self.turns + turn).cast_signed();
            let Stage { work, inputs, numbers } = &mut self.period[stage];
            let numbers: Vec<Number> = numbers.iter_mut().map(Guess::next).collect::<Option<_>>()?;
            let input = |from: &From| match from {
                From::Moved { last, by } => moved(last, by * turn),
                From::Made { back, output } => {
                    self.last.get(self.last.len().checked_sub(*back)?)?.get(*output)?.clone()
                }
            };
            let inputs: Vec<Tensor> = inputs.iter().map(input).collect::<Option<_>>()?;
            let inputs: Vec<&Tensor> = inputs.iter().collect();
            inputs.iter().try_for_each(|it| it.begin()).ok()?;
            if !work.fits(&inputs) {
                return None;
            }
            turn_steps.extend(work.each_step_at(&work.places(&inputs, results), &self.ways[stage], &numbers));
            let made = work.given(&inputs, results);
            gave(&mut self.last, &made);
            all.push((numbers, made));
            if stage + 1 == self.ways.len() {
                steps.append(&mut self.joins.joined(std::mem::take(&mut turn_steps)));
            }
        }
        self.turns += all.len() / self.period.len();
        let steps = in_rounds(steps);
        self.launches = steps.len();
        Some((steps, all))
    }

    /// Says where single elements of a room will be.
    fn tell(&mut self, number: usize, chain: Weak<Mutex<Self>>) {
        let room = &mut self.rooms[number];
        let (first, bytes) = room.ones;
        if bytes == 0 {
            return;
        }
        let batch = Batch::new(&self.device, first, bytes, move || {
            later::begin_rest();
            // The next are begun while the program waits for the first of these; but not while somebody waits for them.
            if let Some(chain) = chain.upgrade()
                && let Ok(mut state) = chain.try_lock()
            {
                state.go_on(&chain);
            }
        });
        for block in room.results.iter().flatten().filter_map(|it| it.buf().block()).filter(|it| it.bytes <= ONE) {
            let at = (block.place() - first) as usize;
            block.set_early(Some(Early { batch: Arc::clone(&batch), at }));
        }
        room.batch = Some(batch);
    }

    /// Begins the next iterations, if there is room.
    fn go_on(&mut self, chain: &Arc<Mutex<Self>>) {
        if !self.is_over && self.ahead.len() <= self.rooms[0].results.len() {
            // What cannot be begun is carried out when the program comes to it.
            self.is_over = !matches!(self.begin_room(Arc::downgrade(chain)), Ok(Some(())));
        }
    }
}

/// Some work has given this.
fn gave(last: &mut VecDeque<Vec<Option<Tensor>>>, made: &[Tensor]) {
    last.pop_front();
    last.push_back(made.iter().cloned().map(Some).collect());
}

/// A view so many elements further on, if its memory goes so far.
fn moved(x: &Tensor, by: isize) -> Option<Tensor> {
    let start = x.start().checked_add(by)?;
    let along = x.dims().iter().zip(x.steps().iter()).map(|(&dim, &step)| (dim.cast_signed() - 1) * step);
    let (first, last) = along.fold((start, start), |(first, last), far| (first + far.min(0), last + far.max(0)));
    let all = x.buf().bytes().cast_signed() / x.dtype().size().cast_signed();
    let is_inside = x.count() > 0 && 0 <= first && last < all;
    // SAFETY: so it is inside its memory.
    is_inside.then(|| unsafe { x.with(start, x.dims().clone(), x.steps().clone()) })
}

impl Drop for State {
    /// What the program still has is copied, so that the memory is free.
    fn drop(&mut self) {
        let results = self.rooms.iter().flat_map(|it| it.results.iter().flatten());
        let _ = later::begin_readers(&results.map(|it| Arc::as_ptr(it.buf())).collect());
    }
}
