//! What went wrong in Python, as a value that needs no Python to be read.

use crate::shared::Raised;
use rustpython_vm::builtins::{PyBaseExceptionRef, PyStr};
use rustpython_vm::{AsObject, PyObjectRef, VirtualMachine};
use snekpy_vm::limits::{STOPPED, Stop};
use std::fmt;
use std::sync::Arc;

/// What most functions of this crate return.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A Python exception: its class, its message, where it happened.
///
/// Owns everything it says: it can be sent to another thread and outlives the engine. As long as the engine is there,
/// a host function that returns the error raises the very exception it was made from, with its class, its
/// attributes, its cause and its traceback:
///
/// ```
/// # fn main() -> snekpy::Result<()> {
/// let engine = snekpy::Engine::new();
/// engine.add_function("call", |function: snekpy::Object| function.call::<snekpy::Value>(()))?;
/// let script = engine.run("
/// class Mine(Exception):
///     pass
///
/// def fail():
///     raise Mine(1, 2)
///
/// try:
///     call(fail)
/// except Mine as error:
///     args = error.args
/// ")?;
/// assert_eq!(script.get::<(i64, i64)>("args")?, (1, 2));
/// # Ok(()) }
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Error {
    // Boxed: a result is passed around more often than it is an error.
    inner: Box<Inner>,
}

#[derive(Clone)]
struct Inner {
    /// The class and its ancestors, the nearest first.
    classes: Vec<String>,
    message: String,
    /// The argument, if it is the only one and a text: `KeyError` shows it as a literal.
    argument: Option<String>,
    frames: Vec<Frame>,
    traceback: String,
    /// Where the exception itself is.
    raised: Option<Arc<Raised>>,
}

/// By what they say: two that tell the same of two exceptions are equal.
impl PartialEq for Inner {
    fn eq(&self, other: &Self) -> bool {
        (&self.classes, &self.message, &self.frames, &self.traceback)
            == (&other.classes, &other.message, &other.frames, &other.traceback)
    }
}

impl Eq for Inner {}

/// One line of a traceback.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The file; `<string>`, `<string-2>` and so on for texts, and `<expression>` for one that was evaluated.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The function, or `<module>`.
    pub function: String,
}

impl Error {
    /// An error to be raised in Python by a host function. `class` names a builtin exception; any other
    /// name is raised as `RuntimeError`.
    ///
    /// ```
    /// # fn main() -> snekpy::Result<()> {
    /// let engine = snekpy::Engine::new();
    /// engine.add_function("positive", |x: f64| {
    ///     if x > 0.0 { Ok(x) } else { Err(snekpy::Error::new("ValueError", "not positive")) }
    /// })?;
    /// engine.run("try:\n    positive(-1.0)\nexcept ValueError as e:\n    assert str(e) == 'not positive'")?;
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn new(class: impl Into<String>, message: impl Into<String>) -> Self {
        let (class, message) = (class.into(), message.into());
        let traceback = format!("{class}: {message}\n");
        let classes = vec![class];
        Self {
            inner: Box::new(Inner { classes, message, argument: None, frames: Vec::new(), traceback, raised: None }),
        }
    }

    /// An exception that compiled code raised.
    pub(crate) fn raised(class: &str, message: &str, frames: Vec<Frame>) -> Self {
        let mut traceback = "Traceback (most recent call last):\n".to_owned();
        for Frame { file, line, function } in &frames {
            traceback.push_str(&format!("  File \"{file}\", line {line}, in {function}\n"));
        }
        let mut error = Self::new(class, message);
        error.inner.traceback = format!("{traceback}{error}\n");
        error.inner.frames = frames;
        if Stop::ALL.iter().any(|stop| stop.class_name() == class) {
            error.inner.classes.extend([STOPPED.to_owned(), "BaseException".to_owned()]);
        }
        error
    }

    pub(crate) fn from_exception(exception: &PyBaseExceptionRef, vm: &VirtualMachine) -> Self {
        let classes = exception.class().mro_map_collect(|class| class.name().to_string());
        let message = exception
            .as_object()
            .str(vm)
            .map_or_else(|_| "<exception str() failed>".to_owned(), |text| text.to_string_lossy().into_owned());
        let frames = exception.__traceback__().map_or_else(Vec::new, |traceback| {
            let frame = |it: rustpython_vm::PyRef<rustpython_vm::builtins::PyTraceback>| Frame {
                file: it.frame.f_code().source_path().as_str().to_owned(),
                line: it.lineno.get() as u32,
                function: it.frame.f_code().obj_name.as_str().to_owned(),
            };
            traceback.iter().map(frame).collect::<Vec<_>>()
        });
        let frames = frames.into_iter().chain(place_in_source(exception, vm)).collect();
        let argument = match exception.args().as_slice() {
            [argument] => argument.downcast_ref::<PyStr>().and_then(|it| it.to_str().map(str::to_owned)),
            _ => None,
        };
        let traceback = formatted(exception, vm).unwrap_or_else(|| {
            let mut text = String::new();
            // Writing to a string cannot fail.
            let _ = vm.write_exception(&mut text, exception);
            text
        });
        Self { inner: Box::new(Inner { classes, message, argument, frames, traceback, raised: None }) }
    }

