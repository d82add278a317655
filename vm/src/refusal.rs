//! Refusals: what cannot be staged, said so that the user knows what to do.
//!
//! A refusal is made where the reason is known, and gets its place in the program where the instruction is
//! known. Python sees it as `StagingError`.

use std::fmt;

/// Why a function could not be staged.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// `S` and three digits: see the guide, 08 and 10.
    pub code: &'static str,
    /// What is wrong, in terms of the program.
    pub message: String,
    /// What can be done about it.
    pub help: Option<String>,
    /// Where, innermost first.
    pub places: Vec<Place>,
    /// Other places that matter, with what they are.
    pub notes: Vec<(Place, String)>,
}

/// A place in the user's program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The file, as a traceback names it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// The end of the span: line and column.
    pub end: (u32, u32),
    /// The function.
    pub func: String,
}

impl Refusal {
    /// A refusal at a place that is not known yet.
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), help: None, places: Vec::new(), notes: Vec::new() }
    }

    /// Says what can be done.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds another place that matters.
    #[must_use]
    pub fn note(mut self, place: Place, what: impl Into<String>) -> Self {
        self.notes.push((place, what.into()));
        self
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// `S104: message` with the places on lines of their own.
impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)?;
        for (index, place) in self.places.iter().enumerate() {
            let what = if index == 0 { "at" } else { "called from" };
            write!(f, "\n  {what} {place}, in {}", place.func)?;
        }
        for (place, what) in &self.notes {
            write!(f, "\n  note: {place}: {what}")?;
        }
        if let Some(help) = &self.help {
            write!(f, "\n  help: {help}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Refusal {}
