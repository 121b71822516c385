//! The client of a team server (`skillful serve`): sign-in by a code, what is on for the user, what was taken back, and
//! counts of uses. A server is another machine: what it answers is bounded and checked, and it gets one token, its own.

use secrecy::SecretString;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use skillful_format::Digest;
use skillful_net::{NamedOrigin, Net, Reach, Reply, SendRequest};
use std::{collections::BTreeSet, time::Duration};
use url::{Url, form_urlencoded};

/// Largest answer.
const BYTES: u64 = 16 << 20;
/// Time limit of a request.
const TIME: Duration = Duration::from_secs(20);
/// Digests that are asked about at once; the server takes no more.
const DIGESTS: usize = 1_000;
/// Characters of a text of the server that are kept.
const TEXT: usize = 400;

/// Why a team server did not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TeamServerError {
    /// The address cannot be one.
    #[error("`{0}` is not the address of a team server; use https://…, or http:// for this machine")]
    Address(String),
    /// It does not answer.
    #[error("{address} does not answer: {why}")]
    Unreachable {
        /// The address.
        address: String,
        /// Why.
        why: String,
    },
    /// The token is not valid.
    #[error("{address} does not accept the sign-in: {why}")]
    SignIn {
        /// The address.
        address: String,
        /// What it says.
        why: String,
    },
    /// It refused.
    #[error("{address} refused: {why}")]
    Refused {
        /// The address.
        address: String,
        /// What it says.
        why: String,
    },
    /// Its answer is not one of a team server.
    #[error("{address} does not answer as a team server does: {why}")]
    Odd {
        /// The address.
        address: String,
        /// What is wrong.
        why: String,
    },
}

impl TeamServerError {
    /// Whether the server could not be asked, so that what is known counts.
    pub fn is_away(&self) -> bool {
        matches!(self, Self::Unreachable { .. })
    }
}

/// A team server.
#[derive(Clone, Debug)]
pub struct TeamServer {
    address: Url,
    net: Net,
}

/// The codes of a sign-in.
#[derive(Clone, Debug, Deserialize)]
pub struct DeviceCodes {
    /// The secret of this program.
    #[serde(deserialize_with = "secret")]
    pub device_code: SecretString,
    /// The code that the user confirms.
    pub user_code: String,
    /// The page that asks for the code.
    pub verification_uri: String,
    /// The same page with the code.
    pub verification_uri_complete: Option<String>,
    /// Seconds until the code is over.
    pub expires_in: u64,
    /// Seconds between two questions.
    #[serde(default = "five")]
    pub interval: u64,
}

fn secret<'de, D: serde::Deserializer<'de>>(from: D) -> Result<SecretString, D::Error> {
    String::deserialize(from).map(SecretString::from)
}

fn five() -> u64 {
    5
}

/// A token of the server.
#[derive(Clone, Debug, Deserialize)]
pub struct GrantedToken {
    /// The token.
    #[serde(deserialize_with = "secret")]
    pub access_token: SecretString,
    /// Seconds until it ends.
    pub expires_in: u64,
    /// Its scopes, separated by blanks.
    #[serde(default)]
    pub scope: String,
    /// Its id.
    #[serde(default)]
    pub token_id: String,
}

/// The answer to a program that asks for its token.
#[derive(Clone, Debug)]
pub enum DeviceAnswer {
    /// The user has not decided yet.
    Pending,
    /// Ask less often.
    TooFast,
    /// The token.
    Granted(GrantedToken),
}

/// The user of a token.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct TeamUser {
    /// The id.
    pub id: String,
    /// The name; empty when it is not known.
    #[serde(default)]
    pub name: String,
    /// The email address.
    #[serde(default)]
    pub email: String,
}

impl TeamUser {
    /// How the user is shown.
    pub fn label(&self) -> &str {
        [&self.email, &self.name].into_iter().find(|text| !text.is_empty()).unwrap_or(&self.id)
    }
}

/// A skill as the server gives it to the user.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct EffectiveSkill {
    /// The skill.
    pub skill: SkillPart,
    /// The version.
    pub version: VersionPart,
    /// `required`, `on`, `offered` or `hidden`.
    pub choice: String,
    /// Whether it is on.
    pub is_on: bool,
    /// Why.
    #[serde(default)]
    pub reason: String,
}

