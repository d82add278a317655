//! How the command is linked.

fn main() {
    // At a fixed address: 100,000 pointers in LLVM's tables need not be relocated at each start.
    println!("cargo:rustc-link-arg-bin=snekpy=-no-pie");
    println!("cargo:rerun-if-changed=build.rs");
}
