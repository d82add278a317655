//! Order: stable, NaN last, negative and positive zero equal.

use std::cmp::Ordering;

use super::elem::{Elem, by_dtype};
use super::error::{Result, TensorError};
use super::op::TensorOp;
use super::trace;
use super::{Tensor, layout};

/// Least first; NaN behind everything.
fn order<W: PartialOrd>(x: &W, y: &W) -> Ordering {
    #[expect(clippy::eq_op, reason = "only a NaN is not itself")]
    x.partial_cmp(y).unwrap_or_else(|| (x != x).cmp(&(y != y)))
}

/// Calls with each line along an axis of a dense tensor in which that axis is the last.
fn lines(x: &Tensor, along: usize) -> Result<(Tensor, Vec<usize>)> {
    let mut turn: Vec<usize> = (0..x.rank()).filter(|at| *at != along).collect();
    turn.push(along);
    let dense = layout::permute(x, &turn)?.to_dense()?;
    Ok((dense, layout::inverse(&turn)))
}

/// Sorted along an axis.
pub fn sort(x: &Tensor, along: usize, descending: bool) -> Result<Tensor> {
    if let Some(noted) = trace::note(|| TensorOp::Sort { along, descending }, &[x]) {
        return noted;
    }
    let (dense, back) = lines(x, along)?;
    let len = x.dims()[along];
    by_dtype!(x.dtype(), E => {
        let mut all = dense.to_vec::<E>();
        for line in all.chunks_mut(len.max(1)) {
            if descending {
                line.sort_by(|x, y| order(&y.wide(), &x.wide()));
            } else {
                line.sort_by(|x, y| order(&x.wide(), &y.wide()));
            }
        }
        layout::permute(&Tensor::from_slice(&all, dense.dims())?, &back)?.to_dense()
    })
}

/// The positions that would sort an axis; equal ones stay in their order.
pub fn argsort(x: &Tensor, along: usize, descending: bool) -> Result<Tensor> {
    if let Some(noted) = trace::note(|| TensorOp::Argsort { along, descending }, &[x]) {
        return noted;
    }
    let (dense, back) = lines(x, along)?;
    let len = x.dims()[along];
    let mut found: Vec<i64> = Vec::new();
    by_dtype!(x.dtype(), E => for line in dense.to_vec::<E>().chunks(len.max(1)) {
        let mut at: Vec<i64> = (0..len as i64).collect();
        if descending {
            at.sort_by(|x, y| order(&line[*y as usize].wide(), &line[*x as usize].wide()));
        } else {
            at.sort_by(|x, y| order(&line[*x as usize].wide(), &line[*y as usize].wide()));
        }
        found.extend(at);
    });
    layout::permute(&Tensor::from_slice(&found, dense.dims())?, &back)?.to_dense()
}

/// The positions along an axis, parted: those of the first `kth` elements in order, the next one, the others. Both parts
/// are in the order of positions, and equal elements stay in theirs: so it does not matter how the parts are found.
pub fn arg_partition(x: &Tensor, along: usize, kth: usize, descending: bool) -> Result<Tensor> {
    if let Some(noted) = trace::note(|| TensorOp::ArgPartition { along, kth, descending }, &[x]) {
        return noted;
    }
    let len = x.dims()[along];
    if kth >= len {
        return Err(TensorError::Value(format!("kth(={kth}) out of bounds ({len})")));
    }
    let (dense, back) = lines(x, along)?;
    let mut found: Vec<i64> = Vec::with_capacity(x.count());
    by_dtype!(x.dtype(), E => for line in dense.to_vec::<E>().chunks(len) {
        let line: Vec<_> = line.iter().map(|it| it.wide()).collect();
        parted(&line, kth, |x, y| if descending { order(y, x) } else { order(x, y) }, &mut found);
    });
    layout::permute(&Tensor::from_slice(&found, dense.dims())?, &back)?.to_dense()
}

fn parted<W: Copy>(line: &[W], kth: usize, compare: impl Fn(&W, &W) -> Ordering, found: &mut Vec<i64>) {
    let (_, &mut between, _) = line.to_vec().select_nth_unstable_by(kth, &compare);
    let before = line.iter().filter(|it| compare(it, &between) == Ordering::Less).count();
    // So many of those that equal it come before it.
    let (mut equals, mut own) = (kth - before, None);
    let mut behind = Vec::with_capacity(line.len() - kth);
    for (at, it) in line.iter().enumerate() {
        let is_first = match compare(it, &between) {
            Ordering::Less => true,
            Ordering::Equal if equals > 0 => {
                equals -= 1;
                true
            }
            Ordering::Equal if own.is_none() => {
                own = Some(at as i64);
                continue;
            }
            Ordering::Equal | Ordering::Greater => false,
        };
        if is_first { found.push(at as i64) } else { behind.push(at as i64) }
    }
    found.extend(own);
    found.append(&mut behind);
}

/// Where each element of `values` belongs in a sorted line: before its equals, or behind them if `right`.
pub fn search(sorted: &Tensor, values: &Tensor, right: bool) -> Result<Tensor> {
    if let Some(noted) = trace::note(|| TensorOp::Search { right }, &[sorted, values]) {
        return noted;
    }
    debug_assert_eq!((sorted.rank(), sorted.dtype()), (1, values.dtype()), "checked by the caller");
    let found: Vec<i64> = by_dtype!(sorted.dtype(), E => {
        let line = sorted.to_vec::<E>();
        let place = |value: E| {
            line.partition_point(|it| match order(&it.wide(), &value.wide()) {
                Ordering::Less => true,
                Ordering::Equal => right,
                Ordering::Greater => false,
            }) as i64
        };
        values.to_vec::<E>().into_iter().map(place).collect()
    });
    Tensor::from_slice(&found, values.dims())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_partition_is_in_the_order_of_positions() {
        let x = Tensor::from_slice(&[3.0_f64, 1.0, f64::NAN, 2.0, 1.0, 0.0], &[6]).unwrap();
        let at = |kth, descending| arg_partition(&x, 0, kth, descending).unwrap().to_vec::<i64>();
        assert_eq!(at(0, false), [5, 0, 1, 2, 3, 4]);
        assert_eq!(at(1, false), [5, 1, 0, 2, 3, 4]);
        assert_eq!(at(2, false), [1, 5, 4, 0, 2, 3]);
        assert_eq!(at(5, false), [0, 1, 3, 4, 5, 2]);
        assert_eq!(at(1, true), [2, 0, 1, 3, 4, 5]);
        assert!(arg_partition(&x, 0, 6, false).is_err());
    }

    #[test]
    fn a_partition_has_what_sorting_puts_first() {
        let items: Vec<i64> = (0..200).map(|it| it * 7919 % 23).collect();
        let x = Tensor::from_slice(&items, &[4, 50]).unwrap();
        for kth in [0, 7, 49] {
            let parted = arg_partition(&x, 1, kth, false).unwrap().to_vec::<i64>();
            let sorted = argsort(&x, 1, false).unwrap().to_vec::<i64>();
            for (parted, sorted) in parted.chunks(50).zip(sorted.chunks(50)) {
                let mut first = parted[..kth].to_vec();
                let mut expected = sorted[..kth].to_vec();
                expected.sort_unstable();
                first.sort_unstable();
                assert_eq!((first, parted[kth]), (expected, sorted[kth]));
            }
        }
    }
}
