//! Packs the modules that RustPython has frozen, more tightly.
//!
//! Its compressor is made for speed; the format is the same, and so is the time that unpacking takes.

use std::path::PathBuf;

use lz4::block::{CompressionMode, compress, decompress};
use rustpython_compiler_core::frozen::{FrozenCodeObject, FrozenLib, FrozenModule};

/// Packages that need Tk, for which there is no native half: left out, as by Debian's python3.
const NEED_TK: [&str; 4] = ["idlelib", "tkinter", "turtle", "turtledemo"];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let modules = rustpython_pylib::FROZEN_STDLIB.decode();
    let kept: Vec<_> = modules
        .filter(|(name, _)| !NEED_TK.contains(&name.split('.').next().unwrap_or_default()))
        .map(|(name, module)| (name, pack(module)))
        .collect();
    let packed = FrozenLib::encode(kept.iter().map(|(name, module)| (*name, borrowed(module))));
    let folder = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it"));
    std::fs::write(folder.join("frozen"), packed.bytes).expect("cargo's folder can be written");
}

fn pack(module: FrozenModule<&[u8]>) -> FrozenModule<Vec<u8>> {
    let code = decompress(module.code.bytes, None).expect("it was packed by RustPython");
    let bytes = compress(&code, Some(CompressionMode::HIGHCOMPRESSION(12)), true).expect("there is memory");
    FrozenModule { code: FrozenCodeObject { bytes }, package: module.package }
}

fn borrowed(module: &FrozenModule<Vec<u8>>) -> FrozenModule<&[u8]> {
    FrozenModule { code: FrozenCodeObject { bytes: &module.code.bytes }, package: module.package }
}
