//! Several operations in one pass over their elements.
//!
//! A [`Group`] is what the pass `fuse` makes of elementwise operations whose intermediate results nobody else sees. Its
//! result is gone through in blocks that stay in the first-level cache; each step is the loop that the operation has
//! anyway (`Loop`), so that the bits are the same. Operands that lie dense are read in place; what is the same
//! everywhere is computed once; others are laid out block by block. Groups that reduce are in `rows`.

mod chain;
mod layout;
mod rows;
mod text;

use std::cell::Cell;
use std::fmt;

use smallvec::SmallVec;

use super::elem::{Elem, by_dtype};
use super::elementwise::{Loop, Rows, select_rows};
use super::error::Result;
use super::op::{Given, Operand, TensorOp, mismatch, number_of};
use super::shape::Steps;
use super::{Dtype, Item, Tensor, cast, layout as views, trace};
use crate::home::Home;
use crate::types::{TensorType, Type};
use layout::{Cursor, copy_rows};

/// Bytes of a block of the widest elements at most.
const BLOCK: usize = 4096;
/// Bytes of all blocks together at most, where that leaves blocks worth the name.
const CACHE: usize = 24 << 10;
/// Elements of a block at least.
const LEAST: usize = 128;

/// An operand of a group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Input {
    /// A tensor of this type.
    Tensor(TensorType),
    /// A number.
    Number,
}

/// An operation of a group.
#[derive(Clone, PartialEq, Debug)]
pub struct Member {
    /// The operation.
    pub op: TensorOp,
    /// Its operands: inputs are numbered first, then members, in order.
    pub args: Vec<u16>,
}

/// What an operation can be in a group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// It gives a view of an input.
    View,
    /// It gives one element, known or from a number.
    Item,
    /// It computes each element by itself.
    Each,
    /// It reduces the last axes.
    Fold,
}

impl TensorOp {
    /// Whether it gives another view of its first operand.
    pub fn is_view(&self) -> bool {
        Role::of(self) == Some(Role::View)
    }
}

impl Role {
    /// The role of an operation, if it has one.
    pub fn of(op: &TensorOp) -> Option<Self> {
        match op {
            TensorOp::Broadcast(_)
            | TensorOp::Reshape(_)
            | TensorOp::Permute(_)
            | TensorOp::InsertAxis(_)
            | TensorOp::Pick { .. }
            | TensorOp::PickAt { .. }
            | TensorOp::Slice { .. }
            | TensorOp::SliceAt { .. }
            | TensorOp::Diagonal { .. } => Some(Self::View),
            TensorOp::Full { home, .. } => (!home.is_there()).then_some(Self::Item),
            TensorOp::Number(_) => Some(Self::Item),
            TensorOp::Num1(_)
            | TensorOp::Real1(_)
            | TensorOp::Bits1(_)
            | TensorOp::Test1(_)
            | TensorOp::Num2(_)
            | TensorOp::Real2(_)
            | TensorOp::Bits2(_)
            | TensorOp::Compare(_)
            | TensorOp::Select
            | TensorOp::Cast(_)
            | TensorOp::Copy => Some(Self::Each),
            op if rows::is_fold(op) => Some(Self::Fold),
            _ => None,
        }
    }
}

/// The loop of an operation.
#[derive(Clone, Copy)]
enum Run {
    One(Loop<2>),
    Two(Loop<3>),
    Three(Loop<4>),
}

impl Run {
    /// # Safety
    /// All places hold `n` elements.
    #[inline]
    unsafe fn call(self, to: At, [a, b, c]: [At; 3], n: usize) {
        // SAFETY: the caller says so, and the loops are those of the dtypes.
        unsafe {
            match self {
                Self::One(run) => run([to.ptr, a.ptr], [to.step, a.step], n),
                Self::Two(run) => run([to.ptr, a.ptr, b.ptr], [to.step, a.step, b.step], n),
                Self::Three(run) => run([to.ptr, a.ptr, b.ptr, c.ptr], [to.step, a.step, b.step, c.step], n),
            }
        }
    }
}

