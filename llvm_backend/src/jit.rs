//! Linking objects into this process.
//!
//! There is one LLJIT per process, and only finished objects enter it: so any thread can compile with its
//! own LLVM context, and code can be freed, by removing the resource tracker that its object came with.
//! The LLJIT itself is never destroyed: code may be running when the process ends.

use std::ffi::{CString, c_void};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use inkwell::llvm_sys::error::LLVMErrorRef;
use inkwell::llvm_sys::orc2::lljit::*;
use inkwell::llvm_sys::orc2::*;
use inkwell::memory_buffer::MemoryBuffer;
use snekpy_stage::backend::{Context, Status};

use crate::fault::{Fault, Result, check};
use crate::{shutdown, symbols, target};

/// The entry of compiled code: context, slots of the arguments, slots for the results.
pub(crate) type Entry = unsafe extern "C" fn(*mut Context, *const u64, *mut u64) -> Status;

/// What the entry of an object is called that is to be linked by [`Jit::load_objects`], which gives it a number.
pub(crate) const ENTRY: &str = "snekpy.0000000000000000";

/// The linker of this process.
pub(crate) struct Jit {
    lljit: LLVMOrcLLJITRef,
    dylib: LLVMOrcJITDylibRef,
}

// SAFETY: ORC's session, and with it everything reached through these pointers, locks for itself; LLVM
// documents that any thread may add, look up and remove.
unsafe impl Send for Jit {}
// SAFETY: as above.
unsafe impl Sync for Jit {}

/// Code in this process. Dropping it frees the memory.
pub(crate) struct Loaded {
    tracker: LLVMOrcResourceTrackerRef,
    /// Where it begins. Valid as long as this value lives.
    pub(crate) entry: Entry,
}

// SAFETY: a tracker is used only to be removed, under the session's lock; the entry is a plain function.
unsafe impl Send for Loaded {}
// SAFETY: as above.
unsafe impl Sync for Loaded {}

/// The linker of this process, made on first use.
pub(crate) fn jit() -> Result<&'static Jit> {
    static JIT: OnceLock<std::result::Result<Jit, String>> = OnceLock::new();
    JIT.get_or_init(|| Jit::new().map_err(|fault| fault.0)).as_ref().map_err(|message| Fault(message.clone()))
}

impl Jit {
    fn new() -> Result<Self> {
        target::host()?; // makes the targets known, without which there is no LLJIT
        let mut lljit = std::ptr::null_mut();
        // SAFETY: a null builder asks for the defaults.
        check(unsafe { LLVMOrcCreateLLJIT(&raw mut lljit, std::ptr::null_mut()) })?;
        // SAFETY: `lljit` was made by the line above, and is never destroyed.
        let jit = unsafe {
            let session = LLVMOrcLLJITGetExecutionSession(lljit);
            LLVMOrcExecutionSessionSetErrorReporter(session, note_error, std::ptr::null_mut());
            Self { lljit, dylib: LLVMOrcLLJITGetMainJITDylib(lljit) }
        };
        jit.define_symbols()?;
        Ok(jit)
    }

    /// Makes the runtime's functions known by name.
    fn define_symbols(&self) -> Result<()> {
        let exported = LLVMJITSymbolGenericFlags::LLVMJITSymbolGenericFlagsExported as u8
            | LLVMJITSymbolGenericFlags::LLVMJITSymbolGenericFlagsCallable as u8;
        let mut pairs: Vec<_> = symbols::all()
            .map(|symbol| {
                let name = CString::new(symbol.name).expect("the names are in our source, without zeros");
                LLVMOrcCSymbolMapPair {
                    // SAFETY: the LLJIT lives, and the name is a C string; the pool copies it.
                    Name: unsafe { LLVMOrcLLJITMangleAndIntern(self.lljit, name.as_ptr()) },
                    Sym: LLVMJITEvaluatedSymbol {
                        Address: symbol.address as u64,
                        Flags: LLVMJITSymbolFlags { GenericFlags: exported, TargetFlags: 0 },
                    },
                }
            })
            .collect();
        // SAFETY: the pairs are initialised; the unit takes over the names, the dylib takes over the unit.
        check(unsafe {
            let unit = LLVMOrcAbsoluteSymbols(pairs.as_mut_ptr(), pairs.len());
            LLVMOrcJITDylibDefine(self.dylib, unit)
        })
    }

