//! The body of a kernel for several positions beside each other, each in a lane of vectors.
//!
//! The blocks of the body are written one behind the other, in an order in which the blocks of a loop are together, and
//! every lane goes through all of them under a *mask*: the lanes that control has come to the block with. A branch makes
//! two masks of one, a parameter of a block is chosen lane by lane among what the jumps bring, and a loop turns until no
//! lane is left in it. What lanes do that are not in the mask is computed and forgotten; it must not be noticed: it
//! reads no memory, and what fails in it does not count. A block that does much, or what cannot be undone, is passed
//! over where its mask is empty.
//!
//! What does not vary between lanes ([`Divergence`]) is written as everywhere else, as a scalar.
//!
//! Values that are used elsewhere than where they are computed are in *slots* on the stack, which LLVM makes registers
//! of. A value that lanes have left a loop with is kept there, lane by lane, while the others go on.
//!
//! Each lane computes the operations of its position in their order, so results have the same bits. Where a lane fails,
//! the code leaves, and the caller runs the positions one by one.

mod memory;
mod ops;
mod plan;
mod vector;

use std::collections::BTreeMap;

use inkwell::IntPredicate;
use inkwell::basic_block::BasicBlock;
use inkwell::context::Context as LlvmContext;
use inkwell::module::Module as LlvmModule;
use inkwell::values::{IntValue, PointerValue, VectorValue};
use snekpy_stage::analysis::{Divergence, Edge, LoopId};
use snekpy_stage::backend::{Status, Trap};
use snekpy_stage::entity::{Block, Entity, Inst, Value};
use snekpy_stage::ir::{Function, Terminator};
use snekpy_stage::kernel::Kernel;
use snekpy_stage::kernel::host::LoopParams;
use snekpy_stage::op::Op;
use snekpy_stage::set::EntitySet;
use snekpy_stage::types::Type;

use super::body::{Body, Kind};
use super::unit::Unit;
use super::value::Val;
use super::{Style, control, count, leave, memory as scalars};
use crate::fault::Result;

use plan::Gathered;
pub(crate) use plan::Plan;
use vector::Vectors;

/// Writes the loop over a kernel's body, so many positions at a time as the plan says.
pub(crate) fn module<'ctx>(
    llcx: &'ctx LlvmContext,
    kernel: &Kernel,
    plan: &Plan,
    style: &Style<'_>,
) -> Result<LlvmModule<'ctx>> {
    let unit = Unit::new(llcx, &kernel.module, style);
    let mut body = Body::begin(&unit, kernel.body(), unit.entry(), Kind::Entry)?;
    // Every loop polls in every turn.
    body.counts = count::counts(kernel.body(), |_| true);
    let vectors = Vectors::new(&unit, plan.width);
    let zero = vectors.mask.const_zero();
    let mut lanes = Lanes {
        kernel,
        plan,
        vectors,
        slots: vec![None; kernel.body().values.len()],
        left: BTreeMap::new(),
        block: kernel.body().entry(),
        behind: Vec::new(),
        edges: BTreeMap::new(),
        turns: Vec::new(),
        masks: BTreeMap::new(),
        results: Vec::new(),
        known: vec![None; kernel.body().values.len()],
        visible: EntitySet::new(),
        everywhere: EntitySet::new(),
        active: zero,
        mask: zero,
        body,
    };
    lanes.make_slots()?;
    lanes.positions()?;
    leave::finish(&lanes.body)?;
    drop(lanes);
    Ok(unit.finish())
}

