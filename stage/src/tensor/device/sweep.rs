//! Several operations as one kernel.
//!
//! A [`Sweep`] goes over an index space once. For each position it reads what it needs of its inputs, computes its members
//! and writes those that are outputs, dense but for one alone. There are two kinds. A *flat* one computes each position by itself. One over
//! *rows* has two axes; it may fold rows, and what was folded is a value of the row that its positions use again: a maximum,
//! what is left when it is taken away, the sum of that, a quotient.
//!
//! Elements are computed in their own dtype, as the functions of this module's parent define them, and folds add in the order
//! that [`reduce`](crate::tensor::reduce) defines for runs: a team of [`LANES`] threads has a block of [`BLOCK`]
//! elements, whose sums are then joined pairwise. So the bits are those of this machine, but for functions of real numbers
//! that a device has of its own (doubles, and `cbrt`, powers and angles of singles).

use super::Product;
use crate::backend::BackendError;
use crate::tensor::Dtype;
use crate::tensor::elementwise::{Bits1, Bits2, Cmp, Num1, Num2, Real1, Real2, Test1};
use crate::tensor::op::TensorOp;
#[cfg(doc)]
use crate::tensor::philox;
use crate::tensor::reduce::{BLOCK, Fold, LANES};

/// What is computed for each element.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Job {
    /// The element.
    Copy,
    /// It as another dtype.
    Cast,
    /// See [`TensorOp::Num1`].
    Num1(Num1),
    /// See [`TensorOp::Real1`].
    Real1(Real1),
    /// See [`TensorOp::Bits1`].
    Bits1(Bits1),
    /// See [`TensorOp::Test1`].
    Test1(Test1),
    /// See [`TensorOp::Num2`].
    Num2(Num2),
    /// See [`TensorOp::Real2`].
    Real2(Real2),
    /// See [`TensorOp::Bits2`].
    Bits2(Bits2),
    /// See [`TensorOp::Compare`].
    Compare(Cmp),
    /// See [`TensorOp::Select`].
    Select,
    /// The element so far from that of the first operand, a table, as the others say: for each axis positions, which count
    /// from the end if they are negative, its size, and its step.
    Gather,
    /// Zero, to which the last operand is added where the first one, a position as those of [`Job::Gather`], is that along an
    /// axis.
    AddAt(Axis),
    /// The element of a table: of the last one whose first position along an axis is not behind. The tables are every other
    /// operand, and but for the first one that position is before it. They are read as if all began at position 0.
    Concat(Axis),
    /// The element of the first operand where it lies in a triangle of the last two axes, and zero elsewhere: not above, or
    /// below, the diagonal that is so many places above the main one as the other operand, a number, says.
    Triangle {
        /// The last axis but one.
        rows: Axis,
        /// The last axis.
        columns: Axis,
        /// Whether what is above is zero.
        lower: bool,
    },
    /// The word of [`philox`] at the position, for the key that is the operand.
    Bits {
        /// Which stream.
        stream: u32,
    },
    /// A row to one element.
    Fold(Fold),
    /// A row to the position of its first greatest, or least, element; the first NaN, if there is one.
    Arg {
        /// Whether the greatest.
        greatest: bool,
    },
}

impl Job {
    /// The job of an operation that computes each element by itself, if devices have it. What an operation writes to is none
    /// of the operands.
    pub(super) fn of(op: &TensorOp, takes: &[Dtype]) -> Option<Self> {
        Some(match op {
            TensorOp::Copy => Self::Copy,
            TensorOp::Cast(to) if takes == [*to] => Self::Copy,
            TensorOp::Cast(_) => Self::Cast,
            TensorOp::Num1(op) => Self::Num1(*op),
            TensorOp::Real1(op) => Self::Real1(*op),
            TensorOp::Bits1(op) => Self::Bits1(*op),
            TensorOp::Test1(op) => Self::Test1(*op),
            TensorOp::Num2(op) | TensorOp::Num2Into(op) => Self::Num2(*op),
            TensorOp::Real2(op) | TensorOp::Real2Into(op) => Self::Real2(*op),
            TensorOp::Bits2(op) => Self::Bits2(*op),
            TensorOp::Compare(op) => Self::Compare(*op),
            TensorOp::Select => Self::Select,
            TensorOp::Assign if takes.len() == 2 && takes[0] == takes[1] => Self::Copy,
            TensorOp::Assign => Self::Cast,
            _ => return None,
        })
    }

