//! How long products take on a GPU, by each way to make them.

use std::io::Write as _;
use std::sync::Arc;
use std::time::Instant;

use libtest_mimic::{Failed, Trial};
use snekpy_cuda::{Cuda, Simt};
use snekpy_stage::kernel::KernelBackend;
use snekpy_stage::tensor::device::sweep::{Given, Run, SweepCode};
use snekpy_stage::tensor::device::{Device, Epilogue, Product, Use};
use snekpy_stage::tensor::{Dtype, Tensor, TensorError, contract, layout};

use crate::products::random;
use crate::ptx::dense;

/// The tests of this file.
pub(crate) fn trials() -> Vec<Trial> {
    vec![Trial::test("what is timed on a GPU runs on the simulated one", || {
        let device = Simt::default().device()?;
        [true, false].into_iter().try_for_each(|it| of_launches(&device, Dtype::F32, [5, 9, 7], it, 1).map(drop))
    })]
}

/// Rows, columns and inner dimensions of layers of small nets, in singles, and of other products.
const SHAPES: [(Dtype, [usize; 3]); 11] = [
    (Dtype::F32, [64, 256, 320]),
    (Dtype::F32, [64, 256, 256]),
    (Dtype::F32, [64, 50, 784]),
    (Dtype::F32, [64, 10, 50]),
    (Dtype::F32, [8192, 50, 784]),
    (Dtype::F32, [512, 512, 512]),
    (Dtype::F32, [1024, 1024, 1024]),
    (Dtype::F64, [64, 256, 320]),
    (Dtype::Bf16, [64, 256, 320]),
    (Dtype::Bf16, [4096, 4096, 1024]),
    (Dtype::Bf16, [4096, 4096, 4096]),
];

/// Says how long products take, with something behind them and without.
pub(crate) fn take_so_long() -> Result<(), Failed> {
    let [library, own] = [Cuda::new(0).apart(), Cuda::new(0).without_libraries()];
    let devices = [library.device()?, own.device()?];
    let tiles = [16, 32, 64, 128].map(|it| (it, Cuda::new(0).with_tiles(it).device()));
    for (dtype, shape) in SHAPES {
        let [m, n, k] = shape;
        let mut took = Vec::new();
        for (device, whose) in devices.iter().zip(["a library's", "our own"]) {
            for (follows, what) in [(false, ""), (true, " with max(. + row, 0)")] {
                let it = of_launches(device, dtype, shape, follows, 100)?;
                took.push(format!("{whose}{what} {:.2} us", it * 1e6));
            }
        }
        // Which tile would have been best.
        for (columns, device) in tiles.iter().filter(|_| dtype == Dtype::F32) {
            let device = device.as_ref().map_err(ToString::to_string)?;
            took.push(format!("tiles of {columns} {:.2} us", of_launches(device, dtype, shape, true, 100)? * 1e6));
        }
        writeln!(std::io::stderr(), "product {dtype} {m}x{k} by {k}x{n}: {}", took.join(", "))?;
    }
    of_squares()
}

/// The seconds that a product takes on a device, as one of many in a graph, each of which waits for the one before it.
fn of_launches(
    device: &Arc<dyn Device>,
    dtype: Dtype,
    [m, n, k]: [usize; 3],
    follows: bool,
    times: usize,
) -> Result<f64, Failed> {
    let sizes = [m * k, k * n, n, m * n, m * n].map(|it| it * dtype.size());
    let mut blocks = Vec::new();
    for bytes in sizes {
        let address = device.allocate(bytes, "a time", Use::Filled)?;
        device.upload(address, &vec![0; bytes])?;
        blocks.push(address);
    }
    let [a, b, row, to, end] = blocks[..] else { unreachable!("there are five") };
    let product = Product { dtype, m, n, k, a, tail: None, b, to };
    let epilogue = dense(dtype);
    let memory = |first: u64, steps: &[i64], bytes: usize| Given::Memory {
        first,
        steps: steps.to_vec(),
        inside: (first, first + bytes as u64),
    };
    let inputs = vec![memory(to, &[n as i64], sizes[3]), memory(row, &[0, 1], sizes[2]), Given::Number(0)];
    let run = Run { dims: vec![m, n], inputs, outputs: vec![end], to_steps: Vec::new() };
    let code = device.sweep(&epilogue.sweep)?;
    let begin = || begun(device, &product, follows.then_some((&epilogue, &run)), &*code);
    // Code is compiled, and libraries are looked for.
    begin()?;
    let mut work = || (0..times).try_for_each(|_| begin());
    let graph = device.capture(&mut work).transpose()?;
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        device.download(end, &mut [0; 4], &mut || {})?;
        let began = Instant::now();
        graph.as_ref().map_or_else(|| (0..times).try_for_each(|_| begin()), |it| it.launch())?;
        device.download(end, &mut [0; 4], &mut || {})?;
        best = best.min(began.elapsed().as_secs_f64() / times as f64);
    }
    drop(graph);
    for (address, bytes) in blocks.into_iter().zip(sizes) {
        device.free(address, bytes);
    }
    Ok(best)
}

