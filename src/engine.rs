//! A Python interpreter as a Rust value.

use crate::assemble;
use crate::error::{Error, Result};
use crate::function::{self, HostFunction};
use crate::module::Module;
use crate::output::{self, Sink, Stream};
use crate::script::Script;
use crate::shared::Shared;
use crate::value::{FromValue, IntoValue, Value};
use rustpython_vm::Settings;
use snekpy_llvm::ObjectCache;
use snekpy_vm::limits::{self, Canceller, Limits};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A Python interpreter with its own modules, heap and output.
///
/// Several engines live side by side without seeing each other. An engine is shared between threads by
/// reference or by cloning, which is cheap and yields the same engine; Python code of several threads
/// runs at the same time, there is no global lock.
///
/// When the last clone and the last value taken from it are gone, what Python registered with `atexit`
/// runs, output is flushed, and what its modules held is freed. What the process keeps for later engines (names,
/// built-in classes) stays. An engine in which threads of a script are still running is not freed.
#[derive(Clone, Debug)]
pub struct Engine {
    shared: Arc<Shared>,
}

impl Engine {
    /// An engine with the whole standard library that prints to the standard output of the process.
    #[must_use]
    pub fn new() -> Self {
        Self::builder().build()
    }

    /// An engine to be described first.
    pub fn builder() -> EngineBuilder {
        EngineBuilder {
            path: Vec::new(),
            args: Vec::new(),
            sink: None,
            optimize: 0,
            limits: Limits::new(),
            cache: None,
        }
    }

    /// Runs source as the module `__main__` of its own, and returns what it defined. In tracebacks it is the file
    /// `<string>`, another text `<string-2>`, and so on.
    ///
    /// ```
    /// # fn main() -> snekpy::Result<()> {
    /// let script = snekpy::Engine::new().run("x = [n * n for n in range(4)]")?;
    /// assert_eq!(script.get::<Vec<i64>>("x")?, [0, 1, 4, 9]);
    /// # Ok(()) }
    /// ```
    pub fn run(&self, source: &str) -> Result<Script> {
        Script::run(&self.shared, source)
    }

    /// Runs a file. Its folder is not put on the path: see [`EngineBuilder::path`].
    pub fn run_file(&self, path: impl AsRef<Path>) -> Result<Script> {
        Script::run_file(&self.shared, path.as_ref())
    }

    /// The value of one expression.
    ///
    /// ```
    /// # fn main() -> snekpy::Result<()> {
    /// assert_eq!(snekpy::Engine::new().eval::<i64>("2 ** 10")?, 1024);
    /// # Ok(()) }
    /// ```
    pub fn eval<T: FromValue>(&self, expression: &str) -> Result<T> {
        T::from_value(Script::eval(&self.shared, expression)?)
    }

    /// Makes a module of Rust functions and values importable.
    pub fn add_module(&self, module: Module) -> Result<()> {
        module.add_to(&self.shared)
    }

    /// Makes a Rust function visible everywhere, like `len`.
    ///
    /// ```
    /// # fn main() -> snekpy::Result<()> {
    /// let engine = snekpy::Engine::new();
    /// engine.add_function("triple", |n: i64| n * 3)?;
    /// assert_eq!(engine.eval::<i64>("triple(14)")?, 42);
    /// # Ok(()) }
    /// ```
    pub fn add_function<Args>(&self, name: &str, function: impl HostFunction<Args>) -> Result<()> {
        let host = function::erase(name, function);
        self.shared.enter(|vm| vm.builtins.set_attr(vm.ctx.intern_str(name), host.into_object(&self.shared, vm), vm))
    }

    /// Makes a value visible everywhere, like `len`.
    pub fn add_value(&self, name: &str, value: impl IntoValue) -> Result<()> {
        let value = value.into_value();
        self.shared.enter(|vm| {
            let object = Value::into_object(value, vm)?;
            vm.builtins.set_attr(vm.ctx.intern_str(name), object, vm)
        })
    }
}

impl Engine {
    /// What stops all that runs in this engine, from any thread: Python, the compiler, compiled code, and functions
    /// that were compiled here and are called without an interpreter.
    ///
    /// ```
    /// # fn main() -> snekpy::Result<()> {
    /// let engine = snekpy::Engine::new();
    /// let canceller = engine.canceller();
    /// let error = std::thread::scope(|threads| {
    ///     threads.spawn(|| canceller.cancel());
    ///     engine.run("while True:\n    pass").unwrap_err()
    /// });
    /// assert_eq!(error.stop(), Some(snekpy::Stop::Cancelled));
    /// canceller.reset();
    /// engine.run("pass")?;
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn canceller(&self) -> Canceller {
        self.shared.canceller().clone()
    }

