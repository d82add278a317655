//! What the host is asked of tensors of this machine's memory, without a call: the only element, and where elements lie.

use inkwell::IntPredicate;
use inkwell::values::{IntValue, PointerValue};
use snekpy_stage::backend::{Context, TensorPlace};
use snekpy_stage::entity::{HostId, Loc};
use snekpy_stage::ir::HostData;
use snekpy_stage::sizes;
use snekpy_stage::tensor::{Dtype, TensorOp, nest};
use snekpy_stage::types::{TensorType, Type};

use super::body::Body;
use super::value::{ArrayVal, Val};
use super::{call, memory};
use crate::fault::Result;

/// What is known of the tensor of a handle, in the table of the context.
pub(super) fn place<'ctx>(
    body: &Body<'_, 'ctx>,
    table: PointerValue<'ctx>,
    handle: IntValue<'ctx>,
) -> Result<PointerValue<'ctx>> {
    let bytes = body.int(size_of::<TensorPlace>() as i64);
    memory::at(body, body.unit.types.i8, table, body.b.build_int_mul(handle, bytes, "")?)
}

/// The tensor that a function of the host is asked of, if the table of the context knows it.
fn asked_of(body: &Body<'_, '_>, host: &HostData) -> Option<TensorType> {
    let &[Type::Tensor(ty)] = &host.params[..] else { return None };
    let is_known = ty.shape.dims().iter().all(|it| !sizes::is_later(*it));
    let fits = match host.tensor.as_ref()? {
        TensorOp::Item => ty.count() == 1,
        TensorOp::Memory(dtype) => *dtype == ty.dtype && host.results.len() == ty.shape.dims().len() + 2,
        _ => false,
    };
    (fits && is_known && nest::is_plain(ty.dtype) && body.unit.has_table && !ty.home.is_there()).then_some(ty)
}

/// Asks the table of the context, or the host.
pub(crate) fn asked<'ctx>(
    body: &Body<'_, 'ctx>,
    callee: HostId,
    args: &[Val<'ctx>],
    loc: Option<Loc>,
) -> Result<Vec<Val<'ctx>>> {
    let host = &body.unit.ir.hosts[callee];
    let Some(ty) = asked_of(body, host) else { return call::host(body, callee, args, None, loc) };
    let (look, here, other, next) =
        (body.append("look"), body.append("here"), body.append("told"), body.append("asked"));
    let handle = args[0].as_int();
    let counted = memory::load_int_field(body, std::mem::offset_of!(Context, counted))?;
    let has_place = body.b.build_int_compare(IntPredicate::ULT, handle, counted, "")?;
    body.b.build_conditional_branch(has_place, look, other)?;

    body.b.position_at_end(look);
    let table = memory::load_field(body, std::mem::offset_of!(Context, tensors))?;
    let data = body.b.build_load(body.unit.types.ptr, place(body, table, handle)?, "data")?.into_pointer_value();
    body.b.build_conditional_branch(body.b.build_is_not_null(data, "")?, here, other)?;

    body.b.position_at_end(here);
    let known = match host.results[0] {
        Type::Array(array) => {
            let len = body.int(ty.count() as i64);
            let all = Val::Array(ArrayVal { elem: array.elem, is_shared: true, ptr: data, len });
            let mut step = ty.count() as i64;
            let steps = ty.shape.dims().iter().map(|size| {
                step /= (*size).max(1) as i64;
                Val::Int(body.int(step))
            });
            [all, Val::Int(body.int(0))].into_iter().chain(steps).collect()
        }
        _ => vec![read(body, ty.dtype, data)?],
    };
    if host.takes & 1 != 0 {
        call::count(body, handle, false)?;
    }
    let here = body.here();
    body.b.build_unconditional_branch(next)?;

    body.b.position_at_end(other);
    let told = call::host(body, callee, args, None, loc)?;
    let other = body.here();
    body.b.build_unconditional_branch(next)?;

    body.b.position_at_end(next);
    body.joined(&host.results, (known, here), (told, other))
}

/// The first element, as a number.
fn read<'ctx>(body: &Body<'_, 'ctx>, dtype: Dtype, at: PointerValue<'ctx>) -> Result<Val<'ctx>> {
    let (b, types) = (&body.b, &body.unit.types);
    Ok(match dtype {
        Dtype::F64 => Val::Float(b.build_load(types.f64, at, "")?.into_float_value()),
        Dtype::F32 => {
            let single = b.build_load(types.f32, at, "")?.into_float_value();
            Val::Float(b.build_float_ext(single, types.f64, "")?)
        }
        Dtype::Bool => {
            let byte = b.build_load(types.i8, at, "")?.into_int_value();
            Val::Bool(b.build_int_compare(IntPredicate::NE, byte, types.i8.const_zero(), "")?)
        }
        Dtype::I32 => {
            Val::Int(b.build_int_s_extend(b.build_load(types.i32, at, "")?.into_int_value(), types.i64, "")?)
        }
        _ => Val::Int(b.build_load(types.i64, at, "")?.into_int_value()),
    })
}
