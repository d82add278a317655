//! What tells `wgmma` how a factor lies in shared memory.
//!
//! Both factors are as the copy engine leaves them: rows of 128 bytes, one behind the other, whose chunks of 16 bytes are
//! exchanged in a pattern that repeats after eight rows. Rows of the first are rows of the matrix (its inner dimension goes
//! across); rows of the second are of the inner dimension, and 64 columns wide.

/// Chunks are exchanged over 128 bytes.
const EXCHANGED: u64 = 1 << 62;
/// Eight rows of 128 bytes.
const EIGHT_ROWS: u64 = 1024;
/// Addresses and distances are told in these units.
pub(super) const UNIT: u64 = 16;
/// The bits of a descriptor that say where a matrix begins.
pub(super) const ADDRESS: u64 = 0x3fff;

/// All of a descriptor but the address. The distance in bits 32 to 45 is that of the next eight rows of 128 bytes. The one in
/// bits 16 to 29 is that of the next 64 columns of the second factor; the first has no use for it.
const fn layout(next_columns: u64) -> u64 {
    EXCHANGED | (EIGHT_ROWS / UNIT) << 32 | (next_columns / UNIT) << 16
}

/// The first factor's.
pub(super) const fn first() -> u64 {
    layout(UNIT)
}

/// The second factor's, whose next 64 columns are so many bytes away.
pub(super) const fn second(next_columns: u64) -> u64 {
    layout(next_columns)
}
