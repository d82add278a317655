//! Slices that a path has made.

use rustpython_vm::PyObjectRef;
use rustpython_vm::builtins::PySlice;

use super::{Changes, Sink, Token, Walk, unchanged};
use crate::capture::values;

impl<'a> Walk<'a> {
    /// A slice is its parts.
    pub(super) fn slice(
        &mut self,
        object: &PyObjectRef,
        slice: &PySlice,
        changes: &mut Changes,
        sink: Sink<'_, 'a>,
    ) -> PyObjectRef {
        if let Some(now) = self.visited(object) {
            return now;
        }
        self.tokens.push(Token::Slice(slice.start.is_some(), slice.step.is_some()));
        let parts: Vec<_> = values::slice_parts(slice).cloned().collect();
        let now = self.objects(&parts, changes, sink);
        let now = if unchanged(&now, &parts) { object.clone() } else { values::slice_of(slice, now, self.cx.vm) };
        self.replaced(object, now)
    }
}