/// The body while it is being written.
struct Lanes<'a, 'ctx> {
    kernel: &'a Kernel,
    plan: &'a Plan,
    body: Body<'a, 'ctx>,
    vectors: Vectors<'ctx>,
    /// The slot of each value that has one, where it is computed.
    slots: Vec<Option<PointerValue<'ctx>>>,
    /// The slot of what lanes have left a loop with, of values that do not vary in it.
    left: BTreeMap<Value, PointerValue<'ctx>>,
    /// The block that is being written.
    block: Block,
    /// For each loop that is being written, the block behind it.
    behind: Vec<(LoopId, BasicBlock<'ctx>)>,
    /// For each jump, the slot of the lanes that take it; of one that leaves a loop, in any turn so far.
    edges: BTreeMap<Edge, PointerValue<'ctx>>,
    /// For each loop, the slots of the lanes that have entered it and of those that are in this turn.
    turns: Vec<[PointerValue<'ctx>; 2]>,
    /// For each block, the slot of its mask.
    masks: BTreeMap<Block, PointerValue<'ctx>>,
    /// The slots of the results.
    results: Vec<PointerValue<'ctx>>,
    /// The vectors that the block being written has computed or read.
    known: Vec<Option<VectorValue<'ctx>>>,
    /// The scalars that it has.
    visible: EntitySet<Value>,
    /// The scalars that all blocks have.
    everywhere: EntitySet<Value>,
    /// The lanes that have a position.
    active: VectorValue<'ctx>,
    /// The lanes that control is in the block with that is being written.
    mask: VectorValue<'ctx>,
}

/// The jumps that lead to a loop's header, from before the loop and from inside.
struct Arrivals {
    entering: Vec<Edge>,
    round: Vec<Edge>,
}

impl<'a, 'ctx> Lanes<'a, 'ctx> {
    fn func(&self) -> &'a Function {
        self.kernel.body()
    }

    fn divergence(&self) -> &'a Divergence {
        &self.plan.divergence
    }

    /// Makes every slot, where the builder stands: before everything else.
    fn make_slots(&mut self) -> Result<()> {
        let func = self.func();
        for &block in self.plan.cfg.order() {
            let params = func.blocks[block].params.iter();
            let results = func.blocks[block].insts.iter().flat_map(|&inst| &func.insts[inst].results);
            for &value in params.chain(results) {
                let varies = self.divergence().varies(value);
                let is_shared = self.divergence().is_shared(value) || block != func.entry() && self.is_param(value);
                if !varies && self.divergence().kept(value).is_some() {
                    let slot = self.body.b.build_alloca(self.vectors.of(func.ty(value)), "")?;
                    self.left.insert(value, slot);
                }
                if func.as_const(value).is_some() || !(is_shared || varies && self.is_param(value)) {
                    continue;
                }
                if varies {
                    let ty = self.vectors.of(func.ty(value));
                    self.slots[value.index()] = Some(self.body.b.build_alloca(ty, "")?);
                } else if let Some(part) = self.body.unit.parts(func.ty(value)).next()
                    && func.ty(value).is_scalar()
                {
                    self.slots[value.index()] = Some(self.body.b.build_alloca(part, "")?);
                }
            }
            let mask = self.body.b.build_alloca(self.vectors.mask, "")?;
            self.masks.insert(block, mask);
            for (_, slot) in func.blocks[block].term.jumps().zip(0..) {
                let taken = self.body.b.build_alloca(self.vectors.mask, "")?;
                self.edges.insert(Edge { from: block, slot }, taken);
            }
        }
        for _ in self.plan.loops.inner_first() {
            let [entered, turn] = [(); 2].map(|()| self.body.b.build_alloca(self.vectors.mask, ""));
            self.turns.push([entered?, turn?]);
        }
        for &ty in &func.results {
            self.results.push(self.body.b.build_alloca(self.vectors.of(ty), "")?);
        }
        Ok(())
    }

    fn is_param(&self, value: Value) -> bool {
        matches!(self.func().values[value].def, snekpy_stage::ir::Def::Param(..))
    }

