//! What the way to a place has established, and can be taken back.

use std::collections::HashMap;

use super::Interval;
use crate::entity::Value;
use crate::op::Cmp;
use crate::set::EntityMap;

/// In which orders two values can be, one bit each.
pub(super) type Orders = u8;
const LESS: Orders = 1;
const EQUAL: Orders = 2;
const GREATER: Orders = 4;

/// The orders in which a comparison holds.
pub(super) const fn orders(cmp: Cmp) -> Orders {
    match cmp {
        Cmp::Eq => EQUAL,
        Cmp::Ne => LESS | GREATER,
        Cmp::Lt => LESS,
        Cmp::Le => LESS | EQUAL,
        Cmp::Gt => GREATER,
        Cmp::Ge => GREATER | EQUAL,
    }
}

const fn swapped(orders: Orders) -> Orders {
    (orders & EQUAL) | ((orders & LESS) << 2) | ((orders & GREATER) >> 2)
}

/// Facts, with what they replaced.
pub(super) struct Facts {
    narrowed: EntityMap<Value, Option<Interval>>,
    related: HashMap<(Value, Value), Orders>,
    undo: Vec<Undo>,
}

enum Undo {
    Narrowed(Value, Option<Interval>),
    Related((Value, Value), Option<Orders>),
}

impl Facts {
    pub(super) fn new() -> Self {
        Self { narrowed: EntityMap::new(None), related: HashMap::new(), undo: Vec::new() }
    }

    /// A place to go back to.
    pub(super) fn mark(&self) -> usize {
        self.undo.len()
    }

    /// Forgets what was learnt since the mark.
    pub(super) fn back_to(&mut self, mark: usize) {
        while self.undo.len() > mark {
            match self.undo.pop().expect("counted") {
                Undo::Narrowed(value, before) => self.narrowed[value] = before,
                Undo::Related(pair, Some(before)) => {
                    self.related.insert(pair, before);
                }
                Undo::Related(pair, None) => {
                    self.related.remove(&pair);
                }
            }
        }
    }

    pub(super) fn interval(&self, value: Value) -> Interval {
        self.narrowed[value].unwrap_or(Interval::FULL)
    }

    pub(super) fn narrow(&mut self, value: Value, interval: Interval) {
        let before = self.narrowed[value];
        self.narrowed[value] = Some(before.unwrap_or(Interval::FULL).and(interval));
        self.undo.push(Undo::Narrowed(value, before));
    }

    /// The orders in which `x` and `y` can be.
    pub(super) fn orders(&self, x: Value, y: Value) -> Orders {
        if x == y {
            return EQUAL;
        }
        let known = |x, y| self.related.get(&(x, y)).copied();
        known(x, y).or_else(|| known(y, x).map(swapped)).unwrap_or(LESS | EQUAL | GREATER)
    }

    pub(super) fn relate(&mut self, x: Value, y: Value, orders: Orders) {
        let (pair, orders) = if x < y { ((x, y), orders) } else { ((y, x), swapped(orders)) };
        let before = self.related.get(&pair).copied();
        self.related.insert(pair, before.unwrap_or(LESS | EQUAL | GREATER) & orders);
        self.undo.push(Undo::Related(pair, before));
    }
}
