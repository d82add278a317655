//! On a GPU: the same bits as on the SIMT executor, which computes with the same functions.
//!
//! Ignored where there is no GPU.

use libtest_mimic::{Failed, Trial};
use snekpy_cuda::driver::devices;
use snekpy_cuda::{Cuda, Simt};
use snekpy_stage::kernel::{Kernel, KernelBackend};
use snekpy_stage::tensor::Dtype;
use snekpy_stage::tensor::device::together::Part;

use crate::generate::{self, Functions, LEN, Random};
use crate::support::{Inputs, kernel, run};
use crate::{executors, ops, products, sweeps, tensors, times, together};

/// How many random bodies run, in so many tests.
const RANDOM: u64 = 400;
const PARTS: u64 = 8;
const RANDOM_SWEEPS: u64 = 150;

/// The tests of this file.
pub(crate) fn trials() -> Vec<Trial> {
    let is_missing = devices().map_or(true, |devices| devices.is_empty());
    let mut trials = vec![
        Trial::test("without a driver or device there is an error", says_what_is_missing)
            .with_ignored_flag(!is_missing),
    ];
    for case in ops::cases() {
        let name = format!("a GPU computes {}", case.name);
        let test = move || {
            let kernel = case.kernel();
            let shape = vec![LEN as u64; kernel.rank];
            (0..4).try_for_each(|seed| same(&kernel, &shape, &Inputs::new(&kernel, seed)))
        };
        trials.push(Trial::test(name, test).with_ignored_flag(is_missing));
    }
    for part in 0..PARTS {
        let test = move || {
            (0..RANDOM).filter(|seed| seed % PARTS == part).try_for_each(|seed| {
                let kernel = generate::kernel(seed, Functions::All);
                let shape = executors::shape(kernel.rank, &mut Random(seed));
                same(&kernel, &shape, &Inputs::new(&kernel, seed)).map_err(|it| format!("seed {seed}: {it:?}").into())
            })
        };
        trials.push(Trial::test(format!("a GPU runs random bodies, part {part}"), test).with_ignored_flag(is_missing));
    }
    for (name, source) in [
        ("mandelbrot", include_str!("kernels/mandelbrot.sir")),
        ("a sum of floats", include_str!("kernels/sum_float.sir")),
        ("a sum of ints", include_str!("kernels/sum_int.sir")),
    ] {
        let test = move || {
            let kernel = kernel(source);
            match kernel.rank {
                2 => same(&kernel, &[61, 83], &Inputs::of_slots(vec![200, 0.05_f64.to_bits()])),
                _ => [0, 1, 255, 4096, 4097, 50_000]
                    .iter()
                    .try_for_each(|&count| same(&kernel, &[count], &Inputs::of_slots(Vec::new()))),
            }
        };
        trials.push(Trial::test(format!("a GPU runs {name}"), test).with_ignored_flag(is_missing));
    }
    let random = (0..RANDOM_SWEEPS).map(sweeps::random);
    let rows = [10, 1000, 1500, 8192, 32768].into_iter().flat_map(|len| {
        [Dtype::F16, Dtype::Bf16, Dtype::F32, Dtype::F64].into_iter().flat_map(move |it| {
            let functions = [sweeps::softmax, sweeps::layer_norm, sweeps::log_softmax, sweeps::zeros];
            functions.map(|function| function(it, 5, len))
        })
    });
    let steep = [100, 8192].map(|len| sweeps::steep_softmax(200, len));
    let placed = [false, true].map(|in_rows| sweeps::placed(Dtype::F32, 300, 10, in_rows));
    for case in sweeps::jobs().into_iter().chain(random).chain(rows).chain(steep).chain(placed) {
        let name = format!("a GPU computes {}", case.name);
        trials.push(Trial::test(name, move || same_sweep(&case)).with_ignored_flag(is_missing));
    }
    for it in together::LOOPS {
        let name = format!("a GPU's kernel of one block is its kernels: {it:?}");
        trials.push(Trial::test(name, move || same_in_one_block(it)).with_ignored_flag(is_missing));
    }
    for case in (0..RANDOM_SWEEPS).map(sweeps::random) {
        let name = format!("a GPU computes {} in one block", case.name);
        trials.push(Trial::test(name, move || same_as_part(&case)).with_ignored_flag(is_missing));
    }
    let same = tensors::same("a GPU", || Cuda::new(0));
    trials.extend(same.into_iter().map(|it| it.with_ignored_flag(is_missing)));
    trials.push(
        Trial::test("a GPU is copied to while it computes", || tensors::copied_on(&Cuda::new(0), 60, [1500, 1000]))
            .with_ignored_flag(is_missing),
    );
    trials.push(
        Trial::test("a GPU makes products within their bounds", || {
            tensors::waiting_products_on(&Cuda::new(0).without_libraries())?;
            products::multiplied_on(&Cuda::new(0).without_libraries())
        })
        .with_ignored_flag(is_missing),
    );
    for columns in [256, 128] {
        let by_tiles: [(&str, Tiled); 3] = [
            ("take the right elements", |it| {
                products::takes_the_right_elements(it, &[[128, 256, 64], [300, 600, 200], [17, 264, 16]])
            }),
            ("are within their bounds", |it| products::shapes_multiplied_on(it, &products::HALVES, &products::TILED)),
            ("have epilogues", |it| products::has_epilogues(it, &products::HALVES, &products::TILED)),
        ];
        for (what, test) in by_tiles {
            let name = format!("a GPU's products by tiles of {columns} columns {what}");
            let test = move || test(&Cuda::new(0).with_tiles(columns));
            trials.push(Trial::test(name, test).with_ignored_flag(is_missing));
        }
    }
    for dtype in products::CHAINS.into_iter().chain(products::HALVES) {
        let small: [(&str, Tested); 3] = [
            ("are within their bounds", |dtype| {
                products::shapes_multiplied_on(&Cuda::new(0).without_libraries(), &[dtype], &products::SMALL)
            }),
            ("have epilogues", |dtype| {
                products::has_epilogues(&Cuda::new(0).without_libraries(), &[dtype], &products::SMALL)
            }),
            ("are within their bounds by libraries", |dtype| {
                products::shapes_multiplied_on(&Cuda::new(0), &[dtype], &products::SMALL[..5])
            }),
        ];
        for (what, test) in small {
            let name = format!("a GPU's small products of {dtype} {what}");
            trials.push(Trial::test(name, move || test(dtype)).with_ignored_flag(is_missing));
        }
    }
    for tile in [128, 64, 32, 16] {
        let test = move || {
            let by = Cuda::new(0).with_tiles(tile);
            products::shapes_multiplied_on(&by, &products::CHAINS, &products::SMALL)?;
            products::has_epilogues(&by, &products::CHAINS, &products::SMALL[3..6])
        };
        let name = format!("a GPU's products by tiles of {tile}, thread by thread, are within their bounds");
        trials.push(Trial::test(name, test).with_ignored_flag(is_missing));
    }
    let is_asked = std::env::var_os("SNEKPY_TIMES").is_some();
    trials.push(
        Trial::test("a GPU's products take so long", times::take_so_long).with_ignored_flag(is_missing || !is_asked),
    );
    trials.push(
        Trial::test("a GPU finds elements at positions", || tensors::gathered_on(&Cuda::new(0)))
            .with_ignored_flag(is_missing),
    );
    trials
}

