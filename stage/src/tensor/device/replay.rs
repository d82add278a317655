//! Work on a device that is begun again without the program.
//!
//! A call whose tensors all lie on a device, and that looks at none of their elements, begins the same work whenever it is
//! given the same numbers and tensors of the same layout, wherever in their memory they begin. [`Notes`] are taken of it once; the [`Recording`] that they give
//! begins it on other inputs, whose memory takes the place of the old ones. Memory that was only used on the way stays with
//! the recording; results get memory of their own each time. Where a device can begin all of it at once ([`Graph`]), that is
//! asked for when the same memory comes a second time, as it does in a loop.
//!
//! What positions lie between ([`super::gather`]) is the one thing about elements that may be asked meanwhile: it must be the
//! same again.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use super::moving::{self, Number};
use super::step::Step;
use super::together::Joins;
use super::work::{Memory, Passed, Region, View, Work, begin_all, place_of};
use super::{Block, Device, Graph, Use, blank, chain, later};
use crate::tensor::error::Result;
use crate::tensor::{Dtype, Tensor, TensorBuf};

/// No recording has more steps.
const MOST_STEPS: usize = 20_000;
/// So many combinations of addresses that work was begun on are remembered, and so many graphs kept.
const SEEN: usize = 16;
const GRAPHS: usize = 8;
/// A recording that has made so many graphs makes no more: its memory is another one each time.
const MOST_GRAPHS: usize = 64;
/// So much memory for each result stays with a recording: the same comes again then, as soon as the program has let go of what
/// it had before.
const KEPT_FOR_EACH: usize = 3;

thread_local! {
    /// What this thread notes.
    static NOTED: RefCell<Option<Noted>> = const { RefCell::new(None) };
    static APART: Cell<bool> = const { Cell::new(false) };
}

struct Noted {
    device: Arc<dyn Device>,
    steps: Vec<Step>,
    /// The memory that was made meanwhile, by address.
    made: BTreeMap<u64, Made>,
    /// What positions lie between.
    ranges: Vec<Range>,
    /// Whether something was done that cannot be done again in this way.
    is_void: bool,
}

struct Made {
    bytes: usize,
    in_use: bool,
    /// Whether it has been filled from outside, and stays as it is.
    is_fixed: bool,
}

struct Range {
    /// Where the memory is that the positions lie in.
    place: u64,
    view: View,
    found: (i64, i64),
}

/// What is told to those that note.
fn noting<T>(tell: impl FnOnce(&mut Noted) -> T) -> Option<T> {
    NOTED.with_borrow_mut(|noted| noted.as_mut().map(tell))
}

/// Begins a step. `None` if the device would rather have something else.
pub(super) fn begin(device: &Arc<dyn Device>, step: Step) -> Option<Result<()>> {
    let done = step.begin(device);
    if matches!(done, Some(Ok(()))) {
        noting(|noted| {
            noted.is_void |= !Arc::ptr_eq(&noted.device, device) || noted.steps.len() == MOST_STEPS;
            if !noted.is_void {
                noted.steps.push(step);
            }
        });
    }
    done
}

/// Memory of a device. That of recordings is given back before there is none. What is filled from outside is written once.
pub(super) fn allocate(device: &Arc<dyn Device>, bytes: usize, what: &str, for_use: Use) -> Result<u64> {
    let is_noted = |noted: &Noted| Arc::ptr_eq(&noted.device, device);
    let spare = noting(|noted| {
        let may_be = is_noted(noted) && for_use == Use::Computed;
        let free = |it: &(&u64, &mut Made)| may_be && !it.1.in_use && !it.1.is_fixed && it.1.bytes == bytes;
        let (address, made) = noted.made.iter_mut().find(free)?;
        made.in_use = true;
        Some(*address)
    });
    if let Some(address) = spare.flatten() {
        return Ok(address);
    }
    let address = device.allocate(bytes, what, for_use).or_else(|error| match forget_all() {
        true => device.allocate(bytes, what, for_use),
        false => Err(error),
    })?;
    noting(|noted| match is_noted(noted) {
        true => drop(noted.made.insert(address, Made { bytes, in_use: true, is_fixed: false })),
        false => noted.is_void = true,
    });
    Ok(address)
}

