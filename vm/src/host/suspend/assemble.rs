//! Writing a code object: instructions with labels, tables of handlers and of lines.

use std::collections::HashMap;

use rustpython_vm::VirtualMachine;
use rustpython_vm::builtins::PyCode;
use rustpython_vm::bytecode::{CodeUnits, ExceptionTableEntry, Opcode, encode_exception_table};
use rustpython_vm::{PyObjectRef, PyPayload, PyRef};

use crate::code::{Code, Pc};
use crate::host::prepare::prepare;
use crate::host::resume::{signed_varint, varint};

/// A place in the code that is written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Label {
    /// Where the instructions for one of the original ones begin.
    Of(Pc),
    /// Another place.
    New(u32),
}

/// Who takes an exception that an instruction raises.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Catch {
    /// Where it goes.
    pub(super) target: Label,
    /// The stack is cut to this height.
    pub(super) depth: u32,
    /// Whether the instruction that raised is pushed below it.
    pub(super) push_lasti: bool,
}

struct Written {
    op: Opcode,
    arg: Arg,
    /// The original instruction whose place in the source this one has.
    from: Pc,
    catch: Option<Catch>,
}

#[derive(Clone, Copy)]
enum Arg {
    Number(u32),
    To(Label),
}

/// Prefixes of a jump: enough for any function.
const JUMP_PREFIXES: u32 = 2;

/// The most units that a jump can go over.
const REACH: u32 = 1 << 24;

/// The code that is written.
pub(super) struct Assembler {
    written: Vec<Written>,
    labels: HashMap<Label, usize>,
    next_label: u32,
    first_constant: u32,
    constants: Vec<PyObjectRef>,
    /// The original instruction that is being written.
    pub(super) from: Pc,
    /// Who takes its exceptions.
    pub(super) catch: Option<Catch>,
}

impl Assembler {
    /// Nothing is written yet.
    pub(super) fn new(code: &Code) -> Self {
        let first_constant = u32::try_from(code.object.code.constants.len()).expect("constants are counted in 32 bits");
        Self {
            written: Vec::new(),
            labels: HashMap::new(),
            next_label: 0,
            first_constant,
            constants: Vec::new(),
            from: 0,
            catch: None,
        }
    }

    /// A label for a place that is marked later.
    pub(super) fn label(&mut self) -> Label {
        self.next_label += 1;
        Label::New(self.next_label)
    }

    /// The next instruction is here.
    pub(super) fn mark(&mut self, label: Label) {
        self.labels.insert(label, self.written.len());
    }

    /// A further constant; gives its index.
    pub(super) fn constant(&mut self, object: PyObjectRef) -> u32 {
        self.constants.push(object);
        self.first_constant + u32::try_from(self.constants.len() - 1).expect("constants are counted in 32 bits")
    }

    /// Writes an instruction; gives its index among those that are written.
    pub(super) fn emit(&mut self, op: Opcode, arg: u32) -> usize {
        self.push(op, Arg::Number(arg))
    }

    /// Writes a jump.
    pub(super) fn jump(&mut self, op: Opcode, to: Label) {
        self.push(op, Arg::To(to));
    }

    /// The constant on the stack is called with what is above it: `count` entries are between.
    pub(super) fn call_constant(&mut self, constant: u32, count: u32) -> usize {
        self.emit(Opcode::LoadConst, constant);
        match count {
            0 => {
                self.emit(Opcode::PushNull, 0);
            }
            1 => {
                // [a, f] [f, a] [f, a, NULL] [f, NULL, a]
                self.emit(Opcode::Swap, 2);
                self.emit(Opcode::PushNull, 0);
                self.emit(Opcode::Swap, 2);
            }
            2 => {
                // [a, b, f] [f, b, a] [f, b, a, NULL] [f, NULL, a, b]
                self.emit(Opcode::Swap, 3);
                self.emit(Opcode::PushNull, 0);
                self.emit(Opcode::Swap, 3);
            }
            _ => {
                // [a, b, c, f] [f, b, c, a] [f, b, c, a, NULL] [f, NULL, c, a, b]: the callable knows this order.
                self.emit(Opcode::Swap, count + 1);
                self.emit(Opcode::PushNull, 0);
                self.emit(Opcode::Swap, count + 1);
            }
        }
        self.emit(Opcode::Call, count)
    }

    fn push(&mut self, op: Opcode, arg: Arg) -> usize {
        self.written.push(Written { op, arg, from: self.from, catch: self.catch });
        self.written.len() - 1
    }

