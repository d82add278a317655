//! From Python's values to types of Rust.

use crate::error::{Error, Result};
use crate::object::Object;
use crate::tensor::Tensor;
use crate::value::Value;
use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, Hash};

/// A type that a Python value can become.
///
/// As strict as Python's own functions: an int is accepted for a float, a bool for an int, nothing is
/// truncated or parsed. A list or a tuple becomes a `Vec`; `None` becomes `Option::None`.
pub trait FromValue: Sized {
    /// The value, or a `TypeError` or `OverflowError` that says what was expected.
    fn from_value(value: Value) -> Result<Self>;
}

fn expected<T>(what: &str, found: &Value) -> Result<T> {
    Err(Error::new("TypeError", format!("expected {what}, found {}", found.type_name())))
}

impl FromValue for Value {
    fn from_value(value: Value) -> Result<Self> {
        Ok(value)
    }
}

impl FromValue for () {
    fn from_value(value: Value) -> Result<Self> {
        match value {
            Value::None => Ok(()),
            other => expected("None", &other),
        }
    }
}

impl FromValue for bool {
    fn from_value(value: Value) -> Result<Self> {
        match value {
            Value::Bool(value) => Ok(value),
            other => expected("bool", &other),
        }
    }
}

macro_rules! from_int {
    ($($ty:ident),*) => {$(
        impl FromValue for $ty {
            fn from_value(value: Value) -> Result<Self> {
                let value = match value {
                    Value::Int(value) => value,
                    Value::Bool(value) => i64::from(value),
                    Value::Object(object) if object.type_name() == "int" => {
                        let message = format!("int too large for {}: {object}", stringify!($ty));
                        return Err(Error::new("OverflowError", message));
                    }
                    other => return expected("int", &other),
                };
                $ty::try_from(value).map_err(|_| {
                    Error::new("OverflowError", format!("int out of range for {}: {value}", stringify!($ty)))
                })
            }
        }
    )*};
}

from_int!(i8, i16, i32, i64, isize, u8, u16, u32, u64, usize);

impl FromValue for f64 {
    fn from_value(value: Value) -> Result<Self> {
        match value {
            Value::Float(value) => Ok(value),
            Value::Int(value) => Ok(value as f64),
            Value::Bool(value) => Ok(f64::from(u8::from(value))),
            other => expected("float", &other),
        }
    }
}

impl FromValue for f32 {
    fn from_value(value: Value) -> Result<Self> {
        f64::from_value(value).map(|it| it as f32)
    }
}

impl FromValue for String {
    fn from_value(value: Value) -> Result<Self> {
        match value {
            Value::Str(value) => Ok(value),
            other => expected("str", &other),
        }
    }
}

impl FromValue for Object {
    fn from_value(value: Value) -> Result<Self> {
        match value {
            Value::Object(value) => Ok(value),
            other => expected("an object that stays in Python", &other),
        }
    }
}

impl FromValue for Tensor {
    fn from_value(value: Value) -> Result<Self> {
        match value {
            Value::Tensor(tensor) => Ok(tensor),
            Value::Object(object) => match object.tensor() {
                Some(tensor) => Ok(tensor),
                None => expected("an array", &Value::Object(object)),
            },
            other => expected("an array", &other),
        }
    }
}

impl<T: FromValue> FromValue for Option<T> {
    fn from_value(value: Value) -> Result<Self> {
        match value {
            Value::None => Ok(None),
            value => T::from_value(value).map(Some),
        }
    }
}

impl<T: FromValue> FromValue for Vec<T> {
    fn from_value(value: Value) -> Result<Self> {
        match value {
            Value::List(items) | Value::Tuple(items) => items.into_iter().map(T::from_value).collect(),
            other => expected("list or tuple", &other),
        }
    }
}

impl<T: FromValue, const N: usize> FromValue for [T; N] {
    fn from_value(value: Value) -> Result<Self> {
        let items = Vec::<T>::from_value(value)?;
        let count = items.len();
        items.try_into().map_err(|_| Error::new("ValueError", format!("expected {N} items, found {count}")))
    }
}

fn pairs<K: FromValue, V: FromValue, C: FromIterator<(K, V)>>(value: Value) -> Result<C> {
    match value {
        Value::Dict(pairs) => {
            pairs.into_iter().map(|(key, value)| Ok((K::from_value(key)?, V::from_value(value)?))).collect()
        }
        other => expected("dict", &other),
    }
}

impl<K: FromValue + Eq + Hash, V: FromValue, S: BuildHasher + Default> FromValue for HashMap<K, V, S> {
    fn from_value(value: Value) -> Result<Self> {
        pairs(value)
    }
}

impl<K: FromValue + Ord, V: FromValue> FromValue for BTreeMap<K, V> {
    fn from_value(value: Value) -> Result<Self> {
        pairs(value)
    }
}

macro_rules! from_tuple {
    ($count:literal: $($ty:ident),+) => {
        impl<$($ty: FromValue),+> FromValue for ($($ty,)+) {
            fn from_value(value: Value) -> Result<Self> {
                let items = match value {
                    Value::Tuple(items) | Value::List(items) => items,
                    other => return expected("tuple", &other),
                };
                if items.len() != $count {
                    let message = format!("expected a tuple of {}, found {} items", $count, items.len());
                    return Err(Error::new("ValueError", message));
                }
                let mut items = items.into_iter();
                Ok(($($ty::from_value(items.next().expect("they were counted"))?,)+))
            }
        }
    };
}

from_tuple!(1: A);
from_tuple!(2: A, B);
from_tuple!(3: A, B, C);
from_tuple!(4: A, B, C, D);
from_tuple!(5: A, B, C, D, E);
from_tuple!(6: A, B, C, D, E, F);
