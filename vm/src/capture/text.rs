//! Texts whose characters compiled code looks at.
//!
//! A `str` that is known only later is an object that compiled code hands on. Its length and its characters, by index
//! and in loops, are read from it without the VM; so are those of `bytes`, which are numbers. A *character* is text of one part, a code point that is known later
//! ([`TextPart::Char`]): comparing it, looking for it in known text and asking what it is computes with the code point.
//! For whatever else happens to it the `str` is made, and the VM is given that.

use rustpython_vm::builtins::{PyStr, PyTuple};
use rustpython_vm::bytecode::oparg::BinaryOperator;
use rustpython_vm::{AsObject, PyObjectRef, VirtualMachine};
use snekpy_stage::entity::Value;
use snekpy_stage::op::{Bit2, Cmp, Const, ListOp, ObjectOp, Op, Wrap2};
use snekpy_stage::types::Type;

use crate::capture::session::Session;
use crate::capture::state::State;
use crate::capture::step::object_at;
use crate::capture::stop::Step;
use crate::capture::value::{self, Iter, Num, V};
use crate::characters::{Unit, only_point, points, units};
use crate::code::{Instr, Opcode};
use crate::host::native::{NativeCallable, native_callable};
use crate::kind::{self, Kind, Method, Text, TextPart};
use crate::object;

/// A known text of so many characters is compared with one that is known later, character by character.
const SHORT: usize = 4;
/// Among so many known texts one that is known later is looked for by comparing with each.
const FEW: usize = 8;
/// A known text of so many characters, if it is no constant table, is looked up code point by code point.
const TABLE: usize = 256;
/// The ranges of ASCII code points that a method without arguments asks for.
const ASKS: [(&str, &[(i64, i64)]); 8] = [
    ("isdigit", &[DIGITS]),
    ("isdecimal", &[DIGITS]),
    ("isnumeric", &[DIGITS]),
    ("isalpha", &[UPPER, LOWER]),
    ("isalnum", &[DIGITS, UPPER, LOWER]),
    ("isspace", &[(9, 13), (28, 32)]),
    ("isupper", &[UPPER]),
    ("islower", &[LOWER]),
];
const DIGITS: (i64, i64) = (48, 57);
const UPPER: (i64, i64) = (65, 90);
const LOWER: (i64, i64) = (97, 122);
/// How far the cases of a letter are apart.
const CASE: i64 = 32;
/// The first code point behind ASCII.
const ASCII_END: i64 = 128;
/// The first integer that is no code point.
const POINTS_END: i64 = 0x11_0000;

/// The code point of a character, a number.
pub(crate) fn as_character(object: &PyObjectRef) -> Option<PyObjectRef> {
    kind::as_kind::<Text>(object)?.character().cloned()
}

/// A `str` of one character that is known now, as one that is known later.
pub(crate) fn known_character(object: &PyObjectRef, vm: &VirtualMachine) -> Option<Text> {
    let point = only_point(object.downcast_ref_if_exact::<PyStr>(vm)?)?;
    Some(Text { parts: vec![TextPart::Char(vm.ctx.new_int(point.to_u32()).into())] })
}