/// Gives memory back.
pub(super) fn free(device: &Arc<dyn Device>, address: u64, bytes: usize) {
    let stays = noting(|noted| noted.made.get_mut(&address).map(|made| made.in_use = false).is_some());
    if stays != Some(true) {
        device.free(address, bytes);
    }
}

/// What was asked for as [`Use::Filled`] is filled, and stays so.
pub(super) fn filled(address: u64) {
    noting(|noted| match noted.made.get_mut(&address) {
        Some(made) => made.is_fixed = true,
        None => noted.is_void = true,
    });
}

/// Elements are looked at.
pub(super) fn looked_at() {
    noting(|noted| noted.is_void = true);
}

/// It was asked what positions lie between.
pub(super) fn ranged(block: &Block, x: &Tensor, found: (i64, i64)) {
    noting(|noted| noted.ranges.push(Range { place: block.place(), view: View::of(x), found }));
}

/// Finds something out about elements that is noted by itself.
pub(super) fn apart<T>(find: impl FnOnce() -> T) -> T {
    struct Restore(Option<Noted>, bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            NOTED.set(self.0.take());
            APART.set(self.1);
        }
    }
    let noted = NOTED.take();
    let was_apart = APART.replace(is_apart() || noted.is_some());
    let _restore = Restore(noted, was_apart);
    find()
}

/// Whether notes are taken of what is begun elsewhere in this thread: so nothing of that may be begun here.
pub(super) fn is_apart() -> bool {
    APART.get()
}

/// What a thread notes of the work that it begins on a device, until this is dropped.
#[derive(Debug)]
pub struct Notes(());

impl Drop for Notes {
    fn drop(&mut self) {
        if let Some(noted) = NOTED.take() {
            noted.give_back();
        }
    }
}

impl Noted {
    /// Gives back what nobody uses.
    fn give_back(self) {
        for (address, made) in self.made {
            if !made.in_use {
                self.device.free(address, made.bytes);
            }
        }
    }
}

impl Notes {
    /// Begins to take notes, where all inputs lie on one device. What waits is begun before.
    pub fn take(inputs: &[&Tensor]) -> Option<Self> {
        let device = Arc::clone(inputs.first()?.device()?);
        let is_there = |x: &&Tensor| x.device().is_some_and(|it| Arc::ptr_eq(it, &device));
        if device.is_dry() || !inputs.iter().all(is_there) || Self::are_taken() {
            return None;
        }
        later::begin_all().ok()?;
        let (steps, made, ranges) = (Vec::new(), BTreeMap::new(), Vec::new());
        NOTED.set(Some(Noted { device, steps, made, ranges, is_void: false }));
        Some(Self(()))
    }

    /// Whether this thread takes notes.
    pub fn are_taken() -> bool {
        noting(|_| ()).is_some()
    }

    /// What gives these outputs of those inputs; nothing if it cannot be begun again.
    pub fn recording(self, inputs: &[&Tensor], outputs: &[&Tensor]) -> Option<Recording> {
        // The latest first: what leads to it is written by the same kernel then.
        let begun = outputs.iter().rev().try_for_each(|it| it.begin());
        let mut noted = NOTED.take()?;
        match begun.ok().and_then(|()| noted.work(inputs, outputs)) {
            Some(work) => Some(Recording::of(work)),
            None => {
                noted.give_back();
                None
            }
        }
    }
}

