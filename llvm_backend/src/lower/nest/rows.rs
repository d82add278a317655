//! Elements of which each is joined of others that lie in rows: as many side by side as there are accumulators.

use inkwell::values::{IntValue, PointerValue, VectorValue};
use snekpy_stage::tensor::Dtype;
use snekpy_stage::tensor::nest::{Access, Memory};
use snekpy_stage::tensor::reduce::{self, Fold};

use super::{Times, Writer, fold};
use crate::fault::Result;

/// So many vectors of accumulators hide how long an addition takes.
const ABREAST: u32 = 4;

/// Rows while their loops are being written.
pub(super) struct Rows<'w, 'b, 'a, 'ctx> {
    pub(super) writer: &'w Writer<'b, 'a, 'ctx>,
    pub(super) fold: Fold,
    pub(super) dtype: Dtype,
    /// What is kept.
    pub(super) dims: &'w [usize],
    /// What is reduced.
    pub(super) rows: &'w [usize],
    pub(super) from: &'w Access,
}

impl<'ctx> Rows<'_, '_, '_, 'ctx> {
    pub(super) fn write(&self, to: Memory) -> Result<()> {
        self.axis(0, self.writer.first(self.from)?, self.writer.memory(to)?)
    }

    /// Goes along the next axis that is kept.
    fn axis(&self, axis: usize, from: PointerValue<'ctx>, to: PointerValue<'ctx>) -> Result<()> {
        let int = |it: usize| self.writer.body.int(it as i64);
        let &[size, ref inner @ ..] = &self.dims[axis..] else { return self.elements(from, to, int(0), 1) };
        if !inner.is_empty() {
            return self.writer.counted(self.writer.numbers.times(size), 1, |at| {
                let mut done = at;
                for &size in inner {
                    done = self.writer.body.b.build_int_mul(done, self.writer.number(size as isize), "")?;
                }
                let to = self.writer.element(to, self.dtype.size(), done)?;
                self.axis(axis + 1, self.moved(from, at, self.from.steps[axis])?, to)
            });
        }
        let lanes = self.writer.lanes(self.dtype.size());
        let len = match self.writer.numbers.times(size) {
            Times::Known(len) => len,
            Times::Later(len) => {
                return self.writer.in_vectors(len, lanes, ABREAST, |first, abreast, lanes| {
                    self.elements(from, to, first, lanes * abreast)
                });
            }
        };
        let mut wide = (lanes * ABREAST) as usize;
        let whole = len / wide;
        if whole > 0 {
            self.writer.counted(Times::Known(whole), wide, |at| self.elements(from, to, at, wide as u32))?;
        }
        let mut done = whole * wide;
        while done < len {
            wide /= 2;
            if len - done >= wide {
                self.elements(from, to, int(done), wide as u32)?;
                done += wide;
            }
        }
        Ok(())
    }

    /// Some elements of the last axis that is kept, from the one there.
    fn elements(
        &self,
        from: PointerValue<'ctx>,
        to: PointerValue<'ctx>,
        first: IntValue<'ctx>,
        lanes: u32,
    ) -> Result<()> {
        let step = self.dims.len().checked_sub(1).map_or(1, |last| self.from.steps[last]);
        let neutral = self.writer.known(self.dtype, reduce::neutral(self.fold, self.dtype), lanes);
        let all = self.joined(0, self.moved(from, first, step)?, step, neutral)?;
        let all = fold::settled(self.writer, self.dtype, all)?;
        self.writer.put(self.dtype, all, self.moved(to, first, 1)?, 1)
    }

    /// Goes along the next axis that is reduced.
    fn joined(
        &self,
        axis: usize,
        from: PointerValue<'ctx>,
        step: isize,
        so_far: VectorValue<'ctx>,
    ) -> Result<VectorValue<'ctx>> {
        let Some(&size) = self.rows.get(axis) else {
            let more = self.writer.gathered(self.dtype, from, step, so_far.get_type().get_size())?;
            return fold::join(self.writer, self.fold, self.dtype, so_far, more);
        };
        let far = self.from.steps[self.dims.len() + axis];
        let turn = |at, so_far: Vec<VectorValue<'ctx>>| {
            Ok(vec![self.joined(axis + 1, self.moved(from, at, far)?, step, so_far[0])?])
        };
        Ok(self.writer.carried(self.writer.numbers.times(size), 1, vec![so_far], turn)?[0])
    }

    /// So many steps from an element.
    fn moved(&self, from: PointerValue<'ctx>, at: IntValue<'ctx>, step: isize) -> Result<PointerValue<'ctx>> {
        let far = self.writer.body.b.build_int_mul(at, self.writer.number(step), "")?;
        self.writer.element(from, self.dtype.size(), far)
    }
}
