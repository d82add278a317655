//! Elements of an object that compiled code hands on, and that has been a tensor so far: `np.zeros(n)` of an `n` that is
//! known later, an item of a list of arrays.
//!
//! Which dtype it had, crossings have noted at the instruction ([`crate::code::Seen`]); as many axes are guessed as there are
//! indices. Code asks for both once for each object, and leaves where it is another one.

use rustpython_vm::PyObjectRef;
use rustpython_vm::builtins::PyTuple;
use rustpython_vm::bytecode::Opcode;
use rustpython_vm::bytecode::oparg::BinaryOperator;
use snekpy_stage::entity::{HostId, Value};
use snekpy_stage::op::{Acts, Op};
use snekpy_stage::tensor::{Dtype, TensorOp};
use snekpy_stage::types::{ArrayType, Type};

use super::{Number, value_of};
use crate::capture::session::Session;
use crate::capture::state::State;
use crate::capture::stop::Step;
use crate::code::Instr;
use crate::exit::HostKind;
use crate::rep::StagedObject;
use crate::tensor;

impl Session<'_> {
    /// Carries out `x[i]` or `x[i] = v` where `x` is such an object: whether it was that.
    pub(in crate::capture) fn on_unknown_tensor(&mut self, state: &mut State, instr: Instr) -> Step<bool> {
        let is_store = match instr.op {
            Opcode::StoreSubscr => true,
            Opcode::BinaryOp => {
                if !matches!(BinaryOperator::try_from(instr.arg), Ok(BinaryOperator::Subscr)) {
                    return Ok(false);
                }
                false
            }
            _ => return Ok(false),
        };
        let Some(object) = state.peek(2).object().and_then(|it| it.downcast_ref::<StagedObject>()) else {
            return Ok(false);
        };
        let (object, owner) = (object.value, object.owner);
        if owner != self.owner || self.rules.detached || is_store && self.rules.shared || !state.reach.is_reached() {
            return Ok(false);
        }
        let frame = state.frame();
        let Some(dtype) = frame.code.seen(frame.pc).element() else {
            return Ok(false);
        };
        let Some(key) = state.peek(1).object().cloned() else { return Ok(false) };
        let Some(at) = self.positions_in(state, &key)? else { return Ok(false) };
        let given = match is_store {
            true => {
                let Some(given) = state.peek(3).object().cloned() else { return Ok(false) };
                let Some(value) = self.as_stored(state, &given, dtype)? else { return Ok(false) };
                Some(value)
            }
            false => None,
        };
        let Some((array, place)) = self.place_in(state, object, dtype, &at) else { return Ok(false) };
        for _ in 0..if is_store { 3 } else { 2 } {
            state.pop();
        }
        match given {
            Some(value) => _ = self.emit(state, Op::Store, &[array, place, value]),
            None => {
                let value = self.value(state, Op::Load, &[array, place]);
                state.push(self.element_object(value, dtype));
            }
        }
        state.frame_mut().pc += 1;
        Ok(true)
    }

    /// The indices of a key, if all are integers.
    fn positions_in(&mut self, state: &State, key: &PyObjectRef) -> Step<Option<Vec<Value>>> {
        let parts = match key.downcast_ref_if_exact::<PyTuple>(self.vm) {
            Some(tuple) => tuple.as_slice().to_vec(),
            None => vec![key.clone()],
        };
        let mut at = Vec::with_capacity(parts.len());
        for part in &parts {
            let part = self.index_of_tensor(state, part)?;
            match self.number(&part)? {
                Some(num) if num.ty() == Type::I64 => at.push(self.lift(state, num)),
                _ => return Ok(None),
            }
        }
        Ok((!at.is_empty()).then_some(at))
    }

    /// What is stored of a number or of an element.
    fn as_stored(&mut self, state: &State, given: &PyObjectRef, dtype: Dtype) -> Step<Option<Value>> {
        if let Some((staged, ty)) = tensor::staged(given) {
            if staged.owner != self.owner || !ty.shape.dims().is_empty() {
                return Ok(None);
            }
            let Some(from) = staged.element else { return Ok(None) };
            return Ok(self.cast(state, Number { value: value_of(staged), dtype: from }, dtype));
        }
        let Some(num) = self.number(given)? else { return Ok(None) };
        let value = self.lift(state, num);
        Ok(self.number_as(state, value, dtype))
    }

    /// The array and the place in it of one element.
    fn place_in(&mut self, state: &State, object: Value, dtype: Dtype, at: &[Value]) -> Option<(Value, Value)> {
        let host = self.host_of_unknown(self.func.ty(object), dtype, at.len())?;
        let memory = self.emit(state, Op::Tensor(host, Acts::Asks), &[object]);
        let (&[is_one, array, mut place], more) = memory.split_first_chunk()?;
        let exit = self.exit_at_checkpoint("another object");
        self.emit(state, Op::Guard(exit), &[is_one]);
        let (sizes, steps) = more.split_at(at.len());
        for ((&at, &size), &step) in at.iter().zip(sizes).zip(steps) {
            let at = self.position(state, at, size);
            place = self.further(state, place, at, step);
        }
        Some((array, place))
    }

    fn host_of_unknown(&mut self, ty: Type, dtype: Dtype, rank: usize) -> Option<HostId> {
        let elem = dtype.elem();
        if let Some(host) = self.tensors.unknown_memories.get(&(ty, dtype, rank)) {
            return Some(*host);
        }
        let mut results = vec![Type::Bool, Type::Array(ArrayType { elem, len: None })];
        results.resize(3 + 2 * rank, Type::I64);
        let host = self.host("memory_of", vec![ty], results, HostKind::Tensor);
        self.module.hosts[host].tensor = Some(TensorOp::MemoryOf { dtype, rank });
        self.tensors.unknown_memories.insert((ty, dtype, rank), host);
        Some(host)
    }
}
