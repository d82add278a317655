//! From a verified module to steps.

use std::collections::HashMap;

use super::flow::order_and_back_jumps;
use super::step::{Decoded, List, Program, Slot, Step, Target};
use crate::analysis::Cfg;
use crate::analysis::reach::Reach;
use crate::backend::slots;
use crate::entity::{Block, Entity, ExitId, Inst, Loc, Table, Value};
use crate::ir::{ExitData, Function, Jump, Module, Terminator};
use crate::op::{Const, Convert, Op};
use crate::types::Type;

/// Decodes a verified module.
pub(super) fn program(module: &Module) -> Program {
    Program {
        funcs: module.funcs.values().map(|func| Decoder::decode(func, &module.exits)).collect(),
        exits: module.exits.values().map(|exit| slots_of(&exit.types)).collect(),
        hosts: module.hosts.values().map(|host| (slots_of(&host.params), slots_of(&host.results))).collect(),
    }
}

fn slots_of(types: &[Type]) -> usize {
    types.iter().map(|&ty| slots(ty)).sum()
}

fn bits(constant: Const) -> u64 {
    match constant {
        Const::Bool(it) => u64::from(it),
        Const::I64(it) => it.cast_unsigned(),
        Const::F64(it) => it.to_bits(),
    }
}

/// A jump to a block that is not decoded yet, or perhaps is.
struct Pending {
    step: usize,
    block: Block,
}

struct Decoder<'a> {
    func: &'a Function,
    exits: &'a Table<ExitId, ExitData>,
    reach: Reach,
    /// The numbers of the checkpoints that were met.
    known: HashMap<Inst, u32>,
    /// The one at which the step that comes next leaves if it fails.
    leaves_at: Option<u32>,
    /// The first slot of each value.
    homes: Vec<Slot>,
    /// How often each value is used.
    uses: Vec<u32>,
    /// A slot for cycles among the arguments of a jump.
    scratch: Slot,
    back: Vec<[bool; 2]>,
    begins: Vec<Target>,
    pending: Vec<Pending>,
    code: Decoded,
}

impl<'a> Decoder<'a> {
    fn decode(func: &'a Function, exits: &'a Table<ExitId, ExitData>) -> Decoded {
        let reach = Reach::of(func, &Cfg::of(func));
        let (order, back) = order_and_back_jumps(func);
        let mut code = Decoded {
            steps: Vec::new(),
            locs: Vec::new(),
            leaves_at: Vec::new(),
            checkpoints: Vec::new(),
            lists: Vec::new(),
            params: slots_of(&func.param_types()),
            results: slots_of(&func.results),
            constants: Vec::new(),
            frame: 0,
        };
        let (homes, scratch) = assign_slots(func, &order, &mut code);
        code.frame = scratch as usize + 1;
        let mut uses = vec![0; func.values.len()];
        for &block in &order {
            let args = func.blocks[block].insts.iter().flat_map(|&inst| func.insts[inst].args.iter().copied());
            args.chain(func.blocks[block].term.uses()).for_each(|value| uses[value.index()] += 1);
        }
        let begins = vec![0; func.blocks.len()];
        let mut it = Self {
            func,
            exits,
            reach,
            known: HashMap::new(),
            leaves_at: None,
            homes,
            uses,
            scratch,
            back,
            begins,
            pending: Vec::new(),
            code,
        };
        for (position, &block) in order.iter().enumerate() {
            it.begins[block.index()] = it.here();
            it.block(block, order.get(position + 1).copied());
        }
        for Pending { step, block } in it.pending {
            let begin = it.begins[block.index()];
            match &mut it.code.steps[step] {
                Step::Jump { target }
                | Step::JumpUnless { target, .. }
                | Step::JumpUnlessInt { target, .. }
                | Step::JumpUnlessFloat { target, .. } => *target = begin,
                _ => unreachable!("only jumps are pending"),
            }
        }
        it.code
    }

    fn here(&self) -> Target {
        Target::try_from(self.code.steps.len()).expect("a function has fewer than 2^32 steps")
    }

    fn emit(&mut self, step: Step, loc: Option<Loc>) {
        self.code.steps.push(step);
        self.code.locs.push(loc);
        self.code.leaves_at.push(self.leaves_at);
    }

