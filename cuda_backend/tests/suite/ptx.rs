//! PTX: a few kernels as they are written, and every op through NVIDIA's assembler.
//!
//! The assembler is `ptxas` of PyPI's CUDA wheels; `scripts/ptxas` puts it where these tests look. Without it they are
//! ignored.

use std::path::{Path, PathBuf};
use std::process::Command;

use libtest_mimic::{Failed, Trial};
use snekpy_cuda::prepare::Care;
use snekpy_cuda::product::wgmma::Wgmma;
use snekpy_cuda::ptx::{PtxOptions, ptx};
use snekpy_cuda::{product, sweep, together as one_block};
use snekpy_llvm::ObjectCache;
use snekpy_stage::kernel::{Form, Kernel};
use snekpy_stage::tensor::Dtype;
use snekpy_stage::tensor::device::Epilogue;
use snekpy_stage::tensor::device::sweep::{Access, Input, Job, Level, Member, Sweep, Value};
use snekpy_stage::tensor::device::together::Part;
use snekpy_stage::tensor::elementwise::{Num2, Real1};

use crate::generate::{self, Functions};
use crate::support::kernel;
use crate::trial;
use crate::{bodies, ops, sweeps, together};

/// The architectures that there is code for.
const ARCHS: [u32; 2] = [80, 90];
/// How many random bodies are assembled.
const RANDOM: u64 = 60;

/// The tests of this file.
pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = vec![
        trial("strict_code_contracts_nothing", strict_code_contracts_nothing),
        trial("what_is_covered_has_no_checks", what_is_covered_has_no_checks),
        trial("what_was_made_before_is_found", what_was_made_before_is_found),
    ];
    for name in KERNELS {
        trials.push(Trial::test(format!("ptx of {name} is as recorded"), move || golden(name)));
    }
    let assembler = assembler();
    let mut assembles = |name: String, write: Write| {
        let assembler = assembler.clone();
        let is_missing = assembler.is_none();
        let test = move || {
            let assembler = assembler.as_deref().expect("it is ignored without one");
            ARCHS.into_iter().try_for_each(|arch| assemble(assembler, &write(arch)?).map(drop))
        };
        trials.push(Trial::test(format!("ptxas takes {name}"), test).with_ignored_flag(is_missing));
    };
    for case in ops::cases() {
        assembles(case.name.clone(), of_kernel(case.kernel()));
    }
    for seed in 0..RANDOM {
        assembles(format!("random body {seed}"), of_kernel(generate::kernel(seed, Functions::All)));
    }
    for (name, kernel) in bodies::all() {
        assembles(name, of_kernel(kernel));
    }
    let of_bits = [1000, 3000].map(|len| sweeps::bits_in_rows(1, len));
    let placed = [false, true].map(|in_rows| sweeps::placed(Dtype::F32, 3, 10, in_rows));
    for case in sweeps::jobs().into_iter().chain((0..RANDOM).map(sweeps::random)).chain(of_bits).chain(placed) {
        assembles(case.name.clone(), of_sweep(case));
    }
    let sweeps: Vec<Part> = (0..RANDOM).map(|it| Part { sweep: sweeps::random(it).sweep, product: None }).collect();
    for (number, parts) in sweeps.chunks(6).enumerate() {
        assembles(format!("random kernel of one block {number}"), of_parts(parts.to_vec()));
    }
    let products: [(Dtype, &[Tiled]); 4] = [
        (
            Dtype::F16,
            &[(64, 16, false), (64, 16, true), (64, 2, false), (32, 16, false), (32, 16, true), (32, 4, false)],
        ),
        (Dtype::Bf16, &[(64, 16, false), (64, 2, false), (32, 8, false)]),
        (
            Dtype::F32,
            &[
                (128, 16, false),
                (128, 4, true),
                (64, 16, false),
                (64, 16, true),
                (64, 4, false),
                (32, 16, true),
                (32, 8, false),
                (16, 16, false),
                (16, 16, true),
                (16, 8, true),
                (16, 4, true),
            ],
        ),
        (Dtype::F64, &[(64, 16, false), (64, 8, false), (32, 16, false), (16, 16, true), (16, 8, false)]),
    ];
    let products = products.into_iter().flat_map(|(dtype, all)| {
        all.iter().map(move |&(tile, copied, follows)| {
            let name = format!("product_{dtype}_{tile}_by_{copied}{}", if follows { "_dense" } else { "" });
            let variant = product::Variant { dtype, tile, copied, split: false };
            (name, of_product(variant, follows.then(|| dense(dtype))))
        })
    });
    // Factors in two parts.
    let split = [(Dtype::F32, 128), (Dtype::F32, 64), (Dtype::F32, 16), (Dtype::F64, 64), (Dtype::F64, 16)];
    let split = split.into_iter().map(|(dtype, tile)| {
        let variant = product::Variant { dtype, tile, copied: 16, split: true };
        (format!("product_{dtype}_{tile}_in_parts"), of_product(variant, Some(dense(dtype))))
    });
    let products = products.chain(split);
    let by_tiles = [(Dtype::Bf16, 256), (Dtype::F16, 256), (Dtype::F16, 128)].into_iter();
    let by_tiles = by_tiles.flat_map(|(dtype, columns)| [None, Some(dense(dtype))].map(|it| (dtype, columns, it)));
    let by_tiles = by_tiles.map(|(dtype, columns, epilogue)| {
        let name = format!("wgmma_{dtype}_{columns}{}", if epilogue.is_some() { "_dense" } else { "" });
        (name, of_tiles(Wgmma { dtype, columns }, epilogue))
    });
    let long = of_tiles(Wgmma { dtype: Dtype::Bf16, columns: 256 }, Some(long(Dtype::Bf16)));
    let by_tiles = by_tiles.chain([("wgmma_bf16_256_long".to_owned(), long)]).map(|(name, it)| (name, &[90][..], it));
    let is_missing = assembler.is_none();
    let kernels = KERNELS.iter().map(|&name| (name.to_owned(), of_kernel(recorded(name))));
    let rows = recorded_sweeps().into_iter().map(|case| (case.name.clone(), of_sweep(case)));
    let in_block =
        together::LOOPS.map(|it| (format!("one_block_{}_{}_by_{}", it.dtype, it.rows, it.len), of_parts(it.parts())));
    let usual = kernels.chain(rows).chain(products).chain(in_block).map(|(name, it)| (name, &ARCHS[..], it));
    for (name, archs, write) in usual.chain(by_tiles) {
        let (assembler, title) = (assembler.clone(), format!("registers of {name} are as recorded"));
        let test = move || resources(&name, archs, &write, assembler.as_deref().expect("it is ignored without one"));
        trials.push(Trial::test(title, test).with_ignored_flag(is_missing));
    }
    trials
}

