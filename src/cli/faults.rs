//! The handlers of memory faults, by which Rust tells that the stack has overflowed.

/// Builds an interpreter. `RustPython` asks for the handler of each signal by setting another one and then the
/// first one again, without its flags, and the handler of a stack overflow cannot run without them.
#[cfg(unix)]
pub(crate) fn keeping_handlers<T>(build: impl FnOnce() -> T) -> T {
    let faults = [libc::SIGSEGV, libc::SIGBUS];
    let before = faults.map(|signal| {
        let mut action = std::mem::MaybeUninit::<libc::sigaction>::uninit();
        // SAFETY: nothing is set, and what is there is written before it is read; both signals exist.
        unsafe {
            libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr());
            action.assume_init()
        }
    });
    let built = build();
    for (signal, action) in faults.iter().zip(&before) {
        // SAFETY: the action is the one that was there.
        unsafe { libc::sigaction(*signal, action, std::ptr::null_mut()) };
    }
    built
}

/// Builds an interpreter.
#[cfg(not(unix))]
pub(crate) fn keeping_handlers<T>(build: impl FnOnce() -> T) -> T {
    build()
}
