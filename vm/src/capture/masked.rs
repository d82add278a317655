//! Whether a mask takes the low bits of what an instruction gives: hashes and random numbers compute modulo a power of two.
//!
//! `(x * a + c) & 0xffffffff` and `x ^= x << 13`, `x &= mask` need no more of `x * a` than its low bits, which compiled code
//! computes without a check, however large the number is that Python has in between.

use rustpython_vm::bytecode::oparg::{BinaryOperator, ConstIdx};
use rustpython_vm::{PyObjectRef, VirtualMachine};
use smallvec::SmallVec;
use snekpy_stage::types::Type;

use crate::capture::arith::plain;
use crate::capture::session::Session;
use crate::capture::state::{Frame, State};
use crate::capture::value::{self, V};
use crate::code::{Instr, Opcode};
use crate::kind::{self, Wide};
use crate::scalar::known_int;

/// So many instructions behind it are looked at.
const FEW: usize = 16;

/// What lies on the stack.
enum Entry {
    /// The number on whose low bits are asked for, or what is computed of it.
    Own,
    /// Another int, and which one if that is known.
    Int(Option<PyObjectRef>),
    /// Anything else.
    Other,
}

impl Session<'_> {
    /// Whether nothing but the low 64 bits are taken of what the instruction gives that the path is at.
    pub(crate) fn is_masked(&self, state: &State) -> bool {
        let frame = state.frame();
        match &frame.code.instrs[frame.pc as usize..] {
            [Instr { op: Opcode::BinaryOp, .. }, rest @ ..] => {
                self.takes_low_bits(frame, &rest[..rest.len().min(FEW)]).unwrap_or(false)
            }
            _ => false,
        }
    }

    /// `None` where something else is done.
    fn takes_low_bits(&self, frame: &Frame, instrs: &[Instr]) -> Option<bool> {
        let below = frame.stack.len();
        let mut stack: SmallVec<[Entry; 8]> = frame.stack.iter().map(|it| self.as_entry(Some(it))).collect();
        stack.push(Entry::Own);
        let mut variable = None;
        let local = |index: u32, variable: Option<u32>| match variable == Some(index) {
            true => Entry::Own,
            false => self.as_entry(frame.locals.get(index as usize).and_then(Option::as_ref)),
        };
        let mut instrs = instrs.iter();
        while let Some(&Instr { op, arg, .. }) = instrs.next() {
            match op {
                Opcode::LoadConst => {
                    let constant = &frame.code.object.code.constants[ConstIdx::from_u32(arg)];
                    stack.push(self.as_entry(Some(&V::Obj(PyObjectRef::from(constant.clone())))));
                }
                Opcode::LoadSmallInt => stack.push(Entry::Int(Some(self.vm.ctx.new_int(arg).into()))),
                Opcode::LoadGlobal if arg & 1 == 0 => {
                    let name = frame.code.object.code.names[(arg >> 1) as usize];
                    let found = frame.globals.get_item_opt(name, self.vm).ok()??;
                    stack.push(self.as_entry(Some(&V::Obj(found))));
                }
                Opcode::LoadFast | Opcode::LoadFastBorrow => stack.push(local(arg, variable)),
                Opcode::LoadFastLoadFast | Opcode::LoadFastBorrowLoadFastBorrow => {
                    stack.extend([local(arg >> 4, variable), local(arg & 15, variable)]);
                }
                // `x *= a`, and on the next line `x &= mask`.
                Opcode::StoreFast if stack.len() == below + 1 && variable.is_none() => {
                    stack.pop();
                    variable = Some(arg);
                }
                Opcode::StoreFastLoadFast if stack.len() == below + 1 && variable.is_none() => {
                    stack.pop();
                    variable = Some(arg >> 4);
                    stack.push(local(arg & 15, variable));
                }
                Opcode::BinaryOp => {
                    let (operator, _) = plain(BinaryOperator::try_from(arg).ok()?);
                    let (y, x) = (stack.pop()?, stack.pop()?);
                    match self.after(operator, &x, &y)? {
                        After::Goes(entry) => stack.push(entry),
                        After::Masked => {
                            // The variable must not be read before it is that of the low bits.
                            let is_stored = |variable: u32| match instrs.next() {
                                Some(Instr { op: Opcode::StoreFast, arg, .. }) => *arg == variable,
                                Some(Instr { op: Opcode::StoreFastLoadFast, arg, .. }) => arg >> 4 == variable,
                                _ => false,
                            };
                            return Some(variable.is_none_or(is_stored));
                        }
                    }
                }
                _ => return None,
            }
        }
        None
    }

    /// What becomes of the number in an operator; `None` if that is not its low bits.
    fn after(&self, operator: BinaryOperator, x: &Entry, y: &Entry) -> Option<After> {
        let known = |it: &Entry| match it {
            Entry::Int(Some(object)) => known_int(object, self.vm),
            _ => None,
        };
        let goes_on = match operator {
            BinaryOperator::Add
            | BinaryOperator::Subtract
            | BinaryOperator::Multiply
            | BinaryOperator::Or
            | BinaryOperator::Xor => true,
            BinaryOperator::Lshift => known(y).is_some_and(is_distance),
            _ => false,
        };
        match (x, y) {
            (Entry::Other, _) | (_, Entry::Other) => None,
            (Entry::Int(_), Entry::Int(_)) => {
                let gives_int = !matches!(operator, BinaryOperator::TrueDivide | BinaryOperator::Power);
                gives_int.then_some(After::Goes(Entry::Int(None)))
            }
            _ if goes_on => Some(After::Goes(Entry::Own)),
            (Entry::Own, mask) | (mask, Entry::Own) if operator == BinaryOperator::And => {
                u64::try_from(known(mask)?).is_ok().then_some(After::Masked)
            }
            (Entry::Own, modulus) if operator == BinaryOperator::Remainder => {
                mask_of_modulus(known(modulus)?).map(|_| After::Masked)
            }
            _ => None,
        }
    }

    fn as_entry(&self, entry: Option<&V>) -> Entry {
        match entry {
            Some(V::Obj(object)) if is_int(object, self.vm) => Entry::Int(Some(object.clone())),
            _ => Entry::Other,
        }
    }
}

/// What becomes of the number in an operator.
enum After {
    /// This is on the stack.
    Goes(Entry),
    /// A mask takes its low bits.
    Masked,
}

/// Whether it is an int, known now or later.
fn is_int(object: &PyObjectRef, vm: &VirtualMachine) -> bool {
    known_int(object, vm).is_some()
        || matches!(value::rep(object), Some((_, Type::I64)))
        || kind::as_kind::<Wide>(object).is_some()
}

/// Whether it is a distance within 64 bits.
pub(crate) fn is_distance(number: i128) -> bool {
    (0..64).contains(&number)
}

/// The mask that takes the remainder by a power of two, if that has at most 64 bits.
pub(crate) fn mask_of_modulus(modulus: i128) -> Option<u64> {
    let mask = u64::try_from(modulus.checked_sub(1)?).ok()?;
    (modulus & i128::from(mask) == 0).then_some(mask)
}
