//! Tensors on a device beside the same ones on the CPU: random programs of operations, which wait and become sweeps there.

use std::sync::Arc;

use libtest_mimic::{Failed, Trial};
use snekpy_cuda::Simt;
use snekpy_stage::home::Home;
use snekpy_stage::kernel::KernelBackend;
use snekpy_stage::tensor::device::Device;
use snekpy_stage::tensor::elementwise::{
    Cmp, Num1, Num2, Real1, Real2, compare, num1, num2, num2_into, real1, real2, select,
};
use snekpy_stage::tensor::index::{Part, gather};
use snekpy_stage::tensor::reduce::{Fold, arg_extreme, fold};
use snekpy_stage::tensor::scan::{self, Scan};
use snekpy_stage::tensor::{Dtype, Tensor, TensorError, cast, contract, layout, philox, sort};

use crate::generate::Random;
use crate::sweeps;

/// How many programs, and in how many tests.
const PROGRAMS: u64 = 150;
const PARTS: u64 = 10;

/// The tests of this file.
pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = same("the simulated GPU", Simt::default);
    trials.extend([
        Trial::test("what is copied while a device computes arrives", || copied_on(&Simt::default(), 3, [4, 30])),
        Trial::test("elements at positions are the CPU's", || gathered_on(&Simt::default())),
        Trial::test("products that wait are those that do not", || waiting_products_on(&Simt::default())),
        Trial::test("products by a library are within their bounds", || {
            crate::products::multiplied_on(&Simt::default().with_library())
        }),
        Trial::test("products by a library wait", || waiting_products_on(&Simt::default().with_library())),
        Trial::test("a missing barrier of a sweep is found", a_missing_barrier_is_found),
        Trial::test("what waits is written before its operands are", what_waits_is_written_before_its_operands_are),
    ]);
    trials
}

/// Whether random programs have the tensors of the CPU: several tests, as each compiles many kernels.
pub(crate) fn same<B: KernelBackend + 'static>(who: &str, make: fn() -> B) -> Vec<Trial> {
    let part = |part| {
        Trial::test(format!("{who} has the tensors of the CPU, part {part}"), move || {
            let device = make().device()?;
            let mut seeds = (part..PROGRAMS).step_by(PARTS as usize);
            seeds.try_for_each(|seed| program(seed, &device).map_err(|error| format!("program {seed}: {error}").into()))
        })
    };
    (0..PARTS).map(part).collect()
}

/// Copies to a device while it computes: nobody waits before the last one, and memory is given back meanwhile.
pub(crate) fn copied_on(backend: &dyn KernelBackend, rounds: i64, dims: [usize; 2]) -> Result<(), Failed> {
    let device = backend.device()?;
    let text = |error: TensorError| Failed::from(error.to_string());
    let base = cast::cast(&philox::bits(1, 2, &dims, Home::HERE).map_err(text)?, Dtype::I32).map_err(text)?;
    let base = real2(Real2::Div, &cast::cast(&base, Dtype::F32).map_err(text)?, &number(1 << 20, Dtype::F32));
    let base = base.map_err(text)?;
    let summed = |x: &Tensor| -> Result<Tensor, TensorError> {
        let more = num2(Num2::Mul, &real1(Real1::Sin, x)?, x)?;
        fold(Fold::Sum, &num1(Num1::Abs, &more)?, &[1])
    };
    let mut pairs = Vec::new();
    for round in 0..rounds {
        let here = num2(Num2::Add, &base, &number(round, Dtype::F32)).map_err(text)?;
        let sums = summed(&here.to_device(&device).map_err(text)?).map_err(text)?;
        sums.begin().map_err(text)?;
        pairs.push((round, sums));
    }
    for (round, sums) in pairs {
        let here = num2(Num2::Add, &base, &number(round, Dtype::F32)).map_err(text)?;
        let (expected, found) = (summed(&here).map_err(text)?, sums.to_host().map_err(text)?);
        if expected.items() != found.items() {
            return Err(format!("round {round} has other sums").into());
        }
    }
    Ok(())
}

/// The same tensor on the CPU and on the device.
struct Both(Tensor, Tensor);

