//! Products of matrices on a device, against sums of doubles. What is wrong is told so that the mistake can be found.

use std::sync::Arc;

use libtest_mimic::{Failed, Trial};
use snekpy_cuda::Simt;
use snekpy_stage::home::Home;
use snekpy_stage::kernel::KernelBackend;
use snekpy_stage::tensor::device::Device;
use snekpy_stage::tensor::elementwise::{Num1, Num2, Real1, Real2, num1, num2, real1, real2};
use snekpy_stage::tensor::{Dtype, Item, Tensor, TensorError, cast, contract, layout, make, philox};

use crate::tensors::number;

/// The tests of this file.
pub(crate) fn trials() -> Vec<Trial> {
    vec![
        Trial::test("products on the simulated GPU are within their bounds", || multiplied_on(&Simt::default())),
        Trial::test("products on the simulated GPU take the right elements", || {
            takes_the_right_elements(&Simt::default(), &[[33, 72, 40], [17, 260, 16]])
        }),
        Trial::test("products on the simulated GPU have epilogues", || {
            has_epilogues(&Simt::default(), &HALVES, &[[33, 72, 40]])?;
            has_epilogues(&Simt::default(), &CHAINS, &[[33, 70, 40], [5, 10, 50]])
        }),
    ]
}

/// Rows, columns and inner dimensions of products that whole tiles of 128 rows and 256 or 128 columns, steps of 64, and parts of
/// them come up in.
pub(crate) const TILED: [[usize; 3]; 10] = [
    [1, 8, 8],
    [128, 256, 64],
    [64, 128, 16],
    [200, 264, 136],
    [130, 520, 72],
    [127, 120, 448],
    [2177, 8, 8],
    [129, 2056, 24],
    [1000, 1000, 1000],
    [2048, 1536, 320],
];

/// Those of layers of small nets: rows of all alignments, and tiles of all sizes.
pub(crate) const SMALL: [[usize; 3]; 8] = [
    [64, 256, 320],
    [64, 256, 256],
    [64, 50, 784],
    [64, 10, 50],
    [512, 50, 784],
    [61, 257, 33],
    [600, 500, 40],
    [1100, 1001, 20],
];

/// What tensor cores multiply, and what is multiplied otherwise.
pub(crate) const HALVES: [Dtype; 2] = [Dtype::F16, Dtype::Bf16];
pub(crate) const CHAINS: [Dtype; 2] = [Dtype::F32, Dtype::F64];

/// Products of matrices and of rows of them, within the bounds of [`snekpy_cuda::product`].
pub(crate) fn multiplied_on(backend: &dyn KernelBackend) -> Result<(), Failed> {
    let device = backend.device()?;
    let shapes: [[&[usize]; 2]; 8] = [
        [&[1, 1], &[1, 1]],
        [&[70, 40], &[40, 136]],
        [&[33, 65], &[65, 7]],
        [&[3, 20, 48], &[3, 48, 24]],
        [&[2, 5, 9], &[9, 11]],
        [&[9, 5], &[2, 3, 5, 4]],
        [&[2, 1, 7], &[2, 7, 1]],
        [&[3, 4, 5], &[1, 5, 6]],
    ];
    for dtype in [Dtype::F16, Dtype::Bf16, Dtype::F32, Dtype::F64] {
        for (number, dims) in shapes.into_iter().enumerate() {
            is_within_bounds(&device, dtype, dims, [number & 1 != 0, number & 2 != 0])?;
        }
    }
    Ok(())
}

/// Products of such dtypes and shapes.
pub(crate) fn shapes_multiplied_on(
    backend: &dyn KernelBackend,
    dtypes: &[Dtype],
    shapes: &[[usize; 3]],
) -> Result<(), Failed> {
    let device = backend.device()?;
    for &dtype in dtypes {
        shapes.iter().try_for_each(|&[m, n, k]| is_within_bounds(&device, dtype, [&[m, k], &[k, n]], [false; 2]))?;
    }
    Ok(())
}

/// Numbers of some size, of either sign.
pub(crate) fn random(dtype: Dtype, dims: &[usize], key: u32) -> Result<Tensor, TensorError> {
    let bits = philox::bits(7, key, dims, Home::HERE)?;
    let small = num2(Num2::Mod, &cast::cast(&bits, Dtype::I64)?, &number(200, Dtype::I64))?;
    let part = num2(Num2::Sub, &small, &number(90, Dtype::I64))?;
    real2(Real2::Div, &cast::cast(&part, dtype)?, &number(77, dtype))
}