    /// The operation on elements that gives this dtype.
    const fn op(self, gives: Dtype) -> Option<TensorOp> {
        Some(match self {
            Self::Copy => TensorOp::Copy,
            Self::Cast => TensorOp::Cast(gives),
            Self::Num1(op) => TensorOp::Num1(op),
            Self::Real1(op) => TensorOp::Real1(op),
            Self::Bits1(op) => TensorOp::Bits1(op),
            Self::Test1(op) => TensorOp::Test1(op),
            Self::Num2(op) => TensorOp::Num2(op),
            Self::Real2(op) => TensorOp::Real2(op),
            Self::Bits2(op) => TensorOp::Bits2(op),
            Self::Compare(op) => TensorOp::Compare(op),
            Self::Select => TensorOp::Select,
            Self::Gather
            | Self::AddAt(_)
            | Self::Concat(_)
            | Self::Triangle { .. }
            | Self::Bits { .. }
            | Self::Fold(_)
            | Self::Arg { .. } => return None,
        })
    }

    /// Whether an operand is a table: memory that is read at other places than that of the position.
    pub const fn has_table(self, operand: usize) -> bool {
        match self {
            Self::Gather => operand == 0,
            Self::Concat(_) => operand.is_multiple_of(2),
            _ => false,
        }
    }

    /// Whether it needs to know more than elements: where they are.
    pub const fn needs_position(self) -> bool {
        matches!(self, Self::Gather | Self::AddAt(_) | Self::Concat(_) | Self::Triangle { .. } | Self::Bits { .. })
    }

    /// What it is called, where it gives this.
    pub fn word(self, gives: Dtype) -> String {
        match self {
            Self::Gather => "gather".to_owned(),
            Self::AddAt(_) => "add_at".to_owned(),
            Self::Concat(_) => "concat".to_owned(),
            Self::Triangle { .. } => "triangle".to_owned(),
            Self::Bits { .. } => "bits".to_owned(),
            Self::Fold(fold) => fold.text().to_owned(),
            Self::Arg { greatest } => if greatest { "argmax" } else { "argmin" }.to_owned(),
            _ => self.op(gives).map_or_else(String::new, |op| op.to_string()),
        }
    }

    /// Whether it makes one element of a row.
    pub const fn folds(self) -> bool {
        matches!(self, Self::Fold(_) | Self::Arg { .. })
    }
}

/// An axis of what a job gives, as positions are counted there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Axis {
    /// How many positions there are for one step along it.
    pub step: u64,
    /// Its size.
    pub size: u64,
}

impl Axis {
    /// An axis of a shape.
    pub fn of(dims: &[usize], along: usize) -> Self {
        Self { step: dims[along + 1..].iter().product::<usize>() as u64, size: dims[along] as u64 }
    }

    /// Where along it a position is.
    pub const fn at(self, position: u64) -> u64 {
        position / self.step % self.size
    }
}

/// What a value belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Level {
    /// Each position.
    Each,
    /// Each row: all positions of it share the value.
    Row,
}

/// How elements of an input are found.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Access {
    /// It is one number, which is passed.
    Number,
    /// By a step for each axis, of which the last one is 1 and not passed.
    Unit,
    /// By a step for each axis. Of a row, for the axis of rows alone.
    Steps,
}

/// An input.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Input {
    /// What the elements are.
    pub dtype: Dtype,
    /// What an element belongs to. Numbers belong to rows.
    pub level: Level,
    /// How they are found.
    pub access: Access,
}

