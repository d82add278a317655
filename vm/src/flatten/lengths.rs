//! Which sizes of arrays are a part of the key.
//!
//! The first size that is seen at a place is static: loops over it have known trip counts. From the second
//! one on, the size is a value, so that a program that calls with ever new sizes does not compile for ever.

use std::collections::HashMap;

use snekpy_stage::types::Elem;

use crate::exit::Root;

/// The sizes of the arrays that one function was called with.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lengths {
    seen: HashMap<(Root, Elem), Seen>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Seen {
    /// Always this.
    Once(u64),
    /// Several.
    Several,
}

impl Lengths {
    /// The size that an array at this place has as a part of its type.
    pub(super) fn see(&mut self, root: &Root, elem: Elem, len: u64) -> Option<u64> {
        let seen = self.seen.entry((root.clone(), elem)).or_insert(Seen::Once(len));
        if *seen != Seen::Once(len) {
            *seen = Seen::Several;
        }
        match *seen {
            Seen::Once(len) => Some(len),
            Seen::Several => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_size_makes_it_a_value() {
        let mut lengths = Lengths::default();
        let (a, b) = (Root { local: 0, path: vec![] }, Root { local: 1, path: vec![2] });
        assert_eq!(lengths.see(&a, Elem::F64, 3), Some(3));
        assert_eq!(lengths.see(&a, Elem::F64, 3), Some(3));
        assert_eq!(lengths.see(&a, Elem::F64, 4), None);
        assert_eq!(lengths.see(&a, Elem::F64, 3), None);
        assert_eq!(lengths.see(&a, Elem::I64, 9), Some(9), "another type, another place");
        assert_eq!(lengths.see(&b, Elem::F64, 4), Some(4));
    }
}
