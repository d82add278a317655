//! Compiled functions with a Rust signature: `compiled.typed::<fn(f64, f64) -> f64>()`.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use snekpy_stage::types::Type;

use super::arrays::Table;
use super::{CallError, Compiled, Inner, MAX_RESULTS, Plan, Value};

mod sealed {
    pub trait Sealed {}
    impl Sealed for bool {}
    impl Sealed for i64 {}
    impl Sealed for f64 {}
}

/// A number or truth value that compiled code takes and gives.
pub trait Scalar: Copy + sealed::Sealed {
    /// Its type in compiled code.
    const TYPE: Type;
    /// Its slot.
    fn to_slot(self) -> u64;
    /// The value in a slot.
    fn from_slot(bits: u64) -> Self;
}

impl Scalar for bool {
    const TYPE: Type = Type::Bool;
    fn to_slot(self) -> u64 {
        u64::from(self)
    }
    fn from_slot(bits: u64) -> Self {
        bits != 0
    }
}

impl Scalar for i64 {
    const TYPE: Type = Type::I64;
    fn to_slot(self) -> u64 {
        self.cast_unsigned()
    }
    fn from_slot(bits: u64) -> Self {
        bits.cast_signed()
    }
}

impl Scalar for f64 {
    const TYPE: Type = Type::F64;
    fn to_slot(self) -> u64 {
        self.to_bits()
    }
    fn from_slot(bits: u64) -> Self {
        Self::from_bits(bits)
    }
}

/// What a compiled function gives: nothing (`None`), a scalar, or a tuple of scalars.
pub trait Output: Sized {
    /// The types of the scalars; `None` in place of a tuple means that it is one scalar or nothing.
    const TYPES: &'static [Type];
    /// Whether it is a tuple.
    const IS_TUPLE: bool;
    /// From the slots of the scalars.
    fn from_slots(slots: &[u64; MAX_RESULTS]) -> Self;
}

impl Output for () {
    const TYPES: &'static [Type] = &[];
    const IS_TUPLE: bool = false;
    fn from_slots(_: &[u64; MAX_RESULTS]) -> Self {}
}

impl<T: Scalar> Output for T {
    const TYPES: &'static [Type] = &[T::TYPE];
    const IS_TUPLE: bool = false;
    #[inline]
    fn from_slots(slots: &[u64; MAX_RESULTS]) -> Self {
        T::from_slot(slots[0])
    }
}

macro_rules! tuple_output {
    ($($name:ident $index:tt),*) => {
        impl<$($name: Scalar),*> Output for ($($name,)*) {
            const TYPES: &'static [Type] = &[$($name::TYPE),*];
            const IS_TUPLE: bool = true;
            #[inline]
            fn from_slots(slots: &[u64; MAX_RESULTS]) -> Self {
                ($($name::from_slot(slots[$index]),)*)
            }
        }
    };
}

tuple_output!(A 0);
tuple_output!(A 0, B 1);
tuple_output!(A 0, B 1, C 2);
tuple_output!(A 0, B 1, C 2, D 3);
tuple_output!(A 0, B 1, C 2, D 3, E 4);
tuple_output!(A 0, B 1, C 2, D 3, E 4, F 5);

/// A signature: `fn(f64, i64) -> f64` and the like, up to six parameters.
pub trait Signature {
    /// What it gives.
    type Output: Output;
    /// What it takes.
    const PARAMS: &'static [Type];
}

/// A compiled function with a Rust signature.
pub struct Typed<F> {
    inner: Arc<Inner>,
    /// Where each scalar of the output comes from.
    sources: [Source; MAX_RESULTS],
    /// The scalars are the results, in order.
    direct: bool,
    signature: PhantomData<fn() -> F>,
}

/// Where a scalar of the output comes from.
#[derive(Clone, Copy)]
enum Source {
    Slot(usize),
    Known(u64),
}

impl<F> Clone for Typed<F> {
    fn clone(&self) -> Self {
        Self { inner: self.inner.clone(), sources: self.sources, direct: self.direct, signature: PhantomData }
    }
}

impl<F> fmt::Debug for Typed<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Typed({})", self.inner.name)
    }
}

/// A function was compiled for another signature.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SignatureError {
    message: String,
}

impl fmt::Display for SignatureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for SignatureError {}

