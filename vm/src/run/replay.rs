//! Calls whose work all lies on a device, begun again without running their code ([`Recording`]).
//!
//! What the code would return or leave with is known then: the same numbers, and tensors that the device has been told to
//! make. Any other call runs, as does one that the device refuses.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustpython_vm::{PyObjectRef, VirtualMachine};
use snekpy_stage::backend::{Outcome, Status, slots};
use snekpy_stage::entity::Entity;
use snekpy_stage::tensor::Tensor;
use snekpy_stage::tensor::device::{Notes, Recording, repeats};
use snekpy_stage::types::Type;

use crate::captured::Captured;
use crate::exit::{ExitKind, HostKind};
use crate::flatten::Inputs;
use crate::object::Objects;
use crate::specialisation::Specialisation;
use crate::staged::governor;
use crate::tensor;

/// So many kinds of calls are known of a specialisation, and above so many that were met nothing is noted any more.
const KINDS: usize = 4;
const MOST_KINDS: usize = 32;
/// So many times work is begun again before that takes as long as it will, at most: graphs are made for where it is.
const SETTLES: u32 = 16;

/// What is known of the calls of a specialisation.
#[derive(Default)]
pub(crate) struct Replays {
    /// Whether its calls can be begun again at all.
    is_possible: bool,
    /// How many calls were.
    count: AtomicU64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    kinds: Vec<Kind>,
    /// How many kinds were met.
    met: usize,
}

/// Calls with the same numbers.
struct Kind {
    numbers: Vec<u64>,
    known: Option<Arc<Known>>,
}

struct Known {
    recording: Recording,
    /// How often it was begun again.
    played: AtomicU32,
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

/// What a call is given.
struct Given {
    numbers: Vec<u64>,
    objects: Vec<PyObjectRef>,
}

impl Replays {
    pub(crate) fn of(captured: &Captured) -> Self {
        let knows = |host: &HostKind| match host {
            HostKind::Tensor => true,
            HostKind::Known(object) => tensor::of(object).is_some_and(|it| it.device().is_some()),
            _ => false,
        };
        let is_possible = repeats(&captured.module) && captured.hosts.iter().all(knows);
        Self { is_possible, count: AtomicU64::new(0), state: Mutex::default() }
    }

