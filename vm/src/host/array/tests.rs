//! Views of arrays: what is accepted, what they show, and what they forbid while they are held.

use super::*;
use crate::host::test_vm::{Python, with_vm};

fn view(source: &str, vm: &VirtualMachine, py: &Python<'_>) -> Option<ArrayView> {
    array_view(&py.eval(source), vm).unwrap_or_else(|exc| panic!("{}", py.traceback(&exc)))
}

/// The elements as doubles and integers in turn, whatever they are.
fn elements<T: Copy>(view: &ArrayView) -> Vec<T> {
    assert_eq!(view.elem.size(), size_of::<T>());
    // SAFETY: the view holds the export, and the test runs nothing meanwhile.
    unsafe { std::slice::from_raw_parts(view.ptr.cast::<T>(), view.len) }.to_vec()
}

#[test]
fn arrays_of_every_element() {
    with_vm(|vm, py| {
        py.run("from array import array");
        let doubles = view("array('d', [1.5, -2])", vm, py).unwrap();
        assert_eq!((doubles.elem, elements(&doubles)), (Elem::F64, vec![1.5f64, -2.0]));
        let floats = view("array('f', [0.5])", vm, py).unwrap();
        assert_eq!((floats.elem, elements(&floats)), (Elem::F32, vec![0.5f32]));
        let small = view("array('i', [1, -1, 2**31-1])", vm, py).unwrap();
        assert_eq!((small.elem, elements(&small)), (Elem::I32, vec![1i32, -1, i32::MAX]));
        for code in ["q", "l"] {
            let ints = view(&format!("array('{code}', [1, -1, 2**63-1])"), vm, py).unwrap();
            assert_eq!((ints.elem, elements(&ints)), (Elem::I64, vec![1i64, -1, i64::MAX]));
        }
        assert_eq!(array_elem(&py.eval("array('f', [1, 2, 3])"), vm), Some((Elem::F32, 3)));
    });
}

#[test]
fn memoryviews() {
    with_vm(|vm, py| {
        py.run("from array import array\na = array('d', range(6))\nb = bytearray(b'\\0\\1\\1\\0')");
        let part = view("memoryview(a)[2:5]", vm, py).unwrap();
        assert_eq!(elements::<f64>(&part), [2.0, 3.0, 4.0]);
        let bools = view("memoryview(b).cast('?')", vm, py).unwrap();
        assert_eq!((bools.elem, elements::<u8>(&bools)), (Elem::Bool, vec![0, 1, 1, 0]));
        let cast = view("memoryview(a).cast('B').cast('@q')", vm, py).unwrap();
        assert_eq!((cast.elem, cast.len), (Elem::I64, 6));
        assert_eq!(array_elem(&py.eval("memoryview(a)[1:1]"), vm), Some((Elem::F64, 0)));
    });
}

#[test]
fn everything_else_is_not_an_array() {
    with_vm(|vm, py| {
        py.run(
            "from array import array\na = array('d', range(6))\nclass Mine(array): pass\nb = bytearray(24)\nclass array_like:\n    def __buffer__(self, flags): return memoryview(b)",
        );
        for source in [
            "None",
            "1.5",
            "[1.0, 2.0]",
            "b",
            "bytes(8)",
            "memoryview(b)",
            "array('I', [1])",
            "array('Q', [1])",
            "array('b', [1])",
            "array('u', 'x')",
            "array",
            "Mine('d', [1.0])",
            "array_like()",
            "memoryview(a)[::2]",
            "memoryview(a)[::-1]",
            "memoryview(a).toreadonly()",
            "memoryview(bytes(16)).cast('d')",
            "memoryview(a).cast('B').cast('d', (2, 3))",
            "memoryview(b)[1:9].cast('d')",
            "memoryview(b'\\0').cast('?')",
            "memoryview(bytearray(b'\\0\\2')).cast('?')",
        ] {
            assert!(view(source, vm, py).is_none(), "{source}");
        }
        py.run("released = memoryview(a)\nreleased.release()");
        let error = array_view(&py.eval("released"), vm).unwrap_err();
        assert_eq!(py.describe(&error), "ValueError: operation forbidden on released memoryview object");
        assert_eq!(array_elem(&py.eval("released"), vm), None);
    });
}

#[test]
fn a_view_writes_through_and_fixes_the_size() {
    with_vm(|vm, py| {
        py.run("from array import array\na = array('q', [1, 2, 3])");
        let held = view("a", vm, py).unwrap();
        // SAFETY: the view is held and has three elements.
        unsafe { held.ptr.cast::<i64>().add(1).write(20) };
        assert_eq!(py.text("a"), "array('q', [1, 20, 3])");
        assert_eq!(py.error("a.append(4)"), "BufferError: cannot resize an array that is exporting buffers");
        py.run("a[0] = 10\na[1:3] = array('q', [21, 31])\na.reverse()");
        assert_eq!(elements::<i64>(&held), [31, 21, 10], "in place, and no lock is held");
        drop(held);
        py.run("a.append(4)");
        assert_eq!(array_elem(&py.eval("a"), vm), Some((Elem::I64, 4)));
    });
}

#[test]
fn one_array_can_be_viewed_twice() {
    with_vm(|vm, py| {
        py.run("from array import array\na = array('d', [1.0])\nm = memoryview(a)");
        let (first, second, third) = (view("a", vm, py), view("a", vm, py), view("m", vm, py));
        let (first, second, third) = (first.unwrap(), second.unwrap(), third.unwrap());
        assert_eq!((first.ptr, first.ptr), (second.ptr, third.ptr));
        drop(first);
        assert!(py.error("a.append(1.0)").starts_with("BufferError"), "two are left");
        drop((second, third));
        py.run("m.release()\na.append(1.0)");
    });
}

#[test]
fn empty_arrays() {
    with_vm(|vm, py| {
        py.run("from array import array");
        for source in ["array('d')", "memoryview(array('d'))", "memoryview(array('d', [1.0]))[1:]"] {
            let view = view(source, vm, py).unwrap();
            assert_eq!((view.elem, view.len), (Elem::F64, 0), "{source}");
            assert!(view.ptr.cast::<f64>().is_aligned() && !view.ptr.is_null());
        }
    });
}
