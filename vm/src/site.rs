//! Places in the program that code is made of, and the ways that exceptions come through them.

use std::sync::Arc;

use rustpython_vm::builtins::{PyCode, PyDictRef};
use rustpython_vm::common::lock::PyMutex;
use rustpython_vm::{AsObject, PyRef};

/// A place in the program that a location stands for.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    pub(crate) code: PyRef<PyCode>,
    pub(crate) globals: PyDictRef,
    /// The index of the code unit.
    pub(crate) unit: u32,
}

impl Site {
    /// Whether both are the same place of the same code.
    pub(crate) fn is_at(&self, other: &Self) -> bool {
        self.unit == other.unit && self.code.is(&other.code) && self.globals.is(&other.globals)
    }
}

/// Ways that exceptions have come, innermost place first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ways(Arc<PyMutex<Vec<Arc<[Site]>>>>);

impl Ways {
    /// The number of a way.
    pub(crate) fn number(&self, way: Vec<Site>) -> usize {
        let mut known = self.0.lock();
        let is_same = |it: &Arc<[Site]>| it.len() == way.len() && it.iter().zip(&way).all(|(a, b)| a.is_at(b));
        known.iter().position(is_same).unwrap_or_else(|| {
            known.push(way.into());
            known.len() - 1
        })
    }

    /// The way of a number.
    pub(crate) fn of(&self, number: usize) -> Vec<Site> {
        self.0.lock().get(number).map_or_else(Vec::new, |way| way.to_vec())
    }

    /// All of them.
    pub(crate) fn all(&self) -> Vec<Arc<[Site]>> {
        self.0.lock().clone()
    }
}
