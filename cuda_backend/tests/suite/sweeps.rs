//! Sweeps to test with: every job on every dtype that it is defined for, at edge values; random ones; a few that are
//! recorded. And running them in the memory of a device.

use std::sync::Arc;

use half::{bf16, f16};
use snekpy_stage::tensor::Dtype;
use snekpy_stage::tensor::device::sweep::{
    Access, Axis, Given, Input, Job, Level, Member, Run, Sweep, SweepCode, Value, is_defined,
};
use snekpy_stage::tensor::device::{Device, Use};
use snekpy_stage::tensor::elementwise::{Bits1, Bits2, Cmp, Num1, Num2, Real1, Real2, Test1};
use snekpy_stage::tensor::reduce::Fold;

use super::generate::Random;

/// A sweep and what it is run on.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) sweep: Sweep,
    dims: Vec<usize>,
    arrays: Vec<Array>,
    /// Where the first element of an output that is not dense is, and its steps.
    to: Option<(usize, Vec<i64>)>,
}

/// An input: elements, or one number; where the first is, and steps.
struct Array {
    bytes: Vec<u8>,
    first: usize,
    steps: Vec<i64>,
}

/// Elements of a dtype: edge values, then others.
fn elements(dtype: Dtype, count: usize, random: &mut Random, edges: usize) -> Vec<u8> {
    const FLOATS: [f64; 20] = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        -1.5,
        2.5,
        3.0,
        -7.0,
        1e30,
        -1e-30,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        0.1,
        1e-39,
        65504.0,
        1e-7,
        88.8,
        -104.0,
    ];
    const INTS: [i64; 16] =
        [0, 1, -1, 2, 7, -5, i64::MIN, i64::MAX, 12, -12, 3, 31, 33, 64, i32::MIN as i64, i32::MAX as i64];
    let mut bytes = Vec::new();
    for at in 0..count {
        let is_edge = at < edges || edges > 0 && random.below(16) == 0;
        let float = match is_edge {
            true => FLOATS[at % FLOATS.len()],
            false => random.below(8000) as f64 / 1000.0 - 4.0,
        };
        let int = if is_edge { INTS[at % INTS.len()] } else { random.below(200) as i64 - 100 };
        match dtype {
            Dtype::Bool => bytes.push(u8::from(random.below(2) == 1)),
            Dtype::I32 => bytes.extend((int as i32).to_le_bytes()),
            Dtype::I64 => bytes.extend(int.to_le_bytes()),
            Dtype::F32 => bytes.extend((float as f32).to_le_bytes()),
            Dtype::F64 => bytes.extend(float.to_le_bytes()),
            // Any bits that the upper half of a single, or a half, may have and that are near 1 or an edge.
            Dtype::F16 => {
                let edges = [0, 0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 0x0001, 0x7bff, 0x3800];
                let bits = if is_edge { edges[at % 10] } else { 0x3000 + random.below(0x1400) as u16 };
                bytes.extend((bits | (random.below(2) as u16) << 15).to_le_bytes());
            }
            Dtype::Bf16 => {
                let bits = if is_edge {
                    ((FLOATS[at % 20] as f32).to_bits() >> 16) as u16
                } else {
                    0x3e00 + random.below(0x240) as u16
                };
                bytes.extend((bits | (random.below(2) as u16) << 15).to_le_bytes());
            }
        }
    }
    bytes
}

/// The bytes of a number of a dtype of floats.
fn float(dtype: Dtype, x: f32) -> Vec<u8> {
    match dtype {
        Dtype::F64 => f64::from(x).to_le_bytes().to_vec(),
        Dtype::F16 => f16::from_f32(x).to_le_bytes().to_vec(),
        Dtype::Bf16 => bf16::from_f32(x).to_le_bytes().to_vec(),
        _ => x.to_le_bytes().to_vec(),
    }
}

fn member(job: Job, dtype: Dtype, level: Level, args: &[Value]) -> Member {
    Member { job, dtype, level, args: args.to_vec() }
}

