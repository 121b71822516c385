//! The Skills APIs of model vendors, and servers that speak one of them: finding a skill by its name, creating it, adding a
//! version. The key is sent to one origin, and no redirect is followed.

use secrecy::SecretString;
use serde::Deserialize;
use serde_json::Value;
use skillful_format::{Document, Sidecars, Tree, digest_bytes};
use skillful_net::{NamedOrigin, Net, NetError, Reach, Reply, SendRequest};
use skillful_registry::lock::PushedSkill;
use std::{collections::BTreeSet, fmt, str::FromStr, time::Duration};
use url::Url;

/// Largest answer.
const BYTES: u64 = 8 << 20;
/// Time limit of a request.
const TIME: Duration = Duration::from_mins(2);
/// Further attempts when a server is busy or the answer is lost.
const RETRIES: u32 = 2;
/// The longest wait between two attempts.
const WAIT: Duration = Duration::from_secs(20);
/// Pages of a list that are read.
const PAGES: usize = 100;
/// Words that Anthropic keeps for itself.
const RESERVED: [&str; 2] = ["anthropic", "claude"];

/// Which API is spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// That of Anthropic.
    Anthropic,
    /// That of `OpenAI`.
    OpenAi,
}

impl Dialect {
    /// Its address at the vendor.
    pub fn address(self) -> &'static str {
        match self {
            Self::Anthropic => "https://api.anthropic.com",
            Self::OpenAi => "https://api.openai.com/v1",
        }
    }

    /// The variable that holds the user's key.
    pub fn variable(self) -> &'static str {
        match self {
            Self::Anthropic => "ANTHROPIC_API_KEY",
            Self::OpenAi => "OPENAI_API_KEY",
        }
    }

    /// The variable that names another address for that key.
    fn address_variable(self) -> &'static str {
        match self {
            Self::Anthropic => "ANTHROPIC_BASE_URL",
            Self::OpenAi => "OPENAI_BASE_URL",
        }
    }

    /// The key of the environment, when it is meant for an address: that of the vendor, the one that the environment names
    /// beside the key, or this machine. Another server would learn the key of a vendor.
    pub fn key(self, address: &str, variable: impl Fn(&str) -> Option<String>) -> Option<SecretString> {
        let address = Url::parse(address).ok()?;
        let is_of = |named: &str| {
            let named = Url::parse(named).ok().and_then(|named| NamedOrigin::new(&named, None));
            named.is_some_and(|origin| origin.is_of(&address))
        };
        let is_here = || NamedOrigin::new(&address, None).is_some_and(|origin| origin.is_this_machine());
        let is_meant = is_of(self.address())
            || variable(self.address_variable()).is_some_and(|named| is_of(&named))
            || is_here();
        is_meant.then(|| variable(self.variable())).flatten().map(SecretString::from)
    }

    /// What the vendor would refuse, so that nothing is sent.
    pub fn refuses(self, name: &str, tree: &Tree, zip: &[u8]) -> Vec<String> {
        let mut why = Vec::new();
        let files = tree.iter().filter(|(path, _)| path.as_str().eq_ignore_ascii_case("SKILL.md")).count();
        if files != 1 {
            why.push(format!("it has {files} files named SKILL.md at its top, and the API takes one"));
        }
        let document = tree.skill_file().map(|(_, file)| Document::read(&file.bytes, &Sidecars::default()));
        let manifest = document.map(|document| document.manifest).unwrap_or_default();
        match manifest.description.as_deref().map(|text| text.chars().count()) {
            None | Some(0) => why.push("it has no description".to_owned()),
            Some(length) if length > 1_024 => {
                why.push(format!("its description has {length} characters, and the limit is 1,024"));
            }
            Some(_) => {}
        }
        let is_slug = !name.is_empty()
            && name.len() <= 64
            && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
        if !is_slug {
            why.push("its name is not 1 to 64 small letters, digits and hyphens".to_owned());
        }
        let bytes: usize = tree.iter().map(|(_, file)| file.bytes.len()).sum();
        match self {
            Self::Anthropic => {
                if let Some(word) = RESERVED.iter().find(|word| name.contains(*word)) {
                    why.push(format!("its name contains `{word}`, which the vendor keeps for itself"));
                }
                if bytes >= 30 << 20 {
                    why.push(format!("its files have {bytes} bytes, and the limit is 30 MiB"));
                }
            }
            Self::OpenAi => {
                if zip.len() > 50 << 20 {
                    why.push(format!("its archive has {} bytes, and the limit is 50 MiB", zip.len()));
                }
                if tree.len() > 500 {
                    why.push(format!("it has {} files, and the limit is 500", tree.len()));
                }
                if let Some((path, _)) = tree.iter().find(|(_, file)| file.bytes.len() > 25 << 20) {
                    why.push(format!("`{path}` is larger than 25 MiB"));
                }
            }
        }
        why
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Anthropic => "anthropic",
            Self::OpenAi => "openai",
        })
    }
}

