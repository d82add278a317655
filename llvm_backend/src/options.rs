//! What a back end can be told. Filled in by the caller; nothing here reads the environment.

/// How to compile.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LlvmOptions {
    /// How much to optimise.
    pub level: Level,
    /// Whether floats may be reassociated, contracted and approximated. Strict otherwise: every result
    /// has the bits that the reference interpreter gives.
    pub fast: bool,
    /// The processor to compile for.
    pub cpu: Cpu,
    /// Whether positions of kernels run beside each other.
    pub lanes: Lanes,
    /// Whether groups of operations on tensors are left to the host, which takes longer than loops of their own, but no time
    /// to compile.
    pub leaves_nests: bool,
}

/// Whether positions of kernels run beside each other, in the lanes of vectors.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Lanes {
    /// Where the processor has vectors for it and it pays.
    #[default]
    Auto,
    /// Wherever it can be done: for tests.
    Always,
    /// Never.
    Never,
}

/// How much to optimise.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Level {
    /// Not at all: quickest to compile, and a check on the optimiser in tests.
    O0,
    /// For speed.
    #[default]
    O3,
}

/// The processor to compile for.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Cpu {
    /// This machine's, with everything it has.
    #[default]
    Host,
    /// One that LLVM knows by this name, such as `x86-64-v3`. To run the code, this machine must be able to.
    Named(String),
}
