//! `stop_gradient`: values that are constants where they are differentiated. And `snekpy.tree` on a path.

use rustpython_vm::PyObjectRef;
use snekpy_stage::op::Op;
use snekpy_stage::types::Type;

use crate::capture::session::Session;
use crate::capture::state::State;
use crate::capture::stop::Step;
use crate::capture::value::Num;
use crate::capture::values::Abstract;
use crate::exit::HostKind;
use crate::structure::{Node, Parts, Structure};

impl Session<'_> {
    /// What `stop_gradient` gives: structures are made anew. The marks that it makes are taken out of the code once it is
    /// differentiated.
    pub(crate) fn stopped(&mut self, state: &State, object: &PyObjectRef) -> Step<PyObjectRef> {
        if self.vm.is_none(object) {
            return Ok(object.clone());
        }
        let (mut leaves, mut stopped) = (Vec::new(), Vec::new());
        let node = Node::of(object, self, &mut leaves, 0)?;
        for leaf in &leaves {
            stopped.push(self.stopped_leaf(state, leaf)?);
        }
        let vm = self.vm;
        node.fill(self, &mut stopped.into_iter(), vm)
    }

    fn stopped_leaf(&mut self, state: &State, object: &PyObjectRef) -> Step<PyObjectRef> {
        // Nothing is differentiated that plain Python may go on with.
        if !self.rules.detached {
            return Ok(object.clone());
        }
        let (value, ty) = match self.classify(object)? {
            Abstract::Number(Num::Staged(value, Type::F64)) => (value, Type::F64),
            Abstract::Tensor(found) if found.staged().is_some() && found.dtype().is_float() => {
                let (value, ty) = self.value_of_tensor(state, object)?;
                (value, Type::Tensor(ty))
            }
            _ => return Ok(object.clone()),
        };
        let host = self.host("stop_gradient", vec![ty], vec![ty], HostKind::Stop);
        let value = self.value(state, Op::Host(host, None), &[value]);
        Ok(self.rep(value))
    }

    /// `_tree_leaves(tree)`: its leaves, and its structure.
    pub(crate) fn tree_leaves(&mut self, tree: &PyObjectRef) -> Step<PyObjectRef> {
        let vm = self.vm;
        let mut leaves = Vec::new();
        let node = Node::of(tree, self, &mut leaves, 0)?;
        let leaves = self.made(vm.ctx.new_list(leaves).into());
        Ok(vm.ctx.new_tuple(vec![leaves, Structure::object(node, vm).into()]).into())
    }

    /// `_tree_of(structure, leaves)`, and `_tree_leaves_like(structure, tree)`. `None` if what is passed is not known.
    pub(crate) fn tree_of(&mut self, structure: &PyObjectRef, leaves: &PyObjectRef) -> Step<Option<PyObjectRef>> {
        let Some(structure) = structure.downcast_ref::<Structure>() else { return Ok(None) };
        let items = match self.classify(leaves)? {
            Abstract::Items(_) => return Err(self.wrong("as many leaves as are known later".to_owned())),
            Abstract::List(list) => {
                self.guard_contents(leaves)?;
                list.borrow_vec().to_vec()
            }
            Abstract::Tuple(tuple) => tuple.as_slice().to_vec(),
            _ => return Ok(None),
        };
        if items.len() != structure.node.count() {
            return Ok(None);
        }
        let vm = self.vm;
        structure.node.fill(self, &mut items.into_iter(), vm).map(Some)
    }

    /// The parts of a tree that stand where a structure has leaves. `None` if what is passed is not known.
    pub(crate) fn tree_leaves_like(
        &mut self,
        structure: &PyObjectRef,
        tree: &PyObjectRef,
    ) -> Step<Option<PyObjectRef>> {
        let Some(structure) = structure.downcast_ref::<Structure>() else { return Ok(None) };
        let mut found = Vec::new();
        let vm = self.vm;
        structure.node.matching(tree, self, &mut found, vm)?;
        Ok(Some(self.made(self.vm.ctx.new_list(found).into())))
    }
}
