//! What is known of functions that stay functions.

use std::collections::BTreeSet;
use std::rc::Rc;

use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use rustpython_vm::{AsObject, PyObjectRef, VirtualMachine};
use snekpy_stage::types::MapType;

use super::Built;
use crate::callable::Orders;
use crate::capture::shape::Shape;
use crate::host;
use crate::refusal::Refusal;

/// A function that must stay a function, for arguments of a shape.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Outline {
    pub(super) code: usize,
    pub(super) shape: Shape,
    /// Whether it is to be differentiated, and has no plain continuation.
    pub(super) detached: bool,
    /// How often it is differentiated.
    pub(super) orders: Orders,
    /// Ints that are known, by leaf: they decide what arrays look like.
    pub(super) known: Vec<(usize, i64)>,
}

/// An int that is known where a function is called.
#[derive(Clone, Debug)]
pub(crate) struct IntPassed {
    pub(crate) function: Rc<Outline>,
    /// Which leaf it is.
    pub(crate) at: usize,
    pub(crate) int: i64,
}

/// The functions that stay functions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outlined {
    pub(super) outlines: HashSet<Outline>,
    pub(super) codes: HashSet<usize>,
    pub(super) always: HashSet<usize>,
    /// Dicts and sets that a function fills under staged keys, by its code and the local variable or closure variable
    /// that has them: they are of the compiled code before the call.
    pub(super) filled: HashMap<(usize, usize), MapType>,
    pub(super) built: HashMap<Outline, Built>,
    /// Functions whose calls in one another differ in the lengths of lists of numbers: those are of the compiled code
    /// before the call.
    pub(super) listed: HashSet<usize>,
    /// What cannot be a function of the IR, and why.
    pub(super) failed: HashMap<Outline, Refusal>,
    /// Of the code of functions that are differentiated, the leaves that decide what arrays look like: ints that are known
    /// where the function is called are known in it. For arguments of another shape they are others, as a rule the same.
    pub(super) known: HashMap<usize, BTreeSet<usize>>,
}

impl Outlined {
    /// This function stays a function from now on.
    pub(crate) fn learn(&mut self, outline: Outline) {
        self.codes.insert(outline.code);
        self.outlines.insert(outline);
    }

    /// These leaves of a function decide what arrays look like.
    pub(crate) fn know(&mut self, outline: &Outline, leaves: BTreeSet<usize>) {
        self.known.entry(outline.code).or_default().extend(leaves);
    }

    /// This function always stays one: it is marked with `@rep_fun`.
    pub(crate) fn keep(&mut self, func: &PyObjectRef, vm: &VirtualMachine) {
        if let Some(code) = host::function::code(func, vm) {
            self.always.insert(code.as_object().get_id());
        }
    }

    /// What is known, without what was built: for starting again.
    pub(crate) fn knowledge(&self) -> Self {
        Self {
            outlines: self.outlines.clone(),
            codes: self.codes.clone(),
            always: self.always.clone(),
            filled: self.filled.clone(),
            listed: self.listed.clone(),
            built: HashMap::default(),
            failed: self.failed.clone(),
            known: self.known.clone(),
        }
    }
}
