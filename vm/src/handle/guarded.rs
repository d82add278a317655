//! The limits of a compiled function that has no VM: those of the engine that it was made in.

use std::ffi::c_void;
use std::sync::atomic::AtomicU32;
use std::time::{Duration, Instant};

use snekpy_stage::backend::{Context, Status};

use super::CallError;
use crate::limits::{Canceller, Stop, of_handles};

/// The clock is read at one of so many looks.
const LOOKS: u32 = 256;

/// What stops the calls of a compiled function.
#[derive(Debug)]
pub(super) struct Guard {
    canceller: Option<Canceller>,
    time: Option<Duration>,
    depth: Option<i64>,
}

/// What the callback of a call with a clock needs.
struct Clock<'a> {
    canceller: Option<&'a Canceller>,
    deadline: Instant,
    looks: u32,
}

impl Guard {
    /// The limits that hold on this thread now, for calls to come.
    pub(super) fn now() -> Self {
        let (canceller, time, depth) = of_handles();
        Self { canceller, time, depth: depth.map(|depth| i64::try_from(depth).unwrap_or(i64::MAX)) }
    }

    /// Makes a call.
    #[inline]
    pub(super) fn watch(&self, cx: &mut Context, call: impl FnOnce(&mut Context) -> Status) -> Status {
        if let Some(depth) = self.depth {
            cx.depth = cx.depth.min(depth);
        }
        if let Some(canceller) = &self.canceller {
            cx.poll = canceller.flag();
            cx.on_poll = stop;
        }
        match self.time {
            None => call(cx),
            Some(time) => self.watch_clock(time, cx, call),
        }
    }

    #[cold]
    fn watch_clock(&self, time: Duration, cx: &mut Context, call: impl FnOnce(&mut Context) -> Status) -> Status {
        static ALWAYS: AtomicU32 = AtomicU32::new(1);
        let Some(deadline) = Instant::now().checked_add(time) else { return call(cx) };
        let mut clock = Clock { canceller: self.canceller.as_ref(), deadline, looks: 0 };
        cx.poll = &raw const ALWAYS;
        cx.on_poll = look;
        cx.data = (&raw mut clock).cast::<c_void>();
        call(cx)
    }

    /// The error of a call that was stopped.
    #[cold]
    pub(super) fn say(&self, error: CallError) -> CallError {
        let stop = match &self.canceller {
            Some(canceller) if canceller.is_cancelled() || self.time.is_none() => Stop::Cancelled,
            Some(_) | None => Stop::Time,
        };
        CallError { kind: stop.class_name().to_owned(), message: stop.message(self.time), ..error }
    }
}

unsafe extern "C" fn stop(_: *mut Context) -> u32 {
    1
}

unsafe extern "C" fn look(cx: *mut Context) -> u32 {
    // SAFETY: compiled code gives the context that `watch_clock` filled, and its call has not ended.
    let clock = unsafe { &mut *(*cx).data.cast::<Clock<'_>>() };
    clock.looks = clock.looks.wrapping_add(1);
    let is_over = clock.looks.is_multiple_of(LOOKS) && Instant::now() >= clock.deadline;
    u32::from(is_over || clock.canceller.is_some_and(Canceller::is_cancelled))
}
