//! An int of 64 bits without a sign, which is known later: what hashes and random numbers are made of.
//!
//! Its numbers from 2**63 on have no place among the integers of compiled code. What is more than 64 bits long has none here:
//! where a mask takes the low bits of it next (`capture/masked.rs`), only those are computed, and otherwise plain Python
//! goes on.

use std::sync::Arc;

use rustpython_vm::bytecode::oparg::BinaryOperator;
use rustpython_vm::function::FuncArgs;
use rustpython_vm::{AsObject, PyObject, PyObjectRef, PyResult, VirtualMachine};
use snekpy_stage::entity::Value;
use snekpy_stage::op::{Bit2, Cmp, Const, Convert, Num2, Op, Shift, Wrap2};
use snekpy_stage::types::Type;

use super::{At, Kind, Known, Leaving, Make, Representation};
use crate::capture::masked::{is_distance, mask_of_modulus};
use crate::capture::session::Session;
use crate::capture::state::State;
use crate::capture::step::Truth;
use crate::capture::stop::Step;
use crate::capture::value::Num;
use crate::scalar::known_int;

/// The largest divisor, so that twice a remainder has a place.
const MAX_DIVISOR: i64 = 1 << 62;

/// An int from 0 to 2**64 - 1, or the low bits of one.
#[derive(Clone, Debug)]
pub(crate) struct Wide {
    /// An int with the same bits.
    bits: PyObjectRef,
    /// Whether that is all of it. Of others nothing but low bits is taken.
    is_whole: bool,
}

/// The int with the bits of another.
pub(crate) fn wide(bits: PyObjectRef, vm: &VirtualMachine) -> PyObjectRef {
    Kind::from(Wide { bits, is_whole: true }).object(vm)
}

/// The bits of an int from 2**63 to 2**64 - 1.
pub(crate) fn wide_bits(object: &PyObject, vm: &VirtualMachine) -> Option<u64> {
    u64::try_from(known_int(object, vm)?).ok().filter(|it| i64::try_from(*it).is_err())
}

/// Makes the int with these bits.
#[derive(Debug)]
struct Unsigned;

impl Make for Unsigned {
    fn make(&self, parts: &[PyObjectRef], vm: &VirtualMachine) -> PyResult {
        let bits = known_int(&parts[0], vm).and_then(|it| i64::try_from(it).ok());
        let bits = bits.ok_or_else(|| crate::staging_error::bug(vm, "bits that are no int"))?;
        Ok(vm.ctx.new_int(bits.cast_unsigned()).into())
    }

    fn class(&self) -> String {
        "int".to_owned()
    }
}

impl Representation for Wide {
    fn of_known(object: &PyObject, vm: &VirtualMachine) -> Option<Self> {
        let bits = wide_bits(object, vm)?;
        Some(Self { bits: vm.ctx.new_int(bits.cast_signed()).into(), is_whole: true })
    }

