//! An object that is a row: of the table of the call, if it is of a record class, or of a pool, if the call has made it.
//! What compiled code does with it: `capture/record.rs`, `capture/pool.rs`.

use rustpython_vm::PyObjectRef;
use rustpython_vm::builtins::PyTypeRef;

use super::{At, Kind, Known, Leaving, Representation};
use crate::capture::record::refuse_native;
use crate::capture::step::Truth;
use crate::capture::stop::Step;
use crate::capture::value::Iter;

/// Where the row of an object is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Home {
    /// In the table of the call: its class, as an index into the layout.
    Table(usize),
    /// In the pool of this number.
    Pool(u8),
}

/// An object that is a row.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub(crate) class: PyTypeRef,
    /// Where its row is.
    pub(crate) home: Home,
    /// The number of its row.
    pub(crate) row: PyObjectRef,
}

impl Record {
    /// The pool that it is a row of, if it is of one.
    pub(crate) const fn pool(&self) -> Option<u8> {
        match self.home {
            Home::Table(_) => None,
            Home::Pool(pool) => Some(pool),
        }
    }
}

impl Representation for Record {
    fn noun(&self) -> &'static str {
        "object"
    }

    fn parts(&self) -> Vec<PyObjectRef> {
        vec![self.row.clone()]
    }

    fn with(&self, parts: Vec<PyObjectRef>) -> Kind {
        let row = parts.into_iter().next().expect("one in, one out");
        Self { class: self.class.clone(), home: self.home, row }.into()
    }

    fn known(&self) -> Known {
        match self.home {
            Home::Table(class) => Known::from_iter([0, class as u64]),
            Home::Pool(pool) => Known::from_iter([1, u64::from(pool)]),
        }
    }

    fn leaving(&self) -> Leaving {
        Leaving::Row
    }

    fn class(&self) -> Option<PyTypeRef> {
        Some(self.class.clone())
    }

    fn is_item(&self) -> bool {
        matches!(self.home, Home::Pool(_))
    }

    fn has_identity(&self) -> bool {
        matches!(self.home, Home::Table(_))
    }

    fn truth(&self, at: &mut At<'_, '_>) -> Step<Option<Truth>> {
        let At { session, object, .. } = at;
        let asks = session.has_user_method(object, &["__bool__", "__len__"]);
        Ok((!asks).then_some(Truth::Known(true)))
    }

    fn row(&self) -> Option<&PyObjectRef> {
        Some(&self.row)
    }

    fn iter(&self, _: &mut At<'_, '_>) -> Step<Option<Iter>> {
        Err(refuse_native("iteration over", &self.class).into())
    }
}
