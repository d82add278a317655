//! A group of operations as loops over elements, for back ends that write code of their own for each.
//!
//! A [`Nest`] says what is computed of which elements, and where that goes. A view is no more than other steps, and no
//! tensor is made for what is between two operations: it is in a register, or, where a loop needs all of it before another
//! one begins, in a *room* of scratch memory. Operands and results lie dense in this machine's memory; for others the group
//! is carried out as ever, and so it is where something would fail.
//!
//! Where sizes are known only later, so are the steps that follow from them: all of it is numbers that [`sizes`] reads back
//! ([`Nest::is_sized`]), and what would be too large is seen when the sizes are there ([`Nest::limits`]).
//!
//! Each operation is what [`TensorOp::apply`] says, bit for bit.

use std::collections::{BTreeMap, BTreeSet};

use super::contract::SLICE;
use super::elementwise::{Bits2, Num1, Num2, Real1, Real2, Test1};
use super::fused::{Group, Input, Role, element};
use super::op::TensorOp;
use super::reduce::{self, Fold};
use super::shape::dense_steps;
use super::{Dtype, Tensor};
use crate::sizes;
use crate::types::{TensorType, Type};

/// Elements of a value at most: for more of them a call is nothing.
const MOST: usize = 4096;
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
    /// The loops, one after another. The last one writes the result, and no other.
    pub stages: Vec<Stage>,
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

/// What gives an element, in a register.
#[derive(Clone, PartialEq, Debug)]
pub enum Inst {
    /// It is in memory.
    Load(Access),
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
        /// Which of it is stored, and where.
        stores: Vec<(usize, Access)>,
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
}

impl Stage {
    /// All that it reads and writes by steps.
    pub fn accesses(&self) -> impl Iterator<Item = &Access> {
        let (insts, stores) = match self {
            Self::Each { insts, stores, .. } => (&insts[..], &stores[..]),
            Self::Product { .. } | Self::Row { .. } | Self::Fold { .. } => (&[][..], &[][..]),
        };
        let factors = if let Self::Product { factors, .. } = self { &factors[..] } else { &[] };
        let loads = insts.iter().filter_map(|(inst, _)| if let Inst::Load(it) = inst { Some(it) } else { None });
        loads.chain(stores.iter().map(|(_, it)| it)).chain(factors)
    }
}

