//! What a thread of a sweep does.
//!
//! The parameters are: how many positions or rows there are; of a flat sweep, the extents of all axes but the first; for
//! each input a word, or an address and steps; an address for each output, and steps if it is not dense. A thread of a flat sweep takes several positions
//! at once, as far apart as there are threads in its block, and goes on at the distance of all blocks. One of rows has its
//! part of one row, all of it in registers.

use inkwell::AddressSpace;
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::basic_block::BasicBlock;
use inkwell::builder::{Builder, BuilderError};
use inkwell::context::Context;
use inkwell::module::{Linkage, Module};
use inkwell::types::BasicMetadataTypeEnum;
use inkwell::values::{BasicValueEnum, FunctionValue, IntValue, PointerValue};
use inkwell::{IntPredicate, types::IntType};
use snekpy_stage::tensor::device::sweep::{Access, Axis, Input, Job, Level, Member, Sweep, Teams, Value};
use snekpy_stage::tensor::device::together::Part;
use snekpy_stage::tensor::reduce::{BLOCK, LANES};

use super::at_once;
use super::each::Each;
use super::fold::Who;
use super::matrix::{self, Matrices};
use crate::ptx::{ENTRY, GLOBAL, PTX_KERNEL, barrier, register};

type Result<T> = std::result::Result<T, BuilderError>;
type Val<'ctx> = BasicValueEnum<'ctx>;

/// Threads of a block of a flat sweep, at most.
pub(crate) const THREADS: u32 = 256;
/// Bytes of elements of one value, for each thread, from which on that is cared for.
const LARGE: usize = 64;

/// The values of positions that are kept while a row is folded.
fn kept(sweep: &Sweep, fold: usize) -> impl Iterator<Item = Value> {
    let is_used = |value: Value, from: usize| sweep.members[from..].iter().any(|it| it.args.contains(&value));
    let inputs = (0..sweep.inputs.len()).map(|it| Value::Input(it as u16)).filter(move |&it| {
        sweep.members[..=fold].iter().any(|member| member.args.contains(&it)) && is_used(it, fold + 1)
    });
    let members =
        (0..fold as u16).filter(move |it| sweep.outputs.contains(it) || is_used(Value::Member(*it), fold + 1));
    inputs.chain(members.map(Value::Member)).filter(|&it| sweep.level(it) == Level::Each)
}

/// So many threads of a multiprocessor may have a part of a row in registers: the more, the fewer each has. 80 are enough
/// for a function whose results are kept, 128 for others, and 168 or all 255 for more values or wider ones. Measured.
fn resident(sweep: &Sweep, size: usize) -> usize {
    let folds = || (0..sweep.members.len()).filter(|&it| sweep.members[it].job.folds());
    let most = folds().map(|it| kept(sweep, it).count()).max().unwrap_or(0).max(1);
    let is_function =
        |it: Value| matches!(it, Value::Member(at) if matches!(sweep.members[usize::from(at)].job, Job::Real1(_)));
    match most * size / 4 {
        1 if folds().any(|it| kept(sweep, it).any(is_function)) => 768,
        1 => 512,
        2 => 384,
        _ => 256,
    }
}

/// Writes the kernel into a module.
pub(super) fn write<'ctx>(llcx: &'ctx Context, module: &Module<'ctx>, sweep: &Sweep) -> Result<()> {
    let b = llcx.create_builder();
    let types = types(llcx, sweep);
    let func = declared(llcx, module, sweep, &types);
    Writer::new(llcx, module, (sweep, None), func, &b).all(None)
}

/// Writes a function of this name that does all of a part of a kernel of one block, for each of its threads. Its parameters are
/// those of the sweep, and behind them those of the product.
pub(crate) fn write_part<'ctx>(
    llcx: &'ctx Context,
    module: &Module<'ctx>,
    part: &Part,
    name: &str,
    threads: usize,
) -> Result<FunctionValue<'ctx>> {
    let b = llcx.create_builder();
    let mut types = types(llcx, &part.sweep);
    if part.product.is_some() {
        types.extend(matrix::types(llcx));
    }
    let func = module.add_function(name, llcx.void_type().fn_type(&types, false), Some(Linkage::Internal));
    for name in ["nounwind", "convergent"] {
        let attribute = llcx.create_enum_attribute(Attribute::get_named_enum_kind_id(name), 0);
        func.add_attribute(AttributeLoc::Function, attribute);
    }
    Writer::new(llcx, module, (&part.sweep, part.product), func, &b).all(Some(threads))?;
    Ok(func)
}

