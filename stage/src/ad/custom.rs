//! Computations whose derivatives the program has given: see [`Custom`].
//!
//! One is a call of the host behind the computation itself. What it gives is what the computation has given, but a
//! derivative gets from there to the operands by the rule alone. Once a transform has used the rule, the call is taken
//! out: the next transform differentiates what the computation and the rule do, as JAX does.
//!
//! A rule says nothing of what the computation depends on besides its operands. [`Flow`](super::activity) knows what
//! that is: what is varied if nothing passes the *borders*, which the operands pass on their way into the computation.

use crate::entity::{HostId, Value};
use crate::ir::{Custom, Function, InstData, Module};
use crate::op::Op;
use crate::pass::edit::Substitution;

/// The function of the host that an instruction calls, if it has a derivative of its own.
pub(super) fn custom(module: &Module, op: Op) -> Option<(HostId, &Custom)> {
    let Op::Host(host, _) = op else { return None };
    Some((host, module.hosts[host].custom.as_deref()?))
}

/// What gives the results of such a call.
pub(super) fn given(custom: &Custom, data: &InstData) -> Vec<Value> {
    data.args[custom.by..custom.by + data.results.len()].to_vec()
}

/// Takes instructions out whose results are operands of theirs: those from the position that `first` gives on.
pub(super) fn replace(func: &mut Function, first: impl Fn(&InstData) -> Option<usize>) {
    let mut subst = Substitution::new();
    let mut found = false;
    for block in func.blocks.keys() {
        let mut insts = std::mem::take(&mut func.blocks[block].insts);
        insts.retain(|&inst| {
            let data = &func.insts[inst];
            let Some(first) = first(data) else { return true };
            data.results.iter().zip(&data.args[first..]).for_each(|(&result, &arg)| subst.replace(result, arg));
            found = true;
            false
        });
        func.blocks[block].insts = insts;
    }
    if found {
        subst.apply(func);
    }
}
