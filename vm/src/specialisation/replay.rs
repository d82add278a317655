//! Work that all lies on a device, begun again without carrying out its operations one by one ([`Recording`]): that of a
//! whole call, and that of a run of operations in a loop.
//!
//! What it would give is known then: the same numbers, and tensors that the device has been told to make. Any other work is
//! carried out, as is that which the device refuses.

use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustpython_vm::{PyObjectRef, VirtualMachine};
use snekpy_stage::backend::{NO_OBJECT, Outcome, Status, slots};
use snekpy_stage::entity::Entity;
use snekpy_stage::ir::HostData;
use snekpy_stage::tensor::device::{Ahead, Notes, Number, Recording, repeats};
use snekpy_stage::tensor::{Dtype, Tensor, TensorOp};
use snekpy_stage::types::Type;

use super::Specialisation;
use crate::captured::Captured;
use crate::exit::{ExitKind, HostKind};
use crate::flatten::Inputs;
use crate::governor;
use crate::object::{Objects, number_slot};
use crate::tensor;

/// So many kinds of calls are known of a specialisation, and above so many that were met nothing is noted any more.
const KINDS: usize = 4;
const MOST_KINDS: usize = 32;
/// So many times work is begun again before that takes as long as it will, at most: graphs are made for where it is.
const SETTLES: u32 = 16;
/// A run that begins fewer kernels is carried out, unless the loop waits for the device: they may be one with those of the next
/// iteration.
const FEWEST_STEPS: usize = 4;

/// A call in which runs of its loops are begun again so often is none to be noted: it would be the same graph many times over,
/// which takes long to prepare.
const MOST_TURNS: u64 = 16;

/// What is known of the work of a specialisation.
#[derive(Default)]
pub(crate) struct Replays {
    /// Of its calls, if they can be begun again at all.
    calls: Option<Table>,
    /// Of its runs, by number.
    runs: Vec<Table>,
    /// How many of those had been begun when the program came to them, and of how many iterations at once at most.
    ahead: AtomicU64,
    most: AtomicUsize,
    /// How many kernels the last ones were begun by.
    launches: AtomicUsize,
}

/// What is known of some work.
#[derive(Default)]
struct Table {
    /// How often it was begun again.
    count: AtomicU64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    kinds: Vec<Kind>,
    /// How many kinds were met.
    met: usize,
}

/// Work with the same numbers.
struct Kind {
    numbers: Vec<u64>,
    known: Option<Arc<Known>>,
    /// Whether it goes through its loops often, as a call, and so is carried out.
    loops: bool,
}

struct Known {
    recording: Recording,
    /// The numbers that change with which it was recorded.
    moving: Vec<Number>,
    /// How often it was begun again.
    played: AtomicU32,
    /// How it ends, as a call.
    status: Status,
    results: Vec<Slot>,
}

/// What is in a slot of the results, or of what a way out gives.
enum Slot {
    Bits(u64),
    /// The tensor in that slot of the inputs.
    Passed(usize),
    /// The tensor of this number among those that the recording gives.
    Made(usize),
    /// The object in an earlier slot.
    Again(usize),
}

/// What work is given.
struct Given {
    numbers: Vec<u64>,
    /// Those that change from time to time, and that nothing but elements depends on.
    moving: Vec<Number>,
    objects: Vec<PyObjectRef>,
}

/// What is to be done with work.
enum Met {
    /// It is begun again.
    Known(Arc<Known>),
    /// It is noted.
    New,
    /// It is carried out.
    Other,
}

impl Replays {
    pub(crate) fn of(captured: &Captured) -> Self {
        let knows = |host: &HostKind| match host {
            HostKind::Tensor => true,
            HostKind::Known(object) => tensor::of(object).is_some_and(|it| it.device().is_some()),
            _ => false,
        };
        let is_possible = repeats(&captured.module) && captured.hosts.iter().all(knows);
        let is_run = |host: &&HostData| matches!(host.tensor, Some(TensorOp::Again { .. }));
        let runs = captured.module.hosts.values().filter(is_run).map(|_| Table::default()).collect();
        Self {
            calls: is_possible.then(Table::default),
            runs,
            ahead: AtomicU64::new(0),
            most: AtomicUsize::new(0),
            launches: AtomicUsize::new(0),
        }
    }

