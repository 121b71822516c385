//! Fuzzes the parser of agent profiles: any text gives a profile or a diagnostic with a message.
#![no_main]

use libfuzzer_sys::fuzz_target;
use skillful_profiles::AgentProfile;

fuzz_target!(|text: &str| {
    if let Err(found) = AgentProfile::parse(text) {
        assert!(!found.message.is_empty());
    }
});
