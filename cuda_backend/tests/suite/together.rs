//! Kernels of one block to test with: rounds of a small loop, each part of which goes on with what those before have made.

use std::sync::Arc;

use snekpy_stage::backend::BackendError;
use snekpy_stage::tensor::Dtype;
use snekpy_stage::tensor::device::sweep::{Access, Given, Input, Job, Level, Member, Run, Sweep, SweepCode, Value};
use snekpy_stage::tensor::device::together::{Part, PartRun, TogetherCode};
use snekpy_stage::tensor::device::{Device, Epilogue, Product, Use};
use snekpy_stage::tensor::elementwise::{Num2, Real1, Real2};
use snekpy_stage::tensor::reduce::Fold;

/// A code of one part as that of its sweep.
pub(crate) struct Alone(pub(crate) Arc<dyn TogetherCode>);

impl SweepCode for Alone {
    unsafe fn run(&self, run: &Run) -> Result<(), BackendError> {
        // SAFETY: passed on.
        unsafe { self.0.run(&[vec![PartRun { run: run.clone(), product: None }]]) }
    }
}

/// `h = tanh(s @ w + b); p = softmax(h); s = s * p + p; r = s.sum(1); s = s * p + p`, some times.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Loop {
    pub(crate) dtype: Dtype,
    pub(crate) rows: usize,
    pub(crate) len: usize,
    pub(crate) rounds: usize,
}

fn member(job: Job, dtype: Dtype, level: Level, args: &[Value]) -> Member {
    Member { job, dtype, level, args: args.to_vec() }
}

impl Loop {
    pub(crate) fn parts(self) -> Vec<Part> {
        use Value::{Input as I, Member as M};
        let Self { dtype, len, .. } = self;
        let each = Input { dtype, level: Level::Each, access: Access::Unit };
        let job = |job, args: &[Value]| member(job, dtype, Level::Each, args);
        let row = |job, args: &[Value]| member(job, dtype, Level::Row, args);
        let sweep = |rank, len, inputs, members: Vec<Member>| {
            let outputs = vec![members.len() as u16 - 1];
            Sweep { rank, len, inputs, members, outputs, in_place: false, strided: false }
        };
        let tanh = vec![job(Job::Num2(Num2::Add), &[I(0), I(1)]), job(Job::Real1(Real1::Tanh), &[M(0)])];
        let softmax = vec![
            row(Job::Fold(Fold::Max), &[I(0)]),
            job(Job::Num2(Num2::Sub), &[I(0), M(0)]),
            job(Job::Real1(Real1::Exp), &[M(1)]),
            row(Job::Fold(Fold::Sum), &[M(2)]),
            job(Job::Real2(Real2::Div), &[M(2), M(3)]),
        ];
        let update = vec![job(Job::Num2(Num2::Mul), &[I(0), I(1)]), job(Job::Num2(Num2::Add), &[M(0), I(1)])];
        let update = Part { sweep: sweep(1, None, vec![each; 2], update), product: None };
        vec![
            Part { sweep: sweep(2, None, vec![each; 2], tanh), product: Some(0) },
            Part { sweep: sweep(2, Some(len), vec![each], softmax), product: None },
            update.clone(),
            Part { sweep: sweep(2, Some(len), vec![each], vec![row(Job::Fold(Fold::Sum), &[I(0)])]), product: None },
            update,
        ]
    }

    /// What it makes in the memory of a device: the state and the sums of all rounds.
    pub(crate) fn run(
        self,
        device: &Arc<dyn Device>,
        begin: impl FnOnce(&[Vec<PartRun>]) -> Result<(), BackendError>,
    ) -> Result<Vec<u8>, String> {
        let Self { dtype, rows, len, rounds } = self;
        let (text, size) = (|error: snekpy_stage::tensor::TensorError| error.to_string(), dtype.size());
        let sizes = [rows * len, len * len, len];
        let all = (sizes.iter().sum::<usize>() + rounds * (4 * rows * len + rows)) * size;
        let first = device.allocate(all, "a test", Use::Filled).map_err(text)?;
        let element = |at: usize| {
            let x = (at as f64 * 1.7).sin() * 0.6;
            if dtype == Dtype::F64 { x.to_le_bytes().to_vec() } else { (x as f32).to_le_bytes().to_vec() }
        };
        let mut bytes: Vec<u8> = (0..sizes.iter().sum()).flat_map(element).collect();
        bytes.resize(all, 0xa5);
        device.upload(first, &bytes).map_err(text)?;
        let mut at = first;
        let mut next = |count: usize| {
            let it = at;
            at += (count * size) as u64;
            it
        };
        let [mut state, w, bias] = sizes.map(&mut next);
        let given = |first: u64, count: usize, steps: &[i64]| Given::Memory {
            first,
            steps: steps.to_vec(),
            inside: (first, first + (count * size) as u64),
        };
        let across = len as i64;
        let mut launches = Vec::new();
        for _ in 0..rounds {
            let [h, p, middle, sums, end] = [rows * len, rows * len, rows * len, rows, rows * len].map(&mut next);
            let run = |dims: &[usize], inputs, to| PartRun {
                run: Run { dims: dims.to_vec(), inputs, outputs: vec![to], to_steps: Vec::new() },
                product: None,
            };
            let product = Product { dtype, m: rows, n: len, k: len, a: state, tail: None, b: w, to: h };
            let both = |x| vec![given(x, rows * len, &[]), given(p, rows * len, &[])];
            let inputs = vec![given(h, rows * len, &[across]), given(bias, len, &[0])];
            launches.push(vec![
                PartRun { product: Some(product), ..run(&[rows, len], inputs, h) },
                run(&[rows, len], vec![given(h, rows * len, &[across])], p),
                run(&[rows * len], both(state), middle),
                run(&[rows, len], vec![given(middle, rows * len, &[across])], sums),
                run(&[rows * len], both(middle), end),
            ]);
            state = end;
        }
        begin(&launches).map_err(|error| error.to_string())?;
        let mut made = vec![0; all];
        device.download(first, &mut made, &mut || {}).map_err(text)?;
        device.free(first, all);
        Ok(made)
    }

    /// The same by a kernel for each part.
    pub(crate) fn one_by_one(self, device: &Arc<dyn Device>) -> Result<Vec<u8>, String> {
        let parts = self.parts();
        self.run(device, |rounds| {
            for (part, given) in rounds.iter().flat_map(|it| parts.iter().zip(it)) {
                let done = match (part.product, &given.product) {
                    (Some(input), Some(product)) => {
                        let epilogue = Epilogue { sweep: part.sweep.clone(), input };
                        let begun = device.multiply_into(product, &epilogue, &given.run);
                        begun.expect("it makes such products").map_err(|error| BackendError(error.to_string()))
                    }
                    // SAFETY: the memory was allocated for it.
                    _ => device.sweep(&part.sweep).and_then(|code| unsafe { code.run(&given.run) }),
                };
                done?;
            }
            Ok(())
        })
    }
}

/// Loops of several sizes: rows that a team has, and that teams share.
pub(crate) const LOOPS: [Loop; 6] = [
    Loop { dtype: Dtype::F32, rows: 3, len: 5, rounds: 1 },
    Loop { dtype: Dtype::F32, rows: 33, len: 32, rounds: 3 },
    Loop { dtype: Dtype::F64, rows: 40, len: 17, rounds: 4 },
    Loop { dtype: Dtype::F32, rows: 2, len: 600, rounds: 2 },
    Loop { dtype: Dtype::F64, rows: 1, len: 300, rounds: 2 },
    Loop { dtype: Dtype::F32, rows: 2, len: 1100, rounds: 1 },
];