/// Evenly distributed singles, as `snekpy.random` makes them of random bits.
pub(crate) fn uniform(count: usize) -> Case {
    use Value::{Input as I, Member as M};
    let number = |dtype| Input { dtype, level: Level::Row, access: Access::Number };
    let array = |bytes: &[u8]| Array { bytes: bytes.to_vec(), first: 0, steps: Vec::new() };
    let each = |job, dtype, args: &[Value]| member(job, dtype, Level::Each, args);
    let sweep = Sweep {
        rank: 1,
        len: None,
        inputs: vec![number(Dtype::I64), number(Dtype::I64), number(Dtype::I64), number(Dtype::F32)],
        members: vec![
            each(Job::Bits { stream: 3 }, Dtype::I64, &[I(0)]),
            each(Job::Bits2(Bits2::Right), Dtype::I64, &[M(0), I(1)]),
            each(Job::Bits2(Bits2::And), Dtype::I64, &[M(1), I(2)]),
            each(Job::Cast, Dtype::F32, &[M(2)]),
            each(Job::Num2(Num2::Mul), Dtype::F32, &[M(3), I(3)]),
        ],
        outputs: vec![4, 0],
        in_place: false,
        strided: false,
    };
    let arrays = vec![
        array(&0x0123_4567_89ab_cdef_i64.to_le_bytes()),
        array(&40_i64.to_le_bytes()),
        array(&0xff_ffff_i64.to_le_bytes()),
        array(&(2.0_f32.powi(-24)).to_le_bytes()),
    ];
    Case { name: "uniform_f32".to_owned(), sweep, dims: vec![count], arrays, to: None }
}

/// Random bits of rows and of their positions, and what they fold to.
pub(crate) fn bits_in_rows(rows: usize, len: usize) -> Case {
    use Value::{Input as I, Member as M};
    let input = Input { dtype: Dtype::I64, level: Level::Row, access: Access::Number };
    let bits = Job::Bits { stream: 1 };
    let members = vec![
        member(bits, Dtype::I64, Level::Each, &[I(0)]),
        member(bits, Dtype::I64, Level::Row, &[I(0)]),
        member(Job::Bits2(Bits2::Xor), Dtype::I64, Level::Each, &[M(0), M(1)]),
        member(Job::Fold(Fold::Sum), Dtype::I64, Level::Row, &[M(2)]),
    ];
    let sweep = Sweep {
        rank: 2,
        len: Some(len),
        inputs: vec![input],
        members,
        outputs: vec![0, 1, 3],
        in_place: false,
        strided: false,
    };
    let key = Array { bytes: (-7_i64).to_le_bytes().to_vec(), first: 0, steps: Vec::new() };
    Case { name: format!("random bits in rows of {len}"), sweep, dims: vec![rows, len], arrays: vec![key], to: None }
}

/// What is read at positions, joined with something else, and added where others say: in rows, or not.
pub(crate) fn placed(dtype: Dtype, rows: usize, len: usize, in_rows: bool) -> Case {
    use Value::{Input as I, Member as M};
    const TABLE: usize = 5;
    let mut random = Random(len as u64);
    let first = len / 3;
    let mut positions = |count: usize, size: usize| -> Vec<u8> {
        (0..count).flat_map(|_| (random.below(2 * size) as i64 - size as i64).to_le_bytes()).collect()
    };
    let at = [positions(rows * len, TABLE), positions(rows, len)];
    let mut array = |count: usize, steps: &[i64]| Array {
        bytes: elements(dtype, count, &mut random, 4),
        first: 0,
        steps: steps.to_vec(),
    };
    let words = |bytes: &[u8], steps: &[i64]| Array { bytes: bytes.to_vec(), first: 0, steps: steps.to_vec() };
    let number = |it: usize| words(&(it as i64).to_le_bytes(), &[]);
    let (rest, width) = (len - first, len as i64);
    let arrays = vec![
        array(rows * TABLE, if in_rows { &[TABLE as i64] } else { &[TABLE as i64, 0] }),
        words(&at[0], &[width]),
        number(TABLE),
        number(1),
        array(first + rows * rest, &[rest as i64]),
        number(first),
        words(&at[1], if in_rows { &[1] } else { &[1, 0] }),
        array(rows * len, &[width]),
    ];
    let input = |dtype, level, access| Input { dtype, level, access };
    let level = if in_rows { Level::Row } else { Level::Each };
    let numbers = input(Dtype::I64, Level::Row, Access::Number);
    let inputs = vec![
        input(dtype, level, Access::Steps),
        input(Dtype::I64, Level::Each, Access::Unit),
        numbers,
        numbers,
        input(dtype, Level::Each, Access::Unit),
        numbers,
        input(Dtype::I64, level, Access::Steps),
        input(dtype, Level::Each, Access::Unit),
    ];
    let axis = Axis::of(&[rows, len], 1);
    let each = |job, args: &[Value]| member(job, dtype, Level::Each, args);
    let mut members = vec![
        each(Job::Gather, &[I(0), I(1), I(2), I(3)]),
        each(Job::Concat(axis), &[I(7), I(5), I(4)]),
        each(Job::Num2(Num2::Mul), &[M(0), M(1)]),
        each(Job::AddAt(axis), &[I(6), M(2)]),
        each(Job::AddAt(Axis::of(&[rows, len], 0)), &[I(3), I(7)]),
    ];
    for lower in [false, true] {
        let [rows, columns] = [0, 1].map(|it| Axis::of(&[rows, len], it));
        members.push(each(Job::Triangle { rows, columns, lower }, &[I(7), I(3)]));
    }
    if in_rows {
        members.push(member(Job::Fold(Fold::Max), dtype, Level::Row, &[M(3)]));
    }
    let sweep = Sweep {
        rank: 2,
        len: in_rows.then_some(len),
        inputs,
        outputs: (0..members.len() as u16).collect(),
        members,
        in_place: false,
        strided: false,
    };
    let how = if in_rows { "in rows" } else { "flat" };
    Case { name: format!("placed {dtype}, {rows} by {len}, {how}"), sweep, dims: vec![rows, len], arrays, to: None }
}

