//! The Python VM: RustPython and the evaluator that captures staged code.

mod capture;
mod captured;
pub mod code;
pub mod codes;
pub mod config;
mod delimited;
pub mod event;
mod exit;
mod expr;
mod flatten;
mod gradient;
mod guard;
pub mod handle;
mod held;
pub mod host;
mod kernel;
pub mod limits;
mod module;
mod object;
mod raising;
mod record;
mod reentry;
pub mod refusal;
pub mod rep;
mod run;
mod source;
mod specialisation;
mod staged;
mod staging_error;
pub mod tensor;
pub mod threads;

pub use config::{StagingConfig, configure};
pub use event::{Event, Watcher};
pub use module::module_def;
pub use run::signals::note as note_signal;
pub use staging_error::refusal_of;
