//! snekpy's own options: `-X snek:KEY=VALUE`, and `SNEKPY_STAGE` in the environment.

use std::io::Write;
use std::sync::Arc;

use crate::cli::cache::Place;
use crate::cli::coverage::Coverage;
use crate::cli::environment::Environment;
use crate::cli::report::Report;
use crate::cli::{exit, json};
use snekpy_vm::Event;

/// Which executor runs staged code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum BackendChoice {
    /// LLVM, optimised.
    #[default]
    Llvm,
    /// LLVM without optimisation: compiles faster, and shows whether a fault is the optimiser's.
    LlvmO0,
    /// The reference interpreter: the definition of what staged code means.
    Interp,
}

impl BackendChoice {
    const ALL: [(&str, Self); 3] = [("llvm", Self::Llvm), ("llvm-O0", Self::LlvmO0), ("interp", Self::Interp)];
}

/// Which calls of staged functions are compiled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Those that are faster for it.
    #[default]
    On,
    /// All.
    Always,
    /// None.
    Off,
}

impl Stage {
    const ALL: [(&str, Self); 3] = [("on", Self::On), ("always", Self::Always), ("off", Self::Off)];
}

/// What `-X snek:` can say.
#[derive(Clone, Debug, Default)]
pub(crate) struct SnekOptions {
    /// `stage=on`, `always` or `off`: off runs every staged function as plain Python.
    pub(crate) stage: Stage,
    /// `backend=llvm`, `llvm-O0` or `interp`.
    pub(crate) backend: BackendChoice,
    /// `log=compiled`, `guards`, `left` or several with commas: what is told on standard error.
    pub(crate) log: Log,
    /// `errors=text` or `json`: how a `StagingError` that nobody caught, and the log, are written.
    pub(crate) errors: Form,
    /// `coverage=FILE`: where to write what ran compiled, when the program ends.
    pub(crate) coverage: Option<Arc<Coverage>>,
    /// `--report`: whether what became of the staged functions is told when the program ends.
    pub(crate) report: Option<Arc<Report>>,
    /// `trace=FILE`: where to write what takes time.
    pub(crate) trace: Option<String>,
    /// `cache=FOLDER`, `on` or `off`: where machine code is kept.
    pub(crate) cache: Place,
    /// `threads=N`: how many share the work of large operations on arrays; as many as there are processors if nothing is
    /// said.
    pub(crate) threads: Option<usize>,
    /// `-X importtime`: how long imports take is told on standard error.
    pub(crate) import_time: bool,
}

/// How staging tells what happens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Form {
    /// For people.
    #[default]
    Text,
    /// For tools: one JSON object a line.
    Json,
}

impl Form {
    const ALL: [(&str, Self); 2] = [("text", Self::Text), ("json", Self::Json)];
}

/// What is told on standard error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Log {
    /// That a function is compiled, and why again.
    compiled: bool,
    /// That it is compiled again because something is different, and what.
    guards: bool,
    /// That a call leaves compiled code, or is plain Python from its beginning.
    left: bool,
}

impl Log {
    fn parse(value: &str) -> Result<Self, String> {
        let mut log = Self::default();
        for word in value.split(',').filter(|it| !it.is_empty()) {
            match word {
                "compiled" => log.compiled = true,
                "guards" => log.guards = true,
                "left" => log.left = true,
                _ => {
                    return Err(format!(
                        "expected `compiled`, `guards`, `left` or several with commas, found `{word}`"
                    ));
                }
            }
        }
        Ok(log)
    }
}

impl SnekOptions {
    /// The defaults, and what `SNEKPY_STAGE` and the like say. `-E` hides them like the variables of Python.
    pub(crate) fn from_environment(env: &Environment) -> Self {
        let mut options = Self::default();
        if let Some(value) = env.text("SNEKPY_LOG") {
            let log = Log::parse(&value).map_err(|fault| format!("SNEKPY_LOG: {fault}"));
            options.log = log.unwrap_or_else(|fault| exit::fail(&fault, exit::USAGE));
        }
        options.trace = env.text("SNEKPY_TRACE");
        if env.text("SNEKPY_REPORT").is_some() {
            options.report = Some(Arc::default());
        }
        if let Some(value) = env.text("SNEKPY_CACHE") {
            options.cache = Place::parse(&value);
        }
        // Of a list, the outermost: there is one level of threads.
        options.threads = env.text("OMP_NUM_THREADS").and_then(|it| threads(it.split(',').next()?));
        if let Some(value) = env.text("SNEKPY_STAGE") {
            let known = switch(&value);
            options.stage = known.unwrap_or_else(|| {
                exit::fail(&format!("SNEKPY_STAGE is `on`, `always` or `off`, found `{value}`"), exit::USAGE)
            });
        }
        options
    }