fn program(seed: u64, device: &Arc<dyn Device>) -> Result<(), String> {
    let text = |error: TensorError| error.to_string();
    let mut random = Random(seed.wrapping_mul(0x9e37) ^ 77);
    let dtype = random.pick(&[Dtype::F32, Dtype::F32, Dtype::F64, Dtype::I32, Dtype::I64, Dtype::F16, Dtype::Bf16]);
    let dims = [1 + random.below(4), 1 + random.below(5), random.pick(&[1, 7, 16, 40, 700, 1500])];
    let mut all = Vec::new();
    for key in 0..3 {
        let bits = philox::bits(seed, key, &dims, Home::HERE).map_err(text)?;
        let small =
            num2(Num2::Mod, &cast::cast(&bits, Dtype::I64).map_err(text)?, &number(200, Dtype::I64)).map_err(text)?;
        let part = num2(Num2::Sub, &small, &number(90, Dtype::I64)).map_err(text)?;
        let mut here = cast::cast(&part, dtype).map_err(text)?;
        if dtype.is_float() {
            here = real2(Real2::Div, &here, &number(32, dtype)).map_err(text)?;
        }
        let there = here.to_device(device).map_err(text)?;
        all.push(Both(here, there));
    }
    for _ in 0..4 + random.below(12) {
        let (x, y) = (random.below(all.len()), random.below(all.len()));
        let choice = random.next();
        let made = {
            let on = |x: &Tensor, y: &Tensor| step(choice, dtype, x, y);
            Both(on(&all[x].0, &all[y].0).map_err(text)?, on(&all[x].1, &all[y].1).map_err(text)?)
        };
        all.push(made);
        match random.below(8) {
            // Some are let go of while others are made of them.
            0 if all.len() > 4 => drop(all.remove(random.below(3))),
            1 => {
                let at = random.below(all.len());
                let two = number(2, dtype);
                let Both(here, there) = &all[at];
                for it in [here, there].into_iter().filter(|it| it.is_dense()) {
                    num2_into(Num2::Sub, it, it, &two).map_err(text)?;
                }
            }
            2 => check(&all[random.below(all.len())])?,
            _ => {}
        }
    }
    all.iter().rev().try_for_each(check)
}

/// Random programs with products, whose epilogues are what follows: beside the same ones, each operation of which is begun
/// at once.
pub(crate) fn waiting_products_on(backend: &dyn KernelBackend) -> Result<(), Failed> {
    let device = backend.device()?;
    let run = |seed| program_of_products(seed, &device).map_err(|error| format!("program {seed}: {error}").into());
    (0..PROGRAMS).try_for_each(run)
}

fn program_of_products(seed: u64, device: &Arc<dyn Device>) -> Result<(), String> {
    let text = |error: TensorError| error.to_string();
    let mut random = Random(seed.wrapping_mul(0x9e37) ^ 78);
    let dtype = random.pick(&[Dtype::F32, Dtype::F64, Dtype::F16, Dtype::Bf16]);
    let size = random.pick(&[1, 3, 16, 17, 33, 70]);
    let mut all = Vec::new();
    for key in 0..3 {
        let bits = philox::bits(seed, key, &[size, size], Home::HERE).map_err(text)?;
        let small = num2(Num2::Mod, &cast::cast(&bits, Dtype::I64).map_err(text)?, &number(9, Dtype::I64));
        let here = cast::cast(&small.map_err(text)?, dtype).map_err(text)?;
        let made = || here.to_device(device).map_err(text);
        all.push([made()?, made()?]);
    }
    for _ in 0..4 + random.below(10) {
        let (x, y) = (random.below(all.len()), random.below(all.len()));
        let choice = random.next();
        let on = |at: usize| step_of_products(choice, dtype, &all[x][at], &all[y][at]).map_err(text);
        let made = [on(0)?, on(1)?];
        made[0].begin().map_err(text)?;
        all.push(made);
        match random.below(8) {
            0 | 1 if all.len() > 4 => drop(all.remove(random.below(3))),
            2 => {
                let at = random.below(all.len());
                for it in all[at].iter().filter(|it| it.is_dense()) {
                    num2_into(Num2::Sub, it, it, &number(2, dtype)).map_err(text)?;
                }
            }
            3 => same_elements(&all[random.below(all.len())])?,
            _ => {}
        }
    }
    all.iter().rev().try_for_each(same_elements)
}

