//! Fuzzes the archive reader: arbitrary bytes are refused, or read into a tree within its limits.
#![no_main]

use libfuzzer_sys::fuzz_target;
use skillful_format::Limits;

fuzz_target!(|bytes: &[u8]| {
    let limits = Limits::default();
    for hint in [None, Some("a.zip"), Some("a.tar.gz")] {
        if let Ok(package) = skillful_archive::read(bytes, hint, &limits) {
            for (path, _) in package.tree.iter() {
                assert!(!path.as_str().starts_with('/') && !path.as_str().split('/').any(|part| part == ".."));
            }
        }
    }
});