/// A test of products.
type Tiled = fn(&dyn KernelBackend) -> Result<(), Failed>;

/// One of a dtype.
type Tested = fn(Dtype) -> Result<(), Failed>;

fn same_sweep(case: &sweeps::Case) -> Result<(), Failed> {
    let simt = Simt::default();
    let (here, there) = (simt.device()?, Cuda::new(0).device()?);
    let expected = sweeps::run(case, &here, &*simt.sweep(&case.sweep))?;
    let found = sweeps::run(case, &there, &*there.sweep(&case.sweep)?)?;
    Ok(sweeps::same(case, &found, &expected)?)
}

/// Products by kernels of our own, as those of one block are.
fn same_in_one_block(it: together::Loop) -> Result<(), Failed> {
    let device = Cuda::new(0).without_libraries().device()?;
    let expected = it.one_by_one(&device)?;
    let code = device.together(&it.parts())?;
    // SAFETY: the memory was allocated for it.
    let found = it.run(&device, |rounds| unsafe { code.run(rounds) })?;
    if found == expected { Ok(()) } else { Err("the bits are others".into()) }
}

fn same_as_part(case: &sweeps::Case) -> Result<(), Failed> {
    let device = Cuda::new(0).device()?;
    let expected = sweeps::run(case, &device, &*device.sweep(&case.sweep)?)?;
    let parts = [Part { sweep: case.sweep.clone(), product: None }];
    let found = sweeps::run(case, &device, &together::Alone(device.together(&parts)?))?;
    Ok(sweeps::same(case, &found, &expected)?)
}

fn same(kernel: &Kernel, shape: &[u64], inputs: &Inputs) -> Result<(), Failed> {
    let expected = run(&Simt::default(), kernel, shape, inputs)?;
    let found = run(&Cuda::new(0), kernel, shape, inputs)?;
    if found == expected { Ok(()) } else { Err(format!("{found:?}\nis not\n{expected:?}\n{kernel}").into()) }
}

fn says_what_is_missing() -> Result<(), Failed> {
    let kernel = kernel(include_str!("kernels/mandelbrot.sir"));
    match run(&Cuda::new(0), &kernel, &[1, 1], &Inputs::of_slots(vec![1, 0])) {
        Err(message) if message.starts_with("CUDA") => Ok(()),
        other => Err(format!("{other:?}").into()),
    }
}
