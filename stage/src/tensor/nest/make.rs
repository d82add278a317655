//! From a group to its loops: how the elements of each value come about.

mod loops;

use std::collections::{BTreeMap, BTreeSet};

use loops::over;

use super::steps::{View, broadcast, same_map, viewed};
use super::{
    Access, Inside, Inst, MOST, MOST_OPERANDS, MOST_ROOM, Memory, Nest, Reduced, Stage, Store, gives, is_clear,
    is_plain, is_product, is_side_by_side, limits_of_product, may_be, reduced, written,
};
use crate::sizes;
use crate::tensor::elementwise::{Num2, Real1};
use crate::tensor::fused::{Group, Input, Role, element};
use crate::tensor::op::Constant;
use crate::tensor::reduce::{self, Fold};
use crate::tensor::scan::Scan;
use crate::tensor::shape::dense_steps;
use crate::tensor::{Dtype, Item, TensorOp, make};
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
    /// Each with what comes before it along an axis, by this operation.
    Scan(Num2, usize, usize),
    /// Another value, in the same memory, of which a part is changed.
    Changed(Change),
}

/// How a part of a value that is in memory becomes another.
#[derive(Clone)]
struct Change {
    /// The value, which nobody else reads.
    base: usize,
    /// Its part: elements of this shape, by steps, and at positions along some of its axes.
    dims: Vec<usize>,
    view: View,
    at: Vec<bool>,
    positions: Vec<usize>,
    /// What is written there, or added to what is there.
    by: usize,
    adds: bool,
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
        !self.is_each()
            && !matches!(
                self.what,
                What::Number | What::Known(_) | What::Item(_) | What::Operand | What::Table | What::View(_)
            )
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
    /// The values that one member uses, once.
    once: BTreeSet<usize>,
    /// The values that have to be positions of axes of such sizes.
    inside: Vec<(usize, usize)>,
    /// The view of an operand that the last value is written to, if it is.
    to: Option<usize>,
}

impl Maker {
    pub(super) fn make(mut self, group: &Group) -> Option<Nest> {
        if group.inputs().len() > MOST_OPERANDS {
            return None;
        }
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
        let mut uses = vec![0; group.inputs().len() + group.members().len()];
        for arg in group.members().iter().flat_map(|it| &it.args) {
            *uses.get_mut(usize::from(*arg))? += 1;
        }
        for member in group.members() {
            let args: Vec<usize> =
                member.args.iter().map(|it| numbers.get(usize::from(*it)).copied()).collect::<Option<_>>()?;
            let value = self.member(&member.op, &args)?;
            let number = self.add(value);
            if uses[numbers.len()] == 1 {
                self.once.insert(number);
            }
            numbers.push(number);
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

    fn add(&mut self, value: Value) -> usize {
        self.values.push(value);
        self.values.len() - 1
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
        let level = if it.is_whole() { it.level + 1 } else { it.level };
        let copy = Value { dtype: it.dtype, dims: it.dims.clone(), what, level };
        self.add(copy)
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
        let runs = self.add(runs);
        Some(self.rows(fold, runs, rows))
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
        let made = self.add(made);
        let what = What::Each(TensorOp::Copy, vec![made]);
        Some(Value { dtype, dims: wide, what, level })
    }

    /// Sees to it that the last loop writes to the operand that is to be written to, and reads none of it but what it writes
    /// there. Gives it, and the others that this loop reads, with their bytes.
    fn apart(&mut self, to: usize, stages: &mut Vec<Stage>) -> Option<Vec<(usize, usize)>> {
        let Some(Stage::Each { dims, insts, stores }) = stages.last_mut() else { return None };
        let [Store { to: store, .. }] = &mut stores[..] else { return None };
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
            let stores = vec![Store { register: 0, to: place, at: Vec::new() }];
            stages.push(Stage::Each { dims, insts: vec![(Inst::Load(room), dtype)], stores });
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
        let dims = self.at_positions(&from, at, positions)?;
        Some(Value { dtype, dims, what: What::Gather(of, at.to_vec(), positions.to_vec()), level })
    }

    /// The shape of what is at positions of a shape. All of them are to be inside.
    fn at_positions(&mut self, from: &[usize], at: &[bool], positions: &[usize]) -> Option<Vec<usize>> {
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
                What::Table => {
                    let Some(Memory::Table(table)) = self.places.get(&position) else { return None };
                    let (table, size) = (self.tables[*table].tensor(), from[axis] as i64);
                    let is_inside = |it: &Item| matches!(it, Item::Int(it) if (-size..size).contains(it));
                    (!sizes::is_later(from[axis]) && table.items().iter().all(is_inside)).then_some(())?;
                }
                What::Operand => self.inside.push((position, from[axis])),
                What::View(view) if !self.values[view.of].is_computed() => self.inside.push((position, from[axis])),
                _ => return None,
            }
        }
        let first = at.iter().position(|it| *it)?;
        let kept = |range: std::ops::Range<usize>| range.filter(|it| !at[*it]).map(|it| from[it]);
        Some(kept(0..first).chain(common).chain(kept(first..from.len())).collect())
    }

