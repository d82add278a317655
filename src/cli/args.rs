//! Arguments, by CPython's rules.
//!
//! The first argument that is no option names the program, and so do the values of `-c` and `-m`;
//! everything behind belongs to the program, whatever it looks like. The list is cut there before
//! clap sees it, so clap never judges an argument that is not ours.

use crate::cli::inspect::Inspection;
use clap::{ArgAction, Parser};
use std::ffi::{OsStr, OsString};

/// What to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Program {
    /// The prompt, or standard input if it is no terminal.
    Prompt,
    /// `-`: standard input.
    Stdin,
    /// `-c`: this text.
    Command(String),
    /// `-m`: this module, as `__main__`.
    Module(String),
    /// A file, or a directory or zip file with a `__main__`.
    File(OsString),
    /// `inspect`: what becomes of a function.
    Inspect(Inspection),
}

/// A whole command line, taken apart.
#[derive(Debug)]
pub(crate) struct Invocation {
    pub(crate) flags: Flags,
    pub(crate) program: Program,
    /// What follows the program: `sys.argv[1:]`.
    pub(crate) rest: Vec<OsString>,
}

/// Run a Python program; functions marked `@stage` in it run as machine code.
#[derive(Debug, Parser)]
#[command(
    name = "snekpy",
    disable_version_flag = true,
    disable_help_flag = true,
    override_usage = "snekpy [OPTION]... [-c CODE | -m MODULE | FILE | -] [ARG]...\n       \
                      snekpy [OPTION]... inspect FILE::FUNC [--args ARGS] [--stage VIEW]\n       \
                      snekpy explain [CODE]\n       \
                      snekpy cache [clear]",
    after_help = "Without CODE, MODULE or FILE: the prompt, or the program on standard input if that is no \
                  terminal.\nEvery ARG belongs to the program, in sys.argv[1:].\n`snekpy explain S110` says what the \
                  code of a StagingError means.",
    args_override_self = true
)]
pub(crate) struct Flags {
    /// Run this code
    #[arg(short = 'c', value_name = "CODE", allow_hyphen_values = true)]
    pub(crate) command: Option<OsString>,
    /// Run this library module as a program
    #[arg(short = 'm', value_name = "MODULE", allow_hyphen_values = true)]
    pub(crate) module: Option<OsString>,
    /// Run this file, or the __main__ of this directory or zip file; - is standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<OsString>,
    /// Show the prompt when the program has ended
    #[arg(short = 'i')]
    pub(crate) inspect: bool,
    /// Warning control: action:message:category:module:line
    #[arg(short = 'W', value_name = "ARG", allow_hyphen_values = true)]
    pub(crate) warnings: Vec<String>,
    /// Implementation option: snek:stage=off, snek:backend=interp, snek:log=left or snek:errors=json, and Python's
    #[arg(short = 'X', value_name = "OPT", allow_hyphen_values = true)]
    pub(crate) options: Vec<String>,
    /// Isolate from the environment and the user: -E, -P and -s
    #[arg(short = 'I')]
    pub(crate) isolated: bool,
    /// Ignore PYTHON* environment variables
    #[arg(short = 'E')]
    pub(crate) ignore_environment: bool,
    /// Do not add the user's site directory to sys.path
    #[arg(short = 's')]
    pub(crate) no_user_site: bool,
    /// Do not import site
    #[arg(short = 'S')]
    pub(crate) no_site: bool,
    /// Do not put the program's directory in sys.path
    #[arg(short = 'P')]
    pub(crate) safe_path: bool,
    /// Do not write .pyc files
    #[arg(short = 'B')]
    pub(crate) no_bytecode: bool,
    /// Remove assert statements; twice: docstrings too
    #[arg(short = 'O', action = ArgAction::Count)]
    pub(crate) optimize: u8,
    /// Do not buffer standard output and standard error
    #[arg(short = 'u')]
    pub(crate) unbuffered: bool,
    /// Do not greet at the prompt
    #[arg(short = 'q')]
    pub(crate) quiet: bool,
    /// Trace imports
    #[arg(short = 'v', action = ArgAction::Count)]
    pub(crate) verbose: u8,
    /// Warn when bytes are compared with a str, or turned into one; twice: raise
    #[arg(short = 'b', action = ArgAction::Count)]
    pub(crate) bytes_warning: u8,
    /// Debug the parser (accepted, has no effect)
    #[arg(short = 'd', action = ArgAction::Count)]
    pub(crate) debug: u8,
    /// Use a random hash seed even if PYTHONHASHSEED is set
    #[arg(short = 'R')]
    pub(crate) random_hash: bool,
    /// Interrupt the program after so many seconds, and kill it if it goes on; the exit code is 124
    #[arg(long = "max-time", value_name = "SECONDS", value_parser = crate::cli::limits::seconds)]
    pub(crate) max_time: Option<std::time::Duration>,
    /// Stop the program after so many calls of Python functions and rounds of loops; the exit code is 124
    #[arg(long = "max-ticks", value_name = "N", value_parser = crate::cli::limits::ticks)]
    pub(crate) max_ticks: Option<u64>,
    /// Let the program hold so many bytes (K, M, G), then raise MemoryError, and kill it if it goes on; the exit code is 124
    #[arg(long = "max-memory", value_name = "SIZE", value_parser = crate::cli::memory::bytes)]
    pub(crate) max_memory: Option<u64>,
    /// Tell at the end what became of the staged functions: code that was made and why, and lines that left it
    #[arg(long = "report")]
    pub(crate) report: bool,
    /// Skip the first line of the program
    #[arg(short = 'x')]
    pub(crate) skip_first_line: bool,
    /// Print the version
    #[arg(short = 'V', long = "version")]
    pub(crate) version: bool,
    /// Print this help
    #[arg(short = 'h', short_alias = '?', long = "help", action = ArgAction::Help)]
    help: Option<bool>,
    /// Print the environment variables that are read
    #[arg(long = "help-env")]
    help_env: bool,
    /// Print the options of -X
    #[arg(long = "help-xoptions")]
    help_options: bool,
}

