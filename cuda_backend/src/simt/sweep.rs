//! Sweeps as blocks of threads: the steps that `sweep/threads.rs` and `sweep/fold.rs` write, with the functions of devices.
//!
//! Threads go on one at a time, in a random order, until they come to where others are waited for: all of a warp for a
//! shuffle, all of a block for a barrier. Reads and writes are checked as those of kernels are.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::sync::Arc;

use snekpy_stage::backend::BackendError;
use snekpy_stage::op::Element2;
use snekpy_stage::tensor::Dtype;
use snekpy_stage::tensor::device::Product;
use snekpy_stage::tensor::device::sweep::{
    Access, Given, Input, Job, Level, Run, Sweep, SweepCode, Teams, Value, element,
};
use snekpy_stage::tensor::elementwise::{Cmp, Num2, Real2};
use snekpy_stage::tensor::philox::word;
use snekpy_stage::tensor::reduce::{BLOCK, LANES, join, neutral};

use super::shared::Shared;
use super::together::Touched;
use super::{Random, Simt};
use crate::math::{self, Native, Two};
use crate::product::is_padded;

/// The threads that execute together.
const WARP: usize = 32;
/// Positions of a flat sweep that one block has.
const PIECE: usize = 256;

impl Simt {
    /// The code of a sweep.
    pub fn sweep(&self, sweep: &Sweep) -> Arc<dyn SweepCode> {
        Arc::new(Simulated { sweep: sweep.clone(), options: *self })
    }
}

struct Simulated {
    sweep: Sweep,
    options: Simt,
}

type Result<T> = std::result::Result<T, BackendError>;

impl SweepCode for Simulated {
    unsafe fn run(&self, run: &Run) -> Result<()> {
        launch(&self.sweep, &self.options, run, None, None)
    }
}

/// One block that does all of a sweep.
#[derive(Clone, Copy)]
pub(super) struct InBlock<'a> {
    pub(super) threads: usize,
    /// What its threads do with the memory of the device.
    pub(super) touched: &'a RefCell<Touched>,
}

/// Runs a sweep, one of whose inputs may be a product.
pub(super) fn launch(
    sweep: &Sweep,
    options: &Simt,
    run: &Run,
    block: Option<InBlock<'_>>,
    product: Option<(u16, Product)>,
) -> Result<()> {
    let (count, per_row) = match sweep.len {
        Some(len) => (run.dims[0] * len, len),
        None => (run.dims.iter().product(), 1),
    };
    let teams = sweep.len.map(|len| block.map_or_else(|| Teams::of(len), |it| Teams::in_block(len, it.threads)));
    let mut launch = Launch {
        sweep,
        run,
        written: HashSet::new(),
        sizes: [count, count / per_row],
        random: Random(options.seed),
        block,
        product,
        thread: Cell::new(None),
    };
    let pieces = match teams {
        Some(teams) => run.dims[0].div_ceil(teams.rows),
        None => count.div_ceil(PIECE),
    };
    let mut shared = launch.shared(teams);
    let mut waiting: Vec<usize> = (0..pieces).collect();
    while !waiting.is_empty() {
        let chosen = launch.random.below(waiting.len() as u64) as usize;
        let piece = waiting.swap_remove(chosen);
        let Some((teams, len)) = teams.zip(sweep.len) else {
            launch.flat(piece, count)?;
            continue;
        };
        if block.is_none() {
            shared = launch.shared(Some(teams));
        }
        launch.rows(piece, (teams, len), &mut shared, options.barriers)?;
        if teams.per_row > 1 && options.barriers {
            // One block goes on with the next rows.
            launch.barrier(&mut shared);
        }
    }
    let expected: usize = sweep.outputs.iter().map(|&it| launch.size(it)).sum();
    if launch.written.len() == expected {
        return Ok(());
    }
    Err(BackendError(format!("simt: {} of {expected} elements were written", launch.written.len())))
}