    /// What fails from here on leaves at this checkpoint.
    fn leave_at(&mut self, checkpoint: Option<Inst>) {
        self.leaves_at = checkpoint.map(|inst| match self.known.get(&inst) {
            Some(&number) => number,
            None => {
                let data = &self.func.insts[inst];
                let exit = data.op.exit().expect("a checkpoint has an exit");
                let number = u32::try_from(self.code.checkpoints.len()).expect("there are few checkpoints");
                let values = self.list(&data.args);
                self.code.checkpoints.push((exit, values));
                self.known.insert(inst, number);
                number
            }
        });
    }

    fn home(&self, value: Value) -> Slot {
        self.homes[value.index()]
    }

    /// The slots of some values, one value after the other.
    fn slots(&self, values: &[Value]) -> Vec<Slot> {
        let of = |&value: &Value| {
            let home = self.home(value);
            home..home + slots(self.func.ty(value)) as Slot
        };
        values.iter().flat_map(of).collect()
    }

    fn list(&mut self, values: &[Value]) -> List {
        let begin = List::try_from(self.code.lists.len()).expect("a function has fewer than 2^32 operands");
        let slots = self.slots(values);
        self.code.lists.extend(slots);
        begin
    }

    fn block(&mut self, block: Block, next: Option<Block>) {
        let func = self.func;
        let data = &func.blocks[block];
        let fused = self.fused_comparison(block);
        let insts = if fused.is_some() { &data.insts[..data.insts.len() - 1] } else { &data.insts[..] };
        for &inst in insts {
            self.leave_at(self.reach.before(inst));
            self.inst(inst);
        }
        self.leave_at(self.reach.at_end(block));
        let loc = data.term_loc;
        match &data.term {
            Terminator::None => unreachable!("a verified block that can be reached has an end"),
            Terminator::Jump(jump) => self.edge(block, 0, jump, next),
            Terminator::Branch { cond, then, other } => {
                let branch = self.code.steps.len();
                let step = fused.unwrap_or(Step::JumpUnless { cond: self.home(*cond), target: 0 });
                self.emit(step, loc);
                // Where the way out is nothing but a jump, the branch goes there by itself.
                if other.args.is_empty() && !self.back[block.index()][1] {
                    self.pending.push(Pending { step: branch, block: other.target });
                    self.edge(block, 0, then, next);
                    return;
                }
                self.edge(block, 0, then, None);
                let begin = self.here();
                match &mut self.code.steps[branch] {
                    Step::JumpUnless { target, .. }
                    | Step::JumpUnlessInt { target, .. }
                    | Step::JumpUnlessFloat { target, .. } => *target = begin,
                    _ => unreachable!("the branch was emitted above"),
                }
                self.edge(block, 1, other, next);
            }
            Terminator::Return(values) => {
                let values = self.list(values);
                self.emit(Step::Return { values }, loc);
            }
            Terminator::Exit(exit, _) if self.exits[*exit].at_checkpoint => self.emit(Step::Leave, loc),
            Terminator::Exit(exit, values) => {
                let payload = self.list(values);
                self.emit(Step::Exit { exit: exit.index() as u32, payload }, loc);
            }
        }
    }

    /// The branch at the end of a block together with the comparison just before it, if nothing else reads that.
    fn fused_comparison(&self, block: Block) -> Option<Step> {
        let data = &self.func.blocks[block];
        let Terminator::Branch { cond, .. } = data.term else { return None };
        let last = &self.func.insts[*data.insts.last()?];
        if last.results != [cond] || self.uses[cond.index()] != 1 {
            return None;
        }
        let Op::Cmp(op) = last.op else { return None };
        let (x, y) = (self.home(last.args[0]), self.home(last.args[1]));
        match self.func.ty(last.args[0]) {
            Type::Bool | Type::I64 => Some(Step::JumpUnlessInt { op, x, y, target: 0 }),
            Type::F64 => Some(Step::JumpUnlessFloat { op, x, y, target: 0 }),
            Type::Array(_) | Type::List(_) | Type::Map(_) | Type::Object(_) | Type::Tensor(_) => None,
        }
    }

    /// The way along a jump: bring the arguments, poll if it closes a loop, go there unless it is `next`.
    fn edge(&mut self, from: Block, position: usize, jump: &Jump, next: Option<Block>) {
        let loc = self.func.blocks[from].term_loc;
        let closes_loop = self.back[from.index()][position];
        let from = self.slots(&jump.args);
        let to = self.slots(&self.func.blocks[jump.target].params);
        let moves = to.into_iter().zip(from).filter(|(to, from)| to != from).collect();
        self.copy_at_once(moves, loc);
        if closes_loop && !self.func.blocks[jump.target].quiet {
            // The checkpoint at the head of the loop is left at as if control had gone there.
            let before = self.leaves_at;
            self.leave_at(self.reach.polled(self.func, jump.target));
            self.emit(Step::Poll, loc);
            self.leaves_at = before;
        }
        if next != Some(jump.target) {
            self.pending.push(Pending { step: self.code.steps.len(), block: jump.target });
            self.emit(Step::Jump { target: 0 }, loc);
        }
    }