/// What is used of a skill.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct SkillPart {
    /// The id.
    pub id: String,
    /// The name.
    pub name: String,
}

/// What is used of a version.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct VersionPart {
    /// The number.
    pub number: i64,
    /// The digest of the files.
    pub tree: Digest,
}

/// What the server knows about files.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct TreeVerdict {
    /// The digest of the files.
    pub digest: Digest,
    /// `published`, `yanked`, `revoked`, `unknown` and others.
    pub state: String,
    /// Why it was taken back.
    #[serde(default)]
    pub reason: String,
}

/// Uses of one version by one agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UseReport {
    /// The skill.
    pub skill_id: String,
    /// The version.
    pub version: i64,
    /// The agent.
    pub agent: String,
    /// How often it was used.
    pub uses: i64,
    /// How often that failed.
    pub failures: i64,
}

#[derive(Deserialize)]
struct Listed<T> {
    data: Vec<T>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Problem {
    detail: String,
    error: String,
    error_description: String,
}

impl TeamServer {
    /// A server, with the user's token.
    pub fn new(address: &str, token: Option<SecretString>) -> Result<Self, TeamServerError> {
        let wrong = || TeamServerError::Address(address.to_owned());
        let url = Url::parse(address.trim_end_matches('/')).map_err(|_| wrong())?;
        let is_plain = url.query().is_none() && url.fragment().is_none() && url.username().is_empty();
        let origin = NamedOrigin::new(&url, token)
            .filter(|_| is_plain && url.password().is_none())
            .ok_or_else(wrong)?;
        Ok(Self { address: url, net: Net::with_origins(Reach::Public, BTreeSet::new(), vec![origin]) })
    }

    /// The address, without a slash at its end.
    pub fn address(&self) -> &str {
        self.address.as_str().trim_end_matches('/')
    }

    fn send(&self, method: &str, path: &str, body: Option<(&str, &[u8])>) -> Result<Reply, TeamServerError> {
        let address = self.address().to_owned();
        let url =
            Url::parse(&format!("{address}{path}")).map_err(|_| TeamServerError::Address(address.clone()))?;
        let send = SendRequest {
            method,
            headers: &[("accept", "application/json")],
            kind: body.map(|(kind, _)| kind),
            body: body.map_or(&[], |(_, bytes)| bytes),
            bytes: BYTES,
            time: TIME,
        };
        self.net
            .send(&url, &send)
            .map_err(|error| TeamServerError::Unreachable { address, why: error.to_string() })
    }

    fn taken<T: DeserializeOwned>(&self, reply: &Reply) -> Result<T, TeamServerError> {
        let address = self.address().to_owned();
        if (200..300).contains(&reply.status) {
            return serde_json::from_slice(&reply.bytes)
                .map_err(|error| TeamServerError::Odd { address, why: error.to_string() });
        }
        let problem: Problem = serde_json::from_slice(&reply.bytes).unwrap_or_default();
        let why = [problem.detail, problem.error_description].into_iter().find(|text| !text.is_empty());
        let why: String =
            why.unwrap_or_else(|| format!("status {}", reply.status)).chars().take(TEXT).collect();
        Err(match reply.status {
            401 => TeamServerError::SignIn { address, why },
            429 | 500.. => TeamServerError::Unreachable { address, why },
            300..=399 | 404 | 405 => TeamServerError::Odd { address, why },
            _ => TeamServerError::Refused { address, why },
        })
    }

    fn json<T: DeserializeOwned>(
        &self,
        method: &str,
        path: &str,
        body: Option<&serde_json::Value>,
    ) -> Result<T, TeamServerError> {
        let bytes = body.map(|body| body.to_string().into_bytes());
        self.taken(&self.send(method, path, bytes.as_deref().map(|bytes| ("application/json", bytes)))?)
    }

    fn form(&self, path: &str, fields: &[(&str, &str)]) -> Result<Reply, TeamServerError> {
        let body = form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
        self.send("POST", path, Some(("application/x-www-form-urlencoded", body.as_bytes())))
    }