    fn noun(&self) -> &'static str {
        "int"
    }

    fn parts(&self) -> Vec<PyObjectRef> {
        vec![self.bits.clone()]
    }

    fn with(&self, parts: Vec<PyObjectRef>) -> Kind {
        let [bits] = <[PyObjectRef; 1]>::try_from(parts).expect("one in, one out");
        Self { bits, is_whole: self.is_whole }.into()
    }

    fn known(&self) -> Known {
        Known::from_elem(self.is_whole.into(), 1)
    }

    fn leaving(&self) -> Leaving {
        match self.is_whole {
            true => Leaving::Made { make: Arc::new(Unsigned), parts: self.parts() },
            false => Leaving::Refused("S253", "a number of which compiled code has nothing but the low bits"),
        }
    }

    fn sample(&self, vm: &VirtualMachine) -> Option<PyObjectRef> {
        Some(vm.ctx.new_int(u64::MAX).into())
    }

    fn crosses(&self) -> bool {
        self.is_whole
    }

    fn is_immutable(&self) -> bool {
        true
    }

    fn truth(&self, at: &mut At<'_, '_>) -> Step<Option<Truth>> {
        let At { session, state, .. } = at;
        if !self.is_whole {
            return Ok(None);
        }
        let (bits, zero) = (low(session, state, &self.bits)?, session.int(state, 0));
        Ok(bits.map(|bits| Truth::Staged(session.cmp(state, Cmp::Ne, bits, zero))))
    }

    fn binary(
        &self,
        at: &mut At<'_, '_>,
        operator: BinaryOperator,
        [x, y]: [&PyObjectRef; 2],
    ) -> Step<Option<PyObjectRef>> {
        let At { session, state, .. } = at;
        if let Some(low) = session.low_bits(state, operator, [x, y])? {
            return Ok(Some(low));
        }
        match operator {
            BinaryOperator::And => and(session, state, x, y),
            BinaryOperator::Or => either(session, state, Bit2::Or, x, y),
            BinaryOperator::Xor => either(session, state, Bit2::Xor, x, y),
            BinaryOperator::Rshift => right(session, state, x, y),
            BinaryOperator::Remainder => remainder(session, state, x, y),
            BinaryOperator::FloorDivide => quotient(session, state, x, y),
            BinaryOperator::TrueDivide => fraction(session, state, x, y),
            _ => Ok(None),
        }
    }

    fn compare(&self, at: &mut At<'_, '_>, cmp: Cmp, other: &PyObjectRef) -> Step<Option<PyObjectRef>> {
        let At { session, state, .. } = at;
        let (Some(x), Some(y)) = (Operand::of(session, state, &self.bits)?, Operand::of(session, state, other)?) else {
            return Ok(None);
        };
        if !self.is_whole {
            return Ok(None);
        }
        let holds = if matches!(cmp, Cmp::Eq | Cmp::Ne) {
            session.cmp(state, cmp, x.bits, y.bits)
        } else {
            // Without their signs, as the integers that are as much smaller.
            let least = session.constant(state.block, Const::I64(i64::MIN));
            let [x, y] = [x.bits, y.bits].map(|it| session.value(state, Op::Bit2(Bit2::Xor), &[it, least]));
            session.cmp(state, cmp, x, y)
        };
        if y.is_whole {
            return Ok(Some(session.rep(holds)));
        }
        // Below zero it is less than this, and not equal.
        let zero = session.int(state, 0);
        let is_natural = session.cmp(state, Cmp::Ge, y.bits, zero);
        let otherwise = session.constant(state.block, Const::Bool(matches!(cmp, Cmp::Gt | Cmp::Ge | Cmp::Ne)));
        let holds = session.value(state, Op::Select, &[is_natural, holds, otherwise]);
        Ok(Some(session.rep(holds)))
    }

    fn of_call(
        session: &mut Session<'_>,
        state: &mut State,
        callable: &PyObjectRef,
        args: &FuncArgs,
    ) -> Step<Option<PyObjectRef>> {
        let ([number], true) = (args.args.as_slice(), args.kwargs.is_empty()) else { return Ok(None) };
        let Some(wide) = super::as_kind::<Self>(number).filter(|it| it.is_whole) else { return Ok(None) };
        let types = &session.vm.ctx.types;
        if callable.is(types.int_type) || session.is_builtin(callable, "abs") {
            return Ok(Some(number.clone()));
        }
        if !callable.is(types.float_type) {
            return Ok(None);
        }
        let Some(bits) = low(session, state, &wide.bits)? else { return Ok(None) };
        let float = float(session, state, bits);
        Ok(Some(session.rep(float)))
    }
}

impl Session<'_> {
    /// The low bits of `x operator y`, if a mask takes nothing else of it.
    pub(crate) fn low_bits(
        &mut self,
        state: &mut State,
        operator: BinaryOperator,
        [x, y]: [&PyObjectRef; 2],
    ) -> Step<Option<PyObjectRef>> {
        let op = match operator {
            BinaryOperator::Add => Op::Wrap2(Wrap2::Add),
            BinaryOperator::Subtract => Op::Wrap2(Wrap2::Sub),
            BinaryOperator::Multiply => Op::Wrap2(Wrap2::Mul),
            BinaryOperator::Lshift if known_int(y, self.vm).is_some_and(is_distance) => Op::Wrap2(Wrap2::Shl),
            // Of integers of compiled code the result is one.
            BinaryOperator::Or if [x, y].iter().any(|it| is_wide(it, self.vm)) => Op::Bit2(Bit2::Or),
            BinaryOperator::Xor if [x, y].iter().any(|it| is_wide(it, self.vm)) => Op::Bit2(Bit2::Xor),
            _ => return Ok(None),
        };
        if !self.is_masked(state) {
            return Ok(None);
        }
        let (Some(x), Some(y)) = (low(self, state, x)?, low(self, state, y)?) else { return Ok(None) };
        let bits = self.value(state, op, &[x, y]);
        Ok(Some(object(self, bits, false)))
    }
}

fn object(session: &Session<'_>, bits: Value, is_whole: bool) -> PyObjectRef {
    Kind::from(Wide { bits: session.rep(bits), is_whole }).object(session.vm)
}

fn is_wide(object: &PyObjectRef, vm: &VirtualMachine) -> bool {
    matches!(super::like(object, vm).as_deref(), Some(Kind::Wide(_)))
}

/// The low bits of an int.
fn low(session: &mut Session<'_>, state: &State, object: &PyObjectRef) -> Step<Option<Value>> {
    if let Some(wide) = super::as_kind::<Wide>(object) {
        return low(session, state, &wide.bits.clone());
    }
    if let Some(number) = session.number(object)? {
        return Ok((number.ty() != Type::F64).then(|| session.as_int(state, number)));
    }
    let known = known_int(object, session.vm);
    Ok(known.map(|it| session.constant(state.block, Const::I64(it as i64))))
}

