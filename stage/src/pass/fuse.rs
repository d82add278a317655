//! Fusion: elementwise operations on tensors, and reductions of their last axes, whose intermediate results nobody else sees
//! become one.
//!
//! Within a block. A group stands where its last member stood, so between its first member and there nothing may write
//! to what they read. What a checkpoint carries, what leaves, and what is used twice is a result of its own; views of
//! what is passed and single numbers go along. An operation alone is a group, too: its loop is found now and not at each
//! call, and it may write over an operand that nobody needs any more.

use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::sync::Arc;

use crate::analysis::uses::Uses;
use crate::analysis::{Cfg, Dominators, Effects, Loops};
use crate::entity::{Block, FuncId, HostId, Inst, Table, Value};
use crate::home::Home;
use crate::ir::{Def, Function, HostData, Module};
use crate::op::{Acts, Op};
use crate::pass::{Changed, PassDef, Run, constants};
use crate::tensor::fused::{Group, Input, Member, Role};
use crate::tensor::nest::{self, Nest};
use crate::tensor::{Dtype, TensorOp, fused};
use crate::types::{Shape, TensorType, Type};

/// See the module.
pub const FUSE: PassDef = PassDef { name: "fuse", run: Run::Function(run), required: false };

/// A group has no more members than this, and one that is a nest.
const MOST: usize = 48;
const MOST_OF_NEST: usize = 128;

fn run(module: &mut Module, func: FuncId) -> Changed {
    let func_is_called = func != module.main();
    let Module { funcs, hosts, .. } = module;
    let func = &mut funcs[func];
    if !hosts.values().any(|host| host.tensor.is_some()) {
        return Changed::No;
    }
    let cfg = Cfg::of(func);
    let loops = Loops::of(func, &cfg, &Dominators::of(&cfg));
    // Code that runs once gains nothing by code of its own. A function that is called may be called again and again.
    let again = |block: Block| func_is_called || loops.innermost(block).is_some();
    let mut changed = constants::spread(func, hosts, &cfg, again);
    let uses = Uses::of(func);
    for &block in cfg.order() {
        changed |= Scene::of(func, hosts, &uses, block).fuse(func, hosts, block, again(block));
    }
    changed
}

/// An operation that may be in a group.
struct Candidate {
    host: HostId,
    role: Role,
    result: Value,
    ty: TensorType,
}

/// What there is in a block.
struct Scene<'a> {
    uses: &'a Uses,
    insts: Vec<Inst>,
    candidates: Vec<Option<Candidate>>,
    /// How many instructions before each one write to what tensors may see.
    writes: Vec<u32>,
    /// Where the results of candidates are defined.
    defined: BTreeMap<Value, usize>,
    /// The same of all instructions.
    made: BTreeMap<Value, usize>,
    /// What views are made of that a nest has made again: it uses them, too, of which `uses` knows nothing.
    shared: BTreeSet<Value>,
    /// What is written to, itself or by a view.
    written: BTreeSet<Value>,
}

/// A group with its operands, and its members in the block that nobody else needs.
type Found = ((Group, Vec<Value>), Vec<usize>);

impl<'a> Scene<'a> {
    fn of(func: &Function, hosts: &Table<HostId, HostData>, uses: &'a Uses, block: Block) -> Self {
        let insts = func.blocks[block].insts.clone();
        let candidates: Vec<Option<Candidate>> = insts.iter().map(|&it| candidate(func, hosts, it)).collect();
        let mut count = 0;
        let writes = insts
            .iter()
            .map(|&inst| {
                let before = count;
                count += u32::from(func.insts[inst].op.changes_the_world(Effects::of(func, inst).effect));
                before
            })
            .collect();
        let mut written = BTreeSet::new();
        for (&inst, candidate) in insts.iter().zip(&candidates).rev() {
            let data = &func.insts[inst];
            let is_view = candidate.as_ref().is_some_and(|it| it.role == Role::View && written.contains(&it.result));
            if is_view || matches!(data.op, Op::Tensor(_, Acts::Writes)) {
                written.extend(data.args.first());
            }
        }
        let results = candidates.iter().enumerate().filter_map(|(at, it)| Some((it.as_ref()?.result, at)));
        let defined = results.collect();
        let results = insts.iter().enumerate();
        let made = results.flat_map(|(at, it)| func.insts[*it].results.iter().map(move |it| (*it, at))).collect();
        Self { uses, insts, candidates, writes, defined, made, shared: BTreeSet::new(), written }
    }

