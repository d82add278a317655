//! What the functions are written in: values of a machine that computes them, or writes code that does.
//!
//! A function in this module is generic in the [`Machine`]. On [`Native`] it computes; on the back end's machine it
//! writes the same operations as LLVM's instructions. Both have the same bits, because every operation here is exact or
//! rounds as IEEE 754 says. So the functions are tested on the processor at hand.

use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Sub};

/// A function of a double or of a single.
#[derive(Clone, Copy)]
pub(crate) enum Float1 {
    Neg,
    Abs,
    Sqrt,
    Floor,
}

/// A function of two doubles or of two singles.
#[derive(Clone, Copy)]
pub(crate) enum Float2 {
    Add,
    Sub,
    Mul,
    Div,
    CopySign,
}

/// A function of two integers of 64 bits, modulo 2^64. Distances are below 64, divisors not zero.
#[derive(Clone, Copy)]
pub(crate) enum Int2 {
    Add,
    Sub,
    Mul,
    /// The high half of the unsigned product.
    MulHigh,
    /// The high half of the signed product.
    MulHighSigned,
    And,
    Or,
    Xor,
    Shl,
    /// Unsigned.
    Shr,
    /// Signed.
    Sar,
    /// Unsigned.
    Quotient,
    /// Unsigned.
    Remainder,
}

/// A comparison. Of doubles, none holds with a NaN.
#[derive(Clone, Copy)]
pub(crate) enum Test {
    Equal,
    Less,
    /// Of integers without sign.
    Below,
}

/// Who computes.
pub(crate) trait Machine {
    /// A double.
    type F: Copy;
    /// A single.
    type S: Copy;
    type I: Copy;
    type B: Copy;

    fn float(&self, value: f64) -> Self::F;
    fn int(&self, value: i64) -> Self::I;
    fn float1(&self, op: Float1, x: Self::F) -> Self::F;
    fn float2(&self, op: Float2, x: Self::F, y: Self::F) -> Self::F;
    fn fma(&self, x: Self::F, y: Self::F, z: Self::F) -> Self::F;
    fn int2(&self, op: Int2, x: Self::I, y: Self::I) -> Self::I;
    fn bits(&self, x: Self::F) -> Self::I;
    fn of_bits(&self, x: Self::I) -> Self::F;
    /// A signed integer to the nearest double.
    fn to_float(&self, x: Self::I) -> Self::F;
    fn single(&self, value: f32) -> Self::S;
    /// The single nearest to a double.
    fn narrow(&self, x: Self::F) -> Self::S;
    fn widen(&self, x: Self::S) -> Self::F;
    fn single1(&self, op: Float1, x: Self::S) -> Self::S;
    fn single2(&self, op: Float2, x: Self::S, y: Self::S) -> Self::S;
    fn single_fma(&self, x: Self::S, y: Self::S, z: Self::S) -> Self::S;
    /// Its 32 bits, as an integer that is not negative.
    fn single_bits(&self, x: Self::S) -> Self::I;
    /// The single of the low 32 bits.
    fn of_single_bits(&self, x: Self::I) -> Self::S;
    /// A signed integer to the nearest single.
    fn to_single(&self, x: Self::I) -> Self::S;
    fn test_single(&self, test: Test, x: Self::S, y: Self::S) -> Self::B;
    fn select_single(&self, cond: Self::B, x: Self::S, y: Self::S) -> Self::S;
    fn test_float(&self, test: Test, x: Self::F, y: Self::F) -> Self::B;
    fn test_int(&self, test: Test, x: Self::I, y: Self::I) -> Self::B;
    fn both(&self, x: Self::B, y: Self::B) -> Self::B;
    fn either(&self, x: Self::B, y: Self::B) -> Self::B;
    fn not(&self, x: Self::B) -> Self::B;
    fn select_float(&self, cond: Self::B, x: Self::F, y: Self::F) -> Self::F;
    fn select_int(&self, cond: Self::B, x: Self::I, y: Self::I) -> Self::I;
    /// One of two computations: only it is done.
    fn branch<const N: usize>(
        &self,
        cond: Self::B,
        then: impl FnOnce() -> [Self::F; N],
        other: impl FnOnce() -> [Self::F; N],
    ) -> [Self::F; N];
    /// `while goes_on(state) { state = step(state) }`.
    fn repeat<const N: usize>(
        &self,
        start: [Self::I; N],
        goes_on: impl Fn([Self::I; N]) -> Self::B,
        step: impl Fn([Self::I; N]) -> [Self::I; N],
    ) -> [Self::I; N];
    /// A word of a table at an index that is in range.
    fn word(&self, table: &'static [u64], index: Self::I) -> Self::I;
}

/// A double of a machine.
pub(crate) struct Float<'m, M: Machine> {
    pub(crate) m: &'m M,
    pub(crate) v: M::F,
}