/// The loop of an operation on these dtypes, and what it gives; `None` if it cannot be in a group.
fn run_of(op: &TensorOp, takes: &[Dtype]) -> Option<(Run, Dtype)> {
    // What the exponents are decides whether there is a result.
    let asks = matches!((op, takes), (TensorOp::Num2(op), &[x, _]) if op.is_of_exponents(x));
    if asks { None } else { loop_of(op, takes) }
}

/// The same, whatever else is to be looked at.
fn loop_of(op: &TensorOp, takes: &[Dtype]) -> Option<(Run, Dtype)> {
    fn one(rows: Result<Rows<2>>) -> Option<(Run, Dtype)> {
        rows.ok().map(|it| (Run::One(it.run), it.gives))
    }
    fn two(rows: Result<Rows<3>>) -> Option<(Run, Dtype)> {
        rows.ok().map(|it| (Run::Two(it.run), it.gives))
    }
    match (op, takes) {
        (TensorOp::Num1(op), &[x]) => one(op.rows(x)),
        (TensorOp::Real1(op), &[x]) => one(op.rows(x)),
        (TensorOp::Bits1(op), &[x]) => one(op.rows(x)),
        (TensorOp::Test1(op), &[x]) => one(op.rows(x)),
        (TensorOp::Num2(op), &[x, y]) if x == y => two(op.rows(x)),
        (TensorOp::Real2(op), &[x, y]) if x == y => two(op.rows(x)),
        (TensorOp::Bits2(op), &[x, y]) if x == y => two(op.rows(x)),
        (TensorOp::Compare(op), &[x, y]) if x == y => two(op.rows(x)),
        (TensorOp::Select, &[Dtype::Bool, x, y]) if x == y => Some((Run::Three(select_rows(x)), x)),
        (TensorOp::Cast(to), &[x]) if *to != x => Some((Run::One(cast::rows(x, *to)), *to)),
        (TensorOp::Cast(_) | TensorOp::Copy, &[x]) => Some((Run::One(copy_rows(x)), x)),
        _ => None,
    }
}

/// How many of the last axes an operation reduces, if that is what it does.
pub(crate) fn reduced(op: &TensorOp, from: TensorType) -> Option<usize> {
    super::reduce::row_fold(op, from.dtype, from.shape.dims().len()).map(|(_, axes)| axes)
}

/// Whether an operation on these dtypes has a loop, and can be in a group.
pub(crate) fn has_loop(op: &TensorOp, takes: &[Dtype]) -> bool {
    run_of(op, takes).is_some()
}

/// Whether [`one_element`] knows an operation on these dtypes.
pub(crate) fn has_element(op: &TensorOp, takes: &[Dtype]) -> bool {
    loop_of(op, takes).is_some()
}

/// What an operation makes of one element of each operand; bits are the low ones of the words.
pub(crate) fn one_element(op: &TensorOp, takes: &[Dtype], args: &[u64]) -> Option<u64> {
    let (run, _) = loop_of(op, takes)?;
    let (mut to, mut from) = (0_u64, [0_u64; 3]);
    from[..args.len()].copy_from_slice(args);
    let [to_ptr, a, b, c] =
        [&raw mut to, &raw mut from[0], &raw mut from[1], &raw mut from[2]].map(<*mut u64>::cast::<u8>);
    // SAFETY: a word has room for any element, and is aligned for it.
    unsafe {
        match run {
            Run::One(run) => run([to_ptr, a], [0; 2], 1),
            Run::Two(run) => run([to_ptr, a, b], [0; 3], 1),
            Run::Three(run) => run([to_ptr, a, b, c], [0; 4], 1),
        }
    }
    Some(to)
}

/// Where a value of a group is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    /// It is a number that is passed.
    Number,
    /// It is a tensor that is passed.
    Passed,
    /// It is a view, the one of this number.
    View(u16),
    /// It is one element, computed once.
    Once,
    /// It has a block in the scratch memory.
    Block(u16),
    /// It is the result.
    Result,
    /// It is an element for each row, in a word of the scratch memory.
    Row(u16),
    /// It is a view of that: the same words.
    SameRow(u16),
    /// It is an element for each row, and the result.
    ResultRow,
}

#[derive(Clone, Copy, Debug)]
struct Known {
    ty: TensorType,
    place: Place,
}

