//! Contents of skills, by the digest of their files: in a folder or in an S3-compatible store. What is read is compared
//! with its digest, so that a wrong byte is an error and never a skill.

use crate::error::TeamError;
use futures_util::StreamExt as _;
use object_store::{
    BackoffConfig, ObjectStore, ObjectStoreExt as _, RetryConfig, aws::AmazonS3Builder,
    local::LocalFileSystem, path::Path as ObjectPath,
};
use skillful_archive::{contents, write_zip};
use skillful_format::{Digest, Limits, Tree};
use std::{
    collections::BTreeSet, fs::DirBuilder, os::unix::fs::DirBuilderExt as _, path::Path, sync::Arc,
    time::Duration,
};

/// How long the contents of a version may take to arrive.
const READ: Duration = Duration::from_secs(15);
/// The folder around the files of an object.
const FOLDER: &str = "skill";

/// How an S3-compatible store is reached; empty values come from its address.
#[derive(Clone, Debug, Default)]
pub struct S3 {
    /// `http://127.0.0.1:9000`; empty means the service of the region.
    pub endpoint: String,
    /// The region.
    pub region: String,
    /// The id of the key.
    pub key_id: String,
    /// The key.
    pub key: secrecy::SecretString,
}

/// Where contents are kept.
#[derive(Clone, Debug)]
pub struct Objects {
    store: Arc<dyn ObjectStore>,
}

impl Objects {
    /// A folder; it is created for its owner alone.
    pub fn folder(path: &Path) -> Result<Self, TeamError> {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(path)
            .map_err(|error| TeamError::Unavailable(format!("{}: {error}", path.display())))?;
        let store = LocalFileSystem::new_with_prefix(path)
            .map_err(|error| TeamError::Unavailable(format!("{}: {error}", path.display())))?;
        Ok(Self { store: Arc::new(store.with_fsync(true)) })
    }

    /// A bucket of an S3-compatible store.
    pub fn s3(bucket: &str, access: &S3) -> Result<Self, TeamError> {
        use secrecy::ExposeSecret as _;
        // The client asks for the provider of the process; another part may have set the same one already.
        let _already_set = rustls::crypto::ring::default_provider().install_default();
        let retry = RetryConfig {
            backoff: BackoffConfig {
                init_backoff: Duration::from_millis(100),
                max_backoff: Duration::from_secs(1),
                base: 2.0,
            },
            max_retries: 3,
            retry_timeout: Duration::from_secs(10),
        };
        let mut builder = AmazonS3Builder::new()
            .with_bucket_name(bucket)
            .with_access_key_id(&access.key_id)
            .with_secret_access_key(access.key.expose_secret())
            .with_region(if access.region.is_empty() { "us-east-1" } else { &access.region })
            .with_retry(retry);
        if !access.endpoint.is_empty() {
            builder = builder
                .with_endpoint(&access.endpoint)
                .with_allow_http(access.endpoint.starts_with("http://"));
        }
        let store =
            builder.build().map_err(|error| TeamError::Unavailable(format!("s3://{bucket}: {error}")))?;
        Ok(Self { store: Arc::new(store) })
    }

