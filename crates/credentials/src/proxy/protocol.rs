//! The protocol of the socket: one line of JSON in, one line of JSON out.

use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use zeroize::Zeroizing;

/// Most arguments of one call.
const ARGUMENTS: usize = 1024;

/// What a client asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Run a program of a skill.
    Run {
        /// The skill.
        skill: String,
        /// Arguments of the program.
        args: Vec<String>,
        /// Its standard input.
        stdin: Option<String>,
        /// The program; without it, the first argument names one, or the skill itself is one.
        program: Option<String>,
    },
    /// Return a secret.
    Credential {
        /// The variable.
        name: String,
        /// The skill it is for; without it, any skill that may read it.
        skill: Option<String>,
    },
}

/// A request as written. Unknown keys are refused, so that a misspelt one is noticed.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Line {
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    skill: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    args: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stdin: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    program: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
}

impl Request {
    /// Reads a line. The error names the fault and repeats nothing of the line.
    pub fn from_line(line: &[u8]) -> Result<Self, String> {
        let mut line: Line = serde_json::from_slice(line)
            .map_err(|error| format!("it is not a request: see column {}", error.column()))?;
        match (line.kind.take().as_deref(), line) {
            (None | Some("run"), Line { skill: Some(skill), args, stdin, program, name: None, .. }) => {
                let args = args.unwrap_or_default();
                if args.len() > ARGUMENTS {
                    return Err(format!("there are more than {ARGUMENTS} arguments"));
                }
                let all = args.iter().chain(&program).chain([&skill]);
                if all.into_iter().any(|word| word.contains('\0')) {
                    return Err("there is a NUL byte in an argument".to_owned());
                }
                Ok(Self::Run { skill, args, stdin, program })
            }
            (
                Some("credential"),
                Line { name: Some(name), skill, args: None, stdin: None, program: None, .. },
            ) => Ok(Self::Credential { name, skill }),
            _ => Err("write {\"skill\":…,\"args\":[…]} or {\"type\":\"credential\",\"name\":…}".to_owned()),
        }
    }

    /// The request as a line, with its end.
    pub fn to_line(&self) -> Vec<u8> {
        let line = match self.clone() {
            Self::Run { skill, args, stdin, program } => {
                Line { skill: Some(skill), args: Some(args), stdin, program, ..Line::default() }
            }
            Self::Credential { name, skill } => {
                Line { kind: Some("credential".to_owned()), name: Some(name), skill, ..Line::default() }
            }
        };
        let mut bytes = serde_json::to_vec(&line).unwrap_or_default();
        bytes.push(b'\n');
        bytes
    }
}

/// Why a request was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// There is no such skill, or the client may not know of it.
    UnknownSkill,
    /// The skill lacks something that it needs.
    Gated,
    /// The user has not let the skill have a secret that it declares.
    SecretNotAllowed,
    /// No skill of this run has that variable.
    NotAuthorizedCredential,
    /// The skill's programs get it, and reading it was not granted.
    LookupDenied,
    /// Reading it was granted, and it has no value.
    CredentialNotPresent,
    /// The request is larger than [`REQUEST_LIMIT`](super::REQUEST_LIMIT).
    TooLarge,
    /// The request cannot be read.
    BadRequest,
    /// The client is a process of another user.
    Peer,
}

impl Reason {
    /// The word on the wire.
    pub fn word(self) -> &'static str {
        match self {
            Self::UnknownSkill => "unknown_skill",
            Self::Gated => "gated",
            Self::SecretNotAllowed => "secret_not_allowed",
            Self::NotAuthorizedCredential => "not_authorized_credential",
            Self::LookupDenied => "lookup_denied",
            Self::CredentialNotPresent => "credential_not_present",
            Self::TooLarge => "too_large",
            Self::BadRequest => "bad_request",
            Self::Peer => "peer",
        }
    }
}

/// What a program wrote, redacted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Output {
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
    /// Its exit code; 124 when it took too long.
    pub returncode: i32,
    /// Whether it wrote more than is here.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

/// A refusal, in words that a model may read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// The reason as a sentence.
    pub error: String,
    /// The reason.
    pub reason: Reason,
    /// The skill or the variable that was asked for.
    pub name: String,
    /// For a skill that does not exist: those that may be run, sorted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authorized: Option<Vec<String>>,
}

/// What a client gets.
#[derive(Clone, Debug)]
pub enum Reply {
    /// The program ran, or failed to.
    Ran(Output),
    /// The secret.
    Value(SecretString),
    /// The request was refused.
    Refused(Refusal),
}

impl Reply {
    /// The exit code of a client that got this.
    pub fn code(&self) -> i32 {
        match self {
            Self::Ran(output) => output.returncode,
            Self::Value(_) => 0,
            Self::Refused(_) => 1,
        }
    }

    /// The reply as a line, with its end. A refusal also has the fields of a program that failed, for
    /// clients that know only those.
    pub fn to_line(&self) -> Zeroizing<Vec<u8>> {
        let json = match self {
            Self::Ran(output) => json!(output),
            Self::Value(secret) => {
                // Written directly, so that no copy in a JSON value stays in memory.
                let mut bytes = Zeroizing::new(Vec::with_capacity(secret.expose_secret().len() * 6 + 16));
                bytes.extend_from_slice(b"{\"value\":");
                drop(serde_json::to_writer(&mut *bytes, secret.expose_secret()));
                bytes.extend_from_slice(b"}\n");
                return bytes;
            }
            Self::Refused(refusal) => {
                let mut json = json!(refusal);
                json["stdout"] = json!("");
                json["stderr"] = json!(format!("{}\n", refusal.error));
                json["returncode"] = json!(1);
                json
            }
        };
        Zeroizing::new(format!("{json}\n").into_bytes())
    }

    /// Reads a line.
    pub fn from_line(line: &[u8]) -> Option<Self> {
        let json: Json = serde_json::from_slice(line).ok()?;
        if json.get("reason").is_some() {
            return serde_json::from_value(json).ok().map(Self::Refused);
        }
        match json {
            Json::Object(mut object) if object.contains_key("value") => match object.remove("value")? {
                Json::String(value) => Some(Self::Value(SecretString::from(value))),
                _ => None,
            },
            json => serde_json::from_value(json).ok().map(Self::Ran),
        }
    }
}
