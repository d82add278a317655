//! The copy of a function's code whose frames can be suspended.
//!
//! It does what the original does, at the same lines and under the same handlers, with three differences:
//!
//! - What it calls is called by [`natives::call`], and operators are carried out by [`natives::operate`], so that
//!   Python functions that are called run as copies, too.
//! - Behind each of these calls it looks whether it got the token. If so, it gives away what is on its value stack
//!   and its local variables, and returns the token itself.
//! - There is no NULL on its stack while something is called, but for the one of CALL_FUNCTION_EX: the callable is
//!   an argument of `call`, which is not NULL, and a variable that a comprehension puts aside while it is unbound
//!   is the token.

use std::sync::{Arc, OnceLock};

use rustpython_vm::bytecode::Opcode;
use rustpython_vm::bytecode::oparg::COMPARE_OP_BOOL_MASK;
use rustpython_vm::{PyObjectRef, VirtualMachine};

use super::assemble::{Assembler, Catch, Label};
use super::natives::{self, Operation};
use super::stack::{Kind, Stacks, Use};
use super::{Site, Twin, token};
use crate::code::{Code, Instr, Pc};

/// The constants of a copy.
struct Constants {
    token: u32,
    call: u32,
    wrap: u32,
    save: u32,
    special: u32,
    begin: u32,
}

struct Rewriter<'a> {
    code: &'a Code,
    stacks: Stacks,
    asm: Assembler,
    constants: Constants,
    vm: &'a VirtualMachine,
    /// The calls: the CALL among what is written, the stack below its result, where a frame gives itself away.
    sites: Vec<(usize, Vec<Kind>, Label, Pc)>,
    /// Where an unbound variable is put aside: the handler, where it goes on.
    unbound: Vec<(Label, Label, Pc)>,
}

/// Makes the copy; `None` for a function that cannot be followed.
pub(super) fn rewrite(code: &Code, vm: &VirtualMachine) -> Option<Arc<Twin>> {
    let variables = code.object.code.varnames.len();
    // What is put aside must have a name of its own: RustPython looks it up for the message.
    let is_odd = |it: &Instr| it.op == Opcode::LoadFastAndClear && it.arg as usize >= variables;
    if code.instrs.iter().any(is_odd) {
        return None;
    }
    let stacks = Stacks::new(code)?;
    let twin = Arc::new(OnceLock::new());
    let mut asm = Assembler::new(code);
    let constants = Constants {
        token: asm.constant(token(vm)),
        call: asm.constant(vm.new_function("call", natives::call).into()),
        wrap: asm.constant(vm.new_function("wrap", natives::wrap).into()),
        save: asm.constant(vm.new_function("save", super::save).into()),
        special: asm.constant(vm.new_function("special", natives::special).into()),
        begin: asm.constant(begin_of(twin.clone(), vm)),
    };
    let mut it = Rewriter { code, stacks, asm, constants, vm, sites: Vec::new(), unbound: Vec::new() };
    for pc in 0..code.instrs.len() {
        it.instruction(Pc::try_from(pc).expect("instructions are counted in 32 bits"))?;
    }
    it.asm.catch = None;
    it.unbound_variables();
    let all_saved = it.asm.label();
    it.give_away(all_saved)?;
    it.local_variables(all_saved);
    let Rewriter { asm, sites, .. } = it;
    let more_stack = u32::try_from(code.local_count()).expect("slots are counted in 32 bits") + 8;
    let (object, units) = asm.finish(code, more_stack, vm)?;
    let code = Code::decode(&object).ok()?;
    let site = |(index, below, _, _): (usize, Vec<Kind>, Label, Pc)| -> Option<Site> {
        Some(Site { pc: code.pc_of_unit(units[index])?, below, landing: OnceLock::new() })
    };
    let sites = sites.into_iter().map(site).collect::<Option<Vec<_>>>()?;
    let made = Arc::new(Twin { code, sites });
    twin.set(Arc::downgrade(&made)).ok()?;
    Some(made)
}

