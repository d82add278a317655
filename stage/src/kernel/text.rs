//! The textual form: a head, then the module.
//!
//! ```text
//! kernel rank 2 -> f64
//!
//! func @main(v0: i64, v1: i64, v2: f64) -> f64 {
//! ...
//! ```
//!
//! The head of a sum is `kernel rank 1 sum`.

use std::fmt;

use super::{Form, Kernel};
use crate::text::{self, ParseError};
use crate::types::Elem;

/// Why a text is not a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum KernelParseError {
    /// The head cannot be read.
    Head(String),
    /// The module cannot be read.
    Module(ParseError),
}

impl fmt::Display for KernelParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Head(head) => {
                write!(f, "expected `kernel rank N -> TYPES` or `kernel rank N sum`, found `{head}`")
            }
            Self::Module(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for KernelParseError {}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "kernel rank {}", self.rank)?;
        match &self.form {
            Form::Sum => f.write_str(" sum")?,
            Form::Map(elems) => {
                let elems: Vec<&str> = elems.iter().map(|elem| elem.text()).collect();
                write!(f, " -> {}", elems.join(", "))?;
            }
        }
        write!(f, "\n\n{}", self.module)
    }
}

/// Reads a kernel. Checkpoints need not be in the text. Places in the module are told by lines of the whole text.
///
/// # Errors
/// A [`KernelParseError`] when the text is none.
pub fn parse(source: &str) -> Result<Kernel, KernelParseError> {
    let start = source.lines().position(|line| line.starts_with("kernel")).unwrap_or(0);
    let head = source.lines().nth(start).unwrap_or_default();
    let (rank, form) = parse_head(head).ok_or_else(|| KernelParseError::Head(head.to_owned()))?;
    let rest: String = source
        .lines()
        .enumerate()
        .map(|(number, line)| if number <= start { "\n".to_owned() } else { format!("{line}\n") })
        .collect();
    let module = text::parse(&rest).map_err(KernelParseError::Module)?;
    Ok(Kernel::new(module, rank, form))
}

fn parse_head(head: &str) -> Option<(usize, Form)> {
    let rest = head.trim().strip_prefix("kernel rank ")?;
    let (rank, rest) = rest.split_once(' ')?;
    let rank = rank.parse().ok()?;
    if rest == "sum" {
        return Some((rank, Form::Sum));
    }
    let elem = |word: &str| Elem::ALL.into_iter().find(|elem| elem.text() == word.trim());
    let elems = rest.strip_prefix("-> ")?.split(',').map(elem).collect::<Option<_>>()?;
    Some((rank, Form::Map(elems)))
}