impl Compiled {
    /// The function with a Rust signature.
    ///
    /// # Errors
    /// A [`SignatureError`] when it takes or gives something else.
    pub fn typed<F: Signature>(&self) -> Result<Typed<F>, SignatureError> {
        let inner = &self.inner;
        if inner.params != F::PARAMS {
            let message = format!("{} takes ({}), not ({})", inner.name, list(&inner.params), list(F::PARAMS));
            return Err(SignatureError { message });
        }
        let mut sources = [Source::Known(0); MAX_RESULTS];
        if !take(&inner.result, F::Output::TYPES, F::Output::IS_TUPLE, &mut sources) {
            let wanted = match (F::Output::TYPES, F::Output::IS_TUPLE) {
                ([], _) => "None".to_owned(),
                (types, true) => format!("({})", list(types)),
                (types, false) => list(types),
            };
            let message = format!("{} gives {}, not {wanted}", inner.name, show(&inner.result));
            return Err(SignatureError { message });
        }
        let count = F::Output::TYPES.len();
        let direct =
            sources[..count].iter().enumerate().all(|(index, it)| matches!(it, Source::Slot(slot) if *slot == index));
        Ok(Typed { inner: inner.clone(), sources, direct, signature: PhantomData })
    }
}

fn list(types: &[Type]) -> String {
    types.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// A result as its type is written.
fn show(plan: &Plan) -> String {
    match plan {
        Plan::Known(value) => show_value(value).to_owned(),
        Plan::Leaf { ty, .. } => ty.to_string(),
        Plan::Tuple(items) => format!("({})", items.iter().map(show).collect::<Vec<_>>().join(", ")),
    }
}

fn show_value(value: &Value) -> &'static str {
    match value {
        Value::None => "None",
        Value::Bool(_) => "bool",
        Value::I64(_) => "i64",
        Value::F64(_) => "f64",
        Value::Tuple(_) => "a tuple",
        Value::Array(_) => "an array",
    }
}

/// Where the scalars of an output come from, if the result has them.
fn take(plan: &Plan, types: &[Type], is_tuple: bool, sources: &mut [Source; MAX_RESULTS]) -> bool {
    if is_tuple {
        return match plan {
            Plan::Tuple(items) if items.len() == types.len() => {
                items.iter().zip(types).zip(sources).all(|((item, ty), source)| scalar(item, *ty, source))
            }
            _ => false,
        };
    }
    match types {
        [] => *plan == Plan::Known(Value::None),
        [ty] => scalar(plan, *ty, &mut sources[0]),
        _ => false,
    }
}

fn scalar(plan: &Plan, ty: Type, source: &mut Source) -> bool {
    *source = match plan {
        Plan::Leaf { slot, ty: it } if *it == ty => Source::Slot(*slot),
        Plan::Known(Value::Bool(it)) if ty == Type::Bool => Source::Known(it.to_slot()),
        Plan::Known(Value::I64(it)) if ty == Type::I64 => Source::Known(it.to_slot()),
        Plan::Known(Value::F64(it)) if ty == Type::F64 => Source::Known(it.to_slot()),
        _ => return false,
    };
    true
}

impl<F: Signature> Typed<F> {
    /// # Safety
    /// `args` are the slots of the parameters.
    #[inline]
    unsafe fn run(&self, args: &[u64]) -> Result<F::Output, CallError> {
        let mut results = [0; MAX_RESULTS];
        // SAFETY: passed on.
        unsafe {
            match self.inner.has_arrays {
                false => self.inner.run(args, &mut results, None)?,
                true => self.run_with_arrays(args, &mut results)?,
            }
        }
        if self.direct {
            return Ok(F::Output::from_slots(&results));
        }
        let slots = self.sources.map(|source| match source {
            Source::Slot(slot) => results[slot],
            Source::Known(bits) => bits,
        });
        Ok(F::Output::from_slots(&slots))
    }

    /// # Safety
    /// As for [`Typed::run`].
    #[inline(never)]
    unsafe fn run_with_arrays(&self, args: &[u64], results: &mut [u64; MAX_RESULTS]) -> Result<(), CallError> {
        // SAFETY: passed on.
        unsafe { self.inner.run(args, results, Some(&Table::default())) }
    }
}

macro_rules! signature {
    ($($name:ident $arg:ident),*) => {
        impl<$($name: Scalar,)* R: Output> Signature for fn($($name),*) -> R {
            type Output = R;
            const PARAMS: &'static [Type] = &[$($name::TYPE),*];
        }

        impl<$($name: Scalar,)* R: Output> Typed<fn($($name),*) -> R> {
            /// Calls it.
            ///
            /// # Errors
            /// A [`CallError`] for what would be an exception in Python.
            #[inline]
            #[allow(clippy::too_many_arguments, reason = "one for each parameter of the signature")]
            pub fn call(&self, $($arg: $name),*) -> Result<R, CallError> {
                // SAFETY: `typed` has compared the parameters with this signature.
                unsafe { self.run(&[$($arg.to_slot()),*]) }
            }
        }
    };
}

signature!();
signature!(A a);
signature!(A a, B b);
signature!(A a, B b, C c);
signature!(A a, B b, C c, D d);
signature!(A a, B b, C c, D d, E e);
signature!(A a, B b, C c, D d, E e, F f);
