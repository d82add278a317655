//! What an object is found by.

use std::fmt;

use sha2::{Digest, Sha256};

/// The hash of all that an object follows from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Key(pub(super) [u8; 32]);

impl Key {
    /// The key of these parts. Where one ends and the next begins counts.
    pub(crate) fn of(parts: &[&[u8]]) -> Self {
        let mut hash = Sha256::new();
        for part in parts {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        Self(hash.finalize().into())
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|it| write!(f, "{it:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::Key;

    #[test]
    fn parts_do_not_run_together() {
        assert_ne!(Key::of(&[b"ab", b"c"]), Key::of(&[b"a", b"bc"]));
        assert_eq!(Key::of(&[b"ab"]).to_string().len(), 64);
    }
}
