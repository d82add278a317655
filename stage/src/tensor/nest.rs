//! A group of operations as loops over elements, for back ends that write code of their own for each.
//!
//! A [`Nest`] says what is computed of which elements, and where that goes. A view is no more than other steps, and no
//! tensor is made for what is between two operations: it is in a register, or, where a loop needs all of it before another
//! one begins, in a *room* of scratch memory. What is joined of parts is a loop for each of them. Operands and results lie
//! dense in this machine's memory; for others the group is carried out as ever, and so it is where something would fail.
//!
//! Where sizes are known only later, so are the steps that follow from them: all of it is numbers that [`sizes`] reads back
//! ([`Nest::is_sized`]), and what would be too large is seen when the sizes are there ([`Nest::limits`]).
//!
//! Each operation is what [`TensorOp::apply`] says, bit for bit.

mod make;
mod steps;

use std::collections::BTreeSet;
use std::ops::Range;

use super::Dtype;
use super::contract::SLICE;
use super::elementwise::{Bits2, Num1, Num2, Real1, Real2, Test1};
use super::fused::Role;
use super::op::{Constant, TensorOp};
use super::reduce::{self, Fold};
use crate::sizes;
use crate::types::{TensorType, Type};

/// Elements of a value at most: for more of them a call is nothing.
pub const MOST: usize = 4096;
/// Operands at most.
pub const MOST_OPERANDS: usize = 128;
/// Bytes of all rooms at most: they are on the stack.
pub const MOST_ROOM: usize = 32 << 10;
/// A loop over fewer elements is written for as many as there are.
const LONG: usize = 64;
/// Operations in registers at once at most.
const MOST_INSTS: usize = 64;
/// Multiply-adds of a product at most.
const MOST_PRODUCTS: usize = 1 << 16;

/// A group as loops.
#[derive(Clone, PartialEq, Debug)]
pub struct Nest {
    /// What it gives.
    pub gives: TensorType,
    /// Bytes of each room of scratch memory.
    pub rooms: Vec<usize>,
    /// Elements that are known.
    pub tables: Vec<Constant>,
    /// What has to be inside before anything is done: others are carried out as ever, and fail.
    pub inside: Vec<Inside>,
    /// The loops, one after another. The last one writes the result, or the last ones its parts, or one writes it and those
    /// behind it change parts of it, and no other.
    pub stages: Vec<Stage>,
    /// The operand that the last one writes to instead, if it does, and behind it those that it reads, which must not share
    /// memory with it: with their bytes.
    pub writes: Vec<(usize, usize)>,
    /// The operands, bit by bit, whose memory may be the result's.
    pub over: u32,
    /// Whether sizes are known only later. Numbers for which [`sizes::is_later`] holds stand for such, then.
    pub is_sized: bool,
    /// What is known only later and has to be at least 1 and at most so much: others are carried out as ever.
    pub limits: Vec<(usize, usize)>,
}

/// Where elements are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Memory {
    /// In an operand.
    Operand(usize),
    /// In a room.
    Room(usize),
    /// In a table, dense.
    Table(usize),
    /// In the result.
    Result,
}

/// Elements, by steps.
#[derive(Clone, PartialEq, Debug)]
pub struct Access {
    /// Where.
    pub memory: Memory,
    /// What they are.
    pub dtype: Dtype,
    /// The first one.
    pub first: isize,
    /// What numbers say of that.
    pub moves: Vec<Move>,
    /// From one position to the next along each axis.
    pub steps: Vec<isize>,
}

/// A number that says where a view begins.
#[derive(Clone, PartialEq, Debug)]
pub struct Move {
    /// The operand.
    pub number: usize,
    /// How many positions there are: others fail.
    pub positions: usize,
    /// Whether as many negative ones count from the end.
    pub from_end: bool,
    /// Elements from one position to the next.
    pub step: isize,
}

/// Positions that are elements.
#[derive(Clone, PartialEq, Debug)]
pub struct Inside {
    /// Where they are.
    pub positions: Access,
    /// In which shape.
    pub dims: Vec<usize>,
    /// How many positions there are. As many negative ones count from the end.
    pub size: usize,
}

