//! What Python prints, caught.

use rustpython_vm::builtins::PyStrRef;
use rustpython_vm::compiler::Mode;
use rustpython_vm::{PyResult, VirtualMachine};
use snekpy_vm::host::prepare;
use std::fmt;
use std::sync::Arc;

/// Where a text was written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// `sys.stdout`.
    Stdout,
    /// `sys.stderr`.
    Stderr,
}

type Write = dyn Fn(Stream, &str) + Send + Sync;

/// Who gets what is written.
#[derive(Clone)]
pub(crate) struct Sink(Arc<Write>);

impl Sink {
    pub(crate) fn new(sink: impl Fn(Stream, &str) + Send + Sync + 'static) -> Self {
        Self(Arc::new(sink))
    }
}

impl fmt::Debug for Sink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sink")
    }
}

/// A text stream that writes by calling a function.
const STREAM_CLASS: &str = r#"
import io

class HostOutput(io.TextIOBase):
    """Text that is given to the host of the engine."""

    encoding = "utf-8"
    errors = "surrogateescape"

    def __init__(self, name, write):
        self.name = name
        self.mode = "w"
        self._write = write

    def write(self, text):
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        if text:
            self._write(text)
        return len(text)

    def writable(self):
        return True
"#;

/// Replaces `sys.stdout` and `sys.stderr` by streams that write to `sink`.
pub(crate) fn redirect(sink: Sink, vm: &VirtualMachine) -> PyResult<()> {
    let scope = vm.new_scope_with_builtins();
    let code = prepare::compile(STREAM_CLASS, Mode::Exec, "<snekpy output>", vm)?;
    prepare::run(code, scope.clone(), vm)?;
    let class = scope.globals.get_item("HostOutput", vm)?;
    for (name, stream) in [("stdout", Stream::Stdout), ("stderr", Stream::Stderr)] {
        let sink = sink.clone();
        let write = vm.new_function("write", move |text: PyStrRef| (sink.0)(stream, &text.to_string_lossy()));
        let object = class.call((format!("<{name}>"), write), vm)?;
        vm.sys_module.set_attr(name, object.clone(), vm)?;
        vm.sys_module.set_attr(vm.ctx.intern_str(format!("__{name}__")), object, vm)?;
    }
    Ok(())
}