    /// The code object, with the unit of each instruction that was written; `None` if it is too long.
    pub(super) fn finish(self, code: &Code, more_stack: u32, vm: &VirtualMachine) -> Option<(PyRef<PyCode>, Vec<u32>)> {
        let mut begins = Vec::with_capacity(self.written.len() + 1);
        let mut units = Vec::with_capacity(self.written.len());
        let mut next = 0;
        for it in &self.written {
            begins.push(next);
            let prefixes = match it.arg {
                Arg::Number(arg) => (1..4).filter(|byte| arg >> (8 * byte) != 0).count() as u32,
                Arg::To(_) => JUMP_PREFIXES,
            };
            units.push(next + prefixes);
            next += prefixes + 1 + it.op.cache_entries() as u32;
        }
        begins.push(next);
        if next >= REACH {
            return None;
        }
        let begin_of = |label: Label| begins[self.labels[&label]];

        let mut bytes: Vec<u8> = Vec::with_capacity(2 * next as usize);
        for (index, it) in self.written.iter().enumerate() {
            let (prefixes, arg) = match it.arg {
                Arg::Number(arg) => (units[index] - begins[index], arg),
                Arg::To(label) => {
                    let (from, to) = (begins[index + 1], begin_of(label));
                    let is_back = matches!(it.op, Opcode::JumpBackward | Opcode::JumpBackwardNoInterrupt);
                    (JUMP_PREFIXES, if is_back { from.checked_sub(to)? } else { to.checked_sub(from)? })
                }
            };
            for prefix in (1..=prefixes).rev() {
                bytes.extend([Opcode::ExtendedArg.into(), (arg >> (8 * prefix)) as u8]);
            }
            bytes.extend([it.op.into(), arg as u8]);
            for _ in 0..it.op.cache_entries() {
                bytes.extend([Opcode::Cache.into(), 0]);
            }
        }

        let old = &code.object.code;
        let mut entries: Vec<ExceptionTableEntry> = Vec::new();
        let mut lines = Vec::new();
        let mut locations = Vec::with_capacity(next as usize);
        let mut line = old.first_line_number.map_or(1, |it| it.get());
        for (index, it) in self.written.iter().enumerate() {
            let (start, end) = (begins[index], begins[index + 1]);
            if let Some(catch) = it.catch {
                let (target, depth) = (begin_of(catch.target), u16::try_from(catch.depth).ok()?);
                match entries.last_mut() {
                    Some(last)
                        if last.end == start
                            && (last.target, last.depth, last.push_lasti) == (target, depth, catch.push_lasti) =>
                    {
                        last.end = end;
                    }
                    _ => entries.push(ExceptionTableEntry { start, end, target, depth, push_lasti: catch.push_lasti }),
                }
            }
            let location = old.locations[code.instrs[it.from as usize].unit as usize];
            locations.extend(std::iter::repeat_n(location, (end - start) as usize));
            let (first, last) = location;
            let signed = |it: usize| i32::try_from(it).unwrap_or(i32::MAX);
            let columns = [first.character_offset.get(), last.character_offset.get()];
            let height = last.line.get().saturating_sub(first.line.get());
            let delta = signed(first.line.get()) - signed(line);
            write_lines(&mut lines, end - start, delta, [height, columns[0], columns[1]]);
            line = first.line.get();
        }

        let mut new = old.clone();
        new.instructions = CodeUnits::try_from(bytes.as_slice()).expect("these are opcodes");
        new.locations = locations.into();
        new.exceptiontable = encode_exception_table(&entries);
        new.linetable = lines.into();
        new.constants = old.constants.iter().cloned().chain(self.constants.into_iter().map(Into::into)).collect();
        new.max_stackdepth += more_stack;
        let new = PyCode::new(new).into_ref(&vm.ctx);
        prepare(&new);
        Some((new, units))
    }
}

/// Adds units to the table of lines (PEP 626, `Objects/locations.md` of CPython).
fn write_lines(table: &mut Vec<u8>, units: u32, delta: i32, [lines, from, to]: [usize; 3]) {
    const LONG: u8 = 14;
    let number = |it: usize| u32::try_from(it).unwrap_or(u32::MAX);
    let mut delta = delta;
    let mut left = units;
    while left > 0 {
        let now = left.min(8);
        table.push(0x80 | LONG << 3 | (now - 1) as u8);
        signed_varint(table, delta);
        for it in [lines, from, to] {
            varint(table, number(it));
        }
        delta = 0;
        left -= now;
    }
}
