//! Elements of a device that are in this machine's memory before anybody asks for them.
//!
//! Of iterations that were begun ahead ([`super::chain`]) all numbers are copied at once, when the first of them is asked for. What
//! is computed with such a number, and is one as well (`loss > tolerance`), is computed here, with the same bits.

use std::cell::Cell;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};

use super::later::{Due, Operand, Work};
use super::sweep::{self, Job};
use super::{Block, Device};

/// No more operations are computed here, one of what another gives.
const DEEPEST: usize = 8;

thread_local! {
    static READS: Cell<u64> = const { Cell::new(0) };
}

/// How often this thread has asked for elements.
pub(super) fn reads() -> u64 {
    READS.get()
}

/// Numbers that are copied at once.
pub(super) struct Batch {
    device: Arc<dyn Device>,
    /// Where they are on the device.
    first: u64,
    bytes: usize,
    /// What is to be begun while they are waited for.
    meanwhile: Box<dyn Fn() + Send + Sync>,
    /// They, once they are here; nothing if that cannot be.
    here: OnceLock<Option<Vec<u8>>>,
}

/// One of them.
#[derive(Clone)]
pub(super) struct Early {
    pub(super) batch: Arc<Batch>,
    /// How many bytes it is from the first.
    pub(super) at: usize,
}

impl Batch {
    /// So many bytes from an address on, which have been begun.
    pub(super) fn new(
        device: &Arc<dyn Device>,
        first: u64,
        bytes: usize,
        meanwhile: impl Fn() + Send + Sync + 'static,
    ) -> Arc<Self> {
        let (device, meanwhile) = (Arc::clone(device), Box::new(meanwhile));
        Arc::new(Self { device, first, bytes, meanwhile, here: OnceLock::new() })
    }

    /// Their memory gets others: what is not here now will not be.
    pub(super) fn close(&self) {
        let _ = self.here.set(None);
    }

    fn bits(&self, at: usize, size: usize) -> Option<u64> {
        let copied = || {
            let mut to = vec![0; self.bytes];
            let done = self.device.download(self.first, &mut to, &mut || (self.meanwhile)());
            done.is_ok().then_some(to)
        };
        word(self.here.get_or_init(copied).as_ref()?.get(at..at + size)?)
    }
}

fn word(bytes: &[u8]) -> Option<u64> {
    let mut word = [0; 8];
    word.get_mut(..bytes.len())?.copy_from_slice(bytes);
    Some(u64::from_le_bytes(word))
}

/// Elements of some memory are asked for: where they are all of it, and one, and nobody need be waited for, they are written.
pub(super) fn written(block: &Block, to: &mut [u8]) -> bool {
    READS.set(READS.get().wrapping_add(1));
    let found = if to.len() == block.bytes { known(block, 0) } else { None };
    if let Some(bits) = found {
        to.copy_from_slice(&bits.to_le_bytes()[..to.len()]);
    }
    found.is_some()
}

fn known(block: &Block, depth: usize) -> Option<u64> {
    if block.bytes > 8 || block.bytes == 0 || depth > DEEPEST {
        return None;
    }
    if block.fresh.load(Ordering::Acquire) {
        let here = block.here.get()?;
        // SAFETY: it has so many bytes, which are there.
        return word(unsafe { std::slice::from_raw_parts(here.data(), block.bytes) });
    }
    match block.due() {
        Some(due) => computed(&due, block.bytes, depth),
        None => {
            let Early { batch, at } = block.early()?;
            batch.bits(at, block.bytes)
        }
    }
}

/// What is due, if it is one element made of such by what has the same bits everywhere.
fn computed(due: &Due, bytes: usize, depth: usize) -> Option<u64> {
    let Work::Job(job) = due.work else { return None };
    if !due.is_simple() || !due.is_cheap() || due.dtype.size() != bytes {
        return None;
    }
    let operand = |operand: &Operand| match operand {
        Operand::Number(dtype, bits) => Some((*dtype, *bits)),
        Operand::View(x) => {
            let block = x.buf().block().filter(|it| it.bytes == x.dtype().size())?;
            Some((x.dtype(), known(block, depth + 1)?))
        }
    };
    let (takes, args): (Vec<_>, Vec<_>) =
        due.operands.iter().map(operand).collect::<Option<Vec<_>>>()?.into_iter().unzip();
    if job == Job::Copy { args.first().copied() } else { sweep::element(job, &takes, due.dtype, &args) }
}