struct Launch<'a> {
    sweep: &'a Sweep,
    run: &'a Run,
    written: HashSet<(usize, i64)>,
    /// How many elements outputs of positions and of rows have.
    sizes: [usize; 2],
    random: Random,
    /// The block that does all of it, if one does.
    block: Option<InBlock<'a>>,
    /// Which input is a product, and of what.
    product: Option<(u16, Product)>,
    /// The thread of the block that goes on; none where it computes what nobody uses.
    thread: Cell<Option<u64>>,
}

/// What a thread does next.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Step {
    /// Computes a member.
    Member(usize),
    /// Joins what it has.
    Own(usize),
    /// Joins that with the thread so much further.
    Halve(usize, usize),
    /// Takes what the first of the team has.
    Spread(usize),
    /// Puts it where other teams see it, in the room of this number.
    Share(usize),
    Barrier,
    /// Joins what all teams have.
    Join(usize, usize),
    Store,
}

struct Thread {
    next: usize,
    lane: usize,
    team: usize,
    row: Option<usize>,
    /// In the row; `None` where it is behind the end.
    columns: Vec<Option<usize>>,
    inputs: Vec<Option<Vec<u64>>>,
    members: Vec<Vec<u64>>,
    /// What it has joined so far.
    all: Part,
}

/// What several elements have been joined to: a word of what is computed with, and where it is, if that is asked for.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Part {
    bits: u64,
    at: Option<usize>,
}

const NOTHING: Part = Part { bits: 0, at: None };

impl Thread {
    fn get(&self, value: Value, number: usize) -> u64 {
        let all = match value {
            Value::Input(at) => self.inputs[usize::from(at)].as_ref().expect("it was read"),
            Value::Member(at) => &self.members[usize::from(at)],
        };
        if let [one] = all[..] { one } else { all[number] }
    }
}

