//! Numbers that decide what arrays look like in one layer of a model do so in the others, too: they become known together,
//! as each time that some do, the function is captured anew.

use rustc_hash::FxHashSet;
use rustpython_vm::builtins::{PyInt, PyTuple, PyTypeRef};
use rustpython_vm::{AsObject, PyObjectRef, VirtualMachine};

use super::find;
use super::root::Root;
use crate::structure::Shape;

/// These numbers among the arguments, and the ints under the same attributes of objects of the same classes.
pub(crate) fn alike(roots: &[Root], locals: &[Option<PyObjectRef>], vm: &VirtualMachine) -> Vec<Root> {
    let mut attributes: Vec<(PyTypeRef, usize)> = Vec::new();
    for attribute in roots.iter().filter_map(|root| attribute_of(root, locals, vm)) {
        if !attributes.iter().any(|(class, index)| class.is(&attribute.0) && *index == attribute.1) {
            attributes.push(attribute);
        }
    }
    let mut search = Search { attributes: &attributes, found: roots.to_vec(), seen: FxHashSet::default(), vm };
    let mut wanted: Vec<usize> = roots.iter().map(|root| root.local).collect();
    wanted.sort_unstable();
    wanted.dedup();
    for local in wanted {
        if let Some(object) = &locals[local] {
            search.visit(object, &mut Root { local, path: Vec::new() });
        }
    }
    search.found
}

/// The attribute, by the class of its object and its number there, in which a number is.
fn attribute_of(root: &Root, locals: &[Option<PyObjectRef>], vm: &VirtualMachine) -> Option<(PyTypeRef, usize)> {
    (0..root.path.len()).rev().find_map(|depth| {
        let holder = find(&Root { local: root.local, path: root.path[..depth].to_vec() }, locals)?;
        match Shape::of(&holder, vm)?.0 {
            Shape::Instance(class, _) => Some((class, root.path[depth])),
            _ => None,
        }
    })
}

struct Search<'a> {
    attributes: &'a [(PyTypeRef, usize)],
    found: Vec<Root>,
    seen: FxHashSet<usize>,
    vm: &'a VirtualMachine,
}

impl Search<'_> {
    fn visit(&mut self, object: &PyObjectRef, root: &mut Root) {
        if !self.seen.insert(object.get_id()) {
            return;
        }
        let Some((shape, items)) = Shape::of(object, self.vm) else { return };
        for (index, value) in items.iter().enumerate() {
            root.path.push(index);
            match &shape {
                Shape::Instance(class, _) if self.attributes.iter().any(|(it, at)| it.is(class) && *at == index) => {
                    self.take(root, value);
                }
                _ => self.visit(value, root),
            }
            root.path.pop();
        }
    }

    /// The ints in an attribute, which may be a tuple of them.
    fn take(&mut self, root: &mut Root, value: &PyObjectRef) {
        if value.downcast_ref_if_exact::<PyInt>(self.vm).is_some() {
            if !self.found.contains(root) {
                self.found.push(root.clone());
            }
        } else if let Some(tuple) = value.downcast_ref_if_exact::<PyTuple>(self.vm) {
            for (index, value) in tuple.as_slice().iter().enumerate() {
                root.path.push(index);
                self.take(root, value);
                root.path.pop();
            }
        }
    }
}
