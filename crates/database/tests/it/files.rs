//! The database file: private, and never overwritten when it is damaged or foreign.

use crate::{begin, entry};
use skillful_database::{Database, DatabaseError, FILE};
use std::{
    fs,
    io::{Seek, SeekFrom, Write},
    os::unix::fs::PermissionsExt,
    path::Path,
};

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn only_the_user_can_read_folder_and_files() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("deep/data");
    let database = Database::open(&data).unwrap();
    begin(&database, "a");
    assert_eq!((mode(&data), mode(database.path())), (0o700, 0o600));
    assert_eq!(mode(&data.join(format!("{FILE}-wal"))), 0o600);
    let path = database.path().to_path_buf();
    drop(database);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    drop(Database::open(&data).unwrap());
    assert_eq!(mode(&path), 0o600, "permissions of others are removed");
}

#[test]
fn open_existing_creates_no_database() {
    let folder = tempfile::tempdir().unwrap();
    assert!(Database::open_existing(&folder.path().join("data")).unwrap().is_none());
    assert!(Database::open_existing(folder.path()).unwrap().is_none());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    drop(Database::open(folder.path()).unwrap());
    assert!(Database::open_existing(folder.path()).unwrap().is_some());
}

#[test]
fn a_damaged_file_is_reported_and_not_changed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(FILE);
    let noise: Vec<u8> = (0..8_192_u32).map(|at| (at * 31 % 251) as u8).collect();
    fs::write(&path, &noise).unwrap();
    let error = Database::open(folder.path()).unwrap_err();
    assert!(matches!(&error, DatabaseError::Damaged { path: told, .. } if *told == path), "{error}");
    assert!(error.to_string().contains("rename it"), "{error}");
    assert_eq!(fs::read(&path).unwrap(), noise);
}

#[test]
fn a_file_without_its_end_or_middle_is_reported() {
    for cut in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        let database = Database::open(folder.path()).unwrap();
        begin(&database, "a");
        let many: Vec<_> = (0..2_000).map(|number| entry("x", number)).collect();
        database.append_all("a", &many).unwrap();
        let path = database.path().to_path_buf();
        drop(database);
        let mut file = fs::OpenOptions::new().write(true).open(&path).unwrap();
        if cut {
            file.set_len(3 * 4_096).unwrap();
        } else {
            file.seek(SeekFrom::Start(4_096)).unwrap();
            file.write_all(&vec![0xa5; fs::read(&path).unwrap().len() - 4_096]).unwrap();
        }
        drop(file);
        let before = fs::read(&path).unwrap();
        let result = Database::open(folder.path()).and_then(|database| database.append("a", &entry("x", 1)));
        assert!(matches!(result, Err(DatabaseError::Damaged { .. })), "{result:?}");
        assert_eq!(fs::read(&path).unwrap(), before);
    }
}

/// Runs SQL on a file as another program would.
fn as_another_program(path: &Path, sql: &'static str) {
    use sqlx::{Connection, Executor};
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let options = sqlx::sqlite::SqliteConnectOptions::new().filename(path).create_if_missing(true);
        let mut other = sqlx::SqliteConnection::connect_with(&options).await.unwrap();
        other.execute(sql).await.unwrap();
        other.close().await.unwrap();
    });
}

#[test]
fn a_newer_file_is_reported_and_not_changed() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::open(folder.path()).unwrap();
    let path = database.path().to_path_buf();
    drop(database);
    as_another_program(&path, "PRAGMA user_version = 77");
    let before = fs::read(&path).unwrap();
    let error = Database::open(folder.path()).unwrap_err();
    assert_eq!(error, DatabaseError::Newer { path: path.clone(), found: 77, known: 1 });
    assert!(error.to_string().contains("update the program"));
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn the_database_of_another_program_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(FILE);
    as_another_program(&path, "CREATE TABLE theirs (a)");
    let before = fs::read(&path).unwrap();
    let error = Database::open(folder.path()).unwrap_err();
    assert!(matches!(error, DatabaseError::Damaged { .. }), "{error}");
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn an_unwritable_folder_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let error = Database::open(&file.join("data")).unwrap_err();
    assert!(matches!(error, DatabaseError::Io { .. }), "{error}");

    let closed = folder.path().join("closed");
    fs::create_dir(&closed).unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o500)).unwrap();
    // Root can write everywhere, so for root the test uses a folder that the kernel protects.
    let closed = if fs::write(closed.join("probe"), "").is_ok() { Path::new("/proc/self") } else { &closed };
    let error = Database::open(closed).unwrap_err();
    assert!(matches!(error, DatabaseError::Io { .. }), "{error}");
    assert!(error.to_string().contains("make the folder writable"), "{error}");
}

#[test]
fn a_locked_file_is_reported_as_locked() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::open(folder.path()).unwrap();
    begin(&database, "a");
    let path = database.path().to_path_buf();
    let (held, is_held) = std::sync::mpsc::channel();
    let (done, is_done) = std::sync::mpsc::channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            use sqlx::{Connection, Executor};
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let options = sqlx::sqlite::SqliteConnectOptions::new().filename(path);
                let mut other = sqlx::SqliteConnection::connect_with(&options).await.unwrap();
                other.execute("BEGIN IMMEDIATE").await.unwrap();
                held.send(()).unwrap();
                is_done.recv().unwrap();
            });
        });
        is_held.recv().unwrap();
        assert!(database.session("a").unwrap().is_some(), "readers do not wait");
        let refused = database.append("a", &entry("x", 1));
        assert!(matches!(refused, Err(DatabaseError::Locked { .. })), "{refused:?}");
        done.send(()).unwrap();
    });
    assert_eq!(database.append("a", &entry("x", 1)), Ok(1));
}
