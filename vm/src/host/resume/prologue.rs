//! The prologue itself.

use rustpython_vm::builtins::PyCode;
use rustpython_vm::bytecode::{
    CodeFlags, CodeUnits, ExceptionTableEntry, Opcode, decode_exception_table, encode_exception_table,
};
use rustpython_vm::{PyObjectRef, PyPayload, PyRef, VirtualMachine};

use crate::code::{Code, Pc};
use crate::host::prepare::prepare;

/// An entry of the value stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Entry {
    /// The NULL of the calling convention.
    Null,
    /// An object.
    Value,
    /// The exception that was being handled before this one, which is taken; it is being handled now.
    Handled,
    /// The instruction that raised, for RERAISE.
    Lasti(Pc),
}

/// What a frame waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Wait {
    /// What the next frame returns is pushed.
    Result,
    /// The next frame is an `__init__`; its object is pushed.
    Object,
    /// What the next frame returns is dropped.
    Nothing,
    /// The next frame is the `__next__` that a `for` has called: its item is pushed, or the loop ends.
    Item,
}

/// How a generator goes on that has begun.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Generator {
    /// Behind its `yield`, with what is sent to it on the stack.
    Asleep,
    /// In the middle of computing its next item.
    Running,
}

/// How a frame goes on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Way {
    /// The instruction it is at.
    pub(crate) pc: Pc,
    /// What that instruction has called already, if it has; otherwise it is executed.
    pub(crate) wait: Option<Wait>,
    /// The local variables that are bound, cells and free variables included.
    pub(crate) locals: Vec<usize>,
    /// The value stack, bottom first.
    pub(crate) stack: Vec<Entry>,
    /// For the frame of a generator. It gives None at first, so that it has begun, and goes on when it is asked for the
    /// next item.
    pub(crate) generator: Option<Generator>,
}

impl Way {
    /// How many values each [`super::take`] gives: first the local variables, in order, with the lowest
    /// part of the stack, top first; then every part that follows an entry that is no value, top first. A
    /// part of its own is the exception that is handled.
    pub(crate) fn parts(&self) -> Vec<usize> {
        self.parts_below(self.stack.len())
    }

    /// The same, for the lowest entries of the stack.
    fn parts_below(&self, height: usize) -> Vec<usize> {
        let mut parts = vec![self.locals.len()];
        for entry in &self.stack[..height] {
            match entry {
                Entry::Value => *parts.last_mut().expect("there is one") += 1,
                Entry::Null | Entry::Lasti(_) => parts.push(0),
                Entry::Handled => parts.extend([1, 0]),
            }
        }
        parts
    }

    /// Which of the parts is the exception that is handled where the frame goes on.
    pub(crate) fn handled_part(&self) -> Option<usize> {
        let last = self.stack.iter().rposition(|entry| *entry == Entry::Handled)?;
        Some(self.parts_below(last).len())
    }
}

/// Instructions being written.
#[derive(Default)]
struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    fn emit(&mut self, op: Opcode, arg: u32) {
        for shift in [24, 16, 8] {
            if arg >> shift != 0 {
                self.bytes.extend([Opcode::ExtendedArg.into(), (arg >> shift) as u8]);
            }
        }
        self.bytes.extend([op.into(), arg as u8]);
        for _ in 0..op.cache_entries() {
            self.bytes.extend([Opcode::Cache.into(), 0]);
        }
    }

    fn call(&mut self, constant: u32) {
        self.emit(Opcode::LoadConst, constant);
        self.emit(Opcode::PushNull, 0);
        self.emit(Opcode::Call, 0);
    }

    fn len(&self) -> u32 {
        u32::try_from(self.bytes.len() / 2).expect("a prologue is short")
    }
}

/// How far a frame goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Extent {
    /// To its end.
    All,
    /// The innermost frame executes the instruction that it is at, and nothing more. Then all frames return what that
    /// instruction has pushed, or None. If it raises, they go on to their ends.
    Once,
    /// The innermost frame raises at the instruction that it is at; all frames go on to their ends.
    Raising,
}

/// Which of the natives of [`attach`] a `__next__` that has ended gives.
const NO_ITEM: u32 = 6;
/// Which of them a generator calls that goes on in the middle of computing its next item.
const GOING_ON: u32 = 7;

impl Wait {
    /// Which of the natives of [`attach`] runs the next frame.
    const fn native(self) -> u32 {
        match self {
            Self::Result | Self::Nothing => 1,
            Self::Object => 2,
            Self::Item => 5,
        }
    }
}

