//! The op table: the only place where an op of a family is introduced.
//!
//! A row gives the variant, the word in the textual IR, and in its doc comment the meaning. The macro
//! derives the enum, `ALL`, `text`, `from_text` and `doc`. It does *not* derive meaning on constants
//! ([`super::meaning`]), lowering or differentiation: those are exhaustive matches, and they stop
//! compiling when a row is added here.
//!
//! "Overflows" means that the op leaves the function through the overflow trap when the mathematical
//! result does not fit in 64 bits.

macro_rules! family {
    ($(#[doc = $about:literal])* pub enum $name:ident { $($(#[doc = $doc:literal])* $variant:ident = $text:literal,)* }) => {
        $(#[doc = $about])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub enum $name {
            $($(#[doc = $doc])* $variant,)*
        }

        impl $name {
            /// Every row of the family, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The word in the textual IR.
            pub const fn text(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)*
                }
            }

            /// The row of this word.
            pub fn from_text(text: &str) -> Option<Self> {
                match text {
                    $($text => Some(Self::$variant),)*
                    _ => None,
                }
            }

            /// What it computes, in a sentence or two.
            pub const fn doc(self) -> &'static str {
                match self {
                    $(Self::$variant => concat!($($doc, "\n"),*),)*
                }
            }
        }
    };
}

family! {
    /// One number to a number of the same type.
    pub enum Num1 {
        /// Negation, `-x`. Overflows on the smallest integer.
        Neg = "neg",
        /// Magnitude, `abs(x)`. Overflows on the smallest integer.
        Abs = "abs",
    }
}

family! {
    /// Two numbers of one type to a number of that type.
    pub enum Num2 {
        /// Sum, `x + y`. Overflows.
        Add = "add",
        /// Difference, `x - y`. Overflows.
        Sub = "sub",
        /// Product, `x * y`. Overflows.
        Mul = "mul",
        /// Quotient rounded down, `x // y`. `y` is not zero: a guard before it said so. Overflows.
        FloorDiv = "floordiv",
        /// Remainder with the sign of `y`, `x % y`. `y` is not zero: a guard before it said so.
        Mod = "mod",
        /// `y if y < x else x`: the first of equals, as `min(x, y)`; a NaN in `x` stays, one in `y` is ignored.
        Min = "min",
        /// `y if y > x else x`: the first of equals, as `max(x, y)`; a NaN in `x` stays, one in `y` is ignored.
        Max = "max",
    }
}

family! {
    /// Integer arithmetic modulo 2^64: that of elements, and what checked arithmetic becomes once overflow is excluded.
    pub enum Wrap2 {
        /// Sum.
        Add = "wrap_add",
        /// Difference.
        Sub = "wrap_sub",
        /// Product.
        Mul = "wrap_mul",
        /// `x ** y`; 1 for a negative `y`.
        Pow = "wrap_pow",
        /// `x << y`; 0 for a distance of 64 or more, and for a negative one.
        Shl = "wrap_shl",
    }
}

family! {
    /// Whether checked integer arithmetic overflows.
    pub enum Overflow2 {
        /// Whether `x + y` overflows.
        Add = "ovf_add",
        /// Whether `x - y` overflows.
        Sub = "ovf_sub",
        /// Whether `x * y` overflows.
        Mul = "ovf_mul",
        /// Whether `x ** y` overflows; true for a negative `y`, too.
        Pow = "ovf_pow",
    }
}

family! {
    /// Bitwise on two integers or two truth values.
    pub enum Bit2 {
        /// `x & y`.
        And = "and",
        /// `x | y`.
        Or = "or",
        /// `x ^ y`.
        Xor = "xor",
    }
}

family! {
    /// Shifts of an integer. The distance is not negative: a guard before it said so.
    pub enum Shift {
        /// `x << n`. Overflows; 0 shifted by any distance is 0.
        Left = "shl",
        /// `x >> n`, rounding down; a distance of 64 or more gives 0 or -1.
        Right = "shr",
    }
}