/// A position along an axis that is an element.
#[derive(Clone, PartialEq, Debug)]
pub struct Position {
    /// Its register. It is inside; if it is negative it counts from the end.
    pub register: usize,
    /// How many there are.
    pub size: usize,
    /// Elements from one to the next.
    pub step: isize,
}

/// Where an element goes.
#[derive(Clone, PartialEq, Debug)]
pub struct Store {
    /// Its register.
    pub register: usize,
    /// Where it is stored,
    pub to: Access,
    /// so much further as positions say: one element after another, then, since two may go to one place.
    pub at: Vec<Position>,
}

/// What gives an element, in a register.
#[derive(Clone, PartialEq, Debug)]
pub enum Inst {
    /// It is in memory.
    Load(Access),
    /// It is there, so much further as positions say.
    Gather(Access, Vec<Position>),
    /// It is known: as it lies in memory, in the first bytes.
    Known(u64),
    /// It is this operand, a number.
    Number(usize),
    /// It is computed of others.
    Op(TensorOp, Vec<usize>),
}

/// A loop.
#[derive(Clone, PartialEq, Debug)]
pub enum Stage {
    /// Over the elements of a shape, each by itself.
    Each {
        /// The shape.
        dims: Vec<usize>,
        /// What is computed, and of which dtype.
        insts: Vec<(Inst, Dtype)>,
        /// Which of it is stored.
        stores: Vec<Store>,
    },
    /// A function of each of so many dense elements.
    Row {
        /// The function.
        op: Real1,
        /// What they are.
        dtype: Dtype,
        /// How many.
        count: usize,
        /// Where they are.
        from: Memory,
        /// Where what it gives goes: there, or where nothing else is.
        to: Memory,
    },
    /// The product of two matrices: chains of fused multiply-adds, see [`contract`](super::contract).
    Product {
        /// What they are.
        dtype: Dtype,
        /// Rows, the common axis, and columns.
        sizes: [usize; 3],
        /// The factors: steps down and to the right.
        factors: [Access; 2],
        /// Where it goes.
        to: Memory,
    },
    /// Dense rows, each reduced to an element: see [`reduce`].
    Fold {
        /// How.
        fold: Fold,
        /// What they are.
        dtype: Dtype,
        /// How many rows, and of how many elements.
        sizes: [usize; 2],
        /// Where they are.
        from: Memory,
        /// Where the elements go.
        to: Memory,
    },
    /// Elements of a shape, each of others that lie in rows: joined one after another.
    Rows {
        /// How.
        fold: Fold,
        /// What they are.
        dtype: Dtype,
        /// The shape.
        dims: Vec<usize>,
        /// The axes that are reduced.
        rows: Vec<usize>,
        /// Where they are: steps along the shape, and then along the axes that are reduced.
        from: Access,
        /// Where the elements go.
        to: Memory,
    },
}

impl Inst {
    /// What it reads by steps.
    pub const fn access(&self) -> Option<&Access> {
        match self {
            Self::Load(it) | Self::Gather(it, _) => Some(it),
            Self::Known(_) | Self::Number(_) | Self::Op(..) => None,
        }
    }

    const fn access_mut(&mut self) -> Option<&mut Access> {
        match self {
            Self::Load(it) | Self::Gather(it, _) => Some(it),
            Self::Known(_) | Self::Number(_) | Self::Op(..) => None,
        }
    }
}

impl Stage {
    /// All that it reads and writes by steps.
    pub fn accesses(&self) -> impl Iterator<Item = &Access> {
        let (insts, stores) = match self {
            Self::Each { insts, stores, .. } => (&insts[..], &stores[..]),
            Self::Product { .. } | Self::Row { .. } | Self::Fold { .. } | Self::Rows { .. } => (&[][..], &[][..]),
        };
        let factors = match self {
            Self::Product { factors, .. } => &factors[..],
            Self::Rows { from, .. } => std::slice::from_ref(from),
            Self::Each { .. } | Self::Row { .. } | Self::Fold { .. } => &[],
        };
        let loads = insts.iter().filter_map(|(inst, _)| inst.access());
        loads.chain(stores.iter().map(|it| &it.to)).chain(factors)
    }

