//! What the elements of a tensor are.

use std::fmt;

use crate::types::Elem;

/// The type of an element. Closed: a new one does not build until every match has answered for it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Dtype {
    /// One byte, 0 or 1.
    Bool,
    /// A signed integer of 32 bits.
    I32,
    /// A signed integer of 64 bits.
    I64,
    /// IEEE 754 half precision.
    F16,
    /// The upper half of a single.
    Bf16,
    /// IEEE 754 single precision.
    F32,
    /// IEEE 754 double precision.
    F64,
}

/// What kind of number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// Truth values.
    Bool,
    /// Signed integers.
    Int,
    /// Floating point.
    Float,
}

impl Dtype {
    /// All of them.
    pub const ALL: [Self; 7] = [Self::Bool, Self::I32, Self::I64, Self::F16, Self::Bf16, Self::F32, Self::F64];

    /// Bytes of one element; also its alignment.
    pub const fn size(self) -> usize {
        match self {
            Self::Bool => 1,
            Self::F16 | Self::Bf16 => 2,
            Self::I32 | Self::F32 => 4,
            Self::I64 | Self::F64 => 8,
        }
    }

    /// The word in the textual IR.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }

    /// The name that Python programs use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::I32 => "int32",
            Self::I64 => "int64",
            Self::F16 => "float16",
            Self::Bf16 => "bfloat16",
            Self::F32 => "float32",
            Self::F64 => "float64",
        }
    }

    /// The dtype of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }

    /// How compiled code stores elements of it.
    pub const fn elem(self) -> Elem {
        match self {
            Self::Bool => Elem::Bool,
            Self::I32 => Elem::I32,
            Self::I64 => Elem::I64,
            Self::F16 => Elem::F16,
            Self::Bf16 => Elem::Bf16,
            Self::F32 => Elem::F32,
            Self::F64 => Elem::F64,
        }
    }

    /// The dtype of elements that are stored like this.
    pub const fn from_elem(elem: Elem) -> Self {
        match elem {
            Elem::Bool => Self::Bool,
            Elem::I32 => Self::I32,
            Elem::I64 => Self::I64,
            Elem::F16 => Self::F16,
            Elem::Bf16 => Self::Bf16,
            Elem::F32 => Self::F32,
            Elem::F64 => Self::F64,
        }
    }

    /// What kind of number it is.
    pub const fn kind(self) -> Kind {
        match self {
            Self::Bool => Kind::Bool,
            Self::I32 | Self::I64 => Kind::Int,
            Self::F16 | Self::Bf16 | Self::F32 | Self::F64 => Kind::Float,
        }
    }

    /// Whether elements are floating point.
    pub const fn is_float(self) -> bool {
        matches!(self.kind(), Kind::Float)
    }

    /// The least dtype that holds what both hold. Where none of the two kinds does, a double.
    pub const fn promote(self, other: Self) -> Self {
        use Dtype::{Bf16, Bool, F16, F32, F64, I32, I64};
        match (self, other) {
            (Bool, it) | (it, Bool) => it,
            (I32, I32) => I32,
            (I32 | I64, I64) | (I64, I32) => I64,
            (F16, F16) => F16,
            (Bf16, Bf16) => Bf16,
            (F16 | Bf16, F32) | (F32, F16 | Bf16 | F32) | (F16, Bf16) | (Bf16, F16) => F32,
            (F64, _) | (_, F64) | (I32 | I64, F16 | Bf16 | F32) | (F16 | Bf16 | F32, I32 | I64) => F64,
        }
    }
}

/// The word in the textual IR.
impl fmt::Display for Dtype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn promotion_is_symmetric_idempotent_and_never_narrows() {
        for a in Dtype::ALL {
            assert_eq!(a.promote(a), a);
            assert_eq!(Dtype::from_name(a.name()), Some(a));
            for b in Dtype::ALL {
                let both = a.promote(b);
                assert_eq!(both, b.promote(a));
                assert!(both.kind() >= a.kind() && both.size() >= a.size());
            }
        }
    }
}
