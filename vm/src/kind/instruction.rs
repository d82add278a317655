//! Instructions that meet a value of a kind which has an own idea of them.

use rustpython_vm::PyObjectRef;
use rustpython_vm::bytecode::oparg::BinaryOperator;
use rustpython_vm::function::FuncArgs;
use snekpy_stage::entity::Value;
use snekpy_stage::op::{Bit2, Cmp, Op};

use super::{Found, Kind, Method, as_kind, like, of, staged};
use crate::capture::session::Session;
use crate::capture::state::{State, Then};
use crate::capture::step::Flow;
use crate::capture::stop::Step;
use crate::capture::value::{self, V};
use crate::code::{Instr, Opcode};

impl Session<'_> {
    /// Carries out an instruction on a value of a kind: whether it was one.
    pub(crate) fn on_kinds(&mut self, state: &mut State, instr: Instr) -> Step<bool> {
        match instr.op {
            Opcode::UnaryNegative => {
                let Some(object) = state.peek(1).object().cloned() else { return Ok(false) };
                let Some(staged) = staged(&object) else { return Ok(false) };
                let Some(result) = staged.negative(&mut self.at(state, &object))? else { return Ok(false) };
                state.replace_top(result);
            }
            Opcode::LoadAttr => {
                let Some(object) = state.peek(1).object().cloned() else { return Ok(false) };
                let name = state.frame().code.object.code.names[(instr.arg >> 1) as usize];
                let found = match staged(&object).and_then(|it| it.attribute(name.as_str())) {
                    Some(Found::Value(value)) => value,
                    Some(Found::Method) => Kind::from(Method { object, name }).object(self.vm),
                    None => return Ok(false),
                };
                state.replace_top(found);
                if instr.arg & 1 == 1 {
                    state.push(V::Null);
                }
            }
            Opcode::Call => {
                let count = instr.arg as usize;
                let Some(callable) = state.peek(count + 2).object().cloned() else { return Ok(false) };
                let Some(method) = as_kind::<Method>(&callable) else { return Ok(false) };
                let Some(staged) = staged(&method.object) else { return Ok(false) };
                let args: Option<Vec<PyObjectRef>> =
                    (1..=count).rev().map(|it| state.peek(it).object().cloned()).collect();
                let Some(args) = args else { return Ok(false) };
                let name = method.name.as_str();
                if let Some((helper, mut given)) =
                    staged.method_loop(&mut self.at(state, &method.object), name, &args)?
                {
                    self.stage_ranges(state, &mut given)?;
                    let helper = self.helper_function(helper)?;
                    state.pop_objs(count);
                    state.pop();
                    state.pop();
                    let flow = self.call_helper(state, &helper, given.into(), Then::Push)?;
                    debug_assert!(matches!(flow, Flow::Next));
                    return Ok(true);
                }
                let Some(result) = staged.call_method(&mut self.at(state, &method.object), name, &args)? else {
                    return Ok(false);
                };
                return Ok(Self::give(state, count, result));
            }
            _ => return Ok(false),
        }
        state.frame_mut().pc += 1;
        Ok(true)
    }

    /// `x operator y`, where one of them is of a kind with this operator and one is known later.
    pub(crate) fn binary_of_kinds(
        &mut self,
        state: &mut State,
        operator: BinaryOperator,
        operands: [&PyObjectRef; 2],
    ) -> Step<Option<PyObjectRef>> {
        if !operands.iter().any(|it| is_known_later(it)) {
            return Ok(None);
        }
        for operand in operands {
            if let Some(kind) = like(operand, self.vm)
                && let Some(result) = kind.staged().binary(&mut self.at(state, operand), operator, operands)?
            {
                return Ok(Some(result));
            }
        }
        Ok(None)
    }

    /// The same for a comparison.
    pub(crate) fn compare_kinds(
        &mut self,
        state: &mut State,
        cmp: Cmp,
        [x, y]: [&PyObjectRef; 2],
    ) -> Step<Option<PyObjectRef>> {
        if !is_known_later(x) && !is_known_later(y) {
            return Ok(None);
        }
        for (operand, cmp, other) in [(x, cmp, y), (y, cmp.swapped(), x)] {
            if let Some(kind) = like(operand, self.vm)
                && let Some(result) = kind.staged().compare(&mut self.at(state, operand), cmp, other)?
            {
                return Ok(Some(result));
            }
        }
        Ok(None)
    }

    /// Whether two values of a kind, of which one is known later, are both unequal to themselves, if they may be.
    pub(crate) fn are_nan_of_kinds(&mut self, state: &State, operands: [&PyObjectRef; 2]) -> Step<Option<Value>> {
        if !operands.iter().any(|it| of(it).is_some()) {
            return Ok(None);
        }
        let mut both = None;
        for operand in operands {
            let Some(kind) = like(operand, self.vm) else { return Ok(None) };
            let Some(is_nan) = kind.staged().is_nan(self, state)? else { return Ok(None) };
            both = Some(match both {
                Some(first) => self.value(state, Op::Bit2(Bit2::And), &[first, is_nan]),
                None => is_nan,
            });
        }
        Ok(both)
    }

    /// What a builtin gives for arguments of which one is known later, if that is of a kind, or is asked of one.
    pub(crate) fn call_of_kinds(
        &mut self,
        state: &mut State,
        callable: &PyObjectRef,
        args: &FuncArgs,
    ) -> Step<Option<PyObjectRef>> {
        match args.args.iter().any(is_known_later) {
            true => Kind::of_call(self, state, callable, args),
            false => Ok(None),
        }
    }
}

/// Whether an object is of a kind, or a number that is known later.
fn is_known_later(object: &PyObjectRef) -> bool {
    of(object).is_some() || value::rep(object).is_some()
}