    fn accesses_mut(&mut self, each: &mut impl FnMut(&mut Access)) {
        match self {
            Self::Each { insts, stores, .. } => {
                insts.iter_mut().filter_map(|(it, _)| it.access_mut()).for_each(&mut *each);
                stores.iter_mut().for_each(|it| each(&mut it.to));
            }
            Self::Product { factors, .. } => factors.iter_mut().for_each(each),
            Self::Rows { from, .. } => each(from),
            Self::Row { .. } | Self::Fold { .. } => {}
        }
    }

    /// All positions that are elements.
    fn positions(&self) -> impl Iterator<Item = &Position> {
        let (insts, stores) =
            if let Self::Each { insts, stores, .. } = self { (&insts[..], &stores[..]) } else { Default::default() };
        let gathers = insts.iter().filter_map(|(it, _)| if let Inst::Gather(_, all) = it { Some(all) } else { None });
        gathers.flatten().chain(stores.iter().flat_map(|it| &it.at))
    }

    /// Whether it reads elements there.
    fn reads(&self, memory: Memory) -> bool {
        match self {
            Self::Each { insts, .. } => insts.iter().any(|(it, _)| it.access().is_some_and(|it| it.memory == memory)),
            Self::Row { from, .. } | Self::Fold { from, .. } => *from == memory,
            Self::Product { factors, .. } => factors.iter().any(|it| it.memory == memory),
            Self::Rows { from, .. } => from.memory == memory,
        }
    }

    /// Whether it writes to the result.
    fn gives(&self) -> bool {
        match self {
            Self::Each { stores, .. } => stores.iter().any(|it| it.to.memory == Memory::Result),
            Self::Row { to, .. } | Self::Product { to, .. } | Self::Fold { to, .. } | Self::Rows { to, .. } => {
                *to == Memory::Result
            }
        }
    }

    /// The operand that this makes the result a copy of, if that is all.
    pub fn copies(&self) -> Option<usize> {
        let Self::Each { insts, stores, .. } = self else { return None };
        let ([(Inst::Load(from), _), (Inst::Op(TensorOp::Copy, _), _)], [store]) = (&insts[..], &stores[..]) else {
            return None;
        };
        match from.memory {
            Memory::Operand(operand) if is_same_place(from, &store.to) && self.gives() => Some(operand),
            _ => None,
        }
    }
}

