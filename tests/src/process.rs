//! A process with a time limit.

use std::io::{Read, Write};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// How the error of [`run`] begins for a process whose time was over.
pub const STILL_RUNNING: &str = "still running";

/// How a process ended.
#[derive(Clone, Debug)]
pub struct Ended {
    /// The exit status; `128 + n` after signal `n`, as in a shell.
    pub status: i32,
    /// What it wrote to standard output.
    pub stdout: String,
    /// What it wrote to standard error.
    pub stderr: String,
    /// From the Ctrl-C to the end.
    pub after_interrupt: Option<Duration>,
}

/// When a process is stopped.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// It is killed after this time, and [`run`] returns an error.
    pub time: Duration,
    /// It gets Ctrl-C after this time.
    pub interrupt: Option<Duration>,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { time: Duration::from_secs(60), interrupt: None }
    }
}

/// Runs `command` with `input` on its standard input until it ends.
pub fn run(command: &mut Command, input: &str, limits: Limits) -> Result<Ended, String> {
    // SAFETY: between fork and exec it makes one system call, which is allowed there. A shell that runs the
    // tests in the background lets its children ignore Ctrl-C.
    unsafe {
        command.pre_exec(|| {
            libc::signal(libc::SIGINT, libc::SIG_DFL);
            Ok(())
        });
    }
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("cannot start {command:?}: {error}"))?;
    let mut stdin = child.stdin.take().expect("the pipe was asked for above");
    let input = input.to_owned();
    let feed = thread::spawn(move || {
        // A program that ends without reading its input closes the pipe; that is no failure.
        let _ = stdin.write_all(input.as_bytes());
    });
    let stdout = collect(child.stdout.take().expect("the pipe was asked for above"));
    let stderr = collect(child.stderr.take().expect("the pipe was asked for above"));

    let start = Instant::now();
    let mut interrupted = None;
    let ended = loop {
        if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
            break Ok(status);
        }
        if let Some(after) = limits.interrupt
            && interrupted.is_none()
            && start.elapsed() >= after
        {
            interrupt(child.id())?;
            interrupted = Some(Instant::now());
        }
        if start.elapsed() >= limits.time {
            child.kill().map_err(|error| error.to_string())?;
            child.wait().map_err(|error| error.to_string())?;
            break Err(format!("{STILL_RUNNING} after {} s", limits.time.as_secs()));
        }
        thread::sleep(Duration::from_millis(2));
    };
    let after_interrupt = interrupted.map(|at| at.elapsed());
    feed.join().expect("the feeding thread does not panic");
    let stdout = stdout.join().expect("the reading thread does not panic");
    let stderr = stderr.join().expect("the reading thread does not panic");
    match ended {
        Ok(status) => Ok(Ended { status: code(status), stdout, stderr, after_interrupt }),
        Err(reason) => Err(format!("{reason}\n{stdout}{stderr}")),
    }
}

fn collect(mut pipe: impl Read + Send + 'static) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // What was read before an error is still worth comparing.
        let _ = pipe.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

fn interrupt(process: u32) -> Result<(), String> {
    let process = libc::pid_t::try_from(process).map_err(|error| error.to_string())?;
    // SAFETY: it only sends a signal, to a child that has not been waited for.
    match unsafe { libc::kill(process, libc::SIGINT) } {
        0 => Ok(()),
        _ => Err(format!("cannot interrupt the process: {}", std::io::Error::last_os_error())),
    }
}

fn code(status: ExitStatus) -> i32 {
    use std::os::unix::process::ExitStatusExt;
    status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_over_its_time_is_killed() {
        let limits = Limits { time: Duration::from_millis(100), interrupt: None };
        let error = run(Command::new("sleep").arg("10"), "", limits).unwrap_err();
        assert!(error.contains("still running"), "{error}");
    }

    #[test]
    fn input_output_and_status_pass_through() {
        let ended = run(Command::new("sh").args(["-c", "cat; echo no >&2; exit 3"]), "yes", Limits::default()).unwrap();
        assert_eq!((ended.status, ended.stdout.as_str(), ended.stderr.as_str()), (3, "yes", "no\n"));
    }

    #[test]
    fn an_interrupt_arrives() {
        let limits = Limits { time: Duration::from_secs(10), interrupt: Some(Duration::from_millis(50)) };
        let ended = run(Command::new("sleep").arg("10"), "", limits).unwrap();
        assert_eq!(ended.status, 130);
        assert!(ended.after_interrupt.is_some());
    }
}
