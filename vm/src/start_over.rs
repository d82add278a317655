//! Calls that run as plain Python from their first instruction.
//!
//! A result that does not fit, like an int past 64 bits, ends compiled code in the middle of an expression.
//! If the call has had no effect yet, plain Python does it again from the beginning, with the same arguments:
//! what the program changes is written back when compiled code is left, so most calls have had none.

use std::sync::{Arc, OnceLock};

use rustpython_vm::builtins::{PyCode, PyDictRef};
use rustpython_vm::object::{Traverse, TraverseFn};
use rustpython_vm::{PyObjectRef, PyRef, PyResult, VirtualMachine};

use snekpy_stage::op::Op;

use crate::captured::Captured;
use crate::code::Code;
use crate::host::function::FunctionParts;
use crate::host::resume::{self, Extent, Landing, Way, landing_code};

/// A function, for calling it with arguments that are bound already.
#[derive(Debug)]
pub(crate) struct StartOver {
    code: Arc<Code>,
    globals: PyDictRef,
    closure: Vec<PyObjectRef>,
    landing: OnceLock<(Vec<usize>, PyRef<PyCode>)>,
}

// SAFETY: each reference that is owned is shown once; the code is shared.
unsafe impl Traverse for StartOver {
    fn traverse(&self, show: &mut TraverseFn<'_>) {
        self.globals.traverse(show);
        self.closure.traverse(show);
    }
}

impl StartOver {
    /// `None` for bytecode that cannot be read.
    pub(crate) fn new(parts: &FunctionParts) -> Option<Self> {
        Some(Self {
            code: Code::of(&parts.code).ok()?,
            globals: parts.globals.clone(),
            closure: parts.closure.clone(),
            landing: OnceLock::new(),
        })
    }

    /// Calls it.
    #[cold]
    pub(crate) fn call(&self, locals: &[Option<PyObjectRef>], vm: &VirtualMachine) -> PyResult {
        let (bound, code) = self.landing.get_or_init(|| {
            let bound: Vec<usize> = (0..locals.len()).filter(|&local| locals[local].is_some()).collect();
            let way = Way { pc: 0, wait: None, locals: bound.clone(), stack: Vec::new(), generator: None };
            let code = landing_code(&self.code, &way, Extent::All, vm);
            (bound, code)
        });
        let values: Vec<PyObjectRef> = bound.iter().filter_map(|&local| locals[local].clone()).collect();
        let values = resume::values_of(vec![values], bound.len(), vm);
        let closure = self.closure.clone();
        let landing = Landing { code: code.clone(), globals: self.globals.clone(), closure, values, made: None };
        resume::run(vec![landing], vm)
    }
}

/// Whether compiled code has no effect before it is left but for the functions of the host that it calls.
pub(crate) fn may_start_over(captured: &Captured) -> bool {
    !captured.module.funcs.values().any(|func| func.insts.values().any(|inst| matches!(inst.op, Op::Store)))
}
