//! Why an operation has no result. Each error says which exception of Python it is.

use std::fmt;

/// The result of an operation that can fail.
pub type Result<T> = std::result::Result<T, TensorError>;

/// Why an operation has no result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TensorError {
    /// Shapes or values that do not go together: a ValueError.
    Value(String),
    /// A position that does not exist: an IndexError.
    Index(String),
    /// Elements that the operation is not defined for: a TypeError.
    Type(String),
    /// An axis that does not exist: an AxisError, which is a ValueError and an IndexError.
    Axis(String),
    /// Memory could not be had: a MemoryError.
    Memory(String),
}

impl TensorError {
    /// The class of the exception that it is.
    pub const fn class_name(&self) -> &'static str {
        match self {
            Self::Value(_) => "ValueError",
            Self::Index(_) => "IndexError",
            Self::Type(_) => "TypeError",
            Self::Axis(_) => "AxisError",
            Self::Memory(_) => "MemoryError",
        }
    }

    /// The operation is not defined for these elements.
    pub(crate) fn undefined(what: &str, dtype: crate::tensor::Dtype) -> Self {
        Self::Type(format!("`{what}` is not defined for {}", dtype.name()))
    }
}

impl fmt::Display for TensorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(text) | Self::Index(text) | Self::Type(text) | Self::Axis(text) | Self::Memory(text) => {
                f.write_str(text)
            }
        }
    }
}

impl std::error::Error for TensorError {}
