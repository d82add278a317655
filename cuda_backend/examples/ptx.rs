//! Prints the PTX of a kernel in its text form: `cargo run -p snekpy-cuda --example ptx -- FILE [fast]`.

use std::process::ExitCode;

use snekpy_cuda::Cuda;
use snekpy_stage::kernel::{KernelBackend, parse};

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let read = |file: &String| -> Result<String, String> {
        let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
        let kernel = parse(&text).map_err(|error| error.to_string())?;
        let cuda = if args.iter().any(|it| it == "fast") { Cuda::new(0).fast() } else { Cuda::new(0) };
        let form = if args.iter().any(|it| it == "llvm") { "llvm" } else { "ptx" };
        cuda.inspect(&kernel, form).map_err(|error| error.to_string())
    };
    match args.first().map(read) {
        Some(Ok(text)) => {
            #[allow(clippy::print_stdout, reason = "printing is what it is for")]
            {
                print!("{text}");
            }
            ExitCode::SUCCESS
        }
        Some(Err(message)) => {
            #[allow(clippy::print_stderr, reason = "printing is what it is for")]
            {
                eprintln!("{message}");
            }
            ExitCode::FAILURE
        }
        None => ExitCode::FAILURE,
    }
}
