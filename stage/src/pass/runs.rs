//! Runs: operations on tensors of a device that come one after the other in a loop, and may be begun again as one.
//!
//! What a run begins on the device depends on nothing but how its operands lie and on its numbers. So the host is asked
//! before a run ([`TensorOp::Again`]), with its operands: where it has noted what the same run began, it begins that on the
//! memory of these operands and gives the results, and the operations are gone past. Else they are carried out, and the
//! host is told of the results ([`TensorOp::Ran`]).
//!
//! A run is in one block, and nothing in it writes: where it fails, the call leaves at the checkpoint before it, whichever
//! way it went. What computes numbers between its operations goes before it, and so does what depends on a number that may
//! change in the loop, or the run ends there: the work is another one for another number. Which way a loop goes is decided
//! between runs, so that iterations may differ.
//!
//! In a loop in which numbers are read, a run may depend on some that change: on floats that nothing that was read leads to (a rate,
//! a counter), in operations that do the same whatever they are. They are passed to the host by themselves, as the last operands.

use std::collections::{BTreeMap, BTreeSet};

use crate::analysis::dominators::Dominators;
use crate::analysis::loops::Loops;
use crate::analysis::{Cfg, Effects};
use crate::entity::{Block, FuncId, HostId, Inst, Table, Value};
use crate::ir::{BlockData, Function, HostData, InstData, Jump, Module, Terminator};
use crate::op::{Acts, Effect, Op};
use crate::pass::edit::Substitution;
use crate::pass::{Changed, PassDef, Run};
use crate::sizes;
use crate::tensor::elementwise::{Num2, Real2};
use crate::tensor::{Dtype, TensorOp};
use crate::types::Type;

/// See the module.
pub const RUNS: PassDef = PassDef { name: "runs", run: Run::Function(run), required: false };

/// Fewer operations are no run, unless a number is read in each iteration: then all that leads to one may be begun before it is
/// asked for ([`ahead`](crate::tensor::device::Ahead)).
const FEWEST: usize = 4;

fn run(module: &mut Module, func: FuncId) -> Changed {
    let Module { funcs, hosts, .. } = module;
    let func = &mut funcs[func];
    if !hosts.values().flat_map(|host| &host.results).any(is_there) {
        return Changed::No;
    }
    let cfg = Cfg::of(func);
    let loops = Loops::of(func, &cfg, &Dominators::of(&cfg));
    let said = said(func, hosts);
    let around = |blocks: &Vec<Block>| Around::of(func, hosts, &said, blocks);
    let around: Vec<Around> = loops.inner_first().map(|it| around(&loops.data(it).blocks)).collect();
    let mut changed = Changed::No;
    for &block in cfg.order() {
        let Some(innermost) = loops.innermost(block) else { continue };
        let mut rest = block;
        while let Some(found) = Found::first(func, hosts, &around[innermost.index()], rest) {
            rest = found.part(func, hosts, &around[innermost.index()], rest);
            changed = Changed::Yes;
        }
    }
    changed
}

/// What is known of a loop.
struct Around<'a> {
    /// The tensors of the host's memory that the code says.
    said: &'a BTreeSet<Value>,
    /// The numbers, and tensors that are no device's, that may be others in each iteration.
    changing: BTreeSet<Value>,
    /// Those of them that a run may depend on: which number each is made of, and as what.
    moving: BTreeMap<Value, (Value, Dtype)>,
    /// How many operations are a run.
    fewest: usize,
}

