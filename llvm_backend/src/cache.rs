//! Objects that were made before.
//!
//! An object follows from LLVM's IR before its passes, the passes, the machine and LLVM itself. The hash of these is
//! its [`Key`]: what has the same key has the same code, whatever program, process or day it comes from. So the shapes
//! of tensors, of which LLVM's IR knows nothing, share code, too.
//!
//! The objects used last stay in memory; the others lie in a [`Folder`], if there is one.

mod folder;
mod key;

use std::collections::{HashMap, VecDeque};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use folder::Folder;
pub(crate) use key::Key;

/// Bytes of objects that stay in memory.
const MEMORY: usize = 16 << 20;

/// Objects that were made before, for any number of threads, and with a folder for any number of processes.
#[derive(Debug)]
pub struct ObjectCache {
    recent: Mutex<Recent>,
    /// Made when it is needed: none if there is to be none, or it cannot be used.
    folder: LazyLock<Option<Folder>, Opening>,
}

type Opening = Box<dyn FnOnce() -> Option<Folder> + Send + Sync>;

/// What there is in a folder.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Usage {
    /// How many objects.
    pub objects: u64,
    /// How many bytes they have together.
    pub bytes: u64,
}

impl ObjectCache {
    /// One that ends with the process.
    #[must_use]
    pub fn in_memory() -> Self {
        Self::with(|| None)
    }

    fn with(open: impl FnOnce() -> Option<Folder> + Send + Sync + 'static) -> Self {
        Self { recent: Mutex::default(), folder: LazyLock::new(Box::new(open)) }
    }

    /// One that keeps objects in a folder, which is made if it is not there. When they have more bytes than `limit`
    /// together, those that were not used for the longest time go.
    ///
    /// # Errors
    /// If the folder cannot be made, or other users may write to it: what lies there is run.
    pub fn in_folder(path: &Path, limit: u64) -> io::Result<Self> {
        let folder = Folder::open(path, limit)?;
        Ok(Self::with(|| Some(folder)))
    }

    /// The same, but the folder is made when the first object is looked for, and not used if that fails.
    #[must_use]
    pub fn in_folder_if_possible(path: PathBuf, limit: u64) -> Self {
        Self::with(move || Folder::open(&path, limit).ok())
    }

    /// What lies in the folder.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn usage(&self) -> io::Result<Usage> {
        self.folder.as_ref().map_or(Ok(Usage::default()), Folder::usage)
    }

    /// Forgets all objects, those in the folder, too. What is running stays.
    ///
    /// # Errors
    /// If something in the folder cannot be removed.
    pub fn clear(&self) -> io::Result<Usage> {
        *self.recent() = Recent::default();
        self.folder.as_ref().map_or(Ok(Usage::default()), Folder::clear)
    }

    /// What `load` makes of an object that follows from these parts: one that was kept, or else one that is made now. Objects that
    /// it does not take are forgotten.
    pub fn loaded<T>(
        &self,
        of: &[&[u8]],
        load: impl Fn(&[u8]) -> Option<T>,
        make: impl FnOnce() -> Option<Vec<u8>>,
    ) -> Option<T> {
        let key = Key::of(of);
        if let Some(found) = self.find(&key) {
            if let Some(it) = load(&found) {
                return Some(it);
            }
            self.forget(&key);
        }
        let object: Arc<[u8]> = make()?.into();
        let it = load(&object)?;
        self.keep(&key, &object);
        Some(it)
    }

    /// The object of a key.
    pub(crate) fn find(&self, key: &Key) -> Option<Arc<[u8]>> {
        if let Some(found) = self.recent().objects.get(key) {
            return Some(Arc::clone(found));
        }
        let found: Arc<[u8]> = self.folder.as_ref()?.read(key)?.into();
        self.recent().keep(key, &found);
        Some(found)
    }

    /// Keeps an object. What cannot be written is made again some day.
    pub(crate) fn keep(&self, key: &Key, object: &Arc<[u8]>) {
        self.recent().keep(key, object);
        if let Some(folder) = &*self.folder {
            folder.write(key, object);
        }
    }

    /// Forgets an object that is not as it should be.
    pub(crate) fn forget(&self, key: &Key) {
        self.recent().objects.remove(key);
        if let Some(folder) = &*self.folder {
            folder.remove(key);
        }
    }

    fn recent(&self) -> std::sync::MutexGuard<'_, Recent> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Objects in memory: the first to come is the first to go.
#[derive(Debug, Default)]
struct Recent {
    objects: HashMap<Key, Arc<[u8]>>,
    order: VecDeque<Key>,
    bytes: usize,
}

impl Recent {
    fn keep(&mut self, key: &Key, object: &Arc<[u8]>) {
        if self.objects.insert(*key, Arc::clone(object)).is_some() {
            return;
        }
        self.order.push_back(*key);
        self.bytes += object.len();
        while self.bytes > MEMORY {
            let Some(oldest) = self.order.pop_front() else { return };
            self.bytes -= self.objects.remove(&oldest).map_or(0, |it| it.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_taken_is_made_again() {
        let cache = ObjectCache::in_memory();
        let taken = |code: &[u8]| code.starts_with(b"ok").then_some(code.len());
        let made = |of: &[&[u8]], object: &[u8]| cache.loaded(of, taken, || Some(object.to_vec()));
        assert_eq!(made(&[b"a"], b"ok"), Some(2));
        assert_eq!(made(&[b"a"], b"another"), Some(2), "it was kept");
        assert_eq!(made(&[b"b"], b"bad"), None);
        assert_eq!(made(&[b"b"], b"ok 1"), Some(4), "it was not kept");
        assert_eq!(cache.loaded(&[b"c"], taken, || None), None);
        // One that was taken once, and is not any more.
        cache.recent().objects.insert(Key::of(&[b"a"]), Arc::from(&b"damaged"[..]));
        assert_eq!(made(&[b"a"], b"ok 12"), Some(5));
        assert_eq!(made(&[b"a"], b"ok"), Some(5));
    }

    #[test]
    fn memory_is_bounded() {
        let cache = ObjectCache::in_memory();
        let object: Arc<[u8]> = vec![0; MEMORY / 4].into();
        let keys: Vec<Key> = (0..9).map(|it| Key::of(&[&[it]])).collect();
        for key in &keys {
            cache.keep(key, &object);
            cache.keep(key, &object);
        }
        let kept: Vec<bool> = keys.iter().map(|it| cache.find(it).is_some()).collect();
        assert_eq!(kept, [false, false, false, false, false, true, true, true, true]);
        cache.forget(&keys[8]);
        assert!(cache.find(&keys[8]).is_none());
        for key in &keys {
            cache.keep(key, &object);
        }
        assert!(cache.recent().bytes <= MEMORY);
        cache.clear().expect("there is no folder");
        assert!(cache.find(&keys[7]).is_none());
    }
}