/// Whether an operation on operands of these types can be one of a nest.
pub fn has(op: &TensorOp, takes: &[Type], gives: TensorType) -> bool {
    let tensor = |ty: &Type| if let Type::Tensor(ty) = ty { Some(*ty) } else { None };
    let dtypes = || takes.iter().map(|it| Some(tensor(it)?.dtype)).collect::<Option<Vec<Dtype>>>();
    let is_small = may_be(sizes::product(gives.shape.dims()), MOST) && !gives.home.is_there();
    let goes_into = |it: &TensorType| !it.home.is_there() && it.dtype == gives.dtype;
    match (op, takes) {
        (TensorOp::Matmul, [Type::Tensor(x), Type::Tensor(y)]) => {
            let (&[m, k], &[_, n]) = (x.shape.dims(), y.shape.dims()) else { return false };
            is_product(x.dtype, [m, k, n])
        }
        (TensorOp::Fold { axes, .. }, [Type::Tensor(x)]) => {
            is_small && reduced(x.dtype, x.shape.dims(), axes).is_some()
        }
        (TensorOp::Scan { .. }, [Type::Tensor(x)]) => {
            is_small && x.dtype != Dtype::Bool && x.shape.dims().iter().all(|it| !sizes::is_later(*it))
        }
        (TensorOp::Concat { .. }, _) => {
            is_small && dtypes().is_some_and(|it| it.into_iter().all(|dtype| dtype == gives.dtype))
        }
        (op, _) if Role::of(op) == Some(Role::Each) => {
            let is_row = |op: &Real1, x: &[Dtype]| matches!((op.is_exact(), x), (false, [Dtype::F32 | Dtype::F64]));
            let has = |dtypes: Vec<Dtype>| match op {
                TensorOp::Real1(op) if is_row(op, &dtypes) => true,
                op => self::gives(op, &dtypes).is_some(),
            };
            is_small && dtypes().is_some_and(has)
        }
        (TensorOp::Gather(at), [Type::Tensor(from), ..]) => {
            is_small && !from.home.is_there() && is_side_by_side(at) && from.dtype == gives.dtype
        }
        (TensorOp::Place { view, .. }, [Type::Tensor(x), ..]) => is_small && view.is_view() && goes_into(x),
        (TensorOp::AddAt { at, .. }, [Type::Tensor(x), ..]) => is_small && is_side_by_side(at) && goes_into(x),
        (TensorOp::Put(view), [_, Type::Tensor(x), ..]) => is_small && view.is_view() && goes_into(x),
        (TensorOp::PutAt(at), [.., Type::Tensor(x)]) => is_small && is_side_by_side(at) && goes_into(x),
        (TensorOp::Plus(made), [_, of @ ..]) => {
            (changes(op) || matches!(**made, TensorOp::Matmul)) && has(made, of, gives)
        }
        (TensorOp::Constant(_), []) => is_small,
        (TensorOp::Assign, [Type::Tensor(to), Type::Tensor(from)]) => {
            is_small && !to.home.is_there() && to.dtype == from.dtype
        }
        (TensorOp::Num2Into(_) | TensorOp::Real2Into(_), [Type::Tensor(to), _, _]) => {
            let made = dtypes().and_then(|it| self::gives(&written(op)?, &it[1..]));
            is_small && !to.home.is_there() && made == Some(to.dtype)
        }
        (TensorOp::Full { .. }, []) => true,
        (TensorOp::Number(dtype), _) => matches!(dtype, Dtype::F32 | Dtype::F64),
        (op, _) => op.is_view(),
    }
}

/// Whether an operation gives what an operand is, or zeros, but for a part.
fn changes(op: &TensorOp) -> bool {
    match op {
        TensorOp::Place { .. } | TensorOp::AddAt { .. } | TensorOp::Put(_) | TensorOp::PutAt(_) => true,
        TensorOp::Plus(made) => matches!(**made, TensorOp::Place { .. } | TensorOp::AddAt { .. }),
        _ => false,
    }
}

/// What an operation writes that is computed of each element.
fn written(op: &TensorOp) -> Option<TensorOp> {
    match op {
        TensorOp::Num2Into(op) => Some(TensorOp::Num2(*op)),
        TensorOp::Real2Into(op) => Some(TensorOp::Real2(*op)),
        TensorOp::Assign => Some(TensorOp::Copy),
        _ => None,
    }
}

/// Which of so many operands of an operation are positions.
pub fn positions(op: &TensorOp, operands: usize) -> Range<usize> {
    match op {
        TensorOp::Gather(_) | TensorOp::AddAt { .. } => 1..operands,
        TensorOp::PutAt(_) => 1..operands.saturating_sub(1),
        TensorOp::Plus(made) => {
            let of = positions(made, operands.saturating_sub(1));
            of.start + 1..of.end + 1
        }
        _ => 0..0,
    }
}

/// Whether these are the same elements of two memories, one for one.
fn is_same_place(x: &Access, y: &Access) -> bool {
    (x.first, y.first) == (0, 0) && x.moves.is_empty() && y.moves.is_empty() && x.steps == y.steps
}

/// Whether the axes that positions are for stand side by side, so that what is there stands in their place.
fn is_side_by_side(at: &[bool]) -> bool {
    let mut turns = at.iter().skip_while(|it| !**it).skip_while(|it| **it);
    !turns.any(|it| *it)
}

/// Whether elements are computed with as they are.
pub const fn is_plain(dtype: Dtype) -> bool {
    matches!(dtype, Dtype::Bool | Dtype::I32 | Dtype::I64 | Dtype::F32 | Dtype::F64)
}