    /// How many calls were begun again without their code.
    pub(crate) fn calls(&self) -> u64 {
        self.calls.iter().map(Table::count).sum()
    }

    /// How many runs of operations in loops were.
    pub(crate) fn runs(&self) -> u64 {
        self.runs.iter().map(Table::count).sum()
    }

    /// How many of them had been begun before the program came to them.
    pub(crate) fn ahead(&self) -> u64 {
        self.ahead.load(Ordering::Relaxed)
    }

    /// How many kernels of work that is begun again are part of one of one block, and how many such there are.
    pub(crate) fn joined(&self) -> (usize, usize) {
        let all = self.calls.iter().chain(&self.runs).map(Table::joined);
        all.fold((0, 0), |sum, it| (sum.0 + it.0, sum.1 + it.1))
    }

    /// How work was begun again by now, for people.
    pub(crate) fn show(&self) -> Option<String> {
        let joined = match self.joined() {
            (0, _) => None,
            (kernels, blocks) => {
                Some(format!("{kernels} small kernels that are begun again have become {blocks} of one block\n"))
            }
        };
        match (self.show_runs(), joined) {
            (None, None) => None,
            (runs, joined) => Some(runs.unwrap_or_default() + &joined.unwrap_or_default()),
        }
    }

    fn show_runs(&self) -> Option<String> {
        let (runs, ahead) = (self.runs(), self.ahead());
        let how = match self.most.load(Ordering::Relaxed) {
            0 => "when the program came to them".to_owned(),
            most => {
                let launches = self.launches.load(Ordering::Relaxed);
                let how = format!(
                    "up to {most} iterations at once, by {launches} kernel{}",
                    if launches == 1 { "" } else { "s" }
                );
                format!("{ahead} of them before the program came to them, {how}")
            }
        };
        (runs > 0).then(|| format!("runs of operations in loops: {runs} begun again, {how}\n"))
    }
}

impl Table {
    fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn joined(&self) -> (usize, usize) {
        let state = self.state();
        let known = state.kinds.iter().filter_map(|it| it.known.as_ref()).map(|it| it.recording.joined());
        known.fold((0, 0), |sum, it| (sum.0 + it.0, sum.1 + it.1))
    }

    /// Whether nothing is known, and nothing is noted any more.
    fn is_closed(&self) -> bool {
        let state = self.state();
        state.met == MOST_KINDS && state.kinds.is_empty()
    }

    fn meet(&self, given: &Given) -> Met {
        let tensors = given.tensors();
        let mut state = self.state();
        let is_met = |it: &&Kind| {
            it.numbers == given.numbers && it.known.as_ref().is_none_or(|known| known.recording.fits(&tensors))
        };
        match state.kinds.iter().find(is_met) {
            Some(Kind { known: Some(known), .. }) if known.takes(given) => {
                let played = known.played.fetch_add(1, Ordering::Relaxed);
                if played < SETTLES && !known.recording.is_settled() {
                    governor::unsettled();
                }
                Met::Known(Arc::clone(known))
            }
            _ if state.met == MOST_KINDS => Met::Other,
            Some(kind) if kind.loops => Met::Other,
            Some(_) => {
                governor::unsettled();
                Met::New
            }
            None => {
                state.met += 1;
                if state.kinds.len() == KINDS {
                    state.kinds.remove(0);
                }
                state.kinds.push(Kind { numbers: given.numbers.clone(), known: None, loops: false });
                governor::unsettled();
                Met::Other
            }
        }
    }

    /// Begins it again on what is given, and gives the tensors that this makes.
    fn play(&self, known: &Known, given: &Given) -> Option<Vec<Tensor>> {
        if let Ok(Some(made)) = known.recording.play(&given.tensors(), &given.moving) {
            self.count.fetch_add(1, Ordering::Relaxed);
            return Some(made);
        }
        self.state().kinds.retain(|it| it.numbers != given.numbers);
        None
    }

