//! What instructions have given when compiled code let the VM carry them out: what later code relies on.

use std::sync::atomic::{AtomicU32, Ordering};

use snekpy_stage::types::Type;

/// What an instruction has given so far, and how often it could not be carried out. Shared by all code made of it.
#[derive(Default, Debug)]
pub(crate) struct Seen {
    /// 0: nothing yet; 1: several kinds; else a kind of number.
    kind: AtomicU32,
    /// How often that was given.
    count: AtomicU32,
    unfit: AtomicU32,
}

/// What was given: see [`Seen`].
const SEVERAL: u32 = 1;
const NUMBERS: [(u32, Type); 3] = [(2, Type::Bool), (3, Type::I64), (4, Type::F64)];
const OBJECT: u32 = 5;
/// So often the same kind has to come before new code relies on it,
const LIKELY: u32 = 3;
/// and so often before that is worth new code.
const SURE: u32 = 8;
/// So often an instruction may be none that can be carried out before it is one that is left at.
const MAX_UNFIT: u32 = 4;

impl Seen {
    /// The numbers that it gives, as far as is known.
    pub(crate) fn number(&self) -> Option<Type> {
        self.number_after(LIKELY)
    }

    /// Whether that is worth new code, if code does not rely on it.
    pub(crate) fn is_sure(&self) -> bool {
        self.number_after(SURE).is_some()
    }

    fn number_after(&self, count: u32) -> Option<Type> {
        if self.count.load(Ordering::Relaxed) < count {
            return None;
        }
        let kind = self.kind.load(Ordering::Relaxed);
        NUMBERS.iter().find(|(it, _)| *it == kind).map(|(_, ty)| *ty)
    }

    /// Whether it mostly cannot be carried out from compiled code.
    pub(crate) fn is_unfit(&self) -> bool {
        self.unfit.load(Ordering::Relaxed) >= MAX_UNFIT
    }

    /// It has given a number of this type, or another object.
    pub(crate) fn note(&self, number: Option<Type>) {
        let kind = NUMBERS.iter().find(|(_, ty)| Some(*ty) == number).map_or(OBJECT, |(kind, _)| *kind);
        match self.kind.load(Ordering::Relaxed) {
            0 => self.kind.store(kind, Ordering::Relaxed),
            known if known == kind => {}
            SEVERAL => return,
            _ => self.kind.store(SEVERAL, Ordering::Relaxed),
        }
        self.count.fetch_add(1, Ordering::Relaxed);
    }

    /// It has given something else than code relies on.
    pub(crate) fn differs(&self) {
        self.kind.store(SEVERAL, Ordering::Relaxed);
    }

    /// It could not be carried out: whether it is from now on one that is left at.
    pub(crate) fn was_unfit(&self) -> bool {
        self.unfit.fetch_add(1, Ordering::Relaxed) + 1 == MAX_UNFIT
    }
}