impl<'a> Around<'a> {
    fn of(func: &Function, hosts: &Table<HostId, HostData>, said: &'a BTreeSet<Value>, blocks: &[Block]) -> Self {
        let insts = || blocks.iter().flat_map(|&block| &func.blocks[block].insts).map(|&it| &func.insts[it]);
        let params = blocks.iter().flat_map(|&block| &func.blocks[block].params);
        let made = params.chain(insts().flat_map(|it| &it.results));
        let may_change = |it: &Value| !is_there(&func.ty(*it)) && !is_const(func, *it) && !said.contains(it);
        let gives_here = |it: &InstData| it.results.iter().any(|it| !is_there(&func.ty(*it)));
        let reads = |it: &InstData| {
            let may_read = match it.op {
                Op::Host(..) => true,
                Op::Tensor(host, _) => matches!(hosts[host].tensor, Some(TensorOp::To(_))) && gives_here(it),
                _ => false,
            };
            may_read && func.types_of(&it.args).iter().any(is_there)
        };
        let fewest = if insts().any(reads) { 1 } else { FEWEST };
        let mut moving = BTreeMap::new();
        if fewest == 1 {
            let predictable = predictable(func, blocks);
            for inst in insts() {
                if let (Op::Tensor(host, _), &[number], &[result]) = (inst.op, &inst.args[..], &inst.results[..])
                    && let Some(TensorOp::Number(dtype)) = hosts[host].tensor
                    && dtype.is_float()
                    && predictable.contains(&number)
                {
                    moving.insert(result, (number, dtype));
                }
            }
        }
        Self { said, changing: made.copied().filter(may_change).collect(), moving, fewest }
    }

    /// Whether a value is a number, or a tensor of the host's memory, that the code says.
    fn knows(&self, func: &Function, value: Value) -> bool {
        is_const(func, value) || self.said.contains(&value)
    }

    /// Whether an instruction begins work on a device, or makes a view there. Of tensors elsewhere it takes single elements, and
    /// what the code says.
    fn takes(&self, func: &Function, hosts: &Table<HostId, HostData>, inst: Inst) -> bool {
        let data = &func.insts[inst];
        let Op::Tensor(host, Acts::Makes) = data.op else { return false };
        let moves = matches!(hosts[host].tensor, Some(TensorOp::To(_) | TensorOp::Again { .. } | TensorOp::Ran(_)));
        let is_one = |ty: &Type| !matches!(ty, Type::Tensor(ty) if ty.count() != 1);
        let may_be = |it: &Value| {
            let ty = func.ty(*it);
            is_there(&ty) || is_one(&ty) || self.said.contains(it)
        };
        !moves
            && matches!(func.types_of(&data.results).as_slice(), [ty] if is_there(ty))
            && data.args.iter().all(may_be)
    }

    /// Whether a run cannot have an operation because of an operand.
    fn hinders(&self, op: Option<&TensorOp>, operand: Value) -> bool {
        self.changing.contains(&operand) && !(self.moving.contains_key(&operand) && op.is_some_and(takes_any_number))
    }
}

/// Whether an operation begins the same work whatever number an operand is.
fn takes_any_number(op: &TensorOp) -> bool {
    matches!(
        op,
        TensorOp::Num2(Num2::Add | Num2::Sub | Num2::Mul | Num2::Min | Num2::Max)
            | TensorOp::Real2(Real2::Div)
            | TensorOp::Compare(_)
    )
}

/// The numbers of a loop that nothing that is read in it leads to.
fn predictable(func: &Function, blocks: &[Block]) -> BTreeSet<Value> {
    let is_number = |it: &Value| matches!(func.ty(*it), Type::F64 | Type::I64 | Type::Bool);
    let insts = || blocks.iter().flat_map(|&block| &func.blocks[block].insts).copied();
    let params = blocks.iter().flat_map(|&block| &func.blocks[block].params);
    let results = insts().flat_map(|it| &func.insts[it].results);
    let made: BTreeSet<Value> = params.clone().chain(results).copied().collect();
    let computes = |inst: &Inst| matches!(Effects::of(func, *inst).effect, Effect::Pure | Effect::MayExit);
    let computed = insts().filter(computes).flat_map(|it| &func.insts[it].results);
    let mut found: BTreeSet<Value> = params.chain(computed).copied().filter(is_number).collect();
    loop {
        let is_known = |it: &Value| !made.contains(it) || found.contains(it);
        let of_insts = insts().filter(|it| !func.insts[*it].args.iter().all(is_known));
        let mut lost: Vec<Value> = of_insts.flat_map(|it| &func.insts[it].results).copied().collect();
        for jump in blocks.iter().flat_map(|&block| func.blocks[block].term.jumps()) {
            let params = func.blocks[jump.target].params.iter().zip(&jump.args);
            lost.extend(params.filter(|(_, arg)| !is_known(arg)).map(|(param, _)| *param));
        }
        let before = found.len();
        lost.iter().for_each(|it| {
            found.remove(it);
        });
        if found.len() == before {
            return found;
        }
    }
}

