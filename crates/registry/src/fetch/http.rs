//! Files behind addresses: bounded, checked before they are unpacked, and never run.

use super::{FetchError, Fetched, FetchedSkill, Phase, Progress, WebError, local};
use crate::{lock::Resolved, source::Address};
use skillful_format::{Digest, Limits, digest_bytes};
use skillful_net::{Download, DownloadRequest, Net, NetError};
use std::{
    path::Path,
    time::{Duration, Instant},
};
use url::Url;

/// Time for a list of skills.
const INDEX_TIME: Duration = Duration::from_secs(30);
/// Bytes of a list of skills.
const INDEX_BYTES: u64 = 8 << 20;
/// Time for one archive or file.
const FILE_TIME: Duration = Duration::from_mins(1);
/// Time for everything that one source needs.
const WHOLE_TIME: Duration = Duration::from_mins(5);

/// The way to everything that is downloaded.
#[derive(Clone, Debug, Default)]
pub struct Web {
    /// Downloads.
    pub net: Net,
    /// The registries that `registry:` looks in.
    pub registries: Vec<Registry>,
    /// Receives the progress.
    pub progress: Progress,
}

/// A registry that the user configured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registry {
    /// Its label.
    pub label: String,
    /// The folder that its files are below.
    pub address: Address,
}

/// One fetch, with the time that is left of it.
pub(super) struct Visit<'a> {
    pub(super) web: &'a Web,
    until: Instant,
}

impl<'a> Visit<'a> {
    pub(super) fn new(web: &'a Web) -> Self {
        Self { web, until: Instant::now() + WHOLE_TIME }
    }

    /// A list of skills; none when the server answers that there is no such file.
    pub(super) fn list(&self, address: &Url) -> Result<Option<Download>, WebError> {
        let want = DownloadRequest { accept: "application/json", bytes: INDEX_BYTES, time: INDEX_TIME };
        match self.get(Phase::Index, address, want) {
            // Stores of files answer 403 for what is not there.
            Err(WebError::Net { error: NetError::Status(403 | 404 | 410), .. }) => Ok(None),
            Err(error) => Err(error),
            Ok(came) => Ok(Some(came)),
        }
    }

    /// A file of a skill, or an archive. `digest` is compared before it is unpacked.
    pub(super) fn file(&self, address: &Url, digest: Option<&Digest>) -> Result<Download, WebError> {
        let bytes = Limits::default().packed_bytes;
        let came =
            self.get(Phase::Download, address, DownloadRequest { accept: "*/*", bytes, time: FILE_TIME })?;
        if let Some(wanted) = digest {
            let got = digest_bytes(&came.bytes);
            if got != *wanted {
                return Err(WebError::Digest { address: shown(address), wanted: *wanted, got });
            }
        }
        if matches!(came.kind.as_str(), "text/html" | "application/xhtml+xml") {
            return Err(WebError::Page { address: shown(address), kind: came.kind });
        }
        Ok(came)
    }

    fn get(&self, phase: Phase, address: &Url, mut want: DownloadRequest) -> Result<Download, WebError> {
        let left = self.until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(WebError::TooSlow(WHOLE_TIME.as_secs()));
        }
        want.time = want.time.min(left);
        self.web.progress.report(phase, 0, None);
        let mut heard = |done, total| self.web.progress.report(phase, done, total);
        self.web.net.get(address, &want, &mut heard).map_err(|error| refused(address, error))
    }

    /// The skill in a download. Only what was checked comes here.
    pub(super) fn unpacked(&self, came: &Download) -> Result<FetchedSkill, FetchError> {
        self.web.progress.report(Phase::Unpack, 0, None);
        let name = came.address.path().rsplit('/').next().filter(|name| !name.is_empty());
        local::unpacked(&came.bytes, Path::new(name.unwrap_or("download")))
    }
}

/// Why a download failed, with what a user can do about it.
pub(super) fn refused(address: &Url, error: NetError) -> WebError {
    let address = shown(address);
    match error {
        NetError::Plain => WebError::Plain(address),
        NetError::Status(401) => WebError::SignIn(address),
        NetError::OtherHost(host) => WebError::Elsewhere { address, host },
        error => WebError::Net { address, error },
    }
}

/// An archive, or a `SKILL.md`, behind an address.
pub(super) fn archive(address: &Address, web: &Web) -> Result<Fetched, FetchError> {
    let visit = Visit::new(web);
    let came = visit.file(&parsed(address)?, None)?;
    let found = visit.unpacked(&came)?;
    let resolved = Resolved { url: Some(shown(&came.address)), ..Resolved::default() };
    Ok(Fetched::of(vec![found], resolved))
}

/// The address as the network takes it.
pub(super) fn parsed(address: &Address) -> Result<Url, WebError> {
    Url::parse(address.as_str()).map_err(|_| WebError::Net {
        address: address.to_string(),
        error: NetError::Address("it is not a valid URL"),
    })
}

/// An address as it may be shown and kept: a query may hold a secret.
pub(super) fn shown(address: &Url) -> String {
    let mut address = address.clone();
    address.set_query(None);
    address.into()
}
