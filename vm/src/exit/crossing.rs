//! An instruction that the VM carries out where compiled code calls the host: what it is, and of what.

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, OnceLock};

use rustpython_vm::{PyObjectRef, VirtualMachine};
use snekpy_stage::entity::Loc;
use snekpy_stage::types::{Class, Type};

use super::Template;
use crate::code::Seen;
use crate::object::place::Place;
use crate::object::rule;
use crate::object::{Fits, Gives, Operation};

/// An instruction that the VM carries out.
#[derive(Clone, Debug)]
pub(crate) struct Crossing {
    pub(crate) operation: Operation,
    pub(crate) operands: Vec<Template>,
    /// Whether no operand needs others.
    pub(crate) is_simple: bool,
    /// The method of the class of the first operand, where that is known.
    pub(crate) method: Option<PyObjectRef>,
    /// What the method asks of the others, and whether it acts, for the class that came first.
    pub(crate) rule: OnceLock<(Class, Option<(Fits, bool)>)>,
    /// Where objects of the class that came first have the attribute that is read or assigned.
    pub(crate) place: OnceLock<Place>,
    pub(crate) fits: Fits,
    /// Whether plain Python could not carry it out once more.
    pub(crate) acts: bool,
    pub(crate) gives: Gives,
    /// Whether that is what was given before, and no rule says so.
    pub(crate) gives_seen: bool,
    pub(crate) seen: Arc<Seen>,
    /// The same for each of the first objects that it gives, if those are several.
    pub(crate) seen_of: Vec<Arc<Seen>>,
    /// The operands whose classes may say what is done, and which those have had.
    pub(crate) classes: Vec<(usize, Arc<Seen>)>,
    /// Whether the iterator that it asks is one of ours.
    pub(crate) is_own: bool,
    /// The column of the attribute that it reads, assigns or asks for: see [`snekpy_stage::row`].
    pub(crate) column: Option<u32>,
    /// Whether it says which elements it reads or writes, of a tensor: code that does so itself is better.
    pub(crate) learns_elements: bool,
    /// Where in the program it is.
    pub(crate) loc: Option<Loc>,
    /// How often it was carried out.
    pub(crate) count: Arc<AtomicU64>,
}

/// Whether a template needs no others.
fn is_simple(template: &Template) -> bool {
    match template {
        Template::Static(_) => true,
        Template::Leaf { ty, .. } => ty.is_scalar() || matches!(ty, Type::Object(_) | Type::Tensor(_)),
        Template::Shared { make: Some(make), .. } => is_simple(make),
        Template::Made { parts: items, .. } | Template::Tuple(items) => items.iter().all(is_simple),
        _ => false,
    }
}

impl Crossing {
    /// One that nothing has been seen of yet.
    pub(crate) fn new(operation: Operation, operands: Vec<Template>, fits: Fits, acts: bool, gives: Gives) -> Self {
        Self {
            is_simple: operands.iter().all(is_simple),
            operation,
            operands,
            method: None,
            rule: OnceLock::new(),
            place: OnceLock::new(),
            fits,
            acts,
            gives,
            gives_seen: false,
            seen: Default::default(),
            seen_of: Vec::new(),
            classes: Vec::new(),
            is_own: false,
            column: None,
            learns_elements: false,
            loc: None,
            count: Default::default(),
        }
    }

    /// What it is called in compiled code.
    pub(crate) fn name(&self, vm: &VirtualMachine) -> String {
        match &self.operation {
            Operation::Native { callable, .. } | Operation::Over { callable, .. } => rule::name_of(callable, vm),
            Operation::Named { class } => rule::name_of(class, vm),
            Operation::Method { name, .. } => format!(".{}()", name.as_str()),
            Operation::Attribute(name)
            | Operation::SetAttribute(name)
            | Operation::HasMethod(name)
            | Operation::Unshadowed(name) => {
                format!(".{}", name.as_str())
            }
            Operation::Binary(operator) => format!("{operator}"),
            operation => format!("{operation:?}").split([' ', '(']).next().unwrap_or_default().to_lowercase(),
        }
    }

    /// How many slots it gives.
    pub(crate) const fn slots(&self) -> usize {
        1 + self.gives.slots()
    }
}
