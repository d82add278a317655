//! Work of a GPU that begins at once: what is launched on a stream of its own while that is captured.

use std::sync::Arc;

use cudarc::driver::{result, sys};
use snekpy_stage::tensor::Result;
use snekpy_stage::tensor::device::Graph;

use super::device::{Device, Fault, guarded};
use super::memory::raised;

/// A graph that the driver has prepared.
pub(super) struct CudaGraph {
    device: Arc<Device>,
    exec: sys::CUgraphExec,
}

// SAFETY: it is launched by one thread at a time, as it is told to be (`Recording`), and the driver lets that be any.
unsafe impl Send for CudaGraph {}
// SAFETY: as above.
unsafe impl Sync for CudaGraph {}

impl CudaGraph {
    /// What `work` launches on the device from this thread; other threads go on as ever.
    pub(super) fn of(device: &Arc<Device>, work: &mut dyn FnMut() -> Result<()>) -> Result<Self> {
        let exec = guarded("preparing a graph", || {
            device.captured(|stream| {
                // Nothing that this thread does meanwhile waits for the device.
                let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;
                // SAFETY: it is a stream of the context, which is the thread's.
                unsafe { result::stream::begin_capture(stream.cu_stream(), mode)? };
                let done = work();
                // SAFETY: as above; the graph is nobody else's, and not used after it was destroyed.
                unsafe {
                    let graph = result::stream::end_capture(stream.cu_stream())?;
                    let exec = match done {
                        Ok(()) => {
                            result::graph::instantiate(graph, sys::CUgraphInstantiate_flags(0)).map_err(Fault::from)
                        }
                        Err(error) => Err(Fault(error.to_string())),
                    };
                    result::graph::destroy(graph)?;
                    exec
                }
            })
        });
        Ok(Self { device: Arc::clone(device), exec: exec.map_err(raised)? })
    }
}

impl Graph for CudaGraph {
    fn launch(&self) -> Result<()> {
        let begun = guarded("beginning a graph", || {
            self.device.bind()?;
            // SAFETY: the graph is there; its memory stays as long as the recording that asks for it.
            unsafe { result::graph::launch(self.exec, self.device.stream().cu_stream())? };
            Ok(())
        });
        begun.map_err(raised)
    }
}

impl Drop for CudaGraph {
    fn drop(&mut self) {
        let _ = guarded("forgetting a graph", || {
            self.device.bind()?;
            // SAFETY: nobody begins it any more. The driver waits with what still runs.
            unsafe { result::graph::exec_destroy(self.exec)? };
            Ok(())
        });
    }
}
