//! Which secrets a skill may have and which server: the answers of the user, by the digest of the
//! skill's files. Everything that gives a secret to a skill, or connects for it, asks here.

use crate::{shell_word::shell_word, workspace::Workspace};
use skillful_catalog::{Entry, Loaded, approvals::files_of, asked_server::AskedServer, variables};
use skillful_credentials::{
    env::{SkillFiles, Unavailable},
    vault::{PUSH_KEYS, SIGN_INS, SecretName, TEAM_SIGN_INS},
};
use skillful_format::{Digest, manifest::McpServer};
use skillful_registry::{
    bindings::{BindingAnswer, Bindings, Subject},
    record_file::RecordError,
};
use std::collections::BTreeSet;

/// What the user allowed for this run only, to skills with these files.
pub type OnceAllowed = BTreeSet<(Subject, Digest)>;

/// The answers of the user, and those for this run.
#[derive(Debug)]
pub struct SecretAnswers<'a> {
    bindings: Result<Bindings, String>,
    once: &'a OnceAllowed,
}

impl<'a> SecretAnswers<'a> {
    /// The answers of a workspace's user. A record that cannot be read allows nothing.
    pub fn new(workspace: &Workspace, once: &'a OnceAllowed) -> Self {
        Self { bindings: workspace.bindings().map_err(|error| error.to_string()), once }
    }

    /// Whether a skill may have a secret of the vault. The error has the reason and the command that changes it.
    pub fn check(&self, skill: SkillFiles<'_>, secret: &SecretName) -> Result<(), Unavailable> {
        if is_sign_in(secret.service()) {
            let why = format!("`{secret}` is a sign-in of yours, and no skill gets one");
            return Err(Unavailable::new(why, "give the skill a secret of its own"));
        }
        self.judge(skill, &subject(secret), &secret.to_string(), allow_secret(secret, skill.skill))
    }

    /// The same for a secret variable.
    pub fn check_variable(&self, skill: SkillFiles<'_>, name: &str) -> Result<(), Unavailable> {
        let subject = Subject::Variable { name: name.to_owned() };
        self.judge(skill, &subject, name, allow_variable(name, skill.skill))
    }

    fn judge(
        &self,
        skill: SkillFiles<'_>,
        subject: &Subject,
        secret: &str,
        fix: String,
    ) -> Result<(), Unavailable> {
        let name = skill.skill;
        let Some(files) = skill.digest else {
            let why =
                format!("the files of `{name}` cannot be read completely, so no secret can be bound to them");
            return Err(Unavailable::unanswered(
                why,
                format!("skillful show {} names the reason", shell_word(name)),
            ));
        };
        if self.once.contains(&(subject.clone(), files)) {
            return Ok(());
        }
        let bindings = self.bindings.as_ref().map_err(|why| {
            let help = "repair the file, or remove it and answer again";
            Unavailable::unanswered(
                format!("it is not known whether `{name}` may have {secret}: {why}"),
                help,
            )
        })?;
        match bindings.answer(subject, &files) {
            Some(BindingAnswer { allowed: true, .. }) => Ok(()),
            Some(BindingAnswer { date, .. }) => {
                Err(Unavailable::new(format!("you denied {secret} to `{name}` on {date}"), fix))
            }
            None => {
                let is_older =
                    |(_, answer): (&Digest, &BindingAnswer)| answer.allowed && answer.skill == name;
                let what = phrase(subject);
                let why = if bindings.about(subject).any(is_older) {
                    format!("`{name}` changed since you allowed it {what}")
                } else {
                    format!("you have not allowed `{name}` {what}")
                };
                Err(Unavailable::unanswered(why, fix))
            }
        }
    }
}

/// Whether the secrets of a service are the user's own sign-ins, which no skill gets.
pub(crate) fn is_sign_in(service: &str) -> bool {
    [SIGN_INS, TEAM_SIGN_INS, PUSH_KEYS].contains(&service)
}

impl Workspace {
    /// The answers of the user about secrets and servers.
    pub fn bindings(&self) -> Result<Bindings, RecordError> {
        Bindings::load(&self.paths().data)
    }

    /// The answer of the user about the server of a skill.
    pub fn server_answer(&self, entry: &Entry, server: &AskedServer) -> Option<bool> {
        let files = files_of(entry).ok()?;
        Some(self.bindings().ok()?.answer(&server_subject(server), &files)?.allowed)
    }

