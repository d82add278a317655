//! The function that is being built waits while another one is.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap as HashMap;
use snekpy_stage::ir::Function;

use crate::capture::explore::LoopMemory;
use crate::capture::heap::{self, Heap};
use crate::capture::session::Session;
use crate::capture::state::{Place, State};
use crate::capture::trail::Trails;

/// What belongs to the function that is being built, while another one is.
pub(super) struct Outer {
    func: Function,
    uncounted: Vec<usize>,
    owner: u64,
    active: Heap,
    changed: BTreeSet<u32>,
    parked: Vec<State>,
    before: Heap,
    open: bool,
    outside: u32,
    raised: Trails,
    voluntary: u32,
    loops: HashMap<Place, LoopMemory>,
}

impl Session<'_> {
    pub(super) fn leave_function(&mut self) -> Outer {
        // The path that runs has not been suspended: what it sees is in the objects only.
        heap::save(&mut self.objects.active, &self.objects.changed, self.vm);
        Outer {
            func: std::mem::replace(&mut self.func, Function::new("")),
            uncounted: std::mem::take(&mut self.uncounted),
            owner: self.owner,
            active: std::mem::take(&mut self.objects.active),
            changed: std::mem::take(&mut self.objects.changed),
            parked: std::mem::take(&mut self.calls.parked),
            before: std::mem::take(&mut self.calls.before),
            open: std::mem::take(&mut self.calls.open),
            outside: self.objects.outside,
            raised: std::mem::take(&mut self.raised),
            voluntary: std::mem::take(&mut self.calls.voluntary),
            loops: std::mem::take(&mut self.learnt.loops),
        }
    }

    pub(super) fn return_to_function(&mut self, outer: Outer) {
        self.base.switch(&self.objects.active, &std::mem::take(&mut self.objects.changed), &outer.active, self.vm);
        self.func = outer.func;
        self.uncounted = outer.uncounted;
        self.owner = outer.owner;
        self.objects.active = outer.active;
        self.objects.changed = outer.changed;
        self.calls.parked = outer.parked;
        self.calls.before = outer.before;
        self.calls.open = outer.open;
        self.objects.outside = outer.outside;
        self.raised = outer.raised;
        self.calls.voluntary = outer.voluntary;
        self.learnt.loops = outer.loops;
        self.forget_constants();
    }
}
