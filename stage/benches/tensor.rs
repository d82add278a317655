//! What operations on a million elements cost; prints for itself, in microseconds, the best of several runs. A word behind
//! `--` chooses those with the word in their names.

#![allow(clippy::print_stdout, reason = "that is what it is for")]

use std::hint::black_box;
use std::time::Instant;

use snekpy_stage::tensor::elementwise::{Cmp, Num2, Real1, Real2, compare, num2, num2_into, real1, real2, select};
use snekpy_stage::tensor::reduce::{Fold, fold};
use snekpy_stage::tensor::{Dtype, Item, Tensor, cast, contract, index, layout, make};

fn best<T>(name: &str, mut work: impl FnMut() -> T) {
    let mut words = std::env::args().skip(1).filter(|it| !it.starts_with("--")).peekable();
    if words.peek().is_some() && !words.any(|it| name.contains(&it)) {
        return;
    }
    let mut least = f64::INFINITY;
    for _ in 0..30 {
        let start = Instant::now();
        black_box(work());
        least = least.min(start.elapsed().as_secs_f64());
    }
    println!("{name}\t{:.2}", least * 1e6);
}

fn line(dtype: Dtype, start: f64, stop: f64) -> Tensor {
    make::linspace(dtype, start, stop, 1_000_000, true).expect("there is memory")
}

fn main() {
    let (x, y) = (line(Dtype::F64, 0.1, 3.0), line(Dtype::F64, 1.0, 2.0));
    let (x32, y32) = (line(Dtype::F32, 0.1, 3.0), line(Dtype::F32, 1.0, 2.0));
    let i = make::arange(Dtype::I64, Item::Int(0), Item::Int(1_000_000), Item::Int(1)).expect("there is memory");
    let square = layout::reshape(&x32, &[1000, 1000]).expect("as many");
    best("add f64 1e6", || num2(Num2::Add, &x, &y));
    best("mul f32 1e6", || num2(Num2::Mul, &x32, &y32));
    best("x+=y f32", || num2_into(Num2::Add, &y32, &x32, &y32));
    best("exp f32", || real1(Real1::Exp, &x32));
    best("tanh f32", || real1(Real1::Tanh, &x32));
    best("sin f32", || real1(Real1::Sin, &x32));
    best("log f32", || real1(Real1::Log, &x32));
    best("exp f64", || real1(Real1::Exp, &x));
    for function in [
        Real1::Log,
        Real1::Sin,
        Real1::Cos,
        Real1::Tan,
        Real1::Tanh,
        Real1::Sinh,
        Real1::Cosh,
        Real1::Expm1,
        Real1::Log1p,
        Real1::Log2,
        Real1::Log10,
    ] {
        best(&format!("{} f64", function.text()), || real1(function, &x));
    }
    for function in [Real1::Asin, Real1::Acos, Real1::Atan] {
        best(&format!("{} f64", function.text()), || real1(function, &x));
    }
    for exponent in [0.5, 1.5, 3.0] {
        let known = |dtype| make::full(dtype, &[], Item::Float(exponent)).expect("there is memory");
        let (y, y32) = (known(Dtype::F64), known(Dtype::F32));
        best(&format!("x**{exponent} f64"), || num2(Num2::Pow, &x, &y));
        best(&format!("x**{exponent} f32"), || num2(Num2::Pow, &x32, &y32));
    }
    best("x**y f64", || num2(Num2::Pow, &x, &y));
    best("x**y f32", || num2(Num2::Pow, &x32, &y32));
    best("atan2 f64", || real2(Real2::Atan2, &x, &y));
    best("sqrt f64", || real1(Real1::Sqrt, &x));
    best("div f64", || real2(Real2::Div, &x, &y));
    best("x>y f32", || compare(Cmp::Gt, &x32, &y32));
    best("add i64", || num2(Num2::Add, &i, &i));
    best("sum f32", || fold(Fold::Sum, &x32, &[0]));
    best("sum f64", || fold(Fold::Sum, &x, &[0]));
    best("sum axis0", || fold(Fold::Sum, &square, &[0]));
    best("max f64", || fold(Fold::Max, &x, &[0]));
    let above = compare(Cmp::Gt, &x32, &y32).expect("one shape");
    best("where", || select(&above, &x32, &y32));
    best("T copy", || layout::permute(&square, &[1, 0]).and_then(|it| it.to_dense()));
    best("astype", || cast::cast(&x, Dtype::F32));
    best("take 1e6", || index::gather(&x, &[index::Part::At(i.clone())]));
    best("dot 1e6 f32", || contract::vecdot(&x32, &y32));
    let ones = |dims: &[usize]| make::full(Dtype::F32, dims, Item::Float(1.0)).expect("there is memory");
    let (a, b, c) = (ones(&[64, 784]), ones(&[784, 50]), ones(&[256, 256]));
    let (row, wide, tall, column) = (ones(&[1, 300]), ones(&[300, 750]), ones(&[1000, 1000]), ones(&[1000, 1]));
    best("mm 1x300x750", || contract::matmul(&row, &wide));
    best("mm 1000x1000x1", || contract::matmul(&tall, &column));
    let line64 = |dims: &[usize]| make::full(Dtype::F64, dims, Item::Float(1.0)).expect("there is memory");
    let (row64, wide64, tall64, column64) =
        (line64(&[1, 300]), line64(&[300, 750]), line64(&[1000, 1000]), line64(&[1000, 1]));
    best("mm 1x300x750 f64", || contract::matmul(&row64, &wide64));
    best("mm 1000x1000x1 f64", || contract::matmul(&tall64, &column64));
    best("argmax f32", || snekpy_stage::tensor::reduce::arg_extreme(&x32, 0, true));
    best("argmax f64", || snekpy_stage::tensor::reduce::arg_extreme(&x, 0, true));
    best("mm 64x784x50", || contract::matmul(&a, &b));
    best("mm 256", || contract::matmul(&c, &c));
    for (m, k, n) in [
        (64, 784, 50),
        (784, 64, 50),
        (200, 784, 10),
        (64, 320, 256),
        (16, 64, 64),
        (64, 50, 10),
        (128, 128, 128),
        (256, 256, 256),
        (400, 400, 400),
        (512, 512, 512),
        (1024, 1024, 1024),
    ] {
        let (a, b) = (ones(&[m, k]), ones(&[k, n]));
        best(&format!("mm {m}x{k}x{n}"), || contract::matmul(&a, &b));
        let (a, b, mut c) = (a.to_vec::<f32>(), b.to_vec::<f32>(), vec![0.0_f32; m * n]);
        let (kk, nn) = (k as isize, n as isize);
        best("  the crate alone", || {
            let (c, a, b) = (c.as_mut_ptr(), a.as_ptr(), b.as_ptr());
            let threads = gemm::Parallelism::None;
            // SAFETY: these are the sizes of the three.
            unsafe { gemm::gemm(m, n, k, c, 1, nn, false, a, 1, kk, b, 1, nn, 0.0, 1.0, false, false, false, threads) };
        });
    }
    let small = make::full(Dtype::F64, &[10], Item::Float(1.0)).expect("there is memory");
    best("add 10, 1000 times", || (0..1000).for_each(|_| drop(black_box(num2(Num2::Add, &small, &small)))));
}
