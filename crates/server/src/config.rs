//! How a server is set up: a file, variables, options; the later one counts.

use crate::{OidcConfig, Proxies};
use secrecy::SecretString;
use serde::Deserialize;
use skillful_team::{Db, Objects, Openness, Outbound, S3, Team, TeamError, db::is_server};
use std::{
    fs::OpenOptions,
    net::{SocketAddr, ToSocketAddrs as _},
    path::Path,
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

/// Settings; what is absent has a default.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ServeConfig {
    /// Where to listen: `127.0.0.1:8787`.
    pub listen: Option<String>,
    /// `postgres://…`, or the path of a SQLite file.
    pub database: Option<String>,
    /// `s3://BUCKET`, or a folder.
    pub objects: Option<String>,
    /// The address that users open, when a proxy is in front.
    pub address: Option<String>,
    /// Further names of the host.
    pub hosts: Vec<String>,
    /// The endpoint of an S3-compatible store.
    pub s3_endpoint: Option<String>,
    /// Its region.
    pub s3_region: Option<String>,
    /// Whether users who are not signed in read what is global.
    pub guests_read_global: Option<bool>,
    /// Requests of one credential in a second; 0 means no limit.
    pub requests: Option<u32>,
    /// The proxies in front, as addresses or networks; only their `x-forwarded-for` counts.
    pub proxies: Vec<String>,
    /// Whether sources and webhooks may be on private networks and on this machine.
    pub private_addresses: Option<bool>,
    /// The only hosts that sources may be on; none listed means every public host.
    pub source_hosts: Vec<String>,
    /// The identity provider where users sign in: `https://id.example.org`.
    pub oidc_issuer: Option<String>,
    /// The id of this server there.
    pub oidc_client_id: Option<String>,
    /// The claim with groups; `groups` without it.
    pub oidc_groups_claim: Option<String>,
    /// The claim with roles; `roles` without it.
    pub oidc_roles_claim: Option<String>,
    /// What a variable has and cannot have.
    #[serde(skip)]
    pub wrong: Vec<String>,
}

/// Requests of one credential in a second when nothing else is said.
pub const REQUESTS: u32 = 100;
/// Where a server listens when nothing else is said.
pub const LISTEN: &str = "127.0.0.1:8787";