impl Launch<'_> {
    fn size(&self, member: u16) -> usize {
        self.sizes[usize::from(self.sweep.members[usize::from(member)].level == Level::Row)]
    }

    /// Room in shared memory for what teams exchange.
    fn shared(&self, teams: Option<Teams>) -> Shared<Part> {
        Shared::new(teams.map_or(0, |it| self.sweep.members.len() * (it.threads / LANES)), NOTHING)
    }

    /// All threads of a block have come to a barrier.
    fn barrier(&self, shared: &mut Shared<Part>) {
        shared.barrier();
        if let Some(block) = self.block {
            block.touched.borrow_mut().barrier();
        }
    }

    /// The bits of an element in memory.
    fn element(&self, from: u64, size: usize) -> Result<u64> {
        if let Some((block, thread)) = self.block.zip(self.thread.get()) {
            block.touched.borrow_mut().read(from, thread)?;
        }
        let mut bits = 0_u64;
        let from = std::ptr::with_exposed_provenance::<u8>(from as usize);
        // SAFETY: it was looked whether it is inside the memory, which the caller keeps.
        unsafe { std::ptr::copy_nonoverlapping(from, (&raw mut bits).cast(), size) };
        Ok(bits)
    }

    /// An element of a product: a chain from the first product to the last.
    fn chained(&self, product: &Product, index: &[usize]) -> Result<u64> {
        let [row, column] = match *index {
            [row, column] => [row, column],
            _ => [index[0] / product.n, index[0] % product.n],
        };
        let size = product.dtype.size();
        let at = |first: u64, far: usize| self.element(first + (far * size) as u64, size);
        let mut sum = 0.0_f64;
        for step in 0..product.k {
            let x = at(product.a, row * product.k + step)?;
            let y = at(product.b, step * product.n + column)?;
            sum = match product.dtype {
                Dtype::F64 => f64::from_bits(x).mul_add(f64::from_bits(y), sum),
                _ => f64::from(f32::from_bits(x as u32).mul_add(f32::from_bits(y as u32), sum as f32)),
            };
        }
        if is_padded(product) {
            sum += 0.0;
        }
        Ok(if product.dtype == Dtype::F64 { sum.to_bits() } else { u64::from((sum as f32).to_bits()) })
    }

    fn read(&self, number: usize, index: &[usize]) -> Result<u64> {
        if let Some((_, product)) = self.product.filter(|it| usize::from(it.0) == number) {
            return self.chained(&product, index);
        }
        match &self.run.inputs[number] {
            Given::Number(bits) => Ok(*bits),
            Given::Memory { .. } => self.read_at(number, self.far(number, index)),
        }
    }

    /// An element of a table: how far it is from the one at an index.
    fn read_table(&self, number: usize, table: usize, index: &[usize], far: i64) -> Result<u64> {
        let Value::Input(input) = self.sweep.members[number].args[table] else { unreachable!("a table is an input") };
        let input = usize::from(input);
        self.read_at(input, self.far(input, index) + far)
    }

    /// How far an index is from the first element of an input.
    fn far(&self, number: usize, index: &[usize]) -> i64 {
        let Given::Memory { steps, .. } = &self.run.inputs[number] else { unreachable!("it is memory") };
        let is_unit = self.sweep.inputs[number].access == Access::Unit;
        let step = |axis| steps.get(axis).copied().unwrap_or(i64::from(is_unit));
        index.iter().enumerate().map(|(axis, &at)| at as i64 * step(axis)).sum()
    }

    /// The element of an input that is so far from its first.
    fn read_at(&self, number: usize, far: i64) -> Result<u64> {
        let Given::Memory { first, inside, .. } = &self.run.inputs[number] else { unreachable!("it is memory") };
        let (first, inside, size) = (*first, *inside, self.sweep.inputs[number].dtype.size());
        let from = first.wrapping_add_signed(far * size as i64);
        if from < inside.0 || from + size as u64 > inside.1 {
            return Err(BackendError(format!("simt: element {far} of input {number} is not inside its memory")));
        }
        self.element(from, size)
    }

    /// An element of an output: its number, and how far it is from the first.
    fn write(&mut self, output: usize, (at, far): (usize, i64), bits: u64) -> Result<()> {
        let member = self.sweep.outputs[output];
        let size = self.sweep.members[usize::from(member)].dtype.size();
        if at >= self.size(member) {
            return Err(BackendError(format!("simt: element {at} of output {output} is written, and is none")));
        }
        if !self.written.insert((output, far)) {
            return Err(BackendError(format!("simt: element {far} of output {output} is written twice")));
        }
        let to = self.run.outputs[output].wrapping_add_signed(far * size as i64);
        if let Some((block, thread)) = self.block.zip(self.thread.get()) {
            block.touched.borrow_mut().write(to, thread)?;
        }
        let to = std::ptr::with_exposed_provenance_mut::<u8>(to as usize);
        // SAFETY: the caller has room for as many elements.
        unsafe { std::ptr::copy_nonoverlapping((&raw const bits).cast::<u8>(), to, size) };
        Ok(())
    }

    /// What a member is, at a position of what it gives and an index of tables. What it has of tables is not looked at.
    fn job(&self, number: usize, args: &[u64], at: usize, index: &[usize]) -> Result<u64> {
        let member = &self.sweep.members[number];
        let from_start = |at: u64, size: u64| if at.cast_signed() < 0 { at.wrapping_add(size) } else { at };
        match member.job {
            Job::Bits { stream } => return Ok(word(args[0], stream, at as u64)),
            Job::Gather => {
                let far = |it: &[u64]| (from_start(it[0], it[1]) * it[2]).cast_signed();
                return self.read_table(number, 0, index, args[1..].chunks(3).map(far).sum());
            }
            Job::Concat(axis) => {
                let along = axis.at(at as u64);
                let part = (2..args.len()).step_by(2).rfind(|it| along >= args[it - 1]);
                return self.read_table(number, part.unwrap_or(0), index, 0);
            }
            Job::Triangle { rows, columns, lower } => {
                let [row, column] = [rows, columns].map(|it| it.at(at as u64).cast_signed());
                let diagonal = row + args[1].cast_signed();
                let stays = if lower { column <= diagonal } else { column >= diagonal };
                return Ok(if stays { args[0] } else { 0 });
            }
            Job::AddAt(axis) => {
                let dtype = member.dtype;
                let is_it = from_start(args[0], axis.size) == axis.at(at as u64);
                let added = if is_it { args[1] } else { 0 };
                let sum = element(Job::Num2(Num2::Add), &[dtype; 2], dtype, &[0, added]);
                return Ok(sum.expect("floats are added"));
            }
            _ => {}
        }
        let takes: Vec<Dtype> = member.args.iter().map(|&it| self.sweep.dtype(it)).collect();
        let found = computed(member.job, &takes, member.dtype, args);
        found.ok_or_else(|| BackendError(format!("simt: no rule for {:?} of {takes:?}", member.job)))
    }

    fn flat(&mut self, piece: usize, count: usize) -> Result<()> {
        let (first, end) = (piece * PIECE, count.min((piece + 1) * PIECE));
        let turn = self.random.below((end - first) as u64) as usize;
        for number in 0..end - first {
            let position = first + (number + turn) % (end - first);
            self.thread.set(self.block.map(|it| (position % it.threads) as u64));
            let mut rest = position;
            let mut index: Vec<usize> = self.run.dims[1..]
                .iter()
                .rev()
                .map(|&dim| {
                    let at = rest % dim;
                    rest /= dim;
                    at
                })
                .collect();
            index.push(rest);
            index.reverse();
            let mut members: Vec<u64> = Vec::new();
            for number in 0..self.sweep.members.len() {
                let job = self.sweep.members[number].job;
                let one = |(arg, it): (usize, &Value)| match *it {
                    Value::Input(_) if job.has_table(arg) => Ok(0),
                    Value::Input(at) => self.read(usize::from(at), &index),
                    Value::Member(at) => Ok(members[usize::from(at)]),
                };
                let args = self.sweep.members[number].args.iter().enumerate().map(one).collect::<Result<Vec<_>>>()?;
                let made = self.job(number, &args, position, &index)?;
                members.push(made);
            }
            for output in 0..self.sweep.outputs.len() {
                let far = index.iter().zip(&self.run.to_steps).map(|(&at, &step)| at as i64 * step).sum();
                let place = if self.sweep.strided { far } else { position as i64 };
                self.write(output, (position, place), members[usize::from(self.sweep.outputs[output])])?;
            }
        }
        Ok(())
    }

    /// What each thread does.
    fn steps(&self, teams: Teams, barriers: bool) -> Vec<Step> {
        let (mut steps, mut rooms) = (Vec::new(), 0);
        for (number, member) in self.sweep.members.iter().enumerate() {
            if !member.job.folds() {
                steps.push(Step::Member(number));
                continue;
            }
            steps.push(Step::Own(number));
            let mut half = LANES / 2;
            while half > 0 {
                steps.push(Step::Halve(number, half));
                half /= 2;
            }
            if teams.per_row == 1 {
                steps.push(Step::Spread(number));
                continue;
            }
            steps.push(Step::Share(rooms));
            if barriers {
                steps.push(Step::Barrier);
            }
            steps.push(Step::Join(number, rooms));
            rooms += teams.threads / LANES;
        }
        steps.push(Step::Store);
        steps
    }

    fn rows(
        &mut self,
        piece: usize,
        (teams, len): (Teams, usize),
        shared: &mut Shared<Part>,
        barriers: bool,
    ) -> Result<()> {
        let steps = self.steps(teams, barriers);
        let mut threads: Vec<Thread> = (0..teams.threads).map(|it| self.thread(it, piece, teams, len)).collect();
        let mut ready: Vec<usize> = (0..teams.threads).collect();
        loop {
            if ready.is_empty() {
                ready = self.release(&mut threads, &steps, shared)?;
                if ready.is_empty() {
                    return Ok(());
                }
            }
            let chosen = self.random.below(ready.len() as u64) as usize;
            let number = ready[chosen];
            let thread = &mut threads[number];
            match steps.get(thread.next) {
                None | Some(Step::Halve(..) | Step::Spread(_) | Step::Barrier) => {
                    ready.swap_remove(chosen);
                }
                Some(&step) => {
                    self.step(thread, number, step, teams, len, shared)?;
                    thread.next += 1;
                }
            }
        }
    }

    fn thread(&self, number: usize, piece: usize, teams: Teams, len: usize) -> Thread {
        let (lane, team) = (number % LANES, number / LANES);
        let (row, team) = if teams.per_row == 1 { (piece * teams.rows + team, 0) } else { (piece, team) };
        let column = |it: usize| Some(team * BLOCK + it * LANES + lane).filter(|&it| it < len);
        Thread {
            next: 0,
            lane,
            team,
            row: Some(row).filter(|&it| it < self.run.dims[0]),
            columns: (0..teams.per_thread).map(column).collect(),
            inputs: vec![None; self.sweep.inputs.len()],
            members: vec![Vec::new(); self.sweep.members.len()],
            all: NOTHING,
        }
    }

    /// Lets those go that all they wait for have come to: the warps that are at a shuffle, or the block at its barrier.
    fn release(&self, threads: &mut [Thread], steps: &[Step], shared: &mut Shared<Part>) -> Result<Vec<usize>> {
        let mut ready = Vec::new();
        let at = threads[0].next;
        if threads.iter().all(|it| it.next == at) && steps.get(at) == Some(&Step::Barrier) {
            self.barrier(shared);
            threads.iter_mut().for_each(|it| it.next += 1);
            return Ok((0..threads.len()).collect());
        }
        for first in (0..threads.len()).step_by(WARP) {
            let warp = &mut threads[first..first + WARP];
            let at = warp[0].next;
            let (Some(&step), true) = (steps.get(at), warp.iter().all(|it| it.next == at)) else { continue };
            let had: Vec<Part> = warp.iter().map(|it| it.all).collect();
            for (number, thread) in warp.iter_mut().enumerate() {
                match step {
                    Step::Halve(member, half) => {
                        let other = if number % LANES + half < LANES { had[number + half] } else { had[number] };
                        thread.all = self.joined(member, had[number], other);
                    }
                    Step::Spread(member) => {
                        thread.members[member] = vec![self.narrowed(member, had[number - number % LANES])];
                    }
                    _ => continue,
                }
                thread.next += 1;
                ready.push(first + number);
            }
        }
        let is_over = threads.iter().all(|it| it.next == steps.len());
        if ready.is_empty() && !is_over {
            return Err(BackendError("simt: not all threads of a block come to one barrier or shuffle".to_owned()));
        }
        Ok(ready)
    }

    /// Two parts of a row as one.
    fn joined(&self, member: usize, x: Part, y: Part) -> Part {
        let it = &self.sweep.members[member];
        let dtype = self.sweep.dtype(it.args[0]);
        match it.job {
            Job::Fold(fold) => Part { bits: join(fold, dtype, x.bits, y.bits), at: None },
            Job::Arg { greatest } => first(greatest, dtype, x, y),
            _ => unreachable!("it folds"),
        }
    }

    /// What changes nothing.
    fn nothing(&self, member: usize) -> Part {
        let it = &self.sweep.members[member];
        match it.job {
            Job::Fold(fold) => Part { bits: neutral(fold, it.dtype), at: None },
            _ => NOTHING,
        }
    }

    /// What was joined, as an element.
    fn narrowed(&self, member: usize, part: Part) -> u64 {
        match part.at {
            Some(at) => at as u64,
            None => of_wide(self.sweep.members[member].dtype, part.bits),
        }
    }

    fn step(
        &mut self,
        thread: &mut Thread,
        number: usize,
        step: Step,
        teams: Teams,
        len: usize,
        shared: &mut Shared<Part>,
    ) -> Result<()> {
        match step {
            Step::Member(at) | Step::Own(at) => {
                let args = self.sweep.members[at].args.clone();
                let job = self.sweep.members[at].job;
                for (arg_at, arg) in args.iter().enumerate() {
                    if let &Value::Input(input) = arg
                        && !job.has_table(arg_at)
                        && thread.inputs[usize::from(input)].is_none()
                    {
                        thread.inputs[usize::from(input)] =
                            Some(self.input(usize::from(input), (number, thread), len)?);
                    }
                }
                if step == Step::Own(at) {
                    let is_arg = matches!(self.sweep.members[at].job, Job::Arg { .. });
                    thread.all = self.nothing(at);
                    for (it, column) in thread.columns.iter().enumerate() {
                        if column.is_some() {
                            let bits = to_wide(self.sweep.dtype(args[0]), thread.get(args[0], it));
                            let mine = Part { bits, at: column.filter(|_| is_arg) };
                            thread.all = self.joined(at, thread.all, mine);
                        }
                    }
                    return Ok(());
                }
                let count = if self.sweep.members[at].level == Level::Row { 1 } else { thread.columns.len() };
                let row = thread.row.unwrap_or(self.run.dims[0] - 1);
                let one = |it: usize| {
                    let counts = self.sweep.members[at].level == Level::Row || thread.columns[it].is_some();
                    self.thread.set((counts && thread.row.is_some()).then_some(number as u64));
                    let of_arg = |(number, &arg)| if job.has_table(number) { 0 } else { thread.get(arg, it) };
                    let args: Vec<u64> = args.iter().enumerate().map(of_arg).collect();
                    let column = thread.columns[it].unwrap_or(len - 1);
                    match self.sweep.members[at].level {
                        Level::Row => self.job(at, &args, row, &[row]),
                        Level::Each => self.job(at, &args, row * len + column, &[row, column]),
                    }
                };
                thread.members[at] = (0..count).map(one).collect::<Result<_>>()?;
            }
            Step::Share(room) if thread.lane == 0 => shared.write(room + thread.team, thread.all, number as u64)?,
            Step::Share(_) => {}
            Step::Join(at, room) => {
                let mut parts = (0..teams.per_row)
                    .map(|team| shared.read(room + team, number as u64))
                    .collect::<Result<Vec<_>>>()?;
                while parts.len() > 1 {
                    let pair = |it: &[Part]| if let &[x, y] = it { self.joined(at, x, y) } else { it[0] };
                    parts = parts.chunks(2).map(pair).collect();
                }
                thread.members[at] = vec![self.narrowed(at, parts[0])];
            }
            Step::Store => {
                self.thread.set(Some(number as u64));
                self.store(thread, len)?;
            }
            Step::Halve(..) | Step::Spread(_) | Step::Barrier => unreachable!("others are waited for"),
        }
        Ok(())
    }

    fn input(&self, number: usize, (who, thread): (usize, &Thread), len: usize) -> Result<Vec<u64>> {
        let Input { level, access, .. } = self.sweep.inputs[number];
        let row = thread.row.unwrap_or(self.run.dims[0] - 1);
        let counts = |is_there: bool| self.thread.set((is_there && thread.row.is_some()).then_some(who as u64));
        counts(true);
        if access == Access::Number || level == Level::Row {
            return Ok(vec![self.read(number, &[row])?]);
        }
        let one = |it: &Option<usize>| {
            counts(it.is_some());
            self.read(number, &[row, it.unwrap_or(len - 1)])
        };
        thread.columns.iter().map(one).collect()
    }

    fn store(&mut self, thread: &Thread, len: usize) -> Result<()> {
        let Some(row) = thread.row else { return Ok(()) };
        for output in 0..self.sweep.outputs.len() {
            let member = Value::Member(self.sweep.outputs[output]);
            if self.sweep.level(member) == Level::Row {
                if thread.lane == 0 && thread.team == 0 {
                    self.write(output, (row, row as i64), thread.get(member, 0))?;
                }
                continue;
            }
            for (number, column) in thread.columns.iter().enumerate() {
                if let Some(column) = column {
                    let at = row * len + column;
                    self.write(output, (at, at as i64), thread.get(member, number))?;
                }
            }
        }
        Ok(())
    }
}

