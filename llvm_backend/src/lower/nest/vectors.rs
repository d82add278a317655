//! Elements in vectors, and loops over them.

use inkwell::types::{BasicTypeEnum, VectorType};
use inkwell::values::{BasicValue, BasicValueEnum, IntValue, PointerValue, VectorValue};
use inkwell::{FloatPredicate, IntPredicate};
use snekpy_stage::op::Cmp;
use snekpy_stage::tensor::Dtype;

use super::{Times, Writer};
use crate::fault::Result;
use crate::lower::compare::{float_predicate, int_predicate};
use crate::lower::memory;
use crate::lower::meta::Memory;

/// Vectors of more elements than this gain nothing.
const MOST_LANES: u32 = 16;

impl<'ctx> Writer<'_, '_, 'ctx> {
    /// A loop of so many turns, each by so many positions; one turn at least, as far as that is known.
    pub(super) fn counted<T>(
        &self,
        turns: Times<'ctx>,
        by: usize,
        turn: impl FnOnce(IntValue<'ctx>) -> Result<T>,
    ) -> Result<T> {
        let body = self.body;
        if let Times::Known(1) = turns {
            return turn(body.int(0));
        }
        let (before, head, next) = (body.here(), body.append("turn"), body.append("over"));
        let end = match turns {
            Times::Known(turns) => {
                body.b.build_unconditional_branch(head)?;
                body.int((turns * by) as i64)
            }
            Times::Later(turns) => {
                let end = body.b.build_int_nuw_mul(turns, body.int(by as i64), "")?;
                body.b.build_conditional_branch(body.is_zero(turns)?, next, head)?;
                end
            }
        };
        body.b.position_at_end(head);
        let at = body.b.build_phi(body.unit.types.i64, "at")?;
        let it = at.as_basic_value().into_int_value();
        let made = turn(it)?;
        let more = body.b.build_int_nuw_add(it, body.int(by as i64), "")?;
        let goes_on = body.b.build_int_compare(IntPredicate::ULT, more, end, "")?;
        at.add_incoming(&[(&body.int(0), before), (&more, body.here())]);
        body.b.build_conditional_branch(goes_on, head, next)?;
        body.b.position_at_end(next);
        Ok(made)
    }

    /// The same of values that each turn makes others of.
    pub(super) fn carried(
        &self,
        turns: Times<'ctx>,
        by: usize,
        begin: Vec<VectorValue<'ctx>>,
        turn: impl FnOnce(IntValue<'ctx>, Vec<VectorValue<'ctx>>) -> Result<Vec<VectorValue<'ctx>>>,
    ) -> Result<Vec<VectorValue<'ctx>>> {
        let body = self.body;
        match turns {
            Times::Known(0) => return Ok(begin),
            Times::Known(1) => return turn(body.int(0), begin),
            _ => {}
        }
        let before = body.here();
        let (phis, made, end) = self.counted(turns, by, |at| {
            let mut phis = Vec::new();
            for value in &begin {
                let phi = body.b.build_phi(value.get_type(), "")?;
                phi.add_incoming(&[(value, before)]);
                phis.push(phi);
            }
            let made = turn(at, phis.iter().map(|it| it.as_basic_value().into_vector_value()).collect())?;
            Ok((phis, made, body.here()))
        })?;
        for (phi, value) in phis.iter().zip(&made) {
            phi.add_incoming(&[(value, end)]);
        }
        let Times::Later(_) = turns else { return Ok(made) };
        let mut all = Vec::with_capacity(made.len());
        for (none, some) in begin.iter().zip(&made) {
            let phi = body.b.build_phi(none.get_type(), "")?;
            phi.add_incoming(&[(none, before), (some, end)]);
            all.push(phi.as_basic_value().into_vector_value());
        }
        Ok(all)
    }

    /// What is only done if a condition holds.
    pub(super) fn when(&self, cond: IntValue<'ctx>, then: impl FnOnce() -> Result<()>) -> Result<()> {
        let body = self.body;
        let (is, next) = (body.append("is"), body.append("next"));
        body.b.build_conditional_branch(cond, is, next)?;
        body.b.position_at_end(is);
        then()?;
        body.b.build_unconditional_branch(next)?;
        body.b.position_at_end(next);
        Ok(())
    }

    /// How often so many go into a length that is known only later, how far that is, and what is left.
    pub(super) fn divided(&self, len: IntValue<'ctx>, by: usize) -> Result<[IntValue<'ctx>; 3]> {
        let (b, by) = (&self.body.b, self.body.int(by as i64));
        let whole = b.build_int_unsigned_div(len, by, "")?;
        let done = b.build_int_mul(whole, by, "")?;
        Ok([whole, done, b.build_int_sub(len, done, "")?])
    }

