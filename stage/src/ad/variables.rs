//! Variables that change, in SSA form.
//!
//! What is written in one block and read in another becomes parameters of the blocks between, as in Braun et al.,
//! "Simple and Efficient Construction of SSA Form". A block whose predecessors are not all there yet gets a parameter
//! that [`Variables::finish`] feeds. Two kinds of variables are read beyond where they were written: a cotangent is zero
//! where its value cannot have been used yet, and a value that is carried is whatever it was last.

use std::collections::{HashMap, VecDeque};

use crate::analysis::{Cfg, Dominators, Edge};
use crate::entity::{Block, Value};
use crate::ir::Function;
use crate::set::EntityMap;
use crate::types::Type;

/// A variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Var(u32);

/// What a block stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Region {
    /// It is one of the function as it was.
    Forward,
    /// It is the way back through this one.
    Backward(Block),
    /// It is on the way back behind this one, and adds nothing of its own.
    Behind(Block),
    /// It is where the way back enters a loop.
    Hub,
}

#[derive(Clone, Copy)]
enum Kind {
    /// The cotangent of a value that is defined in this block.
    Cotangent(Value, Block),
    /// Something that is carried on; no block before this position writes it.
    Carried(usize),
}

pub(super) struct Variables {
    vars: Vec<(Type, Kind, Value)>,
    current: HashMap<(Var, Block), Value>,
    pending: VecDeque<(Var, Block, Value)>,
    /// The parameters that reading has made.
    params: Vec<(Var, Value)>,
    /// The jumps to each block, those that have been made.
    pub(super) preds: EntityMap<Block, Vec<Edge>>,
    /// How many there are going to be.
    pub(super) expected: EntityMap<Block, usize>,
    pub(super) regions: EntityMap<Block, Region>,
}

/// The control flow of the function as it was.
pub(super) struct Flow {
    pub(super) cfg: Cfg,
    pub(super) doms: Dominators,
    /// Which blocks lead to an end.
    pub(super) on_path: EntityMap<Block, bool>,
}

impl Variables {
    pub(super) fn new() -> Self {
        Self {
            vars: Vec::new(),
            current: HashMap::new(),
            pending: VecDeque::new(),
            params: Vec::new(),
            preds: EntityMap::new(Vec::new()),
            expected: EntityMap::new(0),
            regions: EntityMap::new(Region::Forward),
        }
    }

    /// The cotangent of a value. It is `zero` where nothing has been written.
    pub(super) fn cotangent(&mut self, value: Value, ty: Type, def: Block, zero: Value) -> Var {
        self.add(ty, Kind::Cotangent(value, def), zero)
    }

    /// A variable that no block before a position of the control flow writes; there it is `default`.
    pub(super) fn carried(&mut self, ty: Type, first: usize, default: Value) -> Var {
        self.add(ty, Kind::Carried(first), default)
    }

    fn add(&mut self, ty: Type, kind: Kind, default: Value) -> Var {
        self.vars.push((ty, kind, default));
        Var(u32::try_from(self.vars.len() - 1).expect("there are fewer variables than values"))
    }

    pub(super) fn write(&mut self, var: Var, block: Block, value: Value) {
        self.current.insert((var, block), value);
    }

    /// Notes the jumps that a block ends with.
    pub(super) fn link(&mut self, func: &Function, from: Block) {
        for (jump, slot) in func.blocks[from].term.jumps().zip(0..) {
            self.preds[jump.target].push(Edge { from, slot });
        }
    }

    /// What a variable is at the end of a block, as far as that has been built.
    pub(super) fn read(&mut self, var: Var, block: Block, func: &mut Function, flow: &Flow) -> Value {
        let (ty, kind, default) = self.vars[var.0 as usize];
        let mut line = Vec::new();
        let mut at = block;
        let found = loop {
            if let Some(&value) = self.current.get(&(var, at)) {
                break value;
            }
            if !self.may_be_written(kind, at, func, flow) {
                break default;
            }
            line.push(at);
            match (self.expected[at], self.preds[at].as_slice()) {
                (0, _) => break default,
                (1, [edge]) => at = edge.from,
                _ => {
                    let param = func.append_param(at, ty);
                    self.pending.push_back((var, at, param));
                    self.params.push((var, param));
                    break param;
                }
            }
        };
        for at in line {
            self.current.insert((var, at), found);
        }
        found
    }

    /// Whether what comes before this block may have written the variable.
    fn may_be_written(&self, kind: Kind, at: Block, func: &Function, flow: &Flow) -> bool {
        match (kind, self.regions[at]) {
            (Kind::Carried(first), Region::Forward) => flow.cfg.position(at).is_some_and(|it| it > first),
            (Kind::Carried(_), Region::Backward(_) | Region::Behind(_)) | (_, Region::Hub) => true,
            (Kind::Cotangent(..), Region::Forward) => false,
            (Kind::Cotangent(_, def), Region::Behind(block)) => flow.doms.dominates(def, block),
            // It was used behind the block or by the jumps there.
            (Kind::Cotangent(value, def), Region::Backward(block)) => {
                let used = |jump: &crate::ir::Jump| {
                    flow.on_path[jump.target] && (flow.doms.dominates(def, jump.target) || jump.args.contains(&value))
                };
                func.blocks[block].term.jumps().any(used)
            }
        }
    }

    /// The values that are cotangents of floats where blocks begin and end.
    pub(super) fn cotangents(&self) -> impl Iterator<Item = Value> + '_ {
        let is_float = |var: Var| matches!(self.vars[var.0 as usize], (Type::F64, Kind::Cotangent(..), _));
        let ends = self.current.iter().map(|(&(var, _), &value)| (var, value));
        ends.chain(self.params.iter().copied()).filter(move |it| is_float(it.0)).map(|it| it.1)
    }

    /// The parameters that reading has made.
    pub(super) fn params(&self) -> impl Iterator<Item = Value> + '_ {
        self.params.iter().map(|it| it.1)
    }

    /// Feeds the parameters that reading has made, once all jumps are there.
    pub(super) fn finish(&mut self, func: &mut Function, flow: &Flow) {
        while let Some((var, block, _)) = self.pending.pop_front() {
            for edge in self.preds[block].clone() {
                let value = self.read(var, edge.from, func, flow);
                edge.jump_mut(func).args.push(value);
            }
        }
    }
}