/// A copy of the code that goes on as `way` says. `natives` are `take`, `enter`, `construct`, `finish` and `finished`,
/// `enter_next` and what that gives at the end, and `going_on`, as far as they are needed.
pub(crate) fn attach(
    code: &Code,
    way: &Way,
    extent: Extent,
    natives: Vec<PyObjectRef>,
    vm: &VirtualMachine,
) -> PyRef<PyCode> {
    let old = &code.object.code;
    let first_const = u32::try_from(old.constants.len()).expect("constants are counted in 32 bits");
    let natives_len = u32::try_from(natives.len()).expect("natives are few");
    let mut writer = Writer::default();
    // As after a `yield`: the function has begun before.
    writer.emit(Opcode::Resume, 1);
    // Behind the natives: units of the code, which are known when the length of the prologue is.
    let mut raised: Vec<Pc> = Vec::new();
    let take = |writer: &mut Writer, count: usize| {
        if count > 0 {
            writer.call(first_const);
            writer.emit(Opcode::UnpackSequence, u32::try_from(count).expect("slots are counted in 32 bits"));
        }
    };
    let parts = way.parts();
    take(&mut writer, parts[0]);
    if old.arg_count > 0 && !way.locals.contains(&0) {
        writer.emit(Opcode::DeleteFast, 0);
    }
    for &local in &way.locals {
        writer.emit(Opcode::StoreFast, u32::try_from(local).expect("slots are counted in 32 bits"));
    }
    let mut next = 1;
    for entry in way.stack.iter().filter(|entry| **entry != Entry::Value) {
        match entry {
            Entry::Value => unreachable!("they are filtered out"),
            Entry::Null => writer.emit(Opcode::PushNull, 0),
            Entry::Handled => {
                take(&mut writer, 1);
                writer.emit(Opcode::PushExcInfo, 0);
                writer.emit(Opcode::PopTop, 0);
                next += 1;
            }
            Entry::Lasti(pc) => {
                let index = u32::try_from(raised.len()).expect("handlers are few");
                writer.emit(Opcode::LoadConst, first_const + natives_len + index);
                raised.push(*pc);
            }
        }
        take(&mut writer, parts[next]);
        next += 1;
    }
    // Parts of the prologue with the instruction whose handler takes what they raise.
    let mut covered = Vec::new();
    if let Some(generator) = way.generator {
        let (at, arg) = match generator {
            Generator::Running => (way.pc, 0),
            // Whether it delegates is in the argument.
            Generator::Asleep => (way.pc - 1, code.instrs[way.pc as usize - 1].arg),
        };
        let none = first_const + natives_len + u32::try_from(raised.len()).expect("handlers are few");
        let begin = writer.len();
        writer.emit(Opcode::LoadConst, none);
        writer.emit(Opcode::YieldValue, arg);
        writer.emit(Opcode::Resume, 1);
        if generator == Generator::Running {
            writer.emit(Opcode::PopTop, 0);
            writer.call(first_const + GOING_ON);
        }
        covered.push((at, begin, writer.len()));
        if generator == Generator::Running {
            writer.emit(Opcode::PopTop, 0);
        }
    }
    let mut target = way.pc;
    let mut end = None;
    if let Some(wait) = way.wait {
        let begin = writer.len();
        writer.call(first_const + wait.native());
        covered.push((way.pc, begin, writer.len()));
        match wait {
            Wait::Result | Wait::Object => {}
            Wait::Nothing => writer.emit(Opcode::PopTop, 0),
            Wait::Item => {
                writer.emit(Opcode::Copy, 1);
                writer.emit(Opcode::LoadConst, first_const + NO_ITEM);
                writer.emit(Opcode::IsOp, 0);
                end = code.instrs[way.pc as usize].target;
            }
        }
        target += 1;
        if extent == Extent::Once {
            writer.call(first_const + 4);
            writer.emit(Opcode::PopJumpIfFalse, 1);
            writer.emit(Opcode::ReturnValue, 0);
        }
    } else if extent == Extent::Raising {
        // As if the instruction did.
        let begin = writer.len();
        writer.call(first_const + Wait::Nothing.native());
        covered.push((way.pc, begin, writer.len()));
        writer.emit(Opcode::PopTop, 0);
    } else if extent == Extent::Once {
        let begin = writer.len();
        let instr = code.instrs[way.pc as usize];
        writer.emit(instr.op, instr.arg);
        covered.push((way.pc, begin, writer.len()));
        writer.call(first_const + 3);
        // `finish` gives None.
        if instr.op.stack_effect_info(instr.arg).pushed() > 0 {
            writer.emit(Opcode::PopTop, 0);
        }
        writer.emit(Opcode::ReturnValue, 0);
    }
    let shown = writer.len();
    if let Some(end) = end {
        let mut ended = Writer::default();
        ended.emit(Opcode::PopTop, 0);
        ended.emit(Opcode::JumpForward, begin_of(code, end));
        let mut more = Writer::default();
        more.emit(Opcode::JumpForward, ended.len() + begin_of(code, target));
        writer.emit(Opcode::PopJumpIfTrue, more.len());
        writer.bytes.extend(more.bytes);
        writer.bytes.extend(ended.bytes);
    } else {
        writer.emit(Opcode::JumpForward, begin_of(code, target));
    }
    let length = writer.len();

    let mut new = old.clone();
    let mut bytes = writer.bytes;
    bytes.extend(plain_units(code));
    new.instructions = CodeUnits::try_from(bytes.as_slice()).expect("these are opcodes");
    let here = old.locations[code.instrs[way.pc as usize].unit as usize];
    new.locations = std::iter::repeat_n(here, length as usize).chain(old.locations.iter().copied()).collect();
    let of_prologue = covered.into_iter().filter_map(|(pc, start, end)| {
        code.handler(pc).map(|handler| ExceptionTableEntry {
            start,
            end,
            target: code.instrs[handler.target as usize].unit + length,
            depth: u16::try_from(handler.depth).expect("a table of RustPython said so"),
            push_lasti: handler.push_lasti,
        })
    });
    let moved = decode_exception_table(&old.exceptiontable).into_iter().map(|it| ExceptionTableEntry {
        start: it.start + length,
        end: it.end + length,
        target: it.target + length,
        ..it
    });
    let entries: Vec<ExceptionTableEntry> = of_prologue.chain(moved).collect();
    new.exceptiontable = encode_exception_table(&entries);
    new.linetable = line_table(code, way.pc, shown, length).chain(old.linetable.iter().copied()).collect();
    let raised = raised.into_iter().map(|pc| vm.ctx.new_int(code.instrs[pc as usize].unit + length).into());
    let more = natives.into_iter().chain(raised).chain(way.generator.map(|_| vm.ctx.none()));
    new.constants = old.constants.iter().cloned().chain(more.map(Into::into)).collect();
    new.max_stackdepth += u32::try_from(way.locals.len()).expect("slots are counted in 32 bits") + 3;
    // `super()` asks for the first argument: it is passed, as None, and stored again by the prologue.
    new.arg_count = old.arg_count.min(1);
    new.posonlyarg_count = 0;
    new.kwonlyarg_count = 0;
    new.flags.remove(CodeFlags::VARARGS | CodeFlags::VARKEYWORDS);
    let new = PyCode::new(new).into_ref(&vm.ctx);
    prepare(&new);
    new
}