    /// Makes the groups of the block, the last ones first.
    fn fuse(mut self, func: &mut Function, hosts: &mut Table<HostId, HostData>, block: Block, again: bool) -> Changed {
        let mut gone = vec![false; self.insts.len()];
        let mut changed = Changed::No;
        for root in (0..self.insts.len()).rev() {
            if gone[root] {
                continue;
            }
            let nest = if again { self.nest(func, hosts, root, &gone, MOST_OF_NEST) } else { None };
            let nest = nest.map(|(found, mut shared)| {
                self.shared.append(&mut shared);
                found
            });
            let found = nest.or_else(|| {
                let role = self.candidates[root].as_ref()?.role;
                let with_rows = matches!(role, Role::Each | Role::Fold)
                    .then(|| self.members_with_rows(func, hosts, root))
                    .flatten();
                let with_rows = with_rows.and_then(|it| Some((self.group(func, hosts, &it)?, it)));
                with_rows.or_else(|| {
                    let members = (role == Role::Each).then(|| self.members(func, root))?;
                    Some((self.group(func, hosts, &members)?, members))
                })
            });
            let Some(((group, inputs), members)) = found else { continue };
            let acts = if group.writes() { Acts::Writes } else { Acts::Makes };
            for &member in members.iter().filter(|it| **it != root) {
                gone[member] = true;
                self.candidates[member] = None;
            }
            let inst = self.insts[root];
            let data = HostData::new("fused", func.types_of(&inputs), func.types_of(&func.insts[inst].results));
            let op = TensorOp::Fused(Arc::new(group));
            let nest = again && is_here(&data) && Nest::of(&op).is_some();
            let host = hosts.push(HostData { tensor: Some(op), nest, ..data });
            (func.insts[inst].op, func.insts[inst].args) = (Op::Tensor(host, acts), inputs);
            changed = Changed::Yes;
        }
        let kept = self.insts.iter().zip(gone).filter(|(_, gone)| !gone).map(|(inst, _)| *inst);
        func.blocks[block].insts = kept.collect();
        changed
    }