/// Where a factor is turned, its columns lie as rows do.
fn is_within_bounds(
    device: &Arc<dyn Device>,
    dtype: Dtype,
    [a, b]: [&[usize]; 2],
    turned: [bool; 2],
) -> Result<(), Failed> {
    let what = format!("{dtype} {a:?} by {b:?}");
    let text = |error: TensorError| format!("{what}: {error}");
    let (a, b) = (random(dtype, a, 0).map_err(text)?, random(dtype, b, 1).map_err(text)?);
    let found = multiplied(device, &a, &b, turned).map_err(text)?;
    let wide = |it: &Tensor| cast::cast(it, Dtype::F64);
    let exact = contract::matmul(&wide(&a).map_err(text)?, &wide(&b).map_err(text)?).map_err(text)?;
    let sizes = |it: &Tensor| wide(it).and_then(|it| num1(Num1::Abs, &it));
    let sizes = contract::matmul(&sizes(&a).map_err(text)?, &sizes(&b).map_err(text)?).map_err(text)?;
    let k = a.dims().last().copied().unwrap_or_default();
    // How often a sum is rounded, to what, and to what at the end.
    let (steps, each, last) = match dtype {
        Dtype::F16 => (k.div_ceil(16) * 17, -23, -11),
        Dtype::Bf16 => (k.div_ceil(16) * 17, -23, -8),
        Dtype::F32 => (k, -23, -30),
        _ => (2 * k, -52, -60),
    };
    assert_eq!((found.dtype(), found.dims()), (dtype, exact.dims()));
    let floats = |it: &Tensor| it.items().into_iter().map(Item::float).collect::<Vec<_>>();
    let bounds = floats(&sizes).into_iter().zip(floats(&exact)).map(|(size, exact)| {
        let bound = size * steps as f64 * 2.0_f64.powi(each);
        bound + (exact.abs() + bound) * 2.0_f64.powi(last)
    });
    let expected: Vec<[f64; 2]> = floats(&exact).into_iter().zip(bounds).map(|(exact, bound)| [exact, bound]).collect();
    let columns = exact.dims().last().copied().unwrap_or(1);
    told(&floats(&found), &expected, columns).map_err(|it| format!("{what}: {it}").into())
}

fn multiplied(device: &Arc<dyn Device>, a: &Tensor, b: &Tensor, turned: [bool; 2]) -> Result<Tensor, TensorError> {
    let there = |it: &Tensor, turned: bool| {
        let it = it.to_device(device)?;
        let mut order: Vec<usize> = (0..it.rank()).collect();
        order.swap(it.rank() - 2, it.rank() - 1);
        if turned { layout::permute(&layout::permute(&it, &order)?.to_dense()?, &order) } else { Ok(it) }
    };
    contract::matmul(&there(a, turned[0])?, &there(b, turned[1])?)?.to_host()
}

/// What differs by more than its bound: how much of it, where, and whether that is what belongs elsewhere.
fn told(found: &[f64], expected: &[[f64; 2]], columns: usize) -> Result<(), String> {
    let is = |at: usize, found: f64| (found - expected[at][0]).abs() <= expected[at][1];
    let wrong: Vec<usize> = (0..found.len()).filter(|&at| !is(at, found[at])).collect();
    if wrong.is_empty() {
        return Ok(());
    }
    let span = |of: &dyn Fn(usize) -> usize| {
        let of = || wrong.iter().map(|&it| of(it));
        format!("{} to {}", of().min().unwrap_or(0), of().max().unwrap_or(0))
    };
    let (rows, across) = (span(&|it| it / columns), span(&|it| it % columns));
    let mut text = format!("{} of {} elements are wrong, in rows {rows}, columns {across}:", wrong.len(), found.len());
    for &at in wrong.iter().take(12) {
        let (row, column) = (at / columns, at % columns);
        text += &format!("\n    [{row}, {column}] is {} and not {}", found[at], expected[at][0]);
        // Those beside it and below it come first: by chance, some element is like any other.
        let beside = (row * columns..(row + 1) * columns).find(|&it| is(it, found[at]));
        let below = || (column..found.len()).step_by(columns).find(|&it| is(it, found[at]));
        let other = beside.or_else(below).or_else(|| (0..found.len()).find(|&it| is(it, found[at])));
        if let Some(other) = other {
            text += &format!(", which [{}, {}] is", other / columns, other % columns);
        }
    }
    Err(text)
}

/// One factor picks rows or columns of the other one, whose elements are numbers of their place: what is taken from another place
/// tells from which.
pub(crate) fn takes_the_right_elements(backend: &dyn KernelBackend, shapes: &[[usize; 3]]) -> Result<(), Failed> {
    let device = backend.device()?;
    for dtype in [Dtype::F16, Dtype::Bf16] {
        for &[m, n, k] in shapes {
            for second in [true, false] {
                picked(&device, dtype, [m, n, k], second)
                    .map_err(|error| format!("{dtype} {m}x{k} by {k}x{n}: {error}"))?;
            }
        }
    }
    Ok(())
}

