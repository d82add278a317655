//! Flags and `PYTHON*` variables to the settings of the interpreter.

use crate::cli::args::{Flags, Program};
use crate::cli::exit;
use crate::cli::options::SnekOptions;
use rustpython_vm::Settings;
use std::ffi::OsString;

/// The settings of the interpreter, and snekpy's own options.
pub(crate) fn settings(flags: &Flags, program: &Program, rest: &[OsString]) -> (Settings, SnekOptions) {
    let env = Environment::of(flags);
    let mut settings = Settings::default();
    let mut snek = SnekOptions::from_environment(&env);
    settings.argv = argv(program, rest);
    settings.isolated = flags.isolated;
    settings.ignore_environment = env.ignored;
    settings.path_list = env.paths("PYTHONPATH");
    settings.import_site = !flags.no_site;
    settings.user_site_directory = !(flags.isolated || flags.no_user_site || env.is_set("PYTHONNOUSERSITE"));
    settings.safe_path = flags.isolated || flags.safe_path || env.is_set("PYTHONSAFEPATH");
    settings.write_bytecode = !(flags.no_bytecode || env.is_set("PYTHONDONTWRITEBYTECODE"));
    settings.optimize = flags.optimize.max(env.count("PYTHONOPTIMIZE"));
    settings.verbose = flags.verbose.max(env.count("PYTHONVERBOSE"));
    settings.debug = flags.debug.max(env.count("PYTHONDEBUG"));
    settings.inspect = flags.inspect || env.is_set("PYTHONINSPECT");
    settings.interactive = flags.inspect;
    settings.quiet = flags.quiet;
    settings.buffered_stdio = !(flags.unbuffered || env.is_set("PYTHONUNBUFFERED"));
    settings.bytes_warning = u64::from(flags.bytes_warning);
    settings.code_debug_ranges = !env.is_set("PYTHONNODEBUGRANGES");
    settings.warn_default_encoding = env.is_set("PYTHONWARNDEFAULTENCODING");
    settings.faulthandler = env.is_set("PYTHONFAULTHANDLER");
    settings.hash_seed = if flags.random_hash { None } else { env.hash_seed() };
    if flags.report {
        snek.report = Some(std::sync::Arc::default());
    }
    if env.is_set("PYTHONPROFILEIMPORTTIME") {
        snek.import_time = true;
    }
    if let Some(value) = env.text("PYTHONUTF8") {
        settings.utf8_mode = utf8_mode("PYTHONUTF8", &value);
    }
    if let Some(value) = env.text("PYTHONINTMAXSTRDIGITS") {
        settings.int_max_str_digits = int_max_str_digits("PYTHONINTMAXSTRDIGITS", &value);
    }
    if let Some(value) = env.text("PYTHONIOENCODING") {
        let (encoding, errors) = value.split_once(':').unwrap_or((&value, ""));
        settings.stdio_encoding = (!encoding.is_empty()).then(|| encoding.to_owned());
        settings.stdio_errors = (!errors.is_empty()).then(|| errors.to_owned());
    }
    for option in &flags.options {
        let (name, value) = match option.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (option.as_str(), None),
        };
        match name.strip_prefix("snek:") {
            Some(key) => snek.set(key, value).unwrap_or_else(|fault| exit::fail(&fault, exit::USAGE)),
            None if name == "importtime" => snek.import_time = true,
            None => python_option(&mut settings, name, value),
        }
        settings.xoptions.push((name.to_owned(), value.map(str::to_owned)));
    }
    // UTF-8 whatever the locale says, as Python has it from 3.15 on (PEP 686).
    if settings.utf8_mode < 0 {
        settings.utf8_mode = 1;
    }
    settings.warnoptions = warnings(flags, &env, settings.dev_mode);
    settings.faulthandler |= settings.dev_mode;
    (settings, snek)
}