/// A single of a machine.
pub(crate) struct Single<'m, M: Machine> {
    pub(crate) m: &'m M,
    pub(crate) v: M::S,
}

/// An integer of a machine.
pub(crate) struct Int<'m, M: Machine> {
    pub(crate) m: &'m M,
    pub(crate) v: M::I,
}

/// A truth value of a machine.
pub(crate) struct Bool<'m, M: Machine> {
    pub(crate) m: &'m M,
    pub(crate) v: M::B,
}

macro_rules! copy {
    ($($name:ident)*) => {$(
        impl<M: Machine> Clone for $name<'_, M> {
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<M: Machine> Copy for $name<'_, M> {}
    )*};
}
copy!(Float Single Int Bool);

macro_rules! operators {
    ($($ty:ident $constant:ty { $($trait:ident $method:ident $with:ident $op:expr;)* })*) => {$($(
        impl<M: Machine> $trait for $ty<'_, M> {
            type Output = Self;
            fn $method(self, other: Self) -> Self {
                Self { m: self.m, v: self.m.$with($op, self.v, other.v) }
            }
        }
        impl<M: Machine> $trait<$constant> for $ty<'_, M> {
            type Output = Self;
            fn $method(self, other: $constant) -> Self {
                $trait::$method(self, self.same(other))
            }
        }
    )*)*};
}
operators! {
    Float f64 {
        Add add float2 Float2::Add;
        Sub sub float2 Float2::Sub;
        Mul mul float2 Float2::Mul;
        Div div float2 Float2::Div;
    }
    Single f32 {
        Add add single2 Float2::Add;
        Sub sub single2 Float2::Sub;
        Mul mul single2 Float2::Mul;
        Div div single2 Float2::Div;
    }
    Int i64 {
        Add add int2 Int2::Add;
        Sub sub int2 Int2::Sub;
        Mul mul int2 Int2::Mul;
        BitAnd bitand int2 Int2::And;
        BitOr bitor int2 Int2::Or;
    }
}

/// What singles and doubles have in common, by the functions of the machine for them.
macro_rules! floats {
    ($ty:ident $t:ty: $value:ident $make:ident $one:ident $two:ident $fma:ident $bits:ident $test:ident) => {
        impl<M: Machine> Neg for $ty<'_, M> {
            type Output = Self;
            fn neg(self) -> Self {
                self.with(self.m.$one(Float1::Neg, self.v))
            }
        }

        impl<'m, M: Machine> $ty<'m, M> {
            fn with(self, v: M::$value) -> Self {
                Self { m: self.m, v }
            }

            /// A constant of this machine.
            pub(crate) fn same(self, value: $t) -> Self {
                self.with(self.m.$make(value))
            }

            pub(crate) fn abs(self) -> Self {
                self.with(self.m.$one(Float1::Abs, self.v))
            }

            pub(crate) fn copysign(self, sign: Self) -> Self {
                self.with(self.m.$two(Float2::CopySign, self.v, sign.v))
            }

            /// `self * y + z`, rounded once.
            pub(crate) fn fma(self, y: Self, z: Self) -> Self {
                self.with(self.m.$fma(self.v, y.v, z.v))
            }

            pub(crate) fn bits(self) -> Int<'m, M> {
                Int { m: self.m, v: self.m.$bits(self.v) }
            }

            pub(crate) fn is(self, test: Test, y: Self) -> Bool<'m, M> {
                Bool { m: self.m, v: self.m.$test(test, self.v, y.v) }
            }

            pub(crate) fn lt(self, y: $t) -> Bool<'m, M> {
                self.is(Test::Less, self.same(y))
            }

            pub(crate) fn gt(self, y: $t) -> Bool<'m, M> {
                self.same(y).is(Test::Less, self)
            }

            pub(crate) fn eq(self, y: $t) -> Bool<'m, M> {
                self.is(Test::Equal, self.same(y))
            }

            pub(crate) fn is_nan(self) -> Bool<'m, M> {
                self.is(Test::Equal, self).not()
            }

            /// The value of a polynomial, the constant coefficient first.
            pub(crate) fn poly(self, coefficients: &[$t]) -> Self {
                let mut rest = coefficients.iter().rev();
                let first = self.same(*rest.next().expect("a polynomial has a coefficient"));
                rest.fold(first, |sum, &it| sum.fma(self, self.same(it)))
            }
        }
    };
}
floats!(Float f64: F float float1 float2 fma bits test_float);
floats!(Single f32: S single single1 single2 single_fma single_bits test_single);

