//! The program `skillful`.

use std::process::ExitCode;

fn main() -> ExitCode {
    skillful_cli::run()
}
