//! Derivatives of functions that are made anew: `grad(lambda w: loss(w, x, y))(w)` in a loop.
//!
//! The code for them belongs to the code object of the function. From the second function of a code object on, closure
//! variables are arguments: keyed by what they look like, and read at each call. Methods of classes that are made anew are
//! left alone: what is known of them would keep the classes alive.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rustpython_vm::builtins::PyDictRef;
use rustpython_vm::common::lock::PyMutex;
use rustpython_vm::object::{Traverse, TraverseFn};
use rustpython_vm::{AsObject, PyObjectRef, VirtualMachine};

use super::{Cache, Reentries};
use crate::config;
use crate::governor::Governor;
use crate::host;

/// So many code objects are known of which several functions were made, and so many of which one was.
const MOST_SHARED: usize = 64;
const MOST_MET: usize = 256;
/// Functions with more specialisations differ in what their code knows: another one is better alone.
const MOST_SPECIALISATIONS: usize = 8;

/// The code for a derivative: of one function, or of all that were made anew of one code object.
pub(crate) struct Core {
    pub(crate) cache: Cache,
    /// Where calls that have left may come back to.
    pub(crate) reentries: Arc<Reentries>,
    /// Whether a result was found to hold an array where floats are differentiated all at once.
    pub(crate) gives_arrays: Arc<AtomicBool>,
}

// SAFETY: each reference that is owned is shown once; what is locked or shared is left out.
unsafe impl Traverse for Core {
    fn traverse(&self, show: &mut TraverseFn<'_>) {
        self.cache.traverse(show);
        self.reentries.traverse(show);
    }
}

impl Core {
    /// Of a function of which nothing is known.
    pub(crate) fn new() -> Arc<Self> {
        let reentries = Reentries::new(Arc::new(Governor::new(false)));
        Arc::new(Self { cache: Cache::default(), reentries, gives_arrays: Arc::default() })
    }
}

/// What is common to functions that are made anew.
#[derive(PartialEq, Eq, Clone, Debug)]
struct Likeness {
    code: usize,
    globals: usize,
    name: String,
    /// How it is differentiated.
    how: String,
}

/// The functions that an interpreter has differentiated, by their code.
#[derive(Default)]
struct Made {
    /// Functions of which one was made. What they are known by may be another one's later, which shares code too early then.
    met: Vec<Likeness>,
    /// Those of which several were, the latest last, with what keeps their identity.
    shared: Vec<Shared>,
}

/// Functions that are alike: what they have in common, what keeps that, and what is known of their calls.
type Shared = (Likeness, (PyObjectRef, PyDictRef), Arc<Core>);

/// The code for a derivative of a function, and the function's closure variables if it is one of several: they are arguments
/// then. `how` says how it is differentiated.
pub(crate) fn core_of(func: &PyObjectRef, how: String, vm: &VirtualMachine) -> (Arc<Core>, Vec<PyObjectRef>) {
    let alone = || (Core::new(), Vec::new());
    let Ok(Some(parts)) = host::function::parts(func, vm) else { return alone() };
    let name = parts.qualname.to_string();
    if name.rsplit('.').nth(1).is_some_and(|it| it != "<locals>") {
        return alone();
    }
    let code: PyObjectRef = parts.code.clone().into();
    let likeness = Likeness { code: code.get_id(), globals: parts.globals.as_object().get_id(), name, how };
    let Ok(made) = config::kept(vm, || Ok(PyMutex::new(Made::default()))) else { return alone() };
    let (found, forgotten) = made.lock().core_of(likeness, (code, parts.globals.clone()));
    // It may be the last to hold something, whose end runs Python: no lock is held then.
    drop(forgotten);
    match found.filter(|it| it.cache.all().0.len() <= MOST_SPECIALISATIONS) {
        Some(core) => (core, parts.closure),
        None => alone(),
    }
}

impl Made {
    /// What is known of functions like this one, if it is not the first, and what is forgotten for that.
    fn core_of(&mut self, likeness: Likeness, kept: (PyObjectRef, PyDictRef)) -> (Option<Arc<Core>>, Option<Shared>) {
        if let Some(at) = self.shared.iter().position(|(it, ..)| *it == likeness) {
            let found = self.shared.remove(at);
            let core = found.2.clone();
            self.shared.push(found);
            return (Some(core), None);
        }
        let Some(at) = self.met.iter().position(|it| *it == likeness) else {
            if self.met.len() >= MOST_MET {
                self.met.remove(0);
            }
            self.met.push(likeness);
            return (None, None);
        };
        self.met.remove(at);
        let forgotten = (self.shared.len() >= MOST_SHARED).then(|| self.shared.remove(0));
        let core = Core::new();
        self.shared.push((likeness, kept, core.clone()));
        (Some(core), forgotten)
    }
}
