//! The types of values.
//!
//! Capture takes apart what it can. What is left is numbers, flat arrays of numbers that live in the host's memory,
//! lists, maps and sets of numbers that compiled code makes, and objects that only the host understands.

use std::collections::HashSet;
use std::fmt;
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::home::Home;
use crate::sizes::{self, Size};
use crate::tensor::Dtype;

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
    /// A list that compiled code has made and may change the length of.
    List(ListType),
    /// A dict of numbers, or a set of them, that compiled code has made and may change.
    Map(MapType),
    /// An object of the host, which compiled code hands on and the host works on.
    Object(Class),
    /// An object of the host that is a tensor of this dtype and shape.
    Tensor(TensorType),
}

/// What is known of a tensor.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct TensorType {
    /// What its elements are.
    pub dtype: Dtype,
    /// Where they lie.
    pub home: Home,
    /// The size of each axis.
    pub shape: Shape,
}

impl TensorType {
    /// The type of tensors of a dtype and shape in this machine's memory.
    pub fn new(dtype: Dtype, dims: &[usize]) -> Self {
        Self { dtype, home: Home::HERE, shape: Shape::of(dims) }
    }

    /// The same in another memory.
    #[must_use]
    pub const fn at(self, home: Home) -> Self {
        Self { home, ..self }
    }

    /// How many elements there are.
    pub fn count(self) -> usize {
        sizes::product(self.shape.dims())
    }
}

/// The size of each axis of a tensor, the outermost first. Equal shapes are one place in memory, so that a type stays
/// small; the places are kept for good.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Shape(&'static [usize]);

impl Shape {
    /// The shape of these sizes.
    pub fn of(dims: &[usize]) -> Self {
        static KNOWN: OnceLock<Mutex<HashSet<&'static [usize]>>> = OnceLock::new();
        let mut known = KNOWN.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&it) = known.get(dims) {
            return Self(it);
        }
        let kept: &'static [usize] = Box::leak(dims.into());
        known.insert(kept);
        Self(kept)
    }

    /// The sizes.
    pub const fn dims(self) -> &'static [usize] {
        self.0
    }
}

/// What the items of a list are: numbers, or lists of one type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ListType {
    /// How the innermost items are stored.
    pub elem: Elem,
    /// How many lists are round the one that holds them: 0 for a list of numbers.
    pub nesting: u8,
}

impl ListType {
    /// A list of numbers.
    pub const fn of(elem: Elem) -> Self {
        Self { elem, nesting: 0 }
    }

    /// A list of lists of this type; `None` if that is nested too deeply.
    pub const fn nested(self) -> Option<Self> {
        match self.nesting {
            u8::MAX => None,
            nesting => Some(Self { elem: self.elem, nesting: nesting + 1 }),
        }
    }

    /// The type of an item.
    pub const fn item(self) -> Type {
        match self.nesting {
            0 => self.elem.value_type(),
            nesting => Type::List(Self { elem: self.elem, nesting: nesting - 1 }),
        }
    }

    /// How an item is stored, if it is a number.
    pub const fn number(self) -> Option<Elem> {
        if self.nesting == 0 { Some(self.elem) } else { None }
    }

    /// Bytes of one item.
    pub const fn item_size(self) -> usize {
        match self.nesting {
            0 => self.elem.size(),
            _ => size_of::<u64>(),
        }
    }

    /// A code that stands for this type.
    pub const fn code(self) -> u32 {
        self.elem as u32 | (self.nesting as u32) << 8
    }

    /// The type that a code stands for.
    ///
    /// # Panics
    /// If it stands for none.
    pub fn from_code(code: u32) -> Self {
        Self { elem: Elem::ALL[(code & 0xFF) as usize], nesting: (code >> 8) as u8 }
    }
}

/// The class of an object, as the host numbers them; 0 for any.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Class(pub u8);

impl Class {
    /// Objects of any class.
    pub const ANY: Self = Self(0);
}

/// What the keys and values of a map are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct MapType {
    /// The type of the keys.
    pub key: Scalar,
    /// What the keys stand for.
    pub keys: KeyKind,
    /// The type of the values; `None` if it is a set.
    pub value: Option<Scalar>,
}

/// What the keys of a map stand for, to whoever builds the IR: ops do not tell them apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Debug)]
pub enum KeyKind {
    /// The numbers that they are.
    #[default]
    Number,
    /// Characters, by their code points.
    Character,
    /// Two integers of 32 bits each.
    Pair,
    /// Three integers of 21 bits each.
    Triple,
}

impl KeyKind {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Number, Self::Character, Self::Pair, Self::Triple];

    /// How it is written behind the type of the keys; empty for numbers.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Number => "",
            Self::Character => "character",
            Self::Pair => "pair",
            Self::Triple => "triple",
        }
    }
}

/// The type of a single number or truth value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Scalar {
    /// See [`Type::Bool`].
    Bool,
    /// See [`Type::I64`].
    I64,
    /// See [`Type::F64`].
    F64,
}

impl Scalar {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Bool, Self::I64, Self::F64];

    /// This type.
    pub const fn ty(self) -> Type {
        match self {
            Self::Bool => Type::Bool,
            Self::I64 => Type::I64,
            Self::F64 => Type::F64,
        }
    }

    /// The scalar type that a type is.
    pub const fn of(ty: Type) -> Option<Self> {
        match ty {
            Type::Bool => Some(Self::Bool),
            Type::I64 => Some(Self::I64),
            Type::F64 => Some(Self::F64),
            Type::Array(_) | Type::List(_) | Type::Map(_) | Type::Object(_) | Type::Tensor(_) => None,
        }
    }
}

