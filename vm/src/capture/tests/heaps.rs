//! Objects show what the running path sees, and in the end what they held before.

use std::collections::BTreeSet;
use std::rc::Rc;

use rustpython_vm::{PyObjectRef, VirtualMachine};

use super::text;
use crate::capture::heap::{Base, Entry, Heap, read, save};
use crate::host::test_vm::{Python, with_vm};

/// What a path does to an object: its number.
fn change(base: &mut Base, heap: &mut Heap, object: &PyObjectRef, to: impl FnOnce(), vm: &VirtualMachine) -> u32 {
    let number = base.keep(object, vm).expect("it is mutable");
    to();
    let contents = Rc::new(read(object, vm).expect("it is mutable"));
    heap.insert(number, Entry { object: object.clone(), contents });
    number
}

fn with_objects(test: impl FnOnce(&VirtualMachine, &Python<'_>, [(PyObjectRef, &str, &str); 4])) {
    with_vm(|vm, py| {
        py.run(
            "class Slots:\n    __slots__ = ('x',)\n    def __repr__(self): return f'{self.x}'\n\
             L, D, S, O = [1, 2], {'a': 1}, {1, 2}, Slots()\nO.x = 1",
        );
        let object = |name, first, second| (py.eval(name), first, second);
        let all = [
            object("L", "L.append(3)", "L.clear()"),
            object("D", "D.update(b=2)", "D.clear()"),
            object("S", "S.add(3)", "S.clear()"),
            object("O", "O.x = 2", "O.x = 3"),
        ];
        test(vm, py, all);
    });
}

#[test]
fn each_path_sees_its_own_changes_and_the_end_takes_all_back() {
    with_objects(|vm, py, objects| {
        for (object, first, second) in objects {
            let before = text(&object, vm);
            let (mut base, mut one, mut other) = (Base::default(), Heap::new(), Heap::new());
            let untouched = Heap::new();
            let number = change(&mut base, &mut one, &object, || py.run(first), vm);
            let after_first = text(&object, vm);
            assert_ne!(after_first, before);
            base.switch(&one, &BTreeSet::new(), &untouched, vm);
            assert_eq!(text(&object, vm), before, "a path that has not changed it");
            assert_eq!(change(&mut base, &mut other, &object, || py.run(second), vm), number);
            let after_second = text(&object, vm);
            base.switch(&other, &BTreeSet::new(), &one, vm);
            assert_eq!(text(&object, vm), after_first);
            base.switch(&one, &BTreeSet::new(), &other, vm);
            assert_eq!(text(&object, vm), after_second);
            base.end(vm);
            assert_eq!(text(&object, vm), before);
        }
    });
}

#[test]
fn what_a_path_has_changed_since_it_was_saved_is_put_back_too() {
    with_objects(|vm, py, objects| {
        for (object, first, second) in objects {
            let before = text(&object, vm);
            let (mut base, mut heap) = (Base::default(), Heap::new());
            let number = change(&mut base, &mut heap, &object, || py.run(first), vm);
            py.run(second);
            let changed = BTreeSet::from([number]);
            save(&mut heap, &changed, vm);
            let latest = text(&object, vm);
            base.switch(&heap, &changed, &Heap::new(), vm);
            assert_eq!(text(&object, vm), before);
            base.switch(&Heap::new(), &BTreeSet::new(), &heap, vm);
            assert_eq!(text(&object, vm), latest);
            base.end(vm);
        }
    });
}

#[test]
fn the_world_shows_what_it_holds_while_the_capture_pauses() {
    with_objects(|vm, py, objects| {
        for (object, first, _) in objects {
            let before = text(&object, vm);
            let (mut base, mut heap) = (Base::default(), Heap::new());
            change(&mut base, &mut heap, &object, || py.run(first), vm);
            let inside = text(&object, vm);
            base.switch(&heap, &BTreeSet::new(), &Heap::new(), vm);
            base.lift(vm);
            assert_eq!(text(&object, vm), before);
            assert!(base.is_as_before(|_| false, vm));
            base.lower(vm);
            base.switch(&Heap::new(), &BTreeSet::new(), &heap, vm);
            assert_eq!(text(&object, vm), inside);
            base.end(vm);
            assert_eq!(text(&object, vm), before);
        }
    });
}

#[test]
fn a_capture_that_ends_in_a_pause_shows_no_path_any_more() {
    with_objects(|vm, py, objects| {
        for (object, first, _) in objects {
            let before = text(&object, vm);
            let (mut base, mut heap) = (Base::default(), Heap::new());
            change(&mut base, &mut heap, &object, || py.run(first), vm);
            base.switch(&heap, &BTreeSet::new(), &Heap::new(), vm);
            base.lift(vm);
            // A function that was being built is given up, and the path that calls it would go on.
            base.switch(&Heap::new(), &BTreeSet::new(), &heap, vm);
            base.end(vm);
            assert_eq!(text(&object, vm), before);
        }
    });
}

#[test]
fn a_change_by_others_during_a_pause_is_seen() {
    with_objects(|vm, py, objects| {
        for (object, first, second) in objects {
            let (mut base, mut heap) = (Base::default(), Heap::new());
            change(&mut base, &mut heap, &object, || py.run(first), vm);
            base.switch(&heap, &BTreeSet::new(), &Heap::new(), vm);
            base.lift(vm);
            py.run(second);
            assert!(!base.is_as_before(|_| false, vm), "{second}");
            assert!(base.is_as_before(|_| true, vm), "nobody else can have changed it");
        }
    });
}

#[test]
fn only_what_is_mutable_is_kept() {
    with_vm(|vm, py| {
        let mut base = Base::default();
        for source in ["1", "'text'", "(1, [2])", "None", "range(3)"] {
            assert_eq!(base.keep(&py.eval(source), vm), None, "{source}");
        }
        assert_eq!(base.len(), 0);
    });
}
