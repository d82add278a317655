//! What is on the value stack before each instruction of a function.
//!
//! A frame that is suspended gives its values away one by one, so it must be known how many there are, which are
//! NULL, and which belong to handlers. All of this is the same on every way to an instruction, as in CPython:
//! where it is not, the function is not followed.

use rustpython_vm::bytecode::{CodeFlags, Opcode};

use crate::code::{Code, Instr, Pc};

/// An entry of the value stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// An object.
    Value,
    /// What GET_ITER gave.
    Iter,
    /// The NULL that this instruction has put behind a callable.
    Null(Pc),
    /// What a comprehension has put aside: the value of a variable, or NULL.
    Saved,
    /// The exception that was being handled before.
    Handled,
    /// The instruction that raised.
    Lasti,
    /// What GET_ITER gave or another object, depending on how one comes there. A handler finds that below the
    /// exception and throws it away.
    Mixed,
}

/// What a NULL behind a callable is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Use {
    /// CALL or CALL_KW.
    Call,
    /// CALL_FUNCTION_EX.
    CallEx,
}

/// The stacks of a function.
pub(super) struct Stacks {
    /// Before each instruction; `None` where control never comes.
    before: Vec<Option<Vec<Kind>>>,
    uses: Vec<Option<Use>>,
}

impl Stacks {
    /// Works them out; `None` for a function that cannot be followed.
    pub(super) fn new(code: &Code) -> Option<Self> {
        let makers = CodeFlags::GENERATOR | CodeFlags::COROUTINE | CodeFlags::ASYNC_GENERATOR;
        if code.object.code.flags.intersects(makers) || code.uses_namespace() {
            return None;
        }
        let count = code.instrs.len();
        let mut it = Self { before: vec![None; count], uses: vec![None; count] };
        let mut todo = Vec::new();
        it.arrive(0, Vec::new(), &mut todo)?;
        while let Some(pc) = todo.pop() {
            let stack = it.before[pc as usize].clone()?;
            // The entry of a handler lies under the handler that cleans up after it, whose stack it has yet to make.
            let handler = code.handler(pc).filter(|_| !matches!(code.instrs[pc as usize].op, Opcode::PushExcInfo));
            if let Some(handler) = handler {
                let mut caught = stack.get(..handler.depth as usize)?.to_vec();
                if handler.push_lasti {
                    caught.push(Kind::Lasti);
                }
                caught.push(Kind::Value);
                it.arrive(handler.target, caught, &mut todo)?;
            }
            let after = it.after(code.instrs[pc as usize], pc, stack)?;
            for next in code.successors(pc) {
                let mut after = after.clone();
                let jumps = code.instrs[pc as usize].target == Some(next);
                if code.instrs[pc as usize].op == Opcode::ForIter && !jumps {
                    after.push(Kind::Value);
                }
                it.arrive(next, after, &mut todo)?;
            }
        }
        Some(it)
    }

    /// What is there before an instruction; `None` if it is never reached.
    pub(super) fn at(&self, pc: Pc) -> Option<&[Kind]> {
        self.before[pc as usize].as_deref()
    }

    /// What the NULL that an instruction pushes behind a callable is for.
    pub(super) fn use_of(&self, pc: Pc) -> Option<Use> {
        self.uses[pc as usize]
    }

    fn arrive(&mut self, pc: Pc, stack: Vec<Kind>, todo: &mut Vec<Pc>) -> Option<()> {
        match &mut self.before[pc as usize] {
            Some(known) if known.len() == stack.len() => {
                let mut changed = false;
                for (known, kind) in known.iter_mut().zip(stack) {
                    let merged = match (*known, kind) {
                        (a, b) if a == b => a,
                        (Kind::Value | Kind::Iter | Kind::Mixed, Kind::Value | Kind::Iter | Kind::Mixed) => Kind::Mixed,
                        _ => return None,
                    };
                    changed |= merged != *known;
                    *known = merged;
                }
                if changed {
                    todo.push(pc);
                }
                Some(())
            }
            Some(_) => None,
            unknown @ None => {
                *unknown = Some(stack);
                todo.push(pc);
                Some(())
            }
        }
    }

