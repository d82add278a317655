//! A tuple of any number of items.

use std::sync::Arc;

use rustpython_vm::{PyObjectRef, VirtualMachine};

use super::{Call, Kind, Leaving, Staged};
use crate::capture::session::Session;
use crate::capture::state::State;
use crate::capture::step::Truth;
use crate::capture::stop::Step;

/// `tuple(items)`, where the number of items is known later.
#[derive(Clone, Debug)]
pub(crate) struct Tuple {
    /// A list of the compiled code, which nothing else holds.
    pub(crate) items: PyObjectRef,
}

impl Staged for Tuple {
    fn noun(&self) -> &'static str {
        "tuple"
    }

    fn parts(&self) -> Vec<PyObjectRef> {
        vec![self.items.clone()]
    }

    fn with(&self, parts: Vec<PyObjectRef>) -> Kind {
        let [items] = <[PyObjectRef; 1]>::try_from(parts).expect("one in, one out");
        Self { items }.into()
    }

    fn leaving(&self) -> Leaving {
        Leaving::Made { make: Arc::new(Call(|vm| vm.ctx.types.tuple_type)), parts: self.parts() }
    }

    fn sample(&self, vm: &VirtualMachine) -> Option<PyObjectRef> {
        Some(vm.ctx.empty_tuple.clone().into())
    }

    fn truth(&self, session: &mut Session<'_>, state: &mut State) -> Step<Option<Truth>> {
        session.truth(state, &self.items).map(Some)
    }

    fn length(&self, session: &mut Session<'_>, state: &mut State) -> Step<Option<PyObjectRef>> {
        session.length(state, &self.items).map(Some)
    }

    fn is_immutable(&self) -> bool {
        true
    }
}