    /// Writes the loop over the positions.
    fn positions(&mut self) -> Result<()> {
        let params = LoopParams::of(self.kernel);
        let slots = self.body.slots.expect("the entry takes its parameters from slots");
        let given = scalars::load_slots(&self.body, slots.args, params.types())?;
        let (begin, end) = (given[0].as_int(), given[1].as_int());
        let extents: Vec<IntValue<'ctx>> = given[params.extents()].iter().map(|it| it.as_int()).collect();
        let func = self.func();
        for (&param, &value) in func.params()[self.kernel.rank..].iter().zip(&given[params.inputs()]) {
            self.body.define(param, value);
            self.everywhere.insert(param);
        }
        let index: Vec<PointerValue<'ctx>> =
            func.params()[..self.kernel.rank].iter().map(|it| self.slot(*it).expect("an index varies")).collect();
        let first = self.body.b.build_alloca(self.body.unit.types.i64, "")?;
        self.body.b.build_store(first, begin)?;
        self.split(begin, &extents, &index)?;

        let [group, run, done] = ["group", "run", "done"].map(|name| self.body.append(name));
        self.body.b.build_unconditional_branch(group)?;
        self.body.b.position_at_end(group);
        let here = self.body.b.build_load(self.body.unit.types.i64, first, "")?.into_int_value();
        let left = self.body.b.build_int_sub(end, here, "")?;
        let some = self.body.b.build_int_compare(IntPredicate::SGT, left, self.body.int(0), "")?;
        self.body.b.build_conditional_branch(some, run, done)?;

        self.body.b.position_at_end(run);
        self.forget_slots(&index)?;
        let counted = self.vectors.counted();
        let left = self.splat(left.into())?;
        self.active = self.body.b.build_int_compare(IntPredicate::SLT, counted, left, "")?;
        if self.kernel.rank == 1 {
            let position = self.splat(here.into())?;
            let position = self.body.b.build_int_add(position, counted, "")?;
            self.body.b.build_store(index[0], position)?;
        }
        self.region(None)?;
        self.forget();
        let offset = self.body.b.build_int_sub(here, begin, "")?;
        memory::store_results(self, offset, &given[params.outputs()])?;
        let next = self.body.b.build_int_add(here, self.body.int(i64::from(self.plan.width)), "")?;
        self.body.b.build_store(first, next)?;
        self.step(&extents, &index)?;
        self.poll()?;
        self.body.b.build_unconditional_branch(group)?;

        self.body.b.position_at_end(done);
        leave::ret(&self.body, &[])
    }

    /// The indices of the first positions.
    fn split(&mut self, begin: IntValue<'ctx>, extents: &[IntValue<'ctx>], index: &[PointerValue<'ctx>]) -> Result<()> {
        let mut rest = begin;
        for (&extent, &to) in extents.iter().zip(&index[1..]).rev() {
            let (over, at) = (
                self.body.b.build_int_unsigned_div(rest, extent, "")?,
                self.body.b.build_int_unsigned_rem(rest, extent, "")?,
            );
            let at = self.splat(at.into())?;
            self.body.b.build_store(to, at)?;
            rest = over;
        }
        let rest = self.splat(rest.into())?;
        self.body.b.build_store(index[0], rest)?;
        let last = index[index.len() - 1];
        self.add_to(last, self.vectors.counted())?;
        self.carry(extents, index)
    }

    /// The indices of the next positions.
    fn step(&mut self, extents: &[IntValue<'ctx>], index: &[PointerValue<'ctx>]) -> Result<()> {
        if extents.is_empty() {
            return Ok(());
        }
        let width = self.vectors.int_constant(i64::from(self.plan.width));
        self.add_to(index[index.len() - 1], width)?;
        self.carry(extents, index)
    }

    fn add_to(&mut self, slot: PointerValue<'ctx>, by: VectorValue<'ctx>) -> Result<()> {
        let old = self.body.b.build_load(self.vectors.int, slot, "")?.into_vector_value();
        let sum = self.body.b.build_int_add(old, by, "")?;
        self.body.b.build_store(slot, sum)?;
        Ok(())
    }

    /// Brings indices past the end of their dimension into it: a row may have fewer positions than there are lanes.
    fn carry(&mut self, extents: &[IntValue<'ctx>], index: &[PointerValue<'ctx>]) -> Result<()> {
        for (dimension, &extent) in extents.iter().enumerate().rev() {
            let (upper, lower) = (index[dimension], index[dimension + 1]);
            let [test, again, next] = [(); 3].map(|()| self.body.append("carry"));
            self.body.b.build_unconditional_branch(test)?;
            self.body.b.position_at_end(test);
            let extent = self.splat(extent.into())?;
            let at = self.body.b.build_load(self.vectors.int, lower, "")?.into_vector_value();
            let over = self.body.b.build_int_compare(IntPredicate::SGE, at, extent, "")?;
            let any = self.any(over)?;
            self.body.b.build_conditional_branch(any, again, next)?;
            self.body.b.position_at_end(again);
            let back = self.body.b.build_select(over, extent, self.vectors.int.const_zero(), "")?.into_vector_value();
            let at = self.body.b.build_int_sub(at, back, "")?;
            self.body.b.build_store(lower, at)?;
            let one = self.body.b.build_int_z_extend(over, self.vectors.int, "")?;
            self.add_to(upper, one)?;
            self.body.b.build_unconditional_branch(test)?;
            self.body.b.position_at_end(next);
        }
        Ok(())
    }

