//! What has a name: ints and truth values of models, which are known while they do not change, and closure variables.

use rustc_hash::FxHashSet as HashSet;
use rustpython_vm::{AsObject, PyObjectRef, VirtualMachine};
use snekpy_stage::types::Type;

use super::{Arg, Cx, MAX_ITEMS, MAX_NUMBERS};
use crate::flatten::Root;
use crate::host::cell::cell_get;
use crate::refusal::Refusal;
use crate::scalar::scalar_bits;
use crate::structure::Shape;
use crate::tensor;

/// Whether there is an array in a structure.
pub(crate) fn holds_tensor(object: &PyObjectRef, vm: &VirtualMachine) -> bool {
    let (mut seen, mut left) = (HashSet::default(), vec![object.clone()]);
    while let Some(object) = left.pop() {
        if tensor::passed(&object).is_some() {
            return true;
        }
        if seen.len() < MAX_NUMBERS
            && let Some((_, items)) = Shape::of(&object, vm)
            && seen.insert(object.get_id())
        {
            left.extend(items.into_iter().take(MAX_ITEMS));
        }
    }
    false
}

impl Cx<'_> {
    /// Whether a number is a part of the key: one that says how large arrays are, and an int or truth value with a name, in an
    /// object or dict, while it is always the same. A float may be what is computed with.
    pub(super) fn is_known(&mut self, object: &PyObjectRef, ty: Type, root: &Root, is_named: bool) -> bool {
        self.known.contains(root)
            || is_named
                && ty != Type::F64
                && scalar_bits(object, ty, self.vm).is_some_and(|it| self.lengths.see_named(root, it))
    }

    /// A closure variable.
    pub(super) fn cell(&mut self, cell: &PyObjectRef, root: &mut Root) -> Result<Arg, Box<Refusal>> {
        if let Some(same) = self.found(cell) {
            return Ok(Arg::Same(same));
        }
        let Some(content) = cell_get(cell, self.vm) else {
            return Err(Box::new(Refusal::new("S403", "a closure variable of the function has no value yet")));
        };
        self.containers.push((cell.get_id(), root.clone()));
        root.path.push(0);
        self.is_named = true;
        let arg = self.arg(&content, root, false);
        root.path.pop();
        Ok(Arg::Cell(Box::new(arg?)))
    }
}