/// What a frame calls when it begins to give itself away.
fn begin_of(twin: Arc<OnceLock<std::sync::Weak<Twin>>>, vm: &VirtualMachine) -> PyObjectRef {
    let begin = move |site: usize, vm: &VirtualMachine| {
        if let Some(twin) = twin.get().and_then(std::sync::Weak::upgrade) {
            super::begin(twin, site, vm);
        }
    };
    vm.new_function("begin", begin).into()
}

impl Rewriter<'_> {
    fn instruction(&mut self, pc: Pc) -> Option<()> {
        let Instr { op, arg, target, .. } = self.code.instrs[pc as usize];
        self.asm.from = pc;
        self.asm.catch = self.code.handler(pc).map(|it| Catch {
            target: Label::Of(it.target),
            depth: it.depth,
            push_lasti: it.push_lasti,
        });
        self.asm.mark(Label::Of(pc));
        let Some(stack) = self.stacks.at(pc).map(<[Kind]>::to_vec) else {
            // Control never comes here, but a label may.
            self.copy(pc, op, arg, target);
            return Some(());
        };
        let below = |count: usize| stack[..stack.len() - count].to_vec();
        let is_saved = |depth: usize| stack[stack.len() - depth] == Kind::Saved;
        match op {
            Opcode::PushNull => match self.stacks.use_of(pc) {
                None => self.copy(pc, op, arg, target),
                Some(what) => self.callable(what),
            },
            Opcode::LoadGlobal | Opcode::LoadAttr | Opcode::LoadSuperAttr if arg & 1 == 1 => {
                self.asm.emit(op, arg & !1);
                match self.stacks.use_of(pc) {
                    None => {
                        self.asm.emit(Opcode::PushNull, 0);
                    }
                    Some(what) => self.callable(what),
                }
            }
            Opcode::LoadSpecial => self.special(arg),
            Opcode::LoadFastAndClear => self.put_aside(arg, stack.len(), pc),
            Opcode::StoreFast if is_saved(1) => self.put_back(arg),
            Opcode::StoreFastStoreFast if is_saved(1) || is_saved(2) => {
                for (slot, depth) in [(arg >> 4, 1), (arg & 15, 2)] {
                    if is_saved(depth) {
                        self.put_back(slot);
                    } else {
                        self.asm.emit(Opcode::StoreFast, slot);
                    }
                }
            }
            Opcode::StoreFastLoadFast if is_saved(1) => {
                self.put_back(arg >> 4);
                self.asm.emit(Opcode::LoadFast, arg & 15);
            }
            Opcode::Call | Opcode::CallKw | Opcode::CallFunctionEx => {
                let operands = match op {
                    Opcode::Call => arg as usize + 2,
                    Opcode::CallKw => arg as usize + 3,
                    _ => 4,
                };
                let index = self.asm.emit(op, arg);
                self.look(index, below(operands), pc);
            }
            Opcode::WithExceptStart => {
                let index = self.asm.emit(op, arg);
                self.look(index, stack, pc);
            }
            Opcode::BinaryOp => self.operation(Operation::binary(arg)?, below(2), pc),
            Opcode::CompareOp => {
                let operation = Operation::Compare { operator: arg >> 5, as_bool: arg & COMPARE_OP_BOOL_MASK != 0 };
                self.operation(operation, below(2), pc);
            }
            Opcode::UnaryNegative => self.operation(Operation::Unary { name: "__neg__" }, below(1), pc),
            Opcode::UnaryInvert => self.operation(Operation::Unary { name: "__invert__" }, below(1), pc),
            Opcode::StoreSubscr => {
                self.operation(Operation::StoreItem, below(3), pc);
                self.asm.emit(Opcode::PopTop, 0);
            }
            _ => self.copy(pc, op, arg, target),
        }
        Some(())
    }

    fn copy(&mut self, pc: Pc, op: Opcode, arg: u32, target: Option<Pc>) {
        match target {
            None => {
                self.asm.emit(op, arg);
            }
            Some(target) => {
                // FOR_ITER leads to an END_FOR, which it skips by itself.
                let skipped = target.checked_sub(1).filter(|&it| {
                    op == Opcode::ForIter && it > pc && self.code.instrs[it as usize].op == Opcode::EndFor
                });
                self.asm.jump(op, Label::Of(skipped.unwrap_or(target)));
            }
        }
    }

    /// A callable is on the stack; what the calling convention wants is behind it.
    fn callable(&mut self, what: Use) {
        match what {
            Use::Call => {
                self.asm.emit(Opcode::LoadConst, self.constants.call);
                self.asm.emit(Opcode::Swap, 2);
            }
            Use::CallEx => {
                self.asm.call_constant(self.constants.wrap, 1);
                self.asm.emit(Opcode::PushNull, 0);
            }
        }
    }

    /// LOAD_SPECIAL: what it finds, bound, as an argument of `call`. If it finds nothing, it says so itself.
    fn special(&mut self, arg: u32) {
        let (missing, done) = (self.asm.label(), self.asm.label());
        self.asm.emit(Opcode::Copy, 1);
        let which = self.asm.constant(self.vm.ctx.new_int(arg).into());
        self.asm.emit(Opcode::LoadConst, which);
        self.asm.call_constant(self.constants.special, 2);
        self.is_token(missing);
        self.asm.emit(Opcode::Swap, 2);
        self.asm.emit(Opcode::PopTop, 0);
        self.asm.emit(Opcode::LoadConst, self.constants.call);
        self.asm.emit(Opcode::Swap, 2);
        self.asm.jump(Opcode::JumpForward, done);
        self.asm.mark(missing);
        self.asm.emit(Opcode::PopTop, 0);
        self.asm.emit(Opcode::LoadSpecial, arg);
        self.asm.mark(done);
    }

    /// Goes to `label` if the token is on the stack, and leaves it there.
    fn is_token(&mut self, label: Label) {
        self.asm.emit(Opcode::Copy, 1);
        self.asm.emit(Opcode::LoadConst, self.constants.token);
        self.asm.emit(Opcode::IsOp, 0);
        self.asm.jump(Opcode::PopJumpIfTrue, label);
    }

    /// LOAD_FAST_AND_CLEAR
    fn put_aside(&mut self, slot: u32, height: usize, pc: Pc) {
        let (unbound, next) = (self.asm.label(), self.asm.label());
        let catch = self.asm.catch;
        let depth = u32::try_from(height).expect("stacks are counted in 16 bits");
        self.asm.catch = Some(Catch { target: unbound, depth, push_lasti: false });
        self.asm.emit(Opcode::LoadFastCheck, slot);
        self.asm.catch = catch;
        self.asm.emit(Opcode::DeleteFast, slot);
        self.asm.mark(next);
        self.unbound.push((unbound, next, pc));
    }

    /// STORE_FAST of what was put aside.
    fn put_back(&mut self, slot: u32) {
        let (unbound, bound) = (self.asm.label(), self.asm.label());
        self.is_token(unbound);
        self.asm.jump(Opcode::JumpForward, bound);
        self.asm.mark(unbound);
        self.asm.emit(Opcode::PopTop, 0);
        self.asm.emit(Opcode::PushNull, 0);
        self.asm.mark(bound);
        self.asm.emit(Opcode::StoreFast, slot);
    }

    fn unbound_variables(&mut self) {
        for (unbound, next, pc) in std::mem::take(&mut self.unbound) {
            self.asm.from = pc;
            self.asm.mark(unbound);
            self.asm.emit(Opcode::PopTop, 0);
            self.asm.emit(Opcode::LoadConst, self.constants.token);
            self.asm.jump(Opcode::JumpBackwardNoInterrupt, next);
        }
    }

    fn operation(&mut self, operation: Operation, below: Vec<Kind>, pc: Pc) {
        let operands = operation.operands();
        let operate = self.asm.constant(natives::operate(operation, self.vm));
        let index = self.asm.call_constant(operate, operands);
        self.look(index, below, pc);
    }

    /// Behind a call: if it gave the token, the frame gives itself away.
    fn look(&mut self, index: usize, mut below: Vec<Kind>, pc: Pc) {
        for kind in &mut below {
            // That of a plain call is not there any more.
            if matches!(kind, Kind::Null(origin) if self.stacks.use_of(*origin) == Some(Use::Call)) {
                *kind = Kind::Value;
            }
        }
        let away = self.asm.label();
        self.is_token(away);
        self.sites.push((index, below, away, pc));
    }

    /// Where frames give themselves away: the value stack, top first.
    fn give_away(&mut self, all_saved: Label) -> Option<()> {
        for (number, (_, below, away, pc)) in self.sites.clone().into_iter().enumerate() {
            if below.contains(&Kind::Mixed) {
                return None;
            }
            self.asm.from = pc;
            self.asm.mark(away);
            self.asm.emit(Opcode::PopTop, 0);
            let site = self.asm.constant(self.vm.ctx.new_int(number).into());
            self.asm.emit(Opcode::LoadConst, site);
            self.asm.call_constant(self.constants.begin, 1);
            self.asm.emit(Opcode::PopTop, 0);
            let mut rest = below.as_slice();
            while !rest.is_empty() {
                let height = rest.iter().rposition(|it| matches!(it, Kind::Null(_))).map_or(0, |it| it + 1);
                let values = rest.len() - height;
                rest = &rest[..height];
                if values > 0 {
                    self.asm.emit(Opcode::BuildTuple, u32::try_from(values).ok()?);
                    self.asm.call_constant(self.constants.save, 1);
                    self.asm.emit(Opcode::PopTop, 0);
                }
                if height > 0 {
                    // [callable, NULL]: together they make a call.
                    let callable = height.checked_sub(2)?;
                    if matches!(rest[callable], Kind::Null(_)) {
                        return None;
                    }
                    rest = &rest[..callable];
                    self.asm.emit(Opcode::LoadConst, self.constants.save);
                    self.asm.emit(Opcode::Swap, 3);
                    self.asm.emit(Opcode::Call, 1);
                    self.asm.emit(Opcode::PopTop, 0);
                }
            }
            self.asm.jump(Opcode::JumpForward, all_saved);
        }
        Some(())
    }

    /// The end of giving away: the local variables, and the token as result.
    fn local_variables(&mut self, begin: Label) {
        let names = self.code.object.code.varnames.len();
        self.asm.mark(begin);
        let mut unbound = Vec::new();
        for slot in 0..self.code.local_count() {
            let number = u32::try_from(slot).expect("slots are counted in 32 bits");
            if slot >= names {
                // A cell, which is always there.
                self.asm.emit(Opcode::LoadFast, number);
                continue;
            }
            let (missing, next) = (self.asm.label(), self.asm.label());
            self.asm.catch = Some(Catch { target: missing, depth: number, push_lasti: false });
            self.asm.emit(Opcode::LoadFastCheck, number);
            self.asm.catch = None;
            self.asm.mark(next);
            unbound.push((missing, next, self.asm.from));
        }
        let count = u32::try_from(self.code.local_count()).expect("slots are counted in 32 bits");
        self.asm.emit(Opcode::BuildTuple, count);
        self.asm.call_constant(self.constants.save, 1);
        self.asm.emit(Opcode::PopTop, 0);
        self.asm.emit(Opcode::LoadConst, self.constants.token);
        self.asm.emit(Opcode::ReturnValue, 0);
        self.unbound = unbound;
        self.unbound_variables();
    }
}
