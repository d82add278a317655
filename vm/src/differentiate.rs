//! Differentiates what was captured: the module by the transform of [`snekpy_stage::ad`], and what its results and exits
//! mean to Python.

mod derive;
mod tree;

use rustpython_vm::VirtualMachine;

use crate::callable::{Argnums, Differentiation};
use crate::captured::{Captured, Failure};
use crate::flatten::Key;
use crate::host::function::FunctionParts;

pub(crate) use derive::{fill, finish, forget_marks};
pub(crate) use tree::{floats, with_floats};

impl Differentiation {
    /// Differentiates what was captured.
    pub(crate) fn apply(
        &self,
        captured: &mut Captured,
        key: &Key,
        parts: &FunctionParts,
        vm: &VirtualMachine,
    ) -> Result<(), Failure> {
        let chosen = |argnum: i64| self.chosen(argnum, parts);
        let locals = |argnums: &Argnums| match argnums {
            Argnums::One(argnum) => Ok(vec![chosen(*argnum)?]),
            Argnums::Some(argnums) => argnums.iter().map(|&argnum| chosen(argnum)).collect(),
            Argnums::All(count) => (0..*count).map(|argnum| chosen(argnum as i64)).collect(),
        };
        derive::derive(captured, key, &self.steps, &locals, self.gives_arrays.get_or_init(Default::default), vm)?;
        Ok(())
    }
}