/// The rows of a tile, how many bytes are copied at once, and whether something follows.
type Tiled = (u64, u64, bool);

/// Writes PTX for an architecture.
type Write = Box<dyn Fn(u32) -> Result<String, Failed> + Send>;

fn of_kernel(kernel: Kernel) -> Write {
    Box::new(move |arch| {
        Ok(ptx(&kernel, PtxOptions { arch, ..PtxOptions::default() }, None).map_err(|it| it.to_string())?)
    })
}

fn of_sweep(case: sweeps::Case) -> Write {
    let options = |arch| PtxOptions { arch, ..PtxOptions::default() };
    Box::new(move |arch| Ok(sweep::ptx(&case.sweep, options(arch), None).map_err(|it| it.to_string())?))
}

fn of_parts(parts: Vec<Part>) -> Write {
    let options = |arch| PtxOptions { arch, ..PtxOptions::default() };
    Box::new(move |arch| {
        let text = one_block::ptx(&parts, options(arch), None).map_err(|it| it.to_string())?;
        // What one part writes, another one reads; and nothing is copied out of the parameters.
        if text.contains("global.nc") || text.contains("__local_depot") {
            return Err(text.into());
        }
        Ok(text)
    })
}

fn of_product(variant: product::Variant, epilogue: Option<Epilogue>) -> Write {
    let options = |arch| PtxOptions { arch, ..PtxOptions::default() };
    let write = move |arch| product::ptx(variant, epilogue.as_ref(), options(arch), None);
    Box::new(move |arch| Ok(write(arch).map_err(|it| it.to_string())?))
}

fn of_tiles(kernel: Wgmma, epilogue: Option<Epilogue>) -> Write {
    Box::new(move |_| Ok(product::wgmma::ptx(kernel, epilogue.as_ref(), None).map_err(|it| it.to_string())?))
}

/// `tanh(product)`, whose function is long.
fn long(dtype: Dtype) -> Epilogue {
    let inputs = vec![Input { dtype, level: Level::Each, access: Access::Unit }];
    let members = vec![Member { job: Job::Real1(Real1::Tanh), dtype, level: Level::Each, args: vec![Value::Input(0)] }];
    let sweep = Sweep { rank: 1, len: None, inputs, members, outputs: vec![0], in_place: false, strided: false };
    Epilogue { sweep, input: 0 }
}

