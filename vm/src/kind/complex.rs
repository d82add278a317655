//! A complex number of which a part is known later: two floats.
//!
//! Its arithmetic is RustPython's, part by part. Where a product or quotient comes out as NaN in both parts, the
//! infinities that it hides (C11, annex G.5) are plain Python's to find: compiled code leaves there.

use std::sync::Arc;

use num_complex::Complex64;
use rustpython_vm::builtins::PyComplex;
use rustpython_vm::bytecode::oparg::BinaryOperator;
use rustpython_vm::function::FuncArgs;
use rustpython_vm::{AsObject, PyObject, PyObjectRef, PyResult, VirtualMachine};
use snekpy_stage::entity::Value;
use snekpy_stage::op::{Bit2, Cmp, Const, Num1, Num2, Op, Real1, Real2};

use super::{At, Bits, Found, Kind, Leaving, Make, Representation};
use crate::capture::raise::Failure;
use crate::capture::session::Session;
use crate::capture::state::State;
use crate::capture::step::Truth;
use crate::capture::stop::Step;
use crate::capture::value::{self, Num};
use crate::host::native::{NativeCallable, native_callable};

/// `cmath.exp` computes otherwise where the real part is larger than about 708.4.
const MAX_EXPONENT: f64 = 708.0;
/// Powers beyond go through the polar form.
const MAX_POWER: i32 = 100;

/// A complex number.
#[derive(Clone, Debug)]
pub(crate) struct Complex {
    /// The real part, a float.
    re: PyObjectRef,
    /// The imaginary part, a float.
    im: PyObjectRef,
}

/// Makes a complex number of its parts.
#[derive(Debug)]
struct MakeComplex;

impl Make for MakeComplex {
    fn make(&self, parts: &[PyObjectRef], vm: &VirtualMachine) -> PyResult {
        vm.ctx.types.complex_type.as_object().call(parts.to_vec(), vm)
    }

    fn make_of_numbers(&self, bits: &[u64], vm: &VirtualMachine) -> Option<PyObjectRef> {
        let &[re, im] = bits else { return None };
        Some(vm.ctx.new_complex(Complex64::new(f64::from_bits(re), f64::from_bits(im))).into())
    }

    fn numbers_of(&self, object: &PyObject, vm: &VirtualMachine) -> Option<Bits> {
        let number = object.downcast_ref_if_exact::<PyComplex>(vm)?.to_complex();
        Some(Bits::from([number.re.to_bits(), number.im.to_bits()]))
    }

    fn class(&self) -> String {
        "a `complex`".to_owned()
    }
}

