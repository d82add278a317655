//! Compiles the one file in C++: see there.

use std::path::Path;
use std::process::Command;

fn main() {
    const SOURCE: &str = "passes/passes.cpp";
    println!("cargo:rerun-if-changed={SOURCE}");
    // Set by llvm-sys, which has found it.
    let config = std::env::var_os("DEP_LLVM_22_CONFIG_PATH").expect("llvm-sys says where llvm-config is");
    let include = includes(Path::new(&config));
    cc::Build::new()
        .cpp(true)
        .std("c++17")
        .flag("-fno-exceptions")
        // LLVM's headers are not ours.
        .flag(format!("-isystem{include}"))
        // As Debian's LLVM was compiled.
        .define("NDEBUG", None)
        .define("_GNU_SOURCE", None)
        // llvm-sys links it.
        .cpp_link_stdlib(None)
        .file(SOURCE)
        .compile("snekpy_passes");
}

/// The folder of LLVM's headers.
fn includes(config: &Path) -> String {
    let output = Command::new(config).arg("--includedir").output().expect("llvm-config starts");
    String::from_utf8(output.stdout).expect("a path is text").trim().to_owned()
}
