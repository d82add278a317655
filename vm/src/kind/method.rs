//! A method of a value that is known later, as reading an attribute gives it. Calling it: `capture/cross.rs` for objects
//! that compiled code hands on, `capture/text.rs` for characters.

use std::sync::Arc;

use rustpython_vm::PyObjectRef;
use rustpython_vm::builtins::PyStrInterned;

use super::{Attribute, Kind, Known, Leaving, Representation};

/// `object.name`.
#[derive(Clone, Debug)]
pub(crate) struct Method {
    pub(crate) object: PyObjectRef,
    pub(crate) name: &'static PyStrInterned,
}

impl Representation for Method {
    fn noun(&self) -> &'static str {
        "method"
    }

    fn parts(&self) -> Vec<PyObjectRef> {
        vec![self.object.clone()]
    }

    fn with(&self, parts: Vec<PyObjectRef>) -> Kind {
        let object = parts.into_iter().next().expect("one in, one out");
        Self { object, name: self.name }.into()
    }

    fn known(&self) -> Known {
        // There is one of each name.
        Known::from_iter([std::ptr::from_ref(self.name).addr() as u64])
    }

    fn leaving(&self) -> Leaving {
        let make = Arc::new(Attribute(self.name.to_owned().into()));
        Leaving::Made { make, parts: self.parts() }
    }
}