impl ServeConfig {
    /// Reads the text of a file. An error names the line and does not repeat it, since it may hold the password of a database.
    pub fn of_toml(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|error: toml::de::Error| {
            let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
            format!("line {}: {}", before.matches('\n').count() + 1, error.message())
        })
    }

    /// Settings from variables, `SKILLFUL_SERVE_DATABASE` and so on.
    pub fn of_variables(variable: impl Fn(&str) -> Option<String>) -> Self {
        let own = |name: &str| variable(&format!("SKILLFUL_SERVE_{name}"));
        let list = |name: &str| -> Vec<String> {
            let text = own(name).unwrap_or_default();
            text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
        };
        let mut wrong = Vec::new();
        let mut truth = |name: &str| match own(name)?.trim() {
            "true" | "1" => Some(true),
            "false" | "0" | "" => Some(false),
            other => {
                wrong.push(format!("SKILLFUL_SERVE_{name}: `{other}` is not `true` or `false`"));
                None
            }
        };
        let (guests_read_global, private_addresses) =
            (truth("GUESTS_READ_GLOBAL"), truth("PRIVATE_ADDRESSES"));
        let requests = own("REQUESTS").filter(|text| !text.trim().is_empty());
        let requests = requests.and_then(|text| {
            let number = text.trim().parse().ok();
            if number.is_none() {
                wrong.push(format!(
                    "SKILLFUL_SERVE_REQUESTS: `{text}` is not a number of requests in a second"
                ));
            }
            number
        });
        Self {
            listen: own("LISTEN"),
            database: own("DATABASE"),
            objects: own("OBJECTS"),
            address: own("ADDRESS"),
            hosts: list("HOSTS"),
            s3_endpoint: variable("AWS_ENDPOINT_URL"),
            s3_region: variable("AWS_REGION"),
            guests_read_global,
            requests,
            private_addresses,
            source_hosts: list("SOURCE_HOSTS"),
            proxies: list("PROXIES"),
            oidc_issuer: own("OIDC_ISSUER"),
            oidc_client_id: own("OIDC_CLIENT_ID"),
            oidc_groups_claim: own("OIDC_GROUPS_CLAIM"),
            oidc_roles_claim: own("OIDC_ROLES_CLAIM"),
            wrong,
        }
    }

    /// These settings where they are present, else the others.
    #[must_use]
    pub fn over(self, under: Self) -> Self {
        Self {
            listen: self.listen.or(under.listen),
            database: self.database.or(under.database),
            objects: self.objects.or(under.objects),
            address: self.address.or(under.address),
            hosts: if self.hosts.is_empty() { under.hosts } else { self.hosts },
            s3_endpoint: self.s3_endpoint.or(under.s3_endpoint),
            s3_region: self.s3_region.or(under.s3_region),
            guests_read_global: self.guests_read_global.or(under.guests_read_global),
            requests: self.requests.or(under.requests),
            private_addresses: self.private_addresses.or(under.private_addresses),
            source_hosts: if self.source_hosts.is_empty() { under.source_hosts } else { self.source_hosts },
            proxies: if self.proxies.is_empty() { under.proxies } else { self.proxies },
            oidc_issuer: self.oidc_issuer.or(under.oidc_issuer),
            oidc_client_id: self.oidc_client_id.or(under.oidc_client_id),
            oidc_groups_claim: self.oidc_groups_claim.or(under.oidc_groups_claim),
            oidc_roles_claim: self.oidc_roles_claim.or(under.oidc_roles_claim),
            wrong: self.wrong.into_iter().chain(under.wrong).collect(),
        }
    }

    /// Where users sign in. The secret comes from the environment alone.
    pub fn oidc(&self, variable: impl Fn(&str) -> Option<String>) -> Option<OidcConfig> {
        Some(OidcConfig {
            issuer: self.oidc_issuer.clone()?,
            client_id: self.oidc_client_id.clone().unwrap_or_else(|| "skillful".to_owned()),
            client_secret: variable("SKILLFUL_SERVE_OIDC_SECRET").map(SecretString::from),
            groups_claim: self.oidc_groups_claim.clone(),
            roles_claim: self.oidc_roles_claim.clone(),
        })
    }

    /// The address that users open, if it is one.
    fn address_url(&self) -> Result<Option<url::Url>, String> {
        let Some(address) = &self.address else { return Ok(None) };
        let url = url::Url::parse(address).ok();
        let url = url.filter(|url| matches!(url.scheme(), "http" | "https") && url.host_str().is_some());
        let wrong = || format!("address: `{address}` is not an address such as https://skills.example.org");
        let url = url.ok_or_else(wrong)?;
        if url.path() != "/" || url.query().is_some() {
            return Err(format!("address: {address} has a path; the server is at the top of its host"));
        }
        Ok(Some(url))
    }

    /// What is wrong with the settings themselves, so that no server starts with them.
    pub fn faults(&self) -> Vec<String> {
        let mut found = self.wrong.clone();
        if let Err(why) = self.socket() {
            found.push(why);
        }
        if let Err(why) = Proxies::parse(&self.proxies) {
            found.push(format!("proxies: {why}"));
        }
        if let Err(why) = self.address_url() {
            found.push(why);
        }
        if let Some(bucket) = self.objects.as_deref().and_then(|place| place.strip_prefix("s3://"))
            && (bucket.is_empty() || bucket.contains('/'))
        {
            found.push(format!("objects: `s3://{bucket}` is not s3://BUCKET"));
        }
        if let Some(place) = &self.database
            && place.contains("://")
            && !is_server(place)
        {
            let scheme = place.split("://").next().unwrap_or_default();
            found.push(format!(
                "database: `{scheme}://` is not known; it is postgres://… or the path of a SQLite file"
            ));
        }
        for host in &self.hosts {
            if host.is_empty() || host.contains(['/', '@', ' ']) {
                found.push(format!(
                    "hosts: `{host}` is not a host name, such as skills.example.org or localhost:8787"
                ));
            }
        }
        for host in &self.source_hosts {
            if host.contains('/') || host.contains(':') || host.is_empty() {
                found.push(format!("source_hosts: `{host}` is not a host name"));
            }
        }
        found
    }

    /// The faults of the settings, and what a server starts with and an administrator should know.
    pub fn problems(&self) -> Vec<String> {
        let mut found = self.faults();
        if let Ok(Some(url)) = self.address_url()
            && is_plain(&url)
        {
            let address = url.as_str().trim_end_matches('/');
            found.push(format!(
                "address: {address} is not https; tokens and cookies would cross the network unencrypted"
            ));
        }
        if let Some(issuer) = &self.oidc_issuer
            && url::Url::parse(issuer).is_ok_and(|url| is_plain(&url))
        {
            found.push(format!(
                "oidc_issuer: {issuer} is not https; another machine of the network could sign in as any user"
            ));
        }
        if self.oidc_client_id.is_some() && self.oidc_issuer.is_none() {
            found.push("oidc_client_id is set and oidc_issuer is not".to_owned());
        }
        found
    }

    /// The socket.
    pub fn socket(&self) -> Result<SocketAddr, String> {
        let text = self.listen.as_deref().unwrap_or(LISTEN);
        let found = text.to_socket_addrs().ok().and_then(|mut found| found.next());
        found.ok_or_else(|| format!("`{text}` is not an address and a port, such as {LISTEN}"))
    }

    /// The database in words, without a password.
    pub fn database_name(&self, data: &Path) -> String {
        match &self.database {
            Some(address) if is_server(address) => {
                let rest = address.split_once("://").map_or("", |(_, rest)| rest);
                let place = rest.rsplit_once('@').map_or(rest, |(_, place)| place);
                format!("postgres://{}", place.split('?').next().unwrap_or_default())
            }
            Some(path) => path.clone(),
            None => data.join("team.db").display().to_string(),
        }
    }

    /// The place of the contents in words.
    pub fn objects_name(&self, data: &Path) -> String {
        self.objects.clone().unwrap_or_else(|| data.join("team").display().to_string())
    }

    /// What keeps the database or the contents from being opened. Nothing is created or changed, the schema neither.
    pub async fn look(&self, data: &Path, variable: impl Fn(&str) -> Option<String>) -> Vec<String> {
        let mut found = Vec::new();
        let cannot = |why: String| format!("the team's data cannot be opened: {why}");
        let file = data.join("team.db");
        let place = self.database.as_ref().map_or(file.as_path(), Path::new);
        let is_server = self.database.as_deref().is_some_and(is_server);
        let is_there = is_server || place.exists();
        let looked = if !is_server && place.to_string_lossy().contains("://") {
            // Named among the faults of the settings.
            Ok(())
        } else if is_there {
            let writable = if is_server { Ok(()) } else { writable_file(place) };
            match writable {
                Ok(()) => {
                    Db::look(&place.to_string_lossy()).await.map(|_| ()).map_err(|error| error.to_string())
                }
                Err(why) => Err(why),
            }
        } else if self.database.is_none() {
            writable_folder(data)
        } else {
            let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty());
            let folder = folder.unwrap_or_else(|| Path::new("."));
            if folder.is_dir() {
                writable_folder(folder)
            } else {
                Err(format!("{} is not a folder", folder.display()))
            }
        };
        found.extend(looked.err().map(cannot));
        let name = self.objects_name(data);
        match self.bucket(&variable) {
            Some(Ok(objects)) if objects.is_ready().await => {}
            Some(Ok(_)) => found.push(format!("{name} does not answer")),
            Some(Err(error)) => found.push(cannot(error.to_string())),
            None => found.extend(writable_folder(Path::new(&name)).err().map(cannot)),
        }
        found
    }

    /// The bucket, where the contents are in one.
    fn bucket(&self, variable: &impl Fn(&str) -> Option<String>) -> Option<Result<Objects, TeamError>> {
        let bucket = self.objects.as_deref()?.strip_prefix("s3://")?;
        let access = S3 {
            endpoint: self.s3_endpoint.clone().unwrap_or_default(),
            region: self.s3_region.clone().unwrap_or_default(),
            key_id: variable("AWS_ACCESS_KEY_ID").unwrap_or_default(),
            key: SecretString::from(variable("AWS_SECRET_ACCESS_KEY").unwrap_or_default()),
        };
        Some(Objects::s3(bucket, &access))
    }

    /// Opens the team. The secret of S3 comes from the environment alone.
    pub async fn open(
        &self,
        data: &Path,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Team, TeamError> {
        std::fs::create_dir_all(data)
            .map_err(|error| TeamError::Unavailable(format!("{}: {error}", data.display())))?;
        let file = data.join("team.db");
        let database = match &self.database {
            Some(address) => address.clone(),
            None => file.to_string_lossy().into_owned(),
        };
        let objects = match self.bucket(&variable) {
            Some(objects) => objects?,
            None => Objects::folder(Path::new(&self.objects_name(data)))?,
        };
        let db = Db::open(&database).await?;
        let openness = Openness { guests_read_global: self.guests_read_global.unwrap_or(false) };
        let outbound = Outbound {
            private_addresses: self.private_addresses.unwrap_or(false),
            source_hosts: self.source_hosts.iter().cloned().collect(),
            program_path: variable("PATH").unwrap_or_default(),
        };
        Ok(Team::open(db, objects, openness, Arc::new(now)).await?.with_outbound(outbound))
    }
}

/// Whether an address is reached without TLS and is not on this machine.
fn is_plain(url: &url::Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let is_here = host == "localhost" || host.starts_with("127.") || host == "[::1]";
    url.scheme() == "http" && !is_here
}

/// Whether a file can be written. It is not changed.
fn writable_file(path: &Path) -> Result<(), String> {
    let opened = OpenOptions::new().write(true).open(path);
    opened.map(|_| ()).map_err(|error| format!("{}: {error}", path.display()))
}

/// Whether files can be written to a folder, or to the one that it would be created in.
fn writable_folder(path: &Path) -> Result<(), String> {
    let there = path.ancestors().find(|folder| folder.exists() && !folder.as_os_str().is_empty());
    let there = there.unwrap_or_else(|| Path::new("."));
    let probe = tempfile::tempfile_in(there);
    probe.map(|_| ()).map_err(|error| format!("{}: {error}", there.display()))
}

fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