    /// Makes nothing of one group of positions reach the next.
    fn forget_slots(&mut self, index: &[PointerValue<'ctx>]) -> Result<()> {
        let func = self.func();
        for (value, slot) in func.values.keys().zip(&self.slots) {
            if let Some(slot) = slot.filter(|slot| !index.contains(slot)) {
                let zero = self.zero(value);
                self.body.b.build_store(slot, zero)?;
            }
        }
        for (&value, &slot) in &self.left {
            self.body.b.build_store(slot, self.vectors.of(func.ty(value)).const_zero())?;
        }
        for &slot in self.edges.values().chain(self.turns.as_flattened()) {
            self.body.b.build_store(slot, self.vectors.mask.const_zero())?;
        }
        for (&slot, &ty) in self.results.iter().zip(&func.results) {
            self.body.b.build_store(slot, self.vectors.of(ty).const_zero())?;
        }
        Ok(())
    }

    fn zero(&self, value: Value) -> inkwell::values::BasicValueEnum<'ctx> {
        let ty = self.func().ty(value);
        if self.divergence().varies(value) {
            return self.vectors.of(ty).const_zero().into();
        }
        self.body.unit.parts(ty).next().expect("a scalar has a part").const_zero()
    }

    /// Writes the blocks of a loop, or those in no loop, and the loops among them.
    fn region(&mut self, inside: Option<LoopId>) -> Result<()> {
        for &block in self.plan.cfg.order() {
            match self.plan.loops.innermost(block) {
                innermost if innermost == inside => self.block(block)?,
                Some(id) => {
                    let data = self.plan.loops.data(id);
                    if data.header == block && data.parent == inside {
                        self.turn(id)?;
                    }
                }
                None => {}
            }
        }
        Ok(())
    }

    /// Writes a loop.
    fn turn(&mut self, id: LoopId) -> Result<()> {
        let (header, [entered, slot]) = (self.plan.loops.data(id).header, self.turns[id.index()]);
        let Arrivals { entering, round } = self.arrivals(id);
        self.forget();
        let mask = self.taken(&entering)?;
        self.body.b.build_store(entered, mask)?;
        self.begin_turns(id)?;
        let [enter, head, again, after] = ["enter", "turn", "again", "after"].map(|name| self.body.append(name));
        let any = self.any(mask)?;
        self.body.b.build_conditional_branch(any, enter, after)?;

        self.body.b.position_at_end(enter);
        self.merge(header, &entering, mask)?;
        self.body.b.build_store(slot, mask)?;
        self.body.b.build_unconditional_branch(head)?;

        self.body.b.position_at_end(head);
        self.behind.push((id, after));
        self.region(Some(id))?;
        self.behind.pop();
        self.forget();
        let next = self.taken(&round)?;
        let any = self.any(next)?;
        self.body.b.build_conditional_branch(any, again, after)?;

        self.body.b.position_at_end(again);
        self.merge(header, &round, next)?;
        self.body.b.build_store(slot, next)?;
        self.poll()?;
        self.body.b.build_unconditional_branch(head)?;

        self.body.b.position_at_end(after);
        self.forget();
        Ok(())
    }

    fn arrivals(&self, id: LoopId) -> Arrivals {
        let data = self.plan.loops.data(id);
        let (round, entering) = self.plan.cfg.preds(data.header).iter().partition(|&edge| data.latches.contains(edge));
        Arrivals { entering, round }
    }

    /// Before the first turn: nobody has left the loop.
    fn begin_turns(&mut self, id: LoopId) -> Result<()> {
        for (&edge, &slot) in &self.edges {
            if self.plan.outermost_left(self.func(), edge) == Some(id) {
                self.body.b.build_store(slot, self.vectors.mask.const_zero())?;
            }
        }
        for value in self.func().values.keys() {
            if let Some(slot) = self.kept_slot(value).filter(|_| self.divergence().kept(value) == Some(id)) {
                self.body.b.build_store(slot, self.vectors.of(self.ty(value)).const_zero())?;
            }
        }
        Ok(())
    }

