//! Uses of a team's skills, for its server: counts and no content, kept until a batch is sent. A batch that cannot be sent is
//! dropped: no command waits for a count, and none is lost work.

use crate::{Library, team_server::UseReport};
use serde::{Deserialize, Serialize};
use skillful_registry::team_record::TeamRecord;
use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{Read as _, Write as _},
    path::{Path, PathBuf},
};

/// The file of uses that were not sent yet, in the data folder.
const FILE: &str = "team-usage.jsonl";
/// A larger file takes no further use.
const BYTES: u64 = 256 << 10;
/// Seconds after its first use that a batch is sent.
const BATCH: u64 = 600;

/// One use, as a line of the file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct OneUse {
    at: u64,
    server: String,
    skill: String,
    version: i64,
    agent: String,
    #[serde(default)]
    failed: bool,
}

fn path(data: &Path) -> PathBuf {
    data.join(FILE)
}

/// Notes a use of a skill, when a team server put it here. A use that cannot be noted is not counted.
pub fn note(data: &Path, name: &str, agent: &str, failed: bool, now: u64) {
    let Ok(record) = TeamRecord::load(data) else { return };
    let found = record.servers.iter().find_map(|(label, server)| Some((label, server.skills.get(name)?)));
    let Some((server, skill)) = found else { return };
    let agent = agent.chars().filter(|c| !c.is_control()).take(60).collect();
    let one = OneUse {
        at: now,
        server: server.clone(),
        skill: skill.id.clone(),
        version: skill.version,
        agent,
        failed,
    };
    let Ok(line) = serde_json::to_string(&one) else { return };
    let Ok(mut file) = File::options().create(true).append(true).open(path(data)) else { return };
    if file.metadata().is_ok_and(|known| known.len() < BYTES) {
        let _uncounted = file.write_all(format!("{line}\n").as_bytes());
    }
}

fn uses(path: &Path) -> Vec<OneUse> {
    let mut text = String::new();
    let read = File::open(path).and_then(|file| file.take(2 * BYTES).read_to_string(&mut text));
    if read.is_err() {
        return Vec::new();
    }
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Whether a batch is old enough to be sent.
pub fn is_due(data: &Path, now: u64) -> bool {
    let is_there = fs::metadata(path(data)).is_ok_and(|known| known.len() > 0);
    is_there && uses(&path(data)).first().is_none_or(|first| first.at + BATCH <= now)
}

/// Takes the uses of every server out of the file, counted. What is taken is sent or dropped.
fn take(data: &Path) -> BTreeMap<String, Vec<UseReport>> {
    let taken = data.join(format!("{FILE}.{}", std::process::id()));
    if fs::rename(path(data), &taken).is_err() {
        return BTreeMap::new();
    }
    let all = uses(&taken);
    let _gone = fs::remove_file(&taken);
    let mut counted: BTreeMap<(String, String, i64, String), (i64, i64)> = BTreeMap::new();
    for one in all {
        let count = counted.entry((one.server, one.skill, one.version, one.agent)).or_default();
        count.0 += 1;
        count.1 += i64::from(one.failed);
    }
    let mut reports: BTreeMap<String, Vec<UseReport>> = BTreeMap::new();
    for ((server, skill_id, version, agent), (uses, failures)) in counted {
        reports.entry(server).or_default().push(UseReport { skill_id, version, agent, uses, failures });
    }
    reports
}

/// Sends what was noted. A server that does not answer loses its counts. Returns how many reports were sent.
pub fn send(library: &Library<'_>, data: &Path) -> usize {
    let mut sent = 0;
    for (label, reports) in take(data) {
        let told = library.report_uses(&label, &reports);
        sent += told.map_or(0, |()| reports.len());
    }
    sent
}

#[cfg(test)]
mod tests {
    use super::*;
    use skillful_format::digest_bytes;
    use skillful_registry::{
        AtomicWriter,
        team_record::{TeamServer, TeamSkill},
    };

    #[test]
    fn uses_of_a_teams_skills_are_counted_in_batches_and_others_are_not_noted() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path();
        note(data, "pdf", "skillful", false, 1_000);
        assert!(!path(data).exists(), "nothing is noted without a team");
        let skill = TeamSkill { id: "skill_1".to_owned(), version: 3, tree: digest_bytes(b"a") };
        TeamRecord::change(data, &AtomicWriter::default(), |record| {
            let skills = [("pdf".to_owned(), skill)].into();
            record.servers.insert("team".to_owned(), TeamServer { address: String::new(), skills });
        })
        .unwrap();
        for failed in [false, true, false] {
            note(data, "pdf", "skillful", failed, 1_000);
        }
        note(data, "mine", "skillful", false, 1_000);
        assert!(!is_due(data, 1_100) && is_due(data, 1_600));
        fs::write(path(data), fs::read_to_string(path(data)).unwrap() + "not a use\n").unwrap();
        let report = UseReport {
            skill_id: "skill_1".to_owned(),
            version: 3,
            agent: "skillful".to_owned(),
            uses: 3,
            failures: 1,
        };
        assert_eq!(take(data), BTreeMap::from([("team".to_owned(), vec![report])]));
        assert!(take(data).is_empty() && !is_due(data, 9_999));
    }
}
