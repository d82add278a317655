//! From code units to instructions.
//!
//! A unit is an opcode byte and an argument byte. An instruction is any number of EXTENDED_ARG units, the
//! unit of the opcode, and the cache units that the opcode asks for. `sys.monitoring` may have put
//! INSTRUMENTED_LINE or INSTRUMENTED_INSTRUCTION in the place of an opcode; the original is in a table
//! beside the code, and its lock is held while we read.

use std::fmt;

use rustpython_vm::PyRef;
use rustpython_vm::builtins::PyCode;
use rustpython_vm::bytecode::{Opcode, decode_exception_table};

use super::graph::falls_through;
use super::{Handler, Instr, Pc};

/// Marks units that belong to no instruction, in tables of `Pc`.
pub(super) const NO_INSTR: Pc = Pc::MAX;

/// Why bytecode cannot be decoded. Only bytecode that was tampered with is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// There is no such opcode, or it is not one that can be executed.
    UnknownOpcode {
        /// The opcode byte.
        byte: u8,
        /// Where it stands.
        unit: u32,
    },
    /// A jump or a handler leads to where no instruction begins.
    BadTarget {
        /// The jump, or the first instruction that the handler covers.
        unit: u32,
        /// The unit it leads to.
        target: i64,
    },
    /// An instruction names a local that does not exist.
    BadLocal {
        /// The instruction.
        unit: u32,
        /// The index of the local.
        local: u32,
    },
    /// The last instruction is cut off, or execution can run past it.
    Truncated,
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownOpcode { byte, unit } => write!(f, "unknown opcode {byte} at unit {unit}"),
            Self::BadTarget { unit, target } => {
                write!(f, "unit {unit} leads to unit {target}, where no instruction begins")
            }
            Self::BadLocal { unit, local } => write!(f, "unit {unit} names local {local}, which does not exist"),
            Self::Truncated => write!(f, "the bytecode has no end"),
        }
    }
}

impl std::error::Error for DecodeError {}

/// What decoding yields.
pub(super) struct Decoded {
    pub(super) instrs: Vec<Instr>,
    pub(super) pc_of_unit: Vec<Pc>,
    pub(super) handlers: Handlers,
}

/// The exception table, looked up by instruction.
#[derive(Debug)]
pub(super) struct Handlers {
    entries: Vec<Handler>,
    /// For each instruction an index into `entries`, or [`Handlers::NONE`].
    of_instr: Vec<u32>,
}

impl Handlers {
    const NONE: u32 = u32::MAX;

    pub(super) fn at(&self, pc: Pc) -> Option<Handler> {
        match self.of_instr[pc as usize] {
            Self::NONE => None,
            index => Some(self.entries[index as usize]),
        }
    }

    /// Whether two instructions have the same entry of the table.
    pub(super) fn same(&self, a: Pc, b: Pc) -> bool {
        self.of_instr[a as usize] == self.of_instr[b as usize]
    }
}

pub(super) fn decode(code: &PyRef<PyCode>) -> Result<Decoded, DecodeError> {
    let mut instrs = read_instrs(code)?;
    let pc_of_unit = index_units(&instrs, code.instructions.len());
    let resolve = |unit: u32, target: i64| {
        let pc = usize::try_from(target).ok().and_then(|it| pc_of_unit.get(it)).copied();
        pc.filter(|&pc| pc != NO_INSTR).ok_or(DecodeError::BadTarget { unit, target })
    };

    for pc in 0..instrs.len() {
        let Instr { op, arg, unit, .. } = instrs[pc];
        let Some(target) = jump_target(op, arg, unit) else { continue };
        let mut target = resolve(unit, target)?;
        if op == Opcode::ForIter && instrs[target as usize].op == Opcode::EndFor {
            target += 1;
            if target as usize == instrs.len() {
                return Err(DecodeError::Truncated);
            }
        }
        instrs[pc].target = Some(target);
    }
    match instrs.last() {
        Some(last) if !falls_through(last.op) => {}
        Some(_) | None => return Err(DecodeError::Truncated),
    }

    let mut handlers = Handlers { entries: Vec::new(), of_instr: vec![Handlers::NONE; instrs.len()] };
    for entry in decode_exception_table(&code.exceptiontable) {
        let target = resolve(entry.start, i64::from(entry.target))?;
        let index = u32::try_from(handlers.entries.len()).expect("an entry takes at least four bytes");
        handlers.entries.push(Handler { target, depth: u32::from(entry.depth), push_lasti: entry.push_lasti });
        let first = instrs.partition_point(|it| it.unit < entry.start);
        let end = instrs.partition_point(|it| it.unit < entry.end);
        for slot in handlers.of_instr.get_mut(first..end).unwrap_or_default() {
            if *slot == Handlers::NONE {
                *slot = index; // of two entries that overlap, RustPython takes the first
            }
        }
    }
    Ok(Decoded { instrs, pc_of_unit, handlers })
}