/// The unit that an instruction begins at, prefixes included.
fn begin_of(code: &Code, pc: Pc) -> u32 {
    match pc.checked_sub(1) {
        None => 0,
        Some(before) => {
            let before = code.instrs[before as usize];
            before.unit + 1 + u32::try_from(before.op.cache_entries()).expect("few")
        }
    }
}

/// The units of the code as the compiler made them: neither specialised nor instrumented.
fn plain_units(code: &Code) -> Vec<u8> {
    let mut writer = Writer::default();
    for (pc, instr) in code.instrs.iter().enumerate() {
        // There may be more prefixes than the argument needs.
        let prefixes = instr.unit - begin_of(code, u32::try_from(pc).expect("instructions are counted in 32 bits"));
        for prefix in (1..=prefixes).rev() {
            let part = instr.arg.checked_shr(8 * prefix).unwrap_or(0) as u8;
            writer.bytes.extend([Opcode::ExtendedArg.into(), part]);
        }
        writer.bytes.extend([instr.op.into(), instr.arg as u8]);
        for _ in 0..instr.op.cache_entries() {
            writer.bytes.extend([Opcode::Cache.into(), 0]);
        }
    }
    writer.bytes
}

/// The beginning of the line table (PEP 626, `Objects/locations.md` of CPython): the prologue is at the
/// instruction that the frame is at, up to unit `shown`; its jump brings the line back.
fn line_table(code: &Code, pc: Pc, shown: u32, length: u32) -> impl Iterator<Item = u8> {
    const LONG: u8 = 14;
    const NO_COLUMNS: u8 = 13;
    let old = &code.object.code;
    let first = old.first_line_number.map_or(1, |it| it.get());
    let (from, to) = old.locations[code.instrs[pc as usize].unit as usize];
    let line = |number: usize| i32::try_from(number).unwrap_or(i32::MAX);
    let delta = line(from.line.get()) - line(first);
    let mut table = Vec::new();
    let mut entry = |kind: u8, units: u32, delta: i32, rest: &[u32]| {
        let mut delta = delta;
        let mut left = units;
        while left > 0 {
            let now = left.min(8);
            table.push(0x80 | kind << 3 | (now - 1) as u8);
            signed_varint(&mut table, delta);
            for &number in rest {
                varint(&mut table, number);
            }
            delta = 0;
            left -= now;
        }
    };
    let number = |it: usize| u32::try_from(it).unwrap_or(u32::MAX);
    let lines = to.line.get().saturating_sub(from.line.get());
    let columns = [from.character_offset.get(), to.character_offset.get()].map(number);
    entry(LONG, shown, delta, &[number(lines), columns[0], columns[1]]);
    entry(NO_COLUMNS, length - shown, -delta, &[]);
    table.into_iter()
}

/// Writes a number as tables of lines have them.
pub(crate) fn varint(table: &mut Vec<u8>, mut number: u32) {
    while number >= 64 {
        table.push(0x40 | (number & 63) as u8);
        number >>= 6;
    }
    table.push(number as u8);
}

/// Writes a number that may be negative.
pub(crate) fn signed_varint(table: &mut Vec<u8>, number: i32) {
    let magnitude = number.unsigned_abs() << 1;
    varint(table, if number < 0 { magnitude | 1 } else { magnitude });
}