    /// The group that ends here of all that code of its own can be made of, its operands, and its members in the block that
    /// nobody else needs.
    ///
    /// A view is nothing but other steps, so the group has one of its own wherever the view is made, and it may be that of
    /// others, too: what such views are made of comes with it.
    fn nest(
        &self,
        func: &Function,
        hosts: &Table<HostId, HostData>,
        root: usize,
        gone: &[bool],
        most: usize,
    ) -> Option<(Found, BTreeSet<Value>)> {
        let mut shared = BTreeSet::new();
        // An operation, its operands, and the type of what it gives, or, as only the last one may, writes to.
        let of = |inst: Inst| -> Option<(&TensorOp, &[Value], TensorType)> {
            let data = &func.insts[inst];
            let (host, to) = match (data.op, &data.results[..]) {
                (Op::Tensor(host, Acts::Makes), &[result]) => (host, result),
                (Op::Tensor(host, Acts::Writes), []) => (host, *data.args.first()?),
                _ => return None,
            };
            let (op, Type::Tensor(ty)) = (hosts[host].tensor.as_ref()?, func.ty(to)) else { return None };
            nest::has(op, &func.types_of(&data.args), ty).then_some((op, &data.args[..], ty))
        };
        let last = self.insts[root];
        let (op, args, gives) = of(last)?;
        if op.is_view() {
            // The last word of a group: the same memory, in another shape.
            let is_its_own = self.uses.count(*args.first()?) == 1 && !self.shared.contains(&args[0]);
            let inside = self.made.get(&args[0]).filter(|it| is_its_own && !gone[**it])?;
            let (op, ..) = of(self.insts[*inside])?;
            if op.is_view() || self.writes[*inside] != self.writes[root] {
                return None;
            }
        } else if is_given(op) && !func.insts[last].results.iter().any(|it| self.written.contains(it)) {
            return None;
        }
        let (mut members, mut outside, mut dropped) = (vec![root], Vec::new(), vec![root]);
        // What has to be there before the group begins: positions, of which all have to be inside.
        let mut before: BTreeSet<Value> = positions(op, args).iter().copied().collect();
        let mut used: BTreeMap<Value, u32> = BTreeMap::new();
        let mut next: BinaryHeap<usize> = BinaryHeap::new();
        let mut left: Vec<Value> = args.to_vec();
        loop {
            while let Some(arg) = left.pop() {
                let count = used.entry(arg).or_default();
                *count += 1;
                if *count > 1 {
                    continue;
                }
                if let Some(&at) = self.made.get(&arg) {
                    next.push(at);
                } else if let Def::Result(inst, _) = func.values[arg].def
                    && let Some((op, args, _)) = of(inst)
                    && is_plain_view(func, op, args, arg)
                {
                    outside.push(inst);
                    shared.extend(args);
                    left.extend(args);
                    if before.contains(&arg) {
                        before.extend(args);
                    }
                }
            }
            // From behind: whoever uses a value comes after it, and has been looked at.
            let Some(at) = next.pop() else { break };
            let Some((op, args, _)) = of(self.insts[at]).filter(|_| !gone[at]) else { continue };
            let result = func.insts[self.insts[at]].results[0];
            let is_inside = self.is_inside(result, used[&result], at, root) && !shared.contains(&result);
            let is_there = before.contains(&result) && !op.is_view() && !is_given(op);
            if members.len() + outside.len() >= most || is_there || !is_inside && !is_plain_view(func, op, args, result)
            {
                continue;
            }
            before.extend(if before.contains(&result) { args } else { positions(op, args) });
            members.push(at);
            if is_inside {
                dropped.push(at);
            } else {
                shared.extend(args);
            }
            left.extend(args);
        }
        members.sort_unstable();
        let insts: Vec<Inst> = outside.into_iter().rev().chain(members.iter().map(|it| self.insts[*it])).collect();
        let made: BTreeMap<Value, usize> =
            insts.iter().enumerate().filter_map(|(at, it)| Some((*func.insts[*it].results.first()?, at))).collect();
        let mut inputs: Vec<Value> = Vec::new();
        for arg in insts.iter().flat_map(|it| &func.insts[*it].args).filter(|it| !made.contains_key(it)) {
            if !inputs.contains(arg) {
                inputs.push(*arg);
            }
        }
        let number = |value: &Value| -> Option<u16> {
            let at = match inputs.iter().position(|it| it == value) {
                Some(at) => at,
                None => inputs.len() + made.get(value)?,
            };
            u16::try_from(at).ok()
        };
        let member = |inst: &Inst| {
            let (op, args, _) = of(*inst)?;
            Some(Member { op: op.clone(), args: args.iter().map(number).collect::<Option<_>>()? })
        };
        let group_members: Vec<Member> = insts.iter().map(member).collect::<Option<_>>()?;
        let given: Vec<Input> = inputs.iter().map(|it| input(func.ty(*it))).collect::<Option<_>>()?;
        let is_there = |ty: Type| matches!(ty, Type::Tensor(ty) if ty.home.is_there());
        if gives.home.is_there() || inputs.iter().any(|it| is_there(func.ty(*it))) {
            return None;
        }
        let group = Group::new(gives.shape.dims(), given.clone(), group_members.clone())
            .or_else(|| Group::chain(given, group_members));
        let op = group.map(|it| TensorOp::Fused(Arc::new(it))).filter(|it| Nest::of(it).is_some());
        let Some(TensorOp::Fused(group)) = op else {
            // Of so many there may be too much for one loop.
            return if insts.len() > MOST && most > MOST { self.nest(func, hosts, root, gone, MOST) } else { None };
        };
        Some((((Arc::into_inner(group)?, inputs), dropped), shared))
    }

