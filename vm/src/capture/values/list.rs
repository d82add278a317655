//! Lists of the compiled code (`capture/list.rs`), as the instructions know them.

use rustpython_vm::builtins::PyList;
use rustpython_vm::{PyObject, PyObjectRef};
use snekpy_stage::op::{Op, Wrap2};

use crate::capture::list::{StagedList, in_items};
use crate::capture::step::refuse;
use crate::capture::stop::{Step, Stop};
use crate::capture::value::Iter;
use crate::kind::{At, Representation};

/// The list of the compiled code behind a list object.
pub(crate) fn staged_in(object: &PyObject) -> Option<StagedList> {
    // No class that is derived from `list` holds a column.
    in_items(&object.downcast_ref::<PyList>()?.borrow_vec())
}

/// What needs the items one by one cannot go on with a list of the compiled code.
pub(crate) fn unknown_length(what: &str) -> Stop {
    refuse("S295", format!("{what} of a list or tuple whose length is known only later"))
        .help("write the loop, or return the list and do this outside")
        .into()
}

impl Representation for StagedList {
    fn noun(&self) -> &'static str {
        "list"
    }

    fn length(&self, at: &mut At<'_, '_>) -> Step<Option<PyObjectRef>> {
        let At { session, state, .. } = at;
        let length = session.length_of_list(state, self);
        Ok(Some(session.rep(length)))
    }

    fn iter(&self, at: &mut At<'_, '_>) -> Step<Option<Iter>> {
        let At { session, object, .. } = at;
        let index = session.vm.ctx.new_int(0).into();
        Ok(Some(Iter::Items { list: object.clone(), index, reversed: false }))
    }

    fn reversed(&self, at: &mut At<'_, '_>) -> Step<Option<Iter>> {
        let At { session, state, object } = at;
        let (length, one) = (session.length_of_list(state, self), session.int(state, -1));
        let last = session.value(state, Op::Wrap2(Wrap2::Add), &[length, one]);
        Ok(Some(Iter::Items { list: object.clone(), index: session.rep(last), reversed: true }))
    }

    fn unpack(&self, at: &mut At<'_, '_>, count: usize) -> Step<Option<Vec<PyObjectRef>>> {
        let At { session, state, object } = at;
        session.guard_contents(object)?;
        session.unpack_list(state, self, count).map(Some)
    }

    fn item(&self, at: &mut At<'_, '_>, i: &PyObjectRef) -> Step<Option<PyObjectRef>> {
        let At { session, state, .. } = at;
        session.refuse_slice(i, "a slice")?;
        session.list_item(state, self, i).map(Some)
    }

    fn set_item(&self, at: &mut At<'_, '_>, i: &PyObjectRef, item: &PyObjectRef) -> Step<bool> {
        let At { session, state, .. } = at;
        session.refuse_slice(i, "assignment to a slice")?;
        session.set_list_item(state, self, i, item).map(|()| true)
    }

    fn delete_item(&self, at: &mut At<'_, '_>, i: &PyObjectRef) -> Step<bool> {
        let At { session, state, .. } = at;
        session.refuse_slice(i, "`del` of a slice")?;
        session.delete_list_item(state, self, i).map(|()| true)
    }

    fn is_indexed(&self) -> bool {
        true
    }

    fn refuse_whole(&self, _: &PyObjectRef, what: &str) -> Step<()> {
        Err(unknown_length(what))
    }
}