    /// How many calls were begun again without their code.
    pub(crate) fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The slots of a call, in and out.
pub(super) struct Slots<'a> {
    pub(super) inputs: &'a Inputs,
    pub(super) objects: &'a Objects,
    pub(super) results: *mut u64,
    pub(super) payload: *mut u64,
}

/// Runs the code of a call, or begins again what it did before. Nothing else may be noted about the call than what its slots
/// have.
pub(super) fn run(
    specialisation: &Specialisation,
    slots: &Slots<'_>,
    vm: &VirtualMachine,
    code: impl FnOnce() -> Status,
) -> Status {
    let replays = &specialisation.replays;
    if !replays.is_possible || slots.inputs.shared || slots.inputs.hosts.is_some() {
        return code();
    }
    let Some(given) = Given::of(specialisation, slots, vm) else { return code() };
    let tensors: Vec<&Tensor> = given.objects.iter().filter_map(|it| tensor::of(it)).collect();
    let mut state = replays.state();
    let is_met = |it: &&Kind| {
        it.numbers == given.numbers && it.known.as_ref().is_none_or(|known| known.recording.fits(&tensors))
    };
    match state.kinds.iter().find(is_met) {
        None if state.met == MOST_KINDS => drop(state),
        None => {
            state.met += 1;
            if state.kinds.len() == KINDS {
                state.kinds.remove(0);
            }
            state.kinds.push(Kind { numbers: given.numbers.clone(), known: None });
            drop(state);
            governor::unsettled();
        }
        Some(Kind { known: Some(known), .. }) => {
            // Making objects may run any code, which may come here again.
            let known = Arc::clone(known);
            drop(state);
            let played = known.played.fetch_add(1, Ordering::Relaxed);
            if played < SETTLES && !known.recording.is_settled() {
                governor::unsettled();
            }
            if let Ok(Some(made)) = known.recording.play(&tensors) {
                replays.count.fetch_add(1, Ordering::Relaxed);
                return known.give(slots, made, vm);
            }
            replays.state().kinds.retain(|it| it.numbers != given.numbers);
        }
        Some(Kind { known: None, .. }) if state.met == MOST_KINDS => drop(state),
        Some(Kind { known: None, .. }) => {
            drop(state);
            governor::unsettled();
            let Some(notes) = Notes::take(&tensors) else { return code() };
            let status = code();
            let known = Known::of(specialisation, slots, status, notes, &tensors, vm);
            let mut state = replays.state();
            match (known, state.kinds.iter_mut().find(|it| it.numbers == given.numbers && it.known.is_none())) {
                (Some(known), Some(kind)) => kind.known = Some(Arc::new(known)),
                // It is tried again, but not for ever.
                _ => state.met = MOST_KINDS.min(state.met + KINDS),
            }
            return status;
        }
    }
    code()
}

impl Given {
    fn of(specialisation: &Specialisation, given: &Slots<'_>, vm: &VirtualMachine) -> Option<Self> {
        let (mut numbers, mut objects, mut at) = (Vec::new(), Vec::new(), 0);
        for ty in specialisation.param_types() {
            let slot = given.inputs.slots[at];
            match ty {
                Type::Tensor(_) => objects.push(given.objects.get(slot, vm)?),
                _ => numbers.push(slot),
            }
            at += slots(ty);
        }
        objects.extend(specialisation.captured.hosts.iter().filter_map(|host| match host {
            HostKind::Known(object) => Some(object.clone()),
            _ => None,
        }));
        Some(Self { numbers, objects })
    }
}

impl Known {
    /// What a call has done that was noted.
    fn of(
        specialisation: &Specialisation,
        given: &Slots<'_>,
        status: Status,
        notes: Notes,
        inputs: &[&Tensor],
        vm: &VirtualMachine,
    ) -> Option<Self> {
        let (types, first) = ended(specialisation, given, status)?;
        let mut results = Vec::new();
        let mut made = Vec::new();
        // SAFETY: the call has ended in this way, and so has filled its slots.
        let found = unsafe { std::slice::from_raw_parts(first, types.len()) };
        for (at, (ty, &bits)) in types.iter().zip(found).enumerate() {
            let earlier = (0..at).find(|&it| matches!(types[it], Type::Tensor(_)) && found[it] == bits);
            let passed = given.inputs.slots.iter().zip(specialisation.param_types());
            let passed = passed.into_iter().position(|(slot, ty)| matches!(ty, Type::Tensor(_)) && *slot == bits);
            results.push(match (ty, earlier, passed) {
                (Type::Bool | Type::I64 | Type::F64, ..) => Slot::Bits(bits),
                (Type::Tensor(_), Some(at), _) => Slot::Again(at),
                (Type::Tensor(_), None, Some(at)) => Slot::Passed(at),
                (Type::Tensor(_), None, None) => {
                    made.push(given.objects.get(bits, vm)?);
                    Slot::Made(made.len() - 1)
                }
                _ => return None,
            });
        }
        let outputs: Vec<&Tensor> = made.iter().map(|it| tensor::of(it)).collect::<Option<_>>()?;
        let recording = notes.recording(inputs, &outputs)?;
        Some(Self { recording, played: AtomicU32::new(0), status, results })
    }

    /// Ends a call in the same way.
    fn give(&self, given: &Slots<'_>, made: Vec<Tensor>, vm: &VirtualMachine) -> Status {
        let library = tensor::library().expect("there are tensors, so there is a library of them");
        let mut made: Vec<Option<Tensor>> = made.into_iter().map(Some).collect();
        let first = if self.status.0 as u32 == Status::RETURNED { given.results } else { given.payload };
        for (at, slot) in self.results.iter().enumerate() {
            let bits = match slot {
                Slot::Bits(bits) => *bits,
                Slot::Passed(at) => given.inputs.slots[*at],
                // SAFETY: it was written before.
                Slot::Again(at) => unsafe { first.add(*at).read() },
                Slot::Made(at) => {
                    let tensor = made[*at].take().expect("each is given once");
                    given.objects.give(library.array(tensor, vm), u32::try_from(*at).unwrap_or(0), vm)
                }
            };
            if matches!(slot, Slot::Passed(_) | Slot::Again(_)) {
                given.objects.count(bits, true, vm);
            }
            // SAFETY: there is room for what the call ends with.
            unsafe { first.add(at).write(bits) };
        }
        self.status
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
