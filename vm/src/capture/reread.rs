//! Attributes of handed-on objects that a path knows to be numbers, since it has just read or assigned them: reading them
//! again asks nobody.
//!
//! What else acts may change them, and so may a handler of signals, which runs at polls: where loops close, and in calls.

use rustpython_vm::builtins::PyStrInterned;
use rustpython_vm::{AsObject, PyObjectRef};
use snekpy_stage::entity::Value;

use crate::capture::session::Session;
use crate::capture::state::State;
use crate::capture::value;
use crate::object::Operation;
use crate::rep;

/// An attribute, and which number it is.
#[derive(Clone, Debug)]
struct Attribute {
    object: Value,
    name: &'static PyStrInterned,
    number: PyObjectRef,
}

/// The attributes that a path knows.
#[derive(Clone, Default, Debug)]
pub(crate) struct Reread(Vec<Attribute>);

impl Reread {
    /// Anything may have been assigned.
    pub(crate) fn forget(&mut self) {
        self.0.clear();
    }

    /// Where paths meet, what both know.
    pub(crate) fn meet(mut self, other: &Self) -> Self {
        self.0.retain(|it| other.find(it.object, it.name).is_some_and(|number| number.is(&it.number)));
        self
    }

    fn find(&self, object: Value, name: &'static PyStrInterned) -> Option<&PyObjectRef> {
        self.0.iter().find(|it| it.object == object && it.name.is(name)).map(|it| &it.number)
    }

    fn is(&mut self, object: Value, name: &'static PyStrInterned, number: &PyObjectRef) {
        self.0.retain(|it| it.object != object || !it.name.is(name));
        self.0.push(Attribute { object, name, number: number.clone() });
    }

    /// It is assigned, to an object that may be any of them.
    fn assigned(&mut self, name: &'static PyStrInterned) {
        self.0.retain(|it| !it.name.is(name));
    }
}

impl Session<'_> {
    /// What an attribute is known to be.
    pub(crate) fn reread(&self, state: &State, operation: &Operation, operands: &[PyObjectRef]) -> Option<PyObjectRef> {
        let (Operation::Attribute(name), [object]) = (operation, operands) else { return None };
        let (handle, _) = value::handle(object)?;
        state.reread.find(handle, name).cloned()
    }

    /// A path has let the VM carry out a crossing.
    pub(crate) fn note_crossed(
        &self,
        state: &mut State,
        operation: &Operation,
        operands: &[PyObjectRef],
        given: Option<&PyObjectRef>,
        acts: bool,
    ) {
        let is_plain = |object: &PyObjectRef| rep::class_behind(object).is_some();
        match (operation, operands, given) {
            (Operation::Attribute(name), [object], Some(number)) if is_plain(object) => {
                if let (Some((handle, _)), Some((_, ty))) = (value::handle(object), value::rep(number))
                    && ty.is_scalar()
                {
                    state.reread.is(handle, name, number);
                }
            }
            (Operation::SetAttribute(name), [number, object], _) => {
                // Only of what was read is it known that the class gives what the object has.
                let handle = value::handle(object).map(|(handle, _)| handle);
                let known = handle.filter(|it| state.reread.find(*it, name).is_some());
                state.reread.assigned(name);
                if let Some(handle) = known
                    && value::number(number, self.vm).is_some()
                {
                    state.reread.is(handle, name, number);
                }
            }
            _ if acts => state.reread.forget(),
            _ => {}
        }
    }
}
