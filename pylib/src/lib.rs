//! The Python half of the standard library, frozen: RustPython's, packed more tightly, without what needs Tk.

use rustpython_compiler_core::frozen::FrozenLib;

/// The modules. Each is unpacked when it is imported.
pub const FROZEN_STDLIB: &FrozenLib =
    FrozenLib::from_ref(include_bytes!(concat!(env!("OUT_DIR"), "/frozen")).as_slice());
