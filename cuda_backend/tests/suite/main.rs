//! Tests of the device back ends, in one binary. Those that need what a machine may not have (ptxas, a GPU) are
//! counted as ignored where it is missing.

mod bodies;
mod executors;
mod generate;
mod gpu;
mod ops;
mod products;
mod ptx;
mod support;
mod sweeps;
mod tensors;
mod times;
mod together;

use libtest_mimic::{Arguments, Failed, Trial};

/// A test that is a function.
fn trial(name: &str, test: fn()) -> Trial {
    Trial::test(name, move || {
        test();
        Ok::<(), Failed>(())
    })
}

fn main() {
    let mut trials = executors::trials();
    trials.extend(ptx::trials());
    trials.extend(tensors::trials());
    trials.extend(products::trials());
    trials.extend(times::trials());
    trials.extend(gpu::trials());
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}