/// All jobs of one operand, or all of two, or all of three, on each dtype: a sweep for each, which writes every result.
pub(crate) fn jobs() -> Vec<Case> {
    let mut cases = Vec::new();
    for dtype in Dtype::ALL {
        let defined = |takes: usize, jobs: &mut dyn Iterator<Item = (Job, Dtype)>| -> Vec<(Job, Dtype)> {
            jobs.filter(|&(job, gives)| is_defined(job, &vec![dtype; takes], gives)).collect()
        };
        let mut families: Vec<(&str, Vec<(Job, Dtype)>)> = Vec::new();
        let mut one = vec![(Job::Copy, dtype)];
        one.extend(defined(1, &mut Num1::ALL.iter().map(|&op| (Job::Num1(op), dtype))));
        one.extend(defined(1, &mut Bits1::ALL.iter().map(|&op| (Job::Bits1(op), dtype))));
        one.extend(defined(1, &mut Test1::ALL.iter().map(|&op| (Job::Test1(op), Dtype::Bool))));
        one.extend(Dtype::ALL.into_iter().filter(|&to| to != dtype).map(|to| (Job::Cast, to)));
        families.push(("one", one));
        for (part, functions) in Real1::ALL.chunks(7).enumerate() {
            let name = ["functions 1", "functions 2", "functions 3", "functions 4"][part];
            families.push((name, defined(1, &mut functions.iter().map(|&op| (Job::Real1(op), dtype)))));
        }
        let mut two = defined(2, &mut Cmp::ALL.iter().map(|&op| (Job::Compare(op), Dtype::Bool)));
        two.extend(defined(2, &mut Num2::ALL.iter().map(|&op| (Job::Num2(op), dtype))));
        two.extend(defined(2, &mut Bits2::ALL.iter().map(|&op| (Job::Bits2(op), dtype))));
        two.extend(defined(2, &mut Real2::ALL.iter().map(|&op| (Job::Real2(op), dtype))));
        families.push(("two", two));
        families.push(("three", vec![(Job::Select, dtype)]));
        for (family, jobs) in families.into_iter().filter(|it| !it.1.is_empty()) {
            cases.push(on_edges(&format!("{family} of {dtype}"), dtype, &jobs));
        }
    }
    cases
}

