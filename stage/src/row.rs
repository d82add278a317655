//! Rows: the numbers in attributes of objects of the host, where compiled code reads and writes them itself.
//!
//! A function of the host that reads an attribute of an object, assigns it, or asks whether the object has it may say
//! which *column* that is. The host may then keep the numbers of an object in a row, and say for each handle where that is
//! ([`Context::rows`](crate::backend::Context::rows)). Where the row says that the number is there, compiled code does
//! not call the function: it reads the number, or writes it and leaves the rest to the host. A row begins with words of
//! bits, one bit for each column, and then has a number for each column.

use std::fmt;

use crate::types::Type;

/// What a function of the host does with a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Does {
    /// Gives whether it could, and the number. It is given the object.
    Reads,
    /// Gives whether it could. It is given the number and the object.
    Writes,
    /// Gives whether the object itself has no such attribute. It is given the object.
    Asks,
}

/// A column, and what is done with it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Column {
    /// Its number.
    pub index: u32,
    /// What a function of the host does with it.
    pub does: Does,
}

/// There are no more columns: a word has a bit for each.
pub const MOST: u32 = u64::BITS;
/// The word of the columns that the program has changed since the host wrote them to the object. Before it are those of
/// the columns that are truth values, ints and floats.
pub const CHANGED: usize = 3;
/// The word of the columns of which the object itself has no attribute.
pub const ABSENT: usize = 4;
/// The word of the columns that may be changed: where the column is a number of the type that is written.
pub const OPEN: usize = 5;
/// Where the numbers begin.
pub const NUMBERS: usize = 6;

/// The word of the columns that are numbers of this type; `None` if rows have none.
pub const fn word(ty: Type) -> Option<usize> {
    match ty {
        Type::Bool => Some(0),
        Type::I64 => Some(1),
        Type::F64 => Some(2),
        Type::Array(_) | Type::List(_) | Type::Map(_) | Type::Object(_) | Type::Tensor(_) => None,
    }
}

impl Does {
    /// Each of them.
    pub const ALL: [Self; 3] = [Self::Reads, Self::Writes, Self::Asks];

    /// As in the text form.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Reads => "reads",
            Self::Writes => "writes",
            Self::Asks => "asks",
        }
    }
}

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.does.word(), self.index)
    }
}
