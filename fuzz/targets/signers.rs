//! Fuzzes the file of allowed signers and signatures: the reader returns keys, losses or a fault, and edits
//! keep the rest of the file.
#![no_main]

use libfuzzer_sys::fuzz_target;
use skillful_format::digest_bytes;
use skillful_registry::sign::{Allowed, Signature, Signed, check};

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let allowed = Allowed::parse(&text);
    for loss in &allowed.losses {
        assert!(!loss.why.is_empty());
    }
    if let Some(line) = allowed.lines.first() {
        let who = line.fingerprint.to_string();
        let (rest, gone) = Allowed::without(&text, &who);
        assert!(!gone.is_empty());
        let rest = Allowed::parse(&rest);
        assert!(rest.lines.iter().all(|other| other.fingerprint != line.fingerprint));
        assert_eq!(rest.losses.len(), allowed.losses.len());
        // `,alice` names one signer: nothing before a comma is not a name.
        if let Some(name) = line.principals.split(',').find(|name| !name.is_empty()) {
            let (rest, gone) = Allowed::without(&text, name);
            assert!(!gone.is_empty());
            let rest = Allowed::parse(&rest);
            assert!(rest.lines.iter().all(|line| line.principals.split(',').all(|other| other != name)));
        }
        // A name has no line break, so that no line of the file has this one: nothing changes.
        assert_eq!(Allowed::without(&text, "not\na name"), (text.to_string(), Vec::new()));
    }
    // A valid signature of this message needs the private key, so a random one must be bad.
    let signed =
        check(&digest_bytes(b"a message of its own"), Some(&Signature::new(bytes.to_vec())), &allowed, 0);
    assert!(matches!(signed, Signed::Bad(_)));
});