/// Of two parts, the one whose element comes first, as [`Job::Arg`] has it.
fn first(greatest: bool, dtype: Dtype, x: Part, y: Part) -> Part {
    let (Some(x_at), Some(y_at)) = (x.at, y.at) else { return if y.at.is_some() { y } else { x } };
    let wide = if dtype.is_float() && dtype != Dtype::F64 { Dtype::F32 } else { dtype };
    let compare = |op, x, y| element(Job::Compare(op), &[wide; 2], Dtype::Bool, &[x, y]) == Some(1);
    let is_nan = |it: Part| compare(Cmp::Ne, it.bits, it.bits);
    let beats = compare(if greatest { Cmp::Gt } else { Cmp::Lt }, y.bits, x.bits);
    let wins = match (is_nan(x), is_nan(y)) {
        (true, true) => y_at < x_at,
        (true, false) => false,
        (false, true) => true,
        (false, false) => beats || compare(Cmp::Eq, x.bits, y.bits) && y_at < x_at,
    };
    if wins { y } else { x }
}

/// An element as what is computed with: half precision as a single.
fn to_wide(dtype: Dtype, bits: u64) -> u64 {
    match dtype {
        Dtype::F16 | Dtype::Bf16 => element(Job::Cast, &[dtype], Dtype::F32, &[bits]).expect("there is a conversion"),
        Dtype::Bool | Dtype::I32 | Dtype::I64 | Dtype::F32 | Dtype::F64 => bits,
    }
}