    /// The same error, with the exception that it tells of.
    pub(crate) fn raised_as(mut self, raised: Raised) -> Self {
        self.inner.raised = Some(Arc::new(raised));
        self
    }

    /// The exception that this tells of; a new one that says the same if it is not of this interpreter.
    pub(crate) fn to_exception(&self, vm: &VirtualMachine) -> PyBaseExceptionRef {
        if let Some(exception) = self.inner.raised.as_ref().and_then(|it| it.exception(vm)) {
            return exception;
        }
        let message = self.inner.argument.as_ref().unwrap_or(&self.inner.message);
        for class in &self.inner.classes {
            let found = vm.builtins.get_attr(vm.ctx.intern_str(class.as_str()), vm).ok();
            let found = found.and_then(|it| it.downcast::<rustpython_vm::builtins::PyType>().ok());
            let found = found.filter(|it| it.fast_issubclass(vm.ctx.exceptions.base_exception_type));
            if let Some(class) = found {
                let message: PyObjectRef = vm.ctx.new_str(message.as_str()).into();
                if let Ok(exception) = vm.invoke_exception(&class, vec![message]) {
                    return exception;
                }
            }
        }
        vm.new_runtime_error(self.to_string())
    }

    /// The name of the class, for example `ValueError`.
    #[must_use]
    pub fn class(&self) -> &str {
        self.inner.classes.first().map_or("Exception", String::as_str)
    }

    /// Whether the exception is of this class or of one derived from it.
    #[must_use]
    pub fn is(&self, class: &str) -> bool {
        self.inner.classes.iter().any(|it| it == class)
    }

    /// Why the program was stopped, if it was: by one of its [`Limits`](crate::Limits), or from outside.
    ///
    /// `None` for other errors, also for the `RecursionError` or `MemoryError` of a limit.
    #[must_use]
    pub fn stop(&self) -> Option<Stop> {
        let of = |stop: &Stop| self.class() == stop.class_name() && self.is(STOPPED);
        Stop::ALL.into_iter().find(of)
    }

    /// What `str(exception)` says.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.inner.message
    }

    /// The calls that led there, the outermost first; for a `SyntaxError`, the last is the place in the source. Empty
    /// for an error that Rust made.
    #[must_use]
    pub fn frames(&self) -> &[Frame] {
        &self.inner.frames
    }

    /// The whole traceback as Python prints it, with source lines and causes.
    #[must_use]
    pub fn traceback(&self) -> &str {
        &self.inner.traceback
    }
}

/// Where a `SyntaxError` is: no call has led there, so no traceback knows.
fn place_in_source(exception: &PyBaseExceptionRef, vm: &VirtualMachine) -> Option<Frame> {
    if !exception.fast_isinstance(vm.ctx.exceptions.syntax_error) {
        return None;
    }
    let attribute = |name| exception.as_object().get_attr(vm.ctx.intern_str(name), vm).ok();
    let file = attribute("filename")?.downcast_ref::<PyStr>()?.to_string_lossy().into_owned();
    let line = attribute("lineno")?.try_to_value::<u32>(vm).ok()?;
    Some(Frame { file, line, function: "<module>".to_owned() })
}

/// The traceback as the module `traceback` formats it, without colours.
fn formatted(exception: &PyBaseExceptionRef, vm: &VirtualMachine) -> Option<String> {
    let module = vm.import("traceback", 0).ok()?;
    let lines = vm.call_method(&module, "format_exception", (exception.clone(),)).ok()?;
    let text = vm.call_method(vm.ctx.new_str("").as_object(), "join", (lines,)).ok()?;
    text.downcast_ref::<PyStr>().map(|it| it.to_string_lossy().into_owned())
}

impl fmt::Display for Error {
    /// The last line of the traceback: class and message.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.message() {
            "" => f.write_str(self.class()),
            message => write!(f, "{}: {message}", self.class()),
        }
    }
}

impl fmt::Debug for Error {
    /// The traceback, so that `unwrap` shows it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.traceback().trim_end())
    }
}

impl std::error::Error for Error {}
