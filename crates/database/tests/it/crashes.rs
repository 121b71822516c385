//! A killed process loses no entry whose commit had returned.

use crate::{
    concurrency::{FOLDER, again},
    entry, journal,
};
use skillful_database::{Database, NewSession};
use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::Stdio,
};

const ROUNDS: usize = 50;
/// The child prints this before the number of each committed entry.
const COMMITTED: &str = "committed ";
/// The child stops after this many entries if it is not killed.
const MOST: u64 = 20_000;

#[test]
fn every_committed_entry_survives_fifty_kills() {
    let folder = tempfile::tempdir().unwrap();
    let mut least = 0;
    for round in 0..ROUNDS {
        let mut child = again("crashes::child_process_that_is_killed", folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut heard = 0;
        // Kills the child at a different moment in each round; the lines it printed before are still in the
        // pipe.
        while let Some(Ok(line)) = lines.next() {
            if let Some(number) = line.split(COMMITTED).nth(1).and_then(|number| number.parse::<usize>().ok())
            {
                least = least.max(number);
                heard += 1;
                if heard == 1 + round * 7 % 13 {
                    child.kill().unwrap();
                }
            }
        }
        child.wait().unwrap();
        assert!(heard > round * 7 % 13, "the child wrote before it died");
        let database = Database::open(folder.path()).unwrap();
        let all = journal(&database, "run");
        assert!(all.len() >= least, "{} of {least} in round {round}", all.len());
        for (at, kept) in all.iter().enumerate() {
            assert_eq!(*kept, entry("run", at as u64));
        }
        assert_eq!(database.state("run").unwrap().unwrap(), all.len().to_string(), "state and entries agree");
        database.verify().unwrap().unwrap();
    }
}

#[test]
#[ignore = "the other process of the test above"]
fn child_process_that_is_killed() {
    let folder = std::env::var(FOLDER).unwrap();
    let database = Database::open(Path::new(&folder)).unwrap();
    let new = NewSession { id: "run", folder: Path::new("/"), title: "", at: 1, parent: None };
    database.create(new).unwrap();
    let first = journal(&database, "run").len() as u64;
    let mut out = std::io::stdout().lock();
    for next in first..first + MOST {
        // Without a reader the child stops.
        let seq = database.commit("run", &[entry("run", next)], Some(&(next + 1).to_string())).unwrap();
        if writeln!(out, "{COMMITTED}{seq}").and_then(|()| out.flush()).is_err() {
            return;
        }
    }
}
