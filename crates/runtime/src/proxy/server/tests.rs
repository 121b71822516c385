use super::{House, Serving};
use crate::exec::{ExecError, Program};
use crate::proxy::{
    Call, Desk, Gate, Holdings, Open, Ran, RunError, Runner, Shut, TALK_TIME,
    protocol::{Reason, Reply, Request},
    socket,
};
use secrecy::SecretString;
use std::{
    collections::BTreeMap,
    io::{self, Read, Write},
    os::unix::net::UnixStream,
    sync::Arc,
};

struct Nobody;

impl Gate for Nobody {
    fn reach(&self, word: &str) -> Result<Open, Shut> {
        let reason = Reason::UnknownSkill;
        Err(Shut { told: reason, message: word.to_owned(), reason, detail: word.to_owned() })
    }

    fn program<'a>(
        &self,
        _: &Open,
        name: Option<&str>,
        _: &'a [String],
    ) -> Result<(Program, &'a [String]), ExecError> {
        Err(ExecError::BadName(name.unwrap_or_default().to_owned()))
    }

    fn open(&self) -> Vec<String> {
        Vec::new()
    }
}

impl Runner for Nobody {
    fn run(&self, _: &Call, _: &BTreeMap<String, SecretString>) -> Result<Ran, RunError> {
        Err(RunError::TimedOut)
    }
}

#[test]
fn a_failure_to_accept_is_survived() {
    let desk = Desk::new("t", Box::new(Nobody), Holdings::default(), Box::new(Nobody), Arc::new(|_| {}));
    let house = Arc::new(House::default());
    let serving = Serving {
        desk: Arc::new(desk),
        house: Arc::clone(&house),
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
    house.wait_empty(TALK_TIME);
    assert_eq!(*house.guests.lock().unwrap(), 0);
}