fn on_edges(name: &str, dtype: Dtype, jobs: &[(Job, Dtype)]) -> Case {
    const SIDE: usize = 40;
    let mut random = Random(7);
    let operands = match jobs[0].0 {
        Job::Select => 3,
        Job::Num2(_) | Job::Real2(_) | Job::Bits2(_) | Job::Compare(_) => 2,
        _ => 1,
    };
    let mut sweep = Sweep {
        rank: 1,
        len: None,
        inputs: Vec::new(),
        members: Vec::new(),
        outputs: Vec::new(),
        in_place: false,
        strided: false,
    };
    let (mut arrays, dims) = match operands {
        1 => {
            sweep.inputs.push(Input { dtype, level: Level::Each, access: Access::Unit });
            // More than two blocks of threads take at once, and some.
            (vec![Array { bytes: elements(dtype, 4500, &mut random, 60), first: 0, steps: Vec::new() }], vec![4500])
        }
        _ => {
            sweep.rank = 2;
            sweep.inputs.push(Input { dtype, level: Level::Each, access: Access::Steps });
            sweep.inputs.push(Input { dtype, level: Level::Each, access: Access::Unit });
            let row = Array { bytes: elements(dtype, SIDE, &mut random, 20), first: SIDE - 1, steps: vec![-1, 0] };
            let column = Array { bytes: elements(dtype, SIDE, &mut random, 20), first: 0, steps: vec![0] };
            (vec![row, column], vec![SIDE, SIDE])
        }
    };
    let mut args: Vec<Value> = (0..arrays.len()).map(|it| Value::Input(it as u16)).collect();
    if operands == 3 {
        sweep.inputs.push(Input { dtype: Dtype::Bool, level: Level::Each, access: Access::Unit });
        arrays.push(Array {
            bytes: elements(Dtype::Bool, SIDE * SIDE, &mut random, 0),
            first: 0,
            steps: vec![SIDE as i64],
        });
        args.insert(0, Value::Input(2));
    }
    for (at, &(job, gives)) in jobs.iter().enumerate() {
        sweep.members.push(member(job, gives, Level::Each, &args));
        sweep.outputs.push(at as u16);
    }
    Case { name: name.to_owned(), sweep, dims, arrays, to: None }
}

/// Some sweep, of random members.
pub(crate) fn random(seed: u64) -> Case {
    let mut random = Random(seed ^ 0x5eed_5eed);
    let len =
        random.pick(&[None, Some(1), Some(10), Some(16), Some(100), Some(1000), Some(1024), Some(1500), Some(5000)]);
    let rank = if len.is_some() { 2 } else { 1 + random.below(3) };
    let dims: Vec<usize> = match len {
        Some(len) => vec![1 + random.below(if len > 1024 { 2 } else { 40 }), len],
        None => (0..rank).map(|_| 1 + random.below([5000, 60, 14][rank - 1])).collect(),
    };
    let dtypes: Vec<Dtype> = (0..2).map(|_| random.pick(&Dtype::ALL)).collect();
    let (mut inputs, mut arrays) = (Vec::new(), Vec::new());
    for at in 0..2 + random.below(3) {
        let dtype = dtypes[at % 2];
        let (level, access) = match (random.below(5), len) {
            (0, _) if at > 0 => (Level::Row, Access::Number),
            (1, Some(_)) => (Level::Row, Access::Steps),
            (2, _) => (Level::Each, Access::Steps),
            _ => (Level::Each, Access::Unit),
        };
        let input = Input { dtype, level, access };
        let mut steps: Vec<i64> = vec![1; rank];
        let mut first = 0;
        let mut room = 1;
        let step = if access == Access::Steps { 1 + random.below(2) } else { 1 };
        for axis in (0..rank).rev() {
            steps[axis] = (room * step) as i64;
            room *= dims[axis];
        }
        room = room * step + 3;
        if access == Access::Steps && random.below(3) == 0 {
            // Backwards along the first axis.
            first = steps[0] as usize * (dims[0] - 1);
            steps[0] = -steps[0];
        }
        match (access, level) {
            (Access::Number, _) => steps.clear(),
            (Access::Unit, _) => steps.truncate(rank - 1),
            (Access::Steps, Level::Row) => steps.truncate(1),
            (Access::Steps, _) => {}
        }
        let count = if access == Access::Number { 1 } else { room };
        arrays.push(Array { bytes: elements(dtype, count, &mut random, 3), first, steps });
        inputs.push(input);
    }
    let mut sweep =
        Sweep { rank, len, inputs, members: Vec::new(), outputs: Vec::new(), in_place: false, strided: false };
    for _ in 0..3 + random.below(10) {
        let made = random_member(&sweep, &mut random);
        sweep.members.push(made);
    }
    if sweep.len.is_some() && !sweep.members.iter().any(|it| it.job.folds()) {
        let each = (0..sweep.inputs.len()).find(|&it| sweep.inputs[it].level == Level::Each).unwrap_or(0);
        let dtype = sweep.inputs[each].dtype;
        let fold = random.pick(Fold::ALL);
        sweep.members.push(member(Job::Fold(fold), dtype, Level::Row, &[Value::Input(each as u16)]));
    }
    sweep.outputs.push(sweep.members.len() as u16 - 1);
    for at in 0..sweep.members.len() as u16 - 1 {
        if random.below(3) == 0 {
            sweep.outputs.push(at);
        }
    }
    let to = (sweep.len.is_none() && random.below(3) == 0).then(|| {
        sweep.strided = true;
        sweep.outputs.truncate(1);
        // Every other element, the axes in the other order, and backwards along the first one.
        let mut steps: Vec<i64> = (0..rank).map(|axis| 2 * dims[..axis].iter().product::<usize>() as i64).collect();
        steps[0] = -steps[0];
        (2 * (dims[0] - 1), steps)
    });
    Case { name: format!("random sweep {seed}"), sweep, dims, arrays, to }
}