/// And back.
fn of_wide(dtype: Dtype, bits: u64) -> u64 {
    match dtype {
        Dtype::F16 | Dtype::Bf16 => element(Job::Cast, &[Dtype::F32], dtype, &[bits]).expect("there is a conversion"),
        Dtype::Bool | Dtype::I32 | Dtype::I64 | Dtype::F32 | Dtype::F64 => bits,
    }
}

/// What a job makes of elements, with the functions of devices.
pub(crate) fn computed(job: Job, takes: &[Dtype], gives: Dtype, args: &[u64]) -> Option<u64> {
    let is_double = takes[0] == Dtype::F64;
    let float = |at: usize| match takes[at] {
        Dtype::F64 => f64::from_bits(args[at]),
        dtype => f64::from(f32::from_bits(to_wide(dtype, args[at]) as u32)),
    };
    let rounded = |it: f64| if is_double { it.to_bits() } else { of_wide(gives, u64::from((it as f32).to_bits())) };
    let dtype = if is_double { Dtype::F64 } else { Dtype::F32 };
    let of_two = |op| rounded(math::elements(&Native, op, dtype, float(0), float(1)));
    match job {
        Job::Real1(op) => Some(rounded(math::element(&Native, op, dtype, float(0)))),
        Job::Real2(Real2::Fmod) => Some(rounded(Two::Fmod.on(&Native, float(0), float(1)))),
        Job::Real2(Real2::NextAfter) if takes[0].size() < 4 => None,
        Job::Real2(op) => math::of_two(op).map(of_two),
        Job::Num2(Num2::Pow) if takes[0].is_float() => Some(of_two(Element2::Pow)),
        _ => None,
    }
    .or_else(|| element(job, takes, gives, args))
}