/// The instructions, with jumps not yet resolved.
fn read_instrs(code: &PyRef<PyCode>) -> Result<Vec<Instr>, DecodeError> {
    let units = &code.instructions;
    let displaced = code.monitoring_data.lock();
    // The opcode that monitoring put aside, from its outer table or, through that, from its inner one.
    let original = |unit: usize, op: Opcode| -> Result<Opcode, DecodeError> {
        let mut op = op;
        for wrapper in [Opcode::InstrumentedLine, Opcode::InstrumentedInstruction] {
            if op != wrapper {
                continue;
            }
            let table = displaced.as_ref().map(|it| match wrapper {
                Opcode::InstrumentedLine => &it.line_opcodes,
                _ => &it.per_instruction_opcodes,
            });
            let byte = table.and_then(|it| it.get(unit)).copied().unwrap_or(0);
            let error = DecodeError::UnknownOpcode { byte: op.as_u8(), unit: unit as u32 };
            op = if byte == 0 { Err(error) } else { Opcode::try_from_u8(byte).map_err(|_| error) }?;
        }
        Ok(op.deoptimize())
    };

    let mut instrs = Vec::with_capacity(units.len() / 2);
    let mut unit = 0;
    let mut prefix = 0;
    while unit < units.len() {
        let raw = units.read_unit(unit);
        let arg = prefix << 8 | raw.arg.as_u32();
        let op = original(unit, raw.op.as_opcode())?;
        if op == Opcode::ExtendedArg {
            prefix = arg;
            unit += 1;
            continue;
        }
        instrs.push(Instr { op, arg, unit: unit as u32, target: None });
        prefix = 0;
        unit += 1 + op.cache_entries();
    }
    let complete = unit == units.len() && units.last().is_none_or(|it| it.op.as_opcode() != Opcode::ExtendedArg);
    if complete { Ok(instrs) } else { Err(DecodeError::Truncated) }
}

/// For each unit, the instruction whose opcode or prefix it is.
fn index_units(instrs: &[Instr], units: usize) -> Vec<Pc> {
    let mut pc_of_unit = vec![NO_INSTR; units];
    let mut start = 0;
    for (pc, instr) in instrs.iter().enumerate() {
        let opcode = instr.unit as usize;
        pc_of_unit[start..=opcode].fill(pc as Pc);
        start = opcode + 1 + instr.op.cache_entries();
    }
    pc_of_unit
}

/// The unit a jump leads to. Jumps are relative to the unit behind the caches.
fn jump_target(op: Opcode, arg: u32, unit: u32) -> Option<i64> {
    let next = i64::from(unit) + 1 + op.cache_entries() as i64;
    match op {
        Opcode::JumpForward
        | Opcode::ForIter
        | Opcode::Send
        | Opcode::PopJumpIfFalse
        | Opcode::PopJumpIfTrue
        | Opcode::PopJumpIfNone
        | Opcode::PopJumpIfNotNone => Some(next + i64::from(arg)),
        Opcode::JumpBackward | Opcode::JumpBackwardNoInterrupt => Some(next - i64::from(arg)),
        _ => None,
    }
}