fn step_of_products(choice: u64, dtype: Dtype, x: &Tensor, y: &Tensor) -> Result<Tensor, TensorError> {
    let pick = (choice >> 8) as usize;
    match choice % 12 {
        0..=3 => {
            let y = real2(Real2::Div, y, &number(64, dtype))?;
            let turned = |it: &Tensor, bit: usize| layout::permute(it, if pick & bit == 0 { &[0, 1] } else { &[1, 0] });
            contract::matmul(&turned(x, 1)?, &turned(&y, 2)?)
        }
        4 => real1([Real1::Exp, Real1::Tanh, Real1::Sqrt, Real1::Sin][pick % 4], x),
        5 => num2(Num2::Add, x, &layout::slice(y, pick % 2, 0, 1, 1)),
        6 => select(&compare(Cmp::ALL[pick % Cmp::ALL.len()], x, y)?, x, y),
        7 => num2(Num2::Sub, &layout::permute(x, &[1, 0])?, y),
        8 => num2(Num2::Min, y, &layout::insert_axis(&fold(Fold::Sum, x, &[1])?, 1)?),
        9 => num1(Num1::ALL[pick % Num1::ALL.len()], x),
        10 => cast::cast(&cast::cast(x, Dtype::F16)?, dtype),
        _ => num2([Num2::Add, Num2::Sub, Num2::Mul, Num2::Max][pick % 4], x, y),
    }
}

fn same_elements([here, there]: &[Tensor; 2]) -> Result<(), String> {
    let here = here.to_host().map_err(|error| error.to_string())?;
    check(&Both(here, there.clone()))
}

/// Elements at positions: along an axis, along several, of views; and positions that are none.
pub(crate) fn gathered_on(backend: &dyn KernelBackend) -> Result<(), Failed> {
    let device = backend.device()?;
    let all = layout::reshape(&philox::bits(1, 2, &[5 * 6 * 7], Home::HERE)?, &[5, 6, 7])?;
    let turned = layout::permute(&all, &[2, 0, 1])?;
    let at = |items: &[i64], dims: &[usize]| Tensor::from_slice(items, dims);
    for x in [&all, &turned] {
        let there = x.to_device(&device)?;
        let there = if x.is_dense() { there } else { layout::permute(&all.to_device(&device)?, &[2, 0, 1])? };
        let cases: [Vec<Option<Tensor>>; 5] = [
            vec![Some(at(&[4, 0, -1, 2], &[4])?), None, None],
            vec![None, Some(at(&[0, -4, 1, 3, 3, 3], &[2, 3])?), None],
            vec![Some(at(&[0, 1, 2], &[3])?), Some(at(&[-1, 0, 4], &[3])?), None],
            vec![Some(at(&[1, 2], &[2, 1])?), None, Some(at(&[0, 1, 5], &[3])?)],
            vec![Some(at(&[1], &[])?), Some(at(&[2], &[])?), Some(at(&[3, 1], &[2])?)],
        ];
        for parts in cases {
            let here: Vec<Part> = parts.iter().map(|it| it.clone().map_or(Part::All, Part::At)).collect();
            let expected = gather(x, &here)?;
            for moved in [false, true] {
                let part = |it: &Option<Tensor>| match it {
                    None => Ok(Part::All),
                    Some(it) => if moved { it.to_device(&device) } else { Ok(it.clone()) }.map(Part::At),
                };
                let found = gather(&there, &parts.iter().map(part).collect::<Result<Vec<_>, _>>()?)?;
                if found.device().is_none() || found.dims() != expected.dims() {
                    return Err(
                        format!("{:?}, not {:?}, on {:?}", found.dims(), expected.dims(), found.device()).into()
                    );
                }
                check(&Both(expected.clone(), found))?;
            }
        }
        let none = at(&[0, 9], &[2])?.to_device(&device)?;
        let said = gather(&there, &[Part::At(none), Part::All, Part::All]).map(drop).map_err(|it| it.to_string());
        let expected = format!("index 9 is out of bounds for axis 0 with size {}", x.dims()[0]);
        if said != Err(expected.clone()) {
            return Err(format!("{said:?}, not {expected}").into());
        }
    }
    Ok(())
}

pub(crate) fn number(it: i64, dtype: Dtype) -> Tensor {
    cast::cast(&Tensor::from_slice(&[it], &[]).expect("a number is small"), dtype).expect("it has the dtype")
}

/// Lines of tensors with more elements are left out.
const MOST: usize = 900;

