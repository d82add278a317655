//! Raising in the name of the user's code: tracebacks that show the user's frames and nothing else.

use rustpython_vm::VirtualMachine;
use rustpython_vm::builtins::PyBaseExceptionRef;

use snekpy_stage::entity::{Loc, Table};
use snekpy_stage::ir::LocData;

use crate::capture::session::Site;
use crate::host::traceback::{self, TraceEntry};

/// Adds frames to the traceback of an exception, innermost first.
pub(crate) fn add_sites(exception: &PyBaseExceptionRef, sites: &[Site], vm: &VirtualMachine) {
    let entries: Vec<TraceEntry> = sites.iter().filter(|site| is_users(site)).map(entry).collect();
    // An exception is worth more than its traceback.
    let _ = traceback::add_traceback(exception, &entries, vm);
}

/// Adds the frames of a location, the function itself first and then its inlined callers.
pub(crate) fn add_loc(
    exception: &PyBaseExceptionRef,
    loc: Option<Loc>,
    locs: &Table<Loc, LocData>,
    sites: &[Site],
    vm: &VirtualMachine,
) {
    let mut entries = Vec::new();
    let mut next = loc;
    while let Some(data) = next.and_then(|loc| locs.lookup(loc)) {
        if let Some(site) = sites.get(data.tag as usize).filter(|site| is_users(site)) {
            entries.push(entry(site));
        }
        next = data.caller;
    }
    // An exception is worth more than its traceback.
    let _ = traceback::add_traceback(exception, &entries, vm);
}

fn is_users(site: &Site) -> bool {
    !crate::capture::helpers::is_helper(&site.code)
}

fn entry(site: &Site) -> TraceEntry {
    TraceEntry { code: site.code.clone(), globals: site.globals.clone(), unit: site.unit }
}
