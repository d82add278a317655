//! From a group to its loops.

use std::collections::BTreeMap;

use super::steps::{View, broadcast, collapsed, rows_of, same_map, stretched, viewed};
use super::{
    Access, Inside, Inst, MOST, MOST_INSTS, MOST_ROOM, Memory, Nest, Position, Reduced, Stage, gives, is_clear,
    is_plain, is_product, is_side_by_side, limits_of_product, may_be, reduced, written,
};
use crate::sizes;
use crate::tensor::elementwise::Real1;
use crate::tensor::fused::{Group, Input, Role, element};
use crate::tensor::op::Constant;
use crate::tensor::reduce::{self, Fold};
use crate::tensor::shape::dense_steps;
use crate::tensor::{Dtype, TensorOp};
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
    /// It is known, in a table.
    Table,
    /// It is a view of a value that is in memory.
    View(View),
    /// Computed of elements.
    Each(TensorOp, Vec<usize>),
    /// Elements of the first, at positions along some of its axes.
    Gather(usize, Vec<bool>, Vec<usize>),
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
        self.is_each() || self.is_whole()
    }

    /// Whether it is computed in the loops of those that read it, too.
    fn is_each(&self) -> bool {
        matches!(self.what, What::Each(..) | What::Gather(..))
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
    tables: Vec<Constant>,
    /// The values that have to be positions of axes of such sizes.
    inside: Vec<(usize, usize)>,
    /// The view of an operand that the last value is written to, if it is.
    to: Option<usize>,
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
            let is_small = may_be(it.count(), MOST) || !it.is_computed();
            is_plain(it.dtype) && is_small && it.count() > 0 && it.dims.iter().all(|it| is_clear(*it as isize))
        };
        let is_sized = self.values.iter().any(Value::is_sized);
        // What is known must not look like what is not.
        let is_apart = |it: &Value| it.is_sized() || !sizes::is_later(it.count());
        if !self.values.iter().all(|it| fits(it) && (!is_sized || is_apart(it))) {
            return None;
        }
        let gives = group.gives();
        let mut last = self.values.len().checked_sub(1)?;
        if matches!(self.values[last].what, What::Known(_) | What::Table) {
            last = self.copied(last);
        }
        // What is all of it, seen otherwise, is the same memory.
        let root = match &self.values[last].what {
            What::View(view) => {
                let is_all = self.values[view.of].count() == self.values[last].count();
                let dense = dense_steps(&self.values[last].dims);
                let is_dense =
                    view.first == 0 && view.moves.is_empty() && same_map(&self.values[last].dims, &view.steps, &dense);
                (is_all && is_dense && self.values[view.of].is_computed()).then_some(view.of)?
            }
            _ if self.values[last].is_computed() => last,
            _ => return None,
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
        let writes = self.to.map_or(Some(Vec::new()), |to| self.apart(to, &mut stages))?;
        if self.rooms.iter().filter(|it| !sizes::is_later(**it)).sum::<usize>() > MOST_ROOM {
            return None;
        }
        let mut inside = Vec::new();
        let mut positions = std::mem::take(&mut self.inside);
        positions.sort_unstable();
        positions.dedup();
        for (value, size) in positions {
            inside.push(Inside { positions: self.access(value), dims: self.values[value].dims.clone(), size });
        }
        let over = if writes.is_empty() { over(group, &stages) } else { 0 };
        for value in self.values.iter().filter(|it| it.is_sized() && it.is_computed()) {
            self.limits.push((value.count(), MOST));
        }
        let Self { rooms, mut limits, tables, .. } = self;
        limits.retain(|(size, _)| sizes::is_later(*size));
        limits.sort_unstable();
        limits.dedup();
        let nest = Nest { gives, rooms, tables, inside, stages, writes, over, is_sized, limits };
        (!is_sized || nest.numbers().into_iter().all(is_clear)).then_some(nest)
    }

    /// A value that lies dense: itself, or a copy.
    fn dense(&mut self, value: usize) -> usize {
        self.dense_if(value, true)
    }

    /// A value that lies in memory; dense, if views are not enough.
    fn dense_if(&mut self, value: usize, dense: bool) -> usize {
        let it = &self.values[value];
        let is_one = matches!(it.what, What::Known(_) | What::Item(_)) || dense && matches!(it.what, What::View(_));
        if is_one { self.copied(value) } else { value }
    }

    fn copied(&mut self, value: usize) -> usize {
        let it = &self.values[value];
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
            let level = if it.is_each() { it.level } else { self.behind(part) };
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

    /// What is computed of each element and written to the first operand, a view of what is passed.
    fn write(&mut self, op: &TensorOp, args: &[usize]) -> Option<Value> {
        let (&to, from) = args.split_first()?;
        let it = self.values.get(to)?;
        let (dtype, dims) = (it.dtype, it.dims.clone());
        let is_passed = match &it.what {
            What::Operand => true,
            What::View(view) => {
                // Nothing is written to one place twice.
                let is_one_each = it.dims.iter().zip(&view.steps).all(|(size, step)| *size == 1 || *step != 0);
                is_one_each && matches!(self.values[view.of].what, What::Operand)
            }
            _ => false,
        };
        if !is_passed {
            return None;
        }
        let made = self.member(op, from).filter(|it| it.dtype == dtype)?;
        self.to = Some(to);
        if made.dims == dims {
            return Some(made);
        }
        let wide = broadcast(&made.dims, &dims).filter(|it| *it == dims)?;
        let level = if made.count() == 1 { made.level } else { made.level + 1 };
        self.values.push(made);
        let what = What::Each(TensorOp::Copy, vec![self.values.len() - 1]);
        Some(Value { dtype, dims: wide, what, level })
    }

    /// Sees to it that the last loop writes to the operand that is to be written to, and reads none of it but what it writes
    /// there. Gives it, and the others that this loop reads, with their bytes.
    fn apart(&mut self, to: usize, stages: &mut Vec<Stage>) -> Option<Vec<(usize, usize)>> {
        let Some(Stage::Each { dims, insts, stores }) = stages.last_mut() else { return None };
        let [(_, store)] = &mut stores[..] else { return None };
        let Memory::Operand(operand) = store.memory else { return None };
        let is_apart = insts.iter().all(|(inst, _)| match inst {
            Inst::Load(it) => it.memory != store.memory || it == store,
            it => it.access().is_none_or(|it| it.memory != store.memory),
        });
        if !is_apart {
            let Value { dtype, .. } = self.values[to];
            self.rooms.push(self.values[to].count().wrapping_mul(dtype.size()));
            let (memory, steps) = (Memory::Room(self.rooms.len() - 1), dense_steps(dims).to_vec());
            let room = Access { memory, dtype, first: 0, moves: Vec::new(), steps };
            let place = std::mem::replace(store, room.clone());
            let dims = dims.clone();
            stages.push(Stage::Each { dims, insts: vec![(Inst::Load(room), dtype)], stores: vec![(0, place)] });
        }
        let mut all = vec![operand];
        for access in stages.last()?.accesses() {
            match access.memory {
                Memory::Operand(it) if !all.contains(&it) => all.push(it),
                _ => {}
            }
        }
        let bytes = |it: usize| self.values[it].count().wrapping_mul(self.values[it].dtype.size());
        Some(all.into_iter().map(|it| (it, bytes(it))).collect())
    }

    /// Elements that are known.
    fn table(&mut self, table: &Constant) -> Option<Value> {
        let (dtype, dims) = (table.tensor().dtype(), table.tensor().dims().to_vec());
        if let Some(item) = table.tensor().only_item() {
            return Some(Value { dtype, dims, what: What::Known(element(dtype, item)), level: 0 });
        }
        self.tables.push(table.clone());
        let number = self.tables.len() - 1;
        self.places.insert(self.values.len(), Memory::Table(number));
        Some(Value { dtype, dims, what: What::Table, level: 0 })
    }

    fn gather(&mut self, at: &[bool], args: &[usize]) -> Option<Value> {
        let (&of, positions) = args.split_first()?;
        let of = self.dense_if(of, false);
        let (dtype, from, level) = (self.values[of].dtype, self.values[of].dims.clone(), self.behind(of));
        if from.len() != at.len() || !is_side_by_side(at) {
            return None;
        }
        let mut common: Vec<usize> = Vec::new();
        let axes = (0..at.len()).filter(|it| at[*it]);
        for (axis, &position) in axes.zip(positions) {
            let it = self.values.get(position).filter(|it| it.dtype == Dtype::I64)?;
            common = broadcast(&common, &it.dims)?;
            // What is computed here is not there yet when it is asked whether all are inside.
            match &it.what {
                What::Known(bits) => {
                    let at = bits.cast_signed();
                    let size = i64::try_from(from[axis]).ok().filter(|_| !sizes::is_later(from[axis]))?;
                    (-size..size).contains(&at).then_some(())?;
                }
                What::Operand | What::Table => self.inside.push((position, from[axis])),
                What::View(view) if !self.values[view.of].is_computed() => self.inside.push((position, from[axis])),
                _ => return None,
            }
        }
        let first = at.iter().position(|it| *it)?;
        let kept = |range: std::ops::Range<usize>| range.filter(|it| !at[*it]).map(|it| from[it]);
        let dims = kept(0..first).chain(common).chain(kept(first..from.len())).collect();
        Some(Value { dtype, dims, what: What::Gather(of, at.to_vec(), positions.to_vec()), level })
    }

    fn member(&mut self, op: &TensorOp, args: &[usize]) -> Option<Value> {
        match op {
            TensorOp::Matmul => return self.product(args),
            TensorOp::Fold { fold, axes } => return self.fold(*fold, *args.first()?, axes),
            TensorOp::Concat { along } => return self.parts(*along, args),
            TensorOp::Gather(at) => return self.gather(at, args),
            TensorOp::Constant(table) => return self.table(table),
            _ => {}
        }
        if let Some(each) = written(op) {
            return self.write(&each, args);
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
                    it if it.is_each() && (it.dims == dims || it.count() == 1) => it.level,
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
            let roots: Vec<usize> =
                roots.filter(|it| self.values[*it].dims == dims && self.values[*it].is_each()).collect();
            let mut loops = Loop { dims: &dims, level, insts: Vec::new(), known: BTreeMap::new() };
            let mut stores = Vec::new();
            for root in roots {
                let register = self.register(&mut loops, root, true)?;
                let Value { dtype, .. } = self.values[root];
                let access = match (self.place(root), self.to) {
                    (Memory::Result, Some(to)) => self.access(to),
                    (memory, _) => {
                        let steps = dense_steps(&dims).to_vec();
                        Access { memory, dtype, first: 0, moves: Vec::new(), steps }
                    }
                };
                stores.push((register, access));
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
        let is_here =
            is_root || fits && it.level <= loops.level && (it.count() == 1 || !self.places.contains_key(&value));
        let inst = match &it.what {
            What::Number => return None,
            What::Known(bits) => Inst::Known(*bits),
            What::Item(number) => Inst::Number(*number),
            What::Each(op, args) if is_here => {
                let (op, args) = (op.clone(), args.clone());
                let args = args.into_iter().map(|it| self.register(loops, it, false)).collect::<Option<_>>()?;
                Inst::Op(op, args)
            }
            What::Gather(of, at, positions) if is_here => {
                let (of, at, positions) = (*of, at.clone(), positions.clone());
                self.gathered(loops, value, of, &at, &positions)?
            }
            // What this loop computes, too.
            _ if it.is_each() && it.level == loops.level && it.dims == *loops.dims => {
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

    /// What gathers the elements of a value in a loop.
    fn gathered(
        &mut self,
        loops: &mut Loop<'_>,
        value: usize,
        of: usize,
        at: &[bool],
        positions: &[usize],
    ) -> Option<Inst> {
        let (access, from) = (self.access(of), self.values[of].dims.clone());
        let dims = self.values[value].dims.clone();
        let first = at.iter().position(|it| *it)?;
        let axes = (0..at.len()).filter(|it| at[*it]);
        let behind = at.len() - first - positions.len();
        // Along the axes of the positions themselves.
        let common = first..dims.len() - behind;
        let mut all = Vec::new();
        for (axis, &position) in axes.zip(positions) {
            let it = &self.values[position];
            let inst = if let What::Known(bits) = it.what {
                Inst::Known(bits)
            } else {
                let positions = self.access(position);
                let own = stretched(&self.values[position].dims, &positions.steps, &dims[common.clone()])?;
                let steps = [&vec![0; first][..], &own, &vec![0; behind]].concat();
                Inst::Load(Access { steps: stretched(&dims, &steps, loops.dims)?, ..positions })
            };
            loops.insts.push((inst, Dtype::I64));
            let register = loops.insts.len() - 1;
            all.push(Position { register, size: from[axis], step: access.steps[axis] });
        }
        let steps = [&access.steps[..first], &vec![0; common.len()], &access.steps[at.len() - behind..]].concat();
        Some(Inst::Gather(Access { steps: stretched(&dims, &steps, loops.dims)?, ..access }, all))
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
                Inst::Gather(from, _) => from.memory != Memory::Operand(operand),
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