/// One operation of those whose bits are the same on every machine.
fn step(choice: u64, dtype: Dtype, x: &Tensor, y: &Tensor) -> Result<Tensor, TensorError> {
    let pick = (choice >> 8) as usize;
    let is_float = dtype.is_float();
    match choice % 14 {
        0 if is_float && dtype != Dtype::F64 => real1([Real1::Exp, Real1::Tanh, Real1::Sqrt][pick % 3], x),
        0 if is_float => real1([Real1::Sqrt, Real1::Floor, Real1::Round][pick % 3], x),
        1 => num1(Num1::ALL[pick % Num1::ALL.len()], x),
        2 if is_float => real2(Real2::Div, x, y),
        3 => select(&compare(Cmp::ALL[pick % Cmp::ALL.len()], x, y)?, x, y),
        // Another view of the same elements.
        4 if x.rank() == 3 => {
            let turned = layout::permute(x, [&[1, 0, 2], &[2, 1, 0], &[0, 2, 1]][pick % 3])?;
            let back = layout::permute(&turned.to_dense()?, [&[1, 0, 2], &[2, 1, 0], &[0, 2, 1]][pick % 3])?;
            num2(Num2::Add, &back, y)
        }
        5 => num2(Num2::Max, &layout::slice(x, 2, 0, 1, 1), y),
        6 | 7 => {
            let kind = Fold::ALL[pick % 4];
            // Floats along other axes are added up in another order.
            let axes: &[usize] = match (pick / 4) % 3 {
                0 => &[1, 2],
                1 if !is_float => &[0, 2],
                _ => &[2],
            };
            let mut folded = fold(kind, x, axes)?;
            for &axis in axes {
                folded = layout::insert_axis(&folded, axis)?;
            }
            num2(if pick.is_multiple_of(2) { Num2::Sub } else { Num2::Min }, y, &folded)
        }
        8 => {
            let at = layout::insert_axis(&arg_extreme(x, 2, pick.is_multiple_of(2))?, 2)?;
            num2(Num2::Add, y, &cast::cast(&at, dtype)?)
        }
        // Lines: the simulated GPU takes long for many elements.
        9 if x.count() <= MOST => sort::sort(x, pick % 3, pick.is_multiple_of(2)),
        10 if x.count() <= MOST => scan::scan(Scan::ALL[pick % 2], x, pick % 3),
        11 if x.count() <= MOST => {
            let order = sort::argsort(x, 2, pick.is_multiple_of(2))?;
            let found = sort::search(&layout::pick(&layout::pick(&sort::sort(y, 2, false)?, 0, 0)?, 0, 0)?, x, true)?;
            num2(Num2::Sub, y, &cast::cast(&num2(Num2::Max, &order, &found)?, dtype)?)
        }
        12 => layout::triangle(x, pick as i64 % 9 - 4, pick.is_multiple_of(2)),
        13 if is_float => real2(Real2::NextAfter, x, y),
        13 => num2(Num2::Pow, x, &num2(Num2::Mod, y, &number(7, dtype))?),
        _ => num2([Num2::Add, Num2::Sub, Num2::Mul, Num2::Min, Num2::FloorDiv][pick % 5], x, y),
    }
}

fn check(Both(here, there): &Both) -> Result<(), String> {
    let found = there.to_host().map_err(|error| error.to_string())?;
    let (found, expected) = (found.items(), here.items());
    let is_same = |(x, y): (&_, &_)| format!("{x:?}") == format!("{y:?}");
    match found.iter().zip(&expected).position(|it| !is_same(it)) {
        None if found.len() == expected.len() => Ok(()),
        at => {
            let at = at.unwrap_or(0);
            Err(format!("element {at} of {:?} is {:?}, not {:?}", here.dims(), found.get(at), expected.get(at)))
        }
    }
}

fn a_missing_barrier_is_found() -> Result<(), Failed> {
    let (case, simt) = (sweeps::softmax(Dtype::F32, 2, 3000), Simt::default().without_barriers());
    match sweeps::run(&case, &simt.device()?, &*simt.sweep(&case.sweep)) {
        Err(message) if message.contains("race") || message.contains("nobody has written") => Ok(()),
        other => Err(format!("{:?}", other.map(|_| "no error")).into()),
    }
}

/// `y = x + 1` is about the elements that `x` had.
fn what_waits_is_written_before_its_operands_are() -> Result<(), Failed> {
    let device = Simt::default().device()?;
    let x = Tensor::from_slice(&[1.0, 2.0, 3.0], &[3])?.to_device(&device)?;
    let one = number(1, Dtype::F64);
    let y = num2(Num2::Add, &x, &one)?;
    let z = num2(Num2::Mul, &y, &y)?;
    num2_into(Num2::Mul, &x, &x, &number(10, Dtype::F64))?;
    let seen = [&x, &y, &z].map(|it| it.to_host().map(|it| it.to_vec::<f64>()));
    let expected = [[10.0, 20.0, 30.0], [2.0, 3.0, 4.0], [4.0, 9.0, 16.0]];
    for (seen, expected) in seen.into_iter().zip(expected) {
        let seen = seen?;
        if seen != expected {
            return Err(format!("{seen:?}, not {expected:?}").into());
        }
    }
    Ok(())
}
