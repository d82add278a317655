//! Groups of operations on tensors as functions of their own, which compiled code calls instead of the host.
//!
//! Such a function finds its operands in the tables of the context ([`TensorPlace`]), looks for memory that nobody needs any
//! more, which what it gave before lies in or an operand that goes with it, and runs its loops ([`each`]). Nothing is
//! allocated for that. Of an operand that does not lie dense it asks for a copy that does. Where there is no such memory, or none
//! of this machine, it lets the host carry out the group.

mod each;
mod fold;
mod inside;
mod product;
mod rows;
mod vectors;

use std::collections::BTreeMap;

use inkwell::IntPredicate;
use inkwell::basic_block::BasicBlock;
use inkwell::values::{BasicMetadataValueEnum, BasicValueEnum, FunctionValue, IntValue, PointerValue};
use snekpy_stage::backend::{Context, KEPT, NO_OBJECT, NONE, TensorPlace};
use snekpy_stage::entity::{Entity, HostId, Loc};
use snekpy_stage::sizes;
use snekpy_stage::tensor::nest::{Access, MOST_ROOM, Memory, Nest, Stage};
use snekpy_stage::types::Type;

use super::body::{Body, Kind};
use super::unit::FAST_CC;
use super::value::Val;
use super::{call, element, leave, memory};
use crate::fault::{Fault, Result};

/// Carries out a group: by its function, or by the host.
pub(crate) fn carry_out<'ctx>(
    body: &Body<'_, 'ctx>,
    callee: HostId,
    args: &[Val<'ctx>],
    loc: Option<Loc>,
) -> Result<Vec<Val<'ctx>>> {
    let host = &body.unit.ir.hosts[callee];
    let nest = host.tensor.as_ref().and_then(Nest::of);
    let nest = nest.ok_or_else(|| Fault(format!("`{}` is no nest", host.name)))?;
    let length = nest.of_any_length().map(|(nest, length)| (nest, vec![length]));
    let (nest, more) = length.or_else(|| nest.of_any_beginning()).unwrap_or_else(|| (nest, Vec::new()));
    let form = Form {
        nest,
        numbers: host.params.iter().map(|&ty| Some(ty).filter(|it| !matches!(it, Type::Tensor(_)))).collect(),
        takes: host.takes,
        more: more.len(),
    };
    let function = body.unit.nest(form, |form, function| write(body, form, function))?;
    let place = body.int(callee.index() as i64);
    let mut given: Vec<BasicMetadataValueEnum> = vec![body.cx.into(), place.into()];
    given.extend(args.iter().flat_map(|arg| arg.parts()).map(BasicMetadataValueEnum::from));
    given.extend(more.iter().map(|it| BasicMetadataValueEnum::from(body.int(*it as i64))));
    call::show_depth(body)?;
    let called = body.b.build_direct_call(function, &given, "nested")?;
    called.set_call_convention(FAST_CC);
    let handle = called.try_as_basic_value().expect_basic("it returns a handle").into_int_value();
    let given = call::given(body, handle, loc)?;
    Ok(if host.results.is_empty() { Vec::new() } else { given })
}

/// What a function does: groups of one form share it.
#[derive(Clone, PartialEq)]
pub(crate) struct Form {
    nest: Nest,
    /// What the operands are that are no tensors.
    numbers: Vec<Option<Type>>,
    /// Whose handles it is given.
    takes: u32,
    /// How many numbers come behind the operands that differ between nests that share this.
    more: usize,
}

impl Form {
    /// The types of what it is given behind the context and the place.
    pub(crate) fn params(&self) -> impl Iterator<Item = Type> {
        let operands = self.numbers.iter().map(|number| number.unwrap_or(Type::I64));
        operands.chain(std::iter::repeat_n(Type::I64, self.more))
    }
}

/// A function that is being written.
struct Writer<'b, 'a, 'ctx> {
    body: &'b Body<'a, 'ctx>,
    /// The operands: handles and numbers.
    args: Vec<BasicValueEnum<'ctx>>,
    /// The first elements of those that are tensors.
    data: Vec<Option<PointerValue<'ctx>>>,
    rooms: Vec<PointerValue<'ctx>>,
    tables: Vec<PointerValue<'ctx>>,
    /// The first element of the result.
    result: PointerValue<'ctx>,
    /// What is known only later, as it is in this call.
    numbers: Numbers<'ctx>,
}