impl Representation for Complex {
    fn noun(&self) -> &'static str {
        "complex number"
    }

    fn of_known(object: &PyObject, vm: &VirtualMachine) -> Option<Self> {
        let number = object.downcast_ref_if_exact::<PyComplex>(vm)?.to_complex();
        let float = |part: f64| vm.ctx.new_float(part).into();
        Some(Self { re: float(number.re), im: float(number.im) })
    }

    fn parts(&self) -> Vec<PyObjectRef> {
        vec![self.re.clone(), self.im.clone()]
    }

    fn with(&self, parts: Vec<PyObjectRef>) -> Kind {
        let [re, im] = <[PyObjectRef; 2]>::try_from(parts).expect("two in, two out");
        Self { re, im }.into()
    }

    fn leaving(&self) -> Leaving {
        Leaving::Made { make: Arc::new(MakeComplex), parts: self.parts() }
    }

    fn sample(&self, vm: &VirtualMachine) -> Option<PyObjectRef> {
        vm.ctx.types.complex_type.as_object().call((), vm).ok()
    }

    fn crosses(&self) -> bool {
        true
    }

    fn is_item(&self) -> bool {
        true
    }

    fn is_immutable(&self) -> bool {
        true
    }

    fn truth(&self, at: &mut At<'_, '_>) -> Step<Option<Truth>> {
        let At { session, state, .. } = at;
        let zero = session.float(state, 0.0);
        let is_zero = self.values(session, state)?.is(session, state, Point { re: zero, im: zero });
        Ok(Some(Truth::Staged(session.value(state, Op::Not, &[is_zero]))))
    }

    fn binary(
        &self,
        at: &mut At<'_, '_>,
        operator: BinaryOperator,
        operands: [&PyObjectRef; 2],
    ) -> Step<Option<PyObjectRef>> {
        let At { session, state, .. } = at;
        if operator == BinaryOperator::Power {
            return Self::power(session, state, operands);
        }
        let [Some(x), Some(y)] = operands.map(|it| Operand::of(it, session)) else { return Ok(None) };
        let (x, y) = (x.values(session, state)?, y.values(session, state)?);
        let result = match operator {
            BinaryOperator::Add => sum(session, state, Num2::Add, &x, &y),
            BinaryOperator::Subtract => sum(session, state, Num2::Sub, &x, &y),
            BinaryOperator::Multiply => match (x, y) {
                (Numbers::Point(x), Numbers::Point(y)) => product(session, state, x, y),
                (Numbers::Point(z), Numbers::Real(by)) => {
                    z.each(|part| session.value(state, Op::Num2(Num2::Mul), &[part, by]))
                }
                (Numbers::Real(by), Numbers::Point(z)) => {
                    z.each(|part| session.value(state, Op::Num2(Num2::Mul), &[by, part]))
                }
                (Numbers::Real(_), Numbers::Real(_)) => return Ok(None),
            },
            BinaryOperator::TrueDivide => match (x, y) {
                (x, Numbers::Point(y)) => quotient(session, state, &x, y)?,
                (Numbers::Point(x), Numbers::Real(y)) => {
                    let zero = session.float(state, 0.0);
                    let divides = session.cmp(state, Cmp::Ne, y, zero);
                    check_divisor(session, state, divides)?;
                    x.each(|part| session.value(state, Op::Real2(Real2::Div), &[part, y]))
                }
                (Numbers::Real(_), Numbers::Real(_)) => return Ok(None),
            },
            _ => return Ok(None),
        };
        Ok(Some(result.object(session)))
    }

    fn compare(&self, at: &mut At<'_, '_>, cmp: Cmp, other: &PyObjectRef) -> Step<Option<PyObjectRef>> {
        let At { session, state, .. } = at;
        if !matches!(cmp, Cmp::Eq | Cmp::Ne) {
            return Ok(None);
        }
        let Some(other) = Operand::of(other, session) else { return Ok(None) };
        let other = match other.values(session, state)? {
            Numbers::Point(other) => other,
            Numbers::Real(re) => Point { re, im: session.float(state, 0.0) },
        };
        let is = self.values(session, state)?.is(session, state, other);
        let is = if cmp == Cmp::Ne { session.value(state, Op::Not, &[is]) } else { is };
        Ok(Some(session.rep(is)))
    }

    fn is_nan(&self, session: &mut Session<'_>, state: &State) -> Step<Option<Value>> {
        let Point { re, im } = self.values(session, state)?.each(|part| session.cmp(state, Cmp::Ne, part, part));
        Ok(Some(session.value(state, Op::Bit2(Bit2::Or), &[re, im])))
    }

    fn negative(&self, at: &mut At<'_, '_>) -> Step<Option<PyObjectRef>> {
        let At { session, state, .. } = at;
        let number = self.values(session, state)?;
        Ok(Some(number.each(|part| session.value(state, Op::Num1(Num1::Neg), &[part])).object(session)))
    }

    fn attribute(&self, name: &str) -> Option<Found> {
        match name {
            "real" => Some(Found::Value(self.re.clone())),
            "imag" => Some(Found::Value(self.im.clone())),
            "conjugate" => Some(Found::Method),
            _ => None,
        }
    }

    fn call_method(&self, at: &mut At<'_, '_>, name: &str, args: &[PyObjectRef]) -> Step<Option<PyObjectRef>> {
        let At { session, state, .. } = at;
        if name != "conjugate" || !args.is_empty() {
            return Ok(None);
        }
        let Point { re, im } = self.values(session, state)?;
        let im = session.value(state, Op::Num1(Num1::Neg), &[im]);
        Ok(Some(Point { re, im }.object(session)))
    }

    fn of_call(
        session: &mut Session<'_>,
        state: &mut State,
        callable: &PyObjectRef,
        args: &FuncArgs,
    ) -> Step<Option<PyObjectRef>> {
        if !args.kwargs.is_empty() {
            return Ok(None);
        }
        if let Some(NativeCallable::Function { module: "cmath", name }) = native_callable(callable, session.vm) {
            return Self::of_cmath(session, state, name.as_str(), &args.args);
        }
        match args.args.as_slice() {
            [z] if let Some(number) = super::as_kind::<Self>(z) => {
                if !session.is_builtin(callable, "abs") {
                    return Ok(is_complex_class(callable, session).then(|| z.clone()));
                }
                let z = number.values(session, state)?;
                let size = session.value(state, Op::Real2(Real2::Hypot), &[z.re, z.im]);
                // One that is too large is an OverflowError, if no part is infinite.
                let infinite = session.float(state, f64::INFINITY);
                let is_infinite = session.cmp(state, Cmp::Eq, size, infinite);
                session.leave_if(state, is_infinite);
                Ok(Some(session.rep(size)))
            }
            [re, rest @ ..] if rest.len() < 2 && is_complex_class(callable, session) => {
                let mut parts = Vec::with_capacity(2);
                for part in [Some(re), rest.first()] {
                    let Some(part) = part else {
                        parts.push(session.float(state, 0.0));
                        continue;
                    };
                    let Some(part) = session.number(part)? else { return Ok(None) };
                    parts.push(session.as_float(state, part));
                }
                Ok(Some(Point { re: parts[0], im: parts[1] }.object(session)))
            }
            _ => Ok(None),
        }
    }
}

