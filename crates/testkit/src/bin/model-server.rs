//! The scripted model server for tests in other languages. `model-server SCRIPT.json` prints its address,
//! answers until its standard input ends, then prints what was wrong with the requests, one line each.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "it communicates with the test that started it"
)]

use skillful_testkit::Script;
use std::{env, fs, io, process::ExitCode};

fn main() -> ExitCode {
    let Some(path) = env::args_os().nth(1) else {
        eprintln!("usage: model-server SCRIPT.json");
        return ExitCode::from(2);
    };
    let script = fs::read_to_string(&path).map_err(|error| error.to_string());
    let script = match script.and_then(|text| Script::read(&text).map_err(|error| error.to_string())) {
        Ok(script) => script,
        Err(error) => {
            eprintln!("{}: {error}", path.display());
            return ExitCode::from(2);
        }
    };
    let server = script.serve();
    println!("{}", server.url());
    let _ended = io::copy(&mut io::stdin(), &mut io::sink());
    for complaint in server.take_complaints() {
        println!("{}", complaint.replace('\n', " "));
    }
    ExitCode::SUCCESS
}
