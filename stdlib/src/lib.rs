//! The modules that Python programs see.
