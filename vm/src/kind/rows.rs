//! The columns of a list whose items are lists, where those have several columns each: `[[(1, 2.0)], []]`.
//!
//! Nobody in the program meets it: it is what such a list holds ([`crate::capture::list`]).

use std::sync::Arc;

use rustpython_vm::{PyObjectRef, PyResult, VirtualMachine};

use super::{Kind, Leaving, Make, Representation};

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    /// Those of the items, each a list of theirs.
    pub(crate) columns: PyObjectRef,
}

/// Whose parts are the columns of lists.
#[derive(Debug)]
struct MakeRows;

impl Make for MakeRows {
    fn make(&self, _parts: &[PyObjectRef], vm: &VirtualMachine) -> PyResult {
        Err(vm.new_system_error("columns of the compiled code are no object"))
    }

    fn makes_lists(&self) -> bool {
        true
    }
}

impl Representation for Rows {
    fn noun(&self) -> &'static str {
        "list"
    }

    fn parts(&self) -> Vec<PyObjectRef> {
        vec![self.columns.clone()]
    }

    fn with(&self, parts: Vec<PyObjectRef>) -> Kind {
        let [columns] = <[PyObjectRef; 1]>::try_from(parts).expect("one in, one out");
        Self { columns }.into()
    }

    fn leaving(&self) -> Leaving {
        Leaving::Made { make: Arc::new(MakeRows), parts: self.parts() }
    }
}