/// `--help-env`.
const HELP_ENV: &str = "\
Environment variables that change how programs run (-E and -I ignore them):
SNEKPY_STAGE             off, 0, no or false: staged functions run as plain Python; always: never because it is faster
SNEKPY_LOG               what staging tells: compiled, guards, left
SNEKPY_REPORT            tell at the end what became of the staged functions (--report)
SNEKPY_TRACE             a file for a trace of what takes time, which Perfetto and Chrome show
SNEKPY_CACHE             a folder in which machine code is kept, or off
PYTHONPATH               folders that are put in front of sys.path
PYTHONSTARTUP            a file that runs before the prompt
PYTHONINSPECT            show the prompt when the program has ended (-i)
PYTHONOPTIMIZE           remove assert statements (-O)
PYTHONDONTWRITEBYTECODE  do not write .pyc files (-B)
PYTHONUNBUFFERED         do not buffer standard output and standard error (-u)
PYTHONVERBOSE            trace imports (-v)
PYTHONPROFILEIMPORTTIME  show how long imports take (-X importtime)
PYTHONWARNINGS           filters of warnings, with commas between (-W)
PYTHONNOUSERSITE         do not add the user's site directory to sys.path (-s)
PYTHONSAFEPATH           do not put the program's directory in sys.path (-P)
PYTHONUSERBASE           the user's directory that holds the site directory
PYTHONHASHSEED           a number, or random
PYTHONIOENCODING         encoding[:errors] of the standard streams
PYTHONUTF8               1 or 0: UTF-8 mode
PYTHONINTMAXSTRDIGITS    how many digits an int may have in a text; 0: no limit
PYTHONFAULTHANDLER       show the traceback where the process crashes
PYTHONNODEBUGRANGES      code without columns
PYTHONWARNDEFAULTENCODING  warn where the default encoding is used
PYTHONDEBUG              accepted, has no effect
NO_COLOR, FORCE_COLOR, PYTHON_COLORS  whether colours are used
XDG_CACHE_HOME           where machine code is kept, in a folder snekpy
XDG_STATE_HOME           where the prompt keeps its history
";

/// `--help-xoptions`.
const HELP_OPTIONS: &str = "\
-X snek:stage=on|always|off  always: compiled also where plain Python is faster; off: plain Python
-X snek:backend=llvm|llvm-O0|interp  what runs staged functions
-X snek:log=WORDS        what staging tells on standard error: compiled, guards, left, with commas between
-X snek:errors=text|json how a StagingError that nobody caught, and the log, are written
-X snek:cache=FOLDER|off where machine code is kept from one run to the next
-X snek:threads=N        how many threads share large operations on arrays
-X snek:trace=FILE       where to write a trace of what takes time, which Perfetto and Chrome show
-X snek:coverage=FILE    where to write how much ran compiled, and where calls left, at the end
-X dev                   warnings and checks for developers
-X faulthandler          show the traceback where the process crashes
-X importtime            show how long imports take
-X int_max_str_digits=N  how many digits an int may have in a text; 0: no limit
-X no_debug_ranges       code without columns
-X utf8=0|1              UTF-8 mode
-X warn_default_encoding warn where the default encoding is used
Others are kept in sys._xoptions.
";

