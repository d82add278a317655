//! Fast locals: their names and kinds, and what instructions do with them.

use rustc_hash::FxHashSet as HashSet;
use rustpython_vm::builtins::PyCode;
use rustpython_vm::bytecode::{CO_FAST_CELL, CO_FAST_FREE};
use rustpython_vm::{AsObject, PyRef};

use super::{DecodeError, Instr, Opcode};

/// What looks at the locals of its caller by name, or at the frames that come from there on.
const READERS: [&str; 15] = [
    "locals",
    "vars",
    "dir",
    "eval",
    "exec",
    "breakpoint",
    "set_trace",
    "_getframe",
    "currentframe",
    "print_stack",
    "extract_stack",
    "settrace",
    "setprofile",
    "set_events",
    "set_local_events",
];

/// The locals of a code object: variables, then cells that are not variables, then free variables.
#[derive(Debug)]
pub(super) struct Locals {
    names: Vec<&'static str>,
    is_cell: Vec<bool>,
    are_read_by_name: bool,
}

impl Locals {
    pub(super) fn new(code: &PyRef<PyCode>, instrs: &[Instr]) -> Result<Self, DecodeError> {
        let variables: HashSet<usize> = code.varnames.iter().map(|name| name.get_id()).collect();
        let cells = code.cellvars.iter().filter(|name| !variables.contains(&name.get_id()));
        let names = code.varnames.iter().chain(cells).chain(code.freevars.iter());
        let names: Vec<&'static str> = names.map(|name| name.to_str().unwrap_or("?")).collect();
        let kinds = code.localspluskinds.iter();
        let is_cell: Vec<bool> = kinds.map(|kind| kind & (CO_FAST_CELL | CO_FAST_FREE) != 0).collect();
        for instr in instrs {
            let access = LocalAccess::of(instr);
            if let Some(local) = access.touched().find(|&it| it >= names.len().min(is_cell.len())) {
                return Err(DecodeError::BadLocal { unit: instr.unit, local: local as u32 });
            }
        }
        // A name that is an attribute of something else only makes the answer less precise.
        let are_read_by_name = code.names.iter().any(|name| READERS.iter().any(|it| name.to_str() == Some(it)));
        Ok(Self { names, is_cell, are_read_by_name })
    }

    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    pub(super) fn name(&self, local: usize) -> &'static str {
        self.names[local]
    }

    pub(super) fn is_cell(&self, local: usize) -> bool {
        self.is_cell[local]
    }

    pub(super) const fn are_read_by_name(&self) -> bool {
        self.are_read_by_name
    }

    pub(super) fn is_always_live(&self, local: usize) -> bool {
        self.are_read_by_name || self.is_cell[local]
    }
}

/// What an instruction does with fast locals: first it looks at `uses`, then it changes `defs`.
///
/// A variable that STORE_FAST_LOAD_FAST stores and loads again is not looked at. Instructions on cells are
/// not covered: cells are always live.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LocalAccess {
    /// Locals whose value before the instruction is read, or must be there.
    pub uses: [Option<usize>; 2],
    /// Locals that have another value, or none, after the instruction.
    pub defs: [Option<usize>; 2],
}

impl LocalAccess {
    /// What `instr` does.
    pub fn of(instr: &Instr) -> Self {
        let local = instr.arg as usize;
        let (first, second) = (local >> 4, local & 15);
        let none = [None; 2];
        match instr.op {
            Opcode::LoadFast | Opcode::LoadFastBorrow | Opcode::LoadFastCheck => {
                Self { uses: [Some(local), None], defs: none }
            }
            Opcode::LoadFastLoadFast | Opcode::LoadFastBorrowLoadFastBorrow => {
                Self { uses: [Some(first), Some(second)], defs: none }
            }
            Opcode::LoadFastAndClear | Opcode::DeleteFast => {
                Self { uses: [Some(local), None], defs: [Some(local), None] }
            }
            Opcode::StoreFast => Self { uses: none, defs: [Some(local), None] },
            Opcode::StoreFastStoreFast => Self { uses: none, defs: [Some(first), Some(second)] },
            Opcode::StoreFastLoadFast => {
                Self { uses: [(first != second).then_some(second), None], defs: [Some(first), None] }
            }
            _ => Self::default(),
        }
    }

    fn touched(&self) -> impl Iterator<Item = usize> {
        self.uses.into_iter().chain(self.defs).flatten()
    }
}
