//! Products of matrices on a device.
//!
//! Two matrices wait for what follows; one matrix by which rows of many are multiplied is one product. A library takes factors
//! as they lie, and many products at once; for a kernel of our own they are dense, one after the other.

use std::sync::Arc;

use super::fold::one_step;
use super::later::{now, wait_product};
use super::run::{self, Key, run};
use super::step::Step;
use super::sweep::Job;
use super::{Device, Factor, Product, Products, address_of, blank, lines, replay};
use crate::tensor::error::{Result, TensorError};
use crate::tensor::{Dims, Dtype, Tensor, cast, layout};

/// Libraries have sizes of 32 bits.
const MOST: usize = i32::MAX as usize;

/// Products of the matrices in the last two axes; the axes before are stretched.
pub(super) fn multiply(
    device: &Arc<dyn Device>,
    a: &Tensor,
    b: &Tensor,
    (dtype, dims): (Dtype, &Dims),
) -> Result<Tensor> {
    let to = blank(device, dtype, dims)?;
    if to.count() == 0 {
        return Ok(to);
    }
    let before = dims.len() - 2;
    let stretched = |it: &Tensor| -> Result<Tensor> {
        let it = it.brought_to(device)?;
        let all: Vec<usize> = dims[..before].iter().chain(&it.dims()[it.rank() - 2..]).copied().collect();
        layout::broadcast_to(&it, &all)
    };
    let (a, b) = (stretched(a)?, stretched(b)?);
    if a.count() == 0 {
        each_product(device, &a, &b, &to)?;
        return Ok(to);
    }
    if before == 0 && device.multiplies(dtype) {
        wait_product(device, [&a, &b], &to)?;
        return Ok(to);
    }
    if before > 0 && (0..before).all(|axis| b.dims()[axis] == 1 || b.steps()[axis] == 0) {
        // All rows are multiplied by one matrix.
        let rows = dims[..=before].iter().product();
        let a = layout::reshape(&a, &[rows, a.dims()[before + 1]])?;
        let b = (0..before).try_fold(b, |it, _| layout::pick(&it, 0, 0))?;
        let made = multiply(device, &a, &b, (dtype, &Dims::from_slice(&[rows, dims[before + 1]])?))?;
        return layout::reshape(&made, dims);
    }
    if device.multiplies_all(dtype) {
        let factors = [a, b].map(|it| if Factor::of(&it).is_some() { Ok(it) } else { it.as_dense() });
        let [a, b] = factors;
        let (a, b) = (a?, b?);
        a.begin()?;
        b.begin()?;
        let step = Step::Products(Products::of([&a, &b], dtype, address_of(&to)));
        return replay::begin(device, step).unwrap_or_else(|| refused(device)).map(|()| to);
    }
    each_product(device, &a, &b, &to)?;
    Ok(to)
}

/// A device does not do what it has said it does.
pub(super) fn refused(device: &Arc<dyn Device>) -> Result<()> {
    Err(TensorError::Type(format!("{} has no product of these matrices", device.name())))
}

impl Factor {
    /// How the matrices in the last two axes of a view lie, if a library takes them as they are.
    pub(super) fn of(x: &Tensor) -> Option<Self> {
        let before = x.rank() - 2;
        let matrix = usize::try_from(one_step(x, 0, before)?).ok()?;
        let ([rows, columns], [down, right]) =
            ([x.dims()[before], x.dims()[before + 1]], [x.steps()[before], x.steps()[before + 1]]);
        let lies = |turned, [rows, columns]: [usize; 2], [down, right]: [isize; 2]| {
            // Where there is one row, nothing is so far from it.
            let row = if rows == 1 { columns } else { usize::try_from(down).ok()? };
            let fits = (columns == 1 || right == 1) && row >= columns && row.max(rows) <= MOST;
            fits.then_some(Self { turned, row, matrix })
        };
        lies(false, [rows, columns], [down, right]).or_else(|| lies(true, [columns, rows], [right, down]))
    }
}

impl Products {
    /// Of the matrices in the last two axes of these factors, each of which a library takes, or is dense.
    pub(super) fn of(factors: [&Tensor; 2], dtype: Dtype, to: u64) -> Self {
        let [a, b] = factors;
        let last = a.rank() - 2;
        let (m, k, n) = (a.dims()[last], a.dims()[last + 1], b.dims()[last + 1]);
        let dense = |it: &Tensor| Factor {
            turned: false,
            row: it.dims()[last + 1],
            matrix: it.dims()[last] * it.dims()[last + 1],
        };
        let first = Product { dtype, m, n, k, a: address_of(a), tail: None, b: address_of(b), to };
        let count = a.dims()[..last].iter().product();
        Self { first, factors: factors.map(|it| Factor::of(it).unwrap_or_else(|| dense(it))), count }
    }

    /// The only product, if its factors are dense.
    pub(super) fn plain(&self) -> Option<Product> {
        let [a, b] = self.factors;
        let is_dense = self.count == 1 && !a.turned && !b.turned && a.row == self.first.k && b.row == self.first.n;
        is_dense.then_some(self.first)
    }
}

fn each_product(device: &Arc<dyn Device>, a: &Tensor, b: &Tensor, to: &Tensor) -> Result<()> {
    if to.rank() == 2 {
        return product(device, a, b, to);
    }
    (0..to.dims()[0] as i64).try_for_each(|at| {
        let [a, b, to] = [a, b, to].map(|it| layout::pick(it, 0, at));
        each_product(device, &a?, &b?, &to?)
    })
}

/// The product of two matrices, to a dense one.
fn product(device: &Arc<dyn Device>, a: &Tensor, b: &Tensor, to: &Tensor) -> Result<()> {
    let (a, b, dtype) = (a.as_dense()?, b.as_dense()?, to.dtype());
    a.begin()?;
    b.begin()?;
    let (m, n, k) = (to.dims()[0], to.dims()[1], a.dims()[1]);
    let whole = Products::of([&a, &b], dtype, address_of(to)).first;
    if let Some(done) = replay::begin(device, Step::Product(whole)) {
        return done;
    }
    let wide = match dtype {
        // What wraps in 64 bits and is cut wraps in 32.
        Dtype::I32 => Dtype::I64,
        Dtype::F16 | Dtype::Bf16 => Dtype::F32,
        Dtype::Bool | Dtype::I64 | Dtype::F32 | Dtype::F64 => {
            let elem = dtype.elem();
            let key = Key { job: run::Job::Product, takes: elem, gives: elem };
            // Views of whole memory begin where they begin.
            let (a, b) = (lines::dense(&a)?, lines::dense(&b)?);
            return run(device, key, &[m, n], (&[&a, &b], &[k as i64, n as i64]), address_of(to));
        }
    };
    let found = blank(device, wide, to.dims())?;
    product(device, &cast::cast(&a, wide)?, &cast::cast(&b, wide)?, &found)?;
    now(device, Job::Cast, &[&found], to)
}
