//! Objects that are arguments and that the function reads by another way, too: compiled code would take them for
//! two.

use std::collections::BTreeSet;

use rustpython_vm::builtins::{PyList, PyTuple};
use rustpython_vm::{AsObject, PyObjectRef};
use snekpy_stage::types::Type;

use crate::captured::Captured;
use crate::exit::{Effect, ExitKind, Template};
use crate::flatten::Source;
use crate::flatten::{Arg, rows_of};
use crate::guard::Guard;

/// The objects of the world that are guarded or changed.
pub(super) fn known_objects(captured: &Captured, sources: &[Source]) -> BTreeSet<usize> {
    fn target(effect: &Effect) -> Option<usize> {
        match &effect.target {
            Template::Static(object) => Some(object.get_id()),
            _ => None,
        }
    }
    let read = sources.iter().filter_map(|source| match source {
        Source::Item { dict, .. } => Some(dict.as_object().get_id()),
        Source::Members(object) => Some(object.get_id()),
        Source::Cell(cell) => Some(cell.get_id()),
        Source::Table(_) => None,
    });
    let attributes = captured.guards.iter().filter_map(|guard| match guard {
        Guard::Object { dict, .. } => dict.as_ref().map(|dict| dict.as_object().get_id()),
        _ => None,
    });
    let guarded = captured.guards.iter().filter_map(|guard| match guard {
        Guard::List { list, .. } => Some(list.get_id()),
        Guard::Object { object, .. } => Some(object.get_id()),
        Guard::Item { dict, .. } => Some(dict.as_object().get_id()),
        Guard::Dict { dict, .. } => Some(dict.get_id()),
        Guard::Set { set, .. } => Some(set.get_id()),
        Guard::Cell { cell, .. } => Some(cell.get_id()),
        _ => None,
    });
    let left = captured.exits.iter().flat_map(|exit| match exit {
        ExitKind::Return { effects, .. } | ExitKind::Raise { effects, .. } | ExitKind::Again { effects, .. } => {
            &effects[..]
        }
        ExitKind::Resume(resume) | ExitKind::Checkpoint(resume) | ExitKind::Restart(resume) => &resume.effects[..],
        ExitKind::Failure => &[][..],
    });
    guarded.chain(read).chain(attributes).chain(captured.effects.iter().chain(left).filter_map(target)).collect()
}

/// Whether one of these objects is in an argument, as something that it was taken apart into.
pub(super) fn arg_reaches(arg: &Arg, object: &PyObjectRef, known: &BTreeSet<usize>) -> bool {
    match arg {
        Arg::Instance { attributes, .. } => {
            let dict = object.dict().map_or(0, |dict| dict.as_object().get_id());
            let mut inside = attributes.iter().zip(items(object));
            known.contains(&object.get_id())
                || known.contains(&dict)
                || inside.any(|((_, arg), value)| arg_reaches(arg, &value, known))
        }
        // The dict itself is new, its values are not.
        Arg::Keywords(args) => args.iter().zip(items(object)).any(|((_, arg), it)| arg_reaches(arg, &it, known)),
        Arg::Names(args) => {
            known.contains(&object.get_id())
                || args.iter().zip(items(object)).any(|((_, arg), it)| arg_reaches(arg, &it, known))
        }
        Arg::Tuple(args) | Arg::Named(_, args) | Arg::List(args) => {
            known.contains(&object.get_id())
                || args.iter().zip(items(object)).any(|(arg, it)| arg_reaches(arg, &it, known))
        }
        Arg::Cell(arg) => {
            known.contains(&object.get_id()) || items(object).next().is_some_and(|it| arg_reaches(arg, &it, known))
        }
        Arg::Static(_) => object.downcast_ref::<PyList>().is_some() && reaches(object, known),
        Arg::Items(ty) if ty.has_lists() => {
            known.contains(&object.get_id()) || rows_of(object).iter().any(|id| known.contains(id))
        }
        Arg::Items(_) | Arg::Leaf { ty: Type::Map(_) } | Arg::Empty { .. } => known.contains(&object.get_id()),
        // No record is changed: see `Specialisation::check_aliases`.
        Arg::Leaf { .. } | Arg::Wide | Arg::Function(_) | Arg::Same(_) | Arg::Record { .. } => false,
    }
}

/// Whether one of these lists is in an argument, which may contain itself.
fn reaches(object: &PyObjectRef, lists: &BTreeSet<usize>) -> bool {
    let (mut seen, mut left) = (BTreeSet::new(), vec![object.clone()]);
    while let Some(object) = left.pop() {
        if lists.contains(&object.get_id()) {
            return true;
        }
        let is_container = object.downcast_ref::<PyList>().is_some() || object.downcast_ref::<PyTuple>().is_some();
        if is_container && seen.insert(object.get_id()) {
            left.extend(items(&object));
        }
    }
    false
}

pub(super) fn items(object: &PyObjectRef) -> impl Iterator<Item = PyObjectRef> {
    (0..).map_while(|index| crate::flatten::item(object, index))
}

/// The containers and objects in an argument that it was taken apart into.
pub(super) fn taken_apart(arg: &Arg, object: &PyObjectRef, found: &mut BTreeSet<usize>) {
    match arg {
        Arg::Leaf { ty: Type::Object(_) | Type::Tensor(_) }
        | Arg::Wide
        | Arg::Static(_)
        | Arg::Function(_)
        | Arg::Same(_) => {}
        Arg::Cell(arg) => {
            found.insert(object.get_id());
            items(object).take(1).for_each(|it| taken_apart(arg, &it, found));
        }
        Arg::Leaf { .. } | Arg::Items(_) | Arg::Empty { .. } | Arg::Record { .. } => {
            found.insert(object.get_id());
            if matches!(arg, Arg::Items(ty) if ty.has_lists()) {
                found.extend(rows_of(object));
            }
        }
        Arg::Tuple(args) | Arg::Named(_, args) | Arg::List(args) => {
            found.insert(object.get_id());
            args.iter().zip(items(object)).for_each(|(arg, it)| taken_apart(arg, &it, found));
        }
        Arg::Keywords(args) | Arg::Names(args) => {
            found.insert(object.get_id());
            args.iter().zip(items(object)).for_each(|((_, arg), it)| taken_apart(arg, &it, found));
        }
        Arg::Instance { attributes: args, .. } => {
            found.insert(object.get_id());
            found.extend(object.dict().map(|dict| dict.as_object().get_id()));
            args.iter().zip(items(object)).for_each(|((_, arg), it)| taken_apart(arg, &it, found));
        }
    }
}
