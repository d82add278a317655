//! Rows that are reduced, each to an element: sixteen accumulators, of which the upper half is joined to the lower until one
//! is left.

use inkwell::FloatPredicate;
use inkwell::values::{IntValue, VectorValue};
use snekpy_stage::op::Cmp;
use snekpy_stage::tensor::Dtype;
use snekpy_stage::tensor::nest::Memory;
use snekpy_stage::tensor::reduce::{self, Fold, LANES};

use super::{Times, Writer};
use crate::fault::Result;

/// Elements of a row that are written out.
const WRITTEN: usize = 4 * LANES;

/// Writes a loop over rows of one block at most.
pub(super) fn write<'ctx>(
    writer: &Writer<'_, '_, 'ctx>,
    fold: Fold,
    dtype: Dtype,
    [rows, len]: [usize; 2],
    [from, to]: [Memory; 2],
) -> Result<()> {
    let (from, to, size) = (writer.memory(from)?, writer.memory(to)?, dtype.size());
    let body = writer.body;
    writer.counted(writer.numbers.times(rows), 1, |row| {
        let first = body.b.build_int_mul(row, writer.number(len as isize), "")?;
        let row_at = writer.element(from, size, first)?;
        let neutral = writer.known(dtype, reduce::neutral(fold, dtype), LANES as u32);
        let join_whole = |at: IntValue<'ctx>, all: VectorValue<'ctx>| {
            let more = writer.gathered(dtype, writer.element(row_at, size, at)?, 1, LANES as u32)?;
            join(writer, fold, dtype, all, more)
        };
        let mut all = match writer.numbers.times(len) {
            Times::Known(len) => {
                let mut all = neutral;
                let (whole, rest) = (len / LANES, len % LANES);
                if len <= WRITTEN {
                    for at in 0..whole {
                        all = join_whole(body.int((at * LANES) as i64), all)?;
                    }
                } else {
                    let turn = |at, so_far: Vec<_>| Ok(vec![join_whole(at, so_far[0])?]);
                    all = writer.carried(Times::Known(whole), LANES, vec![all], turn)?[0];
                }
                if rest > 0 {
                    let at = writer.element(row_at, size, body.int((whole * LANES) as i64))?;
                    let more = writer.gathered(dtype, at, 1, rest as u32)?;
                    // What changes nothing, where there is nothing.
                    let is = |lane: u32| (lane as usize) < rest;
                    let wide = (0..LANES as u32).map(|lane| if is(lane) { lane } else { 0 });
                    let more = writer.shuffled(more, more, wide)?;
                    let lanes = (0..LANES as u32).map(|lane| if is(lane) { lane } else { LANES as u32 + lane });
                    let more = writer.shuffled(more, neutral, lanes)?;
                    all = join(writer, fold, dtype, all, more)?;
                }
                all
            }
            Times::Later(len) => {
                let [whole, done, rest] = writer.divided(len, LANES)?;
                let turn = |at, so_far: Vec<_>| Ok(vec![join_whole(at, so_far[0])?]);
                let all = writer.carried(Times::Later(whole), LANES, vec![neutral], turn)?[0];
                let more = writer.some(dtype, writer.element(row_at, size, done)?, rest, neutral)?;
                join(writer, fold, dtype, all, more)?
            }
        };
        let mut half = LANES as u32 / 2;
        while half > 0 {
            let lower = writer.shuffled(all, all, 0..half)?;
            let upper = writer.shuffled(all, all, half..2 * half)?;
            all = join(writer, fold, dtype, lower, upper)?;
            half /= 2;
        }
        all = settled(writer, dtype, all)?;
        writer.put(dtype, all, writer.element(to, size, row)?, 1)
    })
}

/// What is stored: a NaN is the positive quiet one.
pub(super) fn settled<'ctx>(
    writer: &Writer<'_, '_, 'ctx>,
    dtype: Dtype,
    all: VectorValue<'ctx>,
) -> Result<VectorValue<'ctx>> {
    if !dtype.is_float() {
        return Ok(all);
    }
    let b = &writer.body.b;
    let is_nan = b.build_float_compare(FloatPredicate::UNO, all, all, "")?;
    let nan = if dtype == Dtype::F32 { u64::from(f32::NAN.to_bits()) } else { f64::NAN.to_bits() };
    let nan = writer.known(dtype, nan, all.get_type().get_size());
    Ok(b.build_select(is_nan, nan, all, "")?.into_vector_value())
}

/// Two partial results as one.
pub(super) fn join<'ctx>(
    writer: &Writer<'_, '_, 'ctx>,
    fold: Fold,
    dtype: Dtype,
    x: VectorValue<'ctx>,
    y: VectorValue<'ctx>,
) -> Result<VectorValue<'ctx>> {
    let b = &writer.body.b;
    let is_float = dtype.is_float();
    Ok(match fold {
        Fold::Sum if is_float => b.build_float_add(x, y, "")?,
        Fold::Prod if is_float => b.build_float_mul(x, y, "")?,
        Fold::Sum => b.build_int_add(x, y, "")?,
        Fold::Prod => b.build_int_mul(x, y, "")?,
        // Of two that are equal the one that came first.
        Fold::Min => writer.chosen(Cmp::Lt, is_float, y, x)?,
        Fold::Max => writer.chosen(Cmp::Gt, is_float, y, x)?,
    })
}