/// A loop over blocks or over one element.
#[derive(Clone, Copy)]
struct Step {
    run: Run,
    args: [u16; 3],
    to: u16,
    /// Whether the loop knows results that lie where its operands do.
    in_place: bool,
}

/// Where a value is while a group runs.
#[derive(Clone, Copy)]
struct At {
    ptr: *mut u8,
    /// To the next element.
    step: isize,
    /// To the next block.
    advance: isize,
}

impl Step {
    fn new(run: Run, args: &[u16], to: u16, in_place: bool) -> Self {
        let arg = |at: usize| args.get(at).or(args.first()).copied().unwrap_or_default();
        Self { run, args: [arg(0), arg(1), arg(2)], to, in_place }
    }

    /// The values that it reads.
    fn args(&self) -> &[u16] {
        &self.args[..match self.run {
            Run::One(_) => 1,
            Run::Two(_) => 2,
            Run::Three(_) => 3,
        }]
    }

    /// Whether its loop is as good where it writes over this operand.
    fn writes_over(&self, value: u16) -> bool {
        self.in_place && self.args().iter().filter(|it| **it == value).count() < 2
    }

    /// # Safety
    /// All places of operands and result hold `n` elements.
    #[inline]
    unsafe fn run(&self, at: &[At], n: usize) {
        // Written out: `map` of an array of these is a call for each.
        let [a, b, c] = self.args;
        let args = [at[usize::from(a)], at[usize::from(b)], at[usize::from(c)]];
        // SAFETY: the caller's.
        unsafe { self.run.call(at[usize::from(self.to)], args, n) };
    }
}

/// Operations that are carried out in one pass.
pub struct Group {
    inputs: Vec<Input>,
    members: Vec<Member>,
    /// The result.
    gives: TensorType,
    values: Vec<Known>,
    /// The members that are views, in order.
    views: Vec<u16>,
    /// The members that convert a number.
    numbers: Vec<u16>,
    /// What is known of the elements that are computed once, by value.
    once: Vec<u64>,
    once_steps: Vec<Step>,
    steps: Vec<Step>,
    /// How many blocks of scratch memory the steps need.
    blocks: usize,
    /// Bytes of the widest elements.
    widest: usize,
    /// The inputs whose memory may become the result's.
    spare: u32,
    /// How rows are reduced, if they are. Then there are no steps but these.
    rows: Option<rows::Rows>,
    /// Whether the members are carried out one by one.
    is_chain: bool,
    /// Whether the last of them writes to its first operand, and gives nothing.
    writes: bool,
}

impl Group {
    /// The group of these members, of which the last one gives the result, of this shape. `None` if they do not fit.
    pub fn new(dims: &[usize], inputs: Vec<Input>, members: Vec<Member>) -> Option<Self> {
        if members.iter().any(|it| rows::is_fold(&it.op)) {
            return rows::make(dims, inputs, members);
        }
        Maker::default().make(dims, inputs, members)
    }

    /// Whether it is one of [`Group::chain`].
    pub const fn is_chain(&self) -> bool {
        self.is_chain
    }

    /// Whether it writes to what [`Group::gives`] is the type of, and gives nothing.
    pub const fn writes(&self) -> bool {
        self.writes
    }

    /// What it takes.
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// What it does, in order.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// What it gives.
    pub const fn gives(&self) -> TensorType {
        self.gives
    }

    /// The operands, bit by bit, over which the result may be written where nobody else has them.
    pub const fn spare(&self) -> u32 {
        self.spare
    }

    /// How many elements are computed by loops in all.
    pub fn work(&self) -> usize {
        let rows = self.rows.as_ref().map_or(0, rows::Rows::work);
        self.steps.len().saturating_mul(self.gives.count()).saturating_add(self.once_steps.len() + rows)
    }