/// An operand: its bits.
#[derive(Clone, Copy)]
struct Operand {
    bits: Value,
    /// Whether it has no sign. Otherwise it is an integer of compiled code.
    is_whole: bool,
}

impl Operand {
    fn of(session: &mut Session<'_>, state: &State, object: &PyObjectRef) -> Step<Option<Self>> {
        let is_whole = match super::like(object, session.vm).as_deref() {
            Some(Kind::Wide(wide)) if wide.is_whole => true,
            Some(_) => return Ok(None),
            None => false,
        };
        if !is_whole && session.number(object)?.is_none() {
            return Ok(None);
        }
        Ok(low(session, state, object)?.map(|bits| Self { bits, is_whole }))
    }
}

/// The low bits that a mask takes.
fn masked(session: &mut Session<'_>, state: &State, x: &PyObjectRef, mask: u64) -> Step<Option<PyObjectRef>> {
    let Some(bits) = low(session, state, x)? else { return Ok(None) };
    let mask_bits = session.constant(state.block, Const::I64(mask.cast_signed()));
    let bits = session.value(state, Op::Bit2(Bit2::And), &[bits, mask_bits]);
    Ok(Some(match i64::try_from(mask) {
        Ok(_) => session.rep(bits),
        Err(_) => object(session, bits, true),
    }))
}

fn and(session: &mut Session<'_>, state: &State, x: &PyObjectRef, y: &PyObjectRef) -> Step<Option<PyObjectRef>> {
    for (x, mask) in [(x, y), (y, x)] {
        if let Some(mask) = known_int(mask, session.vm).and_then(|it| u64::try_from(it).ok()) {
            return masked(session, state, x, mask);
        }
    }
    let (Some(x), Some(y)) = (Operand::of(session, state, x)?, Operand::of(session, state, y)?) else {
        return Ok(None);
    };
    // Above its 64 bits the one has none, whatever the sign of the other says.
    let bits = session.value(state, Op::Bit2(Bit2::And), &[x.bits, y.bits]);
    Ok(Some(object(session, bits, true)))
}

/// `x | y` and `x ^ y`: a negative operand would have more bits.
fn either(
    session: &mut Session<'_>,
    state: &State,
    op: Bit2,
    x: &PyObjectRef,
    y: &PyObjectRef,
) -> Step<Option<PyObjectRef>> {
    let (Some(x), Some(y)) = (Operand::of(session, state, x)?, Operand::of(session, state, y)?) else {
        return Ok(None);
    };
    for operand in [x, y] {
        if !operand.is_whole {
            leave_below(session, state, operand.bits, 0);
        }
    }
    let bits = session.value(state, Op::Bit2(op), &[x.bits, y.bits]);
    Ok(Some(object(session, bits, true)))
}

fn leave_below(session: &mut Session<'_>, state: &State, number: Value, least: i64) {
    let least = session.int(state, least);
    let is_below = session.cmp(state, Cmp::Lt, number, least);
    session.leave_if(state, is_below);
}

/// `x >> n`, which has a place among integers but for a distance of 0.
fn right(session: &mut Session<'_>, state: &State, x: &PyObjectRef, n: &PyObjectRef) -> Step<Option<PyObjectRef>> {
    let Some(Operand { bits, is_whole: true }) = Operand::of(session, state, x)? else { return Ok(None) };
    let Some(number) = session.number(n)?.filter(|it| it.ty() != Type::F64) else { return Ok(None) };
    let distance = match number {
        Num::Static(Const::I64(0)) => return Ok(Some(object(session, bits, true))),
        Num::Static(Const::I64(it @ 1..=63)) => session.int(state, it),
        Num::Static(Const::I64(64..)) => return Ok(Some(session.vm.ctx.new_int(0).into())),
        number => {
            let distance = session.as_int(state, number);
            leave_below(session, state, distance, 1);
            let most = session.int(state, 63);
            let is_far = session.cmp(state, Cmp::Gt, distance, most);
            session.leave_if(state, is_far);
            distance
        }
    };
    let shifted = shifted(session, state, bits, distance);
    Ok(Some(session.rep(shifted)))
}

/// The bits shifted to the right, without the copies of the sign.
fn shifted(session: &mut Session<'_>, state: &State, bits: Value, distance: Value) -> Value {
    let (one, all) = (session.int(state, 1), session.int(state, 64));
    let kept = session.value(state, Op::Wrap2(Wrap2::Sub), &[all, distance]);
    let above = session.value(state, Op::Wrap2(Wrap2::Shl), &[one, kept]);
    let mask = session.value(state, Op::Wrap2(Wrap2::Sub), &[above, one]);
    let shifted = session.value(state, Op::Shift(Shift::Right), &[bits, distance]);
    session.value(state, Op::Bit2(Bit2::And), &[shifted, mask])
}

