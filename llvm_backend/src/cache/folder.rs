//! Objects in files.
//!
//! A file is named by its key, and begins with a mark, the key again and the hash of the object behind it: one that is
//! cut off, damaged or another's is removed and counts as not there. It is written under another name first and then
//! renamed, so that other processes see all of it or nothing.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use sha2::{Digest, Sha256};

use super::{Key, Usage};

/// What a file begins with.
const MARK: &[u8; 8] = b"snekpyO1";
/// Bytes in front of the object.
const HEAD: usize = MARK.len() + 32 + 32;
/// What the names of objects end with.
const OBJECT: &str = "o";
/// What the names of unfinished files end with.
const UNFINISHED: &str = "new";
/// How many objects are written until it is looked again how much there is.
const ROUND: u64 = 32;
/// An object that is used counts as used for so long.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// Who has not finished a file by then has ended.
const HOUR: Duration = Duration::from_secs(60 * 60);

/// A folder of objects.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    limit: u64,
    written: AtomicU64,
}

impl Folder {
    pub(super) fn open(path: &Path, limit: u64) -> io::Result<Self> {
        let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
        DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(named)?;
        let found = fs::metadata(path).map_err(named)?;
        // SAFETY: it has no conditions.
        let ours = found.uid() == unsafe { libc::geteuid() };
        if !ours || found.mode() & 0o022 != 0 {
            let words = format!("{}: others may write to this folder, and what lies there is run", path.display());
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, words));
        }
        Ok(Self { path: path.to_owned(), limit, written: AtomicU64::new(0) })
    }

    fn file(&self, key: &Key) -> PathBuf {
        self.path.join(format!("{key}.{OBJECT}"))
    }

    pub(super) fn read(&self, key: &Key) -> Option<Vec<u8>> {
        let path = self.file(key);
        let mut bytes = fs::read(&path).ok()?;
        if !is_whole(key, &bytes) {
            let _ = fs::remove_file(&path);
            return None;
        }
        self.used(&path);
        bytes.drain(..HEAD);
        Some(bytes)
    }

    /// That an object is used is written down once a day.
    fn used(&self, path: &Path) {
        let now = SystemTime::now();
        let is_old = |it: fs::Metadata| it.modified().is_ok_and(|it| now.duration_since(it).is_ok_and(|it| it > DAY));
        if fs::metadata(path).is_ok_and(is_old) {
            let _ = File::options().append(true).open(path).and_then(|it| it.set_modified(now));
        }
    }

    /// A folder that cannot be written to, or a full disk, is nothing that a program should hear of.
    pub(super) fn write(&self, key: &Key, object: &[u8]) {
        let number = self.written.fetch_add(1, Ordering::Relaxed);
        if number.is_multiple_of(ROUND) {
            let _ = self.trim(object.len() as u64);
        }
        let unfinished = self.path.join(format!("{key}.{}.{number}.{UNFINISHED}", std::process::id()));
        let written = self.write_as(&unfinished, key, object).and_then(|()| fs::rename(&unfinished, self.file(key)));
        if written.is_err() {
            let _ = fs::remove_file(&unfinished);
        }
    }

    fn write_as(&self, path: &Path, key: &Key, object: &[u8]) -> io::Result<()> {
        let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)?;
        let mut bytes = Vec::with_capacity(HEAD + object.len());
        bytes.extend_from_slice(MARK);
        bytes.extend_from_slice(&key.0);
        bytes.extend_from_slice(&Sha256::digest(object));
        bytes.extend_from_slice(object);
        file.write_all(&bytes)
    }

    pub(super) fn remove(&self, key: &Key) {
        let _ = fs::remove_file(self.file(key));
    }

    /// Makes room: objects that were not used for long go until a quarter is free, and what nobody will finish.
    fn trim(&self, more: u64) -> io::Result<()> {
        let now = SystemTime::now();
        let mut objects = Vec::new();
        let mut bytes = more;
        for (path, is_object, found) in self.files()? {
            let used = found.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            if is_object {
                bytes += found.len();
                objects.push((used, found.len(), path));
            } else if now.duration_since(used).is_ok_and(|it| it > HOUR) {
                let _ = fs::remove_file(path);
            }
        }
        if bytes <= self.limit {
            return Ok(());
        }
        objects.sort();
        for (_, len, path) in objects {
            if bytes <= self.limit / 4 * 3 {
                break;
            }
            if fs::remove_file(path).is_ok() {
                bytes -= len;
            }
        }
        Ok(())
    }

    /// Our files: where each is, whether it is a finished object, and what is known of it.
    fn files(&self) -> io::Result<Vec<(PathBuf, bool, fs::Metadata)>> {
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.path)? {
            let path = entry?.path();
            let is_object = match path.extension().and_then(|it| it.to_str()) {
                Some(OBJECT) => true,
                Some(UNFINISHED) => false,
                _ => continue,
            };
            // Another process may have removed it meanwhile.
            if let Ok(found) = fs::symlink_metadata(&path) {
                files.push((path, is_object, found));
            }
        }
        Ok(files)
    }

    pub(super) fn usage(&self) -> io::Result<Usage> {
        let mut usage = Usage::default();
        for (_, _, found) in self.files()?.iter().filter(|it| it.1) {
            usage.objects += 1;
            usage.bytes += found.len();
        }
        Ok(usage)
    }

    pub(super) fn clear(&self) -> io::Result<Usage> {
        let usage = self.usage()?;
        for (path, ..) in self.files()? {
            match fs::remove_file(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(usage)
    }
}

fn is_whole(key: &Key, bytes: &[u8]) -> bool {
    let Some((head, object)) = bytes.split_at_checked(HEAD) else { return false };
    let (mark, hashes) = head.split_at(MARK.len());
    mark == MARK && hashes[..32] == key.0 && hashes[32..] == Sha256::digest(object)[..]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("snekpy-cache-{name}-{}", std::process::id()));
            let _ = fs::remove_dir_all(&path);
            Self(path)
        }

        fn open(&self, limit: u64) -> Folder {
            Folder::open(&self.0, limit).expect("it can be made")
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn key(number: u8) -> Key {
        Key::of(&[&[number]])
    }

    #[test]
    fn what_is_damaged_is_not_there_and_goes() {
        let scratch = Scratch::new("damaged");
        let folder = scratch.open(1 << 20);
        let whole = |folder: &Folder| {
            folder.write(&key(1), b"an object");
            fs::read(folder.file(&key(1))).expect("it is written")
        };
        let good = whole(&folder);
        assert_eq!(folder.read(&key(1)).as_deref(), Some(&b"an object"[..]));
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 1;
            fs::write(folder.file(&key(1)), &bad).expect("it can be damaged");
            assert_eq!(folder.read(&key(1)), None, "byte {at}");
            assert!(!folder.file(&key(1)).exists(), "byte {at}");
            fs::write(folder.file(&key(1)), &good[..at]).expect("it can be cut off");
            assert_eq!(folder.read(&key(1)), None, "{at} bytes");
        }
        // A whole file under the name of another.
        whole(&folder);
        fs::rename(folder.file(&key(1)), folder.file(&key(2))).expect("it can be renamed");
        assert_eq!(folder.read(&key(2)), None);
        assert_eq!(folder.usage().expect("it is there"), Usage::default());
    }

    #[test]
    fn the_oldest_go() {
        let scratch = Scratch::new("oldest");
        let folder = scratch.open(8 * (1000 + HEAD as u64));
        for number in 0..9 {
            folder.write(&key(number), &[number; 1000]);
            let old = SystemTime::now() - DAY * (20 - u32::from(number));
            let file = File::options().append(true).open(folder.file(&key(number))).expect("it is there");
            file.set_modified(old).expect("it is ours");
        }
        // The first is used again.
        assert!(folder.read(&key(0)).is_some());
        fs::write(folder.path.join("x.1.1.new"), "begun").expect("it can be written");
        let begun = File::options().append(true).open(folder.path.join("x.1.1.new")).expect("it is there");
        begun.set_modified(SystemTime::now() - DAY).expect("it is ours");
        fs::write(folder.path.join("README"), "not ours").expect("it can be written");
        folder.trim(0).expect("it can be read");
        let left: Vec<u8> = (0..9).filter(|it| folder.file(&key(*it)).exists()).collect();
        assert_eq!(left, [0, 4, 5, 6, 7, 8]);
        assert!(!folder.path.join("x.1.1.new").exists());
        assert_eq!(folder.clear().expect("all can go").objects, 6);
        assert_eq!(folder.usage().expect("it is there").objects, 0);
        assert!(folder.path.join("README").exists());
    }

    #[test]
    fn processes_and_threads_write_at_once() {
        let scratch = Scratch::new("threads");
        std::thread::scope(|threads| {
            for _ in 0..8 {
                threads.spawn(|| {
                    let folder = scratch.open(40 * 1000);
                    for round in 0..200_u8 {
                        let number = round % 50;
                        if let Some(found) = folder.read(&key(number)) {
                            assert_eq!(found, [number; 1000]);
                        } else {
                            folder.write(&key(number), &[number; 1000]);
                        }
                    }
                });
            }
        });
        let usage = scratch.open(1).usage().expect("it is there");
        assert!(usage.objects > 0 && usage.bytes < 200 * 1000, "{usage:?}");
    }

    #[test]
    fn a_folder_that_others_may_write_to_is_refused() {
        let scratch = Scratch::new("open");
        scratch.open(1);
        fs::set_permissions(&scratch.0, fs::Permissions::from_mode(0o777)).expect("it is ours");
        let error = Folder::open(&scratch.0, 1).expect_err("anybody may write there");
        assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
        fs::write(scratch.0.join("file"), "").expect("it can be written");
        assert!(Folder::open(&scratch.0.join("file"), 1).is_err());
    }
}
