//! A process that is killed loses nothing that it was told is kept.

use crate::{
    entry, journal,
    together::{FOLDER, again},
};
use skillful_database::{NewSession, Store};
use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::Stdio,
};

const ROUNDS: usize = 50;
/// What a child says before the number of an entry that is kept.
const KEPT: &str = "kept ";
/// Where a child stops if nobody kills it.
const MOST: u64 = 20_000;

#[test]
fn fifty_kills_leave_every_committed_entry_readable() {
    let folder = tempfile::tempdir().unwrap();
    let mut least = 0;
    for round in 0..ROUNDS {
        let mut child = again("crashes::a_process_that_is_killed", folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut heard = 0;
        // Dies at another moment each round; what it said before that is in the pipe.
        while let Some(Ok(line)) = lines.next() {
            if let Some(number) = line.split(KEPT).nth(1).and_then(|number| number.parse::<usize>().ok()) {
                least = least.max(number);
                heard += 1;
                if heard == 1 + round * 7 % 13 {
                    child.kill().unwrap();
                }
            }
        }
        child.wait().unwrap();
        assert!(heard > round * 7 % 13, "the child wrote before it died");
        let store = Store::open(folder.path()).unwrap();
        let all = journal(&store, "run");
        assert!(all.len() >= least, "{} of {least} in round {round}", all.len());
        for (at, kept) in all.iter().enumerate() {
            assert_eq!(*kept, entry("run", at as u64));
        }
        assert_eq!(store.state("run").unwrap().unwrap(), all.len().to_string(), "state and entries agree");
        store.verify().unwrap().unwrap();
    }
}

/// Does nothing unless it was started by the test above.
#[test]
fn a_process_that_is_killed() {
    let Ok(folder) = std::env::var(FOLDER) else { return };
    let store = Store::open(Path::new(&folder)).unwrap();
    let new = NewSession { id: "run", folder: Path::new("/"), title: "", at: 1, parent: None };
    store.create(new).unwrap();
    let first = journal(&store, "run").len() as u64;
    let mut out = std::io::stdout().lock();
    for next in first..first + MOST {
        // Without a listener it has no reason to go on.
        let kept = store.commit("run", &[entry("run", next)], Some(&(next + 1).to_string())).unwrap();
        if writeln!(out, "{KEPT}{kept}").and_then(|()| out.flush()).is_err() {
            return;
        }
    }
}