    /// How staged functions run.
    pub(crate) fn staging(&self) -> snekpy::Staging {
        match (self.stage, self.backend) {
            (Stage::Off, _) => snekpy::Staging::Off,
            (Stage::On, BackendChoice::Llvm) => snekpy::Staging::Llvm,
            (Stage::Always, BackendChoice::Llvm) => snekpy::Staging::Always,
            (Stage::On | Stage::Always, BackendChoice::LlvmO0) => snekpy::Staging::LlvmO0,
            (Stage::On | Stage::Always, BackendChoice::Interp) => snekpy::Staging::Interpreter,
        }
    }

    /// Who watches, and whether the clock may decide what happens.
    pub(crate) fn watching(&self) -> snekpy::Watching {
        snekpy::Watching { watcher: self.watcher(), is_paced: self.coverage.is_none() }
    }

    /// Who tells what happens to staged functions.
    fn watcher(&self) -> Option<snekpy_vm::Watcher> {
        let (log, form, coverage, report) = (self.log, self.errors, self.coverage.clone(), self.report.clone());
        if log == Log::default() && coverage.is_none() && report.is_none() {
            return None;
        }
        Some(Arc::new(move |event| {
            if let Some(coverage) = &coverage {
                coverage.note(&event);
            }
            if let Some(report) = &report {
                report.note(&event);
            }
            let told = match event {
                Event::Called { .. } => false,
                Event::Compiled { why, .. } => log.compiled || log.guards && why.is_some(),
                Event::Left { .. } | Event::Stepped { .. } | Event::Plain { .. } => log.left,
            };
            if told {
                // Nothing can be done about a closed standard error.
                let _ = match form {
                    Form::Text => writeln!(std::io::stderr(), "snekpy: {event}"),
                    Form::Json => writeln!(std::io::stderr(), "{}", json::event(&event)),
                };
            }
        }))
    }

    /// Applies one `-X snek:KEY=VALUE`.
    pub(crate) fn set(&mut self, key: &str, value: Option<&str>) -> Result<(), String> {
        match key {
            "stage" => {
                self.stage = choose(key, value, &Stage::ALL)?;
            }
            "backend" => self.backend = choose(key, value, &BackendChoice::ALL)?,
            "log" => self.log = Log::parse(value.unwrap_or_default()).map_err(|it| format!("-X snek:log {it}"))?,
            "errors" => self.errors = choose(key, value, &Form::ALL)?,
            "coverage" => {
                let file = value.filter(|it| !it.is_empty()).ok_or("-X snek:coverage expects a file")?;
                self.coverage = Some(Arc::new(Coverage::new(file)));
            }
            "trace" => {
                let file = value.filter(|it| !it.is_empty()).ok_or("-X snek:trace expects a file")?;
                self.trace = Some(file.to_owned());
            }
            "cache" => self.cache = Place::parse(value.unwrap_or_default()),
            "threads" => {
                let count = value.and_then(threads).ok_or("-X snek:threads expects a number from 1 on")?;
                self.threads = Some(count);
            }
            _ => {
                let expected = "`stage`, `backend`, `log`, `errors`, `cache`, `threads`, `trace` or `coverage`";
                return Err(format!("unknown option -X snek:{key}, expected {expected}"));
            }
        }
        Ok(())
    }
}

/// A number of threads.
fn threads(value: &str) -> Option<usize> {
    value.trim().parse().ok().filter(|it| *it > 0)
}

/// What people write for on and off.
fn switch(value: &str) -> Option<Stage> {
    match value.to_ascii_lowercase().as_str() {
        "on" | "1" | "yes" | "true" => Some(Stage::On),
        "always" => Some(Stage::Always),
        "off" | "0" | "no" | "false" => Some(Stage::Off),
        _ => None,
    }
}

fn choose<T: Copy>(key: &str, value: Option<&str>, choices: &[(&str, T)]) -> Result<T, String> {
    let found = choices.iter().find(|(word, _)| Some(*word) == value);
    found.map(|(_, choice)| *choice).ok_or_else(|| {
        let words: Vec<String> = choices.iter().map(|(word, _)| format!("`{word}`")).collect();
        format!("-X snek:{key} expects {}, found `{}`", words.join(" or "), value.unwrap_or_default())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_switch_has_any_case_and_nothing_is_guessed() {
        for (value, meaning) in
            [("OFF", Some(Stage::Off)), ("Always", Some(Stage::Always)), ("1", Some(Stage::On)), ("of", None)]
        {
            assert_eq!(switch(value), meaning, "{value}");
        }
    }

    #[test]
    fn keys_and_values_are_checked() {
        let mut options = SnekOptions::default();
        assert_eq!(options.set("stage", Some("off")), Ok(()));
        assert_eq!(options.set("backend", Some("interp")), Ok(()));
        assert_eq!(options.set("errors", Some("json")), Ok(()));
        assert_eq!((options.stage, options.backend, options.errors), (Stage::Off, BackendChoice::Interp, Form::Json));
        assert_eq!(
            options.set("backend", Some("gcc")),
            Err("-X snek:backend expects `llvm` or `llvm-O0` or `interp`, found `gcc`".to_owned())
        );
        assert_eq!(
            options.set("stage", None),
            Err("-X snek:stage expects `on` or `always` or `off`, found ``".to_owned())
        );
        assert!(options.set("stag", None).is_err());
    }
}