impl Complex {
    fn values(&self, session: &mut Session<'_>, state: &State) -> Step<Point> {
        let mut part = |part: &PyObjectRef| -> Step<Value> {
            let number = session.number(part)?.expect("a part is a number");
            Ok(session.lift(state, number))
        };
        Ok(Point { re: part(&self.re)?, im: part(&self.im)? })
    }

    /// A function of `cmath`, where its arguments are neither infinite nor NaN nor too large: plain Python knows the rest.
    fn of_cmath(
        session: &mut Session<'_>,
        state: &mut State,
        name: &str,
        args: &[PyObjectRef],
    ) -> Step<Option<PyObjectRef>> {
        let (size, angle, most) = match (name, args) {
            ("exp", [z]) => {
                let Some(z) = Operand::of(z, session) else { return Ok(None) };
                match z.values(session, state)? {
                    Numbers::Point(z) => (z.re, z.im, MAX_EXPONENT),
                    Numbers::Real(re) => (re, session.float(state, 0.0), MAX_EXPONENT),
                }
            }
            ("rect", [size, angle]) => {
                let (Some(size), Some(angle)) = (session.number(size)?, session.number(angle)?) else {
                    return Ok(None);
                };
                (session.as_float(state, size), session.as_float(state, angle), f64::MAX)
            }
            _ => return Ok(None),
        };
        for (part, most) in [(size, most), (angle, f64::MAX)] {
            let (part, most) = (session.value(state, Op::Num1(Num1::Abs), &[part]), session.float(state, most));
            let fits = session.cmp(state, Cmp::Le, part, most);
            let fails = session.value(state, Op::Not, &[fits]);
            session.leave_if(state, fails);
        }
        let size = if name == "exp" { session.value(state, Op::Real1(Real1::Exp), &[size]) } else { size };
        let mut part = |of| {
            let factor = session.value(state, Op::Real1(of), &[angle]);
            session.value(state, Op::Num2(Num2::Mul), &[size, factor])
        };
        let point = Point { re: part(Real1::Cos), im: part(Real1::Sin) };
        Ok(Some(point.object(session)))
    }

