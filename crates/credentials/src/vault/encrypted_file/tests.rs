use super::{
    super::{COUNT_LIMIT, SecretName, VALUE_LIMIT, Vault, VaultError},
    EncryptedFile,
};
use secrecy::{ExposeSecret, SecretString};
use std::{
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::Path,
};

const VALUE: &str = "tok-4f9a8b7c6d5e-ümlaut";

fn name(key: &str) -> SecretName {
    SecretName::new("mail", key).unwrap()
}

fn vault() -> (tempfile::TempDir, EncryptedFile) {
    let folder = tempfile::tempdir().unwrap();
    let vault = EncryptedFile::new(&folder.path().join("config"), None);
    (folder, vault)
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o7777
}

#[test]
fn a_secret_is_kept_listed_by_name_and_forgotten() {
    let (_folder, vault) = vault();
    assert_eq!(vault.list().unwrap(), []);
    assert!(vault.get(&name("token")).unwrap().is_none());
    vault.set(&name("token"), &SecretString::from("old")).unwrap();
    vault.set(&name("token"), &SecretString::from(VALUE)).unwrap();
    vault.set(&name("alpha"), &SecretString::from("two\nlines\n")).unwrap();
    assert_eq!(vault.get(&name("token")).unwrap().unwrap().expose_secret(), VALUE);
    assert_eq!(vault.get(&name("alpha")).unwrap().unwrap().expose_secret(), "two\nlines\n");
    assert_eq!(vault.list().unwrap(), [name("alpha"), name("token")]);
    assert!(vault.remove(&name("token")).unwrap());
    assert!(!vault.remove(&name("token")).unwrap());
    assert_eq!(vault.list().unwrap(), [name("alpha")]);
}

#[test]
fn what_is_on_disk_is_private_and_shows_neither_values_nor_names() {
    let (_folder, vault) = vault();
    vault.set(&name("token-name"), &SecretString::from(VALUE)).unwrap();
    let folder = vault.file.parent().unwrap();
    assert_eq!(mode(folder), 0o700);
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(mode(&path), 0o600, "{}", path.display());
        let bytes = fs::read(&path).unwrap();
        for hidden in [VALUE, "token-name"] {
            assert!(!bytes.windows(hidden.len()).any(|part| part == hidden.as_bytes()), "{}", path.display());
        }
    }
    let first = fs::read(&vault.file).unwrap();
    vault.set(&name("token-name"), &SecretString::from(VALUE)).unwrap();
    assert_ne!(first, fs::read(&vault.file).unwrap(), "the same secrets never look the same twice");
}

#[test]
fn files_that_others_may_read_are_refused_with_the_fix() {
    let (_folder, vault) = vault();
    vault.set(&name("token"), &SecretString::from(VALUE)).unwrap();
    for path in [&vault.file, &vault.key] {
        for bits in [0o640, 0o604, 0o620, 0o602] {
            fs::set_permissions(path, fs::Permissions::from_mode(bits)).unwrap();
            let error = vault.get(&name("token")).unwrap_err();
            assert!(matches!(error, VaultError::Exposed { .. }), "{error}");
            assert!(error.help().contains(&format!("chmod go= {}", path.display())), "{}", error.help());
            assert!(vault.set(&name("other"), &SecretString::from("x")).is_err());
        }
        fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
    }
    assert_eq!(vault.list().unwrap(), [name("token")], "nothing was lost");
}

