//! An object of a record class: a row of the table of the call. What compiled code does with it: `capture/record.rs`.

use rustpython_vm::PyObjectRef;
use rustpython_vm::builtins::PyTypeRef;

use super::{Kind, Known, Leaving, Staged};
use crate::capture::record::refuse_native;
use crate::capture::session::Session;
use crate::capture::state::State;
use crate::capture::stop::Step;
use crate::capture::value::Iter;

/// An object of a record class.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    /// Its class.
    pub(crate) class: PyTypeRef,
    /// Its class, as an index into the layout of the table.
    pub(crate) kind: usize,
    /// The number of its row.
    pub(crate) row: PyObjectRef,
}

impl Staged for Record {
    fn noun(&self) -> &'static str {
        "object"
    }

    fn parts(&self) -> Vec<PyObjectRef> {
        vec![self.row.clone()]
    }

    fn with(&self, parts: Vec<PyObjectRef>) -> Kind {
        let row = parts.into_iter().next().expect("one in, one out");
        Self { class: self.class.clone(), kind: self.kind, row }.into()
    }

    fn known(&self) -> Known {
        Known::from_iter([self.kind as u64])
    }

    fn leaving(&self) -> Leaving {
        Leaving::Row
    }

    fn class(&self) -> Option<PyTypeRef> {
        Some(self.class.clone())
    }

    fn iter(&self, _: &mut Session<'_>, _: &mut State) -> Step<Option<Iter>> {
        Err(refuse_native("iteration over", &self.class).into())
    }
}