    /// Runs `body`; all that it does in this engine on this thread is one call as far as limits are concerned, with
    /// `limits` in place of the engine's, where they are set.
    ///
    /// ```
    /// # fn main() -> snekpy::Result<()> {
    /// use snekpy::{Engine, Limits, Stop};
    /// use std::time::Duration;
    ///
    /// let engine = Engine::new();
    /// let script = engine.run("def spin():\n    while True: pass")?;
    /// let limits = Limits::new().time(Duration::from_millis(20));
    /// let error = engine.within(&limits, || script.call::<()>("spin", ())).unwrap_err();
    /// assert_eq!(error.stop(), Some(Stop::Time));
    /// # Ok(()) }
    /// ```
    pub fn within<T>(&self, limits: &Limits, body: impl FnOnce() -> T) -> T {
        self.shared.within(limits, body)
    }
}

impl Default for Engine {
    fn default() -> Self {
        Self::new()
    }
}

/// An engine that is being described.
#[derive(Debug)]
#[must_use = "nothing exists until `build` is called"]
pub struct EngineBuilder {
    path: Vec<PathBuf>,
    args: Vec<String>,
    sink: Option<Sink>,
    optimize: u8,
    limits: Limits,
    cache: Option<Arc<ObjectCache>>,
}

impl EngineBuilder {
    /// Adds a folder from which scripts can import. Nothing but the standard library is there at first.
    pub fn path(mut self, folder: impl Into<PathBuf>) -> Self {
        self.path.push(folder.into());
        self
    }

    /// Sets `sys.argv`.
    pub fn args(mut self, args: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.args = args.into_iter().map(Into::into).collect();
        self
    }

    /// Gives everything that Python writes to `sys.stdout` and `sys.stderr` to `sink`, as it is written.
    pub fn output(mut self, sink: impl Fn(Stream, &str) + Send + Sync + 'static) -> Self {
        self.sink = Some(Sink::new(sink));
        self
    }

    /// Leaves out `assert` (1) and docstrings as well (2), like `-O` and `-OO`.
    pub fn optimize(mut self, level: u8) -> Self {
        self.optimize = level;
        self
    }

    /// Limits what each call into the engine may use.
    ///
    /// ```
    /// use snekpy::{Engine, Limits, Stop};
    /// use std::time::Duration;
    ///
    /// let engine = Engine::builder().limits(Limits::new().time(Duration::from_millis(50))).build();
    /// let error = engine.run("while True:\n    pass").unwrap_err();
    /// assert_eq!(error.stop(), Some(Stop::Time));
    /// assert_eq!(engine.eval::<i64>("1 + 1").unwrap(), 2);
    /// ```
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Keeps machine code in this folder, for other engines and processes: what was compiled once, from whatever program,
    /// is not compiled again. When it has more than `limit` bytes, what was not used for the longest time goes. A file
    /// that is damaged is not used. Without this, code is kept until the engine ends.
    ///
    /// # Errors
    /// An `OSError` if the folder cannot be made, or if other users may write to it, because what lies there is run.
    pub fn cache(mut self, folder: impl AsRef<Path>, limit: u64) -> Result<Self> {
        let opened = ObjectCache::in_folder(folder.as_ref(), limit);
        self.cache = Some(Arc::new(opened.map_err(|error| Error::new("OSError", error.to_string()))?));
        Ok(self)
    }

    /// Starts the interpreter.
    #[must_use]
    pub fn build(self) -> Engine {
        let mut settings = Settings::default();
        // The process belongs to the embedder: its signals, its environment, its folders.
        settings.install_signal_handlers = false;
        settings.isolated = true;
        settings.ignore_environment = true;
        settings.user_site_directory = false;
        settings.import_site = false;
        settings.safe_path = true;
        settings.write_bytecode = false;
        settings.optimize = self.optimize;
        settings.argv = if self.args.is_empty() { vec![String::new()] } else { self.args };
        settings.path_list = self.path.iter().map(|it| it.to_string_lossy().into_owned()).collect();
        let shared = Shared::new(
            assemble::interpreter(
                settings,
                assemble::Staging::default(),
                assemble::Watching::default(),
                self.cache,
                None,
            ),
            &self.limits,
        );
        if self.limits.has_ticks() {
            shared.enter(limits::install).expect("a new interpreter has `sys.monitoring`");
        }
        let held = shared.enter(limits::hold_recursion_limit);
        held.expect("a new interpreter has `sys.setrecursionlimit`");
        if let Some(sink) = self.sink {
            shared.enter(|vm| output::redirect(sink, vm)).expect("sys.stdout of a new interpreter can be replaced");
        }
        Engine { shared }
    }
}