    /// Carries it out. `spare` are the operands, bit by bit, that nobody else has, dense ones: one of them may become
    /// the result.
    pub(crate) fn apply(&self, operands: &[Operand<'_>], spare: u32) -> Result<Given> {
        let dims = self.gives.shape.dims();
        if trace::is_for_shapes() {
            let given = || Tensor::blank(self.gives.dtype, dims).map(Given::Tensor);
            return if self.writes { Ok(Given::Nothing) } else { given() };
        }
        if operands.len() != self.inputs.len() {
            return Err(mismatch());
        }
        if operands.iter().any(|it| matches!(it, Operand::Tensor(it) if it.device().is_some())) {
            return self.apply_one_by_one(operands);
        }
        if self.is_chain {
            return self.apply_one_by_one(operands);
        }
        if let Some(rows) = &self.rows {
            return rows.apply(self, operands);
        }
        let mut views: SmallVec<[Tensor; 1]> = SmallVec::new();
        for &it in &self.views {
            views.push(self.view(self.member(it), operands, &views)?);
        }
        let mut once = self.numbers_of(operands)?;
        let count = self.gives.count();
        let reused = (0..self.inputs.len().min(32) as u32).find(|it| self.spare & spare & 1 << it != 0);
        let out = match reused {
            Some(_) => None,
            None => Some(Tensor::blank(self.gives.dtype, dims)?),
        };
        let result = match (&out, reused.map(|it| &operands[it as usize])) {
            (Some(out), _) => out.ptr(),
            (None, Some(Operand::Tensor(it))) => it.ptr(),
            (None, _) => return Err(mismatch()),
        };
        // From here on nothing fails.
        let mut at: SmallVec<[At; 24]> = SmallVec::with_capacity(self.values.len());
        let mut laid_out: SmallVec<[(usize, Cursor); 2]> = SmallVec::new();
        for (value, known) in self.values.iter().enumerate() {
            let size = known.ty.dtype.size() as isize;
            let tensor = match known.place {
                Place::Passed => match &operands[value] {
                    Operand::Tensor(it) => Some(*it),
                    Operand::Number(_) => None,
                },
                Place::View(number) => Some(&views[usize::from(number)]),
                _ => None,
            };
            at.push(match (tensor, known.place) {
                (Some(tensor), _) => {
                    debug_assert_eq!(TensorType::new(tensor.dtype(), tensor.dims()), known.ty, "as declared");
                    let ptr = tensor.ptr();
                    if tensor.count() == 1 {
                        At { ptr, step: 0, advance: 0 }
                    } else if **tensor.dims() == *dims && tensor.is_dense() {
                        At { ptr, step: size, advance: size }
                    } else if self.is_read(value) {
                        let cursor = Cursor::new(tensor, dims);
                        match cursor.step() {
                            Some(step) if step == 0 || step == size => At { ptr, step, advance: step },
                            _ => {
                                laid_out.push((value, cursor));
                                At { ptr, step: size, advance: 0 }
                            }
                        }
                    } else {
                        At { ptr, step: size, advance: 0 }
                    }
                }
                (None, Place::Result) => At { ptr: result, step: size, advance: size },
                (None, Place::Block(_)) => At { ptr: result, step: size, advance: 0 },
                (None, _) => At { ptr: once.as_mut_ptr().wrapping_add(value).cast(), step: 0, advance: 0 },
            });
        }
        for step in &self.once_steps {
            // SAFETY: each operand is one element.
            unsafe { step.run(&at, 1) };
        }
        self.go(&mut at, &mut laid_out, count);
        match (out, reused) {
            (Some(out), _) => Ok(Given::Tensor(out)),
            (None, Some(it)) => Ok(Given::Operand(it as usize)),
            (None, None) => Err(mismatch()),
        }
    }

    /// The elements that are computed once, as far as they are known before the steps.
    fn numbers_of(&self, operands: &[Operand<'_>]) -> Result<SmallVec<[u64; 24]>> {
        let mut once: SmallVec<[u64; 24]> = SmallVec::from_slice(&self.once);
        for &it in &self.numbers {
            let member = self.member(it);
            let (&Operand::Number(item), TensorOp::Number(dtype)) =
                (&operands[usize::from(member.args[0])], &member.op)
            else {
                return Err(mismatch());
            };
            once[usize::from(it)] = element(*dtype, number_of(*dtype, item)?);
        }
        Ok(once)
    }

    /// The same for a chain, and where the elements do not lie here.
    fn apply_one_by_one(&self, operands: &[Operand<'_>]) -> Result<Given> {
        let mut made: Vec<Tensor> = Vec::new();
        for member in &self.members {
            let arg = |arg: &u16| match usize::from(*arg).checked_sub(operands.len()) {
                Some(at) => Operand::Tensor(&made[at]),
                None => operands[usize::from(*arg)],
            };
            let args: SmallVec<[Operand<'_>; 3]> = member.args.iter().map(arg).collect();
            let given = member.op.apply(&args)?;
            drop(args);
            match given {
                Given::Tensor(it) => made.push(it),
                Given::Nothing if self.writes => return Ok(Given::Nothing),
                _ => return Err(mismatch()),
            }
        }
        made.pop().map(Given::Tensor).ok_or_else(mismatch)
    }

    /// Goes through all elements.
    fn go(&self, at: &mut [At], laid_out: &mut SmallVec<[(usize, Cursor); 2]>, count: usize) {
        let blocks = self.blocks + laid_out.len();
        if blocks == 0 {
            if count > 0 {
                for step in &self.steps {
                    // SAFETY: every place has all elements, or one for all of them.
                    unsafe { step.run(at, count) };
                }
            }
            return;
        }
        let places = blocks + self.inputs.len() + 1;
        let most = (CACHE / (places * self.widest)).clamp(LEAST, (BLOCK / self.widest).max(LEAST)) / 64 * 64;
        // Rows that come again and again are laid out once.
        let period = laid_out.iter().filter_map(|(_, it)| it.period()).find(|it| *it <= most);
        let block = period.map_or(most, |it| most / it * it).min(count.max(1));
        let stride = (block * self.widest).next_multiple_of(64);
        Scratch::with(blocks * stride, |scratch| {
            let slot = |number: usize| scratch.wrapping_add(number * stride);
            for (value, known) in self.values.iter().enumerate() {
                if let Place::Block(number) = known.place {
                    at[value].ptr = slot(usize::from(number));
                }
            }
            let mut next = self.blocks;
            laid_out.retain(|(value, cursor)| {
                at[*value].ptr = slot(next);
                next += 1;
                let is_over = cursor.period().is_some_and(|it| block % it == 0);
                if is_over {
                    // SAFETY: the slot has room for a block.
                    unsafe { cursor.fill(at[*value].ptr, block) };
                }
                !is_over
            });
            for it in at.iter_mut() {
                it.advance *= block as isize;
            }
            let mut left = count;
            while left > 0 {
                let n = block.min(left);
                for (value, cursor) in laid_out.iter_mut() {
                    // SAFETY: the slot has room for a block.
                    unsafe { cursor.fill(at[*value].ptr, n) };
                }
                for step in &self.steps {
                    // SAFETY: every place has a block of elements, or one for all of them.
                    unsafe { step.run(at, n) };
                }
                for it in at.iter_mut() {
                    it.ptr = it.ptr.wrapping_offset(it.advance);
                }
                left -= n;
            }
        });
    }

    /// Whether a loop reads a value.
    fn is_read(&self, value: usize) -> bool {
        self.steps.iter().chain(&self.once_steps).any(|it| it.args().iter().any(|arg| usize::from(*arg) == value))
    }

    fn member(&self, value: u16) -> &Member {
        &self.members[usize::from(value) - self.inputs.len()]
    }

    fn view(&self, member: &Member, operands: &[Operand<'_>], views: &[Tensor]) -> Result<Tensor> {
        let args: SmallVec<[Operand<'_>; 2]> =
            member.args.iter().map(|&arg| self.operand(arg, operands, views)).collect();
        match member.op.apply(&args)? {
            Given::Tensor(view) => Ok(view),
            Given::Number(_) | Given::Nothing | Given::Operand(_) => Err(mismatch()),
        }
    }

    fn operand<'a>(&self, value: u16, operands: &'a [Operand<'a>], views: &'a [Tensor]) -> Operand<'a> {
        match self.values[usize::from(value)].place {
            Place::View(number) => Operand::Tensor(&views[usize::from(number)]),
            _ => operands[usize::from(value)],
        }
    }
}

/// An element as it lies in memory, in the first bytes.
pub(super) fn element(dtype: Dtype, item: Item) -> u64 {
    let mut bits = 0_u64;
    // SAFETY: no element is larger.
    by_dtype!(dtype, E => unsafe { (&raw mut bits).cast::<E>().write(E::from_item(item)) });
    bits
}

/// Memory that is used again.
struct Scratch;

/// As much as is moved at once, on its boundary.
#[derive(Clone, Copy)]
#[repr(align(64))]
#[expect(dead_code, reason = "reached by pointers")]
struct Line([u8; 64]);

thread_local! {
    static SCRATCH: Cell<Vec<Line>> = const { Cell::new(Vec::new()) };
}

impl Scratch {
    fn with(bytes: usize, then: impl FnOnce(*mut u8)) {
        let mut lines = SCRATCH.take();
        let needed = bytes.div_ceil(size_of::<Line>());
        if lines.len() < needed {
            lines.resize(needed, Line([0; 64]));
        }
        then(lines.as_mut_ptr().cast());
        SCRATCH.set(lines);
    }
}

/// Builds a group.
#[derive(Default)]
struct Maker {
    values: Vec<Known>,
    views: Vec<u16>,
    numbers: Vec<u16>,
    once: Vec<u64>,
    once_steps: Vec<Step>,
    steps: Vec<Step>,
}

impl Maker {
    fn make(mut self, dims: &[usize], inputs: Vec<Input>, members: Vec<Member>) -> Option<Group> {
        self.inputs(&inputs, members.len())?;
        for (number, member) in members.iter().enumerate() {
            let known = self.member(member, dims, number + 1 == members.len())?;
            self.values.push(known);
        }
        let gives = self.values.last()?.ty;
        if self.values.last()?.place != Place::Result {
            return None;
        }
        let blocks = self.assign_blocks();
        let gone_over = |it: u16| {
            let fits = matches!(inputs[usize::from(it)], Input::Tensor(ty) if ty == gives);
            let is_viewed = self.views.iter().any(|view| members[usize::from(*view) - inputs.len()].args.contains(&it));
            let is_read = self.steps.iter().any(|step| step.args().contains(&it));
            fits && is_read && !is_viewed && self.steps.last().is_some_and(|step| step.writes_over(it))
        };
        let spare = (0..inputs.len().min(32) as u16).filter(|it| gone_over(*it)).fold(0, |all, it| all | 1_u32 << it);
        let used = self.values.iter().filter(|it| it.place != Place::Number);
        let widest = used.map(|it| it.ty.dtype.size()).max()?;
        let Self { values, views, numbers, once, once_steps, steps } = self;
        let rows = None;
        Some(Group {
            inputs,
            members,
            gives,
            values,
            views,
            numbers,
            once,
            once_steps,
            steps,
            blocks,
            widest,
            spare,
            rows,
            is_chain: false,
            writes: false,
        })
    }

    /// Begins with these inputs, and room for so many members.
    fn inputs(&mut self, inputs: &[Input], members: usize) -> Option<()> {
        let all = inputs.len() + members;
        u16::try_from(all).ok()?;
        self.once = vec![0; all];
        for input in inputs {
            self.values.push(match input {
                Input::Tensor(ty) => Known { ty: *ty, place: Place::Passed },
                Input::Number => Known { ty: TensorType::new(Dtype::F64, &[]), place: Place::Number },
            });
        }
        Some(())
    }

    /// A member that gives one element.
    fn item(&mut self, member: &Member, args: &[Known], here: u16) -> Option<Known> {
        let dtype = match (&member.op, args) {
            (TensorOp::Full { dtype, item, .. }, []) => {
                self.once[usize::from(here)] = element(*dtype, *item);
                *dtype
            }
            (TensorOp::Number(dtype), [Known { place: Place::Number, .. }]) => {
                self.numbers.push(here);
                *dtype
            }
            _ => return None,
        };
        Some(Known { ty: TensorType::new(dtype, &[]), place: Place::Once })
    }

    fn member(&mut self, member: &Member, dims: &[usize], is_last: bool) -> Option<Known> {
        let here = self.values.len() as u16;
        let args: Vec<Known> =
            member.args.iter().map(|arg| self.values.get(usize::from(*arg)).copied()).collect::<Option<_>>()?;
        match Role::of(&member.op)? {
            Role::View => {
                let is_there = |it: &Known| matches!(it.place, Place::Passed | Place::View(_));
                if is_last || !is_there(args.first()?) || args[1..].iter().any(|it| it.place != Place::Number) {
                    return None;
                }
                let number = u16::try_from(self.views.len()).ok()?;
                self.views.push(here);
                Some(Known { ty: shape_of(&member.op, &args)?, place: Place::View(number) })
            }
            Role::Item => {
                if is_last {
                    return None;
                }
                self.item(member, &args, here)
            }
            Role::Fold => None,
            Role::Each => {
                if args.iter().any(|it| it.place == Place::Number) {
                    return None;
                }
                let dtypes: SmallVec<[Dtype; 3]> = args.iter().map(|it| it.ty.dtype).collect();
                let (run, gives) = run_of(&member.op, &dtypes)?;
                let step =
                    Step::new(run, &member.args, here, !matches!(member.op, TensorOp::Cast(_) | TensorOp::Select));
                let is_one = |it: &Known| it.place == Place::Once || it.ty.count() == 1;
                if !is_last && args.iter().all(is_one) {
                    self.once_steps.push(step);
                    let shape = args.iter().map(|it| it.ty.shape).max_by_key(|it| it.dims().len())?;
                    return Some(Known {
                        ty: TensorType { dtype: gives, home: Home::HERE, shape },
                        place: Place::Once,
                    });
                }
                let stretches = |it: &Known| {
                    let from = it.ty.shape.dims();
                    let new = dims.len().checked_sub(from.len());
                    new.is_some_and(|new| from.iter().zip(&dims[new..]).all(|(from, to)| from == to || *from == 1))
                };
                if !args.iter().all(stretches) {
                    return None;
                }
                self.steps.push(step);
                let place = if is_last { Place::Result } else { Place::Block(u16::MAX) };
                Some(Known { ty: TensorType::new(gives, dims), place })
            }
        }
    }

    /// Gives each intermediate result a block, which another one had that is not needed any more. How many there are.
    fn assign_blocks(&mut self) -> usize {
        let mut last = vec![0; self.values.len()];
        for (number, step) in self.steps.iter().enumerate() {
            for arg in step.args() {
                last[usize::from(*arg)] = number;
            }
        }
        let (mut free, mut blocks): (Vec<u16>, u16) = (Vec::new(), 0);
        for number in 0..self.steps.len() {
            let step = self.steps[number];
            let to = step.to;
            let size = self.values[usize::from(to)].ty.dtype.size();
            let mut later = Vec::new();
            for (at, it) in step.args().iter().enumerate() {
                let Known { place: Place::Block(block), ty } = self.values[usize::from(*it)] else { continue };
                if last[usize::from(*it)] == number && !step.args()[..at].contains(it) {
                    let over = ty.dtype.size() == size && step.writes_over(*it);
                    if over { free.push(block) } else { later.push(block) }
                }
            }
            if let Place::Block(block) = &mut self.values[usize::from(to)].place {
                *block = free.pop().unwrap_or_else(|| {
                    blocks += 1;
                    blocks - 1
                });
            }
            free.extend(later);
        }
        usize::from(blocks)
    }
}

/// The type of a view.
fn shape_of(op: &TensorOp, args: &[Known]) -> Option<TensorType> {
    let ty = |it: &Known| match it.place {
        Place::Number => Type::I64,
        _ => Type::Tensor(it.ty),
    };
    match op.results(&args.iter().map(ty).collect::<Vec<_>>()).ok()?[..] {
        [Type::Tensor(ty)] => Some(ty),
        _ => None,
    }
}

impl PartialEq for Group {
    fn eq(&self, other: &Self) -> bool {
        self.gives == other.gives && self.inputs == other.inputs && self.members == other.members
    }
}

impl fmt::Debug for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// The steps of a tensor stretched to a shape, in bytes.
fn stretched(x: &Tensor, dims: &[usize]) -> Steps {
    match views::broadcast_to(x, dims) {
        Ok(view) => view.byte_steps(),
        Err(_) => Steps::repeat(0, dims.len()),
    }
}
