//! Code and the process: threads, and memory that is given back.

use std::sync::Arc;

use snekpy_llvm::{Cpu, Level, Llvm, LlvmOptions};
use snekpy_stage::backend::Backend;

use crate::support::{compile, int, llvm, parse, run};

const SQUARES: &str = "
func @squares(v0: i64) -> i64 {
block0:
    v1: i64 = const 0
    jump block1(v1, v1)
block1(v2: i64, v3: i64):
    v4: bool = lt v2, v0
    branch v4, block2, block3
block2:
    v5: i64 = mul v2, v2
    v6: i64 = add v3, v5
    v7: i64 = const 1
    v8: i64 = add v2, v7
    jump block1(v8, v6)
block3:
    return v3
}";

fn squares(n: i64) -> u64 {
    int((0..n).map(|it| it * it).sum())
}

#[test]
fn eight_threads_run_one_code() {
    let module = parse(SQUARES);
    let code = compile(Level::O3, &module);
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let (code, module) = (&code, &module);
            scope.spawn(move || {
                for n in 0..2000 {
                    assert_eq!(run(&**code, module, &[int(n + thread)]).results, [squares(n + thread)]);
                }
            });
        }
    });
}

#[test]
fn eight_threads_compile_at_once() {
    std::thread::scope(|scope| {
        for thread in 0..8 {
            scope.spawn(move || {
                for n in 0..5 {
                    let module = parse(&SQUARES.replace("const 0", &format!("const {}", thread * n)));
                    let code = compile(Level::O3, &module);
                    let first = thread * n;
                    let expected: i64 = first + (first..50).map(|it| it * it).sum::<i64>();
                    assert_eq!(run(&*code, &module, &[50]).results, [int(expected)]);
                }
            });
        }
    });
}

/// How many pieces of executable memory this process has that come from no file.
fn mapped() -> usize {
    let maps = std::fs::read_to_string("/proc/self/maps").expect("Linux tells");
    maps.lines().filter(|line| line.contains(" r-xp ") && line.trim_end().ends_with(" 0")).count()
}

#[test]
fn dropped_code_is_freed() {
    let module = parse(SQUARES);
    let kept: Vec<_> = (0..64).map(|_| compile(Level::O0, &module)).collect();
    let with_all = mapped();
    drop(kept);
    let without = mapped();
    assert!(with_all >= without + 32, "{with_all} executable mappings before, {without} after");
}

#[test]
fn code_lives_as_long_as_anyone_holds_it() {
    let module = parse(SQUARES);
    let first = compile(Level::O3, &module);
    let second = Arc::clone(&first);
    drop(first);
    assert_eq!(run(&*second, &module, &[10]).results, [squares(10)]);
}

#[test]
fn another_processor_can_be_named() {
    let options = LlvmOptions { cpu: Cpu::Named("generic".to_owned()), ..LlvmOptions::default() };
    let module = parse(SQUARES);
    let code = Llvm::new(options).compile(&module).expect("every machine is generic");
    assert_eq!(run(&*code, &module, &[10]).results, [squares(10)]);
    assert_eq!(llvm(Level::O0).name(), "llvm-O0");
}

/// Ends the process while other threads compile, and returns how it ended.
fn exit_while_compiling() -> std::process::ExitStatus {
    let itself = std::env::current_exe().expect("a test knows its file");
    let mut child = std::process::Command::new(itself);
    child.args(["--exact", "process::the_process_may_end_while_others_compile", "--nocapture"]);
    child.env(CHILD, "1").stdout(std::process::Stdio::null()).status().expect("it starts")
}

/// Tells the child apart from the test that starts it.
const CHILD: &str = "SNEKPY_TEST_EXITS_WHILE_COMPILING";

#[test]
fn the_process_may_end_while_others_compile() {
    if std::env::var_os(CHILD).is_none() {
        for _ in 0..5 {
            let status = exit_while_compiling();
            assert_eq!(status.code(), Some(7), "{status}");
        }
        return;
    }
    let (compiled, first) = std::sync::mpsc::channel();
    for _ in 0..4 {
        let compiled = compiled.clone();
        std::thread::spawn(move || {
            loop {
                compile(Level::O3, &parse(SQUARES));
                let _ = compiled.send(()); // nobody listens after the first
            }
        });
    }
    first.recv().expect("the threads live");
    std::process::exit(7);
}
