//! A host file of any text: a host, or a diagnostic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use skillful_catalog::Host;

fuzz_target!(|text: &str| {
    if let Err(found) = Host::parse(text) {
        assert!(!found.message.is_empty());
    }
});
