//! Attributes of handed-on objects as columns of rows: see [`snekpy_stage::row`] and `object/rows.rs`.

use rustpython_vm::{AsObject, PyObjectRef};
use snekpy_stage::row;

use crate::capture::session::Session;
use crate::capture::state::State;
use crate::object::Operation;
use crate::scalar;

impl Session<'_> {
    /// The column of an attribute, in rows of the objects that have it.
    pub(crate) fn column(&mut self, operation: &Operation) -> Option<u32> {
        let (columns, name) = (&mut self.columns, operation.attribute()?);
        let index = columns.iter().position(|it| it.is(name)).unwrap_or_else(|| {
            columns.push(name);
            columns.len() - 1
        });
        u32::try_from(index).ok().filter(|it| *it < row::MOST)
    }

    /// A number that is known now becomes one of the compiled code.
    pub(crate) fn stage_number(&mut self, state: &State, number: &mut PyObjectRef) {
        if let Some(constant) = scalar::constant(number, self.vm) {
            let value = self.constant(state.block, constant);
            *number = self.rep(value);
        }
    }
}