fn random_member(sweep: &Sweep, random: &mut Random) -> Member {
    let mut values: Vec<Value> = (0..sweep.inputs.len()).map(|it| Value::Input(it as u16)).collect();
    values.extend((0..sweep.members.len()).map(|it| Value::Member(it as u16)));
    let x = values[values.len() - 1 - random.below(values.len().min(4))];
    let dtype = sweep.dtype(x);
    let same: Vec<Value> = values.iter().copied().filter(|&it| sweep.dtype(it) == dtype).collect();
    let y = random.pick(&same);
    let (is_float, is_bool) = (dtype.is_float(), dtype == Dtype::Bool);
    if sweep.len.is_some() && random.below(6) == 0 {
        return member(Job::Arg { greatest: random.below(2) == 0 }, Dtype::I64, Level::Row, &[x]);
    }
    if sweep.len.is_some() && random.below(3) == 0 {
        return member(Job::Fold(random.pick(Fold::ALL)), dtype, Level::Row, &[x]);
    }
    let (job, gives, args) = match random.below(9) {
        0 => (Job::Cast, random.pick(&Dtype::ALL), vec![x]),
        1 if !is_bool => (Job::Num1(random.pick(Num1::ALL)), dtype, vec![x]),
        2 if is_float => {
            (Job::Real1(random.pick(&[Real1::Exp, Real1::Log, Real1::Sqrt, Real1::Tanh, Real1::Round])), dtype, vec![x])
        }
        3 if !is_float => (Job::Bits2(random.pick(&[Bits2::And, Bits2::Or, Bits2::Xor])), dtype, vec![x, y]),
        4 => (Job::Compare(random.pick(Cmp::ALL)), Dtype::Bool, vec![x, y]),
        5 => {
            let conds: Vec<Value> = values.iter().copied().filter(|&it| sweep.dtype(it) == Dtype::Bool).collect();
            match conds[..] {
                [] => (Job::Copy, dtype, vec![x]),
                _ => (Job::Select, dtype, vec![random.pick(&conds), x, y]),
            }
        }
        6 if is_float => (Job::Real2(Real2::Div), dtype, vec![x, y]),
        _ if is_bool => (Job::Bits1(Bits1::Not), dtype, vec![x]),
        _ => {
            let ops = [Num2::Add, Num2::Sub, Num2::Mul, Num2::Min, Num2::Max];
            (Job::Num2(random.pick(&ops)), dtype, vec![x, y])
        }
    };
    let is_of_row = args.iter().all(|&it| sweep.level(it) == Level::Row);
    let level = if is_of_row && sweep.len.is_some() { Level::Row } else { Level::Each };
    member(if gives == dtype && job == Job::Cast { Job::Copy } else { job }, gives, level, &args)
}

/// The sweep of `e / e.sum()` with `e = exp(x - x.max())`, of rows.
pub(crate) fn softmax(dtype: Dtype, rows: usize, len: usize) -> Case {
    use Value::{Input as I, Member as M};
    let members = vec![
        member(Job::Fold(Fold::Max), dtype, Level::Row, &[I(0)]),
        member(Job::Num2(Num2::Sub), dtype, Level::Each, &[I(0), M(0)]),
        member(Job::Real1(Real1::Exp), dtype, Level::Each, &[M(1)]),
        member(Job::Fold(Fold::Sum), dtype, Level::Row, &[M(2)]),
        member(Job::Real2(Real2::Div), dtype, Level::Each, &[M(2), M(3)]),
    ];
    of_rows(&format!("softmax_{dtype}_{len}"), dtype, rows, len, members)
}