    /// `x ** n` for a small whole number that is known now: by products, as RustPython does.
    fn power(session: &mut Session<'_>, state: &mut State, [x, n]: [&PyObjectRef; 2]) -> Step<Option<PyObjectRef>> {
        let n = match value::number(n, session.vm) {
            Some(Num::Static(Const::I64(n))) => i32::try_from(n).ok(),
            Some(Num::Static(Const::F64(n))) if n == f64::from(n as i32) => Some(n as i32),
            _ => None,
        };
        let (Some(n), Some(x)) = (n.filter(|n| n.abs() <= MAX_POWER), super::as_kind::<Self>(x)) else {
            return Ok(None);
        };
        let one = Point { re: session.float(state, 1.0), im: session.float(state, 0.0) };
        let (mut result, mut power) = (one, x.values(session, state)?);
        let mut left = n.unsigned_abs();
        while left > 0 {
            if left & 1 == 1 {
                result = product(session, state, result, power);
            }
            left >>= 1;
            if left > 0 {
                power = product(session, state, power, power);
            }
        }
        if n <= 0 {
            let is_zero = |session: &mut Session<'_>, part| {
                let zero = session.float(state, 0.0);
                session.cmp(state, Cmp::Eq, part, zero)
            };
            // Its message is that of a power.
            let (re, im) = (is_zero(session, result.re), is_zero(session, result.im));
            let both = session.value(state, Op::Bit2(Bit2::And), &[re, im]);
            session.leave_if(state, both);
            result = quotient(session, state, &Numbers::Point(one), result)?;
        }
        for part in [result.re, result.im] {
            // An OverflowError.
            let (size, infinite) =
                (session.value(state, Op::Num1(Num1::Abs), &[part]), session.float(state, f64::INFINITY));
            let is_infinite = session.cmp(state, Cmp::Eq, size, infinite);
            session.leave_if(state, is_infinite);
        }
        Ok(Some(result.object(session)))
    }
}

/// The parts of a complex number.
#[derive(Clone, Copy)]
struct Point {
    re: Value,
    im: Value,
}

impl Point {
    fn each(self, mut f: impl FnMut(Value) -> Value) -> Self {
        Self { re: f(self.re), im: f(self.im) }
    }

    fn is(self, session: &mut Session<'_>, state: &State, other: Self) -> Value {
        let re = session.cmp(state, Cmp::Eq, self.re, other.re);
        let im = session.cmp(state, Cmp::Eq, self.im, other.im);
        session.value(state, Op::Bit2(Bit2::And), &[re, im])
    }

    fn object(self, session: &Session<'_>) -> PyObjectRef {
        Kind::from(Complex { re: session.rep(self.re), im: session.rep(self.im) }).object(session.vm)
    }
}

/// An operand that arithmetic with a complex number takes.
enum Operand {
    Complex(Complex),
    Real(Num),
}

impl Operand {
    fn of(object: &PyObjectRef, session: &Session<'_>) -> Option<Self> {
        if let Some(Kind::Complex(number)) = super::like(object, session.vm).as_deref() {
            return Some(Self::Complex(number.clone()));
        }
        value::number(object, session.vm).filter(|it| it.ty().is_scalar()).map(Self::Real)
    }

    fn values(&self, session: &mut Session<'_>, state: &State) -> Step<Numbers> {
        Ok(match self {
            Self::Complex(number) => Numbers::Point(number.values(session, state)?),
            Self::Real(number) => Numbers::Real(session.as_float(state, *number)),
        })
    }
}

/// The parts of an operand.
enum Numbers {
    Point(Point),
    Real(Value),
}

/// `x + y` or `x - y`. A real number leaves the imaginary part of the other alone, but for its sign.
fn sum(session: &mut Session<'_>, state: &State, op: Num2, x: &Numbers, y: &Numbers) -> Point {
    let both = |session: &mut Session<'_>, x, y| session.value(state, Op::Num2(op), &[x, y]);
    match (x, y) {
        (Numbers::Point(x), Numbers::Point(y)) => {
            Point { re: both(session, x.re, y.re), im: both(session, x.im, y.im) }
        }
        (Numbers::Point(x), Numbers::Real(y)) => Point { re: both(session, x.re, *y), im: x.im },
        (Numbers::Real(x), Numbers::Point(y)) => {
            let im = if op == Num2::Sub { session.value(state, Op::Num1(Num1::Neg), &[y.im]) } else { y.im };
            Point { re: both(session, *x, y.re), im }
        }
        (Numbers::Real(_), Numbers::Real(_)) => unreachable!("one of them is complex"),
    }
}