/// The types of a sweep's parameters.
fn types<'ctx>(llcx: &'ctx Context, sweep: &Sweep) -> Vec<BasicMetadataTypeEnum<'ctx>> {
    let (int, pointer) = (llcx.i64_type(), llcx.ptr_type(AddressSpace::from(GLOBAL)));
    let extents = if sweep.len.is_some() { 0 } else { sweep.rank - 1 };
    let mut types: Vec<BasicMetadataTypeEnum<'ctx>> = vec![int.into(); 1 + extents];
    for input in &sweep.inputs {
        types.push(if input.access == Access::Number { int.into() } else { pointer.into() });
        types.extend(vec![BasicMetadataTypeEnum::from(int); sweep.steps(input)]);
    }
    types.extend(vec![BasicMetadataTypeEnum::from(pointer); sweep.outputs.len()]);
    types.extend(vec![BasicMetadataTypeEnum::from(int); if sweep.strided { sweep.rank } else { 0 }]);
    types
}

/// The kernel of a sweep, without its body.
fn declared<'ctx>(
    llcx: &'ctx Context,
    module: &Module<'ctx>,
    sweep: &Sweep,
    types: &[BasicMetadataTypeEnum<'ctx>],
) -> FunctionValue<'ctx> {
    let func = module.add_function(ENTRY, llcx.void_type().fn_type(types, false), None);
    func.set_call_conventions(PTX_KERNEL);
    let text = |name: &str, number: usize| llcx.create_string_attribute(name, &number.to_string());
    let threads = sweep.len.map_or(THREADS as usize, |len| Teams::of(len).threads);
    func.add_attribute(AttributeLoc::Function, text("nvvm.maxntid", threads));
    if let Some(len) = sweep.len {
        let largest = sweep.members.iter().map(|it| it.dtype.size()).max().unwrap_or(1).max(4);
        if Teams::of(len).per_thread * largest > LARGE {
            func.add_attribute(
                AttributeLoc::Function,
                text("nvvm.minctasm", (resident(sweep, largest) / threads).max(1)),
            );
        }
    }
    let attribute = |name: &str| llcx.create_enum_attribute(Attribute::get_named_enum_kind_id(name), 0);
    func.add_attribute(AttributeLoc::Function, attribute("nounwind"));
    if sweep.in_place {
        return func;
    }
    let mut at = 1 + if sweep.len.is_some() { 0 } else { sweep.rank as u32 - 1 };
    for input in &sweep.inputs {
        if input.access != Access::Number {
            func.add_attribute(AttributeLoc::Param(at), attribute("noalias"));
            func.add_attribute(AttributeLoc::Param(at), attribute("readonly"));
        }
        at += 1 + sweep.steps(input) as u32;
    }
    for output in at..at + sweep.outputs.len() as u32 {
        func.add_attribute(AttributeLoc::Param(output), attribute("noalias"));
    }
    func
}

struct Writer<'a, 'ctx> {
    each: Each<'a, 'ctx>,
    sweep: &'a Sweep,
    func: FunctionValue<'ctx>,
    inputs: Vec<Passed<'ctx>>,
    outputs: Vec<PointerValue<'ctx>>,
    /// How far the next element of the output is along each axis, if it is not dense.
    to_steps: Vec<IntValue<'ctx>>,
    int: IntType<'ctx>,
}

/// An input as it is passed.
enum Passed<'ctx> {
    Word(IntValue<'ctx>),
    Memory(PointerValue<'ctx>, Vec<IntValue<'ctx>>),
    Product(Matrices<'ctx>),
}

/// What a thread computes with: for each value, an element of each of its positions, or one of the row.
struct Values<'ctx> {
    inputs: Vec<Option<Vec<Val<'ctx>>>>,
    members: Vec<Vec<Val<'ctx>>>,
}