/// `maximum(product + row, 0)`.
pub(crate) fn dense(dtype: Dtype) -> Epilogue {
    let input = |level, access| Input { dtype, level, access };
    let member = |op, args| Member { job: Job::Num2(op), dtype, level: Level::Each, args };
    let inputs =
        vec![input(Level::Each, Access::Unit), input(Level::Each, Access::Steps), input(Level::Row, Access::Number)];
    let members = vec![
        member(Num2::Add, vec![Value::Input(0), Value::Input(1)]),
        member(Num2::Max, vec![Value::Member(0), Value::Input(2)]),
    ];
    let sweep = Sweep { rank: 2, len: None, inputs, members, outputs: vec![1], in_place: false, strided: false };
    Epilogue { sweep, input: 0 }
}

/// Sweeps whose registers are recorded: rows of them must not be spilled.
fn recorded_sweeps() -> Vec<sweeps::Case> {
    use Dtype::{Bf16, F16, F32, F64};
    vec![
        sweeps::softmax(F32, 1, 8192),
        sweeps::softmax(F32, 1, 1000),
        sweeps::softmax(F64, 1, 8192),
        sweeps::softmax(Bf16, 1, 8192),
        sweeps::softmax(F16, 1, 8192),
        sweeps::log_softmax(F32, 1, 8192),
        sweeps::log_softmax(F32, 1, 1024),
        sweeps::layer_norm(F32, 1, 8192),
        sweeps::layer_norm(F64, 1, 8192),
        sweeps::layer_norm(Bf16, 1, 8192),
        sweeps::layer_norm(F16, 1, 8192),
        sweeps::uniform(1),
    ]
}

/// The kernels that are recorded.
const KERNELS: [&str; 5] = ["mandelbrot", "gather", "sum_float", "sum_int", "dtypes"];

fn directory() -> PathBuf {
    let built = Path::new(env!("CARGO_MANIFEST_DIR"));
    // On a machine that has got the binary, the tree is where the tests are run.
    let here = Path::new("cuda_backend");
    if built.is_dir() { built } else { here }.join("tests/suite/kernels")
}

fn recorded(name: &str) -> Kernel {
    let source = std::fs::read_to_string(directory().join(format!("{name}.sir"))).expect("the kernel is there");
    kernel(&source)
}

