//! How the process ends: exit codes and last words.
//!
//! | code | when |
//! |---|---|
//! | 0 | the program ended, or `SystemExit` without a code |
//! | 1 | an exception nobody caught, a syntax error, `SystemExit` with a message |
//! | 2 | a mistake on the command line, or the file cannot be opened |
//! | n | `SystemExit(n)` |
//! | 70 | a bug in snekpy |
//! | 120 | standard output could not be flushed at the end |
//! | 124 | `--max-time` is over, as `timeout` has it, or another limit is reached |
//! | 130 | Ctrl-C (the process ends by the signal, as CPython does) |
//! | 141 | whoever read standard output has gone |

use std::convert::Infallible;
use std::io::Write;

/// An exception that nobody caught.
pub(crate) const FAILURE: i32 = 1;
/// The command line is wrong, or what it names cannot be opened.
pub(crate) const USAGE: i32 = 2;
/// Our fault.
pub(crate) const BUG: i32 = 70;
/// The program has run too long, or used up something else.
pub(crate) const LIMIT: i32 = 124;
/// The reader of standard output has gone: 128 + SIGPIPE, as for any other command.
pub(crate) const BROKEN_PIPE: i32 = 141;

/// Says why on standard error and ends the process.
pub(crate) fn fail(message: &str, code: i32) -> ! {
    // Nothing can be done about a closed standard error.
    let _ = writeln!(std::io::stderr(), "snekpy: {message}");
    std::process::exit(code)
}

/// `-V`.
pub(crate) fn print_version() -> ! {
    use rustpython_vm::version::{MAJOR, MICRO, MINOR};
    print(&format!("snekpy {} (Python {MAJOR}.{MINOR}.{MICRO})\n", env!("CARGO_PKG_VERSION")))
}

/// Writes a text to standard output and ends the process.
pub(crate) fn print(text: &str) -> ! {
    use std::io::ErrorKind::BrokenPipe;
    let code = match std::io::stdout().write_all(text.as_bytes()) {
        Ok(()) => 0,
        Err(error) if error.kind() == BrokenPipe => BROKEN_PIPE,
        Err(_) => FAILURE,
    };
    std::process::exit(code)
}

/// Ends the process with the code that the interpreter found.
pub(crate) fn exit(code: u32) -> Infallible {
    // Only the low byte reaches the parent, as with CPython.
    std::process::exit((code & 0xff) as i32)
}
