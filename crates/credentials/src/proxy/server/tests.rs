use super::{Serving, Slots};
use crate::proxy::{
    Gate, ProgramCall, ProgramOutput, ProgramVariables, ReachedSkill, RequestHandler, RunError, Runner,
    TALK_TIME, Unreachable,
    protocol::{Reason, Reply, Request},
    socket,
};
use secrecy::SecretString;
use skillful_format::Digest;
use std::{
    collections::BTreeMap,
    ffi::OsString,
    io::{self, Read, Write},
    os::unix::net::UnixStream,
    sync::Arc,
};

/// A gate and a runner without any skill.
struct NoSkills;

impl Gate for NoSkills {
    fn reach(&self, word: &str) -> Result<ReachedSkill, Unreachable> {
        let reason = Reason::UnknownSkill;
        let (detail, model_message) = (word.to_owned(), word.to_owned());
        Err(Unreachable { reason, detail, model_reason: reason, model_message })
    }

    fn files(&self, _: &ReachedSkill) -> Option<Digest> {
        None
    }

    fn command(&self, _: &ReachedSkill, _: Option<&str>, _: &[String]) -> Result<Vec<OsString>, String> {
        Err("there are no programs".to_owned())
    }

    fn reachable(&self) -> Vec<String> {
        Vec::new()
    }
}

impl Runner for NoSkills {
    fn run(&self, _: &ProgramCall, _: &BTreeMap<String, SecretString>) -> Result<ProgramOutput, RunError> {
        Err(RunError::TimedOut)
    }
}

#[test]
fn a_failure_to_accept_is_survived() {
    let variables = ProgramVariables::default();
    let handler =
        RequestHandler::new("t", Box::new(NoSkills), variables, Box::new(NoSkills), Arc::new(|_| {}));
    let slots = Arc::new(Slots::default());
    let serving = Serving {
        handler: Arc::new(handler),
        slots: Arc::clone(&slots),
        user: socket::own_user(),
        talk_time: TALK_TIME,
    };
    let (mut client, server) = UnixStream::pair().unwrap();
    let mut answers = vec![
        Ok(None),
        Ok(Some(server)),
        Err(io::Error::from(io::ErrorKind::ConnectionAborted)),
        Err(io::Error::other("too many open files")),
    ];
    let request = Request::Credential { name: "X".to_owned(), skill: None };
    client.write_all(&request.to_line()).unwrap();
    serving.serve(|| answers.pop().unwrap());
    let mut reply = Vec::new();
    client.read_to_end(&mut reply).unwrap();
    assert!(matches!(Reply::from_line(&reply), Some(Reply::Refused(_))));
    slots.wait_empty(TALK_TIME);
    assert_eq!(*slots.taken.lock().unwrap(), 0);
}
