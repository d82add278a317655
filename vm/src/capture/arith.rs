//! Arithmetic on Reps, as Python defines it.

use rustpython_vm::builtins::{PyList, PyStr, PyTuple};
use rustpython_vm::bytecode::oparg::BinaryOperator;
use rustpython_vm::{AsObject, PyObjectRef, PyResult};
use snekpy_stage::entity::Value;
use snekpy_stage::op::{Bit2, Cmp, Const, Convert, Num1, Num2, Op, Real1, Real2, Shift};
use snekpy_stage::types::Type;

use crate::capture::list::KNOWN_ONE_BY_ONE;
use crate::capture::observe;
use crate::capture::raise::Failure;
use crate::capture::session::Session;
use crate::capture::state::State;
use crate::capture::step::{refuse, refuse_effort, unsupported};
use crate::capture::stop::Step;
use crate::capture::value::{self, Num};
use crate::capture::values::{Abstract, classify};
use crate::host::{effort, operator};
use crate::kind::{self, Text, TextPart};
use crate::rep::Named;

/// The largest exponent for which a power is written as multiplications.
const MAX_UNROLLED_POWER: i64 = 8;

impl Session<'_> {
    /// `BINARY_OP`.
    pub(crate) fn binary_op(&mut self, state: &mut State, arg: u32) -> Step<()> {
        let operator = BinaryOperator::try_from(arg).map_err(|_| unsupported(state))?;
        let y = state.pop_obj();
        let x = state.pop_obj();
        let (operator, in_place) = plain(operator);
        let result = match operator {
            BinaryOperator::Subscr => self.subscript(state, &x, &y)?,
            _ => self.binary(state, operator, in_place, &x, &y)?,
        };
        state.push(result);
        Ok(())
    }

    /// `x operator y`.
    pub(crate) fn binary(
        &mut self,
        state: &mut State,
        operator: BinaryOperator,
        in_place: bool,
        x: &PyObjectRef,
        y: &PyObjectRef,
    ) -> Step<PyObjectRef> {
        match (self.number(x)?, self.number(y)?) {
            (Some(Num::Static(_)), Some(Num::Static(_))) => {}
            (Some(a), Some(b)) => {
                return self.arithmetic(state, operator, in_place, [a, b], [x, y]);
            }
            _ => {}
        }
        if let Some(result) = self.binary_of_kinds(state, operator, [x, y])? {
            return Ok(result);
        }
        if let Some(text) = self.binary_text(operator, x, y)? {
            return Ok(text);
        }
        if in_place && x.downcast_ref_if_exact::<PyList>(self.vm).is_some() {
            return self.in_place_list(state, operator, x, y);
        }
        if operator == BinaryOperator::Multiply {
            for (list, times) in [(x, y), (y, x)] {
                if !matches!(classify(list, self.vm), Abstract::Items(_))
                    && self.repeats_often(list, times)?
                    && let Some(times) = self.number(times)?
                {
                    self.guard_contents(list)?;
                    if let Some(repeated) = self.repeat_list(state, list, times)? {
                        return Ok(repeated);
                    }
                }
            }
        }
        for object in [x, y] {
            self.refuse_grown(object, &format!("`{operator}`"))?;
            if value::rep(object).is_some_and(|(_, ty)| !ty.is_scalar()) {
                return Err(refuse("S250", format!("`{operator}` on a whole array cannot be staged yet"))
                    .help("write a loop over its elements")
                    .into());
            }
            if !self.is_plain(object) {
                return Err(refuse("S251", format!("`{operator}` on a `{}` runs its own method", object.class_name()))
                    .help("call the method by name")
                    .into());
            }
            if operator == BinaryOperator::Remainder {
                self.observe(object, observe::ANY)?;
                self.observe(object, observe::SHOWS)?;
            } else {
                self.observe_itself(object, &[])?;
            }
        }
        // A number that is known later beside something that is no number: Python's answer depends on its
        // type alone, except for repetition.
        let (a, b) = (self.stand_for(x), self.stand_for(y));
        let counts = |it: &PyObjectRef| !it.class().is(self.vm.ctx.types.float_type);
        let repeats = operator == BinaryOperator::Multiply
            && (!a.is(x) && counts(&a) && is_sequence(y) || !b.is(y) && counts(&b) && is_sequence(x));
        if repeats {
            return Err(refuse("S252", "repetition of a sequence by a staged number")
                .help("the length must be known: make the number static")
                .into());
        }
        if in_place && crate::capture::heap::read(x, self.vm).is_some() {
            self.touch(state, x)?;
        }
        let result = apply(self, operator, in_place, &a, &b)?;
        if !a.is(x) || !b.is(y) {
            return Err(refuse("S253", format!("`{operator}` of these operands cannot be staged")).into());
        }
        let result = self.adopt(result)?;
        Ok(self.as_new(state, result))
    }

    /// What has been computed now: a NaN is another object at each call, and only its number is known.
    pub(crate) fn as_new(&mut self, state: &State, made: PyObjectRef) -> PyObjectRef {
        match value::number(&made, self.vm) {
            Some(Num::Static(constant @ Const::F64(it))) if it.is_nan() => {
                let value = self.constant(state.block, constant);
                self.rep(value)
            }
            _ => made,
        }
    }

    /// Whether this is a list, and a number that is known later, or that makes it too long to be known item by item.
    pub(crate) fn repeats_often(&self, list: &PyObjectRef, times: &PyObjectRef) -> Step<bool> {
        let Some(items) = list.downcast_ref_if_exact::<PyList>(self.vm) else { return Ok(false) };
        Ok(match self.number(times)? {
            Some(Num::Staged(_, Type::I64 | Type::Bool)) => true,
            Some(Num::Static(_)) => {
                effort::repeated_length(list, times).is_some_and(|it| it > KNOWN_ONE_BY_ONE as u64)
                    && items.borrow_vec().iter().all(|it| self.item_type(it).is_some())
            }
            _ => false,
        })
    }

    /// An object of the same class for a Rep: for asking Python about the types.
    pub(crate) fn stand_for(&self, object: &PyObjectRef) -> PyObjectRef {
        value::rep(object).and_then(|(_, ty)| value::sample(ty, self.vm)).unwrap_or_else(|| object.clone())
    }

    fn arithmetic(
        &mut self,
        state: &mut State,
        operator: BinaryOperator,
        in_place: bool,
        [a, b]: [Num; 2],
        [x, y]: [&PyObjectRef; 2],
    ) -> Step<PyObjectRef> {
        let floats = a.ty() == Type::F64 || b.ty() == Type::F64;
        if !floats && let Some(low) = self.low_bits(state, operator, [x, y])? {
            return Ok(low);
        }
        let value = match operator {
            BinaryOperator::Add => self.plain_op(state, Num2::Add, floats, a, b)?,
            BinaryOperator::Subtract => self.plain_op(state, Num2::Sub, floats, a, b)?,
            BinaryOperator::Multiply => self.plain_op(state, Num2::Mul, floats, a, b)?,
            BinaryOperator::FloorDivide | BinaryOperator::Remainder => {
                let op = if operator == BinaryOperator::FloorDivide { Num2::FloorDiv } else { Num2::Mod };
                self.check_divisor(state, operator, floats, a, b)?;
                self.plain_op(state, op, floats, a, b)?
            }
            BinaryOperator::TrueDivide => {
                self.check_divisor(state, operator, floats, a, b)?;
                if floats {
                    let (a, b) = (self.as_float(state, a), self.as_float(state, b));
                    self.value(state, Op::Real2(Real2::Div), &[a, b])
                } else {
                    let (a, b) = (self.as_int(state, a), self.as_int(state, b));
                    self.value(state, Op::IntDiv, &[a, b])
                }
            }
            BinaryOperator::Power => return self.power(state, a, b, x, y),
            BinaryOperator::And | BinaryOperator::Or | BinaryOperator::Xor if !floats => {
                let op = match operator {
                    BinaryOperator::And => Bit2::And,
                    BinaryOperator::Or => Bit2::Or,
                    _ => Bit2::Xor,
                };
                if (a.ty(), b.ty()) == (Type::Bool, Type::Bool) {
                    let (a, b) = (self.lift(state, a), self.lift(state, b));
                    self.value(state, Op::Bit2(op), &[a, b])
                } else {
                    let (a, b) = (self.as_int(state, a), self.as_int(state, b));
                    self.value(state, Op::Bit2(op), &[a, b])
                }
            }
            BinaryOperator::Lshift | BinaryOperator::Rshift if !floats => {
                let (a, b) = (self.as_int(state, a), self.as_int(state, b));
                let zero = self.int(state, 0);
                let holds = self.cmp(state, Cmp::Ge, b, zero);
                let negative = self.vm.new_value_error("negative shift count");
                self.check(state, holds, Failure::Raise(negative))?;
                let op = if operator == BinaryOperator::Lshift { Shift::Left } else { Shift::Right };
                self.value(state, Op::Shift(op), &[a, b])
            }
            _ => {
                // A type error, whatever the numbers are: Python knows its text, which names an augmented assignment.
                let (a, b) = (self.stand_for(x), self.stand_for(y));
                apply(self, operator, in_place, &a, &b)?;
                return Err(unsupported(state));
            }
        };
        Ok(self.rep(value))
    }

    fn plain_op(&mut self, state: &mut State, op: Num2, floats: bool, a: Num, b: Num) -> Step<Value> {
        let (a, b) = if floats {
            (self.as_float(state, a), self.as_float(state, b))
        } else {
            (self.as_int(state, a), self.as_int(state, b))
        };
        Ok(self.value(state, Op::Num2(op), &[a, b]))
    }

    fn check_divisor(&mut self, state: &mut State, operator: BinaryOperator, floats: bool, a: Num, b: Num) -> Step<()> {
        if let Num::Static(divisor) = b
            && !matches!(divisor, Const::I64(0) | Const::Bool(false) | Const::F64(0.0))
        {
            return Ok(());
        }
        let holds = if floats {
            let (b, zero) = (self.as_float(state, b), self.float(state, 0.0));
            self.cmp(state, Cmp::Ne, b, zero)
        } else {
            let (b, zero) = (self.as_int(state, b), self.int(state, 0));
            self.cmp(state, Cmp::Ne, b, zero)
        };
        // Dividing any number of these types by zero tells what is raised.
        let vm = self.vm;
        let dividend = value::sample(a.ty(), vm).expect("a number has a sample");
        let zero: PyObjectRef = match b.ty() {
            Type::F64 => vm.ctx.new_float(0.0).into(),
            Type::Bool => vm.ctx.new_bool(false).into(),
            Type::I64 | Type::Array(_) | Type::List(_) | Type::Map(_) | Type::Object(_) | Type::Tensor(_) => {
                vm.ctx.new_int(0).into()
            }
        };
        match operator::apply(operator, &dividend, &zero, vm) {
            Err(exception) => self.check(state, holds, Failure::Raise(exception)),
            Ok(_) => unreachable!("division by zero raises"),
        }
    }

    /// `a ** b`.
    fn power(&mut self, state: &mut State, a: Num, b: Num, x: &PyObjectRef, y: &PyObjectRef) -> Step<PyObjectRef> {
        let is_int = |ty| matches!(ty, Type::I64 | Type::Bool);
        if is_int(a.ty()) && is_int(b.ty()) {
            let (base, exponent) = (self.as_int(state, a), self.as_int(state, b));
            let zero = self.int(state, 0);
            let natural = match self.func.as_const(exponent) {
                Some(Const::I64(it)) => it >= 0,
                _ => {
                    let natural = self.cmp(state, Cmp::Ge, exponent, zero);
                    self.ask(state, natural)?
                }
            };
            if natural {
                if let Some(Const::I64(it @ 1..=MAX_UNROLLED_POWER)) = self.func.as_const(exponent) {
                    let value = self.multiplied(state, base, it)?;
                    return Ok(self.rep(value));
                }
                let value = self.value(state, Op::IntPow, &[base, exponent]);
                return Ok(self.rep(value));
            }
        }
        let (base, exponent) = (self.as_float(state, a), self.as_float(state, b));
        let value = match self.func.as_const(exponent) {
            Some(Const::F64(2.0)) => self.value(state, Op::Num2(Num2::Mul), &[base, base]),
            Some(Const::F64(0.5)) => return self.square_root_power(state, base, x, y),
            Some(_) => self.value(state, Op::Real2(Real2::Pow), &[base, exponent]),
            None => self.any_power(state, base, exponent),
        };
        self.check_power(state, value, base, exponent, x, y)?;
        Ok(self.rep(value))
    }

    /// A power whose exponent is known later: squares and roots are rounded as where it is known, see
    /// [`crate::host::patch`].
    fn any_power(&mut self, state: &State, base: Value, exponent: Value) -> Value {
        let power = self.value(state, Op::Real2(Real2::Pow), &[base, exponent]);
        let square = self.value(state, Op::Num2(Num2::Mul), &[base, base]);
        let two = self.float(state, 2.0);
        let is_square = self.cmp(state, Cmp::Eq, exponent, two);
        let power = self.value(state, Op::Select, &[is_square, square, power]);
        let zero = self.float(state, 0.0);
        let root = self.value(state, Op::Real1(Real1::Sqrt), &[base]);
        let root = self.value(state, Op::Num2(Num2::Add), &[root, zero]);
        let half = self.float(state, 0.5);
        let is_half = self.cmp(state, Cmp::Eq, exponent, half);
        let is_positive = self.cmp(state, Cmp::Ge, base, zero);
        let is_root = self.value(state, Op::Bit2(Bit2::And), &[is_half, is_positive]);
        self.value(state, Op::Select, &[is_root, root, power])
    }

    /// `x ** 0.5`: a negative base gives a complex number.
    fn square_root_power(
        &mut self,
        state: &mut State,
        base: Value,
        x: &PyObjectRef,
        y: &PyObjectRef,
    ) -> Step<PyObjectRef> {
        let zero = self.float(state, 0.0);
        let holds = self.cmp(state, Cmp::Ge, base, zero);
        let pow = self.operator_function("pow")?;
        let same = self.cmp(state, Cmp::Ne, base, base);
        let holds = self.value(state, Op::Bit2(Bit2::Or), &[holds, same]);
        self.exit_unless(state, holds, Failure::Again(pow, vec![x.clone(), y.clone()]))?;
        let value = self.value(state, Op::Real1(Real1::Sqrt), &[base]);
        // The power of -0.0 is 0.0.
        let value = self.value(state, Op::Num2(Num2::Add), &[value, zero]);
        Ok(self.rep(value))
    }

    /// A power that is not finite though its operands are has overflowed, divided by zero, or is complex.
    fn check_power(
        &mut self,
        state: &mut State,
        value: Value,
        base: Value,
        exponent: Value,
        x: &PyObjectRef,
        y: &PyObjectRef,
    ) -> Step<()> {
        let fine = self.is_finite(state, value);
        let base_fine = self.is_finite(state, base);
        let exponent_fine = self.is_finite(state, exponent);
        let operands = self.value(state, Op::Bit2(Bit2::And), &[base_fine, exponent_fine]);
        let wild = self.value(state, Op::Not, &[operands]);
        let holds = self.value(state, Op::Bit2(Bit2::Or), &[fine, wild]);
        let (pow, operands) = (self.operator_function("pow")?, vec![x.clone(), y.clone()]);
        if self.rules.detached && self.is_guarded(state) {
            // What is raised is handled; a complex number is not raised.
            let is_real = self.cmp(state, Cmp::Eq, value, value);
            let fine = self.value(state, Op::Bit2(Bit2::Or), &[is_real, wild]);
            self.exit_unless(state, fine, Failure::Again(pow.clone(), operands.clone()))?;
        }
        self.check(state, holds, Failure::Again(pow, operands))
    }

    /// Whether a float is neither infinite nor a NaN.
    pub(crate) fn is_finite(&mut self, state: &State, value: Value) -> Value {
        let magnitude = self.value(state, Op::Num1(Num1::Abs), &[value]);
        let infinity = self.float(state, f64::INFINITY);
        self.cmp(state, Cmp::Lt, magnitude, infinity)
    }

    fn multiplied(&mut self, state: &mut State, base: Value, times: i64) -> Step<Value> {
        let mut result = None;
        let mut square = base;
        let mut left = times;
        while left > 0 {
            if left & 1 == 1 {
                result = Some(match result {
                    Some(it) => self.value(state, Op::Num2(Num2::Mul), &[it, square]),
                    None => square,
                });
            }
            left >>= 1;
            if left > 0 {
                square = self.value(state, Op::Num2(Num2::Mul), &[square, square]);
            }
        }
        Ok(result.expect("the exponent is positive"))
    }

    /// A builtin function by name.
    pub(crate) fn operator_function(&self, name: &'static str) -> PyResult {
        crate::config::builtin(name, self.vm)
    }

    /// Unary `-`, `~` and `+`.
    pub(crate) fn unary(&mut self, state: &mut State, what: &'static str) -> Step<()> {
        let object = state.pop_obj();
        let number = self.number(&object)?;
        if what == "invert" && number.is_some_and(|num| num.ty() == Type::Bool) {
            return Err(refuse("S333", "`~` of a truth value gives a warning").into());
        }
        let result = match number {
            Some(num @ Num::Staged(..)) => {
                let ty = num.ty();
                let value = match what {
                    "invert" if ty == Type::F64 => {
                        self.vm._invert(&value::sample(ty, self.vm).expect("a number has a sample"))?;
                        return Err(unsupported(state));
                    }
                    "invert" => {
                        let int = self.as_int(state, num);
                        self.value(state, Op::Not, &[int])
                    }
                    "neg" if ty == Type::F64 => {
                        let value = self.lift(state, num);
                        self.value(state, Op::Num1(Num1::Neg), &[value])
                    }
                    "neg" => {
                        let int = self.as_int(state, num);
                        self.value(state, Op::Num1(Num1::Neg), &[int])
                    }
                    _ if ty == Type::Bool => self.as_int(state, num),
                    _ => self.lift(state, num),
                };
                self.rep(value)
            }
            _ => {
                if value::rep(&object).is_some() {
                    return Err(refuse("S250", "a unary operator on a whole array cannot be staged yet")
                        .help("write a loop over its elements")
                        .into());
                }
                if !self.is_plain(&object) {
                    return Err(refuse("S251", format!("a unary operator on a `{}`", object.class_name())).into());
                }
                self.observe_itself(&object, &[])?;
                match what {
                    "invert" => self.vm._invert(&object)?,
                    "neg" => self.vm._neg(&object)?,
                    _ => self.vm._pos(&object)?,
                }
            }
        };
        state.push(result);
        Ok(())
    }

    /// A float rounded to a whole number, as an int. Infinite and NaN raise as `int()` does.
    pub(crate) fn whole(
        &mut self,
        state: &mut State,
        value: Value,
        round: Option<Real1>,
        x: &PyObjectRef,
        callable: &PyObjectRef,
    ) -> Step<PyObjectRef> {
        let finite = self.is_finite(state, value);
        self.check(state, finite, Failure::Again(callable.clone(), vec![x.clone()]))?;
        let value = match round {
            Some(round) => self.value(state, Op::Real1(round), &[value]),
            None => self.value(state, Op::Real1(Real1::Trunc), &[value]),
        };
        let int = self.value(state, Op::Convert(Convert::FloatToInt), &[value]);
        Ok(self.rep(int))
    }

    /// `+` and `%` on text that is known later.
    fn binary_text(&mut self, operator: BinaryOperator, x: &PyObjectRef, y: &PyObjectRef) -> Step<Option<PyObjectRef>> {
        let is_staged = |object: &PyObjectRef| kind::as_kind::<Text>(object).is_some();
        // A class that is derived from `str` may have operators of its own.
        let is_text =
            |object: &PyObjectRef| object.downcast_ref_if_exact::<PyStr>(self.vm).is_some() || is_staged(object);
        if operator == BinaryOperator::Add && is_text(x) && is_text(y) && (is_staged(x) || is_staged(y)) {
            return self.concatenate(&[x.clone(), y.clone()]).map(Some);
        }
        if operator == BinaryOperator::Remainder
            && x.downcast_ref_if_exact::<PyStr>(self.vm).is_some()
            && (self.holds_rep(y)? || crate::tensor::of(y).is_some())
        {
            let value = self.as_it_is(y)?;
            self.check_percent(x, y)?;
            return Ok(Some(self.text(vec![TextPart::Percent { template: x.clone(), value }])));
        }
        if is_staged(x) || is_staged(y) {
            return Err(refuse("S242", format!("`{operator}` on text that is known only later")).into());
        }
        Ok(None)
    }

    fn in_place_list(
        &mut self,
        state: &mut State,
        operator: BinaryOperator,
        x: &PyObjectRef,
        y: &PyObjectRef,
    ) -> Step<PyObjectRef> {
        if let Abstract::Items(list) = self.classify(x)? {
            if operator != BinaryOperator::Add {
                self.refuse_grown(x, &format!("`{operator}=`"))?;
            }
            let items = self.items_of(state, y)?;
            self.append_to_list(state, &list, &items)?;
            return Ok(x.clone());
        }
        let list = x.downcast_ref::<PyList>().expect("the caller looked");
        match operator {
            BinaryOperator::Add => {
                let items = self.items_of(state, y)?;
                self.touch(state, x)?;
                list.borrow_vec_mut().extend(items);
            }
            BinaryOperator::Multiply => {
                let Some(Num::Static(Const::I64(times))) = self.number(y)? else {
                    return Err(refuse("S252", "repetition of a list by a staged number").into());
                };
                refuse_long(operator, x, y)?;
                self.touch(state, x)?;
                let items = list.borrow_vec().to_vec();
                let times = usize::try_from(times).unwrap_or(0);
                *list.borrow_vec_mut() = items.iter().cloned().cycle().take(items.len() * times).collect();
            }
            _ => {
                apply(self, operator, true, x, y)?;
            }
        }
        Ok(x.clone())
    }
}

