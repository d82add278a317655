//! Looking at the inputs of a call again: whether they are what they were.

use rustpython_vm::{AsObject, PyObjectRef};
use snekpy_stage::backend;
use snekpy_stage::list::List;
use snekpy_stage::map::Map;
use snekpy_stage::types::Type;

use super::{Arg, Inputs, Key};
use crate::flatten::{ATTRIBUTES, item};
use crate::interrupt::signals;

impl Inputs {
    /// Notes when they are read.
    pub(crate) fn begin(&mut self, shared: bool) {
        self.shared = shared;
        self.signals = signals::count();
    }

    /// Keeps what is in the containers that are taken apart.
    pub(crate) fn see(&mut self, key: &Key, locals: &[Option<PyObjectRef>]) {
        self.items.clear();
        for (arg, object) in key.args.iter().zip(locals) {
            if let (Some(arg), Some(object)) = (arg, object) {
                self.see_in(arg, object);
            }
        }
    }

    fn see_in(&mut self, arg: &Arg, object: &PyObjectRef) {
        let args: Vec<&Arg> = match arg {
            Arg::Tuple(args) | Arg::Named(_, args) | Arg::List(args) => args.iter().collect(),
            Arg::Keywords(args) | Arg::Names(args) => args.iter().map(|(_, arg)| arg).collect(),
            Arg::Instance { attributes: args, .. } => args.iter().map(|(_, arg)| arg).collect(),
            Arg::Cell(arg) => vec![&**arg],
            Arg::Leaf { .. }
            | Arg::Wide
            | Arg::Static(_)
            | Arg::Function(_)
            | Arg::Items(_)
            | Arg::Empty { .. }
            | Arg::Same(_)
            | Arg::Record { .. } => return,
        };
        let found: Vec<PyObjectRef> = (0..args.len()).map_while(|index| item(object, index)).collect();
        for (arg, object) in args.iter().zip(&found) {
            self.see_in(arg, object);
        }
        if matches!(arg, Arg::Instance { .. })
            && let Some(dict) = item(object, ATTRIBUTES)
        {
            self.items.insert(dict.get_id(), found.clone());
        }
        self.items.insert(object.get_id(), found);
    }

    /// Whether others, for the same key, are the same.
    pub(crate) fn are_like(&self, others: &Self, key: &Key) -> bool {
        let same_objects = self.objects.iter().map(|it| it.get_id()).eq(others.objects.iter().map(|it| it.get_id()));
        if self.slots.len() != others.slots.len() || !same_objects {
            return false;
        }
        let records = key.records.as_ref().map_or(0, |layout| layout.types().len());
        let sources = key.types.len() - key.sources.len();
        let mut slot = 0;
        key.types.iter().enumerate().all(|(index, ty)| {
            let count = backend::slots(*ty);
            let (a, b) = (&self.slots[slot..slot + count], &others.slots[slot..slot + count]);
            slot += count;
            match ty {
                // SAFETY: the slot of a list or map has its address, and it belongs to the inputs.
                Type::List(_) => unsafe {
                    same_lists(&*(a[0] as usize as *const List), &*(b[0] as usize as *const List))
                },
                // SAFETY: as above.
                Type::Map(_) => unsafe { same_maps(&*(a[0] as usize as *const Map), &*(b[0] as usize as *const Map)) },
                // SAFETY: so many numbers of eight bytes are in the table of records, which belongs to the inputs.
                Type::Array(_) if (sources - records..sources).contains(&index) => unsafe { rows(a) == rows(b) },
                Type::Array(_) | Type::Object(_) | Type::Tensor(_) | Type::Bool | Type::I64 | Type::F64 => a == b,
            }
        })
    }
}

fn same_lists(a: &List, b: &List) -> bool {
    if a.len() != b.len() {
        return false;
    }
    match a.ty().item() {
        // SAFETY: the items are the addresses of lists, which belong to the inputs, too.
        Type::List(_) => a
            .iter()
            .zip(b.iter())
            .all(|(a, b)| unsafe { same_lists(&*(a as usize as *const List), &*(b as usize as *const List)) }),
        _ => a.iter().eq(b.iter()),
    }
}

fn same_maps(a: &Map, b: &Map) -> bool {
    let entries = |map: &Map| map.iter().map(|entry| (entry.key, entry.value)).collect::<Vec<_>>();
    a.len() == b.len() && entries(a) == entries(b)
}

/// # Safety
/// The slots are address and length of an array of numbers of eight bytes that is there.
unsafe fn rows<'a>(slots: &[u64]) -> &'a [u64] {
    match slots[1] {
        0 => &[],
        // SAFETY: the caller's promise.
        length => unsafe { std::slice::from_raw_parts(slots[0] as usize as *const u64, length as usize) },
    }
}