    /// Links objects of which one defines [`ENTRY`], any number of times.
    pub(crate) fn load_objects(&self, objects: &[Arc<[u8]>]) -> Result<Loaded> {
        static LOADED: AtomicU64 = AtomicU64::new(0);
        let entry = format!("snekpy.{:016x}", LOADED.fetch_add(1, Ordering::Relaxed) | 1 << 60);
        let named = objects.iter().map(|object| {
            let mut object = object.to_vec();
            let mut at = 0;
            while let Some(found) = find(&object[at..], ENTRY.as_bytes()) {
                object[at + found..][..ENTRY.len()].copy_from_slice(entry.as_bytes());
                at += found + ENTRY.len();
            }
            MemoryBuffer::create_from_memory_range_copy(&object, &entry)
        });
        self.load(named.collect(), &entry)
    }

    /// Links objects of which one defines `entry`. The name must never have been used before.
    pub(crate) fn load(&self, objects: Vec<MemoryBuffer<'static>>, entry: &str) -> Result<Loaded> {
        let name = CString::new(entry).expect("the name is made by us, without zeros");
        // SAFETY: the dylib lives as long as the process.
        let tracker = unsafe { LLVMOrcJITDylibCreateResourceTracker(self.dylib) };
        for object in objects {
            let buffer = object.as_mut_ptr();
            // The buffer changes hands: LLVM disposes of it, also when it fails, so inkwell must not.
            std::mem::forget(object);
            // SAFETY: the tracker and the buffer were made above.
            if let Err(fault) = check(unsafe { LLVMOrcLLJITAddObjectFileWithRT(self.lljit, tracker, buffer) }) {
                free(tracker);
                return Err(fault);
            }
        }
        let mut address = 0;
        // SAFETY: the name is a C string.
        let found = check(unsafe { LLVMOrcLLJITLookup(self.lljit, &raw mut address, name.as_ptr()) });
        if let Err(fault) = found {
            free(tracker);
            let reason = NOTED.lock().unwrap_or_else(PoisonError::into_inner).take();
            return Err(Fault(format!("{}{}", fault.0, reason.map(|it| format!(": {it}")).unwrap_or_default())));
        }
        let address = address as usize as *const c_void;
        // SAFETY: the object defines this symbol as a function of this type: `lower` wrote it so.
        let entry = unsafe { std::mem::transmute::<*const c_void, Entry>(address) };
        Ok(Loaded { tracker, entry })
    }
}

impl Drop for Loaded {
    fn drop(&mut self) {
        let _stay = shutdown::enter();
        free(self.tracker);
    }
}

fn find(text: &[u8], word: &[u8]) -> Option<usize> {
    text.windows(word.len()).position(|it| it == word)
}

fn free(tracker: LLVMOrcResourceTrackerRef) {
    // SAFETY: the tracker came from `load`, and is removed and released once.
    unsafe {
        // Removal fails only if the session is gone, and ours never goes.
        let removed = check(LLVMOrcResourceTrackerRemove(tracker));
        debug_assert!(removed.is_ok(), "the session outlives all code");
        LLVMOrcReleaseResourceTracker(tracker);
    }
}

/// What ORC reported on its own account; the next failing lookup tells it.
static NOTED: Mutex<Option<String>> = Mutex::new(None);

extern "C" fn note_error(_: *mut c_void, error: LLVMErrorRef) {
    if let Err(fault) = check(error) {
        *NOTED.lock().unwrap_or_else(PoisonError::into_inner) = Some(fault.0);
    }
}
