//! From types of Rust to Python's values.

use crate::object::Object;
use crate::tensor::Tensor;
use crate::value::Value;
use std::collections::BTreeMap;

/// A type that becomes a Python value.
pub trait IntoValue {
    /// The value.
    fn into_value(self) -> Value;
}

impl IntoValue for Value {
    fn into_value(self) -> Value {
        self
    }
}

impl IntoValue for () {
    fn into_value(self) -> Value {
        Value::None
    }
}

impl IntoValue for bool {
    fn into_value(self) -> Value {
        Value::Bool(self)
    }
}

macro_rules! into_int {
    ($($ty:ident),*) => {$(
        impl IntoValue for $ty {
            fn into_value(self) -> Value {
                Value::Int(i64::from(self))
            }
        }
    )*};
}

// What always fits in 64 bits with a sign; `u64` and `usize` are the caller's to convert.
into_int!(i8, i16, i32, i64, u8, u16, u32);

impl IntoValue for f64 {
    fn into_value(self) -> Value {
        Value::Float(self)
    }
}

impl IntoValue for f32 {
    fn into_value(self) -> Value {
        Value::Float(f64::from(self))
    }
}

impl IntoValue for String {
    fn into_value(self) -> Value {
        Value::Str(self)
    }
}

impl IntoValue for &str {
    fn into_value(self) -> Value {
        Value::Str(self.to_owned())
    }
}

impl IntoValue for Object {
    fn into_value(self) -> Value {
        Value::Object(self)
    }
}

impl IntoValue for Tensor {
    fn into_value(self) -> Value {
        Value::Tensor(self)
    }
}

impl IntoValue for &Tensor {
    fn into_value(self) -> Value {
        Value::Tensor(self.clone())
    }
}

impl<T: IntoValue> IntoValue for Option<T> {
    fn into_value(self) -> Value {
        self.map_or(Value::None, T::into_value)
    }
}

impl<T: IntoValue> IntoValue for Vec<T> {
    fn into_value(self) -> Value {
        Value::List(self.into_iter().map(T::into_value).collect())
    }
}

impl<T: IntoValue + Clone> IntoValue for &[T] {
    fn into_value(self) -> Value {
        Value::List(self.iter().cloned().map(T::into_value).collect())
    }
}

impl<T: IntoValue, const N: usize> IntoValue for [T; N] {
    fn into_value(self) -> Value {
        Value::List(self.into_iter().map(T::into_value).collect())
    }
}

// No `HashMap`: the order of the dict would differ from run to run. Collect into a `BTreeMap` or sort.
impl<K: IntoValue, V: IntoValue> IntoValue for BTreeMap<K, V> {
    fn into_value(self) -> Value {
        Value::Dict(self.into_iter().map(|(key, value)| (key.into_value(), value.into_value())).collect())
    }
}

/// The arguments of a call: a tuple, `()` for none.
pub trait IntoArgs {
    /// The arguments in order.
    fn into_args(self) -> Vec<Value>;
}

impl IntoArgs for () {
    fn into_args(self) -> Vec<Value> {
        Vec::new()
    }
}

impl IntoArgs for Vec<Value> {
    fn into_args(self) -> Vec<Value> {
        self
    }
}

macro_rules! into_tuple {
    ($($ty:ident),+) => {
        impl<$($ty: IntoValue),+> IntoArgs for ($($ty,)+) {
            fn into_args(self) -> Vec<Value> {
                #[expect(non_snake_case, reason = "the types name the fields")]
                let ($($ty,)+) = self;
                vec![$($ty.into_value()),+]
            }
        }

        impl<$($ty: IntoValue),+> IntoValue for ($($ty,)+) {
            fn into_value(self) -> Value {
                Value::Tuple(self.into_args())
            }
        }
    };
}

into_tuple!(A);
into_tuple!(A, B);
into_tuple!(A, B, C);
into_tuple!(A, B, C, D);
into_tuple!(A, B, C, D, E);
into_tuple!(A, B, C, D, E, F);
into_tuple!(A, B, C, D, E, F, G);
into_tuple!(A, B, C, D, E, F, G, H);
