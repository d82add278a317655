//! Arrays among the items of lists of the compiled code: a column holds the numbers of their handles, of which the list is an
//! owner.

use std::sync::Arc;

use rustpython_vm::{PyObjectRef, VirtualMachine};
use snekpy_stage::entity::Value;
use snekpy_stage::op::{ObjectOp, Op};
use snekpy_stage::tensor::Tensor;
use snekpy_stage::types::{Elem, TensorType};

use super::columns::{ItemType, Made};
use crate::capture::session::Session;
use crate::capture::state::State;
use crate::capture::stop::Step;
use crate::kind::{ArrayItem, Kind};
use crate::tensor;

impl Made {
    fn arrays(ty: TensorType, vm: &VirtualMachine) -> Self {
        let like = ArrayItem { ty, number: vm.ctx.new_int(0).into() };
        Self { like: Arc::new(like.into()), parts: vec![Elem::I64] }
    }

    /// What they are, if they are arrays.
    pub(super) fn array(&self) -> Option<TensorType> {
        match &*self.like {
            Kind::ArrayItem(item) => Some(item.ty),
            _ => None,
        }
    }
}

impl ItemType {
    /// What each column holds the handles of, where it holds any.
    pub(super) fn arrays(&self) -> Vec<Option<TensorType>> {
        match self {
            Self::Tuple(parts) => parts.iter().flat_map(Self::arrays).collect(),
            Self::Made(made) => vec![made.array(); made.parts.len()],
            Self::Number(_) | Self::List(_) => vec![None; self.columns().len()],
        }
    }

    /// Whether arrays are among such items.
    pub(in crate::capture) fn has_arrays(&self) -> bool {
        self.has(&|made| made.array().is_some())
    }
}

impl Session<'_> {
    /// What an array is as an item, where lists may hold arrays.
    pub(super) fn made_array(&self, array: &Tensor) -> Option<Made> {
        let ty = tensor::type_of(array);
        (self.rules.detached && !ty.home.is_there()).then(|| Made::arrays(ty, self.vm))
    }

    /// The number of an array of this type, of which a list becomes an owner.
    pub(super) fn number_of_array(
        &mut self,
        state: &State,
        item: &PyObjectRef,
        wanted: TensorType,
    ) -> Step<Option<PyObjectRef>> {
        if tensor::of(item).is_none_or(|it| tensor::type_of(it) != wanted) {
            return Ok(None);
        }
        let (array, _) = self.value_of_tensor(state, item)?;
        let number = self.value(state, Op::Object(ObjectOp::Keep), &[array]);
        Ok(Some(self.rep(number)))
    }

    /// The array of which a list has the number: the list is an owner no longer, unless it `stays` in it.
    pub(super) fn array_of_list(&mut self, state: &State, number: Value, ty: TensorType, stays: bool) -> Value {
        let array = self.value(state, Op::Kept(ty), &[number]);
        if stays {
            self.value(state, Op::Object(ObjectOp::Keep), &[array]);
        }
        array
    }
}