    fn place(digest: &str) -> Result<ObjectPath, TeamError> {
        let hex = digest.strip_prefix("sha256:").unwrap_or(digest);
        if hex.len() != 64 || !hex.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(TeamError::Internal(format!("`{digest}` is not a digest")));
        }
        Ok(ObjectPath::from(format!("trees/{}/{hex}", &hex[..2])))
    }

    /// Keeps a tree.
    pub async fn put(&self, tree: &Tree) -> Result<Digest, TeamError> {
        let digest = tree.digest();
        let zip =
            write_zip(tree, FOLDER).map_err(|refused| TeamError::invalid("not-storable", refused.message))?;
        is_whole(&zip, tree)?;
        let place = Self::place(&digest.to_hex())?;
        self.store.put(&place, zip.into()).await.map_err(|error| away(&error))?;
        Ok(digest)
    }

    /// Whether a tree is kept.
    pub async fn has(&self, digest: &str) -> Result<bool, TeamError> {
        match self.store.head(&Self::place(digest)?).await {
            Ok(_) => Ok(true),
            Err(object_store::Error::NotFound { .. }) => Ok(false),
            Err(error) => Err(away(&error)),
        }
    }

    /// Reads a tree and compares its digest.
    pub async fn get(&self, digest: &str) -> Result<Tree, TeamError> {
        let place = Self::place(digest)?;
        let read = async { self.store.get(&place).await?.bytes().await };
        // A store that cuts every answer off is asked again and again; the caller does not wait for that.
        let bytes = tokio::time::timeout(READ, read)
            .await
            .map_err(|_| TeamError::Unavailable("the object store does not answer in time".to_owned()))?
            .map_err(|error| away(&error))?;
        let damaged = || TeamError::Damaged(format!("the object store holds other bytes for {digest}"));
        let tree = unpacked(&bytes).ok_or_else(damaged)?;
        if tree.digest().to_hex() != digest.strip_prefix("sha256:").unwrap_or(digest) {
            return Err(damaged());
        }
        Ok(tree)
    }

    /// Every digest that is kept, with the time of its object in milliseconds.
    pub async fn list(&self) -> Result<Vec<(String, i64)>, TeamError> {
        let mut found = Vec::new();
        let trees = ObjectPath::from("trees");
        let mut objects = self.store.list(Some(&trees));
        while let Some(object) = objects.next().await {
            let object = object.map_err(|error| away(&error))?;
            if let Some(name) = object.location.filename() {
                found.push((name.to_owned(), object.last_modified.timestamp_millis()));
            }
        }
        Ok(found)
    }

    /// Removes a tree.
    pub async fn remove(&self, digest: &str) -> Result<(), TeamError> {
        self.store.delete(&Self::place(digest)?).await.map_err(|error| away(&error))
    }

    /// Whether the place of the contents answers. A bucket that does not exist says of each object that it is missing, so that a
    /// list is asked for.
    pub async fn is_ready(&self) -> bool {
        let place = ObjectPath::from("trees/probe");
        let probe = self.store.list_with_delimiter(Some(&place));
        matches!(tokio::time::timeout(Duration::from_secs(3), probe).await, Ok(Ok(_)))
    }
}

/// Files that were taken in shrink as well as they like.
fn any_ratio() -> Limits {
    Limits { total_ratio: u64::MAX, member_ratio: u64::MAX, ..Limits::default() }
}

/// Refuses a tree that cannot be read again: no package keeps the hooks of a `.git` folder, for example.
fn is_whole(zip: &[u8], tree: &Tree) -> Result<(), TeamError> {
    let refused = |why: String| TeamError::invalid("not-storable", why);
    let read = contents(zip, &any_ratio()).map_err(|why| refused(why.to_string()))?;
    let kept: BTreeSet<&str> = read.iter().map(|(path, _)| path.as_str()).collect();
    match tree.iter().find(|(path, _)| !kept.contains(format!("{FOLDER}/{path}").as_str())) {
        None => Ok(()),
        Some((path, _)) => Err(refused(format!("`{path}` is kept by no package of a skill; remove it"))),
    }
}

/// The tree of an object; nothing when it is not one that was written here.
fn unpacked(bytes: &[u8]) -> Option<Tree> {
    let packed = contents(bytes, &any_ratio()).ok()?;
    let mut tree = Tree::default();
    for (path, file) in packed.iter() {
        let (_, inner) = path.without_first()?;
        tree.insert(inner, file.clone(), &Limits::default()).ok()?;
    }
    Some(tree)
}

fn away(error: &object_store::Error) -> TeamError {
    match error {
        object_store::Error::NotFound { .. } => {
            TeamError::Damaged("the object store lacks a stored skill".to_owned())
        }
        // Addresses and keys of the store stay out of answers.
        _ => TeamError::Unavailable("the object store is not available".to_owned()),
    }
}