fn begun(
    device: &Arc<dyn Device>,
    product: &Product,
    follows: Option<(&Epilogue, &Run)>,
    code: &dyn SweepCode,
) -> Result<(), TensorError> {
    let no_kernel = || TensorError::Value("the device has no kernel for this product".to_owned());
    let Some((epilogue, run)) = follows else {
        return device.multiply(product).ok_or_else(no_kernel)?;
    };
    if let Some(done) = device.multiply_into(product, epilogue, run) {
        return done;
    }
    device.multiply(product).ok_or_else(no_kernel)??;
    // SAFETY: the memory is that of the sweep.
    unsafe { code.run(run) }.map_err(|error| TensorError::Value(error.to_string()))
}

fn of_squares() -> Result<(), Failed> {
    let own = || Cuda::new(0).without_libraries();
    let ways = [
        ("as usual", Dtype::Bf16, 8192, Cuda::new(0)),
        ("own kernel", Dtype::Bf16, 8192, own()),
        ("tiles of 256", Dtype::Bf16, 8192, Cuda::new(0).with_tiles(256)),
        ("tiles of 128", Dtype::Bf16, 8192, Cuda::new(0).with_tiles(128)),
        ("as usual", Dtype::F16, 8192, Cuda::new(0)),
        ("own kernel", Dtype::F16, 8192, own()),
        ("own kernel", Dtype::Bf16, 2048, own()),
        ("own kernel", Dtype::Bf16, 1024, own()),
        ("own kernel, rows not aligned", Dtype::Bf16, 4095, own()),
        ("as usual", Dtype::F32, 4096, Cuda::new(0)),
        ("own kernel", Dtype::F32, 4096, own()),
        ("tiles of 128", Dtype::F32, 4096, Cuda::new(0).with_tiles(128)),
        ("tiles of 64", Dtype::F32, 4096, Cuda::new(0).with_tiles(64)),
        ("tiles of 128", Dtype::F32, 1024, Cuda::new(0).with_tiles(128)),
        ("tiles of 64", Dtype::F32, 1024, Cuda::new(0).with_tiles(64)),
        ("tiles of 32", Dtype::F32, 1024, Cuda::new(0).with_tiles(32)),
    ];
    for (what, dtype, side, backend) in ways {
        let took = match seconds(&backend, dtype, side) {
            Ok(it) => format!("{:.4} ms, {:.1} TFLOP/s", it * 1e3, 2.0 * (side as f64).powi(3) / it / 1e12),
            Err(error) => format!("{error:?}"),
        };
        writeln!(std::io::stderr(), "product {dtype} {side}, {what}: {took}")?;
    }
    Ok(())
}

fn seconds(backend: &dyn KernelBackend, dtype: Dtype, side: usize) -> Result<f64, Failed> {
    const TIMES: u32 = 10;
    let device = backend.device()?;
    let rows = random(dtype, &[63, side], 0)?.to_device(&device)?;
    let all = layout::concat(&vec![rows; side.div_ceil(63)], 0)?;
    let a = layout::slice(&all, 0, 0, side, 1);
    let wait = |x: &Tensor| layout::slice(x, 0, 0, 1, 1).to_host().map(drop);
    let mut best = f64::INFINITY;
    for _ in 0..4 {
        wait(&a)?;
        let began = Instant::now();
        let mut last = None;
        for _ in 0..TIMES {
            let product = contract::matmul(&a, &a)?;
            product.begin()?;
            last = Some(product);
        }
        wait(&last.expect("there is one"))?;
        best = best.min(began.elapsed().as_secs_f64() / f64::from(TIMES));
    }
    Ok(best)
}
