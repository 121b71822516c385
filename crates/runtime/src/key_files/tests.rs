use super::*;

#[test]
fn key_files_are_known_by_name_ending_and_folder_in_any_spelling() {
    for path in [
        "/p/.env",
        "/p/.ENV",
        "/p/.env.local",
        "/p/a/.npmrc",
        "/p/server.pem",
        "/p/id_ed25519",
        "/h/.ssh/config",
        "/h/.aws/credentials",
        "/p/.e\u{200d}nv",
        "/p/credentials.json",
        "/h/.config/gh/hosts.yml",
        "/p/x.KDBX",
    ] {
        assert!(is_key(Path::new(path)), "{path}");
    }
    for path in ["/p/.env.example", "/p/id_rsa.pub", "/p/environment", "/p/key.rs", "/p/keys/a.txt"] {
        assert!(!is_key(Path::new(path)), "{path}");
    }
}

#[test]
fn certificates_and_tracked_fixtures_are_shown_to_commands_and_keys_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, content: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        path
    };
    let none = || None;
    let certificate = put("a.pem", "-----BEGIN CERTIFICATE-----\n");
    assert!(!is_hidden_file(&certificate, "a.pem", &none));
    let key = put("b.pem", "-----BEGIN PRIVATE KEY-----\n");
    assert!(is_hidden_file(&key, "b.pem", &none));
    assert!(is_hidden_file(&put(".env", "A=1"), ".env", &none));
    let tracked = || {
        let content = "-----BEGIN PRIVATE KEY-----\n";
        Some(sha1::digest(format!("blob {}\0{content}", content.len()).as_bytes()).to_vec())
    };
    assert!(!is_hidden_file(&key, "b.pem", &tracked));
    assert!(is_hidden_file(&put("c.pem", "-----BEGIN RSA PRIVATE KEY-----\n"), "c.pem", &tracked));
    assert!(
        is_hidden_file(&folder.path().join(".env"), ".env", &tracked),
        "a name that means keys is never shown"
    );
}