/// `d - log(exp(d).sum())` with `d = x - x.max()`, of rows.
pub(crate) fn log_softmax(dtype: Dtype, rows: usize, len: usize) -> Case {
    use Value::{Input as I, Member as M};
    let members = vec![
        member(Job::Fold(Fold::Max), dtype, Level::Row, &[I(0)]),
        member(Job::Num2(Num2::Sub), dtype, Level::Each, &[I(0), M(0)]),
        member(Job::Real1(Real1::Exp), dtype, Level::Each, &[M(1)]),
        member(Job::Fold(Fold::Sum), dtype, Level::Row, &[M(2)]),
        member(Job::Real1(Real1::Log), dtype, Level::Row, &[M(3)]),
        member(Job::Num2(Num2::Sub), dtype, Level::Each, &[M(1), M(4)]),
    ];
    of_rows(&format!("log_softmax_{dtype}_{len}"), dtype, rows, len, members)
}

/// A softmax of singles so far apart that many quotients are tiny or nothing.
pub(crate) fn steep_softmax(rows: usize, len: usize) -> Case {
    let mut it = softmax(Dtype::F32, rows, len);
    it.name = format!("steep_{}", it.name);
    for bytes in it.arrays[0].bytes.as_chunks_mut::<4>().0 {
        *bytes = (f32::from_le_bytes(*bytes) * 14.0).to_le_bytes();
    }
    it
}

/// The greatest and the least element of rows of zeros, of either sign, and of numbers that are all on one side of them.
pub(crate) fn zeros(dtype: Dtype, rows: usize, len: usize) -> Case {
    let input = [Value::Input(0)];
    let members =
        [Fold::Max, Fold::Min].map(|fold| member(Job::Fold(fold), dtype, Level::Row, &input)).into_iter().collect();
    let mut it = of_rows(&format!("zeros {dtype}, {rows} by {len}"), dtype, rows, len, members);
    it.sweep.outputs = vec![0, 1];
    let mut random = Random(len as u64);
    let bytes = (0..rows * len).flat_map(|at| {
        let other = if (at / len).is_multiple_of(2) { 1.0 } else { -1.0 };
        float(dtype, random.pick(&[0.0, -0.0, other]))
    });
    it.arrays[0].bytes = bytes.collect();
    it
}

/// `d / sqrt((d * d).mean() + 1e-5)` with `d = x - x.mean()`, of rows.
pub(crate) fn layer_norm(dtype: Dtype, rows: usize, len: usize) -> Case {
    use Value::{Input as I, Member as M};
    let members = vec![
        member(Job::Fold(Fold::Sum), dtype, Level::Row, &[I(0)]),
        member(Job::Real2(Real2::Div), dtype, Level::Row, &[M(0), I(1)]),
        member(Job::Num2(Num2::Sub), dtype, Level::Each, &[I(0), M(1)]),
        member(Job::Num2(Num2::Mul), dtype, Level::Each, &[M(2), M(2)]),
        member(Job::Fold(Fold::Sum), dtype, Level::Row, &[M(3)]),
        member(Job::Real2(Real2::Div), dtype, Level::Row, &[M(4), I(1)]),
        member(Job::Num2(Num2::Add), dtype, Level::Row, &[M(5), I(2)]),
        member(Job::Real1(Real1::Sqrt), dtype, Level::Row, &[M(6)]),
        member(Job::Real2(Real2::Div), dtype, Level::Each, &[M(2), M(7)]),
    ];
    let mut it = of_rows(&format!("layer_norm_{dtype}_{len}"), dtype, rows, len, members);
    for number in [len as f32, 1e-5] {
        it.sweep.inputs.push(Input { dtype, level: Level::Row, access: Access::Number });
        it.arrays.push(Array { bytes: float(dtype, number), first: 0, steps: Vec::new() });
    }
    it
}

fn of_rows(name: &str, dtype: Dtype, rows: usize, len: usize, members: Vec<Member>) -> Case {
    let outputs = vec![members.len() as u16 - 1];
    let inputs = vec![Input { dtype, level: Level::Each, access: Access::Unit }];
    let sweep = Sweep { rank: 2, len: Some(len), inputs, members, outputs, in_place: false, strided: false };
    let bytes = elements(dtype, rows * len, &mut Random(3), 0);
    Case {
        name: name.to_owned(),
        sweep,
        dims: vec![rows, len],
        arrays: vec![Array { bytes, first: 0, steps: vec![len as i64] }],
        to: None,
    }
}

