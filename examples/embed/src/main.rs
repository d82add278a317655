//! Prices options with a Python script: Rust gives it data, calls it, and takes its arithmetic as machine
//! code that runs on several threads without Python.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/pricing.py");

fn main() -> snekpy::Result<()> {
    // What the script prints is collected instead of shown.
    let printed = Arc::new(Mutex::new(String::new()));
    let sink = Arc::clone(&printed);
    let engine = snekpy::Engine::builder()
        .output(move |_, text| sink.lock().expect("nobody panics while printing").push_str(text))
        .build();

    // A module of Rust functions.
    let quotes = BTreeMap::from([("ACME".to_owned(), 104.5), ("SNEK".to_owned(), 98.25)]);
    let mut market = snekpy::Module::new("market");
    market.function("spot", move |symbol: String| {
        let missing = || snekpy::Error::new("KeyError", format!("no quote for {symbol}"));
        quotes.get(&symbol).copied().ok_or_else(missing)
    });
    engine.add_module(market)?;

    // Python as Python.
    let script = engine.run_file(SCRIPT)?;
    let report = script.function("report")?;
    let row: BTreeMap<String, snekpy::Value> = report.call(("ACME",))?;
    println!("row: {:?}", row["spot"]);
    println!("printed: {}", printed.lock().expect("as above").trim_end());

    // An exception, with the script's file and line.
    let error = report.call::<snekpy::Value>(("NONE",)).expect_err("there is no such quote");
    let frame = error.frames().last().expect("it was raised in the script");
    println!("error: {error} in {}() at line {}", frame.function, frame.line);

    // The same function as machine code, on four threads, without Python.
    let binomial = script.stage("binomial")?.typed::<fn(f64, f64, f64, f64, f64, i64) -> f64>()?;
    drop((report, script, engine));
    let strikes = [90.0, 100.0, 110.0, 120.0];
    let prices = std::thread::scope(|threads| {
        let binomial = &binomial;
        let workers = strikes.map(|strike| threads.spawn(move || binomial.call(104.5, strike, 0.02, 0.2, 1.0, 200)));
        workers.map(|worker| worker.join().expect("no thread panics"))
    });
    for (strike, price) in strikes.iter().zip(prices) {
        println!("strike {strike}: {:.4}", price?);
    }
    Ok(())
}
