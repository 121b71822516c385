use super::{
    super::{COUNT_LIMIT, Name, Store, StoreError, VALUE_LIMIT},
    EncryptedFile,
};
use secrecy::{ExposeSecret, SecretString};
use std::{
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::Path,
};

const VALUE: &str = "tok-4f9a8b7c6d5e-ümlaut";

fn name(key: &str) -> Name {
    Name::new("mail", key).unwrap()
}

fn store() -> (tempfile::TempDir, EncryptedFile) {
    let folder = tempfile::tempdir().unwrap();
    let store = EncryptedFile::new(&folder.path().join("config"), None);
    (folder, store)
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o7777
}

#[test]
fn a_secret_is_kept_listed_by_name_and_forgotten() {
    let (_folder, store) = store();
    assert_eq!(store.list().unwrap(), []);
    assert!(store.get(&name("token")).unwrap().is_none());
    store.set(&name("token"), &SecretString::from("old")).unwrap();
    store.set(&name("token"), &SecretString::from(VALUE)).unwrap();
    store.set(&name("alpha"), &SecretString::from("two\nlines\n")).unwrap();
    assert_eq!(store.get(&name("token")).unwrap().unwrap().expose_secret(), VALUE);
    assert_eq!(store.get(&name("alpha")).unwrap().unwrap().expose_secret(), "two\nlines\n");
    assert_eq!(store.list().unwrap(), [name("alpha"), name("token")]);
    assert!(store.remove(&name("token")).unwrap());
    assert!(!store.remove(&name("token")).unwrap());
    assert_eq!(store.list().unwrap(), [name("alpha")]);
}

#[test]
fn what_is_on_disk_is_private_and_shows_neither_values_nor_names() {
    let (_folder, store) = store();
    store.set(&name("token-name"), &SecretString::from(VALUE)).unwrap();
    let folder = store.file.parent().unwrap();
    assert_eq!(mode(folder), 0o700);
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(mode(&path), 0o600, "{}", path.display());
        let bytes = fs::read(&path).unwrap();
        for hidden in [VALUE, "token-name"] {
            assert!(!bytes.windows(hidden.len()).any(|part| part == hidden.as_bytes()), "{}", path.display());
        }
    }
    let first = fs::read(&store.file).unwrap();
    store.set(&name("token-name"), &SecretString::from(VALUE)).unwrap();
    assert_ne!(first, fs::read(&store.file).unwrap(), "the same secrets never look the same twice");
}

#[test]
fn files_that_others_may_read_are_refused_with_the_fix() {
    let (_folder, store) = store();
    store.set(&name("token"), &SecretString::from(VALUE)).unwrap();
    for path in [&store.file, &store.key] {
        for bits in [0o640, 0o604, 0o620, 0o602] {
            fs::set_permissions(path, fs::Permissions::from_mode(bits)).unwrap();
            let error = store.get(&name("token")).unwrap_err();
            assert!(matches!(error, StoreError::Exposed { .. }), "{error}");
            assert!(error.help().contains(&format!("chmod go= {}", path.display())), "{}", error.help());
            assert!(store.set(&name("other"), &SecretString::from("x")).is_err());
        }
        fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
    }
    assert_eq!(store.list().unwrap(), [name("token")], "nothing was lost");
}

#[test]
fn a_wrong_or_missing_key_is_an_error_and_never_an_empty_store() {
    let (folder, store) = store();
    store.set(&name("token"), &SecretString::from(VALUE)).unwrap();
    let before = fs::read(&store.file).unwrap();
    let key = fs::read(&store.key).unwrap();
    fs::remove_file(&store.key).unwrap();
    let all = |store: &EncryptedFile| {
        [
            store.get(&name("token")).unwrap_err(),
            store.list().unwrap_err(),
            store.set(&name("new"), &SecretString::from("x")).unwrap_err(),
            store.remove(&name("token")).unwrap_err(),
        ]
    };
    for error in all(&store) {
        assert!(matches!(error, StoreError::KeyMissing { .. }), "{error}");
    }
    assert!(!store.key.exists(), "no new key is made over locked secrets");
    let other = folder.path().join("other.key");
    let write = |bytes: &[u8]| {
        fs::write(&other, bytes).unwrap();
        fs::set_permissions(&other, fs::Permissions::from_mode(0o600)).unwrap();
    };
    let elsewhere = EncryptedFile::new(store.file.parent().unwrap(), Some(&other));
    write(&[7; 32]);
    for error in all(&elsewhere) {
        assert!(matches!(error, StoreError::Locked { .. }), "{error}");
    }
    for wrong in [&[][..], &[1; 31], &[1; 33]] {
        write(wrong);
        assert!(all(&elsewhere).iter().all(|error| !error.help().is_empty()));
    }
    assert_eq!(fs::read(&store.file).unwrap(), before);
    write(&key);
    assert_eq!(elsewhere.get(&name("token")).unwrap().unwrap().expose_secret(), VALUE);
}

#[test]
fn every_damaged_byte_is_noticed_and_nothing_is_overwritten() {
    let (_folder, store) = store();
    store.set(&name("token"), &SecretString::from(VALUE)).unwrap();
    let whole = fs::read(&store.file).unwrap();
    let put = |bytes: &[u8]| {
        fs::write(&store.file, bytes).unwrap();
        assert!(store.list().is_err());
        assert!(store.set(&name("new"), &SecretString::from("x")).is_err());
        assert_eq!(fs::read(&store.file).unwrap(), bytes);
    };
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        put(&bytes);
        put(&whole[..at]);
    }
    fs::write(&store.file, b"skillful secrets 2\nfrom the future").unwrap();
    assert!(store.list().unwrap_err().to_string().contains("another version"));
}

#[test]
fn names_and_values_have_limits_that_are_told() {
    let (_folder, store) = store();
    for (service, key) in
        [("", "k"), ("s", ""), (" s", "k"), ("s", "k\n"), ("s\0x", "k"), (&*"x".repeat(129), "k")]
    {
        assert!(Name::new(service, key).is_err(), "{service:?} {key:?}");
    }
    for value in [String::new(), "a\0b".to_owned(), "x".repeat(VALUE_LIMIT + 1)] {
        let error = store.set(&name("token"), &SecretString::from(value)).unwrap_err();
        assert!(matches!(error, StoreError::Value { .. }));
    }
    let records = (0..COUNT_LIMIT).map(|at| (name(&at.to_string()), SecretString::from("value"))).collect();
    store.write(&records).unwrap();
    assert!(matches!(store.set(&name("more"), &SecretString::from("x")), Err(StoreError::Full)));
    store.set(&name("7"), &SecretString::from("replaced")).unwrap();
}

#[test]
fn writers_at_the_same_time_lose_nothing() {
    let (_folder, store) = store();
    std::thread::scope(|scope| {
        for at in 0..8 {
            let store = &store;
            scope.spawn(move || store.set(&name(&at.to_string()), &SecretString::from("value")).unwrap());
        }
    });
    assert_eq!(store.list().unwrap().len(), 8);
}

#[test]
fn no_error_of_a_store_tells_a_value() {
    let (_folder, store) = store();
    let error = store.set(&name("token"), &SecretString::from(format!("{VALUE}\0"))).unwrap_err();
    assert!(!format!("{error} {error:?} {}", error.help()).contains("tok-"));
}