impl Noted {
    /// What can be begun again, if it can.
    fn work(&mut self, inputs: &[&Tensor], outputs: &[&Tensor]) -> Option<Work> {
        if self.is_void {
            return None;
        }
        let passed = Passed::of(inputs);
        let mut results: Vec<Region> = Vec::new();
        let mut gives = Vec::new();
        for output in outputs {
            let (place, view) = (place_of(output)?, View::of(output));
            if let Some(at) = inputs.iter().position(|it| place_of(it) == Some(place)) {
                gives.push((Memory::Passed(at), view));
                continue;
            }
            let made = self.made.get(&place).filter(|it| it.in_use && !it.is_fixed)?;
            let at = results.iter().position(|it| it.place == place).unwrap_or_else(|| {
                results.push(Region { place, bytes: made.bytes });
                results.len() - 1
            });
            gives.push((Memory::Made(at), view));
        }
        let is_result = |place: &u64| results.iter().any(|it| it.place == *place);
        let is_over = |(place, made): (&u64, &Made)| !made.in_use || is_result(place);
        if !self.made.iter().all(is_over) {
            return None;
        }
        let regions: Vec<Region> = self.made.iter().map(|(&place, it)| Region { place, bytes: it.bytes }).collect();
        let is_known = |address: u64| passed.holds(address) || regions.iter().any(|it| it.holds(address));
        for step in &self.steps {
            let mut all_known = true;
            step.clone().each_address(|it| all_known &= is_known(*it));
            if !all_known || step.written().into_iter().any(|it| passed.holds(it)) {
                return None;
            }
        }
        let of_input = |it: &Range| {
            let at = inputs.iter().position(|x| place_of(x) == Some(it.place))?;
            Some((at, it.view.clone(), it.found))
        };
        let ranges = self.ranges.iter().map(of_input).collect::<Option<_>>()?;
        let way = regions.into_iter().filter(|it| !is_result(&it.place)).collect();
        let (device, steps) = (Arc::clone(&self.device), std::mem::take(&mut self.steps));
        let joins = Joins::of(&*device, &steps);
        let places_of_numbers = OnceLock::new();
        Some(Work { device, steps, joins, places_of_numbers, passed, results, gives, way, ranges })
    }
}

/// What gives some tensors of others.
pub struct Recording(Arc<Mutex<Option<Inner>>>);

struct Inner {
    /// The memory that it uses on the way is this one's.
    work: Arc<Work>,
    /// Where inputs and results were before.
    seen: Vec<Vec<u64>>,
    /// Graphs, by where inputs and results are, and numbers.
    graphs: Vec<(Vec<u64>, Box<dyn Graph>)>,
    /// How many graphs were made.
    made: usize,
    /// How many kernels had become one when they were.
    joined: (usize, usize),
    /// Memory for each result.
    rooms: Vec<Vec<Arc<TensorBuf>>>,
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.graphs.clear();
        self.work.way.iter().for_each(|it| self.work.device.free(it.place, it.bytes));
    }
}

/// All that there are.
static KEPT: Mutex<Vec<Weak<Mutex<Option<Inner>>>>> = Mutex::new(Vec::new());

/// Gives the memory of recordings back, and of what is begun ahead; false if there was none.
fn forget_all() -> bool {
    let kept = std::mem::take(&mut *KEPT.lock().unwrap_or_else(PoisonError::into_inner));
    let forgotten = kept.iter().filter_map(Weak::upgrade).filter_map(|it| it.try_lock().ok()?.take());
    let has_any =
        forgotten.filter(|it| it.rooms.iter().any(|it| !it.is_empty()) || !it.work.way.is_empty()).count() > 0;
    chain::forget_all() | has_any
}

impl Recording {
    fn of(work: Work) -> Self {
        let rooms = vec![Vec::new(); work.results.len()];
        let (seen, graphs, made, joined) = (Vec::new(), Vec::new(), 0, (0, 0));
        let inner = Inner { work: Arc::new(work), seen, graphs, made, joined, rooms };
        let it = Arc::new(Mutex::new(Some(inner)));
        let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|it| it.strong_count() > 0);
        kept.push(Arc::downgrade(&it));
        Self(it)
    }

    fn inner(&self) -> MutexGuard<'_, Option<Inner>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many kernels and the like it begins.
    pub fn steps(&self) -> usize {
        self.inner().as_ref().map_or(0, |it| it.work.steps.len())
    }

    /// Whether inputs lie as those that notes were taken of.
    pub fn fits(&self, inputs: &[&Tensor]) -> bool {
        self.inner().as_ref().is_some_and(|it| it.work.fits(inputs))
    }

    /// Whether the next time takes no longer than later ones: a graph was made by now, or there will be none.
    pub fn is_settled(&self) -> bool {
        self.inner().as_ref().is_none_or(|it| !it.graphs.is_empty() || it.made == MOST_GRAPHS)
    }

    /// Learns where the numbers go that the work is given, by another recording of it with others. False if that is not sure.
    pub fn learn(&self, numbers: &[Number], other: &Self, others: &[Number]) -> bool {
        let Some((mine, theirs)) = self.work().zip(other.work()) else { return false };
        let found = moving::found([&mine.steps, &theirs.steps], [numbers, others]);
        found.is_some_and(|it| mine.places_of_numbers.set(it).is_ok())
    }

    /// Whether it can be begun with other numbers than those that it was recorded with.
    pub fn takes_others(&self) -> bool {
        self.work().is_some_and(|it| it.places_of_numbers.get().is_some())
    }

    /// How many kernels have become one of one block, and how many such there are.
    pub fn joined(&self) -> (usize, usize) {
        self.inner().as_ref().map_or((0, 0), |it| it.work.joined())
    }

    /// What it begins, unless it was forgotten.
    pub(super) fn work(&self) -> Option<Arc<Work>> {
        self.inner().as_ref().map(|it| Arc::clone(&it.work))
    }

    /// Begins the work on inputs that fit, and with numbers that are those of the recording, if it takes no others, and gives its
    /// results. `None` if it would not be the same.
    ///
    /// # Errors
    /// What the device says. Nothing that the program knows has been changed then.
    pub fn play(&self, inputs: &[&Tensor], numbers: &[Number]) -> Result<Option<Vec<Tensor>>> {
        match &mut *self.inner() {
            Some(inner) => inner.play(inputs, numbers),
            None => Ok(None),
        }
    }
}

