//! The rest of a computation, as `shift` takes it in staged code: `capture/delimited.rs`.

use std::sync::atomic::{AtomicU64, Ordering};

use rustpython_vm::PyObjectRef;
use rustpython_vm::builtins::PyTypeRef;

use super::{Known, Leaving, Representation};

/// The rest of a computation.
#[derive(Clone, Debug)]
pub(crate) struct Continuation {
    /// The frames, outermost first: that of the function of `reset`.
    pub(crate) frames: Vec<crate::capture::state::Frame>,
    /// The exception that was being handled.
    pub(crate) handled: Option<PyObjectRef>,
    /// Which function of which capture it belongs to.
    pub(crate) owner: u64,
}

impl Representation for Continuation {
    fn noun(&self) -> &'static str {
        "continuation"
    }

    fn known(&self) -> Known {
        // What it holds is not walked: no two paths that hold one meet.
        static COUNT: AtomicU64 = AtomicU64::new(0);
        Known::from_iter([COUNT.fetch_add(1, Ordering::Relaxed)])
    }

    fn leaving(&self) -> Leaving {
        Leaving::Refused("S350", "the rest of a computation leaves staged code")
    }

    fn class(&self) -> Option<PyTypeRef> {
        Some(crate::delimited::class())
    }
}
