//! The runtime: functions that compiled code calls by name.
//!
//! They are of two kinds. The C library's functions, by the same address that the reference interpreter
//! calls, so that results have the same bits. And the interpreter's own functions for ops that are too
//! intricate for inline code, so that their meaning is written once.
//!
//! The names begin with `snekpy_`: under the C library's own names LLVM would take the functions for
//! builtins and replace some calls by cheaper ones that round differently (`pow(x, 2.0)` by `x * x`).

use std::sync::LazyLock;

use snekpy_stage::map;
use snekpy_stage::op::meaning;
use snekpy_stage::op::{COMPUTED, Element2, Num2, Real1, Real2};
use snekpy_stage::tensor::{Dtype, elementwise as each};

/// A function with its name.
pub(crate) struct Symbol {
    /// What compiled code calls it.
    pub(crate) name: &'static str,
    /// Where it is.
    pub(crate) address: usize,
}

/// How a function of one or two doubles is computed.
pub(crate) enum Real {
    /// By an instruction or intrinsic of LLVM that rounds correctly, so that all implementations agree.
    Intrinsic(&'static str),
    /// By the C library.
    Library(Symbol),
    /// As the quotient of IEEE 754.
    Quotient,
}

#[cfg_attr(unix, link(name = "m"))]
unsafe extern "C" {
    fn exp(x: f64) -> f64;
    fn exp2(x: f64) -> f64;
    fn expm1(x: f64) -> f64;
    fn log(x: f64) -> f64;
    fn log2(x: f64) -> f64;
    fn log10(x: f64) -> f64;
    fn log1p(x: f64) -> f64;
    fn sin(x: f64) -> f64;
    fn cos(x: f64) -> f64;
    fn tan(x: f64) -> f64;
    fn asin(x: f64) -> f64;
    fn acos(x: f64) -> f64;
    fn atan(x: f64) -> f64;
    fn sinh(x: f64) -> f64;
    fn cosh(x: f64) -> f64;
    fn tanh(x: f64) -> f64;
    fn asinh(x: f64) -> f64;
    fn acosh(x: f64) -> f64;
    fn atanh(x: f64) -> f64;
    fn cbrt(x: f64) -> f64;
    fn pow(x: f64, y: f64) -> f64;
    fn atan2(y: f64, x: f64) -> f64;
    fn fmod(x: f64, y: f64) -> f64;
    fn hypot(x: f64, y: f64) -> f64;
}

macro_rules! library {
    ($function:ident) => {
        Real::Library(Symbol {
            name: concat!("snekpy_", stringify!($function)),
            address: $function as *const () as usize,
        })
    };
}

/// How a function of one double is computed.
pub(crate) fn real1(op: Real1) -> Real {
    match op {
        Real1::Sqrt => Real::Intrinsic("llvm.sqrt"),
        Real1::Exp => library!(exp),
        Real1::Exp2 => library!(exp2),
        Real1::Expm1 => library!(expm1),
        Real1::Log => library!(log),
        Real1::Log2 => library!(log2),
        Real1::Log10 => library!(log10),
        Real1::Log1p => library!(log1p),
        Real1::Sin => library!(sin),
        Real1::Cos => library!(cos),
        Real1::Tan => library!(tan),
        Real1::Asin => library!(asin),
        Real1::Acos => library!(acos),
        Real1::Atan => library!(atan),
        Real1::Sinh => library!(sinh),
        Real1::Cosh => library!(cosh),
        Real1::Tanh => library!(tanh),
        Real1::Asinh => library!(asinh),
        Real1::Acosh => library!(acosh),
        Real1::Atanh => library!(atanh),
        Real1::Cbrt => library!(cbrt),
        Real1::Floor => Real::Intrinsic("llvm.floor"),
        Real1::Ceil => Real::Intrinsic("llvm.ceil"),
        Real1::Trunc => Real::Intrinsic("llvm.trunc"),
        Real1::RoundEven => Real::Intrinsic("llvm.roundeven"),
    }
}

/// How a function that tensors have of an element is computed.
pub(crate) fn element1(op: each::Real1, dtype: Dtype) -> Real {
    static NAMES: Names = LazyLock::new(|| names(each::Real1::ALL, each::Real1::text));
    Real::Library(Symbol { name: name(&NAMES, op as usize, dtype), address: op.function_of_element(dtype) as usize })
}

/// A function that tensors have, of so many elements in memory.
pub(crate) fn row1(op: each::Real1, dtype: Dtype) -> Symbol {
    static NAMES: Names = LazyLock::new(|| names(each::Real1::ALL, |it| it.text()).map(rows));
    Symbol { name: name(&NAMES, op as usize, dtype), address: op.function_of_row(dtype) as usize }
}

fn rows(names: Vec<String>) -> Vec<String> {
    names.into_iter().map(|it| it + "_row").collect()
}

/// How a function that tensors have of two elements is computed.
pub(crate) fn element2(op: Element2, dtype: Dtype) -> Real {
    static NAMES: Names = LazyLock::new(|| names(Element2::ALL, Element2::text));
    Real::Library(Symbol { name: name(&NAMES, op as usize, dtype), address: op.function_of(dtype) as usize })
}

/// What the functions of a family are called, for each dtype.
type Names = LazyLock<[Vec<String>; COMPUTED.len()]>;

fn names<T: Copy>(all: &[T], text: fn(T) -> &'static str) -> [Vec<String>; COMPUTED.len()] {
    COMPUTED.map(|dtype| all.iter().map(|&op| format!("snekpy_{}_{dtype}", text(op))).collect())
}

fn name(names: &'static Names, row: usize, dtype: Dtype) -> &'static str {
    let of_dtype = COMPUTED.iter().position(|it| *it == dtype).expect("elements are singles or doubles");
    &names[of_dtype][row]
}

/// How a function of two doubles is computed.
pub(crate) fn real2(op: Real2) -> Real {
    match op {
        Real2::Div => Real::Quotient,
        Real2::Pow => library!(pow),
        Real2::Atan2 => library!(atan2),
        Real2::Copysign => Real::Intrinsic("llvm.copysign"),
        Real2::Fmod => library!(fmod),
        Real2::Hypot => library!(hypot),
    }
}

/// `x // y` on doubles.
pub(crate) const FLOAT_FLOOR_DIV: &str = "snekpy_float_floor_div";
/// `x % y` on doubles.
pub(crate) const FLOAT_MOD: &str = "snekpy_float_mod";
/// `x / y` on integers, for any operands but a zero divisor.
pub(crate) const INT_DIV: &str = "snekpy_int_div";
/// `x ** y` on integers: the power modulo 2^64, and whether it did not fit.
pub(crate) const INT_POW: &str = "snekpy_int_pow";

/// The position of a key in a map.
pub(crate) const MAP_FIND: &str = "snekpy_map_find";
/// The position of the first entry of a map at or behind one.
pub(crate) const MAP_NEXT: &str = "snekpy_map_next";
/// The position of the last entry of a map.
pub(crate) const MAP_LAST: &str = "snekpy_map_last";
/// A new entry of a map; whether there is no memory.
pub(crate) const MAP_INSERT: &str = "snekpy_map_insert";
/// Takes an entry out of a map.
pub(crate) const MAP_REMOVE: &str = "snekpy_map_remove";
/// Takes all entries out of a map.
pub(crate) const MAP_CLEAR: &str = "snekpy_map_clear";

extern "C" fn float_floor_div(x: f64, y: f64) -> f64 {
    meaning::num2_float(Num2::FloorDiv, x, y)
}

extern "C" fn float_mod(x: f64, y: f64) -> f64 {
    meaning::num2_float(Num2::Mod, x, y)
}

extern "C" fn int_div(x: i64, y: i64) -> f64 {
    // A guard before the op keeps zero away; without one, the quotient is as undefined as a NaN.
    meaning::int_div(x, y).unwrap_or(f64::NAN)
}

/// Two registers, which is how both C's calling conventions and LLVM's `{i64, i64}` return it.
#[repr(C)]
struct Power {
    value: i64,
    overflows: u64,
}

extern "C" fn int_pow(x: i64, y: i64) -> Power {
    match meaning::int_pow(x, y) {
        Some(value) => Power { value, overflows: 0 },
        None => Power { value: meaning::wrap_pow(x, y), overflows: 1 },
    }
}

/// Every function of the runtime.
pub(crate) fn all() -> impl Iterator<Item = Symbol> {
    let real1s = Real1::ALL.iter().map(|&op| real1(op));
    let real2s = Real2::ALL.iter().map(|&op| real2(op));
    let elements = COMPUTED.into_iter().flat_map(|dtype| {
        let of_two = Element2::ALL.iter().map(move |&op| element2(op, dtype));
        each::Real1::ALL.iter().map(move |&op| element1(op, dtype)).chain(of_two)
    });
    let library = real1s.chain(real2s).chain(elements).filter_map(|it| match it {
        Real::Library(symbol) => Some(symbol),
        Real::Intrinsic(_) | Real::Quotient => None,
    });
    let rows = COMPUTED.into_iter().flat_map(|dtype| each::Real1::ALL.iter().map(move |&op| row1(op, dtype)));
    let own = [
        Symbol { name: FLOAT_FLOOR_DIV, address: float_floor_div as *const () as usize },
        Symbol { name: FLOAT_MOD, address: float_mod as *const () as usize },
        Symbol { name: INT_DIV, address: int_div as *const () as usize },
        Symbol { name: INT_POW, address: int_pow as *const () as usize },
        Symbol { name: MAP_FIND, address: map::find as *const () as usize },
        Symbol { name: MAP_NEXT, address: map::next as *const () as usize },
        Symbol { name: MAP_LAST, address: map::last as *const () as usize },
        Symbol { name: MAP_INSERT, address: map::insert as *const () as usize },
        Symbol { name: MAP_REMOVE, address: map::remove as *const () as usize },
        Symbol { name: MAP_CLEAR, address: map::clear as *const () as usize },
    ];
    library.chain(rows).chain(own)
}
