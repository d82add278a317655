//! The Rust types of elements.

use half::{bf16, f16};

use super::Dtype;

/// A Rust type that is stored as an element.
pub trait Elem: Copy + Send + Sync + 'static {
    /// Its dtype.
    const DTYPE: Dtype;
    /// What operations compute in.
    type Wide: Copy + PartialOrd + Default;
    /// To compute with.
    fn wide(self) -> Self::Wide;
    /// To store. Floats are rounded to the nearest.
    fn narrow(wide: Self::Wide) -> Self;
    /// As a number of its own.
    fn item(self) -> Item;
    /// The nearest element. Integers wrap; see [`super::cast`] for floats.
    fn from_item(item: Item) -> Self;
}

/// A single number.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Item {
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A float.
    Float(f64),
}

impl Item {
    /// Whether it is not zero.
    pub fn truth(self) -> bool {
        match self {
            Self::Bool(it) => it,
            Self::Int(it) => it != 0,
            Self::Float(it) => it != 0.0,
        }
    }

    /// As an integer.
    pub fn int(self) -> i64 {
        match self {
            Self::Bool(it) => i64::from(it),
            Self::Int(it) => it,
            Self::Float(it) => int_of(it),
        }
    }

    /// As a float.
    pub fn float(self) -> f64 {
        match self {
            Self::Bool(it) => f64::from(u8::from(it)),
            Self::Int(it) => it as f64,
            Self::Float(it) => it,
        }
    }
}

/// Rounded to zero. What does not fit, and what is not a number, gives the smallest integer, as the processor's
/// instruction does.
#[inline(always)]
pub(crate) fn int_of(x: f64) -> i64 {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0; // 2^63
    if (-LIMIT..LIMIT).contains(&x) { x as i64 } else { i64::MIN }
}

/// A truth value in memory: a byte that is 0 or 1. Not `bool`, because foreign memory may hold anything.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
#[repr(transparent)]
pub struct Truth(pub u8);

impl Elem for Truth {
    const DTYPE: Dtype = Dtype::Bool;
    type Wide = bool;

    #[inline(always)]
    fn wide(self) -> bool {
        self.0 != 0
    }

    #[inline(always)]
    fn narrow(wide: bool) -> Self {
        Self(u8::from(wide))
    }

    fn item(self) -> Item {
        Item::Bool(self.wide())
    }

    fn from_item(item: Item) -> Self {
        Self::narrow(item.truth())
    }
}

impl Elem for i32 {
    const DTYPE: Dtype = Dtype::I32;
    type Wide = i32;

    #[inline(always)]
    fn wide(self) -> i32 {
        self
    }

    #[inline(always)]
    fn narrow(wide: i32) -> Self {
        wide
    }

    fn item(self) -> Item {
        Item::Int(i64::from(self))
    }

    fn from_item(item: Item) -> Self {
        super::cast::to_i32(item.int())
    }
}

impl Elem for i64 {
    const DTYPE: Dtype = Dtype::I64;
    type Wide = i64;

    #[inline(always)]
    fn wide(self) -> i64 {
        self
    }

    #[inline(always)]
    fn narrow(wide: i64) -> Self {
        wide
    }

    fn item(self) -> Item {
        Item::Int(self)
    }

    fn from_item(item: Item) -> Self {
        item.int()
    }
}

/// Half precision: stored in 16 bits, computed in singles.
macro_rules! half {
    ($half:ty, $dtype:ident) => {
        impl Elem for $half {
            const DTYPE: Dtype = Dtype::$dtype;
            type Wide = f32;

            #[inline(always)]
            fn wide(self) -> f32 {
                self.to_f32()
            }

            #[inline(always)]
            fn narrow(wide: f32) -> Self {
                Self::from_f32(wide)
            }

            fn item(self) -> Item {
                Item::Float(self.to_f64())
            }

            fn from_item(item: Item) -> Self {
                Self::from_f32(super::cast::odd(item.float()))
            }
        }
    };
}

half!(f16, F16);
half!(bf16, Bf16);

impl Elem for f32 {
    const DTYPE: Dtype = Dtype::F32;
    type Wide = f32;

    #[inline(always)]
    fn wide(self) -> f32 {
        self
    }

    #[inline(always)]
    fn narrow(wide: f32) -> Self {
        wide
    }

    fn item(self) -> Item {
        Item::Float(f64::from(self))
    }

    fn from_item(item: Item) -> Self {
        item.float() as Self
    }
}

impl Elem for f64 {
    const DTYPE: Dtype = Dtype::F64;
    type Wide = f64;

    #[inline(always)]
    fn wide(self) -> f64 {
        self
    }

    #[inline(always)]
    fn narrow(wide: f64) -> Self {
        wide
    }

    fn item(self) -> Item {
        Item::Float(self)
    }

    fn from_item(item: Item) -> Self {
        item.float()
    }
}

/// `by_dtype!(dtype, E => f::<E>(x))` is `match dtype { Dtype::Bool => f::<Truth>(x), Dtype::I32 => f::<i32>(x), .. }`.
macro_rules! by_dtype {
    ($dtype:expr, $elem:ident => $body:expr) => {
        match $dtype {
            $crate::tensor::Dtype::Bool => {
                type $elem = $crate::tensor::Truth;
                $body
            }
            $crate::tensor::Dtype::I32 => {
                type $elem = i32;
                $body
            }
            $crate::tensor::Dtype::I64 => {
                type $elem = i64;
                $body
            }
            $crate::tensor::Dtype::F16 => {
                type $elem = ::half::f16;
                $body
            }
            $crate::tensor::Dtype::Bf16 => {
                type $elem = ::half::bf16;
                $body
            }
            $crate::tensor::Dtype::F32 => {
                type $elem = f32;
                $body
            }
            $crate::tensor::Dtype::F64 => {
                type $elem = f64;
                $body
            }
        }
    };
}

pub(crate) use by_dtype;
