//! The memory that a block of threads shares, and who has touched it since the last barrier.

use snekpy_stage::backend::BackendError;
use snekpy_stage::types::Type;

/// What a lane has added up.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Lane {
    Float(f64),
    Int(i128),
}

impl Lane {
    /// What changes no sum of values of this type.
    pub(super) const fn nothing(ty: Type) -> Self {
        match ty {
            Type::F64 => Self::Float(-0.0),
            Type::Bool
            | Type::I64
            | Type::Array(_)
            | Type::List(_)
            | Type::Map(_)
            | Type::Object(_)
            | Type::Tensor(_) => Self::Int(0),
        }
    }

    /// A result of the body.
    pub(super) fn like(self, bits: u64) -> Self {
        match self {
            Self::Float(_) => Self::Float(f64::from_bits(bits)),
            Self::Int(_) => Self::Int(i128::from(bits.cast_signed())),
        }
    }

    pub(super) fn plus(self, other: Self) -> Self {
        match (self, other) {
            (Self::Float(x), Self::Float(y)) => Self::Float(x + y),
            (Self::Int(x), Self::Int(y)) => Self::Int(x + y),
            (Self::Float(_), Self::Int(_)) | (Self::Int(_), Self::Float(_)) => {
                unreachable!("all lanes of a sum add values of one type")
            }
        }
    }
}

/// Shared memory.
pub(crate) struct Shared<T> {
    cells: Vec<Cell<T>>,
    /// How many barriers there have been.
    epoch: u64,
}

#[derive(Clone, Copy)]
struct Cell<T> {
    value: T,
    /// The last one to write, and when.
    writer: Option<(u64, u64)>,
    /// Some thread that has read it, and when; another one than the writer if there is one.
    reader: Option<(u64, u64)>,
}

impl<T: Copy> Shared<T> {
    pub(crate) fn new(len: usize, value: T) -> Self {
        Self { cells: vec![Cell { value, writer: None, reader: None }; len], epoch: 0 }
    }

    /// All threads have come to a barrier: what they did before is seen by all.
    pub(crate) fn barrier(&mut self) {
        self.epoch += 1;
    }

    pub(crate) fn read(&mut self, at: usize, thread: u64) -> Result<T, BackendError> {
        let epoch = self.epoch;
        let cell = &mut self.cells[at];
        let Some((writer, when)) = cell.writer else {
            return Err(BackendError(format!("simt: thread {thread} reads shared memory that nobody has written")));
        };
        if when == epoch && writer != thread {
            return Err(race(writer, "writes", thread, "reads", at));
        }
        if cell.reader.is_none_or(|(other, when)| when != epoch || other == thread) {
            cell.reader = Some((thread, epoch));
        }
        Ok(cell.value)
    }

    pub(crate) fn write(&mut self, at: usize, value: T, thread: u64) -> Result<(), BackendError> {
        let epoch = self.epoch;
        let cell = &mut self.cells[at];
        if let Some((other, when)) = cell.writer
            && when == epoch
            && other != thread
        {
            return Err(race(other, "writes", thread, "writes", at));
        }
        if let Some((other, when)) = cell.reader
            && when == epoch
            && other != thread
        {
            return Err(race(other, "reads", thread, "writes", at));
        }
        *cell = Cell { value, writer: Some((thread, epoch)), ..*cell };
        Ok(())
    }
}

fn race(first: u64, did: &str, second: u64, does: &str, at: usize) -> BackendError {
    BackendError(format!(
        "simt: a race: thread {first} {did} and thread {second} {does} cell {at} of shared memory with no barrier between"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: Lane = Lane::Float(1.0);

    fn shared() -> Shared<Lane> {
        let mut shared = Shared::new(2, ONE);
        shared.write(0, ONE, 0).expect("nobody else has touched it");
        shared
    }

    #[test]
    fn a_barrier_parts_a_write_and_a_read() {
        let mut it = shared();
        assert!(it.read(0, 1).is_err());
        it.barrier();
        assert_eq!(it.read(0, 1), Ok(ONE));
    }

    #[test]
    fn two_threads_do_not_write_one_cell_between_barriers() {
        let mut it = shared();
        assert!(it.write(0, ONE, 1).is_err());
        it.barrier();
        assert!(it.write(0, ONE, 1).is_ok());
    }

    #[test]
    fn nobody_writes_what_another_one_reads() {
        let mut it = shared();
        it.barrier();
        it.read(0, 0).expect("a barrier was between");
        it.read(0, 1).expect("a barrier was between");
        it.read(0, 0).expect("a barrier was between");
        assert!(it.write(0, ONE, 0).is_err() || it.write(0, ONE, 1).is_err());
    }

    #[test]
    fn what_nobody_has_written_is_not_read() {
        assert!(shared().read(1, 0).is_err());
    }
}
