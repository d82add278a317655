//! How the factors come to shared memory, step by step.

use inkwell::IntPredicate;
use inkwell::values::{IntValue, PointerValue, VectorValue};

use super::{Factor, Result, Writer};

/// What a thread brings in each step.
pub(super) struct Piece<'ctx> {
    /// Of which factor.
    which: usize,
    /// Where it is in the factor: its row and column in the first step.
    first: [IntValue<'ctx>; 2],
    /// How far the thread's first piece is from the first element of the tile, and how far this one is from that.
    place: (IntValue<'ctx>, u64),
    /// Where its address is noted, which moves on with each step.
    from: PointerValue<'ctx>,
    /// Where it is in the second part of a factor that is in two.
    tail: Option<PointerValue<'ctx>>,
    /// Where it is along the inner dimension, in the first step: as far away as a word says if it is past the other edge.
    inner: IntValue<'ctx>,
}

impl<'ctx> Writer<'_, 'ctx> {
    /// What a thread brings, of tiles that begin at a row and at a column.
    pub(super) fn pieces(
        &self,
        factors: &[Factor<'ctx>; 2],
        [row, column]: [IntValue<'ctx>; 2],
        thread: IntValue<'ctx>,
    ) -> Result<Vec<Piece<'ctx>>> {
        let (b, each, word) = (self.b, self.variant.brought(), self.llcx.i32_type());
        let mut pieces = Vec::new();
        for (which, (factor, corner)) in factors.iter().zip([[row, self.int(0)], [self.int(0), column]]).enumerate() {
            // Threads stand in whole rows of the tile.
            let across = factor.tile[1] / each;
            let down = b.build_int_unsigned_div(thread, self.int(across), "")?;
            let right = b.build_int_mul(b.build_int_unsigned_rem(thread, self.int(across), "")?, self.int(each), "")?;
            let place = b.build_int_add(b.build_int_mul(down, self.int(factor.pitch), "")?, right, "")?;
            let first = [b.build_int_add(corner[0], down, "")?, b.build_int_add(corner[1], right, "")?];
            for below in (0..factor.tile[0]).step_by((self.variant.threads() / across) as usize) {
                let first = [b.build_int_add(first[0], self.int(below), "")?, first[1]];
                let is_beside = b.build_int_compare(IntPredicate::ULT, first[which], factor.shape[which], "")?;
                let inner = b.build_int_truncate(first[1 - which], word, "")?;
                let inner = b.build_select(is_beside, inner, word.const_all_ones(), "")?.into_int_value();
                let begins = |part, row| {
                    let far = b.build_int_add(b.build_int_mul(first[0], row, "")?, first[1], "")?;
                    self.reached(part, far)
                };
                let row = factor.tail.map_or(factor.shape[1], |it| it.from);
                let from = b.build_alloca(factor.first.get_type(), "from")?;
                b.build_store(from, begins(factor.first, row)?)?;
                let tail = match factor.tail {
                    Some(it) => Some(begins(it.first, b.build_int_sub(factor.shape[1], it.from, "")?)?),
                    None => None,
                };
                pieces.push(Piece { which, first, place: (place, below * factor.pitch), from, tail, inner });
            }
        }
        Ok(pieces)
    }

    /// Begins to bring the pieces of a step. Steps come one after the other. Gives what was read into registers, and where it is to
    /// be put: later, so that nobody waits for it before.
    pub(super) fn bring(
        &self,
        factors: &[Factor<'ctx>; 2],
        pieces: &[Piece<'ctx>],
        step: IntValue<'ctx>,
    ) -> Result<Vec<(VectorValue<'ctx>, PointerValue<'ctx>)>> {
        let (b, mut read) = (self.b, Vec::new());
        let stages = [self.stage(&factors[0], step)?, self.stage(&factors[1], step)?];
        let left = self.left(factors[1].shape[0], step)?;
        for piece in pieces {
            let factor = &factors[piece.which];
            let place = b.build_int_add(piece.place.0, stages[piece.which], "")?;
            let to = self.element(factor.shared, b.build_int_add(place, self.int(piece.place.1), "")?)?;
            if !self.is_async() {
                let mut at = piece.first;
                at[1 - piece.which] = b.build_int_add(at[1 - piece.which], step, "")?;
                read.push((self.read(factor, at)?, to));
                continue;
            }
            let is_there = b.build_int_compare(IntPredicate::ULT, piece.inner, left, "")?;
            let mut from = b.build_load(factor.first.get_type(), piece.from, "")?.into_pointer_value();
            if let (Some(tail), Some(second)) = (piece.tail, factor.tail) {
                let begins = b.build_int_compare(IntPredicate::EQ, step, second.from, "")?;
                from = b.build_select(begins, tail, from, "")?.into_pointer_value();
            }
            self.copy(from, to, is_there)?;
            let width = self.int(self.variant.step());
            let far = if piece.which == 0 { width } else { b.build_int_mul(width, factor.shape[1], "")? };
            b.build_store(piece.from, self.reached(from, far)?)?;
        }
        if self.is_async() {
            self.call("llvm.nvvm.cp.async.commit.group", &[], &[])?;
        }
        Ok(read)
    }

    /// Puts what was read into shared memory.
    pub(super) fn put(&self, read: &[(VectorValue<'ctx>, PointerValue<'ctx>)]) -> Result<()> {
        for (elements, to) in read {
            self.b.build_store(*to, *elements)?.set_alignment(16).expect("it is a power of two");
        }
        Ok(())
    }

    /// How much of the inner dimension is left from a step on, as far as a word says: so that one instruction compares with it.
    fn left(&self, depth: IntValue<'ctx>, step: IntValue<'ctx>) -> Result<IntValue<'ctx>> {
        let b = self.b;
        let is_past = b.build_int_compare(IntPredicate::UGE, step, depth, "")?;
        let left = b.build_select(is_past, self.int(0), b.build_int_sub(depth, step, "")?, "")?.into_int_value();
        let most = self.int(u64::from(u32::MAX));
        let is_more = b.build_int_compare(IntPredicate::UGT, left, most, "")?;
        let left = b.build_select(is_more, most, left, "")?.into_int_value();
        b.build_int_truncate(left, self.llcx.i32_type(), "")
    }

    /// Whether copies go past the registers.
    const fn is_async(&self) -> bool {
        self.variant.copied != 2
    }

    /// Waits for what this thread has begun to copy, but for so many steps.
    pub(super) fn arrived(&self, steps: u64) -> Result<()> {
        if self.is_async() {
            let steps = self.llcx.i32_type().const_int(steps, false);
            self.call("llvm.nvvm.cp.async.wait.group", &[], &[steps.into()])?;
        }
        Ok(())
    }

    /// Copies some bytes past the registers, or as many zeros if they are not there.
    fn copy(&self, from: PointerValue<'ctx>, to: PointerValue<'ctx>, is_there: IntValue<'ctx>) -> Result<()> {
        let (word, copied) = (self.llcx.i32_type(), self.variant.copied);
        let bytes = self.b.build_select(is_there, word.const_int(copied, false), word.const_zero(), "")?;
        // Pieces of less than 16 bytes go through the first cache.
        let cache = if copied == 16 { "cg" } else { "ca" };
        let name = format!("llvm.nvvm.cp.async.{cache}.shared.global.{copied}.s");
        self.call(&name, &[], &[to.into(), from.into(), bytes.into()])?;
        Ok(())
    }

    /// Reads 16 bytes, element by element.
    fn read(&self, factor: &Factor<'ctx>, [row, column]: [IntValue<'ctx>; 2]) -> Result<VectorValue<'ctx>> {
        let (b, bits) = (self.b, self.bits());
        let mut all = bits.vec_type(self.variant.chunk() as u32).const_zero();
        for at in 0..self.variant.chunk() {
            let column = b.build_int_add(column, self.int(at), "")?;
            let (is_there, far) = self.found(factor, row, column)?;
            let found = b.build_load(bits, self.element(factor.first, far)?, "")?;
            let element = b.build_select(is_there, found.into_int_value(), bits.const_zero(), "")?;
            all = b.build_insert_element(all, element, self.llcx.i32_type().const_int(at, false), "")?;
        }
        Ok(all)
    }

    /// So many elements behind a place, which need not be there.
    fn reached(&self, first: PointerValue<'ctx>, far: IntValue<'ctx>) -> Result<PointerValue<'ctx>> {
        // SAFETY: this only writes an instruction; nothing is read where nothing is.
        unsafe { self.b.build_gep(self.bits(), first, &[far], "") }
    }
}
