//! Values of the IR as values of LLVM.

use inkwell::values::{BasicValue, BasicValueEnum, FloatValue, IntValue, PointerValue};
use snekpy_stage::types::{Elem, ListType, MapType};

/// A value of the IR. Which variant it is follows from its type, which the verifier has checked.
#[derive(Clone, Copy)]
pub(crate) enum Val<'ctx> {
    /// A truth value, one bit.
    Bool(IntValue<'ctx>),
    /// An integer of 64 bits.
    Int(IntValue<'ctx>),
    /// A double.
    Float(FloatValue<'ctx>),
    /// An array.
    Array(ArrayVal<'ctx>),
    /// A list.
    List(ListVal<'ctx>),
    /// A map or set.
    Map(MapVal<'ctx>),
}

/// A map or set: where its header is.
#[derive(Clone, Copy)]
pub(crate) struct MapVal<'ctx> {
    /// What its keys and values are.
    pub(crate) ty: MapType,
    /// The [`snekpy_stage::map::Map`].
    pub(crate) header: PointerValue<'ctx>,
}

/// A list: where its header is.
#[derive(Clone, Copy)]
pub(crate) struct ListVal<'ctx> {
    /// What its items are.
    pub(crate) ty: ListType,
    /// The [`snekpy_stage::list::List`].
    pub(crate) header: PointerValue<'ctx>,
}

/// An array: where it is and how long.
#[derive(Clone, Copy)]
pub(crate) struct ArrayVal<'ctx> {
    /// How an element is stored.
    pub(crate) elem: Elem,
    /// Whether it is the memory of a tensor, which others may see as elements of another kind.
    pub(crate) is_shared: bool,
    /// The first element.
    pub(crate) ptr: PointerValue<'ctx>,
    /// The number of elements; a constant where the type gives it.
    pub(crate) len: IntValue<'ctx>,
}

/// Two numbers of one type.
#[derive(Clone, Copy)]
pub(crate) enum Numbers<'ctx> {
    /// Integers.
    Int(IntValue<'ctx>, IntValue<'ctx>),
    /// Doubles.
    Float(FloatValue<'ctx>, FloatValue<'ctx>),
}

/// What a value of another type than expected means.
const MISTYPED: &str = "the module was verified, so operands have the types that the op takes";

impl<'ctx> Val<'ctx> {
    /// The parts that travel separately: one for a scalar, address and length for an array.
    pub(crate) fn parts(self) -> impl Iterator<Item = BasicValueEnum<'ctx>> {
        let (first, second) = match self {
            Self::Bool(it) | Self::Int(it) => (it.as_basic_value_enum(), None),
            Self::Float(it) => (it.as_basic_value_enum(), None),
            Self::List(it) => (it.header.as_basic_value_enum(), None),
            Self::Map(it) => (it.header.as_basic_value_enum(), None),
            Self::Array(it) => (it.ptr.as_basic_value_enum(), Some(it.len.as_basic_value_enum())),
        };
        std::iter::once(first).chain(second)
    }

    /// The truth value that this is.
    pub(crate) fn as_bool(self) -> IntValue<'ctx> {
        match self {
            Self::Bool(it) => it,
            Self::Int(_) | Self::Float(_) | Self::Array(_) | Self::List(_) | Self::Map(_) => unreachable!("{MISTYPED}"),
        }
    }

    /// The integer that this is.
    pub(crate) fn as_int(self) -> IntValue<'ctx> {
        match self {
            Self::Int(it) => it,
            Self::Bool(_) | Self::Float(_) | Self::Array(_) | Self::List(_) | Self::Map(_) => {
                unreachable!("{MISTYPED}")
            }
        }
    }

    /// The double that this is.
    pub(crate) fn as_float(self) -> FloatValue<'ctx> {
        match self {
            Self::Float(it) => it,
            Self::Bool(_) | Self::Int(_) | Self::Array(_) | Self::List(_) | Self::Map(_) => unreachable!("{MISTYPED}"),
        }
    }

    /// The array that this is.
    pub(crate) fn as_array(self) -> ArrayVal<'ctx> {
        match self {
            Self::Array(it) => it,
            Self::Bool(_) | Self::Int(_) | Self::Float(_) | Self::List(_) | Self::Map(_) => unreachable!("{MISTYPED}"),
        }
    }

    /// The list that this is.
    pub(crate) fn as_list(self) -> ListVal<'ctx> {
        match self {
            Self::List(it) => it,
            Self::Bool(_) | Self::Int(_) | Self::Float(_) | Self::Array(_) | Self::Map(_) => unreachable!("{MISTYPED}"),
        }
    }

    /// The map that this is.
    pub(crate) fn as_map(self) -> MapVal<'ctx> {
        match self {
            Self::Map(it) => it,
            Self::Bool(_) | Self::Int(_) | Self::Float(_) | Self::Array(_) | Self::List(_) => {
                unreachable!("{MISTYPED}")
            }
        }
    }
}

impl<'ctx> Numbers<'ctx> {
    /// Two values of one type, which is that of numbers.
    pub(crate) fn of(x: Val<'ctx>, y: Val<'ctx>) -> Self {
        match (x, y) {
            (Val::Int(x), Val::Int(y)) => Self::Int(x, y),
            (Val::Float(x), Val::Float(y)) => Self::Float(x, y),
            (Val::Bool(_) | Val::Int(_) | Val::Float(_) | Val::Array(_) | Val::List(_) | Val::Map(_), _) => {
                unreachable!("{MISTYPED}")
            }
        }
    }
}
