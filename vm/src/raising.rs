//! Raising in the name of the user's code: tracebacks that show the user's frames and nothing else.

use rustpython_vm::VirtualMachine;
use rustpython_vm::builtins::PyBaseExceptionRef;
use rustpython_vm::bytecode;
use snekpy_stage::entity::{Loc, Table};
use snekpy_stage::ir::LocData;

use crate::host::traceback::{self, TraceEntry};
use crate::site::Site;

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
    let entries: Vec<TraceEntry> = sites_of(loc, locs, sites).filter(|site| is_users(site)).map(entry).collect();
    // An exception is worth more than its traceback.
    let _ = traceback::add_traceback(exception, &entries, vm);
}

/// The places that a location stands for: its own, and those of the calls that were inlined to get there.
pub(crate) fn sites_of<'a>(
    loc: Option<Loc>,
    locs: &'a Table<Loc, LocData>,
    sites: &'a [Site],
) -> impl Iterator<Item = &'a Site> {
    let first = loc.and_then(|loc| locs.lookup(loc));
    let chain = std::iter::successors(first, |data| data.caller.and_then(|caller| locs.lookup(caller)));
    chain.filter_map(|data| sites.get(data.tag as usize))
}

/// Whether the function there has a handler for what is raised there.
pub(crate) fn is_handled(site: &Site) -> bool {
    bytecode::find_exception_handler(&site.code.code.exceptiontable, site.unit).is_some()
}

fn is_users(site: &Site) -> bool {
    !crate::code::is_helper(&site.code)
}

fn entry(site: &Site) -> TraceEntry {
    TraceEntry { code: site.code.clone(), globals: site.globals.clone(), unit: site.unit }
}
