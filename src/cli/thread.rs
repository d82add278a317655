//! The thread that Python runs on.
//!
//! Recursion through native code (a sort key that sorts, a deep tree in the compiler) needs stack
//! before it reaches Python's own limit, more than the 8 MB a process starts with. The program
//! therefore runs on a thread of its own; the first thread only waits, with all signals blocked, so
//! that Ctrl-C interrupts system calls of the one that matters.

use std::thread::Builder;

/// Reserved, not used: a page is given when it is first touched.
const STACK_SIZES: [usize; 3] = [512 << 20, 64 << 20, 8 << 20];

/// Runs `main` on a large stack. It ends the process itself.
pub(crate) fn run(main: impl FnOnce() -> std::convert::Infallible + Send + 'static) -> ! {
    let mask = block_signals();
    let mut main = Some(move || {
        restore_signals(&mask);
        main()
    });
    for size in STACK_SIZES {
        // What could not be started is given back, and tried with less.
        let (give, take) = std::sync::mpsc::channel();
        let started = Builder::new().name("snekpy".to_owned()).stack_size(size).spawn(move || {
            let main: Box<dyn FnOnce() -> std::convert::Infallible + Send> =
                take.recv().expect("the first thread sends before it waits");
            main()
        });
        let Ok(thread) = started else { continue };
        let main = main.take().expect("it is taken once: the loop ends here");
        give.send(Box::new(main)).expect("the thread is waiting for it");
        match thread.join() {
            Ok(never) => match never {},
            // It has printed its own message.
            Err(_panic) => std::process::exit(crate::cli::exit::BUG),
        }
    }
    crate::cli::exit::fail("cannot start a thread: no memory for its stack", crate::cli::exit::FAILURE)
}

#[cfg(unix)]
fn block_signals() -> libc::sigset_t {
    let mut before = std::mem::MaybeUninit::uninit();
    let mut all = std::mem::MaybeUninit::uninit();
    // SAFETY: both sets are written before they are read: `sigfillset` fills the one,
    // `pthread_sigmask` the other; it cannot fail with these arguments.
    unsafe {
        libc::sigfillset(all.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr());
        before.assume_init()
    }
}

#[cfg(unix)]
fn restore_signals(mask: &libc::sigset_t) {
    // SAFETY: `mask` is a valid set, and a null pointer is allowed for the old one.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, mask, std::ptr::null_mut()) };
}