/// A value of a sweep.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    /// The input of this number.
    Input(u16),
    /// The member of this number.
    Member(u16),
}

/// An operation.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Member {
    /// What it does.
    pub job: Job,
    /// What it gives.
    pub dtype: Dtype,
    /// What the result belongs to.
    pub level: Level,
    /// The operands, which come before it.
    pub args: Vec<Value>,
}

/// One kernel for several operations.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Sweep {
    /// How many axes the index space has: 1 to 3, and 2 if it is over rows.
    pub rank: usize,
    /// How many elements rows have, if it is over rows; at most [`MOST_LEN`], and one at least.
    pub len: Option<usize>,
    /// What is read.
    pub inputs: Vec<Input>,
    /// What is computed, in order.
    pub members: Vec<Member>,
    /// The members that are written.
    pub outputs: Vec<u16>,
    /// Whether an output is the memory of an input, at the same positions.
    pub in_place: bool,
    /// Whether the only output is not dense: behind its address a step for each axis is passed. Such a sweep is flat.
    pub strided: bool,
}

/// Rows are not longer: each thread keeps what it has of one.
pub const MOST_LEN: usize = 32 * BLOCK;

/// Threads that execute together.
const WARP: usize = 32;
/// Threads of a block whose teams have rows of their own; and where each thread has more than [`FEW`] elements, so that
/// blocks which a multiprocessor has room for differ less from what it has room for.
const THREADS: usize = 256;
const THREADS_OF_MANY: usize = 128;
const FEW: usize = 32;

/// How threads share rows of a length.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Teams {
    /// How many teams have a row, each a block of it.
    pub per_row: usize,
    /// How many elements a thread has.
    pub per_thread: usize,
    /// How many threads a block of them has.
    pub threads: usize,
    /// How many rows they have.
    pub rows: usize,
}

impl Teams {
    /// For rows of this length.
    pub fn of(len: usize) -> Self {
        let (per_row, per_thread) = (len.div_ceil(BLOCK), len.min(BLOCK).div_ceil(LANES));
        let threads = if per_thread > FEW { THREADS_OF_MANY } else { THREADS };
        match per_row {
            1 => Self { per_row, per_thread, threads, rows: threads / LANES },
            _ => Self { per_row, per_thread, threads: (per_row * LANES).next_multiple_of(WARP), rows: 1 },
        }
    }

    /// The same where a block has more threads: those that have no part of a row have none of its elements.
    pub fn in_block(len: usize, threads: usize) -> Self {
        let it = Self::of(len);
        Self { threads, rows: if it.per_row == 1 { threads / LANES } else { 1 }, ..it }
    }

    /// Whether every thread has an element at this number, in rows of this length.
    pub fn is_full(self, number: usize, len: usize) -> bool {
        let last = self.threads / LANES / self.rows - 1;
        last * BLOCK + (number + 1) * LANES <= len
    }
}

impl Sweep {
    /// What it does, in order.
    pub fn words(&self) -> String {
        self.members.iter().map(|it| it.job.word(it.dtype)).collect::<Vec<String>>().join(", ")
    }

    /// What a value is.
    pub fn dtype(&self, value: Value) -> Dtype {
        match value {
            Value::Input(at) => self.inputs[usize::from(at)].dtype,
            Value::Member(at) => self.members[usize::from(at)].dtype,
        }
    }

    /// What a value belongs to.
    pub fn level(&self, value: Value) -> Level {
        match value {
            Value::Input(at) => self.inputs[usize::from(at)].level,
            Value::Member(at) => self.members[usize::from(at)].level,
        }
    }

    /// How many steps an input is passed with.
    pub fn steps(&self, input: &Input) -> usize {
        match (input.access, input.level) {
            (Access::Number, _) => 0,
            (Access::Unit, _) => self.rank - 1,
            (Access::Steps, Level::Each) => self.rank,
            (Access::Steps, Level::Row) => 1,
        }
    }
}

