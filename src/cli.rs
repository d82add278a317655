//! The command line: what was asked for, how it is run, and how the process ends.

pub(crate) mod args;
pub(crate) mod cache;
pub(crate) mod color;
pub(crate) mod coverage;
pub(crate) mod environment;
pub(crate) mod exit;
pub(crate) mod explain;
pub(crate) mod faults;
pub(crate) mod inspect;
pub(crate) mod json;
pub(crate) mod limits;
pub(crate) mod memory;
pub(crate) mod options;
pub(crate) mod pipe;
pub(crate) mod program;
pub(crate) mod prompt;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod snippet;
pub(crate) mod thread;
pub(crate) mod trace;
pub(crate) mod uncaught;
