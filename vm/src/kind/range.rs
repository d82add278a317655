//! `range` of numbers of which one is known later.

use std::sync::Arc;

use rustpython_vm::{AsObject, PyObjectRef, VirtualMachine};

use super::{Call, Kind, Leaving, Staged};
use crate::capture::session::Session;
use crate::capture::state::State;
use crate::capture::step::Truth;
use crate::capture::stop::Step;

/// `range(start, stop, step)`.
#[derive(Clone, Debug)]
pub(crate) struct Range {
    pub(crate) start: PyObjectRef,
    pub(crate) stop: PyObjectRef,
    pub(crate) step: PyObjectRef,
}

impl Staged for Range {
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

    fn truth(&self, session: &mut Session<'_>, state: &mut State) -> Step<Option<Truth>> {
        match self.length(session, state)? {
            Some(length) => session.truth(state, &length).map(Some),
            None => Ok(None),
        }
    }

    fn length(&self, session: &mut Session<'_>, state: &mut State) -> Step<Option<PyObjectRef>> {
        session.range_length(state, self).map(Some)
    }
}