    /// The members of the group that ends here and reduces rows, in order; `None` if there is nothing to reduce with
    /// something else.
    fn members_with_rows(&self, func: &Function, hosts: &Table<HostId, HostData>, root: usize) -> Option<Vec<usize>> {
        let shape = self.candidates[root].as_ref()?.ty.shape;
        let mut members = Vec::new();
        let mut used: BTreeMap<Value, (u32, bool)> = BTreeMap::new();
        let mut next: BinaryHeap<usize> = BinaryHeap::from([root]);
        // The shape of elements and which axes are reduced, once a member has said: a reduction, or what has one element
        // for each row.
        let mut rows: Option<(Shape, usize)> = None;
        let (mut computes, mut reduces) = (false, false);
        while let Some(at) = next.pop() {
            let Some(candidate) = &self.candidates[at] else { continue };
            let op = hosts[candidate.host].tensor.as_ref()?;
            let args = &func.insts[self.insts[at]].args;
            let (count, is_viewed) = used.get(&candidate.result).copied().unwrap_or_default();
            let is_inside = self.is_inside(candidate.result, count, at, root);
            if at != root && !is_inside || members.len() >= MOST {
                continue;
            }
            let own = candidate.ty.shape;
            let is_of_rows = |(full, axes): (Shape, usize)| has_one_a_row(own, full, axes);
            let fits = match candidate.role {
                Role::View => true,
                Role::Item => !is_viewed,
                Role::Each => match rows {
                    Some((full, _)) if own == full => !is_viewed,
                    Some(rows) => is_of_rows(rows) || candidate.ty.count() == 1 && !is_viewed,
                    None if own == shape => !is_viewed,
                    None if candidate.ty.count() == 1 => true,
                    None => {
                        rows = axes_of_rows(own, shape).map(|axes| (shape, axes));
                        rows.is_some()
                    }
                },
                Role::Fold => match (func.ty(args[0]), rows) {
                    (Type::Tensor(from), Some((full, axes))) => {
                        from.shape == full && fused::reduced(op, from) == Some(axes)
                    }
                    (Type::Tensor(from), None) => match fused::reduced(op, from) {
                        Some(axes) if shape == from.shape || has_one_a_row(shape, from.shape, axes) => {
                            rows = Some((from.shape, axes));
                            true
                        }
                        _ => false,
                    },
                    _ => false,
                },
            };
            if !fits {
                if at == root {
                    return None;
                }
                continue;
            }
            computes |= candidate.role == Role::Each;
            reduces |= candidate.role == Role::Fold;
            members.push(at);
            let makes_view = candidate.role == Role::View;
            for arg in args {
                let (count, is_viewed) = used.entry(*arg).or_default();
                *count += 1;
                *is_viewed |= makes_view;
                if let Some(&at) = self.defined.get(arg)
                    && *count == 1
                {
                    next.push(at);
                }
            }
        }
        members.reverse();
        (reduces && computes).then_some(members)
    }

    /// Whether nobody but a group that ends there uses what is made here, so often, and nothing is written between.
    fn is_inside(&self, made: Value, count: u32, at: usize, root: usize) -> bool {
        count == self.uses.count(made) && self.writes[at] == self.writes[root] && !self.shared.contains(&made)
    }

    /// The members of the group that ends here, in order.
    fn members(&self, func: &Function, root: usize) -> Vec<usize> {
        let shape = self.candidates[root].as_ref().map(|it| it.ty.shape);
        let mut members = vec![root];
        // What is used by members: how often, and whether by one that makes a view of it.
        let mut used: BTreeMap<Value, (u32, bool)> = BTreeMap::new();
        let mut next: BinaryHeap<usize> = BinaryHeap::new();
        let take = |at: usize, next: &mut BinaryHeap<usize>, used: &mut BTreeMap<Value, (u32, bool)>| {
            let makes_view = self.candidates[at].as_ref().is_some_and(|it| it.role == Role::View);
            for arg in &func.insts[self.insts[at]].args {
                let (count, is_viewed) = used.entry(*arg).or_default();
                *count += 1;
                *is_viewed |= makes_view;
                if let Some(&at) = self.defined.get(arg)
                    && *count == 1
                {
                    next.push(at);
                }
            }
        };
        take(root, &mut next, &mut used);
        // From behind: whoever uses a value comes after it, and has been looked at.
        while let Some(at) = next.pop() {
            let Some(candidate) = &self.candidates[at] else { continue };
            let (count, is_viewed) = used[&candidate.result];
            let fits = match candidate.role {
                Role::View => true,
                Role::Item => !is_viewed,
                Role::Each => !is_viewed && (Some(candidate.ty.shape) == shape || candidate.ty.count() == 1),
                Role::Fold => false,
            };
            let is_inside = self.is_inside(candidate.result, count, at, root);
            if fits && is_inside && members.len() < MOST {
                members.push(at);
                take(at, &mut next, &mut used);
            }
        }
        members.reverse();
        members
    }