/// The positions of a thread.
enum Site<'ctx> {
    /// For each the index along each axis.
    Flat { positions: Vec<IntValue<'ctx>>, indices: Vec<Vec<IntValue<'ctx>>> },
    /// In a row.
    Row { row: IntValue<'ctx>, who: Who<'ctx>, teams: Teams, columns: Vec<Column<'ctx>> },
}

/// A position in a row.
struct Column<'ctx> {
    /// Inside the row.
    at: IntValue<'ctx>,
    /// Whether the thread has it, where some do not.
    is_there: Option<IntValue<'ctx>>,
}

impl<'a, 'ctx> Writer<'a, 'ctx> {
    fn new(
        llcx: &'ctx Context,
        module: &'a Module<'ctx>,
        (sweep, product): (&'a Sweep, Option<u16>),
        func: FunctionValue<'ctx>,
        b: &'a Builder<'ctx>,
    ) -> Self {
        let int = llcx.i64_type();
        b.position_at_end(llcx.append_basic_block(func, "entry"));
        let param = |at: u32| func.get_nth_param(at).expect("the kernel was declared with it");
        let mut next = if sweep.len.is_some() { 1 } else { sweep.rank as u32 };
        let mut inputs = Vec::new();
        for input in &sweep.inputs {
            let first = param(next);
            next += 1;
            if input.access == Access::Number {
                inputs.push(Passed::Word(first.into_int_value()));
                continue;
            }
            let steps = sweep.steps(input) as u32;
            let passed = (next..next + steps).map(|at| param(at).into_int_value()).collect();
            inputs.push(Passed::Memory(first.into_pointer_value(), passed));
            next += steps;
        }
        let to_steps = next + sweep.outputs.len() as u32;
        let outputs = (next..to_steps).map(|at| param(at).into_pointer_value()).collect();
        let behind = to_steps + if sweep.strided { sweep.rank as u32 } else { 0 };
        let to_steps = (to_steps..behind).map(|at| param(at).into_int_value()).collect();
        if let Some(at) = product {
            inputs[usize::from(at)] = Passed::Product(Matrices::of(&mut (behind..).map(param)));
        }
        Self { each: Each { llcx, module, b }, sweep, func, inputs, outputs, to_steps, int }
    }

    fn number(&self, value: u64) -> IntValue<'ctx> {
        self.int.const_int(value, false)
    }

