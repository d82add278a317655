//! The `snekpy` command.
//!
//! This is the edge: arguments, environment, terminal and exit codes are dealt with here and in
//! `cli`, and the libraries get plain option structs.

mod cli;

#[global_allocator]
static ALLOCATOR: cli::memory::Counted = cli::memory::Counted;

fn main() {
    let invocation = cli::args::parse(std::env::args_os());
    cli::thread::run(move || cli::run::run(invocation))
}
