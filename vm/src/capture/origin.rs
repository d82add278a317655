//! The other places that a refusal is about: where its operands became staged, where a variable is assigned.
//!
//! Asked for only when a refusal reaches the user.

use rustpython_vm::PyObjectRef;
use rustpython_vm::bytecode::Opcode;
use snekpy_stage::entity::{Loc, Value};
use snekpy_stage::ir::Def;

use crate::capture::observe;
use crate::capture::raise::place_at;
use crate::capture::session::Session;
use crate::capture::state::{Frame, State};
use crate::capture::value::V;
use crate::kind;
use crate::refusal::{Place, Refusal};
use crate::rep::Rep;

/// How many places are shown at most.
const MAX_NOTES: usize = 3;

impl Session<'_> {
    /// Says where the operands of the instruction that a path is at became staged.
    pub(crate) fn note_operands(&self, state: &State, refusal: &mut Refusal) {
        let mut values = Vec::new();
        for entry in operands(state.frame()) {
            if let V::Obj(object) = entry {
                self.staged_in(object, 0, &mut values);
            }
        }
        let mut arguments = Vec::new();
        let mut places: Vec<Place> = Vec::new();
        for value in values {
            match self.func.values[value].def {
                Def::Result(..) if self.func.as_const(value).is_some() => {}
                Def::Result(inst, _) => {
                    let place = self.func.insts[inst].loc.and_then(|loc| self.place_of_loc(loc));
                    if let Some(place) = place.filter(|it| !places.contains(it)) {
                        places.push(place);
                    }
                }
                Def::Param(block, position) if block == self.func.entry() => {
                    arguments.extend(self.argument_name(state, position));
                }
                Def::Param(..) => {}
            }
        }
        if let Some(frame) = state.frames.first()
            && let Some((last, others)) = arguments.split_last()
        {
            let text = match others {
                [] => format!("the argument `{last}` is staged"),
                _ => format!("the arguments `{}` and `{last}` are staged", others.join("`, `")),
            };
            refusal.notes.push((place_at(frame, 0), text));
        }
        let notes = places.into_iter().map(|place| (place, "became staged here".to_owned()));
        refusal.notes.extend(notes.take(MAX_NOTES));
    }

    /// The value of a Rep of the function that is being built.
    fn own_value(&self, object: &PyObjectRef) -> Option<Value> {
        let row = kind::staged(object).and_then(|it| it.row());
        let rep = row.unwrap_or(object).downcast_ref::<Rep>().filter(|it| it.owner == self.owner)?;
        self.func.values.lookup(rep.value).map(|_| rep.value)
    }

    /// The staged values in an object, as far as one would look.
    fn staged_in(&self, object: &PyObjectRef, depth: u32, values: &mut Vec<Value>) {
        const DEPTH: u32 = 2;
        if let Some(value) = self.own_value(object) {
            if !values.contains(&value) {
                values.push(value);
            }
            return;
        }
        let inside = match kind::staged(object) {
            Some(staged) => staged.parts(),
            None => observe::inside(object, self.vm),
        };
        if depth < DEPTH {
            inside.iter().for_each(|it| self.staged_in(it, depth + 1, values));
        }
    }

    /// The name of an argument of the staged function.
    fn argument_name(&self, state: &State, position: u32) -> Option<&'static str> {
        let frame = state.frames.first()?;
        let is_it = |object: &PyObjectRef| {
            let def = self.own_value(object).map(|value| self.func.values[value].def);
            def == Some(Def::Param(self.func.entry(), position))
        };
        let local = frame.bound.as_slice().iter().position(is_it)?;
        Some(frame.code.local_name(local))
    }

    /// Where an instruction of the IR comes from.
    fn place_of_loc(&self, loc: Loc) -> Option<Place> {
        let data = self.module.locs.lookup(loc)?;
        let site = self.sites.get(usize::try_from(data.tag).ok()?)?;
        let (_, end) = site.code.code.locations.get(site.unit as usize)?;
        let end = (end.line.get() as u32, end.character_offset.get() as u32);
        let (file, func) = (data.file.to_string(), data.func.to_string());
        let is_ours = file == crate::code::HELPERS_FILE;
        (!is_ours).then_some(Place { file, line: data.line, column: data.column, end, func })
    }
}

/// Where a variable of a function is assigned.
pub(crate) fn note_assignments(frame: &Frame, local: usize, refusal: &mut Refusal) {
    let code = &frame.code;
    for (pc, instr) in (0..).zip(&code.instrs) {
        let stores = matches!(instr.op, Opcode::StoreFast | Opcode::StoreFastStoreFast | Opcode::StoreFastLoadFast);
        if !stores || !code.is_located(pc) || !code.local_access(pc).defs.contains(&Some(local)) {
            continue;
        }
        let place = place_at(frame, pc);
        if refusal.notes.len() < MAX_NOTES && !refusal.notes.iter().any(|(it, _)| *it == place) {
            refusal.notes.push((place, format!("`{}` is assigned here", code.local_name(local))));
        }
    }
}

/// The entries of the value stack that an instruction takes, without what it calls.
fn operands(frame: &Frame) -> &[V] {
    let instr = frame.code.instrs[frame.pc as usize];
    let arg = instr.arg as usize;
    let count = match instr.op {
        Opcode::StoreSlice => 4,
        Opcode::BinarySlice | Opcode::StoreSubscr => 3,
        Opcode::BinaryOp
        | Opcode::CompareOp
        | Opcode::ContainsOp
        | Opcode::IsOp
        | Opcode::DeleteSubscr
        | Opcode::FormatWithSpec
        | Opcode::StoreAttr
        | Opcode::MapAdd
        | Opcode::CallFunctionEx => 2,
        Opcode::Call | Opcode::BuildSet => arg,
        Opcode::BuildMap => 2 * arg,
        Opcode::CallKw => arg + 1,
        Opcode::LoadAttr
        | Opcode::GetIter
        | Opcode::ToBool
        | Opcode::PopJumpIfTrue
        | Opcode::PopJumpIfFalse
        | Opcode::UnaryNegative
        | Opcode::UnaryInvert
        | Opcode::UnaryNot
        | Opcode::FormatSimple
        | Opcode::GetLen
        | Opcode::ListExtend
        | Opcode::SetAdd
        | Opcode::SetUpdate
        | Opcode::UnpackSequence
        | Opcode::UnpackEx
        | Opcode::ReturnValue => 1,
        _ => 0,
    };
    &frame.stack[frame.stack.len().saturating_sub(count)..]
}
