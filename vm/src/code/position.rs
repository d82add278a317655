//! Places in the source.

use std::fmt;

use rustpython_vm::PyRef;
use rustpython_vm::builtins::PyCode;
use rustpython_vm::bytecode::build_no_location_mask;

use super::Instr;

/// A stretch of source. Lines and columns count from 1; the end is exclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    /// First line.
    pub line: u32,
    /// First column, in bytes of UTF-8, as RustPython records it.
    pub col: u32,
    /// Last line.
    pub end_line: u32,
    /// The column behind the last.
    pub end_col: u32,
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}-{}:{}", self.line, self.col, self.end_line, self.end_col)
    }
}

/// The place of each instruction, and whether it is its own or that of a neighbour.
pub(super) fn positions(code: &PyRef<PyCode>, instrs: &[Instr]) -> (Vec<Span>, Vec<bool>) {
    let unlocated = build_no_location_mask(&code.linetable, code.instructions.len());
    let own = |instr: &Instr| {
        let unit = instr.unit as usize;
        let (start, end) = code.locations.get(unit)?;
        let known = unlocated.get(unit) != Some(&true);
        known.then_some(Span {
            line: start.line.get() as u32,
            col: start.character_offset.get() as u32,
            end_line: end.line.get() as u32,
            end_col: end.character_offset.get() as u32,
        })
    };
    let first_line = code.first_line_number.map_or(1, |it| it.get() as u32);
    let nowhere = Span { line: first_line, col: 1, end_line: first_line, end_col: 1 };
    let mut last = instrs.iter().find_map(own).unwrap_or(nowhere);
    let places = instrs.iter().map(|instr| {
        let place = own(instr);
        last = place.unwrap_or(last);
        (last, place.is_some())
    });
    places.unzip()
}
