//! The types of values.
//!
//! Tuples, objects and strings do not exist here: capture takes them apart. What is left is numbers
//! flat arrays of numbers that live in the host's memory, and lists of numbers that compiled code makes.

use std::fmt;

/// The type of an SSA value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Type {
    /// True or false.
    Bool,
    /// A signed integer of 64 bits.
    I64,
    /// An IEEE 754 double.
    F64,
    /// A flat, contiguous array in the host's memory.
    Array(ArrayType),
    /// A list of numbers that compiled code has made and may change the length of.
    List(Elem),
}

/// Element type and size of an array.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ArrayType {
    /// What one element is stored as.
    pub elem: Elem,
    /// The number of elements, where it is part of the type.
    pub len: Option<u64>,
}

/// How one element of an array is stored.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Elem {
    /// One byte, 0 or 1.
    Bool,
    /// Eight bytes, signed.
    I64,
    /// An IEEE 754 single; loads and stores convert from and to [`Type::F64`].
    F32,
    /// An IEEE 754 double.
    F64,
}

impl Elem {
    /// Every element type.
    pub const ALL: [Self; 4] = [Self::Bool, Self::I64, Self::F32, Self::F64];

    /// The type of a loaded element.
    pub const fn value_type(self) -> Type {
        match self {
            Self::Bool => Type::Bool,
            Self::I64 => Type::I64,
            Self::F32 | Self::F64 => Type::F64,
        }
    }

    /// Bytes of one element.
    pub const fn size(self) -> usize {
        match self {
            Self::Bool => 1,
            Self::F32 => 4,
            Self::I64 | Self::F64 => 8,
        }
    }

    /// The word in the textual IR.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::I64 => "i64",
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }
}

impl Type {
    /// Whether values of this type are single numbers or truth values.
    pub const fn is_scalar(self) -> bool {
        match self {
            Self::Bool | Self::I64 | Self::F64 => true,
            Self::Array(_) | Self::List(_) => false,
        }
    }

    /// Element type and size, if this is an array.
    pub const fn as_array(self) -> Option<ArrayType> {
        match self {
            Self::Array(array) => Some(array),
            Self::Bool | Self::I64 | Self::F64 | Self::List(_) => None,
        }
    }
}

/// `bool`, `i64`, `f64`, `[f64]` (size known at run time), `[f64; 64]`, `list(f64)`.
impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool => f.write_str("bool"),
            Self::I64 => f.write_str("i64"),
            Self::F64 => f.write_str("f64"),
            Self::List(elem) => write!(f, "list({})", elem.text()),
            Self::Array(ArrayType { elem, len: None }) => write!(f, "[{}]", elem.text()),
            Self::Array(ArrayType { elem, len: Some(len) }) => write!(f, "[{}; {len}]", elem.text()),
        }
    }
}
