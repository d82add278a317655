//! Groups that reduce rows: softmax, means, norms, in one pass.
//!
//! The elements of such a group have one shape, and its reductions are over the same last axes: the *rows*. What is computed
//! of elements stays in blocks of the scratch memory, what a row is reduced to in a word for each row. Rows that are short
//! go through all steps several at a time. A row that is longer than the cache goes through them in parts, as far as the
//! first reduction, from there to the next one, and so on; which is possible where nothing but operands is needed twice.

use smallvec::SmallVec;

use super::layout::Cursor;
use super::{At, Group, Input, Known, Member, Place, Role, Run, Scratch, run_of, shape_of};
use crate::home::Home;
use crate::sizes;
use crate::tensor::error::Result;
use crate::tensor::op::{Given, Operand, TensorOp};
use crate::tensor::reduce::{self, RowFold};
use crate::tensor::walk::worth;
use crate::tensor::{Dtype, Tensor};
use crate::threads::{self, Shared};
use crate::types::{TensorType, Type};

/// Bytes of a block that several rows are put in.
const BLOCK: usize = 8 << 10;
/// Bytes of all blocks of a row that goes through all steps at once.
const CACHE: usize = 256 << 10;
/// Elements of a part of a row: whole blocks of its reductions.
const PART: usize = 4 * reduce::BLOCK;
/// Elements that a row has at least: loops over shorter ones cost more than what they save.
const LEAST: usize = 4;
/// Elements of a row at most for which what it is reduced to is written out, so that several rows are one loop.
const SHORT: usize = 64;
/// Elements that are written at once for that, past the end of a row if it is shorter.
const AT_ONCE: usize = 16;

/// What a step does.
#[derive(Clone, Copy)]
enum Work {
    /// Something with each element of a row.
    Elements(Run),
    /// Something with what each row is reduced to.
    Rows(Run),
    /// Reduces each row.
    Fold(RowFold),
}

#[derive(Clone, Copy)]
struct Step {
    work: Work,
    args: SmallArgs,
    to: u16,
    /// How many reductions come before.
    level: u16,
}

/// One to three values.
#[derive(Clone, Copy)]
struct SmallArgs([u16; 3], u8);

impl SmallArgs {
    fn new(args: &[u16]) -> Self {
        let at = |it: usize| args.get(it).or(args.first()).copied().unwrap_or_default();
        Self([at(0), at(1), at(2)], args.len() as u8)
    }

    fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.0[..usize::from(self.1)].iter().map(|it| usize::from(*it))
    }
}

/// Writes out a value of each of `n` rows, as often as a row has elements.
///
/// # Safety
/// There are so many values of this size, and room for all elements and [`AT_ONCE`] more.
unsafe fn spread(to: *mut u8, from: At, n: usize, len: usize, size: usize) {
    /// # Safety
    /// As above.
    unsafe fn of<T: Copy>(to: *mut u8, from: At, n: usize, len: usize) {
        for row in 0..n {
            // SAFETY: the caller's.
            unsafe {
                let value = *from.ptr.wrapping_offset(from.step * row as isize).cast::<T>();
                for begin in (0..len).step_by(AT_ONCE) {
                    to.cast::<T>().add(row * len + begin).cast::<[T; AT_ONCE]>().write_unaligned([value; AT_ONCE]);
                }
            }
        }
    }
    // SAFETY: the caller's.
    unsafe {
        match size {
            1 => of::<u8>(to, from, n, len),
            2 => of::<u16>(to, from, n, len),
            4 => of::<u32>(to, from, n, len),
            _ => of::<u64>(to, from, n, len),
        }
    }
}

/// How a group goes through its rows.
pub(super) struct Rows {
    dims: Vec<usize>,
    /// How many rows there are, and how long they are.
    count: usize,
    len: usize,
    steps: Vec<Step>,
    /// Blocks of elements, and words for each row.
    blocks: usize,
    words: usize,
    /// How many values of rows a step takes beside elements, at most, if rows are short.
    spread: usize,
    levels: u16,
    /// Whether a row goes through the steps in parts.
    in_parts: bool,
}

/// Whether an operation reduces, as far as can be said without its operands.
pub(super) fn is_fold(op: &TensorOp) -> bool {
    matches!(op, TensorOp::Fold { .. } | TensorOp::Test { .. } | TensorOp::ArgExtreme { .. })
}

