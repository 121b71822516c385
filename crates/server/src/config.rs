//! How a server is set up: a file, variables, options; the later one counts.

use crate::{OidcConfig, Proxies};
use secrecy::SecretString;
use serde::Deserialize;
use skillful_team::{Db, Objects, Openness, Outbound, S3, Team, TeamError};
use std::{
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
}

/// Requests of one credential in a second when nothing else is said.
pub const REQUESTS: u32 = 100;
/// Where a server listens when nothing else is said.
pub const LISTEN: &str = "127.0.0.1:8787";

impl ServeConfig {
    /// Reads the text of a file.
    pub fn of_toml(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|error| error.to_string())
    }

    /// Settings from variables, `SKILLFUL_SERVE_DATABASE` and so on.
    pub fn of_variables(variable: impl Fn(&str) -> Option<String>) -> Self {
        let own = |name: &str| variable(&format!("SKILLFUL_SERVE_{name}"));
        let list = |name: &str| -> Vec<String> {
            let text = own(name).unwrap_or_default();
            text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
        };
        Self {
            listen: own("LISTEN"),
            database: own("DATABASE"),
            objects: own("OBJECTS"),
            address: own("ADDRESS"),
            hosts: list("HOSTS"),
            s3_endpoint: variable("AWS_ENDPOINT_URL"),
            s3_region: variable("AWS_REGION"),
            guests_read_global: own("GUESTS_READ_GLOBAL").map(|text| text == "true"),
            requests: own("REQUESTS").and_then(|text| text.parse().ok()),
            private_addresses: own("PRIVATE_ADDRESSES").map(|text| text == "true"),
            source_hosts: list("SOURCE_HOSTS"),
            proxies: list("PROXIES"),
            oidc_issuer: own("OIDC_ISSUER"),
            oidc_client_id: own("OIDC_CLIENT_ID"),
            oidc_groups_claim: own("OIDC_GROUPS_CLAIM"),
            oidc_roles_claim: own("OIDC_ROLES_CLAIM"),
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

    /// What is wrong with the settings themselves, before anything is opened.
    pub fn problems(&self) -> Vec<String> {
        let mut found = Vec::new();
        if let Err(why) = self.socket() {
            found.push(why);
        }
        if let Err(why) = Proxies::parse(&self.proxies) {
            found.push(format!("proxies: {why}"));
        }
        if let Some(address) = &self.address {
            match url::Url::parse(address) {
                Ok(url) if matches!(url.scheme(), "http" | "https") && url.host_str().is_some() => {
                    let host = url.host_str().unwrap_or_default();
                    let is_here = host == "localhost" || host.starts_with("127.") || host == "[::1]";
                    if url.scheme() == "http" && !is_here {
                        found.push(format!(
                            "address: {address} is not https; tokens and cookies would cross the network unencrypted"
                        ));
                    }
                    if url.path() != "/" {
                        found.push(format!(
                            "address: {address} has a path; the server is at the top of its host"
                        ));
                    }
                }
                _ => found.push(format!(
                    "address: `{address}` is not an address such as https://skills.example.org"
                )),
            }
        }
        if self.oidc_client_id.is_some() && self.oidc_issuer.is_none() {
            found.push("oidc_client_id is set and oidc_issuer is not".to_owned());
        }
        if let Some(bucket) = self.objects.as_deref().and_then(|place| place.strip_prefix("s3://"))
            && (bucket.is_empty() || bucket.contains('/'))
        {
            found.push(format!("objects: `s3://{bucket}` is not s3://BUCKET"));
        }
        for host in &self.source_hosts {
            if host.contains('/') || host.contains(':') || host.is_empty() {
                found.push(format!("source_hosts: `{host}` is not a host name"));
            }
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
            Some(address) if address.starts_with("postgres") => {
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
        let objects = match self.objects.as_deref().and_then(|place| place.strip_prefix("s3://")) {
            Some(bucket) => Objects::s3(
                bucket,
                &S3 {
                    endpoint: self.s3_endpoint.clone().unwrap_or_default(),
                    region: self.s3_region.clone().unwrap_or_default(),
                    key_id: variable("AWS_ACCESS_KEY_ID").unwrap_or_default(),
                    key: SecretString::from(variable("AWS_SECRET_ACCESS_KEY").unwrap_or_default()),
                },
            )?,
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

fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
