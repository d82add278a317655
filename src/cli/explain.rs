//! `snekpy explain CODE`: what a code of a `StagingError` means. No interpreter is started for it.
//!
//! A file of the name `explain` is run as `./explain`.

use crate::cli::exit;
use clap::Parser;
use snekpy_vm::codes;
use std::ffi::OsString;

/// Show what a code of a StagingError means, with a program that fails and one that works.
#[derive(Debug, Parser)]
#[command(name = "snekpy explain", after_help = "Example: snekpy explain S110")]
struct Explanation {
    /// The code that an error begins with; without one, all codes are listed
    #[arg(value_name = "CODE")]
    code: Option<String>,
}

/// Reads what follows the word `explain`, prints the explanation and ends the process.
pub(crate) fn run(rest: &[OsString]) -> ! {
    let Explanation { code } = Explanation::parse_from(std::iter::once(&OsString::from("snekpy explain")).chain(rest));
    match code.as_deref().map(codes::find) {
        None => exit::print(&codes::list()),
        Some(Ok(code)) => exit::print(&code.to_string()),
        Some(Err(unknown)) => exit::fail(&format!("explain: {unknown}"), exit::USAGE),
    }
}
