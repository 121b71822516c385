//! A proxy for one skill, `it`, whose programs are functions.

use secrecy::SecretString;
use skillful_credentials::proxy::{
    CapturedOutput, Gate, Output, ProgramCall, ProgramOutput, ProgramVariables, Proxy, ReachedSkill, Reason,
    Refusal, RefusalRecord, Reply, Request, RequestHandler, RunError, Runner, SocketOptions, Unreachable,
    client,
};
use skillful_format::Digest;
use std::{
    collections::BTreeMap,
    ffi::OsString,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    time::Duration,
};

/// How long a test waits for a reply; far more than any takes.
pub(crate) const WAIT: Duration = Duration::from_mins(2);

type Program = Arc<dyn Fn(&ProgramCall) -> Result<ProgramOutput, RunError> + Send + Sync>;

/// The programs of the skill, as its gate and its runner know them.
#[derive(Clone, Default)]
struct Programs(BTreeMap<String, Program>);

impl Gate for Programs {
    fn reach(&self, word: &str) -> Result<ReachedSkill, Unreachable> {
        if word == "it" {
            return Ok(ReachedSkill { address: word.to_owned(), id: 0, bound: None });
        }
        let reason = Reason::UnknownSkill;
        let text = "there is no such skill".to_owned();
        Err(Unreachable { reason, detail: text.clone(), model_reason: reason, model_message: text })
    }

    fn files(&self, _: &ReachedSkill) -> Option<Digest> {
        None
    }

    fn command(
        &self,
        _skill: &ReachedSkill,
        program: Option<&str>,
        words: &[String],
    ) -> Result<Vec<OsString>, String> {
        let program = program.filter(|name| self.0.contains_key(*name)).ok_or("there is no such program")?;
        Ok(std::iter::once(program).chain(words.iter().map(String::as_str)).map(OsString::from).collect())
    }

    fn reachable(&self) -> Vec<String> {
        vec!["it".to_owned()]
    }
}

impl Runner for Programs {
    fn run(
        &self,
        call: &ProgramCall,
        _environment: &BTreeMap<String, SecretString>,
    ) -> Result<ProgramOutput, RunError> {
        self.0[call.command[0].to_str().unwrap()](call)
    }
}

pub(crate) struct Fixture {
    folder: tempfile::TempDir,
    programs: Programs,
    refused: Arc<Mutex<Vec<RefusalRecord>>>,
}

impl Fixture {
    /// With the program `hello`.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { folder, programs: Programs::default(), refused: Arc::default() }
            .program("hello", |_| Ok(written("hello\n")))
    }

    pub(crate) fn program(
        mut self,
        name: &str,
        program: impl Fn(&ProgramCall) -> Result<ProgramOutput, RunError> + Send + Sync + 'static,
    ) -> Self {
        self.programs.0.insert(name.to_owned(), Arc::new(program));
        self
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    pub(crate) fn handler(&self) -> RequestHandler {
        let refused = Arc::clone(&self.refused);
        RequestHandler::new(
            "test",
            Box::new(self.programs.clone()),
            ProgramVariables::default(),
            Box::new(self.programs.clone()),
            Arc::new(move |record: &RefusalRecord| refused.lock().unwrap().push(record.clone())),
        )
    }

    pub(crate) fn proxy(&self) -> Proxy {
        Proxy::start(&options(), self.handler()).unwrap()
    }

    /// The refusals so far.
    pub(crate) fn refused(&self) -> Vec<RefusalRecord> {
        self.refused.lock().unwrap().clone()
    }
}

/// The output of a program that wrote a text and succeeded.
pub(crate) fn written(text: &str) -> ProgramOutput {
    let stdout = CapturedOutput { bytes: text.as_bytes().to_vec(), cut: false };
    ProgramOutput { stdout, ..ProgramOutput::default() }
}

pub(crate) fn options() -> SocketOptions {
    SocketOptions::below(std::env::temp_dir())
}

pub(crate) fn run(program: &str) -> Request {
    let (skill, program) = ("it".to_owned(), Some(program.to_owned()));
    Request::Run { skill, args: Vec::new(), stdin: None, program }
}

pub(crate) fn lookup(name: &str) -> Request {
    Request::Credential { name: name.to_owned(), skill: None }
}

pub(crate) fn call(socket: &Path, request: &Request) -> Reply {
    client::call(socket, request, WAIT).unwrap()
}

/// The output of a program that ran.
pub(crate) fn ran(reply: Reply) -> Output {
    match reply {
        Reply::Ran(output) => output,
        other => panic!("{other:?}"),
    }
}

pub(crate) fn refused(reply: Reply) -> Refusal {
    match reply {
        Reply::Refused(refusal) => refusal,
        other => panic!("{other:?}"),
    }
}
