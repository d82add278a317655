//! Operations on tensors that are large enough to be shared: the same bits by one thread and by several.

use snekpy_stage::tensor::elementwise::{Cmp, Num2, Real1, Real2, compare, num2, real1, real2, select};
use snekpy_stage::tensor::fused::{Group, Input, Member};
use snekpy_stage::tensor::reduce::{Fold, arg_extreme, fold};
use snekpy_stage::tensor::{Dtype, Given, Item, Operand, Tensor, TensorOp, cast, contract, layout, make};
use snekpy_stage::threads;
use snekpy_stage::types::TensorType;

use crate::fused::bits;

/// Numbers of all magnitudes that add up to something else in another order.
fn numbers(dtype: Dtype, dims: &[usize]) -> Tensor {
    let count: usize = dims.iter().product();
    let items: Vec<Item> = (0..count)
        .map(|i| Item::Float(((i * 7919 + 13) % 10007) as f64 * 1.37e-3 - 5.0 + 1.0 / (i + 1) as f64))
        .collect();
    make::from_items(dtype, &items, dims).expect("there is memory")
}

fn group(input: &Tensor, gives: &[usize], members: &[(TensorOp, &[u16])]) -> Tensor {
    let members = members.iter().map(|(op, args)| Member { op: op.clone(), args: args.to_vec() }).collect();
    let ty = TensorType::new(input.dtype(), input.dims());
    let group = Group::new(gives, vec![Input::Tensor(ty)], members).expect("they fit");
    let op = TensorOp::Fused(std::sync::Arc::new(group));
    let Ok(Given::Tensor(made)) = op.apply(&[Operand::Tensor(input)]) else { panic!("it gives a tensor") };
    made
}

/// Results of operations of each kind.
fn results() -> Vec<Vec<u64>> {
    let mut all = Vec::new();
    let sum = |axes: &[usize]| TensorOp::Fold { fold: Fold::Sum, axes: axes.to_vec() };
    let max = |axes: &[usize]| TensorOp::Fold { fold: Fold::Max, axes: axes.to_vec() };
    for dtype in [Dtype::F64, Dtype::F32] {
        let x = numbers(dtype, &[700_003]);
        let m = numbers(dtype, &[900, 700]);
        let turned = layout::permute(&m, &[1, 0]).expect("an order").to_dense().expect("there is memory");
        let turned = layout::permute(&turned, &[1, 0]).expect("an order");
        let above = compare(Cmp::Gt, &m, &turned).expect("one shape");
        let small = numbers(dtype, &[310, 300]);
        let made = [
            num2(Num2::Mul, &x, &x),
            real1(Real1::Exp, &x),
            real1(Real1::Sin, &x),
            real2(Real2::Div, &m, &turned),
            real1(Real1::Tanh, &turned),
            select(&above, &m, &turned),
            cast::cast(&turned, Dtype::I64),
            fold(Fold::Sum, &x, &[0]),
            fold(Fold::Sum, &m, &[0]),
            fold(Fold::Sum, &m, &[1]),
            fold(Fold::Sum, &turned, &[0, 1]),
            fold(Fold::Prod, &turned, &[1]),
            fold(Fold::Max, &x, &[0]),
            arg_extreme(&x, 0, false),
            arg_extreme(&m, 1, true),
            arg_extreme(&turned, 0, true),
            contract::matmul(&m, &turned.clone().as_dense().and_then(|it| layout::permute(&it, &[1, 0])).expect("one")),
            contract::matmul(&small, &layout::permute(&small, &[1, 0]).expect("an order")),
        ];
        all.extend(made.into_iter().map(|it| bits(&it.expect("it is defined"))));
        let exp = || TensorOp::Real1(Real1::Exp);
        let less = || TensorOp::Num2(Num2::Sub);
        let softmax: [(TensorOp, &[u16]); 7] = [
            (max(&[1]), &[0]),
            (TensorOp::InsertAxis(1), &[1]),
            (less(), &[0, 2]),
            (exp(), &[3]),
            (sum(&[1]), &[4]),
            (TensorOp::InsertAxis(1), &[5]),
            (TensorOp::Real2(Real2::Div), &[4, 6]),
        ];
        all.push(bits(&group(&m, &[900, 700], &softmax)));
        all.push(bits(&group(&x, &[700_003], &[(exp(), &[0]), (TensorOp::Num2(Num2::Mul), &[1, 0])])));
        let norm: [(TensorOp, &[u16]); 4] = [(max(&[0]), &[0]), (less(), &[0, 1]), (exp(), &[2]), (sum(&[0]), &[3])];
        all.push(bits(&group(&x, &[], &norm)));
    }
    all
}

#[test]
fn bits_do_not_depend_on_how_many_threads_there_are() {
    threads::set_count(3);
    let shared = results();
    threads::set_count(1);
    let alone = results();
    for (at, (shared, alone)) in shared.iter().zip(&alone).enumerate() {
        assert_eq!(shared, alone, "result {at}");
    }
}