/// `sys.argv` as it is when the program starts. A module's file is put in by `runpy`.
fn argv(program: &Program, rest: &[OsString]) -> Vec<String> {
    let first = match program {
        Program::Prompt => OsString::new(),
        Program::Stdin => "-".into(),
        Program::Command(_) => "-c".into(),
        Program::Module(_) => "-m".into(),
        Program::File(file) => file.clone(),
        Program::Inspect(inspection) => inspection.file().to_owned(),
    };
    std::iter::once(&first).chain(rest).map(|it| it.to_string_lossy().into_owned()).collect()
}

/// The filters of `-W` and its relatives; later ones win.
fn warnings(flags: &Flags, env: &Environment, dev_mode: bool) -> Vec<String> {
    let mut filters = Vec::new();
    if dev_mode {
        filters.push("default".to_owned());
    }
    if let Some(value) = env.text("PYTHONWARNINGS") {
        filters.extend(value.split(',').map(str::trim).filter(|it| !it.is_empty()).map(str::to_owned));
    }
    filters.extend(flags.warnings.iter().cloned());
    match flags.bytes_warning {
        0 => {}
        1 => filters.push("default::BytesWarning".to_owned()),
        _ => filters.push("error::BytesWarning".to_owned()),
    }
    filters
}

/// `-X` options that Python knows. Unknown ones are kept in `sys._xoptions`, as in CPython.
fn python_option(settings: &mut Settings, name: &str, value: Option<&str>) {
    match name {
        "dev" => settings.dev_mode = true,
        "faulthandler" => settings.faulthandler = true,
        "warn_default_encoding" => settings.warn_default_encoding = true,
        "no_debug_ranges" => settings.code_debug_ranges = false,
        "utf8" => settings.utf8_mode = value.map_or(1, |value| utf8_mode("-X utf8", value)),
        "int_max_str_digits" => {
            settings.int_max_str_digits = int_max_str_digits("-X int_max_str_digits", value.unwrap_or_default());
        }
        _ => {}
    }
}

fn utf8_mode(source: &str, value: &str) -> i8 {
    match value {
        "1" => 1,
        "0" => 0,
        _ => exit::fail(&format!("{source} is 0 or 1, found `{value}`"), exit::FAILURE),
    }
}

fn int_max_str_digits(source: &str, value: &str) -> i64 {
    match value.parse() {
        Ok(digits) if digits == 0 || digits >= 640 => digits,
        _ => exit::fail(&format!("{source} is at least 640, or 0 for no limit, found `{value}`"), exit::FAILURE),
    }
}

/// The `PYTHON*` variables, unless `-E` or `-I` says to ignore them.
pub(crate) struct Environment {
    ignored: bool,
}

impl Environment {
    /// What a program with these flags may see of it.
    pub(crate) fn of(flags: &Flags) -> Self {
        Self { ignored: flags.ignore_environment || flags.isolated }
    }

    fn raw(&self, name: &str) -> Option<OsString> {
        if self.ignored { None } else { std::env::var_os(name).filter(|it| !it.is_empty()) }
    }

    /// The value, if the variable is set and not empty.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        self.raw(name).map(|it| it.to_string_lossy().into_owned())
    }

    fn is_set(&self, name: &str) -> bool {
        self.raw(name).is_some()
    }

    /// A number, or 1 for any other text.
    fn count(&self, name: &str) -> u8 {
        self.text(name).map_or(0, |it| it.parse().unwrap_or(1))
    }

    fn paths(&self, name: &str) -> Vec<String> {
        let value = self.raw(name).unwrap_or_default();
        std::env::split_paths(&value).map(|it| it.to_string_lossy().into_owned()).filter(|it| !it.is_empty()).collect()
    }

    fn hash_seed(&self) -> Option<u32> {
        let value = self.text("PYTHONHASHSEED").filter(|it| it != "random")?;
        match value.parse() {
            Ok(seed) => Some(seed),
            Err(_) => {
                exit::fail("PYTHONHASHSEED must be \"random\" or an integer in range [0; 4294967295]", exit::FAILURE)
            }
        }
    }
}