/// Whether an operation on operands of these types can be one of a nest.
pub fn has(op: &TensorOp, takes: &[Type], gives: TensorType) -> bool {
    let tensor = |ty: &Type| if let Type::Tensor(ty) = ty { Some(*ty) } else { None };
    let dtypes = || takes.iter().map(|it| Some(tensor(it)?.dtype)).collect::<Option<Vec<Dtype>>>();
    let is_small = may_be(sizes::product(gives.shape.dims()), MOST) && !gives.home.is_there();
    match (op, takes) {
        (TensorOp::Matmul, [Type::Tensor(x), Type::Tensor(y)]) => {
            let (&[m, k], &[_, n]) = (x.shape.dims(), y.shape.dims()) else { return false };
            is_product(x.dtype, [m, k, n])
        }
        (TensorOp::Fold { axes, .. }, [Type::Tensor(x)]) => is_small && run_of(x.dtype, x.shape.dims(), axes).is_some(),
        (op, _) if Role::of(op) == Some(Role::Each) => {
            let is_row = |op: &Real1, x: &[Dtype]| matches!((op.is_exact(), x), (false, [Dtype::F32 | Dtype::F64]));
            let has = |dtypes: Vec<Dtype>| match op {
                TensorOp::Real1(op) if is_row(op, &dtypes) => true,
                op => self::gives(op, &dtypes).is_some(),
            };
            is_small && dtypes().is_some_and(has)
        }
        (TensorOp::Full { .. }, []) => true,
        (TensorOp::Number(dtype), _) => matches!(dtype, Dtype::F32 | Dtype::F64),
        (op, _) => op.is_view(),
    }
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

/// How many elements go into one, where a reduction of these axes is one of a nest.
fn run_of(dtype: Dtype, dims: &[usize], axes: &[usize]) -> Option<usize> {
    let mut axes = axes.to_vec();
    axes.sort_unstable();
    let lead = dims.len().checked_sub(axes.len())?;
    let len = sizes::product(&dims[lead..]);
    let is_last = !axes.is_empty() && axes.iter().copied().eq(lead..dims.len());
    (is_last && len > 0 && may_be(len, reduce::BLOCK) && dtype != Dtype::Bool).then_some(len)
}

/// Whether it is clear what a number says.
fn is_clear(number: isize) -> bool {
    !sizes::is_later(number.unsigned_abs()) || sizes::parts(number).is_some()
}

impl Nest {
    /// All sizes and steps.
    pub fn numbers(&self) -> BTreeSet<isize> {
        let limits = self.limits.iter().map(|(size, _)| *size);
        let mut all: BTreeSet<isize> = limits.chain(self.rooms.iter().copied()).map(|it| it as isize).collect();
        for stage in &self.stages {
            let sizes = match stage {
                Stage::Each { dims, .. } => &dims[..],
                Stage::Row { count, .. } => std::slice::from_ref(count),
                Stage::Product { sizes, .. } => &sizes[..],
                Stage::Fold { sizes, .. } => &sizes[..],
            };
            all.extend(sizes.iter().map(|it| *it as isize));
            for access in stage.accesses() {
                all.insert(access.first);
                all.extend(&access.steps);
                all.extend(access.moves.iter().flat_map(|it| [it.positions as isize, it.step]));
            }
        }
        all
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

    /// The loops of an operation, if it is a group that has them.
    pub fn of(op: &TensorOp) -> Option<Self> {
        match op {
            TensorOp::Fused(group) => Maker::default().make(group),
            _ => None,
        }
    }
}

/// How the elements of a value come about.
enum What {
    /// It is an operand and no tensor.
    Number,
    /// It is this element.
    Known(u64),
    /// It is this number.
    Item(usize),
    /// It is an operand.
    Operand,
    /// It is a view of a value that is in memory.
    View(View),
    /// Computed of elements.
    Each(TensorOp, Vec<usize>),
    /// Computed by a function.
    Row(Real1, usize),
    /// A product.
    Product([usize; 2]),
    /// Rows of so many elements, reduced.
    Fold(Fold, usize, usize),
}

#[derive(Clone)]
struct View {
    of: usize,
    first: isize,
    moves: Vec<Move>,
    steps: Vec<isize>,
}

struct Value {
    dtype: Dtype,
    dims: Vec<usize>,
    what: What,
    /// How many loops come before the one that computes it, at least.
    level: usize,
}

impl Value {
    fn count(&self) -> usize {
        sizes::product(&self.dims)
    }

    /// Whether sizes of it are known only later.
    fn is_sized(&self) -> bool {
        self.dims.iter().any(|it| sizes::is_later(*it))
    }

    fn is_computed(&self) -> bool {
        matches!(self.what, What::Each(..)) || self.is_whole()
    }

    /// Whether it is computed in a loop of its own, of values in memory.
    fn is_whole(&self) -> bool {
        matches!(self.what, What::Row(..) | What::Product(_) | What::Fold(..))
    }
}

#[derive(Default)]
struct Maker {
    values: Vec<Value>,
    /// Where values are that have to be in memory.
    places: BTreeMap<usize, Memory>,
    rooms: Vec<usize>,
    limits: Vec<(usize, usize)>,
}

impl Maker {
    fn make(mut self, group: &Group) -> Option<Nest> {
        for (at, input) in group.inputs().iter().enumerate() {
            self.values.push(match input {
                Input::Tensor(ty) => {
                    self.places.insert(at, Memory::Operand(at));
                    Value { dtype: ty.dtype, dims: ty.shape.dims().to_vec(), what: What::Operand, level: 0 }
                }
                Input::Number => Value { dtype: Dtype::F64, dims: Vec::new(), what: What::Number, level: 0 },
            });
        }
        // Where each value of the group is: copies come in between.
        let mut numbers: Vec<usize> = (0..self.values.len()).collect();
        for member in group.members() {
            let args: Vec<usize> =
                member.args.iter().map(|it| numbers.get(usize::from(*it)).copied()).collect::<Option<_>>()?;
            let value = self.member(&member.op, &args)?;
            self.values.push(value);
            numbers.push(self.values.len() - 1);
        }
        let fits = |it: &Value| {
            let is_plain = matches!(it.dtype, Dtype::Bool | Dtype::I32 | Dtype::I64 | Dtype::F32 | Dtype::F64);
            let is_small = may_be(it.count(), MOST) || !it.is_computed();
            is_plain && is_small && it.count() > 0 && it.dims.iter().all(|it| is_clear(*it as isize))
        };
        let is_sized = self.values.iter().any(Value::is_sized);
        // What is known must not look like what is not.
        let is_apart = |it: &Value| it.is_sized() || !sizes::is_later(it.count());
        if !self.values.iter().all(|it| fits(it) && (!is_sized || is_apart(it)))
            || !group.inputs().iter().any(|it| matches!(it, Input::Tensor(_)))
        {
            return None;
        }
        let gives = group.gives();
        let last = self.values.len() - 1;
        // A view of all of it is the same memory.
        let root = match &self.values[last].what {
            What::View(view) => {
                let is_all = self.values[view.of].count() == self.values[last].count();
                let dense = dense_steps(&self.values[last].dims);
                let is_dense =
                    view.first == 0 && view.moves.is_empty() && same_map(&self.values[last].dims, &view.steps, &dense);
                (is_all && is_dense && self.values[view.of].is_computed()).then_some(view.of)?
            }
            What::Each(..) | What::Row(..) | What::Product(_) | What::Fold(..) => last,
            What::Number | What::Known(_) | What::Item(_) | What::Operand => return None,
        };
        if TensorType::new(self.values[last].dtype, &self.values[last].dims) != gives {
            return None;
        }
        self.places.insert(root, Memory::Result);
        let mut stages = Vec::new();
        // Whoever reads says what has to be stored, so the last loops are made first.
        for level in (0..=self.values[root].level).rev() {
            self.level(level, &mut stages)?;
        }
        stages.reverse();
        if self.rooms.iter().filter(|it| !sizes::is_later(**it)).sum::<usize>() > MOST_ROOM {
            return None;
        }
        let over = over(group, &stages);
        for value in self.values.iter().filter(|it| it.is_sized() && it.is_computed()) {
            self.limits.push((value.count(), MOST));
        }
        let Self { rooms, mut limits, .. } = self;
        limits.retain(|(size, _)| sizes::is_later(*size));
        limits.sort_unstable();
        limits.dedup();
        let nest = Nest { gives, rooms, stages, over, is_sized, limits };
        (!is_sized || nest.numbers().into_iter().all(is_clear)).then_some(nest)
    }

    /// A value that lies dense: itself, or a copy.
    fn dense(&mut self, value: usize) -> usize {
        let it = &self.values[value];
        if !matches!(it.what, What::View(_) | What::Known(_) | What::Item(_)) {
            return value;
        }
        let what = What::Each(TensorOp::Copy, vec![value]);
        let copy = Value { dtype: it.dtype, dims: it.dims.clone(), what, level: it.level };
        self.values.push(copy);
        self.values.len() - 1
    }

    /// The first level at which a value is in memory.
    fn behind(&self, value: usize) -> usize {
        let it = &self.values[value];
        if it.is_computed() { it.level + 1 } else { it.level }
    }

    fn product(&mut self, args: &[usize]) -> Option<Value> {
        let &[a, b] = args else { return None };
        let in_memory = |it: &mut Self, arg: usize| match it.values[arg].what {
            What::Known(_) | What::Item(_) => it.dense(arg),
            _ => arg,
        };
        let (a, b) = (in_memory(self, a), in_memory(self, b));
        let (x, y) = (&self.values[a], &self.values[b]);
        let (&[m, k], &[k2, n]) = (&x.dims[..], &y.dims[..]) else { return None };
        let fits = k == k2 && x.dtype == y.dtype && is_product(x.dtype, [m, k, n]);
        let dtype = fits.then_some(x.dtype)?;
        self.limits.extend(limits_of_product([m, k, n]));
        let level = self.behind(a).max(self.behind(b));
        Some(Value { dtype, dims: vec![m, n], what: What::Product([a, b]), level })
    }

    fn fold(&mut self, fold: Fold, arg: usize, axes: &[usize]) -> Option<Value> {
        let it = self.values.get(arg)?;
        let len = run_of(it.dtype, &it.dims, axes)?;
        let lead = it.dims.len() - axes.len();
        let (dtype, dims) = (it.dtype, it.dims[..lead].to_vec());
        let arg = self.dense(arg);
        self.limits.push((len, reduce::BLOCK));
        Some(Value { dtype, dims, what: What::Fold(fold, len, arg), level: self.behind(arg) })
    }

    fn member(&mut self, op: &TensorOp, args: &[usize]) -> Option<Value> {
        match op {
            TensorOp::Matmul => return self.product(args),
            TensorOp::Fold { fold, axes } => return self.fold(*fold, *args.first()?, axes),
            _ => {}
        }
        let value = |it: usize| self.values.get(it);
        let is_number = |it: usize| value(it).is_some_and(|it| matches!(it.what, What::Number));
        match Role::of(op)? {
            Role::Item => {
                let (dtype, what) = match (op, args) {
                    (TensorOp::Full { dtype, item, .. }, []) => (*dtype, What::Known(element(*dtype, *item))),
                    // Others may not fit.
                    (TensorOp::Number(dtype @ (Dtype::F32 | Dtype::F64)), &[arg]) if is_number(arg) => {
                        (*dtype, What::Item(arg))
                    }
                    _ => return None,
                };
                // An element that is known is the same everywhere, whatever its shape.
                let dims = if let TensorOp::Full { dims, .. } = op { dims.clone() } else { Vec::new() };
                Some(Value { dtype, dims, what, level: 0 })
            }
            Role::View => {
                let (&of, numbers) = args.split_first()?;
                let base = value(of)?;
                let (root, view) = match &base.what {
                    What::View(view) => (view.of, view.clone()),
                    What::Operand | What::Each(..) | What::Row(..) | What::Product(_) | What::Fold(..) => {
                        let steps = dense_steps(&base.dims).to_vec();
                        (of, View { of, first: 0, moves: Vec::new(), steps })
                    }
                    What::Number | What::Known(_) | What::Item(_) => return None,
                };
                let (dims, first, moves, steps) = viewed(op, base.dtype, &base.dims, &view, numbers)?;
                let root = &self.values[root];
                let level = if root.is_computed() { root.level + 1 } else { 0 };
                let view = View { of: view.of, first, moves, steps };
                Some(Value { dtype: base.dtype, dims, what: What::View(view), level })
            }
            Role::Each => {
                let mut dims: Vec<usize> = Vec::new();
                for &arg in args {
                    dims = broadcast(&dims, &value(arg).filter(|_| !is_number(arg))?.dims)?;
                }
                let takes: Vec<Dtype> = args.iter().map(|it| Some(value(*it)?.dtype)).collect::<Option<_>>()?;
                if let (TensorOp::Real1(op), &[dtype @ (Dtype::F32 | Dtype::F64)]) = (op, &takes[..])
                    && !op.is_exact()
                {
                    let arg = self.dense(args[0]);
                    let level = self.behind(arg);
                    return Some(Value { dtype, dims, what: What::Row(*op, arg), level });
                }
                let dtype = gives(op, &takes)?;
                let level = |arg: &usize| match &self.values[*arg] {
                    it if matches!(it.what, What::Each(..)) && (it.dims == dims || it.count() == 1) => it.level,
                    _ => self.behind(*arg),
                };
                let level = args.iter().map(level).max()?;
                Some(Value { dtype, dims, what: What::Each(op.clone(), args.to_vec()), level })
            }
            Role::Fold => None,
        }
    }

    /// Where a value is that has to be in memory.
    fn place(&mut self, value: usize) -> Memory {
        let rooms = &mut self.rooms;
        let bytes = self.values[value].count().wrapping_mul(self.values[value].dtype.size());
        *self.places.entry(value).or_insert_with(|| {
            rooms.push(bytes);
            Memory::Room(rooms.len() - 1)
        })
    }

    /// The loops of a level.
    fn level(&mut self, level: usize, stages: &mut Vec<Stage>) -> Option<()> {
        let mut here: Vec<usize> = self.places.keys().copied().collect();
        here.retain(|it| self.values[*it].level == level && self.values[*it].is_computed());
        let mut shapes: Vec<Vec<usize>> = Vec::new();
        for &it in &here {
            match self.values[it].what {
                What::Row(op, arg) => {
                    let (from, to) = (self.place(arg), self.place(it));
                    let Value { dtype, .. } = self.values[it];
                    stages.push(Stage::Row { op, dtype, count: self.values[it].count(), from, to });
                }
                What::Fold(fold, len, arg) => {
                    let (from, to) = (self.place(arg), self.place(it));
                    let sizes = [self.values[it].count(), len];
                    stages.push(Stage::Fold { fold, dtype: self.values[it].dtype, sizes, from, to });
                }
                What::Product([a, b]) => {
                    let factors = [self.access(a), self.access(b)];
                    let sizes = [self.values[a].dims[0], self.values[a].dims[1], self.values[b].dims[1]];
                    let (dtype, to) = (self.values[it].dtype, self.place(it));
                    stages.push(Stage::Product { dtype, sizes, factors, to });
                }
                _ if !shapes.contains(&self.values[it].dims) => shapes.push(self.values[it].dims.clone()),
                _ => {}
            }
        }
        for dims in shapes {
            let roots = here.iter().copied();
            let roots: Vec<usize> = roots
                .filter(|it| self.values[*it].dims == dims && matches!(self.values[*it].what, What::Each(..)))
                .collect();
            let mut loops = Loop { dims: &dims, level, insts: Vec::new(), known: BTreeMap::new() };
            let mut stores = Vec::new();
            for root in roots {
                let register = self.register(&mut loops, root, true)?;
                let Value { dtype, .. } = self.values[root];
                let steps = dense_steps(&dims).to_vec();
                stores.push((register, Access { memory: self.place(root), dtype, first: 0, moves: Vec::new(), steps }));
            }
            let insts = loops.insts;
            if insts.len() > MOST_INSTS {
                return None;
            }
            stages.push(collapsed(dims, insts, stores));
        }
        Some(())
    }

    /// The register of a value in a loop.
    fn register(&mut self, loops: &mut Loop<'_>, value: usize, is_root: bool) -> Option<usize> {
        if let Some(&known) = loops.known.get(&value) {
            return Some(known);
        }
        let Value { dtype, .. } = self.values[value];
        let it = &self.values[value];
        let fits = it.dims == *loops.dims || it.count() == 1;
        let inst = match &it.what {
            What::Number => return None,
            What::Known(bits) => Inst::Known(*bits),
            What::Item(number) => Inst::Number(*number),
            What::Each(op, args)
                if is_root
                    || fits && it.level <= loops.level && (it.count() == 1 || !self.places.contains_key(&value)) =>
            {
                let (op, args) = (op.clone(), args.clone());
                let args = args.into_iter().map(|it| self.register(loops, it, false)).collect::<Option<_>>()?;
                Inst::Op(op, args)
            }
            // What this loop computes, too.
            What::Each(..) if it.level == loops.level && it.dims == *loops.dims => {
                return self.register(loops, value, true);
            }
            _ => {
                let access = self.access(value);
                let steps = stretched(&self.values[value].dims, &access.steps, loops.dims)?;
                Inst::Load(Access { steps, ..access })
            }
        };
        loops.insts.push((inst, dtype));
        loops.known.insert(value, loops.insts.len() - 1);
        Some(loops.insts.len() - 1)
    }

    /// The elements of a value that is in memory.
    fn access(&mut self, value: usize) -> Access {
        let it = &self.values[value];
        let (dtype, view) = match &it.what {
            What::View(view) => (it.dtype, view.clone()),
            _ => {
                let steps = dense_steps(&it.dims).to_vec();
                (it.dtype, View { of: value, first: 0, moves: Vec::new(), steps })
            }
        };
        let View { of, first, moves, steps } = view;
        Access { memory: self.place(of), dtype, first, moves, steps }
    }
}

/// A loop that is being made.
struct Loop<'a> {
    dims: &'a [usize],
    level: usize,
    insts: Vec<(Inst, Dtype)>,
    known: BTreeMap<usize, usize>,
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

fn broadcast(x: &[usize], y: &[usize]) -> Option<Vec<usize>> {
    let (long, short) = if x.len() >= y.len() { (x, y) } else { (y, x) };
    let mut all = long.to_vec();
    for (to, &size) in all.iter_mut().rev().zip(short.iter().rev()) {
        match (*to, size) {
            (a, b) if a == b || b == 1 => {}
            (1, b) => *to = b,
            _ => return None,
        }
    }
    Some(all)
}

/// Steps of a shape along the axes of one that it is stretched to.
fn stretched(dims: &[usize], steps: &[isize], to: &[usize]) -> Option<Vec<isize>> {
    let new = to.len().checked_sub(dims.len())?;
    let along = |axis: usize| match axis.checked_sub(new) {
        Some(own) if dims[own] == to[axis] => Some(steps[own]),
        Some(own) if dims[own] != 1 => None,
        _ => Some(0),
    };
    (0..to.len()).map(along).collect()
}

/// Whether steps of a shape lead to the same elements.
fn same_map(dims: &[usize], x: &[isize], y: &[isize]) -> bool {
    dims.iter().zip(x.iter().zip(y)).all(|(size, (x, y))| *size == 1 || x == y)
}

type Viewed = (Vec<usize>, isize, Vec<Move>, Vec<isize>);

/// What an operation makes of a view.
fn viewed(op: &TensorOp, dtype: Dtype, dims: &[usize], view: &View, numbers: &[usize]) -> Option<Viewed> {
    let (mut first, mut moves) = (view.first, view.moves.clone());
    let mut at = |along: usize, number: usize, positions: usize, from_end: bool| {
        moves.push(Move { number, positions, from_end, step: *view.steps.get(along)? });
        Some(())
    };
    match (op, numbers) {
        (TensorOp::PickAt { along, .. }, &[number]) => {
            at(*along, number, *dims.get(*along)?, true)?;
            let (mut dims, mut steps) = (dims.to_vec(), view.steps.clone());
            dims.remove(*along);
            steps.remove(*along);
            Some((dims, first, moves, steps))
        }
        (TensorOp::SliceAt { along, len }, &[number]) => {
            at(*along, number, (dims.get(*along)? + 1).checked_sub(*len)?, false)?;
            let mut dims = dims.to_vec();
            dims[*along] = *len;
            Some((dims, first, moves, view.steps.clone()))
        }
        (_, []) => {
            // The library's own function, on a tensor that has no memory.
            let shell = Tensor::shell_of(dtype, dims, &view.steps).ok()?;
            let (made, _) = op.seen(&shell).filter(|(_, is_view)| *is_view)?;
            first += made.start();
            Some((made.dims().to_vec(), first, moves, made.steps().to_vec()))
        }
        _ => None,
    }
}

/// A loop whose axes are joined where all go along them in one step.
fn collapsed(dims: Vec<usize>, mut insts: Vec<(Inst, Dtype)>, mut stores: Vec<(usize, Access)>) -> Stage {
    let mut all: Vec<&mut Vec<isize>> = insts
        .iter_mut()
        .filter_map(|(inst, _)| if let Inst::Load(access) = inst { Some(&mut access.steps) } else { None })
        .chain(stores.iter_mut().map(|(_, access)| &mut access.steps))
        .collect();
    let mut kept = Vec::new();
    let mut joined: Vec<Vec<isize>> = vec![Vec::new(); all.len()];
    for (axis, &size) in dims.iter().enumerate().filter(|(_, size)| **size != 1) {
        let is_run = !kept.is_empty()
            && all
                .iter()
                .zip(&joined)
                .all(|(steps, so_far)| so_far.last() == Some(&steps[axis].wrapping_mul(size as isize)));
        if is_run {
            let last = kept.last_mut().expect("there is one");
            *last = sizes::product(&[*last, size]);
        } else {
            kept.push(size);
        }
        for (steps, so_far) in all.iter().zip(&mut joined) {
            if is_run {
                so_far.pop();
            }
            so_far.push(steps[axis]);
        }
    }
    for (steps, joined) in all.iter_mut().zip(joined) {
        **steps = joined;
    }
    Stage::Each { dims: kept, insts, stores }
}

/// The operands over which the result may be written: those of its type that its loop reads where it writes, if at all.
fn over(group: &Group, stages: &[Stage]) -> u32 {
    let gives = group.gives();
    let reads_as_it_writes = |operand: usize| match stages.last() {
        Some(Stage::Each { insts, stores, .. }) => {
            let result = stores.iter().find(|(_, it)| it.memory == Memory::Result).map(|(_, it)| it);
            let is_same = |load: &Access| {
                result.is_some_and(|to| load.first == 0 && load.moves.is_empty() && load.steps == to.steps)
            };
            insts.iter().all(|(inst, _)| match inst {
                Inst::Load(load) => load.memory != Memory::Operand(operand) || is_same(load),
                _ => true,
            })
        }
        Some(Stage::Row { .. }) => true,
        Some(Stage::Product { factors, .. }) => factors.iter().all(|it| it.memory != Memory::Operand(operand)),
        Some(Stage::Fold { from, .. }) => *from != Memory::Operand(operand),
        None => false,
    };
    let fits = |&at: &usize| group.inputs()[at] == Input::Tensor(gives) && reads_as_it_writes(at);
    (0..group.inputs().len().min(32)).filter(fits).fold(0, |all, at| all | 1 << at)
}
