//! A function that is passed: which one is known later, what it does is known now.

use rustpython_vm::PyObjectRef;

use super::{At, Leaving, Representation};
use crate::capture::step::Truth;
use crate::capture::stop::Step;

/// A function that is passed.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    /// One that does the same.
    pub(crate) like: PyObjectRef,
}

impl Representation for Function {
    fn noun(&self) -> &'static str {
        "function"
    }

    fn leaving(&self) -> Leaving {
        Leaving::Refused("S224", "a function that was passed leaves staged code")
    }

    fn is_argument(&self) -> bool {
        true
    }

    fn truth(&self, _: &mut At<'_, '_>) -> Step<Option<Truth>> {
        Ok(Some(Truth::Known(true)))
    }
}