impl Inner {
    fn play(&mut self, inputs: &[&Tensor], numbers: &[Number]) -> Result<Option<Vec<Tensor>>> {
        let work = Arc::clone(&self.work);
        inputs.iter().try_for_each(|it| it.begin())?;
        if !work.has_ranges(inputs)? {
            return Ok(None);
        }
        let memory = work.results.iter().zip(&mut self.rooms).map(|(it, rooms)| room(&work.device, it.bytes, rooms));
        let memory = memory.collect::<Result<Vec<Tensor>>>()?;
        self.begin(work.places(inputs, &memory), numbers)?;
        Ok(Some(work.given(inputs, &memory)))
    }

    /// Begins the steps where inputs and results are now: where their memory would begin if all lay there as it did.
    fn begin(&mut self, mut places: Vec<u64>, numbers: &[Number]) -> Result<()> {
        let Work { device, steps, .. } = &*self.work;
        let inputs = places.len();
        places.extend(numbers.iter().map(|it| it.element()));
        // What becomes a graph is not joined: a kernel takes less there than as a part of one block.
        let is_apart = device.captures() && numbers.is_empty() && self.made < MOST_GRAPHS;
        if !is_apart {
            self.work.begin(1);
            if self.joined != self.work.joined() {
                self.joined = self.work.joined();
                self.graphs.clear();
            }
        }
        if let Some((_, graph)) = self.graphs.iter().find(|it| it.0 == places) {
            let _span = tracing::debug_span!("launch", of = %format_args!("{} at once", steps.len())).entered();
            return graph.launch();
        }
        let each = self.work.each_step_at(&places[..inputs], &[], numbers);
        let steps = if is_apart { each } else { self.work.joins.joined(each) };
        let all = || begin_all(device, &steps);
        all()?;
        if !self.seen.contains(&places) {
            if self.seen.len() == SEEN {
                self.seen.remove(0);
            }
            self.seen.push(places);
        } else if self.made < MOST_GRAPHS && steps.len() > 1 {
            match device.capture(&mut || all()) {
                Some(Ok(graph)) => {
                    if self.graphs.len() == GRAPHS {
                        self.graphs.remove(0);
                    }
                    self.graphs.push((places, graph));
                    self.made += 1;
                }
                // It was begun one by one, and goes on so.
                Some(Err(_)) | None => self.made = MOST_GRAPHS,
            }
        }
        Ok(())
    }
}

/// Memory for a result: some that nobody has any more, or else new, which stays if there is not much yet.
fn room(device: &Arc<dyn Device>, bytes: usize, rooms: &mut Vec<Arc<TensorBuf>>) -> Result<Tensor> {
    let free = rooms.iter().find(|it| Arc::strong_count(it) == 1).cloned();
    let room = match free {
        Some(room) => room,
        None => {
            let new = blank(device, Dtype::Bool, &[bytes])?;
            if rooms.len() == KEPT_FOR_EACH {
                return Ok(new);
            }
            rooms.push(Arc::clone(new.buf()));
            Arc::clone(new.buf())
        }
    };
    let part = Block::part(&room, 0, bytes);
    Tensor::dense(TensorBuf::there(part, bytes), Dtype::Bool, &[bytes])
}
