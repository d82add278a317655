//! How much code knows of what is passed: less, where making code that knows all of it takes too long.

use std::sync::atomic::Ordering;

use rustpython_vm::builtins::PyTypeRef;
use rustpython_vm::{AsObject, VirtualMachine};

use super::Target;
use super::cache::{Cache, Call};
use crate::flatten::{Arg, Varying};
use crate::host::slots::can_be_taken_apart;

/// How much code knows of what is passed.
#[derive(Debug, Default)]
pub(super) enum Knowing {
    /// As much as there is to know.
    #[default]
    All,
    /// Less, since making that took too long. What varied before.
    Less(Varying),
    /// As much as it does now.
    Settled,
}

/// So often code is made for other numbers that decide what arrays look like. Then they are not known any more.
const MOST_NUMBERS: usize = 16;

impl Cache {
    /// Whether numbers that decide what arrays look like may be known when code is made.
    pub(super) fn may_know(&self, varying: &Varying) -> bool {
        varying.known.is_empty() || self.numbers.fetch_add(1, Ordering::Relaxed) < MOST_NUMBERS
    }

    /// Making code that knows what is passed has taken too long: the next code knows less, if this says so. If that takes too
    /// long, too, what there is is known again.
    pub(super) fn know_less(&self, target: Target<'_>, call: &Call, new: &[usize], vm: &VirtualMachine) -> bool {
        let mut knowing = self.knowing.lock();
        match std::mem::replace(&mut *knowing, Knowing::Settled) {
            Knowing::All => {
                let Some(less) = self.less(target, call, new, vm) else { return false };
                *knowing = Knowing::Less(std::mem::replace(&mut *self.varying.lock(), less));
                true
            }
            Knowing::Less(all) => {
                *self.varying.lock() = all;
                false
            }
            Knowing::Settled => false,
        }
    }

    /// Code that knows less does not pay: what is made next knows all there is again.
    pub(crate) fn know_all(&self) {
        let mut knowing = self.knowing.lock();
        let Knowing::Less(all) = &mut *knowing else { return };
        *self.varying.lock() = std::mem::take(all);
        *knowing = Knowing::Settled;
        drop(knowing);
        drop(self.snapshot.without(|_| true));
    }

    /// What varies if objects of the program are no longer known, but what is in them, and texts are handed on.
    fn less(&self, target: Target<'_>, call: &Call, new: &[usize], vm: &VirtualMachine) -> Option<Varying> {
        if !target.may_hand_on() || target.strict {
            return None;
        }
        let mut less = self.varying.lock().clone();
        let key = self.key(call, &Varying { may_hand_on: true, ..less.clone() }, new, vm).ok()?;
        let mut classes = Vec::new();
        let mut is_less = false;
        for (local, arg) in key.args.iter().enumerate() {
            let Some(arg) = arg else { continue };
            known_objects(arg, &mut classes, vm);
            if holds_known_text(arg, vm) && call.params().is_static.get(local) == Some(&false) {
                less.objects.push(local);
                is_less = true;
            }
        }
        for class in classes {
            is_less |= less.take_apart(class);
        }
        is_less.then_some(less)
    }
}

/// The classes of the objects in an argument that the code knows by what they are, and that can be taken apart.
fn known_objects(arg: &Arg, classes: &mut Vec<PyTypeRef>, vm: &VirtualMachine) {
    match arg {
        Arg::Static(object) if can_be_taken_apart(object, vm) => classes.push(object.class().to_owned()),
        Arg::Tuple(args) | Arg::Named(_, args) | Arg::List(args) => {
            args.iter().for_each(|arg| known_objects(arg, classes, vm));
        }
        Arg::Keywords(args) | Arg::Names(args) => args.iter().for_each(|(_, arg)| known_objects(arg, classes, vm)),
        Arg::Instance { attributes, .. } => attributes.iter().for_each(|(_, arg)| known_objects(arg, classes, vm)),
        Arg::Cell(arg) => known_objects(arg, classes, vm),
        _ => {}
    }
}

/// Whether an argument is a text that the code knows, or a list or tuple with one in it.
fn holds_known_text(arg: &Arg, vm: &VirtualMachine) -> bool {
    match arg {
        Arg::Static(object) => object.class().is(vm.ctx.types.str_type) || object.class().is(vm.ctx.types.bytes_type),
        Arg::Tuple(args) | Arg::Named(_, args) | Arg::List(args) => args.iter().any(|arg| holds_known_text(arg, vm)),
        _ => false,
    }
}