family! {
    /// One double to a double: the function of the C library, bit for bit. None of them raises; guards
    /// before them keep Python's domain.
    pub enum Real1 {
        /// Square root.
        Sqrt = "sqrt",
        /// Exponential, `e**x`.
        Exp = "exp",
        /// `2**x`.
        Exp2 = "exp2",
        /// `e**x - 1`.
        Expm1 = "expm1",
        /// Natural logarithm.
        Log = "log",
        /// Logarithm to base 2.
        Log2 = "log2",
        /// Logarithm to base 10.
        Log10 = "log10",
        /// `log(1 + x)`.
        Log1p = "log1p",
        /// Sine of `x` radians.
        Sin = "sin",
        /// Cosine of `x` radians.
        Cos = "cos",
        /// Tangent of `x` radians.
        Tan = "tan",
        /// Arc sine, in radians.
        Asin = "asin",
        /// Arc cosine, in radians.
        Acos = "acos",
        /// Arc tangent, in radians.
        Atan = "atan",
        /// Hyperbolic sine.
        Sinh = "sinh",
        /// Hyperbolic cosine.
        Cosh = "cosh",
        /// Hyperbolic tangent.
        Tanh = "tanh",
        /// Inverse hyperbolic sine.
        Asinh = "asinh",
        /// Inverse hyperbolic cosine.
        Acosh = "acosh",
        /// Inverse hyperbolic tangent.
        Atanh = "atanh",
        /// Cube root.
        Cbrt = "cbrt",
        /// Greatest whole number not above `x`.
        Floor = "floor",
        /// Least whole number not below `x`.
        Ceil = "ceil",
        /// `x` rounded toward zero.
        Trunc = "trunc",
        /// `x` rounded to the nearest whole number, ties to even.
        RoundEven = "round_even",
    }
}

family! {
    /// Two doubles to a double. None of them raises.
    pub enum Real2 {
        /// Quotient, `x / y`, as IEEE 754 has it.
        Div = "div",
        /// The C library's `pow`.
        Pow = "pow",
        /// The C library's `atan2`: the angle of the point `(y, x)` given as `x, y` operands.
        Atan2 = "atan2",
        /// The magnitude of `x` with the sign of `y`.
        Copysign = "copysign",
        /// Remainder with the sign of `x`, the C library's `fmod`.
        Fmod = "fmod",
        /// The C library's `hypot`: the distance of the point `(x, y)` from the origin.
        Hypot = "hypot",
    }
}

family! {
    /// Two floats to a float. None of them raises.
    pub enum Element2 {
        /// Power.
        Pow = "pow",
        /// The angle of the point `(y, x)`.
        Atan2 = "atan2",
        /// Length of the hypotenuse, without overflow.
        Hypot = "hypot",
        /// The next number after `x` towards `y`.
        NextAfter = "nextafter",
        /// `log(exp(x) + exp(y))` without overflow.
        LogAddExp = "logaddexp",
    }
}

family! {
    /// Comparison of two scalars of one type. With a NaN only `ne` is true.
    pub enum Cmp {
        /// `x == y`.
        Eq = "eq",
        /// `x != y`.
        Ne = "ne",
        /// `x < y`.
        Lt = "lt",
        /// `x <= y`.
        Le = "le",
        /// `x > y`.
        Gt = "gt",
        /// `x >= y`.
        Ge = "ge",
    }
}

family! {
    /// A value of one type to another.
    pub enum Convert {
        /// A truth value as 0 or 1.
        BoolToInt = "bool_to_int",
        /// An integer to the nearest double, ties to even.
        IntToFloat = "int_to_float",
        /// A whole, finite double to an integer. Overflows.
        FloatToInt = "float_to_int",
        /// A double to the nearest single-precision number, as a double.
        Single = "single",
        /// A double to the nearest number of half precision, as a double.
        Half = "half",
        /// A double to the nearest number with the range of singles and eight bits of precision, as a double.
        Bfloat = "bfloat",
        /// The low 32 bits of an integer, the highest of which is the sign.
        Int32 = "int32",
    }
}

family! {
    /// What is done to a list. Operands are the list, then an index or number of items, then an item, as far as
    /// the op takes them. Indices are in range: a guard before said so. `list_push` and `list_reserve` leave through the
    /// memory trap when there is no memory, before they have changed anything; for what others add there is room.
    pub enum ListOp {
        /// `list -> i64`: the number of items.
        Len = "list_len",
        /// `list, i -> t`: an item.
        Get = "list_get",
        /// `list, i, x ->`: replaces an item.
        Set = "list_set",
        /// `list, x ->`: appends an item.
        Push = "list_push",
        /// `list -> t`: takes the last item out. There is one.
        Pop = "list_pop",
        /// `list, x ->`: appends an item for which there is room.
        Append = "list_append",
        /// `list, n, x ->`: appends `n` equal items for which there is room, none if `n` is negative.
        Fill = "list_fill",
        /// `list, i, x ->`: puts an item, for which there is room, before the one at `i`, which is at most the length.
        Insert = "list_insert",
        /// `list, i -> t`: takes an item out.
        Remove = "list_remove",
        /// `list, n ->`: keeps the first `n` items, which is not negative.
        Truncate = "list_truncate",
        /// `list, n ->`: makes room for `n` more items, so that they can be added without asking for memory.
        Reserve = "list_reserve",
        /// `list, n, x ->`: puts `n` equal items, for which there is room, before the first one; if `n` is negative, takes
        /// the first `-n` items out, of which there are as many, whatever `x` is.
        Shift = "list_shift",
    }
}

