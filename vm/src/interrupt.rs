//! Interrupting compiled code: the flag that it looks at, and how many signals have come.

pub(crate) mod poll;
pub(crate) mod signals;
