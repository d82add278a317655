//! How the command is linked: for a quick start, and small.

use std::path::PathBuf;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() != Ok("linux") {
        return;
    }
    // At a fixed address: 100,000 pointers in LLVM's tables need not be relocated at each start.
    println!("cargo:rustc-link-arg-bin=snekpy=-no-pie");
    // Functions of the same code are one, and texts that end alike: five megabytes. Rust's own linker can do that, which
    // is the default for this target.
    let is_lld = std::env::var("TARGET").as_deref() == Ok("x86_64-unknown-linux-gnu");
    if is_lld && std::env::var("PROFILE").as_deref() == Ok("release") {
        println!("cargo:rustc-link-arg-bin=snekpy=-Wl,--icf=all,-O2");
    }
    // With the C++ library inside, as LLVM is: 4,000 of the rest point into it.
    // The linker finds this stand-in before the shared library.
    let folder = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it"));
    std::fs::write(folder.join("libstdc++.so"), "INPUT(-l:libstdc++.a)\n").expect("cargo's folder can be written");
    println!("cargo:rustc-link-search=native={}", folder.display());
}