#[test]
fn a_wrong_or_missing_key_is_an_error_and_never_an_empty_vault() {
    let (folder, vault) = vault();
    vault.set(&name("token"), &SecretString::from(VALUE)).unwrap();
    let before = fs::read(&vault.file).unwrap();
    let key = fs::read(&vault.key).unwrap();
    fs::remove_file(&vault.key).unwrap();
    let all = |vault: &EncryptedFile| {
        [
            vault.get(&name("token")).unwrap_err(),
            vault.list().unwrap_err(),
            vault.set(&name("new"), &SecretString::from("x")).unwrap_err(),
            vault.remove(&name("token")).unwrap_err(),
        ]
    };
    for error in all(&vault) {
        assert!(matches!(error, VaultError::KeyMissing { .. }), "{error}");
    }
    assert!(!vault.key.exists(), "no new key is made over locked secrets");
    let other = folder.path().join("other.key");
    let write = |bytes: &[u8]| {
        fs::write(&other, bytes).unwrap();
        fs::set_permissions(&other, fs::Permissions::from_mode(0o600)).unwrap();
    };
    let elsewhere = EncryptedFile::new(vault.file.parent().unwrap(), Some(&other));
    write(&[7; 32]);
    for error in all(&elsewhere) {
        assert!(matches!(error, VaultError::Locked { .. }), "{error}");
    }
    for wrong in [&[][..], &[1; 31], &[1; 33]] {
        write(wrong);
        assert!(all(&elsewhere).iter().all(|error| !error.help().is_empty()));
    }
    assert_eq!(fs::read(&vault.file).unwrap(), before);
    write(&key);
    assert_eq!(elsewhere.get(&name("token")).unwrap().unwrap().expose_secret(), VALUE);
}

#[test]
fn every_damaged_byte_is_noticed_and_nothing_is_overwritten() {
    let (_folder, vault) = vault();
    vault.set(&name("token"), &SecretString::from(VALUE)).unwrap();
    let whole = fs::read(&vault.file).unwrap();
    let put = |bytes: &[u8]| {
        fs::write(&vault.file, bytes).unwrap();
        assert!(vault.list().is_err());
        assert!(vault.set(&name("new"), &SecretString::from("x")).is_err());
        assert_eq!(fs::read(&vault.file).unwrap(), bytes);
    };
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        put(&bytes);
        put(&whole[..at]);
    }
    fs::write(&vault.file, b"skillful secrets 2\nfrom the future").unwrap();
    assert!(vault.list().unwrap_err().to_string().contains("another version"));
}

#[test]
fn names_and_values_have_limits() {
    let (_folder, vault) = vault();
    for (service, key) in
        [("", "k"), ("s", ""), (" s", "k"), ("s", "k\n"), ("s\0x", "k"), (&*"x".repeat(129), "k")]
    {
        assert!(SecretName::new(service, key).is_err(), "{service:?} {key:?}");
    }
    for value in [String::new(), "a\0b".to_owned(), "x".repeat(VALUE_LIMIT + 1)] {
        let error = vault.set(&name("token"), &SecretString::from(value)).unwrap_err();
        assert!(matches!(error, VaultError::Empty | VaultError::Value { .. }));
    }
    let records = (0..COUNT_LIMIT).map(|at| (name(&at.to_string()), SecretString::from("value"))).collect();
    vault.write(&records).unwrap();
    assert!(matches!(vault.set(&name("more"), &SecretString::from("x")), Err(VaultError::Full)));
    vault.set(&name("7"), &SecretString::from("replaced")).unwrap();
}

#[test]
fn writers_at_the_same_time_lose_nothing() {
    let (_folder, vault) = vault();
    std::thread::scope(|scope| {
        for at in 0..8 {
            let vault = &vault;
            scope.spawn(move || vault.set(&name(&at.to_string()), &SecretString::from("value")).unwrap());
        }
    });
    assert_eq!(vault.list().unwrap().len(), 8);
}

#[test]
fn no_error_of_a_vault_holds_a_value() {
    let (_folder, vault) = vault();
    let error = vault.set(&name("token"), &SecretString::from(format!("{VALUE}\0"))).unwrap_err();
    assert!(!format!("{error} {error:?} {}", error.help()).contains("tok-"));
}

#[test]
fn a_secret_prints_neither_itself_nor_its_length() {
    let (long, short) = (SecretString::from("a-long-secret-value"), SecretString::from("x"));
    assert_eq!(format!("{long:?} {:#?}", Some(&long)), format!("{short:?} {:#?}", Some(&short)));
    assert!(!format!("{long:?}").contains("long"));
}

#[test]
fn a_secret_is_wiped_when_it_is_dropped() {
    fn wiped<T: zeroize::ZeroizeOnDrop>(_: &T) {}
    let (_folder, vault) = vault();
    vault.set(&name("token"), &SecretString::from(VALUE)).unwrap();
    wiped(&vault.get(&name("token")).unwrap().unwrap());
}
