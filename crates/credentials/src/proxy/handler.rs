//! Where a request is decided: the gate, the user's policy, the blocked names, and then the program.

use super::{
    OUTPUT_LIMIT, PROGRAM_TIME, TIMED_OUT,
    gate::{Gate, ReachedSkill},
    program_variables::ProgramVariables,
    protocol::{Output, Reason, Refusal, Reply, Request},
    refusal_log::{RefusalLog, RefusalRecord, RequestKind},
    runner::{ProgramCall, RunError, Runner, StopFlag},
};
use crate::redaction::{Redactor, Unredacted, UnredactedReason};
use std::time::Duration;

/// Longest name of a request that is repeated in a log or a reply.
const NAME_SHOWN: usize = 96;

/// Answers the requests to one proxy.
pub struct RequestHandler {
    run: String,
    gate: Box<dyn Gate>,
    variables: ProgramVariables,
    runner: Box<dyn Runner>,
    redactor: Redactor,
    unredacted: Vec<Unredacted>,
    log: RefusalLog,
    timeout: Duration,
    stop: StopFlag,
}

impl std::fmt::Debug for RequestHandler {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RequestHandler").field("run", &self.run).finish_non_exhaustive()
    }
}

impl RequestHandler {
    /// A handler for a proxy called `run`. A secret too long to be taken out of an output is withheld.
    pub fn new(
        run: impl Into<String>,
        gate: Box<dyn Gate>,
        mut variables: ProgramVariables,
        runner: Box<dyn Runner>,
        log: RefusalLog,
    ) -> Self {
        let (redactor, unredacted) = Redactor::new(variables.secrets());
        for long in unredacted.iter().filter(|one| one.why == UnredactedReason::TooLong) {
            variables.withhold(&long.name);
        }
        let (timeout, stop) = (PROGRAM_TIME, StopFlag::default());
        Self { run: run.into(), gate, variables, runner, redactor, unredacted, log, timeout, stop }
    }

    /// With another time limit for programs.
    #[must_use]
    pub fn timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// The redactor of this proxy's secrets.
    pub fn redactor(&self) -> &Redactor {
        &self.redactor
    }

    /// Secrets that are not taken out of outputs: short ones, and long ones, which no program gets.
    pub fn unredacted(&self) -> &[Unredacted] {
        &self.unredacted
    }

    /// The variables of programs.
    pub fn variables(&self) -> &ProgramVariables {
        &self.variables
    }

    pub(super) fn stop(&self) -> &StopFlag {
        &self.stop
    }

    /// The addresses of skills whose programs may be run, sorted.
    pub fn authorized(&self) -> Vec<String> {
        let mut reachable = self.gate.reachable();
        reachable.retain(|skill| self.variables.allows(skill));
        reachable.sort();
        reachable
    }

    /// Answers a request.
    pub fn answer(&self, request: &Request) -> Reply {
        match request {
            Request::Run { skill, args, stdin, program } => {
                self.program(skill, args, stdin.as_deref(), program.as_deref())
            }
            Request::Credential { name, skill } => self.credential(name, skill.as_deref()),
        }
    }

    /// Refuses: the log gets the true reason, the client what `explained` says for it.
    pub(super) fn refuse(&self, kind: RequestKind, name: &str, explained: Explained<'_>) -> Reply {
        let name = self.shown(name);
        let record = RefusalRecord {
            run: self.run.clone(),
            kind,
            name: name.clone(),
            reason: explained.reason,
            detail: self.redactor.text(explained.detail),
        };
        (self.log)(&record);
        let reason = explained.client_reason.unwrap_or(explained.reason);
        let authorized = (reason == Reason::UnknownSkill).then(|| self.authorized());
        let error = self.redactor.text(explained.client_message.unwrap_or(explained.detail));
        Reply::Refused(Refusal { error, reason, name, authorized })
    }

    fn program(&self, word: &str, args: &[String], stdin: Option<&str>, program: Option<&str>) -> Reply {
        let skill = match self.reach(word) {
            Ok(skill) => skill,
            Err(refusal) => return refusal,
        };
        if let Some(refusal) = self.unbound(word, &skill) {
            return refusal;
        }
        let failed = |code, message: &str| Output {
            stdout: String::new(),
            stderr: format!("{}\n", self.redactor.text(message)),
            returncode: code,
            truncated: false,
        };
        let skill = ReachedSkill { bound: self.variables.bound(&skill.address), ..skill };
        let command = match self.gate.command(&skill, program, args) {
            Ok(command) => command,
            Err(why) => return Reply::Ran(failed(1, &why)),
        };
        let environment = self.variables.environment_of(&skill.address);
        let call = ProgramCall {
            skill: skill.address,
            bound: skill.bound,
            command,
            stdin: stdin.unwrap_or_default().as_bytes().to_vec(),
            timeout: self.timeout,
            output: OUTPUT_LIMIT,
            stop: self.stop.clone(),
        };
        Reply::Ran(match self.runner.run(&call, &environment) {
            Ok(ran) => Output {
                stdout: self.clean(&ran.stdout.bytes, ran.stdout.cut),
                stderr: self.clean(&ran.stderr.bytes, ran.stderr.cut),
                returncode: ran.code,
                truncated: ran.stdout.cut || ran.stderr.cut,
            },
            Err(RunError::TimedOut) => {
                failed(TIMED_OUT, &format!("the program took longer than {} s", self.timeout.as_secs()))
            }
            Err(RunError::Failed(why)) => failed(1, &why),
        })
    }

