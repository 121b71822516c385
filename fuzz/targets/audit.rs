//! Fuzzes the audit: any skill is audited without a panic, with the same result twice, in limited time.
#![no_main]

use libfuzzer_sys::fuzz_target;
use skillful_audit::{audit, case::tree};

fuzz_target!(|bytes: &[u8]| {
    // The test case notation allows several files in one text.
    let text = String::from_utf8_lossy(bytes);
    let tree = tree(&text);
    let report = audit(&tree);
    assert!(report.files.read <= report.files.of);
    assert_eq!(report, audit(&tree));
    assert!(report.findings.iter().all(|finding| !finding.evidence.contains('\n')));
});
