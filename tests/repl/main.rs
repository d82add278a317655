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
        let mut command = Command::new(env!("CARGO_BIN_EXE_snekpy"));
        command.arg("-q").env("XDG_STATE_HOME", &state).env("TERM", "xterm").env_remove("PYTHONSTARTUP");
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

    /// Types a line and Enter.
    fn line(&mut self, text: &str) {
        self.keys(&format!("{text}\r"));
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
    session.shows("(1,\r2)", "(1, 2)");
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
