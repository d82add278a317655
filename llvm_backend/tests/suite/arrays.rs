//! Arrays of every element type.

use snekpy_stage::types::Elem;

use crate::support::{LEVELS, compile, int, parse, run};

/// Copies one array into another and returns the length.
fn copy(elem: Elem) -> String {
    format!(
        "func @copy(v0: [{0}], v1: [{0}]) -> i64 {{
        block0:
            v2: i64 = len v0
            v3: i64 = const 0
            jump block1(v3)
        block1(v4: i64):
            v5: bool = lt v4, v2
            branch v5, block2, block3
        block2:
            v6: {1} = load v0, v4
            store v1, v4, v6
            v7: i64 = const 1
            v8: i64 = add v4, v7
            jump block1(v8)
        block3:
            return v2
        }}",
        elem.text(),
        elem.value_type()
    )
}

#[test]
fn elements_of_every_type_are_copied() {
    for elem in Elem::ALL {
        let module = parse(&copy(elem));
        for level in LEVELS {
            let code = compile(level, &module);
            for len in [0u64, 1, 3, 8, 100, 5000, 16384] {
                let bytes: Vec<u64> = match elem {
                    Elem::Bool => {
                        (0..len).map(|it| u64::from_ne_bytes([0, 1, 1, (it % 2) as u8, 1, 0, 1, 0])).collect()
                    }
                    // Every number, and every NaN that is quiet: so is what is loaded.
                    Elem::F16 | Elem::Bf16 => {
                        let (infinite, quiet) = if elem == Elem::F16 { (0x7c00, 0x200) } else { (0x7f80, 0x40) };
                        let bits = |it: u64| if it & 0x7fff > infinite { it | quiet } else { it };
                        (0..len).map(|it| (0..4).map(|of| bits((4 * it + of) & 0xffff) << (16 * of)).sum()).collect()
                    }
                    Elem::I32 | Elem::I64 => (0..len).map(|it| it.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect(),
                    Elem::F32 => {
                        (0..len).map(|it| u64::from((it as f32 * 0.37).to_bits()) << 32 | 0x3f80_0000).collect()
                    }
                    Elem::F64 => (0..len).map(|it| (it as f64 * -0.37).to_bits()).collect(),
                };
                let mut copied = vec![0u64; bytes.len()];
                let count = bytes.len() * 8 / elem.size();
                let args = [bytes.as_ptr() as u64, count as u64, copied.as_mut_ptr() as u64, count as u64];
                let ran = run(&*code, &module, &args);
                assert_eq!(ran.results, [int(count as i64)], "{level:?} {elem:?}");
                assert_eq!(copied, bytes, "{level:?} {elem:?} {len}");
            }
        }
    }
}
