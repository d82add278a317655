//! What is true of every kernel.
//!
//! * `module`: the module is verified.
//! * `rank`: there are 1 to 3 dimensions.
//! * `index`: the body's first parameters are one integer for each dimension.
//! * `input`: the other parameters are scalars and arrays.
//! * `output`: a map has an element type for each result, which stores it; a sum has one scalar result.
//! * `op`: nothing that the main function leads to has an effect or needs the host: no store, no list or map, no call
//!   of the host.
//! * `recursion`: no function can call itself: a device has no stack to speak of.

use std::fmt;

use super::{Form, Kernel, MAX_RANK};
use crate::analysis::calls::{is_recursive, reached};
use crate::entity::{FuncId, Inst};
use crate::ir::Module;
use crate::op::Op;
use crate::types::Type;

/// A rule that is broken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The rule.
    pub rule: &'static str,
    /// How, in a line.
    pub message: String,
    /// The instruction, where it is one.
    pub inst: Option<(FuncId, Inst)>,
}

/// Everything that is wrong with a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Faults(pub Vec<Fault>);

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, fault) in self.0.iter().enumerate() {
            let separator = if position == 0 { "" } else { "\n" };
            write!(f, "{separator}{}: {}", fault.rule, fault.message)?;
        }
        Ok(())
    }
}

impl std::error::Error for Faults {}

/// Checks a kernel.
///
/// # Errors
/// All [`Faults`], when there are any.
pub fn verify(kernel: &Kernel) -> Result<(), Faults> {
    let mut faults = Vec::new();
    check_ops(&kernel.module, &mut faults);
    // What a kernel has not may fail, which without a checkpoint is no module: the first says more.
    if faults.is_empty()
        && let Err(violations) = crate::verify::verify(&kernel.module)
    {
        return Err(Faults(vec![Fault { rule: "module", message: violations.to_string(), inst: None }]));
    }
    check_signature(kernel, &mut |rule, message| faults.push(Fault { rule, message, inst: None }));
    if faults.is_empty() { Ok(()) } else { Err(Faults(faults)) }
}

fn check_signature(kernel: &Kernel, report: &mut dyn FnMut(&'static str, String)) {
    let body = kernel.body();
    let params = body.param_types();
    if !(1..=MAX_RANK).contains(&kernel.rank) {
        return report("rank", format!("expected 1 to {MAX_RANK} dimensions, found {}", kernel.rank));
    }
    if params.len() < kernel.rank || params[..kernel.rank].iter().any(|&ty| ty != Type::I64) {
        return report("index", format!("expected {} integers as first parameters", kernel.rank));
    }
    for (position, ty) in params.iter().enumerate().skip(kernel.rank) {
        if !ty.is_scalar() && ty.as_array().is_none() {
            report("input", format!("expected a scalar or an array as parameter {position}, found {ty}"));
        }
    }
    match &kernel.form {
        Form::Map(elems) => {
            let stored: Vec<Type> = elems.iter().map(|elem| elem.value_type()).collect();
            if stored.is_empty() || stored != body.results {
                report("output", format!("{} outputs do not store {} results", stored.len(), body.results.len()));
            }
        }
        Form::Sum => {
            if body.results.len() != 1 || !body.results[0].is_scalar() {
                report("output", format!("expected one scalar to add, found {} results", body.results.len()));
            }
        }
    }
}

fn check_ops(module: &Module, faults: &mut Vec<Fault>) {
    for id in reached(module, [module.main()]) {
        let func = &module.funcs[id];
        for &inst in func.blocks.values().flat_map(|block| &block.insts) {
            let what = match func.insts[inst].op {
                Op::Store => "a store into an array",
                Op::ListNew(_) | Op::List(_) => "a list",
                Op::MapNew(_) | Op::Map(_) => "a map",
                Op::Object(_) | Op::OfClass(_) | Op::Kept(_) => "an object",
                Op::Tensor(..) => "a tensor",
                Op::Host(..) => "a call of the host",
                Op::Call(callee, _) => {
                    if is_recursive(module, callee) {
                        let message = format!("`{}` can call itself", module.funcs[callee].name);
                        faults.push(Fault { rule: "recursion", message, inst: Some((id, inst)) });
                    }
                    continue;
                }
                Op::Const(_)
                | Op::Num1(_)
                | Op::Num2(_)
                | Op::IntPow
                | Op::IntDiv
                | Op::Wrap2(_)
                | Op::Overflow2(_)
                | Op::Bit2(_)
                | Op::Shift(_)
                | Op::Real1(_)
                | Op::Element1(..)
                | Op::Element2(..)
                | Op::Real2(_)
                | Op::Cmp(_)
                | Op::CmpIntFloat(_)
                | Op::Not
                | Op::Convert(_)
                | Op::Select
                | Op::Len
                | Op::Load
                | Op::Guard(_)
                | Op::OverflowIf
                | Op::Checkpoint(_) => continue,
            };
            let message = format!("`{}` has {what}, which no kernel has", func.name);
            faults.push(Fault { rule: "op", message, inst: Some((id, inst)) });
        }
    }
}
