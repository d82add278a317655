//! What instructions have given when compiled code let the VM carry them out: what later code relies on.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use snekpy_stage::tensor::Dtype;
use snekpy_stage::types::{Class, Type};

/// What an instruction has given so far, and how often it could not be carried out. Shared by all code made of it.
#[derive(Default, Debug)]
pub(crate) struct Seen {
    /// 0: nothing yet; 1: several kinds; else a kind of number, or objects of a class.
    kind: AtomicU32,
    /// How often that was given.
    count: AtomicU32,
    unfit: AtomicU32,
    /// Whether it has given something else than was guessed.
    is_guessed_wrong: AtomicBool,
    /// The dtype of the tensors of which it has read or written an element: as `kind`.
    dtype: AtomicU32,
    /// How often.
    elements: AtomicU32,
    /// The classes of the objects whose attribute it reads, each a byte: so many that code for each is not too much.
    classes: AtomicU64,
}

/// What was given: see [`Seen`].
const SEVERAL: u32 = 1;
const NUMBERS: [(u32, Type); 3] = [(2, Type::Bool), (3, Type::I64), (4, Type::F64)];
const OBJECT: u32 = 5;
/// The first dtype.
const FIRST_DTYPE: u32 = 2;
/// Objects of a class that has a number, which is added.
const OF_CLASS: u32 = 16;
/// So often the same kind has to come before new code relies on it,
const LIKELY: u32 = 3;
/// and so often before that is worth new code.
const SURE: u32 = 8;
/// So often an instruction may be none that can be carried out before it is one that is left at.
const MAX_UNFIT: u32 = 4;

impl Seen {
    /// The type of what it gives, as far as is known.
    pub(crate) fn ty(&self) -> Option<Type> {
        self.type_after(LIKELY)
    }

    /// Whether it has given nothing yet that a guess would have to know.
    pub(crate) fn is_new(&self) -> bool {
        self.kind.load(Ordering::Relaxed) == 0 && !self.is_guessed_wrong.load(Ordering::Relaxed)
    }

    /// Whether that is worth new code, if code does not rely on it.
    pub(crate) fn is_sure(&self) -> bool {
        self.type_after(SURE).is_some()
    }

    /// Whether nothing more is learnt from what it gives.
    pub(crate) fn is_settled(&self) -> bool {
        match self.kind.load(Ordering::Relaxed) {
            SEVERAL => true,
            OBJECT => self.count.load(Ordering::Relaxed) >= SURE,
            _ => false,
        }
    }

    fn type_after(&self, count: u32) -> Option<Type> {
        if self.count.load(Ordering::Relaxed) < count {
            return None;
        }
        let kind = self.kind.load(Ordering::Relaxed);
        match kind.checked_sub(OF_CLASS) {
            Some(class) => u8::try_from(class).ok().map(|it| Type::Object(Class(it))),
            None => NUMBERS.iter().find(|(it, _)| *it == kind).map(|(_, ty)| *ty),
        }
    }

    /// Whether it mostly cannot be carried out from compiled code.
    pub(crate) fn is_unfit(&self) -> bool {
        self.unfit.load(Ordering::Relaxed) >= MAX_UNFIT
    }

    /// It has given something of this type, or another object.
    pub(crate) fn note(&self, ty: Option<Type>) {
        let kind = match ty {
            Some(Type::Object(class)) => OF_CLASS + u32::from(class.0),
            _ => NUMBERS.iter().find(|(_, it)| Some(*it) == ty).map_or(OBJECT, |(kind, _)| *kind),
        };
        match self.kind.load(Ordering::Relaxed) {
            0 => self.kind.store(kind, Ordering::Relaxed),
            known if known == kind => {
                if self.count.load(Ordering::Relaxed) >= SURE {
                    return;
                }
            }
            SEVERAL => return,
            _ => self.kind.store(SEVERAL, Ordering::Relaxed),
        }
        self.count.fetch_add(1, Ordering::Relaxed);
    }

    /// The dtype of the tensors of which it reads or writes an element, as far as is known.
    pub(crate) fn element(&self) -> Option<Dtype> {
        self.element_after(LIKELY)
    }

    /// Whether that is worth new code.
    pub(crate) fn is_element_sure(&self) -> bool {
        self.element_after(SURE).is_some()
    }

    fn element_after(&self, count: u32) -> Option<Dtype> {
        let kind = self.dtype.load(Ordering::Relaxed).checked_sub(FIRST_DTYPE)?;
        (self.elements.load(Ordering::Relaxed) >= count).then(|| Dtype::ALL[kind as usize])
    }

    /// It has read or written an element of a tensor.
    pub(crate) fn note_element(&self, dtype: Dtype) {
        let kind = FIRST_DTYPE + dtype as u32;
        match self.dtype.load(Ordering::Relaxed) {
            0 => self.dtype.store(kind, Ordering::Relaxed),
            known if known == kind => {}
            _ => self.dtype.store(SEVERAL, Ordering::Relaxed),
        }
        self.elements.fetch_add(1, Ordering::Relaxed);
    }

    /// The classes that the program has made of the objects whose attribute it reads.
    pub(crate) fn classes(&self) -> Vec<Class> {
        let classes = self.classes.load(Ordering::Relaxed).to_le_bytes();
        classes.into_iter().map(Class).filter(|it| *it != Class::ANY).collect()
    }

    /// It was to read an attribute of an object of this class: whether code is to know that.
    pub(crate) fn note_class(&self, class: Class) -> bool {
        let mut classes = self.classes.load(Ordering::Relaxed).to_le_bytes();
        if class == Class::ANY || classes.contains(&class.0) {
            return false;
        }
        let Some(free) = classes.iter_mut().find(|it| **it == Class::ANY.0) else { return false };
        *free = class.0;
        self.classes.store(u64::from_le_bytes(classes), Ordering::Relaxed);
        true
    }

    /// It has given something else than code relies on.
    pub(crate) fn differs(&self) {
        if self.is_new() {
            self.is_guessed_wrong.store(true, Ordering::Relaxed);
        } else {
            self.kind.store(SEVERAL, Ordering::Relaxed);
        }
    }

    /// It could not be carried out: whether it is from now on one that is left at.
    pub(crate) fn was_unfit(&self) -> bool {
        self.unfit.fetch_add(1, Ordering::Relaxed) + 1 == MAX_UNFIT
    }
}