    /// The group of members, and the operands of the whole.
    fn group(
        &self,
        func: &Function,
        hosts: &Table<HostId, HostData>,
        members: &[usize],
    ) -> Option<(Group, Vec<Value>)> {
        let of = |at: usize| &func.insts[self.insts[at]];
        let inside = |value: &Value| self.defined.get(value).is_some_and(|at| members.contains(at));
        let mut inputs: Vec<Value> = Vec::new();
        for arg in members.iter().flat_map(|at| &of(*at).args).filter(|it| !inside(it)) {
            if !inputs.contains(arg) {
                inputs.push(*arg);
            }
        }
        let number = |value: &Value| -> Option<u16> {
            let at = match inputs.iter().position(|it| it == value) {
                Some(at) => at,
                None => inputs.len() + members.iter().position(|at| self.defined.get(value) == Some(at))?,
            };
            u16::try_from(at).ok()
        };
        let member = |at: &usize| {
            let args = of(*at).args.iter().map(number).collect::<Option<_>>()?;
            let host = self.candidates[*at].as_ref()?.host;
            Some(Member { op: hosts[host].tensor.clone()?, args })
        };
        let dims = self.candidates[*members.last()?].as_ref()?.ty.shape.dims();
        let given = inputs.iter().map(|it| input(func.ty(*it))).collect::<Option<_>>()?;
        let group = Group::new(dims, given, members.iter().map(member).collect::<Option<_>>()?)?;
        Some((group, inputs))
    }
}

/// How a group is given an operand of this type.
fn input(ty: Type) -> Option<Input> {
    match ty {
        Type::Tensor(ty) => Some(Input::Tensor(ty.at(Home::HERE))),
        Type::Bool | Type::I64 | Type::F64 => Some(Input::Number),
        _ => None,
    }
}

/// Whether what an operation gives is known, or a number.
const fn is_given(op: &TensorOp) -> bool {
    matches!(op, TensorOp::Full { .. } | TensorOp::Constant(_) | TensorOp::Number(_))
}

/// Those of the operands of an operation that are positions.
fn positions<'a>(op: &TensorOp, args: &'a [Value]) -> &'a [Value] {
    &args[nest::positions(op, args.len())]
}

/// Whether what an operation gives is a view however its operand lies, so that it is the same wherever it is made once more.
fn is_plain_view(func: &Function, op: &TensorOp, args: &[Value], result: Value) -> bool {
    let long_axes = |value: Value| match func.ty(value) {
        Type::Tensor(ty) => Some(ty.shape.dims().iter().copied().filter(|it| *it != 1).collect::<Vec<usize>>()),
        _ => None,
    };
    let may_copy = matches!(op, TensorOp::Reshape(_));
    op.is_view() && (!may_copy || args.first().is_some_and(|it| long_axes(*it) == long_axes(result)))
}

/// Whether all operands and results lie in this machine's memory.
fn is_here(host: &HostData) -> bool {
    host.params.iter().chain(&host.results).all(|ty| !matches!(ty, Type::Tensor(ty) if ty.home.is_there()))
}

/// How many axes the rows have of which a shape has an element each.
fn axes_of_rows(shape: Shape, full: Shape) -> Option<usize> {
    let (own, full) = (shape.dims(), full.dims());
    let lead = own.iter().zip(full).take_while(|(own, full)| own == full).count();
    (lead > 0 && lead < full.len() && own.len() == full.len() && own[lead..].iter().all(|it| *it == 1))
        .then_some(full.len() - lead)
}

/// Whether a shape has an element for each row.
fn has_one_a_row(shape: Shape, full: Shape, axes: usize) -> bool {
    let (own, full) = (shape.dims(), full.dims());
    let lead = full.len() - axes;
    own.len() <= full.len() && own.starts_with(&full[..lead]) && own[lead..].iter().all(|it| *it == 1)
}

fn candidate(func: &Function, hosts: &Table<HostId, HostData>, inst: Inst) -> Option<Candidate> {
    let data = &func.insts[inst];
    let (Op::Tensor(host, Acts::Makes), &[result]) = (data.op, &data.results[..]) else { return None };
    let op = hosts[host].tensor.as_ref()?;
    let Type::Tensor(ty) = func.ty(result) else { return None };
    debug_assert!(matches!(func.values[result].def, Def::Result(..)));
    let role = Role::of(op)?;
    let dtypes = || -> Option<Vec<Dtype>> {
        let dtype = |arg: &Value| match func.ty(*arg) {
            Type::Tensor(ty) => Some(ty.dtype),
            _ => None,
        };
        data.args.iter().map(dtype).collect()
    };
    let is_one = role != Role::Each || fused::has_loop(op, &dtypes()?);
    is_one.then_some(Candidate { host, role, result, ty })
}