/// A run in a block.
#[derive(Default)]
struct Found {
    /// The positions of its first operation and behind its last one.
    from: usize,
    to: usize,
    /// Its operations.
    members: Vec<Inst>,
    /// What is between them, and goes before.
    between: Vec<Inst>,
    /// What its operations give.
    made: BTreeSet<Value>,
}

impl Found {
    /// The first one of a block.
    fn first(func: &Function, hosts: &Table<HostId, HostData>, around: &Around, block: Block) -> Option<Self> {
        let insts = &func.blocks[block].insts;
        let mut run = Self::default();
        let mut between = Vec::new();
        for (at, &inst) in insts.iter().enumerate() {
            let data = &func.insts[inst];
            let depends = data.args.iter().any(|it| run.made.contains(it));
            let op = tensor_op(hosts, data);
            let changes = data.args.iter().any(|it| around.hinders(op, *it));
            if around.takes(func, hosts, inst) && !changes {
                if run.members.is_empty() {
                    run.from = at;
                }
                run.to = at + 1;
                run.members.push(inst);
                run.made.extend(&data.results);
                run.between.append(&mut between);
            } else if run.members.is_empty() {
            } else if may_go_before(func, inst) && !depends {
                between.push(inst);
            } else if run.members.len() >= around.fewest {
                break;
            } else {
                run = Self::default();
                between.clear();
            }
        }
        (run.members.len() >= around.fewest).then_some(run)
    }

    /// Makes it a part that can be gone past. Gives the block with what follows.
    fn part(self, func: &mut Function, hosts: &mut Table<HostId, HostData>, around: &Around, block: Block) -> Block {
        let Self { from, to, members, between, made } = self;
        let mut inputs: Vec<Value> = Vec::new();
        let mut moving: Vec<(Value, Dtype)> = Vec::new();
        for arg in members.iter().flat_map(|&it| &func.insts[it].args) {
            match around.moving.get(arg) {
                Some(number) if !moving.contains(number) => moving.push(*number),
                None if !made.contains(arg) && !inputs.contains(arg) && !around.knows(func, *arg) => inputs.push(*arg),
                _ => {}
            }
        }
        let (numbers, moving): (Vec<Value>, Vec<Dtype>) = moving.into_iter().unzip();
        inputs.extend(numbers);
        let inside: BTreeSet<Inst> = members.iter().copied().collect();
        let outputs: Vec<Value> = used_outside(func, &inside).intersection(&made).copied().collect();
        let types = func.types_of(&outputs);
        let number = hosts.values().filter(|it| matches!(it.tensor, Some(TensorOp::Again { .. }))).count();
        let number = u32::try_from(number).expect("a module has fewer functions of the host");
        let gives: Vec<Type> = std::iter::once(Type::Bool).chain(types.iter().copied()).collect();
        let loc = func.insts[members[0]].loc;
        let mut operation = |op, params, results| {
            let data =
                HostData::new(if matches!(op, TensorOp::Again { .. }) { "again" } else { "ran" }, params, results);
            Op::Tensor(hosts.push(HostData { tensor: Some(op), ..data }), Acts::Makes)
        };
        let again = operation(TensorOp::Again { run: number, moving }, func.types_of(&inputs), gives.clone());
        let ran = operation(TensorOp::Ran(number), types.clone(), Vec::new());
        let again = func.make_inst(again, inputs, &gives, loc);
        let ran = func.make_inst(ran, outputs.clone(), &[], loc);

        let data = &mut func.blocks[block];
        let behind = data.insts.split_off(to);
        data.insts.truncate(from);
        data.insts.extend(between);
        data.insts.push(again);
        let (term, term_loc) = (std::mem::take(&mut data.term), data.term_loc);
        let rest = func.blocks.push(BlockData { insts: behind, term, term_loc, ..BlockData::default() });
        let mut subst = Substitution::new();
        for (&output, &ty) in outputs.iter().zip(&types) {
            subst.replace(output, func.append_param(rest, ty));
        }
        // The operations are in no block now, and so go on to use each other.
        subst.apply(func);
        let insts = members.into_iter().chain([ran]).collect();
        let term = Terminator::Jump(Jump { target: rest, args: outputs });
        let work = func.blocks.push(BlockData { insts, term, term_loc: loc, ..BlockData::default() });
        let (cond, given) = (func.insts[again].results[0], func.insts[again].results[1..].to_vec());
        let then = Jump { target: rest, args: given };
        func.blocks[block].term = Terminator::Branch { cond, then, other: Jump { target: work, args: Vec::new() } };
        func.blocks[block].term_loc = loc;
        rest
    }
}

