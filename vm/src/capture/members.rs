//! Operators and methods that are loops over a dict or set whose keys are known only later: they become calls of
//! helpers in Python.

use rustpython_vm::bytecode::Opcode;
use rustpython_vm::bytecode::oparg::BinaryOperator;
use rustpython_vm::{AsObject, PyObjectRef};

use crate::capture::session::Session;
use crate::capture::values::{Abstract, classify};

/// A helper with its arguments.
type Helper = (&'static str, Vec<PyObjectRef>);

impl Session<'_> {
    fn is_dict(&self, object: &PyObjectRef) -> bool {
        object.class().is(self.vm.ctx.types.dict_type)
    }

    fn is_set(&self, object: &PyObjectRef) -> bool {
        object.class().is(self.vm.ctx.types.set_type)
    }

    /// The helper for an operator on two dicts or two sets of which one is of the compiled code.
    pub(crate) fn member_operator(&self, op: Opcode, arg: u32, x: &PyObjectRef, y: &PyObjectRef) -> Option<Helper> {
        let is_staged = |it: &PyObjectRef| matches!(classify(it, self.vm), Abstract::Map(_));
        if !is_staged(x) && !is_staged(y) {
            return None;
        }
        let name = match (op, self.is_dict(x) && self.is_dict(y), self.is_set(x) && self.is_set(y)) {
            (Opcode::CompareOp, true, _) if self.holds_numbers(x) && self.holds_numbers(y) => match arg >> 5 {
                2 => "equal_dicts",
                3 => "unequal_dicts",
                _ => return None,
            },
            (Opcode::CompareOp, _, true) => match arg >> 5 {
                0 => "less_set",
                1 => "subset",
                2 => "equal_sets",
                3 => "unequal_sets",
                4 => return Some(("less_set", vec![y.clone(), x.clone()])),
                _ => return Some(("subset", vec![y.clone(), x.clone()])),
            },
            (Opcode::BinaryOp, is_dict, is_set) => match (BinaryOperator::try_from(arg).ok()?, is_dict, is_set) {
                (BinaryOperator::Or, true, _) => "merged_dict",
                (BinaryOperator::InplaceOr, true, _) => "extended_dict",
                (BinaryOperator::Or, _, true) => "union",
                (BinaryOperator::And, _, true) => "intersection",
                (BinaryOperator::Subtract, _, true) => "difference",
                (BinaryOperator::Xor, _, true) => "symmetric_difference",
                (BinaryOperator::InplaceOr, _, true) => "extended_set",
                _ => return None,
            },
            _ => return None,
        };
        Some((name, vec![x.clone(), y.clone()]))
    }

    /// The helper for a method of a dict or set.
    pub(crate) fn member_method(&self, object: &PyObjectRef, name: &str, args: &[PyObjectRef]) -> Option<Helper> {
        let (is_dict, is_set) = (self.is_dict(object), self.is_set(object));
        let staged = matches!(classify(object, self.vm), Abstract::Map(_));
        let any_staged = staged || args.iter().any(|it| self.is_map(it));
        let name = match (name, args) {
            ("copy", []) if is_dict && staged => "copy_dict",
            ("copy", []) if is_set && staged => "set",
            ("update", [more]) if is_dict && self.is_dict(more) && any_staged => "update_dict",
            ("update", [more]) if is_set && (any_staged || self.is_long(more)) => "update_set",
            (_, [other]) if is_set && self.is_set(other) && any_staged => match name {
                "union" => "union",
                "intersection" => "intersection",
                "difference" => "difference",
                "symmetric_difference" => "symmetric_difference",
                "issubset" => "subset",
                "issuperset" => return Some(("subset", vec![other.clone(), object.clone()])),
                "isdisjoint" => "disjoint",
                _ => return None,
            },
            _ => return None,
        };
        Some((name, std::iter::once(object).chain(args).cloned().collect()))
    }

    /// Whether this is a dict of numbers.
    fn holds_numbers(&self, object: &PyObjectRef) -> bool {
        crate::capture::heap::read(object, self.vm)
            .is_some_and(|contents| crate::capture::map::numbers(&contents, self.vm).is_some())
    }
}