/// How often something is done.
#[derive(Clone, Copy)]
enum Times<'ctx> {
    /// So often.
    Known(usize),
    /// That is known only later.
    Later(IntValue<'ctx>),
}

/// The sizes and steps of a nest that are known only later.
struct Numbers<'ctx>(BTreeMap<isize, IntValue<'ctx>>);

impl<'ctx> Numbers<'ctx> {
    /// Computes all of them of the sizes of the call, or has those that it is given.
    fn of(body: &Body<'_, 'ctx>, nest: &Nest, given: &[BasicValueEnum<'ctx>]) -> Result<Self> {
        let given = given.iter().enumerate().map(|(at, it)| (sizes::later(at) as isize, it.into_int_value()));
        let mut all: BTreeMap<isize, IntValue<'ctx>> = given.collect();
        if !all.is_empty() {
            return Ok(Self(all));
        }
        let mut now = BTreeMap::new();
        let is_later = |it: &isize| nest.is_sized && sizes::is_later(it.unsigned_abs());
        for number in nest.numbers().into_iter().filter(is_later) {
            let unclear = || Fault(format!("{number} is no size"));
            let parts = sizes::parts(number).ok_or_else(unclear)?;
            let mut value = body.int(parts.factor);
            for of in parts.sizes {
                let size = match now.get(&of) {
                    Some(size) => *size,
                    None => {
                        let offset = std::mem::offset_of!(Context, sizes) + of * size_of::<u64>();
                        *now.entry(of).or_insert(memory::load_int_field(body, offset)?)
                    }
                };
                value = body.b.build_int_mul(value, size, "")?;
            }
            all.insert(number, body.b.build_int_add(value, body.int(parts.more), "")?);
        }
        Ok(Self(all))
    }

    fn get(&self, body: &Body<'_, 'ctx>, number: isize) -> IntValue<'ctx> {
        self.0.get(&number).copied().unwrap_or_else(|| body.int(number as i64))
    }

    fn times(&self, size: usize) -> Times<'ctx> {
        self.0.get(&(size as isize)).map_or(Times::Known(size), |it| Times::Later(*it))
    }
}