pub(super) fn is_there(ty: &Type) -> bool {
    matches!(ty, Type::Tensor(it) if ty.is_there() && it.shape.dims().iter().all(|it| !sizes::is_later(*it)))
}

fn tensor_op<'a>(hosts: &'a Table<HostId, HostData>, data: &InstData) -> Option<&'a TensorOp> {
    if let Op::Tensor(host, _) = data.op { hosts[host].tensor.as_ref() } else { None }
}

fn is_const(func: &Function, value: Value) -> bool {
    matches!(func.definition(value), Some((Op::Const(_), _)))
}

/// The tensors of the host's memory that the code says, and views of them. Nobody writes to any of these, or may see it but what
/// works on devices, and whoever goes on when compiled code is left.
fn said(func: &Function, hosts: &Table<HostId, HostData>) -> BTreeSet<Value> {
    let insts = || func.blocks.values().flat_map(|block| &block.insts).map(|&inst| &func.insts[inst]);
    let is_view = |data: &InstData| tensor_op(hosts, data).is_some_and(TensorOp::is_view);
    let is_of = |data: &InstData, found: &BTreeSet<Value>| {
        is_view(data) && data.args.iter().all(|it| is_const(func, *it) || found.contains(it))
    };
    let mut found = BTreeSet::new();
    loop {
        let is_said = |data: &&InstData| match tensor_op(hosts, data) {
            Some(TensorOp::Full { .. } | TensorOp::Constant(_)) => data.args.is_empty(),
            _ => is_of(data, &found),
        };
        let more: Vec<Value> = insts().filter(is_said).flat_map(|it| it.results.clone()).collect();
        let before = found.len();
        found.extend(more.into_iter().filter(|it| !is_there(&func.ty(*it))));
        if found.len() == before {
            break;
        }
    }
    loop {
        let gives_others = |data: &InstData| match data.op {
            Op::Tensor(_, Acts::Makes) if is_view(data) => !data.results.iter().all(|it| found.contains(it)),
            Op::Tensor(_, Acts::Makes) => !data.results.iter().all(|it| is_there(&func.ty(*it))),
            Op::Checkpoint(_) => false,
            _ => true,
        };
        let mut lost: Vec<Value> = insts().filter(|it| gives_others(it)).flat_map(|it| it.args.clone()).collect();
        lost.extend(func.blocks.values().flat_map(|it| it.term.jumps()).flat_map(|it| it.args.clone()));
        // Views share the memory.
        let of_lost = insts().filter(|it| is_view(it) && !is_of(it, &found));
        lost.extend(of_lost.flat_map(|it| it.results.clone()));
        let before = found.len();
        lost.iter().for_each(|it| {
            found.remove(it);
        });
        if found.len() == before {
            return found;
        }
    }
}

/// Whether an instruction may be carried out before operations that it does not depend on.
fn may_go_before(func: &Function, inst: Inst) -> bool {
    match Effects::of(func, inst).effect {
        Effect::Pure | Effect::MayExit | Effect::Read => true,
        Effect::Write => matches!(func.insts[inst].op, Op::Tensor(_, Acts::Makes)),
        Effect::State | Effect::Any => false,
    }
}

/// What is used by other instructions than these.
fn used_outside(func: &Function, inside: &BTreeSet<Inst>) -> BTreeSet<Value> {
    let mut used = BTreeSet::new();
    for data in func.blocks.values() {
        for inst in data.insts.iter().filter(|it| !inside.contains(it)) {
            used.extend(&func.insts[*inst].args);
        }
        used.extend(data.term.uses());
    }
    used
}
