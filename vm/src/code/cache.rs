//! Decoded code objects, by identity.
//!
//! An entry keeps its code object alive, so that the address which is its key cannot come to mean another
//! object. To let go of code that was executed once, there are two generations: when the young one is
//! full it becomes the old one, and what was old and not asked for since is dropped.

use std::collections::HashMap;
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

use rustpython_vm::builtins::PyCode;
use rustpython_vm::{AsObject, PyRef};

use super::{Code, DecodeError};

/// How many code objects a generation holds.
const GENERATION: usize = 1024;

type Generation = HashMap<usize, Arc<Code>>;

struct Cache {
    young: Generation,
    old: Generation,
}

static CACHE: Mutex<Option<Cache>> = Mutex::new(None);

pub(super) fn lookup(code: &PyRef<PyCode>) -> Result<Arc<Code>, DecodeError> {
    let id = code.get_id();
    let (found, dropped) = with_cache(|cache| match cache.young.get(&id) {
        Some(it) => (Some(it.clone()), Generation::new()),
        None => match cache.old.remove(&id) {
            Some(it) => (Some(it.clone()), cache.insert(id, it)),
            None => (None, Generation::new()),
        },
    });
    drop(dropped);
    if let Some(it) = found {
        debug_assert!(it.object.is(code), "an entry keeps its code object alive, so the address is taken");
        return Ok(it);
    }
    let decoded = Arc::new(Code::decode(code)?);
    drop(with_cache(|cache| cache.insert(id, decoded.clone())));
    Ok(decoded)
}

/// Forgets all decoded code, and lets go of the code objects. For the end of an engine's life.
pub fn clear_cache() {
    let dropped = CACHE.lock().unwrap_or_else(PoisonError::into_inner).take();
    drop(dropped);
}

impl Cache {
    /// Adds an entry; what is returned is to be dropped when the lock has been released.
    fn insert(&mut self, id: usize, code: Arc<Code>) -> Generation {
        let full = self.young.len() >= GENERATION;
        let dropped = if full { mem::replace(&mut self.old, mem::take(&mut self.young)) } else { Generation::new() };
        self.young.insert(id, code);
        dropped
    }
}

/// Nothing that `action` does may drop Python objects: a destructor could come back here.
fn with_cache<R>(action: impl FnOnce(&mut Cache) -> R) -> R {
    let mut guard = CACHE.lock().unwrap_or_else(PoisonError::into_inner);
    action(guard.get_or_insert_with(|| Cache { young: HashMap::new(), old: HashMap::new() }))
}
