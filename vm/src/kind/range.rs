//! `range` of numbers of which one is known later.

use std::sync::Arc;

use rustpython_vm::builtins::PyRange;
use rustpython_vm::{AsObject, PyObjectRef, VirtualMachine};

use super::{At, Call, Kind, Leaving, Representation};
use crate::capture::stop::Step;
use crate::capture::value::Iter;

/// `range(start, stop, step)`.
#[derive(Clone, Debug)]
pub(crate) struct Range {
    pub(crate) start: PyObjectRef,
    pub(crate) stop: PyObjectRef,
    pub(crate) step: PyObjectRef,
}

impl Range {
    /// One of known numbers.
    pub(crate) fn of_numbers(range: &PyRange) -> Self {
        Self { start: range.start.clone().into(), stop: range.stop.clone().into(), step: range.step.clone().into() }
    }
}

impl Representation for Range {
    fn noun(&self) -> &'static str {
        "range"
    }

    fn parts(&self) -> Vec<PyObjectRef> {
        vec![self.start.clone(), self.stop.clone(), self.step.clone()]
    }

    fn with(&self, parts: Vec<PyObjectRef>) -> Kind {
        let [start, stop, step] = <[PyObjectRef; 3]>::try_from(parts).expect("three in, three out");
        Self { start, stop, step }.into()
    }

    fn leaving(&self) -> Leaving {
        Leaving::Made { make: Arc::new(Call(|vm| vm.ctx.types.range_type)), parts: self.parts() }
    }

    fn sample(&self, vm: &VirtualMachine) -> Option<PyObjectRef> {
        vm.ctx.types.range_type.as_object().call((0,), vm).ok()
    }

    fn is_immutable(&self) -> bool {
        true
    }

    fn length(&self, at: &mut At<'_, '_>) -> Step<Option<PyObjectRef>> {
        at.session.range_length(at.state, self).map(Some)
    }

    fn iter(&self, at: &mut At<'_, '_>) -> Step<Option<Iter>> {
        at.session.range_iter(at.state, self).map(Some)
    }

    fn reversed(&self, at: &mut At<'_, '_>) -> Step<Option<Iter>> {
        at.session.reversed_range(at.state, self, at.object).map(Some)
    }

    fn contains(&self, at: &mut At<'_, '_>, item: &PyObjectRef) -> Step<Option<PyObjectRef>> {
        let At { session, state, .. } = at;
        match session.number(item)? {
            Some(num) => session.range_contains(state, num, self).map(Some),
            None => Ok(None),
        }
    }
}