    fn note_use(&mut self, receiver: Kind, what: Use) -> Option<()> {
        if let Kind::Null(origin) = receiver {
            let known = &mut self.uses[origin as usize];
            if known.is_some_and(|it| it != what) {
                return None;
            }
            *known = Some(what);
        }
        Some(())
    }

    /// The stack behind an instruction that did not raise. A FOR_ITER's item is not on it.
    fn after(&mut self, instr: Instr, pc: Pc, mut stack: Vec<Kind>) -> Option<Vec<Kind>> {
        let arg = instr.arg as usize;
        let effect = instr.op.stack_effect_info(instr.arg);
        let (popped, pushed) = (effect.popped() as usize, effect.pushed() as usize);
        let drop = |stack: &mut Vec<Kind>, count: usize| {
            let height = stack.len().checked_sub(count)?;
            stack.truncate(height);
            Some(())
        };
        match instr.op {
            Opcode::Copy => stack.push(*stack.get(stack.len().checked_sub(arg)?)?),
            Opcode::Swap => {
                let top = stack.len().checked_sub(1)?;
                let other = stack.len().checked_sub(arg)?;
                stack.swap(top, other);
            }
            Opcode::PushNull => stack.push(Kind::Null(pc)),
            Opcode::LoadGlobal | Opcode::LoadAttr | Opcode::LoadSuperAttr => {
                drop(&mut stack, popped)?;
                stack.push(Kind::Value);
                if instr.arg & 1 == 1 {
                    stack.push(Kind::Null(pc));
                }
            }
            Opcode::LoadFastAndClear => stack.push(Kind::Saved),
            Opcode::GetIter => {
                drop(&mut stack, 1)?;
                stack.push(Kind::Iter);
            }
            Opcode::ForIter => {}
            Opcode::PushExcInfo => {
                drop(&mut stack, 1)?;
                stack.extend([Kind::Handled, Kind::Value]);
            }
            Opcode::Call | Opcode::CallKw => {
                let operands = arg + 2 + usize::from(instr.op == Opcode::CallKw);
                let receiver = *stack.get(stack.len().checked_sub(operands)? + 1)?;
                self.note_use(receiver, Use::Call)?;
                drop(&mut stack, operands)?;
                stack.push(Kind::Value);
            }
            Opcode::CallFunctionEx => {
                let receiver = *stack.get(stack.len().checked_sub(4)? + 1)?;
                self.note_use(receiver, Use::CallEx)?;
                drop(&mut stack, 4)?;
                stack.push(Kind::Value);
            }
            Opcode::WithExceptStart => stack.push(Kind::Value),
            // These look at entries further down and leave them there.
            Opcode::ListAppend
            | Opcode::ListExtend
            | Opcode::SetAdd
            | Opcode::SetUpdate
            | Opcode::MapAdd
            | Opcode::DictMerge
            | Opcode::DictUpdate => drop(&mut stack, popped.checked_sub(pushed)?)?,
            Opcode::StoreFast | Opcode::StoreFastStoreFast | Opcode::StoreFastLoadFast => {
                drop(&mut stack, popped)?;
                stack.extend(std::iter::repeat_n(Kind::Value, pushed));
            }
            Opcode::Send
            | Opcode::SendGen
            | Opcode::YieldValue
            | Opcode::ReturnGenerator
            | Opcode::GetAwaitable
            | Opcode::GetAnext
            | Opcode::GetAiter
            | Opcode::EndAsyncFor
            | Opcode::EndSend
            | Opcode::CleanupThrow
            | Opcode::GetYieldFromIter => return None,
            _ => {
                let taken = stack.len().checked_sub(popped)?;
                // An instruction that computes with a NULL or with what is put aside is not one we know.
                let is_plain = |kind: &Kind| !matches!(kind, Kind::Null(_) | Kind::Saved);
                let only_pops =
                    matches!(instr.op, Opcode::PopTop | Opcode::PopExcept | Opcode::PopIter | Opcode::Reraise);
                if !only_pops && !stack[taken..].iter().all(is_plain) {
                    return None;
                }
                stack.truncate(taken);
                stack.extend(std::iter::repeat_n(Kind::Value, pushed));
            }
        }
        Some(stack)
    }
}
