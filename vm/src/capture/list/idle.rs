//! Lists, dicts and sets among the arguments that the code turns out not to change.

use std::sync::Arc;

use rustc_hash::FxHashSet as HashSet;
use rustpython_vm::{AsObject, PyObjectRef};
use snekpy_stage::entity::{Entity, Value};
use snekpy_stage::ir::Function;
use snekpy_stage::op::{ListOp, Op};
use snekpy_stage::types::Type;

use super::in_items;
use crate::capture::heap::Contents;
use crate::capture::session::Session;
use crate::capture::{map, value};
use crate::exit::{ContentsTemplate, Effect, ExitKind, HostKind, Template};
use crate::flatten::Root;

impl Session<'_> {
    /// The effects of a path without those on lists among the arguments that no code changes.
    pub(crate) fn without_idle_effects(&mut self, effects: Vec<Effect>) -> Vec<Effect> {
        let Some(changed) = self.changed_lists() else { return effects };
        let is_idle = |list: &&PyObjectRef| {
            let number = self.base.number(list).expect("it was kept");
            values_in(&self.base.entry(number).contents)
                .is_some_and(|values| values.iter().all(|it| !changed.contains(it)))
        };
        let (mut idle, mut idle_objects): (Vec<Root>, Vec<PyObjectRef>) = (Vec::new(), Vec::new());
        for list in self.given.list_params.iter().filter(is_idle) {
            match self.given.arguments.get(&list.get_id()) {
                Some(root) => idle.push(root.clone()),
                None => idle_objects.push(list.clone()),
            }
        }
        let is_idle = |effect: &Effect| {
            let leaf = match &effect.contents {
                ContentsTemplate::List(items) => items.first().map(first_part),
                ContentsTemplate::Set(items) => items.first(),
                ContentsTemplate::Dict(items) => items.first().map(|(key, _)| key),
                ContentsTemplate::Appended(_) | ContentsTemplate::Cell(_) | ContentsTemplate::Item(..) => None,
            };
            matches!(leaf, Some(Template::Leaf { ty: Type::List(_) | Type::Map(_), .. }))
                && match &effect.target {
                    Template::Argument(root) => idle.contains(root),
                    Template::Static(object) => idle_objects.iter().any(|it| it.is(object)),
                    _ => false,
                }
        };
        for exit in &mut self.exits {
            match exit {
                ExitKind::Return { effects, .. }
                | ExitKind::Raise { effects, .. }
                | ExitKind::Again { effects, .. } => {
                    effects.retain(|effect| !is_idle(effect));
                }
                ExitKind::Failure => {}
                ExitKind::Resume(resume) | ExitKind::Checkpoint(resume) | ExitKind::Restart(resume) => {
                    if let Some(resume) = Arc::get_mut(resume) {
                        resume.effects.retain(|effect| !is_idle(effect));
                    }
                }
            }
        }
        effects.into_iter().filter(|effect| !is_idle(effect)).collect()
    }

    /// The parameters of the main function that are lists, dicts or sets which it changes; `None` if that is not known.
    fn changed_lists(&self) -> Option<HashSet<Value>> {
        let mut changed = HashSet::default();
        for (id, func) in self.module.funcs.iter() {
            for inst in func.insts.values() {
                let changes = match inst.op {
                    Op::List(op) => !matches!(op, ListOp::Len | ListOp::Get),
                    Op::Map(op) => op.changes(),
                    Op::Host(host, _) => matches!(self.hosts[host.index()], HostKind::Sort { .. }),
                    Op::Call(..) => true,
                    _ => false,
                };
                let is_container = |arg: Value| matches!(func.ty(arg), Type::List(_) | Type::Map(_));
                // What is an item of a list may be changed through that.
                let is_item = matches!(inst.op, Op::List(op) if op.takes_item());
                if is_item && inst.args.last().is_some_and(|&item| is_container(item)) {
                    return None;
                }
                for &arg in inst.args.iter().filter(|&&arg| changes && is_container(arg)) {
                    let arg = outermost(func, arg);
                    if func.params().contains(&arg) && id == self.module.main() {
                        changed.insert(arg);
                    } else if !matches!(func.definition(arg), Some((Op::ListNew(_) | Op::MapNew(_), _))) {
                        return None;
                    }
                }
            }
        }
        Some(changed)
    }
}

/// The lists or the map of the compiled code that these contents stand for.
fn values_in(contents: &Contents) -> Option<Vec<Value>> {
    match contents {
        Contents::List(items) => in_items(items).map(|list| list.columns),
        contents => map::in_contents(contents).and_then(|rep| value::rep(rep)).map(|(value, _)| vec![value]),
    }
}

/// The list that a list is read from, through any number of them.
fn outermost(func: &Function, list: Value) -> Value {
    match func.definition(list) {
        Some((Op::List(ListOp::Get), args)) => outermost(func, args[0]),
        _ => list,
    }
}

/// What comes first in a tuple of tuples.
fn first_part(template: &Template) -> &Template {
    match template {
        Template::Tuple(parts) | Template::Made { parts, .. } if let Some(first) = parts.first() => first_part(first),
        other => other,
    }
}
