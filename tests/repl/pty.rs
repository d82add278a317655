//! A pseudo-terminal with the command at its other end.
//!
//! Not a crate: those switch on features of `nix`, and all of RustPython is built a second time.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// How long an answer may take. Generous: the machine may be busy.
const PATIENCE: Duration = Duration::from_secs(30);

/// A running command and the keyboard and screen in front of it.
pub(crate) struct Pty {
    child: Child,
    keyboard: File,
    screen: Receiver<Vec<u8>>,
    /// What was shown and not yet looked at.
    seen: String,
}

impl Pty {
    /// Starts `command` with the terminal as its controlling one.
    pub(crate) fn start(mut command: Command) -> Self {
        let (mut near, mut far) = (0, 0);
        let size = libc::winsize { ws_row: 40, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0 };
        // SAFETY: both descriptors are written, the other pointers may be null; on success they are ours.
        let (near, far) = unsafe {
            let made = libc::openpty(&mut near, &mut far, std::ptr::null_mut(), std::ptr::null(), &size);
            assert_eq!(made, 0, "a pseudo-terminal can be opened");
            (OwnedFd::from_raw_fd(near), OwnedFd::from_raw_fd(far))
        };
        let end = || far.try_clone().expect("a descriptor can be copied");
        command.stdin(end()).stdout(end()).stderr(end());
        // SAFETY: only system calls that are allowed between fork and exec.
        unsafe {
            command.pre_exec(|| {
                libc::setsid();
                libc::ioctl(0, libc::TIOCSCTTY, 0);
                Ok(())
            });
        }
        let child = command.spawn().expect("the command starts");
        drop((command, far));
        let keyboard = File::from(near);
        let mut output = keyboard.try_clone().expect("a descriptor can be copied");
        let (send, screen) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            // Reading fails when the other end is closed.
            while let Ok(count @ 1..) = output.read(&mut buffer) {
                if send.send(buffer[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        Self { child, keyboard, screen, seen: String::new() }
    }

    /// Presses keys.
    pub(crate) fn keys(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).expect("the terminal takes keys");
    }

    /// Waits until `text` is shown, and gives what was shown before it.
    pub(crate) fn expect(&mut self, text: &str) -> String {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(at) = self.seen.find(text) {
                let before = self.seen[..at].to_owned();
                self.seen.drain(..at + text.len());
                return before;
            }
            match self.screen.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(bytes) => self.seen.push_str(&String::from_utf8_lossy(&bytes)),
                Err(_) => panic!("expected {text:?}, the screen shows {:?}", self.seen),
            }
        }
    }

    /// Waits until the command ends.
    pub(crate) fn wait(&mut self) -> ExitStatus {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().expect("the command is ours") {
                return status;
            }
            assert!(Instant::now() < deadline, "the command does not end, the screen shows {:?}", self.seen);
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Whether keys are echoed by the terminal itself: a program runs, and the editor does not read.
    pub(crate) fn is_cooked(&self) -> bool {
        // SAFETY: the settings are written before they are read; the descriptor is open.
        unsafe {
            let mut settings = std::mem::zeroed::<libc::termios>();
            libc::tcgetattr(self.keyboard.as_raw_fd(), &mut settings) == 0 && settings.c_lflag & libc::ICANON != 0
        }
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        // A test that failed leaves it running.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
