//! The ways in which one program is run.

/// How staged functions are executed. Every program prints the same in all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// `stage` is the identity: everything runs on RustPython's own frames.
    Unstaged,
    /// Captured, and executed by the reference interpreter of the IR.
    Interp,
    /// Captured, and compiled by LLVM without optimisation.
    LlvmO0,
    /// Captured, and compiled as a user gets it.
    Llvm,
}

impl Mode {
    /// Every mode, the oracle first.
    pub const ALL: [Mode; 4] = [Mode::Unstaged, Mode::Interp, Mode::LlvmO0, Mode::Llvm];

    /// The modes that stage.
    pub const STAGED: [Mode; 3] = [Mode::Interp, Mode::LlvmO0, Mode::Llvm];

    /// The name in the list of tests.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Unstaged => "unstaged",
            Mode::Interp => "interp",
            Mode::LlvmO0 => "llvm-O0",
            Mode::Llvm => "llvm",
        }
    }

    /// Whether functions are staged at all.
    pub fn stages(self) -> bool {
        match self {
            Mode::Unstaged => false,
            Mode::Interp | Mode::LlvmO0 | Mode::Llvm => true,
        }
    }

    /// The arguments that come before the name of the program.
    ///
    /// Every call is compiled: a test does not depend on clocks.
    pub fn arguments(self) -> [&'static str; 2] {
        let option = match self {
            Mode::Unstaged => "snek:stage=off",
            Mode::Interp => "snek:backend=interp",
            Mode::LlvmO0 => "snek:backend=llvm-O0",
            Mode::Llvm => "snek:stage=always",
        };
        ["-X", option]
    }
}