/// Whether a size is so small, as far as it is known.
fn may_be(size: usize, most: usize) -> bool {
    sizes::is_later(size) || size <= most
}

/// What has to be how small in a product.
fn limits_of_product([m, k, n]: [usize; 3]) -> [(usize, usize); 3] {
    [(k, SLICE), (sizes::product(&[m, n]), MOST), (sizes::product(&[m, k, n]), MOST_PRODUCTS)]
}

/// Whether a product of such matrices is one of a nest.
fn is_product(dtype: Dtype, sizes: [usize; 3]) -> bool {
    let is_small = sizes[1] > 0 && limits_of_product(sizes).into_iter().all(|(size, most)| may_be(size, most));
    matches!(dtype, Dtype::F32 | Dtype::F64) && is_small
}

/// How a reduction of these axes goes in a nest, if it does.
struct Reduced {
    /// How many elements of a run become one, if there are runs: of the last axes.
    run: Option<usize>,
    /// The axes along which what is left is joined.
    rows: Vec<usize>,
}

fn reduced(dtype: Dtype, dims: &[usize], axes: &[usize]) -> Option<Reduced> {
    let mut rows = axes.to_vec();
    rows.sort_unstable();
    let runs_from = (0..dims.len()).rev().take_while(|it| rows.contains(it)).last().unwrap_or(dims.len());
    let len = sizes::product(&dims[runs_from..]);
    let is_run = runs_from < dims.len() && (len != 1 || rows.first() == Some(&runs_from));
    if is_run {
        rows.retain(|it| *it < runs_from);
    }
    let fits = len > 0 && may_be(len, reduce::BLOCK) && (rows.is_empty() || may_be(sizes::product(dims), MOST));
    (fits && !axes.is_empty() && dtype != Dtype::Bool).then_some(Reduced { run: is_run.then_some(len), rows })
}

/// Whether it is clear what a number says.
fn is_clear(number: isize) -> bool {
    !sizes::is_later(number.unsigned_abs()) || sizes::parts(number).is_some()
}

impl Nest {
    /// All sizes and steps.
    pub fn numbers(&self) -> BTreeSet<isize> {
        let limits = self.limits.iter().map(|(size, _)| *size);
        let bytes = self.rooms.iter().copied().chain(self.writes.iter().map(|(_, bytes)| *bytes));
        let mut all: BTreeSet<isize> = limits.chain(bytes).map(|it| it as isize).collect();
        for stage in &self.stages {
            let sizes = match stage {
                Stage::Each { dims, .. } => &dims[..],
                Stage::Row { count, .. } => std::slice::from_ref(count),
                Stage::Product { sizes, .. } => &sizes[..],
                Stage::Fold { sizes, .. } => &sizes[..],
                Stage::Rows { dims, rows, .. } => {
                    all.extend(rows.iter().map(|it| *it as isize));
                    &dims[..]
                }
            };
            all.extend(sizes.iter().map(|it| *it as isize));
            all.extend(stage.positions().flat_map(|it| [it.size as isize, it.step]));
        }
        all.extend(self.inside.iter().flat_map(|it| it.dims.iter().chain([&it.size])).map(|it| *it as isize));
        for access in self.accesses() {
            all.insert(access.first);
            all.extend(&access.steps);
            all.extend(access.moves.iter().flat_map(|it| [it.positions as isize, it.step]));
        }
        all
    }

    /// All that it reads and writes by steps.
    pub fn accesses(&self) -> impl Iterator<Item = &Access> {
        self.inside.iter().map(|it| &it.positions).chain(self.stages.iter().flat_map(Stage::accesses))
    }

