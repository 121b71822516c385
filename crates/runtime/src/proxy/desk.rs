//! Where a request is decided: the gate, the allow-sets, the block list, and then the program.

use super::{
    OUTPUT_LIMIT,
    gate::Gate,
    holdings::Holdings,
    protocol::{Output, Reason, Refusal, Reply, Request},
    refused::{Kind, Refused, Sink},
    runner::{Call, RunError, Runner, Stop},
};
use crate::{
    exec::{PROGRAM_TIME, TIMED_OUT},
    redact::{Overlooked, Redactor, Why},
};
use std::time::Duration;

/// Longest name that is repeated to anybody.
const NAME_SHOWN: usize = 96;

/// Answers the requests of one run.
pub struct Desk {
    run: String,
    gate: Box<dyn Gate>,
    holdings: Holdings,
    runner: Box<dyn Runner>,
    redactor: Redactor,
    overlooked: Vec<Overlooked>,
    sink: Sink,
    timeout: Duration,
    stop: Stop,
}

impl std::fmt::Debug for Desk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Desk").field("run", &self.run).finish_non_exhaustive()
    }
}

impl Desk {
    /// A desk for a run. A secret too long to be taken out of an output is withheld.
    pub fn new(
        run: impl Into<String>,
        gate: Box<dyn Gate>,
        mut holdings: Holdings,
        runner: Box<dyn Runner>,
        sink: Sink,
    ) -> Self {
        let (redactor, overlooked) = Redactor::new(holdings.secrets());
        for long in overlooked.iter().filter(|one| one.why == Why::TooLong) {
            holdings.withhold(&long.name);
        }
        let (timeout, stop) = (PROGRAM_TIME, Stop::default());
        Self { run: run.into(), gate, holdings, runner, redactor, overlooked, sink, timeout, stop }
    }

    /// With another time for programs.
    #[must_use]
    pub fn timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// What takes the secrets of this run out of a text.
    pub fn redactor(&self) -> &Redactor {
        &self.redactor
    }

    /// Secrets that are not taken out of outputs: short ones, and long ones, which no program gets.
    pub fn overlooked(&self) -> &[Overlooked] {
        &self.overlooked
    }

    /// What the run holds.
    pub fn holdings(&self) -> &Holdings {
        &self.holdings
    }

    pub(super) fn stop(&self) -> &Stop {
        &self.stop
    }

    /// The addresses of skills whose programs may be run, sorted.
    pub fn authorized(&self) -> Vec<String> {
        let mut open = self.gate.open();
        open.retain(|skill| self.holdings.allows(skill));
        open.sort();
        open
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

    /// A refusal: the person hears the true reason, who asked hears `told`.
    pub(super) fn refuse(&self, kind: Kind, name: &str, told: Told<'_>) -> Reply {
        let name = self.shown(name);
        let refused = Refused {
            run: self.run.clone(),
            kind,
            name: name.clone(),
            reason: told.reason,
            detail: self.redactor.text(told.detail),
        };
        (self.sink)(&refused);
        let reason = told.instead.unwrap_or(told.reason);
        let authorized = (reason == Reason::UnknownSkill).then(|| self.authorized());
        let error = self.redactor.text(told.message.unwrap_or(told.detail));
        Reply::Refused(Refusal { error, reason, name, authorized })
    }

    fn program(&self, word: &str, args: &[String], stdin: Option<&str>, program: Option<&str>) -> Reply {
        let unknown = format!("there is no skill `{}` in this run", self.shown(word));
        let open = match self.gate.reach(word) {
            Ok(open) if self.holdings.allows(&open.skill) => open,
            Ok(_) => {
                let told = Told {
                    message: Some(&unknown),
                    ..Told::new(Reason::UnknownSkill, "it is not among the skills of this run")
                };
                return self.refuse(Kind::Run, word, told);
            }
            Err(shut) => {
                let message = if shut.told == Reason::UnknownSkill { &unknown } else { &shut.message };
                let told = Told {
                    instead: Some(shut.told),
                    message: Some(message),
                    ..Told::new(shut.reason, &shut.detail)
                };
                return self.refuse(Kind::Run, word, told);
            }
        };
        let failed = |code, message: &str| Output {
            stdout: String::new(),
            stderr: format!("{}\n", self.redactor.text(message)),
            returncode: code,
            truncated: false,
        };
        let (program, args) = match self.gate.program(&open, program, args) {
            Ok(found) => found,
            Err(error) => return Reply::Ran(failed(1, &error.to_string())),
        };
        let environment = self.holdings.environment_of(&open.skill);
        let call = Call {
            skill: open.skill,
            program,
            args: args.to_vec(),
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

    fn clean(&self, bytes: &[u8], cut: bool) -> String {
        String::from_utf8_lossy(&self.redactor.whole(bytes, cut)).into_owned()
    }

    fn credential(&self, name: &str, skill: Option<&str>) -> Reply {
        let holdings = &self.holdings;
        let refuse = |reason, detail: &str| self.refuse(Kind::Credential, name, Told::new(reason, detail));
        let looked_up = holdings.plan.lookups.as_ref().is_none_or(|names| names.contains(name));
        if holdings.is_blocked(name) || !looked_up {
            return refuse(Reason::NotAuthorizedCredential, "this variable is given to nobody");
        }
        let authorized = self.authorized();
        let mut owners = authorized.iter().filter(|address| {
            let declares = holdings.declared.get(*address).is_some_and(|names| names.contains(name));
            declares && skill.is_none_or(|skill| skill == *address) && self.may_have(address, name)
        });
        let Some(first) = owners.next() else {
            return refuse(Reason::NotAuthorizedCredential, "no skill of this run has this variable");
        };
        let readable =
            |skill: &&String| holdings.plan.readable.contains(&((*skill).clone(), name.to_owned()));
        let Some(owner) = std::iter::once(first).chain(owners).find(readable) else {
            let detail = "its skill's programs get it, and nobody may read it";
            return refuse(Reason::LookupDenied, detail);
        };
        match holdings.secret_of(owner, name) {
            Some(value) => Reply::Value(value.clone()),
            None => refuse(Reason::CredentialNotPresent, "it has no value"),
        }
    }

    /// Whether a skill is authorised for what it declares. Variables of its own need no more.
    fn may_have(&self, skill: &str, name: &str) -> bool {
        let is_own = self.holdings.own.get(skill).is_some_and(|own| own.contains_key(name));
        is_own || self.holdings.resolved.authorised.contains(skill)
    }

    /// A name that somebody wrote, for a log or a reply: short, on one line, and no secret.
    fn shown(&self, name: &str) -> String {
        let name: String = self.redactor.text(name).escape_debug().take(NAME_SHOWN + 1).collect();
        match name.char_indices().nth(NAME_SHOWN) {
            Some((at, _)) => format!("{}…", &name[..at]),
            None => name,
        }
    }
}

/// A refusal, twice: the truth, and what who asked may know of it.
#[derive(Clone, Copy)]
pub(super) struct Told<'a> {
    reason: Reason,
    detail: &'a str,
    instead: Option<Reason>,
    message: Option<&'a str>,
}

impl<'a> Told<'a> {
    /// The same for both.
    pub(super) fn new(reason: Reason, detail: &'a str) -> Self {
        Self { reason, detail, instead: None, message: None }
    }
}
