//! Copies to a GPU beside what it computes.
//!
//! A large array goes through a ring of page-locked memory on a stream of its own, while kernels run that were begun before;
//! what is begun later waits for it on the device, and nobody here does. That is so where the memory it goes to is *idle*: no
//! work that was begun uses it. Memory that was given back becomes idle when the GPU has passed a [`Mark`] that was set later.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use cudarc::driver::{CudaStream, result, sys};

use super::device::{Device, Fault};

/// Smaller arrays are copied by the driver as it likes, in the order of all work.
pub(super) const LARGE: usize = 256 << 10;
/// The bytes of a piece of the ring, and how many there are.
const PIECE: usize = 4 << 20;
const PIECES: usize = 4;

/// A point in the order of all work.
pub(super) struct Event {
    device: Arc<Device>,
    event: sys::CUevent,
}

// SAFETY: the driver lets any thread use an event.
unsafe impl Send for Event {}
// SAFETY: as above.
unsafe impl Sync for Event {}

impl Event {
    fn new(device: &Arc<Device>) -> Result<Self, Fault> {
        device.bind()?;
        let event = result::event::create(sys::CUevent_flags::CU_EVENT_DISABLE_TIMING)?;
        Ok(Self { device: Arc::clone(device), event })
    }

    /// Sets it behind what has been begun on a stream.
    fn set(&self, stream: &CudaStream) -> Result<(), Fault> {
        // SAFETY: the event and the stream are there.
        unsafe { result::event::record(self.event, stream.cu_stream())? };
        Ok(())
    }

    /// Whether the GPU has passed it.
    fn is_passed(&self) -> bool {
        // SAFETY: the event is there.
        self.device.bind().is_ok() && unsafe { result::event::query(self.event) }.is_ok()
    }

    /// Waits until it has.
    fn wait(&self) -> Result<(), Fault> {
        // SAFETY: as above.
        unsafe { result::event::synchronize(self.event)? };
        Ok(())
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        if self.device.bind().is_ok() {
            // SAFETY: nobody else has it.
            let _ = unsafe { result::event::destroy(self.event) };
        }
    }
}

/// When memory that was given back is idle.
#[derive(Default)]
pub(super) struct Marks {
    /// How many were set, and passed.
    set: u64,
    passed: u64,
    waiting: VecDeque<Event>,
}

/// What was set when something was given back.
pub(super) type Mark = u64;

impl Marks {
    /// That of what is given back now.
    pub(super) fn now(&self) -> Mark {
        self.set
    }

    /// Whether all that used what was given back then is done.
    pub(super) fn is_idle(&self, mark: Mark) -> bool {
        mark < self.passed
    }

    /// Sets one behind all that has been begun, and looks how far the GPU is.
    pub(super) fn set(&mut self, device: &Arc<Device>) -> Result<(), Fault> {
        while self.waiting.front().is_some_and(Event::is_passed) {
            self.pass();
        }
        let event = Event::new(device)?;
        event.set(&device.stream())?;
        self.waiting.push_back(event);
        self.set += 1;
        Ok(())
    }

    /// Waits until what was given back then is idle, if a mark was set since.
    pub(super) fn wait_for(&mut self, mark: Mark) -> Result<(), Fault> {
        while !self.is_idle(mark) {
            let Some(event) = self.waiting.front() else { return Ok(()) };
            event.wait()?;
            self.pass();
        }
        Ok(())
    }

    fn pass(&mut self) {
        self.waiting.pop_front();
        self.passed += 1;
    }
}

/// What large arrays go through.
#[derive(Default)]
pub(super) struct Transfer {
    ring: Mutex<Option<Ring>>,
}

struct Ring {
    stream: Arc<CudaStream>,
    pieces: Vec<Piece>,
    next: usize,
}

/// Page-locked memory, and when it has been copied.
struct Piece {
    memory: *mut u8,
    copied: Event,
}

// SAFETY: the memory is the piece's own.
unsafe impl Send for Piece {}

impl Drop for Piece {
    fn drop(&mut self) {
        let _ = self.copied.wait();
        // SAFETY: it was allocated, and nothing is copied from it any more.
        let _ = unsafe { result::free_host(self.memory.cast()) };
    }
}

impl Transfer {
    /// Copies to idle memory. What is begun from now on finds it there.
    pub(super) fn copy(&self, device: &Arc<Device>, to: u64, from: &[u8]) -> Result<(), Fault> {
        device.bind()?;
        let mut ring = self.ring.lock().unwrap_or_else(PoisonError::into_inner);
        let ring = match &mut *ring {
            Some(ring) => ring,
            none => none.insert(Ring::new(device)?),
        };
        ring.copy(&device.stream(), to, from)
    }
}

impl Ring {
    fn new(device: &Arc<Device>) -> Result<Self, Fault> {
        let piece = |_| {
            let copied = Event::new(device)?;
            // SAFETY: the context is the thread's.
            let memory = unsafe { result::malloc_host(PIECE, sys::CU_MEMHOSTALLOC_WRITECOMBINED)? };
            Ok(Piece { memory: memory.cast(), copied })
        };
        let pieces = (0..PIECES).map(piece).collect::<Result<_, Fault>>()?;
        Ok(Self { stream: device.beside()?, pieces, next: 0 })
    }

    fn copy(&mut self, order: &CudaStream, to: u64, from: &[u8]) -> Result<(), Fault> {
        let mut at = to;
        for part in from.chunks(PIECE) {
            let piece = &self.pieces[self.next];
            self.next = (self.next + 1) % PIECES;
            piece.copied.wait()?;
            // SAFETY: the piece has so many bytes, and nothing is copied from it; the caller has so many bytes at `to`. What is
            // begun on `order` from now on waits for them.
            unsafe {
                piece.memory.copy_from_nonoverlapping(part.as_ptr(), part.len());
                let part = std::slice::from_raw_parts(piece.memory, part.len());
                result::memcpy_htod_async(at, part, self.stream.cu_stream())?;
                piece.copied.set(&self.stream)?;
                let plain = sys::CUevent_wait_flags::CU_EVENT_WAIT_DEFAULT;
                result::stream::wait_event(order.cu_stream(), piece.copied.event, plain)?;
            }
            at += part.len() as u64;
        }
        Ok(())
    }
}
