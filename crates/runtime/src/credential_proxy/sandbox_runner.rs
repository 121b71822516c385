//! Programs in the sandbox of their skill, which holds them while they hold a secret.

use super::CatalogGate;
use crate::{
    Engine,
    exec::FOLDER_VARIABLES,
    room::{Grants, Room, Run},
};
use secrecy::{ExposeSecret, SecretString};
use skillful_catalog::Settings;
use skillful_credentials::proxy::{CapturedOutput, ProgramCall, ProgramOutput, RunError, Runner};
use skillful_format::Digest;
use skillful_sandbox::{Captured, SandboxError, Status};
use std::collections::BTreeMap;

/// The code of a program that was ended for what it used up, as of a kill.
const ENDED: i32 = 137;

/// Runs programs in the rooms that the user's grants give their skills.
#[derive(Debug)]
pub struct SandboxRunner {
    gate: CatalogGate,
    settings: Settings,
    grants: Grants,
    runner: Box<dyn Run + Send + Sync>,
}

impl SandboxRunner {
    /// A runner for the skills that the gate lets through.
    pub fn new(
        gate: &CatalogGate,
        settings: &Settings,
        grants: &Grants,
        runner: Box<dyn Run + Send + Sync>,
    ) -> Self {
        Self { gate: gate.clone(), settings: settings.clone(), grants: grants.clone(), runner }
    }

    /// The room of a skill, with the files that it has now.
    fn room(&self, skill: &str, bound: Option<&Digest>) -> Result<Room, RunError> {
        let failed = |why: String| RunError::Failed(format!("the skill `{skill}` cannot be run: {why}"));
        let at = self.gate.catalog.called_by(skill, self.gate.principal.user.as_deref());
        let (at, _) = at.ok_or_else(|| failed("there is no such skill".to_owned()))?;
        let skill = self.gate.admitted(at, bound).map_err(failed)?;
        let names = BTreeMap::new();
        let folder = skill.folder().display().to_string();
        let places = FOLDER_VARIABLES.map(|name| (name.to_owned(), folder.clone()));
        let engine = Engine::new(&self.gate.catalog, self.gate.asker(), &self.settings, &names);
        Room::of(&engine, &skill, &self.grants, &places.into()).map_err(|error| failed(error.to_string()))
    }
}

impl Runner for SandboxRunner {
    fn run(
        &self,
        call: &ProgramCall,
        environment: &BTreeMap<String, SecretString>,
    ) -> Result<ProgramOutput, RunError> {
        let failed = |error: SandboxError| RunError::Failed(error.to_string());
        let room = self.room(&call.skill, call.bound.as_ref())?;
        let (program, arguments) =
            call.command.split_first().ok_or_else(|| RunError::Failed("there is no program".to_owned()))?;
        let mut job = room.program(program, arguments.iter().cloned());
        job.stdin.clone_from(&call.stdin);
        job.environment
            .extend(environment.iter().map(|(name, value)| (name.into(), value.expose_secret().into())));
        job.limits.time = Some(call.timeout);
        job.limits.output_bytes = call.output;
        let outcome = self.runner.run_until(&job, &|| call.stop.is_set()).map_err(failed)?;
        let captured = |kept: Captured| CapturedOutput { bytes: kept.bytes, cut: kept.truncated };
        let (code, why) = match outcome.status {
            Status::Exited(code) => (code, None),
            Status::Signalled(signal) => (128 + signal, None),
            Status::TimedOut => return Err(RunError::TimedOut),
            Status::TooManyProcesses => (ENDED, Some("ended: it started too many processes\n")),
            Status::OutOfMemory => (ENDED, Some("ended: it used too much memory\n")),
            _ => (ENDED, Some("ended\n")),
        };
        let mut ran =
            ProgramOutput { stdout: captured(outcome.stdout), stderr: captured(outcome.stderr), code };
        ran.stderr.bytes.extend_from_slice(why.unwrap_or_default().as_bytes());
        Ok(ran)
    }
}
