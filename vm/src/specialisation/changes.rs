//! Why another specialisation was needed: what differs from the one before.

use std::fmt;
use std::sync::Arc;

use rustpython_vm::builtins::PyStrRef;
use rustpython_vm::{AsObject, VirtualMachine};

use super::Specialisation;
use crate::flatten::{Arg, Key, Params, describe};
use crate::guard::same;

/// What made another specialisation necessary.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    /// What changed: an argument, or something that the function reads.
    pub(crate) subject: String,
    /// How.
    how: String,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.subject, self.how)
    }
}

/// What differs between a call and the latest specialisation. `None` for the first one.
pub(super) fn since(
    specialisations: &[Arc<Specialisation>],
    key: &Key,
    params: &Params,
    vm: &VirtualMachine,
) -> Option<Change> {
    let latest = specialisations.first()?;
    let pairs = latest.key.args.iter().zip(&key.args).enumerate();
    for (local, (before, now)) in pairs {
        if alike(before.as_ref(), now.as_ref(), vm) {
            continue;
        }
        let text = |arg: &Option<Arg>| arg.as_ref().map_or_else(|| "missing".to_owned(), |arg| describe(arg, vm));
        let (before, now) = (text(before), text(now));
        let how = if before == now { format!("was another {now}") } else { format!("was {before}, is {now}") };
        return Some(Change { subject: format!("argument `{}`", params.names.get(local).unwrap_or(&"?")), how });
    }
    let guard = latest.broken_guard(vm);
    let subject = guard.map_or_else(|| "something that the function reads".to_owned(), crate::guard::Guard::describe);
    Some(Change { subject, how: "has changed".to_owned() })
}

/// Whether two arguments look the same.
fn alike(a: Option<&Arg>, b: Option<&Arg>, vm: &VirtualMachine) -> bool {
    let all = |a: &[Arg], b: &[Arg]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| alike(Some(a), Some(b), vm));
    match (a, b) {
        (None, None) => true,
        (Some(Arg::Leaf { ty: a, .. }), Some(Arg::Leaf { ty: b, .. })) => a == b,
        (Some(Arg::Static(a)), Some(Arg::Static(b))) => same(a, b, vm),
        (Some(Arg::Tuple(a)), Some(Arg::Tuple(b))) | (Some(Arg::List(a)), Some(Arg::List(b))) => all(a, b),
        (Some(Arg::Keywords(a)), Some(Arg::Keywords(b))) | (Some(Arg::Names(a)), Some(Arg::Names(b))) => {
            let same_name = |a: &PyStrRef, b: &PyStrRef| a.as_wtf8() == b.as_wtf8();
            let mut pairs = a.iter().zip(b);
            a.len() == b.len() && pairs.all(|(a, b)| same_name(&a.0, &b.0) && alike(Some(&a.1), Some(&b.1), vm))
        }
        (Some(Arg::Instance { class: a, attributes: x }), Some(Arg::Instance { class: b, attributes: y })) => {
            let mut pairs = x.iter().zip(y);
            a.is(b)
                && x.len() == y.len()
                && pairs.all(|(a, b)| a.0.as_wtf8() == b.0.as_wtf8() && alike(Some(&a.1), Some(&b.1), vm))
        }
        (Some(Arg::Items(a)), Some(Arg::Items(b))) => a == b,
        (Some(Arg::Same(a)), Some(Arg::Same(b))) => a == b,
        (Some(Arg::Empty { set: a }), Some(Arg::Empty { set: b })) => a == b,
        (Some(Arg::Record { class: a, .. }), Some(Arg::Record { class: b, .. })) => a.is(b),
        _ => false,
    }
}
