//! Ticks: compiled code counts what the hook of [`crate::limits::ticks`] counts in plain Python.
//!
//! A function begins (`RESUME`), a loop goes round (`JUMP_BACKWARD`): under a limit, each is a call of the host from
//! compiled code, which raises at that instruction if there is no tick left; in code that has no plain continuation
//! it says whether there is one. Loops that are unrolled and calls that are inlined count like all others. Helpers stand for
//! native code and count nothing.

use rustpython_vm::bytecode::Opcode;
use snekpy_stage::op::Op;
use snekpy_stage::types::Type;

use crate::capture::raise::Failure;
use crate::capture::session::Session;
use crate::capture::state::{CallResult, State, Then};
use crate::capture::stop::{Step, Stop};
use crate::code::{Instr, is_helper};
use crate::exit::HostKind;
use crate::limits;

/// How often a loop in which nothing is staged may go round while ticks are counted: each round is code then.
pub(crate) const MAX_COUNTED_ROUNDS: usize = 1000;

impl Session<'_> {
    /// Counts an instruction, if it is one that counts.
    pub(crate) fn tick(&mut self, state: &mut State, instr: Instr) -> Step<()> {
        let counts = match instr.op {
            Opcode::Resume => limits::begins(instr.arg),
            Opcode::JumpBackward => true,
            _ => false,
        };
        if !counts || is_helper(&state.frame().code.object) {
            return Ok(());
        }
        if !self.rules.detached {
            let host = self.tick_host();
            let (exit, values) = self.waiting(state, &Then::Drop)?.expect("there is plain Python");
            self.emit(state, Op::Host(host, Some(exit)), &values);
            self.uncounted.push(self.func.insts.len() - 1);
            return Ok(());
        }
        let begun = self.func.insts.len();
        let mark = self.builder(state.block).mark();
        let is_new = state.call.is_none();
        let left = match &state.call {
            // The path has forked on this tick, which it counts once.
            Some(call) => call.values[0],
            None => {
                let host = self.tick_host();
                let values = self.emit(state, Op::Host(host, None), &[]);
                state.call = Some(CallResult { values: values.clone() });
                values[0]
            }
        };
        let exception = limits::out_of_ticks(self.vm);
        let ticked = self.routinely(|session| session.check(state, left, Failure::Raise(exception)));
        if matches!(ticked, Err(Stop::Refuse(_))) && is_new {
            // The call is left before this instruction, which plain Python counts.
            self.roll_back(mark);
            state.call = None;
        }
        self.uncounted.truncate(self.uncounted.partition_point(|&it| it < begun));
        self.uncounted.extend(begun..self.func.insts.len());
        ticked
    }

    /// The function of the host that counts.
    fn tick_host(&mut self) -> snekpy_stage::entity::HostId {
        if let Some(host) = self.tick_host {
            return host;
        }
        let results = if self.rules.detached { vec![Type::Bool] } else { Vec::new() };
        let host = self.host("tick", Vec::new(), results, HostKind::Tick);
        self.tick_host = Some(host);
        host
    }
}
