//! Runs whole programs with the `snekpy` command and compares what they print.
//!
//! A folder of programs is a suite: `cases/` (one behaviour each, staged, in every [`Mode`]),
//! `conformance/` (plain Python), `bad/` (wrong programs and what snekpy says about them). The documentation is
//! two more: the guide and the pages of `docs/errors/`. What a program must print stands beside it; comments that
//! begin with `#@` say what else is expected of it ([`Directives`]). The harnesses in `run/` only turn a folder
//! into named tests.
//!
//! How much of each case runs compiled is recorded, too ([`Coverage`]).
//!
//! Nothing here depends on snekpy's crates: the oracle is what CPython printed, or what the same command
//! prints unstaged.

mod command;
mod compare;
mod coverage;
mod directive;
pub mod fuzz;
mod golden;
pub mod guide;
mod mode;
mod page;
mod process;
mod program;
mod setting;

pub use command::Snekpy;
pub use compare::difference;
pub use coverage::{Coverage, CoverageRecord};
pub use directive::{Directives, Golden, Refusal};
pub use golden::check_golden;
pub use mode::Mode;
pub use page::Page;
pub use process::{Ended, Limits, STILL_RUNNING, run};
pub use program::{Program, orphans, programs, suite_folder};
pub use setting::{fresh_seed, number};