fn is_sequence(object: &PyObjectRef) -> bool {
    object.downcast_ref::<PyList>().is_some()
        || object.downcast_ref::<PyTuple>().is_some()
        || object.downcast_ref::<PyStr>().is_some()
}

/// The operator of an augmented assignment, and whether it was one.
pub(crate) fn plain(operator: BinaryOperator) -> (BinaryOperator, bool) {
    let plain = match operator {
        BinaryOperator::InplaceAdd => BinaryOperator::Add,
        BinaryOperator::InplaceAnd => BinaryOperator::And,
        BinaryOperator::InplaceFloorDivide => BinaryOperator::FloorDivide,
        BinaryOperator::InplaceLshift => BinaryOperator::Lshift,
        BinaryOperator::InplaceMatrixMultiply => BinaryOperator::MatrixMultiply,
        BinaryOperator::InplaceMultiply => BinaryOperator::Multiply,
        BinaryOperator::InplaceRemainder => BinaryOperator::Remainder,
        BinaryOperator::InplaceOr => BinaryOperator::Or,
        BinaryOperator::InplacePower => BinaryOperator::Power,
        BinaryOperator::InplaceRshift => BinaryOperator::Rshift,
        BinaryOperator::InplaceSubtract => BinaryOperator::Subtract,
        BinaryOperator::InplaceTrueDivide => BinaryOperator::TrueDivide,
        BinaryOperator::InplaceXor => BinaryOperator::Xor,
        _ => return (operator, false),
    };
    (plain, true)
}

/// What Python makes of it.
fn apply(
    session: &Session<'_>,
    operator: BinaryOperator,
    in_place: bool,
    x: &PyObjectRef,
    y: &PyObjectRef,
) -> Step<PyObjectRef> {
    refuse_long(operator, x, y)?;
    let operator = if in_place { operator.as_inplace() } else { operator };
    Ok(operator::apply(operator, x, y, session.vm)?)
}

fn refuse_long(operator: BinaryOperator, x: &PyObjectRef, y: &PyObjectRef) -> Step<()> {
    match effort::is_long_operation(operator, x, y) {
        true => Err(refuse_effort(&format!("`{operator}` of these operands")).into()),
        false => Ok(()),
    }
}