fn write<'ctx>(caller: &Body<'_, 'ctx>, form: &Form, function: FunctionValue<'ctx>) -> Result<()> {
    let Form { nest, takes, .. } = form;
    let body = &Body::begin(caller.unit, caller.func, function, Kind::Inner)?;
    let types = &body.unit.types;
    let mut args: Vec<BasicValueEnum<'ctx>> = function.get_param_iter().skip(2).collect();
    let more = args.split_off(args.len() - form.more);
    let numbers = Numbers::of(body, nest, &more)?;
    let room = |bytes: usize| -> Result<PointerValue<'ctx>> {
        let room = body.b.build_array_alloca(types.i8, body.int(bytes as i64), "room")?;
        if let Some(reserved) = room.as_instruction() {
            reserved.set_alignment(64)?;
        }
        Ok(room)
    };
    let is_later = |it: &usize| matches!(numbers.times(*it), Times::Later(_));
    let of_all = if nest.rooms.iter().any(is_later) { Some(room(MOST_ROOM)?) } else { None };
    let mut rooms = Vec::new();
    let mut end = body.int(0);
    for &bytes in &nest.rooms {
        rooms.push(match of_all {
            None => room(bytes)?,
            Some(all) => {
                let begin = memory::at(body, types.i8, all, end)?;
                let bytes = numbers.get(body, bytes as isize);
                let whole = body.b.build_and(body.b.build_int_add(bytes, body.int(63), "")?, body.int(!63), "")?;
                end = body.b.build_int_add(end, whole, "")?;
                begin
            }
        });
    }
    let other = body.append("other");
    let tensors: Vec<(usize, IntValue<'ctx>)> = form
        .numbers
        .iter()
        .enumerate()
        .filter(|(_, number)| number.is_none())
        .map(|(at, _)| (at, args[at].into_int_value()))
        .collect();

    for &(size, most) in &nest.limits {
        let less = body.b.build_int_sub(numbers.get(body, size as isize), body.int(1), "")?;
        goes_on_if(body, body.b.build_int_compare(IntPredicate::ULT, less, body.int(most as i64), "")?, other)?;
    }
    if of_all.is_some() {
        let fits = body.b.build_int_compare(IntPredicate::ULE, end, body.int(MOST_ROOM as i64), "")?;
        goes_on_if(body, fits, other)?;
    }
    let counted = memory::load_int_field(body, std::mem::offset_of!(Context, counted))?;
    for &(_, handle) in &tensors {
        goes_on_if(body, body.b.build_int_compare(IntPredicate::ULT, handle, counted, "")?, other)?;
    }
    let table = memory::load_field(body, std::mem::offset_of!(Context, tensors))?;
    let mut data = vec![None; args.len()];
    for &(at, handle) in &tensors {
        let mut found =
            body.b.build_load(types.ptr, element::place(body, table, handle)?, "data")?.into_pointer_value();
        if nest.writes.iter().all(|(it, _)| *it != at) {
            let (here, lies, next) = (body.here(), body.append("lies"), body.append("next"));
            body.b.build_conditional_branch(body.b.build_is_not_null(found, "")?, next, lies)?;
            body.b.position_at_end(lies);
            let copy = call::dense(body, handle)?;
            body.b.build_unconditional_branch(next)?;
            body.b.position_at_end(next);
            let phi = body.b.build_phi(types.ptr, "data")?;
            phi.add_incoming(&[(&found, here), (&copy, lies)]);
            found = phi.as_basic_value().into_pointer_value();
        }
        goes_on_if(body, body.b.build_is_not_null(found, "")?, other)?;
        data[at] = Some(found);
    }
    for access in nest.accesses() {
        for it in &access.moves {
            let positions = numbers.get(body, it.positions as isize);
            let (_, is_inside) = position(body, args[it.number].into_int_value(), positions, it.from_end)?;
            goes_on_if(body, is_inside, other)?;
        }
    }

    let tables = nest.tables.iter().map(|it| body.unit.elements(it)).collect();
    let unknown = types.ptr.get_poison();
    let mut writer = Writer { body, args, data, rooms, tables, result: unknown, numbers };
    for it in &nest.inside {
        goes_on_if(body, inside::all(&writer, it)?, other)?;
    }

    let given = if nest.writes.is_empty() {
        let handle = memory_for_result(body, table, takes & nest.over, &tensors, other)?;
        writer.result = body.b.build_load(types.ptr, element::place(body, table, handle)?, "to")?.into_pointer_value();
        handle
    } else {
        are_apart(&writer, nest, other)?;
        body.int(NONE.cast_signed())
    };
    for stage in &nest.stages {
        let of = stage.copies().filter(|it| *it < 32 && nest.over & 1 << it != 0);
        match of.and_then(|it| writer.data[it]) {
            Some(from) => {
                let is_it = body.b.build_int_compare(IntPredicate::NE, from, writer.result, "")?;
                writer.when(is_it, || writer.stage(stage))?;
            }
            None => writer.stage(stage)?,
        }
    }
    for &(at, handle) in taken(&tensors, *takes) {
        let (gone, next) = (body.append("gone"), body.append("next"));
        if nest.over & 1 << at != 0 {
            let is_it = body.b.build_int_compare(IntPredicate::EQ, handle, given, "")?;
            body.b.build_conditional_branch(is_it, next, gone)?;
        } else {
            body.b.build_unconditional_branch(gone)?;
        }
        body.b.position_at_end(gone);
        call::count(body, handle, false)?;
        body.b.build_unconditional_branch(next)?;
        body.b.position_at_end(next);
    }
    body.b.build_return(Some(&given))?;

    // The host carries it out.
    body.b.position_at_end(other);
    let told = call::ask(body, body.depth, writer.args.iter().copied())?;
    body.b.build_return(Some(&told))?;
    leave::finish(body)
}

/// The operands that are tensors and whose bits are set.
fn taken<'t, 'ctx>(
    tensors: &'t [(usize, IntValue<'ctx>)],
    bits: u32,
) -> impl Iterator<Item = &'t (usize, IntValue<'ctx>)> {
    tensors.iter().filter(move |(at, _)| *at < 32 && bits & 1 << *at != 0)
}

