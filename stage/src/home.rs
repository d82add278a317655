//! Homes of tensors: this machine's memory, and that of each device.
//!
//! A home is part of the type of a tensor, so that code is made for it. It is a number that stands for the device's name;
//! names are kept for good.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Where a tensor lies.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Home(u8);

/// The names of devices, by number less one.
static NAMES: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());

fn names() -> MutexGuard<'static, Vec<&'static str>> {
    NAMES.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Home {
    /// This machine's memory.
    pub const HERE: Self = Self(0);

    /// The memory of the device of this name; `None` if there are too many.
    pub fn on(device: &str) -> Option<Self> {
        let mut names = names();
        let at = match names.iter().position(|it| *it == device) {
            Some(at) => at,
            None if names.len() < usize::from(u8::MAX) => {
                names.push(Box::leak(device.into()));
                names.len() - 1
            }
            None => return None,
        };
        u8::try_from(at + 1).ok().map(Self)
    }

    /// The name of the device, if it is one's memory.
    pub fn device(self) -> Option<&'static str> {
        usize::from(self.0).checked_sub(1).map(|at| names()[at])
    }

    /// Whether it is a device's memory.
    pub const fn is_there(self) -> bool {
        self.0 != 0
    }
}

/// The name of the device, or `cpu`.
impl fmt::Display for Home {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.device().unwrap_or("cpu"))
    }
}