/// What an input is.
#[derive(Clone, Debug)]
pub enum Given {
    /// The bits of an element.
    Number(u64),
    /// Elements in the memory of the device.
    Memory {
        /// Where the first one is.
        first: u64,
        /// How far the next one is, in elements, along each axis that a step is passed for.
        steps: Vec<i64>,
        /// The memory that they all lie in, from its first byte to behind its last.
        inside: (u64, u64),
    },
}

/// What a sweep is run on.
#[derive(Clone, Debug)]
pub struct Run {
    /// The extent of each axis, none of them zero.
    pub dims: Vec<usize>,
    /// The inputs.
    pub inputs: Vec<Given>,
    /// Where the outputs go: as many elements as there are positions, or rows.
    pub outputs: Vec<u64>,
    /// How far the next element of the output is along each axis, if it is not dense.
    pub to_steps: Vec<i64>,
}

impl Run {
    /// For a product by itself, whose memory is looked for elsewhere.
    pub(super) fn of_product(product: &Product) -> Self {
        let memory = Given::Memory { first: product.to, steps: Vec::new(), inside: (product.to, product.to) };
        Self {
            dims: vec![product.m * product.n],
            inputs: vec![memory],
            outputs: vec![product.to],
            to_steps: Vec::new(),
        }
    }

    /// How many rows there are, or elements if the sweep has none, and the kernel's parameters, a word each. The first axis is
    /// of rows, or its extent is not passed.
    pub fn params(&self, has_rows: bool) -> (usize, Vec<u64>) {
        let (count, extents) = match has_rows {
            true => (self.dims[0], &[][..]),
            false => (self.dims.iter().product(), &self.dims[1..]),
        };
        let mut words = vec![count as u64];
        words.extend(extents.iter().map(|&it| it as u64));
        for input in &self.inputs {
            match input {
                Given::Number(bits) => words.push(*bits),
                Given::Memory { first, steps, .. } => {
                    words.push(*first);
                    words.extend(steps.iter().map(|it| it.cast_unsigned()));
                }
            }
        }
        words.extend(&self.outputs);
        words.extend(self.to_steps.iter().map(|it| it.cast_unsigned()));
        (count, words)
    }
}

/// The code of a sweep.
pub trait SweepCode: Send + Sync {
    /// Begins it. What was begun before is done before.
    ///
    /// # Errors
    /// A [`BackendError`] when the machine cannot.
    ///
    /// # Safety
    /// The inputs and outputs are those of the sweep, and lie in the memory of the device that the code is for.
    unsafe fn run(&self, run: &Run) -> Result<(), BackendError>;
}

/// What a job that is no fold makes of elements, on this machine: their bits are the low ones of the words.
pub fn element(job: Job, takes: &[Dtype], gives: Dtype, args: &[u64]) -> Option<u64> {
    crate::tensor::fused::one_element(&job.op(gives)?, takes, args)
}

/// Whether there is a rule for a job on operands of these dtypes.
pub fn is_defined(job: Job, takes: &[Dtype], gives: Dtype) -> bool {
    job.op(gives).is_some_and(|op| crate::tensor::fused::has_element(&op, takes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_of_a_row_has_one_thread() {
        for len in [1, 7, 16, 17, 100, 1023, 1024, 1025, 2048, 3000, 8192, 8193, MOST_LEN] {
            let it = Teams::of(len);
            assert!(it.threads.is_multiple_of(WARP) && it.threads <= 1024);
            let mut seen = vec![0; len];
            for team in 0..it.threads / LANES / it.rows {
                for number in 0..it.per_thread {
                    for lane in 0..LANES {
                        let at = team * BLOCK + number * LANES + lane;
                        assert!(at < len || !it.is_full(number, len));
                        if at < len {
                            seen[at] += 1;
                        }
                    }
                }
            }
            assert!(seen.iter().all(|it| *it == 1), "{len}");
        }
    }
}
