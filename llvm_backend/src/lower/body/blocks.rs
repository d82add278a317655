//! Blocks and their parameters: phi nodes, the jumps that feed them, and the two loops that a strip-mined
//! one becomes.

use inkwell::basic_block::BasicBlock;
use inkwell::values::{BasicValue, IntValue, PhiValue};
use snekpy_stage::entity::{Block, Entity};

use super::{Body, Kind};
use crate::fault::Result;
use crate::lower::count;
use crate::lower::strip::{self, Plan, Strip};
use crate::lower::value::Val;

/// A header whose loop is strip-mined, with the outer loop.
#[derive(Clone)]
pub(crate) struct Stripped<'ctx> {
    pub(crate) plan: Strip,
    /// Where the inner loop pauses.
    pub(crate) limit: Option<IntValue<'ctx>>,
    outer: BasicBlock<'ctx>,
    phis: Vec<PhiValue<'ctx>>,
}

/// From where a jump comes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum From {
    /// From the loop that the target heads, or the target heads none.
    Inside,
    /// From before that loop.
    Outside,
}

impl<'ctx> Body<'_, 'ctx> {
    /// Makes every block with its phi nodes. The parameters of the entry block come from the caller if
    /// nothing jumps to it.
    pub(crate) fn make_blocks(&mut self) -> Result<()> {
        let here = self.here();
        let mut plans = vec![None; self.func.blocks.len()];
        if self.flow.has_loops() && self.kind != Kind::Device {
            plans = strip::plan(self.func);
            self.counts = count::counts(self.func, |it| plans[it.index()].is_none() && !self.func.blocks[it].quiet);
        }
        for &block in &self.flow.order.clone() {
            let is_quiet = self.func.blocks[block].quiet;
            self.short[block.index()] = is_quiet || matches!(plans[block.index()], Some(Plan::Short));
            if let (Some(Plan::Strip(plan)), false) = (plans[block.index()], is_quiet) {
                let outer = self.append("outer");
                self.b.position_at_end(outer);
                let (phis, _) = self.make_phis(block)?;
                self.strips[block.index()] = Some(Stripped { plan, limit: None, outer, phis });
            }
            let made = self.append(&block.to_string());
            self.blocks[block.index()] = Some(made);
            if block == self.func.entry() && !self.flow.entry_is_target {
                continue;
            }
            self.b.position_at_end(made);
            let (phis, values) = self.make_phis(block)?;
            self.phis[block.index()] = phis;
            self.define_all(&self.func.blocks[block].params, values);
        }
        self.b.position_at_end(here);
        Ok(())
    }

    /// Phi nodes for the parameters of a block, where the builder stands, and the values they make up.
    fn make_phis(&self, block: Block) -> Result<(Vec<PhiValue<'ctx>>, Vec<Val<'ctx>>)> {
        let (mut phis, mut values) = (Vec::new(), Vec::new());
        for &param in &self.func.blocks[block].params {
            let ty = self.func.ty(param);
            let first = phis.len();
            for part in self.unit.parts(ty) {
                phis.push(self.b.build_phi(part, "")?);
            }
            let mut parts = phis[first..].iter();
            values.push(self.assemble(ty, || parts.next().expect("a part for each").as_basic_value()));
        }
        Ok((phis, values))
    }

    /// Goes to the beginning of a block. If its loop is strip-mined, the outer loop is written first.
    pub(crate) fn begin_block(&mut self, block: Block) -> Result<()> {
        let inner = self.block(block);
        if let Some(stripped) = self.strips[block.index()].clone() {
            self.b.position_at_end(stripped.outer);
            let types = self.func.types_of(&self.func.blocks[block].params);
            let mut parts = stripped.phis.iter().map(|phi| phi.as_basic_value());
            let mut part = || parts.next().expect("a part for each");
            let values: Vec<Val<'ctx>> = types.into_iter().map(|ty| self.assemble(ty, &mut part)).collect();
            let counter = stripped.plan.counter_position(&self.func.blocks[block].params);
            let limit = stripped.plan.limit(self, values[counter].as_int())?;
            self.bring(block, From::Inside, &values);
            self.b.build_unconditional_branch(inner)?;
            self.b.position_at_end(inner);
            stripped.plan.tell_start(self)?;
            self.strips[block.index()] = Some(Stripped { limit: Some(limit), ..stripped });
        }
        self.b.position_at_end(inner);
        Ok(())
    }

    /// Whether jumps back to this block poll.
    pub(crate) fn polls(&self, header: Block) -> bool {
        self.stripped(header).is_none() && !self.short[header.index()]
    }

    /// The strip-mined loop that a block heads, if it does.
    pub(crate) fn stripped(&self, block: Block) -> Option<&Stripped<'ctx>> {
        self.strips[block.index()].as_ref()
    }

    /// Goes from the function's own entry to the first block of the IR.
    pub(crate) fn enter(&mut self, params: Vec<Val<'ctx>>) -> Result<()> {
        let first = self.func.entry();
        if self.flow.entry_is_target {
            self.bring(first, From::Outside, &params);
        } else {
            for (&param, value) in self.func.params().iter().zip(params) {
                self.define(param, value);
            }
        }
        self.b.build_unconditional_branch(self.block(first))?;
        Ok(())
    }

    /// Gives a block's parameters their values for a jump from the block that is being written. Returns
    /// where to branch.
    pub(crate) fn bring(&self, target: Block, from: From, args: &[Val<'ctx>]) -> BasicBlock<'ctx> {
        let (block, phis) = match self.stripped(target) {
            Some(stripped) if from == From::Outside => (stripped.outer, &stripped.phis),
            Some(_) | None => (self.block(target), &self.phis[target.index()]),
        };
        let here = self.here();
        let parts = args.iter().flat_map(|arg| arg.parts());
        for (phi, part) in phis.iter().zip(parts) {
            phi.add_incoming(&[(&part as &dyn BasicValue<'ctx>, here)]);
        }
        block
    }

    /// The block of LLVM in which a block of the IR begins.
    pub(crate) fn block(&self, block: Block) -> BasicBlock<'ctx> {
        self.blocks[block.index()].expect("every block that can be reached was made")
    }
}