/// Takes the command line apart. Ends the process for `-h`, `-V`, `explain`, `cache` and mistakes (exit code 2).
pub(crate) fn parse(args: impl IntoIterator<Item = OsString>) -> Invocation {
    let mut ours: Vec<OsString> = args.into_iter().collect();
    if ours.is_empty() {
        ours.push("snekpy".into());
    }
    if let Some(odd) = ours.iter().find(|it| it.to_str().is_none()) {
        // RustPython would panic when it makes `sys.orig_argv`.
        let message = format!("the argument {odd:?} is not UTF-8");
        crate::cli::exit::fail(&message, crate::cli::exit::USAGE);
    }
    let rest = ours.split_off(end_of_options(&ours));
    let separated = ours.iter().any(|it| it == "--");
    let flags = Flags::parse_from(ours);
    if flags.help_env {
        crate::cli::exit::print(HELP_ENV);
    }
    if flags.help_options {
        crate::cli::exit::print(HELP_OPTIONS);
    }
    if flags.version {
        crate::cli::exit::print_version();
    }
    let program = match (&flags.command, &flags.module, &flags.file) {
        (Some(code), ..) => Program::Command(code.to_string_lossy().into_owned()),
        (_, Some(module), _) => Program::Module(module.to_string_lossy().into_owned()),
        (.., Some(file)) if file == "-" => Program::Stdin,
        (.., Some(file)) if file == "explain" && !separated => crate::cli::explain::run(&rest),
        (.., Some(file)) if file == "cache" && !separated => crate::cli::cache::run(&rest, &flags),
        (.., Some(file)) if file == "inspect" && !separated => Program::Inspect(Inspection::parse(&rest)),
        (.., Some(file)) => Program::File(file.clone()),
        (None, None, None) => Program::Prompt,
    };
    Invocation { flags, program, rest }
}

/// The index of the first argument that belongs to the program.
fn end_of_options(args: &[OsString]) -> usize {
    let mut index = 1;
    while let Some(arg) = args.get(index) {
        index += 1;
        match Shape::of(arg) {
            Shape::Program => return index,
            Shape::Separator => return (index + 1).min(args.len()),
            Shape::Ends { value_follows } => return (index + usize::from(value_follows)).min(args.len()),
            Shape::Goes { value_follows } => index += usize::from(value_follows),
        }
    }
    args.len()
}

/// What one argument means for where the program begins.
enum Shape {
    /// It is the program.
    Program,
    /// `--`: the program is next.
    Separator,
    /// It holds `-c` or `-m`: after its value everything is the program's.
    Ends { value_follows: bool },
    /// An option or a cluster of them.
    Goes { value_follows: bool },
}

impl Shape {
    fn of(arg: &OsStr) -> Self {
        let text = arg.to_string_lossy();
        if text == "--" {
            return Self::Separator;
        }
        if text == "-" || !text.starts_with('-') {
            return Self::Program;
        }
        if text.starts_with("--") {
            return Self::Goes { value_follows: matches!(&*text, "--max-time" | "--max-ticks" | "--max-memory") };
        }
        let letters = &text[1..];
        let Some(at) = letters.find(['c', 'm', 'W', 'X']) else { return Self::Goes { value_follows: false } };
        let value_follows = at + 1 == letters.len();
        match letters.as_bytes()[at] {
            b'c' | b'm' => Self::Ends { value_follows },
            _ => Self::Goes { value_follows },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn invocation(args: &[&str]) -> Invocation {
        parse(std::iter::once("snekpy").chain(args.iter().copied()).map(OsString::from))
    }

    #[test]
    fn arguments_after_the_program_are_its_own() {
        for (args, program, rest) in [
            (&["-i", "a.py", "-i", "--help"][..], Program::File("a.py".into()), &["-i", "--help"][..]),
            (&["-c", "-x", "-V"], Program::Command("-x".into()), &["-V"]),
            (&["-cpass", "-V"], Program::Command("pass".into()), &["-V"]),
            (&["-iBcpass", "a"], Program::Command("pass".into()), &["a"]),
            (&["-ic", "pass", "a"], Program::Command("pass".into()), &["a"]),
            (&["-mtimeit", "-n", "1"], Program::Module("timeit".into()), &["-n", "1"]),
            (&["-m", "timeit", "-n"], Program::Module("timeit".into()), &["-n"]),
            (&["-W", "error", "-Xdev", "-X", "a=b", "f", "-c"], Program::File("f".into()), &["-c"]),
            (&["--", "inspect", "a"], Program::File("inspect".into()), &["a"]),
            (&["./inspect", "a"], Program::File("./inspect".into()), &["a"]),
            (&["./explain", "a"], Program::File("./explain".into()), &["a"]),
            (&["--max-time", "5", "f", "--max-time"], Program::File("f".into()), &["--max-time"]),
            (&["--max-time=5", "f"], Program::File("f".into()), &[]),
            (&["--max-memory", "5G", "f", "g"], Program::File("f".into()), &["g"]),
            (&["--max-ticks", "5", "f", "g"], Program::File("f".into()), &["g"]),
            (&["-", "-c"], Program::Stdin, &["-c"]),
            (&["--", "-c", "x"], Program::File("-c".into()), &["x"]),
            (&["-q"], Program::Prompt, &[]),
            (&[], Program::Prompt, &[]),
        ] {
            let found = invocation(args);
            assert_eq!(found.program, program, "{args:?}");
            assert_eq!(found.rest, rest, "{args:?}");
        }
    }

    #[test]
    fn values_of_options_are_read() {
        let flags = invocation(&["-OO", "-W", "error", "-Wignore", "-X", "snek:stage=off", "-uvv", "-"]).flags;
        assert_eq!((flags.optimize, flags.verbose, flags.unbuffered), (2, 2, true));
        assert_eq!(flags.warnings, ["error", "ignore"]);
        assert_eq!(flags.options, ["snek:stage=off"]);
    }
}