    /// Whole vectors of so many elements, so many at once, and what is left in ever smaller ones: what is done with those
    /// that begin there, of so many vectors and lanes.
    pub(super) fn in_vectors(
        &self,
        len: IntValue<'ctx>,
        lanes: u32,
        abreast: u32,
        mut part: impl FnMut(IntValue<'ctx>, u32, u32) -> Result<()>,
    ) -> Result<()> {
        let (b, int) = (&self.body.b, |it: u32| self.body.int(i64::from(it)));
        let (mut done, mut left) = (int(0), len);
        if abreast > 1 {
            let together = (lanes * abreast) as usize;
            let turns;
            [turns, done, left] = self.divided(len, together)?;
            self.counted(Times::Later(turns), together, |at| part(at, abreast, lanes))?;
        }
        let [turns, ..] = self.divided(left, lanes as usize)?;
        self.counted(Times::Later(turns), lanes as usize, |at| part(b.build_int_add(done, at, "")?, 1, lanes))?;
        let mut size = lanes / 2;
        while size > 0 {
            let is = b.build_int_compare(IntPredicate::NE, b.build_and(len, int(size), "")?, int(0), "")?;
            let at = b.build_and(len, self.body.int(-i64::from(2 * size)), "")?;
            self.when(is, || part(at, 1, size))?;
            size /= 2;
        }
        Ok(())
    }

    /// How many elements of so many bytes a vector has.
    pub(super) fn lanes(&self, size: usize) -> u32 {
        (self.body.unit.vector / size as u32).clamp(1, MOST_LANES)
    }

    /// The first of these elements, of this size, one after another or by steps.
    pub(super) fn gathered(
        &self,
        dtype: Dtype,
        begin: PointerValue<'ctx>,
        step: isize,
        lanes: u32,
    ) -> Result<VectorValue<'ctx>> {
        let (one, size) = (self.stored(dtype), dtype.size());
        let many = vector_of(one, lanes);
        Ok(match step {
            1 => self.read(many.into(), begin, size)?.into_vector_value(),
            0 => self.splat(self.read(one, begin, size)?, lanes)?,
            _ => {
                let mut all = many.get_poison();
                for lane in 0..lanes {
                    let at = self.element(begin, size, self.far(lane as usize, step)?)?;
                    let index = self.body.unit.types.i32.const_int(u64::from(lane), false);
                    all = self.body.b.build_insert_element(all, self.read(one, at, size)?, index, "")?;
                }
                all
            }
        })
    }