/// Compares a text with the one that was recorded; `SNEKPY_BLESS=1` records it.
fn compare(file: &str, found: &str) -> Result<(), Failed> {
    let path = directory().join(file);
    if std::env::var_os("SNEKPY_BLESS").is_some() {
        std::fs::write(&path, found)?;
        return Ok(());
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    if expected == found { Ok(()) } else { Err(format!("{file} was\n{expected}\nand is\n{found}").into()) }
}

fn golden(name: &str) -> Result<(), Failed> {
    let text =
        ptx(&recorded(name), PtxOptions { arch: 90, ..PtxOptions::default() }, None).map_err(|it| it.to_string())?;
    compare(&format!("{name}.ptx"), &text)
}

fn resources(name: &str, archs: &[u32], write: &Write, assembler: &Path) -> Result<(), Failed> {
    let mut found = String::new();
    for &arch in archs {
        let text = write(arch)?;
        let (cpu, said) = (target(&text), assemble(assembler, &text)?);
        // A warning says that instructions which could be done at once are not.
        let is_told =
            |line: &&str| ["spill", "Used", "warning", "setmaxnreg", "wgmma."].iter().any(|it| line.contains(it));
        for line in said.lines().filter(is_told) {
            found += &format!("{cpu}: {}\n", line.replace("ptxas info    :", "").trim());
        }
    }
    // Which barriers and parameters it counts depends on its version.
    let found: String =
        found.lines().map(|line| format!("{}\n", line.split(", used").next().unwrap_or(line))).collect();
    compare(&format!("{name}.ptxas"), &found)
}

/// No addition and multiplication may become one: PTX without a rounding would permit that.
fn strict_code_contracts_nothing() {
    let it = recorded("mandelbrot");
    let strict = ptx(&it, PtxOptions::default(), None).expect("it is a kernel");
    let fast = ptx(&it, PtxOptions { fast: true, ..PtxOptions::default() }, None).expect("it is a kernel");
    assert!(!strict.contains("fma") && strict.contains("mul.rn.f64") && strict.contains("add.rn.f64"), "{strict}");
    assert!(fast.contains("fma.rn.f64"), "{fast}");
    for case in ops::cases() {
        let text = ptx(&case.kernel(), PtxOptions::default(), None).expect("it is a kernel");
        for line in text.lines().filter(|line| line.contains(".f64")) {
            let plain = ["add.f64", "sub.f64", "mul.f64", "mad.f64"].iter().any(|it| line.contains(it));
            assert!(!plain, "{}: {line}", case.name);
        }
    }
    assert!(matches!(it.form, Form::Map(_)));
}

/// A chain of operations on arrays that are long enough notes no failure, and loads several elements at once.
fn what_is_covered_has_no_checks() {
    let it = recorded("chain");
    let late = ptx(&it, PtxOptions::default(), None).expect("it is a kernel");
    let covered = ptx(&it, PtxOptions { care: Care::Covered, ..PtxOptions::default() }, None).expect("it is a kernel");
    assert!(late.contains("atom.global.min"), "{late}");
    assert!(!covered.contains("atom"), "{covered}");
    assert_eq!(covered.matches("ld.global.nc").count(), 2 * (4 + 1), "{covered}");
}

/// PTX lies in a folder as objects do, by all that it follows from.
fn what_was_made_before_is_found() {
    let folder = std::env::temp_dir().join(format!("snekpy-ptx-{}", std::process::id()));
    let open = || ObjectCache::in_folder(&folder, 1 << 20).expect("the folder can be made");
    let made = |cache: &ObjectCache, case: &sweeps::Case, arch| {
        let options = PtxOptions { arch, ..PtxOptions::default() };
        let found = sweep::ptx(&case.sweep, options, Some(cache)).expect("it is a sweep");
        assert_eq!(found, sweep::ptx(&case.sweep, options, None).expect("it is a sweep"));
        cache.usage().expect("the folder is there").objects
    };
    let (uniform, softmax) = (sweeps::uniform(1), sweeps::softmax(Dtype::F32, 1, 100));
    let cache = open();
    assert_eq!([made(&cache, &uniform, 80), made(&cache, &uniform, 80), made(&cache, &uniform, 90)], [1, 1, 2]);
    let another = open();
    assert_eq!([made(&another, &uniform, 90), made(&another, &softmax, 90)], [2, 3]);
    // What was damaged is made again.
    for file in std::fs::read_dir(&folder).expect("the folder is there") {
        let path = file.expect("it can be read").path();
        let mut bytes = std::fs::read(&path).expect("it can be read");
        if let Some(last) = bytes.last_mut() {
            *last ^= 1;
        }
        std::fs::write(&path, bytes).expect("it can be written");
    }
    let third = open();
    assert_eq!(made(&third, &softmax, 90), 3);
    let parts = together::LOOPS[0].parts();
    let made_before = || one_block::is_made(&parts, PtxOptions::default(), &third);
    assert!(!made_before());
    one_block::ptx(&parts, PtxOptions::default(), Some(&third)).expect("it is such a kernel");
    assert!(made_before() && one_block::is_made(&parts, PtxOptions::default(), &open()));
    drop(std::fs::remove_dir_all(&folder));
}

fn assembler() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate is in the workspace");
    let beside = root.join("target/ptxas/ptxas");
    let candidates = std::env::var_os("SNEKPY_PTXAS").map(PathBuf::from).into_iter().chain([beside]);
    candidates.into_iter().find(|path| path.is_file())
}

/// The processor that PTX is for.
fn target(text: &str) -> &str {
    text.lines().find_map(|line| line.strip_prefix(".target ")).unwrap_or("none").trim()
}

fn assemble(assembler: &Path, text: &str) -> Result<String, Failed> {
    use std::sync::atomic::{AtomicU64, Ordering};
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let file = std::env::temp_dir().join(format!("snekpy-{}-{number}.ptx", std::process::id()));
    std::fs::write(&file, text)?;
    let ran = Command::new(assembler).args(["-v", "-arch", target(text), "-o", "/dev/null"]).arg(&file).output();
    std::fs::remove_file(&file)?;
    let ran = ran?;
    let said = String::from_utf8_lossy(&ran.stderr).into_owned() + &String::from_utf8_lossy(&ran.stdout);
    if ran.status.success() { Ok(said) } else { Err(format!("{said}\n{text}").into()) }
}
