//! An array among the items of a list of the compiled code: the number of its handle, of which the list is an owner.
//!
//! Nobody in the program meets it: it is what such a list holds, and what is read of it becomes the array
//! ([`crate::capture::list`]). Only code that is differentiated, or has no interpreter, has such lists; elsewhere a list
//! of arrays is an object.

use rustpython_vm::PyObjectRef;
use snekpy_stage::types::TensorType;

use super::{Kind, Known, Leaving, Representation};

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct ArrayItem {
    /// What the array is.
    pub(crate) ty: TensorType,
    /// The number, or the column of them.
    pub(crate) number: PyObjectRef,
}

impl Representation for ArrayItem {
    fn noun(&self) -> &'static str {
        "ndarray"
    }

    fn parts(&self) -> Vec<PyObjectRef> {
        vec![self.number.clone()]
    }

    fn with(&self, parts: Vec<PyObjectRef>) -> Kind {
        let [number] = <[PyObjectRef; 1]>::try_from(parts).expect("one in, one out");
        Self { number, ..*self }.into()
    }

    fn leaving(&self) -> Leaving {
        Leaving::Refused("S295", "a list of arrays whose length is known only later leaves differentiated code")
    }

    fn known(&self) -> Known {
        // Equal shapes are one place in memory.
        [self.ty.dtype as u64, self.ty.shape.dims().as_ptr() as u64].into_iter().collect()
    }

    fn is_item(&self) -> bool {
        true
    }
}