    /// So many of the first of these elements as there are, up to all lanes, and others behind them.
    pub(super) fn some(
        &self,
        dtype: Dtype,
        begin: PointerValue<'ctx>,
        count: IntValue<'ctx>,
        others: VectorValue<'ctx>,
    ) -> Result<VectorValue<'ctx>> {
        let (body, lanes) = (self.body, others.get_type().get_size());
        let int = body.unit.types.i64;
        let numbers: Vec<_> = (0..lanes).map(|it| int.const_int(u64::from(it), false)).collect();
        let all = self.splat(count.into(), lanes)?;
        let mask = body.b.build_int_compare(IntPredicate::ULT, VectorType::const_vector(&numbers), all, "")?;
        let load = body.unit.overloaded("llvm.masked.load", &[others.get_type().into(), begin.get_type().into()]);
        let called = body.b.build_direct_call(load, &[begin.into(), mask.into(), others.into()], "")?;
        debug_assert_ne!(dtype, Dtype::Bool, "it is stored as it is in a register");
        Ok(called.try_as_basic_value().expect_basic("it gives a vector").into_vector_value())
    }

    /// Lanes of two vectors as one: numbers from the first one's length on are the second's.
    pub(super) fn shuffled(
        &self,
        x: VectorValue<'ctx>,
        y: VectorValue<'ctx>,
        lanes: impl Iterator<Item = u32>,
    ) -> Result<VectorValue<'ctx>> {
        let index = self.body.unit.types.i32;
        let mask: Vec<IntValue<'ctx>> = lanes.map(|it| index.const_int(u64::from(it), false)).collect();
        Ok(self.body.b.build_shuffle_vector(x, y, VectorType::const_vector(&mask), "")?)
    }

    /// An element of a vector.
    pub(super) fn lane(&self, of: VectorValue<'ctx>, lane: u32) -> Result<BasicValueEnum<'ctx>> {
        let index = self.body.unit.types.i32.const_int(u64::from(lane), false);
        Ok(self.body.b.build_extract_element(of, index, "")?)
    }

    pub(super) fn read(
        &self,
        ty: BasicTypeEnum<'ctx>,
        at: PointerValue<'ctx>,
        size: usize,
    ) -> Result<BasicValueEnum<'ctx>> {
        let loaded = memory::load_as(self.body, ty, at, Memory::Bytes)?;
        if let Some(load) = loaded.as_instruction_value() {
            load.set_alignment(size as u32)?;
        }
        Ok(loaded)
    }

    /// Stores elements, so many apart.
    pub(super) fn put(&self, dtype: Dtype, all: VectorValue<'ctx>, to: PointerValue<'ctx>, step: isize) -> Result<()> {
        let (body, size) = (self.body, dtype.size());
        if step == 1 {
            return Ok(memory::store_as(body, all.into(), to, Memory::Bytes)?.set_alignment(size as u32)?);
        }
        for lane in 0..all.get_type().get_size() {
            let one = self.lane(all, lane)?;
            let to = self.element(to, size, self.far(lane as usize, step)?)?;
            memory::store_as(body, one, to, Memory::Bytes)?.set_alignment(size as u32)?;
        }
        Ok(())
    }

    /// How an element is stored.
    pub(super) fn stored(&self, dtype: Dtype) -> BasicTypeEnum<'ctx> {
        match dtype {
            Dtype::Bool => self.body.unit.types.i8.into(),
            _ => self.register(dtype),
        }
    }

    /// What an element is in a register.
    fn register(&self, dtype: Dtype) -> BasicTypeEnum<'ctx> {
        let types = &self.body.unit.types;
        match dtype {
            Dtype::Bool => types.i1.into(),
            Dtype::I32 => types.i32.into(),
            Dtype::I64 => types.i64.into(),
            Dtype::F32 => types.f32.into(),
            Dtype::F64 => types.f64.into(),
            Dtype::F16 | Dtype::Bf16 => self.body.unit.llcx.f16_type().into(),
        }
    }

    pub(super) fn vector(&self, dtype: Dtype, lanes: u32) -> VectorType<'ctx> {
        vector_of(self.register(dtype), lanes)
    }

    pub(super) fn splat(&self, one: BasicValueEnum<'ctx>, lanes: u32) -> Result<VectorValue<'ctx>> {
        let b = &self.body.b;
        let index = self.body.unit.types.i32;
        let poison = vector_of(one.get_type(), lanes).get_poison();
        let first = b.build_insert_element(poison, one, index.const_zero(), "")?;
        Ok(b.build_shuffle_vector(first, poison, index.vec_type(lanes).const_zero(), "")?)
    }

    /// An element that is known, as it lies in memory.
    pub(super) fn known(&self, dtype: Dtype, bits: u64, lanes: u32) -> VectorValue<'ctx> {
        let types = &self.body.unit.types;
        let one: BasicValueEnum<'ctx> = match dtype {
            Dtype::Bool => types.i1.const_int(u64::from(bits & 0xff != 0), false).into(),
            Dtype::I32 => types.i32.const_int(bits & 0xffff_ffff, false).into(),
            Dtype::F32 => types.f32.const_float(f64::from(f32::from_bits(bits as u32))).into(),
            Dtype::F64 => types.f64.const_float(f64::from_bits(bits)).into(),
            Dtype::I64 | Dtype::F16 | Dtype::Bf16 => types.i64.const_int(bits, false).into(),
        };
        VectorType::const_vector(&vec![one; lanes as usize])
    }

    /// The first of two numbers where it compares so with the second or is a NaN, which is both the least and the greatest;
    /// otherwise the second.
    pub(super) fn chosen(
        &self,
        op: Cmp,
        is_float: bool,
        x: VectorValue<'ctx>,
        y: VectorValue<'ctx>,
    ) -> Result<VectorValue<'ctx>> {
        let b = &self.body.b;
        let is_first = if is_float {
            let is_nan = b.build_float_compare(FloatPredicate::UNO, x, x, "")?;
            b.build_or(b.build_float_compare(float_predicate(op), x, y, "")?, is_nan, "")?
        } else {
            b.build_int_compare(int_predicate(op), x, y, "")?
        };
        Ok(b.build_select(is_first, x, y, "")?.into_vector_value())
    }

    pub(super) fn intrinsic(&self, name: &'static str, x: VectorValue<'ctx>) -> Result<VectorValue<'ctx>> {
        Ok(self.body.intrinsic(name, x.get_type(), &[x.into()])?.into_vector_value())
    }
}

pub(super) fn vector_of(one: BasicTypeEnum<'_>, lanes: u32) -> VectorType<'_> {
    match one {
        BasicTypeEnum::FloatType(it) => it.vec_type(lanes),
        other => other.into_int_type().vec_type(lanes),
    }
}
