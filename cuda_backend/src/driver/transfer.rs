//! Copies to and from a GPU beside what it computes.
//!
//! A large array goes to it through a ring of page-locked memory on a stream of its own, while kernels run that were begun
//! before; what is begun later waits for it on the device, and nobody here does. That is so where the memory it goes to is
//! *idle*: no work that was begun uses it. Memory that was given back becomes idle when the GPU has passed a [`Mark`] that was
//! set later.
//!
//! Elements come from it through another ring, on another stream, which waits for the work that was begun before and for none
//! that is begun later. Of several pieces one is copied here out of the ring while the next ones are copied into it.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use cudarc::driver::{CudaStream, result, sys};

use super::device::{Device, Fault};

/// Smaller arrays are copied by the driver as it likes, in the order of all work.
pub(super) const LARGE: usize = 256 << 10;
/// The bytes of a piece of the ring to the GPU, and of that from it, where all but the first are copied beside each other.
const PIECE: usize = 4 << 20;
const PIECE_BACK: usize = 1 << 20;
/// How many pieces a ring has.
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

    /// One behind all that has been begun on a device.
    pub(super) fn behind(device: &Arc<Device>) -> Result<Self, Fault> {
        let it = Self::new(device)?;
        it.set(&device.stream())?;
        Ok(it)
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

    /// Has what is begun on a stream from now on wait for it.
    fn hold(&self, stream: &CudaStream) -> Result<(), Fault> {
        let plain = sys::CUevent_wait_flags::CU_EVENT_WAIT_DEFAULT;
        // SAFETY: the event and the stream are there.
        unsafe { result::stream::wait_event(stream.cu_stream(), self.event, plain)? };
        Ok(())
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
        self.waiting.push_back(Event::behind(device)?);
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

/// What arrays go through.
#[derive(Default)]
pub(super) struct Transfer {
    there: Mutex<Option<Ring>>,
    back: Mutex<Option<Ring>>,
}

struct Ring {
    stream: Arc<CudaStream>,
    /// The bytes of a piece.
    size: usize,
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
        // SAFETY: it was allocated, and nothing is copied from it or to it any more.
        let _ = unsafe { result::free_host(self.memory.cast()) };
    }
}

impl Transfer {
    /// Copies to idle memory. What is begun from now on finds it there.
    pub(super) fn copy(&self, device: &Arc<Device>, to: u64, from: &[u8]) -> Result<(), Fault> {
        let make = || Ring::new(device, PIECE, sys::CU_MEMHOSTALLOC_WRITECOMBINED);
        with(&self.there, device, make, |ring| ring.copy(&device.stream(), to, from))
    }

    /// Copies from memory that is what it is to be once an event is passed.
    pub(super) fn read(&self, device: &Arc<Device>, ready: &Event, from: u64, to: &mut [u8]) -> Result<(), Fault> {
        with(&self.back, device, || Ring::new(device, PIECE_BACK, 0), |ring| ring.read(ready, from, to))
    }
}

/// Does something with a ring, which is made the first time.
fn with<T>(
    ring: &Mutex<Option<Ring>>,
    device: &Device,
    make: impl FnOnce() -> Result<Ring, Fault>,
    work: impl FnOnce(&mut Ring) -> Result<T, Fault>,
) -> Result<T, Fault> {
    device.bind()?;
    let mut ring = ring.lock().unwrap_or_else(PoisonError::into_inner);
    match &mut *ring {
        Some(ring) => work(ring),
        none => work(none.insert(make()?)),
    }
}

impl Ring {
    fn new(device: &Arc<Device>, size: usize, flags: u32) -> Result<Self, Fault> {
        let piece = |_| {
            let copied = Event::new(device)?;
            // SAFETY: the context is the thread's.
            let memory = unsafe { result::malloc_host(size, flags)? };
            Ok(Piece { memory: memory.cast(), copied })
        };
        let pieces = (0..PIECES).map(piece).collect::<Result<_, Fault>>()?;
        Ok(Self { stream: device.beside()?, size, pieces, next: 0 })
    }

    fn copy(&mut self, order: &CudaStream, to: u64, from: &[u8]) -> Result<(), Fault> {
        let mut at = to;
        for part in from.chunks(self.size) {
            let piece = &self.pieces[self.next];
            self.next = (self.next + 1) % PIECES;
            piece.copied.wait()?;
            // SAFETY: the piece has so many bytes, and nothing is copied from it; the caller has so many bytes at `to`. What is
            // begun on `order` from now on waits for them.
            unsafe {
                piece.memory.copy_from_nonoverlapping(part.as_ptr(), part.len());
                let part = std::slice::from_raw_parts(piece.memory, part.len());
                result::memcpy_htod_async(at, part, self.stream.cu_stream())?;
            }
            piece.copied.set(&self.stream)?;
            piece.copied.hold(order)?;
            at += part.len() as u64;
        }
        Ok(())
    }

    fn read(&self, ready: &Event, from: u64, to: &mut [u8]) -> Result<(), Fault> {
        let bytes = to.len();
        let parts: Vec<Range<usize>> = parts(bytes, self.size).collect();
        let piece = |at: usize| &self.pieces[at % PIECES];
        ready.hold(&self.stream)?;
        let mut copying = None;
        in_turn(
            parts.len(),
            PIECES,
            |at| {
                let (piece, part) = (piece(at), &parts[at]);
                // SAFETY: the piece has so many bytes, and nobody looks at them before they are there; the caller has so many at
                // `from`.
                unsafe {
                    let room = std::slice::from_raw_parts_mut(piece.memory, part.len());
                    result::memcpy_dtoh_async(room, from + part.start as u64, self.stream.cu_stream())?;
                }
                piece.copied.set(&self.stream)
            },
            |at| {
                if at == 0 {
                    let _span = tracing::debug_span!("wait for the device").entered();
                    ready.wait()?;
                }
                copying.get_or_insert_with(|| tracing::debug_span!("copy from the device", bytes).entered());
                piece(at).copied.wait()?;
                let part = &mut to[parts[at].clone()];
                // SAFETY: so many bytes have been copied to the piece, and nothing more is before this part has ended.
                part.copy_from_slice(unsafe { std::slice::from_raw_parts(piece(at).memory, part.len()) });
                Ok(())
            },
        )
    }
}

/// Parts of so many bytes at most.
fn parts(bytes: usize, size: usize) -> impl Iterator<Item = Range<usize>> {
    (0..bytes).step_by(size).map(move |first| first..bytes.min(first + size))
}

/// Begins and ends so many parts, both in order. There is room for some of them between the two.
fn in_turn<E>(
    count: usize,
    room: usize,
    mut begin: impl FnMut(usize) -> Result<(), E>,
    mut end: impl FnMut(usize) -> Result<(), E>,
) -> Result<(), E> {
    for at in 0..count + room {
        if let Some(before) = at.checked_sub(room).filter(|&it| it < count) {
            end(before)?;
        }
        if at < count {
            begin(at)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[test]
    fn parts_are_all_of_it_in_order() {
        assert_eq!(parts(0, 4).count(), 0);
        assert_eq!(parts(4, 4).collect::<Vec<_>>(), vec![0..4]);
        assert_eq!(parts(9, 4).collect::<Vec<_>>(), vec![0..4, 4..8, 8..9]);
    }

    /// What has been begun and ended: a part, and whether it ends.
    fn turns(count: usize, room: usize) -> Vec<(usize, bool)> {
        let told = RefCell::new(Vec::new());
        let tell = |ends| {
            let told = &told;
            move |at| {
                told.borrow_mut().push((at, ends));
                Ok::<(), ()>(())
            }
        };
        in_turn(count, room, tell(false), tell(true)).expect("nothing fails");
        told.into_inner()
    }

    #[test]
    fn each_part_ends_once_before_its_room_is_taken_again() {
        for (count, room) in [(0, 4), (1, 4), (3, 4), (4, 4), (5, 4), (23, 4), (3, 1)] {
            let told = turns(count, room);
            let of = |ends| told.iter().filter(move |it| it.1 == ends).map(|it| it.0).collect::<Vec<_>>();
            assert_eq!((of(false), of(true)), ((0..count).collect(), (0..count).collect()));
            let place = |it: (usize, bool)| told.iter().position(|told| *told == it).expect("it was told");
            for at in 0..count {
                assert!(place((at, false)) < place((at, true)));
                assert!(at < room || place((at - room, true)) < place((at, false)));
                // The next ones are on their way while this one is copied.
                assert!(at + 1 == count || room == 1 || place((at + 1, false)) < place((at, true)));
            }
        }
    }

    #[test]
    fn nothing_is_begun_behind_what_failed() {
        let mut begun = 0;
        let ended = in_turn(
            9,
            2,
            |_| {
                begun += 1;
                Ok(())
            },
            |at| if at == 1 { Err("part 1") } else { Ok(()) },
        );
        assert_eq!((ended, begun), (Err("part 1"), 3));
    }
}