    /// The slot of what lanes have left a loop with.
    fn kept_slot(&self, value: Value) -> Option<PointerValue<'ctx>> {
        self.divergence().kept(value)?;
        self.left.get(&value).copied().or_else(|| self.slot(value))
    }

    /// Writes a block.
    fn block(&mut self, block: Block) -> Result<()> {
        let func = self.func();
        self.forget();
        self.block = block;
        let heads = self.plan.loops.innermost(block).filter(|&id| self.plan.loops.data(id).header == block);
        let preds = self.plan.cfg.preds(block);
        self.mask = match (heads, self.plan.gathered(block)) {
            (Some(id), _) => self.load_mask(self.turns[id.index()][1])?,
            (None, _) if block == func.entry() => self.active,
            (None, Some(Gathered::In(above))) => self.load_mask(self.masks[&above])?,
            (None, Some(Gathered::Before(id))) => self.load_mask(self.turns[id.index()][0])?,
            (None, None) => self.taken(preds)?,
        };
        self.body.b.build_store(self.masks[&block], self.mask)?;
        let is_entered = heads.is_some() || block == func.entry();
        let after = if is_entered || !self.plan.passes_over(block) { None } else { Some(self.pass_over(block)?) };
        if !is_entered {
            self.merge(block, preds, self.mask)?;
        }
        for &inst in &func.blocks[block].insts {
            self.body.checkpoint = self.body.reach.before(inst);
            self.inst(inst)?;
        }
        self.body.checkpoint = self.body.reach.at_end(block);
        self.terminator(block)?;
        if let Some(after) = after {
            self.body.b.build_unconditional_branch(after)?;
            self.body.b.position_at_end(after);
            self.forget();
        }
        Ok(())
    }

    /// Goes on in a new block if there is a lane in the mask. Gives the block behind.
    fn pass_over(&mut self, block: Block) -> Result<BasicBlock<'ctx>> {
        let func = self.func();
        for (&edge, &slot) in self.edges.range(Edge { from: block, slot: 0 }..=Edge { from: block, slot: 1 }) {
            if self.plan.outermost_left(func, edge).is_none() {
                self.body.b.build_store(slot, self.vectors.mask.const_zero())?;
            }
        }
        let results = func.blocks[block].insts.iter().flat_map(|&inst| &func.insts[inst].results);
        for &value in func.blocks[block].params.iter().chain(results) {
            let varies = self.divergence().varies(value);
            if let Some(slot) = self.slot(value).filter(|_| !varies || self.divergence().kept(value).is_none()) {
                let zero = self.zero(value);
                self.body.b.build_store(slot, zero)?;
            }
        }
        let [inside, after] = ["lanes", "behind"].map(|name| self.body.append(name));
        let any = self.any(self.mask)?;
        self.body.b.build_conditional_branch(any, inside, after)?;
        self.body.b.position_at_end(inside);
        Ok(after)
    }

    fn terminator(&mut self, block: Block) -> Result<()> {
        let data = &self.func().blocks[block];
        match &data.term {
            Terminator::None => {}
            Terminator::Jump(_) => self.take(Edge { from: block, slot: 0 }, self.mask)?,
            Terminator::Branch { cond, .. } if !self.varies(*cond) && self.leaves_at_head(block).is_some() => {
                let (stays, behind) = self.leaves_at_head(block).expect("just asked");
                let cond = self.scalar(*cond)?.as_bool();
                let [inside, leave] = ["inside", "leaves"].map(|name| self.body.append(name));
                let [then, other] = if stays == 0 { [inside, leave] } else { [leave, inside] };
                self.body.b.build_conditional_branch(cond, then, other)?;
                self.body.b.position_at_end(leave);
                self.take(Edge { from: block, slot: 1 - stays }, self.mask)?;
                self.body.b.build_unconditional_branch(behind)?;
                self.body.b.position_at_end(inside);
                self.take(Edge { from: block, slot: stays }, self.mask)?;
            }
            Terminator::Branch { cond, .. } => {
                let cond = self.vector(*cond)?;
                let then = self.body.b.build_and(self.mask, cond, "")?;
                let not = self.body.b.build_not(cond, "")?;
                let other = self.body.b.build_and(self.mask, not, "")?;
                self.take(Edge { from: block, slot: 0 }, then)?;
                self.take(Edge { from: block, slot: 1 }, other)?;
            }
            Terminator::Return(values) => {
                for (position, &value) in values.iter().enumerate() {
                    let value = self.vector(value)?;
                    self.keep(self.results[position], value, self.mask)?;
                }
            }
            Terminator::Exit(exit, _) => {
                let any = self.any(self.mask)?;
                if self.body.unit.ir.exits[*exit].at_checkpoint {
                    leave::trap_if(&self.body, any, Trap::Required, data.term_loc)?;
                } else {
                    leave::leave_if(&self.body, any, self.body.status(Status::exit_code(*exit), data.term_loc))?;
                }
            }
        }
        Ok(())
    }

    /// Which jump of a loop's header stays in it, and the block behind the loop, if the other one leaves it and no other
    /// loop: where that does not vary, no lane is left.
    fn leaves_at_head(&self, block: Block) -> Option<(u32, BasicBlock<'ctx>)> {
        let &(id, behind) = self.behind.last()?;
        if self.plan.loops.data(id).header != block {
            return None;
        }
        let mut jumps = (0..2).map(|slot| Edge { from: block, slot }.jump(self.func()).target);
        let inside = |target: Option<Block>| target.is_some_and(|target| self.plan.loops.contains(id, target));
        match (inside(jumps.next()), inside(jumps.next())) {
            (true, false) => Some((0, behind)),
            (false, true) => Some((1, behind)),
            (true, true) | (false, false) => None,
        }
    }

    /// Whether a value varies in the block that is being written.
    fn varies(&self, value: Value) -> bool {
        self.divergence().varies_in(&self.plan.loops, value, self.block)
    }

    /// Notes the lanes that take a jump.
    fn take(&mut self, edge: Edge, lanes: VectorValue<'ctx>) -> Result<()> {
        let slot = self.edges[&edge];
        let lanes = match self.plan.outermost_left(self.func(), edge) {
            Some(_) => {
                let before = self.load_mask(slot)?;
                self.body.b.build_or(before, lanes, "")?
            }
            None => lanes,
        };
        self.body.b.build_store(slot, lanes)?;
        Ok(())
    }

    /// The lanes that have taken one of these jumps.
    fn taken(&self, edges: &[Edge]) -> Result<VectorValue<'ctx>> {
        let mut all = None;
        for edge in edges {
            let lanes = self.load_mask(self.edges[edge])?;
            all = Some(match all {
                Some(all) => self.body.b.build_or(all, lanes, "")?,
                None => lanes,
            });
        }
        Ok(all.unwrap_or_else(|| self.vectors.mask.const_zero()))
    }

    fn load_mask(&self, slot: PointerValue<'ctx>) -> Result<VectorValue<'ctx>> {
        Ok(self.body.b.build_load(self.vectors.mask, slot, "")?.into_vector_value())
    }

    /// Gives the parameters of a block what these jumps bring, to the lanes of a mask.
    fn merge(&mut self, block: Block, edges: &[Edge], mask: VectorValue<'ctx>) -> Result<()> {
        let func = self.func();
        self.forget();
        self.block = block;
        let params = &func.blocks[block].params;
        let (mut scalars, mut vectors) = (Vec::new(), Vec::new());
        for (position, &param) in params.iter().enumerate() {
            let args: Vec<Value> = edges.iter().map(|edge| edge.jump(func).args[position]).collect();
            if self.divergence().varies(param) {
                let mut chosen = self.vector(args[0])?;
                for (edge, &arg) in edges.iter().zip(&args).skip(1) {
                    let (lanes, other) = (self.load_mask(self.edges[edge])?, self.vector(arg)?);
                    chosen = self.choose(lanes, other, chosen)?;
                }
                vectors.push((param, chosen));
            } else {
                let mut chosen = self.scalar(args[0])?;
                for (edge, &arg) in edges.iter().zip(&args).skip(1).filter(|(_, arg)| **arg != args[0]) {
                    let lanes = self.load_mask(self.edges[edge])?;
                    let (any, other) = (self.any(lanes)?, self.scalar(arg)?);
                    chosen = super::compare::select(&self.body, any, other, chosen)?;
                }
                scalars.push((param, chosen));
            }
        }
        for (param, value) in scalars {
            self.define_scalar(param, value, mask)?;
        }
        for (param, value) in vectors {
            self.define_vector(param, value, mask)?;
        }
        Ok(())
    }

    fn inst(&mut self, inst: Inst) -> Result<()> {
        let data = &self.func().insts[inst];
        match data.op {
            Op::Const(_) | Op::Checkpoint(_) => return Ok(()),
            Op::Guard(exit) => {
                let fails = ops::fails(self, data.args[0], true)?;
                if self.body.unit.ir.exits[exit].at_checkpoint {
                    return leave::trap_if(&self.body, fails, Trap::Required, data.loc);
                }
                return leave::leave_if(&self.body, fails, self.body.status(Status::exit_code(exit), data.loc));
            }
            Op::OverflowIf => {
                let fails = ops::fails(self, data.args[0], false)?;
                return leave::overflow_if(&self.body, fails, data.loc);
            }
            _ => {}
        }
        if self.divergence().varies(data.results[0]) {
            let value = ops::compute(self, inst)?;
            return self.define_vector(data.results[0], value, self.mask);
        }
        for &arg in &data.args {
            self.scalar(arg)?;
        }
        self.body.inst(inst)?;
        let result = data.results[0];
        self.visible.insert(result);
        let value = self.body.value(result);
        self.define_scalar(result, value, self.mask)
    }

    /// Forgets what another block of LLVM has computed.
    fn forget(&mut self) {
        self.known.fill(None);
        self.visible = self.everywhere.clone();
    }

    fn slot(&self, value: Value) -> Option<PointerValue<'ctx>> {
        self.slots[value.index()]
    }

    fn define_scalar(&mut self, name: Value, value: Val<'ctx>, lanes: VectorValue<'ctx>) -> Result<()> {
        self.body.define(name, value);
        self.visible.insert(name);
        let part = value.parts().next().expect("a scalar has a part");
        if let Some(slot) = self.slot(name) {
            self.body.b.build_store(slot, part)?;
        }
        if let Some(&slot) = self.left.get(&name) {
            let value = self.splat(part)?;
            self.keep(slot, value, lanes)?;
        }
        Ok(())
    }

    /// Stores a value for some lanes.
    fn keep(&self, slot: PointerValue<'ctx>, value: VectorValue<'ctx>, lanes: VectorValue<'ctx>) -> Result<()> {
        let old = self.body.b.build_load(value.get_type(), slot, "")?.into_vector_value();
        let kept = self.choose(lanes, value, old)?;
        self.body.b.build_store(slot, kept)?;
        Ok(())
    }

    fn define_vector(&mut self, name: Value, value: VectorValue<'ctx>, lanes: VectorValue<'ctx>) -> Result<()> {
        self.known[name.index()] = Some(value);
        let Some(slot) = self.slot(name) else { return Ok(()) };
        if self.divergence().kept(name).is_some() {
            return self.keep(slot, value, lanes);
        }
        self.body.b.build_store(slot, value)?;
        Ok(())
    }

    /// A value that does not vary.
    fn scalar(&mut self, value: Value) -> Result<Val<'ctx>> {
        if let Some(constant) = self.func().as_const(value) {
            let constant = self.body.constant(constant);
            self.body.define(value, constant);
            return Ok(constant);
        }
        if !self.visible.contains(value) {
            let slot = self.slot(value).expect("what another block uses has a slot");
            let ty = self.func().ty(value);
            let part = self.body.unit.parts(ty).next().expect("a scalar has a part");
            let loaded = self.body.b.build_load(part, slot, "")?;
            let loaded = self.body.assemble(ty, || loaded);
            self.body.define(value, loaded);
            self.visible.insert(value);
        }
        Ok(self.body.value(value))
    }

    /// A value in each lane.
    fn vector(&mut self, value: Value) -> Result<VectorValue<'ctx>> {
        if !self.varies(value) {
            let scalar = self.scalar(value)?.parts().next().expect("a scalar has a part");
            return self.splat(scalar);
        }
        if let Some(known) = self.known[value.index()] {
            return Ok(known);
        }
        let slot = self.left.get(&value).copied().or_else(|| self.slot(value));
        let slot = slot.expect("what another block uses has a slot");
        let loaded = self.body.b.build_load(self.vectors.of(self.func().ty(value)), slot, "")?.into_vector_value();
        self.known[value.index()] = Some(loaded);
        Ok(loaded)
    }

    fn poll(&mut self) -> Result<()> {
        let stopped = control::poll(&self.body)?;
        let next = self.body.here();
        self.body.b.position_at_end(stopped);
        leave::with(&self.body, self.body.status(Status::trap_code(Trap::Interrupted, None), None))?;
        self.body.b.position_at_end(next);
        Ok(())
    }

    /// The type of a value as the IR has it.
    fn ty(&self, value: Value) -> Type {
        self.func().ty(value)
    }
}
