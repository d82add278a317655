//! The Python half is compiled into this crate by a macro, of whose reading Cargo does not know.

fn main() {
    println!("cargo:rerun-if-changed=python");
}