impl<'m, M: Machine> Single<'m, M> {
    pub(crate) fn widen(self) -> Float<'m, M> {
        Float { m: self.m, v: self.m.widen(self.v) }
    }
}

impl<'m, M: Machine> Float<'m, M> {
    pub(crate) fn narrow(self) -> Single<'m, M> {
        Single { m: self.m, v: self.m.narrow(self.v) }
    }

    pub(crate) fn sqrt(self) -> Self {
        self.with(self.m.float1(Float1::Sqrt, self.v))
    }

    pub(crate) fn floor(self) -> Self {
        self.with(self.m.float1(Float1::Floor, self.v))
    }

    /// The nearest whole number, as a double and as an integer, where it is less than 2^51 in magnitude.
    pub(crate) fn nearest(self) -> (Self, Int<'m, M>) {
        const MAGIC: f64 = 6_755_399_441_055_744.0; // 1.5 * 2^52: the lowest bit has the weight 1
        let shifted = self + MAGIC;
        (shifted - MAGIC, shifted.bits() - MAGIC.to_bits().cast_signed())
    }
}

impl<'m, M: Machine> Int<'m, M> {
    fn with(self, v: M::I) -> Self {
        Self { m: self.m, v }
    }

    pub(crate) fn same(self, value: i64) -> Self {
        self.with(self.m.int(value))
    }

    pub(crate) fn float(self, value: f64) -> Float<'m, M> {
        Float { m: self.m, v: self.m.float(value) }
    }

    pub(crate) fn op(self, op: Int2, y: Self) -> Self {
        self.with(self.m.int2(op, self.v, y.v))
    }

    pub(crate) fn shl(self, by: i64) -> Self {
        self.op(Int2::Shl, self.same(by))
    }

    pub(crate) fn shr(self, by: i64) -> Self {
        self.op(Int2::Shr, self.same(by))
    }

    pub(crate) fn sar(self, by: i64) -> Self {
        self.op(Int2::Sar, self.same(by))
    }

    pub(crate) fn is(self, test: Test, y: Self) -> Bool<'m, M> {
        Bool { m: self.m, v: self.m.test_int(test, self.v, y.v) }
    }

    pub(crate) fn eq(self, y: i64) -> Bool<'m, M> {
        self.is(Test::Equal, self.same(y))
    }

    pub(crate) fn lt(self, y: i64) -> Bool<'m, M> {
        self.is(Test::Less, self.same(y))
    }

    pub(crate) fn gt(self, y: i64) -> Bool<'m, M> {
        self.same(y).is(Test::Less, self)
    }

    pub(crate) fn of_bits(self) -> Float<'m, M> {
        Float { m: self.m, v: self.m.of_bits(self.v) }
    }

    pub(crate) fn to_float(self) -> Float<'m, M> {
        Float { m: self.m, v: self.m.to_float(self.v) }
    }

    pub(crate) fn to_single(self) -> Single<'m, M> {
        Single { m: self.m, v: self.m.to_single(self.v) }
    }

    pub(crate) fn of_single_bits(self) -> Single<'m, M> {
        Single { m: self.m, v: self.m.of_single_bits(self.v) }
    }

    /// `2^self` for an exponent of a normal double.
    pub(crate) fn pow2(self) -> Float<'m, M> {
        (self + 1023).shl(52).of_bits()
    }
}

impl<'m, M: Machine> Bool<'m, M> {
    pub(crate) fn not(self) -> Self {
        Self { v: self.m.not(self.v), ..self }
    }

    pub(crate) fn and(self, y: Self) -> Self {
        Self { v: self.m.both(self.v, y.v), ..self }
    }

    pub(crate) fn or(self, y: Self) -> Self {
        Self { v: self.m.either(self.v, y.v), ..self }
    }

    /// `x` if it is true.
    pub(crate) fn float(self, x: Float<'m, M>, y: Float<'m, M>) -> Float<'m, M> {
        Float { m: self.m, v: self.m.select_float(self.v, x.v, y.v) }
    }

    /// `x` if it is true.
    pub(crate) fn single(self, x: Single<'m, M>, y: Single<'m, M>) -> Single<'m, M> {
        Single { m: self.m, v: self.m.select_single(self.v, x.v, y.v) }
    }

    /// `x` if it is true.
    pub(crate) fn int(self, x: Int<'m, M>, y: Int<'m, M>) -> Int<'m, M> {
        Int { m: self.m, v: self.m.select_int(self.v, x.v, y.v) }
    }
}

