//! Making code for a function is one thread's work at a time: others that come meanwhile would make the same again.

use std::sync::atomic::Ordering;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::ThreadId;
use std::time::{Duration, Instant};

use rustpython_vm::{PyResult, VirtualMachine};

/// How often a thread that waits looks for signals.
const LOOK: Duration = Duration::from_millis(5);
/// A thread that has waited for so long makes the code itself.
const PATIENCE: Duration = Duration::from_secs(60);

/// Which thread's turn it is.
#[derive(Debug, Default)]
pub(super) struct Turn {
    owner: Mutex<Option<ThreadId>>,
    ended: Condvar,
}

/// A turn, until this is dropped. One inside another one, or one that did not come, is nobody's.
pub(super) struct Taken<'a>(Option<&'a Turn>);

impl Turn {
    /// Waits for the turn of this thread.
    ///
    /// # Errors
    /// What a handler of a signal raises.
    pub(super) fn wait(&self, vm: &VirtualMachine) -> PyResult<Taken<'_>> {
        let me = std::thread::current().id();
        let began = Instant::now();
        loop {
            let mut owner = self.lock();
            match *owner {
                None => {
                    *owner = Some(me);
                    return Ok(Taken(Some(self)));
                }
                Some(other) if other == me || began.elapsed() >= PATIENCE => return Ok(Taken(None)),
                // Who has the turn may be a thread that the end of the program has stopped.
                Some(_) if vm.state.finalizing.load(Ordering::Relaxed) => return Ok(Taken(None)),
                Some(_) => {}
            }
            drop(owner);
            vm.allow_threads(|| {
                let owner = self.lock();
                if owner.is_some() {
                    drop(self.ended.wait_timeout(owner, LOOK));
                }
            });
            vm.check_signals()?;
        }
    }

    /// A panic while it was locked leaves it as good as it was.
    fn lock(&self) -> MutexGuard<'_, Option<ThreadId>> {
        self.owner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        if let Some(turn) = self.0 {
            *turn.lock() = None;
            turn.ended.notify_all();
        }
    }
}