impl MapType {
    /// That of a map or set of numbers.
    pub const fn of_numbers(key: Scalar, value: Option<Scalar>) -> Self {
        Self { key, keys: KeyKind::Number, value }
    }

    /// A number that stands for this type.
    pub const fn number(self) -> u32 {
        let value = match self.value {
            None => 0,
            Some(value) => value as u32 + 1,
        };
        (self.keys as u32 * 4 + self.key as u32) * 4 + value
    }

    /// The type that a number stands for.
    ///
    /// # Panics
    /// If it stands for none.
    pub fn from_number(number: u32) -> Self {
        let (keys, key, value) = (number as usize / 16, number as usize / 4 % 4, number as usize % 4);
        let value = value.checked_sub(1).map(|value| Scalar::ALL[value]);
        Self { key: Scalar::ALL[key], keys: KeyKind::ALL[keys], value }
    }
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
    /// Four bytes, signed; loads widen to [`Type::I64`], stores keep the low half.
    I32,
    /// Eight bytes, signed.
    I64,
    /// An IEEE 754 half; loads and stores convert from and to [`Type::F64`].
    F16,
    /// The upper half of a single, likewise.
    Bf16,
    /// An IEEE 754 single, likewise.
    F32,
    /// An IEEE 754 double.
    F64,
}

impl Elem {
    /// Every element type.
    pub const ALL: [Self; 7] = [Self::Bool, Self::I32, Self::I64, Self::F16, Self::Bf16, Self::F32, Self::F64];

    /// The type of a loaded element.
    pub const fn value_type(self) -> Type {
        match self {
            Self::Bool => Type::Bool,
            Self::I32 | Self::I64 => Type::I64,
            Self::F16 | Self::Bf16 | Self::F32 | Self::F64 => Type::F64,
        }
    }

    /// Bytes of one element.
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
}

impl Type {
    /// Whether values of this type are single numbers or truth values.
    pub const fn is_scalar(self) -> bool {
        match self {
            Self::Bool | Self::I64 | Self::F64 => true,
            Self::Array(_) | Self::List(_) | Self::Map(_) | Self::Object(_) | Self::Tensor(_) => false,
        }
    }

    /// Whether values of this type are tensors in the memory of a device.
    pub const fn is_there(self) -> bool {
        matches!(self, Self::Tensor(ty) if ty.home.is_there())
    }

    /// Whether values of this type are handles of objects of the host.
    pub const fn is_handle(self) -> bool {
        matches!(self, Self::Object(_) | Self::Tensor(_))
    }

    /// Element type and size, if this is an array.
    pub const fn as_array(self) -> Option<ArrayType> {
        match self {
            Self::Array(array) => Some(array),
            Self::Bool | Self::I64 | Self::F64 | Self::List(_) | Self::Map(_) | Self::Object(_) | Self::Tensor(_) => {
                None
            }
        }
    }
}

/// `bool`, `i64`, `f64`, `[f64]` (size known at run time), `[f64; 64]`, `list(f64)`, `list(list(f64))`, `map(i64, f64)`,
/// `set(i64)`, `object` (of any class), `object(2)`, `tensor(f32, 64, 10)`.
impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool => f.write_str("bool"),
            Self::I64 => f.write_str("i64"),
            Self::F64 => f.write_str("f64"),
            Self::List(list) => write!(f, "list({list})"),
            Self::Map(map) => map.fmt(f),
            Self::Object(Class::ANY) => f.write_str("object"),
            Self::Object(class) => write!(f, "object({})", class.0),
            Self::Tensor(tensor) => tensor.fmt(f),
            Self::Array(ArrayType { elem, len: None }) => write!(f, "[{}]", elem.text()),
            Self::Array(ArrayType { elem, len: Some(len) }) => write!(f, "[{}; {len}]", elem.text()),
        }
    }
}

/// What its items are: `f64`, `list(f64)`.
impl fmt::Display for ListType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.number() {
            Some(elem) => f.write_str(elem.text()),
            None => self.item().fmt(f),
        }
    }
}

/// As the type: `map(i64, f64)`, `set(i64)`, `set(i64 pair)`.
impl fmt::Display for MapType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let gap = if self.keys == KeyKind::Number { "" } else { " " };
        let (key, keys) = (self.key.ty(), self.keys.text());
        match self.value {
            Some(value) => write!(f, "map({key}{gap}{keys}, {})", value.ty()),
            None => write!(f, "set({key}{gap}{keys})"),
        }
    }
}

/// `tensor(f32, 64, 10)`, `tensor(f32, ?0, 10)` where a size is known only later, `tensor(f32, 64, @"cuda:1")` in the
/// memory of a device.
impl fmt::Display for TensorType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "tensor({}", self.dtype)?;
        self.shape.dims().iter().try_for_each(|dim| write!(f, ", {}", Size(*dim)))?;
        if let Some(device) = self.home.device() {
            write!(f, ", @{device:?}")?;
        }
        f.write_str(")")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_maps_have_numbers() {
        for key in Scalar::ALL {
            for keys in KeyKind::ALL {
                for value in [None, Some(Scalar::Bool), Some(Scalar::I64), Some(Scalar::F64)] {
                    let ty = MapType { key, keys, value };
                    assert_eq!(MapType::from_number(ty.number()), ty);
                }
            }
        }
    }
}