fn picked(device: &Arc<dyn Device>, dtype: Dtype, [m, n, k]: [usize; 3], second: bool) -> Result<(), String> {
    /// What both dtypes have exactly.
    const DIGIT: usize = 251;
    let text = |error: TensorError| error.to_string();
    let matrix = |[rows, columns]: [usize; 2], element: &dyn Fn(usize, usize) -> usize| {
        let item = |at: usize| Item::Float(element(at / columns, at % columns) as f64);
        make::from_fn(dtype, rows * columns, item).and_then(|it| layout::reshape(&it, &[rows, columns])).map_err(text)
    };
    // The place in the factor that is looked at: along the inner dimension, and along the other one, in two digits.
    let digits = |inner: usize, other: usize| [inner % DIGIT, inner / DIGIT, other % DIGIT, other / DIGIT];
    let mut found: Vec<[usize; 4]> = vec![[0; 4]; m * n];
    for digit in 0..4 {
        let product = if second {
            let a = matrix([m, k], &|row, inner| usize::from(inner == row % k))?;
            multiplied(device, &a, &matrix([k, n], &|inner, column| digits(inner, column)[digit])?, [false; 2])
        } else {
            let b = matrix([k, n], &|inner, column| usize::from(inner == column % k))?;
            multiplied(device, &matrix([m, k], &|row, inner| digits(inner, row)[digit])?, &b, [false; 2])
        };
        for (all, item) in found.iter_mut().zip(product.map_err(text)?.items()) {
            all[digit] = item.float() as usize;
        }
    }
    let expected = |at: usize| if second { [at / n % k, at % n] } else { [at % n % k, at / n] };
    let wrong: Vec<usize> = (0..m * n).filter(|&at| found[at] != digits(expected(at)[0], expected(at)[1])).collect();
    if wrong.is_empty() {
        return Ok(());
    }
    let (factor, other) = if second { ("second", "column") } else { ("first", "row") };
    let mut text = format!("{} of {} are of other elements of the {factor} factor:", wrong.len(), m * n);
    // Some from the beginning, and some from all over.
    let some = wrong.iter().take(12).chain(wrong.iter().step_by(wrong.len().div_ceil(12)));
    for &at in some {
        let ([inner, of], it) = (expected(at), found[at]);
        text += &format!(
            "\n    [{}, {}] is of inner {}, {other} {} and not of inner {inner}, {other} {of}",
            at / n,
            at % n,
            it[0] + DIGIT * it[1],
            it[2] + DIGIT * it[3]
        );
    }
    Err(text)
}

/// What follows a product in its kernel has the bits of what follows it elsewhere.
pub(crate) fn has_epilogues(
    backend: &dyn KernelBackend,
    dtypes: &[Dtype],
    shapes: &[[usize; 3]],
) -> Result<(), Failed> {
    let device = backend.device()?;
    for &dtype in dtypes {
        for &[m, n, k] in shapes {
            let (a, b) = (random(dtype, &[m, k], 0)?, random(dtype, &[k, n], 1)?);
            let (row, all) = (random(dtype, &[n], 2)?, random(dtype, &[m, n], 3)?);
            let dense =
                |x: &Tensor, row: &Tensor, _: &Tensor| num2(Num2::Max, &num2(Num2::Add, x, row)?, &number(0, dtype));
            let long = |x: &Tensor, row: &Tensor, all: &Tensor| {
                num2(Num2::Add, &real1(Real1::Tanh, &num2(Num2::Mul, x, row)?)?, all)
            };
            let product = multiplied(&device, &a, &b, [false; 2])?;
            let there = [&a, &b, &row, &all].map(|it| it.to_device(&device));
            let [a, b, row_there, all_there] = there;
            let (a, b, row_there, all_there) = (a?, b?, row_there?, all_there?);
            type Follows<'a> = &'a dyn Fn(&Tensor, &Tensor, &Tensor) -> Result<Tensor, TensorError>;
            for (what, follows) in [("dense", &dense as Follows<'_>), ("long", &long)] {
                let found = follows(&contract::matmul(&a, &b)?, &row_there, &all_there)?.to_host()?;
                let expected = follows(&product, &row, &all)?;
                let floats = |it: &Tensor| it.items().into_iter().map(Item::float).collect::<Vec<_>>();
                // A device's functions of doubles are others than the CPU's.
                let off = |it: f64| if dtype == Dtype::F64 { (1.0 + it.abs()) * 2.0_f64.powi(-50) } else { 0.0 };
                let expected: Vec<[f64; 2]> = floats(&expected).into_iter().map(|it| [it, off(it)]).collect();
                told(&floats(&found), &expected, n).map_err(|it| format!("{what} {dtype} {m}x{k} by {k}x{n}: {it}"))?;
            }
        }
    }
    Ok(())
}
