//! The prompt, driven through a pseudo-terminal as a user would.

use rexpect::session::{PtySession, spawn_command};
use std::path::PathBuf;
use std::process::Command;

const CTRL_C: char = 'c';
const CTRL_D: char = 'd';

/// A session with a folder of its own for what is remembered.
struct Session {
    pty: PtySession,
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
        for name in ["NO_COLOR", "FORCE_COLOR"] {
            command.env_remove(name);
        }
        if !color {
            command.env("NO_COLOR", "1");
        }
        let mut session = Self { pty: spawn_command(command, Some(20_000)).expect("it starts"), state };
        session.expect(">>> ");
        session
    }

    fn expect(&mut self, text: &str) {
        if let Err(error) = self.pty.exp_string(text) {
            panic!("expected {text:?}: {error}");
        }
    }

    /// Types a line and Enter.
    fn line(&mut self, text: &str) {
        self.pty.send(&format!("{text}\r")).expect("it reads");
        self.pty.flush().expect("it reads");
    }

    /// Types without Enter.
    fn keys(&mut self, text: &str) {
        self.pty.send(text).expect("it reads");
        self.pty.flush().expect("it reads");
    }

    /// Types a line and waits for what it prints, on lines of their own, and for the next prompt.
    fn shows(&mut self, text: &str, shown: &str) {
        self.line(text);
        self.expect(shown);
        self.expect(">>> ");
    }

    /// Leaves, and gives the exit code.
    fn leave(mut self) -> (i32, PathBuf) {
        self.pty.send_control(CTRL_D).expect("it reads");
        let status = self.pty.process.wait().expect("it ends");
        match status {
            rexpect::process::wait::WaitStatus::Exited(_, code) => (code, self.state),
            other => panic!("ended by {other:?}"),
        }
    }
}

#[test]
fn expressions_are_shown_and_remembered_in_underscore() {
    let mut session = Session::start("underscore", false);
    session.shows("40 + 2", "\n42");
    session.shows("_ * 100", "\n4200");
    session.shows("print('a' 'b')", "\nab");
    assert_eq!(session.leave().0, 0);
}

#[test]
fn a_block_is_edited_whole_and_indents_itself() {
    let mut session = Session::start("block", false);
    // Typed without indentation: Enter puts it there, and an empty line ends the block.
    for line in ["def f(x):", "if x:", "return 'big'", "return 'small'", ""] {
        session.line(line);
    }
    session.expect(">>> ");
    session.shows("f(1) + '/' + f(0)", "\n'big/small'");
    session.shows("(1,\r2)", "(1, 2)");
    assert_eq!(session.leave().0, 0);
}

#[test]
fn the_history_of_blocks_outlives_the_session() {
    let mut session = Session::start("history", false);
    for line in ["for i in range(2):", "print('item', i)", ""] {
        session.line(line);
    }
    session.expect("item 1");
    session.expect(">>> ");
    let (code, state) = session.leave();
    assert_eq!(code, 0);
    assert!(state.join("snekpy/history").exists());
    let mut session = Session::resume(state.clone(), false);
    // Up, to the end, Enter on the empty line.
    session.keys("\x1b[A");
    session.line("");
    session.line("");
    session.expect("item 1");
    session.expect(">>> ");
    session.leave();
    std::fs::remove_dir_all(state).expect("the folder was made here");
}

#[test]
fn names_attributes_and_keywords_are_completed() {
    let mut session = Session::start("completion", false);
    session.shows("import math; remarkable = 7", "\n>>> ".trim_start());
    session.keys("remark\t");
    session.line("");
    session.expect("\n7");
    session.expect(">>> ");
    session.keys("math.floo\t");
    session.line("(2.5)");
    session.expect("\n2");
    session.expect(">>> ");
    session.keys("nonl\t");
    session.expect("nonlocal");
    session.pty.send_control(CTRL_C).expect("it reads");
    session.expect(">>> ");
    assert_eq!(session.leave().0, 0);
}

#[test]
fn a_question_mark_asks_for_help() {
    let mut session = Session::start("help", false);
    session.line("def area(w, h=2):");
    session.line("'''The area.'''");
    session.line("return w * h");
    session.line("");
    session.expect(">>> ");
    session.line("?area");
    session.expect("area(w, h=2)");
    session.expect("The area.");
    session.expect(">>> ");
    session.line("area??");
    session.expect("return w * h");
    session.expect(">>> ");
    session.shows("?nothing", "there is no `nothing` here");
    assert_eq!(session.leave().0, 0);
}

#[test]
fn ctrl_c_drops_the_line_and_interrupts_what_runs() {
    let mut session = Session::start("interrupt", false);
    session.keys("1 + ");
    session.pty.send_control(CTRL_C).expect("it reads");
    session.expect("KeyboardInterrupt");
    session.expect(">>> ");
    session.line("while True: pass\r");
    std::thread::sleep(std::time::Duration::from_millis(500));
    session.pty.send_control(CTRL_C).expect("it reads");
    session.expect("KeyboardInterrupt");
    session.expect(">>> ");
    session.shows("'still ' + 'here'", "\n'still here'");
    assert_eq!(session.leave().0, 0);
}

#[test]
fn tracebacks_quote_the_input() {
    let mut session = Session::start("traceback", false);
    session.line("1 / 0");
    session.expect("File \"<python-input-0>\", line 1, in <module>");
    session.expect("ZeroDivisionError: division by zero");
    session.expect(">>> ");
    session.line("x = = 1");
    session.expect("SyntaxError");
    session.expect(">>> ");
    assert_eq!(session.leave().0, 0);
}

#[test]
fn colours_unless_somebody_says_no() {
    let mut session = Session::start("color", true);
    session.line("if 1: 'text'\r");
    session.expect("\x1b[1;34mif");
    session.expect(">>> ");
    session.line("1 / 0");
    session.expect("\x1b[");
    session.expect("ZeroDivisionError");
    session.expect(">>> ");
    assert_eq!(session.leave().0, 0);
    let mut session = Session::start("nocolor", false);
    session.line("1 / 0");
    let seen = session.pty.exp_string("ZeroDivisionError: division by zero").expect("it is printed");
    assert!(!seen.contains("\x1b[1;3"), "{seen:?}");
    assert_eq!(session.leave().0, 0);
}

#[test]
fn exit_leaves_and_system_exit_has_its_code() {
    let mut session = Session::start("exit", false);
    session.line("exit");
    assert!(matches!(session.pty.process.wait(), Ok(rexpect::process::wait::WaitStatus::Exited(_, 0))));
    let mut session = Session::start("systemexit", false);
    session.line("raise SystemExit(7)");
    assert!(matches!(session.pty.process.wait(), Ok(rexpect::process::wait::WaitStatus::Exited(_, 7))));
}
