//! What happens to staged functions, for whoever wants to watch.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::refusal::Refusal;

/// Something that happened to a staged function.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// Plain Python calls one.
    Called {
        /// Its qualified name.
        function: &'a str,
    },
    /// It was compiled.
    Compiled {
        /// Its qualified name.
        function: &'a str,
        /// What the arguments look like: `x: float, n: int`.
        arguments: &'a str,
        /// What is different from the call before; `None` for the first one.
        why: Option<&'a str>,
        /// How long capturing, optimising and compiling took.
        took: Duration,
    },
    /// A call left compiled code and went on as plain Python.
    Left {
        /// Why, and where.
        reason: &'a Refusal,
    },
    /// Plain Python executes one instruction of a call, here for the first time; compiled code goes on behind it.
    Stepped {
        /// Why, and where.
        reason: &'a Refusal,
    },
    /// A call is plain Python from its beginning.
    Plain {
        /// The function's name.
        function: &'a str,
        /// Why.
        reason: &'a Refusal,
    },
}

/// Who watches. It is called on the thread of the call and must not run Python.
pub type Watcher = Arc<dyn Fn(Event<'_>) + Send + Sync>;

/// One line for people.
impl fmt::Display for Event<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = |reason: &Refusal| match reason.places.first() {
            Some(place) => format!("{}:{}: in `{}`: ", place.file, place.line, place.func),
            None => String::new(),
        };
        match self {
            Self::Called { function } => write!(f, "`{function}` is called"),
            Self::Compiled { function, arguments, why, took } => {
                let took = took.as_secs_f64() * 1e3;
                write!(f, "compiled `{function}` for ({arguments}) in {took:.1} ms")?;
                why.map_or(Ok(()), |why| write!(f, ": {why}"))
            }
            Self::Left { reason } => {
                write!(f, "{}plain Python from here: {}: {}", place(reason), reason.code, reason.message)
            }
            Self::Stepped { reason } => {
                write!(f, "{}plain Python does this: {}: {}", place(reason), reason.code, reason.message)
            }
            Self::Plain { function, reason } => {
                write!(f, "a call of `{function}` is plain Python: {}: {}", reason.code, reason.message)
            }
        }
    }
}