    fn zeros(&mut self, dtype: Dtype, dims: &[usize]) -> usize {
        self.add(Value { dtype, dims: dims.to_vec(), what: What::Known(0), level: 0 })
    }

    /// Where each position is, if known ones are all that there are of an axis, each once: what is added at those is read at
    /// these.
    fn way_back(&self, at: &[bool], position: usize, dims: &[usize], by: usize) -> Option<Constant> {
        let axis = at.iter().position(|it| *it).filter(|_| at.iter().filter(|it| **it).count() == 1)?;
        let What::Table = self.values.get(position)?.what else { return None };
        let Some(Memory::Table(table)) = self.places.get(&position) else { return None };
        let items = self.tables[*table].tensor().items();
        let size = *dims.get(axis)?;
        if self.values[position].dims != [size] || self.values[by].dims != dims {
            return None;
        }
        let mut back = vec![None; size];
        for (from, to) in items.iter().enumerate() {
            let Item::Int(to) = *to else { return None };
            let to = usize::try_from(if to < 0 { to + size as i64 } else { to }).ok()?;
            if back.get_mut(to)?.replace(Item::Int(from as i64)).is_some() {
                return None;
            }
        }
        let back: Vec<Item> = back.into_iter().collect::<Option<_>>()?;
        Some(Constant::new(make::from_items(Dtype::I64, &back, &[size]).ok()?))
    }

    /// A value of which a part is changed: of zeros or of the first operand.
    fn changed(&mut self, op: &TensorOp, args: &[usize]) -> Option<Value> {
        let how = if let TensorOp::Plus(made) = op { made } else { op };
        let adds = matches!(op, TensorOp::Plus(_) | TensorOp::AddAt { .. });
        if let TensorOp::AddAt { at, dims } = how
            && let Some((base, [by, position])) = args.split_last_chunk().map(|(base, it)| (base.first(), *it))
            && let Some(back) = self.way_back(at, position, dims, by)
        {
            let back = self.table(&back)?;
            let back = self.add(back);
            let gathered = self.gather(at, &[by, back])?;
            let gathered = self.add(gathered);
            let base = base.copied().unwrap_or_else(|| self.zeros(self.values[by].dtype, dims));
            return self.member(&TensorOp::Num2(Num2::Add), &[base, gathered]);
        }
        let (base, of) = match op {
            TensorOp::Place { dims, .. } | TensorOp::AddAt { dims, .. } => {
                let dtype = self.values.get(*args.first()?)?.dtype;
                (self.zeros(dtype, dims), args)
            }
            _ => (*args.first()?, &args[1..]),
        };
        let is_own = self.values.get(base)?.is_computed() && self.once.contains(&base);
        let base = if is_own { base } else { self.copied(base) };
        let (dtype, all) = (self.values[base].dtype, self.values[base].dims.clone());
        let whole = View { of: base, first: 0, moves: Vec::new(), steps: dense_steps(&all).to_vec() };
        let (by, change) = match how {
            TensorOp::Place { view, .. } | TensorOp::Put(view) => {
                let (&by, numbers) = of.split_first()?;
                let (dims, first, moves, steps) = viewed(view, dtype, &all, &whole, numbers)?;
                let view = View { of: base, first, moves, steps };
                (by, Change { base, dims, view, at: Vec::new(), positions: Vec::new(), by, adds })
            }
            TensorOp::AddAt { at, .. } | TensorOp::PutAt(at) => {
                let is_last = matches!(how, TensorOp::PutAt(_));
                let (&by, positions) = if is_last { of.split_last()? } else { of.split_first()? };
                let dims = self.at_positions(&all, at, positions)?;
                (by, Change { base, dims, view: whole, at: at.clone(), positions: positions.to_vec(), by, adds })
            }
            _ => return None,
        };
        let it = self.values.get(by).filter(|it| it.dtype == dtype)?;
        let is_beside = it.is_each() && (it.dims == change.dims || it.count() == 1);
        let level = self.behind(base).max(if is_beside { it.level } else { self.behind(by) });
        Some(Value { dtype, dims: all, what: What::Changed(change), level })
    }

    fn member(&mut self, op: &TensorOp, args: &[usize]) -> Option<Value> {
        match op {
            TensorOp::Matmul => return self.product(args),
            TensorOp::Fold { fold, axes } => return self.fold(*fold, *args.first()?, axes),
            TensorOp::Concat { along } => return self.parts(*along, args),
            TensorOp::Gather(at) => return self.gather(at, args),
            TensorOp::Constant(table) => return self.table(table),
            TensorOp::Scan { scan, along } => {
                let of = self.dense_if(*args.first()?, false);
                let Value { dtype, dims, .. } = self.values.get(of)?;
                let op = if *scan == Scan::Sum { Num2::Add } else { Num2::Mul };
                let what = What::Scan(op, of, *along);
                return Some(Value { dtype: *dtype, dims: dims.clone(), what, level: self.behind(of) });
            }
            TensorOp::Plus(made) if matches!(**made, TensorOp::Matmul) => {
                let (&all, factors) = args.split_first()?;
                let product = self.product(factors)?;
                let product = self.add(product);
                return self.member(&TensorOp::Num2(Num2::Add), &[all, product]);
            }
            op if super::changes(op) => return self.changed(op, args),
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
}