impl FromStr for Dialect {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "anthropic" => Ok(Self::Anthropic),
            "openai" => Ok(Self::OpenAi),
            _ => Err(()),
        }
    }
}

/// Why an API did not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SkillsApiError {
    /// The address cannot be one.
    #[error("`{0}` is not the address of a Skills API; use https://…, or http:// for this machine")]
    Address(String),
    /// It does not answer.
    #[error("{0} does not answer: {1}")]
    Unreachable(String, String),
    /// The key is not accepted.
    #[error("{0} does not accept the key: {1}")]
    Key(String, String),
    /// It has no such skill.
    #[error("{0} has no such skill")]
    Missing(String),
    /// It refused.
    #[error("{0} refused (status {1}): {2}")]
    Refused(String, u16, String),
    /// Its answer is not one of such an API.
    #[error("{0} does not answer as a Skills API does: {1}")]
    Odd(String, String),
}

/// An API with the user's key.
#[derive(Clone, Debug)]
pub struct SkillsApi {
    dialect: Dialect,
    address: Url,
    net: Net,
}

/// A skill as the API has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteSkill {
    /// Its id.
    pub id: String,
    /// The version that was made; empty when none was.
    pub version: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ListPage {
    data: Vec<Value>,
    next_page: Option<String>,
    has_more: bool,
}

impl SkillsApi {
    /// Checks an address, for which no key is needed.
    pub fn check(address: &str) -> Result<Url, SkillsApiError> {
        let wrong = || SkillsApiError::Address(address.to_owned());
        let url = Url::parse(address.trim_end_matches('/')).map_err(|_| wrong())?;
        let is_plain = url.query().is_none() && url.fragment().is_none() && url.username().is_empty();
        let is_origin = NamedOrigin::new(&url, None).is_some() && url.password().is_none();
        if is_plain && is_origin { Ok(url) } else { Err(wrong()) }
    }

    /// An API at an address.
    pub fn new(dialect: Dialect, address: &str, key: SecretString) -> Result<Self, SkillsApiError> {
        let wrong = || SkillsApiError::Address(address.to_owned());
        let url = Self::check(address)?;
        let origin = NamedOrigin::new(&url, Some(key));
        let net = Net::with_origins(Reach::Public, BTreeSet::new(), vec![origin.ok_or_else(wrong)?]);
        Ok(Self { dialect, address: url, net })
    }

    fn base(&self) -> &str {
        self.address.as_str().trim_end_matches('/')
    }

