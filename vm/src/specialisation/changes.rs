//! Why another specialisation was needed: what differs from the one before.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use rustpython_vm::builtins::PyStr;
use rustpython_vm::{AsObject, PyObjectRef, VirtualMachine};

use super::Specialisation;
use crate::flatten::{Arg, Key, Params, describe, static_objects};
use crate::guard::Guard;
use crate::host::function::does_the_same;
use crate::rep::Named;
use crate::scalar::same;

/// What made another specialisation necessary.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    /// What changed: an argument, or something that the function reads.
    pub(crate) subject: String,
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
    let closure = |local: usize| params.closure.get(local.wrapping_sub(params.names.len()));
    for (local, (before, now)) in pairs {
        if alike(before.as_ref(), now.as_ref(), vm) {
            continue;
        }
        let text = |arg: &Option<Arg>| arg.as_ref().map_or_else(|| "missing".to_owned(), |arg| describe(arg, vm));
        let (before, now) = (text(before), text(now));
        let how = if before == now { format!("was another {now}") } else { format!("was {before}, is {now}") };
        let subject = match closure(local) {
            Some(name) => format!("closure variable `{name}`"),
            None => format!("argument `{}`", params.names.get(local).unwrap_or(&"?")),
        };
        return Some(Change { subject, how });
    }
    if let Some(change) = in_sources(&latest.key, key, vm) {
        return Some(change);
    }
    let subject = match latest.broken_guard(vm) {
        Some(guard) => in_argument(guard, &latest.key, params).unwrap_or_else(|| guard.describe()),
        None if latest.is_outdated.load(Ordering::Relaxed) => "what is known of objects that the VM gives".to_owned(),
        None => "something that the function reads".to_owned(),
    };
    Some(Change { subject, how: "has changed".to_owned() })
}

/// A number that is read at each call and has another type, or is none any more.
fn in_sources(before: &Key, now: &Key, vm: &VirtualMachine) -> Option<Change> {
    let of_now = || now.sources.iter().zip(now.source_types());
    before.sources.iter().zip(before.source_types()).find_map(|(source, was)| {
        let is = match of_now().find(|(it, _)| it.is(source)) {
            Some((_, is)) if is == was => return None,
            Some((_, is)) => describe(&Arg::Leaf { ty: *is }, vm),
            None => source.read(vm).map_or_else(|| "missing".to_owned(), |it| format!("a `{}`", it.class_name())),
        };
        let how = format!("was {}, is {is}", describe(&Arg::Leaf { ty: *was }, vm));
        Some(Change { subject: source.subject(), how })
    })
}

/// What a guard is about, if that is an argument or in one.
fn in_argument(guard: &Guard, key: &Key, params: &Params) -> Option<String> {
    let args = key.args.iter().enumerate().filter_map(|(local, arg)| Some((local, arg.as_ref()?)));
    let mut objects = args.flat_map(|(local, arg)| static_objects(arg).into_iter().map(move |it| (local, it)));
    objects.find_map(|(local, object)| {
        let name = params.names.get(local).unwrap_or(&"?");
        let is = |it: &PyObjectRef| it.is(&object);
        match guard {
            Guard::Item { dict, key, .. } if object.dict().is_some_and(|it| it.is(dict)) => {
                let key = key.downcast_ref::<PyStr>()?;
                Some(format!("attribute `{}` of argument `{name}`", key.to_string_lossy()))
            }
            Guard::Attribute { object, name: attribute, .. } if is(object) => {
                Some(format!("attribute `{attribute}` of argument `{name}`"))
            }
            Guard::List { list: it, .. }
            | Guard::Set { set: it, .. }
            | Guard::Dict { dict: it, .. }
            | Guard::Function { func: it, .. }
            | Guard::Object { object: it, .. }
                if is(it) =>
            {
                Some(format!("argument `{name}`, {},", guard.describe()))
            }
            Guard::Item { .. }
            | Guard::Class { .. }
            | Guard::Object { .. }
            | Guard::Attribute { .. }
            | Guard::Cell { .. }
            | Guard::List { .. }
            | Guard::Set { .. }
            | Guard::Dict { .. }
            | Guard::Names { .. }
            | Guard::Function { .. } => None,
        }
    })
}

/// Whether two arguments look the same.
fn alike(a: Option<&Arg>, b: Option<&Arg>, vm: &VirtualMachine) -> bool {
    let all = |a: &[Arg], b: &[Arg]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| alike(Some(a), Some(b), vm));
    match (a, b) {
        (None, None) => true,
        (Some(Arg::Leaf { ty: a, .. }), Some(Arg::Leaf { ty: b, .. })) => a == b,
        (Some(Arg::Static(a)), Some(Arg::Static(b))) => same(a, b, vm),
        (Some(Arg::Function(a)), Some(Arg::Function(b))) => does_the_same(a, b, vm),
        (Some(Arg::Tuple(a)), Some(Arg::Tuple(b))) | (Some(Arg::List(a)), Some(Arg::List(b))) => all(a, b),
        (Some(Arg::Named(a, x)), Some(Arg::Named(b, y))) => a.is(b) && all(x, y),
        (Some(Arg::Keywords(a)), Some(Arg::Keywords(b))) | (Some(Arg::Names(a)), Some(Arg::Names(b))) => {
            let mut pairs = a.iter().zip(b);
            a.len() == b.len() && pairs.all(|(a, b)| same(&a.0, &b.0, vm) && alike(Some(&a.1), Some(&b.1), vm))
        }
        (Some(Arg::Instance { class: a, attributes: x }), Some(Arg::Instance { class: b, attributes: y })) => {
            let mut pairs = x.iter().zip(y);
            a.is(b)
                && x.len() == y.len()
                && pairs.all(|(a, b)| a.0.as_wtf8() == b.0.as_wtf8() && alike(Some(&a.1), Some(&b.1), vm))
        }
        (Some(Arg::Items(a)), Some(Arg::Items(b))) => a == b,
        (Some(Arg::Cell(a)), Some(Arg::Cell(b))) => alike(Some(a), Some(b), vm),
        (Some(Arg::Same(a)), Some(Arg::Same(b))) => a == b,
        (Some(Arg::Empty { set: a }), Some(Arg::Empty { set: b })) => a == b,
        (Some(Arg::Record { class: a, .. }), Some(Arg::Record { class: b, .. })) => a.is(b),
        _ => false,
    }
}