    /// What was noted, if that can be begun again.
    fn learn(&self, given: &Given, known: Option<Known>) {
        let mut state = self.state();
        let is_it = |it: &&mut Kind| {
            it.numbers == given.numbers && it.known.as_ref().is_none_or(|it| !it.takes(given) && it.fits(given))
        };
        match (known, state.kinds.iter_mut().find(is_it)) {
            (Some(known), Some(kind)) => {
                let is_sure = kind.known.as_ref().is_none_or(|before| known.learn(before));
                kind.known = Some(Arc::new(known));
                if !is_sure {
                    state.met = MOST_KINDS.min(state.met + KINDS);
                }
            }
            // It is tried again, but not for ever.
            _ => state.met = MOST_KINDS.min(state.met + KINDS),
        }
        if state.met == MOST_KINDS {
            state.kinds.retain(|it| it.known.is_some());
        }
    }

    /// Calls like this one are carried out.
    fn carry_out(&self, given: &Given) {
        self.state().kinds.iter_mut().filter(|it| it.numbers == given.numbers).for_each(|it| it.loops = true);
    }

    fn forget(&self) {
        self.state().kinds.clear();
    }

    /// It does not pay.
    fn close(&self) {
        *self.state() = State { kinds: Vec::new(), met: MOST_KINDS };
    }
}

/// The slots of a call, in and out.
pub(crate) struct Slots<'a> {
    pub(crate) inputs: &'a Inputs,
    pub(crate) objects: &'a Objects,
    pub(crate) results: *mut u64,
    pub(crate) payload: *mut u64,
}

/// Runs the code of a call, or begins again what it did before. Nothing else may be noted about the call than what its slots
/// have.
pub(crate) fn run(
    specialisation: &Specialisation,
    slots: &Slots<'_>,
    vm: &VirtualMachine,
    code: impl FnOnce() -> Status,
) -> Status {
    let Some(table) = specialisation.replays.calls.as_ref().filter(|_| can_replay(slots.inputs)) else { return code() };
    let types = specialisation.param_types();
    let Some(mut given) = Given::of(&types, &slots.inputs.slots, slots.objects, vm) else { return code() };
    given.objects.extend(specialisation.captured.hosts.iter().filter_map(|host| match host {
        HostKind::Known(object) => Some(object.clone()),
        _ => None,
    }));
    match table.meet(&given) {
        Met::Known(known) => {
            let Some(made) = table.play(&known, &given) else { return code() };
            let first = if known.status.0 as u32 == Status::RETURNED { slots.results } else { slots.payload };
            // SAFETY: there is room for what the call ends with.
            unsafe { known.give(&slots.inputs.slots, first, made, slots.objects, vm) };
            known.status
        }
        Met::New => {
            let Some(notes) = Notes::take(&given.tensors()) else { return code() };
            let status = code();
            let known = ended(specialisation, slots, status).and_then(|(results, first)| {
                // SAFETY: the call has ended in this way, and so has filled its slots.
                let found = unsafe { std::slice::from_raw_parts(first, results.len()) };
                let (passed, objects) = ((&types[..], &slots.inputs.slots[..]), slots.objects);
                Known::of(status, (&results, found), passed, notes, &given, objects, vm)
            });
            if known.is_some() {
                // What they know would only take memory.
                specialisation.replays.runs.iter().for_each(Table::forget);
            }
            table.learn(&given, known);
            status
        }
        Met::Other => {
            let turns = specialisation.replays.runs();
            let status = code();
            if specialisation.replays.runs() - turns >= MOST_TURNS {
                table.carry_out(&given);
            }
            status
        }
    }
}

/// Whether the work of calls with these inputs is what the code says.
fn can_replay(inputs: &Inputs) -> bool {
    !inputs.shared && inputs.hosts.is_none()
}

/// A run that is noted, until it has ended.
pub(crate) struct Noting {
    run: u32,
    given: Given,
    notes: Notes,
}