/// Runs it in the memory of a device: the outputs' bytes, in which a NaN is a NaN.
pub(crate) fn run(case: &Case, device: &Arc<dyn Device>, code: &dyn SweepCode) -> Result<Vec<Vec<u8>>, String> {
    let text = |error: snekpy_stage::tensor::TensorError| error.to_string();
    let mut blocks = Vec::new();
    let mut allocate = |bytes: usize| -> Result<u64, String> {
        let at = device.allocate(bytes.max(1), "a test", Use::Filled).map_err(text)?;
        blocks.push((at, bytes.max(1)));
        Ok(at)
    };
    let mut inputs = Vec::new();
    for (input, array) in case.sweep.inputs.iter().zip(&case.arrays) {
        let size = input.dtype.size();
        if input.access == Access::Number {
            let mut word = [0; 8];
            word[..size].copy_from_slice(&array.bytes[..size]);
            inputs.push(Given::Number(u64::from_le_bytes(word)));
            continue;
        }
        let at = allocate(array.bytes.len())?;
        device.upload(at, &array.bytes).map_err(text)?;
        let inside = (at, at + array.bytes.len() as u64);
        inputs.push(Given::Memory { first: at + (array.first * size) as u64, steps: array.steps.clone(), inside });
    }
    let (mut outputs, mut sizes) = (Vec::new(), Vec::new());
    for &it in &case.sweep.outputs {
        let made = &case.sweep.members[usize::from(it)];
        let count: usize = match made.level {
            Level::Each => case.dims.iter().product(),
            Level::Row => case.dims[0],
        };
        let bytes = count * made.dtype.size() * if case.to.is_some() { 2 } else { 1 };
        let at = allocate(bytes)?;
        let first = case.to.as_ref().map_or(0, |it| it.0) * made.dtype.size();
        sizes.push((made.dtype, at, bytes));
        // What is not written stands out.
        device.upload(at, &vec![0xa5; bytes]).map_err(text)?;
        outputs.push(at + first as u64);
    }
    let launch = Run {
        dims: case.dims.clone(),
        inputs,
        outputs,
        to_steps: case.to.iter().flat_map(|it| it.1.clone()).collect(),
    };
    // SAFETY: the memory was allocated for it.
    unsafe { code.run(&launch) }.map_err(|error| error.to_string())?;
    let mut found = Vec::new();
    for &(dtype, at, bytes) in &sizes {
        let mut to = vec![0; bytes];
        device.download(at, &mut to, &mut || {}).map_err(text)?;
        canonical(dtype, &mut to);
        found.push(to);
    }
    for (at, bytes) in blocks {
        device.free(at, bytes);
    }
    Ok(found)
}

/// Which NaN it is, is left open.
fn canonical(dtype: Dtype, bytes: &mut [u8]) {
    let size = dtype.size();
    for it in bytes.chunks_mut(size).filter(|_| dtype.is_float()) {
        let mut word = [0; 8];
        word[..size].copy_from_slice(it);
        let bits = u64::from_le_bytes(word);
        let is_nan = match dtype {
            Dtype::F16 => bits & 0x7fff > 0x7c00,
            Dtype::Bf16 => bits & 0x7fff > 0x7f80,
            Dtype::F32 => bits & 0x7fff_ffff > 0x7f80_0000,
            _ => f64::from_bits(bits).is_nan(),
        };
        if is_nan {
            it.fill(0xff);
        }
    }
}

/// Says where two results differ.
pub(crate) fn same(case: &Case, found: &[Vec<u8>], expected: &[Vec<u8>]) -> Result<(), String> {
    for (output, (found, expected)) in found.iter().zip(expected).enumerate() {
        let made = &case.sweep.members[usize::from(case.sweep.outputs[output])];
        let size = made.dtype.size();
        let differs = found.chunks(size).zip(expected.chunks(size)).position(|(x, y)| x != y);
        if let Some(at) = differs {
            let (x, y) = (&found[at * size..][..size], &expected[at * size..][..size]);
            return Err(format!(
                "{}: element {at} of output {output}, {:?} of {}, is {x:02x?}, not {y:02x?} ({:?})\n{:?}",
                case.name, made.job, made.dtype, case.dims, case.sweep
            ));
        }
    }
    Ok(())
}
