//! Tables of operations: each row is introduced in one place.

/// What to do with a row of a table that is a constant, so that a loop is compiled for it alone.
pub(crate) trait Known {
    type Output;
    fn with<const ROW: u8>(self) -> Self::Output;
}

/// The rows of a table as an enum with `ALL`, `text` and `doc`.
macro_rules! table {
    ($(#[doc = $about:literal])* pub enum $name:ident { $($(#[doc = $doc:literal])* $variant:ident = $text:literal,)* }) => {
        $(#[doc = $about])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub enum $name {
            $($(#[doc = $doc])* $variant,)*
        }

        impl $name {
            /// Every row, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The word.
            pub const fn text(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)*
                }
            }

            /// Goes on with the row as a constant.
            #[allow(dead_code, reason = "not every family has loops of its own for each row")]
            fn known<K: $crate::tensor::table::Known>(self, then: K) -> K::Output {
                match self {
                    $(Self::$variant => then.with::<{ Self::$variant as u8 }>(),)*
                }
            }

            /// The row of this word.
            pub fn from_text(text: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|it| it.text() == text)
            }
        }
    };
}

pub(crate) use table;