    /// Copies as if all at once: a slot is written when no other copy has still to read it.
    fn copy_at_once(&mut self, mut moves: Vec<(Slot, Slot)>, loc: Option<Loc>) {
        while !moves.is_empty() {
            let is_read = |slot| moves.iter().any(|&(_, from)| from == slot);
            if let Some(free) = moves.iter().position(|&(to, _)| !is_read(to)) {
                let (to, from) = moves.swap_remove(free);
                self.emit(Step::Copy { to, from }, loc);
            } else {
                // Only cycles are left. One is opened by keeping a value of it aside.
                let kept = moves[0].0;
                self.emit(Step::Copy { to: self.scratch, from: kept }, loc);
                for (_, from) in moves.iter_mut().filter(|(_, from)| *from == kept) {
                    *from = self.scratch;
                }
            }
        }
    }

    fn inst(&mut self, inst: Inst) {
        let data = &self.func.insts[inst];
        let arg = |position: usize| self.homes[data.args[position].index()];
        let on = |ty: Type| self.func.ty(data.args[0]) == ty;
        let to = data.results.first().map_or(0, |&it| self.home(it));
        let step = match data.op {
            Op::Const(_) => return, // it is in the frame from the start
            Op::Num1(op) if on(Type::I64) => Step::Num1Int { op, to, x: arg(0) },
            Op::Num1(op) => Step::Num1Float { op, to, x: arg(0) },
            Op::Num2(op) if on(Type::I64) => Step::Num2Int { op, to, x: arg(0), y: arg(1) },
            Op::Num2(op) => Step::Num2Float { op, to, x: arg(0), y: arg(1) },
            Op::IntPow => Step::IntPow { to, x: arg(0), y: arg(1) },
            Op::IntDiv => Step::IntDiv { to, x: arg(0), y: arg(1) },
            Op::Wrap2(op) => Step::Wrap2 { op, to, x: arg(0), y: arg(1) },
            Op::Overflow2(op) => Step::Overflow2 { op, to, x: arg(0), y: arg(1) },
            Op::Bit2(op) => Step::Bit2 { op, to, x: arg(0), y: arg(1) },
            Op::Shift(op) => Step::Shift { op, to, x: arg(0), n: arg(1) },
            Op::Real1(op) => Step::Real1 { op, to, x: arg(0) },
            Op::Element1(op, dtype) => Step::Element1 { op, dtype, to, x: arg(0) },
            Op::Element2(op, dtype) => Step::Element2 { op, dtype, to, x: arg(0), y: arg(1) },
            Op::Real2(op) => Step::Real2 { op, to, x: arg(0), y: arg(1) },
            Op::Cmp(op) if on(Type::F64) => Step::CmpFloat { op, to, x: arg(0), y: arg(1) },
            Op::Cmp(op) => Step::CmpInt { op, to, x: arg(0), y: arg(1) },
            Op::CmpIntFloat(op) => Step::CmpIntFloat { op, to, x: arg(0), y: arg(1) },
            Op::Not if on(Type::Bool) => Step::NotBool { to, x: arg(0) },
            Op::Not => Step::NotInt { to, x: arg(0) },
            Op::Convert(Convert::BoolToInt) => Step::Copy { to, from: arg(0) },
            Op::Convert(Convert::IntToFloat) => Step::IntToFloat { to, x: arg(0) },
            Op::Convert(Convert::FloatToInt) => Step::FloatToInt { to, x: arg(0) },
            Op::Convert(Convert::Single) => Step::Single { to, x: arg(0) },
            Op::Convert(Convert::Half) => Step::Half { to, x: arg(0) },
            Op::Convert(Convert::Bfloat) => Step::Bfloat { to, x: arg(0) },
            Op::Convert(Convert::Int32) => Step::Int32 { to, x: arg(0) },
            Op::Select => Step::Select { to, cond: arg(0), x: arg(1), y: arg(2) },
            Op::Len => Step::Copy { to, from: arg(0) + 1 },
            Op::Load => Step::Load { elem: self.elem(inst), to, array: arg(0), index: arg(1) },
            Op::Store => Step::Store { elem: self.elem(inst), array: arg(0), index: arg(1), x: arg(2) },
            Op::ListNew(list) => Step::ListNew { list, to },
            Op::List(op) => {
                let index = if op.takes_index() { arg(1) } else { arg(0) };
                let item = if op.takes_item() { arg(data.args.len() - 1) } else { arg(0) };
                let to = if data.results.is_empty() { self.scratch } else { to };
                Step::List { op, to, list: arg(0), index, item }
            }
            Op::MapNew(ty) => Step::MapNew { ty, to },
            Op::Map(op) => {
                let mut operands = data.args[1..].iter().map(|&it| self.home(it));
                let mut next = |taken: bool| operands.next().filter(|_| taken).unwrap_or(arg(0));
                let position = if op.takes_position() { next(true) } else { arg(0) };
                let key = if op.takes_key() { next(true) } else { arg(0) };
                let value = next(op.takes_value());
                let to = if data.results.is_empty() { self.scratch } else { to };
                Step::Map { op, to, map: arg(0), position, key, value }
            }
            Op::Object(op) => {
                let index = if data.args.len() > 1 { arg(1) } else { self.scratch };
                Step::Object { op, to: if data.results.is_empty() { self.scratch } else { to }, object: arg(0), index }
            }
            Op::OfClass(_) | Op::Kept(_) => Step::Copy { to, from: arg(0) },
            Op::Guard(exit) if self.exits[exit].at_checkpoint => Step::Require { cond: arg(0) },
            Op::Guard(exit) => {
                let cond = arg(0);
                Step::Guard { cond, exit: exit.index() as u32, payload: self.list(&data.args[1..]) }
            }
            Op::OverflowIf => Step::OverflowIf { cond: arg(0) },
            Op::Checkpoint(_) => return,
            Op::Call(func, exit) => {
                let (args, results) = (self.list(&data.args), self.list(&data.results));
                Step::Call { func: func.index() as u32, args, results, waits: self.state(inst, exit) }
            }
            Op::Tensor(host, _) => {
                let (args, results) = (self.list(&data.args), self.list(&data.results));
                Step::Host { host, args, results, raises: None }
            }
            Op::Host(host, exit) => {
                let (args, results) = (self.list(&data.args), self.list(&data.results));
                Step::Host { host, args, results, raises: self.state(inst, exit) }
            }
        };
        self.emit(step, data.loc);
    }

