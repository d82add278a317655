//! The prompt, driven through a pseudo-terminal as a user would.

mod pty;

use pty::Pty;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

const CTRL_C: &str = "\x03";
const CTRL_D: &str = "\x04";

/// A session with a folder of its own for what is remembered.
struct Session {
    pty: Pty,
    state: PathBuf,
}

impl Session {
    fn start(name: &str, color: bool) -> Self {
        let state = std::env::temp_dir().join(format!("snekpy-repl-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&state);
        Self::resume(state, color)
    }

    fn resume(state: PathBuf, color: bool) -> Self {
        Self::with(&["-q"], state, color)
    }

    fn with(arguments: &[&str], state: PathBuf, color: bool) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_snekpy"));
        command.args(arguments).env("XDG_STATE_HOME", &state).env("TERM", "xterm").env_remove("PYTHONSTARTUP");
        for name in ["NO_COLOR", "FORCE_COLOR", "PYTHON_COLORS"] {
            command.env_remove(name);
        }
        if !color {
            command.env("NO_COLOR", "1");
        }
        let mut session = Self { pty: Pty::start(command), state };
        session.prompt();
        session
    }

    fn expect(&mut self, text: &str) -> String {
        self.pty.expect(text)
    }

    /// Waits for the editor to start on a new input.
    ///
    /// Not for `>>> `: that is drawn again with every line of a block.
    fn prompt(&mut self) {
        self.expect("\x1b[?2004h");
    }

    /// Types without Enter, once the editor reads keys.
    fn keys(&mut self, text: &str) {
        while self.pty.is_cooked() {
            std::thread::sleep(Duration::from_millis(5));
        }
        self.pty.keys(text);
    }

    /// Types a line and Enter, as a person does: with a moment in between.
    fn line(&mut self, text: &str) {
        if !text.is_empty() {
            self.keys(text);
        }
        std::thread::sleep(Duration::from_millis(30));
        self.keys("\r");
    }

    /// Types a line and waits for what it prints and for the next prompt.
    fn shows(&mut self, text: &str, shown: &str) {
        self.line(text);
        self.expect(shown);
        self.prompt();
    }

    /// Leaves, and gives the exit code.
    fn leave(mut self) -> (Option<i32>, PathBuf) {
        self.keys(CTRL_D);
        (self.pty.wait().code(), self.state)
    }
}

#[test]
fn the_prompt_of_asyncio_awaits_and_takes_pastes() {
    let state = std::env::temp_dir().join(format!("snekpy-repl-asyncio-{}", std::process::id()));
    let mut session = Session::with(&["-m", "asyncio"], state, false);
    session.shows("await asyncio.sleep(0.01, 'sl' + 'ept')", "'slept'");
    session.keys("\x1b[200~async def f():\n    return 42\x1b[201~");
    session.line("");
    session.line("");
    session.prompt();
    session.shows("await f()", "42");
    session.line("await asyncio.sleep(60)");
    while !session.pty.is_cooked() {
        std::thread::sleep(Duration::from_millis(5));
    }
    std::thread::sleep(Duration::from_millis(300));
    session.pty.keys(CTRL_C);
    session.expect("KeyboardInterrupt");
    session.prompt();
    session.shows("'still ' + 'here'", "'still here'");
    assert_eq!(session.leave().0, Some(0));
}

#[test]
fn expressions_are_shown_and_remembered_in_underscore() {
    let mut session = Session::start("underscore", false);
    session.shows("40 + 2", "\n42");
    session.shows("_ * 100", "\n4200");
    session.shows("print('a' 'b')", "\nab");
    assert_eq!(session.leave().0, Some(0));
}

#[test]
fn a_block_is_edited_whole_and_indents_itself() {
    let mut session = Session::start("block", false);
    // Typed without indentation: Enter puts it there, and an empty line ends the block.
    for line in ["def f(x):", "if x:", "return 'big'", "return 'small'", ""] {
        session.line(line);
    }
    session.prompt();
    session.shows("f(1) + '/' + f(0)", "\n'big/small'");
    session.line("(1,");
    session.shows("2)", "(1, 2)");
    for line in ["@str", "def g(): pass", ""] {
        session.line(line);
    }
    session.prompt();
    session.shows("g[:10]", "\n'<function '");
    assert_eq!(session.leave().0, Some(0));
}

#[test]
fn the_history_of_blocks_outlives_the_session() {
    let mut session = Session::start("history", false);
    for line in ["for i in range(2):", "print('item', i)", ""] {
        session.line(line);
    }
    session.expect("item 1");
    session.prompt();
    let (code, state) = session.leave();
    assert_eq!(code, Some(0));
    assert!(state.join("snekpy/history").exists());
    let mut session = Session::resume(state.clone(), false);
    // Up, to the end, Enter on the empty line.
    session.keys("\x1b[A");
    session.line("");
    session.line("");
    session.expect("item 1");
    session.prompt();
    session.leave();
    std::fs::remove_dir_all(state).expect("the folder was made here");
}

#[test]
fn names_attributes_and_keywords_are_completed() {
    let mut session = Session::start("completion", false);
    session.shows("import math; remarkable = 7", "\n");
    session.keys("remark\t");
    session.line("");
    session.expect("\n7");
    session.prompt();
    session.keys("math.floo\t");
    session.line("(2.5)");
    session.expect("\n2");
    session.prompt();
    session.keys("nonl\t");
    session.expect("nonlocal");
    session.keys(CTRL_C);
    session.prompt();
    assert_eq!(session.leave().0, Some(0));
}

#[test]
fn lines_of_a_block_have_the_continuation_prompt() {
    let mut session = Session::start("continuation", false);
    session.line("if 1:");
    session.expect("... ");
    session.line("print('one')");
    session.expect("...     print('one')");
    session.line("");
    session.expect("\none");
    session.prompt();
    // What is drawn is no text: neither for the program nor for the history.
    session.shows("import sys; sys.ps2 = '--> '", "\n");
    session.line("text = '''a");
    session.expect("--> ");
    session.line("b'''");
    session.prompt();
    session.shows("text", "\n'a\\nb'");
    let (code, state) = session.leave();
    assert_eq!(code, Some(0));
    let history = std::fs::read_to_string(state.join("snekpy/history")).expect("it is text");
    assert!(history.contains("text = '''a\\nb'''"), "{history:?}");
    std::fs::remove_dir_all(state).expect("the folder was made here");
}

#[test]
fn a_block_can_be_edited_across_its_lines() {
    let mut session = Session::start("across", false);
    session.line("if 1:");
    session.keys("'two'");
    // Home stops at the prompt; Backspace over the indentation and then over the prompt joins the lines.
    session.keys("\x01\x7f\x05");
    session.line("");
    session.line("");
    session.expect("\n'two'");
    session.prompt();
    session.line("(1,");
    // Left steps over the prompt to the end of the line before, Right back.
    session.keys("\x1b[D\x1b[D9\x1b[C\x1b[C");
    session.line("2)");
    session.expect("\n(19, 2)");
    session.prompt();
    assert_eq!(session.leave().0, Some(0));
}

#[test]
fn what_is_typed_while_a_program_runs_is_kept() {
    let mut session = Session::start("ahead", false);
    session.line("import time; time.sleep(1)");
    while !session.pty.is_cooked() {
        std::thread::sleep(Duration::from_millis(5));
    }
    session.pty.keys("print('fi' 'rst')\rif 1:\r    print('sec' 'ond')\r\rprint('thi' 'rd')\r");
    for text in ["\nfirst", "\nsecond", "\nthird"] {
        session.expect(text);
    }
    session.prompt();
    assert_eq!(session.leave().0, Some(0));
}

#[test]
fn a_paste_of_several_lines_is_kept_with_its_indentation() {
    let mut session = Session::start("paste", false);
    session.keys("def f(x):\r    if x:\r        return 'y' 'es'\r    return 'n' 'o'\r\rf(1)\rf(0)\r");
    session.expect("\n'yes'");
    session.expect("\n'no'");
    session.prompt();
    // In brackets, from terminals that do so.
    session.keys("\x1b[200~def g(x):\n\treturn 2 * x\n\x1b[201~");
    session.line("");
    session.prompt();
    session.shows("g(21)", "\n42");
    assert_eq!(session.leave().0, Some(0));
}

#[test]
fn modules_are_completed_and_strings_are_not() {
    let mut session = Session::start("modules", false);
    session.keys("import fract\t");
    session.line("");
    session.prompt();
    session.shows("fractions.Fraction(1, 2)", "\nFraction(1, 2)");
    session.keys("from xml.dom import minid\t");
    session.line("");
    session.prompt();
    session.shows("minidom.__name__", "\n'xml.dom.minidom'");
    session.keys("from fractions import Fract\t");
    session.line(" as F; F(3, 4)");
    session.expect("\nFraction(3, 4)");
    session.prompt();
    session.keys("len('prin\t");
    session.line("')");
    session.expect("\n4");
    session.prompt();
    assert_eq!(session.leave().0, Some(0));
}

#[test]
fn a_question_mark_asks_for_help() {
    let mut session = Session::start("help", false);
    session.line("def area(w, h=2):");
    session.line("'''The area.'''");
    session.line("return w * h");
    session.line("");
    session.prompt();
    session.line("?area");
    session.expect("area(w, h=2)");
    session.expect("The area.");
    session.prompt();
    session.line("area??");
    session.expect("Source:");
    session.expect("return w * h");
    session.prompt();
    session.shows("?nothing", "there is no `nothing` here");
    assert_eq!(session.leave().0, Some(0));
}

#[test]
fn help_for_a_staged_function_shows_its_code() {
    let mut session = Session::start("staged", false);
    session.line("import snekpy");
    session.prompt();
    for line in ["@snekpy.stage", "def f(x): return x + 1", ""] {
        session.line(line);
    }
    session.prompt();
    session.shows("f(1.5)", "\n2.5");
    session.line("?f");
    session.expect("Signature:   f(x)");
    session.expect("Staged:");
    session.prompt();
    assert_eq!(session.leave().0, Some(0));
}

#[test]
fn ctrl_c_drops_the_line_and_interrupts_what_runs() {
    let mut session = Session::start("interrupt", false);
    session.keys("1 + ");
    session.keys(CTRL_C);
    session.expect("KeyboardInterrupt");
    session.prompt();
    session.line("while True: pass\r");
    while !session.pty.is_cooked() {
        std::thread::sleep(Duration::from_millis(10));
    }
    // The loop is entered a moment after the terminal is handed over.
    std::thread::sleep(Duration::from_millis(300));
    session.pty.keys(CTRL_C);
    session.expect("KeyboardInterrupt");
    session.prompt();
    session.shows("'still ' + 'here'", "\n'still here'");
    assert_eq!(session.leave().0, Some(0));
}

#[test]
fn tracebacks_quote_the_input() {
    let mut session = Session::start("traceback", false);
    session.line("1 / 0");
    session.expect("File \"<python-input-0>\", line 1, in <module>");
    session.expect("ZeroDivisionError: division by zero");
    session.prompt();
    session.line("x = = 1");
    session.expect("SyntaxError");
    session.prompt();
    assert_eq!(session.leave().0, Some(0));
}

#[test]
fn colours_unless_somebody_says_no() {
    let mut session = Session::start("color", true);
    session.line("if 1: 'text'\r");
    session.expect("\x1b[1;34mif");
    session.prompt();
    session.line("1 / 0");
    session.expect("\x1b[");
    session.expect("ZeroDivisionError");
    session.prompt();
    assert_eq!(session.leave().0, Some(0));
    let mut session = Session::start("nocolor", false);
    session.line("1 / 0");
    let seen = session.expect("ZeroDivisionError: division by zero");
    assert!(!seen.contains("\x1b[1;3"), "{seen:?}");
    assert_eq!(session.leave().0, Some(0));
}

#[test]
fn exit_leaves_and_system_exit_has_its_code() {
    let mut session = Session::start("exit", false);
    session.line("exit");
    assert_eq!(session.pty.wait().code(), Some(0));
    let mut session = Session::start("systemexit", false);
    session.line("raise SystemExit(7)");
    assert_eq!(session.pty.wait().code(), Some(7));
}
