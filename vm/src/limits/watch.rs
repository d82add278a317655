//! Waking plain Python.
//!
//! RustPython looks at one flag between two instructions: whether there are signals. A machine with a channel for
//! signals (`host::machine`) runs what is sent to it then. So calls under a meter are in a list here, and a *watcher*
//! thread looks every few milliseconds which of them are to be stopped. The flag is the process's, and whichever
//! machine sees it first takes it; therefore the watcher sends again until the call has ended.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustpython_vm::signal::UserSignalSender;

use super::{Meter, check};

/// How often it is looked.
const INTERVAL: Duration = Duration::from_millis(10);
/// The watcher ends after so many looks at an empty list.
const IDLE: u32 = 200;

struct Entry {
    id: u64,
    meter: Arc<Meter>,
    alarm: UserSignalSender,
}

#[derive(Default)]
struct List {
    entries: Vec<Entry>,
    next: u64,
    /// Whether the watcher is there.
    is_watched: bool,
}

static LIST: Mutex<List> = Mutex::new(List { entries: Vec::new(), next: 0, is_watched: false });
/// Whether no watcher could be started: there is no memory for a thread.
static ALONE: AtomicBool = AtomicBool::new(false);

/// A call that is being watched.
#[derive(Debug)]
#[must_use = "the call is watched until this is dropped"]
pub struct Watched {
    id: u64,
    outside: Option<Here>,
}

/// What a thread is watched for, and how it is woken.
#[derive(Debug)]
struct Here {
    meter: Arc<Meter>,
    alarm: UserSignalSender,
}

thread_local! {
    static HERE: RefCell<Option<Here>> = const { RefCell::new(None) };
}

impl Watched {
    /// Watches a call on the machine that has this alarm, which is `meter`'s.
    pub fn new(meter: Arc<Meter>, alarm: UserSignalSender) -> Self {
        let outside = HERE.replace(Some(Here { meter: Arc::clone(&meter), alarm: alarm.clone() }));
        let mut list = lock();
        let id = list.next;
        list.next += 1;
        list.entries.push(Entry { id, meter, alarm });
        if !list.is_watched && !ALONE.load(Ordering::Relaxed) {
            let watcher = std::thread::Builder::new().name("snekpy-watcher".to_owned()).stack_size(1 << 20);
            list.is_watched = watcher.spawn(watch).is_ok();
            ALONE.store(!list.is_watched, Ordering::Relaxed);
        }
        Self { id, outside }
    }

    /// Watches a call inside another one on the same machine, if it has another meter.
    pub fn inside(meter: &Arc<Meter>) -> Option<Self> {
        let alarm = HERE.with_borrow(|here| {
            let here = here.as_ref().filter(|here| here.meter.interpreter == meter.interpreter)?;
            if Arc::ptr_eq(&here.meter, meter) { None } else { Some(here.alarm.clone()) }
        })?;
        Some(Self::new(Arc::clone(meter), alarm))
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        HERE.replace(self.outside.take());
        let mut list = lock();
        if let Some(index) = list.entries.iter().rposition(|entry| entry.id == self.id) {
            list.entries.swap_remove(index);
        }
    }
}

fn watch() {
    let mut idle = 0;
    loop {
        std::thread::sleep(INTERVAL);
        let mut list = lock();
        idle = if list.entries.is_empty() { idle + 1 } else { 0 };
        if idle >= IDLE {
            list.is_watched = false;
            return;
        }
        for entry in list.entries.iter().filter(|entry| entry.meter.stop().is_some()) {
            // A machine that is gone has no call that could be stopped.
            let _ = entry.alarm.send(Box::new(check));
        }
    }
}

/// A panic while the list was locked leaves it as good as it was.
fn lock() -> std::sync::MutexGuard<'static, List> {
    LIST.lock().unwrap_or_else(PoisonError::into_inner)
}