    /// The frame state that comes with a call: its values are the last operands.
    fn state(&mut self, inst: Inst, exit: Option<ExitId>) -> Option<(ExitId, List)> {
        let exit = exit?;
        let args = &self.func.insts[inst].args;
        Some((exit, self.list(&args[args.len() - self.exits[exit].types.len()..])))
    }

    fn elem(&self, inst: Inst) -> crate::types::Elem {
        self.func.ty(self.func.insts[inst].args[0]).as_array().expect("it was verified to be an array").elem
    }
}

/// Gives each value its slots: parameters first, then constants, equal ones once, then the rest. Returns
/// the first slot of each value, and the number of slots.
fn assign_slots(func: &Function, order: &[Block], code: &mut Decoded) -> (Vec<Slot>, Slot) {
    let mut homes = vec![0; func.values.len()];
    let mut next: Slot = 0;
    let mut give = |homes: &mut Vec<Slot>, value: Value| {
        homes[value.index()] = next;
        next += slots(func.ty(value)) as Slot;
    };
    for &param in func.params() {
        give(&mut homes, param);
    }
    let mut known: HashMap<u64, Value> = HashMap::new();
    let insts = || order.iter().flat_map(|&block| &func.blocks[block].insts).map(|&inst| &func.insts[inst]);
    for data in insts() {
        if let Op::Const(constant) = data.op {
            let value = data.results[0];
            match known.get(&bits(constant)) {
                Some(&same) => homes[value.index()] = homes[same.index()],
                None => {
                    give(&mut homes, value);
                    known.insert(bits(constant), value);
                    code.constants.push(bits(constant));
                }
            }
        }
    }
    for &block in order.iter().filter(|&&block| block != func.entry()) {
        for &param in &func.blocks[block].params {
            give(&mut homes, param);
        }
    }
    for data in insts().filter(|data| !matches!(data.op, Op::Const(_))) {
        for &result in &data.results {
            give(&mut homes, result);
        }
    }
    (homes, next)
}