    /// The same loops over any number of elements, and how many these are over, where each is one run through dense memory:
    /// that number is [`sizes::later`] 0, then. One function serves all arrays, however large they are.
    pub fn of_any_length(&self) -> Option<(Self, usize)> {
        let Some(Stage::Each { dims, .. }) = self.stages.first() else { return None };
        let &[length] = &dims[..] else { return None };
        let is_dense = |it: &Access| it.first == 0 && it.moves.is_empty() && matches!(it.steps[..], [0 | 1]);
        let fits = |stage: &Stage| {
            matches!(stage, Stage::Each { dims, .. } if dims[..] == [length]) && stage.accesses().all(is_dense)
        };
        let is_one = length >= LONG && !self.is_sized && self.rooms.is_empty() && self.limits.is_empty();
        let is_one = is_one && self.tables.is_empty() && self.inside.is_empty() && self.writes.is_empty();
        if !is_one || !self.stages.iter().all(fits) {
            return None;
        }
        let any = sizes::later(0);
        let mut all = Self { is_sized: true, gives: TensorType::new(self.gives.dtype, &[any]), ..self.clone() };
        for stage in &mut all.stages {
            if let Stage::Each { dims, .. } = stage {
                *dims = vec![any];
            }
        }
        Some((all, length))
    }

    /// The same loops, wherever views of operands begin, and where these do: the numbers are [`sizes::later`], from 0 on.
    pub fn of_any_beginning(&self) -> Option<(Self, Vec<usize>)> {
        if self.is_sized {
            return None;
        }
        let mut found: Vec<usize> = Vec::new();
        let mut all = Self { is_sized: true, ..self.clone() };
        for stage in &mut all.stages {
            stage.accesses_mut(&mut |it| {
                let Access { memory: Memory::Operand(_), first: first @ 1.., .. } = it else { return };
                let known = first.cast_unsigned();
                let number = found.iter().position(|it| *it == known).unwrap_or(found.len());
                if number == found.len() {
                    found.push(known);
                }
                *first = sizes::later(number.min(sizes::MOST - 1)).cast_signed();
            });
        }
        (1..=sizes::MOST).contains(&found.len()).then_some((all, found))
    }

    /// The loops of an operation, if it is a group that has them.
    pub fn of(op: &TensorOp) -> Option<Self> {
        match op {
            TensorOp::Fused(group) => make::Maker::default().make(group),
            _ => None,
        }
    }
}

/// What an operation gives that is computed in registers, if it is.
fn gives(op: &TensorOp, takes: &[Dtype]) -> Option<Dtype> {
    let is_float = |it: Dtype| matches!(it, Dtype::F32 | Dtype::F64);
    let is_int = |it: Dtype| matches!(it, Dtype::I32 | Dtype::I64);
    let is_number = |it: Dtype| is_float(it) || is_int(it);
    match (op, takes) {
        (TensorOp::Num1(op), &[x]) => (is_number(x) && *op != Num1::Sign).then_some(x),
        (TensorOp::Num2(op), &[x, y]) => {
            let is_one = matches!(op, Num2::Add | Num2::Sub | Num2::Mul | Num2::Min | Num2::Max);
            (x == y && is_number(x) && is_one).then_some(x)
        }
        (TensorOp::Real1(op), &[x]) => (is_float(x) && op.is_exact()).then_some(x),
        (TensorOp::Real2(Real2::Div), &[x, y]) => (x == y && is_float(x)).then_some(x),
        (TensorOp::Bits1(_), &[x]) => (x == Dtype::Bool || is_int(x)).then_some(x),
        (TensorOp::Bits2(op), &[x, y]) => {
            (x == y && (x == Dtype::Bool || is_int(x)) && !matches!(op, Bits2::Left | Bits2::Right)).then_some(x)
        }
        (TensorOp::Test1(op), &[x]) => (is_float(x) && *op != Test1::SignBit).then_some(Dtype::Bool),
        (TensorOp::Compare(_), &[x, y]) => (x == y).then_some(Dtype::Bool),
        (TensorOp::Select, &[Dtype::Bool, x, y]) => (x == y).then_some(x),
        (TensorOp::Copy, &[x]) => Some(x),
        (TensorOp::Cast(to), &[x]) => {
            // What does not fit into an integer is the smallest one.
            let fits = *to == x || *to == Dtype::Bool || is_float(*to) || is_int(*to) && !is_float(x);
            fits.then_some(*to)
        }
        _ => None,
    }
}
