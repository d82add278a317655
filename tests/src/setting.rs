//! Settings of a run by variables of the environment.

use std::env;
use std::time::{SystemTime, UNIX_EPOCH};

/// The number that a variable says.
pub fn number(variable: &str) -> Option<u64> {
    env::var(variable).ok()?.parse().ok()
}

/// The seed that a variable says, or else one of the clock.
pub fn fresh_seed(variable: &str) -> u64 {
    let of_clock = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |now| now.as_secs() % 1_000_000_007);
    number(variable).unwrap_or_else(of_clock)
}