/// The shape of a value, and how many of its last axes are reduced, by the first reduction among members.
fn layout(inputs: &[Input], members: &[Member]) -> Option<(Vec<usize>, usize)> {
    let mut types: Vec<Type> = inputs
        .iter()
        .map(|it| match it {
            Input::Tensor(ty) => Type::Tensor(*ty),
            Input::Number => Type::I64,
        })
        .collect();
    for member in members {
        let args: Vec<Type> =
            member.args.iter().map(|it| types.get(usize::from(*it)).copied()).collect::<Option<_>>()?;
        if is_fold(&member.op) {
            let [Type::Tensor(ty)] = args[..] else { return None };
            let dims = ty.shape.dims().to_vec();
            let (_, axes) = reduce::row_fold(&member.op, ty.dtype, dims.len())?;
            return Some((dims, axes));
        }
        types.push(match (&member.op, member.op.results(&args).ok()?.as_slice()) {
            (_, [ty]) => *ty,
            _ => return None,
        });
    }
    None
}

/// Builds the rows of a group.
struct Maker<'a> {
    rows: Rows,
    lead: usize,
    group: &'a mut super::Maker,
    /// How many reductions come before each value.
    level: Vec<u16>,
}

/// A group of these members, of which one reduces, if they fit.
pub(super) fn make(gives: &[usize], inputs: Vec<Input>, members: Vec<Member>) -> Option<Group> {
    let (dims, axes) = layout(&inputs, &members)?;
    let lead = dims.len() - axes;
    let (count, len) = (sizes::product(&dims[..lead]), sizes::product(&dims[lead..]));
    if count == 0 || len < LEAST {
        return None;
    }
    let mut group = super::Maker::default();
    group.inputs(&inputs, members.len())?;
    let rows = Rows { dims, count, len, steps: Vec::new(), blocks: 0, words: 0, spread: 0, levels: 0, in_parts: false };
    let level = vec![0; inputs.len()];
    let mut maker = Maker { rows, lead, group: &mut group, level };
    for member in &members {
        let (known, level) = maker.member(member)?;
        maker.group.values.push(known);
        maker.level.push(level);
    }
    let last = *maker.group.values.last()?;
    if last.ty.shape.dims() != gives {
        return None;
    }
    let rows = maker.finish(inputs.len())?;
    let widest = group.values.iter().filter(|it| it.place != Place::Number).map(|it| it.ty.dtype.size()).max()?;
    let super::Maker { values, views, numbers, once, once_steps, .. } = group;
    Some(Group {
        inputs,
        members,
        gives: last.ty,
        values,
        views,
        numbers,
        once,
        once_steps,
        steps: Vec::new(),
        blocks: 0,
        widest,
        spare: 0,
        rows: Some(rows),
        is_chain: false,
        writes: false,
    })
}

