//! The limits of a compiled function that has no VM: those of the engine that it was made in.

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::time::{Duration, Instant};

use snekpy_stage::backend::{Context, Status};
use snekpy_stage::list::{Budget, Lists};
use snekpy_stage::map::Maps;

use super::arrays::{Host, Table};
use super::{CallError, Inner};
use crate::limits::{Canceller, OfHandles, Stop, of_handles};

/// The clock is read at one of so many looks.
const LOOKS: u32 = 256;

/// What stops the calls of a compiled function.
#[derive(Debug)]
pub(super) struct Guard {
    canceller: Option<Canceller>,
    time: Option<Duration>,
    depth: Option<i64>,
    ticks: Option<u64>,
    memory: Option<u64>,
}

/// What the callbacks of a call need.
struct Left<'a> {
    canceller: Option<&'a Canceller>,
    deadline: Option<Instant>,
    looks: u32,
    ticks: u64,
    arrays: Option<(&'a Table, &'a Inner)>,
}

impl Guard {
    /// The limits that hold on this thread now, for calls to come.
    pub(super) fn now() -> Self {
        let OfHandles { canceller, time, depth, ticks, memory } = of_handles();
        Self { canceller, time, ticks, memory, depth: depth.map(|depth| i64::try_from(depth).unwrap_or(i64::MAX)) }
    }

    /// Makes a call.
    #[inline]
    pub(super) fn watch(
        &self,
        cx: &mut Context,
        arrays: Option<(&Table, &Inner)>,
        call: impl FnOnce(&mut Context) -> Status,
    ) -> Status {
        if let Some(depth) = self.depth {
            cx.depth = cx.depth.min(depth);
        }
        if let Some(canceller) = &self.canceller {
            cx.poll = canceller.flag();
            cx.on_poll = stop;
        }
        if let Some(bytes) = self.memory {
            let budget = Arc::new(Budget::new(bytes));
            cx.maps = Maps::within(Arc::clone(&budget));
            cx.lists = Lists::within(budget);
        }
        match (self.time, self.ticks, arrays) {
            (None, None, None) => call(cx),
            _ => self.count(cx, arrays, call),
        }
    }

    #[cold]
    fn count(
        &self,
        cx: &mut Context,
        arrays: Option<(&Table, &Inner)>,
        call: impl FnOnce(&mut Context) -> Status,
    ) -> Status {
        static ALWAYS: AtomicU32 = AtomicU32::new(1);
        let deadline = self.time.and_then(|time| Instant::now().checked_add(time));
        let ticks = self.ticks.unwrap_or(u64::MAX);
        let mut left = Left { canceller: self.canceller.as_ref(), deadline, looks: 0, ticks, arrays };
        if deadline.is_some() {
            cx.poll = &raw const ALWAYS;
            cx.on_poll = look;
        }
        cx.host = host;
        cx.count = count;
        cx.data = (&raw mut left).cast::<c_void>();
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
    // SAFETY: compiled code gives the context that `count` filled, and its call has not ended.
    let left = unsafe { &mut *(*cx).data.cast::<Left<'_>>() };
    left.looks = left.looks.wrapping_add(1);
    let is_over = left.looks.is_multiple_of(LOOKS) && left.deadline.is_some_and(|it| Instant::now() >= it);
    u32::from(is_over || left.canceller.is_some_and(Canceller::is_cancelled))
}

/// Counts ticks, and does what is to be done on arrays.
unsafe extern "C" fn host(cx: *mut Context, number: u32, args: *const u64, results: *mut u64) -> u32 {
    // SAFETY: as in `look`.
    let left = unsafe { &mut *(*cx).data.cast::<Left<'_>>() };
    let number = number as usize;
    match left.arrays.map(|(table, inner)| (table, &inner.hosts[number], inner.host_slots[number])) {
        None | Some((_, Host::Tick, _)) => {
            // SAFETY: there is room for one result.
            unsafe { results.write(u64::from(left.ticks > 0)) };
            left.ticks = left.ticks.saturating_sub(1);
            0
        }
        Some((table, host, count)) => {
            // SAFETY: compiled code passes the slots of the declared parameters.
            let slots = if count == 0 { &[] } else { unsafe { std::slice::from_raw_parts(args, count) } };
            u32::from(!table.carry_out(host, slots, results))
        }
    }
}

unsafe extern "C" fn count(cx: *mut Context, handle: u64, more: u32) {
    // SAFETY: as in `look`.
    let left = unsafe { &mut *(*cx).data.cast::<Left<'_>>() };
    if let Some((table, _)) = left.arrays {
        table.count(handle, more != 0);
    }
}
