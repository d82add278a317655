//! A tuple of any number of items.

use std::sync::Arc;

use rustpython_vm::{PyObjectRef, VirtualMachine};

use super::{At, Call, Kind, Leaving, Representation};
use crate::capture::stop::Step;
use crate::capture::value::Iter;
use crate::capture::values;

/// `tuple(items)`, where the number of items is known later.
#[derive(Clone, Debug)]
pub(crate) struct Tuple {
    /// A list of the compiled code, which nothing else holds.
    pub(crate) items: PyObjectRef,
}

impl Representation for Tuple {
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

    fn length(&self, at: &mut At<'_, '_>) -> Step<Option<PyObjectRef>> {
        at.session.length(at.state, &self.items).map(Some)
    }

    fn hidden_iter(&self, at: &mut At<'_, '_>) -> Step<Option<Iter>> {
        at.session.iter(at.state, &self.items).map(Some)
    }

    fn item(&self, at: &mut At<'_, '_>, i: &PyObjectRef) -> Step<Option<PyObjectRef>> {
        let At { session, state, object } = at;
        let Some(list) = values::staged_in(&self.items) else { return Ok(None) };
        if session.number(i)?.is_none() {
            self.refuse_whole(object, "a slice")?;
        }
        session.item_at(state, &list, i, "tuple index out of range").map(Some)
    }

    fn is_indexed(&self) -> bool {
        true
    }

    fn refuse_whole(&self, _: &PyObjectRef, what: &str) -> Step<()> {
        Err(values::unknown_length(what))
    }

    fn is_immutable(&self) -> bool {
        true
    }
}