impl ListOp {
    /// Whether it takes an index or number of items.
    pub const fn takes_index(self) -> bool {
        matches!(
            self,
            Self::Get
                | Self::Set
                | Self::Fill
                | Self::Insert
                | Self::Remove
                | Self::Truncate
                | Self::Reserve
                | Self::Shift
        )
    }

    /// Whether it may ask for memory.
    pub const fn grows(self) -> bool {
        matches!(self, Self::Push | Self::Reserve)
    }

    /// Whether it takes an item.
    pub const fn takes_item(self) -> bool {
        matches!(self, Self::Set | Self::Push | Self::Append | Self::Fill | Self::Insert | Self::Shift)
    }

    /// Whether it gives an item.
    pub const fn gives_item(self) -> bool {
        matches!(self, Self::Get | Self::Pop | Self::Remove)
    }
}

family! {
    /// What is done to a map or a set. Operands are the map, then a position, a key and a value, as far as the op takes
    /// them; a set has no values. A position is what an op has given since the last entry came or all went; it is
    /// that of an entry that is still there. Equal keys are one key, of which the first stays; so are all NaNs.
    pub enum MapOp {
        /// `map -> i64`: the number of entries.
        Len = "map_len",
        /// `map -> i64`: a number that grows by one with each key that comes, by two when the last one goes or all do.
        Changes = "map_changes",
        /// `map, k -> i64`: the position of a key, -1 if it is not there.
        Find = "map_find",
        /// `map, p -> i64`: the position of the first entry at `p` or behind it, -1 if there is none. `p` is not
        /// negative, and may be anything else.
        Next = "map_next",
        /// `map -> i64`: the position of the last entry, -1 if there is none.
        Last = "map_last",
        /// `map, p -> k`: the key at a position.
        Key = "map_key",
        /// `map, p, x -> v`: the value at a position, `x` if that is -1.
        Get = "map_get",
        /// `map, p, k, x ->`: replaces the value at the position of the key; if that is -1, the key comes with the
        /// value. Leaves through the memory trap when there is no memory.
        Put = "map_put",
        /// `map, p ->`: takes the entry at a position out.
        Remove = "map_remove",
        /// `map ->`: takes all entries out.
        Clear = "map_clear",
    }
}

family! {
    /// What is done to an object besides handing it on. Capture writes only `is_none`; the counts come last, by
    /// [`crate::pass::OWN`].
    pub enum ObjectOp {
        /// `object -> bool`: whether it is None.
        IsNone = "is_none",
        /// `object -> i64`: it has an owner more, the integer. `kept` makes an object of it again.
        Keep = "keep",
        /// `object ->`: it has an owner more.
        Retain = "retain",
        /// `object ->`: it has an owner less.
        Release = "release",
        /// `text -> i64`: of how many characters a `str` consists, or how many bytes there are.
        TextLen = "text_len",
        /// `text, i64 -> i64`: the code point of the character, or the byte, at an index from 0 on; 0 where there is
        /// none.
        TextAt = "text_at",
    }
}

impl MapOp {
    /// Whether it takes a position.
    pub const fn takes_position(self) -> bool {
        matches!(self, Self::Next | Self::Key | Self::Get | Self::Put | Self::Remove)
    }

    /// Whether it takes a key.
    pub const fn takes_key(self) -> bool {
        matches!(self, Self::Find | Self::Put)
    }

    /// Whether it takes a value, of a map that has some.
    pub const fn takes_value(self) -> bool {
        matches!(self, Self::Get | Self::Put)
    }

    /// Whether it changes the map.
    pub const fn changes(self) -> bool {
        matches!(self, Self::Put | Self::Remove | Self::Clear)
    }
}

impl Cmp {
    /// The comparison that holds exactly when this one does not, for operands without NaN.
    pub const fn negated(self) -> Self {
        match self {
            Self::Eq => Self::Ne,
            Self::Ne => Self::Eq,
            Self::Lt => Self::Ge,
            Self::Le => Self::Gt,
            Self::Gt => Self::Le,
            Self::Ge => Self::Lt,
        }
    }

    /// The comparison with its operands exchanged.
    pub const fn swapped(self) -> Self {
        match self {
            Self::Eq => Self::Eq,
            Self::Ne => Self::Ne,
            Self::Lt => Self::Gt,
            Self::Le => Self::Ge,
            Self::Gt => Self::Lt,
            Self::Ge => Self::Le,
        }
    }
}