impl Session<'_> {
    /// Carries out an instruction on texts that are known only later: whether it was one.
    pub(crate) fn on_texts(&mut self, state: &mut State, instr: Instr) -> Step<bool> {
        let result = match instr.op {
            Opcode::GetIter => {
                self.box_iterated(state)?;
                let Some(iter) = state.peek(1).object().and_then(|it| self.characters(it)) else { return Ok(false) };
                state.pop();
                state.push(V::Iter(iter));
                state.frame_mut().pc += 1;
                return Ok(true);
            }
            Opcode::BinaryOp if instr.arg == BinaryOperator::Subscr as u32 => {
                let Some([text, index]) = operands(state) else { return Ok(false) };
                self.character_at(state, &text, &index)?.map(|it| (it, 2))
            }
            Opcode::CompareOp => {
                let Some([x, y]) = operands(state) else { return Ok(false) };
                if self.as_text(&x).is_none() && self.as_text(&y).is_none() {
                    return Ok(false);
                }
                self.compare_texts(state, crate::capture::compare::comparison(instr.arg), &x, &y)?.map(|it| (it, 2))
            }
            Opcode::ContainsOp => {
                let Some([item, container]) = operands(state) else { return Ok(false) };
                let found = match self.as_text(&item) {
                    Some(_) => self.is_among_texts(state, &item, &container)?,
                    None => self.is_character_of(state, &item, &container)?,
                };
                found
                    .map(|it| if instr.arg == 1 { self.value(state, Op::Not, &[it]) } else { it })
                    .map(|it| (self.rep(it), 2))
            }
            Opcode::ToBool => {
                let text = state.peek(1).object().and_then(|it| self.as_units(it));
                let Some((text, _)) = text else { return Ok(false) };
                let (length, zero) = (self.length_of_text(state, text), self.int(state, 0));
                let is_there = self.cmp(state, Cmp::Ne, length, zero);
                Some((self.rep(is_there), 1))
            }
            Opcode::LoadAttr if instr.arg & 1 == 1 => return self.method_of_character(state, instr.arg >> 1),
            Opcode::Call => return self.call_on_text(state, instr.arg as usize),
            _ => None,
        };
        let Some((result, pops)) = result else { return Ok(false) };
        state.pop_objs(pops);
        state.push(result);
        state.frame_mut().pc += 1;
        Ok(true)
    }

    /// Makes the text that is gone through, if it is put together of values that are known later.
    fn box_iterated(&mut self, state: &mut State) -> Step<()> {
        let Some(text) = state.peek(1).object().cloned() else { return Ok(()) };
        let is_made = kind::as_kind::<Text>(&text).is_some() && as_character(&text).is_none();
        if is_made && self.may_hand_on() && state.reach.is_reached() {
            let text = self.boxed(state, &text)?;
            state.replace_top(text);
        }
        Ok(())
    }

    /// A text that compiled code hands on.
    pub(crate) fn as_text(&self, object: &PyObjectRef) -> Option<Value> {
        let text = object::class_number(self.vm.ctx.types.str_type, self.vm);
        value::handle(object).filter(|(_, class)| *class == text).map(|(text, _)| text)
    }

    /// Whether so far below the top of the stack there is a text that compiled code hands on.
    pub(crate) fn is_text_at(&self, state: &State, below: usize) -> bool {
        state.peek(below).object().is_some_and(|it| self.as_units(it).is_some())
    }

    /// Whether a class makes iterators that go through texts as through what compiled code knows.
    pub(crate) fn goes_through_texts(&self, callable: &PyObjectRef) -> bool {
        let types = &self.vm.ctx.types;
        callable.is(types.enumerate_type) || callable.is(types.zip_type)
    }

    /// A text or bytes that compiled code hands on.
    pub(crate) fn as_units(&self, object: &PyObjectRef) -> Option<(Value, Unit)> {
        let bytes = object::class_number(self.vm.ctx.types.bytes_type, self.vm);
        match self.as_text(object) {
            Some(text) => Some((text, Unit::Character)),
            None => value::handle(object).filter(|(_, class)| *class == bytes).map(|(bytes, _)| (bytes, Unit::Number)),
        }
    }

    /// An iterator over a text or bytes that are known later.
    pub(crate) fn characters(&self, text: &PyObjectRef) -> Option<Iter> {
        self.as_units(text)?;
        Some(Iter::Array { array: text.clone(), index: self.vm.ctx.new_int(0).into() })
    }

    /// How long a text is that is known later.
    pub(crate) fn length_of_text(&mut self, state: &State, text: Value) -> Value {
        self.value(state, Op::Object(ObjectOp::TextLen), &[text])
    }

    /// What is at an index of a text or bytes that are known later, which have something there.
    pub(crate) fn unit_there(&mut self, state: &State, text: Value, unit: Unit, index: Value) -> PyObjectRef {
        let code = self.value(state, Op::Object(ObjectOp::TextAt), &[text, index]);
        self.unit(unit, code)
    }

    fn unit(&self, unit: Unit, code: Value) -> PyObjectRef {
        match unit {
            Unit::Character => self.character(code),
            Unit::Number => self.rep(code),
        }
    }

    pub(crate) fn character(&self, code: Value) -> PyObjectRef {
        self.text(vec![TextPart::Char(self.rep(code))])
    }

    pub(crate) fn code_of(&mut self, state: &State, code: &PyObjectRef) -> Step<Value> {
        let num = self.number(code)?.expect("a code point is a number");
        Ok(self.as_int(state, num))
    }

    /// `text[index]`.
    fn character_at(
        &mut self,
        state: &mut State,
        text: &PyObjectRef,
        index: &PyObjectRef,
    ) -> Step<Option<PyObjectRef>> {
        let Some(num) = self.number(index)?.filter(|it| it.ty() != Type::F64) else { return Ok(None) };
        if let Some((text, unit)) = self.as_units(text) {
            let length = self.length_of_text(state, text);
            let index = self.index_below(state, num, length, message(unit))?;
            return Ok(Some(self.unit_there(state, text, unit, index)));
        }
        if !matches!(num, Num::Staged(..)) || self.calls.voluntary > 0 {
            return Ok(None);
        }
        let Some((units, unit)) = units(text, self.vm).filter(|(it, _)| !it.is_empty()) else { return Ok(None) };
        let table = self.table(state, text, units.len())?;
        if table.is_none() && units.len() > TABLE {
            return Ok(None);
        }
        let length = self.int(state, units.len() as i64);
        let index = self.index_below(state, num, length, message(unit))?;
        if let Some((list, _)) = table {
            let code = self.value(state, Op::List(ListOp::Get), &[list, index]);
            return Ok(Some(self.unit(unit, code)));
        }
        let units: Vec<Num> = units.into_iter().map(|it| Num::Static(Const::I64(it))).collect();
        let code = self.pick_number(state, &units, index, 0);
        Ok(Some(self.unit(unit, code)))
    }

    /// Compares a character with text, or, for equality, a text that is known later with a character or a short one.
    pub(crate) fn compare_texts(
        &mut self,
        state: &State,
        cmp: Cmp,
        x: &PyObjectRef,
        y: &PyObjectRef,
    ) -> Step<Option<PyObjectRef>> {
        let compared = match (as_character(x), as_character(y)) {
            (Some(a), Some(b)) => {
                let (a, b) = (self.code_of(state, &a)?, self.code_of(state, &b)?);
                Some(self.cmp(state, cmp, a, b))
            }
            (Some(code), None) => self.compare_character(state, cmp, &code, y)?,
            (None, Some(code)) => self.compare_character(state, cmp.swapped(), &code, x)?,
            (None, None) => match (self.as_text(x), self.as_text(y)) {
                (Some(text), None) => self.is_short(state, cmp, text, y),
                (None, Some(text)) => self.is_short(state, cmp, text, x),
                _ => None,
            },
        };
        Ok(compared.map(|it| self.rep(it)))
    }

    fn compare_character(
        &mut self,
        state: &State,
        cmp: Cmp,
        code: &PyObjectRef,
        other: &PyObjectRef,
    ) -> Step<Option<Value>> {
        let code = self.code_of(state, code)?;
        if let Some(text) = self.as_text(other) {
            return Ok(self.is_text_of(state, cmp, text, &[code]));
        }
        let Some(points) = points(other, self.vm) else { return Ok(None) };
        let known = |session: &mut Self, is: bool| session.constant(state.block, Const::Bool(is));
        let Some(&first) = points.first() else {
            return Ok(Some(known(self, matches!(cmp, Cmp::Ne | Cmp::Gt | Cmp::Ge))));
        };
        // The longer text comes behind the character that it begins with.
        let cmp = match (cmp, points.len()) {
            (cmp, 1) => cmp,
            (Cmp::Eq, _) => return Ok(Some(known(self, false))),
            (Cmp::Ne, _) => return Ok(Some(known(self, true))),
            (Cmp::Lt | Cmp::Le, _) => Cmp::Le,
            (Cmp::Gt | Cmp::Ge, _) => Cmp::Gt,
        };
        let first = self.int(state, first);
        Ok(Some(self.cmp(state, cmp, code, first)))
    }

    /// Whether a text that is known later is a short one that is known now, or is not.
    fn is_short(&mut self, state: &State, cmp: Cmp, text: Value, known: &PyObjectRef) -> Option<Value> {
        let points = points(known, self.vm).filter(|it| it.len() <= SHORT)?;
        let points: Vec<Value> = points.into_iter().map(|it| self.int(state, it)).collect();
        self.is_text_of(state, cmp, text, &points)
    }

    /// Whether a text consists of these characters, or does not.
    fn is_text_of(&mut self, state: &State, cmp: Cmp, text: Value, points: &[Value]) -> Option<Value> {
        if !matches!(cmp, Cmp::Eq | Cmp::Ne) {
            return None;
        }
        let (length, expected) = (self.length_of_text(state, text), self.int(state, points.len() as i64));
        let mut is = self.cmp(state, Cmp::Eq, length, expected);
        for (index, &point) in points.iter().enumerate() {
            let index = self.int(state, index as i64);
            let found = self.value(state, Op::Object(ObjectOp::TextAt), &[text, index]);
            let same = self.cmp(state, Cmp::Eq, found, point);
            is = self.value(state, Op::Bit2(Bit2::And), &[is, same]);
        }
        Some(if cmp == Cmp::Ne { self.value(state, Op::Not, &[is]) } else { is })
    }

    /// Whether a character is in a text that is known now.
    fn is_character_of(&mut self, state: &State, item: &PyObjectRef, text: &PyObjectRef) -> Step<Option<Value>> {
        let Some(code) = as_character(item) else { return Ok(None) };
        let Some(mut points) = points(text, self.vm) else { return Ok(None) };
        points.sort_unstable();
        points.dedup();
        let mut ranges: Vec<(i64, i64)> = Vec::new();
        for point in points {
            match ranges.last_mut() {
                Some((_, last)) if *last + 1 == point => *last = point,
                _ => ranges.push((point, point)),
            }
        }
        let code = self.code_of(state, &code)?;
        Ok(Some(self.is_within(state, code, &ranges)))
    }

    /// Whether a number is in one of these ranges.
    fn is_within(&mut self, state: &State, code: Value, ranges: &[(i64, i64)]) -> Value {
        let mut inside = Vec::with_capacity(ranges.len());
        for &(first, last) in ranges {
            let low = self.int(state, first);
            inside.push(if first == last {
                self.cmp(state, Cmp::Eq, code, low)
            } else {
                let high = self.int(state, last);
                let (above, below) = (self.cmp(state, Cmp::Ge, code, low), self.cmp(state, Cmp::Le, code, high));
                self.value(state, Op::Bit2(Bit2::And), &[above, below])
            });
        }
        self.any(state, inside)
    }

    /// Whether one of these holds.
    fn any(&mut self, state: &State, holds: Vec<Value>) -> Value {
        let either = |a, b| self.value(state, Op::Bit2(Bit2::Or), &[a, b]);
        let found = holds.into_iter().reduce(either);
        found.unwrap_or_else(|| self.constant(state.block, Const::Bool(false)))
    }

    /// Whether a text that is known later is one of a few short ones in a tuple that is known now.
    fn is_among_texts(&mut self, state: &State, item: &PyObjectRef, container: &PyObjectRef) -> Step<Option<Value>> {
        let Some(tuple) = container.downcast_ref_if_exact::<PyTuple>(self.vm) else {
            return Ok(None);
        };
        let fits = |it: &PyObjectRef| points(it, self.vm).is_some_and(|it| it.len() <= SHORT);
        if tuple.is_empty() || tuple.len() > FEW || !tuple.as_slice().iter().all(fits) {
            return Ok(None);
        }
        let text = self.as_text(item).expect("the caller looked");
        let is_it = |known| self.is_short(state, Cmp::Eq, text, known).expect("it is short");
        let is = tuple.as_slice().iter().map(is_it).collect();
        Ok(Some(self.any(state, is)))
    }

    /// `character.name`, to be called.
    fn method_of_character(&mut self, state: &mut State, index: u32) -> Step<bool> {
        let Some(object) = state.peek(1).object().cloned() else { return Ok(false) };
        if as_character(&object).is_none() {
            return Ok(false);
        }
        let name = state.frame().code.object.code.names[index as usize];
        let is_known = ASKS.iter().any(|(it, _)| *it == name.as_str()) || matches!(name.as_str(), "upper" | "lower");
        if !is_known {
            // The same again, of the text as an object.
            let object = self.boxed(state, &object)?;
            state.replace_top(object);
            return Ok(true);
        }
        let method = Kind::from(Method { object, name }).object(self.vm);
        state.replace_top(method);
        state.push(V::Null);
        state.frame_mut().pc += 1;
        Ok(true)
    }

    /// A call of a method of a character, or of a builtin that asks about text.
    fn call_on_text(&mut self, state: &mut State, count: usize) -> Step<bool> {
        let Some(callable) = state.peek(count + 2).object().cloned() else { return Ok(false) };
        if let Some(method) = kind::as_kind::<Method>(&callable) {
            let Some(code) = as_character(&method.object) else { return Ok(false) };
            if count > 0 {
                let object = self.boxed(state, &method.object)?;
                let method = Kind::from(Method { object, name: method.name }).object(self.vm);
                let stack = &mut state.frame_mut().stack;
                let at = stack.len() - count - 2;
                stack[at] = V::Obj(method);
                return Ok(true);
            }
            let code = self.code_of(state, &code)?;
            let result = self.asked(state, code, method.name.as_str());
            return Ok(Self::give(state, count, result));
        }
        if count != 1 || !matches!(state.peek(2), V::Null) {
            return Ok(false);
        }
        let arg = object_at(state, 1);
        let result = match native_callable(&callable, self.vm) {
            Some(NativeCallable::Method { receiver: Some(separator), name, .. }) => {
                if name == "join" {
                    self.join_texts(state, &separator, &arg)?
                } else {
                    None
                }
            }
            Some(NativeCallable::Function { module: "builtins", name }) => {
                if name == "len"
                    && let Some((text, _)) = self.as_units(&arg)
                {
                    let length = self.length_of_text(state, text);
                    let length = self.rep(length);
                    return Ok(Self::give(state, count, length));
                }
                match (name.as_str(), as_character(&arg), self.as_text(&arg)) {
                    ("ord", Some(code), _) => Some(code),
                    ("ord", None, Some(text)) => {
                        let (length, one) = (self.length_of_text(state, text), self.int(state, 1));
                        let other = self.cmp(state, Cmp::Ne, length, one);
                        self.leave_if(state, other);
                        let zero = self.int(state, 0);
                        let code = self.value(state, Op::Object(ObjectOp::TextAt), &[text, zero]);
                        Some(self.rep(code))
                    }
                    ("chr", None, None) => match self.number(&arg)? {
                        Some(num @ Num::Staged(_, Type::I64)) => {
                            let code = self.as_int(state, num);
                            let (zero, end) = (self.int(state, 0), self.int(state, POINTS_END));
                            let low = self.cmp(state, Cmp::Lt, code, zero);
                            let high = self.cmp(state, Cmp::Ge, code, end);
                            let out = self.value(state, Op::Bit2(Bit2::Or), &[low, high]);
                            self.leave_if(state, out);
                            Some(self.character(code))
                        }
                        _ => None,
                    },
                    _ => None,
                }
            }
            Some(NativeCallable::Type(class)) if class.is(self.vm.ctx.types.int_type) => match as_character(&arg) {
                Some(code) => {
                    let code = self.code_of(state, &code)?;
                    let is_digit = self.is_within(state, code, &[DIGITS]);
                    let other = self.value(state, Op::Not, &[is_digit]);
                    self.leave_if(state, other);
                    let zero = self.int(state, DIGITS.0);
                    let digit = self.value(state, Op::Wrap2(Wrap2::Sub), &[code, zero]);
                    Some(self.rep(digit))
                }
                None => None,
            },
            _ => None,
        };
        Ok(match result {
            Some(result) => Self::give(state, count, result),
            None => false,
        })
    }

    /// The result of a call that has been carried out.
    pub(crate) fn give(state: &mut State, count: usize, result: PyObjectRef) -> bool {
        for _ in 0..count + 2 {
            state.pop();
        }
        state.push(result);
        state.frame_mut().pc += 1;
        true
    }

    /// What a method without arguments gives for a character. Of those behind ASCII, Python's tables know.
    fn asked(&mut self, state: &State, code: Value, name: &str) -> PyObjectRef {
        let end = self.int(state, ASCII_END);
        let behind = self.cmp(state, Cmp::Ge, code, end);
        self.leave_if(state, behind);
        if let Some((_, ranges)) = ASKS.iter().find(|(it, _)| *it == name) {
            let is = self.is_within(state, code, ranges);
            return self.rep(is);
        }
        let (from, by) = if name == "upper" { (LOWER, -CASE) } else { (UPPER, CASE) };
        let (is, by) = (self.is_within(state, code, &[from]), self.int(state, by));
        let other = self.value(state, Op::Wrap2(Wrap2::Add), &[code, by]);
        let code = self.value(state, Op::Select, &[is, other, code]);
        self.character(code)
    }
}

/// What Python says where there is nothing at an index.
const fn message(unit: Unit) -> &'static str {
    match unit {
        Unit::Character => "string index out of range",
        Unit::Number => "index out of range",
    }
}

/// The two objects on top of the stack.
fn operands(state: &State) -> Option<[PyObjectRef; 2]> {
    Some([state.peek(2).object()?.clone(), state.peek(1).object()?.clone()])
}