/// This processor, at once.
pub(crate) struct Native;

/// What singles and doubles have in common.
macro_rules! native {
    ($t:ty: $make:ident $one:ident $two:ident $fma:ident $test:ident $select:ident) => {
        fn $make(&self, value: $t) -> $t {
            value
        }

        fn $one(&self, op: Float1, x: $t) -> $t {
            match op {
                Float1::Neg => -x,
                Float1::Abs => x.abs(),
                Float1::Sqrt => x.sqrt(),
                Float1::Floor => x.floor(),
            }
        }

        fn $two(&self, op: Float2, x: $t, y: $t) -> $t {
            match op {
                Float2::Add => x + y,
                Float2::Sub => x - y,
                Float2::Mul => x * y,
                Float2::Div => x / y,
                Float2::CopySign => x.copysign(y),
            }
        }

        fn $fma(&self, x: $t, y: $t, z: $t) -> $t {
            x.mul_add(y, z)
        }

        fn $test(&self, test: Test, x: $t, y: $t) -> bool {
            match test {
                Test::Equal => x == y,
                Test::Less | Test::Below => x < y,
            }
        }

        fn $select(&self, cond: bool, x: $t, y: $t) -> $t {
            if cond { x } else { y }
        }
    };
}

impl Machine for Native {
    type F = f64;
    type S = f32;
    type I = i64;
    type B = bool;

    native!(f64: float float1 float2 fma test_float select_float);
    native!(f32: single single1 single2 single_fma test_single select_single);

    fn int(&self, value: i64) -> i64 {
        value
    }

    fn int2(&self, op: Int2, x: i64, y: i64) -> i64 {
        let (a, b) = (x.cast_unsigned(), y.cast_unsigned());
        match op {
            Int2::Add => x.wrapping_add(y),
            Int2::Sub => x.wrapping_sub(y),
            Int2::Mul => x.wrapping_mul(y),
            Int2::MulHigh => ((u128::from(a) * u128::from(b)) >> 64) as i64,
            Int2::MulHighSigned => ((i128::from(x) * i128::from(y)) >> 64) as i64,
            Int2::And => x & y,
            Int2::Or => x | y,
            Int2::Xor => x ^ y,
            Int2::Shl => x << y,
            Int2::Shr => (a >> y).cast_signed(),
            Int2::Sar => x >> y,
            Int2::Quotient => (a / b).cast_signed(),
            Int2::Remainder => (a % b).cast_signed(),
        }
    }

    fn bits(&self, x: f64) -> i64 {
        x.to_bits().cast_signed()
    }

    fn of_bits(&self, x: i64) -> f64 {
        f64::from_bits(x.cast_unsigned())
    }

    fn to_float(&self, x: i64) -> f64 {
        x as f64
    }

    fn narrow(&self, x: f64) -> f32 {
        x as f32
    }

    fn widen(&self, x: f32) -> f64 {
        f64::from(x)
    }

    fn single_bits(&self, x: f32) -> i64 {
        x.to_bits().into()
    }

    fn of_single_bits(&self, x: i64) -> f32 {
        f32::from_bits(x as u32)
    }

    fn to_single(&self, x: i64) -> f32 {
        x as f32
    }

    fn test_int(&self, test: Test, x: i64, y: i64) -> bool {
        match test {
            Test::Equal => x == y,
            Test::Less => x < y,
            Test::Below => x.cast_unsigned() < y.cast_unsigned(),
        }
    }

    fn both(&self, x: bool, y: bool) -> bool {
        x && y
    }

    fn either(&self, x: bool, y: bool) -> bool {
        x || y
    }

    fn not(&self, x: bool) -> bool {
        !x
    }

    fn select_int(&self, cond: bool, x: i64, y: i64) -> i64 {
        if cond { x } else { y }
    }

    fn branch<const N: usize>(
        &self,
        cond: bool,
        then: impl FnOnce() -> [f64; N],
        other: impl FnOnce() -> [f64; N],
    ) -> [f64; N] {
        if cond { then() } else { other() }
    }

    fn repeat<const N: usize>(
        &self,
        start: [i64; N],
        goes_on: impl Fn([i64; N]) -> bool,
        step: impl Fn([i64; N]) -> [i64; N],
    ) -> [i64; N] {
        let mut state = start;
        while goes_on(state) {
            state = step(state);
        }
        state
    }

    fn word(&self, table: &'static [u64], index: i64) -> i64 {
        table[usize::try_from(index).expect("the index is in range")].cast_signed()
    }
}