    /// The skill that a word means, if gate and policy let its programs run.
    fn reach(&self, word: &str) -> Result<ReachedSkill, Reply> {
        let unknown = format!("there is no skill `{}` in this run", self.shown(word));
        match self.gate.reach(word) {
            Ok(skill) if self.variables.allows(&skill.address) => Ok(skill),
            Ok(_) => {
                let explained = Explained {
                    client_message: Some(&unknown),
                    ..Explained::new(Reason::UnknownSkill, "it is not among the skills of this run")
                };
                Err(self.refuse(RequestKind::Run, word, explained))
            }
            Err(unreachable) => {
                let is_unknown = unreachable.model_reason == Reason::UnknownSkill;
                let message = if is_unknown { &unknown } else { &unreachable.model_message };
                let explained = Explained {
                    client_reason: Some(unreachable.model_reason),
                    client_message: Some(message),
                    ..Explained::new(unreachable.reason, &unreachable.detail)
                };
                Err(self.refuse(RequestKind::Run, word, explained))
            }
        }
    }

    /// The refusal of a skill that may not have its secrets: the user has not said so, or said so of other files.
    fn unbound(&self, word: &str, skill: &ReachedSkill) -> Option<Reply> {
        let refuse = |detail: &str| {
            self.refuse(RequestKind::Run, word, Explained::new(Reason::SecretNotAllowed, detail))
        };
        let unanswered = self.variables.unanswered(&skill.address);
        let asked: Vec<String> =
            unanswered.map(|secret| format!("{}; the user runs: {}", secret.why, secret.fix)).collect();
        if !asked.is_empty() {
            return Some(refuse(&asked.join("; ")));
        }
        let bound = self.variables.bound(&skill.address)?;
        let is_same = self.gate.files(skill).is_some_and(|now| now == bound);
        (!is_same).then(|| refuse("its files changed since the proxy was started; start it again"))
    }

    fn clean(&self, bytes: &[u8], cut: bool) -> String {
        String::from_utf8_lossy(&self.redactor.whole(bytes, cut)).into_owned()
    }

    fn credential(&self, name: &str, skill: Option<&str>) -> Reply {
        let (variables, policy) = (&self.variables, &self.variables.policy);
        let refuse =
            |reason, detail: &str| self.refuse(RequestKind::Credential, name, Explained::new(reason, detail));
        let looked_up = policy.lookups.as_ref().is_none_or(|names| names.contains(name));
        if variables.is_blocked(name) || !looked_up {
            return refuse(Reason::NotAuthorizedCredential, "this variable is never given out");
        }
        let authorized = self.authorized();
        let mut owners = authorized.iter().filter(|address| {
            let declares = variables.declared.get(*address).is_some_and(|names| names.contains(name));
            declares && skill.is_none_or(|skill| skill == *address) && self.may_have(address, name)
        });
        let Some(first) = owners.next() else {
            return refuse(Reason::NotAuthorizedCredential, "no skill of this run has this variable");
        };
        let readable = |skill: &&String| policy.readable.contains(&((*skill).clone(), name.to_owned()));
        let Some(owner) = std::iter::once(first).chain(owners).find(readable) else {
            let detail = "the programs of its skill get it, and reading it was not granted";
            return refuse(Reason::LookupDenied, detail);
        };
        let reached = self.gate.reach(owner).ok();
        if let Some(refusal) = reached.and_then(|skill| self.unbound(owner, &skill)) {
            return refusal;
        }
        match variables.secret_of(owner, name) {
            Some(value) => Reply::Value(value.clone()),
            None => refuse(Reason::CredentialNotPresent, "it has no value"),
        }
    }

    /// Whether a skill is authorised for what it declares. Variables of its own need no more.
    fn may_have(&self, skill: &str, name: &str) -> bool {
        let is_own = self.variables.own.get(skill).is_some_and(|own| own.contains_key(name));
        is_own || self.variables.resolved.authorised.contains(skill)
    }

    /// A name of a request, for a log or a reply: short, on one line, and without secrets.
    fn shown(&self, name: &str) -> String {
        let name: String = self.redactor.text(name).escape_debug().take(NAME_SHOWN + 1).collect();
        match name.char_indices().nth(NAME_SHOWN) {
            Some((at, _)) => format!("{}…", &name[..at]),
            None => name,
        }
    }
}

/// The explanation of a refusal: the truth for the log, and what the client may know of it.
#[derive(Clone, Copy)]
pub(super) struct Explained<'a> {
    reason: Reason,
    detail: &'a str,
    client_reason: Option<Reason>,
    client_message: Option<&'a str>,
}

impl<'a> Explained<'a> {
    /// The same for the log and the client.
    pub(super) fn new(reason: Reason, detail: &'a str) -> Self {
        Self { reason, detail, client_reason: None, client_message: None }
    }
}