impl Maker<'_> {
    /// Whether a shape has one element for each row, with axes of one element for those that were reduced or without.
    fn is_of_rows(&self, dims: &[usize]) -> bool {
        let (lead, rest) = (&self.rows.dims[..self.lead], dims.get(self.lead..));
        dims.starts_with(lead)
            && rest.is_some_and(|rest| rest.iter().all(|it| *it == 1))
            && dims.len() <= self.rows.dims.len()
    }

    /// Whether a value of each row goes with all elements of it.
    fn goes_along(&self, dims: &[usize]) -> bool {
        dims == self.rows.dims || self.rows.count == 1 || dims.len() == self.rows.dims.len() && self.is_of_rows(dims)
    }

    /// Whether a shape is stretched to that of the elements.
    fn stretches(&self, from: &[usize]) -> bool {
        let to = &self.rows.dims;
        let new = to.len().checked_sub(from.len());
        new.is_some_and(|new| from.iter().zip(&to[new..]).all(|(from, to)| from == to || *from == 1))
    }

    fn member(&mut self, member: &Member) -> Option<(Known, u16)> {
        let here = u16::try_from(self.group.values.len()).ok()?;
        let known = |at: &u16| self.group.values.get(usize::from(*at)).copied();
        let args: Vec<Known> = member.args.iter().map(known).collect::<Option<_>>()?;
        let level = member.args.iter().map(|it| self.level[usize::from(*it)]).max().unwrap_or(0);
        if is_fold(&member.op) {
            let &[from] = &args[..] else { return None };
            let is_element = matches!(from.place, Place::Passed | Place::View(_) | Place::Block(_));
            let (fold, axes) = reduce::row_fold(&member.op, from.ty.dtype, from.ty.shape.dims().len())?;
            if !is_element || *from.ty.shape.dims() != self.rows.dims[..] || axes != self.rows.dims.len() - self.lead {
                return None;
            }
            self.rows.steps.push(Step { work: Work::Fold(fold), args: SmallArgs::new(&member.args), to: here, level });
            let ty = TensorType::new(fold.gives, &self.rows.dims[..self.lead]);
            return Some((Known { ty, place: Place::Row(u16::MAX) }, level + 1));
        }
        match Role::of(&member.op)? {
            Role::View if matches!(args.first()?.place, Place::Row(_) | Place::SameRow(_)) => {
                let ty = shape_of(&member.op, &args)?;
                let keeps =
                    matches!(member.op, TensorOp::InsertAxis(_) | TensorOp::Reshape(_) | TensorOp::Broadcast(_));
                let dims = ty.shape.dims();
                let from = args[0].ty.shape.dims();
                // A view that only says which axes go along with which: the elements of rows stay where they are.
                let stays = self.is_of_rows(dims) || *dims == self.rows.dims[..] && self.goes_along(from);
                (keeps && args.len() == 1 && stays)
                    .then(|| (Known { ty, place: Place::SameRow(member.args[0]) }, level))
            }
            Role::View => {
                let is_there = |it: &Known| matches!(it.place, Place::Passed | Place::View(_));
                if !is_there(args.first()?) || args[1..].iter().any(|it| it.place != Place::Number) {
                    return None;
                }
                let number = u16::try_from(self.group.views.len()).ok()?;
                self.group.views.push(here);
                Some((Known { ty: shape_of(&member.op, &args)?, place: Place::View(number) }, 0))
            }
            Role::Item => self.group.item(member, &args, here).map(|known| (known, 0)),
            Role::Each => self.each(member, &args, here, level),
            Role::Fold => None,
        }
    }

    fn each(&mut self, member: &Member, args: &[Known], here: u16, level: u16) -> Option<(Known, u16)> {
        if args.iter().any(|it| it.place == Place::Number) {
            return None;
        }
        let dtypes: SmallVec<[Dtype; 3]> = args.iter().map(|it| it.ty.dtype).collect();
        let (run, gives) = run_of(&member.op, &dtypes)?;
        let is_row = |it: &Known| matches!(it.place, Place::Row(_) | Place::SameRow(_));
        let is_one = |it: &Known| it.place == Place::Once || !is_row(it) && it.ty.count() == 1;
        let step = |work| Step { work, args: SmallArgs::new(&member.args), to: here, level };
        if args.iter().all(is_one) {
            let shape = args.iter().map(|it| it.ty.shape).max_by_key(|it| it.dims().len())?;
            self.group.once_steps.push(super::Step::new(run, &member.args, here, false));
            return Some((Known { ty: TensorType { dtype: gives, home: Home::HERE, shape }, place: Place::Once }, 0));
        }
        let ty = shape_of(&member.op, args)?;
        let dims = ty.shape.dims();
        if *dims == self.rows.dims[..] {
            let fits = |it: &Known| match it.place {
                Place::Row(_) | Place::SameRow(_) => self.goes_along(it.ty.shape.dims()),
                _ => is_one(it) || self.stretches(it.ty.shape.dims()),
            };
            if !args.iter().all(fits) {
                return None;
            }
            self.rows.steps.push(step(Work::Elements(run)));
            return Some((Known { ty, place: Place::Block(u16::MAX) }, level));
        }
        // Of rows, all in the order of the rows.
        let fits = |it: &Known| {
            is_one(it) || self.is_of_rows(it.ty.shape.dims()) && (is_row(it) || *it.ty.shape.dims() == *dims)
        };
        if !self.is_of_rows(dims) || !args.iter().all(fits) {
            return None;
        }
        self.rows.steps.push(step(Work::Rows(run)));
        Some((Known { ty, place: Place::Row(u16::MAX) }, level))
    }

    /// Gives each intermediate result its place.
    fn finish(mut self, inputs: usize) -> Option<Rows> {
        let values = &mut self.group.values;
        // Views of what rows are reduced to are the same words.
        let root = |values: &[Known], mut at: usize| {
            while let Place::SameRow(of) = values[at].place {
                at = usize::from(of);
            }
            at
        };
        let result = values.len() - 1;
        match values[root(values, result)].place {
            Place::Block(_) if !matches!(values[result].place, Place::SameRow(_)) => {
                values[result].place = Place::Result
            }
            Place::Row(_) if *values[result].ty.shape.dims() != self.rows.dims[..] => {
                let at = root(values, result);
                values[at].place = Place::ResultRow;
            }
            _ => return None,
        }
        for step in &mut self.rows.steps {
            for at in &mut step.args.0 {
                *at = root(values, usize::from(*at)) as u16;
            }
        }
        let mut last = vec![0; values.len()];
        for (number, step) in self.rows.steps.iter().enumerate() {
            step.args.iter().for_each(|at| last[at] = number);
        }
        let (mut free, mut crosses) = (Vec::new(), false);
        for (number, step) in self.rows.steps.iter().enumerate() {
            match &mut values[usize::from(step.to)].place {
                Place::Block(block) => {
                    *block = free.pop().unwrap_or_else(|| {
                        self.rows.blocks += 1;
                        self.rows.blocks as u16 - 1
                    });
                }
                Place::Row(word) => {
                    *word = self.rows.words as u16;
                    self.rows.words += 1;
                }
                _ => {}
            }
            for at in step.args.iter().filter(|at| *at >= inputs) {
                let Place::Block(block) = values[at].place else { continue };
                let is_of_elements = !matches!(step.work, Work::Rows(_));
                crosses |= is_of_elements && self.level[at] != step.level;
                if last[at] == number && !free.contains(&block) {
                    free.push(block);
                }
            }
        }
        if self.rows.len <= SHORT {
            let of_rows = |at: usize| matches!(values[at].place, Place::Row(_) | Place::ResultRow);
            let spread = |it: &Step| match it.work {
                Work::Elements(_) => it.args.iter().filter(|at| of_rows(*at)).count(),
                Work::Rows(_) | Work::Fold(_) => 0,
            };
            self.rows.spread = self.rows.steps.iter().map(spread).max().unwrap_or(0);
        }
        self.rows.levels = self.rows.steps.iter().map(|it| it.level).max()? + 1;
        let laid_out = inputs;
        let bytes = self.rows.len * 8 * (self.rows.blocks + laid_out + 1);
        if bytes > CACHE {
            let has_parts = |step: &Step| !matches!(step.work, Work::Fold(RowFold { parts: None, .. }));
            if !crosses && self.rows.steps.iter().all(has_parts) {
                self.rows.in_parts = true;
            } else if bytes > 4 * CACHE {
                return None;
            }
        }
        Some(self.rows)
    }
}