/// What compiled code says of a run of operations.
pub(crate) struct Said<'a> {
    /// The function of the host by which it does.
    pub(crate) data: &'a HostData,
    /// Its operands.
    pub(crate) slots: &'a [u64],
    pub(crate) inputs: &'a Inputs,
    pub(crate) objects: &'a Objects,
}

/// Before a run: begins it again if that can be, and gives whether it was and its results. Else it may be one to be noted.
///
/// # Safety
/// There is room for the results.
pub(crate) unsafe fn before_run(
    replays: &Replays,
    (run, moving): (u32, &[Dtype]),
    said: &Said<'_>,
    results: *mut u64,
    ahead: &mut Ahead,
    vm: &VirtualMachine,
) -> Option<Noting> {
    let Said { data, slots, inputs, objects } = *said;
    // SAFETY: the caller says so; each is one slot.
    (0..data.results.len()).for_each(|at| unsafe { results.add(at).write(NO_OBJECT) });
    let table = replays.runs.get(run as usize)?;
    if !can_replay(inputs) || Notes::are_taken() || table.is_closed() {
        return None;
    }
    let (fixed, last) = data.params.split_at(data.params.len() - moving.len());
    let mut given = Given::of(fixed, slots, objects, vm)?;
    given.moving = Number::all(last, moving, &slots[slots.len() - moving.len()..]);
    match table.meet(&given) {
        Met::Known(known) => {
            let tensors = given.tensors();
            let begun = ahead.next(&known.recording, &tensors, &given.moving);
            let made = match begun {
                Some(made) => {
                    table.count.fetch_add(1, Ordering::Relaxed);
                    replays.ahead.fetch_add(1, Ordering::Relaxed);
                    replays.most.fetch_max(ahead.iterations(), Ordering::Relaxed);
                    replays.launches.store(ahead.launches(), Ordering::Relaxed);
                    made
                }
                None => {
                    let made = table.play(&known, &given)?;
                    ahead.ran(&known.recording, &tensors, &given.moving, &made);
                    made
                }
            };
            // SAFETY: as above.
            unsafe {
                known.give(slots, results.add(1), made, objects, vm);
                results.write(1);
            }
            None
        }
        Met::New => {
            let notes = Notes::take(&given.tensors())?;
            Some(Noting { run, given, notes })
        }
        Met::Other => None,
    }
}

/// Behind a run that was carried out and noted.
pub(crate) fn behind_run(replays: &Replays, noting: Noting, said: &Said<'_>, ahead: &Ahead, vm: &VirtualMachine) {
    let Noting { run, given, notes } = noting;
    let (found, table) = ((&said.data.params[..], said.slots), &replays.runs[run as usize]);
    let status = Status(u64::from(Status::RETURNED));
    // Operations give objects of their own, some of which have handles by now that operands had.
    let known = Known::of(status, found, (&[], &[]), notes, &given, said.objects, vm);
    match known {
        Some(known) if known.recording.steps() < FEWEST_STEPS && !ahead.waits() => table.close(),
        known => table.learn(&given, known),
    }
}

impl Given {
    /// Tensors of devices by what they are, and others if they are a single number.
    fn of(types: &[Type], slots_of: &[u64], objects: &Objects, vm: &VirtualMachine) -> Option<Self> {
        let (mut given, mut at) = (Self { numbers: Vec::new(), moving: Vec::new(), objects: Vec::new() }, 0);
        for &ty in types {
            let slot = slots_of[at];
            match ty {
                Type::Tensor(_) => {
                    let object = objects.get(slot, vm)?;
                    let found = tensor::of(&object)?;
                    match found.device() {
                        Some(_) => given.objects.push(object),
                        None => given.numbers.push(number_slot(found.only_item()?)),
                    }
                }
                _ => given.numbers.push(slot),
            }
            at += slots(ty);
        }
        Some(given)
    }

    fn tensors(&self) -> Vec<&Tensor> {
        self.objects.iter().filter_map(|it| tensor::of(it)).collect()
    }
}