    /// Begins a sign-in.
    pub fn begin_sign_in(&self, name: &str, scopes: &str, days: u32) -> Result<DeviceCodes, TeamServerError> {
        let name: String = name.chars().filter(|c| !c.is_control()).take(60).collect();
        let days = days.to_string();
        let fields = [
            ("client_id", "skillful"),
            ("scope", scopes),
            ("device_name", name.as_str()),
            ("days", days.as_str()),
        ];
        let mut codes: DeviceCodes = self.taken(&self.form("/api/v1/device/code", &fields)?)?;
        codes.verification_uri = self.own_page(&codes.verification_uri)?;
        codes.verification_uri_complete =
            codes.verification_uri_complete.map(|page| self.own_page(&page)).transpose()?;
        Ok(codes)
    }

    /// A page of this server: another address could ask for the user's password there. It is written as it was judged,
    /// since a browser can read another host where `\` or blanks stand.
    fn own_page(&self, page: &str) -> Result<String, TeamServerError> {
        let page = Url::parse(page).ok();
        let is_own = |page: &Url| {
            page.origin() == self.address.origin() && page.username().is_empty() && page.password().is_none()
        };
        page.filter(is_own).map(String::from).ok_or_else(|| {
            let why = "it names a page of another server; sign in with the address that its users open";
            TeamServerError::Odd { address: self.address().to_owned(), why: why.to_owned() }
        })
    }

    /// Asks for the token of a sign-in.
    pub fn ask_sign_in(&self, codes: &DeviceCodes) -> Result<DeviceAnswer, TeamServerError> {
        use secrecy::ExposeSecret as _;
        let fields = [
            ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"),
            ("client_id", "skillful"),
            ("device_code", codes.device_code.expose_secret()),
        ];
        let reply = self.form("/api/v1/device/token", &fields)?;
        if reply.status == 400 {
            let problem: Problem = serde_json::from_slice(&reply.bytes).unwrap_or_default();
            match problem.error.as_str() {
                "authorization_pending" => return Ok(DeviceAnswer::Pending),
                "slow_down" => return Ok(DeviceAnswer::TooFast),
                _ => {}
            }
        }
        self.taken(&reply).map(DeviceAnswer::Granted)
    }

    /// The user of the token.
    pub fn me(&self) -> Result<TeamUser, TeamServerError> {
        self.json("GET", "/api/v1/me", None)
    }

    /// Revokes a token of the user.
    pub fn revoke_token(&self, id: &str) -> Result<(), TeamServerError> {
        let is_id = id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        if id.is_empty() || !is_id {
            return Ok(());
        }
        let reply = self.send("DELETE", &format!("/api/v1/me/tokens/{id}"), None)?;
        if reply.status == 204 { Ok(()) } else { self.taken(&reply) }
    }

    /// What the user gets.
    pub fn effective(&self) -> Result<Vec<EffectiveSkill>, TeamServerError> {
        Ok(self.json::<Listed<EffectiveSkill>>("GET", "/api/v1/effective", None)?.data)
    }

    /// What the server knows about files.
    pub fn verdicts(&self, digests: &[Digest]) -> Result<Vec<TreeVerdict>, TeamServerError> {
        let mut found = Vec::new();
        for some in digests.chunks(DIGESTS) {
            let asked: Vec<String> = some.iter().map(Digest::to_string).collect();
            let body = serde_json::json!({ "digests": asked });
            let answer: Listed<TreeVerdict> = self.json("POST", "/api/v1/verdicts", Some(&body))?;
            // An answer about other files is not one to this question.
            found.extend(answer.data.into_iter().filter(|verdict| some.contains(&verdict.digest)));
        }
        Ok(found)
    }

    /// Reports uses.
    pub fn report(&self, reports: &[UseReport]) -> Result<(), TeamServerError> {
        #[derive(Deserialize)]
        struct Taken {}
        let body = serde_json::json!(reports);
        self.json::<Taken>("POST", "/api/v1/usage", Some(&body)).map(|_| ())
    }
}
