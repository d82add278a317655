//! From a group to its loops.

use std::collections::BTreeMap;

use super::{
    Access, Inst, MOST, MOST_INSTS, MOST_ROOM, Memory, Move, Nest, Reduced, Stage, gives, is_clear, is_product,
    limits_of_product, may_be, reduced,
};
use crate::sizes;
use crate::tensor::elementwise::Real1;
use crate::tensor::fused::{Group, Input, Role, element};
use crate::tensor::reduce::{self, Fold};
use crate::tensor::shape::dense_steps;
use crate::tensor::{Dtype, Tensor, TensorOp};
use crate::types::TensorType;

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
    /// Reduced along these axes.
    Rows(Fold, usize, Vec<usize>),
    /// These, one after another along an axis.
    Parts(usize, Vec<usize>),
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
        matches!(self.what, What::Row(..) | What::Product(_) | What::Fold(..) | What::Rows(..) | What::Parts(..))
    }
}

#[derive(Default)]
pub(super) struct Maker {
    values: Vec<Value>,
    /// Where values are that have to be in memory.
    places: BTreeMap<usize, Memory>,
    rooms: Vec<usize>,
    limits: Vec<(usize, usize)>,
}

impl Maker {
    pub(super) fn make(mut self, group: &Group) -> Option<Nest> {
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
        if !self.values.iter().all(|it| fits(it) && (!is_sized || is_apart(it))) || group.inputs().is_empty() {
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
            What::Each(..) | What::Row(..) | What::Product(_) | What::Fold(..) | What::Rows(..) | What::Parts(..) => {
                last
            }
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
        self.dense_if(value, true)
    }

    /// A value that lies in memory; dense, if views are not enough.
    fn dense_if(&mut self, value: usize, dense: bool) -> usize {
        let it = &self.values[value];
        if !(matches!(it.what, What::Known(_) | What::Item(_)) || dense && matches!(it.what, What::View(_))) {
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
        let (a, b) = (self.dense_if(a, false), self.dense_if(b, false));
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
        let dtype = it.dtype;
        let Reduced { run, rows } = reduced(dtype, &it.dims, axes)?;
        let arg = self.dense_if(arg, run.is_some());
        let Some(len) = run else { return Some(self.rows(fold, arg, rows)) };
        let lead = axes.len() - rows.len();
        let dims = &self.values[arg].dims;
        let dims = dims[..dims.len() - lead].to_vec();
        self.limits.push((len, reduce::BLOCK));
        let runs = Value { dtype, dims, what: What::Fold(fold, len, arg), level: self.behind(arg) };
        if rows.is_empty() {
            return Some(runs);
        }
        self.values.push(runs);
        Some(self.rows(fold, self.values.len() - 1, rows))
    }

    fn rows(&mut self, fold: Fold, arg: usize, rows: Vec<usize>) -> Value {
        let it = &self.values[arg];
        self.limits.push((it.count(), MOST));
        let kept = it.dims.iter().enumerate().filter(|(axis, _)| !rows.contains(axis));
        let dims = kept.map(|(_, size)| *size).collect();
        Value { dtype: it.dtype, dims, level: self.behind(arg), what: What::Rows(fold, arg, rows) }
    }

    fn parts(&mut self, along: usize, parts: &[usize]) -> Option<Value> {
        let mut all: Option<Value> = None;
        for &part in parts {
            let it = self.values.get(part)?;
            let level = if matches!(it.what, What::Each(..)) { it.level } else { self.behind(part) };
            let (more, dtype) = (*it.dims.get(along)?, it.dtype);
            let all = all.get_or_insert_with(|| {
                let mut dims = it.dims.clone();
                dims[along] = 0;
                Value { dtype, dims, what: What::Parts(along, parts.to_vec()), level }
            });
            if all.dtype != dtype || sizes::is_later(more) {
                return None;
            }
            all.level = all.level.max(level);
            all.dims[along] += more;
        }
        all
    }

    fn member(&mut self, op: &TensorOp, args: &[usize]) -> Option<Value> {
        match op {
            TensorOp::Matmul => return self.product(args),
            TensorOp::Fold { fold, axes } => return self.fold(*fold, *args.first()?, axes),
            TensorOp::Concat { along } => return self.parts(*along, args),
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
                let dense = |of| View { of, first: 0, moves: Vec::new(), steps: dense_steps(&base.dims).to_vec() };
                let same = match base.what {
                    What::Known(bits) => Some(What::Known(bits)),
                    What::Item(number) => Some(What::Item(number)),
                    _ => None,
                };
                if let Some(what) = same {
                    // The same everywhere.
                    let (dims, _, moves, _) = viewed(op, base.dtype, &base.dims, &dense(of), numbers)?;
                    return moves.is_empty().then_some(Value { dtype: base.dtype, dims, what, level: 0 });
                }
                let (root, view) = match &base.what {
                    What::View(view) => (view.of, view.clone()),
                    What::Number => return None,
                    _ => (of, dense(of)),
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
                What::Rows(fold, arg, ref rows) => {
                    let rows = rows.clone();
                    let from = self.access(arg);
                    let (dtype, to) = (self.values[it].dtype, self.place(it));
                    stages.push(rows_of(fold, dtype, &self.values[arg].dims, &rows, from, to));
                }
                What::Parts(along, ref parts) => {
                    let parts = parts.clone();
                    self.write_parts(it, along, &parts, stages)?;
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

    /// A loop for each part of a value.
    fn write_parts(&mut self, whole: usize, along: usize, parts: &[usize], stages: &mut Vec<Stage>) -> Option<()> {
        let Value { dtype, level, .. } = self.values[whole];
        let steps = dense_steps(&self.values[whole].dims).to_vec();
        let memory = self.place(whole);
        let mut begin = 0;
        for &part in parts {
            let dims = self.values[part].dims.clone();
            let mut loops = Loop { dims: &dims, level, insts: Vec::new(), known: BTreeMap::new() };
            let register = self.register(&mut loops, part, false)?;
            let insts = loops.insts;
            let first = if begin == 0 { 0 } else { sizes::product(&[begin, steps[along] as usize]) as isize };
            begin += dims[along];
            if insts.len() > MOST_INSTS {
                return None;
            }
            let store = Access { memory, dtype, first, moves: Vec::new(), steps: steps.clone() };
            stages.push(collapsed(dims, insts, vec![(register, store)]));
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
    let dims = joined_axes(&dims, &mut all);
    Stage::Each { dims, insts, stores }
}

/// The axes of a shape without those of one position, joined where all go along them in one step.
fn joined_axes(dims: &[usize], all: &mut [&mut Vec<isize>]) -> Vec<usize> {
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
    kept
}

/// Rows along some axes of a shape, joined.
fn rows_of(fold: Fold, dtype: Dtype, dims: &[usize], rows: &[usize], from: Access, to: Memory) -> Stage {
    let of = |is_row: bool| (0..dims.len()).filter(move |axis| rows.contains(axis) == is_row);
    let kept: Vec<usize> = of(false).map(|it| dims[it]).collect();
    let mut steps: Vec<isize> = of(false).map(|it| from.steps[it]).collect();
    let dims_kept = joined_axes(&kept, &mut [&mut steps, &mut dense_steps(&kept).to_vec()]);
    steps.extend(of(true).map(|it| from.steps[it]));
    let rows = of(true).map(|it| dims[it]).collect();
    Stage::Rows { fold, dtype, dims: dims_kept, rows, from: Access { steps, ..from }, to }
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
        Some(Stage::Rows { from, .. }) => from.memory != Memory::Operand(operand),
        None => false,
    };
    let writes = |it: &&Stage| matches!(it, Stage::Each { stores, .. } if stores.iter().any(|(_, it)| it.memory == Memory::Result));
    if stages.iter().filter(writes).count() > 1 {
        return 0;
    }
    let fits = |&at: &usize| group.inputs()[at] == Input::Tensor(gives) && reads_as_it_writes(at);
    (0..group.inputs().len().min(32)).filter(fits).fold(0, |all, at| all | 1 << at)
}
