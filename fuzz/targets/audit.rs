//! A skill of any text and any files: judged without a panic, the same twice, in bounded time.
#![no_main]

use libfuzzer_sys::fuzz_target;
use skillful_audit::{audit, case::tree};

fuzz_target!(|bytes: &[u8]| {
    // The notation of cases lets one text be several files.
    let text = String::from_utf8_lossy(bytes);
    let tree = tree(&text);
    let report = audit(&tree);
    assert!(report.files.read <= report.files.of);
    assert_eq!(report, audit(&tree));
    assert!(report.findings.iter().all(|finding| !finding.evidence.contains('\n')));
});