fn remainder(
    session: &mut Session<'_>,
    state: &mut State,
    x: &PyObjectRef,
    y: &PyObjectRef,
) -> Step<Option<PyObjectRef>> {
    if let Some(mask) = known_int(y, session.vm).and_then(mask_of_modulus) {
        return masked(session, state, x, mask);
    }
    let parts = divided(session, state, x, y)?;
    Ok(parts.map(|(_, remainder)| session.rep(remainder)))
}

fn quotient(
    session: &mut Session<'_>,
    state: &mut State,
    x: &PyObjectRef,
    y: &PyObjectRef,
) -> Step<Option<PyObjectRef>> {
    if let Some(mask) = known_int(y, session.vm).filter(|it| *it > 1).and_then(mask_of_modulus) {
        let distance: PyObjectRef = session.vm.ctx.new_int(mask.count_ones()).into();
        return right(session, state, x, &distance);
    }
    let parts = divided(session, state, x, y)?;
    Ok(parts.map(|(quotient, _)| object(session, quotient, true)))
}

/// The bits of the quotient by a number of 1 to [`MAX_DIVISOR`], and the remainder: of one half, doubled, and the last bit.
fn divided(
    session: &mut Session<'_>,
    state: &mut State,
    x: &PyObjectRef,
    y: &PyObjectRef,
) -> Step<Option<(Value, Value)>> {
    let Some(Operand { bits, is_whole: true }) = Operand::of(session, state, x)? else { return Ok(None) };
    let Some(Operand { bits: divisor, is_whole: false }) = Operand::of(session, state, y)? else { return Ok(None) };
    leave_below(session, state, divisor, 1);
    let most = session.int(state, MAX_DIVISOR);
    let is_large = session.cmp(state, Cmp::Gt, divisor, most);
    session.leave_if(state, is_large);
    let one = session.int(state, 1);
    let half = shifted(session, state, bits, one);
    let last = session.value(state, Op::Bit2(Bit2::And), &[bits, one]);
    let quotient = session.value(state, Op::Num2(Num2::FloorDiv), &[half, divisor]);
    let remainder = session.value(state, Op::Num2(Num2::Mod), &[half, divisor]);
    let double = |session: &mut Session<'_>, number| session.value(state, Op::Wrap2(Wrap2::Shl), &[number, one]);
    let (quotient, remainder) = (double(session, quotient), double(session, remainder));
    let remainder = session.value(state, Op::Wrap2(Wrap2::Add), &[remainder, last]);
    let goes_once_more = session.cmp(state, Cmp::Ge, remainder, divisor);
    let more = session.value(state, Op::Wrap2(Wrap2::Add), &[quotient, one]);
    let less = session.value(state, Op::Wrap2(Wrap2::Sub), &[remainder, divisor]);
    Ok(Some((
        session.value(state, Op::Select, &[goes_once_more, more, quotient]),
        session.value(state, Op::Select, &[goes_once_more, less, remainder]),
    )))
}

/// `x / 2**n`: rounded once, as the division is exact.
fn fraction(session: &mut Session<'_>, state: &State, x: &PyObjectRef, y: &PyObjectRef) -> Step<Option<PyObjectRef>> {
    let Some(divisor) = known_int(y, session.vm).filter(|it| mask_of_modulus(*it).is_some()) else { return Ok(None) };
    let Some(Operand { bits, is_whole: true }) = Operand::of(session, state, x)? else { return Ok(None) };
    let (number, scale) = (float(session, state, bits), session.float(state, 1.0 / divisor as f64));
    let fraction = session.value(state, Op::Num2(Num2::Mul), &[number, scale]);
    Ok(Some(session.rep(fraction)))
}

/// The nearest float: of one half, whose last bit stands for all that are cut off, doubled where the number is large.
fn float(session: &mut Session<'_>, state: &State, bits: Value) -> Value {
    let (zero, one) = (session.int(state, 0), session.int(state, 1));
    let half = shifted(session, state, bits, one);
    let last = session.value(state, Op::Bit2(Bit2::And), &[bits, one]);
    let half = session.value(state, Op::Bit2(Bit2::Or), &[half, last]);
    let [whole, half] = [bits, half].map(|it| session.value(state, Op::Convert(Convert::IntToFloat), &[it]));
    let doubled = session.value(state, Op::Num2(Num2::Add), &[half, half]);
    let is_small = session.cmp(state, Cmp::Ge, bits, zero);
    session.value(state, Op::Select, &[is_small, whole, doubled])
}
