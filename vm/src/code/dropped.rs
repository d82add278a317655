//! What a handler takes off the stack without looking at it.
//!
//! The handler of an inlined comprehension drops the list that was being made, puts the variable back and raises again.

use super::{Handler, Instr, Opcode};

/// The positions on the stack, from the bottom, of what the handler does nothing with but drop it.
pub(super) fn dropped(instrs: &[Instr], handler: Handler) -> Vec<usize> {
    let pushed = 1 + usize::from(handler.push_lasti);
    let mut stack: Vec<Option<usize>> = (0..handler.depth as usize).map(Some).collect();
    stack.extend(std::iter::repeat_n(None, pushed));
    let mut dropped = Vec::new();
    for &Instr { op, arg, .. } in &instrs[handler.target as usize..] {
        match op {
            Opcode::Swap => {
                let Some(other) = stack.len().checked_sub(arg as usize) else { break };
                let top = stack.len() - 1;
                stack.swap(top, other);
            }
            Opcode::PopTop => dropped.extend(stack.pop().flatten()),
            Opcode::StoreFast => drop(stack.pop()),
            _ => break,
        }
    }
    dropped
}