/// Where the values of a group are, for the elements of some rows.
#[derive(Clone)]
struct Places {
    /// As elements.
    at: SmallVec<[At; 24]>,
    /// As values of rows; `step` and `advance` are to the next row.
    rows: SmallVec<[At; 24]>,
    /// Where values of rows are written out.
    spread: SmallVec<[*mut u8; 2]>,
    laid_out: SmallVec<[(usize, Cursor); 2]>,
}

impl Rows {
    /// How many elements are computed or reduced by loops in all.
    pub(super) fn work(&self) -> usize {
        let of = |step: &Step| {
            if matches!(step.work, Work::Rows(_)) { self.count } else { self.count.saturating_mul(self.len) }
        };
        self.steps.iter().map(of).fold(0, usize::saturating_add)
    }

    /// Carries it out.
    pub(super) fn apply(&self, group: &Group, operands: &[Operand<'_>]) -> Result<Given> {
        let mut views: SmallVec<[Tensor; 1]> = SmallVec::new();
        for &it in &group.views {
            views.push(group.view(group.member(it), operands, &views)?);
        }
        let mut once = group.numbers_of(operands)?;
        let out = Tensor::blank(group.gives.dtype, group.gives.shape.dims())?;
        let mut copies: SmallVec<[Tensor; 1]> = SmallVec::new();
        let of_rows = |value: usize| {
            let reads = |it: &Step| matches!(it.work, Work::Rows(_)) && it.args.iter().any(|arg| arg == value);
            self.steps.iter().any(reads)
        };
        let tensor_of = |value: usize| match group.values[value].place {
            Place::Passed => match operands.get(value) {
                Some(Operand::Tensor(it)) => Some(*it),
                _ => None,
            },
            Place::View(number) => Some(&views[usize::from(number)]),
            _ => None,
        };
        for value in 0..group.values.len() {
            if let Some(it) = tensor_of(value)
                && of_rows(value)
                && !it.is_dense()
            {
                copies.push(it.to_dense()?);
            }
        }
        // From here on nothing fails.
        let mut copies_left = copies.iter();
        let mut places =
            Places { at: SmallVec::new(), rows: SmallVec::new(), spread: SmallVec::new(), laid_out: SmallVec::new() };
        for (value, known) in group.values.iter().enumerate() {
            let size = known.ty.dtype.size() as isize;
            let nowhere = At { ptr: out.ptr(), step: 0, advance: 0 };
            let (mut at, mut rows) = (nowhere, nowhere);
            match (tensor_of(value), known.place) {
                (Some(it), _) => {
                    let is_one = it.count() == 1;
                    if of_rows(value) {
                        let dense = if it.is_dense() { it } else { copies_left.next().unwrap_or(it) };
                        let step = if is_one { 0 } else { size };
                        rows = At { ptr: dense.ptr(), step, advance: step };
                    }
                    if is_one {
                        at = At { ptr: it.ptr(), step: 0, advance: 0 };
                    } else if **it.dims() == self.dims[..] && it.is_dense() {
                        at = At { ptr: it.ptr(), step: size, advance: size };
                    } else if self.reads_elements(value) {
                        let cursor = Cursor::new(it, &self.dims);
                        at = match cursor.step() {
                            Some(step) if step == 0 && !self.reduces(value) || step == size => {
                                At { ptr: it.ptr(), step, advance: step }
                            }
                            _ => {
                                places.laid_out.push((value, cursor));
                                At { ptr: it.ptr(), step: size, advance: 0 }
                            }
                        };
                    }
                }
                (None, Place::Result) => at = At { ptr: out.ptr(), step: size, advance: size },
                (None, Place::ResultRow) => rows = At { ptr: out.ptr(), step: size, advance: size },
                (None, Place::Block(_)) => at.step = size,
                (None, Place::Row(_)) => rows.step = size,
                (None, _) => {
                    let ptr = once.as_mut_ptr().wrapping_add(value).cast();
                    (at, rows) = (At { ptr, ..nowhere }, At { ptr, ..nowhere });
                }
            }
            places.at.push(at);
            places.rows.push(rows);
        }
        for step in &group.once_steps {
            // SAFETY: each operand is one element.
            unsafe { step.run(&places.at, 1) };
        }
        if self.in_parts {
            (0..self.count).for_each(|row| self.go_in_parts(group, &places, row));
        } else {
            let (least, shared) = (worth(true).div_ceil(self.len), Shared(&places));
            threads::share(self.count, 1, least, |part| {
                let shared = &shared;
                self.go(group, shared.0.clone(), part.start, part.len());
            });
        }
        Ok(Given::Tensor(out))
    }

    /// Whether a step reduces a value: then its elements lie one after another.
    fn reduces(&self, value: usize) -> bool {
        self.steps.iter().any(|it| matches!(it.work, Work::Fold(_)) && usize::from(it.args.0[0]) == value)
    }

    /// Whether a step reads a value as elements.
    fn reads_elements(&self, value: usize) -> bool {
        self.steps.iter().any(|it| !matches!(it.work, Work::Rows(_)) && it.args.iter().any(|arg| arg == value))
    }

    /// The places as they are from a row on.
    fn begin(&self, places: &mut Places, row: usize) {
        for (at, rows) in places.at.iter_mut().zip(&mut places.rows) {
            at.ptr = at.ptr.wrapping_offset(at.advance * (row * self.len) as isize);
            rows.ptr = rows.ptr.wrapping_offset(rows.advance * row as isize);
        }
        places.laid_out.iter_mut().for_each(|(_, cursor)| cursor.skip(row * self.len));
    }

    /// All steps on some rows, as many at a time as stay in the cache.
    fn go(&self, group: &Group, mut places: Places, first: usize, count: usize) {
        self.begin(&mut places, first);
        let at_once = (BLOCK / (self.len * group.widest)).clamp(1, count.max(1));
        let past_the_end = if self.spread > 0 { AT_ONCE } else { 0 };
        let stride = ((at_once * self.len + past_the_end) * group.widest).next_multiple_of(64);
        let words = (at_once * 8).next_multiple_of(64);
        let filled = self.blocks + places.laid_out.len();
        let blocks = filled + self.spread;
        Scratch::with(blocks * stride + self.words * words, |scratch| {
            let slot = |number: usize| scratch.wrapping_add(number * stride);
            let word = |number: usize| scratch.wrapping_add(blocks * stride + number * words);
            for (value, known) in group.values.iter().enumerate() {
                match known.place {
                    Place::Block(number) => places.at[value].ptr = slot(usize::from(number)),
                    Place::Row(number) => places.rows[value].ptr = word(usize::from(number)),
                    _ => {}
                }
            }
            for (number, (value, _)) in places.laid_out.iter().enumerate() {
                places.at[*value].ptr = slot(self.blocks + number);
            }
            places.spread = (filled..blocks).map(slot).collect();
            let mut left = count;
            while left > 0 {
                let n = at_once.min(left);
                for (value, cursor) in &mut places.laid_out {
                    // SAFETY: the slot has room for so many rows.
                    unsafe { cursor.fill(places.at[*value].ptr, n * self.len) };
                }
                for step in &self.steps {
                    // SAFETY: every place has the elements of so many rows, or a value for each.
                    unsafe { self.run(group, step, &places, n) };
                }
                for (at, rows) in places.at.iter_mut().zip(&mut places.rows) {
                    at.ptr = at.ptr.wrapping_offset(at.advance * (n * self.len) as isize);
                    rows.ptr = rows.ptr.wrapping_offset(rows.advance * n as isize);
                }
                left -= n;
            }
        });
    }

    /// # Safety
    /// All places have the elements of `n` whole rows, or a value for each.
    unsafe fn run(&self, group: &Group, step: &Step, places: &Places, n: usize) {
        let to = usize::from(step.to);
        match step.work {
            Work::Rows(run) => {
                let [a, b, c] = step.args.0;
                let args = [places.rows[usize::from(a)], places.rows[usize::from(b)], places.rows[usize::from(c)]];
                // SAFETY: the caller's.
                unsafe { run.call(places.rows[to], args, n) };
            }
            Work::Fold(fold) => {
                let from = places.at[usize::from(step.args.0[0])];
                let across = from.step * self.len as isize;
                // SAFETY: the caller's; what is reduced lies dense.
                unsafe { (fold.rows)(places.rows[to].ptr, from.ptr, across, n, self.len) };
            }
            Work::Elements(run) => {
                let is_row = |it: u16| matches!(group.values[usize::from(it)].place, Place::Row(_) | Place::ResultRow);
                let [a, b, c] = step.args.0;
                let has_row = is_row(a) || is_row(b) || is_row(c);
                if !has_row || self.spread > 0 {
                    let mut slots = places.spread.iter();
                    let mut at = |value: u16| {
                        let slot = if has_row && is_row(value) { slots.next() } else { None };
                        let Some(&slot) = slot else { return places.at[usize::from(value)] };
                        let size = group.values[usize::from(value)].ty.dtype.size();
                        // SAFETY: the slot has room for so many rows, and for what is written past the last one.
                        unsafe { spread(slot, places.rows[usize::from(value)], n, self.len, size) };
                        At { ptr: slot, step: size as isize, advance: 0 }
                    };
                    // Operands that a step has not are its first one.
                    let first = at(a);
                    let taken = usize::from(step.args.1);
                    let second = if taken > 1 { at(b) } else { first };
                    let third = if taken > 2 { at(c) } else { first };
                    // SAFETY: the caller's.
                    return unsafe { run.call(places.at[to], [first, second, third], n * self.len) };
                }
                for row in 0..n {
                    let at = |value: u16| {
                        if is_row(value) {
                            let it = places.rows[usize::from(value)];
                            return At { ptr: it.ptr.wrapping_offset(it.step * row as isize), step: 0, advance: 0 };
                        }
                        let it = places.at[usize::from(value)];
                        At { ptr: it.ptr.wrapping_offset(it.step * (row * self.len) as isize), ..it }
                    };
                    // SAFETY: the caller's.
                    unsafe { run.call(at(step.to), step.args.0.map(at), self.len) };
                }
            }
        }
    }

    /// All steps on one row, part by part, level by level.
    fn go_in_parts(&self, group: &Group, places: &Places, row: usize) {
        let mut places = places.clone();
        self.begin(&mut places, row);
        let mut words = vec![0_u64; self.words];
        for (value, known) in group.values.iter().enumerate() {
            if let Place::Row(number) = known.place {
                places.rows[value].ptr = words.as_mut_ptr().wrapping_add(usize::from(number)).cast();
            }
        }
        for level in 0..=self.levels {
            let steps = || self.steps.iter().filter(|it| it.level == level);
            for step in steps().filter(|it| matches!(it.work, Work::Rows(_))) {
                // SAFETY: one row.
                unsafe { self.run(group, step, &places, 1) };
            }
            let folds: Vec<&Step> = steps().filter(|it| matches!(it.work, Work::Fold(_))).collect();
            let mut sums = vec![vec![0_u64; self.len.div_ceil(reduce::BLOCK)]; folds.len()];
            let into: Vec<*mut u64> = sums.iter_mut().map(|it| it.as_mut_ptr()).collect();
            let shared = Shared((&places, &into));
            if steps().all(|it| matches!(it.work, Work::Rows(_))) {
                continue;
            }
            threads::share(self.len, PART, worth(true), |range| {
                let shared = &shared;
                let (places, into) = shared.0;
                self.go_through(group, places.clone(), level, into, range.start, range.len());
            });
            for (step, sums) in folds.iter().zip(&sums) {
                let Work::Fold(RowFold { parts: Some(parts), gives, .. }) = step.work else { continue };
                let bits = parts.finish(sums);
                // SAFETY: there is room for an element of a row, whose bytes are the first of the word.
                unsafe {
                    let to = places.rows[usize::from(step.to)].ptr;
                    std::ptr::copy_nonoverlapping((&raw const bits).cast::<u8>(), to, gives.size());
                }
            }
        }
    }

    /// The steps of a level on a range of a row.
    fn go_through(&self, group: &Group, mut places: Places, level: u16, into: &[*mut u64], first: usize, count: usize) {
        for at in &mut places.at {
            at.ptr = at.ptr.wrapping_offset(at.advance * first as isize);
        }
        places.laid_out.iter_mut().for_each(|(_, cursor)| cursor.skip(first));
        let stride = (PART.min(count) * group.widest).next_multiple_of(64);
        Scratch::with((self.blocks + places.laid_out.len()) * stride, |scratch| {
            for (value, known) in group.values.iter().enumerate() {
                if let Place::Block(number) = known.place {
                    places.at[value].ptr = scratch.wrapping_add(usize::from(number) * stride);
                }
            }
            for (number, (value, _)) in places.laid_out.iter().enumerate() {
                places.at[*value].ptr = scratch.wrapping_add((self.blocks + number) * stride);
            }
            for begin in (0..count).step_by(PART) {
                let n = PART.min(count - begin);
                for (value, cursor) in &mut places.laid_out {
                    // SAFETY: the slot has room for a part.
                    unsafe { cursor.fill(places.at[*value].ptr, n) };
                }
                let mut fold_number = 0;
                for step in self.steps.iter().filter(|it| it.level == level) {
                    match step.work {
                        Work::Rows(_) => {}
                        Work::Fold(fold) => {
                            let from = places.at[usize::from(step.args.0[0])];
                            let to = into[fold_number].wrapping_add((first + begin) / reduce::BLOCK);
                            fold_number += 1;
                            if let Some(parts) = &fold.parts {
                                // SAFETY: there is a place for each block, and the part begins with one.
                                unsafe { (parts.blocks)(from.ptr, n, to) };
                            }
                        }
                        Work::Elements(run) => {
                            let at = |value: u16| match group.values[usize::from(value)].place {
                                Place::Row(_) | Place::ResultRow => At { step: 0, ..places.rows[usize::from(value)] },
                                _ => places.at[usize::from(value)],
                            };
                            // SAFETY: every place has so many elements, or one for all of them.
                            unsafe { run.call(at(step.to), step.args.0.map(at), n) };
                        }
                    }
                }
                for at in &mut places.at {
                    at.ptr = at.ptr.wrapping_offset(at.advance * n as isize);
                }
            }
        });
    }
}
