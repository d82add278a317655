//! Arrays of the crate `ndarray` and Python's.

use ndarray::{Array2, ArrayD, Axis, array, s};
use snekpy::{Engine, Script, Tensor};

fn script() -> Script {
    Engine::new().run("import snekpy.numpy as np").expect("it runs")
}

#[test]
fn arrays_of_any_layout_go_in_without_a_copy_and_come_out() {
    let script = script();
    let whole = Array2::from_shape_fn((4, 6), |(i, j)| (10 * i + j) as f64);
    let mut part = whole.clone();
    part.slice_collapse(s![1..;2, ..;-2]);
    part.swap_axes(0, 1);
    let expected: Vec<f64> = part.iter().copied().collect();
    let at = part.as_ptr();
    let x = Tensor::from(part);
    assert_eq!((x.shape(), x.as_ptr::<f64>().expect("floats").cast_const()), (&[3, 2][..], at));
    assert_eq!(x.to_vec::<f64>().expect("floats"), expected);
    script.set("x", &x).expect("it is set");
    script.extend("y = x + 1\nx[0, 0] = -1").expect("it runs");
    let y: ArrayD<f64> = script.get::<Tensor>("y").expect("an array").to_ndarray().expect("floats");
    assert_eq!(y.iter().copied().collect::<Vec<_>>(), expected.iter().map(|it| it + 1.0).collect::<Vec<_>>());
    assert_eq!(x.to_ndarray::<f64>().expect("floats")[[0, 0]], -1.0);
}

#[test]
fn views_go_in_copied_and_come_out_in_place() {
    let script = script();
    let rows = array![[1.0_f32, 2.0], [3.0, 4.0], [5.0, 6.0]];
    let x = Tensor::from(rows.index_axis(Axis(1), 1));
    assert_eq!(x.to_vec::<f32>().expect("floats"), [2.0, 4.0, 6.0]);
    script.set("x", &x).expect("it is set");
    script.extend("y = np.stack([x, x * 2], 1)[:, ::-1].T").expect("it runs");
    let y: Tensor = script.get("y").expect("an array");
    // SAFETY: nobody writes.
    assert!(unsafe { y.view::<f32>() }.is_err(), "an axis runs backwards");
    script.extend("y = y[::-1]").expect("it runs");
    let y: Tensor = script.get("y").expect("an array");
    // SAFETY: nobody writes.
    let view = unsafe { y.view::<f32>() }.expect("floats");
    assert_eq!(view, array![[2.0_f32, 4.0, 6.0], [4.0, 8.0, 12.0]].into_dyn());
}
