//! Operations as texts.

use super::*;

#[test]
fn texts_are_read_back() {
    let constant = Constant::new(Tensor::from_slice(&[1.5_f32, -0.0, f32::NAN], &[3]).unwrap());
    let ops = [
        TensorOp::Constant(constant),
        TensorOp::Full { dtype: Dtype::Bf16, dims: vec![2, 0], item: Item::Float(-0.0), home: Home::HERE },
        TensorOp::Full { dtype: Dtype::I32, dims: vec![], item: Item::Int(-7), home: Home::on("cuda:1").unwrap() },
        TensorOp::To(Home::HERE),
        TensorOp::To(Home::on("simt").unwrap()),
        TensorOp::Real2Into(Real2::Div),
        TensorOp::Num2Into(Num2::Add),
        TensorOp::Slice { along: 1, first: 2, len: 3, step: -1 },
        TensorOp::Gather(vec![true, false]),
        TensorOp::Put(Box::new(TensorOp::PickAt { along: 1, inside: false })),
        TensorOp::PickAt { along: 0, inside: true },
        TensorOp::Memory(Dtype::F32),
        TensorOp::MemoryOf { dtype: Dtype::Bool, rank: 2 },
        TensorOp::Again { run: 3, moving: Vec::new() },
        TensorOp::Again { run: 3, moving: vec![Dtype::F32, Dtype::F64] },
        TensorOp::Ran(0),
        TensorOp::PutAt(vec![false, true]),
        TensorOp::ArgPartition { along: 1, kth: 4, descending: true },
        TensorOp::Plus(Box::new(TensorOp::Place { view: Box::new(TensorOp::InsertAxis(1)), dims: vec![2, 3] })),
        TensorOp::Fold { fold: Fold::Sum, axes: vec![0, 2] },
        TensorOp::Fold { fold: Fold::Max, axes: vec![] },
        TensorOp::Scan { scan: Scan::Sum, along: 0 },
        TensorOp::Compare(Cmp::Le),
        TensorOp::Bits { key: u64::MAX, stream: 3, dims: vec![4], home: Home::HERE },
        TensorOp::BitsAt { stream: 1, dims: vec![], home: Home::on("simt").unwrap() },
        TensorOp::Same,
        TensorOp::LuSolve,
        TensorOp::Extent(4_471_303),
    ];
    let names = (Num1::ALL.iter().map(|it| TensorOp::Num1(*it)))
        .chain(Real1::ALL.iter().map(|it| TensorOp::Real1(*it)))
        .chain(Num2::ALL.iter().map(|it| TensorOp::Num2(*it)))
        .chain(Real2::ALL.iter().map(|it| TensorOp::Real2(*it)))
        .chain(Bits2::ALL.iter().map(|it| TensorOp::Bits2(*it)))
        .chain(Decomposition::ALL.iter().map(|it| TensorOp::Decompose(*it)))
        .chain(Test1::ALL.iter().map(|it| TensorOp::Test1(*it)));
    for op in ops.into_iter().chain(names) {
        let text = op.to_string();
        let read = TensorOp::from_text(&text).unwrap_or_else(|| panic!("`{text}` is not read"));
        assert_eq!(read.to_string(), text);
    }
    assert_eq!(TensorOp::from_text("slice 1 2"), None);
    assert_eq!(TensorOp::from_text("item 3"), None);
}
