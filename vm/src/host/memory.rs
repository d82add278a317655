//! How much memory this process may still ask for.

/// Whether so many bytes more are within the limit on its address space. LLVM ends a process that has none left.
#[cfg(target_os = "linux")]
pub(crate) fn has_room(bytes: u64) -> bool {
    let mut limit = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: it writes into the struct that it is given.
    if unsafe { libc::getrlimit(libc::RLIMIT_AS, &raw mut limit) } != 0 || limit.rlim_cur == libc::RLIM_INFINITY {
        return true;
    }
    // The first number is the size of the address space, in pages.
    let pages = std::fs::read_to_string("/proc/self/statm").ok();
    let pages = pages.and_then(|it| it.split(' ').next()?.parse::<u64>().ok());
    // SAFETY: it only asks.
    let page = u64::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096);
    pages.is_none_or(|pages| limit.rlim_cur.saturating_sub(pages * page) >= bytes)
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn has_room(_bytes: u64) -> bool {
    true
}
