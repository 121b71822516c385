//! SSH keys of fictional users, so that tests of signatures do not need `ssh-keygen`.

use std::{fs, os::unix::fs::PermissionsExt, path::Path};

struct Key {
    name: &'static str,
    private: &'static str,
    public: &'static str,
    fingerprint: &'static str,
}

const KEYS: [Key; 6] = [
    Key {
        name: "alice",
        private: include_str!("../keys/alice"),
        public: include_str!("../keys/alice.pub"),
        fingerprint: "SHA256:pc7gBu/u/Rdu+bFv+9iduktpf+cxhrguC5Z+f8WQIKg",
    },
    Key {
        name: "eve",
        private: include_str!("../keys/eve"),
        public: include_str!("../keys/eve.pub"),
        fingerprint: "SHA256:aT2nMI6MWliCbrn7spHt3RuQiLFRDJk/IsrU7jOet9Y",
    },
    Key {
        name: "k1",
        private: include_str!("../keys/k1"),
        public: include_str!("../keys/k1.pub"),
        fingerprint: "SHA256:5jO7THuXqX4W5+7chfItpIKMgLugI6SN8h3Uf+kP0Oc",
    },
    Key {
        name: "k2",
        private: include_str!("../keys/k2"),
        public: include_str!("../keys/k2.pub"),
        fingerprint: "SHA256:57UpfuGw+SWjKRpYqwzZQhh2qzngjvWBkzjzdR6TRj4",
    },
    Key {
        name: "id",
        private: include_str!("../keys/id"),
        public: include_str!("../keys/id.pub"),
        fingerprint: "SHA256:2dfHOy8DDxAelBwVq12dhw7aiyx2ySq88iC/xIQWhEU",
    },
    Key {
        name: "key",
        private: include_str!("../keys/key"),
        public: include_str!("../keys/key.pub"),
        fingerprint: "SHA256:oWoZ7ZUIl9cgfBQrj0iDlyX2dOEiA5/UeYTr+fWdl4w",
    },
];

/// Writes the Ed25519 key of that name to a file, and its public part beside it. Returns its fingerprint.
pub fn ssh_key(name: &str, file: &Path) -> &'static str {
    let key = KEYS.iter().find(|key| key.name == name).expect("a test key of that name");
    fs::create_dir_all(file.parent().expect("a folder for the key")).expect("a folder for the key");
    fs::write(file, key.private).expect("a test key");
    fs::set_permissions(file, fs::Permissions::from_mode(0o600)).expect("permissions of the key");
    fs::write(file.with_extension("pub"), key.public).expect("a test key");
    key.fingerprint
}
