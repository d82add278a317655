//! Whether positions that are elements are inside.

use inkwell::IntPredicate;
use inkwell::types::VectorType;
use inkwell::values::{IntValue, PointerValue, VectorValue};
use snekpy_stage::tensor::Dtype;
use snekpy_stage::tensor::nest::Inside;

use super::{Times, Writer};
use crate::fault::Result;

/// Looks at all of them: nearly always they are.
pub(super) fn all<'ctx>(writer: &Writer<'_, '_, 'ctx>, it: &Inside) -> Result<IntValue<'ctx>> {
    let body = writer.body;
    let lanes = writer.lanes(Dtype::I64.size());
    let so_far = VectorType::const_vector(&vec![body.unit.types.i1.const_all_ones(); lanes as usize]);
    let all = axis(writer, it, 0, writer.first(&it.positions)?, so_far)?;
    let reduce = body.unit.intrinsic("llvm.vector.reduce.and", all.get_type().into());
    let called = body.b.build_direct_call(reduce, &[all.into()], "")?;
    Ok(called.try_as_basic_value().expect_basic("it gives a bit").into_int_value())
}

/// Goes along the next axis, from where those before stand.
fn axis<'ctx>(
    writer: &Writer<'_, '_, 'ctx>,
    it: &Inside,
    axis: usize,
    begin: PointerValue<'ctx>,
    so_far: VectorValue<'ctx>,
) -> Result<VectorValue<'ctx>> {
    let lanes = so_far.get_type().get_size();
    let step = it.positions.steps.get(axis).copied().unwrap_or(0);
    let moved = |at: IntValue<'ctx>| {
        let far = writer.body.b.build_int_mul(at, writer.number(step), "")?;
        writer.element(begin, Dtype::I64.size(), far)
    };
    let times = writer.numbers.times(it.dims.get(axis).copied().unwrap_or(1));
    match times {
        _ if axis + 1 < it.dims.len() => {
            let turn = |at, so_far: Vec<_>| Ok(vec![self::axis(writer, it, axis + 1, moved(at)?, so_far[0])?]);
            Ok(writer.carried(times, 1, vec![so_far], turn)?[0])
        }
        Times::Known(len) => {
            let whole = len / lanes as usize;
            let turn = |at, so_far: Vec<_>| Ok(vec![some(writer, it, moved(at)?, step, lanes, so_far[0])?]);
            let mut so_far = writer.carried(Times::Known(whole), lanes as usize, vec![so_far], turn)?[0];
            for at in whole * lanes as usize..len {
                so_far = some(writer, it, moved(writer.body.int(at as i64))?, step, 1, so_far)?;
            }
            Ok(so_far)
        }
        Times::Later(_) => {
            let turn = |at, so_far: Vec<_>| Ok(vec![some(writer, it, moved(at)?, step, 1, so_far[0])?]);
            Ok(writer.carried(times, 1, vec![so_far], turn)?[0])
        }
    }
}

/// Looks at some of a row: one, or as many as there are lanes.
fn some<'ctx>(
    writer: &Writer<'_, '_, 'ctx>,
    it: &Inside,
    begin: PointerValue<'ctx>,
    step: isize,
    count: u32,
    so_far: VectorValue<'ctx>,
) -> Result<VectorValue<'ctx>> {
    let b = &writer.body.b;
    let positions = writer.gathered(Dtype::I64, begin, if count == 1 { 1 } else { step }, count)?;
    let size = writer.number(it.size as isize);
    let least = b.build_int_add(positions, writer.splat(size.into(), count)?, "")?;
    let most = writer.splat(b.build_int_mul(size, writer.body.int(2), "")?.into(), count)?;
    let is_inside = b.build_int_compare(IntPredicate::ULT, least, most, "")?;
    let all =
        if count == 1 { writer.splat(writer.lane(is_inside, 0)?, so_far.get_type().get_size())? } else { is_inside };
    Ok(b.build_and(so_far, all, "")?)
}
