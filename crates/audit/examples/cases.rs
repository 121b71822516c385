//! Audits the hostile skills and honest twins of files in the notation of `tests/cases` and prints
//! the missed cases and the blocked twins with the reasons.
//!
//! `cargo run --release -p skillful-audit --example cases -- FILE… [--all]`

#![expect(clippy::print_stdout, reason = "an example prints its result")]

use skillful_audit::{Report, Severity, Verdict, audit, case};
use std::{env, fs};

fn main() {
    let (flags, files): (Vec<String>, Vec<String>) = env::args().skip(1).partition(|word| word == "--all");
    let (mut count, mut blocked, mut warned, mut unread, mut wrong) = (0, 0, 0, 0, 0);
    for file in files {
        for one in case::pairs(&fs::read_to_string(&file).unwrap_or_default()) {
            count += 1;
            let hostile = audit(&case::tree(&one.hostile));
            let twin = audit(&case::tree(&one.twin));
            let missed = hostile.verdict != Verdict::Blocked;
            blocked += usize::from(!missed);
            unread += usize::from(hostile.verdict == Verdict::Incomplete);
            warned += usize::from(missed && hostile.findings.iter().any(|f| f.severity == Severity::Warn));
            if missed || !flags.is_empty() {
                println!("{:?} {}: {}", hostile.verdict, one.name, summary(&hostile));
            }
            if twin.verdict == Verdict::Blocked {
                wrong += 1;
                println!("TWIN {}: {}", one.name, summary(&twin));
            }
        }
    }
    println!(
        "{count} cases: {blocked} blocked, {unread} not scanned, {warned} others warned, {wrong} twins blocked"
    );
}

fn summary(report: &Report) -> String {
    let summary =
        report.findings.iter().map(|f| format!("{}:{} {} {}", f.path, f.line, f.severity, f.rule.id()));
    summary.collect::<Vec<_>>().join("; ")
}