/// A handle of memory for the result: an operand, of which `over` says bit by bit which may be it, one of the two that were
/// given last, or a new one.
fn memory_for_result<'ctx>(
    body: &Body<'_, 'ctx>,
    table: PointerValue<'ctx>,
    over: u32,
    tensors: &[(usize, IntValue<'ctx>)],
    other: BasicBlock<'ctx>,
) -> Result<IntValue<'ctx>> {
    let types = &body.unit.types;
    let owners = memory::load_field(body, std::mem::offset_of!(Context, owners))?;
    let owners_of = |handle: IntValue<'ctx>| memory::at(body, types.i32, owners, handle);
    let alone = |handle: IntValue<'ctx>| -> Result<IntValue<'ctx>> {
        let offset = body.int(std::mem::offset_of!(TensorPlace, alone) as i64);
        let place = memory::at(body, types.i8, element::place(body, table, handle)?, offset)?;
        let alone = body.b.build_load(types.i64, place, "alone")?.into_int_value();
        Ok(body.b.build_int_compare(IntPredicate::NE, alone, body.int(0), "")?)
    };
    let kept = types.i32.const_int(u64::from(KEPT), false);
    let begins = body.append("begins");
    let mut chosen: Vec<(IntValue<'ctx>, BasicBlock<'ctx>)> = Vec::new();
    for &(_, handle) in taken(tensors, over) {
        let before = body.b.build_load(types.i32, owners_of(handle)?, "owners")?.into_int_value();
        let before = body.b.build_and(before, body.b.build_not(kept, "")?, "")?;
        let is_last = body.b.build_int_compare(IntPredicate::EQ, before, types.i32.const_int(1, false), "")?;
        let is_free = body.b.build_and(is_last, alone(handle)?, "")?;
        let next = body.append("next");
        chosen.push((handle, body.here()));
        body.b.build_conditional_branch(is_free, begins, next)?;
        body.b.position_at_end(next);
    }
    let nests = memory::load_field(body, std::mem::offset_of!(Context, nests))?;
    let own = memory::at(body, types.i64, nests, body.depth)?;
    for slot in 0..2 {
        let place = memory::at(body, types.i32, own, body.int(slot))?;
        let handle = body.b.build_load(types.i32, place, "kept")?.into_int_value();
        let handle = body.b.build_int_z_extend(handle, types.i64, "")?;
        let before = body.b.build_load(types.i32, owners_of(handle)?, "owners")?.into_int_value();
        let is_free = body.b.build_int_compare(IntPredicate::EQ, before, kept, "")?;
        let is_free = body.b.build_and(is_free, alone(handle)?, "")?;
        let (take, next) = (body.append("take"), body.append("next"));
        body.b.build_conditional_branch(is_free, take, next)?;
        body.b.position_at_end(take);
        body.b.build_store(owners_of(handle)?, types.i32.const_int(u64::from(KEPT | 1), false))?;
        body.b.build_unconditional_branch(begins)?;
        chosen.push((handle, take));
        body.b.position_at_end(next);
    }
    let blank = call::blank(body, body.depth)?;
    let is_none = body.b.build_int_compare(IntPredicate::EQ, blank, body.int(NO_OBJECT.cast_signed()), "")?;
    chosen.push((blank, body.here()));
    body.b.build_conditional_branch(is_none, other, begins)?;

    body.b.position_at_end(begins);
    let phi = body.b.build_phi(types.i64, "result")?;
    for (handle, from) in &chosen {
        phi.add_incoming(&[(handle, *from)]);
    }
    Ok(phi.as_basic_value().into_int_value())
}

/// Goes on if what is written shares no memory with what is read meanwhile.
fn are_apart<'ctx>(writer: &Writer<'_, '_, 'ctx>, nest: &Nest, other: BasicBlock<'ctx>) -> Result<()> {
    let body = writer.body;
    let span = |&(operand, bytes): &(usize, usize)| {
        let begin = writer.memory(Memory::Operand(operand))?;
        Ok((begin, memory::at(body, body.unit.types.i8, begin, writer.number(bytes as isize))?))
    };
    let spans: Vec<_> = nest.writes.iter().map(span).collect::<Result<_>>()?;
    let Some(((to, to_end), read)) = spans.split_first() else { return Ok(()) };
    for (from, from_end) in read {
        let before = body.b.build_int_compare(IntPredicate::ULE, *from_end, *to, "")?;
        let behind = body.b.build_int_compare(IntPredicate::ULE, *to_end, *from, "")?;
        goes_on_if(body, body.b.build_or(before, behind, "")?, other)?;
    }
    Ok(())
}

