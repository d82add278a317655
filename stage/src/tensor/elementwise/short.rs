//! Short rows beside something stretched: `x - x.max(axis=1, keepdims=True)` of ten columns, `x + bias`.
//!
//! A loop for each row would take longer to begin than to run. What is stretched is written out for some rows at a time, in
//! the first cache, and one loop goes through all of them.

use super::apply::Rows;
use crate::tensor::trace;
use crate::tensor::walk::{Walk, worth};
use crate::threads::{self, Shared};

/// Rows that are longer begin soon enough.
const SHORT: usize = 64;
/// Fewer rows are not worth it.
const FEW: usize = 4;
/// What is stretched, in bytes.
const ROOM: usize = 4096;

/// How an operand lies, in units of its elements.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lies {
    /// As the result does.
    Side,
    /// One element for each row.
    Each,
    /// The same row each time.
    Same,
}

/// Fills the result, if it is a matrix of short rows and one operand of two is stretched. Whether it was.
pub(super) fn fill(rows: Rows<3>, walk: &Walk<3>, starts: [*mut u8; 3]) -> bool {
    let Some((count, far, n, near)) = walk.two_loops() else { return false };
    let (out, size) = (rows.gives.size() as isize, rows.takes.size() as isize);
    if n > SHORT || count < FEW || near[0] != out || far[0] != n as isize * out || trace::is_for_shapes() {
        return false;
    }
    let lies = |it: usize| match (near[it], far[it]) {
        (near, far) if near == size && far == n as isize * size => Some(Lies::Side),
        (0, _) => Some(Lies::Each),
        (near, 0) if near == size => Some(Lies::Same),
        _ => None,
    };
    let (stretched, how) = match [lies(1), lies(2)] {
        [Some(how @ (Lies::Each | Lies::Same)), Some(Lies::Side)] => (1, how),
        [Some(Lies::Side), Some(how @ (Lies::Each | Lies::Same))] => (2, how),
        _ => return false,
    };
    let shared = Shared(starts);
    let part = |first: usize, count: usize| {
        let shared = &shared;
        let mut at: [*mut u8; 3] = std::array::from_fn(|it| shared.0[it].wrapping_offset(first as isize * far[it]));
        let mut room = [0_u64; ROOM / 8];
        let room = room.as_mut_ptr().cast::<u8>();
        let most = ROOM / (n * size as usize);
        for (number, from) in (0..count).step_by(most).enumerate() {
            let now = most.min(count - from);
            // SAFETY: the walk stays inside all views, and so many rows fit into the room.
            unsafe {
                match how {
                    Lies::Same if number == 0 => {
                        let bytes = n * size as usize;
                        (0..now).for_each(|row| at[stretched].copy_to_nonoverlapping(room.add(row * bytes), bytes));
                    }
                    Lies::Each => match size {
                        1 => repeat::<u8>(at[stretched], far[stretched], room, now, n),
                        2 => repeat::<u16>(at[stretched], far[stretched], room, now, n),
                        4 => repeat::<u32>(at[stretched], far[stretched], room, now, n),
                        _ => repeat::<u64>(at[stretched], far[stretched], room, now, n),
                    },
                    Lies::Same | Lies::Side => {}
                }
                let mut ptrs = at;
                ptrs[stretched] = room;
                (rows.run)(ptrs, [out, size, size], now * n);
            }
            for (at, far) in at.iter_mut().zip(far) {
                *at = at.wrapping_offset(now as isize * far);
            }
        }
    };
    let least = worth(rows.is_long);
    if count * n < 2 * least {
        part(0, count);
    } else {
        threads::share(count, 1, least.div_ceil(n), |it| part(it.start, it.len()));
    }
    true
}

/// Writes each of some elements `n` times.
///
/// # Safety
/// There are so many, and there is room; both are aligned.
unsafe fn repeat<T: Copy>(from: *const u8, step: isize, to: *mut u8, count: usize, n: usize) {
    for row in 0..count {
        // SAFETY: the caller says so.
        unsafe {
            let item = *from.offset(row as isize * step).cast::<T>();
            std::slice::from_raw_parts_mut(to.cast::<T>().add(row * n), n).fill(item);
        }
    }
}