fn product(session: &mut Session<'_>, state: &State, x: Point, y: Point) -> Point {
    let mut op = |op, x, y| session.value(state, Op::Num2(op), &[x, y]);
    let (a, b) = (op(Num2::Mul, x.re, y.re), op(Num2::Mul, x.im, y.im));
    let (c, d) = (op(Num2::Mul, x.re, y.im), op(Num2::Mul, x.im, y.re));
    let result = Point { re: op(Num2::Sub, a, b), im: op(Num2::Add, c, d) };
    leave_if_hidden(session, state, result);
    result
}

/// `x / y`, scaled by the larger part of `y`.
fn quotient(session: &mut Session<'_>, state: &mut State, x: &Numbers, y: Point) -> Step<Point> {
    let sizes = y.each(|part| session.value(state, Op::Num1(Num1::Abs), &[part]));
    let zero = session.float(state, 0.0);
    let is_wide = session.cmp(state, Cmp::Ge, sizes.re, sizes.im);
    let is_wide = session.ask(state, is_wide)?;
    if is_wide {
        let divides = session.cmp(state, Cmp::Ne, sizes.re, zero);
        check_divisor(session, state, divides)?;
    } else {
        let is_high = session.cmp(state, Cmp::Ge, sizes.im, sizes.re);
        let other = session.value(state, Op::Not, &[is_high]);
        session.leave_if(state, other);
    }
    let mut div = |x, y| session.value(state, Op::Real2(Real2::Div), &[x, y]);
    let ratio = if is_wide { div(y.im, y.re) } else { div(y.re, y.im) };
    let mut op = |op, x, y| session.value(state, Op::Num2(op), &[x, y]);
    let below = if is_wide {
        let scaled = op(Num2::Mul, y.im, ratio);
        op(Num2::Add, y.re, scaled)
    } else {
        let scaled = op(Num2::Mul, y.re, ratio);
        op(Num2::Add, scaled, y.im)
    };
    let above = match x {
        Numbers::Point(x) if is_wide => {
            let (im, re) = (op(Num2::Mul, x.im, ratio), op(Num2::Mul, x.re, ratio));
            Point { re: op(Num2::Add, x.re, im), im: op(Num2::Sub, x.im, re) }
        }
        Numbers::Point(x) => {
            let (re, im) = (op(Num2::Mul, x.re, ratio), op(Num2::Mul, x.im, ratio));
            Point { re: op(Num2::Add, re, x.im), im: op(Num2::Sub, im, x.re) }
        }
        Numbers::Real(x) => {
            let minus = session.value(state, Op::Num1(Num1::Neg), &[*x]);
            let scaled = |session: &mut Session<'_>, x| session.value(state, Op::Num2(Num2::Mul), &[x, ratio]);
            match is_wide {
                true => Point { re: *x, im: scaled(session, minus) },
                false => Point { re: scaled(session, *x), im: minus },
            }
        }
    };
    let result = above.each(|part| session.value(state, Op::Real2(Real2::Div), &[part, below]));
    leave_if_hidden(session, state, result);
    Ok(result)
}

/// Plain Python finds what is behind a result that is NaN in both parts.
fn leave_if_hidden(session: &mut Session<'_>, state: &State, result: Point) {
    let Point { re, im } = result.each(|part| session.cmp(state, Cmp::Ne, part, part));
    let hidden = session.value(state, Op::Bit2(Bit2::And), &[re, im]);
    session.leave_if(state, hidden);
}

fn check_divisor(session: &mut Session<'_>, state: &mut State, divides: Value) -> Step<()> {
    let error = session.vm.new_zero_division_error("division by zero");
    session.check(state, divides, Failure::Raise(error))
}

fn is_complex_class(callable: &PyObjectRef, session: &Session<'_>) -> bool {
    callable.is(session.vm.ctx.types.complex_type)
}