/// Goes on in a new block if the condition holds.
fn goes_on_if<'ctx>(body: &Body<'_, 'ctx>, cond: IntValue<'ctx>, other: BasicBlock<'ctx>) -> Result<()> {
    body.rarely(body.b.build_not(cond, "")?, other)
}

/// The position that a number says, and whether it is one.
fn position<'ctx>(
    body: &Body<'_, 'ctx>,
    number: IntValue<'ctx>,
    all: IntValue<'ctx>,
    from_end: bool,
) -> Result<(IntValue<'ctx>, IntValue<'ctx>)> {
    let at = if from_end {
        let is_negative = body.b.build_int_compare(IntPredicate::SLT, number, body.int(0), "")?;
        let from_end = body.b.build_int_add(number, all, "")?;
        body.b.build_select(is_negative, from_end, number, "")?.into_int_value()
    } else {
        number
    };
    Ok((at, body.b.build_int_compare(IntPredicate::ULT, at, all, "")?))
}

impl<'ctx> Writer<'_, '_, 'ctx> {
    fn memory(&self, memory: Memory) -> Result<PointerValue<'ctx>> {
        match memory {
            Memory::Operand(at) => {
                self.data.get(at).copied().flatten().ok_or_else(|| Fault("this operand is no tensor".to_owned()))
            }
            Memory::Room(room) => Ok(self.rooms[room]),
            Memory::Table(table) => Ok(self.tables[table]),
            Memory::Result => Ok(self.result),
        }
    }

    /// A size or a step.
    fn number(&self, number: isize) -> IntValue<'ctx> {
        self.numbers.get(self.body, number)
    }

    /// So many steps.
    fn far(&self, count: usize, step: isize) -> Result<IntValue<'ctx>> {
        Ok(self.body.b.build_int_mul(self.body.int(count as i64), self.number(step), "")?)
    }

    /// The first element of an access.
    fn first(&self, access: &Access) -> Result<PointerValue<'ctx>> {
        let body = self.body;
        let mut first = self.number(access.first);
        for it in &access.moves {
            let positions = self.number(it.positions as isize);
            let (at, _) = position(body, self.args[it.number].into_int_value(), positions, it.from_end)?;
            let far = body.b.build_int_mul(at, self.number(it.step), "")?;
            first = body.b.build_int_add(first, far, "")?;
        }
        self.element(self.memory(access.memory)?, access.dtype.size(), first)
    }

    /// The address of an element of this size.
    fn element(&self, base: PointerValue<'ctx>, size: usize, at: IntValue<'ctx>) -> Result<PointerValue<'ctx>> {
        let far = self.body.b.build_int_mul(at, self.body.int(size as i64), "")?;
        memory::at(self.body, self.body.unit.types.i8, base, far)
    }

    fn stage(&self, stage: &Stage) -> Result<()> {
        let body = self.body;
        match stage {
            Stage::Each { dims, insts, stores } => each::write(self, dims, insts, stores),
            Stage::Row { op, dtype, count, from, to } => {
                let ptr = body.unit.types.ptr;
                let name = crate::symbols::row1(*op, *dtype).name;
                let function = body.unit.procedure(name, &[ptr.into(), ptr.into(), body.unit.types.i64.into()]);
                let given = [self.memory(*to)?.into(), self.memory(*from)?.into(), self.number(*count as isize).into()];
                body.b.build_direct_call(function, &given, "")?;
                Ok(())
            }
            Stage::Product { dtype, sizes, factors, to } => product::write(self, *dtype, *sizes, factors, *to),
            Stage::Fold { fold, dtype, sizes, from, to } => fold::write(self, *fold, *dtype, *sizes, [*from, *to]),
            Stage::Rows { fold, dtype, dims, rows, from, to } => {
                rows::Rows { writer: self, fold: *fold, dtype: *dtype, dims, rows, from }.write(*to)
            }
        }
    }
}