    /// The servers that a skill may have. A record that cannot be read allows none.
    pub fn allowed_servers(&self, entry: &Entry) -> BTreeSet<AskedServer> {
        let (further, _) = self.server_dependencies(entry);
        let is_asked = AskedServer::written(&entry.loaded.manifest).is_some() || !further.is_empty();
        let Some(files) = files_of(entry).ok().filter(|_| is_asked) else { return BTreeSet::new() };
        let answers = self.bindings().unwrap_or_default().answers;
        let allowed = answers.into_iter().filter(|((_, of), answer)| *of == files && answer.allowed);
        let server = |((subject, _), _): ((Subject, Digest), BindingAnswer)| match subject {
            Subject::Server { address, variables, is_process } => {
                Some(AskedServer { address, variables, is_process })
            }
            Subject::Secret { .. } | Subject::Variable { .. } => None,
        };
        allowed.filter_map(server).collect()
    }
}

impl Workspace {
    /// The servers that a skill depends on (`agents/openai.yaml`, `requires.mcp`) and that the user configured, and the
    /// names of those that are not.
    pub fn server_dependencies(&self, entry: &Entry) -> (Vec<McpServer>, Vec<String>) {
        let (mut found, mut missing) = (Vec::new(), Vec::new());
        for name in server_names(entry) {
            match self.config().mcp.get(&name) {
                Some(server) => found.push(server.declared(&name)),
                None => missing.push(name),
            }
        }
        (found, missing)
    }
}

/// The names of the servers that a skill depends on.
fn server_names(entry: &Entry) -> BTreeSet<String> {
    let (manifest, sidecar) = (&entry.loaded.manifest, &entry.loaded.sidecar);
    let tools = sidecar.tools.iter().filter(|tool| tool.kind == "mcp").map(|tool| tool.value.clone());
    tools.chain(manifest.requires.mcp.iter().cloned()).chain(sidecar.requires.mcp.iter().cloned()).collect()
}

/// The secrets, the secret variables and the server that a skill asks for, as its card names them.
pub fn asked(loaded: &Loaded) -> Vec<Subject> {
    let manifest = &loaded.manifest;
    let secrets = manifest.env.iter().filter(|spec| spec.from.as_deref() == Some("secret"));
    let secrets = secrets
        .filter_map(|spec| Some(Subject::Secret { service: spec.service.clone()?, key: spec.key.clone()? }));
    let variables = variables::asked(loaded).map(|name| Subject::Variable { name: name.to_owned() });
    let server = AskedServer::written(manifest);
    let mut all: Vec<Subject> = secrets.chain(variables).chain(server.as_ref().map(server_subject)).collect();
    all.sort();
    all.dedup();
    all
}

/// A subject in a few words.
pub fn phrase(subject: &Subject) -> String {
    match subject {
        Subject::Secret { service, key } => format!("the secret {service} {key}"),
        Subject::Variable { name } => format!("the secret variable {name}"),
        Subject::Server { address, variables, .. } if variables.is_empty() => {
            format!("a connection to {address}")
        }
        Subject::Server { address, variables, is_process } => {
            let names = variables.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
            if *is_process {
                format!("{names} for its MCP server `{address}`")
            } else {
                format!("a connection to {address} that sends {names}")
            }
        }
    }
}

/// A secret of the vault, as something that a skill asks for.
pub fn subject(secret: &SecretName) -> Subject {
    Subject::Secret { service: secret.service().to_owned(), key: secret.key().to_owned() }
}

/// A server, as something that a skill asks for.
pub fn server_subject(server: &AskedServer) -> Subject {
    let AskedServer { address, variables, is_process } = server.clone();
    Subject::Server { address, variables, is_process }
}

/// The command that lets a skill have a secret.
pub fn allow_secret(secret: &SecretName, skill: &str) -> String {
    let [service, key, skill] = [secret.service(), secret.key(), skill].map(shell_word);
    format!("skillful secret allow {service} {key} --skill {skill}")
}

/// The command that lets a skill have a secret variable.
pub fn allow_variable(name: &str, skill: &str) -> String {
    format!("skillful secret allow --variable {} --skill {}", shell_word(name), shell_word(skill))
}

/// The command that lets a skill have its server.
pub fn allow_server(skill: &str) -> String {
    format!("skillful mcp allow {}", shell_word(skill))
}
