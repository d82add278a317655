//! Kernels of one block: what each of their parts does, by the same threads, and who touches which memory between barriers.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use snekpy_stage::backend::BackendError;
use snekpy_stage::tensor::device::together::{Part, PartRun, TogetherCode, threads};

use super::Simt;
use super::sweep::{InBlock, launch};

impl Simt {
    /// The code of several kernels as one.
    pub fn together(&self, parts: &[Part]) -> Arc<dyn TogetherCode> {
        Arc::new(Simulated { parts: parts.to_vec(), options: *self })
    }
}

struct Simulated {
    parts: Vec<Part>,
    options: Simt,
}

impl TogetherCode for Simulated {
    unsafe fn run(&self, rounds: &[Vec<PartRun>]) -> Result<(), BackendError> {
        let touched = RefCell::default();
        let block = InBlock { threads: threads(&self.parts), touched: &touched };
        for round in rounds {
            for (part, given) in self.parts.iter().zip(round) {
                let product = part.product.zip(given.product);
                launch(&part.sweep, &self.options, &given.run, Some(block), product)?;
                if self.options.barriers {
                    touched.borrow_mut().barrier();
                }
            }
        }
        Ok(())
    }
}

/// Which elements in the memory of a device the threads of a block have touched since they met at a barrier.
#[derive(Default)]
pub(super) struct Touched(HashMap<u64, Touch>);

#[derive(Clone, Copy, Default)]
struct Touch {
    writer: Option<u64>,
    /// Some thread that has read it; another one than the writer-to-be if there is one.
    readers: [Option<u64>; 2],
}

impl Touched {
    /// All threads have come to a barrier: what they did before is seen by all.
    pub(super) fn barrier(&mut self) {
        self.0.clear();
    }

    pub(super) fn read(&mut self, address: u64, thread: u64) -> Result<(), BackendError> {
        let touch = self.0.entry(address).or_default();
        if let Some(writer) = touch.writer.filter(|it| *it != thread) {
            return Err(race(writer, "writes", thread, "reads", address));
        }
        match touch.readers {
            [None, _] => touch.readers[0] = Some(thread),
            [Some(first), None] if first != thread => touch.readers[1] = Some(thread),
            _ => {}
        }
        Ok(())
    }

    pub(super) fn write(&mut self, address: u64, thread: u64) -> Result<(), BackendError> {
        let touch = self.0.entry(address).or_default();
        if let Some(writer) = touch.writer.filter(|it| *it != thread) {
            return Err(race(writer, "writes", thread, "writes", address));
        }
        if let Some(reader) = touch.readers.into_iter().flatten().find(|it| *it != thread) {
            return Err(race(reader, "reads", thread, "writes", address));
        }
        touch.writer = Some(thread);
        Ok(())
    }
}

fn race(first: u64, did: &str, second: u64, does: &str, address: u64) -> BackendError {
    BackendError(format!(
        "simt: a race: thread {first} {did} and thread {second} {does} the element at {address:#x} with no barrier between"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_barrier_parts_a_write_and_a_read() {
        let mut it = Touched::default();
        assert!(it.write(8, 0).is_ok() && it.read(8, 0).is_ok() && it.read(16, 1).is_ok());
        assert!(it.read(8, 1).is_err() && it.write(8, 1).is_err());
        it.barrier();
        assert!(it.read(8, 1).is_ok());
    }

    #[test]
    fn nobody_writes_what_another_one_reads() {
        let mut it = Touched::default();
        assert!([0, 0, 1, 2].into_iter().all(|thread| it.read(8, thread).is_ok()));
        assert!(it.write(8, 0).is_err() && it.write(8, 2).is_err());
        it.barrier();
        assert!(it.read(8, 1).is_ok() && it.write(8, 1).is_ok());
    }
}
