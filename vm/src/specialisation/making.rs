//! Code for a call: which arguments it knows, and which it is only given, is found by trying.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use rustpython_vm::VirtualMachine;

use super::cache::{CHANGES_RECORD, Cache, Call, keeps};
use super::{Specialisation, Target};
use crate::capture::ends::NOTICED;
use crate::captured::{Failure, OfArguments};
use crate::flatten::Source;
use crate::flatten::{self, Copied, Key, Varying, alike};
use crate::refusal::Refusal;

/// So many specialisations of a function that changes objects of record classes know these objects themselves.
const MAX_CHANGED: usize = 4;
/// After so many calls that may let go of an object whose end the program notices, no more code is made.
const ENOUGH_NOTICED: u32 = 16;

impl Cache {
    /// Makes code for a call.
    pub(super) fn make(
        &self,
        target: Target<'_>,
        call: &Call,
        new: &[usize],
        vm: &VirtualMachine,
    ) -> Result<Arc<Specialisation>, Failure> {
        let mut varying = self.varying.lock().clone();
        if target.shared {
            varying.sources.retain(Source::is_shareable);
        }
        // Objects that the function changes are known one by one, unless it is clear that there are ever new ones.
        let few = target.strict || call.snapshot.specialisations.len() < MAX_CHANGED;
        varying.without_records &= few;
        varying.may_hand_on = target.may_hand_on();
        varying.has_sizes = target.alone;
        varying.may_know =
            target.middle.is_none() && (!target.alone || target.derived.is_some()) && self.may_know(&varying);
        let mut key = self.key(call, &varying, new, vm)?;
        if !key.sizes.is_empty()
            && call.snapshot.specialisations.iter().any(|it| it.key.types == key.types && it.refuses(&key.sizes))
        {
            varying.has_sizes = true;
            key = self.key(call, &varying, new, vm)?;
        }
        if self.noticed.load(Ordering::Relaxed) >= ENOUGH_NOTICED && !target.strict {
            let message = "the function lets go of objects whose end the program notices";
            return Err(Box::new(Refusal::new(NOTICED, message)).into());
        }
        let made = self.specialise_for(target, call, new, &mut varying, few, key, vm);
        match made {
            Err(Failure::Refused(refusal)) if refusal.code == NOTICED => {
                self.noticed.fetch_add(1, Ordering::Relaxed);
                Err(refusal.into())
            }
            Err(Failure::Refused(refusal)) if refusal.code == CHANGES_RECORD && !varying.without_records => {
                varying.without_records = true;
                self.varying.lock().without_records = true;
                let key = self.key(call, &varying, new, vm)?;
                self.specialise_for(target, call, new, &mut varying, few, key, vm)
            }
            made => made,
        }
    }

    /// Makes code for a call, in which compiled code hands on those arguments that it cannot work on.
    #[expect(clippy::too_many_arguments, reason = "what a call is made of")]
    fn specialise_for(
        &self,
        target: Target<'_>,
        call: &Call,
        new: &[usize],
        varying: &mut Varying,
        few: bool,
        mut key: Key,
        vm: &VirtualMachine,
    ) -> Result<Arc<Specialisation>, Failure> {
        loop {
            match self.specialise(target, &call.snapshot, key.clone(), few, vm) {
                Err(Failure::Learn(OfArguments::HandOn(local))) if !varying.objects.contains(&local) => {
                    varying.objects.push(local);
                    self.varying.lock().objects.push(local);
                    key = self.key(call, varying, new, vm)?;
                }
                Err(Failure::Learn(OfArguments::Copy(list))) => {
                    let is_new = match *list {
                        Copied::Passed { place, items } => self.lengths.lock().copy(place, items),
                        Copied::World(source) => varying.add(source.clone()) && self.varying.lock().add(source),
                        Copied::Attributes(classes) => {
                            let mut all = self.varying.lock();
                            let mut is_new = false;
                            for class in classes {
                                is_new |= varying.take_apart(class.clone()) && all.take_apart(class);
                            }
                            is_new
                        }
                    };
                    match is_new {
                        true => key = self.key(call, varying, new, vm)?,
                        false => key.may_copy = false,
                    }
                }
                Err(Failure::Learn(OfArguments::Know(roots))) => {
                    let roots = alike(&roots, &call.locals, vm);
                    varying.know(&roots);
                    self.varying.lock().know(&roots);
                    key = self.key(call, varying, new, vm)?;
                }
                Err(Failure::Learn(OfArguments::Sizes)) => {
                    self.lengths.lock().refuse_sizes();
                    varying.has_sizes = true;
                    key = self.key(call, varying, new, vm)?;
                }
                Err(Failure::Learn(OfArguments::Items)) => {
                    self.lengths.lock().refuse_made();
                    key = self.key(call, varying, new, vm)?;
                }
                Err(Failure::Learn(OfArguments::Mixed)) => {
                    self.lengths.lock().refuse_mixed();
                    key = self.key(call, varying, new, vm)?;
                }
                Err(Failure::Learn(OfArguments::HandOn(_))) => {
                    let message = "an argument would have to be handed on, and it is known by its identity";
                    return Err(Box::new(Refusal::new("S412", message)).into());
                }
                made => return made,
            }
        }
    }

    pub(super) fn key(
        &self,
        call: &Call,
        varying: &Varying,
        new: &[usize],
        vm: &VirtualMachine,
    ) -> Result<Key, Failure> {
        // Capturing calls back into this function's cache when the function calls itself in plain Python
        // code: the lock is not held.
        let mut lengths = self.lengths.lock().clone();
        let mut varying = varying.clone();
        varying.objects.extend(&call.handles);
        let mut key = flatten::key_of(&call.locals, &call.snapshot.params, &varying, &mut lengths, vm)?;
        let kept = |key: &Key| -> Vec<usize> {
            let keeps = |index: &usize| key.args.get(*index).and_then(Option::as_ref).is_some_and(|arg| keeps(arg, vm));
            new.iter().copied().filter(keeps).collect()
        };
        let objects = kept(&key);
        if !objects.is_empty() {
            // Code that knew them by their identity would keep them.
            varying.objects.extend(objects);
            key = flatten::key_of(&call.locals, &call.snapshot.params, &varying, &mut lengths, vm)?;
        }
        *self.lengths.lock() = lengths;
        if new.iter().filter_map(|&index| key.args.get(index)?.as_ref()).any(|arg| keeps(arg, vm)) {
            let message = "an object that the call has made or got is known by its identity";
            return Err(Box::new(Refusal::new("S412", message)).into());
        }
        Ok(key)
    }
}