    fn param(&self, at: u32) -> IntValue<'ctx> {
        self.func.get_nth_param(at).expect("the kernel was declared with it").into_int_value()
    }

    fn block(&self, name: &str) -> BasicBlock<'ctx> {
        self.each.llcx.append_basic_block(self.func, name)
    }

    /// A special register, of 32 bits.
    fn register(&self, name: &str) -> Result<IntValue<'ctx>> {
        register(self.each.module, self.each.b, &format!("llvm.nvvm.read.ptx.sreg.{name}.x"))
    }

    fn long(&self, value: IntValue<'ctx>) -> Result<IntValue<'ctx>> {
        self.each.b.build_int_z_extend(value, self.int, "")
    }

    fn at(&self, input: &Input, base: PointerValue<'ctx>, index: IntValue<'ctx>) -> Result<PointerValue<'ctx>> {
        // SAFETY: this only writes an instruction; the index is in range.
        unsafe { self.each.b.build_gep(self.each.stored(input.dtype), base, &[index], "") }
    }

    /// The elements of an input at the positions of a thread.
    fn read(&self, number: usize, site: &Site<'ctx>) -> Result<Vec<Val<'ctx>>> {
        let dtype = self.sweep.inputs[number].dtype;
        match &self.inputs[number] {
            Passed::Word(word) => return Ok(vec![self.each.of_word(dtype, *word)]),
            Passed::Product(matrices) => {
                let Site::Flat { indices, .. } = site else { unreachable!("a product has no rows that are folded") };
                return matrices.elements(&self.each, self.func, dtype, indices);
            }
            Passed::Memory(..) => {}
        }
        Ok(self.addresses(number, site)?.into_iter().map(|it| self.each.load(dtype, it)).collect())
    }

    /// Where they are: of each position, or of the row.
    fn addresses(&self, number: usize, site: &Site<'ctx>) -> Result<Vec<PointerValue<'ctx>>> {
        let (b, input) = (self.each.b, &self.sweep.inputs[number]);
        let Passed::Memory(first, steps) = &self.inputs[number] else { unreachable!("a number is nowhere") };
        let far = |from, index, step| -> Result<PointerValue<'ctx>> {
            self.at(input, from, b.build_int_mul(index, step, "")?)
        };
        let mut found = Vec::new();
        match site {
            Site::Flat { indices, .. } => {
                for index in indices {
                    let mut at = *first;
                    for (axis, &index) in index.iter().enumerate() {
                        at = match steps.get(axis) {
                            Some(&step) => far(at, index, step)?,
                            None => self.at(input, at, index)?,
                        };
                    }
                    found.push(at);
                }
            }
            Site::Row { row, columns, .. } => {
                let first = far(*first, *row, steps[0])?;
                if input.level == Level::Row {
                    return Ok(vec![first]);
                }
                for column in columns {
                    found.push(match steps.get(1) {
                        Some(&step) => far(first, column.at, step)?,
                        None => self.at(input, first, column.at)?,
                    });
                }
            }
        }
        Ok(found)
    }

    /// A position that counts from the end if it is negative.
    fn counted_from_start(&self, at: Val<'ctx>, size: IntValue<'ctx>) -> Result<IntValue<'ctx>> {
        let (b, at) = (self.each.b, at.into_int_value());
        let is_negative = b.build_int_compare(IntPredicate::SLT, at, self.number(0), "")?;
        let from_end = b.build_int_add(at, size, "")?;
        Ok(b.build_select(is_negative, from_end, at, "")?.into_int_value())
    }

    /// Where along an axis the positions of what is computed are.
    fn along(&self, axis: Axis, site: &Site<'ctx>, level: Level) -> Result<Vec<IntValue<'ctx>>> {
        if let (Site::Row { columns, .. }, Level::Each, 1) = (site, level, axis.step)
            && self.sweep.len == Some(axis.size as usize)
        {
            return Ok(columns.iter().map(|it| it.at).collect());
        }
        let b = self.each.b;
        let one = |position: IntValue<'ctx>| {
            let steps = b.build_int_unsigned_div(position, self.number(axis.step), "")?;
            b.build_int_unsigned_rem(steps, self.number(axis.size), "")
        };
        self.positions_of(site, level)?.into_iter().map(one).collect()
    }

    /// What a job makes that needs to know where elements are.
    fn placed(&self, member: &Member, values: &Values<'ctx>, site: &Site<'ctx>) -> Result<Vec<Val<'ctx>>> {
        let b = self.each.b;
        let table = |at: usize| -> Result<Vec<PointerValue<'ctx>>> {
            let Value::Input(input) = member.args[at] else { unreachable!("a table is an input") };
            self.addresses(usize::from(input), site)
        };
        let arg = |at: usize, number| values.get(member.args[at], number);
        let count = self.positions_of(site, member.level)?.len();
        let one = |all: &[PointerValue<'ctx>], number: usize| if all.len() == 1 { all[0] } else { all[number] };
        match member.job {
            Job::Gather => {
                let table = table(0)?;
                let element = |number| {
                    let mut far = self.number(0);
                    for first in (1..member.args.len()).step_by(3) {
                        let [size, step] = [1, 2].map(|it| arg(first + it, number).into_int_value());
                        let at = self.counted_from_start(arg(first, number), size)?;
                        far = b.build_int_add(far, b.build_int_mul(at, step, "")?, "")?;
                    }
                    // SAFETY: this only writes an instruction; the caller has looked at the positions.
                    let place =
                        unsafe { b.build_gep(self.each.stored(member.dtype), one(&table, number), &[far], "")? };
                    Ok(self.each.load(member.dtype, place))
                };
                (0..count).map(element).collect()
            }
            Job::Concat(axis) => {
                let tables =
                    (0..member.args.len()).step_by(2).map(table).collect::<Result<Vec<Vec<PointerValue<'ctx>>>>>()?;
                let element = |(number, at)| {
                    let mut place = one(&tables[0], number);
                    for (part, table) in tables.iter().enumerate().skip(1) {
                        let first = arg(2 * part - 1, number).into_int_value();
                        let is_behind = b.build_int_compare(IntPredicate::UGE, at, first, "")?;
                        place = b.build_select(is_behind, one(table, number), place, "")?.into_pointer_value();
                    }
                    Ok(self.each.load(member.dtype, place))
                };
                self.along(axis, site, member.level)?.into_iter().enumerate().map(element).collect()
            }
            Job::AddAt(axis) => {
                let element = |(number, along)| {
                    let at = self.counted_from_start(arg(0, number), self.number(axis.size))?;
                    let is_it = b.build_int_compare(IntPredicate::EQ, at, along, "")?;
                    let value = arg(1, number).into_float_value();
                    let zero = value.get_type().const_zero();
                    let added = self.each.select(is_it, value.into(), zero.into()).into_float_value();
                    Ok(b.build_float_add(zero, added, "")?.into())
                };
                self.along(axis, site, member.level)?.into_iter().enumerate().map(element).collect()
            }
            Job::Triangle { rows, columns, lower } => {
                let [rows, columns] = [rows, columns].map(|it| self.along(it, site, member.level));
                let how = if lower { IntPredicate::SLE } else { IntPredicate::SGE };
                let element = |(number, (row, column))| {
                    let diagonal = b.build_int_add(row, arg(1, number).into_int_value(), "")?;
                    let stays = b.build_int_compare(how, column, diagonal, "")?;
                    let x = arg(0, number);
                    Ok(self.each.select(stays, x, x.get_type().const_zero()))
                };
                rows?.into_iter().zip(columns?).enumerate().map(element).collect()
            }
            _ => unreachable!("all others need no more than elements"),
        }
    }

    /// Where in what it gives the elements are that a thread computes: of each position, or of its row.
    fn positions_of(&self, site: &Site<'ctx>, level: Level) -> Result<Vec<IntValue<'ctx>>> {
        match (site, level) {
            (Site::Flat { positions, .. }, _) => Ok(positions.clone()),
            (Site::Row { row, .. }, Level::Row) => Ok(vec![*row]),
            (Site::Row { row, columns, .. }, Level::Each) => {
                let len = self.number(self.sweep.len.expect("it is over rows") as u64);
                let first = self.each.b.build_int_mul(*row, len, "")?;
                columns.iter().map(|it| self.each.b.build_int_add(first, it.at, "")).collect()
            }
        }
    }

    /// Reads and computes everything.
    fn compute(&self, site: &Site<'ctx>) -> Result<Values<'ctx>> {
        let mut values = Values { inputs: vec![None; self.inputs.len()], members: Vec::new() };
        let count = match site {
            Site::Flat { positions, .. } => positions.len(),
            Site::Row { columns, .. } => columns.len(),
        };
        for member in &self.sweep.members {
            for (number, arg) in member.args.iter().enumerate() {
                if let Value::Input(at) = arg
                    && !member.job.has_table(number)
                    && values.inputs[usize::from(*at)].is_none()
                {
                    values.inputs[usize::from(*at)] = Some(self.read(usize::from(*at), site)?);
                }
            }
            let made = match (member.job, site) {
                (Job::Fold(fold), Site::Row { who, teams, columns, .. }) => {
                    let elements: Vec<_> = columns
                        .iter()
                        .enumerate()
                        .map(|(number, column)| (values.get(member.args[0], number), column.is_there))
                        .collect();
                    let all = self.each.fold(fold, member.dtype, &elements, *who, *teams)?;
                    vec![self.each.narrow(member.dtype, all)]
                }
                (Job::Arg { greatest }, Site::Row { who, teams, columns, .. }) => {
                    let elements: Vec<_> = columns
                        .iter()
                        .enumerate()
                        .map(|(number, column)| (values.get(member.args[0], number), column.at, column.is_there))
                        .collect();
                    vec![self.each.arg(greatest, self.sweep.dtype(member.args[0]), &elements, *who, *teams)?]
                }
                (Job::Bits { stream }, _) => {
                    let key = values.get(member.args[0], 0).into_int_value();
                    let positions = self.positions_of(site, member.level)?;
                    positions.into_iter().map(|at| self.each.bits(key, stream, at).into()).collect()
                }
                (Job::Gather | Job::AddAt(_) | Job::Concat(_) | Job::Triangle { .. }, _) => {
                    self.placed(member, &values, site)?
                }
                (Job::Fold(_) | Job::Arg { .. }, Site::Flat { .. }) => unreachable!("a flat sweep folds nothing"),
                (job, _) => {
                    let takes: Vec<_> = member.args.iter().map(|&it| self.sweep.dtype(it)).collect();
                    let count = if member.level == Level::Row { 1 } else { count };
                    let args = |number| member.args.iter().map(|&it| values.get(it, number)).collect();
                    self.each.jobs(job, &takes, member.dtype, &(0..count).map(args).collect::<Vec<_>>())
                }
            };
            values.members.push(made);
        }
        Ok(values)
    }

    /// All of it, which one block of so many threads may have.
    fn all(&self, one_block: Option<usize>) -> Result<()> {
        match (self.sweep.len, one_block) {
            (None, None) => {
                let (threads, thread) = (self.long(self.register("ntid")?)?, self.long(self.register("tid")?)?);
                let (block, blocks) = (self.long(self.register("ctaid")?)?, self.long(self.register("nctaid")?)?);
                self.flat([threads, thread, block, blocks])?;
            }
            (None, Some(threads)) => {
                let thread = self.long(self.register("tid")?)?;
                self.flat([self.number(threads as u64), thread, self.number(0), self.number(1)])?;
            }
            (Some(len), None) => {
                let (thread, block) = (self.register("tid")?, self.register("ctaid")?);
                self.rows(len, Teams::of(len), thread, block)?;
            }
            (Some(len), Some(threads)) => self.all_rows(len, Teams::in_block(len, threads))?,
        }
        self.each.b.build_return(None)?;
        Ok(())
    }

    /// The rows of all blocks that there would be, one after the other.
    fn all_rows(&self, len: usize, teams: Teams) -> Result<()> {
        let (b, llcx) = (self.each.b, self.each.llcx);
        let int = llcx.i32_type();
        let [head, rows, done] = ["head", "rows", "done"].map(|name| self.block(name));
        let thread = self.register("tid")?;
        let entry = b.get_insert_block().expect("the builder stands in a block");
        b.build_unconditional_branch(head)?;

        b.position_at_end(head);
        let phi = b.build_phi(int, "")?;
        let block = phi.as_basic_value().into_int_value();
        let first = b.build_int_mul(self.long(block)?, self.number(teams.rows as u64), "")?;
        let goes_on = b.build_int_compare(IntPredicate::ULT, first, self.param(0), "")?;
        b.build_conditional_branch(goes_on, rows, done)?;

        b.position_at_end(rows);
        self.rows(len, teams, thread, block)?;
        if teams.per_row > 1 {
            // What the teams of these rows have shared has been read.
            barrier(llcx, self.each.module, b)?;
        }
        let following = b.build_int_nuw_add(block, int.const_int(1, false), "")?;
        let from = b.get_insert_block().expect("the builder stands in a block");
        b.build_unconditional_branch(head)?;
        phi.add_incoming(&[(&int.const_zero(), entry), (&following, from)]);
        b.position_at_end(done);
        Ok(())
    }

    /// The rows of a block.
    fn rows(&self, len: usize, teams: Teams, thread: IntValue<'ctx>, block: IntValue<'ctx>) -> Result<()> {
        let (b, llcx) = (self.each.b, self.each.llcx);
        let int = llcx.i32_type();
        let small = |it: usize| int.const_int(it as u64, false);
        let lane = b.build_and(thread, small(LANES - 1), "")?;
        let team = b.build_right_shift(thread, small(LANES.trailing_zeros() as usize), false, "")?;
        let rows = self.param(0);
        let (team, row) = if teams.per_row == 1 {
            let before = b.build_int_mul(self.long(block)?, self.number(teams.rows as u64), "")?;
            (small(0), b.build_int_add(before, self.long(team)?, "")?)
        } else {
            (team, self.long(block)?)
        };
        // All threads of a warp take part in shuffles: those behind the last row repeat it.
        let is_row = b.build_int_compare(IntPredicate::ULT, row, rows, "")?;
        let last = b.build_int_sub(rows, self.number(1), "")?;
        let row = b.build_select(is_row, row, last, "")?.into_int_value();
        let before = b.build_int_mul(team, small(BLOCK), "")?;
        let first = b.build_int_add(before, lane, "")?;
        let first_long = self.long(first)?;
        let mut columns = Vec::new();
        for number in 0..teams.per_thread {
            let at = b.build_int_add(first, small(number * LANES), "")?;
            if teams.is_full(number, len) {
                let at = b.build_int_nuw_add(first_long, self.number((number * LANES) as u64), "")?;
                columns.push(Column { at, is_there: None });
            } else {
                let is_there = b.build_int_compare(IntPredicate::ULT, at, small(len), "")?;
                let inside = b.build_select(is_there, at, small(len - 1), "")?.into_int_value();
                columns.push(Column { at: self.long(inside)?, is_there: Some(is_there) });
            }
        }
        let who = Who { lane, team };
        let site = Site::Row { row, who, teams, columns };
        let values = self.compute(&site)?;
        let Site::Row { columns, .. } = site else { unreachable!("it was made one") };
        let [stores, done] = ["stores", "done"].map(|name| self.block(name));
        b.build_conditional_branch(is_row, stores, done)?;
        b.position_at_end(stores);
        for (&member, &to) in self.sweep.outputs.iter().zip(&self.outputs) {
            let it = &self.sweep.members[usize::from(member)];
            let ty = self.each.stored(it.dtype);
            // SAFETY: these only write instructions; the indices are in range.
            let at = |base, index| unsafe { b.build_gep(ty, base, &[index], "") };
            if it.level == Level::Row {
                let mine = b.build_or(lane, team, "")?;
                let is_first = b.build_int_compare(IntPredicate::EQ, mine, small(0), "")?;
                let value = values.members[usize::from(member)][0];
                self.where_it_holds(is_first, || {
                    self.each.store(it.dtype, at(to, row)?, value);
                    Ok(())
                })?;
                continue;
            }
            let first = at(to, b.build_int_mul(row, self.number(len as u64), "")?)?;
            for (column, &value) in columns.iter().zip(&values.members[usize::from(member)]) {
                let place = at(first, column.at)?;
                match column.is_there {
                    None => self.each.store(it.dtype, place, value),
                    Some(is_there) => self.where_it_holds(is_there, || {
                        self.each.store(it.dtype, place, value);
                        Ok(())
                    })?,
                }
            }
        }
        b.build_unconditional_branch(done)?;
        b.position_at_end(done);
        Ok(())
    }

    fn where_it_holds(&self, cond: IntValue<'ctx>, write: impl FnOnce() -> Result<()>) -> Result<()> {
        let [then, after] = ["then", "after"].map(|name| self.block(name));
        self.each.b.build_conditional_branch(cond, then, after)?;
        self.each.b.position_at_end(then);
        write()?;
        self.each.b.build_unconditional_branch(after)?;
        self.each.b.position_at_end(after);
        Ok(())
    }

    /// The index at a position.
    fn index(&self, position: IntValue<'ctx>) -> Result<Vec<IntValue<'ctx>>> {
        let (b, mut rest, mut index) = (self.each.b, position, Vec::new());
        for axis in (1..self.sweep.rank as u32).rev() {
            let extent = self.param(axis);
            let quotient = b.build_int_unsigned_div(rest, extent, "")?;
            let whole = b.build_int_mul(quotient, extent, "")?;
            index.push(b.build_int_sub(rest, whole, "")?);
            rest = quotient;
        }
        index.push(rest);
        index.reverse();
        Ok(index)
    }

    /// How far an index is, by a step for each axis.
    fn far(&self, index: &[IntValue<'ctx>], steps: &[IntValue<'ctx>]) -> Result<IntValue<'ctx>> {
        index.iter().zip(steps).try_fold(self.number(0), |far, (&at, &step)| {
            self.each.b.build_int_add(far, self.each.b.build_int_mul(at, step, "")?, "")
        })
    }

    /// Computes what belongs to some positions and stores it.
    fn positions(&self, positions: &[IntValue<'ctx>]) -> Result<()> {
        let indices = positions.iter().map(|&it| self.index(it)).collect::<Result<Vec<_>>>()?;
        let places = match self.sweep.strided {
            true => indices.iter().map(|it| self.far(it, &self.to_steps)).collect::<Result<Vec<_>>>()?,
            false => positions.to_vec(),
        };
        let values = self.compute(&Site::Flat { positions: positions.to_vec(), indices })?;
        for (number, place) in places.into_iter().enumerate() {
            for (&member, &to) in self.sweep.outputs.iter().zip(&self.outputs) {
                let dtype = self.sweep.members[usize::from(member)].dtype;
                // SAFETY: this only writes an instruction; the index is in range.
                let at = unsafe { self.each.b.build_gep(self.each.stored(dtype), to, &[place], "")? };
                self.each.store(dtype, at, values.get(Value::Member(member), number));
            }
        }
        Ok(())
    }

    /// The positions of one of some blocks.
    fn flat(&self, [threads, thread, block, blocks]: [IntValue<'ctx>; 4]) -> Result<()> {
        let b = self.each.b;
        let (count, at_once) = (self.param(0), at_once(self.sweep));
        let piece = b.build_int_mul(threads, self.number(at_once), "")?;
        let first = b.build_int_mul(block, piece, "")?;
        let all = b.build_int_mul(blocks, piece, "")?;
        let [head, split, full, part, one, next, done] =
            ["head", "split", "full", "part", "one", "next", "done"].map(|name| self.block(name));
        let entry = b.get_insert_block().expect("the builder stands in a block");
        b.build_unconditional_branch(head)?;

        b.position_at_end(head);
        let phi = b.build_phi(self.int, "")?;
        let start = phi.as_basic_value().into_int_value();
        let goes_on = b.build_int_compare(IntPredicate::ULT, start, count, "")?;
        b.build_conditional_branch(goes_on, split, done)?;

        b.position_at_end(split);
        let mine = b.build_int_add(start, thread, "")?;
        let behind = b.build_int_add(start, piece, "")?;
        let is_full = b.build_int_compare(IntPredicate::ULE, behind, count, "")?;
        b.build_conditional_branch(is_full, full, part)?;

        b.position_at_end(full);
        let mut positions = vec![mine];
        for number in 1..at_once as usize {
            positions.push(b.build_int_add(positions[number - 1], threads, "")?);
        }
        self.positions(&positions)?;
        b.build_unconditional_branch(next)?;

        // The last piece, one position after the other.
        b.position_at_end(part);
        let position_phi = b.build_phi(self.int, "")?;
        let position = position_phi.as_basic_value().into_int_value();
        let is_there = b.build_int_compare(IntPredicate::ULT, position, count, "")?;
        b.build_conditional_branch(is_there, one, done)?;

        b.position_at_end(one);
        self.positions(&[position])?;
        let following = b.build_int_nuw_add(position, threads, "")?;
        let from = b.get_insert_block().expect("the builder stands in a block");
        b.build_unconditional_branch(part)?;
        position_phi.add_incoming(&[(&mine, split), (&following, from)]);

        b.position_at_end(next);
        let following = b.build_int_nuw_add(start, all, "")?;
        b.build_unconditional_branch(head)?;
        phi.add_incoming(&[(&first, entry), (&following, next)]);
        b.position_at_end(done);
        Ok(())
    }
}

impl<'ctx> Values<'ctx> {
    /// The element of a value that belongs to one of the thread's positions.
    fn get(&self, value: Value, number: usize) -> Val<'ctx> {
        let all = match value {
            Value::Input(at) => self.inputs[usize::from(at)].as_ref().expect("it was read"),
            Value::Member(at) => &self.members[usize::from(at)],
        };
        if let [one] = all[..] { one } else { all[number] }
    }
}