    fn skills(&self) -> &'static str {
        match self.dialect {
            Dialect::Anthropic => "/v1/skills",
            Dialect::OpenAi => "/skills",
        }
    }

    fn send(&self, method: &str, path: &str, body: Option<(&str, &[u8])>) -> Result<Value, SkillsApiError> {
        let base = self.base().to_owned();
        let url = Url::parse(&format!("{base}{path}")).map_err(|_| SkillsApiError::Address(base.clone()))?;
        for attempt in 0..=RETRIES {
            let count = attempt.to_string();
            let mut headers =
                vec![("accept", "application/json"), ("x-stainless-retry-count", count.as_str())];
            if self.dialect == Dialect::Anthropic {
                headers.push(("anthropic-version", "2026-10-21"));
            }
            let send = SendRequest {
                method,
                headers: &headers,
                kind: body.map(|(kind, _)| kind),
                body: body.map_or(&[], |(_, bytes)| bytes),
                bytes: BYTES,
                time: TIME,
            };
            let last = attempt == RETRIES;
            match self.net.send(&url, &send) {
                Ok(reply) if !last && (reply.status == 429 || reply.status >= 500) => {
                    let asked = reply.retry_after.map_or(Duration::from_millis(500), Duration::from_secs);
                    std::thread::sleep(asked.min(WAIT));
                }
                Ok(reply) => return self.taken(&reply),
                // The server gets the same request again and can answer with its first result.
                Err(NetError::Failed(_) | NetError::TooSlow(_)) if !last => {
                    std::thread::sleep(Duration::from_millis(500));
                }
                Err(error) => return Err(SkillsApiError::Unreachable(base, error.to_string())),
            }
        }
        Err(SkillsApiError::Unreachable(base, "it was busy".to_owned()))
    }

    fn taken(&self, reply: &Reply) -> Result<Value, SkillsApiError> {
        let base = self.base().to_owned();
        let value: Value = serde_json::from_slice(&reply.bytes).unwrap_or_default();
        if (200..300).contains(&reply.status) {
            return if value.is_object() {
                Ok(value)
            } else {
                Err(SkillsApiError::Odd(base, "it is not JSON".to_owned()))
            };
        }
        let why =
            value["error"]["message"].as_str().unwrap_or("it gave no reason").chars().take(400).collect();
        Err(match reply.status {
            401 | 403 => SkillsApiError::Key(base, why),
            404 => SkillsApiError::Missing(base),
            status => SkillsApiError::Refused(base, status, why),
        })
    }

    /// The id of the user's skill of a name.
    pub fn find(&self, name: &str) -> Result<Option<String>, SkillsApiError> {
        let mut cursor: Option<String> = None;
        for _ in 0..PAGES {
            let mut query = url::form_urlencoded::Serializer::new(String::new());
            query.append_pair("limit", "100");
            if let Some(cursor) = &cursor {
                query.append_pair(if self.dialect == Dialect::Anthropic { "page" } else { "after" }, cursor);
            }
            if self.dialect == Dialect::Anthropic {
                query.append_pair("source", "custom");
            }
            let answer = self.send("GET", &format!("{}?{}", self.skills(), query.finish()), None)?;
            let page: ListPage = serde_json::from_value(answer)
                .map_err(|error| SkillsApiError::Odd(self.base().to_owned(), error.to_string()))?;
            let key = if self.dialect == Dialect::Anthropic { "display_name" } else { "name" };
            if let Some(found) = page.data.iter().find(|skill| skill[key] == name) {
                return self.text(found, "id").map(Some);
            }
            cursor = match self.dialect {
                Dialect::Anthropic => page.next_page,
                Dialect::OpenAi => {
                    let last = page.data.last().and_then(|skill| skill["id"].as_str());
                    last.filter(|_| page.has_more).map(str::to_owned)
                }
            };
            if cursor.is_none() {
                return Ok(None);
            }
        }
        Ok(None)
    }

    fn form(&self, name: &str, zip: &[u8], fields: &[(&str, &str)]) -> (String, Vec<u8>) {
        // A text that the archive does not contain, since it is made of its digest.
        let edge = format!("skillful-{}", digest_bytes(zip).to_hex());
        let mut body = Vec::new();
        for (field, text) in fields {
            body.extend(
                format!("--{edge}\r\ncontent-disposition: form-data; name=\"{field}\"\r\n\r\n{text}\r\n")
                    .bytes(),
            );
        }
        let part = if self.dialect == Dialect::Anthropic { "files[]" } else { "files" };
        let head = format!(
            "--{edge}\r\ncontent-disposition: form-data; name=\"{part}\"; filename=\"{name}.zip\"\r\ncontent-type: \
             application/zip\r\n\r\n"
        );
        body.extend(head.bytes());
        body.extend(zip);
        body.extend(format!("\r\n--{edge}--\r\n").bytes());
        (format!("multipart/form-data; boundary={edge}"), body)
    }

    fn text(&self, value: &Value, key: &str) -> Result<String, SkillsApiError> {
        let odd = || SkillsApiError::Odd(self.base().to_owned(), format!("its answer has no `{key}`"));
        let text = value[key].as_str().ok_or_else(odd)?;
        if PushedSkill::is_id(text) { Ok(text.to_owned()) } else { Err(odd()) }
    }

    /// Creates a skill.
    pub fn create(&self, name: &str, zip: &[u8]) -> Result<RemoteSkill, SkillsApiError> {
        let fields: &[(&str, &str)] =
            if self.dialect == Dialect::Anthropic { &[("display_name", name)] } else { &[] };
        let (kind, body) = self.form(name, zip, fields);
        let made = self.send("POST", self.skills(), Some((&kind, &body)))?;
        let key = if self.dialect == Dialect::Anthropic { "latest_version_id" } else { "latest_version" };
        Ok(RemoteSkill { id: self.text(&made, "id")?, version: self.text(&made, key)? })
    }

    /// Adds a version to a skill.
    pub fn add_version(&self, id: &str, name: &str, zip: &[u8]) -> Result<RemoteSkill, SkillsApiError> {
        let fields: &[(&str, &str)] =
            if self.dialect == Dialect::OpenAi { &[("default", "true")] } else { &[] };
        let (kind, body) = self.form(name, zip, fields);
        let made = self.send("POST", &format!("{}/{id}/versions", self.skills()), Some((&kind, &body)))?;
        let key = if self.dialect == Dialect::Anthropic { "id" } else { "version" };
        Ok(RemoteSkill { id: id.to_owned(), version: self.text(&made, key)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use skillful_format::{Limits, TreeFile, TreePath};

    fn tree(files: &[(&str, &str)]) -> Tree {
        let mut tree = Tree::default();
        for (path, text) in files {
            let file = TreeFile { bytes: text.as_bytes().to_vec(), executable: false };
            tree.insert(TreePath::new(path, &Limits::default()).unwrap(), file, &Limits::default()).unwrap();
        }
        tree
    }

    #[test]
    fn what_a_vendor_would_refuse_is_refused_before_anything_is_sent() {
        let good = tree(&[("SKILL.md", "---\nname: pdf\ndescription: Does it.\n---\n")]);
        for dialect in [Dialect::Anthropic, Dialect::OpenAi] {
            assert_eq!(dialect.refuses("pdf", &good, &[]), [""; 0]);
            assert_eq!(dialect.refuses("Pdf Forms", &good, &[]).len(), 1);
            let none = tree(&[("SKILL.md", "---\nname: pdf\n---\n")]);
            assert!(dialect.refuses("pdf", &none, &[])[0].contains("no description"));
        }
        assert_eq!(Dialect::Anthropic.refuses("claude-helper", &good, &[]).len(), 1);
        assert!(Dialect::OpenAi.refuses("claude-helper", &good, &[]).is_empty());
        let names: Vec<String> = (0..501).map(|at| format!("f{at}")).collect();
        let mut files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "x")).collect();
        files.push(("SKILL.md", "---\nname: pdf\ndescription: Does it.\n---\n"));
        let many = tree(&files);
        assert!(Dialect::OpenAi.refuses("pdf", &many, &[])[0].contains("500"));
        assert!(Dialect::Anthropic.refuses("pdf", &many, &[]).is_empty());
    }

    #[test]
    fn a_key_of_the_environment_goes_to_its_vendor_to_its_named_address_or_to_this_machine() {
        let with = |base: Option<&'static str>| {
            move |name: &str| match name {
                "OPENAI_API_KEY" => Some("sk-openai".to_owned()),
                "OPENAI_BASE_URL" => base.map(str::to_owned),
                _ => None,
            }
        };
        let gets = |address: &str, base| Dialect::OpenAi.key(address, with(base)).is_some();
        for meant in ["https://api.openai.com/v1", "http://127.0.0.1:9/openai/v1", "http://localhost:9/v1"] {
            assert!(gets(meant, None), "{meant}");
        }
        assert!(gets("https://models.example.org/openai/v1", Some("https://models.example.org/v1")));
        for other in [
            "https://evil.example/openai/v1",
            "https://api.openai.com.evil.example/openai/v1",
            "https://api.openai.com@evil.example/openai/v1",
            "https://api.openai.com:8443/v1",
            "http://api.openai.com/v1",
            "http://127.0.0.1.evil.example/openai/v1",
            "https://api.anthropic.com",
        ] {
            assert!(!gets(other, None), "{other}");
            assert!(!gets(other, Some("https://models.example.org/v1")), "{other}");
        }
        assert!(Dialect::Anthropic.key("https://api.anthropic.com", with(None)).is_none());
    }

    #[test]
    fn a_key_goes_to_https_or_this_machine_alone() {
        let key = || SecretString::from("k".to_owned());
        assert!(SkillsApi::new(Dialect::OpenAi, "http://api.example.org/v1", key()).is_err());
        assert!(SkillsApi::new(Dialect::OpenAi, "https://user@api.example.org/v1", key()).is_err());
        assert!(SkillsApi::new(Dialect::OpenAi, "https://api.example.org/v1", key()).is_ok());
    }
}
