//! The test runner for whole programs.