impl Known {
    /// Whether it can be begun again with what is given.
    fn takes(&self, given: &Given) -> bool {
        self.recording.takes_others() || self.moving == given.moving
    }

    fn fits(&self, given: &Given) -> bool {
        self.recording.fits(&given.tensors())
    }

    /// Learns where numbers go by what was recorded before with others. False if that is not sure.
    fn learn(&self, before: &Self) -> bool {
        self.recording.learn(&self.moving, &before.recording, &before.moving)
    }

    /// What work has done that was noted, and what it gave of what was passed: types, and their slots.
    fn of(
        status: Status,
        (types, found): (&[Type], &[u64]),
        (passed_types, passed): (&[Type], &[u64]),
        notes: Notes,
        given: &Given,
        objects: &Objects,
        vm: &VirtualMachine,
    ) -> Option<Self> {
        let mut results = Vec::new();
        let mut made = Vec::new();
        for (at, (ty, &bits)) in types.iter().zip(found).enumerate() {
            let earlier = (0..at).find(|&it| matches!(types[it], Type::Tensor(_)) && found[it] == bits);
            let mut passed = passed.iter().zip(passed_types);
            let passed = passed.position(|(slot, ty)| matches!(ty, Type::Tensor(_)) && *slot == bits);
            results.push(match (ty, earlier, passed) {
                (Type::Bool | Type::I64 | Type::F64, ..) => Slot::Bits(bits),
                (Type::Tensor(_), Some(at), _) => Slot::Again(at),
                (Type::Tensor(_), None, Some(at)) => Slot::Passed(at),
                (Type::Tensor(_), None, None) => {
                    made.push(objects.get(bits, vm)?);
                    Slot::Made(made.len() - 1)
                }
                _ => return None,
            });
        }
        let outputs: Vec<&Tensor> = made.iter().map(|it| tensor::of(it)).collect::<Option<_>>()?;
        let recording = notes.recording(&given.tensors(), &outputs)?;
        let moving = given.moving.clone();
        Some(Self { recording, moving, played: AtomicU32::new(0), status, results })
    }

    /// Gives the results of work that was begun again on what is passed.
    ///
    /// # Safety
    /// There is room for them.
    unsafe fn give(&self, passed: &[u64], first: *mut u64, made: Vec<Tensor>, objects: &Objects, vm: &VirtualMachine) {
        let library = tensor::library().expect("there are tensors, so there is a library of them");
        let mut made: Vec<Option<Tensor>> = made.into_iter().map(Some).collect();
        for (at, slot) in self.results.iter().enumerate() {
            let bits = match slot {
                Slot::Bits(bits) => *bits,
                Slot::Passed(at) => passed[*at],
                // SAFETY: it was written before.
                Slot::Again(at) => unsafe { first.add(*at).read() },
                Slot::Made(at) => {
                    let tensor = made[*at].take().expect("each is given once");
                    objects.give(library.array(tensor, vm), u32::try_from(*at).unwrap_or(0), vm)
                }
            };
            if matches!(slot, Slot::Passed(_) | Slot::Again(_)) {
                objects.count(bits, true, vm);
            }
            // SAFETY: the caller says so.
            unsafe { first.add(at).write(bits) };
        }
    }
}

/// What a call has ended with, if that is a result: the types, each of a slot, and where they are.
fn ended(specialisation: &Specialisation, given: &Slots<'_>, status: Status) -> Option<(Vec<Type>, *const u64)> {
    let module = &specialisation.captured.module;
    let (types, first) = match status.outcome() {
        Outcome::Returned => (module.funcs[module.main()].results.clone(), given.results),
        Outcome::Exit(exit, _) if matches!(specialisation.captured.exits[exit.index()], ExitKind::Return { .. }) => {
            (module.exits[exit].types.clone(), given.payload)
        }
        Outcome::Exit(..) | Outcome::Trap(..) => return None,
    };
    types.iter().all(|&ty| slots(ty) == 1).then_some((types, first.cast_const()))
}
