//! The loops of a nest, level by level, the last ones first: whoever reads says what has to be in memory.

use std::collections::BTreeMap;

use super::{Change, Maker, Value, What};
use crate::sizes;
use crate::tensor::elementwise::Num2;
use crate::tensor::fused::{Group, Input};
use crate::tensor::nest::steps::{View, collapsed, rows_of, stretched};
use crate::tensor::nest::{Access, Inst, Memory, Position, Stage, Store, is_same_place};
use crate::tensor::shape::dense_steps;
use crate::tensor::{Dtype, TensorOp};

impl Maker {
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
    pub(super) fn level(&mut self, level: usize, stages: &mut Vec<Stage>) -> Option<()> {
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
                What::Scan(op, of, along) => self.write_scan(it, op, of, along, stages)?,
                What::Changed(ref change) => {
                    let change = change.clone();
                    self.write_change(it, &change, stages)?;
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
                stores.push(Store { register, to: access, at: Vec::new() });
            }
            stages.push(collapsed(&dims, loops.insts, stores)?);
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
            let to = Access { memory, dtype, first, moves: Vec::new(), steps: steps.clone() };
            stages.push(collapsed(&dims, insts, vec![Store { register, to, at: Vec::new() }])?);
        }
        Some(())
    }

    /// Loops over the first elements along an axis, and over all that come behind one. Those are not joined: each waits for the
    /// one before it.
    fn write_scan(&mut self, value: usize, op: Num2, of: usize, along: usize, stages: &mut Vec<Stage>) -> Option<()> {
        let (from, memory) = (self.access(of), self.place(value));
        let Value { dtype, dims, .. } = &self.values[value];
        let (dtype, size) = (*dtype, dims[along]);
        let to = Access { memory, dtype, first: 0, moves: Vec::new(), steps: dense_steps(dims).to_vec() };
        let all = |len: usize| -> Vec<usize> {
            dims.iter().enumerate().map(|(axis, size)| if axis == along { len } else { *size }).collect()
        };
        let first = Store { register: 0, to: to.clone(), at: Vec::new() };
        let begins = collapsed(&all(1), vec![(Inst::Load(from.clone()), dtype)], vec![first])?;
        if size > 1 {
            let next = |it: &Access| Access { first: it.first + it.steps[along], ..it.clone() };
            let loads = [to.clone(), next(&from)].map(|it| (Inst::Load(it), dtype));
            let mut insts = loads.to_vec();
            insts.push((Inst::Op(TensorOp::Num2(op), vec![0, 1]), dtype));
            let stores = vec![Store { register: 2, to: next(&to), at: Vec::new() }];
            // The last one first.
            stages.push(Stage::Each { dims: all(size - 1), insts, stores });
        }
        stages.push(begins);
        Some(())
    }

    /// The loop that changes a part of a value, which lies where this one lies.
    fn write_change(&mut self, value: usize, change: &Change, stages: &mut Vec<Stage>) -> Option<()> {
        let Change { base, dims, view, at, positions, by, adds } = change;
        let (memory, Value { dtype, level, .. }) = (self.place(value), &self.values[value]);
        let (dtype, level) = (*dtype, *level);
        self.places.insert(*base, memory);
        let all = self.values[value].dims.clone();
        let mut loops = Loop { dims, level, insts: Vec::new(), known: BTreeMap::new() };
        let View { first, moves, steps, .. } = view.clone();
        let mut to = Access { memory, dtype, first, moves, steps };
        let mut register = self.register(&mut loops, *by, false)?;
        let mut further = Vec::new();
        if !at.is_empty() {
            (to, further) = self.gathered(&mut loops, to, [&all, dims], at, positions)?;
        }
        let mut insts = loops.insts;
        if *adds {
            let before = if at.is_empty() { Inst::Load(to.clone()) } else { Inst::Gather(to.clone(), further.clone()) };
            insts.push((before, dtype));
            insts.push((Inst::Op(TensorOp::Num2(Num2::Add), vec![insts.len() - 1, register]), dtype));
            register = insts.len() - 1;
        }
        stages.push(collapsed(dims, insts, vec![Store { register, to, at: further }])?);
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
                let (of, at, positions, dims) = (*of, at.clone(), positions.clone(), it.dims.clone());
                let (access, from) = (self.access(of), self.values[of].dims.clone());
                let (access, all) = self.gathered(loops, access, [&from, &dims], &at, &positions)?;
                Inst::Gather(access, all)
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

    /// Where the elements of a value are that is at positions, in a loop: those of the first one, and what comes to that.
    fn gathered(
        &mut self,
        loops: &mut Loop<'_>,
        access: Access,
        [from, dims]: [&[usize]; 2],
        at: &[bool],
        positions: &[usize],
    ) -> Option<(Access, Vec<Position>)> {
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
                Inst::Load(Access { steps: stretched(dims, &steps, loops.dims)?, ..positions })
            };
            loops.insts.push((inst, Dtype::I64));
            let register = loops.insts.len() - 1;
            all.push(Position { register, size: from[axis], step: access.steps[axis] });
        }
        let steps = [&access.steps[..first], &vec![0; common.len()], &access.steps[at.len() - behind..]].concat();
        Some((Access { steps: stretched(dims, &steps, loops.dims)?, ..access }, all))
    }

    /// The elements of a value that is in memory.
    pub(super) fn access(&mut self, value: usize) -> Access {
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

/// The operands over which the result may be written: those of its type that the first loop that writes it reads where it
/// writes, if at all, and none behind it.
pub(super) fn over(group: &Group, stages: &[Stage]) -> u32 {
    let gives = group.gives();
    let Some(from) = stages.iter().position(Stage::gives) else { return 0 };
    let (first, behind) = (&stages[from], &stages[from + 1..]);
    let reads_as_it_writes = |memory: Memory| match first {
        Stage::Each { insts, stores, .. } => {
            let to = stores.iter().find(|it| it.to.memory == Memory::Result).map(|it| &it.to);
            insts.iter().all(|(inst, _)| match inst {
                Inst::Load(load) => load.memory != memory || to.is_some_and(|to| is_same_place(load, to)),
                inst => inst.access().is_none_or(|it| it.memory != memory),
            })
        }
        Stage::Row { .. } => true,
        stage => !stage.reads(memory),
    };
    let fits = |&at: &usize| {
        let memory = Memory::Operand(at);
        let is_clear = !behind.iter().any(|it| it.reads(memory));
        group.inputs()[at] == Input::Tensor(gives) && is_clear && reads_as_it_writes(memory)
    };
    (0..group.inputs().len().min(32)).filter(fits).fold(0, |all, at| all | 1 << at)
}
